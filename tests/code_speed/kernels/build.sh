#!/bin/sh
# Compiles the kernels so that the benchmark runs where no compiler is installed: GLSL with glslangValidator (Debian:
# glslang-tools) to NAME.comp.spv, OpenCL C to NAME.cl.spv (OpenCL SPIR-V, as `pyroclast compile --emit il` gives it).
# Usage: build.sh [pyroclast]
set -eu
cd "$(dirname "$0")"
pyroclast=${1:-../../../target/release/pyroclast}
for f in *.comp; do
    glslangValidator --quiet --target-env vulkan1.2 -o "$f.spv" "$f"
done
for f in *.cl; do
    "$pyroclast" compile --emit il -o "$f.spv" "$f"
done
