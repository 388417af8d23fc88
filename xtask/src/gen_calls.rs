//! Generates the table by which `pyroclast trace` prints calls: parameters of functions, and names of
//! enumerators by type. The registry groups the enumerators of a type by the comments of `require` elements.

use roxmltree::{Document, Node};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// The source of the table.
pub fn emit(doc: &Document, header: &str) -> String {
    let mut out =
        format!("//! Functions of OpenCL with their parameters, and enumerators by type.\n//! {header}\n\n");
    out += "/// A function: name, and type and name of each parameter.\n";
    out += "pub type Function = (&'static str, &'static [(&'static str, &'static str)]);\n\n";
    out += "/// Every function of the registry, by name.\npub const FUNCTIONS: &[Function] = &[\n";
    for (name, params) in functions(doc) {
        let list: Vec<String> = params.iter().map(|(ty, name)| format!("({ty:?}, {name:?})")).collect();
        let _ = writeln!(out, "    ({name:?}, &[{}]),", list.join(", "));
    }
    out += "];\n\n/// A type with enumerators: name, whether values are sets of bits, names and values.\n";
    out += "pub type Enumeration = (&'static str, bool, &'static [(&'static str, u64)]);\n\n";
    out += "/// Every such type, by name.\npub const ENUMERATIONS: &[Enumeration] = &[\n";
    for (name, (is_mask, list)) in enumerations(doc) {
        let list: Vec<String> = list.iter().map(|(name, value)| format!("({name:?}, {value:#x})")).collect();
        let _ = writeln!(out, "    ({name:?}, {is_mask}, &[{}]),", list.join(", "));
    }
    out += "];\n";
    out
}

fn functions<'a>(doc: &'a Document) -> BTreeMap<&'a str, Vec<(String, &'a str)>> {
    let mut all = BTreeMap::new();
    for command in doc.descendants().filter(|n| n.has_tag_name("command")) {
        let child = |node: Node<'a, 'a>, tag: &str| {
            node.children().find(|c| c.has_tag_name(tag)).and_then(|c| c.text())
        };
        let proto = command.children().find(|p| p.has_tag_name("proto"));
        let Some(name) = proto.and_then(|p| child(p, "name")) else { continue };
        let params = command.children().filter(|p| p.has_tag_name("param"));
        let list = params.filter_map(|param| {
            let text: String = param.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect();
            let name = child(param, "name")?;
            let ty = match text.contains("CL_CALLBACK") {
                true => "callback".to_owned(),
                false => {
                    text.rsplit_once(name)?.0.split_whitespace().collect::<Vec<_>>().join(" ")
                        + &"*".repeat(text.matches("[]").count())
                }
            };
            Some((ty.replace(" *", "*"), name))
        });
        all.insert(name, list.collect());
    }
    all
}

type Group<'a> = (bool, Vec<(&'a str, u64)>);

fn enumerations<'a>(doc: &'a Document) -> BTreeMap<&'a str, Group<'a>> {
    let mut values: HashMap<&str, (bool, u64)> = HashMap::new();
    for e in doc.descendants().filter(|n| n.has_tag_name("enum")) {
        let Some(name) = e.attribute("name") else { continue };
        let is_mask = e.parent().is_some_and(|p| p.attribute("type") == Some("bitmask"));
        let bit = e.attribute("bitpos").and_then(|b| Some(1u64 << b.parse::<u32>().ok()?));
        let number = |text: &str| match text.trim().strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => text.trim().parse::<i64>().ok().map(|v| v as u64),
        };
        if let Some(value) = bit.or_else(|| e.attribute("value").and_then(number)) {
            values.insert(name, (is_mask || bit.is_some(), value));
        }
    }
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for require in doc.descendants().filter(|n| n.has_tag_name("require")) {
        let comment = require.attribute("comment").unwrap_or_default();
        let types = comment.split_whitespace().filter(|w| w.starts_with("cl_") && *w != "cl_uint");
        for ty in types {
            for e in require.children().filter(|c| c.has_tag_name("enum")) {
                let Some((name, (is_mask, value))) =
                    e.attribute("name").and_then(|n| values.get_key_value(n))
                else {
                    continue;
                };
                let group = groups.entry(ty).or_default();
                group.0 |= is_mask;
                if !group.1.iter().any(|(_, known)| known == value) {
                    group.1.push((name, *value));
                }
            }
        }
    }
    groups.retain(|_, (_, list)| !list.is_empty());
    groups
}
