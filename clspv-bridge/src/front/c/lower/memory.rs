//! Loads, stores and copies of memory.

use super::function::FunctionLowering;
use super::object::ObjectRef;
use crate::front::c::layout::value_layout;
use crate::ir::{
    Access, CastOp, I8, I64, IntCc, Op, Opaque, Ordering, Root, Scalar, Scope, Space, Type, Value,
};

impl FunctionLowering<'_, '_> {
    /// Properties of an access to an object.
    pub fn access(&self, object: ObjectRef) -> Access {
        Access {
            align: object.align.clamp(1, 1 << 20),
            volatile: object.is_volatile,
            nontemporal: false,
            readonly: self.f.ty(object.addr) == Type::Ptr(Space::Constant),
            copied: false,
            root: Root::Ptr,
        }
    }

    /// Loads a value; truth values are bytes in memory.
    pub fn load(&mut self, object: ObjectRef, ty: Type) -> Value {
        let access = self.access(object);
        let op = if object.is_atomic {
            Op::AtomicLoad { access, scope: Scope::Device, order: Ordering::SeqCst }
        } else {
            Op::Load(access)
        };
        match ty {
            Type::Opaque(Opaque::Image | Opaque::Event) => {
                let undefined = self.f.undef(ty);
                self.unsupported("image in memory", &[], Some(ty)).unwrap_or(undefined)
            }
            ty if ty.is_bool() => {
                let bytes = ty.with_scalar(Scalar::I8);
                let loaded = self.emit(op, &[object.addr], bytes);
                let zero = self.zero(bytes);
                self.emit(Op::Icmp(IntCc::Ne), &[loaded, zero], ty)
            }
            // Atomics access floating-point numbers as integers of their size.
            Type::Scalar(scalar) if object.is_atomic && scalar.is_float() => {
                let bits = self.emit(op, &[object.addr], Type::Scalar(scalar.to_int()));
                self.reinterpret(bits, ty)
            }
            ty => self.emit(op, &[object.addr], ty),
        }
    }

    /// Stores a value.
    pub fn store(&mut self, object: ObjectRef, value: Value) {
        let access = self.access(object);
        let op = if object.is_atomic {
            Op::AtomicStore { access, scope: Scope::Device, order: Ordering::SeqCst }
        } else {
            Op::Store(access)
        };
        let value = match self.f.ty(value) {
            Type::Opaque(_) => {
                self.unsupported("image in memory", &[], None);
                return;
            }
            ty if ty.is_bool() => self.emit(Op::Cast(CastOp::Zext), &[value], ty.with_scalar(Scalar::I8)),
            Type::Scalar(scalar) if object.is_atomic && scalar.is_float() => {
                self.reinterpret(value, Type::Scalar(scalar.to_int()))
            }
            _ => value,
        };
        self.builder().inst(op, &[value, object.addr], &[]);
    }

    /// Copies an object's bytes.
    pub fn copy(&mut self, to: ObjectRef, from: ObjectRef, size: u64) {
        if size == 0 || to.addr == from.addr {
            return;
        }
        let op = Op::Memcpy { dst: self.access(to), src: self.access(from) };
        let size = self.f.bits(I64, size);
        self.builder().inst(op, &[to.addr, from.addr, size], &[]);
    }

    /// Sets an object's bytes to zero.
    pub fn clear(&mut self, object: ObjectRef, size: u64) {
        if size == 0 {
            return;
        }
        let op = Op::Memset(self.access(object));
        let (zero, size) = (self.f.bits(I8, 0), self.f.bits(I64, size));
        self.builder().inst(op, &[object.addr, zero, size], &[]);
    }

    /// The part of an object at a constant offset.
    pub fn part(&mut self, object: ObjectRef, offset: u64) -> ObjectRef {
        let addr = if offset == 0 {
            object.addr
        } else {
            let offset = self.f.bits(I64, offset);
            let ty = self.f.ty(object.addr);
            self.emit(Op::PtrAdd, &[object.addr, offset], ty)
        };
        ObjectRef { addr, align: super::types::align_at(object.align, offset), ..object }
    }

    /// The address `count` (an `i64`) elements of `size` bytes after a pointer.
    pub fn element(&mut self, pointer: Value, count: Value, size: u64) -> Value {
        let bytes = match size {
            1 => count,
            n if n.is_power_of_two() => {
                let by = self.f.bits(I64, u64::from(n.trailing_zeros()));
                self.emit(Op::Bin(crate::ir::BinOp::Shl), &[count, by], I64)
            }
            n => {
                let by = self.f.bits(I64, n);
                self.emit(Op::Bin(crate::ir::BinOp::Imul), &[count, by], I64)
            }
        };
        if self.f.as_bits(bytes) == Some(0) {
            return pointer;
        }
        let ty = self.f.ty(pointer);
        self.emit(Op::PtrAdd, &[pointer, bytes], ty)
    }

    /// A pointer converted to an address space.
    pub fn in_space(&mut self, pointer: Value, space: Space) -> Value {
        let ty = Type::Ptr(space);
        if self.f.ty(pointer) == ty { pointer } else { self.emit(Op::Cast(CastOp::PtrCast), &[pointer], ty) }
    }

    /// The address of an object in private memory with the contents of `object`: its own, or that of a copy.
    pub fn in_private(&mut self, object: ObjectRef, size: u64) -> crate::error::Result<Value> {
        if self.f.ty(object.addr) == Type::Ptr(Space::Private) {
            return Ok(object.addr);
        }
        let copy = ObjectRef::new(self.slot(size, object.align)?, object.align);
        self.copy(copy, object, size);
        Ok(copy.addr)
    }

    /// One lane of a vector in memory.
    pub fn lane_object(&mut self, object: ObjectRef, vector: Type, lane: u8) -> ObjectRef {
        let size = value_layout(vector.lane()).size;
        self.part(object, u64::from(lane).wrapping_mul(size))
    }
}
