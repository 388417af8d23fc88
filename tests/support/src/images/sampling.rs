//! Reference of samplers: chapter "Image Addressing and Filtering" of the environment specification, in
//! double precision.

use super::format::Format;
use pyroclast_runtime::cl::*;

/// A sampler's modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    pub addressing: cl_addressing_mode,
    pub linear: bool,
    pub normalized: bool,
}

impl Mode {
    /// Every allowed combination: both repeat modes require normalised coordinates.
    pub fn all() -> Vec<Mode> {
        let addressing = [
            CL_ADDRESS_NONE,
            CL_ADDRESS_CLAMP_TO_EDGE,
            CL_ADDRESS_CLAMP,
            CL_ADDRESS_REPEAT,
            CL_ADDRESS_MIRRORED_REPEAT,
        ];
        let modes =
            addressing.into_iter().flat_map(|addressing| {
                [(false, false), (false, true), (true, false), (true, true)]
                    .map(|(linear, normalized)| Mode { addressing, linear, normalized })
            });
        modes.filter(|m| m.normalized || !m.repeats()).collect()
    }

    pub fn repeats(self) -> bool {
        matches!(self.addressing, CL_ADDRESS_REPEAT | CL_ADDRESS_MIRRORED_REPEAT)
    }

    /// Integer coordinates are allowed (Coordinate Format for Reading and Writing Images).
    pub fn takes_integers(self) -> bool {
        !self.normalized && !self.linear && !self.repeats()
    }

    /// Whether the element is selected exactly (Precision of Addressing and Filter Modes); for all other
    /// modes the specification leaves the precision open.
    pub fn is_exact(self) -> bool {
        self.takes_integers()
    }

    /// The mode as a literal in OpenCL C.
    pub fn literal(self) -> String {
        let addressing = match self.addressing {
            CL_ADDRESS_NONE => "NONE",
            CL_ADDRESS_CLAMP_TO_EDGE => "CLAMP_TO_EDGE",
            CL_ADDRESS_CLAMP => "CLAMP",
            CL_ADDRESS_REPEAT => "REPEAT",
            _ => "MIRRORED_REPEAT",
        };
        let filter = if self.linear { "LINEAR" } else { "NEAREST" };
        let normalized = if self.normalized { "TRUE" } else { "FALSE" };
        format!("CLK_NORMALIZED_COORDS_{normalized} | CLK_ADDRESS_{addressing} | CLK_FILTER_{filter}")
    }

    /// A name for tests and kernels.
    pub fn name(self) -> String {
        let words = self
            .literal()
            .replace("CLK_NORMALIZED_COORDS_TRUE", "norm")
            .replace("CLK_NORMALIZED_COORDS_FALSE", "plain");
        words.replace("CLK_ADDRESS_", "").replace("CLK_FILTER_", "").replace(" | ", "_").to_lowercase()
    }

    /// The one or two elements along an axis, with their weights; an index outside selects the border.
    fn elements(self, coordinate: f64, n: usize) -> Vec<(i64, f64)> {
        let size = n as f64;
        let last = n as i64 - 1;
        let u = match self.addressing {
            CL_ADDRESS_REPEAT => (coordinate - coordinate.floor()) * size,
            CL_ADDRESS_MIRRORED_REPEAT => {
                (coordinate - 2.0 * (0.5 * coordinate).round_ties_even()).abs() * size
            }
            _ if self.normalized => coordinate * size,
            _ => coordinate,
        };
        let address = |i: i64| match self.addressing {
            CL_ADDRESS_CLAMP => i.clamp(-1, n as i64),
            CL_ADDRESS_CLAMP_TO_EDGE | CL_ADDRESS_MIRRORED_REPEAT => i.clamp(0, last),
            CL_ADDRESS_REPEAT => i.rem_euclid(n as i64),
            _ => i,
        };
        if !self.linear {
            return vec![(address(u.floor() as i64), 1.0)];
        }
        let first = (u - 0.5).floor();
        let a = u - 0.5 - first;
        vec![(address(first as i64), 1.0 - a), (address(first as i64 + 1), a)]
    }
}

/// An image's elements.
pub struct Texels<'a> {
    pub format: &'a Format,
    /// Size of the image.
    pub size: [usize; 3],
    /// Number of filtered coordinates; an array's layer follows them.
    pub axes: usize,
    pub is_array: bool,
    pub bytes: &'a [u8],
}

/// Expected result of a read.
pub struct Sample {
    pub value: [f64; 4],
    /// Bound of a linear result's rounding errors: the sum of magnitudes.
    pub magnitude: f64,
    /// The element that a nearest read takes; `None` for the border.
    pub element: Option<u128>,
    /// Whether an element outside the image is involved although that is undefined.
    pub undefined: bool,
}

impl Texels<'_> {
    fn element(&self, at: [i64; 3]) -> Option<u128> {
        let inside = (0..3).all(|k| (0..self.size[k] as i64).contains(&at[k]));
        let index = (at[2] * self.size[1] as i64 + at[1]) * self.size[0] as i64 + at[0];
        inside.then(|| self.format.load(self.bytes, index as usize))
    }

    /// A read through a sampler.
    pub fn sample(&self, mode: Mode, at: [f32; 3]) -> Sample {
        let mut points = vec![([0i64; 3], 1.0f64)];
        for k in 0..self.axes {
            let along = mode.elements(f64::from(at[k]), self.size[k]);
            points = points
                .into_iter()
                .flat_map(|(p, w)| {
                    along.iter().map(move |&(i, a)| {
                        let mut p = p;
                        p[k] = i;
                        (p, w * a)
                    })
                })
                .collect();
        }
        if self.is_array {
            // Selecting an Image from an Image Array.
            let layers = self.size[self.axes] as i64;
            let layer = (f64::from(at[self.axes]).round_ties_even() as i64).clamp(0, layers - 1);
            points.iter_mut().for_each(|(p, _)| p[self.axes] = layer);
        }
        let mut sample = Sample { value: [0.0; 4], magnitude: 0.0, element: None, undefined: false };
        for (p, weight) in points {
            let element = self.element(p);
            let texel = element.map_or_else(|| self.format.border(), |e| self.format.texel(e));
            sample.element = element;
            sample.undefined |= element.is_none() && mode.addressing == CL_ADDRESS_NONE;
            for (sum, t) in sample.value.iter_mut().zip(texel) {
                *sum += weight * t;
                sample.magnitude = sample.magnitude.max(t.abs());
            }
        }
        sample
    }
}
