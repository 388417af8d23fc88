//! Calls of the checking runtime in instrumented native code.

use super::access::Access;

/// Call of the checking runtime ([`crate::native::check`]). Comments give `args -> results`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum CheckOp {
    /// A load by the runtime. `demanded` has a bit for each component that the program uses. `addr -> T`; in
    /// vectorised code `addr, [mask] -> T ...`, for a scalar address or a vector of them, and one result for
    /// each component
    Load { access: Access, demanded: u16 },
    /// A store by the runtime. `value, addr ->`; in vectorised code `component ..., addr, [mask] ->`
    Store(Access),
    /// Check of an atomic operation, described by flags of [`crate::native::check`]; returns the address that
    /// the operation may access. `addr, [mask] -> addr`
    Address { what: u64 },
    /// A barrier or fence, described by flags of [`crate::native::check`]. `[mask] ->`
    Order { what: u64 },
    /// The vector that the next calls are about. `x(i64), y(i64), z(i64), frame ->`
    Position,
    /// A vector starts; the bytes of its frame between these offsets are uninitialised. `->`
    Start { begin: u32, end: u32 },
}
