//! Declarations and statements: what is accepted, what is rejected with which error, and what the tree has.

use super::super::preprocess::preprocess;
use super::*;
use crate::front::c::ast::*;
use crate::front::c::types::*;
use crate::options::{CompileRequest, FrontConfig, Options};

/// Checks a source; returns the unit, its types and the log.
fn check(source: &str, std: &str) -> (Unit, Types, String) {
    let options = Options { std: std.into(), ..Options::default() };
    let extensions = [
        "cl_khr_fp64",
        "__opencl_c_fp64",
        "__opencl_c_generic_address_space",
        "__opencl_c_program_scope_global_variables",
        "__opencl_c_read_write_images",
        "__opencl_c_images",
        "__opencl_c_pipes",
    ];
    let config = FrontConfig {
        extensions: extensions.map(String::from).to_vec(),
        image_support: true,
        opencl_version: 310,
        ..FrontConfig::default()
    };
    let mut session = Session::new(&options);
    let language = Language::new(&options, &config);
    let input = CompileRequest::new(source, &options, &config);
    let tokens = preprocess(&mut session, &input);
    let mut types = Types::new();
    let unit = parse(&mut session, &tokens, &mut types, &language);
    let log = session.render();
    (unit, types, log)
}

fn accept(source: &str, std: &str) -> (Unit, Types) {
    let (unit, types, log) = check(source, std);
    assert!(!log.contains("error: "), "{source}\n{log}");
    (unit, types)
}

/// Each source has an error with this text.
fn reject(std: &str, cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let (_, _, log) = check(source, std);
        assert!(log.contains(&format!("error: {expected}")), "{source}\nexpected: {expected}\n{log}");
    }
}

#[test]
fn declarations_of_every_form() {
    accept(
        "typedef struct node { int v; struct node *next; } node;
         typedef float float5[5]; typedef unsigned int uint; typedef uint uint;
         enum color { RED, GREEN = 5, BLUE, } c1(void);
         constant int table[] = {1, 2, 3}, two = 2; constant float2 pair = (float2)(1, 2);
         static int add(int a, int b); inline float4 f4(float4 x) { return x; }
         int add(int a, int b) { return a + b; }
         union u { int a; float b; char c[4]; } __attribute__((packed, aligned(8)));
         #pragma OPENCL EXTENSION __cl_clang_bitfields : enable
         struct bits { int a : 3; unsigned b : 5; int : 0; long c : 40; };
         kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(global int *restrict p, constant float *q, local int l[4],
             read_only image2d_t i, sampler_t s, int4 v, global node n2[2]) {
           local int shared[16]; int a[two], b[3][4] = {{1}, [2] = {[3] = 4}}; node n = {.v = 1};
           int (*pa)[4] = b; const sampler_t smp = 0; __private int pr = 3; int r = sizeof(float5);
           for (int i = 0, j = 1; i < 4; ++i) { a[0] += i; if (i == 3) break; else continue; }
           switch (a[0]) { case RED: case GREEN ... BLUE: a[0] = 1; break; default: ; }
           do { a[1]--; } while (a[1]); while (0) ; goto end; end: p[0] = add(a[0], r);
         }",
        "CL2.0",
    );
}

#[test]
fn program_scope_address_spaces() {
    reject(
        "CL1.2",
        &[
            ("int v;", "program scope variable must reside in constant address space"),
            ("constant int x;", "variable in constant address space must be initialized"),
            ("global int g = 1;", "program scope variable must reside in constant address space"),
            ("sampler_t s = 4;", "global sampler requires a const or constant address space qualifier"),
            (
                "void f() { local int l; }",
                "non-kernel function variable cannot be declared in local address space",
            ),
            ("kernel void k() { local int z = 3; }", "'__local' variable cannot have an initializer"),
            ("kernel void k() { static int s; }", "variables in function scope cannot be declared static"),
            (
                "kernel void k() { { local int z; } }",
                "variables in the local address space can only be declared in the outermost scope of a kernel function",
            ),
            ("void f(global int x);", "parameter may not be qualified with an address space"),
            ("struct s { local int z; };", "field may not be qualified with an address space"),
            ("event_t e;", "the '__private event_t' type cannot be used to declare a program scope variable"),
        ],
    );
    reject(
        "CL2.0",
        &[
            ("local int gl;", "program scope variable must reside in global or constant address space"),
            ("int jj = 1; int jj = 2;", "redefinition of 'jj'"),
            (
                "void f() { global int g; }",
                "function scope variable cannot be declared in global address space",
            ),
            ("int f(); global int x = f();", "initializer element is not a compile-time constant"),
        ],
    );
    let (unit, _) =
        accept("int v; global int w = 1; static int s; kernel void k() { static int t; }", "CL2.0");
    let spaces: Vec<_> = unit.statics.iter().map(|id| unit.vars[id.0 as usize].space()).collect();
    assert_eq!(spaces, [AddressSpace::Global; 4]);
    let exported: Vec<_> = unit.statics.iter().map(|id| unit.vars[id.0 as usize].is_exported).collect();
    assert_eq!(exported, [true, true, false, false]);
}

#[test]
fn kernels_have_restrictions() {
    let pointers = "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space";
    reject(
        "CL1.2",
        &[
            ("kernel int k() { return 1; }", "kernel must have void return type"),
            ("kernel void k(int *p) {}", pointers),
            (
                "kernel void k(global int *global *p) {}",
                "kernel parameter cannot be declared as a pointer to a pointer",
            ),
            ("static kernel void k() {}", "kernel functions cannot be declared static"),
            (
                "kernel void k(int x, ...) {}",
                "invalid prototype, variadic arguments are not allowed in OpenCL",
            ),
            (
                "struct s { global int *p; }; kernel void k(struct s x) {}",
                "struct kernel parameters may not contain pointers",
            ),
            ("void (*fp)(int);", "pointers to functions are not allowed"),
            (
                "kernel void k() { image2d_t i; }",
                "type '__private __read_only image2d_t' can only be used as a function parameter in OpenCL",
            ),
            ("void f(sampler_t *p);", "pointer to type 'sampler_t' is invalid in OpenCL"),
        ],
    );
    reject(
        "CL3.0",
        &[("kernel void k(bool b) {}", "'__private bool' cannot be used as the type of a kernel parameter")],
    );
}

#[test]
fn wrong_declarations() {
    reject(
        "CL1.2",
        &[
            (
                "typedef float fl; typedef int fl;",
                "typedef redefinition with different types ('int' vs 'float')",
            ),
            ("int f(int); int f(float);", "conflicting types for 'f'"),
            ("void f() {} void f() {}", "redefinition of 'f'"),
            ("struct s { int a; int a; };", "duplicate member 'a'"),
            ("struct s { int a; }; struct s { int b; };", "redefinition of 's'"),
            ("foo bar;", "unknown type name 'foo'"),
            ("void f(foo x);", "unknown type name 'foo'"),
            ("void f() { int x; int x; }", "redefinition of 'x'"),
            (
                "void f() { int a[]; }",
                "definition of variable with array type needs an explicit size or an initializer",
            ),
            ("void f() { void v; }", "variable has incomplete type 'void'"),
            ("void f(int n) { int a[n]; }", "variable length arrays are not supported in OpenCL"),
            ("void f() { int a[-1]; }", "array size is negative"),
            ("void f() { int x = 1 }", "expected ';' at end of declaration"),
            ("int int x;", "cannot combine with previous 'int' declaration specifier"),
            ("global local int x;", "multiple address spaces specified for type"),
            ("void f() {", "expected '}'"),
            ("kernel void k(__attribute__((reqd_work_group_size(1,1)) int x);", ""),
        ],
    );
}

#[test]
fn wrong_statements() {
    reject(
        "CL1.2",
        &[
            ("void f() { break; }", "'break' statement not in loop or switch statement"),
            ("void f() { continue; }", "'continue' statement not in loop statement"),
            ("void f() { case 1: ; }", "'case' statement not in switch statement"),
            ("void f() { switch (1) { case 1: case 1: ; } }", "duplicate case value '1'"),
            ("void f() { switch (1) { default: default: ; } }", "multiple default labels in one switch"),
            ("void f() { goto x; }", "use of undeclared label 'x'"),
            ("void f() { x: ; x: ; }", "redefinition of label 'x'"),
            ("void f() { return 1; }", "void function 'f' should not return a value"),
            ("int f() { return; }", "non-void function 'f' should return a value"),
            ("void f() { if (1 { } }", "expected ')'"),
            ("void f() { asm(\"x\"); }", ""),
        ],
    );
    let (_, _, log) = check("int f(int x) { if (x) return 1; }", "CL1.2");
    assert!(log.contains("warning: non-void function does not return a value"), "{log}");
    let (_, _, log) = check("int f(int x) { for (;;) { if (x) return 1; } }", "CL1.2");
    assert_eq!(log, "");
}

#[test]
fn bit_fields_require_a_pragma() {
    let text = "bit-fields are not supported in OpenCL";
    reject("CL1.2", &[("struct s { uint a : 3; };", text), ("struct s { int : 4; };", text)]);
    let pragma = |state: &str| format!("#pragma OPENCL EXTENSION {state}\n");
    let (on, off) = (pragma("__cl_clang_bitfields : enable"), pragma("__cl_clang_bitfields : disable"));
    accept(&format!("{on}struct s {{ uint a : 3; int : 4; }};"), "CL1.2");
    for off in [off, pragma("all : disable")] {
        reject("CL1.2", &[(&format!("{on}{off}struct s {{ uint a : 3; }};"), text)]);
    }
}

/// Layouts as clang reports them for SPIR-V.
#[test]
fn records_are_laid_out_as_in_c() {
    let (_, types) = accept(
        "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
         struct a { char a; int b : 8; int c : 20; int d : 10; char e; short f : 3; long g : 40; int : 0; char h; };
         struct p { char a; int b; short c; } __attribute__((packed));
         struct v { char a; float3 b; char c; };
         union u { char a; int b : 9; double c; };
         struct w { char a; int b __attribute__((aligned(16))); };",
        "CL1.2",
    );
    let sizes: Vec<(u64, u32)> = types.records.iter().map(|r| (r.size, r.align)).collect();
    assert_eq!(sizes, [(24, 8), (7, 1), (48, 16), (8, 8), (32, 16)]);
    let a: Vec<_> = types.records[0].fields.iter().map(|f| (f.offset, f.bits)).collect();
    let expected = [
        (0, None),
        (0, Some((8, 8))),
        (4, Some((0, 20))),
        (4, Some((20, 10))),
        (8, None),
        (8, Some((8, 3))),
        (8, Some((11, 40))),
        (16, Some((0, 0))),
        (16, None),
    ];
    assert_eq!(a, expected);
}

#[test]
fn initializers_are_normalised() {
    let (unit, _) = accept(
        "constant int a[] = {1, [4] = 2, 3, [0] = 7};
         struct s { int x; float2 y; int z[2]; union { int u; float v; }; };
         constant struct s t[] = {1, 2.0f, 3, 4, 5, [2].z[1] = 6, 8, {.v = 1}};
         constant char text[] = \"abc\", more[8] = {\"de\"};
         constant float4 f = {1, 2, 3, 4};
         constant int r[8] = {[1 ... 3] = 9, 8};",
        "CL1.2",
    );
    let init = |index: usize| {
        let ExprKind::Init(id) = unit.exprs[unit.vars[index].init.unwrap().0 as usize].kind else { panic!() };
        unit.inits[id.0 as usize].items.iter().map(|(i, _)| *i).collect::<Vec<_>>()
    };
    assert_eq!(init(0), [0, 4, 5]);
    assert_eq!(init(1), [0, 2, 3]);
    assert_eq!(init(5), [1, 2, 3, 4]);
}

/// Lowering reads no variables for initializers of static storage.
#[test]
fn constant_variables_are_replaced_in_initializers() {
    let (unit, _) = accept(
        "constant float a = 1.0f, b = 3.0f; constant float c = a / b; constant int n = (int)b;
         constant int list[] = {n, n + 1}; constant float2 v = {a, c};",
        "CL1.2",
    );
    let loads = unit.exprs.iter().filter(|e| matches!(e.kind, ExprKind::Cast(CastKind::Load, _)));
    assert_eq!(loads.count(), 0);
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("(", ")"), ("{", "}"), ("*", ""), ("struct {", "}")] {
        let source = format!("void f() {{ int {}x{}; }}", open.repeat(5000), close.repeat(5000));
        check(&source, "CL1.2");
        let source = format!("void f() {{ {} {} }}", open.repeat(5000), close.repeat(5000));
        check(&source, "CL1.2");
    }
    let chain: String = (1..2000).map(|i| format!("typedef t{}* t{i};", i - 1)).collect();
    let (_, _, log) = check(&format!("typedef int t0; {chain}"), "CL1.2");
    assert!(log.contains("nesting too deep"), "{log}");
    let constants: String =
        (1..200).map(|i| format!("constant int c{i} = c{} + c{};", i - 1, i - 1)).collect();
    accept(&format!("constant int c0 = 1; {constants}"), "CL1.2");
}

#[test]
fn overloads_are_mangled_as_in_clang() {
    let (unit, _) = accept(
        "typedef struct point { int x; } point;
         void O f(float4 a, global const float *b, local int *c);
         void O f(uint2 a, constant uchar *b, constant uchar *c);
         void O f(point a, global point *b, double16 c, sampler_t s);
         void O f(global float4 *a, global float4 *b, global const volatile float4 *c, float4 d, image2d_t i,
                  half *h, write_only image2d_array_depth_t j);"
            .replace(" O ", " __attribute__((overloadable)) ")
            .as_str(),
        "CL1.2",
    );
    let names: Vec<_> = unit.functions.iter().map(|f| f.link_name.as_str()).collect();
    let expected = [
        "_Z1fDv4_fPU3AS1KfPU3AS3i",
        "_Z1fDv2_jPU3AS2hS1_",
        "_Z1f5pointPU3AS1S_Dv16_d11ocl_sampler",
        "_Z1fPU3AS1Dv4_fS1_PU3AS1VKS_S_14ocl_image2d_roPDh26ocl_image2d_array_depth_wo",
    ];
    assert_eq!(names, expected);
}

#[test]
fn asm_labels_name_symbols() {
    let (unit, _) = accept(
        "int f(int x) __asm__(\"_Z5\" \"twice\");
         int f(int x) { return 2 * x; }
         void O g(int x) __asm(\"plain\"); void O g(float x);
         constant int table[] __asm(\"numbers\") = {1, 2};
         int h(int x) { int y __asm(\"r0\") = x; return f(y) + table[x]; }"
            .replace(" O ", " __attribute__((overloadable)) ")
            .as_str(),
        "CL1.2",
    );
    let names: Vec<_> = unit.functions.iter().map(|f| f.link_name.as_str()).collect();
    assert_eq!(names, ["_Z5twice", "plain", "_Z1gf", "h"]);
    let labels: Vec<_> = unit.vars.iter().filter(|v| v.label.is_some()).map(|v| v.storage).collect();
    assert_eq!(labels, [Storage::Static]);
    let (_, _, log) = check("void f(void) { int y __asm(\"r0\"); }", "CL1.2");
    assert!(log.contains("warning: ignored asm label 'r0' on automatic variable"), "{log}");
    reject("CL1.2", &[("int f(void) __asm__(3);", "expected string literal in 'asm'")]);
}
