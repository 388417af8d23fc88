//! Variables in workgroup memory.
//!
//! Arrays are variables of their own, placed by the driver. If one of them is also seen as an array of wider
//! elements, all are members of blocks that share one memory and have explicit layouts
//! (SPV_KHR_workgroup_memory_explicit_layout): one block for each array, at the array's offset, and one for
//! each view of it.

use super::emit::Emitter;
use super::interface::VarInfo;
use super::module::Id;
use crate::error::Result;
use crate::ir::{Var, VarClass, VarData};
use rustc_hash::FxHashMap;
use spirv::{Capability, Decoration, StorageClass};

/// Alignment of the arrays in one memory: no element is wider.
const ALIGNMENT: u32 = 16;

/// Byte offsets of the arrays in one memory.
pub(super) struct WorkgroupLayout {
    offsets: FxHashMap<Var, u32>,
}

impl Emitter<'_> {
    /// The layout of workgroup memory; `None` if no array has a view.
    pub(super) fn workgroup_layout(&mut self) -> Result<Option<WorkgroupLayout>> {
        if !self.func.vars.values().any(|data| matches!(data.class, VarClass::View { .. })) {
            return Ok(None);
        }
        let has = self.vulkan.workgroup_explicit_layout;
        self.m.require(Capability::WorkgroupMemoryExplicitLayoutKHR, has, "views of workgroup memory")?;
        self.m.extension("SPV_KHR_workgroup_memory_explicit_layout");
        let mut offsets = FxHashMap::default();
        let mut end = 0;
        for (var, data) in self.func.vars.iter().filter(|(_, data)| data.class == VarClass::Workgroup) {
            offsets.insert(var, end);
            end += (data.bytes() as u32).next_multiple_of(ALIGNMENT);
        }
        Ok(Some(WorkgroupLayout { offsets }))
    }

    /// Declares a workgroup array or a view of one, of `len` elements.
    pub(super) fn declare_workgroup(
        &mut self,
        var: Var,
        data: &VarData,
        (elem, len): (Id, Id),
        layout: Option<&WorkgroupLayout>,
    ) -> VarInfo {
        let (class, stride) = (StorageClass::Workgroup, data.elem.access_bytes().unwrap_or(4));
        let Some(layout) = layout else {
            let array = self.m.array(elem, len, 0);
            let zeros = if self.zero_local { Some(self.m.null_of(array)) } else { None };
            let id = self.m.variable_with(class, array, zeros);
            return VarInfo { id, class, elem: data.elem, in_block: false, is_shared: false };
        };
        let array = self.m.array(elem, len, stride);
        let viewed = if let VarClass::View { of } = data.class { of } else { var };
        let block = self.m.block_at(array, layout.offsets.get(&viewed).copied().unwrap_or(0));
        let id = self.m.variable(class, block);
        self.m.decorate(id, Decoration::Aliased, &[]);
        VarInfo { id, class, elem: data.elem, in_block: true, is_shared: false }
    }
}
