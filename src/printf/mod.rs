//! Text of kernels' printf calls (OpenCL C 6.15.14).
//!
//! A [`Printer`] converts the records of one call (see `clspv_bridge::printf`) to text. The output is that of
//! C's printf for the same values, with the components of vectors separated by commas. Where the behaviour is
//! undefined by the specification the output is still readable: an operand of another kind is converted, and
//! a conversion without an operand is printed unchanged. Nothing here panics, whatever the format and the
//! words.

mod float;
mod int;
mod stdout;

pub use stdout::write as to_stdout;

use clspv_bridge::printf::{Conversion, Length, Piece, PrintfArg, PrintfCall, Size, pieces};
use smallvec::SmallVec;
use std::borrow::Cow;

/// Looks up the string at a device address.
pub type Strings<'a> = &'a dyn Fn(u64) -> Option<Cow<'a, [u8]>>;

/// A component of an operand.
#[derive(Clone, Copy)]
enum Lane {
    /// Zero-extended, with its width.
    Int(u64, u8),
    Float(f64),
}

/// Operands of a record, from the words after its number.
struct Operands<'a> {
    args: std::slice::Iter<'a, PrintfArg>,
    words: &'a [u32],
}

/// An operand.
enum Operand<'a> {
    Lanes(SmallVec<[Lane; 4]>),
    Pointer(u64),
    Text(&'a [u8]),
}

impl<'a> Operands<'a> {
    fn word(&mut self) -> Option<u32> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(*first)
    }

    fn bits(&mut self, bits: u8) -> Option<u64> {
        let low = u64::from(self.word()?);
        Some(match bits {
            33.. => low | u64::from(self.word()?) << 32,
            _ => low & (u64::MAX >> (64 - u32::from(bits.clamp(1, 64)))),
        })
    }

    fn next(&mut self) -> Option<Operand<'a>> {
        Some(match self.args.next()? {
            PrintfArg::Int { bits, lanes } => {
                let lane = |o: &mut Self| Some(Lane::Int(o.bits(*bits)?, *bits));
                Operand::Lanes((0..*lanes).map(|_| lane(self)).collect::<Option<_>>()?)
            }
            PrintfArg::Float { bits, lanes } => {
                let lane = |o: &mut Self| Some(Lane::Float(float::value(o.bits(*bits)?, *bits)));
                Operand::Lanes((0..*lanes).map(|_| lane(self)).collect::<Option<_>>()?)
            }
            PrintfArg::Pointer => Operand::Pointer(self.bits(64)?),
            PrintfArg::Text(text) => Operand::Text(text),
        })
    }

    /// The operand of a `*`.
    fn size(&mut self) -> Option<i64> {
        match self.next()? {
            Operand::Lanes(lanes) => lanes.first().map(|l| signed(*l, Length::None)),
            _ => Some(0),
        }
    }
}

/// Layout of a field.
#[derive(Clone, Copy)]
struct Field {
    minus: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    kind: u8,
}

impl Field {
    fn of(c: &Conversion, operands: &mut Operands<'_>) -> Option<Field> {
        let most = i64::from(clspv_bridge::printf::MAX_SIZE);
        let mut field = Field {
            minus: c.minus,
            plus: c.plus,
            space: c.space,
            alternative: c.alternative,
            zero: c.zero,
            width: 0,
            precision: None,
            kind: c.kind,
        };
        match c.width {
            Some(Size::Number(n)) => field.width = n as usize,
            Some(Size::Operand) => {
                let n = operands.size()?;
                field.minus |= n < 0;
                field.width = n.clamp(-most, most).unsigned_abs() as usize;
            }
            None => {}
        }
        field.precision = match c.precision {
            Some(Size::Number(n)) => Some(n as usize),
            // A negative precision counts as a missing one.
            Some(Size::Operand) => usize::try_from(operands.size()?.min(most)).ok(),
            None => None,
        };
        Some(field)
    }

    /// Appends a sign or prefix and a body, padded to the width.
    fn put(&self, out: &mut Vec<u8>, prefix: &str, body: &[u8], zeros: bool) {
        let fill = self.width.saturating_sub(prefix.len() + body.len());
        let pad = |out: &mut Vec<u8>, byte| out.resize(out.len() + fill, byte);
        if !self.minus && !zeros {
            pad(out, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if !self.minus && zeros {
            pad(out, b'0');
        }
        out.extend_from_slice(body);
        if self.minus {
            pad(out, b' ');
        }
    }

    /// The sign of a signed conversion.
    fn sign(&self, negative: bool) -> &'static str {
        match () {
            () if negative => "-",
            () if self.plus => "+",
            () if self.space => " ",
            () => "",
        }
    }
}

/// A printf call with its format parsed, to print any number of records.
pub struct Printer<'a> {
    call: &'a PrintfCall,
    /// Words of a record, its number included.
    pub words: usize,
    pieces: Vec<Piece<'a>>,
}

impl<'a> Printer<'a> {
    /// Reads the call's format.
    pub fn new(call: &'a PrintfCall) -> Printer<'a> {
        let pieces = pieces(call.format.as_deref().unwrap_or_default()).collect();
        Printer { call, words: call.words() as usize, pieces }
    }

    /// Appends the text of one record; `words` are those after its number.
    pub fn record(&self, words: &[u32], strings: Strings<'_>, out: &mut Vec<u8>) {
        let mut operands = Operands { args: self.call.args.iter(), words };
        if self.call.format.is_some() {
            return self.pieces.iter().for_each(|p| piece(p, &mut operands, strings, out));
        }
        if let Some(format) = operands.bits(64).and_then(strings) {
            pieces(&format).for_each(|p| piece(&p, &mut operands, strings, out));
        }
    }
}

fn piece(piece: &Piece<'_>, operands: &mut Operands<'_>, strings: Strings<'_>, out: &mut Vec<u8>) {
    match piece {
        Piece::Text(text) => out.extend_from_slice(text),
        Piece::Conversion(c, spelling) => {
            if convert(c, operands, strings, out).is_none() {
                out.extend_from_slice(spelling);
            }
        }
    }
}

/// Appends one conversion; `None` if its operand is missing.
fn convert(
    c: &Conversion,
    operands: &mut Operands<'_>,
    strings: Strings<'_>,
    out: &mut Vec<u8>,
) -> Option<()> {
    let field = Field::of(c, operands)?;
    let operand = operands.next()?;
    match (c.kind, operand) {
        // The count of written characters is not available.
        (b'n', _) => {}
        (b's', Operand::Text(text)) => string(&field, text, out),
        (b's', Operand::Pointer(0)) => string(&field, b"(null)", out),
        (b's', Operand::Pointer(at)) => {
            string(&field, strings(at).as_deref().unwrap_or(b"(unknown string)"), out)
        }
        (_, Operand::Text(text)) => string(&field, text, out),
        (b'd' | b'i' | b'u' | b'o' | b'x' | b'X', Operand::Pointer(at)) => {
            int::put(&field, Lane::Int(at, 64), c.length, out);
        }
        (_, Operand::Pointer(at)) => pointer(&field, at, out),
        (_, Operand::Lanes(lanes)) => {
            let count = c.lanes.map_or(lanes.len(), usize::from);
            for (i, &lane) in lanes.iter().take(count).enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                put_lane(&field, lane, c, out);
            }
        }
    }
    Some(())
}

fn put_lane(field: &Field, lane: Lane, c: &Conversion, out: &mut Vec<u8>) {
    match (c.kind, lane) {
        (b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A', Lane::Float(x)) => float::put(field, x, out),
        (b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A', lane) => {
            float::put(field, signed(lane, Length::None) as f64, out)
        }
        // A character is an int converted to unsigned char.
        (b'c' | b's', lane) => {
            Field { precision: None, ..*field }.put(out, "", &[signed(lane, Length::None) as u8], false)
        }
        (b'p', lane) => pointer(field, signed(lane, Length::Long) as u64, out),
        (_, lane) => int::put(field, lane, c.length, out),
    }
}

fn string(field: &Field, text: &[u8], out: &mut Vec<u8>) {
    let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
    let end = field.precision.map_or(end, |p| p.min(end));
    field.put(out, "", &text[..end], false);
}

/// Prints a hexadecimal number, like most C libraries.
fn pointer(field: &Field, at: u64, out: &mut Vec<u8>) {
    let hex = Field { kind: b'x', alternative: true, ..*field };
    match at {
        0 => field.put(out, "", b"(nil)", false),
        _ => int::put(&hex, Lane::Int(at, 64), Length::Long, out),
    }
}

/// The width of an operand that a conversion reads.
fn width(length: Length, bits: u8) -> u8 {
    match length {
        Length::None => bits.min(32),
        Length::Char => bits.min(8),
        Length::Short => bits.min(16),
        Length::Int => bits.min(32),
        Length::Long => bits,
    }
}

/// Sign-extends from the width that is read.
fn signed(lane: Lane, length: Length) -> i64 {
    match lane {
        Lane::Int(x, bits) => {
            let shift = 64 - u32::from(width(length, bits).clamp(1, 64));
            (x << shift) as i64 >> shift
        }
        Lane::Float(x) => x as i64,
    }
}

/// Zero-extends from the width that is read.
fn unsigned(lane: Lane, length: Length) -> u64 {
    match lane {
        Lane::Int(x, bits) => x & (u64::MAX >> (64 - u32::from(width(length, bits).clamp(1, 64)))),
        Lane::Float(x) => x as i64 as u64,
    }
}

#[cfg(test)]
mod tests;
