//! The verifier: what every well-formed module obeys.
//!
//! Contract, for a function with a body:
//! - entities exist; a block is in the layout at most once, as is an instruction in the blocks;
//! - each block ends with its only terminator; edges go to blocks of the layout and pass one argument of the
//!   right type for each parameter; the entry's parameters are the function's, and nothing branches to the
//!   entry;
//! - a definition dominates its uses (uses in unreachable blocks are exempt);
//! - operand and result types follow [`typing::check`]; calls match the callee, `ret` the signature; accesses
//!   in a variable have exactly its element type; alignments are powers of two;
//! - phases: no called imports from Linked on; from Lowered on no calls, pointers, slots, global addresses,
//!   block copies, OpenCL.std instructions, work-item queries or explicit conversions; from Legal on no
//!   vector of more than four lanes; in Structured, the rules of [`structure`].
//!
//! Errors are collected, each with the printed entity. The verifier never changes anything and never panics;
//! it is linear in the size of the function. It does not check features of the target (the emitter
//! does) or data races.

mod dominators;
mod structure;

use super::check::CheckOp;
use super::entity::{Block, EntityRef, EntitySet, FuncRef, Inst, SecondaryMap, Value};
use super::func::{Function, Linkage, ValueDef, VarClass, VarLen};
use super::inst::{BlockCall, Op, Root};
use super::module::{Module, Phase};
use super::types::Type;
use super::typing;
use crate::error::CompileError;
use dominators::Dominators;
use rustc_hash::FxHashSet;
use std::fmt;

/// Most errors that are collected for a function.
const MAX_ERRORS: usize = 20;

/// One violated rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// Name of the function, empty for module-level errors.
    pub function: String,
    /// The printed instruction or the name of the entity.
    pub entity: String,
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.function.is_empty() {
            write!(f, "@{}: ", self.function)?;
        }
        write!(f, "`{}`: {}", self.entity, self.message)
    }
}

/// All violations found, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyErrors(pub Vec<VerifyError>);

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, e) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "\n" })?;
            e.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for VerifyErrors {}

impl From<VerifyErrors> for CompileError {
    fn from(errors: VerifyErrors) -> Self {
        CompileError::internal(format!("malformed IR:\n{errors}"))
    }
}

/// Checks a module and all its functions.
pub fn verify_module(module: &Module) -> Result<(), VerifyErrors> {
    let mut errors = Vec::new();
    let mut error = |entity: String, message: String| {
        errors.push(VerifyError { function: String::new(), entity, message });
    };
    for (g, data) in module.globals.iter() {
        let name = format!("{g} @{}", data.name);
        if !data.align.is_power_of_two() {
            error(name.clone(), format!("alignment {} is not a power of two", data.align));
        }
        if data.init.as_ref().is_some_and(|init| init.len() != data.size as usize) {
            error(name.clone(), "the initial contents do not have the size of the global".into());
        }
        for r in &data.relocs {
            if r.offset as u64 + 8 > data.size as u64 {
                error(name.clone(), format!("relocation at {} is outside", r.offset));
            }
            if module.globals.get(r.target).is_none() {
                error(name.clone(), format!("relocation against {}, which does not exist", r.target));
            }
        }
    }
    for (_, func) in module.functions.iter() {
        if func.kernel.is_some_and(|k| k >= module.kernels.len()) {
            error(format!("@{}", func.name), "its kernel information does not exist".into());
        }
        if module.phase >= Phase::Lowered && func.kernel.is_none() && !func.layout.is_empty() {
            error(format!("@{}", func.name), format!("only kernels remain in phase {:?}", module.phase));
        }
    }
    for func in module.functions.keys() {
        if let Err(e) = verify_function(module, func) {
            errors.extend(e.0);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(VerifyErrors(errors)) }
}

/// Checks one function of a module.
pub(crate) fn verify_function(module: &Module, func: FuncRef) -> Result<(), VerifyErrors> {
    let Some(func) = module.functions.get(func) else {
        let error = VerifyError {
            function: String::new(),
            entity: func.to_string(),
            message: "does not exist".into(),
        };
        return Err(VerifyErrors(vec![error]));
    };
    if func.layout.is_empty() {
        if func.linkage == Linkage::Import {
            return Ok(());
        }
        let error = VerifyError {
            function: func.name.clone(),
            entity: "body".into(),
            message: "has no blocks".into(),
        };
        return Err(VerifyErrors(vec![error]));
    }
    let mut v = Verifier { module, func, phase: module.phase, errors: Vec::new() };
    // Later steps index with entities that earlier steps have checked.
    let ok = v.entities() && v.terminators() && v.types();
    if ok {
        let dominators = Dominators::new(func);
        v.dominance(&dominators);
        if v.phase == Phase::Structured {
            structure::check(func, &dominators, &mut |entity, message| v.error(entity, message));
        }
    }
    if v.errors.is_empty() { Ok(()) } else { Err(VerifyErrors(v.errors)) }
}

struct Verifier<'a> {
    module: &'a Module,
    func: &'a Function,
    phase: Phase,
    errors: Vec<VerifyError>,
}

impl Verifier<'_> {
    fn make(&self, entity: String, message: String) -> VerifyError {
        VerifyError { function: self.func.name.clone(), entity, message }
    }
    fn error(&mut self, entity: impl fmt::Display, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            let error = self.make(entity.to_string(), message.into());
            self.errors.push(error);
        }
    }
    fn at(&mut self, inst: Inst, message: impl Into<String>) {
        let entity = self.func.display_inst(inst).to_string();
        self.error(entity, message);
    }
    fn insts(&self) -> impl Iterator<Item = (Block, Inst)> + use<'_> {
        let blocks = self.func.layout.iter().filter_map(|&b| Some((b, self.func.blocks.get(b)?)));
        blocks.flat_map(|(b, data)| data.insts.iter().map(move |&i| (b, i)))
    }

    /// Every named entity exists and matches its definition; blocks and instructions are in the layout once.
    fn entities(&mut self) -> bool {
        let func = self.func;
        let mut blocks = EntitySet::<Block>::new();
        let mut insts = EntitySet::<Inst>::new();
        for &block in &func.layout {
            let Some(data) = func.blocks.get(block) else {
                self.error(block, "does not exist");
                continue;
            };
            if !blocks.insert(block) {
                self.error(block, "is in the layout twice");
            }
            for (i, &p) in data.params.iter().enumerate() {
                if func.values.get(p).is_none_or(|v| v.def != ValueDef::Param(block, i as u16)) {
                    self.error(block, format!("parameter {i} is {p}, which is defined otherwise"));
                }
            }
            for &inst in &data.insts {
                let Some(data) = func.insts.get(inst) else {
                    self.error(block, format!("{inst} does not exist"));
                    continue;
                };
                if !insts.insert(inst) {
                    self.at(inst, "is in the function twice");
                }
                for (i, &r) in data.results.iter().enumerate() {
                    if func.values.get(r).is_none_or(|v| v.def != ValueDef::Result(inst, i as u16)) {
                        self.at(inst, format!("result {i} is {r}, which is defined otherwise"));
                    }
                }
                let edge_args = data.targets.iter().flat_map(|t| &t.args);
                for &arg in data.args.iter().chain(edge_args) {
                    if func.values.get(arg).is_none() {
                        self.at(inst, format!("{arg} does not exist"));
                    }
                }
            }
        }
        for (_, inst) in self.insts().collect::<Vec<_>>() {
            for t in func.insts.get(inst).map_or(&[][..], |d| &d.targets) {
                if !blocks.contains(t.block) {
                    self.at(inst, format!("{} is not in the layout", t.block));
                }
            }
        }
        self.errors.is_empty()
    }

    /// Each block has one terminator, at its end, with the right number of edges.
    fn terminators(&mut self) -> bool {
        let func = self.func;
        for &block in &func.layout {
            let insts = &func.blocks[block].insts;
            if func.terminator(block).is_none() {
                self.error(block, "does not end with a terminator");
            }
            for &inst in insts.iter().rev().skip(1) {
                if func.insts[inst].op.is_terminator() {
                    self.at(inst, "terminator inside a block");
                }
            }
            for &inst in insts {
                let data = &func.insts[inst];
                let edges = match &data.op {
                    Op::Jump => 1,
                    Op::BrIf => 2,
                    Op::Switch(cases) => cases.len() + 1,
                    _ => 0,
                };
                if data.targets.len() != edges {
                    self.at(inst, format!("has {} edges, must have {edges}", data.targets.len()));
                }
                if let Op::Switch(cases) = &data.op {
                    let distinct: FxHashSet<u64> = cases.iter().copied().collect();
                    if distinct.len() != cases.len() {
                        self.at(inst, "two equal cases");
                    }
                }
            }
        }
        self.errors.is_empty()
    }

    /// Types of operands, edges, calls and accesses; phase rules.
    fn types(&mut self) -> bool {
        let func = self.func;
        let entry = func.layout[0];
        let params: Vec<Type> = func.blocks[entry].params.iter().map(|p| func.ty(*p)).collect();
        if params != func.sig.params {
            self.error(entry, "the entry's parameters are not the function's");
        }
        if self.phase >= Phase::Lowered
            && !func.slots.is_empty()
            && self.insts().any(|(_, i)| matches!(func.insts[i].op, Op::SlotAddr(_)))
        {
            self.error("slots", format!("not allowed in phase {:?}", self.phase));
        }
        for (var, data) in func.vars.iter() {
            let fits = match data.class {
                VarClass::Buffer { .. } | VarClass::Image { .. } => data.len == VarLen::Runtime,
                VarClass::Workgroup => data.len != VarLen::Runtime,
                VarClass::Private => matches!(data.len, VarLen::Fixed(_)),
                VarClass::View { of } => {
                    let viewed = func.vars.get(of).filter(|viewed| viewed.class == VarClass::Workgroup);
                    viewed.is_some_and(|viewed| {
                        matches!((viewed.len, data.len), (VarLen::Fixed(_), VarLen::Fixed(_)))
                    })
                }
            };
            if !fits || data.elem.scalar().is_none() || data.elem.is_bool() || data.len == VarLen::Fixed(0) {
                self.error(var, "unfit element type or length");
            }
        }
        for &block in &func.layout {
            for &p in &func.blocks[block].params {
                if let Some(what) = self.type_out_of_phase(func.ty(p)) {
                    self.error(format!("{block}({p})"), what);
                }
            }
        }
        let insts: Vec<Inst> = self.insts().map(|(_, i)| i).collect();
        for inst in insts {
            self.inst_types(inst, entry);
            if self.errors.len() >= MAX_ERRORS {
                break;
            }
        }
        self.errors.is_empty()
    }

    fn inst_types(&mut self, inst: Inst, entry: Block) {
        let func = self.func;
        let data = &func.insts[inst];
        let tys =
            |vs: &[Value]| -> smallvec::SmallVec<[Type; 4]> { vs.iter().map(|v| func.ty(*v)).collect() };
        let (args, results) = (tys(&data.args), tys(&data.results));
        if let Err(message) = typing::check(&data.op, &args, &results) {
            return self.at(inst, message);
        }
        match &data.op {
            Op::Call(callee) => match self.module.functions.get(*callee) {
                None => self.at(inst, format!("{callee} does not exist")),
                Some(callee) => {
                    if callee.sig.params.as_slice() != args.as_slice()
                        || callee.sig.results.as_slice() != results.as_slice()
                    {
                        self.at(inst, format!("does not match the signature of @{}", callee.name));
                    }
                    if self.phase >= Phase::Linked && callee.layout.is_empty() {
                        self.at(inst, format!("@{} is not defined (phase {:?})", callee.name, self.phase));
                    }
                }
            },
            Op::Return if args.as_slice() != func.sig.results.as_slice() => {
                self.at(inst, "operands are not the function's result types");
            }
            Op::SlotAddr(slot) if func.slots.get(*slot).is_none() => {
                self.at(inst, format!("{slot} does not exist"))
            }
            Op::GlobalAddr(global) => match self.module.globals.get(*global) {
                None => self.at(inst, format!("{global} does not exist")),
                Some(g) if results[0] != Type::Ptr(g.space) => {
                    self.at(inst, format!("the global is in the {} address space", g.space.name()));
                }
                Some(_) => {}
            },
            op => {
                if let Some(Root::Var(var)) = op.access().map(|a| a.root) {
                    let accessed = accessed_type(func, inst);
                    match func.vars.get(var) {
                        None => self.at(inst, format!("{var} does not exist")),
                        Some(v) if Some(v.elem) != accessed => {
                            self.at(inst, format!("{var} has elements of type {}", v.elem));
                        }
                        Some(v) => {
                            let written = !matches!(op, Op::Load(_) | Op::AtomicLoad { .. });
                            if written && matches!(v.class, VarClass::Buffer { readonly: true, .. }) {
                                self.at(inst, format!("{var} is read-only"));
                            }
                        }
                    }
                }
            }
        }
        if let Some(what) = self.op_out_of_phase(&data.op) {
            self.at(inst, what);
        }
        if let Some(what) = args.iter().chain(&results).find_map(|t| self.type_out_of_phase(*t)) {
            self.at(inst, what);
        }
        for t in &data.targets {
            if t.block == entry {
                self.at(inst, "branches to the entry block");
            }
            if let Some(what) = edge_error(func, t) {
                self.at(inst, what);
            }
        }
    }

    fn op_out_of_phase(&self, op: &Op) -> Option<String> {
        let forbidden = match op {
            Op::Call(_)
            | Op::Runtime(_)
            | Op::Check(_)
            | Op::Lanes(_)
            | Op::Context(_)
            | Op::Convert { .. }
            | Op::PtrAdd
            | Op::IsSpace(_)
            | Op::SlotAddr(_)
            | Op::GlobalAddr(_)
            | Op::PrintBuffer
            | Op::Memcpy { .. }
            | Op::Memset(_)
            | Op::OpenCl(_)
            | Op::WorkItem { .. } => self.phase >= Phase::Lowered,
            // Descriptors replace images before memory is lowered.
            Op::Image { var: Some(_), .. } => self.phase < Phase::Inlined,
            Op::Image { var: None, .. } => self.phase >= Phase::Lowered,
            Op::Arg { .. } | Op::Implicit(_) => self.phase >= Phase::Legal,
            _ => self.phase >= Phase::Lowered && op.access().is_some_and(|a| a.root == Root::Ptr),
        };
        forbidden.then(|| format!("not allowed in phase {:?}", self.phase))
    }

    fn type_out_of_phase(&self, ty: Type) -> Option<String> {
        let lowered = self.phase >= Phase::Lowered && ty.scalar().is_none();
        let legal = self.phase >= Phase::Legal && ty.lanes() > 4;
        (lowered || legal).then(|| format!("type {ty} is not allowed in phase {:?}", self.phase))
    }

    /// Definitions dominate uses.
    fn dominance(&mut self, dominators: &Dominators) {
        let func = self.func;
        // Block and position of each definition; parameters come before all instructions.
        let mut defined_at: SecondaryMap<Value, Option<(Block, u32)>> = SecondaryMap::new();
        for &block in &func.layout {
            for &p in &func.blocks[block].params {
                defined_at[p] = Some((block, 0));
            }
            for (i, &inst) in func.blocks[block].insts.iter().enumerate() {
                for &r in &func.insts[inst].results {
                    defined_at[r] = Some((block, i as u32 + 1));
                }
            }
        }
        for &block in &func.layout {
            if !dominators.reachable(block) {
                continue;
            }
            for (i, &inst) in func.blocks[block].insts.iter().enumerate() {
                let data = &func.insts[inst];
                for &arg in data.operands() {
                    if let ValueDef::Const(_) = func.values[arg].def {
                        continue;
                    }
                    match defined_at[arg] {
                        None => self.at(inst, format!("{arg} is defined by nothing in the function")),
                        Some((def, at)) => {
                            let ok = if def == block {
                                at < i as u32 + 1
                            } else {
                                dominators.dominates(def, block)
                            };
                            if !ok {
                                self.at(inst, format!("the definition of {arg} does not dominate this use"));
                            }
                        }
                    }
                }
            }
        }
    }
}

fn edge_error(func: &Function, t: &BlockCall) -> Option<String> {
    let params = &func.blocks[t.block].params;
    if params.len() != t.args.len() {
        return Some(format!("{} takes {} arguments, {} are passed", t.block, params.len(), t.args.len()));
    }
    let (param, arg) = params.iter().zip(&t.args).find(|(p, a)| func.ty(**p) != func.ty(**a))?;
    Some(format!("{}'s parameter {param} has type {}, {arg} has {}", t.block, func.ty(*param), func.ty(*arg)))
}

/// The type that a load, store or atomic reads or writes.
pub(crate) fn accessed_type(func: &Function, inst: Inst) -> Option<Type> {
    let data = func.insts.get(inst)?;
    match &data.op {
        Op::Load(_) | Op::AtomicLoad { .. } | Op::Check(CheckOp::Load { .. }) => {
            data.results.first().map(|v| func.ty(*v))
        }
        Op::Store(_) | Op::AtomicStore { .. } | Op::Check(CheckOp::Store(_)) => {
            data.args.first().map(|v| func.ty(*v))
        }
        Op::AtomicRmw { .. } | Op::AtomicCas { .. } | Op::Memset(_) => data.args.get(1).map(|v| func.ty(*v)),
        _ => None,
    }
}

/// Index of an entity as a plain number.
fn index<K: EntityRef>(key: K) -> usize {
    key.index()
}

#[cfg(test)]
mod tests;
