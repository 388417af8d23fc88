#!/bin/sh
# Compiles the built-in library with clang to SPIR-V, which `cargo xtask library` encodes.
# Usage: build.sh OUTPUT [CLANG]
set -eu
cd "$(dirname "$0")"
output=$1
clang=${2:-clang-22}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f in exp log pow trig trig_inverse hyperbolic algebra rounding erf gamma half double_exp double_trig double_misc double_exact atomics async groups pipe image texels; do
    printf '#line 1 "%s.cl"\n' "$f"
    cat "$f.cl"
done > "$tmp/library.cl"
ext=-all
for e in cl_khr_fp64 __opencl_c_fp64 cl_khr_fp16 __opencl_c_fp16 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics \
    cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics \
    cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store __opencl_c_subgroups __opencl_c_work_group_collective_functions cl_khr_subgroup_non_uniform_arithmetic __opencl_c_images; do ext="$ext,+$e"; done
"$clang" -target spirv64-unknown-unknown -x cl -cl-std=CL3.0 -O2 -fno-slp-vectorize -fno-vectorize -ffp-contract=off -fdenormal-fp-math=dynamic -fgnu89-inline \
    -mllvm -replexitval=never -Xclang "-cl-ext=$ext" -I. -c -o "$output" "$tmp/library.cl"
