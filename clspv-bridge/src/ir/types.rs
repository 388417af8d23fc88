//! Types of SSA values.
//!
//! Aggregate values do not exist: the SPIR-V reader splits structs and arrays into scalars, and memory is
//! bytes. A pointer type has an address space but no pointee type.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A scalar machine type. Integers have no sign; operations do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Scalar {
    /// Truth value; never in memory.
    I1,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

impl Scalar {
    /// Width in bits (1 for `I1`).
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::I1 => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
        }
    }
    /// Size in memory in bytes (`I1` counts as 1).
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }
    /// Whether this is an integer type, `I1` included.
    pub const fn is_int(self) -> bool {
        matches!(self, Scalar::I1 | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }
    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        !self.is_int()
    }
    /// The integer type of the same width.
    pub const fn to_int(self) -> Scalar {
        match self {
            Scalar::F16 => Scalar::I16,
            Scalar::F32 => Scalar::I32,
            Scalar::F64 => Scalar::I64,
            other => other,
        }
    }
    /// The integer type of `bits` width (1, 8, 16, 32, 64).
    pub const fn int(bits: u32) -> Option<Scalar> {
        match bits {
            1 => Some(Scalar::I1),
            8 => Some(Scalar::I8),
            16 => Some(Scalar::I16),
            32 => Some(Scalar::I32),
            64 => Some(Scalar::I64),
            _ => None,
        }
    }
    /// The floating-point type of `bits` width (16, 32, 64).
    pub const fn float(bits: u32) -> Option<Scalar> {
        match bits {
            16 => Some(Scalar::F16),
            32 => Some(Scalar::F32),
            64 => Some(Scalar::F64),
            _ => None,
        }
    }
    /// All bits of a value of this type set (the mask of its bit pattern in a `u64`).
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
    /// Name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::I1 => "i1",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }
}

/// OpenCL address space of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Space {
    Private,
    Local,
    Global,
    Constant,
    Generic,
}

impl Space {
    /// Name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Private => "private",
            Space::Local => "local",
            Space::Global => "global",
            Space::Constant => "constant",
            Space::Generic => "generic",
        }
    }
}

/// Opaque OpenCL objects held in SSA values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Opaque {
    /// `event_t` of asynchronous copies.
    Event,
    /// An image object; its kind is in the kernel's argument information.
    Image,
}

/// The type of an SSA value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Type {
    Scalar(Scalar),
    /// 2 to 64 lanes; OpenCL C has 2, 3, 4, 8 and 16, optimisers also create others. In vectorised native
    /// code the lanes are work-items.
    Vector(Scalar, u8),
    /// A byte-addressed pointer.
    Ptr(Space),
    /// Pointers of the work-items of a vector, in vectorised native code.
    PtrVector(Space, u8),
    Opaque(Opaque),
}

pub const I1: Type = Type::Scalar(Scalar::I1);
pub const I8: Type = Type::Scalar(Scalar::I8);
pub const I16: Type = Type::Scalar(Scalar::I16);
pub const I32: Type = Type::Scalar(Scalar::I32);
pub const I64: Type = Type::Scalar(Scalar::I64);
pub const F16: Type = Type::Scalar(Scalar::F16);
pub const F32: Type = Type::Scalar(Scalar::F32);
pub const F64: Type = Type::Scalar(Scalar::F64);

impl Type {
    /// `scalar` for one lane, a vector otherwise.
    pub fn vector(scalar: Scalar, lanes: u32) -> Type {
        if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes as u8) }
    }
    /// Number of lanes; 1 for types other than vectors.
    pub fn lanes(self) -> u32 {
        match self {
            Type::Vector(_, n) | Type::PtrVector(_, n) => n as u32,
            _ => 1,
        }
    }
    /// The scalar type of a scalar or of a vector's lanes.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) => Some(s),
            _ => None,
        }
    }
    /// Type of one lane (for other types than vectors, the type itself).
    pub fn lane(self) -> Type {
        match self {
            Type::Vector(s, _) => Type::Scalar(s),
            Type::PtrVector(s, _) => Type::Ptr(s),
            other => other,
        }
    }
    /// Vector of `lanes` of this scalar or pointer type, which is unchanged for a single lane or a vector.
    pub fn of_lanes(self, lanes: u32) -> Type {
        match self {
            Type::Scalar(s) => Type::vector(s, lanes),
            Type::Ptr(s) if lanes > 1 => Type::PtrVector(s, lanes as u8),
            other => other,
        }
    }
    /// Type with the same number of lanes of another scalar.
    pub fn with_scalar(self, scalar: Scalar) -> Type {
        Type::vector(scalar, self.lanes())
    }
    /// Bytes that a load or store of this type touches: lanes times lane size (12 for a vector of three
    /// 32-bit lanes), 8 for pointers. `None` for opaque types.
    pub fn access_bytes(self) -> Option<u32> {
        match self {
            Type::Scalar(s) => Some(s.bytes()),
            Type::Vector(s, n) => Some(s.bytes() * n as u32),
            Type::Ptr(_) => Some(8),
            Type::PtrVector(_, n) => Some(8 * n as u32),
            Type::Opaque(_) => None,
        }
    }
    /// Whether this is an integer scalar or vector.
    pub fn is_int(self) -> bool {
        self.scalar().is_some_and(Scalar::is_int)
    }
    /// Whether this is a floating-point scalar or vector.
    pub fn is_float(self) -> bool {
        self.scalar().is_some_and(Scalar::is_float)
    }
    /// Whether this is `i1` or a vector of it.
    pub fn is_bool(self) -> bool {
        self.scalar() == Some(Scalar::I1)
    }
    /// The address space of a pointer or of a vector of pointers.
    pub fn space(self) -> Option<Space> {
        match self {
            Type::Ptr(s) | Type::PtrVector(s, _) => Some(s),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(s) => f.write_str(s.name()),
            Type::Vector(s, n) => write!(f, "{}x{}", s.name(), n),
            Type::Ptr(s) => write!(f, "ptr.{}", s.name()),
            Type::PtrVector(s, n) => write!(f, "ptr.{}x{n}", s.name()),
            Type::Opaque(Opaque::Event) => f.write_str("event"),
            Type::Opaque(Opaque::Image) => f.write_str("image"),
        }
    }
}
