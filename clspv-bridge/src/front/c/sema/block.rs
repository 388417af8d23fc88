//! Block literals and the variables that they capture (OpenCL C, section 6.14).

use super::{Body, Sema};
use crate::front::c::ast::{BlockId, BlockLiteral, ExprId, ExprKind, StmtId, Storage, VarId};
use crate::front::c::source::Loc;
use crate::front::c::types::{self, QualTy, TypeKind};

impl Sema<'_> {
    /// Begins the body of a block; variables from `first_var` on belong to it.
    pub fn enter_block(&mut self, first_var: u32, result: Option<QualTy>) {
        self.bodies.push(Body { first_var, ..Body::new(result) });
    }

    /// Ends the body of a block.
    pub fn leave_block(&mut self, params: Vec<VarId>, body: StmtId, loc: Loc) -> ExprId {
        let Some(state) = self.bodies.pop() else {
            return self.error_expr(loc);
        };
        self.check_labels(&state);
        let result = state.result.unwrap_or(QualTy::plain(types::VOID));
        let function = self.function_type(result, &params, false, loc);
        let block = BlockLiteral {
            params,
            result,
            body,
            captures: state.captures,
            labels: state.labels.iter().map(|label| label.name).collect(),
            loc,
        };
        self.unit.blocks.push(block);
        let id = BlockId(self.unit.blocks.len() as u32 - 1);
        let ty = self.types.intern(TypeKind::Block(function.ty));
        self.new_value(ExprKind::Block(id), ty, loc)
    }

    /// The variable that a name means in the innermost body: a copy for automatic variables outside of it.
    pub(super) fn captured(&mut self, var: VarId) -> VarId {
        let is_automatic = self.var(var).is_some_and(|v| matches!(v.storage, Storage::Auto | Storage::Param));
        let Some(owner) = self.bodies.iter().rposition(|body| body.first_var <= var.0) else {
            return var;
        };
        if !is_automatic || self.unevaluated > 0 {
            return var;
        }
        (owner + 1..self.bodies.len()).fold(var, |outer, depth| self.capture(outer, depth))
    }

    /// Copy of a variable in the block at a depth of bodies.
    fn capture(&mut self, outer: VarId, depth: usize) -> VarId {
        let known = self.bodies.get(depth).and_then(|body| body.captures.iter().find(|(of, _)| *of == outer));
        if let Some((_, copy)) = known {
            return *copy;
        }
        let Some(variable) = self.var(outer).cloned() else {
            return outer;
        };
        let mut ty = variable.ty;
        ty.quals.is_const = true;
        let copy = self.new_var(variable.name, ty, Storage::Auto, variable.loc);
        if let Some(body) = self.bodies.get_mut(depth) {
            body.captures.push((outer, copy));
        }
        copy
    }
}
