//! OpenCL vocabulary without behaviour: types, constants and error names under their C names.
//!
//! The `autogen_*` files come from the registry (`cargo xtask gen-cl`).

pub(crate) mod autogen_consts;
pub(crate) mod autogen_errors;
pub(crate) mod autogen_types;
pub(crate) mod flags;
pub mod image;
pub mod ndrange;
pub(crate) mod region;

pub use autogen_consts::*;
pub use autogen_errors::error_name;
pub use autogen_types::*;

/// Packs a version as cl_version does: 10 bits major, 10 bits minor, 12 bits patch.
pub const fn make_version(major: u32, minor: u32, patch: u32) -> cl_version {
    ((major & 0x3ff) << 22) | ((minor & 0x3ff) << 12) | (patch & 0xfff)
}

/// A cl_name_version; a name longer than 63 bytes is cut.
pub(crate) fn name_version(name: &str, version: cl_version) -> cl_name_version {
    let mut out = cl_name_version { version, name: [0; 64] };
    for (dst, src) in out.name.iter_mut().take(63).zip(name.bytes()) {
        *dst = src as std::ffi::c_char;
    }
    out
}
