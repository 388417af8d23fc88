//! State that all parts of the front end share while they compile a translation unit.

use super::diagnostic::Diagnostics;
use super::render;
use super::source::SourceMap;
use super::symbol::Symbols;
use super::warning::WarningPolicy;
use crate::options::Options;
use std::path::PathBuf;

/// Texts, spellings and diagnostics of a translation unit.
#[derive(Debug, Default)]
pub struct Session {
    pub sources: SourceMap,
    pub symbols: Symbols,
    pub diagnostics: Diagnostics,
    /// Files that the preprocessor read, except headers of the request.
    pub files: Vec<PathBuf>,
}

impl Session {
    /// Session with the treatment of warnings that the options request.
    pub fn new(options: &Options) -> Session {
        let mut session = Session::default();
        session.diagnostics.policy = WarningPolicy::new(options);
        session
    }

    /// Text of all diagnostics: the build log.
    pub fn render(&self) -> String {
        render::render(&self.sources, &self.symbols, &self.diagnostics)
    }

    /// Files that the preprocessor read, except headers of the request and the source itself.
    pub fn dependencies(&self) -> Vec<PathBuf> {
        self.files.clone()
    }
}
