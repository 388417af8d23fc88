//! Makes loops of parallel regions.

use super::plan::{Plan, Region};
use super::slot_offsets;
use crate::analysis::group_uniform::{is_group_sync, sync_position};
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::passes::opt::mem2reg;
use crate::passes::structure::ssa_repair;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites a kernel by its plan. `frame_bytes`: bytes from one vector's frame to the next.
pub(super) fn rewrite(func: &mut Function, plan: &Plan, frame_bytes: u32, instrumented: bool) -> Result<()> {
    let CallExtent::Vector(shape) = func.extent else {
        return Err(CompileError::internal("regions of a function that is not vectorised"));
    };
    let Some(entry) = func.entry() else { return Ok(()) };
    let private = func.slots.clone();
    let slots = func.slots.keys().collect();
    let offsets = slot_offsets(func, 0);
    let mut r = Rewrite {
        group: Group::new(func, entry, shape),
        func,
        plan,
        shape,
        frame_bytes,
        instrumented,
        offsets,
        before: FxHashMap::default(),
        queries: FxHashMap::default(),
    };
    let regions: Vec<&Region> = plan.regions.iter().filter(|region| !region.is_empty).collect();
    for region in &regions {
        let pre = r.func.new_block_detached();
        r.before.insert(region.entry, pre);
    }
    let ends: Vec<Block> = plan.regions.iter().filter_map(|region| region.exit).collect();
    let tails: Vec<(Block, Block)> = ends.into_iter().map(|b| (b, r.split_tail(b))).collect();
    for region in &regions {
        let tail = tails.iter().find(|(b, _)| Some(*b) == region.exit).map(|t| t.1);
        r.region(region, tail);
    }
    for (_, tail) in &tails {
        r.outside(*tail);
    }
    // Blocks without code for vectors keep the parameters that are the same for all vectors.
    for region in plan.regions.iter().filter(|region| region.is_empty) {
        r.drop_context_params(region.entry, region.entry);
        if let Some((block, tail)) = tails.iter().find(|(b, _)| Some(*b) == region.exit) {
            Builder::new(r.func, *block).jump(*tail, &[]);
        }
    }
    let queries = std::mem::take(&mut r.queries);
    func.replace_uses(&queries);
    func.extent = CallExtent::WorkGroup(shape);
    mem2reg::promote(func, &slots);
    func.slots = private;
    ssa_repair::remove_unreachable(func);
    ssa_repair::repair(func);
    edit::remove_dead_insts(func);
    Ok(())
}

/// Values of the group.
struct Group {
    size: [Value; 3],
    /// Vectors of a row, or of the group if they are consecutive local linear ids.
    vectors: Value,
    scratch: Value,
}

impl Group {
    /// Computes the values at the function's start, after the barrier of its first block.
    fn new(func: &mut Function, entry: Block, shape: VectorShape) -> Group {
        let term = func.blocks[entry].insts.pop();
        let mut b = Builder::new(func, entry);
        let size =
            [0, 1, 2].map(|dim| b.value(Op::WorkItem { query: WorkItemQuery::LocalSize, dim }, &[], I64));
        let mut line = size[0];
        if shape.linear {
            let plane = b.imul(size[0], size[1]);
            line = b.imul(plane, size[2]);
        }
        let width = b.i64(i64::from(shape.width));
        if !shape.whole {
            let more = b.i64(i64::from(shape.width) - 1);
            line = b.iadd(line, more);
        }
        let vectors = b.bin(BinOp::Udiv, line, width);
        let scratch = b.value(Op::Context(ContextField::Scratch), &[], Type::Ptr(Space::Private));
        func.blocks[entry].insts.extend(term);
        Group { size, vectors, scratch }
    }
}

struct Rewrite<'a> {
    func: &'a mut Function,
    plan: &'a Plan,
    shape: VectorShape,
    frame_bytes: u32,
    instrumented: bool,
    offsets: Vec<u32>,
    group: Group,
    /// The block before the loops of the region with this entry.
    before: FxHashMap<Block, Block>,
    /// Queries of the vector, with the values that replace them.
    queries: FxHashMap<Value, Value>,
}

/// Values of a region's vector.
struct Own {
    base: Value,
    x: Value,
    y: Value,
    z: Value,
    frame: Value,
}

impl Rewrite<'_> {
    /// Moves the barrier of a block, and what follows it, to a block of its own.
    fn split_tail(&mut self, block: Block) -> Block {
        let at = sync_position(self.func, block).unwrap_or(0);
        let tail = edit::split_after(self.func, block);
        let rest = self.func.blocks[block].insts.split_off(at);
        self.func.blocks[tail].insts = rest;
        tail
    }

    /// Makes the loops of a region, which continues in `tail`.
    fn region(&mut self, region: &Region, tail: Option<Block>) {
        let Some(&pre) = self.before.get(&region.entry) else { return };
        self.place_before(region.entry, pre);
        self.drop_context_params(region.entry, pre);
        self.hoist(region, pre);
        let last = region.exit;
        let after = tail.unwrap_or_else(|| {
            let block = edit::split_after(self.func, region.blocks.last().copied().unwrap_or(pre));
            let unreachable = self.func.make_terminator(Op::Unreachable, &[], &[]);
            self.func.blocks[block].insts.push(unreachable);
            block
        });
        let (body, next, ids) = self.loops(pre, region.entry, after);
        let own = self.own(body, ids);
        let mut b = Builder::new(self.func, body);
        let mut addresses: FxHashMap<Value, Value> = FxHashMap::default();
        let mut address = |b: &mut Builder<'_>, v: Value| {
            let at = self.plan.context.get(&v).copied().unwrap_or(0);
            *addresses.entry(v).or_insert_with(|| b.ptr_add_const(own.frame, i64::from(at)))
        };
        let mut loaded: FxHashMap<Value, Value> = FxHashMap::default();
        for v in &region.live_in {
            let p = address(&mut b, *v);
            loaded.insert(*v, load(&mut b, p, *v));
        }
        // Addresses of what the region saves.
        let mut saves: Vec<(Block, Option<Inst>, Value, Value)> = Vec::new();
        for block in &region.blocks {
            let params = b.func.blocks[*block].params.clone().into_iter().map(|p| (None, p));
            let insts = b.func.blocks[*block].insts.clone();
            let results = insts.iter().flat_map(|i| b.func.insts[*i].results.iter().map(|r| (Some(*i), *r)));
            for (inst, v) in params.chain(results.collect::<Vec<_>>()) {
                if self.plan.context.contains_key(&v) {
                    let p = address(&mut b, v);
                    saves.push(match self.plan.save_after_loop.get(&v) {
                        Some(after) => (*after, None, v, p),
                        None => (*block, inst, v, p),
                    });
                }
            }
        }
        let copies = tail.map(|tail| self.copies(tail)).unwrap_or_default();
        let mut b = Builder::new(self.func, body);
        let copies: Vec<(Value, Value)> =
            copies.into_iter().map(|(p, arg)| (address(&mut b, p), arg)).collect();
        b.jump(region.entry, &[]);
        for (block, inst, v, p) in saves {
            self.save(block, inst, v, p);
        }
        for block in &region.blocks {
            self.rename(*block, &loaded, &own);
        }
        if let (Some(last), Some(tail)) = (last, tail) {
            let mut b = Builder::new(self.func, last);
            for (p, arg) in copies {
                let arg = loaded.get(&arg).copied().unwrap_or(arg);
                store(&mut b, arg, p);
            }
            self.flags(pre, last, tail, &loaded);
            Builder::new(self.func, last).jump(next, &[]);
        }
    }

    /// Moves computations that are the same for all vectors before the loops.
    fn hoist(&mut self, region: &Region, pre: Block) {
        let Some(varying) = &self.plan.varying else { return };
        let func = &mut *self.func;
        let mut own: FxHashSet<Value> = FxHashSet::default();
        for b in &region.blocks {
            own.extend(&func.blocks[*b].params);
            let end = sync_position(func, *b).unwrap_or(usize::MAX);
            own.extend(func.blocks[*b].insts.iter().take(end).flat_map(|i| &func.insts[*i].results));
        }
        // Definitions come before uses in the layout.
        let inside: FxHashSet<Block> = region.blocks.iter().copied().collect();
        let blocks: Vec<Block> = func.layout.iter().copied().filter(|b| inside.contains(b)).collect();
        for b in blocks {
            let insts = func.take_insts(b);
            for i in insts {
                let data = &func.insts[i];
                let same = data.op.is_pure()
                    && !data.results.is_empty()
                    && !data.results.iter().any(|r| varying.contains(*r))
                    && !data.args.iter().any(|a| own.contains(a));
                if same {
                    data.results.iter().for_each(|r| _ = own.remove(r));
                }
                func.blocks[if same { pre } else { b }].insts.push(i);
            }
        }
    }

    /// Puts the block before a region's loops into the layout.
    fn place_before(&mut self, entry: Block, pre: Block) {
        let at = self.func.layout.iter().position(|b| *b == entry).unwrap_or(self.func.layout.len());
        self.func.layout.insert(at, pre);
    }

    /// Moves the parameters that are not in the context array to another block.
    fn drop_context_params(&mut self, from: Block, to: Block) {
        let params = std::mem::take(&mut self.func.blocks[from].params);
        let kept = params.into_iter().filter(|p| !self.plan.context.contains_key(p)).collect();
        if self.func.entry() != Some(from) || from != to {
            self.func.set_params(to, kept);
        } else {
            self.func.blocks[from].params = kept;
        }
    }

    /// Loops over the group's vectors: the body's first block, the block at the end of an iteration, and the
    /// numbers (x, y, z) of the vector.
    fn loops(&mut self, pre: Block, entry: Block, after: Block) -> (Block, Block, [Option<Value>; 3]) {
        let dims: &[usize] = if self.shape.linear { &[0] } else { &[2, 1, 0] };
        let mut ids = [None; 3];
        let mut at = self.func.layout.iter().position(|b| *b == entry).unwrap_or(0);
        let mut add = |func: &mut Function| {
            let block = func.new_block_detached();
            func.layout.insert(at, block);
            at += 1;
            block
        };
        let heads: Vec<Block> = dims.iter().map(|_| add(self.func)).collect();
        let body = add(self.func);
        let nexts: Vec<Block> = dims.iter().map(|_| self.func.new_block_detached()).collect();
        let end = self.func.layout.iter().position(|b| *b == after).unwrap_or(self.func.layout.len());
        for next in &nexts {
            self.func.layout.insert(end, *next);
        }
        let zero = self.func.i64(0);
        let one = self.func.i64(1);
        Builder::new(self.func, pre).jump(heads[0], &[zero]);
        for (i, d) in dims.iter().enumerate() {
            let id = self.func.add_param(heads[i], I64);
            ids[*d] = Some(id);
            let bound = if *d == 0 { self.group.vectors } else { self.group.size[*d] };
            let inner = match heads.get(i + 1) {
                Some(head) => BlockCall::new(*head, &[zero]),
                None => BlockCall::new(body, &[]),
            };
            let outer = match i.checked_sub(1) {
                Some(around) => BlockCall::new(nexts[around], &[]),
                None => BlockCall::new(after, &[]),
            };
            let mut b = Builder::new(self.func, heads[i]);
            let more = b.icmp(IntCc::Ult, id, bound);
            b.brif(more, inner, outer);
            let mut b = Builder::new(self.func, nexts[i]);
            let next = b.iadd(id, one);
            b.jump(heads[i], &[next]);
        }
        (body, nexts[dims.len() - 1], ids)
    }

    /// The values of a vector with these numbers.
    fn own(&mut self, body: Block, [x, y, z]: [Option<Value>; 3]) -> Own {
        let zero = self.func.i64(0);
        let (x, y, z) = (x.unwrap_or(zero), y.unwrap_or(zero), z.unwrap_or(zero));
        let rows = self.group.size[1];
        let mut b = Builder::new(self.func, body);
        let width = b.i64(i64::from(self.shape.width));
        let base = b.imul(x, width);
        let mut frame = self.group.scratch;
        if self.plan.has_barriers {
            let mut vector = x;
            if !self.shape.linear {
                let row = b.imul(z, rows);
                let line = b.iadd(row, y);
                let before = b.imul(line, self.group.vectors);
                vector = b.iadd(before, x);
            }
            let bytes = b.i64(i64::from(self.frame_bytes));
            let at = b.imul(vector, bytes);
            frame = b.ptr_add(frame, at);
        }
        if self.instrumented {
            b.inst(Op::Check(CheckOp::Position), &[x, y, z, frame], &[]);
            if !self.plan.has_barriers {
                let end = self.plan.frame_end;
                b.inst(Op::Check(CheckOp::Start { begin: 0, end }), &[], &[]);
            }
        }
        Own { base, x, y, z, frame }
    }

    /// Parameters in the context array that the edge from a region's end sets, with the arguments.
    fn copies(&self, tail: Block) -> Vec<(Value, Value)> {
        let mut copies = Vec::new();
        for t in self.func.successors(tail) {
            let params = self.params_of(t.block);
            let pairs = params.iter().zip(&t.args);
            copies.extend(pairs.filter(|(p, _)| self.plan.context.contains_key(p)).map(|(p, a)| (*p, *a)));
        }
        copies
    }

    /// The original parameters of a region's entry, in the order of edges' arguments.
    fn params_of(&self, block: Block) -> Vec<Value> {
        self.plan.params.get(&block).cloned().unwrap_or_default()
    }

    /// Saves a value in the context array where it is defined.
    fn save(&mut self, block: Block, inst: Option<Inst>, v: Value, p: Value) {
        let list = self.func.take_insts(block);
        let mut b = Builder::new(self.func, block);
        if inst.is_none() {
            store(&mut b, v, p);
        }
        for i in list {
            b.push(i);
            if Some(i) == inst {
                store(&mut b, v, p);
            }
        }
    }

    /// Replaces values of other regions and queries of the vector in a block.
    fn rename(&mut self, block: Block, loaded: &FxHashMap<Value, Value>, own: &Own) {
        let list = self.func.take_insts(block);
        for i in list {
            let data = &mut self.func.insts[i];
            for a in data.operands_mut() {
                if let Some(v) = loaded.get(a) {
                    *a = *v;
                }
            }
            let known = match data.op {
                Op::WorkItem { query: WorkItemQuery::LocalId, dim } => Some(match dim {
                    0 => own.base,
                    1 => own.y,
                    _ => own.z,
                }),
                Op::WorkItem { query: WorkItemQuery::SubGroupId, .. } => None,
                Op::SlotAddr(slot) => {
                    let Some(at) = self.offsets.get(slot.index()).copied() else {
                        self.func.blocks[block].insts.push(i);
                        continue;
                    };
                    let at = self.func.i64(i64::from(at));
                    let data = &mut self.func.insts[i];
                    data.op = Op::PtrAdd;
                    data.args = [own.frame, at].into_iter().collect();
                    self.func.blocks[block].insts.push(i);
                    continue;
                }
                _ => {
                    self.func.blocks[block].insts.push(i);
                    continue;
                }
            };
            match (known, data.results.first().copied()) {
                (Some(known), Some(result)) => {
                    self.queries.insert(result, known);
                }
                _ => {
                    data.op = Op::Cast(CastOp::Trunc);
                    data.args = [own.x].into_iter().collect();
                    self.func.blocks[block].insts.push(i);
                }
            }
        }
    }

    /// The group operations that end a region: each vector adds its operand to a variable.
    fn flags(&mut self, pre: Block, last: Block, tail: Block, loaded: &FxHashMap<Value, Value>) {
        for inst in self.func.blocks[tail].insts.clone() {
            let data = &self.func.insts[inst];
            if !is_group_sync(&data.op) || !matches!(data.op, Op::Group { .. }) {
                continue;
            }
            let (arg, result) = (data.args[0], data.results[0]);
            let arg = loaded.get(&arg).copied().unwrap_or(arg);
            let ty = self.func.ty(result);
            let slot = self.func.slots.push(SlotData { size: ty.access_bytes().unwrap_or(8), align: 8 });
            let access = Access::aligned(1);
            // Before the loops.
            let term = self.func.blocks[pre].insts.pop();
            let none = self.func.bits(ty, 0);
            let mut b = Builder::new(self.func, pre);
            let p = b.slot_addr(slot);
            b.store(none, p, access);
            self.func.blocks[pre].insts.extend(term);
            let mut b = Builder::new(self.func, last);
            let p = b.slot_addr(slot);
            let old = b.load(ty, p, access);
            let new = b.or(old, arg);
            b.store(new, p, access);
            // After the loops.
            let p = self.func.make_inst(Op::SlotAddr(slot), &[], &[Type::Ptr(Space::Private)]);
            let address = self.func.insts[p].results[0];
            self.func.blocks[tail].insts.insert(0, p);
            let data = &mut self.func.insts[inst];
            data.op = Op::Load(access);
            data.args = [address].into_iter().collect();
        }
    }

    /// Completes the code after a region: barriers are gone, edges lead to the blocks before regions.
    fn outside(&mut self, tail: Block) {
        let func = &mut *self.func;
        let insts = func.take_insts(tail);
        let keep = |i: &Inst| !matches!(func.insts[*i].op, Op::Barrier { .. });
        let insts: Vec<Inst> = insts.into_iter().filter(keep).collect();
        self.func.blocks[tail].insts = insts;
        let Some(term) = self.func.terminator(tail) else { return };
        for n in 0..self.func.insts[term].targets.len() {
            let call = self.func.insts[term].targets[n].clone();
            let params = self.params_of(call.block);
            let args: Vec<Value> = params
                .iter()
                .zip(&call.args)
                .filter(|(p, _)| !self.plan.context.contains_key(p))
                .map(|(_, a)| *a)
                .collect();
            let to = self.before.get(&call.block).copied().unwrap_or(call.block);
            self.func.insts[term].targets[n] = BlockCall::new(to, &args);
        }
    }
}

/// Loads a value of the context array. Truth values are bytes there.
fn load(b: &mut Builder<'_>, p: Value, v: Value) -> Value {
    let ty = b.ty(v);
    if ty != I1 {
        return b.load(ty, p, context_access(ty));
    }
    let byte = b.load(I8, p, Access::aligned(1));
    b.cast(CastOp::Trunc, byte, I1)
}

fn store(b: &mut Builder<'_>, v: Value, p: Value) {
    let ty = b.ty(v);
    if ty != I1 {
        b.store(v, p, context_access(ty));
        return;
    }
    let byte = b.cast(CastOp::Zext, v, I8);
    b.store(byte, p, Access::aligned(1));
}

fn context_access(ty: Type) -> Access {
    Access::aligned(ty.access_bytes().unwrap_or(8).next_power_of_two().min(64))
}
