//! Scalar expressions. Types and ranges of values are known for every part, so that conversions are left to
//! the language and yet nothing overflows.

use super::Gen;
use super::types::{CONDITIONAL, Expr, INTEGERS, PRIMARY, Range, Scalar, UNARY};

/// Binding strengths of the binary operators.
const OPERATORS: [(&str, u8); 10] = [
    ("|", 5),
    ("^", 6),
    ("&", 7),
    ("==", 8),
    ("<", 9),
    ("<<", 10),
    ("+", 11),
    ("-", 11),
    ("*", 12),
    ("/", 12),
];

/// Binding strength of a binary operator.
pub fn strength(op: &str) -> u8 {
    let op = match op {
        "!=" => "==",
        "<=" | ">" | ">=" => "<",
        ">>" => "<<",
        "%" => "/",
        "&&" => return 4,
        "||" => return 3,
        other => other,
    };
    OPERATORS.iter().find(|(o, _)| *o == op).map_or(0, |(_, level)| *level)
}

impl Gen<'_> {
    /// Two operands around an operator that groups from the left.
    pub fn infix(&mut self, l: &Expr, op: &str, r: &Expr) -> String {
        let level = strength(op);
        // Superfluous parentheses now and then.
        let extra = if self.random.chance(15) { PRIMARY } else { 0 };
        format!("{} {op} {}", l.at(level.max(extra)), r.at((level + 1).max(extra)))
    }

    /// An expression of any scalar type.
    pub fn scalar(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(10) {
            return self.leaf(depth);
        }
        let d = depth - 1;
        match self.random.below(26) {
            0..=6 => {
                let (l, r) = (self.scalar(d), self.scalar(d));
                let op = ["+", "-", "*"][self.random.below(3)];
                self.arithmetic(l, op, r)
            }
            7 | 8 => self.division(d),
            9 | 10 => self.bitwise(d),
            11 | 12 => self.shift(d),
            13 | 14 => self.comparison(d),
            15 => self.logical(d),
            16 => self.conditional(d),
            17 | 18 => {
                let (e, to) = (self.scalar(d), self.number_type());
                self.cast(e, to)
            }
            19 => self.unary(d),
            20 => self.size(d),
            21 if !self.constant => self.component(d),
            22..=24 if !self.constant => self.scalar_call(d),
            25 if !self.constant => self.rounded(),
            _ => self.leaf(d),
        }
    }

    /// An integer expression.
    pub fn integer(&mut self, depth: usize) -> Expr {
        let e = self.scalar(depth);
        if e.ty.scalar.is_float() { self.cast(e, Scalar::Long) } else { e }
    }

    /// An expression of exactly this type.
    pub fn of(&mut self, ty: Scalar, depth: usize) -> Expr {
        let e = self.scalar(depth);
        if e.ty.scalar == ty && e.bits.is_none() { e } else { self.cast(e, ty) }
    }

    /// An expression whose value a variable of the type may take by implicit conversion.
    pub fn assignable(&mut self, ty: Scalar, depth: usize) -> Expr {
        let e = self.scalar(depth);
        self.fit(e, ty)
    }

    /// The expression, or one from it, that converts implicitly to the type without undefined behaviour.
    pub fn fit(&mut self, e: Expr, ty: Scalar) -> Expr {
        match (e.ty.scalar.is_float(), ty.is_float()) {
            (_, true) => self.limit(e, 1024),
            (true, false) if ty != Scalar::Bool && !e.range.within(ty.range()) => self.cast(e, ty),
            _ => e,
        }
    }

    /// Any number type but bool, rarely a floating-point type.
    pub fn number_type(&mut self) -> Scalar {
        match self.random.below(20) {
            0 | 1 => Scalar::Float,
            2 => Scalar::Double,
            3 => Scalar::Bool,
            _ => INTEGERS[self.random.below(8)],
        }
    }

    fn leaf(&mut self, depth: usize) -> Expr {
        if !self.constant
            && self.random.chance(70)
            && let Some(part) = self.scalar_part(false, depth)
        {
            return part;
        }
        if !self.constant && self.random.chance(15) {
            return self.work_item();
        }
        if self.random.chance(10) && !self.enumerators.is_empty() {
            let (name, value) = self.enumerators[self.random.below(self.enumerators.len())].clone();
            return Expr::new(name, Scalar::Int, Range::new(value, value), PRIMARY);
        }
        self.literal()
    }

    fn work_item(&mut self) -> Expr {
        let (call, most) = [
            ("get_global_id(0)", super::ITEMS - 1),
            ("get_local_id(0)", super::GROUP - 1),
            ("get_global_size(0)", super::ITEMS),
            ("get_group_id(0)", super::ITEMS / super::GROUP - 1),
            ("get_local_id(1)", 0),
        ][self.random.below(5)];
        Expr::new(call, Scalar::ULong, Range::new(0, most as i128), PRIMARY)
    }

    /// Limits the absolute value: by a mask, or by the built-in function `clamp`.
    pub fn limit(&mut self, e: Expr, most: i128) -> Expr {
        if e.range.magnitude() <= most {
            return e;
        }
        let scalar = e.ty.scalar;
        if scalar.is_float() && self.constant {
            return self.float_literal(scalar);
        }
        if scalar.is_float() {
            let suffix = if scalar == Scalar::Float { "f" } else { "" };
            let text = format!("clamp({}, -{most}.0{suffix}, {most}.0{suffix})", e.text);
            return Expr::new(text, scalar, Range::new(-most, most), PRIMARY);
        }
        let mask = (1i128 << (127 - (most + 1).leading_zeros())) - 1;
        let literal = Expr::new(mask.to_string(), Scalar::Int, Range::new(mask, mask), PRIMARY);
        let ty = e.promoted().common(Scalar::Int);
        Expr::new(self.infix(&e, "&", &literal), ty, Range::new(0, mask), strength("&"))
    }

    /// A sum, a difference or a product.
    pub fn arithmetic(&mut self, l: Expr, op: &str, r: Expr) -> Expr {
        let ty = l.promoted().common(r.promoted());
        let compute = |l: &Expr, r: &Expr| {
            let (a, b) = (ty.converted(l.range), ty.converted(r.range));
            a.corners(b, |x, y| match op {
                "+" => Some(x + y),
                "-" => Some(x - y),
                _ => x.checked_mul(y),
            })
        };
        let (mut l, mut r) = (l, r);
        if ty.is_float() {
            (l, r) = (self.limit(l, 1024), self.limit(r, 1024));
        }
        let mut range = compute(&l, &r).filter(|range| range.within(ty.range()));
        if range.is_none() && ty.is_signed() && !ty.is_float() {
            // Signed numbers that may overflow: as unsigned ones, or made small.
            if self.random.chance(50) {
                let l = self.cast(l, ty.integer(false));
                return self.arithmetic(l, op, r);
            }
            (l, r) = (self.limit(l, 255), self.limit(r, 255));
            range = compute(&l, &r);
        }
        let range = range.unwrap_or(ty.range());
        Expr::new(self.infix(&l, op, &r), ty, range, strength(op))
    }

    fn division(&mut self, depth: usize) -> Expr {
        let (mut l, mut r) = (self.scalar(depth), self.scalar(depth));
        let op = ["/", "%"][self.random.below(2)];
        if l.ty.scalar.is_float() {
            l = self.cast(l, Scalar::Int);
        }
        if r.ty.scalar.is_float() {
            r = self.cast(r, Scalar::UShort);
        }
        let contains = |range: Range, x| range.lo <= x && range.hi >= x;
        let ty = l.promoted().common(r.promoted());
        if contains(ty.converted(r.range), 0) {
            let one = Expr::new("1", Scalar::Int, Range::new(1, 1), PRIMARY);
            let wide = r.promoted();
            let range =
                if r.range.lo >= 0 { Range::new(1, wide.converted(r.range).hi | 1) } else { wide.range() };
            // Bits above the highest of the range stay clear.
            let range = Range::new(range.lo, range.hi.max(1));
            r = Expr::new(self.infix(&r, "|", &one), wide, range, strength("|"));
        }
        let (a, b) = (ty.converted(l.range), ty.converted(r.range));
        if ty.is_signed() && contains(a, ty.range().lo) && b.lo < 0 {
            l = Expr::new(format!("{} >> 1", l.at(10)), l.promoted(), Range::new(a.lo / 2, a.hi / 2), 10);
        }
        let a = ty.converted(l.range);
        let most = if op == "/" { a.magnitude() } else { a.magnitude().min(b.magnitude()) };
        let signed = a.lo < 0 || (op == "/" && b.lo < 0);
        let range = Range::new(if signed { -most } else { 0 }, most);
        Expr::new(self.infix(&l, op, &r), ty, ty.converted(range), strength(op))
    }

    fn bitwise(&mut self, depth: usize) -> Expr {
        let (l, r) = (self.integer(depth), self.integer(depth));
        let op = ["&", "|", "^"][self.random.below(3)];
        let ty = l.promoted().common(r.promoted());
        let (a, b) = (ty.converted(l.range), ty.converted(r.range));
        let range = match op {
            "&" if a.lo >= 0 && b.lo >= 0 => Range::new(0, a.hi.min(b.hi)),
            _ if a.lo >= 0 && b.lo >= 0 => {
                Range::new(0, ((a.hi.max(b.hi) + 1) as u128).next_power_of_two() as i128 - 1)
            }
            _ => ty.range(),
        };
        Expr::new(self.infix(&l, op, &r), ty, range, strength(op))
    }

    /// A shift. OpenCL C uses only the low bits of the amount.
    fn shift(&mut self, depth: usize) -> Expr {
        let (mut l, mut r) = (self.integer(depth), self.integer(depth));
        let op = ["<<", ">>"][self.random.below(2)];
        if op == "<<" && l.promoted().is_signed() {
            let unsigned = l.promoted().integer(false);
            l = self.cast(l, unsigned);
        }
        let ty = l.promoted();
        if self.random.chance(70) {
            r = self.limit(r, i128::from(ty.bits()) - 1);
        }
        let range = match op {
            ">>" if l.range.lo >= 0 => Range::new(0, l.range.hi),
            ">>" => Range::new(l.range.lo, l.range.hi.max(0)),
            _ => ty.range(),
        };
        Expr::new(self.infix(&l, op, &r), ty, ty.converted(range), strength(op))
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let (mut l, r) = (self.scalar(depth), self.scalar(depth));
        let op = ["<", "<=", ">", ">=", "==", "!="][self.random.below(6)];
        // Chained comparisons are an error.
        if l.level == strength(op) {
            l = Expr { text: format!("({})", l.text), level: PRIMARY, ..l };
        }
        Expr::new(self.infix(&l, op, &r), Scalar::Int, Range::new(0, 1), strength(op))
    }

    /// A conjunction or disjunction, possibly of a call that counts how often it is evaluated.
    fn logical(&mut self, depth: usize) -> Expr {
        let l = self.scalar(depth);
        let r = if self.random.chance(40) && !self.constant { self.counted() } else { self.scalar(depth) };
        let op = ["&&", "||"][self.random.below(2)];
        Expr::new(self.infix(&l, op, &r), Scalar::Int, Range::new(0, 1), strength(op))
    }

    /// A call that has an effect: it adds to the counter `n`, in an order that does not matter.
    fn counted(&mut self) -> Expr {
        let amount = self.random.below(100);
        Expr::any(format!("bump_{}(&n, {amount})", self.id), Scalar::UInt, PRIMARY)
    }

    /// A choice; OpenCL C wants an integer to choose by.
    fn conditional(&mut self, depth: usize) -> Expr {
        let c = self.integer(depth);
        let (mut a, mut b) = (self.scalar(depth), self.scalar(depth));
        let ty = a.promoted().common(b.promoted());
        if ty.is_float() {
            (a, b) = (self.limit(a, 1024), self.limit(b, 1024));
        }
        let text = format!("{} ? {} : {}", c.at(CONDITIONAL + 1), a.text, b.at(CONDITIONAL));
        Expr::new(text, ty, ty.converted(a.range).union(ty.converted(b.range)), CONDITIONAL)
    }

    /// A conversion by a cast, rarely by a built-in function.
    pub fn cast(&mut self, e: Expr, to: Scalar) -> Expr {
        let from = e.ty.scalar;
        if from.is_float() && !to.is_float() && !e.range.within(to.range()) && to != Scalar::Bool {
            // Numbers out of the range of an integer type are converted to another one first.
            let wide = self.cast(e, Scalar::Long);
            return self.cast(wide, to);
        }
        let e = if to.is_float() && !e.range.within(to.range()) { self.limit(e, 1023) } else { e };
        let range = to.converted(e.range);
        if !self.constant && to != Scalar::Bool && from != Scalar::Bool && self.random.chance(15) {
            let e = if e.bits.is_some() {
                format!("({from}){}", e.at(UNARY), from = from.name())
            } else {
                e.text
            };
            return Expr::new(format!("convert_{}({e})", to.name()), to, range, PRIMARY);
        }
        Expr::new(format!("({}){}", to.name(), e.at(UNARY)), to, range, UNARY)
    }

    fn unary(&mut self, depth: usize) -> Expr {
        match self.random.below(4) {
            0 => {
                let e = self.scalar(depth);
                Expr::new(format!("!{}", e.at(UNARY)), Scalar::Int, Range::new(0, 1), UNARY)
            }
            1 => {
                let e = self.integer(depth);
                let ty = e.promoted();
                Expr::any(format!("~{}", e.at(UNARY)), ty, UNARY)
            }
            2 => {
                let e = self.scalar(depth);
                let range = e.promoted().converted(e.range);
                Expr::new(format!("+{}", e.at(PRIMARY)), e.promoted(), range, UNARY)
            }
            _ => {
                let mut e = self.scalar(depth);
                let ty = e.promoted();
                if ty.is_signed() && e.range.lo == ty.range().lo {
                    e = self.cast(e, ty.integer(false));
                }
                let ty = e.promoted();
                let range = Range::new(-e.range.hi, -e.range.lo);
                Expr::new(format!("-{}", e.at(PRIMARY)), ty, ty.converted(range), UNARY)
            }
        }
    }

    /// A size of a type or of an expression, which is not evaluated.
    fn size(&mut self, depth: usize) -> Expr {
        let (text, size) = match self.random.below(3) {
            0 => {
                let (ty, lanes) = (INTEGERS[self.random.below(8)], [1, 2, 3, 4, 8, 16][self.random.below(6)]);
                let name = if lanes == 1 { ty.name().into() } else { format!("{}{lanes}", ty.name()) };
                (format!("sizeof({name})"), ty.bits() as usize / 8 * usize::next_power_of_two(lanes))
            }
            1 if !self.constant && !self.records.is_empty() => {
                let record = &self.records[self.random.below(self.records.len())];
                let text = format!("sizeof({})", record.name);
                return Expr::new(text, Scalar::ULong, Range::new(1, 1 << 16), UNARY);
            }
            _ => {
                let mut e = self.scalar(depth.min(1));
                if e.bits.is_some() {
                    e = self.cast(e, Scalar::Int);
                }
                (format!("sizeof({})", e.text), e.ty.scalar.bits() as usize / 8)
            }
        };
        Expr::new(text, Scalar::ULong, Range::new(size as i128, size as i128), UNARY)
    }

    /// A quarter of an integer, rounded to an integer by a conversion.
    fn rounded(&mut self) -> Expr {
        let e = self.integer(1);
        let e = self.limit(e, 4095);
        let to =
            [Scalar::Int, Scalar::Short, Scalar::Long, Scalar::UInt, Scalar::Float][self.random.below(5)];
        let how = ["", "_rte", "_rtz", "_rtp", "_rtn"][self.random.below(5)];
        let (how, from) = if to == Scalar::Float {
            ("", "float")
        } else {
            (how, ["float", "double"][self.random.below(2)])
        };
        if to == Scalar::Float {
            return Expr::new(
                format!("rint(({from}){} * 0.25f)", e.at(UNARY)),
                to,
                Range::new(-1024, 1024),
                PRIMARY,
            );
        }
        // An unsigned result needs a number that is not negative.
        let e = if e.range.lo < 0 {
            Expr::new(format!("abs((int){})", e.at(UNARY)), Scalar::UInt, Range::new(0, 4095), PRIMARY)
        } else {
            e
        };
        let text = format!("convert_{}{how}(({from}){} * 0.25f)", to.name(), e.at(UNARY));
        Expr::new(text, to, Range::new(0, 1024), PRIMARY)
    }

    /// A literal: decimal, octal, hexadecimal, with suffixes, a character, or a floating-point number.
    pub fn literal(&mut self) -> Expr {
        match self.random.below(12) {
            0 => {
                let (text, value) = [
                    ("'a'", 97),
                    ("'\\n'", 10),
                    ("'\\0'", 0),
                    ("'\\x7f'", 127),
                    ("'\\''", 39),
                    ("'\\101'", 65),
                    ("'\\xff'", -1),
                    ("'\"'", 34),
                ][self.random.below(8)];
                return Expr::new(text, Scalar::Int, Range::new(value, value), PRIMARY);
            }
            1 => return self.float_literal(Scalar::Float),
            2 => return self.float_literal(Scalar::Double),
            _ => {}
        }
        let value = match self.random.below(5) {
            0 | 1 => self.random.below(10) as u64,
            2 => self.random.next() >> self.random.below(64),
            3 => 1u64 << self.random.below(64),
            _ => (1u64 << self.random.below(64)).wrapping_sub(1),
        };
        let suffix = ["", "", "", "u", "U", "l", "L", "ul", "UL", "Lu"][self.random.below(10)];
        let base = self.random.below(4);
        // A decimal number without suffix is never unsigned.
        let suffix = if base < 2 && value > i64::MAX as u64 { "UL" } else { suffix };
        let text = match base {
            0 | 1 => format!("{value}{suffix}"),
            2 => format!("0x{value:x}{suffix}"),
            _ => format!("0{value:o}{suffix}"),
        };
        let (unsigned, long) = (suffix.contains(['u', 'U']), suffix.contains(['l', 'L']));
        let fits = |ty: &Scalar| i128::from(value) <= ty.range().hi;
        let allowed = [Scalar::Int, Scalar::UInt, Scalar::Long, Scalar::ULong].into_iter().filter(|ty| {
            (ty.bits() == 64 || !long) && (ty.is_signed() != unsigned || (base >= 2 && !unsigned))
        });
        let ty = allowed.clone().find(fits).unwrap_or(Scalar::ULong);
        Expr::new(text, ty, Range::new(value.into(), value.into()), PRIMARY)
    }

    /// A small floating-point number.
    pub fn float_literal(&mut self, ty: Scalar) -> Expr {
        let value = self.random.below(200) as i128;
        let text = match self.random.below(5) {
            0 => format!("{value}."),
            1 => format!("{value}e0"),
            2 => format!("0x{value:x}p0"),
            3 => format!("0x{value:x}.0P+0"),
            _ => format!("{value}.0E+00"),
        };
        let suffix = if ty == Scalar::Float { ["f", "F"][self.random.below(2)] } else { "" };
        Expr::new(format!("{text}{suffix}"), ty, Range::new(value, value), PRIMARY)
    }
}
