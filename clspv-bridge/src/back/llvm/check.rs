//! Instrumented code: accesses and what orders them become calls of the runtime ([`crate::native::check`]),
//! and the locations of variables are recorded for its reports.

use super::calls::Entry;
use super::emit::Emit;
use super::operand::{Operand, OperandKind, lane_name};
use super::uniformity::slot_bytes;
use crate::error::Result;
use crate::ir::*;
use crate::native::{VariableLocation, VariableLocations, check};
use crate::passes::lower::globals::DataLayout;
use std::collections::{HashMap, HashSet};
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

/// Demanded components of loaded values: those that the program uses. A component that is replaced, or only
/// stored where it came from, is not demanded.
pub fn demanded(func: &Function) -> HashMap<Value, u16> {
    let mut uses = Uses { func, of: HashMap::new(), seen: HashSet::new() };
    let insts = || func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    for inst in insts() {
        for (k, v) in func.insts[*inst].args.iter().enumerate() {
            uses.of.entry(*v).or_default().push((*inst, k));
        }
    }
    let mut out = HashMap::new();
    for inst in insts() {
        let data = &func.insts[*inst];
        if let Op::Load(access) = &data.op {
            let v = data.results[0];
            uses.seen.clear();
            out.insert(v, if access.copied { 0 } else { uses.demanded(v, data.args[0]) });
        }
    }
    out
}

struct Uses<'a> {
    func: &'a Function,
    of: HashMap<Value, Vec<(Inst, usize)>>,
    seen: HashSet<Value>,
}

impl Uses<'_> {
    /// The demanded components of `v`, if it was loaded from `from`.
    fn demanded(&mut self, v: Value, from: Value) -> u16 {
        let lanes = self.func.ty(v).lanes();
        let all = ((1u32 << lanes) - 1) as u16;
        if lanes > 1 && !self.seen.insert(v) {
            return 0;
        }
        let func = self.func;
        let mut demanded = 0;
        for (inst, k) in self.of.get(&v).cloned().unwrap_or_default() {
            let data = &func.insts[inst];
            let result = data.results.first().copied();
            demanded |= match (&data.op, result) {
                (Op::Store(_), _) if k == 0 && self.is_same_location(data.args[1], from) => 0,
                _ if lanes == 1 => all,
                (Op::Extract(i), _) => 1 << i,
                (Op::Insert(i), Some(r)) if k == 0 => self.demanded(r, from) & !(1 << i),
                (Op::InsertDyn, Some(r)) if k == 0 => self.demanded(r, from),
                (Op::Shuffle(lanes_of), Some(r)) => {
                    let after = self.demanded(r, from);
                    let first = if k == 0 { 0 } else { func.ty(data.args[0]).lanes() };
                    let taken = (0u32..)
                        .zip(lanes_of)
                        .filter(|(to, _)| after >> to & 1 == 1)
                        .map(|(_, lane)| u32::from(*lane));
                    taken
                        .filter(|lane| (first..first + lanes).contains(lane))
                        .fold(0, |all, lane| all | 1 << (lane - first))
                }
                (Op::Bin(_) | Op::Un(_) | Op::Fma | Op::Mad | Op::Select | Op::Cast(_), Some(r))
                    if func.ty(r).lanes() == lanes =>
                {
                    self.demanded(r, from)
                }
                _ => all,
            };
        }
        demanded
    }

    fn is_same_location(&self, a: Value, b: Value) -> bool {
        let slot = |v: Value| match self.func.def_op(v) {
            Some(Op::SlotAddr(s)) => Some(*s),
            _ => None,
        };
        a == b || slot(a).is_some() && slot(a) == slot(b)
    }
}

fn order_bits(order: Ordering) -> u64 {
    match order {
        Ordering::Relaxed => 0,
        Ordering::Acquire => check::ACQUIRE,
        Ordering::Release => check::RELEASE,
        Ordering::AcqRel | Ordering::SeqCst => check::ACQUIRE | check::RELEASE,
    }
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

    pub fn instrumented_load(&mut self, data: &InstData, access: &Access, ty: Type) -> Result<Operand> {
        let p = self.get(data.args[0])?;
        let (n, bytes, lane) = (ty.lanes(), ty.lane().access_bytes().unwrap_or(8), lane_name(ty));
        let known = data.results.first().and_then(|r| self.r.demanded?.get(r)).copied();
        let demanded = if access.copied { 0 } else { known.unwrap_or(u16::MAX) };
        let uniform = p.is_uniform();
        self.check_access(
            data,
            &p,
            uniform,
            size_bits(bytes, n) | u64::from(demanded) << check::DEMANDED | volatile_bit(access),
        );
        let t = self.ty(lane, !uniform);
        let parts = (0..n)
            .map(|i| {
                let from = self.check_data(i, bytes, uniform);
                self.def(format!("load {t}, ptr {from}, align 1"))
            })
            .collect();
        Ok(Operand { kind: if uniform { OperandKind::Uniform } else { OperandKind::Varying }, parts })
    }

    pub fn instrumented_store(&mut self, data: &InstData, access: &Access) -> Result<Operand> {
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
        self.check_access(data, &p, uniform, check::STORE | size_bits(bytes, n) | volatile_bit(access));
        Ok(Operand::uniform("0"))
    }

    /// The addresses that atomics may access.
    pub fn instrumented_atomic(&mut self, data: &InstData, p: &Operand, bytes: u32) -> String {
        let (kind, order) = match &data.op {
            Op::AtomicStore { order, .. } => (check::STORE, *order),
            Op::AtomicLoad { order, .. } => (0, *order),
            Op::AtomicRmw { order, .. } => (check::STORE | check::BOTH, *order),
            Op::AtomicCas { success, .. } => (check::STORE | check::BOTH, *success),
            _ => (0, Ordering::Relaxed),
        };
        let what = kind | check::ATOMIC | order_bits(order) | size_bits(bytes, 1) | 1 << check::DEMANDED;
        self.check_access(data, p, false, what);
        self.def(format!("load <{} x ptr>, ptr %check.at, align 64", self.width))
    }

    pub fn instrumented_fence(&mut self, order: Ordering) {
        if order != Ordering::Relaxed {
            let (mask, what) = (self.check_mask(), check::FENCE | order_bits(order));
            self.line(format!(
                "call void %check.order(ptr %check, i64 {what}, i64 {mask}, ptr %check.position)"
            ));
        }
    }

    /// A barrier of the group, outside of any region, or of a sub-group.
    pub fn instrumented_barrier(&mut self, op: &Op) {
        let Op::Barrier { exec, spaces, .. } = op else { return };
        let kind = if *exec == Scope::SubGroup { check::VECTOR_BARRIER } else { check::GROUP_BARRIER };
        let local = if spaces.local { check::LOCAL } else { 0 };
        let global = if spaces.global || spaces.image { check::GLOBAL } else { 0 };
        self.line(format!(
            "call void %check.order(ptr %check, i64 {}, i64 -1, ptr %check.position)",
            kind | local | global
        ));
    }
}

fn volatile_bit(access: &Access) -> u64 {
    if access.volatile { check::VOLATILE } else { 0 }
}

fn size_bits(bytes: u32, components: u32) -> u64 {
    u64::from(bytes) << check::BYTES | u64::from(components) << check::COMPONENTS
}
