//! Arguments of macro invocations.

use super::super::token::Token;

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
    /// Equal to the argument as it is written.
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

    /// Argument after its expansion was set.
    pub fn expanded(&self, index: u16) -> &[Token] {
        match self.states.get(usize::from(index)) {
            Some(Expansion::Range(start, end)) => {
                self.expanded.get(*start as usize..*end as usize).unwrap_or_default()
            }
            _ => self.raw(index),
        }
    }

    /// Number of arguments.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Number of tokens of all arguments.
    pub fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// Adds a token to the argument that is being read.
    pub fn push(&mut self, token: Token) {
        self.tokens.push(token);
    }

    /// Ends the argument that is being read.
    pub fn end_argument(&mut self) {
        self.ends.push(self.tokens.len() as u32);
        self.states.push(Expansion::Unknown);
    }

    /// Whether there is an argument whose expansion is not set.
    pub fn needs_expansion(&self, index: u16) -> bool {
        matches!(self.states.get(usize::from(index)), Some(Expansion::Unknown))
    }

    /// Sets the expansion of an argument; `None` for the argument itself.
    pub fn set_expanded(&mut self, index: u16, tokens: Option<&[Token]>) {
        let start = self.expanded.len() as u32;
        self.expanded.extend_from_slice(tokens.unwrap_or_default());
        let range = Expansion::Range(start, self.expanded.len() as u32);
        if let Some(state) = self.states.get_mut(usize::from(index)) {
            *state = if tokens.is_some() { range } else { Expansion::Same };
        }
    }

    /// Removes all arguments.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.ends.clear();
        self.expanded.clear();
        self.states.clear();
    }
}
