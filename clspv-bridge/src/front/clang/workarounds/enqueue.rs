//! Device-side enqueue (OpenCL C 3.0, section 6.15.18): rewrites LLVM's text into a form that the SPIR-V back
//! end can write.
//!
//! clang makes an entry for each enqueued block: a kernel whose first parameter is the block's literal. The
//! back end supports neither addresses of functions nor the types and built-ins of events. Therefore:
//!
//! - an entry gets a name of [`block_name`] that no other module has, and its number replaces its address;
//! - the address of a block's function in its literal becomes NULL, because calls of blocks name the
//!   function;
//! - the four forms of `enqueue_kernel` and all other built-ins become calls of `pc_runtime_` and the name of
//!   a [`RuntimeCall`];
//! - events become `i64`, and `ndrange_` functions get bodies.
//!
//! Other text is unchanged.

use crate::error::{CompileError, Result};
use crate::front::clang::source_text::{names, pastes};
use crate::front::clang::symbols::{globals, name_at};
use crate::front::markers::RUNTIME;
use crate::front::{FNV, fnv};
use crate::ir::RuntimeCall;
use crate::ir::names::Named;
use crate::ir::runtime::{block_name, ndrange};
use crate::options::FrontConfig;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Names of functions that enqueue kernels; those of ranges begin with [`RANGE`].
const NAMES: &[&str] = &[
    "queue_t",
    "clk_event_t",
    "enqueue_kernel",
    "enqueue_marker",
    "get_default_queue",
    "get_kernel_work_group_size",
    "get_kernel_preferred_work_group_size_multiple",
    "get_kernel_sub_group_count_for_ndrange",
    "get_kernel_max_sub_group_size_for_ndrange",
    "create_user_event",
    "set_user_event_status",
    "retain_event",
    "release_event",
    "is_valid_event",
    "capture_event_profiling_info",
    "CLK_NULL_EVENT",
    "CLK_NULL_QUEUE",
];
const RANGE: &str = "ndrange_";
/// Fragments of such names, which macros may concatenate.
const PARTS: &[&str] =
    &["enqueue", "get_kernel_", "clk_event_t", "queue_t", "get_default_queue", "user_event", "ndrange"];

/// Whether a code (source without comments and literals) may enqueue kernels, also if macros concatenate the
/// names.
pub fn may_enqueue(code: &str, std: &str, config: &FrontConfig) -> bool {
    // OpenCL C 3 has it as an optional feature of the device; versions before 2 never have it.
    let version_has = match std {
        "" | "CL" | "CL1.0" | "CL1.1" | "CL1.2" => false,
        "CL3.0" | "CL3.1" => config.extensions.iter().any(|e| e == "__opencl_c_device_enqueue"),
        _ => true,
    };
    let has_part = || pastes(code) && PARTS.iter().any(|part| code.contains(part));
    version_has && (names(code).any(|name| NAMES.contains(&name) || name.starts_with(RANGE)) || has_part())
}

/// How clang writes the address of a function as a generic pointer, up to the name, and what follows the
/// name.
const ADDRESS: &str = "ptr addrspace(4) addrspacecast (ptr @";
const ADDRESS_END: &str = " to ptr addrspace(4))";

const EVENT: &str = "target(\"spirv.DeviceEvent\")";
const QUEUE: &str = "target(\"spirv.Queue\")";

/// Index of one of clang's operands, or a constant to use where clang has none.
type Operand = std::result::Result<usize, &'static str>;
const NO_EVENTS: [Operand; 3] = [Err("i32 0"), Err("ptr addrspace(4) null"), Err("ptr addrspace(4) null")];
const NO_SIZES: [Operand; 2] = [Err("i32 0"), Err("ptr null")];
/// A literal that clang makes begins with its size.
const HEADED: Operand = Err("i32 -1");
/// Calls to rewrite: clang's name, the runtime call, and its operands. After the kernel clang always passes
/// the literal.
const FORMS: &[(&str, RuntimeCall, &[Operand])] = &[
    (
        "__enqueue_kernel_basic",
        RuntimeCall::EnqueueKernel,
        &[
            Ok(0),
            Ok(1),
            Ok(2),
            NO_EVENTS[0],
            NO_EVENTS[1],
            NO_EVENTS[2],
            Ok(3),
            Ok(4),
            HEADED,
            NO_SIZES[0],
            NO_SIZES[1],
        ],
    ),
    (
        "__enqueue_kernel_basic_events",
        RuntimeCall::EnqueueKernel,
        &[Ok(0), Ok(1), Ok(2), Ok(3), Ok(4), Ok(5), Ok(6), Ok(7), HEADED, NO_SIZES[0], NO_SIZES[1]],
    ),
    (
        "__enqueue_kernel_varargs",
        RuntimeCall::EnqueueKernel,
        &[Ok(0), Ok(1), Ok(2), NO_EVENTS[0], NO_EVENTS[1], NO_EVENTS[2], Ok(3), Ok(4), HEADED, Ok(5), Ok(6)],
    ),
    (
        "__enqueue_kernel_events_varargs",
        RuntimeCall::EnqueueKernel,
        &[Ok(0), Ok(1), Ok(2), Ok(3), Ok(4), Ok(5), Ok(6), Ok(7), HEADED, Ok(8), Ok(9)],
    ),
    ("__get_kernel_work_group_size_impl", RuntimeCall::WorkGroupSize, &[Ok(0)]),
    ("__get_kernel_preferred_work_group_size_multiple_impl", RuntimeCall::PreferredMultiple, &[Ok(0)]),
    ("__get_kernel_sub_group_count_for_ndrange_impl", RuntimeCall::SubGroupCount, &[Ok(0), Ok(1)]),
    ("__get_kernel_max_sub_group_size_for_ndrange_impl", RuntimeCall::MaxSubGroupSize, &[Ok(0), Ok(1)]),
];

/// Built-ins of which only the name changes.
const RENAMED: &[RuntimeCall] = &[
    RuntimeCall::EnqueueMarker,
    RuntimeCall::CreateUserEvent,
    RuntimeCall::SetUserEventStatus,
    RuntimeCall::RetainEvent,
    RuntimeCall::ReleaseEvent,
    RuntimeCall::IsValidEvent,
    RuntimeCall::CaptureProfiling,
    RuntimeCall::DefaultQueue,
];

/// Functions of the prelude, and their definitions.
const NULLS: &[(&str, &str)] = &[
    ("pc_null_event", "i64 @pc_null_event() alwaysinline nounwind {\n  ret i64 -1\n}"),
    (
        "pc_null_queue",
        "target(\"spirv.Queue\") @pc_null_queue() alwaysinline nounwind {\n  ret target(\"spirv.Queue\") zeroinitializer\n}",
    ),
];

/// Rewrites a module's text for the back end; `None` if it enqueues nothing.
pub fn rewrite(ir: &str) -> Result<Option<String>> {
    let marks = [
        ADDRESS,
        EVENT,
        QUEUE,
        "@__enqueue_kernel_",
        "@__get_kernel_",
        "ocl_clkevent",
        "ocl_queue",
        "ndrange_",
    ];
    if !marks.iter().any(|mark| ir.contains(mark)) {
        return Ok(None);
    }
    let entries = entries(ir);
    let mut out = String::with_capacity(ir.len());
    let mut made: BTreeSet<&'static str> = BTreeSet::new();
    // Whether a block's entry is open: its function receives the literal as a generic pointer.
    let mut in_entry = false;
    for line in ir.lines() {
        let is_code = line.starts_with(['d', ' ']) || line.starts_with('@') && !line.contains(" c\"");
        if !is_code {
            out.push_str(line);
            out.push('\n');
            in_entry &= line != "}";
            continue;
        }
        let mut line = addresses(line, &entries).replace(EVENT, "i64");
        if line.starts_with("define ") {
            let name = globals(&line).next().map(|(_, name)| name.to_owned());
            if let Some((entry, number)) = name.and_then(|n| entries.get_key_value(&n)) {
                // No program has a kernel of this name. A kernel of the module must have a pointer to a named
                // address space.
                line = line.replacen(&format!("@{entry}("), &format!("@{}(", block_name(*number)), 1);
                line = line.replacen("(ptr addrspace(4)", "(ptr addrspace(1)", 1);
                let _ = writeln!(
                    out,
                    "{line}\n  %pc.literal = addrspacecast ptr addrspace(1) %0 to ptr addrspace(4)"
                );
                in_entry = true;
                continue;
            }
        }
        if in_entry {
            line = line.replacen("(ptr addrspace(4) %0", "(ptr addrspace(4) %pc.literal", 1);
        }
        if line.starts_with(' ') && calls_unknown(&line) && ir.contains(ADDRESS) {
            let text = "error: a block is called that is not known when the program is compiled\n";
            return Err(CompileError::Diagnostics(text.into()));
        }
        match form(&line, &mut made)? {
            Some(text) => out.push_str(&text),
            None => out.push_str(&builtin(&line)),
        }
        out.push('\n');
    }
    for call in made {
        let types = match call {
            "enqueue_kernel" => {
                format!(
                    "{QUEUE}, i32, ptr, i32, ptr addrspace(4), ptr addrspace(4), i64, ptr addrspace(4), i32, i32, ptr"
                )
            }
            "work_group_size" | "preferred_multiple" => "i64".into(),
            _ => "ptr, i64".into(),
        };
        let _ = writeln!(out, "\ndeclare spir_func i32 @{RUNTIME}{call}({types})");
    }
    Ok(Some(out))
}

/// The entries of blocks, verbatim, with their numbers. Entries are what `enqueue_kernel` and the queries
/// receive.
fn entries(ir: &str) -> FxHashMap<String, u64> {
    let mut entries = FxHashMap::default();
    // The numbers are hashes of the whole module, so that several modules may have blocks of one name.
    let module = fnv(FNV, ir.bytes().map(u64::from));
    for line in
        ir.lines().filter(|l| l.starts_with(' ') && FORMS.iter().any(|f| l.contains(&format!("@{}(", f.0))))
    {
        for (at, _) in line.match_indices(ADDRESS) {
            if let Some(name) = name_at(&line[at + ADDRESS.len()..]) {
                entries.entry(name.to_owned()).or_insert_with(|| fnv(module, name.bytes().map(u64::from)));
            }
        }
    }
    entries
}

/// Replaces addresses of functions: those of entries by their numbers, others by NULL.
fn addresses(line: &str, entries: &FxHashMap<String, u64>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(ADDRESS) {
        out.push_str(&rest[..at]);
        let after = &rest[at + ADDRESS.len()..];
        let end =
            name_at(after).and_then(|name| Some((name, after[name.len()..].strip_prefix(ADDRESS_END)?)));
        let Some((name, behind)) = end else {
            out.push_str(ADDRESS);
            rest = after;
            continue;
        };
        match entries.get(name) {
            Some(number) => drop(write!(out, "i64 {}", *number as i64)),
            None => out.push_str("ptr addrspace(4) null"),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Whether an instruction is an indirect call.
fn calls_unknown(line: &str) -> bool {
    let Some((_, call)) = line.split_once("call ") else { return false };
    let callee = call.char_indices().filter(|(_, c)| matches!(c, '@' | '%')).find(|(at, _)| {
        let after = &call[at + 1..];
        name_at(after).is_some_and(|name| after[name.len()..].starts_with('('))
    });
    callee.is_some_and(|(_, c)| c == '%')
}

/// The operands that follow an open parenthesis, and the position of the closing one.
fn operands(text: &str) -> Option<(Vec<&str>, usize)> {
    let (mut depth, mut start, mut quoted) = (0u32, 0, false);
    let mut list = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' if depth == 0 => {
                if !text[start..at].trim().is_empty() {
                    list.push(text[start..at].trim());
                }
                return Some((list, at));
            }
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                list.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Rewrites a line with one of the [`FORMS`]; a declaration becomes an empty line.
fn form(line: &str, made: &mut BTreeSet<&'static str>) -> Result<Option<String>> {
    let found =
        globals(line).find_map(|(at, name)| FORMS.iter().find(|f| f.0 == name).map(|f| (at, name, f)));
    let Some((at, name, (_, call, wanted))) = found else { return Ok(None) };
    if line.starts_with("declare ") {
        return Ok(Some(String::new()));
    }
    let open = at + 1 + name.len() + 1;
    let Some((given, close)) = operands(&line[open..]) else {
        return Err(CompileError::internal(format!("a call of {name}")));
    };
    let mut args = Vec::new();
    for operand in *wanted {
        match operand {
            Ok(n) => args
                .push(*given.get(*n).ok_or_else(|| CompileError::internal(format!("operands of {name}")))?),
            Err(text) => args.push(text),
        }
    }
    made.insert(call.name());
    Ok(Some(format!("{}@{RUNTIME}{}({}{}", &line[..at], call.name(), args.join(", "), &line[open + close..])))
}

/// Renames other built-ins in a line; a declaration of an `ndrange_` function becomes its definition.
fn builtin(line: &str) -> String {
    let mut out = String::new();
    let mut done = 0;
    for (at, name) in globals(line) {
        let null = NULLS.iter().find(|(function, _)| *function == name && line.starts_with("declare "));
        if let Some((_, body)) = null {
            return format!("define internal spir_func {body}");
        }
        let Some(plain) = plain_name(name) else { continue };
        let new = match RENAMED.iter().find(|call| call.name() == plain) {
            Some(call) => format!("{RUNTIME}{}", call.name()),
            None if plain.starts_with("ndrange_") => {
                let new = format!(
                    "pc.{plain}{}",
                    &name[2..].trim_start_matches(|c: char| c.is_ascii_digit())[plain.len()..]
                );
                if line.starts_with("declare ") {
                    return ndrange_body(line, &new, at, name).unwrap_or_else(|| line.to_owned());
                }
                new
            }
            None => continue,
        };
        out.push_str(&line[done..at + 1]);
        out.push_str(&new);
        done = at + 1 + name.len();
    }
    out.push_str(&line[done..]);
    out
}

/// The plain name in a mangled one.
fn plain_name(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest.get(digits..digits.checked_add(rest[..digits].parse().ok()?)?)
}

/// The definition of `ndrange_1D` and so on: (global), (global, local) or (offset, global, local). Sizes of
/// one dimension are values, others are in arrays.
fn ndrange_body(line: &str, new: &str, at: usize, name: &str) -> Option<String> {
    let dims: usize = plain_name(name)?
        .strip_prefix("ndrange_")?
        .strip_suffix('D')?
        .parse()
        .ok()
        .filter(|d| (1..=3).contains(d))?;
    let (params, _) = operands(&line[at + 1 + name.len() + 1..])?;
    let result = params.first()?;
    let given = params.len() - 1;
    let offsets: &[usize] = match given {
        1 => &[ndrange::GLOBAL],
        2 => &[ndrange::GLOBAL, ndrange::LOCAL],
        3 => &[ndrange::OFFSET, ndrange::GLOBAL, ndrange::LOCAL],
        _ => return None,
    };
    let mut text = format!("define internal spir_func void @{new}({result} %out");
    for (i, param) in params[1..].iter().enumerate() {
        let _ = write!(text, ", {param} %a{i}");
    }
    let _ = write!(text, ") alwaysinline nounwind {{\n  store i32 {dims}, ptr %out, align 8\n");
    for (offset, absent) in
        [(ndrange::OFFSET, 0), (ndrange::GLOBAL, 1), (ndrange::LOCAL, u64::from(given > 1))]
    {
        let argument = offsets.iter().position(|o| *o == offset);
        for d in 0..3 {
            let value = match argument {
                Some(i) if d < dims && dims == 1 => format!("%a{i}"),
                Some(i) if d < dims => {
                    let value = format!("%v{i}.{d}");
                    let _ = writeln!(
                        text,
                        "  %p{i}.{d} = getelementptr i64, ptr %a{i}, i64 {d}\n  {value} = load i64, ptr %p{i}.{d}, align 8"
                    );
                    value
                }
                _ => absent.to_string(),
            };
            let to = offset + 8 * d;
            let _ = writeln!(
                text,
                "  %o{to} = getelementptr i8, ptr %out, i64 {to}\n  store i64 {value}, ptr %o{to}, align 8"
            );
        }
    }
    Some(text + "  ret void\n}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::build_kernels;
    use crate::front::clang;
    use crate::ir::runtime::block_number;
    use crate::ir::{Module, Op};
    use crate::options::{CompileRequest, Extent, Kernels, Options};

    #[test]
    fn what_enqueues_is_found() {
        let may = |code: &str, std: &str| may_enqueue(code, std, &config());
        for code in [
            "queue_t q;",
            "b = ndrange_1D(3)",
            "x(enqueue_kernel)",
            "retain_event(e)",
            "GO(en)",
            "enqueue_##x()",
        ] {
            assert_eq!(may(code, "CL3.0"), code != "GO(en)", "{code}");
            assert!(!may(code, "CL1.2") && !may(code, ""), "{code}");
            assert!(!may_enqueue(code, "CL3.0", &FrontConfig::default()));
        }
        for code in ["enqueue(my_queue_t, ndrange, get_kernel_time)", "int enqueued = a # b;", "requeue_t t;"]
        {
            assert!(!may(code, "CL3.0") && !may(code, "CL2.0"), "{code}");
        }
        assert!(may_enqueue("queue_t q", "CL2.0", &FrontConfig::default()));
    }

    #[test]
    fn other_text_stays() {
        for ir in [
            "define spir_kernel void @k() {\n  ret void\n}\n",
            "@s = constant [9 x i8] c\"ocl_queue\"\n@e = constant [20 x i8] c\"@__enqueue_kernel_b(\\00\"\n",
            "define void @f(ptr %g) {\n  call void %g(i32 1)\n}\n",
        ] {
            assert!(rewrite(ir).unwrap().is_none_or(|text| text == ir));
        }
    }

    #[test]
    fn calls_get_all_operands_and_entries_names() {
        let ir = "define spir_kernel void @\"__k\\C3\\A4_block_invoke_kernel\"(ptr addrspace(4) %0) #1 {\n  \
            call spir_func void @\"__k\\C3\\A4_block_invoke\"(ptr addrspace(4) %0)\n  ret void\n}\n\
            define void @f(ptr %r) {\n  store ptr addrspace(4) addrspacecast (ptr @\"__k\\C3\\A4_block_invoke\" to ptr addrspace(4)), ptr %r\n  \
            %1 = call spir_func i32 @__enqueue_kernel_basic(target(\"spirv.Queue\") %q, i32 0, ptr %n, \
            ptr addrspace(4) addrspacecast (ptr @\"__k\\C3\\A4_block_invoke_kernel\" to ptr addrspace(4)), ptr addrspace(4) %2)\n}\n\
            declare spir_func i32 @__enqueue_kernel_basic(target(\"spirv.Queue\"), i32, ptr, ptr addrspace(4), ptr addrspace(4))\n";
        let text = rewrite(ir).unwrap().unwrap();
        let at = text.find("@pc.block.").unwrap();
        let name = name_at(&text[at + 1..]).unwrap();
        let number = block_number(name).unwrap() as i64;
        assert!(text.contains(&format!("@{name}(ptr addrspace(1) %0) #1 {{")), "{text}");
        assert!(
            text.contains("%pc.literal = addrspacecast ptr addrspace(1) %0 to ptr addrspace(4)"),
            "{text}"
        );
        assert!(text.contains("_block_invoke\"(ptr addrspace(4) %pc.literal)"), "{text}");
        assert!(text.contains("store ptr addrspace(4) null, ptr %r"), "{text}");
        let call = format!(
            "@pc_runtime_enqueue_kernel(target(\"spirv.Queue\") %q, i32 0, ptr %n, i32 0, ptr addrspace(4) null, \
             ptr addrspace(4) null, i64 {number}, ptr addrspace(4) %2, i32 -1, i32 0, ptr null)"
        );
        assert!(text.contains(&call), "{text}");
        assert!(!text.contains("__enqueue_kernel"), "{text}");
        // The same blocks in another module get other numbers.
        let other = rewrite(&format!("; another\n{ir}")).unwrap().unwrap();
        assert!(!other.contains(name));
    }

    #[test]
    fn unknown_blocks_are_an_error() {
        let ir = "define void @f(ptr %p) {\n  store ptr addrspace(4) addrspacecast (ptr @g to ptr addrspace(4)), ptr %p\n  \
            %2 = call spir_func i32 %1(ptr addrspace(4) %3, i32 4)\n}\n";
        assert!(matches!(rewrite(ir), Err(CompileError::Diagnostics(text)) if text.contains("not known")));
    }

    #[test]
    fn operands_end_where_they_end() {
        let text = "i32 1, { i32, i32 } %a, target(\"x,)y\") %b, ptr addrspace(4) %c) #1, !dbg !2";
        let (list, close) = operands(text).unwrap();
        assert_eq!(list, ["i32 1", "{ i32, i32 } %a", "target(\"x,)y\") %b", "ptr addrspace(4) %c"]);
        assert_eq!(&text[close..], ") #1, !dbg !2");
        assert_eq!(operands(")").unwrap().0.len(), 0);
        assert!(operands("i32 1").is_none());
    }

    fn config() -> FrontConfig {
        let extensions = [
            "__opencl_c_int64",
            "__opencl_c_generic_address_space",
            "__opencl_c_program_scope_global_variables",
        ];
        let extensions = extensions
            .into_iter()
            .chain(["__opencl_c_device_enqueue", "__opencl_c_subgroups"])
            .map(String::from);
        FrontConfig { extensions: extensions.collect(), opencl_version: 310, ..FrontConfig::default() }
    }

    fn read(source: &str, config: &FrontConfig, extent: Extent) -> Module {
        let options = Options { std: "CL3.0".into(), ..Options::default() };
        let request = CompileRequest { extent, ..CompileRequest::new(source, &options, config) };
        let library = clang::compile(&request).unwrap().library;
        crate::front::spirv::read(library.code.spirv(), &[]).unwrap()
    }

    fn calls(module: &Module) -> Vec<RuntimeCall> {
        let insts = module.functions.values().flat_map(|f| f.insts.values());
        insts.filter_map(|i| if let Op::Runtime(call) = i.op { Some(call) } else { None }).collect()
    }

    /// A clang that counts its runs in a file beside it.
    struct Counted {
        folder: std::path::PathBuf,
        config: FrontConfig,
    }

    impl Counted {
        fn new(clang: &std::path::Path) -> Counted {
            let folder = std::env::temp_dir().join(format!("pyroclast-counted-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            let script = folder.join("clang");
            // Written by another process: a file that a child of this one may have open for writing cannot be
            // executed.
            let write = r#"printf '#!/bin/sh\necho >> "%s/runs"\nexec "%s" "$@"\n' "$1" "$2" > "$1/clang" && chmod 700 "$1/clang""#;
            let done =
                std::process::Command::new("sh").args(["-c", write, "sh"]).arg(&folder).arg(clang).status();
            assert!(done.unwrap().success());
            let config = FrontConfig { clang: script.display().to_string(), ..config() };
            Counted { folder, config }
        }

        /// How often clang runs for a source.
        fn runs(&self, source: &str, options: &Options) -> usize {
            let runs = self.folder.join("runs");
            std::fs::write(&runs, "").unwrap();
            let request = CompileRequest::new(source, options, &self.config);
            clang::compile(&CompileRequest { extent: Extent::Program, ..request }).unwrap();
            std::fs::read_to_string(runs).unwrap().len()
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    #[test]
    fn only_what_enqueues_takes_two_steps() {
        if clang::is_missing() {
            return;
        }
        let path = clang::find(&FrontConfig::default()).unwrap();
        let clang = Counted::new(&path);
        let options = |std: &str| Options { std: std.into(), ..Options::default() };
        let words = "/* enqueue_kernel(get_default_queue()); convert_int_sat, atomic_load */
            kernel void enqueue(global int *ndrange) { // ndrange_1D, queue_t, retain_event
                int my_queue_t = ndrange[0], get_kernel_ = 2;
                ndrange[1] = my_queue_t + get_kernel_; }";
        for std in ["CL3.0", "CL2.0", ""] {
            assert_eq!(clang.runs(words, &options(std)), 1, "{std}");
        }
        let source = "kernel void k(global int *p) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ p[0] = 1; }); }";
        assert_eq!(clang.runs(source, &options("CL3.0")), 2);
        let named = Options {
            preprocessor: vec!["-DGO=enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{})".into()],
            ..options("CL3.0")
        };
        assert_eq!(clang.runs("kernel void k() { GO; }", &named), 2);
    }

    /// The blocks that native code is made for.
    #[test]
    fn only_blocks_that_kernels_reach_are_compiled() {
        if clang::is_missing() {
            return;
        }
        let source = "
            #define RUN(b) enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), b)
            kernel void plain(global int *p) { p[0] = 1; }
            static void helper(global int *p) { RUN(^{ p[1] = 1; }); }
            void unused(global int *p) { RUN(^{ p[2] = 1; }); }
            kernel void one(global int *p) { helper(p); }
            kernel void nested(global int *p) { RUN(^{ p[3] = 1; RUN(^{ p[4] = 1; }); }); }
            kernel void asks(global int *p) { void (^b)(void) = ^{ p[6] = 1; }; p[5] = get_kernel_work_group_size(b); }
            kernel void calls(global int *p) { asks(p); nested(p); }";
        // Functions that no kernel calls stay.
        let options = Options { std: "CL3.0".into(), ..Options::default() };
        let library = clang::compile(&CompileRequest::new(source, &options, &config())).unwrap().library;
        let target = crate::Target::native("any".into(), &|_| false);
        let blocks = |names: &[&str]| {
            let wanted = Kernels::Named(names.iter().map(|n| n.to_string()).collect());
            let program = build_kernels(&wanted, &[&library], &options, &[], &target, None).unwrap();
            let mut own: Vec<_> = program.infos().map(|k| k.name.as_str()).collect();
            own.sort();
            assert_eq!(own, names);
            let native = program.native().unwrap();
            native.kernels.iter().filter(|k| block_number(&k.info.name).is_some()).count()
        };
        assert_eq!(blocks(&["plain"]), 0);
        assert_eq!(blocks(&["one", "plain"]), 1);
        assert_eq!(blocks(&["nested"]), 2);
        assert_eq!(blocks(&["asks", "one"]), 2);
        assert_eq!(blocks(&["calls"]), 3);
        assert_eq!(blocks(&["asks", "calls", "nested", "one", "plain"]), 4);
    }

    /// Names that need quotes in the text, and texts that look like what is replaced.
    #[test]
    fn unusual_names_and_strings() {
        if clang::find(&FrontConfig::default()).is_none() {
            return;
        }
        let source = "
            #define GO(x) enqueue_##x
            constant char text[] = \"@__enqueue_kernel_basic( addrspacecast (ptr @gr\\u00f6\\u00dfe_block_invoke to ptr addrspace(4))\";
            typedef struct { int a; } ndrange_x;
            static void gr\\u00f6\\u00dfe$(queue_t q, global int *p) { GO(kernel)(q, 0, ndrange_1D(1), ^{ p[0] = text[p[1]]; }); }
            kernel void __enqueue_kernel(queue_t q, global int *p) { gr\\u00f6\\u00dfe$(q, p); ndrange_x x = { 1 }; p[1] = x.a; }
            kernel void k_block_invoke_kernel(global int *p) { p[0] = 1; }
            kernel void k(queue_t q, global int *p, int n) {
                enqueue_kernel(q, 0, ndrange_1D(1, 1), ^{ p[2] = n; enqueue_kernel(q, 0, ndrange_1D(0, 1, 1), ^(local void *l) { p[n] = 3; }, n); });
            }";
        for (extent, instrumented) in
            [(Extent::Program, false), (Extent::Part, false), (Extent::Program, true)]
        {
            let module = read(source, &FrontConfig { instrumented, ..config() }, extent);
            assert!(
                calls(&module).len() >= 3 && calls(&module).iter().all(|c| *c == RuntimeCall::EnqueueKernel)
            );
            let (blocks, own): (Vec<_>, Vec<_>) =
                module.kernels.iter().partition(|k| block_number(&k.name).is_some());
            assert_eq!(
                own.iter().map(|k| k.name.as_str()).collect::<Vec<_>>(),
                ["__enqueue_kernel", "k_block_invoke_kernel", "k"]
            );
            let mut args: Vec<usize> = blocks.iter().map(|k| k.args.len()).collect();
            args.sort();
            assert_eq!(args, [1, 1, 2]);
            assert!(module.globals.values().any(|g| g.name == "text"));
        }
    }

    #[test]
    fn every_built_in_is_a_call() {
        if clang::find(&FrontConfig::default()).is_none() {
            return;
        }
        let source = "kernel void k(global ulong *p) {
            queue_t q = get_default_queue();
            clk_event_t e = create_user_event(), f[2] = { CLK_NULL_EVENT, e };
            void (^b)(void) = ^{ p[0] = 1; };
            const size_t three[3] = { 1, 2, 3 };
            set_user_event_status(e, CL_COMPLETE);
            retain_event(e);
            release_event(f[1]);
            p[1] = is_valid_event(f[0]);
            capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, p + 2);
            p[4] = enqueue_marker(q, 2, f, &e);
            p[5] = get_kernel_work_group_size(b) + get_kernel_preferred_work_group_size_multiple(b);
            ndrange_t r = ndrange_3D(three, three, three);
            p[6] = get_kernel_sub_group_count_for_ndrange(r, b) + get_kernel_max_sub_group_size_for_ndrange(r, b);
            p[7] = enqueue_kernel(q, 0, ndrange_2D(three), 1, &e, &f[0], b);
        }";
        let mut found = calls(&read(source, &config(), Extent::Program));
        found.sort_by_key(|c| c.number());
        // Two are instructions of SPIR-V only.
        let (of_c, others) = crate::ir::RUNTIME_CALLS.split_at(found.len());
        assert_eq!(found, of_c);
        assert_eq!(others, [RuntimeCall::LocalSizeForSubGroups, RuntimeCall::MaxSubGroups]);
    }
}
