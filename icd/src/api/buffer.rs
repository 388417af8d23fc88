//! Entry points of memory objects in general and of buffers.

use crate::callback::with_handle;
use crate::convert::properties;
use crate::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use pyroclast_runtime::host_ptr::HostPtr;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::memory::{MemObject, buffer};
use std::ffi::c_void;

impl HandleTarget for _cl_mem {
    type Object = MemObject;
}

fn host(ptr: *mut c_void) -> Option<HostPtr> {
    (!ptr.is_null()).then(|| HostPtr::new(ptr.cast()))
}

entry! { for context fn clCreateBuffer(
    context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void; errcode_ret
) -> cl_mem {
    Ok(cl_mem::publish(buffer::create(&context.arc()?, None, flags, size, host(host_ptr))?))
} }

entry! { fn clCreateBufferWithProperties(
    context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: usize,
    host_ptr: *mut c_void; errcode_ret
) -> cl_mem {
    let context = context.arc()?;
    if let Some(desc) = super::external::description(properties)? {
        return Ok(cl_mem::publish(pyroclast_runtime::memory::external::create(
            &context,
            desc,
            flags,
            size,
            !host_ptr.is_null(),
        )?));
    }
    let given = !properties.is_null();
    let list = self::properties(properties).map_err(|e| err!(CL_INVALID_PROPERTY, "{e}"))?;
    Ok(cl_mem::publish(buffer::create(&context, given.then_some(list.raw), flags, size, host(host_ptr))?))
} }

entry! { fn clCreateSubBuffer(
    buffer: cl_mem, flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type,
    buffer_create_info: *const c_void; errcode_ret
) -> cl_mem {
    let parent = buffer.arc()?;
    // CL_INVALID_VALUE: CL_BUFFER_CREATE_TYPE_REGION is the only type, and requires a region.
    if buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION || buffer_create_info.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no region"));
    }
    // SAFETY: for this type the pointer is to a cl_buffer_region.
    let region = unsafe { buffer_create_info.cast::<cl_buffer_region>().read_unaligned() };
    Ok(cl_mem::publish(self::buffer::create_sub_buffer(&parent, flags, region.origin, region.size)?))
} }

entry! { fn clRetainMemObject(memobj: cl_mem) -> cl_int { memobj.retain() } }
entry! { fn clReleaseMemObject(memobj: cl_mem) -> cl_int { memobj.release() } }

entry! { fn clSetMemObjectDestructorCallback(
    memobj: cl_mem, pfn_notify: Option<unsafe extern "C" fn(cl_mem, *mut c_void)>, user_data: *mut c_void
) -> cl_int {
    let object = memobj.get()?;
    let Some(function) = pfn_notify else { return Err(err!(CL_INVALID_VALUE, "no callback")) };
    object.on_destroy(with_handle(function, memobj, user_data));
    Ok(())
} }

entry! { fn clGetMemObjectInfo(
    memobj: cl_mem, param_name: cl_mem_info, size: usize, value: *mut c_void, size_ret: *mut usize
) -> cl_int {
    let object = memobj.get()?;
    let answer: InfoValue = match param_name {
        CL_MEM_TYPE => object.object_type.into(),
        CL_MEM_FLAGS => object.flags.0.into(),
        CL_MEM_SIZE => (object.size as usize).into(),
        CL_MEM_HOST_PTR => InfoValue::Handle(object.host_ptr.map_or(0, HostPtr::addr)),
        CL_MEM_MAP_COUNT => (object.map_count() as cl_uint).into(),
        CL_MEM_REFERENCE_COUNT => memobj.reference_count()?.into(),
        CL_MEM_CONTEXT => cl_context::of(&object.context).into(),
        CL_MEM_ASSOCIATED_MEMOBJECT => {
            object.parent.as_ref().map_or(InfoValue::Handle(0), |p| cl_mem::of(p).into())
        }
        CL_MEM_OFFSET => (object.origin as usize).into(),
        CL_MEM_USES_SVM_POINTER => object.uses_svm.into(),
        CL_MEM_DEVICE_ADDRESS_EXT => match &object.addresses {
            Some(list) => list.clone().into(),
            None => return Err(err!(CL_INVALID_OPERATION, "the buffer's addresses were not asked for")),
        },
        CL_MEM_PROPERTIES => object.properties.clone().map_or(InfoValue::Empty, InfoValue::from),
        other => return Err(info::unknown("clGetMemObjectInfo", other)),
    };
    info::write(answer, size, value, size_ret)
} }
