//! The printf contract: the contents of a record in the print buffer, and the parsing of format strings
//! (OpenCL C 6.15.14).
//!
//! The print buffer is an array of 32-bit words. In its head, [`NEXT`] is the index of the first free word,
//! [`CAPACITY`] the index at which the buffer is full, and [`DROPPED`] counts calls whose records did not
//! fit. A record may start at any index below the capacity and is complete: the memory has space for the
//! longest record beyond the capacity.
//!
//! A record's first word is the launch's number base ([`crate::abi::ImplicitArg::PrintfBase`]) plus the index
//! of the call in [`crate::metadata::KernelInfo::printf`]. Then come the operands, each lane of at most 32
//! bits in one word and each of 64 bits in two, the low one first.

use serde::{Deserialize, Serialize};

/// Index of the word that counts words in use, the head included.
pub const NEXT: u32 = 0;
/// Index of the word that holds the index from which on no record may start.
pub const CAPACITY: u32 = 1;
/// Index of the word that counts dropped records (modulo 2^32).
pub const DROPPED: u32 = 2;
/// Number of words of the head.
pub const HEAD: u32 = 4;

/// One call of printf in a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub struct PrintfCall {
    /// The format string without its terminator; `None` if its address (of 64 bits) is the record's first
    /// operand.
    pub format: Option<Vec<u8>>,
    pub args: Vec<PrintfArg>,
}

/// An operand of printf.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum PrintfArg {
    /// Integers of 8, 16, 32 or 64 bits.
    Int { bits: u8, lanes: u8 },
    /// Floating-point numbers of 16, 32 or 64 bits.
    Float { bits: u8, lanes: u8 },
    /// An address of 64 bits.
    Pointer,
    /// A string known to the compiler, without its terminator. It takes no words of the record.
    Text(Vec<u8>),
}

impl PrintfArg {
    /// Number of words in the record.
    pub fn words(&self) -> u32 {
        match *self {
            PrintfArg::Int { bits, lanes } | PrintfArg::Float { bits, lanes } => {
                u32::from(lanes) * if bits > 32 { 2 } else { 1 }
            }
            PrintfArg::Pointer => 2,
            PrintfArg::Text(_) => 0,
        }
    }
}

impl PrintfCall {
    /// Number of words of the record.
    pub fn words(&self) -> u32 {
        let format = if self.format.is_none() { 2 } else { 0 };
        self.args.iter().fold(1 + format, |n, a| n.saturating_add(a.words()))
    }
}

/// Length modifier of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Length {
    None,
    /// `hh`
    Char,
    /// `h`
    Short,
    /// `hl`: 32-bit lanes of vectors.
    Int,
    /// `l`, `ll`, `j`, `z` and `t`
    Long,
}

/// A field width or precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Size {
    Number(u32),
    /// `*`: an operand. OpenCL C does not have it; it is parsed as in C.
    Operand,
}

/// Upper limit of widths and precisions; larger ones are clamped.
pub const MAX_SIZE: u32 = 16383;

/// A conversion specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Conversion {
    pub minus: bool,
    pub plus: bool,
    pub space: bool,
    pub alternative: bool,
    pub zero: bool,
    pub width: Option<Size>,
    pub precision: Option<Size>,
    /// The `v` specifier: 2, 3, 4, 8 or 16.
    pub lanes: Option<u8>,
    pub length: Length,
    /// One of `diouxXfFeEgGaAcspn`.
    pub kind: u8,
}

/// A piece of a format string.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Piece<'a> {
    /// Text that is written verbatim, including an invalid conversion.
    Text(&'a [u8]),
    /// A conversion with its spelling.
    Conversion(Conversion, &'a [u8]),
}

/// Iterator over the pieces of a format string, which ends at its first zero byte.
pub struct Pieces<'a> {
    rest: &'a [u8],
}

/// Splits a format string.
pub fn pieces(format: &[u8]) -> Pieces<'_> {
    let end = format.iter().position(|b| *b == 0).unwrap_or(format.len());
    Pieces { rest: &format[..end] }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let text = self.rest.iter().position(|b| *b == b'%').unwrap_or(self.rest.len());
        if text > 0 {
            let (head, rest) = self.rest.split_at(text);
            self.rest = rest;
            return Some(Piece::Text(head));
        }
        if self.rest.is_empty() {
            return None;
        }
        if self.rest.starts_with(b"%%") {
            let percent = &self.rest[..1];
            self.rest = &self.rest[2..];
            return Some(Piece::Text(percent));
        }
        let mut at = Scanner { bytes: self.rest, at: 1 };
        let conversion = at.conversion();
        // Not a conversion: the percent sign and the characters after it are text.
        let (head, rest) = self.rest.split_at(at.at);
        self.rest = rest;
        Some(conversion.map_or(Piece::Text(head), |c| Piece::Conversion(c, head)))
    }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    fn number(&mut self) -> u32 {
        let mut n = 0u32;
        while self.peek().is_ascii_digit() {
            n = n.saturating_mul(10).saturating_add(u32::from(self.peek() - b'0'));
            self.at += 1;
        }
        n.min(MAX_SIZE)
    }

    /// Parses what follows the percent sign: flags, width, precision, vector, length, kind.
    fn conversion(&mut self) -> Option<Conversion> {
        let mut c = Conversion {
            minus: false,
            plus: false,
            space: false,
            alternative: false,
            zero: false,
            width: None,
            precision: None,
            lanes: None,
            length: Length::None,
            kind: 0,
        };
        loop {
            match self.peek() {
                b'-' => c.minus = true,
                b'+' => c.plus = true,
                b' ' => c.space = true,
                b'#' => c.alternative = true,
                b'0' => c.zero = true,
                _ => break,
            }
            self.at += 1;
        }
        if self.eat(b'*') {
            c.width = Some(Size::Operand);
        } else if self.peek().is_ascii_digit() {
            c.width = Some(Size::Number(self.number()));
        }
        if self.eat(b'.') {
            c.precision = Some(if self.eat(b'*') { Size::Operand } else { Size::Number(self.number()) });
        }
        if self.eat(b'v') {
            c.lanes = Some(u8::try_from(self.number()).ok().filter(|n| matches!(n, 2 | 3 | 4 | 8 | 16))?);
        }
        c.length = if self.eat(b'h') {
            match self.peek() {
                b'h' => {
                    self.at += 1;
                    Length::Char
                }
                b'l' => {
                    self.at += 1;
                    Length::Int
                }
                _ => Length::Short,
            }
        } else if self.eat(b'l') {
            self.eat(b'l');
            Length::Long
        } else if self.eat(b'j') || self.eat(b'z') || self.eat(b't') {
            Length::Long
        } else {
            self.eat(b'L');
            Length::None
        };
        c.kind = self.peek();
        if !b"diouxXfFeEgGaAcspn".contains(&c.kind) || c.kind == 0 {
            return None;
        }
        self.at += 1;
        Some(c)
    }
}

/// For each operand of a format string, the kind of its conversion (`*` for widths and precisions).
pub(crate) fn operand_kinds(format: &[u8]) -> Vec<u8> {
    let mut kinds = Vec::new();
    for piece in pieces(format) {
        if let Piece::Conversion(c, _) = piece {
            kinds.extend(
                [c.width, c.precision].into_iter().filter(|s| *s == Some(Size::Operand)).map(|_| b'*'),
            );
            kinds.push(c.kind);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(format: &str) -> Conversion {
        let all: Vec<Piece<'_>> = pieces(format.as_bytes()).collect();
        let [Piece::Conversion(c, text)] = all[..] else { panic!("{format}: {all:?}") };
        assert_eq!(text, format.as_bytes());
        c
    }

    #[test]
    fn conversions_are_read() {
        let c = one("%-+ #012.5v4hld");
        assert!(c.minus && c.plus && c.space && c.alternative && c.zero);
        assert_eq!((c.width, c.precision), (Some(Size::Number(12)), Some(Size::Number(5))));
        assert_eq!((c.lanes, c.length, c.kind), (Some(4), Length::Int, b'd'));
        assert_eq!(one("%.f").precision, Some(Size::Number(0)));
        assert_eq!(one("%*.*s").precision, Some(Size::Operand));
        assert_eq!(one("%hhx").length, Length::Char);
        assert_eq!(one("%hu").length, Length::Short);
        assert_eq!([one("%ld").length, one("%lld").length, one("%zu").length], [Length::Long; 3]);
        assert_eq!(one("%99999999999d").width, Some(Size::Number(MAX_SIZE)));
        assert_eq!(operand_kinds(b"%d %% %*s%v2hhx %k %.*f"), b"d*sx*f");
    }

    #[test]
    fn what_is_no_conversion_is_text() {
        for format in ["%", "%-", "%5", "%.", "%v5d", "%v", "%k", "%l", "%hh", "%hl", "%v2", "%v999d", "%5.3"]
        {
            assert_eq!(operand_kinds(format.as_bytes()), b"", "{format}");
            let all: Vec<u8> = pieces(format.as_bytes())
                .flat_map(|p| match p {
                    Piece::Text(t) | Piece::Conversion(_, t) => t.to_vec(),
                })
                .collect();
            assert_eq!(all, format.as_bytes());
        }
        assert_eq!(pieces(b"100%%\0%d").collect::<Vec<_>>(), [Piece::Text(b"100"), Piece::Text(b"%")]);
    }
}
