//! Accesses of words instead of those of vectors of bytes and 16-bit integers, where the components are
//! extended after a load, or truncated before a store.
//!
//! ```text
//! x = load.i8x4 p                 w = load.i32 p
//! y = zext.i32x4 x          ->    y = [w & 255, (w >> 8) & 255, (w >> 16) & 255, w >> 24]
//! ```
//!
//! Processors gather and scatter words, but bytes one by one; and the components of consecutive vectors are
//! separated by shifts of whole words. Kernels that process images in buffers have such accesses.

use crate::analysis::Cfg;
use crate::error::Result;
use crate::ir::edit::{Rewrite, remove_dead_insts, rewrite_blocks};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// The pass `word_accesses`.
pub struct WordAccesses;

impl Pass for WordAccesses {
    fn name(&self) -> &'static str {
        "word_accesses"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.cpu().is_some() && !cx.is_instrumented()
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            if widen(func) {
                remove_dead_insts(func);
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// Bits of a word.
const WORD: u32 = 32;

/// Replaces the accesses of a function; true if there were any.
fn widen(func: &mut Function) -> bool {
    let extended = Extended::of(func);
    let mut words: FxHashMap<Value, Words> = FxHashMap::default();
    let order = Cfg::new(func).rpo().to_vec();
    rewrite_blocks(func, &order, |b, inst| {
        let data = b.func.insts[inst].clone();
        match data.op {
            Op::Load(access) if extended.contains(data.results[0]) => {
                let loaded = Words::load(b, b.ty(data.results[0]), data.args[0], access);
                words.insert(data.results[0], loaded);
                Rewrite::Remove
            }
            Op::Extract(_) if words.contains_key(&data.args[0]) => Rewrite::Remove,
            Op::Cast(op) => match component_of(b.func, data.args[0]) {
                Some((vector, lane)) if words.contains_key(&vector) => {
                    let ty = b.ty(data.results[0]);
                    Rewrite::Replace(words[&vector].convert(b, op, lane, ty))
                }
                _ => Rewrite::Keep,
            },
            Op::Store(access) => match Narrowed::of(b.func, access, &data.args) {
                Some(stored) => {
                    stored.store(b, data.args[1], access);
                    Rewrite::Remove
                }
                None => Rewrite::Keep,
            },
            _ => Rewrite::Keep,
        }
    })
}

/// Whether an access of a vector through a pointer may become one of words.
fn is_narrow(func: &Function, vector: Value, pointer: Value, access: Access) -> bool {
    let ty = func.ty(vector);
    let is_shared = matches!(func.ty(pointer).space(), Some(Space::Global | Space::Constant | Space::Local));
    let is_small = matches!(ty.lane(), I8 | I16);
    is_shared
        && is_small
        && ty.lanes() > 1
        && (ty.lanes() * bits(ty)).is_multiple_of(WORD)
        && !access.volatile
}

/// Bits of a component.
fn bits(ty: Type) -> u32 {
    ty.lane().scalar().map_or(WORD, Scalar::bits)
}

/// The vector of which a value is a component, and which one; `None` for the component of a whole vector.
fn component_of(func: &Function, value: Value) -> Option<(Value, Option<u8>)> {
    let data = func.def_inst(value).map(|inst| &func.insts[inst])?;
    Some(match data.op {
        Op::Extract(lane) => (data.args[0], Some(lane)),
        _ => (value, None),
    })
}

/// Vectors that are loaded, and of which nothing but extended components is used.
struct Extended(EntitySet<Value>);

impl Extended {
    fn of(func: &Function) -> Extended {
        let loads: Vec<Value> = func
            .data_in_order()
            .filter_map(|data| match data.op {
                Op::Load(access) if is_narrow(func, data.results[0], data.args[0], access) => {
                    Some(data.results[0])
                }
                _ => None,
            })
            .collect();
        let mut extended = EntitySet::new();
        if loads.is_empty() {
            return Extended(extended);
        }
        let (mut uses, mut extensions) =
            (SecondaryMap::<Value, u32>::new(), SecondaryMap::<Value, u32>::new());
        for data in func.data_in_order() {
            for operand in data.operands() {
                uses[*operand] += 1;
                extensions[*operand] += u32::from(extends(func, data));
            }
        }
        for data in func.data_in_order().filter(|data| matches!(data.op, Op::Extract(_))) {
            let component = data.results[0];
            extensions[data.args[0]] += u32::from(uses[component] == extensions[component]);
        }
        for load in loads.into_iter().filter(|load| uses[*load] > 0 && uses[*load] == extensions[*load]) {
            extended.insert(load);
        }
        Extended(extended)
    }

    fn contains(&self, vector: Value) -> bool {
        self.0.contains(vector)
    }
}

/// Whether an instruction extends its operand to words, or converts it to floating-point numbers.
fn extends(func: &Function, data: &InstData) -> bool {
    match data.op {
        Op::Cast(CastOp::Zext | CastOp::Sext) => bits(func.ty(data.results[0])) >= WORD,
        Op::Cast(CastOp::SToFp | CastOp::UToFp) => true,
        _ => false,
    }
}

/// The words of a vector in memory.
struct Words {
    words: Vec<Value>,
    /// Bits and number of the vector's components.
    bits: u32,
    lanes: u32,
}

impl Words {
    fn load(b: &mut Builder<'_>, ty: Type, pointer: Value, access: Access) -> Words {
        let (bits, lanes) = (bits(ty), ty.lanes());
        let count = lanes * bits / WORD;
        let loaded = b.load(I32.of_lanes(count), pointer, access);
        let words =
            if count == 1 { vec![loaded] } else { (0..count as u8).map(|i| b.extract(loaded, i)).collect() };
        Words { words, bits, lanes }
    }

    /// Converts one component, or all to a vector.
    fn convert(&self, b: &mut Builder<'_>, op: CastOp, lane: Option<u8>, ty: Type) -> Value {
        let signed = matches!(op, CastOp::Sext | CastOp::SToFp);
        let integers = match lane {
            Some(lane) => self.component(b, u32::from(lane), signed),
            None => {
                let all: Vec<Value> = (0..self.lanes).map(|lane| self.component(b, lane, signed)).collect();
                b.vec_build(&all)
            }
        };
        match op {
            CastOp::Zext | CastOp::Sext if b.ty(integers) == ty => integers,
            CastOp::Zext | CastOp::Sext => b.cast(op, integers, ty),
            // No component has the sign of a word unless it is negative.
            _ => b.cast(CastOp::SToFp, integers, ty),
        }
    }

    /// A component, extended to a word.
    fn component(&self, b: &mut Builder<'_>, lane: u32, signed: bool) -> Value {
        let (word, at) = (self.words[(lane * self.bits / WORD) as usize], lane * self.bits % WORD);
        let above = WORD - self.bits - at;
        let shift = |b: &mut Builder<'_>, op, x, by: u32| match by {
            0 => x,
            by => {
                let by = b.i32(by as i32);
                b.bin(op, x, by)
            }
        };
        if signed {
            let high = shift(b, BinOp::Shl, word, above);
            return shift(b, BinOp::Ashr, high, above + at);
        }
        let low = shift(b, BinOp::Lshr, word, at);
        if above == 0 {
            return low;
        }
        let mask = b.i32((1 << self.bits) - 1);
        b.and(low, mask)
    }
}

/// A vector of bytes or 16-bit integers that is computed from words.
struct Narrowed {
    source: Source,
    bits: u32,
    lanes: u32,
}

enum Source {
    /// Integers that are truncated.
    Integers(Value),
    /// Floating-point numbers that are converted.
    Floats(Value),
    /// Components that are truncated, or constants.
    Components(Vec<Component>),
}

#[derive(Clone, Copy)]
enum Component {
    Integer(Value),
    Constant(u64),
}

impl Narrowed {
    /// The vector that is stored, if it is one.
    fn of(func: &Function, access: Access, args: &[Value]) -> Option<Narrowed> {
        let (vector, pointer) = (*args.first()?, *args.get(1)?);
        if !is_narrow(func, vector, pointer, access) {
            return None;
        }
        let data = &func.insts[func.def_inst(vector)?];
        let lane = |of: Type| func.ty(data.args[0]).lane() == of;
        let source = match data.op {
            Op::Cast(CastOp::Trunc) if lane(I32) => Source::Integers(data.args[0]),
            Op::Cast(CastOp::FpToS | CastOp::FpToU) if lane(F32) => Source::Floats(data.args[0]),
            Op::VecBuild => {
                let components = data.args.iter().map(|arg| Component::of(func, *arg));
                Source::Components(components.collect::<Option<Vec<_>>>()?)
            }
            _ => return None,
        };
        let ty = func.ty(vector);
        Some(Narrowed { source, bits: bits(ty), lanes: ty.lanes() })
    }

    /// Stores the vector as words.
    fn store(&self, b: &mut Builder<'_>, pointer: Value, access: Access) {
        let components = self.components(b);
        let words: Vec<Value> =
            components.chunks((WORD / self.bits) as usize).map(|part| self.pack(b, part)).collect();
        let value = if let [word] = words[..] { word } else { b.vec_build(&words) };
        b.store(value, pointer, access);
    }

    /// The components as words with other bits above.
    fn components(&self, b: &mut Builder<'_>) -> Vec<Value> {
        let all = match &self.source {
            Source::Integers(words) => *words,
            // Numbers outside of the type's range have no defined result.
            Source::Floats(numbers) => b.cast(CastOp::FpToS, *numbers, I32.of_lanes(self.lanes)),
            Source::Components(components) => {
                let value = |b: &mut Builder<'_>, component: &Component| match *component {
                    Component::Integer(word) => word,
                    Component::Constant(bits) => b.i32(bits as i32),
                };
                return components.iter().map(|component| value(b, component)).collect();
            }
        };
        (0..self.lanes as u8).map(|lane| b.extract(all, lane)).collect()
    }

    fn pack(&self, b: &mut Builder<'_>, components: &[Value]) -> Value {
        let mut word = None;
        for (at, &component) in (0u32..).step_by(self.bits as usize).zip(components) {
            let mut part = component;
            if at + self.bits < WORD {
                let mask = b.i32((1 << self.bits) - 1);
                part = b.and(part, mask);
            }
            if at > 0 {
                let by = b.i32(at as i32);
                part = b.shl(part, by);
            }
            word = Some(word.map_or(part, |word| b.or(word, part)));
        }
        word.unwrap_or_else(|| b.i32(0))
    }
}

impl Component {
    fn of(func: &Function, value: Value) -> Option<Component> {
        if let Some(bits) = func.as_bits(value) {
            return Some(Component::Constant(bits));
        }
        let data = &func.insts[func.def_inst(value)?];
        let truncated = data.op == Op::Cast(CastOp::Trunc) && func.ty(data.args[0]) == I32;
        truncated.then(|| Component::Integer(data.args[0]))
    }
}
