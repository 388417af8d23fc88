//! Vulkan SPIR-V from a structured kernel function.
