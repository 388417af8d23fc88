//! Conversions: of lvalues to values, implicit ones with their diagnostics, and explicit casts (OpenCL C,
//! section 6.4; C99, section 6.3).

use super::Sema;
use super::class::Class;
use super::constant::Constant;
use super::spelling::Spelling;
use crate::front::c::ast::{CastKind, ExprId, ExprKind, Storage, VarId};
use crate::front::c::builtins::ArgType;
use crate::front::c::overload::{has_qualifiers, is_space_subset};
use crate::front::c::source::Loc;
use crate::front::c::types::{self, AddressSpace, Arith, OpaqueType, QualTy, Ty, VOID};

/// Construct that converts a value implicitly, for diagnostics.
#[derive(Clone, Copy, Debug)]
pub enum Context {
    /// Assignment, at its operator.
    Assign(Loc),
    /// Initialization, at the variable or the element's initializer.
    Init(Loc),
    /// Argument of a call, with the parameter if it is declared in the program.
    Argument(Option<VarId>),
    Return,
}

/// Fault of an implicit conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mismatch {
    Incompatible,
    IntToPointer,
    PointerToInt,
    Pointers,
    Sign,
    Qualifiers,
    Space,
    NestedSpace,
}

impl Sema<'_> {
    /// A type in quotes, for diagnostics.
    pub fn quoted(&self, ty: QualTy) -> String {
        Spelling { types: self.types, symbols: &self.session.symbols }.quoted(ty)
    }

    /// A type as written, without quotes.
    pub fn spelled(&self, ty: QualTy) -> String {
        Spelling { types: self.types, symbols: &self.session.symbols }.plain(ty)
    }

    /// Type of an expression in quotes.
    pub fn quoted_of(&self, e: ExprId) -> String {
        self.quoted(self.ty(e))
    }

    /// Adds a conversion of an expression.
    pub fn cast_node(&mut self, kind: CastKind, e: ExprId, ty: Ty) -> ExprId {
        let loc = self.expr(e).loc;
        let node = self.new_value(ExprKind::Cast(kind, e), ty, loc);
        self.copy_range(node, e);
        node
    }

    /// Value of an expression: lvalues are loaded, arrays become pointers to their first element.
    pub fn value(&mut self, e: ExprId) -> ExprId {
        let (ty, is_lvalue, loc) = {
            let expr = self.expr(e);
            (expr.ty, expr.is_lvalue, expr.loc)
        };
        match self.class(ty.ty) {
            Class::Array(of) => {
                let object = self.materialize(e);
                let quals = super::class::merge(self.shallow(self.ty(object)).quals, of.quals);
                let pointer = self.pointer_to(QualTy { ty: of.ty, quals });
                self.cast_node(CastKind::Decay, object, pointer)
            }
            Class::Function => {
                self.error_at(e, "taking address of function is not allowed");
                self.error_expr(loc)
            }
            Class::Atomic(_) if is_lvalue && self.unevaluated == 0 => {
                self.refuse_atomic(e, self.begin(e));
                self.error_expr(loc)
            }
            Class::Atomic(of) if is_lvalue => self.cast_node(CastKind::Load, e, of),
            Class::Error => e,
            _ if is_lvalue => {
                self.check_half_load(e);
                let plain = self.unqualified(ty);
                self.cast_node(CastKind::Load, e, plain)
            }
            _ => e,
        }
    }

    /// Gives a value of an array or record type the storage of a variable; lvalues have one.
    fn materialize(&mut self, e: ExprId) -> ExprId {
        if self.expr(e).is_lvalue {
            return e;
        }
        if let ExprKind::Member { base, field } = self.expr(e).kind {
            let base = self.materialize(base);
            return self.field_node(base, field, self.expr(e).loc);
        }
        let (ty, loc) = (self.ty(e).in_space(AddressSpace::Private), self.expr(e).loc);
        let var = self.new_var(None, ty, Storage::Auto, loc);
        if let Some(var) = self.var_mut(var) {
            var.init = Some(e);
            var.in_memory = true;
        }
        let node = self.new_expr(ExprKind::CompoundLiteral(var), ty, true, loc);
        self.copy_range(node, e);
        node
    }

    /// Whether an expression is a null pointer constant.
    pub fn is_null_constant(&self, e: ExprId) -> bool {
        match &self.expr(e).kind {
            ExprKind::Cast(CastKind::Null, _) => {
                matches!(self.class_of(e), Class::Pointer(to) if to.ty == VOID)
            }
            _ => self.class_of(e).is_int() && self.is_zero(e, 0),
        }
    }

    /// Whether an integer expression is a constant of value zero.
    fn is_zero(&self, e: ExprId, depth: u32) -> bool {
        match &self.expr(e).kind {
            ExprKind::Int(bits) => *bits == 0,
            ExprKind::Cast(CastKind::Arith, of) if depth < 8 && self.class_of(*of).is_int() => {
                self.is_zero(*of, depth + 1)
            }
            _ => false,
        }
    }

    /// An argument for overload resolution.
    pub fn arg_type(&self, value: ExprId) -> ArgType {
        ArgType {
            ty: self.ty(value),
            is_zero: self.is_null_constant(value),
            is_constant: self.class_of(value).is_int() && self.constant_int(value).is_some(),
        }
    }

    /// Converts implicitly to a type, with a diagnostic if that is wrong.
    pub fn convert(&mut self, e: ExprId, to: QualTy, context: Context) -> ExprId {
        let v = self.value(e);
        let (from, target) = (self.class_of(v), self.class(to.ty));
        if from == Class::Error {
            return v;
        }
        if target == Class::Error {
            return self.error_expr(self.expr(e).loc);
        }
        let target = match target {
            Class::Atomic(of) => of,
            _ => self.unqualified(to),
        };
        let (converted, mismatch) = self.implicit(v, target);
        if let Some(mismatch) = mismatch {
            let is_error = self.report_mismatch(mismatch, e, to, context);
            if is_error {
                return self.error_expr(self.expr(e).loc);
            }
        } else if let (Class::Arith(a), Some(b)) = (from, self.class(target).element()) {
            self.check_constant(e, v, a, b, to);
        }
        converted
    }

    /// Converts a value to a type as far as the language allows; the fault if it does not quite.
    fn implicit(&mut self, v: ExprId, to: Ty) -> (ExprId, Option<Mismatch>) {
        if self.is_same(self.ty(v).ty, to) {
            return (v, None);
        }
        let wrong = |v| (v, Some(Mismatch::Incompatible));
        match (self.class_of(v), self.class(to)) {
            (Class::Arith(_), Class::Arith(_)) => (self.cast_node(CastKind::Arith, v, to), None),
            (Class::Arith(_), Class::Vector(..)) => (self.splat(v, to), None),
            (Class::Arith(_), Class::Pointer(_) | Class::Block(_)) if self.is_null_constant(v) => {
                (self.cast_node(CastKind::Null, v, to), None)
            }
            (Class::Arith(arith), Class::Pointer(_)) if arith.is_int() => {
                (self.int_to_pointer(v, to), Some(Mismatch::IntToPointer))
            }
            (Class::Pointer(_) | Class::Block(_), Class::Arith(Arith::Bool)) => {
                (self.cast_node(CastKind::PointerToBool, v, to), None)
            }
            (Class::Pointer(_), Class::Arith(arith)) if arith.is_int() => {
                (self.pointer_to_int(v, to), Some(Mismatch::PointerToInt))
            }
            (Class::Pointer(_), Class::Block(_)) if self.is_null_constant(v) => {
                (self.cast_node(CastKind::Null, v, to), None)
            }
            (Class::Pointer(a), Class::Pointer(b)) => {
                let mismatch = self.pointer_mismatch(v, a, b);
                (self.pointer_cast(v, to), mismatch)
            }
            (Class::Arith(_), Class::Opaque(opaque)) => match self.opaque_constant(v, opaque, to) {
                Some(constant) => (constant, None),
                None => wrong(v),
            },
            _ => wrong(v),
        }
    }

    /// An integer constant as a sampler or as a null object.
    fn opaque_constant(&mut self, v: ExprId, opaque: OpaqueType, to: Ty) -> Option<ExprId> {
        match opaque {
            OpaqueType::Sampler if self.class_of(v).is_int() => {
                self.constant_int(v)?;
                let bits = self.scalar_cast(v, types::UINT);
                Some(self.cast_node(CastKind::Sampler, bits, to))
            }
            OpaqueType::Event | OpaqueType::ClkEvent | OpaqueType::Queue if self.is_null_constant(v) => {
                Some(self.cast_node(CastKind::Null, v, to))
            }
            _ => None,
        }
    }

    /// Fault of an implicit conversion between pointers.
    fn pointer_mismatch(&self, v: ExprId, from: QualTy, to: QualTy) -> Option<Mismatch> {
        if self.is_null_constant(v) {
            return None;
        }
        let (from, to) = (self.types.canonical(from), self.types.canonical(to));
        if !is_space_subset(from.quals.space, to.quals.space) {
            return Some(Mismatch::Space);
        }
        if from.ty != to.ty && from.ty != VOID && to.ty != VOID {
            return Some(match (self.class(from.ty), self.class(to.ty)) {
                (Class::Pointer(a), Class::Pointer(b)) if self.differs_in_space(a, b) => {
                    Mismatch::NestedSpace
                }
                (a, b) if self.differs_in_sign(a, b) => Mismatch::Sign,
                (Class::Pointer(_), Class::Pointer(_)) if self.differs_in_qualifiers(from, to) => {
                    Mismatch::Qualifiers
                }
                _ => Mismatch::Pointers,
            });
        }
        (!has_qualifiers(to.quals, from.quals)).then_some(Mismatch::Qualifiers)
    }

    /// Whether pointees of nested pointers are in different address spaces.
    fn differs_in_space(&self, a: QualTy, b: QualTy) -> bool {
        let (a, b) = (self.types.canonical(a), self.types.canonical(b));
        a.ty == b.ty && a.quals.space != b.quals.space
    }

    /// Whether integer types differ in their sign only.
    fn differs_in_sign(&self, a: Class, b: Class) -> bool {
        match (a, b) {
            (Class::Arith(a), Class::Arith(b)) => a.is_int() && a.to_unsigned() == b.to_unsigned(),
            (Class::Vector(a, n), Class::Vector(b, m)) => {
                n == m && a.is_int() && a.to_unsigned() == b.to_unsigned()
            }
            _ => false,
        }
    }

    /// Whether nested pointers differ in qualifiers of their pointees only.
    fn differs_in_qualifiers(&self, a: QualTy, b: QualTy) -> bool {
        let (Class::Pointer(a), Class::Pointer(b)) = (self.class(a.ty), self.class(b.ty)) else {
            return false;
        };
        let (a, b) = (self.types.canonical(a), self.types.canonical(b));
        a.ty == b.ty && a.quals.space == b.quals.space
    }

    /// Converts a scalar to another scalar type.
    pub fn scalar_cast(&mut self, v: ExprId, to: Ty) -> ExprId {
        if self.is_same(self.ty(v).ty, to) { v } else { self.cast_node(CastKind::Arith, v, to) }
    }

    /// Repeats a scalar in all lanes of a vector; `true` becomes -1.
    pub fn splat(&mut self, v: ExprId, vector: Ty) -> ExprId {
        let Class::Vector(element, _) = self.class(vector) else {
            return v;
        };
        let mut lane = v;
        if self.class_of(v) == Class::Arith(Arith::Bool) {
            let one = self.cast_node(CastKind::Arith, v, types::INT);
            lane = self.new_value(ExprKind::Neg(one), types::INT, self.expr(v).loc);
            self.copy_range(lane, v);
        }
        let lane = self.scalar_cast(lane, types::scalar(element));
        self.cast_node(CastKind::Splat, lane, vector)
    }

    /// Converts a pointer to another pointer type.
    pub fn pointer_cast(&mut self, v: ExprId, to: Ty) -> ExprId {
        if self.is_same(self.ty(v).ty, to) {
            return v;
        }
        let (Class::Pointer(a), Class::Pointer(b)) = (self.class_of(v), self.class(to)) else {
            return v;
        };
        let (a, b) = (self.types.canonical(a), self.types.canonical(b));
        if a.quals.space == b.quals.space {
            return self.cast_node(CastKind::Pointer, v, to);
        }
        if matches!(self.expr(v).kind, ExprKind::Cast(CastKind::Null, _)) {
            return self.cast_node(CastKind::Null, self.null_operand(v), to);
        }
        self.cast_node(CastKind::Space, v, to)
    }

    /// Operand of a null pointer constant.
    fn null_operand(&self, v: ExprId) -> ExprId {
        match self.expr(v).kind {
            ExprKind::Cast(CastKind::Null, operand) => operand,
            _ => v,
        }
    }

    fn int_to_pointer(&mut self, v: ExprId, to: Ty) -> ExprId {
        let is_signed = matches!(self.class_of(v), Class::Arith(arith) if arith.is_signed());
        let wide = self.scalar_cast(v, if is_signed { types::LONG } else { types::ULONG });
        self.cast_node(CastKind::IntToPointer, wide, to)
    }

    fn pointer_to_int(&mut self, v: ExprId, to: Ty) -> ExprId {
        let address = self.cast_node(CastKind::PointerToInt, v, types::ULONG);
        self.scalar_cast(address, to)
    }

    /// Converts a scalar to `bool`; `None` if it is not a scalar.
    pub fn scalar_to_bool(&mut self, v: ExprId) -> Option<ExprId> {
        match self.class_of(v) {
            Class::Arith(Arith::Bool) => Some(v),
            Class::Arith(_) => Some(self.cast_node(CastKind::Arith, v, types::BOOL)),
            Class::Pointer(_) | Class::Block(_) => {
                Some(self.cast_node(CastKind::PointerToBool, v, types::BOOL))
            }
            _ => None,
        }
    }

    /// Converts the condition of a statement to `bool`.
    pub fn to_bool(&mut self, e: ExprId) -> ExprId {
        let v = self.value(e);
        if self.is_error(v) {
            return v;
        }
        if let Some(condition) = self.scalar_to_bool(v) {
            return condition;
        }
        let ty = self.quoted_of(v);
        self.error_at(e, format!("statement requires expression of scalar type ({ty} invalid)"));
        self.error_expr(self.expr(e).loc)
    }

    /// Reports an implicit conversion; returns whether it is an error.
    fn report_mismatch(&mut self, fault: Mismatch, e: ExprId, to: QualTy, context: Context) -> bool {
        let (from, target) = (self.quoted_of(e), self.quoted(to));
        let hint = self.missing_operator(fault, e, to);
        let (loc, mut text) = match context {
            Context::Assign(loc) => (loc, assign_text(fault, &from, &target)),
            Context::Init(loc) => (loc, init_text(fault, &from, &target)),
            Context::Argument(_) => (self.begin(e), argument_text(fault, &from, &target)),
            Context::Return => (self.begin(e), return_text(fault, &from, &target)),
        };
        text.push_str(hint);
        let group = match fault {
            Mismatch::Incompatible | Mismatch::Space | Mismatch::NestedSpace => None,
            Mismatch::IntToPointer | Mismatch::PointerToInt => Some("int-conversion"),
            Mismatch::Pointers => Some("incompatible-pointer-types"),
            Mismatch::Sign => Some("pointer-sign"),
            Mismatch::Qualifiers => Some("incompatible-pointer-types-discards-qualifiers"),
        };
        match group {
            Some(group) => self.warning(group, loc, text),
            None => self.error(loc, text),
        }
        self.underline_expr(e);
        if let Context::Argument(Some(param)) = context {
            self.note_parameter(param);
        }
        group.is_none()
    }

    /// End of a message about a conversion that `*` or `&` makes right.
    fn missing_operator(&self, fault: Mismatch, e: ExprId, to: QualTy) -> &'static str {
        match (fault, self.class_of(e), self.class(to.ty)) {
            (Mismatch::PointerToInt, Class::Pointer(of), _) if self.is_same(of.ty, to.ty) => {
                "; dereference with *"
            }
            (Mismatch::IntToPointer, _, Class::Pointer(of))
                if self.is_same(of.ty, self.ty(e).ty) && self.expr(e).is_lvalue =>
            {
                "; take the address with &"
            }
            _ => "",
        }
    }

    /// Points to the declaration of a parameter.
    fn note_parameter(&mut self, param: VarId) {
        let Some((name, loc)) = self.var(param).map(|var| (var.name, var.loc)) else {
            return;
        };
        match name {
            Some(name) => {
                let text = format!("passing argument to parameter '{}' here", self.text(name));
                self.note(loc, text);
            }
            None => self.note(loc, "passing argument to parameter here"),
        }
    }

    /// Warns about a constant that its new type cannot represent.
    fn check_constant(&mut self, e: ExprId, v: ExprId, from: Arith, to: Arith, target: QualTy) {
        if to == Arith::Bool || to.is_float() {
            return;
        }
        let (group, before, after) = match self.expr(v).kind {
            ExprKind::Float(value) if value.is_finite() => {
                let truncated = value.trunc();
                if truncated == value || truncated.abs() >= 9.0e18 {
                    return;
                }
                ("literal-conversion", value.to_string(), truncated.to_string())
            }
            _ if from.is_int() && (to.bytes() < from.bytes() || to.bytes() == from.bytes() && to != from) => {
                let Some(value) = self.constant_int(v).map(Constant::signed) else {
                    return;
                };
                let wrapped = wrap(value, to);
                // A constant that only changes its sign is how programs write all bits set.
                if wrapped == value || to.bytes() == from.bytes() {
                    return;
                }
                // So is a negative constant in a narrower unsigned type.
                if value < 0 && !to.is_signed() && wrap(value, to.to_signed()) == value {
                    return;
                }
                ("constant-conversion", value.to_string(), wrapped.to_string())
            }
            _ => return,
        };
        let source = self.quoted(QualTy::plain(self.unqualified(self.ty(v))));
        let plain = self.quoted(QualTy::plain(self.unqualified(target)));
        let text =
            format!("implicit conversion from {source} to {plain} changes value from {before} to {after}");
        let loc = self.expr(e).loc;
        self.warning(group, loc, text);
        self.underline_expr(e);
    }
}

/// A value in an integer type.
fn wrap(value: i128, to: Arith) -> i128 {
    let bits = 8 * to.bytes();
    let low = value & ((1i128 << bits) - 1);
    if to.is_signed() && low >> (bits - 1) & 1 == 1 { low - (1i128 << bits) } else { low }
}

fn assign_text(fault: Mismatch, from: &str, to: &str) -> String {
    match fault {
        Mismatch::Incompatible => format!("assigning to {to} from incompatible type {from}"),
        Mismatch::IntToPointer => {
            format!("incompatible integer to pointer conversion assigning to {to} from {from}")
        }
        Mismatch::PointerToInt => {
            format!("incompatible pointer to integer conversion assigning to {to} from {from}")
        }
        Mismatch::Pointers => format!("incompatible pointer types assigning to {to} from {from}"),
        Mismatch::Sign => {
            format!(
                "assigning to {to} from {from} converts between pointers to integer types with different sign"
            )
        }
        Mismatch::Qualifiers => format!("assigning to {to} from {from} discards qualifiers"),
        Mismatch::Space => format!("assigning {from} to {to} changes address space of pointer"),
        Mismatch::NestedSpace => format!("assigning {from} to {to} changes address space of nested pointer"),
    }
}

fn init_text(fault: Mismatch, from: &str, to: &str) -> String {
    let rest = match fault {
        Mismatch::Incompatible => {
            return format!("initializing {to} with an expression of incompatible type {from}");
        }
        Mismatch::IntToPointer => {
            return format!(
                "incompatible integer to pointer conversion initializing {to} with an expression of type {from}"
            );
        }
        Mismatch::PointerToInt => {
            return format!(
                "incompatible pointer to integer conversion initializing {to} with an expression of type {from}"
            );
        }
        Mismatch::Pointers => {
            return format!("incompatible pointer types initializing {to} with an expression of type {from}");
        }
        other => common_text(other),
    };
    format!("initializing {to} with an expression of type {from} {rest}")
}

fn argument_text(fault: Mismatch, from: &str, to: &str) -> String {
    match fault {
        Mismatch::Incompatible => format!("passing {from} to parameter of incompatible type {to}"),
        Mismatch::IntToPointer => {
            format!("incompatible integer to pointer conversion passing {from} to parameter of type {to}")
        }
        Mismatch::PointerToInt => {
            format!("incompatible pointer to integer conversion passing {from} to parameter of type {to}")
        }
        Mismatch::Pointers => format!("incompatible pointer types passing {from} to parameter of type {to}"),
        other => format!("passing {from} to parameter of type {to} {}", common_text(other)),
    }
}

fn return_text(fault: Mismatch, from: &str, to: &str) -> String {
    let function = format!("from a function with result type {to}");
    match fault {
        Mismatch::Incompatible => {
            format!("returning {from} from a function with incompatible result type {to}")
        }
        Mismatch::IntToPointer => {
            format!("incompatible integer to pointer conversion returning {from} {function}")
        }
        Mismatch::PointerToInt => {
            format!("incompatible pointer to integer conversion returning {from} {function}")
        }
        Mismatch::Pointers => format!("incompatible pointer types returning {from} {function}"),
        other => format!("returning {from} {function} {}", common_text(other)),
    }
}

/// End of the sentence about a conversion between pointers.
fn common_text(fault: Mismatch) -> &'static str {
    match fault {
        Mismatch::Sign => "converts between pointers to integer types with different sign",
        Mismatch::Qualifiers => "discards qualifiers",
        Mismatch::NestedSpace => "changes address space of nested pointer",
        _ => "changes address space of pointer",
    }
}
