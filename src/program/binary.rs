//! The container of program binaries (CL_PROGRAM_BINARIES): magic, version, content hash, then the parts.
//!
//! A binary contains the library SPIR-V of its objects, so that any device of any later version can finish
//! the compilation, the build options, and compiled code for the targets of the build. Compiled code is used
//! only if target and compiler are identical and its seal proves that this user created it: binaries come
//! from anywhere, and drivers and the processor trust code. Reading is bounds-checked and never panics.

use super::codec::{self, Reader, Writer};
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::options::{Library, Options};
use clspv_bridge::{CompileError, Target};
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"PYROCLPB";
const HASH: usize = 32;

/// Type of a binary, as CL_PROGRAM_BINARY_TYPE_*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryKind {
    CompiledObject,
    Library,
    Executable,
}

/// Proof that code was compiled for a target by this compiler, with knowledge of a secret.
pub type Seal = [u8; HASH];

/// A program binary for one device.
#[derive(Clone, Debug)]
pub struct Binary {
    pub kind: BinaryKind,
    /// Options of the call that created it.
    pub option_text: String,
    pub options: Options,
    pub libraries: Vec<Arc<Library>>,
    /// Specialisation constants at the time of the build.
    pub specs: Vec<(u32, Vec<u8>)>,
    /// Present in executables only.
    pub code: Option<(Seal, Arc<CompiledProgram>)>,
}

/// The seal of code that this compiler created for `target`.
pub(crate) fn seal(secret: &[u8; HASH], target: &Target, program: &CompiledProgram) -> Seal {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    for text in [super::cache::compiler_identity(), &format!("{target:?}")] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let mut w = Writer::default();
    codec::put_program(&mut w, program);
    hasher.update(&w.bytes);
    *hasher.finalize().as_bytes()
}

impl Binary {
    /// Serialises the binary.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CompileError> {
        let mut w = Writer::default();
        w.u8(match self.kind {
            BinaryKind::CompiledObject => 1,
            BinaryKind::Library => 2,
            BinaryKind::Executable => 4,
        });
        w.str(&self.option_text);
        codec::put_options(&mut w, &self.options);
        w.u64(self.libraries.len() as u64);
        for library in &self.libraries {
            codec::put_library(&mut w, library)?;
        }
        w.list(&self.specs, |w, (id, bytes)| {
            w.u32(*id);
            w.blob(bytes);
        });
        w.option(&self.code, |w, (key, program)| {
            w.bytes.extend_from_slice(key);
            codec::put_program(w, program);
        });
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&codec::VERSION.to_le_bytes());
        out.extend_from_slice(blake3::hash(&w.bytes).as_bytes());
        out.extend_from_slice(&w.bytes);
        Ok(out)
    }

    /// Parses a binary; `None` if it is not in this format, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Binary> {
        let mut r = Reader::new(bytes);
        if r.take(MAGIC.len())? != MAGIC || r.u32()? != codec::VERSION {
            return None;
        }
        let hash = r.take(HASH)?;
        let body = bytes.get(MAGIC.len() + 4 + HASH..)?;
        if blake3::hash(body).as_bytes() != hash {
            return None;
        }
        // Aligned parts are aligned in the body.
        let mut r = Reader::new(body);
        let kind = match r.u8()? {
            1 => BinaryKind::CompiledObject,
            2 => BinaryKind::Library,
            4 => BinaryKind::Executable,
            _ => return None,
        };
        let option_text = r.str()?;
        let options = codec::get_options(&mut r)?;
        let libraries = r.list(|r| codec::get_library(r).map(Arc::new))?;
        if !libraries.iter().all(|library| library.code.is_valid()) {
            return None;
        }
        let specs = r.list(|r| Some((r.u32()?, r.blob()?.to_vec())))?;
        let code = r.option(|r| {
            let key = r.take(HASH)?.try_into().ok()?;
            Some((key, Arc::new(codec::get_program(r)?)))
        })?;
        r.at_end().then_some(Binary { kind, option_text, options, libraries, specs, code })
    }

    /// The compiled code, if it was created for this target by this compiler with the secret.
    pub(crate) fn code_for(&self, secret: &[u8; HASH], target: &Target) -> Option<Arc<CompiledProgram>> {
        let (found, program) = self.code.as_ref()?;
        // Compared in constant time.
        (blake3::Hash::from_bytes(*found) == seal(secret, target, program)).then(|| program.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clspv_bridge::target::CodeGenerator;

    fn sample() -> Binary {
        Binary {
            kind: BinaryKind::Executable,
            option_text: "-DX=1".into(),
            options: Options { preprocessor: vec!["-DX=1".into()], ..Options::default() },
            libraries: vec![Arc::new(Library { log: "w".into(), ..Library::from_spirv(vec![1, 2, 3]) })],
            specs: vec![(3, vec![1, 0, 0, 0])],
            code: Some((
                seal(&[1; HASH], &Target::generic(), &codec::tests::sample_program()),
                Arc::new(codec::tests::sample_program()),
            )),
        }
    }

    #[test]
    fn round_trip() {
        let binary = sample();
        let read = Binary::from_bytes(&binary.to_bytes().unwrap()).expect("readable");
        assert_eq!(read.kind, binary.kind);
        assert_eq!(read.option_text, binary.option_text);
        assert_eq!(read.options, binary.options);
        assert_eq!(read.libraries[0].code.spirv(), binary.libraries[0].code.spirv());
        assert_eq!(read.specs, binary.specs);
        assert!(read.code_for(&[1; HASH], &Target::generic()).is_some());
        let other = Target { int8: false, ..Target::generic() };
        assert!(read.code_for(&[1; HASH], &other).is_none());
        // Code of one generator is not served for another.
        let native = Target::native("any".into(), &|_| false);
        let quick = native.clone().with_generator(CodeGenerator::Cranelift);
        let program = codec::tests::sample_program();
        assert_ne!(seal(&[1; HASH], &native, &program), seal(&[1; HASH], &quick, &program));
        // Created with another secret, or changed since.
        assert!(read.code_for(&[2; HASH], &Target::generic()).is_none());
        let mut forged = sample();
        if let Some((_, program)) = &mut forged.code {
            Arc::make_mut(program).data.bytes.push(1);
        }
        let read = Binary::from_bytes(&forged.to_bytes().unwrap()).expect("readable");
        assert!(read.code_for(&[1; HASH], &Target::generic()).is_none());
    }

    /// Native code is aligned within a binary.
    #[test]
    fn native_code_round_trips() {
        let (target, program) = (Target::generic(), Arc::new(codec::tests::sample_native_program()));
        for option_text in ["", "-DX=1", "-DX=12345"] {
            let code = Some((seal(&[1; HASH], &target, &program), program.clone()));
            let binary = Binary { option_text: option_text.into(), code, ..sample() };
            let read = Binary::from_bytes(&binary.to_bytes().unwrap()).expect("readable");
            assert_eq!(read.code_for(&[1; HASH], &target), Some(program.clone()));
        }
    }

    #[test]
    fn damage_is_detected() {
        let bytes = sample().to_bytes().unwrap();
        for n in 0..bytes.len() {
            assert!(Binary::from_bytes(&bytes[..n]).is_none());
            let mut changed = bytes.clone();
            changed[n] ^= 0x40;
            assert!(Binary::from_bytes(&changed).is_none(), "byte {n}");
        }
        let mut longer = bytes;
        longer.push(0);
        assert!(Binary::from_bytes(&longer).is_none());
    }

    #[test]
    fn a_wellformed_hash_over_garbage_is_rejected() {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&codec::VERSION.to_le_bytes());
        let body = [4u8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        bytes.extend_from_slice(blake3::hash(&body).as_bytes());
        bytes.extend_from_slice(&body);
        assert!(Binary::from_bytes(&bytes).is_none());
    }
}
