//! Arguments of macro invocations.

use super::super::source::Loc;
use super::super::token::{Token, TokenKind};
use super::context::Context;
use super::macros::Macro;
use super::{EXPANSION_WORK, MAX_DEPTH, Preprocessor};

/// Arguments of an invocation.
#[derive(Default)]
pub struct Arguments {
    /// All arguments as they are written, one after another.
    tokens: Vec<Token>,
    /// End of each argument.
    ends: Vec<u32>,
    /// Expanded arguments, in the order in which they were needed.
    expanded: Vec<Token>,
    /// Range of each argument in `expanded`, or the argument itself if expansion does not change it.
    states: Vec<Expansion>,
}

/// Expansion of an argument.
#[derive(Clone, Copy)]
enum Expansion {
    Unknown,
    /// The same tokens.
    Same,
    Range(u32, u32),
}

impl Arguments {
    /// Argument as it is written; empty if there is no such argument.
    pub fn raw(&self, index: u16) -> &[Token] {
        let index = usize::from(index);
        let end = self.ends.get(index).copied().unwrap_or(0) as usize;
        let start = index.checked_sub(1).and_then(|i| self.ends.get(i)).copied().unwrap_or(0) as usize;
        self.tokens.get(start..end).unwrap_or_default()
    }

    /// Argument after [`Preprocessor::expand_argument`].
    pub fn expanded(&self, index: u16) -> &[Token] {
        match self.states.get(usize::from(index)) {
            Some(Expansion::Range(start, end)) => {
                self.expanded.get(*start as usize..*end as usize).unwrap_or_default()
            }
            _ => self.raw(index),
        }
    }

    fn end_argument(&mut self) {
        self.ends.push(self.tokens.len() as u32);
        self.states.push(Expansion::Unknown);
    }

    fn clear(&mut self) {
        self.tokens.clear();
        self.ends.clear();
        self.expanded.clear();
        self.states.clear();
    }
}

impl Preprocessor<'_> {
    pub(super) fn take_arguments(&mut self) -> Arguments {
        self.arguments.pop().unwrap_or_default()
    }

    pub(super) fn return_arguments(&mut self, mut arguments: Arguments) {
        if self.arguments.len() < 64 {
            arguments.clear();
            self.arguments.push(arguments);
        }
    }

    /// Reads the arguments of an invocation; the next token is the opening parenthesis. Returns the location
    /// of the closing one, or `None` after an error.
    pub(super) fn collect(&mut self, name: Token, data: &Macro, arguments: &mut Arguments) -> Option<Loc> {
        let was_collecting = std::mem::replace(&mut self.is_collecting, true);
        let last = self.collect_tokens(data, arguments);
        self.is_collecting = was_collecting;
        let Some(last) = last else {
            self.error(name.loc, "unterminated function-like macro invocation");
            self.note_definition(data);
            return None;
        };
        let (given, wanted) = (arguments.ends.len(), data.param_count());
        let is_empty = given == 1 && arguments.tokens.is_empty();
        let may_be_absent = usize::from(data.is_variadic);
        if given > wanted && !(is_empty && wanted == 0) {
            let excess = arguments.raw(wanted as u16).first().map_or(last, |t| t.loc);
            self.error(excess, "too many arguments provided to function-like macro invocation");
            self.note_definition(data);
            return None;
        }
        if given + may_be_absent < wanted {
            self.error(last, "too few arguments provided to function-like macro invocation");
            self.note_definition(data);
            return None;
        }
        self.spend(arguments.tokens.len() + EXPANSION_WORK, name.loc).then_some(last)
    }

    /// Reads arguments up to the closing parenthesis; `None` if there is none.
    fn collect_tokens(&mut self, data: &Macro, arguments: &mut Arguments) -> Option<Loc> {
        self.next_unexpanded();
        let mut depth = 0u32;
        loop {
            let mut token = self.next_unexpanded();
            match token.kind {
                TokenKind::End => return None,
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => {
                    arguments.end_argument();
                    return Some(token.loc);
                }
                TokenKind::RParen => depth -= 1,
                TokenKind::Comma if depth == 0 => {
                    let is_rest = data.is_variadic && arguments.ends.len() + 1 >= data.param_count();
                    if !is_rest {
                        arguments.end_argument();
                        continue;
                    }
                }
                TokenKind::Identifier => token.is_final |= self.macros.is_disabled(token.symbol),
                _ => {}
            }
            token.after_space |= token.at_line_start;
            token.at_line_start = false;
            arguments.tokens.push(token);
        }
    }

    fn note_definition(&mut self, data: &Macro) {
        let name = self.session.symbols.text(data.name);
        let text = format!("macro '{name}' defined here");
        self.session.diagnostics.note(data.loc, text);
    }

    /// Expands an argument, unless that was done before.
    pub(super) fn expand_argument(&mut self, arguments: &mut Arguments, index: u16) {
        let at = usize::from(index);
        if !matches!(arguments.states.get(at), Some(Expansion::Unknown)) {
            return;
        }
        let raw = arguments.raw(index);
        let may_expand =
            |t: &Token| t.kind == TokenKind::Identifier && !t.is_final && self.is_defined(t.symbol);
        let mut state = Expansion::Same;
        if raw.iter().any(may_expand) {
            let mut tokens = self.take_buffer();
            tokens.extend_from_slice(raw);
            let start = arguments.expanded.len() as u32;
            self.expand_tokens(tokens, &mut arguments.expanded);
            state = Expansion::Range(start, arguments.expanded.len() as u32);
        }
        if let Some(known) = arguments.states.get_mut(at) {
            *known = state;
        }
    }

    /// Expands tokens as if nothing followed them.
    fn expand_tokens(&mut self, tokens: Vec<Token>, out: &mut Vec<Token>) {
        if self.depth >= MAX_DEPTH {
            let loc = tokens.first().map_or(Loc::default(), |t| t.loc);
            self.stop(loc, "macro invocations nested too deeply");
            return;
        }
        self.depth += 1;
        let outer = self.contexts.len();
        self.contexts.push(Context::of_tokens(None, tokens, None));
        loop {
            let token = self.next();
            if token.kind == TokenKind::End {
                break;
            }
            if !self.spend(1, token.loc) {
                break;
            }
            out.push(token);
        }
        while self.contexts.len() > outer {
            self.pop_context();
        }
        self.depth -= 1;
    }
}
