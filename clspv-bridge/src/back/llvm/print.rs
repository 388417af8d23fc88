//! The text of a function: parameters, the values of the launch, blocks.

use super::names::{constant_text, type_name};
use crate::back::native::{NativeFunction, Program};
use crate::error::Result;
use crate::ir::*;
use crate::metadata::ArgKind;
use crate::native::{check, context};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// State of a function's printing.
pub(super) struct Print<'a> {
    pub program: &'a Program<'a>,
    pub func: &'a Function,
    pub shape: VectorShape,
    /// Offsets of private variables in the frame.
    pub slots: Vec<u32>,
    pub text: String,
    names: u32,
    /// Values that have other names than their own.
    aliases: FxHashMap<Value, String>,
}

/// The text of a function.
pub(super) fn function(program: &Program<'_>, function: &NativeFunction<'_>) -> Result<String> {
    let NativeFunction { func, shape, name } = function;
    let start = func.frame.map_or(0, |frame| frame.start);
    let mut p = Print {
        program,
        func,
        shape: *shape,
        slots: crate::passes::native::regions::slot_offsets(func, start),
        text: String::new(),
        names: 0,
        aliases: FxHashMap::default(),
    };
    match func.kernel {
        Some(_) => p.kernel_head(name),
        None => p.function_head(name),
    }
    p.blocks()?;
    p.text.push_str("}\n\n");
    Ok(p.text)
}

impl Print<'_> {
    pub fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "  {}", text.as_ref());
    }
    /// Defines a fresh name.
    pub fn temporary(&mut self, text: impl AsRef<str>) -> String {
        self.names += 1;
        let name = format!("%t{}", self.names);
        self.line(format!("{name} = {}", text.as_ref()));
        name
    }
    /// Defines a value.
    pub fn define(&mut self, v: Value, text: impl AsRef<str>) {
        self.line(format!("%{v} = {}", text.as_ref()));
    }
    pub fn alias(&mut self, v: Value, name: impl Into<String>) {
        self.aliases.insert(v, name.into());
    }
    pub fn name(&self, v: Value) -> String {
        match &self.func.values[v].def {
            ValueDef::Const(constant) => constant_text(constant),
            _ => self.aliases.get(&v).cloned().unwrap_or_else(|| format!("%{v}")),
        }
    }
    pub fn ty(&self, v: Value) -> String {
        type_name(self.func.ty(v))
    }
    /// A value with its type.
    pub fn typed(&self, v: Value) -> String {
        format!("{} {}", self.ty(v), self.name(v))
    }

    /// Loads the values of the launch that all functions need.
    fn fields(&mut self) {
        for (name, offset) in [
            ("args", context::ARGS),
            ("local", context::LOCAL),
            ("scratch", context::SCRATCH),
            ("print", context::PRINT),
            ("data", context::DATA),
        ] {
            self.field(name, "ptr", offset);
        }
        if self.program.instrumented {
            self.field("check", "ptr", context::CHECK);
            self.field("check.access", "ptr", context::CHECK_ACCESS);
            self.field("check.order", "ptr", context::CHECK_ORDER);
        }
        self.field("local.bytes", "i64", context::LOCAL_BYTES);
        self.field("scratch.bytes", "i64", context::SCRATCH_BYTES);
        self.field("no.stream", "i64", context::NO_STREAM);
        self.field("printf.base", "i32", context::PRINTF_BASE);
        self.field("work.dim", "i32", context::WORK_DIM);
    }

    fn field(&mut self, name: &str, ty: &str, offset: usize) {
        self.line(format!("%{name}.p = getelementptr i8, ptr %ctx, i64 {offset}"));
        self.line(format!("%{name} = load {ty}, ptr %{name}.p, align 4, !invariant.load !0"));
    }

    /// Variables on the stack for calls of the runtime.
    fn allocas(&mut self) {
        let insts = || self.func.layout.iter().flat_map(|b| &self.func.blocks[*b].insts);
        if insts().any(|i| matches!(self.func.insts[*i].op, Op::Runtime(_))) {
            let words = crate::native::runtime::MAX_ARGS;
            self.line(format!("%runtime.args = alloca [{words} x i64], align 8"));
        }
        if self.program.instrumented {
            let w = u32::from(self.shape.width);
            self.line(format!("%check.at = alloca [{w} x i64], align 64"));
            self.line(format!("%check.data = alloca [{} x i64], align 64", w * 16));
            if self.func.kernel.is_some() {
                self.line("%check.position = alloca [4 x i64], align 8");
            }
        }
    }

    fn kernel_head(&mut self, name: &str) {
        let _ = writeln!(
            self.text,
            "define void @{name}(ptr noalias nocapture readonly align 8 %ctx) #0 {{\nentry:"
        );
        self.allocas();
        self.fields();
        for (name, offset) in [
            ("size", context::LOCAL_SIZE),
            ("enqueued", context::ENQUEUED_LOCAL_SIZE),
            ("group", context::GROUP_ID),
            ("groups", context::NUM_GROUPS),
            ("gsize", context::GLOBAL_SIZE),
            ("offset", context::GLOBAL_OFFSET),
        ] {
            for d in 0..3 {
                self.field(&format!("{name}{d}"), "i64", offset + 8 * d);
            }
        }
        let params = self.params();
        for (index, p) in params.into_iter().enumerate() {
            self.kernel_param(index, p);
        }
        self.enter();
    }

    fn params(&self) -> Vec<Value> {
        self.func.entry().map(|b| self.func.blocks[b].params.clone()).unwrap_or_default()
    }

    fn enter(&mut self) {
        if let Some(entry) = self.func.entry() {
            self.line(format!("br label %{entry}"));
        }
    }

    fn kernel_param(&mut self, index: usize, p: Value) {
        let Some(arg) = self.program.info.args.get(index) else { return };
        if arg.kind != ArgKind::LocalPtr {
            return self.argument(p, arg.offset);
        }
        let word = self.program.local_args.iter().find(|(a, _)| usize::from(*a) == index);
        let word = word.map_or(0, |(_, word)| *word);
        let at = self.temporary(format!("getelementptr i8, ptr %args, i64 {word}"));
        let at = self.temporary(format!("load i64, ptr {at}, align 8, !invariant.load !0"));
        self.define(p, format!("getelementptr i8, ptr %local, i64 {at}"));
    }

    /// Loads a value from the argument block, by lanes.
    pub fn argument(&mut self, v: Value, offset: u32) {
        let ty = self.func.ty(v);
        let bytes = ty.lane().access_bytes().unwrap_or(8);
        let lane = type_name(ty.lane());
        let mut all = String::from("poison");
        for i in 0..ty.lanes() {
            let at = offset + i * bytes;
            let p = self.temporary(format!("getelementptr i8, ptr %args, i64 {at}"));
            // Boolean arguments take a byte.
            let load = if lane == "i1" {
                let byte = self.temporary(format!("load i8, ptr {p}, align 1, !invariant.load !0"));
                format!("trunc i8 {byte} to i1")
            } else {
                let align = if at.is_multiple_of(bytes) { bytes } else { 1 };
                format!("load {lane}, ptr {p}, align {align}, !invariant.load !0")
            };
            if ty.lanes() == 1 {
                return self.define(v, load);
            }
            let one = self.temporary(load);
            let insert = format!("insertelement {} {all}, {lane} {one}, i64 {i}", type_name(ty));
            if i + 1 == ty.lanes() {
                return self.define(v, insert);
            }
            all = self.temporary(insert);
        }
    }

    /// The type of a function's result.
    pub fn result(types: &[Type]) -> String {
        match types {
            [] => "void".into(),
            types => {
                format!("{{ {} }}", types.iter().map(|ty| type_name(*ty)).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn function_head(&mut self, name: &str) {
        let result = Self::result(&self.func.sig.results);
        let params = self.params();
        let mut params = params.iter().map(|p| self.typed(*p));
        let mask = params.next().unwrap_or_default();
        let position = if self.program.instrumented { ", ptr %check.position" } else { "" };
        let rest: String = params.map(|p| format!(", {p}")).collect();
        let _ = writeln!(
            self.text,
            "define internal {result} @{name}(ptr noalias nocapture readonly align 8 %ctx, {mask}{position}{rest}) \
             noinline #0 {{\nentry:"
        );
        self.allocas();
        self.fields();
        let frame = self.func.frame.unwrap_or(Frame { start: 0, end: 64, per_vector: false });
        if self.program.instrumented {
            let p = self.temporary(format!("getelementptr i64, ptr %check.position, i64 {}", check::FRAME));
            self.line(format!("%frame = load ptr, ptr {p}, align 8"));
            if !self.func.slots.is_empty() {
                self.check_start(frame.start, frame.end);
            }
        } else {
            self.line(format!("%frame = alloca i8, i64 {}, align 64", frame.end));
        }
        self.enter();
    }

    fn blocks(&mut self) -> Result<()> {
        let func = self.func;
        let mut edges: FxHashMap<Block, Vec<(Block, &BlockCall)>> = FxHashMap::default();
        for &b in &func.layout {
            func.successors(b).iter().for_each(|t| edges.entry(t.block).or_default().push((b, t)));
        }
        for (n, &block) in func.layout.iter().enumerate() {
            let _ = writeln!(self.text, "{block}:");
            let params = if n == 0 { &[][..] } else { func.blocks[block].params.as_slice() };
            for (i, p) in params.iter().enumerate() {
                let incoming = edges.get(&block).map(Vec::as_slice).unwrap_or_default().iter();
                let incoming: Vec<String> = incoming
                    .map(|(from, call)| format!("[ {}, %{from} ]", self.name(call.args[i])))
                    .collect();
                self.define(*p, format!("phi {} {}", self.ty(*p), incoming.join(", ")));
            }
            for inst in &func.blocks[block].insts {
                self.operation(&func.insts[*inst])?;
            }
        }
        Ok(())
    }

    pub fn terminator(&mut self, data: &InstData) {
        let label = |t: &BlockCall| format!("label %{}", t.block);
        match &data.op {
            Op::Jump => self.line(format!("br {}", label(&data.targets[0]))),
            Op::BrIf => {
                let on = self.name(data.args[0]);
                self.line(format!("br i1 {on}, {}, {}", label(&data.targets[0]), label(&data.targets[1])));
            }
            Op::Switch(cases) => {
                let ty = self.func.ty(data.args[0]);
                let mut text = String::new();
                for (case, target) in cases.iter().zip(data.targets.iter().skip(1)) {
                    let case = super::names::splat_text(ty, *case);
                    let _ = write!(text, " {} {case}, {}", type_name(ty), label(target));
                }
                let on = self.typed(data.args[0]);
                self.line(format!("switch {on}, {} [{text} ]", label(&data.targets[0])));
            }
            Op::Return if data.args.is_empty() => self.line("ret void"),
            Op::Return => {
                let types: Vec<Type> = data.args.iter().map(|a| self.func.ty(*a)).collect();
                let result = Self::result(&types);
                let mut all = String::from("poison");
                for (i, a) in data.args.iter().enumerate() {
                    all = self.temporary(format!("insertvalue {result} {all}, {}, {i}", self.typed(*a)));
                }
                self.line(format!("ret {result} {all}"));
            }
            _ => self.line("unreachable"),
        }
    }
}
