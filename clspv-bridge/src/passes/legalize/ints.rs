//! Integer operations that Vulkan SPIR-V has for 32 bits only or not at all.
//!
//! Bit counting, bit reversal and high products of 8, 16 and 64 bits are computed from 32-bit ones (or
//! widened); rotations become shifts; switches select on 32 bits.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::lower::state::Kernel;
use crate::passes::{Pass, PassContext};

/// The pass `legalize_ints`: integer operations that Vulkan SPIR-V has for 32 bits only.
pub struct LegalizeInts;

impl Pass for LegalizeInts {
    fn name(&self) -> &'static str {
        "legalize_ints"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        Ok(run(Kernel::of(module)?.func))
    }
}

struct Ints<'b, 'f> {
    b: &'b mut Builder<'f>,
    ty: Type,
    bits: u32,
}

impl Ints<'_, '_> {
    fn c(&mut self, ty: Type, x: u64) -> Value {
        self.b.func.bits(ty, x)
    }
    fn half(&mut self, x: Value, high: bool) -> Value {
        let t32 = self.ty.with_scalar(Scalar::I32);
        let x = if high {
            let c = self.c(self.ty, 32);
            self.b.lshr(x, c)
        } else {
            x
        };
        self.b.cast(CastOp::Trunc, x, t32)
    }
    fn unary(&mut self, op: UnOp, x: Value) -> Value {
        let t32 = self.ty.with_scalar(Scalar::I32);
        if self.bits < 32 {
            let wide = self.b.cast(CastOp::Zext, x, t32);
            let out = match op {
                UnOp::Clz => {
                    let n = self.b.un(op, wide);
                    let c = self.c(t32, (32 - self.bits) as u64);
                    self.b.isub(n, c)
                }
                UnOp::Ctz => {
                    let c = self.c(t32, 1 << self.bits);
                    let stop = self.b.or(wide, c);
                    self.b.un(op, stop)
                }
                UnOp::Bitrev => {
                    let r = self.b.un(op, wide);
                    let c = self.c(t32, (32 - self.bits) as u64);
                    self.b.lshr(r, c)
                }
                _ => self.b.un(op, wide),
            };
            return self.b.cast(CastOp::Trunc, out, self.ty);
        }
        let (low, high) = (self.half(x, false), self.half(x, true));
        let (first, second) = if op == UnOp::Ctz { (low, high) } else { (high, low) };
        match op {
            UnOp::Bitrev => {
                let (l, h) = (self.b.un(op, high), self.b.un(op, low));
                let l = self.b.cast(CastOp::Zext, l, self.ty);
                let h = self.b.cast(CastOp::Zext, h, self.ty);
                let c = self.c(self.ty, 32);
                let h = self.b.shl(h, c);
                self.b.or(l, h)
            }
            UnOp::Popcnt => {
                let (l, h) = (self.b.un(op, low), self.b.un(op, high));
                let sum = self.b.iadd(l, h);
                self.b.cast(CastOp::Zext, sum, self.ty)
            }
            _ => {
                let (f, s) = (self.b.un(op, first), self.b.un(op, second));
                let c = self.c(t32, 32);
                let more = self.b.iadd(s, c);
                let zero = self.c(t32, 0);
                let empty = self.b.icmp(IntCc::Eq, first, zero);
                let n = self.b.select(empty, more, f);
                self.b.cast(CastOp::Zext, n, self.ty)
            }
        }
    }
    fn mul_hi(&mut self, signed: bool, x: Value, y: Value) -> Value {
        if self.bits < 32 {
            let t32 = self.ty.with_scalar(Scalar::I32);
            let ext = if signed { CastOp::Sext } else { CastOp::Zext };
            let (x, y) = (self.b.cast(ext, x, t32), self.b.cast(ext, y, t32));
            let p = self.b.imul(x, y);
            let c = self.c(t32, self.bits as u64);
            let h = self.b.lshr(p, c);
            return self.b.cast(CastOp::Trunc, h, self.ty);
        }
        // Schoolbook multiplication of 32-bit halves; no partial sum exceeds 64 bits.
        let (m, c32) = (self.c(self.ty, 0xffff_ffff), self.c(self.ty, 32));
        let (xl, yl) = (self.b.and(x, m), self.b.and(y, m));
        let (xh, yh) = (self.b.lshr(x, c32), self.b.lshr(y, c32));
        let low = self.b.imul(xl, yl);
        let carry = self.b.lshr(low, c32);
        let mid = self.b.imul(xh, yl);
        let mid = self.b.iadd(mid, carry);
        let mid_low = self.b.and(mid, m);
        let cross = self.b.imul(xl, yh);
        let cross = self.b.iadd(cross, mid_low);
        let high = self.b.imul(xh, yh);
        let a = self.b.lshr(mid, c32);
        let high = self.b.iadd(high, a);
        let a = self.b.lshr(cross, c32);
        let mut high = self.b.iadd(high, a);
        if signed {
            let c63 = self.c(self.ty, 63);
            for (v, w) in [(x, y), (y, x)] {
                let sign = self.b.bin(BinOp::Ashr, v, c63);
                let take = self.b.and(sign, w);
                high = self.b.isub(high, take);
            }
        }
        high
    }
}

/// Expands operations that the emitter does not support; true if anything changed.
fn run(func: &mut Function) -> bool {
    let mut switched = false;
    let replaced = rewrite_insts(func, |b, inst| {
        let data = &b.func.insts[inst];
        if !matches!(data.op, Op::Un(_) | Op::Bin(_) | Op::Switch(_)) {
            return Rewrite::Keep;
        }
        let data = data.clone();
        let ty = data.results.first().map_or(I32, |&r| b.ty(r));
        let bits = ty.scalar().map_or(32, Scalar::bits);
        match data.op {
            Op::Un(op @ (UnOp::Clz | UnOp::Ctz | UnOp::Popcnt | UnOp::Bitrev)) if bits != 32 && bits != 1 => {
                Rewrite::Replace(Ints { b, ty, bits }.unary(op, data.args[0]))
            }
            Op::Bin(op @ (BinOp::UmulHi | BinOp::SmulHi)) if bits != 32 => {
                let signed = op == BinOp::SmulHi;
                Rewrite::Replace(Ints { b, ty, bits }.mul_hi(signed, data.args[0], data.args[1]))
            }
            Op::Bin(BinOp::Rotl) => {
                // Shift amounts are taken modulo the width, so -n stands for width - n.
                let zero = b.func.bits(ty, 0);
                let back = b.isub(zero, data.args[1]);
                let (high, low) = (b.shl(data.args[0], data.args[1]), b.lshr(data.args[0], back));
                Rewrite::Replace(b.or(high, low))
            }
            Op::Switch(cases) if b.ty(data.args[0]) != I32 => {
                switch_on_word(b, inst, data.args[0], &cases);
                switched = true;
                Rewrite::Keep
            }
            _ => Rewrite::Keep,
        }
    });
    replaced || switched
}

/// Gives a switch on 8, 16 or 64 bits a 32-bit selector: 64 bits are compared with each case.
fn switch_on_word(b: &mut Builder<'_>, inst: Inst, x: Value, cases: &[u64]) {
    let from = b.ty(x);
    let (selector, cases): (Value, Box<[u64]>) = if from == I64 {
        let mut number = b.i32(0);
        for (i, &case) in cases.iter().enumerate() {
            let case = b.func.bits(I64, case);
            let hit = b.icmp(IntCc::Eq, x, case);
            let n = b.i32(i as i32 + 1);
            number = b.select(hit, n, number);
        }
        (number, (1..=cases.len() as u64).collect())
    } else {
        let mask = from.scalar().map_or(u64::MAX, Scalar::mask);
        (b.cast(CastOp::Zext, x, I32), cases.iter().map(|c| c & mask).collect())
    };
    let data = &mut b.func.insts[inst];
    data.args[0] = selector;
    data.op = Op::Switch(cases);
}
