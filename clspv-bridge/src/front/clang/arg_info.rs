//! Kernel argument information from textual LLVM IR: `!kernel_arg_*` metadata of the kernel definitions, and
//! `!vec_type_hint`: a value of the type and whether it is signed.

use crate::metadata::{AccessQualifier, AddressQualifier, ArgInfo, ArgKind, KernelArgInfo, TypeQualifiers};
use rustc_hash::FxHashMap;

/// Reads the kernels of a module. Only facts that the source alone has are filled in; sizes and offsets come
/// from the SPIR-V.
pub fn parse(ir: &str) -> Vec<KernelArgInfo> {
    let mut nodes: FxHashMap<&str, Vec<String>> = FxHashMap::default();
    for line in ir.lines().filter(|l| l.starts_with('!')) {
        if let Some((id, body)) = line.split_once(" = !{") {
            nodes.insert(id, operands(body.strip_suffix('}').unwrap_or(body)));
        }
    }
    ir.lines()
        .filter(|l| l.starts_with("define ") && l.contains("spir_kernel "))
        .filter_map(|l| kernel(l, &nodes))
        .collect()
}

fn kernel(line: &str, nodes: &FxHashMap<&str, Vec<String>>) -> Option<KernelArgInfo> {
    let name = line.split_once(" @")?.1.split('(').next()?.trim_matches('"').to_owned();
    let node = |key: &str| -> &[String] {
        let id = line.split_once(&format!("!{key} ")).and_then(|(_, rest)| rest.split(' ').next());
        id.and_then(|id| nodes.get(id)).map_or(&[], Vec::as_slice)
    };
    let list = |key: &str| node(&format!("kernel_arg_{key}"));
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
                image: None,
            }
        })
        .collect();
    let base_types = list("base_type").to_vec();
    Some(KernelArgInfo {
        kernel: name,
        args,
        base_types,
        vec_type_hint: vec_type_hint(node("vec_type_hint")),
    })
}

/// OpenCL C name of a hint like `<4 x i32> poison, i32 0`.
fn vec_type_hint(node: &[String]) -> Option<String> {
    let [value, signed] = node else { return None };
    let ty = value.rsplit_once(' ')?.0;
    let (lanes, scalar) = match ty.strip_prefix('<').and_then(|t| t.strip_suffix('>')) {
        Some(vector) => vector.split_once(" x ")?,
        None => ("", ty),
    };
    let unsigned = if signed == "i32 0" { "u" } else { "" };
    Some(match scalar {
        "i8" => format!("{unsigned}char{lanes}"),
        "i16" => format!("{unsigned}short{lanes}"),
        "i32" => format!("{unsigned}int{lanes}"),
        "i64" => format!("{unsigned}long{lanes}"),
        "half" | "float" | "double" => format!("{scalar}{lanes}"),
        _ => return None,
    })
}

/// Operands of a metadata node: strings without their quotes, everything else verbatim.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_type_hints() {
        let hint = |value: &str, signed: &str| vec_type_hint(&[value.to_owned(), signed.to_owned()]);
        assert_eq!(hint("<4 x i32> poison", "i32 0").as_deref(), Some("uint4"));
        assert_eq!(hint("<16 x i8> undef", "i32 1").as_deref(), Some("char16"));
        assert_eq!(hint("i64 undef", "i32 0").as_deref(), Some("ulong"));
        assert_eq!(hint("<2 x double> poison", "i32 0").as_deref(), Some("double2"));
        assert_eq!(hint("ptr poison", "i32 0"), None);
        assert_eq!(vec_type_hint(&[]), None);
    }
}
