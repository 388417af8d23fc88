//! Memory: plain accesses, those of vectors, atomics, fences and addresses.

use super::names::{order_name, scalar_name, splat_text, suffix, type_name};
use super::print::Print;
use crate::error::{CompileError, Result};
use crate::ir::*;

impl Print<'_> {
    pub(super) fn memory(&mut self, data: &InstData) -> Result<()> {
        let result = data.results.first().copied();
        match (&data.op, result) {
            (Op::Load(access), Some(v)) => {
                let (ty, p) = (self.ty(v), self.name(data.args[0]));
                let (volatile, meta) = (volatile(access), invariant(access));
                let align = access.align.max(1);
                self.define(v, format!("load {volatile}{ty}, ptr {p}, align {align}{meta}"));
            }
            (Op::Store(access), _) => {
                let (value, p) = (self.typed(data.args[0]), self.name(data.args[1]));
                let volatile = volatile(access);
                self.line(format!("store {volatile}{value}, ptr {p}, align {}", access.align.max(1)));
            }
            (Op::Lanes(op), _) => self.lanes(data, op),
            (Op::SlotAddr(slot), Some(v)) => {
                let at = self.slots.get(slot.index()).copied().unwrap_or(0);
                self.define(v, format!("getelementptr i8, ptr %frame, i64 {at}"));
            }
            (Op::GlobalAddr(g), Some(v)) => {
                let (base, at) = match self.program.local.get(g) {
                    Some(at) => ("%local", *at),
                    None => {
                        let at = self.program.data.offset(*g);
                        ("%data", at.ok_or_else(|| CompileError::internal("a variable without an offset"))?)
                    }
                };
                self.define(v, format!("getelementptr i8, ptr {base}, i64 {at}"));
            }
            (Op::Fence { scope, order, .. }, _) => match (scope, order) {
                (_, Ordering::Relaxed) => {}
                // The work-items of a group run on one thread.
                (Scope::WorkItem | Scope::SubGroup | Scope::WorkGroup, order) => {
                    self.line(format!("fence syncscope(\"singlethread\") {}", order_name(*order)));
                }
                (_, order) => self.line(format!("fence {}", order_name(*order))),
            },
            _ => return self.atomic(data, result),
        }
        Ok(())
    }

    fn atomic(&mut self, data: &InstData, result: Option<Value>) -> Result<()> {
        let value = result.unwrap_or(data.args[0]);
        let bytes = self.func.ty(value).access_bytes().unwrap_or(4);
        match (&data.op, result) {
            (Op::AtomicRmw { op, order, .. }, Some(v)) => {
                let name = match op {
                    RmwOp::Smin => "min".into(),
                    RmwOp::Smax => "max".into(),
                    op => format!("{op:?}").to_lowercase(),
                };
                let (p, by) = (self.typed(data.args[0]), self.typed(data.args[1]));
                self.define(v, format!("atomicrmw {name} {p}, {by} {}, align {bytes}", order_name(*order)));
            }
            (Op::AtomicCas { success, failure, .. }, Some(v)) => {
                let failure = match failure {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    f => *f,
                };
                let args: Vec<String> = data.args.iter().map(|a| self.typed(*a)).collect();
                let orders = format!("{} {}", order_name(*success), order_name(failure));
                let pair = self.temporary(format!("cmpxchg {} {orders}, align {bytes}", args.join(", ")));
                let ty = self.ty(v);
                self.define(v, format!("extractvalue {{ {ty}, i1 }} {pair}, 0"));
            }
            (Op::AtomicLoad { order, .. }, Some(v)) => {
                let order = match order {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    o => *o,
                };
                let (ty, p) = (self.ty(v), self.typed(data.args[0]));
                self.define(v, format!("load atomic {ty}, {p} {}, align {bytes}", order_name(order)));
            }
            (Op::AtomicStore { order, .. }, _) => {
                let order = match order {
                    Ordering::Acquire => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Release,
                    o => *o,
                };
                let (value, p) = (self.typed(data.args[0]), self.typed(data.args[1]));
                self.line(format!("store atomic {value}, {p} {}, align {bytes}", order_name(order)));
            }
            _ => return Err(CompileError::internal("no memory operation")),
        }
        Ok(())
    }

    /// The mask operand at the end of an operation.
    pub(super) fn mask(&self, data: &InstData) -> Option<Value> {
        data.args.last().copied().filter(|a| self.func.ty(*a).is_bool() && self.func.ty(*a).lanes() > 1)
    }

    fn lanes(&mut self, data: &InstData, op: &LaneOp) {
        let mask = self.mask(data);
        let rest = &data.args[..data.args.len() - usize::from(mask.is_some())];
        match op {
            LaneOp::MaskBits => {
                let (n, x) = (self.func.ty(data.args[0]).lanes(), self.typed(data.args[0]));
                if n == 32 {
                    return self.define(data.results[0], format!("bitcast {x} to i32"));
                }
                let bits = self.temporary(format!("bitcast {x} to i{n}"));
                self.define(data.results[0], format!("zext i{n} {bits} to i32"));
            }
            LaneOp::Freeze => self.define(data.results[0], format!("freeze {}", self.typed(data.args[0]))),
            LaneOp::Load(access) => self.load(access, rest[0], mask, &data.results),
            LaneOp::Store(access) => {
                if let Some((p, parts)) = rest.split_last() {
                    self.store(access, parts, *p, mask);
                }
            }
            LaneOp::Gather(access) => {
                let (v, p) = (data.results[0], self.typed(rest[0]));
                let (ty, s, mask) = (self.ty(v), suffix(self.func.ty(v)), self.mask_or_all(mask));
                let (w, align) = (self.func.ty(v).lanes(), access.align.max(1));
                self.define(
                    v,
                    format!(
                        "call {ty} @llvm.masked.gather.{s}.v{w}p0({p}, i32 {align}, {mask}, {ty} zeroinitializer)"
                    ),
                );
            }
            LaneOp::Scatter(access) => {
                let (value, p) = (self.typed(rest[0]), self.typed(rest[1]));
                let (s, mask) = (suffix(self.func.ty(rest[0])), self.mask_or_all(mask));
                let (w, align) = (self.func.ty(rest[0]).lanes(), access.align.max(1));
                self.line(format!(
                    "call void @llvm.masked.scatter.{s}.v{w}p0({value}, {p}, i32 {align}, {mask})"
                ));
            }
        }
    }

    fn mask_or_all(&self, mask: Option<Value>) -> String {
        mask.map_or_else(|| format!("<{} x i1> splat (i1 true)", self.shape.width), |m| self.typed(m))
    }

    /// Repeats each lane of a mask `n` times.
    fn widen_mask(&mut self, mask: Value, n: u32) -> String {
        let w = u32::from(self.shape.width);
        if n == 1 {
            return self.typed(mask);
        }
        let lanes: Vec<String> = (0..w * n).map(|i| format!("i32 {}", i / n)).collect();
        let (mask, all) = (self.name(mask), w * n);
        let wide = self.temporary(format!(
            "shufflevector <{w} x i1> {mask}, <{w} x i1> poison, <{all} x i32> <{}>",
            lanes.join(", ")
        ));
        format!("<{all} x i1> {wide}")
    }

    fn load(&mut self, access: &Access, p: Value, mask: Option<Value>, results: &[Value]) {
        let (w, n) = (u32::from(self.shape.width), results.len() as u32);
        let lane = self.func.ty(results[0]).lane();
        let (name, all) = (type_name(lane), w * n);
        let (p, align) = (self.typed(p), access.align.max(1));
        let text = match mask {
            None => format!("load <{all} x {name}>, {p}, align {align}{}", invariant(access)),
            Some(mask) => {
                let mask = self.widen_mask(mask, n);
                let s = format!("v{all}{}", suffix(lane));
                format!(
                    "call <{all} x {name}> @llvm.masked.load.{s}.p0({p}, i32 {align}, {mask}, <{all} x {name}> zeroinitializer)"
                )
            }
        };
        if n == 1 {
            return self.define(results[0], text);
        }
        let wide = self.temporary(text);
        for (i, v) in (0..n).zip(results) {
            let lanes: Vec<String> = (0..w).map(|l| format!("i32 {}", l * n + i)).collect();
            let lanes = lanes.join(", ");
            self.define(
                *v,
                format!(
                    "shufflevector <{all} x {name}> {wide}, <{all} x {name}> poison, <{w} x i32> <{lanes}>"
                ),
            );
        }
    }

    fn store(&mut self, access: &Access, parts: &[Value], p: Value, mask: Option<Value>) {
        let (w, n) = (u32::from(self.shape.width), parts.len() as u32);
        let lane = self.func.ty(parts[0]).lane();
        let (name, all) = (type_name(lane), w * n);
        let wide = self.interleave(parts, &name);
        let (p, align) = (self.typed(p), access.align.max(1));
        match mask {
            None => {
                let meta = if access.nontemporal { ", !nontemporal !1" } else { "" };
                self.line(format!("store <{all} x {name}> {wide}, {p}, align {align}{meta}"));
            }
            Some(mask) => {
                let mask = self.widen_mask(mask, n);
                let s = format!("v{all}{}", suffix(lane));
                self.line(format!(
                    "call void @llvm.masked.store.{s}.p0(<{all} x {name}> {wide}, {p}, i32 {align}, {mask})"
                ));
            }
        }
    }

    /// Interleaves the lanes: joins pairs of vectors until one is left, and puts its lanes in order.
    fn interleave(&mut self, parts: &[Value], lane: &str) -> String {
        let (w, n) = (u32::from(self.shape.width), parts.len() as u32);
        let mut joined: Vec<(String, u32)> = parts.iter().map(|p| (self.name(*p), w)).collect();
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
                let v = self.temporary(format!(
                    "shufflevector <{size} x {lane}> {a}, <{size} x {lane}> {b}, <{sum} x i32> <{}>",
                    lanes.join(", ")
                ));
                next.push((v, sum));
            }
            joined = next;
        }
        let wide = joined.swap_remove(0).0;
        if n == 1 {
            return wide;
        }
        let all = w * n;
        let lanes: Vec<String> = (0..all).map(|i| format!("i32 {}", (i % n) * w + i / n)).collect();
        self.temporary(format!(
            "shufflevector <{all} x {lane}> {wide}, <{all} x {lane}> poison, <{all} x i32> <{}>",
            lanes.join(", ")
        ))
    }

    fn padded(&mut self, v: &str, from: u32, to: u32, lane: &str) -> String {
        if from == to {
            return v.to_owned();
        }
        let lanes: Vec<String> =
            (0..to).map(|i| if i < from { format!("i32 {i}") } else { "i32 poison".into() }).collect();
        self.temporary(format!(
            "shufflevector <{from} x {lane}> {v}, <{from} x {lane}> poison, <{to} x i32> <{}>",
            lanes.join(", ")
        ))
    }

    pub(super) fn is_space(&mut self, v: Value, space: Space, p: Value) {
        let n = self.func.ty(v).lanes();
        let int = I64.of_lanes(n);
        let (t, bit) = (type_name(int), self.ty(v));
        let at = self.temporary(format!("ptrtoint {} to {t}", self.typed(p)));
        let mut within = |base: &str, size: &str| {
            let base = self.temporary(format!("ptrtoint ptr {base} to i64"));
            let (base, size) = (self.splat(&base, n), self.splat(size, n));
            let d = self.temporary(format!("sub {t} {at}, {base}"));
            format!("icmp ult {t} {d}, {size}")
        };
        let local = within("%local", "%local.bytes");
        if space == Space::Local {
            return self.define(v, local);
        }
        let private = within("%scratch", "%scratch.bytes");
        if space == Space::Private {
            return self.define(v, private);
        }
        let (local, private) = (self.temporary(local), self.temporary(private));
        let either = self.temporary(format!("or {bit} {local}, {private}"));
        self.define(v, format!("xor {bit} {either}, {}", splat_text(I1.of_lanes(n), 1)));
    }

    /// A 64-bit number in all lanes.
    fn splat(&mut self, x: &str, n: u32) -> String {
        if n == 1 {
            return x.to_owned();
        }
        let ty = format!("<{n} x {}>", scalar_name(Scalar::I64));
        let one = self.temporary(format!("insertelement {ty} poison, i64 {x}, i64 0"));
        self.temporary(format!("shufflevector {ty} {one}, {ty} poison, <{n} x i32> zeroinitializer"))
    }
}

fn volatile(access: &Access) -> &'static str {
    if access.volatile { "volatile " } else { "" }
}

fn invariant(access: &Access) -> &'static str {
    if access.readonly { ", !invariant.load !0" } else { "" }
}
