//! Values of literals: numbers, character constants and strings (OpenCL C, section 6.1; C99, sections 6.4.4
//! and 6.4.5), from their spellings.
//!
//! A problem is a message with the offset of the byte it is about, so that the caller can point into the
//! literal.

use crate::front::c::types::Arith;

/// Facts that the spelling of literals depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiteralRules {
    /// Whether `double` exists: else unsuffixed constants are `float`.
    pub has_double: bool,
    /// `-cl-single-precision-constant`
    pub is_single_precision: bool,
    /// Whether the suffix `h` is known.
    pub has_half: bool,
}

/// A numeric constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Int {
        value: u64,
        arith: Arith,
    },
    /// The value is rounded to the type.
    Float {
        value: f64,
        arith: Arith,
    },
}

/// A remark about a literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiteralProblem {
    /// Group of a warning; `None` for an error.
    pub group: Option<&'static str>,
    /// Byte of the spelling that the message is about.
    pub offset: u32,
    pub message: String,
}

/// Remarks about one literal.
pub type Problems = Vec<LiteralProblem>;

fn error(problems: &mut Problems, offset: usize, message: impl Into<String>) {
    problems.push(LiteralProblem { group: None, offset: offset as u32, message: message.into() });
}

fn warn(problems: &mut Problems, group: &'static str, offset: usize, message: impl Into<String>) {
    problems.push(LiteralProblem { group: Some(group), offset: offset as u32, message: message.into() });
}

/// Parts of a preprocessing number.
struct Parts<'a> {
    /// 2, 8, 10 or 16.
    radix: u32,
    /// Digits with a point and an exponent, without the prefix of the radix.
    body: &'a str,
    suffix: &'a str,
    is_float: bool,
    /// Offset of the body and of the suffix in the spelling.
    body_at: usize,
    suffix_at: usize,
}

/// Splits a preprocessing number into prefix, digits and suffix.
fn split(text: &str) -> Parts<'_> {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let marker = at(1).to_ascii_lowercase();
    let is_hex = at(0) == b'0' && marker == b'x' && (at(2).is_ascii_hexdigit() || at(2) == b'.');
    let is_binary = at(0) == b'0' && marker == b'b' && matches!(at(2), b'0' | b'1');
    let body_at = if is_hex || is_binary { 2 } else { 0 };
    let is_digit = |c: u8| if is_hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    let mut end = body_at;
    let mut is_float = false;
    while is_digit(at(end)) || at(end) == b'.' && !is_float && !is_binary {
        is_float |= at(end) == b'.';
        end += 1;
    }
    let exponent = if is_hex { b'p' } else { b'e' };
    if at(end).to_ascii_lowercase() == exponent && !is_binary {
        let sign = usize::from(matches!(at(end + 1), b'+' | b'-'));
        if at(end + 1 + sign).is_ascii_digit() {
            is_float = true;
            end += 1 + sign;
            while at(end).is_ascii_digit() {
                end += 1;
            }
        }
    }
    let is_octal = !is_float && body_at == 0 && at(0) == b'0' && end > 1;
    let radix = match () {
        () if is_hex => 16,
        () if is_binary => 2,
        () if is_octal => 8,
        () => 10,
    };
    let body = text.get(body_at..end).unwrap_or("");
    Parts { radix, body, suffix: text.get(end..).unwrap_or(""), is_float, body_at, suffix_at: end }
}

/// Parses a preprocessing number. After an error the value is zero.
pub fn number(text: &str, rules: LiteralRules, problems: &mut Problems) -> Number {
    let parts = split(text);
    if parts.is_float { float_number(&parts, rules, problems) } else { int_number(&parts, problems) }
}

/// The type of a floating-point constant with a suffix, or of one without.
fn float_suffix(parts: &Parts<'_>, rules: LiteralRules, problems: &mut Problems) -> Arith {
    match parts.suffix {
        "f" | "F" => Arith::Float,
        // `f16` is clang's, for C's type `_Float16`.
        "h" | "H" | "f16" | "F16" => {
            if !rules.has_half {
                error(problems, 0, "half precision constant requires cl_khr_fp16");
            }
            Arith::Half
        }
        // `l` has no meaning in OpenCL C; programs shared with C use it.
        "" | "l" | "L" | "d" | "D" if rules.is_single_precision => Arith::Float,
        "" | "l" | "L" | "d" | "D" => {
            if rules.has_double {
                return Arith::Double;
            }
            let text = "double precision constant requires cl_khr_fp64, casting to single precision";
            warn(problems, "", 0, text);
            Arith::Float
        }
        "e" | "E" | "e+" | "e-" | "E+" | "E-" | "p" | "P" | "p+" | "p-" | "P+" | "P-" => {
            error(problems, parts.suffix_at, "exponent has no digits");
            Arith::Float
        }
        other => {
            let text = format!("invalid suffix '{other}' on floating constant");
            error(problems, parts.suffix_at, text);
            Arith::Float
        }
    }
}

fn float_number(parts: &Parts<'_>, rules: LiteralRules, problems: &mut Problems) -> Number {
    let arith = float_suffix(parts, rules, problems);
    let is_exact = arith == Arith::Float && matches!(parts.suffix, "f" | "F");
    let value = if parts.radix == 16 {
        match hex_float(parts.body, if is_exact { 24 } else { 53 }) {
            Some(value) => value,
            None => {
                error(problems, parts.suffix_at, "hexadecimal floating constant requires an exponent");
                0.0
            }
        }
    } else if is_exact {
        f64::from(parts.body.parse::<f32>().unwrap_or(0.0))
    } else {
        parts.body.parse::<f64>().unwrap_or(0.0)
    };
    let value = round_to(value, arith);
    if value.is_infinite() {
        let name = arith.name();
        let text = format!("magnitude of floating-point constant too large for type '{name}'");
        warn(problems, "literal-range", 0, text);
    }
    Number::Float { value, arith }
}

/// Rounds to the nearest value of a floating-point type, ties to even.
pub fn round_to(value: f64, arith: Arith) -> f64 {
    match arith {
        Arith::Float => f64::from(value as f32),
        Arith::Half => round_to_half(value),
        _ => value,
    }
}

/// Rounds to the nearest `half`, ties to even.
fn round_to_half(value: f64) -> f64 {
    let magnitude = value.abs();
    if !magnitude.is_finite() || magnitude == 0.0 {
        return value;
    }
    // 65520 is halfway between the largest finite value and the next power of two.
    if magnitude >= 65520.0 {
        return f64::INFINITY.copysign(value);
    }
    let exponent = (((magnitude.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(-14);
    let quantum = 2f64.powi(exponent - 10);
    ((magnitude / quantum).round_ties_even() * quantum).copysign(value)
}

/// Value of a hexadecimal floating-point constant rounded to `precision` bits; `None` without an exponent.
fn hex_float(body: &str, precision: u32) -> Option<f64> {
    let (digits, exponent) = body.split_once(['p', 'P'])?;
    let exponent =
        exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { -99_999 } else { 99_999 });
    let mut mantissa: u64 = 0;
    let mut scale = exponent.clamp(-99_999, 99_999);
    let mut after_point = false;
    for c in digits.chars() {
        let Some(digit) = c.to_digit(16) else {
            after_point = true;
            continue;
        };
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            scale -= if after_point { 4 } else { 0 };
        } else {
            // Further digits only decide ties: the lowest bit remembers them.
            mantissa |= u64::from(digit != 0);
            scale += if after_point { 0 } else { 4 };
        }
    }
    Some(scaled(mantissa, scale, precision))
}

/// `mantissa * 2^scale`, rounded once to `precision` bits (24 or 53) in the range of `float` or `double`.
fn scaled(mantissa: u64, scale: i64, precision: u32) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let top = 63 - i64::from(mantissa.leading_zeros()) + scale;
    let least = if precision == 24 { -149 } else { -1074 };
    if top > 1100 {
        return f64::INFINITY;
    }
    // Exponent of the lowest bit that the result keeps.
    let quantum = (top - i64::from(precision) + 1).max(least);
    let drop = quantum - scale;
    let kept = match drop {
        i64::MIN..=0 => mantissa,
        1..=63 => {
            let low = mantissa & ((1 << drop) - 1);
            let half = 1u64 << (drop - 1);
            let floor = mantissa >> drop;
            floor + u64::from(low > half || low == half && floor & 1 == 1)
        }
        64 => u64::from(mantissa > 1 << 63),
        _ => 0,
    };
    // `kept` has at most 54 bits where bits were dropped; two factors keep subnormal results exact.
    let power = scale.max(quantum);
    let first = power / 2;
    kept as f64 * 2f64.powi(first as i32) * 2f64.powi((power - first) as i32)
}

/// Suffix of an integer constant.
#[derive(Clone, Copy, Default)]
struct IntSuffix {
    is_unsigned: bool,
    is_long: bool,
}

fn int_suffix(parts: &Parts<'_>, problems: &mut Problems) -> IntSuffix {
    let (is_unsigned, is_long) = match parts.suffix {
        "" => (false, false),
        "u" | "U" => (true, false),
        "l" | "L" | "ll" | "LL" => (false, true),
        "ul" | "uL" | "Ul" | "UL" | "lu" | "lU" | "Lu" | "LU" | "ull" | "uLL" | "Ull" | "ULL" | "llu"
        | "llU" | "LLu" | "LLU" => (true, true),
        "e" | "E" | "e+" | "e-" | "E+" | "E-" if parts.radix == 10 => {
            error(problems, parts.suffix_at, "exponent has no digits");
            (false, false)
        }
        other => {
            let text = format!("invalid suffix '{other}' on integer constant");
            error(problems, parts.suffix_at, text);
            (false, false)
        }
    };
    IntSuffix { is_unsigned, is_long }
}

fn int_number(parts: &Parts<'_>, problems: &mut Problems) -> Number {
    let mut value: Option<u64> = Some(0);
    for (i, c) in parts.body.bytes().enumerate() {
        let Some(digit) = char::from(c).to_digit(parts.radix) else {
            let kind = match parts.radix {
                8 => "octal",
                2 => "binary",
                _ => "decimal",
            };
            let text = format!("invalid digit '{}' in {kind} constant", char::from(c));
            error(problems, parts.body_at + i, text);
            return Number::Int { value: 0, arith: Arith::Int };
        };
        value = value
            .and_then(|v| v.checked_mul(u64::from(parts.radix)))
            .and_then(|v| v.checked_add(u64::from(digit)));
    }
    let suffix = int_suffix(parts, problems);
    let Some(value) = value else {
        error(problems, 0, "integer literal is too large to be represented in any integer type");
        return Number::Int { value: 0, arith: Arith::ULong };
    };
    let allows_unsigned = suffix.is_unsigned || parts.radix != 10;
    let candidates = [Arith::Int, Arith::UInt, Arith::Long, Arith::ULong];
    let fits = |arith: &Arith| {
        let bits = 8 * arith.bytes() - u32::from(arith.is_signed());
        let in_range = value.checked_shr(bits).unwrap_or(0) == 0;
        in_range
            && (allows_unsigned || arith.is_signed())
            && !(suffix.is_unsigned && arith.is_signed())
            && !(suffix.is_long && arith.bytes() < 8)
    };
    let arith = candidates.into_iter().find(fits).unwrap_or_else(|| {
        let text = "integer literal is too large to be represented in a signed integer type, interpreting as \
                    unsigned";
        warn(problems, "implicitly-unsigned-literal", 0, text);
        Arith::ULong
    });
    Number::Int { value, arith }
}

/// Value of a character constant, as `int`; the spelling includes prefix and quotes.
pub fn character(text: &str, problems: &mut Problems) -> i64 {
    let Some(open) = text.find('\'') else {
        return 0;
    };
    let inner = text.get(open + 1..).unwrap_or("");
    let inner = inner.strip_suffix('\'').unwrap_or(inner);
    let mut bytes = Vec::new();
    unescape(inner, open + 1, &mut bytes, problems);
    match bytes.as_slice() {
        [] => {
            error(problems, 0, "empty character constant");
            0
        }
        [one] => i64::from(*one as i8),
        several => {
            if several.len() > 4 {
                warn(problems, "four-char-constants", 0, "character constant too long for its type");
            } else {
                warn(problems, "multichar", 0, "multi-character character constant");
            }
            i64::from(several.iter().fold(0u32, |value, byte| value << 8 | u32::from(*byte)) as i32)
        }
    }
}

/// Appends the bytes of a string literal, without a terminator; the spelling includes prefix and quotes.
pub fn string(text: &str, bytes: &mut Vec<u8>, problems: &mut Problems) {
    let Some(open) = text.find('"') else {
        return;
    };
    if !matches!(text.get(..open), Some("" | "u8")) {
        error(problems, 0, "wide string literals are not supported in OpenCL");
    }
    let inner = text.get(open + 1..).unwrap_or("");
    unescape(inner.strip_suffix('"').unwrap_or(inner), open + 1, bytes, problems);
}

/// Replaces escape sequences; `base` is the offset of `inner` in the literal.
fn unescape(inner: &str, base: usize, out: &mut Vec<u8>, problems: &mut Problems) {
    let mut rest = inner;
    while let Some(slash) = rest.find('\\') {
        let (before, escape) = rest.split_at(slash);
        out.extend_from_slice(before.as_bytes());
        let offset = base + inner.len() - escape.len();
        let used = escape_sequence(escape, offset, out, problems);
        rest = escape.get(used..).unwrap_or("");
    }
    out.extend_from_slice(rest.as_bytes());
}

/// Appends the bytes of the escape sequence that `text` begins with; returns its length.
fn escape_sequence(text: &str, offset: usize, out: &mut Vec<u8>, problems: &mut Problems) -> usize {
    let Some(c) = text.chars().nth(1) else {
        return 1;
    };
    let simple = match c {
        'n' => b'\n',
        't' => b'\t',
        'r' => b'\r',
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        '\\' | '\'' | '"' | '?' => c as u8,
        '0'..='7' => return octal_escape(text, offset, out, problems),
        'x' => return hex_escape(text, offset, out, problems),
        'u' | 'U' => return universal_name(text, offset, out, problems),
        _ => {
            let message = format!("unknown escape sequence '\\{c}'");
            warn(problems, "unknown-escape-sequence", offset, message);
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return 1 + c.len_utf8();
        }
    };
    out.push(simple);
    2
}

fn octal_escape(text: &str, offset: usize, out: &mut Vec<u8>, problems: &mut Problems) -> usize {
    let digits = text.bytes().skip(1).take(3).take_while(|b| matches!(b, b'0'..=b'7'));
    let (value, count) = digits.fold((0u32, 0), |(v, n), b| (v * 8 + u32::from(b - b'0'), n + 1));
    if value > 255 {
        error(problems, offset, "octal escape sequence out of range");
    }
    out.push(value as u8);
    1 + count
}

fn hex_escape(text: &str, offset: usize, out: &mut Vec<u8>, problems: &mut Problems) -> usize {
    let mut value = 0u64;
    let mut count = 0;
    for digit in text.chars().skip(2).map_while(|c| c.to_digit(16)) {
        value = (value << 4 | u64::from(digit)).min(1 << 32);
        count += 1;
    }
    if count == 0 {
        error(problems, offset, "\\x used with no following hex digits");
    } else if value > 255 {
        error(problems, offset, "hex escape sequence out of range");
    }
    out.push(value as u8);
    2 + count
}

fn universal_name(text: &str, offset: usize, out: &mut Vec<u8>, problems: &mut Problems) -> usize {
    let wanted = if text.starts_with("\\u") { 4 } else { 8 };
    let digits: Vec<u32> = text.chars().skip(2).take(wanted).map_while(|c| c.to_digit(16)).collect();
    let code = digits.iter().fold(0u32, |code, digit| code << 4 | digit);
    match char::from_u32(code) {
        Some(c) if digits.len() == wanted => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        _ => error(problems, offset, "incomplete universal character name"),
    }
    2 + digits.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: LiteralRules = LiteralRules { has_double: true, is_single_precision: false, has_half: true };

    fn value(text: &str) -> Number {
        let mut problems = Vec::new();
        let value = number(text, FULL, &mut problems);
        assert!(problems.iter().all(|p| p.group.is_some()), "{text}: {problems:?}");
        value
    }

    fn remark(text: &str) -> String {
        let mut problems = Vec::new();
        number(text, FULL, &mut problems);
        problems.first().map(|p| format!("{}: {}", p.offset, p.message)).unwrap_or_default()
    }

    #[test]
    fn integers_take_the_first_type_that_fits() {
        let int = |value, arith| Number::Int { value, arith };
        assert_eq!(value("0"), int(0, Arith::Int));
        assert_eq!(value("2147483647"), int(0x7fff_ffff, Arith::Int));
        assert_eq!(value("2147483648"), int(0x8000_0000, Arith::Long));
        assert_eq!(value("0x80000000"), int(0x8000_0000, Arith::UInt));
        assert_eq!(value("0xffffffffffffffff"), int(u64::MAX, Arith::ULong));
        assert_eq!(value("1u"), int(1, Arith::UInt));
        assert_eq!(value("4294967296U"), int(1 << 32, Arith::ULong));
        assert_eq!(value("1L"), int(1, Arith::Long));
        assert_eq!(value("1ULL"), int(1, Arith::ULong));
        assert_eq!(value("017"), int(15, Arith::Int));
        assert_eq!(value("0b101"), int(5, Arith::Int));
        assert_eq!(value("18446744073709551615"), int(u64::MAX, Arith::ULong));
    }

    #[test]
    fn wrong_numbers_name_the_byte() {
        assert_eq!(remark("08"), "1: invalid digit '8' in octal constant");
        assert_eq!(remark("0x"), "1: invalid suffix 'x' on integer constant");
        assert_eq!(remark("1.0fq"), "3: invalid suffix 'fq' on floating constant");
        assert_eq!(remark("1uz"), "1: invalid suffix 'uz' on integer constant");
        let text = "0: integer literal is too large to be represented in any integer type";
        assert_eq!(remark("99999999999999999999"), text);
        assert_eq!(remark("0x1.8"), "5: hexadecimal floating constant requires an exponent");
        assert_eq!(remark("1e50f"), "0: magnitude of floating-point constant too large for type 'float'");
    }

    #[test]
    fn floats_are_rounded_to_their_type() {
        let float = |value, arith| Number::Float { value, arith };
        assert_eq!(value("1.5"), float(1.5, Arith::Double));
        assert_eq!(value(".1f"), float(f64::from(0.1f32), Arith::Float));
        assert_eq!(value("1e3"), float(1000.0, Arith::Double));
        assert_eq!(value("1.h"), float(1.0, Arith::Half));
        assert_eq!(value("0.1h"), float(0.0999755859375, Arith::Half));
        assert_eq!(value("0x1.8p1f"), float(3.0, Arith::Float));
        assert_eq!(value("0x1p-149f"), float(f64::from(f32::from_bits(1)), Arith::Float));
        assert_eq!(value("0x1p-150f"), float(0.0, Arith::Float));
        assert_eq!(value("0x1.000001p0f"), float(1.0, Arith::Float));
        assert_eq!(value("0x1.fffffffffffffp1023"), float(f64::MAX, Arith::Double));
        assert_eq!(value("0x1p-1074"), float(f64::from_bits(1), Arith::Double));
        assert_eq!(value("0x1.fffffep127F"), float(f64::from(f32::MAX), Arith::Float));
    }

    #[test]
    fn constants_are_single_precision_where_double_is_not() {
        for rules in [LiteralRules::default(), LiteralRules { is_single_precision: true, ..FULL }] {
            let value = number("0.1", rules, &mut Vec::new());
            assert_eq!(value, Number::Float { value: f64::from(0.1f32), arith: Arith::Float });
        }
    }

    #[test]
    fn characters_and_strings() {
        let mut problems = Vec::new();
        assert_eq!(character("'a'", &mut problems), 97);
        assert_eq!(character("'\\xff'", &mut problems), -1);
        assert_eq!(character("'\\0'", &mut problems), 0);
        assert!(problems.is_empty());
        assert_eq!(character("'ab'", &mut problems), 0x6162);
        assert_eq!(character("''", &mut problems), 0);
        assert_eq!(problems.len(), 2);
        let mut bytes = Vec::new();
        string("\"a\\n\\101\\x41\\u00e9\\\\\"", &mut bytes, &mut problems);
        assert_eq!(bytes, "a\nAA\u{e9}\\".as_bytes());
        assert_eq!(problems.len(), 2);
    }
}
