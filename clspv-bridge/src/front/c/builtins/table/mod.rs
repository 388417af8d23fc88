//! Rows of the built-in functions, by section of the specification.

mod atomics;
mod enqueue;
mod groups;
mod images;
mod integer;
mod math;
mod memory;
mod pipes;
mod relational;
mod sync;
mod work_item;

use super::super::ast::BuiltinId;
use super::row::Row;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// All rows; [`super::super::ast::BuiltinId`] is an index here.
pub fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let parts: [Vec<Row>; 11] = [
            work_item::rows(),
            math::rows(),
            integer::rows(),
            relational::rows(),
            memory::rows(),
            sync::rows(),
            atomics::rows(),
            images::rows(),
            groups::rows(),
            pipes::rows(),
            enqueue::rows(),
        ];
        parts.into_iter().flatten().collect()
    })
}

/// The rows of each name, as indices.
fn by_name() -> &'static FxHashMap<&'static str, Vec<BuiltinId>> {
    static INDEX: OnceLock<FxHashMap<&'static str, Vec<BuiltinId>>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index: FxHashMap<&'static str, Vec<BuiltinId>> = FxHashMap::default();
        for (n, row) in (0u16..).zip(rows()) {
            index.entry(row.name).or_default().push(BuiltinId(n));
        }
        index
    })
}

/// The rows of a function.
pub fn rows_of(name: &str) -> &'static [BuiltinId] {
    by_name().get(name).map_or(&[], Vec::as_slice)
}

/// The row of a function.
pub fn row(builtin: BuiltinId) -> Option<&'static Row> {
    rows().get(builtin.0 as usize)
}
