//! Rewriting of one instruction after the other, in place: the state of an iteration of `simplify`, with the
//! queries and edits that its rules use.

use crate::ir::fold;
use crate::ir::{BinOp, CastOp, Const, EntityRef, FastMath, Function, Inst, InstData, Op, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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
pub(super) fn fold_values(func: &Function, op: &Op, args: &[Value], ty: Type) -> Option<Const> {
    let consts = args.iter().map(|a| func.as_const(*a)).collect::<Option<SmallVec<[&Const; 4]>>>()?;
    if consts.is_empty() { None } else { fold::fold(op, &consts, ty) }
}

/// State of an iteration, with the queries and edits that rules use.
pub(crate) struct Rewriter<'f> {
    pub func: &'f mut Function,
    uses: Vec<u32>,
    /// Values by those that they replace.
    pub(super) replaced: FxHashMap<Value, Value>,
    /// The instructions of the block so far.
    pub(super) list: Vec<Inst>,
    /// The instruction being rewritten.
    pub(super) current: Option<Inst>,
    pub(super) changed: bool,
}

impl Rewriter<'_> {
    /// The state at the start of an iteration.
    pub(super) fn new(func: &mut Function) -> Rewriter<'_> {
        let mut uses = vec![0u32; func.value_count()];
        for data in func.data_in_order() {
            for v in data.operands() {
                uses[v.index()] += 1;
            }
        }
        let (replaced, list) = (FxHashMap::default(), Vec::new());
        Rewriter { func, uses, replaced, list, current: None, changed: false }
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
    pub fn fast(&self) -> FastMath {
        self.current.map(|i| self.func.insts[i].fast).unwrap_or_default()
    }
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.func.bits(ty, bits)
    }
}
