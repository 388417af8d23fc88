//! Typed answers to clGet*Info queries. The C interface writes them to the application's memory.

use crate::cl::*;

/// An answer to an information query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InfoValue {
    I32(i32),
    U32(u32),
    U64(u64),
    Size(usize),
    Bool(bool),
    /// Raw bytes: structures, UUIDs.
    Bytes(Vec<u8>),
    /// A string; the terminating zero is added.
    Str(String),
    Sizes(Vec<usize>),
    U32s(Vec<u32>),
    U64s(Vec<u64>),
    /// A handle or other address; 0 is NULL.
    Handle(usize),
    Handles(Vec<usize>),
    /// Property lists of intptr_t.
    Isizes(Vec<isize>),
    NameVersions(Vec<(String, cl_version)>),
    /// An answer of zero bytes.
    Empty,
}

macro_rules! from {
    ($($ty:ty => $variant:ident),* $(,)?) => {
        $(impl From<$ty> for InfoValue {
            fn from(value: $ty) -> Self { InfoValue::$variant(value) }
        })*
    };
}

from! {
    i32 => I32, u32 => U32, u64 => U64, usize => Size, bool => Bool, Vec<u8> => Bytes, String => Str,
    Vec<usize> => Sizes, Vec<u32> => U32s, Vec<u64> => U64s, Vec<isize> => Isizes,
}

impl From<&str> for InfoValue {
    fn from(value: &str) -> Self {
        InfoValue::Str(value.into())
    }
}

impl<T> From<*mut T> for InfoValue {
    fn from(value: *mut T) -> Self {
        InfoValue::Handle(value as usize)
    }
}

impl<T> From<Vec<*mut T>> for InfoValue {
    fn from(value: Vec<*mut T>) -> Self {
        InfoValue::Handles(value.into_iter().map(|p| p as usize).collect())
    }
}

impl InfoValue {
    /// The bytes in C layout.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            InfoValue::I32(v) => v.to_ne_bytes().to_vec(),
            InfoValue::U32(v) => v.to_ne_bytes().to_vec(),
            InfoValue::U64(v) => v.to_ne_bytes().to_vec(),
            InfoValue::Size(v) | InfoValue::Handle(v) => v.to_ne_bytes().to_vec(),
            InfoValue::Bool(v) => cl_bool::from(*v).to_ne_bytes().to_vec(),
            InfoValue::Bytes(v) => v.clone(),
            InfoValue::Str(v) => v.bytes().chain([0]).collect(),
            InfoValue::Sizes(v) | InfoValue::Handles(v) => v.iter().flat_map(|x| x.to_ne_bytes()).collect(),
            InfoValue::U32s(v) => v.iter().flat_map(|x| x.to_ne_bytes()).collect(),
            InfoValue::U64s(v) => v.iter().flat_map(|x| x.to_ne_bytes()).collect(),
            InfoValue::Isizes(v) => v.iter().flat_map(|x| x.to_ne_bytes()).collect(),
            InfoValue::NameVersions(v) => v
                .iter()
                .flat_map(|(name, version)| {
                    let entry = name_version(name, *version);
                    let chars = entry.name.map(|c| c as u8);
                    entry.version.to_ne_bytes().into_iter().chain(chars)
                })
                .collect(),
            InfoValue::Empty => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_c() {
        assert_eq!(InfoValue::from("ab").to_bytes(), b"ab\0");
        assert_eq!(InfoValue::from(true).to_bytes(), 1u32.to_ne_bytes());
        assert_eq!(InfoValue::Handles(vec![1, 2]).to_bytes().len(), 2 * size_of::<usize>());
        let versions = InfoValue::NameVersions(vec![("cl_khr_icd".into(), make_version(2, 0, 0))]).to_bytes();
        assert_eq!(versions.len(), size_of::<cl_name_version>());
        assert_eq!(versions[..4], (2u32 << 22).to_ne_bytes());
        assert_eq!(&versions[4..15], b"cl_khr_icd\0");
    }
}
