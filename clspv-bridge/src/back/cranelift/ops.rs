//! Dispatch of operations; selections, vectors and work-item queries.

use super::lanes::{self, Parts};
use super::lower::{KEPT_USES, Lower, MOST_LANES};
use crate::error::{CompileError, Invariant, Result};
use crate::ir::*;
use crate::native::context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlags, types};

impl Lower<'_, '_> {
    /// Translates an instruction.
    pub(super) fn operation(&mut self, data: &InstData) -> Result<()> {
        if data.op.is_terminator() {
            return self.terminator(data);
        }
        match &data.op {
            Op::Load(_)
            | Op::Store(_)
            | Op::Lanes(LaneOp::Load(_) | LaneOp::Store(_) | LaneOp::Gather(_) | LaneOp::Scatter(_)) => {
                return self.memory(data);
            }
            Op::AtomicRmw { .. }
            | Op::AtomicCas { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Fence { .. } => return self.atomic(data),
            Op::Call(callee) => return self.call(*callee, data),
            Op::Check(check) => return self.check(data, check),
            Op::Runtime(call) => return self.runtime_call(data, *call),
            _ => {}
        }
        let Some(&v) = data.results.first() else {
            return Err(CompileError::internal(format!("{:?} in native code", data.op)));
        };
        match &data.op {
            Op::Arg { offset } => self.argument(v, *offset),
            Op::WorkItem { query, dim } => self.query(v, *query, *dim)?,
            Op::Clock(_) => self.clock(v),
            Op::Bin(op) => self.binary(*op, data, v)?,
            Op::Un(op) => self.unary(*op, data, v)?,
            Op::Fma | Op::Mad => self.multiply_add(data, v)?,
            Op::Icmp(cc) => self.compare_ints(*cc, data, v)?,
            Op::Fcmp(cc) => self.compare_floats(*cc, data, v)?,
            Op::Cast(op) => self.cast(*op, data.args[0], v)?,
            Op::Select => self.select(data, v)?,
            Op::PtrAdd => {
                let parts = match self.lane_addresses(data)? {
                    Some(parts) => parts,
                    None => {
                        self.map(self.func.ty(v), &data.args, true, |l, a| Ok(l.c.ins().iadd(a[0], a[1])))?
                    }
                };
                self.set(v, parts);
            }
            Op::IsSpace(space) => self.is_space(v, *space, data.args[0])?,
            Op::Lanes(LaneOp::Freeze) => {
                let parts = self.get(data.args[0])?;
                self.set(v, parts);
            }
            Op::Lanes(LaneOp::MaskBits) => {
                let bits = self.mask_bits(data.args[0])?;
                self.set_one(v, bits);
            }
            Op::Any | Op::All => {
                let whole = self.whole_mask(data.args[0], data.op == Op::All)?;
                self.set_one(v, whole);
            }
            _ => return self.address_or_vector(data, v),
        }
        Ok(())
    }

    /// Addresses and other values of the launch, and operations on lanes.
    fn address_or_vector(&mut self, data: &InstData, v: Value) -> Result<()> {
        let ty = self.func.ty(v);
        match &data.op {
            Op::PrintBuffer => self.set_field(v, types::I64, context::PRINT),
            Op::Context(ContextField::Scratch) => self.set_field(v, types::I64, context::SCRATCH),
            Op::Context(ContextField::NoStream) => self.set_field(v, types::I64, context::NO_STREAM),
            Op::Implicit(ImplicitArg::PrintfBase) => self.set_field(v, types::I32, context::PRINTF_BASE),
            Op::Implicit(_) => {
                return Err(CompileError::unsupported("an implicit argument on this device", data.line));
            }
            Op::SlotAddr(slot) => {
                let address = self.slot(*slot);
                self.set_one(v, address);
            }
            Op::GlobalAddr(g) => {
                let program = self.program;
                let (base, at) = match program.local.get(g) {
                    Some(at) => (context::LOCAL, *at),
                    None => {
                        (context::DATA, program.data.offset(*g).invariant("a variable without an offset")?)
                    }
                };
                let base = self.field(types::I64, base);
                let address = self.offset(base, u64::from(at));
                self.set_one(v, address);
            }
            Op::Splat => {
                let x = self.one(data.args[0])?;
                let parts = self.splat(ty, x);
                self.set(v, parts);
            }
            Op::VecBuild => {
                let mut lanes = Parts::new();
                for a in &data.args {
                    lanes.push(self.one(*a)?);
                }
                self.set_lanes(v, &lanes);
            }
            Op::Extract(i) => {
                let x = self.lane(data.args[0], usize::from(*i))?;
                self.set_one(v, x);
            }
            Op::Insert(i) => {
                let mut lanes = self.lanes(data.args[0])?;
                let x = self.one(data.args[1])?;
                if let Some(lane) = lanes.get_mut(usize::from(*i)) {
                    *lane = x;
                }
                self.set_lanes(v, &lanes);
            }
            Op::ExtractDyn => self.extract(v, data.args[0], data.args[1])?,
            Op::InsertDyn => self.insert(v, data)?,
            op => return Err(CompileError::unsupported(format!("{op:?} in quick code"), data.line)),
        }
        Ok(())
    }

    /// The sum of one address and the offsets of lanes, such as their copies of a private variable, computed
    /// once where the address is defined. `None` for sums that are used less often.
    fn lane_addresses(&mut self, data: &InstData) -> Result<Option<Parts>> {
        let func = self.func;
        let (base, ty) = (data.args[0], func.ty(data.results[0]));
        let sum = (base, data.args[1]);
        let is_kept = self.uses.sums.get(&sum).is_some_and(|uses| *uses >= KEPT_USES);
        let Some(offsets) = func.as_const(data.args[1]).filter(|_| is_kept) else { return Ok(None) };
        if let Some(known) = self.lane_addresses.get(&sum) {
            return Ok(Some(known.clone()));
        }
        let x = self.one(base)?;
        let parts: Parts = self.after(x, |l| {
            let offsets = l.constant(offsets);
            let first = l.splat(ty, x);
            first.iter().zip(offsets).map(|(p, offset)| l.c.ins().iadd(*p, offset)).collect()
        });
        self.lane_addresses.insert(sum, parts.clone());
        Ok(Some(parts))
    }

    fn set_field(&mut self, v: Value, ty: clif::Type, offset: usize) {
        let field = self.field(ty, offset);
        self.set_one(v, field);
    }

    /// A lane of a value.
    fn lane(&mut self, v: Value, lane: usize) -> Result<clif::Value> {
        let ty = self.func.ty(v);
        let per = lanes::lanes_per_part(ty) as usize;
        let part = self.get(v)?.get(lane / per).copied().invariant("a lane that does not exist")?;
        if per == 1 {
            return Ok(part);
        }
        let x = self.lane_of(part, (lane % per) as u8);
        Ok(if ty.is_bool() { self.truth(x) } else { x })
    }

    /// The lane with a number that is known at run time.
    fn extract(&mut self, v: Value, from: Value, index: Value) -> Result<()> {
        let ty = self.func.ty(from);
        if !ty.is_bool() && (5..=MOST_LANES).contains(&ty.lanes()) {
            let (address, index) = (self.lanes_in_memory(from)?, self.one(index)?);
            // Lanes that do not exist have no defined value.
            let last = self.number(types::I32, u64::from(ty.lanes().next_power_of_two()) - 1);
            let index = self.c.ins().band(index, last);
            let index = self.c.ins().uextend(types::I64, index);
            let offset = self.c.ins().ishl_imm(index, i64::from(lanes::lane_bytes(ty).trailing_zeros()));
            let at = self.c.ins().iadd(address, offset);
            let lane = self.c.ins().load(lanes::lane_type(ty), MemFlags::trusted(), at, 0);
            self.set_one(v, lane);
            return Ok(());
        }
        let (lanes, index) = (self.lanes(from)?, self.one(index)?);
        let mut lanes = (0u64..).zip(lanes);
        let mut found = lanes.next().invariant("a vector without lanes")?.1;
        for (i, lane) in lanes {
            let is = self.is_number(index, i);
            found = self.c.ins().select(is, lane, found);
        }
        self.set_one(v, found);
        Ok(())
    }

    fn insert(&mut self, v: Value, data: &InstData) -> Result<()> {
        let (lanes, x, index) = (self.lanes(data.args[0])?, self.one(data.args[1])?, self.one(data.args[2])?);
        let mut out = Parts::new();
        for (i, lane) in (0u64..).zip(lanes) {
            let is = self.is_number(index, i);
            out.push(self.c.ins().select(is, x, lane));
        }
        self.set_lanes(v, &out);
        Ok(())
    }

    fn is_number(&mut self, x: clif::Value, n: u64) -> clif::Value {
        let n = self.number(self.type_of(x), n);
        self.c.ins().icmp(IntCC::Equal, x, n)
    }

    fn select(&mut self, data: &InstData, v: Value) -> Result<()> {
        let ty = self.func.ty(v);
        if self.func.ty(data.args[0]).lanes() == 1 && ty.lanes() > 1 {
            let on = self.one(data.args[0])?;
            let parts = self.map(ty, &data.args[1..], true, |l, a| Ok(l.c.ins().select(on, a[0], a[1])))?;
            self.set(v, parts);
            return Ok(());
        }
        if lanes::lanes_per_part(self.func.ty(data.args[0])) == 4 && lanes::lanes_per_part(ty) == 2 {
            return self.select_longs(data, v);
        }
        let parts = self.map(ty, &data.args, true, |l, a| Ok(l.choose(a[0], a[1], a[2])))?;
        self.set(v, parts);
        Ok(())
    }

    /// Selects 64-bit lanes by a mask of words.
    fn select_longs(&mut self, data: &InstData, v: Value) -> Result<()> {
        let masks = self.get(data.args[0])?;
        let masks: Parts = masks.into_iter().flat_map(|mask| self.widen_mask(mask)).collect();
        let (a, b) = (self.get(data.args[1])?, self.get(data.args[2])?);
        let lanes = masks.iter().zip(a.iter().zip(&b));
        let parts = lanes.map(|(on, (a, b))| self.choose(*on, *a, *b)).collect();
        self.set(v, parts);
        Ok(())
    }

    /// Selects by a truth value, or each lane by a mask.
    pub(super) fn choose(&mut self, on: clif::Value, a: clif::Value, b: clif::Value) -> clif::Value {
        let ty = self.type_of(a);
        if !ty.is_vector() {
            return self.c.ins().select(on, a, b);
        }
        if self.features.blend && !self.compares_floats(on) {
            let words = if ty.lane_bits() == 64 { types::I64X2 } else { types::I32X4 };
            let [on, a, b] = [on, a, b].map(|x| self.cast_bits(x, words));
            let chosen = self.c.ins().x86_blendv(on, a, b);
            return self.cast_bits(chosen, ty);
        }
        let on = self.cast_bits(on, ty);
        self.c.ins().bitselect(on, a, b)
    }

    /// Whether a value is the result of a comparison of floating-point numbers. With a selection it may be an
    /// instruction for the smaller or larger number.
    fn compares_floats(&self, x: clif::Value) -> bool {
        let inst = self.c.func.dfg.value_def(x).inst();
        inst.is_some_and(|inst| self.c.func.dfg.insts[inst].opcode() == clif::Opcode::Fcmp)
    }

    /// The bits of a mask, that of lane 0 the lowest.
    pub(super) fn mask_bits(&mut self, mask: Value) -> Result<clif::Value> {
        let parts = self.get(mask)?;
        let per = lanes::lanes_per_part(self.func.ty(mask));
        let mut all: Option<clif::Value> = None;
        for (i, part) in (0u32..).zip(parts) {
            let bits = if per == 1 {
                self.c.ins().uextend(types::I32, part)
            } else {
                self.c.ins().vhigh_bits(types::I32, part)
            };
            all = Some(match all {
                None => bits,
                Some(all) => {
                    let by = self.number(types::I32, u64::from(i * per));
                    let bits = self.c.ins().ishl(bits, by);
                    self.c.ins().bor(all, bits)
                }
            });
        }
        all.invariant("a mask without lanes")
    }

    /// Whether all lanes of a mask are set, or any.
    pub(super) fn whole_mask(&mut self, mask: Value, all: bool) -> Result<clif::Value> {
        let parts = self.get(mask)?;
        let per = lanes::lanes_per_part(self.func.ty(mask));
        let mut parts = parts.into_iter();
        let mut sum = parts.next().invariant("a mask without lanes")?;
        for part in parts {
            sum = if all { self.c.ins().band(sum, part) } else { self.c.ins().bor(sum, part) };
        }
        Ok(match (per, all) {
            (1, _) => sum,
            (_, all) if cfg!(target_arch = "x86_64") => {
                let bits = self.c.ins().vhigh_bits(types::I32, sum);
                let (cc, number) = if all { (IntCC::Equal, 0xf) } else { (IntCC::NotEqual, 0) };
                let number = self.number(types::I32, number);
                self.c.ins().icmp(cc, bits, number)
            }
            (_, true) => self.c.ins().vall_true(sum),
            (_, false) => self.c.ins().vany_true(sum),
        })
    }

    fn query(&mut self, v: Value, query: WorkItemQuery, dim: u8) -> Result<()> {
        use WorkItemQuery as Q;
        let d = usize::from(dim);
        let offset = match query {
            Q::LocalSize => match self.program.info.reqd_work_group_size {
                Some(size) if self.shape.whole => {
                    let size = size.get(d).copied().unwrap_or(1);
                    let size = self.number(types::I64, u64::from(size));
                    self.set_one(v, size);
                    return Ok(());
                }
                _ => context::LOCAL_SIZE,
            },
            Q::GroupId => context::GROUP_ID,
            Q::GlobalSize => context::GLOBAL_SIZE,
            Q::EnqueuedLocalSize => context::ENQUEUED_LOCAL_SIZE,
            Q::NumGroups => context::NUM_GROUPS,
            Q::GlobalOffset => context::GLOBAL_OFFSET,
            Q::WorkDim => {
                self.set_field(v, types::I32, context::WORK_DIM);
                return Ok(());
            }
            _ => return Err(CompileError::internal(format!("{query:?} of a work-group"))),
        };
        self.set_field(v, types::I64, offset + 8 * d);
        Ok(())
    }
}
