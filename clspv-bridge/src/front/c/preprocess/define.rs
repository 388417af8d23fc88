//! `#define` and `#undef`.

use super::super::token::{Token, TokenKind};
use super::macros::{Macro, MacroKind, Role};
use super::state::Preprocessor;

/// Maximum number of parameters of a macro.
const MAX_PARAMS: usize = 1024;

impl Preprocessor<'_> {
    /// Reads the name of a macro in a directive; `None` if there is none, which is an error.
    pub(super) fn macro_name(&mut self) -> Option<Token> {
        let token = self.next_of_file();
        match token.kind {
            TokenKind::Identifier if token.symbol == self.names.defined => {
                self.error(token.loc, "'defined' cannot be used as a macro name");
                None
            }
            TokenKind::Identifier => Some(token),
            TokenKind::End => {
                self.error(token.loc, "macro name missing");
                None
            }
            _ => {
                self.error(token.loc, "macro name must be an identifier");
                None
            }
        }
    }

    /// `#define`, after the word.
    pub(super) fn define(&mut self) {
        let Some(name) = self.macro_name() else { return };
        let bodies = self.macros.body_len();
        match self.definition(name) {
            Some(data) => self.define_as(data),
            None => self.macros.truncate_body(bodies),
        }
    }

    /// Puts a definition in force, with a warning if it changes another.
    fn define_as(&mut self, data: Macro) {
        if let Some(id) = self.macros.get(data.name) {
            self.read_predefined(id);
            if let Some(known) = self.macros.data(id).cloned() {
                let name = self.session.symbols.text(data.name);
                if let MacroKind::Dynamic(_) = known.kind {
                    let group = "builtin-macro-redefined";
                    self.session.diagnostics.warning(group, data.loc, "redefining builtin macro");
                } else if !self.macros.is_same(&known, &data) {
                    let text = format!("'{name}' macro redefined");
                    self.session.diagnostics.warning("macro-redefined", data.loc, text);
                    self.session.diagnostics.note(known.loc, "previous definition is here");
                } else {
                    // An equal definition.
                    if self.macros.body_len() == data.body.1 {
                        self.macros.truncate_body(data.body.0);
                    }
                    return;
                }
            }
        }
        self.macros.define(data);
    }

    /// Reads a definition after the macro's name.
    pub(super) fn definition(&mut self, name: Token) -> Option<Macro> {
        let mut token = self.next_of_file();
        let params = self.macros.param_len();
        let mut is_variadic = false;
        let mut kind = MacroKind::Object;
        if token.kind == TokenKind::LParen && !token.after_space {
            kind = MacroKind::Function;
            is_variadic = self.parameters()?;
            token = self.next_of_file();
        } else if token.kind != TokenKind::End && !token.after_space {
            let group = "c99-whitespace";
            self.session.diagnostics.warning(group, token.loc, "whitespace required after macro name");
        }
        let params = (params, self.macros.param_len());
        let body = self.macros.body_len();
        let is_plain = match kind {
            MacroKind::Function => self.function_body(token, params, is_variadic)?,
            _ => self.object_body(token),
        };
        let end = self.macros.body_len();
        for index in [body, end.saturating_sub(1)] {
            if end > body
                && let Some((token, Role::Paste)) = self.macros.body_token(index)
            {
                let which = if index == body { "start" } else { "end" };
                self.error(token.loc, format!("'##' cannot appear at {which} of macro expansion"));
                return None;
            }
        }
        Some(Macro {
            name: name.symbol,
            loc: name.loc,
            kind,
            params,
            is_variadic,
            body: (body, end),
            is_plain,
            is_disabled: false,
        })
    }

    /// Parameters after the opening parenthesis. Returns whether the last is variable.
    fn parameters(&mut self) -> Option<bool> {
        let first = self.macros.param_len();
        let mut token = self.next_of_file();
        if token.kind == TokenKind::RParen {
            return Some(false);
        }
        loop {
            match token.kind {
                TokenKind::Ellipsis => {
                    self.macros.push_param(self.names.va_args);
                    return self.closing_paren();
                }
                TokenKind::Identifier => {
                    let known = self.macros.params((first, self.macros.param_len()));
                    if known.contains(&token.symbol) {
                        let name = self.session.symbols.text(token.symbol);
                        let text = format!("duplicate macro parameter name '{name}'");
                        self.error(token.loc, text);
                        return None;
                    }
                    if known.len() >= MAX_PARAMS {
                        self.error(token.loc, "macro has too many parameters");
                        return None;
                    }
                    self.macros.push_param(token.symbol);
                }
                TokenKind::End => {
                    self.error(token.loc, "missing ')' in macro parameter list");
                    return None;
                }
                _ => {
                    self.error(token.loc, "invalid token in macro parameter list");
                    return None;
                }
            }
            token = self.next_of_file();
            match token.kind {
                TokenKind::RParen => return Some(false),
                TokenKind::Ellipsis => return self.closing_paren(),
                TokenKind::Comma => token = self.next_of_file(),
                TokenKind::End => {
                    self.error(token.loc, "missing ')' in macro parameter list");
                    return None;
                }
                _ => {
                    self.error(token.loc, "expected comma in macro parameter list");
                    return None;
                }
            }
        }
    }

    fn closing_paren(&mut self) -> Option<bool> {
        let token = self.next_of_file();
        if token.kind == TokenKind::RParen {
            return Some(true);
        }
        self.error(token.loc, "missing ')' in macro parameter list");
        None
    }

    /// Body of a macro without parameters. Returns whether it has no `##`.
    fn object_body(&mut self, first: Token) -> bool {
        let mut is_plain = true;
        let mut token = first;
        while token.kind != TokenKind::End {
            let is_paste = token.kind == TokenKind::HashHash;
            is_plain &= !is_paste;
            self.macros.push_body(token, if is_paste { Role::Paste } else { Role::Plain });
            token = self.next_of_file();
        }
        is_plain
    }

    /// Body of a macro with parameters. Returns whether none occurs in it, and no `##`.
    fn function_body(&mut self, first: Token, params: (u32, u32), is_variadic: bool) -> Option<bool> {
        let mut is_plain = true;
        let mut token = first;
        // Open parentheses within `__VA_OPT__`.
        let mut optional: Option<u32> = None;
        while token.kind != TokenKind::End {
            let mut role = self.role(&token, params);
            let mut after = self.next_of_file();
            if token.kind == TokenKind::Hash {
                let Role::Param(param) = self.role(&after, params) else {
                    self.error(after.loc, "'#' is not followed by a macro parameter");
                    return None;
                };
                role = Role::Stringify(param);
                after = self.next_of_file();
            } else if is_variadic && token.symbol == self.names.va_opt && after.kind == TokenKind::LParen {
                if optional.is_some() {
                    self.error(token.loc, "__VA_OPT__ cannot be nested within its own replacement tokens");
                    return None;
                }
                role = Role::VaOpt;
                optional = Some(0);
                after = self.next_of_file();
            } else if let Some(depth) = &mut optional {
                match (token.kind, *depth) {
                    (TokenKind::LParen, _) => *depth += 1,
                    (TokenKind::RParen, 0) => {
                        role = Role::EndVaOpt;
                        optional = None;
                    }
                    (TokenKind::RParen, _) => *depth -= 1,
                    _ => {}
                }
            }
            is_plain &= role == Role::Plain;
            self.macros.push_body(token, role);
            token = after;
        }
        if optional.is_some() {
            self.error(token.loc, "unterminated __VA_OPT__ argument list");
            return None;
        }
        Some(is_plain)
    }

    fn role(&self, token: &Token, params: (u32, u32)) -> Role {
        match token.kind {
            TokenKind::HashHash => Role::Paste,
            TokenKind::Identifier => {
                let index = self.macros.params(params).iter().position(|p| *p == token.symbol);
                index.map_or(Role::Plain, |index| Role::Param(index as u16))
            }
            _ => Role::Plain,
        }
    }

    /// `#undef`, after the word.
    pub(super) fn undefine(&mut self) {
        let Some(name) = self.macro_name() else { return };
        self.check_end("undef");
        if let Some(id) = self.macros.get(name.symbol)
            && let Some(MacroKind::Dynamic(_)) = self.macros.data(id).map(|m| m.kind)
        {
            let group = "builtin-macro-redefined";
            self.session.diagnostics.warning(group, name.loc, "undefining builtin macro");
        }
        self.macros.set(name.symbol, None);
    }
}
