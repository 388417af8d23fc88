//! Kernels: how their parameters are passed, their attributes, and what is known of their arguments.

use super::module::{ModuleLowering, malformed};
use super::types::{is_aggregate, space, value_type};
use crate::error::{CompileError, Result};
use crate::front::c::ast::{FunctionDecl, VarId};
use crate::front::c::layout::layout;
use crate::front::c::sema::spelling::Spelling;
use crate::front::c::types::{AccessMode, AddressSpace, OpaqueType, QualTy, TypeKind};
use crate::front::spirv::{attributes, lay_out_args, unwritten};
use crate::ir::{
    CastOp, ClOp, FuncRef, Function, I32, I64, Linkage, Op, Opaque, Signature, Space, Type, Value,
};
use crate::metadata::{AccessQualifier, AddressQualifier, ArgInfo, ArgKind, KernelInfo, TypeQualifiers};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most bytes of one kernel argument.
const MAX_ARG_BYTES: u32 = 65536;
const MAX_ARG_ALIGN: u32 = 1024;

/// Declares a kernel with its information.
pub fn declare(m: &mut ModuleLowering<'_>, decl: &FunctionDecl) -> Result<FuncRef> {
    let mut info = KernelInfo {
        name: m.text(decl.name).to_owned(),
        has_arg_info: true,
        reqd_work_group_size: decl.kernel.reqd_work_group_size,
        work_group_size_hint: decl.kernel.work_group_size_hint,
        reqd_sub_group_size: decl.kernel.reqd_sub_group_size,
        ..KernelInfo::default()
    };
    let spelling = Spelling { types: m.input.types, symbols: &m.input.session.symbols };
    info.vec_type_hint =
        decl.kernel.vec_type_hint.map(|ty| spelling.argument(m.input.types.canonical(QualTy::plain(ty))));
    let mut sig = Signature::default();
    for param in &decl.params {
        let (arg, ty) = argument(m, *param)?;
        info.args.push(arg);
        sig.params.push(ty);
    }
    info.args_size = lay_out_args(&mut info.args);
    info.attributes = attributes(&info);
    let mut f = Function::new(&info.name, sig, Linkage::Export);
    f.kernel = Some(m.module.kernels.len());
    m.module.kernels.push(info);
    Ok(m.module.functions.push(f))
}

/// A parameter's argument (without its offset), and the type of the IR parameter.
fn argument(m: &ModuleLowering<'_>, id: VarId) -> Result<(ArgInfo, Type)> {
    let types = m.input.types;
    let var = m.var(id)?;
    let ty = types.canonical(var.ty);
    let layout = layout(types, ty.ty);
    let spelling = Spelling { types, symbols: &m.input.session.symbols };
    let mut arg = ArgInfo {
        kind: ArgKind::Value,
        size: u32::try_from(layout.size).unwrap_or(u32::MAX),
        align: layout.align,
        offset: 0,
        name: var.name.map_or("", |name| m.text(name)).to_owned(),
        type_name: spelling.argument(var.ty),
        address: AddressQualifier::Private,
        access: AccessQualifier::None,
        qualifiers: TypeQualifiers::default(),
        image: None,
    };
    let param = match types.resolved(ty.ty) {
        TypeKind::Image(image) => {
            arg.kind = ArgKind::Image;
            arg.image = Some(image.dim);
            arg.address = AddressQualifier::Global;
            arg.access = access(image.access);
            Type::Opaque(Opaque::Image)
        }
        TypeKind::Pipe(_, how) => {
            arg.kind = ArgKind::GlobalPtr;
            arg.address = AddressQualifier::Global;
            arg.access = access(*how);
            arg.qualifiers.is_pipe = true;
            Type::Ptr(Space::Global)
        }
        TypeKind::Opaque(OpaqueType::Sampler) => {
            arg.kind = ArgKind::Sampler;
            (arg.size, arg.align) = (8, 4);
            I32
        }
        TypeKind::Opaque(OpaqueType::Queue) => {
            arg.kind = ArgKind::Queue;
            I64
        }
        TypeKind::Pointer(to) | TypeKind::Array(to, _) => {
            let to = types.canonical(*to);
            arg.qualifiers.is_restrict = ty.quals.is_restrict;
            pointer_argument(m, &mut arg, to)?
        }
        _ if is_aggregate(types, ty.ty) => Type::Ptr(Space::Private),
        _ => value_type(types, ty.ty).ok_or_else(|| malformed("a kernel parameter of this type"))?,
    };
    if arg.size > MAX_ARG_BYTES || arg.align > MAX_ARG_ALIGN {
        return Err(CompileError::unsupported(
            "kernel argument of more than 64 KiB",
            m.input.session.sources.line(var.loc),
        ));
    }
    Ok((arg, param))
}

/// Completes the argument of a pointer to `to`.
fn pointer_argument(m: &ModuleLowering<'_>, arg: &mut ArgInfo, to: QualTy) -> Result<Type> {
    (arg.size, arg.align) = (8, 8);
    arg.qualifiers.is_const = to.quals.is_const;
    arg.qualifiers.is_volatile = to.quals.is_volatile;
    let pointee_space = space(to.quals.space);
    match to.quals.space {
        AddressSpace::Global => {
            arg.kind = ArgKind::GlobalPtr;
            arg.address = AddressQualifier::Global;
        }
        AddressSpace::Constant => {
            arg.kind = ArgKind::ConstantPtr;
            arg.address = AddressQualifier::Constant;
            arg.qualifiers.is_const = true;
        }
        AddressSpace::Local => {
            arg.kind = ArgKind::LocalPtr;
            arg.address = AddressQualifier::Local;
            arg.size = 0;
            arg.align = layout(m.input.types, to.ty).align.max(16);
        }
        _ => return Err(malformed("a kernel parameter that points to private or generic memory")),
    }
    Ok(Type::Ptr(pointee_space))
}

/// CL_KERNEL_ARG_ACCESS_QUALIFIER of an image or pipe.
fn access(access: AccessMode) -> AccessQualifier {
    match access {
        AccessMode::ReadOnly => AccessQualifier::ReadOnly,
        AccessMode::WriteOnly => AccessQualifier::WriteOnly,
        AccessMode::ReadWrite => AccessQualifier::ReadWrite,
    }
}

/// Marks loads of memory that is not written while a kernel runs, in the kernels of a complete module: the
/// objects of `restrict` arguments that nothing is written through.
pub fn mark_unwritten(m: &mut ModuleLowering<'_>) {
    let kernels: Vec<(FuncRef, Vec<bool>)> = m
        .module
        .functions
        .iter()
        .filter_map(|(func, f)| {
            let info = m.module.kernels.get(f.kernel?)?;
            let candidate = |arg: &ArgInfo| {
                arg.kind == ArgKind::GlobalPtr && arg.qualifiers.is_restrict && !arg.qualifiers.is_volatile
            };
            Some((func, info.args.iter().map(candidate).collect()))
        })
        .collect();
    let mut known = FxHashMap::default();
    for (func, mut candidates) in kernels {
        for (index, candidate) in candidates.iter_mut().enumerate() {
            *candidate = *candidate && is_unwritten(m, func, index, &mut known);
        }
        if candidates.contains(&true) {
            unwritten::mark(&mut m.module.functions[func], &candidates);
        }
    }
}

/// Whether a function only reads through a pointer parameter, and does not keep the pointer.
fn is_unwritten(
    m: &ModuleLowering<'_>,
    func: FuncRef,
    param: usize,
    known: &mut FxHashMap<(FuncRef, usize), bool>,
) -> bool {
    if let Some(known) = known.get(&(func, param)) {
        return *known;
    }
    // Recursion alone writes nothing; more than a few levels of calls are not followed.
    known.insert((func, param), known.len() < 256);
    let f = &m.module.functions[func];
    let root = f.entry().and_then(|entry| f.blocks[entry].params.get(param)).copied();
    let result = root.is_some_and(|root| {
        let mut derived = FxHashSet::from_iter([root]);
        loop {
            let before = derived.len();
            for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts).map(|i| &f.insts[*i]) {
                for target in &inst.targets {
                    let params = &f.blocks[target.block].params;
                    derived.extend(
                        target
                            .args
                            .iter()
                            .zip(params)
                            .filter(|(a, _)| derived.contains(a))
                            .map(|(_, p)| *p)
                            .collect::<Vec<Value>>(),
                    );
                }
                let uses: Vec<usize> = (0..inst.args.len())
                    .filter(|i| inst.args.get(*i).is_some_and(|a| derived.contains(a)))
                    .collect();
                for index in uses {
                    match &inst.op {
                        Op::PtrAdd | Op::Select | Op::Cast(CastOp::PtrCast) => derived.extend(&inst.results),
                        Op::Load(_) | Op::AtomicLoad { .. } | Op::Icmp(_) | Op::IsSpace(_) => {}
                        Op::Memcpy { .. } if index == 1 => {}
                        Op::OpenCl(
                            ClOp::vloadn
                            | ClOp::vload_half
                            | ClOp::vload_halfn
                            | ClOp::vloada_halfn
                            | ClOp::prefetch,
                        ) => {}
                        Op::Call(callee) if is_unwritten(m, *callee, index, known) => {}
                        _ => return false,
                    }
                }
            }
            if derived.len() == before {
                return true;
            }
        }
    });
    known.insert((func, param), result);
    result
}
