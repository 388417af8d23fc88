//! Words of vectors in another order: for consecutive structures of 32-bit elements in memory, and for lanes
//! that become wider or narrower.

use super::lanes::Parts;
use super::lower::Lower;
use cranelift_codegen::ir::{self as clif, ConstantData, InstBuilder, types};

/// Words of two vectors, of which the second has the numbers from 4 on.
type Words = [u8; 4];

const LOW: Words = [0, 4, 1, 5];
const HIGH: Words = [2, 6, 3, 7];
const TWO_LOW: Words = [0, 0, 1, 1];
const TWO_HIGH: Words = [2, 2, 3, 3];
const EVEN: Words = [0, 2, 4, 6];
const ODD: Words = [1, 3, 5, 7];
const FIRST_HALVES: Words = [0, 1, 4, 5];
const SECOND_HALVES: Words = [2, 3, 6, 7];

/// Whether structures of this many elements are transposed in registers.
pub(super) fn is_transposed(elements: u32) -> bool {
    matches!(elements, 2 | 4)
}

impl Lower<'_, '_> {
    /// From four structures in memory, as two or four vectors, to a vector for each element.
    pub(super) fn deinterleave(&mut self, memory: &[clif::Value]) -> Parts {
        match *memory {
            [a, b] => [EVEN, ODD].map(|words| self.words_of(a, b, words)).into_iter().collect(),
            _ => self.transpose(memory),
        }
    }

    /// The inverse of [`Lower::deinterleave`].
    pub(super) fn interleave(&mut self, elements: &[clif::Value]) -> Parts {
        match *elements {
            [a, b] => [LOW, HIGH].map(|words| self.words_of(a, b, words)).into_iter().collect(),
            _ => self.transpose(elements),
        }
    }

    /// Transposes four vectors of four words.
    fn transpose(&mut self, rows: &[clif::Value]) -> Parts {
        let &[a, b, c, d] = rows else { return Parts::from_slice(rows) };
        let mut columns = Parts::new();
        for words in [LOW, HIGH] {
            let (first, second) = (self.words_of(a, b, words), self.words_of(c, d, words));
            columns.push(self.words_of(first, second, FIRST_HALVES));
            columns.push(self.words_of(first, second, SECOND_HALVES));
        }
        columns
    }

    /// The low words of 64-bit lanes, two vectors of which become one.
    pub(super) fn narrow(&mut self, parts: &[clif::Value]) -> Parts {
        let words: Parts = parts.iter().map(|part| self.cast_bits(*part, types::I32X4)).collect();
        let pairs = words.chunks_exact(2);
        pairs.map(|pair| self.words_of(pair[0], pair[1], EVEN)).collect()
    }

    /// The lanes of a mask of words as masks of 64-bit lanes.
    pub(super) fn widen_mask(&mut self, mask: clif::Value) -> [clif::Value; 2] {
        [TWO_LOW, TWO_HIGH].map(|words| self.words_of(mask, mask, words))
    }

    /// The first two words of each of two vectors.
    pub(super) fn first_halves(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        self.words_of(a, b, FIRST_HALVES)
    }

    /// The last two words of a vector, twice.
    pub(super) fn second_half(&mut self, a: clif::Value) -> clif::Value {
        self.words_of(a, a, SECOND_HALVES)
    }

    /// A vector of words of two vectors.
    fn words_of(&mut self, a: clif::Value, b: clif::Value, words: Words) -> clif::Value {
        let ty = self.type_of(a);
        let bytes: Vec<u8> = words.iter().flat_map(|w| (0..4).map(move |i| 4 * w + i)).collect();
        let bytes = self.c.func.dfg.immediates.push(ConstantData::from(bytes));
        let (a, b) = (self.cast_bits(a, types::I8X16), self.cast_bits(b, types::I8X16));
        let mixed = self.c.ins().shuffle(a, b, bytes);
        self.cast_bits(mixed, ty)
    }
}
