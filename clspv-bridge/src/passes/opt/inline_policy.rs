//! Inline policy of native code: which functions of the built-in library are not inlined.
//!
//! A read through a sampler is some hundred instructions for each texel that it may need, and each texel has
//! one of many formats. In a kernel with few reads they are inlined, where a literal sampler and everything
//! that the reads have in common fold away. A kernel with many reads calls one function for each kind of read
//! and each literal sampler; otherwise the code generator takes minutes.
//!
//! Baseline code is compiled while the program waits, so it calls more: all reads but one, and every large
//! function on numbers that would be inlined more than once.

use super::{instrumentation, simplify, simplify_cfg};
use crate::ir::{EntityRef, EntitySet, FuncRef, Function, Inst, Linkage, Module, Op, Type};
use crate::target::CodeGenerator;
use rustc_hash::FxHashMap;

/// Bounds of what is inlined.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Most texel accesses of a kernel whose reads are all inlined.
    texels: usize,
    /// Most texel accesses that are inlined in the non-inlined functions together.
    kept_texels: usize,
    /// Instructions from which on a function on numbers is not inlined more than once, if there is a limit.
    repeated: Option<usize>,
}

impl Limits {
    pub fn of(generator: CodeGenerator) -> Limits {
        match generator {
            CodeGenerator::Baseline => Limits { texels: 2, kept_texels: 1, repeated: Some(40) },
            // An access takes LLVM about a tenth of a second.
            _ => Limits { texels: 12, kept_texels: 24, repeated: None },
        }
    }
}

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
pub fn is_over_budget(module: &Module, order: &[FuncRef], limits: Limits) -> bool {
    let has_levels = order.iter().any(|f| is_named(&module.functions[*f], &[LEVEL]));
    has_levels || texels(module, order, &EntitySet::new()).into_iter().max() > Some(limits.texels)
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

/// Returns the image functions that are not inlined. `order`: the reached functions, callees first.
pub fn non_inlined(module: &Module, order: &[FuncRef], limits: Limits) -> EntitySet<FuncRef> {
    let mut kept = EntitySet::new();
    for &f in order.iter().filter(|f| is_named(&module.functions[**f], CANDIDATES)) {
        kept.insert(f);
    }
    // Several kinds of reads share the functions that access a texel, too.
    let inlined = texels(module, order, &kept);
    if order.iter().filter(|f| kept.contains(**f)).map(|f| inlined[f.index()]).sum::<usize>()
        > limits.kept_texels
    {
        for &f in order.iter().filter(|f| is_named(&module.functions[**f], &[TEXEL])) {
            kept.insert(f);
        }
    }
    kept
}

/// Adds the large functions on numbers that would be inlined more than once. `order`: the reached functions,
/// callees first.
pub fn keep_repeated(module: &Module, order: &[FuncRef], limits: Limits, kept: &mut EntitySet<FuncRef>) {
    let Some(large) = limits.repeated else { return };
    let bound = instrumentation::bound(module, order);
    let is_number = |ty: &Type| ty.scalar().is_some() && !ty.is_bool();
    // Sizes in instructions, inlined callees included, and the number of copies that inlining makes.
    let (mut sizes, mut copies) =
        (vec![0usize; module.functions.len()], vec![0usize; module.functions.len()]);
    for &f in order {
        let func = &module.functions[f];
        let inlined = calls(func).filter(|(_, c)| !kept.contains(*c)).map(|(_, c)| sizes[c.index()]);
        sizes[f.index()] = inlined.fold(func.data_in_order().count(), usize::saturating_add);
    }
    for &f in order.iter().rev() {
        let func = &module.functions[f];
        let own = if func.kernel.is_some() || kept.contains(f) { 1 } else { copies[f.index()] };
        let repeated = own > 1
            && func.is_built_in()
            && sizes[f.index()] >= large
            && !bound.contains(f)
            && func.sig.results.len() == 1
            && func.sig.params.iter().chain(&func.sig.results).all(is_number);
        if repeated {
            kept.insert(f);
        }
        for (_, c) in calls(func) {
            copies[c.index()] = copies[c.index()].saturating_add(if repeated { 1 } else { own });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, Builder, F32, Signature};

    /// Adds a function that squares its argument repeatedly and passes it through other functions.
    fn squares(module: &mut Module, name: &str, ops: usize, calls: &[(FuncRef, usize)]) -> FuncRef {
        let sig = Signature { params: vec![F32], results: vec![F32] };
        let mut f = Function::new(name, sig, Linkage::Internal);
        f.kernel = (name == "kernel").then_some(0);
        let b = f.add_block();
        let mut x = f.add_param(b, F32);
        let mut bu = Builder::new(&mut f, b);
        for _ in 0..ops {
            x = bu.bin(BinOp::Fmul, x, x);
        }
        for callee in calls.iter().flat_map(|(callee, times)| vec![*callee; *times]) {
            x = bu.value(Op::Call(callee), &[x], F32);
        }
        bu.ret(&[x]);
        module.functions.push(f)
    }

    #[test]
    fn baseline_code_calls_what_it_uses_repeatedly() {
        let mut m = Module::default();
        let small = squares(&mut m, "pc_small", 5, &[]);
        let inner = squares(&mut m, "pc_inner", 60, &[]);
        let large = squares(&mut m, "pc_large", 60, &[(inner, 1)]);
        let once = squares(&mut m, "pc_once", 60, &[]);
        let own = squares(&mut m, "own", 60, &[(large, 1), (small, 1)]);
        let kernel = squares(&mut m, "kernel", 5, &[(own, 3), (once, 1)]);
        let order = [small, inner, large, once, own, kernel];
        let chosen = |generator| {
            let mut kept = EntitySet::new();
            keep_repeated(&m, &order, Limits::of(generator), &mut kept);
            order.map(|f| kept.contains(f))
        };
        assert_eq!(chosen(CodeGenerator::Baseline), [false, false, true, false, false, false]);
        assert_eq!(chosen(CodeGenerator::Cranelift), [false; 6]);
    }
}
