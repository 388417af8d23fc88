//! Control flow: from blocks and phis to blocks with parameters, terminators, calls of known helper
//! functions.

use super::Body;
use super::func::{FuncReader, Label, Phi, Vals};
use super::read::{Instr, has_result_type};
use crate::error::Result;
use crate::front::markers;
use crate::ir::names::Named;
use crate::ir::{
    Access, BinOp, BlockCall, CastOp, I1, I8, I32, I64, Op as IrOp, Rounding, RuntimeCall, Scalar, Space,
    Type, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use spirv::Op;

fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable
            | Op::Kill
    )
}

impl<'a> FuncReader<'_, '_, 'a> {
    /// Finds the blocks, creates the reachable ones with their parameters, and returns their labels in
    /// reverse post-order.
    pub fn control_flow(&mut self, body: &'a Body<'a>) -> Result<Vec<u32>> {
        let mut ranges: FxHashMap<u32, &'a [Instr<'a>]> = FxHashMap::default();
        let mut entry = None;
        let mut i = 0;
        while let Some(inst) = body.insts.get(i) {
            match inst.op {
                Op::Line | Op::NoLine => i += 1,
                Op::Label => {
                    let rest = &body.insts[i + 1..];
                    let end = rest
                        .iter()
                        .position(|x| is_terminator(x.op) || x.op == Op::Label)
                        .filter(|e| is_terminator(rest[*e].op))
                        .ok_or_else(|| inst.bad("block without a terminator"))?;
                    let label = inst.word(0)?;
                    entry.get_or_insert(label);
                    if ranges.insert(label, &rest[..=end]).is_some() {
                        return Err(inst.bad("two blocks with one label"));
                    }
                    i += end + 2;
                }
                op => return Err(inst.bad(format_args!("{op:?} outside of a block"))),
            }
        }
        let Some(entry) = entry else {
            return Err(body.header.bad("function without a block"));
        };
        let successors = |label: u32| -> Result<SmallVec<[u32; 4]>> {
            let Some(last) = ranges.get(&label).and_then(|b| b.last()) else {
                return Err(body.header.bad(format_args!("%{label} is not a block of this function")));
            };
            self.successor_labels(last)
        };
        // Depth-first search with an explicit stack.
        let mut order = Vec::new();
        let mut seen = FxHashSet::from_iter([entry]);
        let mut stack = vec![(entry, successors(entry)?, 0usize)];
        while let Some((label, next, at)) = stack.last_mut() {
            if let Some(&to) = next.get(*at) {
                *at += 1;
                if to == entry {
                    return Err(body.header.bad("branch to the entry block"));
                }
                if seen.insert(to) {
                    stack.push((to, successors(to)?, 0));
                }
            } else {
                order.push(*label);
                stack.pop();
            }
        }
        order.reverse();
        for &label in &order {
            let insts = ranges[&label];
            let block = self.f.add_block();
            let mut phis = Vec::new();
            for inst in insts.iter().filter(|x| x.op == Op::Phi) {
                if label == entry {
                    return Err(inst.bad("phi in the entry block"));
                }
                let ty = inst.word(0)?;
                let vals: Vals = self
                    .r
                    .types
                    .leaf_types(ty, inst)?
                    .into_iter()
                    .map(|t| self.f.add_param(block, t))
                    .collect();
                self.define_all(inst, vals)?;
                let incoming = inst.rest(2).chunks_exact(2).map(|p| (p[0], p[1])).collect();
                phis.push(Phi { incoming, ty });
            }
            self.labels.insert(label, Label { block, phis, insts });
        }
        Ok(order)
    }

    /// Records the width of switch selectors, without which their cases cannot be separated.
    pub fn find_selectors(&mut self, body: &Body<'_>) {
        let switches = body.insts.iter().filter(|i| i.op == Op::Switch);
        let selectors: FxHashSet<u32> = switches.filter_map(|i| i.ops.first().copied()).collect();
        if selectors.is_empty() {
            return;
        }
        for inst in body.params.iter().chain(body.insts) {
            if let [ty, id, ..] = inst.ops
                && selectors.contains(id)
                && has_result_type(inst.op)
                && let Some(info) = self.r.types.get(*ty)
            {
                self.wide_types.insert(*id, info.size == 8);
            }
        }
    }

    fn successor_labels(&self, inst: &Instr<'_>) -> Result<SmallVec<[u32; 4]>> {
        Ok(match inst.op {
            Op::Branch => smallvec![inst.word(0)?],
            Op::BranchConditional => smallvec![inst.word(1)?, inst.word(2)?],
            Op::Switch => {
                let mut list: SmallVec<[u32; 4]> = smallvec![inst.word(1)?];
                list.extend(self.switch_cases(inst)?.into_iter().map(|(_, label)| label));
                list
            }
            _ => smallvec![],
        })
    }

    /// Cases of a switch: literals take two words for 64-bit selectors. The selector's type may be unknown
    /// when the graph is built, so the width follows from the number of words, and from the type if it is
    /// known.
    fn switch_cases(&self, inst: &Instr<'_>) -> Result<Vec<(u64, u32)>> {
        let words = inst.rest(2);
        let wide = self.selector_is_wide(inst.word(0)?);
        let step = if wide { 3 } else { 2 };
        if !words.len().is_multiple_of(step) {
            return Err(inst.bad("malformed switch"));
        }
        Ok(words
            .chunks_exact(step)
            .map(|c| if wide { (c[0] as u64 | (c[1] as u64) << 32, c[2]) } else { (c[0] as u64, c[1]) })
            .collect())
    }

    fn selector_is_wide(&self, id: u32) -> bool {
        let ty = self.wide_types.get(&id).copied();
        ty.unwrap_or_else(|| {
            self.r.consts.get(&id).is_some_and(|c| self.r.types.get(c.ty).is_some_and(|t| t.size == 8))
        })
    }

    fn edge(&mut self, to: u32, inst: &Instr<'_>) -> Result<BlockCall> {
        let from = self.label;
        let Some(target) = self.labels.get(&to) else {
            return Err(inst.bad(format_args!("%{to} is not a block of this function")));
        };
        let block = target.block;
        let mut incoming = Vec::with_capacity(target.phis.len());
        for phi in &target.phis {
            let value = phi.incoming.iter().find(|(_, pred)| *pred == from);
            let (id, _) = value
                .ok_or_else(|| inst.bad(format_args!("a phi of %{to} lacks an operand for this edge")))?;
            incoming.push((*id, phi.ty));
        }
        let mut call = BlockCall::new(block, &[]);
        for (id, ty) in incoming {
            let types = self.r.types.leaf_types(ty, inst)?;
            let vals = self.leaves(id, inst)?;
            if types.len() != vals.len() || types.iter().zip(&vals).any(|(t, v)| *t != self.f.ty(*v)) {
                return Err(inst.bad("a phi and its operand have different types"));
            }
            call.args.extend(vals);
        }
        Ok(call)
    }

    pub fn terminator(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (op, args, targets): (IrOp, Vals, Vec<BlockCall>) = match inst.op {
            Op::Branch => (IrOp::Jump, smallvec![], vec![self.edge(inst.word(0)?, inst)?]),
            Op::BranchConditional => {
                let cond = self.arg(0, inst)?;
                if self.f.ty(cond) != I1 {
                    return Err(inst.bad("condition is not a bool"));
                }
                (
                    IrOp::BrIf,
                    smallvec![cond],
                    vec![self.edge(inst.word(1)?, inst)?, self.edge(inst.word(2)?, inst)?],
                )
            }
            Op::Switch => {
                let selector = self.int_arg(0, inst)?;
                let Type::Scalar(s) = self.f.ty(selector) else {
                    return Err(inst.bad("selector is not an integer scalar"));
                };
                if (s.bits() == 64) != self.selector_is_wide(inst.word(0)?) {
                    return Err(inst.bad("malformed switch"));
                }
                let mut targets = vec![self.edge(inst.word(1)?, inst)?];
                let mut values = Vec::new();
                let mut seen = FxHashSet::default();
                for (value, label) in self.switch_cases(inst)? {
                    if seen.insert(value & s.mask()) {
                        values.push(value & s.mask());
                        targets.push(self.edge(label, inst)?);
                    }
                }
                (IrOp::Switch(values.into()), smallvec![selector], targets)
            }
            Op::Return => {
                if !self.f.sig.results.is_empty() {
                    return Err(inst.bad("return without a value"));
                }
                (IrOp::Return, smallvec![], vec![])
            }
            Op::ReturnValue => {
                let (ty, vals) = self.typed(inst.word(0)?, inst)?;
                if ty != self.ret {
                    return Err(inst.bad("value of another type returned"));
                }
                (IrOp::Return, vals, vec![])
            }
            _ => (IrOp::Unreachable, smallvec![], vec![]),
        };
        let line = self.line;
        let i = self.f.make_terminator(op, &args, &targets);
        self.f.insts[i].line = line;
        self.b().push(i);
        Ok(())
    }

    /// Replaces calls of functions that the module's compiler made for LLVM intrinsics, and of built-ins that
    /// [`crate::front::clang`] renames to keep the back end from handling them.
    ///
    /// The bodies of the former are slow (a division for each rotate) or undefined for a zero shift.
    pub fn helper(
        &mut self,
        func: crate::ir::FuncRef,
        args: &[Value],
        results: &[Type],
        inst: &Instr<'_>,
    ) -> Result<Option<Vals>> {
        let name = self.r.module.functions[func].name.clone();
        if name == markers::LINE {
            self.line = args
                .first()
                .and_then(|a| self.f.as_bits(*a))
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(0);
            return Ok(Some(smallvec![]));
        }
        if let Some((name, from)) = name.strip_prefix(markers::CONVERT).and_then(|n| n.split_once('.')) {
            return self.convert_helper(name, from, args, results, inst);
        }
        if let Some(conversion) = to_float(&name) {
            return self.float_helper(conversion, args, results, inst);
        }
        if let Some((name, params)) = name.strip_prefix(markers::C11_ATOMIC).and_then(|n| n.split_once('.')) {
            return self.c11_atomic(name, params, args, results, inst).map(Some);
        }
        if let Some(call) = name.strip_prefix(markers::RUNTIME).and_then(RuntimeCall::from_name) {
            return self.runtime_call(call, args, results, inst).map(Some);
        }
        if name.starts_with(markers::VLOADA_HALF3) {
            return self.vloada_half3(args, results, inst);
        }
        if matches!(name.as_str(), "__to_global" | "__to_local" | "__to_private") {
            let ([p], [to]) = (args, results) else { return Ok(None) };
            return Ok(match (self.f.ty(*p).space(), to.space()) {
                (Some(_), Some(space)) => Some(smallvec![self.cast_if_inside(*p, space)]),
                _ => None,
            });
        }
        if name.starts_with("_Z9get_fencePU3AS4") && results == [I32] {
            let [p] = args else { return Ok(None) };
            if self.f.ty(*p).space().is_none() {
                return Ok(None);
            }
            // CLK_LOCAL_MEM_FENCE or CLK_GLOBAL_MEM_FENCE
            return Ok(Some(smallvec![self.by_space(*p, 1, 2)]));
        }
        match name.strip_prefix("spirv.llvm_") {
            Some(name) => self.llvm_intrinsic(name, args, results, inst),
            None => Ok(None),
        }
    }

    /// A conversion between integers; `from` is the operand's mangled type.
    fn convert_helper(
        &mut self,
        name: &str,
        from: &str,
        args: &[Value],
        results: &[Type],
        inst: &Instr<'_>,
    ) -> Result<Option<Vals>> {
        let ([x], [to]) = (args, results) else { return Ok(None) };
        if !self.f.ty(*x).is_int() || !to.is_int() || self.f.ty(*x).lanes() != to.lanes() {
            return Err(inst.bad("conversion between the wrong types"));
        }
        let (from_signed, to_signed) = (!matches!(from, "h" | "t" | "j" | "m"), !name.starts_with('u'));
        let saturate = name.contains("_sat");
        let op = IrOp::Convert { from_signed, to_signed, rounding: None, saturate };
        let is_same = self.f.ty(*x) == *to && from_signed == to_signed;
        Ok(Some(smallvec![if is_same { *x } else { self.b().value(op, &[*x], *to) }]))
    }

    /// A conversion to a floating-point type, with its rounding mode and the signedness of the operand.
    fn float_helper(
        &mut self,
        (float, rounding, from_signed): (Scalar, Option<Rounding>, bool),
        args: &[Value],
        results: &[Type],
        inst: &Instr<'_>,
    ) -> Result<Option<Vals>> {
        let ([x], [to]) = (args, results) else { return Ok(None) };
        let fits = self.f.ty(*x).scalar().is_some() && self.f.ty(*x).lanes() == to.lanes();
        if !fits || to.scalar() != Some(float) {
            return Err(inst.bad("conversion between the wrong types"));
        }
        if self.f.ty(*x) == *to {
            return Ok(Some(smallvec![*x]));
        }
        let op = IrOp::Convert { from_signed, to_signed: true, rounding, saturate: false };
        Ok(Some(smallvec![self.b().value(op, &[*x], *to)]))
    }

    /// `vloada_half3`, whose elements have the stride of four halves.
    fn vloada_half3(&mut self, args: &[Value], results: &[Type], inst: &Instr<'_>) -> Result<Option<Vals>> {
        let ([offset, p], [to]) = (args, results) else { return Ok(None) };
        let offset = self.index64(*offset, inst)?;
        if self.f.ty(*p).space().is_none() || *to != Type::Vector(Scalar::F32, 3) {
            return Err(inst.bad("operands of the wrong type"));
        }
        let (stride, half) = (self.f.i64(8), Type::Vector(Scalar::F16, 3));
        let mut b = self.b();
        let bytes = b.imul(offset, stride);
        let at = b.ptr_add(*p, bytes);
        let v = self.load_leaf(at, half, 8, Default::default());
        Ok(Some(smallvec![self.b().cast(CastOp::FpConv, v, *to)]))
    }

    /// Functions that stand for LLVM intrinsics.
    fn llvm_intrinsic(
        &mut self,
        name: &str,
        args: &[Value],
        results: &[Type],
        inst: &Instr<'_>,
    ) -> Result<Option<Vals>> {
        let int = |i: usize| args.get(i).copied().filter(|a| self.f.ty(*a).is_int());
        if name.starts_with("fshl_") || name.starts_with("fshr_") {
            let (Some(hi), Some(lo), Some(n)) = (int(0), int(1), int(2)) else { return Ok(None) };
            let ty = self.f.ty(hi);
            if results != [ty] || self.f.ty(lo) != ty || self.f.ty(n) != ty {
                return Ok(None);
            }
            return Ok(Some(smallvec![self.funnel_shift(hi, lo, n, name.starts_with("fshl_"))]));
        }
        if name.starts_with("bswap_") {
            let Some(x) = int(0).filter(|x| results == [self.f.ty(*x)]) else { return Ok(None) };
            return Ok(self.byte_swap(x).map(|v| smallvec![v]));
        }
        if name.starts_with("memset_") {
            let [dst, byte, len, volatile] = args else { return Ok(None) };
            if self.f.ty(*dst).space().is_none() || self.f.ty(*byte) != I8 || !results.is_empty() {
                return Ok(None);
            }
            let len = self.index64(*len, inst)?;
            let mut access = Access::aligned(1);
            access.volatile = self.f.as_bits(*volatile) == Some(1);
            self.b().inst(IrOp::Memset(access), &[*dst, *byte, len], &[]);
            return Ok(Some(smallvec![]));
        }
        Ok(None)
    }

    /// A pointer in an address space if it points there, else NULL.
    pub fn cast_if_inside(&mut self, p: Value, space: Space) -> Value {
        let ty = Type::Ptr(space);
        let null = self.f.bits(ty, 0);
        let mut b = self.b();
        let inside = b.value(IrOp::IsSpace(space), &[p], I1);
        let cast = b.cast(CastOp::PtrCast, p, ty);
        b.select(inside, cast, null)
    }
    /// One number for pointers to local memory, another for others.
    pub fn by_space(&mut self, p: Value, local: i32, other: i32) -> Value {
        let mut b = self.b();
        let (local, other) = (b.i32(local), b.i32(other));
        let is_local = b.value(IrOp::IsSpace(Space::Local), &[p], I1);
        b.select(is_local, local, other)
    }

    fn funnel_shift(&mut self, hi: Value, lo: Value, n: Value, left: bool) -> Value {
        let ty = self.f.ty(hi);
        let width = ty.scalar().map_or(32, |s| s.bits()) as u64;
        if hi == lo {
            let amount = if left {
                n
            } else {
                let zero = self.f.bits(ty, 0);
                self.b().isub(zero, n)
            };
            return self.b().bin(BinOp::Rotl, hi, amount);
        }
        // The other half is shifted by one and then by width - 1 - n, so that a zero amount shifts it out
        // entirely.
        let mask = self.f.bits(ty, width - 1);
        let one = self.f.bits(ty, 1);
        let mut b = self.b();
        let n = b.and(n, mask);
        let rest = b.bin(BinOp::Xor, n, mask);
        if left {
            let a = b.shl(hi, n);
            let c = b.lshr(lo, one);
            let c = b.lshr(c, rest);
            b.or(a, c)
        } else {
            let a = b.lshr(lo, n);
            let c = b.shl(hi, one);
            let c = b.shl(c, rest);
            b.or(a, c)
        }
    }

    fn byte_swap(&mut self, x: Value) -> Option<Value> {
        let ty = self.f.ty(x);
        let bits = ty.scalar()?.bits();
        let mut masks: Vec<(u64, u64)> = Vec::new();
        match bits {
            16 => masks.push((8, 0x00ff)),
            32 => masks.extend([(16, 0xffff), (8, 0x00ff_00ff)]),
            64 => masks.extend([(32, 0xffff_ffff), (16, 0xffff_0000_ffff), (8, 0x00ff_00ff_00ff_00ff)]),
            _ => return None,
        }
        let mut x = x;
        for (shift, mask) in masks {
            let (s, m) = (self.f.bits(ty, shift), self.f.bits(ty, mask));
            let mut b = self.b();
            let low = b.and(x, m);
            let low = b.shl(low, s);
            let high = b.lshr(x, s);
            let high = b.and(high, m);
            x = b.or(low, high);
        }
        Some(x)
    }

    /// An integer, read as signed, in 64 bits.
    pub fn index64(&mut self, v: Value, inst: &Instr<'_>) -> Result<Value> {
        match self.f.ty(v) {
            I64 => Ok(v),
            Type::Scalar(s) if s.is_int() && s.bits() > 1 => {
                if let Some(bits) = self.f.as_bits(v) {
                    let unused = 64 - s.bits();
                    return Ok(self.f.i64((bits << unused) as i64 >> unused));
                }
                Ok(self.b().cast(CastOp::Sext, v, I64))
            }
            _ => Err(inst.bad("an index is not an integer")),
        }
    }
    /// A pointer converted to the given address space.
    pub fn in_space(&mut self, p: Value, space: Space) -> Value {
        let ty = Type::Ptr(space);
        if self.f.ty(p) == ty { p } else { self.b().cast(CastOp::PtrCast, p, ty) }
    }
}

/// Type, rounding and signedness of the source for `convert_half...` and `convert_double...`, which remain
/// calls (of mangled names) in clang's SPIR-V.
fn to_float(mangled: &str) -> Option<(Scalar, Option<Rounding>, bool)> {
    let plain = crate::ir::mangle::demangle(mangled);
    let to = plain.strip_prefix("convert_")?;
    let half = to.strip_prefix("half").map(|rest| (Scalar::F16, rest));
    let (scalar, rest) = half.or_else(|| to.strip_prefix("double").map(|rest| (Scalar::F64, rest)))?;
    let rounding = match rest.trim_start_matches(|c: char| c.is_ascii_digit()) {
        "" => None,
        "_rte" => Some(Rounding::Rte),
        "_rtz" => Some(Rounding::Rtz),
        "_rtp" => Some(Rounding::Rtp),
        "_rtn" => Some(Rounding::Rtn),
        _ => return None,
    };
    let argument = mangled.split_once(plain.as_str())?.1;
    Some((scalar, rounding, !argument.ends_with(['h', 't', 'j', 'm']) || argument.ends_with("Dh")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_known_by_name() {
        use Scalar::{F16, F64};
        assert_eq!(to_float("_Z12convert_halfd"), Some((F16, None, true)));
        assert_eq!(to_float("_Z16convert_half_rtzf"), Some((F16, Some(Rounding::Rtz), true)));
        assert_eq!(to_float("_Z17convert_half2_rtpDv2_j"), Some((F16, Some(Rounding::Rtp), false)));
        assert_eq!(to_float("_Z13convert_half4Dv4_Dh"), Some((F16, None, true)));
        assert_eq!(to_float("_Z14convert_doublei"), Some((F64, None, true)));
        assert_eq!(to_float("_Z20convert_double16_rtpDv16_m"), Some((F64, Some(Rounding::Rtp), false)));
        assert_eq!(to_float("_Z17convert_half_evilf"), None);
        assert_eq!(to_float("convert_float"), None);
    }
}
