//! Dispatch of directives, and the short ones: `#error`, `#warning`, `#line`.

use super::super::source::Loc;
use super::super::token::{Token, TokenKind};
use super::number;
use super::state::Preprocessor;
use std::sync::Arc;

impl Preprocessor<'_> {
    /// Handles a directive after its `#`. Returns a token for the parser, if there is one.
    pub(super) fn directive(&mut self, hash: Loc) -> Option<Token> {
        self.files.last_mut()?.lexer.begin_directive();
        let word = self.next_of_file();
        let mut token = None;
        match word.kind {
            TokenKind::End => {}
            TokenKind::Number => self.line(Some(word)),
            TokenKind::Identifier => token = self.named_directive(hash, word),
            _ => self.error(word.loc, "invalid preprocessing directive"),
        }
        self.drop_contexts();
        if let Some(file) = self.files.last_mut() {
            file.lexer.end_directive();
        }
        token
    }

    fn named_directive(&mut self, hash: Loc, word: Token) -> Option<Token> {
        let name = self.session.symbols.text(word.symbol);
        match name {
            "define" => self.define(),
            "undef" => self.undefine(),
            "if" => self.begin_if(word.loc),
            "ifdef" => self.begin_ifdef(word.loc, true),
            "ifndef" => self.begin_ifdef(word.loc, false),
            "elif" | "elifdef" | "elifndef" | "else" => self.end_group(word),
            "endif" => self.endif(word.loc),
            "include" | "import" => self.include(word, false),
            "include_next" => self.include(word, true),
            "line" => self.line(None),
            "pragma" => return self.pragma(hash),
            "error" | "warning" => self.message(word),
            "ident" | "sccs" | "assert" | "unassert" => {}
            _ => self.error(word.loc, "invalid preprocessing directive"),
        }
        None
    }

    /// `#error` and `#warning`.
    fn message(&mut self, word: Token) {
        let Some(file) = self.files.last_mut() else { return };
        let (_, text) = file.lexer.rest_of_line();
        let diagnostics = &mut self.session.diagnostics;
        if self.session.symbols.text(word.symbol) == "error" {
            diagnostics.error(word.loc, text);
        } else {
            diagnostics.warning("#warnings", word.loc, text);
        }
    }

    /// `#line`, or `#` and a number as compilers write it into preprocessed sources.
    fn line(&mut self, first: Option<Token>) {
        let token = match first {
            Some(token) => token,
            None => self.next(),
        };
        let text = token.text(&self.session.symbols);
        let line = if token.kind == TokenKind::Number { number::line(text) } else { None };
        let Some(line) = line else {
            let directive = if first.is_some() { "line marker" } else { "#line" };
            self.error(token.loc, format!("{directive} directive requires a positive integer argument"));
            return;
        };
        let file = self.next();
        let mut name: Option<Arc<str>> = None;
        match file.kind {
            TokenKind::End => {}
            TokenKind::Str => {
                let text = file.text(&self.session.symbols);
                let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
                name = inner.map(|t| t.replace("\\\\", "\\").into());
                if first.is_none() {
                    self.check_end("line");
                }
            }
            _ => {
                self.error(file.loc, "invalid filename for #line directive");
                return;
            }
        }
        if let Some(lexer) = self.files.last_mut().map(|f| &mut f.lexer) {
            lexer.end_directive();
            self.session.sources.change_line(lexer.here(), line, name);
        }
    }

    /// Warns of tokens after a directive that is complete.
    pub(super) fn check_end(&mut self, directive: &str) {
        let token = self.next_of_file();
        if token.kind != TokenKind::End {
            let text = format!("extra tokens at end of #{directive} directive");
            self.session.diagnostics.warning("extra-tokens", token.loc, text);
        }
    }
}
