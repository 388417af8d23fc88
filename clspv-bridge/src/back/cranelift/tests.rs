//! Code for kernels with every kind of operation, with and without the instructions that a processor may
//! lack.

use crate::native::flat_code::FlatCode;
use crate::options::{CompileRequest, Extent, FrontConfig, FrontEnd, Options};
use crate::target::CodeGenerator;
use crate::{Target, driver};

/// Features of a processor of today.
const FEATURES: &str = "pni ssse3 sse4_1 sse4_2 popcnt avx avx2 fma bmi1 bmi2 abm f16c";

/// Compiles a program for a processor with these features.
fn object(source: &str, features: &str, generator: CodeGenerator, instrumented: bool) -> Vec<u8> {
    let extensions = [
        "cl_khr_fp64",
        "cl_khr_fp16",
        "__opencl_c_int64",
        "__opencl_c_fp64",
        "cl_khr_int64_base_atomics",
        "cl_khr_subgroup_shuffle",
    ];
    let extensions = extensions.map(String::from).to_vec();
    let front_end = FrontEnd::BuiltIn;
    let config = FrontConfig { front_end, extensions, opencl_version: 300, ..FrontConfig::default() };
    let options = Options::default();
    let request =
        CompileRequest { extent: Extent::Program, ..CompileRequest::new(source, &options, &config) };
    let library = driver::compile(&request).unwrap().library;
    let has = |feature: &str| features.split(' ').any(|f| f == feature);
    let mut target = Target::native(features.into(), &has).with_generator(generator);
    if let crate::target::Code::Native(cpu) = &mut target.code {
        cpu.instrumented = instrumented;
    }
    let program = driver::build(&[&library], &options, &Vec::new(), &target).unwrap();
    program.native().unwrap().object.to_vec()
}

/// The names of the functions of a program for a processor with these features.
fn functions(source: &str, features: &str, generator: CodeGenerator, instrumented: bool) -> Vec<String> {
    let object = object(source, features, generator, instrumented);
    FlatCode::read(&object).unwrap().functions().map(|(name, _)| name.to_owned()).collect()
}

/// Compiles a program for processors with and without features, as plain and as instrumented code.
fn compiles(source: &str) {
    for features in [FEATURES, "sse2", "sse2 sse4_1 f16c"] {
        use CodeGenerator::{Baseline, Cranelift};
        assert_eq!(functions(source, features, Cranelift, false)[..2], ["k0a", "k0w"], "{features}");
        assert_eq!(functions(source, features, Baseline, false)[..1], ["k0a"], "{features}");
        assert_eq!(functions(source, features, Baseline, true)[..1], ["k0a"], "{features}");
    }
}

#[test]
fn integers_of_all_sizes() {
    for ty in ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"] {
        compiles(&format!(
            "kernel void k(global {ty} *a, global {ty} *b, {ty} c) {{
                 size_t i = get_global_id(0);
                 {ty} x = a[i], y = b[i];
                 {ty} z = x + y * c - (x & y | ~c) ^ (x << (y & 3)) + (x >> c);
                 z += x / y + x % c + mul_hi(x, y) + rotate(x, y) + popcount(x) + clz(y);
                 z += min(x, y) + max(y, c);
                 if (x < y) z += abs_diff(x, c);
                 while (z > x) z -= y;
                 a[i] = z;
             }}"
        ));
    }
}

#[test]
fn floating_point_numbers() {
    for ty in ["float", "double"] {
        compiles(&format!(
            "kernel void k(global {ty} *a, global {ty}4 *b, {ty} c) {{
                 size_t i = get_global_id(0);
                 {ty} x = a[i] * c + b[i].x / b[i].z - fmin(a[i], c) + fmax(c, b[i].y);
                 x += floor(x) + ceil(c) + trunc(x) + rint(c) + fabs(x) + sqrt(x);
                 x += fma(x, c, x) + mad(x, c, x);
                 x += (int)x + (uint)c + (long)x + (ulong)c + convert_float(x);
                 a[i] = isnan(x) ? -x : sin(x) + exp(c);
                 b[i] = b[i].wzyx + x;
             }}"
        ));
    }
}

#[test]
fn halves() {
    let source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
         kernel void k(global half *a, global float *b, global double *c) {
             size_t i = get_global_id(0);
             half x = a[i] * a[i + 1] + (half)b[i] - fma(a[i], a[i], (half)c[i]) / (half)i;
             b[i] = x < a[i] ? fabs(x) : -x;
             c[i] = x;
             a[i] = floor(x) + fmax(x, a[2 * i]) + sqrt(x);
         }";
    assert_eq!(functions(source, FEATURES, CodeGenerator::Cranelift, false), ["k0a", "k0w"]);
}

#[test]
fn memory_atomics_and_barriers() {
    compiles(
        "kernel void k(global int *a, local float *b, constant uchar *c, global float *d, global long *e) {
             size_t i = get_global_id(0), l = get_local_id(0);
             int own[8];
             for (int j = 0; j < 8; j++) own[(j * 3 + c[j]) & 7] = a[j + l];
             b[l] = d[i];
             barrier(CLK_LOCAL_MEM_FENCE);
             if (c[i] & 1) atomic_add(&a[own[l & 7]], 5);
             if (a[i] > 3) d[a[i]] = b[get_local_size(0) - 1 - l];
             atomic_cmpxchg(&a[0], 1, (int)l);
             e[i] = atomic_max(&a[1], own[l & 7]) + atomic_xchg(&a[2], 7);
             vstore3(vload3(i, d), l, d);
             switch (a[i]) { case 1: e[i] = 2; break; case 5: e[i] = 1; break; default: a[i] = 0; }
         }",
    );
}

#[test]
fn no_features_are_needed_that_the_processor_lacks() {
    let source = "kernel void k(global float *a) { a[get_global_id(0)] = a[0] * a[1] + a[2]; }";
    assert_eq!(functions(source, "", CodeGenerator::Cranelift, false), ["k0a", "k0w"]);
}

/// A condition that is the same in all work-items although its operands are not.
#[test]
fn uniform_condition_of_divergent_values() {
    compiles(
        "kernel void k(global uint *out, long kl) {
             size_t x = get_global_id(0); uint lid = get_local_id(0);
             float v = 5 - lid + lid & 1023;
             union { ushort m0[4]; long m1; } u = { .m1 = kl };
             if (convert_int((double)(mul24((uint)((long)v & 1023), (uint)2) & 4095) * 0.25f))
                 u.m0[-x & 3] = 5 < u.m0[3];
             out[x] = u.m1;
         }",
    );
}

/// Bytes of the baseline code of a kernel that stores this value.
fn size(value: &str) -> usize {
    let source = format!(
        "kernel void k(global uint *a, global uint *b) {{
             size_t i = get_global_id(0);
             a[i] = {value};
         }}"
    );
    object(&source, FEATURES, CodeGenerator::Baseline, false).len()
}

/// A shuffle accesses lanes by number: each access is a load, not a selection among all lanes.
#[test]
fn shuffles_are_small() {
    let shuffle = size("sub_group_shuffle(a[i], b[i])") - size("a[i] + b[i]");
    assert!(shuffle < 8000, "{shuffle} bytes");
}

/// A rotation by the same amount in all lanes is shifts of vectors.
#[test]
fn rotations_are_small() {
    let rotations = size("rotate(rotate(rotate(rotate(a[i], 3u), 5u), 7u), 9u)") - size("a[i] + 3");
    assert!(rotations < 4 * 40, "{rotations} bytes");
}

/// The addresses of inactive work-items are replaced in vectors.
#[test]
fn gathers_are_small() {
    let gathers = size("a[b[b[b[b[i]]]]]") - size("b[i]");
    assert!(gathers < 4 * 240, "{gathers} bytes");
}

/// Minima and maxima that ignore NaN are two instructions and a comparison.
#[test]
fn extrema_are_small() {
    let float = |f: &str| size(&format!("as_uint({f}(as_float(a[i]), as_float(b[i])))"));
    assert!(float("fmax").abs_diff(float("fmin")) < 8);
}
