//! The platform: one per process, created at its first use and never destroyed. Its devices are enumerated
//! when they are first queried.

use crate::cl::*;
use crate::config::Config;
use crate::device::{Device, features, registry, svm_types};
use crate::err;
use crate::error::Result;
use crate::info::InfoValue;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use std::sync::{Arc, OnceLock};

/// The OpenCL platform.
pub struct Platform {
    slot: ApiSlot,
    devices: OnceLock<Vec<Arc<Device>>>,
}

impl ApiObject for Platform {
    const KIND: ObjectKind = ObjectKind::Platform;
    const INVALID: cl_int = CL_INVALID_PLATFORM;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

/// The driver's version after a mark by which `pyroclast install` finds it in the bytes of the library.
const VERSION_MARK: &str = concat!("pyroclast-driver-version=", env!("CARGO_PKG_VERSION"), "\n");

/// CL_PLATFORM_VERSION and CL_DEVICE_VERSION.
pub fn version_text() -> String {
    // `black_box` keeps the optimiser from shortening the text.
    let version = std::hint::black_box(VERSION_MARK).split(['=', '\n']).nth(1).unwrap_or_default();
    format!("OpenCL {}.{} Pyroclast {version}", features::VERSION.0, features::VERSION.1)
}

impl Platform {
    /// The platform of this process.
    pub fn get() -> &'static Arc<Platform> {
        static PLATFORM: OnceLock<Arc<Platform>> = OnceLock::new();
        PLATFORM.get_or_init(|| {
            Config::get();
            Arc::new(Platform { slot: ApiSlot::new(), devices: OnceLock::new() })
        })
    }

    /// Its devices; the first is the default device.
    pub fn devices(&self) -> &[Arc<Device>] {
        self.devices.get_or_init(|| {
            let devices = registry::probe(Config::get());
            tracing::info!(
                count = devices.len(),
                "devices: {:?}",
                devices.iter().map(|d| &d.info().name).collect::<Vec<_>>()
            );
            devices
        })
    }

    /// The devices of a set of types. CL_INVALID_DEVICE_TYPE if the set is empty, CL_DEVICE_NOT_FOUND if
    /// there are none. Unknown bits beside known ones are ignored: applications sign-extend the 32-bit
    /// CL_DEVICE_TYPE_ALL.
    pub fn devices_of_type(&self, device_type: cl_device_type) -> Result<Vec<Arc<Device>>> {
        const KNOWN: cl_device_type = CL_DEVICE_TYPE_DEFAULT
            | CL_DEVICE_TYPE_CPU
            | CL_DEVICE_TYPE_GPU
            | CL_DEVICE_TYPE_ACCELERATOR
            | CL_DEVICE_TYPE_CUSTOM;
        // CL_INVALID_DEVICE_TYPE: no known type.
        if device_type & KNOWN == 0 {
            return Err(err!(CL_INVALID_DEVICE_TYPE, "{device_type:#x}"));
        }
        let is_chosen = |(index, device): &(usize, &Arc<Device>)| {
            device.device_type() & device_type != 0
                || (*index == 0 && device_type & CL_DEVICE_TYPE_DEFAULT != 0)
        };
        let chosen: Vec<_> =
            self.devices().iter().enumerate().filter(is_chosen).map(|(_, d)| d.clone()).collect();
        if chosen.is_empty() { Err(err!(CL_DEVICE_NOT_FOUND)) } else { Ok(chosen) }
    }

    /// Names and versions of the platform's extensions: its own, and those supported by all of its devices.
    fn extensions(&self) -> Vec<(String, cl_version)> {
        let devices = self.devices();
        let everywhere = |f: &&features::Feature| {
            f.platform_only || (!devices.is_empty() && devices.iter().all(|d| d.has_extension(f.name)))
        };
        features::EXTENSIONS.iter().filter(everywhere).map(|f| (f.name.to_string(), f.version)).collect()
    }

    /// Elements common to the answers of all devices to a query of a list.
    fn in_common(&self, name: cl_device_info) -> Result<InfoValue> {
        let mut common: Option<Vec<u32>> = None;
        for device in self.devices() {
            let InfoValue::U32s(list) = device.query(name)? else { continue };
            common = Some(match common {
                Some(mut before) => {
                    before.retain(|v| list.contains(v));
                    before
                }
                None => list,
            });
        }
        Ok(common.unwrap_or_default().into())
    }

    /// Answers clGetPlatformInfo; CL_INVALID_VALUE for an unknown parameter.
    pub fn query(&self, name: cl_platform_info) -> Result<InfoValue> {
        Ok(match name {
            CL_PLATFORM_PROFILE => "FULL_PROFILE".into(),
            CL_PLATFORM_VERSION => version_text().into(),
            CL_PLATFORM_NUMERIC_VERSION => make_version(features::VERSION.0, features::VERSION.1, 0).into(),
            CL_PLATFORM_NAME => "Pyroclast".into(),
            CL_PLATFORM_VENDOR => "Pyroclast".into(),
            CL_PLATFORM_EXTENSIONS => {
                self.extensions().into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ").into()
            }
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => InfoValue::NameVersions(self.extensions()),
            // In nanoseconds; 0 if a device cannot report its time and the host's together.
            CL_PLATFORM_HOST_TIMER_RESOLUTION => {
                let devices = self.devices();
                u64::from(!devices.is_empty() && devices.iter().all(|d| d.ops().timestamps().is_ok())).into()
            }
            CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => {
                self.in_common(CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR)?
            }
            CL_PLATFORM_SEMAPHORE_TYPES_KHR => vec![CL_SEMAPHORE_TYPE_BINARY_KHR].into(),
            CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR => {
                self.in_common(CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR)?
            }
            CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
                self.in_common(CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR)?
            }
            CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR => (CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR
                | CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR)
                .into(),
            // cl_khr_unified_svm.
            CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR => {
                let sharing = || self.devices().iter().map(|d| d.info().sharing);
                InfoValue::U64s(
                    svm_types::listed(sharing()).map(|t| svm_types::common(t, sharing())).collect(),
                )
            }
            CL_PLATFORM_ICD_SUFFIX_KHR => "PYRO".into(),
            other => return Err(err!(CL_INVALID_VALUE, "clGetPlatformInfo has no parameter {other:#x}")),
        })
    }
}
