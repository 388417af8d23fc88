//! Fast passage over lines of which no tokens are needed.

use super::chars::{ByteClass, class, next};

/// End of a line that may be joined with the ones after it: the offset of its line end.
pub fn line_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' | b'\r' => return at,
            b'\\' | b'?' => at = after_join(bytes, at),
            _ => at += 1,
        }
    }
    at
}

/// Offset after a backslash or question mark, and after the line end that it joins.
pub fn after_join(bytes: &[u8], at: usize) -> usize {
    let (byte, end) = next(bytes, at);
    let is_joined = bytes.get(at..end).is_some_and(|b| b.iter().any(|b| matches!(b, b'\n' | b'\r')));
    match byte {
        // The character after the joined lines is read again: it may be the line's end.
        Some(_) if is_joined => end - 1,
        None => end,
        _ => at + 1,
    }
}

/// Bytes that end a run of text in which nothing but the end of the line can begin a directive.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let mut i = 0;
    while i < STOP_BYTES.len() {
        stops[STOP_BYTES[i] as usize] = true;
        i += 1;
    }
    stops
};
const STOP_BYTES: &[u8] = b"\n\r/\"'\\?";

/// Offset after the `#` of the next directive; `at` is in a line whose rest is skipped, or at a line's begin.
pub fn directive(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    let mut at_line_start = at == 0;
    loop {
        let byte = *bytes.get(at)?;
        match byte {
            b'\n' | b'\r' => {
                at_line_start = true;
                at += 1;
                continue;
            }
            b'/' => {
                if let (Some(second @ (b'/' | b'*')), end) = next(bytes, at + 1) {
                    at = if second == b'/' { line_end(bytes, end) } else { comment_end(bytes, end) };
                    continue;
                }
                at += 1;
            }
            b'"' | b'\'' => at = literal_end(bytes, at + 1, byte),
            b'#' if at_line_start => return Some(at + 1),
            b'%' | b'\\' | b'?' => match (next(bytes, at), at_line_start) {
                ((Some(b'#'), end), true) => return Some(end),
                ((Some(b'%'), end), true) if next(bytes, end).0 == Some(b':') => {
                    return Some(next(bytes, end).1);
                }
                _ if byte == b'%' => at += 1,
                _ => {
                    let after = after_join(bytes, at);
                    if after > at + 1 {
                        at = after;
                        continue;
                    }
                    at = after;
                }
            },
            _ if class(byte) == ByteClass::Space => {
                at += 1;
                continue;
            }
            _ => {
                at += 1;
                while bytes.get(at).is_some_and(|b| !STOPS[usize::from(*b)]) {
                    at += 1;
                }
            }
        }
        at_line_start = false;
    }
}

/// End of a block comment whose text begins at an offset.
fn comment_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    while let Some(star) = bytes.get(at..).and_then(|b| b.iter().position(|b| *b == b'*')) {
        at += star + 1;
        if let (Some(b'/'), end) = next(bytes, at) {
            return end;
        }
    }
    bytes.len()
}

/// End of a literal whose contents begin at an offset: after its quote, or at the end of the line.
fn literal_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut at = at;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' | b'\r' => return at,
            b'\\' | b'?' => {
                let after = after_join(bytes, at);
                let is_escape = after == at + 1 && byte == b'\\';
                at = after;
                if is_escape && bytes.get(at).is_some_and(|b| class(*b) != ByteClass::Newline) {
                    at += 1;
                }
            }
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    at
}
