//! Demo: single-precision matrix multiplication with tiles in local memory, on every device, checked on the
//! host.

use test_support::cl::{Arg, Session, on_every_device};

fn demo(session: &Session<'_>) -> Result<String, String> {
    let program = session.build(include_str!("sgemm.cl"), "-DTILE=16 -DWORK=4")?;
    let kernel = program.kernel("sgemm")?;
    // Small first; larger if the device is fast enough.
    let mut n = 256usize;
    loop {
        let value = |i: usize, k: usize| ((i * 2654435761 + k * 40503) >> 7 & 15) as f32 * 0.125 - 1.0;
        let a: Vec<f32> = (0..n * n).map(|i| value(i, 1)).collect();
        let b: Vec<f32> = (0..n * n).map(|i| value(i, 2)).collect();
        let (da, db, dc) =
            (session.buffer(n * n * 4)?, session.buffer(n * n * 4)?, session.buffer(n * n * 4)?);
        session.write(&da, &a)?;
        session.write(&db, &b)?;
        let tile = Arg::Local(16 * 16 * 4);
        kernel.set(&[
            Arg::Buffer(&da),
            Arg::Buffer(&db),
            Arg::Buffer(&dc),
            Arg::U32(n as u32),
            tile,
            Arg::Local(16 * 16 * 4),
        ])?;
        let time = session.best_time(0.3, || kernel.launch(&[n, n / 4], Some(&[16, 4])))?;
        let mut c = vec![0f32; n * n];
        session.read(&dc, &mut c)?;
        // The inputs are multiples of 1/8 below 1: every sum is exact, so results must be equal. A sample of
        // rows is checked.
        for y in (0..n).step_by((n / 64).max(1)) {
            let mut row = vec![0f32; n];
            for k in 0..n {
                let v = a[y * n + k];
                for (r, w) in row.iter_mut().zip(&b[k * n..(k + 1) * n]) {
                    *r += v * w;
                }
            }
            if let Some(x) = (0..n).find(|&x| row[x] != c[y * n + x]) {
                return Err(format!("n = {n}: c[{y}][{x}] is {}, expected {}", c[y * n + x], row[x]));
            }
        }
        if time > 0.02 || n >= 4096 {
            let gflops = 2.0 * (n as f64).powi(3) / time / 1e9;
            return Ok(format!("{n} x {n} in {:.3} ms, {gflops:.1} GFLOP/s", time * 1e3));
        }
        n *= 2;
    }
}

fn main() -> std::process::ExitCode {
    on_every_device("sgemm", demo)
}
