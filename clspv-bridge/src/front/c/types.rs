//! Types of OpenCL C, interned.
//!
//! A [`Ty`] is an unqualified type; a [`QualTy`] adds qualifiers and the address space of the object. Typedef
//! names are kept as written for diagnostics and argument information: compare [`Types::canonical`] types.

use super::symbol::Symbol;
use crate::ir::ImageDim;
use rustc_hash::FxHashMap;

/// Handle of an interned type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ty(pub u32);

/// Handle of a `struct` or `union`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

/// Handle of an `enum`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumId(pub u32);

/// Address space of an object (OpenCL C, section 6.7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum AddressSpace {
    /// Not written and not inferred yet; objects with automatic storage are private.
    #[default]
    Default,
    Private,
    Local,
    Global,
    Constant,
    Generic,
}

/// Qualifiers of an object's type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub space: AddressSpace,
}

/// A type with qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct QualTy {
    pub ty: Ty,
    pub quals: Quals,
}

impl QualTy {
    /// The type without qualifiers.
    pub const fn plain(ty: Ty) -> QualTy {
        let quals =
            Quals { is_const: false, is_volatile: false, is_restrict: false, space: AddressSpace::Default };
        QualTy { ty, quals }
    }
    /// Copy of the type in an address space.
    pub const fn in_space(self, space: AddressSpace) -> QualTy {
        QualTy { ty: self.ty, quals: Quals { space, ..self.quals } }
    }
}

/// Built-in scalar types. `long long` is `long`, and `signed char` is `char`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arith {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

impl Arith {
    /// All scalar types, in the order of their handles.
    pub const ALL: [Arith; 12] = [
        Arith::Bool,
        Arith::Char,
        Arith::UChar,
        Arith::Short,
        Arith::UShort,
        Arith::Int,
        Arith::UInt,
        Arith::Long,
        Arith::ULong,
        Arith::Half,
        Arith::Float,
        Arith::Double,
    ];
    /// Size in bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            Arith::Bool | Arith::Char | Arith::UChar => 1,
            Arith::Short | Arith::UShort | Arith::Half => 2,
            Arith::Int | Arith::UInt | Arith::Float => 4,
            Arith::Long | Arith::ULong | Arith::Double => 8,
        }
    }
    /// Whether it is an integer type (`bool` included).
    pub const fn is_int(self) -> bool {
        !self.is_float()
    }
    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Arith::Half | Arith::Float | Arith::Double)
    }
    /// Whether it is a signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, Arith::Char | Arith::Short | Arith::Int | Arith::Long)
    }
    /// The unsigned type of the same size; the type itself if it has none.
    pub const fn to_unsigned(self) -> Arith {
        match self {
            Arith::Char => Arith::UChar,
            Arith::Short => Arith::UShort,
            Arith::Int => Arith::UInt,
            Arith::Long => Arith::ULong,
            other => other,
        }
    }
    /// The signed type of the same size; the type itself if it has none.
    pub const fn to_signed(self) -> Arith {
        match self {
            Arith::UChar => Arith::Char,
            Arith::UShort => Arith::Short,
            Arith::UInt => Arith::Int,
            Arith::ULong => Arith::Long,
            other => other,
        }
    }
    /// Name in OpenCL C.
    pub const fn name(self) -> &'static str {
        match self {
            Arith::Bool => "bool",
            Arith::Char => "char",
            Arith::UChar => "uchar",
            Arith::Short => "short",
            Arith::UShort => "ushort",
            Arith::Int => "int",
            Arith::UInt => "uint",
            Arith::Long => "long",
            Arith::ULong => "ulong",
            Arith::Half => "half",
            Arith::Float => "float",
            Arith::Double => "double",
        }
    }
}

/// AccessMode qualifier of an image or pipe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum AccessMode {
    #[default]
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Kind of an image type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageType {
    pub dim: ImageDim,
    pub is_depth: bool,
    pub is_msaa: bool,
    pub access: AccessMode,
}

/// Opaque object types without parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpaqueType {
    Sampler,
    Event,
    ClkEvent,
    Queue,
    ReserveId,
}

/// A function's type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub result: QualTy,
    pub params: Box<[QualTy]>,
    pub is_variadic: bool,
    /// False for `f()`.
    pub has_prototype: bool,
}

/// Structure of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    Void,
    Arith(Arith),
    /// Elements (never `bool` in programs) and their number: 2, 3, 4, 8 or 16; other numbers come from
    /// `ext_vector_type`.
    Vector(Arith, u8),
    /// The pointee's qualifiers include its address space.
    Pointer(QualTy),
    /// `None` is an array of unknown length. Qualifiers and the address space are those of the array's
    /// [`QualTy`]; canonical elements have none.
    Array(QualTy, Option<u64>),
    Function(FunctionType),
    /// A block: `result (^)(params)`; the type is that of its function.
    Block(Ty),
    Record(RecordId),
    Enum(EnumId),
    /// `_Atomic T`, `atomic_int` ...
    Atomic(Ty),
    Image(ImageType),
    Pipe(Ty, AccessMode),
    Opaque(OpaqueType),
    /// A typedef name as written.
    Typedef(Symbol, QualTy),
    /// Type of an erroneous expression: converts to everything without diagnostics.
    Error,
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// `None` for anonymous records and unnamed bit-fields.
    pub name: Option<Symbol>,
    pub ty: QualTy,
    /// Byte offset in the record; for bit-fields, that of the storage unit.
    pub offset: u64,
    /// Bit-fields: first bit in the storage unit (whose size is that of the type), and width.
    pub bits: Option<(u8, u8)>,
}

/// A `struct` or `union`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    pub tag: Option<Symbol>,
    pub is_union: bool,
    /// False until the closing brace.
    pub is_complete: bool,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u32,
    /// Whether a member, at any depth, is a pointer.
    pub has_pointer: bool,
    /// Whether one of those points to private or generic memory, which hosts cannot pass.
    pub has_private_pointer: bool,
    /// Whether a member, at any depth, has a type that hosts cannot pass: `bool`, `size_t`.
    pub has_device_type: bool,
    /// Records inside each other, this one included.
    pub depth: u16,
}

/// An `enum`; its values have type `int`, or `uint`/`long` if they need it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumData {
    pub tag: Option<Symbol>,
    pub is_complete: bool,
    pub underlying: Arith,
}

/// Interner of types, with the records and enumerations.
#[derive(Debug)]
pub struct Types {
    kinds: Vec<TypeKind>,
    canonical: Vec<QualTy>,
    /// Number of types inside each other, typedef names included.
    depths: Vec<u16>,
    known: FxHashMap<TypeKind, Ty>,
    pub records: Vec<Record>,
    pub enums: Vec<EnumData>,
    /// The record that `ndrange_t` is; [`ERROR`] in languages without it.
    pub ndrange: Ty,
}

/// `void`
pub const VOID: Ty = Ty(0);
/// Type of an erroneous expression.
pub const ERROR: Ty = Ty(1);

/// Handle of a scalar type.
pub const fn scalar(arith: Arith) -> Ty {
    Ty(2 + arith as u32)
}

pub const BOOL: Ty = scalar(Arith::Bool);
pub const CHAR: Ty = scalar(Arith::Char);
pub const UCHAR: Ty = scalar(Arith::UChar);
pub const SHORT: Ty = scalar(Arith::Short);
pub const USHORT: Ty = scalar(Arith::UShort);
pub const INT: Ty = scalar(Arith::Int);
pub const UINT: Ty = scalar(Arith::UInt);
pub const LONG: Ty = scalar(Arith::Long);
pub const ULONG: Ty = scalar(Arith::ULong);
pub const HALF: Ty = scalar(Arith::Half);
pub const FLOAT: Ty = scalar(Arith::Float);
pub const DOUBLE: Ty = scalar(Arith::Double);

impl Default for Types {
    fn default() -> Self {
        Types::new()
    }
}

impl Types {
    /// An interner with the scalar types at their fixed handles.
    pub fn new() -> Types {
        let mut types = Types {
            kinds: Vec::new(),
            canonical: Vec::new(),
            depths: Vec::new(),
            known: FxHashMap::default(),
            records: Vec::new(),
            enums: Vec::new(),
            ndrange: ERROR,
        };
        types.intern(TypeKind::Void);
        types.intern(TypeKind::Error);
        for arith in Arith::ALL {
            types.intern(TypeKind::Arith(arith));
        }
        types
    }

    /// Returns the handle of a type.
    pub fn intern(&mut self, kind: TypeKind) -> Ty {
        if let Some(known) = self.known.get(&kind) {
            return *known;
        }
        // The canonical form may be a new type itself, so it comes first.
        let canonical = self.canonical_of(&kind);
        let depth = self.depth_of(&kind);
        let ty = Ty(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.depths.push(depth);
        self.canonical.push(canonical.unwrap_or(QualTy::plain(ty)));
        self.known.insert(kind, ty);
        ty
    }

    /// The canonical type of a new type, which has no typedef names at any depth; `None` if that is the new
    /// type itself.
    fn canonical_of(&mut self, kind: &TypeKind) -> Option<QualTy> {
        let stripped = match kind {
            TypeKind::Typedef(_, to) => return Some(self.canonical(*to)),
            TypeKind::Pointer(to) => TypeKind::Pointer(self.canonical(*to)),
            TypeKind::Array(of, len) => {
                // Qualifiers of elements are those of the array.
                let of = self.canonical(*of);
                let array = TypeKind::Array(QualTy::plain(of.ty), *len);
                if array == *kind {
                    return None;
                }
                return Some(QualTy { ty: self.intern(array), quals: of.quals });
            }
            TypeKind::Atomic(of) => TypeKind::Atomic(self.canonical(QualTy::plain(*of)).ty),
            TypeKind::Block(of) => TypeKind::Block(self.canonical(QualTy::plain(*of)).ty),
            TypeKind::Pipe(of, access) => TypeKind::Pipe(self.canonical(QualTy::plain(*of)).ty, *access),
            TypeKind::Function(f) => TypeKind::Function(FunctionType {
                result: self.canonical(f.result),
                params: f.params.iter().map(|p| self.canonical(*p)).collect(),
                ..*f
            }),
            _ => return None,
        };
        if stripped == *kind { None } else { Some(QualTy::plain(self.intern(stripped))) }
    }

    /// Number of types inside each other that a type is made of; records and enumerations count as one.
    pub fn depth(&self, ty: Ty) -> u16 {
        self.depths.get(ty.0 as usize).copied().unwrap_or(0)
    }

    fn depth_of(&self, kind: &TypeKind) -> u16 {
        let inner = match kind {
            TypeKind::Typedef(_, to) | TypeKind::Pointer(to) | TypeKind::Array(to, _) => self.depth(to.ty),
            TypeKind::Atomic(of) | TypeKind::Block(of) | TypeKind::Pipe(of, _) => self.depth(*of),
            TypeKind::Function(f) => {
                f.params.iter().chain([&f.result]).map(|t| self.depth(t.ty)).max().unwrap_or(0)
            }
            _ => return 1,
        };
        inner.saturating_add(1)
    }

    /// Structure of a type as written.
    pub fn kind(&self, ty: Ty) -> &TypeKind {
        self.kinds.get(ty.0 as usize).unwrap_or(&TypeKind::Error)
    }

    /// The type without typedef names; qualifiers of typedefs are added to those of the type.
    pub fn canonical(&self, ty: QualTy) -> QualTy {
        let base = self.canonical.get(ty.ty.0 as usize).copied().unwrap_or(QualTy::plain(ERROR));
        let space = match ty.quals.space {
            AddressSpace::Default => base.quals.space,
            space => space,
        };
        QualTy {
            ty: base.ty,
            quals: Quals {
                is_const: ty.quals.is_const || base.quals.is_const,
                is_volatile: ty.quals.is_volatile || base.quals.is_volatile,
                is_restrict: ty.quals.is_restrict || base.quals.is_restrict,
                space,
            },
        }
    }

    /// Structure of a type without typedef names.
    pub fn resolved(&self, ty: Ty) -> &TypeKind {
        self.kind(self.canonical(QualTy::plain(ty)).ty)
    }
}
