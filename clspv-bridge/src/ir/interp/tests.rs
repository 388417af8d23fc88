//! The interpreter on small functions.

use super::*;
use crate::ir::parse::parse_module;
use crate::ir::{I8, I32};

fn run(text: &str, args: &[LaneValues]) -> Result<Vec<LaneValues>, Stop> {
    let module = parse_module(text).unwrap();
    let func = module.functions.keys().next_back().unwrap();
    Machine::new(&module).call(func, args)
}

#[test]
fn loops_calls_and_slots() {
    let text = "func @add(i32, i32) -> i32 {
block0(v0: i32, v1: i32):
    v2 = iadd v0, v1
    ret v2
}
func @sum(i32) -> i32 {
    ss0 = slot 4 align 4
block0(v0: i32):
    v1 = slot_addr ss0
    store i32 0, v1 align 4
    br block1(i32 0)
block1(v2: i32):
    v3 = icmp slt v2, v0
    brif v3, block2, block3
block2:
    v4 = load.i32 v1 align 4
    v5 = call.i32 @add v4, v2
    store v5, v1 align 4
    v6 = iadd v2, i32 1
    br block1(v6)
block3:
    v7 = load.i32 v1 align 4
    ret v7
}
";
    assert_eq!(run(text, &[known(I32, 10)]).unwrap()[0], known(I32, 45));
}

#[test]
fn undefined_bits_are_tracked() {
    let text = "func @f(i8) -> (i8, i8) {
    ss0 = slot 4 align 4
block0(v0: i8):
    v1 = slot_addr ss0
    v2 = load.i32 v1 align 4
    v3 = and v2, i32 -256
    v4 = zext.i32 v0
    v5 = or v3, v4
    store v5, v1 align 4
    v6 = load.i8 v1 align 4
    v7 = ptr_add v1, i64 1
    v8 = load.i8 v7 align 1
    ret v6, v8
}
";
    let results = run(text, &[known(I8, 77)]).unwrap();
    assert_eq!(results[0], known(I8, 77));
    assert_eq!(results[1][0].undef, 0xff);
}

#[test]
fn what_has_no_meaning_stops() {
    let out = "func @f(ptr.global) -> i32 {
block0(v0: ptr.global):
    v1 = load.i32 v0 align 4
    ret v1
}
";
    assert!(matches!(run(out, &[value::scalar(0)]), Err(Stop::Undefined(_))));
    let branch = "func @f() {
block0:
    brif undef.i1, block1, block1
block1:
    ret
}
";
    assert!(matches!(run(branch, &[]), Err(Stop::Undefined(_))));
    let forever = "func @f() {
block0:
    br block1
block1:
    br block1
}
";
    assert_eq!(run(forever, &[]), Err(Stop::Fuel));
}

#[test]
fn work_items_meet_at_barriers() {
    let text = "g0 = global @t local internal size 16 align 4
func @f(ptr.global) {
block0(v0: ptr.global):
    v1 = work_item local_id 0
    v2 = global_addr.ptr.local g0
    v3 = imul v1, i64 4
    v4 = ptr_add v2, v3
    v5 = trunc.i32 v1
    store v5, v4 align 4
    barrier work_group work_group acq_rel local
    v6 = isub i64 12, v3
    v7 = ptr_add v2, v6
    v8 = load.i32 v7 align 4
    v9 = ptr_add v0, v3
    store v8, v9 align 4
    ret
}
";
    let module = parse_module(text).unwrap();
    let func = module.functions.keys().next_back().unwrap();
    let mut machine = Machine::new(&module);
    let out = machine.memory.alloc(&[0; 16]);
    let launch = Launch { local_size: [4, 1, 1], ..Launch::default() };
    machine.run(func, &[value::scalar(out)], &launch).unwrap();
    let bytes: Vec<u8> = machine.memory.contents(out).iter().map(|b| b.0).collect();
    assert_eq!(bytes, [3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
}
