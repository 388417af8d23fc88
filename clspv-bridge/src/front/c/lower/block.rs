//! Block literals: their memory, their functions, and the entries by which they are enqueued.
//!
//! A block's value is the address of its literal: size and alignment (`u32` each), then copies of the
//! captured variables. Its function takes that address before the block's own parameters. OpenCL C has no
//! variables of blocks that change, so the function that a call reaches is known from the expression.

use super::function::FunctionLowering;
use super::module::{LoweredBlock, ModuleLowering, malformed};
use super::object::ObjectRef;
use super::types::{align_at, is_aggregate, value_type};
use crate::error::{CompileError, Result};
use crate::front::c::ast::{BlockId, BlockLiteral, ExprId, ExprKind, ExprList, VarId};
use crate::front::c::layout::layout;
use crate::front::c::types::{QualTy, TypeKind, VOID};
use crate::front::spirv::{attributes, lay_out_args};
use crate::front::{FNV, fnv};
use crate::ir::runtime::block_name;
use crate::ir::{CastOp, FuncRef, Function, I32, I64, Linkage, Op, Signature, Space, Type, Value};
use crate::metadata::{AddressQualifier, ArgInfo, ArgKind, KernelInfo};
use smallvec::SmallVec;

/// Bytes before the captured variables.
const HEADER_BYTES: u64 = 8;

/// A block that is enqueued or queried.
#[derive(Clone, Copy)]
pub struct Enqueued {
    /// Number in the name of its entry.
    pub number: u64,
    /// Bytes of the literal.
    pub bytes: u64,
}

/// The copy of a captured variable.
struct Capture {
    outer: VarId,
    inner: VarId,
    offset: u64,
}

/// The block literal with this handle.
fn literal<'a>(m: &ModuleLowering<'a>, id: BlockId) -> Result<&'a BlockLiteral> {
    let block = m.input.unit.blocks.get(id.0 as usize);
    block.ok_or_else(|| malformed("a block that does not exist"))
}

/// Captured variables with their offsets in the literal, and its size.
fn captures(m: &ModuleLowering<'_>, block: &BlockLiteral) -> Result<(Vec<Capture>, u64)> {
    let mut list = Vec::new();
    let mut size = HEADER_BYTES;
    for (outer, inner) in &block.captures {
        let layout = layout(m.input.types, m.var(*outer)?.ty.ty);
        let offset = size.next_multiple_of(u64::from(layout.align.max(1)));
        list.push(Capture { outer: *outer, inner: *inner, offset });
        size = offset.saturating_add(layout.size);
    }
    Ok((list, size))
}

/// Lowers the body of a block's function.
pub fn lower(m: &mut ModuleLowering<'_>, id: BlockId, func: FuncRef) -> Result<()> {
    let block = literal(m, id)?;
    let (captured, _) = captures(m, block)?;
    let f = m.module.functions[func].clone();
    let mut lowering = FunctionLowering::new(m, f, true);
    lowering.at(block.loc);
    let mut params = lowering.entry_params();
    if is_aggregate(lowering.types(), block.result.ty) {
        lowering.result_address = params.next();
    }
    let Some(at) = params.next() else { return Err(malformed("a block without its literal")) };
    for capture in captured {
        let ty = lowering.m.var(capture.inner)?.ty.ty;
        let from = lowering.part(ObjectRef::new(at, align_at(128, capture.offset)), capture.offset);
        if is_aggregate(lowering.types(), ty) {
            let size = layout(lowering.types(), ty).size;
            let home = lowering.home_object(capture.inner)?;
            lowering.copy(home, from, size);
        } else if let Some(ty) = value_type(lowering.types(), ty) {
            let value = lowering.load(from, ty);
            lowering.bind_param(capture.inner, value, false)?;
        }
    }
    for (param, value) in block.params.iter().zip(params) {
        lowering.bind_param(*param, value, false)?;
    }
    lowering.statement(block.body)?;
    m.module.functions[func] = lowering.finish(block.result.ty);
    Ok(())
}

/// The function of a block.
fn function(m: &mut ModuleLowering<'_>, id: BlockId) -> Result<FuncRef> {
    if let Some(known) = m.blocks.get(&id) {
        return Ok(known.func);
    }
    let block = literal(m, id)?;
    let params = block.params.iter().map(|p| Ok(m.var(*p)?.ty)).collect::<Result<Vec<QualTy>>>()?;
    let mut sig = m.signature(block.result, &params);
    let at = usize::from(is_aggregate(m.input.types, block.result.ty)).min(sig.params.len());
    sig.params.insert(at, Type::Ptr(Space::Generic));
    let name = format!("__block_invoke_{}", id.0);
    let func = m.module.functions.push(Function::new(&name, sig, Linkage::Internal));
    m.blocks.insert(id, LoweredBlock { func, number: None });
    m.queue_block(id, func);
    Ok(func)
}

/// The number of a block's entry, which is made if there is none.
fn entry(m: &mut ModuleLowering<'_>, id: BlockId) -> Result<u64> {
    let func = function(m, id)?;
    if let Some(number) = m.blocks.get(&id).and_then(|b| b.number) {
        return Ok(number);
    }
    let number = digest(m) ^ u64::from(id.0 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    m.blocks.insert(id, LoweredBlock { func, number: Some(number) });
    let sig = m.module.functions[func].sig.clone();
    // An address for an aggregate result, the address of the literal, then local arguments.
    let result = literal(m, id)?.result.ty;
    let has_address = is_aggregate(m.input.types, result);
    let is_local = |ty: &Type| ty.space() == Some(Space::Local);
    let count = sig.params.len().saturating_sub(usize::from(has_address));
    if !sig.params.iter().skip(usize::from(has_address) + 1).all(is_local) {
        return Err(malformed("an enqueued block of the wrong type"));
    }
    let params: Vec<Type> =
        (0..count).map(|i| Type::Ptr(if i == 0 { Space::Global } else { Space::Local })).collect();
    let name = block_name(number);
    let sig = Signature { params: params.clone(), results: vec![] };
    let mut lowering = FunctionLowering::new(m, Function::new(&name, sig, Linkage::Export), true);
    let mut args: SmallVec<[Value; 4]> = lowering.entry_params().collect();
    if let Some(first) = args.first_mut() {
        let address = lowering.emit(Op::Cast(CastOp::PtrToInt), &[*first], I64);
        *first = lowering.emit(Op::Cast(CastOp::IntToPtr), &[address], Type::Ptr(Space::Generic));
    }
    if has_address {
        args.insert(0, lowering.slot_of(result)?.addr);
    }
    lowering.call(func, &args);
    let mut f = lowering.finish(VOID);
    let args = (0..params.len()).map(argument).collect();
    let mut info = KernelInfo { name, args, ..KernelInfo::default() };
    info.args_size = lay_out_args(&mut info.args);
    info.attributes = attributes(&info);
    f.kernel = Some(m.module.kernels.len());
    m.module.kernels.push(info);
    m.module.functions.push(f);
    Ok(number)
}

/// Argument `index` of an entry.
fn argument(index: usize) -> ArgInfo {
    let (kind, size, align, address) = match index {
        0 => (ArgKind::GlobalPtr, 8, 8, AddressQualifier::Global),
        _ => (ArgKind::LocalPtr, 0, 128, AddressQualifier::Local),
    };
    ArgInfo {
        kind,
        size,
        align,
        offset: 0,
        name: String::new(),
        type_name: String::new(),
        address,
        access: Default::default(),
        qualifiers: Default::default(),
        image: None,
    }
}

/// A number that distinguishes the translation unit from others.
fn digest(m: &ModuleLowering<'_>) -> u64 {
    let unit = m.input.unit;
    let names = unit.functions.iter().flat_map(|f| f.link_name.bytes().map(u64::from));
    let exprs = unit.exprs.iter().flat_map(|e| {
        let bits = match e.kind {
            ExprKind::Int(bits) => bits,
            ExprKind::Float(value) => value.to_bits(),
            _ => 0,
        };
        [u64::from(e.loc.pos.0), u64::from(e.ty.ty.0), bits]
    });
    let strings = unit.strings.iter().flat_map(|s| s.iter().map(|b| u64::from(*b)));
    fnv(FNV, names.chain(exprs).chain(strings))
}

impl FunctionLowering<'_, '_> {
    /// The value of a block literal: its captured variables are copied.
    pub fn block_literal(&mut self, id: BlockId) -> Result<Value> {
        let block = literal(self.m, id)?;
        function(self.m, id)?;
        let (captured, size) = captures(self.m, block)?;
        let size_bits = u32::try_from(size)
            .map_err(|_| CompileError::unsupported("captured variables of that size", self.line))?;
        let header = [size_bits, 8];
        if captured.is_empty() {
            let bytes = header.iter().flat_map(|word| word.to_le_bytes()).collect();
            let global = self.m.constant_bytes(".block", bytes, 8)?;
            let addr = self.global_address(global);
            return Ok(self.in_space(addr, Space::Generic));
        }
        let slot = ObjectRef::new(self.slot(size, 128)?, 128);
        for (word, offset) in header.into_iter().zip([0, 4]) {
            let word = self.f.bits(I32, u64::from(word));
            let at = self.part(slot, offset);
            self.store(at, word);
        }
        for capture in captured {
            let ty = self.m.var(capture.outer)?.ty.ty;
            let from = self.variable(capture.outer)?;
            let to = self.part(slot, capture.offset);
            match from {
                super::location::Location::Memory(from, _) if is_aggregate(self.types(), ty) => {
                    let size = layout(self.types(), ty).size;
                    self.copy(to, from, size);
                }
                from => {
                    let value = self.get(&from);
                    self.store(to, value);
                }
            }
        }
        Ok(self.in_space(slot.addr, Space::Generic))
    }

    /// Calls a block; an aggregate result is stored at `into`, or in a new slot whose address is returned.
    pub(super) fn call_block(
        &mut self,
        block: ExprId,
        args: ExprList,
        into: Option<Value>,
    ) -> Result<Option<Value>> {
        let at = self.value(block)?;
        let Some(id) = self.known_block(block) else {
            let result = match self.types().resolved(self.expr(block)?.ty.ty) {
                TypeKind::Block(ty) => match self.types().resolved(*ty) {
                    TypeKind::Function(ty) => value_type(self.types(), ty.result.ty),
                    _ => None,
                },
                _ => None,
            };
            return Ok(self.unsupported("call of a block that is a parameter", &[at], result));
        };
        let func = function(self.m, id)?;
        let result = literal(self.m, id)?.result.ty;
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        let address = match (is_aggregate(self.types(), result), into) {
            (false, _) => None,
            (true, Some(into)) => Some(into),
            (true, None) => Some(self.slot_of(result)?.addr),
        };
        values.extend(address);
        values.push(at);
        self.arguments(args, &mut values)?;
        let params = &self.m.module.functions[func].sig.params;
        if params.len() != values.len() || params.iter().zip(&values).any(|(p, v)| *p != self.f.ty(*v)) {
            return Err(malformed("arguments of a block that do not fit"));
        }
        let result = self.call(func, &values);
        Ok(address.or(result))
    }

    /// The block that an expression names, to be enqueued or queried; `None` if it is not known.
    pub fn enqueued_block(&mut self, block: ExprId) -> Result<Option<Enqueued>> {
        let Some(id) = self.known_block(block) else { return Ok(None) };
        let number = entry(self.m, id)?;
        let (_, bytes) = captures(self.m, literal(self.m, id)?)?;
        Ok(Some(Enqueued { number, bytes }))
    }

    /// The block literal that an expression's value is; `None` if that is not known.
    fn known_block(&self, id: ExprId) -> Option<BlockId> {
        let mut at = id;
        for _ in 0..64 {
            match &self.expr(at).ok()?.kind {
                ExprKind::Block(block) => return Some(*block),
                ExprKind::Cast(_, inner) | ExprKind::Plus(inner) => at = *inner,
                ExprKind::Var(var) => at = self.original(*var)?,
                _ => return None,
            }
        }
        None
    }

    /// The initializer of a variable, or of the one that it is the captured copy of.
    fn original(&self, mut var: VarId) -> Option<ExprId> {
        for _ in 0..64 {
            if let Some(init) = self.m.var(var).ok()?.init {
                return Some(init);
            }
            let captures = self.m.input.unit.blocks.iter().flat_map(|b| &b.captures);
            var = captures.into_iter().find(|(_, inner)| *inner == var)?.0;
        }
        None
    }
}
