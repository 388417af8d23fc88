//! Lvalues: variables in values, objects in memory, parts of vectors, bit-fields.

use super::bit_field::{BitFieldPosition, BitFieldRef};
use super::function::{FunctionLowering, Home};
use super::module::malformed;
use super::object::ObjectRef;
use super::ssa::SsaVariable;
use super::types::{align_of_variable, is_aggregate, is_signed, padding, pointee, value_type};
use crate::error::Result;
use crate::front::c::ast::{CastKind, ExprId, ExprKind, Storage, VarId};
use crate::front::c::layout::{layout, value_layout};
use crate::front::c::types::{OpaqueType, Record, TypeKind};
use crate::ir::{CastOp, I32, Op, Space, Type, Value};
use smallvec::SmallVec;

/// LaneList of a vector, in the order in which they are named.
pub type LaneList = SmallVec<[u8; 16]>;

/// Object that an lvalue designates.
#[derive(Clone, Debug)]
pub enum Location {
    /// A variable that is kept in values, and its type.
    Variable(SsaVariable, Type),
    Memory(ObjectRef, Type),
    /// Some lanes of the vector at `base`.
    Lanes {
        base: Box<Location>,
        lanes: LaneList,
    },
    /// The lane with a number that is computed (an `i32`).
    Lane {
        base: Box<Location>,
        index: Value,
    },
    Bits(BitFieldRef),
    /// An object that cannot change.
    Constant(Value),
}

impl FunctionLowering<'_, '_> {
    /// Lowers an lvalue, or an aggregate value, to what it designates.
    pub fn location(&mut self, id: ExprId) -> Result<Location> {
        self.nested(|this| this.location_of(id))
    }

    fn location_of(&mut self, id: ExprId) -> Result<Location> {
        let expr = self.expr(id)?;
        self.at(expr.loc);
        let types = self.types();
        match &expr.kind {
            ExprKind::Var(var) => self.variable(*var),
            ExprKind::CompoundLiteral(var) => {
                if self.m.var(*var)?.storage != Storage::Static {
                    self.initialize(*var)?;
                }
                self.variable(*var)
            }
            ExprKind::Deref(pointer) => {
                let addr = self.value(*pointer)?;
                let to = pointee(types, self.expr(*pointer)?.ty.ty);
                let is_volatile = to.is_some_and(|to| to.quals.is_volatile) || expr.ty.quals.is_volatile;
                let align = layout(types, expr.ty.ty).align;
                let align = self.reduced_pointee_align(*pointer).map_or(align, |reduced| reduced.min(align));
                Ok(self.memory(ObjectRef { is_volatile, ..ObjectRef::new(addr, align) }, id, expr.ty.ty))
            }
            ExprKind::Str(string) => {
                let global = self.m.string(*string)?;
                let addr = self.global_address(global);
                Ok(self.memory(ObjectRef::new(addr, 1), id, expr.ty.ty))
            }
            ExprKind::Member { base, field } => self.member(*base, *field),
            ExprKind::Swizzle { base, lanes, len } => {
                let lanes = lanes.iter().copied().take(usize::from(*len)).collect();
                Ok(Location::Lanes { base: Box::new(self.location(*base)?), lanes })
            }
            ExprKind::Lane { base, index } => {
                let base = Box::new(self.location(*base)?);
                let index = self.lane_index(*index)?;
                Ok(Location::Lane { base, index })
            }
            // `(a, b)`, `c ? a : b` and assignments are lvalues only as aggregate values.
            _ if is_aggregate(types, expr.ty.ty) => {
                let object = self.aggregate(id)?;
                Ok(self.memory(object, id, expr.ty.ty))
            }
            ExprKind::Cast(CastKind::Load, inner) => self.location(*inner),
            ExprKind::Comma(x, y) => {
                self.effects(*x)?;
                self.location(*y)
            }
            _ => Err(malformed("an lvalue of this kind")),
        }
    }

    /// A location in memory of a type that has values; aggregates keep the object only.
    fn memory(&self, object: ObjectRef, _id: ExprId, ty: crate::front::c::types::Ty) -> Location {
        let is_atomic = matches!(self.types().resolved(ty), TypeKind::Atomic(_));
        let value = value_type(self.types(), ty).unwrap_or(crate::ir::I8);
        Location::Memory(ObjectRef { is_atomic, ..object }, value)
    }

    /// Object that a variable's name designates.
    pub fn variable(&mut self, id: VarId) -> Result<Location> {
        let var = self.m.var(id)?;
        let ty = self.types().canonical(var.ty);
        if !matches!(var.storage, Storage::Static | Storage::Extern) {
            return Ok(match self.home(id)? {
                Home::Values(variable) => {
                    let value = value_type(self.types(), ty.ty).unwrap_or(I32);
                    Location::Variable(variable, value)
                }
                Home::Memory(object) => self.memory(object, ExprId(0), ty.ty),
            });
        }
        if let (TypeKind::Opaque(OpaqueType::Sampler), Some(init)) = (self.types().resolved(ty.ty), var.init)
        {
            return Ok(Location::Constant(self.value(init)?));
        }
        let align = align_of_variable(var, layout(self.types(), ty.ty).align);
        let global = self.m.global(id)?;
        let mut addr = self.global_address(global);
        if self.f.ty(addr) == Type::Ptr(Space::Local) && padding(align) != 0 {
            addr = self.aligned(addr, align, Self::emit);
        }
        let object = ObjectRef { is_volatile: ty.quals.is_volatile, ..ObjectRef::new(addr, align) };
        Ok(self.memory(object, ExprId(0), ty.ty))
    }

    /// The address of a variable of the module.
    pub fn global_address(&mut self, global: crate::ir::Global) -> Value {
        let space = self.m.module.globals[global].space;
        self.emit(Op::GlobalAddr(global), &[], Type::Ptr(space))
    }

    /// The number of a lane as an `i32`.
    pub fn lane_index(&mut self, index: ExprId) -> Result<Value> {
        let index = self.value(index)?;
        Ok(match self.f.ty(index) {
            I32 => index,
            ty if ty.scalar().is_some_and(|s| s.bits() > 32) => {
                self.emit(Op::Cast(CastOp::Trunc), &[index], I32)
            }
            _ => self.emit(Op::Cast(CastOp::Zext), &[index], I32),
        })
    }

    fn member(&mut self, base: ExprId, field: u32) -> Result<Location> {
        let types = self.types();
        let record = match types.resolved(self.expr(base)?.ty.ty) {
            TypeKind::Record(id) => types.records.get(id.0 as usize),
            _ => None,
        };
        let Some(record) = record else {
            return Err(malformed("a member of something that is not a record"));
        };
        let is_volatile = self.expr(base)?.ty.quals.is_volatile;
        let Location::Memory(mut object, _) = self.location(base)? else {
            return Err(malformed("a record that is not in memory"));
        };
        object.is_volatile |= is_volatile;
        object.is_atomic = false;
        self.field(object, record, field)
    }

    /// The member of a record in memory.
    pub fn field(&mut self, record_at: ObjectRef, record: &Record, field: u32) -> Result<Location> {
        let types = self.types();
        let Some(field) = record.fields.get(field as usize) else {
            return Err(malformed("a member that does not exist"));
        };
        let ty = types.canonical(field.ty);
        let mut object = self.part(record_at, field.offset);
        object.is_volatile |= ty.quals.is_volatile;
        let Some((first, width)) = field.bits else {
            return Ok(self.memory(object, ExprId(0), ty.ty));
        };
        let Some(value) = value_type(types, ty.ty) else {
            return Err(malformed("a bit-field that is not an integer"));
        };
        let is_signed = is_signed(types, ty.ty);
        let at = ObjectRef { is_volatile: object.is_volatile, ..record_at };
        let position = BitFieldPosition { offset: field.offset, first, width };
        Ok(Location::Bits(self.bit_field(at, record, position, value, is_signed)))
    }

    /// The address of an object in memory.
    pub fn object(&mut self, id: ExprId) -> Result<ObjectRef> {
        match self.location(id)? {
            Location::Memory(object, _) => Ok(object),
            Location::Lanes { base, lanes } => match (*base, lanes.as_slice()) {
                (Location::Memory(object, vector), [lane]) => Ok(self.lane_object(object, vector, *lane)),
                _ => Err(malformed("the address of several lanes")),
            },
            Location::Lane { base, index } => match *base {
                Location::Memory(object, vector) => {
                    let index = self.emit(Op::Cast(CastOp::Zext), &[index], crate::ir::I64);
                    let of = value_layout(vector.lane());
                    let addr = self.element(object.addr, index, of.size);
                    Ok(ObjectRef { addr, align: of.align, ..object })
                }
                _ => Err(malformed("the address of a variable in values")),
            },
            _ => Err(malformed("the address of a variable in values")),
        }
    }

    /// The address of an lvalue.
    pub fn address(&mut self, id: ExprId) -> Result<Value> {
        Ok(self.object(id)?.addr)
    }

    /// Reads a location.
    pub fn get(&mut self, location: &Location) -> Value {
        match location {
            Location::Variable(variable, _) => self.read(*variable),
            Location::Memory(object, ty) => self.load(*object, *ty),
            // The whole vector is read, as by clang: several lanes then share one load, and memory has one
            // element type.
            Location::Lanes { base, lanes } => {
                let vector = self.get(base);
                self.swizzle(vector, lanes)
            }
            Location::Lane { base, index } => {
                let vector = self.get(base);
                self.extract(vector, *index)
            }
            Location::Bits(field) => self.bits(*field),
            Location::Constant(value) => *value,
        }
    }

    /// Writes a location, and returns the value that it holds afterwards.
    pub fn set(&mut self, location: &Location, value: Value) -> Value {
        match location {
            Location::Variable(variable, _) => self.write(*variable, value),
            Location::Memory(object, _) => self.store(*object, value),
            Location::Lanes { base, lanes } => self.set_lanes(base, lanes, value),
            Location::Lane { base, index } => match &**base {
                Location::Memory(object, vector) => {
                    let index = self.emit(Op::Cast(CastOp::Zext), &[*index], crate::ir::I64);
                    let of = value_layout(vector.lane());
                    let addr = self.element(object.addr, index, of.size);
                    self.store(ObjectRef { addr, align: of.align, ..*object }, value);
                }
                _ => {
                    let vector = self.get(base);
                    let ty = self.f.ty(vector);
                    let changed = match self.f.as_bits(*index) {
                        Some(lane) if lane < u64::from(ty.lanes()) => {
                            self.emit(Op::Insert(lane as u8), &[vector, value], ty)
                        }
                        _ => self.emit(Op::InsertDyn, &[vector, value, *index], ty),
                    };
                    self.set(base, changed);
                }
            },
            Location::Bits(field) => return self.set_bits(*field, value),
            Location::Constant(_) => {}
        }
        value
    }

    /// Writes lanes of a vector. LaneList in memory are written alone: others may belong to other work-items.
    fn set_lanes(&mut self, base: &Location, lanes: &[u8], value: Value) {
        if let Location::Memory(object, vector) = base {
            for (i, lane) in (0u8..).zip(lanes) {
                let part = self.builder().extract(value, i);
                let at = self.lane_object(*object, *vector, *lane);
                self.store(at, part);
            }
            return;
        }
        let mut vector = self.get(base);
        let ty = self.f.ty(vector);
        for (i, lane) in (0u8..).zip(lanes) {
            let part = if lanes.len() == 1 { value } else { self.emit(Op::Extract(i), &[value], ty.lane()) };
            vector = if ty.lanes() == 1 { part } else { self.emit(Op::Insert(*lane), &[vector, part], ty) };
        }
        self.set(base, vector);
    }
}
