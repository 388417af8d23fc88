//! Commands of queues.

use super::*;

/// Arguments that most commands take.
struct Command {
    queue: cl_command_queue,
    a: cl_mem,
    b: cl_mem,
    offset: usize,
    host: *mut c_void,
    count: cl_uint,
    waits: *const cl_event,
    wanted: *mut cl_event,
}

impl Actor<'_> {
    pub(super) fn enqueue(&mut self) {
        let world = self.world;
        let queue: cl_command_queue = self.any(QUEUE);
        let (a, b): (cl_mem, cl_mem) = (self.any(MEM), self.any(MEM));
        let (count, list) = self.waits();
        let waits = if list.is_empty() { null() } else { list.as_ptr() };
        let mut event = null_mut();
        let wanted: *mut cl_event = if self.below(2) == 0 { &mut event } else { null_mut() };
        let (offset, size) = (self.size(), self.size());
        // Only sizes that fit have memory; all buffers are smaller.
        let host = if size <= ARENA / 2 { self.host() } else { null_mut() };
        let command = Command { queue, a, b, offset, host, count, waits, wanted };
        // SAFETY: as in `create`.
        let code = unsafe {
            match self.below(17) {
                0 | 1 => self.launch(&command),
                2 => {
                    let blocking = self.blocking();
                    (CL.clEnqueueReadBuffer)(queue, a, blocking, offset, size, host, count, waits, wanted)
                }
                3 => {
                    let blocking = self.blocking();
                    (CL.clEnqueueWriteBuffer)(queue, a, blocking, offset, size, host, count, waits, wanted)
                }
                4 => {
                    let to = self.size();
                    (CL.clEnqueueCopyBuffer)(queue, a, b, offset, to, size, count, waits, wanted)
                }
                5 => {
                    let (pattern, length) = ([7u8; 128], self.of(&[1usize, 4, 3, 16, 128, 0, usize::MAX]));
                    let pattern = if self.below(16) == 1 { null() } else { pattern.as_ptr().cast() };
                    (CL.clEnqueueFillBuffer)(queue, a, pattern, length, offset, size, count, waits, wanted)
                }
                6 => {
                    let (flags, mut code) = (
                        self.of(&[CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 7, 1 << 20]),
                        1,
                    );
                    let blocking = self.blocking();
                    let mapped = (CL.clEnqueueMapBuffer)(
                        queue, a, blocking, flags, offset, size, count, waits, wanted, &mut code,
                    );
                    self.note(code);
                    let mapped = if self.below(8) == 1 { host } else { mapped };
                    (CL.clEnqueueUnmapMemObject)(queue, a, mapped, 0, null(), null_mut())
                }
                7 | 8 => self.rect(&command),
                9 => self.image(&command),
                10 => {
                    let (origin, region, colour) = (self.corner(), self.extent(), [1u32; 4]);
                    let colour = colour.as_ptr().cast();
                    (CL.clEnqueueFillImage)(
                        queue,
                        a,
                        colour,
                        origin.as_ptr(),
                        region.as_ptr(),
                        count,
                        waits,
                        wanted,
                    )
                }
                11 => (CL.clEnqueueMarkerWithWaitList)(queue, count, waits, wanted),
                12 => (CL.clEnqueueBarrierWithWaitList)(queue, count, waits, wanted),
                13 => {
                    let (mems, flags) =
                        ([a, b], [0, CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 8]);
                    let (n, flags) = (self.below(3) as cl_uint, flags[self.below(4)]);
                    (CL.clEnqueueMigrateMemObjects)(queue, n, mems.as_ptr(), flags, count, waits, wanted)
                }
                14 => (CL.clFlush)(queue),
                15 => {
                    world.open_gates();
                    (CL.clFinish)(queue)
                }
                _ => {
                    world.open_gates();
                    (CL.clWaitForEvents)(count, waits)
                }
            }
        };
        self.note(code);
        world.add(EVENT, event);
    }

    /// A kernel, of sizes that may be wrong.
    fn launch(&mut self, command: &Command) -> cl_int {
        let Command { queue, count, waits, wanted, .. } = *command;
        // SAFETY: as in `create`.
        unsafe {
            let kernel = self.any(KERNEL);
            let dims = [1, 1, 1, 2, 3, 0, 4][self.below(7)];
            let many = self.of(&[1usize, 8, 64, 0, 7, 1000, usize::MAX]);
            // An endless copy is rejected for its offset.
            let (global, offset) =
                if many == usize::MAX { ([many; 3], [8; 3]) } else { ([many, 1, 1], [self.below(9), 0, 0]) };
            let local = [self.of(&[0, 1, 8, 16, 5000]), 1, 1];
            let local = if self.below(2) == 0 { null() } else { local.as_ptr() };
            (CL.clEnqueueNDRangeKernel)(
                queue,
                kernel,
                dims,
                offset.as_ptr(),
                global.as_ptr(),
                local,
                count,
                waits,
                wanted,
            )
        }
    }

    /// A transfer of a rectangle.
    fn rect(&mut self, command: &Command) -> cl_int {
        let Command { queue, a, b, host, count, waits, wanted, .. } = *command;
        // SAFETY: as in `create`.
        unsafe {
            let (origin, to, region) = (self.corner(), self.corner(), self.extent());
            let pitches = [self.size(), self.size()];
            // Pitches of the host are bounded by the memory's size.
            let (row, slice) = (self.below(3) * 128, self.below(3) * 4096);
            let blocking = self.blocking();
            let (from, near) = (origin.as_ptr(), [self.below(16), self.below(8), self.below(4)]);
            let (near, region) = (near.as_ptr(), region.as_ptr());
            match self.below(3) {
                0 => (CL.clEnqueueReadBufferRect)(
                    queue, a, blocking, from, near, region, pitches[0], pitches[1], row, slice, host, count,
                    waits, wanted,
                ),
                1 => (CL.clEnqueueWriteBufferRect)(
                    queue, a, blocking, from, near, region, pitches[0], pitches[1], row, slice, host, count,
                    waits, wanted,
                ),
                _ => {
                    let others = [self.size(), self.size()];
                    (CL.clEnqueueCopyBufferRect)(
                        queue,
                        a,
                        b,
                        from,
                        to.as_ptr(),
                        region,
                        pitches[0],
                        pitches[1],
                        others[0],
                        others[1],
                        count,
                        waits,
                        wanted,
                    )
                }
            }
        }
    }

    /// A transfer of a region of an image.
    fn image(&mut self, command: &Command) -> cl_int {
        let Command { queue, a, b, offset, count, waits, wanted, .. } = *command;
        // SAFETY: as in `create`.
        unsafe {
            let (origin, region) = (self.corner(), self.extent());
            let (origin, region, blocking) = (origin.as_ptr(), region.as_ptr(), self.blocking());
            let to = self.corner();
            let host = self.host();
            match self.below(5) {
                0 => (CL.clEnqueueReadImage)(
                    queue, a, blocking, origin, region, 0, 0, host, count, waits, wanted,
                ),
                1 => (CL.clEnqueueWriteImage)(
                    queue, a, blocking, origin, region, 0, 0, host, count, waits, wanted,
                ),
                2 => (CL.clEnqueueCopyImage)(queue, a, b, origin, to.as_ptr(), region, count, waits, wanted),
                3 => {
                    (CL.clEnqueueCopyImageToBuffer)(queue, a, b, origin, region, offset, count, waits, wanted)
                }
                _ => {
                    (CL.clEnqueueCopyBufferToImage)(queue, b, a, offset, origin, region, count, waits, wanted)
                }
            }
        }
    }

    /// An origin; the fourth number is the mip level of 3D images.
    pub(super) fn corner(&mut self) -> [usize; 4] {
        [self.below(32), self.below(20), self.below(8), self.below(4)]
            .map(|n| if n == 19 { self.size() } else { n })
    }

    pub(super) fn extent(&mut self) -> [usize; 3] {
        [1 + self.below(32), 1 + self.below(16), 1 + self.below(4)]
            .map(|n| if n == 16 { n * self.below(2) } else { n })
    }
}
