//! Settings from `PYROCLAST_*` environment variables: one table of options, parsed once.
//!
//! Invalid values and unknown variables are reported in the log and ignored.

use clspv_bridge::options::FrontEnd;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A value of an option.
trait OptionValue: Sized {
    fn parse(text: &str) -> Option<Self>;
}

impl OptionValue for bool {
    fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(true),
            "" | "0" | "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }
}

impl OptionValue for Option<String> {
    fn parse(text: &str) -> Option<Self> {
        Some((!text.is_empty()).then(|| text.to_string()))
    }
}

impl OptionValue for Option<PathBuf> {
    fn parse(text: &str) -> Option<Self> {
        Some((!text.is_empty()).then(|| PathBuf::from(text)))
    }
}

impl OptionValue for Option<u64> {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
    }
}

impl OptionValue for Option<FrontEnd> {
    fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "" => Some(None),
            "clang" => Some(Some(FrontEnd::Clang)),
            "builtin" => Some(Some(FrontEnd::BuiltIn)),
            _ => None,
        }
    }
}

/// Comma-separated words.
impl OptionValue for Vec<String> {
    fn parse(text: &str) -> Option<Self> {
        Some(text.split(',').map(str::trim).filter(|w| !w.is_empty()).map(str::to_string).collect())
    }
}

macro_rules! options {
    ($($(#[doc = $doc:literal])+ $var:literal => $field:ident: $ty:ty,)*) => {
        /// The settings; parsed once, when the platform is first used.
        #[derive(Clone, Debug, Default)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $field: $ty,)*
        }

        /// Every option: variable and meaning.
        #[cfg(test)]
        const OPTIONS: &[(&str, &str)] = &[$(($var, concat!($($doc),+))),*];

        impl Config {
            /// Reads options from (name, value) pairs; returns them with the complaints.
            pub fn read(vars: impl IntoIterator<Item = (String, String)>) -> (Config, Vec<String>) {
                let mut config = Config::default();
                let mut complaints = Vec::new();
                for (name, value) in vars {
                    match name.as_str() {
                        $($var => match <$ty as OptionValue>::parse(&value) {
                            Some(parsed) => config.$field = parsed,
                            None => complaints.push(format!("{name}: cannot understand '{value}'")),
                        },)*
                        other if other.starts_with("PYROCLAST_") => {
                            complaints.push(format!("{other} is no option of Pyroclast"))
                        }
                        _ => {}
                    }
                }
                for feature in &mut config.hidden_features {
                    if let Some(bare) = feature.strip_prefix('-') {
                        *feature = bare.to_string();
                    }
                }
                (config, complaints)
            }
        }
    };
}

options! {
    /// Log filter, e.g. "warn" or "pyroclast::queue=debug"; the log goes to stderr.
    "PYROCLAST_LOG" => log: Option<String>,
    /// Dumps: cl (source), il (OpenCL SPIR-V), ir, ir:after=PASS (also of native code), spv (final
    /// modules), args (build options), all.
    "PYROCLAST_DUMP" => dump: Vec<String>,
    /// Folder of the dumps; the current directory if unset. The files of one build share the start of their
    /// names.
    "PYROCLAST_DUMP_DIR" => dump_dir: Option<PathBuf>,
    /// Validation: ir (after each pass), spirv (final modules, with spirv-val), vulkan (validation layer),
    /// all.
    "PYROCLAST_VALIDATE" => validate: Vec<String>,
    /// File to which complaints of the Vulkan validation layer are appended, besides the log.
    "PYROCLAST_VALIDATE_LOG" => validate_log: Option<PathBuf>,
    /// Order and choice of devices, e.g. "vulkan:1,vulkan:0" or "vulkan,cpu". If unset: graphics processors,
    /// then the CPU device, or software Vulkan devices where that cannot be used.
    "PYROCLAST_DEVICES" => devices: Vec<String>,
    /// Device that runs the kernels which a Vulkan device cannot run, and so lets it report more: "cpu",
    /// or none if unset.
    "PYROCLAST_FALLBACK" => fallback: Option<String>,
    /// Checks of kernels on the CPU device: memory, race, uninit, all. Findings are written to stderr.
    "PYROCLAST_CHECK" => check: Vec<String>,
    /// File to which the findings are also appended, a line of JSON for each location in a launch.
    "PYROCLAST_CHECK_LOG" => check_log: Option<PathBuf>,
    /// Submit and wait after every command.
    "PYROCLAST_SYNC" => sync: bool,
    /// Device features to hide, e.g. "-int8,-float16"; quirks of Vulkan drivers (`docs/architecture.md` lists
    /// them), e.g. "-graphics_family"; of the CPU device the processor's features, e.g. "-avx512f".
    "PYROCLAST_FEATURES" => hidden_features: Vec<String>,
    /// Compiler of OpenCL C: "builtin" (the default), or "clang", for comparison.
    "PYROCLAST_FRONT_END" => front_end: Option<FrontEnd>,
    /// Path of clang, which compiles C++ for OpenCL and the CPU device's code; searched for if unset.
    "PYROCLAST_CLANG" => clang: Option<String>,
    /// More arguments for clang, separated by commas.
    "PYROCLAST_CLANG_ARGS" => clang_args: Vec<String>,
    /// Seconds of processor time that each process of the front-end tool may use; 300 if unset.
    "PYROCLAST_CLANG_TIMEOUT" => clang_timeout: Option<String>,
    /// MiB of memory that each process of the front-end tool may use; 8192 if unset.
    "PYROCLAST_CLANG_MEMORY" => clang_memory: Option<String>,
    /// Folder of the cache of compiled kernels.
    "PYROCLAST_CACHE_DIR" => cache_dir: Option<PathBuf>,
    /// MiB that compiled kernels may take on disk; 512 if unset, 0 to keep none.
    "PYROCLAST_CACHE_SIZE" => cache_size: Option<u64>,
    /// Do not keep compiled kernels.
    "PYROCLAST_NO_CACHE" => no_cache: bool,
    /// Seconds that random calls go on for (read by the tests only).
    "PYROCLAST_STRESS" => stress: Option<u64>,
    /// Rewrite the expected output of tests (read by the tests only).
    "PYROCLAST_BLESS" => bless: bool,
}

static CONFIG: OnceLock<Config> = OnceLock::new();

impl Config {
    /// The settings of this process.
    pub fn get() -> &'static Config {
        CONFIG.get_or_init(|| {
            let text = |s: std::ffi::OsString| s.to_string_lossy().into_owned();
            let (config, complaints) = Config::read(std::env::vars_os().map(|(k, v)| (text(k), text(v))));
            crate::trace::init(config.log.as_deref());
            for complaint in complaints {
                tracing::warn!("{complaint}");
            }
            config
        })
    }
    /// Whether PYROCLAST_DUMP names `what`.
    pub fn dumps(&self, what: &str) -> bool {
        self.dump.iter().any(|d| d == what || d == "all")
    }
    /// Whether PYROCLAST_VALIDATE names `what`.
    pub fn validates(&self, what: &str) -> bool {
        self.validate.iter().any(|d| d == what || d == "all")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(vars: &[(&str, &str)]) -> (Config, Vec<String>) {
        Config::read(vars.iter().map(|(k, v)| (k.to_string(), v.to_string())))
    }

    #[test]
    fn values_are_parsed() {
        let (config, complaints) = read(&[
            ("PYROCLAST_SYNC", "1"),
            ("PYROCLAST_FEATURES", "-int8, float16"),
            ("HOME", "/"),
            ("PYROCLAST_DUMP", "spv,,cl"),
        ]);
        assert!(complaints.is_empty());
        assert!(config.sync);
        assert_eq!(config.hidden_features, ["int8", "float16"]);
        assert!(config.dumps("cl") && config.dumps("spv") && !config.dumps("ir"));
    }

    #[test]
    fn the_readme_has_the_table() {
        let readme = include_str!("../README.md");
        let rows = |l: &&str| l.starts_with("| PYROCLAST_");
        let found: Vec<&str> = readme.lines().filter(rows).collect();
        let expected: Vec<String> =
            OPTIONS.iter().map(|(var, meaning)| format!("| {var} | {} |", meaning.trim())).collect();
        assert_eq!(found, expected, "README.md must have these rows:\n{}", expected.join("\n"));
        assert!(readme.contains("| variable | meaning |\n|---|---|\n| PYROCLAST_"));
    }

    #[test]
    fn mistakes_are_reported() {
        let (config, complaints) = read(&[("PYROCLAST_SYNC", "perhaps"), ("PYROCLAST_SNYC", "1")]);
        assert!(!config.sync);
        assert_eq!(complaints.len(), 2);
    }
}
