//! Checks emitted modules with the `spirv-val` tool, if `PYROCLAST_VALIDATE` names `spirv`.
//!
//! For development and tests: drivers do not check modules, and one that the validator rejects is a bug of
//! the back end. The check also fails if the tool is missing.

use crate::error::{CompileError, Result};
use crate::front::clang::{self, process};
use crate::target::VulkanTarget;
use std::time::Duration;

const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Fails with the validator's message if the module is not valid Vulkan SPIR-V.
pub fn validate(module: &[u32], target: &VulkanTarget) -> Result<()> {
    let Some(tool) = clang::in_folders("spirv-val") else {
        return Err(CompileError::ToolMissing("spirv-val was not found".into()));
    };
    let environment = match target.spirv_version {
        (1, 6..) => "vulkan1.3",
        (1, 5) => "vulkan1.2",
        (1, 4) => "vulkan1.1spv1.4",
        (1, 3) => "vulkan1.1",
        _ => "vulkan1.0",
    };
    let args = ["--target-env", environment, "--scalar-block-layout", "-"].map(Into::into);
    let bytes: Vec<u8> = module.iter().flat_map(|w| w.to_le_bytes()).collect();
    let output = process::run(&tool, &args, &bytes, TIME_LIMIT)?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), output.stderr);
    // If the host hides the exit status (SIGCHLD ignored), an empty output is success.
    let valid = output.status.map_or(text.trim().is_empty(), |s| s.success());
    if valid { Ok(()) } else { Err(CompileError::internal(format!("spirv-val: {}", text.trim()))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_modules_are_refused() {
        if clang::in_folders("spirv-val").is_none() {
            return;
        }
        let minimal = [0x0723_0203, 0x0001_0600, 0, 1, 0];
        let error = validate(&minimal, &VulkanTarget::generic()).unwrap_err();
        assert!(matches!(&error, CompileError::Internal(text) if text.contains("spirv-val")), "{error}");
        // OpCapability Shader, OpMemoryModel Logical GLSL450, and no entry point, which Vulkan requires and
        // SPIR-V does not.
        let library = [0x0723_0203, 0x0001_0600, 0, 1, 0, 0x0002_0011, 1, 0x0002_0011, 5, 0x0003_000e, 0, 1];
        assert!(validate(&library, &VulkanTarget::generic()).is_ok());
    }
}
