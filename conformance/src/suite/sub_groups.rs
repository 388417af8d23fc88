//! Sub-groups: queries in kernels, and every collective function for every type that the device reports,
//! among all work-items or those that take a branch, compared with the host. The device decides how
//! work-items form sub-groups; the kernels report it. The same for every size that kernels may require.

use super::raw::*;
use super::{Context, Outcome, Sink};
use half::f16;
use std::fmt::Write;
use std::ptr::{null, null_mut};
use test_support::cl::{Arg, Session};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// A scalar type, the extension it needs, and whether the functions of cl_khr_subgroups take it.
#[derive(Clone, Copy)]
struct Type {
    name: &'static str,
    bytes: usize,
    kind: Kind,
    needs: &'static str,
    is_core: bool,
}

const fn ty(name: &'static str, bytes: usize, kind: Kind, needs: &'static str, is_core: bool) -> Type {
    Type { name, bytes, kind, needs, is_core }
}

const TYPES: [Type; 11] = [
    ty("char", 1, Kind::Signed, "", false),
    ty("uchar", 1, Kind::Unsigned, "", false),
    ty("short", 2, Kind::Signed, "", false),
    ty("ushort", 2, Kind::Unsigned, "", false),
    ty("int", 4, Kind::Signed, "", true),
    ty("uint", 4, Kind::Unsigned, "", true),
    ty("long", 8, Kind::Signed, "", true),
    ty("ulong", 8, Kind::Unsigned, "", true),
    ty("half", 2, Kind::Float, "cl_khr_fp16", true),
    ty("float", 4, Kind::Float, "", true),
    ty("double", 8, Kind::Float, "cl_khr_fp64", true),
];

/// A value of any type: an integer, also in floating-point types. Infinities are the largest and the
/// smallest.
type Value = i128;

impl Type {
    /// A number converted to the type.
    fn wrap(self, value: Value) -> Value {
        let shift = 128 - 8 * self.bytes as u32;
        match self.kind {
            Kind::Signed => value << shift >> shift,
            Kind::Unsigned => (((value as u128) << shift) >> shift) as Value,
            Kind::Float => value,
        }
    }

    fn largest(self) -> Value {
        match self.kind {
            Kind::Signed => (1 << (8 * self.bytes - 1)) - 1,
            Kind::Unsigned => (1 << (8 * self.bytes)) - 1,
            Kind::Float => Value::MAX,
        }
    }

    fn smallest(self) -> Value {
        match self.kind {
            Kind::Signed => -(1 << (8 * self.bytes - 1)),
            Kind::Unsigned => 0,
            Kind::Float => Value::MIN,
        }
    }

    fn store(self, value: Value) -> Vec<u8> {
        match (self.kind, self.bytes) {
            (Kind::Float, 2) => f16::from_f64(value as f64).to_le_bytes().to_vec(),
            (Kind::Float, 4) => (value as f32).to_le_bytes().to_vec(),
            (Kind::Float, _) => (value as f64).to_le_bytes().to_vec(),
            _ => value.to_le_bytes()[..self.bytes].to_vec(),
        }
    }

    /// `None` for values that are not integers.
    fn load(self, bytes: &[u8]) -> Option<Value> {
        let mut raw = [0u8; 16];
        raw[..self.bytes].copy_from_slice(bytes);
        let word = u128::from_le_bytes(raw) as Value;
        let float = match (self.kind, self.bytes) {
            (Kind::Float, 2) => f16::from_bits(word as u16).to_f64(),
            (Kind::Float, 4) => f64::from(f32::from_bits(word as u32)),
            (Kind::Float, _) => f64::from_bits(word as u64),
            _ => return Some(self.wrap(word)),
        };
        if float.is_infinite() {
            Some(if float > 0.0 { Value::MAX } else { Value::MIN })
        } else {
            (float == float.trunc()).then_some(float as Value)
        }
    }
}

/// A work-item of a sub-group.
#[derive(Clone, Copy)]
struct Lane {
    id: u32,
    /// `x` in the kernel.
    value: Value,
    /// `s` in the kernel.
    word: u32,
    /// Whether the work-item takes the branch.
    active: bool,
}

/// A sub-group, by ids.
struct Group {
    max: u32,
    lanes: Vec<Lane>,
}

impl Group {
    fn active(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter().filter(|l| l.active)
    }

    /// The value of an active work-item.
    fn of(&self, id: u32) -> Option<Value> {
        self.lanes.get(id as usize).filter(|l| l.active).map(|l| l.value)
    }

    /// Mask of the work-items with a property, as numbers.
    fn bits(&self, property: impl Fn(&Lane) -> bool) -> u128 {
        self.active().filter(|l| property(l)).fold(0, |bits, l| bits | 1 << l.id)
    }
}

/// Result of a work-item; `None` where the specification leaves it open.
type Expect = Box<dyn Fn(&Group, &Lane) -> Option<Value>>;

/// A call, and its result.
struct Call {
    text: String,
    expect: Expect,
}

fn call(text: impl Into<String>, expect: impl Fn(&Group, &Lane) -> Option<Value> + 'static) -> Call {
    Call { text: text.into(), expect: Box::new(expect) }
}

/// A test: calls whose results have one type.
struct Test {
    name: String,
    needs: Vec<&'static str>,
    input: Type,
    output: Type,
    /// Only some work-items take part.
    diverges: bool,
    calls: Vec<Call>,
}

/// An operation on two values, its name and its identity.
type Operation = (&'static str, fn(Value, Value) -> Value, fn(Type) -> Value);

const ARITHMETIC: [Operation; 4] = [
    ("add", |a, b| a.wrapping_add(b), |_| 0),
    ("min", |a, b| a.min(b), Type::largest),
    ("max", |a, b| a.max(b), Type::smallest),
    ("mul", |a, b| a.wrapping_mul(b), |_| 1),
];
const BITWISE: [Operation; 3] =
    [("and", |a, b| a & b, |t| t.wrap(-1)), ("or", |a, b| a | b, |_| 0), ("xor", |a, b| a ^ b, |_| 0)];
const LOGICAL: [Operation; 3] = [
    ("logical_and", |a, b| Value::from(a != 0 && b != 0), |_| 1),
    ("logical_or", |a, b| Value::from(a != 0 || b != 0), |_| 0),
    ("logical_xor", |a, b| Value::from((a != 0) != (b != 0)), |_| 0),
];

/// Factors of floating-point products: few differ from 1 and -1, so that products are exact. `m` in the
/// kernel.
fn factor(word: u32) -> Value {
    match word >> 8 & 63 {
        0 => 2,
        1..32 => -1,
        _ => 1,
    }
}

/// The operand of a work-item, and its name in the kernel.
fn operand(ty: Type, name: &str) -> (&'static str, fn(&Lane) -> Value) {
    match name {
        "mul" if ty.kind == Kind::Float => ("m", |l| factor(l.word)),
        _ if name.starts_with("logical") => ("(int)(s & 1)", |l| Value::from(l.word & 1)),
        _ => ("x", |l| l.value),
    }
}

/// A reduction and both scans.
fn collectives(ty: Type, prefix: &str, op: Operation) -> [Call; 3] {
    let (name, apply, identity) = op;
    let (text, value) = operand(ty, name);
    let fold = move |lanes: &mut dyn Iterator<Item = &Lane>| {
        Some(lanes.map(value).reduce(|a, b| ty.wrap(apply(a, b))).unwrap_or_else(|| identity(ty)))
    };
    [
        call(format!("{prefix}reduce_{name}({text})"), move |g, _| fold(&mut g.active())),
        call(format!("{prefix}scan_inclusive_{name}({text})"), move |g, me| {
            fold(&mut g.active().filter(|l| l.id <= me.id))
        }),
        call(format!("{prefix}scan_exclusive_{name}({text})"), move |g, me| {
            fold(&mut g.active().filter(|l| l.id < me.id))
        }),
    ]
}

fn clustered(ty: Type, op: Operation, size: u32) -> Call {
    let (name, apply, _) = op;
    let (text, value) = operand(ty, name);
    call(format!("sub_group_clustered_reduce_{name}({text}, {size})"), move |g, me| {
        // No cluster is larger than a sub-group can be.
        let mates = g.active().filter(|l| l.id / size == me.id / size).map(value);
        if size > g.max { None } else { mates.reduce(|a, b| ty.wrap(apply(a, b))) }
    })
}

fn operations(ty: Type) -> Vec<Operation> {
    let bitwise = if ty.kind == Kind::Float { &[][..] } else { &BITWISE[..] };
    ARITHMETIC.iter().chain(bitwise).copied().collect()
}

fn shuffles(ty: Type) -> Vec<Test> {
    let test = |what: &str, needs: &'static str, calls: Vec<Call>| Test {
        name: format!("{what}, {}", ty.name),
        needs: vec![needs],
        input: ty,
        output: ty,
        diverges: false,
        calls,
    };
    let size = |g: &Group| g.lanes.len() as u32;
    let xors = [1u32, 2, 3, 7]
        .map(|mask| call(format!("sub_group_shuffle_xor(x, {mask})"), move |g, me| g.of(me.id ^ mask)));
    let mut plain = vec![
        call("sub_group_shuffle(x, s % size)", move |g, me| g.of(me.word % size(g))),
        call("sub_group_shuffle(x, size - 1 - lane)", move |g, me| g.of(size(g) - 1 - me.id)),
    ];
    plain.extend(xors);
    let relative = [0u32, 1, 3].into_iter().flat_map(|delta| {
        [
            call(format!("sub_group_shuffle_up(x, {delta})"), move |g, me| g.of(me.id.wrapping_sub(delta))),
            call(format!("sub_group_shuffle_down(x, {delta})"), move |g, me| g.of(me.id + delta)),
        ]
    });
    let mut rotations: Vec<Call> = [0i32, 1, 3, -1]
        .map(|by| {
            call(format!("sub_group_rotate(x, {by})"), move |g, me| {
                // Values of work-items beyond the end of a partial sub-group are unspecified.
                let full = size(g) == g.max;
                g.of((me.id as i32 + by).rem_euclid(g.max as i32) as u32).filter(|_| full)
            })
        })
        .into();
    rotations.extend([2u32, 4].map(|cluster| {
        call(format!("sub_group_clustered_rotate(x, 1, {cluster})"), move |g, me| {
            let from = me.id / cluster * cluster + (me.id + 1) % cluster;
            g.of(from).filter(|_| cluster <= g.max)
        })
    }));
    let last = call("sub_group_broadcast(x, size - 1)", move |g, _| g.of(size(g) - 1));
    let mut broadcasts = vec![call("sub_group_broadcast(x, 0)", |g, _| g.of(0)), last];
    if ty.needs.is_empty() || ty.name == "double" {
        // A vector result counts how many of its elements are right.
        for width in [2, 3, 4, 8, 16] {
            let text = format!(
                "({name})sum{width}(sub_group_broadcast((({name}{width})x) * ({name}{width})(ONES{width}), 0))",
                name = ty.name
            );
            let want = move |g: &Group, _: &Lane| {
                g.of(0)
                    .map(|v| (1..=width as Value).fold(0, |sum, i| ty.wrap(sum + ty.wrap(v.wrapping_mul(i)))))
            };
            broadcasts.push(call(text, want));
        }
    }
    let scalars = if ty.is_core { "" } else { "cl_khr_subgroup_extended_types" };
    let (vectors, scalar_broadcasts) = (broadcasts.split_off(2), broadcasts);
    let mut tests = vec![
        test("broadcast", scalars, scalar_broadcasts),
        test("shuffle", "cl_khr_subgroup_shuffle", plain),
        test("relative shuffle", "cl_khr_subgroup_shuffle_relative", relative.collect()),
        test("rotation", "cl_khr_subgroup_rotate", rotations),
    ];
    if !vectors.is_empty() {
        tests.push(test("broadcast of vectors", "cl_khr_subgroup_extended_types", vectors));
    }
    tests
}

/// Functions of every type.
fn of_type(ty: Type) -> Vec<Test> {
    let name = |what: &str| format!("{what}, {}", ty.name);
    let core = ARITHMETIC[..3].iter().flat_map(|op| collectives(ty, "sub_group_", *op)).collect();
    let mut some: Vec<Call> =
        operations(ty).iter().flat_map(|op| collectives(ty, "sub_group_non_uniform_", *op)).collect();
    let mut cluster: Vec<Call> =
        operations(ty).iter().flat_map(|op| [2, 4].map(|size| clustered(ty, *op, size))).collect();
    if ty.name == "int" {
        some.extend(LOGICAL.iter().flat_map(|op| collectives(ty, "sub_group_non_uniform_", *op)));
        cluster.extend(LOGICAL.iter().map(|op| clustered(ty, *op, 4)));
    }
    let first = |g: &Group| g.active().next().map(|l| l.value);
    let ballots = vec![
        call("sub_group_broadcast_first(x)", move |g, _| first(g)),
        call("sub_group_non_uniform_broadcast(x, sub_group_ballot_find_msb(sub_group_ballot(1)))", |g, _| {
            g.active().last().map(|l| l.value)
        }),
        call("sub_group_non_uniform_all_equal(x) ? (T)1 : (T)0", move |g, _| {
            Some(Value::from(g.active().all(|l| Some(l.value) == first(g))))
        }),
        call("sub_group_non_uniform_all_equal(x - x)", |_, _| Some(1)),
    ];
    let extended = if ty.is_core { "" } else { "cl_khr_subgroup_extended_types" };
    let test = |what: &str, needs: Vec<&'static str>, diverges, calls| Test {
        name: name(what),
        needs,
        input: ty,
        output: ty,
        diverges,
        calls,
    };
    let mut tests = vec![
        test("reductions and scans", vec![extended], false, core),
        test("non-uniform arithmetic", vec!["cl_khr_subgroup_non_uniform_arithmetic"], true, some),
        test("clustered reductions", vec!["cl_khr_subgroup_clustered_reduce"], true, cluster),
        test(
            "non-uniform broadcast",
            vec!["cl_khr_subgroup_ballot", "cl_khr_subgroup_non_uniform_vote"],
            true,
            ballots,
        ),
    ];
    tests.extend(shuffles(ty));
    tests
}

/// A word of a mask of 128 bits.
fn word(bits: u128, at: u32) -> Option<Value> {
    Some((bits >> (32 * at)) as u32 as Value)
}

/// Votes and ballots.
fn predicates() -> Vec<Test> {
    let uint = TYPES[5];
    let is_odd = |l: &Lane| l.word & 1 == 1;
    let is_rare = |l: &Lane| l.word & 15 == 0;
    let number = |b: bool| Some(Value::from(b));
    let votes = |prefix: &str| {
        vec![
            call(format!("!!{prefix}all(s & 1)"), move |g, _| number(g.active().all(is_odd))),
            call(format!("!!{prefix}any(s & 1)"), move |g, _| number(g.active().any(is_odd))),
            call(format!("!!{prefix}any((s & 15) == 0)"), move |g, _| number(g.active().any(is_rare))),
            call(format!("!!{prefix}all((s & 15) != 0)"), move |g, _| number(!g.active().any(is_rare))),
        ]
    };
    let mut some = votes("sub_group_non_uniform_");
    some.push(call("!!sub_group_elect()", |g, me| {
        Some(Value::from(g.active().next().map(|l| l.id) == Some(me.id)))
    }));
    let mut ballots = Vec::new();
    for (at, letter) in "xyzw".chars().enumerate() {
        let at = at as u32;
        ballots.push(call(format!("sub_group_ballot(s & 1).{letter}"), move |g, _| word(g.bits(is_odd), at)));
        type Mask = fn(u32, u32) -> bool;
        let masks: [(&str, Mask); 5] = [
            ("eq", |a, b| a == b),
            ("ge", |a, b| a >= b),
            ("gt", |a, b| a > b),
            ("le", |a, b| a <= b),
            ("lt", |a, b| a < b),
        ];
        for (name, holds) in masks {
            ballots.push(call(format!("get_sub_group_{name}_mask().{letter}"), move |g, me| {
                let bits =
                    (0..g.max.min(128)).filter(|i| holds(*i, me.id)).fold(0u128, |bits, i| bits | 1 << i);
                word(bits, at)
            }));
        }
    }
    let odd = "sub_group_ballot(s & 1)";
    let count = |bits: u128| Some(Value::from(bits.count_ones()));
    ballots.extend([
        call(format!("!!sub_group_inverse_ballot({odd})"), move |_, me| number(is_odd(me))),
        call(format!("!!sub_group_ballot_bit_extract({odd}, (lane + 1) % size)"), move |g, me| {
            let next = (me.id + 1) % g.lanes.len() as u32;
            number(g.bits(is_odd) >> next & 1 == 1)
        }),
        call(format!("sub_group_ballot_bit_count({odd})"), move |g, _| count(g.bits(is_odd))),
        call(format!("sub_group_ballot_inclusive_scan({odd})"), move |g, me| {
            count(g.bits(|l| is_odd(l) && l.id <= me.id))
        }),
        call(format!("sub_group_ballot_exclusive_scan({odd})"), move |g, me| {
            count(g.bits(|l| is_odd(l) && l.id < me.id))
        }),
        call(format!("sub_group_ballot_find_lsb({odd})"), move |g, _| {
            g.active().find(|l| is_odd(l)).map(|l| Value::from(l.id))
        }),
        call(format!("sub_group_ballot_find_msb({odd})"), move |g, _| {
            g.active().filter(|l| is_odd(l)).last().map(|l| Value::from(l.id))
        }),
    ]);
    let test = |name: &str, needs: &'static str, diverges, calls| Test {
        name: name.into(),
        needs: vec![needs],
        input: uint,
        output: uint,
        diverges,
        calls,
    };
    vec![
        test("votes", "", false, votes("sub_group_")),
        test("non-uniform votes", "cl_khr_subgroup_non_uniform_vote", true, some),
        test("ballots", "cl_khr_subgroup_ballot", true, ballots),
    ]
}

/// The kernel of a test, which may require a sub-group size.
fn source(test: &Test, size: Option<u64>) -> String {
    let mut text = String::new();
    for name in ["cl_khr_fp16", "cl_khr_fp64"].into_iter().filter(|n| *n == test.input.needs) {
        let _ = writeln!(text, "#pragma OPENCL EXTENSION {name} : enable");
    }
    for width in [2usize, 3, 4, 8, 16] {
        let used = test.calls.iter().any(|c| c.text.contains(&format!("sum{width}(")));
        if used {
            let ones: Vec<String> = (1..=width).map(|i| i.to_string()).collect();
            let parts: Vec<String> = (0..width).map(|i| format!("v.s{i:x}")).collect();
            let (name, ones, parts) = (test.input.name, ones.join(", "), parts.join(" + "));
            let _ = writeln!(
                text,
                "#define ONES{width} {ones}\n{name} sum{width}({name}{width} v) {{ return {parts}; }}"
            );
        }
    }
    let (input, output) = (test.input.name, test.output.name);
    let _ = writeln!(
        text,
        "typedef {input} T;
        {required} kernel void k(global const {input} *in, global const uint *words, global uint4 *facts, global {output} *out, uint items) {{
            size_t i = get_global_linear_id();
            {input} x = in[i];
            uint s = words[i], lane = get_sub_group_local_id(), size = get_sub_group_size();
            {input} m = (s >> 8 & 63) == 0 ? 2 : (s >> 8 & 63) < 32 ? -1 : 1;
            facts[i] = (uint4)(get_sub_group_id(), lane, size, get_max_sub_group_size());
            {branch}{{",
        branch = if test.diverges { "if (s >> 16 & 1) " } else { "" },
        required = size.map_or(String::new(), |n| format!("__attribute__((intel_reqd_sub_group_size({n})))"))
    );
    for (at, call) in test.calls.iter().enumerate() {
        let _ = writeln!(text, "out[{at} * (size_t)items + i] = ({output})({});", call.text);
    }
    text + "} }"
}

/// Global and local size of a launch.
type Sizes = ([usize; 3], [usize; 3]);

/// The sub-groups of a launch, each with the indices of its work-items.
fn groups(sizes: Sizes, facts: &[[u32; 4]], lanes: &[Lane]) -> Result<Vec<(Group, Vec<usize>)>, String> {
    let (global, local) = sizes;
    let mut found: std::collections::BTreeMap<(usize, u32), Vec<usize>> = std::collections::BTreeMap::new();
    for (at, fact) in facts.iter().enumerate() {
        let id = [at % global[0], at / global[0] % global[1], at / global[0] / global[1]];
        let group = (0..3).rev().fold(0, |linear, d| linear * (global[d] / local[d]) + id[d] / local[d]);
        found.entry((group, fact[0])).or_default().push(at);
    }
    let mut all = Vec::new();
    for ((group, id), mut members) in found {
        members.sort_by_key(|at| facts[*at][1]);
        let (size, max) = (facts[members[0]][2], facts[members[0]][3]);
        let text = || format!("sub-group {id} of group {group}, reported {size} of at most {max}");
        // Section 3.2.1: ids count from 0; all work-items read the same size, the number of the sub-group's
        // work-items.
        if members
            .iter()
            .enumerate()
            .any(|(i, at)| facts[*at][1] != i as u32 || facts[*at][2..] != [size, max])
        {
            return Err(format!("{}: ids or sizes differ", text()));
        }
        if members.len() != size as usize || size > max {
            return Err(format!("{}: has {}", text(), members.len()));
        }
        let lanes = members.iter().enumerate().map(|(i, at)| Lane { id: i as u32, ..lanes[*at] }).collect();
        all.push((Group { max, lanes }, members));
    }
    Ok(all)
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn launch(
    session: &Session<'_>,
    kernel: &test_support::cl::Kernel<'_>,
    test: &Test,
    sizes: Sizes,
    seed: u64,
) -> Result<(), String> {
    let items: usize = sizes.0.iter().product();
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ seed;
    let lanes: Vec<Lane> = (0..items)
        .map(|_| {
            let (bits, word) = (random(&mut state), random(&mut state) as u32);
            let value = if test.input.kind == Kind::Float {
                Value::from(bits % 17) - 8
            } else {
                test.input.wrap(bits.into())
            };
            Lane { id: 0, value, word, active: !test.diverges || word >> 16 & 1 == 1 }
        })
        .collect();
    let results = test.calls.len() * items * test.output.bytes;
    let (input, words) = (session.buffer(items * test.input.bytes)?, session.buffer(items * 4)?);
    let (facts, output) = (session.buffer(items * 16)?, session.buffer(results)?);
    session.write(&input, &lanes.iter().flat_map(|l| test.input.store(l.value)).collect::<Vec<u8>>())?;
    session.write(&words, &lanes.iter().map(|l| l.word).collect::<Vec<u32>>())?;
    session.write(&output, &vec![0x5au8; results])?;
    let buffers = [&input, &words, &facts, &output].map(Arg::Buffer);
    kernel.set(&buffers.into_iter().chain([Arg::U32(items as u32)]).collect::<Vec<_>>())?;
    kernel.launch(&sizes.0, Some(&sizes.1))?;
    let (mut reported, mut out) = (vec![[0u32; 4]; items], vec![0u8; results]);
    session.read(&facts, &mut reported)?;
    session.read(&output, &mut out)?;
    let mut wrong = Vec::new();
    for (group, members) in groups(sizes, &reported, &lanes)? {
        for (lane, at) in group.lanes.iter().zip(&members).filter(|(l, _)| l.active) {
            for (number, call) in test.calls.iter().enumerate() {
                let Some(want) = (call.expect)(&group, lane) else { continue };
                let from = (number * items + at) * test.output.bytes;
                let got = test.output.load(&out[from..][..test.output.bytes]);
                if got != Some(want) {
                    let (id, size) = (lane.id, group.lanes.len());
                    let got = got.map_or("no integer".into(), |v| v.to_string());
                    wrong.push(format!(
                        "{} for work-item {id} of {size} is {got}, expected {want}",
                        call.text
                    ));
                }
            }
        }
    }
    let total = wrong.len();
    wrong.truncate(3);
    if total == 0 {
        Ok(())
    } else {
        Err(format!("{total} wrong results in groups of {:?}: {}", sizes.1, wrong.join("; ")))
    }
}

/// Groups that fill sub-groups and groups that do not, in one to three dimensions.
fn sizes(device: cl_device_id, quick: bool) -> Vec<Sizes> {
    let most = device_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize;
    let mut list = vec![([128, 1, 1], [64, 1, 1]), ([100, 1, 1], [50, 1, 1]), ([8, 6, 5], [4, 3, 5])];
    if !quick {
        list.extend([1usize, 2, 3, 7, 16, 31, 33, 127, 128, 256, 1024].map(|n| ([3 * n, 1, 1], [n, 1, 1])));
        list.extend([([2, 34, 3], [1, 17, 3]), ([5, 5, 5], [5, 5, 5])]);
    }
    list.retain(|(_, local)| local.iter().product::<usize>() <= most);
    list
}

/// The missing requirement of a test, or else the build option of its language version.
fn language(session: &Session<'_>, needs: &[&str]) -> Result<&'static str, Outcome> {
    let offered = session.offers();
    let has = |name: &str| offered.has(name);
    if let Some(name) = needs.iter().find(|n| !n.is_empty() && !has(n)) {
        return Err(Outcome::Skip(format!("needs {name}")));
    }
    match (has("__opencl_c_subgroups"), has("cl_khr_subgroups")) {
        (true, _) => Ok("-cl-std=CL3.0"),
        (false, true) => Ok("-cl-std=CL2.0"),
        (false, false) => Err(Outcome::Skip("needs sub-groups".into())),
    }
}

/// The sub-group sizes that kernels may require.
fn required_sizes(context: &Context<'_>) -> Vec<u64> {
    let device = context.device.id;
    if !device_text(device, CL_DEVICE_EXTENSIONS).contains("cl_intel_required_subgroup_size") {
        return Vec::new();
    }
    let mut sizes = [0u64; 16];
    let mut bytes = 0;
    // SAFETY: at most as many bytes are written as there are.
    let code = unsafe {
        let (name, room) = (CL_DEVICE_SUB_GROUP_SIZES_INTEL, size_of_val(&sizes));
        clGetDeviceInfo(device, name, room, sizes.as_mut_ptr().cast(), &mut bytes)
    };
    if code == CL_SUCCESS { sizes[..bytes / 8].to_vec() } else { Vec::new() }
}

/// Runs a test with kernels that require a size. Where the device can have it in uniform control flow only,
/// all work-items take part.
fn run_in_size(context: &Context<'_>, mut test: Test, size: u64) -> Result<Outcome, String> {
    match run(context, &test, Some(size)) {
        Err(log) if test.diverges && log.contains("in control flow that may differ") => {
            test.diverges = false;
            run(context, &test, Some(size))
        }
        result => result,
    }
}

fn run(context: &Context<'_>, test: &Test, size: Option<u64>) -> Result<Outcome, String> {
    let session = context.session()?;
    let mut needs = test.needs.clone();
    needs.push(test.input.needs);
    let options = match language(&session, &needs) {
        Ok(options) => options,
        Err(outcome) => return Ok(outcome),
    };
    let program = session.build(&source(test, size), options)?;
    let kernel = program.kernel("k")?;
    for (seed, sizes) in sizes(context.device.id, context.quick).into_iter().enumerate() {
        launch(&session, &kernel, test, sizes, seed as u64)?;
    }
    Ok(Outcome::Pass)
}

const QUERIES: &str = "
kernel void k(global uint *out) {
    size_t i = get_global_linear_id();
    out[i * 4] = get_num_sub_groups();
    out[i * 4 + 1] = get_enqueued_num_sub_groups();
    out[i * 4 + 2] = get_max_sub_group_size();
    local uint sum;
    if (get_local_linear_id() == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_local_id() == 0) atomic_add(&sum, get_sub_group_size());
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i * 4 + 3] = sum;
}
";

/// Queries of the kernel and of the host, before and after the launch.
fn queries(context: &Context<'_>) -> Result<Outcome, String> {
    let session = context.session()?;
    let options = match language(&session, &[]) {
        Ok(options) => options,
        Err(outcome) => return Ok(outcome),
    };
    let program = session.build(QUERIES, options)?;
    let kernel = program.kernel("k")?;
    let device = context.device.id;
    let ask = |name: cl_uint, input: &[usize], count: usize| -> Result<Vec<usize>, String> {
        let mut values = vec![0usize; count];
        // SAFETY: live handles, blocks with their sizes.
        let code = unsafe {
            let (input, size) = (input.as_ptr().cast(), size_of_val(input));
            clGetKernelSubGroupInfo(
                kernel.kernel,
                device,
                name,
                size,
                input,
                8 * count,
                values.as_mut_ptr().cast(),
                null_mut(),
            )
        };
        ok("clGetKernelSubGroupInfo", code).map(|()| values)
    };
    let most = ask(CL_KERNEL_MAX_NUM_SUB_GROUPS, &[], 1)?[0];
    for (global, local) in sizes(device, context.quick) {
        let items: usize = global.iter().product();
        let out = session.buffer(items * 16)?;
        kernel.set(&[Arg::Buffer(&out)])?;
        kernel.launch(&global, Some(&local))?;
        let mut reported = vec![[0u32; 4]; items];
        session.read(&out, &mut reported)?;
        let max = ask(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &local, 1)?[0];
        let count = ask(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &local, 1)?[0];
        let size: usize = local.iter().product();
        let want = [count, count, max, size].map(|n| n as u32);
        if let Some(wrong) = reported.iter().find(|t| **t != want) {
            return Err(format!("groups of {local:?}: work-items learn {wrong:?}, the host {want:?}"));
        }
        // Within the maximum number of sub-groups; only the last may be partial.
        if count > most || count != size.div_ceil(max) {
            return Err(format!("{count} sub-groups of {max} for {size}, at most {most}"));
        }
        // CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: a size with the requested number of sub-groups, or 0.
        let fitting: usize = ask(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[count], 3)?.iter().product();
        if fitting != 0 && fitting.div_ceil(max) != count {
            return Err(format!("{fitting} work-items are said to have {count} sub-groups of {max}"));
        }
    }
    let impossible: usize = ask(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[most + 1], 1)?[0];
    // SAFETY: as above; a size of no dimensions.
    let code = unsafe {
        let (name, mut value) = (CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0usize);
        clGetKernelSubGroupInfo(
            kernel.kernel,
            device,
            name,
            0,
            null(),
            8,
            (&raw mut value).cast(),
            null_mut(),
        )
    };
    super::expect(code, &[CL_INVALID_VALUE])?;
    if impossible == 0 {
        Ok(Outcome::Pass)
    } else {
        Err(format!("{most} sub-groups at most, but {impossible} items for more"))
    }
}

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    sink.test("queries", || queries(context).unwrap_or_else(Outcome::Fail));
    for test in predicates().into_iter().chain(TYPES.into_iter().flat_map(of_type)) {
        sink.test(test.name.clone(), || run(context, &test, None).unwrap_or_else(Outcome::Fail));
    }
    for size in required_sizes(context) {
        // All pieces of values that are moved, and all widths of integers.
        let types =
            TYPES.into_iter().filter(|ty| !context.quick || ["char", "int", "double"].contains(&ty.name));
        for test in predicates().into_iter().chain(types.flat_map(of_type)) {
            let name = format!("{}, in {size}s", test.name);
            sink.test(name, || run_in_size(context, test, size).unwrap_or_else(Outcome::Fail));
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn what_is_expected() {
        let find = |name: &str| TYPES.into_iter().find(|t| t.name == name).expect("a type");
        let lane = |id, value, active| Lane { id, value, word: 0, active };
        let group = Group {
            max: 8,
            lanes: vec![lane(0, 100, true), lane(1, 50, false), lane(2, 60, true), lane(3, 5, true)],
        };
        let all = |ty: Type, op: usize| {
            collectives(ty, "", ARITHMETIC[op]).map(|c| (c.expect)(&group, &group.lanes[2]).expect("a value"))
        };
        assert_eq!(all(find("char"), 0), [-91, -96, 100]);
        assert_eq!(all(find("int"), 1), [5, 60, 100]);
        let first =
            collectives(find("float"), "", ARITHMETIC[1]).map(|c| (c.expect)(&group, &group.lanes[0]));
        assert_eq!(first, [Some(5), Some(100), Some(Value::MAX)]);
        assert_eq!((clustered(find("int"), ARITHMETIC[0], 2).expect)(&group, &group.lanes[0]), Some(100));
        for ty in TYPES {
            assert_eq!(ty.load(&ty.store(7)), Some(7), "{}", ty.name);
        }
        assert_eq!(find("half").load(&f16::INFINITY.to_le_bytes()), Some(Value::MAX));
    }

    #[test]
    fn sub_groups_are_found() {
        let lanes = [Lane { id: 0, value: 0, word: 0, active: true }; 6];
        let facts = [[0, 1, 2, 4], [0, 0, 2, 4], [1, 0, 1, 4], [0, 0, 2, 4], [0, 1, 2, 4], [1, 0, 1, 4]];
        let found = groups(([6, 1, 1], [3, 1, 1]), &facts, &lanes).expect("sub-groups");
        assert_eq!(
            found.iter().map(|g| g.1.clone()).collect::<Vec<_>>(),
            [vec![1, 0], vec![2], vec![3, 4], vec![5]]
        );
        let twice = [[0, 1, 2, 4], [0, 1, 2, 4], [1, 0, 1, 4], [0, 0, 2, 4], [0, 1, 2, 4], [1, 0, 1, 4]];
        assert!(groups(([6, 1, 1], [3, 1, 1]), &twice, &lanes).is_err());
    }
}
