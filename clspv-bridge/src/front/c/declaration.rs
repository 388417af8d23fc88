//! Declarations as written: what the parser reads before the analysis declares anything.

use super::ast::{InlineHint, LoopHint, VarId};
use super::source::Loc;
use super::symbol::Symbol;
use super::types::{AddressSpace, QualTy, Quals, Ty};

/// Storage-class specifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

impl StorageClass {
    /// Spelling of the specifier.
    pub const fn name(self) -> &'static str {
        match self {
            StorageClass::Typedef => "typedef",
            StorageClass::Extern => "extern",
            StorageClass::Static => "static",
            StorageClass::Auto => "auto",
            StorageClass::Register => "register",
        }
    }
}

/// Attribute that only some declarations may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limited {
    /// Functions: another declaration with it is wrong.
    Function(&'static str),
    /// Kernels: another declaration with it is wrong.
    Kernel(&'static str),
    /// Functions and statements: ignored elsewhere.
    Inline(&'static str),
    /// Loops: a declaration with it is wrong.
    Loop(&'static str),
}

impl Limited {
    /// The restriction of an attribute; `None` if it has none.
    pub fn named(name: &str) -> Option<Limited> {
        Some(match name {
            "overloadable" => Limited::Function("overloadable"),
            "reqd_work_group_size" => Limited::Kernel("reqd_work_group_size"),
            "work_group_size_hint" => Limited::Kernel("work_group_size_hint"),
            "vec_type_hint" => Limited::Kernel("vec_type_hint"),
            "intel_reqd_sub_group_size" => Limited::Kernel("intel_reqd_sub_group_size"),
            "qcom_reqd_sub_group_size" => Limited::Kernel("qcom_reqd_sub_group_size"),
            "always_inline" => Limited::Inline("always_inline"),
            "opencl_unroll_hint" => Limited::Loop("opencl_unroll_hint"),
            _ => return None,
        })
    }
}

/// Attributes of a declaration, type or statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes {
    pub is_packed: bool,
    /// Bytes of `aligned`.
    pub align: Option<u32>,
    /// Lanes of `ext_vector_type`, and where it is.
    pub lanes: Option<(u64, Loc)>,
    /// Bytes of `vector_size`, and where it is.
    pub vector_bytes: Option<(u64, Loc)>,
    /// The last attribute that only some declarations may have.
    pub limited: Option<(Limited, Loc)>,
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    pub vec_type_hint: Option<Ty>,
    pub reqd_sub_group_size: Option<u32>,
    pub inline: InlineHint,
    pub is_kernel: bool,
    pub is_overloadable: bool,
    /// The qualifier `_Atomic`, which the specifiers take out.
    pub is_atomic: bool,
    /// `gnu_inline` does not matter; `weak` definitions yield to others.
    pub is_weak: bool,
    pub unroll: Option<LoopHint>,
    pub space: Option<AddressSpace>,
    /// Name of the symbol: `asm("name")` behind a declarator.
    pub label: Option<Symbol>,
    /// Qualifiers in the brackets of an array parameter.
    pub pointer_quals: Quals,
    /// Where the first one begins.
    pub loc: Option<Loc>,
}

impl Attributes {
    /// Adds the attributes of another place of the same declaration.
    pub fn merge(&mut self, other: &Attributes) {
        self.is_packed |= other.is_packed;
        self.align = self.align.max(other.align);
        self.limited = self.limited.or(other.limited);
        self.lanes = other.lanes.or(self.lanes);
        self.vector_bytes = other.vector_bytes.or(self.vector_bytes);
        self.reqd_work_group_size = other.reqd_work_group_size.or(self.reqd_work_group_size);
        self.work_group_size_hint = other.work_group_size_hint.or(self.work_group_size_hint);
        self.vec_type_hint = other.vec_type_hint.or(self.vec_type_hint);
        self.reqd_sub_group_size = other.reqd_sub_group_size.or(self.reqd_sub_group_size);
        if other.inline != InlineHint::None {
            self.inline = other.inline;
        }
        self.is_kernel |= other.is_kernel;
        self.is_overloadable |= other.is_overloadable;
        self.is_weak |= other.is_weak;
        self.unroll = other.unroll.or(self.unroll);
        self.space = other.space.or(self.space);
        self.label = other.label.or(self.label);
        self.loc = self.loc.or(other.loc);
    }
}

/// Specifiers that begin a declaration.
#[derive(Clone, Copy, Debug)]
pub struct Specifiers {
    pub ty: QualTy,
    pub storage: Option<StorageClass>,
    pub is_inline: bool,
    pub is_kernel: bool,
    /// Whether a `struct`, `union` or `enum` was named or defined.
    pub has_tag: bool,
    /// Whether the type is that of the initializer: `__auto_type`.
    pub is_deduced: bool,
    /// Whether the declaration ends here, since its semicolon is missing, which has been reported.
    pub is_ended: bool,
    pub attributes: Attributes,
    pub loc: Loc,
}

/// A declared name with its type.
#[derive(Debug)]
pub struct Declarator {
    pub name: Option<Symbol>,
    /// The name, or where it would be.
    pub loc: Loc,
    pub ty: QualTy,
    /// Parameters, if the type is a function's.
    pub params: Vec<VarId>,
    pub attributes: Attributes,
}

/// Part of a declarator, read from the name outwards.
#[derive(Debug)]
pub enum Chunk {
    Pointer(Quals, Loc),
    Block(Quals, Loc),
    /// `None` is an unknown length; the qualifiers are those of a parameter's pointer.
    Array(Option<u64>, Quals, Loc),
    Function {
        params: Vec<VarId>,
        is_variadic: bool,
    },
}
