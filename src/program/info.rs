//! Answers to clGetProgramInfo and clGetProgramBuildInfo, except for handles and the reference count, which
//! the C interface answers.

use super::binary::{self, Binary, BinaryKind};
use super::{BuildStatus, Program, ProgramOrigin, Record};
use crate::cl::*;
use crate::device::Device;
use crate::err;
use crate::error::Result;
use crate::info::InfoValue;
use clspv_bridge::abi::CompiledProgram;
use std::sync::Arc;

impl Program {
    /// Answers clGetProgramInfo for parameters without handles; `None` for others.
    pub fn info(&self, param: cl_program_info) -> Result<Option<InfoValue>> {
        Ok(Some(match param {
            CL_PROGRAM_NUM_DEVICES => InfoValue::U32(self.devices.len() as u32),
            CL_PROGRAM_SOURCE => match &self.origin {
                ProgramOrigin::Source(text) => InfoValue::Str(text.clone()),
                _ => InfoValue::Str(String::new()),
            },
            CL_PROGRAM_IL => match &self.origin {
                ProgramOrigin::Il { bytes, .. } => InfoValue::Bytes(bytes.clone()),
                _ => InfoValue::Empty,
            },
            CL_PROGRAM_BINARY_SIZES => {
                InfoValue::Sizes(self.binaries().iter().map(|b| b.as_ref().map_or(0, |b| b.len())).collect())
            }
            // CL_INVALID_PROGRAM_EXECUTABLE: no executable for any device.
            CL_PROGRAM_NUM_KERNELS => InfoValue::Size(self.kernel_names()?.len()),
            CL_PROGRAM_KERNEL_NAMES => InfoValue::Str(self.kernel_names()?.join(";")),
            // No device has constructors or destructors of program-scope variables.
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                self.kernel_names()?;
                InfoValue::Bool(false)
            }
            _ => return Ok(None),
        }))
    }

    /// The program binaries in the order of the devices.
    pub fn binaries(&self) -> Vec<Option<Arc<[u8]>>> {
        let mut state = self.settled(|_| true);
        let records = state.records.iter_mut().zip(&self.devices);
        records.map(|(record, device)| binary_bytes(record, device)).collect()
    }

    /// clGetProgramBuildInfo.
    pub fn build_info(&self, device: &Device, param: cl_program_build_info) -> Result<InfoValue> {
        let index = self
            .device_index(device)
            .ok_or_else(|| err!(CL_INVALID_DEVICE, "the device is not of this program"))?;
        // Parameters that do not depend on a running build.
        let without_waiting = [CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_OPTIONS].contains(&param);
        let state = self.settled(|i| i == index && !without_waiting);
        let record = &state.records[index];
        Ok(match param {
            CL_PROGRAM_BUILD_STATUS => InfoValue::I32(match record.status {
                BuildStatus::None => CL_BUILD_NONE,
                BuildStatus::InProgress => CL_BUILD_IN_PROGRESS,
                BuildStatus::Success => CL_BUILD_SUCCESS,
                BuildStatus::Error => CL_BUILD_ERROR,
            }),
            CL_PROGRAM_BUILD_OPTIONS => InfoValue::Str(record.option_text.clone()),
            CL_PROGRAM_BUILD_LOG => InfoValue::Str(record.log.replace('\0', " ")),
            CL_PROGRAM_BINARY_TYPE => InfoValue::U32(match record.kind {
                None => CL_PROGRAM_BINARY_TYPE_NONE,
                Some(BinaryKind::CompiledObject) => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                Some(BinaryKind::Library) => CL_PROGRAM_BINARY_TYPE_LIBRARY,
                Some(BinaryKind::Executable) => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            }),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                let data = record.executable.as_ref().and_then(|e| Some(&e.code.first()?.data));
                InfoValue::Size(data.map_or(0, |d| d.variables as usize))
            }
            _ => return Err(err!(CL_INVALID_VALUE, "unknown parameter {param:#x}")),
        })
    }
}

/// The binary of a record: as passed, or serialised at the first query.
fn binary_bytes(record: &mut Record, device: &Device) -> Option<Arc<[u8]>> {
    if let Some(bytes) = &record.bytes {
        return Some(bytes.clone());
    }
    // After a failed build of a program from binaries, its binary is kept.
    let bytes = match (record.kind, &record.given) {
        (Some(kind), _) => {
            let target = device.ops().target();
            let sealed = |compiled: &Arc<CompiledProgram>| {
                Some((binary::seal(&super::build::secret()?, target, compiled), compiled.clone()))
            };
            // Code for several targets is compiled again.
            let code = match record.executable.as_ref().map(|e| e.code.as_slice()) {
                Some([code]) => sealed(code),
                _ => None,
            };
            let binary = Binary {
                kind,
                option_text: record.option_text.clone(),
                options: record.options.clone(),
                libraries: record.libraries.clone(),
                specs: record.specs.clone(),
                code,
            };
            binary.to_bytes()
        }
        (None, Some(given)) => given.to_bytes(),
        _ => return None,
    };
    let bytes: Arc<[u8]> = match bytes {
        Ok(bytes) => bytes.into(),
        Err(error) => {
            tracing::error!(target: "pyroclast::program", "the program has no binary: {error}");
            return None;
        }
    };
    record.bytes = Some(bytes.clone());
    Some(bytes)
}
