//! Device-side enqueue: calls of the runtime ([`RuntimeCall`]), instructions of the capability DeviceEnqueue,
//! and entries for the functions that these enqueue.

use super::func::{FuncReader, Vals};
use super::read::Instr;
use super::{Body, Reader, meta};
use crate::error::Result;
use crate::ir::runtime::{block_name, ndrange};
use crate::ir::{
    Builder, CastOp, Function, I32, I64, Linkage, Op as IrOp, RuntimeCall, Scalar, Signature, Space, Type,
    Value,
};
use crate::metadata::{AddressQualifier, ArgInfo, ArgKind, KernelInfo};
use spirv::Op;

/// The operand of an instruction that is the function to enqueue or query; the function's parameter follows.
fn invoke(op: Op) -> Option<usize> {
    Some(match op {
        Op::EnqueueKernel => 8,
        Op::GetKernelNDrangeSubGroupCount
        | Op::GetKernelNDrangeMaxSubGroupSize
        | Op::GetKernelLocalSizeForSubgroupCount => 3,
        Op::GetKernelWorkGroupSize
        | Op::GetKernelPreferredWorkGroupSizeMultiple
        | Op::GetKernelMaxNumSubgroups => 2,
        _ => return None,
    })
}

impl Reader<'_> {
    /// Makes an entry for each enqueued function. `digest` distinguishes the module from others.
    pub(super) fn entries(&mut self, bodies: &[Body<'_>], digest: impl Fn() -> u64) -> Result<()> {
        for inst in bodies.iter().flat_map(|b| b.insts) {
            let Some(at) = invoke(inst.op) else { continue };
            let id = inst.word(at)?;
            if self.invoked.contains_key(&id) {
                continue;
            }
            let Some(func) = self.funcs.get(&id).map(|f| f.func) else {
                return Err(inst.bad(format_args!("%{id} is not a function that can be enqueued")));
            };
            let number = digest() ^ u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.invoked.insert(id, number);
            let sig = self.module.functions[func].sig.clone();
            // The address of its parameter, then local arguments.
            let fits = |(i, ty): (usize, &Type)| ty.space().is_some_and(|s| (s == Space::Local) != (i == 0));
            if !sig.results.is_empty() || sig.params.is_empty() || !sig.params.iter().enumerate().all(fits) {
                return Err(inst.bad(format_args!("%{id} has the wrong type to be enqueued")));
            }
            let params: Vec<Type> = (0..sig.params.len())
                .map(|i| Type::Ptr(if i == 0 { Space::Global } else { Space::Local }))
                .collect();
            let name = block_name(number);
            let mut f =
                Function::new(&name, Signature { params: params.clone(), results: vec![] }, Linkage::Export);
            let block = f.add_block();
            let mut args: Vec<Value> = params.iter().map(|ty| f.add_param(block, *ty)).collect();
            let mut b = Builder::new(&mut f, block);
            let address = b.cast(CastOp::PtrToInt, args[0], I64);
            args[0] = b.cast(CastOp::IntToPtr, address, sig.params[0]);
            b.inst(IrOp::Call(func), &args, &[]);
            b.ret(&[]);
            let mut info =
                KernelInfo { name, args: (0..params.len()).map(argument).collect(), ..KernelInfo::default() };
            info.args_size = meta::lay_out_args(&mut info.args);
            info.attributes = meta::attributes(&info);
            f.kernel = Some(self.module.kernels.len());
            self.module.kernels.push(info);
            self.module.functions.push(f);
        }
        Ok(())
    }
}

/// Argument `index` of an entry.
fn argument(index: usize) -> ArgInfo {
    let (kind, size, address) = match index {
        0 => (ArgKind::GlobalPtr, 8, AddressQualifier::Global),
        _ => (ArgKind::LocalPtr, 0, AddressQualifier::Local),
    };
    let (name, type_name) = (String::new(), String::new());
    let (access, qualifiers) = Default::default();
    ArgInfo {
        kind,
        size,
        align: if index == 0 { 8 } else { 128 },
        offset: 0,
        name,
        type_name,
        address,
        access,
        qualifiers,
        image: None,
    }
}

impl FuncReader<'_, '_, '_> {
    /// A runtime call with these operands.
    pub fn runtime_call(
        &mut self,
        call: RuntimeCall,
        args: &[Value],
        results: &[Type],
        inst: &Instr<'_>,
    ) -> Result<Vals> {
        let (params, result) = call.types();
        let fits = |(arg, param): (&Value, &Type)| {
            let ty = self.f.ty(*arg);
            ty == *param || ty.space().is_some() && param.space().is_some()
        };
        let same = args.len() == params.len() && args.iter().zip(params).all(fits);
        if !same || results != result.as_slice() {
            return Err(inst.bad(format_args!("operands of {call:?}")));
        }
        let inst = self.b().inst(IrOp::Runtime(call), args, results);
        Ok(self.f.insts[inst].results.iter().copied().collect())
    }

    /// Reads an instruction of device-side enqueue; returns false for other instructions.
    pub fn enqueue_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        use RuntimeCall::*;
        match inst.op {
            Op::EnqueueKernel => self.enqueue_kernel(inst)?,
            Op::EnqueueMarker => {
                let args =
                    [self.arg(2, inst)?, self.word(3, inst)?, self.ptr_arg(4, inst)?, self.ptr_arg(5, inst)?];
                self.called(EnqueueMarker, &args, inst)?;
            }
            Op::GetKernelNDrangeSubGroupCount | Op::GetKernelNDrangeMaxSubGroupSize => {
                let call = if inst.op == Op::GetKernelNDrangeMaxSubGroupSize {
                    MaxSubGroupSize
                } else {
                    SubGroupCount
                };
                let args = [self.range(2, inst)?, self.invoked(3, inst)?];
                self.called(call, &args, inst)?;
            }
            Op::GetKernelLocalSizeForSubgroupCount => {
                let args = [self.word(2, inst)?, self.invoked(3, inst)?];
                self.called(LocalSizeForSubGroups, &args, inst)?;
            }
            Op::GetKernelWorkGroupSize
            | Op::GetKernelPreferredWorkGroupSizeMultiple
            | Op::GetKernelMaxNumSubgroups => {
                let call = match inst.op {
                    Op::GetKernelWorkGroupSize => WorkGroupSize,
                    Op::GetKernelMaxNumSubgroups => MaxSubGroups,
                    _ => PreferredMultiple,
                };
                let args = [self.invoked(2, inst)?];
                self.called(call, &args, inst)?;
            }
            Op::GetDefaultQueue => self.called(DefaultQueue, &[], inst)?,
            Op::CreateUserEvent => self.called(CreateUserEvent, &[], inst)?,
            Op::IsValidEvent => {
                let event = self.arg(2, inst)?;
                self.called(IsValidEvent, &[event], inst)?;
            }
            Op::RetainEvent | Op::ReleaseEvent => {
                let call = if inst.op == Op::RetainEvent { RetainEvent } else { ReleaseEvent };
                let event = self.arg(0, inst)?;
                self.runtime_call(call, &[event], &[], inst)?;
            }
            Op::SetUserEventStatus => {
                let args = [self.arg(0, inst)?, self.word(1, inst)?];
                self.runtime_call(SetUserEventStatus, &args, &[], inst)?;
            }
            Op::CaptureEventProfilingInfo => {
                let args = [self.arg(0, inst)?, self.word(1, inst)?, self.ptr_arg(2, inst)?];
                self.runtime_call(CaptureProfiling, &args, &[], inst)?;
            }
            Op::BuildNDRange => self.build_range(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A runtime call whose result is the instruction's.
    fn called(&mut self, call: RuntimeCall, args: &[Value], inst: &Instr<'_>) -> Result<()> {
        let vals = self.runtime_call(call, args, call.types().1.as_slice(), inst)?;
        self.define_all(inst, vals)
    }

    /// Operand `i` as a number of 32 bits.
    fn word(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let v = self.int_arg(i, inst)?;
        self.resize(v, I32, false, inst)
    }

    /// The number of the function that is operand `i`.
    fn invoked(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let number = self.r.invoked.get(&inst.word(i)?).copied();
        let number = number.ok_or_else(|| inst.bad(format_args!("operand {i} is not a function")))?;
        Ok(self.f.bits(I64, number))
    }

    fn enqueue_kernel(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (queue, flags, range, count) =
            (self.arg(2, inst)?, self.word(3, inst)?, self.range(4, inst)?, self.word(5, inst)?);
        let (waits, event, kernel) = (self.ptr_arg(6, inst)?, self.ptr_arg(7, inst)?, self.invoked(8, inst)?);
        let (literal, bytes) = (self.ptr_arg(9, inst)?, self.word(10, inst)?);
        let locals = inst.rest(12).len();
        let sizes = self.new_slot(8 * locals.max(1) as u64, 8, inst)?;
        for i in 0..locals {
            let size = self.int_arg(12 + i, inst)?;
            let size = self.resize(size, I64, false, inst)?;
            let at = self.b().ptr_add_const(sizes, 8 * i as i64);
            self.store_leaf(size, at, 8, Default::default());
        }
        let locals = self.f.bits(I32, locals as u64);
        let args = [queue, flags, range, count, waits, event, kernel, literal, bytes, locals, sizes];
        self.called(RuntimeCall::EnqueueKernel, &args, inst)
    }

    /// The address of a copy of operand `i`, an `ndrange_t`.
    fn range(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let id = inst.word(i)?;
        let leaves = self.leaves(id, inst)?;
        let bits = |v: &Value| self.f.ty(*v).scalar().filter(|s| s.is_int() && self.f.ty(*v).lanes() == 1);
        let same = leaves.len() == 10
            && leaves
                .iter()
                .enumerate()
                .all(|(i, v)| bits(v) == Some(if i == 0 { Scalar::I32 } else { Scalar::I64 }));
        if !same {
            return Err(inst.bad(format_args!("operand {i} is not a range")));
        }
        let slot = self.new_slot(ndrange::BYTES as u64, 8, inst)?;
        for (n, v) in (0..).zip(leaves) {
            let at = self.b().ptr_add_const(slot, 8 * n);
            self.store_leaf(v, at, 8, Default::default());
        }
        Ok(slot)
    }

    /// OpBuildNDRange: sizes of the range and of groups, and offsets, which are numbers or arrays of them. A
    /// group size of 0 means that none was specified.
    fn build_range(&mut self, inst: &Instr<'_>) -> Result<()> {
        let mut parts = Vec::new();
        for i in [2, 3, 4] {
            let leaves = self.leaves(inst.word(i)?, inst)?;
            let mut numbers = Vec::new();
            for v in leaves {
                numbers.push(self.resize(v, I64, false, inst)?);
            }
            parts.push(numbers);
        }
        let dims = parts[0].len();
        if !(1..=3).contains(&dims) || parts[1..].iter().any(|p| p.len() != dims) {
            return Err(inst.bad("a range of other than one to three dimensions"));
        }
        let (zero, one) = (self.f.bits(I64, 0), self.f.bits(I64, 1));
        let mut vals: Vals = [self.f.bits(I32, dims as u64)].into_iter().collect();
        for (part, absent) in [(2, zero), (0, one), (1, zero)] {
            vals.extend((0..3).map(|d| parts[part].get(d).copied().unwrap_or(absent)));
        }
        self.define_all(inst, vals)
    }
}
