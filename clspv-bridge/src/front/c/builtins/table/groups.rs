//! Work-group and sub-group functions (OpenCL C, sections 6.15.16 and 6.15.19), with the extensions of
//! sub-groups, of uniform arithmetic, and of Intel.

use super::super::row::{BuiltinExpansion, CombineOp, Domain, Elements, Lanes, Row};
use crate::ir::{GroupOp, LaneMask, Scan, Scope};

/// Extensions that have sub-groups.
pub const SUB_GROUPS: &[&str] = &["cl_khr_subgroups", "__opencl_c_subgroups", "cl_intel_subgroups"];
const EXTENDED: &[&str] = &["cl_khr_subgroup_extended_types"];
const VOTE: &[&str] = &["cl_khr_subgroup_non_uniform_vote"];
const BALLOT: &[&str] = &["cl_khr_subgroup_ballot"];
const ARITHMETIC: &[&str] = &["cl_khr_subgroup_non_uniform_arithmetic"];
const SHUFFLE: &[&str] = &["cl_khr_subgroup_shuffle"];
const RELATIVE: &[&str] = &["cl_khr_subgroup_shuffle_relative"];
const CLUSTERED: &[&str] = &["cl_khr_subgroup_clustered_reduce"];
const ROTATE: &[&str] = &["cl_khr_subgroup_rotate"];
const UNIFORM: &[&str] = &["cl_khr_work_group_uniform_arithmetic"];
const COLLECTIVE: &[&str] = &["__opencl_c_work_group_collective_functions"];
const INTEL: &[&str] = &["cl_intel_subgroups"];

const NUMBERS: Elements = Elements::INTS_32_64.and(Elements::FLOATS);
const NARROW: Elements = Elements(0b0000_0001_1110);

/// Reductions and scans by name: `PREFIX reduce_ OP`, `PREFIX scan_inclusive_ OP`, `PREFIX scan_exclusive_
/// OP`.
macro_rules! combinations {
    ($prefix:literal, $($op:literal => $combine:ident),*) => {
        [$(
            (concat!($prefix, "reduce_", $op), Scan::Reduce, CombineOp::$combine),
            (concat!($prefix, "scan_inclusive_", $op), Scan::Inclusive, CombineOp::$combine),
            (concat!($prefix, "scan_exclusive_", $op), Scan::Exclusive, CombineOp::$combine),
        )*]
    };
}

/// Rows of these sections.
pub fn rows() -> Vec<Row> {
    let mut rows = work_group();
    rows.extend(sub_group());
    rows.extend(ballots());
    rows.extend(non_uniform());
    rows.extend(exchanges());
    rows.extend(intel());
    rows
}

fn scalars(elements: Elements) -> Domain {
    Domain::Arith(elements, Lanes::SCALAR)
}

/// Rows of reductions and scans over elements.
fn combine(
    list: &[(&'static str, Scan, CombineOp)],
    scope: Scope,
    signature: &'static str,
    domain: Domain,
    needs: &'static [&'static str],
) -> Vec<Row> {
    let row = |&(name, scan, op): &(&'static str, Scan, CombineOp)| {
        let lowering = BuiltinExpansion::Combine { scope, scan, op, clustered: false };
        Row::new(name, signature, domain, lowering).one_of(needs)
    };
    list.iter().map(row).collect()
}

fn work_group() -> Vec<Row> {
    let group = Scope::WorkGroup;
    let vote = |name, op| {
        Row::new(name, "int int", Domain::None, BuiltinExpansion::Group(group, op))
            .since(200)
            .one_of(COLLECTIVE)
    };
    let mut rows = vec![vote("work_group_all", GroupOp::All), vote("work_group_any", GroupOp::Any)];
    for signature in ["T T size_t", "T T size_t size_t", "T T size_t size_t size_t"] {
        rows.push(
            Row::new(
                "work_group_broadcast",
                signature,
                scalars(NUMBERS),
                BuiltinExpansion::WorkGroupBroadcast,
            )
            .since(200)
            .one_of(COLLECTIVE),
        );
    }
    let basic = combinations!("work_group_", "add" => Add, "min" => Min, "max" => Max);
    rows.extend(
        combine(&basic, group, "T T", scalars(NUMBERS), COLLECTIVE).into_iter().map(|r| r.since(200)),
    );
    let numbers = combinations!("work_group_", "mul" => Mul);
    rows.extend(combine(&numbers, group, "T T", scalars(NUMBERS), UNIFORM));
    let bits = combinations!("work_group_", "and" => And, "or" => Or, "xor" => Xor);
    rows.extend(combine(&bits, group, "T T", scalars(Elements::INTS_32_64), UNIFORM));
    let logical =
        combinations!("work_group_", "logical_and" => And, "logical_or" => Or, "logical_xor" => Xor);
    rows.extend(combine(&logical, group, "int int", Domain::None, UNIFORM));
    rows
}

fn sub_group() -> Vec<Row> {
    let sub = Scope::SubGroup;
    let vote = |name, op| {
        Row::new(name, "int int", Domain::None, BuiltinExpansion::Group(sub, op)).one_of(SUB_GROUPS)
    };
    let broadcast = |domain, needs| {
        let lowering = BuiltinExpansion::Group(sub, GroupOp::Broadcast);
        Row::new("sub_group_broadcast", "T T uint", domain, lowering).one_of(needs)
    };
    let mut rows = vec![
        vote("sub_group_all", GroupOp::All),
        vote("sub_group_any", GroupOp::Any),
        broadcast(scalars(NUMBERS), SUB_GROUPS),
        broadcast(scalars(NARROW), EXTENDED),
        broadcast(Domain::Arith(Elements::ALL, Lanes::VECTORS), EXTENDED),
    ];
    let basic = combinations!("sub_group_", "add" => Add, "min" => Min, "max" => Max);
    rows.extend(combine(&basic, sub, "T T", scalars(NUMBERS), SUB_GROUPS));
    rows.extend(combine(&basic, sub, "T T", scalars(NARROW), EXTENDED));
    rows
}

fn ballots() -> Vec<Row> {
    let group = |name, signature, op| {
        Row::new(name, signature, Domain::None, BuiltinExpansion::Group(Scope::SubGroup, op)).one_of(BALLOT)
    };
    let any = Domain::Arith(Elements::ALL, Lanes::ANY);
    let broadcast = |name, signature, op| {
        Row::new(name, signature, any, BuiltinExpansion::Group(Scope::SubGroup, op)).one_of(BALLOT)
    };
    vec![
        broadcast("sub_group_non_uniform_broadcast", "T T uint", GroupOp::Broadcast),
        broadcast("sub_group_broadcast_first", "T T", GroupOp::BroadcastFirst),
        group("sub_group_ballot", "uint4 int", GroupOp::Ballot),
        group("sub_group_inverse_ballot", "int uint4", GroupOp::InverseBallot),
        group("sub_group_ballot_bit_extract", "int uint4 uint", GroupOp::BallotBit),
        group("sub_group_ballot_bit_count", "uint uint4", GroupOp::BallotCount(Scan::Reduce)),
        group("sub_group_ballot_inclusive_scan", "uint uint4", GroupOp::BallotCount(Scan::Inclusive)),
        group("sub_group_ballot_exclusive_scan", "uint uint4", GroupOp::BallotCount(Scan::Exclusive)),
        group("sub_group_ballot_find_lsb", "uint uint4", GroupOp::BallotLsb),
        group("sub_group_ballot_find_msb", "uint uint4", GroupOp::BallotMsb),
        group("get_sub_group_eq_mask", "uint4", GroupOp::Mask(LaneMask::Eq)),
        group("get_sub_group_ge_mask", "uint4", GroupOp::Mask(LaneMask::Ge)),
        group("get_sub_group_gt_mask", "uint4", GroupOp::Mask(LaneMask::Gt)),
        group("get_sub_group_le_mask", "uint4", GroupOp::Mask(LaneMask::Le)),
        group("get_sub_group_lt_mask", "uint4", GroupOp::Mask(LaneMask::Lt)),
    ]
}

fn non_uniform() -> Vec<Row> {
    let sub = Scope::SubGroup;
    let vote = |name, signature, domain, op| {
        Row::new(name, signature, domain, BuiltinExpansion::Group(sub, op)).one_of(VOTE)
    };
    let all = scalars(Elements::ALL);
    let mut rows = vec![
        vote("sub_group_elect", "int", Domain::None, GroupOp::Elect),
        vote("sub_group_non_uniform_all", "int int", Domain::None, GroupOp::All),
        vote("sub_group_non_uniform_any", "int int", Domain::None, GroupOp::Any),
        vote("sub_group_non_uniform_all_equal", "int T", all, GroupOp::AllEqual),
    ];
    let numbers = combinations!(
        "sub_group_non_uniform_", "add" => Add, "mul" => Mul, "min" => Min, "max" => Max
    );
    rows.extend(combine(&numbers, sub, "T T", all, ARITHMETIC));
    let bits = combinations!("sub_group_non_uniform_", "and" => And, "or" => Or, "xor" => Xor);
    rows.extend(combine(&bits, sub, "T T", scalars(Elements::INTS), ARITHMETIC));
    let logical = combinations!(
        "sub_group_non_uniform_", "logical_and" => And, "logical_or" => Or, "logical_xor" => Xor
    );
    rows.extend(combine(&logical, sub, "int int", Domain::None, ARITHMETIC));
    for (name, op, domain, signature) in [
        ("sub_group_clustered_reduce_add", CombineOp::Add, all, "T T uint"),
        ("sub_group_clustered_reduce_mul", CombineOp::Mul, all, "T T uint"),
        ("sub_group_clustered_reduce_min", CombineOp::Min, all, "T T uint"),
        ("sub_group_clustered_reduce_max", CombineOp::Max, all, "T T uint"),
        ("sub_group_clustered_reduce_and", CombineOp::And, scalars(Elements::INTS), "T T uint"),
        ("sub_group_clustered_reduce_or", CombineOp::Or, scalars(Elements::INTS), "T T uint"),
        ("sub_group_clustered_reduce_xor", CombineOp::Xor, scalars(Elements::INTS), "T T uint"),
        ("sub_group_clustered_reduce_logical_and", CombineOp::And, Domain::None, "int int uint"),
        ("sub_group_clustered_reduce_logical_or", CombineOp::Or, Domain::None, "int int uint"),
        ("sub_group_clustered_reduce_logical_xor", CombineOp::Xor, Domain::None, "int int uint"),
    ] {
        let lowering = BuiltinExpansion::Combine { scope: sub, scan: Scan::Reduce, op, clustered: true };
        rows.push(Row::new(name, signature, domain, lowering).one_of(CLUSTERED));
    }
    rows
}

fn exchanges() -> Vec<Row> {
    let any = Domain::Arith(Elements::ALL, Lanes::ANY);
    let group = |name, op, needs| {
        Row::new(name, "T T uint", any, BuiltinExpansion::Group(Scope::SubGroup, op)).one_of(needs)
    };
    vec![
        group("sub_group_shuffle", GroupOp::Shuffle, SHUFFLE),
        group("sub_group_shuffle_xor", GroupOp::ShuffleXor, SHUFFLE),
        group("sub_group_shuffle_up", GroupOp::ShuffleUp, RELATIVE),
        group("sub_group_shuffle_down", GroupOp::ShuffleDown, RELATIVE),
        Row::new("sub_group_rotate", "T T int", any, BuiltinExpansion::Rotate { clustered: false })
            .one_of(ROTATE),
        Row::new(
            "sub_group_clustered_rotate",
            "T T int uint",
            any,
            BuiltinExpansion::Rotate { clustered: true },
        )
        .one_of(ROTATE),
    ]
}

/// Block reads and writes of an element type, by the lanes of the result.
macro_rules! blocks {
    ($suffix:literal, $elements:expr) => {
        [
            (
                concat!("intel_sub_group_block_read", $suffix),
                concat!("intel_sub_group_block_write", $suffix),
                1,
                $elements,
            ),
            (
                concat!("intel_sub_group_block_read", $suffix, "2"),
                concat!("intel_sub_group_block_write", $suffix, "2"),
                2,
                $elements,
            ),
            (
                concat!("intel_sub_group_block_read", $suffix, "4"),
                concat!("intel_sub_group_block_write", $suffix, "4"),
                4,
                $elements,
            ),
            (
                concat!("intel_sub_group_block_read", $suffix, "8"),
                concat!("intel_sub_group_block_write", $suffix, "8"),
                8,
                $elements,
            ),
            (
                concat!("intel_sub_group_block_read", $suffix, "16"),
                concat!("intel_sub_group_block_write", $suffix, "16"),
                16,
                $elements,
            ),
        ]
    };
}

fn intel() -> Vec<Row> {
    use super::super::super::types::Arith;
    let any = Domain::Arith(Elements::ALL, Lanes::ANY);
    let mut rows = vec![
        Row::new(
            "intel_sub_group_shuffle",
            "T T uint",
            any,
            BuiltinExpansion::Group(Scope::SubGroup, GroupOp::Shuffle),
        )
        .one_of(INTEL),
        Row::new(
            "intel_sub_group_shuffle_xor",
            "T T uint",
            any,
            BuiltinExpansion::Group(Scope::SubGroup, GroupOp::ShuffleXor),
        )
        .one_of(INTEL),
        Row::new(
            "intel_sub_group_shuffle_down",
            "T T T uint",
            any,
            BuiltinExpansion::IntelShuffle { down: true },
        )
        .one_of(INTEL),
        Row::new(
            "intel_sub_group_shuffle_up",
            "T T T uint",
            any,
            BuiltinExpansion::IntelShuffle { down: false },
        )
        .one_of(INTEL),
    ];
    let only = |arith: Arith| Elements(1 << arith as u16);
    let forms: [[(&str, &str, u32, Elements); 5]; 5] = [
        blocks!("", only(Arith::UInt)),
        blocks!("_ui", only(Arith::UInt)),
        blocks!("_us", only(Arith::UShort)),
        blocks!("_uc", only(Arith::UChar)),
        blocks!("_ul", only(Arith::ULong)),
    ];
    for (read, write, lanes, elements) in forms.into_iter().flatten() {
        let domain = Domain::Arith(elements, Lanes(1 << lanes));
        rows.push(Row::new(read, "T km*S", domain, BuiltinExpansion::BlockRead).one_of(INTEL));
        rows.push(Row::new(write, "void m*S T", domain, BuiltinExpansion::BlockWrite).one_of(INTEL));
    }
    rows
}
