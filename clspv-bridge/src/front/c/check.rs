//! From source text to a checked unit.

use super::ast::Unit;
use super::language::Language;
use super::parse::parse;
use super::preprocess::preprocess;
use super::session::Session;
use super::types::Types;
use crate::options::CompileRequest;

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
pub fn check(request: &CompileRequest<'_>) -> Checked {
    let mut session = Session::new(request.options);
    let language = Language::new(request.options, request.config);
    let tokens = preprocess(&mut session, request);
    // The parser reads the pragmas about warnings once more.
    session.diagnostics.policy.restart();
    let mut types = Types::new();
    let unit = parse(&mut session, &tokens, &mut types, &language);
    Checked { session, language, types, unit }
}
