//! One test per rule: a small function that obeys it, then one that breaks it.

use super::verify_module;
use crate::ir::*;

fn module(phase: Phase, func: Function) -> Module {
    let mut m = Module { phase, ..Module::default() };
    m.functions.push(func);
    m
}

fn errors(m: &Module) -> String {
    verify_module(m).err().map(|e| e.to_string()).unwrap_or_default()
}

fn diamond() -> (Function, [Block; 4], Value) {
    let mut f =
        Function::new("f", Signature { params: vec![I1, I32], results: vec![I32] }, Linkage::Internal);
    let b: [Block; 4] = std::array::from_fn(|_| f.add_block());
    let (c, x) = (f.add_param(b[0], I1), f.add_param(b[0], I32));
    let p = f.add_param(b[3], I32);
    let mut at = Builder::new(&mut f, b[0]);
    at.brif(c, BlockCall::new(b[1], &[]), BlockCall::new(b[2], &[]));
    at.block = b[1];
    let y = at.iadd(x, x);
    at.jump(b[3], &[y]);
    at.block = b[2];
    at.jump(b[3], &[x]);
    at.block = b[3];
    at.ret(&[p]);
    (f, b, y)
}

#[test]
fn accepts_a_diamond() {
    assert_eq!(errors(&module(Phase::Imported, diamond().0)), "");
}

#[test]
fn definition_must_dominate_use() {
    let (mut f, b, y) = diamond();
    let ret = f.terminator(b[3]).unwrap();
    f.insts[ret].args[0] = y;
    assert!(errors(&module(Phase::Imported, f)).contains("does not dominate"));
}

#[test]
fn blocks_of_the_layout_must_exist() {
    let (mut f, ..) = diamond();
    f.layout.push(Block::new(60));
    assert!(errors(&module(Phase::Imported, f)).contains("`block60`: does not exist"));
}

#[test]
fn edges_must_pass_the_parameters() {
    let (mut f, b, _) = diamond();
    let jump = f.terminator(b[2]).unwrap();
    f.insts[jump].targets[0].args.clear();
    assert!(errors(&module(Phase::Imported, f)).contains("takes 1 arguments, 0 are passed"));
}

#[test]
fn blocks_must_end() {
    let (mut f, b, _) = diamond();
    f.blocks[b[3]].insts.clear();
    assert!(errors(&module(Phase::Imported, f)).contains("does not end with a terminator"));
}

#[test]
fn operand_types_must_agree() {
    let (mut f, b, y) = diamond();
    let inst = f.def_inst(y).unwrap();
    f.insts[inst].args[1] = f.blocks[b[0]].params[0];
    assert!(errors(&module(Phase::Imported, f)).contains("operands must have one type"));
}

#[test]
fn structured_branches_need_annotations() {
    let (mut f, b, _) = diamond();
    f.kernel = Some(0);
    let mut m = module(Phase::Structured, f);
    m.kernels.push(Default::default());
    assert!(errors(&m).contains("without a merge annotation"));
    let func = m.functions.keys().next().unwrap();
    m.functions[func].blocks[b[0]].merge = Some(Merge::Selection { merge: b[3] });
    assert_eq!(errors(&m), "");
}

#[test]
fn pointers_end_with_lowering() {
    let mut f = Function::new("f", Signature::default(), Linkage::Internal);
    f.kernel = Some(0);
    let block = f.add_block();
    let slot = f.slots.push(SlotData { size: 4, align: 4 });
    let mut at = Builder::new(&mut f, block);
    let p = at.slot_addr(slot);
    let one = at.i32(1);
    at.store(one, p, Access::aligned(4));
    at.ret(&[]);
    let mut m = module(Phase::Inlined, f);
    m.kernels.push(Default::default());
    assert_eq!(errors(&m), "");
    m.phase = Phase::Lowered;
    assert!(errors(&m).contains("not allowed in phase Lowered"));
}

#[test]
fn loops_have_one_back_edge_to_an_annotated_header() {
    let mut f = Function::new("f", Signature { params: vec![I1], results: vec![] }, Linkage::Internal);
    f.kernel = Some(0);
    let b: [Block; 4] = std::array::from_fn(|_| f.add_block());
    let c = f.add_param(b[0], I1);
    let mut at = Builder::new(&mut f, b[0]);
    at.jump(b[1], &[]);
    at.block = b[1];
    at.brif(c, BlockCall::new(b[2], &[]), BlockCall::new(b[3], &[]));
    at.block = b[2];
    at.jump(b[1], &[]);
    at.block = b[3];
    at.ret(&[]);
    let mut m = module(Phase::Structured, f);
    m.kernels.push(Default::default());
    assert!(errors(&m).contains("no loop header"));
    let func = m.functions.keys().next().unwrap();
    m.functions[func].blocks[b[1]].merge = Some(Merge::Loop { merge: b[3], cont: b[2] });
    assert_eq!(errors(&m), "");
}

#[test]
fn a_hundred_thousand_instructions_are_quick() {
    let mut f = Function::new("f", Signature { params: vec![I32], results: vec![I32] }, Linkage::Internal);
    let mut block = f.add_block();
    let mut x = f.add_param(block, I32);
    for _ in 0..10_000 {
        let next = f.add_block();
        let p = f.add_param(next, I32);
        let mut at = Builder::new(&mut f, block);
        for _ in 0..10 {
            x = at.iadd(x, x);
        }
        at.jump(next, &[x]);
        (block, x) = (next, p);
    }
    Builder::new(&mut f, block).ret(&[x]);
    let start = std::time::Instant::now();
    assert_eq!(errors(&module(Phase::Imported, f)), "");
    assert!(start.elapsed().as_secs() < 60);
}
