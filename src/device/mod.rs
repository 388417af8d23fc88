//! Devices: the traits of a device kind, the commands it executes, the registry of kinds, and the device
//! object.
//!
//! A [`Device`] is a root device of the platform, created once and never freed, or a sub-device. Its query
//! results are in `query.rs`, its extensions and features in `features.rs`, its SPIR-V support in `spirv.rs`.

pub mod batch;
pub(crate) mod code_memory;
pub mod compiler;
pub(crate) mod copies;
pub(crate) mod cpu;
mod error;
pub(crate) mod features;
pub(crate) mod host_exec;
pub mod info;
mod localsize;
pub(crate) mod machine;
pub mod minimum;
#[cfg(test)]
pub(crate) mod mock;
pub(crate) mod newest;
mod nvml;
pub(crate) mod paired;
pub(crate) mod partition;
pub(crate) mod query;
pub(crate) mod registry;
mod relay;
pub mod share;
mod spare;
pub(crate) mod spirv;
pub(crate) mod svm_types;
pub(crate) mod threads;
pub mod traits;
pub(crate) mod vulkan;

use crate::cl::*;
use crate::config::Config;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use clspv_bridge::options::FrontConfig;
use features::Feature;
use std::sync::Arc;
use traits::DeviceOps;

/// An OpenCL device.
pub struct Device {
    slot: ApiSlot,
    ops: Arc<dyn DeviceOps>,
    /// Name of its kind ("vulkan").
    driver: &'static str,
    extensions: Vec<&'static Feature>,
    c_features: Vec<&'static Feature>,
    /// For sub-devices: the parent device and the partition properties.
    parent: Option<(Arc<Device>, Vec<cl_device_partition_property>)>,
}

impl ApiObject for Device {
    const KIND: ObjectKind = ObjectKind::Device;
    const INVALID: cl_int = CL_INVALID_DEVICE;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl Device {
    /// Wraps an opened device of the kind `driver`.
    pub fn new(driver: &'static str, ops: Arc<dyn DeviceOps>) -> Arc<Device> {
        let info = ops.info();
        let has = |f: &&'static Feature| (f.when)(info);
        let extensions = features::EXTENSIONS.iter().filter(|f| !f.platform_only).filter(has).collect();
        let c_features = features::C_FEATURES.iter().filter(has).collect();
        Arc::new(Device { slot: ApiSlot::new(), driver, extensions, c_features, ops, parent: None })
    }
    /// Creates a sub-device.
    fn part(
        parent: &Arc<Device>,
        ops: Arc<dyn DeviceOps>,
        partition: Vec<cl_device_partition_property>,
    ) -> Arc<Device> {
        let (extensions, c_features) = (parent.extensions.clone(), parent.c_features.clone());
        let (slot, driver, parent) = (ApiSlot::new(), parent.driver, Some((parent.clone(), partition)));
        Arc::new(Device { slot, driver, extensions, c_features, ops, parent })
    }
    /// The parent device of a sub-device.
    pub fn parent(&self) -> Option<&Arc<Device>> {
        self.parent.as_ref().map(|(parent, _)| parent)
    }
    /// CL_DEVICE_PARTITION_TYPE: the properties that the parent was partitioned with.
    pub(crate) fn partition_type(&self) -> &[cl_device_partition_property] {
        self.parent.as_ref().map_or(&[0], |(_, how)| how)
    }
    /// The device layer's object.
    pub fn ops(&self) -> &Arc<dyn DeviceOps> {
        &self.ops
    }
    /// The device's facts.
    pub fn info(&self) -> &info::DeviceInfo {
        self.ops.info()
    }
    /// Features that the compiler may use.
    pub fn target(&self) -> &clspv_bridge::Target {
        self.ops.target()
    }
    /// Name of the device's kind.
    pub fn driver(&self) -> &'static str {
        self.driver
    }
    /// Number of the device in a recording.
    pub fn record_id(&self) -> u64 {
        std::ptr::from_ref(self) as u64
    }
    /// CL_DEVICE_TYPE
    pub fn device_type(&self) -> cl_device_type {
        match self.info().kind {
            info::DeviceKind::Gpu => CL_DEVICE_TYPE_GPU,
            info::DeviceKind::Cpu => CL_DEVICE_TYPE_CPU,
            info::DeviceKind::Accelerator => CL_DEVICE_TYPE_ACCELERATOR,
        }
    }
    /// Whether the device works. False once it is lost.
    pub fn available(&self) -> bool {
        self.ops.available()
    }
    /// The extensions that the device reports.
    pub fn extensions(&self) -> &[&'static Feature] {
        &self.extensions
    }
    /// Whether the device reports the extension `name`.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|f| f.name == name)
    }
    /// CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: the properties of command buffers that updates can
    /// change.
    pub(crate) fn mutable_dispatch_capabilities(&self) -> cl_mutable_dispatch_fields_khr {
        CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
            | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
            | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
            | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
            // clSetKernelExecInfo concerns memory that kernels access by address.
            | if self.info().buffer_addresses { CL_MUTABLE_DISPATCH_EXEC_INFO_KHR } else { 0 }
    }
    /// Optional features of OpenCL C that the device reports, by macro name.
    pub fn c_features(&self) -> &[&'static Feature] {
        &self.c_features
    }
    /// Configuration of the compiler's front end for this device: exactly what the device reports.
    pub fn front_config(&self) -> FrontConfig {
        let language = self.extensions.iter().filter(|f| f.language);
        FrontConfig {
            front_end: compiler::front_end(),
            clang: Config::get().clang.clone().unwrap_or_default(),
            clang_args: Config::get().clang_args.clone(),
            extensions: language.chain(&self.c_features).map(|f| f.name.to_string()).collect(),
            image_support: self.info().images,
            embedded_profile: !minimum::is_full(self.info()),
            opencl_version: features::VERSION.0 * 100 + features::VERSION.1 * 10,
            instrumented: self.ops().target().is_instrumented(),
        }
    }
}
