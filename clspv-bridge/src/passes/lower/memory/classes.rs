//! Points-to analysis and memory partitioning: sorts pointers into classes and chooses representation and
//! memory of each class.
//!
//! The analysis is unification-based (Steensgaard): pointers that may meet (through arithmetic, selects,
//! block parameters, comparisons) are in one class, found by union-find. Pointers that pass through memory or
//! integers meet in one *escape* node for each address space.
//!
//! The pointers of a class of global memory are device addresses, or in bindings mode offsets into one
//! storage-buffer binding. The memory of a class of local or private pointers is one array variable whose
//! element type follows from its accesses ([`Usage`]); pointers become 32-bit byte offsets into it. A generic
//! pointer takes the representation of the only address space of its class. Where there are several, the
//! pointers of each space form a class of their own and the generic ones are tagged.
//!
//! In the virtual mode, a global pointer stored in memory does not join the escape node, as it becomes a
//! virtual address there; a pointer loaded from memory may lead to any buffer of the launch. The pointers of
//! a class of several buffers are virtual addresses, and its accesses choose between [`BoundBuffer`]s.
//!
//! Among offsets, NULL is [`NULL_OFFSET`]. Accesses are rewritten by `lower_mem`, not here.

use crate::abi::{
    BindingSource, ImplicitArg, LaunchAbi, LocalSpec, NULL_OFFSET, PointerMode, SPEC_FIRST_FREE,
};
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use crate::passes::PassContext;
use crate::passes::lower::memory::plan::{MemoryPlan, PointerRep, Region};
use crate::passes::lower::memory::virtual_addresses;
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
}

impl Usage {
    fn note(&mut self, ty: Type, align: u32, atomic: bool) {
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

#[derive(Clone, Default, Debug)]
pub(crate) struct PointsToClass {
    spaces: u8,
    escaped: bool,
    /// Some of its global pointers come from memory or integers (virtual mode).
    incoming: bool,
    pub objects: Vec<MemoryObject>,
    usage: Usage,
}

const PRIVATE: u8 = 1;
const LOCAL: u8 = 2;
const GLOBAL: u8 = 4;

const SPACES: [(u8, Space); 3] = [(PRIVATE, Space::Private), (LOCAL, Space::Local), (GLOBAL, Space::Global)];

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
    for &block in &func.layout {
        for &i in &func.blocks[block].insts {
            let d = &func.insts[i];
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

/// Analyses the kernel, creates its memory variables, replaces its pointer parameters and fills the launch
/// contract. `None`: the bindings mode cannot express the kernel.
pub(crate) fn plan(
    func: &mut Function,
    info: &KernelInfo,
    globals: &PrimaryMap<Global, GlobalData>,
    has_data: bool,
    cx: &PassContext<'_>,
    abi: &mut LaunchAbi,
) -> Result<Option<MemoryPlan>> {
    let mode = abi.mode;
    let is_virtual = mode == PointerMode::Virtual;
    let Some(entry) = func.entry() else { return Err(CompileError::internal("kernel without a body")) };
    let params = func.blocks[entry].params.clone();
    let nodes = Nodes::new(func, globals.len(), params.len());
    let mut uf = UnionFind((0..nodes.total as u32).collect());
    let incoming = unify(func, globals, &nodes, &mut uf, is_virtual);
    for (i, &p) in params.iter().enumerate().filter(|(_, p)| func.ty(**p).space().is_some()) {
        uf.union(p.index(), nodes.args + i);
    }
    // Classes of several local objects, one of them an argument, share the common block, of which there is
    // only one.
    let objects = collect_objects(func, globals, &nodes, params.len());
    let mut by_class: BTreeMap<usize, Vec<MemoryObject>> = BTreeMap::new();
    for &(node, origin) in &objects {
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

    let mut classes: BTreeMap<usize, PointsToClass> = BTreeMap::new();
    for &(node, origin) in &objects {
        classes.entry(uf.find(node)).or_default().objects.push(origin);
    }
    for k in 0..4 {
        let root = uf.find(nodes.escape + k);
        classes.entry(root).or_default().escaped = true;
    }
    for node in incoming {
        classes.entry(uf.find(node)).or_default().incoming = true;
    }
    let mut of_value: Vec<Option<(usize, Space)>> = vec![None; func.value_count()];
    for (v, d) in func.values.iter() {
        if let Some(space) = d.ty.space().filter(|_| !matches!(d.def, ValueDef::Const(_))) {
            let root = uf.find(v.index());
            of_value[v.index()] = Some((root, space));
            classes.entry(root).or_default().spaces |= space_bit(space);
        }
    }
    let mixed: BTreeSet<usize> =
        classes.iter().filter(|(_, c)| c.is_mixed()).map(|(&root, _)| root).collect();
    let key =
        |(root, space): (usize, Space)| (root, if mixed.contains(&root) { space_bit(space) } else { 0 });
    let mut parts: BTreeMap<(usize, u8), PointsToClass> = BTreeMap::new();
    for (&root, class) in &classes {
        if !mixed.contains(&root) {
            parts.insert((root, 0), class.clone());
            continue;
        }
        if class.spaces & GLOBAL != 0 && mode == PointerMode::Bindings {
            return Ok(None);
        }
        for (bit, _) in SPACES.iter().filter(|(bit, _)| class.spaces & bit != 0) {
            let own = |o: &&MemoryObject| object_space(o, info) == *bit;
            let objects = class.objects.iter().filter(own).copied().collect();
            parts.insert((root, *bit), PointsToClass { spaces: *bit, objects, ..class.clone() });
        }
    }
    for &block in &func.layout {
        for &i in &func.blocks[block].insts {
            let d = &func.insts[i];
            let (Some(access), Some(k)) = (d.op.access(), d.op.address_arg()) else { continue };
            let Some(class) = of_value[d.args[k].index()].and_then(|at| parts.get_mut(&key(at))) else {
                continue;
            };
            let ty = match d.op {
                Op::Store(_) | Op::AtomicStore { .. } => func.ty(d.args[0]),
                _ => d.results.first().map_or(I32, |&r| func.ty(r)),
            };
            let atomic = !matches!(d.op, Op::Load(_) | Op::Store(_));
            class.usage.note(ty, access.align, atomic);
            class.usage.written |= !matches!(d.op, Op::Load(_) | Op::AtomicLoad { .. });
        }
    }
    let global_parts = parts.iter().filter(|(_, c)| c.spaces == GLOBAL);
    let points_to =
        virtual_addresses::points_to_sets(global_parts.map(|(&part, c)| (part, c)), info, has_data);
    let mut made = RegionBuilder {
        func,
        globals,
        mode,
        cx,
        abi,
        slot_offset: HashMap::new(),
        local_offset: HashMap::new(),
    };
    let mut regions = Vec::new();
    let mut region_space = Vec::new();
    let mut region_buffer = Vec::new();
    let mut candidates = HashMap::new();
    let mut reps: HashMap<(usize, u8), PointerRep> = HashMap::new();
    for (&part, class) in &parts {
        let rep = match class.spaces {
            0 => PointerRep::Addr,
            GLOBAL if mode == PointerMode::Addresses => PointerRep::Addr,
            GLOBAL if is_virtual => match points_to.buffers(part, info, made.abi).as_slice() {
                [buffer] if points_to.is_direct(part) => {
                    region_space.push(Space::Global);
                    regions.push(buffer.region);
                    region_buffer.push(Some(*buffer));
                    PointerRep::Region(regions.len() - 1)
                }
                buffers => {
                    candidates.insert(part, buffers.to_vec());
                    PointerRep::Addr
                }
            },
            GLOBAL => {
                let Some(region) = made.binding(class) else { return Ok(None) };
                region_space.push(Space::Global);
                regions.push(region);
                PointerRep::Region(regions.len() - 1)
            }
            LOCAL => {
                region_space.push(Space::Local);
                regions.push(made.array(class)?);
                PointerRep::Region(regions.len() - 1)
            }
            // Private memory, and constant views of structures that were passed by value.
            _ => {
                region_space.push(Space::Private);
                regions.push(made.array(&PointsToClass { spaces: PRIVATE, ..class.clone() })?);
                PointerRep::Region(regions.len() - 1)
            }
        };
        reps.insert(part, rep);
        region_buffer.resize(regions.len(), None);
    }
    // Generic pointers of mixed classes.
    for &root in &mixed {
        reps.insert((root, 0), PointerRep::Tagged);
    }
    let RegionBuilder { slot_offset, local_offset, .. } = made;
    let most = cx.target.max_buffer_descriptors.min(cx.target.max_descriptors);
    if mode == PointerMode::Bindings && abi.bindings.len() as u32 > most {
        return Ok(None);
    }
    let rep = of_value.iter().map(|at| at.and_then(|at| reps.get(&key(at)).copied())).collect();
    let dereferenced = only_dereferenced(func);
    let candidates_of = of_value.iter().map(|at| at.map(key)).collect();
    let plan = MemoryPlan {
        rep,
        regions,
        region_space,
        slot_offset,
        local_offset,
        dereferenced,
        is_virtual,
        region_buffer,
        candidates,
        candidates_of,
    };
    pointer_params(func, info, &plan, &params, abi);
    Ok(Some(plan))
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

struct RegionBuilder<'a> {
    func: &'a mut Function,
    globals: &'a PrimaryMap<Global, GlobalData>,
    mode: PointerMode,
    cx: &'a PassContext<'a>,
    abi: &'a mut LaunchAbi,
    slot_offset: HashMap<Slot, u32>,
    local_offset: HashMap<Global, u32>,
}

impl RegionBuilder<'_> {
    fn binding(&mut self, class: &PointsToClass) -> Option<Region> {
        debug_assert_eq!(self.mode, PointerMode::Bindings);
        let source = match class.objects[..] {
            _ if class.escaped => return None,
            [MemoryObject::Arg(i)] => BindingSource::Arg(i as u16),
            [MemoryObject::Data] => BindingSource::Data,
            [MemoryObject::Print] => BindingSource::Print,
            [] if !class.usage.any => return Some(Region::Unused),
            _ => return None,
        };
        if !class.usage.any {
            return Some(Region::Unused);
        }
        let binding = self.abi.bindings.len() as u32;
        let readonly = !class.usage.written;
        self.abi.bindings.push(source);
        self.abi.readonly.push(readonly);
        Some(Region::Binding { binding, readonly })
    }

    fn array(&mut self, class: &PointsToClass) -> Result<Region> {
        let private = class.spaces == PRIVATE;
        let var_class = if private { VarClass::Private } else { VarClass::Workgroup };
        // Every variable starts at a multiple of 16 bytes or of its own alignment.
        let mut bytes = 0u32;
        let mut args = Vec::new();
        for origin in &class.objects {
            let (size, align) = match origin {
                MemoryObject::Slot(s) => (self.func.slots[*s].size, self.func.slots[*s].align),
                MemoryObject::Local(g) => (self.globals[*g].size, self.globals[*g].align),
                MemoryObject::Arg(i) => {
                    args.push(*i as u16);
                    continue;
                }
                MemoryObject::Data | MemoryObject::Print => continue,
            };
            let start = bytes.checked_next_multiple_of(align.clamp(16, 128));
            let end = start.and_then(|s| s.checked_add(size)).filter(|e| *e < NULL_OFFSET);
            let (Some(start), Some(end)) = (start, end) else {
                return Err(CompileError::unsupported("variables of more than 2 GiB", 0));
            };
            match origin {
                MemoryObject::Slot(s) => drop(self.slot_offset.insert(*s, start)),
                MemoryObject::Local(g) => drop(self.local_offset.insert(*g, start)),
                _ => {}
            }
            bytes = end;
        }
        if !class.usage.any || class.objects.is_empty() {
            return Ok(Region::Unused);
        }
        let elem = class.usage.elem(self.cx);
        let elem_bytes = elem.access_bytes().unwrap_or(4);
        let fixed = bytes.next_multiple_of(16);
        if private {
            self.abi.private_bytes += fixed;
        } else {
            self.abi.static_local_bytes +=
                if args.is_empty() { bytes.next_multiple_of(elem_bytes) } else { fixed };
        }
        let len = if args.is_empty() {
            VarLen::Fixed(bytes.div_ceil(elem_bytes).max(1))
        } else {
            let spec = SPEC_FIRST_FREE + self.abi.local_specs.len() as u32;
            let what = if class.objects.len() == 1 {
                LocalSpec::Arg { arg: args[0], elem_bytes }
            } else {
                self.abi.common_local_args = args;
                LocalSpec::Common { fixed_bytes: fixed, elem_bytes }
            };
            self.abi.local_specs.push((spec, what));
            VarLen::Spec(spec)
        };
        let var = self.func.vars.push(VarData { class: var_class, elem, len });
        Ok(Region::Array { var, elem, class: var_class })
    }
}

/// Pointers that are only used as addresses of accesses, directly or after pointer arithmetic.
fn only_dereferenced(func: &Function) -> EntitySet<Value> {
    let mut other: EntitySet<Value> = EntitySet::new();
    let mut bases: HashMap<Value, Value> = HashMap::new();
    for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
        let d = &func.insts[*inst];
        if d.op == Op::PtrAdd {
            bases.insert(d.results[0], d.args[0]);
            continue;
        }
        let address = d.op.address_arg();
        let args = d.args.iter().enumerate().filter(|(k, _)| Some(*k) != address).map(|(_, a)| a);
        for a in args.chain(d.targets.iter().flat_map(|t| &t.args)) {
            let mut a = *a;
            while other.insert(a)
                && let Some(&base) = bases.get(&a)
            {
                a = base;
            }
        }
    }
    // Definitions may follow uses in the layout.
    for (&moved, &base) in &bases {
        let (mut moved, mut base) = (moved, base);
        while other.contains(moved) && other.insert(base) {
            match bases.get(&base) {
                Some(&next) => (moved, base) = (base, next),
                None => break,
            }
        }
    }
    let mut only = EntitySet::new();
    for v in func.values.keys().filter(|v| func.ty(*v).space().is_some() && !other.contains(*v)) {
        only.insert(v);
    }
    only
}

/// Defines each pointer parameter at entry; the parameter becomes the result of that instruction.
fn pointer_params(
    func: &mut Function,
    info: &KernelInfo,
    plan: &MemoryPlan,
    params: &[Value],
    abi: &LaunchAbi,
) {
    let mut head = Vec::new();
    for (i, (&param, arg)) in params.iter().zip(&info.args).enumerate() {
        if func.ty(param).space().is_none() {
            continue;
        }
        if let PointerRep::Region(r) = plan.rep(param)
            && let Some(buffer) = plan.region_buffer[r]
        {
            head.extend(virtual_addresses::param(func, param, &buffer, plan.dereferenced.contains(param)));
            continue;
        }
        let (op, ty) = match (plan.rep(param), arg.kind) {
            (PointerRep::Addr | PointerRep::Tagged, _) => (Op::Arg { offset: arg.offset }, I64),
            (PointerRep::Region(_), ArgKind::LocalPtr) if abi.common_local_args.contains(&(i as u16)) => {
                (Op::Implicit(ImplicitArg::LocalArgOffset(i as u16)), I32)
            }
            // Without accesses, the slot only shows whether the pointer is NULL.
            (PointerRep::Region(r), kind)
                if kind != ArgKind::LocalPtr && plan.regions[r] == Region::Unused =>
            {
                (Op::Arg { offset: arg.offset }, I32)
            }
            // The only object of its class is at offset 0 (written as an addition so that it remains an
            // instruction).
            (PointerRep::Region(_), _) => (Op::Bin(BinOp::Iadd), I32),
        };
        let zero = func.i32(0);
        let args: &[Value] = if matches!(op, Op::Bin(_)) { &[zero, zero] } else { &[] };
        let inst = func.make_inst(op, args, &[]);
        func.insts[inst].results.push(param);
        func.values[param] = ValueData { ty, def: ValueDef::Result(inst, 0) };
        head.push(inst);
    }
    if let Some(entry) = func.entry() {
        func.blocks[entry].params.clear();
        let insts = &mut func.blocks[entry].insts;
        head.append(insts);
        *insts = head;
    }
}
