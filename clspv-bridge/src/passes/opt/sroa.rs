//! Scalar replacement of aggregates: splits stack slots into pieces that can become values.
//!
//! A slot qualifies if every use of its address, through constant offsets, is a plain load or store, or a
//! small copy or fill of constant size. Copies and fills are expanded first, cut where the other accesses
//! are. Accesses that overlap form a group. A group whose accesses all have one range becomes one slot;
//! others are cut into equal units, where an access of several units becomes one access per unit, joined by
//! vector operations, and an access to a part of a unit one to lanes of the whole unit. Slots with other uses
//! stay unchanged.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::{
    Access, Builder, CastOp, Function, I64, InstData, Module, Op, Root, Scalar, Slot, SlotData, Type, Value,
};
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The pass `sroa`.
pub struct Sroa;

impl Pass for Sroa {
    fn name(&self) -> &'static str {
        "sroa"
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        // Registers of graphics processors have 32 bits.
        let register = if cx.target.cpu().is_some() { 8 } else { 4 };
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= split(f, register);
        }
        Ok(changed)
    }
}

/// Largest copy or fill in bytes that is expanded.
const MAX_COPY_BYTES: u64 = 512;
/// Most pieces of a slot; slots that would need more are not split.
const MAX_PIECES: usize = 128;

/// Splits the slots of one function; true if there were any. Accesses to parts of units of up to `register`
/// bytes are possible.
pub fn split(func: &mut Function, register: u64) -> bool {
    if func.slots.is_empty() {
        return false;
    }
    crate::passes::structure::ssa_repair::remove_unreachable(func);
    let mut changed = expand_copies(func);
    let addresses = Addresses::new(func);
    let plans = plan(func, &addresses, register);
    if !plans.is_empty() {
        rewrite(func, &addresses, &plans);
        crate::passes::opt::dce::remove_dead_values(func);
        changed = true;
    }
    changed
}

/// Byte ranges (offset, size) of the loads and stores of a slot; `None` if some use is not supported.
type Ranges = Option<BTreeMap<(u64, u64), RangeUses>>;

/// Accesses to one byte range of a slot.
#[derive(Clone, Copy, Default)]
struct RangeUses {
    loads: u64,
    stores: u64,
    /// Bytes of the widest scalar among their types.
    scalar: u64,
}

/// Values that are a slot's address plus a constant, and the slots whose uses are all supported.
struct Addresses {
    of: FxHashMap<Value, (Slot, u64)>,
    ranges: FxHashMap<Slot, Ranges>,
}

impl Addresses {
    fn new(func: &Function) -> Addresses {
        let mut of: FxHashMap<Value, (Slot, u64)> = FxHashMap::default();
        // Definitions may follow uses in the layout: repeat until nothing is new (rarely more than once).
        loop {
            let before = of.len();
            for data in func.data_in_order() {
                match data.op {
                    Op::SlotAddr(s) => {
                        of.insert(data.results[0], (s, 0));
                    }
                    Op::PtrAdd => {
                        if let (Some(&(s, base)), Some(c)) =
                            (of.get(&data.args[0]), func.as_bits(data.args[1]))
                        {
                            of.insert(data.results[0], (s, base.wrapping_add(c)));
                        }
                    }
                    _ => {}
                }
            }
            if of.len() == before {
                break;
            }
        }
        let mut ranges: FxHashMap<Slot, Ranges> = FxHashMap::default();
        for data in func.data_in_order() {
            for (i, v) in data.args.iter().enumerate() {
                let Some(&(slot, offset)) = of.get(v) else { continue };
                let entry = ranges.entry(slot).or_insert_with(|| Some(BTreeMap::new()));
                let fits =
                    |bytes: u64| offset.checked_add(bytes).is_some_and(|e| e <= func.slots[slot].size as u64);
                let access = match &data.op {
                    Op::PtrAdd if i == 0 && data.results.first().is_some_and(|r| of.contains_key(r)) => {
                        continue;
                    }
                    Op::Memcpy { .. } | Op::Memset(_) if expandable_size(func, data).is_some() => continue,
                    Op::Load(a) if plain(a) => Some(func.ty(data.results[0])),
                    Op::Store(a) if plain(a) && i == 1 => Some(func.ty(data.args[0])),
                    _ => None,
                };
                let bytes = access.and_then(Type::access_bytes).map(u64::from);
                match (bytes, entry.as_mut()) {
                    (Some(bytes), Some(map)) if fits(bytes) => {
                        let uses = map.entry((offset, bytes)).or_default();
                        let lanes = access.map_or(1, Type::lanes).max(1);
                        uses.scalar = uses.scalar.max(bytes / u64::from(lanes));
                        match data.op {
                            Op::Store(_) => uses.stores += 1,
                            _ => uses.loads += 1,
                        }
                    }
                    _ => *entry = None,
                }
            }
            for v in data.targets.iter().flat_map(|t| &t.args) {
                if let Some(&(slot, _)) = of.get(v) {
                    ranges.insert(slot, None);
                }
            }
        }
        Addresses { of, ranges }
    }
    fn splittable(&self, slot: Slot) -> bool {
        matches!(self.ranges.get(&slot), Some(Some(_)))
    }
}

fn plain(a: &Access) -> bool {
    !a.volatile && a.root == Root::Ptr
}

/// Size of a copy or fill that is small, of constant size, and plain.
fn expandable_size(func: &Function, data: &InstData) -> Option<u64> {
    let plain = match &data.op {
        Op::Memcpy { dst, src } => plain(dst) && plain(src),
        Op::Memset(dst) => plain(dst),
        _ => false,
    };
    if plain { func.as_bits(data.args[2]).filter(|n| *n <= MAX_COPY_BYTES) } else { None }
}

/// Expands the copies and fills of slots that could be split.
fn expand_copies(func: &mut Function) -> bool {
    let addresses = Addresses::new(func);
    rewrite_insts(func, |b, inst| {
        let data = &b.func.insts[inst];
        let Some(size) = expandable_size(b.func, data) else { return Rewrite::Keep };
        let part_of = |v: Value| addresses.of.get(&v).copied().filter(|(s, _)| addresses.splittable(*s));
        let dst = part_of(data.args[0]);
        let src = if matches!(data.op, Op::Memcpy { .. }) { part_of(data.args[1]) } else { None };
        if dst.is_none() && src.is_none() {
            return Rewrite::Keep;
        }
        let data = data.clone();
        let mut at = 0;
        for width in copy_pieces(&addresses, dst, src, size, &data.op) {
            copy_piece(b, &data.op, data.args[0], data.args[1], at, width);
            at += width;
        }
        Rewrite::Remove
    })
}

/// Sizes of the pieces to copy, in order: those of the accesses to either slot where these have 1, 2, 4 or 8
/// bytes.
fn copy_pieces(
    addresses: &Addresses,
    dst: Option<(Slot, u64)>,
    src: Option<(Slot, u64)>,
    size: u64,
    op: &Op,
) -> Vec<u64> {
    let align = match op {
        Op::Memcpy { dst, src } => dst.align.min(src.align),
        Op::Memset(dst) => dst.align,
        _ => 1,
    } as u64;
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < size {
        let room = size - at;
        let mut width = 0;
        for (slot, base) in [dst, src].into_iter().flatten() {
            if let Some(Some(map)) = addresses.ranges.get(&slot) {
                // The smallest access that starts here.
                let from = base.wrapping_add(at);
                let next = map.range((from, 0)..(from + 1, 0)).next();
                if let Some(((_, bytes), _)) = next
                    && matches!(bytes, 1 | 2 | 4 | 8)
                    && *bytes <= room
                    && (width == 0 || *bytes < width)
                {
                    width = *bytes;
                }
                // Do not cross the start of another access.
                if width == 0
                    && let Some(((start, _), _)) = map.range((from + 1, 0)..).next()
                {
                    let gap = start - from;
                    let natural = align.min(8).min(1 << at.trailing_zeros().min(3));
                    let mut w = natural.min(4);
                    while w > gap || w > room {
                        w /= 2;
                    }
                    width = w.max(1);
                }
            }
        }
        if width == 0 {
            width = align.min(4).min(1 << at.trailing_zeros().min(3)).max(1);
            while width > room {
                width /= 2;
            }
        }
        pieces.push(width);
        at += width;
    }
    pieces
}

fn copy_piece(b: &mut Builder<'_>, op: &Op, dst: Value, src: Value, at: u64, width: u64) {
    let ty = Type::Scalar(Scalar::int(width as u32 * 8).unwrap_or(Scalar::I8));
    let part = |access: Access| {
        let align = if at == 0 { access.align } else { access.align.min(1 << at.trailing_zeros().min(16)) };
        Access { align, ..access }
    };
    let (value, to) = match op {
        Op::Memcpy { dst: to, src: from } => {
            let p = b.ptr_add_const(src, at as i64);
            (b.load(ty, p, part(*from)), *to)
        }
        Op::Memset(to) => {
            let value = match b.func.as_bits(src) {
                Some(bits) => b.func.bits(ty, (bits & 0xff).wrapping_mul(0x0101_0101_0101_0101)),
                None if width == 1 => src,
                None => {
                    let wide = b.cast(CastOp::Zext, src, ty);
                    let ones = b.func.bits(ty, 0x0101_0101_0101_0101);
                    b.imul(wide, ones)
                }
            };
            (value, *to)
        }
        _ => return,
    };
    let p = b.ptr_add_const(dst, at as i64);
    b.store(value, p, part(to));
}

/// Pieces of a slot: offset in the slot -> (new slot, size).
type Pieces = BTreeMap<u64, (Slot, u64)>;

/// Chooses the slots to split and creates the new slots.
fn plan(func: &mut Function, addresses: &Addresses, register: u64) -> FxHashMap<Slot, Pieces> {
    let mut plans = FxHashMap::default();
    for slot in func.slots.keys().collect::<Vec<_>>() {
        let Some(Some(ranges)) = addresses.ranges.get(&slot) else { continue };
        let Some(cuts) = cuts(ranges, register) else { continue };
        let mut pieces = Pieces::new();
        for (start, size) in cuts {
            let align = (size.next_power_of_two() as u32).min(16);
            let piece = func.slots.push(SlotData { size: size as u32, align });
            pieces.insert(start, (piece, size));
        }
        plans.insert(slot, pieces);
    }
    plans
}

/// The pieces (offset, size) of a slot with these accesses; `None` if it is not to be split.
fn cuts(ranges: &BTreeMap<(u64, u64), RangeUses>, register: u64) -> Option<Vec<(u64, u64)>> {
    let mut cuts: Vec<(u64, u64)> = Vec::new();
    let list: Vec<((u64, u64), RangeUses)> = ranges.iter().map(|(range, uses)| (*range, *uses)).collect();
    let mut rest = &list[..];
    while let Some(&((start, size), _)) = rest.first() {
        let (mut end, mut n) = (start + size, 1);
        while let Some(&((offset, size), _)) = rest.get(n).filter(|((offset, _), _)| *offset < end) {
            end = end.max(offset + size);
            n += 1;
        }
        let (group, others) = rest.split_at(n);
        rest = others;
        let unit = if n == 1 { size } else { OverlapGroup { accesses: group, start, end }.unit(register)? };
        cuts.extend((0..(end - start) / unit).map(|k| (start + k * unit, unit)));
    }
    let whole = cuts.len() == 1 && cuts[0].0 == 0 && list.len() == 1;
    (!cuts.is_empty() && !whole && cuts.len() <= MAX_PIECES).then_some(cuts)
}

/// Accesses that overlap, directly or through others.
struct OverlapGroup<'a> {
    accesses: &'a [((u64, u64), RangeUses)],
    start: u64,
    end: u64,
}

impl OverlapGroup<'_> {
    /// The unit that takes the fewest instructions: one that divides all offsets and sizes, or a wider one up
    /// to `register` bytes.
    fn unit(&self, register: u64) -> Option<u64> {
        let power = |n: u64| 1u64 << n.trailing_zeros().min(3);
        let common = self
            .accesses
            .iter()
            .fold(8, |unit, ((offset, size), _)| unit.min(power(offset - self.start)).min(power(*size)));
        let mut best: Option<(u64, u64)> = None;
        let mut unit = common;
        while unit == common || unit <= register {
            if let Some(cost) = self.cost(unit)
                && best.is_none_or(|(least, _)| cost <= least)
            {
                best = Some((cost, unit));
            }
            unit *= 2;
        }
        best.map(|(_, unit)| unit)
    }

    /// Number of instructions of all accesses with this unit; `None` if it does not fit.
    fn cost(&self, unit: u64) -> Option<u64> {
        let mut cost = 0;
        for ((offset, size), uses) in self.accesses {
            let (load, store) = costs(unit, (offset - self.start) % unit, *size, uses.scalar)?;
            cost += uses.loads * load + uses.stores * store;
        }
        (self.end - self.start).is_multiple_of(unit).then_some(cost)
    }
}

/// Number of instructions of a load and of a store of `size` bytes, which are scalars of `scalar` bytes,
/// `inside` bytes from the start of a unit; `None` if the access does not fit units.
fn costs(unit: u64, inside: u64, size: u64, scalar: u64) -> Option<(u64, u64)> {
    if size.is_multiple_of(unit) {
        // Lanes narrower than a unit are joined and taken apart.
        let parts = size / unit + if scalar < unit { size / scalar } else { 0 };
        return (inside == 0 && matches!(size / unit, 1 | 2 | 3 | 4 | 8 | 16)).then_some((parts, parts));
    }
    let fits = size.is_power_of_two() && inside.is_multiple_of(size) && inside + size <= unit;
    fits.then_some((1, 2))
}

/// Rewrites the accesses to the split slots.
fn rewrite(func: &mut Function, addresses: &Addresses, plans: &FxHashMap<Slot, Pieces>) {
    rewrite_insts(func, |b, inst| {
        let data = &b.func.insts[inst];
        let target = data.op.address_arg().and_then(|i| addresses.of.get(&data.args[i]));
        let split = target.and_then(|(slot, offset)| plans.get(slot).map(|p| (p, *offset)));
        let Some((pieces, offset)) = split else { return Rewrite::Keep };
        let place = |ty: Type| Place::new(pieces, offset, u64::from(ty.access_bytes().unwrap_or(0)));
        match data.op {
            Op::Load(_) => {
                let ty = b.ty(data.results[0]);
                Rewrite::Replace(match place(ty) {
                    Place::Pieces(parts) => load_parts(b, &parts, ty),
                    Place::Lane(lane) => lane.load(b, ty),
                })
            }
            Op::Store(_) => {
                let value = data.args[0];
                match place(b.ty(value)) {
                    Place::Pieces(parts) => store_parts(b, &parts, value),
                    Place::Lane(lane) => lane.store(b, value),
                }
                Rewrite::Remove
            }
            _ => Rewrite::Keep,
        }
    });
}

/// The part of a split slot that an access covers.
enum Place {
    /// Whole pieces.
    Pieces(Vec<(Slot, u64)>),
    Lane(PieceLane),
}

impl Place {
    fn new(pieces: &Pieces, offset: u64, bytes: u64) -> Place {
        match pieces.range(..=offset).next_back() {
            Some((start, &(slot, size))) if bytes < size => {
                Place::Lane(PieceLane { slot, size, lane: (offset - start) / bytes.max(1), bytes })
            }
            _ => Place::Pieces(pieces.range(offset..offset + bytes).map(|(_, piece)| *piece).collect()),
        }
    }
}

/// One of the equal parts of a piece.
struct PieceLane {
    slot: Slot,
    /// Bytes of the piece.
    size: u64,
    lane: u64,
    /// Bytes of the lane.
    bytes: u64,
}

impl PieceLane {
    fn scalar(&self) -> Scalar {
        Scalar::int(self.bytes as u32 * 8).unwrap_or(Scalar::I8)
    }
    /// Address of the piece, and the piece as a vector of lanes.
    fn lanes(&self, b: &mut Builder<'_>) -> (Value, Value) {
        let p = b.slot_addr(self.slot);
        let piece = b.load(self.piece_type(), p, whole_piece(self.size));
        let lanes = Type::vector(self.scalar(), (self.size / self.bytes) as u32);
        (p, b.bitcast(piece, lanes))
    }
    fn piece_type(&self) -> Type {
        Type::Scalar(Scalar::int(self.size as u32 * 8).unwrap_or(Scalar::I32))
    }
    fn load(&self, b: &mut Builder<'_>, ty: Type) -> Value {
        let (_, lanes) = self.lanes(b);
        let lane = b.extract(lanes, self.lane as u8);
        b.bitcast(lane, ty)
    }
    fn store(&self, b: &mut Builder<'_>, value: Value) {
        let (p, lanes) = self.lanes(b);
        let lane = b.bitcast(value, Type::Scalar(self.scalar()));
        let lanes = b.insert(lanes, self.lane as u8, lane);
        let piece = b.bitcast(lanes, self.piece_type());
        b.store(piece, p, whole_piece(self.size));
    }
}

/// Access to a whole piece of this size.
fn whole_piece(size: u64) -> Access {
    Access::aligned((size.next_power_of_two() as u32).min(16))
}

/// Type of the pieces of a value of type `ty` that is spread over several.
fn piece_type(parts: &[(Slot, u64)], ty: Type) -> Scalar {
    let unit = parts.first().map_or(1, |p| p.1);
    match ty.scalar() {
        // Lanes of the size of a unit keep their type.
        Some(s) if u64::from(s.bytes()) == unit => s,
        _ => Scalar::int(unit as u32 * 8).unwrap_or(Scalar::I8),
    }
}

/// Loads a value from the pieces that it is spread over.
fn load_parts(b: &mut Builder<'_>, parts: &[(Slot, u64)], ty: Type) -> Value {
    if let [(slot, size)] = *parts {
        let p = b.slot_addr(slot);
        return b.load(ty, p, whole_piece(size));
    }
    let lane = Type::Scalar(piece_type(parts, ty));
    let mut lanes = Vec::new();
    for &(slot, size) in parts {
        let p = b.slot_addr(slot);
        lanes.push(b.load(lane, p, whole_piece(size)));
    }
    let v = b.vec_build(&lanes);
    match ty {
        Type::Ptr(_) => {
            let bits = b.bitcast(v, I64);
            b.cast(CastOp::IntToPtr, bits, ty)
        }
        _ => b.bitcast(v, ty),
    }
}

/// Stores a value to the pieces that it is spread over.
fn store_parts(b: &mut Builder<'_>, parts: &[(Slot, u64)], value: Value) {
    if let [(slot, size)] = *parts {
        let p = b.slot_addr(slot);
        b.store(value, p, whole_piece(size));
        return;
    }
    let ty = b.ty(value);
    let vector = Type::vector(piece_type(parts, ty), parts.len() as u32);
    let v = match ty {
        Type::Ptr(_) => b.cast(CastOp::PtrToInt, value, I64),
        _ => value,
    };
    let v = b.bitcast(v, vector);
    for (i, &(slot, size)) in parts.iter().enumerate() {
        let x = b.extract(v, i as u8);
        let p = b.slot_addr(slot);
        b.store(x, p, whole_piece(size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Block, F32, I8, I32, Linkage, Signature};

    fn function(params: &[Type], results: &[Type]) -> (Function, Block, Vec<Value>) {
        let sig = Signature { params: params.to_vec(), results: results.to_vec() };
        let mut f = Function::new("f", sig, Linkage::Internal);
        let b = f.add_block();
        let args = params.iter().map(|t| f.add_param(b, *t)).collect();
        (f, b, args)
    }
    fn promoted(f: &mut Function) -> Vec<Op> {
        split(f, 4);
        super::super::mem2reg::promote(f, &Default::default());
        super::super::simplify::simplify(f);
        f.blocks[f.layout[0]].insts.iter().map(|i| f.insts[*i].op.clone()).collect()
    }

    #[test]
    fn structure_copied_between_slots() {
        let (mut f, b, a) = function(&[I32, F32], &[F32, I32]);
        let x = f.slots.push(SlotData { size: 12, align: 4 });
        let y = f.slots.push(SlotData { size: 12, align: 4 });
        let acc = Access::aligned(4);
        let mut bu = Builder::new(&mut f, b);
        let (px, py) = (bu.slot_addr(x), bu.slot_addr(y));
        bu.store(a[0], px, acc);
        let field = bu.ptr_add_const(px, 8);
        bu.store(a[1], field, acc);
        let n = bu.i64(12);
        bu.inst(Op::Memcpy { dst: acc, src: acc }, &[py, px, n], &[]);
        let field = bu.ptr_add_const(py, 8);
        let r = bu.load(F32, field, acc);
        let s = bu.load(I32, py, acc);
        bu.ret(&[r, s]);
        assert_eq!(promoted(&mut f), [Op::Return]);
        let t = f.terminator(b).unwrap();
        assert_eq!(f.insts[t].args[..], [a[1], a[0]]);
    }

    #[test]
    fn lane_of_a_vector_and_bytes_of_a_word() {
        let v4 = Type::Vector(Scalar::F32, 4);
        let (mut f, b, a) = function(&[v4, F32, I32], &[v4, I8]);
        let x = f.slots.push(SlotData { size: 16, align: 16 });
        let y = f.slots.push(SlotData { size: 4, align: 4 });
        let mut bu = Builder::new(&mut f, b);
        let (px, py) = (bu.slot_addr(x), bu.slot_addr(y));
        bu.store(a[0], px, Access::aligned(16));
        let lane = bu.ptr_add_const(px, 4);
        bu.store(a[1], lane, Access::aligned(4));
        let r = bu.load(v4, px, Access::aligned(16));
        bu.store(a[2], py, Access::aligned(4));
        let byte = bu.ptr_add_const(py, 1);
        let s = bu.load(I8, byte, Access::aligned(1));
        bu.ret(&[r, s]);
        let ops = promoted(&mut f);
        assert!(ops.iter().all(|op| op.access().is_none() && !matches!(op, Op::SlotAddr(_))), "{ops:?}");
        assert!(ops.contains(&Op::VecBuild) && ops.contains(&Op::Extract(1)));
    }

    #[test]
    fn dynamic_index_keeps_the_slot() {
        let (mut f, b, a) = function(&[I64], &[I32]);
        let x = f.slots.push(SlotData { size: 16, align: 4 });
        let mut bu = Builder::new(&mut f, b);
        let p = bu.slot_addr(x);
        let zero = bu.func.bits(I8, 0);
        let n = bu.i64(16);
        bu.inst(Op::Memset(Access::aligned(4)), &[p, zero, n], &[]);
        let q = bu.ptr_add(p, a[0]);
        let r = bu.load(I32, q, Access::aligned(4));
        bu.ret(&[r]);
        assert!(!split(&mut f, 4));
        assert_eq!(f.ty(a[0]), I64);
    }
}
