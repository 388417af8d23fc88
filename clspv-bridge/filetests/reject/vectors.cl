// Vectors: literals, components, operators (OpenCL C, sections 6.3.7 and 6.4.6).

//--- component that a vector does not have
kernel void k(global float *p, float2 v) { *p = v.z; }
//                                               ^ error: vector component access exceeds type '__private float2' (vector of 2 'float' values)
//--- numbered component that a vector does not have
kernel void k(global float *p, float4 v) { *p = v.s4; }
//                                               ^ error: vector component access exceeds type '__private float4' (vector of 4 'float' values)
//--- numbered component above f
kernel void k(global float *p, float16 v) { *p = v.sg; }
//                                                  ^ error: illegal vector component name 'g'
//--- component name that does not exist
kernel void k(global float *p, float4 v) { *p = v.q; }
//                                                ^ error: illegal vector component name 'q'
//--- mixed component names
kernel void k(global float2 *p, float4 v) { *p = v.xs1; }
//                                                  ^ error: illegal vector component name 's'
//--- rgba before OpenCL C 3.0
kernel void k(global float2 *p, float4 v) { *p = v.rg; }
//                                                ^ warning: vector component name 'r' is a feature from OpenCL version 3.0 onwards [-Wopencl-unsupported-rgba]
//--- mixed rgba and xyzw | -cl-std=CL3.0
kernel void k(global float2 *p, float4 v) { *p = v.rx; }
//                                                  ^ error: illegal vector component name 'x'
//--- components of a scalar
kernel void k(global float *p, float v) { *p = v.x; }
//                                              ^ error: member reference base type '__private float' is not a structure or union
//--- five components
kernel void k(global float8 *p, float4 v) { *p = v.xyzwx; }
//                                                ^ error: vector component access has invalid length 5; supported lengths are: 1,2,3,4,8,16
//--- seventeen components
kernel void k(global float16 *p, float4 v) { *p = v.s01230123012301230; }
//                                                 ^ error: vector component access has invalid length 17; supported lengths are: 1,2,3,4,8,16
//--- hi of a scalar
kernel void k(global float *p, float v) { *p = v.hi; }
//                                              ^ error: member reference base type '__private float' is not a structure or union
//--- component twice in an assignment
kernel void k(float4 v, global float4 *p) { v.xx = (float2)(1.0f); *p = v; }
//                                               ^ error: vector is not assignable (contains duplicate components)
//--- value of the wrong length assigned to components
kernel void k(float4 v, global float4 *p) { v.xy = v.xyz; *p = v; }
//                                               ^ error: assigning to '__private float2' (vector of 2 'float' values) from incompatible type '__private float3' (vector of 3 'float' values)
//--- address of a component
kernel void k(float4 v) { float *p = &v.x; }
//                                   ^ error: address of vector element requested
//--- address of components
kernel void k(float4 v) { float2 *p = &v.xy; }
//                                    ^ error: address of vector element requested
//--- arrow on a vector
kernel void k(global float4 *p) { p[0]->x = 1.0f; }
//                                    ^ error: member reference type 'float4' (vector of 4 'float' values) is not a pointer; did you mean to use '.'?
//--- point on a pointer to a vector
kernel void k(global float4 *p) { p.x = 1.0f; }
//                                 ^ error: member reference base type '__global float4 *__private' is not a structure or union
//--- components of a value that is not an lvalue
kernel void k(float4 v) { (v + v).x = 1.0f; }
//                                  ^ error: expression is not assignable
//--- literal with too few values
kernel void k(global float4 *p) { *p = (float4)(1.0f, 2.0f); }
//                                             ^ error: too few elements in vector initialization (expected 4 elements, have 2)
//--- literal with too many values
kernel void k(global float4 *p) { *p = (float4)(1.0f, 2.0f, 3.0f, 4.0f, 5.0f); }
//                                             ^ error: too many elements in vector initialization (expected 4 elements, have 5)
//--- literal with a vector that does not fit
kernel void k(global float4 *p, float3 v) { *p = (float4)(v, v); }
//                                                       ^ error: too many elements in vector initialization (expected 4 elements, have 6)
//--- literal with a pointer
kernel void k(global float4 *p) { *p = (float4)(1.0f, p, 1.0f, 1.0f); }
//                                                    ^ error: initializing 'float' with an expression of incompatible type '__global float4 *__private'
//--- literal with a structure
struct s { int x; };
kernel void k(global float2 *p, struct s s) { *p = (float2)(s, 1.0f); }
//                                                          ^ error: initializing 'float' with an expression of incompatible type '__private struct s'
//--- vector to a vector of another type
kernel void k(global float4 *p, int4 v) { *p = v; }
//                                           ^ error: assigning to '__global float4' (vector of 4 'float' values) from incompatible type '__private int4' (vector of 4 'int' values)
//--- vector to a vector of another length
kernel void k(global float4 *p, float2 v) { *p = v; }
//                                             ^ error: assigning to '__global float4' (vector of 4 'float' values) from incompatible type '__private float2' (vector of 2 'float' values)
//--- vector to a scalar
kernel void k(global float *p, float4 v) { *p = v; }
//                                            ^ error: assigning to '__global float' from incompatible type '__private float4' (vector of 4 'float' values)
//--- sum of different vectors
kernel void k(global float4 *p, int4 i) { p[0] = p[1] + i; }
//                                                    ^ error: implicit conversions between vector types ('float4' (vector of 4 'float' values) and 'int4' (vector of 4 'int' values)) are not permitted
//--- sum of vectors of different lengths
kernel void k(global float4 *p, float2 v) { p[0] = p[1] + v; }
//                                                      ^ error: implicit conversions between vector types ('float4' (vector of 4 'float' values) and 'float2' (vector of 2 'float' values)) are not permitted
//--- wide scalar and vector
kernel void k(global float4 *p, double d) { p[0] = p[1] + d; }
//                                                      ^ error: scalar operand type has greater rank than the type of the vector element. ('float4' (vector of 4 'float' values) and 'double')
//--- wide integer and vector
kernel void k(global char4 *p, int i) { p[0] = p[1] + i; }
//                                                  ^ error: scalar operand type has greater rank than the type of the vector element. ('char4' (vector of 4 'char' values) and 'int')
//--- vector and pointer
kernel void k(global float4 *p) { p[0] = p[1] + p; }
//                                            ^ error: invalid operands to binary expression ('__global float4' (vector of 4 'float' values) and '__global float4 *__private')
//--- comparison of vectors as a condition
kernel void k(global int *p, float4 a, float4 b) { if (a == b) *p = 1; }
//                                                     ^ error: statement requires expression of scalar type ('int4' (vector of 4 'int' values) invalid)
//--- vector as a condition
kernel void k(global int *p, int4 a) { while (a) *p = 1; }
//                                            ^ error: statement requires expression of scalar type ('int4' (vector of 4 'int' values) invalid)
//--- comparison of vectors as an integer
kernel void k(global int *p, float4 a, float4 b) { *p = a < b; }
//                                                    ^ error: assigning to '__global int' from incompatible type 'int4' (vector of 4 'int' values)
//--- comparison of vectors as another vector
kernel void k(global uint4 *p, float4 a, float4 b) { *p = a < b; }
//                                                      ^ error: assigning to '__global uint4' (vector of 4 'uint' values) from incompatible type 'int4' (vector of 4 'int' values)
//--- logical operator on different vectors
kernel void k(global int4 *p, int4 a, int2 b) { *p = a && b; }
//                                                     ^ error: implicit conversions between vector types ('int4' (vector of 4 'int' values) and 'int2' (vector of 2 'int' values)) are not permitted
//--- conditional with a vector of floats as the condition
kernel void k(global float4 *p, float4 a) { *p = a ? a : a; }
//                                                 ^ error: used type 'float4' (vector of 4 'float' values) where floating point type is not allowed
//--- conditional whose lanes have another size
kernel void k(global float4 *p, long4 c, float4 a) { *p = c ? a : a; }
//                                                          ^ error: vector condition type 'long4' (vector of 4 'long' values) and result type 'float4' (vector of 4 'float' values) do not have elements of the same size
//--- conditional of another length
kernel void k(global float4 *p, int2 c, float4 a) { *p = c ? a : a; }
//                                                         ^ error: vector condition type 'int2' (vector of 2 'int' values) and result type 'float4' (vector of 4 'float' values) do not have the same number of elements
//--- conditional with different vectors
kernel void k(global float4 *p, int c, float4 a, int4 b) { *p = c ? a : b; }
//                                                                ^ error: implicit conversions between vector types ('float4' (vector of 4 'float' values) and 'int4' (vector of 4 'int' values)) are not permitted
//--- remainder of floats
kernel void k(global float4 *p) { p[0] = p[1] % p[2]; }
//                                            ^ error: invalid operands to binary expression ('__global float4' (vector of 4 'float' values) and '__global float4')
//--- shift of floats
kernel void k(global float4 *p) { p[0] = p[1] << 1; }
//                                            ^ error: used type 'float4' (vector of 4 'float' values) where integer is required
//--- shift by a vector of another length
kernel void k(global int4 *p, int2 v) { p[0] = p[1] << v; }
//                                                  ^ error: vector operands do not have the same number of elements ('int4' (vector of 4 'int' values) and 'int2' (vector of 2 'int' values))
//--- scalar shifted by a vector
kernel void k(global int *p, int4 v) { p[0] = p[1] << v; }
//                                                 ^ error: requested shift is a vector of type '__private int4' (vector of 4 'int' values) but the first operand is not a vector ('__global int')
//--- complement of floats
kernel void k(global float4 *p) { p[0] = ~p[1]; }
//                                       ^ error: invalid argument type 'float4' (vector of 4 'float' values) to unary expression
//--- increment of components
kernel void k(global float4 *p) { p[0].xx++; }
//                                       ^ error: cannot increment value of type 'float2' (vector of 2 'float' values)
//--- subscript of a vector that is constant and too large is accepted as by clang
kernel void k(global float *p, float4 v) { *p = v[5]; }
//--- subscript of a vector that is not an integer
kernel void k(global float *p, float4 v) { *p = v[1.0f]; }
//                                               ^ error: array subscript is not an integer
//--- switch on a vector
kernel void k(int4 v) { switch (v) { } }
//                              ^ error: statement requires expression of integer type ('int4' (vector of 4 'int' values) invalid)
//--- vector as a subscript
kernel void k(global float *p, int4 v) { *p = p[v]; }
//                                             ^ error: array subscript is not an integer
//--- assignment operator that narrows
kernel void k(global char4 *p, int4 v) { p[0] += v; }
//                                            ^ error: implicit conversions between vector types ('char4' (vector of 4 'char' values) and 'int4' (vector of 4 'int' values)) are not permitted
//--- function call on a component list
kernel void k(float4 v) { v.xyz(); }
//                             ^ error: called object type 'float3' (vector of 3 'float' values) is not a function or function pointer
//--- vector attribute of zero lanes
typedef float v0 __attribute__((ext_vector_type(0)));
//                              ^ error: zero vector size
//--- vector attribute of bool
typedef bool v4 __attribute__((ext_vector_type(4)));
//                             ^ error: invalid vector element type 'bool'
//--- vector attribute of a pointer
typedef int *v4 __attribute__((ext_vector_type(4)));
//                             ^ error: invalid vector element type '__private int *'
//--- vector attribute that is not constant
kernel void k(int n) { typedef float v __attribute__((ext_vector_type(n))); }
//                                                                    ^ error: 'ext_vector_type' attribute requires parameter 0 to be an integer constant
//--- correct: components
kernel void k(global float4 *p, float8 v, int4 i) {
  float4 x = v.lo, y = v.even; x.xy = y.wz; x.s23 = v.s67; x.hi.x = 1.0f; y.odd = x.xy; x.wzyx = y;
  p[0] = x * y + 2.0f - (float4)(1.0f); p[1] = (x < y) ? x : y; p[2] = i ? x : y; p[3] = -x; i = !i; i = ~i << 2;
  p[4] = (float4)(v.hi.xyz, 1); p[5].x = x[2]; i = x == y && i; p[6] = (float4)(1); p[0] += 1; i++;
  float3 three = x.xyz; three.z = 1.0f; p[7].xyz = three; i.even <<= 1; p[8] = i.x ? x : y; p[9].s0 = v.s7;
}
//--- correct: names of colors | -cl-std=CL3.0
kernel void k(global float4 *p, float4 v) { p[0].rgb = v.bgr; p[1].a = v.r; }
