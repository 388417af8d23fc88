//! Vulkan compute devices.
//!
//! A probe finds every acceptable physical device of the process's only instance. The first context opens the
//! device, or the probe if facts about it are unknown (`opening`); it stays open for the life of the process
//! (`core::gpu::Gpu` is leaked): commands, memory and threads refer to it without counting. Work goes
//! `queue` -> `record` -> one `vkQueueSubmit2`; completions come back through `reaper`.

mod core;
mod device;
mod memory;
mod opening;
mod program;
mod submit;
mod trial_facts;

#[cfg(test)]
use self::core::instance::validation_messages;

use super::traits::{DeviceDriver, DeviceOps};
use crate::config::Config;
use std::sync::Arc;

/// The Vulkan kind of device.
pub struct VulkanDriver;

/// The driver's one value, for the table of device kinds.
pub static DRIVER: VulkanDriver = VulkanDriver;

impl DeviceDriver for VulkanDriver {
    fn name(&self) -> &'static str {
        "vulkan"
    }

    fn probe(&self, config: &Config) -> Vec<Arc<dyn DeviceOps>> {
        let Some(instance) = core::instance::get(config.validates("vulkan")) else { return Vec::new() };
        // SAFETY: the instance is never destroyed.
        let physical = match unsafe { instance.raw.enumerate_physical_devices() } {
            Ok(list) => list,
            Err(e) => {
                tracing::warn!("vkEnumeratePhysicalDevices: {e:?}");
                return Vec::new();
            }
        };
        let mut devices: Vec<Arc<dyn DeviceOps>> = Vec::new();
        for p in physical {
            let found = core::adapter::Adapter::open(instance, p, config)
                .and_then(|a| device::VulkanDevice::new(instance, a).map_err(|e| e.to_string()));
            match found {
                Ok(device) => devices.push(Arc::new(device)),
                Err(why) => tracing::info!("Vulkan device not used: {why}"),
            }
        }
        devices
    }
}

#[cfg(test)]
mod tests;
