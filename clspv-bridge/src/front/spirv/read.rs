//! Words to instructions: a bounds-checked iterator over a SPIR-V binary.
//!
//! The input is not trusted. An [`Instr`] borrows its operand words; reading past the end of an instruction
//! is an error with the word offset of the instruction, never a panic. The users interpret the operands.

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

/// An error for a malformed module, with the word offset of the instruction.
pub fn bad(at: usize, what: impl std::fmt::Display) -> CompileError {
    CompileError::InvalidIl(format!("{what} (word {at})"))
}

/// Whether the first two operands are a result type and a result id.
pub(crate) fn has_result_type(op: Op) -> bool {
    let table = rspirv::grammar::INSTRUCTION_TABLE.lookup_opcode(op as u32);
    let first = table.and_then(|t| t.operands.first());
    first.is_some_and(|o| o.kind == rspirv::grammar::OperandKind::IdResultType)
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

/// Operands of the instructions that SPV_INTEL_long_composites continues, joined.
#[derive(Default)]
pub struct Joined(Vec<Vec<u32>>);

impl Joined {
    /// Joins the operands of continued instructions.
    pub fn new(words: &[u32]) -> Result<Joined> {
        let mut joined = Vec::new();
        let mut last: &[u32] = &[];
        let mut continued = false;
        let mut at = 5;
        while at < words.len() {
            let (op, ops) = instruction(words, at)?;
            if op.is_some_and(is_continuation) {
                match joined.last_mut() {
                    Some(list) if continued => Vec::extend_from_slice(list, ops),
                    _ => joined.push([last, ops].concat()),
                }
                continued = true;
            } else {
                (last, continued) = (ops, false);
            }
            at += ops.len() + 1;
        }
        Ok(Joined(joined))
    }
}

fn is_continuation(op: Op) -> bool {
    matches!(
        op,
        Op::TypeStructContinuedINTEL
            | Op::ConstantCompositeContinuedINTEL
            | Op::SpecConstantCompositeContinuedINTEL
            | Op::CompositeConstructContinuedINTEL
    )
}

/// Opcode, if it is known, and operands of the instruction at word `at`.
fn instruction(words: &[u32], at: usize) -> Result<(Option<Op>, &[u32])> {
    let count = (words[at] >> 16) as usize;
    if count == 0 || at + count > words.len() {
        return Err(bad(at, "instruction length runs past the end of the module"));
    }
    Ok((Op::from_u32(words[at] & 0xffff), &words[at + 1..at + count]))
}

/// Splits the words after the header into instructions; continued ones take their operands from `joined`.
pub fn instructions<'a>(words: &'a [u32], joined: &'a Joined) -> Result<Vec<Instr<'a>>> {
    let mut list: Vec<Instr<'a>> = Vec::with_capacity(words.len() / 4);
    let mut joined = joined.0.iter();
    let mut continued = false;
    let mut at = 5;
    while at < words.len() {
        let (op, ops) = instruction(words, at)?;
        let Some(op) = op else {
            return Err(CompileError::unsupported(format!("SPIR-V instruction {}", words[at] & 0xffff), 0));
        };
        if !is_continuation(op) {
            list.push(Instr { op, ops, at });
            continued = false;
        } else if !continued {
            let (Some(first), Some(all)) = (list.last_mut(), joined.next()) else {
                return Err(bad(at, "continuation of nothing"));
            };
            first.ops = all;
            continued = true;
        }
        at += ops.len() + 1;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of an instruction.
    fn words(op: Op, ops: &[u32]) -> Vec<u32> {
        [&[(ops.len() as u32 + 1) << 16 | op as u32], ops].concat()
    }

    #[test]
    fn continued_instructions_are_joined() {
        let more = Op::ConstantCompositeContinuedINTEL;
        let module = [
            vec![0; 5],
            words(Op::ConstantComposite, &[1, 2, 3]),
            words(more, &[4]),
            words(more, &[5, 6]),
            words(Op::Nop, &[]),
            words(Op::TypeStruct, &[7, 8]),
            words(Op::TypeStructContinuedINTEL, &[9]),
        ]
        .concat();
        let joined = Joined::new(&module).unwrap();
        let list = instructions(&module, &joined).unwrap();
        let list: Vec<(Op, &[u32])> = list.iter().map(|i| (i.op, i.ops)).collect();
        let expected: [(Op, &[u32]); 3] =
            [(Op::ConstantComposite, &[1, 2, 3, 4, 5, 6]), (Op::Nop, &[]), (Op::TypeStruct, &[7, 8, 9])];
        assert_eq!(list, expected);
        let alone = [vec![0; 5], words(more, &[4])].concat();
        assert!(instructions(&alone, &Joined::new(&alone).unwrap()).is_err());
    }
}
