//! Workgroup arrays of which each work-item of a line accesses a part of its own.
//!
//! Such an array is private memory in another place: programs lay out tables of each work-item so that those
//! of neighbours lie in different banks of the local memory. The parts are found in the sums that the indices
//! are: the local id times a stride, other terms whose sum is below the stride, and multiples of a power of
//! two, which do not change the bits that hold the local id.

use crate::analysis::bounds::Bounds;
use crate::analysis::{Cfg, DomTree};
use crate::ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most values that are looked at for one index.
const MAX_VISITS: u32 = 64;

/// The largest number of work-items in a line of which each accesses its own part of every workgroup array of
/// a lowered kernel, within the array, and uses its local id for nothing else. `None` if there is none above
/// 1. In the function's layout, definitions precede their uses.
pub fn longest_line(func: &Function) -> Option<u32> {
    if func.vars.values().any(|var| matches!(var.class, VarClass::View { .. })) {
        return None;
    }
    let ids = LocalIds::of(func)?;
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let finder = Finder { func, ids, bounds: Bounds::new(func, &cfg, &dom) };
    let mut arrays: FxHashMap<Var, Parts> = FxHashMap::default();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let Some(var) = accessed_array(func, data) else { continue };
            let parts = finder.parts(var, data, block)?;
            let known = arrays.entry(var).or_insert(parts);
            if known.bytes != parts.bytes {
                return None;
            }
            known.count = known.count.min(parts.count);
        }
    }
    let count = arrays.values().map(|parts| parts.count).min()?;
    u32::try_from(count).ok().filter(|count| *count > 1)
}

/// The workgroup array that an instruction accesses.
fn accessed_array(func: &Function, data: &InstData) -> Option<Var> {
    match data.op.access()?.root {
        Root::Var(var) => (func.vars[var].class == VarClass::Workgroup).then_some(var),
        _ => None,
    }
}

/// The values that are computed from the local id in dimension 0.
struct LocalIds(EntitySet<Value>);

impl LocalIds {
    /// `None` if they have uses other than as indices of workgroup arrays.
    fn of(func: &Function) -> Option<LocalIds> {
        let mut ids: EntitySet<Value> = EntitySet::new();
        for data in func.data_in_order() {
            let is_id = |v: &Value| ids.contains(*v);
            if data.targets.iter().flat_map(|target| &target.args).any(is_id) {
                return None;
            }
            let is_used = data.args.iter().any(is_id);
            match data.op {
                Op::Input { input: ShaderInput::LocalId, dim: 0 } => {}
                _ if !is_used => continue,
                Op::Bin(_) | Op::Cast(_) => {}
                Op::Load(_) | Op::Store(_) => {
                    accessed_array(func, data)?;
                    if matches!(data.op, Op::Store(_)) && is_id(&data.args[0]) {
                        return None;
                    }
                    continue;
                }
                _ => return None,
            }
            ids.insert(*data.results.first()?);
        }
        Some(LocalIds(ids))
    }
}

/// The parts of an array that belong to the work-items of a line.
#[derive(Clone, Copy)]
struct Parts {
    /// The distance of neighbours.
    bytes: u64,
    count: u64,
}

/// An index as a sum, modulo 2^32.
struct Sum {
    constant: u64,
    /// Factor of the local id, if that is a term.
    stride: Option<u64>,
    /// Limit of the width of local ids for which the sum holds.
    id_bits: u32,
    others: SmallVec<[Term; 4]>,
}

/// A multiple of `2^zeros`, at most `max`.
struct Term {
    zeros: u32,
    max: u64,
}

impl Sum {
    /// The most work-items without a common index, all of which are below `len`, and their stride.
    fn line(&self, len: u64) -> Option<(u64, u64)> {
        let stride = self.stride?;
        let mut count = 1u64.checked_shl(self.id_bits).unwrap_or(u64::MAX);
        // The sums of the terms below the stride, and of multiples of powers of two above it.
        let (mut low, mut high) = (0u64, 0u64);
        let constant = |value: u64| Term { zeros: value.trailing_zeros(), max: value };
        let constants = match stride.is_power_of_two() {
            true => [constant(self.constant % stride), constant(self.constant / stride * stride)],
            false => [constant(self.constant), constant(0)],
        };
        for term in self.others.iter().chain(&constants) {
            if term.max < stride {
                low += term.max;
                continue;
            }
            let multiple = 1u64.checked_shl(term.zeros).filter(|_| stride.is_power_of_two())?;
            count = count.min(multiple / stride);
            high = high.saturating_add(term.max);
        }
        let room = len.checked_sub(high).filter(|_| low < stride)?;
        Some((stride, count.min(room / stride)))
    }
}

struct Finder<'a> {
    func: &'a Function,
    ids: LocalIds,
    bounds: Bounds<'a>,
}

impl Finder<'_> {
    /// The parts of an array, as one access tells.
    fn parts(&self, var: Var, data: &InstData, block: Block) -> Option<Parts> {
        if !matches!(data.op, Op::Load(_) | Op::Store(_)) {
            return None;
        }
        let VarLen::Fixed(len) = self.func.vars[var].len else { return None };
        let elem_bytes = self.func.vars[var].elem.access_bytes()?;
        let mut index = data.args[data.op.address_arg()?];
        // An index that is rounded down is in the part of the exact one if parts are whole elements.
        let mut scale = 0;
        if let Some((from, by)) = self.by_constant(index, BinOp::Lshr)
            && by <= 4
            && !self.is_id(from)
        {
            (index, scale) = (from, by);
        }
        let mut sum = Sum { constant: 0, stride: None, id_bits: u32::BITS, others: SmallVec::new() };
        let mut visits = MAX_VISITS;
        self.add(index, 1, block, &mut sum, &mut visits)?;
        let (stride, count) = sum.line(u64::from(len) << scale)?;
        let elems = Some(stride >> scale).filter(|elems| elems << scale == stride)?;
        Some(Parts { bytes: elems * u64::from(elem_bytes), count })
    }

    /// Adds the product of a value and a factor to a sum.
    fn add(&self, value: Value, factor: u64, block: Block, sum: &mut Sum, visits: &mut u32) -> Option<()> {
        *visits = visits.checked_sub(1)?;
        let factor = Some(factor).filter(|factor| *factor <= u64::from(u32::MAX))?;
        if let Some(bits) = self.func.as_bits(value) {
            let product = (bits & u64::from(u32::MAX)) * factor;
            sum.constant = (sum.constant + product % (1 << 32)) % (1 << 32);
            return Some(());
        }
        let bits = |v: Value| self.func.ty(v).scalar().map_or(0, Scalar::bits);
        let data = self.func.def_inst(value).map(|inst| &self.func.insts[inst]);
        // Narrower sums wrap at other places.
        if let Some(data) = data.filter(|_| bits(value) >= 32) {
            if data.op == Op::Bin(BinOp::Iadd) {
                self.add(data.args[0], factor, block, sum, visits)?;
                return self.add(data.args[1], factor, block, sum, visits);
            }
            if let Some((from, by)) = self.by_constant(value, BinOp::Shl).filter(|(_, by)| *by < 32) {
                return self.add(from, factor << by, block, sum, visits);
            }
            if let Some((from, by)) = self.by_constant(value, BinOp::Imul) {
                return self.add(from, factor * u64::from(by), block, sum, visits);
            }
            let is_cast = matches!(data.op, Op::Cast(CastOp::Zext | CastOp::Sext | CastOp::Trunc));
            if is_cast && bits(data.args[0]) >= 32 {
                return self.add(data.args[0], factor, block, sum, visits);
            }
        }
        if self.ids.0.contains(value) {
            return self.add_id(value, factor, sum);
        }
        let mask = self.by_constant(value, BinOp::And).map_or(1, |(_, mask)| mask);
        let zeros = factor.trailing_zeros() + mask.trailing_zeros();
        let max = self.bounds.unsigned_max(value, block).min(u64::from(u32::MAX)) * factor;
        sum.others.push(Term { zeros, max });
        Some(())
    }

    /// Adds the product of a factor and the local id, its low bits, or its high bits, which are 0 for small
    /// ids.
    fn add_id(&self, value: Value, factor: u64, sum: &mut Sum) -> Option<()> {
        let mut bits = u32::BITS;
        if let Some((_, by)) = self.by_constant(value, BinOp::Lshr).filter(|(from, _)| self.is_id(*from)) {
            sum.id_bits = sum.id_bits.min(by);
            return Some(());
        }
        match self.by_constant(value, BinOp::And).filter(|(from, _)| self.is_id(*from)) {
            Some((_, mask)) if mask & mask.wrapping_add(1) == 0 => bits = mask.count_ones(),
            None if self.is_id(value) => {}
            _ => return None,
        }
        sum.id_bits = sum.id_bits.min(bits);
        sum.stride.replace(factor).is_none().then_some(())
    }

    /// The operands of an operation on a value and a constant.
    fn by_constant(&self, value: Value, op: BinOp) -> Option<(Value, u32)> {
        let data = &self.func.insts[self.func.def_inst(value)?];
        let constant = self.func.as_bits(*data.args.get(1).filter(|_| data.op == Op::Bin(op))?)?;
        Some((data.args[0], u32::try_from(constant).ok()?))
    }

    /// Whether a value is the local id, of whatever width.
    fn is_id(&self, mut value: Value) -> bool {
        while let Some(inst) = self.func.def_inst(value) {
            let data = &self.func.insts[inst];
            match data.op {
                Op::Input { input: ShaderInput::LocalId, dim: 0 } => return true,
                Op::Cast(CastOp::Zext | CastOp::Sext) => value = data.args[0],
                _ => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    /// The longest line for a kernel with an array of 8192 bytes, another number `v1` and some lines.
    fn line_with(lines: &str) -> Option<u32> {
        let text = format!(
            "phase lowered
kernel \"k\" args_size 8 {{
}}
func @k() kernel 0 {{
    var0 = workgroup i8 fixed 8192
block0:
    v0 = input local_id 0
    v1 = input global_id 0
    {lines}
    ret
}}
"
        );
        let module = parse::parse_module(&text).unwrap();
        longest_line(module.functions.values().next().unwrap())
    }

    /// A load from the element of the sum of `id` and `other`.
    fn line_of(id: &str, other: &str) -> Option<u32> {
        line_with(&format!(
            "{id}
    {other}
    v20 = iadd v10, v15
    v21 = load.i8 v20 in var0 align 1"
        ))
    }

    #[test]
    fn the_field_ends_at_masks_other_terms_and_the_array() {
        let (all, low, part) = ("v10 = shl v0, i32 2", "v9 = and v0, i32 31", "v10 = shl v9, i32 2");
        let bytes = "v15 = and v1, i32 3";
        assert_eq!(line_of(all, bytes), Some(2048));
        assert_eq!(line_of(&format!("{low}\n    {part}"), bytes), Some(32));
        let words = |mask: u32, shift: u32| {
            format!("v13 = and v1, i32 {mask}\n    v14 = shl v13, i32 {shift}\n    v15 = iadd v14, i32 1")
        };
        assert_eq!(line_of(all, &words(63, 7)), Some(32));
        assert_eq!(line_of(all, &words(31, 8)), Some(64));
        assert_eq!(line_of(all, &words(62, 7)), Some(64));
        // The array ends before.
        assert_eq!(line_of(all, &words(64, 7)), None);
        assert_eq!(line_of("v10 = shl v0, i32 9", "v15 = and v1, i32 511"), Some(16));
        assert_eq!(line_of("v10 = imul v0, i32 260", "v15 = and v1, i32 255"), Some(31));
        assert_eq!(line_of("v10 = imul v0, i32 260", &words(3, 8)), None);
        // The high part of the id is 0 in a line of 32.
        let high = "v8 = lshr v0, i32 5\n    v9 = shl v8, i32 13\n    v10 = iadd v9, v7";
        assert_eq!(line_of(&format!("v7 = shl v0, i32 2\n    {high}"), bytes), Some(32));
    }

    #[test]
    fn overlapping_parts_have_no_line() {
        for (id, other) in [
            ("v10 = shl v0, i32 2", "v15 = and v1, i32 4"),
            ("v10 = shl v0, i32 2", "v15 = iadd v1, i32 0"),
            ("v10 = shl v0, i32 2", "v15 = iadd v0, i32 0"),
            ("v10 = imul v0, i32 3", "v15 = and v1, i32 3"),
            ("v10 = imul v0, i32 -4", "v15 = and v1, i32 3"),
            ("v10 = and v0, i32 5", "v15 = and v1, i32 0"),
            ("v10 = and v1, i32 31", "v15 = and v1, i32 0"),
        ] {
            assert_eq!(line_of(id, other), None, "{id}, {other}");
        }
        // Parts of another stride, and an index that is not known.
        let access = "v10 = shl v0, i32 2\n    v11 = load.i8 v10 in var0 align 1";
        assert_eq!(line_with(access), Some(2048));
        let (index, value) = ("v12 = load.i8 v0 in var0 align 1", "store v11, v1 in var0 align 1");
        assert_eq!(line_with(&format!("{access}\n    {index}")), None);
        assert_eq!(line_with(&format!("{access}\n    {value}")), None);
    }

    #[test]
    fn indices_may_be_rounded_down_to_elements() {
        let lines = |stride: u32| {
            format!(
                "v10 = imul v0, i32 {stride}
    v11 = and v1, i32 15
    v12 = iadd v10, v11
    v13 = lshr v12, i32 2
    v14 = load.i8 v13 in var0 align 1"
            )
        };
        assert_eq!(line_with(&lines(64)), Some(512));
        assert_eq!(line_with(&lines(20)), Some(1638));
        // An element of two parts.
        assert_eq!(line_with(&lines(18)), None);
    }

    #[test]
    fn local_ids_are_only_indices() {
        let access = "v10 = shl v0, i32 2\n    v11 = load.i8 v10 in var0 align 1";
        for other in [
            "v12 = trunc.i8 v0\n    store v12, v10 in var0 align 1",
            "v12 = icmp ult v0, i32 1",
            "v12 = push_const.i64 0\n    store v0, v12 addr align 4",
        ] {
            assert_eq!(line_with(&format!("{access}\n    {other}")), None, "{other}");
        }
        assert_eq!(line_with("br block1(v10)\nblock1(v11: i32):"), None);
        assert_eq!(line_with(""), None);
    }
}
