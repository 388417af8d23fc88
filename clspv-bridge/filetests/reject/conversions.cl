// Conversions (OpenCL C, section 6.4): implicit ones, convert_ functions, arguments and results.

//--- convert from a vector of another length
kernel void k(global float4 *p, int2 v) { *p = convert_float4(v); }
//                                             ^ error: no matching function for call to 'convert_float4'
//--- convert a scalar to a vector
kernel void k(global float4 *p, int n) { *p = convert_float4(n); }
//                                            ^ error: no matching function for call to 'convert_float4'
//--- convert a vector to a scalar
kernel void k(global float *p, int4 v) { *p = convert_float(v); }
//                                            ^ error: no matching function for call to 'convert_float'
//--- convert with an unknown rounding mode
kernel void k(global int *p, float f) { *p = convert_int_rtx(f); }
//                                           ^ error: use of undeclared identifier 'convert_int_rtx'
//--- saturating conversion to float
kernel void k(global float *p, int n) { *p = convert_float_sat(n); }
//                                           ^ error: use of undeclared identifier 'convert_float_sat'
//--- suffixes in the wrong order
kernel void k(global int *p, float f) { *p = convert_int_rte_sat(f); }
//                                           ^ error: use of undeclared identifier 'convert_int_rte_sat'
//--- convert to bool
kernel void k(global int *p, float f) { *p = convert_bool(f); }
//                                           ^ error: use of undeclared identifier 'convert_bool'
//--- convert to size_t
kernel void k(global int *p, float f) { *p = convert_size_t(f); }
//                                           ^ error: use of undeclared identifier 'convert_size_t'
//--- convert a pointer
kernel void k(global int *p) { *p = convert_int(p); }
//                                  ^ error: no matching function for call to 'convert_int'
//--- convert a structure
struct s { int x; };
kernel void k(global int *p, struct s s) { *p = convert_int(s); }
//                                              ^ error: no matching function for call to 'convert_int'
//--- convert without an argument
kernel void k(global int *p) { *p = convert_int(); }
//                                  ^ error: no matching function for call to 'convert_int'
//--- convert with two arguments
kernel void k(global int *p) { *p = convert_int(1.0f, 2.0f); }
//                                  ^ error: no matching function for call to 'convert_int'
//--- convert to double without support | no:cl_khr_fp64 no:__opencl_c_fp64
kernel void k(global float *p) { *p = convert_double(p[1]); }
//                                    ^ error: use of undeclared identifier 'convert_double'
//--- convert to half without support | no:cl_khr_fp16
kernel void k(global float *p) { *p = convert_half(p[1]); }
//                                    ^ error: use of undeclared identifier 'convert_half'
//--- structure as an argument for a number
struct s { int x; };
float f(float x) { return x; }
kernel void k(struct s s) { f(s); }
//                            ^ error: passing '__private struct s' to parameter of incompatible type 'float'
//--- number as an argument for a structure
struct s { int x; };
int f(struct s s) { return s.x; }
kernel void k(void) { f(1); }
//                      ^ error: passing 'int' to parameter of incompatible type 'struct s'
//--- vector as an argument for another vector
float4 f(float4 v) { return v; }
kernel void k(int4 v) { f(v); }
//                        ^ error: passing '__private int4' (vector of 4 'int' values) to parameter of incompatible type 'float4' (vector of 4 'float' values)
//--- vector as an argument for a scalar
float f(float v) { return v; }
kernel void k(float4 v) { f(v); }
//                          ^ error: passing '__private float4' (vector of 4 'float' values) to parameter of incompatible type 'float'
//--- pointer as an argument for another pointer
void f(global int *p) { }
kernel void k(global float *p) { f(p); }
//                                 ^ warning: incompatible pointer types passing '__global float *__private' to parameter of type '__global int *' [-Wincompatible-pointer-types]
//--- integer as an argument for a pointer
void f(global int *p) { }
kernel void k(int n) { f(n); }
//                       ^ warning: incompatible integer to pointer conversion passing '__private int' to parameter of type '__global int *'; take the address with & [-Wint-conversion]
//--- pointer as an argument for an integer
void f(int n) { }
kernel void k(global int *p) { f(p); }
//                               ^ warning: incompatible pointer to integer conversion passing '__global int *__private' to parameter of type 'int'; dereference with * [-Wint-conversion]
//--- float as an argument for a pointer
void f(global int *p) { }
kernel void k(float n) { f(n); }
//                         ^ error: passing '__private float' to parameter of incompatible type '__global int *'
//--- result that is a structure
struct s { int x; };
int f(struct s s) { return s; }
//                         ^ error: returning '__private struct s' from a function with incompatible result type 'int'
//--- result that is another vector
float4 f(int4 v) { return v; }
//                        ^ error: returning '__private int4' (vector of 4 'int' values) from a function with incompatible result type 'float4' (vector of 4 'float' values)
//--- result that is a pointer
int f(global int *p) { return p; }
//                            ^ warning: incompatible pointer to integer conversion returning '__global int *__private' from a function with result type 'int'; dereference with * [-Wint-conversion]
//--- result that loses const
global int *f(global const int *p) { return p; }
//                                          ^ warning: returning 'const __global int *__private' from a function with result type '__global int *' discards qualifiers [-Wincompatible-pointer-types-discards-qualifiers]
//--- value of a void function
void f(void) { return 1; }
//             ^ error: void function 'f' should not return a value [-Wreturn-mismatch]
//--- result missing
int f(void) { return; }
//            ^ error: non-void function 'f' should return a value [-Wreturn-mismatch]
//--- result of a kernel
kernel void k(void) { return 1; }
//                    ^ error: void function 'k' should not return a value [-Wreturn-mismatch]
//--- void result of a function that returns a number
void g(void);
int f(void) { return g(); }
//                   ^ error: returning 'void' from a function with incompatible result type 'int'
//--- end of a function without a result
int f(int n) { if (n) return 1; }
//                              ^ warning: non-void function does not return a value in all control paths [-Wreturn-type]
//--- constant that does not fit
kernel void k(global char *p) { p[0] = 1000; }
//                                     ^ warning: implicit conversion from 'int' to 'char' changes value from 1000 to -24 [-Wconstant-conversion]
//--- constant that does not fit is an error | -Werror
kernel void k(global char *p) { p[0] = 1000; }
//                                     ^ error: implicit conversion from 'int' to 'char' changes value from 1000 to -24 [-Werror,-Wconstant-conversion]
//--- cast of an integer to a larger pointer
kernel void k(int n) { global int *p = (global int *)n; (void)p; }
//                                     ^ warning: cast to '__global int *' from smaller integer type 'int' [-Wint-to-pointer-cast]
//--- cast of a float to a structure pointer
struct s { int x; };
kernel void k(float f) { (global struct s *)f; }
//                                          ^ error: operand of type 'float' cannot be cast to a pointer type
//--- pointer in a condition is accepted
kernel void k(global int *p) { if (p) p[0] = 1; }
//--- structure in a condition
struct s { int x; };
kernel void k(struct s s) { if (s) { } }
//                              ^ error: statement requires expression of scalar type ('struct s' invalid)
//--- void in a condition
void f(void);
kernel void k(void) { while (f()) { } }
//                           ^ error: statement requires expression of scalar type ('void' invalid)
//--- correct: conversions
float f(float x) { return x; }
float4 g(float4 v) { return v; }
void h(global const void *p) { }
kernel void k(global int *p, double d, char c, uchar4 u, global float4 *q) {
  p[0] = f(c) + f(d) + 1.5; p[1] = true; c = p[0]; q[0] = g(2); q[1] = convert_float4(u) + convert_float4_rtz(u);
  u = convert_uchar4_sat_rte(q[2]); h(p); h(q); d = p[2]; bool b = p; p[3] = b; global void *v = q; q = v;
  int2 i = convert_int2(convert_long2_sat(convert_double2((float2)(1.0f)))); p[4] = i.x; ulong l = (ulong)p; (void)l;
}
