//! Scopes: what identifiers and tags mean.
//!
//! Each symbol has a stack of bindings, the innermost first, so a lookup takes constant time. Leaving a scope
//! pops the bindings that were made in it.

use crate::front::c::ast::{FuncId, VarId};
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::types::{EnumId, QualTy, RecordId, Ty};
use rustc_hash::FxHashMap;

/// Meaning of an ordinary identifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    Var(VarId),
    /// The latest declaration; `Sema::overloads` has all functions of the name.
    Function(FuncId),
    Typedef(QualTy),
    /// An enumeration constant: bits extended from its type.
    Constant {
        value: u64,
        ty: Ty,
    },
    /// An erroneous declaration.
    Error,
}

/// Meaning of a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// A binding with where it was made.
#[derive(Clone, Copy, Debug)]
pub struct ScopeEntry<B> {
    pub binding: B,
    /// Nesting of the scope: 0 is predefined, 1 the file's, 2 and more are parameters and blocks.
    pub level: u32,
    pub loc: Loc,
}

/// Names of one namespace.
#[derive(Debug)]
struct Names<B> {
    /// Index of the innermost entry of a symbol plus 1, by symbol; 0 without one.
    heads: Vec<u32>,
    /// Entries with the symbol and the head that each one hides.
    entries: Vec<(ScopeEntry<B>, Symbol, u32)>,
}

impl<B> Default for Names<B> {
    fn default() -> Names<B> {
        Names { heads: Vec::new(), entries: Vec::new() }
    }
}

impl<B: Copy> Names<B> {
    fn get(&self, name: Symbol) -> Option<&ScopeEntry<B>> {
        let head = self.heads.get(name.0 as usize).copied().unwrap_or(0) as usize;
        head.checked_sub(1).and_then(|index| self.entries.get(index)).map(|(entry, ..)| entry)
    }

    fn insert(&mut self, name: Symbol, entry: ScopeEntry<B>) {
        let index = name.0 as usize;
        if self.heads.len() <= index {
            self.heads.resize(index + 1, 0);
        }
        let Some(head) = self.heads.get_mut(index) else { return };
        // A redeclaration in the same scope replaces the entry.
        let old = (*head as usize).checked_sub(1).and_then(|i| self.entries.get_mut(i));
        if let Some((old, ..)) = old
            && old.level == entry.level
        {
            *old = entry;
            return;
        }
        self.entries.push((entry, name, *head));
        *head = self.entries.len() as u32;
    }

    fn leave(&mut self, level: u32) {
        while let Some((_, name, hidden)) = self.entries.pop_if(|(entry, ..)| entry.level > level) {
            if let Some(head) = self.heads.get_mut(name.0 as usize) {
                *head = hidden;
            }
        }
    }
}

/// The scopes at a position of the unit.
#[derive(Debug, Default)]
pub struct Scopes {
    level: u32,
    names: Names<Binding>,
    tags: Names<Tag>,
    /// Functions by name, in all scopes.
    pub functions: FxHashMap<Symbol, Vec<FuncId>>,
}

impl Scopes {
    /// Level of the file's scope.
    pub const FILE: u32 = 1;

    /// Nesting of the current scope: [`Scopes::FILE`] outside of functions.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Enters a scope.
    pub fn enter(&mut self) {
        self.level += 1;
    }

    /// Leaves the innermost scope.
    pub fn leave(&mut self) {
        self.level = self.level.saturating_sub(1);
        self.names.leave(self.level);
        self.tags.leave(self.level);
    }

    /// Meaning of an ordinary identifier.
    pub fn lookup(&self, name: Symbol) -> Option<Binding> {
        self.names.get(name).map(|entry| entry.binding)
    }

    /// Innermost declaration of an ordinary identifier.
    pub fn entry(&self, name: Symbol) -> Option<&ScopeEntry<Binding>> {
        self.names.get(name)
    }

    /// Declaration of an identifier in the current scope.
    pub fn entry_here(&self, name: Symbol) -> Option<&ScopeEntry<Binding>> {
        self.names.get(name).filter(|entry| entry.level == self.level)
    }

    /// Binds an ordinary identifier in the current scope.
    pub fn bind(&mut self, name: Symbol, binding: Binding, loc: Loc) {
        self.names.insert(name, ScopeEntry { binding, level: self.level, loc });
    }

    /// Innermost declaration of a tag.
    pub fn tag(&self, name: Symbol) -> Option<&ScopeEntry<Tag>> {
        self.tags.get(name)
    }

    /// Declaration of a tag in the current scope.
    pub fn tag_here(&self, name: Symbol) -> Option<&ScopeEntry<Tag>> {
        self.tags.get(name).filter(|entry| entry.level == self.level)
    }

    /// Binds a tag in the current scope.
    pub fn bind_tag(&mut self, name: Symbol, tag: Tag, loc: Loc) {
        self.tags.insert(name, ScopeEntry { binding: tag, level: self.level, loc });
    }

    /// Names in scope, for "did you mean"; some may be hidden.
    pub fn visible(&self) -> impl Iterator<Item = Symbol> {
        self.names.entries.iter().map(|(_, name, _)| *name)
    }
}
