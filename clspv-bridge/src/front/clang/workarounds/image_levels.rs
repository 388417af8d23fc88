//! Mipmapped images: the back end drops levels of detail and gradients of reads, and levels of writes. The
//! built-ins become `pc_read_imagef_lod`, `pc_read_imagef_grad`, `pc_write_imagef_level` and so on.

use crate::front::clang::symbols::replace_mangled;

/// Whether the code may read or write images at a level of detail: it names the extension, or a read or
/// write has more than three arguments.
pub fn may_use(code: &str) -> bool {
    let calls = |name| code.match_indices(name).map(|(at, _)| &code[at..]);
    code.contains("mipmap")
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

/// Renames the built-ins; `None` if there are none.
pub fn rename(ir: &str) -> Option<String> {
    replace_mangled(ir, |name, params| {
        let new = read(name, params).or_else(|| write(name, params))?;
        Some(format!("_Z{}{new}{params}", new.len()))
    })
}

/// The new name of an image read through a sampler with a level of detail or gradients, by its parameters.
fn read(name: &str, params: &str) -> Option<String> {
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
fn write(name: &str, params: &str) -> Option<String> {
    let known = matches!(name, "write_imagef" | "write_imagei" | "write_imageui" | "write_imageh");
    // The mangled image type: the length of its name, then the name.
    let at = params.find("ocl_image").filter(|_| known)?;
    let length: usize = params[..at].parse().ok()?;
    let after = params.get(at + length..)?;
    let more = ["Dv2_i", "Dv4_i", "i"].iter().find_map(|at| after.strip_prefix(at))?;
    (more.len() > 1 && more.starts_with('i')).then(|| format!("pc_{name}_level"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_with_levels_are_renamed() {
        assert_eq!(rename("@_Z12write_imagef14ocl_image2d_woDv2_iDv4_f("), None);
        for params in
            ["14ocl_image2d_woDv2_iiDv4_f", "14ocl_image1d_woiiDv4_f", "20ocl_image2d_depth_woDv2_iif"]
        {
            let want = format!("@_Z21pc_write_imagef_level{params}(");
            assert_eq!(rename(&format!("@_Z12write_imagef{params}(")).unwrap(), want);
        }
        assert_eq!(rename("@_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f("), None);
        let (lod, grad) = ("14ocl_image1d_ro11ocl_samplerff(", "14ocl_image2d_ro11ocl_samplerDv2_fS1_S1_(");
        let renamed = |text: String| rename(&text).unwrap();
        assert_eq!(renamed(format!("@_Z11read_imagef{lod}")), format!("@_Z18pc_read_imagef_lod{lod}"));
        assert_eq!(renamed(format!("@_Z12read_imageui{grad}")), format!("@_Z20pc_read_imageui_grad{grad}"));
    }

    #[test]
    fn calls_with_levels_are_found() {
        for code in [
            "read_imagef (im, s, (float2)(x, y), l)",
            "mipmap",
            "read_imagei(a, b, c[1, 2], d, e)",
            "write_imagef(im, (int2)(x, y), l, c)",
        ] {
            assert!(may_use(code), "{code}");
        }
        for code in [
            "write_imagef(im, (int2)(x, y), c)",
            "read_imagef(im, s, (float2){x, f(y, z)}), 3",
            "a, read_image, b, c, d, e",
        ] {
            assert!(!may_use(code), "{code}");
        }
    }
}
