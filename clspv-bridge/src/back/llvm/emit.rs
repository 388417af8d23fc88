//! The text of one work-group function: control flow, masks, and what is live across barriers.
//!
//! The work-items of a group are computed in vectors of [`Emit::width`] neighbours. Code between barriers is
//! a *parallel region*: loops over the group's vectors. Uniform control flow stays control flow; where the
//! work-items of a vector diverge, both ways are taken under masks, each skipped when no work-item takes it.
//! So a vector only reaches code with an active work-item. Constructs that contain barriers
//! ([`super::tree::SelectNode::has_barrier`]) are control flow between regions.
//!
//! Block parameters and masks of joins are variables on the stack, which LLVM promotes to registers. What is
//! live across barriers lies in the context array (scratch memory), which has a frame for each vector. The
//! live values are known only once the text has been made, so it is made twice or more, until the set
//! settles.

use super::calls::Entry;
use super::operand::{Operand, OperandKind, lane_name, literal};
use crate::analysis::tree::{Node, Seq};
use crate::analysis::uniformity::{Uniformity, UniformityInfo, slot_bytes};
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::KernelInfo;
use crate::native::context;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;

/// Stands in a text for the bytes of a vector's frame.
pub const FRAME_BYTES: &str = "@FRAME_BYTES@";

/// Liveness across barriers: what the context array keeps. Each pass finds it for the next one.
#[derive(Default, Clone, PartialEq)]
pub struct Liveness {
    pub(super) values: BTreeSet<Value>,
    pub(super) masks: BTreeSet<usize>,
    variables: BTreeSet<String>,
    /// Values that are used where the text that defines them may have been skipped.
    out_of_scope: BTreeSet<Value>,
}

/// The function to emit, and what is known about it.
pub struct Request<'a> {
    pub func: &'a Function,
    pub entry: Entry,
    /// Number of the kernel, which makes the module's symbols unique.
    pub number: usize,
    pub info: &'a KernelInfo,
    pub uniformity: &'a UniformityInfo,
    pub tree: &'a Seq,
    pub data: &'a crate::passes::lower::globals::DataLayout,
    pub local: &'a HashMap<Global, u32>,
    /// Offsets in the argument block of the words for local arguments.
    pub local_args: &'a [(u16, u32)],
    pub width: u32,
    /// Whether groups consist of whole vectors.
    pub whole: bool,
    pub linear: bool,
    /// Whether there are barriers.
    pub has_barrier: bool,
    /// Whether accesses and what orders them are calls of the runtime.
    pub instrumented: bool,
    /// Offset in the vector's frame at which the function's part begins.
    pub frame_base: u32,
    /// Addresses of stores that may go past the caches.
    pub streams: Option<&'a HashSet<Value>>,
}

/// State of a function's emission.
pub struct Emit<'a> {
    pub r: Request<'a>,
    pub func: &'a Function,
    pub width: u32,
    /// Finished text; variables of the function; the open parallel region.
    out: String,
    pub(super) allocas: String,
    pub(super) region: ParallelRegion,
    pub(super) open: bool,
    pub(super) regions: u32,
    pub(super) names: u32,
    /// Values with the region and the scope that define them.
    values: HashMap<Value, (u32, u32, Operand)>,
    /// Scopes: parts of the text that may be skipped, from the outermost to the current one.
    pub(super) scopes: Vec<u32>,
    masks: Vec<(u32, String)>,
    pub mask: usize,
    pub(super) targets: HashMap<Block, EdgeTarget>,
    /// Blocks with several incoming edges; those of constructs with barriers.
    joins: HashSet<Block>,
    pub(super) barrier_joins: HashSet<Block>,
    live: Liveness,
    found: Liveness,
    /// The first region that uses each variable.
    touched: HashMap<String, u32>,
    pub(super) made: HashSet<String>,
    frame_end: u32,
    frame_offsets: HashMap<String, u32>,
    pub slots: HashMap<Slot, u32>,
    /// Vectors made by splatting scalars, by scalar and block of the text.
    pub splats: HashMap<(String, u32), String>,
    /// Number of the block of the text.
    pub block: u32,
    /// Bytes that a work-item stores past the caches.
    pub stream_bytes: u32,
}

/// Code between barriers.
#[derive(Default)]
pub(super) struct ParallelRegion {
    /// Text before the loops, at the start of an iteration, and after that.
    pub pre: String,
    prologue: String,
    body: String,
    restored: HashMap<Value, Operand>,
    masks: HashMap<usize, String>,
    addresses: HashMap<String, String>,
    guard: Option<String>,
}

/// A block that edges may go to.
pub(super) struct EdgeTarget {
    pub label: String,
    pub masked: bool,
    /// Mask variable, set by edges, of a loop header.
    pub keeps_mask: Option<String>,
    pub has_barrier: bool,
    /// Whether it is the header of the innermost loop.
    pub is_header: bool,
}

/// A function's finished text.
pub struct Text {
    pub text: String,
    /// End of its part of the vector's frame.
    pub frame_end: u32,
    /// Offsets of private variables in the frame.
    pub slots: HashMap<Slot, u32>,
    pub stream_bytes: u32,
}

impl<'a> Emit<'a> {
    /// Makes the text of a function.
    pub fn function(name: &str, request: impl Fn() -> Request<'a>) -> Result<Text> {
        let mut live = Liveness::default();
        for _ in 0..4 {
            let mut e = Emit::new(request(), live.clone());
            e.body()?;
            let mut next = e.found.clone();
            next.values.extend(live.values.clone());
            next.masks.extend(live.masks.clone());
            next.variables.extend(live.variables.clone());
            next.out_of_scope.extend(live.out_of_scope.clone());
            if next == live {
                return Ok(e.finish(name));
            }
            live = next;
        }
        Err(CompileError::internal("the set of values live across barriers does not settle"))
    }

    fn new(r: Request<'a>, live: Liveness) -> Emit<'a> {
        let merges = |b: &Block| match r.func.blocks[*b].merge {
            Some(Merge::Selection { merge }) => vec![merge],
            Some(Merge::Loop { merge, cont }) => vec![merge, cont, *b],
            None => vec![],
        };
        let joins = r.func.layout.iter().flat_map(merges).collect();
        let mut barrier_joins = HashSet::new();
        find_barrier_joins(r.tree, &mut barrier_joins);
        let frame_end = r.frame_base;
        Emit {
            func: r.func,
            width: r.width,
            r,
            out: String::new(),
            allocas: String::new(),
            region: ParallelRegion::default(),
            open: false,
            regions: 0,
            names: 0,
            values: HashMap::new(),
            scopes: vec![0],
            masks: vec![(0, String::new())],
            mask: 0,
            targets: HashMap::new(),
            joins,
            barrier_joins,
            live,
            found: Liveness::default(),
            touched: HashMap::new(),
            made: HashSet::new(),
            frame_end,
            frame_offsets: HashMap::new(),
            slots: HashMap::new(),
            splats: HashMap::new(),
            block: 0,
            stream_bytes: 0,
        }
    }

    fn body(&mut self) -> Result<()> {
        for (slot, data) in self.func.slots.iter() {
            let at =
                self.frame_offset(&format!("slot {slot}"), slot_bytes(data) * self.width, data.align.max(64));
            self.slots.insert(slot, at);
        }
        let tree = self.r.tree;
        if self.is_instrumented() {
            self.check_variables();
        }
        if !self.r.has_barrier {
            self.open_region();
        }
        self.seq(tree)?;
        if let Entry::Function(varying) = self.r.entry {
            self.open_region();
            self.return_result(varying)?;
        }
        self.close_region();
        Ok(())
    }

    fn finish(self, name: &str) -> Text {
        let frame_end = self.frame_end.next_multiple_of(64).max(64);
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
        if self.is_instrumented() {
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
            text.push_str(&self.out.replace(FRAME_BYTES, &frame_end.to_string()));
            text.push_str("}\n\n");
            return Text { text, frame_end, slots: self.slots, stream_bytes: 0 };
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
        // Functions that instrumented code calls have their parts of the frame after this one.
        match self.is_instrumented() {
            true => text.push_str(&self.out),
            false => text.push_str(&self.out.replace(FRAME_BYTES, &frame_end.to_string())),
        }
        text.push_str("  ret void\n}\n\n");
        Text { text, frame_end, slots: self.slots, stream_bytes: self.stream_bytes }
    }

    /// Like [`Request::instrumented`].
    pub fn is_instrumented(&self) -> bool {
        self.r.instrumented
    }

    // Text.

    /// Returns an unused name.
    pub fn fresh(&mut self) -> String {
        self.names += 1;
        format!("%t{}", self.names)
    }
    pub(super) fn fresh_label(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}{}", self.names)
    }
    pub fn line(&mut self, text: impl AsRef<str>) {
        let to = if self.open { &mut self.region.body } else { &mut self.out };
        let _ = writeln!(to, "  {}", text.as_ref());
    }
    /// Defines a fresh name.
    pub fn def(&mut self, text: impl AsRef<str>) -> String {
        let name = self.fresh();
        self.line(format!("{name} = {}", text.as_ref()));
        name
    }
    pub fn start(&mut self, label: &str) {
        let to = if self.open { &mut self.region.body } else { &mut self.out };
        let _ = writeln!(to, "{label}:");
        self.block += 1;
    }
    pub fn new_label(&mut self, what: &str) -> String {
        self.fresh_label(what)
    }
    fn prologue(&mut self, text: impl AsRef<str>) -> String {
        let name = self.fresh();
        let _ = writeln!(self.region.prologue, "  {name} = {}", text.as_ref());
        name
    }

    /// Defines a name before the open region's loops.
    fn early(&mut self, text: String) -> String {
        let name = self.fresh();
        let _ = writeln!(self.region.pre, "  {name} = {text}");
        name
    }

    // Parallel regions.

    pub(super) fn open_region(&mut self) {
        if self.open {
            return;
        }
        self.regions += 1;
        self.region = ParallelRegion::default();
        self.open = true;
        self.block += 1;
        let n = self.regions;
        if self.r.entry != Entry::Kernel {
            self.region.prologue = match self.is_instrumented() {
                true => self.check_entered(self.frame_end),
                false => format!("  %frame.{n} = alloca i8, i64 {FRAME_BYTES}, align 64\n"),
            };
            return;
        }
        let index = if self.r.has_barrier { "%vector" } else { "%none" };
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
            "  %at.{n} = mul i64 {index}.{n}, {FRAME_BYTES}\n  %frame.{n} = getelementptr i8, ptr %scratch, i64 %at.{n}"
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
        self.region.prologue = p;
        if self.is_instrumented() {
            let text = self.check_position(self.frame_end);
            self.region.prologue.push_str(&text);
        }
        if self.mask != 0
            && let Some(mask) = self.mask_name(self.mask)
        {
            let bits = self.prologue(format!("bitcast <{w} x i1> {mask} to i{w}"));
            let any = self.prologue(format!("icmp ne i{w} {bits}, 0"));
            self.region.guard = Some(any);
        }
    }

    pub(super) fn close_region(&mut self) {
        if !self.open {
            return;
        }
        self.open = false;
        let n = self.regions;
        let region = std::mem::take(&mut self.region);
        if self.r.entry != Entry::Kernel {
            self.out.extend([region.pre, region.prologue, region.body]);
            return;
        }
        let (x, y, z) = (format!("%x.p{n}"), format!("%y.p{n}"), format!("%z.p{n}"));
        for v in [&x, &y, &z] {
            let _ = writeln!(self.allocas, "  {v} = alloca i64, align 8");
        }
        let o = &mut self.out;
        o.push_str(&region.pre);
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
        o.push_str(&region.prologue);
        match &region.guard {
            Some(any) => {
                let _ = writeln!(o, "  br i1 {any}, label %B.{n}, label %N.{n}\nB.{n}:");
            }
            None => {
                let _ = writeln!(o, "  br label %B.{n}\nB.{n}:");
            }
        }
        o.push_str(&region.body);
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

    /// The name of a value of the open region's iteration.
    pub fn own(&self, what: &str) -> String {
        format!("%{what}.{}", self.regions)
    }

    // The context array and variables.

    fn frame_offset(&mut self, key: &str, bytes: u32, align: u32) -> u32 {
        if let Some(&at) = self.frame_offsets.get(key) {
            return at;
        }
        let at = self.frame_end.next_multiple_of(align.max(1));
        self.frame_end = at + bytes;
        self.frame_offsets.insert(key.to_owned(), at);
        at
    }

    /// The address in the vector's frame of a saved value, valid in the open region.
    fn frame_address(&mut self, key: &str, bytes: u32) -> String {
        if let Some(p) = self.region.addresses.get(key) {
            return p.clone();
        }
        let at = self.frame_offset(key, bytes, bytes.next_power_of_two().min(64));
        let frame = self.own("frame");
        let p = self.prologue(format!("getelementptr i8, ptr {frame}, i64 {at}"));
        self.region.addresses.insert(key.to_owned(), p.clone());
        p
    }

    /// The address of a variable of a type in the text. What is uniform in the group has one address for all
    /// regions.
    fn variable(&mut self, key: &str, ty: &str, bytes: u32, uniformity: Uniformity) -> String {
        if uniformity != Uniformity::GroupUniform {
            let region = self.regions;
            match self.touched.get(key) {
                Some(&first) if first != region => {
                    self.found.variables.insert(key.to_owned());
                }
                _ => {
                    self.touched.insert(key.to_owned(), region);
                }
            }
            if self.live.variables.contains(key) {
                return self.frame_address(key, bytes);
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
        let uniformity = self.r.uniformity.of(p);
        let ty = self.func.ty(p);
        let varying = uniformity == Uniformity::Varying;
        let text = self.ty(lane_name(ty), varying);
        let bytes = Self::lane_bytes(ty) * if varying { self.width } else { 1 };
        let address = self.variable(&format!("{p}.{lane}"), &text, bytes, uniformity);
        (address, text)
    }

    /// Reads a parameter. With `early`, one that is uniform in the group is read before the loops over the
    /// vectors, because these may overwrite it.
    pub(super) fn load_param(&mut self, p: Value, early: bool) -> Operand {
        let uniformity = self.r.uniformity.of(p);
        let parts = (0..self.func.ty(p).lanes() as usize)
            .map(|lane| {
                let (address, ty) = self.param(p, lane);
                let text = format!("load {ty}, ptr {address}");
                if early && uniformity == Uniformity::GroupUniform {
                    self.early(text)
                } else {
                    self.def(text)
                }
            })
            .collect();
        let kind = match uniformity {
            Uniformity::GroupUniform | Uniformity::Uniform => OperandKind::Uniform,
            Uniformity::Affine(step) => OperandKind::Affine { step, guard: None },
            Uniformity::Varying => OperandKind::Varying,
        };
        Operand { kind, parts }
    }

    // Values.

    /// The operand of a value in the open region.
    pub fn get(&mut self, v: Value) -> Result<Operand> {
        let ty = self.func.ty(v);
        match &self.func.values[v].def {
            ValueDef::Const(Const::Bits(_, bits)) => {
                return Ok(Operand {
                    kind: OperandKind::Uniform,
                    parts: bits.iter().map(|b| literal(ty, *b)).collect(),
                });
            }
            ValueDef::Const(Const::Undef(_)) => {
                return Ok(Operand {
                    kind: OperandKind::Uniform,
                    parts: vec![literal(ty, 0); ty.lanes() as usize],
                });
            }
            _ => {}
        }
        if let Some(val) = self.region.restored.get(&v) {
            return Ok(val.clone());
        }
        if let Some((region, scope, val)) = self.values.get(&v)
            && *region == self.regions
        {
            let mut val = val.clone();
            if self.scopes.contains(scope) {
                return Ok(val);
            }
            if matches!(val.kind, OperandKind::Affine { guard: Some(_), .. }) {
                val.kind = OperandKind::Varying;
            }
            self.found.out_of_scope.insert(v);
            let parts = (0..val.parts.len()).map(|lane| {
                let (name, text) = self.out_of_scope(v, lane, &val);
                self.def(format!("load {text}, ptr {name}"))
            });
            return Ok(Operand { parts: parts.collect(), kind: val.kind });
        }
        let val = self.restore(v)?;
        self.region.restored.insert(v, val.clone());
        Ok(val)
    }

    /// Recomputes a value of an earlier region, or loads it.
    fn restore(&mut self, v: Value) -> Result<Operand> {
        // Into the prologue, which precedes all uses.
        let body = std::mem::take(&mut self.region.body);
        let splats = std::mem::take(&mut self.splats);
        let result = self.restored(v);
        let made = std::mem::replace(&mut self.region.body, body);
        self.region.prologue.push_str(&made);
        self.splats = splats;
        result
    }

    fn restored(&mut self, v: Value) -> Result<Operand> {
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
                    | Op::Arg { .. }
                    | Op::Implicit(_)
                    | Op::PrintBuffer
            ) || matches!(
                data.op,
                Op::Cast(CastOp::Trunc | CastOp::Sext | CastOp::Zext | CastOp::PtrCast)
            );
            if cheap {
                return self.operation(inst);
            }
        }
        self.found.values.insert(v);
        let Some((_, _, mut val)) = self.values.get(&v).cloned() else {
            return Err(CompileError::internal(format!("{v} is used before it is defined")));
        };
        // An affine value that may wrap is saved as a vector.
        if matches!(val.kind, OperandKind::Affine { guard: Some(_), .. }) {
            val.kind = OperandKind::Varying;
        }
        let varying = val.kind == OperandKind::Varying;
        let ty = self.func.ty(v);
        let text = self.ty(lane_name(ty), varying);
        let bytes = Self::lane_bytes(ty) * if varying { self.width } else { 1 };
        let uniformity = if self.r.uniformity.of(v) == Uniformity::GroupUniform {
            Uniformity::GroupUniform
        } else {
            Uniformity::Uniform
        };
        let mut parts = Vec::new();
        for lane in 0..val.parts.len() {
            let address = self.saved(v, lane, &text, bytes, uniformity);
            let load = format!("load {text}, ptr {address}");
            parts.push(if uniformity == Uniformity::GroupUniform {
                self.early(load)
            } else {
                self.def(load)
            });
        }
        Ok(Operand { kind: val.kind, parts })
    }

    fn saved(&mut self, v: Value, lane: usize, text: &str, bytes: u32, uniformity: Uniformity) -> String {
        let key = format!("s{v}.{lane}");
        if uniformity == Uniformity::GroupUniform {
            self.variable(&key, text, bytes, uniformity)
        } else {
            self.frame_address(&key, bytes)
        }
    }

    /// The variable that keeps a value's lane for code outside of its scope, with its type.
    fn out_of_scope(&mut self, v: Value, lane: usize, val: &Operand) -> (String, String) {
        let text = self.ty(lane_name(self.func.ty(v)), val.kind == OperandKind::Varying);
        let name = format!("%k.{v}.{lane}");
        if self.made.insert(name.clone()) {
            let _ = writeln!(self.allocas, "  {name} = alloca {text}");
        }
        (name, text)
    }

    /// Binds a value to its operand, and saves it if other regions or scopes use it.
    pub fn bind(&mut self, v: Value, mut val: Operand) {
        let ty = self.func.ty(v);
        let (kept, out_of_scope) = (self.live.values.contains(&v), self.live.out_of_scope.contains(&v));
        if (kept || out_of_scope) && matches!(val.kind, OperandKind::Affine { guard: Some(_), .. }) {
            let parts = self.vectors(ty, &val);
            val = Operand::varying(parts);
        }
        if out_of_scope {
            for (lane, part) in val.parts.clone().iter().enumerate() {
                let (name, text) = self.out_of_scope(v, lane, &val);
                self.line(format!("store {text} {part}, ptr {name}"));
            }
        }
        if kept {
            let varying = val.kind == OperandKind::Varying;
            let text = self.ty(lane_name(ty), varying);
            let bytes = Self::lane_bytes(ty) * if varying { self.width } else { 1 };
            let uniformity = if self.r.uniformity.of(v) == Uniformity::GroupUniform {
                Uniformity::GroupUniform
            } else {
                Uniformity::Uniform
            };
            for (lane, part) in val.parts.clone().iter().enumerate() {
                let address = self.saved(v, lane, &text, bytes, uniformity);
                self.line(format!("store {text} {part}, ptr {address}"));
            }
        }
        self.define(v, val);
    }
    pub(super) fn define(&mut self, v: Value, val: Operand) {
        let scope = self.scopes.last().copied().unwrap_or(0);
        self.values.insert(v, (self.regions, scope, val));
    }
    /// Enters a part of the text that may be skipped.
    pub(super) fn enter_scope(&mut self) {
        self.names += 1;
        self.scopes.push(self.names);
    }

    /// Whether the block's parameters are variables, because it has several incoming edges.
    pub(super) fn joins(&self, block: Block) -> bool {
        self.joins.contains(&block)
    }

    // Masks.

    /// The mask's name in the open region; `None` if all work-items of each vector are active.
    pub fn mask_name(&mut self, id: usize) -> Option<String> {
        if id == 0 && self.r.entry != Entry::Kernel {
            return Some("%mask".into());
        }
        if id == 0 {
            return (!self.r.whole).then(|| self.own("tail"));
        }
        let (region, name) = self.masks[id].clone();
        if region == self.regions {
            return Some(name);
        }
        if let Some(name) = self.region.masks.get(&id) {
            return Some(name.clone());
        }
        self.found.masks.insert(id);
        let w = self.width;
        let p = self.frame_address(&format!("m{id}"), w.div_ceil(8).max(1));
        let name = self.prologue(format!("load <{w} x i1>, ptr {p}"));
        self.region.masks.insert(id, name.clone());
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
        self.masks.push((self.regions, name.clone()));
        if self.live.masks.contains(&id) {
            let w = self.width;
            let p = self.frame_address(&format!("m{id}"), w.div_ceil(8).max(1));
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
        self.variable(&format!("{what}.{block}"), &ty, self.width.div_ceil(8).max(1), Uniformity::Varying)
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
    /// Calls `f` in a region. With `has_barrier`, that is every vector of the group, also those without
    /// active work-items.
    pub(super) fn in_all(&mut self, has_barrier: bool, f: impl FnOnce(&mut Self)) {
        let before = self.mask;
        if has_barrier {
            self.close_region();
            self.mask = 0;
        }
        self.open_region();
        f(self);
        if has_barrier {
            self.close_region();
        }
        self.mask = before;
    }
    pub(super) fn load_mask(&mut self, what: &str, block: Block) -> usize {
        let (p, ty) = (self.mask_variable(what, block), self.mask_type());
        let name = self.def(format!("load {ty}, ptr {p}"));
        self.add_mask(name)
    }
}

/// Collects the joins of constructs with barriers.
fn find_barrier_joins(seq: &Seq, out: &mut HashSet<Block>) {
    for node in &seq.nodes {
        match node {
            Node::Select(s) => {
                if s.has_barrier {
                    out.insert(s.merge);
                }
                s.arms.iter().for_each(|a| find_barrier_joins(a, out));
            }
            Node::Loop(l) => {
                if l.has_barrier {
                    out.extend([l.merge, l.cont, l.header]);
                }
                find_barrier_joins(&l.body, out);
                find_barrier_joins(&l.latch, out);
            }
            _ => {}
        }
    }
}
