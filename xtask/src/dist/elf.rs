//! Facts that packages state about a program: the C library it needs, its build id.

use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, Object};

/// Facts about a 64-bit ELF file.
pub struct Facts {
    /// Newest version of the GNU C library whose symbols it uses: major and minor number.
    pub glibc: (u32, u32),
    /// Build id in hexadecimal digits.
    pub build_id: String,
}

/// Reads the facts.
pub fn facts(bytes: &[u8]) -> Result<Facts, String> {
    let explain = |e: object::read::Error| format!("ELF: {e}");
    let file = object::read::elf::ElfFile64::<Endianness>::parse(bytes).map_err(explain)?;
    let build_id = file.build_id().map_err(explain)?.ok_or("the program has no build id")?;
    Ok(Facts {
        glibc: glibc(bytes).map_err(explain)?,
        build_id: build_id.iter().map(|b| format!("{b:02x}")).collect(),
    })
}

/// The newest `GLIBC_x.y` in the version requirements.
fn glibc(bytes: &[u8]) -> object::read::Result<(u32, u32)> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let mut newest = (0, 0);
    for section in sections.iter() {
        let Some((mut needs, link)) = section.gnu_verneed(endian, bytes)? else { continue };
        let strings = sections.strings(endian, bytes, link)?;
        while let Some((_, mut entries)) = needs.next()? {
            while let Some(entry) = entries.next()? {
                let name = String::from_utf8_lossy(entry.name(endian, strings)?);
                newest = newest.max(version(&name).unwrap_or_default());
            }
        }
    }
    Ok(newest)
}

fn version(symbol: &str) -> Option<(u32, u32)> {
    let mut parts = symbol.strip_prefix("GLIBC_")?.split('.').map(|n| n.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_this_program() {
        assert_eq!(version("GLIBC_2.17"), Some((2, 17)));
        assert_eq!(version("GCC_3.0"), None);
        let own = std::fs::read(std::env::current_exe().expect("own path")).expect("own bytes");
        let facts = facts(&own).expect("facts");
        assert!(facts.glibc > (2, 2) && facts.build_id.len() >= 32, "{:?}", facts.glibc);
    }
}
