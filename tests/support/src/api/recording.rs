//! Command buffers of one queue: kernels to record, and the most frequent calls.

use super::command_buffer::*;
use super::rig::*;
use super::*;

pub const SOURCE: &str = "
kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
kernel void mul(global uint *p, uint n) { p[get_global_id(0)] *= n; }
kernel void where_am_i(global uint *p, uint base) {
    p[get_global_id(0)] = base + get_global_offset(0) * 10000 + get_local_size(0) * 100 + get_num_groups(0);
}
kernel void sums(global const uint *src, global uint *dst, local uint *tmp) {
    tmp[get_local_id(0)] = src[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < get_local_size(0); i++) sum += tmp[i];
    dst[get_global_id(0)] = sum;
}
kernel void say(uint n) { printf(\"%u;\", n); }
";

pub const FLAGS: u64 = CL_COMMAND_BUFFER_FLAGS_KHR as u64;
pub const FIELDS: u64 = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR as u64;
pub const ASSERTS: u64 = CL_MUTABLE_DISPATCH_ASSERTS_KHR as u64;
pub const BUFFER_ASSERTS: u64 = CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR as u64;
pub const NO_MORE_GROUPS: u64 = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;

pub fn create(queue: cl_command_queue, properties: &[u64]) -> Result<cl_command_buffer_khr, cl_int> {
    let mut code = 1;
    let list = if properties.is_empty() { null() } else { properties.as_ptr() };
    // SAFETY: one queue; the list is NULL or terminated.
    let buffer = unsafe { clCreateCommandBufferKHR(1, &queue, list, &mut code) };
    assert_eq!(buffer.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(buffer) } else { Err(code) }
}

pub fn mutable(queue: cl_command_queue, more: u64) -> cl_command_buffer_khr {
    create(queue, &[FLAGS, CL_COMMAND_BUFFER_MUTABLE_KHR | more, 0]).unwrap()
}

pub fn points(waits: &[cl_sync_point_khr]) -> *const cl_sync_point_khr {
    if waits.is_empty() { null() } else { waits.as_ptr() }
}

/// Records a one-dimensional launch.
pub fn record(
    buffer: cl_command_buffer_khr,
    kernel: cl_kernel,
    size: usize,
    waits: &[cl_sync_point_khr],
) -> (cl_sync_point_khr, cl_mutable_command_khr) {
    record_as(buffer, &[], kernel, &[size], &[], waits).unwrap()
}

pub fn record_as(
    buffer: cl_command_buffer_khr,
    properties: &[u64],
    kernel: cl_kernel,
    global: &[usize],
    local: &[usize],
    waits: &[cl_sync_point_khr],
) -> Result<(cl_sync_point_khr, cl_mutable_command_khr), cl_int> {
    let (mut point, mut handle) = (0, null_mut());
    let list = if properties.is_empty() { null() } else { properties.as_ptr() };
    let local = if local.is_empty() { null() } else { local.as_ptr() };
    // SAFETY: the arrays have their lengths, the list is NULL or terminated.
    let code = unsafe {
        let (dims, n) = (global.len() as u32, waits.len() as u32);
        let (global, waits) = (global.as_ptr(), points(waits));
        clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            list,
            kernel,
            dims,
            null(),
            global,
            local,
            n,
            waits,
            &mut point,
            &mut handle,
        )
    };
    if code == CL_SUCCESS { Ok((point, handle)) } else { Err(code) }
}

pub fn finalize(buffer: cl_command_buffer_khr) -> cl_int {
    // SAFETY: whatever handle it is, it is looked up.
    unsafe { clFinalizeCommandBufferKHR(buffer) }
}

pub fn replay(buffer: cl_command_buffer_khr, waits: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: live handles.
    ok(unsafe { clEnqueueCommandBufferKHR(0, null(), buffer, waits.len() as u32, list, &mut event) });
    event
}

pub fn enqueue_on(buffer: cl_command_buffer_khr, queues: &[cl_command_queue]) -> cl_int {
    // SAFETY: the list has its length.
    unsafe { clEnqueueCommandBufferKHR(queues.len() as u32, queues.as_ptr(), buffer, 0, null(), null_mut()) }
}

pub fn drop_buffer(buffer: cl_command_buffer_khr) {
    // SAFETY: a live handle, released once.
    ok(unsafe { clReleaseCommandBufferKHR(buffer) });
}

pub fn info(buffer: cl_command_buffer_khr, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, size_ret| unsafe {
        clGetCommandBufferInfoKHR(buffer, name, size, value, size_ret)
    })
}

pub fn command_info(command: cl_mutable_command_khr, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: as above.
    query_bytes(|size, value, size_ret| unsafe {
        clGetMutableCommandInfoKHR(command, name, size, value, size_ret)
    })
}

pub fn state(buffer: cl_command_buffer_khr) -> u32 {
    number(&info(buffer, CL_COMMAND_BUFFER_STATE_KHR).unwrap()) as u32
}

pub fn config(command: cl_mutable_command_khr) -> cl_mutable_dispatch_config_khr {
    cl_mutable_dispatch_config_khr {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: null(),
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    }
}

pub fn arg<T>(index: u32, value: &T) -> cl_mutable_dispatch_arg_khr {
    cl_mutable_dispatch_arg_khr {
        arg_index: index,
        arg_size: size_of::<T>(),
        arg_value: (&raw const *value).cast(),
    }
}

pub fn update(buffer: cl_command_buffer_khr, configs: &[cl_mutable_dispatch_config_khr]) -> cl_int {
    let types = vec![CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
    let pointers: Vec<*const c_void> = configs.iter().map(|c| (&raw const *c).cast()).collect();
    // SAFETY: both lists have the length.
    unsafe { clUpdateMutableCommandsKHR(buffer, configs.len() as u32, types.as_ptr(), pointers.as_ptr()) }
}

pub fn update_arg<T>(
    buffer: cl_command_buffer_khr,
    command: cl_mutable_command_khr,
    index: u32,
    value: T,
) -> cl_int {
    let args = [arg(index, &value)];
    update(
        buffer,
        &[cl_mutable_dispatch_config_khr { num_args: 1, arg_list: args.as_ptr(), ..config(command) }],
    )
}
