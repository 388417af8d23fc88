//! Memory that is not written while a kernel runs: the objects of `restrict` arguments that the kernel does
//! not write through.
//!
//! Modules decorate such an argument with `NoAlias`, and with `NoWrite` if it is only read through (clang
//! infers that). Then no other pointer writes the object either, or the behaviour is undefined (C99, section
//! 6.7.3.1). As in other kernel compilers that applies to all work-items together. So loads through such
//! arguments are `readonly`.

use crate::ir::{Function, Inst, Op, Value};

/// Marks the loads of a kernel through those of its parameters that `unwritten` names.
pub fn mark(func: &mut Function, unwritten: &[bool]) {
    let Some(&entry) = func.layout.first() else { return };
    let params = func.blocks[entry].params.clone();
    let roots: Vec<Value> =
        params.into_iter().zip(unwritten).filter(|(_, is)| **is).map(|(v, _)| v).collect();
    if roots.is_empty() {
        return;
    }
    let is_unwritten = |inst: &Inst| {
        let data = &func.insts[*inst];
        matches!(data.op, Op::Load(access) if !access.volatile) && roots.contains(&root(func, data.args[0]))
    };
    let loads: Vec<Inst> = func.insts_in_order().filter(is_unwritten).collect();
    for inst in loads {
        if let Some(access) = func.insts[inst].op.access_mut() {
            access.readonly = true;
        }
    }
}

/// The pointer from which one was computed by additions alone.
fn root(func: &Function, mut ptr: Value) -> Value {
    while let Some(sum) = func.def_inst(ptr).map(|i| &func.insts[i]).filter(|d| d.op == Op::PtrAdd) {
        ptr = sum.args[0];
    }
    ptr
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Builder, I32, Linkage, Signature, Space, Type};

    #[test]
    fn loads_through_unwritten_arguments() {
        let global = Type::Ptr(Space::Global);
        let mut f =
            Function::new("f", Signature { params: vec![global; 2], results: vec![] }, Linkage::Internal);
        let block = f.add_block();
        let (p, q) = (f.add_param(block, global), f.add_param(block, global));
        let mut b = Builder::new(&mut f, block);
        let far = b.ptr_add_const(p, 64);
        let far = b.ptr_add_const(far, 4);
        for at in [p, far, q] {
            b.load(I32, at, Access::aligned(4));
        }
        b.load(I32, p, Access { volatile: true, ..Access::aligned(4) });
        b.ret(&[]);
        mark(&mut f, &[true, false]);
        let loads = f.blocks[block].insts.iter().filter_map(|i| match &f.insts[*i].op {
            Op::Load(access) => Some(access.readonly),
            _ => None,
        });
        assert_eq!(loads.collect::<Vec<_>>(), [true, true, false, false]);
    }
}
