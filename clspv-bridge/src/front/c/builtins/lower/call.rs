//! A call of a built-in function that is being lowered.

use super::super::super::ast::ExprId;
use super::super::super::lower::function::FunctionLowering;
use super::super::super::lower::types::{is_signed, pointee, value_type};
use super::super::super::types::Ty;
use crate::error::{CompileError, Result};
use crate::front::expand::EmitOps;
use crate::ir::{Builder, Function, Op, Type, Value};
use smallvec::SmallVec;

impl EmitOps for FunctionLowering<'_, '_> {
    fn func(&mut self) -> &mut Function {
        &mut self.f
    }
    fn builder(&mut self) -> Builder<'_> {
        FunctionLowering::builder(self)
    }
    fn emit(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        FunctionLowering::emit(self, op, args, ty)
    }
}

/// A call that is being lowered.
pub struct Call<'c, 'm, 'a> {
    pub cx: &'c mut FunctionLowering<'m, 'a>,
    pub name: &'static str,
    /// Arguments in the syntax tree.
    pub exprs: &'c [ExprId],
    /// Types of the arguments.
    pub types: SmallVec<[Ty; 4]>,
    pub args: SmallVec<[Value; 4]>,
    /// Type of the result.
    pub result: Ty,
}

impl Call<'_, '_, '_> {
    /// Argument `i`.
    pub fn arg(&self, i: usize) -> Result<Value> {
        self.args.get(i).copied().ok_or_else(|| self.malformed())
    }

    /// IR type of the result; `None` for functions without one.
    pub fn result_type(&self) -> Option<Type> {
        value_type(self.cx.types(), self.result)
    }

    /// IR type of the result of a function that has one.
    pub fn ty(&self) -> Result<Type> {
        self.result_type().ok_or_else(|| self.malformed())
    }

    /// Whether argument `i` is a signed number, or vector of such.
    pub fn is_signed(&self, i: usize) -> bool {
        self.types.get(i).is_some_and(|ty| is_signed(self.cx.types(), *ty))
    }

    /// Type that argument `i` points to.
    pub fn pointee(&self, i: usize) -> Result<Ty> {
        let ty = self.types.get(i).and_then(|ty| pointee(self.cx.types(), *ty));
        ty.map(|p| p.ty).ok_or_else(|| self.malformed())
    }

    /// Bits of argument `i`, if it is constant.
    pub fn constant(&self, i: usize) -> Option<u64> {
        self.args.get(i).and_then(|v| self.cx.f.as_bits(*v))
    }

    /// A broken invariant: the arguments are not those of the signature.
    pub fn malformed(&self) -> CompileError {
        CompileError::internal(format!("arguments of {}", self.name))
    }

    /// An `i1` (or a vector of it) as the result: `int` 0 or 1 for scalars, 0 or -1 in the lanes of a vector.
    pub fn truth(&mut self, value: Value) -> Result<Value> {
        use crate::ir::CastOp;
        let ty = self.ty()?;
        if ty.is_bool() {
            return Ok(value);
        }
        let op = if ty.lanes() > 1 { CastOp::Sext } else { CastOp::Zext };
        Ok(self.cx.emit(Op::Cast(op), &[value], ty))
    }
}
