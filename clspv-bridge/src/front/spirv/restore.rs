//! Undoes in a module what the rewrites of LLVM IR did to its variables ([`crate::front::markers`]).

use crate::front::markers::{REFERENCE, SIZED};
use crate::ir::{EntityRef, Global, Linkage, Module, Space};
use rustc_hash::FxHashMap;

/// Restores addresses in initializers, then sizes and names of local variables.
pub fn variables(module: &mut Module) {
    references(module);
    sizes(module);
}

/// Replaces references to external variables that represent variables of the module.
fn references(module: &mut Module) {
    let mut targets: FxHashMap<Global, Global> = FxHashMap::default();
    for (stand_in, data) in module.globals.iter() {
        let name = data.name.strip_prefix(REFERENCE).filter(|_| data.linkage == Linkage::Import);
        let found = name.and_then(|name| module.globals.iter().find(|(_, g)| g.name == name));
        if let Some((target, _)) = found {
            targets.insert(stand_in, target);
        }
    }
    if targets.is_empty() {
        return;
    }
    for (g, data) in module.globals.iter_mut() {
        for r in &mut data.relocs {
            r.target = targets.get(&r.target).copied().unwrap_or(r.target);
        }
        if targets.contains_key(&g) {
            // No references to it are left.
            (data.linkage, data.name) = (Linkage::Internal, format!("{REFERENCE}{}", g.index()));
        }
    }
}

/// Gives local variables the sizes in their names, and restores their names.
fn sizes(module: &mut Module) {
    for g in module.globals.values_mut().filter(|g| g.space == Space::Local) {
        let Some((size, name)) = g.name.strip_prefix(SIZED).and_then(|rest| rest.split_once('.')) else {
            continue;
        };
        let Ok(size) = size.parse::<u32>() else { continue };
        g.size = g.size.max(size);
        g.name = name.to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{GlobalData, Reloc};

    #[test]
    fn addresses_are_put_back() {
        let global = |name: &str, linkage, relocs| GlobalData {
            name: name.into(),
            space: Space::Global,
            linkage,
            size: 8,
            align: 8,
            init: None,
            relocs,
            readonly: false,
        };
        let mut m = Module::default();
        let stand_in = m.globals.push(global("pc.ref.b", Linkage::Import, vec![]));
        let a = m.globals.push(global(
            "a",
            Linkage::Export,
            vec![Reloc { offset: 0, target: stand_in, addend: 4 }],
        ));
        let b = m.globals.push(global("b", Linkage::Internal, vec![]));
        variables(&mut m);
        assert_eq!(m.globals[a].relocs, [Reloc { offset: 0, target: b, addend: 4 }]);
        assert_eq!(m.globals[stand_in].linkage, Linkage::Internal);
    }
}
