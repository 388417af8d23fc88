//! Macros that are computed where they are expanded.

use super::super::source::Loc;
use super::super::symbol::Symbol;
use super::super::token::{Token, TokenKind};
use super::macros::{Dynamic, Macro, MacroKind};
use super::state::Preprocessor;
use std::time::{SystemTime, UNIX_EPOCH};

const NAMES: [(&str, Dynamic); 20] = [
    ("__FILE__", Dynamic::File),
    ("__BASE_FILE__", Dynamic::BaseFile),
    ("__FILE_NAME__", Dynamic::FileName),
    ("__LINE__", Dynamic::Line),
    ("__COUNTER__", Dynamic::Counter),
    ("__INCLUDE_LEVEL__", Dynamic::IncludeLevel),
    ("__DATE__", Dynamic::Date),
    ("__TIME__", Dynamic::Time),
    ("__TIMESTAMP__", Dynamic::Timestamp),
    ("__has_include", Dynamic::HasInclude),
    ("__has_include_next", Dynamic::HasIncludeNext),
    ("__has_attribute", Dynamic::HasAttribute),
    ("__has_builtin", Dynamic::HasBuiltin),
    ("__has_feature", Dynamic::HasFeature),
    ("__has_extension", Dynamic::HasFeature),
    ("__has_c_attribute", Dynamic::HasFeature),
    ("__has_warning", Dynamic::HasFeature),
    ("__has_declspec_attribute", Dynamic::HasFeature),
    ("__has_constexpr_builtin", Dynamic::HasFeature),
    ("__is_identifier", Dynamic::IsIdentifier),
];

/// Attributes that the parser knows.
const ATTRIBUTES: &[&str] = &[
    "address_space",
    "aligned",
    "always_inline",
    "cold",
    "const",
    "convergent",
    "deprecated",
    "endian",
    "ext_vector_type",
    "flatten",
    "format",
    "hot",
    "intel_reqd_sub_group_size",
    "may_alias",
    "noinline",
    "nosvm",
    "nothrow",
    "opencl_unroll_hint",
    "overloadable",
    "packed",
    "pure",
    "reqd_work_group_size",
    "unused",
    "vec_type_hint",
    "vector_size",
    "visibility",
    "weak",
    "work_group_size_hint",
];

/// Functions that the parser knows whose names begin with `__builtin_`.
const BUILTINS: &[&str] = &[
    "__builtin_assume",
    "__builtin_astype",
    "__builtin_bswap16",
    "__builtin_bswap32",
    "__builtin_bswap64",
    "__builtin_choose_expr",
    "__builtin_clz",
    "__builtin_constant_p",
    "__builtin_convertvector",
    "__builtin_ctz",
    "__builtin_expect",
    "__builtin_huge_val",
    "__builtin_huge_valf",
    "__builtin_inf",
    "__builtin_inff",
    "__builtin_nan",
    "__builtin_nanf",
    "__builtin_offsetof",
    "__builtin_popcount",
    "__builtin_shufflevector",
    "__builtin_trap",
    "__builtin_types_compatible_p",
    "__builtin_unreachable",
];

impl Preprocessor<'_> {
    /// Defines the macros that are computed.
    pub(super) fn define_dynamic(&mut self) {
        for (name, dynamic) in NAMES {
            let name = self.session.symbols.intern(name);
            let kind = MacroKind::Dynamic(dynamic);
            let (params, body, loc) = ((0, 0), (0, 0), Loc::default());
            let (is_variadic, is_plain, is_disabled) = (false, true, false);
            self.macros.define(Macro { name, loc, kind, params, is_variadic, body, is_plain, is_disabled });
        }
    }

    /// Token that a computed macro stands for.
    pub(super) fn expand_dynamic(&mut self, name: Token, dynamic: Dynamic) -> Token {
        let (_, last) = self.session.sources.file_span(name.loc, name.loc);
        let presumed = self.session.sources.presumed(last);
        let file = presumed.as_ref().map_or("", |p| p.file);
        match dynamic {
            Dynamic::File => {
                let text = quoted(file);
                self.literal(name, &text)
            }
            Dynamic::FileName => {
                let text = quoted(file.rsplit('/').next().unwrap_or(""));
                self.literal(name, &text)
            }
            Dynamic::BaseFile => self.literal(name, "\"<stdin>\""),
            Dynamic::Line => {
                let line = presumed.map_or(0, |p| p.line);
                self.number(name, line)
            }
            Dynamic::Counter => {
                self.counter = self.counter.wrapping_add(1);
                self.number(name, self.counter.wrapping_sub(1))
            }
            Dynamic::IncludeLevel => self.number(name, self.files.len().saturating_sub(1) as u32),
            Dynamic::Date => self.literal(name, &format!("\"{}\"", Date::now().date())),
            Dynamic::Time => self.literal(name, &format!("\"{}\"", Date::now().time())),
            Dynamic::Timestamp => self.literal(name, "\"Thu Jan  1 00:00:00 1970\""),
            Dynamic::HasInclude => self.has_include(name, false),
            Dynamic::HasIncludeNext => self.has_include(name, true),
            Dynamic::HasAttribute | Dynamic::HasBuiltin | Dynamic::HasFeature | Dynamic::IsIdentifier => {
                self.has_something(name, dynamic)
            }
        }
    }

    fn literal(&mut self, name: Token, text: &str) -> Token {
        Token { kind: TokenKind::Str, symbol: self.session.symbols.intern(text), ..name }
    }

    fn number(&mut self, name: Token, value: u32) -> Token {
        let symbol = self.session.symbols.intern(&value.to_string());
        Token { kind: TokenKind::Number, symbol, ..name }
    }

    /// `__has_x(name)`.
    fn has_something(&mut self, name: Token, dynamic: Dynamic) -> Token {
        if !self.is_before_paren() {
            let text = format!("missing '(' after '{}'", self.session.symbols.text(name.symbol));
            self.error(name.loc, text);
            return self.number(name, 0);
        }
        self.next_unexpanded();
        let mut operand = Symbol(0);
        let mut depth = 0u32;
        loop {
            let token = self.next_unexpanded();
            match token.kind {
                TokenKind::End => {
                    self.error(name.loc, "unterminated function-like macro invocation");
                    break;
                }
                TokenKind::RParen if depth == 0 => break,
                TokenKind::RParen => depth -= 1,
                TokenKind::LParen => depth += 1,
                TokenKind::Identifier => operand = token.symbol,
                _ => {}
            }
        }
        let text = self.session.symbols.text(operand);
        let bare = text.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(text);
        let known = match dynamic {
            Dynamic::HasAttribute => ATTRIBUTES.contains(&bare),
            Dynamic::HasBuiltin => BUILTINS.contains(&text),
            Dynamic::IsIdentifier => true,
            _ => false,
        };
        self.number(name, known.into())
    }
}

/// String literal of a file's name.
fn quoted(file: &str) -> String {
    format!("\"{}\"", file.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Date and time of a translation, in UTC.
struct Date {
    days: u64,
    seconds: u64,
}

impl Date {
    fn now() -> Date {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        Date { days: seconds / 86_400, seconds: seconds % 86_400 }
    }

    fn date(&self) -> String {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let is_leap =
            |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let (mut year, mut days) = (1970, self.days);
        while days >= 365 + u64::from(is_leap(year)) {
            days -= 365 + u64::from(is_leap(year));
            year += 1;
        }
        for (month, name) in MONTHS.iter().enumerate() {
            let len = match month {
                1 => 28 + u64::from(is_leap(year)),
                3 | 5 | 8 | 10 => 30,
                _ => 31,
            };
            if days < len {
                return format!("{name} {:2} {year}", days + 1);
            }
            days -= len;
        }
        String::new()
    }

    fn time(&self) -> String {
        let (minutes, seconds) = (self.seconds / 60, self.seconds % 60);
        format!("{:02}:{:02}:{seconds:02}", minutes / 60, minutes % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(Date { days: 0, seconds: 59 }.date(), "Jan  1 1970");
        assert_eq!(Date { days: 20_779, seconds: 0 }.date(), "Nov 22 2026");
        assert_eq!(Date { days: 19_782, seconds: 86_399 }.date(), "Feb 29 2024");
        assert_eq!(Date { days: 19_782, seconds: 86_399 }.time(), "23:59:59");
    }
}
