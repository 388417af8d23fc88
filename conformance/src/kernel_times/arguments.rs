//! Arguments of `kernel-times`.

use crate::manifest::Selection;
use std::path::PathBuf;

/// Arguments of `kernel-times`.
#[derive(clap::Args, Default)]
pub struct KernelTimesArgs {
    #[command(flatten)]
    pub selection: Selection,
    /// Platform under test: part of its name, or of a device's name
    #[arg(long, default_value = "Pyroclast")]
    pub platform: String,
    /// Platform to compare with: part of its name, or of a device's name; by default the first other one
    #[arg(long, default_value = "", hide_default_value = true)]
    pub reference: String,
    /// The driver under test; by default libpyroclast.so beside this tool
    #[arg(long, value_name = "FILE")]
    pub driver: Option<PathBuf>,
    /// Settings of single kernels instead of this tool's
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Measure the kernels of this name instead of the largest; may be repeated
    #[arg(long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// Number of kernels
    #[arg(long, default_value_t = 20)]
    pub count: usize,
    /// Kernels of one file
    #[arg(long, default_value_t = 1)]
    pub per_file: usize,
    /// Kernels of one folder of the corpus
    #[arg(long, default_value_t = 6)]
    pub per_folder: usize,
    /// Leave out kernels with more instructions
    #[arg(long, value_name = "INSTRUCTIONS", default_value_t = usize::MAX, hide_default_value = true)]
    pub at_most: usize,
    /// Seconds to measure a kernel
    #[arg(long, default_value_t = 1.0)]
    pub seconds: f64,
    /// List the chosen kernels instead of measuring them
    #[arg(long)]
    pub list: bool,
}
