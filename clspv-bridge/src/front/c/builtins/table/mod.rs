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

use super::Row;
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
