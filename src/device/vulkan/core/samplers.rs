//! Samplers for reads by texture units: one of each kind, created when a launch first needs it and never
//! destroyed.
//!
//! Lock: the list, also held while a sampler is created.

use super::gpu::Gpu;
use crate::device::traits::DeviceResult;
use ash::vk;
use clspv_bridge::abi::sampler;
use parking_lot::Mutex;

/// Created samplers by number ([`sampler::for_texture_unit`]); others are null.
#[derive(Default)]
pub struct Samplers {
    made: Mutex<[vk::Sampler; 32]>,
}

impl Gpu {
    /// The sampler with a linear filter that [`sampler::for_texture_unit`] numbers so.
    pub fn sampler(&self, number: u8) -> DeviceResult<vk::Sampler> {
        let made = &mut self.samplers.made.lock()[usize::from(number) % 32];
        if *made == vk::Sampler::null() {
            *made = self.new_sampler(&description(number))?;
        }
        Ok(*made)
    }
}

fn description(number: u8) -> vk::SamplerCreateInfo<'static> {
    let mode = match u32::from(number) & sampler::ADDRESS {
        sampler::CLAMP => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        sampler::REPEAT => vk::SamplerAddressMode::REPEAT,
        sampler::MIRRORED_REPEAT => vk::SamplerAddressMode::MIRRORED_REPEAT,
        _ => vk::SamplerAddressMode::CLAMP_TO_EDGE,
    };
    vk::SamplerCreateInfo::default()
        .mag_filter(vk::Filter::LINEAR)
        .min_filter(vk::Filter::LINEAR)
        .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
        .address_mode_u(mode)
        .address_mode_v(mode)
        .address_mode_w(mode)
        .border_color(vk::BorderColor::FLOAT_TRANSPARENT_BLACK)
        .unnormalized_coordinates(u32::from(number) & sampler::NORMALIZED == 0)
}
