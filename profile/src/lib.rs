//! Recordings of OpenCL programs: what the driver writes while a program runs, and what is made of it.
//!
//! The driver uses [`format`](mod@format) alone, a crate of its own, to write. The rest belongs to the
//! command-line tool: [`mod@file`] reads recordings, [`session`] relates their records to each other.
//! [`idle`] and [`advice`] say why a device did nothing, and [`summary`], [`chrome`] and [`page`] are the
//! reports. [`calls`] prints calls as text.

#![forbid(unsafe_code)]

pub mod advice;
mod autogen_calls;
pub mod calls;
pub mod chrome;
pub mod file;
pub mod idle;
mod load;
pub mod page;
pub mod session;
pub mod statistics;
pub mod summary;
pub mod units;

pub use pyroclast_recording as format;
