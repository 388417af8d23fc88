//! Decorations, names, entry points and execution modes: the module's statements about its ids.

use super::read::Instr;
use super::types::{SpirvTypeKind, TypeTable, space_of};
use crate::error::Result;
use crate::ir::{FastMath, I32, I64, Opaque, Rounding, Space, Type};
use crate::metadata::{AccessQualifier, AddressQualifier, ArgInfo, ArgKind, KernelInfo, TypeQualifiers};
use rustc_hash::FxHashMap;
use spirv::{Decoration, ExecutionMode, FunctionParameterAttribute, Op};

/// Most bytes of one kernel argument.
const MAX_ARG_BYTES: u32 = 65536;

/// The supported decorations of one id.
#[derive(Clone, Debug, Default)]
pub struct Decorations {
    pub align: Option<u32>,
    pub builtin: Option<spirv::BuiltIn>,
    /// Linkage name and type.
    pub linkage: Option<(String, u32)>,
    pub spec_id: Option<u32>,
    pub fast: FastMath,
    pub rounding: Option<Rounding>,
    pub saturated: bool,
    pub packed: bool,
    pub constant: bool,
    pub volatile: bool,
    pub by_val: bool,
    pub no_write: bool,
    pub restrict: bool,
    /// Offset decorations of members.
    pub offsets: FxHashMap<u32, u32>,
}

/// An imported extended instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstructionSet {
    OpenCl,
    /// Instructions of the set state source lines.
    ShaderDebugInfo,
    /// The set is ignored.
    Other,
}

/// An OpEntryPoint with its execution modes.
#[derive(Clone, Debug, Default)]
pub struct EntryPoint {
    pub function: u32,
    pub info: KernelInfo,
}

/// All of the preamble.
#[derive(Default)]
pub struct Meta {
    names: FxHashMap<u32, String>,
    decorations: FxHashMap<u32, Decorations>,
    none: Decorations,
    pub entry_points: Vec<EntryPoint>,
    pub instruction_sets: FxHashMap<u32, InstructionSet>,
    /// Execution modes that name ids, to be resolved when constants are known.
    pub modes_by_id: Vec<(u32, ExecutionMode, Vec<u32>)>,
    /// Whether an entry point has the mode ContractionOff.
    contraction_off: bool,
}

impl Meta {
    /// Decorations of an id.
    pub fn of(&self, id: u32) -> &Decorations {
        self.decorations.get(&id).unwrap_or(&self.none)
    }
    /// Whether products and sums without a decoration may be contracted. They may not if fast-math flags have
    /// a default, or in modules without entry points (libraries).
    pub fn contracts(&self) -> bool {
        let default =
            |(_, mode, _): &(u32, ExecutionMode, Vec<u32>)| *mode == ExecutionMode::FPFastMathDefault;
        !self.entry_points.is_empty() && !self.contraction_off && !self.modes_by_id.iter().any(default)
    }
    /// Debug name of an id.
    pub fn name(&self, id: u32) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }
    /// Reads an instruction of the preamble; returns false for other instructions.
    pub fn read(&mut self, inst: &Instr<'_>) -> Result<bool> {
        match inst.op {
            Op::ExtInstImport => {
                let name = inst.string(1)?.0;
                let set = match name.as_str() {
                    "OpenCL.std" => InstructionSet::OpenCl,
                    "NonSemantic.Shader.DebugInfo.100" => InstructionSet::ShaderDebugInfo,
                    _ => InstructionSet::Other,
                };
                self.instruction_sets.insert(inst.word(0)?, set);
            }
            Op::Name => {
                self.names.insert(inst.word(0)?, inst.string(1)?.0);
            }
            Op::EntryPoint => {
                if inst.word(0)? != spirv::ExecutionModel::Kernel as u32 {
                    return Err(inst.bad("the execution model must be Kernel"));
                }
                let name = inst.string(2)?.0;
                if self.entry_points.iter().any(|e| e.info.name == name) {
                    return Err(inst.bad(format_args!("two entry points are named '{name}'")));
                }
                let info = KernelInfo { name, ..KernelInfo::default() };
                self.entry_points.push(EntryPoint { function: inst.word(1)?, info });
            }
            Op::ExecutionMode => self.execution_mode(inst)?,
            Op::ExecutionModeId => {
                if let Some(mode) = ExecutionMode::from_u32(inst.word(1)?) {
                    self.modes_by_id.push((inst.word(0)?, mode, inst.rest(2).to_vec()));
                }
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let id = inst.word(0)?;
                decorate(self.decorations.entry(id).or_default(), inst, 1)?;
            }
            Op::MemberDecorate => {
                if inst.word(2)? == Decoration::Offset as u32 {
                    let (id, member, offset) = (inst.word(0)?, inst.word(1)?, inst.word(3)?);
                    self.decorations.entry(id).or_default().offsets.insert(member, offset);
                }
            }
            Op::GroupDecorate => {
                let group = self.of(inst.word(0)?).clone();
                for id in inst.rest(1) {
                    // A group represents decorations of ids that have no others of the same kind.
                    merge(self.decorations.entry(*id).or_default(), &group);
                }
            }
            Op::MemoryModel
            | Op::Capability
            | Op::Extension
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::String
            | Op::MemberName
            | Op::ModuleProcessed
            | Op::DecorationGroup
            | Op::GroupMemberDecorate
            | Op::MemberDecorateString
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL
            | Op::AsmTargetINTEL
            | Op::AsmINTEL
            | Op::ConditionalExtensionINTEL
            | Op::NoLine
            | Op::Nop => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn execution_mode(&mut self, inst: &Instr<'_>) -> Result<()> {
        let function = inst.word(0)?;
        // Modes of extensions are hints for particular devices.
        let Some(mode) = ExecutionMode::from_u32(inst.word(1)?) else { return Ok(()) };
        self.contraction_off |= mode == ExecutionMode::ContractionOff;
        for entry in self.entry_points.iter_mut().filter(|e| e.function == function) {
            let info = &mut entry.info;
            match mode {
                ExecutionMode::LocalSize => {
                    info.reqd_work_group_size = Some([inst.word(2)?, inst.word(3)?, inst.word(4)?]);
                }
                ExecutionMode::LocalSizeHint => {
                    info.work_group_size_hint = Some([inst.word(2)?, inst.word(3)?, inst.word(4)?]);
                }
                ExecutionMode::VecTypeHint => info.vec_type_hint = Some(vec_type_name(inst.word(2)?)),
                ExecutionMode::SubgroupSize => info.reqd_sub_group_size = Some(inst.word(2)?),
                ExecutionMode::SubgroupsPerWorkgroup => info.reqd_sub_groups = Some(inst.word(2)?),
                _ => {}
            }
        }
        Ok(())
    }
}

/// OpenCL C name of a VecTypeHint operand: lanes in the high half, kind of the lanes in the low half.
fn vec_type_name(hint: u32) -> String {
    let name = match hint & 0xffff {
        0 => "char",
        1 => "short",
        2 => "int",
        3 => "long",
        4 => "half",
        5 => "float",
        _ => "double",
    };
    match hint >> 16 {
        0 | 1 => name.to_owned(),
        n => format!("{name}{n}"),
    }
}

/// CL_KERNEL_ATTRIBUTES text of the execution modes.
pub fn attributes(info: &KernelInfo) -> String {
    let mut list = Vec::new();
    if let Some([x, y, z]) = info.reqd_work_group_size {
        list.push(format!("reqd_work_group_size({x},{y},{z})"));
    }
    if let Some([x, y, z]) = info.work_group_size_hint {
        list.push(format!("work_group_size_hint({x},{y},{z})"));
    }
    if let Some(hint) = &info.vec_type_hint {
        list.push(format!("vec_type_hint({hint})"));
    }
    if let Some(n) = info.reqd_sub_group_size {
        list.push(format!("intel_reqd_sub_group_size({n})"));
    }
    list.join(" ")
}

/// Rounding of an FPRoundingMode operand.
pub fn rounding(mode: u32) -> Option<Rounding> {
    Some(match spirv::FPRoundingMode::from_u32(mode)? {
        spirv::FPRoundingMode::RTE => Rounding::Rte,
        spirv::FPRoundingMode::RTZ => Rounding::Rtz,
        spirv::FPRoundingMode::RTP => Rounding::Rtp,
        spirv::FPRoundingMode::RTN => Rounding::Rtn,
    })
}

/// Permissions of an FPFastMathMode mask.
pub fn fast_math(mask: u32) -> FastMath {
    FastMath {
        no_nan: mask & 0x1 != 0,
        no_inf: mask & 0x2 != 0,
        no_signed_zero: mask & 0x4 != 0,
        allow_recip: mask & 0x8 != 0,
        contract: mask & 0x1_0000 != 0,
        // The old Fast bit, or all that it implies.
        fast: mask & 0x10 != 0 || mask & 0x7_000f == 0x7_000f,
    }
}

fn decorate(d: &mut Decorations, inst: &Instr<'_>, first: usize) -> Result<()> {
    let Some(decoration) = Decoration::from_u32(inst.word(first)?) else {
        return Ok(());
    };
    match decoration {
        Decoration::Alignment => {
            // clang's SPIR-V back end writes the alignment of a private variable as a sign-extended byte: 128
            // as a negative number, more as 0. Accesses show how much more (`FuncReader::raise_slot`).
            let align = match inst.word(first + 1)? {
                0xffff_ff80 => 128,
                0 => 256,
                align => align,
            };
            if !align.is_power_of_two() {
                return Err(inst.bad("an alignment that is not a power of two"));
            }
            d.align = Some(align);
        }
        Decoration::BuiltIn => {
            let n = inst.word(first + 1)?;
            d.builtin = Some(spirv::BuiltIn::from_u32(n).ok_or_else(|| inst.bad("unknown built-in"))?);
        }
        Decoration::LinkageAttributes => {
            let (name, next) = inst.string(first + 1)?;
            d.linkage = Some((name, inst.word(next)?));
        }
        Decoration::SpecId => d.spec_id = Some(inst.word(first + 1)?),
        Decoration::FPFastMathMode => d.fast = fast_math(inst.word(first + 1)?),
        Decoration::FPRoundingMode => d.rounding = rounding(inst.word(first + 1)?),
        Decoration::SaturatedConversion => d.saturated = true,
        Decoration::CPacked => d.packed = true,
        Decoration::Constant => d.constant = true,
        Decoration::Volatile => d.volatile = true,
        Decoration::Restrict => d.restrict = true,
        Decoration::FuncParamAttr => match FunctionParameterAttribute::from_u32(inst.word(first + 1)?) {
            Some(FunctionParameterAttribute::ByVal) => d.by_val = true,
            Some(FunctionParameterAttribute::NoWrite) => d.no_write = true,
            Some(FunctionParameterAttribute::NoAlias) => d.restrict = true,
            _ => {}
        },
        _ => {}
    }
    Ok(())
}

fn merge(d: &mut Decorations, group: &Decorations) {
    d.align = d.align.or(group.align);
    d.builtin = d.builtin.or(group.builtin);
    if d.linkage.is_none() {
        d.linkage = group.linkage.clone();
    }
    d.rounding = d.rounding.or(group.rounding);
    if group.fast != FastMath::default() {
        d.fast = group.fast;
    }
    d.saturated |= group.saturated;
    d.packed |= group.packed;
    d.constant |= group.constant;
    d.volatile |= group.volatile;
    d.by_val |= group.by_val;
    d.no_write |= group.no_write;
    d.restrict |= group.restrict;
}

/// How a kernel parameter is passed: the argument (without its offset) and the type of the IR parameter.
///
/// Structures, passed by value or as a ByVal pointer, become a `ptr.private` parameter: the address of the
/// work-item's own copy of the argument's bytes. The lowering of the launch contract makes that copy.
pub fn kernel_arg(types: &TypeTable, ty: u32, d: &Decorations, inst: &Instr<'_>) -> Result<(ArgInfo, Type)> {
    let info = types.need(ty, inst)?;
    let mut arg = ArgInfo {
        kind: ArgKind::Value,
        size: u32::try_from(info.size).map_err(|_| inst.bad("argument too large"))?,
        align: info.align,
        offset: 0,
        name: String::new(),
        type_name: String::new(),
        address: AddressQualifier::Private,
        access: AccessQualifier::None,
        qualifiers: TypeQualifiers::default(),
        image: None,
    };
    let param = match &info.kind {
        SpirvTypeKind::Image { access, dim } => {
            arg.kind = ArgKind::Image;
            arg.image = Some(*dim);
            arg.address = AddressQualifier::Global;
            arg.access = *access;
            Type::Opaque(Opaque::Image)
        }
        SpirvTypeKind::Sampler => {
            arg.kind = ArgKind::Sampler;
            (arg.size, arg.align) = (8, 4);
            I32
        }
        SpirvTypeKind::Pipe(access) => {
            arg.kind = ArgKind::GlobalPtr;
            arg.address = AddressQualifier::Global;
            arg.access = *access;
            arg.qualifiers.is_pipe = true;
            Type::Ptr(Space::Global)
        }
        SpirvTypeKind::Queue => {
            arg.kind = ArgKind::Queue;
            I64
        }
        SpirvTypeKind::Plain(plain) => *plain,
        SpirvTypeKind::Struct { .. } | SpirvTypeKind::Array { .. } => Type::Ptr(Space::Private),
        SpirvTypeKind::Ptr { storage, pointee } => match space_of(*storage) {
            Some(Space::Private) if d.by_val => {
                let pointee = types.need(*pointee, inst)?;
                arg.size = u32::try_from(pointee.size).map_err(|_| inst.bad("argument too large"))?;
                arg.align = pointee.align.max(1);
                Type::Ptr(Space::Private)
            }
            Some(Space::Global) => {
                arg.kind = ArgKind::GlobalPtr;
                arg.address = AddressQualifier::Global;
                Type::Ptr(Space::Global)
            }
            Some(Space::Constant) => {
                arg.kind = ArgKind::ConstantPtr;
                arg.address = AddressQualifier::Constant;
                arg.qualifiers.is_const = true;
                Type::Ptr(Space::Constant)
            }
            Some(Space::Local) => {
                arg.kind = ArgKind::LocalPtr;
                arg.address = AddressQualifier::Local;
                arg.size = 0;
                arg.align = d.align.unwrap_or(16).max(16);
                Type::Ptr(Space::Local)
            }
            _ => return Err(inst.bad("a kernel parameter is a pointer to private or generic memory")),
        },
        SpirvTypeKind::Other(what) => {
            return Err(crate::CompileError::unsupported(format!("kernel argument of type {what}"), 0));
        }
        SpirvTypeKind::Void | SpirvTypeKind::Function { .. } | SpirvTypeKind::SampledImage(_) => {
            return Err(inst.bad("kernel parameter of this type"));
        }
    };
    if arg.size > MAX_ARG_BYTES || arg.align > 1024 {
        return Err(inst.bad("kernel argument too large"));
    }
    Ok((arg, param))
}

/// Lays out the arguments one after another with natural alignment; returns the bytes of the block.
pub fn lay_out_args(args: &mut [ArgInfo]) -> u32 {
    let mut offset = 0u32;
    for arg in args {
        let size = match arg.kind {
            ArgKind::Value | ArgKind::Queue | ArgKind::GlobalPtr | ArgKind::ConstantPtr => arg.size,
            ArgKind::Sampler => 4,
            ArgKind::LocalPtr | ArgKind::Image => continue,
        };
        offset = offset.next_multiple_of(arg.align.max(1));
        arg.offset = offset;
        offset = offset.saturating_add(size);
    }
    offset
}
