//! The runtime's own SPIR-V parsing: byte order, well-formedness of the word stream, specialisation
//! constants.
//!
//! Translation belongs to the compiler. Nothing here panics on malformed input.

use std::collections::HashMap;

const MAGIC: u32 = 0x0723_0203;
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_INT: u32 = 21;
const OP_TYPE_FLOAT: u32 = 22;
const OP_SPEC_CONSTANT_TRUE: u32 = 48;
const OP_SPEC_CONSTANT_FALSE: u32 = 49;
const OP_SPEC_CONSTANT: u32 = 50;
const OP_DECORATE: u32 = 71;
const DECORATION_SPEC_ID: u32 = 1;

/// The words of a module in host byte order; `None` if the bytes are not a SPIR-V module.
pub fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    if bytes.len() < 20 || !bytes.len().is_multiple_of(4) {
        return None;
    }
    let first = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let words: Vec<u32> = match first {
        MAGIC => bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect(),
        _ if first.swap_bytes() == MAGIC => {
            bytes.chunks_exact(4).map(|c| u32::from_be_bytes([c[0], c[1], c[2], c[3]])).collect()
        }
        _ => return None,
    };
    let mut at = 5;
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        if length == 0 || length > words.len() - at {
            return None;
        }
        at += length;
    }
    Some(words)
}

/// Capabilities that a module declares; they are at its start.
pub fn capabilities(words: &[u32]) -> Vec<u32> {
    let declarations = words.get(5..).unwrap_or_default().chunks_exact(2);
    declarations.take_while(|c| c[0] == 2 << 16 | OP_CAPABILITY).map(|c| c[1]).collect()
}

/// Specialisation constants of a well-formed module: SpecId and size in bytes (1 for booleans).
pub(crate) fn spec_constants(words: &[u32]) -> HashMap<u32, usize> {
    let mut ids: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut widths: HashMap<u32, usize> = HashMap::new();
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some((inst, tail)) = rest.split_at_checked(length).filter(|_| length > 0) else { break };
        match (first & 0xffff, &inst[1..]) {
            (OP_DECORATE, &[target, DECORATION_SPEC_ID, id]) => ids.entry(target).or_default().push(id),
            (OP_TYPE_INT, &[ty, width, ..]) | (OP_TYPE_FLOAT, &[ty, width, ..]) => {
                widths.insert(ty, (width / 8) as usize);
            }
            (OP_SPEC_CONSTANT_TRUE | OP_SPEC_CONSTANT_FALSE, &[_, result, ..]) => {
                sizes.insert(result, 1);
            }
            (OP_SPEC_CONSTANT, &[ty, result, ..]) => {
                if let Some(width) = widths.get(&ty) {
                    sizes.insert(result, *width);
                }
            }
            _ => {}
        }
        rest = tail;
    }
    let mut out = HashMap::new();
    for (target, spec_ids) in ids {
        if let Some(size) = sizes.get(&target) {
            out.extend(spec_ids.into_iter().map(|id| (id, *size)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module() -> Vec<u32> {
        let inst = |op: u32, operands: &[u32]| {
            let mut words = vec![(operands.len() as u32 + 1) << 16 | op];
            words.extend_from_slice(operands);
            words
        };
        let mut words = vec![MAGIC, 0x0001_0000, 0, 100, 0];
        words.extend(inst(OP_DECORATE, &[10, DECORATION_SPEC_ID, 7]));
        words.extend(inst(OP_DECORATE, &[11, DECORATION_SPEC_ID, 8]));
        words.extend(inst(OP_DECORATE, &[12, 22, 8]));
        words.extend(inst(OP_TYPE_INT, &[1, 64, 0]));
        words.extend(inst(OP_SPEC_CONSTANT, &[1, 10, 5, 0]));
        words.extend(inst(OP_SPEC_CONSTANT_TRUE, &[2, 11]));
        words
    }

    #[test]
    fn capabilities_are_found() {
        let words = [
            MAGIC,
            0x0001_0000,
            0,
            1,
            0,
            2 << 16 | OP_CAPABILITY,
            6,
            2 << 16 | OP_CAPABILITY,
            4,
            3 << 16 | 14,
            2,
            2,
        ];
        assert_eq!(capabilities(&words), [6, 4]);
        assert!(capabilities(&words[..3]).is_empty());
    }

    #[test]
    fn constants_are_found() {
        assert_eq!(spec_constants(&module()), HashMap::from([(7, 8), (8, 1)]));
    }

    #[test]
    fn byte_order_and_damage() {
        let le: Vec<u8> = module().iter().flat_map(|w| w.to_le_bytes()).collect();
        let be: Vec<u8> = module().iter().flat_map(|w| w.to_be_bytes()).collect();
        assert_eq!(words(&le), Some(module()));
        assert_eq!(words(&be), Some(module()));
        assert_eq!(words(&le[..le.len() - 4]), None);
        assert_eq!(words(&le[..17]), None);
        assert_eq!(words(b"not spir-v, but long enough.."), None);
        for n in 0..le.len() {
            let mut bytes = le.clone();
            bytes[n] = 0xff;
            if let Some(words) = words(&bytes) {
                spec_constants(&words);
            }
        }
    }
}
