//! Images: types, descriptors, and the instructions that read and write them.
//!
//! Reads of sampled images are fetches, at level 0 by default, or samples by texture units. Storage images
//! have no format in the module; the descriptor's view decides. They have one where the device requires it
//! ([`crate::texel_format`]). Storage images are coherent, because after a barrier work-items see what others
//! wrote.

use super::emit::Emitter;
use super::module::Id;
use crate::error::{CompileError, Result};
use crate::ir::{F32, I32, ImageDim, ImageOp, Op as IrOp, Type, Var};
use crate::texel_format;
use spirv::{Capability, Decoration, Dim, ImageFormat, ImageOperands, Op, StorageClass};

/// An emitted image variable.
#[derive(Clone, Copy)]
pub(super) struct ImageVar {
    id: Id,
    ty: Id,
    dim: ImageDim,
    storage: bool,
    /// Whether it is a storage image that is both read and written.
    shared: bool,
}

impl Emitter<'_> {
    /// Declares the image variable at a descriptor binding.
    pub(super) fn declare_image(
        &mut self,
        var: Var,
        elem: Type,
        binding: u32,
        dim: ImageDim,
        storage: bool,
    ) -> Result<()> {
        let (shape, capability) = match dim {
            ImageDim::D1 | ImageDim::D1Array => {
                (Dim::Dim1D, Some(if storage { Capability::Image1D } else { Capability::Sampled1D }))
            }
            ImageDim::Buffer => (
                Dim::DimBuffer,
                Some(if storage { Capability::ImageBuffer } else { Capability::SampledBuffer }),
            ),
            ImageDim::D2 | ImageDim::D2Array => (Dim::Dim2D, None),
            ImageDim::D3 => (Dim::Dim3D, None),
        };
        if let Some(capability) = capability {
            self.m.capability(capability);
        }
        let arrayed = matches!(dim, ImageDim::D1Array | ImageDim::D2Array);
        let texel = self.m.ty(elem)?;
        let shared = storage
            && super::emit::all_ops(self.func)
                .any(|op| matches!(op, IrOp::Image { op: ImageOp::Read, var: Some(v), .. } if *v == var));
        let vulkan = self.vulkan;
        let declared = storage && vulkan.declares_format(shared);
        let format = match declared {
            true => texel_format::placeholder(elem.is_float()),
            false => ImageFormat::Unknown,
        };
        let ty = self.m.image(texel, shape, arrayed, storage, format);
        let id = self.m.variable(StorageClass::UniformConstant, ty);
        self.m.decorate(id, Decoration::DescriptorSet, &[0]);
        self.m.decorate(id, Decoration::Binding, &[binding]);
        if storage {
            if declared {
                if vulkan.storage_image_extended_formats {
                    self.m.capability(Capability::StorageImageExtendedFormats);
                }
            } else {
                self.m.capability(Capability::StorageImageWriteWithoutFormat);
                if shared {
                    self.m.capability(Capability::StorageImageReadWithoutFormat);
                }
            }
            if !shared {
                self.m.decorate(id, Decoration::NonReadable, &[]);
            }
            // Two arguments may be the same image.
            self.m.decorate(id, Decoration::Aliased, &[]);
            if shared && !self.vulkan_memory {
                self.m.decorate(id, Decoration::Coherent, &[]);
            }
        }
        self.interface.images.insert(var, ImageVar { id, ty, dim, storage, shared });
        Ok(())
    }

    /// Emits a lowered image operation; returns the result's id if it has one.
    pub(super) fn emit_image(
        &mut self,
        op: ImageOp,
        var: Option<Var>,
        ty: Option<Type>,
        args: &[Id],
    ) -> Result<Option<Id>> {
        let image = var.and_then(|v| self.interface.images.get(&v).copied());
        let image = image.ok_or_else(|| CompileError::internal("emit: an image must be lowered"))?;
        let loaded = self.m.id();
        self.code(Op::Load, &[image.ty, loaded, image.id]);
        let zero = self.m.u32(0)?;
        let mut operands = vec![loaded];
        operands.extend_from_slice(args);
        match (op, ty) {
            (ImageOp::Read, Some(ty)) if image.storage => {
                self.shared_access(&image, ImageOperands::MAKE_TEXEL_VISIBLE, &mut operands)?;
                Ok(Some(self.op(Op::ImageRead, ty, &operands)?))
            }
            (ImageOp::Read, Some(ty)) => {
                if image.dim != ImageDim::Buffer {
                    operands.extend([ImageOperands::LOD.bits(), zero]);
                }
                Ok(Some(self.op(Op::ImageFetch, ty, &operands)?))
            }
            (ImageOp::ReadLevel, Some(ty)) if image.dim != ImageDim::Buffer && !image.storage => {
                operands.insert(2, ImageOperands::LOD.bits());
                Ok(Some(self.op(Op::ImageFetch, ty, &operands)?))
            }
            (ImageOp::Write, None) => {
                self.shared_access(&image, ImageOperands::MAKE_TEXEL_AVAILABLE, &mut operands)?;
                self.code(Op::ImageWrite, &operands);
                Ok(None)
            }
            _ => Err(CompileError::internal(format!("emit: image operation {op:?} must be lowered"))),
        }
    }

    /// Emits a read by a texture unit, at level 0, through the sampler at a binding.
    pub(super) fn emit_filter(
        &mut self,
        var: Option<Var>,
        binding: Option<u32>,
        ty: Type,
        coordinates: Id,
    ) -> Result<Id> {
        let image = var.and_then(|v| self.interface.images.get(&v).copied()).filter(|image| !image.storage);
        let (Some(image), Some(binding)) = (image, binding) else {
            return Err(CompileError::internal("emit: a texture unit needs an image and a sampler"));
        };
        let sampler_ty = self.m.sampler();
        let variable = match self.interface.samplers.get(&binding) {
            Some(&id) => id,
            None => {
                let id = self.m.variable(StorageClass::UniformConstant, sampler_ty);
                self.m.decorate(id, Decoration::DescriptorSet, &[0]);
                self.m.decorate(id, Decoration::Binding, &[binding]);
                self.interface.samplers.insert(binding, id);
                id
            }
        };
        let [loaded, sampler, sampled] = [(); 3].map(|()| self.m.id());
        self.code(Op::Load, &[image.ty, loaded, image.id]);
        self.code(Op::Load, &[sampler_ty, sampler, variable]);
        let sampled_ty = self.m.sampled_image(image.ty);
        self.code(Op::SampledImage, &[sampled_ty, sampled, loaded, sampler]);
        let zero = self.m.constant(F32, &[0])?;
        self.op(Op::ImageSampleExplicitLod, ty, &[sampled, coordinates, ImageOperands::LOD.bits(), zero])
    }

    /// Under the Vulkan memory model each access is marked as shared with other work-items.
    fn shared_access(&mut self, image: &ImageVar, how: ImageOperands, operands: &mut Vec<u32>) -> Result<()> {
        if image.shared && self.vulkan_memory {
            let scope = self.m.constant(I32, &[spirv::Scope::QueueFamily as u64])?;
            operands.extend([(ImageOperands::NON_PRIVATE_TEXEL | how).bits(), scope]);
        }
        Ok(())
    }
}
