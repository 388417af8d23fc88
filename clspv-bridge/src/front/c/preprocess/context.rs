//! Contexts: the tokens of macro expansions and arguments that are read before the files continue.

use super::super::source::ExpansionId;
use super::super::token::{Token, TokenKind};
use super::Preprocessor;
use super::macros::MacroId;

/// Tokens of a context.
enum Source {
    /// Body of a macro without parameters, from which tokens are copied.
    Body(ExpansionId),
    Tokens(Vec<Token>),
}

/// Tokens to read.
pub struct Context {
    source: Source,
    at: u32,
    end: u32,
    /// Macro that is expanded: not expanded again until the context ends. `None` for an argument, the end of
    /// which is an end for its reader.
    owner: Option<MacroId>,
    /// White space and line start of the first token, which are those of the macro's name.
    first: Option<(bool, bool)>,
}

impl Context {
    /// Context of a macro's body.
    pub fn of_body(owner: MacroId, range: (u32, u32), expansion: ExpansionId, name: Token) -> Context {
        let first = Some((name.after_space, name.at_line_start));
        Context { source: Source::Body(expansion), at: range.0, end: range.1, owner: Some(owner), first }
    }

    /// Context of tokens that a macro's expansion has produced, or of an argument.
    pub fn of_tokens(owner: Option<MacroId>, tokens: Vec<Token>, name: Option<Token>) -> Context {
        let end = tokens.len() as u32;
        let first = name.map(|name| (name.after_space, name.at_line_start));
        Context { source: Source::Tokens(tokens), at: 0, end, owner, first }
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
    fn peek(&self, bodies: &[Token]) -> Option<TokenKind> {
        if self.at >= self.end {
            return None;
        }
        let tokens = match &self.source {
            Source::Body(_) => bodies,
            Source::Tokens(tokens) => tokens,
        };
        tokens.get(self.at as usize).map(|t| t.kind)
    }
}

impl Preprocessor<'_> {
    /// Ends the innermost context, and enables its macro again.
    pub(super) fn pop_context(&mut self) {
        if let Some(context) = self.contexts.pop() {
            if let Some(owner) = context.owner {
                self.macros.set_disabled(owner, false);
            }
            if let Source::Tokens(tokens) = context.source {
                self.return_buffer(tokens);
            }
        }
    }

    /// Whether the next token is an opening parenthesis, in whatever context or file.
    pub(super) fn is_before_paren(&self) -> bool {
        for context in self.contexts.iter().rev() {
            match context.peek(self.macros.bodies()) {
                Some(kind) => return kind == TokenKind::LParen,
                None if context.is_argument() => return false,
                None => {}
            }
        }
        self.files.iter().rev().find_map(|file| file.lexer.is_before_paren()).unwrap_or(false)
    }
}
