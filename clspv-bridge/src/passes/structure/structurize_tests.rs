//! Structurizes random control-flow graphs and executes the result beside the original: the traces must
//! agree, and the result must obey the rules of structured control flow.

use super::structurize;
use crate::analysis::domtree::Positions;
use crate::analysis::{Cfg, DomTree};
use crate::ir::*;
use rustc_hash::FxHashMap;

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// An instruction with a trace entry (tag, x) whose result the executor chooses.
fn traced(b: &mut Builder<'_>, tag: i64, x: Value) -> Value {
    let addr = b.i64(tag);
    let op = Op::AtomicRmw {
        op: RmwOp::Add,
        access: Access { root: Root::Addr, ..Access::aligned(4) },
        scope: Scope::Device,
        order: Ordering::Relaxed,
    };
    b.value(op, &[addr, x], I32)
}

fn random_function(rng: &mut Rng) -> Function {
    let mut f = Function::new("f", Signature { params: vec![I32], results: vec![I32] }, Linkage::Internal);
    let n = 2 + rng.below(14);
    let blocks: Vec<Block> = (0..n).map(|_| f.add_block()).collect();
    for (i, &b) in blocks.iter().enumerate() {
        let params = if i == 0 { 1 } else { rng.below(3) };
        for _ in 0..params {
            f.add_param(b, I32);
        }
    }
    // First the graph, with forward edges likely; then values visible by dominance.
    let mut succs: Vec<Vec<usize>> = Vec::new();
    let wild = rng.below(3) == 0;
    for i in 0..n {
        let kind = rng.below(10);
        let count = match kind {
            0 => 0,
            1..=3 => 1,
            4..=8 => 2,
            _ => 3 + rng.below(3),
        };
        let count = if i == n - 1 { 0 } else { count };
        let mut list = Vec::new();
        for _ in 0..count {
            let any = if wild || rng.below(4) == 0 {
                1 + rng.below(n - 1)
            } else {
                (i + 1 + rng.below(3)).min(n - 1)
            };
            list.push(any);
        }
        succs.push(list);
    }
    // A copy without arguments, to compute dominance.
    let mut shape = f.clone();
    for i in 0..n {
        let calls: Vec<BlockCall> = succs[i].iter().map(|s| BlockCall::new(blocks[*s], &[])).collect();
        let t = shape.make_terminator(if calls.is_empty() { Op::Return } else { Op::Jump }, &[], &calls);
        shape.blocks[blocks[i]].insts.push(t);
    }
    let dom = DomTree::new(&Cfg::new(&shape));
    let mut made: FxHashMap<Block, Vec<Value>> =
        blocks.iter().map(|b| (*b, f.blocks[*b].params.clone())).collect();
    let order: Vec<Block> = dom.preorder().to_vec();
    for &b in &order {
        let i = b.index();
        let mut visible: Vec<Value> = Vec::new();
        for (d, vs) in &made {
            if *d == b || (order.contains(d) && dom.dominates(*d, b)) {
                visible.extend(vs);
            }
        }
        visible.sort();
        let mut here = made[&b].clone();
        let mut builder = Builder::new(&mut f, b);
        for k in 0..1 + rng.below(2) {
            let x = if visible.is_empty() { builder.i32(7) } else { visible[rng.below(visible.len())] };
            let v = traced(&mut builder, (i * 10 + k) as i64, x);
            visible.push(v);
            here.push(v);
        }
        made.insert(b, here);
        let pick = |f: &mut Function, rng: &mut Rng| {
            if rng.below(8) == 0 { f.i32(rng.below(5) as i32) } else { visible[rng.below(visible.len())] }
        };
        let mut calls = Vec::new();
        for s in &succs[i] {
            let args: Vec<Value> =
                (0..f.blocks[blocks[*s]].params.len()).map(|_| pick(&mut f, rng)).collect();
            calls.push(BlockCall::new(blocks[*s], &args));
        }
        let t = match calls.len() {
            0 if rng.below(6) == 0 => f.make_terminator(Op::Unreachable, &[], &[]),
            0 => {
                let v = pick(&mut f, rng);
                f.make_terminator(Op::Return, &[v], &[])
            }
            1 => f.make_terminator(Op::Jump, &[], &calls),
            2 => {
                let x = visible[rng.below(visible.len())];
                let two = f.i32(2);
                let mut b2 = Builder::new(&mut f, b);
                let r = b2.bin(BinOp::Urem, x, two);
                let one = b2.i32(1);
                let c = b2.icmp(IntCc::Eq, r, one);
                f.make_terminator(Op::BrIf, &[c], &calls)
            }
            m => {
                let x = visible[rng.below(visible.len())];
                let m_value = f.i32(m as i32);
                let r = Builder::new(&mut f, b).bin(BinOp::Urem, x, m_value);
                let cases: Vec<u64> = (1..m as u64).collect();
                f.make_terminator(Op::Switch(cases.into()), &[r], &calls)
            }
        };
        f.blocks[b].insts.push(t);
    }
    f
}

/// Executes a function; returns its trace. `None` is undefined: it may be passed on but not observed.
fn walk(f: &Function, seed: u64, limit: usize) -> Vec<(u64, u64)> {
    let mut trace = Vec::new();
    let mut values: FxHashMap<Value, Option<u64>> = FxHashMap::default();
    let mut block = f.layout[0];
    values.insert(f.blocks[block].params[0], Some(seed & 0xff));
    let read = |values: &FxHashMap<Value, Option<u64>>, v: Value| match f.as_const(v) {
        Some(Const::Bits(_, b)) => Some(b[0]),
        Some(Const::Undef(_)) => None,
        None => *values.get(&v).unwrap_or_else(|| panic!("{v} read before it is defined")),
    };
    let mut fuel = 100_000;
    'blocks: loop {
        for &inst in &f.blocks[block].insts {
            let d = &f.insts[inst];
            let arg = |values: &FxHashMap<Value, Option<u64>>, i: usize| read(values, d.args[i]);
            let take = |values: &mut FxHashMap<Value, Option<u64>>, call: &BlockCall| {
                let args: Vec<_> = call.args.iter().map(|a| read(values, *a)).collect();
                assert_eq!(args.len(), f.blocks[call.block].params.len());
                for (p, a) in f.blocks[call.block].params.iter().zip(args) {
                    values.insert(*p, a);
                }
                call.block
            };
            fuel -= 1;
            if trace.len() >= limit || fuel == 0 {
                return trace;
            }
            let result = match &d.op {
                Op::AtomicRmw { .. } => {
                    let (tag, x) = (arg(&values, 0).unwrap(), arg(&values, 1).unwrap_or(u64::MAX));
                    trace.push((tag, x));
                    let mut r =
                        Rng(seed.wrapping_add(trace.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
                    r.next();
                    Some(r.next() & 0xffff)
                }
                Op::Bin(BinOp::Urem) => arg(&values, 0).map(|x| x % arg(&values, 1).unwrap()),
                Op::Icmp(IntCc::Eq) => match (arg(&values, 0), arg(&values, 1)) {
                    (Some(a), Some(b)) => Some((a == b) as u64),
                    _ => None,
                },
                Op::Un(UnOp::Not) => arg(&values, 0).map(|x| 1 - x),
                Op::Select => arg(&values, if arg(&values, 0).unwrap_or(0) == 1 { 1 } else { 2 }),
                Op::Jump => {
                    block = take(&mut values, &d.targets[0]);
                    continue 'blocks;
                }
                Op::BrIf => {
                    // Undefined conditions take the first target in both functions.
                    let c = arg(&values, 0).unwrap_or(1);
                    block = take(&mut values, &d.targets[1 - c as usize]);
                    continue 'blocks;
                }
                Op::Switch(cases) => {
                    let x = arg(&values, 0).unwrap_or(0);
                    let i = cases.iter().position(|c| *c == x).map_or(0, |i| i + 1);
                    block = take(&mut values, &d.targets[i]);
                    continue 'blocks;
                }
                Op::Return => {
                    trace.push((u64::MAX, arg(&values, 0).unwrap_or(u64::MAX)));
                    return trace;
                }
                Op::Unreachable => return trace,
                op => panic!("{op:?}"),
            };
            values.insert(d.results[0], result);
        }
    }
}

fn check_structure(f: &Function) -> Result<(), String> {
    check_constructs(f, &check_blocks(f)?)
}

/// Checks the layout, uses and merge annotations; returns the headers.
fn check_blocks(f: &Function) -> Result<Vec<(Block, Merge)>, String> {
    let cfg = Cfg::new(f);
    let dom = DomTree::new(&cfg);
    let pos = Positions::new(f);
    let mut targets_used: Vec<Block> = Vec::new();
    let mut headers: Vec<(Block, Merge)> = Vec::new();
    for (at, &b) in f.layout.iter().enumerate() {
        if let Some(idom) = dom.idom(b) {
            let before = f.layout[..at].contains(&idom);
            if !before {
                return Err(format!("{b} stands before its dominator {idom}"));
            }
        }
        check_uses(f, &cfg, &dom, &pos, b)?;
        if f.terminator(b).is_none() {
            return Err(format!("{b} has no terminator"));
        }
        let succs = f.successors(b);
        let distinct = succs.iter().any(|s| s.block != succs[0].block);
        match f.blocks[b].merge {
            Some(m) => {
                headers.push((b, m));
                let list = match m {
                    Merge::Selection { merge } => vec![merge],
                    Merge::Loop { merge, cont } => vec![merge, cont],
                };
                for t in list {
                    if targets_used.contains(&t) {
                        return Err(format!("{t} is merge or continue block twice"));
                    }
                    targets_used.push(t);
                    if !f.layout.contains(&t) || !dom.dominates(b, t) {
                        return Err(format!("{b} does not dominate its {t}"));
                    }
                }
            }
            None if distinct => {
                // The branch of a continue block: back edge or exit.
                let is_latch = f.layout.iter().any(|h| match f.blocks[*h].merge {
                    Some(Merge::Loop { merge, cont }) => {
                        cont == b && succs.iter().all(|s| s.block == *h || s.block == merge)
                    }
                    _ => false,
                });
                if !is_latch {
                    return Err(format!("{b} branches without a merge"));
                }
            }
            None => {}
        }
    }
    Ok(headers)
}

/// Checks that operands dominate their uses in a block, and the numbers of arguments of its branches.
fn check_uses(f: &Function, cfg: &Cfg, dom: &DomTree, pos: &Positions, b: Block) -> Result<(), String> {
    for &i in &f.blocks[b].insts {
        let d = &f.insts[i];
        let all = d.args.iter().chain(d.targets.iter().flat_map(|t| t.args.iter()));
        for v in all {
            if cfg.is_reachable(b) && !pos.value_dominates(f, dom, *v, i) {
                return Err(format!("{v} does not dominate its use in {b}"));
            }
        }
        for t in &d.targets {
            if t.args.len() != f.blocks[t.block].params.len() {
                return Err(format!("wrong argument count {b} -> {}", t.block));
            }
        }
    }
    Ok(())
}

fn merge_of(m: Merge) -> Block {
    match m {
        Merge::Selection { merge } | Merge::Loop { merge, .. } => merge,
    }
}

/// The header of the list that is deepest in the dominator tree.
fn innermost(dom: &DomTree, list: &[(Block, Merge)]) -> Option<(Block, Merge)> {
    list.iter().copied().max_by_key(|(h, _)| std::iter::successors(Some(*h), |at| dom.idom(*at)).count())
}

/// Checks that edges leave constructs only where they may.
fn check_constructs(f: &Function, headers: &[(Block, Merge)]) -> Result<(), String> {
    // Structural dominance from here on: a header also has edges to its merge and continue block.
    let mut shape = f.clone();
    for &(h, m) in headers {
        let more = match m {
            Merge::Selection { merge } => vec![merge],
            Merge::Loop { merge, cont } => vec![merge, cont],
        };
        let t = shape.terminator(h).unwrap();
        shape.insts[t].targets.extend(more.into_iter().map(|b| BlockCall::new(b, &[])));
    }
    let cfg = Cfg::new(&shape);
    let dom = DomTree::new(&cfg);
    for &u in cfg.rpo() {
        let inside = |(h, m): &(Block, Merge)| {
            dom.dominates(*h, u) && !(cfg.is_reachable(merge_of(*m)) && dom.dominates(merge_of(*m), u))
        };
        let around: Vec<(Block, Merge)> = headers.iter().copied().filter(inside).collect();
        let inner = innermost(&dom, &around);
        let loops: Vec<_> = around.iter().copied().filter(|(_, m)| matches!(m, Merge::Loop { .. })).collect();
        let inner_loop = innermost(&dom, &loops);
        for s in f.successors(u) {
            let v = s.block;
            if dom.dominates(v, u) {
                let ok = matches!(inner_loop, Some((h, Merge::Loop { cont, .. })) if h == v && cont == u);
                if !ok {
                    return Err(format!("back edge {u} -> {v} is not from the continue block"));
                }
                continue;
            }
            for (h, m) in &around {
                let merge = merge_of(*m);
                let inside = dom.dominates(*h, v)
                    && v != merge
                    && !(cfg.is_reachable(merge) && dom.dominates(merge, v));
                if inside {
                    continue;
                }
                let own = inner.is_some_and(|(ih, im)| ih == *h && merge_of(im) == v);
                let by_loop = inner_loop.is_some_and(|(_, lm)| match lm {
                    Merge::Loop { merge, cont } => merge == v || cont == v,
                    _ => false,
                });
                if !own && !by_loop {
                    return Err(format!("edge {u} -> {v} leaves the construct of {h}"));
                }
            }
        }
    }
    for (h, m) in headers {
        if let Merge::Loop { .. } = m {
            let back = cfg.preds(*h).iter().filter(|p| dom.dominates(*h, **p)).count();
            if back != 1 {
                return Err(format!("loop {h} has {back} back edges"));
            }
        }
    }
    Ok(())
}

fn text(f: &Function) -> String {
    let mut s = String::new();
    for &b in &f.layout {
        s += &format!("{b}({:?}) {:?}\n", f.blocks[b].params, f.blocks[b].merge);
        for &i in &f.blocks[b].insts {
            let d = &f.insts[i];
            let t: Vec<_> = d.targets.iter().map(|t| format!("{}{:?}", t.block, t.args)).collect();
            s += &format!("    {:?} = {:?} {:?} {:?}\n", d.results, std::mem::discriminant(&d.op), d.args, t);
        }
    }
    s
}

#[test]
fn random_graphs_keep_their_traces() {
    for seed in 1..4000u64 {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        rng.next();
        let before = random_function(&mut rng);
        let mut after = before.clone();
        if let Err(e) = structurize(&mut after, seed % 2 == 0) {
            panic!("seed {seed}: {e}\n{}", text(&before));
        }
        if let Err(e) = check_structure(&after) {
            panic!("seed {seed}: {e}\nbefore:\n{}\nafter:\n{}", text(&before), text(&after));
        }
        for input in 0..6 {
            let a = walk(&before, input * 77 + seed, 60);
            let b = walk(&after, input * 77 + seed, 60);
            // An unreachable end may have a longer trace.
            let same = a.len().min(b.len());
            let unreachable = a.last().is_none_or(|l| l.0 != u64::MAX) && a.len() < 60;
            assert!(
                a[..same] == b[..same] && (a.len() == b.len() || unreachable),
                "seed {seed}:\n{a:?}\n{b:?}\n{}\nafter:\n{}",
                text(&before),
                text(&after)
            );
        }
    }
}

fn count(f: &Function, pick: impl Fn(&Op) -> bool) -> usize {
    f.data_in_order().filter(|data| pick(&data.op)).count()
}

#[test]
fn plain_while_loop_has_no_extra_conditions() {
    let mut f = Function::new("f", Signature { params: vec![I32], results: vec![I32] }, Linkage::Internal);
    let b: Vec<Block> = (0..4).map(|_| f.add_block()).collect();
    let n = f.add_param(b[0], I32);
    let i = f.add_param(b[1], I32);
    let zero = f.i32(0);
    let one = f.i32(1);
    Builder::new(&mut f, b[0]).jump(b[1], &[zero]);
    let mut bu = Builder::new(&mut f, b[1]);
    let c = bu.icmp(IntCc::Slt, i, n);
    bu.brif(c, BlockCall::new(b[2], &[]), BlockCall::new(b[3], &[]));
    let mut bu = Builder::new(&mut f, b[2]);
    let next = bu.iadd(i, one);
    bu.jump(b[1], &[next]);
    Builder::new(&mut f, b[3]).ret(&[i]);
    structurize(&mut f, true).unwrap();
    check_structure(&f).unwrap();
    assert_eq!(count(&f, |op| matches!(op, Op::BrIf)), 1, "{}", text(&f));
    assert_eq!(f.layout.iter().map(|b| f.blocks[*b].params.len()).sum::<usize>(), 2, "{}", text(&f));
}

#[test]
fn short_circuit_and_has_no_extra_conditions() {
    let mut f = Function::new("f", Signature { params: vec![I32], results: vec![I32] }, Linkage::Internal);
    let b: Vec<Block> = (0..4).map(|_| f.add_block()).collect();
    let n = f.add_param(b[0], I32);
    let zero = f.i32(0);
    let call = |b: Block| BlockCall::new(b, &[]);
    let mut bu = Builder::new(&mut f, b[0]);
    let c = bu.icmp(IntCc::Eq, n, zero);
    bu.brif(c, call(b[1]), call(b[3]));
    let mut bu = Builder::new(&mut f, b[1]);
    let c = bu.icmp(IntCc::Eq, n, zero);
    bu.brif(c, call(b[2]), call(b[3]));
    let mut bu = Builder::new(&mut f, b[2]);
    traced(&mut bu, 1, n);
    bu.jump(b[3], &[]);
    Builder::new(&mut f, b[3]).ret(&[n]);
    structurize(&mut f, true).unwrap();
    check_structure(&f).unwrap();
    assert_eq!(count(&f, |op| matches!(op, Op::BrIf)), 2);
    assert_eq!(f.layout.iter().map(|b| f.blocks[*b].params.len()).sum::<usize>(), 1, "{}", text(&f));
}

/// Many constructs in sequence, and many early returns (deep nesting): compile time is linear in both.
#[test]
fn large_functions() {
    let mut f = Function::new("f", Signature { params: vec![I32], results: vec![] }, Linkage::Internal);
    let mut cur = f.add_block();
    let mut x = f.add_param(cur, I32);
    let one = f.i32(1);
    let call = |b: Block| BlockCall::new(b, &[]);
    for i in 0..5000 {
        let (then, join) = (f.add_block(), f.add_block());
        let p = f.add_param(join, I32);
        let mut b = Builder::new(&mut f, cur);
        let c = b.icmp(IntCc::Eq, x, one);
        b.brif(c, call(then), BlockCall::new(join, &[x]));
        let mut b = Builder::new(&mut f, then);
        let v = traced(&mut b, i, x);
        b.jump(join, &[v]);
        (cur, x) = (join, p);
    }
    for _ in 0..300 {
        let (out, next) = (f.add_block(), f.add_block());
        let mut b = Builder::new(&mut f, cur);
        let c = b.icmp(IntCc::Eq, x, one);
        b.brif(c, call(out), call(next));
        Builder::new(&mut f, out).ret(&[]);
        x = traced(&mut Builder::new(&mut f, next), 1, x);
        cur = next;
    }
    Builder::new(&mut f, cur).ret(&[]);
    let mut m = Module::default();
    m.functions.push(f);
    let options = crate::options::Options::default();
    let target = crate::Target::generic();
    let cx = &mut crate::passes::PassContext::new(&target, &options);
    crate::passes::Pass::run(&super::Structurize, &mut m, cx).unwrap();
    let f = m.functions.values().next().unwrap();
    assert!(f.layout.len() >= 10_000);
}
