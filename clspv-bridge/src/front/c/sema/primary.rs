//! Primary expressions: literals, `sizeof` and its like, statement expressions.

use super::Sema;
use super::class::Class;
use super::literal::{self, LiteralRules, Number, Problems};
use crate::front::c::ast::{ExprId, ExprKind, StmtId, StmtKind, StrId};
use crate::front::c::source::{Loc, Pos};
use crate::front::c::symbol::Symbol;
use crate::front::c::token::Token;
use crate::front::c::types::{self, AddressSpace, QualTy, RecordId, Ty, TypeKind};

/// Constant that an operator yields for a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    Size,
    Align,
    VecStep,
}

impl Sema<'_> {
    /// Reports remarks about a literal, and returns whether one is an error.
    fn report_literal(&mut self, at: Loc, problems: Problems) -> bool {
        let mut is_error = false;
        for problem in problems {
            let loc = Loc { pos: Pos(at.pos.0.saturating_add(problem.offset)), ..at };
            match problem.group {
                Some(group) => self.warning(group, loc, problem.message),
                None => {
                    is_error = true;
                    self.error(loc, problem.message);
                }
            }
        }
        is_error
    }

    /// A numeric constant.
    pub fn number(&mut self, token: Token) -> ExprId {
        let rules = LiteralRules {
            has_double: self.language.has_fp64(),
            is_single_precision: self.language.single_precision_constant,
            has_half: self.language.has_fp16(),
        };
        let mut problems = Problems::new();
        let number = literal::number(self.text(token.symbol), rules, &mut problems);
        if self.report_literal(token.loc, problems) {
            return self.error_expr(token.loc);
        }
        match number {
            Number::Int { value, arith } => self.new_int(value, types::scalar(arith), token.loc),
            Number::Float { value, arith } => {
                self.new_value(ExprKind::Float(value), types::scalar(arith), token.loc)
            }
        }
    }

    /// A character constant.
    pub fn character(&mut self, token: Token) -> ExprId {
        let mut problems = Problems::new();
        let value = literal::character(self.text(token.symbol), &mut problems);
        if self.report_literal(token.loc, problems) {
            return self.error_expr(token.loc);
        }
        self.new_int(value as u64, types::INT, token.loc)
    }

    /// Adjacent string literals.
    pub fn string(&mut self, tokens: &[Token]) -> ExprId {
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return self.error_expr(Loc::default());
        };
        let mut bytes = Vec::new();
        let mut is_error = false;
        for token in tokens {
            let mut problems = Problems::new();
            literal::string(self.text(token.symbol), &mut bytes, &mut problems);
            is_error |= self.report_literal(token.loc, problems);
        }
        if is_error {
            return self.error_expr(first.loc);
        }
        let literal = self.string_object(bytes, first.loc);
        self.set_range(literal, first.loc, last.loc);
        literal
    }

    /// `__func__`
    pub fn function_name(&mut self, loc: Loc) -> ExprId {
        let function = self.bodies.iter().rev().find_map(|body| body.function);
        let name = function.and_then(|f| self.function(f)).map(|f| self.text(f.name)).unwrap_or_default();
        let bytes = name.as_bytes().to_vec();
        self.string_object(bytes, loc)
    }

    /// An array of characters in constant memory, with a terminator.
    fn string_object(&mut self, mut bytes: Vec<u8>, loc: Loc) -> ExprId {
        bytes.push(0);
        let space = AddressSpace::Constant;
        let element = QualTy::plain(types::CHAR).in_space(space);
        let ty = self.types.intern(TypeKind::Array(element, Some(bytes.len() as u64)));
        self.unit.strings.push(bytes.into_boxed_slice());
        let id = StrId(self.unit.strings.len() as u32 - 1);
        self.new_expr(ExprKind::Str(id), QualTy::plain(ty).in_space(space), true, loc)
    }

    /// `sizeof`, `_Alignof` or `vec_step` of a type, or of an expression of the type.
    pub fn type_query(&mut self, query: Query, ty: QualTy, operand: Option<ExprId>, loc: Loc) -> ExprId {
        if self.class(ty.ty) == Class::Error {
            return self.error_expr(loc);
        }
        let word = match query {
            Query::Size => "sizeof",
            Query::Align => "_Alignof",
            Query::VecStep => return self.vec_step(ty, loc),
        };
        if let Some(e) = operand
            && self.bit_field_width(e).is_some()
        {
            self.error_at(e, format!("invalid application of '{word}' to bit-field"));
            return self.error_expr(loc);
        }
        let value = match query {
            Query::Size => self.size_of(ty.ty),
            _ => self.align_of(ty.ty).map(u64::from),
        };
        if let Some(value) = value {
            return self.new_int(value, types::ULONG, loc);
        }
        let shown = self.quoted(ty.in_space(AddressSpace::Default));
        let text = match self.class(ty.ty) {
            Class::Void => format!("invalid application of '{word}' to a void type"),
            Class::Function => format!("invalid application of '{word}' to a function type"),
            _ => format!("invalid application of '{word}' to an incomplete type {shown}"),
        };
        self.error(loc, text);
        self.error_expr(loc)
    }

    /// `vec_step`: the number of lanes, 4 for vectors of three, 1 for everything else.
    fn vec_step(&mut self, ty: QualTy, loc: Loc) -> ExprId {
        let lanes = match self.class(ty.ty) {
            Class::Vector(_, 3) => 4,
            Class::Vector(_, lanes) => u64::from(lanes),
            Class::Arith(_) | Class::Void => 1,
            _ => {
                let shown = self.quoted(ty);
                let text = format!("'vec_step' requires built-in scalar or vector type, {shown} invalid");
                self.error(loc, text);
                return self.error_expr(loc);
            }
        };
        self.new_int(lanes, types::INT, loc)
    }

    /// `({ ... })`: its value is that of the last statement.
    pub fn statement_expression(&mut self, body: StmtId, loc: Loc) -> ExprId {
        let statement = |sema: &Self, id: StmtId| sema.unit.stmts.get(id.0 as usize).map(|s| s.kind.clone());
        let mut last = body;
        // Labels and blocks before the value are part of the last statement.
        let mut ty: Ty = types::VOID;
        if let Some(StmtKind::Compound(list)) = statement(self, body)
            && let Some(id) = list.last()
        {
            last = *id;
        }
        if let Some(StmtKind::Expr(e)) = statement(self, last) {
            let v = self.value_or_void(e);
            if let Some(statement) = self.unit.stmts.get_mut(last.0 as usize) {
                statement.kind = StmtKind::Expr(v);
            }
            ty = self.unqualified(self.ty(v));
        }
        self.new_value(ExprKind::StmtExpr(body), ty, loc)
    }

    /// Result of a function type; other types are results themselves.
    pub fn result_of(&self, ty: QualTy) -> QualTy {
        match self.types.resolved(ty.ty) {
            TypeKind::Function(function) => function.result,
            _ => ty,
        }
    }

    /// Offset and type of a field, also of one in an unnamed member.
    pub fn field_offset(&self, id: RecordId, name: Symbol) -> Option<(u64, QualTy)> {
        let mut record = id;
        let mut offset = 0u64;
        let mut ty = None;
        for index in self.field_path(id, name, 32)? {
            let field = self.types.records.get(record.0 as usize)?.fields.get(index as usize)?;
            offset = offset.wrapping_add(field.offset);
            ty = Some(field.ty);
            if let Class::Record(inner) = self.class(field.ty.ty) {
                record = inner;
            }
        }
        Some((offset, ty?))
    }
}
