//! Arbitrary bytes as an entry of the disk cache, as the file and as its content. Reading returns a value or
//! a miss, and a value that is read is written as the same content.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pyroclast_runtime::program::cache::Cache;
use pyroclast_runtime::program::codec::{self, Writer};
use pyroclast_runtime::store::Store;

fuzz_target!(|data: &[u8]| {
    let folder = std::env::temp_dir().join(format!("pyroclast-fuzz-cache-{}", std::process::id()));
    let (store, cache) = (Store::at(folder.clone()), Cache::at(folder));
    let key = blake3::hash(b"entry");
    let Some(path) = store.path(key) else { return };
    if let Some(parent) = path.parent() {
        let _ = std::fs::create_dir_all(parent);
    }
    let _ = std::fs::write(&path, data);
    assert!(cache.program(key).is_none() || data.len() > 44);
    store.write(key, codec::VERSION, data);
    if let Some(program) = cache.program(key) {
        let mut w = Writer::default();
        codec::put_program(&mut w, &program);
        assert_eq!(w.bytes, data);
    }
    store.write(key, codec::VERSION, data);
    if let Some(library) = cache.library(Some(key)) {
        let mut w = Writer::default();
        assert!(codec::put_library(&mut w, &library).is_ok());
        assert_eq!(w.bytes, data);
    }
});
