use super::simplify;
use crate::ir::*;

/// Simplifies `build(params)`; returns the function and its returned values.
fn run(params: &[Type], build: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value) -> (Function, Value) {
    let mut f = Function::new("f", Signature { params: params.to_vec(), results: vec![] }, Linkage::Internal);
    let block = f.add_block();
    let args: Vec<Value> = params.iter().map(|t| f.add_param(block, *t)).collect();
    let mut b = Builder::new(&mut f, block);
    let r = build(&mut b, &args);
    let ty = b.ty(r);
    b.ret(&[r]);
    f.sig.results = vec![ty];
    simplify(&mut f);
    let t = f.terminator(f.layout[0]).unwrap();
    let r = f.insts[t].args[0];
    assert_eq!(f.ty(r), ty);
    (f, r)
}

fn ops(f: &Function) -> Vec<Op> {
    let insts = &f.blocks[f.layout[0]].insts;
    insts[..insts.len() - 1].iter().map(|i| f.insts[*i].op.clone()).collect()
}

#[test]
fn index_arithmetic_becomes_narrow() {
    // (x << 32) >> 32 of a 64-bit sum of extensions.
    let (f, _) = run(&[I32, I32], |b, a| {
        let (x, y) = (b.cast(CastOp::Sext, a[0], I64), b.cast(CastOp::Zext, a[1], I64));
        let sum = b.iadd(x, y);
        let n = b.i64(32);
        let up = b.shl(sum, n);
        b.bin(BinOp::Ashr, up, n)
    });
    assert_eq!(ops(&f), [Op::Bin(BinOp::Iadd), Op::Cast(CastOp::Sext)]);
    // ((x << 32) + (3 << 32)) ashr 30
    let (f, _) = run(&[I64], |b, a| {
        let (n, c, m) = (b.i64(32), b.i64(3 << 32), b.i64(30));
        let up = b.shl(a[0], n);
        let sum = b.iadd(up, c);
        b.bin(BinOp::Ashr, sum, m)
    });
    let expected =
        [Op::Cast(CastOp::Trunc), Op::Bin(BinOp::Iadd), Op::Cast(CastOp::Sext), Op::Bin(BinOp::Shl)];
    assert_eq!(ops(&f), expected);
}

#[test]
fn zero_extended_operations() {
    let (f, _) = run(&[I32, I32], |b, a| {
        let (x, y) = (b.cast(CastOp::Zext, a[0], I64), b.cast(CastOp::Zext, a[1], I64));
        b.bin(BinOp::Urem, x, y)
    });
    assert_eq!(ops(&f), [Op::Bin(BinOp::Urem), Op::Cast(CastOp::Zext)]);
    // A sum may need 33 bits.
    let (f, _) = run(&[I32, I32], |b, a| {
        let (x, y) = (b.cast(CastOp::Zext, a[0], I64), b.cast(CastOp::Zext, a[1], I64));
        b.iadd(x, y)
    });
    assert_eq!(ops(&f).len(), 3);
    let (f, r) = run(&[I1], |b, a| {
        let x = b.cast(CastOp::Zext, a[0], I32);
        let zero = b.i32(0);
        b.icmp(IntCc::Ne, x, zero)
    });
    assert_eq!(r, f.blocks[f.layout[0]].params[0]);
}

#[test]
fn powers_of_two() {
    let (f, _) = run(&[I32], |b, a| {
        let (eight, c) = (b.i32(8), b.i32(16));
        let x = b.imul(a[0], eight);
        let x = b.bin(BinOp::Udiv, x, c);
        b.bin(BinOp::Urem, x, eight)
    });
    assert_eq!(ops(&f), [Op::Bin(BinOp::Shl), Op::Bin(BinOp::Lshr), Op::Bin(BinOp::And)]);
}

#[test]
fn float_rules_keep_signed_zeros() {
    let add = |c: f32| {
        run(&[F32], |b, a| {
            let c = b.func.bits(F32, c.to_bits() as u64);
            b.bin(BinOp::Fadd, a[0], c)
        })
    };
    assert_eq!(ops(&add(0.0).0).len(), 1);
    assert_eq!(ops(&add(-0.0).0).len(), 0);
    let (f, _) = run(&[F32], |b, a| {
        let c = b.func.bits(F32, 4f32.to_bits() as u64);
        b.bin(BinOp::Fdiv, a[0], c)
    });
    assert_eq!(ops(&f), [Op::Bin(BinOp::Fmul)]);
    let inst = f.blocks[f.layout[0]].insts[0];
    assert_eq!(f.as_bits(f.insts[inst].args[1]), Some(0.25f32.to_bits() as u64));
}

/// Operations left of `build(x, y, z)`, all of whose instructions have the flags.
fn with_flags(
    fast: FastMath,
    build: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
) -> (Vec<Op>, Function) {
    let (f, _) = run(&[F32, F32, F32], |b, a| {
        let result = build(b, a);
        b.func.insts.values_mut().for_each(|data| data.fast = fast);
        result
    });
    (ops(&f), f)
}

fn float(b: &mut Builder<'_>, x: f32) -> Value {
    b.func.bits(F32, x.to_bits().into())
}

#[test]
fn conversions_to_integers_truncate() {
    for (op, left) in [(UnOp::Trunc, 1), (UnOp::Floor, 2)] {
        let (f, _) = run(&[F32], |b, a| {
            let x = b.un(op, a[0]);
            b.cast(CastOp::FpToS, x, I32)
        });
        assert_eq!(ops(&f).len(), left);
    }
}

#[test]
fn products_with_zero_need_fast_math() {
    let fast = FastMath { fast: true, ..FastMath::default() };
    let no_nan = FastMath { no_nan: true, ..FastMath::default() };
    // A row of a matrix that is padded with zeros: 0 * x + 0 * y + z.
    let row = |flags| {
        with_flags(flags, |b, a| {
            let zero = float(b, 0.0);
            let x = b.bin(BinOp::Fmul, a[0], zero);
            let y = b.value(Op::Mad, &[zero, a[1], x], F32);
            b.value(Op::Fma, &[zero, zero, y], F32);
            let z = b.value(Op::Mad, &[zero, zero, y], F32);
            b.bin(BinOp::Fadd, a[2], z)
        })
    };
    assert_eq!(row(fast).0, []);
    assert!(row(no_nan).0.contains(&Op::Bin(BinOp::Fmul)), "the sign of zero matters");
    assert!(row(FastMath::default()).0.contains(&Op::Mad));
}

#[test]
fn multiply_adds_with_constants() {
    let left = |factor: f32, addend: Option<f32>| {
        with_flags(FastMath::default(), |b, a| {
            let factor = float(b, factor);
            let addend = addend.map_or(a[1], |c| float(b, c));
            b.value(Op::Fma, &[factor, a[0], addend], F32)
        })
        .0
    };
    assert_eq!(left(1.0, None), [Op::Bin(BinOp::Fadd)]);
    assert_eq!(left(-1.0, None), [Op::Bin(BinOp::Fsub)]);
    assert_eq!(left(3.0, Some(-0.0)), [Op::Bin(BinOp::Fmul)]);
    assert_eq!(left(3.0, Some(0.0)), [Op::Fma]);
    assert_eq!(left(0.0, None), [Op::Fma]);
    // Two constant factors: only one that need not be fused may be rounded.
    let product = |op: Op| {
        with_flags(FastMath::default(), |b, a| {
            let (x, y) = (float(b, 0.1), float(b, 3.0));
            b.value(op, &[x, y, a[0]], F32)
        })
        .0
    };
    assert_eq!(product(Op::Mad), [Op::Bin(BinOp::Fadd)]);
    assert_eq!(product(Op::Fma), [Op::Fma]);
}

#[test]
fn fast_constants_are_reassociated() {
    let scaled = |flags, first: f32, second: f32| {
        with_flags(flags, |b, a| {
            let (x, y) = (float(b, first), float(b, second));
            let product = b.bin(BinOp::Fmul, a[0], x);
            b.bin(BinOp::Fmul, product, y)
        })
    };
    let fast = FastMath { fast: true, ..FastMath::default() };
    let (left, f) = scaled(fast, 3.0, 5.0);
    assert_eq!(left.len(), 1);
    let inst = f.blocks[f.layout[0]].insts[0];
    assert_eq!(f.as_bits(f.insts[inst].args[1]), Some(15f32.to_bits().into()));
    assert_eq!(scaled(FastMath::default(), 3.0, 5.0).0.len(), 2);
    assert_eq!(scaled(fast, 1e30, 1e30).0.len(), 2, "the product overflows");
    assert_eq!(scaled(fast, 1e-30, 1e-30).0.len(), 2, "the product is zero");
}

#[test]
fn vectors_and_pointers() {
    let v4 = Type::Vector(Scalar::I32, 4);
    let (f, r) = run(&[I32, v4], |b, a| {
        let u = b.func.undef(v4);
        let mut v = u;
        for lane in 0..4 {
            let x = if lane == 2 { a[0] } else { b.extract(a[1], lane) };
            v = b.insert(v, lane, x);
        }
        b.extract(v, 2)
    });
    assert_eq!(r, f.blocks[f.layout[0]].params[0]);
    let g = Type::Ptr(Space::Global);
    let (f, _) = run(&[g, I64], |b, a| {
        let p = b.ptr_add_const(a[0], 4);
        let p = b.ptr_add(p, a[1]);
        b.ptr_add_const(p, 8)
    });
    assert_eq!(ops(&f), [Op::PtrAdd, Op::PtrAdd]);
    let last = f.blocks[f.layout[0]].insts[1];
    assert_eq!(f.as_bits(f.insts[last].args[1]), Some(12));
}

#[test]
fn truth_values() {
    let (f, _) = run(&[I32, I1], |b, a| {
        let (t, zero) = (b.func.bool(true), b.i32(0));
        let c = b.icmp(IntCc::Slt, a[0], zero);
        let n = b.not(c);
        b.select(n, t, a[1])
    });
    assert_eq!(ops(&f), [Op::Icmp(IntCc::Sge), Op::Bin(BinOp::Or)]);
    // !((x < 0) & y) of extended truth values.
    let (f, _) = run(&[I32, I1], |b, a| {
        let zero = b.i32(0);
        let c = b.icmp(IntCc::Slt, a[0], zero);
        let (c, d) = (b.cast(CastOp::Zext, c, I32), b.cast(CastOp::Zext, a[1], I32));
        let both = b.bin(BinOp::And, c, d);
        b.icmp(IntCc::Eq, both, zero)
    });
    assert_eq!(ops(&f), [Op::Icmp(IntCc::Slt), Op::Bin(BinOp::And), Op::Un(UnOp::Not)]);
}
