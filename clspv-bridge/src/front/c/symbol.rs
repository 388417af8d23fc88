//! Interned spellings: identifiers, numbers, and other texts that occur often.

/// Handle of an interned spelling. Equal texts have equal handles within one [`Symbols`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Symbol(pub u32);

/// Maximum number of bytes of all spellings; later ones become the empty spelling.
const MAX_TEXT: usize = 512 << 20;

/// Interner of spellings: an open-addressing hash table over one text. Symbol 0 is the empty spelling.
#[derive(Debug)]
pub struct Symbols {
    text: String,
    /// End of each spelling in `text`; it begins where the one before ends.
    ends: Vec<u32>,
    /// Hash and handle; the handle of a free slot is 0. The length is a power of two.
    slots: Vec<(u32, u32)>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        let slots = vec![(0, 0); 1 << 12];
        Symbols { text: String::with_capacity(1 << 14), ends: vec![0], slots }
    }
}

/// Hash of a spelling, eight bytes at a time.
fn hash_of(bytes: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = (state.rotate_left(5) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
    }
    if !rest.is_empty() {
        let word = rest.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
        state = (state.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
    (state >> 32) as u32 ^ state as u32
}

impl Symbols {
    /// Returns the handle of a spelling.
    pub fn intern(&mut self, spelling: &str) -> Symbol {
        if spelling.is_empty() {
            return Symbol(0);
        }
        let hash = hash_of(spelling.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while let Some(&(known, symbol)) = self.slots.get(at)
            && symbol != 0
        {
            if known == hash && self.text(Symbol(symbol)) == spelling {
                return Symbol(symbol);
            }
            at = (at + 1) & mask;
        }
        self.add(spelling, hash, at)
    }

    fn add(&mut self, spelling: &str, hash: u32, at: usize) -> Symbol {
        if self.text.len() + spelling.len() > MAX_TEXT {
            return Symbol(0);
        }
        let symbol = self.ends.len() as u32;
        self.text.push_str(spelling);
        self.ends.push(self.text.len() as u32);
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = (hash, symbol);
        }
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        Symbol(symbol)
    }

    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); len]);
        for (hash, symbol) in old.into_iter().filter(|slot| slot.1 != 0) {
            let mut at = hash as usize & (len - 1);
            while self.slots.get(at).is_some_and(|slot| slot.1 != 0) {
                at = (at + 1) & (len - 1);
            }
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = (hash, symbol);
            }
        }
    }

    /// Returns the handle of a spelling that is already interned.
    pub fn find(&self, spelling: &str) -> Option<Symbol> {
        let hash = hash_of(spelling.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while let Some(&(known, symbol)) = self.slots.get(at)
            && symbol != 0
        {
            if known == hash && self.text(Symbol(symbol)) == spelling {
                return Some(Symbol(symbol));
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Returns the spelling of a handle; empty for a handle of another interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        let index = symbol.0 as usize;
        let end = self.ends.get(index).copied().unwrap_or(0) as usize;
        let start = index.checked_sub(1).and_then(|i| self.ends.get(i)).copied().unwrap_or(0) as usize;
        self.text.get(start..end).unwrap_or("")
    }

    /// Number of handles; all are below it.
    pub fn count(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_spellings_have_equal_handles() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.intern(""), Symbol(0));
        let names: Vec<String> = (0..20_000).map(|i| format!("name_{i}")).collect();
        let handles: Vec<Symbol> = names.iter().map(|n| symbols.intern(n)).collect();
        for (name, handle) in names.iter().zip(&handles) {
            assert_eq!(symbols.intern(name), *handle);
            assert_eq!(symbols.find(name), Some(*handle));
            assert_eq!(symbols.text(*handle), name);
        }
        assert_eq!(symbols.count(), 20_001);
        assert_eq!((symbols.find("other"), symbols.text(Symbol(u32::MAX))), (None, ""));
    }
}
