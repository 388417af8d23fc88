//! A third opinion where two platforms differ: the kernels rewritten in double precision.
//!
//! Rewriting replaces types, numbers and functions of single precision by those of double precision, and
//! functions of implementation-defined precision by exact ones. Texels keep their type. A source that
//! inspects bits of numbers or masks of comparisons fails to compile afterwards, or yields results far from
//! those of both platforms.

use super::super::manifest::CorpusEntry;
use super::data::Element;
use super::plan::{ExecutionPlan, KernelPlan, PlannedArg, derive};
use super::settings::Settings;
use std::path::Path;

/// If both platforms' results are farther from the rewritten kernel's than this, in units in the last place,
/// the rewritten kernel computes something else.
const FAR: f64 = (1u64 << 20) as f64;

/// Prologue of rewritten sources.
const PRELUDE: &str = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define PC_OVER __attribute__((overloadable))
double4 PC_OVER pc_read(read_only image2d_t i, sampler_t s, int2 at) { return convert_double4(read_imagef(i, s, at)); }
double4 PC_OVER pc_read(read_only image2d_t i, sampler_t s, double2 at) { return convert_double4(read_imagef(i, s, convert_float2(at))); }
double4 PC_OVER pc_read(read_only image2d_t i, int2 at) { return convert_double4(read_imagef(i, at)); }
void PC_OVER pc_write(write_only image2d_t i, int2 at, double4 v) { write_imagef(i, at, convert_float4(v)); }
double PC_OVER pc_divide(double x, double y) { return x / y; }
double4 PC_OVER pc_divide(double4 x, double4 y) { return x / y; }
double PC_OVER pc_recip(double x) { return 1.0 / x; }
double4 PC_OVER pc_recip(double4 x) { return 1.0 / x; }
";

/// Double-precision replacement of a word.
fn replaced(word: &str) -> String {
    let own = ["native_", "half_", "fast_"].into_iter().find_map(|p| word.strip_prefix(p)).unwrap_or(word);
    match own {
        "read_imagef" => return "pc_read".into(),
        "write_imagef" => return "pc_write".into(),
        "divide" | "recip" => return format!("pc_{own}"),
        "INFINITY" | "NAN" | "HUGE_VALF" => return format!("((double){own})"),
        _ => {}
    }
    if (own.starts_with("FLT_") && !own.ends_with("DIG")) || (own.starts_with("M_") && own.ends_with("_F")) {
        return format!("((double){own})");
    }
    match own.strip_prefix("convert_float") {
        Some(rest) => format!("convert_double{rest}"),
        None => match own.strip_prefix("float") {
            Some(lanes) if lanes.chars().all(|c| c.is_ascii_digit()) => format!("double{lanes}"),
            _ => own.into(),
        },
    }
}

/// A source in double precision, without the prologue.
fn rewrite(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut rest = text;
    // The next word is a name that a directive defines or tests.
    let mut named = false;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let number =
            first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()));
        let mut end = first.len_utf8();
        if first == '"' {
            // Names of files.
            end = rest[1..].find(['"', '\n']).map_or(rest.len(), |at| at + 2);
            out.push_str(&rest[..end]);
        } else if number {
            let mut last = first;
            end = rest
                .find(|c: char| {
                    let part = is_word(c)
                        || c == '.'
                        || (matches!(c, '+' | '-') && matches!(last, 'e' | 'E' | 'p' | 'P'));
                    last = c;
                    !part
                })
                .unwrap_or(rest.len());
            let text = &rest[..end];
            let hex = text.starts_with("0x") || text.starts_with("0X");
            let single = text.ends_with(['f', 'F']) && (!hex || text.contains(['p', 'P']));
            out.push_str(&if single { format!("((double){text})") } else { text.to_owned() });
        } else if is_word(first) {
            end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            out.push_str(&if named { word.to_owned() } else { replaced(word) });
            named = matches!(word, "define" | "undef" | "ifdef" | "ifndef" | "defined");
        } else {
            out.push(first);
        }
        rest = &rest[end..];
    }
    out
}

/// Plan of a manifest's entry in double precision, with a copy of its source's folder.
pub fn plan(
    entry: &CorpusEntry,
    dir: &Path,
    settings: &Settings,
    scratch: &Path,
) -> Result<ExecutionPlan, String> {
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let source = dir.join(&entry.path);
    let (Some(from), Some(within)) = (source.parent(), Path::new(&entry.path).parent()) else {
        return Err("no folder".into());
    };
    let to = scratch.join(within);
    std::fs::create_dir_all(&to).map_err(|e| failed(&to, e))?;
    for file in std::fs::read_dir(from).map_err(|e| failed(from, e))?.flatten() {
        let Ok(text) = std::fs::read(file.path()) else { continue };
        let mut text = rewrite(&String::from_utf8_lossy(&text));
        if file.path() == source {
            text.insert_str(0, PRELUDE);
        }
        let copy = to.join(file.file_name());
        std::fs::write(&copy, text).map_err(|e| failed(&copy, e))?;
    }
    let options = entry.options.replace(&*dir.to_string_lossy(), &scratch.to_string_lossy());
    let (mut plan, _) = derive(&CorpusEntry { path: entry.path.clone(), options }, scratch, settings)?;
    for arg in plan.kernels.iter_mut().flat_map(|k| &mut k.args) {
        match arg {
            // The same number of elements.
            PlannedArg::Buffer(contents) if matches!(contents.element, Element::F32 | Element::F64) => {
                contents.element = Element::F64;
                contents.bytes *= 2;
            }
            PlannedArg::Local(bytes) => *bytes *= 2,
            _ => {}
        }
    }
    Ok(plan)
}

/// Largest distance of two platforms' results from the exact ones where they differ from each other, in units
/// in the last place of the stored type. Numbers below 1, the magnitude of the data, count as 1, so that
/// zeros which result from cancellation do not count. `None` if they cannot be compared.
pub fn distances(
    kernel: &KernelPlan,
    results: [&[u8]; 2],
    wide: &KernelPlan,
    exact: &[u8],
) -> Option<[f64; 2]> {
    let (mut at, mut exact_at, mut worst) = (0, 0, [0f64; 2]);
    for (memory, exact_memory) in kernel.memories().zip(wide.memories()) {
        let (c, e) = (memory.contents, exact_memory.contents);
        let (size, exact_size) = (c.element.bytes(), e.element.bytes());
        let exact = exact.get(exact_at..exact_at + e.bytes)?;
        let [a, b] = results.map(|r| r.get(at..at + c.bytes));
        let (a, b) = (a?, b?);
        if c.bytes / size != e.bytes / exact_size {
            return None;
        }
        let pairs = a.chunks_exact(size).zip(b.chunks_exact(size)).zip(exact.chunks_exact(exact_size));
        for ((a, b), want) in pairs.filter(|((a, b), _)| a != b) {
            let want = e.element.value(want);
            let off = |got: &[u8]| {
                let got = c.element.value(got);
                match (got.is_nan(), want.is_nan()) {
                    (true, true) => 0.0,
                    _ if got == want => 0.0,
                    (false, false) => (got - want).abs() / c.element.unit(want.abs().max(1.0)),
                    _ => f64::INFINITY,
                }
            };
            worst = [worst[0].max(off(a)), worst[1].max(off(b))];
        }
        (at, exact_at) = (at + c.bytes, exact_at + e.bytes);
    }
    Some(worst)
}

/// Whether results at this distance from the exact ones are as good as the reference's.
pub fn is_as_good(ours: f64, reference: f64) -> bool {
    ours.min(reference) < FAR && ours <= 2.0 * reference
}

#[cfg(test)]
mod tests {
    use super::super::data::{Contents, Fill};
    use super::*;

    #[test]
    fn sources_are_rewritten_word_by_word() {
        for (single, double) in [
            (
                "float4 v = (float4)(1.0f, .5F, 2e-3f, 0x1p+2f);",
                "double4 v = (double4)(((double)1.0f), ((double).5F), ((double)2e-3f), ((double)0x1p+2f));",
            ),
            (
                "#include \"float.h\"\nint f = 0x1F; uint g = 3u; v.x = 1e+3;",
                "#include \"float.h\"\nint f = 0x1F; uint g = 3u; v.x = 1e+3;",
            ),
            (
                "native_powr(x, M_PI_F) + half_recip(FLT_MAX)",
                "powr(x, ((double)M_PI_F)) + pc_recip(((double)FLT_MAX))",
            ),
            (
                "write_imagef(o, p, convert_float4(read_imagef(i, s, p)))",
                "pc_write(o, p, convert_double4(pc_read(i, s, p)))",
            ),
            (
                "#define M_PI_F 3.1f\n#ifndef INFINITY\nfast_length(NAN)",
                "#define M_PI_F ((double)3.1f)\n#ifndef INFINITY\nlength(((double)NAN))",
            ),
            ("floaty afloat float_4 a-1.0f", "floaty afloat float_4 a-((double)1.0f)"),
        ] {
            assert_eq!(rewrite(single), double);
        }
    }

    #[test]
    fn distances_are_in_units_of_what_is_stored() {
        let of = |element: Element| {
            let args =
                vec![PlannedArg::Buffer(Contents { element, fill: Fill::Zero, bytes: 2 * element.bytes() })];
            KernelPlan { name: "k".into(), global: vec![1], local: None, ulps: 0, texel_ulps: 0, args }
        };
        let floats = |v: [f32; 2]| v.map(f32::to_le_bytes).concat();
        let doubles = |v: [f64; 2]| v.map(f64::to_le_bytes).concat();
        let far = |a, b, want| {
            let results = [floats(a), floats(b)];
            distances(&of(Element::F32), [&results[0], &results[1]], &of(Element::F64), &doubles(want))
        };
        assert_eq!(far([1.0, 2.0], [1.0, 2.0], [1.0, 3.0]), Some([0.0, 0.0]));
        let off = f32::from_bits(2f32.to_bits() + 3);
        assert_eq!(far([1.0, off], [1.0, 2.0], [1.0, 2.0]), Some([3.0, 0.0]));
        assert_eq!(
            far([1.0, 2.0], [2.0, 2.0], [1.0 + f64::from(f32::EPSILON) / 2.0, 2.0]).map(|d| d[0]),
            Some(0.5)
        );
        assert!(far([1e-30, 2.0], [0.0, 2.0], [1e-38, 2.0]).is_some_and(|d| d[0] < 1e-20));
        assert_eq!(far([f32::NAN, 2.0], [1.0, 2.0], [1.0, 2.0]), Some([f64::INFINITY, 0.0]));
        assert_eq!(distances(&of(Element::F32), [&[0; 8]; 2], &of(Element::F32), &[0; 4]), None);
        assert!(is_as_good(3.0, 2.0) && !is_as_good(5.0, 2.0) && !is_as_good(FAR, 2.0 * FAR));
    }
}
