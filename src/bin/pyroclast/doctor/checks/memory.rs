//! Memory: vectors, narrow elements, pointers in memory, argument lists, generic pointers, local memory.

use super::super::check::{Arg, Check, Expected, bytes_of};

/// Number of work-items of most checks.
const N: usize = 96;

fn u32s(count: usize, f: impl Fn(u32) -> u32) -> Vec<u8> {
    bytes_of((0..count as u32).map(f))
}

/// A check of one kernel in a source, whose last argument is the result.
fn check(name: &str, source: &str, args: Vec<Arg>, expected: Vec<u8>) -> Check {
    Check {
        name: name.replace('_', " "),
        source: source.into(),
        kernel: name.into(),
        result: args.len() - 1,
        args,
        global: vec![N],
        local: None,
        expected: Expected::Bytes(expected),
    }
}

fn zeros(bytes: usize) -> Arg {
    Arg::Buffer(vec![0; bytes])
}

/// Vector arithmetic, and loads and stores of vectors.
pub fn vectors() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void swizzles(global const uint4 *in, global uint4 *out) {
            size_t i = get_global_id(0); uint4 v = in[i]; out[i] = v.wzyx + v.xxyy * (uint4)(1, 2, 3, 4); }
        kernel void triples(global const uint *in, global uint *out) {
            size_t i = get_global_id(0); uint3 v = vload3(i, in); vstore3(v.zxy + 1, i, out); }
        kernel void wide(global const uint16 *in, global uint16 *out) {
            size_t i = get_global_id(0); uint16 v = in[i]; v.s0f = v.sf0; out[i] = v * 3 + 1; }
        kernel void shuffled(global const uint4 *in, global uint8 *out) {
            size_t i = get_global_id(0); out[i] = shuffle2(in[i], in[i] ^ 255, (uint8)(7, 0, 6, 1, 5, 2, 4, 3)); }
        kernel void indexed(global const uint8 *in, global uint *out) {
            size_t i = get_global_id(0); uint8 v = in[i]; uint p[8]; vstore8(v, 0, p);
            out[i] = p[i & 7] + p[(i + 3) & 7]; }
        kernel void compared(global const int4 *in, global int4 *out) {
            size_t i = get_global_id(0); int4 v = in[i]; out[i] = select(v, -v, v > v.yzwx) + (any(v == 5) ? 1 : 0); }";
    let word = |i: u32| i.wrapping_mul(2_654_435_761) >> 7;
    let quad = |i: u32| [0, 1, 2, 3].map(|k| word(4 * i + k));
    let triple = |i: u32| [0, 1, 2].map(|k| word(3 * i + k));
    let each = |count: usize| Arg::Buffer(u32s(N * count, word));
    let rows = |f: &dyn Fn(u32) -> Vec<u32>| bytes_of((0..N as u32).flat_map(f));
    vec![
        check(
            "swizzles",
            SOURCE,
            vec![each(4), zeros(16 * N)],
            rows(&|i| {
                let [x, y, z, w] = quad(i);
                let add = |a: u32, b: u32, c: u32| a.wrapping_add(b.wrapping_mul(c));
                vec![add(w, x, 1), add(z, x, 2), add(y, y, 3), add(x, y, 4)]
            }),
        ),
        check(
            "triples",
            SOURCE,
            vec![each(3), zeros(12 * N)],
            rows(&|i| [2, 0, 1].map(|k| triple(i)[k].wrapping_add(1)).to_vec()),
        ),
        check(
            "wide",
            SOURCE,
            vec![each(16), zeros(64 * N)],
            rows(&|i| {
                let mut v: Vec<u32> = (0..16).map(|k| word(16 * i + k)).collect();
                v.swap(0, 15);
                v.iter().map(|x| x.wrapping_mul(3).wrapping_add(1)).collect()
            }),
        ),
        check(
            "shuffled",
            SOURCE,
            vec![each(4), zeros(32 * N)],
            rows(&|i| {
                let all = [quad(i), quad(i).map(|x| x ^ 255)].concat();
                [7, 0, 6, 1, 5, 2, 4, 3].map(|k: usize| all[k]).to_vec()
            }),
        ),
        check(
            "indexed",
            SOURCE,
            vec![each(8), zeros(4 * N)],
            rows(&|i| vec![word(8 * i + i % 8).wrapping_add(word(8 * i + (i + 3) % 8))]),
        ),
        check(
            "compared",
            SOURCE,
            vec![Arg::Buffer(u32s(4 * N, |i| i % 11)), zeros(16 * N)],
            rows(&|i| {
                let v = [0, 1, 2, 3].map(|k| (4 * i + k) % 11);
                let more = u32::from(v.contains(&5));
                (0..4usize)
                    .map(|k| {
                        let negated = v[k] > v[(k + 1) % 4];
                        let own = if negated { v[k].wrapping_neg() } else { v[k] };
                        own.wrapping_add(more)
                    })
                    .collect()
            }),
        ),
    ]
}

/// Elements of 8 and 16 bits in buffers, which neighbouring work-items write.
pub fn narrow() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void bytes(global const uchar *in, global uchar *out) {
            size_t i = get_global_id(0); out[i] = in[N - 1 - i] ^ (uchar)i; }
        kernel void words(global const ushort *in, global ushort *out) {
            size_t i = get_global_id(0); out[i] = in[N - 1 - i] + (ushort)(i * 3); }
        kernel void mixed(global const uchar *in, global ushort *out) {
            size_t i = get_global_id(0); out[i] = (ushort)(in[i] << 8 | in[(i + 1) % N]); }
        kernel void packed(global const uchar4 *in, global uchar *out) {
            size_t i = get_global_id(0); uchar4 v = in[i]; vstore3(v.zyx, i, out); }
        typedef struct { uchar tag; ushort count; uint rest; } record;
        kernel void records(global const record *in, global record *out) {
            size_t i = get_global_id(0); record r = in[N - 1 - i]; r.tag++; r.count ^= r.tag; out[i] = r; }
        kernel void halves(global const float *in, global half *out) {
            size_t i = get_global_id(0); vstore_half(in[i] + 1, i, out); }";
    let source = format!("#define N {N}\n{SOURCE}");
    let bytes: Vec<u8> = (0..N as u32).map(|i| (i * 73 + 5) as u8).collect();
    let words: Vec<u16> = (0..N as u32).map(|i| (i * 7919) as u16).collect();
    let back = |i: usize| N - 1 - i;
    let record = |i: usize, tag: u8, count: u16| {
        let mut row = vec![tag, 0];
        row.extend(count.to_le_bytes());
        row.extend((i as u32 * 5).to_le_bytes());
        row
    };
    let records: Vec<u8> = (0..N).flat_map(|i| record(i, i as u8, words[i])).collect();
    let quads: Vec<u8> = (0..4 * N).map(|i| (i * 11) as u8).collect();
    vec![
        check(
            "bytes",
            &source,
            vec![Arg::Buffer(bytes.clone()), zeros(N)],
            (0..N).map(|i| bytes[back(i)] ^ i as u8).collect(),
        ),
        check(
            "words",
            &source,
            vec![Arg::Buffer(bytes_of(&words)), zeros(2 * N)],
            bytes_of((0..N).map(|i| words[back(i)].wrapping_add(i as u16 * 3))),
        ),
        check(
            "mixed",
            &source,
            vec![Arg::Buffer(bytes.clone()), zeros(2 * N)],
            bytes_of((0..N).map(|i| u16::from(bytes[i]) << 8 | u16::from(bytes[(i + 1) % N]))),
        ),
        check(
            "packed",
            &source,
            vec![Arg::Buffer(quads.clone()), zeros(3 * N)],
            (0..N).flat_map(|i| [2, 1, 0].map(|k| quads[4 * i + k])).collect(),
        ),
        check(
            "records",
            &source,
            vec![Arg::Buffer(records), zeros(8 * N)],
            (0..N)
                .flat_map(|i| {
                    let tag = (back(i) as u8).wrapping_add(1);
                    record(back(i), tag, words[back(i)] ^ u16::from(tag))
                })
                .collect(),
        ),
        check(
            "halves",
            &source,
            vec![Arg::Buffer(bytes_of((0..N as u16).map(f32::from))), zeros(2 * N)],
            bytes_of((0..N as u16).map(|i| super::floats::half_bits(f32::from(i + 1)))),
        ),
    ]
}

/// Local memory, barriers and variables shared by a work-group.
pub fn local() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void reversed(global const uint *in, local uint *t, global uint *out) {
            size_t l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
            t[l] = in[g]; barrier(CLK_LOCAL_MEM_FENCE); out[g] = t[n - 1 - l]; }
        kernel void summed(global const uint *in, local uint *t, global uint *out) {
            size_t l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
            t[l] = in[g];
            for (uint d = 1; d < n; d *= 2) {
                barrier(CLK_LOCAL_MEM_FENCE); uint v = l >= d ? t[l - d] : 0;
                barrier(CLK_LOCAL_MEM_FENCE); t[l] += v; }
            out[g] = t[l]; }
        kernel void static_bytes(global const uint *in, local uint *unused, global uint *out) {
            local uchar t[64]; local ushort u[32];
            size_t l = get_local_id(0), g = get_global_id(0);
            t[l] = (uchar)in[g]; u[l] = (ushort)(in[g] >> 8); unused[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);
            out[g] = t[31 - l] | (uint)u[l ^ 1] << 8; }
        kernel void collectives(global const uint *in, local uint *t, global uint *out) {
            size_t l = get_local_id(0), g = get_global_id(0); t[l] = 0;
            out[g] = work_group_reduce_add(in[g]) ^ work_group_scan_inclusive_max(in[g])
                ^ work_group_broadcast(in[g], 3); }
        kernel void copied(global const uint *in, local uint *t, global uint *out) {
            size_t group = get_group_id(0) * get_local_size(0);
            event_t e = async_work_group_copy(t, in + group, get_local_size(0), 0);
            wait_group_events(1, &e); barrier(CLK_LOCAL_MEM_FENCE);
            e = async_work_group_copy(out + group, t, get_local_size(0), 0); wait_group_events(1, &e); }";
    const GROUP: usize = 32;
    let input = |i: usize| (i as u32).wrapping_mul(2_246_822_519) >> 9;
    let all: Vec<u32> = (0..N).map(input).collect();
    let of = |f: &dyn Fn(&[u32], usize) -> u32| {
        bytes_of((0..N).map(|i| f(&all[i / GROUP * GROUP..][..GROUP], i % GROUP)))
    };
    let grouped = |name: &str, expected: Vec<u8>| Check {
        local: Some(vec![GROUP]),
        ..check(
            name,
            SOURCE,
            vec![Arg::Buffer(bytes_of(&all)), Arg::Local(4 * GROUP), zeros(4 * N)],
            expected,
        )
    };
    let sum = |list: &[u32]| list.iter().fold(0u32, |a, b| a.wrapping_add(*b));
    vec![
        grouped("reversed", of(&|group, l| group[GROUP - 1 - l])),
        grouped("summed", of(&|group, l| sum(&group[..=l]))),
        grouped("static_bytes", of(&|group, l| group[31 - l] & 0xff | (group[l ^ 1] >> 8 & 0xffff) << 8)),
        grouped(
            "collectives",
            of(&|group, l| sum(group) ^ group[..=l].iter().copied().max().unwrap_or(0) ^ group[3]),
        ),
        grouped("copied", of(&|group, l| group[l])),
    ]
}

/// Argument lists: more bytes than push constants have, structures by value, and many buffers.
pub fn arguments() -> Vec<Check> {
    const SOURCE: &str = "
        typedef struct { uint head; ulong8 body[4]; uchar tail; } big;
        kernel void structure(big b, global ulong *out) {
            size_t i = get_global_id(0); ulong8 v = b.body[(i / 8) & 3];
            ulong e[8]; vstore8(v, 0, e); out[i] = e[i & 7] + b.head + b.tail; }
        kernel void many(uint4 a, uchar b, ushort c, ulong d, float16 e, int3 f, uint16 g, ulong8 h, global uint *out) {
            size_t i = get_global_id(0); uint p[16]; vstore16(g, 0, p);
            out[i] = a.w + b + c + (uint)d + (uint)e.sf + (uint)f.z + p[i & 15] + (uint)h.s7; }
        kernel void buffers(global const uint *a, global const uint *b, global const uint *c, global uint *out) {
            size_t i = get_global_id(0); out[i] = a[i] + 2 * b[i] + 4 * c[i]; }
        constant uint table[4] = { 3, 1, 4, 1 };
        kernel void constants(constant uint *a, global uint *out) {
            size_t i = get_global_id(0); out[i] = a[i & 7] * table[i & 3]; }";
    let body: Vec<u64> = (0..32u64).map(|i| i << 33 | 7).collect();
    let mut big = vec![0u8; 64];
    big[0] = 9;
    big.extend(bytes_of(&body));
    big.extend([5; 64]);
    let value = |bytes: Vec<u8>| Arg::Value(bytes);
    let g: Vec<u32> = (0..16).map(|k| k * 1000).collect();
    let many = vec![
        value(bytes_of([0u32, 0, 0, 1])),
        value(vec![2]),
        value(bytes_of([4u16])),
        value(bytes_of([8u64])),
        value(bytes_of((0..16u16).map(|k| f32::from(k) + 1.0))),
        value(bytes_of([0u32, 0, 32, 0])),
        value(bytes_of(&g)),
        value(bytes_of([0u64, 0, 0, 0, 0, 0, 0, 64])),
        zeros(4 * N),
    ];
    let of = |m: u32| Arg::Buffer(u32s(N, |i| i * m));
    vec![
        check(
            "structure",
            SOURCE,
            vec![value(big), zeros(8 * N)],
            bytes_of((0..N).map(|i| body[i / 8 % 4 * 8 + i % 8] + 14)),
        ),
        check("many", SOURCE, many, bytes_of((0..N).map(|i| 1 + 2 + 4 + 8 + 16 + 32 + g[i % 16] + 64))),
        check("buffers", SOURCE, vec![of(1), of(10), of(100), zeros(4 * N)], u32s(N, |i| i * 421)),
        check(
            "constants",
            SOURCE,
            vec![Arg::Buffer(u32s(8, |i| i + 1)), zeros(4 * N)],
            u32s(N, |i| (i % 8 + 1) * [3, 1, 4, 1][i as usize % 4]),
        ),
    ]
}

/// Pointers: in private and local memory, in structures, generic ones, and offsets that are not constant.
pub fn pointers() -> Vec<Check> {
    const SOURCE: &str = "
        uint take(const uint *p, size_t i) { return p[i] * 3; }
        kernel void generic_pointers(global const uint *in, global uint *out) {
            local uint t[32]; uint p[4] = { 1, 2, 3, 4 };
            size_t l = get_local_id(0), i = get_global_id(0);
            t[l] = in[i] + 1; barrier(CLK_LOCAL_MEM_FENCE);
            const uint *q = i % 3 == 0 ? (const uint *)in + i
                : i % 3 == 1 ? (const uint *)t + l : (const uint *)p + (i & 3);
            out[i] = take(q, 0); }
        typedef struct { global const uint *from; uint at; } cursor;
        kernel void structures(global const uint *in, global uint *out) {
            size_t i = get_global_id(0); cursor c[2] = { { in, (uint)i }, { in + 8, (uint)(i / 2) } };
            cursor d = c[i & 1]; out[i] = d.from[d.at]; }
        kernel void chosen(global const uint *a, global const uint *b, global uint *out) {
            size_t i = get_global_id(0); global const uint *p = (a[i] & 1) ? a : b;
            for (uint k = 0; k < 3; k++) p += (p[i] & 1); out[i] = p[0] + (uint)(p != a); }
        global uint counter;
        kernel void program_scope(global const uint *in, global uint *out) {
            size_t i = get_global_id(0); if (i == 0) counter = in[5]; out[i] = in[i] + (i == 0 ? counter : 0); }
        kernel void stored_pointers(global uint *mem, global uint *out) {
            size_t i = get_global_id(0); global uint *p = mem + 2 * i; global uint *saved[2] = { p, p + 1 };
            uint k = (uint)(i & 1); *saved[k] = 7 + i; out[i] = *saved[k] + *saved[1 - k]; }";
    let input = Arg::Buffer(u32s(2 * N, |i| i * 5 + 2));
    let at = |i: usize| i as u32 * 5 + 2;
    let a: Vec<u32> = (0..N as u32 + 4).map(|i| i * 3).collect();
    let b: Vec<u32> = (0..N as u32 + 4).map(|i| i * 7 + 1).collect();
    let chosen = |i: usize| {
        let is_a = a[i] & 1 == 1;
        let list = if is_a { &a } else { &b };
        let mut start = 0;
        for _ in 0..3 {
            start += (list[start + i] & 1) as usize;
        }
        list[start] + u32::from(!is_a || start != 0)
    };
    let grouped = |check: Check| Check { local: Some(vec![32]), ..check };
    vec![
        grouped(check(
            "generic_pointers",
            SOURCE,
            vec![input.clone(), zeros(4 * N)],
            bytes_of((0..N).map(|i| {
                3 * match i % 3 {
                    0 => at(i),
                    1 => at(i) + 1,
                    _ => i as u32 % 4 + 1,
                }
            })),
        )),
        check(
            "structures",
            SOURCE,
            vec![input.clone(), zeros(4 * N)],
            bytes_of((0..N).map(|i| if i & 1 == 0 { at(i) } else { at(8 + i / 2) })),
        ),
        check(
            "chosen",
            SOURCE,
            vec![Arg::Buffer(bytes_of(&a)), Arg::Buffer(bytes_of(&b)), zeros(4 * N)],
            bytes_of((0..N).map(chosen)),
        ),
        check(
            "program_scope",
            SOURCE,
            vec![input, zeros(4 * N)],
            bytes_of((0..N).map(|i| at(i) + if i == 0 { at(5) } else { 0 })),
        ),
        check(
            "stored_pointers",
            SOURCE,
            vec![zeros(8 * N), zeros(4 * N)],
            bytes_of((0..N).map(|i| 7 + i as u32)),
        ),
    ]
}
