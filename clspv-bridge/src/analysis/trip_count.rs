//! Upper bounds of trip counts, for devices that end loops early ([`VulkanTarget::max_trip_count`]).
//!
//! The trip count of a loop is found by executing its exit conditions on constants: header parameters that
//! start as constants and whose next values depend on constants and on each other. Everything else is
//! unknown.
//!
//! [`VulkanTarget::max_trip_count`]: crate::target::VulkanTarget::max_trip_count

use crate::analysis::{Cfg, DomTree, Loop, LoopForest};
use crate::ir::fold::fold;
use crate::ir::*;
use rustc_hash::FxHashMap;

/// Most operations between an exit condition and a header parameter that are evaluated.
const DEPTH: u32 = 16;

/// Whether the sum of all trip counts of all functions is known to be below `limit`.
pub fn is_below(module: &Module, limit: u32) -> bool {
    let mut total = 0;
    for func in module.functions.values().filter(|f| f.entry().is_some()) {
        let Some(trips) = trip_count(func, limit) else { return false };
        // A function may be called in a loop.
        if func.kernel.is_none() && trips > 0 {
            return false;
        }
        total += trips;
    }
    total < u64::from(limit)
}

/// Sum of the trip counts of all loops in one call; `None` if it is unknown, or not below `limit`.
fn trip_count(func: &Function, limit: u32) -> Option<u64> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let mut inside = vec![0u64; forest.loops().len()];
    let mut total = 0u64;
    // Inner loops first.
    for l in (0..forest.loops().len()).rev() {
        // The last iteration takes no back edge.
        let own =
            (backedge_taken_count(func, &cfg, &dom, &forest, l, limit)? + 1).checked_mul(1 + inside[l])?;
        if own >= u64::from(limit) {
            return None;
        }
        match forest.loops()[l].parent {
            Some(p) => inside[p] += own,
            None => total += own,
        }
    }
    (total < u64::from(limit)).then_some(total)
}

/// Upper bound of the backedge-taken count of a loop; `None` if it is unknown, or not below `limit`.
pub fn backedge_taken_count(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    forest: &LoopForest,
    l: usize,
    limit: u32,
) -> Option<u64> {
    let tests = tests(func, cfg, dom, forest, l);
    Counters::new(func, cfg, &forest.loops()[l]).first_exit(func, &tests, u64::from(limit))
}

/// Like [`backedge_taken_count`], but exact: `None` also for a loop with another exit.
pub fn exact_backedge_taken_count(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    forest: &LoopForest,
    l: usize,
    limit: u32,
) -> Option<u64> {
    let in_loop = func.layout.iter().filter(|b| cfg.number(**b).is_some() && forest.contains(l, **b));
    let exits = in_loop.flat_map(|b| func.successors(*b)).filter(|t| !forest.contains(l, t.block)).count();
    (exits == 1).then(|| backedge_taken_count(func, cfg, dom, forest, l, limit))?
}

/// Exiting branches of a loop that every iteration executes: the condition, and its value that leaves the
/// loop.
fn tests(func: &Function, cfg: &Cfg, dom: &DomTree, forest: &LoopForest, l: usize) -> Vec<(Value, bool)> {
    let latches = &forest.loops()[l].latches;
    (func.layout.iter())
        .filter(|&&b| {
            cfg.number(b).is_some() && forest.contains(l, b) && latches.iter().all(|&at| dom.dominates(b, at))
        })
        .filter_map(|&b| {
            let data = &func.insts[func.terminator(b).filter(|&t| func.insts[t].op == Op::BrIf)?];
            let stays = |i: usize| forest.contains(l, data.targets[i].block);
            (stays(0) != stays(1)).then(|| (data.args[0], stays(1)))
        })
        .collect()
}

/// Known parameters of a header.
type State = FxHashMap<Value, Const>;

/// Parameters of a loop's header: the constants that they start as, and their next values.
pub(crate) struct Counters {
    next: Vec<(Value, Value)>,
    start: State,
}

impl Counters {
    /// Finds the parameters for which all edges from inside the loop pass one value.
    pub(crate) fn new(func: &Function, cfg: &Cfg, at: &Loop) -> Counters {
        let passed = |n, inside| passed(func, cfg, at, n, inside);
        let params = || func.blocks[at.header].params.iter().enumerate();
        let constant = |n: usize| value_of(func, passed(n, false)?, &State::default(), DEPTH);
        Counters {
            next: params().filter_map(|(n, &p)| Some((p, passed(n, true)?))).collect(),
            start: params().filter_map(|(n, &p)| Some((p, constant(n)?))).collect(),
        }
    }

    /// Number of the iteration, from 0, in which one of the conditions has the value beside it; `None` if it
    /// is unknown, or not below `limit`. Each iteration executes all conditions.
    pub(crate) fn first_exit(&self, func: &Function, tests: &[(Value, bool)], limit: u64) -> Option<u64> {
        let mut state = self.start.clone();
        for taken in 0..limit {
            let mut known = false;
            for &(condition, leaves) in tests {
                match value_of(func, condition, &state, DEPTH) {
                    Some(Const::Bits(_, bits)) if (bits[0] != 0) == leaves => return Some(taken),
                    Some(Const::Bits(..)) => known = true,
                    _ => {}
                }
            }
            if !known {
                return None;
            }
            let next = self.next.iter();
            state = next.filter_map(|&(p, next)| Some((p, value_of(func, next, &state, DEPTH)?))).collect();
        }
        None
    }
}

/// The argument that all edges to the header from inside or from outside pass for its nth parameter.
pub(crate) fn passed(func: &Function, cfg: &Cfg, at: &Loop, n: usize, inside: bool) -> Option<Value> {
    let from = cfg.preds(at.header).iter().filter(|b| at.latches.contains(b) == inside);
    let mut args = from.flat_map(|b| func.successors(*b)).filter(|t| t.block == at.header).map(|t| t.args[n]);
    let first = args.next()?;
    args.all(|v| v == first).then_some(first)
}

/// A value in an iteration that starts with this state.
pub(crate) fn value_of(func: &Function, value: Value, state: &State, depth: u32) -> Option<Const> {
    if let Some(known) = state.get(&value).or_else(|| func.as_const(value)) {
        return Some(known.clone());
    }
    let data = &func.insts[func.def_inst(value).filter(|_| depth > 0)?];
    if !data.op.is_pure() || data.results.len() != 1 {
        return None;
    }
    let args: Vec<Const> =
        data.args.iter().map(|&a| value_of(func, a, state, depth - 1)).collect::<Option<_>>()?;
    fold(&data.op, &args.iter().collect::<Vec<_>>(), func.ty(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    /// A loop nest, both counting from 0 in steps of 3. `trips` and `inner` are the bounds that the exit
    /// conditions compare with.
    fn nest(trips: &str, inner: &str) -> Module {
        let text = format!(
            "phase lowered
kernel \"k\" args_size 8 {{
}}
func @k() kernel 0 {{
block0:
    v0 = push_const.i64 0
    v1 = push_const.i32 8
    br block1(i32 0)
block1(v2: i32):
    v3 = icmp ult v2, {trips}
    brif v3, block2(i32 0), block4
block2(v4: i32):
    v5 = iadd v4, i32 3
    v6 = imul v5, i32 2
    v7 = icmp ult v6, {inner}
    brif v7, block2(v5), block3
block3:
    v8 = iadd v2, i32 3
    br block1(v8)
block4:
    store v2, v0 addr align 4
    ret
}}
"
        );
        parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn constant_trip_counts_are_found() {
        // 10 iterations and a last test, each with an inner loop of 4 iterations and a last one.
        let module = nest("i32 30", "i32 30");
        let func = module.functions.values().next().unwrap();
        assert_eq!(trip_count(func, 1000), Some(11 * (1 + 5)));
        assert!(is_below(&module, 67) && !is_below(&module, 66));
    }

    #[test]
    fn unknown_trip_counts_have_no_bound() {
        assert!(!is_below(&nest("v1", "i32 30"), u32::MAX));
        assert!(!is_below(&nest("i32 30", "v1"), u32::MAX));
        // 0, 3, 6, ... reaches every even number in the end, but never exceeds the bound.
        assert!(!is_below(&nest("i32 -1", "i32 30"), 65_535));
    }

    #[test]
    fn code_without_loops_has_trip_count_zero() {
        let text = "phase lowered\nfunc @f(i32) {\nblock0(v0: i32):\n    ret\n}\n";
        assert!(is_below(&parse::parse_module(text).unwrap_or_else(|e| panic!("{e}")), 1));
    }
}
