//! Types of random programs, with C's conversions, and the ranges of values.

use std::fmt;

/// A number type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Float,
    Double,
}

/// Integer types, unsigned ones at odd positions.
pub const INTEGERS: [Scalar; 8] = [
    Scalar::Char,
    Scalar::UChar,
    Scalar::Short,
    Scalar::UShort,
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
];

/// Numbers of vector components.
pub const LANES: [usize; 5] = [2, 3, 4, 8, 16];

/// Integers from `lo` to `hi`. Floating-point numbers are integers, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub lo: i128,
    pub hi: i128,
}

impl Range {
    pub fn new(lo: i128, hi: i128) -> Range {
        Range { lo, hi }
    }
    pub fn within(self, other: Range) -> bool {
        self.lo >= other.lo && self.hi <= other.hi
    }
    pub fn union(self, other: Range) -> Range {
        Range::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }
    /// Largest absolute value.
    pub fn magnitude(self) -> i128 {
        self.lo.abs().max(self.hi.abs())
    }
    /// Bounds of an operation that is monotonous in each operand.
    pub fn corners(self, other: Range, f: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
        let pairs = [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        let all: Option<Vec<i128>> = pairs.into_iter().map(|(a, b)| f(a, b)).collect();
        let all = all?;
        Some(Range::new(all.iter().copied().min()?, all.iter().copied().max()?))
    }
}

impl Scalar {
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::UChar => "uchar",
            Scalar::Short => "short",
            Scalar::UShort => "ushort",
            Scalar::Int => "int",
            Scalar::UInt => "uint",
            Scalar::Long => "long",
            Scalar::ULong => "ulong",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::Char | Scalar::UChar => 8,
            Scalar::Short | Scalar::UShort => 16,
            Scalar::Int | Scalar::UInt | Scalar::Float => 32,
            Scalar::Long | Scalar::ULong | Scalar::Double => 64,
        }
    }
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
    }
    pub fn is_signed(self) -> bool {
        !matches!(self, Scalar::Bool | Scalar::UChar | Scalar::UShort | Scalar::UInt | Scalar::ULong)
    }
    /// The integer type of this width.
    pub fn integer(self, signed: bool) -> Scalar {
        let at = self.bits().trailing_zeros() as usize - 3;
        INTEGERS[2 * at + usize::from(!signed)]
    }
    /// All values of an integer type; of a floating-point type the integers up to which all are exact.
    pub fn range(self) -> Range {
        match self {
            Scalar::Bool => Range::new(0, 1),
            Scalar::Float => Range::new(-(1 << 24), 1 << 24),
            Scalar::Double => Range::new(-(1 << 53), 1 << 53),
            _ if self.is_signed() => Range::new(-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1),
            _ => Range::new(0, (1 << self.bits()) - 1),
        }
    }
    /// Values of variables: floating-point ones stay small.
    pub fn stored(self) -> Range {
        if self.is_float() { Range::new(-1024, 1024) } else { self.range() }
    }
    /// The type after integer promotion.
    pub fn promoted(self) -> Scalar {
        if self.bits() < 32 { Scalar::Int } else { self }
    }
    /// The type that both operands are converted to.
    pub fn common(self, other: Scalar) -> Scalar {
        let (a, b) = (self.promoted(), other.promoted());
        match (a.is_float(), b.is_float()) {
            (true, false) => a,
            (false, true) => b,
            _ if a.bits() != b.bits() => {
                if a.bits() > b.bits() {
                    a
                } else {
                    b
                }
            }
            _ => {
                if a.is_signed() {
                    b
                } else {
                    a
                }
            }
        }
    }
    /// Values of the type that a value of the range may become by conversion.
    pub fn converted(self, range: Range) -> Range {
        match self {
            Scalar::Bool if range.within(Range::new(1, i128::MAX)) => Range::new(1, 1),
            _ if range.within(self.range()) => range,
            _ => self.range(),
        }
    }
}

/// A scalar or a vector type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numeric {
    pub scalar: Scalar,
    pub lanes: usize,
}

impl From<Scalar> for Numeric {
    fn from(scalar: Scalar) -> Numeric {
        Numeric { scalar, lanes: 1 }
    }
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scalar.name())?;
        if self.lanes > 1 { write!(f, "{}", self.lanes) } else { Ok(()) }
    }
}

/// Address space of a pointer's target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    Private,
    Local,
    Global,
    Constant,
    /// Unqualified, where the version of OpenCL C has the generic address space.
    Generic,
}

impl Space {
    pub fn qualifier(self) -> &'static str {
        match self {
            Space::Private => "private ",
            Space::Local => "local ",
            Space::Global => "global ",
            Space::Constant => "constant ",
            Space::Generic => "",
        }
    }
}

/// Type of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Number(Numeric),
    /// By index.
    Record(usize),
    /// With a length that is a power of two.
    Array(Box<Ty>, usize),
    /// To the first of some elements, a power of two.
    Pointer(Space, Box<Ty>, usize),
}

/// Member of a structure or union.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub ty: Ty,
    /// Width of a bit-field.
    pub bits: Option<u32>,
}

/// A structure or union.
#[derive(Clone, Debug)]
pub struct RecordType {
    pub name: String,
    pub is_union: bool,
    pub members: Vec<Member>,
}

/// A variable. The value of a read-only one may have a smaller range than its type.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    pub writable: bool,
    pub range: Option<Range>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub text: String,
    pub ty: Numeric,
    pub range: Range,
    /// Binding strength of the outermost operator.
    pub level: u8,
    /// Width, if it is a bit-field.
    pub bits: Option<u32>,
}

/// Binding strengths: of a conditional expression, of unary operators and casts, and of primary expressions.
pub const CONDITIONAL: u8 = 2;
pub const UNARY: u8 = 13;
pub const PRIMARY: u8 = 14;

impl Expr {
    pub fn new(text: impl Into<String>, ty: impl Into<Numeric>, range: Range, level: u8) -> Expr {
        Expr { text: text.into(), ty: ty.into(), range, level, bits: None }
    }
    /// An expression with any value of its type.
    pub fn any(text: impl Into<String>, ty: impl Into<Numeric>, level: u8) -> Expr {
        let ty = ty.into();
        Expr::new(text, ty, ty.scalar.range(), level)
    }
    /// The type after integer promotion. Narrow bit-fields become `int`.
    pub fn promoted(&self) -> Scalar {
        match self.bits {
            Some(bits) if bits < 32 => Scalar::Int,
            Some(32) => Scalar::Int.integer(self.ty.scalar.is_signed()),
            _ => self.ty.scalar.promoted(),
        }
    }
    /// The text, in parentheses unless the operator binds at least as strong as `level`.
    pub fn at(&self, level: u8) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        use Scalar::*;
        for (a, b, common) in [
            (Char, UShort, Int),
            (Int, UInt, UInt),
            (UInt, Long, Long),
            (Long, ULong, ULong),
            (ULong, Float, Float),
            (Float, Double, Double),
            (Bool, Bool, Int),
        ] {
            assert_eq!((a.common(b), b.common(a)), (common, common));
        }
        assert_eq!(UChar.converted(Range::new(-1, 3)), Range::new(0, 255));
        assert_eq!(UChar.converted(Range::new(1, 3)), Range::new(1, 3));
        assert_eq!([Short.integer(false), Double.integer(true)], [UShort, Long]);
    }
}
