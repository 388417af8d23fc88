//! Simplification rules for integer arithmetic, comparisons and conversions, among them the narrowing of
//! 64-bit index arithmetic to 32 bits (`x << 32 >> 32` is a sign extension of the low half).

use crate::ir::fold::{int_compare, signed};
use crate::ir::{BinOp, CastOp, I1, InstData, IntCc, Op, Scalar, Type, UnOp, Value, WorkItemQuery};
use crate::passes::opt::rewriter::{Action, Rewriter, rewrite};

fn commutative(op: BinOp) -> bool {
    use BinOp::*;
    matches!(op, Iadd | Imul | And | Or | Xor | UmulHi | SmulHi | Umin | Umax | Smin | Smax)
}

/// Upper bound of the number of low bits that can be set in a value.
fn used_bits(s: &Rewriter<'_>, v: Value, depth: u32) -> u32 {
    let Some(scalar) = s.ty(v).scalar() else { return 64 };
    let width = scalar.bits();
    if let Some(bits) = s.bits(v) {
        return 64 - bits.leading_zeros();
    }
    if depth == 0 {
        return width;
    }
    let Some(InstData { op, args, .. }) = s.operation(v) else { return width };
    let sub = |i: usize| used_bits(s, s.current_value(args[i]), depth - 1);
    let constant = |i: usize| s.bits(s.current_value(args[i]));
    let bound = match op {
        Op::Cast(CastOp::Zext) => sub(0),
        Op::Cast(CastOp::Trunc) => sub(0),
        Op::Bin(BinOp::And) => sub(0).min(sub(1)),
        Op::Bin(BinOp::Or | BinOp::Xor) => sub(0).max(sub(1)),
        Op::Bin(BinOp::Iadd) => sub(0).max(sub(1)) + 1,
        Op::Bin(BinOp::Imul) => sub(0) + sub(1),
        Op::Bin(BinOp::Lshr) => match constant(1) {
            Some(c) => sub(0).saturating_sub((c % width as u64) as u32),
            None => sub(0),
        },
        Op::Bin(BinOp::Shl) => match constant(1) {
            Some(c) => sub(0) + (c % width as u64) as u32,
            None => width,
        },
        Op::Bin(BinOp::Urem | BinOp::Umin) => sub(0).min(sub(1)),
        Op::Bin(BinOp::Udiv) => sub(0),
        Op::Select => sub(1).max(sub(2)),
        Op::WorkItem {
            query: WorkItemQuery::LocalId | WorkItemQuery::LocalSize | WorkItemQuery::EnqueuedLocalSize,
            ..
        } => 32,
        _ => width,
    };
    bound.min(width)
}

/// The narrower value that a 64-bit value zero-extends: an extension's operand or a small constant.
fn narrow_of(s: &mut Rewriter<'_>, v: Value, to: Type) -> Option<Value> {
    if let Some(bits) = s.bits(v) {
        return (bits <= to.scalar()?.mask()).then(|| s.constant(to, bits));
    }
    let x = s.cast_of(v, CastOp::Zext)?;
    match s.ty(x) {
        t if t == to => Some(x),
        t if t.scalar()?.bits() < to.scalar()?.bits() && t.scalar()? != Scalar::I1 => {
            Some(s.emit(Op::Cast(CastOp::Zext), &[x], to))
        }
        _ => None,
    }
}

/// The operand w of min(max(w, low), high) if w = min(max(.., low), high): limits are idempotent.
fn limited_before(s: &Rewriter<'_>, min: BinOp, x: Value, high: Value) -> Option<Value> {
    let max = match min {
        BinOp::Smin => BinOp::Smax,
        BinOp::Umin => BinOp::Umax,
        _ => return None,
    };
    let (limited, low) = s.bin(x, max)?;
    let (inner, known_high) = s.bin(limited, min)?;
    let (_, known_low) = s.bin(inner, max)?;
    (known_high == high && known_low == low).then_some(limited)
}

/// Rules for binary operations of type `ty`.
pub(crate) fn binary(s: &mut Rewriter<'_>, op: BinOp, x: Value, y: Value, ty: Type) -> Option<Action> {
    use BinOp::*;
    let scalar = ty.scalar()?;
    let (width, mask) = (scalar.bits() as u64, scalar.mask());
    if commutative(op) && s.func.as_const(x).is_some() && s.func.as_const(y).is_none() {
        return rewrite(Op::Bin(op), &[y, x]);
    }
    let bin = |op| Op::Bin(op);
    if x == y {
        match op {
            Isub | Xor => return Some(Action::Value(s.constant(ty, 0))),
            And | Or | Umin | Umax | Smin | Smax => return Some(Action::Value(x)),
            _ => {}
        }
    }
    if let Some(action) = narrow_binary(s, op, x, y, ty) {
        return Some(action);
    }
    if let Some(limited) = limited_before(s, op, x, y) {
        return Some(Action::Value(limited));
    }
    if let Some(action) = truth_value_logic(s, op, x, y) {
        return Some(action);
    }
    let c = s.bits(y)?;
    match op {
        Iadd | Isub | Or | Xor if c == 0 => return Some(Action::Value(x)),
        Shl | Lshr | Ashr | Rotl if c % width == 0 => return Some(Action::Value(x)),
        Imul | Udiv | Sdiv if c == 1 => return Some(Action::Value(x)),
        Imul | And if c == 0 => return Some(Action::Value(y)),
        Or if c == mask => return Some(Action::Value(y)),
        And if c == mask => return Some(Action::Value(x)),
        Urem if c == 1 => return Some(Action::Value(s.constant(ty, 0))),
        _ => {}
    }
    if scalar == Scalar::I1 {
        return if op == Xor && c == 1 { rewrite(Op::Un(UnOp::Not), &[x]) } else { None };
    }
    match op {
        Isub => {
            let c = s.constant(ty, c.wrapping_neg());
            return rewrite(bin(Iadd), &[x, c]);
        }
        Imul if c.is_power_of_two() => {
            let n = s.constant(ty, c.trailing_zeros() as u64);
            return rewrite(bin(Shl), &[x, n]);
        }
        Udiv if c.is_power_of_two() => {
            let n = s.constant(ty, c.trailing_zeros() as u64);
            return rewrite(bin(Lshr), &[x, n]);
        }
        Urem if c.is_power_of_two() => {
            let m = s.constant(ty, c - 1);
            return rewrite(bin(And), &[x, m]);
        }
        // Signed division of numbers that are not negative.
        Sdiv | Srem if c <= mask >> 1 && used_bits(s, x, 4) < scalar.bits() => {
            return rewrite(bin(if op == Sdiv { Udiv } else { Urem }), &[x, y]);
        }
        // Reassociates (x + c1) + c2 and the like.
        Iadd | And | Or | Xor | Imul => {
            if let Some((a, b)) = s.bin(x, op)
                && let Some(c1) = s.bits(b)
            {
                let c = match op {
                    Iadd => c1.wrapping_add(c),
                    And => c1 & c,
                    Or => c1 | c,
                    Xor => c1 ^ c,
                    _ => c1.wrapping_mul(c),
                };
                let c = s.constant(ty, c);
                return rewrite(bin(op), &[a, c]);
            }
        }
        _ => {}
    }
    if op == And && c.wrapping_add(1).is_power_of_two() {
        let kept = (c + 1).trailing_zeros();
        // The mask only clears bits that are known to be zero.
        if used_bits(s, x, 4) <= kept {
            return Some(Action::Value(x));
        }
        if ty == Type::Scalar(Scalar::I64) && kept == 32 {
            let low = s.emit(Op::Cast(CastOp::Trunc), &[x], Type::Scalar(Scalar::I32));
            return rewrite(Op::Cast(CastOp::Zext), &[low]);
        }
    }
    // (x << n) + C with the low n bits of C zero -> (x + (C >> n)) << n
    if op == Iadd
        && let Some((a, b)) = s.bin(x, Shl)
        && let Some(n) = s.bits(b)
        && n < width
        && c.trailing_zeros() as u64 >= n
        && s.single_use(x)
        && n == 32
    {
        let high = s.constant(ty, c >> n);
        let sum = s.emit(bin(Iadd), &[a, high], ty);
        return rewrite(bin(Shl), &[sum, b]);
    }
    shifts(s, op, x, c % width, ty)
}

/// Logic of two truth values that were extended to integers (the operators `&`, `|` and `^` on comparisons).
fn truth_value_logic(s: &mut Rewriter<'_>, op: BinOp, x: Value, y: Value) -> Option<Action> {
    if !matches!(op, BinOp::And | BinOp::Or | BinOp::Xor) {
        return None;
    }
    let (a, b) = (s.cast_of(x, CastOp::Zext)?, s.cast_of(y, CastOp::Zext)?);
    let ty = s.ty(a);
    if ty.scalar()? != Scalar::I1 || s.ty(b) != ty {
        return None;
    }
    let truth = s.emit(Op::Bin(op), &[a, b], ty);
    rewrite(Op::Cast(CastOp::Zext), &[truth])
}

/// The other one of two values if the condition holds for one.
fn other_of(a: Value, b: Value, condition: impl Fn(Value) -> bool) -> Option<Value> {
    match (condition(a), condition(b)) {
        (true, _) => Some(b),
        (_, true) => Some(a),
        _ => None,
    }
}

/// Rules for a shift by a constant of a shift by a constant, or of values of which it leaves one.
fn shifts(s: &mut Rewriter<'_>, op: BinOp, x: Value, d: u64, ty: Type) -> Option<Action> {
    use BinOp::*;
    let scalar = ty.scalar()?;
    let width = scalar.bits() as u64;
    let bin = |op| Op::Bin(op);
    if !matches!(op, Shl | Lshr | Ashr) {
        return None;
    }
    if op != Shl && used_bits(s, x, 4) as u64 <= d {
        return Some(Action::Value(s.constant(ty, 0)));
    }
    // (a | b) >> d where no bit of b is left: a >> d
    if op == Lshr
        && let Some((a, b)) = s.bin(x, Or)
        && let Some(kept) = other_of(a, b, |v| used_bits(s, v, 4) as u64 <= d)
    {
        let n = s.constant(ty, d);
        return rewrite(bin(op), &[kept, n]);
    }
    if let Some((a, b)) = s.bin(x, op)
        && let Some(c) = s.bits(b)
    {
        let sum = c % width + d;
        if sum < width {
            let n = s.constant(ty, sum);
            return rewrite(bin(op), &[a, n]);
        }
        if op != Ashr {
            return Some(Action::Value(s.constant(ty, 0)));
        }
    }
    let (a, b) = s.bin(x, Shl)?;
    let c = s.bits(b)? % width;
    if op == Shl {
        return None;
    }
    // x << c >> d, where c leaves a narrower integer: extend it, then shift by the difference.
    let narrow = Scalar::int((width - c) as u32).filter(|n| *n != Scalar::I1);
    if let Some(narrow) = narrow
        && ty.lanes() == 1
    {
        let low = s.emit(Op::Cast(CastOp::Trunc), &[a], Type::Scalar(narrow));
        let extend = if op == Ashr { CastOp::Sext } else { CastOp::Zext };
        if c == d {
            return rewrite(Op::Cast(extend), &[low]);
        }
        let wide = s.emit(Op::Cast(extend), &[low], ty);
        let (by, dir) = if d < c { (c - d, Shl) } else { (d - c, op) };
        let by = s.constant(ty, by);
        return rewrite(bin(dir), &[wide, by]);
    }
    if op == Lshr && c == d {
        let m = s.constant(ty, scalar.mask() >> c);
        return rewrite(bin(And), &[a, m]);
    }
    None
}

/// Narrows 64-bit operations on zero-extended 32-bit values whose result fits 32 bits.
fn narrow_binary(s: &mut Rewriter<'_>, op: BinOp, x: Value, y: Value, ty: Type) -> Option<Action> {
    use BinOp::*;
    if ty.scalar()? != Scalar::I64
        || !matches!(op, And | Or | Xor | Udiv | Urem | Umin | Umax | Lshr | Iadd | Imul)
    {
        return None;
    }
    s.cast_of(x, CastOp::Zext).or_else(|| s.cast_of(y, CastOp::Zext))?;
    let (bx, by) = (used_bits(s, x, 4), used_bits(s, y, 4));
    let fits = match op {
        Iadd => bx.max(by) < 32,
        Imul => bx + by <= 32,
        Lshr => s.bits(y).is_some_and(|n| n < 32),
        Udiv | Urem => s.bits(y) != Some(0),
        _ => true,
    };
    if !fits {
        return None;
    }
    let to = ty.with_scalar(Scalar::I32);
    let a = narrow_of(s, x, to)?;
    let b = narrow_of(s, y, to)?;
    let r = s.emit(Op::Bin(op), &[a, b], to);
    rewrite(Op::Cast(CastOp::Zext), &[r])
}

fn unsigned(cc: IntCc) -> IntCc {
    match cc {
        IntCc::Slt => IntCc::Ult,
        IntCc::Sle => IntCc::Ule,
        IntCc::Sgt => IntCc::Ugt,
        IntCc::Sge => IntCc::Uge,
        other => other,
    }
}

/// Rules for comparisons.
pub(crate) fn compare(s: &mut Rewriter<'_>, cc: IntCc, x: Value, y: Value) -> Option<Action> {
    let ty = s.ty(x);
    let result = Type::vector(Scalar::I1, ty.lanes());
    if x == y {
        return Some(Action::Value(s.constant(result, int_compare(cc, 1, 0, 0) as u64)));
    }
    if s.func.as_const(x).is_some() && s.func.as_const(y).is_none() {
        return rewrite(Op::Icmp(cc.swapped()), &[y, x]);
    }
    let scalar = ty.scalar()?;
    if scalar == Scalar::I1
        && let Some(action) = truth_value_order(s, cc, x, y)
    {
        return Some(action);
    }
    for (extend, is_sext) in [(CastOp::Zext, false), (CastOp::Sext, true)] {
        let Some(a) = s.cast_of(x, extend) else { continue };
        let narrow = s.ty(a);
        let cc = if is_sext { cc } else { unsigned(cc) };
        if let Some(b) = s.cast_of(y, extend)
            && s.ty(b) == narrow
        {
            return rewrite(Op::Icmp(cc), &[a, b]);
        }
        let Some(c) = s.bits(y) else { continue };
        let ns = narrow.scalar()?;
        let low = c & ns.mask();
        let back = if is_sext { signed(ns.bits(), low) as u64 & scalar.mask() } else { low };
        if back == c && ns != Scalar::I1 {
            let c = s.constant(narrow, low);
            return rewrite(Op::Icmp(cc), &[a, c]);
        }
        if matches!(cc, IntCc::Eq | IntCc::Ne) {
            if back != c {
                return Some(Action::Value(s.constant(result, (cc == IntCc::Ne) as u64)));
            }
            // A zero-extended truth value compared with 0 or 1.
            return if (low == 1) == (cc == IntCc::Eq) {
                Some(Action::Value(a))
            } else {
                rewrite(Op::Un(UnOp::Not), &[a])
            };
        }
        // A truth value in all bits, compared as a signed number: true is -1.
        match (cc, c == 0, back == c && is_sext && ns == Scalar::I1) {
            (IntCc::Slt, true, true) | (IntCc::Sle, false, true) => return Some(Action::Value(a)),
            (IntCc::Sge, true, true) | (IntCc::Sgt, false, true) => return rewrite(Op::Un(UnOp::Not), &[a]),
            _ => {}
        }
    }
    let c = s.bits(y)?;
    if scalar == Scalar::I1 && matches!(cc, IntCc::Eq | IntCc::Ne) {
        return if (c == 1) == (cc == IntCc::Eq) {
            Some(Action::Value(x))
        } else {
            rewrite(Op::Un(UnOp::Not), &[x])
        };
    }
    match cc {
        IntCc::Ult if c == 0 => return Some(Action::Value(s.constant(result, 0))),
        IntCc::Uge if c == 0 => return Some(Action::Value(s.constant(result, 1))),
        IntCc::Ugt if c == 0 => return rewrite(Op::Icmp(IntCc::Ne), &[x, y]),
        IntCc::Ult if c == 1 => {
            let zero = s.constant(ty, 0);
            return rewrite(Op::Icmp(IntCc::Eq), &[x, zero]);
        }
        _ => {}
    }
    match s.def(x)? {
        (Op::Select, args) if args.iter().skip(1).all(|a| s.bits(*a).is_some()) => {
            let (t, e) = (s.bits(args[1])?, s.bits(args[2])?);
            let value = |v| int_compare(cc, scalar.bits(), v, c) as u64;
            let (t, e) = (s.constant(result, value(t)), s.constant(result, value(e)));
            rewrite(Op::Select, &[args[0], t, e])
        }
        // If the sum has other uses (a loop counter), keep it: drivers look for it in the loop's test.
        (Op::Bin(BinOp::Iadd), args) if matches!(cc, IntCc::Eq | IntCc::Ne) && s.single_use(x) => {
            let c1 = s.bits(args[1])?;
            let c = s.constant(ty, c.wrapping_sub(c1));
            rewrite(Op::Icmp(cc), &[args[0], c])
        }
        (Op::Bin(BinOp::Isub | BinOp::Xor), args) if c == 0 && matches!(cc, IntCc::Eq | IntCc::Ne) => {
            rewrite(Op::Icmp(cc), &[args[0], args[1]])
        }
        _ if c == 0 && matches!(cc, IntCc::Eq | IntCc::Ne) => sign_test(s, cc, x),
        _ => None,
    }
}

/// The order of truth values as bit logic, which every target has; true is -1 as a signed number.
fn truth_value_order(s: &mut Rewriter<'_>, cc: IntCc, x: Value, y: Value) -> Option<Action> {
    let (op, inverted, other) = match cc {
        IntCc::Eq | IntCc::Ne => return None,
        IntCc::Ult | IntCc::Sgt => (BinOp::And, x, y),
        IntCc::Ule | IntCc::Sge => (BinOp::Or, x, y),
        IntCc::Ugt | IntCc::Slt => (BinOp::And, y, x),
        IntCc::Uge | IntCc::Sle => (BinOp::Or, y, x),
    };
    let ty = s.ty(x);
    let inverted = s.emit(Op::Un(UnOp::Not), &[inverted], ty);
    rewrite(Op::Bin(op), &[inverted, other])
}

/// The sign bit of a number, shifted down and compared with zero, is a comparison of the number.
fn sign_test(s: &mut Rewriter<'_>, cc: IntCc, x: Value) -> Option<Action> {
    let bit = s.cast_of(x, CastOp::Trunc).unwrap_or(x);
    let (number, shift) = s.bin(bit, BinOp::Lshr)?;
    let ty = s.ty(number);
    if s.bits(shift)? != u64::from(ty.scalar()?.bits()) - 1 {
        return None;
    }
    let zero = s.constant(ty, 0);
    let cc = if cc == IntCc::Ne { IntCc::Slt } else { IntCc::Sge };
    rewrite(Op::Icmp(cc), &[number, zero])
}

/// Rules for conversions to `ty`.
pub(crate) fn cast(s: &mut Rewriter<'_>, op: CastOp, x: Value, ty: Type) -> Option<Action> {
    let from = s.ty(x);
    if from == ty && !matches!(op, CastOp::FpToS | CastOp::FpToU | CastOp::SToFp | CastOp::UToFp) {
        return Some(Action::Value(x));
    }
    let (def, args) = s.def(x)?;
    match (op, def) {
        (CastOp::Trunc, Op::Cast(inner @ (CastOp::Zext | CastOp::Sext | CastOp::Trunc))) => {
            let source = s.ty(args[0]);
            let (a, b) = (source.scalar()?.bits(), ty.scalar()?.bits());
            match a.cmp(&b) {
                std::cmp::Ordering::Equal => Some(Action::Value(args[0])),
                std::cmp::Ordering::Greater => rewrite(Op::Cast(CastOp::Trunc), &[args[0]]),
                std::cmp::Ordering::Less => rewrite(Op::Cast(inner), &[args[0]]),
            }
        }
        (CastOp::Trunc, Op::Bin(b)) if from.scalar()? == Scalar::I64 && ty.scalar()? == Scalar::I32 => {
            // The low word of (a << 32) | b is that of b.
            let is_high = |v| s.bin(v, BinOp::Shl).and_then(|(_, n)| s.bits(n)).is_some_and(|n| n == 32);
            if b == BinOp::Or
                && let Some(rest) = other_of(args[0], args[1], is_high)
            {
                return rewrite(Op::Cast(CastOp::Trunc), &[rest]);
            }
            let low = match b {
                BinOp::Iadd | BinOp::Isub | BinOp::Imul | BinOp::And | BinOp::Or | BinOp::Xor => true,
                BinOp::Shl => s.bits(args[1]).is_some_and(|n| n < 32),
                _ => false,
            };
            if !low || !s.single_use(x) {
                return None;
            }
            let a = s.emit(Op::Cast(CastOp::Trunc), &[args[0]], ty);
            let c = s.emit(Op::Cast(CastOp::Trunc), &[args[1]], ty);
            rewrite(Op::Bin(b), &[a, c])
        }
        (CastOp::Trunc, Op::Select) if s.single_use(x) && ty.scalar()? != Scalar::I1 => {
            let a = s.emit(Op::Cast(CastOp::Trunc), &[args[1]], ty);
            let b = s.emit(Op::Cast(CastOp::Trunc), &[args[2]], ty);
            rewrite(Op::Select, &[args[0], a, b])
        }
        // The low word of a value in the argument block comes first.
        (CastOp::Trunc, op @ (Op::Arg { .. } | Op::Implicit(_) | Op::PushConst { .. }))
            if from.scalar()? == Scalar::I64 && ty.scalar()? == Scalar::I32 =>
        {
            rewrite(op, &[])
        }
        (CastOp::Zext, Op::Cast(CastOp::Zext)) => rewrite(Op::Cast(CastOp::Zext), &[args[0]]),
        (CastOp::Sext, Op::Cast(inner @ (CastOp::Zext | CastOp::Sext))) => {
            rewrite(Op::Cast(inner), &[args[0]])
        }
        (CastOp::Zext, Op::Cast(CastOp::Trunc)) if s.ty(args[0]) == ty => {
            (used_bits(s, args[0], 4) <= from.scalar()?.bits()).then_some(Action::Value(args[0]))
        }
        (CastOp::Sext, Op::Cast(CastOp::Trunc)) if s.ty(args[0]) == ty => {
            (used_bits(s, args[0], 4) < from.scalar()?.bits()).then_some(Action::Value(args[0]))
        }
        (CastOp::Sext, _) if from != I1 && used_bits(s, x, 4) < from.scalar()?.bits() => {
            rewrite(Op::Cast(CastOp::Zext), &[x])
        }
        (CastOp::Bitcast, Op::Cast(CastOp::Bitcast)) => rewrite(Op::Cast(CastOp::Bitcast), &[args[0]]),
        // Bits of |x| and -x, computed without the float, as a device may flush denormals: clang writes
        // integer operations on a number's bits like this.
        (CastOp::Bitcast, Op::Un(un @ (UnOp::Fabs | UnOp::Fneg)))
            if ty == from.with_scalar(from.scalar()?.to_int()) =>
        {
            let bits = s.emit(Op::Cast(CastOp::Bitcast), &[args[0]], ty);
            let sign = 1u64 << (ty.scalar()?.bits() - 1);
            if un == UnOp::Fneg {
                let c = s.func.bits(ty, sign);
                rewrite(Op::Bin(BinOp::Xor), &[bits, c])
            } else {
                let c = s.func.bits(ty, sign - 1);
                rewrite(Op::Bin(BinOp::And), &[bits, c])
            }
        }
        // Conversions truncate.
        (CastOp::FpToS | CastOp::FpToU, Op::Un(UnOp::Trunc)) => rewrite(Op::Cast(op), &args[..1]),
        (CastOp::PtrToInt, Op::Cast(CastOp::IntToPtr)) | (CastOp::IntToPtr, Op::Cast(CastOp::PtrToInt)) => {
            (s.ty(args[0]) == ty).then_some(Action::Value(args[0]))
        }
        (CastOp::PtrCast, Op::Cast(CastOp::PtrCast)) => {
            // A cast to generic and back.
            (s.ty(args[0]) == ty).then_some(Action::Value(args[0]))
        }
        _ => None,
    }
}
