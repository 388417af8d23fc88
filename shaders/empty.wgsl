// Does nothing: its pipelines are created for what the driver does then (`program/empty_shader.rs`).

@compute @workgroup_size(1)
fn main() {
}
