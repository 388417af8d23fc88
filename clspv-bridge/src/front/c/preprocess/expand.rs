//! Macro expansion.
//!
//! A macro is disabled while its context is read. A name that is met meanwhile becomes final: it is never
//! expanded, wherever it goes.

use super::super::source::{ExpansionData, ExpansionId, Loc};
use super::super::token::{Token, TokenKind};
use super::argument::Arguments;
use super::context::MacroContext;
use super::macros::{Macro, MacroId, MacroKind, Role};
use super::state::{EXPANSION_WORK, Preprocessor};

/// Result of a macro's body after substitution.
struct Substitution {
    tokens: Vec<Token>,
    /// The left operand of a `##` that may follow has no tokens.
    is_left_empty: bool,
    /// The token before was `##`.
    pastes: bool,
    /// First token, in the body, of the operands that are pasted.
    left: Option<Token>,
    /// The last `##`.
    operator: Loc,
}

impl Preprocessor<'_> {
    /// Expands a macro. Returns the token to use instead of its name; `None` if a context has it.
    pub(super) fn expand(&mut self, name: Token, id: MacroId) -> Option<Token> {
        self.read_predefined(id);
        let data = self.macros.data(id)?;
        if data.is_disabled {
            return Some(Token { is_final: true, ..name });
        }
        match data.kind {
            MacroKind::Object | MacroKind::Predefined(_) => self.expand_object(name, id),
            MacroKind::Function => {
                if self.is_before_paren() {
                    self.expand_function(name, id)
                } else {
                    Some(name)
                }
            }
            MacroKind::Dynamic(dynamic) => Some(self.expand_dynamic(name, dynamic)),
        }
    }

    fn expand_object(&mut self, name: Token, id: MacroId) -> Option<Token> {
        let data = self.macros.data(id)?;
        let (body, is_plain) = (data.body, data.is_plain);
        let expansion = ExpansionData { name: name.symbol, at: name.loc, last: name.loc };
        let expansion = self.session.sources.add_expansion(expansion);
        if !self.spend((body.1 - body.0) as usize + EXPANSION_WORK, name.loc) {
            return None;
        }
        if is_plain {
            // Constants are the usual case.
            if body.1 - body.0 == 1
                && let Some(token) = self.macros.bodies().get(body.0 as usize)
                && token.kind != TokenKind::Identifier
            {
                let mut token = *token;
                token.loc.expansion = expansion;
                (token.after_space, token.at_line_start) = (name.after_space, name.at_line_start);
                return Some(token);
            }
            if body.0 < body.1 {
                self.macros.set_disabled(id, true);
                self.contexts.push(MacroContext::of_body(id, body, expansion, name));
            }
            return None;
        }
        let data = self.macros.data(id)?.clone();
        let tokens = self.substitute(&data, &mut Arguments::default(), expansion);
        self.push_expansion(id, tokens, name);
        None
    }

    fn expand_function(&mut self, name: Token, id: MacroId) -> Option<Token> {
        let data = self.macros.data(id)?.clone();
        let mut arguments = self.take_arguments();
        let Some(last) = self.collect(name, &data, &mut arguments) else {
            self.return_arguments(arguments);
            return Some(Token { is_final: true, ..name });
        };
        let expansion = ExpansionData { name: name.symbol, at: name.loc, last };
        let expansion = self.session.sources.add_expansion(expansion);
        let tokens = self.substitute(&data, &mut arguments, expansion);
        self.return_arguments(arguments);
        self.push_expansion(id, tokens, name);
        None
    }

    fn push_expansion(&mut self, id: MacroId, tokens: Vec<Token>, name: Token) {
        if tokens.is_empty() || self.files.is_empty() {
            self.return_buffer(tokens);
            return;
        }
        self.macros.set_disabled(id, true);
        self.contexts.push(MacroContext::of_tokens(Some(id), tokens, Some(name)));
    }

    /// Body of a macro with its arguments in place of the parameters.
    fn substitute(&mut self, data: &Macro, arguments: &mut Arguments, expansion: ExpansionId) -> Vec<Token> {
        let mut out = Substitution {
            tokens: self.take_buffer(),
            is_left_empty: true,
            pastes: false,
            left: None,
            operator: Loc::default(),
        };
        let mut index = data.body.0;
        // White space before `__VA_OPT__`, which its first token has.
        let mut has_space = false;
        while index < data.body.1 {
            let Some((mut token, role)) = self.macros.body_token(index) else { break };
            index += 1;
            token.loc.expansion = expansion;
            token.after_space |= std::mem::take(&mut has_space);
            if !self.spend(1, token.loc) {
                break;
            }
            match role {
                Role::Paste => {
                    out.pastes = true;
                    out.operator = token.loc;
                    continue;
                }
                Role::Plain => self.append(&mut out, &[token], token),
                Role::Stringify(param) => {
                    let text = self.stringify(token, arguments.raw(param));
                    self.append(&mut out, &[text], token);
                }
                Role::Param(param) => self.append_argument(&mut out, data, index, token, param, arguments),
                Role::VaOpt => {
                    if self.has_variable_arguments(data, arguments) {
                        has_space = token.after_space;
                        continue;
                    } else {
                        index = self.end_of_va_opt(index, data.body.1);
                        self.append(&mut out, &[], token);
                    }
                }
                Role::EndVaOpt => {}
            }
            out.pastes = false;
        }
        out.tokens
    }

    /// Appends an argument: as it is written beside `##`, otherwise expanded.
    fn append_argument(
        &mut self,
        out: &mut Substitution,
        data: &Macro,
        after: u32,
        token: Token,
        param: u16,
        arguments: &mut Arguments,
    ) {
        let is_last = usize::from(param) + 1 == data.param_count();
        let follows_comma = out.tokens.last().is_some_and(|t| t.kind == TokenKind::Comma);
        if out.pastes && data.is_variadic && is_last && follows_comma && !out.is_left_empty {
            // GNU: `, ## __VA_ARGS__` removes the comma if there are no variable arguments.
            out.pastes = false;
            let raw = arguments.raw(param);
            if raw.is_empty() {
                out.tokens.pop();
                out.is_left_empty = true;
            } else if self.spend(raw.len(), token.loc) {
                self.append(out, raw, token);
            }
            return;
        }
        let is_before_paste =
            after < data.body.1 && matches!(self.macros.body_token(after), Some((_, Role::Paste)));
        if !out.pastes && !is_before_paste {
            self.expand_argument(arguments, param);
        }
        let tokens =
            if out.pastes || is_before_paste { arguments.raw(param) } else { arguments.expanded(param) };
        if self.spend(tokens.len(), token.loc) {
            self.append(out, tokens, token);
        }
    }

    /// Appends tokens for one token of the body, pasted to the last if `##` is before it.
    fn append(&mut self, out: &mut Substitution, tokens: &[Token], body: Token) {
        let mut rest = tokens;
        if out.pastes && !out.is_left_empty {
            if let (Some((right, others)), Some(left)) = (tokens.split_first(), out.tokens.last().copied()) {
                let written = out.left.unwrap_or(body);
                match self.paste(left, *right, written.loc, out.operator) {
                    Some(pasted) => {
                        out.tokens.pop();
                        out.tokens.push(pasted);
                    }
                    None => out.tokens.push(*right),
                }
                rest = others;
            }
        } else if !out.pastes || out.left.is_none() {
            out.left = Some(body);
        }
        if !out.pastes {
            out.left = Some(body);
        }
        out.is_left_empty = tokens.is_empty() && (!out.pastes || out.is_left_empty);
        let first = out.tokens.len();
        out.tokens.extend_from_slice(rest);
        if rest.len() == tokens.len()
            && let Some(token) = out.tokens.get_mut(first)
        {
            token.after_space = body.after_space;
            token.at_line_start = false;
        }
    }

    fn has_variable_arguments(&mut self, data: &Macro, arguments: &mut Arguments) -> bool {
        let Some(last) = data.param_count().checked_sub(1) else { return false };
        self.expand_argument(arguments, last as u16);
        !arguments.expanded(last as u16).is_empty()
    }

    /// Index after the end of `__VA_OPT__`.
    fn end_of_va_opt(&self, start: u32, end: u32) -> u32 {
        let is_end = |i: &u32| matches!(self.macros.body_token(*i), Some((_, Role::EndVaOpt)));
        (start..end).find(is_end).map_or(end, |i| i + 1)
    }
}
