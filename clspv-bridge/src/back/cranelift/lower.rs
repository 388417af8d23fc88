//! A function in Cranelift's IR: signature, blocks and their parameters, control flow.
//!
//! The first block is of our own: it receives the parameters and holds values that the function needs once
//! ([`Lower::once`]). A kernel receives the context ([`crate::native::context`]). A function that it calls
//! receives the context, the address of its results (16 bytes for each part), that of the position of
//! instrumented code, and the parts of its parameters.

use super::isa::Features;
use super::lanes::{self, Parts};
use super::narrow;
use crate::analysis::Cfg;
use crate::back::native::{NativeFunction, Program};
use crate::error::{CompileError, Invariant, Result};
use crate::ir::*;
use crate::metadata::ArgKind;
use crate::native::{check, context};
use crate::passes::native::regions::slot_offsets;
use cranelift_codegen::cursor::{Cursor, CursorPosition, FuncCursor};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, AbiParam, BlockArg, InstBuilder, MemFlags, TrapCode, types};
use cranelift_codegen::isa::CallConv;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes from one part of a call's results to the next.
const RESULT: i32 = 16;
/// Fewest uses for which a value is computed once: it may live long, and then in memory.
pub(super) const KEPT_USES: u32 = 4;
/// Most lanes of a vector that are accessed in memory.
pub(super) const MOST_LANES: u32 = 32;
/// Alignment of a function's frame.
const FRAME_ALIGN: u32 = 64;

/// State of a function's translation.
pub(super) struct Lower<'a, 'f> {
    pub program: &'a Program<'a>,
    pub func: &'a Function,
    pub shape: VectorShape,
    pub features: Features,
    /// Where instructions are added.
    pub c: FuncCursor<'f>,
    pub values: FxHashMap<Value, Parts>,
    blocks: FxHashMap<Block, clif::Block>,
    /// The end of the first block, and its first parameters.
    entry_end: clif::Inst,
    pub ctx: clif::Value,
    results: Option<clif::Value>,
    position: Option<clif::Value>,
    /// Values of the context by offset.
    fields: FxHashMap<usize, clif::Value>,
    /// Addresses of variables on the stack.
    variables: FxHashMap<StackVariable, clif::Value>,
    /// Those addresses in each lane of a vector.
    variables_in_lanes: FxHashMap<StackVariable, clif::Value>,
    pub uses: Uses,
    /// Masks of addresses, for masks that many accesses have.
    pub kept_masks: FxHashMap<(clif::Value, StackVariable), KeptMask>,
    /// Sums of one address and offsets of lanes that are used several times.
    pub lane_addresses: FxHashMap<(Value, Value), Parts>,
    /// The vector whose lanes are in [`StackVariable::Lanes`], stored in the current block.
    in_memory: Option<Value>,
    /// Offsets of private variables in the frame.
    slots: Vec<u32>,
}

/// A variable on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum StackVariable {
    /// Memory for the private variables of a function.
    Frame,
    /// Zeros, which inactive lanes load.
    Zeros,
    /// Memory to which inactive lanes store.
    Sink,
    /// Operands of runtime calls.
    RuntimeArgs,
    /// Results of a call of another function.
    CallResults,
    /// Lanes of a vector that are accessed by number.
    Lanes,
    /// Addresses, data and position of checked accesses.
    CheckAt,
    CheckData,
    CheckPosition,
}

/// The signature of a kernel or of a function that it calls.
fn signature(func: &Function, call_conv: CallConv) -> clif::Signature {
    let mut signature = clif::Signature::new(call_conv);
    let address = AbiParam::new(types::I64);
    signature.params.push(address);
    if func.kernel.is_none() {
        signature.params.extend([address, address]);
        for ty in &func.sig.params {
            let part = AbiParam::new(lanes::part_type(*ty));
            signature.params.extend(vec![part; lanes::part_count(*ty)]);
        }
    }
    signature
}

/// Bytes of the results of the function's calls: of the one with the most.
fn call_results_bytes(func: &Function) -> u32 {
    let insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(|i| &func.insts[*i]);
    let calls = insts.filter(|data| matches!(data.op, Op::Call(_)));
    let parts = calls.map(|data| data.results.iter().map(|r| lanes::part_count(func.ty(*r))).sum::<usize>());
    parts.max().unwrap_or(0).max(1) as u32 * RESULT as u32
}

/// A mask of 64-bit lanes, and the address that lanes have where it is not set, for each half of a mask.
pub(super) type KeptMask = [(clif::Value, clif::Value); 2];

/// How often a function uses masks and sums that can be computed once.
#[derive(Default)]
pub(super) struct Uses {
    /// Accesses of each mask.
    pub masks: FxHashMap<Value, u32>,
    /// Sums of one address for all lanes and constant offsets of lanes.
    pub sums: FxHashMap<(Value, Value), u32>,
    /// See [`narrow::extended_loads`].
    pub extended: FxHashSet<Value>,
}

impl Uses {
    fn of(func: &Function) -> Uses {
        let mut uses = Uses { extended: narrow::extended_loads(func), ..Uses::default() };
        for data in func.data_in_order() {
            match (&data.op, data.args.as_slice()) {
                (Op::Lanes(_), [.., mask]) if func.ty(*mask).is_bool() => {
                    *uses.masks.entry(*mask).or_default() += 1;
                }
                (Op::PtrAdd, &[base, offsets])
                    if func.as_const(offsets).is_some()
                        && func.ty(base).lanes() < func.ty(offsets).lanes() =>
                {
                    *uses.sums.entry((base, offsets)).or_default() += 1;
                }
                _ => {}
            }
        }
        uses.masks.retain(|mask, _| func.as_const(*mask).is_none());
        uses.sums.retain(|(base, _), _| func.as_const(*base).is_none());
        uses
    }
}

/// Translates a function.
pub(super) fn lower(
    program: &Program<'_>,
    function: &NativeFunction<'_>,
    features: Features,
    call_conv: CallConv,
) -> Result<clif::Function> {
    let func = function.func;
    let mut out =
        clif::Function::with_name_signature(clif::UserFuncName::default(), signature(func, call_conv));
    let entry = out.dfg.make_block();
    let types: Vec<clif::Type> = out.signature.params.iter().map(|p| p.value_type).collect();
    let params: Vec<clif::Value> =
        types.into_iter().map(|ty| out.dfg.append_block_param(entry, ty)).collect();
    let order = Cfg::new(func).rpo().to_vec();
    let blocks: FxHashMap<Block, clif::Block> = order.iter().map(|b| (*b, out.dfg.make_block())).collect();
    let mut c = FuncCursor::new(&mut out);
    c.insert_block(entry);
    let first = func.entry().and_then(|b| blocks.get(&b).copied()).invariant("a function without code")?;
    let entry_end = c.ins().jump(first, &[]);
    let start = func.frame.map_or(0, |frame| frame.start);
    let mut params = params.into_iter();
    let ctx = params.next().invariant("a function without a context")?;
    let is_kernel = func.kernel.is_some();
    let mut lower = Lower {
        program,
        func,
        shape: function.shape,
        features,
        c,
        values: FxHashMap::default(),
        blocks,
        entry_end,
        ctx,
        results: if is_kernel { None } else { params.next() },
        position: if is_kernel { None } else { params.next() },
        fields: FxHashMap::default(),
        variables: FxHashMap::default(),
        variables_in_lanes: FxHashMap::default(),
        uses: Uses::of(func),
        kept_masks: FxHashMap::default(),
        lane_addresses: FxHashMap::default(),
        in_memory: None,
        slots: slot_offsets(func, start),
    };
    lower.parameters(params)?;
    for block in order {
        lower.block(block)?;
    }
    Ok(out)
}

impl<'a> Lower<'a, '_> {
    /// Runs `f` at the end of the first block: its result can be used everywhere.
    pub(super) fn once<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let position = self.c.position();
        self.c.goto_inst(self.entry_end);
        let result = f(self);
        self.c.set_position(position);
        result
    }

    /// Runs `f` where a value has just been defined: its result can be used wherever the value can.
    pub(super) fn after<T>(&mut self, x: clif::Value, f: impl FnOnce(&mut Self) -> T) -> T {
        let def = self.c.func.dfg.value_def(x);
        let block = match def {
            clif::ValueDef::Param(block, _) => Some(block),
            def => def.inst().and_then(|inst| self.c.func.layout.inst_block(inst)),
        };
        if block == self.c.func.layout.entry_block() {
            return self.once(f);
        }
        let position = self.c.position();
        match (def.inst(), block) {
            (Some(inst), _) => self.c.goto_after_inst(inst),
            (None, Some(block)) => self.c.goto_first_insertion_point(block),
            (None, None) => {}
        }
        let result = f(self);
        self.c.set_position(position);
        result
    }

    /// A value of the context.
    pub(super) fn field(&mut self, ty: clif::Type, offset: usize) -> clif::Value {
        if let Some(known) = self.fields.get(&offset) {
            return *known;
        }
        let ctx = self.ctx;
        let value = self.once(|l| l.c.ins().load(ty, MemFlags::trusted(), ctx, offset as i32));
        self.fields.insert(offset, value);
        value
    }

    /// The address of a variable on the stack.
    pub(super) fn variable(&mut self, variable: StackVariable) -> clif::Value {
        if let Some(known) = self.variables.get(&variable) {
            return *known;
        }
        let width = u32::from(self.shape.width);
        let (bytes, align) = match variable {
            StackVariable::Frame => (self.func.frame.map_or(64, |frame| frame.end), FRAME_ALIGN),
            StackVariable::Zeros | StackVariable::Sink => (16, 16),
            StackVariable::RuntimeArgs => (8 * crate::native::runtime::MAX_ARGS as u32, 8),
            StackVariable::CallResults => (call_results_bytes(self.func), 16),
            StackVariable::Lanes => (8 * MOST_LANES, 16),
            StackVariable::CheckAt => (8 * width, 64),
            StackVariable::CheckData => (8 * 16 * width, 64),
            StackVariable::CheckPosition => (32, 8),
        };
        let address = self.once(|l| {
            let address = l.stack_memory(bytes, align);
            if variable == StackVariable::Zeros {
                let zero = l.words(types::I32X4, &[0; 4]);
                l.c.ins().store(MemFlags::trusted(), zero, address, 0);
            }
            address
        });
        self.variables.insert(variable, address);
        address
    }

    /// A vector of the address of a variable on the stack.
    pub(super) fn variable_in_lanes(&mut self, variable: StackVariable) -> clif::Value {
        if let Some(known) = self.variables_in_lanes.get(&variable) {
            return *known;
        }
        let address = self.variable(variable);
        let vector = self.once(|l| l.c.ins().splat(types::I64X2, address));
        self.variables_in_lanes.insert(variable, vector);
        vector
    }

    /// The address of a vector's lanes in memory.
    pub(super) fn lanes_in_memory(&mut self, v: Value) -> Result<clif::Value> {
        let address = self.variable(StackVariable::Lanes);
        if self.in_memory != Some(v) {
            let bytes = lanes::part_type(self.func.ty(v)).bytes() as i32;
            for (part, offset) in self.get(v)?.into_iter().zip((0..).step_by(bytes as usize)) {
                self.c.ins().store(MemFlags::trusted(), part, address, offset);
            }
            self.in_memory = Some(v);
        }
        Ok(address)
    }

    /// The address of new memory on the stack.
    fn stack_memory(&mut self, bytes: u32, align: u32) -> clif::Value {
        // The stack is aligned to 16.
        let more = if align > 16 { align } else { 0 };
        let data = clif::StackSlotData::new(clif::StackSlotKind::ExplicitSlot, bytes + more, 4);
        let slot = self.c.func.create_sized_stack_slot(data);
        let address = self.c.ins().stack_addr(types::I64, slot, 0);
        if more == 0 {
            return address;
        }
        let last = self.number(types::I64, u64::from(align) - 1);
        let end = self.c.ins().iadd(address, last);
        let mask = self.number(types::I64, !(u64::from(align) - 1));
        self.c.ins().band(end, mask)
    }

    /// The address of the position of instrumented code.
    pub(super) fn position(&mut self) -> clif::Value {
        match self.position {
            Some(position) => position,
            None => self.variable(StackVariable::CheckPosition),
        }
    }

    /// The address of the function's frame.
    fn frame(&mut self) -> clif::Value {
        if !self.program.instrumented {
            return self.variable(StackVariable::Frame);
        }
        let position = self.position();
        if let Some(known) = self.variables.get(&StackVariable::Frame) {
            return *known;
        }
        let offset = 8 * check::FRAME as i32;
        let address = self.once(|l| l.c.ins().load(types::I64, MemFlags::trusted(), position, offset));
        self.variables.insert(StackVariable::Frame, address);
        address
    }

    /// The address of a private variable.
    pub(super) fn slot(&mut self, slot: Slot) -> clif::Value {
        let at = self.slots.get(slot.index()).copied().unwrap_or(0);
        let frame = self.frame();
        self.offset(frame, u64::from(at))
    }

    /// An address plus a number of bytes.
    pub(super) fn offset(&mut self, p: clif::Value, bytes: u64) -> clif::Value {
        if bytes == 0 {
            return p;
        }
        let bytes = self.number(types::I64, bytes);
        self.c.ins().iadd(p, bytes)
    }

    /// Defines the function's parameters.
    fn parameters(&mut self, parts: impl Iterator<Item = clif::Value>) -> Result<()> {
        let func = self.func;
        let params: Vec<Value> = func.entry().map(|b| func.blocks[b].params.clone()).unwrap_or_default();
        if func.kernel.is_some() {
            self.c.goto_inst(self.entry_end);
            for (index, p) in params.into_iter().enumerate() {
                self.kernel_parameter(index, p)?;
            }
        } else {
            let mut parts = parts;
            for p in params {
                let own: Parts = parts.by_ref().take(lanes::part_count(func.ty(p))).collect();
                self.set(p, own);
            }
            if self.program.instrumented && !func.slots.is_empty() {
                let frame = func.frame.invariant("a function without a frame")?;
                self.c.goto_inst(self.entry_end);
                self.check_start(frame.start, frame.end);
            }
        }
        Ok(())
    }

    /// Loads a kernel's argument.
    fn kernel_parameter(&mut self, index: usize, p: Value) -> Result<()> {
        let program = self.program;
        let Some(arg) = program.info.args.get(index) else { return Ok(()) };
        if arg.kind != ArgKind::LocalPtr {
            self.argument(p, arg.offset);
            return Ok(());
        }
        let word = program.local_args.iter().find(|(a, _)| usize::from(*a) == index);
        let word = word.map(|(_, word)| *word).invariant("a local argument without a word")?;
        let args = self.field(types::I64, context::ARGS);
        let local = self.field(types::I64, context::LOCAL);
        let at = self.c.ins().load(types::I64, MemFlags::trusted(), args, word as i32);
        let address = self.c.ins().iadd(local, at);
        self.set_one(p, address);
        Ok(())
    }

    /// Loads a value from the argument block, by lanes.
    pub(super) fn argument(&mut self, v: Value, offset: u32) {
        let ty = self.func.ty(v);
        let args = self.field(types::I64, context::ARGS);
        let flags = MemFlags::new().with_notrap();
        let mut lanes = Parts::new();
        for i in 0..ty.lanes() {
            let at = (offset + i * lanes::lane_bytes(ty)) as i32;
            let lane = self.c.ins().load(lanes::lane_type(ty), flags, args, at);
            // Boolean arguments take a byte.
            lanes.push(if ty.is_bool() { self.truth(lane) } else { lane });
        }
        self.set_lanes(v, &lanes);
    }

    /// Translates a block.
    fn block(&mut self, block: Block) -> Result<()> {
        let func = self.func;
        let to = self.target(block)?;
        self.c.set_position(CursorPosition::Nowhere);
        self.c.insert_block(to);
        self.in_memory = None;
        let data = &func.blocks[block];
        if func.entry() != Some(block) {
            for p in &data.params {
                let parts = self.block_params(to, func.ty(*p));
                self.set(*p, parts);
            }
        }
        for inst in &data.insts {
            self.operation(&func.insts[*inst])?;
        }
        Ok(())
    }

    /// Adds parameters for a value of this type to a block.
    pub(super) fn block_params(&mut self, block: clif::Block, ty: Type) -> Parts {
        let param = |_| self.c.func.dfg.append_block_param(block, lanes::part_type(ty));
        (0..lanes::part_count(ty)).map(param).collect()
    }

    fn target(&self, block: Block) -> Result<clif::Block> {
        self.blocks.get(&block).copied().invariant("a branch to a block without code")
    }

    /// Adds a block after the current one and continues there.
    pub(super) fn start_block(&mut self, block: clif::Block) {
        self.c.insert_block(block);
    }

    fn edge(&mut self, call: &BlockCall) -> Result<(clif::Block, Vec<BlockArg>)> {
        let mut args = Vec::new();
        for a in &call.args {
            args.extend(self.get(*a)?.into_iter().map(BlockArg::Value));
        }
        Ok((self.target(call.block)?, args))
    }

    /// Translates a block's last instruction.
    pub(super) fn terminator(&mut self, data: &InstData) -> Result<()> {
        match (&data.op, data.targets.as_slice()) {
            (Op::Jump, [to]) => {
                let (to, args) = self.edge(to)?;
                self.c.ins().jump(to, &args);
            }
            (Op::BrIf, [then, other]) => {
                let on = self.one(data.args[0])?;
                let (then, then_args) = self.edge(then)?;
                let (other, other_args) = self.edge(other)?;
                self.c.ins().brif(on, then, &then_args, other, &other_args);
            }
            (Op::Switch(cases), [default, targets @ ..]) => {
                let on = self.one(data.args[0])?;
                for (case, target) in cases.iter().zip(targets) {
                    let case = self.number(self.type_of(on), *case);
                    let is = self.c.ins().icmp(IntCC::Equal, on, case);
                    let (to, args) = self.edge(target)?;
                    let next = self.c.func.dfg.make_block();
                    self.c.ins().brif(is, to, &args, next, &[]);
                    self.start_block(next);
                }
                let (to, args) = self.edge(default)?;
                self.c.ins().jump(to, &args);
            }
            (Op::Return, _) => {
                if let Some(results) = self.results {
                    let mut at = 0;
                    for a in &data.args {
                        for part in self.get(*a)? {
                            self.c.ins().store(MemFlags::trusted(), part, results, at);
                            at += RESULT;
                        }
                    }
                }
                self.c.ins().return_(&[]);
            }
            _ => {
                self.c.ins().trap(TrapCode::unwrap_user(1));
            }
        }
        Ok(())
    }

    /// Calls another function of the kernel.
    pub(super) fn call(&mut self, callee: FuncRef, data: &InstData) -> Result<()> {
        let program = self.program;
        if !program.symbols.contains_key(&callee) {
            return Err(CompileError::internal("a call of a function without code"));
        }
        let mut signature = clif::Signature::new(self.c.func.signature.call_conv);
        signature.params.extend([AbiParam::new(types::I64); 3]);
        let results = self.variable(StackVariable::CallResults);
        let position = if program.instrumented { self.position() } else { self.number(types::I64, 0) };
        let mut args = vec![self.ctx, results, position];
        for a in &data.args {
            let part = AbiParam::new(lanes::part_type(self.func.ty(*a)));
            let own = self.get(*a)?;
            signature.params.extend(own.iter().map(|_| part));
            args.extend(own);
        }
        let signature = self.c.func.import_signature(signature);
        let name = clif::UserExternalName::new(0, callee.index() as u32);
        let name = self.c.func.declare_imported_user_function(name);
        let function = clif::ExtFuncData { name: clif::ExternalName::user(name), signature, colocated: true };
        let function = self.c.func.import_function(function);
        self.c.ins().call(function, &args);
        let mut at = 0;
        for r in &data.results {
            let ty = self.func.ty(*r);
            let mut own = Parts::new();
            for _ in 0..lanes::part_count(ty) {
                own.push(self.c.ins().load(lanes::part_type(ty), MemFlags::trusted(), results, at));
                at += RESULT;
            }
            self.set(*r, own);
        }
        Ok(())
    }
}
