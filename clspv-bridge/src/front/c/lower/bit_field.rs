//! Bit-fields: their storage units in memory, and access to their bits.
//!
//! A field that its unit does not hold entirely, as in packed records, is accessed byte by byte: no access
//! touches memory behind the record.

use super::function::FunctionLowering;
use super::object::ObjectRef;
use crate::front::c::types::Record;
use crate::ir::{BinOp, CastOp, I1, I8, I64, IntCc, Op, Scalar, Type, Value};

/// Memory that is accessed at once.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Whole(Scalar),
    /// A number of single bytes.
    Bytes(u8),
}

/// A bit-field: the memory that holds it, and its bits.
#[derive(Clone, Copy, Debug)]
pub struct BitFieldRef {
    /// The first byte of the unit.
    at: ObjectRef,
    unit: Unit,
    first: u8,
    width: u8,
    is_signed: bool,
    /// Type of the member's value.
    ty: Type,
}

/// Position of a bit-field in its record.
#[derive(Clone, Copy, Debug)]
pub struct BitFieldPosition {
    /// Byte from which bits are counted.
    pub offset: u64,
    pub first: u8,
    pub width: u8,
}

impl FunctionLowering<'_, '_> {
    /// The bit-field of a record in memory; `ty` is the type of its value.
    pub fn bit_field(
        &mut self,
        record_at: ObjectRef,
        record: &Record,
        position: BitFieldPosition,
        ty: Type,
        is_signed: bool,
    ) -> BitFieldRef {
        let BitFieldPosition { mut offset, mut first, width } = position;
        let is_inside =
            |offset: u64, store: Scalar| offset.saturating_add(store.bytes().into()) <= record.size;
        let used = |first: u8| u32::from(first) + u32::from(width);
        let declared = match ty.scalar().unwrap_or(Scalar::I32).to_int() {
            Scalar::I1 => Scalar::I8,
            scalar => scalar,
        };
        let unit = if used(first) <= declared.bits() && is_inside(offset, declared) {
            Unit::Whole(declared)
        } else {
            offset = offset.saturating_add(u64::from(first / 8));
            first %= 8;
            let smaller = Scalar::int(used(first).next_power_of_two().max(8));
            match smaller.filter(|store| used(first) <= store.bits() && is_inside(offset, *store)) {
                Some(store) => Unit::Whole(store),
                None => Unit::Bytes(used(first).div_ceil(8) as u8),
            }
        };
        BitFieldRef { at: self.part(record_at, offset), unit, first, width, is_signed, ty }
    }

    /// The value of a bit-field.
    pub fn bits(&mut self, field: BitFieldRef) -> Value {
        match field.unit {
            Unit::Whole(store) => {
                let unit = self.load(field.at, Type::Scalar(store));
                self.bits_of(field, unit)
            }
            Unit::Bytes(count) => {
                let mut all = self.zero(I64);
                for i in 0..count {
                    let at = self.part(field.at, u64::from(i));
                    let byte = self.load(at, I8);
                    let byte = self.resize(byte, I64, false);
                    let moved = self.moved_bits(byte, i32::from(i) * 8 - i32::from(field.first));
                    all = self.emit(Op::Bin(BinOp::Or), &[all, moved], I64);
                }
                self.bits_of(BitFieldRef { first: 0, ..field }, all)
            }
        }
    }

    /// Writes a bit-field, and returns the value that it holds afterwards.
    pub fn set_bits(&mut self, field: BitFieldRef, value: Value) -> Value {
        let store = match field.unit {
            Unit::Whole(store) => store,
            Unit::Bytes(count) => {
                let value = self.resize(value, I64, false);
                for i in 0..count {
                    self.set_byte(field, i, value);
                }
                return self.bits_of(BitFieldRef { first: 0, ..field }, value);
            }
        };
        let ty = Type::Scalar(store);
        let mask = (u64::MAX >> (64 - u32::from(field.width).clamp(1, 64))) << field.first.min(63);
        let (keep, take) = (self.f.bits(ty, !mask), self.f.bits(ty, mask));
        let by = self.f.bits(ty, u64::from(field.first));
        let value = self.resize(value, ty, false);
        let value = self.emit(Op::Bin(BinOp::Shl), &[value, by], ty);
        let value = self.emit(Op::Bin(BinOp::And), &[value, take], ty);
        let old = self.load(field.at, ty);
        let rest = self.emit(Op::Bin(BinOp::And), &[old, keep], ty);
        let unit = self.emit(Op::Bin(BinOp::Or), &[rest, value], ty);
        self.store(field.at, unit);
        self.bits_of(field, unit)
    }

    /// Writes the bits of a field that are in one byte.
    fn set_byte(&mut self, field: BitFieldRef, index: u8, value: Value) {
        let begin = i32::from(index) * 8;
        let (first, end) = (i32::from(field.first), i32::from(field.first) + i32::from(field.width));
        let (low, high) = ((first - begin).clamp(0, 8), (end - begin).clamp(0, 8));
        let mask = (0xffu32 << low) & (0xffu32 >> (8 - high));
        let at = self.part(field.at, u64::from(index));
        let moved = self.moved_bits(value, first - begin);
        let mut byte = self.emit(Op::Cast(CastOp::Trunc), &[moved], I8);
        if mask != 0xff {
            let (keep, take) = (self.f.bits(I8, u64::from(!mask & 0xff)), self.f.bits(I8, mask.into()));
            let old = self.load(at, I8);
            let rest = self.emit(Op::Bin(BinOp::And), &[old, keep], I8);
            let taken = self.emit(Op::Bin(BinOp::And), &[byte, take], I8);
            byte = self.emit(Op::Bin(BinOp::Or), &[rest, taken], I8);
        }
        self.store(at, byte);
    }

    /// 64 bits moved up, or down by a negative distance.
    fn moved_bits(&mut self, value: Value, by: i32) -> Value {
        if by == 0 {
            return value;
        }
        let op = if by > 0 { BinOp::Shl } else { BinOp::Lshr };
        let distance = self.f.bits(I64, u64::from(by.unsigned_abs()));
        self.emit(Op::Bin(op), &[value, distance], I64)
    }

    /// The value of a bit-field in its unit.
    fn bits_of(&mut self, field: BitFieldRef, unit: Value) -> Value {
        let ty = self.f.ty(unit);
        let bits = ty.scalar().map_or(0, Scalar::bits);
        let left = bits.saturating_sub(u32::from(field.first) + u32::from(field.width));
        let right = bits.saturating_sub(u32::from(field.width));
        let left = self.f.bits(ty, u64::from(left));
        let right = self.f.bits(ty, u64::from(right));
        let shift = if field.is_signed { BinOp::Ashr } else { BinOp::Lshr };
        let high = self.emit(Op::Bin(BinOp::Shl), &[unit, left], ty);
        let value = self.emit(Op::Bin(shift), &[high, right], ty);
        if field.ty == I1 {
            let zero = self.zero(ty);
            return self.emit(Op::Icmp(IntCc::Ne), &[value, zero], I1);
        }
        self.resize(value, field.ty, field.is_signed)
    }
}
