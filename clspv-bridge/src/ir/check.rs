//! Calls of the checking runtime in instrumented native code.

use super::inst::Access;

/// Call of the checking runtime ([`crate::native::check`]). Comments give `args -> results`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum CheckOp {
    /// A load by the runtime. `demanded` has a bit for each component that the program uses. `addr -> T`
    Load { access: Access, demanded: u16 },
    /// A store by the runtime. `value, addr ->`
    Store(Access),
    /// Check of an atomic operation, described by flags of [`crate::native::check`]; returns the address that
    /// the operation may access. `addr -> addr`
    Address { what: u64 },
    /// A barrier or fence, described by flags of [`crate::native::check`]. `->`
    Order { what: u64 },
}
