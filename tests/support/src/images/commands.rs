//! Commands on images: read, write, copy, fill, map, and copies from and to buffers, with origins and
//! pitches.

use super::format::{Class, Format, Random};
use super::{Findings, ImageMemory, Offer, offers, offers_in, small_size};
use crate::cl::{HostData, Image, ImageKind, Session, image_format};
use pyroclast_runtime::cl::*;

/// An image's contents on the host, tightly packed.
#[derive(Clone)]
struct Model {
    size: [usize; 3],
    element: usize,
    bytes: Vec<u8>,
}

/// A region of an image.
#[derive(Clone, Copy)]
struct Part {
    origin: [usize; 3],
    region: [usize; 3],
}

impl Part {
    fn whole(size: [usize; 3]) -> Part {
        Part { origin: [0; 3], region: size }
    }
    /// A proper part of the image in every direction with room.
    fn inner(size: [usize; 3]) -> Part {
        let origin = size.map(|n| usize::from(n > 2));
        Part { origin, region: size.map(|n| if n > 2 { n - 2 } else { n }) }
    }
    fn texels(self) -> usize {
        self.region.iter().product()
    }
}

impl Model {
    /// Offset of a row of a region.
    fn row(&self, part: Part, y: usize, z: usize) -> std::ops::Range<usize> {
        let [x, y, z] = [part.origin[0], part.origin[1] + y, part.origin[2] + z];
        let at = ((z * self.size[1] + y) * self.size[0] + x) * self.element;
        at..at + part.region[0] * self.element
    }
    /// The bytes of a region, tightly packed.
    fn get(&self, part: Part) -> Vec<u8> {
        let rows = (0..part.region[2]).flat_map(|z| (0..part.region[1]).map(move |y| (y, z)));
        rows.flat_map(|(y, z)| self.bytes[self.row(part, y, z)].to_vec()).collect()
    }
    fn put(&mut self, part: Part, tight: &[u8]) {
        let row = part.region[0] * self.element;
        for z in 0..part.region[2] {
            for y in 0..part.region[1] {
                let to = self.row(part, y, z);
                self.bytes[to].copy_from_slice(&tight[(z * part.region[1] + y) * row..][..row]);
            }
        }
    }
}

/// Memory with gaps between rows and slices.
pub(super) struct Pitched {
    row: usize,
    pub(super) pitches: [usize; 2],
    pub(super) bytes: Vec<u8>,
    kind: ImageKind,
    region: [usize; 3],
}

const GAP: u8 = 0xa5;

impl Pitched {
    /// Rows are a multiple of `step` elements apart.
    fn new(kind: ImageKind, region: [usize; 3], element: usize, step: usize) -> Pitched {
        let row = region[0] * element;
        let row_pitch = (row + 3 * element).next_multiple_of(step * element);
        let slice_pitch = match kind {
            ImageKind::D1Array => 2 * row_pitch,
            ImageKind::D2Array | ImageKind::D3 => (region[1] + 1) * row_pitch,
            _ => 0,
        };
        let size = row_pitch * (region[1] + 1) * (region[2] + 1) * 2;
        Pitched { row, pitches: [row_pitch, slice_pitch], bytes: vec![GAP; size], kind, region }
    }
    pub(super) fn filled(
        kind: ImageKind,
        region: [usize; 3],
        element: usize,
        step: usize,
        tight: &[u8],
    ) -> Pitched {
        let mut pitched = Pitched::new(kind, region, element, step);
        for (i, row) in tight.chunks_exact(pitched.row).enumerate() {
            let at = pitched.at(i);
            pitched.bytes[at..at + row.len()].copy_from_slice(row);
        }
        pitched
    }
    /// Offset of row number `i` in the order of a tight region.
    fn at(&self, i: usize) -> usize {
        let [row, slice] = self.pitches;
        match self.kind {
            // Layers of a one-dimensional array are images: the slice pitch lies between them.
            ImageKind::D1Array => i * slice,
            _ => i / self.region[1] * slice + i % self.region[1] * row,
        }
    }
    /// Returns the region; fails if the gaps have changed.
    fn tight(&self) -> (Vec<u8>, bool) {
        let mut rest = self.bytes.clone();
        let mut tight = Vec::new();
        for i in 0..self.region[1] * self.region[2] {
            let range = self.at(i)..self.at(i) + self.row;
            tight.extend_from_slice(&self.bytes[range.clone()]);
            rest[range].fill(GAP);
        }
        (tight, rest.iter().all(|b| *b == GAP))
    }
}

/// Compares elements; undefined bits may differ.
fn same(format: &Format, got: &[u8], want: &[u8]) -> Result<(), String> {
    let count = want.len() / format.bytes;
    match (0..count).find(|&i| (format.load(got, i) ^ format.load(want, i)) & format.mask() != 0) {
        None => Ok(()),
        Some(i) => Err(format!(
            "element {i} of {count} is {:#x}, not {:#x}",
            format.load(got, i),
            format.load(want, i)
        )),
    }
}

/// An image with its model.
struct Bench<'a> {
    session: &'a Session<'a>,
    offer: &'a Offer,
    kind: ImageKind,
    random: Random,
    image: Image<'a>,
    model: Model,
}

impl<'a> Bench<'a> {
    /// An image created from host memory with pitches.
    fn new(
        session: &'a Session<'a>,
        offer: &'a Offer,
        kind: ImageKind,
        seed: u64,
    ) -> Result<Bench<'a>, String> {
        Bench::lying(ImageMemory::Own, session, offer, kind, seed)
    }

    fn lying(
        memory: ImageMemory,
        session: &'a Session<'a>,
        offer: &'a Offer,
        kind: ImageKind,
        seed: u64,
    ) -> Result<Bench<'a>, String> {
        let (size, element) = (small_size(kind), offer.format.bytes);
        let mut random = Random::new(seed);
        let bytes = offer.format.elements(&mut random, size.iter().product(), true);
        let host = match kind {
            ImageKind::Buffer => {
                Pitched { bytes: bytes.clone(), pitches: [0, 0], row: 0, kind, region: size }
            }
            _ => Pitched::filled(kind, size, element, memory.step(session)?, &bytes),
        };
        let data = HostData { bytes: &host.bytes, row_pitch: host.pitches[0], slice_pitch: host.pitches[1] };
        let image = match memory {
            ImageMemory::Own => {
                session.image(offer.create(), offer.format.cl, kind, size, element, Some(data))?
            }
            ImageMemory::Buffer | ImageMemory::Rows => {
                session.image_in_buffer(offer.create(), offer.format.cl, kind, size, data)?
            }
        };
        Ok(Bench { session, offer, kind, random, image, model: Model { size, element, bytes } })
    }

    fn format(&self) -> &Format {
        &self.offer.format
    }

    fn fresh(&mut self, part: Part) -> Vec<u8> {
        let format = &self.offer.format;
        format.elements(&mut self.random, part.texels(), true)
    }

    /// The whole image must equal the model.
    fn check(&self) -> Result<(), String> {
        self.check_image(&self.image, &self.model)
    }

    fn check_image(&self, image: &Image<'_>, model: &Model) -> Result<(), String> {
        let mut got = vec![0u8; model.bytes.len()];
        self.session.read_image(image, [0; 3], model.size, [0, 0], &mut got)?;
        same(self.format(), &got, &model.bytes)
    }

    fn write(&mut self, part: Part, pitched: bool) -> Result<(), String> {
        let new = self.fresh(part);
        self.model.put(part, &new);
        if pitched {
            let host = Pitched::filled(self.kind, part.region, self.model.element, 1, &new);
            self.session.write_image(&self.image, part.origin, part.region, host.pitches, &host.bytes)?;
        } else {
            self.session.write_image(&self.image, part.origin, part.region, [0, 0], &new)?;
        }
        self.check()
    }

    fn read(&self, part: Part) -> Result<(), String> {
        let mut host = Pitched::new(self.kind, part.region, self.model.element, 1);
        self.session.read_image(&self.image, part.origin, part.region, host.pitches, &mut host.bytes)?;
        let (got, gaps) = host.tight();
        same(self.format(), &got, &self.model.get(part))?;
        if gaps { Ok(()) } else { Err("bytes between the rows were written".into()) }
    }

    fn copy(&mut self, part: Part) -> Result<(), String> {
        let mut other = Bench::new(self.session, self.offer, self.kind, 77)?;
        // To a fitting origin in another corner.
        let to = Part { origin: [0; 3], region: part.region };
        self.session.copy_image(&self.image, &other.image, part.origin, to.origin, part.region)?;
        other.model.put(to, &self.model.get(part));
        other.check()?;
        self.check()
    }

    /// Within one image, with regions that do not overlap.
    fn copy_inside(&mut self) -> Result<(), String> {
        let half = self.model.size[0] / 2;
        let [_, y, z] = self.model.size;
        let (from, to) = (
            Part { origin: [0; 3], region: [half, y, z] },
            Part { origin: [half + 1, 0, 0], region: [half, y, z] },
        );
        self.session.copy_image(&self.image, &self.image, from.origin, to.origin, from.region)?;
        let moved = self.model.get(from);
        self.model.put(to, &moved);
        self.check()
    }

    fn fill(&mut self, part: Part) -> Result<(), String> {
        let colour = match self.format().class() {
            Class::Float => [0.3f32, -0.7, 1.5, 0.6].map(f32::to_bits),
            Class::Signed => [-5i32, 70_000, -70_000, 100].map(|c| c as u32),
            Class::Unsigned => [5, 70_000, u32::MAX, 200],
        };
        self.session.fill_image(&self.image, colour, part.origin, part.region)?;
        let mut got = vec![0u8; self.model.bytes.len()];
        self.session.read_image(&self.image, [0; 3], self.model.size, [0, 0], &mut got)?;
        let filled = Model { bytes: got.clone(), ..self.model.clone() }.get(part);
        for i in 0..part.texels() {
            self.format().check_write(colour, self.format().load(&filled, i))?;
        }
        // All other elements are unchanged.
        self.model.put(part, &filled);
        same(self.format(), &got, &self.model.bytes)
    }

    fn map(&mut self, part: Part, flags: cl_map_flags) -> Result<(), String> {
        let row = part.region[0] * self.model.element;
        let (mut seen, new) = (vec![0u8; row * part.region[1] * part.region[2]], self.fresh(part));
        self.session.map_image(&self.image, flags, part.origin, part.region, row, |y, z, bytes| {
            let at = (z * part.region[1] + y) * row;
            seen[at..at + row].copy_from_slice(bytes);
            if flags != CL_MAP_READ {
                bytes.copy_from_slice(&new[at..at + row]);
            }
        })?;
        if flags & CL_MAP_READ != 0 {
            same(self.format(), &seen, &self.model.get(part))?;
        }
        if flags != CL_MAP_READ {
            self.model.put(part, &new);
        }
        self.check()
    }

    fn to_buffer(&self, part: Part) -> Result<(), String> {
        // Offsets need only the element's alignment.
        let (offset, bytes) = (self.model.element * 3, part.texels() * self.model.element);
        let buffer = self.session.buffer(offset + bytes + 8)?;
        self.session.write(&buffer, &vec![GAP; offset + bytes + 8])?;
        self.session.image_to_buffer(&self.image, &buffer, part.origin, part.region, offset)?;
        let mut got = vec![0u8; offset + bytes + 8];
        self.session.read(&buffer, &mut got)?;
        same(self.format(), &got[offset..offset + bytes], &self.model.get(part))?;
        let untouched = got[..offset].iter().chain(&got[offset + bytes..]).all(|b| *b == GAP);
        if untouched { Ok(()) } else { Err("bytes around the region were written".into()) }
    }

    fn of_buffer(&mut self, part: Part) -> Result<(), String> {
        let (offset, new) = (self.model.element, self.fresh(part));
        let buffer = self.session.buffer(offset + new.len())?;
        self.session.write(&buffer, &[vec![GAP; offset], new.clone()].concat())?;
        self.session.buffer_to_image(&buffer, &self.image, offset, part.origin, part.region)?;
        self.model.put(part, &new);
        self.check()
    }
}

/// Every command with every format of a type of image; for images in buffers, with some formats.
pub fn commands(session: &Session<'_>, kind: ImageKind, memory: ImageMemory) -> Result<(), String> {
    let mut findings = Findings::default();
    for (seed, offer) in offers_in(session, kind, memory)?.iter().enumerate() {
        let mut bench = match Bench::lying(memory, session, offer, kind, seed as u64) {
            Ok(bench) => bench,
            Err(error) => {
                findings.note(|| offer.format.name(), Err(format!("creation: {error}")));
                continue;
            }
        };
        let (whole, inner) = (Part::whole(bench.model.size), Part::inner(bench.model.size));
        let mut run = |what: &str, body: &mut dyn FnMut(&mut Bench<'_>) -> Result<(), String>| {
            let result = body(&mut bench);
            findings.note(|| format!("{}, {what}", offer.format.name()), result);
            // Errors of one command do not affect the check of the next.
            let mut now = vec![0u8; bench.model.bytes.len()];
            if session.read_image(&bench.image, [0; 3], bench.model.size, [0, 0], &mut now).is_ok() {
                bench.model.bytes = now;
            }
        };
        run("creation with data", &mut |b| b.check());
        run("write", &mut |b| b.write(whole, false));
        run("write of a region with pitches", &mut |b| b.write(inner, true));
        run("read of a region with pitches", &mut |b| b.read(inner));
        run("copy", &mut |b| b.copy(inner));
        run("copy inside an image", &mut |b| b.copy_inside());
        run("fill", &mut |b| b.fill(whole));
        run("fill of a region", &mut |b| b.fill(inner));
        run("map for reading", &mut |b| b.map(inner, CL_MAP_READ));
        run("map for both", &mut |b| b.map(inner, CL_MAP_READ | CL_MAP_WRITE));
        run("map of all for writing", &mut |b| b.map(whole, CL_MAP_WRITE_INVALIDATE_REGION));
        run("copy to a buffer", &mut |b| b.to_buffer(inner));
        run("copy from a buffer", &mut |b| b.of_buffer(inner));
    }
    findings.end()
}

/// Texels of 1, 4, 8 and 16 bytes.
const COPIED: [(cl_channel_order, cl_channel_type); 4] =
    [(CL_R, CL_UNORM_INT8), (CL_RGBA, CL_UNORM_INT8), (CL_RGBA, CL_HALF_FLOAT), (CL_RGBA, CL_FLOAT)];

/// Copies to images of every type, of the largest fitting region and of a part of it.
pub fn commands_between_types(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    let mut findings = Findings::default();
    let from_offers = offers(session, kind)?;
    for other in ImageKind::ALL {
        let to_offers = offers(session, other)?;
        for (order, data_type) in COPIED {
            let is = |o: &&Offer| super::same(o.format.cl, image_format(order, data_type));
            let (Some(from), Some(to)) = (from_offers.iter().find(is), to_offers.iter().find(is)) else {
                return Err(format!("{} is missing", super::format::name(image_format(order, data_type))));
            };
            let test = || -> Result<(), String> {
                let (a, mut b) = (Bench::new(session, from, kind, 5)?, Bench::new(session, to, other, 6)?);
                for less in [0, 1] {
                    let least = |i: usize| a.model.size[i].min(b.model.size[i]);
                    let region = [0, 1, 2].map(|i| if least(i) > less { least(i) - less } else { least(i) });
                    let source = Part { origin: [0, 1, 2].map(|i| a.model.size[i] - region[i]), region };
                    let target = Part { origin: [0; 3], region };
                    session.copy_image(&a.image, &b.image, source.origin, target.origin, region)?;
                    b.model.put(target, &a.model.get(source));
                    b.check()?;
                    a.check()?;
                }
                Ok(())
            };
            findings.note(|| format!("{} to {other:?}", from.format.name()), test());
        }
    }
    findings.end()
}
