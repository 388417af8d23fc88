//! Arguments of entry points for the recorder: values as numbers, and sizes of what pointers point to.
//!
//! An entry point has its parameters as text and sizes, which takes little room in the library. The recorder
//! ([`calls`](pyroclast_runtime::record::calls)) reads them when it captures arguments.

/// A type of parameters.
pub trait Parameter {
    /// Size of an element behind the pointer; 0 for other values, and for handles.
    const ELEMENT: u16 = 0;
    fn word(&self) -> u64;
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Parameter for $ty {
            fn word(&self) -> u64 {
                *self as u64
            }
        }
    )*};
}

numbers! { u8 i32 u32 u64 isize usize }

impl<T> Parameter for *const T {
    const ELEMENT: u16 = size_of::<T>() as u16;
    fn word(&self) -> u64 {
        *self as u64
    }
}

impl<T> Parameter for *mut T {
    const ELEMENT: u16 = size_of::<T>() as u16;
    fn word(&self) -> u64 {
        *self as u64
    }
}

/// Functions: whether there is one.
impl<F> Parameter for Option<F> {
    fn word(&self) -> u64 {
        u64::from(self.is_some())
    }
}
