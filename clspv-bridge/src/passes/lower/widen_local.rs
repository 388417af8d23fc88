//! Merges loads and stores of adjacent elements of workgroup arrays to accesses of up to 16 bytes.
//!
//! The memory of an array of 32- or 64-bit elements is seen as an array of vectors as well
//! ([`VarClass::View`]). Accesses of one block whose indices differ by constants are merged if they make up a
//! vector that is aligned. Loads move up to the first one of them, stores down to the last, unless something
//! on the way may access the array. One access of 16 bytes takes a processor's local memory as long as one of
//! 4, if work-items read the same or neighbouring places.

use crate::analysis::Cfg;
use crate::analysis::memory_values::split_sum;
use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use crate::target::{MIN_WORKGROUP_MEMORY, VulkanTarget};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Bytes of the widest access.
const WIDEST: u32 = 16;
/// Most operations between an index and a value that tells what it is a multiple of, and most values that
/// are looked at on all ways to such values.
const DEPTH: usize = 8;
const MAX_VISITS: usize = 256;

/// The pass `widen_local`, for devices where workgroup memory can have an explicit layout.
pub struct WidenLocal;

impl Pass for WidenLocal {
    fn name(&self) -> &'static str {
        "widen_local"
    }
    fn needs(&self) -> Phase {
        Phase::Lowered
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        // Blocks with an explicit layout cannot be initialised.
        let has_layout = |v: &VulkanTarget| v.workgroup_explicit_layout && v.spirv_version >= (1, 4);
        cx.target.vulkan().is_some_and(has_layout) && !cx.options.initialize_local
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            changed |= widen(func);
        }
        Ok(changed)
    }
}

/// Merges the accesses of a function; true if there were any.
fn widen(func: &mut Function) -> bool {
    if !can_lay_out(func) {
        return false;
    }
    let finder = Finder { func, cfg: Cfg::new(func) };
    let merges: Vec<Merge> = func.layout.iter().flat_map(|&block| finder.merges(block)).collect();
    if merges.is_empty() {
        return false;
    }
    let mut writer = Writer { merges: &merges, ..Writer::default() };
    for (m, merge) in merges.iter().enumerate() {
        writer.member.extend(merge.insts.iter().enumerate().map(|(i, inst)| (*inst, (m, i))));
    }
    rewrite_insts(func, |b, inst| writer.rewrite(b, inst))
}

/// Whether all workgroup arrays fit into one memory with an explicit layout: their lengths are known, their
/// elements need neither more alignment than the widest access nor capabilities, and the gaps between them do
/// not take memory that the device may lack.
fn can_lay_out(func: &Function) -> bool {
    let arrays = || func.vars.values().filter(|data| data.class == VarClass::Workgroup);
    let fits = |data: &VarData| {
        let is_wide = data.elem.scalar().is_some_and(|scalar| scalar.bytes() >= 4);
        is_wide
            && matches!(data.len, VarLen::Fixed(_))
            && data.elem.access_bytes().is_some_and(|n| n <= WIDEST)
    };
    let exact: usize = arrays().map(VarData::bytes).sum();
    let aligned: usize = arrays().map(|data| data.bytes().next_multiple_of(WIDEST as usize)).sum();
    let has_views = func.vars.values().any(|data| matches!(data.class, VarClass::View { .. }));
    exact != 0
        && arrays().all(fits)
        && !has_views
        && (aligned == exact || aligned <= MIN_WORKGROUP_MEMORY as usize)
}

/// Accesses that become one.
struct Merge {
    var: Var,
    is_store: bool,
    /// The accesses in the order of their elements.
    insts: Vec<Inst>,
    /// The index of the first element: a variable part, if there is one, and a constant.
    variable: Option<Value>,
    first: i64,
}

/// Loads or stores of one array with one variable part of the index, by the constant part.
struct Group {
    var: Var,
    is_store: bool,
    variable: Option<Value>,
    members: BTreeMap<i64, Inst>,
}

struct Finder<'a> {
    func: &'a Function,
    cfg: Cfg,
}

impl Finder<'_> {
    /// The accesses of a block that can be merged.
    fn merges(&self, block: Block) -> Vec<Merge> {
        let mut open: Vec<Group> = Vec::new();
        let mut merges = Vec::new();
        for &inst in &self.func.blocks[block].insts {
            let data = &self.func.insts[inst];
            match self.element(data) {
                Some((var, is_store, variable, constant)) => {
                    // Loads and stores of one array do not pass each other, nor do stores with unlike places.
                    self.close(&mut open, &mut merges, |group| {
                        let repeats = || group.variable != variable || group.members.contains_key(&constant);
                        group.var == var && (group.is_store != is_store || is_store && repeats())
                    });
                    let known = open.iter_mut().find(|group| group.var == var && group.variable == variable);
                    match known {
                        Some(group) => drop(group.members.entry(constant).or_insert(inst)),
                        None => {
                            let members = BTreeMap::from([(constant, inst)]);
                            open.push(Group { var, is_store, variable, members });
                        }
                    }
                }
                None => match &data.op {
                    Op::Load(access) | Op::Store(access) => {
                        self.close(&mut open, &mut merges, |group| access.root == Root::Var(group.var));
                    }
                    op if op.has_side_effects() => self.close(&mut open, &mut merges, |_| true),
                    _ => {}
                },
            }
        }
        self.close(&mut open, &mut merges, |_| true);
        merges
    }

    /// Takes groups that cannot grow any more, and finds what to merge in them.
    fn close(&self, open: &mut Vec<Group>, merges: &mut Vec<Merge>, which: impl Fn(&Group) -> bool) {
        for group in open.extract_if(.., |group| which(group)) {
            merges.extend(self.parts(&group));
        }
    }

    /// The aligned vectors that the members of a group make up.
    fn parts(&self, group: &Group) -> Vec<Merge> {
        let bytes = self.func.vars[group.var].elem.access_bytes().unwrap_or(WIDEST);
        let multiple = group.variable.map_or(u32::MAX, |v| self.trailing_zeros(v, &mut Search::default()));
        let mut parts = Vec::new();
        let mut rest = group.members.clone();
        for lanes in [4, 2].into_iter().filter(|n| n * bytes <= WIDEST && n.trailing_zeros() <= multiple) {
            let starts: Vec<i64> =
                rest.keys().copied().filter(|first| first.rem_euclid(i64::from(lanes)) == 0).collect();
            for first in starts {
                let elements = first..first + i64::from(lanes);
                let insts: Vec<Inst> = elements.clone().filter_map(|i| rest.get(&i).copied()).collect();
                if insts.len() == lanes as usize {
                    elements.for_each(|i| _ = rest.remove(&i));
                    let Group { var, is_store, variable, .. } = *group;
                    parts.push(Merge { var, is_store, insts, variable, first });
                }
            }
        }
        parts
    }

    /// The element of a workgroup array that a plain load or store accesses: the array, whether it is stored,
    /// and the parts of its index.
    fn element(&self, data: &InstData) -> Option<(Var, bool, Option<Value>, i64)> {
        let (access, address, is_store) = match &data.op {
            Op::Load(access) => (access, data.args[0], false),
            Op::Store(access) => (access, data.args[1], true),
            _ => return None,
        };
        let Root::Var(var) = access.root else { return None };
        if access.volatile || self.func.vars[var].class != VarClass::Workgroup {
            return None;
        }
        let (variable, constant) = split_sum(self.func, address);
        Some((var, is_store, variable, constant))
    }

    /// The number of low bits of an index that are known to be zero. A loop counter has as many as its first
    /// value and its step: a value that is being examined is assumed to be 0.
    fn trailing_zeros(&self, value: Value, search: &mut Search) -> u32 {
        if let Some(bits) = self.func.as_bits(value) {
            return if bits == 0 { 32 } else { bits.trailing_zeros() };
        }
        if search.open.contains(&value) {
            return 32;
        }
        search.visits += 1;
        if search.open.len() == DEPTH || search.visits > MAX_VISITS {
            return 0;
        }
        search.open.push(value);
        let zeros = self.trailing_zeros_of(&self.func.values[value].def, search);
        search.open.pop();
        zeros
    }

    fn trailing_zeros_of(&self, def: &ValueDef, search: &mut Search) -> u32 {
        let mut of = |value: Value| self.trailing_zeros(value, search);
        match *def {
            ValueDef::Param(block, n) => {
                let calls = self.cfg.preds(block).iter().flat_map(|&pred| self.func.successors(pred));
                let args = calls.filter(|c| c.block == block).filter_map(|c| c.args.get(n as usize));
                args.map(|arg| of(*arg)).min().unwrap_or(0)
            }
            ValueDef::Result(inst, _) => {
                let data = &self.func.insts[inst];
                match (&data.op, &data.args[..]) {
                    (Op::Bin(BinOp::Iadd | BinOp::Isub | BinOp::Or | BinOp::Xor), [a, b]) => {
                        of(*a).min(of(*b))
                    }
                    (Op::Bin(BinOp::And), [a, b]) => of(*a).max(of(*b)),
                    (Op::Bin(BinOp::Imul), [a, b]) => of(*a) + of(*b),
                    (Op::Bin(BinOp::Shl), [a, b]) => {
                        self.func.as_bits(*b).map_or(0, |n| of(*a) + n as u32 % 32)
                    }
                    (Op::Select, [_, a, b]) => of(*a).min(of(*b)),
                    _ => 0,
                }
            }
            _ => 0,
        }
    }
}

/// A search for what an index is a multiple of.
#[derive(Default)]
struct Search {
    /// The values that are being examined, each for the one before.
    open: Vec<Value>,
    visits: usize,
}

/// Writes the merged accesses.
#[derive(Default)]
struct Writer<'a> {
    merges: &'a [Merge],
    /// The merge and the number of each access in it.
    member: FxHashMap<Inst, (usize, usize)>,
    views: FxHashMap<(Var, u32), Var>,
    /// The results of merged loads.
    loaded: FxHashMap<usize, Value>,
    /// Stores that merges have passed.
    stored: FxHashSet<Inst>,
}

impl Writer<'_> {
    fn rewrite(&mut self, b: &mut Builder<'_>, inst: Inst) -> Rewrite {
        let Some(&(m, i)) = self.member.get(&inst) else { return Rewrite::Keep };
        let merge = &self.merges[m];
        let elem = b.func.vars[merge.var].elem;
        let lanes = elem.lanes();
        if !merge.is_store {
            let wide = match self.loaded.get(&m) {
                Some(wide) => *wide,
                None => self.load(b, m, inst),
            };
            let own: Vec<Value> =
                (0..lanes).map(|lane| b.extract(wide, (i as u32 * lanes + lane) as u8)).collect();
            return Rewrite::Replace(b.vec_build(&own));
        }
        self.stored.insert(inst);
        if merge.insts.iter().all(|inst| self.stored.contains(inst)) {
            self.store(b, m, inst);
        }
        Rewrite::Remove
    }

    fn load(&mut self, b: &mut Builder<'_>, m: usize, inst: Inst) -> Value {
        let (index, ty, access) = self.wide(b, m, inst);
        let wide = b.load(ty, index, access);
        self.loaded.insert(m, wide);
        wide
    }

    fn store(&mut self, b: &mut Builder<'_>, m: usize, inst: Inst) {
        let (index, ty, access) = self.wide(b, m, inst);
        let mut lanes = Vec::new();
        for &inst in &self.merges[m].insts {
            let value = b.func.insts[inst].args[0];
            for lane in 0..b.ty(value).lanes() {
                lanes.push(b.extract(value, lane as u8));
            }
        }
        debug_assert_eq!(lanes.len() as u32, ty.lanes());
        let value = b.vec_build(&lanes);
        b.store(value, index, access);
    }

    /// The index of a merged access in its view, its type and its properties.
    fn wide(&mut self, b: &mut Builder<'_>, m: usize, inst: Inst) -> (Value, Type, Access) {
        let merge = &self.merges[m];
        let count = merge.insts.len() as u32;
        let array = b.func.vars[merge.var].clone();
        let ty = Type::vector(array.elem.scalar().unwrap_or(Scalar::I32), array.elem.lanes() * count);
        let bytes = ty.access_bytes().unwrap_or(WIDEST);
        let vars = &mut b.func.vars;
        let view = *self.views.entry((merge.var, count)).or_insert_with(|| {
            let len = VarLen::Fixed((array.bytes() as u32).div_ceil(bytes));
            vars.push(VarData { class: VarClass::View { of: merge.var }, elem: ty, len })
        });
        let first = b.func.i32((merge.first / i64::from(count)) as i32);
        let index = match merge.variable {
            None => first,
            Some(variable) => {
                let shift = b.i32(count.trailing_zeros() as i32);
                // The variable part may be negative: `i - 4` in `a[i - 4 + 4]`.
                let vectors = b.bin(BinOp::Ashr, variable, shift);
                if merge.first == 0 { vectors } else { b.iadd(vectors, first) }
            }
        };
        let access = b.func.insts[inst].op.access().copied().unwrap_or(Access::aligned(bytes));
        (index, ty, Access { align: bytes, root: Root::Var(view), ..access })
    }
}
