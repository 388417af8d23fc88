//! Recordings of `pyroclast profile`: any bytes are read without a panic, and every report can be written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pyroclast_profile::file::Recording;
use pyroclast_profile::session::Session;
use pyroclast_profile::{chrome, page, summary};

fuzz_target!(|data: &[u8]| {
    if let Some(recording) = Recording::parse(data.to_vec()) {
        let session = Session::new(&[recording]);
        let _ = summary::text(&session);
        let _ = chrome::write(&session, &mut std::io::sink());
        let _ = page::write(&session, &mut std::io::sink());
    }
});
