//! The host's processor as a device.
//!
//! Buffers are host memory. A program is machine code (`clspv_bridge::native`); a launch runs work-groups
//! on the thread that executes the queue and, when it is worth it, on the threads of a pool.

mod check;
mod code;
mod device;
mod early;
mod enqueue;
mod events;
mod exec;
mod image;
mod kernel;
mod loaded;
mod on_device_queue;
mod pool;
mod print;
mod queue;
#[cfg(test)]
mod tests;
mod tiers;

use super::traits::{DeviceDriver, DeviceOps};
use crate::config::Config;
use std::sync::Arc;

/// The device kind of the host's processor.
pub struct CpuDriver;

/// The driver's one value, for the table of device kinds.
pub static DRIVER: CpuDriver = CpuDriver;

impl DeviceDriver for CpuDriver {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn probe(&self, config: &Config) -> Vec<Arc<dyn DeviceOps>> {
        let Some(generators) = super::compiler::cpu_generators() else {
            tracing::info!("CPU device not used: there is no code generator (PYROCLAST_CPU_CODE)");
            return Vec::new();
        };
        let (checks, unknown) = check::Checks::named(&config.check);
        for word in unknown {
            tracing::warn!("PYROCLAST_CHECK: there is no check '{word}'");
        }
        let reports = check::report::Reports::new(config.check_log.clone());
        let checker = check::Checker::new(checks, reports);
        vec![Arc::new(device::CpuDevice::new(checker, &config.hidden_features, generators))]
    }
}
