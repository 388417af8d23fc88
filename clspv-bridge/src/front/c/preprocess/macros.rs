//! Macro definitions. Bodies are runs of one array of tokens.

use super::super::source::Loc;
use super::super::symbol::Symbol;
use super::super::token::Token;
use rustc_hash::FxHashMap;

/// Handle of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MacroId(u32);

/// A macro that is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dynamic {
    File,
    BaseFile,
    FileName,
    Line,
    Counter,
    IncludeLevel,
    Date,
    Time,
    Timestamp,
    HasInclude,
    HasIncludeNext,
    HasAttribute,
    HasBuiltin,
    /// `__has_feature` and others of which no operand is known.
    HasFeature,
    IsIdentifier,
}

/// Form of a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MacroKind {
    Object,
    Function,
    /// Predefined and not read yet: offset of its line in the text of the predefined macros.
    Predefined(u32),
    /// Computed where it is expanded.
    Dynamic(Dynamic),
}

/// Part that a token of a body has in the expansion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Plain,
    Param(u16),
    /// `#` with the parameter after it.
    Stringify(u16),
    /// `##`
    Paste,
    /// `__VA_OPT__(`: skipped up to the [`Role::EndVaOpt`] if there are no variable arguments.
    VaOpt,
    EndVaOpt,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Macro {
    pub name: Symbol,
    pub loc: Loc,
    pub kind: MacroKind,
    /// Range of the parameters' names.
    pub params: (u32, u32),
    pub is_variadic: bool,
    /// Range of the body.
    pub body: (u32, u32),
    /// Whether all tokens of the body are [`Role::Plain`].
    pub is_plain: bool,
    /// Whether the macro is being expanded, and not expanded again.
    pub is_disabled: bool,
}

impl Macro {
    /// Number of parameters, `...` included.
    pub fn param_count(&self) -> usize {
        (self.params.1 - self.params.0) as usize
    }
}

/// All definitions, and those that are in force.
#[derive(Default)]
pub struct Macros {
    list: Vec<Macro>,
    /// Definition in force plus one, by symbol; 0 for none.
    by_symbol: Vec<u32>,
    bodies: Vec<Token>,
    roles: Vec<Role>,
    params: Vec<Symbol>,
    /// Definitions that `push_macro` saved.
    saved: FxHashMap<Symbol, Vec<Option<MacroId>>>,
}

impl Macros {
    /// Definition of a name.
    pub fn get(&self, name: Symbol) -> Option<MacroId> {
        match self.by_symbol.get(name.0 as usize) {
            None | Some(0) => None,
            Some(id) => Some(MacroId(id - 1)),
        }
    }

    /// Whether a name is that of a macro that is being expanded.
    pub fn is_disabled(&self, name: Symbol) -> bool {
        self.get(name).and_then(|id| self.list.get(id.0 as usize)).is_some_and(|m| m.is_disabled)
    }

    /// Data of a definition.
    pub fn data(&self, id: MacroId) -> Option<&Macro> {
        self.list.get(id.0 as usize)
    }

    /// Marks a macro as being expanded, or as not.
    pub fn set_disabled(&mut self, id: MacroId, is_disabled: bool) {
        if let Some(data) = self.list.get_mut(id.0 as usize) {
            data.is_disabled = is_disabled;
        }
    }

    /// Defines a macro.
    pub fn define(&mut self, data: Macro) -> MacroId {
        let id = MacroId(self.list.len() as u32);
        let name = data.name;
        self.list.push(data);
        self.set(name, Some(id));
        id
    }

    /// Replaces the data of a definition.
    pub fn replace(&mut self, id: MacroId, data: Macro) {
        if let Some(known) = self.list.get_mut(id.0 as usize) {
            *known = data;
        }
    }

    /// Makes a definition, or none, that of a name.
    pub fn set(&mut self, name: Symbol, id: Option<MacroId>) {
        let index = name.0 as usize;
        if index >= self.by_symbol.len() {
            self.by_symbol.resize(index + index / 2 + 1024, 0);
        }
        if let Some(slot) = self.by_symbol.get_mut(index) {
            *slot = id.map_or(0, |id| id.0 + 1);
        }
    }

    /// Saves the definition of a name.
    pub fn push(&mut self, name: Symbol) {
        let id = self.get(name);
        self.saved.entry(name).or_default().push(id);
    }

    /// Restores the definition of a name that was saved last. Returns whether there is one.
    pub fn pop(&mut self, name: Symbol) -> bool {
        match self.saved.get_mut(&name).and_then(Vec::pop) {
            Some(id) => {
                self.set(name, id);
                true
            }
            None => false,
        }
    }

    /// Tokens of all bodies.
    pub fn bodies(&self) -> &[Token] {
        &self.bodies
    }

    /// Token of a body with its role.
    pub fn body_token(&self, index: u32) -> Option<(Token, Role)> {
        let index = index as usize;
        Some((*self.bodies.get(index)?, *self.roles.get(index)?))
    }

    /// Adds a token to the body that is being read.
    pub fn push_body(&mut self, token: Token, role: Role) {
        self.bodies.push(token);
        self.roles.push(role);
    }

    /// Number of tokens of all bodies.
    pub fn body_len(&self) -> u32 {
        self.bodies.len() as u32
    }

    /// Removes the tokens of a body that is not kept.
    pub fn truncate_body(&mut self, len: u32) {
        self.bodies.truncate(len as usize);
        self.roles.truncate(len as usize);
    }

    /// Adds a parameter to the macro that is being read.
    pub fn push_param(&mut self, name: Symbol) {
        self.params.push(name);
    }

    /// Number of parameters of all macros.
    pub fn param_len(&self) -> u32 {
        self.params.len() as u32
    }

    /// Names of parameters.
    pub fn params(&self, range: (u32, u32)) -> &[Symbol] {
        self.params.get(range.0 as usize..range.1 as usize).unwrap_or_default()
    }

    /// Whether two definitions are the same but for white space of unequal width.
    pub fn is_same(&self, a: &Macro, b: &Macro) -> bool {
        let len = a.body.1 - a.body.0;
        a.kind == b.kind
            && a.is_variadic == b.is_variadic
            && self.params(a.params) == self.params(b.params)
            && len == b.body.1 - b.body.0
            && (0..len).all(|i| match (self.body_token(a.body.0 + i), self.body_token(b.body.0 + i)) {
                (Some((x, x_role)), Some((y, y_role))) => {
                    x.kind == y.kind
                        && x.symbol == y.symbol
                        && x_role == y_role
                        && (i == 0 || x.after_space == y.after_space)
                }
                _ => false,
            })
    }
}
