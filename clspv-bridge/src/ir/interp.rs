//! Reference interpreter of one work-group: the meaning of the IR, for tests of passes.
//!
//! Every work-item runs until it returns or meets a barrier; when all wait at a barrier they go on. Memory is a set of
//! regions; a pointer (or device address) is a region number in the upper bits and a byte offset in the lower 40, null
//! being 0. Accesses outside of a region, division by zero, out-of-range conversions, a barrier that not all work-items
//! reach and too many steps are errors, never panics. Undefined values and fresh memory read as zero.
//!
//! It is slow and simple on purpose. It does not know sub-groups of more than one work-item, images, or most OpenCL.std
//! instructions.

mod eval;
mod memory;

use super::entity::{Block, EntityRef, FuncRef, Inst, Value, Var};
use super::func::{Const, Function, ValueDef, VarClass, VarLen};
use super::inst::{Op, Root, ShaderInput, WorkItemQuery};
use super::module::Module;
use super::types::{I32, Type};
use memory::Memory;
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;

/// The bits of each lane of a value.
pub type Lanes = SmallVec<[u64; 4]>;

/// Why interpretation ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InterpError(pub String);

pub(super) type Result<T> = std::result::Result<T, InterpError>;

pub(super) fn err<T>(message: impl Into<String>) -> Result<T> {
    Err(InterpError(message.into()))
}

/// The place of the work-group in the launch.
#[derive(Clone, Debug)]
pub struct Launch {
    pub local_size: [u32; 3],
    pub group: [u32; 3],
    pub num_groups: [u32; 3],
    pub global_offset: [u64; 3],
    /// The push-constant block.
    pub push: Vec<u8>,
    /// Region bound to each descriptor binding.
    pub bindings: HashMap<u32, u64>,
    /// Values of specialisation constants that give lengths.
    pub specs: HashMap<u32, u32>,
    /// Instructions that all work-items together may execute.
    pub steps: u64,
}

impl Default for Launch {
    fn default() -> Self {
        Launch {
            local_size: [1; 3],
            group: [0; 3],
            num_groups: [1; 3],
            global_offset: [0; 3],
            push: Vec::new(),
            bindings: HashMap::new(),
            specs: HashMap::new(),
            steps: 1_000_000,
        }
    }
}

/// Interprets functions of a module. Memory stays between calls.
pub struct Interpreter<'m> {
    module: &'m Module,
    memory: Memory,
    /// Address of each global.
    globals: Vec<u64>,
}

/// An activation of a function.
struct Frame<'m> {
    func: &'m Function,
    values: Vec<Option<Lanes>>,
    slots: Vec<u64>,
    block: Block,
    /// Next instruction of the block.
    next: usize,
    /// Results of this activation's caller that wait for its return.
    returns_to: Option<Inst>,
}

struct WorkItem<'m> {
    local_id: [u32; 3],
    frames: Vec<Frame<'m>>,
    private: HashMap<Var, u64>,
    results: Option<Vec<Lanes>>,
}

enum Stop {
    Barrier,
    Returned,
}

impl<'m> Interpreter<'m> {
    /// Places the module's globals in memory.
    pub fn new(module: &'m Module) -> Result<Self> {
        let mut memory = Memory::default();
        let mut globals = Vec::new();
        for g in module.globals.values() {
            let at = memory.allocate(g.size as usize)?;
            if let Some(init) = &g.init {
                memory.write(at, init)?;
            }
            globals.push(at);
        }
        for (g, data) in module.globals.iter() {
            for r in &data.relocs {
                let Some(target) = globals.get(r.target.index()) else { return err("relocation against no global") };
                let value = target.wrapping_add(r.addend as u64);
                memory.write(globals[g.index()].wrapping_add(r.offset as u64), &value.to_le_bytes())?;
            }
        }
        Ok(Interpreter { module, memory, globals })
    }

    /// Makes a region with these contents and returns its address.
    pub fn allocate(&mut self, contents: &[u8]) -> Result<u64> {
        let at = self.memory.allocate(contents.len())?;
        self.memory.write(at, contents)?;
        Ok(at)
    }

    /// Reads memory.
    pub fn read(&self, address: u64, bytes: usize) -> Result<&[u8]> {
        self.memory.read(address, bytes)
    }

    /// Runs a function as one work-group and returns the results of the first work-item.
    pub fn run(&mut self, func: FuncRef, args: &[Lanes], launch: &Launch) -> Result<Vec<Lanes>> {
        let Some(func) = self.module.functions.get(func) else { return err("no such function") };
        let [nx, ny, nz] = launch.local_size;
        if (nx as u64).saturating_mul(ny as u64).saturating_mul(nz as u64) > 4096 {
            return err("too many work-items");
        }
        let mut shared = HashMap::new();
        for (var, data) in func.vars.iter() {
            if data.class == VarClass::Workgroup {
                let at = self.allocate_var(data.elem, data.len, launch)?;
                shared.insert(var, at);
            }
        }
        let mut items = Vec::new();
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let mut private = shared.clone();
                    for (var, data) in func.vars.iter() {
                        match data.class {
                            VarClass::Private => {
                                private.insert(var, self.allocate_var(data.elem, data.len, launch)?);
                            }
                            VarClass::Buffer { binding, .. } => {
                                private.extend(launch.bindings.get(&binding).map(|at| (var, *at)));
                            }
                            VarClass::Workgroup => {}
                        }
                    }
                    let frame = self.frame(func, args, None)?;
                    items.push(WorkItem { local_id: [x, y, z], frames: vec![frame], private, results: None });
                }
            }
        }
        let mut steps = launch.steps;
        while items.iter().any(|i| i.results.is_none()) {
            let mut waiting = 0;
            for item in &mut items {
                if item.results.is_none()
                    && let Stop::Barrier = self.run_item(item, launch, &mut steps)?
                {
                    waiting += 1;
                }
            }
            if waiting != 0 && waiting != items.len() {
                return err(format!("a barrier that {waiting} of {} work-items reach", items.len()));
            }
        }
        Ok(items.into_iter().next().and_then(|i| i.results).unwrap_or_default())
    }

    fn allocate_var(&mut self, elem: Type, len: VarLen, launch: &Launch) -> Result<u64> {
        let len = match len {
            VarLen::Fixed(n) => n,
            VarLen::Spec(id) => launch.specs.get(&id).copied().unwrap_or(1),
            VarLen::Runtime => return err("a variable without length"),
        };
        self.memory.allocate(len as usize * elem.access_bytes().unwrap_or(8) as usize)
    }

    fn frame(&mut self, func: &'m Function, args: &[Lanes], returns_to: Option<Inst>) -> Result<Frame<'m>> {
        let Some(entry) = func.entry() else { return err(format!("@{} is not defined", func.name)) };
        let mut slots = Vec::new();
        for slot in func.slots.values() {
            slots.push(self.memory.allocate(slot.size as usize)?);
        }
        let mut frame = Frame { func, values: vec![None; func.value_count()], slots, block: entry, next: 0, returns_to };
        let params = &func.blocks[entry].params;
        if params.len() != args.len() {
            return err(format!("@{} takes {} arguments, {} are given", func.name, params.len(), args.len()));
        }
        for (p, a) in params.iter().zip(args) {
            frame.values[p.index()] = Some(a.clone());
        }
        Ok(frame)
    }

    /// Runs a work-item until it waits or returns.
    fn run_item(&mut self, item: &mut WorkItem<'m>, launch: &Launch, steps: &mut u64) -> Result<Stop> {
        loop {
            *steps = steps.checked_sub(1).ok_or_else(|| InterpError("too many steps".into()))?;
            let Some(frame) = item.frames.last_mut() else { return err("no activation") };
            let func = frame.func;
            let Some(&inst) = func.blocks[frame.block].insts.get(frame.next) else {
                return err(format!("{} does not end", frame.block));
            };
            frame.next += 1;
            let data = &func.insts[inst];
            let args: SmallVec<[Lanes; 4]> = data.args.iter().map(|v| get(frame, *v)).collect::<Result<_>>()?;
            let edge = match &data.op {
                Op::Jump => Some(0),
                Op::BrIf => Some(if lane(&args, 0)? & 1 != 0 { 0 } else { 1 }),
                Op::Switch(cases) => {
                    let x = lane(&args, 0)?;
                    let mask = func.ty(data.args[0]).scalar().map_or(u64::MAX, |s| s.mask());
                    Some(cases.iter().position(|c| c & mask == x).map_or(0, |i| i + 1))
                }
                Op::Unreachable => return err("reached `unreachable`"),
                Op::Return => {
                    let returns_to = frame.returns_to;
                    for slot in std::mem::take(&mut frame.slots) {
                        self.memory.free(slot);
                    }
                    item.frames.pop();
                    match (returns_to, item.frames.last_mut()) {
                        (Some(call), Some(caller)) => {
                            for (r, v) in caller.func.insts[call].results.iter().zip(args) {
                                caller.values[r.index()] = Some(v);
                            }
                            continue;
                        }
                        _ => {
                            item.results = Some(args.into_vec());
                            return Ok(Stop::Returned);
                        }
                    }
                }
                _ => None,
            };
            if let Some(edge) = edge {
                let Some(t) = data.targets.get(edge) else { return err("missing edge") };
                let values: Vec<Lanes> = t.args.iter().map(|v| get(frame, *v)).collect::<Result<_>>()?;
                for (p, v) in func.blocks[t.block].params.iter().zip(values) {
                    frame.values[p.index()] = Some(v);
                }
                (frame.block, frame.next) = (t.block, 0);
                continue;
            }
            if let Op::Call(callee) = &data.op {
                let Some(callee) = self.module.functions.get(*callee) else { return err("no such function") };
                if item.frames.len() > 100 {
                    return err("too many nested calls");
                }
                let frame = self.frame(callee, &args, Some(inst))?;
                item.frames.push(frame);
                continue;
            }
            if let Op::Barrier { .. } = &data.op {
                return Ok(Stop::Barrier);
            }
            let value = self.execute(item, inst, &args, launch)?;
            let Some(frame) = item.frames.last_mut() else { return err("no activation") };
            if let (Some(value), Some(r)) = (value, data.results.first()) {
                frame.values[r.index()] = Some(value);
            }
        }
    }

    /// One instruction that is no control transfer.
    fn execute(&mut self, item: &WorkItem<'m>, inst: Inst, args: &[Lanes], launch: &Launch) -> Result<Option<Lanes>> {
        let Some(frame) = item.frames.last() else { return err("no activation") };
        let func = frame.func;
        let data = &func.insts[inst];
        let ty = data.results.first().map_or(I32, |r| func.ty(*r));
        let arg_ty = |i: usize| data.args.get(i).map_or(I32, |v| func.ty(*v));
        let place = |i: usize, access_ty: Type, root: Root| -> Result<u64> {
            let at = lane(args, i)?;
            match root {
                Root::Ptr | Root::Addr => Ok(at),
                Root::Var(var) => {
                    let Some(base) = item.private.get(&var) else { return err(format!("{var} is not bound")) };
                    Ok(memory::offset(*base, at as u32 as u64 * access_ty.access_bytes().unwrap_or(8) as u64))
                }
            }
        };
        let one = |x: u64| Ok(Some(smallvec![x]));
        match &data.op {
            Op::Load(a) | Op::AtomicLoad { access: a, .. } => {
                let at = place(0, ty, a.root)?;
                self.memory.load(at, ty).map(Some)
            }
            Op::Store(a) | Op::AtomicStore { access: a, .. } => {
                let ty = arg_ty(0);
                let at = place(1, ty, a.root)?;
                self.memory.store(at, ty, &args[0])?;
                Ok(None)
            }
            Op::AtomicRmw { op, access, .. } => {
                let at = place(0, ty, access.root)?;
                let old = self.memory.load(at, ty)?;
                let new = eval::rmw(*op, ty, old[0], lane(args, 1)?)?;
                self.memory.store(at, ty, &[new])?;
                Ok(Some(old))
            }
            Op::AtomicCas { access, .. } => {
                let at = place(0, ty, access.root)?;
                let old = self.memory.load(at, ty)?;
                if old[0] == lane(args, 1)? {
                    self.memory.store(at, ty, &args[2])?;
                }
                Ok(Some(old))
            }
            Op::Memcpy { dst, src } => {
                let n = lane(args, 2)? as usize;
                let bytes = self.memory.read(place(1, I32, src.root)?, n)?.to_vec();
                self.memory.write(place(0, I32, dst.root)?, &bytes)?;
                Ok(None)
            }
            Op::Memset(a) => {
                let at = place(0, I32, a.root)?;
                self.memory.fill(at, lane(args, 1)? as u8, lane(args, 2)? as usize)?;
                Ok(None)
            }
            Op::Fence { .. } => Ok(None),
            Op::SlotAddr(slot) => match frame.slots.get(slot.index()) {
                Some(at) => one(*at),
                None => err(format!("{slot} does not exist")),
            },
            Op::GlobalAddr(g) => match self.globals.get(g.index()) {
                Some(at) => one(*at),
                None => err(format!("{g} does not exist")),
            },
            Op::WorkItem { query, dim } => {
                one(work_item(*query, *dim as usize, item, launch)? & ty.scalar().map_or(0, |s| s.mask()))
            }
            Op::Input { input, dim } => one(shader_input(*input, *dim as usize, item, launch)? as u32 as u64),
            Op::PushConst { offset } => {
                let end = *offset as usize + ty.access_bytes().unwrap_or(8) as usize;
                match launch.push.get(*offset as usize..end) {
                    Some(bytes) => Ok(Some(memory::decode(ty, bytes))),
                    None => err("read outside of the push-constant block"),
                }
            }
            op => {
                let types: SmallVec<[Type; 4]> = (0..args.len()).map(arg_ty).collect();
                eval::pure(op, ty, args, &types).map(Some)
            }
        }
    }
}

fn lane(args: &[Lanes], i: usize) -> Result<u64> {
    args.get(i).and_then(|a| a.first()).copied().ok_or_else(|| InterpError("missing operand".into()))
}

fn get(frame: &Frame<'_>, v: Value) -> Result<Lanes> {
    let Some(data) = frame.func.values.get(v) else { return err(format!("{v} does not exist")) };
    match &data.def {
        ValueDef::Const(Const::Bits(_, bits)) => Ok(bits.iter().copied().collect()),
        ValueDef::Const(Const::Undef(ty)) => Ok(smallvec![0; ty.lanes() as usize]),
        _ => frame.values[v.index()].clone().ok_or_else(|| InterpError(format!("{v} is used before it is defined"))),
    }
}

fn work_item(query: WorkItemQuery, dim: usize, item: &WorkItem<'_>, l: &Launch) -> Result<u64> {
    if dim > 2 {
        return err("dimension out of range");
    }
    let size = |d: usize| l.local_size[d] as u64;
    let global = |d: usize| l.group[d] as u64 * size(d) + item.local_id[d] as u64;
    let global_size = |d: usize| l.num_groups[d] as u64 * size(d);
    let id = item.local_id;
    Ok(match query {
        WorkItemQuery::GlobalId => global(dim).wrapping_add(l.global_offset[dim]),
        WorkItemQuery::LocalId => id[dim] as u64,
        WorkItemQuery::GroupId => l.group[dim] as u64,
        WorkItemQuery::GlobalSize => global_size(dim),
        WorkItemQuery::LocalSize | WorkItemQuery::EnqueuedLocalSize => size(dim),
        WorkItemQuery::NumGroups => l.num_groups[dim] as u64,
        WorkItemQuery::GlobalOffset => l.global_offset[dim],
        WorkItemQuery::WorkDim => 3,
        WorkItemQuery::GlobalLinearId => {
            let rows = global(2).wrapping_mul(global_size(1)).wrapping_add(global(1));
            rows.wrapping_mul(global_size(0)).wrapping_add(global(0))
        }
        WorkItemQuery::LocalLinearId | WorkItemQuery::SubGroupId => linear(item, l),
        WorkItemQuery::SubGroupSize | WorkItemQuery::SubGroupMaxSize => 1,
        WorkItemQuery::NumSubGroups | WorkItemQuery::EnqueuedNumSubGroups => size(0) * size(1) * size(2),
        WorkItemQuery::SubGroupLocalId => 0,
    })
}

fn linear(item: &WorkItem<'_>, l: &Launch) -> u64 {
    let [x, y, z] = item.local_id.map(u64::from);
    (z * l.local_size[1] as u64 + y) * l.local_size[0] as u64 + x
}

fn shader_input(input: ShaderInput, dim: usize, item: &WorkItem<'_>, l: &Launch) -> Result<u64> {
    if dim > 2 {
        return err("dimension out of range");
    }
    Ok(match input {
        ShaderInput::LocalId => item.local_id[dim] as u64,
        ShaderInput::WorkgroupId => l.group[dim] as u64,
        ShaderInput::GlobalId => l.group[dim] as u64 * l.local_size[dim] as u64 + item.local_id[dim] as u64,
        ShaderInput::NumWorkgroups => l.num_groups[dim] as u64,
        ShaderInput::WorkgroupSize => l.local_size[dim] as u64,
        ShaderInput::LocalIndex | ShaderInput::SubGroupId => linear(item, l),
        ShaderInput::SubGroupSize => 1,
        ShaderInput::NumSubGroups => l.local_size.iter().map(|n| *n as u64).product(),
        ShaderInput::SubGroupLocalId => 0,
    })
}
