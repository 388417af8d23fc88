//! The plan of a kernel's parallel regions: their blocks, and the context array's layout.

use super::{frame_end, has_barriers, slots_end};
use crate::analysis::group_uniform::{Apart, REGION_END, is_group_sync, sync_position, varying_values};
use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::error::{CompileError, Result};
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A parallel region.
pub(super) struct Region {
    /// The block that control enters it by.
    pub entry: Block,
    pub blocks: Vec<Block>,
    /// The block with the barrier; `None` if control does not leave the region.
    pub exit: Option<Block>,
    /// Values of other regions that it uses.
    pub live_in: BTreeSet<Value>,
    /// Whether there is no code for vectors.
    pub is_empty: bool,
}

/// Plan of a kernel's rewriting.
pub(super) struct Plan {
    pub regions: Vec<Region>,
    /// Values that may differ between vectors; `None` if there is only one region with code.
    pub varying: Option<EntitySet<Value>>,
    /// Parameters of the regions' entries.
    pub params: FxHashMap<Block, Vec<Value>>,
    /// Offsets in the frame of values that are live in other regions, and of parameters of regions.
    pub context: BTreeMap<Value, u32>,
    /// Values of the context array that loops of their regions define: the blocks after the loops at whose
    /// start they are saved. The others are saved where they are defined.
    pub save_after_loop: FxHashMap<Value, Block>,
    pub frame_end: u32,
    pub has_barriers: bool,
}

impl Plan {
    pub fn new(func: &mut Function) -> Result<Plan> {
        split_edges(func);
        let (mut regions, region_of) = find_regions(func)?;
        // The first region is the empty one of the entry.
        let varying = (regions.len() > 2).then(|| varying_values(func, Apart::Vectors));
        let differs = |v: Value| varying.as_ref().is_some_and(|values| values.contains(v));
        let mut params: FxHashSet<Value> = FxHashSet::default();
        for region in &regions {
            let own = func.blocks[region.entry].params.iter().copied();
            params.extend(own.filter(|p| differs(*p)));
        }
        let mut context: BTreeSet<Value> = params.iter().copied().collect();
        if varying.is_some() {
            let defined = definitions(func, &region_of);
            for &block in &func.layout {
                for (v, at) in region_uses(func, &region_of, block, &params) {
                    let other = defined.get(&v).is_some_and(|d| *d != at);
                    if params.contains(&v) || other && differs(v) {
                        context.insert(v);
                        regions[at].live_in.insert(v);
                    }
                }
            }
        }
        for region in &mut regions {
            let copies = region.exit.is_some_and(|b| {
                let mut targets = func.successors(b).iter();
                targets.any(|t| func.blocks[t.block].params.iter().any(|p| params.contains(p)))
            });
            let code = region.entry != region.exit.unwrap_or(region.entry)
                || region.exit.is_none()
                || sync_position(func, region.entry) != Some(0)
                || region.exit.is_some_and(|b| has_group_operation(func, b));
            region.is_empty = !copies && !code;
        }
        let several = regions.iter().filter(|region| !region.is_empty).count() > 1;
        let save_after_loop = save_points(func, &regions, &region_of, &context);
        let mut end = slots_end(func, 0);
        let mut offsets = BTreeMap::new();
        for v in context {
            let bytes = func.ty(v).access_bytes().unwrap_or(8);
            let at = end.next_multiple_of(bytes.next_power_of_two().min(64));
            end = at + bytes;
            offsets.insert(v, at);
        }
        let params =
            regions.iter().map(|region| (region.entry, func.blocks[region.entry].params.clone())).collect();
        Ok(Plan {
            regions,
            varying,
            params,
            context: offsets,
            save_after_loop,
            frame_end: frame_end(end),
            has_barriers: has_barriers(func) || several,
        })
    }
}

fn has_group_operation(func: &Function, block: Block) -> bool {
    func.blocks[block]
        .insts
        .iter()
        .any(|i| matches!(func.insts[*i].op, Op::Group { .. }) && is_group_sync(&func.insts[*i].op))
}

/// Gives each edge that has arguments, and leaves a region by a branch, a block of its own.
fn split_edges(func: &mut Function) {
    for block in func.layout.clone() {
        let Some(term) = func.terminator(block) else { continue };
        if sync_position(func, block).is_none() || func.insts[term].targets.len() < 2 {
            continue;
        }
        for n in 0..func.insts[term].targets.len() {
            let call = func.insts[term].targets[n].clone();
            if call.args.is_empty() {
                continue;
            }
            let middle = edit::split_after(func, block);
            let mut b = Builder::new(func, middle);
            b.inst(REGION_END, &[], &[]);
            b.jump(call.block, &call.args);
            func.insts[term].targets[n] = BlockCall::new(middle, &[]);
        }
    }
}

/// The regions: each begins where control comes from after a barrier.
fn find_regions(func: &Function) -> Result<(Vec<Region>, FxHashMap<Block, usize>)> {
    let mut region_of: FxHashMap<Block, usize> = FxHashMap::default();
    let mut regions: Vec<Region> = Vec::new();
    let mut entries: Vec<Block> = func.entry().into_iter().collect();
    let mut seen: FxHashSet<Block> = entries.iter().copied().collect();
    while let Some(entry) = entries.pop() {
        let (mut blocks, mut work, mut exit) = (Vec::new(), vec![entry], None);
        while let Some(block) = work.pop() {
            match region_of.get(&block) {
                Some(other) if *other == regions.len() => continue,
                Some(_) => return Err(CompileError::internal("parallel regions that share code")),
                None => {}
            }
            region_of.insert(block, regions.len());
            blocks.push(block);
            if sync_position(func, block).is_none() {
                work.extend(func.successors(block).iter().map(|t| t.block));
                continue;
            }
            if exit.replace(block).is_some() {
                return Err(CompileError::internal("a parallel region with two ends"));
            }
            for t in func.successors(block) {
                if seen.insert(t.block) {
                    entries.push(t.block);
                }
            }
        }
        regions.push(Region { entry, blocks, exit, live_in: BTreeSet::new(), is_empty: false });
    }
    Ok((regions, region_of))
}

/// The region that defines each value.
fn definitions(func: &Function, region_of: &FxHashMap<Block, usize>) -> FxHashMap<Value, usize> {
    let mut defined = FxHashMap::default();
    for (block, region) in region_of {
        if func.entry() != Some(*block) {
            defined.extend(func.blocks[*block].params.iter().map(|p| (*p, *region)));
        }
        let end = sync_position(func, *block).unwrap_or(usize::MAX);
        for inst in func.blocks[*block].insts.iter().take(end) {
            defined.extend(func.insts[*inst].results.iter().map(|r| (*r, *region)));
        }
    }
    defined
}

/// The first block after all loops that define a value and do not contain its region's end; see
/// [`Plan::save_after_loop`]. Other regions use the value, so its definition dominates that end.
fn save_points(
    func: &Function,
    regions: &[Region],
    region_of: &FxHashMap<Block, usize>,
    context: &BTreeSet<Value>,
) -> FxHashMap<Value, Block> {
    let mut points = FxHashMap::default();
    if context.is_empty() {
        return points;
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let loops = LoopForest::new(&cfg, &dom);
    let mut dominators: FxHashMap<Block, Dominators> = FxHashMap::default();
    for &block in func.layout.iter().filter(|b| loops.innermost(**b).is_some()) {
        let results = func.blocks[block].insts.iter().flat_map(|i| &func.insts[*i].results);
        let mut saved = func.blocks[block].params.iter().chain(results).filter(|v| context.contains(*v));
        let Some(first) = saved.next() else { continue };
        let Some(end) = region_of.get(&block).and_then(|r| regions[*r].exit) else { continue };
        // The outermost loop that the region's end is not in.
        let Some(outermost) = loops.around(block).filter(|l| !loops.contains(*l, end)).last() else {
            continue;
        };
        if !dom.dominates(block, end) {
            continue;
        }
        let dominators = dominators.entry(end).or_insert_with(|| Dominators::new(&dom, end));
        let is_outside = |b: &Block| !loops.contains(outermost, *b);
        let point = dominators.after(loops.loops()[outermost].header).find(is_outside);
        points.extend([first].into_iter().chain(saved).filter_map(|v| Some((*v, point?))));
    }
    points
}

/// The dominators of a block, from the block upwards.
struct Dominators {
    blocks: Vec<Block>,
    positions: FxHashMap<Block, usize>,
}

impl Dominators {
    fn new(dom: &DomTree, block: Block) -> Dominators {
        let blocks: Vec<Block> = std::iter::successors(Some(block), |b| dom.idom(*b)).collect();
        let positions = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        Dominators { blocks, positions }
    }

    /// The dominators that one of them dominates, from it downwards.
    fn after(&self, dominator: Block) -> impl Iterator<Item = Block> + '_ {
        let end = self.positions.get(&dominator).map_or(0, |i| i + 1);
        self.blocks.iter().take(end).rev().copied()
    }
}

/// Values that the block's part of a region uses, with the region: operands before the barrier, those of the
/// group operations that end the region, and arguments for `params`, which are in the context array.
fn region_uses(
    func: &Function,
    region_of: &FxHashMap<Block, usize>,
    block: Block,
    params: &FxHashSet<Value>,
) -> Vec<(Value, usize)> {
    let Some(&region) = region_of.get(&block) else { return Vec::new() };
    let end = sync_position(func, block).unwrap_or(usize::MAX);
    let mut used = Vec::new();
    for (at, inst) in func.blocks[block].insts.iter().enumerate() {
        let data = &func.insts[*inst];
        if at < end {
            used.extend(data.operands().copied());
            continue;
        }
        if is_group_sync(&data.op) {
            used.extend(data.args.iter().copied());
        }
        for t in &data.targets {
            let pairs = func.blocks[t.block].params.iter().zip(&t.args);
            used.extend(pairs.filter(|(p, _)| params.contains(p)).map(|(_, a)| *a));
        }
    }
    used.into_iter().map(|v| (v, region)).collect()
}
