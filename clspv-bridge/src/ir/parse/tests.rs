use super::parse_module;

/// Every opcode with every kind of immediate once; some of it is rejected by the verifier.
const EVERYTHING: &str = r#"phase imported
g0 = global @table constant internal size 8 align 4 readonly init 0102 zeros 6
g1 = global @"odd name" global export size 16 align 8 reloc 8 g0 -4
kernel "k \"q\"" args_size 24 arg_info reqd_size 1 2 3 size_hint 4 5 6 vec_hint "float" sub_group_size 32 attributes "a" {
    arg global_ptr size 8 align 8 offset 0 name "p" type "float*" global read_only const restrict
}

func import @callee(i32, ptr.global) -> (i32, f32)

func export @f(i1, i32, f32, ptr.generic) -> f32 kernel 0 {
    ss0 = slot 4 align 4
    var0 = buffer 3 readonly f32x4 runtime
    var1 = workgroup i32 spec 4
    var2 = private i8 fixed 16
block0(v0: i1, v1: i32, v2: f32, v3: ptr.generic):
    v4 = iadd v1, i32 -1
    v5 = fmul v2, f32 0x3f800000 nnan fast line 12
    v6 = native_sin v5
    v7 = fma v2, v2, v6
    v8 = icmp ult v1, i32 10
    v9 = fcmp une v2, undef.f32
    v10 = select v8, v1, v4
    v11 = sext.i64 v10
    v12 = convert.i8 s to u rte sat v1
    v13 = vec_build v1, v1, v4, v10
    v14 = extract 2 v13
    v15 = insert 3 v13, v14
    v16 = shuffle [0, _, 7] v13, i32x4 [1, 2, 3, -4]
    v17 = splat.f32x2 v2
    v18 = load.f32 v3 align 4 volatile nontemporal readonly
    store v18, v3 align 2
    v19 = load.f32x4 i32 0 in var0 align 16
    v20 = load.i32 v11 addr align 4
    v21 = ptr_add v3, i64 8
    v22 = slot_addr ss0
    v23 = global_addr.ptr.constant g0
    memcpy v22, v23, i64 4 dst align 4 src align 1 volatile
    memset v22, i8 0, i64 4 align 4
    v24 = atomic_rmw xchg device acq_rel v3, v2 align 4
    v25 = atomic_cas work_group seq_cst relaxed v3, v1, v4 align 4
    v26 = atomic_load.i32 all_devices acquire v3 align 4
    atomic_store sub_group release v26, v3 align 4
    barrier work_group work_group seq_cst local global
    fence device acq_rel global image
    v27 = work_item global_id 1
    v28 = input local_index 0
    v29 = push_const.f64 8
    v30 = opencl.f32 fmax v2, v5
    v31, v32 = call.(i32, f32) fn0 v1, ptr.global 0
    switch v1, block1(v1) [0: block2, 18446744073709551615: block1(i32 7)]
block1(v33: i32) loop merge block2 continue block3:
    brif v8, block2, block3
block3:
    br block1(v33)
block2 selection merge block2:
    ret v32
}
"#;

#[test]
fn printing_is_the_inverse_of_parsing() {
    let module = parse_module(EVERYTHING).unwrap();
    assert_eq!(module.to_string(), EVERYTHING);
}

#[test]
fn malformed_text_is_an_error_with_its_line() {
    let line = |text: &str| parse_module(text).unwrap_err().line;
    assert_eq!(line("phase imported\nfunc @f() {\nblock0:\n    v0 = iadd v0, v0\n}\n"), 4);
    assert_eq!(line("func @f() {\nblock0:\n    frobnicate\n}\n"), 3);
    assert_eq!(line("func @f() {\n"), 1);
    assert_eq!(line("func @f() {\nblock0:\n    v99999999999 = iadd i32 1, i32 2\n}\n"), 3);
    assert_eq!(line("kernel \"x"), 1);
}

#[test]
fn damaged_text_never_panics() {
    // Every prefix, and the text without each of its lines.
    for end in (0..EVERYTHING.len()).step_by(7) {
        let _ = parse_module(&EVERYTHING[..end]).map(|m| crate::ir::verify::verify_module(&m).is_ok());
    }
    let lines: Vec<&str> = EVERYTHING.lines().collect();
    for skip in 0..lines.len() {
        let text: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != skip).map(|(_, l)| *l).collect();
        let _ = parse_module(&text.join("\n")).map(|m| crate::ir::verify::verify_module(&m).is_ok());
    }
}
