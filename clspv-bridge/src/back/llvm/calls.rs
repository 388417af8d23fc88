//! Functions that stay functions ([`crate::passes::inline_policy`]): what they are given, what they give back, and calls of them.
//!
//! A function computes for one vector of work-items: it is given the launch's context, the mask, and its arguments, each of
//! which is scalars if all work-items of the vector have the same, and vectors otherwise. There is a function for each
//! combination that is called. Its result is the same in all work-items if all arguments are: it has no barriers, and asks for
//! nothing that tells work-items from each other. In checked code everything differs, and a function is also given where its
//! vector is; its private variables have a place of their own in the vector's record.

use super::emit::Emit;
use super::shape::{Shape, Shapes};
use super::value::{Val, ValKind, lane_name};
use crate::error::Result;
use crate::ir::*;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Which arguments differ between the work-items of a vector, by bits.
pub type Varying = u64;

/// What a text is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A kernel: groups of work-items.
    Kernel,
    /// A function for such arguments.
    Function(Varying),
}

/// The name of a function's text; `number` is that of the kernel which has it.
pub fn name(number: usize, callee: FuncRef, varying: Varying) -> String {
    format!("k{number}f{}v{varying:x}", callee.index())
}

fn varying(shapes: &Shapes, args: &[Value], checked: bool) -> Varying {
    if checked {
        return Varying::MAX;
    }
    let bits = args.iter().take(64).enumerate().filter(|(_, a)| !shapes.of(**a).is_uniform());
    bits.fold(0, |all, (i, _)| all | 1 << i)
}

/// The functions that a function calls.
pub fn called(func: &Function, shapes: &Shapes, checked: bool) -> BTreeSet<(FuncRef, Varying)> {
    let insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(|i| &func.insts[*i]);
    let calls = insts.filter_map(|data| match data.op {
        Op::Call(c) => Some((c, varying(shapes, &data.args, checked))),
        _ => None,
    });
    calls.collect()
}

/// The shapes of a function's parameters.
pub fn parameters(func: &Function, varying: Varying) -> Vec<(Value, Shape)> {
    let params = func.entry().map(|entry| func.blocks[entry].params.to_vec()).unwrap_or_default();
    let shape = |i: usize| if varying >> i & 1 == 1 { Shape::Varying } else { Shape::Vector };
    params.into_iter().enumerate().map(|(i, p)| (p, shape(i))).collect()
}

impl Emit<'_> {
    /// The type of a function's result in the text, and whether it is vectors.
    fn result(&self, results: &[Type], varying: Varying) -> (String, bool) {
        let each = varying != 0;
        let Some(ty) = results.first() else { return ("void".into(), each) };
        let lane = self.ty(lane_name(*ty), each);
        (format!("{{ {} }}", vec![lane; ty.lanes() as usize].join(", ")), each)
    }

    /// A parameter of a function.
    pub(super) fn parameter(&self, ty: Type, index: usize, varying: Varying) -> Val {
        let parts = (0..ty.lanes()).map(|lane| format!("%p{index}.{lane}")).collect();
        Val { kind: if varying >> index & 1 == 1 { ValKind::Each } else { ValKind::Same }, parts }
    }

    /// The head of a function's text.
    pub(super) fn head(&self, name: &str, varying: Varying) -> String {
        let (result, _) = self.result(&self.func.sig.results, varying);
        let mut text = format!(
            "define internal {result} @{name}(ptr noalias nocapture readonly align 8 %ctx, {} %mask",
            self.mask_type()
        );
        if self.r.wanted.is_some() {
            text.push_str(", ptr %check.place");
        }
        for (index, ty) in self.func.sig.params.iter().enumerate() {
            let lane = self.ty(lane_name(*ty), varying >> index & 1 == 1);
            for i in 0..ty.lanes() {
                let _ = write!(text, ", {lane} %p{index}.{i}");
            }
        }
        text + ") noinline #0 {\nentry:\n"
    }

    /// Ends a function's text.
    pub(super) fn give_back(&mut self, varying: Varying) -> Result<()> {
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
        let (result, each) = self.result(&func.sig.results, varying);
        let (ty, val) = (func.ty(value), self.get(value)?);
        let lane = self.ty(lane_name(ty), each);
        let parts = match (each, val.is_same()) {
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

    /// A call.
    pub(super) fn call(&mut self, callee: FuncRef, args: &[Value], results: &[Value]) -> Result<Val> {
        let checked = self.r.wanted.is_some();
        let which = varying(self.r.shapes, args, checked);
        let mask = self.active_text();
        let mut text = format!("(ptr %ctx, {} {mask}", self.mask_type());
        if checked {
            text.push_str(", ptr %check.place");
        }
        for (i, a) in args.iter().enumerate() {
            let (ty, val, each) = (self.func.ty(*a), self.get(*a)?, which >> i & 1 == 1);
            let parts = if each { self.vectors(ty, &val) } else { val.parts };
            let lane = self.ty(lane_name(ty), each);
            for part in parts {
                let _ = write!(text, ", {lane} {part}");
            }
        }
        let types: Vec<Type> = results.iter().map(|r| self.func.ty(*r)).collect();
        let (result, each) = self.result(&types, which);
        let name = name(self.r.number, callee, which);
        let Some(ty) = types.first() else {
            self.line(format!("call void @{name}{text})"));
            return Ok(Val::same("0"));
        };
        let all = self.def(format!("call {result} @{name}{text})"));
        let parts = (0..ty.lanes()).map(|i| self.def(format!("extractvalue {result} {all}, {i}"))).collect();
        Ok(Val { kind: if each { ValKind::Each } else { ValKind::Same }, parts })
    }
}
