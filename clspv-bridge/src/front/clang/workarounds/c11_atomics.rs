//! Functions on atomic types: the back end loses the orders that their short forms imply, and drops some of
//! the calls. They become `pc_c11.<name>.<parameters>`.

use crate::front::clang::symbols::replace_mangled;
use crate::front::markers::C11_ATOMIC;

/// Prefixes of the names of functions on atomic types.
const NAMES: &[&str] = &[
    "atomic_fetch_",
    "atomic_exchange",
    "atomic_compare_exchange_",
    "atomic_load",
    "atomic_store",
    "atomic_flag_",
];

/// Whether the code names such functions.
pub fn may_use(code: &str) -> bool {
    NAMES.iter().any(|word| code.contains(word))
}

/// Renames the functions; `None` if there are none.
pub fn rename(ir: &str) -> Option<String> {
    replace_mangled(ir, |name, params| {
        let is_c11 = params.contains("U7_Atomic") && NAMES.iter().any(|word| name.starts_with(word));
        is_c11.then(|| format!("{C11_ATOMIC}{name}.{params}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_on_atomic_types_are_renamed() {
        let load = "@_Z11atomic_loadPU3AS4VU7_Atomici(";
        assert_eq!(rename(load).unwrap(), "@pc_c11.atomic_load.PU3AS4VU7_Atomici(");
        assert_eq!(rename("@_Z11atomic_loadPU3AS1Vi(@_Z10atomic_addPU3AS1Vii("), None);
        assert!(may_use("atomic_flag_clear(f)") && !may_use("atomic_add(p, 1)"));
    }
}
