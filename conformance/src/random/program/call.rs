//! Calls of built-in functions, of the program's own functions, and of macros.

use super::types::{Expr, INTEGERS, LANES, Numeric, PRIMARY, Range, Scalar, Space, Ty};
use super::{Function, Gen};

/// Built-in functions of two operands of one integer type.
const TWO: [&str; 9] = ["min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate", "abs_diff"];
/// Those of three.
const THREE: [&str; 3] = ["bitselect", "mad_sat", "mad_hi"];
/// Relational functions of two floating-point operands.
const RELATIONAL: [&str; 6] =
    ["isequal", "isnotequal", "isgreater", "isless", "islessequal", "isgreaterequal"];

impl Gen<'_> {
    /// A call that yields a scalar.
    pub fn scalar_call(&mut self, depth: usize) -> Expr {
        let ty = INTEGERS[self.random.below(8)];
        match self.random.below(16) {
            0..=4 => self.integer_call(ty.into(), depth),
            5 => {
                let f = ["any", "all"][self.random.below(2)];
                let scalar = ty.integer(true);
                let lanes = LANES[self.random.below(5)];
                let e = self.vector(Numeric { scalar, lanes }, depth);
                Expr::new(format!("{f}({})", e.text), Scalar::Int, Range::new(0, 1), PRIMARY)
            }
            6 => {
                let (a, b) = (self.of(Scalar::Float, depth), self.of(Scalar::Float, depth));
                let f = RELATIONAL[self.random.below(6)];
                Expr::new(format!("{f}({}, {})", a.text, b.text), Scalar::Int, Range::new(0, 1), PRIMARY)
            }
            7 => self.float_call(depth),
            8 => {
                let e = self.of(ty, depth);
                let to = ty.integer(self.random.chance(50));
                Expr::any(format!("as_{}({})", to.name(), e.text), to, PRIMARY)
            }
            9 => {
                let e = self.scalar(depth);
                let from = if matches!(e.ty.scalar, Scalar::Bool) || e.bits.is_some() {
                    Scalar::Int
                } else {
                    e.ty.scalar
                };
                let e = if from == e.ty.scalar && e.bits.is_none() { e } else { self.cast(e, from) };
                Expr::any(format!("convert_{}_sat({})", ty.name(), e.text), ty, PRIMARY)
            }
            10 => {
                let half = [Scalar::UChar, Scalar::UShort, Scalar::UInt][self.random.below(3)];
                let (signed, to) = (self.random.chance(50), Scalar::Long);
                let wide =
                    INTEGERS.into_iter().find(|t| t.bits() == 2 * half.bits() && t.is_signed() == signed);
                let (hi, lo) = (self.of(half.integer(signed), depth), self.of(half, depth));
                Expr::any(format!("upsample({}, {})", hi.text, lo.text), wide.unwrap_or(to), PRIMARY)
            }
            11 => {
                let f = ["mul24", "mad24"][self.random.below(2)];
                let ty = [Scalar::Int, Scalar::UInt][self.random.below(2)];
                let (a, b, c) = (self.small(ty, depth), self.small(ty, depth), self.small(ty, 0));
                let third = if f == "mad24" { format!(", {c}") } else { String::new() };
                Expr::new(format!("{f}({a}, {b}{third})"), ty, Range::new(-(1 << 21), 1 << 21), PRIMARY)
                    .clamped()
            }
            12 => {
                let (a, b) = (self.scalar(0), self.scalar(0));
                let (a, b) = (self.limit(a, 1024), self.limit(b, 1024));
                let ty = a.promoted().common(b.promoted());
                let range = ty.converted(a.range).union(ty.converted(b.range));
                let f = ["LARGER", "SMALLER"][self.random.below(2)];
                Expr::new(format!("{f}_{}({}, {})", self.id, a.text, b.text), ty, range, PRIMARY)
            }
            _ => self.own_call(&|ty| matches!(ty, Ty::Number(n) if n.lanes == 1), depth),
        }
    }

    /// A number below 1024 of this type.
    fn small(&mut self, ty: Scalar, depth: usize) -> String {
        let e = self.integer(depth);
        let e = self.limit(e, 1023);
        if e.ty.scalar == ty && e.bits.is_none() { e.text } else { self.cast(e, ty).text }
    }

    /// A function of floating-point numbers whose result is exact.
    fn float_call(&mut self, depth: usize) -> Expr {
        let small = |g: &mut Self| {
            let e = g.of(Scalar::Float, depth);
            g.limit(e, 1024)
        };
        let (a, b) = (small(self), small(self));
        let range = Range::new(-1024, 1024);
        let two = |f: &str| format!("{f}({}, {})", a.text, b.text);
        let (text, range) = match self.random.below(8) {
            0 => (two("fmin"), range),
            1 => (two("fmax"), range),
            2 => (format!("fabs({})", a.text), range),
            3 => (format!("floor({})", a.text), range),
            4 => (two("step"), Range::new(0, 1)),
            5 => (format!("fma({}, {}, 1.0f)", a.text, b.text), Range::new(-(1 << 21), 1 << 21)),
            6 => (format!("sign({})", a.text), Range::new(-1, 1)),
            _ => {
                let (x, y) = (self.vector(Numeric { scalar: Scalar::Float, lanes: 4 }, 1), b);
                let text = format!(
                    "dot(clamp({}, -64.0f, 64.0f), (float4)(clamp({}, -9.0f, 9.0f)))",
                    x.text, y.text
                );
                (text, Range::new(-4096, 4096))
            }
        };
        Expr::new(text, Scalar::Float, range, PRIMARY)
    }

    /// A built-in function of integers, for scalars and vectors.
    fn integer_call(&mut self, ty: Numeric, depth: usize) -> Expr {
        let unsigned = Numeric { scalar: ty.scalar.integer(false), ..ty };
        let operand = |g: &mut Self, ty: Numeric| {
            if ty.lanes == 1 { g.of(ty.scalar, depth).text } else { g.vector(ty, depth).text }
        };
        match self.random.below(9) {
            0..=2 => {
                let f = TWO[self.random.below(TWO.len())];
                let to = if f == "abs_diff" { unsigned } else { ty };
                // Of some functions the second operand of a vector may be a scalar.
                let second =
                    if matches!(f, "min" | "max") && self.random.chance(40) { ty.scalar.into() } else { ty };
                Expr::any(format!("{f}({}, {})", operand(self, ty), operand(self, second)), to, PRIMARY)
            }
            3 => {
                let f = THREE[self.random.below(3)];
                let text =
                    format!("{f}({}, {}, {})", operand(self, ty), operand(self, ty), operand(self, ty));
                Expr::any(text, ty, PRIMARY)
            }
            4 => {
                let f = ["clz", "popcount", if self.is_1_2() { "clz" } else { "ctz" }][self.random.below(3)];
                let most = i128::from(ty.scalar.bits());
                Expr::new(format!("{f}({})", operand(self, ty)), ty, Range::new(0, most), PRIMARY)
            }
            5 => Expr::any(format!("abs({})", operand(self, ty)), unsigned, PRIMARY),
            6 => {
                let x = operand(self, ty);
                let (lo, hi) = (self.random.below(50), 50 + self.random.below(50));
                let name = if self.random.chance(50) { ty.scalar.into() } else { ty };
                let text = format!("clamp({x}, ({name}){lo}, ({name}){hi})");
                Expr::new(text, ty, Range::new(lo as i128, hi as i128), PRIMARY)
            }
            _ => {
                let mask = Numeric { scalar: ty.scalar.integer(self.random.chance(50)), ..ty };
                let text =
                    format!("select({}, {}, {})", operand(self, ty), operand(self, ty), operand(self, mask));
                Expr::any(text, ty, PRIMARY)
            }
        }
    }

    /// A call that yields a vector of this type.
    pub fn vector_call(&mut self, ty: Numeric, depth: usize) -> Expr {
        if ty.scalar.is_float() {
            let (a, b) = (self.vector(ty, depth), self.vector(ty, depth));
            let f = ["fmin", "fmax"][self.random.below(2)];
            return Expr::new(format!("{f}({}, {})", a.text, b.text), ty, a.range.union(b.range), PRIMARY);
        }
        let vectors = [2, 4, 8, 16];
        match self.random.below(10) {
            0..=4 => {
                let e = self.integer_call(ty, depth);
                let is_unsigned_result = e.ty != ty;
                if is_unsigned_result { Expr::any(format!("as_{ty}({})", e.text), ty, PRIMARY) } else { e }
            }
            5 | 6 if ty.lanes != 3 => {
                let from = Numeric { lanes: vectors[self.random.below(4)], ..ty };
                let mask = Numeric { scalar: ty.scalar.integer(false), ..ty };
                let (a, m) = (self.vector(from, depth), self.vector(mask, depth));
                if self.random.chance(50) {
                    return Expr::any(format!("shuffle({}, {})", a.text, m.text), ty, PRIMARY);
                }
                let b = self.vector(from, depth);
                Expr::any(format!("shuffle2({}, {}, {})", a.text, b.text, m.text), ty, PRIMARY)
            }
            7 => self.load(ty, depth).unwrap_or_else(|| self.vector_literal(ty, 1)),
            _ => {
                let wanted = |t: &Ty| *t == Ty::Number(ty);
                let e = self.own_call(&wanted, depth);
                if e.ty == ty { e } else { self.vector_literal(ty, 1) }
            }
        }
    }

    /// A load of a vector from an array.
    fn load(&mut self, ty: Numeric, depth: usize) -> Option<Expr> {
        let (name, length) = self.array_of(&Ty::Number(ty.scalar.into()), ty.lanes, &|_, _| true)?;
        let room = length / ty.lanes.next_power_of_two();
        let index = self.index(room, depth);
        let text = format!("vload{}({}, {name})", ty.lanes, index.text);
        Some(Expr::new(text, ty, ty.scalar.stored(), PRIMARY))
    }

    /// An array or a pointer in scope with at least this many elements of the type, and the length. `fits`
    /// decides about the address space and whether it is writable.
    pub fn array_of(
        &mut self,
        element: &Ty,
        length: usize,
        fits: &dyn Fn(Space, bool) -> bool,
    ) -> Option<(String, usize)> {
        let mut found = Vec::new();
        for variable in self.visible() {
            let (target, reach, space) = match variable.ty {
                Ty::Array(target, length) if variable.writable => (target, length, Space::Private),
                Ty::Array(target, length) => (target, length, Space::Constant),
                Ty::Pointer(space, target, reach) => (target, reach, space),
                _ => continue,
            };
            let is_long = reach >= length.next_power_of_two();
            if *target == *element && is_long && fits(space, variable.writable) {
                found.push((variable.name, reach));
            }
        }
        if found.is_empty() { None } else { Some(found.swap_remove(self.random.below(found.len()))) }
    }

    /// A call of a function of the program that writes no memory of its caller; a leaf if there is none.
    fn own_call(&mut self, wanted: &dyn Fn(&Ty) -> bool, depth: usize) -> Expr {
        let fits = |f: &&Function| f.is_pure() && f.result.as_ref().is_some_and(wanted);
        let found: Vec<Function> = self.functions.iter().filter(fits).cloned().collect();
        if found.is_empty() || self.calls == 0 {
            return self.literal();
        }
        let function = &found[self.random.below(found.len())];
        self.calls -= 1;
        match (self.call(function, depth), &function.result) {
            (Some(text), Some(Ty::Number(ty))) => Expr::new(text, *ty, ty.scalar.stored(), PRIMARY),
            _ => self.literal(),
        }
    }

    /// A call with arguments; `None` if there is no memory to pass.
    pub fn call(&mut self, function: &Function, depth: usize) -> Option<String> {
        let mut arguments = Vec::new();
        for parameter in &function.parameters {
            arguments.push(match parameter {
                Ty::Number(n) if n.lanes == 1 => self.assignable(n.scalar, depth.min(1)).at(2),
                Ty::Number(n) => self.stored_vector(*n, depth.min(1)),
                Ty::Record(r) => self.record_value(*r, 1),
                Ty::Pointer(space, target, reach) => {
                    let space = *space;
                    let fits = move |s: Space, writable: bool| {
                        s == space && (writable || s == Space::Constant)
                            || (space == Space::Generic && s != Space::Constant && writable)
                    };
                    self.array_of(target, *reach, &fits)?.0
                }
                Ty::Array(..) => return None,
            });
        }
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    /// A vector that a variable of the type may take: components of floating-point numbers stay small.
    pub fn stored_vector(&mut self, ty: Numeric, depth: usize) -> String {
        let e = self.vector(ty, depth);
        match ty.scalar.is_float() && !e.range.within(ty.scalar.stored()) {
            true => format!("clamp({}, -1024.0f, 1024.0f)", e.text),
            false => e.at(2),
        }
    }
}

impl Expr {
    /// With the part of the range that the type has.
    fn clamped(mut self) -> Expr {
        self.range = self.ty.scalar.converted(self.range);
        self
    }
}
