//! Execution tests: kernels with their launches and expected results, and the driver that they run on.

pub mod case;
pub mod driver;
pub mod expr;
pub mod offer;
