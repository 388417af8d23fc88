//! Vector data load and store functions (OpenCL C, section 6.15.7), prefetches and asynchronous copies
//! (6.15.11, cl_khr_extended_async_copies), address space qualifier functions (6.15.10), printf (6.15.14).

use super::super::row::{BuiltinExpansion, Domain, Elements, HalfForm, Lanes, RoundingMode, Row};
use crate::ir::{Rounding, Space};

const LOADS: [(&str, &str, &str, &str, u32); 5] = [
    ("vload2", "vstore2", "vload_half2", "vloada_half2", 2),
    ("vload3", "vstore3", "vload_half3", "vloada_half3", 3),
    ("vload4", "vstore4", "vload_half4", "vloada_half4", 4),
    ("vload8", "vstore8", "vload_half8", "vloada_half8", 8),
    ("vload16", "vstore16", "vload_half16", "vloada_half16", 16),
];

/// Names of the stores of halves by lanes and form, each with the suffixes of rounding modes.
const HALF_STORES: [(&str, u32, HalfForm, RoundingMode); 60] = {
    const P: HalfForm = HalfForm::Packed;
    const A: HalfForm = HalfForm::Aligned;
    const E: RoundingMode = Some(Rounding::Rte);
    const Z: RoundingMode = Some(Rounding::Rtz);
    const U: RoundingMode = Some(Rounding::Rtp);
    const D: RoundingMode = Some(Rounding::Rtn);
    [
        ("vstore_half", 1, P, None),
        ("vstore_half_rte", 1, P, E),
        ("vstore_half_rtz", 1, P, Z),
        ("vstore_half_rtp", 1, P, U),
        ("vstore_half_rtn", 1, P, D),
        ("vstorea_half", 1, P, None),
        ("vstorea_half_rte", 1, P, E),
        ("vstorea_half_rtz", 1, P, Z),
        ("vstorea_half_rtp", 1, P, U),
        ("vstorea_half_rtn", 1, P, D),
        ("vstore_half2", 2, P, None),
        ("vstore_half2_rte", 2, P, E),
        ("vstore_half2_rtz", 2, P, Z),
        ("vstore_half2_rtp", 2, P, U),
        ("vstore_half2_rtn", 2, P, D),
        ("vstorea_half2", 2, A, None),
        ("vstorea_half2_rte", 2, A, E),
        ("vstorea_half2_rtz", 2, A, Z),
        ("vstorea_half2_rtp", 2, A, U),
        ("vstorea_half2_rtn", 2, A, D),
        ("vstore_half3", 3, P, None),
        ("vstore_half3_rte", 3, P, E),
        ("vstore_half3_rtz", 3, P, Z),
        ("vstore_half3_rtp", 3, P, U),
        ("vstore_half3_rtn", 3, P, D),
        ("vstorea_half3", 3, A, None),
        ("vstorea_half3_rte", 3, A, E),
        ("vstorea_half3_rtz", 3, A, Z),
        ("vstorea_half3_rtp", 3, A, U),
        ("vstorea_half3_rtn", 3, A, D),
        ("vstore_half4", 4, P, None),
        ("vstore_half4_rte", 4, P, E),
        ("vstore_half4_rtz", 4, P, Z),
        ("vstore_half4_rtp", 4, P, U),
        ("vstore_half4_rtn", 4, P, D),
        ("vstorea_half4", 4, A, None),
        ("vstorea_half4_rte", 4, A, E),
        ("vstorea_half4_rtz", 4, A, Z),
        ("vstorea_half4_rtp", 4, A, U),
        ("vstorea_half4_rtn", 4, A, D),
        ("vstore_half8", 8, P, None),
        ("vstore_half8_rte", 8, P, E),
        ("vstore_half8_rtz", 8, P, Z),
        ("vstore_half8_rtp", 8, P, U),
        ("vstore_half8_rtn", 8, P, D),
        ("vstorea_half8", 8, A, None),
        ("vstorea_half8_rte", 8, A, E),
        ("vstorea_half8_rtz", 8, A, Z),
        ("vstorea_half8_rtp", 8, A, U),
        ("vstorea_half8_rtn", 8, A, D),
        ("vstore_half16", 16, P, None),
        ("vstore_half16_rte", 16, P, E),
        ("vstore_half16_rtz", 16, P, Z),
        ("vstore_half16_rtp", 16, P, U),
        ("vstore_half16_rtn", 16, P, D),
        ("vstorea_half16", 16, A, None),
        ("vstorea_half16_rte", 16, A, E),
        ("vstorea_half16_rtz", 16, A, Z),
        ("vstorea_half16_rtp", 16, A, U),
        ("vstorea_half16_rtn", 16, A, D),
    ]
};

/// Rows of these sections.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (load, store, half, aligned, n) in LOADS {
        let any = Domain::Arith(Elements::ALL, Lanes(1 << n));
        let float = Domain::Arith(Elements::FLOAT, Lanes(1 << n));
        rows.push(Row::new(load, "T size_t kr*S", any, BuiltinExpansion::VectorLoad));
        rows.push(Row::new(store, "void T size_t a*S", any, BuiltinExpansion::VectorStore));
        rows.push(Row::new(half, "T size_t kr*half", float, BuiltinExpansion::HalfLoad(HalfForm::Packed)));
        rows.push(Row::new(
            aligned,
            "T size_t kr*half",
            float,
            BuiltinExpansion::HalfLoad(HalfForm::Aligned),
        ));
    }
    for name in ["vload_half", "vloada_half"] {
        rows.push(Row::new(
            name,
            "float size_t kr*half",
            Domain::None,
            BuiltinExpansion::HalfLoad(HalfForm::Packed),
        ));
    }
    for (name, n, form, rounding) in HALF_STORES {
        let data = Domain::Arith(Elements::WIDE_FLOATS, Lanes(1 << n));
        rows.push(Row::new(name, "void T size_t a*half", data, BuiltinExpansion::HalfStore(form, rounding)));
    }
    rows.extend(copies());
    for (name, space) in
        [("to_global", Space::Global), ("to_local", Space::Local), ("to_private", Space::Private)]
    {
        rows.push(
            Row::new(name, "void x*void", Domain::None, BuiltinExpansion::ToSpace(space))
                .since(200)
                .one_of(&["__opencl_c_generic_address_space"])
                .in_2_0(),
        );
    }
    rows.push(Row::new("printf", "int c*char ...", Domain::None, BuiltinExpansion::Printf));
    rows
}

fn copies() -> Vec<Row> {
    let all = Domain::Arith(Elements::ALL, Lanes::ANY);
    let copy = |name, signature, lowering| Row::new(name, signature, all, lowering);
    let plain = BuiltinExpansion::AsyncCopy { strided: false };
    let strided = BuiltinExpansion::AsyncCopy { strided: true };
    let extended: &[&str] = &["cl_khr_extended_async_copies"];
    let none = |name, signature, lowering| Row::new(name, signature, Domain::None, lowering).one_of(extended);
    vec![
        copy("async_work_group_copy", "event l*T kg*T size_t event", plain),
        copy("async_work_group_copy", "event g*T kl*T size_t event", plain),
        copy("async_work_group_strided_copy", "event l*T kg*T size_t size_t event", strided),
        copy("async_work_group_strided_copy", "event g*T kl*T size_t size_t event", strided),
        copy("prefetch", "void kg*T size_t", BuiltinExpansion::Prefetch),
        Row::new("wait_group_events", "void int a*event", Domain::None, BuiltinExpansion::WaitEvents),
        Row::new("async_work_group_copy_fence", "void uint", Domain::None, BuiltinExpansion::AsyncFence)
            .one_of(&["cl_khr_async_work_group_copy_fence"]),
        none(
            "async_work_group_copy_2D2D",
            "event l*void size_t kg*void size_t size_t size_t size_t size_t size_t event",
            BuiltinExpansion::AsyncCopy2D,
        ),
        none(
            "async_work_group_copy_2D2D",
            "event g*void size_t kl*void size_t size_t size_t size_t size_t size_t event",
            BuiltinExpansion::AsyncCopy2D,
        ),
        none(
            "async_work_group_copy_3D3D",
            "event l*void size_t kg*void size_t size_t size_t size_t size_t \
             size_t size_t size_t size_t event",
            BuiltinExpansion::AsyncCopy3D,
        ),
        none(
            "async_work_group_copy_3D3D",
            "event g*void size_t kl*void size_t size_t size_t size_t size_t \
             size_t size_t size_t size_t event",
            BuiltinExpansion::AsyncCopy3D,
        ),
    ]
}
