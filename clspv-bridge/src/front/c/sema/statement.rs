//! Checks of statements: labels, loops, switches, returns.

use super::constant::Constant;
use super::convert::Context;
use super::{Body, LabelState, Sema, Switch};
use crate::front::c::ast::*;
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::types::*;

impl Sema<'_> {
    /// The label of a name in the current body, which need not be defined yet.
    pub fn use_label(&mut self, name: Symbol, loc: Loc) -> LabelId {
        let Some(body) = self.bodies.last_mut() else { return LabelId(0) };
        let next = LabelId(body.labels.len() as u32);
        let id = *body.label_ids.entry(name).or_insert(next);
        if id == next {
            body.labels.push(LabelState { name, loc, is_defined: false });
        }
        id
    }

    /// Defines a label.
    pub fn define_label(&mut self, name: Symbol, loc: Loc) -> LabelId {
        let id = self.use_label(name, loc);
        let before =
            self.bodies.last_mut().and_then(|body| body.labels.get_mut(id.0 as usize)).map(|label| {
                let before = label.is_defined.then_some(label.loc);
                *label = LabelState { name, loc, is_defined: true };
                before
            });
        if let Some(Some(before)) = before {
            let text = format!("redefinition of label '{}'", self.text(name));
            self.error(loc, text);
            self.note(before, "previous definition is here");
        }
        id
    }

    /// Reports labels that are used and not defined. For bodies that end.
    pub fn check_labels(&mut self, body: &Body) {
        for label in body.labels.iter().filter(|label| !label.is_defined) {
            let text = format!("use of undeclared label '{}'", self.text(label.name));
            self.error(label.loc, text);
        }
    }

    /// Enters the body of a loop.
    pub fn enter_loop(&mut self) {
        if let Some(body) = self.bodies.last_mut() {
            body.loops += 1;
            body.breakables += 1;
        }
    }

    /// Leaves the body of a loop.
    pub fn leave_loop(&mut self) {
        if let Some(body) = self.bodies.last_mut() {
            body.loops = body.loops.saturating_sub(1);
            body.breakables = body.breakables.saturating_sub(1);
        }
    }

    /// Checks `break`.
    pub fn check_break(&mut self, loc: Loc) {
        if self.body().is_none_or(|body| body.breakables == 0) {
            self.error(loc, "'break' statement not in loop or switch statement");
        }
    }

    /// Checks `continue`.
    pub fn check_continue(&mut self, loc: Loc) {
        if self.body().is_none_or(|body| body.loops == 0) {
            self.error(loc, "'continue' statement not in loop statement");
        }
    }

    /// Enters a switch on an expression; returns its promoted value.
    pub fn enter_switch(&mut self, value: ExprId) -> ExprId {
        let value = self.value(value);
        let (ty, loc) = (self.ty(value), self.expr(value).loc);
        let arith = self.integer_of(ty);
        let (value, arith) = match arith {
            Some(arith) => {
                let promoted = promoted(arith);
                let target = scalar(promoted);
                let is_same = self.types.canonical(ty).ty == target;
                (if is_same { value } else { self.scalar_cast(value, target) }, Some(promoted))
            }
            None => {
                if !self.is_error(value) {
                    let text = format!(
                        "statement requires expression of integer type ({} invalid)",
                        self.quoted(ty)
                    );
                    self.error(loc, text);
                }
                (value, None)
            }
        };
        let switch = Switch { arith, values: Default::default(), ranges: Vec::new(), default: None };
        if let Some(body) = self.bodies.last_mut() {
            body.switches.push(switch);
            body.breakables += 1;
        }
        value
    }

    /// Leaves a switch.
    pub fn leave_switch(&mut self) {
        if let Some(body) = self.bodies.last_mut() {
            body.switches.pop();
            body.breakables = body.breakables.saturating_sub(1);
        }
    }

    fn integer_of(&self, ty: QualTy) -> Option<Arith> {
        match self.types.resolved(ty.ty) {
            TypeKind::Arith(arith) if arith.is_int() => Some(*arith),
            TypeKind::Enum(id) => self.types.enums.get(id.0 as usize).map(|data| data.underlying),
            _ => None,
        }
    }

    /// Checks `case low:` or `case low ... high:`; returns the values as bits of the promoted type.
    pub fn check_case(&mut self, low: ExprId, high: Option<ExprId>, loc: Loc) -> Option<(u64, u64)> {
        let is_inside = self.body().is_some_and(|body| !body.switches.is_empty());
        if !is_inside {
            self.error(loc, "'case' statement not in switch statement");
            return None;
        }
        let first = self.case_value(low)?;
        let last = match high {
            Some(high) => self.case_value(high)?,
            None => first,
        };
        if last.signed() < first.signed() {
            let at = self.expr(low).loc;
            self.warning("", at, "empty case range specified");
            return None;
        }
        let switch = self.bodies.last_mut().and_then(|body| body.switches.last_mut())?;
        let (a, b) = (first.signed(), last.signed());
        let in_range = switch.ranges.iter().any(|(low, high)| a <= *high && *low <= b);
        let is_duplicate = if a == b {
            !switch.values.insert(first.bits) || in_range
        } else {
            switch.ranges.push((a, b));
            let is_inside = |bits: &u64| {
                let value = Constant { bits: *bits, ..first }.signed();
                a <= value && value <= b
            };
            in_range || switch.values.iter().any(is_inside)
        };
        if is_duplicate {
            let at = self.expr(low).loc;
            self.error(at, format!("duplicate case value '{a}'"));
        }
        Some((first.bits, last.bits))
    }

    /// Value of a case in the type of the switch.
    fn case_value(&mut self, expr: ExprId) -> Option<Constant> {
        let arith = self.body()?.switches.last()?.arith;
        let Some(value) = self.constant_int(expr) else {
            self.report_not_constant(expr, self.begin(expr));
            return None;
        };
        let converted = Constant::wrapped(value.bits, arith?);
        if converted.signed() != value.signed() {
            let loc = self.expr(expr).loc;
            let text = format!(
                "overflow converting case value to switch condition type ({} to {})",
                value.signed(),
                converted.signed()
            );
            self.warning("switch", loc, text);
        }
        Some(converted)
    }

    /// Checks `default:`.
    pub fn check_default(&mut self, loc: Loc) {
        let Some(switch) = self.bodies.last_mut().and_then(|body| body.switches.last_mut()) else {
            self.error(loc, "'default' statement not in switch statement");
            return;
        };
        if let Some(before) = switch.default.replace(loc) {
            self.error(loc, "multiple default labels in one switch");
            self.note(before, "previous case defined here");
        }
    }

    /// Checks `return`; returns the value converted to the result's type.
    pub fn check_return(&mut self, value: Option<ExprId>, loc: Loc) -> Option<ExprId> {
        let Some(body) = self.bodies.last() else { return value };
        let (result, function) = (body.result, body.function);
        let Some(result) = result else { return self.deduced_return(value) };
        if body.is_deduced
            && let Some(value) = value
            && !self.is_error(value)
        {
            let value = self.value(value);
            if !self.same_type(self.ty(value), result) && !self.is_error(value) {
                let (own, first) = (self.quoted_of(value), self.quoted(result));
                let text = format!(
                    "return type {own} must match previous return type {first} when block literal has unspecified \
                     explicit return type"
                );
                self.error(loc, text);
                return Some(value);
            }
            return Some(value);
        }
        let kind = self.types.resolved(result.ty);
        let (is_void, is_error) = (kind == &TypeKind::Void, kind == &TypeKind::Error);
        match value {
            None if is_void || is_error => None,
            None => {
                let what = self.body_name(function);
                self.session.diagnostics.default_error(
                    "return-mismatch",
                    loc,
                    format!("non-void {what} should return a value"),
                );
                None
            }
            Some(value) if is_void => {
                let value = self.value(value);
                if !self.is_error(value) && self.types.resolved(self.ty(value).ty) != &TypeKind::Void {
                    let what = self.body_name(function);
                    self.session.diagnostics.default_error(
                        "return-mismatch",
                        loc,
                        format!("void {what} should not return a value"),
                    );
                }
                Some(value)
            }
            Some(value) => Some(self.convert(value, result, Context::Return)),
        }
    }

    /// A function with its name, or a block, for diagnostics.
    fn body_name(&self, function: Option<FuncId>) -> String {
        match function.and_then(|id| self.function(id)) {
            Some(function) => format!("function '{}'", self.text(function.name)),
            None => "block".to_owned(),
        }
    }

    /// A `return` of a block without a written result type: the first one decides it.
    fn deduced_return(&mut self, value: Option<ExprId>) -> Option<ExprId> {
        let value = value.map(|value| self.value(value));
        let ty = value.map_or(QualTy::plain(VOID), |value| QualTy::plain(self.ty(value).ty));
        if let Some(body) = self.bodies.last_mut() {
            body.result = Some(ty);
            body.is_deduced = true;
        }
        value
    }

    /// Warns about the left operand of a comma that has no effect.
    pub fn check_unused_left(&mut self, expr: ExprId) {
        if let Some((group, loc, _)) = self.unused(expr) {
            self.warning(group, loc, "left operand of comma operator has no effect");
            self.underline_expr(expr);
        }
    }

    /// Converts the condition of a statement to a truth value.
    pub fn statement_condition(&mut self, expr: ExprId) -> ExprId {
        self.check_condition(expr);
        self.to_bool(expr)
    }

    /// Warns about an assignment as the condition of a statement, where a comparison may have been meant.
    /// Parentheses around it silence the warning.
    fn check_condition(&mut self, expr: ExprId) {
        let (target, comparison) = match self.expr(expr).kind {
            ExprKind::Assign { target, .. } => {
                (target, "use '==' to turn this assignment into an equality comparison")
            }
            ExprKind::CompoundAssign { op: BinaryOp::Or, target, .. } => {
                (target, "use '!=' to turn this compound assignment into an inequality comparison")
            }
            _ => return,
        };
        let (begin, loc) = (self.range(expr).0, self.expr(expr).loc);
        if begin != self.begin(target) {
            return;
        }
        self.warning(
            "parentheses",
            loc,
            "using the result of an assignment as a condition without parentheses",
        );
        self.underline_expr(expr);
        self.note(loc, "place parentheses around the assignment to silence this warning");
        self.note(loc, comparison);
    }

    /// Warns about an expression statement without effect.
    pub fn check_unused(&mut self, expr: ExprId) {
        if let Some((group, loc, text)) = self.unused(expr) {
            self.warning(group, loc, text);
        }
    }

    /// Warning about an expression whose value is not used: group, location and text. `None` if evaluating it
    /// may have an effect.
    fn unused(&self, expr: ExprId) -> Option<(&'static str, Loc, &'static str)> {
        let mut at = expr;
        // Conversions do not count.
        for _ in 0..64 {
            match self.expr(at).kind {
                ExprKind::Cast(CastKind::Void, _) => return None,
                ExprKind::Cast(_, x) => at = x,
                _ => break,
            }
        }
        let found = self.expr(at);
        let loc = found.loc;
        const COMPARISON: &str = "unused-comparison";
        let (group, text) = match found.kind {
            ExprKind::Compare(CompareOp::Eq, ..) => (COMPARISON, "equality comparison result unused"),
            ExprKind::Compare(CompareOp::Ne, ..) => (COMPARISON, "inequality comparison result unused"),
            ExprKind::Compare(..) => (COMPARISON, "relational comparison result unused"),
            ExprKind::Binary(..)
            | ExprKind::PointerAdd(..)
            | ExprKind::PointerSub(..)
            | ExprKind::PointerDiff(..)
            | ExprKind::Var(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Plus(_)
            | ExprKind::Neg(_)
            | ExprKind::BitNot(_)
            | ExprKind::Not(_)
            | ExprKind::AddrOf(_)
            | ExprKind::Swizzle { .. }
            | ExprKind::VectorLiteral(_) => ("unused-value", "expression result unused"),
            _ => return None,
        };
        let is_volatile = self.types.canonical(self.ty(at)).quals.is_volatile;
        // Macros often expand to a value that need not be used.
        (!is_volatile && loc.expansion.0 == 0).then_some((group, loc, text))
    }
}

/// Type after the integer promotions.
fn promoted(arith: Arith) -> Arith {
    if arith.bytes() < 4 { Arith::Int } else { arith }
}
