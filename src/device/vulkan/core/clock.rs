//! Device time: conversion of timestamp ticks to nanoseconds, and the offset to the host's monotonic clock.
//!
//! With VK_KHR/EXT_calibrated_timestamps both clocks are sampled together, which is slow:
//! [`Clock::device_now`] converts the host's time by an offset and a drift that are renewed before the
//! result can be wrong by much. Without the extension the host cannot read the device clock: the host's time
//! is returned for both, and command times are good for durations only.

use super::adapter::Adapter;
use super::conv::VkResultExt;
use super::instance::Instance;
use crate::clock;
use crate::device::traits::{DeviceError, DeviceResult};
use ash::vk;
use parking_lot::Mutex;

/// Age in nanoseconds at which the offset between the clocks is renewed: they drift by less than 50 ppm. The
/// age doubles up to the second one while the drift predicts the next offset well.
const RENEW: (u64, u64) = (20_000_000, 640_000_000);
/// 100 ppm as a 32.32 fixed-point number: clocks that drift by more were set.
const MOST_DRIFT: u64 = (1 << 32) / 10_000;
/// Error in nanoseconds of a good prediction.
const GOOD: u64 = 1_500;
/// Number of samples in each order of the clocks, of which the best is used.
const READINGS: usize = 3;

/// The device's clock.
pub struct Clock {
    read: Option<vk::PFN_vkGetCalibratedTimestampsKHR>,
    /// Nanoseconds per tick as a 32.32 fixed-point number.
    scale: u128,
    mask: u64,
    offset: Mutex<Option<Offset>>,
}

/// Device time minus host time, and its drift.
#[derive(Clone, Copy, Debug)]
struct Offset {
    /// Host time of the sample.
    at: u64,
    ahead: u64,
    /// Change per nanosecond, as a 32.32 fixed-point number.
    drift: i64,
    /// Age at which it is renewed.
    lasts: u64,
}

impl Offset {
    /// The first one, whose drift is not known.
    fn first(at: u64, ahead: u64) -> Offset {
        Offset { at, ahead, drift: 0, lasts: RENEW.0 }
    }

    /// Device time minus host time.
    fn ahead(&self, now: u64) -> u64 {
        let drifted = (i128::from(now.wrapping_sub(self.at)) * i128::from(self.drift)) >> 32;
        self.ahead.wrapping_add(drifted as u64)
    }

    /// The next one, from a later sample.
    fn next(&self, at: u64, ahead: u64) -> Offset {
        let (age, change) = (at.wrapping_sub(self.at).max(1), ahead.wrapping_sub(self.ahead) as i64);
        let wrong = (self.ahead(at).wrapping_sub(ahead) as i64).unsigned_abs();
        let lasts = if wrong <= GOOD { (self.lasts * 2).min(RENEW.1) } else { RENEW.0 };
        let drift = ((i128::from(change) << 32) / i128::from(age)) as i64;
        Offset { at, ahead, drift: if drift.unsigned_abs() < MOST_DRIFT { drift } else { 0 }, lasts }
    }
}

impl Clock {
    /// Determines how to read the clocks.
    pub fn new(instance: &Instance, a: &Adapter, device: &ash::Device) -> Clock {
        let period = f64::from(a.props.limits.timestamp_period);
        let mask = if a.timestamp_bits >= 64 { u64::MAX } else { (1u64 << a.timestamp_bits) - 1 };
        let scale = (period * (1u64 << 32) as f64) as u128;
        Clock { read: reader(instance, a, device), scale, mask, offset: Mutex::new(None) }
    }

    /// Converts ticks to nanoseconds.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        ((u128::from(ticks & self.mask) * self.scale) >> 32) as u64
    }

    /// Whether the device writes timestamps.
    pub fn has_timestamps(&self) -> bool {
        self.mask != 0
    }

    /// (device, host) nanoseconds, sampled together.
    pub fn now(&self, device: &ash::Device) -> DeviceResult<(u64, u64)> {
        self.read_both(device, true).map(|(device, host, _)| (device, host))
    }

    /// Current device time, computed from the host's clock.
    pub fn device_now(&self, device: &ash::Device) -> DeviceResult<u64> {
        if self.read.is_none() {
            return host_now();
        }
        let mut offset = self.offset.lock();
        let now = host_now()?;
        if let Some(known) = offset.filter(|o| now.wrapping_sub(o.at) < o.lasts) {
            return Ok(now.wrapping_add(known.ahead(now)));
        }
        // A driver reads one clock microseconds after the other; the two orders err in opposite directions.
        let (one, two) = (self.best_offset(device, true)?, self.best_offset(device, false)?);
        let ahead = one.wrapping_add((two.wrapping_sub(one) as i64 / 2) as u64);
        tracing::trace!("clock offsets by order of reading: {} ns apart", two.wrapping_sub(one) as i64);
        *offset = Some(offset.map_or_else(|| Offset::first(now, ahead), |old| old.next(now, ahead)));
        Ok(host_now()?.wrapping_add(ahead))
    }

    /// Device time minus host time, the best of a few samples.
    fn best_offset(&self, device: &ash::Device, device_first: bool) -> DeviceResult<u64> {
        let mut best = self.read_both(device, device_first)?;
        for _ in 1..READINGS {
            let next = self.read_both(device, device_first)?;
            if next.2 < best.2 {
                best = next;
            }
        }
        Ok(best.0.wrapping_sub(best.1))
    }

    /// (device, host) nanoseconds and the maximum deviation between the samples.
    fn read_both(&self, device: &ash::Device, device_first: bool) -> DeviceResult<(u64, u64, u64)> {
        let Some(read) = self.read else {
            let host = host_now()?;
            return Ok((host, host, 0));
        };
        let mut domains = [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC];
        if !device_first {
            domains.reverse();
        }
        let infos = domains.map(|d| vk::CalibratedTimestampInfoKHR::default().time_domain(d));
        let mut stamps = [0u64; 2];
        let mut deviation = 0;
        // SAFETY: both arrays have two elements and both domains are supported (checked when `read` was
        // found).
        unsafe { read(device.handle(), 2, infos.as_ptr(), stamps.as_mut_ptr(), &mut deviation) }
            .result()
            .during("vkGetCalibratedTimestamps")?;
        if !device_first {
            stamps.reverse();
        }
        Ok((self.nanoseconds(stamps[0]), stamps[1], deviation))
    }
}

fn reader(
    instance: &Instance,
    a: &Adapter,
    device: &ash::Device,
) -> Option<vk::PFN_vkGetCalibratedTimestampsKHR> {
    let khr = !a.ext.has(ash::ext::calibrated_timestamps::NAME);
    if a.timestamp_bits == 0 || (khr && !a.ext.has(ash::khr::calibrated_timestamps::NAME)) {
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
    if !domains.contains(&vk::TimeDomainKHR::DEVICE) || !domains.contains(&vk::TimeDomainKHR::CLOCK_MONOTONIC)
    {
        return None;
    }
    Some(if khr {
        ash::khr::calibrated_timestamps::Device::new(&instance.raw, device).fp().get_calibrated_timestamps_khr
    } else {
        ash::ext::calibrated_timestamps::Device::new(&instance.raw, device).fp().get_calibrated_timestamps_ext
    })
}

/// CLOCK_MONOTONIC in nanoseconds.
pub fn host_now() -> DeviceResult<u64> {
    match clock::now() {
        0 => Err(DeviceError::Unexpected("clock_gettime failed".into())),
        now => Ok(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Device time minus host time of clocks that drift by 30 ppm, sampled with an error of up to 0.6 us.
    fn sample(at: u64) -> u64 {
        let error = [0, 500, 200, 600][(at / 7 % 4) as usize];
        (5_000_000_000 - at * 30 / 1_000_000 + error).wrapping_sub(9_000_000_000)
    }

    #[test]
    fn offsets_are_renewed_less_often_while_the_drift_predicts_them() {
        let mut offset = Offset::first(1_000_000, sample(1_000_000));
        let mut renewals = 0;
        for now in (1_000_000..4_000_000_000).step_by(1_000_003) {
            if now - offset.at >= offset.lasts {
                (offset, renewals) = (offset.next(now, sample(now)), renewals + 1);
            }
            let wrong = (offset.ahead(now).wrapping_sub(sample(now)) as i64).abs();
            assert!(wrong < 3_000, "{wrong} ns at {now}, {offset:?}");
        }
        assert!(renewals < 16, "{renewals}");
    }

    #[test]
    fn a_clock_that_is_set_does_not_count_as_drift() {
        let mut offset = Offset::first(0, 100);
        for at in [20_000_000, 40_000_000, 80_000_000] {
            offset = offset.next(at, 100);
        }
        assert_eq!((offset.lasts, offset.drift), (160_000_000, 0));
        offset = offset.next(240_000_000, 100_000);
        assert_eq!((offset.lasts, offset.drift), (RENEW.0, 0));
    }
}
