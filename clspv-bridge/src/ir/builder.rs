//! Cursor that appends typed instructions to a block's list.
//!
//! A pass that rewrites a block takes the old list ([`Function::take_insts`]), and pushes old and new
//! instructions through a builder positioned at the same block.

use super::entity::{Block, Inst, Slot, Value};
use super::func::Function;
use super::inst::{Access, BinOp, BlockCall, CastOp, FloatCc, IntCc, Op, UnOp};
use super::types::{I1, I32, I64, Scalar, Space, Type};

/// Appends instructions to the end of `block`.
pub struct Builder<'f> {
    pub func: &'f mut Function,
    pub block: Block,
    /// Source line of new instructions.
    pub line: u32,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `block`.
    pub fn new(func: &'f mut Function, block: Block) -> Self {
        Builder { func, block, line: 0 }
    }
    /// Appends an existing instruction.
    pub fn push(&mut self, inst: Inst) {
        self.func.blocks[self.block].insts.push(inst);
    }
    /// Appends a new instruction.
    pub fn inst(&mut self, op: Op, args: &[Value], results: &[Type]) -> Inst {
        let inst = self.func.make_inst(op, args, results);
        self.func.insts[inst].line = self.line;
        self.push(inst);
        inst
    }
    /// Appends a new instruction with one result and returns the result.
    pub fn value(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let inst = self.inst(op, args, &[ty]);
        self.func.insts[inst].results[0]
    }
    /// The type of a value.
    pub fn ty(&self, v: Value) -> Type {
        self.func.ty(v)
    }

    pub fn bin(&mut self, op: BinOp, x: Value, y: Value) -> Value {
        let ty = self.ty(x);
        self.value(Op::Bin(op), &[x, y], ty)
    }
    pub fn un(&mut self, op: UnOp, x: Value) -> Value {
        let ty = self.ty(x);
        self.value(Op::Un(op), &[x], ty)
    }
    pub fn iadd(&mut self, x: Value, y: Value) -> Value {
        self.bin(BinOp::Iadd, x, y)
    }
    pub fn isub(&mut self, x: Value, y: Value) -> Value {
        self.bin(BinOp::Isub, x, y)
    }
    pub fn imul(&mut self, x: Value, y: Value) -> Value {
        self.bin(BinOp::Imul, x, y)
    }
    pub fn and(&mut self, x: Value, y: Value) -> Value {
        self.bin(BinOp::And, x, y)
    }
    pub fn or(&mut self, x: Value, y: Value) -> Value {
        self.bin(BinOp::Or, x, y)
    }
    pub fn shl(&mut self, x: Value, y: Value) -> Value {
        self.bin(BinOp::Shl, x, y)
    }
    pub fn lshr(&mut self, x: Value, y: Value) -> Value {
        self.bin(BinOp::Lshr, x, y)
    }
    pub fn not(&mut self, x: Value) -> Value {
        self.un(UnOp::Not, x)
    }
    pub fn icmp(&mut self, cc: IntCc, x: Value, y: Value) -> Value {
        let lanes = self.ty(x).lanes();
        self.value(Op::Icmp(cc), &[x, y], Type::vector(Scalar::I1, lanes))
    }
    pub fn fcmp(&mut self, cc: FloatCc, x: Value, y: Value) -> Value {
        let lanes = self.ty(x).lanes();
        self.value(Op::Fcmp(cc), &[x, y], Type::vector(Scalar::I1, lanes))
    }
    pub fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.value(Op::Select, &[c, a, b], ty)
    }
    pub fn cast(&mut self, op: CastOp, x: Value, ty: Type) -> Value {
        self.value(Op::Cast(op), &[x], ty)
    }
    /// `x` as another type of the same size; `x` itself if it has that type already.
    pub fn bitcast(&mut self, x: Value, ty: Type) -> Value {
        if self.ty(x) == ty { x } else { self.cast(CastOp::Bitcast, x, ty) }
    }
    pub fn extract(&mut self, v: Value, lane: u8) -> Value {
        let ty = self.ty(v);
        if ty.lanes() == 1 { v } else { self.value(Op::Extract(lane), &[v], ty.lane()) }
    }
    pub fn insert(&mut self, v: Value, lane: u8, x: Value) -> Value {
        let ty = self.ty(v);
        self.value(Op::Insert(lane), &[v, x], ty)
    }
    /// A vector of the given lanes (the lane itself if there is only one).
    pub fn vec_build(&mut self, lanes: &[Value]) -> Value {
        if let [one] = lanes {
            return *one;
        }
        let ty = Type::Vector(self.ty(lanes[0]).scalar().unwrap_or(Scalar::I32), lanes.len() as u8);
        self.value(Op::VecBuild, lanes, ty)
    }
    pub fn load(&mut self, ty: Type, addr: Value, access: Access) -> Value {
        self.value(Op::Load(access), &[addr], ty)
    }
    pub fn store(&mut self, value: Value, addr: Value, access: Access) -> Inst {
        self.inst(Op::Store(access), &[value, addr], &[])
    }
    pub fn ptr_add(&mut self, ptr: Value, bytes: Value) -> Value {
        let ty = self.ty(ptr);
        debug_assert_eq!(self.ty(bytes), I64);
        self.value(Op::PtrAdd, &[ptr, bytes], ty)
    }
    pub fn ptr_add_const(&mut self, ptr: Value, bytes: i64) -> Value {
        if bytes == 0 {
            return ptr;
        }
        let c = self.func.i64(bytes);
        self.ptr_add(ptr, c)
    }
    pub fn slot_addr(&mut self, slot: Slot) -> Value {
        self.value(Op::SlotAddr(slot), &[], Type::Ptr(Space::Private))
    }
    pub fn jump(&mut self, block: Block, args: &[Value]) -> Inst {
        let inst = self.func.make_terminator(Op::Jump, &[], &[BlockCall::new(block, args)]);
        self.func.insts[inst].line = self.line;
        self.push(inst);
        inst
    }
    pub fn brif(&mut self, cond: Value, then: BlockCall, other: BlockCall) -> Inst {
        debug_assert_eq!(self.ty(cond), I1);
        let inst = self.func.make_terminator(Op::BrIf, &[cond], &[then, other]);
        self.func.insts[inst].line = self.line;
        self.push(inst);
        inst
    }
    pub fn ret(&mut self, values: &[Value]) -> Inst {
        let inst = self.func.make_terminator(Op::Return, values, &[]);
        self.push(inst);
        inst
    }
    /// An `i32` constant.
    pub fn i32(&mut self, x: i32) -> Value {
        self.func.bits(I32, x as u32 as u64)
    }
    /// An `i64` constant.
    pub fn i64(&mut self, x: i64) -> Value {
        self.func.i64(x)
    }
}
