//! Hand-built trees, lowered and run in the interpreter.

use super::input::LoweringInput;
use super::lower;
use crate::front::c::ast::*;
use crate::front::c::check::check;
use crate::front::c::language::Language;
use crate::front::c::session::Session;
use crate::front::c::source::Loc;
use crate::front::c::types::*;
use crate::ir::interp::value::{LaneValues, constant};
use crate::ir::interp::{Machine, Stop};
use crate::ir::{Const, F32, I8, I32, I64, Module, Op, Scalar, Type};
use crate::options::{CompileRequest, Extent, FrontConfig, Options};

/// Builder of a unit with one function under construction.
struct Tree {
    unit: Unit,
    types: Types,
    session: Session,
}

/// Type, offset, and bits of a field.
type TestField = (Ty, u64, Option<(u8, u8)>);

impl Tree {
    fn new() -> Tree {
        Tree { unit: Unit::default(), types: Types::new(), session: Session::default() }
    }
    fn node(&mut self, kind: ExprKind, ty: QualTy, is_lvalue: bool) -> ExprId {
        self.unit.exprs.push(Expr { kind, ty, is_lvalue, loc: Loc::default() });
        ExprId(self.unit.exprs.len() as u32 - 1)
    }
    fn rvalue(&mut self, kind: ExprKind, ty: Ty) -> ExprId {
        self.node(kind, QualTy::plain(ty), false)
    }
    fn int(&mut self, x: i64) -> ExprId {
        self.rvalue(ExprKind::Int(x as u64), INT)
    }
    fn long(&mut self, x: i64) -> ExprId {
        self.rvalue(ExprKind::Int(x as u64), LONG)
    }
    fn lvalue(&mut self, var: VarId) -> ExprId {
        let ty = self.unit.vars[var.0 as usize].ty;
        self.node(ExprKind::Var(var), ty, true)
    }
    fn load(&mut self, lvalue: ExprId) -> ExprId {
        let ty = self.unit.exprs[lvalue.0 as usize].ty.ty;
        self.rvalue(ExprKind::Cast(CastKind::Load, lvalue), ty)
    }
    fn get(&mut self, var: VarId) -> ExprId {
        let lvalue = self.lvalue(var);
        self.load(lvalue)
    }
    fn cast(&mut self, kind: CastKind, x: ExprId, ty: Ty) -> ExprId {
        self.rvalue(ExprKind::Cast(kind, x), ty)
    }
    fn binary(&mut self, op: BinaryOp, x: ExprId, y: ExprId) -> ExprId {
        let ty = self.unit.exprs[x.0 as usize].ty.ty;
        self.rvalue(ExprKind::Binary(op, x, y), ty)
    }
    /// A comparison as a condition.
    fn test(&mut self, op: CompareOp, x: ExprId, y: ExprId) -> ExprId {
        let int = self.rvalue(ExprKind::Compare(op, x, y), INT);
        self.cast(CastKind::Arith, int, BOOL)
    }
    fn assign(&mut self, target: ExprId, value: ExprId) -> ExprId {
        let ty = self.unit.exprs[target.0 as usize].ty.ty;
        self.rvalue(ExprKind::Assign { target, value }, ty)
    }
    fn member(&mut self, base: ExprId, field: u32, ty: Ty) -> ExprId {
        self.node(ExprKind::Member { base, field }, QualTy::plain(ty), true)
    }
    fn subscript(&mut self, array: ExprId, index: ExprId, of: Ty) -> ExprId {
        let to = self.types.intern(TypeKind::Pointer(QualTy::plain(of).in_space(AddressSpace::Private)));
        let first = self.cast(CastKind::Decay, array, to);
        let at = self.rvalue(ExprKind::PointerAdd(first, index), to);
        self.node(ExprKind::Deref(at), QualTy::plain(of), true)
    }
    fn init(&mut self, items: Vec<(u64, ExprId)>, ty: Ty) -> ExprId {
        self.unit.inits.push(InitList { items });
        let id = InitId(self.unit.inits.len() as u32 - 1);
        self.rvalue(ExprKind::Init(id), ty)
    }
    fn list(&mut self, ids: &[ExprId]) -> ExprList {
        let start = self.unit.lists.len() as u32;
        self.unit.lists.extend(ids);
        ExprList { start, len: ids.len() as u32 }
    }
    fn stmt(&mut self, kind: StmtKind) -> StmtId {
        self.unit.stmts.push(Stmt { kind, loc: Loc::default() });
        StmtId(self.unit.stmts.len() as u32 - 1)
    }
    fn effect(&mut self, x: ExprId) -> StmtId {
        self.stmt(StmtKind::Expr(x))
    }
    fn ret(&mut self, x: ExprId) -> StmtId {
        self.stmt(StmtKind::Return(Some(x)))
    }
    fn compound(&mut self, list: Vec<StmtId>) -> StmtId {
        self.stmt(StmtKind::Compound(list))
    }
    fn var(&mut self, name: &str, ty: Ty, storage: Storage, init: Option<ExprId>) -> VarId {
        let in_memory = super::types::is_aggregate(&self.types, ty);
        let name = Some(self.session.symbols.intern(name));
        let (ty, loc) = (QualTy::plain(ty), Loc::default());
        self.unit.vars.push(Variable {
            name,
            label: None,
            ty,
            storage,
            is_exported: false,
            init,
            align: 1,
            in_memory,
            loc,
        });
        VarId(self.unit.vars.len() as u32 - 1)
    }
    fn param(&mut self, name: &str, ty: Ty) -> VarId {
        self.var(name, ty, Storage::Param, None)
    }
    /// A variable with its declaration.
    fn local(&mut self, name: &str, ty: Ty, init: Option<ExprId>) -> (VarId, StmtId) {
        let var = self.var(name, ty, Storage::Auto, init);
        (var, self.stmt(StmtKind::Decl(vec![var])))
    }
    fn function(&mut self, name: &str, result: Ty, params: &[VarId], body: StmtId) -> FuncId {
        let types = params.iter().map(|p| self.unit.vars[p.0 as usize].ty).collect();
        let ty = self.types.intern(TypeKind::Function(FunctionType {
            result: QualTy::plain(result),
            params: types,
            is_variadic: false,
            has_prototype: true,
        }));
        self.unit.functions.push(FunctionDecl {
            name: self.session.symbols.intern(name),
            ty,
            params: params.to_vec(),
            body: Some(body),
            is_kernel: false,
            is_internal: false,
            is_overloadable: false,
            link_name: name.to_owned(),
            kernel: KernelAttributes::default(),
            inline: InlineHint::None,
            labels: Vec::new(),
            loc: Loc::default(),
        });
        FuncId(self.unit.functions.len() as u32 - 1)
    }
    fn record(&mut self, fields: &[TestField], size: u64, align: u32) -> Ty {
        let fields = fields
            .iter()
            .map(|(ty, offset, bits)| Field {
                name: None,
                ty: QualTy::plain(*ty),
                offset: *offset,
                bits: *bits,
            })
            .collect();
        self.types.records.push(Record { fields, size, align, is_complete: true, ..Record::default() });
        self.types.intern(TypeKind::Record(RecordId(self.types.records.len() as u32 - 1)))
    }
    fn lower_with(&self, options: &Options) -> Module {
        let input = LoweringInput {
            session: &self.session,
            unit: &self.unit,
            types: &self.types,
            options,
            language: &Language::new(options, &FrontConfig::default()),
            extent: Extent::Part,
            in_memory: false,
        };
        lower(input).unwrap()
    }
    fn lower(&self) -> Module {
        self.lower_with(&Options::default())
    }
}

/// A value with these bits in every lane.
fn known(ty: Type, bits: u64) -> LaneValues {
    constant(&Const::Bits(ty, std::iter::repeat_n(bits, ty.lanes() as usize).collect()))
}

fn run(module: &Module, name: &str, args: &[LaneValues]) -> Result<LaneValues, Stop> {
    let func = module.find(name).unwrap();
    Machine::new(module).call(func, args).map(|r| r[0].clone())
}

fn run_int(module: &Module, name: &str, args: &[i64]) -> i32 {
    let args: Vec<LaneValues> = args.iter().map(|x| known(I32, *x as u32 as u64)).collect();
    run(module, name, &args).unwrap()[0].get().unwrap() as i32
}

/// for (i = 0; i < n; i = i + 1) { if (i == 3) continue; if (i == 6) break; s = s + i; } return s;
#[test]
fn loops_with_break_and_continue() {
    let mut t = Tree::new();
    let n = t.param("n", INT);
    let (zero, one) = (t.int(0), t.int(1));
    let (s, s_decl) = t.local("s", INT, Some(zero));
    let (i, i_decl) = t.local("i", INT, Some(zero));
    let (x, y) = (t.get(i), t.get(n));
    let cond = t.test(CompareOp::Lt, x, y);
    let (x, lv) = (t.get(i), t.lvalue(i));
    let sum = t.binary(BinaryOp::Add, x, one);
    let step = t.assign(lv, sum);
    let leave = |t: &mut Tree, at: i64, kind: StmtKind| {
        let (x, y) = (t.get(i), t.int(at));
        let cond = t.test(CompareOp::Eq, x, y);
        let then = t.stmt(kind);
        t.stmt(StmtKind::If { cond, then, otherwise: None })
    };
    let skip = leave(&mut t, 3, StmtKind::Continue);
    let end = leave(&mut t, 6, StmtKind::Break);
    let (lv, x, y) = (t.lvalue(s), t.get(s), t.get(i));
    let sum = t.binary(BinaryOp::Add, x, y);
    let add = t.assign(lv, sum);
    let add = t.effect(add);
    let body = t.compound(vec![skip, end, add]);
    let hint = LoopHint::default();
    let lp = t.stmt(StmtKind::For { init: Some(i_decl), cond: Some(cond), step: Some(step), body, hint });
    let x = t.get(s);
    let ret = t.ret(x);
    let body = t.compound(vec![s_decl, lp, ret]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    assert_eq!(run_int(&m, "f", &[100]), 1 + 2 + 4 + 5);
    assert_eq!(run_int(&m, "f", &[3]), 3);
    let f = &m.functions[m.find("f").unwrap()];
    assert!(f.slots.is_empty());
    let params: usize = f.layout.iter().skip(1).map(|b| f.blocks[*b].params.len()).sum();
    // Both variables at the head, and the sum after the `continue` at the step and the exit at most.
    assert!(params <= 4, "{params}");
}

/// Duff's device: cases inside a loop, falling through.
#[test]
fn switch_into_a_loop() {
    let mut t = Tree::new();
    let n = t.param("n", INT);
    let (zero, one) = (t.int(0), t.int(1));
    let (s, s_decl) = t.local("s", INT, Some(zero));
    let count = |t: &mut Tree| {
        let target = t.lvalue(s);
        let e = t.rvalue(ExprKind::Increment { target, is_prefix: false, by: 1 }, INT);
        t.effect(e)
    };
    let mut cases = Vec::new();
    for value in [0u64, 3, 2, 1] {
        let body = count(&mut t);
        cases.push(t.stmt(StmtKind::Case { low: value, high: value, body }));
    }
    let inner = t.compound(cases);
    let (target, value) = (t.lvalue(n), t.int(4));
    let minus = t.rvalue(ExprKind::CompoundAssign { op: BinaryOp::Sub, target, value, compute: INT }, INT);
    let cond = t.test(CompareOp::Ge, minus, one);
    let lp = t.stmt(StmtKind::DoWhile { body: inner, cond, hint: LoopHint::default() });
    let (x, four) = (t.get(n), t.int(4));
    let rem = t.binary(BinaryOp::Rem, x, four);
    let sw = t.stmt(StmtKind::Switch { value: rem, body: lp });
    let x = t.get(s);
    let ret = t.ret(x);
    let body = t.compound(vec![s_decl, sw, ret]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    for n in [1, 2, 3, 4, 5, 11] {
        assert_eq!(run_int(&m, "f", &[n]), n as i32);
    }
}

/// case 10 ... 1000: return 1; default: return 2;
#[test]
fn case_ranges() {
    let mut t = Tree::new();
    let n = t.param("n", INT);
    let (one, two) = (t.int(1), t.int(2));
    let (a, b) = (t.ret(one), t.ret(two));
    let range = t.stmt(StmtKind::Case { low: 10, high: 1000, body: a });
    let three = t.int(3);
    let c = t.ret(three);
    // From -300 to 0, as bits of an `int`.
    let signs = t.stmt(StmtKind::Case { low: 0xffff_fed4, high: 0, body: c });
    let default = t.stmt(StmtKind::Default(b));
    let body = t.compound(vec![range, signs, default]);
    let value = t.get(n);
    let sw = t.stmt(StmtKind::Switch { value, body });
    let body = t.compound(vec![sw]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    assert_eq!([9, 10, 1000, 1001].map(|n| run_int(&m, "f", &[n])), [2, 1, 1, 2]);
    assert_eq!([-301, -300, 0, 1].map(|n| run_int(&m, "f", &[n])), [2, 3, 3, 2]);
}

/// A case that falls into the next one after an assignment, which makes no instruction.
#[test]
fn assignments_between_cases() {
    let mut t = Tree::new();
    let n = t.param("n", INT);
    let zero = t.int(0);
    let (r, decl) = t.local("r", INT, Some(zero));
    let assign = |t: &mut Tree, value: i64| {
        let (target, value) = (t.lvalue(r), t.int(value));
        let e = t.rvalue(ExprKind::Assign { target, value }, INT);
        t.effect(e)
    };
    let two = assign(&mut t, 2);
    let first = t.stmt(StmtKind::Case { low: 1, high: 1, body: two });
    let nothing = t.stmt(StmtKind::Empty);
    let second = t.stmt(StmtKind::Case { low: 5, high: 5, body: nothing });
    let body = t.compound(vec![first, second]);
    let value = t.get(n);
    let sw = t.stmt(StmtKind::Switch { value, body });
    let x = t.get(r);
    let ret = t.ret(x);
    let body = t.compound(vec![decl, sw, ret]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    assert_eq!([1, 5, 9].map(|n| run_int(&m, "f", &[n])), [2, 0, 0]);
}

/// goto into and out of a loop that is made of labels.
#[test]
fn gotos() {
    let mut t = Tree::new();
    let n = t.param("n", INT);
    let zero = t.int(0);
    let (s, s_decl) = t.local("s", INT, Some(zero));
    let (x, y) = (t.get(s), t.get(n));
    let cond = t.test(CompareOp::Ge, x, y);
    let out = t.stmt(StmtKind::Goto(LabelId(1)));
    let stop = t.stmt(StmtKind::If { cond, then: out, otherwise: None });
    let head = t.stmt(StmtKind::Label { label: LabelId(0), body: stop });
    let target = t.lvalue(s);
    let value = t.int(3);
    let add = t.rvalue(ExprKind::CompoundAssign { op: BinaryOp::Add, target, value, compute: INT }, INT);
    let add = t.effect(add);
    let back = t.stmt(StmtKind::Goto(LabelId(0)));
    let x = t.get(s);
    let ret = t.ret(x);
    let end = t.stmt(StmtKind::Label { label: LabelId(1), body: ret });
    let body = t.compound(vec![s_decl, head, add, back, end]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    assert_eq!([0, 1, 7].map(|n| run_int(&m, "f", &[n])), [0, 3, 9]);
}

/// struct { int a; char c; } by value: the callee changes its copy only.
#[test]
fn aggregates_are_passed_and_returned_by_value() {
    let mut t = Tree::new();
    let s = t.record(&[(INT, 0, None), (CHAR, 4, None)], 8, 4);
    let p = t.param("p", s);
    let (lv, seven) = (t.lvalue(p), t.int(7));
    let a = t.member(lv, 0, INT);
    let set = t.assign(a, seven);
    let set = t.effect(set);
    let whole = t.get(p);
    let ret = t.ret(whole);
    let body = t.compound(vec![set, ret]);
    let callee = t.function("g", s, &[p], body);

    let n = t.param("n", INT);
    let x = t.get(n);
    let five = t.rvalue(ExprKind::Int(5), CHAR);
    let init = t.init(vec![(0, x), (1, five)], s);
    let (v, v_decl) = t.local("v", s, Some(init));
    let whole = t.get(v);
    let args = t.list(&[whole]);
    let call = t.rvalue(ExprKind::Call { function: callee, args }, s);
    let (w, w_decl) = t.local("w", s, Some(call));
    // v.a * 100 + w.a * 10 + w.c
    let (va, wa, wc) = (t.lvalue(v), t.lvalue(w), t.lvalue(w));
    let (va, wa, wc) = (t.member(va, 0, INT), t.member(wa, 0, INT), t.member(wc, 1, CHAR));
    let (va, wa, wc) = (t.load(va), t.load(wa), t.load(wc));
    let wc = t.cast(CastKind::Arith, wc, INT);
    let (hundred, ten) = (t.int(100), t.int(10));
    let va = t.binary(BinaryOp::Mul, va, hundred);
    let wa = t.binary(BinaryOp::Mul, wa, ten);
    let sum = t.binary(BinaryOp::Add, va, wa);
    let sum = t.binary(BinaryOp::Add, sum, wc);
    let ret = t.ret(sum);
    let body = t.compound(vec![v_decl, w_decl, ret]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    assert_eq!(run_int(&m, "f", &[3]), 375);
}

#[test]
fn bit_fields() {
    let mut t = Tree::new();
    // int a : 3 at bit 2; unsigned b : 7 at bit 5.
    let s = t.record(&[(INT, 0, Some((2, 3))), (UINT, 0, Some((5, 7)))], 4, 4);
    let n = t.param("n", INT);
    let (v, v_decl) = t.local("v", s, None);
    let empty = t.init(vec![], s);
    t.unit.vars[v.0 as usize].init = Some(empty);
    let (lv, x) = (t.lvalue(v), t.get(n));
    let a = t.member(lv, 0, INT);
    let set_a = t.assign(a, x);
    let (lv, x) = (t.lvalue(v), t.get(n));
    let b = t.member(lv, 1, UINT);
    let x = t.cast(CastKind::Arith, x, UINT);
    let set_b = t.assign(b, x);
    let set_b = t.effect(set_b);
    let (lv, hundred) = (t.lvalue(v), t.int(100));
    let b = t.member(lv, 1, UINT);
    let b = t.load(b);
    let b = t.cast(CastKind::Arith, b, INT);
    let hi = t.binary(BinaryOp::Mul, b, hundred);
    let (r, r_decl) = t.local("r", INT, Some(set_a));
    let lo = t.get(r);
    let sum = t.binary(BinaryOp::Add, hi, lo);
    let ret = t.ret(sum);
    let body = t.compound(vec![v_decl, r_decl, set_b, ret]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    // 5 is -3 in three signed bits; 200 is 72 in seven.
    assert_eq!(run_int(&m, "f", &[5]), 500 - 3);
    assert_eq!(run_int(&m, "f", &[200]), 7200);
}

/// Members of a packed record that no integer of a power of two bytes holds, at the record's end.
#[test]
fn bit_fields_across_units() {
    for (types, second) in [([INT, INT], (7, 30)), ([INT, LONG], (7, 64)), ([INT, LONG], (7, 58))] {
        let mut t = Tree::new();
        let size = (7u64 + second.1).div_ceil(8);
        let s = t.record(
            &[(types[0], 0, Some((0, 7))), (types[1], 0, Some((second.0, second.1 as u8)))],
            size,
            1,
        );
        let n = t.param("n", INT);
        let (v, v_decl) = t.local("v", s, None);
        let empty = t.init(vec![], s);
        t.unit.vars[v.0 as usize].init = Some(empty);
        let (lv, x) = (t.lvalue(v), t.get(n));
        let a = t.member(lv, 0, types[0]);
        let set_a = t.assign(a, x);
        let set_a = t.effect(set_a);
        let (x, thousand) = (t.get(n), t.int(1000));
        let product = t.binary(BinaryOp::Mul, x, thousand);
        let product = t.cast(CastKind::Arith, product, types[1]);
        let lv = t.lvalue(v);
        let b = t.member(lv, 1, types[1]);
        let set_b = t.assign(b, product);
        let set_b = t.cast(CastKind::Arith, set_b, INT);
        let (r, r_decl) = t.local("r", INT, Some(set_b));
        let (lv, old) = (t.lvalue(v), t.lvalue(v));
        let (a, b) = (t.member(lv, 0, types[0]), t.member(old, 1, types[1]));
        let (a, b) = (t.load(a), t.load(b));
        let b = t.cast(CastKind::Arith, b, INT);
        let difference = t.binary(BinaryOp::Sub, b, a);
        let r = t.get(r);
        let sum = t.binary(BinaryOp::Add, difference, r);
        let ret = t.ret(sum);
        let body = t.compound(vec![v_decl, set_a, r_decl, ret]);
        t.function("f", INT, &[n], body);
        let m = t.lower();
        for n in [5, -3, 63] {
            assert_eq!(run_int(&m, "f", &[n]), 1999 * n as i32, "{second:?}");
        }
    }
}

#[test]
fn short_circuits() {
    let mut t = Tree::new();
    let (a, b) = (t.param("a", INT), t.param("b", INT));
    let zero = t.int(0);
    let (calls, decl) = t.local("calls", INT, Some(zero));
    // (a && ++calls) || (b && ++calls)
    let truth = |t: &mut Tree, v: VarId| {
        let x = t.get(v);
        t.cast(CastKind::Arith, x, BOOL)
    };
    let count = |t: &mut Tree| {
        let target = t.lvalue(calls);
        let e = t.rvalue(ExprKind::Increment { target, is_prefix: true, by: 1 }, INT);
        t.cast(CastKind::Arith, e, BOOL)
    };
    let (x, y) = (truth(&mut t, a), count(&mut t));
    let left = t.rvalue(ExprKind::LogicalAnd(x, y), INT);
    let left = t.cast(CastKind::Arith, left, BOOL);
    let (x, y) = (truth(&mut t, b), count(&mut t));
    let right = t.rvalue(ExprKind::LogicalAnd(x, y), INT);
    let right = t.cast(CastKind::Arith, right, BOOL);
    let or = t.rvalue(ExprKind::LogicalOr(left, right), INT);
    let (r, r_decl) = t.local("r", INT, Some(or));
    let (x, ten) = (t.get(r), t.int(10));
    let x = t.binary(BinaryOp::Mul, x, ten);
    let y = t.get(calls);
    let sum = t.binary(BinaryOp::Add, x, y);
    let ret = t.ret(sum);
    let body = t.compound(vec![decl, r_decl, ret]);
    t.function("f", INT, &[a, b], body);
    let m = t.lower();
    let results = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|args| run_int(&m, "f", &args));
    assert_eq!(results, [0, 11, 11, 11]);
}

#[test]
fn swizzles_as_targets() {
    let mut t = Tree::new();
    let float4 = t.types.intern(TypeKind::Vector(Arith::Float, 4));
    let float2 = t.types.intern(TypeKind::Vector(Arith::Float, 2));
    let v = t.param("v", float4);
    for in_memory in [false, true] {
        t.unit.vars[v.0 as usize].in_memory = in_memory;
        // v.wx = v.yz; return v;
        let swizzle = |t: &mut Tree, lanes: [u8; 2]| {
            let base = t.lvalue(v);
            let mut all = [0; 16];
            all[..2].copy_from_slice(&lanes);
            t.node(ExprKind::Swizzle { base, lanes: all, len: 2 }, QualTy::plain(float2), true)
        };
        let (to, from) = (swizzle(&mut t, [3, 0]), swizzle(&mut t, [1, 2]));
        let from = t.load(from);
        let set = t.assign(to, from);
        let set = t.effect(set);
        let whole = t.get(v);
        let ret = t.ret(whole);
        let body = t.compound(vec![set, ret]);
        let name = if in_memory { "memory" } else { "values" };
        t.unit.functions.clear();
        t.function(name, float4, &[v], body);
        let m = t.lower();
        let arg: LaneValues =
            [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|x| known(F32, u64::from(x.to_bits()))).collect();
        let result = run(&m, name, &[arg]).unwrap();
        let result: Vec<f32> = result.iter().map(|l| f32::from_bits(l.get().unwrap() as u32)).collect();
        assert_eq!(result, [3.0, 2.0, 3.0, 2.0]);
    }
}

#[test]
fn contents_of_static_objects() {
    let mut t = Tree::new();
    let constant = |ty: Ty| QualTy::plain(ty).in_space(AddressSpace::Constant);
    let ints = t.types.intern(TypeKind::Array(constant(INT), Some(4)));
    let (two, minus) = (t.int(2), t.int(-1));
    let init = t.init(vec![(1, two), (3, minus)], ints);
    let table = t.var("table", ints, Storage::Static, Some(init));
    t.unit.vars[table.0 as usize].ty.quals.space = AddressSpace::Constant;
    // constant int *p = table + 1;
    let pointer = t.types.intern(TypeKind::Pointer(constant(INT)));
    let (lv, one) = (t.lvalue(table), t.long(1));
    let first = t.cast(CastKind::Decay, lv, pointer);
    let at = t.rvalue(ExprKind::PointerAdd(first, one), pointer);
    let p = t.var("p", pointer, Storage::Static, Some(at));
    t.unit.vars[p.0 as usize].ty.quals.space = AddressSpace::Constant;
    // return p[n];
    let n = t.param("n", INT);
    let (base, index) = (t.get(p), t.get(n));
    let index = t.cast(CastKind::Arith, index, LONG);
    let at = t.rvalue(ExprKind::PointerAdd(base, index), pointer);
    let element = t.node(ExprKind::Deref(at), constant(INT), true);
    let x = t.load(element);
    let ret = t.ret(x);
    let body = t.compound(vec![ret]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    assert_eq!([0, 1, 2].map(|n| run_int(&m, "f", &[n])), [2, 0, -1]);
    let table = m.globals.values().find(|g| g.name == "table").unwrap();
    assert!(table.readonly && table.size == 16);
    let p = m.globals.values().find(|g| g.name == "p").unwrap();
    assert_eq!((p.relocs[0].offset, p.relocs[0].addend), (0, 4));
}

#[test]
fn arrays_and_initializers() {
    for count in [4u64, 40] {
        let mut t = Tree::new();
        let ints = t.types.intern(TypeKind::Array(QualTy::plain(INT), Some(count)));
        let (five, six) = (t.int(5), t.int(6));
        let init = t.init(vec![(0, five), (2, six)], ints);
        let (a, decl) = t.local("a", ints, Some(init));
        let n = t.param("n", INT);
        let (lv, index) = (t.lvalue(a), t.get(n));
        let index = t.cast(CastKind::Arith, index, LONG);
        let element = t.subscript(lv, index, INT);
        let x = t.load(element);
        let ret = t.ret(x);
        let body = t.compound(vec![decl, ret]);
        t.function("f", INT, &[n], body);
        let m = t.lower();
        assert_eq!([0, 1, 2, 3].map(|n| run_int(&m, "f", &[n])), [5, 0, 6, 0]);
    }
}

#[test]
fn kernels_have_their_information() {
    let mut t = Tree::new();
    let global = QualTy::plain(FLOAT).in_space(AddressSpace::Global);
    let pointer = t.types.intern(TypeKind::Pointer(global));
    let s = t.record(&[(LONG, 0, None), (INT, 8, None)], 16, 8);
    let local = t.types.intern(TypeKind::Pointer(QualTy::plain(INT).in_space(AddressSpace::Local)));
    let (p, q) = (t.param("p", pointer), t.param("q", pointer));
    t.unit.vars[q.0 as usize].ty.quals.is_restrict = true;
    let (v, l) = (t.param("v", s), t.param("l", local));
    let deref = |t: &mut Tree, var: VarId| {
        let at = t.get(var);
        t.node(ExprKind::Deref(at), global, true)
    };
    let (to, from) = (deref(&mut t, p), deref(&mut t, q));
    let from = t.load(from);
    let product = t.binary(BinaryOp::Mul, from, from);
    let set = t.assign(to, product);
    let set = t.effect(set);
    let body = t.compound(vec![set]);
    t.function("k", VOID, &[p, q, v, l], body);
    t.unit.functions[0].is_kernel = true;
    t.unit.functions[0].kernel.reqd_work_group_size = Some([8, 1, 1]);
    let m = t.lower();
    let k = &m.kernels[0];
    assert_eq!((k.name.as_str(), k.attributes.as_str()), ("k", "reqd_work_group_size(8,1,1)"));
    use crate::metadata::ArgKind::*;
    let layout: Vec<_> = k.args.iter().map(|a| (a.kind, a.offset, a.size)).collect();
    assert_eq!(layout, [(GlobalPtr, 0, 8), (GlobalPtr, 8, 8), (Value, 16, 16), (LocalPtr, 0, 0)]);
    assert_eq!((k.args[0].type_name.as_str(), k.args[0].name.as_str()), ("float*", "p"));
    let f = m.functions.values().find(|f| f.kernel == Some(0)).unwrap();
    let ops = f.insts.values().filter_map(|i| match &i.op {
        Op::Load(access) => Some(access.readonly),
        _ => None,
    });
    assert!(ops.into_iter().all(|readonly| readonly));
    let multiply = f.insts.values().find(|i| matches!(i.op, Op::Bin(crate::ir::BinOp::Fmul))).unwrap();
    assert!(multiply.fast.contract && !multiply.fast.no_nan);
    // The copy that other kernels may call.
    assert!(m.find("__clang_ocl_kern_imp_k").is_some());
    let relaxed = t.lower_with(&Options { fast_relaxed_math: true, ..Options::default() });
    assert!(relaxed.functions.values().flat_map(|f| f.insts.values()).any(|i| i.fast.fast));
}

#[test]
fn truth_values_are_bytes_in_memory() {
    let mut t = Tree::new();
    let n = t.param("n", INT);
    let (x, zero) = (t.get(n), t.int(0));
    let init = t.test(CompareOp::Gt, x, zero);
    let (b, decl) = t.local("b", BOOL, Some(init));
    t.unit.vars[b.0 as usize].in_memory = true;
    let x = t.get(b);
    let x = t.cast(CastKind::Arith, x, INT);
    let ret = t.ret(x);
    let body = t.compound(vec![decl, ret]);
    t.function("f", INT, &[n], body);
    let m = t.lower();
    assert_eq!([5, 0, -5].map(|n| run_int(&m, "f", &[n])), [1, 0, 0]);
    let f = &m.functions[m.find("f").unwrap()];
    assert!(f.slots.values().all(|s| s.size == 1));
    assert!(f.insts.values().any(|i| matches!(i.op, Op::Load(_)) && f.ty(i.results[0]) == I8));
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let mut t = Tree::new();
    let n = t.param("n", INT);
    let mut sum = t.get(n);
    for _ in 0..50_000 {
        let x = t.get(n);
        sum = t.binary(BinaryOp::Add, sum, x);
    }
    let ret = t.ret(sum);
    let body = t.compound(vec![ret]);
    t.function("f", INT, &[n], body);
    assert_eq!(run_int(&t.lower(), "f", &[2]), 100_002);
    // Nesting is an error, not a crash.
    let mut deep = t.get(n);
    for _ in 0..50_000 {
        deep = t.rvalue(ExprKind::Neg(deep), INT);
    }
    let ret = t.ret(deep);
    t.unit.functions[0].body = Some(ret);
    let options = Options::default();
    let input = LoweringInput {
        session: &t.session,
        unit: &t.unit,
        types: &t.types,
        options: &options,
        language: &Language::new(&options, &FrontConfig::default()),
        extent: Extent::Part,
        in_memory: false,
    };
    assert!(lower(input).is_err());
}

#[test]
fn vectors_of_one_size_are_reinterpreted() {
    let mut t = Tree::new();
    let char8 = t.types.intern(TypeKind::Vector(Arith::Char, 8));
    let v = t.param("v", char8);
    let x = t.get(v);
    let x = t.cast(CastKind::Bits, x, LONG);
    let ret = t.ret(x);
    let body = t.compound(vec![ret]);
    t.function("f", LONG, &[v], body);
    let arg = known(Type::Vector(Scalar::I8, 8), 1);
    let m = t.lower();
    assert_eq!(run(&m, "f", &[arg]).unwrap(), known(I64, 0x0101_0101_0101_0101));
}

/// Kernels of the tests that are accepted; those that cannot be lowered are listed.
#[test]
fn kernels_of_the_tests_are_lowered() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/exec");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cl"));
    paths.sort();
    let names =
        ["fp64", "generic_address_space", "images", "int64", "program_scope_global_variables", "pipes"];
    let extensions =
        names.iter().map(|n| format!("__opencl_c_{n}")).chain(["cl_khr_fp16".into(), "cl_khr_fp64".into()]);
    let config = FrontConfig {
        extensions: extensions.collect(),
        image_support: true,
        opencl_version: 310,
        ..FrontConfig::default()
    };
    let options = Options { std: "CL3.0".into(), ..Options::default() };
    let (mut wrong, mut lowered) = (String::new(), 0);
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let checked = check(&CompileRequest::new(&source, &options, &config));
        if checked.has_errors() {
            continue;
        }
        let result = lower(LoweringInput {
            session: &checked.session,
            unit: &checked.unit,
            types: &checked.types,
            options: &options,
            language: &checked.language,
            extent: Extent::Part,
            in_memory: false,
        });
        match result {
            Ok(_) => lowered += 1,
            Err(e) => wrong += &format!("{}: {e}\n", path.display()),
        }
    }
    assert!(wrong.is_empty() && lowered > 60, "{lowered} lowered\n{wrong}");
}

/// The module of a source.
fn module_of(source: &str) -> Module {
    let (options, config) = (Options::default(), FrontConfig::default());
    let checked = check(&CompileRequest::new(source, &options, &config));
    assert!(!checked.has_errors(), "{}", checked.session.render());
    lower(LoweringInput {
        session: &checked.session,
        unit: &checked.unit,
        types: &checked.types,
        options: &options,
        language: &checked.language,
        extent: Extent::Part,
        in_memory: false,
    })
    .unwrap()
}

/// Variables whose alignment is larger than that of every type.
#[test]
fn variables_have_large_alignments() {
    let source = "
        typedef struct __attribute__((aligned(512))) { int x[3]; } wide;
        int f(int n) {
            char c[3]; int a[3] __attribute__((aligned(256))); int b[2] __attribute__((aligned(4096))); wide w;
            c[n & 1] = 1; a[n & 1] = n; b[1] = 7; w.x[n & 1] = 100;
            int wrong = (int)(((size_t)a & 255) + ((size_t)b & 4095) + ((size_t)&w & 511));
            return wrong * 1000 + c[n & 1] + a[n & 1] + b[1] + w.x[n & 1];
        }
        kernel void k(global int *out) {
            local int l[4] __attribute__((aligned(1024)));
            l[0] = 1;
            out[0] = (size_t)l & 1023;
        }";
    let module = module_of(source);
    assert_eq!(run_int(&module, "f", &[5]), 1 + 5 + 7 + 100);
    let local = module.globals.values().find(|g| g.name == "l").unwrap();
    assert_eq!((local.size, local.align), (16 + 1023, 1024));
}

/// A component of a vector in memory is read with its vector, so that memory has one element type.
#[test]
fn components_are_read_with_their_vector() {
    let source = "kernel void k(global float4 *p) { p[1].x = p[0].w + p[0].yx.x; }";
    let module = module_of(source);
    let func = module.functions.values().find(|f| f.name == "k").unwrap();
    let loads = func.data_in_order().filter(|data| matches!(data.op, Op::Load(_)));
    let types: Vec<Type> = loads.map(|data| func.ty(data.results[0])).collect();
    assert!(!types.is_empty() && types.iter().all(|ty| *ty == Type::Vector(Scalar::F32, 4)), "{types:?}");
}

/// A kernel from its source to values in memory.
#[test]
fn sources_run() {
    let source = "
        constant float weights[3] = {1.0f, 2.0f, 4.0f};
        struct pair { int a; float b; };
        float sum(const struct pair *p, int n) {
            float s = 0;
            for (int i = 0; i < n; ++i) s += p->b * weights[i];
            return s;
        }
        int f(int n) {
            struct pair p = {n, 1.5f};
            int4 v = (int4)(n, 2, 3, 4);
            v.yz += v.x;
            float total = sum(&p, 3);
            switch (n & 3) { case 0: total += 1; case 1: total += 2; break; default: total = -total; }
            return (int)total * 1000 + v.y * 10 + max(v.z, 7) + (n > 4 ? 100 : 0);
        }";
    let module = module_of(source);
    // 1.5 * 7 = 10.5
    assert_eq!(run_int(&module, "f", &[1]), 12000 + 30 + 7);
    assert_eq!(run_int(&module, "f", &[2]), -10000 + 40 + 7);
    assert_eq!(run_int(&module, "f", &[8]), 13000 + 100 + 11 + 100);
}
