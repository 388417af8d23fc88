//! The built-in library: functions written in OpenCL C that lowered code calls.
//!
//! The library is part of the driver, in an encoded form: an index of names and signatures, and the body of
//! each function, which is decoded when a program needs it first. `cargo xtask library` makes that form from
//! the sources in `clspv-bridge/builtins` ([`crate::library_compiler`]).

use crate::error::{CompileError, Result};
use crate::ir::{FuncRef, Function, Global, GlobalData, Linkage, Module, PrimaryMap, Signature};
use crate::passes::link::unique_global_names;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// First bytes of the encoded form, with its version.
const MAGIC: [u8; 8] = *b"pcLIB\x01\0\0";

/// Function of the index.
#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    signature: Signature,
    linkage: Linkage,
    /// Number of bytes of the body; bodies follow each other.
    bytes: u32,
}

#[derive(Serialize, Deserialize)]
struct Index {
    functions: Vec<Entry>,
    globals: PrimaryMap<Global, GlobalData>,
}

/// Name, signature and linkage of a function of the library.
pub struct LibraryFunction {
    pub name: String,
    pub signature: Signature,
    pub linkage: Linkage,
    encoded: &'static [u8],
    body: OnceLock<Result<Function>>,
}

impl LibraryFunction {
    /// The function with its body.
    pub fn function(&self) -> Result<&Function> {
        let body = self.body.get_or_init(|| {
            let mut function: Function = postcard::from_bytes(self.encoded).map_err(damaged)?;
            function.intern_constants();
            Ok(function)
        });
        body.as_ref().map_err(Clone::clone)
    }
}

fn damaged(error: postcard::Error) -> CompileError {
    CompileError::internal(format!("built-in library: {error}"))
}

/// The functions and variables of a library. Functions are found by name if they are exported.
pub struct BuiltinLibrary {
    pub functions: PrimaryMap<FuncRef, LibraryFunction>,
    pub globals: PrimaryMap<Global, GlobalData>,
    by_name: FxHashMap<String, FuncRef>,
    globals_by_name: FxHashMap<String, Global>,
}

impl BuiltinLibrary {
    fn new(
        functions: PrimaryMap<FuncRef, LibraryFunction>,
        globals: PrimaryMap<Global, GlobalData>,
    ) -> BuiltinLibrary {
        let exported = functions.iter().filter(|(_, f)| f.linkage == Linkage::Export);
        let by_name = exported.map(|(r, f)| (f.name.clone(), r)).collect();
        let exported = globals.iter().filter(|(_, g)| g.linkage == Linkage::Export);
        let globals_by_name = exported.map(|(r, g)| (g.name.clone(), r)).collect();
        BuiltinLibrary { functions, globals, by_name, globals_by_name }
    }

    /// The library of the driver; its index is read once.
    pub fn get() -> Result<&'static BuiltinLibrary> {
        static LIBRARY: OnceLock<Result<BuiltinLibrary>> = OnceLock::new();
        let library =
            LIBRARY.get_or_init(|| BuiltinLibrary::decode(include_bytes!("../builtins/library.ir")));
        library.as_ref().map_err(Clone::clone)
    }

    /// Reads the index of an encoded library.
    fn decode(bytes: &'static [u8]) -> Result<BuiltinLibrary> {
        let rest = bytes.strip_prefix(&MAGIC);
        let rest = rest.ok_or_else(|| CompileError::internal("built-in library: another version"))?;
        let (index, mut rest): (Index, &'static [u8]) = postcard::take_from_bytes(rest).map_err(damaged)?;
        let mut functions = PrimaryMap::new();
        for Entry { name, signature, linkage, bytes } in index.functions {
            let (encoded, next) = rest
                .split_at_checked(bytes as usize)
                .ok_or_else(|| CompileError::internal("built-in library: a body is missing"))?;
            rest = next;
            functions.push(LibraryFunction { name, signature, linkage, encoded, body: OnceLock::new() });
        }
        Ok(BuiltinLibrary::new(functions, index.globals))
    }

    /// An exported function.
    pub fn find(&self, name: &str) -> Option<FuncRef> {
        self.by_name.get(name).copied()
    }

    /// The version of a function for devices with
    /// [`Target::hardware_math`](crate::target::Target::hardware_math).
    pub fn hardware_version(&self, function: FuncRef) -> Option<FuncRef> {
        let operation = self.functions[function].name.strip_prefix("pc_")?;
        self.find(&format!("pc_hardware_{operation}"))
    }

    /// An exported variable.
    pub fn find_global(&self, name: &str) -> Option<Global> {
        self.globals_by_name.get(name).copied()
    }
}

impl From<Module> for BuiltinLibrary {
    /// The functions of a module, with their bodies.
    fn from(module: Module) -> BuiltinLibrary {
        let mut functions = PrimaryMap::new();
        for function in module.functions.values() {
            functions.push(LibraryFunction {
                name: function.name.clone(),
                signature: function.sig.clone(),
                linkage: function.linkage,
                encoded: &[],
                body: OnceLock::from(Ok(function.clone())),
            });
        }
        BuiltinLibrary::new(functions, module.globals)
    }
}

/// Encodes a module as a library. Its variables get names that programs cannot have.
pub fn encode(mut module: Module) -> Result<Vec<u8>> {
    for global in module.globals.values_mut() {
        global.name = format!("library:{}", global.name);
    }
    unique_global_names(&mut module);
    let mut bodies = Vec::new();
    let mut functions = Vec::new();
    for function in module.functions.values() {
        let start = bodies.len();
        bodies = postcard::to_extend(function, bodies).map_err(damaged)?;
        functions.push(Entry {
            name: function.name.clone(),
            signature: function.sig.clone(),
            linkage: function.linkage,
            bytes: (bodies.len() - start) as u32,
        });
    }
    let index = Index { functions, globals: module.globals };
    let mut bytes = postcard::to_extend(&index, Vec::from(MAGIC)).map_err(damaged)?;
    bytes.extend(bodies);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::verify::verify_module;

    #[test]
    fn every_body_can_be_decoded_and_obeys_the_verifier() {
        let library = BuiltinLibrary::get().unwrap();
        let mut module = Module { globals: library.globals.clone(), ..Module::default() };
        for f in library.functions.values() {
            let function = f.function().unwrap();
            assert_eq!((&function.name, &function.sig, function.linkage), (&f.name, &f.signature, f.linkage));
            module.functions.push(function.clone());
        }
        assert!(module.functions.len() > 300, "{} functions", module.functions.len());
        verify_module(&module).unwrap();
    }

    #[test]
    fn libraries_cut_short_are_errors() {
        let bytes: &'static [u8] = include_bytes!("../builtins/library.ir");
        assert!(BuiltinLibrary::decode(&[]).is_err());
        assert!(BuiltinLibrary::decode(&bytes[..4000]).is_err());
        assert!(BuiltinLibrary::decode(&bytes[..bytes.len() - 1]).is_err());
    }
}
