//! `vloada_half3`: the back end emits the unaligned load, which has another stride.

use crate::front::clang::symbols::replace_mangled;
use crate::front::markers::VLOADA_HALF3;

/// Renames the function; `None` if it is not used.
pub fn rename(ir: &str) -> Option<String> {
    replace_mangled(ir, |name, params| (name == "vloada_half3").then(|| format!("{VLOADA_HALF3}{params}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_aligned_load_is_renamed() {
        assert_eq!(rename("@_Z12vloada_half3mPU3AS1KDh(").unwrap(), "@pc_vloada_half3.mPU3AS1KDh(");
        assert_eq!(rename("@_Z11vload_half3mPU3AS1KDh("), None);
    }
}
