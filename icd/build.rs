//! Linker settings of libpyroclast.so: our own calls always reach our own functions although a loader exports
//! the same names, and the library is never unmapped, for its threads and handles outlive every call. Its
//! soname is the name under which packages install it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpyroclast.so.1");
        if links_by_lld() {
            // Instances of generic functions with the same code become one: 1 % of the library.
            println!("cargo:rustc-cdylib-link-arg=-Wl,--icf=all");
        }
    }
}

/// Whether the compiler links by its own lld: the default for x86-64 Linux since Rust 1.90.
fn links_by_lld() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let version = std::process::Command::new(variable("RUSTC")).arg("-V").output().ok();
    let text = version.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let minor = text.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    minor.is_some_and(|minor| minor >= 90)
        && variable("TARGET") == "x86_64-unknown-linux-gnu"
        && variable("RUSTC_LINKER").is_empty()
        && !variable("CARGO_ENCODED_RUSTFLAGS").contains("link")
}
