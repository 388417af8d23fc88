//! Lanes of values. Four lanes of 32 bits, two of 64 bits, and four truth values are one part: a 128-bit
//! vector. All other lanes are scalars. Truth values are 0 or 1 in scalars, 0 or -1 in vectors of words.

use super::lower::Lower;
use crate::error::{Invariant, Result};
use crate::ir::*;
use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
use cranelift_codegen::ir::{self as clif, ConstantData, Endianness, InstBuilder, MemFlags, types};
use smallvec::SmallVec;

/// Parts of a value, in the order of lanes.
pub(super) type Parts = SmallVec<[clif::Value; 4]>;

/// Lanes of each part of a type.
pub(super) fn lanes_per_part(ty: Type) -> u32 {
    let lanes = match ty {
        Type::Vector(Scalar::I1 | Scalar::I32 | Scalar::F32, _) => 4,
        Type::Vector(Scalar::I64 | Scalar::F64, _) | Type::PtrVector(..) => 2,
        _ => 1,
    };
    if ty.lanes().is_multiple_of(lanes) { lanes } else { 1 }
}

/// Number of parts of a type.
pub(super) fn part_count(ty: Type) -> usize {
    (ty.lanes() / lanes_per_part(ty)) as usize
}

/// The type of a lane as a scalar.
pub(super) fn lane_type(ty: Type) -> clif::Type {
    match ty.scalar() {
        Some(Scalar::I1 | Scalar::I8) => types::I8,
        Some(Scalar::I16 | Scalar::F16) => types::I16,
        Some(Scalar::I32) => types::I32,
        Some(Scalar::F32) => types::F32,
        Some(Scalar::F64) => types::F64,
        Some(Scalar::I64) | None => types::I64,
    }
}

/// The type of a part.
pub(super) fn part_type(ty: Type) -> clif::Type {
    match (lanes_per_part(ty), ty.scalar()) {
        (1, _) => lane_type(ty),
        (2, Some(Scalar::F64)) => types::F64X2,
        (2, _) => types::I64X2,
        (_, Some(Scalar::F32)) => types::F32X4,
        _ => types::I32X4,
    }
}

/// Bytes of a lane in memory.
pub(super) fn lane_bytes(ty: Type) -> u32 {
    ty.lane().access_bytes().unwrap_or(8)
}

impl Lower<'_, '_> {
    /// The parts of a value.
    pub(super) fn get(&mut self, v: Value) -> Result<Parts> {
        let func = self.func;
        match func.as_const(v) {
            Some(constant) => Ok(self.constant(constant)),
            None => self.values.get(&v).cloned().invariant("a value without code"),
        }
    }

    /// A value of one part.
    pub(super) fn one(&mut self, v: Value) -> Result<clif::Value> {
        self.get(v)?.first().copied().invariant("a value without parts")
    }

    /// The lanes of a value as scalars.
    pub(super) fn lanes(&mut self, v: Value) -> Result<Parts> {
        let parts = self.get(v)?;
        Ok(self.unpack(self.func.ty(v), &parts))
    }

    /// Defines a value.
    pub(super) fn set(&mut self, v: Value, parts: Parts) {
        self.values.insert(v, parts);
    }

    /// Defines a value by scalar lanes.
    pub(super) fn set_lanes(&mut self, v: Value, lanes: &[clif::Value]) {
        let parts = self.pack(self.func.ty(v), lanes);
        self.set(v, parts);
    }

    /// Defines a value of one part.
    pub(super) fn set_one(&mut self, v: Value, x: clif::Value) {
        self.set(v, Parts::from_slice(&[x]));
    }

    /// The lanes of a mask as numbers, which are not 0 where it is set.
    pub(super) fn mask_lanes(&mut self, mask: Value) -> Result<Parts> {
        let parts = self.get(mask)?;
        Ok(match lanes_per_part(self.func.ty(mask)) {
            1 => parts,
            per => {
                let each = |part| (0..per as u8).map(move |i| (part, i));
                parts.into_iter().flat_map(each).map(|(part, i)| self.lane_of(part, i)).collect()
            }
        })
    }

    /// A lane of a vector.
    pub(super) fn lane_of(&mut self, part: clif::Value, lane: u8) -> clif::Value {
        // The first lane of a vector of floating-point numbers takes no instruction, so that of integers is a
        // move instead of a shuffle and a move.
        let float = match self.type_of(part) {
            types::I32X4 if lane == 0 => types::F32X4,
            types::I64X2 if lane == 0 => types::F64X2,
            _ => return self.c.ins().extractlane(part, lane),
        };
        let int = self.type_of(part).lane_type();
        let part = self.cast_bits(part, float);
        let first = self.c.ins().extractlane(part, 0);
        self.cast_bits(first, int)
    }

    /// The lanes of parts as scalars.
    pub(super) fn unpack(&mut self, ty: Type, parts: &[clif::Value]) -> Parts {
        let per = lanes_per_part(ty) as u8;
        if per == 1 {
            return Parts::from_slice(parts);
        }
        let mut lanes = Parts::new();
        for part in parts {
            for i in 0..per {
                let lane = self.lane_of(*part, i);
                lanes.push(if ty.is_bool() { self.truth(lane) } else { lane });
            }
        }
        lanes
    }

    /// Parts with these lanes.
    pub(super) fn pack(&mut self, ty: Type, lanes: &[clif::Value]) -> Parts {
        let per = lanes_per_part(ty);
        if per == 1 {
            return Parts::from_slice(lanes);
        }
        let part_ty = part_type(ty);
        let mut parts = Parts::new();
        for chunk in lanes.chunks(per as usize) {
            let lanes: Parts = match ty.is_bool() {
                true => chunk.iter().map(|x| self.c.ins().uextend(types::I32, *x)).collect(),
                false => Parts::from_slice(chunk),
            };
            let Some((first, rest)) = lanes.split_first() else { continue };
            let mut part = if chunk.iter().all(|x| *x == chunk[0]) {
                self.c.ins().splat(part_ty, *first)
            } else {
                self.join(part_ty, *first, rest)
            };
            if ty.is_bool() {
                part = self.c.ins().ineg(part);
            }
            parts.push(part);
        }
        parts
    }

    /// A vector of these lanes.
    fn join(&mut self, ty: clif::Type, first: clif::Value, rest: &[clif::Value]) -> clif::Value {
        let mut part = self.c.ins().scalar_to_vector(ty, first);
        for (i, lane) in (1u8..).zip(rest) {
            part = self.c.ins().insertlane(part, *lane, i);
        }
        part
    }

    /// Parts whose lanes are all this scalar.
    pub(super) fn splat(&mut self, ty: Type, x: clif::Value) -> Parts {
        if lanes_per_part(ty) == 1 {
            return SmallVec::from_elem(x, part_count(ty));
        }
        let x = if ty.is_bool() {
            let word = self.c.ins().uextend(types::I32, x);
            self.c.ins().ineg(word)
        } else {
            x
        };
        let part = self.c.ins().splat(part_type(ty), x);
        SmallVec::from_elem(part, part_count(ty))
    }

    /// The parts of a constant.
    pub(super) fn constant(&mut self, constant: &Const) -> Parts {
        let (ty, bits): (Type, &[u64]) = match constant {
            Const::Undef(ty) => (*ty, &[]),
            Const::Bits(ty, bits) => (*ty, bits),
        };
        let bits: Vec<u64> =
            (0..ty.lanes() as usize).map(|i| bits.get(i).or(bits.first()).copied().unwrap_or(0)).collect();
        let part = part_type(ty);
        match lanes_per_part(ty) {
            1 => bits.iter().map(|b| self.number(part, *b)).collect(),
            2 => bits.chunks(2).map(|two| self.longs(part, two)).collect(),
            _ => {
                let word = |b: &u64| if ty.is_bool() { 0u32.wrapping_sub(*b as u32 & 1) } else { *b as u32 };
                let words: Vec<u32> = bits.iter().map(word).collect();
                words.chunks(4).map(|four| self.words(part, four)).collect()
            }
        }
    }

    /// A vector of four words.
    pub(super) fn words(&mut self, ty: clif::Type, words: &[u32]) -> clif::Value {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let handle = self.c.func.dfg.constants.insert(ConstantData::from(bytes));
        self.c.ins().vconst(ty, handle)
    }

    /// A vector of two 64-bit words.
    fn longs(&mut self, ty: clif::Type, longs: &[u64]) -> clif::Value {
        let words: Vec<u32> = longs.iter().flat_map(|x| [*x as u32, (*x >> 32) as u32]).collect();
        self.words(ty, &words)
    }

    /// A scalar with these bits.
    pub(super) fn number(&mut self, ty: clif::Type, bits: u64) -> clif::Value {
        match ty {
            types::F32 => self.c.ins().f32const(Ieee32::with_bits(bits as u32)),
            types::F64 => self.c.ins().f64const(Ieee64::with_bits(bits)),
            _ => self.c.ins().iconst(ty, (bits & u64::MAX >> (64 - ty.bits())) as i64),
        }
    }

    /// A floating-point number in every lane of a type.
    pub(super) fn float(&mut self, ty: clif::Type, x: f64) -> clif::Value {
        match ty {
            types::F64 => self.number(ty, x.to_bits()),
            types::F64X2 => self.longs(ty, &[x.to_bits(); 2]),
            types::F32X4 => self.words(ty, &[(x as f32).to_bits(); 4]),
            _ => self.number(ty, u64::from((x as f32).to_bits())),
        }
    }

    /// The type of a value of the code.
    pub(super) fn type_of(&self, x: clif::Value) -> clif::Type {
        self.c.func.dfg.value_type(x)
    }

    /// Reinterprets bits as another type of the same size.
    pub(super) fn cast_bits(&mut self, x: clif::Value, ty: clif::Type) -> clif::Value {
        let flags = MemFlags::new().with_endianness(Endianness::Little);
        if self.type_of(x) == ty { x } else { self.c.ins().bitcast(ty, flags, x) }
    }

    /// The lowest bit as a truth value.
    pub(super) fn truth(&mut self, x: clif::Value) -> clif::Value {
        let ty = self.type_of(x);
        let x = if ty == types::I8 { x } else { self.c.ins().ireduce(types::I8, x) };
        let one = self.number(types::I8, 1);
        self.c.ins().band(x, one)
    }

    /// An operation on each part if all parts have the same lanes and it is `wide` or they are scalars, else
    /// on each lane. Operands of one lane are used for every lane.
    pub(super) fn map(
        &mut self,
        ty: Type,
        args: &[Value],
        wide: bool,
        mut f: impl FnMut(&mut Self, &[clif::Value]) -> Result<clif::Value>,
    ) -> Result<Parts> {
        let per = lanes_per_part(ty);
        let func = self.func;
        let is_scalar =
            |a: &Value| func.ty(*a).lanes() < ty.lanes() && lane_type(func.ty(*a)) == lane_type(ty);
        let agree = |a: &Value| func.ty(*a).lanes() == ty.lanes() && lanes_per_part(func.ty(*a)) == per;
        let by_parts =
            (wide || per == 1) && args.iter().all(|a| agree(a) || is_scalar(a)) && args.iter().any(agree);
        let mut operands = Vec::with_capacity(args.len());
        for a in args {
            operands.push(match by_parts {
                true if is_scalar(a) => {
                    let x = self.one(*a)?;
                    self.splat(ty, x)
                }
                true => self.get(*a)?,
                false => self.lanes(*a)?,
            });
        }
        let count = if by_parts { part_count(ty) } else { ty.lanes() as usize };
        let mut results = Parts::new();
        for i in 0..count {
            let of = |o: &Parts| o.get(i).or(o.first()).copied();
            let one: Option<Parts> = operands.iter().map(of).collect();
            results.push(f(self, &one.invariant("an operand without lanes")?)?);
        }
        Ok(if by_parts { results } else { self.pack(ty, &results) })
    }
}
