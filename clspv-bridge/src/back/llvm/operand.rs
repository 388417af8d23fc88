//! Values as LLVM operands: one scalar for all work-items of a vector, a scalar that grows from lane to lane,
//! or a vector. An OpenCL vector is a list of those.

use super::emit::Emit;
use crate::analysis::uniformity::Uniformity;
use crate::ir::*;

/// The operands of an SSA value in the text.
#[derive(Clone, Debug)]
pub struct Operand {
    pub kind: OperandKind,
    /// One operand for each lane of the IR's type.
    pub parts: Vec<String>,
}

/// How the operands represent the work-items.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind {
    /// One scalar for all.
    Uniform,
    /// The scalar of lane 0, which grows by `step` from lane to lane. With a guard (an `i1` and a vector), it
    /// does so only if the `i1` is true; the vector holds the value in any case.
    Affine { step: i64, guard: Option<(String, String)> },
    /// A vector.
    Varying,
}

impl Operand {
    pub fn uniform(part: impl Into<String>) -> Operand {
        Operand { kind: OperandKind::Uniform, parts: vec![part.into()] }
    }
    pub fn affine(part: impl Into<String>, step: i64) -> Operand {
        Operand { kind: OperandKind::Affine { step, guard: None }, parts: vec![part.into()] }
    }
    pub fn varying(parts: Vec<String>) -> Operand {
        Operand { kind: OperandKind::Varying, parts }
    }
    pub fn is_uniform(&self) -> bool {
        self.kind == OperandKind::Uniform
    }
}

/// The name of a scalar type.
pub fn scalar_name(s: Scalar) -> &'static str {
    match s {
        Scalar::I1 => "i1",
        Scalar::I8 => "i8",
        Scalar::I16 => "i16",
        Scalar::I32 => "i32",
        Scalar::I64 => "i64",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// The name of a lane's type.
pub fn lane_name(ty: Type) -> &'static str {
    match ty {
        Type::Scalar(s) | Type::Vector(s, _) => scalar_name(s),
        Type::Ptr(_) => "ptr",
        Type::Opaque(_) => "i64",
    }
}

/// The suffix of intrinsics for a type's name.
pub fn suffix(lane: &str, width: Option<u32>) -> String {
    let lane = match lane {
        "half" => "f16",
        "float" => "f32",
        "double" => "f64",
        "ptr" => "p0",
        other => other,
    };
    width.map_or(lane.to_owned(), |w| format!("v{w}{lane}"))
}

/// A constant's text.
pub fn literal(ty: Type, bits: u64) -> String {
    match ty {
        Type::Ptr(_) if bits == 0 => "null".into(),
        Type::Ptr(_) => format!("inttoptr (i64 {bits} to ptr)"),
        Type::Opaque(_) => format!("{bits}"),
        Type::Scalar(s) | Type::Vector(s, _) => match s {
            Scalar::I1 => if bits & 1 == 1 { "true" } else { "false" }.into(),
            Scalar::F16 => format!("0xH{:04X}", bits as u16),
            // Written as a double, which keeps the bits of a signalling NaN.
            Scalar::F32 => single(bits as u32),
            Scalar::F64 => format!("0x{bits:016X}"),
            _ => format!("{bits}"),
        },
    }
}

fn single(bits: u32) -> String {
    let (sign, exponent, mantissa) = (u64::from(bits >> 31), bits >> 23 & 0xff, u64::from(bits & 0x7f_ffff));
    let wide = match exponent {
        255 => sign << 63 | 0x7ff << 52 | mantissa << 29,
        _ => f64::from(f32::from_bits(bits)).to_bits(),
    };
    format!("0x{wide:016X}")
}

impl Emit<'_> {
    /// The type of a lane: a vector over the work-items if `varying`.
    pub fn ty(&self, lane: &str, varying: bool) -> String {
        if varying { format!("<{} x {lane}>", self.width) } else { lane.to_owned() }
    }

    /// Splats a scalar.
    pub fn splat(&mut self, lane: &str, x: &str) -> String {
        if !x.starts_with('%') && !x.starts_with("inttoptr") {
            return if x == "null" || x == "false" || x == "0" {
                "zeroinitializer".into()
            } else {
                format!("splat ({lane} {x})")
            };
        }
        if let Some(known) = self.splats.get(&(x.to_owned(), self.block)) {
            return known.clone();
        }
        let v = self.ty(lane, true);
        let one = self.def(format!("insertelement {v} poison, {lane} {x}, i64 0"));
        let all =
            self.def(format!("shufflevector {v} {one}, {v} poison, <{} x i32> zeroinitializer", self.width));
        self.splats.insert((x.to_owned(), self.block), all.clone());
        all
    }

    /// The multiples of a step by the lane's number.
    pub fn steps(&self, int: &str, step: i64) -> String {
        let lanes: Vec<String> =
            (0..i64::from(self.width)).map(|i| format!("{int} {}", step.wrapping_mul(i))).collect();
        format!("<{}>", lanes.join(", "))
    }

    /// The operands as vectors.
    pub fn vectors(&mut self, ty: Type, v: &Operand) -> Vec<String> {
        let lane = lane_name(ty);
        match &v.kind {
            OperandKind::Varying => v.parts.clone(),
            OperandKind::Uniform => v.parts.iter().map(|p| self.splat(lane, p)).collect(),
            OperandKind::Affine { guard: Some((_, vector)), .. } => vec![vector.clone()],
            OperandKind::Affine { step, guard: None } => {
                let step = *step;
                let base = v.parts[0].clone();
                if lane == "ptr" {
                    let steps = self.steps("i64", step);
                    return vec![
                        self.def(format!("getelementptr i8, ptr {base}, <{} x i64> {steps}", self.width)),
                    ];
                }
                let all = self.splat(lane, &base);
                let bits = ty.scalar().map_or(64, Scalar::bits);
                let lanes: Vec<String> = (0..i64::from(self.width))
                    .map(|i| {
                        format!(
                            "{lane} {}",
                            literal(ty, (step.wrapping_mul(i) as u64) & (u64::MAX >> (64 - bits)))
                        )
                    })
                    .collect();
                let vector = self.ty(lane, true);
                vec![self.def(format!("add {vector} {all}, <{}>", lanes.join(", ")))]
            }
        }
    }

    /// The operands in the form of a parameter's uniformity, so that all edges to it agree.
    pub fn in_form(&mut self, ty: Type, v: &Operand, uniformity: Uniformity) -> Vec<String> {
        match uniformity {
            Uniformity::GroupUniform | Uniformity::Uniform => v.parts.clone(),
            // An affine value that was saved as a vector.
            Uniformity::Affine(_) if v.kind == OperandKind::Varying => {
                let vector = self.ty(lane_name(ty), true);
                let first = v.parts[0].clone();
                vec![self.def(format!("extractelement {vector} {first}, i64 0"))]
            }
            Uniformity::Affine(_) => v.parts.clone(),
            Uniformity::Varying => self.vectors(ty, v),
        }
    }
}
