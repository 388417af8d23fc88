//! Machine code of a program: functions one after the other, and the calls between them.

use crate::error::{CompileError, Invariant, Result};
use crate::ir::{EntityRef, FuncRef};
use crate::native::flat_code;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{ExternalName, Function};
use cranelift_codegen::{CompiledCode, FinalizedRelocTarget};
use rustc_hash::FxHashMap;

/// Alignment of functions.
const ALIGN: usize = 64;

/// A function's machine code.
pub struct MachineCode {
    name: String,
    code: Vec<u8>,
    calls: Vec<Call>,
}

/// A call of another function: the place and the form of its address.
struct Call {
    offset: usize,
    kind: Reloc,
    addend: i64,
    target: String,
}

impl MachineCode {
    /// The code of a function with this name. `symbols`: the names of functions that it may call.
    pub(super) fn new(
        name: &str,
        func: &Function,
        compiled: &CompiledCode,
        symbols: &FxHashMap<FuncRef, String>,
    ) -> Result<MachineCode> {
        let mut calls = Vec::new();
        for reloc in compiled.buffer.relocs() {
            let FinalizedRelocTarget::ExternalName(ExternalName::User(name)) = &reloc.target else {
                return Err(CompileError::internal(format!("quick code refers to {:?}", reloc.target)));
            };
            let index = func.params.user_named_funcs().get(*name).map(|n| n.index);
            let callee = index.map(|i| FuncRef::new(i as usize));
            let target = callee.and_then(|f| symbols.get(&f)).cloned();
            calls.push(Call {
                offset: reloc.offset as usize,
                kind: reloc.kind,
                addend: reloc.addend,
                target: target.invariant("a call of a function without a name")?,
            });
        }
        Ok(MachineCode { name: name.to_owned(), code: compiled.code_buffer().to_vec(), calls })
    }
}

/// Lays out functions and resolves their calls. The result has the format of [`flat_code`].
pub fn link(functions: &[MachineCode]) -> Result<Vec<u8>> {
    let mut code = Vec::new();
    let mut symbols = Vec::new();
    for f in functions {
        code.resize(code.len().next_multiple_of(ALIGN), 0);
        symbols.push((f.name.as_str(), code.len()));
        code.extend_from_slice(&f.code);
    }
    let places: FxHashMap<&str, usize> = symbols.iter().copied().collect();
    for (f, (_, start)) in functions.iter().zip(&symbols) {
        for call in &f.calls {
            let to =
                *places.get(call.target.as_str()).invariant("a call of a function that is not linked")?;
            let at = start + call.offset;
            let distance = to as i64 + call.addend - at as i64;
            let word = code.get_mut(at..at + 4).invariant("a call outside of the code")?;
            resolve(word, call.kind, distance)?;
        }
    }
    flat_code::encode(&symbols, &code).ok_or_else(|| CompileError::unsupported("code of over 2 GiB", 0))
}

/// Writes the distance of a call into its instruction.
fn resolve(word: &mut [u8], kind: Reloc, distance: i64) -> Result<()> {
    let far = || CompileError::unsupported("calls over such a distance", 0);
    match kind {
        Reloc::X86CallPCRel4 | Reloc::X86PCRel4 => {
            let distance = i32::try_from(distance).map_err(|_| far())?;
            word.copy_from_slice(&distance.to_le_bytes());
        }
        Reloc::Arm64Call => {
            let words = distance >> 2;
            if !(-(1 << 25)..1 << 25).contains(&words) {
                return Err(far());
            }
            let mut bytes = [0; 4];
            bytes.copy_from_slice(word);
            let instruction = u32::from_le_bytes(bytes) & !0x03ff_ffff | words as u32 & 0x03ff_ffff;
            word.copy_from_slice(&instruction.to_le_bytes());
        }
        kind => return Err(CompileError::internal(format!("a call of kind {kind}"))),
    }
    Ok(())
}
