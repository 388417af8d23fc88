//! Settings from `PYROCLAST_*` environment variables.

/// Parsed once, when the platform is first asked for.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// PYROCLAST_FEATURES: names of device features to hide, e.g. "int8", "float16".
    pub hidden_features: Vec<String>,
}
