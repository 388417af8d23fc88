//! Preprocessor: the source with everything that it includes to the tokens of the translation unit.
//!
//! Tokens come from a stack: macro contexts ([`context`]) above the included files above the source. Macro
//! bodies and collected arguments are slices of tokens; nothing is allocated for a single token. The number
//! of files, bytes, expansions, and the depth of nesting are limited, and an input beyond a limit is an
//! error.

mod argument;
mod collect;
mod condition;
mod conditional;
mod context;
mod define;
mod directive;
mod dynamic;
mod expand;
mod include;
mod macros;
mod number;
mod paste;
mod pragma;
mod predefined;
mod search;
mod state;

use super::session::Session;
use super::source::Pos;
use super::token::{Token, TokenKind};
use crate::options::CompileRequest;
use search::SearchPosition;
use state::Preprocessor;

/// Maximum number of tokens of a translation unit.
const MAX_TOKENS: usize = 8 << 20;

/// Preprocesses a translation unit. The last token is [`TokenKind::End`].
pub fn preprocess(session: &mut Session, request: &CompileRequest<'_>) -> Vec<Token> {
    let mut preprocessor = Preprocessor::new(session, request);
    preprocessor.predefine(request);
    preprocessor.source(request.source)
}

impl Preprocessor<'_> {
    /// Preprocesses the source, after the command line.
    fn source(&mut self, source: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(source.len() / 4 + 16);
        if self.open("<stdin>".into(), source.into(), Pos(0), SearchPosition::Source) {
            self.end = self.files.last().map_or(Pos(0), |f| f.lexer.end());
        }
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::End => {
                    tokens.push(token);
                    return tokens;
                }
                TokenKind::Identifier if token.symbol == self.names.pragma => {
                    tokens.extend(self.pragma_operator(token));
                }
                _ => tokens.push(token),
            }
            if tokens.len() >= MAX_TOKENS {
                self.stop(token.loc, "translation unit has too many tokens");
            }
        }
    }

    /// Next token after macro expansion. [`TokenKind::End`] is the end of the unit, of the directive, or of
    /// the argument that is being expanded.
    fn next(&mut self) -> Token {
        let mut has_space = false;
        let mut at_line_start = false;
        loop {
            let mut token = self.next_unexpanded();
            if token.kind == TokenKind::Identifier
                && !token.is_final
                && let Some(id) = self.macros.get(token.symbol)
            {
                token.after_space |= has_space;
                token.at_line_start |= at_line_start;
                match self.expand(token, id) {
                    Some(token) => return token,
                    None => {
                        has_space = token.after_space;
                        at_line_start = token.at_line_start;
                        continue;
                    }
                }
            }
            token.after_space |= has_space;
            token.at_line_start |= at_line_start;
            return token;
        }
    }

    /// Next token before macro expansion. Handles directives on the way.
    fn next_unexpanded(&mut self) -> Token {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.take(self.macros.bodies()) {
                return token;
            }
            if context.is_argument() {
                return self.end_token();
            }
            self.pop_context();
        }
        self.next_of_file()
    }

    fn next_of_file(&mut self) -> Token {
        loop {
            let Some(file) = self.files.last_mut() else { return self.end_token() };
            let in_directive = file.lexer.is_in_directive();
            let token = file.lexer.next(self.session);
            match token.kind {
                TokenKind::Hash if token.at_line_start && !in_directive => {
                    if let Some(token) = self.directive(token.loc) {
                        return token;
                    }
                }
                TokenKind::End if !in_directive => {
                    if !self.end_file() {
                        return token;
                    }
                }
                _ => return token,
            }
        }
    }

    /// Ends the innermost file. Returns whether another continues.
    fn end_file(&mut self) -> bool {
        let Some(file) = self.files.last_mut() else { return false };
        let open = std::mem::take(&mut file.conditions);
        for condition in open.iter().rev() {
            self.session.diagnostics.error(condition.loc, "unterminated conditional directive");
        }
        if self.files.len() > 1 {
            self.files.pop();
            true
        } else {
            false
        }
    }
}

#[cfg(test)]
mod mutation_tests;
#[cfg(test)]
mod tests;
