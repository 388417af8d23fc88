//! The operators `#` and `##`.

use super::super::lex::scan::scan;
use super::super::lex::spelling_symbol;
use super::super::source::Loc;
use super::super::token::{Token, TokenKind};
use super::state::Preprocessor;

/// Maximum length of a token that an operator makes.
const MAX_LEN: usize = 1 << 20;

impl Preprocessor<'_> {
    /// String literal of an argument as it is written; `hash` is the operator.
    pub(super) fn stringify(&mut self, hash: Token, argument: &[Token]) -> Token {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        text.push('"');
        // Backslashes at the end that escape nothing.
        let mut backslashes = 0;
        for (i, token) in argument.iter().enumerate() {
            if token.after_space && i > 0 {
                text.push(' ');
            }
            let spelling = token.text(&self.session.symbols);
            let is_literal = matches!(token.kind, TokenKind::Str | TokenKind::Char);
            for c in spelling.chars() {
                if is_literal && matches!(c, '"' | '\\') {
                    text.push('\\');
                }
                text.push(c);
            }
            backslashes = if spelling == "\\" && !token.after_space { backslashes + 1 } else { 0 };
            backslashes = if spelling == "\\" { backslashes.max(1) } else { 0 };
            if text.len() > MAX_LEN {
                break;
            }
        }
        if backslashes % 2 == 1 {
            text.pop();
        }
        text.push('"');
        let len = text.len();
        let symbol = self.session.symbols.intern(&text);
        self.scratch = text;
        if len > MAX_LEN {
            self.stop(hash.loc, "string literal is too long");
        }
        self.spend(len / 8, hash.loc);
        Token { kind: TokenKind::Str, symbol, is_final: false, ..hash }
    }

    /// Token at a location whose spelling is that of two; `None`, after an error at the operator, if there is
    /// no such token.
    pub(super) fn paste(&mut self, left: Token, right: Token, loc: Loc, operator: Loc) -> Option<Token> {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        text.push_str(left.text(&self.session.symbols));
        text.push_str(right.text(&self.session.symbols));
        let found = scan(&text, 0, false, false);
        let is_token = found.kind != TokenKind::End
            && found.kind != TokenKind::Unknown
            && (found.start, found.end) == (0, text.len())
            && text.len() <= MAX_LEN;
        let result = if is_token {
            self.spend(text.len() / 8, loc);
            let symbol = spelling_symbol(&text, &found, &mut self.session.symbols);
            Some(Token { kind: found.kind, symbol, is_final: false, loc, ..left })
        } else {
            let message = format!("pasting formed '{text}', an invalid preprocessing token");
            self.error(operator, message);
            None
        };
        self.scratch = text;
        result
    }
}
