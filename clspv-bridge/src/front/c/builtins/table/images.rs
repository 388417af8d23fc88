//! Image functions (OpenCL C, section 6.15.15), with levels (cl_khr_mipmap_image) and depth images.

use super::super::row::{Allowed, BuiltinExpansion, Domain, ImageQuery, Row, Shapes};

/// Rows of this section.
pub fn rows() -> Vec<Row> {
    let mut rows = reads();
    rows.extend(writes());
    rows.extend(queries());
    rows
}

const fn images(shapes: Shapes, is_depth: bool, access: Allowed) -> Domain {
    Domain::Image { shapes, is_depth, access }
}

const HALF: &[&str] = &["cl_khr_fp16"];
const LEVELS: &[&str] = &["cl_khr_mipmap_image"];

fn reads() -> Vec<Row> {
    let mut rows = Vec::new();
    let color = images(Shapes::SAMPLED, false, Allowed::Read);
    let depth = images(Shapes::D2S, true, Allowed::Read);
    let all = images(Shapes::ALL, false, Allowed::Read);
    let float: [(&str, &str, &str, &str, &str); 4] = [
        (
            "read_imagef",
            "float4 T sampler ci",
            "float4 T sampler cf",
            "float4 T sampler cf float",
            "float4 T ci",
        ),
        ("read_imagei", "int4 T sampler ci", "int4 T sampler cf", "int4 T sampler cf float", "int4 T ci"),
        (
            "read_imageui",
            "uint4 T sampler ci",
            "uint4 T sampler cf",
            "uint4 T sampler cf float",
            "uint4 T ci",
        ),
        ("read_imageh", "half4 T sampler ci", "half4 T sampler cf", "half4 T sampler cf float", "half4 T ci"),
    ];
    const GRADIENTS: [&str; 4] = [
        "float4 T sampler cf cg cg",
        "int4 T sampler cf cg cg",
        "uint4 T sampler cf cg cg",
        "half4 T sampler cf cg cg",
    ];
    for ((name, ints, floats, level, plain), gradient) in float.into_iter().zip(GRADIENTS) {
        let needs: &[&str] = if name == "read_imageh" { HALF } else { &[] };
        rows.push(Row::new(name, ints, color, BuiltinExpansion::ReadImageSampler).one_of(needs));
        rows.push(Row::new(name, floats, color, BuiltinExpansion::ReadImageSampler).one_of(needs));
        rows.push(Row::new(name, plain, all, BuiltinExpansion::ReadImage).one_of(needs));
        rows.push(Row::new(name, level, color, BuiltinExpansion::ReadImageLevel).one_of(LEVELS));
        rows.push(Row::new(name, gradient, color, BuiltinExpansion::ReadImageGradient).one_of(LEVELS));
    }
    let depth_read = |signature, lowering| Row::new("read_imagef", signature, depth, lowering);
    rows.extend([
        depth_read("float T sampler ci", BuiltinExpansion::ReadImageSampler),
        depth_read("float T sampler cf", BuiltinExpansion::ReadImageSampler),
        depth_read("float T ci", BuiltinExpansion::ReadImage),
        depth_read("float T sampler cf float", BuiltinExpansion::ReadImageLevel).one_of(LEVELS),
        depth_read("float T sampler cf cg cg", BuiltinExpansion::ReadImageGradient).one_of(LEVELS),
    ]);
    // Internal: the built-in library reads texels of levels. An overload of read_imagef would compete with
    // those whose sampler is an integer constant.
    for (name, signature) in
        [("__read_imagef_level", "float4 T ci int"), ("__read_imageui_level", "uint4 T ci int")]
    {
        let row = Row::new(name, signature, color, BuiltinExpansion::ReadImageLevelSamplerless);
        rows.push(row.one_of(LEVELS));
    }
    rows
}

fn writes() -> Vec<Row> {
    let mut rows = Vec::new();
    let color = images(Shapes::ALL, false, Allowed::Write);
    let leveled = images(Shapes::SAMPLED, false, Allowed::Write);
    let depth = images(Shapes::D2S, true, Allowed::Write);
    const LEVEL_WRITES: &[&str] = &["cl_khr_mipmap_image_writes"];
    for (name, plain, level) in [
        ("write_imagef", "void T ci float4", "void T ci int float4"),
        ("write_imagei", "void T ci int4", "void T ci int int4"),
        ("write_imageui", "void T ci uint4", "void T ci int uint4"),
        ("write_imageh", "void T ci half4", "void T ci int half4"),
    ] {
        let needs: &[&str] = if name == "write_imageh" { HALF } else { &[] };
        rows.push(Row::new(name, plain, color, BuiltinExpansion::WriteImage).one_of(needs));
        rows.push(Row::new(name, level, leveled, BuiltinExpansion::WriteImageLevel).one_of(LEVEL_WRITES));
    }
    rows.push(Row::new("write_imagef", "void T ci float", depth, BuiltinExpansion::WriteImage));
    rows.push(
        Row::new("write_imagef", "void T ci int float", depth, BuiltinExpansion::WriteImageLevel)
            .one_of(LEVEL_WRITES),
    );
    rows
}

fn queries() -> Vec<Row> {
    let mut rows = Vec::new();
    let tall = Shapes(Shapes::D2S.0 | Shapes::D3.0);
    let layered = Shapes(Shapes::D1_ARRAY.0 | Shapes::D2_ARRAY.0);
    for (name, signature, shapes, query) in [
        ("get_image_width", "int T", Shapes::ALL, ImageQuery::Width),
        ("get_image_height", "int T", tall, ImageQuery::Height),
        ("get_image_depth", "int T", Shapes::D3, ImageQuery::Depth),
        ("get_image_channel_data_type", "int T", Shapes::ALL, ImageQuery::DataType),
        ("get_image_channel_order", "int T", Shapes::ALL, ImageQuery::Order),
        ("get_image_dim", "int2 T", Shapes::D2S, ImageQuery::Dim),
        ("get_image_dim", "int4 T", Shapes::D3, ImageQuery::Dim),
        ("get_image_array_size", "size_t T", layered, ImageQuery::ArraySize),
    ] {
        for is_depth in [false, true] {
            rows.push(Row::new(
                name,
                signature,
                images(shapes, is_depth, Allowed::Any),
                BuiltinExpansion::QueryImage(query),
            ));
        }
    }
    for is_depth in [false, true] {
        let domain = images(Shapes::SAMPLED, is_depth, Allowed::Any);
        rows.push(
            Row::new(
                "get_image_num_mip_levels",
                "int T",
                domain,
                BuiltinExpansion::QueryImage(ImageQuery::Levels),
            )
            .one_of(LEVELS),
        );
    }
    // Internal to the built-in library.
    let domain = images(Shapes::SAMPLED, false, Allowed::Read);
    let query = BuiltinExpansion::QueryImage(ImageQuery::FetchesBorder);
    rows.push(Row::new("__fetches_border", "bool T", domain, query).one_of(LEVELS));
    rows
}
