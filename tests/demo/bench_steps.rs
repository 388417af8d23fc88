//! Steps per second of programs that launch chains of short kernels, on every device of our driver and of
//! every other OpenCL installed, in one run.
//!
//! `bench_steps [--driver libpyroclast.so] [--seconds 0.3]`. It plays what molecular dynamics and solvers do:
//! a step is a chain of kernels of a few microseconds, and the host reads four bytes every few steps. With
//! two queues, the second one does half of the kernels of each step: it waits for the step's first kernel by
//! an event, and the step's last kernel waits for its event, as in the particle-mesh Ewald method of OpenMM.
//! Rates are medians of rounds of `--seconds` each. Every value read, and the state at the end of each round,
//! are compared with the host's.

#![allow(clippy::print_stdout)] // a program that prints

use pyroclast_runtime::cl::*;
use std::ptr::{null, null_mut};
use std::time::Instant;
use test_support::cl::{self, Arg, Buffer, Kernel, Rows, Session, check};

/// `begin` splits the state into two halves of the work, `relax` is a link of a chain, `join` ends a step.
const KERNELS: &str = "
kernel void begin(global const uint *state, global uint *near, global uint *far) {
    size_t i = get_global_id(0); near[i] = state[i] * 1664525u; far[i] = state[i] ^ 0x9e3779b9u; }
kernel void relax(global uint *to, global const uint *from, uint shift) {
    size_t i = get_global_id(0), n = get_global_size(0);
    to[i] = from[i] * 1103515245u + from[(i + shift) & (n - 1)] + shift; }
kernel void join(global uint *state, global const uint *near, global const uint *far) {
    size_t i = get_global_id(0); state[i] += near[i] ^ far[i]; }";
/// Elements of each buffer, a power of two.
const SIZE: usize = 1024;
/// Size of a work-group.
const GROUP: usize = 64;
const ROUNDS: usize = 5;

/// A row of the table.
struct Pattern {
    label: &'static str,
    queues: usize,
    /// Kernels of a step: the first, the chains, the last.
    kernels: usize,
    /// Steps between two reads; none if the host reads at the end only.
    read_every: Option<usize>,
}

macro_rules! patterns {
    ($($queues:literal $name:literal $kernels:literal;)*) => {
        [$(
            Pattern {
                label: concat!($name, ", ", $kernels, " kernels, read every step"),
                queues: $queues, kernels: $kernels, read_every: Some(1),
            },
            Pattern {
                label: concat!($name, ", ", $kernels, " kernels, every 10 steps"),
                queues: $queues, kernels: $kernels, read_every: Some(10),
            },
            Pattern {
                label: concat!($name, ", ", $kernels, " kernels, at the end"),
                queues: $queues, kernels: $kernels, read_every: None,
            },
        )*]
    };
}

const PATTERNS: [Pattern; 18] = patterns! {
    1 "one queue" 5;
    1 "one queue" 20;
    1 "one queue" 30;
    2 "two queues" 5;
    2 "two queues" 20;
    2 "two queues" 30;
};

impl Pattern {
    /// Links of the two chains.
    fn links(&self) -> [usize; 2] {
        let links = self.kernels - 2;
        [links - links / 2, links / 2]
    }

    fn reads_after(&self, step: usize) -> bool {
        self.read_every.is_some_and(|every| (step + 1).is_multiple_of(every))
    }

    /// The state after a number of steps, and the values that the host reads on the way.
    fn expected(&self, steps: usize) -> (Vec<u32>, Vec<u32>) {
        let (mut state, mut reads) = (initial(), Vec::new());
        for step in 0..steps {
            let [near, far] = self.links();
            let near = relaxed(state.iter().map(|x| x.wrapping_mul(1664525)).collect(), near);
            let far = relaxed(state.iter().map(|x| x ^ 0x9e37_79b9).collect(), far);
            for (x, (n, f)) in state.iter_mut().zip(near.iter().zip(&far)) {
                *x = x.wrapping_add(n ^ f);
            }
            if self.reads_after(step) {
                reads.push(state[0]);
            }
        }
        (state, reads)
    }
}

fn initial() -> Vec<u32> {
    (0..SIZE as u32).map(|i| i.wrapping_mul(2654435761)).collect()
}

/// A chain of `relax` on the host.
fn relaxed(mut from: Vec<u32>, links: usize) -> Vec<u32> {
    let mut to = vec![0; SIZE];
    for shift in 1..=links {
        for (i, x) in to.iter_mut().enumerate() {
            let other = from[(i + shift) & (SIZE - 1)];
            *x = from[i].wrapping_mul(1103515245).wrapping_add(other).wrapping_add(shift as u32);
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

/// A second queue, released when it is dropped.
struct Queue<'a> {
    session: &'a Session<'a>,
    queue: cl_command_queue,
}

impl<'a> Queue<'a> {
    fn new(session: &'a Session<'a>) -> Result<Queue<'a>, String> {
        let mut code = 0;
        // SAFETY: live handles.
        let queue =
            unsafe { (session.api.clCreateCommandQueue)(session.context, session.device.id, 0, &mut code) };
        check("clCreateCommandQueue", code)?;
        Ok(Queue { session, queue })
    }
}

impl Drop for Queue<'_> {
    fn drop(&mut self) {
        // SAFETY: a live handle, released once.
        unsafe { (self.session.api.clReleaseCommandQueue)(self.queue) };
    }
}

/// The kernels with their arguments, and the buffers. Each link of a chain has a kernel object of its own, so
/// that arguments are set once.
struct Simulation<'a> {
    session: &'a Session<'a>,
    queues: [cl_command_queue; 2],
    begin: Kernel<'a>,
    chains: [Vec<Kernel<'a>>; 2],
    join: Kernel<'a>,
    state: &'a Buffer<'a>,
}

impl Simulation<'_> {
    /// Launches a kernel after `wait`, and stores its event in `event`.
    fn launch(
        &self,
        queue: cl_command_queue,
        kernel: &Kernel<'_>,
        wait: Option<cl_event>,
        event: Option<&mut cl_event>,
    ) -> Result<(), String> {
        let (count, list) = (cl_uint::from(wait.is_some()), wait.as_ref().map_or(null(), |e| e));
        let event = event.map_or(null_mut(), |e| e as *mut cl_event);
        // SAFETY: live handles and one dimension.
        check("clEnqueueNDRangeKernel", unsafe {
            (self.session.api.clEnqueueNDRangeKernel)(
                queue,
                kernel.kernel,
                1,
                null(),
                &SIZE,
                &GROUP,
                count,
                list,
                event,
            )
        })
    }

    fn flush(&self, queue: cl_command_queue) -> Result<(), String> {
        // SAFETY: a live handle.
        check("clFlush", unsafe { (self.session.api.clFlush)(queue) })
    }

    fn release(&self, event: cl_event) -> Result<(), String> {
        // SAFETY: a live handle, released once.
        check("clReleaseEvent", unsafe { (self.session.api.clReleaseEvent)(event) })
    }

    fn step(&self, queues: usize) -> Result<(), String> {
        let [main, second] = self.queues;
        let [near, far] = &self.chains;
        if queues == 1 {
            self.launch(main, &self.begin, None, None)?;
            for link in near.iter().chain(far) {
                self.launch(main, link, None, None)?;
            }
            return self.launch(main, &self.join, None, None);
        }
        let (mut begun, mut done) = (null_mut(), null_mut());
        self.launch(main, &self.begin, None, Some(&mut begun))?;
        self.flush(main)?;
        let last = far.len().saturating_sub(1);
        for (i, link) in far.iter().enumerate() {
            let event = (i == last).then_some(&mut done);
            self.launch(second, link, (i == 0).then_some(begun), event)?;
        }
        self.flush(second)?;
        near.iter().try_for_each(|link| self.launch(main, link, None, None))?;
        self.launch(main, &self.join, Some(done), None)?;
        self.release(begun)?;
        self.release(done)
    }

    /// Runs steps from the initial state. Returns the seconds that they take and the values read.
    fn run(&self, pattern: &Pattern, steps: usize) -> Result<(f64, Vec<u32>), String> {
        self.session.write(self.state, &initial())?;
        let mut reads = Vec::with_capacity(steps);
        let start = Instant::now();
        for step in 0..steps {
            self.step(pattern.queues)?;
            if pattern.reads_after(step) {
                let mut value = [0u32];
                self.session.read(self.state, &mut value)?;
                reads.push(value[0]);
            }
        }
        let mut value = [0u32];
        self.session.read(self.state, &mut value)?;
        Ok((start.elapsed().as_secs_f64(), reads))
    }

    /// Runs steps, and compares what they compute with the host. Returns the seconds they take.
    fn checked(&self, pattern: &Pattern, steps: usize, expected: &Expected) -> Result<f64, String> {
        let (time, reads) = self.run(pattern, steps)?;
        let mut state = vec![0u32; SIZE];
        self.session.read(self.state, &mut state)?;
        match reads == expected.1 && state == expected.0 {
            true => Ok(time),
            false => Err(format!("{}: wrong result", pattern.label)),
        }
    }
}

/// See [`Pattern::expected`].
type Expected = (Vec<u32>, Vec<u32>);

/// Steps per second.
fn rate(session: &Session<'_>, pattern: &Pattern, seconds: f64) -> Result<f64, String> {
    let program = session.build(KERNELS, "")?;
    let second = Queue::new(session)?;
    let state = session.buffer(4 * SIZE)?;
    let buffer = || session.buffer(4 * SIZE);
    let [near, far] = [[buffer()?, buffer()?], [buffer()?, buffer()?]];
    let chain = |pair: &[Buffer<'_>; 2], links: usize| {
        let link = |i: usize| {
            let kernel = program.kernel("relax")?;
            let (to, from) = (&pair[(i + 1) % 2], &pair[i % 2]);
            kernel.set(&[Arg::Buffer(to), Arg::Buffer(from), Arg::U32(i as u32 + 1)])?;
            Ok(kernel)
        };
        (0..links).map(link).collect::<Result<Vec<_>, String>>()
    };
    let [links, far_links] = pattern.links();
    let (begin, join) = (program.kernel("begin")?, program.kernel("join")?);
    begin.set(&[Arg::Buffer(&state), Arg::Buffer(&near[0]), Arg::Buffer(&far[0])])?;
    let ends = [&near[links % 2], &far[far_links % 2]];
    join.set(&[Arg::Buffer(&state), Arg::Buffer(ends[0]), Arg::Buffer(ends[1])])?;
    let chains = [chain(&near, links)?, chain(&far, far_links)?];
    let queues = [session.queue, second.queue];
    let simulation = Simulation { session, queues, begin, chains, join, state: &state };
    // The first run creates pipelines, the second one tells how many steps a round has.
    let mut steps = 20;
    for _ in 0..2 {
        let time = simulation.checked(pattern, steps, &pattern.expected(steps))?;
        steps = ((steps as f64 * seconds / time) as usize).clamp(20, 20_000);
    }
    let expected = pattern.expected(steps);
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        rates.push(steps as f64 / simulation.checked(pattern, steps, &expected)?);
    }
    rates.sort_by(f64::total_cmp);
    Ok(rates[ROUNDS / 2])
}

fn seconds() -> Result<f64, String> {
    let args: Vec<String> = std::env::args().collect();
    let value = args.iter().position(|a| a == "--seconds").map(|i| args.get(i + 1));
    let parsed = value.map_or(Some(0.3), |v| v.and_then(|v| v.parse().ok()).filter(|s| *s > 0.0));
    parsed.ok_or_else(|| "--seconds needs a number".into())
}

fn main() -> Result<(), String> {
    let seconds = seconds()?;
    println!("steps/s");
    cl::compare(|session| {
        let mut rows = Rows::new();
        for pattern in &PATTERNS {
            match rate(session, pattern, seconds) {
                Ok(rate) => rows.push((pattern.label, rate)),
                Err(error) => println!("{}: {error}", session.device.name),
            }
        }
        Ok(rows)
    })
}
