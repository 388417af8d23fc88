// Attributes (OpenCL C, section 6.13; GNU spelling).

//--- unknown attribute
kernel __attribute__((telepathic)) void k(void) { }
//                    ^ warning: unknown attribute 'telepathic' ignored [-Wunknown-attributes]
//--- unknown attribute is an error | -Werror
kernel __attribute__((telepathic)) void k(void) { }
//                    ^ error: unknown attribute 'telepathic' ignored [-Werror,-Wunknown-attributes]
//--- one parenthesis
kernel __attribute__(overloadable) void k(void) { }
//                   ^ error: expected '(' after '('
//--- parenthesis not closed
kernel __attribute__((overloadable) void k(void) { }
//                                  ^ error: expected ')'
//--- aligned to three
struct s { int x __attribute__((aligned(3))); };
//                              ^ error: requested alignment is not a power of 2
//--- aligned to zero
struct s { int x __attribute__((aligned(0))); };
//                              ^ error: requested alignment is not a power of 2
//--- aligned to a negative number
struct s { int x __attribute__((aligned(-4))); };
//                              ^ error: requested alignment is not a power of 2
//--- aligned to a variable
kernel void k(int n) { int x __attribute__((aligned(n))); }
//                                                  ^ error: 'aligned' attribute requires integer constant
//--- aligned to a float
struct s { int x __attribute__((aligned(4.0f))); };
//                                      ^ error: 'aligned' attribute requires integer constant
//--- packed with an argument
struct __attribute__((packed(1))) s { int x; };
//                    ^ error: 'packed' attribute takes no arguments
//--- packed variable is accepted
kernel void k(void) { int x __attribute__((packed)); }
//--- vector size too large | clang:accepts
typedef float v __attribute__((ext_vector_type(1000)));
//                             ^ error: vector size too large
//--- vector type without a number
typedef float v __attribute__((ext_vector_type));
//                             ^ error: 'ext_vector_type' attribute takes one argument
//--- vector type with two numbers
typedef float v __attribute__((ext_vector_type(2, 3)));
//                             ^ error: 'ext_vector_type' attribute takes one argument
//--- vector of a structure
struct s { int x; };
typedef struct s v __attribute__((ext_vector_type(4)));
//                                ^ error: invalid vector element type 'struct s'
//--- vector_size that is not a multiple
typedef float v __attribute__((vector_size(6)));
//                             ^ error: vector size not an integral multiple of component size
//--- name of a size of sub-groups | clang:accepts
kernel __attribute__((qcom_reqd_sub_group_size("third"))) void k(void) { }
//                    ^ error: 'qcom_reqd_sub_group_size' attribute requires "half" or "full"
//--- size of sub-groups without a name | clang:accepts
kernel __attribute__((qcom_reqd_sub_group_size(64))) void k(void) { }
//                    ^ error: 'qcom_reqd_sub_group_size' attribute requires "half" or "full"
//--- sub-group size that is not constant
kernel __attribute__((intel_reqd_sub_group_size(n))) void k(void) { }
//                                              ^ error: use of undeclared identifier 'n'
//--- overloadable without a prototype is accepted
__attribute__((overloadable)) int f() { return 1; }
//--- overloadable variable
kernel void k(void) { int x __attribute__((overloadable)); }
//                                         ^ error: 'overloadable' attribute only applies to functions
//--- always_inline variable
kernel void k(void) { int x __attribute__((always_inline)); }
//                                         ^ warning: 'always_inline' attribute only applies to functions and statements [-Wignored-attributes]
//--- work-group size of a variable
constant int x __attribute__((reqd_work_group_size(1, 1, 1))) = 1;
//                            ^ error: 'reqd_work_group_size' attribute only applies to functions
//--- opencl_unroll_hint of a variable
kernel void k(void) { int x __attribute__((opencl_unroll_hint(2))); }
//                                         ^ error: 'opencl_unroll_hint' attribute cannot be applied to a declaration
//--- correct: attributes
typedef float v3 __attribute__((ext_vector_type(3)));
struct __attribute__((packed)) p { char c; int x; } __attribute__((aligned(8)));
struct a { int x __attribute__((aligned(16))); char c; };
struct q { char c; int x __attribute__((packed)); };
__attribute__((always_inline)) inline int f(int x) { return x; }
int __attribute__((noinline, const)) g(int x) { return x; }
void unused(int x __attribute__((unused))) { }
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global int *p, v3 v) {
  __attribute__((aligned(64))) int x = f(1); local int y[4] __attribute__((aligned(128))); y[0] = g(x); p[0] = y[0];
}
