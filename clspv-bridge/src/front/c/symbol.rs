//! Interned spellings: identifiers, numbers, and other texts that occur often.

use std::collections::HashMap;

/// Handle of an interned spelling. Equal texts have equal handles within one [`Symbols`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Symbol(pub u32);

/// Interner of spellings.
#[derive(Debug, Default)]
pub struct Symbols {
    text: String,
    /// End of each spelling in `text`; it begins where the one before ends.
    ends: Vec<u32>,
    by_hash: HashMap<u64, Vec<Symbol>>,
}

impl Symbols {
    /// Returns the handle of a spelling.
    pub fn intern(&mut self, spelling: &str) -> Symbol {
        let hash = super::super::fnv(super::super::FNV, spelling.bytes().map(u64::from));
        if let Some(known) = self.by_hash.get(&hash)
            && let Some(found) = known.iter().find(|s| self.text(**s) == spelling)
        {
            return *found;
        }
        let symbol = Symbol(self.ends.len() as u32);
        self.text.push_str(spelling);
        self.ends.push(self.text.len() as u32);
        self.by_hash.entry(hash).or_default().push(symbol);
        symbol
    }

    /// Returns the spelling of a handle; empty for a handle of another interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        let index = symbol.0 as usize;
        let end = self.ends.get(index).copied().unwrap_or(0) as usize;
        let start = index.checked_sub(1).and_then(|i| self.ends.get(i)).copied().unwrap_or(0) as usize;
        self.text.get(start..end).unwrap_or("")
    }
}
