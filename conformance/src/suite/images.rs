//! Images: each format with each command, read, written and sampled by kernels, against the reference in
//! `test_support::images`.

use super::{Context, Outcome, Sink};
use test_support::cl::{ImageKind, Session};
use test_support::images::{
    ImageMemory, commands, filters, il, kernels, levels, objects, read_write, required_formats, samplers,
};

type Test = (&'static str, fn(&Session<'_>, ImageKind, bool) -> Result<(), String>, &'static [ImageKind]);

const SAMPLED: [ImageKind; 5] =
    [ImageKind::D1, ImageKind::D1Array, ImageKind::D2, ImageKind::D2Array, ImageKind::D3];

const TESTS: &[Test] = &[
    ("required formats", |s, k, _| required_formats(s, k), &ImageKind::ALL),
    ("commands", |s, k, _| commands::commands(s, k, ImageMemory::Own), &ImageKind::ALL),
    ("commands in buffers", |s, k, _| commands::commands(s, k, ImageMemory::Buffer), &SAMPLED),
    ("commands in rows of buffers", |s, k, _| commands::commands(s, k, ImageMemory::Rows), &SAMPLED),
    ("texels", |s, k, _| kernels::texels(s, k, ImageMemory::Own), &ImageKind::ALL),
    ("texels in buffers", |s, k, _| kernels::texels(s, k, ImageMemory::Buffer), &SAMPLED),
    ("texels in rows of buffers", |s, k, _| kernels::texels(s, k, ImageMemory::Rows), &SAMPLED),
    ("queries", |s, k, _| kernels::queries(s, k), &ImageKind::ALL),
    ("samplers", |s, k, quick| samplers::sampling(s, k, !quick, ImageMemory::Own), &SAMPLED),
    ("many samplers in one kernel", |s, k, _| samplers::together(s, k), &[ImageKind::D2, ImageKind::D3]),
    ("commands between types", |s, k, _| commands::commands_between_types(s, k), &ImageKind::ALL),
    ("levels in commands", |s, k, _| levels::commands(s, k), &SAMPLED),
    ("writes to levels", |s, k, _| levels::writes(s, k), &SAMPLED),
    ("levels of single texels", |s, k, _| levels::single_texels(s, k), &SAMPLED),
    ("levels in kernels", |s, k, _| levels::kernels(s, k), &SAMPLED),
    ("many arguments", |s, _, _| kernels::many_arguments(s), &[ImageKind::D2]),
    ("exchange between work-items", |s, k, _| read_write::exchange(s, k), &ImageKind::ALL),
    ("several images read and written", |s, _, _| read_write::several(s), &[ImageKind::D2]),
    ("levels read and written", |s, _, _| levels::read_and_written(s), &[ImageKind::D2]),
    ("filters", |s, _, _| filters::filters(s), &[ImageKind::D2]),
    ("images in SPIR-V", |s, _, _| il::images_in_spirv(s), &[ImageKind::D2]),
    ("image of a buffer", |s, _, _| objects::image_of_buffer(s), &[ImageKind::D2]),
    ("image of an image", |s, _, _| objects::image_of_image(s), &[ImageKind::D2]),
];

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    for test in TESTS {
        for kind in test.2 {
            let run = || -> Result<Outcome, String> {
                let session = context.session()?;
                if !session.has_images()? {
                    return Ok(Outcome::Skip("needs images".into()));
                }
                Ok((test.1)(&session, *kind, context.quick).into())
            };
            sink.test(format!("{}, {kind:?}", test.0), || run().unwrap_or_else(Outcome::Fail));
        }
    }
}
