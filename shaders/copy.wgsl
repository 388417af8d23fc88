// Copies 16-byte units between two ranges that start at multiples of 16 bytes and do not overlap, one for each work-item
// (more for each were slower on an H200).

struct Params {
    // First units of the ranges in their bindings.
    source_first: u32,
    target_first: u32,
    // Units to copy.
    count: u32,
    unused: u32,
}

var<immediate> params: Params;
@group(0) @binding(0) var<storage, read_write> target_units: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> source_units: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < params.count {
        target_units[params.target_first + id.x] = source_units[params.source_first + id.x];
    }
}
