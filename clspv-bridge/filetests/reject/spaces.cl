// Address spaces and qualifiers (OpenCL C, section 6.7; C99, section 6.7.3).

//--- variable of the unit without an address space
int x;
//  ^ error: program scope variable must reside in constant address space
//--- variable of the unit in local memory
local int x;
//        ^ error: program scope variable must reside in constant address space
//--- variable of the unit in private memory
private int x;
//          ^ error: program scope variable must reside in constant address space
//--- variable of the unit in global memory
global int x;
//         ^ error: program scope variable must reside in constant address space
//--- constant variable without a value
constant int x;
//           ^ error: variable in constant address space must be initialized
//--- constant variable with a value that is not constant
kernel void k(int n) { constant int x = n; }
//                                      ^ error: initializer element is not a compile-time constant
//--- local variable with a value
kernel void k(void) { local int x = 1; }
//                              ^ error: '__local' variable cannot have an initializer
//--- local variable in a function
void f(void) { local int x; }
//                       ^ error: non-kernel function variable cannot be declared in local address space
//--- constant variable in a function
void f(void) { constant int x = 1; }
//                          ^ error: non-kernel function variable cannot be declared in constant address space
//--- local variable in an inner block
kernel void k(void) { if (1) { local int x; } }
//                                       ^ error: variables in the local address space can only be declared in the outermost scope of a kernel function
//--- local variable in a loop
kernel void k(void) { for (int i = 0; i < 3; i++) { local int x[3]; } }
//                                                            ^ error: variables in the local address space can only be declared in the outermost scope of a kernel function
//--- global variable in a kernel
kernel void k(void) { global int x; }
//                               ^ error: function scope variable cannot be declared in global address space
//--- static variable in a kernel
kernel void k(void) { static int x = 1; }
//                               ^ error: variables in function scope cannot be declared static
//--- static local variable | -cl-std=CL3.0
kernel void k(void) { static local int x; }
//                                     ^ error: static local variable must reside in global or constant address space
//--- static private variable | -cl-std=CL3.0
kernel void k(void) { static private int x; }
//                                       ^ error: static local variable must reside in global or constant address space
//--- generic variable | -cl-std=CL3.0
kernel void k(void) { generic int x; }
//                                ^ error: automatic variable qualified with an invalid address space
//--- generic variable of the unit | -cl-std=CL3.0
generic int x;
//          ^ error: program scope variable must reside in global or constant address space
//--- generic before OpenCL C 2.0
kernel void k(global int *p) { generic int *q = p; }
//                             ^ error: OpenCL C version 1.2 does not support the 'generic' type qualifier
//                                          ^ error: initializing '__private int *__private' with an expression of type '__global int *__private' changes address space of pointer
//--- generic without the feature | -cl-std=CL3.0 no:__opencl_c_generic_address_space
kernel void k(global int *p) { generic int *q = p; }
//                             ^ error: OpenCL C version 3.0 does not support the 'generic' type qualifier
//                                          ^ error: initializing '__private int *__private' with an expression of type '__global int *__private' changes address space of pointer
//--- two address spaces
kernel void k(global local int *p) { }
//                   ^ error: multiple address spaces specified for type
//--- address space of a parameter
void f(global int x) { }
//                ^ error: parameter may not be qualified with an address space
//--- local parameter that is not a pointer
kernel void k(local int x) { }
//                      ^ error: parameter may not be qualified with an address space
//--- address space of a member
struct s { global int x; };
//                    ^ error: field may not be qualified with an address space
//--- address space of a result
global int f(void);
//         ^ error: return type cannot be qualified with address space
//--- global pointer from a local one
kernel void k(local int *l) { global int *p = l; }
//                                        ^ error: initializing '__global int *__private' with an expression of type '__local int *__private' changes address space of pointer
//--- private pointer from a global one
kernel void k(global int *g) { int *p; p = g; }
//                                       ^ error: assigning '__global int *__private' to '__private int *__private' changes address space of pointer
//--- argument in another address space
void f(local int *p) { }
kernel void k(global int *g) { f(g); }
//                               ^ error: passing '__global int *__private' to parameter of type '__local int *' changes address space of pointer
//--- result in another address space
global int *f(local int *p) { return p; }
//                                   ^ error: returning '__local int *__private' from a function with result type '__global int *' changes address space of pointer
//--- address of a private variable as a global pointer
void f(global int *p) { }
kernel void k(void) { int x; f(&x); }
//                             ^ error: passing '__private int *' to parameter of type '__global int *' changes address space of pointer
//--- cast between address spaces
kernel void k(global int *g) { local int *p = (local int *)g; }
//                                            ^ error: casting '__global int *' to type '__local int *' changes address space of pointer
//--- cast of constant to generic | -cl-std=CL3.0
kernel void k(constant int *c) { int *p = (int *)c; }
//                                        ^ error: casting '__constant int *' to type '__generic int *' changes address space of pointer
//--- constant to generic | -cl-std=CL3.0
kernel void k(constant int *c) { const int *p = c; }
//                                          ^ error: initializing 'const __generic int *__private' with an expression of type '__constant int *__private' changes address space of pointer
//--- generic to global | -cl-std=CL3.0
kernel void k(int *p) { }
//                 ^ error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
void f(int *p) { global int *g = p; }
//                           ^ error: initializing '__global int *__private' with an expression of type '__generic int *__private' changes address space of pointer
//--- comparison of pointers in disjoint address spaces
kernel void k(global int *g, local int *l, global int *r) { *r = g == l; }
//                                                                 ^ error: comparison between  ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
//--- difference of pointers in disjoint address spaces
kernel void k(global int *g, local int *l, global int *r) { *r = g - l; }
//                                                                 ^ error: arithmetic operation with operands of type  ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
//--- conditional of pointers in disjoint address spaces
kernel void k(global int *g, local int *l, int n) { *(n ? g : l) = 1; }
//                                                      ^ error: conditional operator with the second and third operands of type  ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
//--- pointers to pointers in other address spaces
kernel void k(global int *g) { global int *p = g; local int **q = &p; }
//                                                            ^ error: initializing '__local int *__private *__private' with an expression of type '__global int *__private *' changes address space of nested pointer
//--- assignment to a const variable
kernel void k(void) { const int x = 1; x = 2; }
//                                       ^ error: cannot assign to variable 'x' with const-qualified type 'const __private int'
//--- assignment to a const parameter
kernel void k(const int x) { x = 2; }
//                             ^ error: cannot assign to variable 'x' with const-qualified type 'const __private int'
//--- assignment through a pointer to const
kernel void k(global const int *p) { *p = 1; }
//                                      ^ error: read-only variable is not assignable
//--- assignment to an element of a constant array
constant int table[2] = { 1, 2 };
kernel void k(void) { table[0] = 1; }
//                             ^ error: read-only variable is not assignable
//--- assignment through a constant pointer
kernel void k(constant int *p) { p[0] = 1; }
//                                    ^ error: read-only variable is not assignable
//--- increment of a const variable
kernel void k(void) { const int x = 1; x++; }
//                                      ^ error: cannot assign to variable 'x' with const-qualified type 'const __private int'
//--- assignment to a member of a const structure
struct s { int x; };
kernel void k(const struct s s) { s.x = 1; }
//                                    ^ error: cannot assign to variable 's' with const-qualified type 'const __private struct s'
//--- assignment to a const member
struct s { const int x; };
kernel void k(struct s s) { s.x = 1; }
//                              ^ error: cannot assign to non-static data member 'x' with const-qualified type 'const int'
//--- assignment to a component of a const vector
kernel void k(const float4 v) { v.x = 1.0f; }
//                                  ^ error: cannot assign to variable 'v' with const-qualified type 'const __private float4' (vector of 4 'float' values)
//--- pointer that loses const
kernel void k(global const int *p) { global int *q = p; q[0] = 1; }
//                                               ^ warning: initializing '__global int *__private' with an expression of type 'const __global int *__private' discards qualifiers [-Wincompatible-pointer-types-discards-qualifiers]
//--- pointer that loses const is an error | -Werror
kernel void k(global const int *p) { global int *q = p; q[0] = 1; }
//                                               ^ error: initializing '__global int *__private' with an expression of type 'const __global int *__private' discards qualifiers [-Werror,-Wincompatible-pointer-types-discards-qualifiers]
//--- pointer that loses volatile
void f(global int *p) { }
kernel void k(global volatile int *p) { f(p); }
//                                        ^ warning: passing 'volatile __global int *__private' to parameter of type '__global int *' discards qualifiers [-Wincompatible-pointer-types-discards-qualifiers]
//--- restrict of an integer
kernel void k(restrict int x) { }
//            ^ error: restrict requires a pointer or reference ('int' is invalid)
//--- address space in a cast of a value is ignored is accepted
kernel void k(global int *p) { p[0] = (global int)1; }
//--- extern variable in private memory
extern int x;
//         ^ error: extern variable must reside in constant address space
//--- extern variable in a kernel
kernel void k(void) { extern int x; }
//                               ^ error: extern variable must reside in constant address space
//--- program scope pointer in no address space
int *p;
//   ^ error: program scope variable must reside in constant address space
//--- local variable declared extern
extern local int x;
//               ^ error: extern variable must reside in constant address space
//--- correct: address spaces
constant float table[2] = { 1.0f, 2.0f };
constant float *constant pointer = table;
void add(local float *l, global float *g, const float *p) { *g = *l + *p; }
kernel void k(global float *g, local float *l, constant float *c, global float *restrict r) {
  local float tile[16]; constant float two = 2.0f; private float x = c[0]; __private float y = two;
  tile[0] = x; add(tile, g, &x); add(l, r, &y); l = tile; l = 0; g[1] = pointer[1]; const global float *q = g; (void)q;
}
//--- correct: generic address space | -cl-std=CL3.0
global int counter = 1;
int file_scope;
static global int *pointer = &counter;
int load(const int *p) { return *p; }
kernel void k(global int *g, local int *l) {
  static int calls; int x = 2; int *q = g; q = l; q = &x; calls++;
  g[0] = load(g) + load(l) + load(&x) + load(q) + (q == g) + calls + file_scope + *pointer;
  global int *back = to_global(q); local int *lb = (local int *)q; (void)back; (void)lb;
}
