//! The state of a function's vectorisation: instructions, blocks, variables and masks.

use super::state::{EdgeTarget, Entry, Mask, Operand, OwnValues, Prelude, Variable, VaryingArgs};
use super::{atomics, calls};
use crate::analysis::tree::{self, Seq};
use crate::analysis::uniformity::UniformityInfo;
use crate::error::Result;
use crate::ir::*;
use crate::passes::opt::mem2reg;
use crate::passes::structure::ssa_repair;
use rustc_hash::{FxHashMap, FxHashSet};

/// The function to vectorise, and what is known about it.
pub(super) struct Request<'a> {
    pub(super) func: &'a Function,
    pub(super) entry: Entry,
    pub(super) info: &'a UniformityInfo,
    pub(super) tree: &'a Seq,
    pub(super) shape: VectorShape,
    pub(super) instrumented: bool,
    /// Whether the addresses of atomics in local memory pass through memory ([`atomics`]).
    pub(super) addresses_in_memory: bool,
    /// Whether a masked access of neighbours is one for each lane, as in Cranelift's code.
    pub(super) masked_by_lanes: bool,
    /// Addresses of stores that may go past the caches.
    pub(super) streams: Option<&'a FxHashSet<Value>>,
    pub(super) callees: &'a FxHashMap<(FuncRef, VaryingArgs), FuncRef>,
}

/// State of a function's vectorisation.
pub(super) struct Vectorizer<'a> {
    pub(super) r: Request<'a>,
    pub(super) func: &'a Function,
    pub(super) width: u32,
    pub(super) out: Function,
    pub(super) block: Block,
    /// Source line of new instructions.
    pub(super) line: u32,
    /// Whether new instructions precede the prologue's terminator.
    pub(super) in_prologue: bool,
    /// The open region: whether there is one, its number, its first block, the block that vectors without
    /// active work-items skip to.
    pub(super) open: bool,
    pub(super) region: u32,
    pub(super) prologue: Block,
    pub(super) skip: Option<Block>,
    /// Blocks that have their group barrier.
    pub(super) synced: FxHashSet<Block>,
    pub(super) own: OwnValues,
    pub(super) prelude: Prelude,
    /// Scopes: parts of the code that may be skipped, from the outermost to the current one.
    pub(super) scopes: Vec<u32>,
    pub(super) scope_count: u32,
    /// Values with the region and the scope that define them.
    pub(super) values: FxHashMap<Value, (u32, u32, Operand)>,
    pub(super) restored: FxHashMap<Value, Operand>,
    pub(super) arguments: FxHashMap<Value, Operand>,
    pub(super) mask: Mask,
    pub(super) targets: FxHashMap<Block, EdgeTarget>,
    /// Slots for lanes of operands of atomics, and how many of them are used ([`super::atomics`]).
    pub(super) lane_slots: Vec<Slot>,
    pub(super) used_lane_slots: usize,
    /// Blocks with several incoming edges.
    pub(super) joins: FxHashSet<Block>,
    pub(super) variables: FxHashMap<Variable, Slot>,
    /// Vectors made by splatting scalars, by scalar and block.
    pub(super) splats: FxHashMap<(Value, Block), Value>,
}

/// Slot of a lane's word.
const LANE_WORD: SlotData = SlotData { size: 8, align: 8 };

impl<'a> Vectorizer<'a> {
    pub(super) fn function(name: &str, r: Request<'a>) -> Result<Function> {
        let func = r.func;
        let merges = |b: &Block| match func.blocks[*b].merge {
            Some(Merge::Selection { merge }) => vec![merge],
            Some(Merge::Loop { merge, cont }) => vec![merge, cont, *b],
            None => vec![],
        };
        let width = u32::from(r.shape.width);
        let sig = match r.entry {
            Entry::Kernel => calls::kernel_signature(&func.sig),
            Entry::Function(varying) => calls::signature(&func.sig, varying, r.shape),
        };
        let mut out = Function::new(name, sig, func.linkage);
        out.kernel = func.kernel;
        out.extent = CallExtent::Vector(r.shape);
        out.slots = func.slots.clone();
        let lane_slots = (0..atomics::lane_slots(&r)).map(|_| out.slots.push(LANE_WORD)).collect();
        let block = out.add_block();
        let mut v = Vectorizer {
            width,
            block,
            line: 0,
            in_prologue: false,
            open: false,
            region: 0,
            prologue: block,
            skip: None,
            synced: FxHashSet::default(),
            own: OwnValues::default(),
            prelude: Prelude::default(),
            scopes: vec![0],
            scope_count: 0,
            values: FxHashMap::default(),
            restored: FxHashMap::default(),
            arguments: FxHashMap::default(),
            mask: Mask::Base,
            targets: FxHashMap::default(),
            lane_slots,
            used_lane_slots: 0,
            joins: func.layout.iter().flat_map(merges).collect(),
            variables: FxHashMap::default(),
            splats: FxHashMap::default(),
            func,
            out,
            r,
        };
        v.body()?;
        Ok(v.finish())
    }

    pub(super) fn body(&mut self) -> Result<()> {
        self.enter_function();
        let tree = self.r.tree;
        if self.r.entry != Entry::Kernel || !tree::contains_barrier(self.func, tree) {
            self.open_region();
        }
        self.seq(tree)?;
        if self.r.entry == Entry::Kernel {
            self.close_region();
            self.terminate(Op::Return, &[], &[]);
            return Ok(());
        }
        self.return_result()
    }

    /// Promotes the variables, and gives values that are used where their definition may have been skipped
    /// parameters.
    pub(super) fn finish(mut self) -> Function {
        let mut slots = self.func.slots.clone();
        for _ in 0..self.used_lane_slots {
            slots.push(LANE_WORD);
        }
        let kept = slots.keys().collect();
        mem2reg::promote(&mut self.out, &kept);
        ssa_repair::remove_unreachable(&mut self.out);
        ssa_repair::repair(&mut self.out);
        edit::remove_dead_insts(&mut self.out);
        self.out.slots = slots;
        self.out
    }

    // Instructions.

    pub(super) fn inst(&mut self, op: Op, args: &[Value], types: &[Type]) -> Inst {
        let inst = self.out.make_inst(op, args, types);
        self.out.insts[inst].line = self.line;
        if self.in_prologue {
            let list = &mut self.out.blocks[self.block].insts;
            let at = list.len().saturating_sub(1);
            list.insert(at, inst);
        } else {
            self.sync_if_closed();
            self.out.blocks[self.block].insts.push(inst);
        }
        inst
    }
    pub(super) fn value(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let inst = self.inst(op, args, &[ty]);
        self.out.insts[inst].results[0]
    }
    pub(super) fn fast_value(&mut self, op: Op, args: &[Value], ty: Type, fast: FastMath) -> Value {
        let inst = self.inst(op, args, &[ty]);
        self.out.insts[inst].fast = fast;
        self.out.insts[inst].results[0]
    }
    pub(super) fn bin(&mut self, op: BinOp, x: Value, y: Value) -> Value {
        let ty = self.out.ty(x);
        self.value(Op::Bin(op), &[x, y], ty)
    }
    pub(super) fn not(&mut self, x: Value) -> Value {
        let ty = self.out.ty(x);
        self.value(Op::Un(UnOp::Not), &[x], ty)
    }
    pub(super) fn icmp(&mut self, cc: IntCc, x: Value, y: Value) -> Value {
        let ty = Type::vector(Scalar::I1, self.out.ty(x).lanes());
        self.value(Op::Icmp(cc), &[x, y], ty)
    }
    pub(super) fn cast(&mut self, op: CastOp, x: Value, ty: Type) -> Value {
        self.value(Op::Cast(op), &[x], ty)
    }
    /// Lane of a vector. That of addresses with a uniform base is an offset from the base, for which
    /// processors have addressing modes.
    pub(super) fn extract(&mut self, v: Value, lane: u8) -> Value {
        let ty = self.out.ty(v).lane();
        if let Some((base, offsets)) = self.based(v) {
            let offset = self.value(Op::Extract(lane), &[offsets], I64);
            return self.ptr_add(base, offset);
        }
        self.value(Op::Extract(lane), &[v], ty)
    }
    /// The base and the offsets of a vector of addresses that have a uniform base.
    pub(super) fn based(&self, v: Value) -> Option<(Value, Value)> {
        let sum = &self.out.insts[self.out.def_inst(v)?];
        let splat = &self.out.insts[self.out.def_inst(*sum.args.first()?)?];
        (sum.op == Op::PtrAdd && splat.op == Op::Splat).then(|| (splat.args[0], sum.args[1]))
    }
    pub(super) fn extract_dyn(&mut self, v: Value, lane: Value) -> Value {
        let ty = self.out.ty(v).lane();
        self.value(Op::ExtractDyn, &[v, lane], ty)
    }
    /// Whether any lane of a mask is set.
    pub(super) fn any(&mut self, mask: Value) -> Value {
        self.value(Op::Any, &[mask], I1)
    }
    pub(super) fn ptr_add(&mut self, p: Value, offset: Value) -> Value {
        let lanes = self.out.ty(p).lanes().max(self.out.ty(offset).lanes());
        let ty = self.out.ty(p).lane().of_lanes(lanes);
        self.value(Op::PtrAdd, &[p, offset], ty)
    }

    // Blocks.

    pub(super) fn new_block(&mut self) -> Block {
        self.out.new_block_detached()
    }
    /// Continues in a block.
    pub(super) fn start(&mut self, block: Block) {
        self.out.layout.push(block);
        self.block = block;
    }
    /// Ends the block.
    pub(super) fn terminate(&mut self, op: Op, args: &[Value], targets: &[BlockCall]) {
        self.sync_if_closed();
        let inst = self.out.make_terminator(op, args, targets);
        self.out.insts[inst].line = self.line;
        self.out.blocks[self.block].insts.push(inst);
    }
    pub(super) fn jump(&mut self, block: Block) {
        self.terminate(Op::Jump, &[], &[BlockCall::new(block, &[])]);
    }
    pub(super) fn brif(&mut self, on: Value, then: Block, other: Block) {
        self.terminate(Op::BrIf, &[on], &[BlockCall::new(then, &[]), BlockCall::new(other, &[])]);
    }

    // Variables.

    pub(super) fn variable(&mut self, variable: Variable, ty: Type) -> Value {
        let slot = match self.variables.get(&variable) {
            Some(slot) => *slot,
            None => {
                let size = ty.access_bytes().unwrap_or(8);
                let slot = self.out.slots.push(SlotData { size, align: 1 });
                self.variables.insert(variable, slot);
                slot
            }
        };
        self.value(Op::SlotAddr(slot), &[], Type::Ptr(Space::Private))
    }
    pub(super) fn read(&mut self, variable: Variable, ty: Type) -> Value {
        let p = self.variable(variable, ty);
        self.value(Op::Load(Access::aligned(1)), &[p], ty)
    }
    pub(super) fn write(&mut self, variable: Variable, value: Value) {
        let ty = self.out.ty(value);
        let p = self.variable(variable, ty);
        self.inst(Op::Store(Access::aligned(1)), &[value, p], &[]);
    }

    // Masks.

    pub(super) fn mask_type(&self) -> Type {
        I1.of_lanes(self.width)
    }
    /// All lanes.
    pub(super) fn full_mask(&mut self) -> Value {
        let ty = self.mask_type();
        self.out.bits(ty, 1)
    }
    pub(super) fn empty_mask(&mut self) -> Value {
        let ty = self.mask_type();
        self.out.bits(ty, 0)
    }
    /// A mask's value; `None` if all work-items of each vector are active.
    pub(super) fn mask_value(&self, mask: Mask) -> Option<Value> {
        match mask {
            Mask::Value(v) => Some(v),
            Mask::Base => self.own.tail,
        }
    }
    /// The current mask; `None` if all work-items are active.
    pub(super) fn active(&self) -> Option<Value> {
        self.mask_value(self.mask)
    }
    pub(super) fn active_value(&mut self) -> Value {
        match self.active() {
            Some(mask) => mask,
            None => self.full_mask(),
        }
    }
    pub(super) fn clear(&mut self, variable: Variable) {
        let empty = self.empty_mask();
        self.write(variable, empty);
    }
    /// Adds the active work-items to a mask variable.
    pub(super) fn join(&mut self, variable: Variable) {
        let ty = self.mask_type();
        let old = self.read(variable, ty);
        let active = self.active_value();
        let new = self.bin(BinOp::Or, old, active);
        self.write(variable, new);
    }
    pub(super) fn set(&mut self, variable: Variable, mask: Mask) {
        let value = match self.mask_value(mask) {
            Some(value) => value,
            None => self.full_mask(),
        };
        self.write(variable, value);
    }
    pub(super) fn read_mask(&mut self, variable: Variable) -> Mask {
        let ty = self.mask_type();
        Mask::Value(self.read(variable, ty))
    }
}
