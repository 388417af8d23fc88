//! Device-side enqueue: calls of the runtime ([`RuntimeCall`]).

use super::func::{FuncReader, Vals};
use super::read::Instr;
use crate::error::Result;
use crate::ir::{Op as IrOp, RuntimeCall, Type, Value};

impl FuncReader<'_, '_, '_> {
    /// A call with these operands.
    pub fn runtime_call(&mut self, call: RuntimeCall, args: &[Value], results: &[Type], inst: &Instr<'_>) -> Result<Vals> {
        let (params, result) = call.types();
        let fits = |(arg, param): (&Value, &Type)| {
            let ty = self.f.ty(*arg);
            ty == *param || ty.space().is_some() && param.space().is_some()
        };
        let same = args.len() == params.len() && args.iter().zip(params).all(fits);
        if !same || results != result.as_slice() {
            return Err(inst.bad(format_args!("operands of {call:?}")));
        }
        let inst = self.b().inst(IrOp::Runtime(call), args, results);
        Ok(self.f.insts[inst].results.iter().copied().collect())
    }
}
