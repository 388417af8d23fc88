//! Random commands on buffers, and kernels.

use super::*;

/// Arguments that most commands take.
struct Common {
    queue: cl_command_queue,
    a: cl_mem,
    b: cl_mem,
    blocking: cl_uint,
    offset: usize,
    size: usize,
    /// Memory of `size` bytes, or NULL.
    ptr: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    wanted: *mut cl_event,
}

impl Actor<'_> {
    pub(super) fn enqueue(&mut self, world: &World) {
        let worlds = self.worlds;
        let junk = world.context.get() as usize;
        let queue = world.queues.any(&mut self.random, junk);
        let elsewhere = self.world(world, worlds);
        let waits = self.event_list(elsewhere, junk);
        let waits: (Vec<cl_event>, Vec<Held<_cl_event>>) = (waits.iter().map(Held::get).collect(), waits);
        let count = if self.rarely(60) { 1 + self.below(2) } else { waits.0.len() };
        let count = if waits.0.len() >= count { count } else { waits.0.len() } as cl_uint;
        let list = if waits.0.is_empty() { null() } else { waits.0.as_ptr() };
        let mut event = null_mut();
        let wanted: *mut cl_event = if self.rarely(3) { null_mut() } else { &mut event };
        let elsewhere = self.world(world, worlds);
        let (a, b) = (elsewhere.mems.any(&mut self.random, junk), world.mems.any(&mut self.random, junk));
        let blocking = cl_uint::from(self.rarely(8));
        let (offset, size) = (self.size(2000), self.size(5000));
        // Only sizes that fit into the arena come with memory.
        let ptr = if size < 1 << 20 { self.arena.take(size) } else { null_mut() };
        let (queue, a, b) = (queue.get(), a.get(), b.get());
        let common = &Common { queue, a, b, blocking, offset, size, ptr, count, list, wanted };
        // SAFETY: handles that calls must check; memory and lists of the sizes given.
        let code = unsafe {
            match self.random.below(16) {
                0..=3 => self.launch(world, common, junk),
                4 => {
                    clEnqueueTask(queue, world.kernels.any(&mut self.random, junk).get(), count, list, wanted)
                }
                choice @ 5..=8 => self.transfer(common, choice),
                9 => self.map(common),
                10 => self.rect(common),
                11 => self.migrate(common),
                12 => enqueue_native(common),
                13 => clEnqueueMarkerWithWaitList(queue, count, list, wanted),
                14 => clEnqueueBarrierWithWaitList(queue, count, list, wanted),
                _ => clEnqueueWaitForEvents(queue, count, list),
            }
        };
        self.note(code);
        if !event.is_null() {
            world.events.put(&mut self.random, event);
        }
    }

    /// A kernel, of sizes that may be wrong.
    ///
    /// # Safety
    /// The lists and memory must have the sizes given.
    unsafe fn launch(&mut self, world: &World, common: &Common, junk: usize) -> cl_int {
        let Common { queue, count, list, wanted, .. } = *common;
        // SAFETY: the caller's promise; the call checks the handles.
        unsafe {
            let kernel = world.kernels.any(&mut self.random, junk);
            let dims = if self.rarely(40) { self.below(5) } else { 1 };
            let (global, local) =
                ([self.size(300).wrapping_add(1), 1, 1], [[0, 1, 8, 16, 8][self.below(5)], 1, 1]);
            // Many work-items take long; larger sizes are for errors only.
            let global =
                if global[0] > 1000 { [usize::MAX; 3] } else { global.map(|g| g.next_multiple_of(8)) };
            let offset = [if self.rarely(20) { usize::MAX } else { self.below(10) }, 0, 0];
            let offset = if global[0] == usize::MAX { [8; 3] } else { offset };
            let local = if self.rarely(2) { null() } else { local.as_ptr() };
            let (dims, offset, global) = (dims as cl_uint, offset.as_ptr(), global.as_ptr());
            clEnqueueNDRangeKernel(queue, kernel.get(), dims, offset, global, local, count, list, wanted)
        }
    }

    /// A read, write, copy or fill of a range.
    ///
    /// # Safety
    /// The lists and memory must have the sizes given.
    unsafe fn transfer(&mut self, common: &Common, choice: usize) -> cl_int {
        let Common { queue, a, b, blocking, offset, size, ptr, count, list, wanted } = *common;
        // SAFETY: the caller's promise; the call checks the handles.
        unsafe {
            match choice {
                5 => clEnqueueReadBuffer(queue, a, blocking, offset, size, ptr, count, list, wanted),
                6 => clEnqueueWriteBuffer(queue, a, blocking, offset, size, ptr, count, list, wanted),
                7 => clEnqueueCopyBuffer(queue, a, b, offset, self.size(2000), size, count, list, wanted),
                _ => {
                    let (pattern, length) = ([7u8; 128], [1, 4, 3, 16, 128, 0][self.below(6)]);
                    let size = size - size.checked_rem(length).unwrap_or(0);
                    let offset = if self.rarely(10) { offset } else { 256 };
                    clEnqueueFillBuffer(
                        queue,
                        a,
                        pattern.as_ptr().cast(),
                        length,
                        offset,
                        size,
                        count,
                        list,
                        wanted,
                    )
                }
            }
        }
    }

    /// A map, and an unmap of that or another address.
    ///
    /// # Safety
    /// The lists and memory must have the sizes given.
    unsafe fn map(&mut self, common: &Common) -> cl_int {
        let Common { queue, a, blocking, offset, size, ptr, count, list, wanted, .. } = *common;
        // SAFETY: the caller's promise; the call checks the handles.
        unsafe {
            let flags =
                [CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 1 << 20][self.below(5)];
            let mut code = 1;
            let mapped =
                clEnqueueMapBuffer(queue, a, blocking, flags, offset, size, count, list, wanted, &mut code);
            self.note(code);
            let mapped = if self.rarely(20) { ptr } else { mapped };
            clEnqueueUnmapMemObject(queue, a, mapped, 0, null(), null_mut())
        }
    }

    /// A read or write of a rectangle.
    ///
    /// # Safety
    /// The lists and memory must have the sizes given.
    unsafe fn rect(&mut self, common: &Common) -> cl_int {
        let Common { queue, a, blocking, count, list, wanted, .. } = *common;
        // SAFETY: the caller's promise; the call checks the handles.
        unsafe {
            let (origin, region) = ([self.size(20), self.size(4), 0], [self.size(60), self.size(6), 1]);
            let (pitch, room) = (self.below(3) * 64, 64 << 10);
            let there = self.arena.take(room);
            let host = [self.below(20), self.below(4), 0];
            // Regions beyond the arena are skipped.
            let region = region.map(|r| if r > 200 { 0 } else { r });
            let (o, h, r) = (origin.as_ptr(), host.as_ptr(), region.as_ptr());
            if self.rarely(2) {
                clEnqueueReadBufferRect(
                    queue, a, blocking, o, h, r, pitch, 0, pitch, 0, there, count, list, wanted,
                )
            } else {
                clEnqueueWriteBufferRect(
                    queue, a, blocking, o, h, r, pitch, 0, pitch, 0, there, count, list, wanted,
                )
            }
        }
    }

    /// A migration.
    ///
    /// # Safety
    /// The lists and memory must have the sizes given.
    unsafe fn migrate(&mut self, common: &Common) -> cl_int {
        let Common { queue, a, b, count, list, wanted, .. } = *common;
        // SAFETY: the caller's promise; the call checks the handles.
        unsafe {
            let mems = [a, b];
            let flags =
                [0, CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 8][self.below(4)];
            clEnqueueMigrateMemObjects(queue, self.below(3) as u32, mems.as_ptr(), flags, count, list, wanted)
        }
    }
}

/// A native kernel.
///
/// # Safety
/// The lists and memory must have the sizes given.
unsafe fn enqueue_native(common: &Common) -> cl_int {
    let Common { queue, a, count, list, wanted, .. } = *common;
    // SAFETY: the caller's promise; the call checks the handles.
    unsafe {
        let mut args = [a];
        let mut location: *const c_void = args.as_ptr().cast();
        let (bytes, mems): (*mut c_void, *const cl_mem) =
            (args.as_mut_ptr().cast(), &raw const *args.as_ptr());
        clEnqueueNativeKernel(queue, Some(native), bytes, 8, 1, mems, &mut location, count, list, wanted)
    }
}
