//! The report as one page of HTML.

use crate::session::Session;
use std::io::{self, Write};

/// Writes the page.
pub fn write(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    let _ = session;
    out.write_all(b"")
}
