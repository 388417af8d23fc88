//! Statements: assignments, loops, branches, calls, and exchanges between work-items.

use super::super::tree::Stmt;
use super::types::{Expr, Numeric, PRIMARY, Range, Scalar, Space, Ty, Variable};
use super::{Function, GROUP, Gen};

impl Gen<'_> {
    /// A list of statements with a scope of its own, after which its variables are mixed into `h`.
    pub fn scoped(&mut self, most: usize, variables: Vec<Variable>) -> Vec<Stmt> {
        self.scopes.push(variables);
        self.scopes.push(Vec::new());
        let mut body: Vec<Stmt> = (0..1 + self.random.below(most)).map(|_| self.statement()).collect();
        let own = self.scopes.pop().unwrap_or_default();
        self.scopes.pop();
        for variable in own {
            self.mix(&variable.name, &variable.ty, &mut body);
        }
        body
    }

    /// A statement of any kind.
    pub fn statement(&mut self) -> Stmt {
        self.budget = self.budget.saturating_sub(1);
        if self.random.chance(25) {
            return self.declaration();
        }
        if self.depth >= 3 || self.budget == 0 || self.random.chance(60) {
            return self.simple();
        }
        self.depth += 1;
        let (in_loop, in_switch) = (self.in_loop, self.in_switch);
        let stmt = match self.random.below(8) {
            0 | 1 => self.branch(),
            2 | 3 => self.counted_loop(),
            4 => self.while_loop(),
            5 => self.conditional_text(),
            6 => Stmt::block("{", self.scoped(3, Vec::new())),
            _ => self.switch(),
        };
        (self.in_loop, self.in_switch) = (in_loop, in_switch);
        self.depth -= 1;
        stmt
    }

    /// A statement without statements in it.
    fn simple(&mut self) -> Stmt {
        if (self.in_loop || self.in_switch) && self.random.chance(6) {
            let word = if self.in_loop { ["break", "continue"][self.random.below(2)] } else { "break" };
            return Stmt::line(format!("if ({}) {word};", self.scalar(1).text));
        }
        if self.result.is_some() && self.random.chance(5) {
            let condition = self.scalar(1).text;
            return Stmt::line(format!("if ({condition}) {}", self.return_early()));
        }
        let done = match self.random.below(14) {
            0..=2 => self.assignment(),
            3..=5 => self.compound(),
            6 => self.step(),
            7 => self.vector_assignment(),
            8 | 9 => self.component_assignment(),
            10 => self.record_assignment(),
            11 => self.store(),
            12 => self.call_statement(),
            _ => self.atomic(),
        };
        Stmt::line(done.or_else(|| self.assignment()).unwrap_or_else(|| "n += 1;".into()))
    }

    /// A return from the middle of a function.
    fn return_early(&mut self) -> String {
        match self.result.clone() {
            Some(Ty::Number(ty)) if ty.lanes == 1 => {
                let e = self.assignable(ty.scalar, 1);
                format!("return {};", e.text)
            }
            Some(Ty::Number(ty)) => format!("return {};", self.stored_vector(ty, 1)),
            Some(Ty::Record(r)) => format!("return {};", self.record_value(r, 1)),
            _ => "return;".into(),
        }
    }

    fn assignment(&mut self) -> Option<String> {
        let part = self.scalar_part(true, 2)?;
        let value = self.assignable(part.ty.scalar, 3);
        if self.random.chance(15) {
            // Two variables at once.
            let is_float = part.ty.scalar.is_float();
            let (outer, inner) = (self.simple_variable(is_float)?, self.simple_variable(is_float)?);
            if outer.0 != inner.0 {
                let value = self.fit(value, inner.1);
                return Some(format!("{} = {} = {};", outer.0, inner.0, value.at(1)));
            }
        }
        Some(format!("{} = {};", part.text, value.text))
    }

    /// A scalar variable and its type; of a floating-point type only if all are.
    fn simple_variable(&mut self, is_float: bool) -> Option<(String, Scalar)> {
        let found: Vec<(String, Scalar)> = self
            .visible()
            .into_iter()
            .filter(|v| v.writable)
            .filter_map(|v| match v.ty {
                Ty::Number(n) if n.lanes == 1 && n.scalar.is_float() == is_float => Some((v.name, n.scalar)),
                _ => None,
            })
            .collect();
        if found.is_empty() { None } else { Some(found[self.random.below(found.len())].clone()) }
    }

    /// A compound assignment to an integer.
    fn compound(&mut self) -> Option<String> {
        let part = self.scalar_part(true, 2)?;
        if part.ty.scalar.is_float() || part.ty.scalar == Scalar::Bool {
            return None;
        }
        let to = part.promoted();
        let op = ["+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"][self.random.below(10)];
        let value = match op {
            "+" | "-" | "*" => {
                let e = self.integer(2);
                let ty = to.common(e.promoted());
                let (a, b) = (ty.converted(part.range), ty.converted(e.range));
                let range = a.corners(b, |x, y| if op == "*" { x.checked_mul(y) } else { Some(x + y) });
                let both = range.and_then(|r| a.corners(b, |x, y| Some(x - y)).map(|d| r.union(d)));
                let fits = both.is_some_and(|r| r.within(ty.range()));
                if fits || !ty.is_signed() { e } else { self.cast(e, ty.integer(false)) }
            }
            "/" | "%" => {
                let (literal, suffix) = (1 + self.random.below(99), ["", "u", "L"][self.random.below(3)]);
                Expr::any(format!("{literal}{suffix}"), Scalar::Int, PRIMARY)
            }
            "<<" if to.is_signed() => return None,
            "<<" | ">>" => {
                let e = self.integer(1);
                self.limit(e, i128::from(to.bits()) - 1)
            }
            _ => self.integer(3),
        };
        Some(format!("{} {op}= {};", part.text, value.text))
    }

    /// An increment or decrement, alone or as the value of an assignment.
    fn step(&mut self) -> Option<String> {
        let (name, ty) = self.simple_variable(false)?;
        if ty == Scalar::Bool || (ty.is_signed() && ty.bits() >= 32) {
            return None;
        }
        let op = ["++", "--"][self.random.below(2)];
        let text = if self.random.chance(50) { format!("{name}{op}") } else { format!("{op}{name}") };
        let target = self.simple_variable(false).filter(|(target, _)| *target != name);
        Some(match target {
            Some((target, _)) if self.random.chance(60) => format!("{target} = {text};"),
            _ => format!("{text};"),
        })
    }

    fn vector_assignment(&mut self) -> Option<String> {
        let part = self.vector_part(None, true, 2)?;
        let ty = part.ty;
        if !ty.scalar.is_float() && self.random.chance(40) {
            let op = self.vector_operator(ty);
            let value = self.vector(ty, 2);
            return Some(format!("{} {op}= {};", part.text, value.text));
        }
        Some(format!("{} = {};", part.text, self.stored_vector(ty, 3)))
    }

    /// An operator that is defined for all components.
    fn vector_operator(&mut self, ty: Numeric) -> &'static str {
        let signed = ["&", "|", "^", ">>"];
        let unsigned = ["&", "|", "^", ">>", "<<", "+", "-", "*"];
        if ty.scalar.is_signed() { signed[self.random.below(4)] } else { unsigned[self.random.below(8)] }
    }

    /// An assignment to some components of a vector.
    fn component_assignment(&mut self) -> Option<String> {
        let part = self.vector_part(None, true, 1)?;
        let (names, count) = self.targets(part.ty.lanes);
        let ty = Numeric { lanes: count, ..part.ty };
        let op = match self.random.below(3) {
            0 if !ty.scalar.is_float() => self.vector_operator(ty),
            _ => "",
        };
        let value = if count == 1 {
            return None;
        } else if self.random.chance(15) {
            self.of(ty.scalar, 1).at(1)
        } else {
            self.stored_vector(ty, 2)
        };
        let value = if ty.scalar.is_float() { self.stored_vector(ty, 1) } else { value };
        Some(format!("{}.{names} {op}= {value};", part.at(PRIMARY)))
    }

    fn record_assignment(&mut self) -> Option<String> {
        if self.records.is_empty() {
            return None;
        }
        let record = self.random.below(self.records.len());
        let part = self.record_part(record, true, 1)?;
        Some(format!("{part} = {};", self.record_value(record, 1)))
    }

    /// A store of a vector into an array.
    fn store(&mut self) -> Option<String> {
        let ty = self.vector_type();
        let fits = |space, writable| writable && space != Space::Constant;
        let (name, length) = self.array_of(&Ty::Number(ty.scalar.into()), ty.lanes, &fits)?;
        let index = self.index(length / ty.lanes.next_power_of_two(), 1);
        Some(format!("vstore{}({}, {}, {name});", ty.lanes, self.stored_vector(ty, 2), index.text))
    }

    /// A call of a function of the program for what it writes, and possibly for its result.
    fn call_statement(&mut self) -> Option<String> {
        let found: Vec<Function> = self.functions.iter().filter(|f| !f.is_pure()).cloned().collect();
        if found.is_empty() || self.calls == 0 {
            return None;
        }
        let function = &found[self.random.below(found.len())];
        let text = self.call(function, 1)?;
        self.calls -= 1;
        match &function.result {
            // The target is not memory that the function could write.
            Some(Ty::Number(n)) if n.lanes == 1 => {
                let (name, ty) = self.simple_variable(n.scalar.is_float())?;
                let e = Expr::new(text, *n, n.scalar.stored(), PRIMARY);
                Some(format!("{name} = {};", self.fit(e, ty).text))
            }
            _ => Some(format!("{text};")),
        }
    }

    /// An atomic operation on memory that no other work-item uses.
    fn atomic(&mut self) -> Option<String> {
        let element = Scalar::UInt;
        let fits = |space, writable| writable && matches!(space, Space::Local | Space::Global);
        let (name, length) = self.array_of(&Ty::Number(element.into()), 1, &fits)?;
        let index = self.index(length, 1);
        let value = self.of(element, 1);
        let f = ["add", "sub", "xchg", "min", "max", "and", "or", "xor", "inc", "dec", "cmpxchg"]
            [self.random.below(11)];
        let more = match f {
            "inc" | "dec" => String::new(),
            "cmpxchg" => format!(", {}, {}", self.of(element, 0).text, value.text),
            _ => format!(", {}", value.text),
        };
        let (target, _) = self.simple_variable(false)?;
        Some(format!("{target} = atomic_{f}(&{name}[{}]{more});", index.text))
    }

    fn branch(&mut self) -> Stmt {
        let head = format!("if ({}) {{", self.scalar(2).text);
        let body = self.scoped(4, Vec::new());
        if self.random.chance(50) {
            return Stmt::block(head, body);
        }
        let other = Stmt::block("else {", self.scoped(3, Vec::new()));
        Stmt::block("{", vec![Stmt::block(head, body), other])
    }

    /// A loop with a counter that nothing else writes.
    fn counted_loop(&mut self) -> Stmt {
        self.names += 1;
        let name = format!("i{}", self.names);
        let ty = self.number_type();
        let ty = if ty == Scalar::Bool || ty.is_float() { Scalar::Int } else { ty };
        let bound = 1 + self.random.below(6);
        let condition = match self.random.below(3) {
            0 => format!(" && ({})", self.scalar(1).text),
            _ => String::new(),
        };
        let head = match self.random.below(4) {
            0 => format!("for ({} {name} = 0; {name} < {bound}{condition}; ++{name}) {{", ty.name()),
            1 => format!("for ({} {name} = {bound}; {name} > 0{condition}; {name}--) {{", ty.name()),
            2 => format!(
                "for ({} {name} = 0, e{name} = {bound}; {name} != e{name}; {name} += 1) {{",
                ty.name()
            ),
            _ => format!("for ({} {name} = 0; {name} <= {bound}{condition}; {name}++) {{", ty.name()),
        };
        let range = Some(Range::new(0, bound as i128 + 1));
        (self.in_loop, self.in_switch) = (true, false);
        let counter = Variable { name, ty: Ty::Number(ty.into()), writable: false, range };
        Stmt::block(head, self.scoped(4, vec![counter]))
    }

    fn while_loop(&mut self) -> Stmt {
        self.names += 1;
        let name = format!("w{}", self.names);
        let condition = self.scalar(1).text;
        let bound = 1 + self.random.below(4);
        let range = Some(Range::new(-1, bound as i128));
        let counter =
            Variable { name: name.clone(), ty: Ty::Number(Scalar::Int.into()), writable: false, range };
        (self.in_loop, self.in_switch) = (true, false);
        if self.random.chance(50) {
            let body = self.scoped(3, vec![counter]);
            let head = format!("while ({name}-- > 0 && ({condition})) {{");
            let declared = Stmt::line(format!("int {name} = {bound};"));
            return Stmt::block("{", vec![declared, Stmt::block(head, body)]);
        }
        let body = self.scoped(3, vec![counter]);
        let head = format!("{{ int {name} = 0; do {{");
        Stmt::Block { head, body, tail: format!("}} while (++{name} < {bound} && ({condition})); }}") }
    }

    /// Statements that the preprocessor keeps or removes.
    fn conditional_text(&mut self) -> Stmt {
        let condition = self.preprocessed(3).text;
        let kept = Stmt::Block { head: "{".into(), body: self.scoped(2, Vec::new()), tail: "}".into() };
        let other = Stmt::Block { head: "{".into(), body: self.scoped(2, Vec::new()), tail: "}".into() };
        let body = vec![kept, Stmt::line("#else"), other];
        Stmt::Block { head: format!("#if {condition}"), body, tail: "#endif".into() }
    }

    /// A switch. Cases fall through, and the default may be anywhere.
    fn switch(&mut self) -> Stmt {
        let e = self.integer(2);
        let e = if self.random.chance(70) { self.limit(e, 7) } else { e };
        let mut body = Vec::new();
        let default = self.random.below(5);
        for case in 0..2 + self.random.below(4) {
            let label = match self.random.below(4) {
                _ if case == default => "default:".to_owned(),
                0 => format!("case {case} + 0:"),
                1 => format!("case '\\{case}':"),
                2 if case > 2 => format!("case {case}: case -{case}:"),
                _ => format!("case {case}:"),
            };
            self.in_switch = true;
            let in_loop = std::mem::replace(&mut self.in_loop, false);
            let inner = self.scoped(3, Vec::new());
            self.in_loop = in_loop;
            let tail = if self.random.chance(65) { "} break;" } else { "}" };
            body.push(Stmt::Block { head: format!("{label} {{"), body: inner, tail: tail.into() });
        }
        Stmt::block(format!("switch ({}) {{", e.text), body)
    }

    /// A statement of the kernel that all work-items of a group execute together.
    pub fn together(&mut self) -> Vec<Stmt> {
        let barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
        let (name, ty) = self.shared[self.random.below(self.shared.len())].clone();
        let by = 1 + self.random.below(GROUP - 1);
        let mut out = Vec::new();
        let line = |text: String| Stmt::line(text);
        match &ty {
            Ty::Number(n) if n.lanes == 1 => {
                let value = self.assignable(n.scalar, 2).text;
                out.push(line(format!("{name}[lid] = {value}; {barrier} h = h * 31 + (ulong){name}[(lid + {by}) % {GROUP}]; {barrier}")));
            }
            Ty::Number(n) => {
                let value = self.stored_vector(*n, 2);
                out.push(line(format!("{name}[lid] = {value}; {barrier} {{ {n} s = {name}[lid ^ 1];")));
                self.mix("s", &ty, &mut out);
                out.push(line(format!("}} {barrier}")));
            }
            Ty::Record(r) => {
                let (value, record) = (self.record_value(*r, 1), self.records[*r].name.clone());
                out.push(line(format!(
                    "{name}[lid] = {value}; {barrier} {{ {record} s = {name}[(lid + {by}) % {GROUP}];"
                )));
                self.mix("s", &ty, &mut out);
                out.push(line(format!("}} {barrier}")));
            }
            _ => {}
        }
        if self.random.chance(40) {
            let f = ["add", "xor", "max", "min", "or", "and"][self.random.below(6)];
            let value = self.of(Scalar::UInt, 2).text;
            out.push(line(format!(
                "if (lid == 0) sum = 9; {barrier} atomic_{f}(&sum, {value}); {barrier} h = h * 31 + sum; {barrier}"
            )));
        }
        let head = match self.random.chance(30) {
            true => format!("for (int r = 0; r < {}; r++) {{", 1 + self.random.below(3)),
            false => "{".into(),
        };
        vec![Stmt::block(head, out)]
    }
}
