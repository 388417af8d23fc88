// Functions and calls (C99, sections 6.5.2.2 and 6.9.1; the attribute overloadable).

//--- call of an undeclared function
kernel void k(global int *p) { *p = foo(1); }
//                                  ^ error: use of undeclared identifier 'foo'
//--- call of an undeclared function, like another
int compute(int x) { return x; }
kernel void k(global int *p) { *p = compuet(1); }
//                                  ^ error: use of undeclared identifier 'compuet'; did you mean 'compute'?
//--- call of a function that follows
kernel void k(global int *p) { *p = later(1); }
//                                  ^ error: use of undeclared identifier 'later'
int later(int x) { return x; }
//--- too few arguments
int f(int a, int b) { return a; }
kernel void k(global int *p) { *p = f(1); }
//                                     ^ error: too few arguments to function call, expected 2, have 1
//--- too many arguments
int f(int a) { return a; }
kernel void k(global int *p) { *p = f(1, 2); }
//                                       ^ error: too many arguments to function call, expected single argument 'a', have 2 arguments
//--- arguments for a function without
int f(void) { return 1; }
kernel void k(global int *p) { *p = f(1); }
//                                    ^ error: too many arguments to function call, expected 0, have 1
//--- arguments for a function without a prototype
int f() { return 1; }
kernel void k(global int *p) { *p = f(1); }
//                                    ^ error: too many arguments to function call, expected 0, have 1
//--- call of a variable
kernel void k(int n) { n(); }
//                      ^ error: called object type 'int' is not a function or function pointer
//--- call of a constant
kernel void k(void) { 1(); }
//                     ^ error: called object type 'int' is not a function or function pointer
//--- call of a type
kernel void k(global float *p) { *p = float(1); }
//                                    ^ error: expected expression
//--- constructor of a vector as in other languages
kernel void k(global float4 *p) { *p = float4(1, 2, 3, 4); }
//                                     ^ error: unexpected type name 'float4': expected expression
//--- call not closed
int f(int a) { return a; }
kernel void k(global int *p) { *p = f(1; }
//                                     ^ error: expected ')'
//--- argument missing
int f(int a, int b) { return a; }
kernel void k(global int *p) { *p = f(1, ); }
//                                       ^ error: expected expression
//--- overloads without the attribute
int f(int a) { return a; }
int f(float a) { return 1; }
//  ^ error: conflicting types for 'f'
//--- call with no matching overload
int __attribute__((overloadable)) f(int a) { return a; }
int __attribute__((overloadable)) f(float4 a) { return 1; }
kernel void k(global int *p, float2 v) { *p = f(v); }
//                                            ^ error: no matching function for call to 'f'
//--- call with too many arguments for all overloads
int __attribute__((overloadable)) f(int a) { return a; }
int __attribute__((overloadable)) f(float a) { return 1; }
kernel void k(global int *p) { *p = f(1, 2); }
//                                  ^ error: no matching function for call to 'f'
//--- ambiguous call
int __attribute__((overloadable)) f(int a, float b) { return a; }
int __attribute__((overloadable)) f(float a, int b) { return b; }
kernel void k(global int *p) { *p = f(1, 2); }
//                                  ^ error: call to 'f' is ambiguous
//--- overloads that differ in the result only
int __attribute__((overloadable)) f(int a) { return a; }
float __attribute__((overloadable)) f(int a) { return a; }
//                                  ^ error: conflicting types for 'f'
//--- function as a value
int f(int a) { return a; }
kernel void k(global int *p) { *p = (int)f; }
//                                       ^ error: taking address of function is not allowed
//--- address of a function
int f(int a) { return a; }
kernel void k(void) { &f; }
//                     ^ error: taking address of function is not allowed
//--- function that is assigned
int f(int a) { return a; }
kernel void k(void) { int g = f; }
//                            ^ error: taking address of function is not allowed
//--- variable arguments
int f(int a, ...) { return a; }
//  ^ error: invalid prototype, variadic arguments are not allowed in OpenCL
//--- implicit declaration in OpenCL C 1.2
kernel void k(void) { foo(); }
//                    ^ error: use of undeclared identifier 'foo'
//--- implicit declaration in OpenCL C 3.0 | -cl-std=CL3.0
kernel void k(void) { foo(); }
//                    ^ error: use of undeclared identifier 'foo'
//--- argument with an error of its own
int f(int a) { return a; }
kernel void k(global int *p) { *p = f(missing); }
//                                    ^ error: use of undeclared identifier 'missing'
//--- function declared in a kernel
kernel void k(global int *p) { int g(int); *p = g(1, 2); }
//                                                   ^ error: too many arguments to function call, expected 1, have 2
//--- main
int main(void) { return 0.5f + missing; }
//  ^ error: function cannot be called 'main'
//                             ^ error: use of undeclared identifier 'missing'
//--- call of a kernel with local variables
kernel void a(global int *p) { local int x; x = 1; p[0] = x; }
kernel void b(global int *p) { a(p, 1); }
//                                  ^ error: too many arguments to function call, expected single argument 'p', have 2 arguments
//--- correct: calls
int __attribute__((overloadable)) f(int a) { return a; }
float __attribute__((overloadable)) f(float a) { return a; }
float4 __attribute__((overloadable)) f(float4 a) { return a; }
static int g(int a, float b) { return a; }
inline int h(void);
int h(void) { return 1; }
kernel void other(global int *p) { p[0] = 1; }
kernel void k(global int *p, global float4 *q) {
  p[0] = f(1) + f(1.0f) + f((char)1) + g(1.5f, 2) + h(); q[0] = f(q[1]); (void)g(1, 2); other(p);
//                                       ^ warning: implicit conversion from 'float' to 'int' changes value from 1.5 to 1 [-Wliteral-conversion]
}
