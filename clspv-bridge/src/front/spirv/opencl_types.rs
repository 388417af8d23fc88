//! Operand types of the OpenCL.std instructions (the extended instruction set specification, section 2).

use crate::ir::{ClOp, Scalar, Type};

/// Whether an instruction may have this result type and these operands. Scalars that apply to every lane of a
/// vector have been repeated already.
pub fn fits(op: ClOp, result: Type, args: &[Type]) -> bool {
    use ClOp::*;
    let Some(scalar) = result.scalar().filter(|s| *s != Scalar::I1) else { return false };
    let (lanes, float) = (result.lanes(), scalar.is_float());
    let same = |n: usize| args.len() == n && args.iter().all(|a| *a == result);
    let floats = |n: usize| float && same(n);
    let ints = |n: usize| !float && same(n);
    let i32s = result.with_scalar(Scalar::I32);
    let float_lanes = |t: Type| t.is_float() && t.lanes() == lanes;
    match op {
        acos | acosh | acospi | asin | asinh | asinpi | atan | atanh | atanpi | cbrt | ceil | cos | cosh
        | cospi | erfc | erf | exp | exp2 | exp10 | expm1 | fabs | floor | lgamma | log | log2 | log10
        | log1p | logb | rint | round | rsqrt | sin | sinh | sinpi | sqrt | tan | tanh | tanpi | tgamma
        | trunc | half_cos | half_exp | half_exp2 | half_exp10 | half_log | half_log2 | half_log10
        | half_recip | half_rsqrt | half_sin | half_sqrt | half_tan | native_cos | native_exp
        | native_exp2 | native_exp10 | native_log | native_log2 | native_log10 | native_recip
        | native_rsqrt | native_sin | native_sqrt | native_tan | degrees | radians | sign => floats(1),
        atan2 | atan2pi | copysign | fdim | fmax | fmin | fmod | hypot | maxmag | minmag | nextafter
        | pow | powr | remainder | half_divide | half_powr | native_divide | native_powr | fmax_common
        | fmin_common | step => floats(2),
        fma | mad | fclamp | mix | smoothstep => floats(3),
        fract | modf | sincos => float && matches!(args, [x, p] if *x == result && p.space().is_some()),
        frexp | lgamma_r => float && matches!(args, [x, p] if *x == result && p.space().is_some()),
        remquo => float && matches!(args, [x, y, p] if *x == result && *y == result && p.space().is_some()),
        ilogb => result == i32s && matches!(args, [x] if float_lanes(*x)),
        ldexp | pown | rootn => float && matches!(args, [x, n] if *x == result && *n == i32s),
        nan => float && matches!(args, [x] if *x == result.with_scalar(scalar.to_int())),
        normalize | fast_normalize => floats(1) && lanes <= 4,
        cross => floats(2) && (lanes == 3 || lanes == 4),
        length | fast_length => {
            float && lanes == 1 && matches!(args, [x] if x.scalar() == Some(scalar) && x.lanes() <= 4)
        }
        distance | fast_distance => {
            float
                && lanes == 1
                && matches!(args, [x, y] if x == y && x.scalar() == Some(scalar) && x.lanes() <= 4)
        }
        s_abs | u_abs | clz | ctz | popcount => ints(1),
        s_abs_diff | u_abs_diff | s_add_sat | u_add_sat | s_sub_sat | u_sub_sat | s_hadd | u_hadd
        | s_rhadd | u_rhadd | s_max | u_max | s_min | u_min | s_mul_hi | u_mul_hi | rotate | s_mul24
        | u_mul24 => ints(2),
        s_clamp | u_clamp | s_mad_hi | u_mad_hi | s_mad_sat | u_mad_sat | s_mad24 | u_mad24 => ints(3),
        s_upsample | u_upsample => {
            let half = Scalar::int(scalar.bits() / 2).filter(|h| *h != Scalar::I1 && !float);
            half.is_some_and(|h| matches!(args, [x, y] if x == y && *x == result.with_scalar(h)))
        }
        bitselect => same(3),
        select => {
            let [x, y, c] = args else { return false };
            let mask = c.is_int() && c.lanes() == lanes && c.scalar() != Some(Scalar::I1);
            *x == result && *y == result && mask
        }
        // Their types are checked where they are read.
        vloadn | vstoren | vload_half | vload_halfn | vstore_half | vstore_half_r | vstore_halfn
        | vstore_halfn_r | vloada_halfn | vstorea_halfn | vstorea_halfn_r | shuffle | shuffle2 | printf
        | prefetch => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{F32, I32, I64, Space};

    #[test]
    fn operands_must_fit() {
        let f4 = Type::Vector(Scalar::F32, 4);
        assert!(
            fits(ClOp::mad, F32, &[F32; 3])
                && !fits(ClOp::mad, F32, &[F32; 4])
                && !fits(ClOp::mad, F32, &[F32, I64, F32])
        );
        assert!(!fits(ClOp::mad, Type::Ptr(Space::Local), &[F32; 3]) && !fits(ClOp::mad, I32, &[I32; 3]));
        assert!(fits(ClOp::length, F32, &[f4]) && !fits(ClOp::length, f4, &[f4]));
        assert!(
            fits(ClOp::ldexp, f4, &[f4, Type::Vector(Scalar::I32, 4)]) && !fits(ClOp::ldexp, f4, &[f4, f4])
        );
        assert!(
            fits(ClOp::remquo, F32, &[F32, F32, Type::Ptr(Space::Private)])
                && !fits(ClOp::remquo, F32, &[F32, F32, I64])
        );
        assert!(fits(ClOp::u_upsample, I64, &[I32, I32]) && !fits(ClOp::u_upsample, I32, &[I32, I32]));
    }
}
