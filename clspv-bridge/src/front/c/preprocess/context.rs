//! Contexts: the tokens of macro expansions and arguments that are read before the files continue.

use super::super::source::ExpansionId;
use super::super::token::{Token, TokenKind};
use super::macros::MacroId;

/// Tokens of a context.
enum Source {
    /// Body of a macro without parameters, from which tokens are copied.
    Body(ExpansionId),
    Tokens(Vec<Token>),
}

/// Tokens to read.
pub struct MacroContext {
    source: Source,
    at: u32,
    end: u32,
    /// Macro that is expanded: not expanded again until the context ends. `None` for an argument, the end of
    /// which is an end for its reader.
    owner: Option<MacroId>,
    /// White space and line start of the first token, which are those of the macro's name.
    first: Option<(bool, bool)>,
}

impl MacroContext {
    /// MacroContext of a macro's body.
    pub fn of_body(owner: MacroId, range: (u32, u32), expansion: ExpansionId, name: Token) -> MacroContext {
        let first = Some((name.after_space, name.at_line_start));
        MacroContext { source: Source::Body(expansion), at: range.0, end: range.1, owner: Some(owner), first }
    }

    /// MacroContext of tokens that a macro's expansion has produced, or of an argument.
    pub fn of_tokens(owner: Option<MacroId>, tokens: Vec<Token>, name: Option<Token>) -> MacroContext {
        let end = tokens.len() as u32;
        let first = name.map(|name| (name.after_space, name.at_line_start));
        MacroContext { source: Source::Tokens(tokens), at: 0, end, owner, first }
    }

    /// Whether the context is an argument.
    pub fn is_argument(&self) -> bool {
        self.owner.is_none()
    }

    /// Next token; `None` at the end.
    pub fn take(&mut self, bodies: &[Token]) -> Option<Token> {
        if self.at >= self.end {
            return None;
        }
        let mut token = match &self.source {
            Source::Body(expansion) => {
                let mut token = *bodies.get(self.at as usize)?;
                token.loc.expansion = *expansion;
                token
            }
            Source::Tokens(tokens) => *tokens.get(self.at as usize)?,
        };
        self.at += 1;
        if let Some((after_space, at_line_start)) = self.first.take() {
            (token.after_space, token.at_line_start) = (after_space, at_line_start);
        }
        Some(token)
    }

    /// Kind of the next token; `None` at the end.
    pub fn peek(&self, bodies: &[Token]) -> Option<TokenKind> {
        if self.at >= self.end {
            return None;
        }
        let tokens = match &self.source {
            Source::Body(_) => bodies,
            Source::Tokens(tokens) => tokens,
        };
        tokens.get(self.at as usize).map(|t| t.kind)
    }

    /// Macro that is expanded, and the buffer of the tokens for reuse.
    pub fn into_parts(self) -> (Option<MacroId>, Option<Vec<Token>>) {
        match self.source {
            Source::Tokens(tokens) => (self.owner, Some(tokens)),
            Source::Body(_) => (self.owner, None),
        }
    }
}
