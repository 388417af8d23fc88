//! Floating-point conversions: f F e E g G a A, exact and rounded to nearest, ties to even.
//!
//! Values of all widths are printed as doubles, which hold them exactly, as in C.

use super::Field;

/// The number with these bits; `width` is 16, 32 or 64.
pub(super) fn value(bits: u64, width: u8) -> f64 {
    match width {
        16 => half(bits as u16),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (fraction + 1024.0) * 2f64.powi(exponent - 25),
    };
    magnitude.copysign(if bits >> 15 == 0 { 1.0 } else { -1.0 })
}

/// Appends a number.
pub(super) fn put(field: &Field, x: f64, out: &mut Vec<u8>) {
    let upper = field.kind.is_ascii_uppercase();
    let sign = field.sign(x.is_sign_negative());
    let x = x.abs();
    if !x.is_finite() {
        let text = match (x.is_nan(), upper) {
            (false, false) => "inf",
            (false, true) => "INF",
            (true, false) => "nan",
            (true, true) => "NAN",
        };
        return field.put(out, sign, text.as_bytes(), false);
    }
    let mut prefix = sign.to_owned();
    let mut body = match field.kind.to_ascii_lowercase() {
        b'e' => exponential(x, field.precision.unwrap_or(6), field.alternative),
        b'g' => general(x, field.precision.unwrap_or(6).max(1), field.alternative),
        b'a' => {
            prefix.push_str("0x");
            hexadecimal(x, field.precision, field.alternative)
        }
        _ => fixed(x, field.precision.unwrap_or(6), field.alternative),
    };
    if upper {
        prefix.make_ascii_uppercase();
        body.make_ascii_uppercase();
    }
    field.put(out, &prefix, body.as_bytes(), field.zero);
}

fn fixed(x: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{x:.precision$}");
    if precision == 0 && point {
        text.push('.');
    }
    text
}

/// Digits and decimal exponent.
fn decimal(x: f64, precision: usize) -> (String, i32) {
    let text = format!("{x:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn with_exponent(mut digits: String, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    digits.push_str(&format!("e{sign}{:02}", exponent.unsigned_abs()));
    digits
}

fn exponential(x: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = decimal(x, precision);
    if precision == 0 && point {
        digits.push('.');
    }
    with_exponent(digits, exponent)
}

fn general(x: f64, precision: usize, alternative: bool) -> String {
    let (digits, exponent) = decimal(x, precision - 1);
    let trim = |mut text: String| {
        if !alternative && text.contains('.') {
            text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
        }
        if alternative && !text.contains('.') {
            text.push('.');
        }
        text
    };
    if exponent >= -4 && exponent < precision as i32 {
        let after_point = (precision as i32 - 1 - exponent).max(0) as usize;
        trim(format!("{x:.after_point$}"))
    } else {
        with_exponent(trim(digits), exponent)
    }
}

/// `h.hhhp±d` with the leading digit 1 (0 for zero and subnormal numbers).
fn hexadecimal(x: f64, precision: Option<usize>, point: bool) -> String {
    let bits = x.to_bits();
    let (biased, mut fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let mut first = u64::from(biased != 0);
    let exponent = match biased {
        0 if fraction == 0 => 0,
        0 => -1022,
        _ => biased - 1023,
    };
    let digits = match precision {
        Some(p) if p < 13 => {
            // Rounded to nearest, ties to even, over the leading digit too.
            let drop = 4 * (13 - p as u32);
            let all = first << 52 | fraction;
            let (kept, rest, half) = (all >> drop, all & ((1 << drop) - 1), 1u64 << (drop - 1));
            let up = rest > half || rest == half && kept & 1 == 1;
            let all = (kept + u64::from(up)) << drop;
            first = all >> 52;
            fraction = all & ((1 << 52) - 1);
            format!("{fraction:013x}")[..p].to_owned()
        }
        Some(p) => format!("{fraction:013x}{}", "0".repeat(p - 13)),
        None => format!("{fraction:013x}").trim_end_matches('0').to_owned(),
    };
    let dot = if digits.is_empty() && !point { "" } else { "." };
    format!("{first}{dot}{digits}p{exponent:+}")
}
