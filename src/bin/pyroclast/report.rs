//! Everything that `pyroclast info` shows, as data for text and JSON.

use super::system::{self, Survey};
use clspv_bridge::options::FrontEnd;
use clspv_bridge::target::CodeGenerator;
use pyroclast_runtime::config::{Config, RawSetting};
use pyroclast_runtime::device::info::{DOUBLE, ENQUEUE, HALF, IMAGE_FORMATS, INT64_ATOMICS};
use pyroclast_runtime::device::{Device, compiler};
use pyroclast_runtime::platform::{Platform, version_text};
use pyroclast_runtime::store::Store;
use serde::Serialize;
use std::path::PathBuf;

/// The driver, its installation and its devices.
#[derive(Serialize)]
pub struct Report {
    pub version: String,
    #[serde(flatten)]
    pub system: Survey,
    pub front_end: String,
    pub cpu_code: String,
    pub cache: CacheReport,
    pub configuration: ConfigurationReport,
    pub devices: Vec<DeviceReport>,
    /// Defects, each with what to do; the most important first.
    pub problems: Vec<String>,
}

/// The cache of compiled kernels.
#[derive(Serialize)]
pub struct CacheReport {
    /// `None` if nothing is kept.
    pub folder: Option<PathBuf>,
    pub entries: u64,
    pub bytes: u64,
    pub limit: u64,
}

/// Where settings come from.
#[derive(Serialize)]
pub struct ConfigurationReport {
    pub files: Vec<PathBuf>,
    pub settings: Vec<SettingReport>,
    pub complaints: Vec<String>,
}

/// A setting that was made.
#[derive(Serialize)]
pub struct SettingReport {
    pub name: String,
    pub value: String,
    /// "environment", or file and line.
    pub origin: String,
}

/// A device.
#[derive(Serialize)]
pub struct DeviceReport {
    pub name: String,
    pub kind: String,
    pub back_end: &'static str,
    pub vendor: String,
    pub vendor_id: u32,
    pub driver: String,
    pub compute_units: u32,
    pub clock_mhz: u32,
    pub max_work_group_size: u32,
    pub max_work_item_sizes: Vec<u64>,
    pub local_memory: u64,
    pub local_memory_dedicated: bool,
    pub global_memory: u64,
    pub max_allocation: u64,
    pub unified_memory: bool,
    pub cache: u64,
    pub cache_line: u32,
    pub doubles: String,
    pub halves: String,
    pub int64_atomics: String,
    pub image_formats: String,
    pub enqueued_kernels: String,
    pub sub_group_size: Option<u32>,
    pub sub_group_sizes: Vec<usize>,
    pub extensions: Vec<&'static str>,
    pub opencl_c_features: Vec<&'static str>,
    /// Reasons for missing features.
    pub notes: Vec<String>,
}

impl Report {
    /// Examines the machine and the devices.
    pub fn new() -> Report {
        let devices: Vec<DeviceReport> = Platform::get().devices().iter().map(|d| device(d)).collect();
        let system = Survey::new();
        let mut problems = system::problems(&system);
        problems.extend(system::not_listed(&system));
        if devices.is_empty() {
            problems.insert(
                0,
                "There are no devices: a Vulkan driver with a compute queue is needed; run \
                 `PYROCLAST_LOG=debug pyroclast info` to see what was looked at"
                    .to_string(),
            );
        }
        problems
            .extend(Config::get().complaints.iter().map(|c| format!("{c}; correct or remove the setting")));
        Report {
            version: version_text(),
            system,
            front_end: front_end().to_string(),
            cpu_code: cpu_code(),
            cache: CacheReport::new(),
            configuration: configuration(),
            devices,
            problems,
        }
    }
}

impl CacheReport {
    /// Counts the entries.
    pub fn new() -> CacheReport {
        let store = Store::from_config(Config::get());
        let usage = store.usage();
        let folder = store.folder().map(PathBuf::from);
        CacheReport { folder, entries: usage.entries, bytes: usage.bytes, limit: store.limit() }
    }
}

fn configuration() -> ConfigurationReport {
    let config = Config::get();
    let report = |setting: &RawSetting| {
        let name = setting.variable_name()?;
        Some(SettingReport {
            name: setting.device.as_ref().map_or(name.clone(), |device| format!("{name} of {device}")),
            value: setting.value.clone(),
            origin: setting.origin.clone().unwrap_or_else(|| "environment".to_string()),
        })
    };
    ConfigurationReport {
        files: config.files.clone(),
        settings: config.settings.iter().filter_map(report).collect(),
        complaints: config.complaints.clone(),
    }
}

fn front_end() -> &'static str {
    match (compiler::front_end(), compiler::clang_available()) {
        (FrontEnd::Clang, true) => "clang",
        (FrontEnd::Clang, false) => {
            "clang was not found: programs cannot be built from source (install clang-22, or set \
             PYROCLAST_CLANG)"
        }
        (FrontEnd::BuiltIn, true) => "built-in; clang for C++ for OpenCL",
        (FrontEnd::BuiltIn, false) => "built-in; clang was not found: no C++ for OpenCL",
    }
}

fn cpu_code() -> String {
    let generators = compiler::cpu_generators().map(|g| (g.first.is_cranelift(), g.hot.last()));
    let text = match generators {
        Some((true, Some(CodeGenerator::Llvm))) => {
            "quick code by Cranelift, and optimized code by clang for kernels that run long"
        }
        Some((true, _)) => "quick code, by Cranelift",
        Some((false, _)) => "optimized code, by clang",
        None if compiler::permits_code() => "none: the CPU device is not used (PYROCLAST_CPU_CODE)",
        None => "none: the CPU device is not used",
    };
    let note = match (compiler::permits_code(), compiler::clang_available()) {
        (true, _) => "",
        (false, true) => "; the system permits no executable memory",
        (false, false) => "; the system permits no executable memory, clang was not found",
    };
    format!("{text}{note}")
}

fn device(device: &Device) -> DeviceReport {
    let i = device.info();
    // Where the device has a feature only on another processor, that is named.
    let either = |what: &'static str, own: String| {
        let elsewhere = i.elsewhere.iter().find(|(name, _)| *name == what);
        elsewhere.map_or(own, |(_, text)| text.clone())
    };
    let yes_no = |has: bool| if has { "yes" } else { "no" }.to_string();
    DeviceReport {
        name: i.name.clone(),
        kind: format!("{:?}", i.kind),
        back_end: device.driver(),
        vendor: i.vendor.clone(),
        vendor_id: i.vendor_id,
        driver: i.driver_version.clone(),
        compute_units: i.compute_units,
        clock_mhz: i.clock_mhz,
        max_work_group_size: i.max_work_group_size,
        max_work_item_sizes: i.max_work_item_sizes.to_vec(),
        local_memory: i.local_mem_size,
        local_memory_dedicated: i.local_mem_dedicated,
        global_memory: i.global_mem_size,
        max_allocation: i.max_alloc_size,
        unified_memory: i.host_unified_memory,
        cache: i.cache_size,
        cache_line: i.cache_line,
        doubles: either(DOUBLE, yes_no(i.fp64)),
        halves: either(HALF, yes_no(i.fp16)),
        int64_atomics: either(INT64_ATOMICS, yes_no(i.int64_atomics)),
        image_formats: either(IMAGE_FORMATS, i.image.formats.len().to_string()),
        enqueued_kernels: either(ENQUEUE, yes_no(i.enqueue.is_some())),
        sub_group_size: (i.max_num_sub_groups > 0).then_some(i.sub_group_size),
        sub_group_sizes: i.sub_group_sizes.to_vec(),
        extensions: device.extensions().iter().map(|f| f.name).collect(),
        opencl_c_features: device.c_features().iter().map(|f| f.name).collect(),
        notes: i.notes.clone(),
    }
}
