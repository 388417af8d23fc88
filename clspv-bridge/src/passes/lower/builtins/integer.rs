//! Integer functions, relational selection and shuffles.

use super::BuiltinLowering;
use crate::ir::*;

impl BuiltinLowering<'_, '_, '_> {
    /// Lowers an integer function; `None` for other functions.
    pub(crate) fn integer(&mut self, op: ClOp, a: &[Value], ty: Type) -> Option<Value> {
        if let ClOp::shuffle | ClOp::shuffle2 = op {
            return Some(self.shuffle(op == ClOp::shuffle2, a, ty));
        }
        let x = *a.first()?;
        let operands = [x, a.get(1).copied().unwrap_or(x), a.get(2).copied().unwrap_or(x)];
        let plain = self.arithmetic_int(op, operands, ty).or_else(|| self.bits(op, operands, ty));
        plain.or_else(|| self.saturating(op, operands, ty))
    }

    /// Arithmetic that wraps or cannot overflow.
    fn arithmetic_int(&mut self, op: ClOp, [x, y, z]: [Value; 3], ty: Type) -> Option<Value> {
        use ClOp as C;
        Some(match op {
            C::s_abs => {
                let zero = self.int(ty, 0);
                let n = self.b.isub(zero, x);
                self.b.bin(BinOp::Smax, x, n)
            }
            C::u_abs => x,
            C::s_abs_diff | C::u_abs_diff => {
                let (low, high) =
                    if op == C::s_abs_diff { (BinOp::Smin, BinOp::Smax) } else { (BinOp::Umin, BinOp::Umax) };
                let (l, h) = (self.b.bin(low, x, y), self.b.bin(high, x, y));
                self.b.isub(h, l)
            }
            C::s_hadd | C::u_hadd | C::s_rhadd | C::u_rhadd => {
                let shift = if matches!(op, C::s_hadd | C::s_rhadd) { BinOp::Ashr } else { BinOp::Lshr };
                let d = self.b.bin(BinOp::Xor, x, y);
                let one = self.int(ty, 1);
                let half = self.b.bin(shift, d, one);
                if matches!(op, C::s_hadd | C::u_hadd) {
                    let common = self.b.and(x, y);
                    self.b.iadd(common, half)
                } else {
                    let common = self.b.or(x, y);
                    self.b.isub(common, half)
                }
            }
            C::s_max => self.b.bin(BinOp::Smax, x, y),
            C::u_max => self.b.bin(BinOp::Umax, x, y),
            C::s_min => self.b.bin(BinOp::Smin, x, y),
            C::u_min => self.b.bin(BinOp::Umin, x, y),
            C::s_clamp => {
                let v = self.b.bin(BinOp::Smax, x, y);
                self.b.bin(BinOp::Smin, v, z)
            }
            C::u_clamp => {
                let v = self.b.bin(BinOp::Umax, x, y);
                self.b.bin(BinOp::Umin, v, z)
            }
            C::s_mul_hi => self.b.bin(BinOp::SmulHi, x, y),
            C::u_mul_hi => self.b.bin(BinOp::UmulHi, x, y),
            C::s_mad_hi | C::u_mad_hi => {
                let h = self.b.bin(if op == C::s_mad_hi { BinOp::SmulHi } else { BinOp::UmulHi }, x, y);
                self.b.iadd(h, z)
            }
            C::s_mul24 | C::u_mul24 => self.b.imul(x, y),
            C::s_mad24 | C::u_mad24 => {
                let p = self.b.imul(x, y);
                self.b.iadd(p, z)
            }
            _ => return None,
        })
    }

    /// Operations on bits, and selections.
    fn bits(&mut self, op: ClOp, [x, y, z]: [Value; 3], ty: Type) -> Option<Value> {
        use ClOp as C;
        let bits = ty.scalar().map_or(32, Scalar::bits) as u64;
        Some(match op {
            C::clz => self.b.un(UnOp::Clz, x),
            C::ctz => self.b.un(UnOp::Ctz, x),
            C::popcount => self.b.un(UnOp::Popcnt, x),
            C::rotate => self.b.bin(BinOp::Rotl, x, y),
            C::s_upsample | C::u_upsample => {
                let half = bits / 2;
                let (h, l) = (self.b.cast(CastOp::Zext, x, ty), self.b.cast(CastOp::Zext, y, ty));
                let c = self.int(ty, half);
                let h = self.b.shl(h, c);
                self.b.or(h, l)
            }
            C::bitselect => {
                let int = ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
                let (p, q, m) = (self.b.bitcast(x, int), self.b.bitcast(y, int), self.b.bitcast(z, int));
                let d = self.b.bin(BinOp::Xor, p, q);
                let d = self.b.and(d, m);
                let r = self.b.bin(BinOp::Xor, p, d);
                self.b.bitcast(r, ty)
            }
            C::select => {
                // Vectors test the top bit of each lane, scalars the whole value.
                let cty = self.b.ty(z);
                let zero = self.int(cty, 0);
                let cc = if cty.lanes() > 1 { IntCc::Slt } else { IntCc::Ne };
                let c = self.b.icmp(cc, z, zero);
                self.b.select(c, y, x)
            }
            _ => return None,
        })
    }

    /// Arithmetic that saturates.
    fn saturating(&mut self, op: ClOp, [x, y, z]: [Value; 3], ty: Type) -> Option<Value> {
        use ClOp as C;
        let bits = ty.scalar().map_or(32, Scalar::bits) as u64;
        Some(match op {
            C::s_add_sat | C::s_sub_sat => {
                let add = op == C::s_add_sat;
                let r = if add { self.b.iadd(x, y) } else { self.b.isub(x, y) };
                // The signs show an overflow.
                let p = self.b.bin(BinOp::Xor, x, r);
                let q = if add { self.b.bin(BinOp::Xor, y, r) } else { self.b.bin(BinOp::Xor, x, y) };
                let both = self.b.and(p, q);
                let zero = self.int(ty, 0);
                let over = self.b.icmp(IntCc::Slt, both, zero);
                let limit = self.limit(x, ty, bits);
                self.b.select(over, limit, r)
            }
            C::u_add_sat => {
                let r = self.b.iadd(x, y);
                let over = self.b.icmp(IntCc::Ult, r, x);
                let ones = self.int(ty, u64::MAX);
                self.b.select(over, ones, r)
            }
            C::u_sub_sat => {
                let low = self.b.bin(BinOp::Umin, x, y);
                self.b.isub(x, low)
            }
            C::u_mad_sat => {
                let low = self.b.imul(x, y);
                let high = self.b.bin(BinOp::UmulHi, x, y);
                let sum = self.b.iadd(low, z);
                let carry = self.b.icmp(IntCc::Ult, sum, low);
                let zero = self.int(ty, 0);
                let big = self.b.icmp(IntCc::Ne, high, zero);
                let over = self.b.or(carry, big);
                let ones = self.int(ty, u64::MAX);
                self.b.select(over, ones, sum)
            }
            C::s_mad_sat => {
                // The double-width sum fits if its high half is the sign of the low one.
                let low = self.b.imul(x, y);
                let high = self.b.bin(BinOp::SmulHi, x, y);
                let sum = self.b.iadd(low, z);
                let carry = self.b.icmp(IntCc::Ult, sum, low);
                let (zero, one) = (self.int(ty, 0), self.int(ty, 1));
                let carry = self.b.select(carry, one, zero);
                let top = self.int(ty, bits - 1);
                let sign = self.b.bin(BinOp::Ashr, z, top);
                let high = self.b.iadd(high, sign);
                let high = self.b.iadd(high, carry);
                let fits = self.b.bin(BinOp::Ashr, sum, top);
                let fits = self.b.icmp(IntCc::Eq, high, fits);
                let limit = self.limit(high, ty, bits);
                self.b.select(fits, sum, limit)
            }
            _ => return None,
        })
    }

    /// The largest value if `x` is not negative, else the smallest.
    fn limit(&mut self, x: Value, ty: Type, bits: u64) -> Value {
        let top = self.int(ty, bits - 1);
        let sign = self.b.bin(BinOp::Ashr, x, top);
        let max = self.int(ty, (1u64 << (bits - 1)) - 1);
        self.b.bin(BinOp::Xor, sign, max)
    }

    fn shuffle(&mut self, two: bool, a: &[Value], ty: Type) -> Value {
        let n = self.b.ty(a[0]).lanes() as u64;
        let mask = a[if two { 2 } else { 1 }];
        let mut out = Vec::new();
        for i in 0..ty.lanes() {
            let constant = match self.b.func.as_const(mask) {
                Some(Const::Bits(_, bits)) => bits.get(i as usize).copied(),
                _ => None,
            };
            if let Some(k) = constant {
                let k = k % (n * if two { 2 } else { 1 });
                let from = a[(k / n) as usize];
                out.push(self.b.extract(from, (k % n) as u8));
                continue;
            }
            let index = self.b.extract(mask, i as u8);
            let index = match self.b.ty(index) {
                I32 => index,
                I64 => self.b.cast(CastOp::Trunc, index, I32),
                _ => self.b.cast(CastOp::Zext, index, I32),
            };
            let c = self.b.i32(n as i32 - 1);
            let lane = self.b.and(index, c);
            let mut v = self.b.value(Op::ExtractDyn, &[a[0], lane], ty.lane());
            if two {
                let w = self.b.value(Op::ExtractDyn, &[a[1], lane], ty.lane());
                let c = self.b.i32(n as i32);
                let second = self.b.and(index, c);
                let zero = self.b.i32(0);
                let second = self.b.icmp(IntCc::Ne, second, zero);
                v = self.b.select(second, w, v);
            }
            out.push(v);
        }
        self.b.vec_build(&out)
    }

    /// Sum of four products of bytes.
    pub(crate) fn dot4(&mut self, a: &[Value], x_signed: bool, y_signed: bool) -> Value {
        // Bytes are shifted to the top and down again, which extends them.
        let byte = |l: &mut Self, v: Value, i: u64, signed: bool| {
            let (up, down) = (l.int(I32, 24 - 8 * i), l.int(I32, 24));
            let v = l.b.shl(v, up);
            l.b.bin(if signed { BinOp::Ashr } else { BinOp::Lshr }, v, down)
        };
        let mut sum = None;
        for i in 0..4 {
            let (x, y) = (byte(self, a[0], i, x_signed), byte(self, a[1], i, y_signed));
            let product = self.b.imul(x, y);
            sum = Some(match sum {
                None => product,
                Some(s) => self.b.iadd(s, product),
            });
        }
        sum.unwrap_or(a[0])
    }
}
