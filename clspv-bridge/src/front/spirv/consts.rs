//! Constants and specialisation constants: evaluation at module scope, bytes of initialisers, use in
//! functions.

use super::Reader;
use super::read::Instr;
use super::types::{SpirvTypeKind, layout};
use crate::abi::sampler as bits;
use crate::error::{CompileError, Result};
use crate::ir::{Global, Reloc, Scalar, Type};
use smallvec::{SmallVec, smallvec};
use spirv::Op;

/// A constant with its type id.
#[derive(Clone, Debug)]
pub struct SpirvConst {
    pub ty: u32,
    pub kind: SpirvConstKind,
}

/// The value of a constant.
#[derive(Clone, Debug)]
pub enum SpirvConstKind {
    Null,
    Undef,
    /// One bit pattern for each lane of a scalar or vector; a single one for a pointer.
    Bits(SmallVec<[u64; 1]>),
    /// Constituents of an array or structure.
    Composite(Vec<u32>),
    /// Address of (or integer made from the address of) a variable.
    Address {
        global: Global,
        addend: i64,
    },
    /// A constant that the reader does not support; an error only where it is used.
    Unknown(String),
}

/// The bits of a literal sampler: addressing mode, normalised, filter mode.
fn sampler(inst: &Instr<'_>) -> Result<u32> {
    use spirv::{SamplerAddressingMode as A, SamplerFilterMode as F};
    let address = match A::from_u32(inst.word(2)?) {
        Some(A::None) => bits::ADDRESS_NONE,
        Some(A::ClampToEdge) => bits::CLAMP_TO_EDGE,
        Some(A::Clamp) => bits::CLAMP,
        Some(A::Repeat) => bits::REPEAT,
        Some(A::RepeatMirrored) => bits::MIRRORED_REPEAT,
        None => return Err(inst.bad("unknown addressing mode")),
    };
    let normalised = if inst.word(3)? != 0 { bits::NORMALIZED } else { 0 };
    match F::from_u32(inst.word(4)?) {
        Some(F::Nearest) => Ok(address | normalised),
        Some(F::Linear) => Ok(address | normalised | bits::LINEAR),
        None => Err(inst.bad("unknown filter mode")),
    }
}

impl Reader<'_> {
    pub(super) fn define_const(&mut self, id: u32, c: SpirvConst, inst: &Instr<'_>) -> Result<()> {
        if self.consts.insert(id, c).is_some() {
            return Err(inst.bad(format_args!("%{id} is defined twice")));
        }
        Ok(())
    }

    /// Reads a constant instruction; returns false for other instructions.
    pub(super) fn constant(&mut self, inst: &Instr<'_>) -> Result<bool> {
        let kind = match inst.op {
            Op::ConstantTrue => SpirvConstKind::Bits(smallvec![1]),
            Op::ConstantFalse => SpirvConstKind::Bits(smallvec![0]),
            Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let default = (inst.op == Op::SpecConstantTrue) as u64;
                SpirvConstKind::Bits(smallvec![
                    self.specialised(inst.word(1)?).map_or(default, |x| (x & 0xff != 0) as u64)
                ])
            }
            Op::Constant | Op::SpecConstant => {
                let Some(scalar) = self.types.plain(inst.word(0)?, inst)?.scalar() else {
                    return Err(inst.bad("a constant that is not a number"));
                };
                let mut bits = inst.word(2)? as u64;
                if scalar.bits() == 64 {
                    bits |= (inst.word(3)? as u64) << 32;
                }
                if inst.op == Op::SpecConstant {
                    bits = self.specialised(inst.word(1)?).unwrap_or(bits);
                }
                SpirvConstKind::Bits(smallvec![bits & scalar.mask()])
            }
            // Some producers write an extra word in event constants.
            Op::ConstantNull => SpirvConstKind::Null,
            Op::Undef => SpirvConstKind::Undef,
            Op::ConstantSampler => SpirvConstKind::Bits(smallvec![sampler(inst)? as u64]),
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(inst)?,
            Op::SpecConstantOp => self.spec_op(inst)?,
            Op::ConstantFunctionPointerINTEL => SpirvConstKind::Unknown("function pointer".into()),
            Op::ConstantPipeStorage => SpirvConstKind::Unknown("pipe storage constant".into()),
            _ => return Ok(false),
        };
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        self.types.need(ty, inst)?;
        self.define_const(id, SpirvConst { ty, kind }, inst)?;
        Ok(true)
    }

    /// The value that the application set for the specialisation constant `id`.
    fn specialised(&self, id: u32) -> Option<u64> {
        let spec = self.meta.of(id).spec_id?;
        let (_, bytes) = self.specs.iter().rev().find(|(s, _)| *s == spec)?;
        let mut word = [0u8; 8];
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        Some(u64::from_le_bytes(word))
    }

    fn composite(&self, inst: &Instr<'_>) -> Result<SpirvConstKind> {
        let parts = inst.rest(2);
        match &self.types.need(inst.word(0)?, inst)?.kind {
            SpirvTypeKind::Plain(ty) => {
                let mut bits = SmallVec::new();
                for id in parts {
                    let Some(c) = self.consts.get(id) else {
                        return Err(inst.bad(format_args!("%{id} is not a constant")));
                    };
                    match (&c.kind, self.types.plain(c.ty, inst)?.lanes()) {
                        (SpirvConstKind::Bits(b), _) => bits.extend(b.iter().copied()),
                        (SpirvConstKind::Null | SpirvConstKind::Undef, n) => {
                            bits.extend(std::iter::repeat_n(0, n as usize))
                        }
                        _ => return Ok(SpirvConstKind::Unknown("vector constant of addresses".into())),
                    }
                }
                if bits.len() != ty.lanes() as usize {
                    return Err(inst.bad("wrong number of constituents"));
                }
                Ok(SpirvConstKind::Bits(bits))
            }
            SpirvTypeKind::Struct { members, .. } if members.len() != parts.len() => {
                Err(inst.bad("wrong number of constituents"))
            }
            SpirvTypeKind::Array { len, .. } if *len != parts.len() as u64 => {
                Err(inst.bad("wrong number of constituents"))
            }
            SpirvTypeKind::Struct { .. } | SpirvTypeKind::Array { .. } => {
                // Declared element types are not trusted, because some producers mistype pointers; but depth
                // must not grow.
                for id in parts {
                    if !self.consts.contains_key(id) {
                        return Err(inst.bad(format_args!("%{id} is not a constant")));
                    }
                }
                Ok(SpirvConstKind::Composite(parts.to_vec()))
            }
            _ => Err(inst.bad("composite constant of this type")),
        }
    }

    /// An unsigned integer constant.
    pub(super) fn const_uint(&self, id: u32, inst: &Instr<'_>) -> Result<u64> {
        match self.consts.get(&id).map(|c| &c.kind) {
            Some(SpirvConstKind::Bits(b)) if b.len() == 1 => Ok(b[0]),
            Some(SpirvConstKind::Null) => Ok(0),
            _ => Err(inst.bad(format_args!("%{id} is not an integer constant"))),
        }
    }

    /// An integer constant read as signed.
    pub(super) fn const_int(&self, id: u32) -> Option<i64> {
        let c = self.consts.get(&id)?;
        match (&c.kind, &self.types.get(c.ty)?.kind) {
            (SpirvConstKind::Bits(b), SpirvTypeKind::Plain(Type::Scalar(s))) if s.is_int() => {
                let unused = 64 - s.bits();
                Some((b[0] << unused) as i64 >> unused)
            }
            (SpirvConstKind::Null, SpirvTypeKind::Plain(Type::Scalar(s))) if s.is_int() => Some(0),
            _ => None,
        }
    }

    /// Whether all bytes of the constant are zero.
    pub(super) fn is_zero(&self, id: u32) -> bool {
        match self.consts.get(&id).map(|c| &c.kind) {
            Some(SpirvConstKind::Null | SpirvConstKind::Undef) => true,
            Some(SpirvConstKind::Bits(b)) => b.iter().all(|x| *x == 0),
            _ => false,
        }
    }

    /// Writes a constant of type `ty` into `bytes` at `base`.
    pub(super) fn const_bytes(
        &self,
        id: u32,
        ty: u32,
        base: u64,
        bytes: &mut [u8],
        relocs: &mut Vec<Reloc>,
        inst: &Instr<'_>,
    ) -> Result<()> {
        let Some(c) = self.consts.get(&id) else {
            return Err(inst.bad(format_args!("%{id} is not a constant")));
        };
        let info = self.types.need(ty, inst)?;
        match &c.kind {
            _ if info.leaves == 0 => {}
            SpirvConstKind::Null | SpirvConstKind::Undef => {}
            SpirvConstKind::Bits(bits) => {
                let scalar = match &info.kind {
                    SpirvTypeKind::Plain(t) => t.scalar().unwrap_or(Scalar::I64),
                    _ => Scalar::I64,
                };
                let step = scalar.bytes() as usize;
                for (i, b) in bits.iter().enumerate() {
                    let at = base as usize + i * step;
                    let Some(to) = bytes.get_mut(at..at + step) else {
                        return Err(inst.bad("constant larger than its variable"));
                    };
                    to.copy_from_slice(&b.to_le_bytes()[..step]);
                }
            }
            SpirvConstKind::Composite(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    let (member, offset, _) = self.types.member(ty, i as u64, inst)?;
                    self.const_bytes(*part, member, base + offset, bytes, relocs, inst)?;
                }
            }
            SpirvConstKind::Address { global, addend } => {
                if base + 8 > bytes.len() as u64 {
                    return Err(inst.bad("constant larger than its variable"));
                }
                relocs.push(Reloc { offset: base as u32, target: *global, addend: *addend });
            }
            SpirvConstKind::Unknown(what) => return Err(CompileError::unsupported(what.clone(), 0)),
        }
        Ok(())
    }

    /// OpSpecConstantOp.
    fn spec_op(&self, inst: &Instr<'_>) -> Result<SpirvConstKind> {
        let op = Op::from_u32(inst.word(2)?).ok_or_else(|| inst.bad("unknown opcode in a constant"))?;
        let args = inst.rest(3);
        let arg = |i: usize| {
            args.get(i)
                .and_then(|id| self.consts.get(id))
                .ok_or_else(|| inst.bad("the operand of a constant is not a constant"))
        };
        let unknown = || SpirvConstKind::Unknown(format!("constant expression {op:?}"));
        match op {
            Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::CopyObject => {
                return Ok(match &arg(0)?.kind {
                    k @ (SpirvConstKind::Null | SpirvConstKind::Undef | SpirvConstKind::Address { .. }) => {
                        k.clone()
                    }
                    k @ SpirvConstKind::Bits(b) if b.len() == 1 => k.clone(),
                    _ => unknown(),
                });
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let base = arg(0)?;
                let first = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                // LLVM writes `base, 0, bytes` for any type of the base.
                let in_bytes = self.by_llvm && first && args.len() == 3 && self.const_int(args[1]) == Some(0);
                let bytes = match in_bytes {
                    true => self.const_int(args[2]),
                    false => self.const_chain(base.ty, &args[1..], first, inst)?,
                };
                let Some(bytes) = bytes else {
                    return Ok(unknown());
                };
                return Ok(match &base.kind {
                    SpirvConstKind::Address { global, addend } => {
                        SpirvConstKind::Address { global: *global, addend: addend.wrapping_add(bytes) }
                    }
                    SpirvConstKind::Null => SpirvConstKind::Bits(smallvec![bytes as u64]),
                    SpirvConstKind::Bits(b) if b.len() == 1 => {
                        SpirvConstKind::Bits(smallvec![b[0].wrapping_add(bytes as u64)])
                    }
                    _ => unknown(),
                });
            }
            Op::CompositeExtract => {
                let mut c = arg(0)?;
                for index in &args[1..] {
                    match &c.kind {
                        SpirvConstKind::Composite(parts) => {
                            let id =
                                parts.get(*index as usize).ok_or_else(|| inst.bad("index out of range"))?;
                            c = self.consts.get(id).ok_or_else(|| inst.bad("not a constant"))?;
                        }
                        SpirvConstKind::Bits(b) => {
                            let lane =
                                b.get(*index as usize).ok_or_else(|| inst.bad("index out of range"))?;
                            return Ok(SpirvConstKind::Bits(smallvec![*lane]));
                        }
                        k @ (SpirvConstKind::Null | SpirvConstKind::Undef) => return Ok(k.clone()),
                        _ => return Ok(unknown()),
                    }
                }
                return Ok(c.kind.clone());
            }
            _ => {}
        }
        let result = self.types.plain(inst.word(0)?, inst)?;
        let (Some(to), lanes) = (result.scalar(), result.lanes() as usize) else {
            return Ok(self.address_arithmetic(op, args).unwrap_or_else(unknown));
        };
        if let Some(k) = self.address_arithmetic(op, args) {
            return Ok(k);
        }
        let mut operands: SmallVec<[(SmallVec<[u64; 1]>, Scalar); 3]> = SmallVec::new();
        for i in 0..args.len() {
            let c = arg(i)?;
            let Some(s) = self.types.plain(c.ty, inst)?.scalar() else {
                return Ok(unknown());
            };
            let bits = match &c.kind {
                SpirvConstKind::Bits(b) => b.clone(),
                SpirvConstKind::Null | SpirvConstKind::Undef => smallvec![0; lanes],
                _ => return Ok(unknown()),
            };
            operands.push((bits, s));
        }
        let mut out = SmallVec::new();
        for lane in 0..lanes {
            let lane_args: SmallVec<[(u64, Scalar); 3]> =
                operands.iter().map(|(b, s)| (b.get(lane).or(b.first()).copied().unwrap_or(0), *s)).collect();
            match fold(op, &lane_args, to) {
                Some(x) => out.push(x & to.mask()),
                None => return Ok(unknown()),
            }
        }
        Ok(SpirvConstKind::Bits(out))
    }

    /// Integer sums with an address.
    fn address_arithmetic(&self, op: Op, args: &[u32]) -> Option<SpirvConstKind> {
        let [a, b] = args else { return None };
        let (ca, cb) = (self.consts.get(a)?, self.consts.get(b)?);
        match (&ca.kind, &cb.kind, op) {
            (SpirvConstKind::Address { global, addend }, _, Op::IAdd) => Some(SpirvConstKind::Address {
                global: *global,
                addend: addend.wrapping_add(self.const_int(*b)?),
            }),
            (_, SpirvConstKind::Address { global, addend }, Op::IAdd) => Some(SpirvConstKind::Address {
                global: *global,
                addend: addend.wrapping_add(self.const_int(*a)?),
            }),
            (SpirvConstKind::Address { global, addend }, _, Op::ISub) => Some(SpirvConstKind::Address {
                global: *global,
                addend: addend.wrapping_sub(self.const_int(*b)?),
            }),
            _ => None,
        }
    }

    /// Byte offset of an access chain whose indices are all constants.
    pub(super) fn const_chain(
        &self,
        base: u32,
        indices: &[u32],
        ptr: bool,
        inst: &Instr<'_>,
    ) -> Result<Option<i64>> {
        let (_, mut ty) = self.types.pointer(base, inst)?;
        let mut bytes = 0i64;
        let mut first = ptr;
        for id in indices {
            let Some(index) = self.const_int(*id) else { return Ok(None) };
            let step = |size: u64| index.wrapping_mul(size as i64);
            if std::mem::take(&mut first) {
                bytes = bytes.wrapping_add(step(self.types.need(ty, inst)?.size));
                continue;
            }
            match self.types.need(ty, inst)?.kind.clone() {
                SpirvTypeKind::Array { elem, .. } => {
                    bytes = bytes.wrapping_add(step(self.types.need(elem, inst)?.size));
                    ty = elem;
                }
                SpirvTypeKind::Struct { .. } => {
                    let (member, offset, _) = self.types.member(ty, index as u64, inst)?;
                    bytes = bytes.wrapping_add(offset as i64);
                    ty = member;
                }
                SpirvTypeKind::Plain(t @ Type::Vector(..)) => {
                    bytes = bytes.wrapping_add(step(layout(t.lane()).0))
                }
                _ => return Err(inst.bad("index into a type that is not an aggregate")),
            }
        }
        Ok(Some(bytes))
    }
}

/// Evaluates an integer operation on one lane.
fn fold(op: Op, args: &[(u64, Scalar)], to: Scalar) -> Option<u64> {
    let u = |i: usize| args.get(i).map(|a| a.0 & a.1.mask());
    let s = |i: usize| {
        args.get(i).map(|a| {
            let unused = 64 - a.1.bits();
            (a.0 << unused) as i64 >> unused
        })
    };
    let width = to.bits();
    Some(match op {
        Op::UConvert => u(0)?,
        Op::SConvert => s(0)? as u64,
        Op::SNegate => (s(0)?).wrapping_neg() as u64,
        Op::Not => !u(0)?,
        Op::IAdd => u(0)?.wrapping_add(u(1)?),
        Op::ISub => u(0)?.wrapping_sub(u(1)?),
        Op::IMul => u(0)?.wrapping_mul(u(1)?),
        Op::UDiv => u(0)?.checked_div(u(1)?)?,
        Op::UMod => u(0)?.checked_rem(u(1)?)?,
        Op::SDiv => s(0)?.checked_div(s(1)?)? as u64,
        Op::SRem => s(0)?.checked_rem(s(1)?)? as u64,
        Op::SMod => s(0)?.checked_rem_euclid(s(1)?)? as u64,
        Op::ShiftLeftLogical => u(0)?.wrapping_shl((u(1)? % width as u64) as u32),
        Op::ShiftRightLogical => u(0)? >> (u(1)? % width as u64),
        Op::ShiftRightArithmetic => (s(0)? >> (u(1)? % width as u64)) as u64,
        Op::BitwiseAnd | Op::LogicalAnd => u(0)? & u(1)?,
        Op::BitwiseOr | Op::LogicalOr => u(0)? | u(1)?,
        Op::BitwiseXor | Op::LogicalNotEqual => u(0)? ^ u(1)?,
        Op::LogicalEqual => !(u(0)? ^ u(1)?) & 1,
        Op::LogicalNot => !u(0)? & 1,
        Op::Select => {
            if u(0)? & 1 != 0 {
                u(1)?
            } else {
                u(2)?
            }
        }
        Op::IEqual => (u(0)? == u(1)?) as u64,
        Op::INotEqual => (u(0)? != u(1)?) as u64,
        Op::ULessThan => (u(0)? < u(1)?) as u64,
        Op::ULessThanEqual => (u(0)? <= u(1)?) as u64,
        Op::UGreaterThan => (u(0)? > u(1)?) as u64,
        Op::UGreaterThanEqual => (u(0)? >= u(1)?) as u64,
        Op::SLessThan => (s(0)? < s(1)?) as u64,
        Op::SLessThanEqual => (s(0)? <= s(1)?) as u64,
        Op::SGreaterThan => (s(0)? > s(1)?) as u64,
        Op::SGreaterThanEqual => (s(0)? >= s(1)?) as u64,
        Op::FConvert => convert_float(u(0)?, args.first()?.1, to)?,
        _ => return None,
    })
}

/// Converts the bits of a float to another width.
fn convert_float(bits: u64, from: Scalar, to: Scalar) -> Option<u64> {
    let x = match from {
        Scalar::F16 => half::f16::from_bits(bits as u16).to_f64(),
        Scalar::F32 => f32::from_bits(bits as u32) as f64,
        Scalar::F64 => f64::from_bits(bits),
        _ => return None,
    };
    Some(match to {
        Scalar::F16 => half::f16::from_f64(x).to_bits() as u64,
        Scalar::F32 => (x as f32).to_bits() as u64,
        Scalar::F64 => x.to_bits(),
        _ => return None,
    })
}
