// Repeats a pattern of 2, 4, ... 32 words over a word-aligned range (vkCmdFillBuffer repeats one word only).

struct Params {
    // First word of the range in `target_words`.
    first: u32,
    // Words to write.
    count: u32,
    // Words of the pattern minus one; the count is a power of two.
    mask: u32,
    // Work-items of the dispatch.
    stride: u32,
}

var<immediate> params: Params;
@group(0) @binding(0) var<storage, read_write> target_words: array<u32>;
@group(0) @binding(1) var<storage, read> pattern: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var i = id.x;
    loop {
        if i >= params.count {
            break;
        }
        target_words[params.first + i] = pattern[i & params.mask];
        i = i + params.stride;
    }
}
