//! Memory partitioning: chooses the representation of the pointers of each class, and its memory.
//!
//! The pointers of a class of global memory are device addresses, or in bindings mode offsets into one
//! storage-buffer binding. The memory of a class of local or private pointers is one array variable whose
//! element type follows from its accesses; pointers become 32-bit byte offsets into it. A generic pointer
//! takes the representation of the only address space of its class, and is tagged if there are several.
//!
//! In the virtual modes, the pointers of a class of several buffers are virtual addresses, and its accesses
//! choose between [`BoundBuffer`]s. Among offsets, NULL is [`NULL_OFFSET`].

use super::classes::{Classes, GLOBAL, LOCAL, MemoryObject, PRIVATE, PointsToClass};
use super::plan::{BoundBuffer, ClassKey, MemoryPlan, PointerRep, Region};
use super::reach;
use super::virtual_addresses::{self, PointsToSets};
use crate::abi::{
    BindingSource, ImplicitArg, LaunchAbi, LocalSpec, NULL_OFFSET, PointerMode, SPEC_FIRST_FREE,
};
use crate::error::{CompileError, Result, ice};
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use crate::passes::PassContext;
use rustc_hash::FxHashMap;

/// Analyses the kernel, creates its memory variables, replaces its pointer parameters and fills the launch
/// contract. `None`: the bindings mode cannot express the kernel, or the device has too few descriptors for
/// the virtual mode.
pub(crate) fn plan(
    func: &mut Function,
    info: &KernelInfo,
    globals: &PrimaryMap<Global, GlobalData>,
    has_data: bool,
    cx: &PassContext<'_>,
    abi: &mut LaunchAbi,
) -> Result<Option<MemoryPlan>> {
    let mode = abi.mode;
    let Some(entry) = func.entry() else { return Err(ice!("kernel without a body")) };
    let params = func.blocks[entry].params.clone();
    let classes = Classes::new(func, info, globals, &params, mode.is_virtual());
    // Pointers of several spaces need addresses.
    if mode == PointerMode::Bindings && classes.by_key.keys().any(|(_, space)| *space == GLOBAL) {
        return Ok(None);
    }
    let points_to = virtual_addresses::points_to_sets(classes.global(), info, has_data);
    let made = MemoryPlan::new(mode.is_virtual(), classes.keys().collect());
    // Arguments take what variables leave of the workgroup memory.
    let has_local_args = info.args.iter().any(|arg| arg.kind == ArgKind::LocalPtr);
    let memory = cx.target.max_workgroup_memory;
    let ends = if has_local_args { FxHashMap::default() } else { reach::ends(func, globals, memory) };
    let mut builder = RegionBuilder { func, info, globals, cx, abi, points_to, ends, made };
    let mut reps: FxHashMap<ClassKey, PointerRep> = FxHashMap::default();
    for (&key, class) in &classes.by_key {
        let Some(rep) = builder.represent(key, class)? else { return Ok(None) };
        reps.insert(key, rep);
    }
    for &root in &classes.divided {
        reps.insert((root, 0), PointerRep::Tagged);
    }
    let mut made = builder.made;
    let vulkan = cx.target.needs_vulkan()?;
    let most = vulkan.max_buffer_descriptors.min(vulkan.max_descriptors);
    if mode == PointerMode::Bindings && abi.bindings.len() as u32 > most
        || mode == PointerMode::Virtual && !abi.has_room(vulkan)
    {
        return Ok(None);
    }
    made.rep = classes.keys().map(|key| key.and_then(|key| reps.get(&key).copied())).collect();
    made.dereferenced = only_dereferenced(func);
    pointer_params(func, info, &made, &params, abi);
    Ok(Some(made))
}

/// Creates the memory of the classes one after another.
struct RegionBuilder<'a> {
    func: &'a mut Function,
    info: &'a KernelInfo,
    globals: &'a PrimaryMap<Global, GlobalData>,
    cx: &'a PassContext<'a>,
    abi: &'a mut LaunchAbi,
    points_to: PointsToSets,
    /// Bytes of workgroup variables that accesses reach.
    ends: FxHashMap<Global, u32>,
    made: MemoryPlan,
}

impl RegionBuilder<'_> {
    /// Chooses representation and memory of a class. `None`: the bindings mode cannot express it.
    fn represent(&mut self, key: ClassKey, class: &PointsToClass) -> Result<Option<PointerRep>> {
        Ok(match class.spaces {
            0 => Some(PointerRep::Addr),
            GLOBAL => self.global(key, class),
            LOCAL => {
                let region = self.array(class)?;
                Some(self.add(Space::Local, region, None))
            }
            // Private memory, and constant views of structures that were passed by value.
            _ => {
                let region = self.array(&class.as_private())?;
                Some(self.add(Space::Private, region, None))
            }
        })
    }

    fn global(&mut self, key: ClassKey, class: &PointsToClass) -> Option<PointerRep> {
        match self.abi.mode {
            PointerMode::Addresses => Some(PointerRep::Addr),
            PointerMode::Bindings => {
                let region = self.binding(class)?;
                Some(self.add(Space::Global, region, None))
            }
            PointerMode::Virtual | PointerMode::Windowed => {
                let buffers = self.points_to.buffers(key, self.info, self.abi);
                if let [buffer] = buffers[..]
                    && self.points_to.is_direct(key)
                {
                    return Some(self.add(Space::Global, buffer.region, Some(buffer)));
                }
                self.made.candidates.insert(key, buffers);
                Some(PointerRep::Addr)
            }
        }
    }

    fn add(&mut self, space: Space, region: Region, buffer: Option<BoundBuffer>) -> PointerRep {
        self.made.regions.push(region);
        self.made.region_space.push(space);
        self.made.region_buffer.push(buffer);
        PointerRep::Region(self.made.regions.len() - 1)
    }

    fn binding(&mut self, class: &PointsToClass) -> Option<Region> {
        let source = match class.objects[..] {
            _ if class.escaped => return None,
            [MemoryObject::Arg(i)] => BindingSource::Arg(i as u16),
            [MemoryObject::Data] => BindingSource::Data,
            [MemoryObject::Print] => BindingSource::Print,
            [] if !class.is_accessed() => return Some(Region::Unused),
            _ => return None,
        };
        if !class.is_accessed() {
            return Some(Region::Unused);
        }
        let binding = self.abi.bindings.len() as u32;
        let readonly = !class.is_written();
        self.abi.bindings.push(source);
        self.abi.readonly.push(readonly);
        Some(Region::Binding { binding, readonly })
    }

    /// Declares the array of a class of local or private memory.
    fn array(&mut self, class: &PointsToClass) -> Result<Region> {
        let is_private = class.spaces == PRIVATE;
        let bytes = self.place_objects(class)?;
        if !class.is_accessed() || class.objects.is_empty() {
            return Ok(Region::Unused);
        }
        let elem = class.elem(self.cx);
        let elem_bytes = elem.access_bytes().unwrap_or(4);
        let fixed = bytes.next_multiple_of(16);
        let args: Vec<u16> = class.objects.iter().filter_map(MemoryObject::arg).collect();
        if is_private {
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
        let var_class = if is_private { VarClass::Private } else { VarClass::Workgroup };
        let var = self.func.vars.push(VarData { class: var_class, elem, len });
        Ok(Region::Array { var, elem, class: var_class })
    }

    /// Lays out the variables of a class, which start at multiples of 16 bytes or of their own alignment.
    /// Returns the end of the last one.
    fn place_objects(&mut self, class: &PointsToClass) -> Result<u32> {
        let mut bytes = 0u32;
        for object in &class.objects {
            let (size, align) = match object {
                MemoryObject::Slot(s) => (self.func.slots[*s].size, self.func.slots[*s].align),
                MemoryObject::Local(g) => {
                    let size = self.globals[*g].size;
                    (self.ends.get(g).map_or(size, |end| size.max(*end)), self.globals[*g].align)
                }
                MemoryObject::Arg(_) | MemoryObject::Data | MemoryObject::Print => continue,
            };
            let start = bytes.checked_next_multiple_of(align.clamp(16, 128));
            let end = start.and_then(|s| s.checked_add(size)).filter(|e| *e < NULL_OFFSET);
            let (Some(start), Some(end)) = (start, end) else {
                return Err(CompileError::unsupported("variables of more than 2 GiB", 0));
            };
            match object {
                MemoryObject::Slot(s) => drop(self.made.slot_offset.insert(*s, start)),
                MemoryObject::Local(g) => drop(self.made.local_offset.insert(*g, start)),
                _ => {}
            }
            bytes = end;
        }
        Ok(bytes)
    }
}

/// Pointers that are only used as addresses of accesses, directly or after pointer arithmetic.
fn only_dereferenced(func: &Function) -> EntitySet<Value> {
    let mut other: EntitySet<Value> = EntitySet::new();
    let mut bases: FxHashMap<Value, Value> = FxHashMap::default();
    for d in func.data_in_order() {
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
