//! Predefined type names and enumerations, in the outermost scope.

use super::Sema;
use super::scope::{Binding, Tag};
use crate::front::c::source::Loc;
use crate::front::c::types::*;
use crate::ir::runtime::ndrange;

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

/// Constants of an enumeration; those with a feature exist only if the language has it.
type Constants = [(&'static str, u64, Option<&'static str>)];

/// Constants of `memory_order`.
const MEMORY_ORDERS: [(&str, u64, Option<&str>); 5] = [
    ("memory_order_relaxed", 0, None),
    ("memory_order_acquire", 2, None),
    ("memory_order_release", 3, None),
    ("memory_order_acq_rel", 4, None),
    ("memory_order_seq_cst", 5, Some("__opencl_c_atomic_order_seq_cst")),
];

/// Constants of `memory_scope`.
const MEMORY_SCOPES: [(&str, u64, Option<&str>); 6] = [
    ("memory_scope_work_item", 0, None),
    ("memory_scope_work_group", 1, None),
    ("memory_scope_device", 2, None),
    ("memory_scope_all_svm_devices", 3, Some("__opencl_c_atomic_scope_all_devices")),
    ("memory_scope_all_devices", 3, Some("__opencl_c_atomic_scope_all_devices")),
    ("memory_scope_sub_group", 4, None),
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
            for (name, ty) in ATOMICS.into_iter().filter(|(_, ty)| self.has_atomic(*ty)).collect::<Vec<_>>() {
                self.predefine_typedef(name, TypeKind::Atomic(ty));
            }
            self.predefine_enum("memory_order", &MEMORY_ORDERS);
            self.predefine_enum("memory_scope", &MEMORY_SCOPES);
        }
        if self.language.has_pipes() {
            self.predefine_plain("reserve_id_t", TypeKind::Opaque(OpaqueType::ReserveId));
        }
        if self.language.has_blocks() {
            self.predefine_plain("queue_t", TypeKind::Opaque(OpaqueType::Queue));
            self.predefine_plain("clk_event_t", TypeKind::Opaque(OpaqueType::ClkEvent));
            self.predefine_range();
            self.predefine_typedef("clk_profiling_info", TypeKind::Arith(Arith::Int));
            self.predefine_typedef("kernel_enqueue_flags_t", TypeKind::Arith(Arith::Int));
        }
        self.scopes.enter();
    }

    /// Whether there are atomic objects of a type.
    fn has_atomic(&self, ty: Ty) -> bool {
        let has_64 = || {
            ["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"]
                .iter()
                .all(|e| self.language.has(e))
        };
        match ty {
            LONG | ULONG => has_64(),
            DOUBLE => has_64() && self.language.has_fp64(),
            _ => true,
        }
    }

    /// Binds `ndrange_t`, the record that [`crate::ir::runtime::ndrange`] describes.
    fn predefine_range(&mut self) {
        let name = self.session.symbols.intern("size_t");
        let size = self.lookup(name);
        let size = if let Some(Binding::Typedef(ty)) = size { ty } else { QualTy::plain(ULONG) };
        let sizes = QualTy::plain(self.types.intern(TypeKind::Array(size, Some(3))));
        let members = [
            ("workDimension", QualTy::plain(UINT), ndrange::DIMS),
            ("globalWorkOffset", sizes, ndrange::OFFSET),
            ("globalWorkSize", sizes, ndrange::GLOBAL),
            ("localWorkSize", sizes, ndrange::LOCAL),
        ];
        let fields = members.map(|(name, ty, offset)| Field {
            name: Some(self.session.symbols.intern(name)),
            ty,
            offset: offset as u64,
            bits: None,
        });
        let id = RecordId(self.types.records.len() as u32);
        self.types.records.push(Record {
            is_complete: true,
            fields: fields.to_vec(),
            size: ndrange::BYTES as u64,
            align: 8,
            has_device_type: true,
            depth: 1,
            ..Record::default()
        });
        self.types.ndrange = self.types.intern(TypeKind::Record(id));
        self.predefine_typedef("ndrange_t", TypeKind::Record(id));
    }

    fn predefine_typedef(&mut self, name: &str, kind: TypeKind) {
        let symbol = self.session.symbols.intern(name);
        let to = QualTy::plain(self.types.intern(kind));
        let ty = self.types.intern(TypeKind::Typedef(symbol, to));
        self.scopes.bind(symbol, Binding::Typedef(QualTy::plain(ty)), Loc::default());
    }

    /// Binds an enumeration, by its tag and as a type name, and its constants.
    fn predefine_enum(&mut self, name: &str, constants: &Constants) {
        let symbol = self.session.symbols.intern(name);
        let id = EnumId(self.types.enums.len() as u32);
        self.types.enums.push(EnumData { tag: Some(symbol), is_complete: true, underlying: Arith::UInt });
        self.scopes.bind_tag(symbol, Tag::Enum(id), Loc::default());
        self.predefine_typedef(name, TypeKind::Enum(id));
        for (name, value, feature) in constants {
            if feature.is_none_or(|feature| self.language.since_2_0_with(feature)) {
                let symbol = self.session.symbols.intern(name);
                let binding = Binding::Constant { value: *value, ty: INT };
                self.scopes.bind(symbol, binding, Loc::default());
            }
        }
    }

    fn predefine_plain(&mut self, name: &str, kind: TypeKind) {
        let symbol = self.session.symbols.intern(name);
        let ty = QualTy::plain(self.types.intern(kind));
        self.scopes.bind(symbol, Binding::Typedef(ty), Loc::default());
    }
}
