//! Arbitrary bytes as the binary form of IR: as they are, behind the right header, and as changes of a valid
//! module. Decoding must not panic, and a module that is decoded is encoded as one with the same text.

#![no_main]

use clspv_bridge::front::c;
use clspv_bridge::ir::binary::{decode, encode};
use clspv_bridge::options::{CompileRequest, FrontConfig, LibraryCode, Options};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

/// Bytes of the header.
const HEADER: usize = 8;

const SOURCE: &str = "constant int table[] = {1, 2, 3};
struct s { float4 v; int n; };
float f(float4 v) { return dot(v, v); }
kernel void k(global float *p, struct s s, read_only image2d_t i, local int *l, int n) {
  for (int j = 0; j < n; j++) {
    if (j == table[j & 1]) barrier(CLK_LOCAL_MEM_FENCE);
    p[j] = f(s.v) + read_imagef(i, (int2)(j, n)).x + atomic_add(l, j);
  }
  printf(\"%d\\n\", s.n);
}";

fn valid() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let config = FrontConfig { image_support: true, opencl_version: 310, ..FrontConfig::default() };
        let compiled = c::compile(&CompileRequest::new(SOURCE, &Options::default(), &config));
        let LibraryCode::Ir(module) = compiled.expect("a valid source").library.code else {
            return Vec::new();
        };
        module.bytes().expect("an encoding").to_vec()
    })
}

fn check(bytes: &[u8]) {
    let Ok(module) = decode(bytes) else { return };
    let again = encode(&module).expect("an encoding");
    let decoded = decode(&again).expect("a valid module");
    assert_eq!(decoded.to_string(), module.to_string());
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, data)) = data.split_first() else { return };
    match choice % 3 {
        0 => check(data),
        1 => check(&[valid().get(..HEADER).unwrap_or_default(), data].concat()),
        // Triples of two bytes that say where, and the new value.
        _ => {
            let mut bytes = valid().to_vec();
            for change in data.chunks_exact(3) {
                let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len().max(1);
                bytes[at] = change[2];
            }
            check(&bytes);
        }
    }
});
