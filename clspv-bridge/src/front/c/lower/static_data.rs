//! Contents of objects with static storage: bytes and addresses of initializers.
//!
//! Each value is lowered in a function that is thrown away; folding at emission leaves a constant, or an
//! address plus a constant.

use super::function::FunctionLowering;
use super::module::{ModuleLowering, malformed};
use super::object::ObjectRef;
use super::types::{is_aggregate, value_type};
use crate::error::{CompileError, Result};
use crate::front::c::ast::{CastKind, ExprId, ExprKind, InitList, Storage, VarId};
use crate::front::c::layout::{layout, value_layout};
use crate::front::c::types::{Ty, TypeKind};
use crate::ir::{
    BinOp, CastOp, Const, Function, Global, Linkage, Op, Reloc, Signature, Space, Value, ValueDef,
};

/// Maximum number of bytes of one initializer.
const MAX_INIT_BYTES: u64 = 64 << 20;
/// Automatic aggregates up to this size are initialised member by member.
const MAX_STORED_BYTES: u64 = 64;
/// Most instructions through which an address is followed.
const MAX_ADDRESS_STEPS: usize = 64;

/// Contents of an object.
#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    relocs: Vec<Reloc>,
}

/// Fills in the initial contents of a module's variable.
pub fn initialize(m: &mut ModuleLowering<'_>, id: VarId, global: Global) -> Result<()> {
    let var = m.var(id)?;
    let Some(init) = var.init else { return Ok(()) };
    let ty = var.ty.ty;
    if m.module.globals[global].space == Space::Local {
        return Ok(());
    }
    let image = contents(m, init, ty)?;
    let data = &mut m.module.globals[global];
    if !image.relocs.is_empty() || image.bytes.iter().any(|b| *b != 0) {
        let mut bytes = image.bytes;
        bytes.resize(data.size as usize, 0);
        data.init = Some(bytes);
        data.relocs = image.relocs;
    }
    Ok(())
}

/// The contents that an initializer gives to an object of a type.
fn contents(m: &mut ModuleLowering<'_>, init: ExprId, ty: Ty) -> Result<Image> {
    let size = layout(m.input.types, ty).size;
    if size > MAX_INIT_BYTES {
        return Err(CompileError::unsupported("an initializer of more than 64 MiB", 0));
    }
    let f = Function::new("", Signature::default(), Linkage::Internal);
    let mut scratch = FunctionLowering::new(m, f, false);
    let mut image = Image { bytes: vec![0; size as usize], relocs: Vec::new() };
    scratch.write_static(init, ty, 0, &mut image)?;
    Ok(image)
}

impl FunctionLowering<'_, '_> {
    fn write_static(&mut self, id: ExprId, ty: Ty, at: u64, image: &mut Image) -> Result<()> {
        self.nested(|this| this.write_static_of(id, ty, at, image))
    }

    fn write_static_of(&mut self, id: ExprId, ty: Ty, at: u64, image: &mut Image) -> Result<()> {
        let expr = self.expr(id)?;
        self.at(expr.loc);
        match &expr.kind {
            ExprKind::Init(init) if is_aggregate(self.types(), ty) => {
                let list = self.init(init.0)?;
                self.write_list(list, ty, at, image)
            }
            ExprKind::Str(string) if is_aggregate(self.types(), ty) => {
                let bytes = self.m.input.unit.strings.get(string.0 as usize);
                let bytes = bytes.ok_or_else(|| malformed("a string that does not exist"))?;
                let size = layout(self.types(), ty).size.min(bytes.len() as u64) as usize;
                write(image, at, bytes.get(..size).unwrap_or(bytes));
                Ok(())
            }
            // The value of another constant object.
            ExprKind::Cast(CastKind::Load, inner) if is_aggregate(self.types(), ty) => {
                self.write_static(*inner, ty, at, image)
            }
            ExprKind::Var(var) | ExprKind::CompoundLiteral(var) if is_aggregate(self.types(), ty) => {
                match self.m.var(*var)?.init {
                    Some(init) => self.write_static(init, ty, at, image),
                    None => Ok(()),
                }
            }
            // The value of another constant, which clang accepts.
            ExprKind::Cast(CastKind::Load, inner) => match self.constant_variable(*inner) {
                Some(init) => self.write_static(init, ty, at, image),
                None => Err(self.not_constant()),
            },
            _ => {
                let value = self.value(id)?;
                self.write_value(value, at, image)
            }
        }
    }

    /// The initializer of a constant with static storage.
    fn constant_variable(&self, id: ExprId) -> Option<ExprId> {
        let ExprKind::Var(var) = self.expr(id).ok()?.kind else { return None };
        let var = self.m.var(var).ok()?;
        var.init.filter(|_| var.storage == Storage::Static)
    }

    fn write_list(&mut self, list: &InitList, ty: Ty, at: u64, image: &mut Image) -> Result<()> {
        let types = self.types();
        for (index, item) in &list.items {
            match types.resolved(ty) {
                TypeKind::Array(of, _) => {
                    let offset = index.saturating_mul(layout(types, of.ty).size);
                    self.write_static(*item, of.ty, at.saturating_add(offset), image)?;
                }
                TypeKind::Record(id) => {
                    let record = types.records.get(id.0 as usize);
                    let field = record.and_then(|r| r.fields.get(usize::try_from(*index).ok()?));
                    let field = field.ok_or_else(|| malformed("a member that does not exist"))?;
                    let offset = at.saturating_add(field.offset);
                    match field.bits {
                        Some((first, width)) => self.write_bits(*item, offset, first, width, image)?,
                        None => self.write_static(*item, field.ty.ty, offset, image)?,
                    }
                }
                _ => return Err(malformed("an initializer list of a scalar")),
            }
        }
        Ok(())
    }

    fn write_bits(&mut self, id: ExprId, at: u64, first: u8, width: u8, image: &mut Image) -> Result<()> {
        let value = self.value(id)?;
        let Some(bits) = self.f.as_bits(value) else { return Err(self.not_constant()) };
        let mask = u64::MAX >> (64 - u32::from(width).clamp(1, 64));
        let shifted = u128::from(bits & mask) << (first & 63);
        for (i, byte) in (0..).zip(shifted.to_le_bytes()) {
            if byte != 0
                && let Some(to) = image.bytes.get_mut((at.saturating_add(i)) as usize)
            {
                *to |= byte;
            }
        }
        Ok(())
    }

    fn write_value(&mut self, value: Value, at: u64, image: &mut Image) -> Result<()> {
        match &self.f.values[value].def {
            ValueDef::Const(Const::Undef(_)) => return Ok(()),
            ValueDef::Const(Const::Bits(ty, bits)) => {
                let size = value_layout(ty.lane()).size;
                for (i, lane) in (0u64..).zip(bits) {
                    let bytes = lane.to_le_bytes();
                    write(image, at.saturating_add(i * size), bytes.get(..size as usize).unwrap_or(&bytes));
                }
                return Ok(());
            }
            _ => {}
        }
        let Some((target, addend)) = self.static_address(value) else { return Err(self.not_constant()) };
        let is_inside = at.saturating_add(8) <= image.bytes.len() as u64;
        match u32::try_from(at) {
            Ok(offset) if is_inside => image.relocs.push(Reloc { offset, target, addend }),
            _ => return Err(malformed("an initializer larger than its object")),
        }
        Ok(())
    }

    fn not_constant(&self) -> CompileError {
        CompileError::unsupported("initializer that is not a constant", self.line)
    }

    /// The variable and offset that a value is the address of.
    fn static_address(&self, mut value: Value) -> Option<(Global, i64)> {
        let mut addend = 0i64;
        for _ in 0..MAX_ADDRESS_STEPS {
            let inst = &self.f.insts[self.f.def_inst(value)?];
            let constant = |i: usize| inst.args.get(i).and_then(|v| self.f.as_bits(*v));
            match &inst.op {
                Op::GlobalAddr(global) => return Some((*global, addend)),
                Op::PtrAdd | Op::Bin(BinOp::Iadd) => {
                    if let Some(bytes) = constant(1) {
                        (value, addend) = (*inst.args.first()?, addend.wrapping_add(bytes as i64));
                    } else {
                        let bytes = constant(0)?;
                        (value, addend) = (*inst.args.get(1)?, addend.wrapping_add(bytes as i64));
                    }
                }
                Op::Bin(BinOp::Isub) => {
                    addend = addend.wrapping_sub(constant(1)? as i64);
                    value = *inst.args.first()?;
                }
                Op::Cast(CastOp::PtrCast | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast) => {
                    value = *inst.args.first()?;
                }
                _ => return None,
            }
        }
        None
    }

    /// Initialises a large aggregate with automatic storage from a constant, if all its parts are constants.
    pub fn constant_initializer(&mut self, id: ExprId, ty: Ty, to: ObjectRef, size: u64) -> Result<bool> {
        if size <= MAX_STORED_BYTES || !self.is_constant(id, 64) {
            return Ok(false);
        }
        let image = contents(self.m, id, ty)?;
        if !image.relocs.is_empty() {
            return Ok(false);
        }
        if image.bytes.iter().all(|b| *b == 0) {
            self.clear(to, size);
            return Ok(true);
        }
        let align = layout(self.types(), ty).align;
        let global = self.m.constant_bytes(".init", image.bytes, align)?;
        let addr = self.global_address(global);
        self.copy(to, ObjectRef::new(addr, align), size);
        Ok(true)
    }

    /// Whether an expression obviously has a constant value without addresses.
    fn is_constant(&self, id: ExprId, limit: u32) -> bool {
        let (Ok(expr), Some(limit)) = (self.expr(id), limit.checked_sub(1)) else { return false };
        let each = |ids: &[ExprId]| ids.iter().all(|id| self.is_constant(*id, limit));
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Str(_) => is_aggregate(self.types(), expr.ty.ty),
            ExprKind::Init(init) => self
                .init(init.0)
                .is_ok_and(|list| list.items.iter().all(|(_, item)| self.is_constant(*item, limit))),
            ExprKind::Cast(CastKind::Arith | CastKind::Vector | CastKind::Splat | CastKind::Bits, x) => {
                // Conversions out of range are not folded.
                let is_float = |id: ExprId| {
                    self.expr(id)
                        .is_ok_and(|e| value_type(self.types(), e.ty.ty).is_some_and(|t| t.is_float()))
                };
                self.is_constant(*x, limit) && (!is_float(*x) || is_float(id))
            }
            ExprKind::Plus(x) | ExprKind::Neg(x) | ExprKind::BitNot(x) => self.is_constant(*x, limit),
            ExprKind::VectorLiteral(parts) => each(self.m.input.unit.list(*parts)),
            _ => false,
        }
    }
}

/// Writes bytes at an offset, as far as they are inside.
fn write(image: &mut Image, at: u64, bytes: &[u8]) {
    let Ok(start) = usize::try_from(at) else { return };
    let end = start.saturating_add(bytes.len()).min(image.bytes.len());
    if let Some(to) = image.bytes.get_mut(start..end) {
        to.copy_from_slice(bytes.get(..to.len()).unwrap_or(&[]));
    }
}
