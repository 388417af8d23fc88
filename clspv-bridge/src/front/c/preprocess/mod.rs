//! Preprocessor: the source with everything that it includes to the tokens of the translation unit.

use super::lex::Lexer;
use super::session::{Input, Session};
use super::source::Pos;
use super::token::{Token, TokenKind};
use std::sync::Arc;

/// Preprocesses a translation unit. The last token is [`TokenKind::End`].
pub fn preprocess(session: &mut Session, input: &Input<'_>) -> Vec<Token> {
    let text: Arc<str> = input.source.into();
    let mut tokens = Vec::new();
    let Some(buffer) = session.sources.add("<stdin>".into(), Arc::clone(&text), Pos(0)) else {
        return tokens;
    };
    let mut lexer = Lexer::new(text, session.sources.start(buffer));
    loop {
        let token = lexer.next(session);
        tokens.push(token);
        if token.kind == TokenKind::End {
            return tokens;
        }
    }
}
