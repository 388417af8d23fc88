//! Member access: fields of records, also those of unnamed members, and components of vectors.

use super::Sema;
use super::class::{Class, merge};
use crate::front::c::ast::{ExprId, ExprKind};
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::types::{QualTy, RecordId};

/// Nesting of unnamed members that is searched.
const DEPTH: u32 = 32;

impl Sema<'_> {
    /// `base.name` and `base->name`; `operator` is the location of the operator, `at` that of the name.
    pub fn member(&mut self, base: ExprId, name: Symbol, is_arrow: bool, operator: Loc, at: Loc) -> ExprId {
        let result = self.member_node(base, name, is_arrow, operator, at);
        self.set_range(result, self.begin(base), at);
        result
    }

    fn member_node(&mut self, base: ExprId, name: Symbol, is_arrow: bool, operator: Loc, at: Loc) -> ExprId {
        if self.is_error(base) {
            return base;
        }
        let mut object = base;
        if is_arrow {
            let pointer = self.value(base);
            match self.class_of(pointer) {
                Class::Error => return pointer,
                Class::Pointer(to) => {
                    object = self.new_expr(ExprKind::Deref(pointer), to, true, operator);
                    self.copy_range(object, base);
                }
                Class::Record(_) | Class::Vector(..) => {
                    let ty = self.quoted(QualTy::plain(self.unqualified(self.ty(base))));
                    let text =
                        format!("member reference type {ty} is not a pointer; did you mean to use '.'?");
                    self.error(operator, text);
                    self.suggest(".");
                    self.underline_expr(base);
                }
                _ => return self.report_base(object, operator, at),
            }
        } else if let Class::Pointer(to) = self.class_of(base)
            && matches!(self.class(to.ty), Class::Record(_))
        {
            let ty = self.quoted_of(base);
            let text = format!("member reference type {ty} is a pointer; did you mean to use '->'?");
            self.error(operator, text);
            self.suggest("->");
            self.underline_expr(base);
            return self.error_expr(at);
        }
        match self.class_of(object) {
            Class::Vector(..) => self.swizzle(object, name, operator, at),
            Class::Record(id) => self.field(object, id, name, operator, at),
            Class::Error => object,
            _ => self.report_base(object, operator, at),
        }
    }

    fn report_base(&mut self, base: ExprId, operator: Loc, at: Loc) -> ExprId {
        let ty = self.quoted_of(base);
        self.error(operator, format!("member reference base type {ty} is not a structure or union"));
        self.underline_expr(base);
        self.underline(at, at);
        self.error_expr(at)
    }

    fn field(&mut self, object: ExprId, id: RecordId, name: Symbol, operator: Loc, at: Loc) -> ExprId {
        let is_complete = self.types.records.get(id.0 as usize).is_some_and(|r| r.is_complete);
        let shown = self.quoted(QualTy::plain(self.unqualified(self.ty(object))));
        if !is_complete {
            self.error(operator, format!("incomplete definition of type {shown}"));
            self.underline_expr(object);
            return self.error_expr(at);
        }
        let Some(path) = self.field_path(id, name, DEPTH) else {
            let text = self.text(name).to_owned();
            let plain = shown.split(" (aka").next().unwrap_or(&shown).to_owned();
            match self.similar_field(id, &text) {
                Some(similar) => {
                    let text = format!("no member named '{text}' in {plain}; did you mean '{similar}'?");
                    self.error(at, text);
                    self.suggest(similar.as_str());
                }
                None => self.error(at, format!("no member named '{text}' in {plain}")),
            }
            self.underline_expr(object);
            return self.error_expr(at);
        };
        path.into_iter().fold(object, |base, field| self.field_node(base, field, at))
    }

    /// Indices of the fields that lead to a name through unnamed members.
    pub fn field_path(&self, id: RecordId, name: Symbol, depth: u32) -> Option<Vec<u32>> {
        let depth = depth.checked_sub(1)?;
        let record = self.types.records.get(id.0 as usize)?;
        if let Some(index) = record.fields.iter().position(|f| f.name == Some(name)) {
            return Some(vec![index as u32]);
        }
        record.fields.iter().enumerate().filter(|(_, f)| f.name.is_none()).find_map(|(index, field)| {
            let Class::Record(inner) = self.class(field.ty.ty) else {
                return None;
            };
            let mut path = self.field_path(inner, name, depth)?;
            path.insert(0, index as u32);
            Some(path)
        })
    }

    /// A field's name that differs little from a wrong one.
    fn similar_field(&self, id: RecordId, name: &str) -> Option<String> {
        let record = self.types.records.get(id.0 as usize)?;
        let names = record.fields.iter().filter_map(|f| f.name).map(|n| self.text(n));
        super::call::most_similar(name, names).map(str::to_owned)
    }

    /// Adds the access to a field: its qualifiers and those of the object.
    pub fn field_node(&mut self, base: ExprId, field: u32, loc: Loc) -> ExprId {
        let Class::Record(id) = self.class_of(base) else {
            return self.error_expr(loc);
        };
        let record = self.types.records.get(id.0 as usize);
        let Some(ty) = record.and_then(|r| r.fields.get(field as usize)).map(|f| f.ty) else {
            return self.error_expr(loc);
        };
        let is_lvalue = self.expr(base).is_lvalue;
        let outer = self.types.canonical(self.ty(base)).quals;
        let quals = if is_lvalue { merge(ty.quals, outer) } else { ty.quals };
        // A field has no address space of its own.
        let quals =
            if is_lvalue { crate::front::c::types::Quals { space: outer.space, ..quals } } else { quals };
        let result =
            self.new_expr(ExprKind::Member { base, field }, QualTy { ty: ty.ty, quals }, is_lvalue, loc);
        self.copy_range(result, base);
        result
    }
}
