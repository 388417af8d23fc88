//! Names of functions in modules: Itanium mangling of overloads, and copies of kernels that functions may
//! call.

/// Prefix of the copy of a kernel that other functions call; clang and the reader of SPIR-V make such copies.
pub(crate) const CALLABLE_KERNEL: &str = "__clang_ocl_kern_imp_";

/// Returns the plain name of an Itanium-mangled function name or of a kernel's callable copy, and any other
/// name unchanged.
pub fn demangle(name: &str) -> String {
    let name = name.strip_prefix(CALLABLE_KERNEL).unwrap_or(name);
    let parse = || {
        let rest = name.strip_prefix("_Z")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let len: usize = rest.get(..digits)?.parse().ok()?;
        rest.get(digits..digits.checked_add(len)?)
    };
    parse().unwrap_or(name).to_owned()
}
