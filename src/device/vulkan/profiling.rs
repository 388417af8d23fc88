//! Device time: conversion of timestamp ticks to nanoseconds, and its relation to the host's monotonic clock.
//!
//! With VK_KHR/EXT_calibrated_timestamps both clocks are read together. Without it the device clock cannot be read from
//! the host; then times of the device are shifted to the host's clock by one measurement made at opening (0 offset until
//! a timestamp has been seen), and [`Clock::now`] reports host time for both.

use super::super::traits::{DeviceError, Result};
use super::adapter::Adapter;
use super::conv::Context;
use super::instance::Instance;
use ash::vk;

/// The device's clock.
pub struct Clock {
    read: Option<vk::PFN_vkGetCalibratedTimestampsKHR>,
    /// Nanoseconds per tick as a 32.32 fixed-point number.
    scale: u128,
    mask: u64,
}

impl Clock {
    /// Finds how to read the clocks.
    pub fn new(instance: &Instance, a: &Adapter, device: &ash::Device) -> Clock {
        let period = f64::from(a.props.limits.timestamp_period);
        let mask = if a.timestamp_bits >= 64 { u64::MAX } else { (1u64 << a.timestamp_bits) - 1 };
        Clock { read: reader(instance, a, device), scale: (period * (1u64 << 32) as f64) as u128, mask }
    }

    /// Nanoseconds of a tick count.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        ((u128::from(ticks & self.mask) * self.scale) >> 32) as u64
    }

    /// The device writes timestamps.
    pub fn has_timestamps(&self) -> bool {
        self.mask != 0
    }

    /// (device, host) nanoseconds, taken together.
    pub fn now(&self, device: &ash::Device) -> Result<(u64, u64)> {
        let Some(read) = self.read else {
            let host = host_now()?;
            return Ok((host, host));
        };
        let domains = [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC];
        let infos = domains.map(|d| vk::CalibratedTimestampInfoKHR::default().time_domain(d));
        let mut stamps = [0u64; 2];
        let mut deviation = 0;
        // SAFETY: both arrays have two elements and both domains are supported (checked when `read` was found).
        unsafe { read(device.handle(), 2, infos.as_ptr(), stamps.as_mut_ptr(), &mut deviation) }
            .result()
            .during("vkGetCalibratedTimestamps")?;
        Ok((self.nanoseconds(stamps[0]), stamps[1]))
    }
}

fn reader(instance: &Instance, a: &Adapter, device: &ash::Device) -> Option<vk::PFN_vkGetCalibratedTimestampsKHR> {
    let khr = a.ext.has(ash::khr::calibrated_timestamps::NAME);
    if a.timestamp_bits == 0 || (!khr && !a.ext.has(ash::ext::calibrated_timestamps::NAME)) {
        return None;
    }
    let entry = &instance.entry;
    // SAFETY: the extension is offered by the physical device, which the query needs.
    let domains = unsafe {
        if khr {
            ash::khr::calibrated_timestamps::Instance::new(entry, &instance.raw)
                .get_physical_device_calibrateable_time_domains(a.physical)
        } else {
            ash::ext::calibrated_timestamps::Instance::new(entry, &instance.raw)
                .get_physical_device_calibrateable_time_domains(a.physical)
        }
    }
    .ok()?;
    if !domains.contains(&vk::TimeDomainKHR::DEVICE) || !domains.contains(&vk::TimeDomainKHR::CLOCK_MONOTONIC) {
        return None;
    }
    Some(if khr {
        ash::khr::calibrated_timestamps::Device::new(&instance.raw, device).fp().get_calibrated_timestamps_khr
    } else {
        ash::ext::calibrated_timestamps::Device::new(&instance.raw, device).fp().get_calibrated_timestamps_ext
    })
}

/// CLOCK_MONOTONIC in nanoseconds.
pub fn host_now() -> Result<u64> {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid place for the answer.
    if unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) } != 0 {
        return Err(DeviceError::Unexpected("clock_gettime failed".into()));
    }
    Ok(t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64)
}
