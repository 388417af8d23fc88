//! Kernel argument information from textual LLVM IR: `!kernel_arg_*` metadata of the kernel definitions.

use super::clang::KernelArgInfo;
use crate::metadata::{AccessQualifier, AddressQualifier, ArgInfo, ArgKind, TypeQualifiers};
use std::collections::HashMap;

/// Reads the kernels of a module. Only what source tells is filled in; sizes and offsets come from the SPIR-V.
pub fn parse(ir: &str) -> Vec<KernelArgInfo> {
    let mut nodes: HashMap<&str, Vec<String>> = HashMap::new();
    for line in ir.lines().filter(|l| l.starts_with('!')) {
        if let Some((id, body)) = line.split_once(" = !{") {
            nodes.insert(id, operands(body.strip_suffix('}').unwrap_or(body)));
        }
    }
    ir.lines().filter(|l| l.starts_with("define ") && l.contains("spir_kernel ")).filter_map(|l| kernel(l, &nodes)).collect()
}

fn kernel(line: &str, nodes: &HashMap<&str, Vec<String>>) -> Option<KernelArgInfo> {
    let name = line.split_once(" @")?.1.split('(').next()?.trim_matches('"').to_owned();
    let list = |key: &str| -> &[String] {
        let id = line.split_once(&format!("!kernel_arg_{key} ")).and_then(|(_, rest)| rest.split(' ').next());
        id.and_then(|id| nodes.get(id)).map_or(&[], Vec::as_slice)
    };
    let (spaces, access, types) = (list("addr_space"), list("access_qual"), list("type"));
    let (qualifiers, names) = (list("type_qual"), list("name"));
    let text = |list: &[String], i: usize| list.get(i).cloned().unwrap_or_default();
    let args = (0..types.len())
        .map(|i| {
            let q = text(qualifiers, i);
            let has = |word: &str| q.split(' ').any(|w| w == word);
            ArgInfo {
                kind: ArgKind::Value,
                size: 0,
                align: 0,
                offset: 0,
                name: text(names, i),
                type_name: text(types, i),
                address: match text(spaces, i).as_str() {
                    "i32 1" => AddressQualifier::Global,
                    "i32 2" => AddressQualifier::Constant,
                    "i32 3" => AddressQualifier::Local,
                    _ => AddressQualifier::Private,
                },
                access: match text(access, i).as_str() {
                    "read_only" => AccessQualifier::ReadOnly,
                    "write_only" => AccessQualifier::WriteOnly,
                    "read_write" => AccessQualifier::ReadWrite,
                    _ => AccessQualifier::None,
                },
                qualifiers: TypeQualifiers {
                    is_const: has("const"),
                    is_restrict: has("restrict"),
                    is_volatile: has("volatile"),
                    is_pipe: has("pipe"),
                },
            }
        })
        .collect();
    Some(KernelArgInfo { kernel: name, args })
}

/// Operands of a metadata node: strings without their quotes, everything else as it stands.
fn operands(body: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = body.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("!\"") {
            let (text, tail) = after.split_once('"').unwrap_or((after, ""));
            out.push(text.to_owned());
            rest = tail.trim_start_matches([',', ' ']);
        } else {
            let (item, tail) = rest.split_once(", ").unwrap_or((rest, ""));
            out.push(item.to_owned());
            rest = tail;
        }
    }
    out
}
