//! Built-ins as operations and as library calls.

use super::*;
use crate::ir::verify::verify_module;
use crate::options::Options;
use crate::target::Target;

/// Lowers one instruction over undefined operands of the given types and verifies the module.
fn lower(op: Op, params: &[Type], result: Type, target: &Target, options: &Options) -> Module {
    let mut m = Module::default();
    let mut f =
        Function::new("f", Signature { params: params.to_vec(), results: vec![result] }, Linkage::Export);
    let entry = f.add_block();
    let args: Vec<Value> = params.iter().map(|&t| f.add_param(entry, t)).collect();
    let mut b = Builder::new(&mut f, entry);
    let v = b.value(op, &args, result);
    b.ret(&[v]);
    m.functions.push(f);
    assert!(run(&mut m, &PassContext::new(target, options)).unwrap());
    if let Err(e) = verify_module(&m) {
        panic!("{e}");
    }
    m
}

fn calls(m: &Module) -> Vec<&str> {
    let f = m.functions.values().next().unwrap();
    f.data_in_order()
        .filter_map(|data| match data.op {
            Op::Call(c) => Some(m.functions[c].name.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn vectors_are_scalarised_into_library_calls() {
    let ty = Type::Vector(Scalar::F32, 4);
    let m = lower(Op::OpenCl(ClOp::exp), &[ty], ty, &Target::generic(), &Options::default());
    assert_eq!(calls(&m), ["pc_exp_f32"; 4]);
    let relaxed = Options { fast_relaxed_math: true, ..Options::default() };
    let close = Target { close_exp2: true, ..Target::generic() };
    assert!(calls(&lower(Op::OpenCl(ClOp::exp), &[ty], ty, &close, &relaxed)).is_empty());
    let power = |target: &Target| {
        calls(&lower(Op::OpenCl(ClOp::pow), &[F32, F32], F32, target, &relaxed))[0].to_owned()
    };
    assert_eq!(power(&Target { close_log2: true, ..close.clone() }), "pc_relaxed_pow_f32");
    assert_eq!(power(&close), "pc_pow_f32");
    // A driver without known precision gets the library's functions.
    assert_eq!(
        calls(&lower(Op::OpenCl(ClOp::exp), &[ty], ty, &Target::generic(), &relaxed)),
        ["pc_exp_f32"; 4]
    );
}

#[test]
fn fma_is_native_only_where_it_is_exact() {
    let exact = Target { exact_fma32: true, ..Target::generic() };
    let m = lower(Op::OpenCl(ClOp::fma), &[F32; 3], F32, &exact, &Options::default());
    assert!(calls(&m).is_empty());
    let m = lower(Op::Fma, &[F32; 3], F32, &Target::generic(), &Options::default());
    assert_eq!(calls(&m), ["pc_fma_f32"]);
}

#[test]
fn double_division_and_root_are_native_only_where_they_are_exact() {
    let (exact, options) =
        (Target { exact_div64: true, exact_sqrt64: true, ..Target::generic() }, Options::default());
    let m = lower(Op::Bin(BinOp::Fdiv), &[F64; 2], F64, &Target::generic(), &options);
    assert_eq!(calls(&m), ["pc_div_f64"]);
    assert_eq!(
        calls(&lower(Op::OpenCl(ClOp::sqrt), &[F64], F64, &Target::generic(), &options)),
        ["pc_sqrt_f64"]
    );
    assert!(calls(&lower(Op::OpenCl(ClOp::sqrt), &[F64], F64, &exact, &options)).is_empty());
}

#[test]
fn second_results_go_through_a_slot() {
    let params = [Type::Vector(Scalar::F32, 2), Type::Ptr(Space::Global)];
    let m = lower(Op::OpenCl(ClOp::sincos), &params, params[0], &Target::generic(), &Options::default());
    assert_eq!(calls(&m), ["pc_sincos_f32"; 2]);
}

#[test]
fn every_integer_and_common_function_is_well_typed() {
    use ClOp as C;
    let options = Options::default();
    let t = Target::generic();
    for s in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
        for lanes in [1, 3, 4, 16] {
            let ty = Type::vector(s, lanes);
            for op in [C::s_abs, C::clz, C::ctz, C::popcount] {
                lower(Op::OpenCl(op), &[ty], ty, &t, &options);
            }
            for op in [
                C::s_abs_diff,
                C::u_abs_diff,
                C::s_add_sat,
                C::u_add_sat,
                C::s_sub_sat,
                C::u_sub_sat,
                C::s_hadd,
                C::u_rhadd,
            ] {
                lower(Op::OpenCl(op), &[ty; 2], ty, &t, &options);
            }
            for op in
                [C::s_mad_hi, C::u_mad_sat, C::s_mad_sat, C::s_clamp, C::u_clamp, C::bitselect, C::select]
            {
                lower(Op::OpenCl(op), &[ty; 3], ty, &t, &options);
            }
        }
    }
    for s in [Scalar::F16, Scalar::F32, Scalar::F64] {
        for lanes in [1, 2, 3, 4] {
            let ty = Type::vector(s, lanes);
            for op in [C::degrees, C::sign, C::normalize, C::fabs] {
                lower(Op::OpenCl(op), &[ty], ty, &t, &options);
            }
            lower(Op::OpenCl(C::length), &[ty], Type::Scalar(s), &t, &options);
            for op in [C::smoothstep, C::mix, C::fclamp] {
                lower(Op::OpenCl(op), &[ty; 3], ty, &t, &options);
            }
        }
    }
    let v = Type::Vector(Scalar::F32, 4);
    lower(Op::OpenCl(C::cross), &[v, v], v, &t, &options);
    let mask = Type::Vector(Scalar::I32, 8);
    lower(Op::OpenCl(C::shuffle2), &[v, v, mask], Type::Vector(Scalar::F32, 8), &t, &options);
}

#[test]
fn every_conversion_is_well_typed() {
    let scalars = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];
    for from in scalars {
        for to in scalars {
            for rounding in
                [None, Some(Rounding::Rte), Some(Rounding::Rtz), Some(Rounding::Rtp), Some(Rounding::Rtn)]
            {
                for (from_signed, to_signed) in [(true, true), (true, false), (false, true), (false, false)] {
                    let saturate = to.is_int();
                    let op = Op::Convert { from_signed, to_signed, rounding, saturate };
                    let (x, y) = (Type::vector(from, 4), Type::vector(to, 4));
                    lower(op, &[x], y, &Target::generic(), &Options::default());
                }
            }
        }
    }
}
