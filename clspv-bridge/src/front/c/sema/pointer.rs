//! Pointers: indirection, addresses, arithmetic, and subscripts (OpenCL C, sections 6.3.11 and 6.7).

use super::Sema;
use super::arithmetic::Mismatch;
use super::class::Class;
use crate::front::c::ast::{BinaryOp, ExprId, ExprKind};
use crate::front::c::overload::spaces_overlap;
use crate::front::c::source::Loc;
use crate::front::c::types::{self, AddressSpace, QualTy, VOID};

impl Sema<'_> {
    /// Unary `*`.
    pub fn deref(&mut self, loc: Loc, e: ExprId) -> ExprId {
        if let Some(refused) = self.refuse_operand(loc, e) {
            return refused;
        }
        let v = self.value(e);
        let result = match self.class_of(v) {
            Class::Error => v,
            Class::Pointer(to) => {
                if self.class(to.ty) == Class::Void && self.unevaluated == 0 {
                    let ty = self.quoted_of(v);
                    let text = format!("ISO C does not allow indirection on operand of type {ty}");
                    self.warning("void-ptr-dereference", loc, text);
                }
                let is_lvalue = self.class(to.ty) != Class::Void;
                self.new_expr(ExprKind::Deref(v), to, is_lvalue, loc)
            }
            _ => {
                let ty = self.quoted_of(v);
                self.error(loc, format!("indirection requires pointer operand ({ty} invalid)"));
                self.underline_expr(e);
                self.error_expr(loc)
            }
        };
        self.set_range(result, loc, self.range(e).1);
        result
    }

    /// Unary `&`.
    pub fn address_of(&mut self, loc: Loc, e: ExprId) -> ExprId {
        let result = self.address_value(loc, e);
        self.set_range(result, loc, self.range(e).1);
        result
    }

    fn address_value(&mut self, loc: Loc, e: ExprId) -> ExprId {
        if self.is_error(e) {
            return e;
        }
        if let Some(refused) = self.refuse_operand(loc, e) {
            return refused;
        }
        let (ty, is_lvalue) = (self.ty(e), self.expr(e).is_lvalue);
        match self.expr(e).kind {
            // The address of an indirection is the pointer itself.
            ExprKind::Deref(pointer) => return pointer,
            ExprKind::Func(_) => return self.value(e),
            ExprKind::Swizzle { .. } | ExprKind::Lane { .. } => {
                self.error(loc, "address of vector element requested");
                self.underline_expr(e);
                return self.error_expr(loc);
            }
            _ if self.bit_field_width(e).is_some() => {
                self.error(loc, "address of bit-field requested");
                self.underline_expr(e);
                return self.error_expr(loc);
            }
            _ => {}
        }
        if !is_lvalue {
            let ty = self.quoted(ty);
            self.error(loc, format!("cannot take the address of an rvalue of type {ty}"));
            self.underline_expr(e);
            return self.error_expr(loc);
        }
        self.keep_in_memory(e);
        let pointer = self.pointer_to(ty);
        self.new_value(ExprKind::AddrOf(e), pointer, loc)
    }

    /// Marks the variable that an lvalue is a part of as one that needs memory.
    pub fn keep_in_memory(&mut self, e: ExprId) {
        let mut e = e;
        loop {
            e = match self.expr(e).kind {
                ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. }
                | ExprKind::Lane { base, .. } => base,
                ExprKind::Var(var) | ExprKind::CompoundLiteral(var) => {
                    if let Some(var) = self.var_mut(var) {
                        var.in_memory = true;
                    }
                    return;
                }
                _ => return,
            };
        }
    }

    /// An integer as the count of elements that pointer arithmetic takes.
    pub fn element_count(&mut self, v: ExprId) -> ExprId {
        let v = self.promote(v);
        let is_signed = matches!(self.class_of(v), Class::Arith(arith) if arith.is_signed());
        self.scalar_cast(v, if is_signed { types::LONG } else { types::ULONG })
    }

    /// `+` and `-` with pointers, given each operand and its value.
    pub fn pointer_arithmetic(
        &mut self,
        op: BinaryOp,
        loc: Loc,
        (x, vx): (ExprId, ExprId),
        (y, vy): (ExprId, ExprId),
    ) -> ExprId {
        let (cx, cy) = (self.class_of(vx), self.class_of(vy));
        if cx == Class::Error || cy == Class::Error {
            return self.error_expr(loc);
        }
        let (pointer, count, is_sub) = match (op, cx, cy) {
            (BinaryOp::Sub, Class::Pointer(a), Class::Pointer(b)) => {
                return self.difference(loc, vx, vy, a, b);
            }
            (BinaryOp::Add, Class::Pointer(_), Class::Arith(n)) if n.is_int() => (vx, vy, false),
            (BinaryOp::Add, Class::Arith(n), Class::Pointer(_)) if n.is_int() => (vy, vx, false),
            (BinaryOp::Sub, Class::Pointer(_), Class::Arith(n)) if n.is_int() => (vx, vy, true),
            _ => return self.report_clash(Mismatch::Operands, loc, x, y),
        };
        if !self.check_stride(loc, pointer) {
            return self.error_expr(loc);
        }
        let count = self.element_count(count);
        let ty = self.unqualified(self.ty(pointer));
        let kind =
            if is_sub { ExprKind::PointerSub(pointer, count) } else { ExprKind::PointerAdd(pointer, count) };
        self.new_value(kind, ty, loc)
    }

    /// Reports arithmetic on pointers whose elements have no size; `void` counts in bytes.
    pub fn check_stride(&mut self, loc: Loc, pointer: ExprId) -> bool {
        let Class::Pointer(to) = self.class_of(pointer) else {
            return true;
        };
        if to.ty == VOID || self.size_of(to.ty).is_some() || self.class(to.ty) == Class::Void {
            return true;
        }
        let ty = self.quoted(to);
        let text = match self.class(to.ty) {
            Class::Function => format!("arithmetic on a pointer to the function type {ty}"),
            Class::Error => return false,
            _ => format!("arithmetic on a pointer to an incomplete type {ty}"),
        };
        self.error(loc, text);
        self.underline_expr(pointer);
        false
    }

    fn difference(&mut self, loc: Loc, x: ExprId, y: ExprId, a: QualTy, b: QualTy) -> ExprId {
        let (ca, cb) = (self.types.canonical(a), self.types.canonical(b));
        if ca.ty != cb.ty || !spaces_overlap(ca.quals.space, cb.quals.space) {
            let (p, q) = (self.quoted_of(x), self.quoted_of(y));
            let text = if ca.ty == cb.ty {
                format!(
                    "arithmetic operation with operands of type  ({p} and {q}) which are pointers to \
                     non-overlapping address spaces"
                )
            } else {
                format!("{p} and {q} are not pointers to compatible types")
            };
            self.error(loc, text);
            self.underline_expr(x);
            self.underline_expr(y);
            return self.error_expr(loc);
        }
        if !self.check_stride(loc, x) {
            return self.error_expr(loc);
        }
        let (x, y) = self.same_space(x, y);
        self.new_value(ExprKind::PointerDiff(x, y), types::LONG, loc)
    }

    /// Converts pointers in overlapping address spaces to the wider of the two.
    pub fn same_space(&mut self, x: ExprId, y: ExprId) -> (ExprId, ExprId) {
        let (Class::Pointer(a), Class::Pointer(b)) = (self.class_of(x), self.class_of(y)) else {
            return (x, y);
        };
        let (a, b) = (self.types.canonical(a).quals.space, self.types.canonical(b).quals.space);
        match (a, b) {
            (AddressSpace::Generic, AddressSpace::Generic) => (x, y),
            (AddressSpace::Generic, _) => (x, self.generic_pointer(y)),
            (_, AddressSpace::Generic) => (self.generic_pointer(x), y),
            _ => (x, y),
        }
    }

    /// A pointer in the generic address space.
    pub fn generic_pointer(&mut self, v: ExprId) -> ExprId {
        let Class::Pointer(to) = self.class_of(v) else {
            return v;
        };
        let ty = self.pointer_to(to.in_space(AddressSpace::Generic));
        self.pointer_cast(v, ty)
    }

    /// `base[index]`, of pointers, arrays (in either order) and vectors.
    pub fn subscript(&mut self, base: ExprId, index: ExprId, open: Loc, close: Loc) -> ExprId {
        let loc = self.begin(base);
        let result = match self.class_of(base) {
            Class::Vector(..) => self.lane(base, index, open),
            _ => self.element(base, index, loc, open),
        };
        self.set_range(result, loc, close);
        result
    }

    fn element(&mut self, base: ExprId, index: ExprId, loc: Loc, open: Loc) -> ExprId {
        let (mut pointer, mut count) = (self.value(base), self.value(index));
        if self.is_error(pointer) || self.is_error(count) {
            return self.error_expr(loc);
        }
        if matches!(self.class_of(count), Class::Pointer(_)) && self.class_of(pointer).is_int() {
            (pointer, count) = (count, pointer);
        }
        let Class::Pointer(to) = self.class_of(pointer) else {
            self.error(open, "subscripted value is not an array, pointer, or vector");
            self.underline_expr(base);
            return self.error_expr(loc);
        };
        if !self.class_of(count).is_int() {
            self.error(open, "array subscript is not an integer");
            self.underline_expr(index);
            return self.error_expr(loc);
        }
        if self.size_of(to.ty).is_none() && self.class(to.ty) != Class::Void {
            let ty = self.quoted(to);
            self.error_at(base, format!("subscript of pointer to incomplete type {ty}"));
            return self.error_expr(loc);
        }
        let count = self.element_count(count);
        let ty = self.unqualified(self.ty(pointer));
        let address = self.new_value(ExprKind::PointerAdd(pointer, count), ty, loc);
        self.copy_range(address, base);
        let is_lvalue = self.class(to.ty) != Class::Void;
        self.new_expr(ExprKind::Deref(address), to, is_lvalue, loc)
    }
}
