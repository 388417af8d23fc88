//! Random kernels mean the same before and after every step of the compiler.
//!
//! Each seed produces a kernel with helper functions, private and local memory, nested control flow, vectors
//! and integers of all widths. The interpreter runs one work-group of it as generated, after each common
//! pass (of one pipeline or the other), after each pass of native code, after lowering for both pointer
//! modes, after clean-up and after structurizing; the output buffer must stay the same.
//! `PYROCLAST_RANDOM=FIRST,COUNT` runs other seeds.

#![allow(clippy::unwrap_used, clippy::panic)]

use clspv_bridge::abi::{BindingSource, BlockStorage, ImplicitArg, LaunchAbi, PointerMode};
use clspv_bridge::ir::interp::{Launch, Machine, Stop, value};
use clspv_bridge::ir::*;
use clspv_bridge::metadata::{ArgInfo, ArgKind, KernelInfo};
use clspv_bridge::options::Options;
use clspv_bridge::passes::PassContext;
use clspv_bridge::passes::lower::globals;
use clspv_bridge::pipeline;
use clspv_bridge::target::{Code, CodeGenerator, CpuTarget};
use clspv_bridge::{Target, metadata};

const ITEMS: u32 = 3;
const OUT_BYTES: usize = 1024;
const IN_BYTES: usize = 256;
/// Bytes of each work-item's part of the output.
const PART: i64 = 256;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 20) % n as u64) as usize
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

const INTS: [Type; 4] = [I8, I16, I32, I64];
const VECS: [Type; 4] = [
    Type::Vector(Scalar::I32, 4),
    Type::Vector(Scalar::I8, 4),
    Type::Vector(Scalar::I16, 2),
    Type::Vector(Scalar::I32, 8),
];

/// Generator of one function. Values in `pool` are visible at the current position.
struct Gen<'r> {
    rng: &'r mut Rng,
    f: Function,
    block: Block,
    pool: Vec<Value>,
    slots: Vec<Slot>,
    /// Readable and writable memory: pointer, bytes.
    memory: Vec<(Value, i64)>,
    /// Number of statements that may still be added.
    budget: usize,
    helpers: Vec<FuncRef>,
    /// Exit block, header and counter of each enclosing loop.
    loops: Vec<(Block, Block, Value)>,
    result: bool,
}

impl Gen<'_> {
    fn b(&mut self) -> Builder<'_> {
        Builder::new(&mut self.f, self.block)
    }
    fn constant(&mut self, ty: Type) -> Value {
        let small = self.rng.next();
        let bits = match self.rng.below(5) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 if small & 64 != 0 => 1 << (small % 32),
            3 => small % 33,
            _ => self.rng.next(),
        };
        let bits = match ty.scalar() {
            Some(Scalar::F32) => ((small % 64) as f32 / 4.0).to_bits() as u64,
            Some(s) => bits & s.mask(),
            None => 0,
        };
        self.f.bits(ty, bits)
    }
    fn get(&mut self, ty: Type) -> Value {
        let fits: Vec<Value> = self.pool.iter().copied().filter(|v| self.f.ty(*v) == ty).collect();
        if !fits.is_empty() && self.rng.chance(85) {
            // Prefer recent values.
            let from = if self.rng.chance(60) { fits.len().saturating_sub(4) } else { 0 };
            return fits[from + self.rng.below(fits.len() - from)];
        }
        if self.rng.chance(40) {
            return self.constant(ty);
        }
        // Derived from an existing i32.
        let base = self.pool.iter().copied().filter(|v| self.f.ty(*v) == I32).collect::<Vec<_>>();
        let x = if base.is_empty() { self.constant(I32) } else { self.rng.pick(&base) };
        match ty {
            Type::Vector(s, _) => {
                let lane = self.convert(x, Type::Scalar(s));
                self.b().value(Op::Splat, &[lane], ty)
            }
            _ => self.convert(x, ty),
        }
    }
    /// A 32-bit integer as another scalar.
    fn convert(&mut self, x: Value, ty: Type) -> Value {
        let signed = self.rng.chance(50);
        match ty {
            I32 => x,
            I64 => self.b().cast(if signed { CastOp::Sext } else { CastOp::Zext }, x, ty),
            F32 => {
                let c = self.f.i32(1023);
                let x = self.b().and(x, c);
                self.b().cast(CastOp::SToFp, x, ty)
            }
            _ => self.b().cast(CastOp::Trunc, x, ty),
        }
    }
    fn int(&mut self) -> Type {
        if self.rng.chance(60) { I32 } else { self.rng.pick(&INTS) }
    }
    fn condition(&mut self) -> Value {
        if self.rng.chance(15) {
            return self.get(I1);
        }
        let ty = if self.rng.chance(90) { self.int() } else { F32 };
        let (x, y) = (self.get(ty), self.get(ty));
        if ty == F32 {
            let cc = self.rng.pick(&[FloatCc::Olt, FloatCc::Oge, FloatCc::Une, FloatCc::Oeq]);
            return self.b().fcmp(cc, x, y);
        }
        let all = [
            IntCc::Eq,
            IntCc::Ne,
            IntCc::Ult,
            IntCc::Ule,
            IntCc::Ugt,
            IntCc::Uge,
            IntCc::Slt,
            IntCc::Sle,
            IntCc::Sgt,
        ];
        let cc = self.rng.pick(&all);
        self.b().icmp(cc, x, y)
    }
    fn arithmetic(&mut self) -> Value {
        let vector = self.rng.chance(20);
        let ty = if vector { self.rng.pick(&VECS) } else { self.int() };
        let x = self.get(ty);
        // Passes match constants.
        let y = if self.rng.chance(25) { self.constant(ty) } else { self.get(ty) };
        let ops = [
            BinOp::Iadd,
            BinOp::Isub,
            BinOp::Imul,
            BinOp::And,
            BinOp::Or,
            BinOp::Xor,
            BinOp::Shl,
            BinOp::Lshr,
            BinOp::Ashr,
            BinOp::Rotl,
            BinOp::Umin,
            BinOp::Umax,
            BinOp::Smin,
            BinOp::Smax,
            BinOp::UmulHi,
            BinOp::SmulHi,
        ];
        match self.rng.below(15) {
            0 | 14 => {
                let one = self.f.bits(ty, 1);
                let power = self.f.bits(ty, 1 << self.rng.below(7));
                let y = if self.rng.chance(50) { power } else { self.b().or(y, one) };
                let op = self.rng.pick(&[BinOp::Udiv, BinOp::Urem, BinOp::Sdiv, BinOp::Srem]);
                self.b().bin(op, x, y)
            }
            1 => {
                let op = self.rng.pick(&[UnOp::Not, UnOp::Popcnt, UnOp::Clz, UnOp::Ctz, UnOp::Bitrev]);
                self.b().un(op, x)
            }
            2 => {
                let c = self.condition();
                self.b().select(c, x, y)
            }
            3 if !vector => {
                let ty = self.int();
                let from = self.f.ty(x);
                let (have, want) = (from.scalar().unwrap().bits(), ty.scalar().unwrap().bits());
                let op =
                    if want < have { CastOp::Trunc } else { self.rng.pick(&[CastOp::Zext, CastOp::Sext]) };
                if want == have { x } else { self.b().cast(op, x, ty) }
            }
            4 => {
                let (x, y) = (self.get(F32), self.get(F32));
                let op = self.rng.pick(&[BinOp::Fadd, BinOp::Fsub, BinOp::Fmul, BinOp::Fmin]);
                self.b().bin(op, x, y)
            }
            5 => {
                let x = self.get(F32);
                self.b().cast(CastOp::Bitcast, x, I32)
            }
            6 if vector => {
                let lane = self.rng.below(ty.lanes() as usize) as u8;
                self.b().extract(x, lane)
            }
            7 if vector => {
                let lane = self.rng.below(ty.lanes() as usize) as u8;
                let new = self.get(ty.lane());
                self.b().insert(x, lane, new)
            }
            8 if vector => {
                let n = ty.lanes() as usize;
                let lanes = (0..n).map(|_| self.rng.below(2 * n) as u8).collect();
                self.b().value(Op::Shuffle(lanes), &[x, y], ty)
            }
            9 if vector => {
                let c = self.b().icmp(IntCc::Slt, x, y);
                self.b().select(c, x, y)
            }
            _ => {
                let op = self.rng.pick(&ops);
                self.b().bin(op, x, y)
            }
        }
    }
    /// A pointer into some memory with `bytes` bytes after it: constant or computed offset, a multiple of
    /// `align`.
    fn address(&mut self, bytes: i64, align: i64) -> Value {
        let (base, size) = self.rng.pick(&self.memory);
        let slots = (size - bytes) / align;
        if self.rng.chance(60) {
            let offset = self.rng.below(slots as usize + 1) as i64 * align;
            return self.b().ptr_add_const(base, offset);
        }
        let i = self.get(I32);
        // The largest power of two that fits, as a mask.
        let mask = self.f.i32((1i32 << (slots as u64 + 1).ilog2()) - 1);
        let i = self.b().and(i, mask);
        let i = self.b().cast(CastOp::Zext, i, I64);
        let step = self.f.i64(align);
        let offset = self.b().imul(i, step);
        self.b().ptr_add(base, offset)
    }
    fn memory_type(&mut self) -> (Type, u32) {
        let ty = match self.rng.below(10) {
            0..=4 => I32,
            5 => F32,
            6 => self.rng.pick(&VECS[..3]),
            _ => self.int(),
        };
        let align = if self.rng.chance(10) { 1 } else { ty.lane().access_bytes().unwrap() };
        (ty, align)
    }
    fn statement(&mut self, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        match self.rng.below(20) {
            0..=7 => {
                let v = self.arithmetic();
                self.pool.push(v);
                // Unused values would hide errors: use this one.
                let ty = self.f.ty(v);
                if self.rng.chance(50) && !ty.is_bool() {
                    let align = ty.lane().access_bytes().unwrap();
                    let at = self.address(ty.access_bytes().unwrap().min(16) as i64, align as i64);
                    if ty.access_bytes().unwrap() <= 16 {
                        self.b().store(v, at, Access::aligned(align));
                    }
                }
            }
            8 | 9 => {
                let (ty, align) = self.memory_type();
                let at = self.address(ty.access_bytes().unwrap() as i64, align as i64);
                let v = self.b().load(ty, at, Access::aligned(align));
                self.pool.push(v);
            }
            10..=12 => {
                let (ty, align) = self.memory_type();
                let v = self.get(ty);
                let at = self.address(ty.access_bytes().unwrap() as i64, align as i64);
                self.b().store(v, at, Access::aligned(align));
            }
            13 if !self.helpers.is_empty() => {
                let helper = self.rng.pick(&self.helpers);
                let args = [self.get(I32), self.get(I32)];
                let v = self.b().value(Op::Call(helper), &args, I32);
                self.pool.push(v);
            }
            14 => {
                let c = self.condition();
                self.pool.push(c);
            }
            15 if self.slots.len() > 1 => {
                let bytes = self.rng.pick(&[4, 7, 16]);
                let (to, from) = (self.rng.pick(&self.slots), self.rng.pick(&self.slots));
                let (to, from) = (self.b().slot_addr(to), self.b().slot_addr(from));
                let n = self.f.i64(bytes);
                let access = Access::aligned(4);
                if self.rng.chance(50) {
                    self.b().inst(Op::Memcpy { dst: access, src: access }, &[to, from, n], &[]);
                } else {
                    let byte = self.get(I8);
                    self.b().inst(Op::Memset(access), &[to, byte, n], &[]);
                }
            }
            _ if depth < 4 && self.budget > 0 => self.control(depth),
            _ => {
                let v = self.arithmetic();
                self.pool.push(v);
            }
        }
    }
    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(5) {
            self.statement(depth);
        }
    }
    /// Statements in a new block; ends with an edge to `join`, or leaves a loop.
    fn branch(&mut self, block: Block, join: Block, ty: Type, depth: usize) {
        let visible = self.pool.len();
        self.block = block;
        self.statements(depth + 1);
        let v = self.get(ty);
        if let Some(&(exit, header, counter)) = self.loops.last().filter(|_| self.rng.chance(12)) {
            let v = self.get(I32);
            if self.rng.chance(50) {
                self.b().jump(exit, &[v]);
            } else {
                let one = self.f.i32(1);
                let next = self.b().iadd(counter, one);
                self.b().jump(header, &[next, v]);
            }
            // The join may have no other predecessor.
            self.pool.truncate(visible);
            return;
        }
        if self.result && self.rng.chance(6) {
            let v = self.get(I32);
            self.b().ret(&[v]);
        } else {
            self.b().jump(join, &[v]);
        }
        self.pool.truncate(visible);
    }
    fn control(&mut self, depth: usize) {
        let ty = if self.rng.chance(70) { I32 } else { self.int() };
        match self.rng.below(4) {
            0 | 1 => {
                let c = self.condition();
                let (then, join) = (self.f.add_block(), self.f.add_block());
                let p = self.f.add_param(join, ty);
                let other = self.get(ty);
                if self.rng.chance(60) {
                    let other = self.f.add_block();
                    self.b().brif(c, BlockCall::new(then, &[]), BlockCall::new(other, &[]));
                    self.branch(other, join, ty, depth);
                } else {
                    self.b().brif(c, BlockCall::new(then, &[]), BlockCall::new(join, &[other]));
                }
                self.branch(then, join, ty, depth);
                self.block = join;
                self.pool.push(p);
            }
            2 => {
                let x = self.get(I32);
                let three = self.f.i32(3);
                let x = self.b().and(x, three);
                let join = self.f.add_block();
                let p = self.f.add_param(join, ty);
                let cases: Vec<Block> = (0..2 + self.rng.below(2)).map(|_| self.f.add_block()).collect();
                let default = self.get(ty);
                let mut targets = vec![BlockCall::new(join, &[default])];
                targets.extend(cases.iter().map(|c| BlockCall::new(*c, &[])));
                let values: Vec<u64> = (0..cases.len() as u64).collect();
                let t = self.f.make_terminator(Op::Switch(values.into()), &[x], &targets);
                self.f.blocks[self.block].insts.push(t);
                for (i, &case) in cases.iter().enumerate() {
                    // Falls through to the next case, sometimes.
                    if self.rng.chance(25) && i + 1 < cases.len() {
                        let visible = self.pool.len();
                        self.block = case;
                        self.statements(depth + 1);
                        self.b().jump(cases[i + 1], &[]);
                        self.pool.truncate(visible);
                    } else {
                        self.branch(case, join, ty, depth);
                    }
                }
                self.block = join;
                self.pool.push(p);
            }
            _ => {
                // A loop with a counter that every path increments, and a carried value.
                let (header, body, exit) = (self.f.add_block(), self.f.add_block(), self.f.add_block());
                let counter = self.f.add_param(header, I32);
                let carried = self.f.add_param(header, I32);
                let left = self.f.add_param(exit, I32);
                let (zero, start) = (self.f.i32(0), self.get(I32));
                self.b().jump(header, &[zero, start]);
                self.block = header;
                let limit = self.f.i32(1 + self.rng.below(5) as i32);
                let more = self.b().icmp(IntCc::Slt, counter, limit);
                self.b().brif(more, BlockCall::new(body, &[]), BlockCall::new(exit, &[carried]));
                self.block = body;
                let visible = self.pool.len();
                self.pool.extend([counter, carried]);
                self.loops.push((exit, header, counter));
                self.statements(depth + 1);
                self.loops.pop();
                let one = self.f.i32(1);
                let next = self.b().iadd(counter, one);
                let v = self.get(I32);
                if self.rng.chance(20) {
                    let c = self.condition();
                    self.b().brif(c, BlockCall::new(exit, &[v]), BlockCall::new(header, &[next, v]));
                } else {
                    self.b().jump(header, &[next, v]);
                }
                self.pool.truncate(visible);
                self.block = exit;
                self.pool.push(left);
            }
        }
    }
    /// Creates slots whose bytes are all written.
    fn make_slots(&mut self) {
        for size in [4u32, 16, 32] {
            if self.rng.chance(70) {
                let slot = self.f.slots.push(SlotData { size, align: 16 });
                let at = self.b().slot_addr(slot);
                for offset in (0..size).step_by(4) {
                    let at = self.b().ptr_add_const(at, offset as i64);
                    let v = self.get(I32);
                    self.b().store(v, at, Access::aligned(4));
                }
                if size >= 16 {
                    self.memory.push((at, size as i64));
                    self.slots.push(slot);
                }
            }
        }
    }
}

fn helper(rng: &mut Rng, name: &str, helpers: Vec<FuncRef>) -> Function {
    let mut f =
        Function::new(name, Signature { params: vec![I32, I32], results: vec![I32] }, Linkage::Internal);
    let entry = f.add_block();
    let pool = vec![f.add_param(entry, I32), f.add_param(entry, I32)];
    let slot = f.slots.push(SlotData { size: 16, align: 16 });
    let (budget, slots, memory) = (6 + rng.below(8), vec![], vec![]);
    let mut g =
        Gen { rng, f, block: entry, pool, slots, memory, budget, helpers, loops: vec![], result: true };
    let at = g.b().slot_addr(slot);
    let (zero, bytes) = (g.f.bits(I8, 3), g.f.i64(16));
    g.b().inst(Op::Memset(Access::aligned(16)), &[at, zero, bytes], &[]);
    g.memory.push((at, 16));
    g.slots.push(slot);
    g.make_slots();
    while g.budget > 0 {
        g.statement(0);
    }
    let v = g.get(I32);
    g.b().ret(&[v]);
    g.f
}

fn arg(kind: ArgKind, size: u32, offset: u32) -> ArgInfo {
    ArgInfo {
        kind,
        size,
        align: size,
        offset,
        name: String::new(),
        type_name: String::new(),
        address: metadata::AddressQualifier::Private,
        access: metadata::AccessQualifier::None,
        qualifiers: metadata::TypeQualifiers::default(),
        image: None,
    }
}

/// Memory and functions that the kernel uses.
struct Uses {
    table: Global,
    tile: Global,
    helpers: Vec<FuncRef>,
}

/// `k(out, in, i32, i32)` with two helpers, a constant table and a local array.
fn module(seed: u64) -> Module {
    let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    rng.next();
    let rng = &mut rng;
    let mut m = Module { phase: Phase::Linked, ..Module::default() };
    let global = |name: &str, space, size, init| GlobalData {
        name: name.into(),
        space,
        linkage: Linkage::Internal,
        size,
        align: 16,
        init,
        relocs: vec![],
        readonly: space == Space::Constant,
    };
    let table: Vec<u8> = (0..32).map(|i: u32| (i * 7 % 23) as u8 * i.is_multiple_of(4) as u8).collect();
    let table = m.globals.push(global("table", Space::Constant, 32, Some(table)));
    let tile = m.globals.push(global("tile", Space::Local, 16 * ITEMS, None));
    let h0 = m.functions.push(helper(rng, "h0", vec![]));
    let h1 = m.functions.push(helper(rng, "h1", vec![h0]));
    let args = vec![
        arg(ArgKind::GlobalPtr, 8, 0),
        arg(ArgKind::GlobalPtr, 8, 8),
        arg(ArgKind::Value, 4, 16),
        arg(ArgKind::Value, 4, 20),
    ];
    m.kernels.push(KernelInfo { name: "k".into(), args, args_size: 24, ..KernelInfo::default() });
    m.functions.push(kernel(rng, Uses { table, tile, helpers: vec![h0, h1] }));
    m
}

fn kernel(rng: &mut Rng, uses: Uses) -> Function {
    let params = vec![Type::Ptr(Space::Global), Type::Ptr(Space::Global), I32, I32];
    let mut f = Function::new("k", Signature { params: params.clone(), results: vec![] }, Linkage::Export);
    f.kernel = Some(0);
    let entry = f.add_block();
    let p: Vec<Value> = params.iter().map(|t| f.add_param(entry, *t)).collect();
    let (budget, helpers) = (15 + rng.below(35), uses.helpers);
    let (pool, slots, memory) = (vec![p[2], p[3]], vec![], vec![]);
    let mut g =
        Gen { rng, f, block: entry, pool, slots, memory, budget, helpers, loops: vec![], result: false };
    let id = g.b().value(Op::WorkItem { query: WorkItemQuery::LocalId, dim: 0 }, &[], I64);
    let part = g.f.i64(PART);
    let offset = g.b().imul(id, part);
    let own = g.b().ptr_add(p[0], offset);
    let id32 = g.b().cast(CastOp::Trunc, id, I32);
    g.pool.push(id32);
    let local = g.b().value(Op::GlobalAddr(uses.tile), &[], Type::Ptr(Space::Local));
    let sixteen = g.f.i64(16);
    let local_offset = g.b().imul(id, sixteen);
    let own_tile = g.b().ptr_add(local, local_offset);
    for i in 0..4 {
        let at = g.b().ptr_add_const(own_tile, 4 * i);
        let v = g.get(I32);
        g.b().store(v, at, Access::aligned(4));
    }
    // Two thirds of the kernel, a barrier, a neighbour's value, the rest.
    g.memory = vec![(own, PART), (own, PART), (own_tile, 16)];
    g.make_slots();
    let constant = g.b().value(Op::GlobalAddr(uses.table), &[], Type::Ptr(Space::Constant));
    let rest = g.budget / 3;
    while g.budget > rest {
        g.load_element(constant, p[1]);
        g.statement(0);
    }
    g.exchange(local);
    while g.budget > 0 {
        g.statement(0);
    }
    g.write_pool(own);
    g.b().ret(&[]);
    g.f
}

impl Gen<'_> {
    /// Loads one of the first eight words of the table or of the input.
    fn load_element(&mut self, table: Value, input: Value) {
        let x = self.get(I32);
        let seven = self.f.i32(7);
        let x = self.b().and(x, seven);
        let x = self.b().cast(CastOp::Zext, x, I64);
        let four = self.f.i64(4);
        let x = self.b().imul(x, four);
        let base = if self.rng.chance(50) { table } else { input };
        let at = self.b().ptr_add(base, x);
        let v = self.b().load(I32, at, Access::aligned(4));
        self.pool.push(v);
    }
    /// Loads the first work-item's local value between two barriers.
    fn exchange(&mut self, local: Value) {
        let spaces = FenceSpaces { local: true, ..FenceSpaces::default() };
        let barrier =
            Op::Barrier { exec: Scope::WorkGroup, memory: Scope::WorkGroup, order: Ordering::AcqRel, spaces };
        self.b().inst(barrier.clone(), &[], &[]);
        let neighbour = self.b().load(I32, local, Access::aligned(4));
        self.pool.push(neighbour);
        self.b().inst(barrier, &[], &[]);
    }
    /// Writes the values visible at the end to the output.
    fn write_pool(&mut self, own: Value) {
        for (i, v) in self.pool.clone().into_iter().rev().take(12).enumerate() {
            let v = match self.f.ty(v) {
                I1 => self.b().cast(CastOp::Zext, v, I32),
                _ => v,
            };
            let at = self.b().ptr_add_const(own, 16 * i as i64);
            let at = if self.f.ty(v).access_bytes().unwrap() > 16 { own } else { at };
            self.b().store(v, at, Access::aligned(4));
        }
    }
}

fn input() -> Vec<u8> {
    (0..IN_BYTES).map(|i| if i % 4 == 0 { (i * 5 % 37) as u8 } else { 0 }).collect()
}

fn buffers(machine: &mut Machine<'_>) -> (u64, u64) {
    (machine.memory.alloc(&[0; OUT_BYTES]), machine.memory.alloc(&input()))
}

/// Offsets of the two buffers in a window.
const WINDOW: [usize; 2] = [512 + IN_BYTES.next_multiple_of(256), 256];

/// A window with both buffers.
fn window(machine: &mut Machine<'_>) -> u64 {
    let mut bytes = vec![0; WINDOW[0] + OUT_BYTES];
    bytes[WINDOW[1]..][..IN_BYTES].copy_from_slice(&input());
    machine.memory.alloc(&bytes)
}

/// The output at an offset of an allocation.
fn output(machine: &Machine<'_>, at: u64, offset: usize) -> value::LaneValues {
    machine.memory.contents(at)[offset..][..OUT_BYTES]
        .iter()
        .map(|b| value::Lane { bits: b.0 as u64, undef: b.1 as u64 })
        .collect()
}

const A: u32 = 5;
const B: u32 = 0xffff_fff9;

/// Runs the kernel before its parameters are lowered.
fn run_imported(m: &Module) -> Result<value::LaneValues, Stop> {
    let kernel = m.find("k").unwrap();
    let mut machine = Machine::new(m);
    let (out, input) = buffers(&mut machine);
    let args = [
        value::scalar(out),
        value::scalar(input),
        interp::known(I32, A as u64),
        interp::known(I32, B as u64),
    ];
    machine.run(kernel, &args, &Launch { local_size: [ITEMS, 1, 1], ..Launch::default() })?;
    Ok(output(&machine, out, 0))
}

/// Runs the lowered kernel as the runtime would.
fn run_lowered(m: &Module, abi: &LaunchAbi, data: &globals::DataLayout) -> Result<value::LaneValues, Stop> {
    let kernel = m.find("k").unwrap();
    let mut machine = Machine::new(m);
    let windowed = abi.mode == PointerMode::Windowed;
    let (out, input) = match windowed {
        true => [window(&mut machine); 2].into(),
        false => buffers(&mut machine),
    };
    let mut bytes = data.block.bytes.clone();
    bytes.resize(data.block.size() as usize, 0);
    let data = machine.memory.alloc(&bytes);
    let is_virtual = abi.mode.is_virtual();
    assert_eq!(abi.block_storage, BlockStorage::Push);
    let mut block = vec![0u8; abi.block_size as usize];
    let mut put =
        |at: u32, bytes: &[u8]| block[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    for (arg, at) in &abi.implicit_args {
        let value = match arg {
            ImplicitArg::GlobalSize(0) => ITEMS as u64,
            ImplicitArg::EnqueuedLocalSize(0) => ITEMS as u64,
            ImplicitArg::GlobalSize(_)
            | ImplicitArg::EnqueuedLocalSize(_)
            | ImplicitArg::NumGroups(_)
            | ImplicitArg::WorkDim => 1,
            ImplicitArg::DataAddress if is_virtual => 3 << 32,
            ImplicitArg::DataAddress => data,
            ImplicitArg::WindowOffset(arg) => WINDOW[usize::from(*arg)] as u64,
            _ => 0,
        };
        put(*at, &value.to_le_bytes()[..arg.size() as usize]);
    }
    if abi.mode == PointerMode::Addresses {
        put(abi.args_offset, &out.to_le_bytes());
        put(abi.args_offset + 8, &input.to_le_bytes());
    } else if is_virtual {
        put(abi.args_offset, &(1u64 << 32).to_le_bytes());
        put(abi.args_offset + 8, &(2u64 << 32).to_le_bytes());
    }
    put(abi.args_offset + 16, &A.to_le_bytes());
    put(abi.args_offset + 20, &B.to_le_bytes());
    let bound = |b: &BindingSource| match b {
        BindingSource::Arg(0) | BindingSource::Whole(0) | BindingSource::Window => out,
        BindingSource::Arg(_) | BindingSource::Whole(_) => input,
        BindingSource::Data => data,
        // Generated kernels do not print and have no images.
        BindingSource::Print | BindingSource::Image(_) | BindingSource::Sampler(_) | BindingSource::Block => {
            0
        }
    };
    let bindings = abi.bindings.iter().map(bound).collect();
    let launch = Launch { local_size: [ITEMS, 1, 1], block, bindings, ..Launch::default() };
    machine.run(kernel, &[], &launch)?;
    Ok(output(&machine, out, if windowed { WINDOW[0] } else { 0 }))
}

fn check(
    step: &str,
    m: &Module,
    wanted: &value::LaneValues,
    got: Result<value::LaneValues, Stop>,
) -> Result<(), String> {
    let got = got.map_err(|e| format!("{step}: {e}\n{m}"))?;
    match wanted
        .iter()
        .zip(&got)
        .position(|(w, g)| !value::refines(I8, &[*w].into_iter().collect(), &[*g].into_iter().collect()))
    {
        None => Ok(()),
        Some(at) => Err(format!("{step}: byte {at} is {:x?}, was {:x?}\n{m}", got[at], wanted[at])),
    }
}

/// Checks the passes of native code, with a group of one whole vector and part of another, or of a part only.
fn check_native(mut m: Module, seed: u64, wanted: &value::LaneValues) -> Result<(), String> {
    let width = if seed.is_multiple_of(2) { 2 } else { 4 };
    let cpu = CpuTarget {
        processor: "any".into(),
        width,
        vector_width: width,
        instrumented: seed.is_multiple_of(3),
        generator: CodeGenerator::Llvm,
    };
    let (target, options) = (Target { code: Code::Native(cpu), ..Target::generic() }, Options::default());
    let cx = &mut PassContext::new(&target, &options);
    for pass in pipeline::NATIVE.iter().filter(|p| p.applies(&PassContext::new(&target, &options))) {
        let step = format!("{} for vectors of {width}", pass.name());
        let before = m.to_string();
        pipeline::run_pass(&mut m, *pass, cx).map_err(|e| format!("{step}: {e}\n{before}"))?;
        verify::verify_module(&m).map_err(|e| format!("{step}: {e}\n{m}"))?;
        check(&step, &m, wanted, run_imported(&m)).map_err(|e| format!("{e}\n--- before\n{before}"))?;
    }
    Ok(())
}

/// A device, with features and quirks that passes depend on by the seed.
fn target(seed: u64) -> Target {
    let has = |bit: u64| seed >> bit & 1 == 1;
    let target = Target::generic().with_vulkan(|vulkan| {
        vulkan.workgroup_explicit_layout = true;
        vulkan.masked_loop_exits = has(1);
        vulkan.shifts_rotations64 = has(2);
        vulkan.wrong_division64 = has(3);
        vulkan.scatters_wide_loads = has(4);
        vulkan.scalar_accesses = has(5);
        vulkan.tests_in_continue = has(6);
    });
    Target { integer_dot_product: !has(2), ..target }
}

/// Returns whether the kernel has defined behaviour; an error if a step changes the result.
fn try_seed(seed: u64) -> Result<bool, String> {
    let target = target(seed);
    let options = Options::default();
    let cx = &mut PassContext::new(&target, &options);
    let mut m = module(seed);
    let verified = |step: &str, m: &Module| verify::verify_module(m).map_err(|e| format!("{step}: {e}\n{m}"));
    verified("generated", &m)?;
    let first = m.to_string();
    let wanted = match run_imported(&m) {
        Ok(wanted) => wanted,
        Err(Stop::Undefined(_) | Stop::Fuel) => return Ok(false),
        Err(e) => return Err(format!("{e}\n{m}")),
    };
    let explain = |e: String| format!("seed {seed}: {e}\n--- as generated\n{first}");
    let optimise = if seed.is_multiple_of(2) { pipeline::OPTIMISE } else { pipeline::OPTIMISE_SOURCE };
    for pass in optimise.iter().filter(|p| p.applies(&PassContext::new(&target, &options))) {
        let name = pass.name();
        let changed = pipeline::run_pass(&mut m, *pass, cx).map_err(|e| explain(format!("{name}: {e}")))?;
        if changed {
            verified(name, &m).map_err(explain)?;
            check(name, &m, &wanted, run_imported(&m)).map_err(explain)?;
        }
    }
    check_native(m.clone(), seed, &wanted).map_err(explain)?;
    let data = globals::layout(&m).map_err(|e| e.to_string())?;
    for mode in [PointerMode::Addresses, PointerMode::Bindings, PointerMode::Virtual, PointerMode::Windowed] {
        let mut m = m.clone();
        let abi = pipeline::lower(&mut m, mode, &data, cx).map_err(|e| explain(format!("{mode:?}: {e}")))?;
        let Some(abi) = abi else { continue };
        let step = format!("lowered, {mode:?}");
        verified(&step, &m).map_err(explain)?;
        check(&step, &m, &wanted, run_lowered(&m, &abi, &data)).map_err(explain)?;
        for pass in pipeline::TIDY_LOWERED.iter().chain(pipeline::EXPAND_INTS).chain(pipeline::STRUCTURE) {
            let name = pass.name();
            pipeline::run_pass(&mut m, *pass, cx).map_err(|e| explain(format!("{name}: {e}")))?;
            let step = format!("{name} after lowering, {mode:?}");
            verified(&step, &m).map_err(explain)?;
            check(&step, &m, &wanted, run_lowered(&m, &abi, &data)).map_err(explain)?;
        }
        let kernel = m.find("k").ok_or("the kernel was lost")?;
        clspv_bridge::back::spirv::emit(&m, kernel, &abi, &target, false)
            .map_err(|e| explain(format!("emission: {e}")))?;
    }
    Ok(true)
}

#[test]
fn random_kernels_keep_their_meaning() {
    let range = std::env::var("PYROCLAST_RANDOM").unwrap_or_else(|_| "1,40".into());
    let (first, count) = range.split_once(',').expect("FIRST,COUNT");
    let (first, count): (u64, u64) = (first.parse().unwrap(), count.parse().unwrap());
    let work = move || {
        let mut meaningful = 0;
        let mut failures = Vec::new();
        for seed in first..first + count {
            match try_seed(seed) {
                Ok(true) => meaningful += 1,
                Ok(false) => {}
                Err(e) => failures.push((seed, e)),
            }
        }
        (meaningful, failures)
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work).unwrap();
    let (meaningful, failures) = thread.join().unwrap();
    if let Some((_, e)) = failures.iter().min_by_key(|(_, e)| e.len()) {
        let seeds: Vec<u64> = failures.iter().map(|f| f.0).collect();
        panic!("{} kernels fail: {seeds:?}\n{e}", failures.len());
    }
    eprintln!("{meaningful} of {count} kernels have a meaning");
    assert!(meaningful * 2 > count, "only {meaningful} of {count} kernels have a meaning");
}
