//! Layout of program-scope variables and constant tables in the program's data block.
//!
//! The layout is computed once per program over the linked module, and is the same for all kernels and both
//! pointer modes. Local variables are not part of it. Modules of single kernels must keep the globals'
//! numbers (`link::kernel_module` does).

use crate::abi::DataBlock;
use crate::error::{CompileError, Result};
use crate::ir::*;
use rustc_hash::FxHashMap;

/// Maximal size of a data block in bytes: offsets in it are `i32`.
const MAX_BYTES: u64 = 1 << 30;

/// Largest alignment of a global. Devices align data blocks to no less.
const MAX_ALIGN: u32 = 4096;

/// Offsets of the globals of a program in its data block.
#[derive(Clone, Debug, Default)]
pub struct DataLayout {
    pub block: DataBlock,
    offsets: FxHashMap<Global, u32>,
}

impl DataLayout {
    /// Byte offset of a global of the program; `None` for local variables.
    pub fn offset(&self, global: Global) -> Option<u32> {
        self.offsets.get(&global).copied()
    }
}

/// Lays out all globals of the constant and global address spaces: those with initial contents first. The
/// module must be linked, the built-in library's tables included.
pub fn layout(module: &Module) -> Result<DataLayout> {
    let mut out = DataLayout::default();
    let in_block = |g: &GlobalData| matches!(g.space, Space::Global | Space::Constant | Space::Generic);
    let is_zero =
        |g: &GlobalData| g.relocs.is_empty() && g.init.as_ref().is_none_or(|i| i.iter().all(|b| *b == 0));
    let mut end = 0u64;
    for zeros in [false, true] {
        for (r, g) in module.globals.iter().filter(|(_, g)| in_block(g) && is_zero(g) == zeros) {
            let at = end.next_multiple_of(u64::from(g.align.clamp(8, MAX_ALIGN)));
            end = at + u64::from(g.size);
            if end > MAX_BYTES {
                let text = format!("error: the program's variables need more than {MAX_BYTES} bytes");
                return Err(CompileError::Diagnostics(text));
            }
            out.offsets.insert(r, at as u32);
            out.block.writable |= !g.readonly;
            if g.space == Space::Global {
                out.block.variables += u64::from(g.size);
            }
            if !zeros {
                let bytes = &mut out.block.bytes;
                bytes.resize(at as usize, 0);
                bytes.extend_from_slice(g.init.as_deref().unwrap_or_default());
                bytes.resize(end as usize, 0);
            }
        }
        end = end.next_multiple_of(16);
        if !zeros {
            out.block.bytes.resize(end as usize, 0);
        }
    }
    out.block.zeros = end - out.block.bytes.len() as u64;
    for (r, g) in module.globals.iter().filter(|(_, g)| in_block(g)) {
        let Some(at) = out.offset(r) else { continue };
        for r in &g.relocs {
            if let Some(target) = out.offset(r.target) {
                out.block.relocs.push((at + r.offset, (target as i64 + r.addend) as u64));
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Internal variables of two linked programs may share a name.
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
        let layout = layout(&m).unwrap();
        let byte = |g| layout.block.bytes[layout.offset(g).unwrap() as usize];
        assert_eq!((byte(a), byte(b)), (1, 2));
    }
    #[test]
    fn zeros_are_not_stored() {
        let variable = |size, init: Option<Vec<u8>>, relocs| GlobalData {
            name: "v".into(),
            space: Space::Global,
            linkage: Linkage::Internal,
            size,
            align: 4,
            init,
            relocs,
            readonly: false,
        };
        let mut m = Module::default();
        let big = m.globals.push(variable(1 << 20, None, vec![]));
        let pointer = m.globals.push(variable(8, None, vec![Reloc { offset: 0, target: big, addend: 12 }]));
        let five = m.globals.push(variable(4, Some(vec![5, 0, 0, 0]), vec![]));
        let layout = layout(&m).unwrap();
        assert_eq!(
            (layout.offset(pointer), layout.offset(five), layout.offset(big)),
            (Some(0), Some(8), Some(16))
        );
        assert_eq!((layout.block.bytes.len(), layout.block.zeros), (16, 1 << 20));
        assert_eq!((layout.block.variables, layout.block.writable), ((1 << 20) + 12, true));
        assert_eq!(layout.block.relocs, [(0, 28)]);
    }
}
