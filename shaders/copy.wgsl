// Copies 16-byte units between two ranges that start at multiples of 16 bytes and do not overlap. Each group takes blocks
// of 1024 units, four loads in flight for each work-item.

struct Params {
    // First units of the ranges in their bindings.
    source_first: u32,
    target_first: u32,
    // Units to copy.
    count: u32,
    // Units of all groups of the dispatch together.
    stride: u32,
}

var<immediate> params: Params;
@group(0) @binding(0) var<storage, read_write> target_units: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> source_units: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) item: u32) {
    var i = group.x * 1024u + item;
    loop {
        if i >= params.count {
            break;
        }
        let s = params.source_first + i;
        let t = params.target_first + i;
        if params.count - i > 768u {
            let a = source_units[s];
            let b = source_units[s + 256u];
            let c = source_units[s + 512u];
            let d = source_units[s + 768u];
            target_units[t] = a;
            target_units[t + 256u] = b;
            target_units[t + 512u] = c;
            target_units[t + 768u] = d;
        } else {
            for (var k = 0u; k < 768u && k < params.count - i; k = k + 256u) {
                target_units[t + k] = source_units[s + k];
            }
        }
        // Written so that it cannot wrap around.
        if params.count - i <= params.stride {
            break;
        }
        i = i + params.stride;
    }
}
