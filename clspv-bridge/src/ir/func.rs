//! Functions: values, instructions, blocks and their order.
//!
//! A function owns everything in it. `layout` gives the block order (the entry first); each block lists its
//! instructions in order, the last being the only terminator. Passes that add or remove instructions rebuild
//! the block's list ([`Function::take_insts`]) rather than inserting one by one. Constants are values without
//! an instruction: they dominate everything and are interned.

use super::entity::{Block, EntityRef, Inst, PrimaryMap, Slot, Value, Var};
use super::image::ImageDim;
use super::inst::{BlockCall, FastMath, InstData, Op};
use super::lanes::CallExtent;
use super::types::{Scalar, Type};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

/// Parameter and result types.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Signature {
    pub params: Vec<Type>,
    pub results: Vec<Type>,
}

/// Visibility of a function or global of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Linkage {
    /// Defined here, visible here only.
    #[default]
    Internal,
    /// Defined here, resolves imports of other modules by name.
    Export,
    /// Like [`Linkage::Export`], but other modules may contain an equal definition; one of them is kept.
    Once,
    /// Declared here, defined in another module or the built-in library.
    Import,
}

/// A constant: one bit pattern for each lane (a single one for pointers, whose bits are the address), or
/// undefined.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Const {
    Bits(Type, SmallVec<[u64; 1]>),
    Undef(Type),
}

/// Definition of a value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ValueDef {
    /// Result of an instruction, by index.
    Result(Inst, u16),
    /// Parameter of a block, by index.
    Param(Block, u16),
    Const(Const),
}

/// A value: its type and definition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ValueData {
    pub ty: Type,
    pub def: ValueDef,
}

/// Merge annotation of a header block, set by the structurizer (phase Structured).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Merge {
    /// OpSelectionMerge
    Selection { merge: Block },
    /// OpLoopMerge
    Loop { merge: Block, cont: Block },
}

/// The program's request for how often a loop is unrolled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum UnrollHint {
    Full,
    /// By this factor, at least 2.
    By(u32),
    Never,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BlockData {
    pub params: Vec<Value>,
    pub insts: Vec<Inst>,
    pub merge: Option<Merge>,
    /// For the loop of which the block is the header.
    pub unroll: Option<UnrollHint>,
}

/// A private stack slot: `size` bytes aligned to `align`, uninitialised at function entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SlotData {
    pub size: u32,
    pub align: u32,
}

/// Storage of a lowered memory variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum VarClass {
    /// Runtime array in the storage buffer of this descriptor binding; several views of one binding alias.
    Buffer { binding: u32, readonly: bool },
    /// The image at this descriptor binding, read with fetches or (`storage`) read and written; `elem` is the
    /// type of its texels' lanes.
    Image { binding: u32, dim: ImageDim, storage: bool },
    /// Workgroup array.
    Workgroup,
    /// The memory of a workgroup array, seen as an array of wider elements.
    View { of: Var },
    /// Function-storage array of one work-item.
    Private,
}

/// Number of elements of a lowered variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum VarLen {
    /// Unbounded (storage buffers).
    Runtime,
    Fixed(u32),
    /// Specialisation constant with this SpecId; at least 1.
    Spec(u32),
}

/// A lowered memory variable: an array of `elem`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VarData {
    pub class: VarClass,
    pub elem: Type,
    pub len: VarLen,
}

impl VarData {
    /// Bytes of an array of fixed length; 0 for others.
    pub fn bytes(&self) -> usize {
        match self.len {
            VarLen::Fixed(n) => n as usize * self.elem.access_bytes().unwrap_or(8) as usize,
            VarLen::Runtime | VarLen::Spec(_) => 0,
        }
    }
}

/// A function's part of the frame that vectors have in scratch memory: byte offsets, and whether each vector
/// of the group has a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    pub start: u32,
    pub end: u32,
    pub per_vector: bool,
}

/// A function body or declaration.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    pub sig: Signature,
    pub linkage: Linkage,
    /// Index into [`super::module::Module::kernels`] if this is a kernel's entry point.
    pub kernel: Option<usize>,
    /// Work-items that a call runs.
    pub extent: CallExtent,
    /// Its part of the vector's frame, in native code with parallel regions.
    pub frame: Option<Frame>,
    /// Body: empty for imports.
    pub layout: Vec<Block>,
    pub blocks: PrimaryMap<Block, BlockData>,
    pub insts: PrimaryMap<Inst, InstData>,
    pub values: PrimaryMap<Value, ValueData>,
    pub slots: PrimaryMap<Slot, SlotData>,
    pub vars: PrimaryMap<Var, VarData>,
    #[serde(skip)]
    consts: FxHashMap<Const, Value>,
}

/// Prefix of the names of library functions.
const BUILT_IN: &str = "pc_";

impl Function {
    /// A function without a body.
    pub fn new(name: &str, sig: Signature, linkage: Linkage) -> Self {
        Function { name: name.to_owned(), sig, linkage, ..Function::default() }
    }
    /// Whether it is a function of the built-in library, or an import of one: [`crate::passes::link::merge`]
    /// renames functions of programs that have its prefix.
    pub fn is_built_in(&self) -> bool {
        self.kernel.is_none() && self.name.starts_with(BUILT_IN)
    }
    /// The entry block; its parameters are the function's parameters.
    pub fn entry(&self) -> Option<Block> {
        self.layout.first().copied()
    }
    /// Adds an empty block at the end of the layout.
    pub fn add_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.layout.push(block);
        block
    }
    /// Creates a block that is not in the layout yet.
    pub fn new_block_detached(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }
    /// Adds a parameter to a block. Every edge to the block then needs one more argument.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u16;
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, index) });
        self.blocks[block].params.push(value);
        value
    }
    /// Replaces a block's parameter list (values keep their identity; their definitions are renumbered).
    pub fn set_params(&mut self, block: Block, params: Vec<Value>) {
        for (i, &p) in params.iter().enumerate() {
            self.values[p].def = ValueDef::Param(block, i as u16);
        }
        self.blocks[block].params = params;
    }
    /// Creates an instruction with results of the given types, in no block yet.
    pub fn make_inst(&mut self, op: Op, args: &[Value], result_types: &[Type]) -> Inst {
        let inst = self.insts.next_key();
        let mut results: SmallVec<[Value; 1]> = SmallVec::new();
        for (i, &ty) in result_types.iter().enumerate() {
            results.push(self.values.push(ValueData { ty, def: ValueDef::Result(inst, i as u16) }));
        }
        self.insts.push(InstData {
            op,
            args: SmallVec::from_slice(args),
            targets: Vec::new(),
            results,
            fast: FastMath::default(),
            line: 0,
        })
    }
    /// Copies an instruction, with results of its own, into no block yet.
    pub fn copy_inst(&mut self, inst: Inst) -> Inst {
        let data = self.insts[inst].clone();
        let types: SmallVec<[Type; 1]> = data.results.iter().map(|r| self.ty(*r)).collect();
        let copy = self.make_inst(data.op, &data.args, &types);
        let new = &mut self.insts[copy];
        (new.targets, new.fast, new.line) = (data.targets, data.fast, data.line);
        copy
    }
    /// Creates a terminator, in no block yet.
    pub fn make_terminator(&mut self, op: Op, args: &[Value], targets: &[BlockCall]) -> Inst {
        let inst = self.make_inst(op, args, &[]);
        self.insts[inst].targets = targets.to_vec();
        inst
    }
    /// Takes the instruction list out of a block, to be rebuilt and put back.
    pub fn take_insts(&mut self, block: Block) -> Vec<Inst> {
        std::mem::take(&mut self.blocks[block].insts)
    }
    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }
    /// The instruction that defines a value; `None` for parameters and constants.
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Result(inst, _) => Some(inst),
            _ => None,
        }
    }
    /// The operation that defines a value; `None` for parameters and constants.
    pub fn def_op(&self, value: Value) -> Option<&Op> {
        self.def_inst(value).map(|i| &self.insts[i].op)
    }
    /// The stack slot that an address lies in, through additions of offsets.
    pub fn slot_of(&self, mut address: Value) -> Option<Slot> {
        loop {
            let data = &self.insts[self.def_inst(address)?];
            match data.op {
                Op::SlotAddr(slot) => return Some(slot),
                Op::PtrAdd => address = data.args[0],
                _ => return None,
            }
        }
    }
    /// The first (usually only) result of an instruction.
    pub fn result(&self, inst: Inst) -> Option<Value> {
        self.insts[inst].results.first().copied()
    }
    /// The terminator of a block.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.blocks[block].insts.last().copied().filter(|&i| self.insts[i].op.is_terminator())
    }
    /// The edges that leave a block.
    pub fn successors(&self, block: Block) -> &[BlockCall] {
        match self.terminator(block) {
            Some(i) => &self.insts[i].targets,
            None => &[],
        }
    }

    /// Replaces the table of constants.
    pub(super) fn set_constants(&mut self, constants: impl IntoIterator<Item = (Const, Value)>) {
        self.consts = constants.into_iter().collect();
    }
    /// The interned value of a constant.
    pub fn constant(&mut self, c: Const) -> Value {
        if let Some(&v) = self.consts.get(&c) {
            return v;
        }
        let ty = match &c {
            Const::Bits(ty, _) | Const::Undef(ty) => *ty,
        };
        let v = self.values.push(ValueData { ty, def: ValueDef::Const(c.clone()) });
        self.consts.insert(c, v);
        v
    }
    /// A scalar, splat or pointer constant with `bits` in every lane (masked to the width).
    pub fn bits(&mut self, ty: Type, bits: u64) -> Value {
        let bits = bits & ty.scalar().map_or(u64::MAX, Scalar::mask);
        self.constant(Const::Bits(ty, smallvec![bits; ty.lanes() as usize]))
    }
    /// An `i32` constant.
    pub fn i32(&mut self, x: i32) -> Value {
        self.bits(super::types::I32, x as u32 as u64)
    }
    /// An `i64` constant.
    pub fn i64(&mut self, x: i64) -> Value {
        self.bits(super::types::I64, x as u64)
    }
    /// An `i1` constant.
    pub fn bool(&mut self, x: bool) -> Value {
        self.bits(super::types::I1, x as u64)
    }
    /// An undefined value.
    pub fn undef(&mut self, ty: Type) -> Value {
        self.constant(Const::Undef(ty))
    }
    /// The constant behind a value; `None` for others.
    pub fn as_const(&self, value: Value) -> Option<&Const> {
        match &self.values[value].def {
            ValueDef::Const(c) => Some(c),
            _ => None,
        }
    }
    /// Bits of a scalar or splat constant; `None` for others.
    pub fn as_bits(&self, value: Value) -> Option<u64> {
        match self.as_const(value)? {
            Const::Bits(_, bits) if bits.iter().all(|b| *b == bits[0]) => Some(bits[0]),
            _ => None,
        }
    }
    /// Replaces every use of the keys of `map` in the layout by their values, following chains.
    pub fn replace_uses(&mut self, map: &FxHashMap<Value, Value>) {
        if map.is_empty() {
            return;
        }
        let resolve = |v: &mut Value| {
            while let Some(&next) = map.get(v) {
                *v = next;
            }
        };
        let (layout, blocks, insts) = (&self.layout, &self.blocks, &mut self.insts);
        for &inst in layout.iter().flat_map(|b| &blocks[*b].insts) {
            insts[inst].operands_mut().for_each(resolve);
        }
    }
    /// Replaces the uses of the keys of `map` in a block by their values.
    pub fn replace_uses_in(&mut self, block: Block, map: &FxHashMap<Value, Value>) {
        for &inst in &self.blocks[block].insts {
            for v in self.insts[inst].operands_mut() {
                *v = map.get(v).copied().unwrap_or(*v);
            }
        }
    }
    /// The instructions in layout order.
    pub fn insts_in_order(&self) -> impl Iterator<Item = Inst> + '_ {
        self.layout.iter().flat_map(|b| self.blocks[*b].insts.iter().copied())
    }
    /// The data of the instructions in layout order.
    pub fn data_in_order(&self) -> impl Iterator<Item = &InstData> + '_ {
        self.insts_in_order().map(|inst| &self.insts[inst])
    }
    /// Number of instructions in the layout.
    pub fn size(&self) -> usize {
        self.layout.iter().map(|b| self.blocks[*b].insts.len()).sum()
    }
    /// Size of side tables indexed by value: the highest index plus one.
    pub fn value_count(&self) -> usize {
        self.values.next_key().index()
    }
}
