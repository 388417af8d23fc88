//! Sections of a SPIR-V module under construction: ids, unique types and constants, capabilities,
//! decorations.
//!
//! Types and constants are interned: equal requests return one id. The module knows only scalar types of the
//! IR, and checks requested capabilities against the target.

use crate::error::{CompileError, Result};
use crate::ir::{Scalar, Type};
use crate::target::{Target, VulkanTarget};
use rustc_hash::FxHashMap;
use spirv::{Capability, Decoration, Op, StorageClass};
use std::collections::BTreeSet;

/// Id of a SPIR-V result.
pub(super) type Id = u32;

/// Kinds of interned types.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum TypeKey {
    Void,
    Value(Type),
    /// Pointer to a type.
    Pointer(u32, Id),
    /// Array of an element type with the id of its length and an explicit stride (0: none).
    Array(Id, Id, u32),
    /// Runtime array with a stride.
    RuntimeArray(Id, u32),
    /// Block structure with one member at an offset.
    Block(Id, u32),
    /// `BufferBlock` structure with one member at offset 0.
    BufferBlock(Id),
    /// Block structure whose one member has a decoration.
    DecoratedBlock(Id, u32),
    /// Structure of two equal members (double-width products).
    Pair(Id),
    Function,
    /// Image of a texel type, dimensions, arrayed, storage, format.
    Image(Id, u32, bool, bool, u32),
    Sampler,
    /// Image of a type with a sampler.
    SampledImage(Id),
}

pub(super) struct SpirvModule<'a> {
    pub(super) target: &'a Target,
    pub(super) vulkan: &'a VulkanTarget,
    next_id: Id,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    pub(super) names: Vec<u32>,
    pub(super) annotations: Vec<u32>,
    pub(super) execution_modes: Vec<u32>,
    /// Section of types, constants and module-scope variables.
    pub(super) globals: Vec<u32>,
    /// Variables the entry point lists.
    pub(super) interface: Vec<(StorageClass, Id)>,
    types: FxHashMap<TypeKey, Id>,
    constants: FxHashMap<(Id, u64), Id>,
    composites: FxHashMap<(Id, Vec<Id>), Id>,
    nulls: FxHashMap<Id, Id>,
    spec_constants: FxHashMap<u32, Id>,
    /// Id of GLSL.std.450.
    pub(super) glsl: Id,
}

/// The extension that a capability needs in versions of SPIR-V before the one that includes it.
fn extension_of(c: Capability) -> Option<(&'static str, (u8, u8))> {
    Some(match c {
        Capability::DenormPreserve
        | Capability::DenormFlushToZero
        | Capability::SignedZeroInfNanPreserve
        | Capability::RoundingModeRTE => ("SPV_KHR_float_controls", (1, 4)),
        Capability::StorageBuffer8BitAccess => ("SPV_KHR_8bit_storage", (1, 5)),
        Capability::StorageBuffer16BitAccess => ("SPV_KHR_16bit_storage", (1, 3)),
        Capability::PhysicalStorageBufferAddresses => ("SPV_KHR_physical_storage_buffer", (1, 5)),
        Capability::VulkanMemoryModel => ("SPV_KHR_vulkan_memory_model", (1, 5)),
        _ => return None,
    })
}

/// Appends an instruction to a section.
pub(super) fn push(section: &mut Vec<u32>, op: Op, operands: &[u32]) {
    section.push(((operands.len() as u32 + 1) << 16) | op as u32);
    section.extend_from_slice(operands);
}

/// A string as SPIR-V operand words.
pub(super) fn string_words(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.retain(|b| *b != 0);
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

impl<'a> SpirvModule<'a> {
    pub(super) fn new(target: &'a Target, vulkan: &'a VulkanTarget) -> Self {
        let mut capabilities = BTreeSet::new();
        capabilities.insert(Capability::Shader as u32);
        SpirvModule {
            target,
            vulkan,
            next_id: 2,
            capabilities,
            extensions: BTreeSet::new(),
            names: Vec::new(),
            annotations: Vec::new(),
            execution_modes: Vec::new(),
            globals: Vec::new(),
            interface: Vec::new(),
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            composites: FxHashMap::default(),
            nulls: FxHashMap::default(),
            spec_constants: FxHashMap::default(),
            glsl: 1,
        }
    }

    pub(super) fn id(&mut self) -> Id {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    pub(super) fn capability(&mut self, c: Capability) {
        self.capabilities.insert(c as u32);
        if let Some((extension, core)) = extension_of(c)
            && self.vulkan.spirv_version < core
        {
            self.extension(extension);
        }
    }

    /// Declares a capability if the target has it.
    pub(super) fn require(&mut self, c: Capability, has: bool, what: &str) -> Result<()> {
        if !has {
            return Err(CompileError::unsupported(format!("{what} on this device"), 0));
        }
        self.capability(c);
        Ok(())
    }

    pub(super) fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    pub(super) fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[u32]) {
        let mut words = vec![id, decoration as u32];
        words.extend_from_slice(operands);
        push(&mut self.annotations, Op::Decorate, &words);
    }

    fn intern(&mut self, key: TypeKey, op: Op, operands: &[u32]) -> (Id, bool) {
        if let Some(&id) = self.types.get(&key) {
            return (id, false);
        }
        let id = self.id();
        let mut words = vec![id];
        words.extend_from_slice(operands);
        push(&mut self.globals, op, &words);
        self.types.insert(key, id);
        (id, true)
    }

    pub(super) fn void(&mut self) -> Id {
        self.intern(TypeKey::Void, Op::TypeVoid, &[]).0
    }

    /// The type of `void()`.
    pub(super) fn function_type(&mut self) -> Id {
        let void = self.void();
        self.intern(TypeKey::Function, Op::TypeFunction, &[void]).0
    }

    fn scalar(&mut self, s: Scalar) -> Result<Id> {
        let t = self.target;
        let key = TypeKey::Value(Type::Scalar(s));
        if let Some(&id) = self.types.get(&key) {
            return Ok(id);
        }
        match s {
            // Without arithmetic on a narrow type its values may still be loaded, stored and converted.
            Scalar::I8 if !t.int8 => {
                self.require(Capability::StorageBuffer8BitAccess, self.vulkan.storage8, "8-bit integers")?
            }
            Scalar::I8 => self.capability(Capability::Int8),
            Scalar::I16 if !t.int16 => {
                self.require(Capability::StorageBuffer16BitAccess, self.vulkan.storage16, "16-bit integers")?
            }
            Scalar::I16 => self.capability(Capability::Int16),
            Scalar::I64 => self.require(Capability::Int64, t.int64, "64-bit integers")?,
            Scalar::F16 if !t.float16 => {
                self.require(Capability::StorageBuffer16BitAccess, self.vulkan.storage16, "half")?
            }
            Scalar::F16 => self.capability(Capability::Float16),
            Scalar::F64 => self.require(Capability::Float64, t.float64, "double")?,
            Scalar::I1 | Scalar::I32 | Scalar::F32 => {}
        }
        let (id, _) = match s {
            Scalar::I1 => self.intern(key, Op::TypeBool, &[]),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => self.intern(key, Op::TypeFloat, &[s.bits()]),
            _ => self.intern(key, Op::TypeInt, &[s.bits(), 0]),
        };
        Ok(id)
    }

    /// The type of an SSA value.
    pub(super) fn ty(&mut self, ty: Type) -> Result<Id> {
        match ty {
            Type::Scalar(s) => self.scalar(s),
            Type::Vector(s, n) if n <= 4 => {
                let scalar = self.scalar(s)?;
                Ok(self.intern(TypeKey::Value(ty), Op::TypeVector, &[scalar, n as u32]).0)
            }
            _ => Err(CompileError::internal(format!("emit: values of type {ty} must be legalised"))),
        }
    }

    pub(super) fn has_type(&self, scalar: Scalar) -> bool {
        self.types.contains_key(&TypeKey::Value(Type::Scalar(scalar)))
    }

    pub(super) fn pointer(&mut self, class: StorageClass, pointee: Id) -> Id {
        self.intern(TypeKey::Pointer(class as u32, pointee), Op::TypePointer, &[class as u32, pointee]).0
    }

    pub(super) fn array(&mut self, elem: Id, len: Id, stride: u32) -> Id {
        let (id, new) = self.intern(TypeKey::Array(elem, len, stride), Op::TypeArray, &[elem, len]);
        if new && stride != 0 {
            self.decorate(id, Decoration::ArrayStride, &[stride]);
        }
        id
    }

    pub(super) fn runtime_array(&mut self, elem: Id, stride: u32) -> Id {
        let (id, new) = self.intern(TypeKey::RuntimeArray(elem, stride), Op::TypeRuntimeArray, &[elem]);
        if new {
            self.decorate(id, Decoration::ArrayStride, &[stride]);
        }
        id
    }

    /// A `Block` structure whose only member is at offset 0.
    pub(super) fn block(&mut self, member: Id) -> Id {
        self.block_at(member, 0)
    }

    /// A `Block` structure whose only member is at an offset.
    pub(super) fn block_at(&mut self, member: Id, offset: u32) -> Id {
        let (id, new) = self.intern(TypeKey::Block(member, offset), Op::TypeStruct, &[member]);
        if new {
            self.decorate(id, Decoration::Block, &[]);
            push(&mut self.annotations, Op::MemberDecorate, &[id, 0, Decoration::Offset as u32, offset]);
        }
        id
    }

    /// A variable for a storage buffer with one member. Before SPIR-V 1.3 such buffers are in the storage
    /// class Uniform, unless the target has the extension that brings their own.
    pub(super) fn storage_buffer(&mut self, member: Id) -> (Id, StorageClass) {
        if self.vulkan.storage_buffer_class {
            if self.vulkan.spirv_version < (1, 3) {
                self.extension("SPV_KHR_storage_buffer_storage_class");
            }
            let block = self.block(member);
            return (self.variable(StorageClass::StorageBuffer, block), StorageClass::StorageBuffer);
        }
        let (block, new) = self.intern(TypeKey::BufferBlock(member), Op::TypeStruct, &[member]);
        if new {
            self.decorate(block, Decoration::BufferBlock, &[]);
            push(&mut self.annotations, Op::MemberDecorate, &[block, 0, Decoration::Offset as u32, 0]);
        }
        (self.variable(StorageClass::Uniform, block), StorageClass::Uniform)
    }

    /// A `Block` structure whose only member, at offset 0, has a decoration.
    pub(super) fn decorated_block(&mut self, member: Id, decoration: Decoration) -> Id {
        let (id, new) =
            self.intern(TypeKey::DecoratedBlock(member, decoration as u32), Op::TypeStruct, &[member]);
        if new {
            self.decorate(id, Decoration::Block, &[]);
            push(&mut self.annotations, Op::MemberDecorate, &[id, 0, Decoration::Offset as u32, 0]);
            push(&mut self.annotations, Op::MemberDecorate, &[id, 0, decoration as u32]);
        }
        id
    }

    /// An image type.
    pub(super) fn image(
        &mut self,
        texel: Id,
        dim: spirv::Dim,
        arrayed: bool,
        storage: bool,
        format: spirv::ImageFormat,
    ) -> Id {
        let key = TypeKey::Image(texel, dim as u32, arrayed, storage, format as u32);
        let words = [texel, dim as u32, 0, arrayed as u32, 0, 1 + storage as u32, format as u32];
        self.intern(key, Op::TypeImage, &words).0
    }

    pub(super) fn sampler(&mut self) -> Id {
        self.intern(TypeKey::Sampler, Op::TypeSampler, &[]).0
    }

    pub(super) fn sampled_image(&mut self, image: Id) -> Id {
        self.intern(TypeKey::SampledImage(image), Op::TypeSampledImage, &[image]).0
    }

    pub(super) fn pair(&mut self, member: Id) -> Id {
        self.intern(TypeKey::Pair(member), Op::TypeStruct, &[member, member]).0
    }

    /// A constant with the given bits in every lane.
    pub(super) fn splat(&mut self, ty: Type, bits: u64) -> Result<Id> {
        self.constant(ty, &[bits])
    }

    pub(super) fn u32(&mut self, x: u32) -> Result<Id> {
        self.constant(crate::ir::I32, &[x as u64])
    }

    /// A constant of a scalar or vector type; one bit pattern for each lane, or one for all.
    pub(super) fn constant(&mut self, ty: Type, lanes: &[u64]) -> Result<Id> {
        let Some(scalar) = ty.scalar() else {
            return Err(CompileError::internal(format!("emit: constant of type {ty}")));
        };
        if let Type::Vector(_, n) = ty {
            let lane = |i: usize| lanes.get(i).or(lanes.first()).copied().unwrap_or(0);
            let mut ids = Vec::with_capacity(n as usize);
            for i in 0..n as usize {
                ids.push(self.constant(Type::Scalar(scalar), &[lane(i)])?);
            }
            let ty = self.ty(ty)?;
            if let Some(&id) = self.composites.get(&(ty, ids.clone())) {
                return Ok(id);
            }
            let id = self.id();
            let mut words = vec![ty, id];
            words.extend_from_slice(&ids);
            push(&mut self.globals, Op::ConstantComposite, &words);
            self.composites.insert((ty, ids), id);
            return Ok(id);
        }
        let bits = lanes.first().copied().unwrap_or(0) & scalar.mask();
        let ty = self.ty(ty)?;
        if let Some(&id) = self.constants.get(&(ty, bits)) {
            return Ok(id);
        }
        let id = self.id();
        match scalar {
            Scalar::I1 if bits != 0 => push(&mut self.globals, Op::ConstantTrue, &[ty, id]),
            Scalar::I1 => push(&mut self.globals, Op::ConstantFalse, &[ty, id]),
            Scalar::I64 | Scalar::F64 => {
                push(&mut self.globals, Op::Constant, &[ty, id, bits as u32, (bits >> 32) as u32]);
            }
            _ => push(&mut self.globals, Op::Constant, &[ty, id, bits as u32]),
        }
        self.constants.insert((ty, bits), id);
        Ok(id)
    }

    /// A constant whose bits are all zero, of an IR type.
    pub(super) fn null(&mut self, ty: Type) -> Result<Id> {
        let ty = self.ty(ty)?;
        Ok(self.null_of(ty))
    }

    /// A constant whose bits are all zero, of a declared type.
    pub(super) fn null_of(&mut self, ty: Id) -> Id {
        if let Some(&id) = self.nulls.get(&ty) {
            return id;
        }
        let id = self.id();
        push(&mut self.globals, Op::ConstantNull, &[ty, id]);
        self.nulls.insert(ty, id);
        id
    }

    /// The 32-bit specialisation constant with this SpecId.
    pub(super) fn spec_constant(&mut self, spec_id: u32, default: u32) -> Result<Id> {
        if let Some(&id) = self.spec_constants.get(&spec_id) {
            return Ok(id);
        }
        let ty = self.ty(crate::ir::I32)?;
        let id = self.id();
        push(&mut self.globals, Op::SpecConstant, &[ty, id, default]);
        self.decorate(id, Decoration::SpecId, &[spec_id]);
        self.spec_constants.insert(spec_id, id);
        Ok(id)
    }

    /// A module-scope variable, listed in the interface.
    pub(super) fn variable(&mut self, class: StorageClass, pointee: Id) -> Id {
        self.variable_with(class, pointee, None)
    }

    /// A module-scope variable with an initializer, listed in the interface.
    pub(super) fn variable_with(&mut self, class: StorageClass, pointee: Id, initial: Option<Id>) -> Id {
        let ty = self.pointer(class, pointee);
        let id = self.id();
        push(
            &mut self.globals,
            Op::Variable,
            [[ty, id, class as u32].as_slice(), initial.as_slice()].concat().as_slice(),
        );
        self.interface.push((class, id));
        id
    }

    /// Joins the sections. `entry` is the function `main`; `code` the function definitions.
    pub(super) fn finish(
        self,
        addressing: spirv::AddressingModel,
        memory: spirv::MemoryModel,
        entry: Id,
        code: &[u32],
    ) -> Vec<u32> {
        let (major, minor) = self.vulkan.spirv_version;
        let mut out =
            vec![spirv::MAGIC_NUMBER, ((major as u32) << 16) | ((minor as u32) << 8), 0, self.next_id, 0];
        for &c in &self.capabilities {
            push(&mut out, Op::Capability, &[c]);
        }
        for &e in &self.extensions {
            push(&mut out, Op::Extension, &string_words(e));
        }
        let mut words = vec![self.glsl];
        words.extend(string_words("GLSL.std.450"));
        push(&mut out, Op::ExtInstImport, &words);
        push(&mut out, Op::MemoryModel, &[addressing as u32, memory as u32]);
        let mut words = vec![spirv::ExecutionModel::GLCompute as u32, entry];
        words.extend(string_words(crate::abi::ENTRY_POINT));
        // Before SPIR-V 1.4 the interface lists inputs and outputs only.
        let lists_all = self.vulkan.spirv_version >= (1, 4);
        let listed = self.interface.iter().filter(|(class, _)| lists_all || *class == StorageClass::Input);
        words.extend(listed.map(|(_, id)| id));
        push(&mut out, Op::EntryPoint, &words);
        for section in [&self.execution_modes, &self.names, &self.annotations, &self.globals] {
            out.extend_from_slice(section);
        }
        out.extend_from_slice(code);
        out
    }
}
