//! Memory: plain accesses as scalars, whole vectors, or gathers and scatters; atomics one work-item after the
//! other.

use super::calls::Entry;
use super::emit::Emit;
use super::operand::{Operand, OperandKind, lane_name, suffix};
use crate::error::{CompileError, Result};
use crate::ir::*;

/// Longest chain of operations that is followed through an address.
const MOST_OPERATIONS: u32 = 12;
/// Bytes of a cache line.
const LINE: u32 = 64;

fn order_name(order: Ordering) -> &'static str {
    match order {
        Ordering::Relaxed => "monotonic",
        Ordering::Acquire => "acquire",
        Ordering::Release => "release",
        Ordering::AcqRel => "acq_rel",
        Ordering::SeqCst => "seq_cst",
    }
}

impl Emit<'_> {
    /// Emits a memory access or the computation of an address.
    pub fn memory(&mut self, data: &InstData, ty: Type) -> Result<Operand> {
        match &data.op {
            Op::Load(access) => self.load(access, data.args[0], ty),
            Op::Store(access) => self.store(access, data.args[0], data.args[1]),
            Op::AtomicRmw { .. } | Op::AtomicCas { .. } | Op::AtomicLoad { .. } | Op::AtomicStore { .. } => {
                self.atomic(data, ty)
            }
            Op::Fence { scope, order, .. } => {
                match (scope, order) {
                    (_, Ordering::Relaxed) => {}
                    // The work-items of a group run on one thread.
                    (Scope::WorkItem | Scope::SubGroup | Scope::WorkGroup, order) => {
                        self.line(format!("fence syncscope(\"singlethread\") {}", order_name(*order)));
                    }
                    (_, order) => self.line(format!("fence {}", order_name(*order))),
                }
                Ok(Operand::uniform("0"))
            }
            Op::SlotAddr(slot) => {
                let at = self.slots.get(slot).copied().unwrap_or(0);
                let frame = self.own("frame");
                let base = self.def(format!("getelementptr i8, ptr {frame}, i64 {at}"));
                Ok(Operand::affine(base, self.r.uniformity.slot_stride.get(slot).copied().unwrap_or(1)))
            }
            Op::GlobalAddr(g) => {
                let (base, at) = match self.r.local.get(g) {
                    Some(at) => ("%local", *at),
                    None => {
                        let at = self.r.data.offset(*g);
                        ("%data", at.ok_or_else(|| CompileError::internal("a variable without an offset"))?)
                    }
                };
                Ok(Operand::uniform(self.def(format!("getelementptr i8, ptr {base}, i64 {at}"))))
            }
            Op::PrintBuffer => Ok(Operand::uniform("%print")),
            Op::Arg { offset } => Ok(self.argument_at(*offset, ty)),
            Op::Implicit(ImplicitArg::PrintfBase) => Ok(Operand::uniform("%printf.base")),
            Op::Implicit(_) => {
                Err(CompileError::unsupported("an implicit argument on this device", data.line))
            }
            Op::IsSpace(space) => self.is_space(*space, data.args[0]),
            _ => Err(CompileError::internal("no memory operation")),
        }
    }

    /// A parameter.
    pub fn argument(&mut self, v: Value, index: usize) -> Result<Operand> {
        let ty = self.func.ty(v);
        if let Entry::Function(varying) = self.r.entry {
            return Ok(self.parameter(ty, index, varying));
        }
        let arg = &self.r.info.args[index];
        if arg.kind == crate::metadata::ArgKind::LocalPtr {
            let Some((_, word)) = self.r.local_args.iter().find(|(a, _)| usize::from(*a) == index) else {
                return Err(CompileError::internal("a local argument without an offset"));
            };
            let p = self.def(format!("getelementptr i8, ptr %args, i64 {word}"));
            let at = self.def(format!("load i64, ptr {p}, align 8, !invariant.load !0"));
            return Ok(Operand::uniform(self.def(format!("getelementptr i8, ptr %local, i64 {at}"))));
        }
        let offset = arg.offset;
        Ok(self.argument_at(offset, ty))
    }

    fn argument_at(&mut self, offset: u32, ty: Type) -> Operand {
        let bytes = ty.lane().access_bytes().unwrap_or(8);
        let lane = lane_name(ty);
        let mut parts = Vec::new();
        for i in 0..ty.lanes() {
            let at = offset + i * bytes;
            let p = self.def(format!("getelementptr i8, ptr %args, i64 {at}"));
            // Boolean arguments take a byte.
            if lane == "i1" {
                let byte = self.def(format!("load i8, ptr {p}, align 1, !invariant.load !0"));
                parts.push(self.def(format!("trunc i8 {byte} to i1")));
                continue;
            }
            let align = if at.is_multiple_of(bytes) { bytes } else { 1 };
            parts.push(self.def(format!("load {lane}, ptr {p}, align {align}, !invariant.load !0")));
        }
        Operand { kind: OperandKind::Uniform, parts }
    }

    fn is_space(&mut self, space: Space, v: Value) -> Result<Operand> {
        let p = self.get(v)?;
        let varying = !p.is_uniform();
        let ty = self.func.ty(v);
        let p = if varying { self.vectors(ty, &p)[0].clone() } else { p.parts[0].clone() };
        let (from, int, bit) = (self.ty("ptr", varying), self.ty("i64", varying), self.ty("i1", varying));
        let at = self.def(format!("ptrtoint {from} {p} to {int}"));
        let mut within = |base: &str, size: &str| {
            let base = self.def(format!("ptrtoint ptr {base} to i64"));
            let (base, size) = if varying {
                (self.splat("i64", &base), self.splat("i64", size))
            } else {
                (base, size.to_owned())
            };
            let d = self.def(format!("sub {int} {at}, {base}"));
            self.def(format!("icmp ult {int} {d}, {size}"))
        };
        let local = within("%local", "%local.bytes");
        let private = within("%scratch", "%scratch.bytes");
        let is = match space {
            Space::Local => local,
            Space::Private => private,
            _ => {
                let either = self.def(format!("or {bit} {local}, {private}"));
                let ones = if varying { "splat (i1 true)" } else { "true" };
                self.def(format!("xor {bit} {either}, {ones}"))
            }
        };
        Ok(Operand {
            kind: if varying { OperandKind::Varying } else { OperandKind::Uniform },
            parts: vec![is],
        })
    }

    /// Repeats each lane of a mask `n` times.
    fn widen_mask(&mut self, mask: &str, n: u32) -> String {
        if n == 1 {
            return mask.to_owned();
        }
        let w = self.width;
        let lanes: Vec<String> = (0..w * n).map(|i| format!("i32 {}", i / n)).collect();
        self.def(format!(
            "shufflevector <{w} x i1> {mask}, <{w} x i1> poison, <{} x i32> <{}>",
            w * n,
            lanes.join(", ")
        ))
    }

    fn load(&mut self, access: &Access, address: Value, ty: Type) -> Result<Operand> {
        let p = self.get(address)?;
        let n = ty.lanes();
        let lane = lane_name(ty);
        let bytes = ty.lane().access_bytes().unwrap_or(8);
        let volatile = if access.volatile { "volatile " } else { "" };
        let meta = if access.readonly { ", !invariant.load !0" } else { "" };
        let align = access.align.max(1);
        match &p.kind {
            OperandKind::Uniform => {
                let p = p.parts[0].clone();
                if n == 1 {
                    return Ok(Operand::uniform(
                        self.def(format!("load {volatile}{lane}, ptr {p}, align {align}{meta}")),
                    ));
                }
                let all = self.def(format!("load {volatile}<{n} x {lane}>, ptr {p}, align {align}{meta}"));
                let parts = (0..n)
                    .map(|i| self.def(format!("extractelement <{n} x {lane}> {all}, i64 {i}")))
                    .collect();
                Ok(Operand { kind: OperandKind::Uniform, parts })
            }
            _ => {
                let Some((base, guard)) = self.contiguous(&p, address, bytes * n, access) else {
                    let vector = self.vectors(Type::Ptr(Space::Global), &p)[0].clone();
                    return Ok(Operand::varying(self.gather(&vector, lane, n, bytes, align)));
                };
                let Some((straight, vector)) = guard else {
                    return Ok(Operand::varying(self.load_contiguous(&base, lane, n, align, meta)));
                };
                let labels = ["straight", "may_wrap", "loaded"].map(|l| self.new_label(l));
                let [yes, no, done] = &labels;
                self.line(format!("br i1 {straight}, label %{yes}, label %{no}"));
                self.start(yes);
                let a = self.load_contiguous(&base, lane, n, align, meta);
                self.line(format!("br label %{done}"));
                self.start(no);
                let b = self.gather(&vector, lane, n, bytes, align);
                self.line(format!("br label %{done}"));
                self.start(done);
                let t = self.ty(lane, true);
                let parts = a
                    .iter()
                    .zip(&b)
                    .map(|(a, b)| self.def(format!("phi {t} [ {a}, %{yes} ], [ {b}, %{no} ]")))
                    .collect();
                Ok(Operand::varying(parts))
            }
        }
    }

    /// The first lane of addresses that are contiguous: each is `distance` from the previous one. Unless that
    /// is certain, also the condition for it (an `i1`), and the vector of all addresses.
    fn contiguous(
        &mut self,
        p: &Operand,
        address: Value,
        distance: u32,
        access: &Access,
    ) -> Option<(String, Option<(String, String)>)> {
        match &p.kind {
            _ if access.volatile => None,
            OperandKind::Affine { step, guard } if *step == i64::from(distance) => {
                Some((p.parts[0].clone(), guard.clone()))
            }
            OperandKind::Varying if self.is_computed(address, MOST_OPERATIONS) => {
                let w = self.width;
                // Inactive lanes may be poison.
                let all = self.def(format!("freeze <{w} x ptr> {}", p.parts[0]));
                let first = self.def(format!("extractelement <{w} x ptr> {all}, i64 0"));
                let offsets: Vec<String> = (0..w).map(|i| format!("i64 {}", i * distance)).collect();
                let line =
                    self.def(format!("getelementptr i8, ptr {first}, <{w} x i64> <{}>", offsets.join(", ")));
                let same = self.def(format!("icmp eq <{w} x ptr> {all}, {line}"));
                let straight = self.def(format!("call i1 @llvm.vector.reduce.and.v{w}i1(<{w} x i1> {same})"));
                Some((first, Some((straight, all))))
            }
            _ => None,
        }
    }

    /// Whether a store to this address may go past the caches: it writes every line once.
    fn is_stream(&self, address: Value) -> bool {
        self.r.streams.is_some_and(|s| s.contains(&address)) && !self.targets.values().any(|t| t.is_header)
    }

    /// Whether at most `operations` operations, one after the other, compute a value from work-item ids and
    /// uniform values. Such addresses are often contiguous, unlike those loaded from memory.
    fn is_computed(&self, v: Value, operations: u32) -> bool {
        if self.r.uniformity.of(v).is_uniform() {
            return true;
        }
        let Some(inst) = self.func.def_inst(v) else { return false };
        let data = &self.func.insts[inst];
        match &data.op {
            Op::WorkItem { .. } => true,
            op => {
                operations > 0
                    && op.is_pure()
                    && data.args.iter().all(|a| self.is_computed(*a, operations - 1))
            }
        }
    }

    fn load_contiguous(&mut self, base: &str, lane: &str, n: u32, align: u32, meta: &str) -> Vec<String> {
        let all = self.width * n;
        let wide = match self.active() {
            None => self.def(format!("load <{all} x {lane}>, ptr {base}, align {align}{meta}")),
            Some(mask) => {
                let mask = self.widen_mask(&mask, n);
                let s = suffix(lane, Some(all));
                self.def(format!(
                    "call <{all} x {lane}> @llvm.masked.load.{s}.p0(ptr {base}, i32 {align}, <{all} x i1> {mask}, <{all} x {lane}> zeroinitializer)"
                ))
            }
        };
        if n == 1 {
            return vec![wide];
        }
        let w = self.width;
        (0..n)
            .map(|i| {
                let lanes: Vec<String> = (0..w).map(|l| format!("i32 {}", l * n + i)).collect();
                let lanes = lanes.join(", ");
                self.def(format!(
                    "shufflevector <{all} x {lane}> {wide}, <{all} x {lane}> poison, <{w} x i32> <{lanes}>"
                ))
            })
            .collect()
    }

    /// The address of component `at` (a byte offset) in every lane.
    fn lane_address(&mut self, vector: &str, at: u32) -> String {
        if at == 0 {
            return vector.to_owned();
        }
        self.def(format!(
            "getelementptr i8, <{w} x ptr> {vector}, <{w} x i64> splat (i64 {at})",
            w = self.width
        ))
    }

    fn gather(&mut self, vector: &str, lane: &str, n: u32, bytes: u32, align: u32) -> Vec<String> {
        let w = self.width;
        let s = suffix(lane, Some(w));
        let mask = self.active_text();
        (0..n)
            .map(|i| {
                let p = self.lane_address(vector, i * bytes);
                let align = if i == 0 { align } else { align.min(bytes.next_power_of_two()) };
                self.def(format!(
                    "call <{w} x {lane}> @llvm.masked.gather.{s}.v{w}p0(<{w} x ptr> {p}, i32 {align}, <{w} x i1> {mask}, <{w} x {lane}> zeroinitializer)"
                ))
            })
            .collect()
    }

    fn store(&mut self, access: &Access, value: Value, address: Value) -> Result<Operand> {
        let (v, p) = (self.get(value)?, self.get(address)?);
        let ty = self.func.ty(value);
        let n = ty.lanes();
        let lane = lane_name(ty);
        let bytes = ty.lane().access_bytes().unwrap_or(8);
        let volatile = if access.volatile { "volatile " } else { "" };
        let align = access.align.max(1);
        match &p.kind {
            OperandKind::Uniform if v.is_uniform() => {
                let p = p.parts[0].clone();
                if n == 1 {
                    self.line(format!("store {volatile}{lane} {}, ptr {p}, align {align}", v.parts[0]));
                } else {
                    let mut all = "poison".to_owned();
                    for (i, part) in v.parts.iter().enumerate() {
                        all = self.def(format!("insertelement <{n} x {lane}> {all}, {lane} {part}, i64 {i}"));
                    }
                    self.line(format!("store {volatile}<{n} x {lane}> {all}, ptr {p}, align {align}"));
                }
            }
            _ => {
                let parts = self.vectors(ty, &v);
                match self.contiguous(&p, address, bytes * n, access) {
                    Some((base, None)) => self.store_contiguous(&base, &parts, lane, [bytes, align], address),
                    Some((base, Some((straight, vector)))) => {
                        let labels = ["straight", "may_wrap", "stored"].map(|l| self.new_label(l));
                        let [yes, no, done] = &labels;
                        self.line(format!("br i1 {straight}, label %{yes}, label %{no}"));
                        self.start(yes);
                        self.store_contiguous(&base, &parts, lane, [bytes, align], address);
                        self.line(format!("br label %{done}"));
                        self.start(no);
                        self.scatter(&vector, &parts, lane, bytes, align);
                        self.line(format!("br label %{done}"));
                        self.start(done);
                    }
                    None => {
                        let vector = self.vectors(Type::Ptr(Space::Global), &p)[0].clone();
                        self.scatter(&vector, &parts, lane, bytes, align);
                    }
                }
            }
        }
        Ok(Operand::uniform("0"))
    }

    fn store_contiguous(
        &mut self,
        base: &str,
        parts: &[String],
        lane: &str,
        [bytes, align]: [u32; 2],
        address: Value,
    ) {
        let (w, n) = (self.width, parts.len() as u32);
        let all = w * n;
        // Interleaves the lanes: pairs of vectors are joined until one is left, whose lanes are then put in
        // order.
        let mut joined: Vec<(String, u32)> = parts.iter().map(|p| (p.clone(), w)).collect();
        while joined.len() > 1 {
            let mut next = Vec::new();
            for pair in joined.chunks(2) {
                let [(a, na), (b, nb)] = pair else {
                    next.push(pair[0].clone());
                    continue;
                };
                // Both operands of a shuffle have one type.
                let size = *na.max(nb);
                let a = self.padded(a, *na, size, lane);
                let b = self.padded(b, *nb, size, lane);
                let lanes: Vec<String> = (0..na + nb)
                    .map(|i| format!("i32 {}", if i < *na { i } else { size + i - na }))
                    .collect();
                let sum = na + nb;
                let v = self.def(format!(
                    "shufflevector <{size} x {lane}> {a}, <{size} x {lane}> {b}, <{sum} x i32> <{}>",
                    lanes.join(", ")
                ));
                next.push((v, sum));
            }
            joined = next;
        }
        let mut wide = joined.swap_remove(0).0;
        if n > 1 {
            let lanes: Vec<String> = (0..all).map(|i| format!("i32 {}", (i % n) * w + i / n)).collect();
            wide = self.def(format!(
                "shufflevector <{all} x {lane}> {wide}, <{all} x {lane}> poison, <{all} x i32> <{}>",
                lanes.join(", ")
            ));
        }
        match self.active() {
            None if all * bytes >= 32 && self.is_stream(address) => {
                // Vectors of three are aligned to less than their size.
                let (bytes, line) = (all * bytes, (1 << (all * bytes).trailing_zeros()).min(LINE));
                self.stream_bytes += bytes / w;
                let at = self.def(format!("ptrtoint ptr {base} to i64"));
                let at = self.def(format!("or i64 {at}, %no.stream"));
                let low = self.def(format!("and i64 {at}, {}", line - 1));
                let past = self.def(format!("icmp eq i64 {low}, 0"));
                let labels = ["past", "cached", "stored"].map(|l| self.new_label(l));
                let [yes, no, done] = &labels;
                self.line(format!("br i1 {past}, label %{yes}, label %{no}"));
                self.start(yes);
                self.line(format!(
                    "store <{all} x {lane}> {wide}, ptr {base}, align {line}, !nontemporal !1"
                ));
                self.line(format!("br label %{done}"));
                self.start(no);
                self.line(format!("store <{all} x {lane}> {wide}, ptr {base}, align {align}"));
                self.line(format!("br label %{done}"));
                self.start(done);
            }
            None => self.line(format!("store <{all} x {lane}> {wide}, ptr {base}, align {align}")),
            Some(mask) => {
                let mask = self.widen_mask(&mask, n);
                let s = suffix(lane, Some(all));
                self.line(format!(
                    "call void @llvm.masked.store.{s}.p0(<{all} x {lane}> {wide}, ptr {base}, i32 {align}, <{all} x i1> {mask})"
                ));
            }
        }
    }

    fn padded(&mut self, v: &str, from: u32, to: u32, lane: &str) -> String {
        if from == to {
            return v.to_owned();
        }
        let lanes: Vec<String> =
            (0..to).map(|i| if i < from { format!("i32 {i}") } else { "i32 poison".into() }).collect();
        self.def(format!(
            "shufflevector <{from} x {lane}> {v}, <{from} x {lane}> poison, <{to} x i32> <{}>",
            lanes.join(", ")
        ))
    }

    fn scatter(&mut self, vector: &str, parts: &[String], lane: &str, bytes: u32, align: u32) {
        let w = self.width;
        let s = suffix(lane, Some(w));
        let mask = self.active_text();
        for (i, part) in parts.iter().enumerate() {
            let p = self.lane_address(vector, i as u32 * bytes);
            let align = if i == 0 { align } else { align.min(bytes.next_power_of_two()) };
            self.line(format!(
                "call void @llvm.masked.scatter.{s}.v{w}p0(<{w} x {lane}> {part}, <{w} x ptr> {p}, i32 {align}, <{w} x i1> {mask})"
            ));
        }
    }

    /// Emits an atomic operation: one active work-item after the other, in the order of lanes.
    fn atomic(&mut self, data: &InstData, ty: Type) -> Result<Operand> {
        let w = self.width;
        let mut vectors = Vec::new();
        for a in &data.args {
            let v = self.get(*a)?;
            vectors.push((
                lane_name(self.func.ty(*a)),
                v.is_uniform(),
                if v.is_uniform() {
                    v.parts[0].clone()
                } else {
                    self.vectors(self.func.ty(*a), &v)[0].clone()
                },
            ));
        }
        let has_result = !data.results.is_empty();
        let lane = lane_name(ty);
        let t = self.ty(lane, true);
        let mask = self.active_text();
        let bits = self.def(format!("bitcast <{w} x i1> {mask} to i{w}"));
        let [body, done] = ["atomic", "done"].map(|l| self.new_label(l));
        let before = self.enter_block();
        self.line(format!("br label %{body}"));
        self.start(&body);
        let (left, rest) = (self.fresh(), self.fresh());
        self.line(format!("{left} = phi i{w} [ {bits}, %{before} ], [ {rest}, %{body} ]"));
        let (got, next) = (self.fresh(), self.fresh());
        if has_result {
            self.line(format!("{got} = phi {t} [ zeroinitializer, %{before} ], [ {next}, %{body} ]"));
        }
        let at = self.def(format!("call i{w} @llvm.cttz.i{w}(i{w} {left}, i1 true)"));
        let index = self.def(format!("zext i{w} {at} to i64"));
        let mut ops = Vec::new();
        for (name, same, v) in &vectors {
            ops.push(if *same {
                v.clone()
            } else {
                self.def(format!("extractelement <{w} x {name}> {v}, i64 {index}"))
            });
        }
        let bytes = |ty: Type| ty.access_bytes().unwrap_or(4);
        let at = data.op.address_arg().unwrap_or(0);
        // The work-items of a group run on one thread, and other groups have local memory of their own.
        let alone = self.func.ty(data.args[at]) == Type::Ptr(Space::Local);
        let old = match &data.op {
            Op::AtomicRmw { op, .. } if alone => {
                let (p, align) = (&ops[0], bytes(ty));
                let old = self.def(format!("load {lane}, ptr {p}, align {align}"));
                let new = self.modified(*op, lane, &old, &ops[1]);
                self.line(format!("store {lane} {new}, ptr {p}, align {align}"));
                old
            }
            Op::AtomicRmw { op, order, .. } => {
                let name = format!("{op:?}").to_lowercase();
                let name = match op {
                    RmwOp::Smin => "min",
                    RmwOp::Smax => "max",
                    _ => &name,
                };
                self.def(format!(
                    "atomicrmw {name} ptr {}, {lane} {} {}, align {}",
                    ops[0],
                    ops[1],
                    order_name(*order),
                    bytes(ty)
                ))
            }
            Op::AtomicCas { success, failure, .. } => {
                // Floating-point numbers are compared by their bits.
                let int = match ty.scalar() {
                    Some(s) if s.is_float() => super::operand::scalar_name(s.to_int()),
                    _ => lane,
                };
                let cast = |e: &mut Self, v: &str| {
                    if int == lane { v.to_owned() } else { e.def(format!("bitcast {lane} {v} to {int}")) }
                };
                let (x, y) = (cast(self, &ops[1]), cast(self, &ops[2]));
                let old = if alone {
                    let (p, align) = (&ops[0], bytes(ty));
                    let old = self.def(format!("load {int}, ptr {p}, align {align}"));
                    let same = self.def(format!("icmp eq {int} {old}, {x}"));
                    let new = self.def(format!("select i1 {same}, {int} {y}, {int} {old}"));
                    self.line(format!("store {int} {new}, ptr {p}, align {align}"));
                    old
                } else {
                    let failure = match failure {
                        Ordering::Release => Ordering::Relaxed,
                        Ordering::AcqRel => Ordering::Acquire,
                        f => *f,
                    };
                    let pair = self.def(format!(
                        "cmpxchg ptr {}, {int} {x}, {int} {y} {} {}, align {}",
                        ops[0],
                        order_name(*success),
                        order_name(failure),
                        bytes(ty)
                    ));
                    self.def(format!("extractvalue {{ {int}, i1 }} {pair}, 0"))
                };
                if int == lane { old } else { self.def(format!("bitcast {int} {old} to {lane}")) }
            }
            Op::AtomicLoad { order, .. } => {
                let order = match order {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    o => *o,
                };
                self.def(format!(
                    "load atomic {lane}, ptr {} {}, align {}",
                    ops[0],
                    order_name(order),
                    bytes(ty)
                ))
            }
            Op::AtomicStore { order, .. } => {
                let order = match order {
                    Ordering::Acquire => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Release,
                    o => *o,
                };
                let size = bytes(self.func.ty(data.args[0]));
                self.line(format!(
                    "store atomic {} {}, ptr {} {}, align {size}",
                    vectors[0].0,
                    ops[0],
                    ops[1],
                    order_name(order)
                ));
                String::new()
            }
            _ => return Err(CompileError::internal("no atomic operation")),
        };
        if has_result {
            self.line(format!("{next} = insertelement {t} {got}, {lane} {old}, i64 {index}"));
        }
        let less = self.def(format!("sub i{w} {left}, 1"));
        self.line(format!("{rest} = and i{w} {left}, {less}"));
        let more = self.def(format!("icmp ne i{w} {rest}, 0"));
        self.line(format!("br i1 {more}, label %{body}, label %{done}"));
        self.start(&done);
        Ok(if has_result { Operand::varying(vec![next]) } else { Operand::uniform("0") })
    }

    /// The new value that an atomic operation stores, for scalars.
    fn modified(&mut self, op: RmwOp, lane: &str, old: &str, by: &str) -> String {
        let word = format!("{op:?}").to_lowercase();
        match op {
            RmwOp::Xchg => by.to_owned(),
            RmwOp::Add | RmwOp::Sub | RmwOp::And | RmwOp::Or | RmwOp::Xor | RmwOp::Fadd => {
                self.def(format!("{word} {lane} {old}, {by}"))
            }
            RmwOp::Umin | RmwOp::Umax | RmwOp::Smin | RmwOp::Smax => {
                self.def(format!("call {lane} @llvm.{word}.{lane}({lane} {old}, {lane} {by})"))
            }
            RmwOp::Fmin | RmwOp::Fmax => {
                let (word, s) = (if op == RmwOp::Fmin { "minnum" } else { "maxnum" }, suffix(lane, None));
                self.def(format!("call {lane} @llvm.{word}.{s}({lane} {old}, {lane} {by})"))
            }
        }
    }

    /// Begins a block, and returns its label.
    pub fn enter_block(&mut self) -> String {
        let label = self.new_label("block");
        self.line(format!("br label %{label}"));
        self.start(&label);
        label
    }
}
