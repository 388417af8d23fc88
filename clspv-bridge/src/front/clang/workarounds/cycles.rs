//! Program-scope variables whose initializers form a cycle of pointers.
//!
//! LLVM's SPIR-V back end does not return from such a cycle. [`cut`] breaks it in the text of the LLVM IR: a
//! pointer to a variable that is not defined yet becomes one to an external variable with a name that begins
//! with [`REFERENCE`]. The SPIR-V reader restores the variable's address. Meanwhile LLVM must neither rely on
//! the initializers (`externally_initialized`) nor assume that the variable is not used elsewhere
//! (`llvm.compiler.used`).

use crate::front::clang::symbols::replace_names;
use crate::front::markers::REFERENCE;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A line that defines a global variable.
struct Definition<'a> {
    name: &'a str,
    /// Words before `global` or `constant`.
    before: &'a str,
    /// The rest, from `global` or `constant` on.
    contents: &'a str,
    space: &'a str,
}

fn definition(line: &str) -> Option<Definition<'_>> {
    let (name, rest) = line.strip_prefix('@')?.split_once(" = ")?;
    let at = ["global ", "constant "].iter().filter_map(|word| find_word(rest, word)).min()?;
    let (before, contents) = rest.split_at(at);
    if before.split_whitespace().any(|w| w.starts_with("extern")) {
        return None;
    }
    let space = before.split_whitespace().find(|w| w.starts_with("addrspace(")).unwrap_or("");
    Some(Definition { name, before, contents, space })
}

fn find_word(text: &str, word: &str) -> Option<usize> {
    if text.starts_with(word) { Some(0) } else { text.find(&format!(" {word}")).map(|at| at + 1) }
}

/// Replaces references to later variables; `None` if there are none.
pub fn cut(ir: &str) -> Option<String> {
    let spaces: FxHashMap<&str, &str> =
        ir.lines().filter_map(definition).map(|d| (d.name, d.space)).collect();
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    let mut later: BTreeSet<&str> = BTreeSet::new();
    let mut out = String::with_capacity(ir.len());
    for line in ir.lines() {
        let Some(d) = definition(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let mut any = false;
        let contents = replace_names(d.contents, |name| {
            let forward = spaces.contains_key(name) && !defined.contains(name);
            any |= forward;
            forward.then(|| {
                later.insert(name);
                reference(name)
            })
        });
        let mark =
            if any && !d.before.contains("externally_initialized") { "externally_initialized " } else { "" };
        out.push_str(&format!("@{} = {}{mark}{contents}\n", d.name, d.before));
        defined.insert(d.name);
    }
    if later.is_empty() {
        return None;
    }
    for name in &later {
        let space = spaces.get(name).copied().unwrap_or("");
        out.push_str(&format!("@{} = external {space} global i8\n", reference(name)));
    }
    let used = later.iter().map(|name| match spaces.get(name).copied().unwrap_or("") {
        "" => format!("ptr @{name}"),
        space => format!("ptr addrspacecast (ptr {space} @{name} to ptr)"),
    });
    let used: Vec<String> = used.collect();
    let list = used.join(", ");
    out.push_str(&format!(
        "@llvm.compiler.used = appending global [{} x ptr] [{list}], section \"llvm.metadata\"\n",
        used.len()
    ));
    Some(out)
}

fn reference(name: &str) -> String {
    match name.strip_prefix('"') {
        Some(quoted) => format!("\"{REFERENCE}{quoted}"),
        None => format!("{REFERENCE}{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_references_are_cut() {
        let ir = "@s = addrspace(2) constant [4 x i8] c\"@b\\22\\00\", align 1\n\
            @a = addrspace(1) global { i32, ptr addrspace(1) } { i32 1, ptr addrspace(1) @b }, align 8\n\
            @b = internal addrspace(1) global ptr addrspace(1) @a, align 8\n\
            define spir_kernel void @k() {\n  ret void\n}\n";
        let out = cut(ir).unwrap();
        assert!(out.contains(
            "@a = addrspace(1) externally_initialized global { i32, ptr addrspace(1) } { i32 1, ptr addrspace(1) @pc.ref.b }"
        ));
        assert!(out.contains("@b = internal addrspace(1) global ptr addrspace(1) @a, align 8\n"));
        assert!(out.contains("@pc.ref.b = external addrspace(1) global i8\n"));
        assert!(out.contains("c\"@b\\22\\00\""));
        assert!(out.contains("[1 x ptr] [ptr addrspacecast (ptr addrspace(1) @b to ptr)]"));
        assert!(
            cut("@b = global i32 0\n@a = global ptr @b\ndefine void @k() {\n call void @f()\n}\n").is_none()
        );
    }
}
