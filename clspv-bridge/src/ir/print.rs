//! The text form of modules and functions.
//!
//! ```text
//! phase imported
//! g0 = global @table constant internal size 8 align 4 readonly init 0100000002000000
//! func @scale(i32, f32) -> f32 {
//!     ss0 = slot 4 align 4
//! block0(v0: i32, v1: f32):
//!     v2 = slot_addr ss0
//!     store v1, v2 align 4
//!     v3 = icmp slt v0, i32 10
//!     brif v3, block1, block2
//! block1:
//!     v4 = load.f32 v2 align 4
//!     ...
//! ```
//!
//! An instruction is `results = mnemonic[.type] immediates operands [edges] attributes`. The result type is
//! written only where it does not follow from the operands ([`super::typing::infer`]). Constants are written
//! inline with their type. Printing is deterministic, and [`super::parse`] is its inverse: parsing printed
//! text and printing again returns the same text. Malformed functions print too, for verifier messages.

use super::check::CheckOp;
use super::entity::{Block, Inst, Value};
use super::func::{Const, Function, Linkage, Merge, UnrollHint, ValueDef, VarClass, VarLen};
use super::group::GroupOp;
use super::implicit_arg::implicit_arg_parts;
use super::inst::{Access, BlockCall, FenceSpaces, Op, Root};
use super::lanes::{CallExtent, LaneOp, VectorShape};
use super::module::{GlobalData, Module};
use super::names::Named;
use super::types::{Scalar, Type};
use super::typing;
use crate::metadata::{ArgInfo, KernelInfo};
use crate::printf::{PrintfArg, PrintfCall};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "phase {}", self.phase.name())?;
        for (g, data) in self.globals.iter() {
            write!(f, "{g} = ")?;
            print_global(f, data)?;
        }
        for kernel in &self.kernels {
            print_kernel(f, kernel)?;
        }
        for func in self.functions.values() {
            writeln!(f)?;
            func.fmt(f)?;
        }
        Ok(())
    }
}

fn print_global(f: &mut Formatter<'_>, g: &GlobalData) -> fmt::Result {
    let (name, space, linkage) = (symbol(&g.name), g.space.name(), g.linkage.name());
    write!(f, "global {name} {space} {linkage} size {} align {}", g.size, g.align)?;
    if g.readonly {
        f.write_str(" readonly")?;
    }
    if let Some(init) = &g.init {
        f.write_str(" init ")?;
        if init.is_empty() {
            f.write_str("empty")?;
        }
        // A run of zeros at the end (usual for big tables) is written as its length.
        let used = init.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
        for byte in &init[..used] {
            write!(f, "{byte:02x}")?;
        }
        if used < init.len() {
            write!(f, "{}zeros {}", if used == 0 { "" } else { " " }, init.len() - used)?;
        }
    }
    for r in &g.relocs {
        write!(f, " reloc {} {} {}", r.offset, r.target, r.addend)?;
    }
    writeln!(f)
}

fn print_kernel(f: &mut Formatter<'_>, k: &KernelInfo) -> fmt::Result {
    write!(f, "kernel {} args_size {}", quoted(&k.name), k.args_size)?;
    if k.has_arg_info {
        f.write_str(" arg_info")?;
    }
    for (word, size) in [("reqd_size", k.reqd_work_group_size), ("size_hint", k.work_group_size_hint)] {
        if let Some([x, y, z]) = size {
            write!(f, " {word} {x} {y} {z}")?;
        }
    }
    if let Some(hint) = &k.vec_type_hint {
        write!(f, " vec_hint {}", quoted(hint))?;
    }
    if let Some(size) = k.reqd_sub_group_size {
        write!(f, " sub_group_size {size}")?;
    }
    if let Some(count) = k.reqd_sub_groups {
        write!(f, " sub_groups {count}")?;
    }
    if !k.attributes.is_empty() {
        write!(f, " attributes {}", quoted(&k.attributes))?;
    }
    f.write_str(" {\n")?;
    for arg in &k.args {
        print_arg(f, arg)?;
    }
    for call in &k.printf {
        print_printf(f, call)?;
    }
    f.write_str("}\n")
}

/// Bytes of strings are written as the characters with those code points.
fn print_printf(f: &mut Formatter<'_>, call: &PrintfCall) -> fmt::Result {
    let text = |bytes: &[u8]| quoted(&bytes.iter().map(|b| char::from(*b)).collect::<String>());
    match &call.format {
        Some(format) => write!(f, "    printf {}", text(format))?,
        None => f.write_str("    printf address")?,
    }
    for arg in &call.args {
        match arg {
            PrintfArg::Int { bits, lanes } => write!(f, " int {bits} {lanes}")?,
            PrintfArg::Float { bits, lanes } => write!(f, " float {bits} {lanes}")?,
            PrintfArg::Pointer => f.write_str(" pointer")?,
            PrintfArg::Text(bytes) => write!(f, " text {}", text(bytes))?,
        }
    }
    writeln!(f)
}

fn print_arg(f: &mut Formatter<'_>, a: &ArgInfo) -> fmt::Result {
    write!(f, "    arg {} size {} align {} offset {}", a.kind.name(), a.size, a.align, a.offset)?;
    write!(f, " name {} type {}", quoted(&a.name), quoted(&a.type_name))?;
    write!(f, " {} {}", a.address.name(), a.access.name())?;
    let q = &a.qualifiers;
    for (set, word) in
        [(q.is_const, "const"), (q.is_restrict, "restrict"), (q.is_volatile, "volatile"), (q.is_pipe, "pipe")]
    {
        if set {
            write!(f, " {word}")?;
        }
    }
    writeln!(f)
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("func ")?;
        if self.linkage != Linkage::Internal {
            write!(f, "{} ", self.linkage.name())?;
        }
        write!(f, "{}(", symbol(&self.name))?;
        separated(f, self.sig.params.iter())?;
        f.write_str(")")?;
        match self.sig.results.as_slice() {
            [] => {}
            [one] => write!(f, " -> {one}")?,
            many => {
                f.write_str(" -> (")?;
                separated(f, many.iter())?;
                f.write_str(")")?;
            }
        }
        if let Some(k) = self.kernel {
            write!(f, " kernel {k}")?;
        }
        match self.extent {
            CallExtent::WorkItem => {}
            CallExtent::Vector(shape) => print_shape(f, "vector", shape)?,
            CallExtent::WorkGroup(shape) => print_shape(f, "group", shape)?,
        }
        if let Some(frame) = self.frame {
            write!(f, " frame {} {}", frame.start, frame.end)?;
            f.write_str(if frame.per_vector { " per_vector" } else { "" })?;
        }
        if self.linkage == Linkage::Import
            && self.layout.is_empty()
            && self.slots.is_empty()
            && self.vars.is_empty()
        {
            return writeln!(f);
        }
        f.write_str(" {\n")?;
        for (slot, data) in self.slots.iter() {
            writeln!(f, "    {slot} = slot {} align {}", data.size, data.align)?;
        }
        for (var, data) in self.vars.iter() {
            write!(f, "    {var} = ")?;
            match data.class {
                VarClass::Buffer { binding, readonly } => {
                    write!(f, "buffer {binding} {}", if readonly { "readonly " } else { "" })?;
                }
                VarClass::Image { binding, dim, storage } => {
                    write!(f, "image {binding} {} {}", dim.name(), if storage { "storage " } else { "" })?;
                }
                VarClass::Workgroup => f.write_str("workgroup ")?,
                VarClass::Private => f.write_str("private ")?,
                VarClass::View { of } => write!(f, "view {of} ")?,
            }
            write!(f, "{} ", data.elem)?;
            match data.len {
                VarLen::Runtime => writeln!(f, "runtime")?,
                VarLen::Fixed(n) => writeln!(f, "fixed {n}")?,
                VarLen::Spec(id) => writeln!(f, "spec {id}")?,
            }
        }
        for &block in &self.layout {
            self.print_block_header(f, block)?;
            let Some(data) = self.blocks.get(block) else { continue };
            for &inst in &data.insts {
                writeln!(f, "    {}", self.display_inst(inst))?;
            }
        }
        f.write_str("}\n")
    }
}

/// Prints one instruction.
pub struct DisplayInst<'f> {
    func: &'f Function,
    inst: Inst,
}

impl Function {
    /// The text form of one instruction.
    pub fn display_inst(&self, inst: Inst) -> DisplayInst<'_> {
        DisplayInst { func: self, inst }
    }

    fn print_block_header(&self, f: &mut Formatter<'_>, block: Block) -> fmt::Result {
        write!(f, "{block}")?;
        let Some(data) = self.blocks.get(block) else { return f.write_str(":\n") };
        if !data.params.is_empty() {
            f.write_str("(")?;
            for (i, &p) in data.params.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                match self.values.get(p) {
                    Some(v) => write!(f, "{comma}{p}: {}", v.ty)?,
                    None => write!(f, "{comma}{p}: ?")?,
                }
            }
            f.write_str(")")?;
        }
        match data.merge {
            None => {}
            Some(Merge::Selection { merge }) => write!(f, " selection merge {merge}")?,
            Some(Merge::Loop { merge, cont }) => write!(f, " loop merge {merge} continue {cont}")?,
        }
        match data.unroll {
            None => {}
            Some(UnrollHint::Full) => f.write_str(" unroll full")?,
            Some(UnrollHint::By(factor)) => write!(f, " unroll {factor}")?,
            Some(UnrollHint::Never) => f.write_str(" unroll never")?,
        }
        f.write_str(":\n")
    }

    fn print_value(&self, f: &mut Formatter<'_>, value: Value) -> fmt::Result {
        match self.values.get(value).map(|v| &v.def) {
            Some(ValueDef::Const(c)) => print_const(f, c),
            _ => write!(f, "{value}"),
        }
    }

    fn print_values(&self, f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
        for (i, &v) in values.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            self.print_value(f, v)?;
        }
        Ok(())
    }

    fn print_edge(&self, f: &mut Formatter<'_>, call: &BlockCall) -> fmt::Result {
        write!(f, "{}", call.block)?;
        if !call.args.is_empty() {
            f.write_str("(")?;
            self.print_values(f, &call.args)?;
            f.write_str(")")?;
        }
        Ok(())
    }
}

fn print_shape(f: &mut Formatter<'_>, what: &str, shape: VectorShape) -> fmt::Result {
    write!(f, " {what} {}", shape.width)?;
    f.write_str(if shape.linear { " linear" } else { "" })?;
    f.write_str(if shape.whole { " whole" } else { "" })
}

fn print_const(f: &mut Formatter<'_>, c: &Const) -> fmt::Result {
    let (ty, bits) = match c {
        Const::Undef(ty) => return write!(f, "undef.{ty}"),
        Const::Bits(ty, bits) => (*ty, bits),
    };
    let lane = |f: &mut Formatter<'_>, bits: u64| match ty.scalar() {
        Some(Scalar::I8) => write!(f, "{}", bits as i8),
        Some(Scalar::I16) => write!(f, "{}", bits as i16),
        Some(Scalar::I32) => write!(f, "{}", bits as i32),
        Some(Scalar::I64) => write!(f, "{}", bits as i64),
        Some(Scalar::F16) => write!(f, "{bits:#06x}"),
        Some(Scalar::F32) => write!(f, "{bits:#010x}"),
        Some(Scalar::F64) => write!(f, "{bits:#018x}"),
        Some(Scalar::I1) | None => write!(f, "{bits}"),
    };
    write!(f, "{ty} ")?;
    if ty.lanes() > 1 {
        f.write_str("[")?;
        for (i, &b) in bits.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            lane(f, b)?;
        }
        return f.write_str("]");
    }
    lane(f, bits.first().copied().unwrap_or(0))
}

impl Display for DisplayInst<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let func = self.func;
        let Some(data) = func.insts.get(self.inst) else { return write!(f, "{} (missing)", self.inst) };
        if !data.results.is_empty() {
            separated(f, data.results.iter())?;
            f.write_str(" = ")?;
        }
        f.write_str(mnemonic(&data.op))?;
        let ty = |v: &Value| func.values.get(*v).map(|v| v.ty);
        let arg_types: Vec<Type> = data.args.iter().filter_map(ty).collect();
        let result_types: Vec<Type> = data.results.iter().filter_map(ty).collect();
        let inferred = typing::infer(&data.op, &arg_types);
        if inferred.as_deref() != Some(&result_types) {
            match result_types.as_slice() {
                [] => {}
                [one] => write!(f, ".{one}")?,
                many => {
                    f.write_str(".(")?;
                    separated(f, many.iter())?;
                    f.write_str(")")?;
                }
            }
        }
        print_immediates(f, &data.op)?;
        if !data.args.is_empty() {
            f.write_str(" ")?;
            func.print_values(f, &data.args)?;
        }
        if let Op::Switch(cases) = &data.op {
            if let Some(default) = data.targets.first() {
                f.write_str(", ")?;
                func.print_edge(f, default)?;
            }
            f.write_str(" [")?;
            for (i, (case, target)) in cases.iter().zip(data.targets.iter().skip(1)).enumerate() {
                f.write_str(if i == 0 { "" } else { ", " })?;
                write!(f, "{case}: ")?;
                func.print_edge(f, target)?;
            }
            f.write_str("]")?;
        } else {
            for (i, target) in data.targets.iter().enumerate() {
                f.write_str(if i == 0 && data.args.is_empty() { " " } else { ", " })?;
                func.print_edge(f, target)?;
            }
        }
        match &data.op {
            Op::Memcpy { dst, src } => {
                f.write_str(" dst")?;
                print_access(f, dst)?;
                f.write_str(" src")?;
                print_access(f, src)?;
            }
            op => {
                if let Some(access) = op.access() {
                    print_access(f, access)?;
                }
            }
        }
        let fast = &data.fast;
        let flags = [
            (fast.no_nan, "nnan"),
            (fast.no_inf, "ninf"),
            (fast.no_signed_zero, "nsz"),
            (fast.allow_recip, "arcp"),
            (fast.contract, "contract"),
            (fast.fast, "fast"),
        ];
        for (set, word) in flags {
            if set {
                write!(f, " {word}")?;
            }
        }
        if data.line != 0 {
            write!(f, " line {}", data.line)?;
        }
        Ok(())
    }
}

/// The mnemonic of an operation.
pub(super) fn mnemonic(op: &Op) -> &'static str {
    match op {
        Op::Bin(b) => b.name(),
        Op::Un(u) => u.name(),
        Op::Cast(c) => c.name(),
        Op::Fma => "fma",
        Op::Mad => "mad",
        Op::Icmp(_) => "icmp",
        Op::Fcmp(_) => "fcmp",
        Op::Select => "select",
        Op::Convert { .. } => "convert",
        Op::Extract(_) => "extract",
        Op::ExtractDyn => "extract_dyn",
        Op::Insert(_) => "insert",
        Op::InsertDyn => "insert_dyn",
        Op::VecBuild => "vec_build",
        Op::Splat => "splat",
        Op::Shuffle(_) => "shuffle",
        Op::Any => "any",
        Op::All => "all",
        Op::Load(_) => "load",
        Op::Store(_) => "store",
        Op::PtrAdd => "ptr_add",
        Op::IsSpace(_) => "is_space",
        Op::SlotAddr(_) => "slot_addr",
        Op::GlobalAddr(_) => "global_addr",
        Op::PrintBuffer => "print_buffer",
        Op::Memcpy { .. } => "memcpy",
        Op::Memset(_) => "memset",
        Op::AtomicRmw { .. } => "atomic_rmw",
        Op::AtomicCas { .. } => "atomic_cas",
        Op::AtomicLoad { .. } => "atomic_load",
        Op::AtomicStore { .. } => "atomic_store",
        Op::Barrier { .. } => "barrier",
        Op::Fence { .. } => "fence",
        Op::Group { .. } => "group",
        Op::Dot4 { .. } => "dot4",
        Op::Clock(_) => "clock",
        Op::WorkItem { .. } => "work_item",
        Op::Input { .. } => "input",
        Op::Arg { .. } => "arg",
        Op::Implicit(_) => "implicit_arg",
        Op::PushConst { .. } => "push_const",
        Op::Image { .. } => "image",
        Op::OpenCl(_) => "opencl",
        Op::Call(_) => "call",
        Op::Runtime(_) => "runtime",
        Op::Check(_) => "check",
        Op::Lanes(_) => "lanes",
        Op::Context(_) => "context",
        Op::Jump => "br",
        Op::BrIf => "brif",
        Op::Switch(_) => "switch",
        Op::Return => "ret",
        Op::Unreachable => "unreachable",
    }
}

fn print_immediates(f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
    let sign = |s: bool| if s { "s" } else { "u" };
    match op {
        Op::Icmp(cc) => write!(f, " {}", cc.name()),
        Op::Fcmp(cc) => write!(f, " {}", cc.name()),
        Op::Convert { from_signed, to_signed, rounding, saturate } => {
            write!(f, " {} to {}", sign(*from_signed), sign(*to_signed))?;
            if let Some(r) = rounding {
                write!(f, " {}", r.name())?;
            }
            f.write_str(if *saturate { " sat" } else { "" })
        }
        Op::Extract(lane) | Op::Insert(lane) => write!(f, " {lane}"),
        Op::Shuffle(lanes) => {
            f.write_str(" [")?;
            for (i, &lane) in lanes.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { ", " })?;
                if lane == u8::MAX { f.write_str("_")? } else { write!(f, "{lane}")? }
            }
            f.write_str("]")
        }
        Op::IsSpace(space) => write!(f, " {}", space.name()),
        Op::SlotAddr(slot) => write!(f, " {slot}"),
        Op::GlobalAddr(g) => write!(f, " {g}"),
        Op::AtomicRmw { op, scope, order, .. } => {
            write!(f, " {} {} {}", op.name(), scope.name(), order.name())
        }
        Op::AtomicCas { scope, success, failure, .. } => {
            write!(f, " {} {} {}", scope.name(), success.name(), failure.name())
        }
        Op::AtomicLoad { scope, order, .. } | Op::AtomicStore { scope, order, .. } => {
            write!(f, " {} {}", scope.name(), order.name())
        }
        Op::Barrier { exec, memory, order, spaces } => {
            write!(f, " {} {} {}", exec.name(), memory.name(), order.name())?;
            print_spaces(f, spaces)
        }
        Op::Fence { scope, order, spaces } => {
            write!(f, " {} {}", scope.name(), order.name())?;
            print_spaces(f, spaces)
        }
        Op::Group { scope, op } => {
            write!(f, " {} {}", scope.name(), group_name(op))?;
            match op {
                GroupOp::BallotCount(scan) => write!(f, " {}", scan.name()),
                GroupOp::Mask(mask) => write!(f, " {}", mask.name()),
                GroupOp::Rotate { cluster } => write!(f, " {cluster}"),
                GroupOp::Combine { scan, op, cluster } => {
                    write!(f, " {} {} {cluster}", scan.name(), op.name())
                }
                _ => Ok(()),
            }
        }
        Op::Dot4 { x_signed, y_signed } => write!(f, " {} {}", sign(*x_signed), sign(*y_signed)),
        Op::Clock(scope) => write!(f, " {}", scope.name()),
        Op::WorkItem { query, dim } => write!(f, " {} {dim}", query.name()),
        Op::Input { input, dim } => write!(f, " {} {dim}", input.name()),
        Op::Arg { offset } | Op::PushConst { offset } => write!(f, " {offset}"),
        Op::Implicit(arg) => {
            let (name, first, second) = implicit_arg_parts(*arg);
            write!(f, " {name}")?;
            [first, second].into_iter().flatten().try_for_each(|n| write!(f, " {n}"))
        }
        Op::Image { op, dim, var } => {
            write!(f, " {} {}", op.name(), dim.name())?;
            var.map_or(Ok(()), |var| write!(f, " in {var}"))
        }
        Op::OpenCl(op) => write!(f, " {op:?}"),
        Op::Call(func) => write!(f, " {func}"),
        Op::Runtime(call) => write!(f, " {}", call.name()),
        Op::Check(check) => match check {
            CheckOp::Load { demanded, .. } => write!(f, " load {demanded}"),
            CheckOp::Store(_) => f.write_str(" store"),
            CheckOp::Address { what } => write!(f, " address {what}"),
            CheckOp::Order { what } => write!(f, " order {what}"),
            CheckOp::Position => f.write_str(" position"),
            CheckOp::Start { begin, end } => write!(f, " start {begin} {end}"),
        },
        Op::Lanes(op) => f.write_str(match op {
            LaneOp::Load(_) => " load",
            LaneOp::Store(_) => " store",
            LaneOp::Gather(_) => " gather",
            LaneOp::Scatter(_) => " scatter",
            LaneOp::MaskBits => " mask_bits",
            LaneOp::Freeze => " freeze",
        }),
        Op::Context(field) => write!(f, " {}", field.name()),
        _ => Ok(()),
    }
}

/// The name of a group operation without its immediates.
fn group_name(op: &GroupOp) -> &'static str {
    match op {
        GroupOp::All => "all",
        GroupOp::Any => "any",
        GroupOp::AllEqual => "all_equal",
        GroupOp::Elect => "elect",
        GroupOp::Broadcast => "broadcast",
        GroupOp::BroadcastFirst => "broadcast_first",
        GroupOp::Ballot => "ballot",
        GroupOp::InverseBallot => "inverse_ballot",
        GroupOp::BallotBit => "ballot_bit",
        GroupOp::BallotCount(_) => "ballot_count",
        GroupOp::BallotLsb => "ballot_lsb",
        GroupOp::BallotMsb => "ballot_msb",
        GroupOp::Mask(_) => "mask",
        GroupOp::Shuffle => "shuffle",
        GroupOp::ShuffleXor => "shuffle_xor",
        GroupOp::ShuffleUp => "shuffle_up",
        GroupOp::ShuffleDown => "shuffle_down",
        GroupOp::Rotate { .. } => "rotate",
        GroupOp::Combine { .. } => "combine",
    }
}

fn print_spaces(f: &mut Formatter<'_>, s: &FenceSpaces) -> fmt::Result {
    for (set, word) in [(s.local, "local"), (s.global, "global"), (s.image, "image")] {
        if set {
            write!(f, " {word}")?;
        }
    }
    Ok(())
}

fn print_access(f: &mut Formatter<'_>, a: &Access) -> fmt::Result {
    match a.root {
        Root::Ptr => {}
        Root::Addr => f.write_str(" addr")?,
        Root::Var(var) => write!(f, " in {var}")?,
    }
    write!(f, " align {}", a.align)?;
    for (set, word) in [
        (a.volatile, "volatile"),
        (a.nontemporal, "nontemporal"),
        (a.readonly, "readonly"),
        (a.copied, "copied"),
    ] {
        if set {
            write!(f, " {word}")?;
        }
    }
    Ok(())
}

fn separated<T: Display>(f: &mut Formatter<'_>, items: impl Iterator<Item = T>) -> fmt::Result {
    for (i, item) in items.enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        write!(f, "{item}")?;
    }
    Ok(())
}

/// `@name`, quoted if the name has other characters than letters, digits, `_`, `.` and `$`.
fn symbol(name: &str) -> String {
    let plain =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'));
    if plain { format!("@{name}") } else { format!("@{}", quoted(name)) }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use crate::ir::*;

    #[test]
    fn sample_prints_as_documented() {
        let sig = Signature { params: vec![I32, F32], results: vec![F32] };
        let mut f = Function::new("scale", sig, Linkage::Internal);
        let slot = f.slots.push(SlotData { size: 4, align: 4 });
        let (b0, b1) = (f.add_block(), f.add_block());
        let (x, y) = (f.add_param(b0, I32), f.add_param(b0, F32));
        let mut b = Builder::new(&mut f, b0);
        let p = b.slot_addr(slot);
        b.store(y, p, Access::aligned(4));
        let ten = b.i32(10);
        let c = b.icmp(IntCc::Slt, x, ten);
        b.brif(c, BlockCall::new(b1, &[]), BlockCall::new(b1, &[]));
        b.block = b1;
        let l = b.load(F32, p, Access::aligned(4));
        let half = b.func.bits(F32, 0x3f000000);
        let m = b.bin(BinOp::Fmul, l, half);
        b.ret(&[m]);
        let want = "func @scale(i32, f32) -> f32 {\n    ss0 = slot 4 align 4\nblock0(v0: i32, v1: f32):\n    \
                    v2 = slot_addr ss0\n    store v1, v2 align 4\n    v4 = icmp slt v0, i32 10\n    brif v4, block1, block1\n\
                    block1:\n    v5 = load.f32 v2 align 4\n    v7 = fmul v5, f32 0x3f000000\n    ret v7\n}\n";
        assert_eq!(f.to_string(), want);
    }
}
