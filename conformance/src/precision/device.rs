//! The device under test, reached through the system's OpenCL loader: kernels that apply one function each to arrays.

use super::inputs::{from_bits, to_bits};
use super::judge::Got;
use super::reference::Args;
use super::table::{Entry, Mode, Shape, Width};
use crate::cl;
pub use cl::{Api, Device, Program, Session};
use pyroclast_runtime::cl::*;

/// What a device says of a format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub available: bool,
    pub denormals: bool,
    /// Correctly rounded division and square root can be asked for.
    pub rounded: bool,
}

/// Asks for a format's CL_DEVICE_*_FP_CONFIG.
pub fn format(api: &Api, device: &Device, extensions: &str, width: Width) -> Format {
    let name = [CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_DOUBLE_FP_CONFIG][width as usize];
    let mut config: cl_device_fp_config = 0;
    // SAFETY: the answer is a bit field of the size given.
    let code = unsafe {
        (api.clGetDeviceInfo)(device.id, name, size_of::<cl_device_fp_config>(), (&raw mut config).cast(), std::ptr::null_mut())
    };
    let extension = ["cl_khr_fp16", "", "cl_khr_fp64"][width as usize];
    let listed = extension.is_empty() || extensions.split_whitespace().any(|e| e == extension);
    let has = |bit: cl_device_fp_config| code == CL_SUCCESS && config & bit != 0;
    Format {
        available: listed && code == CL_SUCCESS && config != 0,
        denormals: has(CL_FP_DENORM),
        rounded: width == Width::F32 && has(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
    }
}

/// The kernel that applies a function.
fn kernel_source(index: usize, entry: &Entry, width: Width) -> String {
    let t = width.name();
    let f = entry.name;
    let call = match entry.shape {
        Shape::F1 => format!("r[i] = {f}(a[i]);"),
        Shape::F2 => format!("r[i] = {f}(a[i], b[i]);"),
        Shape::F3 => format!("r[i] = {f}(a[i], b[i], c[i]);"),
        Shape::FI => format!("r[i] = {f}(a[i], n[i]);"),
        Shape::ToInt => format!("q[i] = {f}(a[i]);"),
        Shape::Second => format!("{t} second; r[i] = {f}(a[i], &second); s[i] = second;"),
        Shape::SecondInt => format!("int second; r[i] = {f}(a[i], &second); q[i] = second;"),
        Shape::Remquo => format!("int second; r[i] = {f}(a[i], b[i], &second); q[i] = second;"),
        Shape::Operator => format!("r[i] = a[i] {f} b[i];"),
    };
    format!(
        "__kernel void k{index}(__global const {t} *a, __global const {t} *b, __global const {t} *c, __global const int *n,\n    \
         __global {t} *r, __global {t} *s, __global int *q)\n{{\n    size_t i = get_global_id(0);\n    {call}\n}}\n"
    )
}

/// A program with kernel `k<index>` for each function.
pub fn build<'a>(session: &'a Session<'_>, entries: &[(usize, &Entry)], width: Width, mode: Mode) -> Result<Program<'a>, String> {
    let mut source = String::new();
    match width {
        Width::F16 => source.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"),
        Width::F32 => {}
        Width::F64 => source.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"),
    }
    for (index, entry) in entries {
        source.push_str(&kernel_source(*index, entry, width));
    }
    session.build(&source, mode.options())
}

fn pack(width: Width, values: impl Iterator<Item = f64>) -> Vec<u8> {
    let bytes = width.bytes();
    values.flat_map(|x| to_bits(width, x).to_le_bytes().into_iter().take(bytes)).collect()
}

fn unpack(width: Width, bytes: &[u8], i: usize) -> f64 {
    let n = width.bytes();
    let mut raw = [0; 8];
    raw[..n].copy_from_slice(&bytes[i * n..(i + 1) * n]);
    from_bits(width, u64::from_le_bytes(raw))
}

/// Applies kernel `k<index>` of a program to operands.
pub fn apply(
    session: &Session<'_>,
    program: &Program<'_>,
    index: usize,
    width: Width,
    list: &[Args],
) -> Result<Vec<Got>, String> {
    let kernel = program.kernel(&format!("k{index}"))?;
    let size = list.len() * width.bytes();
    let buffers = [size, size, size, 4 * list.len(), size, size, 4 * list.len()].map(|n| session.buffer(n.max(4)));
    let [Ok(a), Ok(b), Ok(c), Ok(n), Ok(r), Ok(s), Ok(q)] = &buffers else {
        return Err("no memory for the operands".into());
    };
    session.write(a, &pack(width, list.iter().map(|v| v.x)))?;
    session.write(b, &pack(width, list.iter().map(|v| v.y)))?;
    session.write(c, &pack(width, list.iter().map(|v| v.z)))?;
    session.write(n, &list.iter().map(|v| v.n).collect::<Vec<i32>>())?;
    kernel.set(&[a, b, c, n, r, s, q].map(cl::Arg::Buffer))?;
    kernel.launch(&[list.len()], None)?;
    let (mut first, mut second, mut int) = (vec![0u8; size], vec![0u8; size], vec![0i32; list.len()]);
    session.read(r, &mut first)?;
    session.read(s, &mut second)?;
    session.read(q, &mut int)?;
    Ok((0..list.len()).map(|i| Got { value: unpack(width, &first, i), second: unpack(width, &second, i), int: int[i] }).collect())
}
