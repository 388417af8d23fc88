//! Selection of the kernels that fall back, and its reports.

use super::*;
use std::ffi::{c_char, c_void};
use std::sync::Mutex;
use test_support::api::extension::has_extension;

/// The device reports what the processor has.
pub fn reports() {
    for name in ["cl_khr_fp64", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"] {
        assert!(has_extension(name), "{name}");
    }
    let info = |name| number(&device_info(device(), name).unwrap());
    // CL_DEVICE_DOUBLE_FP_CONFIG: the minimum of the specification.
    let least = CL_FP_FMA
        | CL_FP_ROUND_TO_NEAREST
        | CL_FP_ROUND_TO_ZERO
        | CL_FP_ROUND_TO_INF
        | CL_FP_INF_NAN
        | CL_FP_DENORM;
    assert_eq!(info(CL_DEVICE_DOUBLE_FP_CONFIG) & least, least);
    assert_eq!(info(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE), 1);
    let source = "#if !defined(cl_khr_fp64) || !defined(__opencl_c_fp64)\n#error no doubles\n#endif\nkernel void k() {}";
    let rig = rig();
    assert!(try_build(&rig, source, "-cl-std=CL3.0").is_ok());
}

/// The log names the kernels and the reason; kernel queries describe the device that runs the kernel.
pub fn names_what_falls_back() {
    let rig = rig();
    let log = build_log(rig.program, rig.device);
    assert_eq!(log.matches("falls back").count(), 2, "{log}");
    let line = |kernel: &str| {
        log.lines().find(|l| l.contains(&format!("kernel '{kernel}'"))).unwrap_or_default().to_string()
    };
    assert!(line("precise").contains("double precision"), "{log}");
    assert!(line("count").contains("atomic operations") && line("count").contains("64-bit"), "{log}");
    // SAFETY: `query_bytes` passes buffers of the size it says.
    let names =
        query_bytes(|s, v, r| unsafe { clGetProgramInfo(rig.program, CL_PROGRAM_KERNEL_NAMES, s, v, r) })
            .unwrap();
    let text = text(&names);
    let mut names: Vec<&str> = text.split(';').collect();
    names.sort_unstable();
    assert_eq!(names, ["combine", "count", "precise", "scale"]);
    let most = number(&device_info(rig.device, CL_DEVICE_MAX_WORK_GROUP_SIZE).unwrap());
    let size = |name| work_group_info(&rig, rig.kernel(name), CL_KERNEL_WORK_GROUP_SIZE);
    assert!(size("scale") <= most);
    assert_eq!(size("precise"), 4096);
    // Without fallback the log does not mention it.
    let plain = try_build(&rig, "kernel void k(global int *p) { *p = 1; }", "").unwrap();
    assert_eq!(build_log(plain.program, rig.device), "");
}

/// llvmpipe ends the loops of a work-item after 65,535 rounds in all, as if they were done.
pub fn long_loops() {
    let source = "uint next(uint x) { return x * 1664525u + (x >> 16) + 1013904223u; }
        kernel void unknown(global uint *p) { uint x = p[0], n = p[1]; for (uint i = 0; i < n; i++) x = next(x); p[0] = x; }
        kernel void nested(global uint *p) {
            uint x = p[0];
            for (uint i = 0; i < 500; i++)
                for (uint j = 0; j < 400; j++) x = next(x);
            p[0] = x;
        }
        kernel void small(global uint *p) {
            uint x = p[0];
            for (uint i = 0; i < 30; i++)
                for (uint j = 0; j < 40; j++) x = next(x);
            p[0] = x;
        }";
    let rig = try_build(&rig(), source, "").unwrap();
    let early = text(&device_info(rig.device, CL_DEVICE_NAME).unwrap()).contains("llvmpipe");
    let queue = rig.queue(0);
    for (name, rounds, ended) in
        [("unknown", 200_000, true), ("nested", 200_000, true), ("small", 1200, false)]
    {
        assert_eq!(falls_back(&rig, name), early && ended, "{}", build_log(rig.program, rig.device));
        let (kernel, mem) = (rig.kernel(name), rig.buffer(&[7u32, 200_000]));
        set(kernel, 0, mem);
        launch(queue, kernel, 1, &[]).release();
        let expected = (0..rounds)
            .fold(7u32, |x, _| x.wrapping_mul(1_664_525).wrapping_add(x >> 16).wrapping_add(1_013_904_223));
        assert_eq!(read::<u32>(queue, mem, 1), [expected], "{name}");
    }
}

/// More local memory or larger groups than the device's.
pub fn limits() {
    let rig = rig();
    let info = |name| number(&device_info(rig.device, name).unwrap());
    let (local, group) = (info(CL_DEVICE_LOCAL_MEM_SIZE), info(CL_DEVICE_MAX_WORK_GROUP_SIZE));
    if local >= 256 << 10 || group >= 4096 {
        skipped::because("the device has as much as the processor");
        return;
    }
    let source = format!(
        "kernel void large(global uint *p) {{
            local uint all[{local} / 4 + 64];
            size_t n = get_local_size(0), i = get_local_id(0);
            for (size_t at = i; at < {local} / 4 + 64; at += n) all[at] = at;
            barrier(CLK_LOCAL_MEM_FENCE);
            p[i] = all[{local} / 4 + 63 - i];
        }}
        kernel __attribute__((reqd_work_group_size({group} * 2, 1, 1))) void wide(global uint *p) {{ p[get_local_id(0)] = get_local_size(0); }}"
    );
    let rig = try_build(&rig, &source, "").unwrap();
    assert!(falls_back(&rig, "large") && falls_back(&rig, "wide"), "{}", build_log(rig.program, rig.device));
    let (queue, large, wide) = (rig.queue(0), rig.kernel("large"), rig.kernel("wide"));
    let mem = rig.buffer(&vec![0u32; group as usize * 2]);
    set(large, 0, mem);
    set(wide, 0, mem);
    assert_eq!(work_group_info(&rig, large, CL_KERNEL_LOCAL_MEM_SIZE), local + 256);
    let (size, few) = (group as usize * 2, 64usize);
    // SAFETY: live handles; one dimension.
    unsafe {
        ok(clEnqueueNDRangeKernel(queue, wide, 1, null(), &size, &size, 0, null(), null_mut()));
        ok(clEnqueueNDRangeKernel(queue, large, 1, null(), &few, &few, 0, null(), null_mut()));
    }
    let got = read::<u32>(queue, mem, size);
    let last = local as u32 / 4 + 63;
    assert!(got[..few].iter().zip(0..).all(|(v, i)| *v == last - i), "{:?}", &got[..few]);
    assert!(got[few..].iter().all(|v| *v == size as u32));
    mem.release();
}

/// Program-scope variables form one block: if kernels may write to it, all kernels fall back or none does.
pub fn variables() {
    let rig = rig();
    let source = "
        global uint total = 5;
        kernel void plain(global uint *out) { total += 1; out[0] = total; }
        kernel void fine(global uint *out, double d) { total *= (uint)d; out[1] = total; }";
    let both = try_build(&rig, source, "-cl-std=CL3.0").unwrap();
    assert!(falls_back(&both, "plain") && falls_back(&both, "fine"));
    let (queue, out) = (both.queue(0), both.buffer(&[0u32; 2]));
    let (plain, fine) = (both.kernel("plain"), both.kernel("fine"));
    set(plain, 0, out);
    set(fine, 0, out);
    set(fine, 1, 3.0f64);
    for kernel in [plain, fine, plain, fine] {
        launch(queue, kernel, 1, &[]).release();
    }
    assert_eq!(read::<u32>(queue, out, 2), [19, 57]);
    // SAFETY: `query_bytes` passes buffers of the size it says.
    let size = query_bytes(|s, v, r| unsafe {
        clGetProgramBuildInfo(both.program, both.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, s, v, r)
    });
    assert_eq!(number(&size.unwrap()), 4);
    // Constants do not matter, nor do variables of programs without a kernel that falls back.
    let constants =
        "constant float table[2] = {1, 2}; kernel void plain(global float *p) { *p = table[(int)*p & 1]; }
        kernel void fine(global double *p) { *p += table[1]; }";
    let constants = try_build(&rig, constants, "").unwrap();
    assert!(!falls_back(&constants, "plain") && falls_back(&constants, "fine"));
    let alone =
        try_build(&rig, "global uint n; kernel void plain(global uint *p) { *p = n++; }", "-cl-std=CL3.0")
            .unwrap();
    assert_eq!(build_log(alone.program, rig.device), "");
    out.release();
}

fn check_precise(rig: &Rig) {
    let (queue, kernel, mem) = (rig.queue(0), rig.kernel("precise"), rig.buffer(&[1.5f32, -2.0]));
    set(kernel, 0, mem);
    set(kernel, 1, 2.0f64);
    set(kernel, 2, 0.125f64);
    launch(queue, kernel, 2, &[]).release();
    assert_eq!(read::<f32>(queue, mem, 2), [3.125, -3.875]);
    let (scale, combine) = (rig.kernel("scale"), rig.kernel("combine"));
    set(scale, 0, mem);
    set(scale, 1, 2.0f32);
    set(combine, 0, mem);
    set(combine, 1, mem);
    launch(queue, scale, 2, &[]).release();
    assert_eq!(read::<f32>(queue, mem, 2), [6.25, -7.75]);
    mem.release();
}

/// A binary contains the code for both devices.
pub fn binaries() {
    let rig = rig();
    // SAFETY: one device, and a buffer of the queried size.
    unsafe {
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
        let (mut each, mut code) = (1, 1);
        let program = clCreateProgramWithBinary(
            rig.context,
            1,
            &rig.device,
            &size,
            &mut bytes.as_ptr(),
            &mut each,
            &mut code,
        );
        assert_eq!((each, code), (CL_SUCCESS, CL_SUCCESS));
        assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), CL_SUCCESS);
        let again = Rig { program, ..rig };
        assert!(falls_back(&again, "precise"));
        check_precise(&again);
    }
}

/// Programs compiled and linked separately.
pub fn linked() {
    let rig = rig();
    let (mut text, length, mut code) = (SOURCE.as_ptr().cast::<c_char>(), SOURCE.len(), 1);
    // SAFETY: live handles; a string with its length.
    unsafe {
        let part = clCreateProgramWithSource(rig.context, 1, &mut text, &length, &mut code);
        ok(code);
        ok(clCompileProgram(part, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
        let program = clLinkProgram(rig.context, 0, null(), null(), 1, &part, None, null_mut(), &mut code);
        ok(code);
        check_precise(&Rig { program, ..rig });
    }
}

static PRINTED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

unsafe extern "C" fn printed(text: *const c_char, length: usize, _complete: usize, _data: *mut c_void) {
    // SAFETY: the text has its length.
    PRINTED.lock().unwrap().extend(unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) });
}

/// Output appears in the order of the launches.
pub fn prints() {
    let function: unsafe extern "C" fn(*const c_char, usize, usize, *mut c_void) = printed;
    let list: [cl_context_properties; 3] = [CL_PRINTF_CALLBACK_ARM as isize, function as usize as isize, 0];
    let (device, mut code) = (device(), 1);
    // SAFETY: one device, a terminated list.
    let context = unsafe { clCreateContext(list.as_ptr(), 1, &device, None, null_mut(), &mut code) };
    ok(code);
    let source = "kernel void plain(int n) { printf(\"plain %d\\n\", n); }
        kernel void fine(double d) { printf(\"fine %.3f %s\\n\", d / 3, \"text\"); }";
    let rig = Rig { device, context, program: build(context, device, source) };
    assert!(falls_back(&rig, "fine") && !falls_back(&rig, "plain"));
    let (queue, plain, fine) = (rig.queue(0), rig.kernel("plain"), rig.kernel("fine"));
    for round in 0..3i32 {
        set(plain, 0, round);
        launch(queue, plain, 1, &[]).release();
        set(fine, 0, f64::from(round));
        launch(queue, fine, 1, &[]).release();
    }
    finish(queue);
    let text = String::from_utf8(PRINTED.lock().unwrap().clone()).unwrap();
    let line = |n: i32| format!("plain {n}\nfine {:.3} text\n", f64::from(n) / 3.0);
    assert_eq!(text, (0..3).map(line).collect::<String>());
}

/// A feature that the processor lacks as well fails the build, with the reason in the log.
pub fn neither_has() {
    let rig = rig();
    let source = "kernel void fine(global double *p) { *p *= 2; }
        uint f(uint n);
        kernel void broken(global uint *p) { *p = f(*p); }";
    let failure = |source| try_build(&rig, source, "").map(|_| ()).unwrap_err();
    let (code, log) = failure(source);
    assert!(
        code == CL_BUILD_PROGRAM_FAILURE && log.contains("kernel 'broken': unresolved symbol 'f'"),
        "{log}"
    );
    // A sub-group size that neither device has: the log has the device's own error.
    let odd = "kernel __attribute__((intel_reqd_sub_group_size(256))) void odd(global double *p) { p[get_sub_group_id()] *= 2; }";
    let (code, log) = failure(odd);
    assert!(code == CL_BUILD_PROGRAM_FAILURE && log.contains("kernel 'odd': unsupported: "), "{log}");
    let wrong = "kernel void fine(global double *p) { *p = nothing; }";
    let (code, log) = failure(wrong);
    assert!(code == CL_BUILD_PROGRAM_FAILURE && log.contains("undeclared identifier 'nothing'"), "{log}");
}
