// Types and their restrictions (OpenCL C, sections 6.3 and 6.11).

//--- double without support | no:cl_khr_fp64 no:__opencl_c_fp64
kernel void k(global double *p) { }
//                   ^ error: use of type 'double' requires cl_khr_fp64 support
//--- vector of doubles without support | no:cl_khr_fp64 no:__opencl_c_fp64
kernel void k(global float *p) { double4 x; }
//                               ^ error: use of undeclared identifier 'double4'
//--- double variable without support | no:cl_khr_fp64 no:__opencl_c_fp64
kernel void k(void) { double x; }
//                    ^ error: use of type 'double' requires cl_khr_fp64 support
//--- half variable without support | no:cl_khr_fp16
kernel void k(void) { half x; }
//                         ^ error: declaring variable of type '__private half' is not allowed
//--- half parameter without support | no:cl_khr_fp16
float f(half x) { return 1.0f; }
//           ^ error: declaring function parameter of type '__private half' is not allowed; did you forget * ?
//--- half result without support | no:cl_khr_fp16
half f(void);
//   ^ error: declaring function return value of type 'half' is not allowed ; did you forget * ?
//--- half arithmetic without support | no:cl_khr_fp16
kernel void k(global half *p) { float x = p[0] + 1.0f; (void)x; }
//                                        ^ error: loading directly from pointer to type '__global half' requires cl_khr_fp16; use vload_half
//--- half value without support | no:cl_khr_fp16
kernel void k(global half *p) { p[0] = p[1]; }
//                                   ^ error: assigning directly to pointer to type 'half' requires cl_khr_fp16; use vstore_half
//--- half cast without support | no:cl_khr_fp16
kernel void k(global float *p) { p[0] = (half)1.0f; }
//                                            ^ error: casting to type 'half' is not allowed
//--- correct: pointers to half without support | no:cl_khr_fp16
kernel void k(global half *p, global float *q) { q[0] = vload_half(0, p); vstore_half(q[1], 1, p); }
//--- long double | clang:accepts
kernel void k(void) { long double x; }
//                         ^ error: 'long double' is a reserved type in OpenCL
//--- complex numbers | clang:accepts
kernel void k(void) { float _Complex x; }
//                          ^ error: complex numbers are not supported in OpenCL
//--- imaginary numbers
kernel void k(void) { float _Imaginary x; }
//                                    ^ error: expected ';' at end of declaration
//--- quad
kernel void k(void) { quad x; }
//                    ^ error: use of undeclared identifier 'quad'
//--- vector of five lanes
kernel void k(void) { float5 x; }
//                    ^ error: use of undeclared identifier 'float5'
//--- vector of bools
kernel void k(void) { bool4 x; }
//                    ^ error: use of undeclared identifier 'bool4'
//--- size_t vector
kernel void k(void) { size_t2 x; }
//                    ^ error: use of undeclared identifier 'size_t2'
//--- three-component vector in OpenCL C 1.0 is accepted as by clang | -cl-std=CL1.0
kernel void k(void) { float3 x; }
//--- atomic type of a vector | -cl-std=CL2.0
kernel void k(void) { _Atomic(float4) x; }
//                    ^ error: _Atomic cannot be applied to type 'float4' (vector of 4 'float' values)
//--- atomic type of a structure | -cl-std=CL2.0
struct s { int x; };
kernel void k(void) { _Atomic(struct s) x; }
//                    ^ error: _Atomic cannot be applied to type 'struct s'
//--- type name where an expression is needed
kernel void k(global int *p) { *p = int; }
//                                  ^ error: expected expression
//--- expression where a type is needed
kernel void k(global int *p) { *p = sizeof(int 1); }
//                                             ^ error: expected ')'
//--- sizeof of void
kernel void k(global int *p) { *p = sizeof(void); }
//                                  ^ error: invalid application of 'sizeof' to a void type
//--- sizeof of an incomplete type
struct t;
kernel void k(global int *p) { *p = sizeof(struct t); }
//                                  ^ error: invalid application of 'sizeof' to an incomplete type 'struct t'
//--- sizeof of a bit-field
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { int a : 3; };
kernel void k(global int *p, global struct s *s) { *p = sizeof(s->a); }
//                                                            ^ error: invalid application of 'sizeof' to bit-field
//--- sizeof of a function
void f(void);
kernel void k(global int *p) { *p = sizeof(f); }
//                                         ^ error: taking address of function is not allowed
//--- vec_step of a structure
struct s { int x; };
kernel void k(global int *p) { *p = vec_step(struct s); }
//                                  ^ error: 'vec_step' requires built-in scalar or vector type, 'struct s' invalid
//--- cast to a structure
struct s { int x; };
kernel void k(void) { struct s x = (struct s)1; }
//                                 ^ error: used type 'struct s' where arithmetic or pointer type is required
//--- cast of a structure
struct s { int x; };
kernel void k(global int *p, struct s x) { *p = (int)x; }
//                                                   ^ error: operand of type 'struct s' where arithmetic or pointer type is required
//--- cast of a pointer to float
kernel void k(global float *p) { p[0] = (float)p; }
//                                             ^ error: pointer cannot be cast to type 'float'
//--- cast of float to a pointer
kernel void k(float f) { global int *p = (global int *)f; }
//                                                     ^ error: operand of type 'float' cannot be cast to a pointer type
//--- cast of a vector to a scalar
kernel void k(global float *p, float4 v) { *p = (float)v; }
//                                              ^ error: invalid conversion between vector type 'float4' (vector of 4 'float' values) and scalar type 'float'
//--- cast between vectors
kernel void k(global float4 *p, int4 v) { *p = (float4)v; }
//                                             ^ error: invalid conversion between ext-vector type 'float4' (vector of 4 'float' values) and 'int4' (vector of 4 'int' values)
//--- cast between vectors of different sizes
kernel void k(global float4 *p, float2 v) { *p = (float4)v; }
//                                               ^ error: invalid conversion between ext-vector type 'float4' (vector of 4 'float' values) and 'float2' (vector of 2 'float' values)
//--- cast to an array
kernel void k(void) { (int[3])1; }
//                    ^ error: used type 'int[3]' where arithmetic or pointer type is required
//--- cast to a function
kernel void k(void) { (void(void))1; }
//                    ^ error: used type 'void (void)' where arithmetic or pointer type is required
//--- cast from void
void f(void);
kernel void k(global int *p) { *p = (int)f(); }
//                                       ^ error: operand of type 'void' where arithmetic or pointer type is required
//--- as_type of another size
kernel void k(global float *p, float4 v) { *p = as_float(v); }
//                                              ^ error: invalid reinterpretation: sizes of 'float' and '__private float4' (vector of 4 'float' values) must match
//--- as_type of a scalar to a vector of another size
kernel void k(global int *p) { uchar8 v = as_uchar8(1); (void)v; }
//                                        ^ error: invalid reinterpretation: sizes of 'uchar8' (vector of 8 'uchar' values) and 'int' must match
//--- as_type of a pointer
kernel void k(global int *p) { *p = as_int(p); }
//                                  ^ error: invalid reinterpretation: sizes of 'int' and '__global int *__private' must match
//--- as_type without arguments
kernel void k(global int *p) { *p = as_int(); }
//                                         ^ error: too few arguments to function call, expected 1, have 0
//--- as_type of a structure | clang:accepts
struct s { int x; };
kernel void k(global int *p, struct s s) { *p = as_int(s); }
//                                              ^ error: invalid reinterpretation: sizes of 'int' and '__private struct s' must match
//--- correct: as_type between three and four components
kernel void k(global float4 *p, float3 v) { *p = as_float4(v); }
//--- correct: types of the specification
kernel void k(global ulong *p, char c, uchar2 uc, short3 s, ushort4 us, int8 i, uint16 ui, long2 l, ulong4 ul,
              float8 f, double16 d) {
  size_t size = sizeof(d); ptrdiff_t diff = -1; intptr_t i1 = 0; uintptr_t u1 = 0; bool b = true;
  p[0] = size + diff + i1 + u1 + b + c + uc.x + s.y + us.z + i.s7 + ui.sf + l.x + ul.w + (ulong)f.s7 + vec_step(d);
}
//--- correct: casts
struct s { int x; };
kernel void k(global int *p, float f, uint4 u, global struct s *s) {
  p[0] = (int)f + (char)300 + (int)(ulong)p; u = (uint4)1; u += (uint4)(1, 2, 3, 4);
  global float *q = (global float *)p; q[1] = (float)u.x; (void)q; *(struct s *)(private struct s *)0 = *s;
}
//--- correct: vectors with attributes
typedef float v4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((vector_size(16)));
kernel void k(global v4 *p, global float4 *q) { p[0] = q[0]; }
