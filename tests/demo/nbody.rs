//! Demo: all-pairs N-body steps, on every device, checked on the host in double precision.

use test_support::cl::{Arg, Session, on_every_device};

const DT: f32 = 0.01;
const SOFT: f32 = 0.05;
const GROUP: usize = 64;

fn reference(p: &[[f32; 4]], v: &[[f32; 4]], i: usize) -> [f64; 3] {
    let mut acc = [0f64; 3];
    for q in p {
        let d: [f64; 3] = std::array::from_fn(|k| (q[k] - p[i][k]) as f64);
        let r2: f64 = d.iter().map(|x| x * x).sum::<f64>() + SOFT as f64;
        let w = q[3] as f64 / (r2 * r2.sqrt());
        for k in 0..3 {
            acc[k] += d[k] * w;
        }
    }
    std::array::from_fn(|k| p[i][k] as f64 + (v[i][k] as f64 + acc[k] * DT as f64) * DT as f64)
}

fn demo(session: &Session<'_>) -> Result<String, String> {
    let program = session.build(include_str!("nbody.cl"), "")?;
    let kernel = program.kernel("step_bodies")?;
    let mut n = 1024usize;
    loop {
        let mut state = 12345u32;
        let mut random = || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let p: Vec<[f32; 4]> = (0..n)
            .map(|_| [random() * 2.0 - 1.0, random() * 2.0 - 1.0, random() * 2.0 - 1.0, random() / n as f32])
            .collect();
        let v: Vec<[f32; 4]> =
            (0..n).map(|_| [random() * 0.1, random() * 0.1, random() * 0.1, 0.0]).collect();
        let b: Vec<_> = (0..4).map(|_| session.buffer(n * 16)).collect::<Result<_, _>>()?;
        session.write(&b[0], &p)?;
        session.write(&b[1], &v)?;
        kernel.set(&[
            Arg::Buffer(&b[0]),
            Arg::Buffer(&b[1]),
            Arg::Buffer(&b[2]),
            Arg::Buffer(&b[3]),
            Arg::U32(n as u32),
            Arg::F32(DT),
            Arg::F32(SOFT),
            Arg::Local(GROUP * 16),
        ])?;
        let time = session.best_time(0.3, || kernel.launch(&[n], Some(&[GROUP])))?;
        let mut out = vec![[0f32; 4]; n];
        session.read(&b[2], &mut out)?;
        for i in (0..n).step_by(n / 64) {
            let want = reference(&p, &v, i);
            for k in 0..3 {
                if (out[i][k] as f64 - want[k]).abs() > 1e-5 {
                    return Err(format!("n = {n}: body {i} is at {:?}, expected {want:?}", out[i]));
                }
            }
        }
        if time > 0.02 || n >= 65536 {
            let gflops = 20.0 * (n as f64).powi(2) / time / 1e9;
            return Ok(format!("{n} bodies in {:.3} ms, {gflops:.1} GFLOP/s", time * 1e3));
        }
        n *= 2;
    }
}

fn main() -> std::process::ExitCode {
    on_every_device("n-body", demo)
}
