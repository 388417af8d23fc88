//! One execution test: an OpenCL C file whose `//!` lines describe the launch and the expected results.
//!
//! ```text
//! //! options: -cl-std=CL1.2 -DN=4          build options
//! //! kernel: name                          default: test; several names are launched one after the other
//! //! global: 64 4      local: 16 2         sizes; local may be left out
//! //! offset: 3                             global work offset
//! //! arg 0: f32[64] = expression of i      a buffer
//! //! arg 1: u32 = 5                        by value; a vector with [n] and `value`: value f32[4] = i
//! //! arg 2: local 256                      bytes of local memory
//! //! arg 3: null                           NULL buffer
//! //! expect 0: arg0 * 2 + 1 ulp 2          contents of buffer 0 afterwards; ulp: tolerance (default 0)
//! //! require: cl_khr_fp64                  extensions, features of OpenCL C, or
//! //!                                       CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: the test is not run
//! //!                                       if one is missing, or with `-` before its name if it is present
//! //! error: text                           the build must fail and the log must contain the text
//! ```

use super::expr::{Num, evaluate};
use crate::cl::Offers;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Ty {
    Int { bits: u32, signed: bool },
    Float(u32),
}

impl Ty {
    pub fn parse(text: &str) -> Result<Ty, String> {
        let bits = text[1..].parse().map_err(|_| format!("unknown type '{text}'"))?;
        match &text[..1] {
            "i" => Ok(Ty::Int { bits, signed: true }),
            "u" => Ok(Ty::Int { bits, signed: false }),
            "f" if bits == 32 || bits == 64 => Ok(Ty::Float(bits)),
            _ => Err(format!("unknown type '{text}'")),
        }
    }
    pub fn size(self) -> usize {
        match self {
            Ty::Int { bits, .. } | Ty::Float(bits) => bits as usize / 8,
        }
    }
    pub fn store(self, value: Num, out: &mut Vec<u8>) {
        match self {
            Ty::Int { .. } => out.extend_from_slice(&value.int().to_le_bytes()[..self.size()]),
            Ty::Float(32) => out.extend_from_slice(&(value.float() as f32).to_le_bytes()),
            Ty::Float(_) => out.extend_from_slice(&value.float().to_le_bytes()),
        }
    }
    pub fn load(self, bytes: &[u8], index: i128) -> Result<Num, String> {
        let at = usize::try_from(index)
            .ok()
            .and_then(|i| i.checked_mul(self.size()))
            .filter(|a| a + self.size() <= bytes.len());
        let at = at.ok_or_else(|| format!("element {index} is out of range"))?;
        let mut raw = [0u8; 16];
        raw[..self.size()].copy_from_slice(&bytes[at..at + self.size()]);
        let wide = u128::from_le_bytes(raw);
        Ok(match self {
            Ty::Int { bits, signed: true } => Num::Int(((wide << (128 - bits)) as i128) >> (128 - bits)),
            Ty::Int { .. } => Num::Int(wide as i128),
            Ty::Float(32) => Num::Float(f32::from_bits(wide as u32) as f64),
            Ty::Float(_) => Num::Float(f64::from_bits(wide as u64)),
        })
    }
    /// Whether `got` equals `want` within `ulp` units in the last place.
    pub fn matches(self, got: Num, want: Num, ulp: f64) -> bool {
        match self {
            Ty::Int { bits, .. } => {
                let mask = (1u128 << bits).wrapping_sub(1);
                got.int() as u128 & mask == want.int() as u128 & mask
            }
            Ty::Float(bits) => {
                let (g, w) = (got.float(), want.float());
                let rounded = if bits == 32 { w as f32 as f64 } else { w };
                if g == rounded || (g.is_nan() && w.is_nan()) {
                    return true;
                }
                if !g.is_finite() || !w.is_finite() {
                    return false;
                }
                let (digits, lowest) = if bits == 32 { (24, -149) } else { (53, -1074) };
                let exponent =
                    if w == 0.0 { lowest } else { (w.abs().log2().floor() as i32 + 1 - digits).max(lowest) };
                (g - w).abs() <= ulp * 2f64.powi(exponent)
            }
        }
    }
}

pub enum ArgSpec {
    Buffer { ty: Ty, bytes: Vec<u8> },
    Value(Vec<u8>),
    Local(usize),
    Null,
}

#[derive(Default)]
pub struct Case {
    pub options: String,
    pub kernels: Vec<String>,
    pub global: Vec<usize>,
    pub local: Option<Vec<usize>>,
    pub offset: Option<Vec<usize>>,
    pub args: Vec<ArgSpec>,
    /// (argument, expression, ulp)
    pub expect: Vec<(usize, String, f64)>,
    pub require: Vec<String>,
    pub error: Option<String>,
}

fn fill(ty: Ty, count: usize, text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(count * ty.size());
    for i in 0..count {
        let value = evaluate(text, i, &|n, _| Err(format!("arg{n} is not known yet")))?;
        ty.store(value, &mut bytes);
    }
    Ok(bytes)
}

/// Parses `f32[64]` into type and count.
fn typed(text: &str) -> Result<(Ty, Option<usize>), String> {
    match text.split_once('[') {
        Some((ty, rest)) => {
            let count = rest.trim_end_matches(']').parse().map_err(|_| format!("bad count in '{text}'"))?;
            Ok((Ty::parse(ty)?, Some(count)))
        }
        None => Ok((Ty::parse(text)?, None)),
    }
}

fn argument(text: &str) -> Result<ArgSpec, String> {
    if text == "null" {
        return Ok(ArgSpec::Null);
    }
    if let Some(size) = text.strip_prefix("local ") {
        return size.trim().parse().map(ArgSpec::Local).map_err(|_| format!("bad size '{size}'"));
    }
    let (ty, init) = text.split_once('=').ok_or_else(|| format!("no '=' in '{text}'"))?;
    let (by_value, ty) = match ty.trim().strip_prefix("value ") {
        Some(rest) => (true, rest.trim()),
        None => (false, ty.trim()),
    };
    let (ty, count) = typed(ty)?;
    let bytes = fill(ty, count.unwrap_or(1), init)?;
    Ok(if by_value || count.is_none() { ArgSpec::Value(bytes) } else { ArgSpec::Buffer { ty, bytes } })
}

impl Case {
    /// The reason why a device cannot run the test, if any.
    pub fn unsuitable(&self, offers: &Offers) -> Option<String> {
        let has = |name: &str| offers.has(name);
        let group: usize = self.local.iter().flatten().product();
        if group > offers.work_group_size {
            return Some(format!("needs work-groups of {group}"));
        }
        self.require.iter().find_map(|r| match r.strip_prefix('-') {
            Some(name) => has(name).then(|| format!("has {name}")),
            None => (!has(r)).then(|| format!("needs {r}")),
        })
    }

    pub fn parse(source: &str) -> Result<Case, String> {
        let mut case = Case { kernels: vec!["test".into()], ..Case::default() };
        let sizes = |v: &str| {
            v.split_whitespace()
                .map(|n| n.parse().map_err(|_| format!("bad size '{n}'")))
                .collect::<Result<Vec<usize>, _>>()
        };
        for line in source.lines().filter_map(|l| l.strip_prefix("//!")) {
            let (key, value) = line.split_once(':').ok_or_else(|| format!("no ':' in '{line}'"))?;
            let (key, value) = (key.trim(), value.trim());
            match key {
                "options" => case.options = value.into(),
                "kernel" => case.kernels = value.split_whitespace().map(str::to_owned).collect(),
                "global" => case.global = sizes(value)?,
                "local" => case.local = Some(sizes(value)?),
                "offset" => case.offset = Some(sizes(value)?),
                "require" => case.require.extend(value.split_whitespace().map(str::to_owned)),
                "error" => case.error = Some(value.into()),
                _ => {
                    let (word, n) =
                        key.split_once(' ').ok_or_else(|| format!("unknown directive '{key}'"))?;
                    let n: usize = n.trim().parse().map_err(|_| format!("bad number in '{key}'"))?;
                    match word {
                        "arg" if n == case.args.len() => case.args.push(argument(value)?),
                        "arg" => return Err(format!("argument {n} is out of order")),
                        "expect" => {
                            let (text, ulp) = match value.rsplit_once(" ulp ") {
                                Some((text, ulp)) => {
                                    (text, ulp.trim().parse().map_err(|_| format!("bad ulp '{ulp}'"))?)
                                }
                                None => (value, 0.0),
                            };
                            case.expect.push((n, text.into(), ulp));
                        }
                        _ => return Err(format!("unknown directive '{key}'")),
                    }
                }
            }
        }
        if case.error.is_none() && (case.global.is_empty() || case.expect.is_empty()) {
            return Err("an execution test needs 'global' and at least one 'expect'".into());
        }
        Ok(case)
    }

    /// Compares buffer contents after the launch with the expectations. If denormals are flushed, a
    /// single-precision result with a tolerance may be zero instead of denormal (C specification, 7.5.3).
    pub fn check(&self, after: &[Option<Vec<u8>>], keeps_denormals: bool) -> Result<(), String> {
        for (n, text, ulp) in &self.expect {
            let Some(ArgSpec::Buffer { ty, bytes }) = self.args.get(*n) else {
                return Err(format!("expect {n}: not a buffer"));
            };
            let Some(Some(result)) = after.get(*n) else {
                return Err(format!("expect {n}: nothing was read"));
            };
            let lookup = |m: usize, at: i128| match self.args.get(m) {
                Some(ArgSpec::Buffer { ty, bytes }) => ty.load(bytes, at),
                Some(ArgSpec::Value(bytes)) => {
                    Ty::Int { bits: 8 * bytes.len().min(8) as u32, signed: true }.load(bytes, 0)
                }
                _ => Err(format!("arg{m} has no values")),
            };
            let mut wrong = Vec::new();
            for i in 0..bytes.len() / ty.size() {
                let want = evaluate(text, i, &lookup)?;
                let got = ty.load(result, i as i128)?;
                let flushed = *ty == Ty::Float(32)
                    && *ulp > 0.0
                    && got.float() == 0.0
                    && want.float().abs() < f64::from(f32::MIN_POSITIVE);
                if !(ty.matches(got, want, *ulp) || flushed && !keeps_denormals) {
                    wrong.push(format!("[{i}] is {got:?}, expected {want:?}"));
                }
            }
            if !wrong.is_empty() {
                let total = wrong.len();
                wrong.truncate(5);
                return Err(format!(
                    "argument {n}: {total} wrong elements of {}: {}",
                    bytes.len() / ty.size(),
                    wrong.join("; ")
                ));
            }
        }
        Ok(())
    }
}
