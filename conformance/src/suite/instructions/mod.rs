//! SPIR-V instructions that compilers of OpenCL C seldom or never emit: modules assembled here, with many
//! results for each work-item, compared with the host.

mod cases;
pub mod code;

use super::raw::device_text;
use super::{Context, Outcome, Sink};
use cases::*;
use code::Code;
use rspirv::dr::Error;
use rspirv::spirv::Capability;
use test_support::cl::Arg;

/// A module of instructions with its requirements: capabilities, an extension of SPIR-V, and a property of
/// the device.
struct Group {
    name: &'static str,
    capabilities: &'static [Capability],
    extension: &'static [&'static str],
    needs: &'static str,
    cases: &'static [Case],
}

const fn group(name: &'static str, cases: &'static [Case]) -> Group {
    Group { name, capabilities: &[], extension: &[], needs: "", cases }
}

const GROUPS: [Group; 8] = [
    group("integers", INTEGERS),
    group("comparisons", COMPARISONS),
    group("conversions", CONVERSIONS),
    group("composites", COMPOSITES),
    group("memory", MEMORY),
    group("control flow", FLOW),
    group("constants", SPECIALISED),
    Group {
        name: "bit instructions",
        capabilities: &[Capability::BitInstructions],
        extension: &["SPV_KHR_bit_instructions"],
        needs: "cl_khr_extended_bit_ops",
        cases: BITS,
    },
];

/// Pairs of edge cases and other values.
fn inputs() -> Vec<[u32; 2]> {
    let edges = [
        0,
        1,
        2,
        3,
        127,
        128,
        255,
        256,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        u32::MAX,
        0x01ff_ffff,
    ]
    .into_iter()
    .chain(
        [
            0.0f32,
            -0.0,
            1.0,
            -1.5,
            254.9,
            1e20,
            f32::INFINITY,
            -f32::INFINITY,
            f32::NAN,
            f32::MIN_POSITIVE,
            1e-40,
        ]
        .map(f32::to_bits),
    );
    let edges: Vec<u32> = edges.collect();
    let mut state = 2_463_534_242u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let mut all: Vec<[u32; 2]> = edges.iter().flat_map(|x| edges.iter().map(|y| [*x, *y])).collect();
    while !all.len().is_multiple_of(64) || all.len() < 1024 {
        all.push([random(), random()]);
    }
    all
}

/// The module of a group.
fn module(group: &Group) -> Result<Vec<u32>, Error> {
    let mut code = Code::new((1, 0), group.capabilities, group.extension)?;
    for (_, write, _) in group.cases {
        let value = write(&mut code)?;
        code.result(value)?;
    }
    code.finish(&[])
}

fn run(context: &Context<'_>, group: &Group) -> Result<Outcome, String> {
    let session = context.session()?;
    if !group.needs.is_empty() && !session.offers().has(group.needs) {
        return Ok(Outcome::Skip(format!("needs {}", group.needs)));
    }
    let program = session.build_il(&module(group).map_err(|e| e.to_string())?)?;
    let kernel = program.kernel("k")?;
    let inputs = inputs();
    let items = inputs.len();
    let (input, output) = (session.buffer(items * 8)?, session.buffer(items * 4 * group.cases.len())?);
    session.write(&input, &inputs)?;
    kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&output), Arg::U32(items as u32)])?;
    kernel.launch(&[items], Some(&[64]))?;
    let mut results = vec![0u32; items * group.cases.len()];
    session.read(&output, &mut results)?;
    for ((name, _, expect), results) in group.cases.iter().zip(results.chunks(items)) {
        for (item, ([x, y], got)) in inputs.iter().zip(results).enumerate() {
            // The only result of another work-item.
            let neighbour = || Some((item as u32 ^ 1).wrapping_sub(item as u32));
            let want = if *name == "local memory" { neighbour() } else { expect(*x, *y) };
            if want.is_some_and(|w| w != *got) {
                return Err(format!(
                    "{name} of {x:#x} and {y:#x} gives {got:#x}, expected {:#x}",
                    want.unwrap_or_default()
                ));
            }
        }
    }
    Ok(Outcome::Pass)
}

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    for group in &GROUPS {
        sink.test(group.name, || {
            if !device_text(context.device.id, super::raw::CL_DEVICE_IL_VERSION).contains("SPIR-V") {
                return Outcome::Skip("the device takes no SPIR-V".into());
            }
            run(context, group).unwrap_or_else(Outcome::Fail)
        });
    }
}

#[cfg(test)]
mod unit {
    use super::*;
    use std::process::Command;

    #[test]
    fn modules_are_valid() {
        for group in &GROUPS {
            let words = module(group).expect("a module");
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let name = format!("pyroclast-{}-{}.spv", group.name.replace(' ', "-"), std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, bytes).expect("a file");
            let output = Command::new("spirv-val")
                .args(["--target-env", "opencl2.2"])
                .arg(&path)
                .output()
                .expect("spirv-val");
            let _ = std::fs::remove_file(&path);
            assert!(output.status.success(), "{}: {}", group.name, String::from_utf8_lossy(&output.stderr));
        }
    }

    #[test]
    fn what_is_expected() {
        let of =
            |cases: &[Case], name: &str, x, y| (cases.iter().find(|c| c.0 == name).expect("a case").2)(x, y);
        assert_eq!(of(INTEGERS, "OpSMod", -7i32 as u32, 3), Some(2));
        assert_eq!(of(INTEGERS, "OpSMod", 14, -3i32 as u32), Some(-2i32 as u32));
        assert_eq!(of(CONVERSIONS, "rounded towards zero", 0x01ff_ffff, 0), Some(33_554_430f32.to_bits()));
        assert_eq!(of(CONVERSIONS, "rounded up", 0x0100_0001, 0), Some(16_777_218f32.to_bits()));
        assert_eq!(of(CONVERSIONS, "OpBitcast of vectors", 0x4433_2211, 0), Some(0x3322_1144));
        assert_eq!(of(FLOW, "a loop with two entries", 0, 3), Some(1022));
        assert_eq!(of(FLOW, "a loop whose values change places", 4, 0), Some(8));
    }
}
