//! Relational functions (OpenCL C, section 6.15.6), and `shuffle` (6.15.13).

use super::super::row::{BuiltinExpansion, Domain, Elements, Lanes, Relation, Row};
use crate::ir::ClOp;

const FLOATS: Domain = Domain::Arith(Elements::FLOATS, Lanes::ANY);
const SIGNED: Domain = Domain::Arith(Elements::SIGNED, Lanes::ANY);
const ALL: Domain = Domain::Arith(Elements::ALL, Lanes::ANY);

/// Rows of these sections.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, signature, relation) in [
        ("isequal", "R T T", Relation::Equal),
        ("isnotequal", "R T T", Relation::NotEqual),
        ("isgreater", "R T T", Relation::Greater),
        ("isgreaterequal", "R T T", Relation::GreaterEqual),
        ("isless", "R T T", Relation::Less),
        ("islessequal", "R T T", Relation::LessEqual),
        ("islessgreater", "R T T", Relation::LessGreater),
        ("isordered", "R T T", Relation::Ordered),
        ("isunordered", "R T T", Relation::Unordered),
        ("isfinite", "R T", Relation::Finite),
        ("isinf", "R T", Relation::Inf),
        ("isnan", "R T", Relation::Nan),
        ("isnormal", "R T", Relation::Normal),
        ("signbit", "R T", Relation::SignBit),
    ] {
        rows.push(Row::new(name, signature, FLOATS, BuiltinExpansion::Relation(relation)));
    }
    rows.push(Row::new("any", "int T", SIGNED, BuiltinExpansion::Relation(Relation::Any)));
    rows.push(Row::new("all", "int T", SIGNED, BuiltinExpansion::Relation(Relation::All)));
    rows.push(Row::new("bitselect", "T T T T", ALL, BuiltinExpansion::Ext(ClOp::bitselect)));
    rows.push(Row::new("select", "T T T J", ALL, BuiltinExpansion::Select));
    rows.push(Row::new("select", "T T T U", ALL, BuiltinExpansion::Select));
    let vectors = Domain::Arith(Elements::ALL, Lanes::VECTORS);
    rows.push(Row::new("shuffle", "T X U", vectors, BuiltinExpansion::Shuffle));
    rows.push(Row::new("shuffle2", "T X X U", vectors, BuiltinExpansion::Shuffle));
    rows
}
