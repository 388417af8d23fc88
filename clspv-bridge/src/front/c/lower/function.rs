//! Lowering of one function: the position in its code, its variables and parameters, and the emission of
//! instructions.
//!
//! Instructions on constants are folded when they are emitted, so that initializers with static storage are
//! lowered like other expressions ([`super::static_data`]).

use super::flow::Flow;
use super::module::{ModuleLowering, malformed};
use super::object::ObjectRef;
use super::ssa::{self, Ssa};
use super::types::{MAX_TYPE_ALIGN, align_of_variable, is_aggregate, padding, value_type};
use crate::error::{CompileError, Result};
use crate::front::c::ast::{
    CastKind, ExprId, ExprKind, FuncId, LabelId, StmtId, StmtKind, Storage, Unit, VarId,
};
use crate::front::c::layout::layout;
use crate::front::c::source::Loc;
use crate::front::c::types::{QualTy, Ty, TypeKind};
use crate::ir::{
    BinOp, Block, BlockCall, Builder, CastOp, Const, EntityRef, FastMath, FuncRef, Function, I64, Inst, Op,
    SlotData, Space, Type, UnOp, Value, typing,
};
use crate::options::Options;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Largest stack slot in bytes.
const MAX_SLOT_BYTES: u64 = 1 << 26;

/// Home of a variable with automatic storage.
#[derive(Clone, Copy)]
pub enum Home {
    Values(ssa::SsaVariable),
    Memory(ObjectRef),
}

/// State of lowering one function.
pub struct FunctionLowering<'m, 'a> {
    pub m: &'m mut ModuleLowering<'a>,
    pub f: Function,
    /// Block that instructions are appended to.
    block: Block,
    /// Whether `block` lacks a terminator.
    is_open: bool,
    pub line: u32,
    /// Permissions of floating-point operations.
    pub fast: FastMath,
    ssa: Ssa,
    homes: FxHashMap<VarId, Home>,
    /// Instructions at the start of the entry block: addresses of stack slots.
    slots: Vec<Inst>,
    pub(super) flow: Vec<Flow>,
    pub(super) labels: FxHashMap<LabelId, Block>,
    /// Address for an aggregate result.
    pub(super) result_address: Option<Value>,
    /// Whether the variable that is returned is at [`Self::result_address`] already.
    pub(super) shares_result: bool,
    /// Values of [`crate::front::c::ast::ExprKind::Opaque`] in the enclosing expressions.
    pub(super) opaque: Vec<Value>,
    /// Depth of nested expressions and statements.
    pub(super) depth: u32,
}

/// Lowers the body of a function or kernel that has been declared as `func`.
pub fn lower(m: &mut ModuleLowering<'_>, id: FuncId, func: FuncRef, is_kernel: bool) -> Result<()> {
    let decl = m.decl(id)?;
    let Some(body) = decl.body else { return Err(malformed("a function without a body")) };
    let TypeKind::Function(ty) = m.input.types.resolved(decl.ty) else {
        return Err(malformed("a function whose type is not a function type"));
    };
    let contracts = !m.input.unit.no_contract.contains(&id);
    let f = m.module.functions[func].clone();
    let mut lowering = FunctionLowering::new(m, f, contracts);
    lowering.at(decl.loc);
    let mut params = lowering.entry_params();
    if is_aggregate(lowering.m.input.types, ty.result.ty) {
        lowering.result_address = params.next();
    }
    for (param, value) in decl.params.iter().zip(params) {
        lowering.bind_param(*param, value, is_kernel)?;
    }
    if lowering.result_address.is_some() {
        lowering.share_result(body, ty.result.ty);
    }
    lowering.statement(body)?;
    m.module.functions[func] = lowering.finish(ty.result.ty);
    Ok(())
}

/// The variable whose value every `return` statement of a body returns, those of nested blocks included.
fn returned_variable(unit: &Unit, body: StmtId) -> Option<VarId> {
    // The statements of a body lie between the body of the function before and itself.
    let earlier = unit.functions.iter().filter_map(|f| f.body).filter(|b| b.0 < body.0);
    let first = earlier.map(|b| b.0 as usize + 1).max().unwrap_or(0);
    let mut found = None;
    for stmt in unit.stmts.get(first..=body.0 as usize)? {
        let StmtKind::Return(value) = stmt.kind else { continue };
        let kind = |id: ExprId| unit.exprs.get(id.0 as usize).map(|e| &e.kind);
        let ExprKind::Cast(CastKind::Load, object) = kind(value?)? else { return None };
        let ExprKind::Var(id) = kind(*object)? else { return None };
        if *found.get_or_insert(*id) != *id {
            return None;
        }
    }
    found
}

/// Permissions of floating-point operations under these options.
pub fn fast_math(options: &Options, contracts: bool) -> FastMath {
    let unsafe_math = options.unsafe_math || options.fast_relaxed_math;
    let finite = options.finite_math || options.fast_relaxed_math;
    FastMath {
        no_nan: finite,
        no_inf: finite,
        no_signed_zero: unsafe_math || options.no_signed_zeros,
        allow_recip: unsafe_math,
        contract: contracts || unsafe_math,
        fast: unsafe_math && finite,
    }
}

impl<'m, 'a> FunctionLowering<'m, 'a> {
    /// Begins a body in a declared function.
    pub fn new(m: &'m mut ModuleLowering<'a>, f: Function, contracts: bool) -> Self {
        let fast = fast_math(m.input.options, contracts);
        let mut lowering = FunctionLowering {
            m,
            f,
            block: Block::new(0),
            is_open: false,
            line: 0,
            fast,
            ssa: Ssa::default(),
            homes: FxHashMap::default(),
            slots: Vec::new(),
            flow: Vec::new(),
            labels: FxHashMap::default(),
            result_address: None,
            shares_result: false,
            opaque: Vec::new(),
            depth: 0,
        };
        let entry = lowering.new_block();
        lowering.start(entry);
        lowering.seal(entry);
        lowering
    }

    /// Adds the function's parameters to the entry block.
    pub fn entry_params(&mut self) -> std::vec::IntoIter<Value> {
        let (block, types) = (self.block, self.f.sig.params.clone());
        let params: Vec<Value> = types.into_iter().map(|ty| self.f.add_param(block, ty)).collect();
        params.into_iter()
    }

    /// Gives a parameter its value; what is passed in memory is copied, unless the function is a kernel,
    /// whose caller made a copy.
    pub fn bind_param(&mut self, id: VarId, value: Value, is_kernel: bool) -> Result<()> {
        let ty = self.m.var(id)?.ty.ty;
        if is_aggregate(self.types(), ty) && self.f.ty(value).space().is_some() {
            let layout = layout(self.types(), ty);
            let object = ObjectRef::new(value, layout.align);
            if is_kernel {
                self.homes.insert(id, Home::Memory(object));
            } else {
                let home = self.home_object(id)?;
                self.copy(home, object, layout.size);
            }
            return Ok(());
        }
        match self.home(id)? {
            Home::Values(variable) => self.write(variable, value),
            Home::Memory(object) => self.store(object, value),
        }
        Ok(())
    }

    /// Gives the variable that all `return` statements name, if there is such, the memory of the result.
    fn share_result(&mut self, body: StmtId, result: Ty) {
        let Some(id) = returned_variable(self.m.input.unit, body) else { return };
        let (Ok(var), Some(addr)) = (self.m.var(id), self.result_address) else { return };
        let (ty, layout) = (self.types().canonical(var.ty), layout(self.types(), result));
        let is_same = ty.ty == self.types().canonical(QualTy::plain(result)).ty && !ty.quals.is_volatile;
        if var.storage == Storage::Auto && is_same && align_of_variable(var, layout.align) == layout.align {
            self.homes.insert(id, Home::Memory(ObjectRef::new(addr, layout.align)));
            self.shares_result = true;
        }
    }

    /// Ends the body, and returns the function.
    pub fn finish(mut self, result: Ty) -> Function {
        if self.is_open {
            // Leaving a function without a value is undefined only if the value is used.
            let values: SmallVec<[Value; 1]> = match value_type(self.types(), result) {
                Some(ty) if self.result_address.is_none() => smallvec![self.f.undef(ty)],
                _ => smallvec![],
            };
            self.ret(&values);
        }
        for block in self.labels.values().copied().collect::<Vec<_>>() {
            self.seal(block);
        }
        if let Some(entry) = self.f.entry() {
            let mut insts = std::mem::take(&mut self.slots);
            insts.extend(self.f.take_insts(entry));
            self.f.blocks[entry].insts = insts;
        }
        ssa::finish(&mut self.f);
        self.f
    }

    /// The types of the translation unit.
    pub fn types(&self) -> &'a crate::front::c::types::Types {
        self.m.input.types
    }

    /// Sets the source line of the instructions that follow.
    pub fn at(&mut self, loc: Loc) {
        let line = self.m.input.session.sources.line(loc);
        if line != 0 {
            self.line = line;
        }
    }

    /// A builder at the current position. Code after a terminator is unreachable.
    pub fn builder(&mut self) -> Builder<'_> {
        self.open();
        Builder { func: &mut self.f, block: self.block, line: self.line }
    }

    fn open(&mut self) {
        if !self.is_open {
            let unreachable = self.new_block();
            self.start(unreachable);
            self.seal(unreachable);
        }
    }

    /// Appends an instruction and returns its only result, or returns the constant that it computes.
    pub fn emit(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        if let Some(folded) = self.folded(&op, args, ty) {
            return self.f.constant(folded);
        }
        let flags = if has_fast_math(&op) { self.fast } else { FastMath::default() };
        let inst = self.builder().inst(op, args, &[ty]);
        self.f.insts[inst].fast = flags;
        self.f.insts[inst].results[0]
    }

    fn folded(&self, op: &Op, args: &[Value], ty: Type) -> Option<Const> {
        let consts: SmallVec<[&Const; 4]> =
            args.iter().map(|a| self.f.as_const(*a)).collect::<Option<SmallVec<_>>>()?;
        if let (Op::Cast(CastOp::FpConv), [Const::Bits(Type::Scalar(crate::ir::Scalar::F64), bits)]) =
            (op, consts.as_slice())
            && ty == crate::ir::F16
        {
            let value = f64::from_bits(bits.first().copied().unwrap_or(0));
            return Some(Const::Bits(ty, smallvec![u64::from(half::f16::from_f64(value).to_bits())]));
        }
        crate::ir::fold::fold(op, &consts, ty)
    }

    /// Address of a new stack slot.
    pub fn slot(&mut self, size: u64, align: u32) -> Result<Value> {
        let size = u32::try_from(size).ok().filter(|s| u64::from(*s) <= MAX_SLOT_BYTES);
        let size =
            size.ok_or_else(|| CompileError::unsupported("variables of more than 64 MiB", self.line))?;
        let slot = self.f.slots.push(SlotData { size, align: align.clamp(1, 4096).next_power_of_two() });
        Ok(self.emit_first(Op::SlotAddr(slot), &[], Type::Ptr(Space::Private)))
    }

    /// A new stack slot for an object of a type.
    pub fn slot_of(&mut self, ty: Ty) -> Result<ObjectRef> {
        let layout = layout(self.types(), ty);
        Ok(ObjectRef::new(self.aligned_slot(layout.size, layout.align)?, layout.align))
    }

    /// Address of a new stack slot for an object of any alignment, computed at the start of the function.
    fn aligned_slot(&mut self, size: u64, align: u32) -> Result<Value> {
        let slot = self.slot(size.saturating_add(padding(align)), align.min(MAX_TYPE_ALIGN))?;
        if padding(align) == 0 {
            return Ok(slot);
        }
        Ok(self.aligned(slot, align, Self::emit_first))
    }

    /// The first address from `addr` on with an alignment. `emit` adds the instructions.
    pub fn aligned(
        &mut self,
        addr: Value,
        align: u32,
        emit: fn(&mut Self, Op, &[Value], Type) -> Value,
    ) -> Value {
        let (zero, mask) = (self.i64(0), self.i64(i64::from(align) - 1));
        let number = emit(self, Op::Cast(CastOp::PtrToInt), &[addr], I64);
        let negated = emit(self, Op::Bin(BinOp::Isub), &[zero, number], I64);
        let gap = emit(self, Op::Bin(BinOp::And), &[negated, mask], I64);
        let ty = self.f.ty(addr);
        emit(self, Op::PtrAdd, &[addr, gap], ty)
    }

    /// Adds an instruction at the start of the function and returns its only result.
    fn emit_first(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let inst = self.f.make_inst(op, args, &[ty]);
        self.slots.push(inst);
        self.f.insts[inst].results[0]
    }

    /// Calls the import that represents an unsupported construct, and returns its result of this type.
    pub fn unsupported(&mut self, construct: &str, args: &[Value], result: Option<Type>) -> Option<Value> {
        let params: Vec<Type> = args.iter().map(|a| self.f.ty(*a)).collect();
        let func = self.m.unsupported_import(construct, &params, result.as_slice());
        self.call(func, args)
    }

    /// Calls a function of the built-in library.
    pub fn library_call(&mut self, name: &str, args: &[Value], result: Option<Type>) -> Option<Value> {
        let params: Vec<Type> = args.iter().map(|a| self.f.ty(*a)).collect();
        let func = self.m.import(name, &params, result.as_slice());
        self.call(func, args)
    }

    /// Calls a function; the result is `None` if it has none.
    pub fn call(&mut self, func: FuncRef, args: &[Value]) -> Option<Value> {
        let results = self.m.module.functions[func].sig.results.clone();
        let inst = self.builder().inst(Op::Call(func), args, &results);
        self.f.insts[inst].results.first().copied()
    }

    /// A block that code can be appended to after [`FunctionLowering::start`].
    pub fn new_block(&mut self) -> Block {
        self.f.new_block_detached()
    }

    /// Continues at a new block.
    pub fn start(&mut self, block: Block) {
        self.f.layout.push(block);
        self.block = block;
        self.is_open = true;
    }

    /// Declares that all edges to a block have been made.
    pub fn seal(&mut self, block: Block) {
        self.ssa.seal(&mut self.f, block);
    }

    /// Continues at a new block that gets no more edges.
    pub fn start_sealed(&mut self, block: Block) {
        self.seal(block);
        self.start(block);
    }

    /// Whether anything jumps to the block so far.
    pub fn has_edges(&self, block: Block) -> bool {
        self.ssa.has_edges(block)
    }

    /// The current block, if it lacks a terminator.
    pub fn current(&self) -> Option<Block> {
        self.is_open.then_some(self.block)
    }

    /// Ends the current block.
    pub fn jump(&mut self, to: Block, args: &[Value]) {
        self.terminate(self.block, Op::Jump, &[], &[BlockCall::new(to, args)]);
    }

    /// Ends the current block; a constant condition gives a jump.
    pub fn branch(&mut self, cond: Value, then: Block, otherwise: Block) {
        match self.f.as_bits(cond) {
            Some(bits) => self.jump(if bits & 1 == 1 { then } else { otherwise }, &[]),
            None => {
                let targets = [BlockCall::new(then, &[]), BlockCall::new(otherwise, &[])];
                self.terminate(self.block, Op::BrIf, &[cond], &targets);
            }
        }
    }

    /// Ends the current block with a return.
    pub fn ret(&mut self, values: &[Value]) {
        self.terminate(self.block, Op::Return, values, &[]);
    }

    /// Ends the current block, to be terminated later by [`FunctionLowering::terminate_block`].
    pub fn suspend(&mut self) -> Block {
        self.open();
        self.is_open = false;
        self.block
    }

    /// Ends a suspended block.
    pub fn terminate_block(&mut self, block: Block, op: Op, args: &[Value], targets: &[BlockCall]) {
        let (here, is_open) = (self.block, self.is_open);
        self.is_open = true;
        self.terminate(block, op, args, targets);
        (self.block, self.is_open) = (here, is_open);
    }

    fn terminate(&mut self, block: Block, op: Op, args: &[Value], targets: &[BlockCall]) {
        if !self.is_open {
            return;
        }
        let inst = self.f.make_terminator(op, args, targets);
        self.f.insts[inst].line = self.line;
        self.f.blocks[block].insts.push(inst);
        self.ssa.add_edges(&self.f, block, inst);
        self.is_open = false;
    }

    /// Value of a variable here.
    pub fn read(&mut self, variable: ssa::SsaVariable) -> Value {
        self.open();
        self.ssa.read(&mut self.f, variable, self.block)
    }

    /// Gives a variable a value.
    pub fn write(&mut self, variable: ssa::SsaVariable, value: Value) {
        self.open();
        self.ssa.write(variable, self.block, value);
    }

    /// Home of a variable with automatic storage, made at its first use: jumps may skip the declaration.
    pub fn home(&mut self, id: VarId) -> Result<Home> {
        if let Some(home) = self.homes.get(&id) {
            return Ok(*home);
        }
        let var = self.m.var(id)?;
        let ty = self.types().canonical(var.ty);
        let is_object = matches!(self.types().resolved(ty.ty), TypeKind::Image(_));
        let in_memory = !is_object && (var.in_memory || ty.quals.is_volatile || self.m.input.in_memory);
        let home = match value_type(self.types(), ty.ty) {
            Some(value) if !in_memory => Home::Values(self.ssa.declare(value)),
            _ => {
                let layout = layout(self.types(), ty.ty);
                let align = align_of_variable(var, layout.align);
                let addr = self.aligned_slot(layout.size, align)?;
                Home::Memory(ObjectRef { is_volatile: ty.quals.is_volatile, ..ObjectRef::new(addr, align) })
            }
        };
        self.homes.insert(id, home);
        Ok(home)
    }

    /// Home in memory of a variable of an aggregate type.
    pub fn home_object(&mut self, id: VarId) -> Result<ObjectRef> {
        match self.home(id)? {
            Home::Memory(object) => Ok(object),
            Home::Values(_) => Err(malformed("an aggregate that is not in memory")),
        }
    }

    /// A 64-bit constant.
    pub fn i64(&mut self, x: i64) -> Value {
        self.f.bits(I64, x as u64)
    }

    /// Zero of a type; objects without a representation in bits are undefined.
    pub fn zero(&mut self, ty: Type) -> Value {
        match ty {
            Type::Opaque(_) => self.f.undef(ty),
            ty => self.f.bits(ty, 0),
        }
    }
}

/// Whether fast-math permissions concern the operation.
fn has_fast_math(op: &Op) -> bool {
    match op {
        Op::Bin(op) => typing::is_float_bin(*op),
        Op::Un(op) => !matches!(op, UnOp::Not | UnOp::Popcnt | UnOp::Clz | UnOp::Ctz | UnOp::Bitrev),
        Op::Fma | Op::Mad | Op::Fcmp(_) | Op::OpenCl(_) => true,
        _ => false,
    }
}
