//! Rules of structured control flow, as required by SPIR-V.
//!
//! A *construct* is the region of a header: the blocks that it dominates and that its merge block does not.
//! Rules:
//! - a merge block belongs to one header; a header dominates its merge and continue blocks;
//! - back edges go to loop headers only, one each, from the continue construct;
//! - a construct is left only for its own merge block, the innermost loop's merge or continue block, or the
//!   innermost switch's merge block;
//! - every conditional branch is a header unless all its edges but one leave a construct;
//! - blocks come after their dominators in the layout.

use super::dominators::Dominators;
use crate::ir::entity::{Block, SecondaryMap};
use crate::ir::func::{Function, Merge};
use crate::ir::inst::Op;

/// Header of the innermost construct of each block; `None` outside of all.
type Innermost = SecondaryMap<Block, Option<Block>>;

/// Reports an error at an entity.
type Errors<'a> = dyn FnMut(String, String) + 'a;

/// Checks the rules for one function.
pub(super) fn check(func: &Function, dominators: &Dominators, error: &mut Errors<'_>) {
    let in_layout = check_layout(func, dominators, error);
    check_merges(func, dominators, &in_layout, error);
    let innermost = innermost_constructs(func, dominators);
    for &b in &dominators.order {
        check_edges(func, dominators, &innermost, b, error);
    }
}

/// Checks the order of the blocks; returns which are in the layout.
fn check_layout(
    func: &Function,
    dominators: &Dominators,
    error: &mut Errors<'_>,
) -> SecondaryMap<Block, bool> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    for &b in &func.layout {
        seen[b] = true;
        if let Some(d) = dominators.idom(b)
            && !seen[d]
        {
            error(b.to_string(), format!("comes before its dominator {d} in the layout"));
        }
    }
    seen
}

/// Checks the merge annotations of all headers, and that back edges go to loop headers.
fn check_merges(
    func: &Function,
    dominators: &Dominators,
    in_layout: &SecondaryMap<Block, bool>,
    error: &mut Errors<'_>,
) {
    let mut merge_of: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let mut back_edges: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for &b in &dominators.order {
        for t in func.successors(b) {
            if dominators.dominates(t.block, b) {
                back_edges[t.block].push(b);
            }
        }
    }
    for &b in &dominators.order {
        let Some(merge) = func.blocks[b].merge else {
            if !back_edges[b].is_empty() {
                error(b.to_string(), "is the target of a back edge but no loop header".into());
            }
            continue;
        };
        let target = merge_block(merge);
        for (what, x) in [("merge", target), ("continue", continue_block(merge).unwrap_or(target))] {
            if !in_layout[x] {
                error(b.to_string(), format!("its {what} block {x} is not in the layout"));
            } else if dominators.reachable(x) && !dominators.dominates(b, x) {
                error(b.to_string(), format!("does not dominate its {what} block {x}"));
            }
        }
        if let Some(other) = merge_of[target].replace(b) {
            error(b.to_string(), format!("{target} is the merge block of {other} too"));
        }
        if target == b {
            error(b.to_string(), "is its own merge block".into());
        }
        check_header(func, dominators, b, merge, &back_edges[b], error);
    }
}

/// Checks the back edges and the terminator of a header.
fn check_header(
    func: &Function,
    dominators: &Dominators,
    b: Block,
    merge: Merge,
    back_edges: &[Block],
    error: &mut Errors<'_>,
) {
    match merge {
        Merge::Selection { .. } => {
            if !back_edges.is_empty() {
                error(b.to_string(), "is the target of a back edge but no loop header".into());
            }
            if !func.terminator(b).is_some_and(|t| matches!(func.insts[t].op, Op::BrIf | Op::Switch(_))) {
                error(b.to_string(), "a selection header must end with brif or switch".into());
            }
        }
        Merge::Loop { cont, .. } => {
            match back_edges {
                [] if !dominators.reachable(cont) => {}
                [one] if dominators.dominates(cont, *one) => {}
                [one] => error(
                    b.to_string(),
                    format!("its back edge from {one} is not in the continue construct of {cont}"),
                ),
                many => error(b.to_string(), format!("has {} back edges, must have one", many.len())),
            }
            if !func.terminator(b).is_some_and(|t| matches!(func.insts[t].op, Op::BrIf | Op::Jump)) {
                error(b.to_string(), "a loop header must end with br or brif".into());
            }
        }
    }
}

/// Innermost constructs, computed in an order that visits dominators first.
fn innermost_constructs(func: &Function, dominators: &Dominators) -> Innermost {
    let mut innermost: Innermost = SecondaryMap::new();
    for &b in dominators.order.iter().skip(1) {
        let Some(d) = dominators.idom(b) else { continue };
        let mut around = own_construct(func, &innermost, d);
        let mut c = around;
        while let Some(h) = c {
            if func.blocks[h].merge.map(merge_block) == Some(b) {
                around = innermost[h];
                break;
            }
            c = innermost[h];
        }
        innermost[b] = around;
    }
    innermost
}

/// Checks that the edges of a block stay in its construct or leave it where they may.
fn check_edges(
    func: &Function,
    dominators: &Dominators,
    innermost: &Innermost,
    b: Block,
    error: &mut Errors<'_>,
) {
    let around = own_construct(func, innermost, b);
    let mut inside = 0;
    let mut targets: Vec<Block> = func.successors(b).iter().map(|t| t.block).collect();
    targets.sort();
    targets.dedup();
    for &t in &targets {
        if is_exit(func, innermost, around, t) {
            continue;
        }
        inside += 1;
        let back_edge =
            dominators.dominates(t, b) && matches!(func.blocks[t].merge, Some(Merge::Loop { .. }));
        if innermost[t] != around && !back_edge {
            error(b.to_string(), format!("its edge to {t} leaves or enters a construct in the middle"));
        }
    }
    let is_header = func.blocks[b].merge.is_some();
    let is_switch = func.terminator(b).is_some_and(|t| matches!(func.insts[t].op, Op::Switch(_)));
    // A branch of a loop header counts as leaving unless both edges stay in the loop.
    if !is_header && (inside > 1 || is_switch) {
        error(b.to_string(), "branches without a merge annotation".into());
    }
}

fn merge_block(merge: Merge) -> Block {
    match merge {
        Merge::Selection { merge } | Merge::Loop { merge, .. } => merge,
    }
}

fn continue_block(merge: Merge) -> Option<Block> {
    match merge {
        Merge::Selection { .. } => None,
        Merge::Loop { cont, .. } => Some(cont),
    }
}

/// The construct that the branch of `block` is in: its own if it is a header.
fn own_construct(func: &Function, innermost: &Innermost, block: Block) -> Option<Block> {
    if func.blocks[block].merge.is_some() { Some(block) } else { innermost[block] }
}

/// Whether a branch to `target` from directly inside the construct of `around` is a legal exit.
fn is_exit(func: &Function, innermost: &Innermost, around: Option<Block>, target: Block) -> bool {
    let mut c = around;
    let mut first = true;
    // Inside a switch, its merge block hides those of outer switches.
    let mut in_switch = false;
    while let Some(h) = c {
        match func.blocks[h].merge {
            Some(Merge::Loop { merge, cont }) => return target == merge || target == cont,
            Some(Merge::Selection { merge }) => {
                let is_switch = func.terminator(h).is_some_and(|t| matches!(func.insts[t].op, Op::Switch(_)));
                if target == merge && (first || (is_switch && !in_switch)) {
                    return true;
                }
                in_switch |= is_switch;
            }
            None => return false,
        }
        first = false;
        c = innermost[h];
    }
    false
}
