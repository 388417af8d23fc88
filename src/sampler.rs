//! Samplers: how kernels find texels. To a kernel a sampler is a word of flags (`clspv_bridge::abi::sampler`).

use crate::cl::*;
use crate::context::Context;
use crate::err;
use crate::error::Result;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use clspv_bridge::abi::sampler as bits;
use std::sync::Arc;

/// A sampler.
pub struct Sampler {
    slot: ApiSlot,
    pub context: Arc<Context>,
    pub normalized: bool,
    pub addressing: cl_addressing_mode,
    pub filter: cl_filter_mode,
    /// CL_SAMPLER_PROPERTIES; none if made without a list.
    pub properties: Option<Vec<cl_sampler_properties>>,
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
        Sampler::make(context, normalized, addressing, filter, None)
    }

    /// clCreateSamplerWithProperties: pairs of names and values; `list` is what was given, if there was a list.
    pub fn with_properties(
        context: &Arc<Context>,
        pairs: &[(cl_sampler_properties, cl_sampler_properties)],
        list: Option<Vec<cl_sampler_properties>>,
    ) -> Result<Arc<Sampler>> {
        let (mut normalized, mut addressing, mut filter) = (None, None, None);
        for &(name, value) in pairs {
            let slot = match u32::try_from(name) {
                Ok(CL_SAMPLER_NORMALIZED_COORDS) => &mut normalized,
                Ok(CL_SAMPLER_ADDRESSING_MODE) => &mut addressing,
                Ok(CL_SAMPLER_FILTER_MODE) => &mut filter,
                // Every name is known.
                _ => return Err(err!(CL_INVALID_VALUE, "unknown sampler property {name:#x}")),
            };
            // No name is given twice, and values fit their type.
            let value = u32::try_from(value).ok().filter(|_| slot.is_none());
            *slot = Some(value.ok_or_else(|| err!(CL_INVALID_VALUE, "sampler property {name:#x}"))?);
        }
        let addressing = addressing.unwrap_or(CL_ADDRESS_CLAMP);
        Sampler::make(context, normalized.unwrap_or(CL_TRUE), addressing, filter.unwrap_or(CL_FILTER_NEAREST), list)
    }

    fn make(
        context: &Arc<Context>,
        normalized: cl_bool,
        addressing: cl_addressing_mode,
        filter: cl_filter_mode,
        properties: Option<Vec<cl_sampler_properties>>,
    ) -> Result<Arc<Sampler>> {
        // Some device supports images.
        if !context.devices().iter().any(|d| d.info().images) {
            return Err(err!(CL_INVALID_OPERATION, "no device of the context supports images"));
        }
        // Modes and the flag have defined values.
        let modes = addressing_bits(addressing).is_some() && matches!(filter, CL_FILTER_NEAREST | CL_FILTER_LINEAR);
        if !modes || normalized > CL_TRUE {
            return Err(err!(CL_INVALID_VALUE, "addressing mode {addressing:#x}, filter mode {filter:#x}"));
        }
        let (context, slot) = (context.clone(), ApiSlot::new());
        Ok(Arc::new(Sampler { slot, context, normalized: normalized != 0, addressing, filter, properties }))
    }

    /// What kernels are given.
    pub fn word(&self) -> u32 {
        let normalized = if self.normalized { bits::NORMALIZED } else { 0 };
        let linear = if self.filter == CL_FILTER_LINEAR { bits::LINEAR } else { 0 };
        addressing_bits(self.addressing).unwrap_or_default() | normalized | linear
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
