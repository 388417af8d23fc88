//! Pointers to accesses of variables, descriptors and addresses: points-to classes ([`classes`]), the rewriting of
//! accesses by class ([`rewrite`], [`access`]) and devices without addresses ([`virtual_addresses`]).

pub mod access;
pub mod classes;
pub mod plan;
pub mod rewrite;
pub mod virtual_addresses;
