//! Turns volatile accesses of private memory into plain ones.
//!
//! Private memory is visible only to its work-item, so such accesses are not observable, and the variables
//! can become SSA values. Programs use `volatile` here to keep a result from being combined with later
//! operations: an operation whose result is stored therefore loses its fast-math flags.

use crate::error::Result;
use crate::ir::{FastMath, Function, Module, Op, Space, Type, Value};
use crate::passes::{Pass, PassContext};

/// The pass `private_volatile`.
pub struct PrivateVolatile;

impl Pass for PrivateVolatile {
    fn name(&self) -> &'static str {
        "private_volatile"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= relax(f);
        }
        Ok(changed)
    }
}

fn relax(func: &mut Function) -> bool {
    let mut stored: Vec<Value> = Vec::new();
    let mut changed = false;
    let private: Vec<bool> = func.insts.values().map(|data| is_private(func, &data.op, &data.args)).collect();
    for (data, _) in func.insts.values_mut().zip(private).filter(|(_, private)| *private) {
        match &mut data.op {
            Op::Load(access) if access.volatile => access.volatile = false,
            Op::Store(access) if access.volatile => {
                access.volatile = false;
                stored.push(data.args[0]);
            }
            _ => continue,
        }
        changed = true;
    }
    for value in stored {
        if let Some(inst) = func.def_inst(value) {
            func.insts[inst].fast = FastMath::default();
        }
    }
    changed
}

/// Whether an instruction loads from or stores to private memory.
fn is_private(func: &Function, op: &Op, args: &[Value]) -> bool {
    let address = match op {
        Op::Load(_) => args.first(),
        Op::Store(_) => args.get(1),
        _ => None,
    };
    address.is_some_and(|a| func.ty(*a) == Type::Ptr(Space::Private))
}
