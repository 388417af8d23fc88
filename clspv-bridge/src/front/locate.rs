//! Source positions for failures of the later steps.
//!
//! clang's SPIR-V has no line numbers. When a program is rejected, its source is compiled again, to LLVM IR
//! with line tables, and the functions that the messages name are looked up there: the first call, else the
//! definition, else the kernel. So only failing builds pay for positions.

use crate::ir::mangle::demangle;
use rustc_hash::FxHashMap;

/// NonSemantic.Shader.DebugInfo.100: DebugSource.
const DEBUG_SOURCE: u32 = 35;

/// First calls and definitions of functions, by plain name, as "file:line:column".
struct Positions {
    calls: FxHashMap<String, String>,
    definitions: FxHashMap<String, String>,
}

/// Inserts a position before each line `error: kernel 'NAME': ...` of a log.
pub fn add_positions(log: &str, ir: &str) -> String {
    let positions = Positions::read(ir);
    let mut out = String::with_capacity(log.len());
    for line in log.lines() {
        let kernel = line.strip_prefix("error: kernel '").and_then(|rest| rest.split_once("': "));
        if let Some(position) = kernel.and_then(|(kernel, message)| positions.of(kernel, message)) {
            out.push_str(&position);
            out.push_str(": ");
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Name of the file that a SPIR-V module gives for this line: that of the first OpLine with it, else that of
/// the first debug source (NonSemantic.Shader.DebugInfo.100).
pub fn spirv_file(words: &[u32], line: u32) -> Option<String> {
    use spirv::Op;
    let joined = super::spirv::read::Joined::new(words).ok()?;
    let insts = super::spirv::read::instructions(words, &joined).ok()?;
    let debug_sets = insts.iter().filter(|i| {
        i.op == Op::ExtInstImport
            && i.string(1).is_ok_and(|(name, _)| name == "NonSemantic.Shader.DebugInfo.100")
    });
    let debug_sets: Vec<u32> = debug_sets.filter_map(|i| i.ops.first().copied()).collect();
    let by_line =
        insts.iter().find(|i| i.op == Op::Line && i.ops.get(1) == Some(&line)).and_then(|i| i.ops.first());
    let source = |i: &&super::spirv::read::Instr<'_>| {
        i.op == Op::ExtInst
            && i.ops.get(2).is_some_and(|s| debug_sets.contains(s))
            && i.ops.get(3) == Some(&DEBUG_SOURCE)
    };
    let id = by_line.or_else(|| insts.iter().find(source).and_then(|i| i.ops.get(4)))?;
    let text = insts.iter().find(|i| i.op == Op::String && i.ops.first() == Some(id))?;
    text.string(1).ok().map(|(name, _)| name)
}

impl Positions {
    fn read(ir: &str) -> Positions {
        let mut nodes: FxHashMap<&str, &str> = FxHashMap::default();
        for line in ir.lines().filter(|l| l.starts_with('!')) {
            if let Some((id, body)) = line.split_once(" = ") {
                nodes.insert(id, body);
            }
        }
        let mut found = Positions { calls: FxHashMap::default(), definitions: FxHashMap::default() };
        for line in ir.lines() {
            let is_call = line.starts_with(' ') && line.contains("call ");
            if !is_call && !line.starts_with("define ") {
                continue;
            }
            let (Some(name), Some(position)) =
                (symbol(line), debug_node(line).and_then(|id| position(id, &nodes)))
            else {
                continue;
            };
            let map = if is_call { &mut found.calls } else { &mut found.definitions };
            map.entry(demangle(name)).or_insert(position);
        }
        found
    }

    fn of(&self, kernel: &str, message: &str) -> Option<String> {
        let mut words =
            message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| *w != kernel);
        let called = words.clone().find_map(|w| self.calls.get(w));
        let defined = words.find_map(|w| self.definitions.get(w));
        called.or(defined).or_else(|| self.definitions.get(kernel)).cloned()
    }
}

/// The function that a call or definition names: the first symbol before an opening parenthesis.
fn symbol(line: &str) -> Option<&str> {
    let mut rest = line;
    loop {
        rest = rest.split_once('@')?.1;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_.$".contains(c)).unwrap_or(rest.len());
        if rest[end..].starts_with('(') {
            return Some(&rest[..end]);
        }
    }
}

fn debug_node(line: &str) -> Option<&str> {
    let rest = line.rsplit_once("!dbg ")?.1;
    Some(rest.split([' ', ',']).next().unwrap_or(rest))
}

/// "file:line:column" of a DILocation or DISubprogram.
fn position(id: &str, nodes: &FxHashMap<&str, &str>) -> Option<String> {
    let field = |body: &str, name: &str| -> Option<String> {
        let rest = body.split_once(&format!("{name}: "))?.1;
        Some(rest.split([',', ')']).next()?.trim_matches('"').to_owned())
    };
    let body = nodes.get(id)?;
    let line = field(body, "line")?;
    // The scopes of a location lead to one that has a file.
    let mut scope = *body;
    for _ in 0..64 {
        if scope.contains(" file: ") || scope.contains("(file: ") {
            break;
        }
        scope = nodes.get(field(scope, "scope")?.as_str())?;
    }
    let file = field(nodes.get(field(scope, "file")?.as_str())?, "filename")?;
    let file = if file == "-" { "<stdin>".to_owned() } else { file };
    let column = field(body, "column").map(|c| format!(":{c}")).unwrap_or_default();
    Some(format!("{file}:{line}{column}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = r#"
define spir_func i32 @_Z4facti(i32 noundef %0) #0 !dbg !12 {
  %10 = call spir_func i32 @_Z4facti(i32 noundef %9) #4, !dbg !15
define spir_kernel void @k(ptr addrspace(1) noundef align 4 %0) #1 !dbg !29 !kernel_arg_addr_space !30 {
  %5 = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) noundef @.str, i32 noundef %4) #4, !dbg !16
!1 = !DIFile(filename: "-", directory: "/tmp", checksumkind: CSK_MD5, checksum: "0")
!12 = distinct !DISubprogram(name: "fact", scope: !1, file: !1, line: 3, type: !13, scopeLine: 3)
!14 = distinct !DILexicalBlock(scope: !29, line: 8, column: 3)
!15 = !DILocation(line: 3, column: 31, scope: !12)
!16 = !DILocation(line: 9, column: 7, scope: !14)
!29 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 7, type: !13, scopeLine: 7)
"#;

    #[test]
    fn messages_get_positions() {
        let log = "error: kernel 'k': unsupported: printf\nerror: kernel 'k': recursion: function 'fact' calls itself\n\
            error: kernel 'k': unsupported: weather\nwarning: other\n";
        let expected = "<stdin>:9:7: error: kernel 'k': unsupported: printf\n\
            <stdin>:3:31: error: kernel 'k': recursion: function 'fact' calls itself\n\
            <stdin>:7: error: kernel 'k': unsupported: weather\nwarning: other\n";
        assert_eq!(add_positions(log, IR), expected);
    }

    #[test]
    fn without_line_tables_nothing_changes() {
        let log = "error: kernel 'k': unsupported: printf\n";
        assert_eq!(add_positions(log, "define spir_kernel void @k() {\n!dbg\n"), log);
    }
}
