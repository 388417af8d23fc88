//! The execution tests of `tests/exec`: a kernel each, with the expected results in its comments. Areas by
//! name.

use super::{Context, Outcome, Sink};
use test_support::cl::Arg;
use test_support::exec::case::{ArgSpec, Case};

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The area that a file belongs to.
pub fn area_of(name: &str) -> &'static str {
    let begins = |list: &[&str]| list.iter().any(|p| name.starts_with(p));
    if begins(&["sub_group", "work_group", "non_uniform", "odd_lane", "barrier"]) {
        "groups"
    } else if begins(&["litmus", "critical", "generic_memory"]) {
        "memory-model"
    } else if name.contains("atomic") {
        "atomics"
    } else if begins(&["conver", "half_from", "half_memory", "denormal"]) {
        "conversions"
    } else if begins(&["math_", "fma_", "remainder", "geometric", "double_arith"]) {
        "math"
    } else if begins(&["arith_", "bits_", "compare_", "minmax_", "integer_", "divide_by"]) {
        "integers"
    } else if begins(&["vector", "swizzle", "half_swizzle", "as_type", "dynamic_lane"]) {
        "vectors"
    } else {
        "language"
    }
}

/// The tests of an area.
pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>, area: &str) {
    for (name, source) in KERNELS.iter().filter(|(name, _)| area_of(name) == area) {
        sink.test(*name, || run(context, source));
    }
}

fn run(context: &Context<'_>, source: &str) -> Outcome {
    match attempt(context, source) {
        Ok(outcome) => outcome,
        Err(text) => Outcome::Fail(text),
    }
}

fn attempt(context: &Context<'_>, source: &str) -> Result<Outcome, String> {
    let case = Case::parse(source)?;
    let session = context.session()?;
    let offered = session.offers();
    if let Some(why) = case.unsuitable(&offered) {
        return Ok(Outcome::Skip(why));
    }
    // CL_DEVICE_OPENCL_C_ALL_VERSIONS lists the accepted versions of OpenCL C.
    let wanted = case.options.split("-cl-std=CL").nth(1).and_then(|t| t.split(' ').next()).unwrap_or("1.2");
    let number = |text: &str| {
        text.split_once('.')
            .and_then(|(a, b)| Some(a.parse::<u32>().ok()? * 100 + b.parse::<u32>().ok()? * 10))
    };
    if number(wanted).is_some_and(|w| w > super::raw::version(context.device.id)) {
        return Ok(Outcome::Skip(format!("needs OpenCL C {wanted}")));
    }
    let ours = context.device.platform == "Pyroclast";
    // `-cl-std` accepts CL1.1 and later.
    if wanted == "1.0" && !ours {
        return Ok(Outcome::Skip("the specification has no -cl-std=CL1.0".into()));
    }
    let program = match (session.build(source, &case.options), &case.error) {
        (Ok(program), None) => program,
        (Ok(_), Some(text)) => return Err(format!("the build succeeded, expected an error ('{text}')")),
        // The expected words are specific to our driver.
        (Err(log), Some(text)) if log.contains(text) || !ours => return Ok(Outcome::Pass),
        (Err(log), _) => return Err(log),
    };
    let mut buffers = Vec::new();
    for arg in &case.args {
        buffers.push(match arg {
            ArgSpec::Buffer { bytes, .. } => {
                let buffer = session.buffer(bytes.len())?;
                session.write(&buffer, bytes)?;
                Some(buffer)
            }
            _ => None,
        });
    }
    let list = case.args.iter().zip(&buffers).map(|(arg, buffer)| match (arg, buffer) {
        (ArgSpec::Buffer { .. }, Some(b)) => Arg::Buffer(b),
        (ArgSpec::Value(bytes), _) => Arg::Bytes(bytes),
        (ArgSpec::Local(size), _) => Arg::Local(*size),
        _ => Arg::Null,
    });
    let args: Vec<Arg<'_>> = list.collect();
    for name in &case.kernels {
        let kernel = program.kernel(name)?;
        kernel.set(&args)?;
        kernel.launch_at(case.offset.as_deref(), &case.global, case.local.as_deref())?;
    }
    session.finish()?;
    let mut after = Vec::new();
    for (arg, buffer) in case.args.iter().zip(&buffers) {
        after.push(match (arg, buffer) {
            (ArgSpec::Buffer { bytes, .. }, Some(buffer)) => {
                let mut result = vec![0u8; bytes.len()];
                session.read(buffer, &mut result)?;
                Some(result)
            }
            _ => None,
        });
    }
    Ok(case.check(&after, session.keeps_denormals()).into())
}
