//! Classes of types, as expressions distinguish them.

use super::Sema;
use crate::front::c::ast::{CastKind, ExprId, ExprKind};
use crate::front::c::types::{Arith, OpaqueType, QualTy, Quals, RecordId, Ty, TypeKind};

/// Structure of a type without typedef names, in a form that is cheap to copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Type of an erroneous expression.
    Error,
    Void,
    /// Scalars, with enumerations as their underlying types.
    Arith(Arith),
    Vector(Arith, u8),
    /// The pointee as written.
    Pointer(QualTy),
    /// The function's type.
    Block(Ty),
    /// The elements as written.
    Array(QualTy),
    Function,
    Record(RecordId),
    /// `_Atomic`: only of objects, values have the type inside.
    Atomic(Ty),
    Opaque(OpaqueType),
    /// Images and pipes.
    Other,
}

impl Class {
    /// Element type of scalars and vectors.
    pub fn element(self) -> Option<Arith> {
        match self {
            Class::Arith(arith) | Class::Vector(arith, _) => Some(arith),
            _ => None,
        }
    }
    /// Whether it is an integer scalar.
    pub fn is_int(self) -> bool {
        matches!(self, Class::Arith(arith) if arith.is_int())
    }
    /// Whether conditions may have this type.
    pub fn is_scalar(self) -> bool {
        matches!(self, Class::Arith(_) | Class::Pointer(_) | Class::Block(_))
    }
}

impl Sema<'_> {
    /// A type without typedef names at its outermost level, whose inner types are as written.
    pub fn shallow(&self, ty: QualTy) -> QualTy {
        let mut ty = ty;
        while let TypeKind::Typedef(_, to) = self.types.kind(ty.ty) {
            ty = QualTy { ty: to.ty, quals: merge(ty.quals, to.quals) };
        }
        ty
    }

    /// A type without qualifiers: typedef names are kept unless they add some.
    pub fn unqualified(&self, ty: QualTy) -> Ty {
        let mut ty = ty.ty;
        while let TypeKind::Typedef(_, to) = self.types.kind(ty)
            && self.types.canonical(QualTy::plain(ty)).quals != Quals::default()
        {
            ty = to.ty;
        }
        ty
    }

    /// Class of a type.
    pub fn class(&self, ty: Ty) -> Class {
        match self.types.kind(self.shallow(QualTy::plain(ty)).ty) {
            TypeKind::Void => Class::Void,
            TypeKind::Arith(arith) => Class::Arith(*arith),
            TypeKind::Enum(id) => {
                let data = self.types.enums.get(id.0 as usize);
                Class::Arith(data.map_or(Arith::Int, |e| e.underlying))
            }
            TypeKind::Vector(element, lanes) => Class::Vector(*element, *lanes),
            TypeKind::Pointer(to) => Class::Pointer(*to),
            TypeKind::Block(function) => Class::Block(*function),
            TypeKind::Array(of, _) => Class::Array(*of),
            TypeKind::Function(_) => Class::Function,
            TypeKind::Record(id) => Class::Record(*id),
            TypeKind::Atomic(of) => Class::Atomic(*of),
            TypeKind::Opaque(opaque) => Class::Opaque(*opaque),
            TypeKind::Image(_) | TypeKind::Pipe(..) => Class::Other,
            TypeKind::Typedef(..) | TypeKind::Error => Class::Error,
        }
    }

    /// Class of an expression's type.
    pub fn class_of(&self, e: ExprId) -> Class {
        self.class(self.expr(e).ty.ty)
    }

    /// Handle of a vector type.
    pub fn vector(&mut self, element: Arith, lanes: u8) -> Ty {
        self.types.intern(TypeKind::Vector(element, lanes))
    }

    /// Handle of a pointer type.
    pub fn pointer_to(&mut self, to: QualTy) -> Ty {
        self.types.intern(TypeKind::Pointer(to))
    }

    /// Whether two types are the same, qualifiers and typedef names aside.
    pub fn is_same(&self, a: Ty, b: Ty) -> bool {
        let (a, b) = (QualTy::plain(a), QualTy::plain(b));
        self.types.canonical(a).ty == self.types.canonical(b).ty
    }

    /// The lvalue that a value was loaded from; other expressions themselves.
    pub fn loaded(&self, v: ExprId) -> ExprId {
        match self.expr(v).kind {
            ExprKind::Cast(CastKind::Load, of) => of,
            _ => v,
        }
    }

    /// Whether an expression is a bit-field, and its width.
    pub fn bit_field_width(&self, e: ExprId) -> Option<u8> {
        let ExprKind::Member { base, field } = &self.expr(e).kind else {
            return None;
        };
        let Class::Record(id) = self.class_of(*base) else {
            return None;
        };
        let record = self.types.records.get(id.0 as usize)?;
        record.fields.get(*field as usize)?.bits.map(|(_, width)| width)
    }
}

/// Qualifiers of a typedef name together with those of its type.
pub fn merge(outer: Quals, inner: Quals) -> Quals {
    use crate::front::c::types::AddressSpace;
    Quals {
        is_const: outer.is_const || inner.is_const,
        is_volatile: outer.is_volatile || inner.is_volatile,
        is_restrict: outer.is_restrict || inner.is_restrict,
        space: if outer.space == AddressSpace::Default { inner.space } else { outer.space },
    }
}
