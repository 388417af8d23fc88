//! Calls of the runtime: once per active work-item, in the order of lanes; clocks once for a vector.

use super::emit::Emit;
use super::operand::{Operand, lane_name};
use crate::error::Result;
use crate::ir::*;
use crate::native::{context, runtime};
use std::fmt::Write;

impl Emit<'_> {
    /// Loads the state pointer, the first argument of every runtime call, and the function to call.
    fn runtime_function(&mut self) -> (String, String) {
        let mut field = |offset: usize| {
            let p = self.def(format!("getelementptr i8, ptr %ctx, i64 {offset}"));
            self.def(format!("load ptr, ptr {p}, align 8"))
        };
        (field(context::RUNTIME), field(context::RUNTIME_CALL))
    }

    /// Reads the device's clock.
    pub fn clock(&mut self) -> Operand {
        let (state, function) = self.runtime_function();
        Operand::uniform(
            self.def(format!("call i64 {function}(ptr {state}, i64 {}, ptr null)", runtime::CLOCK)),
        )
    }

    pub fn runtime_call(&mut self, data: &InstData, call: RuntimeCall) -> Result<Operand> {
        let w = self.width;
        let mut operands = Vec::new();
        for arg in &data.args {
            let (ty, val) = (self.func.ty(*arg), self.get(*arg)?);
            let uniform = val.is_uniform();
            let part = if uniform { val.parts[0].clone() } else { self.vectors(ty, &val)[0].clone() };
            operands.push((lane_name(ty), uniform, part));
        }
        if self.made.insert("%runtime.args".into()) {
            let _ = writeln!(self.allocas, "  %runtime.args = alloca [{} x i64], align 8", runtime::MAX_ARGS);
        }
        let (state, function) = self.runtime_function();
        let mask = self.active_text();
        let bits = self.def(format!("bitcast <{w} x i1> {mask} to i{w}"));
        let [body, done] = ["call", "called"].map(|l| self.new_label(l));
        let before = self.enter_block();
        self.line(format!("br label %{body}"));
        self.start(&body);
        let (left, rest) = (self.fresh(), self.fresh());
        self.line(format!("{left} = phi i{w} [ {bits}, %{before} ], [ {rest}, %{body} ]"));
        let result = data.results.first().map(|r| lane_name(self.func.ty(*r)));
        let (got, next) = (self.fresh(), self.fresh());
        if let Some(lane) = result {
            let t = self.ty(lane, true);
            self.line(format!("{got} = phi {t} [ zeroinitializer, %{before} ], [ {next}, %{body} ]"));
        }
        let at = self.def(format!("call i{w} @llvm.cttz.i{w}(i{w} {left}, i1 true)"));
        let index = self.def(format!("zext i{w} {at} to i64"));
        for (i, (lane, uniform, part)) in operands.iter().enumerate() {
            let one = match uniform {
                true => part.clone(),
                false => self.def(format!("extractelement <{w} x {lane}> {part}, i64 {index}")),
            };
            let word = match *lane {
                "i64" => one,
                "ptr" => self.def(format!("ptrtoint ptr {one} to i64")),
                lane => self.def(format!("zext {lane} {one} to i64")),
            };
            let to = self.def(format!("getelementptr i64, ptr %runtime.args, i64 {i}"));
            self.line(format!("store i64 {word}, ptr {to}, align 8"));
        }
        let word =
            self.def(format!("call i64 {function}(ptr {state}, i64 {}, ptr %runtime.args)", call.number()));
        if let Some(lane) = result {
            let t = self.ty(lane, true);
            let one = if lane == "i64" { word } else { self.def(format!("trunc i64 {word} to {lane}")) };
            self.line(format!("{next} = insertelement {t} {got}, {lane} {one}, i64 {index}"));
        }
        let less = self.def(format!("sub i{w} {left}, 1"));
        self.line(format!("{rest} = and i{w} {left}, {less}"));
        let more = self.def(format!("icmp ne i{w} {rest}, 0"));
        self.line(format!("br i1 {more}, label %{body}, label %{done}"));
        self.start(&done);
        Ok(if result.is_some() { Operand::varying(vec![next]) } else { Operand::uniform("0") })
    }
}
