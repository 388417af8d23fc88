//! Workarounds for drivers and devices that compute, round, flush or load differently than OpenCL requires.

pub mod expand_copysign;
pub mod expand_division;
pub mod expand_rotations;
pub mod expand_rounding;
pub mod flush_denorms;
pub mod flushed_div;
pub mod guard_lanes;
pub mod guard_loads;
pub mod wide_loads;
