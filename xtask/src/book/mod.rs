//! `cargo xtask docs`: the book of the project, from the pages of `docs/` and some others.
//!
//! `docs/SUMMARY.md` is its table of contents. Pages are written for readers of the repository; [`mod@pages`]
//! turns their links into links of the book.

mod conformance;
pub mod figure;
pub mod links;
mod pages;

use std::path::{Path, PathBuf};

/// Root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Configuration of mdBook.
#[cfg(feature = "book")]
const CONFIGURATION: &str = r#"[book]
title = "Pyroclast"
description = "OpenCL 3.1 on top of Vulkan compute"
language = "en"
[build]
build-dir = "html"
create-missing = false
[output.html]
default-theme = "light"
smart-punctuation = false
[output.html.playground]
runnable = false
[output.html.search]
limit-results = 20
"#;

/// Builds the book in `target/book/html`.
#[cfg(feature = "book")]
pub fn run() -> Result<(), String> {
    let folder = root().join("target/book");
    let explain = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(explain)?;
    }
    for (path, bytes) in pages()? {
        let path = folder.join("src").join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder)).map_err(explain)?;
        std::fs::write(path, bytes).map_err(explain)?;
    }
    std::fs::write(folder.join("book.toml"), CONFIGURATION).map_err(explain)?;
    let book = mdbook_driver::MDBook::load(&folder).map_err(|e| format!("the book: {e:#}"))?;
    book.build().map_err(|e| format!("the book: {e:#}"))?;
    println!("{}", folder.join("html/index.html").display());
    Ok(())
}

/// The files of the book, with links that work.
fn pages() -> Result<std::collections::BTreeMap<String, Vec<u8>>, String> {
    let files = pages::book(&root())?;
    let defects = pages::defects(&files);
    if defects.is_empty() { Ok(files) } else { Err(defects.join("\n")) }
}

/// Says how to build the book.
#[cfg(not(feature = "book"))]
pub fn run() -> Result<(), String> {
    let count = pages()?.len();
    Err(format!("{count} pages; run `./x docs`, or `cargo xtask` with `--features book`, to build the book"))
}
