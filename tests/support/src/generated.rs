//! Generated programs in OpenCL C for benchmarks of compilation: always the same text.

/// Names and sources of the programs: a tiny kernel, 15 kernels in 1,530 lines, a kernel of 2,500 lines.
pub fn programs() -> [(&'static str, String); 3] {
    [
        ("tiny", "kernel void scale(global float *p, float by) { p[get_global_id(0)] *= by; }\n".to_owned()),
        ("15 kernels", (0..15).map(|k| kernel(k, 92)).collect()),
        ("one big kernel", kernel(0, 2490)),
    ]
}

/// The kernel `k{number}` with about `statements` statements: arithmetic, branches, loops, private and local
/// memory, built-in functions.
pub fn kernel(number: usize, statements: usize) -> String {
    let mut text = format!(
        "kernel void k{number}(global float *restrict out, global const float *restrict in, global int *counts, int n) {{\n\
         local float tile[64];\nfloat table[8];\nsize_t i = get_global_id(0);\n\
         float a = in[i], b = a * 0.5f, c = b + 1.0f; int x = n, y = (int)i;\n\
         for (int j = 0; j < 8; j++) table[j] = a + j;\n"
    );
    let mut seed = number as u64 * 7919 + 1;
    for s in 0..statements {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let n = (seed >> 40) % 97 + 1;
        let line = match (seed >> 33) % 12 {
            0 => format!("a = a * b + {n}.0f;"),
            1 => "b = fmax(b, c) - a;".to_owned(),
            2 => format!("x = (x ^ (y << {})) + {n};", n % 31),
            3 => format!("if (x > y + {n}) {{ c += a; y += 3; }} else c -= b;"),
            4 => format!("table[x & 7] += c * {n}.0f;"),
            5 => "a += table[y & 7];".to_owned(),
            6 => format!("y = y * {n} + (x >> {});", n % 7),
            7 => "c = sqrt(fabs(a)) + c;".to_owned(),
            8 => format!("b = in[(i + {n}) & 1023] + b;"),
            9 => format!("for (int j = 0; j < (x & 3); j++) b += a * {n}.0f;"),
            10 if s % 4 == 0 => format!("counts[y & 255] = x + {n};"),
            10 => format!("x = rotate(x, {}) | 1;", n % 31 + 1),
            _ => format!("c = mad(a, b, c) / {n}.5f;"),
        };
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(
        "tile[get_local_id(0) & 63] = a;\nbarrier(CLK_LOCAL_MEM_FENCE);\nout[i] = tile[(y + 1) & 63] + b + c + x;\n}\n",
    );
    text
}
