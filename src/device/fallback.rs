//! Falling back: what a device lacks and the processor does on its behalf, where PYROCLAST_FALLBACK asks for it.
//!
//! Such a device reports what either of the two has. Kernels that it cannot have itself are compiled for the processor
//! (`program::fallback`) and launched there by the device's own queues (`command::fallback`).

use super::info::DeviceInfo;
use super::traits::DeviceOps;
use std::sync::Arc;

pub const DOUBLE: &str = "double precision";
pub const HALF: &str = "half precision";
pub const INT64_ATOMICS: &str = "64-bit atomics";

/// Who helps a device, and what is reported of the two.
pub struct Fallback {
    pub ops: Arc<dyn DeviceOps>,
    pub(super) info: DeviceInfo,
    /// What the device has only by falling back.
    pub gains: Vec<&'static str>,
}

impl Fallback {
    /// A device of these facts that falls back to `ops`.
    pub fn new(own: &DeviceInfo, ops: Arc<dyn DeviceOps>) -> Fallback {
        let (mut info, gains) = merge(own, ops.info());
        let what = if gains.is_empty() { String::new() } else { format!(": {}", gains.join(", ")) };
        info.notes.push(format!("kernels that it cannot run fall back to {}{what}", ops.info().name));
        Fallback { ops, info, gains }
    }
}

/// What either of two devices has, and what the first has only by the other.
fn merge(own: &DeviceInfo, other: &DeviceInfo) -> (DeviceInfo, Vec<&'static str>) {
    let mut info = own.clone();
    let mut gains = Vec::new();
    let mut gain = |own: &mut bool, other: bool, name| {
        if !*own && other {
            *own = true;
            gains.push(name);
        }
    };
    gain(&mut info.fp64, other.fp64, DOUBLE);
    gain(&mut info.fp16, other.fp16, HALF);
    gain(&mut info.int64_atomics, other.int64_atomics, INT64_ATOMICS);
    // What a precision does is up to the device that computes it.
    if !own.fp64 {
        info.denorm64 = other.denorm64;
    }
    if !own.fp16 {
        info.denorm16 = other.denorm16;
    }
    (info, gains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_either_has_is_reported() {
        let own = DeviceInfo { fp16: true, local_mem_size: 7, ..DeviceInfo::default() };
        let other = DeviceInfo { fp16: true, fp64: true, denorm16: true, denorm64: true, local_mem_size: 8, ..own.clone() };
        let (info, gains) = merge(&own, &other);
        assert!(info.fp16 && info.fp64 && !info.int64_atomics);
        assert!(info.denorm64 && !info.denorm16);
        assert_eq!((info.local_mem_size, gains), (7, vec![DOUBLE]));
    }
}
