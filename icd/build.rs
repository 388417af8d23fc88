//! Linker settings of libpyroclast.so: our own calls always reach our own functions although a loader exports
//! the same names, and the library is never unmapped, for its threads and handles outlive every call. Its
//! soname is the name under which packages install it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpyroclast.so.1");
    }
}
