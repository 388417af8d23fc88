//! Image operations on kernel arguments to operations on descriptors.
//!
//! Each image argument that is read or written gets a descriptor for each kind of texel it is used with, a
//! storage image if the kernel writes it. A storage image has one level of detail. Where the level is given
//! at run time, there is one descriptor for each possible level and a branch to its access, so descriptors
//! are not indexed.
//!
//! Channel order, channel type and size are implicit arguments (the bound image may be larger). Integer
//! texels are unsigned in Vulkan: signed and narrow formats additionally need sign extension of read values
//! and saturation of written ones (sections 8.3.2 and 8.4 of the C specification).
//!
//! Reads by texture units ([`super::filter`]) need a constant sampler and an image that is not written. Each
//! kind of sampler gets a descriptor after those of the images. What an image allows is only known at launch:
//! a specialisation constant selects between these reads and computed ones. Likewise, borders of CLAMP are
//! fetched or computed.
//!
//! An image that is not a single parameter of the kernel (selected at run time, which neither OpenCL C nor
//! SPIR-V can express) is an error.

use crate::abi::{BindingSource, ImageBinding, ImplicitArg, LaunchAbi, ability};
use crate::error::{CompileError, Invariant, Result, ice};
use crate::ir::edit::{Rewrite, split_after, try_rewrite_insts};
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use crate::passes::lower::filter;
use crate::passes::lower::state::Kernel;
use crate::passes::lower::texel_order::{from_memory, to_memory};
use crate::passes::{Pass, PassContext};
use crate::target::VulkanTarget;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The pass `lower_images`: image operations to accesses of descriptors.
pub struct LowerImages;

impl Pass for LowerImages {
    fn name(&self) -> &'static str {
        "lower_images"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let target = cx.target.needs_vulkan()?;
        let abi = &mut cx.lowering()?.abi;
        let kernel = Kernel::of(module)?;
        run(kernel.func, kernel.info, target, abi)?;
        Ok(true)
    }
}

/// cl_channel_type of signed and narrow integer formats.
const SIGNED_INT8: i32 = 0x10d7;
const SIGNED_INT16: i32 = 0x10d8;
const SIGNED_INT32: i32 = 0x10d9;
const UNSIGNED_INT8: i32 = 0x10da;
const UNSIGNED_INT16: i32 = 0x10db;

/// Usage of an image argument.
#[derive(Default)]
struct Usage {
    written: bool,
    /// Whether borders may be fetched.
    borders: bool,
    /// Usage by whether texels are floating-point.
    vars: BTreeMap<bool, Texels>,
}

/// Usage of an argument with one kind of texel.
#[derive(Default)]
struct Texels {
    read: bool,
    /// Levels accessed with a constant level.
    levels: BTreeSet<u8>,
    /// Whether a level is only known at run time.
    any_level: bool,
    /// Variables by level; a sampled image has one for all levels.
    vars: BTreeMap<u8, Var>,
    /// Binding of the first storage image.
    storage: Option<u8>,
    /// Samplers of reads by texture units.
    samplers: BTreeSet<u8>,
    /// Binding of the sampled image, if it has one that is small enough for its specialisation constant.
    sampled: Option<u8>,
}

struct Images {
    /// Argument indices of the image parameters.
    args: FxHashMap<Value, u16>,
    usage: FxHashMap<u16, Usage>,
    /// Bindings of the samplers.
    samplers: BTreeMap<u8, u32>,
}

/// Lowers every image operation of a kernel and appends the descriptors to the launch contract. Samplers have
/// been lowered before.
pub(crate) fn run(
    func: &mut Function,
    info: &KernelInfo,
    target: &VulkanTarget,
    abi: &mut LaunchAbi,
) -> Result<()> {
    let Some(entry) = func.entry() else { return Ok(()) };
    let params = func.blocks[entry].params.iter().zip(&info.args).enumerate();
    let args: FxHashMap<Value, u16> =
        params.filter(|(_, (_, a))| a.kind == ArgKind::Image).map(|(i, (p, _))| (*p, i as u16)).collect();
    let mut images = Images { args, usage: FxHashMap::default(), samplers: BTreeMap::new() };
    for inst in func.insts_in_order() {
        images.note(func, inst)?;
    }
    images.declare(func, target, abi)?;
    images.declare_samplers(abi);
    try_rewrite_insts(func, |b, inst| {
        let Op::Image { op, dim, .. } = b.func.insts[inst].op else { return Ok(Rewrite::Keep) };
        let args = b.func.insts[inst].args.clone();
        let result = b.func.insts[inst].results.first().copied();
        let arg = images.arg(b.func, args[0])?;
        Ok(images.lower(b, op, dim, arg, &args[1..], result)?.into())
    })?;
    Ok(())
}

impl Images {
    fn arg(&self, func: &Function, image: Value) -> Result<u16> {
        let line = func.def_inst(image).map_or(0, |i| func.insts[i].line);
        let arg = self.args.get(&image).copied();
        arg.ok_or_else(|| CompileError::unsupported("an image that is chosen at run time", line))
    }

    fn note(&mut self, func: &Function, inst: Inst) -> Result<()> {
        let data = &func.insts[inst];
        let Op::Image { op, dim, .. } = data.op else { return Ok(()) };
        let arg = self.arg(func, data.args[0])?;
        if op == ImageOp::FetchesBorder {
            self.usage.entry(arg).or_default().borders = true;
        }
        let (texel, level) = match op {
            ImageOp::Read => (data.results[0], None),
            ImageOp::ReadLevel => (data.results[0], Some(data.args[2])),
            ImageOp::Write => (data.args[2], None),
            ImageOp::WriteLevel => (data.args[3], Some(data.args[2])),
            ImageOp::Filter => (data.results[0], None),
            _ => return Ok(()),
        };
        let is_read = matches!(op, ImageOp::Read | ImageOp::ReadLevel | ImageOp::Filter);
        let usage = self.usage.entry(arg).or_default();
        usage.written |= !is_read;
        let texels = usage.vars.entry(func.ty(texel).is_float()).or_default();
        texels.read |= is_read;
        if op == ImageOp::Filter {
            texels.samplers.extend(filter::constant(func, dim, data.args[1]));
        }
        match known_level(func, level) {
            Some(level) => drop(texels.levels.insert(level)),
            None => texels.any_level = true,
        }
        Ok(())
    }

    fn declare(&mut self, func: &mut Function, target: &VulkanTarget, abi: &mut LaunchAbi) -> Result<()> {
        let mut dims: FxHashMap<u16, ImageDim> = FxHashMap::default();
        for data in func.data_in_order() {
            if let Op::Image { dim, .. } = data.op
                && let Some(&arg) = self.args.get(&data.args[0])
            {
                dims.insert(arg, dim);
            }
        }
        let mut used: Vec<(&u16, &mut Usage)> = self.usage.iter_mut().collect();
        used.sort_by_key(|(arg, _)| **arg);
        for (&arg, usage) in used {
            let (dim, storage) = (dims.get(&arg).copied().unwrap_or(ImageDim::D2), usage.written);
            let fetch = if usage.borders { ability::FETCH_BORDER } else { 0 };
            for (&float, texels) in usage.vars.iter_mut() {
                let first = abi.bindings.len();
                if storage {
                    let number = u8::try_from(first);
                    texels.storage =
                        Some(number.map_err(|_| {
                            CompileError::unsupported("that many images that are written", 0)
                        })?);
                    texels.levels.extend((0..target.image_levels).filter(|_| texels.any_level));
                } else {
                    texels.levels = [0].into();
                }
                let declared = storage && target.declares_format(texels.read);
                texels.sampled = u8::try_from(first).ok().filter(|_| !storage);
                for &level in &texels.levels {
                    let binding = abi.bindings.len() as u32;
                    let source = ImageBinding {
                        arg,
                        storage,
                        float,
                        buffer: dim == ImageDim::Buffer,
                        level,
                        declared,
                        abilities: texels.sampled.map_or(0, |_| filter::abilities(&texels.samplers) | fetch),
                    };
                    abi.bindings.push(BindingSource::Image(source));
                    abi.readonly.push(!storage);
                    let class = VarClass::Image { binding, dim, storage };
                    let var = func.vars.push(VarData {
                        class,
                        elem: if float { F32 } else { I32 },
                        len: VarLen::Runtime,
                    });
                    texels.vars.insert(level, var);
                }
            }
        }
        Ok(())
    }

    /// Appends the descriptors of the samplers of reads by texture units.
    fn declare_samplers(&mut self, abi: &mut LaunchAbi) {
        let texels = self.usage.values().flat_map(|usage| usage.vars.values());
        let used: BTreeSet<u8> =
            texels.filter(|t| t.sampled.is_some()).flat_map(|t| t.samplers.iter().copied()).collect();
        for sampler in used {
            self.samplers.insert(sampler, abi.bindings.len() as u32);
            abi.bindings.push(BindingSource::Sampler(sampler));
            abi.readonly.push(true);
        }
    }

    /// The image's texels and the sampler, where texture units may read the image through it.
    fn filtered(&self, func: &Function, dim: ImageDim, arg: u16, word: Value) -> Option<(&Texels, u8, u8)> {
        let sampler = filter::constant(func, dim, word)?;
        let texels = self.usage.get(&arg)?.vars.get(&true)?;
        texels.sampled.filter(|_| texels.samplers.contains(&sampler)).map(|at| (texels, at, sampler))
    }

    fn texels(&self, arg: u16, float: bool) -> Result<&Texels> {
        let texels = self.usage.get(&arg).and_then(|usage| usage.vars.get(&float));
        texels.invariant("an image without a descriptor")
    }

    /// Lowers an operation on the image set as `arg`; returns its value.
    fn lower(
        &self,
        b: &mut Builder<'_>,
        op: ImageOp,
        dim: ImageDim,
        arg: u16,
        args: &[Value],
        result: Option<Value>,
    ) -> Result<Option<Value>> {
        match op {
            ImageOp::Sample | ImageOp::SampleLod | ImageOp::Address => Err(ice!("sampling must be lowered")),
            ImageOp::CanFilter => Ok(Some(match self.filtered(b.func, dim, arg, args[0]) {
                Some((_, binding, sampler)) => filter::is_able(b, binding, filter::ability(sampler)),
                None => b.func.bits(I1, 0),
            })),
            ImageOp::FetchesBorder => {
                let mut usage = self.usage.get(&arg).into_iter().flat_map(|usage| usage.vars.values());
                Ok(Some(match usage.find_map(|texels| texels.sampled) {
                    Some(binding) => filter::is_able(b, binding, ability::FETCH_BORDER),
                    None => b.func.bits(I1, 0),
                }))
            }
            ImageOp::Filter => {
                let ty = result.map(|r| b.ty(r)).invariant("a read without a result")?;
                let Some((texels, _, sampler)) = self.filtered(b.func, dim, arg, args[0]) else {
                    // Never reached.
                    return Ok(Some(b.func.bits(ty, 0)));
                };
                let at = filter::coordinates(b, dim, args[1]);
                let binding = self.samplers.get(&sampler).copied().invariant("a sampler's binding")?;
                let binding = b.i32(binding as i32);
                let var = texels.vars.get(&0).copied();
                Ok(Some(b.value(Op::Image { op, dim, var }, &[binding, at], ty)))
            }
            ImageOp::Order => {
                let (format, half) = (format_of(b, arg), b.i32(16));
                Ok(Some(b.lshr(format, half)))
            }
            ImageOp::DataType => Ok(Some(data_type_of(b, arg))),
            ImageOp::Size => {
                let lanes: Vec<Value> = (0..dim.coordinates() as u8)
                    .map(|d| b.value(Op::Implicit(ImplicitArg::ImageSize(arg, d)), &[], I32))
                    .collect();
                Ok(Some(b.vec_build(&lanes)))
            }
            ImageOp::Levels => Ok(Some(b.value(Op::Implicit(ImplicitArg::ImageSize(arg, 3)), &[], I32))),
            ImageOp::Read | ImageOp::ReadLevel => {
                let ty = result.map(|r| b.ty(r)).invariant("a read without a result")?;
                let texels = self.texels(arg, ty.is_float())?;
                let v = match texels.storage {
                    Some(_) => texels.access(b, dim, args[0], args.get(1).copied(), None, Some(ty))?,
                    None => Some(b.value(Op::Image { op, dim, var: texels.vars.get(&0).copied() }, args, ty)),
                };
                let v = v.invariant("a read without a result")?;
                let v = texels.storage.map_or(v, |binding| from_memory(b, v, binding));
                Ok(Some(if ty.is_float() { v } else { extend(b, v, arg) }))
            }
            ImageOp::Write | ImageOp::WriteLevel => {
                let (texel, level) =
                    (args[args.len() - 1], if op == ImageOp::Write { None } else { Some(args[1]) });
                let float = b.ty(texel).is_float();
                let texels = self.texels(arg, float)?;
                let texel = if float { texel } else { saturate(b, texel, arg) };
                let texel = texels.storage.map_or(texel, |binding| to_memory(b, texel, binding));
                texels.access(b, dim, args[0], level, Some(texel), None)
            }
        }
    }
}

/// The constant level of an access: the first if there is no operand, `None` if it is only known at run time.
fn known_level(func: &Function, level: Option<Value>) -> Option<u8> {
    level.map_or(Some(0), |level| func.as_bits(level).and_then(|n| u8::try_from(n).ok()))
}

impl Texels {
    /// Reads (`ty` given) or writes (`texel` given) a storage image, with a branch for each level if the
    /// level is not constant.
    fn access(
        &self,
        b: &mut Builder<'_>,
        dim: ImageDim,
        at: Value,
        level: Option<Value>,
        texel: Option<Value>,
        ty: Option<Type>,
    ) -> Result<Option<Value>> {
        let one = |b: &mut Builder<'_>, var: Var| -> Option<Value> {
            let op = if texel.is_some() { ImageOp::Write } else { ImageOp::Read };
            let args: Vec<Value> = [at].into_iter().chain(texel).collect();
            let types: Vec<Type> = ty.into_iter().collect();
            let inst = b.inst(Op::Image { op, dim, var: Some(var) }, &args, &types);
            b.func.insts[inst].results.first().copied()
        };
        let Some(level) = level.filter(|level| known_level(b.func, Some(*level)).is_none()) else {
            let var = known_level(b.func, level).and_then(|level| self.vars.get(&level));
            return match var {
                Some(var) => Ok(one(b, *var)),
                None => Err(ice!("a level without a descriptor")),
            };
        };
        let mut arms: Vec<Block> = Vec::new();
        let mut after = b.block;
        for _ in 0..=self.vars.len() {
            after = split_after(b.func, after);
            arms.push(after);
        }
        let Some(join) = arms.pop() else { return Ok(None) };
        let result = ty.map(|ty| b.func.add_param(join, ty));
        // A level that does not exist: writes are dropped, and reads return zero.
        let none: Vec<Value> = ty.map(|ty| b.func.bits(ty, 0)).into_iter().collect();
        let targets: Vec<BlockCall> = [BlockCall::new(join, &none)]
            .into_iter()
            .chain(arms.iter().map(|arm| BlockCall::new(*arm, &[])))
            .collect();
        let cases = self.vars.keys().map(|level| u64::from(*level)).collect();
        let switch = b.func.make_terminator(Op::Switch(cases), &[level], &targets);
        b.func.insts[switch].line = b.line;
        b.push(switch);
        for (arm, var) in arms.into_iter().zip(self.vars.values()) {
            b.block = arm;
            let v: Vec<Value> = one(b, *var).into_iter().collect();
            b.jump(join, &v);
        }
        b.block = join;
        Ok(result)
    }
}

fn format_of(b: &mut Builder<'_>, arg: u16) -> Value {
    b.value(Op::Implicit(ImplicitArg::ImageFormat(arg)), &[], I32)
}

fn data_type_of(b: &mut Builder<'_>, arg: u16) -> Value {
    let (format, low) = (format_of(b, arg), b.i32(0xffff));
    b.and(format, low)
}

/// Selects one of several numbers by the channel type, in four lanes.
fn choose(b: &mut Builder<'_>, ty: Value, cases: &[(i32, i32)], other: i32) -> Value {
    let mut v = b.i32(other);
    for &(case, number) in cases {
        let (case, number) = (b.i32(case), b.i32(number));
        let is = b.icmp(IntCc::Eq, ty, case);
        v = b.select(is, number, v);
    }
    b.value(Op::Splat, &[v], Type::Vector(Scalar::I32, 4))
}

/// Sign-extends texels of signed narrow formats.
fn extend(b: &mut Builder<'_>, v: Value, arg: u16) -> Value {
    let ty = data_type_of(b, arg);
    let amount = choose(b, ty, &[(SIGNED_INT8, 24), (SIGNED_INT16, 16)], 0);
    let v = b.shl(v, amount);
    b.bin(BinOp::Ashr, v, amount)
}

/// Saturates to the range of the format, and clears the bits above.
fn saturate(b: &mut Builder<'_>, v: Value, arg: u16) -> Value {
    let ty = data_type_of(b, arg);
    let low = choose(b, ty, &[(SIGNED_INT8, -0x80), (SIGNED_INT16, -0x8000)], i32::MIN);
    let high = choose(b, ty, &[(SIGNED_INT8, 0x7f), (SIGNED_INT16, 0x7fff)], i32::MAX);
    let signed = b.bin(BinOp::Smax, v, low);
    let signed = b.bin(BinOp::Smin, signed, high);
    let mask = choose(
        b,
        ty,
        &[(SIGNED_INT8, 0xff), (SIGNED_INT16, 0xffff), (UNSIGNED_INT8, 0xff), (UNSIGNED_INT16, 0xffff)],
        -1,
    );
    let signed = b.and(signed, mask);
    let unsigned = b.bin(BinOp::Umin, v, mask);
    let (first, last) = (b.i32(SIGNED_INT8), b.i32(SIGNED_INT32 - SIGNED_INT8));
    let from_first = b.isub(ty, first);
    let is_signed = b.icmp(IntCc::Ule, from_first, last);
    b.select(is_signed, signed, unsigned)
}
