//! Vector expressions, and components of vectors.

use super::Gen;
use super::parts::component;
use super::types::{CONDITIONAL, Expr, INTEGERS, LANES, Numeric, PRIMARY, Range, Scalar, UNARY};

impl Gen<'_> {
    /// A vector type; floating-point ones are rare.
    pub fn vector_type(&mut self) -> Numeric {
        let scalar = if self.random.chance(12) { Scalar::Float } else { INTEGERS[self.random.below(8)] };
        Numeric { scalar, lanes: LANES[self.random.below(5)] }
    }

    /// A component of a vector expression.
    pub fn component(&mut self, depth: usize) -> Expr {
        let ty = self.vector_type();
        let e = self.vector(ty, depth);
        let choice = self.random.below(3);
        let name = component(self.random.below(ty.lanes), ty.lanes, choice);
        Expr::new(format!("{}.{name}", e.at(PRIMARY)), ty.scalar, e.range, PRIMARY)
    }

    /// An expression of this vector type.
    pub fn vector(&mut self, ty: Numeric, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(15) {
            return self.vector_leaf(ty);
        }
        let d = depth - 1;
        match self.random.below(24) {
            0..=4 => self.vector_arithmetic(ty, d),
            5 => self.vector_literal(ty, d),
            6 if ty.scalar.is_signed() && !ty.scalar.is_float() => self.vector_comparison(ty, d),
            7 | 8 => self.vector_conditional(ty, d),
            9..=11 => self.swizzled(ty, d),
            12 | 13 => self.vector_conversion(ty, d),
            14 if !ty.scalar.is_float() => {
                let e = self.vector(ty, d);
                let op = if ty.scalar.is_signed() { "~" } else { ["~", "-"][self.random.below(2)] };
                Expr::any(format!("{op}{}", e.at(PRIMARY)), ty, UNARY)
            }
            15 if !ty.scalar.is_float() => self.vector_shift(ty, d),
            16..=22 => self.vector_call(ty, d),
            _ => self.vector_leaf(ty),
        }
    }

    fn vector_leaf(&mut self, ty: Numeric) -> Expr {
        if self.random.chance(60)
            && let Some(part) = self.vector_part(Some(ty), false, 1)
        {
            return part;
        }
        self.vector_literal(ty, 0)
    }

    /// A vector literal of scalars and shorter vectors, or of one scalar.
    pub fn vector_literal(&mut self, ty: Numeric, depth: usize) -> Expr {
        let mut range: Option<Range> = None;
        let mut add = |r: Range| range = Some(range.map_or(r, |all| all.union(r)));
        let mut parts = Vec::new();
        if self.random.chance(25) {
            let e = self.assignable(ty.scalar, depth);
            add(ty.scalar.converted(e.range));
            parts.push(e.at(CONDITIONAL));
        } else {
            let mut left = ty.lanes;
            while left > 0 {
                let shorter: Vec<usize> = LANES.into_iter().filter(|n| *n <= left && *n < ty.lanes).collect();
                if !shorter.is_empty() && self.random.chance(35) {
                    let lanes = shorter[self.random.below(shorter.len())];
                    let e = self.vector(Numeric { lanes, ..ty }, depth.min(1).saturating_sub(1));
                    add(e.range);
                    parts.push(e.text);
                    left -= lanes;
                } else {
                    let e = self.assignable(ty.scalar, depth.min(1));
                    add(ty.scalar.converted(e.range));
                    parts.push(e.at(CONDITIONAL));
                    left -= 1;
                }
            }
        }
        let range = range.unwrap_or(ty.scalar.range());
        Expr::new(format!("({ty})({})", parts.join(", ")), ty, range, UNARY)
    }

    /// The other operand of a vector: a vector of the type, or a scalar that it may be widened from.
    fn other(&mut self, ty: Numeric, depth: usize) -> Expr {
        if self.random.chance(30) { self.of(ty.scalar, depth.min(1)) } else { self.vector(ty, depth) }
    }

    /// Limits the absolute value of every component.
    fn limit_components(&mut self, e: Expr, most: i128) -> Expr {
        if e.range.magnitude() <= most {
            return e;
        }
        if e.ty.scalar.is_float() {
            let text = format!("clamp({}, -{most}.0f, {most}.0f)", e.text);
            return Expr::new(text, e.ty, Range::new(-most, most), PRIMARY);
        }
        let mask = (1i128 << (127 - (most + 1).leading_zeros())) - 1;
        let literal = Expr::new(format!("({}){mask}", e.ty), e.ty, Range::new(mask, mask), UNARY);
        Expr::new(self.infix(&e, "&", &literal), e.ty, Range::new(0, mask), 7)
    }

    fn vector_arithmetic(&mut self, ty: Numeric, depth: usize) -> Expr {
        let (mut l, mut r) = (self.vector(ty, depth), self.other(ty, depth));
        let op = ["+", "-", "*", "&", "|", "^", "/", "%"][self.random.below(8)];
        if ty.scalar.is_float() {
            let op = ["+", "-", "*"][self.random.below(3)];
            (l, r) = (self.limit_components(l, 1024), self.limit_components(r, 1024));
            let range = match op {
                "*" => Range::new(-(1 << 20), 1 << 20),
                _ => Range::new(-2048, 2048),
            };
            return Expr::new(self.infix(&l, op, &r), ty, range, super::expr::strength(op));
        }
        if matches!(op, "/" | "%") {
            // A positive divisor.
            let literal = 1 + self.random.below(100);
            let r = Expr::any(format!("({ty}){literal}"), ty, UNARY);
            return Expr::any(self.infix(&l, op, &r), ty, super::expr::strength(op));
        }
        if matches!(op, "+" | "-" | "*") && ty.scalar.is_signed() {
            // Products of two numbers below 8 fit all types.
            (l, r) = (self.limit_components(l, 7), self.limit_any(r, 7));
        }
        let swapped = l.ty.lanes > 1 && r.ty.lanes == 1 && self.random.chance(50);
        let (l, r) = if swapped { (r, l) } else { (l, r) };
        Expr::any(self.infix(&l, op, &r), ty, super::expr::strength(op))
    }

    /// Limits the absolute value, keeping the type.
    fn limit_any(&mut self, e: Expr, most: i128) -> Expr {
        if e.ty.lanes > 1 {
            return self.limit_components(e, most);
        }
        let ty = e.ty.scalar;
        let small = self.limit(e, most);
        if small.ty.scalar == ty { small } else { self.cast(small, ty) }
    }

    fn vector_shift(&mut self, ty: Numeric, depth: usize) -> Expr {
        let op = if ty.scalar.is_signed() { ">>" } else { ["<<", ">>"][self.random.below(2)] };
        let (l, r) = (self.vector(ty, depth), self.other(ty, depth));
        Expr::any(self.infix(&l, op, &r), ty, 10)
    }

    /// A comparison or a logical operation, whose components are 0 or -1.
    fn vector_comparison(&mut self, ty: Numeric, depth: usize) -> Expr {
        let from = self.compared(ty);
        let range = Range::new(-1, 0);
        let l = self.vector(from, depth);
        if self.random.chance(15) && !from.scalar.is_float() {
            return Expr::new(format!("!{}", l.at(UNARY)), ty, range, UNARY);
        }
        let r = self.other(from, depth);
        let op = ["<", "<=", ">", ">=", "==", "!=", "&&", "||"][self.random.below(8)];
        let op = if from.scalar.is_float() && op.len() == 2 && op.starts_with(['&', '|']) { "<" } else { op };
        // Logical operations want vectors on both sides.
        let r = if matches!(op, "&&" | "||") && r.ty.lanes == 1 { self.vector(from, 0) } else { r };
        Expr::new(self.infix(&l, op, &r), ty, range, super::expr::strength(op))
    }

    /// A type whose comparisons have this type.
    fn compared(&mut self, ty: Numeric) -> Numeric {
        let scalar = match self.random.below(4) {
            0 if ty.scalar == Scalar::Int => Scalar::Float,
            choice => ty.scalar.integer(choice % 2 == 0),
        };
        Numeric { scalar, ..ty }
    }

    /// A choice by a scalar, or for each component.
    fn vector_conditional(&mut self, ty: Numeric, depth: usize) -> Expr {
        let (a, b) = (self.vector(ty, depth), self.vector(ty, depth));
        let c = if self.random.chance(50) {
            self.integer(depth)
        } else {
            let mask = Numeric { scalar: ty.scalar.integer(true), ..ty };
            self.vector(mask, depth)
        };
        let text = format!("{} ? {} : {}", c.at(CONDITIONAL + 1), a.text, b.at(CONDITIONAL));
        Expr::new(text, ty, a.range.union(b.range), CONDITIONAL)
    }

    /// Components of another vector.
    fn swizzled(&mut self, ty: Numeric, depth: usize) -> Expr {
        let lanes = LANES[self.random.below(5)];
        let from = Numeric { lanes, ..ty };
        let e = self.vector(from, depth);
        let half = if lanes == 2 * ty.lanes { ["lo", "hi", "even", "odd"][self.random.below(4)] } else { "" };
        let name = if !half.is_empty() && self.random.chance(70) {
            half.to_owned()
        } else {
            self.selection(lanes, ty.lanes)
        };
        Expr::new(format!("{}.{name}", e.at(PRIMARY)), ty, e.range, PRIMARY)
    }

    /// The name of some components, of which any may be repeated.
    fn selection(&mut self, from: usize, count: usize) -> String {
        let chosen: Vec<usize> = (0..count).map(|_| self.random.below(from)).collect();
        if from <= 4 && count <= 4 && self.random.chance(50) {
            return chosen.iter().map(|lane| component(*lane, from, 0)).collect();
        }
        let prefix = ["s", "S"][self.random.below(2)];
        let digits: String = chosen.iter().map(|lane| format!("{lane:x}")).collect();
        format!("{prefix}{digits}")
    }

    /// Names of different components that are written together, and their number.
    pub fn targets(&mut self, lanes: usize) -> (String, usize) {
        let halves: &[&str] = &["lo", "hi", "even", "odd"];
        if lanes >= 4 && self.random.chance(40) {
            return (halves[self.random.below(4)].into(), lanes / 2);
        }
        let counts: Vec<usize> = LANES.into_iter().filter(|n| *n <= lanes).collect();
        let count = counts[self.random.below(counts.len())];
        let mut left: Vec<usize> = (0..lanes).collect();
        let chosen: Vec<usize> = (0..count).map(|_| left.remove(self.random.below(left.len()))).collect();
        if lanes <= 4 && self.random.chance(50) {
            return (chosen.iter().map(|lane| component(*lane, lanes, 0)).collect(), count);
        }
        (format!("s{}", chosen.iter().map(|lane| format!("{lane:x}")).collect::<String>()), count)
    }

    /// A conversion, or other components of the same bits.
    fn vector_conversion(&mut self, ty: Numeric, depth: usize) -> Expr {
        let scalar = INTEGERS[self.random.below(8)];
        if ty.scalar.is_float() {
            let e = self.vector(Numeric { scalar, ..ty }, depth);
            let e = self.limit_components(e, 127);
            return Expr::new(format!("convert_{ty}({})", e.text), ty, e.range, PRIMARY);
        }
        if self.random.chance(30) {
            // Three components take the room of four.
            let lanes = |bits: u32| ty.lanes * ty.scalar.bits() as usize / bits as usize;
            let lanes = if ty.lanes == 3 { 3 } else { lanes(scalar.bits()) };
            let from = if ty.lanes == 3 { ty.scalar.integer(self.random.chance(50)) } else { scalar };
            if LANES.contains(&lanes) {
                let e = self.vector(Numeric { scalar: from, lanes }, depth);
                return Expr::any(format!("as_{ty}({})", e.text), ty, PRIMARY);
            }
        }
        let from = if self.random.chance(20) { Scalar::Float } else { scalar };
        let e = self.vector(Numeric { scalar: from, ..ty }, depth);
        let how = match from.is_float() {
            true => ["_sat", "_sat_rte", "_sat_rtz", "_sat_rtn"][self.random.below(4)],
            false => ["", "_sat"][self.random.below(2)],
        };
        let range = if how.is_empty() { ty.scalar.converted(e.range) } else { ty.scalar.range() };
        Expr::new(format!("convert_{ty}{how}({})", e.text), ty, range, PRIMARY)
    }
}
