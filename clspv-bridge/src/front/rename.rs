//! Built-ins that clang's SPIR-V back end miscompiles: detection in a source, and renaming in LLVM's text.
//! Renamed, they stay calls, which the SPIR-V reader knows.

use std::borrow::Cow;

/// Prefixes of the names of functions on atomic types.
pub const C11_ATOMICS: &[&str] = &[
    "atomic_fetch_",
    "atomic_exchange",
    "atomic_compare_exchange_",
    "atomic_load",
    "atomic_store",
    "atomic_flag_",
];

/// Whether the source may have explicit conversions to integers, also if macros concatenate such names.
pub fn converts_to_integers(source: &str) -> bool {
    let mut uses = source.match_indices("convert").map(|(at, word)| &source[at + word.len()..]);
    uses.any(|rest| !["_float", "_double", "_half"].iter().any(|t| rest.starts_with(t)))
}

/// Whether the source may read or write images at a level of detail: it names the extension, or a read or
/// write has more than three arguments.
pub fn names_levels(source: &str) -> bool {
    let calls = |name| source.match_indices(name).map(|(at, _)| &source[at..]);
    source.contains("mipmap")
        || calls("read_image").chain(calls("write_image")).any(|rest| {
            let (mut depth, mut commas) = (0u32, 0);
            for c in rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').chars() {
                match c {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    ',' if depth == 1 => commas += 1,
                    c if depth == 0 && !c.is_whitespace() => break,
                    _ => {}
                }
                if depth == 0 && c == ')' {
                    break;
                }
            }
            commas > 2
        })
}

/// The new name of an image read through a sampler with a level of detail or gradients, by its parameters.
fn level_read(name: &str, params: &str) -> Option<String> {
    let after = params.split_once("11ocl_sampler")?.1;
    let more = ["Dv2_f", "Dv4_f", "f"].iter().find_map(|at| after.strip_prefix(at))?;
    let how = match more {
        "" => return None,
        "f" => "lod",
        _ => "grad",
    };
    let known = matches!(name, "read_imagef" | "read_imagei" | "read_imageui");
    known.then(|| format!("pc_{name}_{how}"))
}

/// The new name of an image write at a level of detail, by its parameters.
fn level_write(name: &str, params: &str) -> Option<String> {
    let known = matches!(name, "write_imagef" | "write_imagei" | "write_imageui" | "write_imageh");
    // The mangled image type: the length of its name, then the name.
    let at = params.find("ocl_image").filter(|_| known)?;
    let length: usize = params[..at].parse().ok()?;
    let after = params.get(at + length..)?;
    let more = ["Dv2_i", "Dv4_i", "i"].iter().find_map(|at| after.strip_prefix(at))?;
    (more.len() > 1 && more.starts_with('i')).then(|| format!("pc_{name}_level"))
}

/// Renames built-ins that the back end would miscompile, so that they stay calls; the SPIR-V reader knows the
/// new names.
///
/// * Conversions between integers lose the signedness of the operand, which only the mangled name has:
///   `_Z16convert_char_sati` becomes `pc_convert_char_sat.i`.
/// * `vloada_half3` becomes the unaligned load with another stride.
/// * Functions on atomic types lose the orders that their short forms imply, and some are dropped: they
///   become `pc_c11.<name>.<parameters>`.
/// * Image reads lose levels of detail and gradients, image writes lose levels: they become
///   `pc_read_imagef_lod` and so on.
pub fn rename(line: &str) -> Cow<'_, str> {
    if !line.contains("@_Z") {
        return line.into();
    }
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("@_Z") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let after = &rest[3..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
        let name =
            after[..digits].parse().ok().and_then(|len: usize| after.get(digits..digits.checked_add(len)?));
        let Some(name) = name.filter(|n| digits + n.len() <= end) else {
            out.push_str(&rest[..3]);
            rest = after;
            continue;
        };
        let params = &after[digits + name.len()..end];
        let integers = name.starts_with("convert_")
            && ["char", "short", "int", "long"].iter().any(|t| {
                let to = name.trim_start_matches("convert_");
                to.strip_prefix('u').unwrap_or(to).starts_with(t)
            })
            && params.ends_with(['a', 'c', 'h', 's', 't', 'i', 'j', 'l', 'm'])
            && !params.ends_with("Dh");
        if integers {
            out.push_str(&format!("@pc_{name}.{}", &params[params.len() - 1..]));
        } else if params.contains("U7_Atomic") && C11_ATOMICS.iter().any(|word| name.starts_with(word)) {
            out.push_str(&format!("@pc_c11.{name}.{params}"));
        } else if let Some(read) = level_read(name, params).or_else(|| level_write(name, params)) {
            out.push_str(&format!("@_Z{}{read}{params}", read.len()));
        } else if name == "vloada_half3" {
            out.push_str(&format!("@pc_{name}.{params}"));
        } else {
            out.push_str(&rest[..3 + end]);
        }
        rest = &after[end..];
    }
    out.push_str(rest);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spoiled_builtins_are_renamed() {
        let line = "%1 = call spir_func signext i8 @_Z16convert_char_sati(i32 %0), @_Z17convert_char4_satDv4_j(, @_Z3fooi";
        let want = "%1 = call spir_func signext i8 @pc_convert_char_sat.i(i32 %0), @pc_convert_char4_sat.j(, @_Z3fooi";
        assert_eq!(rename(line), want);
        assert_eq!(rename("@_Z16convert_char_satf(@_Z99x(@_Z"), "@_Z16convert_char_satf(@_Z99x(@_Z");
        assert_eq!(
            rename("@_Z11convert_intDv2_c(@_Z16convert_char_satDh("),
            "@pc_convert_int.c(@_Z16convert_char_satDh("
        );
        assert!(converts_to_integers("x = convert_int4(v);") && converts_to_integers("convert_##T"));
        assert_eq!(
            rename("@_Z12write_imagef14ocl_image2d_woDv2_iDv4_f("),
            "@_Z12write_imagef14ocl_image2d_woDv2_iDv4_f("
        );
        for params in
            ["14ocl_image2d_woDv2_iiDv4_f", "14ocl_image1d_woiiDv4_f", "20ocl_image2d_depth_woDv2_iif"]
        {
            let want = format!("@_Z21pc_write_imagef_level{params}(");
            assert_eq!(rename(&format!("@_Z12write_imagef{params}(")), want);
        }
        assert!(!converts_to_integers("convert_float4(v) + convert_half(x)"));
        assert_eq!(rename("@_Z12vloada_half3mPU3AS1KDh("), "@pc_vloada_half3.mPU3AS1KDh(");
        let plain = "@_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f(";
        assert_eq!(rename(plain), plain);
        let (lod, grad) = ("14ocl_image1d_ro11ocl_samplerff(", "14ocl_image2d_ro11ocl_samplerDv2_fS1_S1_(");
        assert_eq!(rename(&format!("@_Z11read_imagef{lod}")), format!("@_Z18pc_read_imagef_lod{lod}"));
        assert_eq!(rename(&format!("@_Z12read_imageui{grad}")), format!("@_Z20pc_read_imageui_grad{grad}"));
        let reads = |text: &str| names_levels(text);
        assert!(
            reads("read_imagef (im, s, (float2)(x, y), l)")
                && reads("mipmap")
                && reads("read_imagei(a, b, c[1, 2], d, e)")
        );
        assert!(reads("write_imagef(im, (int2)(x, y), l, c)") && !reads("write_imagef(im, (int2)(x, y), c)"));
        assert!(!reads("read_imagef(im, s, (float2){x, f(y, z)}), 3") && !reads("a, read_image, b, c, d, e"));
    }
}
