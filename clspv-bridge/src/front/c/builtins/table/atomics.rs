//! Atomic functions (OpenCL C, section 6.15.12): those of OpenCL C 1.x, of the 64-bit extensions, and of
//! OpenCL C 2.0 with cl_ext_float_atomics.

use super::super::row::{BuiltinExpansion, C11, Domain, Elements, FetchOp, Lanes, Row};

/// `atomic_add` ... of OpenCL C 1.1, and `atom_add` ... of the extensions, with the number of operands.
const LEGACY: [(&str, &str, FetchOp, u8); 11] = [
    ("atomic_add", "atom_add", FetchOp::Add, 1),
    ("atomic_sub", "atom_sub", FetchOp::Sub, 1),
    ("atomic_xchg", "atom_xchg", FetchOp::Exchange, 1),
    ("atomic_inc", "atom_inc", FetchOp::Inc, 0),
    ("atomic_dec", "atom_dec", FetchOp::Dec, 0),
    ("atomic_cmpxchg", "atom_cmpxchg", FetchOp::CompareExchange, 2),
    ("atomic_min", "atom_min", FetchOp::Min, 1),
    ("atomic_max", "atom_max", FetchOp::Max, 1),
    ("atomic_and", "atom_and", FetchOp::And, 1),
    ("atomic_or", "atom_or", FetchOp::Or, 1),
    ("atomic_xor", "atom_xor", FetchOp::Xor, 1),
];

/// The extension of a 64-bit atomic function.
fn needs_of_long(op: FetchOp) -> &'static [&'static str] {
    match op {
        FetchOp::Min | FetchOp::Max | FetchOp::And | FetchOp::Or | FetchOp::Xor => {
            &["cl_khr_int64_extended_atomics"]
        }
        _ => &["cl_khr_int64_base_atomics"],
    }
}

/// Rows of this section.
pub fn rows() -> Vec<Row> {
    let mut rows = legacy();
    rows.extend(c11());
    rows
}

fn legacy() -> Vec<Row> {
    let mut rows = Vec::new();
    let ints = Domain::Arith(Elements::INTS_32, Lanes::SCALAR);
    let longs = Domain::Arith(Elements::LONGS, Lanes::SCALAR);
    let float = Domain::Arith(Elements::FLOAT, Lanes::SCALAR);
    for (name, short, op, operands) in LEGACY {
        let signature = match operands {
            0 => "T vm*T",
            1 => "T vm*T T",
            _ => "T vm*T T T",
        };
        for name in [name, short] {
            rows.push(Row::new(name, signature, ints, BuiltinExpansion::Atomic(op)));
            rows.push(
                Row::new(name, signature, longs, BuiltinExpansion::Atomic(op)).one_of(needs_of_long(op)),
            );
        }
        if op == FetchOp::Exchange {
            rows.push(Row::new(name, signature, float, BuiltinExpansion::Atomic(op)));
        }
    }
    rows
}

/// Names of the functions with a read-modify-write, and of their explicit forms.
const FETCH: [(&str, &str, FetchOp); 7] = [
    ("atomic_fetch_add", "atomic_fetch_add_explicit", FetchOp::Add),
    ("atomic_fetch_sub", "atomic_fetch_sub_explicit", FetchOp::Sub),
    ("atomic_fetch_or", "atomic_fetch_or_explicit", FetchOp::Or),
    ("atomic_fetch_xor", "atomic_fetch_xor_explicit", FetchOp::Xor),
    ("atomic_fetch_and", "atomic_fetch_and_explicit", FetchOp::And),
    ("atomic_fetch_min", "atomic_fetch_min_explicit", FetchOp::Min),
    ("atomic_fetch_max", "atomic_fetch_max_explicit", FetchOp::Max),
];

/// Features with atomic operations on floating-point numbers, of which the runtime lists those that the
/// device has.
const FLOAT_ADD: &[&str] = &[
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_add",
];
const FLOAT_MIN_MAX: &[&str] = &[
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_ext_fp16_global_atomic_min_max",
    "__opencl_c_ext_fp16_local_atomic_min_max",
];

fn c11() -> Vec<Row> {
    let mut rows = Vec::new();
    let values = Domain::Arith(Elements::INTS_32_64.and(Elements::FLOATS), Lanes::SCALAR);
    let floats = Domain::Arith(Elements::FLOATS, Lanes::SCALAR);
    let ints = Domain::Arith(Elements::INTS_32_64, Lanes::SCALAR);
    let add = |rows: &mut Vec<Row>, name, signature, domain, op, explicit| {
        rows.push(Row::new(name, signature, domain, BuiltinExpansion::C11 { op, explicit }).since(200));
    };
    add(&mut rows, "atomic_init", "void va*@T T", values, C11::Init, false);
    add(&mut rows, "atomic_store", "void va*@T T", values, C11::Store, false);
    add(&mut rows, "atomic_load", "T va*@T", values, C11::Load, false);
    add(&mut rows, "atomic_exchange", "T va*@T T", values, C11::Exchange, false);
    add(&mut rows, "atomic_store_explicit", "void va*@T T order", values, C11::Store, true);
    add(&mut rows, "atomic_load_explicit", "T va*@T order", values, C11::Load, true);
    add(&mut rows, "atomic_exchange_explicit", "T va*@T T order", values, C11::Exchange, true);
    add(&mut rows, "atomic_store_explicit", "void va*@T T order scope", values, C11::Store, true);
    add(&mut rows, "atomic_load_explicit", "T va*@T order scope", values, C11::Load, true);
    add(&mut rows, "atomic_exchange_explicit", "T va*@T T order scope", values, C11::Exchange, true);
    for (name, explicit) in [
        ("atomic_compare_exchange_strong", "atomic_compare_exchange_strong_explicit"),
        ("atomic_compare_exchange_weak", "atomic_compare_exchange_weak_explicit"),
    ] {
        add(&mut rows, name, "bool va*@T a*T T", values, C11::CompareExchange, false);
        add(&mut rows, explicit, "bool va*@T a*T T order order", values, C11::CompareExchange, true);
        add(&mut rows, explicit, "bool va*@T a*T T order order scope", values, C11::CompareExchange, true);
    }
    for (name, explicit, op) in FETCH {
        let float_needs = match op {
            FetchOp::Add | FetchOp::Sub => Some(FLOAT_ADD),
            FetchOp::Min | FetchOp::Max => Some(FLOAT_MIN_MAX),
            _ => None,
        };
        for (name, signature, explicit) in [
            (name, "T va*@T T", false),
            (explicit, "T va*@T T order", true),
            (explicit, "T va*@T T order scope", true),
        ] {
            add(&mut rows, name, signature, ints, C11::Fetch(op), explicit);
            if let Some(needs) = float_needs {
                let lowering = BuiltinExpansion::C11 { op: C11::Fetch(op), explicit };
                rows.push(Row::new(name, signature, floats, lowering).since(200).one_of(needs));
            }
        }
    }
    // `atomic_flag` is `_Atomic int`.
    for (name, signature, op, explicit) in [
        ("atomic_flag_test_and_set", "bool va*@int", C11::FlagTestAndSet, false),
        ("atomic_flag_test_and_set_explicit", "bool va*@int order", C11::FlagTestAndSet, true),
        ("atomic_flag_test_and_set_explicit", "bool va*@int order scope", C11::FlagTestAndSet, true),
        ("atomic_flag_clear", "void va*@int", C11::FlagClear, false),
        ("atomic_flag_clear_explicit", "void va*@int order", C11::FlagClear, true),
        ("atomic_flag_clear_explicit", "void va*@int order scope", C11::FlagClear, true),
    ] {
        add(&mut rows, name, signature, Domain::None, op, explicit);
    }
    rows
}
