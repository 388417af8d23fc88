//! Vectors of every type and size in memory: vload and vstore, assignments, local and private memory,
//! reinterpretation, conversion and shuffles. Output buffers are only written, or also read.
//!
//! Each test is one program for one vector type. Values are small integers, which every type represents
//! exactly, so all results are compared bit for bit.

use super::{Context, Outcome, Sink};
use half::f16;
use std::fmt::Write;
use test_support::cl::{Arg, Session};

struct Scalar {
    name: &'static str,
    bytes: usize,
    /// Extension that it needs, or nothing.
    needs: &'static str,
}

const fn scalar(name: &'static str, bytes: usize, needs: &'static str) -> Scalar {
    Scalar { name, bytes, needs }
}

const SCALARS: [Scalar; 11] = [
    scalar("char", 1, ""),
    scalar("uchar", 1, ""),
    scalar("short", 2, ""),
    scalar("ushort", 2, ""),
    scalar("int", 4, ""),
    scalar("uint", 4, ""),
    scalar("long", 8, ""),
    scalar("ulong", 8, ""),
    scalar("half", 2, "cl_khr_fp16"),
    scalar("float", 4, ""),
    scalar("double", 8, "cl_khr_fp64"),
];

const SIZES: [usize; 5] = [2, 3, 4, 8, 16];

/// Work-items of a launch: not a multiple of a vector width, a multiple of the local size.
const ITEMS: usize = 1000;
const LOCAL: usize = 8;

impl Scalar {
    /// The bytes of a small integer.
    fn encode(&self, value: u8) -> Vec<u8> {
        match self.name {
            "half" => f16::from_f32(f32::from(value)).to_le_bytes().to_vec(),
            "float" => f32::from(value).to_le_bytes().to_vec(),
            "double" => f64::from(value).to_le_bytes().to_vec(),
            _ => u64::from(value).to_le_bytes()[..self.bytes].to_vec(),
        }
    }

    /// The unsigned integer of the same size, the element type of shuffle masks.
    fn mask(&self) -> &'static str {
        match self.bytes {
            1 => "uchar",
            2 => "ushort",
            4 => "uint",
            _ => "ulong",
        }
    }
}

/// Lane `lane` of work-item `item`, as [`made`] computes it.
fn value(item: usize, lane: usize) -> u8 {
    ((item * 7 + lane * 13 + 1) & 63) as u8
}

/// A vector computed from the work-item's number, in OpenCL C.
fn made(ty: &str, size: usize) -> String {
    let lanes: Vec<String> = (0..size).map(|k| format!("({ty})((i * 7 + {}) & 63)", k * 13 + 1)).collect();
    format!("({ty}{size})({})", lanes.join(", "))
}

/// The bytes of `size` lanes for each of `items` work-items.
fn values(ty: &Scalar, size: usize, items: usize) -> Vec<u8> {
    (0..items).flat_map(|i| (0..size).flat_map(move |k| ty.encode(value(i, k)))).collect()
}

/// Initial byte of output buffers.
const FILL: u8 = 0xa5;

struct Program<'a> {
    session: &'a Session<'a>,
    program: test_support::cl::Program<'a>,
}

impl<'a> Program<'a> {
    fn new(session: &'a Session<'a>, source: &str) -> Result<Program<'a>, String> {
        let mut text = String::new();
        for needs in SCALARS.iter().map(|s| s.needs).filter(|n| !n.is_empty()) {
            let _ = writeln!(text, "#ifdef {needs}\n#pragma OPENCL EXTENSION {needs} : enable\n#endif");
        }
        text.push_str(source);
        Ok(Program { session, program: session.build(&text, "")? })
    }

    /// Launches a kernel whose arguments are buffers of these contents, optionally a number, and optionally
    /// local memory. Compares the buffers with the expected contents.
    fn check(
        &self,
        name: &str,
        buffers: &[(Vec<u8>, Vec<u8>)],
        number: Option<u32>,
        local: usize,
    ) -> Result<(), String> {
        let made: Vec<_> =
            buffers.iter().map(|(before, _)| self.session.buffer(before.len())).collect::<Result<_, _>>()?;
        for (buffer, (before, _)) in made.iter().zip(buffers) {
            self.session.write(buffer, before)?;
        }
        let number = number.map(u32::to_le_bytes);
        let mut args: Vec<Arg<'_>> = made.iter().map(Arg::Buffer).collect();
        args.extend(number.iter().map(|n| Arg::Bytes(n)));
        if local > 0 {
            args.push(Arg::Local(local));
        }
        let kernel = self.program.kernel(name)?;
        kernel.set(&args)?;
        kernel.launch(&[ITEMS], (local > 0).then_some(&[LOCAL]))?;
        for (n, (buffer, (before, expected))) in made.iter().zip(buffers).enumerate() {
            let mut after = vec![0u8; before.len()];
            self.session.read(buffer, &mut after)?;
            if let Some(at) = after.iter().zip(expected).position(|(a, e)| a != e) {
                let around = at / 16 * 16..(at / 16 * 16 + 16).min(after.len());
                let (is, should) = (&after[around.clone()], &expected[around]);
                return Err(format!(
                    "kernel {name}, buffer {n}, byte {at}: {is:02x?} instead of {should:02x?}"
                ));
            }
        }
        Ok(())
    }
}

/// A buffer that a kernel only reads.
fn input(bytes: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    (bytes.clone(), bytes)
}

/// A buffer that a kernel fills.
fn output(expected: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    (vec![FILL; expected.len()], expected)
}

/// vload, vstore and assignments with one buffer written, or one read and one written.
fn global_memory(session: &Session<'_>, ty: &Scalar, n: usize) -> Result<(), String> {
    let (t, v) = (ty.name, made(ty.name, n));
    let program = Program::new(
        session,
        &format!(
            "kernel void written(global {t} *out, uint first) {{ uint i = get_global_id(0); vstore{n}({v}, i, out + first); }}
kernel void assigned(global {t}{n} *out) {{ uint i = get_global_id(0); out[i] = {v}; }}
kernel void some(global {t} *out) {{ uint i = get_global_id(0); if (i % 3 != 1) vstore{n}({v}, i, out); }}
kernel void spread(global {t} *out) {{ uint i = get_global_id(0); vstore{n}({v}, 2 * i, out); }}
kernel void copied(global const {t} *in, global {t} *out, uint first) {{
    uint i = get_global_id(0);
    vstore{n}(vload{n}(i, in + first), i, out + first);
}}
kernel void updated(global {t} *p) {{ uint i = get_global_id(0); vstore{n}(vload{n}(i, p) + vload{n}(i, p), i, p); }}
"
        ),
    )?;
    let all = values(ty, n, ITEMS);
    let lane = ty.bytes;
    for first in [0, 1] {
        let mut expected = vec![FILL; first * lane];
        expected.extend(&all);
        program.check("written", &[output(expected.clone())], Some(first as u32), 0)?;
        expected[..first * lane].fill(FILL);
        program.check("copied", &[input(expected.clone()), output(expected)], Some(first as u32), 0)?;
    }
    let stride = n.next_power_of_two();
    let mut assigned = vec![FILL; ITEMS * stride * lane];
    let (mut some, mut spread) = (vec![FILL; all.len()], vec![FILL; 2 * all.len()]);
    for (i, item) in all.chunks(n * lane).enumerate() {
        assigned[i * stride * lane..][..n * lane].copy_from_slice(item);
        if i % 3 != 1 {
            some[i * n * lane..][..n * lane].copy_from_slice(item);
        }
        spread[2 * i * n * lane..][..n * lane].copy_from_slice(item);
    }
    program.check("some", &[output(some)], None, 0)?;
    program.check("spread", &[output(spread)], None, 0)?;
    let doubled = (0..ITEMS).flat_map(|i| (0..n).flat_map(move |k| ty.encode(2 * value(i, k)))).collect();
    program.check("updated", &[(all, doubled)], None, 0)?;
    check_assigned(&program, assigned, n, lane)
}

/// The fourth lane of a vector of three is padding, which an assignment may write.
fn check_assigned(program: &Program<'_>, expected: Vec<u8>, n: usize, lane: usize) -> Result<(), String> {
    if n != 3 {
        return program.check("assigned", &[output(expected)], None, 0);
    }
    let buffer = program.session.buffer(expected.len())?;
    let kernel = program.program.kernel("assigned")?;
    kernel.set(&[Arg::Buffer(&buffer)])?;
    kernel.launch(&[ITEMS], None)?;
    let mut after = vec![0u8; expected.len()];
    program.session.read(&buffer, &mut after)?;
    match after
        .chunks(4 * lane)
        .zip(expected.chunks(4 * lane))
        .position(|(a, e)| a[..3 * lane] != e[..3 * lane])
    {
        Some(i) => Err(format!("kernel assigned, vector {i}: {:02x?}", &after[4 * i * lane..][..3 * lane])),
        None => Ok(()),
    }
}

/// Vectors copied through private, local and constant memory.
fn local_memory(session: &Session<'_>, ty: &Scalar, n: usize) -> Result<(), String> {
    let t = ty.name;
    let program = Program::new(
        session,
        &format!(
            "kernel void through(global const {t} *in, global {t} *out, local {t} *l) {{
    {t} p[{twice}];
    uint i = get_global_id(0), k = get_local_id(0), last = get_local_size(0) - 1;
    vstore{n}(vload{n}(i, in), i & 1, p);
    vstore{n}(vload{n}(i & 1, p), k, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore{n}(vload{n}(last - k, l), i, out);
}}
kernel void constants(constant {t} *in, global {t} *out) {{ uint i = get_global_id(0); vstore{n}(vload{n}(i, in), i, out); }}
",
            twice = 2 * n
        ),
    )?;
    let all = values(ty, n, ITEMS);
    let reversed = (0..ITEMS)
        .map(|i| i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL)
        .flat_map(|i| all[i * n * ty.bytes..][..n * ty.bytes].to_vec())
        .collect();
    program.check("through", &[input(all.clone()), output(reversed)], None, LOCAL * n * ty.bytes)?;
    program.check("constants", &[input(all.clone()), output(all)], None, 0)
}

/// A statement that stores `value`, a vector or scalar, as element `i` of the buffer.
fn store(size: usize, value: &str, buffer: &str) -> String {
    match size {
        1 => format!("{buffer}[i] = {value};\n"),
        n => format!("vstore{n}({value}, i, {buffer});\n"),
    }
}

fn vector(ty: &str, size: usize) -> String {
    if size == 1 { ty.to_owned() } else { format!("{ty}{size}") }
}

/// as_type to every vector of the same size.
fn reinterpretation(session: &Session<'_>, ty: &Scalar, n: usize, offered: &[&Scalar]) -> Result<(), String> {
    let (mut params, mut body, mut buffers) = (String::new(), String::new(), Vec::new());
    // Bit patterns that are normal numbers in every type.
    let all: Vec<u8> = (0..ITEMS * n * ty.bytes).map(|i| 0x20 | (i * 11 % 31) as u8).collect();
    for to in offered {
        let size = n * ty.bytes / to.bytes;
        let fits = size * to.bytes == n * ty.bytes
            && (size == 1 || SIZES.contains(&size))
            && (n == 3) == (size == 3);
        if fits {
            let name = to.name;
            let _ = write!(params, ", global {name} *{name}s");
            body.push_str(&store(size, &format!("as_{}(v)", vector(name, size)), &format!("{name}s")));
            buffers.push(output(all.clone()));
        }
    }
    buffers.insert(0, input(all));
    let t = ty.name;
    let source = format!(
        "kernel void as(global const {t} *in{params}) {{ uint i = get_global_id(0); {t}{n} v = vload{n}(i, in);\n{body}}}\n"
    );
    Program::new(session, &source)?.check("as", &buffers, None, 0)
}

/// convert_type to every type.
fn conversion(session: &Session<'_>, ty: &Scalar, n: usize, offered: &[&Scalar]) -> Result<(), String> {
    let (mut params, mut body) = (String::new(), String::new());
    let mut buffers = vec![input(values(ty, n, ITEMS))];
    for to in offered {
        let name = to.name;
        let _ = write!(params, ", global {name} *{name}s");
        body.push_str(&store(n, &format!("convert_{name}{n}(v)"), &format!("{name}s")));
        buffers.push(output(values(to, n, ITEMS)));
    }
    let t = ty.name;
    let source = format!(
        "kernel void convert(global const {t} *in{params}) {{ uint i = get_global_id(0); {t}{n} v = vload{n}(i, in);\n{body}}}\n"
    );
    Program::new(session, &source)?.check("convert", &buffers, None, 0)
}

/// shuffle and shuffle2 to vectors of every size, by masks from memory.
fn shuffles(session: &Session<'_>, ty: &Scalar, n: usize) -> Result<(), String> {
    const WIDEST: usize = 16;
    let (t, m) = (ty.name, ty.mask());
    let mask_type = SCALARS.iter().find(|s| s.name == m).ok_or("no type for masks")?;
    // Bits above those that select a lane are ignored.
    let choice = |i: usize, k: usize| (i * 5 + k * 3 + (i >> 3)) & 63;
    let mask: Vec<u8> = (0..ITEMS)
        .flat_map(|i| (0..WIDEST).flat_map(move |k| mask_type.encode(choice(i, k) as u8)))
        .collect();
    let (mut params, mut body) = (String::new(), String::new());
    let mut buffers = vec![input(values(ty, n, 2 * ITEMS)), input(mask)];
    for size in [2, 4, 8, 16] {
        let _ = write!(params, ", global {t} *one{size}, global {t} *two{size}");
        let _ = writeln!(body, "{m}{size} m{size} = vload{size}(0, mask + {WIDEST} * i);");
        body.push_str(&store(size, &format!("shuffle(a, m{size})"), &format!("one{size}")));
        body.push_str(&store(size, &format!("shuffle2(a, b, m{size})"), &format!("two{size}")));
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for i in 0..ITEMS {
            for k in 0..size {
                one.extend(ty.encode(value(i, choice(i, k) % n)));
                let lane = choice(i, k) % (2 * n);
                two.extend(ty.encode(if lane < n { value(i, lane) } else { value(i + ITEMS, lane - n) }));
            }
        }
        buffers.extend([output(one), output(two)]);
    }
    let source = format!(
        "kernel void shuffles(global const {t} *in, global const {m} *mask{params}) {{
    uint i = get_global_id(0);
    {t}{n} a = vload{n}(i, in), b = vload{n}(i + {ITEMS}, in);\n{body}}}\n"
    );
    Program::new(session, &source)?.check("shuffles", &buffers, None, 0)
}

/// Runs `body` with a session and the scalar types that the device offers, if it offers `ty`.
fn with_types(
    context: &Context<'_>,
    ty: &Scalar,
    body: impl FnOnce(&Session<'_>, &[&Scalar]) -> Result<(), String>,
) -> Outcome {
    let session = match context.session() {
        Ok(session) => session,
        Err(text) => return Outcome::Fail(text),
    };
    let extensions = session.extensions();
    let offers = |s: &Scalar| s.needs.is_empty() || extensions.split(' ').any(|e| e == s.needs);
    if !offers(ty) {
        return Outcome::Skip(format!("needs {}", ty.needs));
    }
    let offered: Vec<&Scalar> = SCALARS.iter().filter(|s| offers(s)).collect();
    body(&session, &offered).into()
}

/// Loads and stores.
pub fn memory(context: &Context<'_>, sink: &mut Sink<'_>) {
    for ty in &SCALARS {
        for n in SIZES {
            let name = format!("{}{n}", ty.name);
            sink.test(format!("{name} global"), || with_types(context, ty, |s, _| global_memory(s, ty, n)));
            sink.test(format!("{name} local"), || with_types(context, ty, |s, _| local_memory(s, ty, n)));
        }
    }
}

/// Reinterpretation, conversion and shuffles.
pub fn transformations(context: &Context<'_>, sink: &mut Sink<'_>) {
    for ty in &SCALARS {
        for n in SIZES {
            let name = format!("{}{n}", ty.name);
            sink.test(format!("as {name}"), || {
                with_types(context, ty, |s, offered| reinterpretation(s, ty, n, offered))
            });
            sink.test(format!("convert {name}"), || {
                with_types(context, ty, |s, offered| conversion(s, ty, n, offered))
            });
            if n != 3 {
                sink.test(format!("shuffle {name}"), || with_types(context, ty, |s, _| shuffles(s, ty, n)));
            }
        }
    }
}
