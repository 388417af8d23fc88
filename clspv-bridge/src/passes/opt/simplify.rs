//! Peephole simplification: constant folding and the algebraic rules of `simplify_int`, `simplify_float` and
//! `simplify_other`.
//!
//! One iteration visits the blocks in reverse postorder and rewrites each instruction until no rule applies.
//! A rule returns an equal value, or changes the instruction in place (possibly after emitting other
//! instructions). Floating-point rules keep IEEE results unless the instruction's fast-math flags permit
//! otherwise.

use super::{dce, simplify_int, simplify_other};
use crate::analysis::Cfg;
use crate::error::Result;
use crate::ir::fold;
use crate::ir::{BinOp, CastOp, Const, EntityRef, Function, Inst, InstData, Module, Op, Type, Value};
use crate::passes::structure::ssa_repair;
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The pass `simplify`.
pub struct Simplify;

impl Pass for Simplify {
    fn name(&self) -> &'static str {
        "simplify"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= simplify(f);
        }
        Ok(changed)
    }
}

const MAX_ITERATIONS: usize = 4;
/// Most rewrites of one instruction in one iteration.
const MAX_REWRITES: usize = 16;

/// Simplifies one function; true if anything changed.
pub fn simplify(func: &mut Function) -> bool {
    let mut any = ssa_repair::remove_unreachable(func);
    for iteration in 0..MAX_ITERATIONS {
        let changed = simplify_once(func);
        any |= changed;
        if changed || iteration == 0 {
            any |= dce::remove_dead_values(func);
        }
        if !changed {
            break;
        }
    }
    any
}

fn simplify_once(func: &mut Function) -> bool {
    let mut uses = vec![0u32; func.value_count()];
    for data in func.data_in_order() {
        for v in data.operands() {
            uses[v.index()] += 1;
        }
    }
    let order = Cfg::new(func).rpo().to_vec();
    let mut s = Rewriter {
        func,
        uses,
        replaced: FxHashMap::default(),
        list: Vec::new(),
        current: None,
        changed: false,
    };
    for b in order {
        for inst in s.func.take_insts(b) {
            s.visit(inst);
        }
        s.func.blocks[b].insts = std::mem::take(&mut s.list);
    }
    let (replaced, changed) = (s.replaced, s.changed);
    func.replace_uses(&replaced);
    changed
}

/// Effect of a rule.
pub(crate) enum Action {
    /// The result is this value.
    Value(Value),
    /// The instruction becomes this operation.
    Rewrite(Op, SmallVec<[Value; 4]>),
}

/// Returns an [`Action::Rewrite`].
pub(crate) fn rewrite(op: Op, args: &[Value]) -> Option<Action> {
    Some(Action::Rewrite(op, SmallVec::from_slice(args)))
}

/// The constant result of an operation whose operands are all constants.
fn fold_values(func: &Function, op: &Op, args: &[Value], ty: Type) -> Option<Const> {
    let consts = args.iter().map(|a| func.as_const(*a)).collect::<Option<SmallVec<[&Const; 4]>>>()?;
    if consts.is_empty() { None } else { fold::fold(op, &consts, ty) }
}

/// State of an iteration, with the queries and edits that rules use.
pub(crate) struct Rewriter<'f> {
    pub func: &'f mut Function,
    uses: Vec<u32>,
    replaced: FxHashMap<Value, Value>,
    list: Vec<Inst>,
    current: Option<Inst>,
    changed: bool,
}

impl Rewriter<'_> {
    fn visit(&mut self, inst: Inst) {
        let data = &mut self.func.insts[inst];
        let edges = data.targets.iter_mut().flat_map(|t| t.args.iter_mut());
        for v in data.args.iter_mut().chain(edges) {
            if let Some(&n) = self.replaced.get(v) {
                *v = n;
            }
        }
        self.current = Some(inst);
        for _ in 0..MAX_REWRITES {
            match self.rule(inst) {
                None => break,
                Some(Action::Value(v)) => {
                    let result = self.func.insts[inst].results[0];
                    self.replaced.insert(result, v);
                    self.changed = true;
                    return;
                }
                Some(Action::Rewrite(op, args)) => {
                    let data = &mut self.func.insts[inst];
                    (data.op, data.args) = (op, args);
                    self.changed = true;
                }
            }
        }
        self.list.push(inst);
    }

    fn rule(&mut self, inst: Inst) -> Option<Action> {
        let data = &self.func.insts[inst];
        if data.op == Op::BrIf {
            // brif !c, a, b -> brif c, b, a
            let condition = self.operation(data.args[0])?;
            if condition.op != Op::Un(crate::ir::UnOp::Not) {
                return None;
            }
            let condition = self.current_value(condition.args[0]);
            self.func.insts[inst].targets.swap(0, 1);
            return rewrite(Op::BrIf, &[condition]);
        }
        if !data.op.is_pure() {
            return None;
        }
        let ty = self.func.ty(*data.results.first()?);
        if let Some(c) = fold_values(self.func, &data.op, &data.args, ty) {
            return Some(Action::Value(self.func.constant(c)));
        }
        match (&data.op, data.args.as_slice()) {
            (&Op::Bin(b), &[x, y]) if ty.is_int() => simplify_int::binary(self, b, x, y, ty),
            (&Op::Icmp(cc), &[x, y]) => simplify_int::compare(self, cc, x, y),
            (&Op::Cast(c), &[x]) => simplify_int::cast(self, c, x, ty),
            (op, _) if simplify_other::has_rule(op) => {
                let (op, args) = (op.clone(), data.args.clone());
                simplify_other::rule(self, &op, &args, ty)
            }
            _ => None,
        }
    }

    /// The pure instruction that defines a value. Its operands may have been replaced
    /// ([`Rewriter::current_value`]).
    pub fn operation(&self, v: Value) -> Option<&InstData> {
        let data = &self.func.insts[self.func.def_inst(v)?];
        data.op.is_pure().then_some(data)
    }
    /// The value that replaces a value, or the value itself.
    pub fn current_value(&self, v: Value) -> Value {
        self.replaced.get(&v).copied().unwrap_or(v)
    }
    /// Operation and operands of the pure instruction that defines a value.
    pub(crate) fn def(&self, v: Value) -> Option<(Op, SmallVec<[Value; 4]>)> {
        let data = self.operation(v)?;
        Some((data.op.clone(), data.args.iter().map(|a| self.current_value(*a)).collect()))
    }
    /// Operands of a value that is defined by this binary operation.
    pub fn bin(&self, v: Value, op: BinOp) -> Option<(Value, Value)> {
        let data = self.operation(v)?;
        match (&data.op, data.args.as_slice()) {
            (Op::Bin(b), &[x, y]) if *b == op => Some((self.current_value(x), self.current_value(y))),
            _ => None,
        }
    }
    /// Operand of a value that is defined by this cast.
    pub(crate) fn cast_of(&self, v: Value, op: CastOp) -> Option<Value> {
        let data = self.operation(v)?;
        match (&data.op, data.args.as_slice()) {
            (Op::Cast(c), &[x]) if *c == op => Some(self.current_value(x)),
            _ => None,
        }
    }
    /// Bits of a scalar or splat constant.
    pub fn bits(&self, v: Value) -> Option<u64> {
        self.func.as_bits(v)
    }
    pub fn ty(&self, v: Value) -> Type {
        self.func.ty(v)
    }
    /// Whether the value has only one use, so that a replacement makes its computation dead.
    pub(crate) fn single_use(&self, v: Value) -> bool {
        self.uses.get(v.index()).is_some_and(|n| *n <= 1)
    }
    /// Emits an instruction before the current one, with its fast-math flags and line.
    pub fn emit(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        if let Some(c) = fold_values(self.func, &op, args, ty) {
            return self.func.constant(c);
        }
        let inst = self.func.make_inst(op, args, &[ty]);
        if let Some(current) = self.current {
            (self.func.insts[inst].line, self.func.insts[inst].fast) =
                (self.func.insts[current].line, self.func.insts[current].fast);
        }
        self.list.push(inst);
        self.func.insts[inst].results[0]
    }
    pub fn fast(&self) -> crate::ir::FastMath {
        self.current.map(|i| self.func.insts[i].fast).unwrap_or_default()
    }
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.func.bits(ty, bits)
    }
}

#[cfg(test)]
#[path = "simplify_tests.rs"]
mod tests;
