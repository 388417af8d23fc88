//! Compiles the WGSL helper shaders of the Vulkan device to SPIR-V words in OUT_DIR.

use std::path::Path;
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["copy", "empty", "fill"] {
        compile(name)?;
    }
    Ok(())
}

fn compile(name: &str) -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    let shader = Path::new("shaders").join(name).with_extension("wgsl");
    println!("cargo::rerun-if-changed={}", shader.display());
    let text = fs::read_to_string(shader)?;
    let module = naga::front::wgsl::parse_str(&text).map_err(|e| e.emit_to_string(&text))?;
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::IMMEDIATES,
    );
    let info = validator.validate(&module).map_err(|e| e.emit_to_string(&text))?;
    let options = naga::back::spv::Options { lang_version: (1, 3), ..Default::default() };
    let words = naga::back::spv::write_vec(&module, &info, &options, None)?;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
    fs::write(Path::new(&out).join(name).with_extension("spv"), bytes)?;
    Ok(())
}
