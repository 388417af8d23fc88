//! The device under test, reached through the system's OpenCL loader: kernels that apply one function each to
//! arrays.

use super::inputs::{from_bits, to_bits};
use super::judge::Got;
use super::reference::Args;
use super::table::{FunctionSpec, Shape, Width};
pub use cl::{Api, Device, Program, Session};
use pyroclast_runtime::cl::*;
use test_support::cl;

/// Support of a floating-point format.
#[derive(Clone, Copy, Debug)]
pub struct FormatSupport {
    pub available: bool,
    pub denormals: bool,
    /// Whether correctly rounded division and square root can be requested.
    pub rounded: bool,
}

/// Queries a format's CL_DEVICE_*_FP_CONFIG.
pub fn format(api: &Api, device: &Device, extensions: &str, width: Width) -> FormatSupport {
    let name =
        [CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_DOUBLE_FP_CONFIG][width as usize];
    let mut config: cl_device_fp_config = 0;
    // SAFETY: the answer is a bit field of the size given.
    let code = unsafe {
        (api.clGetDeviceInfo)(
            device.id,
            name,
            size_of::<cl_device_fp_config>(),
            (&raw mut config).cast(),
            std::ptr::null_mut(),
        )
    };
    let extension = ["cl_khr_fp16", "", "cl_khr_fp64"][width as usize];
    let listed = extension.is_empty() || extensions.split_whitespace().any(|e| e == extension);
    let has = |bit: cl_device_fp_config| code == CL_SUCCESS && config & bit != 0;
    FormatSupport {
        available: listed && code == CL_SUCCESS && config != 0,
        denormals: has(CL_FP_DENORM),
        rounded: width == Width::F32 && has(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
    }
}

/// The statements that apply a function to the operands called a, b, c and n, for results r\[i\], s\[i\] and
/// q\[i\].
fn statements(entry: &FunctionSpec, width: Width) -> String {
    let t = width.name();
    let unsigned = ["ushort", "uint", "ulong"][width as usize];
    let f = entry.name;
    if entry.is_expression() {
        let operand = |token| match token {
            "x" => "a",
            "y" => "b",
            "z" => "c",
            other => other,
        };
        return format!("r[i] = {};", f.split(' ').map(operand).collect::<Vec<_>>().join(" "));
    }
    match entry.shape {
        Shape::F1 => format!("r[i] = {f}(a);"),
        Shape::F2 => format!("r[i] = {f}(a, b);"),
        Shape::F3 => format!("r[i] = {f}(a, b, c);"),
        Shape::FI => format!("r[i] = {f}(a, n);"),
        Shape::ToInt => format!("q[i] = {f}(a);"),
        Shape::Second => format!("{t} second; r[i] = {f}(a, &second); s[i] = second;"),
        Shape::SecondInt => format!("int second; r[i] = {f}(a, &second); q[i] = second;"),
        Shape::Remquo => format!("int second; r[i] = {f}(a, b, &second); q[i] = second;"),
        Shape::OfInt => format!("r[i] = {f}(({unsigned})n);"),
    }
}

/// First line of programs that use a type.
pub fn pragma(width: Width) -> &'static str {
    match width {
        Width::F16 => "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
        Width::F32 => "",
        Width::F64 => "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    }
}

/// A program with kernel `k<index>` for each function, which applies it to arrays.
pub fn source(entries: &[(usize, &FunctionSpec)], width: Width) -> String {
    let t = width.name();
    let mut source = pragma(width).to_owned();
    for (index, entry) in entries {
        let operands = entry.shape.operands();
        let declare = |there: bool, text: String| if there { text } else { String::new() };
        let operands = ["a", "b", "c"]
            .iter()
            .zip(operands)
            .map(|(v, there)| declare(there, format!("    {t} {v} = {v}s[i];\n")))
            .chain([declare(operands[3], "    int n = ns[i];\n".into())]);
        source.push_str(&format!(
            "__kernel void k{index}(__global const {t} *as, __global const {t} *bs, __global const {t} *cs, __global const int *ns,\n    \
             __global {t} *r, __global {t} *s, __global int *q)\n{{\n    size_t i = get_global_id(0);\n{}    {}\n}}\n",
            operands.collect::<String>(),
            statements(entry, width)
        ));
    }
    source
}

/// Number of bit patterns that one launch of a kernel of [`source_of_patterns`] covers, with either sign.
pub const PATTERNS: u32 = 1 << 19;

/// A program with kernel `k<index>` for each function of one single-precision operand. Operands are
/// consecutive bit patterns from a given one, then the same with the sign bit set.
pub fn source_of_patterns(entries: &[(usize, &FunctionSpec)]) -> String {
    let mut source = String::new();
    for (index, entry) in entries {
        source.push_str(&format!(
            "__kernel void k{index}(uint first, __global float *r, __global float *s, __global int *q)\n{{\n    \
             uint i = get_global_id(0);\n    float a = as_float(first + (i & {}u) | (i & {PATTERNS}u) << {});\n    {}\n}}\n",
            PATTERNS - 1,
            31 - PATTERNS.trailing_zeros(),
            statements(entry, Width::F32)
        ));
    }
    source
}

pub fn pack(width: Width, values: impl Iterator<Item = f64>) -> Vec<u8> {
    match width {
        Width::F16 => values.flat_map(|x| (to_bits(width, x) as u16).to_le_bytes()).collect(),
        Width::F32 => values.flat_map(|x| (x as f32).to_le_bytes()).collect(),
        Width::F64 => values.flat_map(f64::to_le_bytes).collect(),
    }
}

pub fn unpack(width: Width, bytes: &[u8], i: usize) -> f64 {
    let n = width.bytes();
    let mut raw = [0; 8];
    raw[..n].copy_from_slice(&bytes[i * n..(i + 1) * n]);
    from_bits(width, u64::from_le_bytes(raw))
}

/// Applies kernel `k<index>` of a program to operands. Transfers only operands and results of the function's
/// shape.
pub fn apply(
    session: &Session<'_>,
    program: &Program<'_>,
    (index, shape): (usize, Shape),
    width: Width,
    list: &[Args],
) -> Result<Vec<Got>, String> {
    let kernel = program.kernel(&format!("k{index}"))?;
    let size = list.len() * width.bytes();
    let ([_, has_y, has_z, has_n], [has_value, has_second, has_int]) = (shape.operands(), shape.results());
    let upload = |bytes: Vec<u8>| {
        let buffer = session.buffer(bytes.len().max(4))?;
        session.write(&buffer, &bytes).map(|()| buffer)
    };
    let a = upload(pack(width, list.iter().map(|v| v.x)))?;
    let b = if has_y { Some(upload(pack(width, list.iter().map(|v| v.y)))?) } else { None };
    let c = if has_z { Some(upload(pack(width, list.iter().map(|v| v.z)))?) } else { None };
    let n = if has_n { Some(upload(list.iter().flat_map(|v| v.n.to_le_bytes()).collect())?) } else { None };
    let room = |wanted: bool, bytes: usize| session.buffer(if wanted { bytes.max(4) } else { 4 });
    let (r, s, q) = (room(has_value, size)?, room(has_second, size)?, room(has_int, 4 * list.len())?);
    // An unused operand may be any buffer.
    let arguments =
        [&a, b.as_ref().unwrap_or(&a), c.as_ref().unwrap_or(&a), n.as_ref().unwrap_or(&a), &r, &s, &q];
    kernel.set(&arguments.map(cl::Arg::Buffer))?;
    kernel.launch(&[list.len()], None)?;
    let download = |buffer, wanted: bool| {
        let mut bytes = vec![0u8; if wanted { size } else { 0 }];
        if wanted { session.read(buffer, &mut bytes).map(|()| bytes) } else { Ok(bytes) }
    };
    let (first, second) = (download(&r, has_value)?, download(&s, has_second)?);
    let mut int = vec![0i32; if has_int { list.len() } else { 0 }];
    if has_int {
        session.read(&q, &mut int)?;
    }
    let number = |bytes: &[u8], i| if bytes.is_empty() { 0.0 } else { unpack(width, bytes, i) };
    let got = |i| Got {
        value: number(&first, i),
        second: number(&second, i),
        int: int.get(i).copied().unwrap_or_default(),
    };
    Ok((0..list.len()).map(got).collect())
}
