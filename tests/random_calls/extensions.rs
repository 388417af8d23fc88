//! Random calls with images, shared virtual memory, command buffers and semaphores.
//!
//! Endless waits are excluded: a semaphore wait is enqueued after its signal, without a call between them
//! that could fail. Shared memory belongs to one actor until it is freed in the order of its commands.

use super::*;
use test_support::api::command_buffer::*;
use test_support::api::semaphore::*;

impl Counted for _cl_command_buffer_khr {
    unsafe fn retain(handle: *mut Self) -> cl_int {
        // SAFETY: the caller's promise.
        unsafe { clRetainCommandBufferKHR(handle) }
    }
    unsafe fn release(handle: *mut Self) -> cl_int {
        // SAFETY: the caller's promise.
        unsafe { clReleaseCommandBufferKHR(handle) }
    }
}

/// Maximum side of an image.
const SIDE: usize = 32;
/// Size of the largest image in bytes.
const LARGEST: usize = SIDE * SIDE * 16;

impl Actor<'_> {
    pub(super) fn more(&mut self, world: &World) {
        match self.below(8) {
            0 => self.create_image(world),
            1..=3 => self.use_image(world),
            4 => self.share(world),
            5 => self.signal(world),
            _ => self.record(world),
        }
    }

    fn create_image(&mut self, world: &World) {
        let kinds = [CL_UNSIGNED_INT8, CL_FLOAT, CL_UNORM_INT8, CL_UNSIGNED_INT32, 7];
        let format = cl_image_format {
            image_channel_order: [CL_R, CL_RGBA, CL_RG, CL_RGBA, 0x7777][self.below(5)],
            image_channel_data_type: kinds[self.below(5)],
        };
        let buffer =
            if self.rarely(4) { world.mems.any(&mut self.random, 8) } else { Held(null_mut(), false) };
        let side = |actor: &mut Self| if actor.rarely(30) { actor.size(SIDE) } else { 1 + actor.below(SIDE) };
        let (width, height) = (side(self), side(self));
        let desc = cl_image_desc {
            image_type: [
                CL_MEM_OBJECT_IMAGE2D,
                CL_MEM_OBJECT_IMAGE2D,
                CL_MEM_OBJECT_IMAGE1D,
                CL_MEM_OBJECT_IMAGE1D_BUFFER,
                1,
            ][self.below(5)],
            image_width: width,
            image_height: height,
            image_depth: 1,
            image_array_size: 1,
            image_row_pitch: if self.rarely(20) { 256 } else { 0 },
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            mem_object: buffer.get(),
        };
        let flags =
            [0, CL_MEM_READ_ONLY, CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_NO_ACCESS, 1 << 40][self.below(5)];
        let ptr = if flags == CL_MEM_COPY_HOST_PTR && width <= SIDE && height <= SIDE {
            self.arena.take(LARGEST)
        } else {
            null_mut()
        };
        let context = if self.rarely(50) { null_mut() } else { world.context.get() };
        let mut code = 1;
        // SAFETY: format and description are alive; a pointer that is not NULL has the bytes of the largest
        // image.
        let image = unsafe { clCreateImage(context, flags, &format, &desc, ptr, &mut code) };
        world.mems.put(&mut self.random, image);
        self.note(code);
    }

    fn use_image(&mut self, world: &World) {
        let junk = world.context.get() as usize;
        let queue = world.queues.any(&mut self.random, junk);
        let (a, b) = (world.mems.any(&mut self.random, junk), world.mems.any(&mut self.random, junk));
        let mut event = null_mut();
        let wanted: *mut cl_event = if self.rarely(3) { null_mut() } else { &mut event };
        let blocking = cl_uint::from(self.rarely(8));
        let origin = [
            self.below(SIDE),
            if self.rarely(2) { self.below(SIDE) } else { 0 },
            usize::from(self.rarely(30)),
        ];
        let region = [1 + self.below(SIDE), if self.rarely(2) { 1 + self.below(SIDE) } else { 1 }, 1];
        let (color, ptr) = ([self.below(200) as u32; 4], self.arena.take(LARGEST));
        let (o, r, z) = (origin.as_ptr(), region.as_ptr(), [0usize; 3]);
        let (queue, a, b) = (queue.get(), a.get(), b.get());
        // SAFETY: handles that calls must check; memory for the largest image.
        let code = unsafe {
            match self.random.below(7) {
                0 => clEnqueueReadImage(queue, a, blocking, o, r, 0, 0, ptr, 0, null(), wanted),
                1 => clEnqueueWriteImage(queue, a, blocking, o, r, 0, 0, ptr, 0, null(), wanted),
                2 => clEnqueueFillImage(queue, a, color.as_ptr().cast(), o, r, 0, null(), wanted),
                3 => clEnqueueCopyImage(queue, a, b, o, z.as_ptr(), r, 0, null(), wanted),
                4 => clEnqueueCopyImageToBuffer(queue, a, b, o, r, self.below(500), 0, null(), wanted),
                5 => clEnqueueCopyBufferToImage(queue, a, b, self.below(500), o, r, 0, null(), wanted),
                _ => {
                    let (mut code, mut pitch, mut slices) = (1, 0, 0);
                    let flags =
                        [CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, 1 << 20][self.below(4)];
                    let mapped = clEnqueueMapImage(
                        queue,
                        a,
                        blocking,
                        flags,
                        o,
                        r,
                        &mut pitch,
                        &mut slices,
                        0,
                        null(),
                        wanted,
                        &mut code,
                    );
                    self.note(code);
                    clEnqueueUnmapMemObject(
                        queue,
                        a,
                        if self.rarely(20) { ptr } else { mapped },
                        0,
                        null(),
                        null_mut(),
                    )
                }
            }
        };
        self.note(code);
        if !event.is_null() {
            world.events.put(&mut self.random, event);
        }
    }

    /// Two allocations that are filled, copied, mapped, and freed afterwards.
    fn share(&mut self, world: &World) {
        let junk = world.context.get() as usize;
        let queue = world.queues.any(&mut self.random, junk);
        let flags = [0, CL_MEM_READ_WRITE, CL_MEM_SVM_FINE_GRAIN_BUFFER, 1 << 40][self.below(4)];
        let (size, alignment) = (self.size(20_000), [0, 0, 64, 3][self.below(4)]);
        let context = if self.rarely(50) { null_mut() } else { world.context.get() };
        // SAFETY: a handle that the call must check.
        let made = [(); 2].map(|()| unsafe { clSVMAlloc(context, flags, size, alignment) });
        let [a, b] = made;
        if a.is_null() || b.is_null() {
            // SAFETY: what was allocated, or NULL.
            made.iter().for_each(|p| unsafe { clSVMFree(world.context.get(), *p) });
            return;
        }
        let queue = queue.get();
        let mut events: Vec<cl_event> = Vec::new();
        let pattern = [3u8; 16];
        for _ in 0..1 + self.below(4) {
            let mut event = null_mut();
            let (n, list) = (events.len() as u32, if events.is_empty() { null() } else { events.as_ptr() });
            let part = self.size(size).min(size);
            let to = if self.rarely(20) { null_mut() } else { a };
            // SAFETY: memory of the size given, or NULL; live events.
            let code = unsafe {
                match self.below(4) {
                    0 => {
                        clEnqueueSVMMemFill(queue, to, pattern.as_ptr().cast(), 1, part, n, list, &mut event)
                    }
                    1 => clEnqueueSVMMemcpy(queue, 0, to, b, part, n, list, &mut event),
                    2 => clEnqueueSVMMap(queue, 0, CL_MAP_READ | CL_MAP_WRITE, to, part, n, list, &mut event),
                    _ => clEnqueueSVMUnmap(queue, to, n, list, &mut event),
                }
            };
            self.note(code);
            events.extend((!event.is_null()).then_some(event));
        }
        let (mut list, mut freed) = ([a, b], null_mut());
        let (n, waits) = (events.len() as u32, if events.is_empty() { null() } else { events.as_ptr() });
        // SAFETY: both are freed when everything that uses them is done.
        let code =
            unsafe { clEnqueueSVMFree(queue, 2, list.as_mut_ptr(), None, null_mut(), n, waits, &mut freed) };
        self.note(code);
        if code != CL_SUCCESS {
            // SAFETY: without a queue nothing was enqueued.
            made.iter().for_each(|p| unsafe { clSVMFree(world.context.get(), *p) });
        }
        for event in events.into_iter().chain((!freed.is_null()).then_some(freed)) {
            world.events.put(&mut self.random, event);
        }
    }

    /// A semaphore that one queue signals and another one waits for.
    fn signal(&mut self, world: &World) {
        let list = [u64::from(CL_SEMAPHORE_TYPE_KHR), u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR), 0];
        let mut code = 1;
        // SAFETY: a terminated list.
        let semaphore =
            unsafe { clCreateSemaphoreWithPropertiesKHR(world.context.get(), list.as_ptr(), &mut code) };
        self.note(code);
        if semaphore.is_null() {
            return;
        }
        let (Some(from), Some(to)) =
            (world.queues.valid(&mut self.random), world.queues.valid(&mut self.random))
        else {
            // SAFETY: a live handle.
            return ok(unsafe { clReleaseSemaphoreKHR(semaphore) });
        };
        for _ in 0..1 + self.below(3) {
            let mut event = null_mut();
            // SAFETY: live handles.
            let code = unsafe {
                clEnqueueSignalSemaphoresKHR(from.get(), 1, &semaphore, null(), 0, null(), null_mut())
            };
            self.note(code);
            if code != CL_SUCCESS {
                break;
            }
            // SAFETY: as above.
            let code =
                unsafe { clEnqueueWaitSemaphoresKHR(to.get(), 1, &semaphore, null(), 0, null(), &mut event) };
            self.note(code);
            world.events.put(&mut self.random, event);
        }
        // SAFETY: as above; the commands keep it.
        ok(unsafe { clReleaseSemaphoreKHR(semaphore) });
    }

    fn record(&mut self, world: &World) {
        let junk = world.context.get() as usize;
        let held = [(); 2].map(|()| world.queues.any(&mut self.random, junk));
        let (queues, count, mut code) =
            ([held[0].get(), held[1].get()], 1 + cl_uint::from(self.rarely(3)), 1);
        let (queue, no_handle) = (if self.rarely(3) { queues[0] } else { null_mut() }, null_mut());
        if self.rarely(4) {
            let list = [
                u64::from(CL_COMMAND_BUFFER_FLAGS_KHR),
                [0, CL_COMMAND_BUFFER_MUTABLE_KHR, 1 << 40][self.below(3)],
                0,
            ];
            // SAFETY: up to two queues and a terminated list.
            let made = unsafe { clCreateCommandBufferKHR(count, queues.as_ptr(), list.as_ptr(), &mut code) };
            world.buffers.put(&mut self.random, made);
            return self.note(code);
        }
        let buffer = world.buffers.any(&mut self.random, junk);
        let (a, b) = (world.mems.any(&mut self.random, junk), world.mems.any(&mut self.random, junk));
        let (offset, size) = (self.size(2000), self.size(4000));
        let (buffer, pattern, waits) = (buffer.get(), [5u8; 4], [1 + self.below(3) as cl_sync_point_khr]);
        let (n, waits) = if self.rarely(3) { (1, waits.as_ptr()) } else { (0, null()) };
        let global = [8 + 8 * self.below(20)];
        // SAFETY: handles that calls must check; lists of their lengths.
        let code = unsafe {
            match self.random.below(10) {
                0 => clCommandFillBufferKHR(
                    buffer,
                    queue,
                    null(),
                    a.get(),
                    pattern.as_ptr().cast(),
                    4,
                    offset & !3,
                    size & !3,
                    n,
                    waits,
                    null_mut(),
                    no_handle,
                ),
                1 | 2 => clCommandCopyBufferKHR(
                    buffer,
                    queue,
                    null(),
                    a.get(),
                    b.get(),
                    offset,
                    self.size(2000),
                    size,
                    n,
                    waits,
                    null_mut(),
                    no_handle,
                ),
                3 | 4 => {
                    let kernel = world.kernels.any(&mut self.random, junk);
                    let (kernel, global) = (kernel.get(), global.as_ptr());
                    clCommandNDRangeKernelKHR(
                        buffer,
                        queue,
                        null(),
                        kernel,
                        1,
                        null(),
                        global,
                        null(),
                        n,
                        waits,
                        null_mut(),
                        no_handle,
                    )
                }
                5 => clCommandBarrierWithWaitListKHR(buffer, queue, null(), n, waits, null_mut(), no_handle),
                6 => clFinalizeCommandBufferKHR(buffer),
                7 => {
                    let (list, none, mut code) = (queues.as_ptr(), null_mut(), 1);
                    let copy =
                        clRemapCommandBufferKHR(buffer, CL_FALSE, count, list, 0, null(), none, &mut code);
                    world.buffers.put(&mut self.random, copy);
                    code
                }
                _ => {
                    let mut event = null_mut();
                    let (list, count) = if self.rarely(4) { (queues.as_ptr(), count) } else { (null(), 0) };
                    let code = clEnqueueCommandBufferKHR(count, list, buffer, 0, null(), &mut event);
                    world.events.put(&mut self.random, event);
                    code
                }
            }
        };
        self.note(code);
    }
}
