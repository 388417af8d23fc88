//! Inlines every call, callees first. Afterwards only kernels remain, and in native code the functions that
//! `inline_policy` or `instrumentation` chooses not to inline.
//!
//! Large stack slots of a callee are shared by all its calls in one caller (they are never active at the same
//! time); small ones are separate so that they can become values.

use super::inline_policy::{self, Limits};
use super::instrumentation;
use crate::error::{CompileError, Result, ice};
use crate::ir::{
    Block, BlockCall, EntityRef, EntitySet, FuncRef, Function, Inst, Linkage, Module, Op, Phase, PrimaryMap,
    Slot, SlotData, Value, ValueDef,
};
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// The pass `inline`.
pub struct Inline;

impl Pass for Inline {
    fn name(&self) -> &'static str {
        "inline"
    }
    fn gives(&self) -> Option<Phase> {
        Some(Phase::Inlined)
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let mut kept = EntitySet::new();
        match cx.target.cpu() {
            Some(cpu) if cpu.instrumented => kept = instrumentation::non_inlined(module, &bottom_up(module)?),
            Some(cpu) => kept = non_inlined(module, Limits::of(cpu.generator))?,
            None => {}
        }
        inline(module, &kept)?;
        Ok(true)
    }
}

/// The functions that native code calls.
fn non_inlined(module: &mut Module, limits: Limits) -> Result<EntitySet<FuncRef>> {
    let mut kept = EntitySet::new();
    let mut order = bottom_up(module)?;
    if inline_policy::is_over_budget(module, &order, limits) {
        inline_policy::specialise(module);
        order = bottom_up(module)?;
        if inline_policy::is_over_budget(module, &order, limits) {
            kept = inline_policy::non_inlined(module, &order, limits);
        }
    }
    inline_policy::keep_repeated(module, &order, limits, &mut kept);
    Ok(kept)
}

/// The pass `check_calls`: recursion and calls of undefined functions are errors, as in [`Inline`].
pub struct CheckCalls;

impl Pass for CheckCalls {
    fn name(&self) -> &'static str {
        "check_calls"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        bottom_up(module).map(|_| false)
    }
}

/// The pass `inline_internal`: inlines the internal functions of a library into the exported ones, and drops
/// them.
pub struct InlineInternal;

impl Pass for InlineInternal {
    fn name(&self) -> &'static str {
        "inline_internal"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let is_exported = |f: &Function| f.linkage == Linkage::Export;
        let mut exported = EntitySet::new();
        for (r, _) in module.functions.iter().filter(|(_, f)| is_exported(f)) {
            exported.insert(r);
        }
        let order = reached(module, is_exported)?;
        inline_calls_of(module, &order, &exported)?;
        retain(module, |r, _| exported.contains(r));
        Ok(true)
    }
}

/// Slots larger than this are shared by the calls of one callee.
const SHARED_SLOT_BYTES: u32 = 256;
/// Most instructions of a function; beyond them, inlining is an error.
const MAX_INSTS: usize = 8_000_000;

/// Inlines all calls of a module except those of `kept`, and drops all functions but those and the kernels.
fn inline(module: &mut Module, kept: &EntitySet<FuncRef>) -> Result<()> {
    let order = bottom_up(module)?;
    inline_calls_of(module, &order, kept)?;
    retain(module, |r, f| f.kernel.is_some() || kept.contains(r));
    module.phase = module.phase.max(Phase::Inlined);
    Ok(())
}

/// Inlines calls into these functions, which are callees before callers.
fn inline_calls_of(module: &mut Module, order: &[FuncRef], kept: &EntitySet<FuncRef>) -> Result<()> {
    for &f in order {
        let mut func = std::mem::take(&mut module.functions[f]);
        let result = inline_calls(&mut func, &module.functions, kept);
        module.functions[f] = func;
        result?;
    }
    Ok(())
}

/// Drops all functions but these, which call no others.
fn retain(module: &mut Module, is_retained: impl Fn(FuncRef, &Function) -> bool) {
    let mut numbers: FxHashMap<FuncRef, FuncRef> = FxHashMap::default();
    let mut remaining = PrimaryMap::new();
    for (r, f) in module.functions.iter_mut() {
        if is_retained(r, f) {
            numbers.insert(r, remaining.push(std::mem::take(f)));
        }
    }
    for data in remaining.values_mut().flat_map(|f: &mut Function| f.insts.values_mut()) {
        if let Op::Call(c) = &mut data.op
            && let Some(number) = numbers.get(c)
        {
            *c = *number;
        }
    }
    module.functions = remaining;
}

fn callees(f: &Function) -> Vec<FuncRef> {
    let mut list: Vec<FuncRef> = Vec::new();
    for data in f.data_in_order() {
        if let Op::Call(c) = data.op {
            list.push(c);
        }
    }
    list.sort();
    list.dedup();
    list
}

/// Source line of the first call of a function, 0 if unknown.
fn line_of_call(caller: &Function, callee: FuncRef) -> u32 {
    caller.data_in_order().find(|data| data.op == Op::Call(callee)).map_or(0, |data| data.line)
}

/// The functions that kernels reach, callees before callers; recursion is an error.
fn bottom_up(module: &Module) -> Result<Vec<FuncRef>> {
    reached(module, |f| f.kernel.is_some())
}

/// The functions that the roots reach, callees before callers; recursion is an error.
fn reached(module: &Module, is_root: impl Fn(&Function) -> bool) -> Result<Vec<FuncRef>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; module.functions.len()];
    let mut order = Vec::new();
    for (root, f) in module.functions.iter() {
        if !is_root(f) || marks[root.index()] != Mark::New {
            continue;
        }
        marks[root.index()] = Mark::Open;
        let mut stack = vec![(root, callees(f))];
        while let Some((at, rest)) = stack.last_mut() {
            let Some(next) = rest.pop() else {
                marks[at.index()] = Mark::Done;
                order.push(*at);
                stack.pop();
                continue;
            };
            match marks[next.index()] {
                Mark::Done => {}
                Mark::Open => {
                    let name = crate::ir::mangle::demangle(&module.functions[next].name);
                    let line = line_of_call(&module.functions[*at], next);
                    return Err(CompileError::Recursion { name, line });
                }
                Mark::New => {
                    let callee = &module.functions[next];
                    if callee.linkage == Linkage::Import || callee.layout.is_empty() {
                        let name = crate::ir::mangle::demangle(&callee.name);
                        let line = line_of_call(&module.functions[*at], next);
                        return Err(CompileError::Unresolved { name, line });
                    }
                    marks[next.index()] = Mark::Open;
                    stack.push((next, callees(callee)));
                }
            }
        }
    }
    Ok(order)
}

fn inline_calls(
    func: &mut Function,
    functions: &PrimaryMap<FuncRef, Function>,
    kept: &EntitySet<FuncRef>,
) -> Result<()> {
    let mut inliner =
        Inliner { func, replaced: FxHashMap::default(), shared: FxHashMap::default(), layout: Vec::new() };
    let mut any = false;
    for block in std::mem::take(&mut inliner.func.layout) {
        inliner.layout.push(block);
        let is_call = |f: &Function, i: &Inst| matches!(f.insts[*i].op, Op::Call(c) if !kept.contains(c));
        if !inliner.func.blocks[block].insts.iter().any(|i| is_call(inliner.func, i)) {
            continue;
        }
        any = true;
        let mut cur = block;
        for inst in inliner.func.take_insts(block) {
            match inliner.func.insts[inst].op {
                Op::Call(c) if !kept.contains(c) => cur = inliner.call(cur, inst, c, &functions[c])?,
                _ => inliner.func.blocks[cur].insts.push(inst),
            }
        }
    }
    inliner.func.layout = inliner.layout;
    if any {
        let replaced = inliner.replaced;
        func.replace_uses(&replaced);
    }
    Ok(())
}

struct Inliner<'f> {
    func: &'f mut Function,
    /// Values that replace the results of calls.
    replaced: FxHashMap<Value, Value>,
    shared: FxHashMap<(FuncRef, Slot), Slot>,
    layout: Vec<Block>,
}

impl Inliner<'_> {
    fn resolve(&self, mut v: Value) -> Value {
        while let Some(&n) = self.replaced.get(&v) {
            v = n;
        }
        v
    }

    /// Copies the callee in place of a call at the end of `cur`; returns the block where the caller
    /// continues.
    fn call(&mut self, cur: Block, call: Inst, callee_ref: FuncRef, callee: &Function) -> Result<Block> {
        let args: Vec<Value> = self.func.insts[call].args.iter().map(|v| self.resolve(*v)).collect();
        let (results, line) = (self.func.insts[call].results.clone(), self.func.insts[call].line);
        let entry = self.check(call, callee)?;
        let slots = self.copy_slots(callee_ref, callee);
        let mut copy =
            CalleeCopy { callee, values: vec![None; callee.value_count()], blocks: FxHashMap::default() };
        let entered_again =
            callee.layout.iter().any(|b| callee.successors(*b).iter().any(|c| c.block == entry));
        self.copy_blocks(&mut copy, if entered_again { None } else { Some(cur) }, &args);
        if entered_again {
            let target = BlockCall::new(copy.blocks[&entry], &args);
            let jump = self.func.make_terminator(Op::Jump, &[], &[target]);
            self.func.blocks[cur].insts.push(jump);
        }
        let insts = self.copy_insts(&mut copy, &slots);
        // Single-block callees need no new block; results become the returned values.
        let cont = if callee.layout.len() == 1 && !entered_again {
            cur
        } else {
            let cont = self.func.new_block_detached();
            self.layout.push(cont);
            self.func.set_params(cont, results.to_vec());
            cont
        };
        for (old, new, block) in insts {
            self.copy_operands(&mut copy, old, new)?;
            // Functions of the built-in library have no lines of their own.
            let own = callee.insts[old].line;
            self.func.insts[new].line = if own == 0 { line } else { own };
            if cont == cur {
                if self.end_single_block(new, &results) {
                    continue;
                }
            } else if self.func.insts[new].op == Op::Return {
                let ret = &mut self.func.insts[new];
                ret.op = Op::Jump;
                let args = std::mem::take(&mut ret.args);
                ret.targets.push(BlockCall { block: cont, args });
            }
            self.func.blocks[block].insts.push(new);
        }
        Ok(cont)
    }

    /// Returns the callee's entry if it can be copied.
    fn check(&self, call: Inst, callee: &Function) -> Result<Block> {
        let data = &self.func.insts[call];
        let Some(entry) = callee.entry() else {
            return Err(CompileError::Unresolved { name: callee.name.clone(), line: data.line });
        };
        if callee.blocks[entry].params.len() != data.args.len()
            || data.results.len() != callee.sig.results.len()
        {
            return Err(ice!("call of '{}' with a wrong argument count", callee.name));
        }
        if self.func.insts.len() + callee.insts.len() > MAX_INSTS {
            return Err(CompileError::unsupported("a kernel of this size after inlining", 0));
        }
        Ok(entry)
    }

    /// The callee's slots in the caller. Calls of one function share the large ones.
    fn copy_slots(&mut self, callee_ref: FuncRef, callee: &Function) -> Vec<Slot> {
        let copy = |(s, data): (Slot, &SlotData)| {
            if data.size <= SHARED_SLOT_BYTES {
                return self.func.slots.push(data.clone());
            }
            let slots = &mut self.func.slots;
            *self.shared.entry((callee_ref, s)).or_insert_with(|| slots.push(data.clone()))
        };
        callee.slots.iter().map(copy).collect()
    }

    /// Creates the callee's blocks with their parameters; `entry` is the entry's block, if it needs no own
    /// one.
    fn copy_blocks(&mut self, copy: &mut CalleeCopy<'_>, entry: Option<Block>, args: &[Value]) {
        let callee = copy.callee;
        for &b in &callee.layout {
            if let Some(cur) = entry.filter(|_| Some(b) == callee.entry()) {
                copy.blocks.insert(b, cur);
                for (p, a) in callee.blocks[b].params.iter().zip(args) {
                    copy.values[p.index()] = Some(*a);
                }
                continue;
            }
            let new = self.func.new_block_detached();
            self.func.blocks[new].unroll = callee.blocks[b].unroll;
            self.layout.push(new);
            copy.blocks.insert(b, new);
            for &p in &callee.blocks[b].params {
                copy.values[p.index()] = Some(self.func.add_param(new, callee.ty(p)));
            }
        }
    }

    /// Creates the callee's instructions without operands, as a use may stand before its definition in layout
    /// order. Returns old and new ones with their new blocks.
    fn copy_insts(&mut self, copy: &mut CalleeCopy<'_>, slots: &[Slot]) -> Vec<(Inst, Inst, Block)> {
        let callee = copy.callee;
        let mut copies = Vec::new();
        for &b in &callee.layout {
            for &inst in &callee.blocks[b].insts {
                let data = &callee.insts[inst];
                let types: Vec<_> = data.results.iter().map(|v| callee.ty(*v)).collect();
                let op = match &data.op {
                    Op::SlotAddr(s) => Op::SlotAddr(slots[s.index()]),
                    op => op.clone(),
                };
                let new = self.func.make_inst(op, &[], &types);
                for (i, r) in data.results.iter().enumerate() {
                    copy.values[r.index()] = Some(self.func.insts[new].results[i]);
                }
                copies.push((inst, new, copy.blocks[&b]));
            }
        }
        copies
    }

    fn copy_operands(&mut self, copy: &mut CalleeCopy<'_>, old: Inst, new: Inst) -> Result<()> {
        let callee = copy.callee;
        let data = &callee.insts[old];
        let args = data.args.iter().map(|v| copy.value(self.func, *v)).collect::<Result<_>>()?;
        let mut targets = Vec::with_capacity(data.targets.len());
        for t in &data.targets {
            let args = t.args.iter().map(|v| copy.value(self.func, *v)).collect::<Result<_>>()?;
            targets.push(BlockCall { block: copy.blocks[&t.block], args });
        }
        let copied = &mut self.func.insts[new];
        (copied.args, copied.targets, copied.fast) = (args, targets, data.fast);
        Ok(())
    }

    /// Replaces the call's results if this ends a callee of a single block; true if so.
    fn end_single_block(&mut self, inst: Inst, results: &[Value]) -> bool {
        match self.func.insts[inst].op {
            Op::Return => {
                let values = self.func.insts[inst].args.clone();
                self.replaced.extend(results.iter().copied().zip(values));
                true
            }
            // The callee never returns: the code after the call is not reached, but needs values.
            Op::Unreachable => {
                for r in results {
                    let ty = self.func.ty(*r);
                    let undef = self.func.undef(ty);
                    self.replaced.insert(*r, undef);
                }
                true
            }
            _ => false,
        }
    }
}

/// A callee with its values and blocks in the caller.
struct CalleeCopy<'a> {
    callee: &'a Function,
    values: Vec<Option<Value>>,
    blocks: FxHashMap<Block, Block>,
}

impl CalleeCopy<'_> {
    fn value(&mut self, func: &mut Function, v: Value) -> Result<Value> {
        if let Some(v) = self.values[v.index()] {
            return Ok(v);
        }
        let ValueDef::Const(c) = &self.callee.values[v].def else {
            return Err(ice!("'{}' uses a value it does not define", self.callee.name));
        };
        let new = func.constant(c.clone());
        self.values[v.index()] = Some(new);
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, I32, IntCc, Signature};

    #[test]
    fn branching_callee_and_recursion() {
        let mut m = Module::default();
        let sig = Signature { params: vec![I32], results: vec![I32] };
        let mut f = Function::new("f", sig.clone(), Linkage::Internal);
        let (b0, b1, b2) = (f.add_block(), f.add_block(), f.add_block());
        let x = f.add_param(b0, I32);
        let zero = f.i32(0);
        let mut b = Builder::new(&mut f, b0);
        let c = b.icmp(IntCc::Eq, x, zero);
        b.brif(c, BlockCall::new(b1, &[]), BlockCall::new(b2, &[]));
        Builder::new(&mut f, b1).ret(&[zero]);
        Builder::new(&mut f, b2).ret(&[x]);
        let f = m.functions.push(f);
        let mut k = Function::new("k", sig.clone(), Linkage::Export);
        k.kernel = Some(0);
        let b0 = k.add_block();
        let x = k.add_param(b0, I32);
        let mut b = Builder::new(&mut k, b0);
        let y = b.value(Op::Call(f), &[x], I32);
        let z = b.value(Op::Call(f), &[y], I32);
        b.ret(&[z]);
        m.functions.push(k);
        m.kernels.push(Default::default());
        let mut looped = m.clone();
        inline(&mut m, &EntitySet::new()).unwrap();
        assert_eq!(m.functions.len(), 1);
        let k = &m.functions[FuncRef::new(0)];
        assert_eq!(k.layout.len(), 1 + 3 + 3);
        assert!(k.layout.iter().all(|b| k.terminator(*b).is_some()));
        let ret =
            k.layout.iter().filter_map(|b| k.terminator(*b)).find(|t| k.insts[*t].op == Op::Return).unwrap();
        assert_eq!(k.insts[ret].args[0], z);

        let body = looped.functions[f].layout[0];
        let own = looped.functions[f].make_inst(Op::Call(f), &[x], &[I32]);
        looped.functions[f].blocks[body].insts.insert(0, own);
        assert!(inline(&mut looped, &EntitySet::new()).unwrap_err().to_string().contains("recursion"));
    }
}
