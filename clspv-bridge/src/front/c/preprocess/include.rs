//! `#include`, `#include_next` and `__has_include`.

use super::super::source::{Loc, Pos};
use super::super::token::{Token, TokenKind};
use super::search::{SearchPosition, Wanted};
use super::state::Preprocessor;

/// Maximum depth of included files.
const MAX_FILES: usize = 200;

/// Name of a header in a directive.
struct HeaderName {
    name: String,
    is_angled: bool,
    loc: Loc,
    /// Last token of the name.
    last: Loc,
}

impl Preprocessor<'_> {
    /// `#include` or `#include_next`, after the word.
    pub(super) fn include(&mut self, word: Token, is_next: bool) {
        if self.is_collecting {
            self.error(word.loc, "embedding a #include directive within macro arguments is not supported");
            return;
        }
        let Some(header) = self.header_name() else {
            return;
        };
        self.check_end("include");
        if self.files.len() >= MAX_FILES {
            self.stop(header.loc, "#include nested too deeply");
            return;
        }
        let wanted = Wanted { name: &header.name, is_angled: header.is_angled, is_next };
        let position = self.files.last().map_or(SearchPosition::Source, |f| f.position.clone());
        let Some(found) = self.search.find(&wanted, &position, &mut self.session.files) else {
            let text = format!("'{}' file not found", header.name);
            self.stop(header.loc, text);
            self.session.diagnostics.underline(header.loc, header.last);
            return;
        };
        // The file is read when the directive has ended.
        if let Some(file) = self.files.last_mut() {
            file.lexer.end_directive();
        }
        if !self.search.is_once(&found.position) {
            let includer = self.session.sources.file_pos(header.loc);
            self.open(found.name, found.text, includer, found.position);
        }
    }

    /// Name of a header: in angle brackets, a string literal, or macros for one of them.
    fn header_name(&mut self) -> Option<HeaderName> {
        if let Some((name, pos)) = self.angled_name() {
            let loc = Loc { pos, ..Loc::default() };
            let last = Loc { pos: Pos(pos.0 + name.len() as u32 + 1), ..loc };
            return Some(HeaderName { name, is_angled: true, loc, last });
        }
        let token = self.next();
        match token.kind {
            TokenKind::Str => {
                let name = token.text(&self.session.symbols).strip_prefix('"')?.strip_suffix('"')?.to_owned();
                if name.is_empty() {
                    self.error(token.loc, "empty filename");
                    return None;
                }
                Some(HeaderName { name, is_angled: false, loc: token.loc, last: token.loc })
            }
            TokenKind::Less => {
                let mut name = String::new();
                loop {
                    let part = self.next();
                    match part.kind {
                        TokenKind::Greater => {
                            let (loc, last) = (token.loc, part.loc);
                            return Some(HeaderName { name, is_angled: true, loc, last });
                        }
                        TokenKind::End => break,
                        _ => {
                            if part.after_space && !name.is_empty() {
                                name.push(' ');
                            }
                            name.push_str(part.text(&self.session.symbols));
                        }
                    }
                }
                self.error(token.loc, "expected '>'");
                None
            }
            _ => {
                self.error(token.loc, "expected \"FILENAME\" or <FILENAME>");
                None
            }
        }
    }

    fn angled_name(&mut self) -> Option<(String, Pos)> {
        if !self.contexts.is_empty() {
            return None;
        }
        let (name, pos) = self.files.last_mut()?.lexer.angled_header()?;
        Some((name.to_owned(), pos))
    }

    /// `__has_include(name)`.
    pub(super) fn has_include(&mut self, word: Token, is_next: bool) -> Token {
        let mut result = Token { kind: TokenKind::Number, symbol: self.names.zero, ..word };
        let has_paren = self.is_before_paren();
        if has_paren {
            self.next_unexpanded();
        }
        if let Some(header) = self.header_name() {
            let wanted = Wanted { name: &header.name, is_angled: header.is_angled, is_next };
            let position = self.files.last().map_or(SearchPosition::Source, |f| f.position.clone());
            if self.search.exists(&wanted, &position) {
                result.symbol = self.names.one;
            }
        }
        if has_paren && self.next_unexpanded().kind != TokenKind::RParen {
            self.error(word.loc, "missing ')' after '__has_include'");
        }
        result
    }
}
