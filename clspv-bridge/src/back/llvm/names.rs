//! Names of types and constants in LLVM IR.

use crate::ir::*;

/// The name of a scalar type.
pub(super) fn scalar_name(s: Scalar) -> &'static str {
    match s {
        Scalar::I1 => "i1",
        Scalar::I8 => "i8",
        Scalar::I16 => "i16",
        Scalar::I32 => "i32",
        Scalar::I64 => "i64",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// The name of a lane's type.
fn lane_name(ty: Type) -> &'static str {
    match ty {
        Type::Scalar(s) | Type::Vector(s, _) => scalar_name(s),
        Type::Ptr(_) | Type::PtrVector(..) => "ptr",
        Type::Opaque(_) => "i64",
    }
}

/// The name of a type.
pub(super) fn type_name(ty: Type) -> String {
    match ty.lanes() {
        1 => lane_name(ty).to_owned(),
        n => format!("<{n} x {}>", lane_name(ty)),
    }
}

/// The suffix of intrinsics for a type.
pub(super) fn suffix(ty: Type) -> String {
    let lane = match lane_name(ty) {
        "half" => "f16",
        "float" => "f32",
        "double" => "f64",
        "ptr" => "p0",
        other => other,
    };
    if ty.lanes() == 1 { lane.to_owned() } else { format!("v{}{lane}", ty.lanes()) }
}

/// A constant's text.
pub(super) fn constant_text(constant: &Const) -> String {
    let (ty, bits) = match constant {
        Const::Undef(_) => return "undef".into(),
        Const::Bits(ty, bits) => (*ty, bits),
    };
    let lane = lane_name(ty);
    let first = bits.first().copied().unwrap_or(0);
    if ty.lanes() == 1 {
        return literal(ty, first);
    }
    if bits.iter().all(|b| *b == first) {
        return splat_text(ty, first);
    }
    let lanes: Vec<String> = bits.iter().map(|b| format!("{lane} {}", literal(ty.lane(), *b))).collect();
    format!("<{}>", lanes.join(", "))
}

/// A constant in all lanes of a type.
pub(super) fn splat_text(ty: Type, bits: u64) -> String {
    match ty.lanes() {
        1 => literal(ty, bits),
        _ if bits == 0 => "zeroinitializer".into(),
        _ => format!("splat ({} {})", lane_name(ty), literal(ty.lane(), bits)),
    }
}

/// The text of a scalar constant.
fn literal(ty: Type, bits: u64) -> String {
    match ty {
        Type::Ptr(_) | Type::PtrVector(..) if bits == 0 => "null".into(),
        Type::Ptr(_) | Type::PtrVector(..) => format!("inttoptr (i64 {bits} to ptr)"),
        Type::Opaque(_) => format!("{bits}"),
        Type::Scalar(s) | Type::Vector(s, _) => match s {
            Scalar::I1 => if bits & 1 == 1 { "true" } else { "false" }.into(),
            Scalar::F16 => format!("0xH{:04X}", bits as u16),
            // Written as a double, which keeps the bits of a signalling NaN.
            Scalar::F32 => single(bits as u32),
            Scalar::F64 => format!("0x{bits:016X}"),
            _ => format!("{bits}"),
        },
    }
}

fn single(bits: u32) -> String {
    let (sign, exponent, mantissa) = (u64::from(bits >> 31), bits >> 23 & 0xff, u64::from(bits & 0x7f_ffff));
    let wide = match exponent {
        255 => sign << 63 | 0x7ff << 52 | mantissa << 29,
        _ => f64::from(f32::from_bits(bits)).to_bits(),
    };
    format!("0x{wide:016X}")
}

/// The name of a memory order.
pub(super) fn order_name(order: Ordering) -> &'static str {
    match order {
        Ordering::Relaxed => "monotonic",
        Ordering::Acquire => "acquire",
        Ordering::Release => "release",
        Ordering::AcqRel => "acq_rel",
        Ordering::SeqCst => "seq_cst",
    }
}

/// Fast-math flags before an operation's type.
pub(super) fn fast_flags(f: FastMath) -> String {
    let mut out = String::new();
    for (on, word) in [
        (f.fast, "fast "),
        (f.no_nan && !f.fast, "nnan "),
        (f.no_inf && !f.fast, "ninf "),
        (f.no_signed_zero && !f.fast, "nsz "),
        (f.allow_recip && !f.fast, "arcp "),
        (f.contract && !f.fast, "contract "),
    ] {
        if on {
            out.push_str(word);
        }
    }
    out
}
