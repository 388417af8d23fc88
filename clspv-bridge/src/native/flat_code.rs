//! Flat code: the machine code of a program, which runs wherever it is mapped, with the names of its
//! functions.
//!
//! Little-endian: [`MAGIC`], the number of functions (u32); for each its offset in the code (u32), the length
//! of its name (u32), the name; zeros up to a multiple of [`ALIGNMENT`]; then the code.
//! [`super::NativeProgram::object`] is either this or a shared object.

/// The first bytes, which no shared object has.
const MAGIC: [u8; 8] = *b"PyroFlat";

/// Alignment in bytes that code needs in memory, and has in an object that is aligned so.
pub const ALIGNMENT: usize = 64;

/// Code that was read.
pub struct FlatCode<'a> {
    functions: Vec<(&'a str, usize)>,
    pub code: &'a [u8],
}

/// Whether an object is flat code.
pub fn is_flat(object: &[u8]) -> bool {
    object.starts_with(&MAGIC)
}

/// Encodes functions, by name and offset in the code; `None` if an offset is too large.
pub(crate) fn encode(functions: &[(&str, usize)], code: &[u8]) -> Option<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    out.extend(u32::try_from(functions.len()).ok()?.to_le_bytes());
    for (name, offset) in functions {
        let offset = u32::try_from(*offset).ok().filter(|at| *at < 1 << 31)?;
        out.extend(offset.to_le_bytes());
        out.extend(u32::try_from(name.len()).ok()?.to_le_bytes());
        out.extend(name.as_bytes());
    }
    out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
    out.extend(code);
    Some(out)
}

impl<'a> FlatCode<'a> {
    /// Reads flat code; `None` if it is damaged.
    pub fn read(object: &'a [u8]) -> Option<FlatCode<'a>> {
        let mut rest = object.strip_prefix(&MAGIC)?;
        let mut functions = Vec::new();
        for _ in 0..word(&mut rest)? {
            let offset = word(&mut rest)? as usize;
            let length = word(&mut rest)? as usize;
            let (name, after) = rest.split_at_checked(length)?;
            functions.push((std::str::from_utf8(name).ok()?, offset));
            rest = after;
        }
        let header = object.len() - rest.len();
        let rest = object.get(header.next_multiple_of(ALIGNMENT)..)?;
        let is_inside = functions.iter().all(|(_, offset)| *offset < rest.len());
        is_inside.then_some(FlatCode { functions, code: rest })
    }

    /// The functions: names, and offsets in the code.
    pub fn functions(&self) -> impl Iterator<Item = (&'a str, usize)> {
        self.functions.iter().copied()
    }
}

fn word(rest: &mut &[u8]) -> Option<u32> {
    let (word, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_names() {
        let object = encode(&[("a", 0), ("bc", 2)], &[1, 2, 3]).expect("small");
        assert!(is_flat(&object) && !is_flat(b"\x7fELF"));
        let flat = FlatCode::read(&object).expect("valid");
        assert_eq!(flat.functions().collect::<Vec<_>>(), [("a", 0), ("bc", 2)]);
        assert_eq!(flat.code, [1, 2, 3]);
        assert!((object.len() - flat.code.len()).is_multiple_of(ALIGNMENT));
    }

    #[test]
    fn damaged_code_is_refused() {
        let object = encode(&[("a", 0), ("bc", 2)], &[1, 2, 3]).expect("small");
        assert!((0..object.len()).all(|n| FlatCode::read(&object[..n]).is_none()));
        assert!(encode(&[("a", 1 << 31)], &[]).is_none());
    }
}
