//! Samplers. For kernels a sampler is a word of flags (`clspv_bridge::abi::sampler`).

use crate::cl::*;
use crate::context::Context;
use crate::err;
use crate::error::Result;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use clspv_bridge::abi::sampler as bits;
use std::sync::Arc;

/// A sampler object.
pub struct Sampler {
    slot: ApiSlot,
    pub context: Arc<Context>,
    pub normalized: bool,
    pub addressing: cl_addressing_mode,
    pub filter: cl_filter_mode,
    pub levels: Levels,
    /// CL_SAMPLER_PROPERTIES; `None` if created without a list.
    pub properties: Option<Vec<cl_sampler_properties>>,
}

/// Selection of mip levels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Levels {
    /// CL_SAMPLER_MIP_FILTER_MODE_KHR.
    pub filter: cl_filter_mode,
    /// CL_SAMPLER_LOD_MIN_KHR.
    pub min: f32,
    /// CL_SAMPLER_LOD_MAX_KHR.
    pub max: f32,
}

impl Default for Levels {
    fn default() -> Self {
        Levels { filter: CL_FILTER_NEAREST, min: 0.0, max: f32::MAX }
    }
}

impl ApiObject for Sampler {
    const KIND: ObjectKind = ObjectKind::Sampler;
    const INVALID: cl_int = CL_INVALID_SAMPLER;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl Sampler {
    /// clCreateSampler.
    pub fn new(
        context: &Arc<Context>,
        normalized: cl_bool,
        addressing: cl_addressing_mode,
        filter: cl_filter_mode,
    ) -> Result<Arc<Sampler>> {
        Sampler::make(context, normalized, addressing, filter, Levels::default(), None)
    }

    /// clCreateSamplerWithProperties, from pairs of names and values. `list` is the list as passed, if there
    /// was one.
    pub fn with_properties(
        context: &Arc<Context>,
        pairs: &[(cl_sampler_properties, cl_sampler_properties)],
        list: Option<Vec<cl_sampler_properties>>,
    ) -> Result<Arc<Sampler>> {
        let (mut normalized, mut addressing, mut filter) = (None, None, None);
        let (mut level_filter, mut min, mut max) = (None, None, None);
        // Properties of cl_khr_mipmap_image are known if a device supports it.
        let has_levels = context.devices().iter().any(|d| d.info().image.levels);
        for &(name, value) in pairs {
            let slot = match u32::try_from(name) {
                Ok(CL_SAMPLER_NORMALIZED_COORDS) => &mut normalized,
                Ok(CL_SAMPLER_ADDRESSING_MODE) => &mut addressing,
                Ok(CL_SAMPLER_FILTER_MODE) => &mut filter,
                Ok(CL_SAMPLER_MIP_FILTER_MODE_KHR) if has_levels => &mut level_filter,
                Ok(CL_SAMPLER_LOD_MIN_KHR) if has_levels => &mut min,
                Ok(CL_SAMPLER_LOD_MAX_KHR) if has_levels => &mut max,
                _ => return Err(err!(CL_INVALID_VALUE, "unknown sampler property {name:#x}")),
            };
            // CL_INVALID_VALUE: a property is given twice, or its value does not fit the type.
            let value = u32::try_from(value).ok().filter(|_| slot.is_none());
            *slot = Some(value.ok_or_else(|| err!(CL_INVALID_VALUE, "sampler property {name:#x}"))?);
        }
        let addressing = addressing.unwrap_or(CL_ADDRESS_CLAMP);
        let default = Levels::default();
        let levels = Levels {
            filter: level_filter.unwrap_or(default.filter),
            min: min.map_or(default.min, f32::from_bits),
            max: max.map_or(default.max, f32::from_bits),
        };
        // CL_INVALID_VALUE: a limit is not a number, or the mode is undefined.
        if levels.min.is_nan()
            || levels.max.is_nan()
            || !matches!(levels.filter, CL_FILTER_NEAREST | CL_FILTER_LINEAR)
        {
            return Err(err!(CL_INVALID_VALUE, "levels of detail of a sampler: {levels:?}"));
        }
        let filter = filter.unwrap_or(CL_FILTER_NEAREST);
        Sampler::make(context, normalized.unwrap_or(CL_TRUE), addressing, filter, levels, list)
    }

    fn make(
        context: &Arc<Context>,
        normalized: cl_bool,
        addressing: cl_addressing_mode,
        filter: cl_filter_mode,
        levels: Levels,
        properties: Option<Vec<cl_sampler_properties>>,
    ) -> Result<Arc<Sampler>> {
        if !context.devices().iter().any(|d| d.info().images) {
            return Err(err!(CL_INVALID_OPERATION, "no device of the context supports images"));
        }
        // CL_INVALID_VALUE: undefined modes, or a flag that is not a cl_bool.
        let modes =
            addressing_bits(addressing).is_some() && matches!(filter, CL_FILTER_NEAREST | CL_FILTER_LINEAR);
        if !modes || normalized > CL_TRUE {
            return Err(err!(CL_INVALID_VALUE, "addressing mode {addressing:#x}, filter mode {filter:#x}"));
        }
        let (context, slot) = (context.clone(), ApiSlot::new());
        Ok(Arc::new(Sampler {
            slot,
            context,
            normalized: normalized != 0,
            addressing,
            filter,
            levels,
            properties,
        }))
    }

    /// The sampler's word for kernels.
    pub fn word(&self) -> u32 {
        let normalized = if self.normalized { bits::NORMALIZED } else { 0 };
        let linear = if self.filter == CL_FILTER_LINEAR { bits::LINEAR } else { 0 };
        let between = if self.levels.filter == CL_FILTER_LINEAR { bits::LEVELS_LINEAR } else { 0 };
        // The conversion saturates; negative numbers limit like 0.
        let limit = |lod: f32| ((lod * 256.0).round() as u32).min(bits::LOD_LIMIT);
        let (min, max) = (limit(self.levels.min), bits::LOD_LIMIT - limit(self.levels.max));
        let limits = min << bits::LOD_MIN_SHIFT | max << bits::LOD_MAX_SHIFT;
        addressing_bits(self.addressing).unwrap_or_default() | normalized | linear | between | limits
    }
}

fn addressing_bits(mode: cl_addressing_mode) -> Option<u32> {
    Some(match mode {
        CL_ADDRESS_NONE => bits::ADDRESS_NONE,
        CL_ADDRESS_CLAMP_TO_EDGE => bits::CLAMP_TO_EDGE,
        CL_ADDRESS_CLAMP => bits::CLAMP,
        CL_ADDRESS_REPEAT => bits::REPEAT,
        CL_ADDRESS_MIRRORED_REPEAT => bits::MIRRORED_REPEAT,
        _ => return None,
    })
}
