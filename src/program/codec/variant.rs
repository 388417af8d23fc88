//! Codec of a kernel's variants: the launch contract and the code.

use super::{Reader, Writer};
use clspv_bridge::abi::{
    BindingSource, BlockStorage, ImageBinding, ImplicitArg, KernelVariant, LaunchAbi, LocalSizes, LocalSpec,
    PointerMode,
};

fn put_implicit_arg(w: &mut Writer, h: ImplicitArg) {
    let (tag, value) = match h {
        ImplicitArg::GlobalIdBase(d) => (0, d as u16),
        ImplicitArg::GroupBase(d) => (1, d as u16),
        ImplicitArg::GlobalOffset(d) => (2, d as u16),
        ImplicitArg::GlobalSize(d) => (3, d as u16),
        ImplicitArg::EnqueuedLocalSize(d) => (4, d as u16),
        ImplicitArg::NumGroups(d) => (5, d as u16),
        ImplicitArg::WorkDim => (6, 0),
        ImplicitArg::DataAddress => (7, 0),
        ImplicitArg::PrintfAddress => (8, 0),
        ImplicitArg::LocalArgOffset(a) => (9, a),
        ImplicitArg::PrintfBase => (10, 0),
        ImplicitArg::ImageFormat(a) => (11, a),
        ImplicitArg::ImageSize(a, d) => (12 + d, a),
        ImplicitArg::NullAddress => (16, 0),
        ImplicitArg::WindowOffset(a) => (17, a),
    };
    w.u8(tag);
    w.u16(value);
}

fn get_implicit_arg(r: &mut Reader) -> Option<ImplicitArg> {
    let (tag, value) = (r.u8()?, r.u16()?);
    let dim = || u8::try_from(value).ok().filter(|d| *d < 3);
    Some(match tag {
        0 => ImplicitArg::GlobalIdBase(dim()?),
        1 => ImplicitArg::GroupBase(dim()?),
        2 => ImplicitArg::GlobalOffset(dim()?),
        3 => ImplicitArg::GlobalSize(dim()?),
        4 => ImplicitArg::EnqueuedLocalSize(dim()?),
        5 => ImplicitArg::NumGroups(dim()?),
        6 if value == 0 => ImplicitArg::WorkDim,
        7 if value == 0 => ImplicitArg::DataAddress,
        8 if value == 0 => ImplicitArg::PrintfAddress,
        9 => ImplicitArg::LocalArgOffset(value),
        10 if value == 0 => ImplicitArg::PrintfBase,
        11 => ImplicitArg::ImageFormat(value),
        12..=15 => ImplicitArg::ImageSize(value, tag - 12),
        16 if value == 0 => ImplicitArg::NullAddress,
        17 => ImplicitArg::WindowOffset(value),
        _ => return None,
    })
}

/// Writes a variant of a kernel.
pub(super) fn put_variant(w: &mut Writer, v: &KernelVariant) {
    let abi = &v.abi;
    w.u8(match abi.mode {
        PointerMode::Addresses => 0,
        PointerMode::Bindings => 1,
        PointerMode::Virtual => 2,
        PointerMode::Windowed => 3,
    });
    w.u8(match abi.block_storage {
        BlockStorage::Push => 0,
        BlockStorage::Buffer => 1,
        BlockStorage::Bound => 2,
    });
    w.list(&abi.implicit_args, |w, (h, offset)| {
        put_implicit_arg(w, *h);
        w.u32(*offset);
    });
    w.u32(abi.args_offset);
    w.u32(abi.block_size);
    w.list(&abi.bindings, |w, b| {
        let (tag, number) = match b {
            BindingSource::Arg(a) => (0, *a),
            BindingSource::Data => (1, 0),
            BindingSource::Print => (2, 0),
            BindingSource::Whole(a) => (4, *a),
            BindingSource::Block => (5, 0),
            BindingSource::Window => (6, 0),
            BindingSource::Sampler(s) => (8, u16::from(*s)),
            BindingSource::Image(i) => {
                let flags = [i.storage, i.float, i.buffer, i.declared];
                (flags.iter().zip(2..).fold(3, |tag, (flag, bit)| tag | u8::from(*flag) << bit), i.arg)
            }
        };
        w.u8(tag);
        w.u16(number);
        if let BindingSource::Image(i) = b {
            w.u8(i.level);
            w.u8(i.abilities);
        }
    });
    w.list(&abi.readonly, |w, b| w.bool(*b));
    w.list(&abi.window_writes, |w, a| w.u16(*a));
    w.list(&abi.local_specs, |w, (id, spec)| {
        w.u32(*id);
        match spec {
            LocalSpec::Arg { arg, elem_bytes } => {
                w.u8(0);
                w.u32(*arg as u32);
                w.u32(*elem_bytes);
            }
            LocalSpec::Common { fixed_bytes, elem_bytes } => {
                w.u8(1);
                w.u32(*fixed_bytes);
                w.u32(*elem_bytes);
            }
        }
    });
    w.list(&abi.common_local_args, |w, a| w.u16(*a));
    w.u32(abi.static_local_bytes);
    w.u32(abi.private_bytes);
    w.u32(abi.sub_group_size);
    w.u32(match abi.local_sizes {
        LocalSizes::Own => 0,
        LocalSizes::Lines(most) => most,
        LocalSizes::Any => u32::MAX,
    });
    w.words(&v.spirv);
}

/// Reads what [`put_variant`] has written.
pub(super) fn get_variant(r: &mut Reader) -> Option<KernelVariant> {
    let abi = LaunchAbi {
        mode: match r.u8()? {
            0 => PointerMode::Addresses,
            1 => PointerMode::Bindings,
            2 => PointerMode::Virtual,
            3 => PointerMode::Windowed,
            _ => return None,
        },
        block_storage: match r.u8()? {
            0 => BlockStorage::Push,
            1 => BlockStorage::Buffer,
            2 => BlockStorage::Bound,
            _ => return None,
        },
        implicit_args: r.list(|r| Some((get_implicit_arg(r)?, r.u32()?)))?,
        args_offset: r.u32()?,
        block_size: r.u32()?,
        bindings: r.list(|r| match (r.u8()?, r.u16()?) {
            (0, a) => Some(BindingSource::Arg(a)),
            (1, 0) => Some(BindingSource::Data),
            (2, 0) => Some(BindingSource::Print),
            (4, a) => Some(BindingSource::Whole(a)),
            (5, 0) => Some(BindingSource::Block),
            (6, 0) => Some(BindingSource::Window),
            (8, s) => Some(BindingSource::Sampler(u8::try_from(s).ok()?)),
            (tag, arg) if tag & 3 == 3 && tag < 64 => {
                let bit = |n: u8| tag >> n & 1 != 0;
                let (storage, float, buffer, declared) = (bit(2), bit(3), bit(4), bit(5));
                Some(BindingSource::Image(ImageBinding {
                    arg,
                    storage,
                    float,
                    buffer,
                    level: r.u8()?,
                    declared,
                    abilities: r.u8()?,
                }))
            }
            _ => None,
        })?,
        readonly: r.list(Reader::bool)?,
        window_writes: r.list(Reader::u16)?,
        local_specs: r.list(|r| {
            let id = r.u32()?;
            let spec = match r.u8()? {
                0 => LocalSpec::Arg { arg: u16::try_from(r.u32()?).ok()?, elem_bytes: r.u32()? },
                1 => LocalSpec::Common { fixed_bytes: r.u32()?, elem_bytes: r.u32()? },
                _ => return None,
            };
            Some((id, spec))
        })?,
        common_local_args: r.list(Reader::u16)?,
        static_local_bytes: r.u32()?,
        private_bytes: r.u32()?,
        sub_group_size: r.u32()?,
        local_sizes: match r.u32()? {
            0 => LocalSizes::Own,
            u32::MAX => LocalSizes::Any,
            most => LocalSizes::Lines(most),
        },
    };
    Some(KernelVariant { abi, spirv: r.words()? })
}
