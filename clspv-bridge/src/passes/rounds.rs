//! How often the loops of a kernel go round, for devices that end them early ([`Target::max_loop_rounds`]).
//!
//! A loop's rounds are counted by running what its tests need, on constants: parameters of the header that begin as
//! constants and are made from constants and each other. Everything else is unknown.
//!
//! [`Target::max_loop_rounds`]: crate::target::Target::max_loop_rounds

use super::fold::fold;
use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::ir::*;
use std::collections::HashMap;

/// Operations between a test and a parameter that are looked through.
const DEPTH: u32 = 16;

/// Whether the loops of all functions together are known to go round fewer than `limit` times in one work-item's lane group.
pub fn stay_below(module: &Module, limit: u32) -> bool {
    let mut total = 0;
    for func in module.functions.values().filter(|f| f.entry().is_some()) {
        let Some(rounds) = rounds(func, limit) else { return false };
        // A function may be called in a loop.
        if func.kernel.is_none() && rounds > 0 {
            return false;
        }
        total += rounds;
    }
    total < u64::from(limit)
}

/// Rounds of all loops in one call; `None` if that is unknown, or `limit` or more.
fn rounds(func: &Function, limit: u32) -> Option<u64> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let mut inside = vec![0u64; forest.loops().len()];
    let mut total = 0u64;
    // Inner loops first.
    for l in (0..forest.loops().len()).rev() {
        // The last round is one in which nobody goes back.
        let own = (trips(func, &cfg, &dom, &forest, l, limit)? + 1).checked_mul(1 + inside[l])?;
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

/// Known parameters of a header.
type State = HashMap<Value, Const>;

/// How often a loop's back edges are taken at most, if that is known and below `limit`.
fn trips(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    forest: &LoopForest,
    l: usize,
    limit: u32,
) -> Option<u64> {
    let it = &forest.loops()[l];
    let (header, latches) = (it.header, &it.latches);
    // What every round comes by and may leave at: the condition, and which value of it leaves.
    let tests: Vec<(Value, bool)> = (func.layout.iter())
        .filter(|&&b| {
            cfg.number(b).is_some() && forest.contains(l, b) && latches.iter().all(|&at| dom.dominates(b, at))
        })
        .filter_map(|&b| {
            let data = &func.insts[func.terminator(b).filter(|&t| func.insts[t].op == Op::BrIf)?];
            let stays = |i: usize| forest.contains(l, data.targets[i].block);
            (stays(0) != stays(1)).then(|| (data.args[0], stays(1)))
        })
        .collect();
    let arg_of = |n: usize, inside: bool| -> Option<Value> {
        let from = cfg.preds(header).iter().filter(|b| latches.contains(b) == inside);
        let mut args =
            from.flat_map(|&b| func.successors(b)).filter(|t| t.block == header).map(|t| t.args[n]);
        let first = args.next()?;
        args.all(|v| v == first).then_some(first)
    };
    let params: Vec<(Value, Value)> = func.blocks[header]
        .params
        .iter()
        .enumerate()
        .filter_map(|(n, &p)| Some((p, arg_of(n, true)?)))
        .collect();
    let first = func.blocks[header].params.iter().enumerate();
    let mut state: State =
        first.filter_map(|(n, &p)| Some((p, func.as_const(arg_of(n, false)?)?.clone()))).collect();
    for taken in 0..u64::from(limit) {
        let mut known = false;
        for &(condition, leaves) in &tests {
            match value_of(func, condition, &state, DEPTH) {
                Some(Const::Bits(_, bits)) if (bits[0] != 0) == leaves => return Some(taken),
                Some(Const::Bits(..)) => known = true,
                _ => {}
            }
        }
        if !known {
            return None;
        }
        state =
            params.iter().filter_map(|&(p, next)| Some((p, value_of(func, next, &state, DEPTH)?))).collect();
    }
    None
}

/// A value in a round that began with this state.
fn value_of(func: &Function, value: Value, state: &State, depth: u32) -> Option<Const> {
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

    /// A loop of `trips` rounds around one of `inner` rounds, each counting from 0 in steps of 3; `x` is what a test compares.
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
    fn rounds_of_constant_loops_are_counted() {
        // 10 rounds and a last look, each with an inner loop of 4 rounds and a last one.
        let module = nest("i32 30", "i32 30");
        let func = module.functions.values().next().unwrap();
        assert_eq!(rounds(func, 1000), Some(11 * (1 + 5)));
        assert!(stay_below(&module, 67) && !stay_below(&module, 66));
    }

    #[test]
    fn what_is_not_known_may_be_anything() {
        assert!(!stay_below(&nest("v1", "i32 30"), u32::MAX));
        assert!(!stay_below(&nest("i32 30", "v1"), u32::MAX));
        // 0, 3, 6, ... meets every even number in the end, but never what is compared with.
        assert!(!stay_below(&nest("i32 -1", "i32 30"), 65_535));
    }

    #[test]
    fn code_without_loops_has_no_rounds() {
        let text = "phase lowered\nfunc @f(i32) {\nblock0(v0: i32):\n    ret\n}\n";
        assert!(stay_below(&parse::parse_module(text).unwrap_or_else(|e| panic!("{e}")), 1));
    }
}
