//! Tokens of OpenCL C after preprocessing.

use super::source::Loc;
use super::symbol::{Symbol, Symbols};

/// Kind of a token. Keywords are [`TokenKind::Identifier`]s: which identifiers are keywords depends on the
/// language version, and the parser decides it by symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// End of the translation unit.
    End,
    Identifier,
    /// Preprocessing number; the parser gives it a type and value.
    Number,
    /// Character constant with its quotes and prefix.
    Char,
    /// String literal with its quotes and prefix; adjacent literals are not joined yet.
    Str,
    /// `#pragma` or `_Pragma` for the parser; [`Token::symbol`] is the text after the word `pragma`.
    Pragma,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Dot,
    Ellipsis,
    Arrow,
    PlusPlus,
    MinusMinus,
    Amp,
    Star,
    Plus,
    Minus,
    Tilde,
    Not,
    Slash,
    Percent,
    Shl,
    Shr,
    Less,
    Greater,
    LessEq,
    GreaterEq,
    EqEq,
    NotEq,
    Caret,
    Pipe,
    AmpAmp,
    PipePipe,
    Question,
    Colon,
    Semicolon,
    Eq,
    StarEq,
    SlashEq,
    PercentEq,
    PlusEq,
    MinusEq,
    ShlEq,
    ShrEq,
    AmpEq,
    CaretEq,
    PipeEq,
    Comma,
    Hash,
    HashHash,
    At,
    /// A byte that begins no token; the parser reports it.
    Unknown,
}

/// A token with its spelling (identifiers, numbers, literals, pragmas) and location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// First token of a line.
    pub at_line_start: bool,
    /// White space before the token.
    pub after_space: bool,
    /// Identifier that is not expanded any more: it named a macro within that macro's own expansion.
    pub is_final: bool,
    /// Spelling of tokens that have several; `Symbol(0)` otherwise.
    pub symbol: Symbol,
    pub loc: Loc,
}

impl TokenKind {
    /// Whether tokens of this kind have their spelling in [`Token::symbol`].
    pub const fn is_spelled(self) -> bool {
        matches!(
            self,
            TokenKind::Identifier
                | TokenKind::Number
                | TokenKind::Char
                | TokenKind::Str
                | TokenKind::Pragma
                | TokenKind::Unknown
        )
    }

    /// The usual spelling of a punctuator; empty for other kinds.
    pub const fn text(self) -> &'static str {
        match self {
            TokenKind::End
            | TokenKind::Identifier
            | TokenKind::Number
            | TokenKind::Char
            | TokenKind::Str
            | TokenKind::Pragma
            | TokenKind::Unknown => "",
            TokenKind::LParen => "(",
            TokenKind::RParen => ")",
            TokenKind::LBracket => "[",
            TokenKind::RBracket => "]",
            TokenKind::LBrace => "{",
            TokenKind::RBrace => "}",
            TokenKind::Dot => ".",
            TokenKind::Ellipsis => "...",
            TokenKind::Arrow => "->",
            TokenKind::PlusPlus => "++",
            TokenKind::MinusMinus => "--",
            TokenKind::Amp => "&",
            TokenKind::Star => "*",
            TokenKind::Plus => "+",
            TokenKind::Minus => "-",
            TokenKind::Tilde => "~",
            TokenKind::Not => "!",
            TokenKind::Slash => "/",
            TokenKind::Percent => "%",
            TokenKind::Shl => "<<",
            TokenKind::Shr => ">>",
            TokenKind::Less => "<",
            TokenKind::Greater => ">",
            TokenKind::LessEq => "<=",
            TokenKind::GreaterEq => ">=",
            TokenKind::EqEq => "==",
            TokenKind::NotEq => "!=",
            TokenKind::Caret => "^",
            TokenKind::Pipe => "|",
            TokenKind::AmpAmp => "&&",
            TokenKind::PipePipe => "||",
            TokenKind::Question => "?",
            TokenKind::Colon => ":",
            TokenKind::Semicolon => ";",
            TokenKind::Eq => "=",
            TokenKind::StarEq => "*=",
            TokenKind::SlashEq => "/=",
            TokenKind::PercentEq => "%=",
            TokenKind::PlusEq => "+=",
            TokenKind::MinusEq => "-=",
            TokenKind::ShlEq => "<<=",
            TokenKind::ShrEq => ">>=",
            TokenKind::AmpEq => "&=",
            TokenKind::CaretEq => "^=",
            TokenKind::PipeEq => "|=",
            TokenKind::Comma => ",",
            TokenKind::Hash => "#",
            TokenKind::HashHash => "##",
            TokenKind::At => "@",
        }
    }
}

impl Token {
    /// Text of the token as it is written.
    pub fn text<'s>(&self, symbols: &'s Symbols) -> &'s str {
        match self.symbol {
            Symbol(0) => self.kind.text(),
            symbol => symbols.text(symbol),
        }
    }
}
