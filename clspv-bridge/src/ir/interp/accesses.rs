//! Accesses to memory: where they are, and what they do.

use super::Launch;
use super::memory::Memory;
use super::stop::{Stop, undefined, unsupported};
use super::value::{self, LaneValues};
use crate::ir::entity::Var;
use crate::ir::func::{Function, VarClass, VarLen};
use crate::ir::inst::{Access, BinOp, Op, RmwOp, Root};
use crate::ir::types::{I32, Type};
use rustc_hash::FxHashMap;

/// The variables of a function, with the addresses of those in private and work-group memory.
pub(super) struct Variables<'a> {
    pub func: &'a Function,
    pub privates: &'a mut FxHashMap<Var, u64>,
    pub shared: &'a mut FxHashMap<Var, u64>,
    pub launch: &'a Launch,
}

/// An access with its operands and the type of its result.
pub(super) struct MemoryOperands<'a> {
    pub op: &'a Op,
    pub args: &'a [LaneValues],
    pub types: &'a [Type],
    pub ty: Option<Type>,
}

impl MemoryOperands<'_> {
    fn known(&self, i: usize) -> Result<u64, Stop> {
        match self.args.get(i).and_then(|v| v.first()).and_then(|l| l.get()) {
            Some(bits) => Ok(bits),
            None => undefined(format!("an undefined operand of {:?}", self.op)),
        }
    }

    /// An address, or an index into a variable.
    fn address(&self, i: usize) -> Result<u64, Stop> {
        let mut at = self.known(i)?;
        if let Some([_, high]) = self.args.get(i).map(|a| a.as_slice()) {
            // An address in two words.
            at |= high.get().map_or_else(|| undefined("an undefined address"), |h| Ok(h << 32))?;
        }
        Ok(at)
    }
}

impl Variables<'_> {
    /// The byte address of an access at `at`, of elements of type `elem` or else the variable's.
    fn locate(
        &mut self,
        memory: &mut Memory,
        access: &Access,
        at: u64,
        elem: Option<Type>,
    ) -> Result<u64, Stop> {
        let Root::Var(var) = access.root else {
            if !at.is_multiple_of(access.align as u64) && at >> 32 != 0 && at & 0xffff_ffff != 0 {
                return undefined(format!("an access at {at:#x} that is not aligned to {}", access.align));
            }
            return Ok(at);
        };
        let info = &self.func.vars[var];
        let size = elem.unwrap_or(info.elem).access_bytes().unwrap_or(8) as u64;
        let length = match info.len {
            VarLen::Fixed(n) => n,
            VarLen::Spec(spec) => self.launch.lengths.get(&spec).copied().unwrap_or(1),
            VarLen::Runtime => 0,
        };
        let bytes = (info.elem.access_bytes().unwrap_or(8) as u64 * length as u64) as usize;
        let base = match info.class {
            VarClass::Buffer { binding, .. } => {
                self.launch.bindings.get(binding as usize).copied().unwrap_or(0)
            }
            VarClass::Image { .. } => 0,
            VarClass::Workgroup => *self.shared.entry(var).or_insert_with(|| memory.alloc_undefined(bytes)),
            VarClass::View { of } => {
                let bytes = self.func.vars[of].bytes();
                *self.shared.entry(of).or_insert_with(|| memory.alloc_undefined(bytes))
            }
            VarClass::Private => *self.privates.entry(var).or_insert_with(|| memory.alloc_undefined(bytes)),
        };
        Ok(base + (at & 0xffff_ffff) * size)
    }
}

/// Executes an access; returns what it loads.
pub(super) fn execute(
    memory: &mut Memory,
    mut variables: Variables<'_>,
    operands: &MemoryOperands<'_>,
) -> Result<Option<LaneValues>, Stop> {
    let MemoryOperands { op, args, types, ty } = *operands;
    let mut locate = |memory: &mut Memory, access: &Access, i: usize, elem: Option<Type>| {
        variables.locate(memory, access, operands.address(i)?, elem)
    };
    match op {
        Op::Load(access) | Op::AtomicLoad { access, .. } => {
            let ty = ty.unwrap_or(I32);
            let at = locate(memory, access, 0, Some(ty))?;
            load(memory, at, ty).map(Some)
        }
        Op::Store(access) | Op::AtomicStore { access, .. } => {
            let at = locate(memory, access, 1, Some(types[0]))?;
            memory.store(at, &value::to_bytes(types[0], &args[0]))?;
            Ok(None)
        }
        Op::Memcpy { dst, src } => {
            let size = operands.known(2)? as usize;
            if size != 0 {
                let (to, from) = (locate(memory, dst, 0, None)?, locate(memory, src, 1, None)?);
                let bytes = memory.load(from, size)?;
                memory.store(to, &bytes)?;
            }
            Ok(None)
        }
        Op::Memset(access) => {
            let size = operands.known(2)? as usize;
            if size != 0 {
                let to = locate(memory, access, 0, None)?;
                let byte = (args[1][0].bits as u8, args[1][0].undef as u8);
                memory.store(to, &vec![byte; size])?;
            }
            Ok(None)
        }
        Op::AtomicRmw { op: rmw_op, access, .. } => {
            let at = locate(memory, access, 0, Some(types[1]))?;
            let old = load(memory, at, types[1])?;
            let new = match rmw(*rmw_op) {
                None => args[1].clone(),
                Some(bin) => match value::eval(&Op::Bin(bin), &[types[1]; 2], &[&old, &args[1]], types[1]) {
                    Some(new) => new,
                    None => return unsupported(op),
                },
            };
            memory.store(at, &value::to_bytes(types[1], &new))?;
            Ok(Some(old))
        }
        Op::AtomicCas { access, .. } => {
            let at = locate(memory, access, 0, Some(types[1]))?;
            let old = load(memory, at, types[1])?;
            match (old[0].get(), args[1][0].get()) {
                (Some(a), Some(b)) if a == b => memory.store(at, &value::to_bytes(types[1], &args[2]))?,
                (Some(_), Some(_)) => {}
                _ => return undefined("a comparison with an undefined value"),
            }
            Ok(Some(old))
        }
        _ => unsupported(op),
    }
}

fn load(memory: &mut Memory, at: u64, ty: Type) -> Result<LaneValues, Stop> {
    Ok(value::from_bytes(&memory.load(at, ty.access_bytes().unwrap_or(0) as usize)?, ty))
}

/// Binary operation of a read-modify-write; `None` for an exchange.
fn rmw(op: RmwOp) -> Option<BinOp> {
    Some(match op {
        RmwOp::Add => BinOp::Iadd,
        RmwOp::Sub => BinOp::Isub,
        RmwOp::And => BinOp::And,
        RmwOp::Or => BinOp::Or,
        RmwOp::Xor => BinOp::Xor,
        RmwOp::Xchg => return None,
        RmwOp::Umin => BinOp::Umin,
        RmwOp::Umax => BinOp::Umax,
        RmwOp::Smin => BinOp::Smin,
        RmwOp::Smax => BinOp::Smax,
        RmwOp::Fadd => BinOp::Fadd,
        RmwOp::Fmin => BinOp::Fmin,
        RmwOp::Fmax => BinOp::Fmax,
    })
}
