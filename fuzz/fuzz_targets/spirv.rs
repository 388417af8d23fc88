//! Any words as an OpenCL SPIR-V module: reading it and building it for a device gives a program or an error, never a
//! panic, in bounded time. The first byte chooses the target. Mutations change instructions, not only bytes.

#![no_main]

use clspv_bridge::driver::{self, Library, Options};
use clspv_bridge::{Target, front};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

const HEADER: usize = 5;

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
        prefer_bindings: choice & 1 != 0,
        int8: choice & 2 == 0,
        int16: choice & 2 == 0,
        int64: choice & 4 == 0,
        float64: choice & 8 == 0,
        storage8: choice & 16 == 0,
        storage16: choice & 16 == 0,
        workgroup_explicit_layout: choice & 32 != 0,
        ..Target::generic()
    };
    let library = Library { spirv, ..Library::default() };
    let options = Options { fast_relaxed_math: choice & 64 != 0, ..Options::default() };
    if let Err(error) = driver::build(&[&library], &options, &[], &target) {
        let text = error.to_string();
        assert!(!text.contains("internal compiler error"), "{text}");
    }
}

fuzz_target!(|data: &[u8]| {
    // As in the driver: the compiler has a large stack.
    let data = data.to_vec();
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || run(&data));
    if thread.is_ok_and(|t| t.join().is_err()) {
        std::process::abort();
    }
});

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng(seed as u64);
    let module = words(data.get(1..size).unwrap_or_default());
    if module.len() <= HEADER || rng.below(8) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut insts: Vec<Vec<u32>> = Vec::new();
    let mut rest = &module[HEADER..];
    while let Some(first) = rest.first() {
        let (inst, tail) = rest.split_at(((first >> 16) as usize).clamp(1, rest.len()));
        insts.push(inst.to_vec());
        rest = tail;
    }
    for _ in 0..1 + rng.below(4) {
        if insts.is_empty() {
            break;
        }
        let at = rng.below(insts.len());
        let other = insts[rng.below(insts.len())].clone();
        let operand = 1 + rng.below(insts[at].len().saturating_sub(1));
        match rng.below(9) {
            0 => drop(insts.remove(at)),
            1 => insts.insert(at, other),
            2 => {
                let to = rng.below(insts.len());
                insts.swap(at, to);
            }
            3 => insts[at][0] = insts[at][0] & 0xffff_0000 | other[0] & 0xffff,
            4 | 5 => {
                let new = other[rng.below(other.len())];
                if let Some(word) = insts[at].get_mut(operand) {
                    *word = new;
                }
            }
            6 => {
                let new = rng.below(module[3].min(1 << 16) as usize) as u32;
                if let Some(word) = insts[at].get_mut(operand) {
                    *word = new;
                }
            }
            7 => {
                let odd = [0, 1, 2, 3, 7, 31, 32, 64, 255, 0x7fff_ffff, 0x8000_0000, u32::MAX];
                let new = odd[rng.below(odd.len())];
                if let Some(word) = insts[at].get_mut(operand) {
                    *word = new;
                }
            }
            _ => {
                insts[at].push(rng.below(module[3].min(1 << 16) as usize) as u32);
                let len = insts[at].len() as u32;
                insts[at][0] = insts[at][0] & 0xffff | len << 16;
            }
        }
    }
    let choice = if rng.below(4) == 0 { rng.below(256) as u8 } else { data[0] };
    let words = module[..HEADER].iter().chain(insts.iter().flatten());
    let bytes: Vec<u8> = [choice].into_iter().chain(words.flat_map(|w| w.to_le_bytes())).collect();
    let len = bytes.len().min(max_size).min(data.len());
    data[..len].copy_from_slice(&bytes[..len]);
    len
});
