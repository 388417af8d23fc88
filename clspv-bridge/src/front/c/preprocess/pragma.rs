//! Pragmas: those of the preprocessor are handled, the others become tokens for the parser.

use super::super::lex::tokenize;
use super::super::source::Loc;
use super::super::symbol::Symbol;
use super::super::token::{Token, TokenKind};
use super::super::warning::{DiagnosticPragma, PragmaFault};
use super::search::SearchPosition;
use super::state::Preprocessor;

/// Text of a pragma under construction.
struct Text {
    text: String,
    first: Option<Token>,
    /// The last token.
    last: Loc,
}

impl Preprocessor<'_> {
    /// `#pragma`, after the word. Returns the parser's token, if it is the parser's.
    pub(super) fn pragma(&mut self, hash: Loc) -> Option<Token> {
        let mut text = Text { text: String::new(), first: None, last: hash };
        // The operands of standard pragmas are not macros.
        let mut expands = false;
        loop {
            let token = if expands { self.next() } else { self.next_unexpanded() };
            if token.kind == TokenKind::End {
                break;
            }
            if text.first.is_none() {
                let word = token.text(&self.session.symbols);
                expands = matches!(word, "unroll" | "clang" | "GCC" | "pack" | "omp");
            } else if token.after_space {
                text.text.push(' ');
            }
            text.text.push_str(token.text(&self.session.symbols));
            text.first.get_or_insert(token);
            text.last = token.loc;
        }
        let loc = text.first.map_or(hash, |t| t.loc);
        self.pragma_text(&text.text, loc, text.last)
    }

    /// `_Pragma`, after the word: one token, or none; the word itself if it is used wrongly.
    pub(super) fn pragma_operator(&mut self, word: Token) -> Option<Token> {
        if !self.is_before_paren() {
            self.error(word.loc, "_Pragma takes a parenthesized string literal");
            return None;
        }
        self.next();
        let literal = self.next();
        let mut close = literal;
        if literal.kind == TokenKind::Str {
            close = self.next();
        } else if !matches!(literal.kind, TokenKind::RParen | TokenKind::End) {
            // The parenthesis.
            self.next();
        }
        if literal.kind != TokenKind::Str || close.kind != TokenKind::RParen {
            self.error(word.loc, "_Pragma takes a parenthesized string literal");
            return None;
        }
        let written = literal.text(&self.session.symbols);
        let inner = written.trim_start_matches('L').strip_prefix('"').and_then(|t| t.strip_suffix('"'));
        let text = inner.unwrap_or("").replace("\\\"", "\"").replace("\\\\", "\\");
        let mut expanded = Text { text: String::new(), first: None, last: word.loc };
        let tokens = tokenize(&mut self.session.symbols, text.trim(), word.loc);
        for token in tokens {
            if expanded.first.is_some() && token.after_space {
                expanded.text.push(' ');
            }
            expanded.text.push_str(token.text(&self.session.symbols));
            expanded.first.get_or_insert(token);
        }
        self.pragma_text(&expanded.text, word.loc, expanded.last)
    }

    /// Handles a pragma whose first and last token are at these locations.
    fn pragma_text(&mut self, text: &str, loc: Loc, last: Loc) -> Option<Token> {
        self.diagnostic_pragma(text, last);
        let word = text.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
        match word {
            "once" => {
                match self.files.last() {
                    Some(file) if file.position != SearchPosition::Source => {
                        self.search.set_once(&file.position)
                    }
                    _ => {
                        let text = "#pragma once in main file";
                        self.session.diagnostics.warning("pragma-once-outside-header", loc, text);
                    }
                }
                None
            }
            "push_macro" | "pop_macro" => {
                self.save_macro(text, word == "push_macro", loc);
                None
            }
            "message" => {
                let diagnostics = &mut self.session.diagnostics;
                diagnostics.warning("#pragma-messages", loc, operand(text).unwrap_or(text));
                None
            }
            _ if text.starts_with("GCC warning") || text.starts_with("GCC error") => {
                let message = operand(text).unwrap_or(text).to_owned();
                if text.starts_with("GCC error") {
                    self.error(last, message);
                } else {
                    self.session.diagnostics.warning("#pragma-messages", last, message);
                }
                None
            }
            _ => {
                let symbol = self.session.symbols.intern(text);
                let (at_line_start, after_space, is_final) = (true, false, false);
                Some(Token { kind: TokenKind::Pragma, at_line_start, after_space, is_final, symbol, loc })
            }
        }
    }

    /// Applies a pragma about warnings to what the preprocessor reads next. The parser applies it again.
    fn diagnostic_pragma(&mut self, text: &str, last: Loc) {
        let diagnostics = &mut self.session.diagnostics;
        let done = match DiagnosticPragma::parse(text) {
            None => return,
            Some(Ok(pragma)) => diagnostics.policy.apply(pragma),
            Some(Err(fault)) => Err(fault),
        };
        match done {
            Ok(()) => {}
            Err(fault @ PragmaFault::Operand) => diagnostics.error(last, fault.text()),
            Err(fault) => diagnostics.warning("unknown-pragmas", last, fault.text()),
        }
    }

    /// `push_macro("x")` and `pop_macro("x")`.
    fn save_macro(&mut self, text: &str, is_push: bool, loc: Loc) {
        let name: Symbol = match operand(text) {
            Some(name) if !name.is_empty() => self.session.symbols.intern(name),
            _ => {
                let word = if is_push { "push_macro" } else { "pop_macro" };
                let text = format!("pragma {word} requires a parenthesized string");
                self.error(loc, text);
                return;
            }
        };
        if is_push {
            self.macros.push(name);
        } else if !self.macros.pop(name) {
            let name = self.session.symbols.text(name);
            let text = format!("pragma pop_macro could not pop '{name}', no matching push_macro");
            self.session.diagnostics.warning("ignored-pragmas", loc, text);
        }
    }
}

/// Contents of the string literal of a pragma.
fn operand(text: &str) -> Option<&str> {
    let start = text.find('"')? + 1;
    let end = text.rfind('"')?;
    text.get(start..end)
}
