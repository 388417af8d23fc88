//! Non-inlined calls (`passes::opt::inline_policy`): the functions' signatures, and the calls.
//!
//! A vectorised function receives the mask, and its arguments: scalars for those that are uniform over the
//! vector, else vectors. There is a function for each combination that is called. Its result is uniform if
//! all arguments are: it has no barriers and does not query work-item ids. In instrumented code all arguments
//! and results vary.

use super::state::{Operand, VaryingArgs, part_type, varies};
use super::vectorizer::Vectorizer;
use crate::analysis::uniformity::{Uniformity, UniformityInfo};
use crate::error::{CompileError, Result};
use crate::ir::*;
use std::collections::BTreeSet;

pub(super) fn name(func: &Function, varying: VaryingArgs) -> String {
    format!("{}.{varying:x}", func.name)
}

/// Signature of a vectorised kernel: objects are their addresses.
pub(super) fn kernel_signature(sig: &Signature) -> Signature {
    let param = |ty: &Type| if let Type::Opaque(_) = ty { I64 } else { *ty };
    Signature { params: sig.params.iter().map(param).collect(), results: sig.results.clone() }
}

/// Signature of a vectorised function.
pub(super) fn signature(sig: &Signature, varying: VaryingArgs, shape: VectorShape) -> Signature {
    let width = u32::from(shape.width);
    let parts = |ty: &Type, varies: bool| {
        let part = part_type(*ty);
        vec![if varies { part.of_lanes(width) } else { part }; ty.lanes() as usize]
    };
    let args = sig.params.iter().enumerate().flat_map(|(i, ty)| parts(ty, varies(varying, i)));
    let params = std::iter::once(I1.of_lanes(width)).chain(args).collect();
    Signature { params, results: sig.results.iter().flat_map(|ty| parts(ty, varying != 0)).collect() }
}

fn varying_args(info: &UniformityInfo, args: &[Value], instrumented: bool) -> VaryingArgs {
    if instrumented {
        return VaryingArgs::MAX;
    }
    let bits = args.iter().take(64).enumerate().filter(|(_, a)| !info.of(**a).is_uniform());
    bits.fold(0, |all, (i, _)| all | 1 << i)
}

/// The functions that a function calls.
pub(super) fn called(
    func: &Function,
    info: &UniformityInfo,
    instrumented: bool,
) -> BTreeSet<(FuncRef, VaryingArgs)> {
    let insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(|i| &func.insts[*i]);
    let calls = insts.filter_map(|data| match data.op {
        Op::Call(c) => Some((c, varying_args(info, &data.args, instrumented))),
        _ => None,
    });
    calls.collect()
}

/// The uniformity of a function's parameters.
pub(super) fn parameters(func: &Function, varying: VaryingArgs) -> Vec<(Value, Uniformity)> {
    let params = func.entry().map(|entry| func.blocks[entry].params.to_vec()).unwrap_or_default();
    let uniformity = |i| if varies(varying, i) { Uniformity::Varying } else { Uniformity::Uniform };
    params.into_iter().enumerate().map(|(i, p)| (p, uniformity(i))).collect()
}

impl Vectorizer<'_> {
    /// Returns the function's result.
    pub(super) fn return_result(&mut self) -> Result<()> {
        let func = self.func;
        let returns = |b: &Block| func.terminator(*b).filter(|t| func.insts[*t].op == Op::Return);
        let Some(end) = func.layout.iter().find_map(returns) else {
            self.terminate(Op::Unreachable, &[], &[]);
            return Ok(());
        };
        let Some(&value) = func.insts[end].args.first() else {
            self.terminate(Op::Return, &[], &[]);
            return Ok(());
        };
        let operand = self.get(value)?;
        let is_vector = self.out.sig.results.first().is_some_and(|ty| ty.lanes() > 1);
        let parts = match (is_vector, operand.is_uniform()) {
            (true, _) => self.vectors(&operand),
            (false, true) => operand.parts,
            // It went through variables in memory, of which each work-item has its own.
            (false, false) => {
                let vectors = self.vectors(&operand);
                self.of_first(&vectors)
            }
        };
        self.terminate(Op::Return, &parts, &[]);
        Ok(())
    }

    pub(super) fn call(
        &mut self,
        callee: FuncRef,
        args: &[Value],
        results: &[Value],
    ) -> Result<Option<Operand>> {
        let varying = varying_args(self.r.info, args, self.r.instrumented);
        let Some(&to) = self.r.callees.get(&(callee, varying)) else {
            return Err(CompileError::internal("a call of a function that is not vectorised"));
        };
        let mut parts = vec![self.active_value()];
        for (i, a) in args.iter().enumerate() {
            let operand = self.get(*a)?;
            parts.extend(if varies(varying, i) { self.vectors(&operand) } else { operand.parts });
        }
        let types: Vec<Type> = results
            .iter()
            .flat_map(|r| vec![self.part(self.func.ty(*r), varying != 0); self.func.ty(*r).lanes() as usize])
            .collect();
        let inst = self.inst(Op::Call(to), &parts, &types);
        if results.is_empty() {
            return Ok(None);
        }
        let parts = self.out.insts[inst].results.to_vec();
        Ok(Some(if varying != 0 { Operand::varying(parts) } else { Operand::uniform_parts(parts) }))
    }
}
