//! Control flow of the text: sequences, edges, selections and loops, and the parallel regions between
//! barriers.

use super::emit::{EdgeTarget, Emit};
use super::operand::{lane_name, literal};
use crate::analysis::tree::{self, LatchTest, LoopNode, Node, SelectKind, SelectNode, Seq};
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::native::check;
use std::fmt::Write;

impl Emit<'_> {
    /// Emits a sequence that may be skipped.
    fn scoped(&mut self, seq: &Seq) -> Result<bool> {
        self.enter_scope();
        let ended = self.seq(seq);
        self.scopes.pop();
        ended
    }

    /// Emits a sequence; returns true if control does not reach its end.
    pub(super) fn seq(&mut self, seq: &Seq) -> Result<bool> {
        let mut ends: Vec<(String, bool)> = Vec::new();
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
        for (label, has_barrier) in ends.into_iter().rev() {
            if has_barrier {
                self.close_region();
            }
            if !ended {
                self.line(format!("br label %{label}"));
            }
            self.start(&label);
            ended = false;
        }
        self.scopes.truncate(depth);
        Ok(ended)
    }

    fn instructions(&mut self, block: Block) -> Result<()> {
        if self.func.entry() != Some(block) && self.joins(block) && !self.func.blocks[block].params.is_empty()
        {
            self.open_region();
            let early = self.barrier_joins.contains(&block);
            for p in self.func.blocks[block].params.clone() {
                let val = self.load_param(p, early);
                self.bind(p, val);
            }
        }
        for &inst in &self.func.blocks[block].insts {
            let data = &self.func.insts[inst];
            if tree::is_barrier(&data.op) {
                self.close_region();
                if let Op::Barrier { memory: Scope::Device | Scope::AllDevices, .. } = data.op {
                    self.line("fence acq_rel");
                }
                continue;
            }
            if data.op.is_terminator() {
                continue;
            }
            // The check of a barrier is outside of any region.
            if !matches!(data.op, Op::Check(CheckOp::Order { what }) if what & check::GROUP_BARRIER != 0) {
                self.open_region();
            }
            let val = self.operation(inst)?;
            if let Some(&r) = data.results.first() {
                self.bind(r, val);
            }
        }
        Ok(())
    }

    fn enter(&mut self, call: &BlockCall) -> Result<()> {
        if call.args.is_empty() {
            return Ok(());
        }
        self.open_region();
        if self.joins(call.block) {
            return self.assign(call, false);
        }
        for (p, a) in self.func.blocks[call.block].params.clone().into_iter().zip(&call.args) {
            let val = self.get(*a)?;
            self.bind(p, val);
        }
        Ok(())
    }

    /// Stores an edge's arguments in the parameters' variables; with `masked`, in the active work-items only.
    fn assign(&mut self, call: &BlockCall, masked: bool) -> Result<()> {
        let params = self.func.blocks[call.block].params.clone();
        let mut stores = Vec::new();
        for (&p, a) in params.iter().zip(&call.args) {
            let val = self.get(*a)?;
            let parts = self.in_form(self.func.ty(p), &val, self.r.uniformity.of(p));
            stores.push((p, parts));
        }
        let mask = if masked { self.active() } else { None };
        for (p, parts) in stores {
            for (lane, part) in parts.into_iter().enumerate() {
                let (address, ty) = self.param(p, lane);
                let part = match &mask {
                    Some(mask) => {
                        let old = self.def(format!("load {ty}, ptr {address}"));
                        let mask_type = self.mask_type();
                        self.def(format!("select {mask_type} {mask}, {ty} {part}, {ty} {old}"))
                    }
                    None => part,
                };
                self.line(format!("store {ty} {part}, ptr {address}"));
            }
        }
        Ok(())
    }

    fn goto(&mut self, call: &BlockCall) -> Result<bool> {
        let Some(target) = self.targets.get(&call.block) else {
            return Err(CompileError::internal("an edge to a block that is not around"));
        };
        let (label, masked, has_barrier, keeps) =
            (target.label.clone(), target.masked, target.has_barrier, target.keeps_mask.clone());
        if !call.args.is_empty() {
            self.open_region();
            self.assign(call, masked)?;
        }
        if masked {
            self.open_region();
            self.join("m", call.block);
            return Ok(false);
        }
        if let Some(what) = keeps {
            let mask = self.mask;
            self.in_all(has_barrier, |e| e.set(&what, call.block, mask));
        }
        if has_barrier {
            self.close_region();
        }
        self.line(format!("br label %{label}"));
        Ok(true)
    }

    /// Whether edges in a selection leave it under masks, so that fewer work-items are active after it.
    fn is_leaky(&self, s: &SelectNode) -> bool {
        fn search(e: &Emit<'_>, seq: &Seq, inner: &mut Vec<Block>) -> bool {
            seq.nodes.iter().any(|n| match n {
                Node::Goto(call) => {
                    !inner.contains(&call.block) && e.r.uniformity.masked.contains(&call.block)
                }
                Node::Select(s) => {
                    inner.push(s.merge);
                    let found = s.arms.iter().any(|a| search(e, a, inner));
                    inner.pop();
                    found
                }
                _ => false,
            })
        }
        let mut inner = vec![s.merge];
        s.arms.iter().any(|a| search(self, a, &mut inner))
    }

    fn select(&mut self, s: &SelectNode, ends: &mut Vec<(String, bool)>) -> Result<bool> {
        let is_uniform = self.r.uniformity.is_uniform_select(s);
        let leaky = self.is_leaky(s);
        let before = self.mask;
        if !s.has_barrier {
            self.open_region();
        }
        let merge = self.fresh_label("merge");
        let masked = self.r.uniformity.masked.contains(&s.merge);
        let uses_mask = leaky || masked;
        let keeps = (leaky && !masked).then(|| "m".to_owned());
        if uses_mask {
            self.in_all(s.has_barrier, |e| e.clear("m", s.merge));
        }
        let target = EdgeTarget {
            label: merge.clone(),
            masked,
            keeps_mask: keeps,
            has_barrier: s.has_barrier,
            is_header: false,
        };
        self.targets.insert(s.merge, target);
        let ended = if is_uniform { self.uniform_arms(s, &merge)? } else { self.divergent_arms(s, &merge)? };
        self.targets.remove(&s.merge);
        self.mask = before;
        if ended {
            self.start(&merge);
            self.line("unreachable");
            return Ok(true);
        }
        self.start(&merge);
        if !leaky {
            return Ok(false);
        }
        if s.has_barrier {
            self.mask = 0;
        }
        self.open_region();
        self.mask = self.load_mask("m", s.merge);
        let rest = self.fresh_label("rest");
        let end = self.fresh_label("end");
        let any = if s.has_barrier {
            self.any_of_group(self.mask)?
        } else {
            let mask = self.active_text();
            self.any(&mask)
        };
        self.line(format!("br i1 {any}, label %{rest}, label %{end}"));
        self.start(&rest);
        self.enter_scope();
        ends.push((end, s.has_barrier));
        Ok(false)
    }

    /// Whether the mask has an active work-item in any vector. Closes the region.
    fn any_of_group(&mut self, mask: usize) -> Result<String> {
        let flag = self.group_flag(mask);
        self.close_region();
        Ok(self.def(format!("load i1, ptr {flag}")))
    }
    fn group_flag(&mut self, mask: usize) -> String {
        let name = format!("%flag{}", self.names + 1);
        self.names += 1;
        let _ = writeln!(self.allocas, "  {name} = alloca i1, align 1");
        let _ = writeln!(self.region.pre, "  store i1 false, ptr {name}");
        let mask = self.mask_name(mask).unwrap_or_else(|| "splat (i1 true)".into());
        let any = self.any(&mask);
        let old = self.def(format!("load i1, ptr {name}"));
        let new = self.def(format!("or i1 {old}, {any}"));
        self.line(format!("store i1 {new}, ptr {name}"));
        name
    }

    /// Emits a selection in which all active work-items take one arm. Returns true if control does not reach
    /// its end.
    fn uniform_arms(&mut self, s: &SelectNode, merge: &str) -> Result<bool> {
        let ty = lane_name(self.func.ty(s.on));
        let on = if s.has_barrier { self.group_uniform(s.on)? } else { self.get(s.on)?.parts[0].clone() };
        let labels: Vec<String> = s.arms.iter().map(|_| self.fresh_label("arm")).collect();
        match &s.kind {
            SelectKind::If => self.line(format!("br i1 {on}, label %{}, label %{}", labels[0], labels[1])),
            SelectKind::Switch(values) => {
                let default = labels.last().cloned().unwrap_or_default();
                let mut cases = String::new();
                for (values, label) in values.iter().zip(&labels).take(values.len() - 1) {
                    for v in values {
                        let _ = write!(cases, " {ty} {}, label %{label}", literal(self.func.ty(s.on), *v));
                    }
                }
                self.line(format!("switch {ty} {on}, label %{default} [{cases} ]"));
            }
        }
        let (before, mut ended) = (self.mask, true);
        let reached = tree_reaches(s);
        for (arm, label) in s.arms.iter().zip(&labels) {
            self.start(label);
            self.mask = before;
            if !self.scoped(arm)? {
                if s.has_barrier {
                    self.close_region();
                }
                self.line(format!("br label %{merge}"));
                ended = false;
            }
        }
        Ok(ended && !reached)
    }

    /// The scalar of a value that is uniform in the group. Closes the region.
    fn group_uniform(&mut self, v: Value) -> Result<String> {
        if let ValueDef::Const(Const::Bits(ty, bits)) = &self.func.values[v].def {
            let text = literal(*ty, bits[0]);
            self.close_region();
            return Ok(text);
        }
        self.open_region();
        let val = self.get(v)?;
        let ty = lane_name(self.func.ty(v));
        let name = format!("%g{}", self.names + 1);
        self.names += 1;
        let _ = writeln!(self.allocas, "  {name} = alloca {ty}, align 8");
        self.line(format!("store {ty} {}, ptr {name}", val.parts[0]));
        self.close_region();
        Ok(self.def(format!("load {ty}, ptr {name}")))
    }

    /// Emits a selection in which work-items may diverge.
    fn divergent_arms(&mut self, s: &SelectNode, merge: &str) -> Result<bool> {
        let before = self.mask;
        if s.has_barrier {
            // Vectors without active work-items need masks too.
            self.close_region();
            self.mask = 0;
        }
        self.open_region();
        let ty = self.func.ty(s.on);
        let on = self.get(s.on)?;
        let on = self.vectors(ty, &on)[0].clone();
        let mask_type = self.mask_type();
        let mut conditions: Vec<String> = Vec::new();
        match &s.kind {
            SelectKind::If => {
                let not = self.def(format!("xor {mask_type} {on}, splat (i1 true)"));
                conditions.extend([on, not]);
            }
            SelectKind::Switch(values) => {
                let int = lane_name(ty);
                let vector = self.ty(int, true);
                let mut none: Option<String> = None;
                for values in values.iter().take(values.len() - 1) {
                    let mut hit: Option<String> = None;
                    for v in values {
                        let c = self.splat(int, &literal(ty, *v));
                        let is = self.def(format!("icmp eq {vector} {on}, {c}"));
                        hit = Some(match hit {
                            Some(h) => self.def(format!("or {mask_type} {h}, {is}")),
                            None => is,
                        });
                    }
                    let hit = hit.unwrap_or_else(|| "zeroinitializer".into());
                    none = Some(match none {
                        Some(n) => self.def(format!("or {mask_type} {n}, {hit}")),
                        None => hit.clone(),
                    });
                    conditions.push(hit);
                }
                let none = none.unwrap_or_else(|| "zeroinitializer".into());
                conditions.push(self.def(format!("xor {mask_type} {none}, splat (i1 true)")));
            }
        }
        let mut masks = Vec::new();
        for c in conditions {
            let mask = match self.mask_name(before) {
                Some(m) => self.def(format!("and {mask_type} {m}, {c}")),
                None => c,
            };
            masks.push(self.add_mask(mask));
        }
        if s.has_barrier {
            let flags: Vec<String> = masks.iter().map(|m| self.group_flag(*m)).collect();
            self.close_region();
            for ((arm, mask), flag) in s.arms.iter().zip(masks).zip(flags) {
                let any = self.def(format!("load i1, ptr {flag}"));
                let (label, next) = (self.fresh_label("arm"), self.fresh_label("next"));
                self.line(format!("br i1 {any}, label %{label}, label %{next}"));
                self.start(&label);
                self.mask = mask;
                if !self.scoped(arm)? {
                    self.close_region();
                    self.line(format!("br label %{next}"));
                }
                self.start(&next);
            }
            self.mask = before;
            self.line(format!("br label %{merge}"));
            return Ok(false);
        }
        for (arm, mask) in s.arms.iter().zip(masks) {
            self.mask = mask;
            if self.is_cheap(arm) {
                self.seq(arm)?;
                continue;
            }
            let m = self.active_text();
            let any = self.any(&m);
            let (label, next) = (self.fresh_label("arm"), self.fresh_label("next"));
            self.line(format!("br i1 {any}, label %{label}, label %{next}"));
            self.start(&label);
            if !self.scoped(arm)? {
                self.line(format!("br label %{next}"));
            }
            self.start(&next);
        }
        self.mask = before;
        self.line(format!("br label %{merge}"));
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
                let far = |a: Value| !self.r.uniformity.of(a).is_uniform();
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

    /// Emits the end of a loop: back to the header or out.
    fn test(&mut self, t: &LatchTest) -> Result<()> {
        let back = usize::from(self.targets.get(&t.edges[1].block).is_some_and(|t| t.is_header));
        let (again, out) = (&t.edges[back], &t.edges[1 - back]);
        let Some(exit) = self.targets.get(&out.block) else {
            return Err(CompileError::internal("a test that leads nowhere"));
        };
        let (exit, masked) = (exit.label.clone(), exit.masked);
        let before = self.mask;
        if self.r.uniformity.is_uniform_test(t) {
            let on = if t.has_barrier {
                self.group_uniform(t.on)?
            } else {
                self.open_region();
                self.get(t.on)?.parts[0].clone()
            };
            let [stay, leave] = ["again", "leave"].map(|what| self.fresh_label(what));
            let (first, second) = if back == 0 { (&stay, &leave) } else { (&leave, &stay) };
            self.line(format!("br i1 {on}, label %{first}, label %{second}"));
            self.start(&leave);
            self.enter_scope();
            if !out.args.is_empty() {
                self.open_region();
                self.assign(out, masked)?;
            }
            if t.has_barrier {
                self.close_region();
            }
            self.line(format!("br label %{exit}"));
            self.scopes.pop();
            self.start(&stay);
            self.enter_scope();
            self.goto(again)?;
            self.scopes.pop();
            return Ok(());
        }
        if t.has_barrier {
            // Vectors without active work-items need masks too.
            self.close_region();
            self.mask = 0;
        }
        self.open_region();
        let on = self.get(t.on)?;
        let on = self.vectors(I1, &on)[0].clone();
        let mask_type = self.mask_type();
        let not = self.def(format!("xor {mask_type} {on}, splat (i1 true)"));
        let (stays, leaves) = if back == 0 { (on, not) } else { (not, on) };
        let mut masks = [0; 2];
        for (mask, c) in masks.iter_mut().zip([stays, leaves]) {
            let name = match self.mask_name(before) {
                Some(m) => self.def(format!("and {mask_type} {m}, {c}")),
                None => c,
            };
            *mask = self.add_mask(name);
        }
        let flag = t.has_barrier.then(|| self.group_flag(masks[0]));
        if t.has_barrier {
            self.close_region();
        }
        if !out.args.is_empty() {
            self.mask = masks[1];
            self.open_region();
            self.assign(out, true)?;
            if t.has_barrier {
                self.close_region();
            }
        }
        self.mask = masks[0];
        let any = match flag {
            Some(flag) => self.def(format!("load i1, ptr {flag}")),
            None => {
                let mask = self.active_text();
                self.any(&mask)
            }
        };
        let stay = self.fresh_label("again");
        self.line(format!("br i1 {any}, label %{stay}, label %{exit}"));
        self.start(&stay);
        self.enter_scope();
        self.goto(again)?;
        self.scopes.pop();
        Ok(())
    }

    fn looped(&mut self, l: &LoopNode) -> Result<bool> {
        let merge_masked = self.r.uniformity.masked.contains(&l.merge);
        let cont_masked = self.r.uniformity.masked.contains(&l.cont);
        let before = self.mask;
        if !l.has_barrier {
            self.open_region();
        }
        let labels = ["head", "latch", "cont", "exit"].map(|what| self.fresh_label(what));
        let [head, latch, cont, exit] = &labels;
        if merge_masked {
            self.in_all(l.has_barrier, |e| {
                e.set("a", l.header, before);
                e.clear("m", l.merge);
            });
        }
        if l.has_barrier {
            self.close_region();
        }
        self.line(format!("br label %{head}"));
        self.start(head);
        if merge_masked {
            if l.has_barrier {
                self.mask = 0;
            }
            self.open_region();
            self.mask = self.load_mask("a", l.header);
            if l.has_barrier {
                self.close_region();
            }
        }
        let around = self.mask;
        let target = |label: &str, masked: bool, keeps: Option<&str>| EdgeTarget {
            label: label.to_owned(),
            masked,
            keeps_mask: keeps.map(str::to_owned),
            has_barrier: l.has_barrier,
            is_header: keeps.is_some() || label == head,
        };
        self.targets.insert(l.merge, target(exit, merge_masked, None));
        self.targets.insert(l.cont, target(cont, cont_masked, None));
        self.targets.insert(l.header, target(head, false, merge_masked.then_some("a")));
        if cont_masked {
            self.in_all(l.has_barrier, |e| e.clear("m", l.cont));
        }
        // The header's parameters are read where the header's block is emitted.
        self.instructions(l.header)?;
        if !self.seq(&l.body)? {
            if l.has_barrier {
                self.close_region();
            }
            self.line(format!("br label %{cont}"));
        }
        self.start(cont);
        self.mask = around;
        if merge_masked {
            if l.has_barrier {
                self.mask = 0;
            }
            self.open_region();
            self.mask = self.load_mask("m", l.cont);
            let any = if l.has_barrier {
                self.any_of_group(self.mask)?
            } else {
                let mask = self.active_text();
                self.any(&mask)
            };
            self.line(format!("br i1 {any}, label %{latch}, label %{exit}"));
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
            self.line("unreachable");
        }
        Ok(!reached)
    }
}

fn tree_reaches(s: &SelectNode) -> bool {
    s.arms.iter().any(|a| tree::reaches(a, s.merge))
}
