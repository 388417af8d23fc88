//! Fallback to the processor where the host sees the device's memory, which is then used in place.

#[macro_use]
mod fallback;

fallback_suite! { "-float64,-int64_atomics":
    programs: reports, names_what_falls_back, limits, long_loops, variables, binaries, linked, prints,
        neither_has;
    queues: in_order, out_of_order, profiling, failures, command_buffers, command_buffer_updates;
    recorded: several_queues, whole_buffers;
    enqueue: enqueues_in_order, queues_as_arguments, queues_are_reported;
    formats: formats_in_commands, formats_beside_the_processor, lists, names_kernels_of_images,
        launches_are_decided_one_by_one,
        writes_that_the_device_lacks, from_binaries, formats_recorded, images_updated;
    memory: random_commands, beside_the_processor, local_memory, images, image_of_buffer, shared, addresses;
}
