//! cl_intel_unified_shared_memory and cl_ext_buffer_device_address.

use super::lists::{Node, command_type, link, number_of, sum, walk};
use super::*;

struct Usm {
    host: HostAlloc,
    device: DeviceAlloc,
    shared: DeviceAlloc,
    free: Free,
    blocking_free: Free,
    info: AllocInfo,
    set: SetPointer,
    fill: MemFill,
    set_bytes: Memset,
    copy: Memcpy,
    migrate: Hint,
    advise: Advise,
}

fn functions() -> Usm {
    // SAFETY: the types are those of the extension.
    unsafe {
        Usm {
            host: extension("clHostMemAllocINTEL"),
            device: extension("clDeviceMemAllocINTEL"),
            shared: extension("clSharedMemAllocINTEL"),
            free: extension("clMemFreeINTEL"),
            blocking_free: extension("clMemBlockingFreeINTEL"),
            info: extension("clGetMemAllocInfoINTEL"),
            set: extension("clSetKernelArgMemPointerINTEL"),
            fill: extension("clEnqueueMemFillINTEL"),
            set_bytes: extension("clEnqueueMemsetINTEL"),
            copy: extension("clEnqueueMemcpyINTEL"),
            migrate: extension("clEnqueueMigrateMemINTEL"),
            advise: extension("clEnqueueMemAdviseINTEL"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Host,
    Device,
    Shared,
    /// Allocation of the host, without a device.
    Unbound,
}

const KINDS: [Kind; 4] = [Kind::Host, Kind::Device, Kind::Shared, Kind::Unbound];

impl Usm {
    fn alloc(
        &self,
        rig: &Rig,
        kind: Kind,
        properties: &[u64],
        size: usize,
        alignment: u32,
    ) -> Result<*mut c_void, cl_int> {
        let (list, mut code) = (if properties.is_empty() { null() } else { properties.as_ptr() }, 1);
        // SAFETY: live handles and a terminated list.
        let ptr = unsafe {
            match kind {
                Kind::Host => (self.host)(rig.context, list, size, alignment, &mut code),
                Kind::Device => (self.device)(rig.context, rig.device, list, size, alignment, &mut code),
                Kind::Shared => (self.shared)(rig.context, rig.device, list, size, alignment, &mut code),
                Kind::Unbound => (self.shared)(rig.context, null_mut(), list, size, alignment, &mut code),
            }
        };
        assert_eq!(ptr.is_null(), code != CL_SUCCESS);
        if code == CL_SUCCESS { Ok(ptr) } else { Err(code) }
    }

    fn ask(&self, rig: &Rig, ptr: *const c_void, name: cl_uint) -> u64 {
        // SAFETY: `number_of` passes buffers of the size it says.
        number_of(|s, v, r| unsafe { (self.info)(rig.context, ptr, name, s, v, r) })
    }
}

pub fn usm_of_every_kind() {
    let o = offer();
    if !o.usm {
        return;
    }
    let (rig, usm) = (rig(), functions());
    let queue = rig.queue(0);
    const N: usize = 1000;
    const SIZE: usize = N * size_of::<Node>();
    for kind in KINDS {
        let made = usm.alloc(
            &rig,
            kind,
            &[u64::from(CL_MEM_ALLOC_FLAGS_INTEL), CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0],
            SIZE,
            64,
        );
        let ptr = match made {
            Ok(ptr) => ptr,
            Err(code) => {
                assert!(kind != Kind::Device && !o.fine() && code == CL_INVALID_OPERATION, "{kind:?} {code}");
                continue;
            }
        };
        let (kind_name, device) = match kind {
            Kind::Host => (CL_MEM_TYPE_HOST_INTEL, 0),
            Kind::Device => (CL_MEM_TYPE_DEVICE_INTEL, rig.device as u64),
            Kind::Shared => (CL_MEM_TYPE_SHARED_INTEL, rig.device as u64),
            Kind::Unbound => (CL_MEM_TYPE_SHARED_INTEL, 0),
        };
        for at in [ptr, ptr.wrapping_byte_add(SIZE - 1)] {
            assert_eq!(usm.ask(&rig, at, CL_MEM_ALLOC_TYPE_INTEL), u64::from(kind_name));
            assert_eq!(usm.ask(&rig, at, CL_MEM_ALLOC_BASE_PTR_INTEL), ptr as u64);
            assert_eq!(usm.ask(&rig, at, CL_MEM_ALLOC_SIZE_INTEL), SIZE as u64);
            assert_eq!(usm.ask(&rig, at, CL_MEM_ALLOC_DEVICE_INTEL), device);
            assert_eq!(usm.ask(&rig, at, CL_MEM_ALLOC_FLAGS_INTEL), CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
        }
        // A list at that address, copied there (device) or built there by the host.
        let mut nodes = vec![Node { next: null_mut(), value: 0 }; N];
        let (head, tail) = link(&mut nodes);
        let expected = sum(head);
        let moved = |p: *mut Node| {
            if p.is_null() {
                p
            } else {
                ptr.cast::<Node>().wrapping_add((p as usize - nodes.as_ptr() as usize) / 16)
            }
        };
        let (there, last) = (moved(head), moved(tail));
        let relinked: Vec<Node> = nodes.iter().map(|n| Node { next: moved(n.next), ..*n }).collect();
        // SAFETY: both sides have the size.
        unsafe {
            if kind == Kind::Device {
                let mut event = null_mut();
                ok((usm.copy)(queue, CL_TRUE, ptr, relinked.as_ptr().cast(), SIZE, 0, null(), &mut event));
                assert_eq!(command_type(event), CL_COMMAND_MEMCPY_INTEL);
                release([event]);
            } else {
                std::ptr::copy_nonoverlapping(relinked.as_ptr(), ptr.cast(), N);
            }
        }
        // SAFETY: a live handle.
        let set_head = |k| ok(unsafe { (usm.set)(k, 0, there.cast()) });
        assert_eq!(walk(&rig, queue, set_head, &[]), expected, "{kind:?}");
        // More nodes in device memory, reachable only through the list.
        let pool = usm.alloc(&rig, Kind::Device, &[], 1600, 0).unwrap();
        let extend = rig.kernel("extend");
        // SAFETY: live handles and allocations; the values have their sizes.
        unsafe {
            ok((usm.set)(extend, 0, last.cast()));
            ok((usm.set)(extend, 1, pool));
            set(extend, 2, 100u32);
            launch(queue, extend, 1, &[]).release();
            let add = rig.kernel("add");
            ok((usm.set)(add, 0, there.cast()));
            set(add, 1, 1u64);
            let one = 1u32;
            let indirect = CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL;
            ok(clSetKernelExecInfo(add, indirect, 4, (&raw const one).cast()));
            ok(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 8, (&raw const pool).cast()));
            launch(queue, add, 1, &[]).release();
            let total = (expected.0 + (1000..1100).sum::<u64>() + N as u64 + 100, N as u64 + 100);
            assert_eq!(walk(&rig, queue, set_head, &[pool.cast()]), total);
            let mut back = vec![Node { next: null_mut(), value: 0 }; 100];
            ok((usm.copy)(queue, CL_TRUE, back.as_mut_ptr().cast(), pool, 1600, 0, null(), null_mut()));
            assert!(back.iter().enumerate().all(|(i, n)| n.value == 1001 + i as u64));
            if kind != Kind::Device {
                assert_eq!((*there).value, N as u64);
                assert_eq!((*last).next, pool.cast());
            }
            // Copies between allocations, fills and hints.
            let mut events = [null_mut(); 4];
            let [a, b, c, d] = &mut events;
            let pattern = 0x0123_4567_89ab_cdefu64;
            ok((usm.fill)(queue, ptr, (&raw const pattern).cast(), 8, SIZE, 0, null(), a));
            ok((usm.copy)(queue, CL_FALSE, pool, ptr, 1600, 0, null(), b));
            ok((usm.migrate)(queue, ptr, SIZE, 0, 0, null(), c));
            ok((usm.advise)(queue, ptr, SIZE, 0, 0, null(), d));
            let mut words = vec![0u64; 200];
            ok((usm.copy)(queue, CL_TRUE, words.as_mut_ptr().cast(), pool, 1600, 0, null(), null_mut()));
            assert_eq!(words, [pattern; 200]);
            // clEnqueueMemsetINTEL of earlier revisions uses the lowest byte of an int.
            ok((usm.set_bytes)(queue, pool, 0x7fab, 800, 0, null(), null_mut()));
            ok((usm.copy)(queue, CL_TRUE, words.as_mut_ptr().cast(), pool, 1600, 0, null(), null_mut()));
            assert_eq!(
                (&words[..100], &words[100..]),
                (&[u64::MAX / 255 * 0xab; 100][..], &[pattern; 100][..])
            );
            let names = [
                CL_COMMAND_MEMFILL_INTEL,
                CL_COMMAND_MEMCPY_INTEL,
                CL_COMMAND_MIGRATEMEM_INTEL,
                CL_COMMAND_MEMADVISE_INTEL,
            ];
            assert_eq!(events.map(command_type), names);
            release(events);
            release([extend, add]);
            for p in [pool, ptr] {
                ok((usm.free)(rig.context, p));
            }
        }
        assert_eq!(usm.ask(&rig, ptr, CL_MEM_ALLOC_TYPE_INTEL), u64::from(CL_MEM_TYPE_UNKNOWN_INTEL));
    }
    release([queue]);
}

pub fn usm_errors() {
    let o = offer();
    let (rig, usm) = (rig(), functions());
    let most = number(&device_info(rig.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap()) as usize;
    let flags = u64::from(CL_MEM_ALLOC_FLAGS_INTEL);
    let both = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    for kind in KINDS {
        if !(o.usm && (kind == Kind::Device || o.fine())) {
            assert_eq!(usm.alloc(&rig, kind, &[], 64, 0), Err(CL_INVALID_OPERATION));
            continue;
        }
        for (properties, size, alignment, code) in [
            (&[][..], 0, 0, CL_INVALID_BUFFER_SIZE),
            (&[], most + 1, 0, CL_INVALID_BUFFER_SIZE),
            (&[], 64, 3, CL_INVALID_VALUE),
            (&[], 64, 256, CL_INVALID_VALUE),
            (&[1234, 1, 0], 64, 0, CL_INVALID_PROPERTY),
            (&[flags, 1, flags, 1, 0], 64, 0, CL_INVALID_PROPERTY),
            (&[flags, 1 << 30, 0], 64, 0, CL_INVALID_PROPERTY),
            (&[flags, both, 0], 64, 0, CL_INVALID_PROPERTY),
        ] {
            assert_eq!(
                usm.alloc(&rig, kind, properties, size, alignment),
                Err(code),
                "{kind:?} {properties:?} {size} {alignment}"
            );
        }
        let on_device =
            usm.alloc(&rig, kind, &[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0], 64, 0);
        let shared = matches!(kind, Kind::Shared | Kind::Unbound);
        assert_eq!(on_device.is_ok(), shared);
        assert_eq!(on_device.err().unwrap_or(CL_INVALID_PROPERTY), CL_INVALID_PROPERTY);
    }
    let mut code = 1;
    // SAFETY: what is wrong is refused before it is used.
    unsafe {
        let bad_context = rig.device.cast::<_cl_context>();
        assert!((usm.host)(bad_context, null(), 64, 0, &mut code).is_null() && code == CL_INVALID_CONTEXT);
        for alloc in [usm.device, usm.shared] {
            assert!(
                alloc(bad_context, rig.device, null(), 64, 0, &mut code).is_null()
                    && code == CL_INVALID_CONTEXT
            );
            assert!(
                alloc(rig.context, rig.context.cast(), null(), 64, 0, &mut code).is_null()
                    && code == CL_INVALID_DEVICE
            );
        }
        assert!(
            (usm.device)(rig.context, null_mut(), null(), 64, 0, &mut code).is_null()
                && code == CL_INVALID_DEVICE
        );
        let own = [0u64; 2];
        for free in [usm.free, usm.blocking_free] {
            assert_eq!(free(bad_context, null_mut()), CL_INVALID_CONTEXT);
            assert_eq!(free(rig.context, null_mut()), CL_SUCCESS);
            assert_eq!(free(rig.context, own.as_ptr().cast_mut().cast()), CL_INVALID_VALUE);
        }
        let unknown = own.as_ptr().cast::<c_void>();
        assert_eq!(usm.ask(&rig, unknown, CL_MEM_ALLOC_TYPE_INTEL), u64::from(CL_MEM_TYPE_UNKNOWN_INTEL));
        for name in [
            CL_MEM_ALLOC_BASE_PTR_INTEL,
            CL_MEM_ALLOC_SIZE_INTEL,
            CL_MEM_ALLOC_DEVICE_INTEL,
            CL_MEM_ALLOC_FLAGS_INTEL,
        ] {
            assert_eq!(usm.ask(&rig, unknown, name), 0);
        }
        assert_eq!((usm.info)(rig.context, unknown, 0x1234, 0, null_mut(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            (usm.info)(bad_context, unknown, CL_MEM_ALLOC_TYPE_INTEL, 0, null_mut(), null_mut()),
            CL_INVALID_CONTEXT
        );
        let kernel = rig.kernel("scale");
        assert_eq!((usm.set)(rig.device.cast(), 0, null()), CL_INVALID_KERNEL);
        assert_eq!((usm.set)(kernel, 2, null()), CL_INVALID_ARG_INDEX);
        assert_eq!((usm.set)(kernel, 1, null()), CL_INVALID_ARG_VALUE);
        assert_eq!((usm.set)(kernel, 0, unknown), CL_SUCCESS, "it need not be followed");
        let one = 1u32;
        let indirect = |name| clSetKernelExecInfo(kernel, name, 4, (&raw const one).cast());
        let supported = |yes| if yes { CL_SUCCESS } else { CL_INVALID_OPERATION };
        assert_eq!(indirect(CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL), supported(o.fine()));
        assert_eq!(indirect(CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL), supported(o.fine()));
        assert_eq!(indirect(CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL), supported(o.usm));
        let list = |name| clSetKernelExecInfo(kernel, name, 0, null());
        assert_eq!(list(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL), supported(o.usm));
        assert_eq!(list(CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT), supported(o.addresses));
        let (queue, bad) = (rig.queue(0), rig.device.cast::<_cl_command_queue>());
        let (none, out) = (null(), null_mut());
        let word: *mut c_void = own.as_ptr().cast_mut().cast();
        for (got, code) in [
            ((usm.fill)(bad, word, unknown, 8, 8, 0, none, out), CL_INVALID_COMMAND_QUEUE),
            ((usm.fill)(queue, null_mut(), unknown, 8, 8, 0, none, out), CL_INVALID_VALUE),
            ((usm.fill)(queue, word.byte_add(1), unknown, 8, 8, 0, none, out), CL_INVALID_VALUE),
            ((usm.fill)(queue, word, null(), 8, 8, 0, none, out), CL_INVALID_VALUE),
            ((usm.fill)(queue, word, unknown, 3, 9, 0, none, out), CL_INVALID_VALUE),
            ((usm.fill)(queue, word, unknown, 8, 9, 0, none, out), CL_INVALID_VALUE),
            ((usm.fill)(queue, word, unknown, 8, 8, 1, none, out), CL_INVALID_EVENT_WAIT_LIST),
            ((usm.copy)(bad, CL_TRUE, word, unknown, 8, 0, none, out), CL_INVALID_COMMAND_QUEUE),
            ((usm.copy)(queue, CL_TRUE, null_mut(), unknown, 8, 0, none, out), CL_INVALID_VALUE),
            ((usm.copy)(queue, CL_TRUE, word, null(), 8, 0, none, out), CL_INVALID_VALUE),
            ((usm.copy)(queue, CL_TRUE, word, word.byte_add(7), 8, 0, none, out), CL_MEM_COPY_OVERLAP),
            ((usm.copy)(queue, CL_TRUE, word, word.byte_add(8), 8, 1, none, out), CL_INVALID_EVENT_WAIT_LIST),
            ((usm.migrate)(bad, word, 8, 0, 0, none, out), CL_INVALID_COMMAND_QUEUE),
            ((usm.migrate)(queue, word, 8, 1 << 20, 0, none, out), CL_INVALID_VALUE),
            ((usm.migrate)(queue, word, 8, 0, 1, none, out), CL_INVALID_EVENT_WAIT_LIST),
            ((usm.advise)(bad, word, 8, 0, 0, none, out), CL_INVALID_COMMAND_QUEUE),
            ((usm.advise)(queue, word, 8, 0x4208, 0, none, out), CL_INVALID_VALUE),
            ((usm.advise)(queue, word, 8, 0, 1, none, out), CL_INVALID_EVENT_WAIT_LIST),
        ] {
            assert_eq!(got, code);
        }
        release([kernel]);
        release([queue]);
    }
}

/// A blocking free waits for the commands of every queue.
pub fn usm_frees_when_all_is_done() {
    if !offer().usm {
        return;
    }
    let (rig, usm) = (rig(), functions());
    let queues = [rig.queue(0), rig.queue(OUT_OF_ORDER)];
    let kernel = rig.kernel("scale");
    let ptr = usm.alloc(&rig, Kind::Device, &[], 1 << 20, 0).unwrap();
    // SAFETY: live handles and allocations.
    unsafe {
        ok((usm.set)(kernel, 0, ptr));
        set(kernel, 1, 3u32);
        let events = queues.map(|q| launch(q, kernel, 1 << 18, &[]));
        ok((usm.blocking_free)(rig.context, ptr));
        assert_eq!(events.map(status), [CL_COMPLETE; 2]);
        release(events);
    }
    release([kernel]);
    release(queues);
}

pub fn addresses_of_buffers() {
    let o = offer();
    let rig = rig();
    let queue = rig.queue(0);
    let mut code = 1;
    let list = [u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), 1, 0];
    // SAFETY: live handles, terminated lists, values with their sizes; the address is followed by kernels
    // only.
    unsafe {
        let set_address: SetAddress = extension("clSetKernelArgDevicePointerEXT");
        let create = |list: &[u64], code: &mut cl_int| {
            clCreateBufferWithProperties(
                rig.context,
                list.as_ptr(),
                CL_MEM_READ_WRITE,
                4096,
                null_mut(),
                code,
            )
        };
        let scale = rig.kernel("scale");
        if !o.addresses {
            assert!(create(&list, &mut code).is_null() && code == CL_INVALID_OPERATION);
            assert_eq!(set_address(scale, 0, 0), CL_INVALID_OPERATION);
            release([scale]);
            return release([queue]);
        }
        let (mem, cells) = (create(&list, &mut code), rig.buffer(&[0u64; 4]));
        ok(code);
        let ask =
            |mem, size, value, ret| clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, size, value, ret);
        let address = number_of(|s, v, r| ask(mem, s, v, r));
        assert_ne!(address, 0);
        assert_eq!(ask(cells, 0, null_mut(), null_mut()), CL_INVALID_OPERATION);
        let region = cl_buffer_region { origin: 1024, size: 1024 };
        let sub =
            clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code);
        ok(code);
        assert_eq!(number_of(|s, v, r| ask(sub, s, v, r)), address + 1024);
        // The whole buffer, a part at an offset, and words at addresses in memory.
        let zero = [0u32; 1024];
        ok(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4096, zero.as_ptr().cast(), 0, null(), null_mut()));
        set(scale, 1, 10u32);
        for (at, count) in [(address, 1024), (address + 4, 3)] {
            ok(set_address(scale, 0, at));
            launch(queue, scale, count, &[]).release();
        }
        let follow = rig.kernel("follow");
        let targets = [0u64, 4, 8, 4092].map(|o| address + o);
        ok(clEnqueueWriteBuffer(
            queue,
            cells,
            CL_FALSE,
            0,
            32,
            targets.as_ptr().cast(),
            0,
            null(),
            null_mut(),
        ));
        set(follow, 0, cells);
        set(follow, 1, 5u32);
        ok(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, (&raw const address).cast()));
        launch(queue, follow, 4, &[]).release();
        let got: Vec<u32> = read(queue, mem, 1024);
        let expected = |i: u32| match i {
            0 => 5,
            1 => 10 + 5,
            2 => 20 + 1 + 5,
            3 => 30 + 2,
            1023 => 1023 + 5,
            _ => i,
        };
        for (i, v) in got.iter().enumerate() {
            assert_eq!(*v, expected(i as u32), "{i}");
        }
        for (list, expected) in [([list[0], 7, 0], CL_INVALID_PROPERTY), ([77, 1, 0], CL_INVALID_PROPERTY)] {
            assert!(create(&list, &mut code).is_null());
            assert_eq!(code, expected);
        }
        let off = create(&[list[0], 0, 0], &mut code);
        ok(code);
        assert_eq!(ask(off, 0, null_mut(), null_mut()), CL_INVALID_OPERATION);
        for (kernel, index, expected) in [
            (rig.device.cast(), 0, CL_INVALID_KERNEL),
            (scale, 2, CL_INVALID_ARG_INDEX),
            (scale, 1, CL_INVALID_ARG_INDEX),
            (scale, 0, CL_SUCCESS),
        ] {
            assert_eq!(set_address(kernel, index, 12345), expected);
        }
        if o.coarse() {
            let memory = Svm::<u32>::new(rig.context, 0, 1024);
            let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
            let same = clCreateBufferWithProperties(
                rig.context,
                list.as_ptr(),
                flags,
                4096,
                memory.ptr.cast(),
                &mut code,
            );
            ok(code);
            assert_eq!(number_of(|s, v, r| ask(same, s, v, r)), memory.ptr as u64);
            release([same]);
        }
        release([scale, follow]);
        release([sub, mem, cells, off]);
    }
    release([queue]);
}
