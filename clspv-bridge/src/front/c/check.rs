//! From source text to a checked unit.

use super::ast::Unit;
use super::language::Language;
use super::parse::parse;
use super::preprocess::preprocess;
use super::session::{Input, Session};
use super::types::Types;

/// A translation unit that has been parsed and checked.
#[derive(Debug)]
pub struct Checked {
    /// The diagnostics; with errors among them the unit is not complete.
    pub session: Session,
    pub language: Language,
    pub types: Types,
    pub unit: Unit,
}

impl Checked {
    /// Whether the program is wrong.
    pub fn has_errors(&self) -> bool {
        self.session.diagnostics.has_errors()
    }
}

/// Preprocesses, parses and checks a translation unit.
pub fn check(input: &Input<'_>) -> Checked {
    let mut session = Session::new(input.options);
    let language = Language::new(input.options, input.config);
    let tokens = preprocess(&mut session, input);
    let mut types = Types::new();
    let unit = parse(&mut session, &tokens, &mut types, &language);
    Checked { session, language, types, unit }
}
