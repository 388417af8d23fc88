//! Arbitrary words as an OpenCL SPIR-V module. Reading it and building it for a device returns a program or
//! an error in bounded time, and never panics. The first byte selects the target. Mutations change
//! instructions, not only bytes.

#![no_main]

use clspv_bridge::driver;
use clspv_bridge::options::{Library, Options};
use clspv_bridge::{Target, front};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use test_support::mutate::{HEADER, Rng, mutate};

fn words(data: &[u8]) -> Vec<u32> {
    data.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

fn run(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else { return };
    let spirv = words(data);
    if front::spirv::read(&spirv, &[]).is_err() {
        return;
    }
    let target = Target {
        int8: choice & 2 == 0,
        int16: choice & 2 == 0,
        int64: choice & 4 == 0,
        float64: choice & 8 == 0,
        ..Target::generic()
    };
    let target = target.with_vulkan(|vulkan| {
        vulkan.prefer_bindings = choice & 1 != 0;
        vulkan.storage8 = choice & 16 == 0;
        vulkan.storage16 = choice & 16 == 0;
        vulkan.workgroup_explicit_layout = choice & 32 != 0;
    });
    let library = Library::from_spirv(spirv);
    let options = Options { fast_relaxed_math: choice & 64 != 0, ..Options::default() };
    if let Err(error) = driver::build(&[&library], &options, &[], &target) {
        let text = error.to_string();
        assert!(!text.contains("internal compiler error"), "{text}");
    }
}

fuzz_target!(|data: &[u8]| {
    // As in the driver, the compiler has a large stack.
    let data = data.to_vec();
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || run(&data));
    if thread.is_ok_and(|t| t.join().is_err()) {
        std::process::abort();
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng(seed as u64);
    let module = words(data.get(1..size).unwrap_or_default());
    if module.len() <= HEADER || rng.below(8) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mutant = mutate(&module, &mut rng);
    let choice = if rng.below(4) == 0 { rng.below(256) as u8 } else { data[0] };
    let bytes: Vec<u8> = [choice].into_iter().chain(mutant.iter().flat_map(|w| w.to_le_bytes())).collect();
    let len = bytes.len().min(max_size).min(data.len());
    data[..len].copy_from_slice(&bytes[..len]);
    len
});
