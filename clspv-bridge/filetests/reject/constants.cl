// Constant expressions (C99, section 6.6).

//--- length of an array from a const variable is accepted
kernel void k(void) { const int n = 4; int a[n]; a[0] = 1; }
//--- length of an array from a const argument
kernel void k(const int n) { int a[n]; }
//                                 ^ error: variable length arrays are not supported in OpenCL
//--- length of an array that divides by zero
kernel void k(void) { int a[1 / 0]; }
//                          ^ error: variable length arrays are not supported in OpenCL
//                            ^ warning: division by zero is undefined [-Wdivision-by-zero]
//--- length of an array that is too large
kernel void k(void) { char a[0x7fffffffffffffff]; }
//                          ^ error: array is too large
//--- length of an array from a call
kernel void k(void) { int a[get_local_size(0)]; }
//                          ^ error: variable length arrays are not supported in OpenCL
//--- case from a const variable is accepted
kernel void k(int n) { const int one = 1; switch (n) { case one: break; } }
//--- case from a constant variable is accepted
constant int one = 1;
kernel void k(int n) { switch (n) { case one: break; } }
//--- enumerator from a variable is accepted
constant int one = 1;
enum { A = one };
//--- enumerator too large for int is accepted
enum { A = 0x100000000 };
//--- static assertion of a variable is accepted
constant int one = 1;
_Static_assert(one == 1, "one");
//--- static assertion that fails without a text
_Static_assert(1 == 2);
//             ^ error: static assertion failed
//--- variable of the unit from a private variable
constant int *p = &missing;
//            ^ error: program scope variable must reside in constant address space
//                 ^ error: use of undeclared identifier 'missing'
//--- address of another variable of the unit is accepted
constant int x = 1;
constant int *constant p = &x;
//--- initializer with an increment
constant int x = 1;
constant int y = x++;
//                ^ error: cannot assign to variable 'x' with const-qualified type 'const __constant int'
//--- initializer with a comma is accepted as by clang
constant int y = (1, 2);
//                ^ warning: left operand of comma operator has no effect [-Wunused-value]
//--- initializer with an assignment
constant int x = 1;
constant int y = (x = 2);
//                  ^ error: cannot assign to variable 'x' with const-qualified type 'const __constant int'
//--- initializer with a division by zero
constant int y = 1 / 0;
//                 ^ error: initializer element is not a compile-time constant
//                 ^ warning: division by zero is undefined [-Wdivision-by-zero]
//--- bit-field of negative width
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { int a : -1; };
//                 ^ error: bit-field has negative width (-1)
//--- bit-field of zero width with a name
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { int a : 0; };
//             ^ error: named bit-field 'a' has zero width
//--- bit-field that is too wide
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { int a : 33; };
//             ^ error: width of bit-field 'a' (33 bits) exceeds the width of its type (32 bits)
//--- bit-field of a float
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { float a : 3; };
//               ^ error: bit-field 'a' has non-integral type 'float'
//--- bit-field of a vector
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { int4 a : 3; };
//              ^ error: bit-field 'a' has non-integral type 'int4' (vector of 4 'int' values)
//--- bit-field whose width is not constant
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
kernel void k(int n) { struct s { int a : n; }; }
//                                        ^ error: bit-field width is not an integer constant expression
//--- shift of a constant by too much is accepted
kernel void k(global int *p) { p[0] = 1 << 40; }
//--- correct: constant expressions | clang:rejects
enum { SIZE = 2 * 3 + (1 ? 2 : 1 / 1), NEXT };
constant int table[SIZE] = { [NEXT - 2] = sizeof(int4) }, count = sizeof(table) / sizeof(*table);
_Static_assert(SIZE == 8 && sizeof(float3) == 16, "sizes");
constant float pi = 3.14159f, tau = 2 * 3.14159f, minus = -1.0f / 3, big = INFINITY, none = NAN;
constant int shifted = 1 << 4 | ~0 & 7, compare = 1 < 2 && 3 > 2 || !4, character = 'a' + '\n';
kernel void k(global int *p, int n) { int a[SIZE]; switch (n) { case SIZE + 1: break; } a[0] = count; p[0] = a[0]; }
