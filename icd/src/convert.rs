//! Raw arguments of the C interface as Rust values.
//!
//! The only module that reads arrays, strings and property lists of the application. Every function relies on
//! a non-null pointer being as long as its count or terminator says, as the specification allows; it checks
//! everything else.

// Entry points are the unsafe functions; their pointers are read here under their contract.
#![allow(clippy::not_unsafe_ptr_arg_deref)]

use crate::handle::{Handle, HandleTarget};
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use smallvec::SmallVec;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// An array of `n` elements. CL_INVALID_VALUE for NULL with a count, or a pointer with a count of 0.
pub fn slice<'a, T>(ptr: *const T, n: usize) -> Result<&'a [T]> {
    match (ptr.is_null(), n) {
        (true, 0) => Ok(&[]),
        (true, _) | (false, 0) => {
            Err(err!(CL_INVALID_VALUE, "array and count disagree ({n} elements at {ptr:p})"))
        }
        // SAFETY: the application passes `n` elements; it may not change them during the call.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(ptr, n) }),
    }
}

/// An array of `n` elements that may be NULL whatever the count.
pub fn optional_slice<'a, T>(ptr: *const T, n: usize) -> Option<&'a [T]> {
    // SAFETY: as for `slice`.
    (!ptr.is_null()).then(|| unsafe { std::slice::from_raw_parts(ptr, n) })
}

/// The three sizes of an origin or a region; CL_INVALID_VALUE if NULL.
pub fn triple(ptr: *const usize) -> Result<[usize; 3]> {
    match optional_slice(ptr, 3) {
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err(err!(CL_INVALID_VALUE, "origin or region is NULL")),
    }
}

/// A zero-terminated string; CL_INVALID_VALUE if NULL. Bytes that are not UTF-8 are replaced.
pub fn string(ptr: *const c_char) -> Result<String> {
    optional_string(ptr).ok_or_else(|| err!(CL_INVALID_VALUE, "string is NULL"))
}

/// A zero-terminated string; `None` for NULL.
pub fn optional_string(ptr: *const c_char) -> Option<String> {
    // SAFETY: a non-null string of the application is zero-terminated.
    (!ptr.is_null()).then(|| unsafe { CStr::from_ptr(ptr) }.to_string_lossy().into_owned())
}

/// The strings of clCreateProgramWithSource: a length of 0, or no lengths, means zero-terminated.
pub fn strings(count: cl_uint, ptr: *const *const c_char, lengths: *const usize) -> Result<Vec<Vec<u8>>> {
    if count == 0 {
        return Err(err!(CL_INVALID_VALUE, "no strings"));
    }
    let lengths = optional_slice(lengths, count as usize);
    let mut out = Vec::with_capacity(count as usize);
    for (i, string) in slice(ptr, count as usize)?.iter().enumerate() {
        if string.is_null() {
            return Err(err!(CL_INVALID_VALUE, "string {i} is NULL"));
        }
        let bytes = match lengths.and_then(|l| l.get(i)).copied().unwrap_or(0) {
            // SAFETY: without a length the string is zero-terminated.
            0 => unsafe { CStr::from_ptr(*string) }.to_bytes(),
            // SAFETY: the application passes `n` characters.
            n => unsafe { std::slice::from_raw_parts(string.cast::<u8>(), n) },
        };
        out.push(bytes.to_vec());
    }
    Ok(out)
}

/// A property list: key, value, ..., 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties<T> {
    pub pairs: Vec<(T, T)>,
    /// The list as passed, with its terminating 0; empty if the pointer was NULL. The answer of
    /// ..._PROPERTIES queries.
    pub raw: Vec<T>,
}

/// Limit of a property list's length; a longer one is taken to have no terminator.
const MAX_PROPERTIES: usize = 1024;

/// Reads a zero-terminated list of pairs; NULL is an empty list.
pub fn properties<T: Copy + Default + PartialEq>(ptr: *const T) -> Result<Properties<T>> {
    let mut list = Properties { pairs: Vec::new(), raw: Vec::new() };
    if ptr.is_null() {
        return Ok(list);
    }
    let zero = T::default();
    for i in 0..MAX_PROPERTIES {
        // SAFETY: the list continues until a key is 0.
        let key = unsafe { ptr.add(2 * i).read_unaligned() };
        list.raw.push(key);
        if key == zero {
            return Ok(list);
        }
        // SAFETY: a key that is not 0 has a value.
        let value = unsafe { ptr.add(2 * i + 1).read_unaligned() };
        list.raw.push(value);
        list.pairs.push((key, value));
    }
    Err(err!(CL_INVALID_VALUE, "property list without end"))
}

/// The values of a list up to its first 0; CL_INVALID_VALUE if NULL.
pub fn property_values<T: Copy + Default + PartialEq>(ptr: *const T) -> Result<Vec<T>> {
    if ptr.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no properties"));
    }
    let mut values = Vec::new();
    for i in 0..MAX_PROPERTIES {
        // SAFETY: the list continues until a value is 0.
        let value = unsafe { ptr.add(i).read_unaligned() };
        if value == T::default() {
            return Ok(values);
        }
        values.push(value);
    }
    Err(err!(CL_INVALID_VALUE, "property list without end"))
}

/// Reader of a property list in which some values are lists of nonzero words.
pub struct Words {
    ptr: *const u64,
    seen: Vec<u64>,
}

impl Words {
    /// A reader of a list that is not NULL.
    pub fn new(ptr: *const u64) -> Words {
        Words { ptr, seen: Vec::new() }
    }

    /// The next word: a name, a value, or the list's final zero, after which nothing may be read.
    pub fn next_word(&mut self) -> Result<u64> {
        if self.seen.len() >= 2 * MAX_PROPERTIES {
            return Err(err!(CL_INVALID_PROPERTY, "property list without end"));
        }
        // SAFETY: the list continues until its zero, which the caller has not read.
        let word = unsafe { self.ptr.add(self.seen.len()).read_unaligned() };
        self.seen.push(word);
        Ok(word)
    }

    /// The words of a list value, up to its zero.
    pub fn list(&mut self) -> Result<Vec<u64>> {
        let mut out = Vec::new();
        loop {
            match self.next_word()? {
                0 => return Ok(out),
                word => out.push(word),
            }
        }
    }

    /// All words that were read.
    pub fn into_list(self) -> Vec<u64> {
        self.seen
    }
}

/// Resolves an array of handles. `mismatch` is the code for a NULL array with a count or the reverse; an
/// invalid handle has its kind's code.
pub fn handles<T: HandleTarget>(
    n: cl_uint,
    ptr: *const *mut T,
    mismatch: cl_int,
) -> Result<SmallVec<[Arc<T::Object>; 4]>> {
    let list =
        slice(ptr, n as usize).map_err(|_| err!(mismatch, "array of handles and count disagree ({n})"))?;
    list.iter().map(|h| h.arc()).collect()
}

/// Resolves an event wait list: CL_INVALID_EVENT_WAIT_LIST for every error.
pub fn wait_list<T: HandleTarget>(n: cl_uint, ptr: *const *mut T) -> Result<SmallVec<[Arc<T::Object>; 4]>> {
    if n == 0 && ptr.is_null() {
        return Ok(SmallVec::new());
    }
    handles(n, ptr, CL_INVALID_EVENT_WAIT_LIST).map_err(|e| err!(CL_INVALID_EVENT_WAIT_LIST, "{e}"))
}

/// Answers a query of a list (such as clGetPlatformIDs): writes as many values as fit, and their total
/// number. The caller has checked the arguments.
pub fn write_list<T: Copy>(values: &[T], room: cl_uint, out: *mut T, count: *mut cl_uint) {
    if !out.is_null() {
        for (i, value) in values.iter().take(room as usize).enumerate() {
            // SAFETY: the application has room for `room` values.
            unsafe { out.add(i).write(*value) };
        }
    }
    write_out(count, values.len() as cl_uint);
}

/// Writes a result unless the pointer is NULL.
pub fn write_out<T>(ptr: *mut T, value: T) {
    if !ptr.is_null() {
        // SAFETY: a non-null result pointer is valid.
        unsafe { ptr.write(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null;

    #[test]
    fn arrays_and_counts_must_agree() {
        let data = [1u32, 2, 3];
        assert_eq!(slice(data.as_ptr(), 3), Ok(&data[..]));
        assert_eq!(slice::<u32>(null(), 0), Ok(&[][..]));
        assert!(slice::<u32>(null(), 1).is_err());
        assert!(slice(data.as_ptr(), 0).is_err());
    }

    #[test]
    fn property_lists() {
        let list: [isize; 5] = [0x1084, 42, 0x1085, 1, 0];
        let parsed = properties(list.as_ptr()).unwrap();
        assert_eq!(parsed.pairs, [(0x1084, 42), (0x1085, 1)]);
        assert_eq!(parsed.raw, list);
        let empty = [0u64];
        assert_eq!(properties(empty.as_ptr()).unwrap(), Properties { pairs: vec![], raw: vec![0] });
        assert_eq!(properties::<u64>(null()).unwrap(), Properties { pairs: vec![], raw: vec![] });
    }

    #[test]
    fn sources_with_and_without_lengths() {
        let (a, b) = (c"kernel", c"void f");
        let list = [a.as_ptr(), b.as_ptr()];
        assert_eq!(strings(2, list.as_ptr(), null()).unwrap(), [b"kernel".to_vec(), b"void f".to_vec()]);
        let lengths = [0usize, 4];
        assert_eq!(
            strings(2, list.as_ptr(), lengths.as_ptr()).unwrap(),
            [b"kernel".to_vec(), b"void".to_vec()]
        );
        assert!(strings(0, list.as_ptr(), null()).is_err());
        assert!(strings(1, null(), null()).is_err());
        let holes = [a.as_ptr(), null()];
        assert!(strings(2, holes.as_ptr(), null()).is_err());
    }

    #[test]
    fn lists_are_cut_to_the_room() {
        let mut out = [0u8; 2];
        let mut count = 0;
        write_list(&[1, 2, 3], 2, out.as_mut_ptr(), &mut count);
        assert_eq!((out, count), ([1, 2], 3));
    }
}
