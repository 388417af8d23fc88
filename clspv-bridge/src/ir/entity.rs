//! Entity references and the maps keyed by them.
//!
//! Everything in a function is named by a `u32` newtype ([`Value`], [`Block`], ...), so the IR needs neither
//! lifetimes nor `Rc`: a pass may hold a reference while it edits the function. A reference is obtained from
//! the map that owns the data ([`PrimaryMap::push`]) and is meaningless in another function.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A `u32` index of one kind of entity.
pub trait EntityRef: Copy + Eq {
    /// The reference with the given index.
    fn new(index: usize) -> Self;
    /// The index of this reference.
    fn index(self) -> usize;
}

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(u32);
        impl EntityRef for $name {
            fn new(index: usize) -> Self {
                $name(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

entity!(/// A function of a module.
    FuncRef, "fn");
entity!(/// A program-scope variable or constant of a module.
    Global, "g");
entity!(/// A basic block of a function.
    Block, "block");
entity!(/// An instruction of a function.
    Inst, "inst");
entity!(/// An SSA value of a function: instruction result, block parameter or constant.
    Value, "v");
entity!(/// A private (per work-item) stack slot of a function.
    Slot, "ss");
entity!(/// A lowered memory variable of a function: a bound buffer view, workgroup array or private array.
    Var, "var");

/// Owner of the data of one kind of entity; keys are assigned in order and never reused.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent, bound(serialize = "V: serde::Serialize", deserialize = "V: serde::Deserialize<'de>"))]
pub struct PrimaryMap<K: EntityRef, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: EntityRef, V> PrimaryMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        PrimaryMap { items: Vec::new(), key: PhantomData }
    }
    /// Adds `value` and returns its key.
    pub fn push(&mut self, value: V) -> K {
        let key = K::new(self.items.len());
        self.items.push(value);
        key
    }
    /// The key that the next [`push`](Self::push) will return.
    pub fn next_key(&self) -> K {
        K::new(self.items.len())
    }
    /// The value of `key`, if the key belongs to this map.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }
    /// Number of entities.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there are no entities.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// All keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + use<K, V> {
        (0..self.items.len()).map(K::new)
    }
    /// All keys with their values, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }
    /// All keys with their values, in order, mutably.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> {
        self.items.iter_mut().enumerate().map(|(i, v)| (K::new(i), v))
    }
    /// All values, in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }
    /// All values, in order, mutably.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }
}

impl<K: EntityRef, V> Default for PrimaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityRef, V> Index<K> for PrimaryMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: EntityRef, V> IndexMut<K> for PrimaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

/// Side table over the keys of a [`PrimaryMap`]; missing entries read as the default.
#[derive(Clone, Debug)]
pub struct SecondaryMap<K: EntityRef, V: Clone> {
    items: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: EntityRef, V: Clone + Default> SecondaryMap<K, V> {
    /// An empty table whose entries read as `V::default()`.
    pub fn new() -> Self {
        Self::with_default(V::default())
    }
}

impl<K: EntityRef, V: Clone> SecondaryMap<K, V> {
    /// An empty table whose entries read as `default`.
    pub fn with_default(default: V) -> Self {
        SecondaryMap { items: Vec::new(), default, key: PhantomData }
    }
}

impl<K: EntityRef, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityRef, V: Clone> Index<K> for SecondaryMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.items.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: EntityRef, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        if key.index() >= self.items.len() {
            self.items.resize(key.index() + 1, self.default.clone());
        }
        &mut self.items[key.index()]
    }
}

/// A set of entities.
#[derive(Clone, Debug, Default)]
pub struct EntitySet<K: EntityRef> {
    words: Vec<u64>,
    key: PhantomData<K>,
}

impl<K: EntityRef> EntitySet<K> {
    /// An empty set.
    pub fn new() -> Self {
        EntitySet { words: Vec::new(), key: PhantomData }
    }
    /// Adds `key`; true if it was absent.
    pub fn insert(&mut self, key: K) -> bool {
        let (word, bit) = (key.index() / 64, 1u64 << (key.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let fresh = self.words[word] & bit == 0;
        self.words[word] |= bit;
        fresh
    }
    /// Removes `key`; true if it was present.
    pub fn remove(&mut self, key: K) -> bool {
        let present = self.contains(key);
        if present {
            self.words[key.index() / 64] &= !(1u64 << (key.index() % 64));
        }
        present
    }
    /// Whether `key` is in the set.
    pub fn contains(&self, key: K) -> bool {
        self.words.get(key.index() / 64).is_some_and(|w| w >> (key.index() % 64) & 1 == 1)
    }
}
