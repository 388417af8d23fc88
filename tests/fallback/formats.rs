//! Images of formats that only the processor supports, and uses of formats that only it supports: commands
//! and kernels of the device's queues accept them like any other image.

use super::*;
use std::ffi::c_void;
use std::ops::Range;
use test_support::api::command_buffer::*;

/// A format that no Vulkan device supports: ten bits each of red, green and blue from the top, two of alpha.
const LACKING: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT_101010_2 };
/// A format that every device supports.
const COMMON: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
/// A format that no Vulkan device can write.
const PACKED: cl_image_format =
    cl_image_format { image_channel_order: CL_RGB, image_channel_data_type: CL_UNORM_SHORT_565 };

const SOURCE: &str = "
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
kernel void turn(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, 1.0f - read_imagef(from, at));
}
kernel void turn_array(read_only image2d_array_t from, write_only image2d_array_t to) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imagef(to, at, 1.0f - read_imagef(from, at));
}
kernel void turn_volume(read_only image3d_t from, write_only image3d_t to) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imagef(to, at, 1.0f - read_imagef(from, at));
}
kernel void step(global uint *p, uint addend) { size_t i = get_global_id(0); p[i] = p[i] * 5 + addend; }
kernel void paint(write_only image2d_t to, float4 color) {
    write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), color * (float)(get_global_id(0) % 2));
}
kernel void take(read_only image2d_t from, global float4 *to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    to[at.y * get_global_size(0) + at.x] = read_imagef(from, at);
}
kernel void roomy(read_only image2d_t from, global float4 *to, local float4 *room) {
    size_t i = get_local_id(0);
    room[i] = read_imagef(from, (int2)(0, 0));
    barrier(CLK_LOCAL_MEM_FENCE);
    to[i] = room[get_local_size(0) - 1 - i];
}";

const SIZE: [usize; 3] = [20, 9, 3];

/// A kind of image: its size, and the kernel that inverts all bits of its texels.
#[derive(Clone, Copy)]
struct Kind {
    image_type: cl_mem_object_type,
    size: [usize; 3],
    turn: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind { image_type: CL_MEM_OBJECT_IMAGE2D, size: [SIZE[0], SIZE[1], 1], turn: "turn" },
    Kind { image_type: CL_MEM_OBJECT_IMAGE2D_ARRAY, size: SIZE, turn: "turn_array" },
    Kind { image_type: CL_MEM_OBJECT_IMAGE3D, size: SIZE, turn: "turn_volume" },
];

impl Kind {
    fn texels(&self) -> usize {
        self.size.iter().product()
    }

    fn create(
        &self,
        rig: &Rig,
        flags: cl_mem_flags,
        format: cl_image_format,
        data: *mut c_void,
    ) -> Result<cl_mem, cl_int> {
        // SAFETY: a structure of numbers and pointers.
        let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
        (desc.image_type, desc.image_width, desc.image_height) =
            (self.image_type, self.size[0], self.size[1]);
        match self.image_type {
            CL_MEM_OBJECT_IMAGE3D => desc.image_depth = self.size[2],
            _ => desc.image_array_size = self.size[2],
        }
        let mut code = 1;
        // SAFETY: the data, if any, has the image's size.
        let image = unsafe { clCreateImage(rig.context, flags, &format, &desc, data, &mut code) };
        if code == CL_SUCCESS { Ok(image) } else { Err(code) }
    }

    /// Runs a kernel with a work-item for each texel.
    fn launch(&self, queue: cl_command_queue, kernel: cl_kernel, waits: &[cl_event]) -> cl_event {
        let (list, mut event) = (if waits.is_empty() { null() } else { waits.as_ptr() }, null_mut());
        let dims = if self.size[2] == 1 { 2 } else { 3 };
        let size = self.size.as_ptr();
        // SAFETY: live handles; as many sizes as dimensions; the list has its length.
        ok(unsafe {
            clEnqueueNDRangeKernel(
                queue,
                kernel,
                dims,
                null(),
                size,
                null(),
                waits.len() as u32,
                list,
                &mut event,
            )
        });
        event
    }
}

/// A box in an image.
#[derive(Clone, Copy)]
struct Part {
    origin: [usize; 3],
    size: [usize; 3],
}

impl Part {
    fn random(random: &mut Random, size: [usize; 3]) -> Part {
        let origin = size.map(|n| random.below(n));
        let size = std::array::from_fn(|i| 1 + random.below(size[i] - origin[i]));
        Part { origin, size }
    }

    fn count(&self) -> usize {
        self.size.iter().product()
    }

    /// Pointers to the origin and the size.
    fn pointers(&self) -> (*const usize, *const usize) {
        (self.origin.as_ptr(), self.size.as_ptr())
    }

    /// Positions of the box's texels in an image.
    fn positions(self, kind: Kind) -> Vec<usize> {
        let [w, h, d] = self.size;
        let at = |x, y, z| {
            let [x0, y0, z0] = self.origin;
            ((z0 + z) * kind.size[1] + y0 + y) * kind.size[0] + x0 + x
        };
        (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| at(x, y, z)))).collect()
    }
}

/// Initial words of one of three memory objects with a word for each texel.
fn initial(kind: Kind, index: u32) -> Vec<u32> {
    (0..kind.texels() as u32).map(|i| scrambled(i + 1000 * index)).collect()
}

fn scrambled(i: u32) -> u32 {
    i.wrapping_mul(0x9e37_79b9)
}

/// Operand of a command: a part of one of the images. Copies go to the other image, or between the part and
/// words of the buffer.
struct Operand {
    queue: cl_command_queue,
    image: usize,
    part: Part,
    /// Copied words of the buffer.
    words: Range<usize>,
}

/// Two images and a buffer, the kernels that change them, and the words they must contain.
struct Model {
    kind: Kind,
    images: [cl_mem; 2],
    buffer: cl_mem,
    step: cl_kernel,
    turn: cl_kernel,
    /// Words of both images and of the buffer.
    words: [Vec<u32>; 3],
    /// Event of the last command, which the next one waits for.
    last: Option<cl_event>,
}

impl Model {
    /// Images created from the storage if the flags have a host pointer, otherwise written by commands.
    fn new(
        rig: &Rig,
        kind: Kind,
        flags: cl_mem_flags,
        storage: &mut [Vec<u32>; 2],
        queue: cl_command_queue,
    ) -> Model {
        let words = [0, 1, 2].map(|index| initial(kind, index));
        let has_data = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0;
        let images = [0, 1].map(|m| {
            let data = if has_data { storage[m].as_mut_ptr().cast() } else { null_mut() };
            kind.create(rig, flags, LACKING, data).unwrap()
        });
        let buffer = rig.buffer(&words[2]);
        if !has_data {
            for (image, words) in images.iter().zip(&words) {
                let (whole, data) = (Part { origin: [0; 3], size: kind.size }, words.as_ptr().cast());
                let (at, size) = whole.pointers();
                // SAFETY: memory of the image's size.
                ok(unsafe {
                    clEnqueueWriteImage(queue, *image, 1, at, size, 0, 0, data, 0, null(), null_mut())
                });
            }
        }
        let (step, turn) = (rig.kernel("step"), rig.kernel(kind.turn));
        set(step, 0, buffer);
        Model { kind, images, buffer, step, turn, words, last: None }
    }

    fn operand(&self, random: &mut Random, queues: &[cl_command_queue]) -> Operand {
        let (queue, image) = (queues[random.below(queues.len())], random.below(2));
        let part = Part::random(random, self.kind.size);
        let start = random.below(self.kind.texels() - part.count() + 1);
        Operand { queue, image, part, words: start..start + part.count() }
    }

    /// Enqueues one of eleven commands, and changes the words as it does.
    fn enqueue(&mut self, which: usize, operand: &Operand, round: u32) -> cl_event {
        match which {
            0 => self.run_step(operand.queue, round),
            1 | 2 => self.run_turn(operand),
            3 => self.write(operand, round),
            4 => self.read(operand, round),
            5 => self.copy(operand),
            6 => self.fill(operand),
            7 => self.copy_to_buffer(operand),
            8 => self.copy_from_buffer(operand),
            9 => self.migrate(operand.queue),
            _ => self.map(operand, round),
        }
    }

    fn waits(&self) -> (cl_uint, *const cl_event) {
        (self.last.iter().len() as cl_uint, self.last.as_ref().map_or(null(), |e| &raw const *e))
    }

    /// Words of the part in its image.
    fn texels(&self, operand: &Operand) -> Vec<u32> {
        operand.part.positions(self.kind).iter().map(|p| self.words[operand.image][*p]).collect()
    }

    /// Replaces the words of the part in an image.
    fn put(&mut self, image: usize, operand: &Operand, values: &[u32]) {
        let positions = operand.part.positions(self.kind);
        positions.iter().zip(values).for_each(|(p, v)| self.words[image][*p] = *v);
    }

    fn run_step(&mut self, queue: cl_command_queue, round: u32) -> cl_event {
        set(self.step, 1, round);
        self.words[2].iter_mut().for_each(|v| *v = v.wrapping_mul(5).wrapping_add(round));
        launch(queue, self.step, self.kind.texels(), self.last.as_slice())
    }

    fn run_turn(&mut self, operand: &Operand) -> cl_event {
        let other = 1 - operand.image;
        set(self.turn, 0, self.images[operand.image]);
        set(self.turn, 1, self.images[other]);
        self.words[other] = self.words[operand.image].iter().map(|w| !w).collect();
        self.kind.launch(operand.queue, self.turn, self.last.as_slice())
    }

    fn write(&mut self, operand: &Operand, round: u32) -> cl_event {
        let host: Vec<u32> = (0..operand.part.count() as u32).map(|i| scrambled(i ^ round)).collect();
        let (queue, image, data) = (operand.queue, self.images[operand.image], host.as_ptr().cast());
        let ((n, list), (at, size), mut event) = (self.waits(), operand.part.pointers(), null_mut());
        // SAFETY: live handles; a blocking command with memory of the size.
        ok(unsafe { clEnqueueWriteImage(queue, image, 1, at, size, 0, 0, data, n, list, &mut event) });
        self.put(operand.image, operand, &host);
        event
    }

    fn read(&self, operand: &Operand, round: u32) -> cl_event {
        let mut host: Vec<u32> = (0..operand.part.count() as u32).map(|i| scrambled(i ^ round)).collect();
        let (queue, image, data) = (operand.queue, self.images[operand.image], host.as_mut_ptr().cast());
        let ((n, list), (at, size), mut event) = (self.waits(), operand.part.pointers(), null_mut());
        // SAFETY: live handles; a blocking command with memory of the size.
        ok(unsafe { clEnqueueReadImage(queue, image, 1, at, size, 0, 0, data, n, list, &mut event) });
        assert_eq!(host, self.texels(operand), "round {round}");
        event
    }

    fn copy(&mut self, operand: &Operand) -> cl_event {
        let (from, to) = (self.images[operand.image], self.images[1 - operand.image]);
        let ((n, list), (at, size), mut event) = (self.waits(), operand.part.pointers(), null_mut());
        // SAFETY: live handles; a part of both images.
        ok(unsafe { clEnqueueCopyImage(operand.queue, from, to, at, at, size, n, list, &mut event) });
        self.put(1 - operand.image, operand, &self.texels(operand));
        event
    }

    fn fill(&mut self, operand: &Operand) -> cl_event {
        let (image, color) = (self.images[operand.image], [1.0f32, 0.0, 1.0, 0.0]);
        let ((n, list), (at, size), mut event) = (self.waits(), operand.part.pointers(), null_mut());
        let color = color.as_ptr().cast();
        // SAFETY: live handles; a colour of four components.
        ok(unsafe { clEnqueueFillImage(operand.queue, image, color, at, size, n, list, &mut event) });
        self.put(operand.image, operand, &vec![0xffc0_0ffc; operand.part.count()]);
        event
    }

    fn copy_to_buffer(&mut self, operand: &Operand) -> cl_event {
        let (queue, image, buffer) = (operand.queue, self.images[operand.image], self.buffer);
        let ((n, list), (at, size), mut event) = (self.waits(), operand.part.pointers(), null_mut());
        let offset = 4 * operand.words.start;
        // SAFETY: live handles; the buffer has as many words after the offset.
        ok(unsafe {
            clEnqueueCopyImageToBuffer(queue, image, buffer, at, size, offset, n, list, &mut event)
        });
        let texels = self.texels(operand);
        self.words[2][operand.words.clone()].copy_from_slice(&texels);
        event
    }

    fn copy_from_buffer(&mut self, operand: &Operand) -> cl_event {
        let (queue, image, buffer) = (operand.queue, self.images[operand.image], self.buffer);
        let ((n, list), (at, size), mut event) = (self.waits(), operand.part.pointers(), null_mut());
        let offset = 4 * operand.words.start;
        // SAFETY: live handles; the buffer has as many words after the offset.
        ok(unsafe {
            clEnqueueCopyBufferToImage(queue, buffer, image, offset, at, size, n, list, &mut event)
        });
        let words = self.words[2][operand.words.clone()].to_vec();
        self.put(operand.image, operand, &words);
        event
    }

    fn migrate(&self, queue: cl_command_queue) -> cl_event {
        let ((n, list), mut event) = (self.waits(), null_mut());
        // SAFETY: live handles; two images.
        ok(unsafe { clEnqueueMigrateMemObjects(queue, 2, self.images.as_ptr(), 0, n, list, &mut event) });
        event
    }

    /// Compares and inverts the part through a mapping.
    fn map(&mut self, operand: &Operand, round: u32) -> cl_event {
        let (queue, image, texels) = (operand.queue, self.images[operand.image], self.texels(operand));
        let ((n, list), (at, size), mut event) = (self.waits(), operand.part.pointers(), null_mut());
        let (how, none, mut code) = (CL_MAP_READ | CL_MAP_WRITE, null_mut(), 1);
        let (mut row, mut slice) = (0usize, 0usize);
        let (rows, slices) = (&raw mut row, &raw mut slice);
        // SAFETY: live handles; the mapping has the part's texels until it is unmapped.
        unsafe {
            let mapped =
                clEnqueueMapImage(queue, image, 1, how, at, size, rows, slices, n, list, none, &mut code);
            ok(code);
            let [w, h, _] = operand.part.size;
            for (i, value) in texels.iter().enumerate() {
                let texel =
                    mapped.byte_add(i / (w * h) * slice + i / w % h * row + 4 * (i % w)).cast::<u32>();
                assert_eq!(texel.read(), *value, "round {round}");
                texel.write(!value);
            }
            ok(clEnqueueUnmapMemObject(queue, image, mapped, 0, null(), &mut event));
        }
        self.put(operand.image, operand, &texels.iter().map(|v| !v).collect::<Vec<_>>());
        event
    }

    /// Compares the memory objects and releases everything.
    fn end(self, queue: cl_command_queue) {
        assert_eq!(wait(self.last.as_slice()), CL_SUCCESS);
        let count = self.kind.texels();
        for (image, expected) in self.images.iter().zip(&self.words) {
            let (whole, mut seen) = (Part { origin: [0; 3], size: self.kind.size }, vec![0u32; count]);
            let ((at, size), to) = (whole.pointers(), seen.as_mut_ptr().cast());
            // SAFETY: memory of the image's size.
            ok(unsafe { clEnqueueReadImage(queue, *image, 1, at, size, 0, 0, to, 0, null(), null_mut()) });
            assert_eq!(&seen, expected);
        }
        assert_eq!(read::<u32>(queue, self.buffer, count), self.words[2]);
        release(self.last);
        release([self.step, self.turn]);
        release(self.images);
        release([self.buffer]);
    }
}

/// Random commands one after the other on two images and a buffer; the host computes the same.
fn commands(rig: &Rig, devices: &[cl_device_id], kind: Kind, flags: cl_mem_flags, seed: u64) {
    let (mut random, queues) = (Random(seed), queues_of(rig, devices));
    let mut storage = [0, 1].map(|index| initial(kind, index));
    let mut model = Model::new(rig, kind, flags, &mut storage, queues[0]);
    for round in 0..90u32 {
        let operand = model.operand(&mut random, &queues);
        let event = model.enqueue(random.below(11), &operand, round);
        release(model.last.replace(event));
    }
    model.end(queues[0]);
    release(queues);
}

/// Every kind of image, created in every way.
pub fn formats_in_commands() {
    let rig = rig_of(SOURCE);
    let flags = [0, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR];
    for (i, (kind, flags)) in KINDS.into_iter().zip(flags).enumerate() {
        commands(&rig, &[rig.device], kind, flags, i as u64 + 1);
    }
}

/// Like [`formats_in_commands`], in a context that also has the processor.
pub fn formats_beside_the_processor() {
    let (devices, mut code) = (devices(), 1);
    assert!(devices.len() >= 2, "{} devices", devices.len());
    // SAFETY: as many devices as are said.
    let context = unsafe {
        clCreateContext(null(), devices.len() as u32, devices.as_ptr(), None, null_mut(), &mut code)
    };
    ok(code);
    let rig = Rig { device: devices[0], context, program: build(context, devices[0], SOURCE) };
    commands(&rig, &devices, KINDS[0], 0, 7);
    commands(&rig, &devices, KINDS[1], CL_MEM_USE_HOST_PTR, 8);
    release([rig.program]);
    release([context]);
}

/// The device reports every format of the processor for every use, and creates images of it.
pub fn lists() {
    let devices = devices();
    let contexts = [devices[0], devices[devices.len() - 1]].map(|device| {
        let mut code = 1;
        // SAFETY: one device.
        let context = unsafe { clCreateContext(null(), 1, &device, None, null_mut(), &mut code) };
        ok(code);
        context
    });
    let list = |context, flags, kind: cl_mem_object_type| {
        let (mut list, mut count) = ([COMMON; 300], 0);
        // SAFETY: room for as many formats as are said.
        ok(unsafe { clGetSupportedImageFormats(context, flags, kind, 300, list.as_mut_ptr(), &mut count) });
        let mut list: Vec<_> = list[..count as usize]
            .iter()
            .map(|f| (f.image_channel_order, f.image_channel_data_type))
            .collect();
        list.sort();
        list
    };
    let kinds = [CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY];
    for kind in kinds.into_iter().chain(KINDS.map(|k| k.image_type)) {
        for flags in [CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_KERNEL_READ_AND_WRITE] {
            let [own, theirs] = contexts.map(|context| list(context, flags, kind));
            assert!(
                own.contains(&(CL_RGBA, CL_UNORM_INT_101010_2))
                    && own.contains(&(CL_RGB, CL_UNORM_SHORT_565))
            );
            assert_eq!(own, theirs, "{kind:#x}, {flags:#x}");
        }
    }
    let rig = Rig { device: devices[0], context: contexts[0], program: null_mut() };
    for (kind, (order, data_type)) in KINDS
        .iter()
        .flat_map(|k| list(contexts[0], CL_MEM_WRITE_ONLY, k.image_type).into_iter().map(move |f| (k, f)))
    {
        let format = cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
        release([kind.create(&rig, CL_MEM_WRITE_ONLY, format, null_mut()).unwrap()]);
    }
    release(contexts);
}

/// The build log names the kernels.
pub fn names_kernels_of_images() {
    let rig = rig_of(SOURCE);
    let log = build_log(rig.program, rig.device);
    for (kernel, has) in [("turn", true), ("roomy", true), ("step", false)] {
        assert_eq!(log.contains(&format!("kernel '{kernel}' runs on ")), has, "{log}");
        assert!(!falls_back(&rig, kernel));
    }
    // All kernels share one block of variables.
    let source = "global uint n; kernel void k(read_only image2d_t i, global uint *p) { *p = n++; } kernel void l() { n++; }";
    let shared = try_build(&rig, source, "-cl-std=CL3.0").unwrap();
    assert!(falls_back(&shared, "k") && falls_back(&shared, "l"));
}

/// The images of each launch decide where it runs: with an image that the device supports, the device's own
/// local-memory limit applies.
pub fn launches_are_decided_one_by_one() {
    let rig = rig_of(SOURCE);
    let (queue, kernel) = (rig.queue(0), rig.kernel("roomy"));
    let texels = |word: u32| vec![word; KINDS[0].texels()];
    let [lacking, common] = [(LACKING, 0xffc0_0003), (COMMON, 0xff00_00ff)].map(|(format, word)| {
        KINDS[0].create(&rig, CL_MEM_COPY_HOST_PTR, format, texels(word).as_mut_ptr().cast()).unwrap()
    });
    let (out, more) = (
        rig.buffer(&[0f32; 16]),
        number(&device_info(rig.device, CL_DEVICE_LOCAL_MEM_SIZE).unwrap()) as usize + 64,
    );
    set(kernel, 1, out);
    let launch = |image: cl_mem, bytes: usize| {
        set(kernel, 0, image);
        // SAFETY: the size of a local argument; live handles.
        unsafe {
            ok(clSetKernelArg(kernel, 2, bytes, null()));
            clEnqueueNDRangeKernel(queue, kernel, 1, null(), &4, &4, 0, null(), null_mut())
        }
    };
    if is_another_device() && launch(common, more) == CL_SUCCESS {
        return skipped::because("the device has no images: all belong to the processor");
    }
    for _ in 0..2 {
        assert_eq!(launch(lacking, more), CL_SUCCESS);
        assert_eq!(read::<f32>(queue, out, 16), [1.0, 0.0, 0.0, 1.0].repeat(4));
        assert_eq!(launch(common, more), CL_OUT_OF_RESOURCES);
        assert_eq!(launch(common, 64), CL_SUCCESS);
        assert_eq!(read::<f32>(queue, out, 16), [1.0, 0.0, 0.0, 1.0].repeat(4));
        assert_eq!(launch(lacking, 64), CL_SUCCESS);
    }
    release([lacking, common, out]);
    release([kernel]);
    release([queue]);
}

/// The processor writes, the device reads.
pub fn writes_that_the_device_lacks() {
    let rig = rig_of(SOURCE);
    let (queue, paint, take) = (rig.queue(0), rig.kernel("paint"), rig.kernel("take"));
    let image = KINDS[0].create(&rig, 0, PACKED, null_mut()).unwrap();
    let count = KINDS[0].texels();
    let out = rig.buffer(&vec![0f32; 4 * count]);
    set(paint, 0, image);
    set(take, 0, image);
    set(take, 1, out);
    for color in [[1.0f32, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]] {
        set(paint, 1, color);
        release([KINDS[0].launch(queue, paint, &[]), KINDS[0].launch(queue, take, &[])]);
        let seen = read::<f32>(queue, out, 4 * count);
        for (i, texel) in seen.chunks(4).enumerate() {
            let expected = if i % SIZE[0] % 2 == 1 { color } else { [0.0, 0.0, 0.0, 1.0] };
            assert_eq!(texel, expected, "{i}");
        }
    }
    release([image, out]);
    release([paint, take]);
    release([queue]);
}

/// A program created from its binary behaves alike.
pub fn from_binaries() {
    let rig = rig_of(SOURCE);
    // SAFETY: one device, and a buffer of the queried size.
    let program = unsafe {
        let mut size = 0usize;
        ok(clGetProgramInfo(rig.program, CL_PROGRAM_BINARY_SIZES, 8, (&raw mut size).cast(), null_mut()));
        let mut bytes = vec![0u8; size];
        let mut list = [bytes.as_mut_ptr()];
        ok(clGetProgramInfo(
            rig.program,
            CL_PROGRAM_BINARIES,
            size_of::<usize>(),
            list.as_mut_ptr().cast(),
            null_mut(),
        ));
        let mut code = 1;
        let program = clCreateProgramWithBinary(
            rig.context,
            1,
            &rig.device,
            &size,
            &mut bytes.as_ptr(),
            null_mut(),
            &mut code,
        );
        ok(code);
        ok(clBuildProgram(program, 0, null(), null(), None, null_mut()));
        program
    };
    commands(&Rig { program, ..rig }, &[rig.device], KINDS[0], 0, 11);
    release([program]);
}

/// Commands of a command buffer, alternating between both devices.
pub fn formats_recorded() {
    let rig = rig_of(SOURCE);
    let (queue, kind, mut code) = (rig.queue(0), KINDS[0], 1);
    let count = kind.texels();
    let images = [0, 1].map(|_| kind.create(&rig, 0, LACKING, null_mut()).unwrap());
    let words = rig.buffer(&vec![3u32; count]);
    let (step, turn) = (rig.kernel("step"), rig.kernel("turn"));
    set(step, 0, words);
    set(step, 1, 1u32);
    set(turn, 0, images[0]);
    set(turn, 1, images[1]);
    let (at, size, color) = ([0usize; 3], kind.size, [1.0f32, 0.0, 1.0, 0.0]);
    let half = [SIZE[0] / 2, SIZE[1], 1];
    // SAFETY: live handles; sizes within images and buffer.
    unsafe {
        let buffer = clCreateCommandBufferKHR(1, &queue, null(), &mut code);
        ok(code);
        let (none, at, size, half) = (null::<c_void>(), at.as_ptr(), size.as_ptr(), half.as_ptr());
        let (no_points, no_point, no_handle) = (null(), null_mut(), null_mut());
        let (null_queue, list) = (null_mut(), none.cast());
        let launched = |kernel, dims, size| {
            let at = null();
            clCommandNDRangeKernelKHR(
                buffer, null_queue, list, kernel, dims, at, size, at, 0, no_points, no_point, no_handle,
            )
        };
        ok(launched(step, 1, &count));
        ok(clCommandCopyBufferToImageKHR(
            buffer, null_queue, list, words, images[0], 0, at, size, 0, no_points, no_point, no_handle,
        ));
        let color = color.as_ptr().cast();
        ok(clCommandFillImageKHR(
            buffer, null_queue, list, images[0], color, at, half, 0, no_points, no_point, no_handle,
        ));
        ok(launched(turn, 2, size));
        ok(clCommandCopyImageKHR(
            buffer, null_queue, list, images[1], images[0], at, at, half, 0, no_points, no_point, no_handle,
        ));
        ok(clCommandCopyImageToBufferKHR(
            buffer, null_queue, list, images[0], words, at, size, 0, 0, no_points, no_point, no_handle,
        ));
        ok(launched(step, 1, &count));
        ok(clFinalizeCommandBufferKHR(buffer));
        let mut expected = vec![3u32; count];
        for _ in 0..3 {
            ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut()));
            for (i, word) in expected.iter_mut().enumerate() {
                let step = |w: u32| w.wrapping_mul(5).wrapping_add(1);
                *word = step(if i % SIZE[0] < SIZE[0] / 2 { !0xffc0_0ffc } else { step(*word) });
            }
            assert_eq!(read::<u32>(queue, words, count), expected);
        }
        ok(clReleaseCommandBufferKHR(buffer));
    }
    release([step, turn]);
    release(images);
    release([words]);
    release([queue]);
}

/// An update replaces an image of a recorded launch by one that the device lacks, and again by one that it
/// supports.
pub fn images_updated() {
    let rig = rig_of(SOURCE);
    let (queue, kernel, mut code) = (rig.queue(0), rig.kernel("take"), 1);
    let texels = |word: u32| vec![word; KINDS[0].texels()];
    let images = [(COMMON, 0xff00_00ff), (LACKING, 0x003f_f003)].map(|(format, word)| {
        KINDS[0].create(&rig, CL_MEM_COPY_HOST_PTR, format, texels(word).as_mut_ptr().cast()).unwrap()
    });
    let colors = [[1.0f32, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];
    let out = rig.buffer(&vec![0f32; 4 * KINDS[0].texels()]);
    set(kernel, 0, images[0]);
    set(kernel, 1, out);
    let properties = [u64::from(CL_COMMAND_BUFFER_FLAGS_KHR), CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    let size = KINDS[0].size.as_ptr();
    // SAFETY: live handles; two dimensions; lists that are terminated or have their length.
    unsafe {
        let buffer = clCreateCommandBufferKHR(1, &queue, properties.as_ptr(), &mut code);
        ok(code);
        let (on, list, none, points, mut command) = (null_mut(), null(), null(), null(), null_mut());
        let made = &mut command;
        ok(clCommandNDRangeKernelKHR(
            buffer,
            on,
            list,
            kernel,
            2,
            none,
            size,
            none,
            0,
            points,
            null_mut(),
            made,
        ));
        ok(clFinalizeCommandBufferKHR(buffer));
        for which in [0, 1, 1, 0, 1] {
            let arg = cl_mutable_dispatch_arg_khr {
                arg_index: 0,
                arg_size: 8,
                arg_value: (&raw const images[which]).cast(),
            };
            let config = cl_mutable_dispatch_config_khr {
                command,
                num_args: 1,
                num_svm_args: 0,
                num_exec_infos: 0,
                work_dim: 0,
                arg_list: &arg,
                arg_svm_list: null(),
                exec_info_list: null(),
                global_work_offset: null(),
                global_work_size: null(),
                local_work_size: null(),
            };
            let (ty, list) = (CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, (&raw const config).cast());
            ok(clUpdateMutableCommandsKHR(buffer, 1, &ty, &list));
            ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut()));
            let seen = read::<f32>(queue, out, 4 * KINDS[0].texels());
            assert!(seen.chunks(4).all(|texel| texel == colors[which]), "{which}: {:?}", &seen[..4]);
        }
        ok(clReleaseCommandBufferKHR(buffer));
    }
    release([kernel]);
    release(images);
    release([out]);
    release([queue]);
}
