//! The two devices of a paired device.

use crate::device::traits::DeviceOps;
use std::sync::Arc;

/// One of the two devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Primary = 0,
    Secondary = 1,
}

/// The two devices.
pub struct Pair {
    devices: [Arc<dyn DeviceOps>; 2],
    /// Whether the secondary device supports images that the primary one lacks.
    pub gains_images: bool,
}

impl Pair {
    /// The devices, the primary one first.
    pub fn new(devices: [Arc<dyn DeviceOps>; 2], gains_images: bool) -> Pair {
        Pair { devices, gains_images }
    }
    /// One of the devices.
    pub fn ops(&self, side: Side) -> &Arc<dyn DeviceOps> {
        &self.devices[side as usize]
    }
    /// Both, in the order of [`Side`].
    pub fn all(&self) -> &[Arc<dyn DeviceOps>] {
        &self.devices
    }
}
