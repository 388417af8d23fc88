//! Memory: each device reads the other's writes, through every kind of object.

use super::*;
use std::ffi::c_void;
use test_support::api::model::*;

test_support::extension_functions! {
    fn clSetKernelArgDevicePointerEXT(kernel: cl_kernel, index: cl_uint, address: u64) -> cl_int;
}

const N: usize = WORDS;
const BYTES: usize = 4 * N;

const STEPS: &str = "
kernel void step(global uint *p, uint addend) { size_t i = get_global_id(0); p[i] = p[i] * 5 + addend; }
kernel void fine(global uint *p, double addend) {
    size_t i = get_global_id(0);
    p[i] = (uint)((double)(p[i] & 0xffffff) * 8.0 + addend);
}";

/// Random commands one after the other, on whole buffers and sub-buffers; the host computes the same.
fn commands(rig: &Rig, devices: &[cl_device_id], flags: cl_mem_flags, seed: u64) {
    let (mut random, mut storage, queues) = (Random(seed), storage(), queues_of(rig, devices));
    let mut model = Model::new(rig.context, flags, queues[0], &mut storage);
    let (step, fine) = (rig.kernel("step"), rig.kernel("fine"));
    for round in 0..120u32 {
        let operand = model.operand(&mut random, &queues);
        let event = match random.below(9) {
            0 | 1 => {
                set(step, 0, operand.object);
                set(step, 1, round);
                let words = &mut model.expected[operand.object_words()];
                words.iter_mut().for_each(|v| *v = v.wrapping_mul(5).wrapping_add(round));
                model.launch(&operand, step)
            }
            2..5 => {
                set(fine, 0, operand.object);
                set(fine, 1, f64::from(round));
                let words = &mut model.expected[operand.object_words()];
                words.iter_mut().for_each(|v| *v = (*v & 0xff_ffff) * 8 + round);
                model.launch(&operand, fine)
            }
            5 => model.write(&operand, round),
            6 => model.read(&operand, round),
            7 => model.fill(&operand, round),
            _ => model.map(&operand, CL_MAP_READ | CL_MAP_WRITE, operand.queue, |v| v ^ 0x55, round),
        };
        model.advance(event);
    }
    model.end(&queues[..1]);
    release(queues);
}

/// Buffers created in every way.
pub fn random_commands() {
    let rig = rig_of(STEPS);
    assert!(falls_back(&rig, "fine") && !falls_back(&rig, "step"));
    for (flags, seed) in
        [(0, 1), (CL_MEM_COPY_HOST_PTR, 2), (CL_MEM_USE_HOST_PTR, 3), (CL_MEM_ALLOC_HOST_PTR, 4)]
    {
        commands(&rig, &[rig.device], flags, seed);
    }
}

/// Like [`random_commands`], in a context that also has the processor, with its own queues.
pub fn beside_the_processor() {
    let (devices, mut code) = (devices(), 1);
    assert!(devices.len() >= 2, "{} devices", devices.len());
    // SAFETY: as many devices as are said.
    let context = unsafe {
        clCreateContext(null(), devices.len() as u32, devices.as_ptr(), None, null_mut(), &mut code)
    };
    ok(code);
    let rig = Rig { device: devices[0], context, program: build(context, devices[0], STEPS) };
    assert!(
        falls_back(&rig, "fine") && !falls_back(&Rig { device: devices[devices.len() - 1], ..rig }, "fine")
    );
    for (flags, seed) in [(0, 5), (CL_MEM_USE_HOST_PTR, 6)] {
        commands(&rig, &devices, flags, seed);
    }
    rig.program.release();
    context.release();
}

/// Local arguments, structures by value, NULL.
pub fn local_memory() {
    let rig = Rig::new(
        "typedef struct { char tag; double value; int more[3]; } pack;
        kernel void sum(global double *out, local double *room, pack p, global float *nothing, constant float *table) {
            size_t i = get_local_id(0), n = get_local_size(0);
            room[i] = p.value * (double)i + table[i & 1];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (size_t part = n / 2; part > 0; part /= 2) {
                if (i < part) room[i] += room[i + part];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (i == 0) out[get_group_id(0)] = nothing ? 0.0 : room[0] + p.more[2] + p.tag;
        }",
    );
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Pack {
        tag: i8,
        value: f64,
        more: [i32; 3],
    }
    let (queue, kernel) = (rig.queue(0), rig.kernel("sum"));
    let (out, table) = (rig.buffer(&[0f64; 4]), rig.buffer(&[1f32, 3.0]));
    set(kernel, 0, out);
    // SAFETY: the size of a local argument.
    ok(unsafe { clSetKernelArg(kernel, 1, 64 * 8, null()) });
    set(kernel, 2, Pack { tag: 2, value: 0.5, more: [0, 0, 100] });
    set(kernel, 3, null_mut::<c_void>());
    set(kernel, 4, table);
    let (size, local) = (256usize, 64usize);
    // SAFETY: live handles; one dimension.
    ok(unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, &local, 0, null(), null_mut()) });
    let sum = (0..64).sum::<i32>() as f64 * 0.5 + 32.0 + 96.0 + 102.0;
    assert_eq!(read::<f64>(queue, out, 4), [sum; 4]);
    assert!(work_group_info(&rig, kernel, CL_KERNEL_LOCAL_MEM_SIZE) >= 512);
    release([out, table]);
}

const PICTURES: &str = "
constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void fine(read_only image2d_t from, write_only image2d_t to, double factor) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 middle = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(from));
    double4 texel = convert_double4(read_imagef(from, linear, middle)) * factor;
    write_imagef(to, at, convert_float4(texel));
}
kernel void plain(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, at) + 1.0f);
}";

const W: usize = 20;
const H: usize = 9;

fn no_images() -> bool {
    let none = number(&device_info(device(), CL_DEVICE_IMAGE_SUPPORT).unwrap()) == 0;
    if none {
        skipped::because("the device has no images");
    }
    none
}

/// Copies a picture from one image to the other.
fn process(queue: cl_command_queue, kernel: cl_kernel, from: cl_mem, to: cl_mem) {
    set(kernel, 0, from);
    set(kernel, 1, to);
    // SAFETY: live handles; two dimensions.
    ok(unsafe {
        clEnqueueNDRangeKernel(queue, kernel, 2, null(), [W, H].as_ptr(), null(), 0, null(), null_mut())
    });
}

/// Kernels of both devices in turn, between two pictures, interleaved with commands of the host.
fn in_turns(rig: &Rig, pictures: [cl_mem; 2], queue: cl_command_queue, mut expected: Vec<f32>) {
    let (fine, plain) = (rig.kernel("fine"), rig.kernel("plain"));
    set(fine, 2, 0.5f64);
    let ([a, b], origin, size) = (pictures, [0usize; 3], [W, H, 1]);
    for round in 0..4 {
        process(queue, fine, a, b);
        process(queue, plain, b, a);
        expected.iter_mut().for_each(|v| *v = *v * 0.5 + 1.0);
        if round == 1 {
            let (color, at, some) = ([0.25f32; 4], [3usize, 2, 0], [5usize, 4, 1]);
            // SAFETY: live handles; sizes within the image.
            ok(unsafe {
                clEnqueueFillImage(
                    queue,
                    a,
                    color.as_ptr().cast(),
                    at.as_ptr(),
                    some.as_ptr(),
                    0,
                    null(),
                    null_mut(),
                )
            });
            for (y, x) in (2..6).flat_map(|y| (3..8).map(move |x| (y, x))) {
                expected[(y * W + x) * 4..][..4].fill(0.25);
            }
        }
    }
    let mut seen = vec![0f32; W * H * 4];
    let to = seen.as_mut_ptr().cast();
    // SAFETY: room for the texels.
    ok(unsafe {
        clEnqueueReadImage(queue, a, 1, origin.as_ptr(), size.as_ptr(), 0, 0, to, 0, null(), null_mut())
    });
    assert_eq!(seen, expected);
}

fn texels() -> Vec<f32> {
    (0..W * H * 4).map(|i| (i % 61) as f32).collect()
}

const RGBA: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_FLOAT };

/// Images with their own memory.
pub fn images() {
    if no_images() {
        return;
    }
    let rig = rig_of(PICTURES);
    assert!(falls_back(&rig, "fine") && !falls_back(&rig, "plain"));
    let (queue, mut code) = (rig.queue(0), 1);
    let mut texels = texels();
    let pictures = [true, false].map(|filled| {
        let (flags, data) =
            if filled { (CL_MEM_COPY_HOST_PTR, texels.as_mut_ptr().cast()) } else { (0, null_mut()) };
        // SAFETY: memory of the image's size.
        let image = unsafe { clCreateImage2D(rig.context, flags, &RGBA, W, H, 0, data, &mut code) };
        ok(code);
        image
    });
    in_turns(&rig, pictures, queue, texels);
    release(pictures);
}

/// Images created from buffers, which kernels also use as buffers.
pub fn image_of_buffer() {
    if no_images() || !test_support::api::extension::has_extension("cl_khr_image2d_from_buffer") {
        return;
    }
    let rig = rig_of(PICTURES);
    let (queue, mut code) = (rig.queue(0), 1);
    let unit = number(&device_info(rig.device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT).unwrap()) as usize;
    let pitch = W.next_multiple_of(unit.max(1)) * 16;
    let mut bytes = vec![0u8; pitch * H];
    for (row, texels) in bytes.chunks_mut(pitch).zip(texels().chunks(W * 4)) {
        let flat: Vec<u8> = texels.iter().flat_map(|t| t.to_ne_bytes()).collect();
        row[..flat.len()].copy_from_slice(&flat);
    }
    let buffers = [rig.buffer(&bytes), rig.buffer(&vec![0u8; pitch * H])];
    let pictures = buffers.map(|buffer| {
        // SAFETY: a structure of numbers and pointers.
        let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
        (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, W, H);
        desc.image_row_pitch = pitch;
        desc.mem_object = buffer;
        // SAFETY: live handles.
        let image =
            unsafe { clCreateImage(rig.context, CL_MEM_READ_WRITE, &RGBA, &desc, null_mut(), &mut code) };
        ok(code);
        image
    });
    in_turns(&rig, pictures, queue, texels());
    // The buffer contains the second picture as the last kernel with doubles left it.
    let doubled: Vec<f32> = read::<f32>(queue, buffers[1], pitch / 4 * H);
    let first: Vec<f32> = read::<f32>(queue, buffers[0], pitch / 4 * H);
    assert_eq!(doubled[0] + 1.0, first[0]);
    release(pictures);
    release(buffers);
}

/// Shared virtual memory: used in place if device addresses are addresses of the process, otherwise rejected.
pub fn shared() {
    let rig = rig_of(STEPS);
    let svm = number(&device_info(rig.device, CL_DEVICE_SVM_CAPABILITIES).unwrap());
    if svm == 0 {
        skipped::because("the device has no shared memory");
        return;
    }
    let (queue, fine, step) = (rig.queue(0), rig.kernel("fine"), rig.kernel("step"));
    set(fine, 1, 3.0f64);
    set(step, 1, 1u32);
    let size = N;
    // SAFETY: live handles; the memory has the size and is mapped while the host uses it.
    unsafe {
        let ptr = clSVMAlloc(rig.context, CL_MEM_READ_WRITE, BYTES, 0).cast::<u32>();
        assert!(!ptr.is_null());
        let map = || {
            ok(clEnqueueSVMMap(
                queue,
                1,
                CL_MAP_READ | CL_MAP_WRITE,
                ptr.cast(),
                BYTES,
                0,
                null(),
                null_mut(),
            ))
        };
        let unmap = || ok(clEnqueueSVMUnmap(queue, ptr.cast(), 0, null(), null_mut()));
        map();
        (0..N).for_each(|i| ptr.add(i).write(i as u32));
        unmap();
        ok(clSetKernelArgSVMPointer(fine, 0, ptr.cast()));
        ok(clSetKernelArgSVMPointer(step, 0, ptr.cast()));
        launch(queue, step, N, &[]).release();
        let code = clEnqueueNDRangeKernel(queue, fine, 1, null(), &size, null(), 0, null(), null_mut());
        if svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0 {
            assert_eq!(code, CL_SUCCESS);
            launch(queue, step, N, &[]).release();
            map();
            assert!((0..N).all(|i| ptr.add(i).read() == ((i as u32 * 5 + 1) * 8 + 3) * 5 + 1));
        } else {
            assert_eq!(code, CL_INVALID_OPERATION);
            map();
            assert!((0..N).all(|i| ptr.add(i).read() == i as u32 * 5 + 1));
        }
        unmap();
        finish(queue);
        clSVMFree(rig.context, ptr.cast());
    }
}

/// Buffer device addresses: dereferenced if they are addresses of the process, otherwise rejected, as
/// arguments and as indirect accesses.
pub fn addresses() {
    if !test_support::api::extension::has_extension("cl_ext_buffer_device_address") {
        return skipped::because("the device reports no addresses of buffers");
    }
    let rig = rig_of(STEPS);
    let (queue, fine, mut code) = (rig.queue(0), rig.kernel("fine"), 1);
    let (list, size) = ([u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), 1, 0], 4usize);
    let mut address = 0u64;
    // SAFETY: live handles, terminated lists, values with their sizes; kernels alone follow the address.
    unsafe {
        let mem = clCreateBufferWithProperties(
            rig.context,
            list.as_ptr(),
            CL_MEM_READ_WRITE,
            64,
            null_mut(),
            &mut code,
        );
        ok(code);
        ok(clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, 8, (&raw mut address).cast(), null_mut()));
        let numbers: [u32; 16] = std::array::from_fn(|i| i as u32);
        ok(clEnqueueWriteBuffer(queue, mem, 1, 0, 64, numbers.as_ptr().cast(), 0, null(), null_mut()));
        ok(clSetKernelArgDevicePointerEXT(fine, 0, address + 16));
        set(fine, 1, 1.0f64);
        let code = clEnqueueNDRangeKernel(queue, fine, 1, null(), &size, null(), 0, null(), null_mut());
        let capabilities = number(&device_info(rig.device, CL_DEVICE_SVM_CAPABILITIES).unwrap())
            & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
        let got: Vec<u32> = read(queue, mem, 16);
        // The software device's memory is the process's, also where it looks like another device.
        if capabilities != 0 || is_another_device() && code == CL_SUCCESS {
            assert_eq!(code, CL_SUCCESS);
            assert!(
                got.iter().zip(0..).all(|(v, i)| *v == if (4..8).contains(&i) { i * 8 + 1 } else { i }),
                "{got:?}"
            );
        } else {
            assert_eq!((code, got), (CL_INVALID_OPERATION, numbers.to_vec()));
            // Indirect accesses are rejected, too.
            let other = rig.buffer(&numbers);
            set(fine, 0, other);
            let run = || clEnqueueNDRangeKernel(queue, fine, 1, null(), &size, null(), 0, null(), null_mut());
            ok(clSetKernelExecInfo(
                fine,
                CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT,
                8,
                (&raw const address).cast(),
            ));
            assert_eq!(run(), CL_INVALID_OPERATION);
            ok(clSetKernelExecInfo(fine, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 0, null()));
            assert_eq!(run(), CL_SUCCESS);
            finish(queue);
            other.release();
        }
        mem.release();
    }
}
