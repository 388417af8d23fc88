//! Plain accesses, and those of a vector's work-items.
//!
//! Inactive lanes access memory of the function's own: they load zeros, and what they store is never read.
//! Consecutive accesses of which all lanes are active, as most are, have code of their own.

use super::lanes::{self, Parts};
use super::lower::{KEPT_USES, KeptMask, Lower, StackVariable};
use super::transpose::is_transposed;
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::native::context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, BlockArg, InstBuilder, MemFlags, types};

/// Flags of an access, whose alignment is not relied on.
fn flags(access: &Access) -> MemFlags {
    if access.volatile { MemFlags::new() } else { MemFlags::new().with_notrap() }
}

/// The parts of values as arguments of a block.
fn block_args(values: &[Parts]) -> Vec<BlockArg> {
    values.iter().flatten().map(|part| BlockArg::Value(*part)).collect()
}

impl Lower<'_, '_> {
    /// A load or store.
    pub(super) fn memory(&mut self, data: &InstData) -> Result<()> {
        let func = self.func;
        match &data.op {
            Op::Load(access) => {
                let v = data.results[0];
                let p = self.one(data.args[0])?;
                let parts = self.load(flags(access), func.ty(v), p);
                self.set(v, parts);
                Ok(())
            }
            Op::Store(access) => {
                let parts = self.get(data.args[0])?;
                let p = self.one(data.args[1])?;
                self.store(flags(access), func.ty(data.args[0]), &parts, p);
                Ok(())
            }
            Op::Lanes(op) => self.lane_access(op, data),
            _ => Err(CompileError::internal("no memory operation")),
        }
    }

    /// Loads a value whose lanes are consecutive.
    pub(super) fn load(&mut self, flags: MemFlags, ty: Type, p: clif::Value) -> Parts {
        let bytes = lanes::lane_bytes(ty) as i32;
        if ty.is_bool() {
            let mut lanes = Parts::new();
            for i in 0..ty.lanes() as i32 {
                let byte = self.c.ins().load(types::I8, flags, p, i);
                lanes.push(self.truth(byte));
            }
            return self.pack(ty, &lanes);
        }
        let step = bytes * lanes::lanes_per_part(ty) as i32;
        let part = lanes::part_type(ty);
        (0..lanes::part_count(ty) as i32).map(|i| self.c.ins().load(part, flags, p, i * step)).collect()
    }

    /// Stores a value's lanes one after the other.
    pub(super) fn store(&mut self, flags: MemFlags, ty: Type, parts: &[clif::Value], p: clif::Value) {
        if ty.is_bool() {
            let lanes = self.unpack(ty, parts);
            for (i, lane) in (0i32..).zip(lanes) {
                self.c.ins().store(flags, lane, p, i);
            }
            return;
        }
        let step = (lanes::lane_bytes(ty) * lanes::lanes_per_part(ty)) as i32;
        for (i, part) in (0i32..).zip(parts) {
            self.c.ins().store(flags, *part, p, i * step);
        }
    }

    /// The mask operand at the end of an operation.
    pub(super) fn mask(&self, data: &InstData) -> Option<Value> {
        data.args.last().copied().filter(|a| self.func.ty(*a).is_bool() && self.func.ty(*a).lanes() > 1)
    }

    fn lane_access(&mut self, op: &LaneOp, data: &InstData) -> Result<()> {
        let (func, mask) = (self.func, self.mask(data));
        let rest = &data.args[..data.args.len() - usize::from(mask.is_some())];
        match op {
            LaneOp::Load(access) => {
                let p = self.one(rest[0])?;
                self.load_lanes(flags(access), p, mask, &data.results)?;
            }
            LaneOp::Store(access) => {
                if let Some((p, parts)) = rest.split_last() {
                    let p = self.one(*p)?;
                    self.store_lanes(flags(access), p, mask, parts)?;
                }
            }
            LaneOp::Gather(access) => {
                let parts = self.get(rest[0])?;
                let addresses = self.addresses(func.ty(rest[0]), &parts, mask, StackVariable::Zeros)?;
                let (v, mut lanes) = (data.results[0], Parts::new());
                let ty = lanes::lane_type(func.ty(v));
                for p in addresses {
                    lanes.push(self.c.ins().load(ty, flags(access), p, 0));
                }
                self.set_lanes(v, &lanes);
            }
            LaneOp::Scatter(access) => {
                let (values, parts) = (self.lanes(rest[0])?, self.get(rest[1])?);
                let addresses = self.addresses(func.ty(rest[1]), &parts, mask, StackVariable::Sink)?;
                for (x, p) in values.into_iter().zip(addresses) {
                    self.c.ins().store(flags(access), x, p, 0);
                }
            }
            _ => return Err(CompileError::internal("no memory operation")),
        }
        Ok(())
    }

    /// The addresses that the lanes access, as scalars. Inactive lanes access a variable.
    fn addresses(
        &mut self,
        ty: Type,
        parts: &[clif::Value],
        mask: Option<Value>,
        inactive: StackVariable,
    ) -> Result<Parts> {
        let Some(mask) = mask else { return Ok(self.unpack(ty, parts)) };
        if lanes::lanes_per_part(self.func.ty(mask)) == 4 && lanes::lanes_per_part(ty) == 2 {
            let is_kept = self.uses.masks.get(&mask).is_some_and(|uses| *uses >= KEPT_USES);
            let mut chosen = Parts::new();
            for (part, two) in self.get(mask)?.into_iter().zip(parts.chunks(2)) {
                chosen.extend(match is_kept {
                    true => self.choose_kept(part, two, inactive),
                    false => self.choose_address(part, two, inactive),
                });
            }
            return Ok(self.unpack(ty, &chosen));
        }
        let (active, addresses) = (self.mask_lanes(mask)?, self.unpack(ty, parts));
        let other = self.variable(inactive);
        Ok(active.iter().zip(addresses).map(|(on, p)| self.c.ins().select(*on, p, other)).collect())
    }

    /// The addresses of four lanes, or that of a variable where a part of a mask is not set.
    fn choose_address(&mut self, mask: clif::Value, two: &[clif::Value], inactive: StackVariable) -> Parts {
        let other = self.variable_in_lanes(inactive);
        let masks = self.widen_mask(mask);
        masks.iter().zip(two).map(|(on, p)| self.choose(*on, *p, other)).collect()
    }

    /// Like [`Lower::choose_address`] for a mask that many accesses have: it is widened once.
    fn choose_kept(&mut self, mask: clif::Value, two: &[clif::Value], inactive: StackVariable) -> Parts {
        let kept = self.kept_mask(mask, inactive);
        let one = |l: &mut Self, (p, (on, other)): (&clif::Value, (clif::Value, clif::Value))| {
            let p = l.c.ins().band(*p, on);
            l.c.ins().bor(p, other)
        };
        two.iter().zip(kept).map(|x| one(self, x)).collect()
    }

    /// A part of a mask as two masks of 64-bit lanes, each with the address of a variable in the lanes where
    /// it is not set.
    fn kept_mask(&mut self, mask: clif::Value, inactive: StackVariable) -> KeptMask {
        if let Some(known) = self.kept_masks.get(&(mask, inactive)) {
            return *known;
        }
        let other = self.variable_in_lanes(inactive);
        let kept = self.after(mask, |l| {
            let masks = l.widen_mask(mask);
            masks.map(|on| {
                let on = l.cast_bits(on, types::I64X2);
                (on, l.c.ins().band_not(other, on))
            })
        });
        self.kept_masks.insert((mask, inactive), kept);
        kept
    }

    /// Addresses of an element of each lane's structure: elements have `bytes`, structures `count` elements.
    fn element_addresses(
        &mut self,
        p: clif::Value,
        lanes: u32,
        bytes: u32,
        count: u32,
        i: u32,
    ) -> (Type, Parts) {
        let ty = Type::Ptr(Space::Global).of_lanes(lanes);
        let offsets: Vec<u64> = (0..lanes).map(|lane| u64::from(bytes * (count * lane + i))).collect();
        let offsets = self.constant(&Const::Bits(I64.of_lanes(lanes), offsets.into()));
        let first = self.splat(ty, p);
        (ty, first.iter().zip(offsets).map(|(p, offset)| self.c.ins().iadd(*p, offset)).collect())
    }

    /// Loads n consecutive elements for each lane: one for each result.
    fn load_lanes(
        &mut self,
        flags: MemFlags,
        p: clif::Value,
        mask: Option<Value>,
        results: &[Value],
    ) -> Result<()> {
        let func = self.func;
        let types: Vec<Type> = results.iter().map(|v| func.ty(*v)).collect();
        let is_extended = results.iter().any(|v| self.uses.extended.contains(v));
        // The type in which a value is held.
        let held = |ty: Type| if is_extended { I32.of_lanes(ty.lanes()) } else { ty };
        let all = |l: &mut Self| match types[..] {
            [ty] if is_extended => vec![l.load_extended(flags, ty, p)],
            _ => l.load_all(flags, p, &types),
        };
        let loaded = match mask {
            None => all(self),
            Some(mask) => {
                let [yes, no, done] = [0; 3].map(|_| self.c.func.dfg.make_block());
                let is_whole = self.whole_mask(mask, true)?;
                self.c.ins().brif(is_whole, yes, &[], no, &[]);
                self.start_block(yes);
                let loaded = all(self);
                self.c.ins().jump(done, &block_args(&loaded));
                self.start_block(no);
                let loaded = self.load_active(flags, p, mask, &types, held)?;
                self.c.ins().jump(done, &block_args(&loaded));
                self.start_block(done);
                types.iter().map(|ty| self.block_params(done, held(*ty))).collect()
            }
        };
        for (v, parts) in results.iter().zip(loaded) {
            self.set(*v, parts);
        }
        Ok(())
    }

    /// Loads consecutive elements for all lanes.
    fn load_all(&mut self, flags: MemFlags, p: clif::Value, types: &[Type]) -> Vec<Parts> {
        let (n, Some(&ty)) = (types.len() as u32, types.first()) else { return Vec::new() };
        if n == 1 {
            return vec![self.load(flags, ty, p)];
        }
        if lanes::lanes_per_part(ty) == 4 && is_transposed(n) {
            let part = lanes::part_type(ty);
            let mut all = vec![Parts::new(); types.len()];
            for k in 0..lanes::part_count(ty) as u32 {
                let at = |j: u32| (16 * (n * k + j)) as i32;
                let loaded: Parts = (0..n).map(|j| self.c.ins().load(part, flags, p, at(j))).collect();
                for (parts, part) in all.iter_mut().zip(self.deinterleave(&loaded)) {
                    parts.push(part);
                }
            }
            return all;
        }
        let bytes = lanes::lane_bytes(ty);
        let at = |lane: u32, i: u32| (bytes * (n * lane + i)) as i32;
        let one = |l: &mut Self, i: u32| {
            let lane = |l: &mut Self, lane| l.c.ins().load(lanes::lane_type(ty), flags, p, at(lane, i));
            let lanes: Parts = (0..ty.lanes()).map(|k| lane(l, k)).collect();
            l.pack(ty, &lanes)
        };
        (0..n).map(|i| one(self, i)).collect()
    }

    /// Loads consecutive elements for the active lanes, and zeros for the others; `held` gives the types of
    /// the results, which may be wider.
    fn load_active(
        &mut self,
        flags: MemFlags,
        p: clif::Value,
        mask: Value,
        types: &[Type],
        held: impl Fn(Type) -> Type,
    ) -> Result<Vec<Parts>> {
        let n = types.len() as u32;
        let mut all = Vec::new();
        for (i, ty) in (0u32..).zip(types) {
            let (of, parts) = self.element_addresses(p, ty.lanes(), lanes::lane_bytes(*ty), n, i);
            let lane = lanes::lane_type(*ty);
            let addresses = self.addresses(of, &parts, Some(mask), StackVariable::Zeros)?;
            let wide = lanes::lane_type(held(*ty));
            let one = |p: &clif::Value| {
                let x = self.c.ins().load(lane, flags, *p, 0);
                if lane == wide { x } else { self.c.ins().uextend(wide, x) }
            };
            let lanes: Parts = addresses.iter().map(one).collect();
            all.push(self.pack(held(*ty), &lanes));
        }
        Ok(all)
    }

    /// The inverse of [`Lower::load_lanes`].
    fn store_lanes(
        &mut self,
        flags: MemFlags,
        p: clif::Value,
        mask: Option<Value>,
        values: &[Value],
    ) -> Result<()> {
        let Some(mask) = mask else { return self.store_all(flags, p, values) };
        let [yes, no, done] = [0; 3].map(|_| self.c.func.dfg.make_block());
        let all = self.whole_mask(mask, true)?;
        self.c.ins().brif(all, yes, &[], no, &[]);
        self.start_block(yes);
        self.store_all(flags, p, values)?;
        self.c.ins().jump(done, &[]);
        self.start_block(no);
        self.store_active(flags, p, mask, values)?;
        self.c.ins().jump(done, &[]);
        self.start_block(done);
        Ok(())
    }

    fn store_all(&mut self, flags: MemFlags, p: clif::Value, values: &[Value]) -> Result<()> {
        let func = self.func;
        let n = values.len() as u32;
        let Some(ty) = values.first().map(|v| func.ty(*v)) else { return Ok(()) };
        if n == 1 {
            if let Some(words) = self.truncated(values[0])? {
                self.store_truncated(flags, ty, &words, p);
                return Ok(());
            }
            let parts = self.get(values[0])?;
            self.store(flags, ty, &parts, p);
            return Ok(());
        }
        if lanes::lanes_per_part(ty) == 4 && is_transposed(n) {
            let mut all = Vec::new();
            for v in values {
                all.push(self.get(*v)?);
            }
            for k in 0..lanes::part_count(ty) {
                let parts: Parts = all.iter().filter_map(|parts| parts.get(k).copied()).collect();
                for (j, part) in (0u32..).zip(self.interleave(&parts)) {
                    self.c.ins().store(flags, part, p, (16 * (n * k as u32 + j)) as i32);
                }
            }
            return Ok(());
        }
        let bytes = lanes::lane_bytes(ty);
        for (i, v) in (0u32..).zip(values) {
            for (lane, x) in (0u32..).zip(self.lanes(*v)?) {
                self.c.ins().store(flags, x, p, (bytes * (n * lane + i)) as i32);
            }
        }
        Ok(())
    }

    fn store_active(&mut self, flags: MemFlags, p: clif::Value, mask: Value, values: &[Value]) -> Result<()> {
        let n = values.len() as u32;
        for (i, v) in (0u32..).zip(values) {
            let ty = self.func.ty(*v);
            let (of, parts) = self.element_addresses(p, ty.lanes(), lanes::lane_bytes(ty), n, i);
            let addresses = self.addresses(of, &parts, Some(mask), StackVariable::Sink)?;
            for (x, p) in self.lanes(*v)?.into_iter().zip(addresses) {
                self.c.ins().store(flags, x, p, 0);
            }
        }
        Ok(())
    }

    /// Whether addresses are in an address space.
    pub(super) fn is_space(&mut self, v: Value, space: Space, p: Value) -> Result<()> {
        let mut ranges = vec![(context::LOCAL, context::LOCAL_BYTES)];
        match space {
            Space::Local => {}
            Space::Private => ranges = vec![(context::SCRATCH, context::SCRATCH_BYTES)],
            _ => ranges.push((context::SCRATCH, context::SCRATCH_BYTES)),
        }
        let is_inside = matches!(space, Space::Local | Space::Private);
        let mut lanes = Parts::new();
        for at in self.lanes(p)? {
            let mut inside = None;
            for (base, bytes) in &ranges {
                let (base, bytes) = (self.field(types::I64, *base), self.field(types::I64, *bytes));
                let distance = self.c.ins().isub(at, base);
                let within = self.c.ins().icmp(IntCC::UnsignedLessThan, distance, bytes);
                inside = Some(match inside {
                    None => within,
                    Some(other) => self.c.ins().bor(other, within),
                });
            }
            let Some(inside) = inside else { continue };
            lanes.push(if is_inside {
                inside
            } else {
                let one = self.number(types::I8, 1);
                self.c.ins().bxor(inside, one)
            });
        }
        self.set_lanes(v, &lanes);
        Ok(())
    }
}
