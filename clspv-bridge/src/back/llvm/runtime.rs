//! Calls of the runtime: for enqueued kernels, clocks, and checks of instrumented code.

use super::names::type_name;
use super::print::Print;
use crate::ir::*;
use crate::native::{check, context, runtime};

impl Print<'_> {
    /// Loads the state pointer, the first argument of every runtime call, and the function to call.
    fn runtime_function(&mut self) -> (String, String) {
        let mut field = |offset: usize| {
            let p = self.temporary(format!("getelementptr i8, ptr %ctx, i64 {offset}"));
            self.temporary(format!("load ptr, ptr {p}, align 8"))
        };
        (field(context::RUNTIME), field(context::RUNTIME_CALL))
    }

    /// Reads the device's clock.
    pub(super) fn clock(&mut self, v: Value) {
        let (state, function) = self.runtime_function();
        self.define(v, format!("call i64 {function}(ptr {state}, i64 {}, ptr null)", runtime::CLOCK));
    }

    pub(super) fn runtime_call(&mut self, data: &InstData, call: RuntimeCall) {
        let (state, function) = self.runtime_function();
        for (i, a) in data.args.iter().enumerate() {
            let (ty, one) = (self.ty(*a), self.typed(*a));
            let word = match ty.as_str() {
                "i64" => self.name(*a),
                "ptr" => self.temporary(format!("ptrtoint {one} to i64")),
                _ => self.temporary(format!("zext {one} to i64")),
            };
            let to = self.temporary(format!("getelementptr i64, ptr %runtime.args, i64 {i}"));
            self.line(format!("store i64 {word}, ptr {to}, align 8"));
        }
        let call = format!("call i64 {function}(ptr {state}, i64 {}, ptr %runtime.args)", call.number());
        match data.results.first() {
            None => self.line(call),
            Some(v) if self.func.ty(*v) == I64 => self.define(*v, call),
            Some(v) => {
                let word = self.temporary(call);
                self.define(*v, format!("trunc i64 {word} to {}", self.ty(*v)));
            }
        }
    }

    /// Calls the checking runtime for an access or for what orders accesses.
    pub(super) fn check(&mut self, data: &InstData, op: &CheckOp) {
        let mask = self.mask(data);
        let rest = &data.args[..data.args.len() - usize::from(mask.is_some())];
        match op {
            CheckOp::Load { access, demanded } => {
                let part = self.func.ty(data.results[0]);
                let what = self.access_flags(access, part, data.results.len(), *demanded);
                self.check_access(rest[0], mask, what, data.line);
                for (i, v) in data.results.iter().enumerate() {
                    let from = self.check_data(i, part);
                    self.define(*v, format!("load {}, ptr {from}, align 1", type_name(part)));
                }
            }
            CheckOp::Store(access) => {
                let Some((p, parts)) = rest.split_last() else { return };
                let part = self.func.ty(parts[0]);
                for (i, v) in parts.iter().enumerate() {
                    let to = self.check_data(i, part);
                    self.line(format!("store {}, ptr {to}, align 1", self.typed(*v)));
                }
                let what = self.access_flags(access, part, parts.len(), 0);
                self.check_access(*p, mask, check::STORE | what, data.line);
            }
            CheckOp::Address { what } => {
                self.check_access(rest[0], mask, *what, data.line);
                let v = data.results[0];
                self.define(v, format!("load {}, ptr %check.at, align 64", self.ty(v)));
            }
            CheckOp::Order { what } => {
                let mask = if mask.is_some() || what & check::FENCE != 0 {
                    self.check_mask(mask)
                } else {
                    "-1".into()
                };
                self.check_order(*what, &mask);
            }
            CheckOp::Position => {
                let words = [check::VECTOR, check::Y, check::Z, check::FRAME];
                for (at, v) in words.into_iter().zip(rest) {
                    let p = self.temporary(format!("getelementptr i64, ptr %check.position, i64 {at}"));
                    self.line(format!("store {}, ptr {p}, align 8", self.typed(*v)));
                }
            }
            CheckOp::Start { begin, end } => self.check_start(*begin, *end),
        }
    }

    /// Flags of an access whose components are parts of this type.
    fn access_flags(&self, access: &Access, part: Type, components: usize, demanded: u16) -> u64 {
        let one = check::access_flags(access, part.lane(), demanded);
        let uniform = if part.lanes() == 1 { check::UNIFORM } else { 0 };
        (one & !(0xff << check::COMPONENTS)) | (components as u64) << check::COMPONENTS | uniform
    }

    fn check_order(&mut self, what: u64, mask: &str) {
        self.line(format!("call void %check.order(ptr %check, i64 {what}, i64 {mask}, ptr %check.position)"));
    }

    /// Reports that the private variables in this part of the frame are uninitialised.
    pub(super) fn check_start(&mut self, begin: u32, end: u32) {
        let range = u64::from(end) << 32 | u64::from(begin);
        self.check_order(check::START, &range.to_string());
    }

    /// The active lanes as a bit mask.
    fn check_mask(&mut self, mask: Option<Value>) -> String {
        let w = u32::from(self.shape.width);
        match mask {
            None => format!("{}", (1u64 << w) - 1),
            Some(mask) => {
                let bits = self.temporary(format!("bitcast {} to i{w}", self.typed(mask)));
                self.temporary(format!("zext i{w} {bits} to i64"))
            }
        }
    }

    /// Calls the runtime for an access.
    fn check_access(&mut self, p: Value, mask: Option<Value>, what: u64, line: u32) {
        self.line(format!("store {}, ptr %check.at, align 64", self.typed(p)));
        let mask = self.check_mask(mask);
        self.line(format!(
            "call void %check.access(ptr %check, ptr %check.at, ptr %check.data, i64 {mask}, i64 {what}, i32 {line}, ptr %check.position)"
        ));
    }

    fn check_data(&mut self, component: usize, part: Type) -> String {
        let bytes = part.lane().access_bytes().unwrap_or(8) * part.lanes();
        self.temporary(format!("getelementptr i8, ptr %check.data, i64 {}", component as u32 * bytes))
    }
}
