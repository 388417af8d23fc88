//! Recordings of OpenCL programs: what the driver writes while a program runs, and what is made of it.
//!
//! The driver uses [`format`](mod@format) alone, to write. Everything else belongs to the command-line tool:
//! [`file`] reads recordings, [`session`] relates their records to each other, [`idle`] and [`advice`] say
//! why a device did nothing, and [`summary`], [`chrome`] and [`page`] are the reports. [`calls`] prints calls
//! as text.

#![forbid(unsafe_code)]

pub mod advice;
mod autogen_calls;
pub mod calls;
pub mod chrome;
pub mod file;
pub mod format;
pub mod idle;
mod load;
pub mod page;
pub mod session;
pub mod statistics;
pub mod summary;
pub mod units;
