//! Loads, stores, atomics, barriers and fences.
//!
//! A device address becomes a `PhysicalStorageBuffer` pointer of exactly the accessed type at each access; a
//! variable's element is reached by an access chain. Orders are what Vulkan allows: never
//! SequentiallyConsistent (`legalize_mem` has made such accesses acquire-release read-modify-writes), never
//! an order without a storage class.
//!
//! Data that groups exchange: under the Vulkan memory model accesses are non-private, and the orders make
//! memory available and visible. Without it buffers are `Coherent`, as GLSL's memory model requires.

use super::emit::Emitter;
use super::module::Id;
use crate::error::{CompileError, Result};
use crate::ir::{Access, FenceSpaces, Ordering, RmwOp, Root, Scalar, Scope, Type};
use spirv::{Capability, Decoration, MemoryAccess, MemorySemantics, Op, StorageClass};

/// A SPIR-V pointer for an access, with its storage class.
struct AccessPointer {
    id: Id,
    class: StorageClass,
}

impl Emitter<'_> {
    /// The pointer for an access of type `ty` at `address`.
    fn access_pointer(&mut self, access: &Access, ty: Type, address: Id) -> Result<AccessPointer> {
        match access.root {
            Root::Ptr => Err(CompileError::internal("emit: pointers must be lowered")),
            Root::Addr => {
                self.require_storage(ty)?;
                let pointee = self.m.ty(ty)?;
                let pointer_ty = self.m.pointer(StorageClass::PhysicalStorageBuffer, pointee);
                let pointer = self.m.id();
                // Without 64-bit integers an address is two words.
                let convert = if self.target.int64 { Op::ConvertUToPtr } else { Op::Bitcast };
                let property = match (access.readonly, self.coherent) {
                    (true, _) => Some(Decoration::NonWritable),
                    (false, true) => Some(Decoration::Coherent),
                    (false, false) => None,
                };
                if let Some(property) = property {
                    // Only a member of a structure can have the decoration.
                    let block = self.m.decorated_block(pointee, property);
                    let block_ty = self.m.pointer(StorageClass::PhysicalStorageBuffer, block);
                    let base = self.m.id();
                    self.code(convert, &[block_ty, base, address]);
                    let zero = self.m.u32(0)?;
                    self.code(Op::AccessChain, &[pointer_ty, pointer, base, zero]);
                } else {
                    self.code(convert, &[pointer_ty, pointer, address]);
                }
                Ok(AccessPointer { id: pointer, class: StorageClass::PhysicalStorageBuffer })
            }
            Root::Var(var) => {
                let Some(&info) = self.interface.vars.get(&var) else {
                    return Err(CompileError::internal(format!("emit: {var} does not exist")));
                };
                if info.elem != ty {
                    return Err(CompileError::internal(format!(
                        "emit: access of type {ty} in {var} of {}",
                        info.elem
                    )));
                }
                let pointee = self.m.ty(ty)?;
                let pointer_ty = self.m.pointer(info.class, pointee);
                let pointer = self.m.id();
                if info.in_block {
                    let zero = self.m.u32(0)?;
                    self.code(Op::AccessChain, &[pointer_ty, pointer, info.id, zero, address]);
                } else {
                    self.code(Op::AccessChain, &[pointer_ty, pointer, info.id, address]);
                }
                Ok(AccessPointer { id: pointer, class: info.class })
            }
        }
    }

    /// Memory operands of a load or store.
    fn memory_operands(&self, access: &Access, class: StorageClass) -> Vec<u32> {
        let mut mask = MemoryAccess::NONE;
        let is_shared = match access.root {
            Root::Var(v) => self.interface.vars.get(&v).is_some_and(|info| info.is_shared),
            _ => false,
        };
        if access.volatile || is_shared {
            mask |= MemoryAccess::VOLATILE;
        }
        if access.nontemporal {
            mask |= MemoryAccess::NONTEMPORAL;
        }
        // Read-only memory needs no order.
        if self.vulkan_memory && class != StorageClass::Function && !access.readonly {
            mask |= MemoryAccess::NON_PRIVATE_POINTER;
        }
        if class == StorageClass::PhysicalStorageBuffer {
            return vec![(mask | MemoryAccess::ALIGNED).bits(), access.align];
        }
        if mask.is_empty() { Vec::new() } else { vec![mask.bits()] }
    }

    pub(super) fn emit_load(&mut self, access: &Access, ty: Type, address: Id) -> Result<Id> {
        let pointer = self.access_pointer(access, ty, address)?;
        let mut words = vec![pointer.id];
        words.extend(self.memory_operands(access, pointer.class));
        self.op(Op::Load, ty, &words)
    }

    pub(super) fn emit_store(&mut self, access: &Access, ty: Type, value: Id, address: Id) -> Result<()> {
        let pointer = self.access_pointer(access, ty, address)?;
        let mut words = vec![pointer.id, value];
        words.extend(self.memory_operands(access, pointer.class));
        self.code(Op::Store, &words);
        Ok(())
    }

    /// The integer type that an atomic access through an address uses: bits move, so floats need no feature.
    fn atomic_int(&self, access: &Access, ty: Type) -> Type {
        match ty {
            Type::Scalar(s) if s.is_float() && access.root == Root::Addr => Type::Scalar(s.to_int()),
            other => other,
        }
    }

    /// Declares the capabilities of an atomic access of this type.
    fn require_atomic(&mut self, ty: Type, class: StorageClass) -> Result<()> {
        match ty {
            Type::Scalar(Scalar::I32) => Ok(()),
            Type::Scalar(Scalar::I64) => {
                let t = self.target;
                let has = if class == StorageClass::Workgroup {
                    t.shared_int64_atomics
                } else {
                    t.buffer_int64_atomics
                };
                self.m.require(Capability::Int64Atomics, has, "64-bit atomic operations")
            }
            other => self.unsupported(format!("atomic operations on {other}")),
        }
    }

    /// Declares the capabilities of floating-point atomics: additions (`add`) or minima and maxima.
    fn require_float_atomic(&mut self, add: bool, ty: Type, class: StorageClass) -> Result<()> {
        let t = self.target;
        let has =
            if class == StorageClass::Workgroup { t.shared_float_atomics } else { t.buffer_float_atomics };
        let bits = ty.scalar().map_or(0, Scalar::bits);
        let capability = match (add, bits) {
            (true, 16) => Capability::AtomicFloat16AddEXT,
            (true, 32) => Capability::AtomicFloat32AddEXT,
            (true, _) => Capability::AtomicFloat64AddEXT,
            (false, 16) => Capability::AtomicFloat16MinMaxEXT,
            (false, 32) => Capability::AtomicFloat32MinMaxEXT,
            (false, _) => Capability::AtomicFloat64MinMaxEXT,
        };
        self.m.require(capability, has.has(add, bits), "atomic operations on floating-point numbers")?;
        self.m.extension(match (add, bits) {
            (true, 16) => "SPV_EXT_shader_atomic_float16_add",
            (true, _) => "SPV_EXT_shader_atomic_float_add",
            (false, _) => "SPV_EXT_shader_atomic_float_min_max",
        });
        Ok(())
    }

    fn check_atomic_class(&self, class: StorageClass) -> Result<()> {
        if class == StorageClass::Function {
            self.unsupported("atomic operations on private memory")
        } else {
            Ok(())
        }
    }

    /// Scope and semantics ids of an atomic access.
    fn atomic_operands(&mut self, scope: Scope, order: Ordering, class: StorageClass) -> Result<[Id; 2]> {
        let spaces = match class {
            StorageClass::Workgroup => MemorySemantics::WORKGROUP_MEMORY,
            _ => MemorySemantics::UNIFORM_MEMORY,
        };
        let (scope, order) = match self.unblocked(scope) {
            _ if order == Ordering::Relaxed => (scope, order),
            Some(scope) => (scope, order),
            None => (scope, Ordering::Relaxed),
        };
        let semantics = self.semantics(order, spaces);
        // Without an order the scope only says which work-items may access the object, and a wider one is
        // correct. Some producers write the work-group for accesses of all groups.
        let scope = match (order, class) {
            (Ordering::Relaxed, StorageClass::Workgroup) => Scope::WorkGroup,
            (Ordering::Relaxed, _) => Scope::Device,
            _ => scope,
        };
        Ok([self.scope(scope)?, self.m.u32(semantics)?])
    }

    fn semantics(&self, order: Ordering, spaces: MemorySemantics) -> u32 {
        let mut s = match order {
            Ordering::Relaxed => return 0,
            Ordering::Acquire => MemorySemantics::ACQUIRE,
            Ordering::Release => MemorySemantics::RELEASE,
            Ordering::AcqRel | Ordering::SeqCst => MemorySemantics::ACQUIRE_RELEASE,
        };
        if self.vulkan_memory {
            if order != Ordering::Release {
                s |= MemorySemantics::MAKE_VISIBLE;
            }
            if order != Ordering::Acquire {
                s |= MemorySemantics::MAKE_AVAILABLE;
            }
        }
        (s | spaces).bits()
    }

    /// The scope of a fence or ordered atomic, which orders memory only. One driver treats these as execution
    /// barriers, except at the scope of the queue family. Where that scope is not available, no order is the
    /// better choice: that driver runs on the host's processors, whose atomics are ordered.
    fn unblocked(&self, scope: Scope) -> Option<Scope> {
        match self.vulkan.fences_block {
            false => Some(scope),
            true if self.vulkan_memory => Some(Scope::Device),
            true => None,
        }
    }

    /// Vulkan has no scope beyond the device. Under the Vulkan memory model the queue family represents it,
    /// because device scope is a separate feature.
    fn scope(&mut self, scope: Scope) -> Result<Id> {
        let scope = match scope {
            Scope::SubGroup => spirv::Scope::Subgroup,
            Scope::WorkItem | Scope::WorkGroup => spirv::Scope::Workgroup,
            Scope::Device | Scope::AllDevices if self.vulkan_memory => spirv::Scope::QueueFamily,
            Scope::Device | Scope::AllDevices => spirv::Scope::Device,
        };
        self.m.u32(scope as u32)
    }

    pub(super) fn emit_rmw(
        &mut self,
        op: RmwOp,
        access: &Access,
        scope: Scope,
        order: Ordering,
        ty: Type,
        args: &[Id],
    ) -> Result<Id> {
        let float_op = matches!(op, RmwOp::Fadd | RmwOp::Fmin | RmwOp::Fmax);
        let int = if float_op { ty } else { self.atomic_int(access, ty) };
        let pointer = self.access_pointer(access, int, args[0])?;
        self.check_atomic_class(pointer.class)?;
        if float_op {
            self.require_float_atomic(op == RmwOp::Fadd, ty, pointer.class)?;
        } else {
            self.require_atomic(int, pointer.class)?;
        }
        let value = if int == ty { args[1] } else { self.op(Op::Bitcast, int, &[args[1]])? };
        let [scope, semantics] = self.atomic_operands(scope, order, pointer.class)?;
        let op = match op {
            RmwOp::Add => Op::AtomicIAdd,
            RmwOp::Sub => Op::AtomicISub,
            RmwOp::And => Op::AtomicAnd,
            RmwOp::Or => Op::AtomicOr,
            RmwOp::Xor => Op::AtomicXor,
            RmwOp::Xchg => Op::AtomicExchange,
            RmwOp::Umin => Op::AtomicUMin,
            RmwOp::Umax => Op::AtomicUMax,
            RmwOp::Smin => Op::AtomicSMin,
            RmwOp::Smax => Op::AtomicSMax,
            RmwOp::Fadd => Op::AtomicFAddEXT,
            RmwOp::Fmin => Op::AtomicFMinEXT,
            RmwOp::Fmax => Op::AtomicFMaxEXT,
        };
        let old = self.op(op, int, &[pointer.id, scope, semantics, value])?;
        if int == ty { Ok(old) } else { self.op(Op::Bitcast, ty, &[old]) }
    }

    pub(super) fn emit_cas(
        &mut self,
        access: &Access,
        scope: Scope,
        orders: (Ordering, Ordering),
        ty: Type,
        args: &[Id],
    ) -> Result<Id> {
        let int = self.atomic_int(access, ty);
        let pointer = self.access_pointer(access, int, args[0])?;
        self.check_atomic_class(pointer.class)?;
        self.require_atomic(int, pointer.class)?;
        let (mut expected, mut desired) = (args[1], args[2]);
        if int != ty {
            expected = self.op(Op::Bitcast, int, &[expected])?;
            desired = self.op(Op::Bitcast, int, &[desired])?;
        }
        // The failure order has no release part and is not stronger than the success order.
        let (success, failure) = match orders {
            (success, _) if self.unblocked(scope).is_none() => (success, Ordering::Relaxed),
            (success, Ordering::Relaxed | Ordering::Release) => (success, Ordering::Relaxed),
            (Ordering::Relaxed, _) => (Ordering::Acquire, Ordering::Acquire),
            (Ordering::Release, _) => (Ordering::AcqRel, Ordering::Acquire),
            (success, _) => (success, Ordering::Acquire),
        };
        let [scope, equal] = self.atomic_operands(scope, success, pointer.class)?;
        let unequal = match pointer.class {
            StorageClass::Workgroup => self.semantics(failure, MemorySemantics::WORKGROUP_MEMORY),
            _ => self.semantics(failure, MemorySemantics::UNIFORM_MEMORY),
        };
        let unequal = self.m.u32(unequal)?;
        let old =
            self.op(Op::AtomicCompareExchange, int, &[pointer.id, scope, equal, unequal, desired, expected])?;
        if int == ty { Ok(old) } else { self.op(Op::Bitcast, ty, &[old]) }
    }

    pub(super) fn emit_atomic_load(
        &mut self,
        access: &Access,
        scope: Scope,
        order: Ordering,
        ty: Type,
        address: Id,
    ) -> Result<Id> {
        let int = self.atomic_int(access, ty);
        let pointer = self.access_pointer(access, int, address)?;
        self.check_atomic_class(pointer.class)?;
        self.require_atomic(int, pointer.class)?;
        let order = match order {
            Ordering::Relaxed | Ordering::Release => Ordering::Relaxed,
            _ => Ordering::Acquire,
        };
        let [scope, semantics] = self.atomic_operands(scope, order, pointer.class)?;
        let value = self.op(Op::AtomicLoad, int, &[pointer.id, scope, semantics])?;
        if int == ty { Ok(value) } else { self.op(Op::Bitcast, ty, &[value]) }
    }

    pub(super) fn emit_atomic_store(
        &mut self,
        access: &Access,
        scope: Scope,
        order: Ordering,
        ty: Type,
        args: &[Id],
    ) -> Result<()> {
        let int = self.atomic_int(access, ty);
        let value = if int == ty { args[0] } else { self.op(Op::Bitcast, int, &[args[0]])? };
        let pointer = self.access_pointer(access, int, args[1])?;
        self.check_atomic_class(pointer.class)?;
        self.require_atomic(int, pointer.class)?;
        let order = match order {
            Ordering::Relaxed | Ordering::Acquire => Ordering::Relaxed,
            _ => Ordering::Release,
        };
        let [scope, semantics] = self.atomic_operands(scope, order, pointer.class)?;
        self.code(Op::AtomicStore, &[pointer.id, scope, semantics, value]);
        Ok(())
    }

    fn space_semantics(spaces: FenceSpaces) -> MemorySemantics {
        let mut s = MemorySemantics::empty();
        if spaces.local {
            s |= MemorySemantics::WORKGROUP_MEMORY;
        }
        if spaces.global {
            s |= MemorySemantics::UNIFORM_MEMORY;
        }
        if spaces.image {
            s |= MemorySemantics::IMAGE_MEMORY;
        }
        s
    }

    pub(super) fn emit_barrier(
        &mut self,
        exec: Scope,
        memory: Scope,
        order: Ordering,
        spaces: FenceSpaces,
    ) -> Result<()> {
        // Execution scopes are the workgroup and the sub-group.
        let exec = if exec == Scope::SubGroup { Scope::SubGroup } else { Scope::WorkGroup };
        let spaces = Self::space_semantics(spaces);
        let order = match order {
            // A barrier both releases earlier writes and acquires those of others.
            Ordering::Relaxed => Ordering::Relaxed,
            _ => Ordering::AcqRel,
        };
        let semantics = if spaces.is_empty() { 0 } else { self.semantics(order, spaces) };
        let words = [self.scope(exec)?, self.scope(memory)?, self.m.u32(semantics)?];
        self.code(Op::ControlBarrier, &words);
        Ok(())
    }

    pub(super) fn emit_fence(&mut self, scope: Scope, order: Ordering, spaces: FenceSpaces) -> Result<()> {
        let spaces = Self::space_semantics(spaces);
        // Within one work-item program order suffices; a relaxed fence orders nothing.
        if scope == Scope::WorkItem || order == Ordering::Relaxed || spaces.is_empty() {
            return Ok(());
        }
        let Some(scope) = self.unblocked(scope) else { return Ok(()) };
        let semantics = self.semantics(order, spaces);
        let words = [self.scope(scope)?, self.m.u32(semantics)?];
        self.code(Op::MemoryBarrier, &words);
        Ok(())
    }
}
