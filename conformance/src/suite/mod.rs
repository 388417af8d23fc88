//! Our own tests of an OpenCL device, written from the specification and independent of the driver. Each area
//! is a function that offers its tests to a [`Sink`], which decides which of them run; a test creates its
//! objects itself.

pub mod api;
pub mod atomics;
mod context;
pub mod conversions;
pub mod events;
pub mod il;
pub mod images;
pub mod instructions;
pub mod kernels;
pub mod litmus;
pub mod math;
pub mod pipes;
pub mod printf;
pub mod raw;
pub mod round;
pub mod sub_groups;
pub mod svm;
pub mod vector_memory;

pub use context::{Context, Outcome, Sink, expect};

/// An area: its name and its tests.
pub type Area = (&'static str, fn(&Context<'_>, &mut Sink<'_>));

pub const AREAS: &[Area] = &[
    ("api", api::tests),
    ("events", events::tests),
    ("integers", |c, s| kernels::tests(c, s, "integers")),
    ("vectors", |c, s| kernels::tests(c, s, "vectors")),
    ("language", |c, s| kernels::tests(c, s, "language")),
    ("vector-memory", vector_memory::memory),
    ("vector-values", vector_memory::transformations),
    ("conversions", conversions::tests),
    ("math", math::tests),
    ("atomics", atomics::tests),
    ("memory-model", litmus::tests),
    ("groups", |c, s| kernels::tests(c, s, "groups")),
    ("images", images::tests),
    ("sub-groups", sub_groups::tests),
    ("svm", svm::tests),
    ("pipes", pipes::tests),
    ("printf", printf::tests),
    ("il", il::tests),
];
