//! Plain accesses, and those of a vector's work-items.
//!
//! Inactive lanes access memory of the function's own: they load zeros, and what they store is never read.
//! Consecutive accesses of which all lanes are active, as most are, have code of their own.

use super::lanes::{self, Parts};
use super::lower::{Lower, StackVariable};
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
        let mask = self.mask(data);
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
                let active = self.active(mask)?;
                let addresses = self.lanes(rest[0])?;
                let (v, mut lanes) = (data.results[0], Parts::new());
                let ty = lanes::lane_type(self.func.ty(v));
                for (i, p) in addresses.into_iter().enumerate() {
                    let p = self.address(p, &active, i, StackVariable::Zeros);
                    lanes.push(self.c.ins().load(ty, flags(access), p, 0));
                }
                self.set_lanes(v, &lanes);
            }
            LaneOp::Scatter(access) => {
                let active = self.active(mask)?;
                let (values, addresses) = (self.lanes(rest[0])?, self.lanes(rest[1])?);
                for (i, (x, p)) in values.into_iter().zip(addresses).enumerate() {
                    let p = self.address(p, &active, i, StackVariable::Sink);
                    self.c.ins().store(flags(access), x, p, 0);
                }
            }
            _ => return Err(CompileError::internal("no memory operation")),
        }
        Ok(())
    }

    /// The lanes of a mask.
    fn active(&mut self, mask: Option<Value>) -> Result<Option<Parts>> {
        mask.map(|mask| self.mask_lanes(mask)).transpose()
    }

    /// The address that a lane accesses.
    fn address(
        &mut self,
        p: clif::Value,
        active: &Option<Parts>,
        lane: usize,
        inactive: StackVariable,
    ) -> clif::Value {
        let Some(on) = active.as_ref().and_then(|a| a.get(lane)).copied() else { return p };
        let other = self.variable(inactive);
        self.c.ins().select(on, p, other)
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
        let loaded = match mask {
            None => self.load_all(flags, p, &types),
            Some(mask) => {
                let [yes, no, done] = [0; 3].map(|_| self.c.func.dfg.make_block());
                let all = self.whole_mask(mask, true)?;
                self.c.ins().brif(all, yes, &[], no, &[]);
                self.start_block(yes);
                let loaded = self.load_all(flags, p, &types);
                self.c.ins().jump(done, &block_args(&loaded));
                self.start_block(no);
                let loaded = self.load_active(flags, p, mask, &types)?;
                self.c.ins().jump(done, &block_args(&loaded));
                self.start_block(done);
                types.iter().map(|ty| self.block_params(done, *ty)).collect()
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

    /// Loads consecutive elements for the active lanes, and zeros for the others.
    fn load_active(
        &mut self,
        flags: MemFlags,
        p: clif::Value,
        mask: Value,
        types: &[Type],
    ) -> Result<Vec<Parts>> {
        let active = Some(self.mask_lanes(mask)?);
        let n = types.len() as u64;
        let mut all = Vec::new();
        for (i, ty) in (0u64..).zip(types) {
            let mut lanes = Parts::new();
            for lane in 0..u64::from(ty.lanes()) {
                let p = self.offset(p, u64::from(lanes::lane_bytes(*ty)) * (n * lane + i));
                let p = self.address(p, &active, lane as usize, StackVariable::Zeros);
                lanes.push(self.c.ins().load(lanes::lane_type(*ty), flags, p, 0));
            }
            all.push(self.pack(*ty, &lanes));
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
        let active = Some(self.mask_lanes(mask)?);
        let n = values.len() as u64;
        for (i, v) in (0u64..).zip(values) {
            let bytes = u64::from(lanes::lane_bytes(self.func.ty(*v)));
            for (lane, x) in self.lanes(*v)?.into_iter().enumerate() {
                let p = self.offset(p, bytes * (n * lane as u64 + i));
                let p = self.address(p, &active, lane, StackVariable::Sink);
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
