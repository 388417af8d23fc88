//! Non-inlined calls ([`crate::passes::opt::inline_policy`]): the functions' signatures, their results, and
//! the calls.
//!
//! A function computes for one vector of work-items. It receives the launch's context, the mask, and its
//! arguments: scalars for those that are uniform over the vector, else vectors. There is a function for each
//! combination that is called. Its result is uniform if all arguments are: it has no barriers and does not
//! query work-item ids.
//!
//! In instrumented code all arguments and results vary, and a function also receives its vector's position;
//! its private variables have their own part of the vector's frame.

use super::emit::Emit;
use super::operand::{Operand, OperandKind, lane_name};
use crate::analysis::uniformity::{Uniformity, UniformityInfo};
use crate::error::Result;
use crate::ir::*;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The arguments that vary between the work-items of a vector, one bit each.
pub type VaryingArgs = u64;

/// The kind of function that is emitted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A kernel, which runs a group of work-items.
    Kernel,
    /// A function with these varying arguments.
    Function(VaryingArgs),
}

/// The name of a function's text; `number` is that of its kernel.
pub fn name(number: usize, callee: FuncRef, varying: VaryingArgs) -> String {
    format!("k{number}f{}v{varying:x}", callee.index())
}

fn varying_args(uniformity: &UniformityInfo, args: &[Value], instrumented: bool) -> VaryingArgs {
    if instrumented {
        return VaryingArgs::MAX;
    }
    let bits = args.iter().take(64).enumerate().filter(|(_, a)| !uniformity.of(**a).is_uniform());
    bits.fold(0, |all, (i, _)| all | 1 << i)
}

/// The functions that a function calls.
pub fn called(
    func: &Function,
    uniformity: &UniformityInfo,
    instrumented: bool,
) -> BTreeSet<(FuncRef, VaryingArgs)> {
    let insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(|i| &func.insts[*i]);
    let calls = insts.filter_map(|data| match data.op {
        Op::Call(c) => Some((c, varying_args(uniformity, &data.args, instrumented))),
        _ => None,
    });
    calls.collect()
}

/// The uniformity of a function's parameters.
pub fn parameters(func: &Function, varying: VaryingArgs) -> Vec<(Value, Uniformity)> {
    let params = func.entry().map(|entry| func.blocks[entry].params.to_vec()).unwrap_or_default();
    let uniformity = |i: usize| if varying >> i & 1 == 1 { Uniformity::Varying } else { Uniformity::Uniform };
    params.into_iter().enumerate().map(|(i, p)| (p, uniformity(i))).collect()
}

impl Emit<'_> {
    /// The type of a function's result in the text, and whether it consists of vectors.
    fn result(&self, results: &[Type], varying: VaryingArgs) -> (String, bool) {
        let is_vector = varying != 0;
        let Some(ty) = results.first() else { return ("void".into(), is_vector) };
        let lane = self.ty(lane_name(*ty), is_vector);
        (format!("{{ {} }}", vec![lane; ty.lanes() as usize].join(", ")), is_vector)
    }

    /// A parameter of a function.
    pub(super) fn parameter(&self, ty: Type, index: usize, varying: VaryingArgs) -> Operand {
        let parts = (0..ty.lanes()).map(|lane| format!("%p{index}.{lane}")).collect();
        Operand {
            kind: if varying >> index & 1 == 1 { OperandKind::Varying } else { OperandKind::Uniform },
            parts,
        }
    }

    /// The head of a function's text.
    pub(super) fn head(&self, name: &str, varying: VaryingArgs) -> String {
        let (result, _) = self.result(&self.func.sig.results, varying);
        let mut text = format!(
            "define internal {result} @{name}(ptr noalias nocapture readonly align 8 %ctx, {} %mask",
            self.mask_type()
        );
        if self.is_instrumented() {
            text.push_str(", ptr %check.position");
        }
        for (index, ty) in self.func.sig.params.iter().enumerate() {
            let lane = self.ty(lane_name(*ty), varying >> index & 1 == 1);
            for i in 0..ty.lanes() {
                let _ = write!(text, ", {lane} %p{index}.{i}");
            }
        }
        text + ") noinline #0 {\nentry:\n"
    }

    /// Returns the function's result, and ends its text.
    pub(super) fn return_result(&mut self, varying: VaryingArgs) -> Result<()> {
        let func = self.func;
        let returns = |b: &Block| func.terminator(*b).filter(|t| func.insts[*t].op == Op::Return);
        let Some(end) = func.layout.iter().find_map(returns) else {
            self.line("unreachable");
            return Ok(());
        };
        let Some(&value) = func.insts[end].args.first() else {
            self.line("ret void");
            return Ok(());
        };
        let (result, is_vector) = self.result(&func.sig.results, varying);
        let (ty, val) = (func.ty(value), self.get(value)?);
        let lane = self.ty(lane_name(ty), is_vector);
        let parts = match (is_vector, val.is_uniform()) {
            (true, _) => self.vectors(ty, &val),
            (false, true) => val.parts,
            // It went through variables in memory, of which each work-item has its own.
            (false, false) => {
                let vectors = self.vectors(ty, &val);
                self.of_first(ty, &vectors)
            }
        };
        let mut all = String::from("poison");
        for (i, part) in parts.iter().enumerate() {
            all = self.def(format!("insertvalue {result} {all}, {lane} {part}, {i}"));
        }
        self.line(format!("ret {result} {all}"));
        Ok(())
    }

    /// Emits a call.
    pub(super) fn call(&mut self, callee: FuncRef, args: &[Value], results: &[Value]) -> Result<Operand> {
        let instrumented = self.is_instrumented();
        let which = varying_args(self.r.uniformity, args, instrumented);
        let mask = self.active_text();
        let mut text = format!("(ptr %ctx, {} {mask}", self.mask_type());
        if instrumented {
            text.push_str(", ptr %check.position");
        }
        for (i, a) in args.iter().enumerate() {
            let (ty, val, is_vector) = (self.func.ty(*a), self.get(*a)?, which >> i & 1 == 1);
            let parts = if is_vector { self.vectors(ty, &val) } else { val.parts };
            let lane = self.ty(lane_name(ty), is_vector);
            for part in parts {
                let _ = write!(text, ", {lane} {part}");
            }
        }
        let types: Vec<Type> = results.iter().map(|r| self.func.ty(*r)).collect();
        let (result, is_vector) = self.result(&types, which);
        let name = name(self.r.number, callee, which);
        let Some(ty) = types.first() else {
            self.line(format!("call void @{name}{text})"));
            return Ok(Operand::uniform("0"));
        };
        let all = self.def(format!("call {result} @{name}{text})"));
        let parts = (0..ty.lanes()).map(|i| self.def(format!("extractvalue {result} {all}, {i}"))).collect();
        Ok(Operand { kind: if is_vector { OperandKind::Varying } else { OperandKind::Uniform }, parts })
    }
}
