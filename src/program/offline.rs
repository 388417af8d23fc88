//! Compilation without a device: the front end's settings for [`Target::generic`].

use crate::device::info::{DeviceInfo, ImageFacts};
use crate::device::{features, minimum};
use clspv_bridge::options::FrontConfig;

#[allow(unused_imports)] // for the link above
use clspv_bridge::Target;

/// Front-end settings of a device with all optional features of the generic target.
pub fn generic_front_config() -> FrontConfig {
    let image = ImageFacts { max_read_write_args: 1, ..minimum::least_images() };
    let facts = DeviceInfo {
        fp16: true,
        fp64: true,
        int64_atomics: true,
        images: true,
        image,
        little_endian: true,
        ..minimum::least()
    };
    let language = features::EXTENSIONS.iter().filter(|f| f.language && !f.platform_only);
    let enabled = language.chain(features::C_FEATURES).filter(|f| (f.when)(&facts));
    let config = crate::config::Config::get();
    FrontConfig {
        front_end: crate::device::compiler::front_end(),
        clang: config.clang.clone().unwrap_or_default(),
        clang_args: config.clang_args.clone(),
        extensions: enabled.map(|f| f.name.to_string()).collect(),
        image_support: facts.images,
        embedded_profile: false,
        opencl_version: features::VERSION.0 * 100 + features::VERSION.1 * 10,
        instrumented: false,
    }
}
