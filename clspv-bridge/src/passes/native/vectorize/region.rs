//! Parallel regions while a function is vectorised, and the values that code of a region starts from.

use super::state::{Entry, Mask, Operand, varies};
use super::vectorizer::Vectorizer;
use crate::analysis::group_uniform::REGION_END;
use crate::error::Result;
use crate::ir::*;

impl Vectorizer<'_> {
    /// The function's parameters, and the values of the group.
    pub(super) fn enter_function(&mut self) {
        let entry = self.block;
        let types = self.out.sig.params.clone();
        let params: Vec<Value> = types.iter().map(|ty| self.out.add_param(entry, *ty)).collect();
        let old = self.func.entry().map(|b| self.func.blocks[b].params.clone()).unwrap_or_default();
        if let Entry::Function(varying) = self.r.entry {
            self.own.tail = params.first().copied();
            let mut rest = params.into_iter().skip(1);
            for (i, p) in old.into_iter().enumerate() {
                let parts = rest.by_ref().take(self.func.ty(p).lanes() as usize).collect();
                let operand =
                    if varies(varying, i) { Operand::varying(parts) } else { Operand::uniform_parts(parts) };
                self.arguments.insert(p, operand);
            }
            return;
        }
        for (p, new) in old.into_iter().zip(params) {
            let parts = self.scalars(new);
            self.arguments.insert(p, Operand::uniform_parts(parts));
        }
        for d in 0..3u8 {
            let query = |v: &mut Self, query| v.value(Op::WorkItem { query, dim: d }, &[], I64);
            let size = query(self, WorkItemQuery::LocalSize);
            let (group, enqueued) =
                (query(self, WorkItemQuery::GroupId), query(self, WorkItemQuery::EnqueuedLocalSize));
            let offset = query(self, WorkItemQuery::GlobalOffset);
            let first = self.bin(BinOp::Imul, group, enqueued);
            let first = self.bin(BinOp::Iadd, first, offset);
            self.prelude.size[usize::from(d)] = Some(size);
            self.prelude.first[usize::from(d)] = Some(first);
        }
        let [x, y, z] = [0, 1, 2].map(|d| self.local_size(d));
        let plane = self.bin(BinOp::Imul, x, y);
        self.prelude.total = Some(self.bin(BinOp::Imul, plane, z));
    }

    /// The lanes of a vector as scalars.
    pub(super) fn scalars(&mut self, v: Value) -> Vec<Value> {
        match self.out.ty(v).lanes() {
            1 => vec![v],
            n => (0..n as u8).map(|i| self.extract(v, i)).collect(),
        }
    }

    /// A group's value of the prelude; 0 where there is none.
    fn group_value(&mut self, value: Option<Value>) -> Value {
        value.unwrap_or_else(|| self.out.i64(0))
    }
    pub(super) fn local_size(&mut self, d: usize) -> Value {
        self.group_value(self.prelude.size.get(d).copied().flatten())
    }
    pub(super) fn first_id(&mut self, d: usize) -> Value {
        self.group_value(self.prelude.first.get(d).copied().flatten())
    }
    pub(super) fn total(&mut self) -> Value {
        self.group_value(self.prelude.total)
    }
    pub(super) fn base(&mut self) -> Value {
        self.group_value(self.own.base)
    }

    /// Ends the region that the current block belongs to, if control is outside of regions.
    pub(super) fn sync_if_closed(&mut self) {
        if !self.open && self.r.entry == Entry::Kernel && self.synced.insert(self.block) {
            let inst = self.out.make_inst(REGION_END, &[], &[]);
            self.out.blocks[self.block].insts.push(inst);
        }
    }

    pub(super) fn open_region(&mut self) {
        if self.open {
            return;
        }
        let (prologue, body) = (self.new_block(), self.new_block());
        self.jump(prologue);
        self.start(prologue);
        self.region += 1;
        self.restored.clear();
        self.open = true;
        self.prologue = prologue;
        if self.r.entry == Entry::Kernel {
            self.own_values();
        }
        match self.mask {
            Mask::Base => self.jump(body),
            Mask::Value(mask) => {
                let any = self.any(mask);
                let skip = self.new_block();
                self.brif(any, body, skip);
                self.skip = Some(skip);
            }
        }
        self.start(body);
    }

    fn own_values(&mut self) {
        let query = |query, dim| Op::WorkItem { query, dim };
        let w = self.width;
        let (base, line) = if self.r.shape.linear {
            let number = self.value(query(WorkItemQuery::SubGroupId, 0), &[], I32);
            let number = self.cast(CastOp::Zext, number, I64);
            let width = self.out.i64(i64::from(w));
            (self.bin(BinOp::Imul, number, width), self.total())
        } else {
            (self.value(query(WorkItemQuery::LocalId, 0), &[], I64), self.local_size(0))
        };
        self.own.base = Some(base);
        self.own.y = Some(self.value(query(WorkItemQuery::LocalId, 1), &[], I64));
        self.own.z = Some(self.value(query(WorkItemQuery::LocalId, 2), &[], I64));
        if self.r.shape.whole {
            return;
        }
        let rest = self.bin(BinOp::Isub, line, base);
        let width = self.out.i64(i64::from(w));
        let most = self.bin(BinOp::Umin, rest, width);
        let most = self.cast(CastOp::Trunc, most, I32);
        let most = self.splat(most);
        let ids = self.steps(I32, 1);
        self.own.tail = Some(self.icmp(IntCc::Ult, ids, most));
    }

    /// Ends the open region's code of vectors with active work-items.
    fn join_skipped(&mut self) {
        if let Some(skip) = self.skip.take() {
            self.jump(skip);
            self.start(skip);
        }
    }

    pub(super) fn close_region(&mut self) {
        if !self.open || self.r.entry != Entry::Kernel {
            return;
        }
        self.join_skipped();
        self.open = false;
        self.sync_if_closed();
    }

    /// Whether a condition holds for any vector, one result for each condition. Closes the region, which must
    /// be one of all vectors.
    pub(super) fn any_of_group(&mut self, conditions: &[Value]) -> Vec<Value> {
        self.join_skipped();
        self.open = false;
        self.synced.insert(self.block);
        let op = Op::Group { scope: Scope::WorkGroup, op: GroupOp::Any };
        conditions.iter().map(|c| self.value(op.clone(), &[*c], I1)).collect()
    }

    /// The scalar of a value that is uniform in the group. Closes the region.
    pub(super) fn group_uniform(&mut self, v: Value) -> Result<Value> {
        if let ValueDef::Const(_) = &self.func.values[v].def {
            let value = self.get(v)?.parts[0];
            self.close_region();
            self.sync_if_closed();
            return Ok(value);
        }
        self.open_region();
        let value = self.get(v)?.parts[0];
        let Some(skip) = self.skip.take() else {
            self.close_region();
            return Ok(value);
        };
        // Vectors without active work-items do not know it.
        let ty = self.out.ty(value);
        let none = self.out.bits(ty, 0);
        let param = self.out.add_param(skip, ty);
        if let Some(branch) = self.out.terminator(self.prologue) {
            for target in self.out.insts[branch].targets.iter_mut().filter(|t| t.block == skip) {
                target.args.push(none);
            }
        }
        self.terminate(Op::Jump, &[], &[BlockCall::new(skip, &[value])]);
        self.start(skip);
        if ty == I1 {
            return Ok(self.any_of_group(&[param])[0]);
        }
        self.open = false;
        self.synced.insert(self.block);
        let op = GroupOp::Combine { scan: Scan::Reduce, op: BinOp::Or, cluster: 0 };
        Ok(self.value(Op::Group { scope: Scope::WorkGroup, op }, &[param], ty))
    }

    /// Emits code that the prologue of the open region ends with.
    pub(super) fn in_prologue<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = (self.block, self.in_prologue);
        (self.block, self.in_prologue) = (self.prologue, true);
        let result = f(self);
        (self.block, self.in_prologue) = before;
        result
    }

    /// Calls `f` in a region. With `has_barrier`, that is every vector of the group, also those without
    /// active work-items.
    pub(super) fn in_all(&mut self, has_barrier: bool, f: impl FnOnce(&mut Self)) {
        let before = self.mask;
        if has_barrier {
            self.close_region();
            self.mask = Mask::Base;
        }
        self.open_region();
        f(self);
        if has_barrier {
            self.close_region();
        }
        self.mask = before;
    }
}
