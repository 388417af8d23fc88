//! Modules and sources that no one writes: mutated words, deep nesting, multiplying sizes. Reading and
//! building them ends soon, with a program or with an error that is not an internal one. Further findings of
//! `fuzz/` are added here.
//!
//! `HOSTILE_ROUNDS` sets the number of mutations for each module (default 40), `HOSTILE_SEED` the first seed;
//! `HOSTILE_SOURCES` sets the number of mutated sources (default 300).

use clspv_bridge::driver;
use clspv_bridge::ir::binary::{decode, encode};
use clspv_bridge::options::{CompileRequest, FrontConfig, Library, LibraryCode, Options};
use clspv_bridge::{CompileError, Target, front};
use std::path::Path;
use std::time::{Duration, Instant};
use test_support::mutate::{Rng, mutate};
use test_support::mutate_text::{dictionary, mutate_text};

/// Reads and builds on a stack like the driver's. Errors other than internal ones are allowed.
fn survive(spirv: Vec<u32>, bindings: bool) -> Result<(), String> {
    let run = move || {
        front::spirv::read(&spirv, &[]).map(|_| ())?;
        let target = Target::generic().with_vulkan(|vulkan| vulkan.prefer_bindings = bindings);
        let library = Library::from_spirv(spirv);
        driver::build(&[&library], &Options::default(), &[], &target).map(|_| ())
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).map_err(|e| e.to_string())?;
    match thread.join() {
        Err(_) => Err("panicked".into()),
        Ok(Err(error))
            if matches!(error, CompileError::Internal(_))
                || error.to_string().contains("internal compiler error") =>
        {
            Err(error.to_string())
        }
        Ok(_) => Ok(()),
    }
}

fn fixtures() -> Vec<Vec<u32>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/front/spirv/testdata");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("fixtures").flatten().map(|f| f.path()).collect();
    files.sort();
    let words = |bytes: Vec<u8>| {
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    };
    let modules = files.iter().filter(|f| f.extension().is_some_and(|e| e == "spv"));
    modules.map(|f| words(std::fs::read(f).expect("fixture"))).collect()
}

/// A number of the environment.
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn mutated_modules() {
    let (rounds, seed) = (number("HOSTILE_ROUNDS", 40), number("HOSTILE_SEED", 1));
    let mut failures = Vec::new();
    for (n, module) in fixtures().into_iter().enumerate() {
        for round in seed..seed + rounds {
            let mutant = mutate(&module, &mut Rng(round as u64 * 1000 + n as u64));
            let begin = Instant::now();
            if let Err(error) = survive(mutant, round % 2 == 0) {
                failures.push(format!("fixture {n}, round {round}: {error}"));
            }
            if begin.elapsed() > Duration::from_secs(60) {
                failures.push(format!("fixture {n}, round {round}: {:?}", begin.elapsed()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Builder of SPIR-V modules.
struct Builder {
    words: Vec<u32>,
    ids: u32,
}

const CAPABILITY: u32 = 17;
const TYPE_VOID: u32 = 19;
const TYPE_BOOL: u32 = 20;
const TYPE_INT: u32 = 21;
const TYPE_ARRAY: u32 = 28;
const TYPE_STRUCT: u32 = 30;
const TYPE_POINTER: u32 = 32;
const TYPE_FUNCTION: u32 = 33;
const CONSTANT: u32 = 43;
const CONSTANT_COMPOSITE: u32 = 44;
const VARIABLE: u32 = 59;
const LABEL: u32 = 248;
const BRANCH: u32 = 249;
const BRANCH_CONDITIONAL: u32 = 250;
const RETURN: u32 = 253;

impl Builder {
    fn new() -> Builder {
        let mut b = Builder { words: vec![0x0723_0203, 0x0001_0600, 0, 0, 0], ids: 0 };
        for capability in [4, 5, 6, 11] {
            b.inst(CAPABILITY, &[capability]);
        }
        b.inst(14, &[2, 2]);
        b
    }
    fn inst(&mut self, op: u32, operands: &[u32]) {
        self.words.push((operands.len() as u32 + 1) << 16 | op);
        self.words.extend_from_slice(operands);
    }
    fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }
    /// An instruction whose first operand is its result.
    fn declare(&mut self, op: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.inst(op, &[&[id], operands].concat());
        id
    }
    /// An instruction with a result type and a result.
    fn value(&mut self, op: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.inst(op, &[&[ty, id], operands].concat());
        id
    }
    fn finish(mut self) -> Vec<u32> {
        self.words[3] = self.ids + 1;
        self.words
    }
}

fn within_a_minute(module: Vec<u32>) {
    let begin = Instant::now();
    assert_eq!(survive(module, false), Ok(()));
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

/// Structures of two members, nested, all members at one offset: small in memory, but 2^60 scalars.
#[test]
fn overlapping_members() {
    for array in [false, true] {
        let mut b = Builder::new();
        let types = 60;
        // Decorations come before types, whose ids they name: ids 1..=60 are the structures.
        for id in 1..=types {
            for member in 0..2 {
                b.inst(72, &[id, member, 35, 0]);
            }
        }
        b.ids = types;
        let int = b.declare(TYPE_INT, &[32, 0]);
        let one = b.value(CONSTANT, int, &[1]);
        let mut inner = if array { b.declare(TYPE_ARRAY, &[int, one]) } else { int };
        let mut constant = if array { b.value(CONSTANT_COMPOSITE, inner, &[one]) } else { one };
        for id in 1..=types {
            b.inst(TYPE_STRUCT, &[id, inner, inner]);
            constant = b.value(CONSTANT_COMPOSITE, id, &[constant, constant]);
            inner = id;
        }
        let pointer = b.declare(TYPE_POINTER, &[5, inner]);
        b.value(VARIABLE, pointer, &[5, constant]);
        within_a_minute(b.finish());
    }
}

/// Selections nested two thousand deep, and nested loops.
#[test]
fn deep_control_flow() {
    for (depth, loops) in [(2000, false), (60, true)] {
        let mut b = Builder::new();
        let (kernel, entry) = (b.id(), b.id());
        let name = u32::from_le_bytes(*b"k\0\0\0");
        b.inst(15, &[6, kernel, name]);
        let void = b.declare(TYPE_VOID, &[]);
        let int = b.declare(TYPE_INT, &[32, 0]);
        let bool = b.declare(TYPE_BOOL, &[]);
        let pointer = b.declare(TYPE_POINTER, &[5, int]);
        let function = b.declare(TYPE_FUNCTION, &[void, pointer]);
        let one = b.value(CONSTANT, int, &[1]);
        b.inst(54, &[void, kernel, 0, function]);
        let p = b.value(55, pointer, &[]);
        b.inst(LABEL, &[entry]);
        let heads: Vec<u32> = (0..depth).map(|_| b.id()).collect();
        let tails: Vec<u32> = (0..depth).map(|_| b.id()).collect();
        b.inst(BRANCH, &[heads[0]]);
        for level in 0..depth {
            // At each level: load, compare, and branch deeper or to the end of this level.
            b.inst(LABEL, &[heads[level]]);
            let x = b.value(61, int, &[p, 2 | 1, 4]);
            let c = b.value(170, bool, &[x, one]);
            let deeper = heads.get(level + 1).copied().unwrap_or(tails[level]);
            b.inst(BRANCH_CONDITIONAL, &[c, deeper, tails[level]]);
        }
        for level in (0..depth).rev() {
            b.inst(LABEL, &[tails[level]]);
            b.inst(62, &[p, one, 2 | 1, 4]);
            let out = if level == 0 { None } else { Some(tails[level - 1]) };
            match out {
                Some(out) if loops => {
                    let x = b.value(61, int, &[p, 2 | 1, 4]);
                    let c = b.value(170, bool, &[x, one]);
                    b.inst(BRANCH_CONDITIONAL, &[c, heads[level], out]);
                }
                Some(out) => b.inst(BRANCH, &[out]),
                None => b.inst(RETURN, &[]),
            }
        }
        b.inst(56, &[]);
        within_a_minute(b.finish());
    }
}

/// The kernels of the tests.
fn kernels() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/exec");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("kernels").flatten().map(|e| e.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cl"));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a kernel")).collect()
}

/// A device with most features, for a seed also one without any.
fn device(seed: usize) -> FrontConfig {
    let all = [
        "__opencl_c_device_enqueue",
        "__opencl_c_generic_address_space",
        "__opencl_c_images",
        "__opencl_c_int64",
        "__opencl_c_pipes",
        "__opencl_c_program_scope_global_variables",
        "__opencl_c_read_write_images",
        "__opencl_c_subgroups",
        "cl_khr_fp16",
        "cl_khr_fp64",
    ];
    let extensions = if seed.is_multiple_of(8) { Vec::new() } else { all.map(String::from).to_vec() };
    FrontConfig { extensions, image_support: true, opencl_version: 310, ..FrontConfig::default() }
}

/// Mutated kernels are compiled or refused within seconds.
#[test]
fn mutated_sources() {
    let kernels = kernels();
    let words = dictionary(include_str!("../../fuzz/opencl_c.dict"));
    assert!(words.len() > 100);
    let (rounds, first) = (number("HOSTILE_SOURCES", 300), number("HOSTILE_SEED", 1));
    for seed in first..first + rounds {
        let mut rng = Rng(seed as u64);
        let (text, other) = (&kernels[rng.below(kernels.len())], &kernels[rng.below(kernels.len())]);
        let source = mutate_text(text, other, &words, &mut rng);
        let std = ["", "CL1.0", "CL2.0", "CL3.0"][rng.below(4)].into();
        let options = Options { std, kernel_arg_info: seed.is_multiple_of(2), ..Options::default() };
        let config = device(seed);
        let begin = Instant::now();
        let compiled = front::c::compile(&CompileRequest::new(&source, &options, &config));
        let is_internal = matches!(compiled, Err(CompileError::Internal(_)));
        assert!(!is_internal, "seed {seed}: {}\n{source}", compiled.err().unwrap());
        assert!(begin.elapsed() < Duration::from_secs(60), "seed {seed}: {:?}\n{source}", begin.elapsed());
    }
}

/// Damaged binary forms of the kernels are decoded to modules with a binary form, or refused.
#[test]
fn damaged_binaries() {
    let config = device(1);
    let mut rng = Rng(number("HOSTILE_SEED", 1) as u64);
    for source in kernels().iter().step_by(8) {
        let options = Options { std: "CL3.0".into(), ..Options::default() };
        let Ok(compiled) = front::c::compile(&CompileRequest::new(source, &options, &config)) else {
            continue;
        };
        let LibraryCode::Ir(module) = compiled.library.code else { continue };
        let bytes = module.bytes().expect("an encoding");
        for _ in 0..number("HOSTILE_ROUNDS", 40) {
            let mut damaged = bytes.to_vec();
            for _ in 0..1 + rng.below(4) {
                let at = rng.below(damaged.len());
                damaged[at] = rng.below(256) as u8;
            }
            if let Ok(module) = decode(&damaged) {
                let again = decode(&encode(&module).expect("an encoding")).expect("a valid module");
                assert_eq!(again.to_string(), module.to_string());
            }
        }
    }
}
