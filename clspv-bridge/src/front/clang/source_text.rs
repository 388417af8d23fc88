//! The code of a source: everything but comments and the contents of literals.
//!
//! Scan this text, not the source, for names of built-ins. The source itself is what is compiled.

use crate::options::CompileRequest;
use std::borrow::Cow;

/// A source as far as it is known before clang reads it.
pub struct SourceText<'a> {
    pub request: &'a CompileRequest<'a>,
    /// The source without comments and literals, and the definitions of macros in the options.
    pub code: Cow<'a, str>,
    /// Whether it includes files, whose text is not in `code`.
    pub has_includes: bool,
}

impl<'a> SourceText<'a> {
    pub fn new(request: &'a CompileRequest<'a>) -> SourceText<'a> {
        let mut code = strip_literals(request.source);
        for definition in request.options.preprocessor.iter().filter(|o| o.starts_with("-D")) {
            code = format!("{code}\n{}", &definition[2..]).into();
        }
        let has_includes = code.contains("#include");
        SourceText { request, code, has_includes }
    }

    /// Whether the device has an extension or feature.
    pub fn has_extension(&self, name: &str) -> bool {
        self.request.config.extensions.iter().any(|e| e == name)
    }
}

/// Strips comments (each becomes a blank), the contents of string and character literals, and line breaks
/// after a backslash. Sources with trigraphs or raw strings are returned unchanged.
fn strip_literals(source: &str) -> Cow<'_, str> {
    if !source.contains(['"', '\'', '\\']) && !source.contains("//") && !source.contains("/*")
        || source.contains("??")
        || source.contains("R\"")
    {
        return source.into();
    }
    let joined = source.replace("\\\r\n", "").replace("\\\n", "");
    let mut out = String::with_capacity(joined.len());
    let mut chars = joined.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if (last, c) == ('*', '/') {
                        break;
                    }
                    last = c;
                }
                out.push(' ');
            }
            '"' | '\'' => {
                out.push(c);
                // A literal that is not closed ends with the line.
                while let Some(inner) = chars.next_if(|c| *c != '\n') {
                    if inner == c {
                        out.push(c);
                        break;
                    }
                    if inner == '\\' {
                        chars.next_if(|c| *c != '\n');
                    }
                }
            }
            // Apostrophes divide the digits of a number.
            '0'..='9' => {
                out.push(c);
                out.extend(std::iter::from_fn(|| {
                    chars.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '\'' | '_' | '.'))
                }));
            }
            c if c.is_alphanumeric() || c == '_' => {
                out.push(c);
                out.extend(std::iter::from_fn(|| chars.next_if(|c| c.is_alphanumeric() || *c == '_')));
            }
            c => out.push(c),
        }
    }
    out.into()
}

/// The identifiers in a code.
pub fn names(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty())
}

/// Whether macros may concatenate names.
pub fn pastes(code: &str) -> bool {
    ["##", "%:%:", "??"].iter().any(|mark| code.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_go() {
        for (source, code) in [
            ("int a; // enqueue \"\nint b;", "int a; \nint b;"),
            ("a /* \" // */ b /**/ c /* * / ** */ d", "a   b   c   d"),
            ("f(\"x\\\"y /* \", '\\'', '\"'); g", "f(\"\", '', ''); g"),
            ("// a \\\n b\nc", "\nc"),
            ("en\\\r\nqueue \\\n x", "enqueue  x"),
            ("#error don't\nx /* y", "#error don'\nx  "),
            ("int a = 1'000'000; '\"' x", "int a = 1'000'000; '' x"),
            ("a / b / c * d", "a / b / c * d"),
        ] {
            assert_eq!(strip_literals(source), code, "{source}");
        }
        for source in ["R\"(a \" // )\" b", "// ??/\nx", "kernel void k() {}"] {
            assert_eq!(strip_literals(source), source);
        }
    }

    #[test]
    fn names_are_whole() {
        assert_eq!(names("a_1+b(c.d)=='' 2x").collect::<Vec<_>>(), ["a_1", "b", "c", "d", "2x"]);
        assert!(pastes("a##b") && pastes("%:%:") && !pastes("# #"));
    }
}
