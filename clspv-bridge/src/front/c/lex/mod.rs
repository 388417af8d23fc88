//! Lexer: texts to preprocessing tokens.

pub mod chars;
pub mod scan;
pub mod skip;

use super::session::Session;
use super::source::{ExpansionId, Loc, Pos};
use super::symbol::{Symbol, Symbols};
use super::token::{Token, TokenKind};
use chars::{ByteClass, class};
use scan::{Problem, Scanned, scan};
use std::borrow::Cow;
use std::sync::Arc;

/// Position in a buffer from which tokens are read.
#[derive(Clone, Debug)]
pub struct Lexer {
    text: Arc<str>,
    /// Position of the buffer's first byte.
    base: Pos,
    at: usize,
    /// Nothing but white space has been read of the line.
    at_line_start: bool,
    /// Within a directive, whose end is [`TokenKind::End`].
    in_directive: bool,
}

impl Lexer {
    /// Lexer at the start of a buffer that is at a position. Skips a byte-order mark.
    pub fn new(text: Arc<str>, base: Pos) -> Lexer {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, base, at, at_line_start: true, in_directive: false }
    }

    /// Next token. [`TokenKind::End`] is the end of the buffer, or of the directive within one.
    pub fn next(&mut self, session: &mut Session) -> Token {
        if let Some(token) = self.next_fast(&mut session.symbols) {
            return token;
        }
        let found = scan(&self.text, self.at, self.at_line_start, self.in_directive);
        self.at = found.end;
        self.at_line_start = false;
        if let Some((problem, at)) = found.problem {
            report(session, problem, self.pos(at), found.end - at);
        }
        let symbol = spelling_symbol(&self.text, &found, &mut session.symbols);
        Token {
            kind: found.kind,
            at_line_start: found.at_line_start,
            after_space: found.after_space,
            is_final: false,
            symbol,
            loc: Loc { pos: self.pos(found.start), expansion: ExpansionId(0) },
        }
    }

    /// Next token if it is one of the most frequent kinds: a name or number of letters and digits only, or a
    /// punctuator that no other begins with.
    #[inline]
    fn next_fast(&mut self, symbols: &mut Symbols) -> Option<Token> {
        let bytes = self.text.as_bytes();
        let (mut start, mut at_line_start, mut after_space) = (self.at, self.at_line_start, false);
        let first = loop {
            let byte = *bytes.get(start)?;
            match class(byte) {
                ByteClass::Space => after_space = true,
                ByteClass::Newline if !self.in_directive => (at_line_start, after_space) = (true, false),
                ByteClass::Letter | ByteClass::Digit | ByteClass::Other => break byte,
                _ => return None,
            }
            start += 1;
        };
        let mut end = start + 1;
        let (kind, symbol) = match chars::single(first) {
            TokenKind::Unknown if class(first) == ByteClass::Other => return None,
            TokenKind::Unknown => {
                while bytes.get(end).is_some_and(|b| chars::continues_name(*b)) {
                    end += 1;
                }
                let is_number = class(first) == ByteClass::Digit;
                match bytes.get(end) {
                    // Lines that are joined, and literals with a prefix.
                    Some(b'\\' | b'?' | b'"' | b'\'' | 0x80..) => return None,
                    Some(b'.' | b'+' | b'-') if is_number => return None,
                    _ => {}
                }
                let text = self.text.get(start..end)?;
                if is_number && text.contains('$') {
                    return None;
                }
                (if is_number { TokenKind::Number } else { TokenKind::Identifier }, symbols.intern(text))
            }
            kind => (kind, Symbol(0)),
        };
        self.at = end;
        self.at_line_start = false;
        let loc = Loc { pos: self.pos(start), expansion: ExpansionId(0) };
        Some(Token { kind, at_line_start, after_space, is_final: false, symbol, loc })
    }

    /// Whether the next token is an opening parenthesis; `None` at the end of the buffer.
    pub fn is_before_paren(&self) -> Option<bool> {
        match scan(&self.text, self.at, self.at_line_start, self.in_directive).kind {
            TokenKind::End if !self.in_directive => None,
            kind => Some(kind == TokenKind::LParen),
        }
    }

    /// Position of the next byte.
    pub fn here(&self) -> Pos {
        self.pos(self.at)
    }

    /// Position of the end of the buffer.
    pub fn end(&self) -> Pos {
        self.pos(self.text.len())
    }

    /// Continues at an offset in the buffer.
    pub fn go_to(&mut self, offset: usize) {
        self.at = offset;
    }

    /// Whether the next token belongs to a directive.
    pub fn is_in_directive(&self) -> bool {
        self.in_directive
    }

    /// Word that follows in a skipped directive, without interning it; empty if there is none.
    pub fn directive_word(&mut self) -> (Loc, Cow<'_, str>) {
        let found = scan(&self.text, self.at, false, true);
        self.at = found.end;
        let loc = Loc { pos: self.pos(found.start), expansion: ExpansionId(0) };
        let written = self.text.get(found.start..found.end).unwrap_or("");
        let word = match found.kind {
            TokenKind::Identifier if found.is_plain => written.into(),
            TokenKind::Identifier => name_of(written).into(),
            _ => "".into(),
        };
        (loc, word)
    }

    /// Begins reading a directive, after its `#`.
    pub fn begin_directive(&mut self) {
        self.in_directive = true;
    }

    /// Ends reading a directive: continues at the end of its line.
    pub fn end_directive(&mut self) {
        while self.in_directive {
            let found = scan(&self.text, self.at, false, true);
            self.at = found.end;
            self.in_directive = found.kind != TokenKind::End;
        }
        self.at_line_start = true;
    }

    /// Rest of the directive's line as it is written, without white space around it; comments are kept.
    pub fn rest_of_line(&mut self) -> (Pos, &str) {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        while bytes.get(start).is_some_and(|b| class(*b) == ByteClass::Space) {
            start += 1;
        }
        let end = skip::line_end(bytes, start);
        self.at = end;
        (self.pos(start), self.text.get(start..end).unwrap_or("").trim_end())
    }

    /// Header name in angle brackets, if one follows on the line: the name and its position.
    pub fn angled_header(&mut self) -> Option<(&str, Pos)> {
        let found = scan(&self.text, self.at, false, true);
        if found.kind == TokenKind::End || self.text.as_bytes().get(found.start) != Some(&b'<') {
            return None;
        }
        let name = self.text.get(found.start + 1..)?;
        let len = name.find(['>', '\n', '\r'])?;
        if !name.get(len..)?.starts_with('>') {
            return None;
        }
        self.at = found.start + len + 2;
        Some((name.get(..len)?, self.pos(found.start)))
    }

    /// Skips to the next directive, and begins it after its `#`. Returns whether there is one.
    pub fn skip_to_directive(&mut self) -> bool {
        match skip::directive(self.text.as_bytes(), self.at) {
            Some(at) => {
                self.at = at;
                self.in_directive = true;
                true
            }
            None => {
                self.at = self.text.len();
                false
            }
        }
    }

    fn pos(&self, at: usize) -> Pos {
        Pos(self.base.0.saturating_add(at as u32))
    }
}

/// Symbol of a token: its spelling, if it is one of several that tokens of the kind have.
pub fn spelling_symbol(text: &str, found: &Scanned, symbols: &mut Symbols) -> Symbol {
    let written = text.get(found.start..found.end).unwrap_or("");
    match found.kind {
        TokenKind::Identifier if !found.is_plain => symbols.intern(&name_of(written)),
        TokenKind::Number | TokenKind::Char | TokenKind::Str | TokenKind::Unknown if !found.is_plain => {
            symbols.intern(&chars::joined(written))
        }
        TokenKind::Identifier | TokenKind::Number | TokenKind::Char | TokenKind::Str | TokenKind::Unknown => {
            symbols.intern(written)
        }
        kind if matches!(written, "<:" | ":>" | "<%" | "%>" | "%:" | "%:%:") && written != kind.text() => {
            symbols.intern(written)
        }
        _ => Symbol(0),
    }
}

/// Spelling of an identifier with joined lines or universal character names.
fn name_of(written: &str) -> String {
    let text = chars::joined(written);
    let mut name = String::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|t| t.chars().next()) {
        let (c, end) = scan::universal(text.as_bytes(), at).unwrap_or((c, at + c.len_utf8()));
        name.push(c);
        at = end;
    }
    name
}

fn report(session: &mut Session, problem: Problem, pos: Pos, len: usize) {
    let loc = Loc { pos, expansion: ExpansionId(0) };
    let diagnostics = &mut session.diagnostics;
    let group = "invalid-pp-token";
    match problem {
        Problem::UnterminatedComment => diagnostics.error(loc, "unterminated /* comment"),
        Problem::UnterminatedChar => diagnostics.warning(group, loc, "missing terminating ' character"),
        Problem::UnterminatedString => diagnostics.warning(group, loc, "missing terminating '\"' character"),
        Problem::EmptyChar if len > 0 => diagnostics.warning(group, loc, "empty character constant"),
        Problem::EmptyChar => {}
    }
}

/// Tokens of a text that is in no buffer, such as the text of a pragma; all have one location.
pub fn tokenize(symbols: &mut Symbols, text: &str, loc: Loc) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let found = scan(text, at, at == 0, false);
        if found.kind == TokenKind::End {
            return tokens;
        }
        at = found.end;
        tokens.push(Token {
            kind: found.kind,
            at_line_start: found.at_line_start,
            after_space: found.after_space,
            is_final: false,
            symbol: spelling_symbol(text, &found, symbols),
            loc,
        });
    }
}

#[cfg(test)]
mod tests;
