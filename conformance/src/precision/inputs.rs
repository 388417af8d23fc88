//! Operands: edge cases, their combinations, and samples spread over all bit patterns and over the functions'
//! interesting ranges.

use super::dd::{Real, ldexp};
use super::judge::round;
use super::reference::Args;
use super::table::{Shape, Width};

/// Number of operands to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    Quick,
    Normal,
    /// More samples, and every operand of one-operand functions in single precision.
    Full,
}

/// The number with a bit pattern, and the pattern of a number of the format.
pub fn from_bits(width: Width, bits: u64) -> f64 {
    match width {
        Width::F16 => half::f16::from_bits(bits as u16).to_f64(),
        Width::F32 => f64::from(f32::from_bits(bits as u32)),
        Width::F64 => f64::from_bits(bits),
    }
}
pub fn to_bits(width: Width, x: f64) -> u64 {
    match width {
        Width::F16 => u64::from(half::f16::from_f64(x).to_bits()),
        Width::F32 => u64::from((x as f32).to_bits()),
        Width::F64 => x.to_bits(),
    }
}

/// SplitMix64 (G. Steele, D. Lea, C. Flood).
pub struct SplitMix(u64);

impl SplitMix {
    pub fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / 9_007_199_254_740_992.0
    }
    /// A number with an exponent in a range.
    pub fn scaled(&mut self, low: i32, high: i32) -> f64 {
        let e = low + (self.next() % (high - low + 1) as u64) as i32;
        let x = ldexp(1.0 + self.unit(), e);
        if self.next() & 1 == 1 { -x } else { x }
    }
}

fn fit(width: Width, x: f64) -> f64 {
    round(width, Real::exact(x))
}

/// Values at which functions have special results, change their method or come close to overflow.
pub fn edges(width: Width) -> Vec<f64> {
    let p = width.precision();
    let least = ldexp(1.0, width.min_exponent() - p + 1);
    let normal = ldexp(1.0, width.min_exponent());
    let max = ldexp(2.0 - ldexp(1.0, 1 - p), width.max_exponent());
    let eps = ldexp(1.0, 1 - p);
    let pi = std::f64::consts::PI;
    let mut list = vec![0.0, least, 3.0 * least, normal - least, normal, 2.0 * normal, max, f64::INFINITY];
    list.extend([
        0.5 - eps / 4.0,
        0.5,
        1.0 - eps / 2.0,
        1.0,
        1.0 + eps,
        1.5,
        2.0,
        2.5,
        3.0,
        4.0,
        7.0,
        10.0,
        100.0,
        0.1,
        0.3,
    ]);
    list.extend([pi / 4.0, pi / 2.0, pi, 2.0 * pi, 3.0 * pi, std::f64::consts::E, std::f64::consts::LN_2]);
    // Largest odd integer, the end of fractions, and beyond.
    list.extend([-1, 0, 1].map(|d| ldexp(1.0, p) + f64::from(d)));
    list.extend([0, 1].map(|d| ldexp(1.0, p - 1) - 0.5 * f64::from(d)));
    list.extend([7, 15, 31, 32, 63, 64].map(|n| ldexp(1.0, n)));
    // Overflow and underflow of exponentials, gamma, hyperbolic functions.
    let top = f64::from(width.max_exponent()) * std::f64::consts::LN_2;
    list.extend([
        top,
        top + 0.69,
        top + 0.70,
        top + 1.4,
        -f64::from(width.min_exponent() - p),
        35.04,
        171.6,
        27.2,
        10.05,
    ]);
    list.extend([ldexp(1.0, -p), ldexp(1.0, -p / 2), ldexp(1.0, -10)]);
    let mut all: Vec<f64> = list.into_iter().flat_map(|x| [fit(width, x), -fit(width, x)]).collect();
    all.push(f64::NAN);
    let mut seen = std::collections::HashSet::new();
    all.retain(|x| seen.insert(x.to_bits()));
    all
}

const INTEGERS: [i32; 26] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    4,
    5,
    -5,
    10,
    -10,
    23,
    24,
    -24,
    52,
    -53,
    127,
    -126,
    -149,
    255,
    1023,
    -1074,
    65535,
    i32::MAX,
    i32::MIN,
];

/// Pairs of operands of interest to a function: for powers, those with results within the range of the
/// format.
fn pair(name: &str, width: Width, r: &mut SplitMix) -> (f64, f64) {
    let top = width.max_exponent();
    match r.next() % 3 {
        0 => (from_bits(width, r.next()), from_bits(width, r.next())),
        1 => {
            let x = r.scaled(-12, 12);
            (x, r.scaled(-12, 12))
        }
        _ if name.contains("pow") => {
            let x = r.scaled(-top, top).abs();
            let y = (r.unit() * 2.2 - 1.1) * f64::from(top) / x.log2().abs().max(1e-300);
            let x = if r.next().is_multiple_of(8) { -x } else { x };
            (x, if x < 0.0 { y.round() } else { y })
        }
        _ => {
            // Close exponents: cancellation, quotients near integers.
            let x = r.scaled(-top + 2, top - 2);
            (x, x * r.scaled(-3, 3))
        }
    }
}

/// Passes operands of a function to a callback, chunk by chunk. Includes every half, but every float only in
/// [`super::sweep`].
pub fn generate(
    name: &str,
    shape: Shape,
    width: Width,
    depth: Depth,
    mut f: impl FnMut(&[Args]) -> Result<(), String>,
) -> Result<(), String> {
    const CHUNK: usize = 1 << 18;
    let none = Args { x: 0.0, y: 0.0, z: 0.0, n: 0 };
    let mut edges = edges(width);
    let mut list: Vec<Args> = Vec::new();
    let mut random =
        SplitMix::new(name.bytes().fold(7, |h: u64, b| h.wrapping_mul(31).wrapping_add(u64::from(b))));
    let samples = match depth {
        Depth::Quick => 600,
        Depth::Normal => 40_000,
        Depth::Full => 2_000_000,
    };
    if depth == Depth::Quick {
        edges.retain(|x| !x.is_finite() || x.abs() <= 4.0 || x.abs() > 1e30);
    }
    match shape {
        Shape::F1 | Shape::ToInt | Shape::Second | Shape::SecondInt => {
            let bits = 8 * width.bytes() as u32;
            let count = match (width, depth) {
                (Width::F16, Depth::Normal | Depth::Full) => 1 << 16,
                _ => samples,
            };
            let stride =
                if count >= 1u64 << bits.min(40) { 1 } else { ((u64::MAX >> (64 - bits)) / count) | 1 };
            for first in (0..count).step_by(CHUNK) {
                let pattern = |i: u64| i.wrapping_mul(stride) & (u64::MAX >> (64 - bits));
                list.clear();
                list.extend(
                    (first..count.min(first + CHUNK as u64))
                        .map(|i| Args { x: from_bits(width, pattern(i)), ..none }),
                );
                f(&list)?;
            }
            list.clear();
            list.extend(edges.iter().map(|&x| Args { x, ..none }));
            // The interesting range of most functions.
            list.extend((0..samples / 2).map(|_| Args { x: fit(width, random.scaled(-6, 8)), ..none }));
        }
        Shape::F2 | Shape::Remquo => {
            list.extend(edges.iter().flat_map(|&x| edges.iter().map(move |&y| Args { x, y, ..none })));
            for _ in 0..samples {
                let (x, y) = pair(name, width, &mut random);
                list.push(Args { x: fit(width, x), y: fit(width, y), ..none });
            }
        }
        Shape::F3 => {
            let few: Vec<f64> = edges.iter().copied().step_by(3).collect();
            for &x in &few {
                for &y in &few {
                    list.extend(few.iter().map(|&z| Args { x, y, z, n: 0 }));
                }
            }
            for _ in 0..samples {
                let (x, y) = pair(name, width, &mut random);
                let (x, y) = (fit(width, x), fit(width, y));
                let z = match random.next() % 3 {
                    0 => from_bits(width, random.next()),
                    // Cancels against the product.
                    1 => fit(width, -x * y * (1.0 + random.scaled(-60, -1))),
                    _ => fit(width, random.unit()),
                };
                let in_unit = Args {
                    x: fit(width, random.unit()),
                    y: fit(width, random.unit()),
                    z: fit(width, random.unit()),
                    n: 0,
                };
                list.push(Args { x, y, z, n: 0 });
                list.push(in_unit);
            }
        }
        Shape::OfInt => {
            list.extend(INTEGERS.iter().map(|&n| Args { n, ..none }));
            list.extend((0..samples).map(|_| Args { n: random.next() as i32, ..none }));
        }
        Shape::FI => {
            list.extend(edges.iter().flat_map(|&x| INTEGERS.iter().map(move |&n| Args { x, n, ..none })));
            for _ in 0..samples {
                let (x, y) = pair(name, width, &mut random);
                let n = match random.next() % 3 {
                    0 => random.next() as i32,
                    1 => y.clamp(-1e9, 1e9) as i32,
                    _ => (random.next() % 400) as i32 - 200,
                };
                list.push(Args { x: fit(width, x), n, ..none });
            }
        }
    }
    list.chunks(CHUNK).try_for_each(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_fit_their_format() {
        for width in Width::ALL {
            for shape in [Shape::F1, Shape::F2, Shape::F3, Shape::FI] {
                let mut count = 0;
                generate("pow", shape, width, Depth::Quick, |list| {
                    count += list.len();
                    for a in list {
                        for v in [a.x, a.y, a.z] {
                            assert!(
                                v.is_nan() || from_bits(width, to_bits(width, v)).to_bits() == v.to_bits(),
                                "{v:e} in {width:?}"
                            );
                        }
                    }
                    Ok(())
                })
                .unwrap();
                assert!(count > 500);
            }
        }
    }

    #[test]
    fn all_halves_are_tried() {
        let mut seen = std::collections::HashSet::new();
        generate("exp", Shape::F1, Width::F16, Depth::Normal, |list| {
            seen.extend(list.iter().map(|a| to_bits(Width::F16, a.x)));
            Ok(())
        })
        .unwrap();
        assert!(seen.len() > 65536 - 2048);
    }
}
