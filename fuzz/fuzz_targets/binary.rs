//! Arbitrary bytes as a program binary, unchanged and behind a header with the right hash. Reading must not
//! panic, and a binary that is read must be written as the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pyroclast_runtime::program::binary::Binary;
use pyroclast_runtime::program::codec;

fuzz_target!(|data: &[u8]| {
    let _ = Binary::from_bytes(data);
    let mut whole = b"PYROCLPB".to_vec();
    whole.extend_from_slice(&codec::VERSION.to_le_bytes());
    whole.extend_from_slice(blake3::hash(data).as_bytes());
    whole.extend_from_slice(data);
    if let Some(binary) = Binary::from_bytes(&whole) {
        assert_eq!(binary.to_bytes().ok(), Some(whole));
    }
});
