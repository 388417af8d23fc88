//! Turns any control-flow graph into structured control flow with merge annotations, legal for SPIR-V.
//!
//! The graph is first made reducible (a block that dispatches on a selector becomes the header of a loop with
//! several entries), and all returns become edges to one exit block. Then the code is emitted anew, construct
//! by construct, with a set of *deferred edges*: control transfers of the original graph that were taken and
//! whose target is not emitted yet. Each has a target, arguments, and the condition under which it is the one
//! taken. The conditions of a set exclude each other and one of them holds; a set of one needs none.
//!
//! A target is emitted once all its forward edges have met in one set: directly if it is alone, else under an
//! `if`. Where the arms of a selection join, their sets are merged: conditions and arguments become
//! parameters of the merge block. Inside a loop, edges to its header or out of it are never deferred: they
//! are branches to the continue or merge block, legal from nested selections. So plain diamonds, `while`
//! loops, `break` and `continue` come out without extra conditions.
//!
//! On every path the original instructions run in the original order with the original values. Values whose
//! definition no longer dominates a use can therefore get parameters afterwards (`ssa_repair`). No code is
//! duplicated, so barriers stay single and under the same conditions.

use crate::analysis::{Cfg, DomTree, LoopForest, loops};
use crate::error::{CompileError, Result, ice};
use crate::ir::{
    Block, BlockCall, Builder, EntityRef, Function, I1, I32, Inst, Merge, Module, Op, Phase, SecondaryMap,
    Type, UnOp, Value,
};
use crate::passes::structure::ssa_repair;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// The pass `structurize`.
pub struct Structurize;

impl Pass for Structurize {
    fn name(&self) -> &'static str {
        "structurize"
    }
    fn gives(&self) -> Option<Phase> {
        Some(Phase::Structured)
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let latches = cx.target.vulkan().is_none_or(|vulkan| vulkan.tests_in_continue);
        for f in module.functions.values_mut() {
            // Emission recurses with the nesting of constructs: large functions need a large stack.
            if f.layout.len() < 64 {
                structurize(f, latches)?;
                continue;
            }
            std::thread::scope(|scope| {
                let worker = std::thread::Builder::new().name("structurize".to_owned()).stack_size(64 << 20);
                let handle = worker.spawn_scoped(scope, || structurize(f, latches));
                let handle = handle
                    .map_err(|e| CompileError::internal(format!("no thread to structurize in: {e}")))?;
                handle.join().unwrap_or_else(|_| Err(CompileError::internal("structurize panicked")))
            })?;
        }
        module.phase = module.phase.max(Phase::Structured);
        Ok(true)
    }
}

/// Most nested constructs; deeper nesting is an error (the emission recurses).
const MAX_DEPTH: u32 = 1000;

/// Structurizes one function. `latches`: a loop's last test goes into its continue block ([`Latch`]).
pub fn structurize(func: &mut Function, latches: bool) -> Result<()> {
    if func.layout.is_empty() {
        return Ok(());
    }
    ssa_repair::remove_unreachable(func);
    unify_exits(func);
    make_reducible(func)?;
    let (forward, loops, order) = {
        let cfg = Cfg::new(func);
        let dom = DomTree::new(&cfg);
        let loops = LoopForest::new(&cfg, &dom);
        let mut forward: SecondaryMap<Block, u32> = SecondaryMap::new();
        let mut order: SecondaryMap<Block, u32> = SecondaryMap::new();
        for (i, &b) in cfg.rpo().iter().enumerate() {
            order[b] = i as u32;
            forward[b] = cfg.preds(b).iter().filter(|p| !dom.dominates(b, **p)).count() as u32;
        }
        (forward, loops, order)
    };
    let entry = func.layout[0];
    let old_layout = std::mem::take(&mut func.layout);
    let start = func.new_block_detached();
    let params = std::mem::take(&mut func.blocks[entry].params);
    func.set_params(start, params);
    func.layout.push(start);
    let mut s = Structurizer {
        func,
        forward,
        loops,
        order,
        contexts: Vec::new(),
        replaced: FxHashMap::default(),
        depth: 0,
        latches,
    };
    // The entry block has no parameters left; the edge from `start` enters a loop around it.
    s.forward[entry] += 1;
    let first = Deferred { target: entry, count: s.forward[entry], cond: None, args: smallvec![] };
    if let Some((_, set)) = s.region(start, vec![first])? {
        return Err(ice!("structurize left {} edges", set.len()));
    }
    let replaced = std::mem::take(&mut s.replaced);
    for b in old_layout {
        func.blocks[b].insts.clear();
    }
    // Bypassed arms are empty.
    func.layout.retain(|b| !func.blocks[*b].insts.is_empty());
    func.replace_uses(&replaced);
    ssa_repair::repair(func);
    crate::passes::opt::dce::remove_dead_values(func);
    ssa_repair::remove_trivial_params(func);
    Ok(())
}

/// Redirects every return and unreachable end to one block (if there are any).
fn unify_exits(func: &mut Function) {
    let ends: Vec<Inst> = func
        .layout
        .iter()
        .filter_map(|&b| func.terminator(b))
        .filter(|t| matches!(func.insts[*t].op, Op::Return | Op::Unreachable))
        .collect();
    if let [t] = ends[..] {
        if matches!(func.insts[t].op, Op::Unreachable) {
            let results = func.sig.results.clone();
            let undefs: Vec<Value> = results.into_iter().map(|ty| func.undef(ty)).collect();
            func.insts[t].op = Op::Return;
            func.insts[t].args = SmallVec::from_slice(&undefs);
        }
        return;
    }
    if ends.is_empty() {
        return;
    }
    let exit = func.add_block();
    let results = func.sig.results.clone();
    let params: Vec<Value> = results.iter().map(|ty| func.add_param(exit, *ty)).collect();
    Builder::new(func, exit).ret(&params);
    for t in ends {
        let args: SmallVec<[Value; 4]> = match func.insts[t].op {
            Op::Return => func.insts[t].args.clone(),
            _ => results.iter().map(|ty| func.undef(*ty)).collect(),
        };
        let data = &mut func.insts[t];
        data.op = Op::Jump;
        data.args.clear();
        data.targets = vec![BlockCall { block: exit, args }];
    }
}

/// Gives every cycle a single header: several entries of a cycle are reached through a dispatch block.
fn make_reducible(func: &mut Function) -> Result<()> {
    for _ in 0..=func.blocks.len() {
        let cfg = Cfg::new(func);
        let dom = DomTree::new(&cfg);
        if loops::is_reducible(&cfg, &dom, |b| func.successors(b).iter().map(|c| c.block).collect()) {
            return Ok(());
        }
        let Some(entries) = irreducible_entries(func, &cfg) else {
            return Err(ice!("irreducible graph without a cycle of several entries"));
        };
        dispatch(func, &cfg, &entries);
    }
    Err(ice!("making the graph reducible does not end"))
}

/// Entry blocks of an irreducible strongly connected component, outermost component first; `None` if there is
/// none.
fn irreducible_entries(func: &Function, cfg: &Cfg) -> Option<Vec<Block>> {
    // Worklist of blocks, by set number; blocks in no set are done.
    let mut sets: Vec<Vec<Block>> = vec![cfg.rpo().to_vec()];
    while let Some(set) = sets.pop() {
        for scc in strongly_connected(func, &set) {
            let inside: FxHashSet<Block> = scc.iter().copied().collect();
            let is_entry =
                |b: &Block| cfg.preds(*b).iter().any(|p| !inside.contains(p)) || Some(*b) == func.entry();
            let mut entries: Vec<Block> = scc.iter().copied().filter(is_entry).collect();
            entries.sort_by_key(|b| cfg.number(*b));
            if entries.len() > 1 {
                return Some(entries);
            }
            sets.push(scc.into_iter().filter(|b| !entries.contains(b)).collect());
        }
    }
    None
}

/// Strongly connected components with at least one edge inside, of the graph restricted to `set`.
fn strongly_connected(func: &Function, set: &[Block]) -> Vec<Vec<Block>> {
    #[derive(Clone, Copy)]
    struct Node {
        index: u32,
        low: u32,
        on_stack: bool,
    }
    let mut nodes: FxHashMap<Block, Option<Node>> = set.iter().map(|b| (*b, None)).collect();
    let (mut next, mut stack, mut out) = (0u32, Vec::new(), Vec::new());
    for &root in set {
        if nodes[&root].is_some() {
            continue;
        }
        let mut walk = vec![(root, 0usize)];
        while let Some(&(b, i)) = walk.last() {
            if i == 0 {
                nodes.insert(b, Some(Node { index: next, low: next, on_stack: true }));
                next += 1;
                stack.push(b);
            }
            let succs = func.successors(b);
            if let Some(call) = succs.get(i) {
                if let Some(last) = walk.last_mut() {
                    last.1 += 1;
                }
                match nodes.get(&call.block) {
                    Some(None) => walk.push((call.block, 0)),
                    Some(Some(n)) if n.on_stack => {
                        let index = n.index;
                        if let Some(Some(me)) = nodes.get_mut(&b) {
                            me.low = me.low.min(index);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            walk.pop();
            let Some(me) = nodes[&b] else { continue };
            if let Some((parent, _)) = walk.last()
                && let Some(Some(p)) = nodes.get_mut(parent)
            {
                p.low = p.low.min(me.low);
            }
            if me.low == me.index {
                let mut scc = Vec::new();
                while let Some(top) = stack.pop() {
                    if let Some(Some(n)) = nodes.get_mut(&top) {
                        n.on_stack = false;
                    }
                    scc.push(top);
                    if top == b {
                        break;
                    }
                }
                if scc.len() > 1 || succs.iter().any(|c| c.block == b) {
                    out.push(scc);
                }
            }
        }
    }
    out
}

/// Redirects all edges to `entries` through a new block that switches to them.
fn dispatch(func: &mut Function, cfg: &Cfg, entries: &[Block]) {
    let block = func.add_block();
    let selector = func.add_param(block, I32);
    let mut first_arg = Vec::new();
    let mut undefs: Vec<Value> = Vec::new();
    for &e in entries {
        first_arg.push(undefs.len());
        for p in func.blocks[e].params.clone() {
            let ty = func.ty(p);
            undefs.push(func.undef(ty));
            func.add_param(block, ty);
        }
    }
    for (k, &e) in entries.iter().enumerate() {
        let number = func.i32(k as i32);
        let mut preds = cfg.preds(e).to_vec();
        preds.sort();
        preds.dedup();
        for p in preds {
            let Some(t) = func.terminator(p) else { continue };
            for call in func.insts[t].targets.iter_mut().filter(|c| c.block == e) {
                let mut args: SmallVec<[Value; 4]> = smallvec![number];
                args.extend_from_slice(&undefs);
                for (i, a) in call.args.iter().enumerate() {
                    args[1 + first_arg[k] + i] = *a;
                }
                *call = BlockCall { block, args };
            }
        }
    }
    let params = func.blocks[block].params.clone();
    let calls: Vec<BlockCall> = entries
        .iter()
        .enumerate()
        .map(|(k, &e)| {
            let n = func.blocks[e].params.len();
            BlockCall::new(e, &params[1 + first_arg[k]..1 + first_arg[k] + n])
        })
        .collect();
    let cases: Vec<u64> = (1..entries.len() as u64).collect();
    let op = if let [a, b] = &calls[..] {
        let one = func.i32(1);
        let c = Builder::new(func, block).icmp(crate::ir::IntCc::Eq, selector, one);
        func.make_terminator(Op::BrIf, &[c], &[b.clone(), a.clone()])
    } else {
        func.make_terminator(Op::Switch(cases.into()), &[selector], &calls)
    };
    func.blocks[block].insts.push(op);
}

/// Deferred edge: an edge of the original graph that was taken and whose target is not emitted yet.
#[derive(Clone, Debug)]
struct Deferred {
    target: Block,
    /// Number of edges of the original graph that were merged into this one.
    count: u32,
    /// Condition under which this edge of the set is the one taken; `None` in a set of one.
    cond: Option<Value>,
    args: SmallVec<[Value; 4]>,
}

/// An open block with the edges that leave it.
type End = (Block, Vec<Deferred>);

/// The innermost loop being emitted.
struct LoopContext {
    index: usize,
    header: Block,
    breaks: Vec<End>,
    continues: Vec<End>,
    latch: Option<Latch>,
}

/// Latch: the end of a loop's body that decides whether there is another iteration. If it has the only back
/// edge, the decision becomes the branch of the continue block, the form of `do ... while` that drivers know
/// best.
struct Latch {
    block: Block,
    cond: Value,
    /// Which of the two edges is the back edge.
    back_if: bool,
    back: Deferred,
    leave: Deferred,
}

struct Structurizer<'f> {
    func: &'f mut Function,
    /// Number of forward edges to each block.
    forward: SecondaryMap<Block, u32>,
    loops: LoopForest,
    order: SecondaryMap<Block, u32>,
    contexts: Vec<LoopContext>,
    /// Values that replace the parameters of emitted blocks.
    replaced: FxHashMap<Value, Value>,
    depth: u32,
    latches: bool,
}

impl Structurizer<'_> {
    fn is_back(&self, target: Block) -> bool {
        self.contexts.last().is_some_and(|c| c.header == target)
    }
    /// Whether an edge to the target directly leaves the current construct.
    fn is_exit(&self, target: Block) -> bool {
        self.contexts.last().is_some_and(|c| c.header == target || !self.loops.contains(c.index, target))
    }
    fn is_complete(&self, d: &Deferred) -> bool {
        d.count == self.forward[d.target]
    }
    fn resolve(&self, v: Value) -> Value {
        self.replaced.get(&v).copied().unwrap_or(v)
    }
    fn open(&mut self) -> Block {
        self.func.add_block()
    }
    fn edge(&self, call: &BlockCall, cond: Option<Value>) -> Deferred {
        Deferred {
            target: call.block,
            count: 1,
            cond,
            args: call.args.iter().map(|v| self.resolve(*v)).collect(),
        }
    }
    /// Leaves the current loop's body by an edge that [`Self::is_exit`] accepts.
    fn exit(&mut self, cur: Block, mut d: Deferred) {
        d.cond = None;
        let back = self.is_back(d.target);
        if let Some(cx) = self.contexts.last_mut() {
            let list = if back { &mut cx.continues } else { &mut cx.breaks };
            list.push((cur, vec![d]));
        }
    }
    fn select_header(&mut self, block: Block, merge: Block, cond: Value, then: Block, other: Block) {
        self.func.blocks[block].merge = Some(Merge::Selection { merge });
        Builder::new(self.func, block).brif(cond, BlockCall::new(then, &[]), BlockCall::new(other, &[]));
    }

    /// Emits as much as possible after `cur`; returns the last block and the edges still deferred, `None` if
    /// control does not reach its end.
    fn region(&mut self, mut cur: Block, mut set: Vec<Deferred>) -> Result<Option<End>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(CompileError::unsupported("control flow nested this deep", 0));
        }
        let result = loop {
            let exit = set.iter().position(|d| self.is_exit(d.target));
            let ready = || {
                let complete = set.iter().enumerate().filter(|(_, d)| self.is_complete(d));
                complete.min_by_key(|(_, d)| self.order[d.target]).map(|(i, _)| i)
            };
            let Some(i) = exit.or_else(ready) else { break Some((cur, set)) };
            let d = set.remove(i);
            if set.is_empty() {
                if exit.is_some() {
                    self.exit(cur, d);
                    break None;
                }
                match self.claim(cur, d)? {
                    Some(end) => (cur, set) = end,
                    None => break None,
                }
                continue;
            }
            if let [only] = &mut set[..] {
                only.cond = None;
            }
            let Some(cond) = d.cond else {
                return Err(ice!("structurize: an edge of several has no condition"));
            };
            let then = self.open();
            if exit.is_some() {
                let merge = self.open();
                self.select_header(cur, merge, cond, then, merge);
                self.exit(then, d);
                cur = merge;
                continue;
            }
            let mut ends: Vec<End> = Vec::new();
            ends.extend(self.region(then, vec![Deferred { cond: None, ..d }])?);
            let other = self.open();
            ends.extend(self.region(other, std::mem::take(&mut set))?);
            let merge = self.open();
            self.select_header(cur, merge, cond, then, other);
            match self.join(merge, ends) {
                Some(joined) => set = joined,
                None => break None,
            }
            self.tidy_arms(cur, merge);
            cur = merge;
        };
        self.depth -= 1;
        Ok(result)
    }

    /// Emits the target of an edge that is the only one of its set.
    fn claim(&mut self, cur: Block, d: Deferred) -> Result<Option<End>> {
        let Some(index) =
            self.loops.innermost(d.target).filter(|l| self.loops.loops()[*l].header == d.target)
        else {
            let params = std::mem::take(&mut self.func.blocks[d.target].params);
            for (p, a) in params.into_iter().zip(d.args) {
                self.replaced.insert(p, a);
            }
            return self.body(cur, d.target);
        };
        let header = self.open();
        self.func.blocks[header].unroll = self.func.blocks[d.target].unroll;
        let params = std::mem::take(&mut self.func.blocks[d.target].params);
        self.func.set_params(header, params);
        Builder::new(self.func, cur).jump(header, &d.args);
        let body = self.open();
        Builder::new(self.func, header).jump(body, &[]);
        self.contexts.push(LoopContext {
            index,
            header: d.target,
            breaks: Vec::new(),
            continues: Vec::new(),
            latch: None,
        });
        let mut end = self.body(body, d.target)?;
        if let Some((cur, set)) = end {
            end = self.region(cur, set)?;
        }
        let (Some(mut cx), None) = (self.contexts.pop(), end) else {
            return Err(ice!("structurize: edges of a loop body never met"));
        };
        let cont = self.open();
        if let Some(latch) = cx.latch {
            if cx.continues.is_empty() {
                return Ok(self.close_loop(header, cont, latch, cx.breaks));
            }
            let (stay, leave, merge) = (self.open(), self.open(), self.open());
            let (then, other) = if latch.back_if { (stay, leave) } else { (leave, stay) };
            self.select_header(latch.block, merge, latch.cond, then, other);
            self.join(merge, Vec::new());
            cx.continues.push((stay, vec![latch.back]));
            cx.breaks.push((leave, vec![latch.leave]));
        }
        match self.join(cont, cx.continues) {
            Some(back) => {
                let args = back.first().map(|d| d.args.clone()).unwrap_or_default();
                Builder::new(self.func, cont).jump(header, &args);
            }
            None => return Err(ice!("structurize: a loop without a back edge")),
        }
        let merge = self.open();
        self.func.blocks[header].merge = Some(Merge::Loop { merge, cont });
        Ok(self.join(merge, cx.breaks).map(|set| (merge, set)))
    }

    /// Ends a loop with the branch of its latch, moved into the continue block.
    fn close_loop(&mut self, header: Block, cont: Block, latch: Latch, mut breaks: Vec<End>) -> Option<End> {
        Builder::new(self.func, latch.block).jump(cont, &[]);
        let merge = self.open();
        self.func.blocks[header].merge = Some(Merge::Loop { merge, cont });
        breaks.push((cont, vec![latch.leave]));
        let (set, mut args) = self.merge_edges(merge, &breaks);
        let leave = BlockCall { block: merge, args: args.pop().unwrap_or_default() };
        let back = BlockCall { block: header, args: latch.back.args };
        let (then, other) = if latch.back_if { (back, leave) } else { (leave, back) };
        Builder::new(self.func, cont).brif(latch.cond, then, other);
        for ((block, _), args) in breaks.iter().zip(&args) {
            Builder::new(self.func, *block).jump(merge, args);
        }
        Some((merge, set))
    }

    /// Appends the instructions of an original block to `cur` and follows its terminator.
    fn body(&mut self, cur: Block, block: Block) -> Result<Option<End>> {
        let mut insts = self.func.take_insts(block);
        let Some(term) = insts.pop() else {
            return Err(ice!("{block} has no terminator"));
        };
        if self.func.blocks[cur].insts.is_empty() {
            self.func.blocks[cur].insts = insts;
        } else {
            self.func.blocks[cur].insts.append(&mut insts);
        }
        let data = self.func.insts[term].clone();
        match data.op {
            Op::Jump => Ok(Some((cur, vec![self.edge(&data.targets[0], None)]))),
            Op::Return | Op::Unreachable => {
                self.func.blocks[cur].insts.push(term);
                Ok(None)
            }
            Op::BrIf => {
                let cond = self.resolve(data.args[0]);
                self.branch(cur, cond, &data.targets[0], &data.targets[1])
            }
            Op::Switch(cases) => self.switch(cur, term, &cases, &data.targets),
            _ => Err(ice!("{block} does not end in a terminator")),
        }
    }

    fn branch(
        &mut self,
        cur: Block,
        cond: Value,
        then: &BlockCall,
        other: &BlockCall,
    ) -> Result<Option<End>> {
        let (mut t, mut e) = (self.edge(then, Some(cond)), self.edge(other, None));
        if t.target == e.target {
            let mut b = Builder::new(self.func, cur);
            e.args = t
                .args
                .iter()
                .zip(&e.args)
                .map(|(x, y)| if x == y { *x } else { b.select(cond, *x, *y) })
                .collect();
            e.count = 2;
            return Ok(Some((cur, vec![e])));
        }
        let (t_exit, e_exit) = (self.is_exit(t.target), self.is_exit(e.target));
        if t_exit || e_exit {
            t.cond = None;
            if t_exit && e_exit {
                let back_if = self.is_back(t.target);
                if self.latches
                    && back_if != self.is_back(e.target)
                    && let Some(cx) = self.contexts.last_mut().filter(|cx| cx.latch.is_none())
                {
                    let (back, leave) = if back_if { (t, e) } else { (e, t) };
                    cx.latch = Some(Latch { block: cur, cond, back_if, back, leave });
                    return Ok(None);
                }
                let (arm, arm2, merge) = (self.open(), self.open(), self.open());
                self.select_header(cur, merge, cond, arm, arm2);
                self.join(merge, Vec::new());
                self.exit(arm, t);
                self.exit(arm2, e);
                return Ok(None);
            }
            let (arm, merge) = (self.open(), self.open());
            let (leave, stay) = if t_exit {
                self.select_header(cur, merge, cond, arm, merge);
                (t, e)
            } else {
                self.select_header(cur, merge, cond, merge, arm);
                (e, t)
            };
            self.exit(arm, leave);
            return Ok(Some((merge, vec![stay])));
        }
        if !self.is_complete(&t) && !self.is_complete(&e) {
            e.cond = Some(Builder::new(self.func, cur).un(UnOp::Not, cond));
            return Ok(Some((cur, vec![t, e])));
        }
        t.cond = None;
        let mut ends: Vec<End> = Vec::new();
        let then = self.open();
        ends.extend(self.region(then, vec![t])?);
        let other = self.open();
        ends.extend(self.region(other, vec![e])?);
        let merge = self.open();
        self.select_header(cur, merge, cond, then, other);
        let joined = self.join(merge, ends);
        self.tidy_arms(cur, merge);
        Ok(joined.map(|set| (merge, set)))
    }

    fn switch(
        &mut self,
        cur: Block,
        term: Inst,
        cases: &[u64],
        targets: &[BlockCall],
    ) -> Result<Option<End>> {
        let selector = self.resolve(self.func.insts[term].args[0]);
        // One arm for each distinct edge; case values may share one.
        let mut arms: Vec<Deferred> = Vec::new();
        let mut by_edge: FxHashMap<&BlockCall, usize> = FxHashMap::default();
        let mut arm_of: Vec<usize> = Vec::new();
        for call in targets {
            let i = *by_edge.entry(call).or_insert_with(|| {
                arms.push(Deferred { count: 0, ..self.edge(call, None) });
                arms.len() - 1
            });
            arms[i].count += 1;
            arm_of.push(i);
        }
        if arms.len() == 1 {
            return Ok(Some((cur, arms)));
        }
        let mut ends: Vec<End> = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        for arm in arms {
            let b = self.open();
            blocks.push(b);
            ends.extend(self.region(b, vec![arm])?);
        }
        let merge = self.open();
        self.func.blocks[cur].merge = Some(Merge::Selection { merge });
        let calls: Vec<BlockCall> = arm_of.iter().map(|i| BlockCall::new(blocks[*i], &[])).collect();
        let term = self.func.make_terminator(Op::Switch(cases.into()), &[selector], &calls);
        self.func.blocks[cur].insts.push(term);
        let joined = self.join(merge, ends);
        self.tidy_arms(cur, merge);
        Ok(joined.map(|set| (merge, set)))
    }

    /// Ends the blocks with jumps to `merge` and merges their edges; `None` if there are no ends (the block
    /// is unreachable).
    fn join(&mut self, merge: Block, ends: Vec<End>) -> Option<Vec<Deferred>> {
        if ends.is_empty() {
            let inst = self.func.make_terminator(Op::Unreachable, &[], &[]);
            self.func.blocks[merge].insts.push(inst);
            return None;
        }
        let (set, args) = self.merge_edges(merge, &ends);
        for ((block, _), args) in ends.iter().zip(&args) {
            Builder::new(self.func, *block).jump(merge, args);
        }
        Some(set)
    }

    /// Merges the edges of blocks that will jump to `merge`; returns the merged edges and the arguments of
    /// each jump.
    fn merge_edges(&mut self, merge: Block, ends: &[End]) -> (Vec<Deferred>, Vec<SmallVec<[Value; 4]>>) {
        if let [(_, set)] = ends {
            return (set.clone(), vec![smallvec![]]);
        }
        let mut joined: Vec<Deferred> = Vec::new();
        let mut index: FxHashMap<Block, usize> = FxHashMap::default();
        // For each target: (end, edge of that end).
        let mut sources: Vec<Vec<(usize, usize)>> = Vec::new();
        for (n, (_, set)) in ends.iter().enumerate() {
            for (k, d) in set.iter().enumerate() {
                let i = *index.entry(d.target).or_insert_with(|| {
                    joined.push(Deferred { count: 0, ..d.clone() });
                    sources.push(Vec::new());
                    joined.len() - 1
                });
                joined[i].count += d.count;
                sources[i].push((n, k));
            }
        }
        let mut args: Vec<SmallVec<[Value; 4]>> = vec![smallvec![]; ends.len()];
        let single = joined.len() == 1;
        for (d, from) in joined.iter_mut().zip(&sources) {
            d.cond = None;
            if !single {
                let (yes, no) = (self.func.bool(true), self.func.bool(false));
                d.cond = Some(self.func.add_param(merge, I1));
                for a in args.iter_mut() {
                    a.push(no);
                }
                for &(n, k) in from {
                    if let Some(last) = args[n].last_mut() {
                        *last = ends[n].1[k].cond.unwrap_or(yes);
                    }
                }
            }
            for i in 0..d.args.len() {
                let first = d.args[i];
                if from.iter().all(|&(n, k)| ends[n].1[k].args[i] == first) {
                    continue;
                }
                let ty: Type = self.func.ty(first);
                let undef = self.func.undef(ty);
                d.args[i] = self.func.add_param(merge, ty);
                for a in args.iter_mut() {
                    a.push(undef);
                }
                for &(n, k) in from {
                    if let Some(last) = args[n].last_mut() {
                        *last = ends[n].1[k].args[i];
                    }
                }
            }
        }
        (joined, args)
    }

    /// Redirects an empty arm of the selection that `header` opens to the merge block.
    fn tidy_arms(&mut self, header: Block, merge: Block) {
        let Some(term) = self.func.terminator(header) else { return };
        let targets = self.func.insts[term].targets.clone();
        let empty = targets.iter().rev().find_map(|arm| match self.func.blocks[arm.block].insts[..] {
            [only]
                if self.func.insts[only].targets.len() == 1
                    && self.func.insts[only].targets[0].block == merge =>
            {
                Some((arm.block, self.func.insts[only].targets[0].clone()))
            }
            _ => None,
        });
        // The empty block stays in the layout until unreachable blocks are removed.
        if let Some((arm, call)) = empty
            && targets.iter().filter(|t| t.block == arm).count() == 1
        {
            for t in self.func.insts[term].targets.iter_mut().filter(|t| t.block == arm) {
                *t = call.clone();
            }
            self.func.blocks[arm].insts.clear();
            debug_assert!(arm.index() < self.func.blocks.len());
        }
    }
}

#[cfg(test)]
#[path = "structurize_tests.rs"]
mod tests;
