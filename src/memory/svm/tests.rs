//! Allocations and the commands on them, against mock devices with all kinds of address sharing.

use super::*;
use crate::command::svm as commands;
use crate::device::mock::{MockDevice, Mode};
use crate::event::WaitList;
use crate::memory::buffer;
use crate::queue::CommandQueue;

struct Rig {
    context: Arc<Context>,
    queues: Vec<Arc<CommandQueue>>,
}

impl Rig {
    fn new(sharing: &[AddressSharing]) -> Rig {
        let mock =
            |s: &AddressSharing| Device::new("mock", MockDevice::with_sharing(Mode::AtOnce, false, true, *s));
        let devices: Vec<_> = sharing.iter().map(mock).collect();
        let context = Context::new(devices.clone(), Vec::new(), None, Default::default()).unwrap();
        let queues = devices.iter().map(|d| CommandQueue::new(&context, d, 0, None).unwrap()).collect();
        Rig { context, queues }
    }
    fn alloc(&self, size: usize) -> HostPtr {
        svm_alloc(&self.context, CL_MEM_READ_WRITE, size, 0).unwrap()
    }
    fn fill(&self, queue: usize, ptr: HostPtr, byte: u8, size: usize) {
        commands::fill(&self.queues[queue], CL_COMMAND_SVM_MEMFILL, ptr, &[byte], size, WaitList::new())
            .unwrap();
    }
    fn copy(&self, queue: usize, dst: HostPtr, src: HostPtr, size: usize) {
        commands::memcpy(&self.queues[queue], CL_COMMAND_SVM_MEMCPY, true, (dst, src), size, WaitList::new())
            .unwrap();
    }
    fn map(&self, flags: cl_map_flags, ptr: HostPtr, size: usize) {
        commands::map(&self.queues[0], true, flags, ptr, size, WaitList::new()).unwrap();
    }
    fn unmap(&self, ptr: HostPtr) {
        commands::unmap(&self.queues[0], ptr, WaitList::new()).unwrap();
        self.queues[0].finish().unwrap();
    }
}

fn host(bytes: &mut [u8]) -> HostPtr {
    HostPtr::new(bytes.as_mut_ptr())
}

/// Bytes of the host at an allocation.
fn seen(ptr: HostPtr, len: usize) -> Vec<u8> {
    // SAFETY: tests look at live allocations that the host may use.
    unsafe { std::slice::from_raw_parts(ptr.as_ptr(), len) }.to_vec()
}

fn store(ptr: HostPtr, byte: u8) {
    // SAFETY: as above.
    unsafe { ptr.as_ptr().write(byte) };
}

#[test]
fn mirrored_bytes_move_when_they_are_mapped_and_unmapped() {
    let rig = Rig::new(&[AddressSharing::Mirrored]);
    let p = rig.alloc(64);
    rig.fill(0, p, 7, 64);
    assert_eq!(seen(p, 64), [0; 64], "the device's own memory");
    rig.map(CL_MAP_READ, p.offset(8), 16);
    let expected: Vec<u8> = (0..64).map(|i| if (8..24).contains(&i) { 7 } else { 0 }).collect();
    assert_eq!(seen(p, 64), expected, "only what is mapped is copied");
    store(p.offset(8), 99);
    rig.unmap(p.offset(8));
    let mut out = [0u8; 64];
    rig.copy(0, host(&mut out), p, 64);
    assert_eq!(out, [7; 64], "a mapping for reading writes nothing back");
    rig.map(CL_MAP_WRITE, p, 4);
    store(p, 42);
    rig.unmap(p);
    rig.copy(0, host(&mut out), p, 64);
    assert_eq!((out[0], &out[1..4]), (42, &[7; 3][..]), "bytes of a mapping that are not written stay");
    rig.map(CL_MAP_WRITE_INVALIDATE_REGION, p.offset(32), 2);
    store(p.offset(32), 1);
    store(p.offset(33), 2);
    rig.unmap(p.offset(32));
    rig.copy(0, host(&mut out), p, 64);
    assert_eq!(out[31..35], [7, 1, 2, 7]);
}

#[test]
fn copies_between_allocations_and_host_memory() {
    for sharing in [AddressSharing::Mirrored, AddressSharing::Concurrent, AddressSharing::Host] {
        let rig = Rig::new(&[sharing]);
        let (a, b) = (rig.alloc(100), rig.alloc(100));
        let mut bytes: Vec<u8> = (0..100).collect();
        rig.copy(0, a, host(&mut bytes), 100);
        rig.copy(0, b.offset(10), a.offset(20), 30);
        let mut out = vec![0u8; 30];
        rig.copy(0, host(&mut out), b.offset(10), 30);
        assert_eq!(out, bytes[20..50], "{sharing:?}");
        let mut plain = vec![0u8; 30];
        rig.copy(0, host(&mut plain), host(&mut out), 30);
        assert_eq!(plain, out);
        rig.fill(0, host(&mut plain), 5, 30);
        rig.queues[0].finish().unwrap();
        assert_eq!(plain, [5; 30]);
        let overlap = commands::memcpy(&rig.queues[0], 0, true, (a, a.offset(9)), 10, WaitList::new());
        assert_eq!(overlap.map(|_| ()).unwrap_err().code(), CL_MEM_COPY_OVERLAP);
        let beyond = commands::memcpy(&rig.queues[0], 0, true, (a, b.offset(99)), 2, WaitList::new());
        assert_eq!(beyond.map(|_| ()).unwrap_err().code(), CL_INVALID_VALUE);
    }
}

#[test]
fn buffers_of_an_allocation_are_the_allocation() {
    let rig = Rig::new(&[AddressSharing::Mirrored]);
    let p = rig.alloc(64);
    let create = |ptr, size| buffer::create(&rig.context, None, CL_MEM_USE_HOST_PTR, size, Some(ptr));
    let mem = create(p.offset(16), 48).unwrap();
    assert!(mem.uses_svm && mem.offset == 16 && mem.origin == 0);
    assert_eq!(create(p.offset(16), 49).map(|_| ()).unwrap_err().code(), CL_INVALID_BUFFER_SIZE);
    let queue = &rig.queues[0];
    crate::command::transfer::fill_buffer(queue, &mem, &[9], 0, 4, WaitList::new()).unwrap();
    let (_, mapped) =
        crate::command::map::map_buffer(queue, &mem, true, CL_MAP_READ, 0, 8, WaitList::new()).unwrap();
    assert_eq!(mapped, p.offset(16));
    assert_eq!(seen(p.offset(14), 8), [0, 0, 9, 9, 9, 9, 0, 0]);
    // The allocation lives until the last command or buffer that uses it.
    let kept = Arc::downgrade(rig.context.allocations.find(p.addr() as u64).unwrap().residency());
    assert!(rig.context.allocations.remove(p.addr() as u64).is_some());
    assert!(rig.context.allocations.find(p.addr() as u64).is_none());
    assert!(kept.upgrade().is_some());
    queue.finish().unwrap();
    drop(mem);
    assert!(kept.upgrade().is_none());
}

#[test]
fn several_devices_need_one_address() {
    use AddressSharing::{Concurrent, Host, Mirrored, None};
    let alloc = |rig: &Rig| svm_alloc(&rig.context, CL_MEM_READ_WRITE, 64, 0);
    // Devices that access every address use each other's memory.
    for sharing in [
        &[Host, Host][..],
        &[Concurrent, Host],
        &[Host, Concurrent, None],
        &[Concurrent, Concurrent],
        &[Concurrent, Host, Concurrent],
    ] {
        let rig = Rig::new(sharing);
        let p = alloc(&rig).unwrap();
        for (i, device) in sharing.iter().enumerate().filter(|(_, s)| **s != None) {
            rig.fill(i, p, i as u8 + 1, 64);
            rig.queues[i].finish().unwrap();
            assert_eq!(seen(p, 64), [i as u8 + 1; 64], "{device:?}");
        }
    }
    // Another device cannot use a mirror.
    for sharing in [[Mirrored, Mirrored], [Concurrent, Mirrored], [Mirrored, Host]] {
        assert_eq!(alloc(&Rig::new(&sharing)).unwrap_err().code(), CL_OUT_OF_RESOURCES, "{sharing:?}");
    }
    assert_eq!(alloc(&Rig::new(&[None])).unwrap_err().code(), CL_INVALID_OPERATION);
    let rig = Rig::new(&[Concurrent, Mirrored]);
    let usm = |kind, i: Option<usize>| {
        usm_alloc(&rig.context, kind, i.map(|i| &*rig.context.devices()[i]), &[], 64, 0)
    };
    assert!(
        usm(SvmKind::Device, Some(1)).is_ok()
            && usm(SvmKind::Shared, Some(0)).is_ok()
            && usm(SvmKind::Host, Option::None).is_ok()
    );
    assert_eq!(usm(SvmKind::Shared, Some(1)).unwrap_err().code(), CL_INVALID_OPERATION);
}

#[test]
fn buffers_with_addresses_are_found_on_each_device() {
    let rig = Rig::new(&[AddressSharing::Mirrored, AddressSharing::None]);
    let list = vec![u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), 1, 0];
    let mem = buffer::create(&rig.context, Some(list.clone()), CL_MEM_READ_WRITE, 256, Option::None).unwrap();
    let addresses = mem.addresses.clone().unwrap();
    for (i, address) in addresses.iter().enumerate() {
        let (residency, offset) = rig.context.allocations.behind(address + 200, i).unwrap();
        assert!(Arc::ptr_eq(&residency, mem.residency()) && offset == 200);
        assert!(rig.context.allocations.behind(*address, 1 - i).is_none());
        assert!(rig.context.allocations.behind(address + 256, i).is_none());
    }
    let sub = buffer::create_sub_buffer(&mem, 0, 128, 64).unwrap();
    assert_eq!(sub.addresses.as_ref().unwrap()[0], addresses[0] + 128);
    let code = |list| {
        buffer::create(&rig.context, Some(list), CL_MEM_READ_WRITE, 256, Option::None)
            .map(|_| ())
            .unwrap_err()
            .code()
    };
    assert_eq!(code([&list[..2], &list].concat()), CL_INVALID_PROPERTY);
    assert_eq!(code(vec![list[0], 2, 0]), CL_INVALID_PROPERTY);
    drop((mem, sub));
    assert!(rig.context.allocations.behind(addresses[0], 0).is_none());
}
