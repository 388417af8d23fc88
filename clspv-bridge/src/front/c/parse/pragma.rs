//! Pragmas: `OPENCL EXTENSION`, `FP_CONTRACT`, `unroll`.
//!
//! The cursor handles a pragma as soon as it reaches it, so no other part of the parser meets one. Unknown
//! pragmas are ignored, as by clang.

use super::Parser;
use crate::front::c::ast::LoopHint;
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind;
use crate::front::c::warning::DiagnosticPragma;

/// The extension that allows bit-fields.
const BIT_FIELDS: &str = "__cl_clang_bitfields";

impl Parser<'_> {
    /// Handles the pragmas at the cursor.
    pub(super) fn skip_pragmas(&mut self) {
        while self.peek().kind == TokenKind::Pragma {
            let token = self.peek();
            let text = self.sema.session.symbols.text(token.symbol).to_owned();
            self.position += 1;
            self.pragma(&text, token.loc);
        }
    }

    fn pragma(&mut self, text: &str, loc: Loc) {
        if let Some(pragma) = DiagnosticPragma::parse(text) {
            // The preprocessor has reported what is wrong.
            if let Ok(pragma) = pragma {
                let _ = self.sema.session.diagnostics.policy.apply(pragma);
            }
            return;
        }
        let text = text.split("//").next().unwrap_or(text);
        let words: Vec<&str> = text
            .split(|c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')' | ':' | ','))
            .filter(|w| !w.is_empty())
            .collect();
        match words.as_slice() {
            ["OPENCL", "EXTENSION", name, state] => self.extension(name, state, loc),
            ["OPENCL", "EXTENSION", ..] => {
                self.sema.warning("ignored-pragmas", loc, "expected extension name and state - ignoring");
            }
            ["OPENCL" | "STDC" | "GCC" | "clang", "FP_CONTRACT", state] | ["FP_CONTRACT", state] => {
                match *state {
                    "ON" | "DEFAULT" => self.sema.contracts = true,
                    "OFF" => self.sema.set_no_contraction(),
                    _ => self.sema.warning(
                        "unknown-pragmas",
                        loc,
                        "expected 'ON' or 'OFF' or 'DEFAULT' in pragma",
                    ),
                }
            }
            ["clang", "fp", "contract", "off"] => self.sema.set_no_contraction(),
            ["clang", "fp", "contract", _] => self.sema.contracts = true,
            ["unroll", rest @ ..] | ["GCC", "unroll", rest @ ..] | ["clang", "loop", "unroll", rest @ ..] => {
                self.unroll_pragma(rest, loc);
            }
            ["nounroll"] => self.unroll = Some(LoopHint { unroll: Some(1) }),
            // The preprocessor handles some, the others concern hosts or other compilers.
            _ => {}
        }
    }

    /// `#pragma OPENCL EXTENSION name : behaviour`: supported extensions are always available, so only names
    /// are checked. Bit-fields alone require a pragma.
    fn extension(&mut self, name: &str, state: &str, loc: Loc) {
        let is_state = matches!(state, "enable" | "disable" | "require" | "warn" | "begin" | "end");
        if !is_state {
            let text = "expected 'enable', 'disable', 'begin' or 'end' - ignoring";
            self.sema.warning("ignored-pragmas", loc, text);
        } else if name == BIT_FIELDS {
            self.sema.has_bit_fields = state == "enable";
        } else if name == "all" {
            self.sema.has_bit_fields &= state != "disable";
            if state != "disable" {
                self.sema.warning("ignored-pragmas", loc, "expected 'disable' - ignoring");
            }
        } else if state == "enable" && !self.sema.language.has(name) {
            let text = format!("OpenCL extension '{name}' unknown or does not require pragma - ignoring");
            self.sema.warning("ignored-pragmas", loc, text);
        }
    }

    fn unroll_pragma(&mut self, words: &[&str], loc: Loc) {
        let hint = match words {
            [] | ["full" | "enable"] => Some(LoopHint { unroll: Some(0) }),
            ["disable"] => Some(LoopHint { unroll: Some(1) }),
            [count] => unroll_count(count),
            _ => None,
        };
        match hint {
            Some(hint) => self.unroll = Some(hint),
            None => {
                self.sema.warning("ignored-pragmas", loc, "invalid operand of '#pragma unroll' - ignoring")
            }
        }
    }
}

/// Hint of a pragma's number. The text is not macro-expanded, so a macro's name means the compiler's choice.
fn unroll_count(text: &str) -> Option<LoopHint> {
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return Some(LoopHint::default());
    }
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let count = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    Some(LoopHint { unroll: Some(count?) })
}
