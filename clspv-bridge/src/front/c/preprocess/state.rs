//! State of the preprocessor: open files and contexts, definitions, limits.

use super::super::lex::Lexer;
use super::super::session::Session;
use super::super::source::{ExpansionId, Loc, Pos};
use super::super::symbol::{Symbol, Symbols};
use super::super::token::{Token, TokenKind};
use super::argument::Arguments;
use super::context::MacroContext;
use super::macros::Macros;
use super::search::{Search, SearchPosition};
use crate::options::CompileRequest;
use std::sync::Arc;

/// Maximum number of tokens that macro expansions produce.
pub const MAX_WORK: u64 = 32 << 20;

/// Work of an expansion that is not that of its tokens.
pub const EXPANSION_WORK: usize = 4;

/// Maximum depth of macro invocations in arguments of others.
pub const MAX_DEPTH: u32 = 200;

/// An open `#if`, `#ifdef` or `#ifndef`.
pub struct Condition {
    /// The directive that opened it.
    pub loc: Loc,
    /// A group of it is or was included.
    pub is_done: bool,
    pub has_else: bool,
}

/// A file that is being read.
pub struct OpenFile {
    pub lexer: Lexer,
    /// Open conditional groups, innermost last.
    pub conditions: Vec<Condition>,
    /// Where it was found, for files that it includes.
    pub position: SearchPosition,
}

/// Spellings with a meaning for the preprocessor.
pub struct Names {
    pub defined: Symbol,
    pub va_args: Symbol,
    pub va_opt: Symbol,
    pub pragma: Symbol,
    pub zero: Symbol,
    pub one: Symbol,
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

/// State of the preprocessor of a translation unit.
pub struct Preprocessor<'s> {
    pub session: &'s mut Session,
    pub search: Search<'s>,
    pub macros: Macros,
    pub names: Names,
    /// Files that are being read; the source is the first.
    pub files: Vec<OpenFile>,
    /// Predefined macros, which are read when they are first used.
    pub predefined: Option<OpenFile>,
    /// Macro expansions that are being read; only if there are none, tokens come from the files.
    pub contexts: Vec<MacroContext>,
    /// Buffers of tokens for reuse.
    pub pool: Vec<Vec<Token>>,
    /// Buffers of arguments for reuse.
    pub arguments: Vec<Arguments>,
    /// Text under construction.
    pub scratch: String,
    /// Arguments of a macro are being collected.
    pub is_collecting: bool,
    /// Depth of the expansion of arguments.
    pub depth: u32,
    /// Rest of [`MAX_WORK`].
    pub work: u64,
    /// Next value of `__COUNTER__`.
    pub counter: u32,
    /// End of the source.
    pub end: Pos,
}

impl<'s> Preprocessor<'s> {
    pub fn new(session: &'s mut Session, request: &CompileRequest<'s>) -> Preprocessor<'s> {
        Preprocessor {
            search: Search::new(request),
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

    /// Opens a text as the innermost file. Returns whether the limits allow it.
    pub fn open(&mut self, name: Arc<str>, text: Arc<str>, includer: Pos, position: SearchPosition) -> bool {
        match self.session.sources.add(name, Arc::clone(&text), includer) {
            Some(buffer) => {
                let lexer = Lexer::new(text, self.session.sources.start(buffer));
                self.files.push(OpenFile { lexer, conditions: Vec::new(), position });
                true
            }
            None => {
                self.stop(Loc { pos: includer, ..Loc::default() }, "translation unit is too large");
                false
            }
        }
    }

    pub fn end_token(&self) -> Token {
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
    pub fn stop(&mut self, loc: Loc, message: impl Into<String>) {
        self.session.diagnostics.fatal(loc, message);
        self.files.clear();
        self.contexts.clear();
    }

    /// Counts tokens that an expansion produces. Returns whether the limit allows them.
    pub fn spend(&mut self, count: usize, loc: Loc) -> bool {
        self.work = self.work.saturating_sub(count as u64);
        if self.work == 0 {
            self.stop(loc, "macro expansion produces too many tokens");
        }
        self.work > 0
    }

    pub fn take_buffer(&mut self) -> Vec<Token> {
        self.pool.pop().unwrap_or_default()
    }

    pub fn return_buffer(&mut self, mut buffer: Vec<Token>) {
        if self.pool.len() < 64 {
            buffer.clear();
            self.pool.push(buffer);
        }
    }

    pub fn take_arguments(&mut self) -> Arguments {
        self.arguments.pop().unwrap_or_default()
    }

    pub fn return_arguments(&mut self, mut arguments: Arguments) {
        if self.arguments.len() < 64 {
            arguments.clear();
            self.arguments.push(arguments);
        }
    }

    /// Ends the innermost context, and enables its macro again.
    pub fn pop_context(&mut self) {
        let (owner, buffer) = self.contexts.pop().map_or((None, None), MacroContext::into_parts);
        if let Some(owner) = owner {
            self.macros.set_disabled(owner, false);
        }
        if let Some(buffer) = buffer {
            self.return_buffer(buffer);
        }
    }

    /// Ends all contexts: what is left of macros in a directive.
    pub fn drop_contexts(&mut self) {
        while !self.contexts.is_empty() {
            self.pop_context();
        }
    }

    /// Whether the next token is an opening parenthesis, in whatever context or file.
    pub fn is_before_paren(&self) -> bool {
        for context in self.contexts.iter().rev() {
            match context.peek(self.macros.bodies()) {
                Some(kind) => return kind == TokenKind::LParen,
                None if context.is_argument() => return false,
                None => {}
            }
        }
        self.files.iter().rev().find_map(|file| file.lexer.is_before_paren()).unwrap_or(false)
    }

    pub fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.session.diagnostics.error(loc, message);
    }

    /// Whether a name is a macro's.
    pub fn is_defined(&self, name: Symbol) -> bool {
        self.macros.get(name).is_some()
    }
}
