//! Predefined type names, in the outermost scope.

use super::Sema;
use super::scope::Binding;
use crate::front::c::source::Loc;
use crate::front::c::types::*;

/// Lanes of vector types' names.
const LANES: [u8; 5] = [2, 3, 4, 8, 16];

/// Scalars that have vector types, by the names in them.
const SCALARS: [(&str, Arith); 11] = [
    ("char", Arith::Char),
    ("uchar", Arith::UChar),
    ("short", Arith::Short),
    ("ushort", Arith::UShort),
    ("int", Arith::Int),
    ("uint", Arith::UInt),
    ("long", Arith::Long),
    ("ulong", Arith::ULong),
    ("half", Arith::Half),
    ("float", Arith::Float),
    ("double", Arith::Double),
];

/// Typedef names of integer types.
const INTEGERS: [(&str, Ty); 9] = [
    ("uchar", UCHAR),
    ("ushort", USHORT),
    ("uint", UINT),
    ("ulong", ULONG),
    ("size_t", ULONG),
    ("ptrdiff_t", LONG),
    ("intptr_t", LONG),
    ("uintptr_t", ULONG),
    ("cl_mem_fence_flags", UINT),
];

/// Atomic types of OpenCL C 2.0.
const ATOMICS: [(&str, Ty); 12] = [
    ("atomic_int", INT),
    ("atomic_uint", UINT),
    ("atomic_long", LONG),
    ("atomic_ulong", ULONG),
    ("atomic_float", FLOAT),
    ("atomic_double", DOUBLE),
    ("atomic_half", HALF),
    ("atomic_flag", INT),
    ("atomic_intptr_t", LONG),
    ("atomic_uintptr_t", ULONG),
    ("atomic_size_t", ULONG),
    ("atomic_ptrdiff_t", LONG),
];

impl Sema<'_> {
    /// Binds the predefined names, and enters the file's scope.
    pub(super) fn predefine(&mut self) {
        for (name, arith) in SCALARS {
            if arith == Arith::Double && !self.language.has_fp64() {
                continue;
            }
            for lanes in LANES {
                self.predefine_typedef(&format!("{name}{lanes}"), TypeKind::Vector(arith, lanes));
            }
        }
        for (name, ty) in INTEGERS {
            let kind = self.types.kind(ty).clone();
            self.predefine_typedef(name, kind);
        }
        self.predefine_plain("sampler_t", TypeKind::Opaque(OpaqueType::Sampler));
        self.predefine_plain("event_t", TypeKind::Opaque(OpaqueType::Event));
        if self.language.version >= 200 {
            for (name, ty) in ATOMICS {
                self.predefine_typedef(name, TypeKind::Atomic(ty));
            }
        }
        if self.language.has_pipes() {
            self.predefine_plain("reserve_id_t", TypeKind::Opaque(OpaqueType::ReserveId));
        }
        if self.language.has_blocks() {
            self.predefine_plain("queue_t", TypeKind::Opaque(OpaqueType::Queue));
            self.predefine_plain("clk_event_t", TypeKind::Opaque(OpaqueType::ClkEvent));
            self.predefine_plain("ndrange_t", TypeKind::NdRange);
            self.predefine_typedef("clk_profiling_info", TypeKind::Arith(Arith::UInt));
            self.predefine_typedef("kernel_enqueue_flags_t", TypeKind::Arith(Arith::UInt));
        }
        self.scopes.enter();
    }

    fn predefine_typedef(&mut self, name: &str, kind: TypeKind) {
        let symbol = self.session.symbols.intern(name);
        let to = QualTy::plain(self.types.intern(kind));
        let ty = self.types.intern(TypeKind::Typedef(symbol, to));
        self.scopes.bind(symbol, Binding::Typedef(QualTy::plain(ty)), Loc::default());
    }

    fn predefine_plain(&mut self, name: &str, kind: TypeKind) {
        let symbol = self.session.symbols.intern(name);
        let ty = QualTy::plain(self.types.intern(kind));
        self.scopes.bind(symbol, Binding::Typedef(ty), Loc::default());
    }
}
