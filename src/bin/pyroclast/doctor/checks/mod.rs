//! The checks of `pyroclast doctor`, by what they exercise.

pub mod commands;
pub mod floats;
pub mod images;
pub mod integers;
pub mod memory;
pub mod parallel;
