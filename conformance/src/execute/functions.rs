//! Definitions that make built-in functions compute the same on two platforms.

/// Functions of implementation-defined precision that also have a form with the usual bounds.
const USUAL: [&str; 12] =
    ["cos", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "rsqrt", "sin", "sqrt", "tan"];

/// Functions with an error bound and no exact result, grouped by parameters.
const ONE: [&str; 23] = [
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt", "rsqrt", "sin", "cos", "tan",
    "sinpi", "cospi", "asin", "acos", "atan", "sinh", "cosh", "tanh", "degrees", "radians",
];
const TWO: [&str; 4] = ["pow", "powr", "atan2", "hypot"];
const THREE: [&str; 2] = ["mad", "mix"];
/// Functions of vectors of up to four components: those that return a scalar, and those that return a vector.
const NUMBER_OF_VECTORS: [(&str, usize); 5] =
    [("length", 1), ("fast_length", 1), ("dot", 2), ("distance", 2), ("fast_distance", 2)];
const VECTOR_OF_VECTORS: [&str; 2] = ["normalize", "fast_normalize"];

/// Definitions in front of a source: they map functions of implementation-defined precision to those with the
/// usual bounds. With `rounded` these are computed in double precision and rounded, so that platforms differ
/// in hardly any result.
pub fn prelude(rounded: bool) -> String {
    let both = |name: &str| format!("#define native_{name} {name}\n#define half_{name} {name}\n");
    let quotients = ["native", "half"]
        .map(|how| format!("#define {how}_divide(x, y) ((x) / (y))\n#define {how}_recip(x) (1.0f / (x))\n"));
    let own = if rounded { in_double() } else { String::new() };
    own + &USUAL.map(both).concat() + &quotients.concat()
}

/// An overload of a function that calls its double-precision form.
fn overload(name: &str, result: &str, params: &[&str]) -> String {
    let list = |each: &dyn Fn(usize, &str) -> String| {
        params.iter().enumerate().map(|(i, lanes)| each(i, lanes)).collect::<Vec<_>>().join(", ")
    };
    let of = |ty: &str| list(&|i, lanes| format!("{ty}{lanes} a{i}"));
    let (wide, same) =
        (list(&|i, lanes| format!("convert_double{lanes}(a{i})")), list(&|i, _| format!("a{i}")));
    let exact = match name {
        "mad" => "fma",
        _ => name.trim_start_matches("fast_"),
    };
    format!(
        "float{result} PC_OVER pc_{name}({}) {{ return convert_float{result}({exact}({wide})); }}\n\
         double{result} PC_OVER pc_{name}({}) {{ return {exact}({same}); }}\n",
        of("float"),
        of("double"),
    )
}

/// Single-precision functions that are computed in double precision.
fn in_double() -> String {
    let mut text = String::from(
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define PC_OVER __attribute__((overloadable))\n",
    );
    for (group, count) in [(&ONE[..], 1), (&TWO[..], 2), (&THREE[..], 3)] {
        for (name, lanes) in
            group.iter().flat_map(|name| ["", "2", "3", "4", "8", "16"].map(|lanes| (*name, lanes)))
        {
            text += &overload(name, lanes, &vec![lanes; count]);
            if name == "mix" && !lanes.is_empty() {
                text += &overload(name, lanes, &[lanes, lanes, ""]);
            }
        }
    }
    for lanes in ["", "2", "3", "4"] {
        text.extend(NUMBER_OF_VECTORS.map(|(name, count)| overload(name, "", &vec![lanes; count])));
        text.extend(VECTOR_OF_VECTORS.map(|name| overload(name, lanes, &[lanes])));
    }
    let vectors = NUMBER_OF_VECTORS.iter().map(|(name, _)| name).chain(&VECTOR_OF_VECTORS);
    let names = ONE.iter().chain(&TWO).chain(&THREE).chain(vectors);
    text.extend(names.map(|name| format!("#define {name} pc_{name}\n")));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_computed_in_double_precision() {
        assert_eq!(
            overload("mad", "2", &["2", "2", ""]),
            "float2 PC_OVER pc_mad(float2 a0, float2 a1, float a2) { return convert_float2(fma(convert_double2(a0), convert_double2(a1), convert_double(a2))); }\n\
             double2 PC_OVER pc_mad(double2 a0, double2 a1, double a2) { return fma(a0, a1, a2); }\n"
        );
        assert!(prelude(true).contains("#define exp pc_exp\n") && !prelude(false).contains("pc_"));
        assert!(
            prelude(true).contains("#define native_exp exp\n")
                && prelude(false).contains("#define native_exp exp\n")
        );
    }

    #[test]
    fn every_prelude_is_accepted() {
        for rounded in [false, true] {
            let source = prelude(rounded)
                + "kernel void f(global float4 *p) { p[0] = native_exp(p[1]) * mix(p[2], p[3], 0.5f) + fast_length(p[4]); }";
            let options = clspv_bridge::options::Options::default();
            let front = pyroclast_runtime::program::offline::generic_front_config();
            let request = clspv_bridge::options::CompileRequest::new(&source, &options, &front);
            assert!(clspv_bridge::driver::compile(&request).is_ok());
        }
    }
}
