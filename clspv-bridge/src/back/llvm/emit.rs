//! The text of one work-group function: control flow, masks, and what lives across barriers.
//!
//! The work-items of a group are computed in vectors of [`Emit::width`] neighbours. Code between barriers is a *run*: loops
//! over the group's vectors. Control flow that is the same for all work-items of a vector stays control flow; where they part,
//! both ways are taken under masks, each skipped when no work-item takes it. So code is only reached by vectors with an active
//! work-item. Constructs with barriers in them ([`super::tree::Select::is_split`]) are control flow between runs.
//!
//! Parameters of blocks and masks of joins are variables on the stack, which LLVM makes registers of; what is used in several
//! runs lies in scratch memory, a record for each vector. Which values those are is known after the text has been made once, so it
//! is made twice.

use super::calls::Entry;
use super::shape::{Shape, Shapes, slot_bytes};
use super::tree::{Node, Seq};
use super::value::{Val, ValKind, lane_name, literal};
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::KernelInfo;
use crate::native::context;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

/// Stands in a text for the bytes of a vector's record.
pub const RECORD: &str = "@RECORD@";

/// What is kept in scratch memory: found by the first pass, used by the second.
#[derive(Default, Clone)]
pub struct Plan {
    pub(super) values: BTreeMap<Value, ()>,
    pub(super) masks: BTreeMap<usize, ()>,
    variables: BTreeMap<String, ()>,
    /// Values that are used where the text that defines them may have been skipped.
    skipped: BTreeMap<Value, ()>,
}

/// What a function is made for.
pub struct Request<'a> {
    pub func: &'a Function,
    pub entry: Entry,
    /// Makes the module's symbols unique.
    pub number: usize,
    pub info: &'a KernelInfo,
    pub shapes: &'a Shapes,
    pub tree: &'a Seq,
    pub data: &'a crate::passes::lower_globals::DataLayout,
    pub local: &'a HashMap<Global, u32>,
    /// Offsets in the argument block of the words for local arguments.
    pub local_args: &'a [(u16, u32)],
    pub width: u32,
    /// Groups consist of whole vectors.
    pub whole: bool,
    pub linear: bool,
    /// There are barriers.
    pub split: bool,
    /// For checked code: what of each load matters.
    pub wanted: Option<&'a HashMap<Value, u16>>,
    /// Where the function's part of the vector's record begins.
    pub record: u32,
    /// Addresses of stores that may go past the caches.
    pub streams: Option<&'a HashSet<Value>>,
}

/// The text being made.
pub struct Emit<'a> {
    pub r: Request<'a>,
    pub func: &'a Function,
    pub width: u32,
    /// Finished text; variables of the function; the run that is open.
    out: String,
    pub(super) allocas: String,
    pub(super) run: Run,
    pub(super) open: bool,
    pub(super) runs: u32,
    pub(super) names: u32,
    /// Values with the run and the scope they are defined in.
    values: HashMap<Value, (u32, u32, Val)>,
    /// Parts of the text that may be skipped, from the outermost to the current one.
    pub(super) scopes: Vec<u32>,
    masks: Vec<(u32, String)>,
    pub mask: usize,
    pub(super) targets: HashMap<Block, Target>,
    /// Blocks to which several edges go; those of constructs that are split.
    joins: HashSet<Block>,
    pub(super) split_joins: HashSet<Block>,
    plan: Plan,
    found: Plan,
    /// Runs in which each variable is used.
    touched: HashMap<String, u32>,
    pub(super) made: HashSet<String>,
    record: u32,
    places: HashMap<String, u32>,
    pub slots: HashMap<Slot, u32>,
    /// Vectors made of scalars, by scalar and block of the text.
    pub splats: HashMap<(String, u32), String>,
    /// Number of the block of the text.
    pub block: u32,
    /// Bytes of a work-item that may go past the caches.
    pub stream_bytes: u32,
}

/// Code between barriers.
#[derive(Default)]
pub(super) struct Run {
    /// Before the loops, at the start of an iteration, and after it.
    pub pre: String,
    prologue: String,
    body: String,
    restored: HashMap<Value, Val>,
    masks: HashMap<usize, String>,
    places: HashMap<String, String>,
    guard: Option<String>,
}

/// A block that edges may go to.
pub(super) struct Target {
    pub label: String,
    pub masked: bool,
    /// Loop header whose mask variable is set by edges.
    pub keeps_mask: Option<String>,
    pub split: bool,
    /// Of the innermost loop around.
    pub is_header: bool,
}

/// What became of a function's text.
pub struct Text {
    pub text: String,
    /// Where its part of the vector's record ends.
    pub record: u32,
    /// Private variables' offsets in the record.
    pub slots: HashMap<Slot, u32>,
    pub stream_bytes: u32,
}

impl<'a> Emit<'a> {
    /// Makes the text of a function.
    pub fn function(name: &str, request: impl Fn() -> Request<'a>) -> Result<Text> {
        let mut plan = Plan::default();
        for _ in 0..4 {
            let mut e = Emit::new(request(), plan.clone());
            e.body()?;
            let same = |a: &Plan, b: &Plan| {
                a.values == b.values
                    && a.masks == b.masks
                    && a.variables == b.variables
                    && a.skipped == b.skipped
            };
            let mut next = e.found.clone();
            next.values.extend(plan.values.clone());
            next.masks.extend(plan.masks.clone());
            next.variables.extend(plan.variables.clone());
            next.skipped.extend(plan.skipped.clone());
            if same(&next, &plan) {
                return Ok(e.finish(name));
            }
            plan = next;
        }
        Err(CompileError::internal("the plan of saved values does not settle"))
    }

    fn new(r: Request<'a>, plan: Plan) -> Emit<'a> {
        let merges = |b: &Block| match r.func.blocks[*b].merge {
            Some(Merge::Selection { merge }) => vec![merge],
            Some(Merge::Loop { merge, cont }) => vec![merge, cont, *b],
            None => vec![],
        };
        let joins = r.func.layout.iter().flat_map(merges).collect();
        let mut split_joins = HashSet::new();
        find_split(r.tree, &mut split_joins);
        let record = r.record;
        Emit {
            func: r.func,
            width: r.width,
            r,
            out: String::new(),
            allocas: String::new(),
            run: Run::default(),
            open: false,
            runs: 0,
            names: 0,
            values: HashMap::new(),
            scopes: vec![0],
            masks: vec![(0, String::new())],
            mask: 0,
            targets: HashMap::new(),
            joins,
            split_joins,
            plan,
            found: Plan::default(),
            touched: HashMap::new(),
            made: HashSet::new(),
            record,
            places: HashMap::new(),
            slots: HashMap::new(),
            splats: HashMap::new(),
            block: 0,
            stream_bytes: 0,
        }
    }

    fn body(&mut self) -> Result<()> {
        for (slot, data) in self.func.slots.iter() {
            let at = self.place(&format!("slot {slot}"), slot_bytes(data) * self.width, data.align.max(64));
            self.slots.insert(slot, at);
        }
        let tree = self.r.tree;
        if self.r.wanted.is_some() {
            self.check_variables();
        }
        if !self.r.split {
            self.open_run();
        }
        self.seq(tree)?;
        if let Entry::Function(varying) = self.r.entry {
            self.open_run();
            self.give_back(varying)?;
        }
        self.close_run();
        Ok(())
    }

    fn finish(self, name: &str) -> Text {
        let record = self.record.next_multiple_of(64).max(64);
        let mut text = match self.r.entry {
            Entry::Kernel => {
                format!("define void @{name}(ptr noalias nocapture readonly align 8 %ctx) #0 {{\nentry:\n")
            }
            Entry::Function(varying) => self.head(name, varying),
        };
        text.push_str(&self.allocas);
        let field = |text: &mut String, name: &str, ty: &str, offset: usize| {
            let _ = writeln!(text, "  %{name}.p = getelementptr i8, ptr %ctx, i64 {offset}");
            let _ = writeln!(text, "  %{name} = load {ty}, ptr %{name}.p, align 4, !invariant.load !0");
        };
        for (name, offset) in [
            ("args", context::ARGS),
            ("local", context::LOCAL),
            ("scratch", context::SCRATCH),
            ("print", context::PRINT),
            ("data", context::DATA),
        ] {
            field(&mut text, name, "ptr", offset);
        }
        if self.r.wanted.is_some() {
            field(&mut text, "check", "ptr", context::CHECK);
            field(&mut text, "check.access", "ptr", context::CHECK_ACCESS);
            field(&mut text, "check.order", "ptr", context::CHECK_ORDER);
        }
        field(&mut text, "local.bytes", "i64", context::LOCAL_BYTES);
        field(&mut text, "scratch.bytes", "i64", context::SCRATCH_BYTES);
        if self.stream_bytes != 0 {
            field(&mut text, "no.stream", "i64", context::NO_STREAM);
        }
        field(&mut text, "printf.base", "i32", context::PRINTF_BASE);
        field(&mut text, "work.dim", "i32", context::WORK_DIM);
        if self.r.entry != Entry::Kernel {
            text.push_str(&self.out.replace(RECORD, &record.to_string()));
            text.push_str("}\n\n");
            return Text { text, record, slots: self.slots, stream_bytes: 0 };
        }
        for (name, offset) in [
            ("size", context::LOCAL_SIZE),
            ("enqueued", context::ENQUEUED_LOCAL_SIZE),
            ("group", context::GROUP_ID),
            ("groups", context::NUM_GROUPS),
            ("gsize", context::GLOBAL_SIZE),
            ("offset", context::GLOBAL_OFFSET),
        ] {
            for d in 0..3 {
                field(&mut text, &format!("{name}{d}"), "i64", offset + 8 * d);
            }
        }
        for d in 0..3 {
            let size = match self.r.info.reqd_work_group_size {
                Some(size) if self.r.whole => size[d].to_string(),
                _ => format!("%size{d}"),
            };
            let _ = writeln!(text, "  %ls{d} = add i64 {size}, 0");
            let _ = writeln!(
                text,
                "  %first{d}.m = mul i64 %group{d}, %enqueued{d}\n  %first{d} = add i64 %first{d}.m, %offset{d}"
            );
        }
        let _ = writeln!(text, "  %plane = mul i64 %ls0, %ls1\n  %total = mul i64 %plane, %ls2");
        let line = if self.r.linear { "%total" } else { "%ls0" };
        let _ = writeln!(text, "  %up = add i64 {line}, {}", if self.r.whole { 0 } else { self.width - 1 });
        let _ = writeln!(text, "  %vectors = udiv i64 %up, {}", self.width);
        // Functions that checked code calls have their parts behind this one.
        match self.r.wanted {
            Some(_) => text.push_str(&self.out),
            None => text.push_str(&self.out.replace(RECORD, &record.to_string())),
        }
        text.push_str("  ret void\n}\n\n");
        Text { text, record, slots: self.slots, stream_bytes: self.stream_bytes }
    }

    // Text.

    /// A name that is not in use.
    pub fn fresh(&mut self) -> String {
        self.names += 1;
        format!("%t{}", self.names)
    }
    pub(super) fn fresh_label(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}{}", self.names)
    }
    pub fn line(&mut self, text: impl AsRef<str>) {
        let to = if self.open { &mut self.run.body } else { &mut self.out };
        let _ = writeln!(to, "  {}", text.as_ref());
    }
    /// Defines a fresh name.
    pub fn def(&mut self, text: impl AsRef<str>) -> String {
        let name = self.fresh();
        self.line(format!("{name} = {}", text.as_ref()));
        name
    }
    pub fn start(&mut self, label: &str) {
        let to = if self.open { &mut self.run.body } else { &mut self.out };
        let _ = writeln!(to, "{label}:");
        self.block += 1;
    }
    pub fn new_label(&mut self, what: &str) -> String {
        self.fresh_label(what)
    }
    fn prologue(&mut self, text: impl AsRef<str>) -> String {
        let name = self.fresh();
        let _ = writeln!(self.run.prologue, "  {name} = {}", text.as_ref());
        name
    }

    /// Defines a name before the open run's loops.
    fn early(&mut self, text: String) -> String {
        let name = self.fresh();
        let _ = writeln!(self.run.pre, "  {name} = {text}");
        name
    }

    // Runs.

    pub(super) fn open_run(&mut self) {
        if self.open {
            return;
        }
        self.runs += 1;
        self.run = Run::default();
        self.open = true;
        self.block += 1;
        let n = self.runs;
        if self.r.entry != Entry::Kernel {
            self.run.prologue = match self.r.wanted {
                Some(_) => self.check_entered(self.record),
                None => format!("  %record.{n} = alloca i8, i64 {RECORD}, align 64\n"),
            };
            return;
        }
        let record = if self.r.split { "%vector" } else { "%none" };
        let mut p = String::new();
        let w = self.width;
        if self.r.linear {
            let _ = writeln!(p, "  %vector.{n} = add i64 %x.{n}, 0");
        } else {
            let _ = writeln!(p, "  %row.{n} = mul i64 %z.{n}, %ls1\n  %line.{n} = add i64 %row.{n}, %y.{n}");
            let _ = writeln!(
                p,
                "  %before.{n} = mul i64 %line.{n}, %vectors\n  %vector.{n} = add i64 %before.{n}, %x.{n}"
            );
        }
        let _ = writeln!(p, "  %none.{n} = add i64 0, 0\n  %base.{n} = mul nuw nsw i64 %x.{n}, {w}");
        let _ = writeln!(
            p,
            "  %at.{n} = mul i64 {record}.{n}, {RECORD}\n  %record.{n} = getelementptr i8, ptr %scratch, i64 %at.{n}"
        );
        if !self.r.whole {
            let line = if self.r.linear { "%total" } else { "%ls0" };
            let _ = writeln!(p, "  %rest.{n} = sub i64 {line}, %base.{n}");
            let _ = writeln!(
                p,
                "  %most.{n} = call i64 @llvm.umin.i64(i64 %rest.{n}, i64 {w})\n  %rest32.{n} = trunc i64 %most.{n} to i32"
            );
            let _ = writeln!(p, "  %rest1.{n} = insertelement <{w} x i32> poison, i32 %rest32.{n}, i64 0");
            let _ = writeln!(
                p,
                "  %restv.{n} = shufflevector <{w} x i32> %rest1.{n}, <{w} x i32> poison, <{w} x i32> zeroinitializer"
            );
            let _ = writeln!(p, "  %tail.{n} = icmp ult <{w} x i32> {}, %restv.{n}", self.steps("i32", 1));
        }
        self.run.prologue = p;
        if self.r.wanted.is_some() {
            let text = self.check_place(self.record);
            self.run.prologue.push_str(&text);
        }
        if self.mask != 0
            && let Some(mask) = self.mask_name(self.mask)
        {
            let bits = self.prologue(format!("bitcast <{w} x i1> {mask} to i{w}"));
            let any = self.prologue(format!("icmp ne i{w} {bits}, 0"));
            self.run.guard = Some(any);
        }
    }

    pub(super) fn close_run(&mut self) {
        if !self.open {
            return;
        }
        self.open = false;
        let n = self.runs;
        let run = std::mem::take(&mut self.run);
        if self.r.entry != Entry::Kernel {
            self.out.extend([run.pre, run.prologue, run.body]);
            return;
        }
        let (x, y, z) = (format!("%x.p{n}"), format!("%y.p{n}"), format!("%z.p{n}"));
        for v in [&x, &y, &z] {
            let _ = writeln!(self.allocas, "  {v} = alloca i64, align 8");
        }
        let o = &mut self.out;
        o.push_str(&run.pre);
        if self.r.linear {
            let _ = writeln!(o, "  store i64 0, ptr {x}\n  br label %X.{n}");
        } else {
            let _ = writeln!(o, "  store i64 0, ptr {z}\n  br label %Z.{n}");
            let _ =
                writeln!(o, "Z.{n}:\n  %z.{n} = load i64, ptr {z}\n  %z.c{n} = icmp ult i64 %z.{n}, %ls2");
            let _ = writeln!(
                o,
                "  br i1 %z.c{n}, label %Zb.{n}, label %E.{n}\nZb.{n}:\n  store i64 0, ptr {y}\n  br label %Y.{n}"
            );
            let _ =
                writeln!(o, "Y.{n}:\n  %y.{n} = load i64, ptr {y}\n  %y.c{n} = icmp ult i64 %y.{n}, %ls1");
            let _ = writeln!(
                o,
                "  br i1 %y.c{n}, label %Yb.{n}, label %Ze.{n}\nYb.{n}:\n  store i64 0, ptr {x}\n  br label %X.{n}"
            );
        }
        let end = if self.r.linear { "E" } else { "Ye" };
        let _ =
            writeln!(o, "X.{n}:\n  %x.{n} = load i64, ptr {x}\n  %x.c{n} = icmp ult i64 %x.{n}, %vectors");
        let _ = writeln!(o, "  br i1 %x.c{n}, label %Xb.{n}, label %{end}.{n}\nXb.{n}:");
        o.push_str(&run.prologue);
        match &run.guard {
            Some(any) => {
                let _ = writeln!(o, "  br i1 {any}, label %B.{n}, label %N.{n}\nB.{n}:");
            }
            None => {
                let _ = writeln!(o, "  br label %B.{n}\nB.{n}:");
            }
        }
        o.push_str(&run.body);
        let _ = writeln!(
            o,
            "  br label %N.{n}\nN.{n}:\n  %x.n{n} = add nuw nsw i64 %x.{n}, 1\n  store i64 %x.n{n}, ptr {x}\n  br label %X.{n}"
        );
        if !self.r.linear {
            let _ = writeln!(
                o,
                "Ye.{n}:\n  %y.n{n} = add nuw nsw i64 %y.{n}, 1\n  store i64 %y.n{n}, ptr {y}\n  br label %Y.{n}"
            );
            let _ = writeln!(
                o,
                "Ze.{n}:\n  %z.n{n} = add nuw nsw i64 %z.{n}, 1\n  store i64 %z.n{n}, ptr {z}\n  br label %Z.{n}"
            );
        }
        let _ = writeln!(o, "E.{n}:");
        self.block += 1;
    }

    /// The name of something of the open run's iteration.
    pub fn own(&self, what: &str) -> String {
        format!("%{what}.{}", self.runs)
    }

    // Scratch memory and variables.

    fn place(&mut self, key: &str, bytes: u32, align: u32) -> u32 {
        if let Some(&at) = self.places.get(key) {
            return at;
        }
        let at = self.record.next_multiple_of(align.max(1));
        self.record = at + bytes;
        self.places.insert(key.to_owned(), at);
        at
    }

    /// The address in the vector's record, valid in the open run.
    fn place_address(&mut self, key: &str, bytes: u32) -> String {
        if let Some(p) = self.run.places.get(key) {
            return p.clone();
        }
        let at = self.place(key, bytes, bytes.next_power_of_two().min(64));
        let record = self.own("record");
        let p = self.prologue(format!("getelementptr i8, ptr {record}, i64 {at}"));
        self.run.places.insert(key.to_owned(), p.clone());
        p
    }

    /// The address of a variable of a type in the text. What is the same in the group has one place for all runs.
    fn variable(&mut self, key: &str, ty: &str, bytes: u32, shape: Shape) -> String {
        if shape != Shape::Group {
            let run = self.runs;
            match self.touched.get(key) {
                Some(&first) if first != run => {
                    self.found.variables.insert(key.to_owned(), ());
                }
                _ => {
                    self.touched.insert(key.to_owned(), run);
                }
            }
            if self.plan.variables.contains_key(key) {
                return self.place_address(key, bytes);
            }
        }
        let name = format!("%v.{key}");
        if self.made.insert(name.clone()) {
            let _ = writeln!(
                self.allocas,
                "  {name} = alloca {ty}, align {}",
                bytes.next_power_of_two().clamp(1, 64)
            );
        }
        name
    }

    fn lane_bytes(ty: Type) -> u32 {
        ty.lane().access_bytes().unwrap_or(8)
    }

    /// The variable of a parameter's lane, with its type.
    pub(super) fn param(&mut self, p: Value, lane: usize) -> (String, String) {
        let shape = self.r.shapes.of(p);
        let ty = self.func.ty(p);
        let each = shape == Shape::Varying;
        let text = self.ty(lane_name(ty), each);
        let bytes = Self::lane_bytes(ty) * if each { self.width } else { 1 };
        let address = self.variable(&format!("{p}.{lane}"), &text, bytes, shape);
        (address, text)
    }

    /// Reads a parameter. What is the same in the group and is set between runs is read before the loops over the vectors, for
    /// these may set it anew.
    pub(super) fn load_param(&mut self, p: Value, early: bool) -> Val {
        let shape = self.r.shapes.of(p);
        let parts = (0..self.func.ty(p).lanes() as usize)
            .map(|lane| {
                let (address, ty) = self.param(p, lane);
                let text = format!("load {ty}, ptr {address}");
                if early && shape == Shape::Group { self.early(text) } else { self.def(text) }
            })
            .collect();
        let kind = match shape {
            Shape::Group | Shape::Vector => ValKind::Same,
            Shape::Affine(step) => ValKind::Line { step, guard: None },
            Shape::Varying => ValKind::Each,
        };
        Val { kind, parts }
    }

    // Values.

    /// What a value is in the open run.
    pub fn get(&mut self, v: Value) -> Result<Val> {
        let ty = self.func.ty(v);
        match &self.func.values[v].def {
            ValueDef::Const(Const::Bits(_, bits)) => {
                return Ok(Val {
                    kind: ValKind::Same,
                    parts: bits.iter().map(|b| literal(ty, *b)).collect(),
                });
            }
            ValueDef::Const(Const::Undef(_)) => {
                return Ok(Val { kind: ValKind::Same, parts: vec![literal(ty, 0); ty.lanes() as usize] });
            }
            _ => {}
        }
        if let Some(val) = self.run.restored.get(&v) {
            return Ok(val.clone());
        }
        if let Some((run, scope, val)) = self.values.get(&v)
            && *run == self.runs
        {
            let mut val = val.clone();
            if self.scopes.contains(scope) {
                return Ok(val);
            }
            if matches!(val.kind, ValKind::Line { guard: Some(_), .. }) {
                val.kind = ValKind::Each;
            }
            self.found.skipped.insert(v, ());
            let parts = (0..val.parts.len()).map(|lane| {
                let (name, text) = self.skipped(v, lane, &val);
                self.def(format!("load {text}, ptr {name}"))
            });
            return Ok(Val { parts: parts.collect(), kind: val.kind });
        }
        let val = self.restore(v)?;
        self.run.restored.insert(v, val.clone());
        Ok(val)
    }

    /// Makes a value of an earlier run anew, or loads it.
    fn restore(&mut self, v: Value) -> Result<Val> {
        // Into the prologue, which comes before all uses.
        let body = std::mem::take(&mut self.run.body);
        let splats = std::mem::take(&mut self.splats);
        let result = self.restored(v);
        let made = std::mem::replace(&mut self.run.body, body);
        self.run.prologue.push_str(&made);
        self.splats = splats;
        result
    }

    fn restored(&mut self, v: Value) -> Result<Val> {
        if let ValueDef::Param(block, index) = self.func.values[v].def {
            if self.func.entry() == Some(block) {
                return self.argument(v, index as usize);
            }
            if self.joins(block) {
                return Ok(self.load_param(v, true));
            }
        }
        if let Some(inst) = self.func.def_inst(v) {
            let data = &self.func.insts[inst];
            let cheap = matches!(
                data.op,
                Op::WorkItem { .. }
                    | Op::SlotAddr(_)
                    | Op::GlobalAddr(_)
                    | Op::PushConst { .. }
                    | Op::PrintBuffer
            ) || matches!(
                data.op,
                Op::Cast(CastOp::Trunc | CastOp::Sext | CastOp::Zext | CastOp::PtrCast)
            );
            if cheap {
                return self.operation(inst);
            }
        }
        self.found.values.insert(v, ());
        let Some((_, _, mut val)) = self.values.get(&v).cloned() else {
            return Err(CompileError::internal(format!("{v} is used before it is defined")));
        };
        // It is saved as a vector if its line may bend.
        if matches!(val.kind, ValKind::Line { guard: Some(_), .. }) {
            val.kind = ValKind::Each;
        }
        let each = val.kind == ValKind::Each;
        let ty = self.func.ty(v);
        let text = self.ty(lane_name(ty), each);
        let bytes = Self::lane_bytes(ty) * if each { self.width } else { 1 };
        let shape = if self.r.shapes.of(v) == Shape::Group { Shape::Group } else { Shape::Vector };
        let mut parts = Vec::new();
        for lane in 0..val.parts.len() {
            let address = self.saved(v, lane, &text, bytes, shape);
            let load = format!("load {text}, ptr {address}");
            parts.push(if shape == Shape::Group { self.early(load) } else { self.def(load) });
        }
        Ok(Val { kind: val.kind, parts })
    }

    fn saved(&mut self, v: Value, lane: usize, text: &str, bytes: u32, shape: Shape) -> String {
        let key = format!("s{v}.{lane}");
        if shape == Shape::Group {
            self.variable(&key, text, bytes, shape)
        } else {
            self.place_address(&key, bytes)
        }
    }

    /// The variable of a value's lane that keeps it for code outside of its scope.
    fn skipped(&mut self, v: Value, lane: usize, val: &Val) -> (String, String) {
        let text = self.ty(lane_name(self.func.ty(v)), val.kind == ValKind::Each);
        let name = format!("%k.{v}.{lane}");
        if self.made.insert(name.clone()) {
            let _ = writeln!(self.allocas, "  {name} = alloca {text}");
        }
        (name, text)
    }

    /// Gives a value its operands, and saves it for other runs.
    pub fn bind(&mut self, v: Value, mut val: Val) {
        let ty = self.func.ty(v);
        let (kept, skipped) = (self.plan.values.contains_key(&v), self.plan.skipped.contains_key(&v));
        if (kept || skipped) && matches!(val.kind, ValKind::Line { guard: Some(_), .. }) {
            let parts = self.vectors(ty, &val);
            val = Val::each(parts);
        }
        if skipped {
            for (lane, part) in val.parts.clone().iter().enumerate() {
                let (name, text) = self.skipped(v, lane, &val);
                self.line(format!("store {text} {part}, ptr {name}"));
            }
        }
        if kept {
            let each = val.kind == ValKind::Each;
            let text = self.ty(lane_name(ty), each);
            let bytes = Self::lane_bytes(ty) * if each { self.width } else { 1 };
            let shape = if self.r.shapes.of(v) == Shape::Group { Shape::Group } else { Shape::Vector };
            for (lane, part) in val.parts.clone().iter().enumerate() {
                let address = self.saved(v, lane, &text, bytes, shape);
                self.line(format!("store {text} {part}, ptr {address}"));
            }
        }
        self.define(v, val);
    }
    pub(super) fn define(&mut self, v: Value, val: Val) {
        let scope = self.scopes.last().copied().unwrap_or(0);
        self.values.insert(v, (self.runs, scope, val));
    }
    /// Enters a part of the text that may be skipped.
    pub(super) fn enter_scope(&mut self) {
        self.names += 1;
        self.scopes.push(self.names);
    }

    /// Whether the block's parameters are variables: several edges go there.
    pub(super) fn joins(&self, block: Block) -> bool {
        self.joins.contains(&block)
    }

    // Masks.

    /// The mask's name in the open run; `None` if all work-items of each vector are active.
    pub fn mask_name(&mut self, id: usize) -> Option<String> {
        if id == 0 && self.r.entry != Entry::Kernel {
            return Some("%mask".into());
        }
        if id == 0 {
            return (!self.r.whole).then(|| self.own("tail"));
        }
        let (run, name) = self.masks[id].clone();
        if run == self.runs {
            return Some(name);
        }
        if let Some(name) = self.run.masks.get(&id) {
            return Some(name.clone());
        }
        self.found.masks.insert(id, ());
        let w = self.width;
        let p = self.place_address(&format!("m{id}"), w.div_ceil(8).max(1));
        let name = self.prologue(format!("load <{w} x i1>, ptr {p}"));
        self.run.masks.insert(id, name.clone());
        Some(name)
    }
    /// The current mask.
    pub fn active(&mut self) -> Option<String> {
        self.mask_name(self.mask)
    }
    /// The current mask as an operand.
    pub fn active_text(&mut self) -> String {
        self.active().unwrap_or_else(|| "splat (i1 true)".into())
    }
    pub(super) fn add_mask(&mut self, name: String) -> usize {
        let id = self.masks.len();
        self.masks.push((self.runs, name.clone()));
        if self.plan.masks.contains_key(&id) {
            let w = self.width;
            let p = self.place_address(&format!("m{id}"), w.div_ceil(8).max(1));
            self.line(format!("store <{w} x i1> {name}, ptr {p}"));
        }
        id
    }
    /// Whether any lane of a mask is set.
    pub fn any(&mut self, mask: &str) -> String {
        let w = self.width;
        let bits = self.def(format!("bitcast <{w} x i1> {mask} to i{w}"));
        self.def(format!("icmp ne i{w} {bits}, 0"))
    }
    pub(super) fn mask_variable(&mut self, what: &str, block: Block) -> String {
        let ty = self.ty("i1", true);
        self.variable(&format!("{what}.{block}"), &ty, self.width.div_ceil(8).max(1), Shape::Varying)
    }
    pub(super) fn mask_type(&self) -> String {
        format!("<{} x i1>", self.width)
    }
    pub(super) fn clear(&mut self, what: &str, block: Block) {
        let (p, ty) = (self.mask_variable(what, block), self.mask_type());
        self.line(format!("store {ty} zeroinitializer, ptr {p}"));
    }
    pub(super) fn join(&mut self, what: &str, block: Block) {
        let (p, ty, mask) = (self.mask_variable(what, block), self.mask_type(), self.active_text());
        let old = self.def(format!("load {ty}, ptr {p}"));
        let new = self.def(format!("or {ty} {old}, {mask}"));
        self.line(format!("store {ty} {new}, ptr {p}"));
    }
    /// Sets a mask variable to a mask.
    pub(super) fn set(&mut self, what: &str, block: Block, mask: usize) {
        let mask = self.mask_name(mask).unwrap_or_else(|| "splat (i1 true)".into());
        let (p, ty) = (self.mask_variable(what, block), self.mask_type());
        self.line(format!("store {ty} {mask}, ptr {p}"));
    }
    /// Does something in every vector of the group, also those without active work-items, if `split`.
    pub(super) fn in_all(&mut self, split: bool, f: impl FnOnce(&mut Self)) {
        let before = self.mask;
        if split {
            self.close_run();
            self.mask = 0;
        }
        self.open_run();
        f(self);
        if split {
            self.close_run();
        }
        self.mask = before;
    }
    pub(super) fn load_mask(&mut self, what: &str, block: Block) -> usize {
        let (p, ty) = (self.mask_variable(what, block), self.mask_type());
        let name = self.def(format!("load {ty}, ptr {p}"));
        self.add_mask(name)
    }
}

/// The joins of constructs that are split.
fn find_split(seq: &Seq, out: &mut HashSet<Block>) {
    for node in &seq.nodes {
        match node {
            Node::Select(s) => {
                if s.is_split {
                    out.insert(s.merge);
                }
                s.arms.iter().for_each(|a| find_split(a, out));
            }
            Node::Loop(l) => {
                if l.is_split {
                    out.extend([l.merge, l.cont, l.header]);
                }
                find_split(&l.body, out);
                find_split(&l.latch, out);
            }
            _ => {}
        }
    }
}
