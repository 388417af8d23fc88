//! Whether control can reach the end of a function's body, for the warning about a missing `return`.
//!
//! Conditions count as known only if they are constants; code after a label counts as reachable.

use super::Sema;
use crate::front::c::ast::*;

impl Sema<'_> {
    /// Whether control may pass the end of a statement.
    pub(super) fn falls_through(&self, id: StmtId) -> bool {
        let Some(stmt) = self.unit.stmts.get(id.0 as usize) else { return true };
        match &stmt.kind {
            StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => false,
            StmtKind::Empty | StmtKind::Expr(_) | StmtKind::Decl(_) => true,
            StmtKind::Compound(list) => self.list_falls_through(list),
            StmtKind::If { cond, then, otherwise } => {
                let known = self.constant_truth(*cond);
                known != Some(false) && self.falls_through(*then)
                    || known != Some(true) && otherwise.is_none_or(|s| self.falls_through(s))
            }
            StmtKind::While { cond, body, .. } => {
                self.constant_truth(*cond) != Some(true) || self.has_break(*body)
            }
            StmtKind::For { cond, body, .. } => {
                cond.is_some_and(|cond| self.constant_truth(cond) != Some(true)) || self.has_break(*body)
            }
            StmtKind::DoWhile { body, cond, .. } => {
                self.has_break(*body)
                    || self.constant_truth(*cond) != Some(true)
                        && (self.falls_through(*body) || self.has_jump(*body, &StmtKind::Continue))
            }
            StmtKind::Switch { body, .. } => {
                !self.has_default(*body) || self.has_break(*body) || self.falls_through(*body)
            }
            StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Label { body, .. } => {
                self.falls_through(*body)
            }
        }
    }

    fn list_falls_through(&self, list: &[StmtId]) -> bool {
        let mut reaches = true;
        for id in list {
            let is_label = self.unit.stmts.get(id.0 as usize).is_some_and(|stmt| {
                matches!(stmt.kind, StmtKind::Case { .. } | StmtKind::Default(_) | StmtKind::Label { .. })
            });
            if reaches || is_label {
                reaches = self.falls_through(*id);
            }
        }
        reaches
    }

    fn has_break(&self, body: StmtId) -> bool {
        self.has_jump(body, &StmtKind::Break)
    }

    /// Whether a `break` or `continue` leaves this statement, the body of a loop or switch.
    fn has_jump(&self, id: StmtId, jump: &StmtKind) -> bool {
        let Some(stmt) = self.unit.stmts.get(id.0 as usize) else { return false };
        let is_break = matches!(jump, StmtKind::Break);
        match &stmt.kind {
            StmtKind::Break => is_break,
            StmtKind::Continue => !is_break,
            StmtKind::Compound(list) => list.iter().any(|s| self.has_jump(*s, jump)),
            StmtKind::If { then, otherwise, .. } => {
                self.has_jump(*then, jump) || otherwise.is_some_and(|s| self.has_jump(s, jump))
            }
            StmtKind::Switch { body, .. } => !is_break && self.has_jump(*body, jump),
            StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Label { body, .. } => {
                self.has_jump(*body, jump)
            }
            _ => false,
        }
    }

    /// Whether a switch has a `default` of its own.
    fn has_default(&self, id: StmtId) -> bool {
        let Some(stmt) = self.unit.stmts.get(id.0 as usize) else { return false };
        match &stmt.kind {
            StmtKind::Default(_) => true,
            StmtKind::Compound(list) => list.iter().any(|s| self.has_default(*s)),
            StmtKind::If { then, otherwise, .. } => {
                self.has_default(*then) || otherwise.is_some_and(|s| self.has_default(s))
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } | StmtKind::DoWhile { body, .. } => {
                self.has_default(*body)
            }
            StmtKind::Case { body, .. } | StmtKind::Label { body, .. } => self.has_default(*body),
            _ => false,
        }
    }
}
