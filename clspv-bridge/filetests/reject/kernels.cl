// Kernels: their arguments, results and attributes (OpenCL C, sections 6.9 and 6.11).

//--- result of a kernel
kernel int k(void) { return 1; }
//         ^ error: kernel must have void return type
//--- static kernel
static kernel void k(void) { }
//                 ^ error: kernel functions cannot be declared static
//--- kernel qualifier on a variable
kernel int x;
//@1 error: 'kernel' attribute only applies to functions
//         ^ error: program scope variable must reside in constant address space
//--- kernel qualifier on a parameter
void f(kernel int x) { }
//     ^ error: 'kernel' attribute only applies to functions
//--- kernel qualifier on a type
kernel struct s { int x; };
//@1 warning: attribute 'kernel' is ignored: only functions are kernels [-Wignored-attributes]
//--- private pointer argument
kernel void k(int *p) { }
//                 ^ error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//--- private pointer argument, written
kernel void k(private int *p) { }
//                         ^ error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//--- pointer to a pointer
kernel void k(global int **p) { }
//                         ^ error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//--- pointer to a global pointer
kernel void k(global int *global *p) { }
//                                ^ error: kernel parameter cannot be declared as a pointer to a pointer
//--- generic pointer argument | -cl-std=CL3.0
kernel void k(int *p) { }
//                 ^ error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//--- pointer to a generic pointer | -cl-std=CL3.0
kernel void k(global int **p) { }
//                         ^ error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//--- bool argument
kernel void k(bool b) { }
//                 ^ error: '__private bool' cannot be used as the type of a kernel parameter
//--- size_t argument
kernel void k(size_t n) { }
//                   ^ error: '__private size_t' (aka '__private unsigned long') cannot be used as the type of a kernel parameter
//--- ptrdiff_t argument
kernel void k(ptrdiff_t n) { }
//                      ^ error: '__private ptrdiff_t' (aka '__private long') cannot be used as the type of a kernel parameter
//--- intptr_t argument
kernel void k(intptr_t n) { }
//                     ^ error: '__private intptr_t' (aka '__private long') cannot be used as the type of a kernel parameter
//--- uintptr_t argument
kernel void k(uintptr_t n) { }
//                      ^ error: '__private uintptr_t' (aka '__private unsigned long') cannot be used as the type of a kernel parameter
//--- event argument
kernel void k(event_t e) { }
//                    ^ error: '__private event_t' cannot be used as the type of a kernel parameter
//--- half argument without support | no:cl_khr_fp16
kernel void k(half h) { }
//                 ^ error: declaring function parameter of type '__private half' is not allowed; did you forget * ?
//--- typedef of size_t as argument
typedef size_t index;
kernel void k(index n) { }
//                  ^ error: '__private index' (aka '__private unsigned long') cannot be used as the type of a kernel parameter
//--- structure with a pointer
struct s { global int *p; };
kernel void k(struct s s) { }
//                     ^ error: struct kernel parameters may not contain pointers
//--- structure with a bool
struct s { bool b; };
kernel void k(struct s s) { }
//                     ^ error: '__private struct s' cannot be used as the type of a kernel parameter
//--- structure with size_t
struct s { size_t n; };
kernel void k(struct s s) { }
//                     ^ error: '__private struct s' cannot be used as the type of a kernel parameter
//--- nested structure with a pointer
struct s { int *p; };
struct t { struct s s[2]; };
kernel void k(struct t t) { }
//                     ^ error: struct kernel parameters may not contain pointers
//--- union with a pointer
union u { int *p; float f; };
kernel void k(union u u) { }
//                    ^ error: union kernel parameters may not contain pointers
//--- structure of incomplete type
struct s;
kernel void k(struct s s) { }
//                     ^ error: variable has incomplete type '__private struct s'
//--- array argument in private memory
kernel void k(int a[4]) { }
//                ^ error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//--- void argument
kernel void k(void v) { }
//                 ^ error: argument may not have 'void' type
//--- variable arguments
kernel void k(int n, ...) { }
//          ^ error: invalid prototype, variadic arguments are not allowed in OpenCL
//--- kernel as a member
struct s { kernel void f(void); };
//                     ^ error: field 'f' declared as a function
//--- address space on a value
kernel void k(global int n) { }
//                       ^ error: parameter may not be qualified with an address space
//--- constant value
kernel void k(constant int n) { }
//                         ^ error: parameter may not be qualified with an address space
//--- work-group size with two numbers
kernel __attribute__((reqd_work_group_size(8, 8))) void k(void) { }
//                    ^ error: 'reqd_work_group_size' attribute requires exactly 3 arguments
//--- work-group size of zero
kernel __attribute__((reqd_work_group_size(8, 0, 1))) void k(void) { }
//                    ^ error: 'reqd_work_group_size' attribute must be greater than 0
//--- work-group size that is not constant
int n;
//  ^ error: program scope variable must reside in constant address space
kernel __attribute__((reqd_work_group_size(n, 1, 1))) void k(void) { }
//                                         ^ error: 'reqd_work_group_size' attribute requires parameter 0 to be an integer constant
//--- work-group size that is negative
kernel __attribute__((reqd_work_group_size(-1, 1, 1))) void k(void) { }
//                                         ^ error: 'reqd_work_group_size' attribute requires a non-negative integral compile time constant expression
//--- work-group size of a function
__attribute__((reqd_work_group_size(8, 8, 1))) void f(void) { }
//                                                  ^ error: attribute 'reqd_work_group_size' can only be applied to an OpenCL kernel function
//--- work-group size that differs from an earlier one is accepted
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(void);
kernel __attribute__((reqd_work_group_size(4, 4, 1))) void k(void) { }
//--- hint of a vector type that is none
kernel __attribute__((vec_type_hint(void))) void k(void) { }
//                    ^ error: a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'
//--- hint of a structure type
struct s { int x; };
kernel __attribute__((vec_type_hint(struct s))) void k(void) { }
//                    ^ error: a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'
//--- hint of a type that does not exist
kernel __attribute__((vec_type_hint(vec9))) void k(void) { }
//                                  ^ error: unknown type name 'vec9'
//--- pipe argument before OpenCL C 2.0
kernel void k(pipe int p) { }
//            ^ error: OpenCL C version 1.2 does not support the 'pipe' type qualifier
//--- correct: kernels
struct s { int x; float4 v; int a[3]; union { int i; float f; } u; };
typedef struct { float x, y; } point;
kernel void a(global int *p, local float4 *l, constant struct s *c, struct s s, point q, float8 v, char c1, long n,
              double d, read_only image2d_t i, sampler_t m, global void *w, const global int *restrict r, global float f[]) { }
__kernel __attribute__((reqd_work_group_size(8, 4 * 2, 1), vec_type_hint(float4))) void b(volatile __global int *p) { }
__attribute__((work_group_size_hint(64, 1, 1))) kernel void c(void) { }
kernel void declared(global int *p);
kernel void declared(global int *p) { *p = 1; }
