//! Inline policy of native code: which functions of the built-in library are not inlined.
//!
//! A read through a sampler is some hundred instructions for each texel that it may need, and each texel has
//! one of many formats. In a kernel with few reads they are inlined, where a literal sampler and everything
//! that the reads have in common fold away. A kernel with many reads calls one function for each kind of read
//! and each literal sampler; otherwise the code generator takes minutes.

use super::{simplify, simplify_cfg};
use crate::ir::{EntityRef, EntitySet, FuncRef, Function, Inst, Linkage, Module, Op};
use rustc_hash::FxHashMap;

/// Most texel accesses of a kernel whose reads are all inlined: each takes the code generator about a tenth
/// of a second.
const MAX_TEXELS: usize = 12;
/// Most texel accesses that are inlined in the non-inlined functions together.
const MAX_KEPT_TEXELS: usize = 24;
/// Most copies of one function for literal samplers.
const MAX_COPIES: usize = 8;
/// Prefix of functions that access a texel.
const TEXEL: &str = "pc_texel_";
/// Prefix of functions that read from a level of an image.
const LEVEL: &str = "pc_level_sample_";
/// Prefixes of functions whose last parameter is a sampler.
const SAMPLED: &[&str] = &["pc_sample_", "pc_lod_"];
/// Prefixes of functions that need not be inlined.
const CANDIDATES: &[&str] = &["pc_sample_", "pc_lod_", LEVEL, "pc_texel_read_", "pc_texel_write_"];

fn is_named(f: &Function, names: &[&str]) -> bool {
    f.is_built_in() && names.iter().any(|name| f.name.starts_with(name))
}

fn calls(f: &Function) -> impl Iterator<Item = (Inst, FuncRef)> {
    f.insts_in_order().filter_map(|i| match f.insts[i].op {
        Op::Call(c) => Some((i, c)),
        _ => None,
    })
}

/// Texels that each function accesses, inlined callees included. `order`: the reached functions, callees
/// first.
fn texels(module: &Module, order: &[FuncRef], kept: &EntitySet<FuncRef>) -> Vec<usize> {
    let mut texels = vec![0usize; module.functions.len()];
    for &f in order {
        let of = |c: FuncRef| match is_named(&module.functions[c], &[TEXEL]) {
            _ if kept.contains(c) => 0,
            true => 1,
            false => texels[c.index()],
        };
        texels[f.index()] = calls(&module.functions[f]).fold(0, |n, (_, c)| n.saturating_add(of(c)));
    }
    texels
}

/// Whether the accesses of texels exceed the budget, or there are reads of a level: one at a level of detail
/// contains three.
pub fn is_over_budget(module: &Module, order: &[FuncRef]) -> bool {
    let has_levels = order.iter().any(|f| is_named(&module.functions[*f], &[LEVEL]));
    has_levels || texels(module, order, &EntitySet::new()).into_iter().max() > Some(MAX_TEXELS)
}

/// Copies functions for each literal sampler that they are called with.
pub fn specialise(module: &mut Module) {
    let mut copies: FxHashMap<(FuncRef, u64), FuncRef> = FxHashMap::default();
    let mut counts: FxHashMap<FuncRef, usize> = FxHashMap::default();
    for f in module.functions.keys().collect::<Vec<_>>() {
        if module.functions[f].is_built_in() {
            continue;
        }
        for (inst, callee) in calls(&module.functions[f]).collect::<Vec<_>>() {
            let caller = &module.functions[f];
            let sampler = caller.insts[inst].args.last().and_then(|v| caller.as_bits(*v));
            let Some(sampler) = sampler.filter(|_| is_named(&module.functions[callee], SAMPLED)) else {
                continue;
            };
            let copy = match copies.get(&(callee, sampler)) {
                Some(&copy) => copy,
                None => {
                    let count = counts.entry(callee).or_default();
                    if *count == MAX_COPIES {
                        continue;
                    }
                    *count += 1;
                    let copy = module.functions.push(with_sampler(&module.functions[callee], sampler));
                    copies.insert((callee, sampler), copy);
                    copy
                }
            };
            module.functions[f].insts[inst].op = Op::Call(copy);
        }
    }
}

fn with_sampler(func: &Function, sampler: u64) -> Function {
    let mut copy = func.clone();
    copy.name = format!("{}.{sampler:x}", func.name);
    copy.linkage = Linkage::Internal;
    let last = copy.entry().and_then(|entry| copy.blocks[entry].params.last().copied());
    if let Some(last) = last {
        let ty = copy.ty(last);
        let literal = copy.bits(ty, sampler);
        copy.replace_uses(&FxHashMap::from_iter([(last, literal)]));
    }
    simplify::simplify(&mut copy);
    simplify_cfg::simplify(&mut copy);
    copy
}

/// Returns the functions that are not inlined. `order`: the reached functions, callees first.
pub fn non_inlined(module: &Module, order: &[FuncRef]) -> EntitySet<FuncRef> {
    let mut kept = EntitySet::new();
    for &f in order.iter().filter(|f| is_named(&module.functions[**f], CANDIDATES)) {
        kept.insert(f);
    }
    // Several kinds of reads share the functions that access a texel, too.
    let inlined = texels(module, order, &kept);
    if order.iter().filter(|f| kept.contains(**f)).map(|f| inlined[f.index()]).sum::<usize>()
        > MAX_KEPT_TEXELS
    {
        for &f in order.iter().filter(|f| is_named(&module.functions[**f], &[TEXEL])) {
            kept.insert(f);
        }
    }
    kept
}
