//! State that all parts of the front end share while they compile a translation unit.

use super::diagnostic::{Diagnostics, WarningPolicy};
use super::render;
use super::source::SourceMap;
use super::symbol::Symbols;
use crate::options::{CompileRequest, FrontConfig, Header, Options};
use std::path::PathBuf;

/// A translation unit: source, headers, options and the device's configuration.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub source: &'a str,
    pub headers: &'a [Header],
    pub options: &'a Options,
    pub config: &'a FrontConfig,
}

impl<'a> From<&CompileRequest<'a>> for Input<'a> {
    fn from(request: &CompileRequest<'a>) -> Input<'a> {
        let CompileRequest { source, headers, options, config, .. } = *request;
        Input { source, headers, options, config }
    }
}

/// Texts, spellings and diagnostics of a translation unit.
#[derive(Debug, Default)]
pub struct Session {
    pub sources: SourceMap,
    pub symbols: Symbols,
    pub diagnostics: Diagnostics,
    /// Files that the preprocessor read, except headers of the input.
    pub files: Vec<PathBuf>,
}

impl Session {
    /// Session with the treatment of warnings that the options request.
    pub fn new(options: &Options) -> Session {
        let mut session = Session::default();
        session.diagnostics.policy = WarningPolicy {
            are_off: options.warnings_off,
            are_errors: options.warnings_are_errors,
            disabled: Vec::new(),
        };
        session
    }

    /// Text of all diagnostics: the build log.
    pub fn render(&self) -> String {
        render::render(&self.sources, &self.symbols, &self.diagnostics)
    }

    /// Files that the preprocessor read, except headers of the input and the source itself.
    pub fn dependencies(&self) -> Vec<PathBuf> {
        self.files.clone()
    }
}
