//! Writes `docs/coverage.md`: every entry point and every reported extension, with the tests that exercise
//! them, read from the sources. A test exercises a function that it names; [`EVIDENCE`] lists the tests of
//! extensions. The test of this file fails for every entry without a test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, String>;

/// Words that identify the tests of an extension, besides its name.
const EVIDENCE: &[(&str, &[&str])] = &[
    ("cl_ext_cxx_for_opencl", &["-cl-std=CLC++"]),
    (
        "cl_ext_image_from_buffer",
        &["CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT", "clGetImageRequirementsInfoEXT"],
    ),
    ("cl_ext_image_requirements_info", &["clGetImageRequirementsInfoEXT"]),
    ("cl_ext_image_unorm_int_2_101010", &["CL_UNORM_INT_2_101010_EXT"]),
    ("cl_intel_subgroups_char", &["intel_sub_group_block_read_uc"]),
    ("cl_intel_subgroups_long", &["intel_sub_group_block_read_ul"]),
    ("cl_intel_subgroups_short", &["intel_sub_group_block_read_us"]),
    ("cl_khr_depth_images", &["CL_DEPTH", "image2d_depth_t"]),
    ("cl_khr_device_uuid", &["CL_DEVICE_UUID"]),
    ("cl_khr_expect_assume", &["OpAssumeTrueKHR"]),
    ("cl_khr_extended_bit_ops", &["bitfield_insert"]),
    ("cl_khr_extended_versioning", &["CL_PLATFORM_EXTENSIONS_WITH_VERSION"]),
    ("cl_khr_initialize_memory", &["CL_CONTEXT_MEMORY_INITIALIZE_KHR"]),
    ("cl_khr_pci_bus_info", &["CL_DEVICE_PCI_BUS_INFO_KHR"]),
    ("cl_khr_spirv_extended_debug_info", &["OpenCL.DebugInfo.100"]),
    ("cl_khr_spirv_linkonce_odr", &["LinkOnceODR"]),
    ("cl_khr_spirv_no_integer_wrap_decoration", &["NoSignedWrap"]),
    ("cl_khr_spirv_queries", &["CL_DEVICE_SPIRV_CAPABILITIES"]),
    ("cl_khr_subgroup_clustered_reduce", &["sub_group_clustered_reduce_add"]),
    ("cl_khr_subgroup_extended_types", &["sub_group_broadcast"]),
    ("cl_khr_subgroup_non_uniform_arithmetic", &["sub_group_non_uniform_reduce_add"]),
    ("cl_khr_subgroup_non_uniform_vote", &["sub_group_non_uniform_all"]),
    ("cl_khr_subgroup_rotate", &["sub_group_rotate"]),
    ("cl_khr_subgroup_shuffle", &["sub_group_shuffle("]),
    ("cl_khr_subgroup_shuffle_relative", &["sub_group_shuffle_up"]),
];

/// Extensions and optional features that applications request and that are not reported.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "cl_amd_device_attribute_query",
        "neither Vulkan nor the kernel reports the banks of memory channels and of local memory",
    ),
    (
        "cl_khr_device_enqueue_local_arg_types",
        "clang (22) rejects local arguments of blocks other than void *",
    ),
    (
        "cl_khr_gl_sharing",
        "Vulkan and GL share by file descriptors, which GL applications must export themselves",
    ),
    (
        "cl_khr_subgroups",
        "requires independent forward progress of sub-groups, which Vulkan does not guarantee",
    ),
    ("cl_khr_terminate_context", "requires stopping running commands; Vulkan cannot stop a submission"),
];

/// Sources of the table.
struct Sources {
    /// Core functions in the order of the dispatch table, then extension functions.
    core: Vec<String>,
    extension: Vec<String>,
    /// Reported extensions, in the order of the table.
    extensions: Vec<String>,
    /// File of `icd/src/api` that defines a function.
    defined: BTreeMap<String, String>,
    /// Aliases of functions.
    aliases: BTreeMap<String, String>,
    tests: Vec<Test>,
}

/// A test program or a case of one.
struct Test {
    name: String,
    text: String,
    /// Shared by test programs: using a function here is not a test of it.
    helper: bool,
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Files below a folder, in order.
fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut list: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    list.sort();
    let mut out = Vec::new();
    for path in list {
        if path.is_dir() { out.extend(files(&path)?) } else { out.push(path) }
    }
    Ok(out)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Identifiers of C functions in a text.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c))
        .filter(|w| w.starts_with("cl") && w[2..].starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Whether a text uses a function, other than by declaring it.
fn uses(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word) && !before.ends_with("fn ")
    })
}

/// The text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Result<&'a str> {
    let from = text.split_once(start).ok_or_else(|| format!("'{start}' is missing"))?.1;
    Ok(from.split_once(end).ok_or_else(|| format!("'{end}' is missing"))?.0)
}

impl Sources {
    fn read(root: &Path) -> Result<Sources> {
        let mut defined = BTreeMap::new();
        for path in files(&root.join("icd/src/api"))? {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = read(&path)?;
            for (at, _) in text.match_indices("fn cl") {
                defined.insert(text[at + 3..].chars().take_while(|c| is_word(*c)).collect(), file.clone());
            }
        }
        let dispatch = read(&root.join("icd/src/dispatch.rs"))?;
        let core = crate::gen_cl::DISPATCH_ORDER.split_whitespace().filter(|n| crate::gen_cl::is_core(n));
        let mut extension: Vec<String> =
            functions(between(&dispatch, "\nextension_table! {", "\n}\n")?).map(str::to_string).collect();
        let pairs: Vec<&str> = functions(between(&dispatch, "const ALIASES", "];")?).collect();
        let aliases: BTreeMap<String, String> =
            pairs.chunks_exact(2).map(|p| (p[0].to_string(), p[1].to_string())).collect();
        extension.extend(aliases.keys().cloned());
        // In the dispatch table, and of an extension.
        let table = between(&dispatch, "\ndispatch_table! {", "\n}\n")?;
        extension.extend(functions(table).filter(|n| !crate::gen_cl::is_core(n)).map(str::to_string));
        let features = read(&root.join("src/device/features.rs"))?;
        let names =
            between(&features, "pub const EXTENSIONS", "\n];")?.split('"').filter(|w| w.starts_with("cl_"));
        Ok(Sources {
            core: core.map(str::to_string).collect(),
            extensions: names.map(str::to_string).collect(),
            extension,
            defined,
            aliases,
            tests: tests(root)?,
        })
    }

    /// The tests that satisfy a condition.
    fn tests_that(&self, check: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        self.tests.iter().filter(|t| !t.helper && check(&t.text)).map(|t| t.name.as_str()).collect()
    }

    fn tests_of_function(&self, name: &str) -> BTreeSet<&str> {
        // An alias calls the same function.
        let same = |(alias, core): &(&String, &String)| *alias == name || *core == name;
        let names: Vec<&str> =
            self.aliases.iter().filter(same).flat_map(|(a, b)| [a.as_str(), b]).chain([name]).collect();
        self.tests_that(|text| names.iter().any(|n| uses(text, n)))
    }

    fn tests_of_extension(&self, name: &str) -> BTreeSet<&str> {
        let words = EVIDENCE.iter().find(|(n, _)| *n == name).map_or(&[][..], |(_, words)| words);
        self.tests_that(|text| uses(text, name) || words.iter().any(|w| text.contains(w)))
    }

    /// Everything without a test.
    fn untested(&self) -> Vec<&str> {
        let functions =
            self.core.iter().chain(&self.extension).filter(|n| self.tests_of_function(n).is_empty());
        let extensions = self.extensions.iter().filter(|n| self.tests_of_extension(n).is_empty());
        functions.chain(extensions).map(String::as_str).collect()
    }
}

/// Test programs with their parts, and the cases of those that run files.
fn tests(root: &Path) -> Result<Vec<Test>> {
    let mut out = Vec::new();
    for dir in ["tests", "clspv-bridge/filetests"] {
        for path in files(&root.join(dir))? {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let is_source =
                ["rs", "cl", "ir", "spvasm"].iter().any(|e| path.extension().is_some_and(|x| x == *e));
            // Examples, and generated files with every function.
            let is_test =
                !["/autogen_", "tests/demo/", "tests/support/src/cl/", "tests/code_speed/", "layering.rs"]
                    .iter()
                    .any(|p| relative.contains(p));
            if is_source && is_test {
                let name = relative.strip_prefix("tests/").unwrap_or(&relative);
                let name = name
                    .strip_prefix("clspv-bridge/filetests/")
                    .map_or(name.to_string(), |n| format!("filetests/{n}"));
                let helper = name.starts_with("support/src/api/");
                let name = name.strip_prefix("support/src/").unwrap_or(&name);
                let name = name.strip_suffix(".rs").unwrap_or(name);
                let name = name.strip_suffix("/main").unwrap_or(name).to_string();
                out.push(Test { helper, text: read(&path)?, name });
            }
        }
    }
    Ok(out)
}

/// A few of the tests, by name.
fn shown(tests: &BTreeSet<&str>) -> String {
    const MOST: usize = 4;
    let mut text = tests.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if tests.len() > MOST {
        let _ = write!(text, " and {} more", tests.len() - MOST);
    }
    text
}

/// The document.
fn document(sources: &Sources) -> String {
    let mut out = String::from(
        "# API coverage\n\nEvery entry point and every reported extension, with the tests that exercise it. Written by\n\
         `cargo xtask coverage`; a test of `xtask` fails for every entry without a test.\n\n\
         * **done**: implemented; the source file documents the accepted parameters and flags\n\
         * **missing**: returns CL_INVALID_OPERATION\n\n\
         ## Core functions up to OpenCL 3.1, in the order of the dispatch table\n\n\
         | function | state | source | tests |\n|---|---|---|---|\n",
    );
    let (mut done, mut missing) = (0, 0);
    for name in &sources.core {
        let (state, file) = match sources.defined.get(name) {
            Some(file) => (count(&mut done, "done"), file.as_str()),
            None => (count(&mut missing, "missing"), ""),
        };
        let _ = writeln!(out, "| {name} | {state} | {file} | {} |", shown(&sources.tests_of_function(name)));
    }
    let _ = writeln!(out, "\n{done} done, {missing} missing.");
    out += "\n## Functions of extensions\n\n| function | source | tests |\n|---|---|---|\n";
    for name in &sources.extension {
        let core = sources.aliases.get(name);
        let file = sources.defined.get(core.unwrap_or(name)).map_or("", String::as_str);
        let _ = writeln!(out, "| {name} | {file} | {} |", shown(&sources.tests_of_function(name)));
    }
    out += "\n## Reported extensions\n\nEvery device reports them, unless `src/device/features.rs` has a condition.\n\n\
            | extension | tests |\n|---|---|\n";
    for name in &sources.extensions {
        let _ = writeln!(out, "| {name} | {} |", shown(&sources.tests_of_extension(name)));
    }
    out += "\n## Unreported extensions and features, with the reasons\n\n| name | reason |\n|---|---|\n";
    for (name, reason) in LEFT_OUT {
        let _ = writeln!(out, "| {name} | {reason} |");
    }
    out
}

fn root() -> Result<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace root")?.to_path_buf())
}

/// Reads the sources and writes the document.
pub fn run() -> Result<()> {
    let root = root()?;
    let sources = Sources::read(&root)?;
    let path = root.join("docs/coverage.md");
    std::fs::write(&path, document(&sources)).map_err(|e| format!("{}: {e}", path.display()))?;
    for name in sources.untested() {
        eprintln!("{name}: no test");
    }
    Ok(())
}

fn count(n: &mut u32, state: &'static str) -> &'static str {
    *n += 1;
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> Sources {
        Sources::read(&root().unwrap()).unwrap()
    }

    #[test]
    fn everything_has_a_test() {
        let sources = sources();
        assert!(sources.core.len() > 100 && sources.extension.len() > 40 && sources.extensions.len() > 50);
        assert_eq!(sources.untested(), Vec::<&str>::new());
        // No entry point is a stub, and missing extensions are not reported.
        assert!(sources.core.iter().all(|n| sources.defined.contains_key(n)));
        assert!(LEFT_OUT.iter().all(|(n, _)| !sources.extensions.iter().any(|e| e == n)));
        assert!(EVIDENCE.iter().all(|(n, _)| sources.extensions.iter().any(|e| e == n)));
    }

    #[test]
    fn the_document_has_every_name() {
        let (sources, document) =
            (sources(), std::fs::read_to_string(root().unwrap().join("docs/coverage.md")).unwrap());
        for name in sources.core.iter().chain(&sources.extension).chain(&sources.extensions) {
            assert!(document.contains(&format!("| {name} |")), "{name} is missing: cargo xtask coverage");
        }
    }

    #[test]
    fn declarations_are_no_uses() {
        assert!(uses("ok(clFinish(queue))", "clFinish") && uses("(\"x\", clFinish)", "clFinish"));
        assert!(!uses("fn clFinish(queue)", "clFinish") && !uses("clFinishKHR(queue)", "clFinish"));
        assert_eq!(
            functions("a: [clFinish, clFlush], cl_int, client").collect::<Vec<_>>(),
            ["clFinish", "clFlush"]
        );
    }
}
