//! One function body: values by id, parameters, constants at their use, and the dispatch on opcodes.
//!
//! Blocks are translated in reverse post-order of the SPIR-V control-flow graph. So every definition is read
//! before its uses, whatever the order of the blocks in the file; unreachable blocks are dropped.

use super::consts::SpirvConstKind;
use super::read::{Instr, has_result_type};
use super::types::{Leaf, SpirvTypeKind};
use super::{Body, Convention, Reader};
use crate::error::{CompileError, Result};
use crate::front::expand::EmitOps;
use crate::ir::{
    Block, Builder, CastOp, ClOp, Const, FastMath, FuncRef, Function, I32, Inst, Linkage, Op as IrOp, Type,
    UnrollHint, Value,
};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use spirv::{BuiltIn, LoopControl, Op};

/// The leaves of a value.
pub type Vals = SmallVec<[Value; 2]>;

/// A phi of a block: its parameters are the leaves of the result.
pub struct Phi {
    /// (value id, predecessor label)
    pub incoming: Vec<(u32, u32)>,
    pub ty: u32,
}

/// A reachable SPIR-V block.
pub struct Label<'a> {
    pub block: Block,
    pub phis: Vec<Phi>,
    pub insts: &'a [Instr<'a>],
}

/// State of reading one function.
pub struct FuncReader<'r, 's, 'a> {
    pub r: &'r mut Reader<'s>,
    pub f: Function,
    /// Block that instructions are appended to.
    pub block: Block,
    pub line: u32,
    pub vals: FxHashMap<u32, (u32, Vals)>,
    pub labels: FxHashMap<u32, Label<'a>>,
    /// Label of the SPIR-V block being read.
    pub label: u32,
    /// Pointers to built-in variables: variable, type id they point to, component.
    pub builtin_ptrs: FxHashMap<u32, (BuiltIn, u32, Option<u32>)>,
    /// Vectors of all dimensions of a built-in variable, with the value of other dimensions.
    pub builtin_vectors: FxHashMap<Value, i64>,
    /// Variables that hold an image, with the image once it has been stored.
    pub image_vars: FxHashMap<u32, Option<Vals>>,
    pub ret: u32,
    /// Switch selectors defined in the function, and whether they have 64 bits.
    pub wide_types: FxHashMap<u32, bool>,
}

/// Emission at a reader's position, with the fast-math flags of the instruction that is read.
pub struct Emitter<'f, 'r, 's, 'a> {
    pub reader: &'f mut FuncReader<'r, 's, 'a>,
    pub fast: FastMath,
}

impl<'f, 'r, 's, 'a> Emitter<'f, 'r, 's, 'a> {
    /// Emission without fast-math flags.
    pub fn new(reader: &'f mut FuncReader<'r, 's, 'a>) -> Self {
        Emitter { reader, fast: FastMath::default() }
    }
}

impl EmitOps for Emitter<'_, '_, '_, '_> {
    fn func(&mut self) -> &mut Function {
        &mut self.reader.f
    }
    fn builder(&mut self) -> Builder<'_> {
        self.reader.b()
    }
    fn emit(&mut self, op: IrOp, args: &[Value], ty: Type) -> Value {
        self.reader.emit(op, args, ty, self.fast)
    }
}

/// Reads a body into `func`, which has been declared for it.
pub fn read<'a>(
    r: &mut Reader<'_>,
    body: &'a Body<'a>,
    func: FuncRef,
    ret: u32,
    convention: Convention,
) -> Result<()> {
    let f = r.module.functions[func].clone();
    let mut fr = FuncReader {
        f,
        block: crate::ir::EntityRef::new(0),
        line: 0,
        vals: FxHashMap::default(),
        labels: FxHashMap::default(),
        label: 0,
        builtin_ptrs: r.builtins.iter().map(|(id, (b, ty))| (*id, (*b, *ty, None))).collect(),
        builtin_vectors: FxHashMap::default(),
        image_vars: FxHashMap::default(),
        ret,
        wide_types: FxHashMap::default(),
        r,
    };
    fr.find_selectors(body);
    let order = fr.control_flow(body)?;
    fr.parameters(body, convention == Convention::Kernel)?;
    for label in order {
        fr.read_block(label)?;
    }
    let f = fr.f;
    r.module.functions[func] = f;
    Ok(())
}

impl<'a> FuncReader<'_, '_, 'a> {
    /// A builder at the current position.
    pub fn b(&mut self) -> Builder<'_> {
        Builder { func: &mut self.f, block: self.block, line: self.line }
    }
    /// Appends an instruction with fast-math flags, and returns its only result.
    pub fn emit(&mut self, op: IrOp, args: &[Value], ty: Type, fast: FastMath) -> Value {
        let mut b = self.b();
        let v = b.value(op, args, ty);
        if fast != FastMath::default()
            && let Some(inst) = self.f.def_inst(v)
        {
            self.f.insts[inst].fast = fast;
        }
        v
    }
    /// Type ids and leaves of a value.
    pub fn typed(&mut self, id: u32, inst: &Instr<'_>) -> Result<(u32, Vals)> {
        if let Some((ty, v)) = self.vals.get(&id) {
            return Ok((*ty, v.clone()));
        }
        let Some(c) = self.r.consts.get(&id) else {
            return Err(inst.bad(format_args!("%{id} is not defined here")));
        };
        let ty = c.ty;
        let leaves = self.r.types.leaves(ty, inst)?;
        self.spend(leaves.len())?;
        let mut out = Vals::new();
        self.constant(id, ty, &leaves, &mut out, inst)?;
        Ok((ty, out))
    }
    /// Leaves of a value.
    pub fn leaves(&mut self, id: u32, inst: &Instr<'_>) -> Result<Vals> {
        Ok(self.typed(id, inst)?.1)
    }
    /// A value of a scalar, vector or pointer type.
    pub fn one(&mut self, id: u32, inst: &Instr<'_>) -> Result<Value> {
        match self.leaves(id, inst)?.as_slice() {
            [v] => Ok(*v),
            _ => Err(inst.bad(format_args!("%{id} is not a scalar, vector or pointer"))),
        }
    }
    /// Operand `i` as a value of one leaf.
    pub fn arg(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let id = inst.word(i)?;
        self.one(id, inst)
    }
    /// Operand `i`, which must be an integer scalar or vector.
    pub fn int_arg(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let v = self.arg(i, inst)?;
        if !self.f.ty(v).is_int() {
            return Err(inst.bad(format_args!("operand {i} is not an integer")));
        }
        Ok(v)
    }
    /// Operand `i`, which must be a floating-point scalar or vector.
    pub fn float_arg(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let v = self.arg(i, inst)?;
        if !self.f.ty(v).is_float() {
            return Err(inst.bad(format_args!("operand {i} is not a floating-point value")));
        }
        Ok(v)
    }
    /// Operand `i`, which must be a pointer.
    pub fn ptr_arg(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let v = self.arg(i, inst)?;
        if self.f.ty(v).space().is_none() {
            return Err(inst.bad(format_args!("operand {i} is not a pointer")));
        }
        Ok(v)
    }
    /// Type id of a value or constant.
    pub fn type_of(&self, id: u32, inst: &Instr<'_>) -> Result<u32> {
        if let Some((ty, _)) = self.vals.get(&id) {
            return Ok(*ty);
        }
        match self.r.consts.get(&id) {
            Some(c) => Ok(c.ty),
            None => Err(inst.bad(format_args!("%{id} is not defined here"))),
        }
    }
    /// The result type of an instruction that yields one IR value.
    pub fn result_type(&self, inst: &Instr<'_>) -> Result<Type> {
        self.r.types.plain(inst.word(0)?, inst)
    }
    /// Defines the result of an instruction with its only leaf, whose type must be the result type.
    pub fn define(&mut self, inst: &Instr<'_>, v: Value) -> Result<()> {
        self.define_all(inst, smallvec![v])
    }
    /// Counts leaves of aggregates.
    fn spend(&mut self, leaves: usize) -> Result<()> {
        if leaves <= 1 {
            return Ok(());
        }
        match self.r.leaf_budget.checked_sub(leaves) {
            Some(rest) => {
                self.r.leaf_budget = rest;
                Ok(())
            }
            None => Err(CompileError::unsupported("so many values of aggregate types", self.line)),
        }
    }
    /// Defines the result of an instruction.
    pub fn define_all(&mut self, inst: &Instr<'_>, vals: Vals) -> Result<()> {
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        let expected = self.r.types.leaves(ty, inst)?;
        self.spend(expected.len())?;
        let same =
            expected.len() == vals.len() && expected.iter().zip(&vals).all(|(l, v)| l.ty == self.f.ty(*v));
        if !same {
            return Err(inst.bad(format_args!("operands and result type of {:?} do not agree", inst.op)));
        }
        if self.vals.insert(id, (ty, vals)).is_some() {
            return Err(inst.bad(format_args!("%{id} is defined twice")));
        }
        Ok(())
    }

    fn constant(
        &mut self,
        id: u32,
        ty: u32,
        leaves: &[Leaf],
        out: &mut Vals,
        inst: &Instr<'_>,
    ) -> Result<()> {
        let Some(c) = self.r.consts.get(&id).cloned() else {
            return Err(inst.bad(format_args!("%{id} is not defined here")));
        };
        match c.kind {
            SpirvConstKind::Null => {
                for l in leaves {
                    let v = match l.ty {
                        Type::Opaque(_) => self.f.undef(l.ty),
                        ty => self.f.bits(ty, 0),
                    };
                    out.push(v);
                }
            }
            SpirvConstKind::Undef => out.extend(leaves.iter().map(|l| self.f.undef(l.ty))),
            SpirvConstKind::Bits(bits) => {
                let [leaf] = leaves else {
                    return Err(inst.bad("a number where an aggregate is expected"));
                };
                if bits.len() != leaf.ty.lanes() as usize || matches!(leaf.ty, Type::Opaque(_)) {
                    return Err(inst.bad("constant of another type"));
                }
                out.push(self.f.constant(Const::Bits(leaf.ty, bits)));
            }
            SpirvConstKind::Composite(parts) => {
                let mut rest = leaves;
                for (i, part) in parts.iter().enumerate() {
                    let (member, ..) = self.r.types.member(ty, i as u64, inst)?;
                    let n = self.r.types.need(member, inst)?.leaves.min(rest.len());
                    let (mine, others) = rest.split_at(n);
                    if n > 0 {
                        self.constant(*part, member, mine, out, inst)?;
                    }
                    rest = others;
                }
            }
            SpirvConstKind::Address { global, addend } => {
                let [leaf] = leaves else {
                    return Err(inst.bad("an address where an aggregate is expected"));
                };
                let (want, space) = (leaf.ty, self.r.global_data(global).space);
                let mut b = self.b();
                let base = b.value(IrOp::GlobalAddr(global), &[], Type::Ptr(space));
                let at = b.ptr_add_const(base, addend);
                let v = match want {
                    Type::Ptr(s) if s == space => at,
                    Type::Ptr(_) => b.cast(CastOp::PtrCast, at, want),
                    Type::Scalar(s) if s.is_int() => {
                        let wide = b.cast(CastOp::PtrToInt, at, crate::ir::I64);
                        if want == crate::ir::I64 { wide } else { b.cast(CastOp::Trunc, wide, want) }
                    }
                    _ => return Err(inst.bad("an address where a number is expected")),
                };
                out.push(v);
            }
            SpirvConstKind::Unknown(what) => {
                let types: Vec<Type> = leaves.iter().map(|l| l.ty).collect();
                out.extend(self.unsupported_call(&what, &[], &types));
            }
        }
        Ok(())
    }

    /// Calls the import that represents an unknown construct.
    pub fn unsupported_call(&mut self, construct: &str, args: &[Value], results: &[Type]) -> Vals {
        let params: Vec<Type> = args.iter().map(|a| self.f.ty(*a)).collect();
        let func = self.r.unsupported_import(construct, &params, results);
        self.call_import(func, args, results)
    }
    /// Calls a function of the built-in library.
    pub fn library_call(&mut self, name: &str, args: &[Value], results: &[Type]) -> Vals {
        let params: Vec<Type> = args.iter().map(|a| self.f.ty(*a)).collect();
        let func = self.r.import(name, &params, results);
        self.call_import(func, args, results)
    }
    fn call_import(&mut self, func: FuncRef, args: &[Value], results: &[Type]) -> Vals {
        let call = self.b().inst(IrOp::Call(func), args, results);
        self.f.insts[call].results.iter().copied().collect()
    }
    /// Handles an unknown instruction: fails where it is reached.
    pub fn unsupported(&mut self, construct: &str, inst: &Instr<'_>) -> Result<()> {
        if !has_result_type(inst.op) {
            self.unsupported_call(construct, &[], &[]);
            return Ok(());
        }
        let types = match self.r.types.leaf_types(inst.word(0)?, inst) {
            Ok(types) => types,
            Err(_) => return Err(CompileError::unsupported(construct, self.line)),
        };
        let vals = self.unsupported_call(construct, &[], &types);
        self.define_all(inst, vals)
    }

    /// Binds the parameters to their values; copies what is passed in memory by value.
    fn parameters(&mut self, body: &Body<'_>, is_kernel: bool) -> Result<()> {
        let Some(entry) = self.f.entry() else {
            return Err(body.header.bad("function without a block"));
        };
        self.block = entry;
        let params: Vec<Value> =
            self.f.sig.params.clone().into_iter().map(|ty| self.f.add_param(entry, ty)).collect();
        let mut next = params.into_iter();
        for p in &body.params {
            let (ty, id) = (p.word(0)?, p.word(1)?);
            let by_val = self.r.meta.of(id).by_val;
            let aggregate = self.r.types.is_aggregate(ty);
            let count = if is_kernel { 1 } else { self.r.types.need(ty, p)?.leaves };
            let mut vals: Vals = next.by_ref().take(count).collect();
            if is_kernel && aggregate {
                let leaves = self.r.types.leaves(ty, p)?;
                let align = self.r.types.need(ty, p)?.align;
                vals = self.load_leaves(vals[0], &leaves, align, Default::default());
            } else if by_val
                && !is_kernel
                && let SpirvTypeKind::Ptr { pointee, .. } = self.r.types.need(ty, p)?.kind
            {
                vals = smallvec![self.private_copy(vals[0], pointee, p)?];
            }
            self.define_all(p, vals)?;
        }
        Ok(())
    }

    /// A slot that holds a copy of the bytes at `from`.
    fn private_copy(&mut self, from: Value, pointee: u32, inst: &Instr<'_>) -> Result<Value> {
        let info = self.r.types.need(pointee, inst)?.clone();
        let to = self.new_slot(info.size, info.align, inst)?;
        let mut pieces = self.r.types.leaves(pointee, inst)?;
        fill_gaps(&mut pieces, info.size);
        let vals = self.load_leaves(from, &pieces, info.align, Default::default());
        self.store_leaves(to, &vals, &pieces, info.align, Default::default());
        Ok(to)
    }

    /// Address of a new slot.
    pub fn new_slot(&mut self, size: u64, align: u32, inst: &Instr<'_>) -> Result<Value> {
        let size = u32::try_from(size).ok().filter(|s| *s <= 1 << 26);
        let size = size.ok_or_else(|| inst.bad("variable too large"))?;
        let slot = self.f.slots.push(crate::ir::SlotData { size, align: align.clamp(1, 4096) });
        Ok(self.b().slot_addr(slot))
    }

    /// Raises the size of a slot. For arrays of pointers the producer declares variables of one pointer;
    /// later instructions on the variable (its lifetime, a cast to the array's type) have the right size.
    pub fn grow_slot(&mut self, p: Value, bytes: u64) {
        let Some(IrOp::SlotAddr(slot)) = self.f.def_op(p).cloned() else { return };
        let size = &mut self.f.slots[slot].size;
        *size = u32::try_from(bytes).ok().filter(|b| *b <= 1 << 26).unwrap_or(0).max(*size);
    }

    /// Raises the alignment of the slot at `p` to that of an access to it.
    pub fn raise_slot(&mut self, p: Value, align: u32) {
        let Some(IrOp::SlotAddr(slot)) = self.f.def_op(p).cloned() else { return };
        let own = &mut self.f.slots[slot].align;
        *own = align.clamp(*own, 4096);
    }

    fn read_block(&mut self, label: u32) -> Result<()> {
        let Some(l) = self.labels.get(&label) else { return Ok(()) };
        let (block, insts) = (l.block, l.insts);
        self.block = block;
        self.label = label;
        for inst in insts {
            self.instruction(inst)?;
        }
        Ok(())
    }

    /// Loop Control of the loop whose header is the current block.
    fn unroll_hint(&mut self, control: u32) {
        let control = LoopControl::from_bits_truncate(control);
        self.f.blocks[self.block].unroll = match control {
            c if c.contains(LoopControl::DONT_UNROLL) => Some(UnrollHint::Never),
            c if c.contains(LoopControl::UNROLL) => Some(UnrollHint::Full),
            _ => None,
        };
    }

    fn instruction(&mut self, inst: &Instr<'a>) -> Result<()> {
        match inst.op {
            Op::Line => {
                self.line = inst.word(1)?;
                Ok(())
            }
            Op::Nop | Op::NoLine | Op::Phi | Op::SelectionMerge | Op::LifetimeStop | Op::AssumeTrueKHR => {
                Ok(())
            }
            Op::LoopMerge => {
                self.unroll_hint(inst.word(2)?);
                Ok(())
            }
            // Hints to the compiler and the cache.
            Op::LoopControlINTEL | Op::SubgroupBlockPrefetchINTEL => Ok(()),
            Op::LifetimeStart => {
                let p = self.ptr_arg(0, inst)?;
                self.grow_slot(p, u64::from(inst.word(1)?));
                Ok(())
            }
            Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable => self.terminator(inst),
            Op::FunctionCall => self.call(inst),
            Op::ExtInst => self.ext_inst(inst),
            Op::Undef => {
                let ty = inst.word(0)?;
                let leaves = self.r.types.leaves(ty, inst)?;
                let vals = leaves.iter().map(|l| self.f.undef(l.ty)).collect();
                self.define_all(inst, vals)
            }
            _ => {
                if self.memory_op(inst)?
                    || self.sync_op(inst)?
                    || self.group_op(inst)?
                    || self.value_op(inst)?
                    || self.image_op(inst)?
                    || self.pipe_op(inst)?
                    || self.enqueue_op(inst)?
                    || self.vendor_op(inst)?
                {
                    return Ok(());
                }
                let construct = match inst.op {
                    // Only with image operands that need extensions.
                    op @ (Op::ImageSampleExplicitLod | Op::ImageRead | Op::ImageWrite) => {
                        format!("Op{op:?} with a level of detail, gradient or sample")
                    }
                    op => format!("Op{op:?}"),
                };
                self.unsupported(&construct, inst)
            }
        }
    }

    fn call(&mut self, inst: &Instr<'_>) -> Result<()> {
        let callee = inst.word(2)?;
        let Some(info) = self.r.funcs.get(&callee) else {
            return Err(inst.bad(format_args!("%{callee} is not a function")));
        };
        let (func, ret) = (info.func, info.ret);
        if ret != inst.word(0)? {
            return Err(inst.bad("result type of the called function differs"));
        }
        let mut args = Vals::new();
        for id in inst.rest(3) {
            args.extend(self.leaves(*id, inst)?);
        }
        let sig = self.r.module.functions[func].sig.clone();
        if sig.params.len() != args.len() || sig.params.iter().zip(&args).any(|(p, a)| *p != self.f.ty(*a)) {
            return Err(inst.bad("arguments and parameters differ"));
        }
        if let Some(vals) = self.image_call(func, inst)? {
            return if sig.results.is_empty() { Ok(()) } else { self.define_all(inst, vals) };
        }
        if self.r.module.functions[func].linkage == Linkage::Import {
            let name = self.r.module.functions[func].name.clone();
            if let Some(vals) = self.work_item_call(&name, &args, &sig.results) {
                return if sig.results.is_empty() { Ok(()) } else { self.define_all(inst, vals) };
            }
            // LLVM's translator declares what is called with the format and its arguments (Julia).
            if name == "printf" && sig.results == [I32] && args.len() == inst.rest(3).len() {
                let printed = self.b().value(IrOp::OpenCl(ClOp::printf), &args, I32);
                return self.define(inst, printed);
            }
        }
        if let Some(vals) = self.helper(func, &args, &sig.results, inst)? {
            return if sig.results.is_empty() { Ok(()) } else { self.define_all(inst, vals) };
        }
        let call: Inst = self.b().inst(IrOp::Call(func), &args, &sig.results);
        let vals: Vals = self.f.insts[call].results.iter().copied().collect();
        if sig.results.is_empty() { Ok(()) } else { self.define_all(inst, vals) }
    }
}

/// Adds pieces for the bytes between leaves, so that a copy by pieces copies every byte.
pub fn fill_gaps(pieces: &mut Vec<Leaf>, size: u64) {
    pieces.sort_by_key(|l| l.offset);
    let mut out = Vec::with_capacity(pieces.len());
    let mut at = 0u64;
    let fill = |out: &mut Vec<Leaf>, mut at: u64, end: u64| {
        while at < end {
            let step = (1u64 << at.trailing_zeros().min(2)).min(1 << (end - at).ilog2());
            let scalar = crate::ir::Scalar::int(step as u32 * 8).unwrap_or(crate::ir::Scalar::I8);
            let step = scalar.bytes() as u64;
            out.push(Leaf { ty: Type::Scalar(scalar), offset: at });
            at += step;
        }
    };
    for l in pieces.iter() {
        fill(&mut out, at, l.offset);
        out.push(*l);
        at = at.max(l.offset + l.ty.access_bytes().unwrap_or(8) as u64);
    }
    fill(&mut out, at, size);
    *pieces = out;
}
