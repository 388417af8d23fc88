//! State that all parts of a compilation share: source texts, spellings and diagnostics.

use super::diagnostic::Diagnostics;
use super::source::SourceMap;
use super::symbol::Symbols;

/// State of one compilation.
#[derive(Debug, Default)]
pub struct Session {
    pub sources: SourceMap,
    pub symbols: Symbols,
    pub diagnostics: Diagnostics,
}
