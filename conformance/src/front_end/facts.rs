//! The result of a front end for one source: an error, or facts about its kernels.
//!
//! A child process compiles ([`one`]) and prints the facts as lines of a name, a tabulator and a value, so
//! that two front ends are compared by name.

use crate::corpus::first_error;
use crate::process::run_limited;
use clspv_bridge::metadata::{ArgInfo, KernelArgInfo, KernelInfo};
use clspv_bridge::options::{CompileRequest, Extent, FrontEnd, Library, Options};
use clspv_bridge::{CompileError, driver};
use pyroclast_runtime::program::offline::generic_front_config;
use pyroclast_runtime::program::options::{self, Stage};
use pyroclast_runtime::program::stack::with_large_stack;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Arguments of `front-end-one`.
#[derive(clap::Args)]
pub struct OneFrontEndArgs {
    file: PathBuf,
    #[arg(allow_hyphen_values = true)]
    options: String,
}

/// Exit status of the child process for a build error with a message.
const REJECTED: i32 = 10;
/// Exit status of the child process for an internal error.
const INTERNAL_ERROR: i32 = 11;

/// A front end by its name in the setting PYROCLAST_FRONT_END.
pub fn variable(front_end: FrontEnd) -> (&'static str, &'static str) {
    let name = match front_end {
        FrontEnd::BuiltIn => "builtin",
        FrontEnd::Clang => "clang",
    };
    ("PYROCLAST_FRONT_END", name)
}

/// Values by name.
pub type Facts = BTreeMap<String, String>;

/// Result of one front end.
#[derive(Clone, PartialEq, Debug)]
pub enum Compiled {
    Accepted(Facts),
    /// The first line with an error.
    Rejected(String),
    /// A crash, an internal error or a time-out.
    Failed(String),
}

impl Compiled {
    fn verdict(&self) -> String {
        match self {
            Compiled::Accepted(_) => "accepted".into(),
            Compiled::Rejected(error) => format!("rejected ({error})"),
            Compiled::Failed(why) => format!("failed ({why})"),
        }
    }
}

/// Differences between the results of the built-in front end and of clang, each as a line.
pub fn differences(ours: &Compiled, clang: &Compiled) -> Vec<String> {
    match (ours, clang) {
        (Compiled::Accepted(a), Compiled::Accepted(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            let of =
                |facts: &Facts, name: &str| facts.get(name).map_or("nothing".into(), |v| format!("'{v}'"));
            let pairs = names.map(|name| (name, of(a, name), of(b, name)));
            pairs
                .filter(|(_, a, b)| a != b)
                .map(|(name, a, b)| format!("{name}: built-in {a}, clang {b}"))
                .collect()
        }
        (Compiled::Rejected(_), Compiled::Rejected(_)) => Vec::new(),
        // A failure is never what it should be.
        _ => vec![format!("built-in {}; clang {}", ours.verdict(), clang.verdict())],
    }
}

/// Compiles one file in this process and prints the facts.
pub fn one(arguments: &OneFrontEndArgs) -> Result<bool, String> {
    let source = std::fs::read(&arguments.file).map_err(|e| format!("{}: {e}", arguments.file.display()))?;
    let source = String::from_utf8_lossy(&source);
    let parsed = options::parse(&arguments.options, Stage::Build).map_err(|e| e.to_string())?;
    let compile = || {
        let wanted = Options { kernel_arg_info: true, ..parsed.compiler };
        let config = generic_front_config();
        let library = driver::compile(&CompileRequest::new(&source, &wanted, &config))?.library;
        facts(&library)
    };
    match with_large_stack(compile) {
        None => std::process::exit(INTERNAL_ERROR),
        Some(Err(error)) => {
            eprintln!("{error}");
            let internal = matches!(error, CompileError::Internal(_) | CompileError::InvalidIl(_));
            std::process::exit(if internal { INTERNAL_ERROR } else { REJECTED });
        }
        Some(Ok(facts)) => {
            facts.iter().for_each(|(name, value)| println!("{name}\t{value}"));
            Ok(true)
        }
    }
}

/// Facts about all kernels of a library.
fn facts(library: &Library) -> Result<Facts, CompileError> {
    let module = library.module(&[], Extent::Part)?;
    let mut facts = Facts::new();
    // The entries of blocks have no name in the program.
    let named = module.kernels.iter().filter(|k| k.name.chars().all(|c| c.is_alphanumeric() || c == '_'));
    for kernel in named {
        let source = library.arg_info.iter().find(|k| k.kernel == kernel.name);
        describe(kernel, source, &mut facts);
    }
    Ok(facts)
}

/// Adds the facts about one kernel. clang's names and types of arguments are in `source`.
fn describe(kernel: &KernelInfo, source: Option<&KernelArgInfo>, facts: &mut Facts) {
    let name = format!("kernel {}", kernel.name);
    let hint = source.and_then(|s| s.vec_type_hint.as_ref()).or(kernel.vec_type_hint.as_ref());
    for (what, value) in [
        ("arguments", format!("{} of {} bytes", kernel.args.len(), kernel.args_size)),
        ("reqd_work_group_size", format!("{:?}", kernel.reqd_work_group_size)),
        ("work_group_size_hint", format!("{:?}", kernel.work_group_size_hint)),
        ("vec_type_hint", format!("{hint:?}")),
        ("reqd_sub_group_size", format!("{:?}", kernel.reqd_sub_group_size)),
        ("printf", format!("{} calls", kernel.printf.len())),
    ] {
        facts.insert(format!("{name}, {what}"), value);
    }
    for (i, arg) in kernel.args.iter().enumerate() {
        let named = source.and_then(|s| s.args.get(i)).unwrap_or(arg);
        argument(&format!("{name}, argument {i}"), arg, named, facts);
    }
}

/// Adds the facts about one argument; `named` has what depends on the source.
fn argument(at: &str, arg: &ArgInfo, named: &ArgInfo, facts: &mut Facts) {
    let q = named.qualifiers;
    let words = [
        (q.is_const, "const"),
        (q.is_restrict, "restrict"),
        (q.is_volatile, "volatile"),
        (q.is_pipe, "pipe"),
    ];
    let qualifiers: Vec<&str> = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
    for (what, value) in [
        ("kind", format!("{:?}", arg.kind)),
        ("layout", format!("{} bytes at {}, aligned to {}", arg.size, arg.offset, arg.align)),
        ("image", format!("{:?}", arg.image)),
        ("name", named.name.clone()),
        ("type", without_qualifiers(&named.type_name)),
        ("address space", format!("{:?}", named.address)),
        ("access", format!("{:?}", named.access)),
        ("qualifiers", qualifiers.join(" ")),
    ] {
        facts.insert(format!("{at}, {what}"), value);
    }
}

/// A type's name without qualifiers, which the API reports separately. clang leaves those of an array's
/// elements in the name.
fn without_qualifiers(name: &str) -> String {
    const QUALIFIERS: [&str; 5] = ["const", "volatile", "__global", "__constant", "__local"];
    name.split(' ').filter(|word| !QUALIFIERS.contains(word)).collect::<Vec<_>>().join(" ")
}

/// Compiles a file in a child process. `log` is a file that may be overwritten.
pub fn compile(file: &Path, options: &str, front_end: FrontEnd, log: &Path, limit: Duration) -> Compiled {
    let attempt = || -> Result<Compiled, String> {
        let create =
            |path: &Path| std::fs::File::create(path).map_err(|e| format!("{}: {e}", path.display()));
        let facts = log.with_extension("facts");
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut command = Command::new(own);
        command.arg("front-end-one").arg(file).arg(options);
        let (name, value) = variable(front_end);
        // Only this limit applies: the front end's own would turn slow compilations into errors.
        command.env(name, value).env("PYROCLAST_CLANG_TIMEOUT", limit.as_secs().to_string());
        command.stdin(Stdio::null()).stdout(create(&facts)?).stderr(create(log)?);
        let status = run_limited(&mut command, limit).map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()).into_owned();
        let Some(status) = status else {
            return Ok(Compiled::Failed(format!("more than {} s", limit.as_secs())));
        };
        Ok(match status.code() {
            Some(0) => Compiled::Accepted(parse(&std::fs::read_to_string(&facts).unwrap_or_default())),
            Some(REJECTED) if !text.trim().is_empty() => Compiled::Rejected(first_error(&text)),
            _ => Compiled::Failed(format!("{status}: {}", first_error(&text))),
        })
    };
    attempt().unwrap_or_else(Compiled::Failed)
}

fn parse(text: &str) -> Facts {
    let pair = |line: &str| line.split_once('\t').map(|(name, value)| (name.to_owned(), value.to_owned()));
    text.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(lines: &str) -> Compiled {
        Compiled::Accepted(parse(lines))
    }

    #[test]
    fn a_wrong_pair_is_found() {
        let one = accepted("kernel k, argument 0, type\tfloat4*\nkernel k, arguments\t1 of 8 bytes");
        let other = accepted("kernel k, argument 0, type\tfloat*\nkernel l, arguments\t0 of 0 bytes");
        assert_eq!(
            differences(&one, &other),
            [
                "kernel k, argument 0, type: built-in 'float4*', clang 'float*'",
                "kernel k, arguments: built-in '1 of 8 bytes', clang nothing",
                "kernel l, arguments: built-in nothing, clang '0 of 0 bytes'",
            ]
        );
        assert!(differences(&one, &one).is_empty());
    }

    #[test]
    fn type_names_have_no_qualifiers() {
        assert_eq!(without_qualifiers("const __global unsigned char[6]*"), "unsigned char[6]*");
    }

    #[test]
    fn acceptance_must_agree_and_failures_never_do() {
        let rejected = |text: &str| Compiled::Rejected(text.into());
        let failed = Compiled::Failed("signal".into());
        assert!(differences(&rejected("a"), &rejected("b")).is_empty());
        assert_eq!(
            differences(&rejected("1:2: error: x"), &accepted("")),
            ["built-in rejected (1:2: error: x); clang accepted"]
        );
        assert_eq!(differences(&failed, &failed).len(), 1);
    }
}
