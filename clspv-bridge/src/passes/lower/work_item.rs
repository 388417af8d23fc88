//! Lowers work-item queries to shader inputs and implicit arguments.
//!
//! A launch may be split into several dispatches, so global ids and group ids are the shader's own plus a
//! base. Sizes fold to constants when the kernel requires a work-group size; the size of a group only if the
//! last groups cannot be smaller. Ids are computed in 64 bits from 32-bit parts; `simplify` reduces them to
//! 32-bit arithmetic where users truncate to `int`.

use crate::abi::ImplicitArg;
use crate::error::Result;
use crate::ir::WorkItemQuery as Q;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::metadata::KernelInfo;
use crate::passes::lower::state::Kernel;
use crate::passes::{Pass, PassContext};

/// The pass `lower_work_item`: work-item queries.
pub struct LowerWorkItem;

impl Pass for LowerWorkItem {
    fn name(&self) -> &'static str {
        "lower_work_item"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let kernel = Kernel::of(module)?;
        let size = cx.lowering()?.abi.sub_group_size;
        Ok(run(kernel.func, kernel.info, cx.options.uniform_work_group_size, size))
    }
}

struct Queries<'b, 'f> {
    b: &'b mut Builder<'f>,
    reqd: Option<[u32; 3]>,
    /// All groups of a launch have one size.
    uniform: bool,
    /// Work-items of a full sub-group; 0 if there are none. With more than one, the workgroup is
    /// one-dimensional.
    sub_group: u32,
}

impl Queries<'_, '_> {
    fn implicit_arg(&mut self, h: ImplicitArg) -> Value {
        let ty = if h.size() == 8 { I64 } else { I32 };
        let v = self.b.value(Op::Implicit(h), &[], ty);
        if ty == I32 { self.b.cast(CastOp::Zext, v, I64) } else { v }
    }
    fn input32(&mut self, input: ShaderInput, dim: u8) -> Value {
        self.b.value(Op::Input { input, dim }, &[], I32)
    }
    fn input(&mut self, input: ShaderInput, dim: u8) -> Value {
        let v = self.input32(input, dim);
        self.b.cast(CastOp::Zext, v, I64)
    }
    fn get(&mut self, query: Q, dim: u8) -> Value {
        match (query, dim) {
            (Q::GlobalId | Q::LocalId | Q::GroupId | Q::GlobalOffset, 3..) => return self.b.i64(0),
            (Q::GlobalSize | Q::LocalSize | Q::EnqueuedLocalSize | Q::NumGroups, 3..) => {
                return self.b.i64(1);
            }
            _ => {}
        }
        match query {
            Q::GlobalId if self.sub_group > 1 => {
                let group = self.input(ShaderInput::WorkgroupId, dim);
                let size = self.get(Q::LocalSize, dim);
                let first = self.b.imul(group, size);
                let id = self.get(Q::LocalId, dim);
                let id = self.b.iadd(first, id);
                let base = self.implicit_arg(ImplicitArg::GlobalIdBase(dim));
                self.b.iadd(id, base)
            }
            Q::GlobalId => {
                let id = self.input(ShaderInput::GlobalId, dim);
                let base = self.implicit_arg(ImplicitArg::GlobalIdBase(dim));
                self.b.iadd(id, base)
            }
            Q::GroupId => {
                let id = self.input32(ShaderInput::WorkgroupId, dim);
                let base = self.b.value(Op::Implicit(ImplicitArg::GroupBase(dim)), &[], I32);
                let sum = self.b.iadd(id, base);
                self.b.cast(CastOp::Zext, sum, I64)
            }
            Q::LocalId => match self.reqd {
                Some(size) if size[dim as usize] == 1 => self.b.i64(0),
                _ if self.sub_group > 1 => self.position(dim),
                _ => self.input(ShaderInput::LocalId, dim),
            },
            Q::LocalSize => match self.reqd {
                Some(size) if self.uniform || size[dim as usize] == 1 => {
                    self.b.i64(size[dim as usize] as i64)
                }
                _ => self.input(ShaderInput::WorkgroupSize, dim),
            },
            Q::EnqueuedLocalSize => match self.reqd {
                Some(size) => self.b.i64(size[dim as usize] as i64),
                None => self.implicit_arg(ImplicitArg::EnqueuedLocalSize(dim)),
            },
            Q::GlobalSize => self.implicit_arg(ImplicitArg::GlobalSize(dim)),
            Q::NumGroups => self.implicit_arg(ImplicitArg::NumGroups(dim)),
            Q::GlobalOffset => self.implicit_arg(ImplicitArg::GlobalOffset(dim)),
            Q::WorkDim => self.b.value(Op::Implicit(ImplicitArg::WorkDim), &[], I32),
            Q::LocalLinearId if self.sub_group > 1 => self.input(ShaderInput::LocalIndex, 0),
            Q::LocalLinearId => {
                // (z * size_y + y) * size_x + x, as specified for get_local_linear_id.
                let linear = self.linear(|q, d| q.get(Q::LocalId, d), |q, d| q.get(Q::LocalSize, d));
                self.b.bitcast(linear, I64)
            }
            Q::GlobalLinearId => self.linear(
                |q, d| {
                    let id = q.get(Q::GlobalId, d);
                    let offset = q.get(Q::GlobalOffset, d);
                    q.b.isub(id, offset)
                },
                |q, d| q.get(Q::GlobalSize, d),
            ),
            Q::SubGroupSize | Q::SubGroupMaxSize if self.sub_group <= 1 => self.b.i32(1),
            Q::SubGroupSize => {
                // Only the last sub-group may be smaller.
                let (items, id, full) =
                    (self.items(Q::LocalSize), self.get(Q::SubGroupId, 0), self.b.i32(self.sub_group as i32));
                let before = self.b.imul(id, full);
                let rest = self.b.isub(items, before);
                self.b.bin(BinOp::Umin, rest, full)
            }
            Q::SubGroupMaxSize => {
                let (items, full) = (self.items(Q::EnqueuedLocalSize), self.b.i32(self.sub_group as i32));
                self.b.bin(BinOp::Umin, items, full)
            }
            Q::NumSubGroups => self.count(Q::LocalSize),
            Q::EnqueuedNumSubGroups => self.count(Q::EnqueuedLocalSize),
            Q::SubGroupId if self.sub_group <= 1 => self.get(Q::LocalLinearId, 0),
            Q::SubGroupId => self.input32(ShaderInput::SubGroupId, 0),
            Q::SubGroupLocalId if self.sub_group <= 1 => self.b.i32(0),
            Q::SubGroupLocalId => self.input32(ShaderInput::SubGroupLocalId, 0),
        }
    }
    /// Work-items of a group, in 32 bits.
    fn items(&mut self, size: Q) -> Value {
        let mut product = self.b.i32(1);
        for dim in 0..3 {
            let n = self.get(size, dim);
            let n = self.b.cast(CastOp::Trunc, n, I32);
            product = if dim == 0 { n } else { self.b.imul(product, n) };
        }
        product
    }
    fn count(&mut self, size: Q) -> Value {
        let items = self.items(size);
        let (rest, full) =
            (self.b.i32(self.sub_group.max(1) as i32 - 1), self.b.i32(self.sub_group.max(1) as i32));
        let sum = self.b.iadd(items, rest);
        self.b.bin(BinOp::Udiv, sum, full)
    }
    /// Local id in a one-dimensional workgroup.
    fn position(&mut self, dim: u8) -> Value {
        let mut at = self.input32(ShaderInput::LocalIndex, 0);
        let size = |this: &mut Self, dim| {
            let n = this.get(Q::LocalSize, dim);
            this.b.cast(CastOp::Trunc, n, I32)
        };
        for lower in 0..dim {
            if self.reqd.is_none_or(|r| r[lower as usize] != 1) {
                let n = size(self, lower);
                at = self.b.bin(BinOp::Udiv, at, n);
            }
        }
        let last = dim == 2 || self.reqd.is_some_and(|r| r[dim as usize + 1..].iter().all(|n| *n == 1));
        if !last {
            let n = size(self, dim);
            at = self.b.bin(BinOp::Urem, at, n);
        }
        self.b.cast(CastOp::Zext, at, I64)
    }
    fn linear(
        &mut self,
        id: impl Fn(&mut Self, u8) -> Value,
        size: impl Fn(&mut Self, u8) -> Value,
    ) -> Value {
        let mut sum = id(self, 2);
        for d in [1, 0] {
            let s = size(self, d);
            let i = id(self, d);
            let scaled = self.b.imul(sum, s);
            sum = self.b.iadd(scaled, i);
        }
        sum
    }
}

/// Replaces every [`Op::WorkItem`]. `uniform`: all groups of a launch have one size; `sub_group` is
/// [`crate::abi::LaunchAbi::sub_group_size`].
fn run(func: &mut Function, info: &KernelInfo, uniform: bool, sub_group: u32) -> bool {
    rewrite_insts(func, |b, inst| {
        let Op::WorkItem { query, dim } = b.func.insts[inst].op else { return Rewrite::Keep };
        let result = b.func.insts[inst].results[0];
        let value = Queries { b, reqd: info.reqd_work_group_size, uniform, sub_group }.get(query, dim);
        Rewrite::Replace(match (b.ty(value), b.ty(result)) {
            (I64, I32) => b.cast(CastOp::Trunc, value, I32),
            (I32, I64) => b.cast(CastOp::Zext, value, I64),
            _ => value,
        })
    })
}
