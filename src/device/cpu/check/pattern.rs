//! The pattern of uninitialised memory: a function of the offset in the allocation. It is thus the same in
//! each run, and copies to the same offset of another allocation preserve it.

/// The pattern's eight-byte word of this number.
fn word(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The pattern's byte at an offset.
pub fn byte(offset: u64) -> u8 {
    word(offset >> 3).to_le_bytes()[(offset & 7) as usize]
}

/// Fills bytes that begin at an offset.
pub fn fill(bytes: &mut [u8], offset: u64) {
    let mut at = offset;
    let mut rest = bytes;
    while !rest.is_empty() {
        let skip = (at & 7) as usize;
        let n = (8 - skip).min(rest.len());
        let (now, later) = rest.split_at_mut(n);
        now.copy_from_slice(&word(at >> 3).to_le_bytes()[skip..skip + n]);
        at += n as u64;
        rest = later;
    }
}

/// Whether any four bytes of a value, which begins at an offset, equal the pattern. Fewer bytes are no
/// evidence.
pub fn is_in(bytes: &[u8], offset: u64) -> bool {
    bytes
        .chunks_exact(4)
        .zip((offset..).step_by(4))
        .any(|(four, at)| four.iter().zip(at..).all(|(b, at)| *b == byte(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_memory_is_distinguished_from_unwritten() {
        let mut bytes = [0; 29];
        fill(&mut bytes, 3);
        assert!(bytes.iter().zip(3..).all(|(b, at)| *b == byte(at)));
        assert!(is_in(&bytes[5..13], 8) && is_in(&bytes[2..6], 5) && !is_in(&bytes[5..13], 16));
        bytes[6] ^= 1;
        assert!(!is_in(&bytes[5..9], 8) && is_in(&bytes[5..13], 8));
    }
}
