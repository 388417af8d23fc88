//! Modules that spirv-val must accept, built by hand. Skipped where spirv-val is not installed.

use crate::abi::{BindingSource, BlockStorage, LaunchAbi, LocalSizes, PointerMode};
use crate::ir::*;
use crate::metadata::KernelInfo;
use crate::target::{FloatAtomics, FloatControls, Target};
use std::io::Write;
use std::process::{Command, Stdio};

fn abi() -> LaunchAbi {
    LaunchAbi {
        mode: PointerMode::Addresses,
        block_storage: BlockStorage::Push,
        implicit_args: vec![],
        args_offset: 0,
        block_size: 64,
        bindings: vec![],
        readonly: vec![],
        window_writes: vec![],
        local_specs: vec![],
        common_local_args: vec![],
        static_local_bytes: 0,
        private_bytes: 0,
        sub_group_size: 0,
        local_sizes: LocalSizes::Own,
    }
}

fn validate(words: &[u32], environment: &str) {
    let child = Command::new("spirv-val")
        .args(["--target-env", environment, "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(
        out.status.success(),
        "{}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
}

/// A module with one kernel.
fn module(mut func: Function) -> (Module, FuncRef) {
    func.kernel = Some(0);
    let mut m = Module { phase: Phase::Structured, ..Module::default() };
    m.kernels.push(KernelInfo { name: func.name.clone(), ..KernelInfo::default() });
    let func = m.functions.push(func);
    (m, func)
}

/// Emits and validates a kernel for all SPIR-V versions.
fn check(func: Function) -> Vec<u32> {
    let (m, func) = module(func);
    if let Err(e) = verify::verify_module(&m) {
        panic!("{e}\n{m}");
    }
    let target = Target::generic();
    let words = super::emit(&m, func, &abi(), &target, false).unwrap();
    validate(&words, "vulkan1.3");
    validate(&super::emit(&m, func, &abi(), &target, true).unwrap(), "vulkan1.3");
    for (version, environment) in [(5, "vulkan1.2"), (4, "vulkan1.1spv1.4"), (3, "vulkan1.1")] {
        let target = target.clone().with_vulkan(|vulkan| vulkan.spirv_version = (1, version));
        validate(&super::emit(&m, func, &abi(), &target, false).unwrap(), environment);
    }
    words
}

fn kernel() -> (Function, Block) {
    let mut f = Function::new("k", Signature::default(), Linkage::Internal);
    let b = f.add_block();
    (f, b)
}

fn addr(align: u32) -> Access {
    Access { root: Root::Addr, ..Access::aligned(align) }
}

fn in_var(var: Var, align: u32) -> Access {
    Access { root: Root::Var(var), ..Access::aligned(align) }
}

#[test]
fn every_operator_is_valid() {
    use BinOp::*;
    let (mut f, block) = kernel();
    let mut b = Builder::new(&mut f, block);
    let base = b.value(Op::PushConst { offset: 8 }, &[], I64);
    for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64] {
        for lanes in [1, 2, 3, 4] {
            let ty = Type::vector(scalar, lanes);
            let x = b.load(ty, base, addr(16));
            let y = b.load(ty, base, addr(16));
            let ops: &[BinOp] = if scalar.is_int() {
                &[
                    Iadd, Isub, Imul, Udiv, Sdiv, Urem, Srem, And, Or, Xor, Shl, Lshr, Ashr, Rotl, UmulHi,
                    SmulHi, Umin, Umax, Smin, Smax,
                ]
            } else {
                &[Fadd, Fsub, Fmul, Fdiv, Fmin, Fmax]
            };
            let mut acc = x;
            for &op in ops {
                acc = b.bin(op, acc, y);
            }
            use UnOp::*;
            let ops: &[UnOp] = match scalar {
                Scalar::I64 => &[Not],
                s if s.is_int() => &[Not, Popcnt, Clz, Ctz, Bitrev],
                Scalar::F64 => &[Fneg, Fabs, Floor, Ceil, Trunc, Rint, Sqrt, NativeRsqrt, NativeRecip],
                _ => &[
                    Fneg,
                    Fabs,
                    Floor,
                    Ceil,
                    Trunc,
                    Rint,
                    Sqrt,
                    NativeRsqrt,
                    NativeSin,
                    NativeCos,
                    NativeTan,
                    NativeExp2,
                    NativeLog2,
                    NativeExp,
                    NativeLog,
                    NativeRecip,
                ],
            };
            for &op in ops {
                acc = b.un(op, acc);
            }
            if scalar.is_float() {
                acc = b.value(Op::Fma, &[acc, x, y], ty);
                acc = b.value(Op::Mad, &[acc, x, y], ty);
            }
            let c = if scalar.is_int() { b.icmp(IntCc::Slt, x, y) } else { b.fcmp(FloatCc::Ord, x, y) };
            acc = b.select(c, acc, y);
            if lanes > 1 {
                let any = b.value(Op::Any, &[c], I1);
                let all = b.value(Op::All, &[c], I1);
                let both = b.and(any, all);
                acc = b.select(both, acc, y);
                let lane = b.extract(acc, 1);
                acc = b.insert(acc, 0, lane);
                let index = b.i32(1);
                let lane = b.value(Op::ExtractDyn, &[acc, index], ty.lane());
                acc = b.value(Op::InsertDyn, &[acc, lane, index], ty);
                let lanes: smallvec::SmallVec<[u8; 16]> = (0..lanes as u8).rev().collect();
                acc = b.value(Op::Shuffle(lanes), &[acc, y], ty);
            }
            b.store(acc, base, addr(16));
        }
    }
    b.ret(&[]);
    check(f);
}

#[test]
fn casts_are_valid() {
    let (mut f, block) = kernel();
    let mut b = Builder::new(&mut f, block);
    let base = b.value(Op::PushConst { offset: 0 }, &[], I64);
    let all = [
        Scalar::I1,
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::F16,
        Scalar::F32,
        Scalar::F64,
    ];
    for from in all {
        for to in all {
            for lanes in [1, 3] {
                let (ft, tt) = (Type::vector(from, lanes), Type::vector(to, lanes));
                let x = if from == Scalar::I1 {
                    let v = b.load(Type::vector(Scalar::I32, lanes), base, addr(4));
                    b.cast(CastOp::Trunc, v, ft)
                } else {
                    b.load(ft, base, addr(8))
                };
                use CastOp::*;
                for op in [Trunc, Zext, Sext, FpConv, FpToS, FpToU, SToFp, UToFp, Bitcast] {
                    if typing::check(&Op::Cast(op), &[ft], &[tt]).is_err() {
                        continue;
                    }
                    let y = b.cast(op, x, tt);
                    if to != Scalar::I1 {
                        b.store(y, base, addr(8));
                    }
                }
            }
        }
    }
    b.ret(&[]);
    check(f);
}

#[test]
fn variables_barriers_and_inputs_are_valid() {
    let (mut f, block) = kernel();
    let buf = |binding, readonly| VarClass::Buffer { binding, readonly };
    let vars: Vec<Var> = [
        VarData { class: buf(0, false), elem: I32, len: VarLen::Runtime },
        VarData { class: buf(0, false), elem: Type::Vector(Scalar::F32, 4), len: VarLen::Runtime },
        VarData { class: buf(1, true), elem: I8, len: VarLen::Runtime },
        VarData { class: VarClass::Workgroup, elem: I32, len: VarLen::Fixed(64) },
        VarData { class: VarClass::Workgroup, elem: F32, len: VarLen::Spec(3) },
        VarData { class: VarClass::Private, elem: I16, len: VarLen::Fixed(8) },
    ]
    .into_iter()
    .map(|v| f.vars.push(v))
    .collect();
    let mut b = Builder::new(&mut f, block);
    let id = b.value(Op::Input { input: ShaderInput::GlobalId, dim: 0 }, &[], I32);
    let size = b.value(Op::Input { input: ShaderInput::WorkgroupSize, dim: 1 }, &[], I32);
    let index = b.value(Op::Input { input: ShaderInput::LocalIndex, dim: 0 }, &[], I32);
    let id = b.iadd(id, size);
    for v in vars {
        let elem = b.func.vars[v].elem;
        let x = b.load(elem, if elem == F32 { index } else { id }, in_var(v, 1));
        if !matches!(b.func.vars[v].class, VarClass::Buffer { readonly: true, .. }) {
            b.store(x, index, Access { volatile: true, ..in_var(v, 1) });
        }
    }
    let spaces = FenceSpaces { local: true, global: true, image: false };
    b.inst(
        Op::Barrier { exec: Scope::WorkGroup, memory: Scope::WorkGroup, order: Ordering::SeqCst, spaces },
        &[],
        &[],
    );
    b.inst(
        Op::Barrier {
            exec: Scope::WorkGroup,
            memory: Scope::WorkGroup,
            order: Ordering::Relaxed,
            spaces: FenceSpaces::default(),
        },
        &[],
        &[],
    );
    b.inst(Op::Fence { scope: Scope::WorkGroup, order: Ordering::Acquire, spaces }, &[], &[]);
    let f64_at = b.value(Op::PushConst { offset: 4 }, &[], F64);
    let i64_at = b.value(Op::PushConst { offset: 8 }, &[], I64);
    b.store(f64_at, i64_at, addr(8));
    b.ret(&[]);
    check(f);
}

/// Words of the memory operands of loads and stores.
fn memory_operands(words: &[u32]) -> Vec<u32> {
    let (mut at, mut found) = (5, Vec::new());
    while at < words.len() {
        let count = (words[at] >> 16) as usize;
        match words[at] & 0xffff {
            61 if count > 4 => found.push(words[at + 4]),
            62 if count > 3 => found.push(words[at + 3]),
            61 | 62 => found.push(0),
            _ => {}
        }
        at += count;
    }
    found
}

#[test]
fn views_that_drivers_keep_apart_are_volatile() {
    let (mut f, block) = kernel();
    f.kernel = Some(0);
    let mut view = |binding, elem, readonly| {
        f.vars.push(VarData { class: VarClass::Buffer { binding, readonly }, elem, len: VarLen::Runtime })
    };
    // Two views of which one is written; two that are only read; one that is written.
    let vars = [
        view(0, I32, false),
        view(0, I16, true),
        view(1, I32, true),
        view(1, F32, true),
        view(2, I32, false),
    ];
    let mut b = Builder::new(&mut f, block);
    let zero = b.i32(0);
    for var in vars {
        let elem = b.func.vars[var].elem;
        let x = b.load(elem, zero, in_var(var, 2));
        if !matches!(b.func.vars[var].class, VarClass::Buffer { readonly: true, .. }) {
            b.store(x, zero, in_var(var, 2));
        }
    }
    b.ret(&[]);
    let mut m = Module { phase: Phase::Structured, ..Module::default() };
    m.kernels.push(KernelInfo { name: f.name.clone(), ..KernelInfo::default() });
    let func = m.functions.push(f);
    let volatile = |aliased_views| {
        let target = Target::generic().with_vulkan(|vulkan| {
            (vulkan.vulkan_memory_model, vulkan.aliased_views) = (false, aliased_views);
        });
        let words = super::emit(&m, func, &abi(), &target, false).unwrap();
        validate(&words, "vulkan1.3");
        memory_operands(&words).into_iter().map(|mask| mask & 1).collect::<Vec<_>>()
    };
    assert_eq!(volatile(true), [0; 7]);
    assert_eq!(volatile(false), [1, 1, 1, 0, 0, 0, 0]);
}

/// Vulkan 1.0 with and without VK_KHR_storage_buffer_storage_class: SPIR-V 1.0, without the storage class in
/// the latter case.
#[test]
fn storage_buffers_are_valid_in_vulkan_1_0() {
    let (mut f, block) = kernel();
    let view = |binding, elem, readonly| VarData {
        class: VarClass::Buffer { binding, readonly },
        elem,
        len: VarLen::Runtime,
    };
    let views = [(0, I32, false), (0, I16, false), (1, F32, true), (1, I8, true), (2, I64, false)]
        .map(|(binding, elem, readonly)| f.vars.push(view(binding, elem, readonly)));
    let local = f.vars.push(VarData { class: VarClass::Workgroup, elem: I32, len: VarLen::Fixed(4) });
    let mut b = Builder::new(&mut f, block);
    let zero = b.value(Op::PushConst { offset: 4 }, &[], I32);
    for var in views {
        let VarData { class, elem, .. } = b.func.vars[var];
        let x = b.load(elem, zero, in_var(var, 8));
        if !matches!(class, VarClass::Buffer { readonly: true, .. }) {
            b.store(x, zero, in_var(var, 8));
        }
    }
    let (scope, order, one) = (Scope::Device, Ordering::AcqRel, b.i32(1));
    for var in [views[0], local] {
        b.value(Op::AtomicRmw { op: RmwOp::Add, access: in_var(var, 4), scope, order }, &[zero, one], I32);
    }
    let (exec, memory, spaces) =
        (Scope::WorkGroup, Scope::WorkGroup, FenceSpaces { local: true, global: true, image: false });
    b.inst(Op::Barrier { exec, memory, order, spaces }, &[], &[]);
    b.ret(&[]);
    let (m, func) = module(f);
    for class in [true, false] {
        let target = Target::generic().with_vulkan(|vulkan| {
            (vulkan.spirv_version, vulkan.storage_buffer_class) = ((1, 0), class);
            (vulkan.vulkan_memory_model, vulkan.addresses) = (false, false);
        });
        let words = super::emit(&m, func, &abi(), &target, false).unwrap();
        validate(&words, "vulkan1.0");
        let text = rspirv::dr::load_words(&words).unwrap();
        let of_class = |wanted: spirv::StorageClass| {
            let classes = text.types_global_values.iter().filter(|i| i.class.opcode == spirv::Op::Variable);
            classes.filter(|i| i.operands[0].unwrap_storage_class() == wanted).count()
        };
        let counts = [spirv::StorageClass::StorageBuffer, spirv::StorageClass::Uniform].map(of_class);
        assert_eq!(counts, if class { [5, 0] } else { [0, 5] });
    }
}

fn atomics(order: Ordering, scope: Scope) {
    let (mut f, block) = kernel();
    let local = f.vars.push(VarData { class: VarClass::Workgroup, elem: I32, len: VarLen::Fixed(4) });
    let mut b = Builder::new(&mut f, block);
    let base = b.value(Op::PushConst { offset: 0 }, &[], I64);
    let zero = b.i32(0);
    for (access, at, types) in [(addr(8), base, &[I32, I64, F32][..]), (in_var(local, 4), zero, &[I32][..])] {
        for &ty in types {
            let x = b.func.bits(ty, 1);
            use RmwOp::*;
            let ops: &[RmwOp] =
                if ty.is_float() { &[Xchg] } else { &[Add, Sub, And, Or, Xor, Xchg, Umin, Umax, Smin, Smax] };
            for &op in ops {
                b.value(Op::AtomicRmw { op, access, scope, order }, &[at, x], ty);
            }
            b.value(Op::AtomicCas { access, scope, success: order, failure: order }, &[at, x, x], ty);
            let old = b.value(Op::AtomicLoad { access, scope, order }, &[at], ty);
            b.inst(Op::AtomicStore { access, scope, order }, &[old, at], &[]);
        }
    }
    let spaces = FenceSpaces { local: false, global: true, image: false };
    b.inst(Op::Fence { scope, order, spaces }, &[], &[]);
    let x = b.load(I32, base, addr(4));
    b.store(x, base, addr(4));
    b.ret(&[]);
    check(f);
}

#[test]
fn atomics_are_valid_in_every_order_and_scope() {
    for order in [Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel, Ordering::SeqCst]
    {
        for scope in [Scope::WorkItem, Scope::SubGroup, Scope::WorkGroup, Scope::Device, Scope::AllDevices] {
            atomics(order, scope);
        }
    }
}

/// A kernel that reads and writes images at bindings 0 to 3, of floats but for the last, and writes another
/// at 4.
fn reads_and_writes_images() -> Function {
    let (mut f, block) = kernel();
    let spaces = FenceSpaces { local: false, global: false, image: true };
    for binding in 0..5 {
        let elem = if binding == 3 { I32 } else { F32 };
        let class = VarClass::Image { binding, dim: ImageDim::D2, storage: true };
        let var = f.vars.push(VarData { class, elem, len: VarLen::Runtime });
        let mut b = Builder::new(&mut f, block);
        let at = b.value(Op::PushConst { offset: 0 }, &[], Type::Vector(Scalar::I32, 2));
        let texel = if elem == F32 { Type::Vector(Scalar::F32, 4) } else { Type::Vector(Scalar::I32, 4) };
        let access = |op| Op::Image { op, dim: ImageDim::D2, var: Some(var) };
        let one = b.func.bits(F32, 0x3f80_0000);
        let v = match binding {
            4 => b.value(Op::Splat, &[one], texel),
            _ => b.value(access(ImageOp::Read), &[at], texel),
        };
        b.inst(access(ImageOp::Write), &[at, v], &[]);
        for scope in [Scope::WorkItem, Scope::WorkGroup, Scope::Device] {
            b.inst(Op::Fence { scope, order: Ordering::AcqRel, spaces }, &[], &[]);
        }
    }
    Builder::new(&mut f, block).ret(&[]);
    f
}

#[test]
fn images_are_valid_with_every_format_declared() {
    use spirv::ImageFormat as F;
    let mut m = Module { phase: Phase::Structured, ..Module::default() };
    m.kernels.push(KernelInfo { name: "k".into(), ..KernelInfo::default() });
    let mut func = reads_and_writes_images();
    func.kernel = Some(0);
    let func = m.functions.push(func);
    let images = |words: &[u32]| {
        let text = rspirv::dr::load_words(words).unwrap();
        let types = text.types_global_values.iter().filter(|i| i.class.opcode == spirv::Op::TypeImage);
        let mut formats: Vec<F> = types.map(|i| i.operands[6].unwrap_image_format()).collect();
        formats.sort_by_key(|f| *f as u32);
        formats
    };
    for vulkan_memory_model in [false, true] {
        let target = Target::generic().with_vulkan(|vulkan| {
            (vulkan.storage_image_read_any, vulkan.vulkan_memory_model) = (false, vulkan_memory_model);
        });
        let words = super::emit(&m, func, &abi(), &target, false).unwrap();
        validate(&words, "vulkan1.3");
        assert_eq!(images(&words), [F::Unknown, F::R32f, F::R32ui]);
        for (formats, expected) in [
            ([F::Rgba8, F::Rgba8, F::R32f, F::R32ui], vec![F::Unknown, F::R32f, F::Rgba8, F::R32ui]),
            ([F::R16f, F::Rgba16Snorm, F::R16f, F::Rg8ui], {
                vec![F::Unknown, F::R32f, F::R16f, F::Rgba16Snorm, F::R32ui, F::Rg8ui]
            }),
        ] {
            // The image that is only written keeps no format, whatever is requested.
            let wanted: Vec<(u32, F)> = (0..).zip(formats).chain([(4, F::Rgba8)]).collect();
            let declared = crate::texel_format::declare(&words, &wanted);
            validate(&declared, "vulkan1.3");
            let mut expected = expected;
            expected.sort_by_key(|f| *f as u32);
            assert_eq!(images(&declared), expected);
        }
    }
    // Without formatless writes all are declared.
    let target = Target::generic().with_vulkan(|vulkan| vulkan.storage_image_write_any = false);
    let words = super::emit(&m, func, &abi(), &target, false).unwrap();
    validate(&words, "vulkan1.3");
    let all = [(0, F::Rgba8), (1, F::Rgba8), (2, F::R32f), (3, F::R32ui), (4, F::Rgba16f)];
    let declared = crate::texel_format::declare(&words, &all);
    validate(&declared, "vulkan1.3");
    assert!(!images(&declared).contains(&F::Unknown));
    // With the features nothing is declared.
    let words = super::emit(&m, func, &abi(), &Target::generic(), false).unwrap();
    validate(&words, "vulkan1.3");
    assert_eq!(crate::texel_format::declare(&words, &[(0, F::Rgba8)]), words);
    // A truncated module never comes from the compiler; the result is arbitrary, but without panics.
    let target = Target::generic().with_vulkan(|vulkan| vulkan.storage_image_read_any = false);
    let words = super::emit(&m, func, &abi(), &target, false).unwrap();
    for end in 0..words.len() {
        crate::texel_format::declare(&words[..end], &[(0, F::Rgba8)]);
    }
}

#[test]
fn atomics_on_floating_point_numbers_are_valid() {
    let (mut f, block) = kernel();
    let shared = [F32, F64]
        .map(|elem| (elem, f.vars.push(VarData { class: VarClass::Workgroup, elem, len: VarLen::Fixed(1) })))
        .map(|(ty, var)| (ty, Root::Var(var)));
    let bound =
        VarData { class: VarClass::Buffer { binding: 0, readonly: false }, elem: F16, len: VarLen::Runtime };
    let bound = (F16, Root::Var(f.vars.push(bound)));
    let mut b = Builder::new(&mut f, block);
    let base = b.value(Op::PushConst { offset: 0 }, &[], I64);
    let zero = b.i32(0);
    for (ty, root) in [F16, F32, F64].map(|ty| (ty, Root::Addr)).into_iter().chain(shared).chain([bound]) {
        let x = b.func.bits(ty, 0);
        let at = if root == Root::Addr { base } else { zero };
        for op in [RmwOp::Fadd, RmwOp::Fmin, RmwOp::Fmax] {
            let access = Access { root, ..Access::aligned(ty.access_bytes().unwrap()) };
            b.value(
                Op::AtomicRmw { op, access, scope: Scope::Device, order: Ordering::AcqRel },
                &[at, x],
                ty,
            );
        }
    }
    b.ret(&[]);
    let (m, func) = module(f);
    let has = FloatAtomics::ALL;
    let target = Target { buffer_float_atomics: has, shared_float_atomics: has, ..Target::generic() };
    let abi = LaunchAbi { bindings: vec![BindingSource::Arg(0)], readonly: vec![false], ..abi() };
    validate(&super::emit(&m, func, &abi, &target, false).unwrap(), "vulkan1.3");
    // Each is refused where it is missing.
    for lacking in [FloatAtomics { add16: false, ..has }, FloatAtomics { min_max64: false, ..has }] {
        let target = Target { buffer_float_atomics: lacking, ..target.clone() };
        assert!(super::emit(&m, func, &abi, &target, false).is_err());
    }
}

#[test]
fn where_infinities_cannot_be_asked_for_each_operation_is_done_as_it_is_written() {
    let (mut f, block) = kernel();
    let mut b = Builder::new(&mut f, block);
    let base = b.value(Op::PushConst { offset: 8 }, &[], I64);
    let (x, y) = (b.load(F32, base, addr(4)), b.load(F64, base, addr(8)));
    let (a, c) = (b.bin(BinOp::Fadd, x, x), b.value(Op::Fma, &[y, y, y], F64));
    b.store(a, base, addr(4));
    b.store(c, base, addr(8));
    b.ret(&[]);
    for inst in f.insts.values_mut().filter(|i| matches!(i.op, Op::Bin(_))) {
        inst.fast.contract = true;
    }
    let (m, func) = module(f);
    let any = Target::generic();
    for (preserve32, preserve64, marked) in
        [(true, true, 0), (false, true, 1), (true, false, 1), (false, false, 2)]
    {
        let target = Target {
            float_controls: FloatControls { preserve32, preserve64, ..any.float_controls },
            ..any.clone()
        };
        let words = super::emit(&m, func, &abi(), &target, false).unwrap();
        validate(&words, "vulkan1.3");
        // OpDecorate of three words, with NoContraction.
        let found = words.windows(3).filter(|w| w[0] == 3 << 16 | 71 && w[2] == 42).count();
        assert_eq!(found, marked);
    }
}

#[test]
fn control_flow_is_valid() {
    let (mut f, entry) = kernel();
    let [header, body, case1, case2, after, cont, exit] = std::array::from_fn(|_| f.add_block());
    let i = f.add_param(header, I32);
    let joined = f.add_param(after, I32);
    f.blocks[header].merge = Some(Merge::Loop { merge: exit, cont });
    f.blocks[body].merge = Some(Merge::Selection { merge: after });
    let mut b = Builder::new(&mut f, entry);
    let base = b.value(Op::PushConst { offset: 0 }, &[], I64);
    let (zero, one, ten) = (b.i32(0), b.i32(1), b.i32(10));
    b.jump(header, &[zero]);
    b.block = header;
    let c = b.icmp(IntCc::Slt, i, ten);
    b.brif(c, BlockCall::new(body, &[]), BlockCall::new(exit, &[]));
    b.block = body;
    let targets = [BlockCall::new(after, &[zero]), BlockCall::new(case1, &[]), BlockCall::new(case2, &[])];
    let switch = b.func.make_terminator(Op::Switch(Box::new([1, 0xffff_ffff])), &[i], &targets);
    b.push(switch);
    b.block = case1;
    b.jump(case2, &[]);
    b.block = case2;
    // Both edges of the branch go to one block with different arguments.
    b.brif(c, BlockCall::new(after, &[i]), BlockCall::new(after, &[one]));
    b.block = after;
    b.store(joined, base, addr(4));
    b.jump(cont, &[]);
    b.block = cont;
    let next = b.iadd(i, one);
    b.jump(header, &[next]);
    b.block = exit;
    b.ret(&[]);
    check(f);
}

#[test]
fn a_missing_capability_is_an_error_that_names_it() {
    let (mut f, block) = kernel();
    let mut b = Builder::new(&mut f, block);
    let base = b.value(Op::PushConst { offset: 0 }, &[], I64);
    let x = b.load(F64, base, addr(8));
    b.store(x, base, addr(8));
    b.ret(&[]);
    let mut m = Module { phase: Phase::Structured, ..Module::default() };
    let func = m.functions.push(f);
    let target = Target { float64: false, ..Target::generic() };
    assert!(super::emit(&m, func, &abi(), &target, false).unwrap_err().to_string().contains("double"));
}

#[test]
fn more_descriptors_than_the_device_has_are_an_error() {
    let (mut f, block) = kernel();
    Builder::new(&mut f, block).ret(&[]);
    let mut m = Module { phase: Phase::Structured, ..Module::default() };
    let func = m.functions.push(f);
    let abi =
        LaunchAbi { bindings: (0..5).map(BindingSource::Arg).collect(), readonly: vec![false; 5], ..abi() };
    let emit = |buffers, all| {
        let target = Target::generic().with_vulkan(|vulkan| {
            (vulkan.max_buffer_descriptors, vulkan.max_descriptors) = (buffers, all);
        });
        super::emit(&m, func, &abi, &target, false).map(drop).map_err(|e| e.to_string())
    };
    assert_eq!(emit(5, 5), Ok(()));
    for limits in [(4, 8), (5, 4)] {
        let error = emit(limits.0, limits.1).unwrap_err();
        assert!(error.contains("5 buffers and 0 images"), "{error}");
    }
}
