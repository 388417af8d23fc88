//! SPIR-V types: the IR types of values, layouts in memory, address spaces.
//!
//! Every type is described once, when it is declared, from types declared before it. So sizes need no
//! recursion, and hostile input cannot cause endless loops. Aggregates are lists of *leaves* (scalars,
//! vectors, pointers) with byte offsets; an aggregate value is one IR value for each leaf.

use super::read::Instr;
use crate::error::Result;
use crate::ir::{I32, I64, ImageDim, Opaque, Scalar, Space, Type};
use crate::metadata::AccessQualifier;
use rustc_hash::FxHashMap;
use spirv::StorageClass;
use std::rc::Rc;

/// Maximum number of leaves of an aggregate value.
const MAX_LEAVES: usize = 4096;

/// The declaration that a type id refers to.
#[derive(Clone, Debug)]
pub enum SpirvTypeKind {
    Void,
    /// A type whose values are one IR value.
    Plain(Type),
    Ptr {
        storage: StorageClass,
        pointee: u32,
    },
    Array {
        elem: u32,
        len: u64,
    },
    Struct {
        members: Rc<[u32]>,
        offsets: Rc<[u64]>,
    },
    Function {
        ret: u32,
        params: Rc<[u32]>,
    },
    Image {
        dim: ImageDim,
        access: AccessQualifier,
    },
    /// One leaf: an `i32` ([`crate::abi::sampler`]).
    Sampler,
    /// Image and sampler together: two leaves.
    SampledImage(ImageDim),
    /// The address of the pipe's memory ([`crate::abi::pipe`]).
    Pipe(AccessQualifier),
    /// A queue on the device: a number that the runtime assigns.
    Queue,
    /// A type that no supported instruction uses.
    Other(&'static str),
}

/// A type with its layout by OpenCL C rules.
#[derive(Clone, Debug)]
pub struct TypeInfo {
    pub kind: SpirvTypeKind,
    /// Bytes in memory, including padding.
    pub size: u64,
    pub align: u32,
    /// Levels of nesting, bounded so that walks over a type cannot exhaust the stack.
    pub depth: u32,
    /// Number of leaves of a value (saturating).
    pub leaves: usize,
}

/// A leaf of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    pub ty: Type,
    pub offset: u64,
}

/// Address space of a storage class; `None` for classes without OpenCL memory.
pub fn space_of(storage: StorageClass) -> Option<Space> {
    Some(match storage {
        StorageClass::Function | StorageClass::Private | StorageClass::Input => Space::Private,
        StorageClass::Workgroup => Space::Local,
        StorageClass::CrossWorkgroup => Space::Global,
        StorageClass::UniformConstant => Space::Constant,
        StorageClass::Generic => Space::Generic,
        _ => return None,
    })
}

/// Size and alignment of a plain type in memory: vectors of three have those of four.
pub fn layout(ty: Type) -> (u64, u32) {
    match ty {
        Type::Scalar(s) => (s.bytes() as u64, s.bytes()),
        Type::Vector(s, n) => {
            let bytes = s.bytes() * (n as u32).next_power_of_two();
            (bytes as u64, bytes)
        }
        Type::Ptr(_) | Type::PtrVector(..) | Type::Opaque(_) => (8, 8),
    }
}

/// All types of a module.
#[derive(Default)]
pub struct TypeTable {
    map: FxHashMap<u32, TypeInfo>,
}

impl TypeTable {
    /// The type with this id.
    pub fn get(&self, id: u32) -> Option<&TypeInfo> {
        self.map.get(&id)
    }
    /// The type with this id, or an error at `inst`.
    pub fn need(&self, id: u32, inst: &Instr<'_>) -> Result<&TypeInfo> {
        self.map.get(&id).ok_or_else(|| inst.bad(format_args!("%{id} is not a type")))
    }
    /// The IR type of a single value.
    pub fn plain(&self, id: u32, inst: &Instr<'_>) -> Result<Type> {
        match self.need(id, inst)?.kind {
            SpirvTypeKind::Plain(ty) => Ok(ty),
            SpirvTypeKind::Image { .. } => Ok(Type::Opaque(Opaque::Image)),
            SpirvTypeKind::Sampler => Ok(I32),
            SpirvTypeKind::Queue => Ok(I64),
            SpirvTypeKind::Pipe(_) => Ok(Type::Ptr(Space::Global)),
            SpirvTypeKind::Ptr { storage, .. } => match space_of(storage) {
                Some(space) => Ok(Type::Ptr(space)),
                None => Err(inst.bad(format_args!("pointer in storage class {storage:?}"))),
            },
            _ => Err(inst.bad(format_args!("%{id} is not a scalar, vector or pointer type"))),
        }
    }
    /// Storage class and pointee of a pointer type.
    pub fn pointer(&self, id: u32, inst: &Instr<'_>) -> Result<(StorageClass, u32)> {
        match self.need(id, inst)?.kind {
            SpirvTypeKind::Ptr { storage, pointee } => Ok((storage, pointee)),
            _ => Err(inst.bad(format_args!("%{id} is not a pointer type"))),
        }
    }
    /// Whether values of the type are split into leaves.
    pub fn is_aggregate(&self, id: u32) -> bool {
        matches!(
            self.get(id).map(|t| &t.kind),
            Some(SpirvTypeKind::Array { .. } | SpirvTypeKind::Struct { .. } | SpirvTypeKind::SampledImage(_))
        )
    }
    /// Declares a type.
    pub fn insert(&mut self, id: u32, inst: &Instr<'_>, info: TypeInfo) -> Result<()> {
        if self.map.insert(id, info).is_some() {
            return Err(inst.bad(format_args!("%{id} is declared twice")));
        }
        Ok(())
    }
    /// Leaves of a value of this type, in order.
    pub fn leaves(&self, id: u32, inst: &Instr<'_>) -> Result<Vec<Leaf>> {
        let count = self.need(id, inst)?.leaves;
        if count > MAX_LEAVES {
            return Err(crate::CompileError::unsupported(
                format!("a value of an aggregate type with {count} members"),
                0,
            ));
        }
        let mut out = Vec::with_capacity(count);
        self.collect(id, 0, inst, &mut out)?;
        Ok(out)
    }
    /// IR types of the leaves.
    pub fn leaf_types(&self, id: u32, inst: &Instr<'_>) -> Result<Vec<Type>> {
        Ok(self.leaves(id, inst)?.into_iter().map(|l| l.ty).collect())
    }
    fn collect(&self, id: u32, base: u64, inst: &Instr<'_>, out: &mut Vec<Leaf>) -> Result<()> {
        let info = self.need(id, inst)?;
        if info.leaves == 0 && matches!(info.kind, SpirvTypeKind::Struct { .. } | SpirvTypeKind::Array { .. })
        {
            return Ok(());
        }
        match &info.kind {
            SpirvTypeKind::Void => {}
            SpirvTypeKind::Plain(ty) => out.push(Leaf { ty: *ty, offset: base }),
            SpirvTypeKind::Ptr { .. } | SpirvTypeKind::Pipe(_) | SpirvTypeKind::Queue => {
                out.push(Leaf { ty: self.plain(id, inst)?, offset: base })
            }
            SpirvTypeKind::Image { .. } => out.push(Leaf { ty: Type::Opaque(Opaque::Image), offset: base }),
            SpirvTypeKind::Sampler => out.push(Leaf { ty: I32, offset: base }),
            SpirvTypeKind::SampledImage(_) => {
                out.push(Leaf { ty: Type::Opaque(Opaque::Image), offset: base });
                out.push(Leaf { ty: I32, offset: base + 8 });
            }
            SpirvTypeKind::Array { elem, len } => {
                let (elem, len) = (*elem, *len);
                let stride = self.need(elem, inst)?.size;
                if self.need(elem, inst)?.leaves > 0 {
                    for i in 0..len {
                        self.collect(elem, base + i * stride, inst, out)?;
                    }
                }
            }
            SpirvTypeKind::Struct { members, offsets } => {
                for (m, o) in members.iter().zip(offsets.iter()) {
                    self.collect(*m, base + o, inst, out)?;
                }
            }
            SpirvTypeKind::Function { .. } | SpirvTypeKind::Other(_) => {
                return Err(inst.bad(format_args!("%{id} is not the type of a value")));
            }
        }
        Ok(())
    }
    /// Member type, byte offset and first leaf of member or element `index` of an aggregate.
    pub fn member(&self, id: u32, index: u64, inst: &Instr<'_>) -> Result<(u32, u64, usize)> {
        let out_of_range = || inst.bad(format_args!("index {index} is out of range"));
        match &self.need(id, inst)?.kind {
            SpirvTypeKind::Array { elem, len } => {
                if index >= *len {
                    return Err(out_of_range());
                }
                let e = self.need(*elem, inst)?;
                Ok((*elem, index.wrapping_mul(e.size), (index as usize).saturating_mul(e.leaves)))
            }
            SpirvTypeKind::Struct { members, offsets } => {
                let i = usize::try_from(index).map_err(|_| out_of_range())?;
                let ty = *members.get(i).ok_or_else(out_of_range)?;
                let first = members[..i]
                    .iter()
                    .map(|m| self.get(*m).map_or(0, |t| t.leaves))
                    .fold(0, usize::saturating_add);
                Ok((ty, offsets[i], first))
            }
            _ => Err(inst.bad("index into a type that is not an aggregate")),
        }
    }
}

/// A type that is one IR value.
pub fn plain(ty: Type) -> TypeInfo {
    let (size, align) = layout(ty);
    TypeInfo { kind: SpirvTypeKind::Plain(ty), size, align, leaves: 1, depth: 0 }
}

/// The kind of a declaration that needs no other type (`None` if it needs one).
pub fn leaf_declaration(inst: &Instr<'_>) -> Result<Option<TypeInfo>> {
    use spirv::Op;
    let other =
        |name| Some(TypeInfo { kind: SpirvTypeKind::Other(name), size: 8, align: 8, leaves: 0, depth: 0 });
    Ok(match inst.op {
        Op::TypeVoid => Some(TypeInfo { kind: SpirvTypeKind::Void, size: 0, align: 1, leaves: 0, depth: 0 }),
        Op::TypeBool => Some(plain(Type::Scalar(Scalar::I1))),
        Op::TypeInt => match Scalar::int(inst.word(1)?).filter(|s| *s != Scalar::I1) {
            Some(s) => Some(plain(Type::Scalar(s))),
            None => return Err(inst.bad(format_args!("integers of {} bits", inst.word(1)?))),
        },
        Op::TypeFloat => match Scalar::float(inst.word(1)?) {
            Some(s) => Some(plain(Type::Scalar(s))),
            None => return Err(inst.bad(format_args!("floats of {} bits", inst.word(1)?))),
        },
        // Asynchronous copies complete at once, so an event holds no data.
        Op::TypeEvent => Some(plain(I64)),
        Op::TypeSampler => {
            Some(TypeInfo { kind: SpirvTypeKind::Sampler, size: 4, align: 4, leaves: 1, depth: 0 })
        }
        Op::TypeImage => match image(inst)? {
            Ok(kind) => Some(TypeInfo { kind, size: 8, align: 8, leaves: 1, depth: 0 }),
            Err(what) => other(what),
        },
        Op::TypeOpaque => other("opaque type"),
        Op::TypePipe => Some(TypeInfo {
            kind: SpirvTypeKind::Pipe(access(inst.ops.get(1))),
            size: 8,
            align: 8,
            leaves: 1,
            depth: 0,
        }),
        // A number of packets and the first of them.
        Op::TypeReserveId => Some(plain(I64)),
        Op::TypePipeStorage => other("pipe storage"),
        // A number that the runtime assigns.
        Op::TypeDeviceEvent => Some(plain(I64)),
        Op::TypeQueue => {
            Some(TypeInfo { kind: SpirvTypeKind::Queue, size: 8, align: 8, leaves: 1, depth: 0 })
        }
        Op::TypeNamedBarrier => other("named barrier"),
        _ => None,
    })
}

/// OpTypeImage; the inner error names a kind of image that is not supported.
fn image(inst: &Instr<'_>) -> Result<std::result::Result<SpirvTypeKind, &'static str>> {
    use spirv::Dim;
    let (arrayed, multisampled) = (inst.word(4)? == 1, inst.word(5)? == 1);
    if multisampled {
        return Ok(Err("multi-sampled image"));
    }
    let dim = match (Dim::from_u32(inst.word(2)?), arrayed) {
        (Some(Dim::Dim1D), false) => ImageDim::D1,
        (Some(Dim::Dim1D), true) => ImageDim::D1Array,
        (Some(Dim::DimBuffer), false) => ImageDim::Buffer,
        (Some(Dim::Dim2D), false) => ImageDim::D2,
        (Some(Dim::Dim2D), true) => ImageDim::D2Array,
        (Some(Dim::Dim3D), false) => ImageDim::D3,
        _ => return Err(inst.bad("an image of these dimensions")),
    };
    Ok(Ok(SpirvTypeKind::Image { dim, access: access(inst.ops.get(8)) }))
}

/// An access qualifier; without one, images are read-only.
fn access(word: Option<&u32>) -> AccessQualifier {
    match word {
        Some(1) => AccessQualifier::WriteOnly,
        Some(2) => AccessQualifier::ReadWrite,
        _ => AccessQualifier::ReadOnly,
    }
}
