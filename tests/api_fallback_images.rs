//! Fallback to the processor where the device has no images at all.

#[macro_use]
mod fallback;

fallback_suite! { "-images,-float64":
    formats: formats_in_commands, formats_beside_the_processor, lists, from_binaries, formats_recorded,
        images_updated;
    memory: image_of_buffer;
}
