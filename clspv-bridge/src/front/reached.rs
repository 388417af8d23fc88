//! Removes the functions that no kernel reaches from LLVM IR, for code that LLVM's own passes must not
//! change. Without that, the SPIR-V back end takes a minute for the functions of large headers.

use super::enqueue::globals;
use std::collections::{HashMap, HashSet};

/// The text without the functions that cannot be reached from kernels or from outside of functions.
pub fn keep_reached(ir: &str) -> String {
    let is_function = |line: &str| line.starts_with("define ");
    // Kernels, and what is outside of functions.
    let mut outside = Vec::new();
    let mut functions: HashMap<&str, Vec<&str>> = HashMap::new();
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
    let mut reached: HashSet<String> = HashSet::new();
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
