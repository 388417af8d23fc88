//! Recognition of one token in a text, without state and without diagnostics.

use super::super::token::TokenKind as T;
use super::chars::{ByteClass, Chars, class, continues_name, next};
use super::skip::line_end;

/// Defect of a token or of the white space before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    UnterminatedComment,
    UnterminatedChar,
    UnterminatedString,
    EmptyChar,
}

/// A token in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scanned {
    pub kind: T,
    pub start: usize,
    pub end: usize,
    pub at_line_start: bool,
    pub after_space: bool,
    /// Whether the text of the token is its spelling: no joined lines, trigraphs or universal names.
    pub is_plain: bool,
    /// Defect, and where it begins.
    pub problem: Option<(Problem, usize)>,
}

/// Recognises the token at an offset. `stops` makes the end of the line [`T::End`], as directives need.
pub fn scan(text: &str, at: usize, at_line_start: bool, stops: bool) -> Scanned {
    let bytes = text.as_bytes();
    let mut token = Scanned {
        kind: T::End,
        start: at,
        end: at,
        at_line_start,
        after_space: false,
        is_plain: true,
        problem: None,
    };
    loop {
        let at = token.end;
        token.start = at;
        let Some(&byte) = bytes.get(at) else { return token };
        match class(byte) {
            ByteClass::Space => {
                token.end += 1;
                token.after_space = true;
            }
            ByteClass::Newline if stops => return token,
            ByteClass::Newline => {
                token.end += 1;
                token.at_line_start = true;
                token.after_space = false;
            }
            ByteClass::Letter => {
                name(text, &mut token);
                return token;
            }
            ByteClass::Digit => {
                number(text, &mut token);
                return token;
            }
            ByteClass::Wide => {
                if !wide(text, &mut token) {
                    return token;
                }
            }
            ByteClass::Other => {
                if !other(text, byte, &mut token) {
                    return token;
                }
            }
        }
    }
}

/// Token or comment that begins with a byte of [`ByteClass::Other`]. Returns whether it was white space.
fn other(text: &str, byte: u8, token: &mut Scanned) -> bool {
    let bytes = text.as_bytes();
    let (first, after) = match byte {
        b'\\' | b'?' => next(bytes, token.start),
        _ => (Some(byte), token.start + 1),
    };
    if byte == b'\\' || byte == b'?' {
        match first {
            // Joined lines before the token or the end.
            None => {
                token.end = after;
                return true;
            }
            Some(first) if bytes.get(token.start..after) != Some(&[first]) => {
                return after_join(text, first, after, token);
            }
            _ => {}
        }
    }
    if byte == b'/' {
        let (second, end) = next(bytes, after);
        if let Some(b'/' | b'*') = second {
            token.after_space = true;
            let is_line = second == Some(b'/');
            token.end = if is_line { line_end(bytes, end) } else { block_comment(bytes, end, token) };
            return true;
        }
    }
    match byte {
        b'"' | b'\'' => literal(text, byte, after, token),
        b'\\' if universal(bytes, token.start).is_some() => name(text, token),
        b'.' if next(bytes, after).0.is_some_and(|b| b.is_ascii_digit()) => number(text, token),
        _ => punctuator(text, byte, after, token),
    }
    false
}

/// Continues where joined lines or a trigraph stand at the begin of a token. Returns whether the token is
/// still to come.
fn after_join(text: &str, first: u8, after: usize, token: &mut Scanned) -> bool {
    let own = after.saturating_sub(1);
    if text.as_bytes().get(own) == Some(&first) {
        token.end = own;
        return true;
    }
    punctuator(text, first, after, token);
    token.is_plain = false;
    false
}

/// End of a block comment whose text begins at an offset.
fn block_comment(bytes: &[u8], at: usize, token: &mut Scanned) -> usize {
    let mut search = at;
    while let Some(star) = bytes.get(search..).and_then(|b| b.iter().position(|b| *b == b'*')) {
        let after = search + star + 1;
        if let (Some(b'/'), end) = next(bytes, after) {
            return end;
        }
        search = after;
    }
    token.problem = Some((Problem::UnterminatedComment, token.start));
    bytes.len()
}

/// Whether a character that is not ASCII may be in an identifier.
fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}' | '\u{203f}' | '\u{2040}')
}

/// Character of a text that begins at an offset.
fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Identifier, white space or unknown character that is not ASCII. Returns whether it was white space.
fn wide(text: &str, token: &mut Scanned) -> bool {
    match char_at(text, token.start) {
        Some(c) if is_name_char(c) => name(text, token),
        Some(c) if c.is_whitespace() || c == '\u{feff}' || c == '\u{200b}' => {
            token.end += c.len_utf8();
            token.after_space = true;
            return true;
        }
        c => {
            token.kind = T::Unknown;
            token.end += c.map_or(1, char::len_utf8);
        }
    }
    false
}

/// Character of a universal character name (`\u` and 4, `\U` and 8 hexadecimal digits), and its end.
pub fn universal(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let len = match bytes.get(at..)? {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return None,
    };
    let end = at + 2 + len;
    let digits = std::str::from_utf8(bytes.get(at + 2..end)?).ok()?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    is_name_char(c).then_some((c, end))
}

/// Identifier, or a literal with the prefix `L`.
fn name(text: &str, token: &mut Scanned) {
    let bytes = text.as_bytes();
    token.kind = T::Identifier;
    token.end = name_end(text, token.end, &mut token.is_plain);
    if token.end == token.start + 1
        && bytes.get(token.start) == Some(&b'L')
        && let (Some(quote @ (b'"' | b'\'')), after) = next(bytes, token.end)
    {
        token.is_plain = after == token.end + 1;
        literal(text, quote, after, token);
    }
}

/// End of the rest of an identifier.
fn name_end(text: &str, at: usize, is_plain: &mut bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = at;
    loop {
        while bytes.get(at).is_some_and(|b| continues_name(*b)) {
            at += 1;
        }
        match bytes.get(at) {
            Some(b'\\' | b'?') => {
                let (byte, end) = next(bytes, at);
                if byte.is_some_and(continues_name) {
                    *is_plain = false;
                    at = end;
                } else if let Some((_, end)) = universal(bytes, at) {
                    *is_plain = false;
                    at = end;
                } else {
                    return at;
                }
            }
            Some(0x80..) => match char_at(text, at) {
                Some(c) if is_name_char(c) => at += c.len_utf8(),
                _ => return at,
            },
            _ => return at,
        }
    }
}

/// Preprocessing number.
fn number(text: &str, token: &mut Scanned) {
    let bytes = text.as_bytes();
    token.kind = T::Number;
    let mut at = token.start;
    let mut last = 0;
    loop {
        let (byte, end) = next(bytes, at);
        let Some(byte) = byte else { break };
        let is_sign = matches!(byte, b'+' | b'-') && matches!(last, b'e' | b'E' | b'p' | b'P');
        if !(continues_name(byte) && byte != b'$' || byte == b'.' || is_sign) {
            break;
        }
        token.is_plain &= end == at + 1;
        (at, last) = (end, byte);
    }
    token.end = at;
}

/// Character constant or string literal, whose contents begin at an offset.
fn literal(text: &str, quote: u8, at: usize, token: &mut Scanned) {
    let bytes = text.as_bytes();
    let is_char = quote == b'\'';
    token.kind = if is_char { T::Char } else { T::Str };
    let mut chars = Chars { bytes, at };
    loop {
        let before = chars.at;
        let byte = match bytes.get(before) {
            Some(b'\\' | b'?') => chars.next(),
            Some(byte) => {
                chars.at += 1;
                Some(*byte)
            }
            None => None,
        };
        token.is_plain &= chars.at <= before + 1;
        match byte {
            Some(b'\\') => {
                let escaped = chars.at;
                match chars.next() {
                    Some(b'\n' | b'\r') | None => chars.at = escaped,
                    Some(_) => token.is_plain &= chars.at == escaped + 1,
                }
            }
            Some(b) if b == quote => {
                if is_char && before == at && chars.at == at + 1 {
                    token.problem = Some((Problem::EmptyChar, token.start));
                    token.kind = T::Unknown;
                }
                token.end = chars.at;
                return;
            }
            Some(b'\n' | b'\r') | None => {
                let kind = if is_char { Problem::UnterminatedChar } else { Problem::UnterminatedString };
                token.problem = Some((kind, token.start));
                token.kind = T::Unknown;
                token.end = before;
                return;
            }
            Some(_) => {}
        }
    }
}

/// Punctuator whose first character ends at an offset.
fn punctuator(text: &str, first: u8, after: usize, token: &mut Scanned) {
    let bytes = text.as_bytes();
    let one = |kind: T| (kind, after);
    // The second character alone or the first decides.
    let pick = |others: &[(u8, T)], alone: T| {
        let (byte, end) = next(bytes, after);
        others.iter().find(|(b, _)| Some(*b) == byte).map_or((alone, after), |(_, kind)| (*kind, end))
    };
    let third = |byte: u8, end: usize| match next(bytes, end) {
        (Some(b), end) if b == byte => Some(end),
        _ => None,
    };
    let (kind, end) = match first {
        b'(' => one(T::LParen),
        b')' => one(T::RParen),
        b'[' => one(T::LBracket),
        b']' => one(T::RBracket),
        b'{' => one(T::LBrace),
        b'}' => one(T::RBrace),
        b'~' => one(T::Tilde),
        b'?' => one(T::Question),
        b';' => one(T::Semicolon),
        b',' => one(T::Comma),
        b'@' => one(T::At),
        b'.' => match next(bytes, after) {
            (Some(b'.'), end) => third(b'.', end).map_or(one(T::Dot), |end| (T::Ellipsis, end)),
            _ => one(T::Dot),
        },
        b':' => pick(&[(b'>', T::RBracket)], T::Colon),
        b'-' => pick(&[(b'>', T::Arrow), (b'-', T::MinusMinus), (b'=', T::MinusEq)], T::Minus),
        b'+' => pick(&[(b'+', T::PlusPlus), (b'=', T::PlusEq)], T::Plus),
        b'&' => pick(&[(b'&', T::AmpAmp), (b'=', T::AmpEq)], T::Amp),
        b'|' => pick(&[(b'|', T::PipePipe), (b'=', T::PipeEq)], T::Pipe),
        b'*' => pick(&[(b'=', T::StarEq)], T::Star),
        b'/' => pick(&[(b'=', T::SlashEq)], T::Slash),
        b'!' => pick(&[(b'=', T::NotEq)], T::Not),
        b'^' => pick(&[(b'=', T::CaretEq)], T::Caret),
        b'=' => pick(&[(b'=', T::EqEq)], T::Eq),
        b'#' => pick(&[(b'#', T::HashHash)], T::Hash),
        b'<' => {
            let digraphs = [(b'<', T::Shl), (b'=', T::LessEq), (b':', T::LBracket), (b'%', T::LBrace)];
            match pick(&digraphs, T::Less) {
                (T::Shl, end) => third(b'=', end).map_or((T::Shl, end), |end| (T::ShlEq, end)),
                other => other,
            }
        }
        b'>' => match pick(&[(b'>', T::Shr), (b'=', T::GreaterEq)], T::Greater) {
            (T::Shr, end) => third(b'=', end).map_or((T::Shr, end), |end| (T::ShrEq, end)),
            other => other,
        },
        b'%' => match pick(&[(b'=', T::PercentEq), (b'>', T::RBrace), (b':', T::Hash)], T::Percent) {
            (T::Hash, end) => {
                let second = third(b'%', end).and_then(|end| third(b':', end));
                second.map_or((T::Hash, end), |end| (T::HashHash, end))
            }
            other => other,
        },
        _ => one(T::Unknown),
    };
    (token.kind, token.end) = (kind, end);
}
