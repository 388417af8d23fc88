// Calls of built-in functions (OpenCL C, section 6.15).

//--- sin of a pointer
kernel void k(global float *p) { p[0] = sin(p); }
//                                      ^ error: no matching function for call to 'sin'
//--- sin without an argument
kernel void k(global float *p) { p[0] = sin(); }
//                                          ^ error: too few arguments to function call, expected 1, have 0
//--- sin with two arguments
kernel void k(global float *p) { p[0] = sin(1.0f, 2.0f); }
//                                                ^ error: too many arguments to function call, expected 1, have 2
//--- sin of a structure
struct s { int x; };
kernel void k(global float *p, struct s s) { p[0] = sin(s); }
//                                                  ^ error: no matching function for call to 'sin'
//--- sin of an integer is ambiguous
kernel void k(global float *p, int n) { p[0] = sin(n); }
//                                             ^ error: call to 'sin' is ambiguous
//--- correct: sin of an integer without other types | no:cl_khr_fp16 no:cl_khr_fp64 no:__opencl_c_fp64
kernel void k(global float *p, int n) { p[0] = sin(n); }
//--- sin of a vector of integers
kernel void k(global float4 *p, int4 n) { p[0] = sin(n); }
//                                               ^ error: no matching function for call to 'sin'
//--- max of different types
kernel void k(global float *p, int n) { p[0] = max(n, 1.0f); }
//                                             ^ error: call to 'max' is ambiguous
//--- max of signed and unsigned
kernel void k(global int *p, uint u) { p[0] = max(p[1], u); }
//                                            ^ error: call to 'max' is ambiguous
//--- min of vectors of different lengths
kernel void k(global float4 *p, float2 v) { p[0] = min(p[0], v); }
//                                                 ^ error: no matching function for call to 'min'
//--- clamp of an integer between floats
kernel void k(global int *p) { p[0] = clamp(p[1], 0.0f, 1.0f); }
//                                    ^ error: call to 'clamp' is ambiguous
//--- dot of long vectors
kernel void k(global float *p, float8 v) { p[0] = dot(v, v); }
//                                                ^ error: no matching function for call to 'dot'
//--- cross of vectors of two components
kernel void k(global float2 *p) { p[0] = cross(p[0], p[1]); }
//                                       ^ error: no matching function for call to 'cross'
//--- length of integers
kernel void k(global float *p, int4 v) { p[0] = length(v); }
//                                              ^ error: no matching function for call to 'length'
//--- fract with a pointer to another type | clang:accepts
kernel void k(global float *p) { int i; p[0] = fract(p[1], &i); }
//                                             ^ error: no matching function for call to 'fract'
//--- sincos without a pointer
kernel void k(global float *p) { p[0] = sincos(p[1], p[2]); }
//                                      ^ error: no matching function for call to 'sincos'
//--- frexp with a pointer to floats
kernel void k(global float *p) { p[0] = frexp(p[1], p + 2); }
//                                                  ^ warning: incompatible pointer types passing '__global float *' to parameter of type '__global int *' [-Wincompatible-pointer-types]
//--- vload of a vector pointer | clang:rejects
kernel void k(global float4 *p) { p[0] = vload4(0, p); }
//                                                 ^ warning: incompatible pointer types passing '__global float4 *__private' to parameter of type 'const __global float *' [-Wincompatible-pointer-types]
//--- vload of five
kernel void k(global float *p) { vload5(0, p); }
//                               ^ error: use of undeclared identifier 'vload5'; did you mean 'vload2'?
//--- vstore of another type
kernel void k(global float *p, int4 v) { vstore4(v, 0, p); }
//                                                     ^ warning: incompatible pointer types passing '__global float *__private' to parameter of type '__global int *' [-Wincompatible-pointer-types]
//--- vstore of another length
kernel void k(global float *p, float2 v) { vstore4(v, 0, p); }
//                                         ^ error: no matching function for call to 'vstore4'
//--- vstore to constant memory
kernel void k(constant float *p, float4 v) { vstore4(v, 0, p); }
//                                           ^ error: no matching function for call to 'vstore4'
//--- vload without an offset
kernel void k(global float *p, global float4 *q) { q[0] = vload4(p); }
//                                                                ^ error: too few arguments to function call, expected 2, have 1
//--- get_global_id without an argument
kernel void k(global int *p) { p[0] = get_global_id(); }
//                                                  ^ error: too few arguments to function call, expected 1, have 0
//--- get_global_id of a pointer
kernel void k(global int *p) { p[0] = get_global_id(p); }
//                                                  ^ warning: incompatible pointer to integer conversion passing '__global int *__private' to parameter of type 'unsigned int' [-Wint-conversion]
//--- get_work_dim with an argument
kernel void k(global int *p) { p[0] = get_work_dim(0); }
//                                                 ^ error: too many arguments to function call, expected 0, have 1
//--- barrier without flags
kernel void k(void) { barrier(); }
//                            ^ error: too few arguments to function call, expected 1, have 0
//--- barrier of a pointer
kernel void k(global int *p) { barrier(p); }
//                                     ^ warning: incompatible pointer to integer conversion passing '__global int *__private' to parameter of type 'unsigned int' [-Wint-conversion]
//--- barrier as a value
kernel void k(global int *p) { p[0] = barrier(CLK_LOCAL_MEM_FENCE); }
//                                  ^ error: assigning to '__global int' from incompatible type 'void'
//--- unknown flag
kernel void k(void) { barrier(CLK_SHARED_MEM_FENCE); }
//                            ^ error: use of undeclared identifier 'CLK_SHARED_MEM_FENCE'
//--- work_group_barrier before OpenCL C 2.0
kernel void k(void) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }
//                    ^ error: use of undeclared identifier 'work_group_barrier'
//--- atomic_add of floats
kernel void k(global float *p) { atomic_add(p, 1.0f); }
//                               ^ error: no matching function for call to 'atomic_add'
//--- atomic_add of a vector | clang:accepts
kernel void k(global int4 *p) { atomic_add(p, 1); }
//                              ^ error: no matching function for call to 'atomic_add'
//--- atomic_add of private memory
kernel void k(void) { int x = 1; atomic_add(&x, 1); }
//                               ^ error: no matching function for call to 'atomic_add'
//--- atomic_add of constant memory
kernel void k(constant int *p) { atomic_add(p, 1); }
//                               ^ error: no matching function for call to 'atomic_add'
//--- atomic_add without a pointer
kernel void k(int n) { atomic_add(n, 1); }
//                     ^ error: no matching function for call to 'atomic_add'
//--- atomic_cmpxchg with two arguments
kernel void k(global int *p) { atomic_cmpxchg(p, 1); }
//                                                ^ error: too few arguments to function call, expected 3, have 2
//--- atom_add without the extension is accepted | no:cl_khr_global_int32_base_atomics clang:rejects
kernel void k(global int *p) { atom_add(p, 1); }
//--- 64-bit atomics without the extension | no:cl_khr_int64_base_atomics
kernel void k(global long *p) { atom_add(p, 1L); }
//                              ^ error: no matching function for call to 'atom_add'
//--- atomic_load of a plain object | -cl-std=CL3.0 clang:rejects
kernel void k(global int *p) { p[0] = atomic_load(p); }
//                                                ^ warning: incompatible pointer types passing '__global int *__private' to parameter of type 'volatile __global _Atomic(int) *' [-Wincompatible-pointer-types]
//--- atomic_store with a missing value | -cl-std=CL3.0
kernel void k(global atomic_int *p) { atomic_store(p); }
//                                                  ^ error: too few arguments to function call, expected 2, have 1
//--- atomic_fetch_add before OpenCL C 2.0
kernel void k(global int *p) { atomic_fetch_add(p, 1); }
//                             ^ error: use of undeclared identifier 'atomic_fetch_add'
//--- operator on an atomic object | -cl-std=CL3.0
kernel void k(global atomic_int *p) { p[0] += 1; }
//                                         ^ error: object of type '__global atomic_int' (aka '__global _Atomic(int)') can only be accessed by atomic functions
//--- assignment to an atomic object | -cl-std=CL3.0
kernel void k(global atomic_int *p) { *p = 1; }
//                                       ^ error: object of type '__global atomic_int' (aka '__global _Atomic(int)') can only be accessed by atomic functions
//--- value of an atomic object | -cl-std=CL3.0
kernel void k(global atomic_int *p, global int *q) { *q = *p; }
//                                                        ^ error: object of type '__global atomic_int' (aka '__global _Atomic(int)') can only be accessed by atomic functions
//--- shuffle with a mask of another size
kernel void k(global float4 *p, ulong4 m) { p[0] = shuffle(p[1], m); }
//                                                 ^ error: no matching function for call to 'shuffle'
//--- select with a condition of another size
kernel void k(global float4 *p, long4 c) { p[0] = select(p[0], p[1], c); }
//                                                ^ error: no matching function for call to 'select'
//--- select with a condition of another length
kernel void k(global float4 *p, int2 c) { p[0] = select(p[0], p[1], c); }
//                                               ^ error: no matching function for call to 'select'
//--- bitselect of different types
kernel void k(global float4 *p, int4 c) { p[0] = bitselect(p[0], p[1], c); }
//                                               ^ error: no matching function for call to 'bitselect'
//--- any of floats
kernel void k(global int *p, float4 v) { p[0] = any(v); }
//                                              ^ error: no matching function for call to 'any'
//--- isnan of an integer
kernel void k(global int *p, int4 v) { p[0] = isnan(v).x; }
//                                            ^ error: no matching function for call to 'isnan'
//--- mad24 of floats
kernel void k(global float *p) { p[0] = mad24(p[0], p[1], p[2]); }
//                                      ^ error: call to 'mad24' is ambiguous
//--- mul_hi of floats
kernel void k(global float *p) { p[0] = mul_hi(p[0], p[1]); }
//                                      ^ error: call to 'mul_hi' is ambiguous
//--- popcount of a float
kernel void k(global float *p) { p[0] = popcount(p[1]); }
//                                      ^ error: call to 'popcount' is ambiguous
//--- upsample of the same signs is accepted
kernel void k(global short *p, char a, char b) { p[0] = upsample(a, b); }
//--- rotate by a scalar is accepted
kernel void k(global int4 *p, int n) { p[0] = rotate(p[0], n); }
//--- native_sin of doubles is accepted
kernel void k(global double *p) { p[0] = native_sin(p[0]); }
//--- async copy without an event
kernel void k(global float *p, local float *l) { event_t e = async_work_group_copy(l, p, 16); }
//                                                                                         ^ error: too few arguments to function call, expected 4, have 3
//--- async copy between global pointers
kernel void k(global float *p, global float *q) { async_work_group_copy(p, q, 16, 0); }
//                                                ^ error: no matching function for call to 'async_work_group_copy'
//--- async copy of different types | clang:rejects
kernel void k(global float *p, local int *l) { async_work_group_copy(l, p, 16, 0); }
//                                                                      ^ warning: incompatible pointer types passing '__global float *__private' to parameter of type 'const __global int *' [-Wincompatible-pointer-types]
//--- wait_group_events of no events | clang:rejects
kernel void k(global int *p) { wait_group_events(1, p); }
//                                                  ^ warning: incompatible pointer types passing '__global int *__private' to parameter of type '__global event_t *' [-Wincompatible-pointer-types]
//--- prefetch of local memory
kernel void k(local int *p) { prefetch(p, 1); }
//                            ^ error: no matching function for call to 'prefetch'
//--- sub-groups before the extension | no:cl_khr_subgroups no:__opencl_c_subgroups
kernel void k(global int *p) { p[0] = get_sub_group_local_id(); }
//                                    ^ error: use of undeclared identifier 'get_sub_group_local_id'
//--- work_group_reduce_add of vectors | -cl-std=CL3.0
kernel void k(global int4 *p) { p[0] = work_group_reduce_add(p[0]); }
//                                     ^ error: no matching function for call to 'work_group_reduce_add'
//--- built-in function that is redefined with other parameters is accepted
float fma(float a) { return a; }
kernel void k(global float *p) { p[0] = fma(1.0f); }
//--- address of a built-in function
kernel void k(global float *p) { p[0] = (float)(size_t)&sin; }
//                                                      ^ error: reference to overloaded function could not be resolved; did you mean to call it?
//--- built-in function as a value
kernel void k(global float *p) { float f = sin; }
//                                         ^ error: reference to overloaded function could not be resolved; did you mean to call it?
//--- function of the host
kernel void k(global float *p) { p[0] = malloc(4); }
//                                      ^ error: use of undeclared identifier 'malloc'
//--- function of C
kernel void k(global float *p) { p[0] = sinf(1.0f); }
//                                      ^ error: use of undeclared identifier 'sinf'; did you mean 'sin'?
//--- function of CUDA
kernel void k(global int *p) { __syncthreads(); }
//                             ^ error: use of undeclared identifier '__syncthreads'
//--- variable of CUDA
kernel void k(global int *p) { p[threadIdx.x] = 1; }
//                               ^ error: use of undeclared identifier 'threadIdx'
//--- double built-in function without support | no:cl_khr_fp64 no:__opencl_c_fp64
kernel void k(global float *p) { p[0] = sin(1.0); }
//                                          ^ warning: double precision constant requires cl_khr_fp64, casting to single precision
//--- correct: built-in functions
kernel void k(global float *p, global int *i, global uint *u, local float *l, global float4 *v, constant float *c) {
  size_t id = get_global_id(0) + get_local_id(1) * get_num_groups(2); float whole; int e;
  p[id] = sin(p[1]) + fma(p[0], p[1], p[2]) + max(p[0], 1.0f) + clamp(p[0], 0.0f, 1.0f) + fract(p[1], &whole);
  p[1] = frexp(p[2], &e) + ldexp(p[1], e) + native_sin(p[0]) + half_exp(p[0]) + dot(v[0], v[1]) + length(v[0]);
  i[0] = mad24(i[0], i[1], i[2]) + mul_hi(i[0], i[1]) + popcount(i[0]) + abs_diff(i[0], i[1]) + any(i[0]) + isnan(p[0]);
  i[1] = atomic_add(i, 1) + atomic_inc(u) + atomic_cmpxchg(i, 1, 2); atomic_xchg(p, 1.0f);
  v[0] = vload4(0, p) + vload4(1, c) + max(v[0], 1.0f) + mix(v[0], v[1], 0.5f) + select(v[0], v[1], (int4)(1));
  vstore4(v[0], 1, l); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_LOCAL_MEM_FENCE);
  event_t event = async_work_group_copy(l, p, 16, 0); wait_group_events(1, &event); prefetch(p, 16);
  v[1] = shuffle(v[0], (uint4)(3, 2, 1, 0)) + cross(v[0], v[1]) + as_float4(rotate(as_int4(v[0]), (int4)(2)));
}
