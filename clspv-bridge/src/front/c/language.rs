//! Language of a translation unit: version of OpenCL C, enabled extensions, and options that change meaning.

use crate::options::{FrontConfig, Options};
use rustc_hash::FxHashSet;

/// Version and extensions of OpenCL C.
#[derive(Clone, Debug)]
pub struct Language {
    /// 100, 110, 120, 200, 300 or 310.
    pub version: u32,
    /// Extension and feature macros, e.g. "cl_khr_fp64", "__opencl_c_pipes".
    enabled: FxHashSet<String>,
    /// -cl-single-precision-constant
    pub single_precision_constant: bool,
    has_generic_space: bool,
    has_fp64: bool,
    has_fp16: bool,
    has_images: bool,
}

impl Language {
    /// Language of a source with these options on a device with this configuration.
    pub fn new(options: &Options, config: &FrontConfig) -> Language {
        let mut language = Language {
            version: version_of(&options.std),
            enabled: config.extensions.iter().cloned().collect(),
            single_precision_constant: options.single_precision_constant,
            has_generic_space: false,
            has_fp64: false,
            has_fp16: false,
            has_images: config.image_support,
        };
        language.has_generic_space = language.since_2_0_with("__opencl_c_generic_address_space");
        language.has_fp64 = language.has("cl_khr_fp64") || language.has("__opencl_c_fp64");
        language.has_fp16 = language.has("cl_khr_fp16");
        language
    }

    /// The version as people write it, e.g. "1.2".
    pub fn version_text(&self) -> String {
        format!("{}.{}", self.version / 100, self.version / 10 % 10)
    }

    /// Whether an extension or feature macro is enabled.
    pub fn has(&self, name: &str) -> bool {
        self.enabled.contains(name)
    }

    /// Names of the enabled extensions and features, in no particular order.
    pub fn enabled(&self) -> impl Iterator<Item = &str> {
        self.enabled.iter().map(String::as_str)
    }

    /// Whether the language is OpenCL C 3.0 or later, in which much of 2.0 is optional.
    pub fn is_3_0(&self) -> bool {
        self.version >= 300
    }

    /// Whether a part of OpenCL C 2.0 is available that is an optional feature of later versions.
    pub fn since_2_0_with(&self, feature: &str) -> bool {
        self.version == 200 || self.is_3_0() && self.has(feature)
    }

    /// Whether pointers without an address space are generic; otherwise they are private.
    pub fn has_generic_space(&self) -> bool {
        self.has_generic_space
    }

    /// Whether `double` is available.
    pub fn has_fp64(&self) -> bool {
        self.has_fp64
    }

    /// Whether `half` has arithmetic.
    pub fn has_fp16(&self) -> bool {
        self.has_fp16
    }

    /// Whether images are available.
    pub fn has_images(&self) -> bool {
        self.has_images
    }

    /// Whether variables of program scope may be in global memory.
    pub fn has_program_scope_globals(&self) -> bool {
        self.since_2_0_with("__opencl_c_program_scope_global_variables")
    }

    /// Whether `pipe` is a keyword.
    pub fn has_pipes(&self) -> bool {
        self.since_2_0_with("__opencl_c_pipes")
    }

    /// Whether block literals are available.
    pub fn has_blocks(&self) -> bool {
        self.since_2_0_with("__opencl_c_device_enqueue")
    }

    /// Whether 3D images may be written.
    pub fn has_3d_image_writes(&self) -> bool {
        self.version == 200 || self.has("cl_khr_3d_image_writes") || self.has("__opencl_c_3d_image_writes")
    }

    /// Whether images may have several samples for a pixel.
    pub fn has_multi_sampled_images(&self) -> bool {
        self.has("cl_khr_gl_msaa_sharing")
    }

    /// Whether images may be `read_write`.
    pub fn has_read_write_images(&self) -> bool {
        self.since_2_0_with("__opencl_c_read_write_images")
    }
}

/// Version of a -cl-std= value; OpenCL C 1.2 without one.
fn version_of(std: &str) -> u32 {
    match std {
        "CL1.0" | "CL" => 100,
        "CL1.1" => 110,
        "CL2.0" => 200,
        "CL3.0" => 300,
        "CL3.1" => 310,
        _ => 120,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_2_0_are_optional_later() {
        let config = FrontConfig { extensions: vec!["__opencl_c_pipes".into()], ..FrontConfig::default() };
        let language = |std: &str| Language::new(&Options { std: std.into(), ..Options::default() }, &config);
        assert_eq!(language("").version, 120);
        assert!(!language("").has_pipes() && !language("CL1.2").has_generic_space());
        assert!(language("CL2.0").has_generic_space() && language("CL2.0").has_blocks());
        assert!(language("CL3.0").has_pipes() && !language("CL3.0").has_generic_space());
    }
}
