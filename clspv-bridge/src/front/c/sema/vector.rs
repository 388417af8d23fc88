//! Vector literals, components and subscripts (OpenCL C, sections 6.1.6 and 6.1.7).

use super::Sema;
use super::class::Class;
use super::convert::Context;
use crate::front::c::ast::{ExprId, ExprKind};
use crate::front::c::source::{Loc, Pos};
use crate::front::c::symbol::Symbol;
use crate::front::c::types::{self, Arith, QualTy};

/// Components that a name selects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Components {
    lanes: [u8; 16],
    len: u8,
}

impl Components {
    fn as_slice(&self) -> &[u8] {
        self.lanes.get(..usize::from(self.len)).unwrap_or(&[])
    }

    fn push(&mut self, lane: u8) {
        if let Some(slot) = self.lanes.get_mut(usize::from(self.len)) {
            *slot = lane;
        }
        self.len = self.len.saturating_add(1);
    }

    /// Whether a lane occurs twice.
    fn has_repeats(&self) -> bool {
        let mut seen = 0u32;
        self.as_slice().iter().any(|lane| {
            let bit = 1u32.checked_shl(u32::from(*lane)).unwrap_or(0);
            let repeats = seen & bit != 0;
            seen |= bit;
            repeats
        })
    }
}

/// Why a name selects no components.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ComponentFault {
    /// A letter, and its index in the name.
    Name(char, usize),
    Length(usize),
    Range,
}

/// Lane of a letter in one of the sets `xyzw` and `rgba`.
fn letter(c: char, set: &str) -> Option<u8> {
    set.find(c).map(|lane| lane as u8)
}

/// Components that a name selects of a vector.
fn components(name: &str, lanes: u8) -> Result<Components, ComponentFault> {
    let mut found = Components { lanes: [0; 16], len: 0 };
    // Halves of a vector of three are those of one of four, whose last lane is undefined.
    let padded = lanes.saturating_add(lanes % 2);
    let range: Option<(u8, usize)> = match name {
        "lo" => Some((0, 1)),
        "hi" => Some((padded / 2, 1)),
        "even" => Some((0, 2)),
        "odd" => Some((1, 2)),
        _ => None,
    };
    if let Some((first, step)) = range {
        (first..padded).step_by(step).take(usize::from(padded / 2)).for_each(|lane| found.push(lane));
        return Ok(found);
    }
    let mut chars = name.chars();
    let first = chars.next().unwrap_or(' ');
    let is_numeric = matches!(first, 's' | 'S') && name.len() > 1;
    let set = if letter(first, "rgba").is_some() { "rgba" } else { "xyzw" };
    let digits = if is_numeric { chars.as_str() } else { name };
    let mut is_outside = false;
    for (index, c) in digits.chars().enumerate() {
        let lane = if is_numeric { c.to_digit(16).map(|d| d as u8) } else { letter(c, set) };
        let lane = lane.ok_or(ComponentFault::Name(c, index + usize::from(is_numeric)))?;
        is_outside |= lane >= lanes;
        found.push(lane);
    }
    let len = digits.chars().count();
    match () {
        () if is_outside => Err(ComponentFault::Range),
        () if !matches!(len, 1 | 2 | 3 | 4 | 8 | 16) => Err(ComponentFault::Length(len)),
        () => Ok(found),
    }
}

impl Sema<'_> {
    /// `base.name` of a vector; `operator` is the location of the operator, `at` that of the name.
    pub(super) fn swizzle(&mut self, base: ExprId, name: Symbol, operator: Loc, at: Loc) -> ExprId {
        let Class::Vector(element, lanes) = self.class_of(base) else {
            return self.error_expr(at);
        };
        let text = self.text(name).to_owned();
        let found = match components(&text, lanes) {
            Ok(found) => found,
            Err(fault) => {
                let ty = self.quoted_of(base);
                let offset = if let ComponentFault::Name(_, index) = fault { index as u32 } else { 0 };
                let message = match &fault {
                    ComponentFault::Name(c, _) => format!("illegal vector component name '{c}'"),
                    ComponentFault::Length(len) => format!(
                        "vector component access has invalid length {len}; supported lengths are: 1,2,3,4,8,16"
                    ),
                    ComponentFault::Range => format!("vector component access exceeds type {ty}"),
                };
                let is_name = matches!(fault, ComponentFault::Name(..));
                let letter = Loc { pos: Pos(at.pos.0.saturating_add(offset)), ..at };
                self.error(if is_name { letter } else { operator }, message);
                self.underline_expr(base);
                return self.error_expr(at);
            }
        };
        if self.language.version < 300 && text.starts_with(['r', 'g', 'b', 'a']) {
            let c = text.get(..1).unwrap_or_default();
            let text = format!("vector component name '{c}' is a feature from OpenCL version 3.0 onwards");
            self.warning("opencl-unsupported-rgba", operator, text);
        }
        self.swizzle_node(base, found, element, at)
    }

    /// Components of a vector; those of components are components of the whole vector.
    fn swizzle_node(&mut self, base: ExprId, found: Components, element: Arith, loc: Loc) -> ExprId {
        let (mut vector, mut chosen) = (base, found);
        if let ExprKind::Swizzle { base: inner, lanes, .. } = self.expr(base).kind {
            let map = |lane: &u8| lanes.get(usize::from(*lane)).copied().unwrap_or(0);
            chosen = Components { lanes: [0; 16], len: 0 };
            found.as_slice().iter().for_each(|lane| chosen.push(map(lane)));
            vector = inner;
        }
        let quals = self.types.canonical(self.ty(base)).quals;
        let is_lvalue = self.expr(base).is_lvalue && !chosen.has_repeats();
        // The value of an lvalue whose lanes repeat is that of lanes of the loaded vector.
        let is_lost = self.expr(vector).is_lvalue && !is_lvalue;
        let source = if is_lost { self.value(vector) } else { vector };
        let ty = match chosen.len {
            1 => types::scalar(element),
            len => self.vector(element, len),
        };
        let quals = if is_lvalue { quals } else { types::Quals::default() };
        let kind = ExprKind::Swizzle { base: source, lanes: chosen.lanes, len: chosen.len };
        self.new_expr(kind, QualTy { ty, quals }, is_lvalue, loc)
    }

    /// `base[index]` of a vector.
    pub(super) fn lane(&mut self, base: ExprId, index: ExprId, open: Loc) -> ExprId {
        let loc = self.begin(base);
        let Class::Vector(element, lanes) = self.class_of(base) else {
            return self.error_expr(loc);
        };
        let v = self.value(index);
        match self.class_of(v) {
            Class::Error => return v,
            class if class.is_int() => {}
            _ => {
                self.error(open, "array subscript is not an integer");
                self.underline_expr(index);
                return self.error_expr(loc);
            }
        }
        if let Some(lane) = self.constant_int(v).and_then(|c| u8::try_from(c.signed()).ok())
            && lane < lanes
        {
            let mut found = Components { lanes: [0; 16], len: 0 };
            found.push(lane);
            return self.swizzle_node(base, found, element, loc);
        }
        let promoted = self.promote(v);
        let is_wide = matches!(self.class_of(promoted), Class::Arith(arith) if arith.bytes() == 8);
        let index = self.scalar_cast(promoted, if is_wide { types::LONG } else { types::INT });
        let is_lvalue = self.expr(base).is_lvalue;
        let quals =
            if is_lvalue { self.types.canonical(self.ty(base)).quals } else { types::Quals::default() };
        let ty = QualTy { ty: types::scalar(element), quals };
        self.new_expr(ExprKind::Lane { base, index }, ty, is_lvalue, loc)
    }

    /// `(float4)(a, b, ...)`: `open` is the parenthesis before the type, `list` that before the
    /// parts.
    pub fn vector_literal(&mut self, to: QualTy, parts: &[ExprId], open: Loc, list: (Loc, Loc)) -> ExprId {
        let (list, close) = list;
        let target = self.unqualified(to);
        let Class::Vector(element, lanes) = self.class(target) else {
            return self.error_expr(open);
        };
        let mut values = Vec::with_capacity(parts.len());
        let mut count = 0u32;
        for part in parts {
            let Some((value, width)) = self.literal_part(*part, element) else {
                continue;
            };
            count += u32::from(width);
            values.push(value);
        }
        let is_broken = values.len() < parts.len();
        let wanted = u32::from(lanes);
        if !is_broken && count != wanted {
            let word = if count < wanted { "few" } else { "many" };
            let text = format!(
                "too {word} elements in vector initialization (expected {wanted} elements, have {count})"
            );
            self.error(list, text);
            self.underline(list, close);
        }
        if is_broken || count != wanted {
            return self.error_expr(open);
        }
        let parts = self.new_list(&values);
        let result = self.new_value(ExprKind::VectorLiteral(parts), target, open);
        self.set_range(result, open, close);
        result
    }

    /// `(float4)(x)`. A truth value is converted to the lanes' type first: `true` becomes 1, and not -1 as in
    /// other conversions to vectors.
    pub fn vector_of_one(&mut self, to: QualTy, part: ExprId, open: Loc) -> ExprId {
        let v = self.value(part);
        match (self.class(self.unqualified(to)), self.class_of(v)) {
            (Class::Vector(element, _), Class::Arith(Arith::Bool)) => {
                let lane = self.scalar_cast(v, types::scalar(element));
                self.cast(to, lane, open)
            }
            _ => self.cast(to, part, open),
        }
    }

    /// A part of a vector literal with its number of lanes.
    fn literal_part(&mut self, part: ExprId, element: Arith) -> Option<(ExprId, u8)> {
        let v = self.value(part);
        match self.class_of(v) {
            Class::Error => None,
            Class::Vector(lane, lanes) if lane == element => Some((v, lanes)),
            _ => {
                let at = self.begin(part);
                let v = self.convert(part, QualTy::plain(types::scalar(element)), Context::Init(at));
                (!self.is_error(v)).then_some((v, 1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(name: &str, count: u8) -> Vec<u8> {
        components(name, count).unwrap().as_slice().to_vec()
    }

    #[test]
    fn names_select_lanes() {
        assert_eq!(lanes("x", 4), [0]);
        assert_eq!(lanes("wzyx", 4), [3, 2, 1, 0]);
        assert_eq!(lanes("rgba", 4), [0, 1, 2, 3]);
        assert_eq!(lanes("s0F", 16), [0, 15]);
        assert_eq!(lanes("Sa1", 16), [10, 1]);
        assert_eq!(lanes("lo", 4), [0, 1]);
        assert_eq!(lanes("hi", 8), [4, 5, 6, 7]);
        assert_eq!(lanes("hi", 3), [2, 3]);
        assert_eq!(lanes("even", 4), [0, 2]);
        assert_eq!(lanes("odd", 3), [1, 3]);
        assert_eq!(lanes("hi", 2), [1]);
    }

    #[test]
    fn wrong_names_say_why() {
        assert_eq!(components("q", 4), Err(ComponentFault::Name('q', 0)));
        assert_eq!(components("xg", 4), Err(ComponentFault::Name('g', 1)));
        assert_eq!(components("s", 4), Err(ComponentFault::Name('s', 0)));
        assert_eq!(components("s0x", 4), Err(ComponentFault::Name('x', 2)));
        assert_eq!(components("w", 3), Err(ComponentFault::Range));
        assert_eq!(components("s4", 4), Err(ComponentFault::Range));
        assert_eq!(components("xyxyx", 4), Err(ComponentFault::Length(5)));
    }
}
