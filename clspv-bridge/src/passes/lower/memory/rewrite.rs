//! Rewrites pointer arithmetic and memory accesses to the representations that `memory_classes` has chosen.
//!
//! Pointer values keep their identity and change their type in place (`i64` address or `i32` byte offset). An
//! access whose type differs from the element type of its memory is expanded to pieces, see
//! [`crate::passes::lower::memory::access`]. Element indices are formed from the scaled operands of the
//! address arithmetic where that is exact, so that `p[i]` becomes index `i` and not `(i << 2) >> 2`. Loads of
//! constant tables at constant offsets become constants.

use crate::abi::{ImplicitArg, NULL_OFFSET};
use crate::error::{Invariant, Result, ice};
use crate::ir::*;
use crate::passes::lower::generic::{LOCAL_TAG, PRIVATE_TAG};
use crate::passes::lower::globals::DataLayout;
use crate::passes::lower::memory::access::Accesses;
use crate::passes::lower::memory::plan::{MemoryPlan, PointerRep, Region};
use crate::passes::lower::memory::virtual_addresses;
use crate::target::Target;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Constant byte offset of a pointer.
#[derive(Clone, Copy)]
enum Known {
    /// Offset in the region.
    Offset(i64),
    /// Offset from a global of the data block.
    Global(Global, i64),
}

pub(crate) struct MemoryLowering<'a> {
    plan: &'a MemoryPlan,
    globals: &'a PrimaryMap<Global, GlobalData>,
    data: &'a DataLayout,
    /// Base and `i64` byte offset of each pointer addition.
    chain: FxHashMap<Value, (Value, Value)>,
    known: FxHashMap<Value, Known>,
    map: FxHashMap<Value, Value>,
    indices: FxHashMap<(Value, u32), Value>,
    narrow: FxHashMap<Value, Value>,
    pub accesses: Accesses,
}

/// Rewrites the whole function; afterwards no value has a pointer type.
pub(crate) fn run(
    func: &mut Function,
    globals: &PrimaryMap<Global, GlobalData>,
    data: &DataLayout,
    plan: &MemoryPlan,
    target: &Target,
) -> Result<()> {
    let mut l = MemoryLowering {
        plan,
        globals,
        data,
        chain: FxHashMap::default(),
        known: FxHashMap::default(),
        map: FxHashMap::default(),
        indices: FxHashMap::default(),
        narrow: FxHashMap::default(),
        accesses: Accesses::new(target)?,
    };
    for v in func.values.keys() {
        if func.values[v].ty.space().is_some() && func.as_const(v).is_none() {
            func.values[v].ty = plan.rep(v).ty();
        }
    }
    l.collect(func)?;
    for block in func.layout.clone() {
        l.indices.clear();
        l.narrow.clear();
        let insts = func.take_insts(block);
        let mut b = Builder::new(func, block);
        for inst in insts {
            b.line = b.func.insts[inst].line;
            l.inst(&mut b, inst)?;
        }
    }
    func.replace_uses(&l.map);
    func.slots = PrimaryMap::new();
    Ok(())
}

impl PointerRep {
    fn ty(self) -> Type {
        match self {
            PointerRep::Addr | PointerRep::Tagged => I64,
            PointerRep::Region(_) => I32,
        }
    }
}

impl MemoryLowering<'_> {
    /// Records address arithmetic before it is rewritten. Definitions may come after uses in the layout, so
    /// known offsets are resolved on demand.
    fn collect(&mut self, func: &Function) -> Result<()> {
        for d in func.data_in_order() {
            match &d.op {
                Op::PtrAdd => drop(self.chain.insert(d.results[0], (d.args[0], d.args[1]))),
                Op::SlotAddr(s) => {
                    let at = self.plan.slot_offset.get(s).invariant("a slot without an offset")?;
                    self.known.insert(d.results[0], Known::Offset(i64::from(*at)));
                }
                Op::GlobalAddr(g) => {
                    let known = match self.globals.get(*g).map(|g| g.space) {
                        Some(Space::Local) => {
                            let at = self.plan.local_offset.get(g);
                            Known::Offset(i64::from(*at.invariant("a local variable without an offset")?))
                        }
                        _ => Known::Global(*g, 0),
                    };
                    self.known.insert(d.results[0], known);
                }
                Op::PrintBuffer => drop(self.known.insert(d.results[0], Known::Offset(0))),
                Op::Bin(BinOp::Iadd) if self.plan.is_pointer(d.results[0]) => {
                    self.known.insert(d.results[0], Known::Offset(0));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn known(&self, func: &Function, v: Value) -> Option<Known> {
        let mut v = v;
        let mut sum = 0i64;
        loop {
            if let Some(k) = self.known.get(&v) {
                return Some(match *k {
                    Known::Offset(o) => Known::Offset(o.wrapping_add(sum)),
                    Known::Global(g, o) => Known::Global(g, o.wrapping_add(sum)),
                });
            }
            let &(base, offset) = self.chain.get(&v)?;
            sum = sum.wrapping_add(func.as_bits(offset)? as i64);
            v = base;
        }
    }

    /// A pointer operand in the representation `rep`; constants are converted to it.
    fn pointer(&self, b: &mut Builder<'_>, v: Value, rep: PointerRep) -> Value {
        match b.func.as_const(v) {
            Some(Const::Bits(Type::Ptr(_), bits)) => {
                let bits = bits[0];
                match rep {
                    PointerRep::Addr | PointerRep::Tagged => b.func.bits(I64, bits),
                    PointerRep::Region(_) => {
                        b.func.bits(I32, if bits == 0 { NULL_OFFSET as u64 } else { bits })
                    }
                }
            }
            Some(Const::Undef(Type::Ptr(_))) => b.func.undef(rep.ty()),
            _ => v,
        }
    }

    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) -> Result<()> {
        let op = b.func.insts[inst].op.clone();
        let args = b.func.insts[inst].args.clone();
        let result = b.func.insts[inst].results.first().copied();
        match op {
            Op::PtrAdd => {
                let rep = result.map_or(PointerRep::Addr, |r| self.plan.rep(r));
                let base = self.pointer(b, args[0], rep);
                let offset = if rep.ty() == I64 { args[1] } else { self.narrow(b, args[1], 8) };
                self.replace(b, inst, Op::Bin(BinOp::Iadd), &[base, offset]);
            }
            Op::Cast(CastOp::PtrCast) => {
                if let Some(r) = result {
                    let to = self.plan.rep(r);
                    let v = if self.plan.is_pointer(args[0]) && self.plan.rep(args[0]) != to {
                        let bits = self.to_bits(b, args[0]);
                        self.pointer_of(b, bits, r)
                    } else {
                        self.pointer(b, args[0], to)
                    };
                    self.map.insert(r, v);
                }
            }
            Op::Cast(CastOp::PtrToInt) => {
                if let Some(r) = result {
                    let v = self.to_bits(b, args[0]);
                    self.map.insert(r, v);
                }
            }
            Op::Cast(CastOp::IntToPtr) => {
                if let Some(r) = result {
                    let v = self.pointer_of(b, args[0], r);
                    self.map.insert(r, v);
                }
            }
            Op::IsSpace(space) => {
                let v = self.is_space(b, args[0], space);
                self.map.extend(result.map(|r| (r, v)));
            }
            Op::SlotAddr(_) | Op::GlobalAddr(_) | Op::PrintBuffer => self.object(b, inst, &op)?,
            Op::Icmp(_) => {
                let pick = if self.plan.is_pointer(args[0]) { args[0] } else { args[1] };
                let rep = self.plan.rep(pick);
                let (x, y) = (self.pointer(b, args[0], rep), self.pointer(b, args[1], rep));
                b.func.insts[inst].args = smallvec![x, y];
                b.push(inst);
            }
            Op::Select => {
                let rep = result.map_or(PointerRep::Addr, |r| self.plan.rep(r));
                let (x, y) = (self.pointer(b, args[1], rep), self.pointer(b, args[2], rep));
                b.func.insts[inst].args = smallvec![args[0], x, y];
                b.push(inst);
            }
            Op::Load(a) if a.root == Root::Ptr => self.access(b, inst, a)?,
            Op::Store(a) if a.root == Root::Ptr => self.access(b, inst, a)?,
            Op::AtomicRmw { access, .. }
            | Op::AtomicCas { access, .. }
            | Op::AtomicLoad { access, .. }
            | Op::AtomicStore { access, .. }
                if access.root == Root::Ptr =>
            {
                self.access(b, inst, access)?
            }
            Op::OpenCl(_) | Op::Call(_) | Op::Memcpy { .. } | Op::Memset(_) => {
                return Err(ice!("{op:?} in lower_mem"));
            }
            _ => {
                // Constants on edges take the representation of the parameter.
                let mut targets = b.func.insts[inst].targets.clone();
                for t in &mut targets {
                    for (k, a) in t.args.iter_mut().enumerate() {
                        if let Some(&param) = b.func.blocks[t.block].params.get(k) {
                            *a = self.pointer(b, *a, self.plan.rep(param));
                        }
                    }
                }
                b.func.insts[inst].targets = targets;
                b.push(inst);
            }
        }
        Ok(())
    }

    /// The bits of a pointer in memory and as an integer: a device address, virtual address or tagged offset,
    /// 0 for NULL.
    fn to_bits(&self, b: &mut Builder<'_>, v: Value) -> Value {
        if b.func.as_const(v).is_some() {
            return self.pointer(b, v, PointerRep::Addr);
        }
        let PointerRep::Region(region) = self.plan.rep(v) else { return v };
        if let Some(buffer) = &self.plan.region_buffer[region] {
            return virtual_addresses::to_bits(b, buffer, v, self.is_object(b.func, v));
        }
        let wide = b.cast(CastOp::Zext, v, I64);
        let tag = match self.plan.region_space[region] {
            Space::Private => PRIVATE_TAG,
            Space::Local => LOCAL_TAG,
            // Relative to the binding: only the order of such pointers is ever compared.
            _ => return wide,
        };
        let tag = b.func.bits(I64, tag);
        let tagged = b.or(wide, tag);
        if self.is_object(b.func, v) {
            return tagged;
        }
        let null = b.i32(NULL_OFFSET as i32);
        let is_null = b.icmp(IntCc::Eq, v, null);
        let zero = b.i64(0);
        b.select(is_null, zero, tagged)
    }

    /// The pointer `r` from its bits in memory.
    fn pointer_of(&self, b: &mut Builder<'_>, bits: Value, r: Value) -> Value {
        let PointerRep::Region(region) = self.plan.rep(r) else { return bits };
        let low = b.cast(CastOp::Trunc, bits, I32);
        if self.plan.region_space[region] == Space::Global || self.plan.dereferenced.contains(r) {
            return low;
        }
        let zero = b.i64(0);
        let is_null = b.icmp(IntCc::Eq, bits, zero);
        let null = b.i32(NULL_OFFSET as i32);
        b.select(is_null, null, low)
    }

    /// Whether the pointer is computed from the address of an object, which is never NULL.
    fn is_object(&self, func: &Function, v: Value) -> bool {
        let mut v = v;
        while !self.known.contains_key(&v) {
            match self.chain.get(&v) {
                Some(&(base, _)) => v = base,
                None => return matches!(func.def_op(v), Some(Op::Arg { .. } | Op::Implicit(_))),
            }
        }
        true
    }

    fn is_space(&self, b: &mut Builder<'_>, p: Value, space: Space) -> Value {
        let known = match self.plan.rep(p) {
            _ if b.func.as_const(p).is_some() => space == Space::Global,
            PointerRep::Addr => space == Space::Global,
            PointerRep::Region(r) => self.plan.region_space[r] == space,
            PointerRep::Tagged => {
                let (cc, limit) = match space {
                    Space::Private => (IntCc::Sgt, i64::MAX >> 1),
                    Space::Local => (IntCc::Slt, i64::MIN >> 1),
                    _ => {
                        let private = self.is_space(b, p, Space::Private);
                        let local = self.is_space(b, p, Space::Local);
                        let either = b.or(private, local);
                        return b.not(either);
                    }
                };
                let limit = b.i64(limit);
                return b.icmp(cc, p, limit);
            }
        };
        b.func.bool(known)
    }

    fn replace(&self, b: &mut Builder<'_>, inst: Inst, op: Op, args: &[Value]) {
        let d = &mut b.func.insts[inst];
        d.op = op;
        d.args = args.iter().copied().collect();
        b.push(inst);
    }

    /// Lowers the address of a slot, a global or the print buffer.
    fn object(&mut self, b: &mut Builder<'_>, inst: Inst, op: &Op) -> Result<()> {
        let Some(result) = b.func.insts[inst].results.first().copied() else { return Ok(()) };
        let in_data = match op {
            Op::GlobalAddr(r) => match self.globals.get(*r) {
                Some(g) if g.space != Space::Local => {
                    Some(self.data.offset(*r).ok_or_else(|| ice!("no offset for global '{}'", g.name))?)
                }
                _ => None,
            },
            _ => None,
        };
        match (self.plan.rep(result), in_data, self.known.get(&result)) {
            (PointerRep::Addr | PointerRep::Tagged, Some(at), _) => {
                let base = b.value(Op::Implicit(ImplicitArg::DataAddress), &[], I64);
                let delta = b.i64(at as i64);
                self.replace(b, inst, Op::Bin(BinOp::Iadd), &[base, delta]);
            }
            (PointerRep::Addr, None, _) if *op == Op::PrintBuffer => {
                self.replace(b, inst, Op::Implicit(ImplicitArg::PrintfAddress), &[]);
            }
            (PointerRep::Region(_), Some(at), _) => {
                let c = b.i32(at as i32);
                self.map.insert(result, c);
            }
            (_, None, Some(&Known::Offset(at))) => {
                let c = b.i32(at as i32);
                self.map.insert(result, c);
            }
            _ => return Err(ice!("address of an unknown object")),
        }
        Ok(())
    }

    /// The low 32 bits of an `i64` expression, computed in 32 bits as far as possible.
    fn narrow(&mut self, b: &mut Builder<'_>, v: Value, depth: u32) -> Value {
        if let Some(bits) = b.func.as_bits(v) {
            return b.func.bits(I32, bits);
        }
        if let Some(&n) = self.narrow.get(&v) {
            return n;
        }
        let def = b.func.def_inst(v).map(|i| (b.func.insts[i].op.clone(), b.func.insts[i].args.clone()));
        let out = match def {
            Some((Op::Cast(op @ (CastOp::Zext | CastOp::Sext)), a))
                if b.ty(a[0]) != I64 && b.ty(v) == I64 =>
            {
                if b.ty(a[0]) == I32 {
                    a[0]
                } else {
                    b.cast(op, a[0], I32)
                }
            }
            Some((
                Op::Bin(op @ (BinOp::Iadd | BinOp::Isub | BinOp::Imul | BinOp::And | BinOp::Or | BinOp::Xor)),
                a,
            )) if depth > 0 => {
                let x = self.narrow(b, a[0], depth - 1);
                let y = self.narrow(b, a[1], depth - 1);
                b.bin(op, x, y)
            }
            Some((Op::Bin(BinOp::Shl), a)) if depth > 0 && b.func.as_bits(a[1]).is_some_and(|c| c < 32) => {
                let x = self.narrow(b, a[0], depth - 1);
                let c = b.func.as_bits(a[1]).unwrap_or(0) as i32;
                let c = b.i32(c);
                b.shl(x, c)
            }
            _ => b.cast(CastOp::Trunc, v, I32),
        };
        self.narrow.insert(v, out);
        out
    }

    /// `v >> k` as an `i32` for an `i64` byte offset that is a multiple of `1 << k` by construction.
    fn scaled(&mut self, b: &mut Builder<'_>, v: Value, k: u32, depth: u32) -> Option<Value> {
        let mask = (1u64 << k) - 1;
        if let Some(bits) = b.func.as_bits(v) {
            return (bits & mask == 0).then(|| b.i32((bits as i64 >> k) as i32));
        }
        let def = b.func.def_inst(v)?;
        let (op, args) = (b.func.insts[def].op.clone(), b.func.insts[def].args.clone());
        match op {
            Op::Bin(BinOp::Shl) => {
                let c = b.func.as_bits(args[1]).filter(|c| *c >= k as u64 && *c < 64)? as u32 - k;
                let x = self.narrow(b, args[0], 8);
                if c == 0 {
                    return Some(x);
                }
                if c >= 32 {
                    return Some(b.i32(0));
                }
                let c = b.i32(c as i32);
                Some(b.shl(x, c))
            }
            Op::Bin(BinOp::Imul) => {
                let c = b.func.as_bits(args[1]).filter(|c| c & mask == 0)?;
                let x = self.narrow(b, args[0], 8);
                let c = b.i32((c as i64 >> k) as i32);
                Some(b.imul(x, c))
            }
            Op::Bin(op @ (BinOp::Iadd | BinOp::Isub)) if depth > 0 => {
                let x = self.scaled(b, args[0], k, depth - 1)?;
                let y = self.scaled(b, args[1], k, depth - 1)?;
                Some(b.bin(op, x, y))
            }
            _ => None,
        }
    }

    /// Index of the element of `1 << k` bytes that an offset pointer points to.
    fn index(&mut self, b: &mut Builder<'_>, v: Value, k: u32) -> Value {
        if let Some(Known::Offset(at)) = self.known(b.func, v) {
            return b.i32((at >> k) as i32);
        }
        if let Some(&i) = self.indices.get(&(v, k)) {
            return i;
        }
        let out = match self.chain.get(&v).copied() {
            Some((base, offset)) => self.scaled(b, offset, k, 8).map(|scaled| {
                let first = self.index(b, base, k);
                if b.func.as_bits(first) == Some(0) { scaled } else { b.iadd(first, scaled) }
            }),
            None => None,
        };
        let out = out.unwrap_or_else(|| {
            if k == 0 {
                return v;
            }
            let c = b.i32(k as i32);
            b.lshr(v, c)
        });
        self.indices.insert((v, k), out);
        out
    }

    fn access(&mut self, b: &mut Builder<'_>, inst: Inst, access: Access) -> Result<()> {
        let op = b.func.insts[inst].op.clone();
        let mut args = b.func.insts[inst].args.clone();
        let results = b.func.insts[inst].results.clone();
        let k = op.address_arg().invariant("an access without an address")?;
        let address = args[k];
        let rep = self.plan.rep(address);
        // Pointers are stored as 64 bits in every representation.
        for (i, a) in args.iter_mut().enumerate() {
            if i == k {
                continue;
            }
            *a = match b.func.as_const(*a) {
                Some(_) => self.pointer(b, *a, PointerRep::Addr),
                None if self.plan.is_pointer(*a) => self.to_bits(b, *a),
                None => *a,
            };
        }
        let result = results.first().copied();
        let narrow_result = result.filter(|r| self.plan.is_pointer(*r) && self.plan.rep(*r).ty() != I64);
        let ty = match (&op, result) {
            (Op::Store(_) | Op::AtomicStore { .. }, _) => b.ty(args[0]),
            (_, Some(_)) if narrow_result.is_some() => I64,
            (_, Some(r)) => b.ty(r),
            _ => I32,
        };
        if matches!(op, Op::Load(_))
            && let Some(r) = result
            && let Some(c) = self.constant_load(b, address, ty)
        {
            let c = if narrow_result.is_some() { self.pointer_of(b, c, r) } else { c };
            self.map.insert(r, c);
            return Ok(());
        }
        if b.func.as_const(address).is_some() && rep != PointerRep::Addr
            || rep == PointerRep::Tagged
            || matches!(rep, PointerRep::Region(r) if self.plan.regions[r] == Region::Unused)
        {
            // Undefined behaviour: an access through NULL, or through a generic pointer that can only be
            // NULL.
            if let Some(r) = result {
                let u = b.func.undef(b.ty(r));
                self.map.insert(r, u);
            }
            return Ok(());
        }
        let value = match rep {
            PointerRep::Addr | PointerRep::Tagged if self.plan.is_virtual => {
                args[k] = self.pointer(b, address, PointerRep::Addr);
                let buffers = self.plan.candidates(address);
                virtual_addresses::access(b, &mut self.accesses, &op, &args, ty, access, buffers)
            }
            PointerRep::Addr | PointerRep::Tagged => {
                args[k] = self.pointer(b, address, PointerRep::Addr);
                self.accesses.by_address(b, &op, &args, ty, access)
            }
            PointerRep::Region(r) => {
                let region = self.plan.regions[r];
                let mut l = std::mem::take(&mut self.accesses);
                let value = l.in_region(b, &op, &args, ty, access, region, &mut |b, k| match k {
                    None => address,
                    Some(k) => self.index(b, address, k),
                });
                self.accesses = l;
                value
            }
        }?;
        if let (Some(r), Some(v)) = (result, value) {
            let v = if narrow_result.is_some() { self.pointer_of(b, v, r) } else { v };
            self.map.insert(r, v);
        }
        Ok(())
    }

    /// Value of a load from read-only program data at a constant offset; `None` if it is not constant.
    fn constant_load(&self, b: &mut Builder<'_>, address: Value, ty: Type) -> Option<Value> {
        let Some(Known::Global(g, at)) = self.known(b.func, address) else { return None };
        let g = self.globals.get(g).filter(|g| g.readonly)?;
        let (size, lane) = (ty.access_bytes()? as i64, ty.scalar()?.bytes() as usize);
        let pointer_inside =
            g.relocs.iter().any(|r| (r.offset as i64) < at + size && (r.offset as i64 + 8) > at);
        if at < 0 || at.checked_add(size)? > g.size as i64 || pointer_inside {
            return None;
        }
        let bits = (0..ty.lanes() as usize)
            .map(|i| {
                let start = at as usize + i * lane;
                (0..lane).fold(0u64, |x, k| {
                    let byte = g.init.as_ref().and_then(|init| init.get(start + k)).copied().unwrap_or(0);
                    x | (byte as u64) << (8 * k)
                })
            })
            .collect();
        Some(b.func.constant(Const::Bits(ty, bits)))
    }
}
