//! Types and diagnostics of expressions, as clang 22 has them.

use super::spelling::Spelling;
use crate::front::c::ast::StmtKind;
use crate::front::c::diagnostic::Severity;
use crate::front::c::language::Language;
use crate::front::c::parse::parse;
use crate::front::c::preprocess::preprocess;
use crate::front::c::session::Session;
use crate::front::c::types::{ERROR, QualTy, Types};
use crate::options::{CompileRequest, FrontConfig, Options};

/// Declarations that the expressions use.
const FILE: &str = "
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
typedef struct { int x; float y; } S;
typedef struct { int arr[4]; S s; union { int u1; float u2; }; const int c; int bits : 3; char small : 3; } R;
enum E { A, B };
void fn(int a, float b); void nf(void); void gf(global float *p); void sf(S s); void vf(float4 v); R getr(void);
float __attribute__((overloadable)) ov(float x);
int __attribute__((overloadable)) ov(int x);
float4 __attribute__((overloadable)) ov(float4 x, int y);
float __attribute__((overloadable)) pq(global int *a);
int __attribute__((overloadable)) pq(const global int *a);
kernel void k(global float *g, global int *gi, const global int *cg, local int *l, constant int *c,
              global float4 *v, float4 f4, int4 i4, uint4 u4, char4 c4, long4 l4, short4 s4, float3 f3, uint u) {
  int i; float f; double d; bool b; char ch; short sh; long L; ulong UL; S s; R r; enum E e; half h; half4 h4;
  private float *pf; const int ci = 3; int z[3]; void *vp; const global S *gs; double4 d4;
";

/// Token that follows the expression.
const END: &str = ";\n}\n";

fn config() -> FrontConfig {
    let extensions = ["cl_khr_fp64", "cl_khr_fp16", "__opencl_c_int64"].map(str::to_owned).to_vec();
    FrontConfig { extensions, image_support: true, opencl_version: 300, ..FrontConfig::default() }
}

/// Parses an expression in the context of [`FILE`]; returns the spelling of its type, or the first error.
fn typed(expr: &str, std: &str) -> (String, Vec<String>) {
    let source = format!("{FILE}{expr}{END}");
    let options = Options { std: std.to_owned(), ..Options::default() };
    let config = config();
    let mut session = Session::new(&options);
    let input = CompileRequest::new(&source, &options, &config);
    let tokens = preprocess(&mut session, &input);
    let mut types = Types::new();
    let language = Language::new(&options, &config);
    let unit = parse(&mut session, &tokens, &mut types, &language);
    let last = unit.stmts.iter().rev().find_map(|stmt| match stmt.kind {
        StmtKind::Expr(e) => unit.exprs.get(e.0 as usize),
        _ => None,
    });
    let ty = last.map_or(QualTy::plain(ERROR), |e| e.ty);
    let spelled = Spelling { types: &types, symbols: &session.symbols }.quoted(ty);
    let list = &session.diagnostics.list;
    let messages = list.iter().filter(|d| !d.group.starts_with("unused-"));
    let messages = messages.filter(|d| d.severity != Severity::Note);
    (spelled, messages.map(|d| d.message.clone()).collect())
}

/// Name of an expression's type; typedef names and vectors without what they stand for.
fn type_of(expr: &str) -> String {
    let (ty, messages) = typed(expr, "CL1.2");
    match messages.first() {
        Some(message) => message.clone(),
        None => ty.split('\'').nth(1).unwrap_or_default().to_owned(),
    }
}

fn check(rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(expr, expected)| (expr, expected, type_of(expr)))
        .filter(|(_, expected, found)| found != *expected)
        .map(|(expr, expected, found)| format!("{expr}\n  expected {expected}\n  found    {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn arithmetic_of_scalars() {
    check(&[
        ("i + f", "float"),
        ("i + d", "double"),
        ("ch + sh", "int"),
        ("ch + 1L", "long"),
        ("i + u", "unsigned int"),
        ("L + u", "long"),
        ("UL + L", "unsigned long"),
        ("b + b", "int"),
        ("e + 1", "unsigned int"),
        ("r.bits + 1u", "unsigned int"),
        ("h * f", "float"),
        ("h * i", "half"),
        ("i % 3", "int"),
        ("ch << L", "int"),
        ("L >> 1", "long"),
        ("i & u", "unsigned int"),
        ("+ch", "int"),
        ("-h", "half"),
        ("~sh", "int"),
        ("!f", "int"),
        ("-b", "int"),
        ("1.0 * 2.0f", "double"),
        ("sizeof(int3)", "unsigned long"),
    ]);
}

#[test]
fn arithmetic_of_vectors() {
    check(&[
        ("f4 + f4", "float4"),
        ("f4 * 2", "float4"),
        ("f4 * f", "float4"),
        ("2 * f4", "float4"),
        ("u4 + 1", "uint4"),
        ("u4 + i", "uint4"),
        ("l4 + i", "long4"),
        ("h4 * 1.0h", "half4"),
        ("f4 * h", "float4"),
        ("c4 * (char)r.small", "char4"),
        ("c4 << 1", "char4"),
        ("i4 << l4", "int4"),
        ("i4 % i4", "int4"),
        ("~i4", "int4"),
        ("-f4", "float4"),
        ("!f4", "int4"),
        ("!c4", "char4"),
        ("!d4", "long4"),
    ]);
}

#[test]
fn wrong_arithmetic() {
    let convert = |a: &str, b: &str| {
        format!("implicit conversions between vector types ({a} and {b}) are not permitted")
    };
    let rank = |a: &str, b: &str| {
        format!("scalar operand type has greater rank than the type of the vector element. ({a} and {b})")
    };
    let float4 = "'float4' (vector of 4 'float' values)";
    let int4 = "'int4' (vector of 4 'int' values)";
    let char4 = "'char4' (vector of 4 'char' values)";
    check(&[
        ("f4 + i4", &convert(float4, int4)),
        ("f4 + f3", &convert(float4, "'float3' (vector of 3 'float' values)")),
        ("i4 + 1.0f", &rank(int4, "'float'")),
        ("i4 + u", &rank(int4, "'uint' (aka 'unsigned int')")),
        ("c4 + 1", &rank(char4, "'int'")),
        ("f4 * 1.0", &rank(float4, "'double'")),
        ("h4 * 2.0f", &rank("'half4' (vector of 4 'half' values)", "'float'")),
        (
            "g + f",
            "invalid operands to binary expression ('__global float *__private' and '__private float')",
        ),
        ("s + s", "invalid operands to binary expression ('__private S' and '__private S')"),
        ("f % 3", "invalid operands to binary expression ('__private float' and 'int')"),
        ("-s", "invalid argument type 'S' to unary expression"),
        ("~f", "invalid argument type 'float' to unary expression"),
        ("i / 0", "division by zero is undefined"),
        (
            "i << i4",
            "requested shift is a vector of type '__private int4' (vector of 4 'int' values) but the first \
             operand is not a vector ('__private int')",
        ),
    ]);
}

#[test]
fn comparisons_and_logic() {
    check(&[
        ("f4 < f4", "int4"),
        ("f4 < 1", "int4"),
        ("c4 == c4", "char4"),
        ("d4 != d4", "long4"),
        ("h4 >= h4", "short4"),
        ("u4 == i", "int4"),
        ("i < f", "int"),
        ("g == g", "int"),
        ("g == 0", "int"),
        ("0 != g", "int"),
        ("i4 && 3", "int4"),
        ("f4 || f4", "int4"),
        ("g && l", "int"),
        ("i && f", "int"),
        ("g == gi", "comparison of distinct pointer types ('__global float *' and '__global int *')"),
        (
            "g == l",
            "comparison between  ('__global float *' and '__local int *') which are pointers to \
             non-overlapping address spaces",
        ),
        ("g == i", "comparison between pointer and integer ('__global float *' and 'int')"),
        ("s && i", "invalid operands to binary expression ('__private S' and '__private int')"),
        (
            "i4 == u4",
            "implicit conversions between vector types ('int4' (vector of 4 'int' values) and 'uint4' (vector \
             of 4 'uint' values)) are not permitted",
        ),
    ]);
}

#[test]
fn conditionals() {
    check(&[
        ("i ? i : f", "float"),
        ("i ? g : 0", "__global float *"),
        ("b ? f4 : 1", "float4"),
        ("b ? 1 : f4", "float4"),
        ("i4 ? 1 : 2", "int4"),
        ("c4 ? ch : ch", "char4"),
        ("s4 ? ch : sh", "short4"),
        ("i4 ? f4 : f4", "float4"),
        ("i4 ? f4 : 1.0f", "float4"),
        ("i ? cg : gi", "const __global int *"),
        ("i ? gi : (global void *)g", "__global void *"),
        ("i ?: f", "float"),
        ("i ? nf() : nf()", "void"),
        ("i ? s : s", "S"),
        ("i ? s : f", "incompatible operand types ('S' and 'float')"),
        ("s ? 1 : 2", "used type 'S' where arithmetic or pointer type is required"),
        (
            "f4 ? f4 : f4",
            "used type 'float4' (vector of 4 'float' values) where floating point type is not allowed",
        ),
        (
            "i4 ? c4 : c4",
            "vector condition type 'int4' (vector of 4 'int' values) and result type 'char4' (vector of 4 'char' \
             values) do not have elements of the same size",
        ),
    ]);
}

#[test]
fn assignments() {
    check(&[
        ("i = f", "int"),
        ("f4 = i", "float4"),
        ("f4 = 1.0", "float4"),
        ("f4.xy = f4.zw", "float2"),
        ("f4 += 1", "float4"),
        ("i += f", "int"),
        ("i4 <<= 1", "int4"),
        ("g += 1", "__global float *"),
        ("i++", "int"),
        ("--g", "__global float *"),
        ("f4.x++", "float"),
        ("s = s", "S"),
        ("cg = gi", "const __global int *"),
        ("vp = pf", "__private void *"),
        (
            "i = f4",
            "assigning to '__private int' from incompatible type '__private float4' (vector of 4 'float' values)",
        ),
        (
            "pf = g",
            "assigning '__global float *__private' to '__private float *__private' changes address space of pointer",
        ),
        (
            "g = u",
            "incompatible integer to pointer conversion assigning to '__global float *__private' from '__private \
             uint' (aka '__private unsigned int')",
        ),
        (
            "gi = cg",
            "assigning to '__global int *__private' from 'const __global int *__private' discards qualifiers",
        ),
        ("ci = 4", "cannot assign to variable 'ci' with const-qualified type 'const __private int'"),
        ("3 = i", "expression is not assignable"),
        ("c[0] = 1", "read-only variable is not assignable"),
        ("i4.xx = 3", "vector is not assignable (contains duplicate components)"),
        ("z = 0", "array type '__private int[3]' is not assignable"),
        ("(float)i = 2", "assignment to cast is illegal, lvalue casts are not supported"),
        ("f4++", "cannot increment value of type '__private float4' (vector of 4 'float' values)"),
        ("ch = 1000", "implicit conversion from 'int' to 'char' changes value from 1000 to -24"),
        ("i = 1.5", "implicit conversion from 'double' to 'int' changes value from 1.5 to 1"),
        ("r.c = 1", "cannot assign to non-static data member 'c' with const-qualified type 'const int'"),
    ]);
}

#[test]
fn pointers_and_members() {
    check(&[
        ("*g", "__global float"),
        ("&i", "__private int *"),
        ("&g[2]", "__global float *"),
        ("g + 1u", "__global float *"),
        ("g - g", "long"),
        ("z[1]", "__private int"),
        ("1[z]", "__private int"),
        ("&z", "__private int (*)[3]"),
        ("z + 1", "__private int *"),
        ("f4[2]", "__private float"),
        ("f4[i]", "__private float"),
        ("r.s.y", "__private float"),
        ("r.u1", "__private int"),
        ("gs->x", "const __global int"),
        ("(&r)->arr[1]", "__private int"),
        ("getr().arr[1]", "__private int"),
        ("v->xy", "__global float2"),
        ("f4.wzyx.xy", "__private float2"),
        ("f4.xyz.s2", "__private float"),
        ("&3", "cannot take the address of an rvalue of type 'int'"),
        ("&i4.x", "address of vector element requested"),
        ("&r.bits", "address of bit-field requested"),
        ("*i", "indirection requires pointer operand ('int' invalid)"),
        ("i[i]", "subscripted value is not an array, pointer, or vector"),
        ("g[f]", "array subscript is not an integer"),
        ("s.z", "no member named 'z' in 'S'"),
        ("s->x", "member reference type 'S' is not a pointer; did you mean to use '.'?"),
        ("(&s).x", "member reference type '__private S *' is a pointer; did you mean to use '->'?"),
        ("i.x", "member reference base type '__private int' is not a structure or union"),
        ("i4.xq", "illegal vector component name 'q'"),
        ("f3.w", "vector component access exceeds type '__private float3' (vector of 3 'float' values)"),
        ("g - l", "'__global float *' and '__local int *' are not pointers to compatible types"),
    ]);
}

#[test]
fn casts_and_literals() {
    check(&[
        ("(float4)(1, 2, 3, 4)", "float4"),
        ("(float4)(f4.xy, 1, f)", "float4"),
        ("(float4)(1)", "float4"),
        ("(float4)1", "float4"),
        ("(float4)(1, 2, 3, 4).xy", "float2"),
        ("(int)f", "int"),
        ("(long)g", "long"),
        ("(global uint *)g", "__global uint *"),
        ("(uint)i", "uint"),
        ("(int)c4", "int"),
        ("(int)(1, 2)", "int"),
        ("(float4){1, 2, 3, 4}", "__private float4"),
        ("(int[]){1, 2, 3}", "__private int[3]"),
        ("as_int(f)", "int"),
        ("as_float4(i4)", "float4"),
        ("as_float3(i4)", "float3"),
        ("sizeof i4", "unsigned long"),
        ("vec_step(f3)", "int"),
        ("'a'", "int"),
        ("\"ab\" \"c\"", "__constant char[4]"),
        ("1.0h", "half"),
        ("0xffffffff", "unsigned int"),
        ("true", "bool"),
        ("({ int q = 1; q + 1.0f; })", "float"),
        ("__builtin_offsetof(R, s.y)", "unsigned long"),
        ("_Generic(f, int: 1, float: 2.0f)", "float"),
        ("(float4)(1, 2, 3)", "too few elements in vector initialization (expected 4 elements, have 3)"),
        ("(float4)(f3, f3)", "too many elements in vector initialization (expected 4 elements, have 6)"),
        (
            "(float4)i4",
            "invalid conversion between ext-vector type 'float4' (vector of 4 'float' values) and 'int4' (vector \
             of 4 'int' values)",
        ),
        (
            "(int)f4",
            "invalid conversion between vector type 'float4' (vector of 4 'float' values) and integer type 'int' \
             of different size",
        ),
        ("(S)i", "used type 'S' where arithmetic or pointer type is required"),
        ("(float)s", "operand of type 'S' where arithmetic or pointer type is required"),
        ("(float)g", "pointer cannot be cast to type 'float'"),
        (
            "(local int *)g",
            "casting '__global float *' to type '__local int *' changes address space of pointer",
        ),
        (
            "as_int(f4)",
            "invalid reinterpretation: sizes of 'int' and '__private float4' (vector of 4 'float' values) must match",
        ),
        ("sizeof(void)", "invalid application of 'sizeof' to a void type"),
        ("08", "invalid digit '8' in octal constant"),
    ]);
}

#[test]
fn calls() {
    check(&[
        ("fn(1, 2)", "void"),
        ("ov(1)", "int"),
        ("ov(f)", "float"),
        ("ov(ch)", "int"),
        ("ov(f4, 1)", "float4"),
        ("pq(gi)", "float"),
        ("pq(cg)", "int"),
        ("vf(1)", "void"),
        ("gf(0)", "void"),
        ("get_global_id(0)", "unsigned long"),
        ("sin(f4)", "float4"),
        ("(max)(i, i)", "int"),
        ("max(f4, 1.0f)", "float4"),
        ("clamp(i4, 0, 3)", "int4"),
        ("convert_uchar4_sat(f4)", "uchar4"),
        ("fn(1)", "too few arguments to function call, expected 2, have 1"),
        ("fn(1, 2, 3)", "too many arguments to function call, expected 2, have 3"),
        (
            "fn(f4, 2)",
            "passing '__private float4' (vector of 4 'float' values) to parameter of incompatible type 'int'",
        ),
        (
            "gf(l)",
            "passing '__local int *__private' to parameter of type '__global float *' changes address space of pointer",
        ),
        ("sf(i)", "passing '__private int' to parameter of incompatible type 'S'"),
        ("ov(1u)", "call to 'ov' is ambiguous"),
        ("ov(f4)", "no matching function for call to 'ov'"),
        ("sin(i)", "call to 'sin' is ambiguous"),
        ("max(1, 2u)", "call to 'max' is ambiguous"),
        ("min(L, i)", "call to 'min' is ambiguous"),
        ("dot(f4, i4)", "no matching function for call to 'dot'"),
        ("get_global_id()", "too few arguments to function call, expected 1, have 0"),
        ("i()", "called object type 'int' is not a function or function pointer"),
        ("missing(1)", "use of undeclared identifier 'missing'"),
        ("get_globl_id(0)", "use of undeclared identifier 'get_globl_id'; did you mean 'get_global_id'?"),
    ]);
}

#[test]
fn blocks_capture_variables() {
    let (ty, messages) = typed("(^(int x) { return x + i; })(2)", "CL2.0");
    assert_eq!(messages, Vec::<String>::new());
    assert_eq!(ty, "'int'");
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("(", ")"), ("-", ""), ("(int)", ""), ("z[", "]"), ("{", "")] {
        let expr = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let (_, messages) = typed(&expr, "CL1.2");
        assert!(messages.iter().any(|m| m.contains("nesting too deep")), "{open}: {messages:?}");
    }
}

#[test]
fn long_chains_are_loops() {
    for part in ["i + ", "i ? i : ", "i = ", "i, "] {
        let (_, messages) = typed(&format!("{}i", part.repeat(20_000)), "CL1.2");
        assert_eq!(messages, Vec::<String>::new());
    }
}
