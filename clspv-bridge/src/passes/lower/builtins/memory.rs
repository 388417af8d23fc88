//! Functions with pointer operands: vector and half loads and stores, second results, prefetch.

use super::BuiltinLowering;
use crate::error::Result;
use crate::ir::*;

impl BuiltinLowering<'_, '_, '_> {
    /// Lowers a function with pointer operands. Outer `None`: another function. Inner `None`: no result.
    pub(crate) fn memory(&mut self, op: ClOp, a: &[Value], ty: Type) -> Result<Option<Option<Value>>> {
        use ClOp as C;
        Ok(Some(match op {
            C::prefetch => None,
            C::sincos if self.relaxed && ty.lane() == F32 && self.cx.target.cpu().is_none() => {
                let c = self.b.un(UnOp::NativeCos, a[0]);
                self.b.store(c, a[1], Access::aligned(4));
                Some(self.b.un(UnOp::NativeSin, a[0]))
            }
            C::sincos | C::fract | C::modf | C::frexp | C::remquo | C::lgamma_r => {
                Some(self.two_results(op, a, ty))
            }
            C::vloadn => {
                let s = ty.scalar().map_or(4, Scalar::bytes);
                let p = self.element(a[1], a[0], (s * ty.lanes()) as i64);
                Some(self.b.load(ty, p, Access::aligned(s)))
            }
            C::vstoren => {
                let t = self.b.ty(a[0]);
                let s = t.scalar().map_or(4, Scalar::bytes);
                let p = self.element(a[2], a[1], (s * t.lanes()) as i64);
                self.b.store(a[0], p, Access::aligned(s));
                None
            }
            C::vload_half | C::vload_halfn | C::vloada_halfn => {
                let (stride, align) = half_shape(ty.lanes(), op == C::vloada_halfn);
                let p = self.element(a[1], a[0], stride);
                Some(self.load_half(p, ty, align))
            }
            C::vstore_half
            | C::vstore_half_r
            | C::vstore_halfn
            | C::vstore_halfn_r
            | C::vstorea_halfn
            | C::vstorea_halfn_r => {
                let aligned = matches!(op, C::vstorea_halfn | C::vstorea_halfn_r);
                let (stride, align) = half_shape(self.b.ty(a[0]).lanes(), aligned);
                let p = self.element(a[2], a[1], stride);
                let rounding = match a.get(3).and_then(|&r| self.b.func.as_bits(r)) {
                    Some(1) => Rounding::Rtz,
                    Some(2) => Rounding::Rtp,
                    Some(3) => Rounding::Rtn,
                    _ => Rounding::Rte,
                };
                let bits = self.half_bits_of(a[0], rounding);
                self.b.store(bits, p, Access::aligned(align));
                None
            }
            _ => return Ok(None),
        }))
    }

    /// Address `p + index * stride`, in bytes.
    fn element(&mut self, p: Value, index: Value, stride: i64) -> Value {
        let index = if self.b.ty(index) == I64 { index } else { self.b.cast(CastOp::Zext, index, I64) };
        let stride = self.b.i64(stride);
        let offset = self.b.imul(index, stride);
        self.b.ptr_add(p, offset)
    }

    /// Lowers a function with a second result: the library returns it through a private pointer, lane by
    /// lane.
    fn two_results(&mut self, op: ClOp, a: &[Value], ty: Type) -> Value {
        let Some((&out, inputs)) = a.split_last() else { return self.b.func.undef(ty) };
        let lane = ty.lane();
        let second = if matches!(op, ClOp::frexp | ClOp::remquo | ClOp::lgamma_r) { I32 } else { lane };
        let bytes = second.access_bytes().unwrap_or(4);
        let slot = self.b.func.slots.push(SlotData { size: bytes, align: bytes });
        let name = format!("pc_{op:?}_{lane}");
        let mut seconds = Vec::new();
        let first = self.lanes(inputs, ty, |l, scalars| {
            let p = l.b.slot_addr(slot);
            let mut args = scalars.to_vec();
            args.push(p);
            let v = l.call(&name, &args, lane);
            let p = l.b.slot_addr(slot);
            seconds.push(l.b.load(second, p, Access::aligned(bytes)));
            v
        });
        let v = self.b.vec_build(&seconds);
        self.b.store(v, out, Access::aligned(bytes));
        first
    }

    fn load_half(&mut self, p: Value, ty: Type, align: u32) -> Value {
        let t = self.cx.target;
        if t.float16 && t.float_controls.denorm_preserve16 {
            let h = self.b.load(ty.with_scalar(Scalar::F16), p, Access::aligned(align));
            return self.b.cast(CastOp::FpConv, h, ty);
        }
        let bits = self.b.load(ty.with_scalar(Scalar::I16), p, Access::aligned(align));
        self.half_value(bits, ty)
    }

    /// Converts half-precision bits to single or double values.
    pub(crate) fn half_value(&mut self, bits: Value, ty: Type) -> Value {
        let single = self.call_lanes("pc_half_to_f32", &[bits], ty.with_scalar(Scalar::F32));
        if ty.lane() == F32 { single } else { self.b.cast(CastOp::FpConv, single, ty) }
    }

    /// Converts single or double values to half-precision bits.
    pub(crate) fn half_bits_of(&mut self, x: Value, rounding: Rounding) -> Value {
        let ty = self.b.ty(x);
        let int = ty.with_scalar(Scalar::I16);
        let t = self.cx.target;
        let exact = t.float16 && t.float_controls.rte16 && t.float_controls.denorm_preserve16;
        if rounding == Rounding::Rte && exact && ty.lane() == F32 {
            let h = self.b.cast(CastOp::FpConv, x, ty.with_scalar(Scalar::F16));
            return self.b.bitcast(h, int);
        }
        let single = ty.with_scalar(Scalar::F32);
        // Doubles are converted to single precision with round-to-odd, so that only the second rounding
        // matters.
        let x = if ty.lane() == F64 { self.round_to_odd(x, single) } else { x };
        let name = match rounding {
            Rounding::Rte => "pc_f32_to_half_rte",
            Rounding::Rtz => "pc_f32_to_half_rtz",
            Rounding::Rtp => "pc_f32_to_half_rtp",
            Rounding::Rtn => "pc_f32_to_half_rtn",
        };
        self.call_lanes(name, &[x], int)
    }
}

/// Bytes between elements, and their alignment; aligned vectors of three are spaced like vectors of four.
fn half_shape(lanes: u32, aligned: bool) -> (i64, u32) {
    match (lanes, aligned) {
        (3, true) => (8, 8),
        (n, true) => (2 * n as i64, 2 * n),
        (n, false) => (2 * n as i64, 2),
    }
}
