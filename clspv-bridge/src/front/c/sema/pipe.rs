//! Calls of pipe functions: what is wrong with their arguments (OpenCL C, section 6.15.17).

use super::Sema;
use super::call::Callee;
use super::class::Class;
use crate::front::c::ast::ExprId;
use crate::front::c::builtins::BuiltinExpansion;
use crate::front::c::builtins::row::{Domain, Row};
use crate::front::c::builtins::table::{row, rows_of};
use crate::front::c::types::{AccessMode, QualTy, TypeKind};

impl Sema<'_> {
    /// Reports what is wrong with a call of a pipe function. Returns false for other functions and calls.
    pub(super) fn refuse_pipe_call(&mut self, name: &str, callee: Callee, args: &[ExprId]) -> bool {
        let rows = || rows_of(name).iter().filter_map(|id| row(*id));
        let pipes = || {
            rows().filter_map(|row| if let Domain::Pipe(access) = row.domain { Some(access) } else { None })
        };
        let is_pipe_function = rows().any(|row| matches!(row.lowering, BuiltinExpansion::Pipe(_)));
        let Some(wanted) = pipes().next().filter(|_| is_pipe_function) else { return false };
        let count = args.len();
        let takes = |row: &&Row| row.signature.split(' ').count() == count + 1;
        if !rows().any(|row| takes(&row)) {
            self.error(callee.loc, format!("invalid number of arguments to function: '{name}'"));
            return true;
        }
        let Some(pipe) = args.first().copied() else { return false };
        let TypeKind::Pipe(packet, access) = *self.types.kind(self.canonical_ty(pipe).ty) else {
            self.error(callee.loc, format!("first argument to '{name}' must be a pipe type"));
            return true;
        };
        if !pipes().any(|known| known == access) {
            let word = if wanted == AccessMode::WriteOnly { "write_only" } else { "read_only" };
            self.error_at(pipe, format!("invalid pipe access modifier (expecting {word})"));
            return true;
        }
        // The packet is the last argument of reads and writes.
        let Some(pointer) = args.get(1..).and_then(<[ExprId]>::last).copied() else { return false };
        if !matches!(name, "read_pipe" | "write_pipe") {
            return false;
        }
        let is_packet = match self.class_of(pointer) {
            Class::Pointer(to) | Class::Array(to) => self.is_same(to.ty, packet),
            _ => false,
        };
        if !is_packet && !self.is_error(pointer) {
            let packet = self.quoted(QualTy::plain(packet));
            let packet = packet.trim_matches('\'').to_owned();
            let found = self.quoted_of(pointer);
            let text =
                format!("invalid argument type to function '{name}' (expecting '{packet} *' having {found})");
            self.error_at(pointer, text);
            return true;
        }
        false
    }
}
