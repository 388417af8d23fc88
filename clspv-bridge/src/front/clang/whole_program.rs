//! Programs to which nothing else is linked, so that only kernels need to be kept.
//!
//! Big programs are mostly functions that their kernels do not call or that are to be inlined. Marking
//! these before LLVM optimises ([`make_internal`]) makes the build many times faster. Code that LLVM's
//! passes must not change loses the functions that no kernel reaches instead ([`keep_reached`]): the SPIR-V
//! back end takes a minute for the functions of large headers.

use super::symbols::globals;
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes all functions except kernels, and all constant tables, internal to the module, and functions
/// inlined.
pub fn make_internal(ir: &str) -> String {
    let mut out = String::with_capacity(ir.len() + ir.len() / 16);
    for line in ir.lines() {
        let function = line.strip_prefix("define ").filter(|l| l.contains("spir_func "));
        let constant = line.strip_prefix('@').and_then(|l| l.split_once(" = "));
        if let Some(mut rest) = function {
            for word in ["dso_local ", "hidden ", "internal "] {
                rest = rest.strip_prefix(word).unwrap_or(rest);
            }
            out.push_str("define internal ");
            // The attribute goes before the attribute group, which ends the header.
            match rest.rfind(" #").filter(|at| rest[at + 2..].starts_with(|c: char| c.is_ascii_digit())) {
                Some(at) => {
                    out.push_str(&rest[..at]);
                    out.push_str(" alwaysinline");
                    out.push_str(&rest[at..]);
                }
                None => out.push_str(rest),
            }
        } else if line.starts_with("attributes #") {
            out.push_str(&line.replace(" noinline ", " "));
        } else if let Some((name, rest)) = constant {
            let tail = rest.strip_prefix("dso_local ").unwrap_or(rest);
            let tail = tail.strip_prefix("local_unnamed_addr ").unwrap_or(tail);
            if tail.starts_with("addrspace(2) constant ") {
                out.push_str(&format!("@{name} = internal {tail}"));
            } else {
                out.push_str(line);
            }
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// The text without the functions that cannot be reached from kernels or from outside of functions.
pub fn keep_reached(ir: &str) -> String {
    let is_function = |line: &str| line.starts_with("define ");
    // Kernels, and what is outside of functions.
    let mut outside = Vec::new();
    let mut functions: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    let mut current: Option<&mut Vec<&str>> = None;
    for line in ir.lines() {
        if is_function(line)
            && !line.contains("spir_kernel ")
            && let Some((_, name)) = globals(line).next()
        {
            current = Some(functions.entry(name).or_default());
        }
        match &mut current {
            Some(lines) => lines.push(line),
            None => outside.push(line),
        }
        if line == "}" {
            current = None;
        }
    }
    let names = |lines: &[&'_ str]| {
        lines.iter().flat_map(|l| globals(l)).map(|(_, name)| name.to_owned()).collect::<Vec<_>>()
    };
    let mut reached: FxHashSet<String> = FxHashSet::default();
    let mut work = names(&outside);
    while let Some(name) = work.pop() {
        if let Some(lines) = functions.get(name.as_str())
            && reached.insert(name)
        {
            work.extend(names(lines));
        }
    }
    let mut out = String::with_capacity(ir.len());
    let mut skipped = false;
    for line in ir.lines() {
        if is_function(line) {
            skipped = globals(line)
                .next()
                .is_some_and(|(_, name)| functions.contains_key(name) && !reached.contains(name));
        }
        if !skipped {
            out.push_str(line);
            out.push('\n');
        }
        skipped &= line != "}";
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_programs_keep_only_kernels() {
        let ir = "@t = dso_local addrspace(2) constant [1 x i32] zeroinitializer, align 4\n\
            define dso_local spir_func i32 @f(i32 %x) #0 {\ndefine dso_local spir_kernel void @k() #1 !x !3 {\n\
            attributes #0 = { convergent noinline nounwind }\n";
        let expected = "@t = internal addrspace(2) constant [1 x i32] zeroinitializer, align 4\n\
            define internal spir_func i32 @f(i32 %x) alwaysinline #0 {\ndefine dso_local spir_kernel void @k() #1 !x !3 {\n\
            attributes #0 = { convergent nounwind }\n";
        assert_eq!(make_internal(ir), expected);
    }

    #[test]
    fn what_kernels_and_variables_lead_to_stays() {
        let function = |name: &str, body: &str| {
            format!("define dso_local spir_func void @{name}() #0 {{\nentry:\n  {body}\n}}\n\n")
        };
        let kernel = "define dso_local spir_kernel void @k() #0 {\n  call void @\"a b\"()\n  ret void\n}\n\n";
        let head = "@table = addrspace(1) constant ptr @pointed\n";
        let (a, b) = (function("\"a b\"", "call void @b()"), function("b", "ret void"));
        let (pointed, lost) =
            (function("pointed", "call void @\"a b\"()"), function("lost", "call void @lost2()"));
        let lost2 = function("lost2", "call void @lost()");
        let tail = "declare void @d()\nattributes #0 = { nounwind }\n";
        let ir = [head, &lost, &b, kernel, &lost2, &a, &pointed, tail].concat();
        let expected = [head, &b, "\n", kernel, "\n", &a, &pointed, tail].concat();
        let plain = |text: &str| text.lines().filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
        assert_eq!(plain(&keep_reached(&ir)), plain(&expected));
    }
}
