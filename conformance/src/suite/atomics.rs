//! Atomics: for every operation, type and memory, the final value and the returned values, with many
//! work-items on one word; and kernels with fixed values.

use super::{Context, Outcome, Sink, kernels};
use test_support::cl::{Arg, Session};

/// An operation: its name in OpenCL C 1.x, the operand of work-item `i`, and its effect.
type Operation = (&'static str, &'static str, fn(u32, u32, bool) -> u32);

const OPERATIONS: [Operation; 11] =
    [
        ("atomic_add", "i * 3 + 1", |old, x, _| old.wrapping_add(x)),
        ("atomic_sub", "i * 3 + 1", |old, x, _| old.wrapping_sub(x)),
        ("atomic_inc", "", |old, _, _| old.wrapping_add(1)),
        ("atomic_dec", "", |old, _, _| old.wrapping_sub(1)),
        ("atomic_min", "i * 2654435761u", |old, x, signed| {
            if signed { (old as i32).min(x as i32) as u32 } else { old.min(x) }
        }),
        ("atomic_max", "i * 2654435761u", |old, x, signed| {
            if signed { (old as i32).max(x as i32) as u32 } else { old.max(x) }
        }),
        ("atomic_and", "~(1u << (i & 31))", |old, x, _| old & x),
        ("atomic_or", "1u << (i & 31)", |old, x, _| old | x),
        ("atomic_xor", "i * 2654435761u", |old, x, _| old ^ x),
        ("atomic_xchg", "i + 1000", |_, x, _| x),
        ("atomic_cmpxchg", "i, i + 1", |_, _, _| 0),
    ];

fn operand(name: &str, i: u32) -> u32 {
    match name {
        "atomic_add" | "atomic_sub" => i.wrapping_mul(3).wrapping_add(1),
        "atomic_and" => !(1 << (i & 31)),
        "atomic_or" => 1 << (i & 31),
        "atomic_xchg" => i + 1000,
        _ => i.wrapping_mul(2_654_435_761),
    }
}

fn operation(
    session: &Session<'_>,
    operation: &Operation,
    signed: bool,
    local: bool,
    items: usize,
    group: usize,
) -> Result<(), String> {
    let (name, text, apply) = *operation;
    let ty = if signed { "int" } else { "uint" };
    let call = if text.is_empty() { format!("{name}(at)") } else { format!("{name}(at, {text})") };
    let (space, at) = if local { ("local", "&word") } else { ("global", "out") };
    let source = format!(
        "kernel void k(global {ty} *out, global {ty} *returned, {ty} start) {{
            uint i = get_local_id(0) + {base};
            local {ty} word;
            if (get_local_id(0) == 0 && {is_local}) word = start;
            barrier(CLK_LOCAL_MEM_FENCE);
            volatile {space} {ty} *at = {at};
            returned[get_global_id(0)] = {call};
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) == 0 && {is_local}) out[get_group_id(0)] = word;
        }}",
        base = if local { "0" } else { "get_group_id(0) * get_local_size(0)" },
        is_local = i32::from(local),
    );
    let program = session.build(&source, "-cl-std=CL1.2")?;
    let kernel = program.kernel("k")?;
    let groups = items / group;
    let start = if name == "atomic_cmpxchg" { 0u32 } else { 0x1234_5678 };
    let (out, returned) = (session.buffer(groups * 4)?, session.buffer(items * 4)?);
    session.write(&out, &vec![start; groups])?;
    kernel.set(&[Arg::Buffer(&out), Arg::Buffer(&returned), Arg::U32(start)])?;
    kernel.launch(&[items], Some(&[group]))?;
    let (mut words, mut olds) = (vec![0u32; groups], vec![0u32; items]);
    session.read(&out, &mut words)?;
    session.read(&returned, &mut olds)?;
    // Each group has a word of its own in local memory; all groups share one in global memory.
    let per_word = if local { group } else { items };
    for (olds, end) in olds.chunks(per_word).zip(&words) {
        check(name, apply, signed, start, olds, *end)?;
    }
    Ok(())
}

/// Some sequential order of the calls explains the values.
fn check(
    name: &str,
    apply: fn(u32, u32, bool) -> u32,
    signed: bool,
    start: u32,
    olds: &[u32],
    end: u32,
) -> Result<(), String> {
    let count = olds.len() as u32;
    match name {
        // Work-item i exchanges i for i + 1: a chain may continue where another ended, never twice from one
        // value.
        "atomic_cmpxchg" => {
            let done = (0..count).filter(|i| olds[*i as usize] == *i).count() as u32;
            if end == done && (0..done).all(|i| olds[i as usize] == i) {
                Ok(())
            } else {
                Err(format!("ends with {end}, {done} exchanges succeeded"))
            }
        }
        // Every value but the last is returned once.
        "atomic_xchg" => {
            let mut seen: Vec<u32> = olds.iter().copied().chain([end]).collect();
            let mut want: Vec<u32> = (0..count).map(|i| i + 1000).chain([start]).collect();
            seen.sort_unstable();
            want.sort_unstable();
            if seen == want { Ok(()) } else { Err("values were lost or returned twice".into()) }
        }
        _ => {
            let want = (0..count).fold(start, |old, i| apply(old, operand(name, i), signed));
            if end != want {
                return Err(format!("ends with {end:#x}, expected {want:#x}"));
            }
            if matches!(name, "atomic_inc" | "atomic_dec" | "atomic_add" | "atomic_sub") {
                let mut all = olds.to_vec();
                all.sort_unstable();
                all.dedup();
                if all.len() != olds.len() {
                    return Err("a value was returned twice".into());
                }
            }
            Ok(())
        }
    }
}

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    kernels::tests(context, sink, "atomics");
    let items = if context.quick { 1024 } else { 65536 };
    for op in &OPERATIONS {
        for (signed, local) in [(false, false), (true, false), (false, true), (true, true)] {
            let name = format!(
                "{} {} {}",
                op.0,
                if signed { "int" } else { "uint" },
                if local { "local" } else { "global" }
            );
            sink.test(name, || {
                context
                    .session()
                    .and_then(|s| operation(&s, op, signed, local, items, 64))
                    .map_or_else(Outcome::Fail, |()| Outcome::Pass)
            });
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn wrong_results_are_found() {
        let by_name = |name: &str| OPERATIONS.iter().find(|o| o.0 == name).expect("an operation").2;
        assert!(check("atomic_inc", by_name("atomic_inc"), false, 5, &[5, 6, 7], 8).is_ok());
        assert!(check("atomic_inc", by_name("atomic_inc"), false, 5, &[5, 5, 7], 8).is_err());
        assert!(check("atomic_inc", by_name("atomic_inc"), false, 5, &[5, 6, 7], 7).is_err());
        assert!(check("atomic_xchg", by_name("atomic_xchg"), false, 1, &[1002, 1, 1000], 1001).is_ok());
        assert!(check("atomic_xchg", by_name("atomic_xchg"), false, 1, &[1002, 1, 1002], 1001).is_err());
        assert!(check("atomic_cmpxchg", by_name("atomic_cmpxchg"), false, 0, &[0, 1, 0], 2).is_ok());
        assert!(check("atomic_cmpxchg", by_name("atomic_cmpxchg"), false, 0, &[0, 1, 0], 3).is_err());
    }
}
