//! Local variables that are zero when a kernel begins (cl_khr_initialize_memory): the SPIR-V has no
//! initializer for them, and LLVM treats reads before the first write as undefined.

/// Marks local variables as initialised elsewhere.
pub fn mark(ir: &str) -> String {
    ir.replace(" addrspace(3) global ", " addrspace(3) externally_initialized global ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_variables_are_marked() {
        let (local, global) =
            ("@k.a = internal addrspace(3) global i32 undef", "@g = addrspace(1) global i32 0");
        let marked = "@k.a = internal addrspace(3) externally_initialized global i32 undef";
        assert_eq!(mark(local), marked);
        assert_eq!(mark(global), global);
    }
}
