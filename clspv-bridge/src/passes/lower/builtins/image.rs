//! Image operations: samplers become arithmetic on texels (`builtins/image.cl`) on every device. Where
//! texture units can filter, they also become reads by these, and a branch to either. Where images lie in
//! memory, texel operations become memory accesses (`builtins/texels.cl`).

use super::BuiltinLowering;
use crate::abi::sampler;
use crate::ir::edit::split_after;
use crate::ir::names::Named;
use crate::ir::*;
use crate::native::image_descriptor as image;

impl BuiltinLowering<'_, '_, '_> {
    /// Lowers a read through a sampler, optionally at a level of detail.
    pub(crate) fn sample(&mut self, dim: ImageDim, args: &[Value], ty: Type) -> Value {
        if !self.may_filter(args, ty) {
            return self.computed_sample(dim, args, ty);
        }
        let can = self.b.value(Op::Image { op: ImageOp::CanFilter, dim, var: None }, &args[..2], I1);
        let filter = split_after(self.b.func, self.b.block);
        let compute = split_after(self.b.func, filter);
        let join = split_after(self.b.func, compute);
        let result = self.b.func.add_param(join, ty);
        self.b.brif(can, BlockCall::new(filter, &[]), BlockCall::new(compute, &[]));
        self.b.block = filter;
        let filtered = self.b.value(Op::Image { op: ImageOp::Filter, dim, var: None }, args, ty);
        self.b.jump(join, &[filtered]);
        self.b.block = compute;
        let computed = self.computed_sample(dim, args, ty);
        self.b.jump(join, &[computed]);
        self.b.block = join;
        result
    }

    /// Whether texture units may do a read through a sampler: one that is constant, as far as is known before
    /// functions are inlined, with a linear filter, of floating-point texels of an image's first level.
    fn may_filter(&self, args: &[Value], ty: Type) -> bool {
        let [_, sampler, at] = args else { return false };
        let is_float = ty.is_float() && self.b.ty(*at).is_float();
        let may_be_constant = match self.b.func.as_bits(*sampler) {
            Some(word) => sampler::for_texture_unit(word).is_some(),
            None => self.b.func.kernel.is_none() || self.b.func.def_inst(*sampler).is_some(),
        };
        is_float && may_be_constant && self.cx.target.vulkan().is_some_and(|vulkan| vulkan.filters_images)
    }

    /// Lowers a read through a sampler, optionally at a level of detail, to a call of the library function
    /// for the image's dimensions, with scalar coordinates.
    fn computed_sample(&mut self, dim: ImageDim, args: &[Value], ty: Type) -> Value {
        let (image, sampler, at) = (args[0], args[1], args[2]);
        let (coordinates, texel) = (self.b.ty(at).lane(), if ty.is_float() { 'f' } else { 'u' });
        let mut scalars = vec![image];
        scalars.extend((0..dim.coordinates()).map(|i| self.b.extract(at, i as u8)));
        let name = if args.len() > 3 { "lod" } else { "sample" };
        scalars.extend_from_slice(&args[3..]);
        scalars.push(sampler);
        self.call(&format!("pc_{name}_{}_{coordinates}_{texel}", dim.name()), &scalars, ty)
    }

    /// Lowers everything but reads through samplers, for an image in memory. `None`: no result.
    pub(crate) fn texels(&mut self, op: ImageOp, dim: ImageDim, args: &[Value], ty: Type) -> Option<Value> {
        let descriptor = self.b.value(
            Op::Image { op: ImageOp::Address, dim, var: None },
            &args[..1],
            Type::Ptr(Space::Constant),
        );
        match op {
            ImageOp::Size => {
                let lanes: Vec<Value> =
                    (0..dim.coordinates()).map(|d| self.field(descriptor, image::SIZE[d as usize])).collect();
                Some(self.b.vec_build(&lanes))
            }
            ImageOp::Order => {
                let (format, half) = (self.field(descriptor, image::FORMAT), self.b.i32(16));
                Some(self.b.lshr(format, half))
            }
            ImageOp::DataType => {
                let (format, low) = (self.field(descriptor, image::FORMAT), self.b.i32(0xffff));
                Some(self.b.and(format, low))
            }
            ImageOp::Read => Some(self.texel(descriptor, args[1], dim, ty)),
            ImageOp::Write => {
                self.write_texel(descriptor, args[1], dim, args[2]);
                None
            }
            ImageOp::WriteLevel => {
                let level = self.level_of(descriptor, args[2]);
                self.write_texel(level, args[1], dim, args[3]);
                None
            }
            ImageOp::Levels => Some(self.field(descriptor, image::LEVELS)),
            ImageOp::ReadLevel => {
                let level = self.level_of(descriptor, args[2]);
                Some(self.texel(level, args[1], dim, ty))
            }
            ImageOp::Sample
            | ImageOp::SampleLod
            | ImageOp::CanFilter
            | ImageOp::Filter
            | ImageOp::FetchesBorder
            | ImageOp::Address => None,
        }
    }

    fn texel(&mut self, descriptor: Value, at: Value, dim: ImageDim, ty: Type) -> Value {
        // Samplers only read texels inside the image.
        let name = if self.in_library { "sampled" } else { "read" };
        let at = self.texel_at(descriptor, at, dim);
        self.call(&format!("pc_texel_{name}_{}", letter(ty)), &at, ty)
    }

    fn write_texel(&mut self, descriptor: Value, at: Value, dim: ImageDim, texel: Value) {
        let mut at = self.texel_at(descriptor, at, dim);
        at.push(texel);
        let name = format!("pc_texel_write_{}", letter(self.b.ty(texel)));
        self.call_without_result(&name, &at);
    }

    /// Address of a level's part of the image descriptor, the last one for levels that do not exist.
    fn level_of(&mut self, descriptor: Value, level: Value) -> Value {
        let (levels, one) = (self.field(descriptor, image::LEVELS), self.b.i32(1));
        let last = self.b.isub(levels, one);
        let level = self.b.bin(BinOp::Umin, level, last);
        let level = self.b.cast(CastOp::Zext, level, I64);
        let bytes = self.b.i64(image::BYTES as i64);
        let offset = self.b.imul(level, bytes);
        self.b.ptr_add(descriptor, offset)
    }

    /// Loads a field of the image descriptor.
    fn field(&mut self, descriptor: Value, offset: u32) -> Value {
        let p = self.b.ptr_add_const(descriptor, i64::from(offset));
        self.b.load(I32, p, Access { readonly: true, ..Access::aligned(4) })
    }

    /// Operands of the library's functions: the image, and three coordinates.
    fn texel_at(&mut self, descriptor: Value, at: Value, dim: ImageDim) -> Vec<Value> {
        let mut out = vec![descriptor];
        out.extend((0..dim.coordinates()).map(|i| self.b.extract(at, i as u8)));
        let zero = self.b.i32(0);
        out.resize(4, zero);
        out
    }
}

fn letter(texel: Type) -> char {
    if texel.is_float() { 'f' } else { 'u' }
}
