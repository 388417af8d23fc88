//! Contents of buffers and images, the same on every platform, and the comparison of results.
//!
//! Floating-point data are small multiples of 1/8, so that sums of products are exact in any order, fused or
//! not. Integers are small, because many are indices. Bytes take any value.

use clspv_bridge::ir::Scalar;
use half::f16;
use std::fmt;

/// Type of a buffer's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

const NAMES: &[(Element, &str)] = &[
    (Element::I8, "char"),
    (Element::U8, "uchar"),
    (Element::I16, "short"),
    (Element::U16, "ushort"),
    (Element::I32, "int"),
    (Element::U32, "uint"),
    (Element::I64, "long"),
    (Element::U64, "ulong"),
    (Element::F16, "half"),
    (Element::F32, "float"),
    (Element::F64, "double"),
];

impl Element {
    /// Element type of "float4*", "uchar" and similar; `None` for structures.
    pub fn of_type(name: &str) -> Option<Element> {
        let name = name.trim_end_matches(['*', ' ']).trim_end_matches(|c: char| c.is_ascii_digit());
        let name = match name {
            "unsigned int" => "uint",
            "unsigned char" => "uchar",
            "unsigned short" => "ushort",
            "unsigned long" => "ulong",
            "bool" => "uchar",
            other => other,
        };
        NAMES.iter().find(|(_, n)| *n == name).map(|(e, _)| *e)
    }
    /// Element type of a compiler's type.
    pub fn of_scalar(scalar: Scalar) -> Option<Element> {
        Some(match scalar {
            Scalar::I1 => return None,
            Scalar::I8 => Element::U8,
            Scalar::I16 => Element::U16,
            Scalar::I32 => Element::U32,
            Scalar::I64 => Element::U64,
            Scalar::F16 => Element::F16,
            Scalar::F32 => Element::F32,
            Scalar::F64 => Element::F64,
        })
    }
    pub fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::F32 | Element::F64)
    }
    pub fn bytes(self) -> usize {
        match self {
            Element::I8 | Element::U8 => 1,
            Element::I16 | Element::U16 | Element::F16 => 2,
            Element::I32 | Element::U32 | Element::F32 => 4,
            Element::I64 | Element::U64 | Element::F64 => 8,
        }
    }
    /// Data that is safe for the type: no index out of range as far as the type shows.
    pub fn usual(self) -> Fill {
        match self {
            Element::I16 | Element::U16 => Fill::Small(256),
            Element::I32 | Element::U32 | Element::I64 | Element::U64 => Fill::Small(16),
            _ => Fill::Any,
        }
    }
    /// Encodes a number.
    pub fn encode(self, x: f64) -> Vec<u8> {
        match self {
            Element::I8 | Element::U8 => vec![x as i64 as u8],
            Element::I16 | Element::U16 => (x as i64 as u16).to_le_bytes().into(),
            Element::I32 | Element::U32 => (x as i64 as u32).to_le_bytes().into(),
            Element::I64 | Element::U64 => (x as i64).to_le_bytes().into(),
            Element::F16 => f16::from_f64(x).to_le_bytes().into(),
            Element::F32 => (x as f32).to_le_bytes().into(),
            Element::F64 => x.to_le_bytes().into(),
        }
    }
    /// Decodes a number.
    pub fn value(self, bytes: &[u8]) -> f64 {
        self.decode(bytes).0
    }
    /// Distance between neighbouring numbers of this type near one.
    pub fn unit(self, x: f64) -> f64 {
        let (digits, least) = match self {
            Element::F16 => (10, -24),
            Element::F32 => (23, -149),
            Element::F64 => (52, -1074),
            _ => return 1.0,
        };
        let exponent = if x == 0.0 { least } else { x.abs().log2().floor() as i32 - digits };
        2f64.powi(exponent.max(least))
    }
    /// Value of an element and its index in the order of all values of the type.
    fn decode(self, bytes: &[u8]) -> (f64, i64) {
        let mut word = [0u8; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word) as i64;
        let ordered = |sign: i64| if bits & sign != 0 { -(bits & (sign - 1)) } else { bits };
        match self {
            Element::F16 => (f16::from_bits(bits as u16).to_f64(), ordered(0x8000)),
            Element::F32 => (f64::from(f32::from_bits(bits as u32)), ordered(0x8000_0000)),
            Element::F64 => (f64::from_bits(bits as u64), if bits < 0 { -(bits & i64::MAX) } else { bits }),
            _ => (bits as f64, bits),
        }
    }
}

/// How a buffer is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    Zero,
    /// Any bytes, floating-point numbers of 1/8 to 2, other integers below 2^15.
    Any,
    /// Integers from 0 up to, not including, this number.
    Small(u32),
    /// 0, 1, 2, ...
    Iota,
    /// The listed numbers, then zeros: `A,B,...`, 16 at most.
    List([u32; LISTED]),
}

/// Maximum length of a list.
const LISTED: usize = 16;

/// Random contents repeat after this many elements.
const PERIOD: usize = 1 << 20;

/// The numbers of a list, and zeros.
fn list(text: &str) -> Option<[u32; LISTED]> {
    let numbers: Vec<u32> = text.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    let mut list = [0; LISTED];
    list.get_mut(..numbers.len())?.copy_from_slice(&numbers);
    Some(list)
}

impl Fill {
    pub fn parse(text: &str) -> Option<Fill> {
        match text.split_once(':') {
            Some(("small", n)) => n.parse().ok().filter(|n| *n > 0).map(Fill::Small),
            _ => Some(match text {
                "zero" => Fill::Zero,
                "any" => Fill::Any,
                "iota" => Fill::Iota,
                numbers => Fill::List(list(numbers)?),
            }),
        }
    }
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fill::Zero => write!(f, "zero"),
            Fill::Any => write!(f, "any"),
            Fill::Iota => write!(f, "iota"),
            Fill::Small(n) => write!(f, "small:{n}"),
            Fill::List(numbers) => write!(f, "{}", numbers.map(|n| n.to_string()).join(",")),
        }
    }
}

/// Contents of a buffer before the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contents {
    pub element: Element,
    pub fill: Fill,
    pub bytes: usize,
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(e, _)| *e == self.element).map_or("", |(_, n)| n);
        write!(f, "{name} {} {}", self.fill, self.bytes)
    }
}

impl Contents {
    pub fn parse(text: &str) -> Option<Contents> {
        let mut words = text.split(' ');
        let element = Element::of_type(words.next()?)?;
        let fill = Fill::parse(words.next()?)?;
        Some(Contents { element, fill, bytes: words.next()?.parse().ok()? })
    }

    /// The bytes; equal seeds yield equal bytes.
    pub fn generate(&self, seed: u32) -> Vec<u8> {
        let value = |i: u32| {
            let mixed = (i ^ seed.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
            let mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
            let random = mixed ^ (mixed >> 16);
            match self.fill {
                Fill::Zero => 0.0,
                Fill::Iota => f64::from(i),
                Fill::List(numbers) => numbers.get(i as usize).copied().map_or(0.0, f64::from),
                Fill::Small(n) => f64::from(random % n),
                Fill::Any if self.element.is_float() => f64::from(random % 16 + 1) / 8.0,
                Fill::Any if self.element.bytes() == 1 => f64::from(random & 255),
                Fill::Any => f64::from(random & 0x7fff),
            }
        };
        let count = self.bytes.div_ceil(self.element.bytes());
        let period = match self.fill {
            Fill::Small(_) | Fill::Any => count.min(PERIOD),
            Fill::Zero | Fill::Iota | Fill::List(_) => count,
        };
        let mut bytes: Vec<u8> = (0..period as u32).flat_map(|i| self.element.encode(value(i))).collect();
        while bytes.len() < self.bytes {
            bytes.extend_from_within(..bytes.len().min(self.bytes - bytes.len()));
        }
        bytes.truncate(self.bytes);
        bytes
    }
}

/// A buffer or image whose contents are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    pub contents: Contents,
    /// Tolerance in units in the last place.
    pub ulps: u64,
}

/// Result of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub enum Difference {
    /// Equal; the largest difference of floating-point numbers in units in the last place.
    None(u64),
    /// First element whose difference exceeds the tolerance.
    At(String),
}

/// Compares the buffers and images of two runs.
pub fn compare(memories: impl Iterator<Item = Memory>, a: &[u8], b: &[u8]) -> Difference {
    if a.len() != b.len() {
        return Difference::At(format!("{} and {} bytes", a.len(), b.len()));
    }
    let mut worst = 0;
    let mut at = 0;
    for (n, Memory { contents, ulps: allowed }) in memories.enumerate() {
        let (element, size) = (contents.element, contents.element.bytes());
        let end = at + contents.bytes;
        let pairs = a[at..end].chunks_exact(size).zip(b[at..end].chunks_exact(size));
        for (i, (x, y)) in pairs.enumerate().filter(|(_, (x, y))| x != y) {
            let ((fx, ox), (fy, oy)) = (element.decode(x), element.decode(y));
            let ulps = match element.is_float() {
                // All NaNs are equal.
                true if fx.is_nan() && fy.is_nan() => 0,
                true if fx.is_nan() != fy.is_nan() => u64::MAX,
                _ => ox.abs_diff(oy),
            };
            if ulps > allowed {
                return Difference::At(format!("memory {n}, element {i}: {fx}, the reference has {fy}"));
            }
            worst = worst.max(ulps);
        }
        at = end;
    }
    Difference::None(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(element: Element) -> impl Iterator<Item = Memory> {
        let contents = Contents { element, fill: Fill::Zero, bytes: 8 };
        std::iter::once(Memory { contents, ulps: if element.is_float() { 2 } else { 0 } })
    }

    #[test]
    fn floats_may_differ_a_little_and_integers_not() {
        let k = || two(Element::F32);
        let pair = |x: f32| [x.to_le_bytes(), 1f32.to_le_bytes()].concat();
        let next = f32::from_bits(2f32.to_bits() + 2);
        assert_eq!(compare(k(), &pair(2.0), &pair(next)), Difference::None(2));
        assert_eq!(compare(k(), &pair(0.0), &pair(-0.0)), Difference::None(0));
        assert_eq!(compare(k(), &pair(f32::NAN), &pair(-f32::NAN)), Difference::None(0));
        assert!(matches!(compare(k(), &pair(f32::NAN), &pair(1.0)), Difference::At(_)));
        assert!(matches!(compare(k(), &pair(2.0), &pair(2.1)), Difference::At(_)));
        assert!(matches!(compare(two(Element::I32), &pair(2.0), &pair(next)), Difference::At(_)));
    }

    #[test]
    fn data_is_reproducible_and_in_range() {
        let floats = Contents { element: Element::F32, fill: Fill::Any, bytes: 4000 };
        assert_eq!(floats.generate(3), floats.generate(3));
        assert_ne!(floats.generate(3), floats.generate(4));
        let value = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        assert!(floats.generate(1).chunks_exact(4).all(|b| (0.125..=2.0).contains(&value(b))));
        let small = Contents { element: Element::I16, fill: Fill::Small(5), bytes: 101 };
        assert!(small.generate(1).chunks_exact(2).all(|b| b[0] < 5 && b[1] == 0));
        assert_eq!(small.generate(1).len(), 101);
        let Some(fill) = Fill::parse("7,4000000000") else { panic!("a list") };
        assert!(Fill::parse(&fill.to_string()) == Some(fill) && Fill::parse("1,,2").is_none());
        let words = Contents { element: Element::U32, fill, bytes: 100 }.generate(1);
        assert_eq!(words[..9], [7, 0, 0, 0, 0, 0x28, 0x6b, 0xee, 0]);
        assert!(words[8..].iter().all(|b| *b == 0));
    }

    #[test]
    fn types_by_name() {
        assert_eq!(Element::of_type("float4*"), Some(Element::F32));
        assert_eq!(Element::of_type("uchar16"), Some(Element::U8));
        assert_eq!(Element::of_type("struct pair*"), None);
    }
}
