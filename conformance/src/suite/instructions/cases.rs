//! The instructions, each with its reference.

use super::code::Code;
use rspirv::dr::{Error, Instruction, Operand};
use rspirv::spirv::*;

/// An instruction: its name here, its form in the module, and its result (`None` where it is unspecified).
pub type Case = (&'static str, fn(&mut Code) -> Result<Word, Error>, fn(u32, u32) -> Option<u32>);

/// The divisor and the dividend of divisions that are defined for all inputs.
fn division(c: &mut Code) -> Result<[Word; 2], Error> {
    let one = c.number(1);
    Ok([c.b.shift_right_arithmetic(c.uint, None, c.x, one)?, c.b.bitwise_or(c.uint, None, c.y, one)?])
}

/// A member of the pair that an instruction returns.
fn half_of(c: &mut Code, pair: Result<Word, Error>, index: u32) -> Result<Word, Error> {
    c.b.composite_extract(c.uint, None, pair?, [index])
}

pub const INTEGERS: &[Case] = &[
    (
        "OpSMod",
        |c| division(c).and_then(|[a, b]| c.b.s_mod(c.uint, None, a, b)),
        |x, y| {
            // The sign is the divisor's.
            let (a, b) = (i64::from(x as i32 >> 1), i64::from((y | 1) as i32));
            Some(((a % b + b) % b) as u32)
        },
    ),
    (
        "OpSRem",
        |c| division(c).and_then(|[a, b]| c.b.s_rem(c.uint, None, a, b)),
        |x, y| Some((i64::from(x as i32 >> 1) % i64::from((y | 1) as i32)) as u32),
    ),
    (
        "OpUMod",
        |c| division(c).and_then(|[a, b]| c.b.u_mod(c.uint, None, a, b)),
        |x, y| Some((x as i32 >> 1) as u32 % (y | 1)),
    ),
    (
        "OpUMulExtended",
        |c| {
            let p = c.b.u_mul_extended(c.pair, None, c.x, c.y);
            half_of(c, p, 1)
        },
        |x, y| Some(((u64::from(x) * u64::from(y)) >> 32) as u32),
    ),
    (
        "OpSMulExtended",
        |c| {
            let p = c.b.s_mul_extended(c.pair, None, c.x, c.y);
            half_of(c, p, 1)
        },
        |x, y| Some(((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32),
    ),
    (
        "OpIAddCarry",
        |c| {
            let p = c.b.i_add_carry(c.pair, None, c.x, c.y);
            half_of(c, p, 1)
        },
        |x, y| Some(u32::from(x.checked_add(y).is_none())),
    ),
    (
        "OpISubBorrow",
        |c| {
            let p = c.b.i_sub_borrow(c.pair, None, c.x, c.y);
            half_of(c, p, 1)
        },
        |x, y| Some(u32::from(x < y)),
    ),
    ("OpSNegate", |c| c.b.s_negate(c.uint, None, c.x), |x, _| Some(x.wrapping_neg())),
    ("OpBitCount", |c| c.b.bit_count(c.uint, None, c.x), |x, _| Some(x.count_ones())),
    (
        "8 bits",
        |c| {
            let [x, y] = [c.x, c.y].map(|v| c.b.u_convert(c.uchar, None, v));
            let sum = c.b.i_add(c.uchar, None, x?, y?)?;
            c.b.s_convert(c.uint, None, sum)
        },
        |x, y| Some((x as u8).wrapping_add(y as u8) as i8 as u32),
    ),
    (
        "16 bits",
        |c| {
            let [x, y] = [c.x, c.y].map(|v| c.b.u_convert(c.ushort, None, v));
            let product = c.b.i_mul(c.ushort, None, x?, y?)?;
            c.b.s_convert(c.uint, None, product)
        },
        |x, y| Some((x as u16).wrapping_mul(y as u16) as i16 as u32),
    ),
    (
        "shift of 64 bits",
        |c| {
            let [x, y] = [c.x, c.y].map(|v| c.b.s_convert(c.ulong, None, v));
            let product = c.b.i_mul(c.ulong, None, x?, y?)?;
            let by = c.number(29);
            let shifted = c.b.shift_right_logical(c.ulong, None, product, by)?;
            c.b.u_convert(c.uint, None, shifted)
        },
        |x, y| Some((((i64::from(x as i32) * i64::from(y as i32)) as u64) >> 29) as u32),
    ),
];

/// A predicate of two floating-point numbers; unspecified for denormals, which may count as zeros.
macro_rules! predicate {
    ($name:literal, $method:ident, $holds:expr) => {
        (
            $name,
            |c| {
                let [x, y] = c.floats()?;
                let value = c.b.$method(c.bool, None, x, y)?;
                c.truth(value)
            },
            |x, y| {
                let [x, y] = [x, y].map(f32::from_bits);
                let holds: fn(f32, f32) -> bool = $holds;
                (!x.is_subnormal() && !y.is_subnormal()).then(|| u32::from(holds(x, y)))
            },
        )
    };
}

macro_rules! property {
    ($name:literal, $method:ident, $holds:expr) => {
        (
            $name,
            |c| {
                let [x, _] = c.floats()?;
                let value = c.b.$method(c.bool, None, x)?;
                c.truth(value)
            },
            |x, _| {
                let holds: fn(f32) -> bool = $holds;
                Some(u32::from(holds(f32::from_bits(x))))
            },
        )
    };
}

pub const COMPARISONS: &[Case] = &[
    predicate!("OpFOrdEqual", f_ord_equal, |x, y| x == y),
    predicate!("OpFOrdNotEqual", f_ord_not_equal, |x, y| x.partial_cmp(&y).is_some_and(|o| o.is_ne())),
    predicate!("OpFUnordEqual", f_unord_equal, |x, y| x.partial_cmp(&y).is_none_or(|o| o.is_eq())),
    predicate!("OpFUnordNotEqual", f_unord_not_equal, |x, y| x != y),
    predicate!("OpFUnordLessThan", f_unord_less_than, |x, y| x.partial_cmp(&y).is_none_or(|o| o.is_lt())),
    predicate!("OpFUnordGreaterThan", f_unord_greater_than, |x, y| x
        .partial_cmp(&y)
        .is_none_or(|o| o.is_gt())),
    predicate!("OpFUnordLessThanEqual", f_unord_less_than_equal, |x, y| x
        .partial_cmp(&y)
        .is_none_or(|o| o.is_le())),
    predicate!("OpFUnordGreaterThanEqual", f_unord_greater_than_equal, |x, y| x
        .partial_cmp(&y)
        .is_none_or(|o| o.is_ge())),
    predicate!("OpLessOrGreater", less_or_greater, |x, y| x.partial_cmp(&y).is_some_and(|o| o.is_ne())),
    predicate!("OpOrdered", ordered, |x, y| !x.is_nan() && !y.is_nan()),
    predicate!("OpUnordered", unordered, |x, y| x.is_nan() || y.is_nan()),
    property!("OpIsNan", is_nan, |x| x.is_nan()),
    property!("OpIsInf", is_inf, |x| x.is_infinite()),
    property!("OpIsFinite", is_finite, |x| x.is_finite()),
    property!("OpIsNormal", is_normal, |x| x.is_normal()),
    property!("OpSignBitSet", sign_bit_set, |x| x.is_sign_negative()),
    (
        "OpLogicalEqual",
        |c| {
            let zero = c.number(0);
            let [x, y] = [c.x, c.y].map(|v| c.b.s_less_than(c.bool, None, v, zero));
            let same = c.b.logical_equal(c.bool, None, x?, y?)?;
            c.truth(same)
        },
        |x, y| Some(u32::from((x ^ y) >> 31 == 0)),
    ),
];

fn bytes(c: &mut Code, value: Result<Word, Error>) -> Result<Word, Error> {
    c.b.u_convert(c.uint, None, value?)
}

pub const CONVERSIONS: &[Case] = &[
    (
        "OpSatConvertSToU",
        |c| {
            let v = c.b.sat_convert_s_to_u(c.uchar, None, c.x);
            bytes(c, v)
        },
        |x, _| Some((x as i32).clamp(0, 255) as u32),
    ),
    (
        "OpSatConvertUToS",
        |c| {
            let v = c.b.sat_convert_u_to_s(c.uchar, None, c.x);
            bytes(c, v)
        },
        |x, _| Some(x.min(127)),
    ),
    (
        "saturated from floating point",
        |c| {
            let [x, _] = c.floats()?;
            let value = c.b.convert_f_to_u(c.uchar, None, x)?;
            c.b.decorate(value, Decoration::SaturatedConversion, []);
            bytes(c, Ok(value))
        },
        |x, _| {
            let x = f32::from_bits(x);
            (!x.is_nan()).then_some(x as u8 as u32)
        },
    ),
    (
        "rounded towards zero",
        |c| {
            let value = c.b.convert_u_to_f(c.float, None, c.x)?;
            c.b.decorate(value, Decoration::FPRoundingMode, [Operand::FPRoundingMode(FPRoundingMode::RTZ)]);
            c.b.bitcast(c.uint, None, value)
        },
        |x, _| {
            // Bits below the 24 leading ones are truncated.
            Some(((x & !(0xffu32 >> x.leading_zeros().min(8))) as f32).to_bits())
        },
    ),
    (
        "rounded up",
        |c| {
            let value = c.b.convert_s_to_f(c.float, None, c.x)?;
            c.b.decorate(value, Decoration::FPRoundingMode, [Operand::FPRoundingMode(FPRoundingMode::RTP)]);
            c.b.bitcast(c.uint, None, value)
        },
        |x, _| {
            let near = x as i32 as f32;
            Some(if f64::from(near) < f64::from(x as i32) { near.next_up() } else { near }.to_bits())
        },
    ),
    (
        "OpBitcast of vectors",
        |c| {
            let (ushort2, uchar4) = (c.b.type_vector(c.ushort, 2), c.b.type_vector(c.uchar, 4));
            let halves = c.b.bitcast(ushort2, None, c.x)?;
            let swapped = c.b.vector_shuffle(ushort2, None, halves, halves, [1, 0])?;
            let quarters = c.b.bitcast(uchar4, None, swapped)?;
            let turned = c.b.vector_shuffle(uchar4, None, quarters, quarters, [1, 2, 3, 0])?;
            c.b.bitcast(c.uint, None, turned)
        },
        |x, _| Some(x.rotate_left(16).rotate_right(8)),
    ),
];

pub const COMPOSITES: &[Case] = &[
    (
        "nested structures",
        |c| {
            let (three, uint4) = (c.number(3), c.b.type_vector(c.uint, 4));
            let array = c.b.type_array(uint4, three);
            let inner = c.b.type_struct([c.uint, array]);
            let outer = c.b.type_struct([inner, c.ulong]);
            let empty = c.b.constant_null(outer);
            let one = c.b.composite_insert(outer, None, c.x, empty, [0, 1, 2, 3])?;
            let two = c.b.composite_insert(outer, None, c.y, one, [0, 0])?;
            let part = c.b.composite_extract(inner, None, two, [0])?;
            let parts = [[1, 2, 3].as_slice(), &[0], &[1, 1, 1]]
                .map(|at| c.b.composite_extract(c.uint, None, part, at.iter().copied()));
            let [a, b, zero] = parts;
            let sum = c.b.i_sub(c.uint, None, a?, b?)?;
            c.b.i_add(c.uint, None, sum, zero?)
        },
        |x, y| Some(x.wrapping_sub(y)),
    ),
    (
        "OpVectorShuffle with elements left open",
        |c| {
            let (uint2, uint4) = (c.b.type_vector(c.uint, 2), c.b.type_vector(c.uint, 4));
            let [xy, yx] = [[c.x, c.y], [c.y, c.x]].map(|v| c.b.composite_construct(uint2, None, v));
            let wide = c.b.vector_shuffle(uint4, None, xy?, yx?, [3, u32::MAX, 1, u32::MAX])?;
            let [a, b] = [0, 2].map(|i| c.b.composite_extract(c.uint, None, wide, [i]));
            c.b.i_sub(c.uint, None, a?, b?)
        },
        |x, y| Some(x.wrapping_sub(y)),
    ),
    (
        "vectors made of vectors",
        |c| {
            let (uint3, uint4) = (c.b.type_vector(c.uint, 3), c.b.type_vector(c.uint, 4));
            let three = c.b.composite_construct(uint3, None, [c.x, c.y, c.item])?;
            let four = c.b.composite_construct(uint4, None, [c.y, three])?;
            let index = c.low(c.x)?;
            let chosen = c.b.vector_extract_dynamic(c.uint, None, four, index)?;
            c.b.i_sub(c.uint, None, chosen, c.y)
        },
        |x, y| (x & 3 != 3).then(|| [y, x, y][x as usize & 3].wrapping_sub(y)),
    ),
    (
        "OpVectorInsertDynamic",
        |c| {
            let uint4 = c.b.type_vector(c.uint, 4);
            let (at, from) = (c.low(c.x)?, c.low(c.y)?);
            let all = c.b.composite_construct(uint4, None, [c.x, c.x, c.x, c.x])?;
            let changed = c.b.vector_insert_dynamic(uint4, None, all, c.y, at)?;
            c.b.vector_extract_dynamic(c.uint, None, changed, from)
        },
        |x, y| Some(if x & 3 == y & 3 { y } else { x }),
    ),
    (
        "structures to and from functions",
        |c| {
            let pair = c.b.composite_construct(c.pair, None, [c.x, c.y])?;
            let doubled = c.b.function_call(c.pair, None, c.twice, [pair])?;
            let [a, b] = [0, 1].map(|i| c.b.composite_extract(c.uint, None, doubled, [i]));
            c.b.bitwise_xor(c.uint, None, a?, b?)
        },
        |x, y| Some(x.wrapping_mul(2) ^ y.wrapping_mul(2)),
    ),
    (
        "OpSelect of vectors",
        |c| {
            let (bool2, uint2) = (c.b.type_vector(c.bool, 2), c.b.type_vector(c.uint, 2));
            let zero = c.number(0);
            let [a, b] = [c.x, c.y].map(|v| c.b.s_less_than(c.bool, None, v, zero));
            let which = c.b.composite_construct(bool2, None, [a?, b?])?;
            let (first, second) = (
                c.b.composite_construct(uint2, None, [c.x, c.y])?,
                c.b.composite_construct(uint2, None, [c.y, c.x])?,
            );
            let chosen = c.b.select(uint2, None, which, first, second)?;
            let [a, b] = [0, 1].map(|i| c.b.composite_extract(c.uint, None, chosen, [i]));
            c.b.i_sub(c.uint, None, a?, b?)
        },
        |x, y| {
            let negative = |v: u32| (v as i32) < 0;
            let (a, b) = (if negative(x) { x } else { y }, if negative(y) { y } else { x });
            Some(a.wrapping_sub(b))
        },
    ),
    (
        "OpCopyObject and OpUndef",
        |c| {
            let undefined = c.b.undef(c.uint, None);
            let zero = c.number(0);
            let nothing = c.b.bitwise_and(c.uint, None, undefined, zero)?;
            let copy = c.b.copy_object(c.uint, None, c.x)?;
            c.b.bitwise_or(c.uint, None, copy, nothing)
        },
        |x, _| Some(x),
    ),
];

pub const MEMORY: &[Case] = &[
    (
        "variables with values",
        |c| {
            let at = c.low(c.x)?;
            c.load(StorageClass::Function, c.filled, at)
        },
        |x, _| Some(5 + (x & 3)),
    ),
    (
        "constant memory",
        |c| {
            let at = c.low(c.y)?;
            c.load(StorageClass::UniformConstant, c.table, at)
        },
        |_, y| Some([3, 1, 4, 1][y as usize & 3]),
    ),
    (
        "OpCopyMemory",
        |c| {
            c.b.copy_memory(c.slots, c.table, None, None, [])?;
            let at = c.low(c.x)?;
            c.load(StorageClass::Function, c.slots, at)
        },
        |x, _| Some([3, 1, 4, 1][x as usize & 3]),
    ),
    (
        "OpCopyMemorySized",
        |c| {
            let (one, eight) = (c.number(1), c.number(8));
            let [to, from] = [(StorageClass::Function, c.slots), (StorageClass::UniformConstant, c.table)]
                .map(|(class, array)| c.element(class, array, one));
            let (to, from, wide) = (to?, from?, c.b.constant_bit64(c.ulong, 8));
            c.b.store(to, eight, None, [])?;
            let bytes =
                [(StorageClass::Function, to), (StorageClass::UniformConstant, from)].map(|(class, at)| {
                    let ty = c.b.type_pointer(None, class, c.uchar);
                    c.b.bitcast(ty, None, at)
                });
            let [to, from] = bytes;
            let aligned = Some(MemoryAccess::ALIGNED);
            c.b.copy_memory_sized(to?, from?, wide, aligned, None, [Operand::LiteralBit32(4)])?;
            let two = c.number(2);
            let [a, b] = [one, two].map(|i| c.load(StorageClass::Function, c.slots, i));
            let tenfold = c.number(10);
            let a = c.b.i_mul(c.uint, None, a?, tenfold)?;
            c.b.i_add(c.uint, None, a, b?)
        },
        |_, _| Some(14),
    ),
    (
        "addresses as numbers",
        |c| {
            let global = c.b.type_pointer(None, StorageClass::CrossWorkgroup, c.uint);
            let address = c.b.convert_ptr_to_u(c.ulong, None, c.input)?;
            let wide = c.b.u_convert(c.ulong, None, c.item)?;
            let (eight, four) = (c.b.constant_bit64(c.ulong, 8), c.b.constant_bit64(c.ulong, 4));
            let offset = c.b.i_mul(c.ulong, None, wide, eight)?;
            let offset = c.b.i_add(c.ulong, None, offset, four)?;
            let address = c.b.i_add(c.ulong, None, address, offset)?;
            let at = c.b.convert_u_to_ptr(global, None, address)?;
            c.b.load(
                c.uint,
                None,
                at,
                Some(MemoryAccess::VOLATILE | MemoryAccess::ALIGNED),
                [Operand::LiteralBit32(4)],
            )
        },
        |_, y| Some(y),
    ),
    (
        "a pointer chosen",
        |c| {
            let less = c.b.u_less_than(c.bool, None, c.x, c.y)?;
            let (zero, three) = (c.number(0), c.number(3));
            let [a, b] = [zero, three].map(|i| c.element(StorageClass::Function, c.filled, i));
            let ty = c.b.type_pointer(None, StorageClass::Function, c.uint);
            let at = c.b.select(ty, None, less, a?, b?)?;
            c.b.load(c.uint, None, at, None, [])
        },
        |x, y| Some(if x < y { 5 } else { 8 }),
    ),
    (
        "local memory",
        |c| {
            // In groups of 64, the value of the neighbouring work-item.
            let (one, sixty_three) = (c.number(1), c.number(63));
            let own = c.b.bitwise_and(c.uint, None, c.item, sixty_three)?;
            let at = c.element(StorageClass::Workgroup, c.shared, own)?;
            c.b.store(at, c.item, None, [])?;
            let (group, order) = (c.number(2), c.number(0x100 | 8));
            c.b.control_barrier(group, group, order)?;
            let other = c.b.bitwise_xor(c.uint, None, own, one)?;
            let found = c.load(StorageClass::Workgroup, c.shared, other)?;
            c.b.i_sub(c.uint, None, found, c.item)
        },
        |_, _| None,
    ),
];

/// Ends the block with a branch to `label`.
fn go(c: &mut Code, label: Word) -> Result<(), Error> {
    c.b.branch(label)
}

pub const FLOW: &[Case] = &[
    (
        "OpSwitch",
        |c| {
            let [a, b, rest, end] = [0; 4].map(|_| c.b.id());
            let (low, seven) = (c.low(c.x)?, c.number(7));
            let values = [10, 20, 30].map(|n| c.number(n));
            c.b.selection_merge(end, SelectionControl::NONE)?;
            c.b.switch(low, rest, [(Operand::LiteralBit32(0), a), (Operand::LiteralBit32(2), b)])?;
            for label in [a, b, rest] {
                c.b.begin_block(Some(label))?;
                go(c, end)?;
            }
            c.b.begin_block(Some(end))?;
            let value = c.b.phi(c.uint, None, [(values[0], a), (values[1], b), (values[2], rest)])?;
            c.b.i_mul(c.uint, None, value, seven)
        },
        |x, _| Some(7 * [10, 30, 20, 30][x as usize & 3]),
    ),
    (
        "OpSwitch of 64 bits",
        |c| {
            let [a, rest, end] = [0; 3].map(|_| c.b.id());
            let (wide, shift) = (c.b.u_convert(c.ulong, None, c.y)?, c.number(33));
            let low = {
                let three = c.b.constant_bit64(c.ulong, 3);
                c.b.bitwise_and(c.ulong, None, wide, three)?
            };
            let high = c.b.shift_left_logical(c.ulong, None, low, shift)?;
            let values = [1, 2].map(|n| c.number(n));
            c.b.selection_merge(end, SelectionControl::NONE)?;
            c.b.switch(high, rest, [(Operand::LiteralBit64(3 << 33), a)])?;
            for label in [a, rest] {
                c.b.begin_block(Some(label))?;
                go(c, end)?;
            }
            c.b.begin_block(Some(end))?;
            c.b.phi(c.uint, None, [(values[0], a), (values[1], rest)])
        },
        |_, y| Some(if y & 3 == 3 { 1 } else { 2 }),
    ),
    (
        "a loop whose values change places",
        |c| {
            // (a, b, n) becomes (b, a + b, n - 1) until n is 0: block arguments that swap values.
            let [before, head, end] = [0; 3].map(|_| c.b.id());
            let [next_b, next_n] = [0; 2].map(|_| c.b.id());
            let (zero, one, fifteen) = (c.number(0), c.number(1), c.number(15));
            let count = c.b.bitwise_and(c.uint, None, c.x, fifteen)?;
            let count = c.b.i_add(c.uint, None, count, one)?;
            go(c, before)?;
            c.b.begin_block(Some(before))?;
            go(c, head)?;
            c.b.begin_block(Some(head))?;
            let (first, second) = (c.b.id(), c.b.id());
            c.b.phi(c.uint, Some(first), [(zero, before), (second, head)])?;
            c.b.phi(c.uint, Some(second), [(one, before), (next_b, head)])?;
            let n = c.b.phi(c.uint, None, [(count, before), (next_n, head)])?;
            c.b.i_add(c.uint, Some(next_b), first, second)?;
            c.b.i_sub(c.uint, Some(next_n), n, one)?;
            let more = c.b.i_not_equal(c.bool, None, next_n, zero)?;
            c.b.loop_merge(end, head, LoopControl::NONE, [])?;
            c.b.branch_conditional(more, head, end, [])?;
            c.b.begin_block(Some(end))?;
            c.b.copy_object(c.uint, None, next_b)
        },
        |x, _| {
            let (mut a, mut b) = (0u32, 1u32);
            (0..(x & 15) + 1).for_each(|_| (a, b) = (b, a + b));
            Some(b)
        },
    ),
    (
        "a loop with two entries",
        |c| {
            // Enters a cycle of two blocks at the first or the second (irreducible control flow).
            let [before, one_block, two_block, end] = [0; 4].map(|_| c.b.id());
            let [n_one, n_two] = [0; 2].map(|_| c.b.id());
            let (zero, one, two, thirty_one) = (c.number(0), c.number(1), c.number(2), c.number(31));
            let start = c.b.bitwise_and(c.uint, None, c.y, thirty_one)?;
            let odd = c.b.bitwise_and(c.uint, None, c.x, one)?;
            let is_odd = c.b.i_not_equal(c.bool, None, odd, zero)?;
            go(c, before)?;
            c.b.begin_block(Some(before))?;
            c.b.branch_conditional(is_odd, one_block, two_block, [])?;
            c.b.begin_block(Some(one_block))?;
            let n = c.b.phi(c.uint, None, [(start, before), (n_two, two_block)])?;
            c.b.i_add(c.uint, Some(n_one), n, one)?;
            go(c, two_block)?;
            c.b.begin_block(Some(two_block))?;
            let n = c.b.phi(c.uint, None, [(start, before), (n_one, one_block)])?;
            c.b.i_mul(c.uint, Some(n_two), n, two)?;
            let thousand = c.number(1000);
            let more = c.b.u_less_than(c.bool, None, n_two, thousand)?;
            c.b.branch_conditional(more, one_block, end, [])?;
            c.b.begin_block(Some(end))?;
            c.b.copy_object(c.uint, None, n_two)
        },
        |x, y| {
            let mut n = y & 31;
            let mut at_one = x & 1 == 1;
            loop {
                if at_one {
                    n += 1;
                }
                n *= 2;
                if n >= 1000 {
                    return Some(n);
                }
                at_one = true;
            }
        },
    ),
];

pub const BITS: &[Case] = &[
    ("OpBitReverse", |c| c.b.bit_reverse(c.uint, None, c.x), |x, _| Some(x.reverse_bits())),
    (
        "OpBitFieldInsert",
        |c| {
            let (at, count) = (c.number(5), c.number(11));
            c.b.bit_field_insert(c.uint, None, c.x, c.y, at, count)
        },
        |x, y| Some(x & !(0x7ff << 5) | (y & 0x7ff) << 5),
    ),
    (
        "OpBitFieldUExtract",
        |c| {
            let (at, count) = (c.number(9), c.number(13));
            c.b.bit_field_u_extract(c.uint, None, c.x, at, count)
        },
        |x, _| Some(x >> 9 & 0x1fff),
    ),
    (
        "OpBitFieldSExtract",
        |c| {
            let (at, count) = (c.number(9), c.number(13));
            c.b.bit_field_s_extract(c.uint, None, c.x, at, count)
        },
        |x, _| Some(((x << 10) as i32 >> 19) as u32),
    ),
    (
        "no bits at all",
        |c| {
            let (at, count) = (c.number(9), c.number(0));
            let none = c.b.bit_field_u_extract(c.uint, None, c.x, at, count)?;
            let same = c.b.bit_field_insert(c.uint, None, c.x, c.y, at, count)?;
            c.b.i_add(c.uint, None, none, same)
        },
        |x, _| Some(x),
    ),
];

/// Arithmetic of specialization constants that keep their defaults.
pub const SPECIALISED: &[Case] = &[
    (
        "OpSpecConstantOp",
        |c| {
            let (three, four) = (c.b.spec_constant_bit32(c.uint, 3), c.b.spec_constant_bit32(c.uint, 4));
            let mut last = three;
            for (op, operand) in [(Op::IMul, four), (Op::ISub, three), (Op::ShiftLeftLogical, four)] {
                let id = c.b.id();
                let operands = vec![
                    Operand::LiteralSpecConstantOpInteger(op),
                    Operand::IdRef(last),
                    Operand::IdRef(operand),
                ];
                c.b.module_mut().types_global_values.push(Instruction::new(
                    Op::SpecConstantOp,
                    Some(c.uint),
                    Some(id),
                    operands,
                ));
                last = id;
            }
            c.b.i_add(c.uint, None, c.x, last)
        },
        |x, _| Some(x.wrapping_add((3 * 4 - 3) << 4)),
    ),
    (
        "OpSpecConstantComposite",
        |c| {
            let uint2 = c.b.type_vector(c.uint, 2);
            let (a, b) = (c.b.spec_constant_bit32(c.uint, 70), c.b.spec_constant_bit32(c.uint, 9));
            let both = c.b.spec_constant_composite(uint2, [a, b]);
            let [a, b] = [0, 1].map(|i| c.b.composite_extract(c.uint, None, both, [i]));
            c.b.i_sub(c.uint, None, a?, b?)
        },
        |_, _| Some(61),
    ),
];
