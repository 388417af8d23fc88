//! The emitter's state, the order of its steps, and the dispatch over instructions.

use super::interface::Interface;
use super::module::{Id, SpirvModule, push, string_words};
use crate::abi::{BindingSource, LaunchAbi};
use crate::error::{CompileError, Result};
use crate::ir::{
    Block, Const, Function, ImageOp, Inst, Op as IrOp, Ordering, Root, Scalar, Scope, SecondaryMap, Type,
    Value, ValueDef,
};
use crate::metadata::KernelInfo;
use crate::target::{Target, VulkanTarget};
use spirv::{AddressingModel, Capability, ExecutionMode, MemoryModel, Op};

/// Longest instruction in words.
const MAX_WORDS: usize = 0xffff;

pub(super) struct Emitter<'a> {
    pub(super) func: &'a Function,
    pub(super) kernel: Option<&'a KernelInfo>,
    pub(super) target: &'a Target,
    pub(super) vulkan: &'a VulkanTarget,
    pub(super) m: SpirvModule<'a>,
    pub(super) interface: Interface,
    /// Id of the entry function.
    pub(super) entry: Id,
    /// Whether the workgroup is a line of all work-items ([`LaunchAbi::is_linear`]).
    pub(super) linear: bool,
    /// Whether the Vulkan memory model is used.
    pub(super) vulkan_memory: bool,
    /// Whether buffers are coherent: groups communicate through them, and the target lacks the Vulkan memory
    /// model.
    pub(super) coherent: bool,
    /// Whether workgroup memory is zero when the kernel begins.
    pub(super) zero_local: bool,
    values: SecondaryMap<Value, Option<Id>>,
    labels: SecondaryMap<Block, Option<Id>>,
    code: Vec<u32>,
    too_long: bool,
    /// Source line of the current instruction, for errors.
    line: u32,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(
        func: &'a Function,
        kernel: Option<&'a KernelInfo>,
        abi: &'a LaunchAbi,
        target: &'a Target,
    ) -> Result<Self> {
        if !func.sig.params.is_empty() || !func.sig.results.is_empty() || func.layout.is_empty() {
            return Err(CompileError::internal(format!("emit: @{} is not a lowered kernel", func.name)));
        }
        let vulkan = target.needs_vulkan()?;
        if !abi.has_room(vulkan) {
            let buffers = abi.buffer_descriptors();
            let images = abi.resources() - buffers;
            let what = format!("{buffers} buffers and {images} images in a kernel on this device");
            return Err(CompileError::unsupported(what, 0));
        }
        let stored =
            abi.bindings.iter().filter(|b| matches!(b, BindingSource::Image(image) if image.storage)).count();
        if stored > vulkan.max_storage_images as usize {
            let what = format!(
                "{stored} images that are written in a kernel, each level of detail counted, on this device"
            );
            return Err(CompileError::unsupported(what, 0));
        }
        let mut m = SpirvModule::new(target, vulkan);
        let entry = m.id();
        Ok(Emitter {
            func,
            kernel,
            target,
            vulkan,
            m,
            interface: Interface::default(),
            entry,
            vulkan_memory: vulkan.vulkan_memory_model
                && (synchronises_globally(func) || vulkan.fences_block && orders_memory(func)),
            coherent: !vulkan.vulkan_memory_model && synchronises_globally(func),
            zero_local: false,
            linear: abi.is_linear(),
            values: SecondaryMap::new(),
            labels: SecondaryMap::new(),
            code: Vec::new(),
            too_long: false,
            line: 0,
        })
    }

    pub(super) fn run(mut self) -> Result<Vec<u32>> {
        let mut name = vec![self.entry];
        name.extend(string_words(&self.func.name));
        push(&mut self.m.names, Op::Name, &name);
        self.declare_interface()?;
        let void = self.m.void();
        let ty = self.m.function_type();
        self.code(Op::Function, &[void, self.entry, spirv::FunctionControl::NONE.bits(), ty]);
        self.emit_blocks()?;
        self.code(Op::FunctionEnd, &[]);
        if self.too_long {
            return Err(CompileError::unsupported(
                "an instruction of more than 65535 words (a very large switch)",
                0,
            ));
        }
        self.float_controls();
        let addressing = if uses_addresses(self.func) {
            self.m.capability(Capability::PhysicalStorageBufferAddresses);
            AddressingModel::PhysicalStorageBuffer64
        } else {
            AddressingModel::Logical
        };
        let memory = if self.vulkan_memory {
            self.m.capability(Capability::VulkanMemoryModel);
            MemoryModel::Vulkan
        } else {
            MemoryModel::GLSL450
        };
        Ok(self.m.finish(addressing, memory, self.entry, &self.code))
    }

    /// Execution modes for the float widths in use, where the device has them.
    fn float_controls(&mut self) {
        let c = self.target.float_controls;
        let widths = [
            (Scalar::F16, c.preserve16, c.denorm_preserve16, false, c.rte16),
            (
                Scalar::F32,
                c.preserve32,
                c.denorm_preserve32,
                c.denorm_flush32 && !c.denorm_preserve32,
                c.rte32,
            ),
            (Scalar::F64, c.preserve64, c.denorm_preserve64, false, c.rte64),
        ];
        for (scalar, preserve, denorm, flush, rte) in widths {
            if !self.m.has_type(scalar) {
                continue;
            }
            let modes = [
                (preserve, ExecutionMode::SignedZeroInfNanPreserve, Capability::SignedZeroInfNanPreserve),
                (denorm, ExecutionMode::DenormPreserve, Capability::DenormPreserve),
                (flush, ExecutionMode::DenormFlushToZero, Capability::DenormFlushToZero),
                (rte, ExecutionMode::RoundingModeRTE, Capability::RoundingModeRTE),
            ];
            for (has, mode, capability) in modes {
                if has {
                    self.m.capability(capability);
                    let words = [self.entry, mode as u32, scalar.bits()];
                    push(&mut self.m.execution_modes, Op::ExecutionMode, &words);
                }
            }
        }
    }

    /// Appends an instruction to the function.
    pub(super) fn code(&mut self, op: Op, operands: &[u32]) {
        self.too_long |= operands.len() >= MAX_WORDS;
        push(&mut self.code, op, operands);
    }

    /// Appends an instruction with a result and returns its id.
    pub(super) fn op(&mut self, op: Op, ty: Type, operands: &[u32]) -> Result<Id> {
        let id = self.m.id();
        self.op_to(id, op, ty, operands)?;
        Ok(id)
    }

    /// Appends an instruction whose result id is known.
    pub(super) fn op_to(&mut self, id: Id, op: Op, ty: Type, operands: &[u32]) -> Result<()> {
        let ty = self.m.ty(ty)?;
        let mut words = Vec::with_capacity(operands.len() + 2);
        words.extend_from_slice(&[ty, id]);
        words.extend_from_slice(operands);
        self.code(op, &words);
        Ok(())
    }

    /// A GLSL.std.450 instruction.
    pub(super) fn glsl(&mut self, op: spirv::GlslStd450Op, ty: Type, operands: &[u32]) -> Result<Id> {
        let mut words = vec![self.m.glsl, op as u32];
        words.extend_from_slice(operands);
        self.op(Op::ExtInst, ty, &words)
    }

    /// The id of a value. Constants are made on first use; other values may be referred to before they are
    /// emitted.
    pub(super) fn value(&mut self, value: Value) -> Result<Id> {
        if let Some(id) = self.values[value] {
            return Ok(id);
        }
        let func = self.func;
        let data = func
            .values
            .get(value)
            .ok_or_else(|| CompileError::internal(format!("emit: {value} does not exist")))?;
        let id = match &data.def {
            ValueDef::Const(Const::Bits(ty, bits)) => self.m.constant(*ty, bits)?,
            // Zero is a valid choice for an undefined value, and the same at every use.
            ValueDef::Const(Const::Undef(ty)) => self.m.null(*ty)?,
            _ => self.m.id(),
        };
        self.values[value] = Some(id);
        Ok(id)
    }

    pub(super) fn label(&mut self, block: Block) -> Id {
        if let Some(id) = self.labels[block] {
            return id;
        }
        let id = self.m.id();
        self.labels[block] = Some(id);
        id
    }

    pub(super) fn unsupported<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(CompileError::unsupported(what, self.line))
    }

    /// Emits an instruction that is not a terminator.
    pub(super) fn emit_inst(&mut self, inst: Inst) -> Result<()> {
        let func = self.func;
        let data = &func.insts[inst];
        self.line = data.line;
        let mut args = Vec::with_capacity(data.args.len());
        for &a in &data.args {
            args.push(self.value(a)?);
        }
        let arg_types: Vec<Type> = data.args.iter().map(|a| func.ty(*a)).collect();
        let Some(&result) = data.results.first() else {
            return self.emit_effect(&data.op, &args, &arg_types);
        };
        let ty = func.ty(result);
        let id = match &data.op {
            IrOp::Bin(op) => self.emit_bin(*op, ty, args[0], args[1], data.args[1], data.fast)?,
            IrOp::Un(op) => self.emit_un(*op, ty, args[0])?,
            IrOp::Cast(op) => self.emit_cast(*op, arg_types[0], ty, args[0], data.fast)?,
            IrOp::Icmp(cc) => self.emit_icmp(*cc, arg_types[0], ty, args[0], args[1])?,
            IrOp::Fcmp(cc) => self.emit_fcmp(*cc, ty, args[0], args[1])?,
            IrOp::Fma => self.emit_fma(ty, &args)?,
            IrOp::Mad => self.emit_mad(ty, &args)?,
            IrOp::Select => {
                let id = self.m.id();
                self.emit_select(id, ty, args[0], arg_types[0], [args[1], args[2]])?;
                id
            }
            IrOp::Extract(lane) => self.op(Op::CompositeExtract, ty, &[args[0], *lane as u32])?,
            IrOp::ExtractDyn => self.op(Op::VectorExtractDynamic, ty, &args)?,
            IrOp::Insert(lane) => self.op(Op::CompositeInsert, ty, &[args[1], args[0], *lane as u32])?,
            IrOp::InsertDyn => self.op(Op::VectorInsertDynamic, ty, &args)?,
            IrOp::VecBuild => self.op(Op::CompositeConstruct, ty, &args)?,
            IrOp::Splat => self.op(Op::CompositeConstruct, ty, &vec![args[0]; ty.lanes() as usize])?,
            IrOp::Shuffle(lanes) => self.emit_shuffle(lanes, ty, &args, &arg_types)?,
            IrOp::Any | IrOp::All if arg_types[0].lanes() == 1 => args[0],
            IrOp::Any => self.op(Op::Any, ty, &args)?,
            IrOp::All => self.op(Op::All, ty, &args)?,
            IrOp::Load(access) => self.emit_load(access, ty, args[0])?,
            IrOp::AtomicRmw { op, access, scope, order } => {
                self.emit_rmw(*op, access, *scope, *order, ty, &args)?
            }
            IrOp::AtomicCas { access, scope, success, failure } => {
                self.emit_cas(access, *scope, (*success, *failure), ty, &args)?
            }
            IrOp::AtomicLoad { access, scope, order } => {
                self.emit_atomic_load(access, *scope, *order, ty, args[0])?
            }
            IrOp::Input { input, dim } => self.emit_input(*input, *dim)?,
            IrOp::Image { op: ImageOp::Filter, var, .. } => {
                let binding = func.as_bits(data.args[0]).and_then(|n| u32::try_from(n).ok());
                self.emit_filter(*var, binding, ty, args[1])?
            }
            IrOp::Image { op, var, .. } => {
                let id = self.emit_image(*op, *var, Some(ty), &args)?;
                id.ok_or_else(|| CompileError::internal("emit: an image write with a result"))?
            }
            IrOp::PushConst { offset } => self.emit_push_const(ty, *offset)?,
            IrOp::Group { scope: crate::ir::Scope::SubGroup, op } => self.emit_group(op, ty, &args)?,
            IrOp::Dot4 { x_signed, y_signed } => self.emit_dot4(*x_signed, *y_signed, &args)?,
            IrOp::Clock(scope) => self.emit_clock(*scope)?,
            other => return Err(CompileError::internal(format!("emit: {other:?} must be lowered"))),
        };
        // Uses that precede the definition in the layout (loops) have fixed the id already.
        match self.values[result] {
            None => self.values[result] = Some(id),
            Some(fixed) => self.op_to(fixed, Op::CopyObject, ty, &[id])?,
        }
        Ok(())
    }

    fn emit_effect(&mut self, op: &IrOp, args: &[Id], types: &[Type]) -> Result<()> {
        match op {
            IrOp::Store(access) => self.emit_store(access, types[0], args[0], args[1]),
            IrOp::AtomicStore { access, scope, order } => {
                self.emit_atomic_store(access, *scope, *order, types[0], args)
            }
            IrOp::Barrier { exec, memory, order, spaces } => {
                self.emit_barrier(*exec, *memory, *order, *spaces)
            }
            IrOp::Image { op, var, .. } => self.emit_image(*op, *var, None, args).map(drop),
            IrOp::Fence { scope, order, spaces } => self.emit_fence(*scope, *order, *spaces),
            other => Err(CompileError::internal(format!("emit: {other:?} must be lowered"))),
        }
    }
}

fn uses_addresses(func: &Function) -> bool {
    all_ops(func).any(|op| op.access().is_some_and(|a| a.root == Root::Addr))
}

/// Whether work-items of different groups communicate through memory other than the atomics themselves.
fn synchronises_globally(func: &Function) -> bool {
    let wide = |scope: Scope| matches!(scope, Scope::Device | Scope::AllDevices);
    all_ops(func).any(|op| match op {
        IrOp::AtomicRmw { scope, order, .. }
        | IrOp::AtomicLoad { scope, order, .. }
        | IrOp::AtomicStore { scope, order, .. } => wide(*scope) && *order != Ordering::Relaxed,
        IrOp::AtomicCas { scope, success, failure, .. } => {
            wide(*scope) && (*success != Ordering::Relaxed || *failure != Ordering::Relaxed)
        }
        IrOp::Barrier { memory, order, spaces, .. } => {
            wide(*memory) && *order != Ordering::Relaxed && spaces.global
        }
        IrOp::Fence { scope, order, spaces } => wide(*scope) && *order != Ordering::Relaxed && spaces.global,
        _ => false,
    })
}

/// Whether there are fences or atomics with an order.
fn orders_memory(func: &Function) -> bool {
    all_ops(func).any(|op| match op {
        IrOp::AtomicRmw { order, .. } | IrOp::AtomicLoad { order, .. } | IrOp::AtomicStore { order, .. } => {
            *order != Ordering::Relaxed
        }
        IrOp::AtomicCas { success, failure, .. } => {
            *success != Ordering::Relaxed || *failure != Ordering::Relaxed
        }
        IrOp::Fence { order, .. } => *order != Ordering::Relaxed,
        _ => false,
    })
}

pub(super) fn all_ops(func: &Function) -> impl Iterator<Item = &IrOp> {
    func.data_in_order().map(|data| &data.op)
}
