// Images, samplers, events and pipes (OpenCL C, sections 6.3.3, 6.7.5, 6.15.15 and 6.15.17).

//--- image variable
kernel void k(void) { image2d_t i; }
//                              ^ error: type '__private __read_only image2d_t' can only be used as a function parameter in OpenCL
//--- image of the unit
image2d_t i;
//        ^ error: type '__private __read_only image2d_t' can only be used as a function parameter in OpenCL
//--- image member
struct s { image2d_t i; };
//                   ^ error: the '__read_only image2d_t' type cannot be used to declare a structure or union field
//--- array of images
kernel void k(image2d_t i[2]) { }
//                       ^ error: array of '__read_only image2d_t' type is invalid in OpenCL
//--- pointer to an image
kernel void k(image2d_t *i) { }
//                      ^ error: pointer to type '__read_only image2d_t' is invalid in OpenCL
//--- result that is an image
image2d_t f(void);
//        ^ error: declaring function return value of type '__read_only image2d_t' is not allowed
//--- image in global memory
kernel void k(global image2d_t i) { }
//                             ^ error: parameter may not be qualified with an address space
//--- image that is assigned
kernel void k(read_only image2d_t a, read_only image2d_t b) { a = b; }
//                                                              ^ error: invalid operands to binary expression ('__private __read_only image2d_t' and '__private __read_only image2d_t')
//--- sum of images
kernel void k(read_only image2d_t a) { a + 1; }
//                                       ^ error: invalid operands to binary expression ('__private __read_only image2d_t' and 'int')
//--- image as a condition
kernel void k(read_only image2d_t a) { if (a) { } }
//                                         ^ error: statement requires expression of scalar type ('__read_only image2d_t' invalid)
//--- image as a number
kernel void k(read_only image2d_t a, global int *p) { p[0] = a; }
//                                                         ^ error: invalid operands to binary expression ('__global int' and '__private __read_only image2d_t')
//--- cast of an image
kernel void k(read_only image2d_t a, global int *p) { p[0] = (int)a; }
//                                                                ^ error: operand of type '__read_only image2d_t' where arithmetic or pointer type is required
//--- member of an image
kernel void k(read_only image2d_t a, global int *p) { p[0] = a.width; }
//                                                            ^ error: member reference base type '__private __read_only image2d_t' is not a structure or union
//--- address of an image
kernel void k(read_only image2d_t a) { &a; }
//                                     ^ error: invalid argument type '__private __read_only image2d_t' to unary expression
//--- sizeof of an image is accepted as by clang
kernel void k(read_only image2d_t a, global int *p) { p[0] = sizeof(a); }
//--- two access qualifiers
kernel void k(read_only write_only image2d_t a) { }
//                      ^ error: multiple access qualifiers
//--- access qualifier on a pointer
kernel void k(read_only global int *p) { }
//            ^ error: access qualifier can only be used for pipe and image type
//--- access qualifier on a number
kernel void k(write_only int n) { }
//            ^ error: access qualifier can only be used for pipe and image type
//--- read_write before OpenCL C 2.0
kernel void k(read_write image2d_t a) { }
//            ^ error: access qualifier 'read_write' cannot be used for '__read_write image2d_t' prior to OpenCL C version 2.0 or in version 3.0 and without __opencl_c_read_write_images feature
//--- read_write without the feature | -cl-std=CL3.0 no:__opencl_c_read_write_images
kernel void k(read_write image2d_t a) { }
//            ^ error: access qualifier 'read_write' cannot be used for '__read_write image2d_t' prior to OpenCL C version 2.0 or in version 3.0 and without __opencl_c_read_write_images feature
//--- write to a read-only image
kernel void k(read_only image2d_t a) { write_imagef(a, (int2)(0), (float4)(0)); }
//                                     ^ error: no matching function for call to 'write_imagef'
//--- read from a write-only image
kernel void k(write_only image2d_t a, global float4 *p) { p[0] = read_imagef(a, (int2)(0)); }
//                                                               ^ error: no matching function for call to 'read_imagef'
//--- images without a qualifier are read-only
kernel void k(image2d_t a) { write_imagef(a, (int2)(0), (float4)(0)); }
//                           ^ error: no matching function for call to 'write_imagef'
//--- read-only image for a write-only parameter
void f(write_only image2d_t a) { }
kernel void k(read_only image2d_t a) { f(a); }
//                                       ^ error: passing '__private __read_only image2d_t' to parameter of incompatible type '__write_only image2d_t'
//--- image of another dimension
void f(read_only image3d_t a) { }
kernel void k(read_only image2d_t a) { f(a); }
//                                       ^ error: passing '__private __read_only image2d_t' to parameter of incompatible type '__read_only image3d_t'
//--- coordinates of the wrong length
kernel void k(read_only image2d_t a, sampler_t s, global float4 *p) { p[0] = read_imagef(a, s, (float4)(0)); }
//                                                                           ^ error: no matching function for call to 'read_imagef'
//--- coordinates of a 3D image of the wrong length
kernel void k(read_only image3d_t a, sampler_t s, global float4 *p) { p[0] = read_imagef(a, s, (float2)(0)); }
//                                                                           ^ error: no matching function for call to 'read_imagef'
//--- float coordinates without a sampler
kernel void k(read_only image2d_t a, global float4 *p) { p[0] = read_imagef(a, (float2)(0)); }
//                                                              ^ error: no matching function for call to 'read_imagef'
//--- sampler missing and image missing
kernel void k(global float4 *p) { p[0] = read_imagef((int2)(0)); }
//                                       ^ error: no matching function for call to 'read_imagef'
//--- write of another type
kernel void k(write_only image2d_t a) { write_imagef(a, (int2)(0), (int4)(0)); }
//                                      ^ error: no matching function for call to 'write_imagef'
//--- write of a scalar
kernel void k(write_only image2d_t a, global int *p) { write_imagei(a, (int2)(0), p); }
//                                                     ^ error: no matching function for call to 'write_imagei'
//--- write to a 3D image without the extension | no:cl_khr_3d_image_writes no:__opencl_c_3d_image_writes
kernel void k(write_only image3d_t a) { write_imagef(a, (int4)(0), (float4)(0)); }
//            ^ error: use of type '__write_only image3d_t' requires cl_khr_3d_image_writes support
//--- depth image without the extension is accepted | no:cl_khr_depth_images
kernel void k(read_only image2d_depth_t a) { }
//--- multi-sampled image without the extension
kernel void k(read_only image2d_msaa_t a) { }
//                      ^ error: unknown type name 'image2d_msaa_t'
//--- width of a pointer
kernel void k(global int *p) { p[0] = get_image_width(p); }
//                                    ^ error: no matching function for call to 'get_image_width'
//--- depth of a 2D image
kernel void k(read_only image2d_t a, global int *p) { p[0] = get_image_depth(a); }
//                                                           ^ error: no matching function for call to 'get_image_depth'
//--- sampler from a variable | clang:accepts
kernel void k(int n) { sampler_t s = n; }
//                               ^ error: initializing 'sampler_t' with an expression of incompatible type '__private int'
//--- sampler from a float
kernel void k(void) { const sampler_t s = 1.0f; }
//                                    ^ error: initializing 'const sampler_t' with an expression of incompatible type 'float'
//--- sampler that is not constant
sampler_t s = CLK_FILTER_NEAREST;
//        ^ error: global sampler requires a const or constant address space qualifier
//--- sampler in global memory
kernel void k(global sampler_t s) { }
//                             ^ error: parameter may not be qualified with an address space
//--- sampler in local memory
kernel void k(void) { local sampler_t s; }
//                                    ^ error: sampler type cannot be used with the __local and __global address space qualifiers
//--- array of samplers
kernel void k(void) { sampler_t s[2]; }
//                               ^ error: array of 'sampler_t' type is invalid in OpenCL
//--- pointer to a sampler
kernel void k(sampler_t *s) { }
//                      ^ error: pointer to type 'sampler_t' is invalid in OpenCL
//--- sampler member
struct s { sampler_t s; };
//                   ^ error: the 'sampler_t' type cannot be used to declare a structure or union field
//--- result that is a sampler
sampler_t f(void);
//        ^ error: declaring function return value of type 'sampler_t' is not allowed
//--- sampler that is assigned
kernel void k(sampler_t a, sampler_t b) { a = b; }
//                                          ^ error: invalid operands to binary expression ('sampler_t' and 'sampler_t')
//--- sum of samplers
kernel void k(sampler_t a) { a + 1; }
//                             ^ error: invalid operands to binary expression ('sampler_t' and 'int')
//--- sampler as a number
kernel void k(sampler_t a, global int *p) { p[0] = a; }
//                                               ^ error: invalid operands to binary expression ('__global int' and 'sampler_t')
//--- number as a sampler | clang:accepts
kernel void k(read_only image2d_t a, int n, global float4 *p) { p[0] = read_imagef(a, n, (float2)(0)); }
//                                                                     ^ error: no matching function for call to 'read_imagef'
//--- sampler with private address space is accepted
kernel void k(private sampler_t s) { }
//--- event of the unit
event_t e;
//      ^ error: the '__private event_t' type cannot be used to declare a program scope variable
//--- event member
struct s { event_t e; };
//                 ^ error: the 'event_t' type cannot be used to declare a structure or union field
//--- event in local memory
kernel void k(void) { local event_t e; }
//                                  ^ error: the event_t type can only be used with __private address space qualifier
//--- event from a number
kernel void k(void) { event_t e = 1; }
//                            ^ error: initializing '__private event_t' with an expression of incompatible type 'int'
//--- sum of events
kernel void k(void) { event_t e = 0; e + 1; }
//                                     ^ error: invalid operands to binary expression ('__private event_t' and 'int')
//--- comparison of events
kernel void k(global int *p) { event_t e = 0, f = 0; p[0] = e == f; }
//                                                            ^ error: invalid operands to binary expression ('__private event_t' and '__private event_t')
//--- pipe variable | -cl-std=CL3.0
kernel void k(void) { pipe int p; }
//                             ^ error: type '__private read_only pipe int' can only be used as a function parameter in OpenCL
//--- pipe of the unit | -cl-std=CL3.0
pipe int p;
//       ^ error: type '__private read_only pipe int' can only be used as a function parameter in OpenCL
//--- pipe member | -cl-std=CL3.0 clang:accepts
struct s { pipe int p; };
//                  ^ error: the 'read_only pipe int' type cannot be used to declare a structure or union field
//--- pipe with read_write | -cl-std=CL3.0
kernel void k(read_write pipe int p) { }
//            ^ error: access qualifier 'read_write' cannot be used for a pipe
//--- pointer to a pipe | -cl-std=CL3.0
kernel void k(pipe int *p) { }
//                     ^ error: pointer to type 'read_only pipe int' is invalid in OpenCL
//--- read from a write-only pipe | -cl-std=CL3.0
kernel void k(write_only pipe int p) { int x; read_pipe(p, &x); }
//                                                      ^ error: invalid pipe access modifier (expecting read_only)
//--- write to a read-only pipe | -cl-std=CL3.0
kernel void k(read_only pipe int p) { int x; write_pipe(p, &x); }
//                                                      ^ error: invalid pipe access modifier (expecting write_only)
//--- packet of another type | -cl-std=CL3.0
kernel void k(read_only pipe int p) { float x; read_pipe(p, &x); }
//                                                          ^ error: invalid argument type to function 'read_pipe' (expecting 'int *' having '__private float *')
//--- packet that is not a pointer | -cl-std=CL3.0
kernel void k(read_only pipe int p) { int x; read_pipe(p, x); }
//                                                        ^ error: invalid argument type to function 'read_pipe' (expecting 'int *' having '__private int')
//--- read of no pipe | -cl-std=CL3.0
kernel void k(global int *p) { int x; read_pipe(p, &x); }
//                                    ^ error: first argument to 'read_pipe' must be a pipe type
//--- read with too few arguments | -cl-std=CL3.0
kernel void k(read_only pipe int p) { read_pipe(p); }
//                                    ^ error: invalid number of arguments to function: 'read_pipe'
//--- read with three arguments | -cl-std=CL3.0
kernel void k(read_only pipe int p) { int x; read_pipe(p, &x, 1); }
//                                           ^ error: invalid number of arguments to function: 'read_pipe'
//--- reservation of another type | -cl-std=CL3.0
kernel void k(read_only pipe int p) { int x; read_pipe(p, 1.0f, 0, &x); }
//                                           ^ error: no matching function for call to 'read_pipe'
//--- commit of a write to a read pipe | -cl-std=CL3.0
kernel void k(read_only pipe int p) { reserve_id_t r = reserve_read_pipe(p, 1); commit_write_pipe(p, r); }
//                                                                                                ^ error: invalid pipe access modifier (expecting write_only)
//--- number of packets that is not an integer | -cl-std=CL3.0
kernel void k(read_only pipe int p, global int *q) { reserve_read_pipe(p, q); }
//                                                   ^ error: no matching function for call to 'reserve_read_pipe'
//--- packets of no pipe | -cl-std=CL3.0
kernel void k(global int *q) { q[0] = get_pipe_num_packets(q); }
//                                    ^ error: first argument to 'get_pipe_num_packets' must be a pipe type
//--- pipe without the feature | -cl-std=CL3.0 no:__opencl_c_pipes
kernel void k(pipe int p) { }
//            ^ error: OpenCL C version 3.0 does not support the 'pipe' type qualifier
//--- reservation of the unit | -cl-std=CL3.0
reserve_id_t r;
//           ^ error: the '__private reserve_id_t' type cannot be used to declare a program scope variable
//--- correct: images and samplers
constant sampler_t a = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t b = CLK_FILTER_LINEAR;
float4 load(read_only image2d_t i, sampler_t s) { return read_imagef(i, s, (float2)(0.5f)); }
kernel void k(read_only image2d_t i, write_only image2d_t o, image3d_t t, read_only image1d_t l, sampler_t s,
              read_only image2d_array_t m, read_only image1d_buffer_t n, global int4 *p, read_only image2d_depth_t d) {
  const sampler_t c = CLK_ADDRESS_REPEAT | CLK_NORMALIZED_COORDS_TRUE;
  float4 x = read_imagef(i, a, (int2)(1, 2)) + read_imagef(i, b, (float2)(1)) + load(i, s) + load(i, c);
  write_imagef(o, (int2)(get_image_width(i), get_image_height(o)), x + read_imagef(t, s, (float4)(1)));
  p[0] = read_imagei(l, s, 1) + read_imagei(m, s, (int4)(1)) + read_imagei(n, 3); p[1].xy = get_image_dim(i);
  p[2].x = get_image_depth(t) + get_image_channel_order(i) + (int)read_imagef(d, s, (float2)(0));
}
//--- correct: pipes and read_write images | -cl-std=CL3.0
kernel void k(read_only pipe int4 p, write_only pipe int4 q, read_write image2d_t i) {
  int4 x; if (read_pipe(p, &x) == 0) write_pipe(q, &x); reserve_id_t r = reserve_read_pipe(p, 2);
  if (is_valid_reserve_id(r)) { read_pipe(p, r, 0, &x); commit_read_pipe(p, r); }
  write_imagef(i, (int2)(0), read_imagef(i, (int2)(1)) + get_pipe_num_packets(p) + get_pipe_max_packets(q));
}
