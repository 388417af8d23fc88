//! Every sub-group operation means the same before and after lowering: on devices that have all operations
//! and on those with only the required ones, in full and partial sub-groups of several sizes and under
//! divergent control flow.

use super::{resize, run};
use crate::ir::interp::{Launch, Machine, value};
use crate::ir::{FuncRef, Module, parse, verify};
use crate::target::{SubgroupOps, Target};

/// A function whose work-items take one of two paths. Each path has the operation with `operands` (v10 of the
/// tested type or a mask v11, and a number v12).
fn program(ty: &str, make: &str, op: &str, operands: &str, result: &str) -> String {
    format!(
        "func @k() -> {result} {{
block0:
    v1 = work_item local_linear_id 0
    v2 = trunc.i32 v1
    v3 = imul v2, i32 0x9e3779b1
    v4 = lshr v3, i32 7
    {make}
    v14 = xor v3, i32 0x5bd1e995
    v11 = vec_build v14, v3, v14, v3
    v13 = lshr v3, i32 28
    v12 = and v13, i32 7
    v5 = and v2, i32 5
    v6 = icmp ne v5, i32 0
    brif v6, block1, block2
block1:
    v20 = group sub_group {op}{operands}
    br block3(v20)
block2:
    v21 = group sub_group {op}{operands}
    br block3(v21)
block3(v22: {result}):
    ret v22
}}
"
    )
    .replace("TYPE", ty)
}

fn parsed(text: &str) -> Module {
    let m = parse::parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify::verify_module(&m).unwrap_or_else(|e| panic!("{e}\n{text}"));
    m
}

fn results(m: &Module, items: u32, size: u32) -> Vec<Vec<value::LaneValues>> {
    let launch = Launch { local_size: [items, 1, 1], sub_group_size: size, ..Launch::default() };
    let func: FuncRef = m.find("k").unwrap();
    Machine::new(m).run(func, &[], &launch).unwrap_or_else(|e| panic!("{e}\n{m}"))
}

/// Checks the lowering for devices with sub-groups of the same size, and of other sizes.
fn check(text: &str) {
    let needed =
        SubgroupOps { basic: true, vote: true, ballot: true, shuffle: true, ..SubgroupOps::default() };
    let all = SubgroupOps {
        arithmetic: true,
        shuffle_relative: true,
        clustered: true,
        extended_types: true,
        ..needed
    };
    for size in [1, 8, 64] {
        for subgroup_ops in [needed, all] {
            compare(text, size, size, subgroup_ops);
        }
    }
    resized(text, 4, 16, needed);
    resized(text, 16, 4, needed);
}

/// Compares results in sub-groups of another size than the device's. Larger ones need control flow that is
/// uniform.
fn resized(text: &str, size: u32, device: u32, ops: SubgroupOps) {
    let text = if size > device { text.replace("brif v6,", "brif i1 1,") } else { text.to_owned() };
    compare(&text, size, device, ops);
}

/// Compares results of a program in sub-groups of `size` with those of the program lowered for a device.
fn compare(text: &str, size: u32, device: u32, subgroup_ops: SubgroupOps) {
    let before = parsed(text);
    let target = Target { subgroup_size: device, subgroup_ops, ..Target::generic() };
    let mut after = before.clone();
    let Module { functions, globals, .. } = &mut after;
    for f in functions.values_mut() {
        if size != device {
            let sizes = resize::Sizes { size, device, items: None };
            assert!(resize::run(f, globals, &target, &sizes).unwrap_or_else(|e| panic!("{e}\n{text}")));
        }
        assert!(run(f, &target, device) || size != device);
    }
    verify::verify_module(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    for items in [3, size + 5] {
        let (want, got) = (results(&before, items, size), results(&after, items, device));
        let func = &before.functions[before.find("k").unwrap()];
        for (i, (w, g)) in want.iter().zip(&got).enumerate() {
            let same = value::refines(func.sig.results[0], &w[0], &g[0]);
            assert!(same, "item {i} of {items} in {size}s on {device}s: {w:?} became {g:?}\n{text}\n{after}");
        }
    }
}

const TYPES: &[(&str, &str)] = &[
    ("i8", "v10 = trunc.i8 v4"),
    ("i16", "v10 = trunc.i16 v4"),
    ("i32", "v10 = iadd v4, v3"),
    ("i64", "v9 = zext.i64 v4\n    v10 = imul v9, i64 0x123456789"),
    // Small whole numbers, so that the order of additions does not matter.
    ("f16", "v9 = and v4, i32 1\n    v10 = s_to_fp.f16 v9"),
    ("f32", "v9 = and v4, i32 1023\n    v10 = s_to_fp.f32 v9"),
    ("f64", "v9 = and v4, i32 1023\n    v10 = s_to_fp.f64 v9"),
    ("i1", "v10 = trunc.i1 v4"),
];

#[test]
fn combinations() {
    for (ty, make) in TYPES {
        let ops: &[&str] = match *ty {
            "i1" => &["and", "or", "xor"],
            ty if ty.starts_with('f') => &["fadd", "fmin", "fmax"],
            "i8" => &["iadd", "imul", "umin", "umax", "smin", "smax", "and", "or", "xor"],
            _ => &["iadd", "umin", "smax", "and"],
        };
        for op in ops {
            for scan in ["reduce", "inclusive", "exclusive"] {
                check(&program(ty, make, &format!("combine {scan} {op} 0"), " v10", ty));
            }
            check(&program(ty, make, &format!("combine reduce {op} 4"), " v10", ty));
        }
    }
    check(&program(
        "f32",
        "v9 = and v4, i32 1\n    v10 = s_to_fp.f32 v9",
        "combine exclusive fmul 0",
        " v10",
        "f32",
    ));
}

#[test]
fn moves() {
    for (ty, make) in TYPES {
        for op in ["shuffle", "shuffle_xor", "shuffle_up", "shuffle_down", "rotate 4"] {
            check(&program(ty, make, op, " v10, v12", ty));
        }
        check(&program(ty, make, "broadcast_first", " v10", ty));
        check(&program(ty, make, "broadcast", " v10, i32 2", ty));
        check(&program(ty, make, "all_equal", " v10", "i1"));
    }
    let vector = "v9 = iadd v4, i32 3\n    v10 = vec_build v4, v9, v3";
    check(&program("i32x3", vector, "shuffle", " v10, v12", "i32x3"));
}

#[test]
fn whole_sub_groups_rotate() {
    // Without divergence: otherwise work-items of an inactive path would be read.
    for (ty, make) in TYPES {
        let text = program(ty, make, "rotate 0", " v10, v12", ty)
            .replace("v5 = and v2, i32 5", "v5 = and v2, i32 0");
        check(&text);
    }
}

#[test]
fn votes_and_masks() {
    let bool = "v10 = trunc.i1 v4";
    for op in ["all", "any"] {
        check(&program("i1", bool, op, " v10", "i1"));
    }
    check(&program("i1", bool, "ballot", " v10", "i32x4"));
    check(&program("i1", bool, "elect", "", "i1"));
    check(&program("i1", bool, "inverse_ballot", " v11", "i1"));
    check(&program("i1", bool, "ballot_bit", " v11, v12", "i1"));
    for op in [
        "ballot_count reduce",
        "ballot_count inclusive",
        "ballot_count exclusive",
        "ballot_lsb",
        "ballot_msb",
    ] {
        check(&program("i1", bool, op, " v11", "i32"));
    }
    // Masks of several words.
    let ops = SubgroupOps { basic: true, vote: true, ballot: true, shuffle: true, ..SubgroupOps::default() };
    for op in ["all", "ballot"] {
        let text = program("i1", bool, op, " v10", if op == "all" { "i1" } else { "i32x4" });
        for (size, device) in [(8, 64), (64, 128), (64, 8), (128, 64)] {
            resized(&text, size, device, ops);
        }
    }
    for mask in ["eq", "ge", "gt", "le", "lt"] {
        check(&program("i1", bool, &format!("mask {mask}"), "", "i32x4"));
    }
}
