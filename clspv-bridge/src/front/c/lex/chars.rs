//! Classes of bytes, and the characters of a text after translation phases 1 and 2: trigraphs replaced,
//! lines that end with a backslash joined.

use super::super::token::TokenKind;

/// ByteClass of a byte as the first of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteClass {
    /// Horizontal white space and null.
    Space,
    Newline,
    /// Letter, underscore or dollar sign.
    Letter,
    Digit,
    /// Part of a character that is not ASCII.
    Wide,
    /// Any other byte.
    Other,
}

const fn class_of(byte: u8) -> ByteClass {
    match byte {
        b' ' | b'\t' | 0x0b | 0x0c | 0 => ByteClass::Space,
        b'\n' | b'\r' => ByteClass::Newline,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => ByteClass::Letter,
        b'0'..=b'9' => ByteClass::Digit,
        0x80.. => ByteClass::Wide,
        _ => ByteClass::Other,
    }
}

const CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = class_of(byte as u8);
        byte += 1;
    }
    classes
};

/// ByteClass of a byte.
pub fn class(byte: u8) -> ByteClass {
    CLASSES[usize::from(byte)]
}

/// Whether a byte continues an identifier.
pub fn continues_name(byte: u8) -> bool {
    matches!(class(byte), ByteClass::Letter | ByteClass::Digit)
}

const SINGLES: [TokenKind; 256] = {
    let mut kinds = [TokenKind::Unknown; 256];
    kinds[b'(' as usize] = TokenKind::LParen;
    kinds[b')' as usize] = TokenKind::RParen;
    kinds[b'[' as usize] = TokenKind::LBracket;
    kinds[b']' as usize] = TokenKind::RBracket;
    kinds[b'{' as usize] = TokenKind::LBrace;
    kinds[b'}' as usize] = TokenKind::RBrace;
    kinds[b';' as usize] = TokenKind::Semicolon;
    kinds[b',' as usize] = TokenKind::Comma;
    kinds[b'~' as usize] = TokenKind::Tilde;
    kinds
};

/// Punctuator of one byte that is the start of no other token; [`TokenKind::Unknown`] for other bytes.
pub fn single(byte: u8) -> TokenKind {
    SINGLES[usize::from(byte)]
}

/// Length of the white space and line end after a backslash that joins two lines; `None` if none follow.
fn line_end_len(rest: &[u8]) -> Option<usize> {
    let blank = rest.iter().take_while(|b| class(**b) == ByteClass::Space && **b != 0).count();
    match rest.get(blank..)? {
        [b'\r', b'\n', ..] => Some(blank + 2),
        [b'\n' | b'\r', ..] => Some(blank + 1),
        _ => None,
    }
}

/// Character that a trigraph stands for, by its last byte.
fn trigraph(last: u8) -> Option<u8> {
    Some(match last {
        b'=' => b'#',
        b'/' => b'\\',
        b'\'' => b'^',
        b'(' => b'[',
        b')' => b']',
        b'!' => b'|',
        b'<' => b'{',
        b'>' => b'}',
        b'-' => b'~',
        _ => return None,
    })
}

/// Next character at an offset, and the offset after it; `None` at the end. A character that is not ASCII is
/// returned byte by byte.
pub fn next(bytes: &[u8], at: usize) -> (Option<u8>, usize) {
    match bytes.get(at) {
        Some(b'\\' | b'?') => next_slow(bytes, at),
        Some(byte) => (Some(*byte), at + 1),
        None => (None, at),
    }
}

fn next_slow(bytes: &[u8], mut at: usize) -> (Option<u8>, usize) {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let (byte, len) = match rest {
            [b'?', b'?', last, ..] => trigraph(*last).map_or((b'?', 1), |b| (b, 3)),
            [byte, ..] => (*byte, 1),
            [] => return (None, at),
        };
        match rest.get(len..).and_then(line_end_len) {
            Some(end) if byte == b'\\' => at += len + end,
            _ => return (Some(byte), at + len),
        }
    }
}

/// Iterator over the characters of a text with the offset after each.
pub struct Chars<'t> {
    pub bytes: &'t [u8],
    pub at: usize,
}

impl Iterator for Chars<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (byte, at) = next(self.bytes, self.at);
        self.at = at;
        byte
    }
}

/// Text with trigraphs replaced and lines joined.
pub fn joined(text: &str) -> String {
    let bytes: Vec<u8> = Chars { bytes: text.as_bytes(), at: 0 }.collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_trigraphs_replaced() {
        for (text, want) in [
            ("a\\\nb", "ab"),
            ("a\\ \t\r\nb", "ab"),
            ("a\\\\\n\\\nb\\", "a\\b\\"),
            ("a\\ b", "a\\ b"),
            ("??=??/x???=??", "#\\x?#??"),
            ("a??/\nb", "ab"),
            ("é\\\nü", "éü"),
        ] {
            assert_eq!(joined(text), want, "{text:?}");
        }
    }
}
