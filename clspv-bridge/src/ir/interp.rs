//! Reference interpreter: runs a function as one work-group, in any phase.
//!
//! Tests compare passes with it. Undefined bits are tracked ([`value`]), accesses are checked against their
//! objects ([`memory`]), and undefined behaviour stops the run with [`Stop::Undefined`]. Work-items run one
//! after the other, each to the next barrier or group operation ([`groups`]). After lowering, the launch
//! contract (push-constant block, bindings, specialised lengths, shader inputs) comes from [`Launch`]. OpenCL
//! built-ins are not supported: lower them first.

mod accesses;
mod groups;
mod lanes;
pub(crate) mod memory;
mod stop;
#[cfg(test)]
mod tests;
pub mod value;

use super::EntityRef;
use super::check::CheckOp;
use super::entity::{Block, FuncRef, Global, Slot, Value, Var};
use super::func::{Function, ValueDef};
use super::implicit_arg::ImplicitArg;
use super::inst::{BlockCall, InstData, Op, Scope, ShaderInput, WorkItemQuery};
use super::lanes::{CallExtent, ContextField};
use super::module::Module;
use super::types::{Space, Type};
use accesses::{MemoryOperands, Variables};
use memory::Memory;
use rustc_hash::FxHashMap;
use stop::{undefined, unsupported};
use value::{Lane, LaneValues};

pub use stop::Stop;

/// Bytes of scratch memory.
const SCRATCH_BYTES: usize = 1 << 20;

/// Geometry of a launch, and the values that the runtime would provide through the launch contract.
#[derive(Clone, Debug)]
pub struct Launch {
    pub work_dim: u32,
    pub local_size: [u32; 3],
    pub num_groups: [u32; 3],
    pub group: [u32; 3],
    pub offset: [u64; 3],
    /// Work-items of a full sub-group.
    pub sub_group_size: u32,
    /// The push-constant block; before it is laid out, the kernel's arguments.
    pub block: Vec<u8>,
    /// Addresses of the bound objects.
    pub bindings: Vec<u64>,
    /// Lengths of arrays by SpecId.
    pub lengths: FxHashMap<u32, u32>,
    /// Most instructions of a run.
    pub fuel: u64,
}

impl Default for Launch {
    fn default() -> Self {
        Launch {
            work_dim: 1,
            local_size: [1; 3],
            num_groups: [1; 3],
            group: [0; 3],
            offset: [0; 3],
            sub_group_size: 1,
            block: Vec::new(),
            bindings: Vec::new(),
            lengths: FxHashMap::default(),
            fuel: 1_000_000,
        }
    }
}

/// A module with its memory.
pub struct Machine<'m> {
    module: &'m Module,
    pub memory: Memory,
    globals: FxHashMap<Global, u64>,
    /// Address of scratch memory.
    scratch: Option<u64>,
}

struct Frame<'m> {
    func: &'m Function,
    block: Block,
    next: usize,
    values: Vec<Option<LaneValues>>,
    slots: FxHashMap<Slot, u64>,
    /// Values of the caller that receive the results.
    results: Vec<Value>,
}

struct Item<'m> {
    id: [u32; 3],
    frames: Vec<Frame<'m>>,
    privates: FxHashMap<Var, u64>,
    results: Vec<LaneValues>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    AtBarrier(Scope),
    AtGroup(Scope),
    Finished,
}

impl<'m> Machine<'m> {
    /// Lays out the module's variables.
    pub fn new(module: &'m Module) -> Machine<'m> {
        let mut memory = Memory::default();
        let mut globals = FxHashMap::default();
        for (g, data) in module.globals.iter() {
            let address = match &data.init {
                Some(init) => {
                    let mut bytes = init.clone();
                    bytes.resize(data.size as usize, 0);
                    memory.alloc(&bytes)
                }
                None if data.space == Space::Local => memory.alloc_undefined(data.size as usize),
                None => memory.alloc(&vec![0; data.size as usize]),
            };
            memory.set_space(address, data.space);
            globals.insert(g, address);
        }
        for (g, data) in module.globals.iter() {
            for r in &data.relocs {
                let target = globals.get(&r.target).map_or(0, |t| t.wrapping_add(r.addend as u64));
                let bytes: Vec<(u8, u8)> = target.to_le_bytes().iter().map(|b| (*b, 0)).collect();
                let _ = memory.store(globals[&g] + r.offset as u64, &bytes);
            }
            if data.readonly {
                memory.protect(globals[&g]);
            }
        }
        Machine { module, memory, globals, scratch: None }
    }

    /// Runs a function as one work-item.
    pub fn call(&mut self, func: FuncRef, args: &[LaneValues]) -> Result<Vec<LaneValues>, Stop> {
        let results = self.run(func, args, &Launch::default())?;
        Ok(results.into_iter().next().unwrap_or_default())
    }

    /// Runs a function as one work-group; returns the results of each work-item.
    pub fn run(
        &mut self,
        func: FuncRef,
        args: &[LaneValues],
        launch: &Launch,
    ) -> Result<Vec<Vec<LaneValues>>, Stop> {
        let module = self.module;
        let Some(function) = module.functions.get(func) else {
            return Err(Stop::Unsupported("no such function".into()));
        };
        let mut fuel = launch.fuel;
        let mut shared: FxHashMap<Var, u64> = FxHashMap::default();
        let [sx, sy, sz] = extent_items(function.extent, launch.local_size);
        let step = match function.extent {
            CallExtent::Vector(shape) if !shape.linear => u32::from(shape.width),
            _ => 1,
        };
        let mut items = Vec::new();
        for id in (0..sz).flat_map(|z| (0..sy).flat_map(move |y| (0..sx).map(move |x| [x * step, y, z]))) {
            let frame = enter(function, args, Vec::new())?;
            items.push(Item {
                id,
                frames: vec![frame],
                privates: FxHashMap::default(),
                results: Vec::new(),
                state: State::Running,
            });
        }
        loop {
            for item in items.iter_mut().filter(|i| i.state == State::Running) {
                item.state = self.advance(item, launch, &mut shared, &mut fuel)?;
            }
            if items.iter().all(|i| i.state == State::Finished) {
                return Ok(items.into_iter().map(|i| i.results).collect());
            }
            let size = launch.sub_group_size.max(1) as usize;
            let largest = size.min(items.len()) as u32;
            let mut progress = false;
            for group in items.chunks_mut(size) {
                progress |= sub_group_step(group, largest)?;
            }
            if progress {
                continue;
            }
            let released = |s: State| s == State::AtBarrier(Scope::WorkGroup);
            if items.iter().all(|i| released(i.state)) {
                items.iter_mut().for_each(|i| i.state = State::Running);
            } else if items.iter().all(|i| i.state == State::AtGroup(Scope::WorkGroup)) {
                let mut all: Vec<(u32, &mut Item<'m>)> =
                    items.iter_mut().enumerate().map(|(i, x)| (i as u32, x)).collect();
                let first = groups::position(all[0].1);
                if all.iter().any(|(_, i)| groups::position(i) != first) {
                    return undefined("a group operation that some work-items do not reach");
                }
                group_step(&mut all, u32::MAX)?;
            } else {
                return undefined("a barrier that some work-items do not reach");
            }
        }
    }

    fn advance(
        &mut self,
        item: &mut Item<'m>,
        launch: &Launch,
        shared: &mut FxHashMap<Var, u64>,
        fuel: &mut u64,
    ) -> Result<State, Stop> {
        loop {
            let Some(frame) = item.frames.last_mut() else { return Ok(State::Finished) };
            let func = frame.func;
            let Some(&inst) = func.blocks[frame.block].insts.get(frame.next) else {
                return undefined("a block without a terminator");
            };
            *fuel = fuel.checked_sub(1).ok_or(Stop::Fuel)?;
            frame.next += 1;
            let data = &func.insts[inst];
            match &data.op {
                Op::Jump => take(frame, &data.targets[0])?,
                Op::BrIf => match frame.known(data, 0) {
                    Some(c) => take(frame, &data.targets[1 - (c & 1) as usize])?,
                    None => return undefined("a branch on an undefined condition"),
                },
                Op::Switch(cases) => match frame.known(data, 0) {
                    Some(x) => {
                        let at = cases.iter().position(|c| *c == x).map_or(0, |i| i + 1);
                        take(frame, &data.targets[at])?;
                    }
                    None => return undefined("a switch on an undefined value"),
                },
                Op::Unreachable => return undefined("unreachable code is reached"),
                Op::Return => {
                    let values: Vec<LaneValues> =
                        data.args.iter().map(|a| frame.value(*a)).collect::<Result<_, _>>()?;
                    let results = std::mem::take(&mut frame.results);
                    item.frames.pop();
                    match item.frames.last_mut() {
                        Some(caller) => {
                            results.iter().zip(values).for_each(|(r, v)| caller.values[r.index()] = Some(v))
                        }
                        None => item.results = values,
                    }
                }
                Op::Call(callee) => {
                    let args: Vec<LaneValues> =
                        data.args.iter().map(|a| frame.value(*a)).collect::<Result<_, _>>()?;
                    let callee = &self.module.functions[*callee];
                    if callee.layout.is_empty() {
                        return Err(Stop::Unsupported(format!("call of {}", callee.name)));
                    }
                    if item.frames.len() > 200 {
                        return Err(Stop::Fuel);
                    }
                    item.frames.push(enter(callee, &args, data.results.to_vec())?);
                }
                Op::Barrier { exec: Scope::SubGroup, .. } => return Ok(State::AtBarrier(Scope::SubGroup)),
                Op::Barrier { .. } => return Ok(State::AtBarrier(Scope::WorkGroup)),
                Op::Group { scope, .. } => return Ok(State::AtGroup(*scope)),
                Op::Lanes(_)
                | Op::Check(CheckOp::Load { .. } | CheckOp::Store(_) | CheckOp::Address { .. }) => {
                    let args: Vec<LaneValues> =
                        data.args.iter().map(|a| frame.value(*a)).collect::<Result<_, _>>()?;
                    let types = |values: &[Value]| values.iter().map(|v| func.ty(*v)).collect::<Vec<Type>>();
                    let operands = lanes::Operands { types: &types(&data.args), args: &args };
                    let results = lanes::execute(&mut self.memory, data, &operands, &types(&data.results))?;
                    for (r, value) in data.results.iter().zip(results) {
                        frame.values[r.index()] = Some(value);
                    }
                }
                _ => {
                    let result = self.step(item, data, launch, shared)?;
                    if let (Some(value), Some(r), Some(frame)) =
                        (result, data.results.first(), item.frames.last_mut())
                    {
                        frame.values[r.index()] = Some(value);
                    }
                }
            }
        }
    }

    /// Executes an instruction that is not a terminator.
    fn step(
        &mut self,
        item: &mut Item<'m>,
        data: &InstData,
        launch: &Launch,
        shared: &mut FxHashMap<Var, u64>,
    ) -> Result<Option<LaneValues>, Stop> {
        let id = item.id;
        let Some(frame) = item.frames.last_mut() else { return undefined("no frame") };
        let func = frame.func;
        let args: Vec<LaneValues> = data.args.iter().map(|a| frame.value(*a)).collect::<Result<_, _>>()?;
        let types: Vec<Type> = data.args.iter().map(|a| func.ty(*a)).collect();
        let ty = data.results.first().map(|r| func.ty(*r));
        let memory = &mut self.memory;
        Ok(match &data.op {
            Op::Fence { .. } | Op::Check(_) => None,
            Op::Load(_)
            | Op::Store(_)
            | Op::Memcpy { .. }
            | Op::Memset(_)
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::AtomicRmw { .. }
            | Op::AtomicCas { .. } => {
                let variables = Variables { func, privates: &mut item.privates, shared, launch };
                let operands = MemoryOperands { op: &data.op, args: &args, types: &types, ty };
                return accesses::execute(memory, variables, &operands);
            }
            Op::SlotAddr(slot) => {
                let data = &func.slots[*slot];
                // Each work-item of a vector has a copy.
                let size = match func.extent.shape() {
                    Some(shape) => data.size.next_multiple_of(data.align.max(1)) * u32::from(shape.width),
                    None => data.size,
                } as usize;
                let address = *frame.slots.entry(*slot).or_insert_with(|| memory.alloc_undefined(size));
                memory.set_space(address, Space::Private);
                Some(value::scalar(address))
            }
            Op::IsSpace(space) => {
                let is = |l: &Lane| match l.get() {
                    Some(at) => Lane::known(u64::from(memory.space(at) == *space)),
                    None => Lane::undefined(1),
                };
                Some(args[0].iter().map(is).collect())
            }
            Op::Context(ContextField::NoStream) => Some(value::scalar(1)),
            Op::Context(ContextField::Scratch) => {
                let at = *self.scratch.get_or_insert_with(|| memory.alloc_undefined(SCRATCH_BYTES));
                memory.set_space(at, Space::Private);
                Some(value::scalar(at))
            }
            Op::GlobalAddr(g) => Some(value::scalar(self.globals.get(g).copied().unwrap_or(0))),
            // Ids of a vectorised function are those of the vector.
            Op::WorkItem { query: WorkItemQuery::LocalId, dim } if func.extent != CallExtent::WorkItem => {
                Some(value::scalar(id[*dim as usize] as u64))
            }
            Op::WorkItem { query: WorkItemQuery::SubGroupId, .. } if func.extent != CallExtent::WorkItem => {
                Some(value::scalar(id[0] as u64))
            }
            Op::WorkItem { query, dim } => Some(value::scalar(work_item(*query, *dim as usize, id, launch))),
            Op::Input { input, dim } => Some(value::scalar(shader_input(*input, *dim as usize, id, launch))),
            Op::Implicit(arg) => match implicit(*arg, launch) {
                Some(v) => Some(value::scalar(v & u64::MAX >> (64 - ty.map_or(64, value::width)))),
                None => return unsupported(&data.op),
            },
            Op::PushConst { offset } | Op::Arg { offset } => {
                let ty = ty.unwrap_or(super::I32);
                let (at, size) = (*offset as usize, ty.access_bytes().unwrap_or(0) as usize);
                let Some(bytes) = launch.block.get(at..at + size) else {
                    return undefined("a push constant outside of the block");
                };
                Some(value::from_bytes(&bytes.iter().map(|b| (*b, 0)).collect::<Vec<_>>(), ty))
            }
            op => match ty.and_then(|ty| value::eval(op, &types, &args.iter().collect::<Vec<_>>(), ty)) {
                Some(value) => Some(value),
                None => return unsupported(&data.op),
            },
        })
    }
}

/// Releases the work-items of a sub-group that wait for no others; returns whether there are any.
fn sub_group_step(group: &mut [Item<'_>], largest: u32) -> Result<bool, Stop> {
    let waits = |i: &Item<'_>| i.state == State::AtGroup(Scope::SubGroup);
    if let Some(first) = group.iter().filter(|i| waits(i)).map(groups::position).min() {
        let mut together: Vec<(u32, &mut Item<'_>)> = (0u32..).zip(group.iter_mut()).collect();
        together.retain(|(_, i)| waits(i) && groups::position(i) == first);
        group_step(&mut together, largest)?;
        return Ok(true);
    }
    let at_barrier = State::AtBarrier(Scope::SubGroup);
    if group.iter().all(|i| i.state == at_barrier) {
        group.iter_mut().for_each(|i| i.state = State::Running);
        return Ok(true);
    }
    Ok(false)
}

/// Executes the group operation at which all these work-items have stopped. The numbers are their ids in the
/// group.
fn group_step(items: &mut [(u32, &mut Item<'_>)], size: u32) -> Result<(), Stop> {
    let Some((func, inst)) = items.first().and_then(|(_, i)| groups::instruction(i)) else { return Ok(()) };
    let data = &func.insts[inst];
    let (Op::Group { op, .. }, Some(&result)) = (&data.op, data.results.first()) else { return Ok(()) };
    let mut members = Vec::with_capacity(items.len());
    for (id, item) in items.iter() {
        let Some(frame) = item.frames.last() else { continue };
        let args = data.args.iter().map(|a| frame.value(*a)).collect::<Result<_, _>>()?;
        members.push(groups::Member { id: *id, args });
    }
    let arg = data.args.first().map(|a| func.ty(*a));
    let values = groups::evaluate(op, arg, func.ty(result), &members, size)?;
    for ((_, item), value) in items.iter_mut().zip(values) {
        item.state = State::Running;
        if let Some(frame) = item.frames.last_mut() {
            frame.values[result.index()] = Some(value);
        }
    }
    Ok(())
}

impl Frame<'_> {
    fn value(&self, v: Value) -> Result<LaneValues, Stop> {
        if let ValueDef::Const(c) = &self.func.values[v].def {
            return Ok(value::constant(c));
        }
        match self.values.get(v.index()).and_then(|v| v.clone()) {
            Some(value) => Ok(value),
            None => Err(Stop::Unsupported(format!("{v} is read before it is defined in {}", self.func.name))),
        }
    }
    fn known(&self, data: &InstData, arg: usize) -> Option<u64> {
        self.value(*data.args.get(arg)?).ok()?.first()?.get()
    }
}

fn enter<'m>(func: &'m Function, args: &[LaneValues], results: Vec<Value>) -> Result<Frame<'m>, Stop> {
    let Some(block) = func.entry() else {
        return Err(Stop::Unsupported(format!("{} has no body", func.name)));
    };
    let params = &func.blocks[block].params;
    if params.len() != args.len() {
        return Err(Stop::Unsupported(format!("{} takes {} arguments", func.name, params.len())));
    }
    let mut values: Vec<Option<LaneValues>> = vec![None; func.value_count()];
    for (p, a) in params.iter().zip(args) {
        values[p.index()] = Some(a.clone());
    }
    Ok(Frame { func, block, next: 0, values, slots: FxHashMap::default(), results })
}

fn take(frame: &mut Frame<'_>, call: &BlockCall) -> Result<(), Stop> {
    let args: Vec<LaneValues> = call.args.iter().map(|a| frame.value(*a)).collect::<Result<_, _>>()?;
    for (p, a) in frame.func.blocks[call.block].params.iter().zip(args) {
        frame.values[p.index()] = Some(a);
    }
    (frame.block, frame.next) = (call.block, 0);
    Ok(())
}

/// Number of calls in each dimension that run a group of this size.
fn extent_items(extent: CallExtent, size: [u32; 3]) -> [u32; 3] {
    match extent {
        CallExtent::WorkItem => size,
        CallExtent::Vector(shape) if shape.linear => {
            [size.iter().product::<u32>().div_ceil(u32::from(shape.width).max(1)), 1, 1]
        }
        CallExtent::Vector(shape) => [size[0].div_ceil(u32::from(shape.width).max(1)), size[1], size[2]],
        CallExtent::WorkGroup(_) => [1; 3],
    }
}

fn linear(id: [u32; 3], size: [u32; 3]) -> u64 {
    id[0] as u64 + size[0] as u64 * (id[1] as u64 + size[1] as u64 * id[2] as u64)
}

fn work_item(query: WorkItemQuery, dim: usize, id: [u32; 3], l: &Launch) -> u64 {
    let size = |d: usize| l.local_size[d] as u64;
    let global_size = |d: usize| size(d) * l.num_groups[d] as u64;
    let global_id = |d: usize| l.group[d] as u64 * size(d) + id[d] as u64;
    let items = size(0) * size(1) * size(2);
    let full = l.sub_group_size.max(1) as u64;
    match query {
        WorkItemQuery::GlobalId => global_id(dim) + l.offset[dim],
        WorkItemQuery::LocalId => id[dim] as u64,
        WorkItemQuery::GroupId => l.group[dim] as u64,
        WorkItemQuery::GlobalSize => global_size(dim),
        WorkItemQuery::LocalSize | WorkItemQuery::EnqueuedLocalSize => size(dim),
        WorkItemQuery::NumGroups => l.num_groups[dim] as u64,
        WorkItemQuery::GlobalOffset => l.offset[dim],
        WorkItemQuery::WorkDim => l.work_dim as u64,
        WorkItemQuery::GlobalLinearId => {
            global_id(0) + global_size(0) * (global_id(1) + global_size(1) * global_id(2))
        }
        WorkItemQuery::LocalLinearId => linear(id, l.local_size),
        WorkItemQuery::SubGroupSize => full.min(items - linear(id, l.local_size) / full * full),
        WorkItemQuery::SubGroupMaxSize => full.min(items),
        WorkItemQuery::NumSubGroups | WorkItemQuery::EnqueuedNumSubGroups => items.div_ceil(full),
        WorkItemQuery::SubGroupId => linear(id, l.local_size) / full,
        WorkItemQuery::SubGroupLocalId => linear(id, l.local_size) % full,
    }
}

/// Implicit arguments of a launch that is one dispatch; `None` for those that are not its geometry.
fn implicit(arg: ImplicitArg, l: &Launch) -> Option<u64> {
    let query = |query, dim: u8| Some(work_item(query, dim.into(), [0; 3], l));
    match arg {
        ImplicitArg::GlobalIdBase(d) | ImplicitArg::GlobalOffset(d) => query(WorkItemQuery::GlobalOffset, d),
        ImplicitArg::GroupBase(_) => Some(0),
        ImplicitArg::GlobalSize(d) => query(WorkItemQuery::GlobalSize, d),
        ImplicitArg::EnqueuedLocalSize(d) => query(WorkItemQuery::EnqueuedLocalSize, d),
        ImplicitArg::NumGroups(d) => query(WorkItemQuery::NumGroups, d),
        ImplicitArg::WorkDim => query(WorkItemQuery::WorkDim, 0),
        _ => None,
    }
}

fn shader_input(input: ShaderInput, dim: usize, id: [u32; 3], l: &Launch) -> u64 {
    let full = l.sub_group_size.max(1) as u64;
    let value = match input {
        ShaderInput::LocalId => id[dim] as u64,
        ShaderInput::WorkgroupId => l.group[dim] as u64,
        ShaderInput::GlobalId => l.group[dim] as u64 * l.local_size[dim] as u64 + id[dim] as u64,
        ShaderInput::NumWorkgroups => l.num_groups[dim] as u64,
        ShaderInput::WorkgroupSize => l.local_size[dim] as u64,
        ShaderInput::LocalIndex => linear(id, l.local_size),
        ShaderInput::IsWorkItem => 1,
        ShaderInput::SubGroupSize => full,
        ShaderInput::NumSubGroups => l.local_size.iter().map(|s| *s as u64).product::<u64>().div_ceil(full),
        ShaderInput::SubGroupId => linear(id, l.local_size) / full,
        ShaderInput::SubGroupLocalId => linear(id, l.local_size) % full,
        ShaderInput::TexelOrder | ShaderInput::ImageAbilities => 0,
    };
    value & 0xffff_ffff
}

/// A value of a scalar type with every bit known, for use as an argument.
pub fn known(ty: Type, bits: u64) -> LaneValues {
    let mask = u64::MAX >> (64 - value::width(ty));
    std::iter::repeat_n(Lane::known(bits & mask), ty.lanes() as usize).collect()
}
