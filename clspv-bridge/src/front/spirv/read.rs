//! Words to instructions: a bounds-checked iterator over a SPIR-V binary.
//!
//! Nothing here trusts the input. An [`Instr`] borrows its operand words; reading past the end of an instruction is
//! an error with the word offset of the instruction, never a panic. What the operands mean is up to the users.

use crate::error::{CompileError, Result};
use spirv::Op;

/// One instruction: its opcode and operand words (the result type and id included).
#[derive(Clone, Copy, Debug)]
pub struct Instr<'a> {
    pub op: Op,
    pub ops: &'a [u32],
    /// Word offset of the instruction in the module.
    pub at: usize,
}

/// A malformed module, with the word offset of the offence.
pub fn bad(at: usize, what: impl std::fmt::Display) -> CompileError {
    CompileError::InvalidIl(format!("{what} (word {at})"))
}

impl<'a> Instr<'a> {
    /// Operand word `i`.
    pub fn word(&self, i: usize) -> Result<u32> {
        self.ops.get(i).copied().ok_or_else(|| bad(self.at, format_args!("{:?} lacks operand {i}", self.op)))
    }
    /// Operand words from `i` on.
    pub fn rest(&self, i: usize) -> &'a [u32] {
        self.ops.get(i..).unwrap_or(&[])
    }
    /// The literal string that starts at operand `i`, and the index of the operand after it.
    pub fn string(&self, i: usize) -> Result<(String, usize)> {
        let mut bytes = Vec::new();
        for (n, word) in self.rest(i).iter().enumerate() {
            for b in word.to_le_bytes() {
                if b == 0 {
                    return Ok((String::from_utf8_lossy(&bytes).into_owned(), i + n + 1));
                }
                bytes.push(b);
            }
        }
        Err(bad(self.at, "unterminated string"))
    }
    /// An error at this instruction.
    pub fn bad(&self, what: impl std::fmt::Display) -> CompileError {
        bad(self.at, what)
    }
}

/// Splits the words after the header into instructions.
pub fn instructions(words: &[u32]) -> Result<Vec<Instr<'_>>> {
    let mut list = Vec::with_capacity(words.len() / 4);
    let mut at = 5;
    while at < words.len() {
        let count = (words[at] >> 16) as usize;
        let opcode = words[at] & 0xffff;
        if count == 0 || at + count > words.len() {
            return Err(bad(at, "instruction length runs past the end of the module"));
        }
        let Some(op) = Op::from_u32(opcode) else {
            return Err(bad(at, format_args!("unknown opcode {opcode}")));
        };
        list.push(Instr { op, ops: &words[at + 1..at + count], at });
        at += count;
    }
    Ok(list)
}
