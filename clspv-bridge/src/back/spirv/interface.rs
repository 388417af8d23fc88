//! A module's interface: push constants, descriptors, workgroup memory, built-in inputs and workgroup size.
//! The private arrays of a work-item are declared here too.

use super::emit::Emitter;
use super::image::ImageVar;
use super::module::{Id, push};
use crate::abi::{SPEC_FIRST_IMAGE, SPEC_LINEAR_LOCAL_SIZE, SPEC_LOCAL_SIZE};
use crate::error::{CompileError, Result};
use crate::ir::{F16, I1, I32, I64, Op as IrOp, Scalar, ShaderInput, Type, Var, VarClass, VarLen};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

/// An emitted [`Var`]: its variable, storage class and element type.
#[derive(Clone, Copy)]
pub(super) struct VarInfo {
    pub(super) id: Id,
    pub(super) class: StorageClass,
    pub(super) elem: Type,
    /// Whether the variable is a block whose only member is the array of elements.
    pub(super) in_block: bool,
    /// Whether the same memory is written with another type, unknown to the driver.
    pub(super) is_shared: bool,
}

/// Module-scope ids that instructions refer to.
#[derive(Default)]
pub(super) struct Interface {
    pub(super) vars: FxHashMap<Var, VarInfo>,
    pub(super) images: FxHashMap<Var, ImageVar>,
    /// Variables of samplers by binding.
    pub(super) samplers: FxHashMap<u32, Id>,
    pub(super) inputs: FxHashMap<BuiltIn, Id>,
    /// The push-constant variable: a block with one array of 32-bit words.
    pub(super) push_words: Option<Id>,
    pub(super) local_size: [Id; 3],
    /// Function-storage variables, to be declared in the entry block: (pointer type, id).
    pub(super) function_vars: Vec<(Id, Id)>,
}

impl Emitter<'_> {
    /// Declares everything that the function's instructions need.
    pub(super) fn declare_interface(&mut self) -> Result<()> {
        self.declare_workgroup_size()?;
        self.declare_push_constants()?;
        self.declare_vars()
    }

    /// The WorkgroupSize built-in as specialisation constants works on every driver, unlike LocalSizeId.
    fn declare_workgroup_size(&mut self) -> Result<()> {
        let local = self.kernel.and_then(|k| k.reqd_work_group_size).unwrap_or([1, 1, 1]).map(|n| n.max(1));
        let default = if self.linear { [local.iter().product(), 1, 1] } else { local };
        let mut workgroup = [0; 3];
        for (i, id) in SPEC_LOCAL_SIZE.into_iter().enumerate() {
            workgroup[i] = self.m.spec_constant(id, default[i])?;
        }
        self.interface.local_size = workgroup;
        if self.linear {
            for (i, id) in SPEC_LINEAR_LOCAL_SIZE.into_iter().enumerate() {
                self.interface.local_size[i] = self.m.spec_constant(id, local[i])?;
            }
        }
        let ty = self.m.ty(Type::Vector(Scalar::I32, 3))?;
        let id = self.m.id();
        let [x, y, z] = workgroup;
        push(&mut self.m.globals, Op::SpecConstantComposite, &[ty, id, x, y, z]);
        self.m.decorate(id, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
        let mode = [self.entry, spirv::ExecutionMode::LocalSize as u32, default[0], default[1], default[2]];
        push(&mut self.m.execution_modes, Op::ExecutionMode, &mode);
        Ok(())
    }

    /// One array of words serves reads of all types and offsets, overlapping ones too.
    fn declare_push_constants(&mut self) -> Result<()> {
        let mut end = 0;
        for data in self.func.data_in_order() {
            if let (IrOp::PushConst { offset }, Some(&r)) = (&data.op, data.results.first()) {
                let bytes = self.func.ty(r).access_bytes().unwrap_or(0);
                end = end.max(offset.saturating_add(bytes));
            }
        }
        if end == 0 {
            return Ok(());
        }
        if end > self.vulkan.max_push_constants {
            let what =
                format!("{end} bytes of push constants (the device has {})", self.vulkan.max_push_constants);
            return Err(CompileError::internal(format!("emit: {what}")));
        }
        let word = self.m.ty(I32)?;
        let len = self.m.u32(end.div_ceil(4))?;
        let array = self.m.array(word, len, 4);
        let block = self.m.block(array);
        self.interface.push_words = Some(self.m.variable(StorageClass::PushConstant, block));
        Ok(())
    }

    fn declare_vars(&mut self) -> Result<()> {
        let shared = self.shared_bindings();
        let layout = self.workgroup_layout()?;
        for (var, data) in self.func.vars.iter() {
            let elem = self.m.ty(data.elem)?;
            if let VarClass::Image { binding, dim, storage } = data.class {
                self.declare_image(var, data.elem, binding, dim, storage)?;
                continue;
            }
            let info = match data.class {
                VarClass::Buffer { binding, readonly } => {
                    if data.elem.lanes() == 3 {
                        return Err(CompileError::internal(format!(
                            "emit: {var} has elements of three lanes, whose stride differs"
                        )));
                    }
                    self.require_storage(data.elem)?;
                    let array = self.m.runtime_array(elem, data.elem.access_bytes().unwrap_or(4));
                    let (id, class) = self.m.storage_buffer(array);
                    self.m.decorate(id, Decoration::DescriptorSet, &[0]);
                    self.m.decorate(id, Decoration::Binding, &[binding]);
                    // Views of one binding alias, and so may the buffers of two arguments.
                    self.m.decorate(id, Decoration::Aliased, &[]);
                    if self.coherent {
                        self.m.decorate(id, Decoration::Coherent, &[]);
                    }
                    if readonly {
                        self.m.decorate(id, Decoration::NonWritable, &[]);
                    }
                    let is_shared = shared.contains(&binding);
                    VarInfo { id, class, elem: data.elem, in_block: true, is_shared }
                }
                VarClass::Workgroup | VarClass::View { .. } | VarClass::Private | VarClass::Image { .. } => {
                    let len = match data.len {
                        VarLen::Fixed(n) => self.m.u32(n.max(1))?,
                        VarLen::Spec(id) => self.m.spec_constant(id, 1)?,
                        VarLen::Runtime => {
                            return Err(CompileError::internal(format!("emit: {var} has no length")));
                        }
                    };
                    if data.class == VarClass::Private {
                        let array = self.m.array(elem, len, 0);
                        let class = StorageClass::Function;
                        let ty = self.m.pointer(class, array);
                        let id = self.m.id();
                        self.interface.function_vars.push((ty, id));
                        VarInfo { id, class, elem: data.elem, in_block: false, is_shared: false }
                    } else {
                        self.declare_workgroup(var, data, (elem, len), layout.as_ref())
                    }
                }
            };
            self.interface.vars.insert(var, info);
        }
        Ok(())
    }

    /// Bindings that have several views, one of them written. The driver may treat the views as different
    /// memory.
    fn shared_bindings(&self) -> FxHashSet<u32> {
        let mut seen: FxHashMap<u32, (u32, bool)> = FxHashMap::default();
        for data in self.func.vars.values() {
            if let VarClass::Buffer { binding, readonly } = data.class {
                let (views, is_written) = seen.entry(binding).or_default();
                (*views, *is_written) = (*views + 1, *is_written | !readonly);
            }
        }
        let is_shared = |views: u32, is_written: bool| views > 1 && is_written && !self.vulkan.aliased_views;
        seen.into_iter()
            .filter(|(_, (views, is_written))| is_shared(*views, *is_written))
            .map(|(binding, _)| binding)
            .collect()
    }

    /// Narrow types in buffers need storage capabilities.
    pub(super) fn require_storage(&mut self, ty: Type) -> Result<()> {
        match ty.scalar().map(Scalar::bits) {
            Some(8) => self.m.require(
                Capability::StorageBuffer8BitAccess,
                self.vulkan.storage8,
                "8-bit buffer access",
            ),
            Some(16) => self.m.require(
                Capability::StorageBuffer16BitAccess,
                self.vulkan.storage16,
                "16-bit buffer access",
            ),
            _ => Ok(()),
        }
    }

    /// A built-in input.
    pub(super) fn emit_input(&mut self, input: ShaderInput, dim: u8) -> Result<Id> {
        let (built_in, vector, subgroup) = match input {
            ShaderInput::LocalId => (BuiltIn::LocalInvocationId, true, false),
            ShaderInput::WorkgroupId => (BuiltIn::WorkgroupId, true, false),
            ShaderInput::GlobalId => (BuiltIn::GlobalInvocationId, true, false),
            ShaderInput::NumWorkgroups => (BuiltIn::NumWorkgroups, true, false),
            ShaderInput::WorkgroupSize => {
                let id = self.interface.local_size.get(dim as usize).copied();
                return id.ok_or_else(|| CompileError::internal("emit: dimension out of range"));
            }
            ShaderInput::LocalIndex => (BuiltIn::LocalInvocationIndex, false, false),
            ShaderInput::IsWorkItem => return self.emit_is_work_item(),
            ShaderInput::SubGroupSize => (BuiltIn::SubgroupSize, false, true),
            ShaderInput::NumSubGroups => (BuiltIn::NumSubgroups, false, true),
            ShaderInput::SubGroupId => (BuiltIn::SubgroupId, false, true),
            ShaderInput::SubGroupLocalId => (BuiltIn::SubgroupLocalInvocationId, false, true),
            ShaderInput::TexelOrder | ShaderInput::ImageAbilities => {
                return self.m.spec_constant(SPEC_FIRST_IMAGE + u32::from(dim), 0);
            }
        };
        if subgroup {
            self.m.require(Capability::GroupNonUniform, self.target.subgroup_size != 0, "sub-groups")?;
        }
        let ty = if vector { Type::Vector(Scalar::I32, 3) } else { I32 };
        let var = match self.interface.inputs.get(&built_in) {
            Some(&id) => id,
            None => {
                let pointee = self.m.ty(ty)?;
                let id = self.m.variable(StorageClass::Input, pointee);
                self.m.decorate(id, Decoration::BuiltIn, &[built_in as u32]);
                self.interface.inputs.insert(built_in, id);
                id
            }
        };
        let loaded = self.op(Op::Load, ty, &[var])?;
        if vector { self.op(Op::CompositeExtract, I32, &[loaded, dim as u32]) } else { Ok(loaded) }
    }

    /// Whether the lane executes a work-item: a constant if sub-groups divide groups evenly.
    fn emit_is_work_item(&mut self) -> Result<Id> {
        let [x, y, z] = self.interface.local_size;
        let area = self.op(Op::IMul, I32, &[x, y])?;
        let size = self.op(Op::IMul, I32, &[area, z])?;
        let index = self.emit_input(ShaderInput::LocalIndex, 0)?;
        let mut runs = self.op(Op::ULessThan, I1, &[index, size])?;
        let width = self.target.subgroup_size;
        let zero = self.m.u32(0)?;
        if width > 1 {
            let width = self.m.u32(width)?;
            let rest = self.op(Op::UMod, I32, &[size, width])?;
            let fills = self.op(Op::IEqual, I1, &[rest, zero])?;
            runs = self.op(Op::LogicalOr, I1, &[fills, runs])?;
        }
        let one = self.m.u32(1)?;
        self.op(Op::Select, I32, &[runs, one, zero])
    }

    /// Reads a value of type `ty` at a byte offset of the push-constant block, word by word.
    pub(super) fn emit_push_const(&mut self, ty: Type, offset: u32) -> Result<Id> {
        let var =
            self.interface.push_words.ok_or_else(|| CompileError::internal("emit: no push constants"))?;
        let bytes = ty.access_bytes().unwrap_or(0);
        let fits = offset.is_multiple_of(4)
            && bytes.is_multiple_of(4)
            && bytes > 0
            && (bytes <= 16 || ty.scalar() == Some(Scalar::I64));
        if ty == F16 || !fits {
            return Err(CompileError::internal(format!(
                "emit: push constant of type {ty} at offset {offset}"
            )));
        }
        let word_ty = self.m.ty(I32)?;
        let pointer = self.m.pointer(StorageClass::PushConstant, word_ty);
        let zero = self.m.u32(0)?;
        let mut words = Vec::new();
        for i in 0..bytes / 4 {
            let index = self.m.u32(offset / 4 + i)?;
            let at = self.m.id();
            self.code(Op::AccessChain, &[pointer, at, var, zero, index]);
            words.push(self.op(Op::Load, I32, &[at])?);
        }
        if let [one] = words.as_slice() {
            return if ty == I32 { Ok(*one) } else { self.op(Op::Bitcast, ty, &[*one]) };
        }
        // 64-bit lanes are made from pairs of words.
        let wide = ty.scalar().map(Scalar::bits) == Some(64);
        if wide {
            let mut lanes = Vec::new();
            for pair in words.chunks(2) {
                let v = self.op(Op::CompositeConstruct, Type::Vector(Scalar::I32, 2), pair)?;
                lanes.push(self.op(Op::Bitcast, if ty.is_float() { ty.lane() } else { I64 }, &[v])?);
            }
            return match lanes.as_slice() {
                [one] => Ok(*one),
                many => self.op(Op::CompositeConstruct, ty, many),
            };
        }
        let n = words.len() as u32;
        let v = self.op(Op::CompositeConstruct, Type::vector(Scalar::I32, n), &words)?;
        if ty == Type::vector(Scalar::I32, n) { Ok(v) } else { self.op(Op::Bitcast, ty, &[v]) }
    }
}
