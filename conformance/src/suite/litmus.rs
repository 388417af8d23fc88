//! The memory model: small programs of a few work-items on atomic variables, each run in many instances at
//! once. The model forbids some outcomes. Each program runs between work-groups, with the scope of the
//! device, and within a work-group.

use super::{Context, Outcome, Sink, kernels};
use test_support::cl::{Arg, Session};

/// Outcome of an instance: the values that its work-items read, and the final values of the variables.
type Forbidden = fn(r: [u32; 4], end: [u32; 3]) -> bool;

/// A program: its name, the code of each of its work-items, and the forbidden outcome.
type Litmus = (&'static str, &'static [&'static str], Forbidden);

const MESSAGE: Forbidden = |r, _| r[0] == 1 && r[1] == 0;

const PROGRAMS: &[Litmus] = &[
    (
        "message passing by release and acquire",
        &["STORE(x, 1, relaxed); STORE(y, 1, release);", "R(0) = LOAD(y, acquire); R(1) = LOAD(x, relaxed);"],
        MESSAGE,
    ),
    (
        "message passing by fences",
        &[
            "STORE(x, 1, relaxed); FENCE(release); STORE(y, 1, relaxed);",
            "R(0) = LOAD(y, relaxed); FENCE(acquire); R(1) = LOAD(x, relaxed);",
        ],
        MESSAGE,
    ),
    (
        "message passing through a third work-item",
        &[
            "STORE(x, 1, relaxed); STORE(y, 1, release);",
            "if (LOAD(y, acquire) == 1) STORE(z, 1, release);",
            "R(0) = LOAD(z, acquire); R(1) = LOAD(x, relaxed);",
        ],
        MESSAGE,
    ),
    (
        "message passing by exchanges",
        &[
            "STORE(x, 1, relaxed); SWAP(y, 1, acq_rel);",
            "R(0) = ADD(y, 0, acq_rel); R(1) = LOAD(x, relaxed);",
        ],
        MESSAGE,
    ),
    (
        "stores before loads",
        &["STORE(x, 1, seq_cst); R(0) = LOAD(y, seq_cst);", "STORE(y, 1, seq_cst); R(1) = LOAD(x, seq_cst);"],
        |r, _| r[0] == 0 && r[1] == 0,
    ),
    (
        "stores before loads by fences",
        &[
            "STORE(x, 1, relaxed); FENCE(seq_cst); R(0) = LOAD(y, relaxed);",
            "STORE(y, 1, relaxed); FENCE(seq_cst); R(1) = LOAD(x, relaxed);",
        ],
        |r, _| r[0] == 0 && r[1] == 0,
    ),
    (
        "loads before stores",
        &["R(0) = LOAD(x, acquire); STORE(y, 1, release);", "R(1) = LOAD(y, acquire); STORE(x, 1, release);"],
        |r, _| r[0] == 1 && r[1] == 1,
    ),
    (
        "independent reads of independent writes",
        &[
            "STORE(x, 1, seq_cst);",
            "STORE(y, 1, seq_cst);",
            "R(0) = LOAD(x, seq_cst); R(1) = LOAD(y, seq_cst);",
            "R(2) = LOAD(y, seq_cst); R(3) = LOAD(x, seq_cst);",
        ],
        |r, _| r == [1, 0, 1, 0],
    ),
    (
        "two variables written twice",
        &["STORE(x, 1, seq_cst); STORE(y, 2, seq_cst);", "STORE(y, 1, seq_cst); STORE(x, 2, seq_cst);"],
        |_, end| end[0] == 1 && end[1] == 1,
    ),
    (
        "a variable read twice",
        &["STORE(x, 1, relaxed); STORE(x, 2, relaxed);", "R(0) = LOAD(x, relaxed); R(1) = LOAD(x, relaxed);"],
        |r, _| r[0] > r[1],
    ),
    (
        "additions of two work-items",
        &["R(0) = ADD(x, 1, relaxed);", "R(1) = ADD(x, 1, relaxed);"],
        |r, end| r[0] == r[1] || end[0] != 2,
    ),
];

/// Instances that run at once.
const WIDTH: usize = 1024;
const GROUP: usize = 64;

fn source(roles: &[&str], within: bool) -> String {
    let count = roles.len().next_power_of_two();
    let cases: Vec<String> =
        roles.iter().enumerate().map(|(i, text)| format!("case {i}: {text} break;")).collect();
    let (scope, role, instance) = if within {
        // The first work-items of a group have the first role.
        ("work_group", "get_local_id(0) / PART", "get_group_id(0) * PART + get_local_id(0) % PART")
    } else {
        ("device", "get_group_id(0) % COUNT", "get_group_id(0) / COUNT * get_local_size(0) + get_local_id(0)")
    };
    format!(
        "#define COUNT {count}
        #define PART ({GROUP} / COUNT)
        #define LOAD(v, o) atomic_load_explicit(&v[at], memory_order_##o, memory_scope_{scope})
        #define STORE(v, n, o) atomic_store_explicit(&v[at], n, memory_order_##o, memory_scope_{scope})
        #define ADD(v, n, o) atomic_fetch_add_explicit(&v[at], n, memory_order_##o, memory_scope_{scope})
        #define SWAP(v, n, o) atomic_exchange_explicit(&v[at], n, memory_order_##o, memory_scope_{scope})
        #define FENCE(o) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_##o, memory_scope_{scope})
        #define R(i) r[at * 4 + i]
        kernel void litmus(global atomic_uint *x, global atomic_uint *y, global atomic_uint *z, global uint *r, uint rounds) {{
            for (uint round = 0; round < rounds; round++) {{
                size_t at = round * {WIDTH} + {instance};
                switch ({role}) {{
                {}
                }}
            }}
        }}",
        cases.join("\n")
    )
}

fn run(session: &Session<'_>, litmus: &Litmus, within: bool, rounds: usize) -> Result<(), String> {
    let (_, roles, forbidden) = *litmus;
    let instances = rounds * WIDTH;
    let program = session.build(&source(roles, within), "-cl-std=CL3.0")?;
    let kernel = program.kernel("litmus")?;
    let variables =
        [session.buffer(instances * 4)?, session.buffer(instances * 4)?, session.buffer(instances * 4)?];
    for variable in &variables {
        session.write(variable, &vec![0u32; instances])?;
    }
    // Variables that are not read keep their values.
    let read = session.buffer(instances * 16)?;
    session.write(&read, &vec![9u32; instances * 4])?;
    let [x, y, z] = &variables;
    kernel.set(&[
        Arg::Buffer(x),
        Arg::Buffer(y),
        Arg::Buffer(z),
        Arg::Buffer(&read),
        Arg::U32(rounds as u32),
    ])?;
    kernel.launch(&[WIDTH * roles.len().next_power_of_two()], Some(&[GROUP]))?;
    let mut ends = [vec![0u32; instances], vec![0u32; instances], vec![0u32; instances]];
    for (variable, end) in variables.iter().zip(&mut ends) {
        session.read(variable, end)?;
    }
    let mut values = vec![0u32; instances * 4];
    session.read(&read, &mut values)?;
    judge(roles, forbidden, &values, &ends)
}

/// Requires that all instances ran and none has a forbidden outcome.
fn judge(roles: &[&str], forbidden: Forbidden, values: &[u32], ends: &[Vec<u32>; 3]) -> Result<(), String> {
    let reads = |i: usize| roles.iter().any(|role| role.contains(&format!("R({i})")));
    let mut wrong = 0;
    for (at, r) in values.chunks_exact(4).enumerate() {
        if let Some(i) = (0..4).find(|i| if reads(*i) { r[*i] > 2 } else { r[*i] != 9 }) {
            return Err(format!("instance {at} read {} as its value {i}", r[i]));
        }
        wrong += usize::from(forbidden([r[0], r[1], r[2], r[3]], [ends[0][at], ends[1][at], ends[2][at]]));
    }
    if wrong == 0 {
        Ok(())
    } else {
        Err(format!("{wrong} of {} instances end as the memory model forbids", ends[0].len()))
    }
}

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    kernels::tests(context, sink, "memory-model");
    let rounds = if context.quick { 16 } else { 1024 };
    for litmus in PROGRAMS {
        for (within, scope) in [(false, "between groups"), (true, "within a group")] {
            let attempt = || {
                let session = context.session()?;
                let offered = session.c_features();
                // OpenCL C 3.0: relaxed order and work-group scope are mandatory, the others optional.
                let text = litmus.1.concat();
                let needs = [
                    (
                        "__opencl_c_atomic_order_acq_rel",
                        ["acquire", "release", "acq_rel", "FENCE"].iter().any(|w| text.contains(w)),
                    ),
                    ("__opencl_c_atomic_order_seq_cst", text.contains("seq_cst")),
                    ("__opencl_c_atomic_scope_device", !within),
                ];
                if let Some((missing, _)) =
                    needs.iter().find(|(name, needed)| *needed && !offered.iter().any(|o| o == name))
                {
                    return Ok(Outcome::Skip(format!("needs {missing}")));
                }
                run(&session, litmus, within, rounds).map(|()| Outcome::Pass)
            };
            sink.test(format!("{}, {scope}", litmus.0), || attempt().unwrap_or_else(Outcome::Fail));
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn forbidden_outcomes_are_found() {
        let of = |name: &str| PROGRAMS.iter().find(|p| p.0 == name).expect("a program");
        let judge = |litmus: &Litmus, r: [u32; 4], x, y| {
            super::judge(litmus.1, litmus.2, &r, &[vec![x], vec![y], vec![0]])
        };
        let message = of("message passing by fences");
        assert!(judge(message, [1, 1, 9, 9], 1, 1).is_ok() && judge(message, [0, 0, 9, 9], 1, 1).is_ok());
        assert!(judge(message, [1, 0, 9, 9], 1, 1).is_err());
        // A work-item that did not run, and one that wrote a forbidden value.
        assert!(judge(message, [1, 9, 9, 9], 1, 1).is_err() && judge(message, [1, 1, 0, 9], 1, 1).is_err());
        let written = of("two variables written twice");
        assert!(judge(written, [9; 4], 2, 1).is_ok() && judge(written, [9; 4], 1, 1).is_err());
        let added = of("additions of two work-items");
        assert!(judge(added, [1, 0, 9, 9], 2, 0).is_ok() && judge(added, [0, 0, 9, 9], 2, 0).is_err());
    }
}
