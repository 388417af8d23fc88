//! Uses of values across blocks.

use crate::ir::{Block, Function, SecondaryMap, Value};
use rustc_hash::FxHashMap;

/// For each value the blocks, other than the one that defines it, whose instructions use it.
#[derive(Default)]
pub struct CrossUses {
    blocks: FxHashMap<Value, Vec<Block>>,
}

impl CrossUses {
    /// Finds the uses in the blocks of the layout. Constants have none.
    pub fn new(func: &Function) -> CrossUses {
        let mut defined_in: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
        for &b in &func.layout {
            let results = func.blocks[b].insts.iter().flat_map(|i| &func.insts[*i].results);
            for v in func.blocks[b].params.iter().chain(results) {
                defined_in[*v] = Some(b);
            }
        }
        let mut uses = CrossUses::default();
        for &b in &func.layout {
            for v in func.blocks[b].insts.iter().flat_map(|i| func.insts[*i].operands().copied()) {
                if defined_in[v].is_some_and(|def| def != b) {
                    uses.add(v, b);
                }
            }
        }
        uses
    }
    /// The blocks that use the value, without repetition: those found by [`CrossUses::new`] in layout order,
    /// then added ones.
    pub fn of(&self, value: Value) -> &[Block] {
        self.blocks.get(&value).map_or(&[], |blocks| blocks)
    }
    /// Notes that a block uses the value. Uses of one block are added one after another.
    pub fn add(&mut self, value: Value, block: Block) {
        let blocks = self.blocks.entry(value).or_default();
        if blocks.last() != Some(&block) {
            blocks.push(block);
        }
    }
    /// Takes out the value's uses in blocks for which `taken` holds, and returns the blocks.
    pub fn take(&mut self, value: Value, taken: impl FnMut(&mut Block) -> bool) -> Vec<Block> {
        self.blocks.get_mut(&value).map_or_else(Vec::new, |blocks| blocks.extract_if(.., taken).collect())
    }
}
