//! Dumps of the compiler's inputs and outputs, for debugging. PYROCLAST_DUMP selects them, PYROCLAST_DUMP_DIR
//! is their folder.
//!
//! The files of one build share a stem, a hash of its OpenCL SPIR-V (of its source if that does not compile):
//! `STEM.cl` (source), `STEM.HEADER.h`, `STEM.args` (the application's options), `STEM.il.spv`, `STEM.ir`,
//! and `STEM.KERNEL.MODE.spv` for each final module. `ir:after=PASS` adds `STEM.KERNEL.after-PASS.N.ir`: the
//! IR after the N-th run of a pass for a kernel. Write errors are logged; a dump never fails a build.

use crate::config::Config;
use clspv_bridge::abi::{CompiledProgram, PointerMode};
use clspv_bridge::observers::Snapshots;
use clspv_bridge::options::{Extent, Header, Library, LibraryCode};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Selected dumps, and their folder.
pub struct Dump {
    folder: PathBuf,
    cl: bool,
    il: bool,
    ir: bool,
    spv: bool,
    args: bool,
    /// Passes after which to dump the IR.
    after: Vec<String>,
}

impl Dump {
    /// The dumps selected by the settings; `None` if there are none.
    pub fn from_config(config: &Config) -> Option<Dump> {
        let folder = config.dump_dir.clone().unwrap_or_else(|| PathBuf::from("."));
        let dump = Dump {
            folder,
            cl: config.dumps("cl"),
            il: config.dumps("il"),
            ir: config.dumps("ir"),
            spv: config.dumps("spv"),
            args: config.dumps("args"),
            after: config
                .dump
                .iter()
                .filter_map(|d| d.strip_prefix("ir:after="))
                .map(str::to_owned)
                .collect(),
        };
        let any = dump.cl || dump.il || dump.ir || dump.spv || dump.args || !dump.after.is_empty();
        any.then_some(dump)
    }

    /// Dumps a source with its compilation result.
    pub fn source(&self, source: &str, headers: &[Header], options: &str, library: Option<&Library>) {
        let stem = match library {
            Some(library) => stem_of(&[library]),
            None => shorten(blake3::hash(source.as_bytes())),
        };
        if self.cl {
            self.write(&format!("{stem}.cl"), source.as_bytes());
            for header in headers {
                self.write(&format!("{stem}.{}", file_name(&header.name)), header.text.as_bytes());
            }
        }
        if self.args {
            self.write(&format!("{stem}.args"), format!("{options}\n").as_bytes());
        }
    }

    /// Dumps the modules of a program, and its final modules if the build succeeds.
    pub fn program(
        &self,
        libraries: &[&Library],
        specs: &[(u32, Vec<u8>)],
        program: Option<&CompiledProgram>,
    ) {
        let stem = stem_of(libraries);
        for (i, library) in libraries.iter().enumerate() {
            let part = if libraries.len() == 1 { String::new() } else { format!(".{i}") };
            if self.il {
                let extension = match library.code {
                    LibraryCode::Spirv(_) => "il.spv",
                    LibraryCode::Ir(_) => "il.ir",
                };
                let code = library.code.to_bytes();
                let code = code.unwrap_or_else(|error| error.to_string().into_bytes().into());
                self.write(&format!("{stem}{part}.{extension}"), &code);
            }
            if self.ir {
                // Large programs nest deeply.
                let text = super::stack::with_large_stack(|| match library.module(specs, Extent::Program) {
                    Ok(module) => module.to_string(),
                    Err(error) => format!("; {error}\n"),
                });
                self.write(&format!("{stem}{part}.ir"), text.unwrap_or_default().as_bytes());
            }
        }
        for kernel in program.filter(|_| self.spv).iter().flat_map(|p| p.vulkan()) {
            for variant in &kernel.variants {
                let mode = match variant.abi.mode {
                    PointerMode::Addresses => "addresses",
                    PointerMode::Bindings => "bindings",
                    PointerMode::Virtual => "virtual",
                    PointerMode::Windowed => "windowed",
                };
                self.write(
                    &format!("{stem}.{}.{mode}.spv", file_name(&kernel.info.name)),
                    &bytes(&variant.spirv),
                );
            }
        }
    }

    /// Whether the IR is dumped after some pass.
    pub fn wants_passes(&self) -> bool {
        !self.after.is_empty()
    }

    /// The observer of a build that collects the IR to dump; `None` if none is.
    pub fn snapshots(&self) -> Option<Snapshots> {
        self.wants_passes().then(|| Snapshots::after(self.after.clone()))
    }

    /// The IR after passes.
    pub fn passes(&self, libraries: &[&Library], snapshots: Snapshots) {
        let stem = stem_of(libraries);
        let mut runs = HashMap::new();
        for snapshot in snapshots.finish() {
            let run = runs.entry((snapshot.kernel.clone(), snapshot.pass.clone())).or_insert(0);
            *run += 1;
            let name = format!("{stem}.{}.after-{}.{run}.ir", file_name(&snapshot.kernel), snapshot.pass);
            self.write(&name, snapshot.text.as_bytes());
        }
    }

    fn write(&self, name: &str, contents: &[u8]) {
        let path = self.folder.join(name);
        let result = std::fs::create_dir_all(&self.folder).and_then(|()| std::fs::write(&path, contents));
        if let Err(error) = result {
            tracing::warn!("{}: {error}", path.display());
        }
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn stem_of(libraries: &[&Library]) -> String {
    let mut hasher = blake3::Hasher::new();
    for library in libraries {
        match library.code.to_bytes() {
            Ok(code) => hasher.update(&code),
            Err(error) => hasher.update(error.to_string().as_bytes()),
        };
    }
    shorten(hasher.finalize())
}

fn shorten(hash: blake3::Hash) -> String {
    hash.to_hex().chars().take(16).collect()
}

/// The name in a form for file names: no separators, bounded length.
fn file_name(name: &str) -> String {
    let last = Path::new(name).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    last.chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' })
        .take(100)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::codec::tests::sample_program;

    #[test]
    fn files_appear_where_they_are_asked_for() {
        let folder = std::env::temp_dir().join(format!("pyroclast-dump-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let config = Config { dump: vec!["all".into()], dump_dir: Some(folder.clone()), ..Config::default() };
        let dump = Dump::from_config(&config).expect("something is asked for");
        let library = Library::from_spirv(vec![1, 2, 3]);
        dump.source("kernel void k() {}", &[], "-DX=1", Some(&library));
        dump.program(&[&library], &[], Some(&sample_program()));
        let names: Vec<String> = std::fs::read_dir(&folder)
            .expect("folder")
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        let stem = stem_of(&[&library]);
        for suffix in [".cl", ".args", ".il.spv", ".ir"] {
            assert!(names.contains(&format!("{stem}{suffix}")), "{suffix}: {names:?}");
        }
        let modules: usize = sample_program().vulkan().iter().map(|k| k.variants.len()).sum();
        assert!(
            names.iter().filter(|n| n.ends_with(".spv") && !n.ends_with(".il.spv")).count() >= modules.min(1),
            "{names:?}"
        );
        std::fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn nothing_is_dumped_unasked() {
        assert!(Dump::from_config(&Config::default()).is_none());
        assert_eq!(file_name("../a b/c d.h"), "c_d.h");
    }
}
