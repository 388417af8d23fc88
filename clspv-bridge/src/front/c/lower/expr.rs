//! Expressions: values, and aggregates as places in memory.

use super::function::FunctionLowering;
use super::location::{LaneList, Location};
use super::module::malformed;
use super::object::ObjectRef;
use super::types::{is_aggregate, value_type};
use crate::error::{CompileError, Result};
use crate::front::c::ast::{
    CastKind, Expr, ExprId, ExprKind, ExprList, FuncId, InitList, StmtId, StmtKind, VarId,
};
use crate::front::c::builtins;
use crate::front::c::layout::layout;
use crate::front::c::types::{Ty, TypeKind};
use crate::ir::{BinOp, F64, I32, IntCc, Op, Scalar, Type, UnOp, Value};
use smallvec::SmallVec;

/// Deepest nesting of expressions and statements.
const MAX_DEPTH: u32 = 256;

impl<'a> FunctionLowering<'_, 'a> {
    /// The expression with this handle.
    pub fn expr(&self, id: ExprId) -> Result<&'a Expr> {
        let expr = self.m.input.unit.exprs.get(id.0 as usize);
        expr.ok_or_else(|| malformed("an expression that does not exist"))
    }

    /// Runs a step one level deeper.
    pub fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(CompileError::unsupported("expressions nested so deeply", self.line));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// The value of an expression; for an aggregate, the address of its contents.
    pub fn value(&mut self, id: ExprId) -> Result<Value> {
        self.any(id)?.ok_or_else(|| malformed("the value of a void expression"))
    }

    /// Evaluates an expression for its side effects.
    pub fn effects(&mut self, id: ExprId) -> Result<()> {
        self.any(id).map(drop)
    }

    /// The value of an expression, `None` for `void`.
    pub fn any(&mut self, id: ExprId) -> Result<Option<Value>> {
        self.nested(|this| {
            let expr = this.expr(id)?;
            if is_aggregate(this.types(), expr.ty.ty) {
                return Ok(Some(this.aggregate(id)?.addr));
            }
            let line = this.line;
            this.at(expr.loc);
            let value = this.value_of(id, expr);
            this.line = line;
            value
        })
    }

    fn value_of(&mut self, id: ExprId, expr: &'a Expr) -> Result<Option<Value>> {
        let ty = expr.ty.ty;
        Ok(Some(match &expr.kind {
            ExprKind::Int(bits) => {
                let ty = value_type(self.types(), ty).unwrap_or(I32);
                self.f.bits(ty, *bits)
            }
            ExprKind::Float(value) => self.float(*value, ty),
            ExprKind::Block(block) => self.block_literal(*block)?,
            ExprKind::Plus(x) => self.value(*x)?,
            ExprKind::Neg(x) => {
                let x = self.value(*x)?;
                self.negated(x)
            }
            ExprKind::BitNot(x) => {
                let x = self.value(*x)?;
                self.emit(Op::Un(UnOp::Not), &[x], self.f.ty(x))
            }
            ExprKind::Not(x) => self.not(*x, ty)?,
            ExprKind::AddrOf(x) => {
                let addr = self.address(*x)?;
                let to = value_type(self.types(), ty);
                to.map_or(addr, |to| self.reinterpret(addr, to))
            }
            ExprKind::Increment { target, is_prefix, by } => self.increment(*target, *is_prefix, *by)?,
            ExprKind::Binary(..) => self.binary_chain(id)?,
            ExprKind::Compare(op, x, y) => {
                let truth = self.compare(*op, *x, *y)?;
                self.from_truth(truth, ty)
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => {
                let truth = self.logical(id)?;
                self.from_truth(truth, ty)
            }
            ExprKind::VectorLogical { is_and, x, y } => self.vector_logical(*is_and, *x, *y, ty)?,
            ExprKind::PointerAdd(p, n) => self.pointer_sum(*p, *n, false)?,
            ExprKind::PointerSub(p, n) => self.pointer_sum(*p, *n, true)?,
            ExprKind::PointerDiff(x, y) => self.pointer_difference(*x, *y, ty)?,
            ExprKind::Cast(kind, operand) => return self.cast(expr, *kind, *operand),
            _ => return self.other_value(id, expr),
        }))
    }

    /// The value of an expression with effects, of a vector, or of a part of one. Separate from
    /// [`Self::value_of`], so that deep operators need less stack.
    fn other_value(&mut self, id: ExprId, expr: &'a Expr) -> Result<Option<Value>> {
        let ty = expr.ty.ty;
        Ok(Some(match &expr.kind {
            ExprKind::Assign { target, value } => self.assign(*target, *value)?,
            ExprKind::CompoundAssign { op, target, value, compute } => {
                self.compound_assign(*op, *target, *value, *compute)?
            }
            ExprKind::PointerAssign { target, count, is_sub } => {
                self.pointer_assign(*target, *count, *is_sub)?
            }
            ExprKind::Conditional(c, x, y) => return self.conditional(*c, *x, *y, ty),
            ExprKind::VectorSelect(c, x, y) => self.vector_select(*c, *x, *y)?,
            ExprKind::ConditionalOmitted { x, cond, then, otherwise } => {
                let x = self.value(*x)?;
                self.opaque.push(x);
                let result = self.conditional(*cond, *then, *otherwise, ty);
                self.opaque.pop();
                return result;
            }
            ExprKind::Opaque => {
                self.opaque.last().copied().ok_or_else(|| malformed("a value without its conditional"))?
            }
            ExprKind::Comma(x, y) => {
                self.effects(*x)?;
                return self.any(*y);
            }
            ExprKind::Swizzle { base, lanes, len } if !self.expr(*base)?.is_lvalue => {
                let lanes: LaneList = lanes.iter().copied().take(usize::from(*len)).collect();
                let vector = self.value(*base)?;
                self.swizzle(vector, &lanes)
            }
            ExprKind::Lane { base, index } if !self.expr(*base)?.is_lvalue => {
                let vector = self.value(*base)?;
                let index = self.lane_index(*index)?;
                self.extract(vector, index)
            }
            ExprKind::VectorLiteral(parts) => self.vector_literal(*parts, ty)?,
            ExprKind::Init(init) => self.scalar_initializer(self.init(init.0)?, ty)?,
            ExprKind::Call { function, args } => return self.call_function(*function, *args, None),
            ExprKind::CallBlock { block, args } => return self.call_block(*block, *args, None),
            ExprKind::Builtin { .. } => return self.builtin(expr),
            ExprKind::StmtExpr(body) => return self.statement_expression(*body),
            ExprKind::Func(_) => {
                let to = value_type(self.types(), ty).unwrap_or(I32);
                return Ok(self.unsupported("function pointer", &[], Some(to)));
            }
            ExprKind::Error => return Err(malformed("an erroneous expression")),
            // Lvalues.
            _ => {
                let location = self.location(id)?;
                // `*p;` reads nothing.
                if value_type(self.types(), ty).is_none() {
                    return Ok(None);
                }
                self.get(&location)
            }
        }))
    }

    /// A floating-point constant.
    fn float(&mut self, value: f64, ty: Ty) -> Value {
        let ty = value_type(self.types(), ty).unwrap_or(F64);
        let bits = match ty.scalar() {
            Some(Scalar::F16) => u64::from(half::f16::from_f64(value).to_bits()),
            Some(Scalar::F32) => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        self.f.bits(ty, bits)
    }

    /// `!` of a scalar or vector.
    fn not(&mut self, x: ExprId, ty: Ty) -> Result<Value> {
        let is_vector = value_type(self.types(), ty).is_some_and(|t| t.lanes() > 1);
        let truth = if is_vector {
            let x = self.value(x)?;
            self.is_not_zero(x)
        } else {
            self.truth(x)?
        };
        let truth = self.emit(Op::Un(UnOp::Not), &[truth], self.f.ty(truth));
        Ok(self.from_truth(truth, ty))
    }

    fn vector_logical(&mut self, is_and: bool, x: ExprId, y: ExprId, ty: Ty) -> Result<Value> {
        let (x, y) = (self.value(x)?, self.value(y)?);
        let (x, y) = (self.is_not_zero(x), self.is_not_zero(y));
        let op = if is_and { BinOp::And } else { BinOp::Or };
        let truth = self.emit(Op::Bin(op), &[x, y], self.f.ty(x));
        Ok(self.from_truth(truth, ty))
    }

    /// `c ? x : y` by the sign bits of `c`'s lanes.
    fn vector_select(&mut self, c: ExprId, x: ExprId, y: ExprId) -> Result<Value> {
        let c = self.value(c)?;
        let (x, y) = (self.value(x)?, self.value(y)?);
        let truth = Type::vector(Scalar::I1, self.f.ty(c).lanes());
        let c = match self.f.ty(c) {
            ty if ty.is_bool() => c,
            ty if ty.is_float() => {
                self.reinterpret(c, ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int)))
            }
            _ => c,
        };
        let zero = self.zero(self.f.ty(c));
        let c = self.emit(Op::Icmp(IntCc::Slt), &[c, zero], truth);
        Ok(self.emit(Op::Select, &[c, x, y], self.f.ty(x)))
    }

    /// `c ? x : y` of scalars, pointers or `void`.
    fn conditional(&mut self, c: ExprId, x: ExprId, y: ExprId, ty: Ty) -> Result<Option<Value>> {
        let result = value_type(self.types(), ty);
        if let Some(result) = result
            && self.is_cheap(x, 4)
            && self.is_cheap(y, 4)
        {
            let c = self.truth(c)?;
            let (x, y) = (self.value(x)?, self.value(y)?);
            return Ok(Some(if x == y { x } else { self.emit(Op::Select, &[c, x, y], result) }));
        }
        let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
        let param = result.map(|ty| self.f.add_param(end, ty));
        self.condition(c, yes, no)?;
        for (block, id) in [(yes, x), (no, y)] {
            if !self.has_edges(block) {
                self.seal(block);
                continue;
            }
            self.start_sealed(block);
            let value = self.any(id)?;
            let args: SmallVec<[Value; 1]> = param.and(value).into_iter().collect();
            if param.is_some() && args.is_empty() {
                return Err(malformed("a conditional without a value"));
            }
            self.jump(end, &args);
        }
        self.start_sealed(end);
        Ok(param)
    }

    /// Whether evaluating an expression of at most `limit` levels costs almost nothing and has no effects.
    fn is_cheap(&self, id: ExprId, limit: u32) -> bool {
        let Ok(expr) = self.expr(id) else { return false };
        let Some(limit) = limit.checked_sub(1) else { return false };
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Opaque => true,
            ExprKind::Plus(x) | ExprKind::Neg(x) | ExprKind::BitNot(x) => self.is_cheap(*x, limit),
            ExprKind::Cast(CastKind::Load, x) => match self.expr(*x).map(|e| &e.kind) {
                Ok(ExprKind::Var(var)) => self.m.var(*var).is_ok_and(|v| {
                    use crate::front::c::ast::Storage;
                    matches!(v.storage, Storage::Auto | Storage::Param)
                        && !v.in_memory
                        && !v.ty.quals.is_volatile
                        && !self.m.input.in_memory
                        && !matches!(value_type(self.types(), v.ty.ty), None | Some(Type::Opaque(_)))
                }),
                _ => false,
            },
            ExprKind::Cast(CastKind::Arith | CastKind::Vector | CastKind::Splat | CastKind::Null, x) => {
                self.is_cheap(*x, limit)
            }
            _ => false,
        }
    }

    /// Named lanes of a vector: one is a scalar.
    pub fn swizzle(&mut self, vector: Value, lanes: &[u8]) -> Value {
        let ty = self.f.ty(vector);
        let lanes: LaneList = lanes.iter().map(|l| (*l).min(ty.lanes().saturating_sub(1) as u8)).collect();
        match (lanes.as_slice(), ty.lanes()) {
            ([_], 1) => vector,
            ([lane], _) => self.emit(Op::Extract(*lane), &[vector], ty.lane()),
            (all, 1) => {
                let to = Type::vector(ty.scalar().unwrap_or(Scalar::I32), all.len() as u32);
                self.emit(Op::Splat, &[vector], to)
            }
            (all, n)
                if all.len() == n as usize && all.iter().enumerate().all(|(i, l)| i == usize::from(*l)) =>
            {
                vector
            }
            (all, _) => {
                let to = Type::vector(ty.scalar().unwrap_or(Scalar::I32), all.len() as u32);
                self.emit(Op::Shuffle(lanes.clone()), &[vector, vector], to)
            }
        }
    }

    /// The lane with a number that is computed.
    pub fn extract(&mut self, vector: Value, index: Value) -> Value {
        let ty = self.f.ty(vector);
        if ty.lanes() == 1 {
            return vector;
        }
        match self.f.as_bits(index) {
            Some(lane) if lane < u64::from(ty.lanes()) => {
                self.emit(Op::Extract(lane as u8), &[vector], ty.lane())
            }
            _ => self.emit(Op::ExtractDyn, &[vector, index], ty.lane()),
        }
    }

    fn vector_literal(&mut self, parts: ExprList, ty: Ty) -> Result<Value> {
        let Some(to) = value_type(self.types(), ty) else {
            return Err(malformed("a vector literal that is not a vector"));
        };
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        for part in self.m.input.unit.list(parts) {
            values.push(self.value(*part)?);
        }
        let total: u32 = values.iter().map(|v| self.f.ty(*v).lanes()).sum();
        if values.iter().any(|v| self.f.ty(*v).lane() != to.lane()) {
            return Err(malformed("lanes of another type"));
        }
        match values.as_slice() {
            [one] if self.f.ty(*one) == to => Ok(*one),
            [one] if total == 1 => Ok(self.emit(Op::Splat, &[*one], to)),
            _ if total != to.lanes() => Err(malformed("a vector literal of another length")),
            [x, y] if self.f.ty(*x).lanes() > 1 && self.f.ty(*y).lanes() > 1 => {
                Ok(self.emit(Op::Shuffle((0..total as u8).collect()), &[*x, *y], to))
            }
            all => {
                let mut lanes: SmallVec<[Value; 16]> = SmallVec::new();
                for value in all {
                    let ty = self.f.ty(*value);
                    match ty.lanes() {
                        1 => lanes.push(*value),
                        n => lanes
                            .extend((0..n as u8).map(|i| self.emit(Op::Extract(i), &[*value], ty.lane()))),
                    }
                }
                Ok(self.emit(Op::VecBuild, &lanes, to))
            }
        }
    }

    /// The initializer list with this handle.
    pub fn init(&self, id: u32) -> Result<&'a InitList> {
        let list = self.m.input.unit.inits.get(id as usize);
        list.ok_or_else(|| malformed("an initializer that does not exist"))
    }

    /// A scalar or vector in braces.
    fn scalar_initializer(&mut self, list: &InitList, ty: Ty) -> Result<Value> {
        let Some(to) = value_type(self.types(), ty) else {
            return Err(malformed("an aggregate as a scalar"));
        };
        if to.lanes() == 1 {
            return match list.items.first() {
                Some((_, item)) => self.value(*item),
                None => Ok(self.zero(to)),
            };
        }
        let mut vector = self.zero(to);
        for (index, item) in &list.items {
            let value = self.value(*item)?;
            match u8::try_from(*index) {
                Ok(lane) if u32::from(lane) < to.lanes() && self.f.ty(value) == to.lane() => {
                    vector = self.emit(Op::Insert(lane), &[vector, value], to);
                }
                _ => return Err(malformed("an initializer of a lane that does not exist")),
            }
        }
        Ok(vector)
    }

    /// Calls a function; an aggregate result is stored at `into`, or in a new slot whose address is returned.
    pub(super) fn call_function(
        &mut self,
        id: FuncId,
        args: ExprList,
        into: Option<Value>,
    ) -> Result<Option<Value>> {
        let func = self.m.function(id)?;
        let TypeKind::Function(ty) = self.types().resolved(self.m.decl(id)?.ty) else {
            return Err(malformed("a function whose type is not a function type"));
        };
        let result = ty.result.ty;
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        let address = match is_aggregate(self.types(), result) {
            true => Some(match into {
                Some(into) => into,
                None => self.slot_of(result)?.addr,
            }),
            false => None,
        };
        values.extend(address);
        self.arguments(args, &mut values)?;
        let params = &self.m.module.functions[func].sig.params;
        let fits =
            params.len() == values.len() && params.iter().zip(&values).all(|(p, v)| *p == self.f.ty(*v));
        if !fits {
            // Only calls of functions without a prototype.
            let result = value_type(self.types(), result);
            return Ok(self.unsupported("call with other arguments than the function's", &values, result));
        }
        Ok(address
            .or(self.call(func, &values))
            .filter(|_| address.is_some() || value_type(self.types(), result).is_some()))
    }

    /// Evaluates arguments: aggregates are passed as addresses in private memory.
    pub(super) fn arguments(&mut self, args: ExprList, values: &mut SmallVec<[Value; 8]>) -> Result<()> {
        for arg in self.m.input.unit.list(args) {
            let ty = self.expr(*arg)?.ty.ty;
            let value = if is_aggregate(self.types(), ty) {
                let object = self.aggregate(*arg)?;
                self.in_private(object, layout(self.types(), ty).size)?
            } else {
                self.value(*arg)?
            };
            values.push(value);
        }
        Ok(())
    }

    /// `({ ... })`
    fn statement_expression(&mut self, body: StmtId) -> Result<Option<Value>> {
        let StmtKind::Compound(list) = &self.stmt(body)?.kind else {
            self.statement(body)?;
            return Ok(None);
        };
        let Some((last, rest)) = list.split_last() else { return Ok(None) };
        for stmt in rest {
            self.statement(*stmt)?;
        }
        match &self.stmt(*last)?.kind {
            StmtKind::Expr(value) => self.any(*value),
            _ => {
                self.statement(*last)?;
                Ok(None)
            }
        }
    }

    /// Gives a variable its initial value, where its declaration is reached.
    pub fn initialize(&mut self, id: VarId) -> Result<()> {
        use super::function::Home;
        let var = self.m.var(id)?;
        self.at(var.loc);
        let home = self.home(id)?;
        let zeroed = self.m.input.options.initialize_private;
        match (home, var.init) {
            (Home::Values(variable), Some(init)) => {
                let value = self.value(init)?;
                self.write(variable, value);
            }
            (Home::Values(variable), None) => {
                if let Some(ty) = value_type(self.types(), var.ty.ty) {
                    let value = if zeroed { self.zero(ty) } else { self.f.undef(ty) };
                    self.write(variable, value);
                }
            }
            (Home::Memory(object), Some(init)) if is_aggregate(self.types(), var.ty.ty) => {
                if let ExprKind::Str(_) = self.expr(init)?.kind {
                    self.clear(object, layout(self.types(), var.ty.ty).size);
                    let location = Location::Memory(object, crate::ir::I8);
                    self.initialize_part(init, var.ty.ty, &location)?;
                } else {
                    self.aggregate_into(init, object, true)?;
                }
            }
            (Home::Memory(object), Some(init)) => {
                let value = self.value(init)?;
                self.store(object, value);
            }
            (Home::Memory(object), None) if zeroed => {
                let size = layout(self.types(), var.ty.ty).size;
                self.clear(object, size);
            }
            (Home::Memory(_), None) => {}
        }
        Ok(())
    }

    /// Where the contents of an aggregate value are.
    pub fn aggregate(&mut self, id: ExprId) -> Result<ObjectRef> {
        let expr = self.expr(id)?;
        let ty = expr.ty.ty;
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::Str(_)
            | ExprKind::CompoundLiteral(_) => self.object(id),
            ExprKind::Cast(_, inner) if is_aggregate(self.types(), self.expr(*inner)?.ty.ty) => {
                self.nested(|this| this.aggregate(*inner))
            }
            ExprKind::Comma(x, y) => {
                self.effects(*x)?;
                self.nested(|this| this.aggregate(*y))
            }
            ExprKind::Assign { target, value } => {
                let object = self.object(*target)?;
                self.nested(|this| this.aggregate_into(*value, object, false))?;
                Ok(object)
            }
            ExprKind::Call { .. }
            | ExprKind::CallBlock { .. }
            | ExprKind::Builtin { .. }
            | ExprKind::StmtExpr(_) => {
                let addr = match &expr.kind {
                    ExprKind::Call { function, args } => self.call_function(*function, *args, None)?,
                    ExprKind::CallBlock { block, args } => self.call_block(*block, *args, None)?,
                    ExprKind::StmtExpr(body) => self.statement_expression(*body)?,
                    ExprKind::Builtin { .. } => self.builtin(expr)?,
                    _ => None,
                };
                let addr = addr.ok_or_else(|| malformed("an aggregate without a value"))?;
                Ok(ObjectRef::new(addr, layout(self.types(), ty).align))
            }
            _ => {
                let object = self.slot_of(ty)?;
                self.nested(|this| this.aggregate_into(id, object, true))?;
                Ok(object)
            }
        }
    }

    /// Stores an aggregate value. `is_fresh`: nothing else refers to the target yet.
    pub fn aggregate_into(&mut self, id: ExprId, to: ObjectRef, is_fresh: bool) -> Result<()> {
        self.nested(|this| this.aggregate_into_of(id, to, is_fresh))
    }

    fn aggregate_into_of(&mut self, id: ExprId, to: ObjectRef, is_fresh: bool) -> Result<()> {
        let expr = self.expr(id)?;
        let size = layout(self.types(), expr.ty.ty).size;
        let is_private = self.f.ty(to.addr).space() == Some(crate::ir::Space::Private);
        match &expr.kind {
            ExprKind::Init(init) => {
                let list = self.init(init.0)?;
                if is_fresh {
                    return self.initializer(id, list, expr.ty.ty, to);
                }
                // The initializer may read the target.
                let temporary = self.slot_of(expr.ty.ty)?;
                self.initializer(id, list, expr.ty.ty, temporary)?;
                self.copy(to, temporary, size);
            }
            ExprKind::Call { function, args } if is_fresh && is_private => {
                self.call_function(*function, *args, Some(to.addr))?;
            }
            ExprKind::Conditional(c, x, y) => {
                let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
                self.condition(*c, yes, no)?;
                for (block, id) in [(yes, *x), (no, *y)] {
                    self.start_sealed(block);
                    self.aggregate_into(id, to, is_fresh)?;
                    self.jump(end, &[]);
                }
                self.start_sealed(end);
            }
            ExprKind::Cast(CastKind::Load, inner) => {
                let from = self.object(*inner)?;
                self.copy(to, from, size);
            }
            ExprKind::Error => return Err(malformed("an erroneous expression")),
            ExprKind::ConditionalOmitted { .. } | ExprKind::Opaque => {
                return Err(malformed("an aggregate in a conditional without a middle operand"));
            }
            _ => {
                let from = self.aggregate(id)?;
                self.copy(to, from, size);
            }
        }
        Ok(())
    }

    /// Stores what an initializer list states; the rest is zero.
    fn initializer(&mut self, id: ExprId, list: &InitList, ty: Ty, to: ObjectRef) -> Result<()> {
        let size = layout(self.types(), ty).size;
        if self.constant_initializer(id, ty, to, size)? {
            return Ok(());
        }
        if !self.covers(list, ty) {
            self.clear(to, size);
        }
        self.initialize_parts(list, ty, to)
    }

    /// Whether a list states every member or element, so that nothing needs to be cleared.
    fn covers(&self, list: &InitList, ty: Ty) -> bool {
        let types = self.types();
        let nested = |id: ExprId| match self.expr(id).map(|e| (&e.kind, e.ty.ty)) {
            Ok((ExprKind::Init(init), ty)) => self.init(init.0).is_ok_and(|list| self.covers(list, ty)),
            Ok((ExprKind::Str(_), _)) => false,
            result => result.is_ok(),
        };
        let count = match types.resolved(ty) {
            TypeKind::Array(_, count) => count.unwrap_or(0),
            TypeKind::Record(id) => match types.records.get(id.0 as usize) {
                Some(record) if record.is_union || record.fields.iter().any(|f| f.bits.is_some()) => {
                    return false;
                }
                record => record.map_or(0, |r| r.fields.len() as u64),
            },
            _ => return true,
        };
        list.items.len() as u64 == count && list.items.iter().all(|(_, item)| nested(*item))
    }

    fn initialize_parts(&mut self, list: &InitList, ty: Ty, to: ObjectRef) -> Result<()> {
        let types = self.types();
        for (index, item) in &list.items {
            let (location, part) = match types.resolved(ty) {
                TypeKind::Array(of, _) => {
                    let of = of.ty;
                    let at = self.part(to, index.saturating_mul(layout(types, of).size));
                    (Location::Memory(at, value_type(types, of).unwrap_or(crate::ir::I8)), of)
                }
                TypeKind::Record(id) => {
                    let record = types.records.get(id.0 as usize);
                    let record = record.ok_or_else(|| malformed("a record that does not exist"))?;
                    let field = u32::try_from(*index).unwrap_or(u32::MAX);
                    let of = record.fields.get(field as usize).map_or(ty, |f| f.ty.ty);
                    (self.field(to, record, field)?, of)
                }
                _ => return Err(malformed("an initializer list of a scalar")),
            };
            self.initialize_part(*item, part, &location)?;
        }
        Ok(())
    }

    fn initialize_part(&mut self, item: ExprId, ty: Ty, location: &Location) -> Result<()> {
        if !is_aggregate(self.types(), ty) {
            let value = self.value(item)?;
            self.set(location, value);
            return Ok(());
        }
        let Location::Memory(object, _) = location else {
            return Err(malformed("an aggregate that is not in memory"));
        };
        let object = *object;
        match &self.expr(item)?.kind {
            ExprKind::Init(init) => {
                let list = self.init(init.0)?;
                self.nested(|this| this.initialize_parts(list, ty, object))
            }
            // A string may be longer than the array, or shorter.
            ExprKind::Str(string) => {
                let bytes = self.m.input.unit.strings.get(string.0 as usize).map_or(0, |s| s.len() as u64);
                let from = self.object(item)?;
                let size = layout(self.types(), ty).size;
                self.copy(object, from, size.min(bytes));
                Ok(())
            }
            _ => self.aggregate_into(item, object, true),
        }
    }

    /// A call of a built-in function.
    fn builtin(&mut self, expr: &Expr) -> Result<Option<Value>> {
        let ExprKind::Builtin { builtin, args } = &expr.kind else {
            return Err(malformed("a call of a built-in function"));
        };
        let args = self.m.input.unit.list(*args);
        builtins::lower::call(self, *builtin, args, expr.ty.ty)
    }
}
