//! Declarations: records with functions that hash them, tables at program scope, variables, initializers.

use super::super::tree::Stmt;
use super::Gen;
use super::types::{
    Expr, INTEGERS, Member, Numeric, PRIMARY, Range, RecordType, Scalar, Space, Ty, Variable,
};

impl Gen<'_> {
    /// Declares enumerators.
    pub fn enumeration(&mut self) -> Stmt {
        let (mut parts, mut next) = (Vec::new(), 0);
        for i in 0..2 + self.random.below(3) {
            let name = format!("E{i}_{}", self.id);
            if i == 0 || self.random.chance(50) {
                next = self.random.below(300) as i128 - 100;
                parts.push(format!("{name} = {next}"));
            } else {
                parts.push(name.clone());
            }
            self.enumerators.push((name, next));
            next += 1;
        }
        Stmt::line(format!("enum e_{} {{ {} }};", self.id, parts.join(", ")))
    }

    /// Declares a structure or union, and the function that hashes it.
    pub fn record(&mut self) -> Vec<Stmt> {
        let number = self.records.len();
        let is_union = self.random.chance(25);
        let members = if is_union { self.union_members() } else { self.struct_members() };
        let can_be_packed = !is_union && members.iter().all(|m| m.bits.is_none());
        let kind = if is_union { "union" } else { "struct" };
        let packed = if can_be_packed && self.random.chance(30) { " __attribute__((packed))" } else { "" };
        let name = format!("r{number}_{}", self.id);
        let declared = Stmt::Block {
            head: format!("typedef {kind}{packed} {name}_tag {{"),
            body: self.member_lines(&members),
            tail: format!("}} {name};"),
        };
        self.records.push(RecordType { name: name.clone(), is_union, members });
        // By value or by pointer.
        let by_pointer = self.random.chance(50);
        let (parameter, access) =
            if by_pointer { (format!("const {name} *p"), "(*p)") } else { (format!("{name} r"), "r") };
        let parameter = if by_pointer { format!("private {parameter}") } else { parameter };
        let mut body = Vec::new();
        let record = self.records[number].clone();
        // The members of a union share their bytes.
        let members = if is_union { &record.members[..1] } else { &record.members[..] };
        for member in members {
            self.mix(&format!("{access}.{}", member.name), &member.ty, &mut body);
        }
        body.push(Stmt::line("return h;"));
        self.hash_by_pointer.push(by_pointer);
        vec![declared, Stmt::block(format!("ulong hash_{name}(ulong h, {parameter}) {{"), body)]
    }

    /// Declarations of members. Bit-fields start at a multiple of their type.
    fn member_lines(&self, members: &[Member]) -> Vec<Stmt> {
        let (mut lines, mut is_second) = (Vec::new(), false);
        for member in members {
            let declarator = self.declarator(&member.ty, &member.name);
            let Some(bits) = member.bits else {
                lines.push(Stmt::line(format!("{declarator};")));
                continue;
            };
            if !is_second {
                lines.push(Stmt::line(format!("{};", self.declarator(&member.ty, ": 0"))));
            }
            lines.push(Stmt::line(format!("{declarator} : {bits};")));
            is_second = !is_second;
        }
        lines
    }

    /// Members of a structure. Bit-fields come in pairs that fill an integer of their type: clang's SPIR-V
    /// back end writes integers of 24, 40, 48 and 56 bits, which hold others, with stores of the next larger
    /// size.
    fn struct_members(&mut self) -> Vec<Member> {
        let count = 2 + self.random.below(5);
        let mut members = Vec::new();
        while members.len() < count {
            let name = |n: usize| format!("m{n}");
            let next = members.len();
            if !self.random.chance(15) {
                members.push(Member { name: name(next), ty: self.member_type(), bits: None });
                continue;
            }
            let scalar = INTEGERS[self.random.below(8)];
            let bits = 1 + self.random.below(scalar.bits() as usize - 1) as u32;
            for (i, bits) in [bits, scalar.bits() - bits].into_iter().enumerate() {
                members.push(Member {
                    name: name(next + i),
                    ty: Ty::Number(scalar.into()),
                    bits: Some(bits),
                });
            }
        }
        members
    }

    fn member_type(&mut self) -> Ty {
        match self.random.below(10) {
            0..=3 => Ty::Number(self.number_type().into()),
            4 | 5 => Ty::Number(self.vector_type()),
            6 | 7 if !self.records.is_empty() => Ty::Record(self.random.below(self.records.len())),
            8 => Ty::Array(Box::new(Ty::Number(self.vector_type())), 2),
            _ => Ty::Array(Box::new(Ty::Number(self.number_type().into())), 4),
        }
    }

    /// Members of a union: integers and vectors of eight bytes together.
    fn union_members(&mut self) -> Vec<Member> {
        let number = |scalar, lanes| Ty::Number(Numeric { scalar, lanes });
        let array = |scalar, length| Ty::Array(Box::new(number(scalar, 1)), length);
        let all = [
            number(Scalar::ULong, 1),
            number(Scalar::Long, 1),
            number(Scalar::UInt, 2),
            number(Scalar::Short, 4),
            number(Scalar::UChar, 8),
            array(Scalar::Int, 2),
            array(Scalar::UShort, 4),
            array(Scalar::Char, 8),
        ];
        let first = self.random.below(8);
        let count = 2 + self.random.below(3);
        (0..count)
            .map(|i| Member { name: format!("m{i}"), ty: all[(first + 3 * i) % 8].clone(), bits: None })
            .collect()
    }

    /// The declaration of a variable with a type.
    pub fn declarator(&self, ty: &Ty, name: &str) -> String {
        match ty {
            Ty::Number(n) => format!("{n} {name}"),
            Ty::Record(r) => format!("{} {name}", self.records[*r].name),
            Ty::Array(element, length) => self.declarator(element, &format!("{name}[{length}]")),
            Ty::Pointer(space, target, _) => {
                format!("{}{}", space.qualifier(), self.declarator(target, &format!("*{name}")))
            }
        }
    }

    /// Adds statements that mix a variable or a part of it into `h`.
    pub fn mix(&mut self, part: &str, ty: &Ty, out: &mut Vec<Stmt>) {
        match ty {
            Ty::Number(n) if n.lanes == 1 && n.scalar.is_float() => {
                out.push(Stmt::line(format!("h = h * 31 + (ulong)(long){part};")));
            }
            Ty::Number(n) if n.lanes == 1 => out.push(Stmt::line(format!("h = h * 31 + (ulong){part};"))),
            Ty::Number(n) => {
                let via = if n.scalar.is_float() { "(long)" } else { "" };
                let lanes = (0..n.lanes).map(|i| format!("(ulong){via}{part}.s{i:x} * {}", 2 * i + 1));
                out.push(Stmt::line(format!("h = h * 31 + {};", lanes.collect::<Vec<_>>().join(" + "))));
            }
            Ty::Record(r) => {
                let name = &self.records[*r].name;
                // A copy, because members of packed structures are not aligned.
                out.push(Stmt::line(match self.hash_by_pointer.get(*r) {
                    Some(true) => format!("{{ {name} c = {part}; h = hash_{name}(h, &c); }}"),
                    _ => format!("h = hash_{name}(h, {part});"),
                }));
            }
            Ty::Array(element, length) => {
                let mut body = Vec::new();
                self.names += 1;
                let i = format!("i{}", self.names);
                self.mix(&format!("{part}[{i}]"), element, &mut body);
                out.push(Stmt::block(format!("for (int {i} = 0; {i} < {length}; {i}++) {{"), body));
            }
            Ty::Pointer(_, target, _) if matches!(**target, Ty::Number(_)) => {
                self.mix(&format!("{part}[0]"), target, out);
            }
            Ty::Pointer(..) => {}
        }
    }

    /// Declares a table in constant memory.
    pub fn table(&mut self) -> Stmt {
        let element = match self.random.below(4) {
            0 => Ty::Number(self.vector_type()),
            1 if !self.records.is_empty() => Ty::Record(self.random.below(self.records.len())),
            _ => Ty::Number(self.number_type().into()),
        };
        let ty = Ty::Array(Box::new(element), [2, 4, 8][self.random.below(3)]);
        let name = format!("t{}_{}", self.scopes[0].len(), self.id);
        self.constant = true;
        let value = self.initializer(&ty, 2);
        self.constant = false;
        let text = format!("constant {} = {value};", self.declarator(&ty, &name));
        self.scopes[0].push(Variable { name, ty, writable: false, range: None });
        Stmt::line(text)
    }

    /// An initial value; braces around those of arrays and records.
    pub fn initializer(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Number(n) if n.lanes == 1 => self.assignable(n.scalar, depth).at(2),
            Ty::Number(n) if self.constant => self.constant_vector(*n),
            Ty::Number(n) => self.stored_vector(*n, depth),
            Ty::Array(element, length) => {
                let mut parts = Vec::new();
                let mut next = 0;
                while next < *length {
                    let value = self.initializer(element, depth.min(1));
                    if self.random.chance(15) {
                        let at = next + self.random.below(length - next);
                        parts.push(format!("[{at}] = {value}"));
                        next = at + 1;
                    } else {
                        parts.push(value);
                        next += 1;
                    }
                    if self.random.chance(8) {
                        break;
                    }
                }
                format!("{{ {} }}", parts.join(", "))
            }
            Ty::Record(r) => {
                let record = self.records[*r].clone();
                let designated = self.random.chance(30);
                let mut parts = Vec::new();
                let members = if record.is_union && designated {
                    let chosen = self.random.below(record.members.len());
                    &record.members[chosen..=chosen]
                } else if record.is_union {
                    &record.members[..1]
                } else {
                    &record.members[..]
                };
                for (i, member) in members.iter().enumerate() {
                    if designated && i > 0 && self.random.chance(25) {
                        continue;
                    }
                    let value = self.initializer(&member.ty, depth.min(1));
                    parts.push(if designated { format!(".{} = {value}", member.name) } else { value });
                }
                format!("{{ {} }}", parts.join(", "))
            }
            Ty::Pointer(..) => "0".into(),
        }
    }

    /// A vector literal of constant expressions.
    fn constant_vector(&mut self, ty: Numeric) -> String {
        let count = if self.random.chance(20) { 1 } else { ty.lanes };
        let parts: Vec<String> = (0..count).map(|_| self.assignable(ty.scalar, 1).at(2)).collect();
        format!("({ty})({})", parts.join(", "))
    }

    /// A value of a structure or union.
    pub fn record_value(&mut self, record: usize, depth: usize) -> String {
        let functions = self.functions.clone();
        let called = functions.iter().find(|f| f.is_pure() && f.result == Some(Ty::Record(record)));
        if let (Some(function), true, true) = (called, self.calls > 0, self.random.chance(30)) {
            self.calls -= 1;
            if let Some(text) = self.call(function, depth) {
                return text;
            }
        }
        if self.random.chance(70)
            && let Some(part) = self.record_part(record, false, 1)
        {
            return part;
        }
        let value = self.initializer(&Ty::Record(record), depth);
        format!("({}){value}", self.records[record].name)
    }

    /// A new name. Sometimes it hides a variable of the enclosing block, unless the initial value uses that.
    fn new_name(&mut self, value: &str) -> String {
        let depth = self.scopes.len();
        // A block has two scopes; parameters cannot be hidden by the variables of the function's own block.
        if depth > 4 && self.random.chance(10) {
            let (outer, own) = (&self.scopes[depth - 3], &self.scopes[depth - 1]);
            let free = |v: &&Variable| !value.contains(&v.name) && !own.iter().any(|o| o.name == v.name);
            if let Some(hidden) = outer.iter().find(free) {
                return hidden.name.clone();
            }
        }
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Declares a variable in the innermost scope.
    pub fn declaration(&mut self) -> Stmt {
        let ty = match self.random.below(14) {
            0..=4 => Ty::Number(self.number_type().into()),
            5 | 6 => Ty::Number(self.vector_type()),
            7 => Ty::Array(Box::new(Ty::Number(self.number_type().into())), [2, 4, 8][self.random.below(3)]),
            8 if !self.records.is_empty() => {
                Ty::Array(Box::new(Ty::Record(self.random.below(self.records.len()))), 2)
            }
            9 => Ty::Array(Box::new(Ty::Number(self.vector_type())), [2, 4][self.random.below(2)]),
            10 => return self.pointer().unwrap_or_else(|| self.declaration()),
            11 if !self.enumerators.is_empty() => return self.enumerated(),
            12 => return self.grid(),
            _ if !self.records.is_empty() => Ty::Record(self.random.below(self.records.len())),
            _ => Ty::Number(Scalar::UInt.into()),
        };
        self.variable(ty)
    }

    /// Declares a variable of a type with an initial value, rarely a constant one.
    pub fn variable(&mut self, ty: Ty) -> Stmt {
        let value = match ty {
            Ty::Record(r) if self.random.chance(40) => self.record_value(r, 1),
            _ => self.initializer(&ty, 2),
        };
        let name = self.new_name(&value);
        let is_number = matches!(ty, Ty::Number(_));
        let writable = !(is_number && self.random.chance(10));
        let qualifier = match writable {
            false => "const ",
            true => ["", "", "", "", "volatile ", "private "][self.random.below(6)],
        };
        let qualifier = if is_number { qualifier } else { "" };
        if qualifier == "volatile " {
            self.volatile.push(name.clone());
        }
        let text = format!("{qualifier}{} = {value};", self.declarator(&ty, &name));
        self.declare(Variable { name, ty, writable, range: None });
        Stmt::line(text)
    }

    /// Adds a variable to the innermost scope.
    pub fn declare(&mut self, variable: Variable) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(variable);
        }
    }

    /// Declares an array of arrays.
    fn grid(&mut self) -> Stmt {
        let row = Ty::Array(Box::new(Ty::Number(self.number_type().into())), 4);
        self.variable(Ty::Array(Box::new(row), 2))
    }

    /// Declares a variable of the enumeration.
    fn enumerated(&mut self) -> Stmt {
        let (first, _) = self.enumerators[self.random.below(self.enumerators.len())].clone();
        let (second, _) = self.enumerators[self.random.below(self.enumerators.len())].clone();
        let condition = self.integer(1);
        let name = self.new_name(&condition.text);
        let values = || self.enumerators.iter().map(|(_, value)| *value);
        let (lo, hi) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
        // Without negative values the type is unsigned.
        let scalar = if lo < 0 { Scalar::Int } else { Scalar::UInt };
        let text = format!("enum e_{} {name} = {} ? {first} : {second};", self.id, condition.at(3));
        let range = Some(Range::new(lo, hi));
        self.declare(Variable { name, ty: Ty::Number(scalar.into()), writable: false, range });
        Stmt::line(text)
    }

    /// Declares a pointer into an array, or to a variable.
    fn pointer(&mut self) -> Option<Stmt> {
        let variables = self.visible();
        let fits = |v: &&Variable| v.writable && !matches!(v.ty, Ty::Pointer(..));
        let found: Vec<&Variable> = variables.iter().filter(fits).collect();
        if found.is_empty() {
            return None;
        }
        let target = found[self.random.below(found.len())].clone();
        let space = if self.is_1_2() || self.random.chance(50) { Space::Private } else { Space::Generic };
        let (text, element, reach) = match &target.ty {
            Ty::Array(element, length) if *length >= 4 => {
                let half = length / 2;
                let index = self.index(half, 1);
                let text = match self.random.below(3) {
                    0 => format!("&{}[{}]", target.name, index.text),
                    1 => format!("{} + {}", target.name, index.at(12)),
                    _ => format!("{} + {}", index.at(11), target.name),
                };
                (text, (**element).clone(), half)
            }
            Ty::Array(element, length) => (target.name.clone(), (**element).clone(), *length),
            other => (format!("&{}", target.name), other.clone(), 1),
        };
        if matches!(element, Ty::Array(..)) || self.volatile.contains(&target.name) {
            return None;
        }
        let name = self.new_name(&text);
        let ty = Ty::Pointer(space, Box::new(element), reach);
        let text = format!("{} = {text};", self.declarator(&ty, &name));
        self.declare(Variable { name, ty, writable: true, range: None });
        Some(Stmt::line(text))
    }

    /// The literal 0 or an expression that a macro or a condition of the preprocessor has.
    pub fn preprocessed(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(15) {
            let value = self.random.below(1000) as i128;
            let suffix = ["", "", "u", "L", "UL"][self.random.below(5)];
            let text = match self.random.below(4) {
                0 => format!("0x{value:x}{suffix}"),
                1 => format!("defined(LARGER_{})", self.id),
                2 => "UNDEFINED_NAME".into(),
                _ => format!("{value}{suffix}"),
            };
            return Expr::any(text, Scalar::Long, PRIMARY);
        }
        let (l, r) = (self.preprocessed(depth - 1), self.preprocessed(depth - 1));
        match self.random.below(5) {
            0 => {
                let c = self.preprocessed(depth - 1);
                let text = format!("{} ? {} : {}", c.at(3), l.text, r.at(2));
                Expr::any(text, Scalar::Long, 2)
            }
            1 => Expr::any(
                format!("{}{}", ["!", "~", "-"][self.random.below(3)], l.at(PRIMARY)),
                Scalar::Long,
                13,
            ),
            _ => {
                let op = ["+", "-", "*", "&", "|", "^", "<", "<=", "==", "!=", ">", "&&", "||", "/"]
                    [self.random.below(14)];
                let r = if op == "/" { Expr::any("7", Scalar::Long, PRIMARY) } else { r };
                Expr::any(self.infix(&l, op, &r), Scalar::Long, super::expr::strength(op))
            }
        }
    }
}
