//! Byte codec of program binaries and cache entries: little-endian, length-prefixed, no external format.
//!
//! Writing cannot fail. Reading checks every length against the remaining input, never allocates more than
//! the input can justify, and never panics: damaged input yields `None`. Each change of an encoding requires
//! a new [`VERSION`].

mod variant;

use bytes::Bytes;
use clspv_bridge::CompileError;
use clspv_bridge::abi::{CompiledKernel, CompiledProgram, DataBlock, ProgramCode};
use clspv_bridge::ir::ImageDim;
use clspv_bridge::ir::lazy::LazyModule;
use clspv_bridge::metadata::{
    AccessQualifier, AddressQualifier, ArgInfo, ArgKind, KernelArgInfo, KernelInfo, TypeQualifiers,
};
use clspv_bridge::native::flat_code::ALIGNMENT;
use clspv_bridge::native::{NativeKernel, NativeProgram, VariableLocation, VariableLocations};
use clspv_bridge::options::{Library, LibraryCode, Options};
use clspv_bridge::printf::{PrintfArg, PrintfCall};
use variant::{get_variant, put_variant};

pub use crate::device::info::BINARY_VERSION as VERSION;

/// Appends values to a byte vector.
#[derive(Default)]
pub struct Writer {
    /// The bytes written so far.
    pub bytes: Vec<u8>,
}

/// Reads values from a byte slice.
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Bytes before `rest`.
    at: usize,
    /// The shared data that `rest` is a part of, if it is.
    shared: Option<&'a Bytes>,
}

impl Writer {
    pub fn u8(&mut self, v: u8) {
        self.bytes.push(v);
    }
    pub fn u16(&mut self, v: u16) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub fn u32(&mut self, v: u32) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub fn u64(&mut self, v: u64) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub fn bool(&mut self, v: bool) {
        self.u8(v as u8);
    }
    pub(crate) fn blob(&mut self, v: &[u8]) {
        self.u64(v.len() as u64);
        self.bytes.extend_from_slice(v);
    }
    /// A blob at a multiple of [`ALIGNMENT`] from the start.
    pub(crate) fn aligned_blob(&mut self, v: &[u8]) {
        self.u64(v.len() as u64);
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
        self.bytes.extend_from_slice(v);
    }
    pub fn str(&mut self, v: &str) {
        self.blob(v.as_bytes());
    }
    pub(crate) fn byte_list(&mut self, v: &[u8]) {
        self.u64(v.len() as u64);
        self.bytes.extend_from_slice(v);
    }
    pub fn words(&mut self, v: &[u32]) {
        self.u64(v.len() as u64);
        for w in v {
            self.u32(*w);
        }
    }
    pub fn list<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Self, &T)) {
        self.u64(items.len() as u64);
        for item in items {
            one(self, item);
        }
    }
    pub fn option<T>(&mut self, item: &Option<T>, one: impl FnOnce(&mut Self, &T)) {
        self.bool(item.is_some());
        if let Some(item) = item {
            one(self, item);
        }
    }
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes, at: 0, shared: None }
    }
    /// A reader whose large blobs ([`Reader::aligned_blob`]) are not copied.
    pub fn of_shared(bytes: &'a Bytes) -> Self {
        Reader { rest: bytes, at: 0, shared: Some(bytes) }
    }
    /// Whether all bytes have been read.
    pub(crate) fn at_end(&self) -> bool {
        self.rest.is_empty()
    }
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(n)?;
        self.rest = rest;
        self.at += n;
        Some(head)
    }
    pub fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }
    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }
    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
    pub fn bool(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
    pub(crate) fn blob(&mut self) -> Option<&'a [u8]> {
        let n = usize::try_from(self.u64()?).ok()?;
        self.take(n)
    }
    /// A blob that keeps the shared data in memory, or a copy of it, as [`Writer::aligned_blob`] wrote it.
    pub(crate) fn aligned_blob(&mut self) -> Option<Bytes> {
        let n = usize::try_from(self.u64()?).ok()?;
        let gap = self.take(self.at.next_multiple_of(ALIGNMENT) - self.at)?;
        if gap.iter().any(|byte| *byte != 0) {
            return None;
        }
        let blob = self.take(n)?;
        Some(self.shared.map_or_else(|| Bytes::copy_from_slice(blob), |shared| shared.slice_ref(blob)))
    }
    pub fn str(&mut self) -> Option<String> {
        String::from_utf8(self.blob()?.to_vec()).ok()
    }
    pub(crate) fn byte_list(&mut self) -> Option<&[u8]> {
        let n = usize::try_from(self.u64()?).ok()?;
        self.take(n)
    }
    pub fn words(&mut self) -> Option<Vec<u32>> {
        let n = usize::try_from(self.u64()?).ok()?;
        let bytes = self.take(n.checked_mul(4)?)?;
        Some(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
    }
    /// A list of items of at least one byte each.
    pub fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let n = usize::try_from(self.u64()?).ok()?;
        if n > self.rest.len() {
            return None;
        }
        let mut out = Vec::new();
        for _ in 0..n {
            out.push(one(self)?);
        }
        Some(out)
    }
    pub fn option<T>(&mut self, one: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.bool()? { Some(Some(one(self)?)) } else { Some(None) }
    }
}

/// Writes compiler options.
pub(crate) fn put_options(w: &mut Writer, o: &Options) {
    w.str(&o.std);
    w.list(&o.preprocessor, |w, s| w.str(s));
    w.list(&o.warnings, |w, s| w.str(s));
    for flag in flags(o) {
        w.bool(flag);
    }
}

/// Reads compiler options.
pub(crate) fn get_options(r: &mut Reader) -> Option<Options> {
    Some(Options {
        std: r.str()?,
        preprocessor: r.list(Reader::str)?,
        warnings: r.list(Reader::str)?,
        opt_disable: r.bool()?,
        mad_enable: r.bool()?,
        no_signed_zeros: r.bool()?,
        unsafe_math: r.bool()?,
        finite_math: r.bool()?,
        fast_relaxed_math: r.bool()?,
        denorms_are_zero: r.bool()?,
        single_precision_constant: r.bool()?,
        correctly_rounded_divide_sqrt: r.bool()?,
        uniform_work_group_size: r.bool()?,
        kernel_arg_info: r.bool()?,
        warnings_off: r.bool()?,
        warnings_are_errors: r.bool()?,
        debug_info: r.bool()?,
        initialize_local: r.bool()?,
        initialize_private: r.bool()?,
    })
}

/// The switches in the order of [`get_options`].
fn flags(o: &Options) -> [bool; 16] {
    [
        o.opt_disable,
        o.mad_enable,
        o.no_signed_zeros,
        o.unsafe_math,
        o.finite_math,
        o.fast_relaxed_math,
        o.denorms_are_zero,
        o.single_precision_constant,
        o.correctly_rounded_divide_sqrt,
        o.uniform_work_group_size,
        o.kernel_arg_info,
        o.warnings_off,
        o.warnings_are_errors,
        o.debug_info,
        o.initialize_local,
        o.initialize_private,
    ]
}

/// Writes a library with its log and argument information.
pub fn put_library(w: &mut Writer, l: &Library) -> Result<(), CompileError> {
    match &l.code {
        LibraryCode::Spirv(words) => {
            w.u8(0);
            w.words(words);
        }
        LibraryCode::Ir(_) => {
            w.u8(1);
            w.byte_list(&l.code.to_bytes()?);
        }
    }
    w.str(&l.log);
    w.list(&l.arg_info, |w, k| {
        w.str(&k.kernel);
        w.list(&k.args, put_arg);
        w.option(&k.vec_type_hint, |w, s| w.str(s));
    });
    Ok(())
}

/// Reads a library as written by [`put_library`]. IR in it is not checked ([`LibraryCode::is_valid`]).
pub(crate) fn get_library(r: &mut Reader) -> Option<Library> {
    let code = match r.u8()? {
        0 => LibraryCode::Spirv(r.words()?),
        1 => LibraryCode::Ir(LazyModule::from_bytes(r.byte_list()?.to_vec())),
        _ => return None,
    };
    Some(Library {
        code,
        log: r.str()?,
        arg_info: r.list(|r| {
            let (kernel, args, vec_type_hint) = (r.str()?, r.list(get_arg)?, r.option(Reader::str)?);
            // The types behind typedefs are not needed once the program is compiled.
            Some(KernelArgInfo { kernel, args, base_types: vec![], vec_type_hint })
        })?,
    })
}

const IMAGE_DIMS: [ImageDim; 6] =
    [ImageDim::D1, ImageDim::D1Array, ImageDim::Buffer, ImageDim::D2, ImageDim::D2Array, ImageDim::D3];

fn put_arg(w: &mut Writer, a: &ArgInfo) {
    w.u8(match a.kind {
        ArgKind::Value => 0,
        ArgKind::GlobalPtr => 1,
        ArgKind::ConstantPtr => 2,
        ArgKind::LocalPtr => 3,
        ArgKind::Image => 4,
        ArgKind::Sampler => 5,
        ArgKind::Queue => 6,
    });
    w.u32(a.size);
    w.u32(a.align);
    w.u32(a.offset);
    w.str(&a.name);
    w.str(&a.type_name);
    w.u8(match a.address {
        AddressQualifier::Private => 0,
        AddressQualifier::Local => 1,
        AddressQualifier::Global => 2,
        AddressQualifier::Constant => 3,
    });
    w.u8(match a.access {
        AccessQualifier::None => 0,
        AccessQualifier::ReadOnly => 1,
        AccessQualifier::WriteOnly => 2,
        AccessQualifier::ReadWrite => 3,
    });
    let q = a.qualifiers;
    w.u8(q.is_const as u8 | (q.is_restrict as u8) << 1 | (q.is_volatile as u8) << 2 | (q.is_pipe as u8) << 3);
    w.u8(a.image.and_then(|dim| IMAGE_DIMS.iter().position(|d| *d == dim)).map_or(0, |i| i as u8 + 1));
}

fn get_arg(r: &mut Reader) -> Option<ArgInfo> {
    let kind = match r.u8()? {
        0 => ArgKind::Value,
        1 => ArgKind::GlobalPtr,
        2 => ArgKind::ConstantPtr,
        3 => ArgKind::LocalPtr,
        4 => ArgKind::Image,
        5 => ArgKind::Sampler,
        6 => ArgKind::Queue,
        _ => return None,
    };
    let (size, align, offset) = (r.u32()?, r.u32()?, r.u32()?);
    let (name, type_name) = (r.str()?, r.str()?);
    let address = match r.u8()? {
        0 => AddressQualifier::Private,
        1 => AddressQualifier::Local,
        2 => AddressQualifier::Global,
        3 => AddressQualifier::Constant,
        _ => return None,
    };
    let access = match r.u8()? {
        0 => AccessQualifier::None,
        1 => AccessQualifier::ReadOnly,
        2 => AccessQualifier::WriteOnly,
        3 => AccessQualifier::ReadWrite,
        _ => return None,
    };
    let bits = r.u8().filter(|b| *b < 16)?;
    let qualifiers = TypeQualifiers {
        is_const: bits & 1 != 0,
        is_restrict: bits & 2 != 0,
        is_volatile: bits & 4 != 0,
        is_pipe: bits & 8 != 0,
    };
    let image = match r.u8()? {
        0 => None,
        n => Some(*IMAGE_DIMS.get(usize::from(n) - 1)?),
    };
    Some(ArgInfo { kind, size, align, offset, name, type_name, address, access, qualifiers, image })
}

fn put_size3(w: &mut Writer, s: &[u32; 3]) {
    s.iter().for_each(|v| w.u32(*v));
}

fn get_size3(r: &mut Reader) -> Option<[u32; 3]> {
    Some([r.u32()?, r.u32()?, r.u32()?])
}

fn put_info(w: &mut Writer, k: &KernelInfo) {
    w.str(&k.name);
    w.list(&k.args, put_arg);
    w.u32(k.args_size);
    w.bool(k.has_arg_info);
    w.option(&k.reqd_work_group_size, put_size3);
    w.option(&k.work_group_size_hint, put_size3);
    w.option(&k.vec_type_hint, |w, s| w.str(s));
    w.option(&k.reqd_sub_group_size, |w, v| w.u32(*v));
    w.option(&k.reqd_sub_groups, |w, v| w.u32(*v));
    w.str(&k.attributes);
    w.list(&k.printf, put_printf);
}

fn get_info(r: &mut Reader) -> Option<KernelInfo> {
    Some(KernelInfo {
        name: r.str()?,
        args: r.list(get_arg)?,
        args_size: r.u32()?,
        has_arg_info: r.bool()?,
        reqd_work_group_size: r.option(get_size3)?,
        work_group_size_hint: r.option(get_size3)?,
        vec_type_hint: r.option(Reader::str)?,
        reqd_sub_group_size: r.option(Reader::u32)?,
        reqd_sub_groups: r.option(Reader::u32)?,
        attributes: r.str()?,
        printf: r.list(get_printf)?,
    })
}

fn put_printf(w: &mut Writer, c: &PrintfCall) {
    w.option(&c.format, |w, f| w.blob(f));
    w.list(&c.args, |w, a| match a {
        PrintfArg::Int { bits, lanes } => [0, *bits, *lanes].iter().for_each(|b| w.u8(*b)),
        PrintfArg::Float { bits, lanes } => [1, *bits, *lanes].iter().for_each(|b| w.u8(*b)),
        PrintfArg::Pointer => w.u8(2),
        PrintfArg::Text(text) => {
            w.u8(3);
            w.blob(text);
        }
    });
}

fn get_printf(r: &mut Reader) -> Option<PrintfCall> {
    let format = r.option(|r| Some(r.blob()?.to_vec()))?;
    let args = r.list(|r| {
        Some(match r.u8()? {
            0 => PrintfArg::Int { bits: r.u8()?, lanes: r.u8()? },
            1 => PrintfArg::Float { bits: r.u8()?, lanes: r.u8()? },
            2 => PrintfArg::Pointer,
            3 => PrintfArg::Text(r.blob()?.to_vec()),
            _ => return None,
        })
    })?;
    Some(PrintfCall { format, args })
}

/// Writes an executable program.
pub fn put_program(w: &mut Writer, p: &CompiledProgram) {
    match &p.code {
        ProgramCode::Vulkan(kernels) => {
            w.u32(0);
            w.list(kernels, |w, k| {
                put_info(w, &k.info);
                w.list(&k.variants, put_variant);
            });
        }
        ProgramCode::Native(native) => {
            w.u32(1);
            put_native(w, native);
        }
    }
    w.blob(&p.data.bytes);
    w.u64(p.data.zeros);
    w.list(&p.data.relocs, |w, (offset, target)| {
        w.u32(*offset);
        w.u64(*target);
    });
    w.bool(p.data.writable);
    w.u64(p.data.variables);
    w.list(&p.absent, |w, (kernel, what)| {
        w.str(kernel);
        w.str(what);
    });
}

fn put_native(w: &mut Writer, n: &NativeProgram) {
    w.list(&n.kernels, |w, k| {
        put_info(w, &k.info);
        w.str(&k.whole);
        w.str(&k.any);
        w.u32(k.width);
        w.bool(k.linear);
        w.bool(k.has_barriers);
        w.u32(k.frame_bytes);
        w.u32(k.static_local_bytes);
        w.list(&k.local_args, |w, (arg, word)| {
            w.u16(*arg);
            w.u32(*word);
        });
        w.u32(k.args_bytes);
        w.u32(k.private_bytes);
        w.bool(k.has_sub_groups);
        w.bool(k.any_local_size);
        w.bool(k.zero_local);
        w.u32(k.stream_bytes);
        w.bool(k.reports_errors);
        w.bool(k.uniform_groups);
        w.bool(k.is_large);
        w.option(&k.variables, |w, variables| {
            for list in [&variables.local, &variables.private, &variables.program] {
                w.list(list, |w, p| {
                    w.str(&p.name);
                    w.u32(p.offset);
                    w.u32(p.size);
                    w.u32(p.stride);
                });
            }
        });
    });
    w.aligned_blob(&n.object);
}

fn get_variables(r: &mut Reader) -> Option<VariableLocations> {
    let mut list = || {
        r.list(|r| {
            Some(VariableLocation { name: r.str()?, offset: r.u32()?, size: r.u32()?, stride: r.u32()? })
        })
    };
    Some(VariableLocations { local: list()?, private: list()?, program: list()? })
}

fn get_native(r: &mut Reader) -> Option<NativeProgram> {
    let kernels = r.list(|r| {
        Some(NativeKernel {
            info: get_info(r)?,
            whole: r.str()?,
            any: r.str()?,
            width: r.u32()?,
            linear: r.bool()?,
            has_barriers: r.bool()?,
            frame_bytes: r.u32()?,
            static_local_bytes: r.u32()?,
            local_args: r.list(|r| Some((r.u16()?, r.u32()?)))?,
            args_bytes: r.u32()?,
            private_bytes: r.u32()?,
            has_sub_groups: r.bool()?,
            any_local_size: r.bool()?,
            zero_local: r.bool()?,
            stream_bytes: r.u32()?,
            reports_errors: r.bool()?,
            uniform_groups: r.bool()?,
            is_large: r.bool()?,
            variables: r.option(get_variables)?,
        })
    })?;
    Some(NativeProgram { kernels, object: r.aligned_blob()? })
}

/// Reads an executable program as written by [`put_program`].
pub(crate) fn get_program(r: &mut Reader) -> Option<CompiledProgram> {
    Some(CompiledProgram {
        code: match r.u32()? {
            0 => ProgramCode::Vulkan(
                r.list(|r| Some(CompiledKernel { info: get_info(r)?, variants: r.list(get_variant)? }))?,
            ),
            1 => ProgramCode::Native(get_native(r)?),
            _ => return None,
        },
        data: DataBlock {
            bytes: r.blob()?.to_vec(),
            zeros: r.u64()?,
            relocs: r.list(|r| Some((r.u32()?, r.u64()?)))?,
            writable: r.bool()?,
            variables: r.u64()?,
        },
        absent: r.list(|r| Some((r.str()?, r.str()?)))?,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use clspv_bridge::abi::{
        BindingSource, BlockStorage, ImageBinding, ImplicitArg, KernelVariant, LaunchAbi, LocalSizes,
        LocalSpec, PointerMode,
    };

    /// A program with every kind of field set.
    pub(crate) fn sample_program() -> CompiledProgram {
        let arg = ArgInfo {
            kind: ArgKind::GlobalPtr,
            size: 8,
            align: 8,
            offset: 0,
            name: "out".into(),
            type_name: "float*".into(),
            address: AddressQualifier::Global,
            access: AccessQualifier::None,
            qualifiers: TypeQualifiers {
                is_const: true,
                is_restrict: false,
                is_volatile: true,
                is_pipe: false,
            },
            image: Some(ImageDim::D3),
        };
        let info = KernelInfo {
            name: "k".into(),
            args: vec![arg],
            args_size: 8,
            has_arg_info: true,
            reqd_work_group_size: Some([8, 4, 1]),
            work_group_size_hint: None,
            vec_type_hint: Some("float4".into()),
            reqd_sub_group_size: Some(32),
            reqd_sub_groups: Some(2),
            attributes: "reqd_work_group_size(8,4,1)".into(),
            printf: vec![
                PrintfCall {
                    format: Some(b"%d %v4hlf %s\n".to_vec()),
                    args: vec![
                        PrintfArg::Int { bits: 32, lanes: 1 },
                        PrintfArg::Float { bits: 32, lanes: 4 },
                        PrintfArg::Text(b"text".to_vec()),
                    ],
                },
                PrintfCall { format: None, args: vec![PrintfArg::Pointer] },
            ],
        };
        CompiledProgram {
            code: ProgramCode::Vulkan(vec![CompiledKernel {
                info,
                variants: vec![KernelVariant { abi: sample_abi(), spirv: vec![0x0723_0203, 7] }],
            }]),
            data: DataBlock {
                bytes: vec![1, 2, 3],
                zeros: 32,
                relocs: vec![(0, 8)],
                writable: true,
                variables: 5,
            },
            absent: vec![("d".into(), "double precision".into())],
        }
    }

    /// A program of native code with every kind of field set.
    pub(in crate::program) fn sample_native_program() -> CompiledProgram {
        let sample = sample_program();
        let kernels = sample.infos().map(|info| sample_native(info.clone())).collect();
        CompiledProgram {
            code: ProgramCode::Native(NativeProgram { kernels, object: vec![0x7f, 0x45].into() }),
            ..sample.clone()
        }
    }

    fn sample_abi() -> LaunchAbi {
        LaunchAbi {
            mode: PointerMode::Virtual,
            block_storage: BlockStorage::Bound,
            implicit_args: vec![
                (ImplicitArg::GlobalIdBase(1), 0),
                (ImplicitArg::LocalArgOffset(3), 8),
                (ImplicitArg::WindowOffset(5), 16),
                (ImplicitArg::PrintfBase, 12),
            ],
            args_offset: 16,
            block_size: 24,
            bindings: vec![
                BindingSource::Arg(0),
                BindingSource::Data,
                BindingSource::Print,
                BindingSource::Whole(2),
                BindingSource::Window,
                BindingSource::Block,
                BindingSource::Image(ImageBinding {
                    arg: 3,
                    storage: true,
                    float: false,
                    buffer: true,
                    level: 7,
                    declared: true,
                    abilities: 3,
                }),
                BindingSource::Sampler(17),
            ],
            readonly: vec![true, false, false, false, true, false],
            window_writes: vec![5],
            local_specs: vec![
                (3, LocalSpec::Arg { arg: 2, elem_bytes: 4 }),
                (4, LocalSpec::Common { fixed_bytes: 64, elem_bytes: 4 }),
            ],
            common_local_args: vec![5],
            static_local_bytes: 64,
            private_bytes: 16,
            sub_group_size: 8,
            local_sizes: LocalSizes::Lines(32),
        }
    }

    fn sample_native(info: KernelInfo) -> NativeKernel {
        NativeKernel {
            info,
            whole: "k0w".into(),
            any: "k0a".into(),
            width: 16,
            linear: true,
            has_barriers: true,
            frame_bytes: 128,
            static_local_bytes: 64,
            local_args: vec![(1, 8)],
            args_bytes: 16,
            private_bytes: 4,
            has_sub_groups: true,
            any_local_size: true,
            zero_local: true,
            stream_bytes: 4,
            reports_errors: true,
            uniform_groups: false,
            is_large: true,
            variables: Some(VariableLocations {
                private: vec![VariableLocation { name: "x".into(), offset: 64, size: 6, stride: 8 }],
                ..VariableLocations::default()
            }),
        }
    }

    #[test]
    fn program_round_trip() {
        for program in [sample_program(), sample_native_program()] {
            let mut w = Writer::default();
            put_program(&mut w, &program);
            let mut r = Reader::new(&w.bytes);
            assert_eq!(get_program(&mut r), Some(program));
            assert!(r.at_end());
        }
    }

    #[test]
    fn truncated_or_changed_input_is_survived() {
        for program in [sample_program(), sample_native_program()] {
            let mut w = Writer::default();
            put_program(&mut w, &program);
            for n in 0..w.bytes.len() {
                assert_eq!(get_program(&mut Reader::new(&w.bytes[..n])), None);
                for value in [0, 1, 0x10, 0x40, 0x7f, 0xff] {
                    let mut bytes = w.bytes.clone();
                    bytes[n] = value;
                    let mut r = Reader::new(&bytes);
                    // Decoding loses nothing: each program has one encoding.
                    if let Some(program) = get_program(&mut r).filter(|_| r.at_end()) {
                        let mut again = Writer::default();
                        put_program(&mut again, &program);
                        assert_eq!(again.bytes, bytes, "byte {n}");
                    }
                }
            }
        }
    }

    #[test]
    fn options_round_trip() {
        let options = Options {
            std: "CL1.2".into(),
            preprocessor: vec!["-DX".into()],
            mad_enable: true,
            ..Options::default()
        };
        let mut w = Writer::default();
        put_options(&mut w, &options);
        assert_eq!(get_options(&mut Reader::new(&w.bytes)), Some(options));
    }
}
