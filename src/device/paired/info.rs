//! Facts of a paired device: what either of the two has.

use crate::device::info::{
    DOUBLE, DeviceInfo, ENQUEUE, FormatSupport, HALF, IMAGE_FORMATS, INT64_ATOMICS, ImageFacts, ImageUse,
};

/// Merges the facts of a pair. Also returns whether the secondary device supports images that the primary one
/// lacks.
pub fn merged(own: &DeviceInfo, other: &DeviceInfo) -> (DeviceInfo, bool) {
    let (mut info, gains) = merge(own, other);
    let what = if gains.is_empty() { String::new() } else { format!(": {}", gains.join(", ")) };
    info.notes.push(format!("kernels that it cannot run fall back to {}{what}", other.name));
    let formats = &info.image.formats;
    let more = formats.iter().filter(|f| !own.image.formats.contains(f)).count();
    let text = |what: &&'static str| match *what {
        IMAGE_FORMATS => format!("{}, {more} of them more widely on {}", formats.len(), other.name),
        _ => format!("on {}", other.name),
    };
    info.elsewhere = gains.iter().map(|what| (*what, text(what))).collect();
    (info, gains.contains(&IMAGE_FORMATS))
}

/// Merges the facts of two devices. Also returns the features that only the second has.
fn merge(own: &DeviceInfo, other: &DeviceInfo) -> (DeviceInfo, Vec<&'static str>) {
    let mut info = own.clone();
    let mut gains = Vec::new();
    let mut gain = |own: &mut bool, other: bool, name| {
        if !*own && other {
            *own = true;
            gains.push(name);
        }
    };
    gain(&mut info.fp64, other.fp64, DOUBLE);
    gain(&mut info.fp16, other.fp16, HALF);
    gain(&mut info.int64_atomics, other.int64_atomics, INT64_ATOMICS);
    if own.enqueue.is_none() && other.enqueue.is_some() {
        info.enqueue = other.enqueue;
        gains.push(ENQUEUE);
    }
    let (image, more) = merge_images(&own.image, &other.image);
    if more {
        info.image = image;
        info.images |= other.images;
        gains.push(IMAGE_FORMATS);
    }
    // A precision's properties come from the device that computes it.
    if !own.fp64 {
        info.denorm64 = other.denorm64;
    }
    if !own.fp16 {
        info.denorm16 = other.denorm16;
    }
    (info, gains)
}

/// Merges the image support of two devices. Also returns whether the second supports images that the first
/// lacks. Size limits are the smaller of the two, since an image may exist on either.
fn merge_images(own: &ImageFacts, other: &ImageFacts) -> (ImageFacts, bool) {
    if own.formats.is_empty() {
        return (other.clone(), !other.formats.is_empty());
    }
    let mut image = own.clone();
    for theirs in &other.formats {
        match image.formats.iter_mut().find(|f| f.format == theirs.format) {
            Some(known) => {
                known.uses = std::array::from_fn(|kind| either(known.uses[kind], theirs.uses[kind]))
            }
            None => image.formats.push(*theirs),
        }
    }
    // Every use on the second device is a use of the merged device.
    let gained = |f: &FormatSupport| own.formats.iter().all(|o| o.format != f.format || o.uses != f.uses);
    if !image.formats.iter().any(gained) {
        return (image, false);
    }
    image.max_2d = std::array::from_fn(|i| own.max_2d[i].min(other.max_2d[i]));
    image.max_3d = std::array::from_fn(|i| own.max_3d[i].min(other.max_3d[i]));
    image.max_layers = own.max_layers.min(other.max_layers);
    image.max_buffer = own.max_buffer.min(other.max_buffer);
    image.levels &= other.levels;
    image.level_writes &= other.level_writes;
    for (most, theirs) in [
        (&mut image.max_read_args, other.max_read_args),
        (&mut image.max_write_args, other.max_write_args),
        (&mut image.max_read_write_args, other.max_read_write_args),
    ] {
        *most = if *most == 0 { theirs } else { theirs.min(*most) };
    }
    (image, true)
}

fn either(a: ImageUse, b: ImageUse) -> ImageUse {
    ImageUse { read: a.read || b.read, write: a.write || b.write, read_write: a.read_write || b.read_write }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cl::image::{ImageFormat, ImageKind};
    use crate::cl::{CL_FLOAT, CL_R, CL_RGBA};

    #[test]
    fn what_either_has_is_reported() {
        let own = DeviceInfo { fp16: true, local_mem_size: 7, ..DeviceInfo::default() };
        let other = DeviceInfo {
            fp16: true,
            fp64: true,
            denorm16: true,
            denorm64: true,
            local_mem_size: 8,
            ..own.clone()
        };
        let (info, gains) = merge(&own, &other);
        assert!(info.fp16 && info.fp64 && !info.int64_atomics);
        assert!(info.denorm64 && !info.denorm16);
        assert_eq!((info.local_mem_size, gains), (7, vec![DOUBLE]));
    }

    #[test]
    fn images_are_those_of_either() {
        let none = ImageUse::default();
        let all = ImageUse { read: true, write: true, read_write: true };
        let support =
            |order, uses| FormatSupport { format: ImageFormat::new(order, CL_FLOAT), uses: [uses; 6] };
        let facts = |formats, size, both| ImageFacts {
            max_2d: [size; 2],
            max_read_write_args: both,
            pitch_alignment: 4,
            formats,
            ..ImageFacts::default()
        };
        let own = facts(vec![support(CL_R, ImageUse { read: true, ..none })], 9, 0);
        let (both, more) = merge_images(&own, &facts(vec![support(CL_R, all), support(CL_RGBA, all)], 5, 3));
        assert!(more && both.formats == [support(CL_R, all), support(CL_RGBA, all)]);
        assert_eq!((both.max_2d, both.max_read_write_args), ([5; 2], 3));
        // The result is unchanged where the second device supports nothing more.
        let (same, more) = merge_images(&own, &facts(vec![support(CL_R, none)], 5, 3));
        assert!(!more && same.formats == own.formats && same.max_2d == [9; 2]);
        let (theirs, more) = merge_images(&ImageFacts::default(), &own);
        assert!(
            more && theirs.uses(ImageFormat::new(CL_R, CL_FLOAT), ImageKind::D3).read
                && theirs.max_2d == [9; 2]
        );
    }
}
