//! Values of the interpreter, and the pure operations on them.
//!
//! Every bit of a value is known or undefined, so that code which packs bytes into words whose other bytes
//! were never written means the same as the stores it replaces. Operations that mix bits return undefined
//! results when an operand has undefined bits that matter. Known operands are evaluated by
//! [`crate::ir::fold`].

use crate::ir::fold;
use crate::ir::{BinOp, CastOp, Const, Op, Scalar, Type, UnOp};
use half::f16;
use smallvec::{SmallVec, smallvec};

/// Value of one lane. `undef` marks undefined bits, which are 0 in `bits`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lane {
    pub bits: u64,
    pub undef: u64,
}

impl Lane {
    /// A lane whose bits are all known.
    pub fn known(bits: u64) -> Lane {
        Lane { bits, undef: 0 }
    }
    /// A lane of `bits` undefined bits.
    pub fn undefined(bits: u32) -> Lane {
        Lane { bits: 0, undef: mask(bits) }
    }
    /// The bits, if all are known.
    pub fn get(self) -> Option<u64> {
        (self.undef == 0).then_some(self.bits)
    }
    fn new(bits: u64, undef: u64, width: u32) -> Lane {
        let undef = undef & mask(width);
        Lane { bits: bits & mask(width) & !undef, undef }
    }
}

/// A value: its lanes (one for scalars and pointers).
pub type LaneValues = SmallVec<[Lane; 4]>;

/// A scalar or pointer with known bits.
pub fn scalar(bits: u64) -> LaneValues {
    smallvec![Lane::known(bits)]
}

/// An undefined value of a type.
pub fn undefined(ty: Type) -> LaneValues {
    smallvec![Lane::undefined(width(ty)); ty.lanes() as usize]
}

/// The value of a constant.
pub fn constant(c: &Const) -> LaneValues {
    match c {
        Const::Undef(ty) => undefined(*ty),
        Const::Bits(_, bits) => bits.iter().map(|b| Lane::known(*b)).collect(),
    }
}

/// Bits of a lane.
pub fn width(ty: Type) -> u32 {
    ty.scalar().map_or(64, Scalar::bits)
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// Whether `after` may replace `before`: known bits are the same. All NaNs are equal.
pub fn refines(ty: Type, before: &LaneValues, after: &LaneValues) -> bool {
    let nan = |bits: u64| match ty.scalar() {
        Some(Scalar::F16) => f16::from_bits(bits as u16).is_nan(),
        Some(Scalar::F32) => f32::from_bits(bits as u32).is_nan(),
        Some(Scalar::F64) => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    before.len() == after.len()
        && before.iter().zip(after).all(|(b, a)| {
            let same = a.undef & !b.undef == 0 && (a.bits ^ b.bits) & !b.undef == 0;
            same || (b.undef | a.undef == 0 && nan(b.bits) && nan(a.bits))
        })
}

/// Result of a pure operation, of type `ty`; `None` if the operation is not pure or not supported.
pub fn eval(op: &Op, types: &[Type], args: &[&LaneValues], ty: Type) -> Option<LaneValues> {
    let n = ty.lanes() as usize;
    let w = width(ty);
    let arg = |a: usize, i: usize| args.get(a).and_then(|v| v.get(i)).copied().unwrap_or(Lane::undefined(64));
    let each = |f: &dyn Fn(usize) -> Lane| -> Option<LaneValues> { Some((0..n).map(f).collect()) };
    let from = types.first().copied().unwrap_or(ty);
    match op {
        Op::Bin(b) => each(&|i| binary(*b, ty, arg(0, i), arg(1, i))),
        Op::Un(UnOp::Not) => each(&|i| Lane::new(!arg(0, i).bits, arg(0, i).undef, w)),
        Op::Un(u) => each(&|i| unary(*u, ty, arg(0, i))),
        Op::Fma | Op::Mad => each(&|i| fused(op == &Op::Fma, ty, arg(0, i), arg(1, i), arg(2, i))),
        Op::Select => {
            let whole = from.lanes() == 1;
            each(&|i| match arg(0, if whole { 0 } else { i }).get() {
                Some(c) => arg(if c & 1 == 1 { 1 } else { 2 }, i),
                None => Lane::undefined(w),
            })
        }
        Op::Cast(CastOp::Bitcast) => Some(bitcast(from, args.first()?, ty)),
        Op::Cast(CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast) => each(&|i| arg(0, i)),
        Op::Cast(CastOp::Trunc | CastOp::Zext) => each(&|i| Lane::new(arg(0, i).bits, arg(0, i).undef, w)),
        Op::Cast(CastOp::Sext) => {
            let sign = width(from);
            let extend = |x: u64| fold::signed(sign, x) as u64;
            each(&|i| Lane::new(extend(arg(0, i).bits), extend(arg(0, i).undef), w))
        }
        Op::Cast(CastOp::FpConv)
            if from.scalar() == Some(Scalar::F64) && ty.scalar() == Some(Scalar::F16) =>
        {
            each(&|i| match arg(0, i).get() {
                Some(x) => Lane::known(f16::from_f64(f64::from_bits(x)).to_bits() as u64),
                None => Lane::undefined(w),
            })
        }
        Op::Icmp(_) | Op::Fcmp(_) | Op::Cast(_) => each(&|i| {
            let lanes: SmallVec<[Lane; 4]> = (0..args.len()).map(|a| arg(a, i)).collect();
            folded(op, &types.iter().map(|t| t.lane()).collect::<Vec<_>>(), &lanes, ty.lane())
        }),
        Op::Dot4 { x_signed, y_signed } => Some(match (arg(0, 0).get(), arg(1, 0).get()) {
            (Some(x), Some(y)) => {
                let byte = |v: u64, i: u32, signed: bool| {
                    let b = (v >> (8 * i)) as u8;
                    if signed { i32::from(b as i8) } else { i32::from(b) }
                };
                let sum: i32 = (0..4).map(|i| byte(x, i, *x_signed) * byte(y, i, *y_signed)).sum();
                scalar(u64::from(sum as u32))
            }
            _ => undefined(ty),
        }),
        Op::Extract(lane) => each(&|_| arg(0, *lane as usize)),
        Op::ExtractDyn => each(&|_| match arg(1, 0).get().map(|i| i as usize) {
            Some(i) if i < args[0].len() => arg(0, i),
            _ => Lane::undefined(w),
        }),
        Op::Insert(lane) => each(&|i| if i == *lane as usize { arg(1, 0) } else { arg(0, i) }),
        Op::InsertDyn => match arg(2, 0).get().map(|i| i as usize) {
            Some(at) if at < n => each(&|i| if i == at { arg(1, 0) } else { arg(0, i) }),
            _ => Some(undefined(ty)),
        },
        Op::VecBuild => each(&|i| arg(i, 0)),
        Op::Splat => each(&|_| arg(0, 0)),
        Op::Shuffle(lanes) => {
            let first = args.first()?.len();
            each(&|i| match lanes.get(i).map_or(255, |l| *l as usize) {
                255 => Lane::undefined(w),
                l if l < first => arg(0, l),
                l => arg(1, l - first),
            })
        }
        Op::Any | Op::All => {
            let decisive = u64::from(op == &Op::Any);
            let lanes = args.first()?;
            let found = lanes.iter().any(|l| l.get() == Some(decisive));
            let unknown = lanes.iter().any(|l| l.undef != 0);
            Some(if found {
                scalar(decisive)
            } else if unknown {
                undefined(ty)
            } else {
                scalar(1 - decisive)
            })
        }
        // One address with many offsets gives many addresses.
        Op::PtrAdd => {
            each(&|i| match (arg(0, if from.lanes() == 1 { 0 } else { i }).get(), arg(1, i).get()) {
                (Some(p), Some(x)) => Lane::known(p.wrapping_add(x)),
                _ => Lane::undefined(64),
            })
        }
        _ => None,
    }
}

/// Evaluates known lanes; undefined if a lane is unknown or the result depends on the device.
fn folded(op: &Op, types: &[Type], lanes: &[Lane], ty: Type) -> Lane {
    let known: Option<Vec<Const>> =
        types.iter().zip(lanes).map(|(t, l)| Some(Const::Bits(*t, smallvec![l.get()?]))).collect();
    let result = known.and_then(|known| fold::fold(op, &known.iter().collect::<Vec<_>>(), ty));
    match result {
        Some(Const::Bits(_, bits)) => Lane::known(bits.first().copied().unwrap_or(0)),
        _ => Lane::undefined(width(ty)),
    }
}

fn binary(op: BinOp, ty: Type, x: Lane, y: Lane) -> Lane {
    let w = width(ty);
    let undef = x.undef | y.undef;
    if undef == 0 {
        return folded(&Op::Bin(op), &[ty.lane(), ty.lane()], &[x, y], ty.lane());
    }
    let zero = |l: Lane| !l.bits & !l.undef;
    match op {
        BinOp::And => Lane::new(x.bits & y.bits, undef & !zero(x) & !zero(y), w),
        BinOp::Or => Lane::new(x.bits | y.bits, undef & !x.bits & !y.bits, w),
        BinOp::Xor => Lane::new(x.bits ^ y.bits, undef, w),
        BinOp::Shl | BinOp::Lshr | BinOp::Ashr | BinOp::Rotl if y.undef == 0 => {
            let shift = |bits: u64| {
                let amount = (y.bits % w as u64) as u32;
                match op {
                    BinOp::Shl => bits << amount,
                    BinOp::Lshr => bits >> amount,
                    BinOp::Ashr => (fold::signed(w, bits) >> amount) as u64,
                    _ if amount == 0 => bits,
                    _ => bits << amount | (bits & mask(w)) >> (w - amount),
                }
            };
            Lane::new(shift(x.bits), shift(x.undef), w)
        }
        // Carries only propagate upwards.
        BinOp::Iadd | BinOp::Isub | BinOp::Imul => {
            let undef = u64::MAX << undef.trailing_zeros();
            let bits = match op {
                BinOp::Iadd => x.bits.wrapping_add(y.bits),
                BinOp::Isub => x.bits.wrapping_sub(y.bits),
                _ => x.bits.wrapping_mul(y.bits),
            };
            Lane::new(bits, undef, w)
        }
        _ => Lane::undefined(w),
    }
}

fn unary(op: UnOp, ty: Type, x: Lane) -> Lane {
    let Some(bits) = x.get() else { return Lane::undefined(width(ty)) };
    let native: fn(f64) -> f64 = match op {
        UnOp::NativeRsqrt => |v| 1.0 / v.sqrt(),
        UnOp::NativeSin => f64::sin,
        UnOp::NativeCos => f64::cos,
        UnOp::NativeTan => f64::tan,
        UnOp::NativeExp2 => f64::exp2,
        UnOp::NativeLog2 => f64::log2,
        UnOp::NativeExp => f64::exp,
        UnOp::NativeLog => f64::ln,
        UnOp::NativeRecip => |v| 1.0 / v,
        _ => return folded(&Op::Un(op), &[ty.lane()], &[x], ty.lane()),
    };
    Lane::known(match ty.scalar() {
        Some(Scalar::F16) => f16::from_f64(native(f16::from_bits(bits as u16).to_f64())).to_bits() as u64,
        Some(Scalar::F64) => native(f64::from_bits(bits)).to_bits(),
        _ => (native(f32::from_bits(bits as u32) as f64) as f32).to_bits() as u64,
    })
}

fn fused(exact: bool, ty: Type, a: Lane, b: Lane, c: Lane) -> Lane {
    let (Some(a), Some(b), Some(c)) = (a.get(), b.get(), c.get()) else { return Lane::undefined(width(ty)) };
    Lane::known(match ty.scalar() {
        Some(Scalar::F32) => {
            let f = |x: u64| f32::from_bits(x as u32);
            let r = if exact { f(a).mul_add(f(b), f(c)) } else { f(a) * f(b) + f(c) };
            r.to_bits() as u64
        }
        Some(Scalar::F64) => {
            let f = f64::from_bits;
            let r = if exact { f(a).mul_add(f(b), f(c)) } else { f(a) * f(b) + f(c) };
            r.to_bits()
        }
        // The product of two halves and its sum with a third are exact enough in double.
        _ => {
            let f = |x: u64| f16::from_bits(x as u16).to_f64();
            f16::from_f64(f(a).mul_add(f(b), f(c))).to_bits() as u64
        }
    })
}

fn bitcast(from: Type, x: &LaneValues, to: Type) -> LaneValues {
    from_bytes(&to_bytes(from, x), to)
}

/// A value as bytes of memory: bits and undefined bits.
pub fn to_bytes(ty: Type, x: &LaneValues) -> Vec<(u8, u8)> {
    let size = width(ty).div_ceil(8) as usize;
    let bytes = |l: &Lane| {
        let (bits, undef) = (l.bits.to_le_bytes(), l.undef.to_le_bytes());
        (0..size).map(move |i| (bits[i], undef[i]))
    };
    x.iter().flat_map(bytes).collect()
}

/// The value that bytes of memory stand for.
pub fn from_bytes(bytes: &[(u8, u8)], ty: Type) -> LaneValues {
    let size = width(ty).div_ceil(8) as usize;
    let lane = |chunk: &[(u8, u8)]| {
        let mut lane = Lane::default();
        for (i, (bits, undef)) in chunk.iter().enumerate() {
            lane.bits |= (*bits as u64) << (8 * i);
            lane.undef |= (*undef as u64) << (8 * i);
        }
        lane
    };
    bytes.chunks(size.max(1)).map(lane).collect()
}
