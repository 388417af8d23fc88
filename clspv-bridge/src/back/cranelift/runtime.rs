//! Calls of the runtime: for enqueued kernels, clocks, and checks of instrumented code.

use super::lanes::{self, Parts};
use super::lower::{Lower, StackVariable};
use crate::error::Result;
use crate::ir::*;
use crate::native::{check, context, runtime};
use cranelift_codegen::ir::{self as clif, AbiParam, InstBuilder, MemFlags, types};

impl Lower<'_, '_> {
    /// Calls a function of the runtime by its address.
    fn call_address(
        &mut self,
        function: clif::Value,
        args: &[clif::Value],
        result: Option<clif::Type>,
    ) -> Option<clif::Value> {
        let mut signature = clif::Signature::new(self.c.func.signature.call_conv);
        signature.params = args.iter().map(|a| AbiParam::new(self.type_of(*a))).collect();
        signature.returns = result.into_iter().map(AbiParam::new).collect();
        let signature = self.c.func.import_signature(signature);
        let call = self.c.ins().call_indirect(signature, function, args);
        self.c.func.dfg.inst_results(call).first().copied()
    }

    /// Calls the runtime for one work-item.
    fn runtime(&mut self, number: u64, args: clif::Value) -> Option<clif::Value> {
        let flags = MemFlags::trusted();
        let ctx = self.ctx;
        let state = self.c.ins().load(types::I64, flags, ctx, context::RUNTIME as i32);
        let function = self.c.ins().load(types::I64, flags, ctx, context::RUNTIME_CALL as i32);
        let number = self.number(types::I64, number);
        self.call_address(function, &[state, number, args], Some(types::I64))
    }

    /// Reads the device's clock.
    pub(super) fn clock(&mut self, v: Value) {
        let null = self.number(types::I64, 0);
        if let Some(ticks) = self.runtime(runtime::CLOCK, null) {
            self.set_one(v, ticks);
        }
    }

    /// A call of the runtime.
    pub(super) fn runtime_call(&mut self, data: &InstData, call: RuntimeCall) -> Result<()> {
        let to = self.variable(StackVariable::RuntimeArgs);
        for (i, a) in (0i32..).zip(&data.args) {
            let x = self.one(*a)?;
            let word = if self.type_of(x) == types::I64 { x } else { self.c.ins().uextend(types::I64, x) };
            self.c.ins().store(MemFlags::trusted(), word, to, 8 * i);
        }
        let word = self.runtime(call.number(), to);
        if let (Some(v), Some(word)) = (data.results.first(), word) {
            let ty = self.func.ty(*v);
            let x = match lanes::lane_type(ty) {
                types::I64 => word,
                _ if ty.is_bool() => self.truth(word),
                ty => self.c.ins().ireduce(ty, word),
            };
            self.set_one(*v, x);
        }
        Ok(())
    }

    /// Calls the checking runtime for an access or for what orders accesses.
    pub(super) fn check(&mut self, data: &InstData, op: &CheckOp) -> Result<()> {
        let func = self.func;
        let mask = self.mask(data);
        let rest = &data.args[..data.args.len() - usize::from(mask.is_some())];
        match op {
            CheckOp::Load { access, demanded } => {
                let part = func.ty(data.results[0]);
                let what = check_flags(access, part, data.results.len(), *demanded);
                self.check_access(rest[0], mask, what, data.line)?;
                for (i, v) in (0u64..).zip(&data.results) {
                    let from = self.check_data(i, part);
                    let parts = self.load(MemFlags::new().with_notrap(), part, from);
                    self.set(*v, parts);
                }
            }
            CheckOp::Store(access) => {
                let Some((p, components)) = rest.split_last() else { return Ok(()) };
                let part = func.ty(components[0]);
                for (i, v) in (0u64..).zip(components) {
                    let parts = self.get(*v)?;
                    let to = self.check_data(i, part);
                    self.store(MemFlags::new().with_notrap(), part, &parts, to);
                }
                let what = check_flags(access, part, components.len(), 0);
                self.check_access(*p, mask, check::STORE | what, data.line)?;
            }
            CheckOp::Address { what } => {
                self.check_access(rest[0], mask, *what, data.line)?;
                let at = self.variable(StackVariable::CheckAt);
                let v = data.results[0];
                let parts = self.load(MemFlags::trusted(), func.ty(v), at);
                self.set(v, parts);
            }
            CheckOp::Order { what } => {
                let mask = if mask.is_some() || what & check::FENCE != 0 {
                    self.check_mask(mask)?
                } else {
                    self.number(types::I64, u64::MAX)
                };
                self.check_order(*what, mask);
            }
            CheckOp::Position => {
                let position = self.position();
                let words = [check::VECTOR, check::Y, check::Z, check::FRAME];
                for (at, v) in words.into_iter().zip(rest) {
                    let x = self.one(*v)?;
                    self.c.ins().store(MemFlags::trusted(), x, position, 8 * at as i32);
                }
            }
            CheckOp::Start { begin, end } => self.check_start(*begin, *end),
        }
        Ok(())
    }

    fn check_order(&mut self, what: u64, mask: clif::Value) {
        let (state, function) =
            (self.field(types::I64, context::CHECK), self.field(types::I64, context::CHECK_ORDER));
        let what = self.number(types::I64, what);
        let position = self.position();
        self.call_address(function, &[state, what, mask, position], None);
    }

    /// Reports that the private variables in this part of the frame are uninitialised.
    pub(super) fn check_start(&mut self, begin: u32, end: u32) {
        let range = self.number(types::I64, u64::from(end) << 32 | u64::from(begin));
        self.check_order(check::START, range);
    }

    /// The active lanes as a bit mask.
    fn check_mask(&mut self, mask: Option<Value>) -> Result<clif::Value> {
        let Some(mask) = mask else {
            return Ok(self.number(types::I64, (1u64 << self.shape.width) - 1));
        };
        let bits = self.mask_bits(mask)?;
        Ok(self.c.ins().uextend(types::I64, bits))
    }

    /// Calls the runtime for an access.
    fn check_access(&mut self, p: Value, mask: Option<Value>, what: u64, line: u32) -> Result<()> {
        let addresses: Parts = self.get(p)?;
        let at = self.variable(StackVariable::CheckAt);
        self.store(MemFlags::trusted(), self.func.ty(p), &addresses, at);
        let components = self.variable(StackVariable::CheckData);
        let mask = self.check_mask(mask)?;
        let (state, function) =
            (self.field(types::I64, context::CHECK), self.field(types::I64, context::CHECK_ACCESS));
        let (what, line) = (self.number(types::I64, what), self.number(types::I32, u64::from(line)));
        let position = self.position();
        self.call_address(function, &[state, at, components, mask, what, line, position], None);
        Ok(())
    }

    /// The address of a component's data.
    fn check_data(&mut self, component: u64, part: Type) -> clif::Value {
        let bytes = u64::from(lanes::lane_bytes(part) * part.lanes());
        let data = self.variable(StackVariable::CheckData);
        self.offset(data, component * bytes)
    }
}

/// Flags of an access whose components are parts of this type.
fn check_flags(access: &Access, part: Type, components: usize, demanded: u16) -> u64 {
    let one = check::access_flags(access, part.lane(), demanded);
    let uniform = if part.lanes() == 1 { check::UNIFORM } else { 0 };
    (one & !(0xff << check::COMPONENTS)) | (components as u64) << check::COMPONENTS | uniform
}
