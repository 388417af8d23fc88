//! Sums of four products of bytes become dot products, where these are single instructions.
//!
//! Programs write them with components of `char4` and `uchar4` (wider vectors, too), with words cast to
//! these, or with bytes that they shift and mask out of words. Sums of any shape are flattened. Products of
//! the four bytes of a word of two vectors, each with its own sign, become one [`Op::Dot4`]; loads of such
//! vectors become loads of words.

use crate::analysis::Cfg;
use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_blocks};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// The pass `dot_products`.
pub struct DotProducts;

impl Pass for DotProducts {
    fn name(&self) -> &'static str {
        "dot_products"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        // Words of a binding that is also accessed by bytes would be another view of it.
        let has_addresses =
            cx.target.vulkan().is_some_and(|vulkan| vulkan.addresses && !vulkan.prefer_bindings);
        if !cx.target.integer_dot_product || !has_addresses {
            return Ok(false);
        }
        let mut changed = false;
        for func in module.functions.values_mut() {
            changed |= form(func);
        }
        Ok(changed)
    }
}

/// Maximum terms of a sum.
const MAX_TERMS: usize = 512;

/// Maximum conversions, masks and shifts between a word and a byte of it.
const MAX_DEPTH: u32 = 6;

/// A lane of a vector, or a scalar with lane 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Lane {
    value: Value,
    lane: u8,
}

/// Consecutive bits of a word, which is a lane of 32-bit integers, or four bytes of a vector from `word.lane`
/// on.
#[derive(Clone, Copy)]
struct Field {
    word: Lane,
    offset: u32,
    bits: u32,
    /// How the bits are extended to the value; `None` if the value has no more bits.
    signed: Option<bool>,
}

/// Two words and whether their bytes are signed.
type Factors = (Lane, Lane, bool, bool);

/// Products of some of the bytes of two words.
struct Partial {
    factors: Factors,
    products: [Option<Lane>; 4],
}

/// A sum with dot products.
#[derive(Default)]
struct Sum {
    dots: Vec<Factors>,
    terms: Vec<Lane>,
}

/// Replaces the sums of a function.
fn form(func: &mut Function) -> bool {
    let sums = sums_of(func);
    if sums.is_empty() {
        return false;
    }
    let words = sums.values().flat_map(|sum| &sum.dots).flat_map(|(x, y, ..)| [x.value, y.value]);
    let bytes = words.filter(|word| func.ty(*word).lane() == I8);
    // Vectors of bytes that are loaded, and their words.
    let mut loads: FxHashMap<Value, Option<Value>> = bytes.map(|bytes| (bytes, None)).collect();
    let order = Cfg::new(func).rpo().to_vec();
    rewrite_blocks(func, &order, |b, inst| {
        if let Some(sum) = sums.get(&inst) {
            return emit(b, sum, &loads).map_or(Rewrite::Keep, Rewrite::Replace);
        }
        let result = b.func.insts[inst].results.first().copied();
        match result.and_then(|bytes| loads.get_mut(&bytes)) {
            Some(words) => load_words(b, inst, words),
            None => Rewrite::Keep,
        }
    })
}

/// The sums that have dot products, by the instructions of the last additions.
fn sums_of(func: &Function) -> FxHashMap<Inst, Sum> {
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::new();
    for operand in func.data_in_order().flat_map(InstData::operands) {
        uses[*operand] += 1;
    }
    let additions: Vec<Inst> = func.insts_in_order().filter(|inst| is_addition(func, *inst)).collect();
    // Additions whose result is nothing but a term of another.
    let mut inner: EntitySet<Value> = EntitySet::new();
    for term in additions.iter().flat_map(|inst| &func.insts[*inst].args) {
        if uses[*term] == 1 {
            inner.insert(*term);
        }
    }
    let mut sums = FxHashMap::default();
    for inst in additions {
        if func.insts[inst].results.iter().any(|result| inner.contains(*result)) {
            continue;
        }
        if let Some(sum) = sum_of(func, inst, &inner) {
            sums.insert(inst, sum);
        }
    }
    sums
}

fn is_addition(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    data.op == Op::Bin(BinOp::Iadd) && data.results.iter().all(|&result| func.ty(result) == I32)
}

/// The terms that an addition adds, if there are dot products among them.
fn sum_of(func: &Function, root: Inst, inner: &EntitySet<Value>) -> Option<Sum> {
    let mut sum = Sum::default();
    let mut partial: Vec<Partial> = Vec::new();
    let mut work: Vec<Lane> = lanes(&func.insts[root].args, 0);
    while let Some(term) = work.pop() {
        let term = source(func, term);
        let data = func.def_inst(term.value).map(|inst| &func.insts[inst]);
        let descends = func.ty(term.value).lanes() > 1 || inner.contains(term.value);
        match data.map(|data| (&data.op, &data.args)) {
            Some((Op::Bin(BinOp::Iadd), args)) if descends && sum.terms.len() + work.len() < MAX_TERMS => {
                work.extend(lanes(args, term.lane));
            }
            Some((Op::Bin(BinOp::Imul), args)) => match product_of(func, &lanes(args, term.lane)) {
                Some((factors, byte)) => add_product(&mut sum, &mut partial, factors, byte, term),
                None => sum.terms.push(term),
            },
            _ => sum.terms.push(term),
        }
    }
    sum.terms.extend(partial.iter().flat_map(|partial| partial.products).flatten());
    (!sum.dots.is_empty()).then_some(sum)
}

/// Lane `lane` of each of the values, from the last value to the first.
fn lanes(values: &[Value], lane: u8) -> Vec<Lane> {
    values.iter().rev().map(|&value| Lane { value, lane }).collect()
}

/// Adds the product of two words' bytes, which completes a dot product or waits for the other bytes.
fn add_product(sum: &mut Sum, partial: &mut Vec<Partial>, factors: Factors, byte: usize, product: Lane) {
    let (x, y, x_signed, y_signed) = factors;
    let same = |p: &Partial| p.factors == factors || p.factors == (y, x, y_signed, x_signed);
    let at = partial.iter().position(same).unwrap_or_else(|| {
        partial.push(Partial { factors, products: [None; 4] });
        partial.len() - 1
    });
    let products = &mut partial[at].products;
    if products[byte].is_some() {
        sum.terms.push(product);
        return;
    }
    products[byte] = Some(product);
    if products.iter().all(Option::is_some) {
        *products = [None; 4];
        sum.dots.push(factors);
    }
}

/// The words whose bytes of one number are the factors.
fn product_of(func: &Function, factors: &[Lane]) -> Option<(Factors, usize)> {
    let &[y, x] = factors else { return None };
    let (x, y) = (field(func, x, MAX_DEPTH)?, field(func, y, MAX_DEPTH)?);
    let is_byte = |f: &Field| f.bits == 8 && f.offset.is_multiple_of(8);
    if !is_byte(&x) || !is_byte(&y) || x.offset != y.offset {
        return None;
    }
    let (x_signed, y_signed) = (x.signed?, y.signed?);
    Some(((x.word, y.word, x_signed, y_signed), x.offset as usize / 8))
}

/// Where a lane comes from, through changes of the order of lanes.
fn source(func: &Function, mut at: Lane) -> Lane {
    while let Some(inst) = func.def_inst(at.value) {
        let (op, args) = (&func.insts[inst].op, &func.insts[inst].args);
        at = match op {
            Op::Extract(lane) => Lane { value: args[0], lane: *lane },
            Op::VecBuild => Lane { value: args[usize::from(at.lane)], lane: 0 },
            Op::Splat => Lane { value: args[0], lane: 0 },
            Op::Shuffle(order) => {
                let (lane, first) = (order[usize::from(at.lane)], func.ty(args[0]).lanes() as u8);
                match lane.checked_sub(first) {
                    None => Lane { value: args[0], lane },
                    Some(lane) => Lane { value: args[1], lane },
                }
            }
            _ => break,
        };
    }
    at
}

/// The bits of a word that an integer consists of.
fn field(func: &Function, at: Lane, depth: u32) -> Option<Field> {
    let at = source(func, at);
    let part = depth.checked_sub(1).and_then(|depth| part(func, at, depth));
    part.or_else(|| word(func, at))
}

/// Like [`field`], for the result of a conversion, a mask or a shift.
fn part(func: &Function, at: Lane, depth: u32) -> Option<Field> {
    let data = &func.insts[func.def_inst(at.value)?];
    let width = func.ty(at.value).scalar()?.bits();
    let operand = Lane { value: *data.args.first()?, ..at };
    let constant = || func.as_bits(*data.args.get(1)?);
    match data.op {
        Op::Cast(CastOp::Sext) => field(func, operand, depth)?.extended(true),
        Op::Cast(CastOp::Zext) => field(func, operand, depth)?.extended(false),
        Op::Cast(CastOp::Trunc) => Some(field(func, operand, depth)?.low(width)),
        Op::Bin(BinOp::And) => {
            let mask = constant()?;
            let bits = mask.trailing_ones();
            let is_low = 1u64.checked_shl(bits).is_some_and(|end| mask == end - 1);
            field(func, operand, depth).filter(|_| is_low)?.low(bits).extended(false)
        }
        Op::Bin(op @ (BinOp::Ashr | BinOp::Lshr)) => {
            let (by, signed) = (u32::try_from(constant()?).ok()?, op == BinOp::Ashr);
            let (f, up) = match shifted(func, operand, depth) {
                Some((f, up)) => (f.low(width.checked_sub(up)?), up),
                None => (field(func, operand, depth)?, 0),
            };
            f.extended(signed)?.high(by.checked_sub(up)?)
        }
        _ => None,
    }
}

/// A word that is shifted to the left, and by how many bits.
fn shifted(func: &Function, at: Lane, depth: u32) -> Option<(Field, u32)> {
    let at = source(func, at);
    let data = &func.insts[func.def_inst(at.value)?];
    let (Op::Bin(BinOp::Shl), &[x, by]) = (&data.op, &data.args[..]) else { return None };
    let f = field(func, Lane { value: x, ..at }, depth).filter(|f| f.bits == 32)?;
    Some((f, u32::try_from(func.as_bits(by)?).ok()?))
}

/// A lane as a word, or as a byte of one.
fn word(func: &Function, at: Lane) -> Option<Field> {
    let ty = func.ty(at.value);
    match ty.lane() {
        I32 => Some(Field { word: at, offset: 0, bits: 32, signed: None }),
        I8 => {
            let word = match is_loaded_by_words(func, at.value) {
                true => Lane { lane: at.lane & !3, ..at },
                false => cast_word(func, at)?,
            };
            Some(Field { word, offset: u32::from(at.lane & 3) * 8, bits: 8, signed: None })
        }
        _ => None,
    }
}

/// The word that a byte of a cast of words is part of.
fn cast_word(func: &Function, byte: Lane) -> Option<Lane> {
    let data = &func.insts[func.def_inst(byte.value)?];
    let is_cast = data.op == Op::Cast(CastOp::Bitcast) && func.ty(data.args[0]).lane() == I32;
    is_cast.then(|| source(func, Lane { value: data.args[0], lane: byte.lane / 4 }))
}

/// Whether a vector of bytes is loaded from a buffer, and can be loaded as words.
fn is_loaded_by_words(func: &Function, bytes: Value) -> bool {
    let Some(data) = func.def_inst(bytes).map(|inst| &func.insts[inst]) else { return false };
    let Op::Load(access) = data.op else { return false };
    let in_buffer = matches!(func.ty(data.args[0]), Type::Ptr(Space::Global | Space::Constant));
    in_buffer && !access.volatile && access.align >= 4 && func.ty(bytes).lanes().is_multiple_of(4)
}

impl Field {
    /// The value in more bits.
    fn extended(self, signed: bool) -> Option<Field> {
        match self.signed {
            None => Some(Field { signed: Some(signed), ..self }),
            // A sign is only there if a negative number can be.
            Some(before) => (before == signed || !before).then_some(self),
        }
    }

    /// The value's low bits.
    fn low(self, bits: u32) -> Field {
        if bits > self.bits { self } else { Field { bits, signed: None, ..self } }
    }

    /// The value without its lowest `by` bits.
    fn high(self, by: u32) -> Option<Field> {
        let bits = self.bits.checked_sub(by).filter(|bits| *bits > 0)?;
        Some(Field { offset: self.offset + by, bits, ..self })
    }
}

/// Loads the words of a vector of bytes.
fn load_words(b: &mut Builder<'_>, inst: Inst, words: &mut Option<Value>) -> Rewrite {
    let data = &b.func.insts[inst];
    let (Op::Load(access), address, ty) = (data.op.clone(), data.args[0], b.ty(data.results[0])) else {
        return Rewrite::Keep;
    };
    let loaded = b.load(Type::vector(Scalar::I32, ty.lanes() / 4), address, access);
    *words = Some(loaded);
    Rewrite::Replace(b.bitcast(loaded, ty))
}

/// Computes a sum.
fn emit(b: &mut Builder<'_>, sum: &Sum, loads: &FxHashMap<Value, Option<Value>>) -> Option<Value> {
    let mut total = None;
    let mut add = |b: &mut Builder<'_>, x: Value| total = Some(total.map_or(x, |sum| b.iadd(sum, x)));
    for term in &sum.terms {
        let term = b.extract(term.value, term.lane);
        add(b, term);
    }
    for &(x, y, x_signed, y_signed) in &sum.dots {
        let (x, y) = (word_value(b, x, loads)?, word_value(b, y, loads)?);
        let dot = b.value(Op::Dot4 { x_signed, y_signed }, &[x, y], I32);
        add(b, dot);
    }
    total
}

/// A word, of the loaded ones for a vector of bytes.
fn word_value(b: &mut Builder<'_>, word: Lane, loads: &FxHashMap<Value, Option<Value>>) -> Option<Value> {
    match loads.get(&word.value) {
        Some(words) => Some(b.extract((*words)?, word.lane / 4)),
        None => Some(b.extract(word.value, word.lane)),
    }
}
