//! A check: a kernel, its arguments, and what it must compute. Bytes are little-endian, as on every device.

use pyroclast_runtime::cl::*;

/// Texels of an image, of all its rows and slices.
#[derive(Clone)]
pub struct Image {
    pub kind: cl_mem_object_type,
    pub order: cl_channel_order,
    pub data_type: cl_channel_type,
    pub size: [usize; 3],
    pub texels: Vec<u8>,
}

/// An argument.
#[derive(Clone)]
pub enum Arg {
    Buffer(Vec<u8>),
    Value(Vec<u8>),
    /// Bytes of local memory.
    Local(usize),
    Image(Image),
    /// Addressing mode, filter, and whether coordinates are normalised.
    Sampler(cl_addressing_mode, cl_filter_mode, bool),
}

/// Kinds of numbers that are compared with a tolerance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    Single,
    Double,
}

/// The expected result of a check.
pub enum Expected {
    /// Exactly these bytes.
    Bytes(Vec<u8>),
    /// Numbers with a tolerance in units in the last place.
    Numbers { precision: Precision, values: Vec<f64>, ulps: f64 },
    /// Bytes, each of which may differ by one: normalised texels.
    Near(Vec<u8>),
    /// The output of `printf`, with its lines in any order.
    Printed(Vec<String>),
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Wrong(String),
    /// The device, or the driver under it, reported an error.
    Error(String),
}

/// A kernel with its arguments.
pub struct Check {
    pub name: String,
    pub source: String,
    pub kernel: String,
    pub args: Vec<Arg>,
    pub global: Vec<usize>,
    pub local: Option<Vec<usize>>,
    /// Index of the argument that is compared.
    pub result: usize,
    pub expected: Expected,
}

impl Expected {
    /// Compares what was found.
    pub fn compare(&self, found: &[u8]) -> Verdict {
        match self {
            Expected::Bytes(bytes) => of_positions(bytes.len(), found.len(), |i| {
                (bytes[i] != found[i]).then(|| format!("byte {i} is {:#04x} for {:#04x}", found[i], bytes[i]))
            }),
            Expected::Near(bytes) => of_positions(bytes.len(), found.len(), |i| {
                (bytes[i].abs_diff(found[i]) > 1)
                    .then(|| format!("byte {i} is {:#04x} for about {:#04x}", found[i], bytes[i]))
            }),
            Expected::Numbers { precision, values, ulps } => {
                let numbers = numbers(*precision, found);
                of_positions(values.len(), numbers.len(), |i| {
                    let off = distance(*precision, numbers[i], values[i]);
                    (off > *ulps).then(|| {
                        format!("number {i} is {:e} for {:e}, {off:.1} ulp off", numbers[i], values[i])
                    })
                })
            }
            Expected::Printed(lines) => {
                let text = String::from_utf8_lossy(found).into_owned();
                let mut printed: Vec<&str> = text.lines().collect();
                let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
                printed.sort_unstable();
                lines.sort_unstable();
                match printed == lines {
                    true => Verdict::Passed,
                    false => Verdict::Wrong(format!("printed {printed:?} for {lines:?}")),
                }
            }
        }
    }
}

/// The first difference, and their number.
fn of_positions(expected: usize, found: usize, differs: impl Fn(usize) -> Option<String>) -> Verdict {
    if expected != found {
        return Verdict::Wrong(format!("{found} values for {expected}"));
    }
    let mut all = (0..expected).filter_map(differs);
    match all.next() {
        None => Verdict::Passed,
        Some(first) => match all.count() {
            0 => Verdict::Wrong(first),
            more => Verdict::Wrong(format!("{first}, and {more} more")),
        },
    }
}

fn numbers(precision: Precision, bytes: &[u8]) -> Vec<f64> {
    match precision {
        Precision::Single => {
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]).into()).collect()
        }
        Precision::Double => bytes
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
            .collect(),
    }
}

/// Units in the last place of the expected number between two numbers; 0 for two NaNs. Results below the
/// smallest normal number may be zero.
fn distance(precision: Precision, found: f64, expected: f64) -> f64 {
    let (bits, least) = match precision {
        Precision::Single => (23, f64::from(f32::MIN_POSITIVE)),
        Precision::Double => (52, f64::MIN_POSITIVE),
    };
    if found == expected || found.is_nan() && expected.is_nan() || found == 0.0 && expected.abs() < least {
        return 0.0;
    }
    if !found.is_finite() || !expected.is_finite() {
        return f64::INFINITY;
    }
    let exponent = expected.abs().max(least).log2().floor();
    (found - expected).abs() / (exponent - f64::from(bits)).exp2()
}

/// A number with its bytes in the order of devices.
pub trait Number {
    fn bytes(self) -> impl IntoIterator<Item = u8>;
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            fn bytes(self) -> impl IntoIterator<Item = u8> {
                self.to_le_bytes()
            }
        }
        impl Number for &$ty {
            fn bytes(self) -> impl IntoIterator<Item = u8> {
                self.to_le_bytes()
            }
        }
    )*};
}
numbers! { u16 u32 u64 f32 f64 }

/// The little-endian bytes of numbers.
pub fn bytes_of(values: impl IntoIterator<Item = impl Number>) -> Vec<u8> {
    values.into_iter().flat_map(Number::bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_told() {
        let bytes = Expected::Bytes(vec![1, 2, 3]);
        assert_eq!(bytes.compare(&[1, 2, 3]), Verdict::Passed);
        assert_eq!(bytes.compare(&[1, 9, 9]), Verdict::Wrong("byte 1 is 0x09 for 0x02, and 1 more".into()));
        assert_eq!(bytes.compare(&[1]), Verdict::Wrong("1 values for 3".into()));
        assert_eq!(Expected::Near(vec![7]).compare(&[8]), Verdict::Passed);
        let one = Expected::Numbers { precision: Precision::Single, values: vec![1.0], ulps: 2.0 };
        let near = (1.0f32 + 2.0 * f32::EPSILON).to_le_bytes();
        assert_eq!(one.compare(&near), Verdict::Passed);
        assert!(matches!(one.compare(&1.1f32.to_le_bytes()), Verdict::Wrong(_)));
        assert!(matches!(one.compare(&f32::NAN.to_le_bytes()), Verdict::Wrong(_)));
        let lines = Expected::Printed(vec!["a 1".into(), "b".into()]);
        assert_eq!(lines.compare(b"b\na 1\n"), Verdict::Passed);
    }
}
