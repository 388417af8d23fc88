//! Statements and their control flow.

use super::flow::{Flow, Switch};
use super::function::FunctionLowering;
use super::module::malformed;
use super::types::is_aggregate;
use crate::error::{CompileError, Result};
use crate::front::c::ast::{ExprId, LabelId, LoopHint, Stmt, StmtId, StmtKind, Storage};
use crate::ir::{BinOp, Block, BlockCall, I1, IntCc, Op, UnrollHint, Value};
use rustc_hash::FxHashSet;

/// Most values of a case range that become cases of their own.
const MAX_RANGE_CASES: u64 = 16;

impl<'a> FunctionLowering<'_, 'a> {
    /// The statement with this handle.
    pub fn stmt(&self, id: StmtId) -> Result<&'a Stmt> {
        let stmt = self.m.input.unit.stmts.get(id.0 as usize);
        stmt.ok_or_else(|| malformed("a statement that does not exist"))
    }

    /// Lowers a statement.
    pub fn statement(&mut self, id: StmtId) -> Result<()> {
        self.nested(|this| this.statement_of(id))
    }

    fn statement_of(&mut self, id: StmtId) -> Result<()> {
        let stmt = self.stmt(id)?;
        self.at(stmt.loc);
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => self.effects(*expr)?,
            StmtKind::Decl(vars) => {
                for var in vars {
                    if self.m.var(*var)?.storage == Storage::Auto {
                        self.initialize(*var)?;
                    }
                }
            }
            StmtKind::Compound(list) => {
                for stmt in list {
                    self.statement(*stmt)?;
                }
            }
            StmtKind::If { .. } => self.if_chain(id)?,
            StmtKind::While { cond, body, hint } => self.for_loop(Some(*cond), None, *body, *hint)?,
            StmtKind::DoWhile { body, cond, hint } => self.do_loop(*body, *cond, *hint)?,
            StmtKind::For { init, cond, step, body, hint } => {
                if let Some(init) = init {
                    self.statement(*init)?;
                }
                self.for_loop(*cond, *step, *body, *hint)?;
            }
            StmtKind::Switch { value, body } => self.switch(*value, *body)?,
            StmtKind::Case { .. } | StmtKind::Default(_) | StmtKind::Label { .. } => self.labelled(id)?,
            StmtKind::Goto(label) => {
                let block = self.label(*label);
                self.jump(block, &[]);
            }
            StmtKind::Break => {
                let to = self.flow.last().map(|flow| match flow {
                    Flow::Loop { end, .. } => *end,
                    Flow::Switch(switch) => switch.end,
                });
                self.jump(to.ok_or_else(|| malformed("a break outside of loops"))?, &[]);
            }
            StmtKind::Continue => {
                let to = self.flow.iter().rev().find_map(|flow| match flow {
                    Flow::Loop { next, .. } => Some(*next),
                    Flow::Switch(_) => None,
                });
                self.jump(to.ok_or_else(|| malformed("a continue outside of loops"))?, &[]);
            }
            StmtKind::Return(value) => self.return_statement(*value)?,
        }
        Ok(())
    }

    fn return_statement(&mut self, value: Option<ExprId>) -> Result<()> {
        let Some(value) = value else {
            let types = self.f.sig.results.clone();
            let values: Vec<Value> = types.into_iter().map(|ty| self.f.undef(ty)).collect();
            self.ret(&values);
            return Ok(());
        };
        if is_aggregate(self.types(), self.expr(value)?.ty.ty)
            && let Some(addr) = self.result_address
        {
            let align = crate::front::c::layout::layout(self.types(), self.expr(value)?.ty.ty).align;
            if !self.shares_result {
                self.aggregate_into(value, super::object::ObjectRef::new(addr, align), false)?;
            }
            self.ret(&[]);
            return Ok(());
        }
        let value = self.any(value)?;
        if self.f.sig.results.is_empty() {
            self.ret(&[]);
        } else {
            self.ret(value.as_slice());
        }
        Ok(())
    }

    /// `if`, with its chain of `else if`, which may be too long for recursion.
    fn if_chain(&mut self, first: StmtId) -> Result<()> {
        let end = self.new_block();
        let mut at = Some(first);
        while let Some(id) = at {
            let stmt = self.stmt(id)?;
            let StmtKind::If { cond, then, otherwise } = &stmt.kind else {
                self.statement(id)?;
                break;
            };
            self.at(stmt.loc);
            let yes = self.new_block();
            let no = if otherwise.is_some() { self.new_block() } else { end };
            self.condition(*cond, yes, no)?;
            self.start_sealed(yes);
            self.statement(*then)?;
            self.jump(end, &[]);
            if otherwise.is_some() {
                self.start_sealed(no);
            }
            at = *otherwise;
        }
        self.jump(end, &[]);
        self.start_sealed(end);
        Ok(())
    }

    /// `while` and `for`. The condition is tested before the first iteration and after each, so that the loop
    /// needs one branch.
    fn for_loop(
        &mut self,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        hint: LoopHint,
    ) -> Result<()> {
        let (head, inside, end) = (self.new_block(), self.new_block(), self.new_block());
        self.f.blocks[head].unroll = unroll(hint);
        let next = if step.is_some() { self.new_block() } else { head };
        self.jump(head, &[]);
        self.start(head);
        match cond {
            Some(cond) => self.condition(cond, inside, end)?,
            None => self.jump(inside, &[]),
        }
        self.start_sealed(inside);
        self.flow.push(Flow::Loop { end, next });
        self.statement(body)?;
        self.flow.pop();
        self.jump(next, &[]);
        if let Some(step) = step {
            self.start_sealed(next);
            self.effects(step)?;
            self.jump(head, &[]);
        }
        self.seal(head);
        self.start_sealed(end);
        Ok(())
    }

    fn do_loop(&mut self, body: StmtId, cond: ExprId, hint: LoopHint) -> Result<()> {
        let (head, next, end) = (self.new_block(), self.new_block(), self.new_block());
        self.f.blocks[head].unroll = unroll(hint);
        self.jump(head, &[]);
        self.start(head);
        self.flow.push(Flow::Loop { end, next });
        self.statement(body)?;
        self.flow.pop();
        self.jump(next, &[]);
        self.start_sealed(next);
        self.condition(cond, head, end)?;
        self.seal(head);
        self.start_sealed(end);
        Ok(())
    }

    /// The block of a label.
    fn label(&mut self, label: LabelId) -> Block {
        if let Some(block) = self.labels.get(&label) {
            return *block;
        }
        let block = self.new_block();
        self.labels.insert(label, block);
        block
    }

    /// Labels and cases, of which a statement may have many, then the statement.
    fn labelled(&mut self, first: StmtId) -> Result<()> {
        let mut at = first;
        // The block of the cases right before: consecutive ones share it.
        let mut shared = None;
        loop {
            match &self.stmt(at)?.kind {
                StmtKind::Label { label, body } => {
                    let block = self.label(*label);
                    self.jump(block, &[]);
                    self.start(block);
                    shared = None;
                    at = *body;
                }
                StmtKind::Case { low, high, body } => {
                    let block = self.case_block(shared);
                    shared = Some(block);
                    let Some(switch) = self.innermost_switch() else {
                        return Err(malformed("a case outside of a switch"));
                    };
                    let distance = high.wrapping_sub(*low);
                    if distance < MAX_RANGE_CASES {
                        switch.cases.extend((0..=distance).map(|i| (low.wrapping_add(i), block)));
                    } else {
                        switch.ranges.push((*low, *high, block));
                    }
                    at = *body;
                }
                StmtKind::Default(body) => {
                    let block = self.case_block(shared);
                    shared = Some(block);
                    let Some(switch) = self.innermost_switch() else {
                        return Err(malformed("a default outside of a switch"));
                    };
                    switch.default = Some(block);
                    at = *body;
                }
                _ => return self.statement(at),
            }
        }
    }

    /// Starts a block that the innermost switch may jump to, or returns the one that the label right before
    /// started.
    fn case_block(&mut self, before: Option<Block>) -> Block {
        if let Some(block) = before {
            return block;
        }
        let block = self.new_block();
        self.jump(block, &[]);
        self.start(block);
        block
    }

    fn innermost_switch(&mut self) -> Option<&mut Switch> {
        self.flow.iter_mut().rev().find_map(|flow| match flow {
            Flow::Switch(switch) => Some(switch),
            Flow::Loop { .. } => None,
        })
    }

    fn switch(&mut self, value: ExprId, body: StmtId) -> Result<()> {
        let signed = super::types::is_signed(self.types(), self.expr(value)?.ty.ty);
        let value = self.value(value)?;
        let line = self.line;
        let end = self.new_block();
        let head = self.suspend();
        self.flow.push(Flow::Switch(Switch { end, default: None, cases: Vec::new(), ranges: Vec::new() }));
        self.statement(body)?;
        let Some(Flow::Switch(switch)) = self.flow.pop() else {
            return Err(malformed("statements of a switch that do not nest"));
        };
        self.jump(end, &[]);
        self.line = line;
        self.dispatch(head, value, &switch, signed)?;
        let blocks = switch.cases.iter().map(|c| c.1).chain(switch.ranges.iter().map(|r| r.2));
        let blocks: Vec<Block> = blocks.chain(switch.default).collect();
        for block in blocks {
            self.seal(block);
        }
        self.start_sealed(end);
        Ok(())
    }

    /// Jumps from the end of `head` to the case of a value.
    fn dispatch(&mut self, head: Block, value: Value, switch: &Switch, signed: bool) -> Result<()> {
        let ty = self.f.ty(value);
        let Some(scalar) = ty.scalar().filter(|s| s.is_int() && ty.lanes() == 1) else {
            return Err(malformed("a switch on something that is not an integer"));
        };
        let mask = scalar.mask();
        let default = switch.default.unwrap_or(switch.end);
        let mut seen = FxHashSet::default();
        let cases: Vec<(u64, Block)> =
            switch.cases.iter().map(|(x, b)| (x & mask, *b)).filter(|(x, _)| seen.insert(*x)).collect();
        if cases.len() > 1 << 20 {
            return Err(CompileError::unsupported("a switch with so many cases", self.line));
        }
        let mut other = if switch.ranges.is_empty() { default } else { self.new_block() };
        self.terminate_switch(head, value, &cases, other);
        for (i, (low, high, to)) in switch.ranges.iter().enumerate() {
            self.start_sealed(other);
            other = if i + 1 == switch.ranges.len() { default } else { self.new_block() };
            let low_value = self.f.bits(ty, *low);
            let distance = self.f.bits(ty, high.wrapping_sub(*low));
            let from_low = self.emit(Op::Bin(BinOp::Isub), &[value, low_value], ty);
            let inside = self.emit(Op::Icmp(IntCc::Ule), &[from_low, distance], I1);
            // A range whose bounds are in the wrong order has no values.
            let unused = 64 - scalar.bits();
            let number = |bits: u64| (bits << unused) as i64 >> unused;
            let is_empty = if signed { number(*low) > number(*high) } else { low & mask > high & mask };
            let inside = if is_empty { self.f.bool(false) } else { inside };
            self.branch(inside, *to, other);
        }
        Ok(())
    }

    fn terminate_switch(&mut self, head: Block, value: Value, cases: &[(u64, Block)], default: Block) {
        let known = self.f.as_bits(value);
        if known.is_some() || cases.is_empty() {
            let to = cases.iter().find(|(x, _)| Some(*x) == known).map_or(default, |(_, block)| *block);
            return self.terminate_block(head, Op::Jump, &[], &[BlockCall::new(to, &[])]);
        }
        let values: Box<[u64]> = cases.iter().map(|(x, _)| *x).collect();
        let targets: Vec<BlockCall> = std::iter::once(default)
            .chain(cases.iter().map(|(_, block)| *block))
            .map(|block| BlockCall::new(block, &[]))
            .collect();
        self.terminate_block(head, Op::Switch(values), &[value], &targets);
    }
}

/// The hint on the header of a loop.
fn unroll(hint: LoopHint) -> Option<UnrollHint> {
    match hint.unroll? {
        0 => Some(UnrollHint::Full),
        1 => Some(UnrollHint::Never),
        factor => Some(UnrollHint::By(factor)),
    }
}
