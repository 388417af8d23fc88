//! Preprocessor: the source with everything that it includes to the tokens of the translation unit.
//!
//! Tokens come from a stack: macro contexts ([`context`]) above the included files above the source. Macro
//! bodies and collected arguments are slices of tokens; nothing is allocated for a single token. The number
//! of files, bytes, expansions, and the depth of nesting are limited, and an input beyond a limit is an
//! error.

mod argument;
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

use super::lex::Lexer;
use super::session::{Input, Session};
use super::source::{ExpansionId, Loc, Pos};
use super::symbol::{Symbol, Symbols};
use super::token::{Token, TokenKind};
use argument::Arguments;
use conditional::Condition;
use context::Context;
use macros::Macros;
use search::{Place, Search};
use std::sync::Arc;

/// Maximum number of tokens of a translation unit.
const MAX_TOKENS: usize = 8 << 20;

/// Maximum number of tokens that macro expansions produce.
const MAX_WORK: u64 = 32 << 20;

/// Work of an expansion that is not that of its tokens.
const EXPANSION_WORK: usize = 4;

/// Maximum depth of macro invocations in arguments of others.
const MAX_DEPTH: u32 = 200;

/// Preprocesses a translation unit. The last token is [`TokenKind::End`].
pub fn preprocess(session: &mut Session, input: &Input<'_>) -> Vec<Token> {
    let mut preprocessor = Preprocessor::new(session, input);
    preprocessor.predefine(input);
    preprocessor.source(input.source)
}

/// A file that is being read.
struct OpenFile {
    lexer: Lexer,
    /// Open conditional groups, innermost last.
    conditions: Vec<Condition>,
    /// Where it was found, for files that it includes.
    place: Place,
}

/// Spellings with a meaning for the preprocessor.
struct Names {
    defined: Symbol,
    va_args: Symbol,
    va_opt: Symbol,
    pragma: Symbol,
    zero: Symbol,
    one: Symbol,
}

impl Names {
    fn new(symbols: &mut Symbols) -> Names {
        Names {
            defined: symbols.intern("defined"),
            va_args: symbols.intern("__VA_ARGS__"),
            va_opt: symbols.intern("__VA_OPT__"),
            pragma: symbols.intern("_Pragma"),
            zero: symbols.intern("0"),
            one: symbols.intern("1"),
        }
    }
}

struct Preprocessor<'s> {
    session: &'s mut Session,
    search: Search<'s>,
    macros: Macros,
    names: Names,
    /// Files that are being read; the source is the first.
    files: Vec<OpenFile>,
    /// Predefined macros, which are read when they are first used.
    predefined: Option<OpenFile>,
    /// Macro expansions that are being read; only if there are none, tokens come from the files.
    contexts: Vec<Context>,
    /// Buffers of tokens for reuse.
    pool: Vec<Vec<Token>>,
    /// Buffers of arguments for reuse.
    arguments: Vec<Arguments>,
    /// Text under construction.
    scratch: String,
    /// Arguments of a macro are being collected.
    is_collecting: bool,
    /// Depth of the expansion of arguments.
    depth: u32,
    /// Rest of [`MAX_WORK`].
    work: u64,
    /// Next value of `__COUNTER__`.
    counter: u32,
    /// End of the source.
    end: Pos,
}

impl<'s> Preprocessor<'s> {
    fn new(session: &'s mut Session, input: &Input<'s>) -> Preprocessor<'s> {
        Preprocessor {
            search: Search::new(input),
            macros: Macros::default(),
            names: Names::new(&mut session.symbols),
            session,
            files: Vec::new(),
            predefined: None,
            contexts: Vec::new(),
            pool: Vec::new(),
            arguments: Vec::new(),
            scratch: String::new(),
            is_collecting: false,
            depth: 0,
            work: MAX_WORK,
            counter: 0,
            end: Pos(0),
        }
    }

    /// Preprocesses the source, after the command line.
    fn source(&mut self, source: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(source.len() / 4 + 16);
        if self.open("<stdin>".into(), source.into(), Pos(0), Place::Source) {
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

    /// Opens a text as the innermost file. Returns whether the limits allow it.
    fn open(&mut self, name: Arc<str>, text: Arc<str>, includer: Pos, place: Place) -> bool {
        match self.session.sources.add(name, Arc::clone(&text), includer) {
            Some(buffer) => {
                let lexer = Lexer::new(text, self.session.sources.start(buffer));
                self.files.push(OpenFile { lexer, conditions: Vec::new(), place });
                true
            }
            None => {
                self.stop(Loc { pos: includer, ..Loc::default() }, "translation unit is too large");
                false
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

    fn end_token(&self) -> Token {
        Token {
            kind: TokenKind::End,
            at_line_start: true,
            after_space: false,
            is_final: false,
            symbol: Symbol(0),
            loc: Loc { pos: self.end, expansion: ExpansionId(0) },
        }
    }

    /// Reports an error and ends the unit.
    fn stop(&mut self, loc: Loc, message: impl Into<String>) {
        self.session.diagnostics.fatal(loc, message);
        self.files.clear();
        self.contexts.clear();
    }

    /// Counts tokens that an expansion produces. Returns whether the limit allows them.
    fn spend(&mut self, count: usize, loc: Loc) -> bool {
        self.work = self.work.saturating_sub(count as u64);
        if self.work == 0 {
            self.stop(loc, "macro expansion produces too many tokens");
        }
        self.work > 0
    }

    fn take_buffer(&mut self) -> Vec<Token> {
        self.pool.pop().unwrap_or_default()
    }

    fn return_buffer(&mut self, mut buffer: Vec<Token>) {
        if self.pool.len() < 64 {
            buffer.clear();
            self.pool.push(buffer);
        }
    }
}

#[cfg(test)]
mod mutation_tests;
#[cfg(test)]
mod tests;
