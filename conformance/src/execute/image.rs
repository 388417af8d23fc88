//! Image and sampler arguments: two-dimensional images, usually of four channels, with a kind of texel that
//! follows from how the kernel reads and writes them.

use super::data::{Contents, Element, Fill};
use clspv_bridge::ir::{ImageOp, Module, Op, Value};
use pyroclast_runtime::cl::*;
use std::collections::HashMap;
use std::fmt;
use test_support::cl::{ImageKind, image_format};

/// Default width and height.
pub const SIDE: usize = 64;

/// Kinds of texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Texels {
    Float,
    Half,
    /// Normalised bytes.
    Bytes,
    Int,
    Uint,
}

const NAMES: &[(Texels, &str)] = &[
    (Texels::Float, "float"),
    (Texels::Half, "half"),
    (Texels::Bytes, "bytes"),
    (Texels::Int, "int"),
    (Texels::Uint, "uint"),
];

impl Texels {
    fn parse(text: &str) -> Option<Texels> {
        NAMES.iter().find(|(_, n)| *n == text).map(|(t, _)| *t)
    }
    fn name(self) -> &'static str {
        NAMES.iter().find(|(t, _)| *t == self).map_or("", |(_, n)| n)
    }
    fn element(self) -> Element {
        match self {
            Texels::Float => Element::F32,
            Texels::Half => Element::F16,
            Texels::Bytes => Element::U8,
            Texels::Int => Element::I32,
            Texels::Uint => Element::U32,
        }
    }
}

/// Contents of an image before the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedImage {
    pub texels: Texels,
    /// 1, 2 or 4.
    pub channels: usize,
    pub fill: Fill,
    /// Width and height.
    pub size: [usize; 2],
}

impl PlannedImage {
    /// An image with the usual contents; `float` if the kernel accesses texels as floating-point numbers.
    pub fn usual(float: bool) -> PlannedImage {
        let texels = if float { Texels::Float } else { Texels::Uint };
        PlannedImage { texels, channels: 4, fill: texels.element().usual(), size: [SIDE; 2] }
    }

    /// Parses `KIND`, `KIND FILL` or `KIND FILL WIDTHxHEIGHT`, the words separated by `separator`; a number
    /// after the kind is the number of channels. `size` is that of images that do not name theirs.
    pub fn parse(text: &str, separator: char, size: [usize; 2]) -> Option<PlannedImage> {
        let (text, size) = match text.rsplit_once(separator) {
            Some((rest, last)) if last.contains('x') => (rest, parse_size(last)?),
            _ => (text, size),
        };
        let (kind, fill) = match text.split_once(separator) {
            Some((kind, fill)) => (kind, Some(Fill::parse(fill)?)),
            None => (text, None),
        };
        let name = kind.trim_end_matches(['1', '2', '4']);
        let texels = Texels::parse(name)?;
        let channels = match &kind[name.len()..] {
            "1" => 1,
            "2" => 2,
            "" | "4" => 4,
            _ => return None,
        };
        Some(PlannedImage { texels, channels, fill: fill.unwrap_or(texels.element().usual()), size })
    }

    pub fn format(self) -> cl_image_format {
        let data_type = match self.texels {
            Texels::Float => CL_FLOAT,
            Texels::Half => CL_HALF_FLOAT,
            Texels::Bytes => CL_UNORM_INT8,
            Texels::Int => CL_SIGNED_INT32,
            Texels::Uint => CL_UNSIGNED_INT32,
        };
        let order = match self.channels {
            1 => CL_R,
            2 => CL_RG,
            _ => CL_RGBA,
        };
        image_format(order, data_type)
    }

    pub const KIND: ImageKind = ImageKind::D2;

    /// Bytes of one texel.
    pub fn texel_bytes(self) -> usize {
        self.channels * self.texels.element().bytes()
    }

    pub fn contents(self) -> Contents {
        let [width, height] = self.size;
        Contents {
            element: self.texels.element(),
            fill: self.fill,
            bytes: width * height * self.texel_bytes(),
        }
    }

    /// Stored numbers may differ by a unit in the last place, including normalised ones, which are integers
    /// in memory.
    pub fn is_rounded(self) -> bool {
        !matches!(self.texels, Texels::Int | Texels::Uint)
    }
}

impl fmt::Display for PlannedImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height] = self.size;
        write!(f, "{}{} {} {width}x{height}", self.texels.name(), self.channels, self.fill)
    }
}

/// Parses `WIDTHxHEIGHT`.
pub fn parse_size(text: &str) -> Option<[usize; 2]> {
    let (width, height) = text.split_once('x')?;
    Some([width.parse().ok()?, height.parse().ok()?])
}

/// Modes of a sampler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlannedSampler {
    pub normalized: bool,
    pub linear: bool,
}

impl PlannedSampler {
    /// Parses `nearest`, `linear`, `nearest-normalized` or `linear-normalized`.
    pub fn parse(text: &str) -> Option<PlannedSampler> {
        let (filter, normalized) = match text.strip_suffix("-normalized") {
            Some(filter) => (filter, true),
            None => (text, false),
        };
        let linear = match filter {
            "nearest" => false,
            "linear" => true,
            _ => return None,
        };
        Some(PlannedSampler { normalized, linear })
    }

    pub fn filter(self) -> cl_filter_mode {
        if self.linear { CL_FILTER_LINEAR } else { CL_FILTER_NEAREST }
    }
}

impl fmt::Display for PlannedSampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.linear { "linear" } else { "nearest" })?;
        f.write_str(if self.normalized { "-normalized" } else { "" })
    }
}

/// For each argument of a kernel: whether the kernel itself reads or writes it as floating-point texels.
pub fn seen_as_float(module: &Module, kernel: &str) -> Vec<Option<bool>> {
    let Some(func) = module.functions.values().find(|f| f.kernel.is_some() && f.name == kernel) else {
        return vec![];
    };
    let Some(entry) = func.entry() else { return vec![] };
    let params = &func.blocks[entry].params;
    let index: HashMap<Value, usize> = params.iter().copied().enumerate().map(|(i, p)| (p, i)).collect();
    let mut seen = vec![None; params.len()];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(|i| &func.insts[*i]) {
        let Op::Image { op, .. } = inst.op else { continue };
        let texel = match op {
            ImageOp::Write => inst.args.last(),
            ImageOp::Read | ImageOp::Sample => inst.results.first(),
            _ => None,
        };
        if let (Some(&i), Some(texel)) = (inst.args.first().and_then(|a| index.get(a)), texel) {
            seen[i] = Some(func.ty(*texel).is_float());
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back() {
        let image = PlannedImage { texels: Texels::Bytes, channels: 2, fill: Fill::Small(9), size: [20, 30] };
        assert_eq!(PlannedImage::parse(&image.to_string(), ' ', [SIDE; 2]), Some(image));
        let bytes = |text| PlannedImage::parse(text, ':', [64, 32]).map(|i| i.contents().bytes);
        assert_eq!(bytes("half"), Some(64 * 32 * 8));
        assert_eq!(bytes("half1:any"), Some(64 * 32 * 2));
        assert_eq!(bytes("half1:small:9:8x4"), Some(8 * 4 * 2));
        assert_eq!(bytes("half21"), None);
        assert_eq!(bytes("half:8x"), None);
        let sampler = PlannedSampler { normalized: true, linear: false };
        assert_eq!(PlannedSampler::parse(&sampler.to_string()), Some(sampler));
        assert_eq!(PlannedSampler::parse("cubic"), None);
    }
}
