//! Conditional groups: `#if` to `#endif`.

use super::super::source::Loc;
use super::super::token::{Token, TokenKind};
use super::state::{Condition, Preprocessor};

/// Directive that ends a skipped group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Elif,
    /// Whether `#elifdef`, not `#elifndef`.
    ElifDef(bool),
    Else,
    Endif,
}

impl Preprocessor<'_> {
    /// `#if`, after the word.
    pub(super) fn begin_if(&mut self, loc: Loc) {
        let holds = self.condition();
        self.begin(loc, holds);
    }

    /// `#ifdef` or `#ifndef`, after the word.
    pub(super) fn begin_ifdef(&mut self, loc: Loc, wants_defined: bool) {
        let holds =
            self.is_name_defined(if wants_defined { "ifdef" } else { "ifndef" }) == Some(wants_defined);
        self.begin(loc, holds);
    }

    /// Whether the name that follows is a macro's; `None` if there is no name.
    fn is_name_defined(&mut self, directive: &str) -> Option<bool> {
        let name = self.macro_name()?;
        self.check_end(directive);
        Some(self.is_defined(name.symbol))
    }

    fn begin(&mut self, loc: Loc, holds: bool) {
        let Some(file) = self.files.last_mut() else { return };
        file.conditions.push(Condition { loc, is_done: holds, has_else: false });
        if !holds {
            self.skip_group();
        }
    }

    /// `#elif`, `#else` after an included group: skips the others.
    pub(super) fn end_group(&mut self, word: Token) {
        let is_else = self.session.symbols.text(word.symbol) == "else";
        let last = self.files.last_mut().and_then(|f| f.conditions.last_mut());
        let Some(condition) = last else {
            let text = format!("#{} without #if", self.session.symbols.text(word.symbol));
            self.error(word.loc, text);
            return;
        };
        let had_else = condition.has_else;
        condition.has_else |= is_else;
        if had_else {
            let text = format!("#{} after #else", self.session.symbols.text(word.symbol));
            self.error(word.loc, text);
        }
        if is_else {
            self.check_end("else");
        }
        self.skip_group();
    }

    /// `#endif` after an included group.
    pub(super) fn endif(&mut self, loc: Loc) {
        if self.files.last_mut().and_then(|f| f.conditions.pop()).is_none() {
            self.error(loc, "#endif without #if");
        }
        self.check_end("endif");
    }

    /// Skips groups up to one that is included, or to the end of the conditional.
    fn skip_group(&mut self) {
        loop {
            let Some((end, loc)) = self.skip_to_end() else { return };
            let Some(condition) = self.files.last_mut().and_then(|f| f.conditions.last_mut()) else { return };
            let (is_done, had_else) = (condition.is_done, condition.has_else);
            let holds = match end {
                End::Endif => {
                    self.endif(loc);
                    return;
                }
                End::Else => {
                    condition.has_else = true;
                    self.check_end("else");
                    if had_else {
                        self.error(loc, "#else after #else");
                    }
                    true
                }
                _ if had_else => {
                    self.error(loc, "#elif after #else");
                    false
                }
                _ if is_done => false,
                End::Elif => self.condition(),
                End::ElifDef(wants_defined) => {
                    let word = if wants_defined { "elifdef" } else { "elifndef" };
                    self.is_name_defined(word) == Some(wants_defined)
                }
            };
            let Some(condition) = self.files.last_mut().and_then(|f| f.conditions.last_mut()) else { return };
            if holds && !is_done {
                condition.is_done = true;
                return;
            }
        }
    }

    /// Skips to the directive that ends the group, and over its word; `None` if there is none in the file.
    fn skip_to_end(&mut self) -> Option<(End, Loc)> {
        let lexer = &mut self.files.last_mut()?.lexer;
        let mut depth = 0u32;
        lexer.end_directive();
        while lexer.skip_to_directive() {
            let (loc, word) = lexer.directive_word();
            let end = match &*word {
                "if" | "ifdef" | "ifndef" => {
                    depth += 1;
                    None
                }
                "endif" if depth > 0 => {
                    depth -= 1;
                    None
                }
                "endif" => Some(End::Endif),
                "else" => Some(End::Else),
                "elif" => Some(End::Elif),
                "elifdef" => Some(End::ElifDef(true)),
                "elifndef" => Some(End::ElifDef(false)),
                _ => None,
            };
            if let (Some(end), 0) = (end, depth) {
                return Some((end, loc));
            }
            lexer.end_directive();
        }
        None
    }

    /// Value of the condition in the rest of the directive.
    fn condition(&mut self) -> bool {
        let mut tokens = self.take_buffer();
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::End => {
                    tokens.push(token);
                    break;
                }
                TokenKind::Identifier if token.symbol == self.names.defined => {
                    match self.defined_operator(token) {
                        Some(token) => tokens.push(token),
                        None => {
                            self.drop_contexts();
                            self.return_buffer(tokens);
                            return false;
                        }
                    }
                }
                _ => tokens.push(token),
            }
        }
        let value = self.evaluate(&tokens);
        self.return_buffer(tokens);
        value
    }

    /// `defined X` or `defined(X)`, as a number.
    fn defined_operator(&mut self, operator: Token) -> Option<Token> {
        let mut name = self.next_unexpanded();
        let has_paren = name.kind == TokenKind::LParen;
        if has_paren {
            name = self.next_unexpanded();
        }
        if name.kind != TokenKind::Identifier {
            let text = if name.kind == TokenKind::End {
                "macro name missing"
            } else {
                "macro name must be an identifier"
            };
            self.error(name.loc, text);
            return None;
        }
        if has_paren {
            let close = self.next_unexpanded();
            if close.kind != TokenKind::RParen {
                self.error(close.loc, "missing ')' after 'defined'");
                return None;
            }
        }
        let symbol = if self.is_defined(name.symbol) { self.names.one } else { self.names.zero };
        Some(Token { kind: TokenKind::Number, symbol, ..operator })
    }
}
