//! Explicit conversions: casts, and reinterpretation of bits (OpenCL C, sections 6.4.2 to 6.4.4).

use super::Sema;
use super::class::Class;
use crate::front::c::ast::{CastKind, ExprId};
use crate::front::c::overload::spaces_overlap;
use crate::front::c::source::Loc;
use crate::front::c::types::{self, Arith, QualTy, Ty, TypeKind};

impl Sema<'_> {
    /// Casts an expression to a type; `open` is the parenthesis before the type.
    pub fn cast(&mut self, to: QualTy, e: ExprId, open: Loc) -> ExprId {
        let target = self.unqualified(to);
        let (_, last) = self.range(e);
        let result = self.cast_value(to, target, e, open);
        // The range belongs to the cast; a value that needs none keeps its own.
        if result != e {
            self.set_range(result, open, last);
        }
        result
    }

    fn cast_value(&mut self, to: QualTy, target: Ty, e: ExprId, open: Loc) -> ExprId {
        if self.class(target) == Class::Void {
            return self.discard(e);
        }
        let v = self.value(e);
        let (from, into) = (self.class_of(v), self.class(target));
        if from == Class::Error || into == Class::Error {
            return self.error_expr(open);
        }
        if into == Class::Arith(Arith::Half) && !self.language.has_fp16() {
            let shown = self.quoted(QualTy::plain(target));
            self.error_at(e, format!("casting to type {shown} is not allowed"));
            return self.error_expr(open);
        }
        if self.is_same(self.ty(v).ty, target) && (from.is_scalar() || from.element().is_some()) {
            return self.renamed(v, target);
        }
        match (from, into) {
            (Class::Arith(_), Class::Arith(_)) => self.cast_node(CastKind::Arith, v, target),
            (Class::Arith(_), Class::Vector(..)) => self.splat(v, target),
            (Class::Vector(..), Class::Vector(..) | Class::Arith(_))
            | (Class::Pointer(_), Class::Vector(..))
            | (Class::Record(_), Class::Vector(..)) => self.cast_vector(to, target, e, v, open),
            (Class::Pointer(_) | Class::Block(_), Class::Arith(Arith::Bool)) => {
                self.cast_node(CastKind::PointerToBool, v, target)
            }
            (Class::Pointer(_), Class::Arith(arith)) if arith.is_int() => {
                if arith.bytes() < 8 {
                    let (a, b) = (self.quoted(to), self.quoted_of(v));
                    self.warning(
                        "pointer-to-int-cast",
                        open,
                        format!("cast to smaller integer type {a} from {b}"),
                    );
                }
                let address = self.cast_node(CastKind::PointerToInt, v, types::ULONG);
                self.scalar_cast(address, target)
            }
            (Class::Arith(arith), Class::Pointer(_)) if arith.is_int() => {
                if arith.bytes() < 8 && self.constant_int(v).is_none() {
                    let (a, b) = (self.quoted(to), self.quoted_of(v));
                    let text = format!("cast to {a} from smaller integer type {b}");
                    self.warning("int-to-pointer-cast", open, text);
                }
                self.cast_to_pointer(v, target)
            }
            (Class::Pointer(a), Class::Pointer(b)) => self.cast_pointer(to, target, e, v, (a, b), open),
            (Class::Arith(_) | Class::Pointer(_), Class::Block(_) | Class::Opaque(_)) => {
                self.convert_opaque(to, target, e, v)
            }
            _ => {
                self.report_cast(to, e, v, open);
                self.error_expr(open)
            }
        }
    }

    /// A cast to the value's own type: only the name of the type changes. The value of a bit-field becomes
    /// one of the declared type, which promotes as any other.
    fn renamed(&mut self, v: ExprId, target: Ty) -> ExprId {
        let is_bit_field = self.bit_field_width(self.loaded(v)).is_some();
        if self.ty(v).ty == target && !is_bit_field {
            return v;
        }
        match self.class(target) {
            Class::Arith(_) => self.cast_node(CastKind::Arith, v, target),
            Class::Pointer(_) => self.cast_node(CastKind::Pointer, v, target),
            _ => self.cast_node(CastKind::Bits, v, target),
        }
    }

    /// Evaluates an expression for its effects.
    pub fn discard(&mut self, e: ExprId) -> ExprId {
        match self.class_of(e) {
            Class::Void => e,
            Class::Function => self.value(e),
            Class::Error => e,
            // Reading a whole object for nothing has no effect unless it is volatile.
            _ => {
                let v = self.value(e);
                self.cast_node(CastKind::Void, v, types::VOID)
            }
        }
    }

    /// Casts of vectors: to a scalar of the same size, whose bits are kept.
    fn cast_vector(&mut self, to: QualTy, target: Ty, e: ExprId, v: ExprId, open: Loc) -> ExprId {
        let (from, into) = (self.class_of(v), self.class(target));
        let same_size = self.size_of(self.ty(v).ty) == self.size_of(target);
        if let (Class::Vector(..), Class::Arith(arith)) = (from, into) {
            if arith.is_int() && same_size {
                return self.cast_node(CastKind::Bits, v, target);
            }
            let (a, b) = (self.quoted_of(v), self.quoted(QualTy::plain(target)));
            let text = if arith.is_int() {
                format!("invalid conversion between vector type {a} and integer type {b} of different size")
            } else {
                format!("invalid conversion between vector type {a} and scalar type {b}")
            };
            self.error(open, text);
        } else {
            let (a, b) = (self.quoted(to), self.quoted_of(v));
            self.error(open, format!("invalid conversion between ext-vector type {a} and {b}"));
        }
        self.underline_expr(e);
        self.error_expr(open)
    }

    /// An integer as a pointer.
    pub fn cast_to_pointer(&mut self, v: ExprId, target: Ty) -> ExprId {
        if self.is_null_constant(v) {
            return self.cast_node(CastKind::Null, v, target);
        }
        let is_signed = matches!(self.class_of(v), Class::Arith(arith) if arith.is_signed());
        let wide = self.scalar_cast(v, if is_signed { types::LONG } else { types::ULONG });
        self.cast_node(CastKind::IntToPointer, wide, target)
    }

    fn cast_pointer(
        &mut self,
        to: QualTy,
        target: Ty,
        e: ExprId,
        v: ExprId,
        (a, b): (QualTy, QualTy),
        open: Loc,
    ) -> ExprId {
        let (a, b) = (self.types.canonical(a).quals.space, self.types.canonical(b).quals.space);
        if !spaces_overlap(a, b) && !self.is_null_constant(v) {
            let (from, into) = (self.quoted_of(v), self.quoted(to));
            self.error(open, format!("casting {from} to type {into} changes address space of pointer"));
            self.underline_expr(e);
            return self.error_expr(open);
        }
        self.pointer_cast(v, target)
    }

    /// Casts to blocks and opaque types: what converts implicitly.
    fn convert_opaque(&mut self, to: QualTy, target: Ty, e: ExprId, v: ExprId) -> ExprId {
        if self.class_of(v) == Class::Error {
            return v;
        }
        let at = self.begin(e);
        self.convert(v, QualTy { ty: target, ..to }, super::convert::Context::Init(at))
    }

    fn report_cast(&mut self, to: QualTy, e: ExprId, v: ExprId, open: Loc) {
        let (from, into) = (self.quoted_of(v), self.quoted(to));
        match (self.class_of(v), self.class(to.ty)) {
            (Class::Pointer(_), Class::Arith(_)) => {
                self.error_at(e, format!("pointer cannot be cast to type {into}"));
            }
            (Class::Arith(_), Class::Pointer(_)) => {
                self.error_at(e, format!("operand of type {from} cannot be cast to a pointer type"));
            }
            (_, Class::Arith(_) | Class::Pointer(_) | Class::Vector(..)) => {
                self.error_at(
                    e,
                    format!("operand of type {from} where arithmetic or pointer type is required"),
                );
            }
            _ => {
                self.error(open, format!("used type {into} where arithmetic or pointer type is required"));
                self.underline_expr(e);
            }
        }
    }

    /// `as_type(e)`: the bits of a value in another type of the same size.
    pub fn reinterpret(&mut self, to: Ty, e: ExprId, loc: Loc) -> ExprId {
        let v = self.value(e);
        if self.is_error(v) {
            return v;
        }
        let is_plain = |class: Class| {
            matches!(class, Class::Arith(_) | Class::Vector(..) | Class::Pointer(_) | Class::Opaque(_))
        };
        let (from, into) = (self.class_of(v), self.class(to));
        let sizes = (self.size_of(self.ty(v).ty), self.size_of(to));
        if !is_plain(from) || !is_plain(into) || sizes.0 != sizes.1 {
            let (a, b) = (self.quoted(QualTy::plain(to)), self.quoted_of(e));
            self.error(loc, format!("invalid reinterpretation: sizes of {a} and {b} must match"));
            self.underline_expr(e);
            return self.error_expr(loc);
        }
        if self.is_same(self.ty(v).ty, to) {
            return v;
        }
        match (from, into) {
            (Class::Pointer(_), Class::Pointer(_)) => self.pointer_cast(v, to),
            (Class::Pointer(_), _) => {
                let bits = self.cast_node(CastKind::PointerToInt, v, types::ULONG);
                if self.is_same(to, types::ULONG) { bits } else { self.cast_node(CastKind::Bits, bits, to) }
            }
            (_, Class::Pointer(_)) => {
                let bits = if self.is_same(self.ty(v).ty, types::ULONG) {
                    v
                } else {
                    self.cast_node(CastKind::Bits, v, types::ULONG)
                };
                self.cast_node(CastKind::IntToPointer, bits, to)
            }
            _ => self.cast_node(CastKind::Bits, v, to),
        }
    }

    /// The type that the rest of a name such as `as_float4` stands for.
    pub fn named_data_type(&mut self, name: &str) -> Option<Ty> {
        let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let (element, lanes) = name.split_at(digits);
        let arith = Arith::ALL.into_iter().find(|a| a.name() == element && *a != Arith::Bool)?;
        if arith == Arith::Double && !self.language.has_fp64() {
            return None;
        }
        match lanes {
            "" => Some(types::scalar(arith)),
            "2" | "3" | "4" | "8" | "16" => {
                Some(self.types.intern(TypeKind::Vector(arith, lanes.parse().ok()?)))
            }
            _ => None,
        }
    }
}
