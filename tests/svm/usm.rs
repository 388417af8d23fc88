//! cl_intel_unified_shared_memory and cl_ext_buffer_device_address.

use super::lists::{Node, command_type, link, number_of, sum, walk};
use super::*;
use test_support::api::devices::part;

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

const NODES: usize = 1000;
const SIZE: usize = NODES * size_of::<Node>();
/// Size of a pool of 100 nodes.
const POOL: usize = 100 * size_of::<Node>();

/// An allocation with a list of nodes.
struct List<'a> {
    rig: &'a Rig,
    usm: &'a Usm,
    queue: cl_command_queue,
    kind: Kind,
    ptr: *mut c_void,
}

impl List<'_> {
    /// Checks the queries at the first and at the last byte.
    fn check_queries(&self) {
        let (kind_name, device) = match self.kind {
            Kind::Host => (CL_MEM_TYPE_HOST_INTEL, 0),
            Kind::Device => (CL_MEM_TYPE_DEVICE_INTEL, self.rig.device as u64),
            Kind::Shared => (CL_MEM_TYPE_SHARED_INTEL, self.rig.device as u64),
            Kind::Unbound => (CL_MEM_TYPE_SHARED_INTEL, 0),
        };
        for at in [self.ptr, self.ptr.wrapping_byte_add(SIZE - 1)] {
            let ask = |name| self.usm.ask(self.rig, at, name);
            assert_eq!(ask(CL_MEM_ALLOC_TYPE_INTEL), u64::from(kind_name));
            assert_eq!(ask(CL_MEM_ALLOC_BASE_PTR_INTEL), self.ptr as u64);
            assert_eq!(ask(CL_MEM_ALLOC_SIZE_INTEL), SIZE as u64);
            assert_eq!(ask(CL_MEM_ALLOC_DEVICE_INTEL), device);
            assert_eq!(ask(CL_MEM_ALLOC_FLAGS_INTEL), CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
        }
    }

    /// Copies a list to the allocation, or builds it there on the host. Returns head and tail.
    fn build(&self) -> (*mut Node, *mut Node) {
        let mut nodes = vec![Node { next: null_mut(), value: 0 }; NODES];
        let (head, tail) = link(&mut nodes);
        let expected = sum(head);
        let moved = |p: *mut Node| {
            if p.is_null() {
                p
            } else {
                self.ptr.cast::<Node>().wrapping_add((p as usize - nodes.as_ptr() as usize) / 16)
            }
        };
        let relinked: Vec<Node> = nodes.iter().map(|n| Node { next: moved(n.next), ..*n }).collect();
        // SAFETY: both sides have the size.
        unsafe {
            if self.kind == Kind::Device {
                let (from, mut event) = (relinked.as_ptr().cast(), null_mut());
                ok((self.usm.copy)(self.queue, CL_TRUE, self.ptr, from, SIZE, 0, null(), &mut event));
                assert_eq!(command_type(event), CL_COMMAND_MEMCPY_INTEL);
                release([event]);
            } else {
                std::ptr::copy_nonoverlapping(relinked.as_ptr(), self.ptr.cast(), NODES);
            }
        }
        assert_eq!(self.walk(moved(head), &[]), expected, "{:?}", self.kind);
        (moved(head), moved(tail))
    }

    /// Sum and count that a kernel computes.
    fn walk(&self, head: *mut Node, exec: &[*mut Node]) -> (u64, u64) {
        // SAFETY: a live handle.
        let set_head = |k| ok(unsafe { (self.usm.set)(k, 0, head.cast()) });
        walk(self.rig, self.queue, set_head, exec)
    }

    /// Lets kernels append nodes in device memory, reachable only through the list, and change all nodes.
    fn extend(&self, head: *mut Node, tail: *mut Node, pool: *mut c_void) {
        let (sum, count) = self.walk(head, &[]);
        let (extend, add) = (self.rig.kernel("extend"), self.rig.kernel("add"));
        // SAFETY: live handles and allocations; the values have their sizes.
        unsafe {
            ok((self.usm.set)(extend, 0, tail.cast()));
            ok((self.usm.set)(extend, 1, pool));
            set(extend, 2, 100u32);
            launch(self.queue, extend, 1, &[]).release();
            ok((self.usm.set)(add, 0, head.cast()));
            set(add, 1, 1u64);
            let one = 1u32;
            let indirect = CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL;
            ok(clSetKernelExecInfo(add, indirect, 4, (&raw const one).cast()));
            ok(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 8, (&raw const pool).cast()));
            launch(self.queue, add, 1, &[]).release();
        }
        let total = (sum + (1000..1100).sum::<u64>() + count + 100, count + 100);
        assert_eq!(self.walk(head, &[pool.cast()]), total);
        let mut back = vec![Node { next: null_mut(), value: 0 }; 100];
        self.read(&mut back, pool);
        assert!(back.iter().enumerate().all(|(i, n)| n.value == 1001 + i as u64));
        if self.kind != Kind::Device {
            // SAFETY: nodes that the host may use, after the last command.
            let (first, last) = unsafe { (*head, *tail) };
            assert_eq!(first.value, NODES as u64);
            assert_eq!(last.next, pool.cast());
        }
        release([extend, add]);
    }

    fn read<T>(&self, out: &mut [T], from: *const c_void) {
        let (to, size) = (out.as_mut_ptr().cast(), size_of_val(out));
        // SAFETY: both sides have the size.
        ok(unsafe { (self.usm.copy)(self.queue, CL_TRUE, to, from, size, 0, null(), null_mut()) });
    }

    /// Copies between allocations, fills and hints.
    fn commands(&self, pool: *mut c_void) {
        let (usm, queue, ptr) = (self.usm, self.queue, self.ptr);
        let mut events = [null_mut(); 4];
        let [a, b, c, d] = &mut events;
        let (pattern, mut words) = (0x0123_4567_89ab_cdefu64, vec![0u64; 200]);
        // SAFETY: live handles and allocations; the pattern has its size.
        unsafe {
            ok((usm.fill)(queue, ptr, (&raw const pattern).cast(), 8, SIZE, 0, null(), a));
            ok((usm.copy)(queue, CL_FALSE, pool, ptr, POOL, 0, null(), b));
            ok((usm.migrate)(queue, ptr, SIZE, 0, 0, null(), c));
            ok((usm.advise)(queue, ptr, SIZE, 0, 0, null(), d));
            self.read(&mut words, pool);
            assert_eq!(words, [pattern; 200]);
            // clEnqueueMemsetINTEL of earlier revisions uses the lowest byte of an int.
            ok((usm.set_bytes)(queue, pool, 0x7fab, POOL / 2, 0, null(), null_mut()));
        }
        self.read(&mut words, pool);
        let bytes = [u64::MAX / 255 * 0xab; 100];
        assert_eq!((&words[..100], &words[100..]), (&bytes[..], &[pattern; 100][..]));
        let names = [
            CL_COMMAND_MEMFILL_INTEL,
            CL_COMMAND_MEMCPY_INTEL,
            CL_COMMAND_MIGRATEMEM_INTEL,
            CL_COMMAND_MEMADVISE_INTEL,
        ];
        assert_eq!(events.map(command_type), names);
        release(events);
    }
}

pub fn usm_of_every_kind() {
    let o = offer();
    if !o.usm {
        return;
    }
    let (rig, usm) = (rig(), functions());
    let queue = rig.queue(0);
    let flags = [u64::from(CL_MEM_ALLOC_FLAGS_INTEL), CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0];
    for kind in KINDS {
        let ptr = match usm.alloc(&rig, kind, &flags, SIZE, 64) {
            Ok(ptr) => ptr,
            Err(code) => {
                assert!(kind != Kind::Device && !o.fine() && code == CL_INVALID_OPERATION, "{kind:?} {code}");
                continue;
            }
        };
        let list = List { rig: &rig, usm: &usm, queue, kind, ptr };
        list.check_queries();
        let (head, tail) = list.build();
        let pool = usm.alloc(&rig, Kind::Device, &[], POOL, 0).unwrap();
        list.extend(head, tail, pool);
        list.commands(pool);
        for p in [pool, ptr] {
            // SAFETY: allocations that no command uses.
            ok(unsafe { (usm.free)(rig.context, p) });
        }
        assert_eq!(usm.ask(&rig, ptr, CL_MEM_ALLOC_TYPE_INTEL), u64::from(CL_MEM_TYPE_UNKNOWN_INTEL));
    }
    release([queue]);
}

/// Conditions on properties, size and alignment.
fn errors_of_properties(rig: &Rig, usm: &Usm, kind: Kind) {
    let most = number(&device_info(rig.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap()) as usize;
    let flags = u64::from(CL_MEM_ALLOC_FLAGS_INTEL);
    let both = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
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
            usm.alloc(rig, kind, properties, size, alignment),
            Err(code),
            "{kind:?} {properties:?} {size} {alignment}"
        );
    }
    let on_device = usm.alloc(rig, kind, &[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0], 64, 0);
    let shared = matches!(kind, Kind::Shared | Kind::Unbound);
    assert_eq!(on_device.is_ok(), shared);
    assert_eq!(on_device.err().unwrap_or(CL_INVALID_PROPERTY), CL_INVALID_PROPERTY);
}

pub fn usm_errors_of_allocation() {
    let (o, rig, usm) = (offer(), bare_rig(), functions());
    for kind in KINDS {
        if o.usm && (kind == Kind::Device || o.fine()) {
            errors_of_properties(&rig, &usm, kind);
        } else {
            assert_eq!(usm.alloc(&rig, kind, &[], 64, 0), Err(CL_INVALID_OPERATION));
        }
    }
    let (bad_context, own, mut code) = (rig.device.cast::<_cl_context>(), [0u64; 2], 1);
    // SAFETY: what is wrong is refused before it is used.
    unsafe {
        assert!((usm.host)(bad_context, null(), 64, 0, &mut code).is_null() && code == CL_INVALID_CONTEXT);
        for (context, device, expected) in [
            (bad_context, rig.device, CL_INVALID_CONTEXT),
            (rig.context, rig.context.cast(), CL_INVALID_DEVICE),
        ] {
            for alloc in [usm.device, usm.shared] {
                assert!(alloc(context, device, null(), 64, 0, &mut code).is_null() && code == expected);
            }
        }
        let no_device = (usm.device)(rig.context, null_mut(), null(), 64, 0, &mut code);
        assert!(no_device.is_null() && code == CL_INVALID_DEVICE);
        for free in [usm.free, usm.blocking_free] {
            assert_eq!(free(bad_context, null_mut()), CL_INVALID_CONTEXT);
            assert_eq!(free(rig.context, null_mut()), CL_SUCCESS);
            assert_eq!(free(rig.context, own.as_ptr().cast_mut().cast()), CL_INVALID_VALUE);
        }
    }
}

pub fn usm_errors_of_queries() {
    let (rig, usm, own) = (bare_rig(), functions(), [0u64; 2]);
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
    // SAFETY: what is wrong is refused before it is used.
    let ask = |context, name| unsafe { (usm.info)(context, unknown, name, 0, null_mut(), null_mut()) };
    assert_eq!(ask(rig.context, 0x1234), CL_INVALID_VALUE);
    assert_eq!(ask(rig.device.cast(), CL_MEM_ALLOC_TYPE_INTEL), CL_INVALID_CONTEXT);
}

pub fn usm_errors_of_kernels() {
    let (o, rig, usm, own) = (offer(), rig(), functions(), [0u64; 2]);
    let kernel = rig.kernel("scale");
    // SAFETY: what is wrong is refused before it is used.
    unsafe {
        assert_eq!((usm.set)(rig.device.cast(), 0, null()), CL_INVALID_KERNEL);
        assert_eq!((usm.set)(kernel, 2, null()), CL_INVALID_ARG_INDEX);
        assert_eq!((usm.set)(kernel, 1, null()), CL_INVALID_ARG_VALUE);
        assert_eq!((usm.set)(kernel, 0, own.as_ptr().cast()), CL_SUCCESS, "it need not be followed");
        let one = 1u32;
        let indirect = |name| clSetKernelExecInfo(kernel, name, 4, (&raw const one).cast());
        let supported = |yes| if yes { CL_SUCCESS } else { CL_INVALID_OPERATION };
        assert_eq!(indirect(CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL), supported(o.fine()));
        assert_eq!(indirect(CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL), supported(o.fine()));
        assert_eq!(indirect(CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL), supported(o.usm));
        let list = |name| clSetKernelExecInfo(kernel, name, 0, null());
        assert_eq!(list(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL), supported(o.usm));
        assert_eq!(list(CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT), supported(o.addresses));
    }
    release([kernel]);
}

pub fn usm_errors_of_commands() {
    let (rig, usm, own) = (bare_rig(), functions(), [0u64; 2]);
    let (queue, bad) = (rig.queue(0), rig.device.cast::<_cl_command_queue>());
    let (none, out) = (null(), null_mut());
    let unknown = own.as_ptr().cast::<c_void>();
    let word: *mut c_void = own.as_ptr().cast_mut().cast();
    // SAFETY: what is wrong is refused before it is used.
    unsafe {
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
    }
    release([queue]);
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

/// Property of a buffer with an address on the device.
const ADDRESS: u64 = CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT as u64;

/// A buffer of 4096 bytes with the properties.
fn buffer_with(
    context: cl_context,
    list: &[u64],
    flags: cl_mem_flags,
    host: *mut c_void,
) -> Result<cl_mem, cl_int> {
    let mut code = 1;
    // SAFETY: a live context, a terminated list, host memory of the size.
    let mem = unsafe { clCreateBufferWithProperties(context, list.as_ptr(), flags, 4096, host, &mut code) };
    assert_eq!(mem.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
}

fn address_of(mem: cl_mem) -> Result<u64, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    let ask = |s, v, r| unsafe { clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, s, v, r) };
    query_bytes(ask).map(|bytes| number(&bytes))
}

pub fn addresses_of_buffers() {
    let (o, rig) = (offer(), bare_rig());
    let with = |list: &[u64]| buffer_with(rig.context, list, CL_MEM_READ_WRITE, null_mut());
    let made = with(&[ADDRESS, 1, 0]);
    if !o.addresses {
        assert_eq!(made, Err(CL_INVALID_OPERATION));
        return;
    }
    let (mem, plain) = (made.unwrap(), rig.buffer(&[0u64; 4]));
    let address = address_of(mem).unwrap();
    assert_ne!(address, 0);
    assert_eq!(address_of(plain), Err(CL_INVALID_OPERATION));
    let sub = part(mem, 1024, 1024);
    assert_eq!(address_of(sub), Ok(address + 1024));
    assert_eq!(with(&[ADDRESS, 7, 0]), Err(CL_INVALID_PROPERTY));
    assert_eq!(with(&[77, 1, 0]), Err(CL_INVALID_PROPERTY));
    let off = with(&[ADDRESS, 0, 0]).unwrap();
    assert_eq!(address_of(off), Err(CL_INVALID_OPERATION));
    if o.coarse() {
        let memory = Svm::<u32>::new(rig.context, 0, 1024);
        let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
        let same = buffer_with(rig.context, &[ADDRESS, 1, 0], flags, memory.ptr.cast()).unwrap();
        assert_eq!(address_of(same), Ok(memory.ptr as u64));
        release([same]);
    }
    release([sub, mem, plain, off]);
}

/// Kernels receive the address of a whole buffer or of a part, or read addresses from memory.
pub fn addresses_in_kernels() {
    let (o, rig) = (offer(), rig());
    let (queue, scale, follow) = (rig.queue(0), rig.kernel("scale"), rig.kernel("follow"));
    // SAFETY: the type is that of the extension.
    let function: SetAddress = unsafe { extension("clSetKernelArgDevicePointerEXT") };
    // SAFETY: kernels alone follow the address.
    let set_address = |kernel, index, address| unsafe { function(kernel, index, address) };
    if !o.addresses {
        assert_eq!(set_address(scale, 0, 0), CL_INVALID_OPERATION);
        release([scale, follow]);
        return release([queue]);
    }
    let mem = buffer_with(rig.context, &[ADDRESS, 1, 0], CL_MEM_READ_WRITE, null_mut()).unwrap();
    let (address, zero) = (address_of(mem).unwrap(), [0u32; 1024]);
    let from = zero.as_ptr().cast();
    // SAFETY: the words outlive the commands.
    ok(unsafe { clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4096, from, 0, null(), null_mut()) });
    set(scale, 1, 10u32);
    for (at, count) in [(address, 1024), (address + 4, 3)] {
        ok(set_address(scale, 0, at));
        launch(queue, scale, count, &[]).release();
    }
    let cells = rig.buffer(&[0u64, 4, 8, 4092].map(|offset| address + offset));
    set(follow, 0, cells);
    set(follow, 1, 5u32);
    let pointer = (&raw const address).cast();
    // SAFETY: one address.
    ok(unsafe { clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, pointer) });
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
    for (kernel, index, expected) in [
        (rig.device.cast(), 0, CL_INVALID_KERNEL),
        (scale, 2, CL_INVALID_ARG_INDEX),
        (scale, 1, CL_INVALID_ARG_INDEX),
        (scale, 0, CL_SUCCESS),
    ] {
        assert_eq!(set_address(kernel, index, 12345), expected);
    }
    release([scale, follow]);
    release([mem, cells]);
    release([queue]);
}
