//! Passes over a module: the interface, and the context that they share. [`crate::pipeline`] has their order.

pub(crate) mod legalize;
pub(crate) mod link;
pub mod lower;
pub(crate) mod native;
pub mod opt;
pub(crate) mod quirks;
pub mod structure;

use crate::builtin_library::BuiltinLibrary;
use crate::error::Result;
use crate::ir::{Module, Phase};
use crate::options::Options;
use crate::target::Target;
use lower::state::{self, Lowering};
use std::time::Duration;

/// Receives the module after each pass, for dumps and timings.
pub trait PassObserver: Sync {
    /// `time`: how long the pass took.
    fn after(&self, pass: &str, module: &Module, time: Duration);
}

/// Where a program's code comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Origin {
    /// From a compiler that has optimised it.
    #[default]
    Optimised,
    /// From source, lowered directly.
    Source,
}

/// Context that passes share: target and options of the compilation, and the state of the lowering.
pub struct PassContext<'a> {
    pub target: &'a Target,
    pub options: &'a Options,
    pub origin: Origin,
    /// The built-in library, which `link_builtins` needs.
    pub library: Option<&'a BuiltinLibrary>,
    /// State of the lowering passes.
    pub lowering: Option<Lowering<'a>>,
    pub observer: Option<&'a dyn PassObserver>,
}

impl<'a> PassContext<'a> {
    /// A context without library, lowering or observer.
    pub fn new(target: &'a Target, options: &'a Options) -> PassContext<'a> {
        PassContext {
            target,
            options,
            origin: Origin::default(),
            library: None,
            lowering: None,
            observer: None,
        }
    }

    /// A copy of the context without the state of a lowering.
    pub fn fresh(&self) -> PassContext<'a> {
        PassContext { lowering: None, ..*self }
    }

    /// Whether the code reports its memory accesses to the runtime.
    pub fn is_instrumented(&self) -> bool {
        self.target.is_instrumented()
    }

    /// State of the lowering; an error outside of one.
    pub(crate) fn lowering(&mut self) -> Result<&mut Lowering<'a>> {
        self.lowering.as_mut().ok_or_else(state::no_lowering)
    }
}

/// A transformation of a module.
pub trait Pass: Sync {
    /// Name on the command line and in filetests.
    fn name(&self) -> &'static str;
    /// Lowest phase the module must have reached.
    fn needs(&self) -> Phase {
        Phase::Imported
    }
    /// Phase that the module has reached afterwards, if the pass completes one.
    fn gives(&self) -> Option<Phase> {
        None
    }
    /// Whether pipelines run the pass for this target and these options.
    fn applies(&self, _cx: &PassContext<'_>) -> bool {
        true
    }
    /// Changes the module; true if anything changed. A pass that completes a phase sets `module.phase`.
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool>;
}
