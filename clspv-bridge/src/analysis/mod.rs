//! Analyses of one function: each computes its tables from a `&Function` and is dropped when the function changes.
