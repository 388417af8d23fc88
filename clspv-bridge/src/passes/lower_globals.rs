//! Layout of program-scope variables and constant tables in the program's data block.
//!
//! The layout is computed once per program over the linked module, and is the same for all kernels and both pointer
//! modes. Variables in local memory have no place in it. Modules of single kernels must keep the globals' numbers
//! (`link::kernel_module` does).

use crate::abi::DataBlock;
use crate::ir::*;
use std::collections::HashMap;

/// Where the globals of a program lie in its data block.
#[derive(Clone, Debug, Default)]
pub struct DataLayout {
    pub block: DataBlock,
    offsets: HashMap<Global, u32>,
}

impl DataLayout {
    /// Byte offset of a global of the program.
    pub fn offset(&self, global: Global) -> Option<u32> {
        self.offsets.get(&global).copied()
    }
}

/// Lays out all globals of the constant and global address spaces. The module must be linked, the built-in library's
/// tables included.
pub fn layout(module: &Module) -> DataLayout {
    let mut out = DataLayout::default();
    let in_block = |g: &GlobalData| matches!(g.space, Space::Global | Space::Constant | Space::Generic);
    for (r, g) in module.globals.iter().filter(|(_, g)| in_block(g)) {
        let bytes = &mut out.block.bytes;
        let align = g.align.clamp(8, 128) as usize;
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        let at = bytes.len();
        out.offsets.insert(r, at as u32);
        if let Some(init) = &g.init {
            bytes.extend_from_slice(&init[..init.len().min(g.size as usize)]);
        }
        bytes.resize(at + g.size as usize, 0);
        out.block.writable |= !g.readonly;
    }
    let len = out.block.bytes.len().next_multiple_of(16);
    out.block.bytes.resize(len, 0);
    for (r, g) in module.globals.iter().filter(|(_, g)| in_block(g)) {
        let Some(at) = out.offset(r) else { continue };
        for r in &g.relocs {
            if let Some(target) = out.offset(r.target) {
                out.block.relocs.push((at + r.offset, (target as i64 + r.addend) as u64));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Internal variables of two programs that were linked may share a name.
    #[test]
    fn variables_of_one_name_have_their_own_places() {
        let table = |byte| GlobalData {
            name: "table".into(),
            space: Space::Constant,
            linkage: Linkage::Internal,
            size: 4,
            align: 4,
            init: Some(vec![byte; 4]),
            relocs: vec![],
            readonly: true,
        };
        let mut m = Module::default();
        let (a, b) = (m.globals.push(table(1)), m.globals.push(table(2)));
        let layout = layout(&m);
        let byte = |g| layout.block.bytes[layout.offset(g).unwrap() as usize];
        assert_eq!((byte(a), byte(b)), (1, 2));
    }
}
