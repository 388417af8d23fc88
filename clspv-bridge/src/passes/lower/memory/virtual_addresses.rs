//! Virtual addresses ([`PointerMode::Virtual`]): global memory on devices without addresses.
//!
//! A pointer to a known buffer is an offset into one descriptor, as in the bindings mode. Any other pointer
//! is a virtual address. Its accesses branch on the buffer number over the descriptors that it can lead to:
//! the arguments that meet in its class or, for a pointer from memory, every pointer argument and the
//! program's data. Buffers that accesses select from are bound as a whole, so that pointers into one of two
//! arguments that are parts of one buffer also work for the other.
//!
//! In the windowed mode all arguments have one descriptor: pointers to a known buffer are offsets into the
//! window, and accesses through virtual addresses choose the place of their buffer there without a branch.

use crate::abi::{BindingSource, ImplicitArg, LaunchAbi, NULL_OFFSET, PointerMode};
use crate::error::{Invariant, Result, ice};
use crate::ir::edit::split_after;
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use crate::passes::lower::memory::access::Accesses;
use crate::passes::lower::memory::classes::{MemoryObject, PointsToClass};
use crate::passes::lower::memory::plan::{Base, BoundBuffer, ClassKey, Region};
use smallvec::smallvec;
use std::collections::BTreeMap;

/// The bits of a virtual address that hold the buffer number; the others are the offset.
const NUMBER: u64 = 0xffff_ffff_0000_0000;

/// Buffers that each class of global pointers may point into.
pub(crate) struct PointsToSets {
    of: BTreeMap<ClassKey, Vec<MemoryObject>>,
    /// Classes whose pointers are offsets into one buffer.
    direct: Vec<ClassKey>,
    /// Objects that accesses select from, and objects that are written.
    chosen: Vec<MemoryObject>,
    written: Vec<MemoryObject>,
}

/// Computes the points-to sets of the classes of global pointers.
pub(crate) fn points_to_sets<'a>(
    parts: impl Iterator<Item = (ClassKey, &'a PointsToClass)>,
    info: &KernelInfo,
    has_data: bool,
) -> PointsToSets {
    let mut r =
        PointsToSets { of: BTreeMap::new(), direct: Vec::new(), chosen: Vec::new(), written: Vec::new() };
    let pointers = info
        .args
        .iter()
        .enumerate()
        .filter(|(_, a)| matches!(a.kind, ArgKind::GlobalPtr | ArgKind::ConstantPtr));
    let mut everything: Vec<MemoryObject> = pointers.map(|(i, _)| MemoryObject::Arg(i)).collect();
    everything.extend(has_data.then_some(MemoryObject::Data));
    for (class_key, class) in parts.filter(|(_, c)| c.is_accessed()) {
        let list = if class.leads_anywhere() { everything.clone() } else { class.objects.clone() };
        if list.len() == 1 && !class.leads_anywhere() && class_key.1 == 0 {
            r.direct.push(class_key);
        } else {
            r.chosen.extend(&list);
        }
        if class.is_written() {
            r.written.extend(&list);
        }
        r.of.insert(class_key, list);
    }
    r
}

impl PointsToSets {
    /// Whether the pointers of a class are offsets into its only buffer.
    pub(crate) fn is_direct(&self, class_key: ClassKey) -> bool {
        self.direct.contains(&class_key)
    }

    /// Returns the buffers of a class; adds their descriptors to the launch contract.
    pub(crate) fn buffers(
        &self,
        class_key: ClassKey,
        info: &KernelInfo,
        abi: &mut LaunchAbi,
    ) -> Vec<BoundBuffer> {
        let list = self.of.get(&class_key).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(|o| self.buffer(*o, info, abi)).collect()
    }

    fn buffer(&self, origin: MemoryObject, info: &KernelInfo, abi: &mut LaunchAbi) -> Option<BoundBuffer> {
        let whole = self.chosen.contains(&origin);
        let windowed = origin.arg().filter(|_| abi.mode == PointerMode::Windowed);
        let (source, base) = match origin {
            MemoryObject::Arg(i) => {
                let source = match windowed {
                    Some(_) => BindingSource::Window,
                    None if whole => BindingSource::Whole(i as u16),
                    None => BindingSource::Arg(i as u16),
                };
                (source, Base::Slot(info.args[i].offset))
            }
            MemoryObject::Data => (BindingSource::Data, Base::Data),
            MemoryObject::Print => (BindingSource::Print, Base::None),
            MemoryObject::Slot(_) | MemoryObject::Local(_) => return None,
        };
        let readonly = match windowed {
            Some(_) => self.written.iter().all(|object| object.arg().is_none()),
            None => !self.written.contains(&origin),
        };
        if let Some(arg) = windowed
            && self.written.contains(&origin)
            && !abi.window_writes.contains(&arg)
        {
            abi.window_writes.push(arg);
        }
        let known = abi.bindings.iter().position(|b| *b == source);
        let binding = known.unwrap_or_else(|| {
            abi.bindings.push(source);
            abi.readonly.push(readonly);
            abi.bindings.len() - 1
        });
        let region = Region::Binding { binding: binding as u32, readonly };
        Some(BoundBuffer { region, base, whole, windowed })
    }
}

fn base_address(b: &mut Builder<'_>, buffer: &BoundBuffer) -> Value {
    match buffer.base {
        Base::Slot(at) => b.value(Op::Arg { offset: at }, &[], I64),
        Base::Data => b.value(Op::Implicit(ImplicitArg::DataAddress), &[], I64),
        Base::None => b.i64(0),
    }
}

fn number(b: &mut Builder<'_>, address: Value) -> Value {
    let c = b.i64(32);
    let high = b.lshr(address, c);
    b.cast(CastOp::Trunc, high, I32)
}

/// Turns a pointer parameter into the offset where its argument begins, or into NULL if the argument is NULL.
/// `never_null`: the argument is known not to be NULL.
pub(crate) fn param(func: &mut Function, param: Value, buffer: &BoundBuffer, never_null: bool) -> Vec<Inst> {
    let mut insts = Vec::new();
    let mut make = |func: &mut Function, op: Op, args: &[Value], ty: Option<Type>| {
        let inst = func.make_inst(op, args, ty.as_slice());
        insts.push(inst);
        inst
    };
    let zero = func.i32(0);
    let window_offset = buffer.windowed.map(|arg| Op::Implicit(ImplicitArg::WindowOffset(arg)));
    let last = if let Some(op) = window_offset.clone().filter(|_| never_null) {
        make(func, op, &[], None)
    } else if never_null && !buffer.whole {
        make(func, Op::Bin(BinOp::Iadd), &[zero, zero], None)
    } else {
        let op = match buffer.base {
            Base::Slot(at) => Op::Arg { offset: at },
            _ => Op::Implicit(ImplicitArg::DataAddress),
        };
        let address = make(func, op, &[], Some(I64));
        let address = func.insts[address].results[0];
        if never_null {
            make(func, Op::Cast(CastOp::Trunc), &[address], None)
        } else {
            let mut start = zero;
            if let Some(op) = window_offset {
                let offset = make(func, op, &[], Some(I32));
                start = func.insts[offset].results[0];
            } else if buffer.whole {
                let low = make(func, Op::Cast(CastOp::Trunc), &[address], Some(I32));
                start = func.insts[low].results[0];
            }
            let (nothing, null) = (func.bits(I64, 0), func.i32(NULL_OFFSET as i32));
            let is_null = make(func, Op::Icmp(IntCc::Eq), &[address, nothing], Some(I1));
            let is_null = func.insts[is_null].results[0];
            make(func, Op::Select, &[is_null, null, start], None)
        }
    };
    func.insts[last].results.push(param);
    func.values[param] = ValueData { ty: I32, def: ValueDef::Result(last, 0) };
    insts
}

/// The virtual address of an offset into a buffer.
pub(crate) fn to_bits(b: &mut Builder<'_>, buffer: &BoundBuffer, offset: Value, never_null: bool) -> Value {
    let mut base = base_address(b, buffer);
    let mut distance = offset;
    if let Some(arg) = buffer.windowed {
        let start = window_offset(b, arg);
        distance = b.isub(offset, start);
    } else if buffer.whole {
        let keep = b.func.bits(I64, NUMBER);
        base = b.and(base, keep);
    }
    let wide = b.cast(CastOp::Sext, distance, I64);
    let bits = b.iadd(base, wide);
    if never_null {
        return bits;
    }
    let (null, zero) = (b.i32(NULL_OFFSET as i32), b.i64(0));
    let is_null = b.icmp(IntCc::Eq, offset, null);
    b.select(is_null, zero, bits)
}

fn window_offset(b: &mut Builder<'_>, arg: u16) -> Value {
    b.value(Op::Implicit(ImplicitArg::WindowOffset(arg)), &[], I32)
}

/// The buffers that an access chooses from, each with the offset of an address there. Those in the window are
/// replaced by the window, at the end.
fn places(b: &mut Builder<'_>, address: Value, buffers: &[BoundBuffer]) -> Vec<(BoundBuffer, Value)> {
    let low = b.cast(CastOp::Trunc, address, I32);
    let (windowed, others): (Vec<BoundBuffer>, Vec<BoundBuffer>) =
        buffers.iter().partition(|buffer| buffer.windowed.is_some());
    let mut places: Vec<_> = others.into_iter().map(|buffer| (buffer, low)).collect();
    let mut shift = None;
    for buffer in &windowed {
        let base = base_address(b, buffer);
        let start = b.cast(CastOp::Trunc, base, I32);
        let offset = window_offset(b, buffer.windowed.unwrap_or_default());
        let own = b.isub(offset, start);
        shift = Some(match shift {
            None => own,
            Some(other) => {
                let (wanted, number) = (number(b, address), number(b, base));
                let here = b.icmp(IntCc::Eq, wanted, number);
                b.select(here, own, other)
            }
        });
    }
    if let (Some(shift), Some(buffer)) = (shift, windowed.first()) {
        places.push((*buffer, b.iadd(low, shift)));
    }
    places
}

/// An access by virtual address, which is one of the operands. The builder may continue in another block.
pub(crate) fn access(
    b: &mut Builder<'_>,
    accesses: &mut Accesses,
    op: &Op,
    args: &[Value],
    ty: Type,
    access: Access,
    buffers: &[BoundBuffer],
) -> Result<Option<Value>> {
    let address = args[op.address_arg().invariant("an access without an address")?];
    let places = places(b, address, buffers);
    let Some((last, others)) = places.split_last() else {
        // Undefined behaviour: no buffer has such an address.
        return Ok((!matches!(op, Op::Store(_) | Op::AtomicStore { .. })).then(|| b.func.undef(ty)));
    };
    let mut one = |b: &mut Builder<'_>, (buffer, offset): &(BoundBuffer, Value)| {
        accesses.in_region(b, op, args, ty, access, buffer.region, &mut |b, k| match k.filter(|k| *k > 0) {
            None => *offset,
            Some(k) => {
                let k = b.i32(k as i32);
                b.lshr(*offset, k)
            }
        })
    };
    if others.is_empty() {
        return one(b, last);
    }
    let wanted = number(b, address);
    let join = split_after(b.func, b.block);
    for place in others {
        let arm = split_after(b.func, b.block);
        let next = split_after(b.func, arm);
        let base = base_address(b, &place.0);
        let own = number(b, base);
        let here = b.icmp(IntCc::Eq, wanted, own);
        b.brif(here, BlockCall::new(arm, &[]), BlockCall::new(next, &[]));
        b.block = arm;
        let value = one(b, place)?;
        b.jump(join, value.as_slice());
        b.block = next;
    }
    let value = one(b, last)?;
    b.jump(join, value.as_slice());
    b.block = join;
    Ok(value.map(|v| {
        let ty = b.ty(v);
        b.func.add_param(join, ty)
    }))
}

/// Declares the argument block as a storage buffer of words.
pub(crate) fn block_words(func: &mut Function, abi: &mut LaunchAbi) -> Var {
    let class = VarClass::Buffer { binding: abi.bindings.len() as u32, readonly: true };
    abi.bindings.push(BindingSource::Block);
    abi.readonly.push(true);
    func.vars.push(VarData { class, elem: I32, len: VarLen::Runtime })
}

/// Turns a push constant into a load from the argument block.
pub(crate) fn load_block(b: &mut Builder<'_>, inst: Inst, words: Var, offset: u32) -> Result<()> {
    let result = b.func.insts[inst].results[0];
    let ty = b.ty(result);
    let access = Access { readonly: true, root: Root::Var(words), ..Access::aligned(4) };
    if ty == I32 {
        let at = b.i32((offset / 4) as i32);
        let data = &mut b.func.insts[inst];
        (data.op, data.args) = (Op::Load(access), smallvec![at]);
        return Ok(());
    }
    let bytes = ty.access_bytes().filter(|n| matches!(n, 4 | 8) && ty.lanes() == 1);
    let bytes = bytes.ok_or_else(|| ice!("an argument of type {ty}"))?;
    let words: Vec<Value> = (0..bytes / 4)
        .map(|k| {
            let at = b.i32((offset / 4 + k) as i32);
            b.load(I32, at, access)
        })
        .collect();
    let from = b.vec_build(&words);
    let data = &mut b.func.insts[inst];
    (data.op, data.args) = (Op::Cast(CastOp::Bitcast), smallvec![from]);
    Ok(())
}
