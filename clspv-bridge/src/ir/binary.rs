//! Binary form of modules: what program binaries and the disk cache hold of compiled sources.
//!
//! A header with a magic number and a version is followed by the module in the encoding of `postcard`.
//! Decoding accepts arbitrary bytes: lengths and discriminants are checked, and the verifier rejects every
//! module that the passes could not take.

use super::access::{Access, Root};
use super::func::{Const, Function, ValueDef};
use super::inst::Op;
use super::module::{Module, Phase};
use super::types::Type;
use super::verify::verify_module;
use crate::error::{CompileError, Result};

/// First bytes of the form.
const MAGIC: [u8; 4] = *b"pcIR";

/// Version of the form. Increment it whenever a type of the IR changes.
const VERSION: u32 = 2;

/// Encodes a module.
pub fn encode(module: &Module) -> Result<Vec<u8>> {
    let mut bytes = Vec::from(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    postcard::to_extend(module, bytes)
        .map_err(|error| CompileError::internal(format!("binary form of IR: {error}")))
}

/// Decodes a module, and verifies it. The error is [`CompileError::InvalidIl`].
pub fn decode(bytes: &[u8]) -> Result<Module> {
    let invalid = |why: &str| CompileError::InvalidIl(format!("binary form of IR: {why}"));
    let rest = bytes.strip_prefix(&MAGIC).ok_or_else(|| invalid("the magic number is missing"))?;
    let (version, rest) = rest.split_at_checked(4).ok_or_else(|| invalid("too short"))?;
    if version != VERSION.to_le_bytes() {
        return Err(invalid("another version"));
    }
    let (mut module, rest): (Module, _) =
        postcard::take_from_bytes(rest).map_err(|e| invalid(&e.to_string()))?;
    if !rest.is_empty() {
        return Err(invalid("bytes after its end"));
    }
    for func in module.functions.values_mut() {
        func.intern_constants();
    }
    verify_module(&module).map_err(|e| invalid(&e.to_string()))?;
    if !is_source_form(&module) {
        return Err(invalid("operations that no front end writes"));
    }
    Ok(module)
}

/// Whether a module has only what front ends write, not the operations and types of later phases.
fn is_source_form(module: &Module) -> bool {
    let plain = |access: &Access| access.root == Root::Ptr;
    let is_source = |op: &Op| match op {
        Op::Check(_) | Op::Lanes(_) | Op::Context(_) => false,
        Op::PrintBuffer | Op::Input { .. } | Op::Arg { .. } | Op::Implicit(_) | Op::PushConst { .. } => false,
        Op::Image { var, .. } => var.is_none(),
        Op::Memcpy { dst, src } => plain(dst) && plain(src),
        op => op.access().is_none_or(plain),
    };
    module.phase == Phase::Imported
        && module.functions.values().all(|func| {
            func.vars.is_empty()
                && func.values.values().all(|value| !matches!(value.ty, Type::PtrVector(..)))
                && func.insts.values().all(|inst| is_source(&inst.op))
        })
}

impl Function {
    /// Enters the constants of a decoded function into the table that [`Function::constant`] searches.
    pub(crate) fn intern_constants(&mut self) {
        let constants: Vec<(Const, super::entity::Value)> = self
            .values
            .iter()
            .filter_map(|(value, data)| match &data.def {
                ValueDef::Const(constant) => Some((constant.clone(), value)),
                _ => None,
            })
            .collect();
        self.set_constants(constants);
    }
}

/// OpenCL.std instructions as their numbers.
pub(super) mod cl_op {
    use super::super::inst::ClOp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(op: &ClOp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(*op as u32)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ClOp, D::Error> {
        let number = u32::deserialize(deserializer)?;
        ClOp::from_u32(number).ok_or_else(|| D::Error::custom("an unknown OpenCL.std instruction"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULES: [&[u8]; 2] = [
        include_bytes!("../front/spirv/testdata/sgemm.spv"),
        include_bytes!("../front/spirv/testdata/mixed.spv"),
    ];

    fn read(bytes: &[u8]) -> Module {
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        crate::front::spirv::read(&words, &[]).unwrap()
    }

    #[test]
    fn modules_survive_a_round_trip() {
        for bytes in MODULES {
            let module = read(bytes);
            let encoded = encode(&module).unwrap();
            let decoded = decode(&encoded).unwrap();
            assert_eq!(module.to_string(), decoded.to_string());
            assert_eq!(encode(&decoded).unwrap(), encoded);
        }
    }

    #[test]
    fn operations_of_later_phases_are_errors() {
        let module = read(MODULES[0]);
        let with = |change: &dyn Fn(&mut Module)| {
            let mut module = module.clone();
            change(&mut module);
            decode(&encode(&module).unwrap()).map(drop)
        };
        assert!(with(&|_| {}).is_ok());
        assert!(with(&|m| m.phase = Phase::Linked).is_err());
        let root = |access: &mut Access| access.root = Root::Addr;
        let error = with(&|m| {
            let insts = m.functions.values_mut().flat_map(|f| f.insts.values_mut());
            insts.filter_map(|inst| inst.op.access_mut()).for_each(root);
        });
        assert!(error.is_err());
        let error = with(&|m| {
            for inst in m.functions.values_mut().flat_map(|f| f.insts.values_mut()) {
                if let Op::WorkItem { .. } = inst.op {
                    inst.op = Op::Context(crate::ir::lanes::ContextField::NoStream);
                }
            }
        });
        assert!(error.unwrap_err().to_string().contains("no front end writes"));
    }

    #[test]
    fn damaged_bytes_are_errors() {
        let encoded = encode(&read(MODULES[0])).unwrap();
        assert!(decode(&[]).is_err() && decode(&encoded[..encoded.len() - 1]).is_err());
        let mut state = 1u64;
        for _ in 0..2000 {
            let mut damaged = encoded.clone();
            for _ in 0..4 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = (state >> 33) as usize % damaged.len();
                damaged[at] ^= (state >> 25) as u8;
            }
            // Whatever they decode to obeys the verifier.
            let _ = decode(&damaged);
        }
    }
}
