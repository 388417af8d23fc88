//! Control flow: sequences, edges, selections and loops, and the parallel regions between barriers.

use super::state::{EdgeTarget, Mask, Operand, OperandKind, Variable, part_type};
use super::vectorizer::Vectorizer;
use crate::analysis::tree::{self, LatchTest, LoopNode, Node, SelectKind, SelectNode, Seq};
use crate::analysis::uniformity::Uniformity;
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::native::check;

impl Vectorizer<'_> {
    /// Enters code that may be skipped.
    fn enter_scope(&mut self) {
        self.scope_count += 1;
        self.scopes.push(self.scope_count);
    }

    /// A sequence that may be skipped.
    fn scoped(&mut self, seq: &Seq) -> Result<bool> {
        self.enter_scope();
        let ended = self.seq(seq);
        self.scopes.pop();
        ended
    }

    /// Vectorises a sequence; returns true if control does not reach its end.
    pub(super) fn seq(&mut self, seq: &Seq) -> Result<bool> {
        let mut ends: Vec<(Block, bool)> = Vec::new();
        let mut ended = false;
        let depth = self.scopes.len();
        for node in &seq.nodes {
            match node {
                Node::Block(b) => self.instructions(*b)?,
                Node::Enter(call) => self.enter(call)?,
                Node::Goto(call) => ended = self.goto(call)?,
                Node::Select(s) => ended = self.select(s, &mut ends)?,
                Node::Loop(l) => ended = self.looped(l)?,
                Node::Test(t) => {
                    self.test(t)?;
                    ended = true;
                }
            }
            if ended {
                break;
            }
        }
        for (end, has_barrier) in ends.into_iter().rev() {
            if has_barrier {
                self.close_region();
            }
            if !ended {
                self.jump(end);
            }
            self.start(end);
            ended = false;
        }
        self.scopes.truncate(depth);
        Ok(ended)
    }

    fn instructions(&mut self, block: Block) -> Result<()> {
        let func = self.func;
        if func.entry() != Some(block) && self.joins.contains(&block) && !func.blocks[block].params.is_empty()
        {
            self.open_region();
            for &p in &func.blocks[block].params {
                let value = self.read_param(p);
                self.define(p, value);
            }
        }
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            if data.op.is_terminator() {
                continue;
            }
            self.line = data.line;
            if tree::is_barrier(&data.op) {
                self.close_region();
                self.inst(data.op.clone(), &[], &[]);
                if let Op::Barrier { memory: Scope::Device | Scope::AllDevices, spaces, .. } = data.op {
                    let fence = Op::Fence { scope: Scope::Device, order: Ordering::AcqRel, spaces };
                    self.inst(fence, &[], &[]);
                }
                continue;
            }
            // The check of a barrier is outside of any region.
            if !matches!(data.op, Op::Check(CheckOp::Order { what }) if what & check::GROUP_BARRIER != 0) {
                self.open_region();
            }
            let value = self.operation(inst)?;
            if let (Some(&r), Some(value)) = (data.results.first(), value) {
                self.define(r, value);
            }
        }
        Ok(())
    }

    fn enter(&mut self, call: &BlockCall) -> Result<()> {
        if call.args.is_empty() {
            return Ok(());
        }
        self.open_region();
        if self.joins.contains(&call.block) {
            return self.assign(call, false);
        }
        for (p, a) in self.func.blocks[call.block].params.iter().zip(&call.args) {
            let value = self.get(*a)?;
            self.define(*p, value);
        }
        Ok(())
    }

    /// Type of a join's parameter part.
    fn param_type(&self, p: Value) -> Type {
        self.part(self.func.ty(p), self.r.info.of(p) == Uniformity::Varying)
    }

    fn read_param(&mut self, p: Value) -> Operand {
        let ty = self.param_type(p);
        let lanes = self.func.ty(p).lanes() as usize;
        let parts = (0..lanes).map(|lane| self.read(Variable::Param(p, lane), ty)).collect();
        let kind = match self.r.info.of(p) {
            Uniformity::GroupUniform | Uniformity::Uniform => OperandKind::Uniform,
            Uniformity::Affine(step) => OperandKind::Affine { step, guard: None },
            Uniformity::Varying => OperandKind::Varying,
        };
        Operand { kind, parts }
    }

    /// Assigns an edge's arguments to the parameters; with `masked`, in the active work-items only.
    fn assign(&mut self, call: &BlockCall, masked: bool) -> Result<()> {
        let params = &self.func.blocks[call.block].params;
        let mut writes = Vec::new();
        for (&p, a) in params.iter().zip(&call.args) {
            let value = self.get(*a)?;
            writes.push((p, self.in_form(&value, self.r.info.of(p))));
        }
        let mask = if masked { self.active() } else { None };
        for (p, parts) in writes {
            for (lane, part) in parts.into_iter().enumerate() {
                let variable = Variable::Param(p, lane);
                let part = match mask {
                    Some(mask) => {
                        let ty = self.out.ty(part);
                        let old = self.read(variable, ty);
                        self.value(Op::Select, &[mask, part, old], ty)
                    }
                    None => part,
                };
                self.write(variable, part);
            }
        }
        Ok(())
    }

    /// Makes the parameters of a block that is reached under masks undefined, so that earlier values do not
    /// stay live.
    fn forget_params(&mut self, block: Block) {
        let func = self.func;
        for &p in &func.blocks[block].params {
            let ty = self.param_type(p);
            for lane in 0..func.ty(p).lanes() as usize {
                let undefined = self.out.undef(ty);
                self.write(Variable::Param(p, lane), undefined);
            }
        }
    }

    fn goto(&mut self, call: &BlockCall) -> Result<bool> {
        let Some(target) = self.targets.get(&call.block).copied() else {
            return Err(CompileError::internal("an edge to a block that is not around"));
        };
        if !call.args.is_empty() {
            self.open_region();
            self.assign(call, target.masked)?;
        }
        if target.masked {
            self.open_region();
            self.join(Variable::Reached(call.block));
            return Ok(false);
        }
        if let Some(variable) = target.keeps_mask {
            let mask = self.mask;
            self.in_all(target.has_barrier, |v| v.set(variable, mask));
        }
        if target.has_barrier {
            self.close_region();
        }
        self.jump(target.block);
        Ok(true)
    }

    /// Whether edges in a selection leave it under masks, so that fewer work-items are active after it.
    fn is_leaky(&self, s: &SelectNode) -> bool {
        fn search(v: &Vectorizer<'_>, seq: &Seq, inner: &mut Vec<Block>) -> bool {
            seq.nodes.iter().any(|n| match n {
                Node::Goto(call) => !inner.contains(&call.block) && v.r.info.masked.contains(&call.block),
                Node::Select(s) => {
                    inner.push(s.merge);
                    let found = s.arms.iter().any(|a| search(v, a, inner));
                    inner.pop();
                    found
                }
                _ => false,
            })
        }
        let mut inner = vec![s.merge];
        s.arms.iter().any(|a| search(self, a, &mut inner))
    }

    fn select(&mut self, s: &SelectNode, ends: &mut Vec<(Block, bool)>) -> Result<bool> {
        let is_uniform = self.r.info.is_uniform_select(s);
        let leaky = self.is_leaky(s);
        let before = self.mask;
        if !s.has_barrier {
            self.open_region();
        }
        let merge = self.new_block();
        let masked = self.r.info.masked.contains(&s.merge);
        let reached = Variable::Reached(s.merge);
        if leaky || masked {
            self.in_all(s.has_barrier, |v| {
                v.clear(reached);
                if masked {
                    v.forget_params(s.merge);
                }
            });
        }
        let target = EdgeTarget {
            block: merge,
            masked,
            keeps_mask: (leaky && !masked).then_some(reached),
            has_barrier: s.has_barrier,
            is_header: false,
        };
        self.targets.insert(s.merge, target);
        let ended = if is_uniform { self.uniform_arms(s, merge)? } else { self.divergent_arms(s, merge)? };
        self.targets.remove(&s.merge);
        self.mask = before;
        self.start(merge);
        if ended {
            self.terminate(Op::Unreachable, &[], &[]);
            return Ok(true);
        }
        if !leaky {
            return Ok(false);
        }
        if s.has_barrier {
            self.mask = Mask::Base;
        }
        self.open_region();
        self.mask = self.read_mask(reached);
        let any = self.any_active(s.has_barrier);
        let (rest, end) = (self.new_block(), self.new_block());
        self.brif(any, rest, end);
        self.start(rest);
        self.enter_scope();
        ends.push((end, s.has_barrier));
        Ok(false)
    }

    /// Whether a work-item is active: of the vector, or with `has_barrier` of any vector of the group, which
    /// closes the region.
    fn any_active(&mut self, has_barrier: bool) -> Value {
        let mask = self.active_value();
        let any = self.any(mask);
        if has_barrier { self.any_of_group(&[any])[0] } else { any }
    }

    /// A selection in which all active work-items take one arm. Returns true if control does not reach its
    /// end.
    fn uniform_arms(&mut self, s: &SelectNode, merge: Block) -> Result<bool> {
        let on = if s.has_barrier { self.group_uniform(s.on)? } else { self.get(s.on)?.parts[0] };
        let blocks: Vec<Block> = s.arms.iter().map(|_| self.new_block()).collect();
        let to = |b: &Block| BlockCall::new(*b, &[]);
        match &s.kind {
            SelectKind::If => {
                let targets: Vec<BlockCall> = blocks.iter().map(to).collect();
                self.terminate(Op::BrIf, &[on], &targets);
            }
            SelectKind::Switch(values) => {
                let (mut cases, mut targets) = (Vec::new(), Vec::new());
                targets.extend(blocks.last().map(to));
                for (values, block) in values.iter().zip(&blocks).take(values.len().saturating_sub(1)) {
                    cases.extend(values.iter().copied());
                    targets.extend(values.iter().map(|_| to(block)));
                }
                self.terminate(Op::Switch(cases.into()), &[on], &targets);
            }
        }
        let (before, mut ended) = (self.mask, true);
        let reached = s.arms.iter().any(|a| tree::reaches(a, s.merge));
        for (arm, block) in s.arms.iter().zip(&blocks) {
            self.start(*block);
            self.mask = before;
            if !self.scoped(arm)? {
                if s.has_barrier {
                    self.close_region();
                }
                self.jump(merge);
                ended = false;
            }
        }
        Ok(ended && !reached)
    }

    /// Conditions of a selection's arms, as vectors.
    fn arm_conditions(&mut self, s: &SelectNode) -> Result<Vec<Value>> {
        let on = self.get(s.on)?;
        let on = self.vector(&on);
        let mut conditions = Vec::new();
        let SelectKind::Switch(values) = &s.kind else {
            let not = self.not(on);
            return Ok(vec![on, not]);
        };
        let ty = self.out.ty(on);
        let mut none: Option<Value> = None;
        for values in values.iter().take(values.len().saturating_sub(1)) {
            let mut hit: Option<Value> = None;
            for value in values {
                let c = self.constant(ty, *value);
                let is = self.icmp(IntCc::Eq, on, c);
                hit = Some(match hit {
                    Some(h) => self.bin(BinOp::Or, h, is),
                    None => is,
                });
            }
            let hit = match hit {
                Some(hit) => hit,
                None => self.empty_mask(),
            };
            none = Some(match none {
                Some(n) => self.bin(BinOp::Or, n, hit),
                None => hit,
            });
            conditions.push(hit);
        }
        let none = match none {
            Some(none) => none,
            None => self.empty_mask(),
        };
        conditions.push(self.not(none));
        Ok(conditions)
    }

    /// The conditions restricted to a mask.
    fn within(&mut self, mask: Mask, conditions: Vec<Value>) -> Vec<Value> {
        let mask = self.mask_value(mask);
        let restrict = |c| match mask {
            Some(mask) => self.bin(BinOp::And, mask, c),
            None => c,
        };
        conditions.into_iter().map(restrict).collect()
    }

    /// A selection in which work-items may diverge.
    fn divergent_arms(&mut self, s: &SelectNode, merge: Block) -> Result<bool> {
        let before = self.mask;
        if s.has_barrier {
            // Vectors without active work-items need masks too.
            self.close_region();
            self.mask = Mask::Base;
        }
        self.open_region();
        let conditions = self.arm_conditions(s)?;
        let masks = self.within(before, conditions);
        if s.has_barrier {
            let anys: Vec<Value> = masks.iter().map(|m| self.any(*m)).collect();
            let anys = self.any_of_group(&anys);
            for ((arm, mask), any) in s.arms.iter().zip(masks).zip(anys) {
                let (block, next) = (self.new_block(), self.new_block());
                self.brif(any, block, next);
                self.start(block);
                self.mask = Mask::Value(mask);
                if !self.scoped(arm)? {
                    self.close_region();
                    self.jump(next);
                }
                self.start(next);
            }
            self.mask = before;
            self.jump(merge);
            return Ok(false);
        }
        for (arm, mask) in s.arms.iter().zip(masks) {
            self.mask = Mask::Value(mask);
            if self.is_cheap(arm) {
                self.seq(arm)?;
                continue;
            }
            let any = self.any(mask);
            let (block, next) = (self.new_block(), self.new_block());
            self.brif(any, block, next);
            self.start(block);
            if !self.scoped(arm)? {
                self.jump(next);
            }
            self.start(next);
        }
        self.mask = before;
        self.jump(merge);
        Ok(false)
    }

    /// Whether a sequence may run without active work-items instead of being skipped: it cannot fault and is
    /// short.
    fn is_cheap(&self, seq: &Seq) -> bool {
        let mut count = 0;
        seq.nodes.iter().all(|n| match n {
            Node::Block(b) => self.func.blocks[*b].insts.iter().all(|i| {
                count += 1;
                let data = &self.func.insts[*i];
                let far = |a: Value| !self.r.info.of(a).is_uniform();
                let safe = match &data.op {
                    Op::Load(a) | Op::Check(CheckOp::Load { access: a, .. }) => {
                        !a.volatile && far(data.args[0])
                    }
                    Op::Store(a) | Op::Check(CheckOp::Store(a)) => !a.volatile && far(data.args[1]),
                    Op::Group { .. } => false,
                    op => op.is_pure() || op.is_terminator(),
                };
                safe && count < 12
            }),
            Node::Enter(_) | Node::Goto(_) => true,
            _ => false,
        })
    }

    /// The end of a loop: back to the header or out.
    fn test(&mut self, t: &LatchTest) -> Result<()> {
        let back = usize::from(self.targets.get(&t.edges[1].block).is_some_and(|t| t.is_header));
        let (again, out) = (&t.edges[back], &t.edges[1 - back]);
        let Some(exit) = self.targets.get(&out.block).copied() else {
            return Err(CompileError::internal("a test that leads nowhere"));
        };
        if self.r.info.is_uniform_test(t) {
            return self.uniform_test(t, back, exit);
        }
        let before = self.mask;
        if t.has_barrier {
            // Vectors without active work-items need masks too.
            self.close_region();
            self.mask = Mask::Base;
        }
        self.open_region();
        let on = self.get(t.on)?;
        let on = self.vector(&on);
        let not = self.not(on);
        let conditions = if back == 0 { vec![on, not] } else { vec![not, on] };
        let masks = self.within(before, conditions);
        let mut any = self.any(masks[0]);
        if t.has_barrier {
            any = self.any_of_group(&[any])[0];
        }
        if !out.args.is_empty() {
            self.mask = Mask::Value(masks[1]);
            self.open_region();
            self.assign(out, true)?;
            if t.has_barrier {
                self.close_region();
            }
        }
        self.mask = Mask::Value(masks[0]);
        let stay = self.new_block();
        self.brif(any, stay, exit.block);
        self.start(stay);
        self.enter_scope();
        self.goto(again)?;
        self.scopes.pop();
        Ok(())
    }

    /// The end of a loop that all active work-items stay in or leave.
    fn uniform_test(&mut self, t: &LatchTest, back: usize, exit: EdgeTarget) -> Result<()> {
        let (again, out) = (&t.edges[back], &t.edges[1 - back]);
        let on = if t.has_barrier {
            self.group_uniform(t.on)?
        } else {
            self.open_region();
            self.get(t.on)?.parts[0]
        };
        let (stay, leave) = (self.new_block(), self.new_block());
        let (first, second) = if back == 0 { (stay, leave) } else { (leave, stay) };
        self.brif(on, first, second);
        self.start(leave);
        self.enter_scope();
        if !out.args.is_empty() {
            self.open_region();
            self.assign(out, exit.masked)?;
        }
        if t.has_barrier {
            self.close_region();
        }
        self.jump(exit.block);
        self.scopes.pop();
        self.start(stay);
        self.enter_scope();
        self.goto(again)?;
        self.scopes.pop();
        Ok(())
    }

    fn looped(&mut self, l: &LoopNode) -> Result<bool> {
        let merge_masked = self.r.info.masked.contains(&l.merge);
        let cont_masked = self.r.info.masked.contains(&l.cont);
        let before = self.mask;
        let iterating = Variable::Iterating(l.header);
        if !l.has_barrier {
            self.open_region();
        }
        let [head, latch, cont, exit] = [0; 4].map(|_| self.new_block());
        if merge_masked {
            self.in_all(l.has_barrier, |v| {
                v.set(iterating, before);
                v.clear(Variable::Reached(l.merge));
                v.forget_params(l.merge);
            });
        }
        if l.has_barrier {
            self.close_region();
        }
        self.jump(head);
        self.start(head);
        if merge_masked {
            if l.has_barrier {
                self.mask = Mask::Base;
            }
            self.open_region();
            self.mask = self.read_mask(iterating);
            if l.has_barrier {
                self.close_region();
            }
        }
        let around = self.mask;
        let has_barrier = l.has_barrier;
        let target = |block, masked, keeps_mask| {
            let is_header = block == head;
            EdgeTarget { block, masked, keeps_mask, has_barrier, is_header }
        };
        self.targets.insert(l.merge, target(exit, merge_masked, None));
        self.targets.insert(l.cont, target(cont, cont_masked, None));
        self.targets.insert(l.header, target(head, false, merge_masked.then_some(iterating)));
        if cont_masked {
            self.in_all(l.has_barrier, |v| {
                v.clear(Variable::Reached(l.cont));
                v.forget_params(l.cont);
            });
        }
        self.instructions(l.header)?;
        if !self.seq(&l.body)? {
            if l.has_barrier {
                self.close_region();
            }
            self.jump(cont);
        }
        self.start(cont);
        self.mask = around;
        if merge_masked {
            if l.has_barrier {
                self.mask = Mask::Base;
            }
            self.open_region();
            self.mask = self.read_mask(Variable::Reached(l.cont));
            let any = self.any_active(l.has_barrier);
            self.brif(any, latch, exit);
            self.start(latch);
        }
        self.seq(&l.latch)?;
        for b in [l.merge, l.cont, l.header] {
            self.targets.remove(&b);
        }
        self.mask = before;
        let reached = tree::reaches(&l.body, l.merge) || tree::reaches(&l.latch, l.merge);
        self.start(exit);
        if !reached {
            self.terminate(Op::Unreachable, &[], &[]);
        }
        Ok(!reached)
    }

    // Values.

    pub(super) fn define(&mut self, v: Value, operand: Operand) {
        let scope = self.scopes.last().copied().unwrap_or(0);
        self.values.insert(v, (self.region, scope, operand));
    }

    /// The operand of a value in the open region.
    pub(super) fn get(&mut self, v: Value) -> Result<Operand> {
        let func = self.func;
        if let ValueDef::Const(constant) = &func.values[v].def {
            let ty = part_type(func.ty(v));
            let parts = match constant {
                Const::Bits(_, bits) => bits.iter().map(|b| self.out.bits(ty, *b)).collect(),
                Const::Undef(from) => vec![self.out.bits(ty, 0); from.lanes() as usize],
            };
            return Ok(Operand::uniform_parts(parts));
        }
        if let Some(argument) = self.arguments.get(&v).or_else(|| self.restored.get(&v)) {
            return Ok(argument.clone());
        }
        if let Some((region, scope, operand)) = self.values.get(&v)
            && *region == self.region
        {
            let around = self.scopes.contains(scope);
            return Ok(if around { operand.clone() } else { operand.unguarded() });
        }
        let operand = self.restore(v)?;
        self.restored.insert(v, operand.clone());
        Ok(operand)
    }

    /// The operand of a value of an earlier region: cheap ones are computed again.
    fn restore(&mut self, v: Value) -> Result<Operand> {
        let func = self.func;
        if let Some(inst) = func.def_inst(v) {
            let is_cheap = matches!(
                func.insts[inst].op,
                Op::WorkItem { .. }
                    | Op::SlotAddr(_)
                    | Op::GlobalAddr(_)
                    | Op::Arg { .. }
                    | Op::Implicit(_)
                    | Op::PrintBuffer
                    | Op::Cast(CastOp::Trunc | CastOp::Sext | CastOp::Zext | CastOp::PtrCast)
            );
            if is_cheap && self.open {
                let operand = self.in_prologue(|s| s.operation(inst))?;
                return operand.ok_or_else(|| CompileError::internal("a value without an operand"));
            }
        }
        match self.values.get(&v) {
            Some((_, _, operand)) => Ok(operand.unguarded()),
            None => Err(CompileError::internal(format!("{v} is used before it is defined"))),
        }
    }
}
