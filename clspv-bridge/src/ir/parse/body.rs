//! Function bodies: slots, variables, blocks and instructions.

use super::lexer::{Cursor, Line, Token, entity_number};
use super::{MAX_INDEX, ParseError, Result};
use crate::ir::check::CheckOp;
use crate::ir::entity::{Block, EntityRef, FuncRef, Global, Slot, Value, Var};
use crate::ir::func::{
    BlockData, Const, Function, Merge, SlotData, UnrollHint, ValueData, ValueDef, VarClass, VarData, VarLen,
};
use crate::ir::group::GroupOp;
use crate::ir::implicit_arg::implicit_arg;
use crate::ir::inst::{
    Access, BinOp, BlockCall, CastOp, FastMath, FenceSpaces, InstData, Op, Root, Rounding, UnOp,
};
use crate::ir::lanes::LaneOp;
use crate::ir::names::{Named, cl_op_from_name, type_from_name};
use crate::ir::types::{I1, Scalar, Type};
use crate::ir::typing;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// State of one body.
struct Body<'a> {
    func: &'a mut Function,
    functions: &'a FxHashMap<String, FuncRef>,
    /// Types of the numbered values, as far as known.
    types: Vec<Option<Type>>,
    /// Instructions whose result types are not known yet, with their lines.
    pending: Vec<(crate::ir::entity::Inst, usize)>,
    current: Option<Block>,
}

pub(super) fn parse_body(
    func: &mut Function,
    lines: &[Line],
    functions: &FxHashMap<String, FuncRef>,
) -> Result<()> {
    // Numbers in the text become indices, so all entities are created before constants take indices of their
    // own.
    let highest = |prefix: &str| -> Result<usize> {
        let mut n = 0;
        for line in lines {
            for t in &line.tokens {
                if let Token::Word(w) = t
                    && let Some(i) = entity_number(w, prefix)
                {
                    if i >= MAX_INDEX {
                        return Err(ParseError {
                            line: line.number,
                            message: format!("{w}: number too large"),
                        });
                    }
                    n = n.max(i + 1);
                }
            }
        }
        Ok(n)
    };
    let values = highest("v")?;
    for _ in 0..values {
        func.values.push(ValueData { ty: I1, def: ValueDef::Const(Const::Undef(I1)) });
    }
    for _ in 0..highest("block")? {
        func.blocks.push(BlockData::default());
    }
    let mut body = Body { func, functions, types: vec![None; values], pending: Vec::new(), current: None };
    for line in lines {
        body.line(line)?;
    }
    body.infer_types()
}

impl Body<'_> {
    fn line(&mut self, line: &Line) -> Result<()> {
        let c = &mut Cursor::new(line);
        let first = line.first_word().unwrap_or_default();
        if entity_number(first, "block").is_some() && (c.has_punct(':')) {
            return self.block_header(c);
        }
        if entity_number(first, "ss").is_some() {
            let index = c.entity("ss")?;
            c.punct('=')?;
            c.keyword("slot")?;
            let size = c.number()?;
            c.keyword("align")?;
            let align = c.number()?;
            c.end()?;
            if index != self.func.slots.len() {
                return c.error("slots are numbered in order");
            }
            self.func.slots.push(SlotData { size, align });
            return Ok(());
        }
        if entity_number(first, "var").is_some() {
            return self.variable(c);
        }
        self.inst(c)
    }

    fn variable(&mut self, c: &mut Cursor<'_>) -> Result<()> {
        if c.entity("var")? != self.func.vars.len() {
            return c.error("variables are numbered in order");
        }
        c.punct('=')?;
        let class = match c.word()? {
            "buffer" => VarClass::Buffer { binding: c.number()?, readonly: c.eat_word("readonly") },
            "image" => {
                VarClass::Image { binding: c.number()?, dim: c.named()?, storage: c.eat_word("storage") }
            }
            "workgroup" => VarClass::Workgroup,
            "private" => VarClass::Private,
            "view" => VarClass::View { of: Var::new(c.entity("var")?) },
            other => return c.error(format!("`{other}` is not a storage class")),
        };
        let elem = c.ty()?;
        let len = match c.word()? {
            "runtime" => VarLen::Runtime,
            "fixed" => VarLen::Fixed(c.number()?),
            "spec" => VarLen::Spec(c.number()?),
            other => return c.error(format!("`{other}` is not a length")),
        };
        self.func.vars.push(VarData { class, elem, len });
        c.end()
    }

    fn block_header(&mut self, c: &mut Cursor<'_>) -> Result<()> {
        let block = Block::new(c.entity("block")?);
        if self.func.layout.contains(&block) {
            return c.error(format!("{block} is defined twice"));
        }
        self.func.layout.push(block);
        self.current = Some(block);
        if c.eat_punct('(') {
            while !c.eat_punct(')') {
                if !self.func.blocks[block].params.is_empty() {
                    c.punct(',')?;
                }
                let index = c.entity("v")?;
                c.punct(':')?;
                let ty = c.ty()?;
                let number = self.func.blocks[block].params.len() as u16;
                self.define(c, index, ValueDef::Param(block, number))?;
                self.set_type(index, ty);
                self.func.blocks[block].params.push(Value::new(index));
            }
        }
        if c.eat_word("selection") {
            c.keyword("merge")?;
            self.func.blocks[block].merge = Some(Merge::Selection { merge: self.block(c)? });
        } else if c.eat_word("loop") {
            c.keyword("merge")?;
            let merge = self.block(c)?;
            c.keyword("continue")?;
            self.func.blocks[block].merge = Some(Merge::Loop { merge, cont: self.block(c)? });
        }
        if c.eat_word("unroll") {
            let hint = if c.eat_word("full") {
                UnrollHint::Full
            } else if c.eat_word("never") {
                UnrollHint::Never
            } else {
                UnrollHint::By(c.number()?)
            };
            self.func.blocks[block].unroll = Some(hint);
        }
        c.punct(':')?;
        c.end()
    }

    fn block(&mut self, c: &mut Cursor<'_>) -> Result<Block> {
        c.entity("block").map(Block::new)
    }

    fn define(&mut self, c: &Cursor<'_>, index: usize, def: ValueDef) -> Result<()> {
        let data = &mut self.func.values[Value::new(index)];
        if !matches!(data.def, ValueDef::Const(_)) {
            return c.error(format!("v{index} is defined twice"));
        }
        data.def = def;
        Ok(())
    }

    fn set_type(&mut self, index: usize, ty: Type) {
        self.types[index] = Some(ty);
        self.func.values[Value::new(index)].ty = ty;
    }

    fn inst(&mut self, c: &mut Cursor<'_>) -> Result<()> {
        let Some(block) = self.current else { return c.error("instruction outside of a block") };
        let inst = self.func.insts.next_key();
        let mut results: SmallVec<[Value; 1]> = smallvec![];
        if c.has_punct('=') {
            loop {
                let index = c.entity("v")?;
                self.define(c, index, ValueDef::Result(inst, results.len() as u16))?;
                results.push(Value::new(index));
                if !c.eat_punct(',') {
                    break;
                }
            }
            c.punct('=')?;
        }
        let name = c.word()?;
        let mut stated = None;
        if c.eat_punct('.') {
            stated = Some(if c.peek_punct('(') { c.type_list()? } else { vec![c.ty()?] });
        }
        let mut op = self.operation(c, name)?;
        let mut data = InstData {
            op: Op::Unreachable,
            args: smallvec![],
            targets: Vec::new(),
            results,
            fast: FastMath::default(),
            line: 0,
        };
        self.operands(c, &mut op, &mut data)?;
        if let Op::Memcpy { dst, src } = &mut op {
            c.keyword("dst")?;
            parse_access(c, dst)?;
            c.keyword("src")?;
            parse_access(c, src)?;
        } else if let Some(access) = op.access_mut() {
            parse_access(c, access)?;
        }
        while !c.at_end() {
            match c.word()? {
                "nnan" => data.fast.no_nan = true,
                "ninf" => data.fast.no_inf = true,
                "nsz" => data.fast.no_signed_zero = true,
                "arcp" => data.fast.allow_recip = true,
                "contract" => data.fast.contract = true,
                "fast" => data.fast.fast = true,
                "line" => data.line = c.number()?,
                other => return c.error(format!("unexpected `{other}`")),
            }
        }
        data.op = op;
        match stated {
            Some(types) if types.len() != data.results.len() => {
                return c.error("one type for each result is needed");
            }
            Some(types) => {
                for (r, ty) in data.results.iter().zip(types) {
                    self.set_type(r.index(), ty);
                }
            }
            None if data.results.is_empty() => {}
            None => self.pending.push((inst, c.number_of_line())),
        }
        self.func.insts.push(data);
        self.func.blocks[block].insts.push(inst);
        Ok(())
    }

    /// Operands, then edges.
    fn operands(&mut self, c: &mut Cursor<'_>, op: &mut Op, data: &mut InstData) -> Result<()> {
        loop {
            match c.peek_word() {
                Some(w) if entity_number(w, "block").is_some() => data.targets.push(self.edge(c)?),
                Some(w) if is_value_start(w) => data.args.push(self.value(c)?),
                _ => break,
            }
            if !c.eat_punct(',') {
                break;
            }
        }
        if let Op::Switch(cases) = op {
            c.punct('[')?;
            let mut list = Vec::new();
            while !c.eat_punct(']') {
                if !list.is_empty() {
                    c.punct(',')?;
                }
                list.push(c.bits()?);
                c.punct(':')?;
                data.targets.push(self.edge(c)?);
            }
            *cases = list.into();
        }
        Ok(())
    }

    fn edge(&mut self, c: &mut Cursor<'_>) -> Result<BlockCall> {
        let mut call = BlockCall { block: self.block(c)?, args: smallvec![] };
        if c.eat_punct('(') {
            while !c.eat_punct(')') {
                if !call.args.is_empty() {
                    c.punct(',')?;
                }
                call.args.push(self.value(c)?);
            }
        }
        Ok(call)
    }

    fn value(&mut self, c: &mut Cursor<'_>) -> Result<Value> {
        match c.peek_word() {
            Some("undef") => {
                c.word()?;
                c.punct('.')?;
                let ty = c.ty()?;
                Ok(self.func.undef(ty))
            }
            Some(w) if entity_number(w, "v").is_some() => c.entity("v").map(Value::new),
            _ => {
                let constant = parse_constant(c)?;
                Ok(self.func.constant(constant))
            }
        }
    }

    /// The operation of a mnemonic, with its immediates.
    fn operation(&mut self, c: &mut Cursor<'_>, name: &str) -> Result<Op> {
        if let Some(op) = BinOp::from_name(name) {
            return Ok(Op::Bin(op));
        }
        if let Some(op) = UnOp::from_name(name) {
            return Ok(Op::Un(op));
        }
        if let Some(op) = CastOp::from_name(name) {
            return Ok(Op::Cast(op));
        }
        let access = Access::aligned(1);
        Ok(match name {
            "fma" => Op::Fma,
            "mad" => Op::Mad,
            "icmp" => Op::Icmp(c.named()?),
            "fcmp" => Op::Fcmp(c.named()?),
            "select" => Op::Select,
            "convert" => convert(c)?,
            "extract" => Op::Extract(c.number()?),
            "extract_dyn" => Op::ExtractDyn,
            "insert" => Op::Insert(c.number()?),
            "insert_dyn" => Op::InsertDyn,
            "vec_build" => Op::VecBuild,
            "splat" => Op::Splat,
            "shuffle" => Op::Shuffle(shuffle_lanes(c)?),
            "any" => Op::Any,
            "all" => Op::All,
            "load" => Op::Load(access),
            "store" => Op::Store(access),
            "ptr_add" => Op::PtrAdd,
            "is_space" => Op::IsSpace(c.named()?),
            "slot_addr" => Op::SlotAddr(Slot::new(c.entity("ss")?)),
            "print_buffer" => Op::PrintBuffer,
            "global_addr" => Op::GlobalAddr(Global::new(c.entity("g")?)),
            "memcpy" => Op::Memcpy { dst: access, src: access },
            "memset" => Op::Memset(access),
            "atomic_rmw" => Op::AtomicRmw { op: c.named()?, scope: c.named()?, order: c.named()?, access },
            "atomic_cas" => {
                Op::AtomicCas { scope: c.named()?, success: c.named()?, failure: c.named()?, access }
            }
            "atomic_load" => Op::AtomicLoad { scope: c.named()?, order: c.named()?, access },
            "atomic_store" => Op::AtomicStore { scope: c.named()?, order: c.named()?, access },
            "barrier" => Op::Barrier {
                exec: c.named()?,
                memory: c.named()?,
                order: c.named()?,
                spaces: parse_spaces(c),
            },
            "fence" => Op::Fence { scope: c.named()?, order: c.named()?, spaces: parse_spaces(c) },
            "group" => {
                let scope = c.named()?;
                Op::Group { scope, op: parse_group(c)? }
            }
            "dot4" => Op::Dot4 { x_signed: sign(c)?, y_signed: sign(c)? },
            "clock" => Op::Clock(c.named()?),
            "work_item" => Op::WorkItem { query: c.named()?, dim: c.number()? },
            "input" => Op::Input { input: c.named()?, dim: c.number()? },
            "arg" => Op::Arg { offset: c.number()? },
            "implicit_arg" => implicit(c)?,
            "push_const" => Op::PushConst { offset: c.number()? },
            "image" => {
                let (op, dim) = (c.named()?, c.named()?);
                let var = if c.eat_word("in") { Some(Var::new(c.entity("var")?)) } else { None };
                Op::Image { op, dim, var }
            }
            "opencl" => {
                let word = c.word()?;
                match cl_op_from_name(word) {
                    Some(op) => Op::OpenCl(op),
                    None => return c.error(format!("no OpenCL.std instruction `{word}`")),
                }
            }
            "call" => self.call(c)?,
            "runtime" => Op::Runtime(c.named()?),
            "check" => Op::Check(check(c)?),
            "lanes" => Op::Lanes(lane_op(c)?),
            "context" => Op::Context(c.named()?),
            "br" => Op::Jump,
            "brif" => Op::BrIf,
            "switch" => Op::Switch(Box::new([])),
            "ret" => Op::Return,
            "unreachable" => Op::Unreachable,
            other => return c.error(format!("unknown instruction `{other}`")),
        })
    }

    /// The called function: a name, or the number of one.
    fn call(&mut self, c: &mut Cursor<'_>) -> Result<Op> {
        Ok(match c.peek_symbol() {
            Some(symbol) => {
                c.symbol()?;
                match self.functions.get(symbol) {
                    Some(f) => Op::Call(*f),
                    None => return c.error(format!("no function @{symbol}")),
                }
            }
            None => Op::Call(FuncRef::new(c.entity("fn")?)),
        })
    }

    /// Result types that follow from operands; a definition may come after its use in the text.
    fn infer_types(&mut self) -> Result<()> {
        while !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            let before = pending.len();
            for (inst, line) in pending {
                let data = &self.func.insts[inst];
                let arg = |v: &Value| match self.types.get(v.index()) {
                    Some(known) => *known,
                    None => Some(self.func.ty(*v)),
                };
                let args: Option<Vec<Type>> = data.args.iter().map(arg).collect();
                let Some(args) = args else {
                    self.pending.push((inst, line));
                    continue;
                };
                let error = |message: &str| Err(ParseError { line, message: message.into() });
                let Some(types) = typing::infer(&data.op, &args) else {
                    return error("the result type does not follow from the operands; write it after a dot");
                };
                if types.len() != data.results.len() {
                    return error("wrong number of results");
                }
                let results: Vec<Value> = data.results.to_vec();
                for (r, ty) in results.into_iter().zip(types) {
                    self.set_type(r.index(), ty);
                }
            }
            if self.pending.len() == before {
                let line = self.pending[0].1;
                return Err(ParseError { line, message: "an operand is defined nowhere".into() });
            }
        }
        Ok(())
    }
}

/// A type and the bits of each lane.
pub(super) fn parse_constant(c: &mut Cursor<'_>) -> Result<Const> {
    let ty = c.ty()?;
    let mask = ty.scalar().map_or(u64::MAX, Scalar::mask);
    let mut bits: SmallVec<[u64; 1]> = smallvec![];
    if c.eat_punct('[') {
        while !c.eat_punct(']') {
            if !bits.is_empty() {
                c.punct(',')?;
            }
            bits.push(c.bits()? & mask);
        }
    } else {
        bits.push(c.bits()? & mask);
    }
    if bits.len() != ty.lanes() as usize {
        return c.error(format!("a constant of type {ty} has {} lanes", ty.lanes()));
    }
    Ok(Const::Bits(ty, bits))
}

fn is_value_start(word: &str) -> bool {
    entity_number(word, "v").is_some() || word == "undef" || word == "ptr" || type_from_name(word).is_some()
}

fn sign(c: &mut Cursor<'_>) -> Result<bool> {
    match c.word()? {
        "s" => Ok(true),
        "u" => Ok(false),
        other => c.error(format!("expected `s` or `u`, found `{other}`")),
    }
}

fn parse_group(c: &mut Cursor<'_>) -> Result<GroupOp> {
    Ok(match c.word()? {
        "all" => GroupOp::All,
        "any" => GroupOp::Any,
        "all_equal" => GroupOp::AllEqual,
        "elect" => GroupOp::Elect,
        "broadcast" => GroupOp::Broadcast,
        "broadcast_first" => GroupOp::BroadcastFirst,
        "ballot" => GroupOp::Ballot,
        "inverse_ballot" => GroupOp::InverseBallot,
        "ballot_bit" => GroupOp::BallotBit,
        "ballot_count" => GroupOp::BallotCount(c.named()?),
        "ballot_lsb" => GroupOp::BallotLsb,
        "ballot_msb" => GroupOp::BallotMsb,
        "mask" => GroupOp::Mask(c.named()?),
        "shuffle" => GroupOp::Shuffle,
        "shuffle_xor" => GroupOp::ShuffleXor,
        "shuffle_up" => GroupOp::ShuffleUp,
        "shuffle_down" => GroupOp::ShuffleDown,
        "rotate" => GroupOp::Rotate { cluster: c.number()? },
        "combine" => GroupOp::Combine { scan: c.named()?, op: c.named()?, cluster: c.number()? },
        other => return c.error(format!("no group operation `{other}`")),
    })
}

fn parse_spaces(c: &mut Cursor<'_>) -> FenceSpaces {
    FenceSpaces { local: c.eat_word("local"), global: c.eat_word("global"), image: c.eat_word("image") }
}

fn parse_access(c: &mut Cursor<'_>, access: &mut Access) -> Result<()> {
    if c.eat_word("addr") {
        access.root = Root::Addr;
    } else if c.eat_word("in") {
        access.root = Root::Var(Var::new(c.entity("var")?));
    }
    c.keyword("align")?;
    access.align = c.number()?;
    access.volatile = c.eat_word("volatile");
    access.nontemporal = c.eat_word("nontemporal");
    access.readonly = c.eat_word("readonly");
    access.copied = c.eat_word("copied");
    Ok(())
}

fn convert(c: &mut Cursor<'_>) -> Result<Op> {
    let from_signed = sign(c)?;
    c.keyword("to")?;
    let to_signed = sign(c)?;
    let rounding = c.peek_word().and_then(Rounding::from_name);
    if rounding.is_some() {
        c.word()?;
    }
    Ok(Op::Convert { from_signed, to_signed, rounding, saturate: c.eat_word("sat") })
}

/// The lanes of a shuffle; `_` is an undefined one.
fn shuffle_lanes(c: &mut Cursor<'_>) -> Result<SmallVec<[u8; 16]>> {
    c.punct('[')?;
    let mut lanes: SmallVec<[u8; 16]> = smallvec![];
    while !c.eat_punct(']') {
        if !lanes.is_empty() {
            c.punct(',')?;
        }
        lanes.push(if c.eat_word("_") { u8::MAX } else { c.number()? });
    }
    Ok(lanes)
}

fn implicit(c: &mut Cursor<'_>) -> Result<Op> {
    let name = c.word()?.to_owned();
    match implicit_arg(&name, || c.number())? {
        Some(arg) => Ok(Op::Implicit(arg)),
        None => c.error(format!("no implicit argument `{name}`")),
    }
}

fn check(c: &mut Cursor<'_>) -> Result<CheckOp> {
    let access = Access::aligned(1);
    Ok(match c.word()? {
        "load" => CheckOp::Load { access, demanded: c.number()? },
        "store" => CheckOp::Store(access),
        "address" => CheckOp::Address { what: c.number()? },
        "order" => CheckOp::Order { what: c.number()? },
        "position" => CheckOp::Position,
        "start" => CheckOp::Start { begin: c.number()?, end: c.number()? },
        other => return c.error(format!("no check `{other}`")),
    })
}

fn lane_op(c: &mut Cursor<'_>) -> Result<LaneOp> {
    let access = Access::aligned(1);
    Ok(match c.word()? {
        "load" => LaneOp::Load(access),
        "store" => LaneOp::Store(access),
        "gather" => LaneOp::Gather(access),
        "scatter" => LaneOp::Scatter(access),
        "mask_bits" => LaneOp::MaskBits,
        "freeze" => LaneOp::Freeze,
        other => return c.error(format!("no operation of lanes `{other}`")),
    })
}
