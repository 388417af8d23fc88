//! Constant evaluation of pure operations, lane by lane, with the IR's semantics.
//!
//! Not folded: operations whose result the device chooses (native functions, division by zero), library
//! functions, and conversions of f64 to f16 (they would round twice).

use crate::ir::{BinOp, CastOp, Const, FloatCc, IntCc, Op, Scalar, Space, Type, UnOp};
use half::f16;
use smallvec::SmallVec;

/// Evaluates `op` on constants; the result is of type `ty`. `None`: not folded.
pub fn fold(op: &Op, args: &[&Const], ty: Type) -> Option<Const> {
    let mut lanes: SmallVec<[&[u64]; 4]> = SmallVec::new();
    let mut types: SmallVec<[Type; 4]> = SmallVec::new();
    for a in args {
        let Const::Bits(t, bits) = a else { return None };
        lanes.push(bits);
        types.push(*t);
    }
    let scalar = ty.scalar();
    let each = |f: &dyn Fn(usize) -> Option<u64>| -> Option<Const> {
        let bits = (0..ty.lanes() as usize).map(f).collect::<Option<SmallVec<[u64; 1]>>>()?;
        Some(Const::Bits(ty, bits))
    };
    let lane = |arg: usize, i: usize| -> Option<u64> { lanes.get(arg)?.get(i).copied() };
    match op {
        Op::Bin(b) => each(&|i| binary(*b, scalar?, lane(0, i)?, lane(1, i)?)),
        Op::Un(u) => each(&|i| unary(*u, scalar?, lane(0, i)?)),
        Op::Icmp(cc) => {
            let bits = types[0].scalar().map_or(64, Scalar::bits);
            each(&|i| Some(int_compare(*cc, bits, lane(0, i)?, lane(1, i)?) as u64))
        }
        Op::Fcmp(cc) => {
            let s = types[0].scalar()?;
            each(&|i| Some(float_compare(*cc, to_f64(s, lane(0, i)?)?, to_f64(s, lane(1, i)?)?) as u64))
        }
        Op::Select => {
            let whole = types[0].lanes() == 1;
            each(&|i| {
                let c = lane(0, if whole { 0 } else { i })?;
                lane(if c & 1 == 1 { 1 } else { 2 }, i)
            })
        }
        Op::Cast(CastOp::Bitcast) => bitcast(types[0].scalar()?, lanes[0], ty),
        Op::Cast(CastOp::PtrToInt | CastOp::IntToPtr) => each(&|i| lane(0, i)),
        // NULL is NULL in every address space.
        Op::Cast(CastOp::PtrCast) => each(&|i| lane(0, i).filter(|bits| *bits == 0)),
        Op::IsSpace(space) => {
            each(&|i| lane(0, i).filter(|bits| *bits == 0).map(|_| u64::from(*space == Space::Global)))
        }
        Op::Cast(c) if types[0].scalar().is_some() => {
            let from = types[0].scalar()?;
            each(&|i| cast(*c, from, scalar?, lane(0, i)?))
        }
        Op::Extract(n) => each(&|_| lane(0, *n as usize)),
        Op::Insert(n) => each(&|i| if i == *n as usize { lane(1, 0) } else { lane(0, i) }),
        Op::VecBuild => each(&|i| lane(i, 0)),
        Op::Splat => each(&|_| lane(0, 0)),
        Op::Shuffle(sel) => {
            let n = lanes[0].len();
            each(&|i| match *sel.get(i)? as usize {
                255 => Some(0),
                s if s < n => lane(0, s),
                s => lane(1, s - n),
            })
        }
        Op::Any => each(&|_| Some(lanes[0].iter().any(|b| b & 1 == 1) as u64)),
        Op::All => each(&|_| Some(lanes[0].iter().all(|b| b & 1 == 1) as u64)),
        _ => None,
    }
}

/// The value of `x` read as signed.
pub fn signed(bits: u32, x: u64) -> i64 {
    ((x << (64 - bits)) as i64) >> (64 - bits)
}

/// Whether an integer comparison holds for operands of `bits` bits.
pub fn int_compare(cc: IntCc, bits: u32, x: u64, y: u64) -> bool {
    let (sx, sy) = (signed(bits, x), signed(bits, y));
    match cc {
        IntCc::Eq => x == y,
        IntCc::Ne => x != y,
        IntCc::Ult => x < y,
        IntCc::Ule => x <= y,
        IntCc::Ugt => x > y,
        IntCc::Uge => x >= y,
        IntCc::Slt => sx < sy,
        IntCc::Sle => sx <= sy,
        IntCc::Sgt => sx > sy,
        IntCc::Sge => sx >= sy,
    }
}

fn float_compare(cc: FloatCc, x: f64, y: f64) -> bool {
    let unordered = x.is_nan() || y.is_nan();
    match cc {
        FloatCc::Oeq => x == y,
        FloatCc::One => !unordered && x != y,
        FloatCc::Olt => x < y,
        FloatCc::Ole => x <= y,
        FloatCc::Ogt => x > y,
        FloatCc::Oge => x >= y,
        FloatCc::Ord => !unordered,
        FloatCc::Ueq => unordered || x == y,
        FloatCc::Une => unordered || x != y,
        FloatCc::Ult => unordered || x < y,
        FloatCc::Ule => unordered || x <= y,
        FloatCc::Ugt => unordered || x > y,
        FloatCc::Uge => unordered || x >= y,
        FloatCc::Uno => unordered,
    }
}

/// Exact value of a float's bits.
fn to_f64(s: Scalar, bits: u64) -> Option<f64> {
    Some(match s {
        Scalar::F16 => f16::from_bits(bits as u16).to_f64(),
        Scalar::F32 => f32::from_bits(bits as u32) as f64,
        Scalar::F64 => f64::from_bits(bits),
        _ => return None,
    })
}

/// The result of a binary operation on constants of a type; `None` if it has none, or is not folded.
pub(crate) fn binary(op: BinOp, s: Scalar, x: u64, y: u64) -> Option<u64> {
    if s.is_float() {
        return float_binary(op, s, x, y);
    }
    let bits = s.bits();
    let (sx, sy) = (signed(bits, x), signed(bits, y));
    let amount = (y % bits as u64) as u32;
    let r = match op {
        BinOp::Iadd => x.wrapping_add(y),
        BinOp::Isub => x.wrapping_sub(y),
        BinOp::Imul => x.wrapping_mul(y),
        BinOp::Udiv => x.checked_div(y)?,
        BinOp::Urem => x.checked_rem(y)?,
        BinOp::Sdiv if sy != 0 => sx.wrapping_div(sy) as u64,
        BinOp::Srem if sy != 0 => sx.wrapping_rem(sy) as u64,
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        BinOp::Shl => x << amount,
        BinOp::Lshr => x >> amount,
        BinOp::Ashr => (sx >> amount) as u64,
        BinOp::Rotl if amount == 0 => x,
        BinOp::Rotl => x << amount | x >> (bits - amount),
        BinOp::UmulHi => ((x as u128 * y as u128) >> bits) as u64,
        BinOp::SmulHi => ((sx as i128 * sy as i128) >> bits) as u64,
        BinOp::Umin => x.min(y),
        BinOp::Umax => x.max(y),
        BinOp::Smin => sx.min(sy) as u64,
        BinOp::Smax => sx.max(sy) as u64,
        _ => return None,
    };
    Some(r & s.mask())
}

fn float_binary(op: BinOp, s: Scalar, x: u64, y: u64) -> Option<u64> {
    macro_rules! eval {
        ($x:expr, $y:expr) => {
            match op {
                BinOp::Fadd => $x + $y,
                BinOp::Fsub => $x - $y,
                BinOp::Fmul => $x * $y,
                BinOp::Fdiv => $x / $y,
                BinOp::Frem => $x % $y,
                BinOp::Fmin => $x.min($y),
                BinOp::Fmax => $x.max($y),
                _ => return None,
            }
        };
    }
    Some(match s {
        // One operation in f32 rounded to f16 is the correctly rounded f16 operation.
        Scalar::F16 => {
            let (x, y) = (f16::from_bits(x as u16).to_f32(), f16::from_bits(y as u16).to_f32());
            f16::from_f32(eval!(x, y)).to_bits() as u64
        }
        Scalar::F32 => eval!(f32::from_bits(x as u32), f32::from_bits(y as u32)).to_bits() as u64,
        Scalar::F64 => eval!(f64::from_bits(x), f64::from_bits(y)).to_bits(),
        _ => return None,
    })
}

fn unary(op: UnOp, s: Scalar, x: u64) -> Option<u64> {
    let bits = s.bits();
    let sign = 1u64 << (bits - 1);
    macro_rules! round {
        ($name:ident) => {
            match s {
                Scalar::F16 => f16::from_f32(f16::from_bits(x as u16).to_f32().$name()).to_bits() as u64,
                Scalar::F32 => f32::from_bits(x as u32).$name().to_bits() as u64,
                Scalar::F64 => f64::from_bits(x).$name().to_bits(),
                _ => return None,
            }
        };
    }
    Some(match op {
        UnOp::Not => !x & s.mask(),
        UnOp::Popcnt => x.count_ones() as u64,
        UnOp::Clz => (x.leading_zeros() - (64 - bits)) as u64,
        UnOp::Ctz => x.trailing_zeros().min(bits) as u64,
        UnOp::Bitrev => x.reverse_bits() >> (64 - bits),
        UnOp::Fneg => x ^ sign,
        UnOp::Fabs => x & !sign,
        UnOp::Floor => round!(floor),
        UnOp::Ceil => round!(ceil),
        UnOp::Trunc => round!(trunc),
        UnOp::Rint => round!(round_ties_even),
        UnOp::Sqrt => round!(sqrt),
        _ => return None,
    })
}

fn cast(op: CastOp, from: Scalar, to: Scalar, x: u64) -> Option<u64> {
    let from_f64 = |v: f64| -> Option<u64> {
        Some(match to {
            Scalar::F32 => (v as f32).to_bits() as u64,
            Scalar::F64 => v.to_bits(),
            _ => return None,
        })
    };
    Some(match op {
        CastOp::Trunc | CastOp::Zext => x & to.mask(),
        CastOp::Sext => signed(from.bits(), x) as u64 & to.mask(),
        CastOp::FpConv => match (from, to) {
            (Scalar::F32, Scalar::F16) => f16::from_f32(f32::from_bits(x as u32)).to_bits() as u64,
            (Scalar::F64, Scalar::F16) => return None,
            _ => from_f64(to_f64(from, x)?)?,
        },
        CastOp::FpToS => {
            let v = to_f64(from, x)?;
            let limit = 2f64.powi(to.bits() as i32 - 1);
            if !(v.trunc() >= -limit && v < limit) {
                return None;
            }
            v as i64 as u64 & to.mask()
        }
        CastOp::FpToU => {
            let v = to_f64(from, x)?;
            if !(v > -1.0 && v < 2f64.powi(to.bits() as i32)) {
                return None;
            }
            v as u64
        }
        CastOp::SToFp | CastOp::UToFp => {
            let signed = (op == CastOp::SToFp).then(|| signed(from.bits(), x));
            match to {
                Scalar::F16 => f16::from_f32(signed.map_or(x as f32, |v| v as f32)).to_bits() as u64,
                Scalar::F32 => signed.map_or(x as f32, |v| v as f32).to_bits() as u64,
                Scalar::F64 => signed.map_or(x as f64, |v| v as f64).to_bits(),
                _ => return None,
            }
        }
        _ => return None,
    })
}

fn bitcast(from: Scalar, lanes: &[u64], ty: Type) -> Option<Const> {
    let to = ty.scalar()?;
    if from == Scalar::I1 || to == Scalar::I1 {
        return None;
    }
    let mut bytes: Vec<u8> = Vec::new();
    for l in lanes {
        bytes.extend_from_slice(&l.to_le_bytes()[..from.bytes() as usize]);
    }
    if bytes.len() != ty.access_bytes()? as usize {
        return None;
    }
    let read = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |acc, b| acc << 8 | *b as u64);
    Some(Const::Bits(ty, bytes.chunks(to.bytes() as usize).map(read).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{F32, I8, I32, I64};
    use smallvec::smallvec;

    fn c(ty: Type, x: u64) -> Const {
        Const::Bits(ty, smallvec![x; ty.lanes() as usize])
    }

    #[test]
    fn integers() {
        let two = |op, ty, x, y| fold(&Op::Bin(op), &[&c(ty, x), &c(ty, y)], ty);
        assert_eq!(two(BinOp::Iadd, I8, 200, 100), Some(c(I8, 44)));
        assert_eq!(two(BinOp::Ashr, I8, 0x80, 9), Some(c(I8, 0xc0)));
        assert_eq!(two(BinOp::SmulHi, I32, 0xffff_ffff, 1), Some(c(I32, 0xffff_ffff)));
        assert_eq!(two(BinOp::Rotl, I32, 0x8000_0001, 1), Some(c(I32, 3)));
        assert_eq!(two(BinOp::Udiv, I32, 1, 0), None);
        assert_eq!(two(BinOp::Sdiv, I64, i64::MIN as u64, u64::MAX), Some(c(I64, i64::MIN as u64)));
        assert_eq!(fold(&Op::Un(UnOp::Clz), &[&c(I8, 1)], I8), Some(c(I8, 7)));
    }

    #[test]
    fn floats_and_casts() {
        let f = |x: f32| c(F32, x.to_bits() as u64);
        assert_eq!(fold(&Op::Bin(BinOp::Fmin), &[&f(f32::NAN), &f(2.0)], F32), Some(f(2.0)));
        assert_eq!(fold(&Op::Un(UnOp::Rint), &[&f(2.5)], F32), Some(f(2.0)));
        assert_eq!(fold(&Op::Cast(CastOp::FpToS), &[&f(3e9)], I32), None);
        assert_eq!(fold(&Op::Cast(CastOp::FpToS), &[&f(-2.7)], I32), Some(c(I32, -2i32 as u32 as u64)));
        let least = fold(&Op::Cast(CastOp::FpToS), &[&f(i64::MIN as f32)], I64);
        assert_eq!(least, Some(c(I64, i64::MIN as u64)));
        let v = Type::Vector(Scalar::I8, 4);
        let bytes = Const::Bits(v, smallvec![1, 2, 3, 4]);
        assert_eq!(fold(&Op::Cast(CastOp::Bitcast), &[&bytes], I32), Some(c(I32, 0x0403_0201)));
    }
}
