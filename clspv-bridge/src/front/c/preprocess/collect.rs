//! Collection and expansion of the arguments of macro invocations.

use super::super::source::Loc;
use super::super::token::{Token, TokenKind};
use super::argument::Arguments;
use super::context::MacroContext;
use super::macros::Macro;
use super::state::{EXPANSION_WORK, MAX_DEPTH, Preprocessor};

impl Preprocessor<'_> {
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
        let (given, wanted) = (arguments.count(), data.param_count());
        let is_empty = given == 1 && arguments.token_count() == 0;
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
        self.spend(arguments.token_count() + EXPANSION_WORK, name.loc).then_some(last)
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
                    let is_rest = data.is_variadic && arguments.count() + 1 >= data.param_count();
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
            arguments.push(token);
        }
    }

    fn note_definition(&mut self, data: &Macro) {
        let name = self.session.symbols.text(data.name);
        let text = format!("macro '{name}' defined here");
        self.session.diagnostics.note(data.loc, text);
    }

    /// Expands an argument, unless that was done before.
    pub(super) fn expand_argument(&mut self, arguments: &mut Arguments, index: u16) {
        if !arguments.needs_expansion(index) {
            return;
        }
        let raw = arguments.raw(index);
        let may_expand =
            |t: &Token| t.kind == TokenKind::Identifier && !t.is_final && self.is_defined(t.symbol);
        if raw.iter().any(may_expand) {
            let mut tokens = self.take_buffer();
            tokens.extend_from_slice(raw);
            let mut expanded = self.take_buffer();
            self.expand_tokens(tokens, &mut expanded);
            arguments.set_expanded(index, Some(&expanded));
            self.return_buffer(expanded);
        } else {
            arguments.set_expanded(index, None);
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
        self.contexts.push(MacroContext::of_tokens(None, tokens, None));
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
