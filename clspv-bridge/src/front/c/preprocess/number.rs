//! Numbers and character constants in directives.

use super::super::lex::scan;

/// Value in an `#if`: 128 bits, as clang has for OpenCL C's `long long`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    pub bits: i128,
    pub is_unsigned: bool,
}

impl Value {
    pub const fn of(bits: i128) -> Value {
        Value { bits, is_unsigned: false }
    }
}

/// Line number of a `#line` directive.
pub fn line(text: &str) -> Option<u32> {
    text.parse().ok().filter(|line| *line <= i32::MAX as u32)
}

/// Value of an integer constant, or what is wrong with it.
pub fn integer(text: &str) -> Result<Value, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (lower.get(2..).unwrap_or(""), 16),
        [b'0', b'b', ..] => (lower.get(2..).unwrap_or(""), 2),
        [b'0', ..] => (lower.as_str(), 8),
        _ => (lower.as_str(), 10),
    };
    let base = if radix == 16 { 16 } else { 10 };
    let len = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(len);
    if suffix.starts_with('.')
        || radix <= 10 && suffix.starts_with('e')
        || radix == 16 && suffix.starts_with('p')
    {
        return Err("floating point literal in preprocessor expression".into());
    }
    if digits.is_empty() || !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return Err(format!(
            "invalid suffix '{}' on integer constant",
            text.get(text.len() - suffix.len()..).unwrap_or("")
        ));
    }
    if let Some(digit) = digits.chars().find(|c| !c.is_digit(radix)) {
        let name = if radix == 2 { "binary" } else { "octal" };
        return Err(format!("invalid digit '{digit}' in {name} constant"));
    }
    let bits = u128::from_str_radix(digits, radix).map_err(|_| "integer literal is too large")?;
    // Constants that are too large for the signed type are unsigned.
    Ok(Value { bits: bits as i128, is_unsigned: suffix.contains('u') || bits > i128::MAX as u128 })
}

/// Value of a character constant with its quotes; `None` if it is malformed.
pub fn character(text: &str) -> Option<Value> {
    let (is_wide, text) = text.strip_prefix('L').map_or((false, text), |t| (true, t));
    let text = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut value: u32 = 0;
    let mut count = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let unit;
        (unit, rest) = if c == '\\' { escape(rest)? } else { (c as u32, rest.get(c.len_utf8()..)?) };
        value = if is_wide { unit } else { value << 8 | unit };
        count += 1;
    }
    // One character has the type `char`, which is signed.
    let is_char = count == 1 && !is_wide;
    Some(Value::of(if is_char { i128::from(value as u8 as i8) } else { i128::from(value as i32) }))
}

/// Value of the escape sequence at the start of a text, and the text after it.
fn escape(text: &str) -> Option<(u32, &str)> {
    let c = text.chars().nth(1)?;
    let simple = match c {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' => 27,
        'x' => {
            let digits = text.get(2..)?;
            let len = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
            let value = digits.get(..len)?.chars().fold(0u32, |v, c| v << 4 | c.to_digit(16).unwrap_or(0));
            return Some((value, digits.get(len..)?));
        }
        '0'..='7' => {
            let digits = text.get(1..)?;
            let len = digits.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            return Some((u32::from_str_radix(digits.get(..len)?, 8).ok()?, digits.get(len..)?));
        }
        'u' | 'U' => {
            let (c, end) = scan::universal(text.as_bytes(), 0)?;
            return Some((c as u32, text.get(end..)?));
        }
        c => c as u32,
    };
    Some((simple, text.get(1 + c.len_utf8()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_characters() {
        let value = |text| integer(text).map(|v| (v.bits, v.is_unsigned));
        assert_eq!(value("0x1Fu"), Ok((31, true)));
        assert_eq!(value("010"), Ok((8, false)));
        assert_eq!(value("0b101"), Ok((5, false)));
        assert_eq!(value("0"), Ok((0, false)));
        assert_eq!(value("123LL"), Ok((123, false)));
        for wrong in ["08", "1.0", "1e5", "0x", "1z", "0b2", "340282366920938463463374607431768211456"] {
            assert!(integer(wrong).is_err(), "{wrong}");
        }
        let value = |text| character(text).map(|v| v.bits);
        assert_eq!(value("'a'"), Some(97));
        assert_eq!(value("'ab'"), Some(24930));
        assert_eq!(value("'\\377'"), Some(-1));
        assert_eq!(value("L'\\x3b1'"), Some(0x3b1));
        assert_eq!(value("'\\''"), Some(39));
        assert_eq!(value("'\\"), None);
    }
}
