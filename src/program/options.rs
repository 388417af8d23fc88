//! Parser of the option strings of clBuildProgram, clCompileProgram and clLinkProgram.
//!
//! Owns the tokenizer (quotes, escapes) and the table of options. Options of other vendors are accepted and
//! ignored with a note for the build log, because programs pass them unconditionally; any other unknown
//! option is an error, which the caller maps to CL_INVALID_{BUILD,COMPILER,LINKER}_OPTIONS. Never panics on
//! any input.

use clspv_bridge::options::Options;

/// The call whose options are parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Build,
    Compile,
    Link,
}

/// Parsed options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Options of the compiler.
    pub compiler: Options,
    /// -create-library.
    pub create_library: bool,
    /// -enable-link-options.
    pub enable_link_options: bool,
    /// Notes for the build log about ignored options.
    pub notes: Vec<String>,
}

/// An invalid option string, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionError(pub String);

/// Valid values of -cl-std=.
const STANDARDS: [&str; 10] =
    ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "CL3.1", "CLC++", "CLC++1.0", "CLC++2021", "CL"];

/// Prefixes of options of other vendors' drivers.
const VENDOR_PREFIXES: [&str; 16] = [
    "-cl-intel-",
    "-cl-nv-",
    "-cl-amd-",
    "-cl-arm-",
    "-cl-qcom-",
    "-cl-ext-",
    "-cl-khr-",
    "-cl-img-",
    "-cl-vx-",
    "-cl-poly-",
    "-qcom-",
    "-nv-",
    "-ze-",
    "-ftz=",
    "-prec-",
    "-fmad",
];

/// Options of other vendors' drivers (compiler switches that pass through to their back ends).
const VENDOR_OPTIONS: [&str; 12] = [
    "-cl-nv-verbose",
    "-save-temps",
    "-fno-bin-source",
    "-fno-bin-llvmir",
    "-fno-bin-amdil",
    "-fbin-exe",
    "-fno-bin-exe",
    "-fbin-source",
    "-m32",
    "-m64",
    "-pedantic",
    "-v",
];

/// Parses the option string of a call.
pub fn parse(text: &str, stage: Stage) -> Result<BuildOptions, OptionError> {
    let mut tokens = tokenize(text)?.into_iter();
    let mut out = BuildOptions::default();
    while let Some(token) = tokens.next() {
        if stage == Stage::Link {
            if !link_option(&token, &mut out) {
                return Err(OptionError(format!("invalid linker option '{token}'")));
            }
            continue;
        }
        let c = &mut out.compiler;
        match token.as_str() {
            "-D" | "-I" | "-U" => {
                let Some(value) = tokens.next().filter(|v| !v.is_empty()) else {
                    return Err(OptionError(format!("option '{token}' needs a value")));
                };
                c.preprocessor.push(preprocessor(&token, &value)?);
            }
            "-x" => match tokens.next().as_deref() {
                Some("cl" | "clc" | "clcpp") => {}
                Some(other) => return Err(OptionError(format!("input language '{other}' is not supported"))),
                None => return Err(OptionError("option '-x' needs a value".into())),
            },
            "-w" => c.warnings_off = true,
            "-Werror" => c.warnings_are_errors = true,
            "-Wno-error" => c.warnings_are_errors = false,
            "-g" => c.debug_info = true,
            "-cl-kernel-arg-info" => c.kernel_arg_info = true,
            "-cl-single-precision-constant" => c.single_precision_constant = true,
            "-cl-fp32-correctly-rounded-divide-sqrt" => c.correctly_rounded_divide_sqrt = true,
            "-cl-opt-disable" | "-O0" => c.opt_disable = true,
            "-cl-uniform-work-group-size" => c.uniform_work_group_size = true,
            // Neither changes this compiler's behaviour: it never relies on strict aliasing, and does not
            // guarantee independent forward progress.
            "-cl-strict-aliasing" | "-cl-no-subgroup-ifp" => {}
            other if math_option(other, c) => {}
            other => {
                if let Some(warning) = warning_option(other) {
                    c.warnings.push(warning.to_owned());
                } else if let Some(value) = other.strip_prefix("-cl-std=") {
                    if !STANDARDS.contains(&value) {
                        return Err(OptionError(format!("unknown language version '{value}' in '{other}'")));
                    }
                    c.std = value.to_owned();
                } else if ["-D", "-I", "-U"].iter().any(|p| other.starts_with(p)) {
                    let (flag, value) = other.split_at(2);
                    c.preprocessor.push(preprocessor(flag, value)?);
                } else if is_foreign(other) {
                    out.notes.push(format!("note: option '{other}' is not known here and was ignored"));
                } else {
                    return Err(OptionError(format!("invalid option '{other}'")));
                }
            }
        }
    }
    if out.enable_link_options && !out.create_library {
        return Err(OptionError("'-enable-link-options' needs '-create-library'".into()));
    }
    Ok(out)
}

/// An option about a group of warnings, without "-W"; `None` for other options.
fn warning_option(token: &str) -> Option<&str> {
    let name = token.strip_prefix("-W")?;
    let is_group = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '#')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-+=#_".contains(c));
    is_group.then_some(name)
}

/// A -D, -I or -U in clang's form.
fn preprocessor(flag: &str, value: &str) -> Result<String, OptionError> {
    if value.contains('\0') {
        return Err(OptionError(format!("the value of '{flag}' contains a NUL")));
    }
    if flag != "-I" && value.starts_with('=') {
        return Err(OptionError(format!("'{flag}{value}' names no macro")));
    }
    Ok(format!("{flag}{value}"))
}

/// Sets the option and those it implies; false if it is not a relaxation that links accept, too.
fn math_option(token: &str, c: &mut Options) -> bool {
    match token {
        "-cl-denorms-are-zero" => c.denorms_are_zero = true,
        "-cl-no-signed-zeros" => c.no_signed_zeros = true,
        "-cl-mad-enable" => c.mad_enable = true,
        "-cl-finite-math-only" => c.finite_math = true,
        "-cl-unsafe-math-optimizations" => {
            c.unsafe_math = true;
            c.no_signed_zeros = true;
            c.mad_enable = true;
        }
        "-cl-fast-relaxed-math" => {
            c.fast_relaxed_math = true;
            c.finite_math = true;
            math_option("-cl-unsafe-math-optimizations", c);
        }
        _ => return false,
    }
    true
}

/// Parses an option of clLinkProgram; false if it is not valid there.
fn link_option(token: &str, out: &mut BuildOptions) -> bool {
    match token {
        "-create-library" => out.create_library = true,
        "-enable-link-options" => out.enable_link_options = true,
        "-cl-no-subgroup-ifp" => {}
        // Compilation options that took effect when the objects were compiled; drivers tolerate them.
        "-w"
        | "-g"
        | "-cl-kernel-arg-info"
        | "-cl-opt-disable"
        | "-cl-strict-aliasing"
        | "-cl-uniform-work-group-size"
        | "-cl-fp32-correctly-rounded-divide-sqrt"
        | "-cl-single-precision-constant" => {
            out.notes.push(format!("note: option '{token}' has no effect when linking"));
        }
        other if other.starts_with("-cl-std=") && STANDARDS.contains(&&other[8..]) => {
            out.notes.push(format!("note: option '{token}' has no effect when linking"));
        }
        other => {
            if !math_option(other, &mut out.compiler) {
                if !is_foreign(other) {
                    return false;
                }
                out.notes.push(format!("note: option '{other}' is not known here and was ignored"));
            }
        }
    }
    true
}

/// Whether another driver accepts this option.
fn is_foreign(token: &str) -> bool {
    VENDOR_OPTIONS.contains(&token)
        || VENDOR_PREFIXES.iter().any(|p| token.starts_with(p))
        || matches!(token, "-O" | "-O1" | "-O2" | "-O3" | "-Os")
        || token.starts_with("-Wf,")
        || token.starts_with("-Wb,")
        || token.starts_with("-fp")
}

/// Splits at white space. Double quotes group (anywhere in a word) and are removed. A backslash escapes a
/// following quote, backslash or space, and is kept before any other character.
pub fn tokenize(text: &str) -> Result<Vec<String>, OptionError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(ch) = chars.next() {
        match ch {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' => {
                let kept = match chars.peek() {
                    Some('"' | '\\') => chars.next().unwrap_or('\\'),
                    Some(' ') if !quoted => chars.next().unwrap_or('\\'),
                    _ => '\\',
                };
                word.get_or_insert_default().push(kept);
            }
            ch if ch.is_ascii_whitespace() && !quoted => words.extend(word.take()),
            ch => word.get_or_insert_default().push(ch),
        }
    }
    if quoted {
        return Err(OptionError("a quotation mark is not closed".into()));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(text: &str) -> BuildOptions {
        parse(text, Stage::Build).expect("valid options")
    }

    #[test]
    fn quoted_include_directories() {
        let want = vec!["-I/a dir/b".to_string(), "-I/c d".into(), "-I/e f".into(), "-Ig h".into()];
        assert_eq!(build(r#"-I"/a dir/b" -I "/c d" "-I/e f" -Ig\ h"#).compiler.preprocessor, want);
    }

    #[test]
    fn definitions() {
        let got = build("-D A -DB=1 -D C=\"x y\" -DS=\\\"t\\\" -DP=a\\b\t-U Q\n").compiler.preprocessor;
        assert_eq!(got, ["-DA", "-DB=1", "-DC=x y", "-DS=\"t\"", "-DP=a\\b", "-UQ"]);
    }

    #[test]
    fn relaxations_imply_others() {
        let c = build("-cl-fast-relaxed-math").compiler;
        assert!(c.fast_relaxed_math && c.finite_math && c.unsafe_math && c.no_signed_zeros && c.mad_enable);
        let c = build("-cl-unsafe-math-optimizations").compiler;
        assert!(!c.finite_math && c.no_signed_zeros && c.mad_enable);
    }

    #[test]
    fn standards() {
        assert_eq!(build("-cl-std=CL3.1").compiler.std, "CL3.1");
        assert_eq!(build("-cl-std=CL1.2 -cl-std=CLC++2021").compiler.std, "CLC++2021");
        for bad in ["-cl-std=", "-cl-std", "-cl-std=CL9.9", "-cl-std=cl1.2"] {
            assert!(parse(bad, Stage::Build).is_err(), "{bad}");
        }
    }

    #[test]
    fn all_standard_options() {
        let text = "-cl-single-precision-constant -cl-denorms-are-zero \
            -cl-fp32-correctly-rounded-divide-sqrt \
            -cl-opt-disable -cl-strict-aliasing -cl-uniform-work-group-size -cl-no-subgroup-ifp \
            -cl-mad-enable -cl-no-signed-zeros -cl-finite-math-only -w -Werror -cl-kernel-arg-info -g";
        let got = build(text);
        assert!(got.notes.is_empty());
        let c = got.compiler;
        assert!(
            c.opt_disable
                && c.denorms_are_zero
                && c.correctly_rounded_divide_sqrt
                && c.single_precision_constant
        );
        assert!(
            c.warnings_off
                && c.warnings_are_errors
                && c.kernel_arg_info
                && c.debug_info
                && c.uniform_work_group_size
        );
    }

    #[test]
    fn warnings() {
        let got = build("-Wno-unused-value -Werror=int-conversion -Wall -Werror -Wno-error");
        assert_eq!(got.compiler.warnings, ["no-unused-value", "error=int-conversion", "all"]);
        assert!(got.notes.is_empty() && !got.compiler.warnings_are_errors);
        // Options for the back ends of other drivers.
        assert_eq!(build("-Wf,-x -Wb,-y").notes.len(), 2);
    }

    #[test]
    fn foreign_options_are_noted() {
        let got =
            build("-cl-nv-verbose -cl-intel-greater-than-4GB-buffer-required -O3 -cl-nv-maxrregcount=32");
        assert_eq!(got.notes.len(), 4);
        assert_eq!(got.compiler, Options::default());
    }

    #[test]
    fn invalid_options() {
        for bad in [
            "-foo",
            "garbage",
            "-D",
            "-I",
            "-D ",
            "-D=1",
            "-cl-foo",
            "-create-library",
            "-I\"abc",
            "-x spir",
            "-x",
            "\"\"",
            "-",
        ] {
            assert!(parse(bad, Stage::Build).is_err(), "{bad}");
        }
    }

    #[test]
    fn linker_options() {
        let got =
            parse("-create-library -enable-link-options -cl-denorms-are-zero", Stage::Link).expect("valid");
        assert!(got.create_library && got.enable_link_options && got.compiler.denorms_are_zero);
        for bad in ["-enable-link-options", "-DX", "-bad", "-Werror-x"] {
            assert!(parse(bad, Stage::Link).is_err(), "{bad}");
        }
        assert!(parse("-cl-std=\u{e9}", Stage::Link).is_err());
    }

    #[test]
    fn any_text_is_survived() {
        let mut seed = 1u64;
        for _ in 0..2000 {
            let mut text = String::new();
            for _ in 0..24 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let alphabet =
                    ['-', 'D', 'I', '"', '\\', ' ', '=', 'c', 'l', 's', '\u{20ac}', '\0', '\n', 'x'];
                text.push(alphabet[(seed >> 33) as usize % alphabet.len()]);
            }
            for stage in [Stage::Build, Stage::Compile, Stage::Link] {
                let _ = parse(&text, stage);
            }
        }
    }
}
