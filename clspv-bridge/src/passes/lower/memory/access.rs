//! Expands a memory access to accesses of the element type that its memory has.
//!
//! A value is accessed in *pieces*: integers of `unit` bytes, the widest size that the value's alignment and
//! the element type allow. Pieces smaller than an element are extracted from a whole element. Their stores
//! are read-modify-write in private memory and two atomic operations (clear, set) in workgroup memory, where
//! other work-items may write the neighbouring bytes. 16-bit atomics are compare-and-swap loops on the word
//! around them, after which the builder is in another block.

use crate::error::{CompileError, Invariant, Result, ice};
use crate::ir::edit::split_after;
use crate::ir::*;
use crate::passes::lower::memory::plan::Region;
use crate::target::{FloatAtomics, Target};
use rustc_hash::FxHashMap;

/// Returns the byte offset (`None`) of the address, or the index of its element of `1 << k` bytes
/// (`Some(k)`).
type Index<'a> = &'a mut dyn FnMut(&mut Builder<'_>, Option<u32>) -> Value;

/// Accesses of one function: the views of bindings made so far, and the small types that buffers cannot have.
#[derive(Default)]
pub(crate) struct Accesses {
    views: FxHashMap<(u32, Type), Var>,
    no_bytes: bool,
    no_shorts: bool,
    no_longs: bool,
    /// Vectors of small integers are accessed by words.
    by_words: bool,
    /// Native atomics on halves in buffers.
    halves: FloatAtomics,
}

fn int_of(bytes: u32) -> Type {
    Type::Scalar(Scalar::int(bytes * 8).unwrap_or(Scalar::I8))
}

/// Builds a scalar from little-endian integer pieces of equal size.
pub(crate) fn combine(b: &mut Builder<'_>, pieces: &[Value], to: Type) -> Value {
    let mut pieces = pieces.to_vec();
    while pieces.len() > 1 {
        let group = if pieces.len().is_multiple_of(4) { 4 } else { 2 };
        let bytes = b.ty(pieces[0]).access_bytes().unwrap_or(1) * group as u32;
        pieces = pieces
            .chunks(group)
            .map(|c| {
                let v = b.vec_build(c);
                b.cast(CastOp::Bitcast, v, int_of(bytes))
            })
            .collect();
    }
    b.bitcast(pieces[0], to)
}

/// Splits a scalar into little-endian integer pieces of `unit` bytes.
pub(crate) fn split(b: &mut Builder<'_>, v: Value, unit: u32) -> Vec<Value> {
    let bytes = b.ty(v).access_bytes().unwrap_or(unit);
    if bytes <= unit {
        let to = int_of(bytes);
        return vec![b.bitcast(v, to)];
    }
    let parts = if (bytes / unit).is_multiple_of(4) { 4 } else { 2 };
    let part = int_of(bytes / parts);
    let vec = b.cast(CastOp::Bitcast, v, Type::vector(part.scalar().unwrap_or(Scalar::I8), parts));
    let mut out = Vec::new();
    for i in 0..parts {
        let x = b.extract(vec, i as u8);
        out.extend(split(b, x, unit));
    }
    out
}

fn lanes_of(b: &mut Builder<'_>, v: Value) -> Vec<Value> {
    (0..b.ty(v).lanes()).map(|i| b.extract(v, i as u8)).collect()
}

/// Adds the constant `x` of type `i32` to an index.
fn plus(b: &mut Builder<'_>, index: Value, x: u32) -> Value {
    if x == 0 {
        return index;
    }
    let ty = b.ty(index);
    let c = b.func.bits(ty, x as u64);
    match b.func.as_bits(index) {
        Some(bits) => b.func.bits(ty, bits.wrapping_add(x as u64)),
        None => b.iadd(index, c),
    }
}

/// Vector of words that holds an aligned access of small lanes.
fn words_of(ty: Type, access: Access) -> Option<Type> {
    let bytes = ty.scalar()?.bytes() * ty.lanes();
    let fits = ty.scalar()?.bytes() < 4 && bytes.is_multiple_of(4) && bytes <= 16 && access.align >= 4;
    fits.then(|| Type::vector(Scalar::I32, bytes / 4))
}

/// Replaces an access by accesses of `unit` bytes.
fn as_unit(
    b: &mut Builder<'_>,
    op: &Op,
    args: &[Value],
    ty: Type,
    access: Access,
    unit: Type,
) -> Option<Value> {
    if let Op::Load(_) = op {
        let v = b.load(unit, args[0], access);
        return Some(b.bitcast(v, ty));
    }
    let v = b.bitcast(args[0], unit);
    b.store(v, args[1], access);
    None
}

impl Accesses {
    pub(crate) fn new(target: &Target) -> Result<Accesses> {
        let vulkan = target.needs_vulkan()?;
        Ok(Accesses {
            views: FxHashMap::default(),
            no_bytes: !vulkan.storage8,
            no_shorts: !vulkan.storage16,
            no_longs: !target.int64,
            by_words: vulkan.scalar_accesses,
            halves: if vulkan.storage16 { target.buffer_float_atomics } else { FloatAtomics::default() },
        })
    }

    /// Whether buffers cannot be accessed in units of `bytes` bytes.
    fn lacks(&self, bytes: u32) -> bool {
        bytes == 1 && self.no_bytes || bytes == 2 && self.no_shorts
    }

    /// Whether an atomic operation on buffers must operate on the word around the value.
    fn is_part(&self, op: &Op, ty: Type) -> bool {
        let native = match op {
            Op::AtomicRmw { op: op @ (RmwOp::Fadd | RmwOp::Fmin | RmwOp::Fmax), .. } => {
                self.halves.has(*op == RmwOp::Fadd, 16)
            }
            _ => false,
        };
        is_small_atomic(op, ty) && !native
    }

    /// Variable that views a binding as elements of a type.
    fn view(&mut self, b: &mut Builder<'_>, binding: u32, readonly: bool, elem: Type) -> Var {
        let class = VarClass::Buffer { binding, readonly };
        let vars = &mut b.func.vars;
        *self
            .views
            .entry((binding, elem))
            .or_insert_with(|| vars.push(VarData { class, elem, len: VarLen::Runtime }))
    }

    /// Address of the word around a byte, and the byte's bit offset in it.
    fn word(&self, b: &mut Builder<'_>, at: Value) -> (Value, Value) {
        let (keep, inside) = (b.i64(!3), b.i64(3));
        let word = b.and(at, keep);
        let byte = b.and(at, inside);
        let byte = b.cast(CastOp::Trunc, byte, I32);
        let three = b.i32(3);
        (word, b.shl(byte, three))
    }

    /// Access through a device address where buffers have words only. A store is two atomic operations, as
    /// other work-items may write the rest of the word.
    fn by_word_address(
        &self,
        b: &mut Builder<'_>,
        op: &Op,
        args: &[Value],
        ty: Type,
        access: Access,
        unit: u32,
    ) -> Option<Value> {
        let scalar = ty.scalar().unwrap_or(Scalar::I64);
        let access = Access { align: 4, ..access };
        let (load, base) = if matches!(op, Op::Load(_)) { (true, args[0]) } else { (false, args[1]) };
        let mut lanes = Vec::new();
        let stored = if load { Vec::new() } else { lanes_of(b, args[0]) };
        for lane in 0..ty.lanes() {
            let pieces = if load { Vec::new() } else { split(b, stored[lane as usize], unit) };
            let mut loaded = Vec::new();
            for i in 0..scalar.bytes() / unit {
                let at = plus(b, base, lane * scalar.bytes() + i * unit);
                let (word, bit) = self.word(b, at);
                if load {
                    let v = b.load(I32, word, access);
                    let v = b.lshr(v, bit);
                    loaded.push(b.cast(CastOp::Trunc, v, int_of(unit)));
                    continue;
                }
                let x = b.cast(CastOp::Zext, pieces[i as usize], I32);
                let set = b.shl(x, bit);
                let ones = b.func.bits(I32, (1u64 << (unit * 8)) - 1);
                let field = b.shl(ones, bit);
                let keep = b.not(field);
                for (op, x) in [(RmwOp::And, keep), (RmwOp::Or, set)] {
                    let op = Op::AtomicRmw { op, access, scope: Scope::Device, order: Ordering::Relaxed };
                    b.value(op, &[word, x], I32);
                }
            }
            if load {
                lanes.push(combine(b, &loaded, Type::Scalar(scalar)));
            }
        }
        load.then(|| b.vec_build(&lanes))
    }

    /// Access through a device address: operands as in the instruction, with an `i64` address.
    pub(crate) fn by_address(
        &mut self,
        b: &mut Builder<'_>,
        op: &Op,
        args: &[Value],
        ty: Type,
        access: Access,
    ) -> Result<Option<Value>> {
        let access = Access { root: Root::Addr, ..access };
        let scalar = ty.scalar().unwrap_or(Scalar::I64);
        let unit = scalar.bytes().min(access.align.max(1));
        if self.is_part(op, ty) {
            let (word, bit) = self.word(b, args[op.address_arg().invariant("an access without an address")?]);
            return part_atomic(b, op, args, ty, Access { align: 4, ..access }, word, bit);
        }
        if matches!(op, Op::Load(_) | Op::Store(_)) {
            let lacks = self.lacks(unit);
            if let Some(words) = words_of(ty, access).filter(|_| lacks || self.by_words) {
                return Ok(as_unit(b, op, args, ty, access, words));
            }
            if lacks {
                return Ok(self.by_word_address(b, op, args, ty, access, unit));
            }
        }
        match op {
            Op::Load(_) if unit < scalar.bytes() => {
                let n = scalar.bytes() / unit;
                let mut lanes = Vec::new();
                for lane in 0..ty.lanes() {
                    let pieces: Vec<Value> = (0..n)
                        .map(|i| {
                            let at = plus(b, args[0], lane * scalar.bytes() + i * unit);
                            b.load(int_of(unit), at, Access { align: unit, ..access })
                        })
                        .collect();
                    lanes.push(combine(b, &pieces, Type::Scalar(scalar)));
                }
                Ok(Some(b.vec_build(&lanes)))
            }
            Op::Store(_) if unit < scalar.bytes() => {
                let mut at = 0;
                for lane in lanes_of(b, args[0]) {
                    for piece in split(b, lane, unit) {
                        let p = plus(b, args[1], at);
                        b.store(piece, p, Access { align: unit, ..access });
                        at += unit;
                    }
                }
                Ok(None)
            }
            _ => {
                let mut op = op.clone();
                if let Some(a) = op.access_mut() {
                    *a = access;
                }
                Ok(emit(b, op, args, ty))
            }
        }
    }

    /// Access to a variable.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn in_region(
        &mut self,
        b: &mut Builder<'_>,
        op: &Op,
        args: &[Value],
        ty: Type,
        access: Access,
        region: Region,
        index: Index<'_>,
    ) -> Result<Option<Value>> {
        let scalar = ty.scalar().unwrap_or(Scalar::I64);
        let total = scalar.bytes() * ty.lanes();
        let private = matches!(region, Region::Array { class: VarClass::Private, .. });
        if is_small_atomic(op, ty) && (self.is_part(op, ty) || matches!(region, Region::Array { .. })) {
            return self.small_atomic(b, op, args, ty, access, region, index);
        }
        let (var, elem) = match region {
            Region::Array { var, elem, .. } => (var, elem),
            Region::Binding { binding, readonly } => {
                let elem = self.view_element(ty, access);
                (self.view(b, binding, readonly, elem), elem)
            }
            Region::Unused => return Err(ice!("access to memory without accesses")),
        };
        let elem_bytes = elem.access_bytes().unwrap_or(4);
        if elem == I32
            && let Some(words) = words_of(ty, access)
        {
            return match op {
                Op::Load(_) => {
                    let v = self.in_region(b, op, args, words, access, region, index)?;
                    Ok(v.map(|v| b.bitcast(v, ty)))
                }
                Op::Store(_) => {
                    let v = b.bitcast(args[0], words);
                    self.in_region(b, op, &[v, args[1]], words, access, region, index)
                }
                _ => Err(CompileError::unsupported("atomics on small vectors", b.line)),
            };
        }
        let access = Access { root: Root::Var(var), align: elem_bytes.next_power_of_two(), ..access };
        let shift = elem_bytes.trailing_zeros();
        let whole = total == elem_bytes && op.access().is_some_and(|a| a.align >= total);
        match op {
            Op::Load(_) if whole => {
                let i = index(b, Some(shift));
                let v = b.load(elem, i, access);
                Ok(Some(b.bitcast(v, ty)))
            }
            Op::Store(_) if whole => {
                let v = b.bitcast(args[0], elem);
                let i = index(b, Some(shift));
                b.store(v, i, access);
                Ok(None)
            }
            Op::Load(a) | Op::Store(a) => {
                let unit = scalar.bytes().min(a.align.max(1)).min(elem_bytes);
                let mut cells = Cells { elem, elem_bytes, unit, access, private, index };
                match op {
                    Op::Load(_) => Ok(Some(cells.load_lanes(b, ty, scalar))),
                    _ => {
                        cells.store_lanes(b, args[0]);
                        Ok(None)
                    }
                }
            }
            _ if total != elem_bytes || elem != ty => {
                Err(CompileError::unsupported("atomics on memory of mixed types", b.line))
            }
            _ if private => {
                let i = index(b, Some(shift));
                self.private_atomic(b, op, args, ty, access, i)
            }
            _ => {
                let mut args = args.to_vec();
                args[op.address_arg().invariant("an access without an address")?] = index(b, Some(shift));
                let mut op = op.clone();
                if let Some(a) = op.access_mut() {
                    *a = access;
                }
                Ok(emit(b, op, &args, ty))
            }
        }
    }

    /// Element type of the view of a buffer for an access.
    fn view_element(&self, ty: Type, access: Access) -> Type {
        let scalar = ty.scalar().unwrap_or(Scalar::I64);
        let words = self.by_words && words_of(ty, access).is_some();
        if words || self.lacks(access.align.max(1).min(scalar.bytes())) {
            I32
        } else if access.align < scalar.bytes() {
            int_of(access.align.max(1))
        } else if access.align >= scalar.bytes() * ty.lanes()
            && ty.lanes() != 3
            && !(self.no_longs && scalar == Scalar::I64 && ty.lanes() > 2)
        {
            ty
        } else {
            Type::Scalar(scalar)
        }
    }

    /// Atomic operation on part of a word in a variable.
    #[allow(clippy::too_many_arguments)]
    fn small_atomic(
        &mut self,
        b: &mut Builder<'_>,
        op: &Op,
        args: &[Value],
        ty: Type,
        access: Access,
        region: Region,
        index: Index<'_>,
    ) -> Result<Option<Value>> {
        let (var, elem, private) = match region {
            Region::Array { var, elem, class } => (var, elem, class == VarClass::Private),
            Region::Binding { binding, readonly } => (self.view(b, binding, readonly, I32), I32, false),
            Region::Unused => return Err(ice!("access to memory without accesses")),
        };
        if elem != I32 {
            return Err(CompileError::unsupported("atomics on memory of mixed types", b.line));
        }
        let access = Access { root: Root::Var(var), align: 4, ..access };
        if private {
            let unit = ty.access_bytes().unwrap_or(2);
            let mut cells = Cells { elem, elem_bytes: 4, unit, access, private, index };
            let old = cells.load(b, 0);
            let old = b.bitcast(old, ty);
            if let Some(new) = updated(b, op, args, old)? {
                let new = b.bitcast(new, int_of(unit));
                cells.store(b, new, 0);
            }
            return Ok((!matches!(op, Op::AtomicStore { .. })).then_some(old));
        }
        let byte = index(b, None);
        let (two, three, inside) = (b.i32(2), b.i32(3), b.i32(3));
        let word = b.lshr(byte, two);
        let byte = b.and(byte, inside);
        let bit = b.shl(byte, three);
        part_atomic(b, op, args, ty, access, word, bit)
    }

    /// Atomic operation on private memory: a plain access, as only one work-item sees it.
    fn private_atomic(
        &self,
        b: &mut Builder<'_>,
        op: &Op,
        args: &[Value],
        ty: Type,
        access: Access,
        i: Value,
    ) -> Result<Option<Value>> {
        if let Op::AtomicStore { .. } = op {
            b.store(args[0], i, access);
            return Ok(None);
        }
        let old = b.load(ty, i, access);
        let Some(new) = updated(b, op, args, old)? else { return Ok(Some(old)) };
        b.store(new, i, access);
        Ok(Some(old))
    }
}

fn is_small_atomic(op: &Op, ty: Type) -> bool {
    !matches!(op, Op::Load(_) | Op::Store(_)) && ty.access_bytes().is_some_and(|n| n < 4)
}

/// The value that an atomic operation stores in place of `old`; `None` if it only loads. A compare-and-swap
/// that fails stores `old` again.
fn updated(b: &mut Builder<'_>, op: &Op, args: &[Value], old: Value) -> Result<Option<Value>> {
    Ok(Some(match op {
        Op::AtomicLoad { .. } => return Ok(None),
        Op::AtomicStore { .. } => args[0],
        Op::AtomicCas { .. } => {
            let same = b.icmp(IntCc::Eq, old, args[1]);
            b.select(same, args[2], old)
        }
        Op::AtomicRmw { op, .. } => match rmw_bin(*op) {
            Some(bin) => b.bin(bin, old, args[1]),
            None => args[1],
        },
        _ => return Err(ice!("not an atomic")),
    }))
}

/// Atomic operation on the bits of a word from `bit` on, as a compare-and-swap loop on the word.
fn part_atomic(
    b: &mut Builder<'_>,
    op: &Op,
    args: &[Value],
    ty: Type,
    access: Access,
    word: Value,
    bit: Value,
) -> Result<Option<Value>> {
    let piece = int_of(ty.access_bytes().unwrap_or(2));
    let part = |b: &mut Builder<'_>, word: Value| {
        let low = b.lshr(word, bit);
        let low = b.cast(CastOp::Trunc, low, piece);
        b.bitcast(low, ty)
    };
    let (scope, order) = match *op {
        Op::AtomicLoad { scope, order, .. } => {
            let v = b.value(Op::AtomicLoad { access, scope, order }, &[word], I32);
            return Ok(Some(part(b, v)));
        }
        Op::AtomicStore { scope, order, .. } | Op::AtomicRmw { scope, order, .. } => (scope, order),
        Op::AtomicCas { scope, success, .. } => (scope, success),
        _ => return Err(ice!("not an atomic")),
    };
    let ones = b.func.bits(I32, piece.scalar().map_or(0, Scalar::mask));
    let field = b.shl(ones, bit);
    let keep = b.not(field);
    let first = b.value(Op::AtomicLoad { access, scope, order: Ordering::Relaxed }, &[word], I32);
    let again = split_after(b.func, b.block);
    let rest = split_after(b.func, again);
    let expected = b.func.add_param(again, I32);
    b.jump(again, &[first]);
    b.block = again;
    let old = part(b, expected);
    let new = updated(b, op, args, old)?.unwrap_or(old);
    let new = b.bitcast(new, piece);
    let new = b.cast(CastOp::Zext, new, I32);
    let new = b.shl(new, bit);
    let others = b.and(expected, keep);
    let new = b.or(others, new);
    let cas = Op::AtomicCas { access, scope, success: order, failure: Ordering::Relaxed };
    let seen = b.value(cas, &[word, expected, new], I32);
    let done = b.icmp(IntCc::Eq, seen, expected);
    b.brif(done, BlockCall::new(rest, &[]), BlockCall::new(again, &[seen]));
    b.block = rest;
    Ok((!matches!(op, Op::AtomicStore { .. })).then_some(old))
}

/// Binary operation of a read-modify-write; `None` for exchange.
pub(crate) fn rmw_bin(op: RmwOp) -> Option<BinOp> {
    Some(match op {
        RmwOp::Add => BinOp::Iadd,
        RmwOp::Sub => BinOp::Isub,
        RmwOp::And => BinOp::And,
        RmwOp::Or => BinOp::Or,
        RmwOp::Xor => BinOp::Xor,
        RmwOp::Xchg => return None,
        RmwOp::Umin => BinOp::Umin,
        RmwOp::Umax => BinOp::Umax,
        RmwOp::Smin => BinOp::Smin,
        RmwOp::Smax => BinOp::Smax,
        RmwOp::Fadd => BinOp::Fadd,
        RmwOp::Fmin => BinOp::Fmin,
        RmwOp::Fmax => BinOp::Fmax,
    })
}

fn emit(b: &mut Builder<'_>, op: Op, args: &[Value], ty: Type) -> Option<Value> {
    if matches!(op, Op::Store(_) | Op::AtomicStore { .. }) {
        b.inst(op, args, &[]);
        return None;
    }
    Some(b.value(op, args, ty))
}

/// Accessor of pieces of `unit` bytes in an array of elements of at least that size.
struct Cells<'a> {
    elem: Type,
    elem_bytes: u32,
    unit: u32,
    access: Access,
    private: bool,
    index: Index<'a>,
}

impl Cells<'_> {
    /// Element index, and for parts of an element the bit offset of the piece.
    fn element(&mut self, b: &mut Builder<'_>, at: u32) -> (Value, Option<Value>) {
        let shift = self.elem_bytes.trailing_zeros();
        if self.unit == self.elem_bytes {
            let first = (self.index)(b, Some(shift));
            return (plus(b, first, at / self.unit), None);
        }
        let first = (self.index)(b, None);
        let byte = plus(b, first, at);
        let k = b.i32(shift as i32);
        let word = b.lshr(byte, k);
        let mask = b.i32(self.elem_bytes as i32 - 1);
        let inside = b.and(byte, mask);
        let three = b.i32(3);
        (word, Some(b.shl(inside, three)))
    }
    /// A value in pieces, combined.
    fn load_lanes(&mut self, b: &mut Builder<'_>, ty: Type, scalar: Scalar) -> Value {
        let mut lanes = Vec::new();
        for lane in 0..ty.lanes() {
            let first = lane * scalar.bytes();
            let pieces: Vec<Value> =
                (0..scalar.bytes() / self.unit).map(|i| self.load(b, first + i * self.unit)).collect();
            lanes.push(combine(b, &pieces, Type::Scalar(scalar)));
        }
        b.vec_build(&lanes)
    }
    /// Stores a value in pieces.
    fn store_lanes(&mut self, b: &mut Builder<'_>, value: Value) {
        let mut at = 0;
        for lane in lanes_of(b, value) {
            for piece in split(b, lane, self.unit) {
                self.store(b, piece, at);
                at += self.unit;
            }
        }
    }
    fn word_type(&self) -> Type {
        int_of(self.elem_bytes)
    }
    fn amount(&self, b: &mut Builder<'_>, bit: Value) -> Value {
        if self.word_type() == I64 { b.cast(CastOp::Zext, bit, I64) } else { bit }
    }
    fn load(&mut self, b: &mut Builder<'_>, at: u32) -> Value {
        let (i, bit) = self.element(b, at);
        let v = b.load(self.elem, i, self.access);
        let piece = int_of(self.unit);
        let Some(bit) = bit else { return b.bitcast(v, piece) };
        let word = b.bitcast(v, self.word_type());
        let amount = self.amount(b, bit);
        let low = b.lshr(word, amount);
        b.cast(CastOp::Trunc, low, piece)
    }
    fn store(&mut self, b: &mut Builder<'_>, piece: Value, at: u32) {
        let (i, bit) = self.element(b, at);
        let Some(bit) = bit else {
            let v = b.bitcast(piece, self.elem);
            b.store(v, i, self.access);
            return;
        };
        let word = self.word_type();
        let amount = self.amount(b, bit);
        let wide = b.cast(CastOp::Zext, piece, word);
        let set = b.shl(wide, amount);
        let ones = b.func.bits(word, (1u64 << (self.unit * 8)) - 1);
        let field = b.shl(ones, amount);
        let keep = b.not(field);
        if self.private {
            let old = b.load(self.elem, i, self.access);
            let old = b.bitcast(old, word);
            let cleared = b.and(old, keep);
            let new = b.or(cleared, set);
            let new = b.bitcast(new, self.elem);
            b.store(new, i, self.access);
        } else {
            for (op, x) in [(RmwOp::And, keep), (RmwOp::Or, set)] {
                let op = Op::AtomicRmw {
                    op,
                    access: self.access,
                    scope: Scope::WorkGroup,
                    order: Ordering::Relaxed,
                };
                b.value(op, &[i, x], word);
            }
        }
    }
}
