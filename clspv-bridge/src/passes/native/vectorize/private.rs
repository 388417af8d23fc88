//! Accesses of private variables that need no mask: they stay in the work-item's own copy.
//!
//! The index is limited by constant bits, as in `table[x & 7]`. Inactive work-items may then load from their
//! copies. They may store to them, too, if they do not exist. LLVM may give inactive work-items a value that
//! breaks the limit (poison), so this is for code that Cranelift generates.

use super::state::{Entry, Mask};
use super::vectorizer::Vectorizer;
use crate::ir::*;

/// Longest chain of operations that is followed through an index.
const MOST_OPERATIONS: u32 = 8;

impl Vectorizer<'_> {
    /// The mask of a load of `bytes` bytes: `None` if all lanes may load.
    pub(super) fn load_mask(&self, address: Value, bytes: u32) -> Option<Value> {
        self.active().filter(|_| !self.stays_in_variable(address, bytes))
    }

    /// The mask of a store of `bytes` bytes: `None` if all lanes may store.
    pub(super) fn store_mask(&self, address: Value, bytes: u32) -> Option<Value> {
        let only_lacks_some = self.mask == Mask::Base && self.r.entry == Entry::Kernel;
        self.active().filter(|_| !only_lacks_some || !self.stays_in_variable(address, bytes))
    }

    /// Whether an access stays in the work-item's copy of a private variable.
    fn stays_in_variable(&self, mut address: Value, bytes: u32) -> bool {
        let mut end = u64::from(bytes);
        while self.r.masked_by_lanes
            && let Some(inst) = self.func.def_inst(address)
        {
            let data = &self.func.insts[inst];
            match &data.op {
                Op::SlotAddr(slot) => return end <= u64::from(self.func.slots[*slot].size),
                Op::PtrAdd => {
                    let sum = most(self.func, data.args[1], MOST_OPERATIONS).and_then(|n| end.checked_add(n));
                    let Some(sum) = sum else { return false };
                    (address, end) = (data.args[0], sum);
                }
                _ => return false,
            }
        }
        false
    }
}

/// A limit of an unsigned integer that is computed by at most `operations` operations, one after the other.
fn most(func: &Function, v: Value, operations: u32) -> Option<u64> {
    if let Some(bits) = func.as_bits(v) {
        return Some(bits);
    }
    let data = &func.insts[func.def_inst(v)?];
    let operations = operations.checked_sub(1)?;
    let of = |index: usize| most(func, data.args[index], operations);
    let largest = |ty: Type| ty.scalar().map(|s| u64::MAX >> (64 - s.bits()));
    let limit = match &data.op {
        Op::Bin(BinOp::And) => return of(0).into_iter().chain(of(1)).min(),
        Op::Cast(CastOp::Zext) => return of(0).or_else(|| largest(func.ty(data.args[0]))),
        Op::Bin(BinOp::Iadd) => of(0)?.checked_add(of(1)?)?,
        Op::Bin(BinOp::Imul) => of(0)?.checked_mul(of(1)?)?,
        Op::Bin(BinOp::Shl) => of(0)?.checked_mul(1u64.checked_shl(u32::try_from(of(1)?).ok()?)?)?,
        _ => return None,
    };
    (limit <= largest(func.ty(v))?).then_some(limit)
}
