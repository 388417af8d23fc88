//! cl_khr_unified_svm: every memory type of the device, selected by its capabilities, allocated, described,
//! used and freed.

use super::lists::{Node, link, number_of, sum, tell, walk};
use super::*;

type Alloc = unsafe extern "C" fn(cl_context, *const u64, cl_uint, usize, *mut cl_int) -> *mut c_void;
type FreeWith = unsafe extern "C" fn(cl_context, *const u64, u64, *mut c_void) -> cl_int;
type Info = unsafe extern "C" fn(
    cl_context,
    cl_device_id,
    *const c_void,
    cl_uint,
    usize,
    *mut c_void,
    *mut usize,
) -> cl_int;
type Suggest = unsafe extern "C" fn(cl_context, u64, u64, *const u64, usize, *mut cl_uint) -> cl_int;

const HOST: u64 = CL_SVM_CAPABILITY_HOST_READ_KHR | CL_SVM_CAPABILITY_HOST_WRITE_KHR;
const DEVICE: u64 = CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR as u64;
const ACCESS: u64 = CL_SVM_ALLOC_ACCESS_FLAGS_KHR as u64;
const ALIGNMENT: u64 = CL_SVM_ALLOC_ALIGNMENT_KHR as u64;

struct Functions {
    alloc: Alloc,
    free: FreeWith,
    info: Info,
    suggest: Suggest,
}

fn functions() -> Functions {
    // SAFETY: the types are those of the extension.
    unsafe {
        Functions {
            alloc: extension("clSVMAllocWithPropertiesKHR"),
            free: extension("clSVMFreeWithPropertiesKHR"),
            info: extension("clGetSVMPointerInfoKHR"),
            suggest: extension("clGetSVMSuggestedTypeIndexKHR"),
        }
    }
}

fn numbers(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(8).map(|c| u64::from_ne_bytes(c.try_into().unwrap())).collect()
}

fn types() -> Vec<u64> {
    numbers(&device_info(device(), CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR).unwrap())
}

pub fn types_of_memory() {
    let extensions = text(&device_info(device(), CL_DEVICE_EXTENSIONS).unwrap());
    assert_eq!(extensions.split(' ').any(|e| e == "cl_khr_unified_svm"), offer().coarse());
    if !offer().coarse() {
        return assert!(device_info(device(), CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR).is_err());
    }
    let (rig, f) = (rig(), functions());
    let queue = rig.queue(0);
    let platform = numbers(&platform_info(platform(), CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR).unwrap());
    let types = types();
    assert_eq!(platform.len(), types.len());
    // Every device supports the platform's capabilities of each type.
    assert!(platform.iter().zip(&types).all(|(p, t)| *t == 0 || t & p == *p));
    let device = rig.device as u64;
    // SAFETY: live handles, terminated lists, regions in bounds.
    unsafe {
        for (index, caps) in types.iter().enumerate().filter(|(_, c)| **c != 0) {
            let index = index as cl_uint;
            let mut suggested = 77;
            ok((f.suggest)(rig.context, *caps, 0, null(), 0, &mut suggested));
            assert_eq!(types[suggested as usize] & caps, *caps, "{index}");
            if caps & CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR != 0 {
                let mut code = 1;
                assert!(
                    (f.alloc)(rig.context, null(), index, 64, &mut code).is_null()
                        && code == CL_INVALID_VALUE
                );
                continue;
            }
            const N: usize = 300;
            let size = N * size_of::<Node>();
            let all = [DEVICE, device, ALIGNMENT, 64, ACCESS, CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR, 0];
            let free_of_devices = caps & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0;
            for list in [&all[..], &all[2..], &[0], &[]] {
                let (mut code, associated) = (1, list.first() == Some(&DEVICE));
                let properties = if list.is_empty() { null() } else { list.as_ptr() };
                let ptr = (f.alloc)(rig.context, properties, index, size, &mut code);
                if !associated && !free_of_devices {
                    assert!(ptr.is_null() && code == CL_INVALID_PROPERTY);
                    continue;
                }
                ok(code);
                assert_eq!(ptr as usize % 128, 0);
                for (asked, at) in [(null_mut(), ptr), (rig.device, ptr.byte_add(size - 1))] {
                    let ask = |name| number_of(|s, v, r| (f.info)(rig.context, asked, at, name, s, v, r));
                    assert_eq!(ask(CL_SVM_INFO_TYPE_INDEX_KHR), u64::from(index));
                    assert_eq!(ask(CL_SVM_INFO_CAPABILITIES_KHR), *caps);
                    assert_eq!(ask(CL_SVM_INFO_ACCESS_FLAGS_KHR), if list.len() > 2 { 1 } else { 0 });
                    assert_eq!(ask(CL_SVM_INFO_BASE_PTR_KHR), ptr as u64);
                    assert_eq!(ask(CL_SVM_INFO_SIZE_KHR), size as u64);
                    assert_eq!(
                        ask(CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR),
                        if associated { device } else { 0 }
                    );
                    let bytes = query_bytes(|s, v, r| {
                        (f.info)(rig.context, asked, at, CL_SVM_INFO_PROPERTIES_KHR, s, v, r)
                    });
                    assert_eq!(numbers(&bytes.unwrap()), list);
                }
                use_as_list(&rig, queue, ptr.cast(), N, *caps);
                ok((f.free)(rig.context, null(), 0, ptr));
            }
        }
    }
    release([queue]);
}

/// A list in the memory: built as its capabilities allow, walked and changed by kernels, read back.
fn use_as_list(rig: &Rig, queue: cl_command_queue, ptr: *mut Node, count: usize, caps: u64) {
    let mut nodes = vec![Node { next: null_mut(), value: 0 }; count];
    let (head, _) = link(&mut nodes);
    let expected = sum(head);
    let start = nodes.as_ptr() as usize;
    let moved = |p: *mut Node| if p.is_null() { p } else { ptr.wrapping_byte_add(p as usize - start) };
    let there: Vec<Node> = nodes.iter().map(|n| Node { next: moved(n.next), ..*n }).collect();
    let size = size_of_val(&there[..]);
    let map = caps & CL_SVM_CAPABILITY_HOST_MAP_KHR != 0;
    // SAFETY: the memory has the size, and the host may use it as its capabilities say.
    unsafe {
        if caps & HOST == HOST {
            std::ptr::copy_nonoverlapping(there.as_ptr(), ptr, count);
        } else if map {
            ok(clEnqueueSVMMap(
                queue,
                CL_TRUE,
                CL_MAP_WRITE_INVALIDATE_REGION,
                ptr.cast(),
                size,
                0,
                null(),
                null_mut(),
            ));
            std::ptr::copy_nonoverlapping(there.as_ptr(), ptr, count);
            ok(clEnqueueSVMUnmap(queue, ptr.cast(), 0, null(), null_mut()));
        } else {
            ok(clEnqueueSVMMemcpy(
                queue,
                CL_TRUE,
                ptr.cast(),
                there.as_ptr().cast(),
                size,
                0,
                null(),
                null_mut(),
            ));
        }
        assert_eq!(walk(rig, queue, |k| set_svm(k, 0, moved(head)), &[]), expected);
        // Through an address in a buffer, which no call names.
        let (follow, cell) = (rig.kernel("follow"), rig.buffer(&[(&raw const (*ptr).value) as u64]));
        set(follow, 0, cell);
        set(follow, 1, 40u32);
        tell::<Node>(follow, &[]);
        let one = 1u32;
        ok(clSetKernelExecInfo(
            follow,
            CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR,
            4,
            (&raw const one).cast(),
        ));
        launch(queue, follow, 1, &[]).release();
        let total = (expected.0 + 40, expected.1);
        assert_eq!(walk(rig, queue, |k| set_svm(k, 0, moved(head)), &[]), total);
        finish(queue);
        let back = if caps & HOST == HOST {
            sum(moved(head))
        } else if map {
            ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, ptr.cast(), size, 0, null(), null_mut()));
            let back = sum(moved(head));
            ok(clEnqueueSVMUnmap(queue, ptr.cast(), 0, null(), null_mut()));
            back
        } else {
            ok(clEnqueueSVMMemcpy(
                queue,
                CL_TRUE,
                nodes.as_mut_ptr().cast(),
                ptr.cast(),
                size,
                0,
                null(),
                null_mut(),
            ));
            (nodes.iter().map(|n| n.value).sum(), count as u64)
        };
        assert_eq!(back, total);
        finish(queue);
        release([follow]);
        release([cell]);
    }
}

pub fn errors() {
    let (rig, f) = (rig(), functions());
    let mut code = 1;
    let own = [0u64; 2];
    // SAFETY: what is wrong is refused before it is used.
    unsafe {
        let bad = rig.device.cast::<_cl_context>();
        assert!((f.alloc)(bad, null(), 0, 64, &mut code).is_null() && code == CL_INVALID_CONTEXT);
        assert_eq!((f.free)(bad, null(), 0, null_mut()), CL_INVALID_CONTEXT);
        let unknown: *mut c_void = own.as_ptr().cast_mut().cast();
        assert_eq!(
            (f.info)(bad, null_mut(), unknown, CL_SVM_INFO_SIZE_KHR, 0, null_mut(), null_mut()),
            CL_INVALID_CONTEXT
        );
        let mut index = 77;
        assert_eq!((f.suggest)(bad, 0, 0, null(), 0, &mut index), CL_INVALID_CONTEXT);
        assert_eq!((f.suggest)(rig.context, 0, 0, null(), 0, null_mut()), CL_INVALID_VALUE);
        // No type has all capabilities.
        ok((f.suggest)(rig.context, u64::MAX, 0, null(), 0, &mut index));
        assert_eq!(index, cl_uint::MAX);
        ok((f.suggest)(rig.context, 0, 0, null(), usize::MAX, &mut index));
        assert_eq!(index, cl_uint::MAX);
        for (list, expected) in [
            (&[77u64, 1, 0][..], CL_INVALID_PROPERTY),
            (&[ALIGNMENT, 3, 0], CL_INVALID_PROPERTY),
            (&[ALIGNMENT, 256, 0], CL_INVALID_PROPERTY),
            (&[ALIGNMENT, 8, ALIGNMENT, 8, 0], CL_INVALID_PROPERTY),
            (&[ACCESS, 1 << 40, 0], CL_INVALID_PROPERTY),
            (&[DEVICE, rig.context as u64, 0], CL_INVALID_DEVICE),
        ] {
            assert!((f.alloc)(rig.context, list.as_ptr(), 0, 64, &mut code).is_null());
            assert_eq!(code, expected, "{list:?}");
            assert_eq!((f.suggest)(rig.context, 0, 0, list.as_ptr(), 0, &mut index), expected);
        }
        assert!((f.alloc)(rig.context, null(), 77, 64, &mut code).is_null() && code == CL_INVALID_VALUE);
        let property = [5u64, 1, 0];
        assert_eq!((f.free)(rig.context, property.as_ptr(), 0, null_mut()), CL_INVALID_PROPERTY);
        assert_eq!((f.free)(rig.context, null(), 1, null_mut()), CL_INVALID_VALUE);
        assert_eq!((f.free)(rig.context, null(), 0, unknown), CL_INVALID_VALUE);
        ok((f.free)(rig.context, null(), 0, null_mut()));
        let ask = |name| number_of(|s, v, r| (f.info)(rig.context, null_mut(), unknown, name, s, v, r));
        assert_eq!(ask(CL_SVM_INFO_TYPE_INDEX_KHR), u64::from(cl_uint::MAX));
        for name in [
            CL_SVM_INFO_CAPABILITIES_KHR,
            CL_SVM_INFO_ACCESS_FLAGS_KHR,
            CL_SVM_INFO_BASE_PTR_KHR,
            CL_SVM_INFO_SIZE_KHR,
        ] {
            assert_eq!(ask(name), 0);
        }
        assert_eq!(ask(CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR), 0);
        let info = |device, name| (f.info)(rig.context, device, unknown, name, 0, null_mut(), null_mut());
        assert_eq!(info(rig.context.cast(), CL_SVM_INFO_SIZE_KHR), CL_INVALID_DEVICE);
        assert_eq!(info(null_mut(), 0x1234), CL_INVALID_VALUE);
        if offer().coarse() {
            for size in [0, usize::MAX] {
                assert!((f.alloc)(rig.context, null(), 0, size, &mut code).is_null());
                assert_eq!(code, CL_INVALID_BUFFER_SIZE);
            }
        }
    }
}
