//! Image instructions, and the built-in functions on images that clang leaves as calls.
//!
//! Coordinates are truncated to the image's dimensions, texels become four lanes of 32 bits, and results have
//! the type that the module states. The supported image operands are levels of detail, gradients (converted
//! to levels), and the extension of integers, which follows from the image's format.

use super::func::{Emitter, FuncReader, Vals};
use super::read::Instr;
use super::types::SpirvTypeKind;
use crate::error::{CompileError, Result};
use crate::front::expand::images::{self, Detail};
use crate::ir::{BinOp, F32, FuncRef, I32, ImageDim, ImageOp, Op as IrOp, Type, Value};
use smallvec::smallvec;
use spirv::{ImageOperands, Op};

/// First value of cl_channel_order and of cl_channel_type; SPIR-V counts from zero.
const FIRST_ORDER: u64 = 0x10b0;
const FIRST_DATA_TYPE: u64 = 0x10d0;

/// Image operands without effect on an image of one level.
const HARMLESS: ImageOperands = ImageOperands::SIGN_EXTEND
    .union(ImageOperands::ZERO_EXTEND)
    .union(ImageOperands::NON_PRIVATE_TEXEL)
    .union(ImageOperands::VOLATILE_TEXEL)
    .union(ImageOperands::NONTEMPORAL);

impl FuncReader<'_, '_, '_> {
    /// Reads an image instruction; returns false for others and for unsupported ones.
    pub fn image_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        match inst.op {
            Op::SampledImage => {
                let mut vals = self.leaves(inst.word(2)?, inst)?;
                vals.extend(self.leaves(inst.word(3)?, inst)?);
                self.define_all(inst, vals)?;
            }
            Op::Image => {
                let image = self.leaves(inst.word(2)?, inst)?.first().copied();
                self.define(inst, image.ok_or_else(|| inst.bad("no sampled image"))?)?;
            }
            Op::ImageSampleExplicitLod => {
                let Some(detail) = self.detail(4, inst)? else { return Ok(false) };
                let id = inst.word(2)?;
                let dim = self.image_dim(id, inst)?;
                let [image, sampler] = self.leaves(id, inst)?[..] else {
                    return Err(inst.bad("no sampled image"));
                };
                let at = self.arg(3, inst)?;
                let ty = self.result_type(inst)?;
                let v = self.sample(image, sampler, dim, at, detail, ty, inst)?;
                self.define(inst, v)?;
            }
            Op::ImageRead | Op::ImageFetch => {
                let Some(detail) = self.detail(4, inst)? else { return Ok(false) };
                let (dim, image, at) =
                    (self.image_dim(inst.word(2)?, inst)?, self.image_arg(2, inst)?, self.arg(3, inst)?);
                let ty = self.result_type(inst)?;
                let v = self.read_texel(image, dim, at, detail, ty, inst)?;
                self.define(inst, v)?;
            }
            Op::ImageWrite => {
                let level = match self.detail(3, inst)? {
                    Some(Detail::First) => None,
                    Some(Detail::Level(level)) => Some(level),
                    _ => return Ok(false),
                };
                let (dim, image) = (self.image_dim(inst.word(0)?, inst)?, self.image_arg(0, inst)?);
                let (at, texel) = (self.arg(1, inst)?, self.arg(2, inst)?);
                self.write_texel(image, dim, at, level, texel, inst)?;
            }
            Op::ImageQuerySizeLod | Op::ImageQuerySize => {
                let (dim, image) = (self.image_dim(inst.word(2)?, inst)?, self.image_arg(2, inst)?);
                let ty = self.result_type(inst)?;
                let size = dim.size_type();
                if !ty.is_int() || ty.lanes() != size.lanes() {
                    return Err(inst.bad("the size has another number of components"));
                }
                let mut v = self.b().value(IrOp::Image { op: ImageOp::Size, dim, var: None }, &[image], size);
                if inst.op == Op::ImageQuerySizeLod {
                    let level = self.arg(3, inst)?;
                    v = self.size_at(v, dim, level, inst)?;
                }
                let v = self.resize(v, ty, false, inst)?;
                self.define(inst, v)?;
            }
            Op::ImageQueryLevels => {
                let (dim, image) = (self.image_dim(inst.word(2)?, inst)?, self.image_arg(2, inst)?);
                if self.result_type(inst)? != I32 {
                    return Err(inst.bad("the result must be a 32-bit integer"));
                }
                let v = self.b().value(IrOp::Image { op: ImageOp::Levels, dim, var: None }, &[image], I32);
                self.define(inst, v)?;
            }
            Op::ImageQueryOrder | Op::ImageQueryFormat => {
                let (op, first) = match inst.op {
                    Op::ImageQueryOrder => (ImageOp::Order, FIRST_ORDER),
                    _ => (ImageOp::DataType, FIRST_DATA_TYPE),
                };
                let (dim, image) = (self.image_dim(inst.word(2)?, inst)?, self.image_arg(2, inst)?);
                if self.result_type(inst)? != I32 {
                    return Err(inst.bad("the result must be a 32-bit integer"));
                }
                let mut v = self.b().value(IrOp::Image { op, dim, var: None }, &[image], I32);
                // clang's back end does not add the first value, from which get_image_channel_data_type
                // counts.
                if !self.r.by_llvm {
                    let first = self.f.bits(I32, first);
                    v = self.b().bin(BinOp::Isub, v, first);
                }
                self.define(inst, v)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A built-in function on images that clang calls by its mangled name: reads of half, the channel order,
    /// writes to levels.
    pub fn image_call(&mut self, func: FuncRef, inst: &Instr<'_>) -> Result<Option<Vals>> {
        let name = self.r.module.functions[func].name.clone();
        let results = self.r.module.functions[func].sig.results.clone();
        let named = |base: &str| name.starts_with(&format!("_Z{}{base}", base.len()));
        let Some(&id) = inst.ops.get(3) else { return Ok(None) };
        if !matches!(self.r.types.need(self.type_of(id, inst)?, inst)?.kind, SpirvTypeKind::Image { .. }) {
            return Ok(None);
        }
        if results.is_empty()
            && ["h", "f", "i", "ui"].iter().any(|t| named(&format!("pc_write_image{t}_level")))
        {
            let (dim, image) = (self.image_dim(id, inst)?, self.image_arg(3, inst)?);
            let (at, level, texel) = (self.arg(4, inst)?, self.arg(5, inst)?, self.arg(6, inst)?);
            self.write_texel(image, dim, at, Some(level), texel, inst)?;
            return Ok(Some(Vals::new()));
        }
        let &[ty] = &results[..] else { return Ok(None) };
        let queries = [
            ("get_image_channel_order", ImageOp::Order),
            ("get_image_channel_data_type", ImageOp::DataType),
            ("get_image_num_mip_levels", ImageOp::Levels),
        ];
        if let Some((_, op)) = queries.into_iter().find(|(base, _)| ty == I32 && named(base)) {
            let (dim, image) = (self.image_dim(id, inst)?, self.image_arg(3, inst)?);
            let v = self.b().value(IrOp::Image { op, dim, var: None }, &[image], ty);
            return Ok(Some(smallvec![v]));
        }
        // Called by the declarations of cl_khr_mipmap_image, because the back end between them loses levels.
        let suffix = ["_lod", "_grad", ""].into_iter().find(|s| {
            let prefix = if s.is_empty() { "" } else { "pc_" };
            ["h", "f", "i", "ui"].iter().any(|t| named(&format!("{prefix}read_image{t}{s}")))
        });
        let Some(suffix) = suffix else { return Ok(None) };
        let (dim, image) = (self.image_dim(id, inst)?, self.image_arg(3, inst)?);
        let sampler = inst.ops.get(4).copied().filter(|s| {
            let ty = self.type_of(*s, inst).ok().and_then(|ty| self.r.types.get(ty));
            ty.is_some_and(|t| matches!(t.kind, SpirvTypeKind::Sampler))
        });
        let v = match sampler {
            Some(sampler) => {
                let (sampler, at) = (self.one(sampler, inst)?, self.arg(5, inst)?);
                let detail = match suffix {
                    "_lod" => Detail::Level(self.arg(6, inst)?),
                    "_grad" => Detail::Gradients(self.arg(6, inst)?, self.arg(7, inst)?),
                    _ => Detail::First,
                };
                self.sample(image, sampler, dim, at, detail, ty, inst)?
            }
            None => {
                let at = self.arg(4, inst)?;
                self.read_texel(image, dim, at, Detail::First, ty, inst)?
            }
        };
        Ok(Some(smallvec![v]))
    }

    /// The level that the optional image operands from word `first` on select; `None` if an operand is not
    /// supported.
    fn detail(&mut self, first: usize, inst: &Instr<'_>) -> Result<Option<Detail>> {
        let Some(&mask) = inst.ops.get(first) else { return Ok(Some(Detail::First)) };
        let mask = ImageOperands::from_bits_truncate(mask) - HARMLESS;
        Ok(if mask.is_empty() {
            Some(Detail::First)
        } else if mask == ImageOperands::LOD {
            let level = self.arg(first + 1, inst)?;
            // +0.0 and -0.0.
            let zero = self.f.as_bits(level).is_some_and(|bits| bits & 0x7fff_ffff == 0);
            Some(if zero { Detail::First } else { Detail::Level(level) })
        } else if mask == ImageOperands::GRAD {
            Some(Detail::Gradients(self.arg(first + 1, inst)?, self.arg(first + 2, inst)?))
        } else {
            None
        })
    }

    /// The size of a level, by that of the first; the number of layers is the same at each level.
    fn size_at(&mut self, size: Value, dim: ImageDim, level: Value, inst: &Instr<'_>) -> Result<Value> {
        if self.f.as_bits(level) == Some(0) {
            return Ok(size);
        }
        if self.f.ty(level) != I32 {
            return Err(inst.bad("a level must be a 32-bit integer"));
        }
        let (layers, lanes) = (dim.has_layers(), dim.coordinates());
        let mut b = self.b();
        let one = b.i32(1);
        let parts: Vec<Value> = (0..lanes)
            .map(|i| {
                let full = if lanes == 1 { size } else { b.extract(size, i as u8) };
                if layers && i + 1 == lanes {
                    return full;
                }
                let part = b.lshr(full, level);
                b.bin(BinOp::Umax, part, one)
            })
            .collect();
        Ok(b.vec_build(&parts))
    }

    /// Dimensions of the image (alone or with a sampler) that an id holds.
    fn image_dim(&self, id: u32, inst: &Instr<'_>) -> Result<ImageDim> {
        match self.r.types.need(self.type_of(id, inst)?, inst)?.kind {
            SpirvTypeKind::Image { dim, .. } | SpirvTypeKind::SampledImage(dim) => Ok(dim),
            SpirvTypeKind::Other(what) => Err(CompileError::unsupported(what, self.line)),
            _ => Err(inst.bad(format_args!("%{id} is not an image"))),
        }
    }

    fn image_arg(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let v = self.arg(i, inst)?;
        match self.f.ty(v) {
            Type::Opaque(crate::ir::Opaque::Image) => Ok(v),
            _ => Err(inst.bad(format_args!("operand {i} is not an image"))),
        }
    }

    /// Coordinates for an image of these dimensions.
    fn coordinates(&self, at: Value, dim: ImageDim, float: bool, inst: &Instr<'_>) -> Result<()> {
        if images::are_coordinates(self.f.ty(at), dim, float) {
            Ok(())
        } else {
            Err(inst.bad("unfit coordinates"))
        }
    }

    fn texel_type(ty: Type, inst: &Instr<'_>) -> Result<()> {
        match images::texel_type(ty) {
            Some(_) => Ok(()),
            None => Err(inst.bad(format_args!("texels of type {ty}"))),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn sample(
        &mut self,
        image: Value,
        sampler: Value,
        dim: ImageDim,
        at: Value,
        detail: Detail,
        ty: Type,
        inst: &Instr<'_>,
    ) -> Result<Value> {
        if dim == ImageDim::Buffer || self.f.ty(sampler) != I32 {
            return Err(inst.bad("sampling needs a sampler and an image that is not a buffer"));
        }
        self.coordinates(at, dim, true, inst)?;
        Self::texel_type(ty, inst)?;
        let is_float = |v: Value| self.f.ty(v).lane() == F32;
        let has_lanes = |v: &Value| is_float(*v) && self.f.ty(*v).lanes() >= images::spatial_lanes(dim);
        match detail {
            Detail::Gradients(x, y) if ![x, y].iter().all(has_lanes) => {
                return Err(inst.bad("unfit gradients"));
            }
            Detail::Level(level) if self.f.ty(level) != F32 || !is_float(at) => {
                return Err(inst.bad("levels of detail and their coordinates must be floating-point"));
            }
            Detail::Gradients(..) if !is_float(at) => {
                return Err(inst.bad("levels of detail and their coordinates must be floating-point"));
            }
            _ => {}
        }
        Ok(images::sample(&mut Emitter::new(self), image, sampler, dim, at, detail, ty))
    }

    fn read_texel(
        &mut self,
        image: Value,
        dim: ImageDim,
        at: Value,
        detail: Detail,
        ty: Type,
        inst: &Instr<'_>,
    ) -> Result<Value> {
        self.coordinates(at, dim, false, inst)?;
        Self::texel_type(ty, inst)?;
        match detail {
            Detail::First => {}
            Detail::Level(level) if self.f.ty(level) == I32 && dim != ImageDim::Buffer => {}
            _ => return Err(inst.bad("unfit level of detail")),
        }
        Ok(images::read(&mut Emitter::new(self), image, dim, at, detail, ty))
    }

    fn write_texel(
        &mut self,
        image: Value,
        dim: ImageDim,
        at: Value,
        level: Option<Value>,
        texel: Value,
        inst: &Instr<'_>,
    ) -> Result<()> {
        self.coordinates(at, dim, false, inst)?;
        Self::texel_type(self.f.ty(texel), inst)?;
        if level.is_some_and(|level| self.f.ty(level) != I32 || dim == ImageDim::Buffer) {
            return Err(inst.bad("unfit level of detail"));
        }
        images::write(&mut Emitter::new(self), image, dim, at, level, texel);
        Ok(())
    }
}
