//! Memory instructions: variables, loads, stores, copies, address arithmetic, built-in variables.
//!
//! A pointee type is used once, where the instruction that has it is read: for sizes, leaves and the default
//! alignment. Pointer values have no pointee.

use super::func::{FuncReader, Vals};
use super::read::Instr;
use super::types::{Leaf, SpirvTypeKind, layout, space_of};
use crate::error::Result;
use crate::ir::{
    Access, BinOp, CastOp, I1, I8, I32, I64, IntCc, Op as IrOp, Root, Scalar, Space, Type, Value,
    WorkItemQuery,
};
use smallvec::smallvec;
use spirv::{BuiltIn, MemoryAccess, Op, StorageClass};

/// Flags of a memory-access operand.
#[derive(Clone, Copy, Default)]
pub struct MemFlags {
    pub volatile: bool,
    pub nontemporal: bool,
    /// Whether the access is part of a copy.
    pub copied: bool,
    /// The alignment that the operand states.
    pub align: Option<u32>,
}

/// Most leaf accesses that a copy is split into.
const MAX_COPY_LEAVES: usize = 16;

/// Reads the optional memory-access operand that starts at operand `i`.
fn mem_flags(inst: &Instr<'_>, i: usize) -> Result<MemFlags> {
    Ok(mem_operand(inst, i)?.0)
}

/// Reads the optional memory-access operand that starts at operand `i`, and returns it with the index of the
/// next operand.
fn mem_operand(inst: &Instr<'_>, i: usize) -> Result<(MemFlags, usize)> {
    let Some(&word) = inst.ops.get(i) else {
        return Ok((MemFlags::default(), i));
    };
    let mask = MemoryAccess::from_bits_retain(word);
    let mut flags = MemFlags {
        volatile: mask.contains(MemoryAccess::VOLATILE),
        nontemporal: mask.contains(MemoryAccess::NONTEMPORAL),
        copied: false,
        align: None,
    };
    if mask.contains(MemoryAccess::ALIGNED) {
        let align = inst.word(i + 1)?;
        if !align.is_power_of_two() {
            return Err(inst.bad("an alignment that is not a power of two"));
        }
        flags.align = Some(align);
    }
    // Each of these takes one more word; scopes and alias lists change nothing here.
    let with_word = MemoryAccess::ALIGNED
        | MemoryAccess::MAKE_POINTER_AVAILABLE
        | MemoryAccess::MAKE_POINTER_VISIBLE
        | MemoryAccess::ALIAS_SCOPE_INTEL_MASK
        | MemoryAccess::NO_ALIAS_INTEL_MASK;
    Ok((flags, i + 1 + (mask & with_word).bits().count_ones() as usize))
}

/// Reads the memory-access operands of a copy: one for both sides, or one for the target and one for the
/// source, of which the common flags are kept. `natural` is the alignment of a side that states none.
fn copy_flags(inst: &Instr<'_>, i: usize, natural: u32) -> Result<MemFlags> {
    let (to, next) = mem_operand(inst, i)?;
    if next >= inst.ops.len() {
        return Ok(to);
    }
    let from = mem_flags(inst, next)?;
    Ok(MemFlags {
        volatile: to.volatile || from.volatile,
        nontemporal: to.nontemporal && from.nontemporal,
        copied: false,
        align: Some(to.align.unwrap_or(natural).min(from.align.unwrap_or(natural))),
    })
}

/// Alignment of a piece at `offset` in something aligned to `align`.
fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(30)) }
}

impl FuncReader<'_, '_, '_> {
    /// Reads a memory instruction; returns false for other instructions.
    pub fn memory_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        match inst.op {
            Op::Variable => self.variable(inst)?,
            Op::Load => self.load(inst)?,
            Op::Store => self.store(inst)?,
            Op::CopyMemory => self.copy_memory(inst)?,
            Op::CopyMemorySized => self.copy_sized(inst)?,
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(inst, false)?,
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.access_chain(inst, true)?,
            Op::PtrEqual | Op::PtrNotEqual => {
                let (a, b) = (self.ptr_arg(2, inst)?, self.ptr_arg(3, inst)?);
                let (a, b) = self.common_space(a, b);
                let cc = if inst.op == Op::PtrEqual { IntCc::Eq } else { IntCc::Ne };
                let v = self.b().value(IrOp::Icmp(cc), &[a, b], I1);
                self.define(inst, v)?;
            }
            Op::SizeOf => {
                let (_, pointee) = self.r.types.pointer(self.type_of(inst.word(2)?, inst)?, inst)?;
                let size = self.r.types.need(pointee, inst)?.size;
                let ty = self.result_type(inst)?;
                if !ty.is_int() || ty.lanes() != 1 {
                    return Err(inst.bad("a size that is not an integer"));
                }
                let v = self.f.bits(ty, size);
                self.define(inst, v)?;
            }
            Op::PtrDiff => {
                let (a, b) = (self.ptr_arg(2, inst)?, self.ptr_arg(3, inst)?);
                let (_, pointee) = self.r.types.pointer(self.type_of(inst.word(2)?, inst)?, inst)?;
                let size = self.r.types.need(pointee, inst)?.size.max(1) as i64;
                let result = self.result_type(inst)?;
                let mut bld = self.b();
                let (a, b) = (bld.cast(CastOp::PtrToInt, a, I64), bld.cast(CastOp::PtrToInt, b, I64));
                let mut d = bld.isub(a, b);
                if size > 1 {
                    let n = bld.i64(size);
                    d = bld.bin(BinOp::Sdiv, d, n);
                }
                let d = if result == I64 { d } else { bld.cast(CastOp::Trunc, d, result) };
                self.define(inst, d)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn variable(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (storage, pointee) = self.r.types.pointer(inst.word(0)?, inst)?;
        if space_of(storage) != Some(Space::Private) {
            return Err(inst.bad(format_args!("variable in storage class {storage:?} in a function")));
        }
        let info = self.r.types.need(pointee, inst)?;
        let (size, natural, info_kind) = (info.size, info.align, info.kind.clone());
        let align = self.r.meta.of(inst.word(1)?).align.unwrap_or(natural);
        let p = self.new_slot(size, align, inst)?;
        if matches!(info_kind, SpirvTypeKind::Image { .. } | SpirvTypeKind::SampledImage(_)) {
            let init = inst.ops.get(3).map(|&init| self.leaves(init, inst)).transpose()?;
            self.image_vars.insert(inst.word(1)?, init);
        } else if let Some(&init) = inst.ops.get(3) {
            let (ty, vals) = self.typed(init, inst)?;
            let leaves = self.r.types.leaves(ty, inst)?;
            self.store_leaves(p, &vals, &leaves, align, MemFlags::default());
        }
        self.define(inst, p)
    }

    fn load(&mut self, inst: &Instr<'_>) -> Result<()> {
        let ptr = inst.word(2)?;
        if let Some((builtin, _, component)) = self.builtin_ptrs.get(&ptr).copied() {
            return self.load_builtin(inst, builtin, component);
        }
        if let Some(Some(image)) = self.image_vars.get(&ptr) {
            let image = image.clone();
            return self.define_all(inst, image);
        }
        let p = self.ptr_arg(2, inst)?;
        let flags = mem_flags(inst, 3)?;
        let ty = inst.word(0)?;
        let leaves = self.r.types.leaves(ty, inst)?;
        let align = flags.align.unwrap_or(self.r.types.need(ty, inst)?.align);
        let vals = self.load_leaves(p, &leaves, align, flags);
        self.define_all(inst, vals)
    }

    fn store(&mut self, inst: &Instr<'_>) -> Result<()> {
        let p = self.ptr_arg(0, inst)?;
        if self.image_vars.contains_key(&inst.word(0)?) {
            return self.store_image(inst);
        }
        let flags = mem_flags(inst, 2)?;
        let (ty, vals) = self.typed(inst.word(1)?, inst)?;
        let leaves = self.r.types.leaves(ty, inst)?;
        let align = flags.align.unwrap_or(self.r.types.need(ty, inst)?.align);
        self.store_leaves(p, &vals, &leaves, align, flags);
        Ok(())
    }

    /// Stores an image in a variable. A variable holds one image, since OpenCL C cannot assign images:
    /// unoptimised code keeps the arguments of inlined functions in such variables.
    fn store_image(&mut self, inst: &Instr<'_>) -> Result<()> {
        let image = self.leaves(inst.word(1)?, inst)?;
        if let Some(var) = self.image_vars.get_mut(&inst.word(0)?)
            && var.as_ref().is_none_or(|old| *old == image)
        {
            *var = Some(image);
            return Ok(());
        }
        self.unsupported("variable that holds several images", inst)
    }

    fn access(&mut self, ptr: Value, align: u32, flags: MemFlags) -> Access {
        self.raise_slot(ptr, align);
        Access {
            align: align.clamp(1, 1 << 20),
            volatile: flags.volatile,
            nontemporal: flags.nontemporal,
            readonly: self.f.ty(ptr) == Type::Ptr(Space::Constant),
            copied: flags.copied,
            root: Root::Ptr,
        }
    }

    /// Loads each leaf of the object at `p`.
    pub fn load_leaves(&mut self, p: Value, leaves: &[Leaf], align: u32, flags: MemFlags) -> Vals {
        leaves
            .iter()
            .map(|l| {
                let at = self.b().ptr_add_const(p, l.offset as i64);
                self.load_leaf(at, l.ty, align_at(align, l.offset), flags)
            })
            .collect()
    }
    /// Stores each leaf into the object at `p`.
    pub fn store_leaves(&mut self, p: Value, vals: &[Value], leaves: &[Leaf], align: u32, flags: MemFlags) {
        for (v, l) in vals.iter().zip(leaves) {
            let at = self.b().ptr_add_const(p, l.offset as i64);
            self.store_leaf(*v, at, align_at(align, l.offset), flags);
        }
    }
    /// Loads a scalar, vector or pointer; truth values are bytes in memory.
    pub fn load_leaf(&mut self, at: Value, ty: Type, align: u32, flags: MemFlags) -> Value {
        let access = self.access(at, align, flags);
        match ty {
            Type::Opaque(_) => self.unsupported_call("image or sampler in memory", &[], &[ty])[0],
            ty if ty.scalar() == Some(Scalar::I1) => {
                let mut b = self.b();
                let bytes = b.load(ty.with_scalar(Scalar::I8), at, access);
                let zero = b.func.bits(ty.with_scalar(Scalar::I8), 0);
                b.icmp(IntCc::Ne, bytes, zero)
            }
            ty => self.b().load(ty, at, access),
        }
    }
    /// Stores a scalar, vector or pointer.
    pub fn store_leaf(&mut self, v: Value, at: Value, align: u32, flags: MemFlags) {
        let access = self.access(at, align, flags);
        match self.f.ty(v) {
            Type::Opaque(_) => {
                self.unsupported_call("image or sampler in memory", &[], &[]);
            }
            ty if ty.scalar() == Some(Scalar::I1) => {
                let mut b = self.b();
                let bytes = b.cast(CastOp::Zext, v, ty.with_scalar(Scalar::I8));
                b.store(bytes, at, access);
            }
            _ => {
                self.b().store(v, at, access);
            }
        }
    }

    /// OpCopyMemory: the objects have one type.
    fn copy_memory(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (dst, src) = (self.ptr_arg(0, inst)?, self.ptr_arg(1, inst)?);
        let (_, pointee) = self.r.types.pointer(self.type_of(inst.word(1)?, inst)?, inst)?;
        let info = self.r.types.need(pointee, inst)?;
        let flags = copy_flags(inst, 2, info.align)?;
        let (size, align) = (info.size, flags.align.unwrap_or(info.align));
        self.copy_bytes(dst, src, size, align, flags);
        Ok(())
    }

    /// OpCopyMemorySized: a memset is a copy from a constant.
    fn copy_sized(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (dst, src) = (self.ptr_arg(0, inst)?, self.ptr_arg(1, inst)?);
        let size = self.int_arg(2, inst)?;
        let flags = copy_flags(inst, 3, 1)?;
        let align = flags.align.unwrap_or(1);
        if let Some(byte) = self.uniform_byte(src) {
            let access = self.access(dst, align, flags);
            let byte = self.f.bits(I8, byte as u64);
            let size = self.index64(size, inst)?;
            self.b().inst(IrOp::Memset(access), &[dst, byte, size], &[]);
            return Ok(());
        }
        if let Some(n) = self.f.as_bits(size) {
            self.copy_bytes(dst, src, n, align, flags);
            return Ok(());
        }
        let size = self.index64(size, inst)?;
        let (to, from) = (self.access(dst, align, flags), self.access(src, align, flags));
        self.b().inst(IrOp::Memcpy { dst: to, src: from }, &[dst, src, size], &[]);
        Ok(())
    }

    pub(super) fn copy_bytes(&mut self, dst: Value, src: Value, size: u64, align: u32, flags: MemFlags) {
        let word = align.clamp(1, 4) as u64;
        if size.div_ceil(word) <= MAX_COPY_LEAVES as u64 {
            let mut pieces = Vec::new();
            let mut at = 0;
            while at < size {
                let step = word.min(1 << (size - at).ilog2());
                let scalar = Scalar::int(step as u32 * 8).unwrap_or(Scalar::I8);
                pieces.push(Leaf { ty: Type::Scalar(scalar), offset: at });
                at += scalar.bytes() as u64;
            }
            let vals = self.load_leaves(src, &pieces, align, MemFlags { copied: true, ..flags });
            self.store_leaves(dst, &vals, &pieces, align, flags);
            return;
        }
        let (to, from) = (self.access(dst, align, flags), self.access(src, align, flags));
        let n = self.f.i64(size as i64);
        self.b().inst(IrOp::Memcpy { dst: to, src: from }, &[dst, src, n], &[]);
    }

    /// The byte that fills the constant at `p`.
    fn uniform_byte(&self, p: Value) -> Option<u8> {
        let IrOp::GlobalAddr(global) = self.f.def_op(p)? else { return None };
        let data = self.r.module.globals.get(*global)?;
        if data.space != Space::Constant
            || !data.relocs.is_empty()
            || data.linkage == crate::ir::Linkage::Import
        {
            return None;
        }
        match &data.init {
            None => Some(0),
            Some(bytes) => bytes.first().copied().filter(|b| bytes.iter().all(|x| x == b)),
        }
    }

    /// OpAccessChain and friends: a byte offset of constants and scaled indices.
    fn access_chain(&mut self, inst: &Instr<'_>, ptr: bool) -> Result<()> {
        let base_id = inst.word(2)?;
        let indices = inst.rest(3);
        if let Some((builtin, pointee, component)) = self.builtin_ptrs.get(&base_id).copied() {
            return self.builtin_chain(inst, builtin, pointee, component, ptr);
        }
        let base = self.ptr_arg(2, inst)?;
        let (_, mut ty) = self.r.types.pointer(self.type_of(base_id, inst)?, inst)?;
        let mut offset = 0i64;
        let mut at = base;
        let mut first = ptr;
        for id in indices {
            let constant = self.r.const_int(*id);
            let size;
            if std::mem::take(&mut first) {
                size = self.r.types.need(ty, inst)?.size;
            } else {
                match self.r.types.need(ty, inst)?.kind.clone() {
                    SpirvTypeKind::Array { elem, .. } => {
                        size = self.r.types.need(elem, inst)?.size;
                        ty = elem;
                    }
                    SpirvTypeKind::Struct { .. } => {
                        let Some(index) = constant else {
                            return Err(inst.bad("the index of a structure is not a constant"));
                        };
                        let (member, o, _) = self.r.types.member(ty, index as u64, inst)?;
                        offset = offset.wrapping_add(o as i64);
                        ty = member;
                        continue;
                    }
                    SpirvTypeKind::Plain(t @ Type::Vector(..)) => size = layout(t.lane()).0,
                    _ => return Err(inst.bad("index into a type that is not an aggregate")),
                }
            }
            if let Some(index) = constant {
                offset = offset.wrapping_add(index.wrapping_mul(size as i64));
                continue;
            }
            let index = self.one(*id, inst)?;
            let index = self.index64(index, inst)?;
            let mut b = self.b();
            let bytes = match size {
                1 => index,
                n if n.is_power_of_two() => {
                    let by = b.i64(n.trailing_zeros() as i64);
                    b.shl(index, by)
                }
                n => {
                    let by = b.i64(n as i64);
                    b.imul(index, by)
                }
            };
            at = b.ptr_add(at, bytes);
        }
        at = self.b().ptr_add_const(at, offset);
        let Some(space) = self.result_type(inst)?.space() else {
            return Err(inst.bad("an access chain must give a pointer"));
        };
        let at = self.in_space(at, space);
        self.define(inst, at)
    }

    fn builtin_chain(
        &mut self,
        inst: &Instr<'_>,
        builtin: BuiltIn,
        pointee: u32,
        component: Option<u32>,
        ptr: bool,
    ) -> Result<()> {
        let base = self.type_of_builtin(pointee);
        let result = inst.word(0)?;
        let (storage, to) = self.r.types.pointer(result, inst)?;
        if !matches!(storage, StorageClass::Input | StorageClass::Function | StorageClass::Generic) {
            return Err(inst.bad("address of a built-in variable in another storage class"));
        }
        let mut bytes = component.unwrap_or(0) as i64 * 8;
        let mut first = ptr;
        for id in inst.rest(3) {
            let Some(index) = self.r.const_int(*id) else {
                return self.unsupported("variable index into a built-in variable", inst);
            };
            let step = if std::mem::take(&mut first) { base } else { 8 };
            bytes = bytes.wrapping_add(index.wrapping_mul(step));
        }
        if !(0..24).contains(&bytes) || bytes % 8 != 0 {
            return Err(inst.bad("index out of the range of a built-in variable"));
        }
        let component = Some((bytes / 8) as u32);
        self.builtin_ptrs.insert(inst.word(1)?, (builtin, to, component));
        Ok(())
    }
    fn type_of_builtin(&self, pointee: u32) -> i64 {
        self.r.types.get(pointee).map_or(8, |t| t.size as i64)
    }

    /// Loads a built-in variable (or one component of it).
    fn load_builtin(&mut self, inst: &Instr<'_>, builtin: BuiltIn, component: Option<u32>) -> Result<()> {
        use WorkItemQuery as Q;
        if let Some(mask) = super::groups::lane_mask(builtin) {
            let ty = Type::Vector(Scalar::I32, 4);
            let op = IrOp::Group { scope: crate::ir::Scope::SubGroup, op: crate::ir::GroupOp::Mask(mask) };
            let v = self.b().value(op, &[], ty);
            let v = match component {
                Some(lane) if lane < 4 => self.b().extract(v, lane as u8),
                _ => v,
            };
            return self.define_all(inst, smallvec![v]);
        }
        let (query, three) = match builtin {
            BuiltIn::GlobalInvocationId => (Q::GlobalId, true),
            BuiltIn::LocalInvocationId => (Q::LocalId, true),
            BuiltIn::WorkgroupId => (Q::GroupId, true),
            BuiltIn::GlobalSize => (Q::GlobalSize, true),
            BuiltIn::WorkgroupSize => (Q::LocalSize, true),
            BuiltIn::EnqueuedWorkgroupSize => (Q::EnqueuedLocalSize, true),
            BuiltIn::NumWorkgroups => (Q::NumGroups, true),
            BuiltIn::GlobalOffset => (Q::GlobalOffset, true),
            BuiltIn::WorkDim => (Q::WorkDim, false),
            BuiltIn::GlobalLinearId => (Q::GlobalLinearId, false),
            BuiltIn::LocalInvocationIndex => (Q::LocalLinearId, false),
            BuiltIn::SubgroupSize => (Q::SubGroupSize, false),
            BuiltIn::SubgroupMaxSize => (Q::SubGroupMaxSize, false),
            BuiltIn::NumSubgroups => (Q::NumSubGroups, false),
            BuiltIn::NumEnqueuedSubgroups => (Q::EnqueuedNumSubGroups, false),
            BuiltIn::SubgroupId => (Q::SubGroupId, false),
            BuiltIn::SubgroupLocalInvocationId => (Q::SubGroupLocalId, false),
            other => return self.unsupported(&format!("built-in variable {other:?}"), inst),
        };
        let ty = self.result_type(inst)?;
        let Some(lane) = ty.scalar().filter(|s| s.is_int()) else {
            return Err(inst.bad("built-in variable of this type"));
        };
        let native = match query {
            Q::WorkDim
            | Q::SubGroupSize
            | Q::SubGroupMaxSize
            | Q::NumSubGroups
            | Q::EnqueuedNumSubGroups
            | Q::SubGroupId
            | Q::SubGroupLocalId => I32,
            _ => I64,
        };
        let lanes = ty.lanes();
        if lanes > 3 || (lanes > 1 && !three) {
            return Err(inst.bad("built-in variable of this type"));
        }
        let first = component.unwrap_or(0);
        let mut vals = Vec::new();
        for dim in first..first + lanes {
            let dim = if three { dim as u8 } else { 0 };
            if dim > 2 {
                return Err(inst.bad("index out of the range of a built-in variable"));
            }
            let mut b = self.b();
            let v = b.value(IrOp::WorkItem { query, dim }, &[], native);
            let want = Type::Scalar(lane);
            vals.push(match (native, lane) {
                (n, _) if n == want => v,
                (I32, Scalar::I64) => b.cast(CastOp::Zext, v, want),
                _ => b.cast(CastOp::Trunc, v, want),
            });
        }
        let v = self.b().vec_build(&vals);
        if lanes == 3 {
            // OpenCL C, section 6.15.1: the results of functions for other dimensions.
            let is_size = matches!(query, Q::GlobalSize | Q::LocalSize | Q::EnqueuedLocalSize | Q::NumGroups);
            self.builtin_vectors.insert(v, i64::from(is_size));
        }
        self.define_all(inst, smallvec![v])
    }

    /// Two pointers in one address space.
    pub fn common_space(&mut self, a: Value, b: Value) -> (Value, Value) {
        match (self.f.ty(a), self.f.ty(b)) {
            (x, y) if x == y => (a, b),
            _ => (self.in_space(a, Space::Generic), self.in_space(b, Space::Generic)),
        }
    }
}
