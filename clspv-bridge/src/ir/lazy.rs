//! IR of a translation unit as a module, in its binary form, or both.

use super::Module;
use super::binary;
use crate::error::Result;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// IR of a translation unit. The module or its binary form is given, and the other one is made at its first
/// use. Clones share both.
#[derive(Clone)]
pub struct LazyModule(Arc<Forms>);

#[derive(Default)]
struct Forms {
    module: OnceLock<Arc<Module>>,
    bytes: OnceLock<Vec<u8>>,
}

impl LazyModule {
    /// IR given as a module.
    pub fn new(module: Module) -> LazyModule {
        let forms = Forms::default();
        forms.module.get_or_init(|| Arc::new(module));
        LazyModule(Arc::new(forms))
    }

    /// IR given in its binary form, which is not checked before [`LazyModule::module`].
    pub fn from_bytes(bytes: Vec<u8>) -> LazyModule {
        let forms = Forms::default();
        forms.bytes.get_or_init(|| bytes);
        LazyModule(Arc::new(forms))
    }

    /// The module, verified if it is decoded. The error is that of [`binary::decode`].
    pub fn module(&self) -> Result<Arc<Module>> {
        if let Some(module) = self.0.module.get() {
            return Ok(module.clone());
        }
        let decoded = Arc::new(binary::decode(self.0.bytes.get().map_or(&[][..], Vec::as_slice))?);
        Ok(self.0.module.get_or_init(|| decoded).clone())
    }

    /// The binary form. The error is that of [`binary::encode`].
    pub fn bytes(&self) -> Result<&[u8]> {
        if let Some(bytes) = self.0.bytes.get() {
            return Ok(bytes);
        }
        let encoded = binary::encode(self.module()?.as_ref())?;
        Ok(self.0.bytes.get_or_init(|| encoded))
    }
}

impl fmt::Debug for LazyModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.module.get() {
            Some(module) => module.fmt(f),
            None => f.write_str("LazyModule(encoded)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CompileError;

    #[test]
    fn each_form_gives_the_other() {
        let module = Module::default();
        let given = LazyModule::new(module.clone());
        let bytes = given.bytes().unwrap().to_vec();
        let read = LazyModule::from_bytes(bytes.clone());
        assert_eq!(read.module().unwrap().to_string(), module.to_string());
        assert_eq!(read.bytes().unwrap(), bytes);
        assert!(Arc::ptr_eq(&read.module().unwrap(), &read.clone().module().unwrap()));
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let read = LazyModule::from_bytes(vec![1, 2, 3]);
        assert!(matches!(read.module(), Err(CompileError::InvalidIl(_))));
        assert_eq!(read.bytes().unwrap(), [1, 2, 3]);
    }
}
