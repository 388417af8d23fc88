//! Points-to analysis: sorts the pointers of a kernel into classes.
//!
//! The analysis is unification-based (Steensgaard): pointers that may meet (through arithmetic, selects,
//! block parameters, comparisons) are in one class, found by union-find. Pointers that pass through memory or
//! integers meet in one *escape* node for each address space.
//!
//! Where the pointers of several address spaces meet in generic pointers, the class is divided: the pointers
//! of each space form a class of their own.
//!
//! In the virtual mode, a global pointer stored in memory does not join the escape node, as it becomes a
//! virtual address there; a pointer loaded from memory may lead to any buffer of the launch.

use super::plan::ClassKey;
use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use crate::passes::PassContext;
use std::collections::{BTreeMap, BTreeSet};

/// Properties of all accesses of a class.
#[derive(Clone, Debug, Default)]
struct Usage {
    any: bool,
    written: bool,
    /// Largest unit in bytes that all accesses can be split into.
    unit: u32,
    /// Widest scalar in bytes.
    widest: u32,
    /// Widest integer atomic, or word around a narrower one, in bytes; 0 if there is none.
    atomic: u32,
    float: Option<Scalar>,
    int: bool,
    /// Lane count, if every access is one whole aligned vector with that many lanes.
    lanes: Option<u32>,
    /// Bytes of the accesses to whole words, and pieces of those that load and store parts of words, each
    /// as often as loops are likely to execute it.
    word_bytes: u64,
    loaded_parts: u64,
    stored_parts: u64,
}

/// Instructions that load and store a part of a word in private memory, beside one that accesses a word.
const PART_COSTS: [u64; 2] = [4, 6];
/// Assumed iterations of a loop, and number of nested loops that count.
const LOOP_WEIGHT: u64 = 8;
const LOOP_DEPTH: u32 = 3;

impl Usage {
    fn note(&mut self, ty: Type, align: u32, atomic: bool, stored: bool, weight: u64) {
        let scalar = ty.scalar().unwrap_or(Scalar::I64);
        let bytes = scalar.bytes();
        let unit = bytes.min(align.max(1));
        let whole = ty.lanes() == 2 || ty.lanes() == 4;
        let lanes = if !atomic && whole && align >= bytes * ty.lanes() { ty.lanes() } else { 1 };
        self.lanes = match self.lanes {
            None if !self.any => Some(lanes),
            Some(n) if n == lanes => Some(n),
            _ => None,
        };
        self.unit = if self.any { self.unit.min(unit) } else { unit };
        let total = u64::from(bytes * ty.lanes());
        let (sum, n) = match unit {
            _ if unit.is_multiple_of(4) => (&mut self.word_bytes, total),
            _ if stored => (&mut self.stored_parts, total / u64::from(unit)),
            _ => (&mut self.loaded_parts, total / u64::from(unit)),
        };
        *sum = sum.saturating_add(n.saturating_mul(weight));
        self.widest = self.widest.max(bytes);
        if atomic && (scalar.is_int() || bytes < 4) {
            // 16-bit atomics operate on the word around the value.
            self.atomic = self.atomic.max(bytes).max(4);
        }
        if scalar.is_float() && unit == bytes {
            self.float = Some(scalar);
        } else {
            self.int = true;
        }
        self.any = true;
    }
    /// Whether accesses to an array of words take fewer instructions than to one of smaller elements, from
    /// which words must be joined.
    fn prefers_words(&self) -> bool {
        let parts = self.loaded_parts.saturating_add(self.stored_parts);
        let small = (self.word_bytes / u64::from(self.unit.max(1))).saturating_mul(2).saturating_add(parts);
        let [load, store] = PART_COSTS;
        let words = (self.word_bytes / 4)
            .saturating_add(self.loaded_parts.saturating_mul(load))
            .saturating_add(self.stored_parts.saturating_mul(store));
        self.unit < 4 && self.atomic == 0 && words < small
    }
    /// Element type of an array for all accesses.
    fn elem(&self, cx: &PassContext<'_>) -> Type {
        let mut bytes = self.unit.max(self.atomic).max(1);
        if bytes == 1 && !cx.target.int8 || bytes == 2 && !cx.target.int16 {
            bytes = 4;
        }
        let uniform = self.unit == self.widest && self.unit == bytes;
        match self.float {
            Some(f)
                if uniform
                    && !self.int
                    && self.atomic == 0
                    && f.bytes() == bytes
                    && (f != Scalar::F16 || cx.target.float16) =>
            {
                return Type::vector(f, self.lanes.unwrap_or(1));
            }
            _ => {}
        }
        let int = Scalar::int(bytes * 8).unwrap_or(Scalar::I32);
        // Devices without int64 have no element wider than four words.
        let lanes = self.lanes.filter(|n| *n <= 2 || int != Scalar::I64 || cx.target.int64);
        Type::vector(int, if uniform && self.atomic == 0 { lanes.unwrap_or(1) } else { 1 })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryObject {
    Slot(Slot),
    Local(Global),
    Arg(usize),
    Data,
    Print,
}

impl MemoryObject {
    /// The number of the argument that points to it.
    pub(super) fn arg(&self) -> Option<u16> {
        match self {
            MemoryObject::Arg(i) => Some(*i as u16),
            _ => None,
        }
    }
}

#[derive(Clone, Default, Debug)]
pub(crate) struct PointsToClass {
    /// Bits of the address spaces of its pointers.
    pub(super) spaces: u8,
    pub(super) escaped: bool,
    /// Some of its global pointers come from memory or integers (virtual mode).
    incoming: bool,
    pub objects: Vec<MemoryObject>,
    usage: Usage,
}

pub(super) const PRIVATE: u8 = 1;
pub(super) const LOCAL: u8 = 2;
pub(super) const GLOBAL: u8 = 4;

fn space_bit(space: Space) -> u8 {
    match space {
        Space::Private => PRIVATE,
        Space::Local => LOCAL,
        Space::Global | Space::Constant => GLOBAL,
        Space::Generic => 0,
    }
}

impl PointsToClass {
    pub(crate) fn is_accessed(&self) -> bool {
        self.usage.any
    }
    pub(crate) fn is_written(&self) -> bool {
        self.usage.written
    }
    /// The class as one of private memory.
    pub(super) fn as_private(&self) -> PointsToClass {
        PointsToClass { spaces: PRIVATE, ..self.clone() }
    }
    /// Element type of an array for all its accesses.
    pub(super) fn elem(&self, cx: &PassContext<'_>) -> Type {
        // Stores of parts of words in local memory would be atomics.
        if self.spaces == PRIVATE && self.usage.prefers_words() { I32 } else { self.usage.elem(cx) }
    }
    /// Whether its global pointers may point into any buffer (virtual mode).
    pub(crate) fn leads_anywhere(&self) -> bool {
        self.escaped || self.incoming
    }
    /// Whether pointers of several address spaces meet in generic pointers.
    fn is_mixed(&self) -> bool {
        // A constant view of structures that were passed by value is private memory.
        let by_value = !self.escaped
            && self.spaces & LOCAL == 0
            && self.objects.iter().all(|o| matches!(o, MemoryObject::Slot(_)));
        self.spaces.count_ones() > 1 && !by_value
    }
}

fn object_space(origin: &MemoryObject, info: &KernelInfo) -> u8 {
    match origin {
        MemoryObject::Slot(_) => PRIVATE,
        MemoryObject::Local(_) => LOCAL,
        MemoryObject::Arg(i) if info.args.get(*i).is_some_and(|a| a.kind == ArgKind::LocalPtr) => LOCAL,
        MemoryObject::Arg(_) | MemoryObject::Data | MemoryObject::Print => GLOBAL,
    }
}

struct UnionFind(Vec<u32>);

impl UnionFind {
    fn find(&mut self, mut x: usize) -> usize {
        while self.0[x] as usize != x {
            let up = self.0[self.0[x] as usize];
            self.0[x] = up;
            x = up as usize;
        }
        x
    }
    fn union(&mut self, x: usize, y: usize) {
        let (x, y) = (self.find(x), self.find(y));
        if x != y {
            self.0[y.max(x)] = x.min(y) as u32;
        }
    }
}

struct Nodes {
    escape: usize,
    slots: usize,
    globals: usize,
    args: usize,
    data: usize,
    print: usize,
    total: usize,
}

impl Nodes {
    fn new(func: &Function, globals: usize, args: usize) -> Nodes {
        let escape = func.value_count();
        let slots = escape + 4;
        let first_global = slots + func.slots.len();
        let first_arg = first_global + globals;
        let data = first_arg + args;
        Nodes {
            escape,
            slots,
            globals: first_global,
            args: first_arg,
            data,
            print: data + 1,
            total: data + 2,
        }
    }
    fn escape(&self, space: Space) -> usize {
        self.escape
            + match space {
                Space::Private => 0,
                Space::Local => 1,
                Space::Global | Space::Constant => 2,
                Space::Generic => 3,
            }
    }
}

/// Unifies the nodes of each class. Returns the global pointers that come from memory or integers (virtual
/// mode only).
fn unify(
    func: &Function,
    globals: &PrimaryMap<Global, GlobalData>,
    n: &Nodes,
    uf: &mut UnionFind,
    is_virtual: bool,
) -> Vec<usize> {
    // Constants (NULL, undefined) join no class: they take the representation of the other operand.
    let pointer = |v: Value| func.ty(v).space().is_some() && func.as_const(v).is_none();
    let mut join = |x: Value, y: Value| {
        if pointer(x) && pointer(y) {
            uf.union(x.index(), y.index());
        }
    };
    let mut extra: Vec<(usize, usize)> = Vec::new();
    let mut generic_escapes = false;
    let mut incoming = Vec::new();
    let stays = |space: Option<Space>| is_virtual && matches!(space, Some(Space::Global | Space::Constant));
    for d in func.data_in_order() {
        for t in &d.targets {
            for (&p, &a) in func.blocks[t.block].params.iter().zip(&t.args) {
                join(p, a);
            }
        }
        let mut escape = |v: Value, extra: &mut Vec<(usize, usize)>| {
            if let Some(space) = func.ty(v).space().filter(|_| pointer(v)) {
                generic_escapes |= space == Space::Generic;
                extra.push((v.index(), n.escape(space)));
            }
        };
        match &d.op {
            Op::PtrAdd | Op::Cast(CastOp::PtrCast) => join(d.results[0], d.args[0]),
            Op::Select => {
                join(d.results[0], d.args[1]);
                join(d.results[0], d.args[2]);
            }
            Op::Icmp(_) => join(d.args[0], d.args[1]),
            Op::IsSpace(_) => {}
            Op::SlotAddr(s) => extra.push((d.results[0].index(), n.slots + s.index())),
            Op::GlobalAddr(g) => {
                let local = globals.get(*g).is_some_and(|g| g.space == Space::Local);
                extra.push((d.results[0].index(), if local { n.globals + g.index() } else { n.data }));
            }
            Op::PrintBuffer => extra.push((d.results[0].index(), n.print)),
            op => {
                // Operands other than the address of this access escape to memory or integers.
                let address = op.address_arg();
                for (k, &a) in d.args.iter().enumerate() {
                    if Some(k) != address && !stays(func.ty(a).space()) {
                        escape(a, &mut extra);
                    }
                }
                for &r in &d.results {
                    if stays(func.ty(r).space()) {
                        incoming.push(r.index());
                    } else {
                        escape(r, &mut extra);
                    }
                }
            }
        }
    }
    // A generic pointer from memory may be a pointer to any space.
    if generic_escapes {
        extra.extend((1..4).map(|k| (n.escape, n.escape + k)));
    }
    for (x, y) in extra {
        uf.union(x, y);
    }
    incoming
}

/// The classes of a kernel's pointers.
pub(crate) struct Classes {
    pub by_key: BTreeMap<ClassKey, PointsToClass>,
    /// Roots of the divided classes, whose generic pointers have the key `(root, 0)`.
    pub divided: BTreeSet<usize>,
    /// Root of the class and address space of each pointer, by value.
    of_value: Vec<Option<(usize, Space)>>,
}

impl Classes {
    /// Analyses a kernel with these parameters.
    pub(crate) fn new(
        func: &Function,
        info: &KernelInfo,
        globals: &PrimaryMap<Global, GlobalData>,
        params: &[Value],
        is_virtual: bool,
    ) -> Classes {
        let nodes = Nodes::new(func, globals.len(), params.len());
        let mut uf = UnionFind((0..nodes.total as u32).collect());
        let incoming = unify(func, globals, &nodes, &mut uf, is_virtual);
        for (i, &p) in params.iter().enumerate().filter(|(_, p)| func.ty(**p).space().is_some()) {
            uf.union(p.index(), nodes.args + i);
        }
        let objects = collect_objects(func, globals, &nodes, params.len());
        unify_common_local(&objects, info, &mut uf);
        let mut whole: BTreeMap<usize, PointsToClass> = BTreeMap::new();
        for &(node, origin) in &objects {
            whole.entry(uf.find(node)).or_default().objects.push(origin);
        }
        for k in 0..4 {
            let root = uf.find(nodes.escape + k);
            whole.entry(root).or_default().escaped = true;
        }
        for node in incoming {
            whole.entry(uf.find(node)).or_default().incoming = true;
        }
        let mut of_value: Vec<Option<(usize, Space)>> = vec![None; func.value_count()];
        for (v, d) in func.values.iter() {
            if let Some(space) = d.ty.space().filter(|_| !matches!(d.def, ValueDef::Const(_))) {
                let root = uf.find(v.index());
                of_value[v.index()] = Some((root, space));
                whole.entry(root).or_default().spaces |= space_bit(space);
            }
        }
        let (by_key, divided) = divide(whole, info);
        let mut classes = Classes { by_key, divided, of_value };
        classes.note_usage(func);
        classes
    }

    /// The key of the class of each pointer, by value.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Option<ClassKey>> + '_ {
        self.of_value.iter().map(|at| at.map(|at| self.key(at)))
    }

    /// The classes of pointers to global memory alone.
    pub(crate) fn global(&self) -> impl Iterator<Item = (ClassKey, &PointsToClass)> {
        self.by_key.iter().filter(|(_, c)| c.spaces == GLOBAL).map(|(&key, c)| (key, c))
    }

    fn key(&self, (root, space): (usize, Space)) -> ClassKey {
        (root, if self.divided.contains(&root) { space_bit(space) } else { 0 })
    }

    /// Adds the accesses to the classes of their addresses.
    fn note_usage(&mut self, func: &Function) {
        let loops = (!func.slots.is_empty()).then(|| {
            let cfg = Cfg::new(func);
            LoopForest::new(&cfg, &DomTree::new(&cfg))
        });
        for &block in &func.layout {
            let depth = loops.as_ref().map_or(0, |l| l.innermost(block).map_or(0, |i| l.loops()[i].depth));
            let weight = LOOP_WEIGHT.pow(depth.min(LOOP_DEPTH));
            for &inst in &func.blocks[block].insts {
                self.note_access(func, &func.insts[inst], weight);
            }
        }
    }

    fn note_access(&mut self, func: &Function, data: &InstData, weight: u64) {
        let (Some(access), Some(k)) = (data.op.access(), data.op.address_arg()) else { return };
        let key = self.of_value[data.args[k].index()].map(|at| self.key(at));
        let Some(class) = key.and_then(|key| self.by_key.get_mut(&key)) else { return };
        let ty = match data.op {
            Op::Store(_) | Op::AtomicStore { .. } => func.ty(data.args[0]),
            _ => data.results.first().map_or(I32, |&r| func.ty(r)),
        };
        let atomic = !matches!(data.op, Op::Load(_) | Op::Store(_));
        let stored = !matches!(data.op, Op::Load(_) | Op::AtomicLoad { .. });
        class.usage.note(ty, access.align, atomic, stored, weight);
        class.usage.written |= stored;
    }
}

/// Unifies the classes of several local objects, one of them an argument: they share the common block, of
/// which there is only one.
fn unify_common_local(objects: &[(usize, MemoryObject)], info: &KernelInfo, uf: &mut UnionFind) {
    let mut by_class: BTreeMap<usize, Vec<MemoryObject>> = BTreeMap::new();
    for &(node, origin) in objects {
        by_class.entry(uf.find(node)).or_default().push(origin);
    }
    let is_local_arg = |o: &MemoryObject| match o {
        MemoryObject::Arg(i) => info.args.get(*i).is_some_and(|a| a.kind == ArgKind::LocalPtr),
        _ => false,
    };
    let shared: Vec<usize> =
        by_class.iter().filter(|(_, o)| o.len() > 1 && o.iter().any(is_local_arg)).map(|(&c, _)| c).collect();
    for pair in shared.windows(2) {
        uf.union(pair[0], pair[1]);
    }
}

/// Divides the classes in which several address spaces meet; returns all classes, and the divided roots.
fn divide(
    whole: BTreeMap<usize, PointsToClass>,
    info: &KernelInfo,
) -> (BTreeMap<ClassKey, PointsToClass>, BTreeSet<usize>) {
    let (mut by_key, mut divided) = (BTreeMap::new(), BTreeSet::new());
    for (root, class) in whole {
        if !class.is_mixed() {
            by_key.insert((root, 0), class);
            continue;
        }
        divided.insert(root);
        for bit in [PRIVATE, LOCAL, GLOBAL].into_iter().filter(|bit| class.spaces & bit != 0) {
            let own = |o: &&MemoryObject| object_space(o, info) == bit;
            let objects = class.objects.iter().filter(own).copied().collect();
            by_key.insert((root, bit), PointsToClass { spaces: bit, objects, ..class.clone() });
        }
    }
    (by_key, divided)
}

fn collect_objects(
    func: &Function,
    globals: &PrimaryMap<Global, GlobalData>,
    n: &Nodes,
    params: usize,
) -> Vec<(usize, MemoryObject)> {
    let mut out = Vec::new();
    out.extend(func.slots.keys().map(|s| (n.slots + s.index(), MemoryObject::Slot(s))));
    out.extend(
        globals
            .iter()
            .filter(|(_, g)| g.space == Space::Local)
            .map(|(g, _)| (n.globals + g.index(), MemoryObject::Local(g))),
    );
    let entry = func.entry();
    for i in 0..params {
        let pointer = entry.is_some_and(|e| func.ty(func.blocks[e].params[i]).space().is_some());
        if pointer {
            out.push((n.args + i, MemoryObject::Arg(i)));
        }
    }
    out.push((n.data, MemoryObject::Data));
    out.push((n.print, MemoryObject::Print));
    out
}
