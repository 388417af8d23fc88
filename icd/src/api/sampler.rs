//! Entry points of samplers.

use crate::convert::properties;
use crate::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::sampler::Sampler;
use std::ffi::c_void;

impl HandleTarget for _cl_sampler {
    type Object = Sampler;
}

entry! { fn clCreateSampler(
    context: cl_context, normalized: cl_bool, addressing: cl_addressing_mode, filter: cl_filter_mode;
    errcode_ret
) -> cl_sampler {
    Ok(cl_sampler::publish(Sampler::new(&context.arc()?, normalized, addressing, filter)?))
} }

entry! { fn clCreateSamplerWithProperties(
    context: cl_context, sampler_properties: *const cl_sampler_properties; errcode_ret
) -> cl_sampler {
    let context = context.arc()?;
    let list = properties(sampler_properties)?;
    let raw = (!sampler_properties.is_null()).then_some(list.raw);
    Ok(cl_sampler::publish(Sampler::with_properties(&context, &list.pairs, raw)?))
} }

entry! { fn clRetainSampler(sampler: cl_sampler) -> cl_int { sampler.retain() } }

entry! { fn clReleaseSampler(sampler: cl_sampler) -> cl_int { sampler.release() } }

entry! { fn clGetSamplerInfo(
    sampler: cl_sampler, param_name: cl_sampler_info, size: usize, value: *mut c_void, size_ret: *mut usize
) -> cl_int {
    let object = sampler.get()?;
    let answer: InfoValue = match param_name {
        CL_SAMPLER_REFERENCE_COUNT => sampler.reference_count()?.into(),
        CL_SAMPLER_CONTEXT => cl_context::of(&object.context).into(),
        CL_SAMPLER_NORMALIZED_COORDS => object.normalized.into(),
        CL_SAMPLER_ADDRESSING_MODE => object.addressing.into(),
        CL_SAMPLER_FILTER_MODE => object.filter.into(),
        CL_SAMPLER_MIP_FILTER_MODE_KHR => object.levels.filter.into(),
        CL_SAMPLER_LOD_MIN_KHR => object.levels.min.to_bits().into(),
        CL_SAMPLER_LOD_MAX_KHR => object.levels.max.to_bits().into(),
        CL_SAMPLER_PROPERTIES => object.properties.clone().map_or(InfoValue::Empty, InfoValue::from),
        other => return Err(info::unknown("clGetSamplerInfo", other)),
    };
    info::write(answer, size, value, size_ret)
} }
