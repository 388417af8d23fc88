// Language versions, and extensions and features that are not enabled (OpenCL C, section 6.2.1).

//--- generic pointers are private ones in OpenCL C 1.2
void f(int *p) { }
kernel void k(global int *p) { f(p); }
//                               ^ error: passing '__global int *__private' to parameter of type '__private int *' changes address space of pointer
//--- generic pointers in OpenCL C 2.0 are accepted | -cl-std=CL2.0
void f(int *p) { }
kernel void k(global int *p) { f(p); }
//--- variables of the unit in OpenCL C 1.2
global int x;
//         ^ error: program scope variable must reside in constant address space
//--- variables of the unit without the feature | -cl-std=CL3.0 no:__opencl_c_program_scope_global_variables
global int x;
//         ^ error: program scope variable must reside in constant address space
//--- variables of the unit in OpenCL C 3.0 are accepted | -cl-std=CL3.0
global int x;
//--- static variables without the feature | -cl-std=CL3.0 no:__opencl_c_program_scope_global_variables
kernel void k(void) { static int x; }
//                               ^ error: static local variable must reside in constant address space
//--- pipe as a name in OpenCL C 1.2 is accepted
kernel void k(global int *p) { int pipe = 1; p[0] = pipe; }
//--- pipe as a name in OpenCL C 3.0 | -cl-std=CL3.0
kernel void k(global int *p) { int pipe = 1; p[0] = pipe; }
//                                      ^ error: expected identifier or '('
//                                                  ^ error: expected expression
//--- generic as a name is accepted | clang:rejects
kernel void k(global int *p) { int generic = 1; p[0] = generic; }
//--- atomic types before OpenCL C 2.0
kernel void k(global atomic_int *p) { }
//                   ^ error: unknown type name 'atomic_int'
//--- 64-bit atomic types without the extension | -cl-std=CL3.0 no:cl_khr_int64_base_atomics
kernel void k(global atomic_long *p) { }
//                   ^ error: unknown type name 'atomic_long'
//--- memory_order before OpenCL C 2.0
kernel void k(void) { memory_order o = memory_order_relaxed; }
//                    ^ error: use of undeclared identifier 'memory_order'
//--- queue before OpenCL C 2.0
kernel void k(queue_t q) { }
//            ^ error: unknown type name 'queue_t'
//--- queue without the feature | -cl-std=CL3.0 no:__opencl_c_device_enqueue
kernel void k(queue_t q) { }
//            ^ error: unknown type name 'queue_t'
//--- reservation before OpenCL C 2.0
kernel void k(void) { reserve_id_t r; }
//                    ^ error: use of undeclared identifier 'reserve_id_t'
//--- to_global before OpenCL C 2.0
kernel void k(global int *p) { global int *q = to_global(p); }
//                                             ^ error: use of undeclared identifier 'to_global'
//--- work_group functions without the feature | -cl-std=CL3.0 no:__opencl_c_work_group_collective_functions
kernel void k(global int *p) { p[0] = work_group_all(p[0]); }
//                                    ^ error: use of undeclared identifier 'work_group_all'
//--- seq_cst atomics without the feature is accepted | -cl-std=CL3.0 no:__opencl_c_atomic_order_seq_cst clang:rejects
kernel void k(global atomic_int *p) { atomic_store(p, 1); }
//--- images without support is accepted | no-images
kernel void k(read_only image2d_t i) { }
//--- half without the pragma is accepted if the device has it | clang:rejects
kernel void k(global half *p) { p[0] = p[1] + 1.0h; }
//--- double without the pragma is accepted if the device has it
kernel void k(global double *p) { p[0] = p[1] + 1.0; }
//--- version in a macro is accepted
#if __OPENCL_C_VERSION__ >= 200
#error too new
#endif
//--- version in a macro, OpenCL C 2.0 | -cl-std=CL2.0
#if __OPENCL_C_VERSION__ >= 200
#error too new
//@2 error: too new
#endif
//--- feature macro of OpenCL C 3.0 | -cl-std=CL3.0
#ifdef __opencl_c_pipes
#error pipes
//@2 error: pipes
#endif
//--- 3D image writes are a feature | -cl-std=CL3.0 no:__opencl_c_3d_image_writes no:cl_khr_3d_image_writes
kernel void k(write_only image3d_t i) { write_imagef(i, (int4)(0), (float4)(0)); }
//            ^ error: use of type '__write_only image3d_t' requires cl_khr_3d_image_writes and __opencl_c_3d_image_writes support
//--- program scope blocks before OpenCL C 2.0
constant int (^b)(int) = ^(int x) { return x; };
//            ^ error: blocks support disabled - they require OpenCL C 2.0, or OpenCL C 3.0 with __opencl_c_device_enqueue
//                       ^ error: blocks support disabled - they require OpenCL C 2.0, or OpenCL C 3.0 with __opencl_c_device_enqueue
//--- sub-group functions without the feature | -cl-std=CL3.0 no:__opencl_c_subgroups no:cl_khr_subgroups
kernel void k(global int *p) { p[0] = sub_group_reduce_add(p[0]); }
//                                    ^ error: use of undeclared identifier 'sub_group_reduce_add'
//--- correct: OpenCL C 1.0 | -cl-std=CL1.0
kernel void k(global float4 *p, constant float *c) { p[get_global_id(0)] *= c[0]; barrier(CLK_GLOBAL_MEM_FENCE); }
//--- correct: OpenCL C 1.1 | -cl-std=CL1.1
kernel void k(global float3 *p) { p[get_global_offset(0)] = (float3)(1.0f); }
//--- correct: OpenCL C 2.0 | -cl-std=CL2.0
global int counter;
kernel void k(global atomic_int *p, global int *q) {
  static int n; n++; atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device);
  atomic_store(p, work_group_reduce_add(q[0])); work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  int *g = q; q[1] = *g + atomic_load(p) + counter + get_global_linear_id();
}
