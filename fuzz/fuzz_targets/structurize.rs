//! Control-flow graphs drawn from the input. Structurizing succeeds on any of them, the result verifies, and
//! the interpreter computes the same values as before, for several arguments. Every block folds its number
//! into an accumulator, so that the result identifies the path.

#![no_main]

use clspv_bridge::analysis::{Cfg, DomTree};
use clspv_bridge::ir::interp::{Launch, Machine, Stop, value};
use clspv_bridge::ir::*;
use clspv_bridge::passes::structure::structurize::structurize;
use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;

/// Numbers from the input; zeros at its end.
struct Source<'a>(std::slice::Iter<'a, u8>);

impl Source<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.0.next().copied().unwrap_or(0) as usize % n.max(1)
    }
}

fn graph(source: &mut Source<'_>) -> Function {
    let mut f = Function::new("f", Signature { params: vec![I32], results: vec![I32] }, Linkage::Export);
    let n = 2 + source.below(24);
    let blocks: Vec<Block> = (0..n).map(|_| f.add_block()).collect();
    for (i, &b) in blocks.iter().enumerate() {
        let params = if i == 0 { 1 } else { 1 + source.below(3) };
        for _ in 0..params {
            f.add_param(b, I32);
        }
    }
    let mut succs: Vec<Vec<usize>> = Vec::new();
    for i in 0..n {
        let count = if i == n - 1 { 0 } else { [0, 1, 1, 2, 2, 2, 2, 2, 3, 5][source.below(10)] };
        succs.push((0..count).map(|_| 1 + source.below(n - 1)).collect());
    }
    // The graph without arguments, to compute dominance.
    let mut shape = f.clone();
    for i in 0..n {
        let calls: Vec<BlockCall> = succs[i].iter().map(|s| BlockCall::new(blocks[*s], &[])).collect();
        let t = shape.make_terminator(if calls.is_empty() { Op::Return } else { Op::Jump }, &[], &calls);
        shape.blocks[blocks[i]].insts.push(t);
    }
    let dom = DomTree::new(&Cfg::new(&shape));
    let order: Vec<Block> = dom.preorder().to_vec();
    let mut made: HashMap<Block, Vec<Value>> =
        blocks.iter().map(|b| (*b, f.blocks[*b].params.clone())).collect();
    for &b in &order {
        let i = b.index();
        let mut visible: Vec<Value> = Vec::new();
        for d in &order {
            if *d == b || dom.dominates(*d, b) {
                visible.extend(&made[d]);
            }
        }
        // The accumulator is the first parameter of each block.
        let mut builder = Builder::new(&mut f, b);
        let accumulator = builder.func.blocks[b].params[0];
        let (five, tag) = (builder.i32(5), builder.i32(i as i32 * 77 + 1));
        let turned = builder.bin(BinOp::Rotl, accumulator, five);
        let mixed = visible[source.below(visible.len())];
        let x = builder.bin(BinOp::Xor, turned, mixed);
        let folded = builder.iadd(x, tag);
        visible.push(folded);
        made.entry(b).or_default().push(folded);
        let mut calls = Vec::new();
        for s in &succs[i] {
            let count = f.blocks[blocks[*s]].params.len();
            let args: Vec<Value> = (0..count)
                .map(|k| if k == 0 { folded } else { visible[source.below(visible.len())] })
                .collect();
            calls.push(BlockCall::new(blocks[*s], &args));
        }
        let t = match calls.len() {
            0 => f.make_terminator(Op::Return, &[folded], &[]),
            1 => f.make_terminator(Op::Jump, &[], &calls),
            m => {
                let by = f.i32(source.below(29) as i32);
                let mask = f.i32(if m == 2 { 1 } else { 7 });
                let zero = f.i32(0);
                let mut builder = Builder::new(&mut f, b);
                let shifted = builder.bin(BinOp::Lshr, folded, by);
                let selector = builder.and(shifted, mask);
                if m == 2 {
                    let c = builder.icmp(IntCc::Eq, selector, zero);
                    f.make_terminator(Op::BrIf, &[c], &calls)
                } else {
                    f.make_terminator(Op::Switch((1..m as u64).collect()), &[selector], &calls)
                }
            }
        };
        f.blocks[b].insts.push(t);
    }
    f.layout.retain(|b| order.contains(b));
    f
}

fn result(module: &Module, argument: u64, fuel: u64) -> Result<Vec<value::LaneValues>, Stop> {
    let func = module.find("f").ok_or(Stop::Fuel)?;
    let launch = Launch { fuel, ..Launch::default() };
    Ok(Machine::new(module)
        .run(func, &[value::scalar(argument)], &launch)?
        .into_iter()
        .next()
        .unwrap_or_default())
}

fuzz_target!(|data: &[u8]| {
    let mut before = Module::default();
    before.functions.push(graph(&mut Source(data.iter())));
    if let Err(error) = verify::verify_module(&before) {
        panic!("the generator: {error}\n{before}");
    }
    let mut after = before.clone();
    for f in after.functions.values_mut() {
        structurize(f, true).unwrap_or_else(|error| panic!("{error}\n{before}"));
    }
    if let Err(error) = verify::verify_module(&after) {
        panic!("{error}\n{before}\n{after}");
    }
    for argument in [0, 1, 0x9e37_79b9, 0xffff_ffff, 12345] {
        // Infinite loops are infinite in both versions.
        let Ok(expected) = result(&before, argument, 3000) else { continue };
        match result(&after, argument, 300_000) {
            Ok(got) => assert_eq!(
                format!("{got:?}"),
                format!("{expected:?}"),
                "argument {argument}\n{before}\n{after}"
            ),
            Err(stop) => panic!("{stop}\n{before}\n{after}"),
        }
    }
});
