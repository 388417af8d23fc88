//! Formats of storage images in modules, for devices that read or write only images whose format the module
//! declares (shaderStorageImageReadWithoutFormat or ...WriteWithoutFormat is missing).
//!
//! The compiler does not know the format of an image, so it declares a placeholder. When the images are
//! known, [`declare`] makes a copy of the module with their formats. The original module never changes, so
//! the result depends only on the module and the formats.

use rustc_hash::FxHashMap;
use spirv::{Decoration, ImageFormat, Op, StorageClass};

/// Number of words before the first instruction.
const HEADER: usize = 5;
/// Index in the header of the bound of ids.
const BOUND: usize = 3;
/// Index of the format among the words of OpTypeImage.
const FORMAT: usize = 8;

/// The placeholder for the format of an image whose texels are floating-point numbers, or integers.
pub(crate) fn placeholder(float: bool) -> ImageFormat {
    if float { ImageFormat::R32f } else { ImageFormat::R32ui }
}

/// Whether every device with storage images can declare the format; others need
/// shaderStorageImageExtendedFormats.
pub fn is_basic(format: ImageFormat) -> bool {
    use ImageFormat as F;
    matches!(
        format,
        F::Rgba32f
            | F::Rgba16f
            | F::R32f
            | F::Rgba8
            | F::Rgba8Snorm
            | F::Rgba32i
            | F::Rgba16i
            | F::Rgba8i
            | F::R32i
            | F::Rgba32ui
            | F::Rgba16ui
            | F::Rgba8ui
            | F::R32ui
    )
}

/// The instructions of a module: opcode and words.
fn instructions(module: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = module.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let &first = rest.first()?;
        let words = rest.get(..(first >> 16).max(1) as usize)?;
        rest = &rest[words.len()..];
        Some((first & 0xffff, words))
    })
}

/// A new type that replaces another.
struct Renewed {
    old: u32,
    format: ImageFormat,
    image: u32,
    pointer: u32,
}

/// Copies the module with the formats of some storage images, each identified by its binding. Variables that
/// declare no format stay without; a format must fit the type of the texels.
pub fn declare(module: &[u32], formats: &[(u32, ImageFormat)]) -> Vec<u32> {
    const TYPE_IMAGE: u32 = Op::TypeImage as u32;
    const TYPE_POINTER: u32 = Op::TypePointer as u32;
    const VARIABLE: u32 = Op::Variable as u32;
    const LOAD: u32 = Op::Load as u32;
    const DECORATE: u32 = Op::Decorate as u32;
    let wanted: FxHashMap<u32, ImageFormat> = formats.iter().copied().collect();
    let mut images: FxHashMap<u32, u32> = FxHashMap::default();
    let mut pointers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut bound_to: FxHashMap<u32, ImageFormat> = FxHashMap::default();
    let mut next = module.get(BOUND).copied().unwrap_or_default();
    let mut renewed: Vec<Renewed> = Vec::new();
    // Maps a variable to the index of its new types.
    let mut variables: FxHashMap<u32, usize> = FxHashMap::default();
    for (op, words) in instructions(module) {
        match (op, words) {
            (DECORATE, &[_, id, decoration, binding]) if decoration == Decoration::Binding as u32 => {
                bound_to.extend(wanted.get(&binding).map(|format| (id, *format)));
            }
            (TYPE_IMAGE, words) => {
                images.extend(words.get(1).zip(words.get(FORMAT)));
            }
            (TYPE_POINTER, &[_, id, class, pointee]) if class == StorageClass::UniformConstant as u32 => {
                pointers.insert(id, pointee);
            }
            (VARIABLE, &[_, ty, id, ..]) => {
                let (Some(&image), Some(&format)) = (pointers.get(&ty), bound_to.get(&id)) else { continue };
                let declared = images.get(&image).copied().unwrap_or_default();
                if declared == ImageFormat::Unknown as u32 || declared == format as u32 {
                    continue;
                }
                let known = renewed.iter().position(|r| r.old == image && r.format == format);
                let index = known.unwrap_or_else(|| {
                    renewed.push(Renewed { old: image, format, image: next, pointer: next + 1 });
                    next += 2;
                    renewed.len() - 1
                });
                variables.insert(id, index);
            }
            _ => {}
        }
    }
    let mut out = module.get(..HEADER).unwrap_or_default().to_vec();
    if let Some(bound) = out.get_mut(BOUND) {
        *bound = next;
    }
    for (op, words) in instructions(module) {
        let at = out.len();
        out.extend_from_slice(words);
        match (op, words) {
            (TYPE_IMAGE, &[_, id, ..]) => {
                for new in renewed.iter().filter(|r| r.old == id) {
                    let at = out.len();
                    out.extend_from_slice(words);
                    out[at + 1] = new.image;
                    if let Some(format) = out.get_mut(at + FORMAT) {
                        *format = new.format as u32;
                    }
                }
            }
            (TYPE_POINTER, &[first, _, class, pointee]) if class == StorageClass::UniformConstant as u32 => {
                for new in renewed.iter().filter(|r| r.old == pointee) {
                    out.extend([first, new.pointer, class, new.image]);
                }
            }
            (VARIABLE, &[_, _, id, ..]) => {
                if let Some(&index) = variables.get(&id) {
                    out[at + 1] = renewed[index].pointer;
                }
            }
            (LOAD, &[_, _, _, pointer, ..]) => {
                if let Some(&index) = variables.get(&pointer) {
                    out[at + 1] = renewed[index].image;
                }
            }
            _ => {}
        }
    }
    out
}
