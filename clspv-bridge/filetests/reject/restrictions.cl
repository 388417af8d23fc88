// Restrictions (OpenCL C, section 6.11) that no other file has.

//--- function pointer
kernel void k(void) { int (*f)(int); }
//                         ^ error: pointers to functions are not allowed
//--- function pointer parameter
void f(int (*g)(int)) { }
//          ^ error: pointers to functions are not allowed
//--- function pointer member
struct s { int (*f)(int); };
//              ^ error: pointers to functions are not allowed
//--- function pointer typedef
typedef int (*fp)(int);
//           ^ error: pointers to functions are not allowed
//--- array of function pointers
kernel void k(void) { int (*f[2])(int); }
//                         ^ error: pointers to functions are not allowed
//--- function parameter | clang:accepts
void f(int g(int)) { }
//         ^ error: pointers to functions are not allowed
//--- variable-length array
kernel void k(int n) { float a[n]; }
//                             ^ error: variable length arrays are not supported in OpenCL
//--- variable-length array in a parameter
void f(int n, int a[n]) { }
//                  ^ error: variable length arrays are not supported in OpenCL
//--- pointer to a variable-length array
kernel void k(int n) { int (*p)[n]; }
//                              ^ error: variable length arrays are not supported in OpenCL
//--- typedef of a variable-length array
kernel void k(int n) { typedef int t[n]; }
//                                   ^ error: variable length arrays are not supported in OpenCL
//--- flexible array member is accepted
struct s { int n; int a[]; };
//--- flexible array alone is accepted
struct s { int a[]; };
//--- bit-field of structures
struct s { uint a : 4; uint b : 4; };
//              ^ error: bit-fields are not supported in OpenCL
//                          ^ error: bit-fields are not supported in OpenCL
//--- variadic function
void f(int n, ...) { }
//   ^ error: invalid prototype, variadic arguments are not allowed in OpenCL
//--- variadic macro is accepted
#define F(...) f(__VA_ARGS__)
void f(int a, int b) { }
kernel void k(void) { F(1, 2); }
//--- standard header
#include <math.h>
//       ^ fatal error: 'math.h' file not found
kernel void k(void) { }
//--- storage class auto
kernel void k(void) { auto int x = 1; (void)x; }
//                    ^ error: OpenCL C version 1.2 does not support the 'auto' storage class specifier
//--- thread-local variable
_Thread_local int x;
//@1 error: unknown type name '_Thread_local'
//--- va_list
void f(int n) { va_list v; }
//              ^ error: use of undeclared identifier 'va_list'
//--- goto into a block is accepted
kernel void k(int n) { if (n) goto in; { in: n = 1; } }
//--- recursion is accepted by the front end
int f(int n) { return n ? f(n - 1) : 0; }
//--- image in a structure argument
struct s { read_only image2d_t i; };
//                             ^ error: the '__read_only image2d_t' type cannot be used to declare a structure or union field
kernel void k(struct s s) { }
//--- irreducible type of an event
struct s { event_t e; };
//                 ^ error: the 'event_t' type cannot be used to declare a structure or union field
kernel void k(void) { struct s s; }
//--- union of pointers in different spaces is accepted
union u { global int *g; local int *l; };
kernel void k(global int *p) { union u u; u.g = p; *u.l = 1; }
//--- function named like a vector type is accepted | clang:rejects
float4 float4(float x) { return x; }
//--- kernel named main
kernel void main(void) { }
//          ^ error: kernel cannot be called 'main'
//--- reserved names are accepted
kernel void k(global int *p) { int __x = 1, _Y = 2; p[0] = __x + _Y; }
//--- C++ reference
void f(int &x) { }
//         ^ error: expected ')'
//--- C++ class
class c { };
//@1 error: unknown type name 'class'
//     ^ error: expected ';' after top level declarator
//--- C++ template
template <class T> T f(T x) { return x; }
//@1 error: unknown type name 'template'
//--- C++ namespace
namespace n { }
//@1 error: unknown type name 'namespace'
//         ^ error: expected ';' after top level declarator
//--- C++ cast
kernel void k(global int *p) { p[0] = static_cast<int>(1.0f); }
//                                    ^ error: use of undeclared identifier 'static_cast'
//                                                ^ error: expected expression
//--- C++ auto
kernel void k(global int *p) { auto x = 1; p[0] = x; }
//                             ^ error: OpenCL C version 1.2 does not support the 'auto' storage class specifier
//                                  ^ warning: type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int [-Wimplicit-int]
//--- C++ range
kernel void k(global int *p) { int a[2]; for (int x : a) p[0] = x; }
//                                                 ^ error: expected ';' at end of declaration
//--- C++ lambda
kernel void k(void) { auto f = [](int x) { return x; }; }
//                    ^ error: OpenCL C version 1.2 does not support the 'auto' storage class specifier
//                         ^ warning: type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int [-Wimplicit-int]
//                             ^ error: expected expression
//                              ^ error: expected expression
//                                ^ error: expected ')'
//                                ^ error: expected expression
//--- null pointer of C++
kernel void k(void) { global int *p = nullptr; }
//                                    ^ error: use of undeclared identifier 'nullptr'
