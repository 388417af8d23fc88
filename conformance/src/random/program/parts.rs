//! Parts of variables that expressions read and statements write: members, elements, components, and targets
//! of pointers.

use super::Gen;
use super::types::{Expr, Numeric, PRIMARY, Range, Scalar, Ty, UNARY, Variable};

/// Kind of part that is searched for.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Scalar,
    Vector(Option<Numeric>),
    Record(usize),
}

/// A part of a variable on the way to the wanted one.
struct Part<'t> {
    text: String,
    level: u8,
    ty: &'t Ty,
    range: Option<Range>,
    bits: Option<u32>,
}

/// Names of components: by number, letters or colours.
pub fn component(lane: usize, lanes: usize, choice: usize) -> String {
    match choice {
        0 if lanes <= 4 => ["x", "y", "z", "w"][lane].into(),
        1 => format!("S{lane:X}"),
        _ => format!("s{lane:x}"),
    }
}

impl Gen<'_> {
    /// A scalar that can be read, or written.
    pub fn scalar_part(&mut self, writable: bool, depth: usize) -> Option<Expr> {
        self.part(Want::Scalar, writable, depth)
    }

    /// A vector, of this type if one is given.
    pub fn vector_part(&mut self, ty: Option<Numeric>, writable: bool, depth: usize) -> Option<Expr> {
        self.part(Want::Vector(ty), writable, depth)
    }

    /// A structure or union of this type.
    pub fn record_part(&mut self, record: usize, writable: bool, depth: usize) -> Option<String> {
        self.part(Want::Record(record), writable, depth).map(|e| e.text)
    }

    /// The variables in scope whose names are not hidden.
    pub fn visible(&self) -> Vec<Variable> {
        let mut out: Vec<Variable> = Vec::new();
        for variable in self.scopes.iter().rev().flatten() {
            if !out.iter().any(|v| v.name == variable.name) {
                out.push(variable.clone());
            }
        }
        out
    }

    fn part(&mut self, want: Want, writable: bool, depth: usize) -> Option<Expr> {
        let mut variables = self.visible();
        variables.retain(|v| v.writable || !writable);
        for _ in 0..12 {
            if variables.is_empty() {
                return None;
            }
            let variable = variables[self.random.below(variables.len())].clone();
            let part = Part {
                text: variable.name,
                level: PRIMARY,
                ty: &variable.ty,
                range: variable.range,
                bits: None,
            };
            if let Some(found) = self.descend(part, want, depth) {
                return Some(found);
            }
        }
        None
    }

    /// A wanted part of a part.
    fn descend(&mut self, part: Part<'_>, want: Want, depth: usize) -> Option<Expr> {
        match part.ty {
            Ty::Number(n) => {
                let range = part.range.unwrap_or(n.scalar.stored());
                let whole = Expr { bits: part.bits, ..Expr::new(part.text.clone(), *n, range, part.level) };
                match want {
                    Want::Scalar if n.lanes == 1 => Some(whole),
                    Want::Vector(None) if n.lanes > 1 => Some(whole),
                    Want::Vector(Some(wanted)) if wanted == *n => Some(whole),
                    Want::Scalar => Some(self.component_of(&whole, depth)),
                    _ => None,
                }
            }
            Ty::Record(r) => {
                if want == Want::Record(*r) && self.random.chance(80) {
                    return Some(Expr::any(part.text, Scalar::Int, part.level));
                }
                let members = self.records[*r].members.clone();
                let member = &members[self.random.below(members.len())];
                let text = format!("{}.{}", at(&part, PRIMARY), member.name);
                let range = member.bits.map(|bits| bit_field_range(&member.ty, bits));
                let inner = Part { text, level: PRIMARY, ty: &member.ty, range, bits: member.bits };
                self.descend(inner, want, depth)
            }
            Ty::Array(element, length) => {
                let (text, level) = self.element(&part, *length, depth);
                self.descend(Part { text, level, ty: element, range: part.range, bits: None }, want, depth)
            }
            Ty::Pointer(_, target, reach) => {
                if let (Ty::Record(r), true, true) = (&**target, want == Want::Scalar, self.random.chance(70))
                {
                    let members = self.records[*r].members.clone();
                    let member = &members[self.random.below(members.len())];
                    let text = format!("{}->{}", at(&part, PRIMARY), member.name);
                    let range = member.bits.map(|bits| bit_field_range(&member.ty, bits));
                    let inner = Part { text, level: PRIMARY, ty: &member.ty, range, bits: member.bits };
                    return self.descend(inner, want, depth);
                }
                let (text, level) = if self.random.chance(30) {
                    (format!("*{}", at(&part, UNARY)), UNARY)
                } else {
                    self.element(&part, *reach, depth)
                };
                self.descend(Part { text, level, ty: target, range: None, bits: None }, want, depth)
            }
        }
    }

    /// An element of an array or of a pointer's target.
    fn element(&mut self, part: &Part<'_>, length: usize, depth: usize) -> (String, u8) {
        let index = self.index(length, depth);
        match self.random.below(12) {
            0 => (format!("*({} + {})", at(part, 11), index.at(12)), UNARY),
            1 if index.level == PRIMARY => (format!("{}[{}]", index.text, part.text), PRIMARY),
            2 => (format!("(&{})[{}]", format_args!("{}[0]", at(part, PRIMARY)), index.text), PRIMARY),
            _ => (format!("{}[{}]", at(part, PRIMARY), index.text), PRIMARY),
        }
    }

    /// An index below a power of two.
    pub fn index(&mut self, length: usize, depth: usize) -> Expr {
        let most = length as i128 - 1;
        if depth == 0 || self.random.chance(40) {
            let index = self.random.below(length) as i128;
            return Expr::new(index.to_string(), Scalar::Int, Range::new(index, index), PRIMARY);
        }
        let e = self.integer(depth.min(2) - 1);
        if e.range.lo >= 0 && e.range.hi <= most {
            return e;
        }
        let mask = Expr::new(most.to_string(), Scalar::Int, Range::new(most, most), PRIMARY);
        let ty = e.promoted();
        Expr::new(self.infix(&e, "&", &mask), ty, Range::new(0, most), 7)
    }

    /// A component of a vector that has a part.
    fn component_of(&mut self, whole: &Expr, depth: usize) -> Expr {
        let lanes = whole.ty.lanes;
        let base = whole.at(PRIMARY);
        let text = if lanes != 3 && self.random.chance(15) {
            format!("{base}[{}]", self.index(lanes, depth).text)
        } else {
            let choice = self.random.below(3);
            format!("{base}.{}", component(self.random.below(lanes), lanes, choice))
        };
        Expr::new(text, whole.ty.scalar, whole.range, PRIMARY)
    }
}

fn at(part: &Part<'_>, level: u8) -> String {
    if part.level >= level { part.text.clone() } else { format!("({})", part.text) }
}

/// The values of a bit-field.
fn bit_field_range(ty: &Ty, bits: u32) -> Range {
    match ty {
        Ty::Number(n) if n.scalar.is_signed() => Range::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => Range::new(0, (1 << bits) - 1),
    }
}
