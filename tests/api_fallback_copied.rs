//! Fallback to the processor where the host does not see the device's memory: contents are copied between the
//! two.

#[macro_use]
mod fallback;

fallback_suite! { "-float64,-int64_atomics,-mapped_buffers,-host_import,-host_addresses,-placed_memory":
    queues: in_order, out_of_order, command_buffers, command_buffer_updates;
    recorded: several_queues, whole_buffers;
    enqueue: enqueues_in_order, queues_as_arguments;
    formats: formats_in_commands, formats_beside_the_processor, launches_are_decided_one_by_one,
        writes_that_the_device_lacks,
        formats_recorded, images_updated;
    memory: random_commands, beside_the_processor, images, image_of_buffer, shared, addresses;
}
