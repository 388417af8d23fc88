//! Integer conversions: d i u o x X.

use super::{Field, Lane, signed, unsigned};
use clspv_bridge::printf::Length;

/// Appends an integer.
pub(super) fn put(field: &Field, lane: Lane, length: Length, out: &mut Vec<u8>) {
    let (prefix, mut digits) = match field.kind {
        b'o' => ("", format!("{:o}", unsigned(lane, length))),
        b'x' | b'X' => {
            let x = unsigned(lane, length);
            let prefix = match (field.alternative && x != 0, field.kind) {
                (false, _) => "",
                (true, b'x') => "0x",
                (true, _) => "0X",
            };
            (prefix, if field.kind == b'x' { format!("{x:x}") } else { format!("{x:X}") })
        }
        b'u' => ("", unsigned(lane, length).to_string()),
        _ => {
            let x = signed(lane, length);
            (field.sign(x < 0), x.unsigned_abs().to_string())
        }
    };
    if field.precision == Some(0) && digits == "0" {
        digits.clear();
    }
    let mut missing = field.precision.unwrap_or(1).saturating_sub(digits.len());
    // The alternative form of an octal number begins with a zero.
    if field.kind == b'o' && field.alternative && missing == 0 && !digits.starts_with('0') {
        missing = 1;
    }
    digits.insert_str(0, &"0".repeat(missing));
    // Zeros fill the field only if there is no precision, which specifies the number of digits.
    field.put(out, prefix, digits.as_bytes(), field.zero && field.precision.is_none());
}
