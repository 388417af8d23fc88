//! Instrumented code: accesses and what orders them become calls of the runtime ([`crate::native::check`]),
//! and the locations of variables are recorded for its reports.

use super::calls::Entry;
use super::emit::Emit;
use super::operand::{Operand, OperandKind, lane_name};
use crate::analysis::uniformity::slot_bytes;
use crate::error::Result;
use crate::ir::*;
use crate::native::{VariableLocation, VariableLocations, check};
use crate::passes::lower::globals::DataLayout;
use std::collections::HashMap;
use std::fmt::Write;

/// Locations of a function's private variables.
pub fn private_locations(func: &Function, slots: &HashMap<Slot, u32>) -> Vec<VariableLocation> {
    let location = |(s, at): (&Slot, &u32)| {
        let d = &func.slots[*s];
        VariableLocation { name: String::new(), offset: *at, size: d.size, stride: slot_bytes(d) }
    };
    slots.iter().map(location).collect()
}

/// Locations of a kernel's variables. `private` lists those of its own and of the functions that it calls.
pub fn variable_locations(
    module: &Module,
    data: &DataLayout,
    local: &HashMap<Global, u32>,
    private: Vec<VariableLocation>,
) -> VariableLocations {
    let global = |g: Global, offset: u32| {
        let d = &module.globals[g];
        VariableLocation { name: d.name.clone(), offset, size: d.size, stride: 0 }
    };
    let mut found = VariableLocations {
        local: local.iter().map(|(g, at)| global(*g, *at)).collect(),
        private,
        program: module.globals.keys().filter_map(|g| data.offset(g).map(|at| global(g, at))).collect(),
    };
    for list in [&mut found.local, &mut found.private, &mut found.program] {
        list.sort_by_key(|p| p.offset);
    }
    found
}

impl Emit<'_> {
    /// Declares the variables that calls receive pointers to.
    pub fn check_variables(&mut self) {
        let w = self.width;
        let _ = writeln!(self.allocas, "  %check.at = alloca [{w} x i64], align 64");
        let _ = writeln!(self.allocas, "  %check.data = alloca [{} x i64], align 64", w * 16);
        if self.r.entry == Entry::Kernel {
            let _ = writeln!(self.allocas, "  %check.position = alloca [4 x i64], align 8");
        }
    }

    /// Reports that the private variables in the function's part of the frame, which ends at `end`, are
    /// uninitialised.
    fn check_start(&self, end: u32) -> String {
        let range = u64::from(end) << 32 | u64::from(self.r.frame_base);
        format!(
            "  call void %check.order(ptr %check, i64 {}, i64 {range}, ptr %check.position)\n",
            check::START
        )
    }

    /// The start of a function.
    pub fn check_entered(&self, end: u32) -> String {
        let n = self.regions;
        let mut text =
            format!("  %check.frame.{n} = getelementptr i64, ptr %check.position, i64 {}\n", check::FRAME);
        let _ = writeln!(text, "  %frame.{n} = load ptr, ptr %check.frame.{n}, align 8");
        if !self.slots.is_empty() {
            text.push_str(&self.check_start(end));
        }
        text
    }

    /// Stores the position of the open region. The only region of a kernel without barriers also starts its
    /// work-items.
    pub fn check_position(&self, end: u32) -> String {
        let n = self.regions;
        let mut text = String::new();
        let mut put = |name: &str, at: usize, ty: &str, value: String| {
            let _ = writeln!(text, "  %check.{name}.{n} = getelementptr i64, ptr %check.position, i64 {at}");
            let _ = writeln!(text, "  store {ty} {value}, ptr %check.{name}.{n}, align 8");
        };
        put("x", check::VECTOR, "i64", format!("%x.{n}"));
        let line = |name: &str| if self.r.linear { "0".into() } else { format!("%{name}.{n}") };
        put("y", check::Y, "i64", line("y"));
        put("z", check::Z, "i64", line("z"));
        put("frame", check::FRAME, "ptr", format!("%frame.{n}"));
        if !self.r.has_barrier {
            text.push_str(&self.check_start(end));
        }
        text
    }

    /// The active lanes as a bit mask.
    fn check_mask(&mut self) -> String {
        let w = self.width;
        match self.active() {
            None => format!("{}", (1u64 << w) - 1),
            Some(mask) => {
                let bits = self.def(format!("bitcast <{w} x i1> {mask} to i{w}"));
                self.def(format!("zext i{w} {bits} to i64"))
            }
        }
    }

    /// Calls the runtime for an access; `uniform` if all lanes have one address.
    fn check_access(&mut self, data: &InstData, p: &Operand, uniform: bool, what: u64) {
        if uniform {
            self.line(format!("store ptr {}, ptr %check.at, align 64", p.parts[0]));
        } else {
            let all = self.vectors(Type::Ptr(Space::Global), p)[0].clone();
            self.line(format!("store <{} x ptr> {all}, ptr %check.at, align 64", self.width));
        }
        let mask = self.check_mask();
        let what = if uniform { what | check::UNIFORM } else { what };
        self.line(format!(
            "call void %check.access(ptr %check, ptr %check.at, ptr %check.data, i64 {mask}, i64 {what}, i32 {}, ptr %check.position)",
            data.line
        ));
    }

    fn check_data(&mut self, component: u32, bytes: u32, uniform: bool) -> String {
        let at = component * bytes * if uniform { 1 } else { self.width };
        self.def(format!("getelementptr i8, ptr %check.data, i64 {at}"))
    }

    /// Emits a call of the runtime for an access or for what orders accesses.
    pub fn check(&mut self, data: &InstData, check: &CheckOp, ty: Type) -> Result<Operand> {
        match check {
            CheckOp::Load { access, demanded } => self.instrumented_load(data, access, *demanded, ty),
            CheckOp::Store(access) => self.instrumented_store(data, access),
            CheckOp::Address { what } => {
                let p = self.get(data.args[0])?;
                self.check_access(data, &p, false, *what);
                let all = self.def(format!("load <{} x ptr>, ptr %check.at, align 64", self.width));
                Ok(Operand::varying(vec![all]))
            }
            CheckOp::Order { what } => {
                let mask = if what & check::FENCE != 0 { self.check_mask() } else { "-1".into() };
                self.line(format!(
                    "call void %check.order(ptr %check, i64 {what}, i64 {mask}, ptr %check.position)"
                ));
                Ok(Operand::uniform("0"))
            }
        }
    }

    fn instrumented_load(
        &mut self,
        data: &InstData,
        access: &Access,
        demanded: u16,
        ty: Type,
    ) -> Result<Operand> {
        let p = self.get(data.args[0])?;
        let (n, bytes, lane) = (ty.lanes(), ty.lane().access_bytes().unwrap_or(8), lane_name(ty));
        let uniform = p.is_uniform();
        self.check_access(data, &p, uniform, check::access_flags(access, ty, demanded));
        let t = self.ty(lane, !uniform);
        let parts = (0..n)
            .map(|i| {
                let from = self.check_data(i, bytes, uniform);
                self.def(format!("load {t}, ptr {from}, align 1"))
            })
            .collect();
        Ok(Operand { kind: if uniform { OperandKind::Uniform } else { OperandKind::Varying }, parts })
    }

    fn instrumented_store(&mut self, data: &InstData, access: &Access) -> Result<Operand> {
        let (v, p) = (self.get(data.args[0])?, self.get(data.args[1])?);
        let ty = self.func.ty(data.args[0]);
        let (n, bytes, lane) = (ty.lanes(), ty.lane().access_bytes().unwrap_or(8), lane_name(ty));
        let uniform = p.is_uniform() && v.is_uniform();
        let parts = if uniform { v.parts.clone() } else { self.vectors(ty, &v) };
        let t = self.ty(lane, !uniform);
        for (i, part) in (0..n).zip(parts) {
            let to = self.check_data(i, bytes, uniform);
            self.line(format!("store {t} {part}, ptr {to}, align 1"));
        }
        self.check_access(data, &p, uniform, check::STORE | check::access_flags(access, ty, 0));
        Ok(Operand::uniform("0"))
    }
}
