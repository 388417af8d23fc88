//! Lowering of small kernels, checked by the verifier and by properties of the result.

use crate::abi::{BlockStorage, ImplicitArg, LaunchAbi, PointerMode};
use crate::ir::verify::verify_module;
use crate::ir::*;
use crate::metadata::{ArgInfo, ArgKind, KernelInfo};
use crate::options::Options;
use crate::passes::PassContext;
use crate::target::{FloatAtomics, Target};

fn arg(kind: ArgKind, size: u32, offset: u32) -> ArgInfo {
    ArgInfo {
        kind,
        size,
        align: size.max(1).next_power_of_two(),
        offset,
        name: String::new(),
        type_name: String::new(),
        address: Default::default(),
        access: Default::default(),
        qualifiers: Default::default(),
        image: None,
    }
}

/// A module with one kernel of the given parameters; `body` fills the entry block up to the terminator.
fn kernel(params: &[(Type, ArgInfo)], body: impl FnOnce(&mut Builder<'_>, &[Value])) -> Module {
    let mut m = Module { phase: Phase::Inlined, ..Module::default() };
    let types: Vec<Type> = params.iter().map(|p| p.0).collect();
    let mut f = Function::new("k", Signature { params: types.clone(), results: vec![] }, Linkage::Export);
    f.kernel = Some(0);
    let entry = f.add_block();
    let values: Vec<Value> = types.iter().map(|&t| f.add_param(entry, t)).collect();
    let mut b = Builder::new(&mut f, entry);
    body(&mut b, &values);
    b.ret(&[]);
    m.functions.push(f);
    let args: Vec<ArgInfo> = params.iter().map(|p| p.1.clone()).collect();
    let args_size = args.iter().map(|a| a.offset + a.size).max().unwrap_or(0);
    m.kernels.push(KernelInfo { name: "k".into(), args, args_size, ..KernelInfo::default() });
    m
}

fn lower(m: &mut Module, mode: PointerMode, target: &Target) -> Option<LaunchAbi> {
    let options = Options::default();
    let data = crate::passes::lower::globals::layout(m).unwrap();
    let abi = crate::pipeline::lower(m, mode, &data, &PassContext::new(target, &options)).unwrap();
    if abi.is_some()
        && let Err(e) = verify_module(m)
    {
        panic!("{e}");
    }
    abi
}

fn ops(m: &Module) -> Vec<Op> {
    let f = m.functions.values().next().unwrap();
    f.data_in_order().map(|data| data.op.clone()).collect()
}

const GLOBAL: Type = Type::Ptr(Space::Global);
const LOCAL: Type = Type::Ptr(Space::Local);

/// Address of `p[get_global_id(0)]`.
fn element(b: &mut Builder<'_>, p: Value, query: WorkItemQuery, shift: i64) -> Value {
    let id = b.value(Op::WorkItem { query, dim: 0 }, &[], I64);
    let c = b.i64(shift);
    let offset = b.shl(id, c);
    b.ptr_add(p, offset)
}

fn copy_kernel() -> Module {
    let params = [
        (GLOBAL, arg(ArgKind::GlobalPtr, 8, 0)),
        (GLOBAL, arg(ArgKind::GlobalPtr, 8, 8)),
        (F32, arg(ArgKind::Value, 4, 16)),
    ];
    kernel(&params, |b, p| {
        let src = element(b, p[0], WorkItemQuery::GlobalId, 2);
        let dst = element(b, p[1], WorkItemQuery::GlobalId, 2);
        let x = b.load(F32, src, Access::aligned(4));
        let y = b.bin(BinOp::Fmul, x, p[2]);
        b.store(y, dst, Access::aligned(4));
    })
}

#[test]
fn addresses_mode_uses_device_addresses() {
    let mut m = copy_kernel();
    let abi = lower(&mut m, PointerMode::Addresses, &Target::generic()).unwrap();
    assert_eq!(abi.implicit_args, [(ImplicitArg::GlobalIdBase(0), 0)]);
    assert_eq!((abi.args_offset, abi.block_size), (8, 32));
    assert!(ops(&m).iter().any(|o| matches!(o, Op::Store(a) if a.root == Root::Addr)));
}

#[test]
fn bindings_mode_indexes_typed_views_directly() {
    let mut m = copy_kernel();
    let abi = lower(&mut m, PointerMode::Bindings, &Target::generic()).unwrap();
    assert_eq!(abi.bindings, [0, 1].map(crate::abi::BindingSource::Arg));
    assert_eq!(abi.readonly, [true, false]);
    let f = m.functions.values().next().unwrap();
    assert!(f.vars.values().all(|v| v.elem == F32));
    assert!(!ops(&m).contains(&Op::Bin(BinOp::Shl)), "the index needs no shift");
}

#[test]
fn vectors_of_small_integers_are_words_where_that_is_less_code() {
    let types = [Type::Vector(Scalar::I8, 4), Type::Vector(Scalar::I16, 4), Type::Vector(Scalar::I8, 2)];
    for (ty, whole) in types.into_iter().zip([I32, Type::Vector(Scalar::I32, 2), types[2]]) {
        let params = [(GLOBAL, arg(ArgKind::GlobalPtr, 8, 0)), (GLOBAL, arg(ArgKind::GlobalPtr, 8, 8))];
        let bytes = ty.access_bytes().unwrap();
        for (mode, by_words) in
            [(PointerMode::Addresses, true), (PointerMode::Bindings, true), (PointerMode::Bindings, false)]
        {
            let mut m = kernel(&params, |b, p| {
                let src = element(b, p[0], WorkItemQuery::GlobalId, bytes.trailing_zeros().into());
                let dst = element(b, p[1], WorkItemQuery::GlobalId, bytes.trailing_zeros().into());
                let x = b.load(ty, src, Access::aligned(bytes));
                let y = b.bin(BinOp::Iadd, x, x);
                b.store(y, dst, Access::aligned(bytes));
            });
            let target = Target::generic().with_vulkan(|vulkan| vulkan.scalar_accesses = by_words);
            lower(&mut m, mode, &target).unwrap();
            let f = m.functions.values().next().unwrap();
            let stored = f.data_in_order().filter(|i| matches!(i.op, Op::Store(_))).map(|i| f.ty(i.args[0]));
            assert_eq!(stored.collect::<Vec<_>>(), [if by_words { whole } else { ty }], "{mode:?}");
        }
    }
}

#[test]
fn bindings_mode_refuses_merged_roots() {
    let params = [
        (GLOBAL, arg(ArgKind::GlobalPtr, 8, 0)),
        (GLOBAL, arg(ArgKind::GlobalPtr, 8, 8)),
        (I32, arg(ArgKind::Value, 4, 16)),
    ];
    let mut m = kernel(&params, |b, p| {
        let zero = b.i32(0);
        let c = b.icmp(IntCc::Eq, p[2], zero);
        let q = b.select(c, p[0], p[1]);
        b.store(p[2], q, Access::aligned(4));
    });
    assert!(lower(&mut m, PointerMode::Bindings, &Target::generic()).is_none());
}

#[test]
fn block_moves_to_a_buffer_when_push_constants_are_small() {
    let mut m = copy_kernel();
    let target = Target::generic().with_vulkan(|vulkan| vulkan.max_push_constants = 16);
    let abi = lower(&mut m, PointerMode::Addresses, &target).unwrap();
    assert_eq!(abi.block_storage, BlockStorage::Buffer);
    assert!(ops(&m).iter().all(|o| !matches!(o, Op::PushConst { offset } if *offset != 0)));
    assert!(lower(&mut copy_kernel(), PointerMode::Bindings, &target).is_none());
}

#[test]
fn local_argument_of_one_type_is_a_typed_array() {
    let params = [(LOCAL, arg(ArgKind::LocalPtr, 0, 0)), (F32, arg(ArgKind::Value, 4, 0))];
    let mut m = kernel(&params, |b, p| {
        let q = element(b, p[0], WorkItemQuery::LocalId, 2);
        b.store(p[1], q, Access::aligned(4));
    });
    let abi = lower(&mut m, PointerMode::Addresses, &Target::generic()).unwrap();
    assert_eq!(abi.local_specs, [(3, crate::abi::LocalSpec::Arg { arg: 0, elem_bytes: 4 })]);
    let f = m.functions.values().next().unwrap();
    let var = f.vars.values().next().unwrap();
    assert_eq!((var.elem, var.len), (F32, VarLen::Spec(3)));
}

#[test]
fn mixed_local_arguments_share_the_common_block() {
    let params = [
        (LOCAL, arg(ArgKind::LocalPtr, 0, 0)),
        (LOCAL, arg(ArgKind::LocalPtr, 0, 0)),
        (I32, arg(ArgKind::Value, 4, 0)),
    ];
    let mut m = kernel(&params, |b, p| {
        let zero = b.i32(0);
        let c = b.icmp(IntCc::Eq, p[2], zero);
        let q = b.select(c, p[0], p[1]);
        b.store(p[2], q, Access::aligned(4));
    });
    let abi = lower(&mut m, PointerMode::Addresses, &Target::generic()).unwrap();
    assert_eq!(abi.common_local_args, [0, 1]);
    assert_eq!(abi.implicit_args, [(ImplicitArg::LocalArgOffset(0), 0), (ImplicitArg::LocalArgOffset(1), 4)]);
}

#[test]
fn bytes_among_atomic_words_are_set_atomically() {
    let params = [(LOCAL, arg(ArgKind::LocalPtr, 0, 0)), (I32, arg(ArgKind::Value, 4, 0))];
    let mut m = kernel(&params, |b, p| {
        let access = Access::aligned(4);
        let add = Op::AtomicRmw { op: RmwOp::Add, access, scope: Scope::WorkGroup, order: Ordering::Relaxed };
        b.value(add, &[p[0], p[1]], I32);
        let q = b.ptr_add_const(p[0], 5);
        let byte = b.cast(CastOp::Trunc, p[1], I8);
        b.store(byte, q, Access::aligned(1));
    });
    lower(&mut m, PointerMode::Addresses, &Target::generic()).unwrap();
    let atomics = ops(&m).iter().filter(|o| matches!(o, Op::AtomicRmw { .. })).count();
    assert_eq!(atomics, 3);
}

#[test]
fn wide_vectors_unaligned_accesses_and_private_arrays_verify() {
    let wide = Type::Vector(Scalar::F32, 16);
    let params = [
        (GLOBAL, arg(ArgKind::GlobalPtr, 8, 0)),
        (wide, arg(ArgKind::Value, 64, 64)),
        (I64, arg(ArgKind::Value, 8, 8)),
    ];
    let mut m = kernel(&params, |b, p| {
        let x = b.load(wide, p[0], Access::aligned(64));
        let y = b.bin(BinOp::Fadd, x, p[1]);
        let lane = b.extract(y, 13);
        let slot = b.func.slots.push(SlotData { size: 64, align: 64 });
        let s = b.slot_addr(slot);
        b.store(y, s, Access::aligned(64));
        let q = b.ptr_add(s, p[2]);
        let h = b.load(I16, q, Access::aligned(1));
        let n = b.un(UnOp::Clz, p[2]);
        let out = b.ptr_add_const(p[0], 1);
        b.store(h, out, Access::aligned(1));
        b.store(n, out, Access::aligned(1));
        b.store(lane, p[0], Access::aligned(4));
        let count = b.i64(100);
        let copy = Op::Memcpy { dst: Access::aligned(1), src: Access::aligned(1) };
        b.inst(copy, &[p[0], s, count], &[]);
    });
    for mode in [PointerMode::Addresses, PointerMode::Bindings] {
        let target = Target::generic().with_vulkan(|vulkan| vulkan.max_push_constants = 256);
        lower(&mut m.clone(), mode, &target).unwrap();
    }
    lower(&mut m, PointerMode::Addresses, &Target::generic()).unwrap();
}

#[test]
fn float_atomics_become_compare_and_swap() {
    let params = [(GLOBAL, arg(ArgKind::GlobalPtr, 8, 0)), (F32, arg(ArgKind::Value, 4, 8))];
    let mut m = kernel(&params, |b, p| {
        let add = Op::AtomicRmw {
            op: RmwOp::Fadd,
            access: Access::aligned(4),
            scope: Scope::Device,
            order: Ordering::Relaxed,
        };
        b.value(add, &[p[0], p[1]], F32);
    });
    lower(&mut m, PointerMode::Addresses, &Target::generic()).unwrap();
    assert!(ops(&m).iter().any(|o| matches!(o, Op::AtomicCas { .. })));
}

/// Atomics that the device has remain, in every width; halves in bindings are then elements of their own.
#[test]
fn native_float_atomics_stay() {
    let has = FloatAtomics::ALL;
    let native = Target { buffer_float_atomics: has, shared_float_atomics: has, ..Target::generic() };
    for (space, kind) in [(GLOBAL, ArgKind::GlobalPtr), (LOCAL, ArgKind::LocalPtr)] {
        for (ty, bytes) in [(F16, 2), (F32, 4), (F64, 8)] {
            for op in [RmwOp::Fadd, RmwOp::Fmin] {
                let params = [(space, arg(kind, 8, 0)), (ty, arg(ArgKind::Value, bytes, 8))];
                let m = kernel(&params, |b, p| {
                    let access = Access::aligned(bytes);
                    b.value(
                        Op::AtomicRmw { op, access, scope: Scope::Device, order: Ordering::Relaxed },
                        &[p[0], p[1]],
                        ty,
                    );
                });
                for (mode, target) in [
                    (PointerMode::Addresses, &native),
                    (PointerMode::Bindings, &native),
                    (PointerMode::Virtual, &native),
                    (PointerMode::Bindings, &Target::generic()),
                ] {
                    let mut m = m.clone();
                    lower(&mut m, mode, target).unwrap();
                    // Local memory holds words where the kernel has atomics on halves.
                    let stays = *target == native && !(space == LOCAL && ty == F16);
                    let loops = ops(&m).iter().any(|o| matches!(o, Op::AtomicCas { .. }));
                    assert_eq!(loops, !stays, "{op:?} on {ty} in {space}, {mode:?}");
                }
            }
        }
    }
}

#[test]
fn sequentially_consistent_accesses_are_read_modify_writes() {
    let params = [(GLOBAL, arg(ArgKind::GlobalPtr, 8, 0)), (I32, arg(ArgKind::Value, 4, 8))];
    let mut m = kernel(&params, |b, p| {
        let (access, scope) = (Access::aligned(4), Scope::Device);
        b.inst(Op::AtomicStore { access, scope, order: Ordering::SeqCst }, &[p[1], p[0]], &[]);
        let v = b.value(Op::AtomicLoad { access, scope, order: Ordering::SeqCst }, &[p[0]], I32);
        b.inst(Op::AtomicStore { access, scope, order: Ordering::Release }, &[v, p[0]], &[]);
    });
    lower(&mut m, PointerMode::Addresses, &Target::generic()).unwrap();
    let ops = ops(&m);
    let rmw =
        |what: RmwOp| ops.iter().filter(|o| matches!(o, Op::AtomicRmw { op, .. } if *op == what)).count();
    assert_eq!((rmw(RmwOp::Xchg), rmw(RmwOp::Or)), (1, 1));
    assert_eq!(ops.iter().filter(|o| matches!(o, Op::AtomicStore { .. })).count(), 1);
}

#[test]
fn structures_by_value_are_read_from_the_argument_block() {
    let constant = Type::Ptr(Space::Constant);
    let params = [
        (constant, arg(ArgKind::Value, 16, 0)),
        (GLOBAL, arg(ArgKind::GlobalPtr, 8, 16)),
        (I64, arg(ArgKind::Value, 8, 24)),
    ];
    let mut fields = kernel(&params, |b, p| {
        let q = b.ptr_add_const(p[0], 6);
        let x = b.load(I16, q, Access::aligned(2));
        b.store(x, p[1], Access::aligned(2));
    });
    let mut indexed = kernel(&params, |b, p| {
        let q = b.ptr_add(p[0], p[2]);
        let x = b.load(I16, q, Access::aligned(2));
        b.store(x, p[1], Access::aligned(2));
    });
    let abi = lower(&mut fields, PointerMode::Bindings, &Target::generic()).unwrap();
    assert_eq!((abi.bindings.len(), abi.private_bytes), (1, 0));
    let abi = lower(&mut indexed, PointerMode::Addresses, &Target::generic()).unwrap();
    assert_eq!(abi.private_bytes, 16);
}

#[test]
fn null_and_pointers_in_memory_keep_their_address() {
    let params = [(GLOBAL, arg(ArgKind::GlobalPtr, 8, 0)), (GLOBAL, arg(ArgKind::GlobalPtr, 8, 8))];
    let mut m = kernel(&params, |b, p| {
        let q = b.load(GLOBAL, p[0], Access::aligned(8));
        let null = b.func.bits(GLOBAL, 0);
        let none = b.icmp(IntCc::Eq, q, null);
        let to = b.select(none, p[1], q);
        b.store(p[1], to, Access::aligned(8));
    });
    assert!(lower(&mut m.clone(), PointerMode::Bindings, &Target::generic()).is_none());
    lower(&mut m, PointerMode::Addresses, &Target::generic()).unwrap();
}

#[test]
fn virtual_mode_needs_no_addresses() {
    use crate::abi::BindingSource::{Arg, Block, Whole};
    let target = Target::generic().with_vulkan(|vulkan| vulkan.addresses = false);
    let no_addresses =
        |m: &Module| assert!(ops(m).iter().all(|o| o.access().is_none_or(|a| a.root != Root::Addr)));
    // Known buffers are bound as in the bindings mode.
    let mut m = copy_kernel();
    let abi = lower(&mut m, PointerMode::Virtual, &target).unwrap();
    assert_eq!((abi.bindings, abi.readonly), (vec![Arg(0), Arg(1)], vec![true, false]));
    assert!(!ops(&m).contains(&Op::Bin(BinOp::Shl)), "the index needs no shift");
    no_addresses(&m);
    // A pointer from memory may lead to every argument; comparing it with another changes nothing.
    let params = [0, 8, 16].map(|at| (GLOBAL, arg(ArgKind::GlobalPtr, 8, at)));
    let mut m = kernel(&params, |b, p| {
        let q = b.load(GLOBAL, p[0], Access::aligned(8));
        let x = b.load(I32, q, Access::aligned(4));
        b.store(x, p[1], Access::aligned(4));
        b.store(p[2], p[0], Access::aligned(8));
    });
    let abi = lower(&mut m, PointerMode::Virtual, &target).unwrap();
    assert_eq!((abi.bindings, abi.readonly), (vec![Whole(0), Whole(1), Whole(2)], vec![false, false, true]));
    assert_eq!(ops(&m).iter().filter(|o| **o == Op::BrIf).count(), 2);
    no_addresses(&m);
    // The argument block has a descriptor too.
    let small = target.with_vulkan(|vulkan| vulkan.max_push_constants = 16);
    let mut m = copy_kernel();
    let abi = lower(&mut m, PointerMode::Virtual, &small).unwrap();
    assert_eq!((abi.block_storage, abi.bindings), (BlockStorage::Bound, vec![Arg(0), Arg(1), Block]));
    assert!(ops(&m).iter().all(|o| !matches!(o, Op::PushConst { .. })));
}

#[test]
fn kernels_with_too_many_buffers_have_a_window() {
    use crate::abi::BindingSource::{Arg, Block, Window};
    let target = Target::generic().with_vulkan(|vulkan| {
        (vulkan.addresses, vulkan.max_buffer_descriptors) = (false, 2);
    });
    // As many buffers as descriptors, if the argument block has none.
    let abi = lower(&mut copy_kernel(), PointerMode::Virtual, &target).unwrap();
    assert_eq!(abi.bindings, [Arg(0), Arg(1)]);
    let small = target.clone().with_vulkan(|vulkan| vulkan.max_push_constants = 16);
    assert!(lower(&mut copy_kernel(), PointerMode::Virtual, &small).is_none());
    let abi = lower(&mut copy_kernel(), PointerMode::Windowed, &small).unwrap();
    assert_eq!((&abi.bindings[..], &abi.readonly[..]), (&[Window, Block][..], &[false, true][..]));
    assert_eq!((abi.windowed_args().collect::<Vec<_>>(), abi.window_writes), (vec![0, 1], vec![1]));
    // Three buffers, two of which meet: the access chooses a place without a branch.
    let params = [0, 8, 16].map(|at| (GLOBAL, arg(ArgKind::GlobalPtr, 8, at)));
    let mut m = kernel(&params, |b, p| {
        let x = b.load(I32, p[0], Access::aligned(4));
        let zero = b.i32(0);
        let c = b.icmp(IntCc::Eq, x, zero);
        let either = b.select(c, p[1], p[2]);
        b.store(x, either, Access::aligned(4));
    });
    assert!(lower(&mut m.clone(), PointerMode::Virtual, &target).is_none());
    let abi = lower(&mut m, PointerMode::Windowed, &target).unwrap();
    assert_eq!((abi.bindings, abi.window_writes), (vec![Window], vec![1, 2]));
    assert!(!ops(&m).contains(&Op::BrIf));
}
