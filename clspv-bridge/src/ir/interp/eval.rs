//! Operations that depend on their operands alone, lane by lane.

use super::memory::{decode, encode};
use super::{Lanes, Result, err};
use crate::ir::inst::{BinOp, CastOp, ClOp, FloatCc, IntCc, Op, RmwOp, Rounding, UnOp};
use crate::ir::types::{Scalar, Type};
use half::f16;
use smallvec::smallvec;

/// The value of bits read as a signed integer.
fn signed(s: Scalar, x: u64) -> i64 {
    let unused = 64 - s.bits();
    ((x << unused) as i64) >> unused
}

/// The value of bits read as a float; exact, since double holds all others.
fn float(s: Scalar, x: u64) -> f64 {
    match s {
        Scalar::F16 => f16::from_bits(x as u16).to_f64(),
        Scalar::F32 => f32::from_bits(x as u32) as f64,
        _ => f64::from_bits(x),
    }
}

/// Rounds to the type.
fn bits(s: Scalar, x: f64) -> u64 {
    match s {
        Scalar::F16 => f16::from_f64(x).to_bits() as u64,
        Scalar::F32 => (x as f32).to_bits() as u64,
        _ => x.to_bits(),
    }
}

/// Evaluates an operation without effects.
pub(super) fn pure(op: &Op, ty: Type, args: &[Lanes], types: &[Type]) -> Result<Lanes> {
    let scalar = |t: Type| t.scalar().unwrap_or(Scalar::I64);
    let s = scalar(ty);
    let from = types.first().map_or(s, |t| scalar(*t));
    let n = ty.lanes() as usize;
    let arg = |i: usize, lane: usize| -> u64 { args.get(i).and_then(|a| a.get(lane).or(a.first())).copied().unwrap_or(0) };
    let each = |f: &dyn Fn(usize) -> Result<u64>| -> Result<Lanes> { (0..n).map(|i| f(i).map(|x| x & s.mask())).collect() };
    let in_range = |i: u64, n: u32| if i < n as u64 { Ok(i as usize) } else { err("lane out of range") };
    match op {
        Op::Bin(b) => each(&|i| bin(*b, s, arg(0, i), arg(1, i))),
        Op::Un(u) => each(&|i| un(*u, s, arg(0, i))),
        Op::Fma | Op::Mad => each(&|i| Ok(fma(s, arg(0, i), arg(1, i), arg(2, i)))),
        Op::Icmp(cc) => each(&|i| Ok(icmp(*cc, from, arg(0, i), arg(1, i)) as u64)),
        Op::Fcmp(cc) => each(&|i| Ok(fcmp(*cc, float(from, arg(0, i)), float(from, arg(1, i))) as u64)),
        Op::Select => each(&|i| Ok(if arg(0, i) & 1 != 0 { arg(1, i) } else { arg(2, i) })),
        Op::Cast(CastOp::Bitcast) => {
            let Some(from_ty) = types.first() else { return err("missing operand") };
            Ok(decode(ty, &encode(*from_ty, &args[0])))
        }
        Op::Cast(c) => each(&|i| cast(*c, from, s, arg(0, i))),
        Op::Convert { from_signed, to_signed, rounding, saturate } => {
            each(&|i| convert(from, s, arg(0, i), (*from_signed, *to_signed), *rounding, *saturate))
        }
        Op::Extract(lane) => Ok(smallvec![arg(0, *lane as usize)]),
        Op::ExtractDyn => Ok(smallvec![arg(0, in_range(arg(1, 0), types[0].lanes())?)]),
        Op::Insert(lane) => {
            let mut v = args[0].clone();
            v[in_range(*lane as u64, n as u32)?] = arg(1, 0);
            Ok(v)
        }
        Op::InsertDyn => {
            let mut v = args[0].clone();
            v[in_range(arg(2, 0), n as u32)?] = arg(1, 0);
            Ok(v)
        }
        Op::VecBuild => Ok((0..n).map(|i| arg(i, 0)).collect()),
        Op::Splat => Ok(smallvec![arg(0, 0); n]),
        Op::Shuffle(lanes) => {
            let all: Vec<u64> = args.iter().flatten().copied().collect();
            Ok(lanes.iter().map(|l| all.get(*l as usize).copied().unwrap_or(0)).collect())
        }
        Op::Any => Ok(smallvec![args[0].iter().any(|x| *x != 0) as u64]),
        Op::All => Ok(smallvec![args[0].iter().all(|x| *x != 0) as u64]),
        Op::PtrAdd => Ok(smallvec![arg(0, 0).wrapping_add(arg(1, 0))]),
        Op::OpenCl(op) => each(&|i| opencl(*op, s, arg(0, i), arg(1, i), arg(2, i))),
        other => err(format!("{other:?} cannot be interpreted")),
    }
}

fn bin(op: BinOp, s: Scalar, x: u64, y: u64) -> Result<u64> {
    let (sx, sy) = (signed(s, x), signed(s, y));
    let amount = (y & (s.bits() as u64 - 1)) as u32;
    let (fx, fy) = (float(s, x), float(s, y));
    if y == 0 && matches!(op, BinOp::Udiv | BinOp::Sdiv | BinOp::Urem | BinOp::Srem) {
        return err("division by zero");
    }
    Ok(match op {
        BinOp::Iadd => x.wrapping_add(y),
        BinOp::Isub => x.wrapping_sub(y),
        BinOp::Imul => x.wrapping_mul(y),
        BinOp::Udiv => x / y,
        BinOp::Sdiv => sx.wrapping_div(sy) as u64,
        BinOp::Urem => x % y,
        BinOp::Srem => sx.wrapping_rem(sy) as u64,
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        BinOp::Shl => x << amount,
        BinOp::Lshr => x >> amount,
        BinOp::Ashr => (sx >> amount) as u64,
        BinOp::Rotl if amount == 0 => x,
        BinOp::Rotl => (x << amount) | (x >> (s.bits() - amount)),
        BinOp::UmulHi => ((x as u128 * y as u128) >> s.bits()) as u64,
        BinOp::SmulHi => ((sx as i128 * sy as i128) >> s.bits()) as u64,
        BinOp::Umin => x.min(y),
        BinOp::Umax => x.max(y),
        BinOp::Smin => sx.min(sy) as u64,
        BinOp::Smax => sx.max(sy) as u64,
        // Double holds enough bits that rounding a second time does not change f16 and f32 results.
        BinOp::Fadd => bits(s, fx + fy),
        BinOp::Fsub => bits(s, fx - fy),
        BinOp::Fmul => bits(s, fx * fy),
        BinOp::Fdiv => bits(s, fx / fy),
        BinOp::Frem => bits(s, fx % fy),
        BinOp::Fmin => bits(s, fx.min(fy)),
        BinOp::Fmax => bits(s, fx.max(fy)),
    })
}

fn fma(s: Scalar, x: u64, y: u64, z: u64) -> u64 {
    match s {
        Scalar::F32 => {
            let f = |x: u64| f32::from_bits(x as u32);
            f(x).mul_add(f(y), f(z)).to_bits() as u64
        }
        _ => bits(s, float(s, x).mul_add(float(s, y), float(s, z))),
    }
}

fn un(op: UnOp, s: Scalar, x: u64) -> Result<u64> {
    let f = float(s, x);
    let unused = 64 - s.bits();
    let sign = 1u64 << (s.bits() - 1);
    Ok(match op {
        UnOp::Not => !x,
        UnOp::Popcnt => x.count_ones() as u64,
        UnOp::Clz => (x.leading_zeros() - unused) as u64,
        UnOp::Ctz => x.trailing_zeros().min(s.bits()) as u64,
        UnOp::Bitrev => x.reverse_bits() >> unused,
        UnOp::Fneg => x ^ sign,
        UnOp::Fabs => x & !sign,
        UnOp::Floor => bits(s, f.floor()),
        UnOp::Ceil => bits(s, f.ceil()),
        UnOp::Trunc => bits(s, f.trunc()),
        UnOp::Rint => bits(s, f.round_ties_even()),
        UnOp::Sqrt => bits(s, f.sqrt()),
        UnOp::NativeRsqrt => bits(s, 1.0 / f.sqrt()),
        UnOp::NativeSin => bits(s, f.sin()),
        UnOp::NativeCos => bits(s, f.cos()),
        UnOp::NativeTan => bits(s, f.tan()),
        UnOp::NativeExp2 => bits(s, f.exp2()),
        UnOp::NativeLog2 => bits(s, f.log2()),
        UnOp::NativeExp => bits(s, f.exp()),
        UnOp::NativeLog => bits(s, f.ln()),
        UnOp::NativeRecip => bits(s, 1.0 / f),
    })
}

fn icmp(cc: IntCc, s: Scalar, x: u64, y: u64) -> bool {
    let (sx, sy) = (signed(s, x), signed(s, y));
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

fn fcmp(cc: FloatCc, x: f64, y: f64) -> bool {
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
        FloatCc::Une => x != y,
        FloatCc::Ult => unordered || x < y,
        FloatCc::Ule => unordered || x <= y,
        FloatCc::Ugt => unordered || x > y,
        FloatCc::Uge => unordered || x >= y,
        FloatCc::Uno => unordered,
    }
}

/// Rounds an integer to a float once.
fn from_int(s: Scalar, x: i128) -> u64 {
    match s {
        Scalar::F32 => (x as f32).to_bits() as u64,
        Scalar::F16 => f16::from_f64(x as f64).to_bits() as u64,
        _ => (x as f64).to_bits(),
    }
}

/// Smallest and largest value of an integer type.
fn range(s: Scalar, is_signed: bool) -> (i128, i128) {
    if is_signed { (-(1 << (s.bits() - 1)), (1 << (s.bits() - 1)) - 1) } else { (0, s.mask() as i128) }
}

fn to_int(s: Scalar, is_signed: bool, x: f64) -> Result<u64> {
    let (low, high) = range(s, is_signed);
    let x = x.trunc();
    // `as` saturates and makes NaN zero, so only a value in range survives the way back.
    let i = x as i128;
    if x.is_nan() || i < low || i > high { err("conversion out of range") } else { Ok(i as u64) }
}

fn cast(op: CastOp, from: Scalar, to: Scalar, x: u64) -> Result<u64> {
    Ok(match op {
        CastOp::Trunc | CastOp::Zext | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast | CastOp::Bitcast => x,
        CastOp::Sext => signed(from, x) as u64,
        CastOp::FpConv => bits(to, float(from, x)),
        CastOp::FpToS => to_int(to, true, float(from, x))?,
        CastOp::FpToU => to_int(to, false, float(from, x))?,
        CastOp::SToFp => from_int(to, signed(from, x) as i128),
        CastOp::UToFp => from_int(to, x as i128),
    })
}

fn convert(from: Scalar, to: Scalar, x: u64, signs: (bool, bool), rounding: Option<Rounding>, saturate: bool) -> Result<u64> {
    let (low, high) = range(to.to_int(), signs.1);
    if from.is_int() {
        let value = if signs.0 { signed(from, x) as i128 } else { x as i128 };
        return match (to.is_int(), rounding) {
            (true, _) if saturate => Ok(value.clamp(low, high) as u64),
            (true, _) => Ok(value as u64),
            (false, None | Some(Rounding::Rte)) => Ok(from_int(to, value)),
            (false, _) => err("conversion with directed rounding cannot be interpreted"),
        };
    }
    let value = float(from, x);
    if to.is_float() {
        return match rounding {
            None | Some(Rounding::Rte) => Ok(bits(to, value)),
            _ if to.bits() >= from.bits() => Ok(bits(to, value)),
            _ => err("conversion with directed rounding cannot be interpreted"),
        };
    }
    let rounded = match rounding {
        None | Some(Rounding::Rtz) => value.trunc(),
        Some(Rounding::Rte) => value.round_ties_even(),
        Some(Rounding::Rtp) => value.ceil(),
        Some(Rounding::Rtn) => value.floor(),
    };
    if saturate { Ok((rounded as i128).clamp(low, high) as u64) } else { to_int(to, signs.1, rounded) }
}

/// The value that a read-modify-write stores.
pub(super) fn rmw(op: RmwOp, ty: Type, old: u64, x: u64) -> Result<u64> {
    let s = ty.scalar().unwrap_or(Scalar::I64);
    let op = match op {
        RmwOp::Xchg => return Ok(x),
        RmwOp::Add => BinOp::Iadd,
        RmwOp::Sub => BinOp::Isub,
        RmwOp::And => BinOp::And,
        RmwOp::Or => BinOp::Or,
        RmwOp::Xor => BinOp::Xor,
        RmwOp::Umin => BinOp::Umin,
        RmwOp::Umax => BinOp::Umax,
        RmwOp::Smin => BinOp::Smin,
        RmwOp::Smax => BinOp::Smax,
        RmwOp::Fadd => BinOp::Fadd,
        RmwOp::Fmin => BinOp::Fmin,
        RmwOp::Fmax => BinOp::Fmax,
    };
    Ok(bin(op, s, old, x)? & s.mask())
}

/// The common OpenCL.std instructions; results of inexact functions are those of double precision, rounded.
fn opencl(op: ClOp, s: Scalar, x: u64, y: u64, z: u64) -> Result<u64> {
    let (fx, fy) = (float(s, x), float(s, y));
    Ok(match op {
        ClOp::fabs => un(UnOp::Fabs, s, x)?,
        ClOp::floor => un(UnOp::Floor, s, x)?,
        ClOp::ceil => un(UnOp::Ceil, s, x)?,
        ClOp::trunc => un(UnOp::Trunc, s, x)?,
        ClOp::rint => un(UnOp::Rint, s, x)?,
        ClOp::round => bits(s, fx.round()),
        ClOp::sqrt | ClOp::native_sqrt => un(UnOp::Sqrt, s, x)?,
        ClOp::fma | ClOp::mad => fma(s, x, y, z),
        ClOp::fmin | ClOp::fmin_common => bin(BinOp::Fmin, s, x, y)?,
        ClOp::fmax | ClOp::fmax_common => bin(BinOp::Fmax, s, x, y)?,
        ClOp::fclamp => bin(BinOp::Fmin, s, bin(BinOp::Fmax, s, x, y)?, z)?,
        ClOp::fmod => bin(BinOp::Frem, s, x, y)?,
        ClOp::copysign => bits(s, fx.copysign(fy)),
        ClOp::sin | ClOp::native_sin => un(UnOp::NativeSin, s, x)?,
        ClOp::cos | ClOp::native_cos => un(UnOp::NativeCos, s, x)?,
        ClOp::exp | ClOp::native_exp => un(UnOp::NativeExp, s, x)?,
        ClOp::log | ClOp::native_log => un(UnOp::NativeLog, s, x)?,
        ClOp::exp2 | ClOp::native_exp2 => un(UnOp::NativeExp2, s, x)?,
        ClOp::log2 | ClOp::native_log2 => un(UnOp::NativeLog2, s, x)?,
        ClOp::rsqrt | ClOp::native_rsqrt => un(UnOp::NativeRsqrt, s, x)?,
        ClOp::pow => bits(s, fx.powf(fy)),
        ClOp::s_abs => signed(s, x).unsigned_abs(),
        ClOp::s_min => bin(BinOp::Smin, s, x, y)?,
        ClOp::s_max => bin(BinOp::Smax, s, x, y)?,
        ClOp::u_min => bin(BinOp::Umin, s, x, y)?,
        ClOp::u_max => bin(BinOp::Umax, s, x, y)?,
        ClOp::s_clamp => bin(BinOp::Smin, s, bin(BinOp::Smax, s, x, y)?, z)?,
        ClOp::u_clamp => bin(BinOp::Umin, s, bin(BinOp::Umax, s, x, y)?, z)?,
        ClOp::s_mul_hi => bin(BinOp::SmulHi, s, x, y)?,
        ClOp::u_mul_hi => bin(BinOp::UmulHi, s, x, y)?,
        ClOp::s_mad24 | ClOp::u_mad24 => x.wrapping_mul(y).wrapping_add(z),
        ClOp::s_mul24 | ClOp::u_mul24 => x.wrapping_mul(y),
        ClOp::rotate => bin(BinOp::Rotl, s, x, y)?,
        ClOp::clz => un(UnOp::Clz, s, x)?,
        ClOp::ctz => un(UnOp::Ctz, s, x)?,
        ClOp::popcount => un(UnOp::Popcnt, s, x)?,
        other => return err(format!("{other:?} cannot be interpreted")),
    })
}
