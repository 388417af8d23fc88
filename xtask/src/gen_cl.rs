//! Generates the OpenCL vocabulary (types, constants, error names) and the ICD dispatch table from the
//! registry.
//!
//! The registry lists commands without the order of their slots in the dispatch table, which is the table's
//! ABI; `dispatch_order.txt` has it. Constants that are not integers are left out.

use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;

const HEADER: &str = "Generated from the OpenCL registry by `cargo xtask gen-cl`; do not edit.";

/// Slot names in the order of the dispatch table's ABI.
pub const DISPATCH_ORDER: &str = include_str!("dispatch_order.txt");

/// Reads the registry and writes every generated file of the workspace.
pub fn run(registry: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(registry).map_err(|e| format!("{registry}: {e}"))?;
    let doc = Document::parse(&text).map_err(|e| format!("{registry}: {e}"))?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace root")?;
    let types = Types::read(&doc);
    write(root, "src/cl/autogen_types.rs", &types.emit())?;
    let (consts, errors) = constants(&doc);
    write(root, "src/cl/autogen_consts.rs", &consts)?;
    write(root, "src/cl/autogen_errors.rs", &errors)?;
    write(root, "icd/src/autogen_dispatch.rs", &dispatch(&doc, &types)?)?;
    write(root, "profile/src/autogen_calls.rs", &crate::gen_calls::emit(&doc, HEADER))?;
    write(root, "tests/support/src/api/autogen_api.rs", &test_api(&doc, &types)?)
}

fn write(root: &Path, relative: &str, text: &str) -> Result<(), String> {
    let path = root.join(relative);
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    let formatted = std::process::Command::new("rustfmt").args(["--edition", "2024"]).arg(&path).status();
    if !formatted.is_ok_and(|s| s.success()) {
        return Err(format!("rustfmt failed on {}", path.display()));
    }
    Ok(())
}

/// All text below a node, in order.
fn full_text(node: Node) -> String {
    node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect()
}

fn child_text<'a>(node: Node<'a, 'a>, tag: &str) -> Option<&'a str> {
    node.children().find(|c| c.has_tag_name(tag)).and_then(|c| c.text())
}

/// Base C types by their Rust names.
fn base_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "void" => "c_void",
        "char" => "c_char",
        "int" => "i32",
        "unsigned char" => "u8",
        "unsigned int" => "u32",
        "intptr_t" => "isize",
        "size_t" => "usize",
        "float" => "f32",
        "double" => "f64",
        "int8_t" => "i8",
        "int16_t" => "i16",
        "int32_t" => "i32",
        "int64_t" => "i64",
        "uint8_t" => "u8",
        "uint16_t" => "u16",
        "uint32_t" => "u32",
        "uint64_t" => "u64",
        _ => return None,
    })
}

struct Member {
    name: String,
    ty: String,
}

#[derive(Default)]
struct Types {
    aliases: Vec<(String, String)>,
    handles: Vec<(String, String)>,
    structs: Vec<(String, Vec<Member>)>,
    known: BTreeSet<String>,
    sizes: HashMap<String, String>,
}

impl Types {
    fn read(doc: &Document) -> Types {
        let mut types = Types::default();
        for e in doc.descendants().filter(|n| n.has_tag_name("enum")) {
            if let (Some(name), Some(value)) = (e.attribute("name"), e.attribute("value")) {
                types.sizes.insert(name.into(), value.into());
            }
        }
        for node in doc
            .descendants()
            .filter(|n| n.has_tag_name("type") && n.parent().is_some_and(|p| p.has_tag_name("types")))
        {
            match node.attribute("category") {
                Some("define") => types.read_typedef(node),
                Some("struct") => types.read_struct(node),
                _ => {}
            }
        }
        types
    }

    fn read_typedef(&mut self, node: Node) {
        let text = full_text(node);
        let Some(name) = child_text(node, "name") else { return };
        let Some(rest) = text.trim().strip_prefix("typedef ") else { return };
        if let Some(tag) = rest.strip_prefix("struct ") {
            let tag: String = tag.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if rest.contains('*') {
                self.handles.push((name.into(), tag));
                self.known.insert(name.into());
            }
            return;
        }
        let Some(target) = child_text(node, "type") else { return };
        let Some(mut ty) = self.resolve(target) else { return };
        if rest.contains('*') {
            ty = format!("*mut {ty}");
        }
        self.aliases.push((name.into(), ty));
        self.known.insert(name.into());
    }

    fn read_struct(&mut self, node: Node) {
        let Some(name) = node.attribute("name") else { return };
        let mut members = Vec::new();
        for m in node.children().filter(|c| c.has_tag_name("member")) {
            if full_text(m).trim_start().starts_with("union") {
                // The only union of the registry: two names for one memory object.
                members.push(Member { name: "mem_object".into(), ty: "cl_mem".into() });
                continue;
            }
            let (Some(field), Some(mut ty)) = (child_text(m, "name"), self.c_type(m)) else { return };
            if let Some(size) = child_text(m, "enum") {
                let Some(size) = self.sizes.get(size) else { return };
                ty = format!("[{ty}; {size}]");
            }
            members.push(Member { name: if field == "type" { "type_".into() } else { field.into() }, ty });
        }
        self.structs.push((name.into(), members));
        self.known.insert(name.into());
    }

    fn resolve(&self, name: &str) -> Option<String> {
        base_type(name).map(str::to_string).or_else(|| self.known.contains(name).then(|| name.to_string()))
    }

    /// The Rust type of a parameter, result or member; None if it needs a foreign header.
    fn c_type(&self, node: Node) -> Option<String> {
        let text = full_text(node);
        if text.contains("CL_CALLBACK") {
            return callback_type(&text, self);
        }
        let mut ty = self.resolve(child_text(node, "type")?)?;
        let is_const = text.trim_start().starts_with("const");
        let stars = text.matches('*').count() + text.matches("[]").count();
        for level in 0..stars {
            ty = if is_const && level == 0 { format!("*const {ty}") } else { format!("*mut {ty}") };
        }
        Some(ty)
    }

    fn emit(&self) -> String {
        let mut out =
            format!("//! OpenCL scalar, handle and structure types under their C names.\n//! {HEADER}\n\n");
        out += "#![allow(non_camel_case_types, missing_docs)]\n\nuse std::ffi::{c_char, c_void};\n\n";
        for (name, ty) in &self.aliases {
            let _ = writeln!(out, "pub type {name} = {ty};");
        }
        for (name, tag) in &self.handles {
            let _ = writeln!(
                out,
                "\n#[repr(C)]\npub struct {tag} {{\n    _opaque: [u8; 0],\n}}\npub type {name} = *mut {tag};"
            );
        }
        for (name, members) in &self.structs {
            let _ = writeln!(out, "\n#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {name} {{");
            for m in members {
                let _ = writeln!(out, "    pub {}: {},", m.name, m.ty);
            }
            out += "}\n";
        }
        out
    }
}

/// `void (CL_CALLBACK* name)(args)` as an optional function pointer.
fn callback_type(text: &str, types: &Types) -> Option<String> {
    let args = text.rsplit_once(")(")?.1.trim_end().trim_end_matches(')');
    let mut list = Vec::new();
    for arg in args.split(',') {
        let is_const = arg.trim_start().starts_with("const ");
        let stars = arg.matches('*').count() + arg.matches("[]").count();
        let base = arg.trim().trim_start_matches("const ").split([' ', '*']).next()?;
        let mut ty = types.resolve(base)?;
        for level in 0..stars {
            ty = if is_const && level == 0 { format!("*const {ty}") } else { format!("*mut {ty}") };
        }
        list.push(ty);
    }
    Some(format!("Option<unsafe extern \"C\" fn({})>", list.join(", ")))
}

fn integer(value: &str) -> Option<i128> {
    let v = value.trim();
    if let Some(hex) = v.strip_prefix("0x") {
        return i128::from_str_radix(hex, 16).ok();
    }
    v.parse().ok()
}

fn constants(doc: &Document) -> (String, String) {
    let mut consts = format!(
        "//! OpenCL constants under their C names, group by group of the registry.\n//! {HEADER}\n\n"
    );
    consts += "#![allow(missing_docs, non_upper_case_globals)]\n\nuse super::autogen_types::{cl_bitfield, cl_int, cl_uint};\n";
    let mut errors: BTreeMap<i128, &str> = BTreeMap::new();
    let mut types: HashMap<&str, &str> = HashMap::new();
    for group in doc.descendants().filter(|n| n.has_tag_name("enums")) {
        let group_name = group.attribute("name").unwrap_or_default();
        if group_name == "Constants" {
            continue;
        }
        let is_error = group_name.starts_with("ErrorCodes");
        let is_mask = group.attribute("type") == Some("bitmask");
        let mut body = String::new();
        for e in group.children().filter(|c| c.has_tag_name("enum")) {
            let Some(name) = e.attribute("name") else { continue };
            if types.contains_key(name) {
                continue;
            }
            let value =
                match (e.attribute("bitpos").and_then(|b| b.parse::<u32>().ok()), e.attribute("value")) {
                    (Some(bit), _) => Some(1i128 << bit),
                    (None, Some(text)) => integer(text),
                    _ => None,
                };
            let Some(value) = value else {
                // Another name for an earlier constant.
                if let Some((target, ty)) = e.attribute("value").and_then(|v| types.get_key_value(v)) {
                    let _ = writeln!(body, "pub const {name}: {ty} = {target};");
                    let ty = *ty;
                    types.insert(name, ty);
                }
                continue;
            };
            let status = group_name == "clCommandExecutionStatus" || group_name == "cl_build_status";
            let ty = if is_error || status || (value < 0 && !is_mask) {
                "cl_int"
            } else if is_mask || value > i128::from(u32::MAX) {
                "cl_bitfield"
            } else {
                "cl_uint"
            };
            let wrapped = if is_mask && value < 0 { value + (1i128 << 64) } else { value };
            let text =
                if is_mask || wrapped >= 0x100 { format!("{wrapped:#x}") } else { wrapped.to_string() };
            let _ = writeln!(body, "pub const {name}: {ty} = {text};");
            types.insert(name, ty);
            if is_error {
                errors.entry(value).or_insert(name);
            }
        }
        if !body.is_empty() {
            let _ = write!(consts, "\n// {group_name}\n{body}");
        }
    }
    let mut names = format!("//! Names of OpenCL error codes, for logs.\n//! {HEADER}\n\n");
    names += "/// The C name of an error code, if it is known.\npub fn error_name(code: i32) -> Option<&'static str> {\n    Some(match code {\n";
    for (value, name) in errors.iter().rev() {
        let _ = writeln!(names, "        {value} => \"{name}\",");
    }
    names += "        _ => return None,\n    })\n}\n";
    (consts, names)
}

fn dispatch(doc: &Document, types: &Types) -> Result<String, String> {
    let commands: HashMap<&str, Node> = doc
        .descendants()
        .filter(|n| n.has_tag_name("command"))
        .filter_map(|c| Some((child_text(c.children().find(|p| p.has_tag_name("proto"))?, "name")?, c)))
        .collect();
    let mut slots = String::new();
    let mut missing = String::new();
    let mut table = String::new();
    let mut lookup = String::new();
    for name in DISPATCH_ORDER.split_whitespace() {
        let command = commands.get(name).ok_or_else(|| format!("{name} is not in the registry"))?;
        // ICD 2 puts its tag in the slots of these two functions.
        if name == "clGetPlatformIDs" || name == "clUnloadCompiler" {
            let _ = writeln!(slots, "    /// The ICD 2 tag.\n    pub {name}: usize,");
            let _ = writeln!(table, "    {name}: CL_ICD2_TAG_KHR,");
            continue;
        }
        let proto = command.children().find(|p| p.has_tag_name("proto")).ok_or("command without proto")?;
        let params: Vec<Node> = command.children().filter(|p| p.has_tag_name("param")).collect();
        let result = types.c_type(proto);
        let list: Option<Vec<(String, &str)>> =
            params.iter().map(|p| Some((types.c_type(*p)?, child_text(*p, "name")?))).collect();
        let (Some(result), Some(list)) = (result, list) else {
            let _ = writeln!(slots, "    /// Needs types of another system.\n    pub {name}: usize,");
            let _ = writeln!(table, "    {name}: 0,");
            continue;
        };
        let arrow = if result == "c_void" { String::new() } else { format!(" -> {result}") };
        let tys: Vec<&str> = list.iter().map(|(t, _)| t.as_str()).collect();
        let _ = writeln!(slots, "    pub {name}: unsafe extern \"C\" fn({}){arrow},", tys.join(", "));
        let _ = writeln!(table, "    {name}: missing::{name},");
        let _ = writeln!(lookup, "            \"{name}\" => self.{name} as *const c_void,");
        let errcode = list.iter().any(|(_, n)| *n == "errcode_ret");
        let args: Vec<String> = list
            .iter()
            .map(|(t, n)| format!("{}{n}: {t}", if *n == "errcode_ret" { "" } else { "_" }))
            .collect();
        let body = match (errcode, result.as_str()) {
            (true, _) => "fail(errcode_ret)".to_string(),
            (false, "cl_int") => "CL_INVALID_OPERATION".to_string(),
            (false, "c_void") => String::new(),
            (false, _) => "std::ptr::null_mut()".to_string(),
        };
        let _ = writeln!(
            missing,
            "    pub unsafe extern \"C\" fn {name}({}){arrow} {{ {body} }}",
            args.join(", ")
        );
    }
    Ok(format!(
        "//! The dispatch table of the ICD interface, in the order of its ABI, and a table of functions that answer\n\
         //! CL_INVALID_OPERATION for whatever is not implemented.\n//! {HEADER}\n\n\
         #![allow(non_snake_case, missing_docs, clippy::too_many_arguments, clippy::missing_safety_doc, clippy::type_complexity)]\n\n\
         use pyroclast_runtime::cl::*;\nuse std::ffi::{{c_char, c_void}};\n\n\
         /// Marks a table of an ICD 2 driver.\n#[cfg(target_pointer_width = \"64\")]\n\
         pub const CL_ICD2_TAG_KHR: usize = 0x4F50_454E_434C_3331;\n\
         /// Marks a table of an ICD 2 driver.\n#[cfg(target_pointer_width = \"32\")]\n\
         pub const CL_ICD2_TAG_KHR: usize = 0x434C_3331;\n\n\
         /// Dispatch table, to which the first word of every handle points.\n#[repr(C)]\npub struct Dispatch {{\n{slots}}}\n\n\
         impl Dispatch {{\n    /// The address in the slot of that name.\n    pub fn find(&self, name: &str) -> Option<*const c_void> {{\n\
         Some(match name {{\n{lookup}            _ => return None,\n        }})\n    }}\n}}\n\n\
         /// Every function answers CL_INVALID_OPERATION.\npub const MISSING: Dispatch = Dispatch {{\n{table}}};\n\n\
         mod missing {{\n    use super::*;\n\n    fn fail<T>(errcode_ret: *mut cl_int) -> *mut T {{\n        if !errcode_ret.is_null() {{\n\
         // SAFETY: a non-null errcode_ret points to a cl_int of the caller.\n            unsafe {{ *errcode_ret = CL_INVALID_OPERATION }};\n        }}\n\
         std::ptr::null_mut()\n    }}\n\n{missing}}}\n"
    ))
}

/// Whether a slot is a function of the core API: extensions end in capitals, and GL sharing has no suffix.
pub fn is_core(name: &str) -> bool {
    let suffix = name.chars().rev().take_while(|c| c.is_ascii_uppercase()).count();
    suffix < 3 && !name.contains("GL") && !name.contains("DX9")
}

/// Functions of the core API that call through the ICD loader, for tests.
fn test_api(doc: &Document, types: &Types) -> Result<String, String> {
    let mut bad_calls = String::new();
    let mut out = format!(
        "//! The core API through the ICD loader, one function each.\n//! {HEADER}\n\n\
         #![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc, clippy::type_complexity)]\n\n\
         use pyroclast_runtime::cl::*;\nuse std::ffi::{{c_char, c_void}};\nuse std::sync::OnceLock;\n"
    );
    for command in doc.descendants().filter(|n| n.has_tag_name("command")) {
        let Some(proto) = command.children().find(|p| p.has_tag_name("proto")) else { continue };
        let Some(name) = child_text(proto, "name") else { continue };
        if !is_core(name) || !DISPATCH_ORDER.split_whitespace().any(|n| n == name) {
            continue;
        }
        let mut params = Vec::new();
        for p in command.children().filter(|p| p.has_tag_name("param")) {
            let ty = types.c_type(p).ok_or_else(|| format!("{name}: parameter of unknown type"))?;
            params.push((child_text(p, "name").unwrap_or("arg"), ty));
        }
        let result = types.c_type(proto).ok_or_else(|| format!("{name}: result of unknown type"))?;
        let arrow = if result == "c_void" { String::new() } else { format!(" -> {result}") };
        if types.handles.iter().any(|(h, _)| params.first().is_some_and(|(_, t)| t == h))
            && result != "c_void"
        {
            let args: Vec<&str> = params.iter().skip(1).map(|(n, t)| zero_of(n, t)).collect();
            let handle = &params[0].1;
            let answer = match result.as_str() {
                "cl_int" => {
                    format!(
                        "code = {name}(handle.cast(){}{});",
                        if args.is_empty() { "" } else { ", " },
                        args.join(", ")
                    )
                }
                _ if params.iter().any(|(n, _)| *n == "errcode_ret") => {
                    format!("assert!({name}(handle.cast(), {}).is_null());", args.join(", "))
                }
                _ => format!("code = i32::from({name}(handle.cast(), {}).is_null()) - 2;", args.join(", ")),
            };
            let _ = writeln!(
                bad_calls,
                "    (\"{name}\", \"{handle}\", |handle| {{\n        let mut code = 0;\n        let _ = &mut code;\n        \
                 // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.\n        \
                 unsafe {{ {answer} }}\n        code\n    }}),"
            );
        }
        let list: Vec<String> = params.iter().map(|(n, t)| format!("{n}: {t}")).collect();
        let tys: Vec<&str> = params.iter().map(|(_, t)| t.as_str()).collect();
        let names: Vec<&str> = params.iter().map(|(n, _)| *n).collect();
        let _ = write!(
            out,
            "\npub unsafe fn {name}({}){arrow} {{\n    type Function = unsafe extern \"C\" fn({}){arrow};\n    \
             static FUNCTION: OnceLock<Function> = OnceLock::new();\n    \
             // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.\n    \
             unsafe {{ FUNCTION.get_or_init(|| super::symbol(\"{name}\"))({}) }}\n}}\n",
            list.join(", "),
            tys.join(", "),
            names.join(", ")
        );
    }
    let _ = write!(
        out,
        "\n/// Calls with a handle to test and nothing else: name, type of the handle, the call. A function without an error\n\
         /// code answers -1 for NULL.\n\
         pub type BadCall = (&'static str, &'static str, fn(*mut c_void) -> cl_int);\n\n\
         /// Every core function that takes a handle first.\npub const BAD_CALLS: &[BadCall] = &[\n{bad_calls}];\n"
    );
    Ok(out)
}

/// A null or zero argument.
fn zero_of(name: &str, ty: &str) -> &'static str {
    if name == "errcode_ret" {
        "&mut code"
    } else if ty.starts_with("*const") {
        "std::ptr::null()"
    } else if ty.starts_with("*mut") || (ty.starts_with("cl_") && HANDLE_TYPES.contains(&ty)) {
        "std::ptr::null_mut()"
    } else if ty.starts_with("Option<") {
        "None"
    } else {
        "0"
    }
}

/// Handle types of the core API.
const HANDLE_TYPES: &[&str] = &[
    "cl_platform_id",
    "cl_device_id",
    "cl_context",
    "cl_command_queue",
    "cl_mem",
    "cl_program",
    "cl_kernel",
    "cl_event",
    "cl_sampler",
];
