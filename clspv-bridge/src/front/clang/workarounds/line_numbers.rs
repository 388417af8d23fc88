//! Line numbers through a back end that drops them: before each instruction whose line differs from the last
//! one, a call is inserted that names the line. The SPIR-V reader treats these calls as `OpLine`.
//!
//! Works on LLVM IR with line tables, before any optimisation.

use crate::front::markers::LINE;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Marks the lines of all functions.
pub fn mark(ir: &str) -> String {
    let lines: FxHashMap<&str, u32> = ir.lines().filter_map(location).collect();
    let mut out = String::with_capacity(ir.len() * 2);
    let mut current = None;
    for text in ir.lines() {
        // A new function or block.
        if !text.starts_with(' ') {
            current = None;
        }
        let node = text.rsplit_once(", !dbg ").map(|(_, rest)| rest.split([',', ' ']).next().unwrap_or(rest));
        let line = node.and_then(|node| lines.get(node)).copied().filter(|line| *line != 0);
        if is_instruction(text) && line.is_some_and(|line| current != Some(line)) {
            let _ = writeln!(out, "  call spir_func void @{LINE}(i32 {})", line.unwrap_or(0));
            current = line;
        }
        out.push_str(text);
        out.push('\n');
    }
    let _ = writeln!(out, "declare spir_func void @{LINE}(i32)");
    out
}

/// The beginning of an instruction before which another one may be inserted.
fn is_instruction(text: &str) -> bool {
    let Some(body) = text.strip_prefix("  ") else { return false };
    body.starts_with(|c: char| c == '%' || c.is_ascii_lowercase())
        && !body.contains(" = phi ")
        && !body.contains(" = alloca ")
}

/// Number and line of a debug location node.
fn location(text: &str) -> Option<(&str, u32)> {
    let (node, body) = text.split_once(" = ")?;
    let body = body.strip_prefix("distinct ").unwrap_or(body).strip_prefix("!DILocation(line: ")?;
    Some((node, body.split([',', ')']).next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_block_is_marked_once() {
        let ir = "define spir_kernel void @k() !dbg !4 {\n  %1 = alloca i32\n  store i32 1, ptr %1, !dbg !5\n  \
            %2 = load i32, ptr %1, align 4, !dbg !5, !tbaa !9\n  br label %3, !dbg !6\n\n3:\n  \
            %4 = phi i32 [ 0, %0 ], !dbg !6\n  switch i32 %4, label %5 [\n    i32 0, label %5\n  ], !dbg !6\n\n5:\n  \
            ret void, !dbg !6\n}\n!5 = !DILocation(line: 7, column: 3, scope: !4)\n\
            !6 = distinct !DILocation(line: 8, scope: !4)\n";
        let marked = mark(ir);
        let marks: Vec<(usize, &str)> =
            marked.lines().enumerate().filter(|(_, l)| l.contains(LINE)).collect();
        let expected = [(2, "i32 7"), (5, "i32 8"), (15, "i32 8"), (20, "declare")];
        assert_eq!(marks.len(), expected.len(), "{marked}");
        assert!(
            marks.iter().zip(expected).all(|((at, text), (line, word))| *at == line && text.contains(word)),
            "{marked}"
        );
    }
}
