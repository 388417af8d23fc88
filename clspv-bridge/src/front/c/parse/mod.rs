//! Parser: tokens of a translation unit to a typed tree.
//!
//! Recursive descent in which each construct is checked by [`Sema`] as soon as it is read. A syntax error is
//! reported once; then the parser skips to the end of the statement or declaration. The parser reads tokens
//! only through the cursor of this file, which handles pragmas and bounds the nesting.

pub mod attributes;
mod decl;
pub mod declarator;
mod expr;
mod initializer;
pub mod keyword;
mod postfix;
mod pragma;
mod primary;
mod record;
mod special;
pub mod specifiers;
mod statement;

use super::ast::{LoopHint, Unit};
use super::declaration::Chunk;
use super::language::Language;
use super::sema::Sema;
use super::session::Session;
use super::source::{Loc, Pos};
use super::symbol::Symbol;
use super::token::{Token, TokenKind};
use super::types::Types;
use keyword::{Keyword, Keywords};

/// Depth of nested expressions, statements, declarators and initializers that the parser accepts.
pub const MAX_DEPTH: u32 = 256;

/// Parses and checks a translation unit. With errors in the session's diagnostics the unit is not lowered.
pub fn parse(session: &mut Session, tokens: &[Token], types: &mut Types, language: &Language) -> Unit {
    let mut parser = Parser::new(session, tokens, types, language);
    // Most tokens make one expression or none.
    parser.sema.unit.exprs.reserve(tokens.len() / 2);
    parser.translation_unit();
    parser.sema.finish()
}

/// Cursor over the tokens, with the semantic analysis that it feeds.
pub struct Parser<'s> {
    pub sema: Sema<'s>,
    tokens: &'s [Token],
    /// Index of the token that [`Parser::peek`] returns; never that of a pragma.
    position: usize,
    keywords: Keywords,
    depth: u32,
    /// Parts of the declarators that are being read.
    chunks: Vec<Chunk>,
    /// Hint of `#pragma unroll` for the next loop.
    unroll: Option<LoopHint>,
    /// Whether the declaration that is being read is in the head of a `for` statement.
    in_loop_head: bool,
}

impl<'s> Parser<'s> {
    /// A parser at the first token.
    pub fn new(
        session: &'s mut Session,
        tokens: &'s [Token],
        types: &'s mut Types,
        language: &'s Language,
    ) -> Parser<'s> {
        let keywords = Keywords::new(&mut session.symbols, language);
        let sema = Sema::new(session, types, language);
        let mut parser = Parser {
            sema,
            tokens,
            position: 0,
            keywords,
            depth: 0,
            chunks: Vec::new(),
            unroll: None,
            in_loop_head: false,
        };
        parser.skip_pragmas();
        parser
    }

    /// The current token.
    pub fn peek(&self) -> Token {
        self.token(self.position)
    }

    /// Kind of the current token.
    pub fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    /// Location of the current token.
    pub fn loc(&self) -> Loc {
        self.peek().loc
    }

    /// The token `ahead` tokens after the current one, pragmas not counted.
    pub fn peek_at(&self, ahead: usize) -> Token {
        let rest = self.tokens.get(self.position..).unwrap_or_default();
        let mut visible = rest.iter().filter(|token| token.kind != TokenKind::Pragma);
        visible.nth(ahead).copied().unwrap_or_else(|| self.token(usize::MAX))
    }

    /// Returns the current token and moves to the next one. The end is never passed.
    #[allow(clippy::should_implement_trait)] // the end is a token, so there is always a next one
    pub fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.position += 1;
            self.skip_pragmas();
        }
        token
    }

    /// Moves past the current token if it is of this kind.
    pub fn accept(&mut self, kind: TokenKind) -> bool {
        let is_there = self.kind() == kind;
        if is_there {
            self.next();
        }
        is_there
    }

    /// Moves past a token of this kind, or reports that it is missing: "expected " and `what`.
    pub fn expect(&mut self, kind: TokenKind, what: &str) -> bool {
        if self.accept(kind) {
            return true;
        }
        // A missing semicolon belongs to the end of the line before.
        let is_end = matches!(kind, TokenKind::Semicolon | TokenKind::Colon);
        let loc = if is_end { self.end_of_previous() } else { self.loc() };
        self.error_expected(loc, what);
        if kind == TokenKind::Semicolon {
            self.sema.suggest(";");
        }
        false
    }

    /// Moves past the bracket that closes `open`, or reports it missing and skips to it.
    pub fn expect_close(&mut self, kind: TokenKind, open: Loc) -> bool {
        if self.accept(kind) {
            return true;
        }
        let (close, opening) = match kind {
            TokenKind::RParen => ("')'", "to match this '('"),
            TokenKind::RBracket => ("']'", "to match this '['"),
            _ => ("'}'", "to match this '{'"),
        };
        let loc = self.loc();
        if self.error_expected(loc, close) {
            self.sema.note(open, opening);
        }
        self.skip_to(&[kind]);
        if !self.accept(kind) && kind == TokenKind::RBracket {
            // A parenthesis in the bracket's place.
            self.accept(TokenKind::RParen);
        }
        false
    }

    /// Reports "expected `what`", once for a token; returns whether it did.
    pub fn error_expected(&mut self, loc: Loc, what: &str) -> bool {
        self.sema.error(loc, format!("expected {what}"));
        true
    }

    /// The keyword that the current token is.
    pub fn keyword(&self) -> Option<Keyword> {
        self.keyword_of(self.peek())
    }

    /// The keyword that a token is.
    pub fn keyword_of(&self, token: Token) -> Option<Keyword> {
        if token.kind == TokenKind::Identifier { self.keywords.get(token.symbol) } else { None }
    }

    /// Moves past a keyword.
    pub fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let is_there = self.keyword() == Some(keyword);
        if is_there {
            self.next();
        }
        is_there
    }

    /// The current token's name if it is an identifier and not a keyword.
    pub fn identifier(&self) -> Option<Symbol> {
        let token = self.peek();
        (token.kind == TokenKind::Identifier && self.keywords.get(token.symbol).is_none())
            .then_some(token.symbol)
    }

    /// Location of the last token that was read.
    pub fn previous_loc(&self) -> Loc {
        self.previous().loc
    }

    /// Kind of the last token that was read.
    pub fn previous_kind(&self) -> TokenKind {
        self.previous().kind
    }

    /// Location behind the last token that was read.
    pub fn end_of_previous(&self) -> Loc {
        let token = self.previous();
        if token.loc.expansion.0 != 0 {
            return token.loc;
        }
        let text = self.sema.session.symbols.text(token.symbol);
        let len = if token.kind.is_spelled() { text.len() } else { token.kind.text().len() };
        Loc { pos: Pos(token.loc.pos.0.saturating_add(len as u32)), ..token.loc }
    }

    /// Calls `parse` one level deeper, or reports that the program nests too deep and gives up on it.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            let loc = self.loc();
            self.sema.error(loc, "nesting too deep");
            self.give_up();
            return None;
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        Some(result)
    }

    /// Moves to the end of the unit.
    pub fn give_up(&mut self) {
        self.position = self.tokens.len();
    }

    /// Whether the parser can be rewound to a point without reporting anything twice: position for
    /// [`Parser::rewind`].
    pub fn mark(&self) -> usize {
        self.position
    }

    /// Moves back to a position of [`Parser::mark`].
    pub fn rewind(&mut self, mark: usize) {
        self.position = mark;
    }

    /// Skips to one of the kinds on this level of brackets, or to the bracket that closes the level, a
    /// semicolon, or the end.
    pub fn skip_to(&mut self, kinds: &[TokenKind]) {
        let mut level = 0u32;
        loop {
            let kind = self.kind();
            if kind == TokenKind::End || level == 0 && kinds.contains(&kind) {
                return;
            }
            match kind {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => level += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace if level > 0 => level -= 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace | TokenKind::Semicolon
                    if level == 0 =>
                {
                    return;
                }
                _ => {}
            }
            self.next();
        }
    }

    /// Moves past the bracket at the cursor and the one that closes it.
    pub fn skip_brackets(&mut self) {
        let mut level = 0u32;
        while self.kind() != TokenKind::End {
            match self.next().kind {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => level += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    level = level.saturating_sub(1)
                }
                _ => {}
            }
            if level == 0 {
                return;
            }
        }
    }

    fn token(&self, index: usize) -> Token {
        let end = self.tokens.last();
        self.tokens.get(index).or(end).copied().unwrap_or(Token {
            kind: TokenKind::End,
            at_line_start: true,
            after_space: false,
            is_final: false,
            symbol: Symbol(0),
            loc: Loc::default(),
        })
    }

    fn previous(&self) -> Token {
        let before = self.tokens.get(..self.position).unwrap_or(self.tokens);
        let visible = before.iter().rev().find(|token| token.kind != TokenKind::Pragma);
        visible.copied().unwrap_or_else(|| self.token(0))
    }
}

#[cfg(test)]
mod tests;
