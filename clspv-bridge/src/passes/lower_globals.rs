//! Layout of program-scope variables and constant tables in the program's data block.
//!
//! The layout is computed once per program over the linked module, and is the same for all kernels and both pointer
//! modes. Variables in local memory have no place in it.

use crate::abi::DataBlock;
use crate::ir::*;
use std::collections::HashMap;

/// Where the globals of a program lie in its data block.
#[derive(Clone, Debug, Default)]
pub struct DataLayout {
    pub block: DataBlock,
    /// Byte offset by name: modules of single kernels number their globals anew.
    offsets: HashMap<String, u32>,
}

impl DataLayout {
    /// Byte offset of a global of the program (by name).
    pub fn offset(&self, name: &str) -> Option<u32> {
        self.offsets.get(name).copied()
    }
}

/// Lays out all globals of the constant and global address spaces. Names must be unique, as they are in a linked module.
pub fn layout(module: &Module) -> DataLayout {
    let mut out = DataLayout::default();
    let in_block = |g: &GlobalData| matches!(g.space, Space::Global | Space::Constant | Space::Generic);
    for (_, g) in module.globals.iter().filter(|(_, g)| in_block(g)) {
        let bytes = &mut out.block.bytes;
        let align = g.align.clamp(8, 128) as usize;
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        let at = bytes.len();
        out.offsets.insert(g.name.clone(), at as u32);
        if let Some(init) = &g.init {
            bytes.extend_from_slice(&init[..init.len().min(g.size as usize)]);
        }
        bytes.resize(at + g.size as usize, 0);
        out.block.writable |= !g.readonly;
    }
    let len = out.block.bytes.len().next_multiple_of(16);
    out.block.bytes.resize(len, 0);
    for (_, g) in module.globals.iter().filter(|(_, g)| in_block(g)) {
        let Some(at) = out.offset(&g.name) else { continue };
        for r in &g.relocs {
            let target = module.globals.get(r.target).and_then(|t| out.offset(&t.name));
            if let Some(target) = target {
                out.block.relocs.push((at + r.offset, (target as i64 + r.addend) as u64));
            }
        }
    }
    out
}
