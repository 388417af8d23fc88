//! Work-items that communicate: atomics, sub-groups, control flow that diverges; `printf`.

use super::super::check::{Arg, Check, Expected, Precision, bytes_of};

/// Number of work-items, in groups of 64.
const N: usize = 256;
const GROUP: usize = 64;

fn check(name: &str, source: &str, args: Vec<Arg>, result: usize, expected: Expected) -> Check {
    Check {
        name: name.replace('_', " "),
        source: source.into(),
        kernel: name.into(),
        args,
        global: vec![N],
        local: Some(vec![GROUP]),
        result,
        expected,
    }
}

fn zeros(bytes: usize) -> Arg {
    Arg::Buffer(vec![0; bytes])
}

fn values() -> Vec<u32> {
    (0..N as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 12).collect()
}

/// Atomic operations of 32 bits and, if `long`, of 64 bits, on global and local memory.
pub fn atomics(long: bool) -> Vec<Check> {
    let (kind, suffix) = if long { ("ulong", "ulong") } else { ("uint", "uint") };
    let pragma = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
    let source = format!(
        "{}typedef {kind} T; typedef atomic_{suffix} A;
        kernel void counted(global const uint *in, global A *out) {{
            atomic_fetch_add_explicit(out, (T)in[get_global_id(0)], memory_order_relaxed, memory_scope_device); }}
        kernel void extremes(global const uint *in, global A *out) {{
            size_t i = get_global_id(0);
            atomic_fetch_max_explicit(out, (T)in[i], memory_order_relaxed, memory_scope_device);
            atomic_fetch_or_explicit(out + 1, (T)in[i], memory_order_relaxed, memory_scope_device);
            atomic_fetch_xor_explicit(out + 2, (T)in[i], memory_order_relaxed, memory_scope_device); }}
        kernel void exchanged(global const uint *in, global A *out) {{
            T mine = in[get_global_id(0)], old = 0;
            while (!atomic_compare_exchange_weak_explicit(out, &old, old * 1 + mine, memory_order_relaxed,
                memory_order_relaxed, memory_scope_device)) {{ }} }}
        kernel void in_groups(global const uint *in, global A *out) {{
            local A sum; size_t l = get_local_id(0);
            if (l == 0) atomic_init(&sum, (T)0);
            barrier(CLK_LOCAL_MEM_FENCE);
            atomic_fetch_add_explicit(&sum, (T)in[get_global_id(0)], memory_order_relaxed, memory_scope_work_group);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l == 0) atomic_fetch_add_explicit(out, atomic_load_explicit(&sum, memory_order_relaxed,
                memory_scope_work_group), memory_order_relaxed, memory_scope_device); }}",
        if long { pragma } else { "" }
    );
    let all: Vec<u64> = values().into_iter().map(u64::from).collect();
    let size = if long { 8 } else { 4 };
    let encode = |list: &[u64]| list.iter().flat_map(|v| v.to_le_bytes().into_iter().take(size)).collect();
    let sum: u64 = all.iter().sum();
    let (max, or, xor) = all.iter().fold((0, 0, 0), |(m, o, x), v| (v.max(&m).to_owned(), o | v, x ^ v));
    let results: [(&str, Vec<u64>); 4] = [
        ("counted", vec![sum]),
        ("extremes", vec![max, or, xor]),
        ("exchanged", vec![sum]),
        ("in_groups", vec![sum]),
    ];
    results
        .into_iter()
        .map(|(name, list)| {
            let input = Arg::Buffer(bytes_of(values()));
            let bytes: Vec<u8> = encode(&list);
            let mut one = check(name, &source, vec![input, zeros(bytes.len())], 1, Expected::Bytes(bytes));
            one.name = format!("{} of {} bits", one.name, 8 * size);
            one
        })
        .collect()
}

/// Additions of floating-point numbers by atomics, and order of two accesses.
pub fn float_atomics() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void added_floats(global const uint *in, global atomic_float *out) {
            atomic_fetch_add_explicit(out, (float)(in[get_global_id(0)] & 15), memory_order_relaxed,
                memory_scope_device); }
        kernel void flags(global atomic_uint *out) {
            local atomic_uint flag; local uint data; size_t l = get_local_id(0);
            if (l == 0) { atomic_init(&flag, 0); data = 0; }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l == 0) { data = 41; atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group); }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint seen = atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group);
            atomic_fetch_add_explicit(out, seen * data, memory_order_relaxed, memory_scope_device); }";
    let sum: u32 = values().iter().map(|v| v & 15).sum();
    vec![
        check(
            "added_floats",
            SOURCE,
            vec![Arg::Buffer(bytes_of(values())), zeros(4)],
            1,
            Expected::Numbers { precision: Precision::Single, values: vec![sum.into()], ulps: 0.0 },
        ),
        check("flags", SOURCE, vec![zeros(4)], 0, Expected::Bytes(bytes_of([41 * N as u32]))),
    ]
}

/// Sub-group operations, whose results do not depend on the size.
pub fn sub_groups() -> Vec<Check> {
    const SOURCE: &str = "
        #pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
        #pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
        #pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
        #define EACH(TEST) { bool right = (TEST); if (!right) atomic_inc((volatile global uint *)out); }
        kernel void ids(global const uint *in, global uint *out) {
            uint s = get_sub_group_size(), l = get_sub_group_local_id();
            EACH(l < s && s <= get_max_sub_group_size()
                && get_sub_group_id() * get_max_sub_group_size() + l == get_local_linear_id()) }
        kernel void votes(global const uint *in, global uint *out) {
            uint l = get_sub_group_local_id();
            EACH(sub_group_all(l < 128) && sub_group_any(l == 0) && !sub_group_all((int)(l > 200))) }
        kernel void reductions(global const uint *in, global uint *out) {
            uint l = get_sub_group_local_id(), s = get_sub_group_size();
            EACH(sub_group_reduce_add(l) == s * (s - 1) / 2 && sub_group_reduce_max(l) == s - 1
                && sub_group_reduce_min(in[get_global_id(0)] | 1) >= 1) }
        kernel void scans(global const uint *in, global uint *out) {
            uint l = get_sub_group_local_id();
            EACH(sub_group_scan_inclusive_add(l) == l * (l + 1) / 2
                && sub_group_scan_exclusive_add(1u) == l && sub_group_scan_inclusive_max(l) == l) }
        kernel void broadcasts(global const uint *in, global uint *out) {
            uint v = in[get_global_id(0)], first = sub_group_broadcast(v, 0), l = get_sub_group_local_id();
            EACH(l != 0 || first == v) }
        kernel void ballots(global const uint *in, global uint *out) {
            uint l = get_sub_group_local_id(), s = get_sub_group_size(); uint4 b = sub_group_ballot(l & 1);
            EACH(sub_group_ballot_bit_count(b) == s / 2 && sub_group_ballot_bit_extract(b, l) == (l & 1)) }
        kernel void shuffles(global const uint *in, global uint *out) {
            uint l = get_sub_group_local_id(), s = get_sub_group_size(), v = l * 5 + 1;
            uint other = s - 1 - l;
            EACH(sub_group_shuffle(v, other) == other * 5 + 1
                && (s < 2 || (s & 1) || sub_group_shuffle_xor(v, 1) == (l ^ 1) * 5 + 1)) }
        kernel void relative_shuffles(global const uint *in, global uint *out) {
            uint l = get_sub_group_local_id(), s = get_sub_group_size(), v = l * 5 + 1;
            uint up = sub_group_shuffle_up(v, 1), down = sub_group_shuffle_down(v, 1);
            EACH((l == 0 || up == v - 5) && (l == s - 1 || down == v + 5)) }
        kernel void floats(global const uint *in, global uint *out) {
            uint l = get_sub_group_local_id(), s = get_sub_group_size();
            EACH(sub_group_reduce_add((float)l) == (float)(s * (s - 1) / 2)
                && sub_group_scan_exclusive_max((float)l) == (l ? (float)(l - 1) : -INFINITY)) }
        kernel void longs(global const uint *in, global uint *out) {
            uint l = get_sub_group_local_id(), s = get_sub_group_size(); ulong v = (ulong)l << 33 | l;
            EACH(sub_group_reduce_add(v) == (((ulong)(s * (s - 1) / 2) << 33) + s * (s - 1) / 2)
                && sub_group_broadcast(v, s - 1) == ((ulong)(s - 1) << 33 | (s - 1))) }";
    const NAMES: [&str; 10] = [
        "ids",
        "votes",
        "reductions",
        "scans",
        "broadcasts",
        "ballots",
        "shuffles",
        "relative_shuffles",
        "floats",
        "longs",
    ];
    let check = |name: &&str| {
        let args = vec![Arg::Buffer(bytes_of(values())), zeros(4)];
        check(name, SOURCE, args, 1, Expected::Bytes(vec![0; 4]))
    };
    NAMES.iter().map(check).collect()
}

/// Loops, switches and branches that work-items take differently.
pub fn control_flow() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void loops(global const uint *in, global uint *out) {
            uint v = in[get_global_id(0)], n = 0;
            while (v > 1) { v = v & 1 ? 3 * (v & 0xffff) + 1 : v / 2; if (++n > 200) break; }
            out[get_global_id(0)] = n; }
        kernel void nested(global const uint *in, global uint *out) {
            uint v = in[get_global_id(0)] % 13, s = 0;
            for (uint i = 0; i <= v; i++) { if (i == 7) continue;
                for (uint k = i; k; k--) { if (k == 5) break; s += k * i; } }
            out[get_global_id(0)] = s; }
        kernel void switched(global const uint *in, global uint *out) {
            uint v = in[get_global_id(0)], r = 1;
            switch (v % 7) { case 0: r = 10; case 1: r += v; break; case 4: for (uint i = 0; i < 4; i++) r *= 3; break;
                case 5: r = ~v; break; default: r = v / 3; }
            out[get_global_id(0)] = r; }
        kernel void jumped(global const uint *in, global uint *out) {
            uint v = in[get_global_id(0)] % 40, n = 0;
        again: n += v; if (v & 1) { v--; goto again; } if (v > 6) { v -= 7; goto again; }
            out[get_global_id(0)] = n; }
        uint depth(uint v) { return v < 2 ? v : v & 1 ? 1 + v / 2 : 2 * (v / 4); }
        kernel void called(global const uint *in, global uint *out) {
            size_t i = get_global_id(0); out[i] = depth(in[i]) + depth(depth(in[i])); }";
    type Reference = fn(u32) -> u32;
    let cases: [(&str, Reference); 5] = [
        ("loops", |mut v| {
            let mut n = 0;
            while v > 1 {
                v = if v & 1 == 1 { 3 * (v & 0xffff) + 1 } else { v / 2 };
                n += 1;
                if n > 200 {
                    break;
                }
            }
            n
        }),
        ("nested", |v| {
            (0..=v % 13)
                .filter(|i| *i != 7)
                .map(|i| (1..=i).rev().take_while(|k| *k != 5).map(|k| k * i).sum::<u32>())
                .sum()
        }),
        ("switched", |v| match v % 7 {
            0 => 10 + v,
            1 => 1 + v,
            4 => 81,
            5 => !v,
            _ => v / 3,
        }),
        ("jumped", |v| {
            let (mut v, mut n) = (v % 40, 0);
            loop {
                n += v;
                match v {
                    odd if odd & 1 == 1 => v -= 1,
                    large if large > 6 => v -= 7,
                    _ => return n,
                }
            }
        }),
        ("called", |v| depth(v) + depth(depth(v))),
    ];
    cases
        .into_iter()
        .map(|(name, reference)| {
            let expected = Expected::Bytes(bytes_of(values().into_iter().map(reference)));
            check(name, SOURCE, vec![Arg::Buffer(bytes_of(values())), zeros(4 * N)], 1, expected)
        })
        .collect()
}

fn depth(v: u32) -> u32 {
    match v {
        0 | 1 => v,
        odd if odd & 1 == 1 => 1 + odd / 2,
        even => 2 * (even / 4),
    }
}

/// Output of kernels.
pub fn printf() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void prints(global uint *out) { size_t i = get_global_id(0);
            if (i % 64 == 0) printf(\"%u of %d: %s %x\\n\", (uint)i, -5, \"text\", (uint)(i * 16)); }
        kernel void prints_vectors(global uint *out) { size_t i = get_global_id(0);
            if (i == 65) printf(\"%v4u %.2f %c\\n\", (uint4)(1, 2, 3, (uint)i), 1.5f, 'q'); }";
    let lines: Vec<String> = (0..N).step_by(64).map(|i| format!("{i} of -5: text {:x}", i * 16)).collect();
    vec![
        check("prints", SOURCE, vec![zeros(4)], 0, Expected::Printed(lines)),
        check("prints_vectors", SOURCE, vec![zeros(4)], 0, Expected::Printed(vec!["1,2,3,65 1.50 q".into()])),
    ]
}
