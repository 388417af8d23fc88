//! Instrumentation: accesses, and what orders them, become calls of the checking runtime
//! ([`crate::native::check`]).
//!
//! A call names the components of a loaded value that the program uses, so that the runtime only reports
//! uninitialised bytes that matter.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::native::check;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass `native_checks`.
pub struct NativeChecks;

impl Pass for NativeChecks {
    fn name(&self) -> &'static str {
        "native_checks"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.is_instrumented()
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        Ok(module.functions.values_mut().fold(false, |changed, func| instrument(func) | changed))
    }
}

/// Instruments a function; true if it has accesses or what orders them.
fn instrument(func: &mut Function) -> bool {
    let demanded = demanded(func);
    let mut changed = false;
    rewrite_insts(func, |b, inst| {
        let data = &b.func.insts[inst];
        match data.op.clone() {
            Op::Load(access) => {
                let demanded = data.results.first().and_then(|r| demanded.get(r)).copied();
                let demanded = demanded.unwrap_or(u16::MAX);
                b.func.insts[inst].op = Op::Check(CheckOp::Load { access, demanded });
            }
            Op::Store(access) => b.func.insts[inst].op = Op::Check(CheckOp::Store(access)),
            Op::Fence { order: Ordering::Relaxed, .. } => return Rewrite::Keep,
            Op::Fence { order, .. } => {
                b.inst(Op::Check(CheckOp::Order { what: check::FENCE | order_flags(order) }), &[], &[]);
            }
            Op::Barrier { exec, spaces, .. } => {
                b.push(inst);
                b.inst(Op::Check(CheckOp::Order { what: barrier_flags(exec, spaces) }), &[], &[]);
                changed = true;
                return Rewrite::Remove;
            }
            op => {
                let Some(what) = atomic_flags(&op) else { return Rewrite::Keep };
                let at = op.address_arg().unwrap_or(0);
                let value = data.results.first().unwrap_or(&data.args[0]);
                let what = what | 1 << check::DEMANDED | size_flags(b.func.ty(*value));
                let address = data.args[at];
                let ty = b.func.ty(address);
                let address = b.value(Op::Check(CheckOp::Address { what }), &[address], ty);
                b.func.insts[inst].args[at] = address;
            }
        }
        changed = true;
        Rewrite::Keep
    });
    changed
}

/// Flags of a barrier of the group or of a sub-group.
fn barrier_flags(exec: Scope, spaces: FenceSpaces) -> u64 {
    let kind = if exec == Scope::SubGroup { check::VECTOR_BARRIER } else { check::GROUP_BARRIER };
    let local = if spaces.local { check::LOCAL } else { 0 };
    let global = if spaces.global || spaces.image { check::GLOBAL } else { 0 };
    kind | local | global
}

/// Flags of an atomic operation without its size; `None` for others.
fn atomic_flags(op: &Op) -> Option<u64> {
    let (kind, order) = match op {
        Op::AtomicStore { order, .. } => (check::STORE, *order),
        Op::AtomicLoad { order, .. } => (0, *order),
        Op::AtomicRmw { order, .. } => (check::STORE | check::BOTH, *order),
        Op::AtomicCas { success, .. } => (check::STORE | check::BOTH, *success),
        _ => return None,
    };
    Some(kind | check::ATOMIC | order_flags(order))
}

fn size_flags(ty: Type) -> u64 {
    u64::from(ty.access_bytes().unwrap_or(4)) << check::BYTES | 1 << check::COMPONENTS
}

fn order_flags(order: Ordering) -> u64 {
    match order {
        Ordering::Relaxed => 0,
        Ordering::Acquire => check::ACQUIRE,
        Ordering::Release => check::RELEASE,
        Ordering::AcqRel | Ordering::SeqCst => check::ACQUIRE | check::RELEASE,
    }
}

/// Demanded components of loaded values: those that the program uses. A component that is replaced, or only
/// stored where it came from, is not demanded.
fn demanded(func: &Function) -> FxHashMap<Value, u16> {
    let mut uses = Uses { func, of: FxHashMap::default(), seen: FxHashSet::default() };
    let insts = || func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    for inst in insts() {
        for (k, v) in func.insts[*inst].args.iter().enumerate() {
            uses.of.entry(*v).or_default().push((*inst, k));
        }
    }
    let mut out = FxHashMap::default();
    for inst in insts() {
        let data = &func.insts[*inst];
        if let Op::Load(access) = &data.op {
            let v = data.results[0];
            uses.seen.clear();
            out.insert(v, if access.copied { 0 } else { uses.demanded(v, data.args[0]) });
        }
    }
    out
}

struct Uses<'a> {
    func: &'a Function,
    of: FxHashMap<Value, Vec<(Inst, usize)>>,
    seen: FxHashSet<Value>,
}

impl Uses<'_> {
    /// The demanded components of `v`, if it was loaded from `from`.
    fn demanded(&mut self, v: Value, from: Value) -> u16 {
        let lanes = self.func.ty(v).lanes();
        let all = ((1u32 << lanes) - 1) as u16;
        if lanes > 1 && !self.seen.insert(v) {
            return 0;
        }
        let func = self.func;
        let mut demanded = 0;
        for (inst, k) in self.of.get(&v).cloned().unwrap_or_default() {
            let data = &func.insts[inst];
            let result = data.results.first().copied();
            demanded |= match (&data.op, result) {
                (Op::Store(_), _) if k == 0 && self.is_same_location(data.args[1], from) => 0,
                _ if lanes == 1 => all,
                (Op::Extract(i), _) => 1 << i,
                (Op::Insert(i), Some(r)) if k == 0 => self.demanded(r, from) & !(1 << i),
                (Op::InsertDyn, Some(r)) if k == 0 => self.demanded(r, from),
                (Op::Shuffle(lanes_of), Some(r)) => {
                    let after = self.demanded(r, from);
                    let first = if k == 0 { 0 } else { func.ty(data.args[0]).lanes() };
                    let taken = (0u32..)
                        .zip(lanes_of)
                        .filter(|(to, _)| after >> to & 1 == 1)
                        .map(|(_, lane)| u32::from(*lane));
                    taken
                        .filter(|lane| (first..first + lanes).contains(lane))
                        .fold(0, |all, lane| all | 1 << (lane - first))
                }
                (Op::Bin(_) | Op::Un(_) | Op::Fma | Op::Mad | Op::Select | Op::Cast(_), Some(r))
                    if func.ty(r).lanes() == lanes =>
                {
                    self.demanded(r, from)
                }
                _ => all,
            };
        }
        demanded
    }

    fn is_same_location(&self, a: Value, b: Value) -> bool {
        let slot = |v: Value| match self.func.def_op(v) {
            Some(Op::SlotAddr(s)) => Some(*s),
            _ => None,
        };
        a == b || slot(a).is_some() && slot(a) == slot(b)
    }
}
