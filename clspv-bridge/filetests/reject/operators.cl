// Operators on every kind of operand (C99, section 6.5; OpenCL C, section 6.4).

//--- sum of pointers
kernel void k(global int *p, global int *q) { p + q; }
//                                              ^ error: invalid operands to binary expression ('__global int *__private' and '__global int *__private')
//--- sum of a pointer and a float
kernel void k(global int *p) { p = p + 1.0f; }
//                                   ^ error: invalid operands to binary expression ('__global int *__private' and 'float')
//--- difference of an integer and a pointer
kernel void k(global int *p) { p = 1 - p; }
//                                   ^ error: invalid operands to binary expression ('int' and '__global int *__private')
//--- difference of pointers to other types
kernel void k(global int *p, global float *q) { p[0] = p - q; }
//                                                       ^ error: '__global int *' and '__global float *' are not pointers to compatible types
//--- product of pointers
kernel void k(global int *p) { p[0] = p * 2; }
//                                      ^ error: invalid operands to binary expression ('__global int *__private' and 'int')
//--- sum with an incomplete type
struct t;
kernel void k(global int *p) { global struct t *q = 0; q + 1; }
//                                                       ^ error: arithmetic on a pointer to an incomplete type '__global struct t'
//--- sum of structures
struct s { int x; };
kernel void k(struct s a, struct s b) { a + b; }
//                                        ^ error: invalid operands to binary expression ('__private struct s' and '__private struct s')
//--- negative structure
struct s { int x; };
kernel void k(struct s a) { -a; }
//                          ^ error: invalid argument type 'struct s' to unary expression
//--- negative pointer
kernel void k(global int *p) { -p; }
//                             ^ error: invalid argument type '__global int *' to unary expression
//--- complement of a float
kernel void k(global float *p) { p[0] = ~p[0]; }
//                                      ^ error: invalid argument type 'float' to unary expression
//--- complement of a pointer
kernel void k(global int *p) { ~p; }
//                             ^ error: invalid argument type '__global int *' to unary expression
//--- negation of a structure
struct s { int x; };
kernel void k(global int *p, struct s a) { p[0] = !a; }
//                                                ^ error: invalid argument type 'struct s' to unary expression
//--- remainder of floats
kernel void k(global float *p) { p[0] = p[1] % 2.0f; }
//                                           ^ error: invalid operands to binary expression ('__global float' and 'float')
//--- shift of a float
kernel void k(global float *p) { p[0] = p[1] << 2; }
//                                           ^ error: invalid operands to binary expression ('__global float' and 'int')
//--- shift by a float
kernel void k(global int *p) { p[0] = p[1] >> 1.0f; }
//                                         ^ error: invalid operands to binary expression ('__global int' and 'float')
//--- bitwise and of floats
kernel void k(global float *p) { p[0] = p[1] & 1; }
//                                           ^ error: invalid operands to binary expression ('__global float' and 'int')
//--- bitwise or of a pointer
kernel void k(global int *p) { p[0] = p | 1; }
//                                      ^ error: invalid operands to binary expression ('__global int *__private' and 'int')
//--- bitwise xor of a structure
struct s { int x; };
kernel void k(global int *p, struct s s) { p[0] = s ^ 1; }
//                                                  ^ error: invalid operands to binary expression ('__private struct s' and 'int')
//--- logical and of a structure
struct s { int x; };
kernel void k(global int *p, struct s s) { p[0] = s && 1; }
//                                                  ^ error: invalid operands to binary expression ('__private struct s' and 'int')
//--- comparison of structures
struct s { int x; };
kernel void k(global int *p, struct s a, struct s b) { p[0] = a == b; }
//                                                              ^ error: invalid operands to binary expression ('__private struct s' and '__private struct s')
//--- comparison of a pointer and an integer
kernel void k(global int *p) { p[0] = p == 5; }
//                                      ^ warning: comparison between pointer and integer ('__global int *' and 'int') [-Wpointer-integer-compare]
//--- comparison of a pointer and a float
kernel void k(global int *p) { p[0] = p == 1.0f; }
//                                      ^ error: invalid operands to binary expression ('__global int *__private' and 'float')
//--- comparison of pointers to other types
kernel void k(global int *p, global float *q) { p[0] = p == q; }
//                                                       ^ warning: comparison of distinct pointer types ('__global int *' and '__global float *') [-Wcompare-distinct-pointer-types]
//--- relation of a pointer and an integer
kernel void k(global int *p) { p[0] = p < 5; }
//                                      ^ warning: ordered comparison between pointer and integer ('__global int *' and 'int')
//--- indirection of an integer
kernel void k(int n) { *n; }
//                     ^ error: indirection requires pointer operand ('int' invalid)
//--- indirection of a pointer to void
kernel void k(global void *p) { *p; }
//                              ^ warning: ISO C does not allow indirection on operand of type '__global void *' [-Wvoid-ptr-dereference]
//--- address of a constant
kernel void k(void) { &1; }
//                    ^ error: cannot take the address of an rvalue of type 'int'
//--- address of a sum
kernel void k(int a, int b) { &(a + b); }
//                            ^ error: cannot take the address of an rvalue of type 'int'
//--- address of a bit-field
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { int a : 3; };
kernel void k(global struct s *s) { &s->a; }
//                                  ^ error: address of bit-field requested
//--- address of a register variable
kernel void k(void) { register int x = 1; int *p = &x; (void)p; }
//                    ^ error: OpenCL C version 1.2 does not support the 'register' storage class specifier
//--- assignment to a constant
kernel void k(void) { 1 = 2; }
//                      ^ error: expression is not assignable
//--- assignment to a sum
kernel void k(int a, int b) { a + b = 1; }
//                                  ^ error: expression is not assignable
//--- assignment to a conversion
kernel void k(int a) { (float)a = 1.0f; }
//                     ^ error: assignment to cast is illegal, lvalue casts are not supported
//--- assignment to a call
int f(void) { return 1; }
kernel void k(void) { f() = 1; }
//                        ^ error: expression is not assignable
//--- assignment to an array
kernel void k(void) { int a[2], b[2]; a = b; }
//                                      ^ error: array type '__private int[2]' is not assignable
//--- assignment to a function
void f(void) { }
kernel void k(void) { f = 0; }
//                    ^ error: taking address of function is not allowed
//--- assignment to an enumerator
enum { A };
kernel void k(void) { A = 1; }
//                      ^ error: expression is not assignable
//--- assignment of a structure to a number
struct s { int x; };
kernel void k(global int *p, struct s s) { p[0] = s; }
//                                              ^ error: assigning to '__global int' from incompatible type '__private struct s'
//--- assignment of a number to a structure
struct s { int x; };
kernel void k(struct s s) { s = 1; }
//                            ^ error: assigning to '__private struct s' from incompatible type 'int'
//--- assignment of void
void f(void) { }
kernel void k(global int *p) { p[0] = f(); }
//                                  ^ error: assigning to '__global int' from incompatible type 'void'
//--- increment of a constant
kernel void k(void) { 1++; }
//                     ^ error: expression is not assignable
//--- increment of a structure
struct s { int x; };
kernel void k(struct s s) { s++; }
//                           ^ error: cannot increment value of type '__private struct s'
//--- increment of a call
int f(void) { return 1; }
kernel void k(void) { ++f(); }
//                    ^ error: expression is not assignable
//--- decrement of an array
kernel void k(void) { int a[2]; a--; }
//                               ^ error: cannot decrement value of type '__private int[2]'
//--- compound assignment to a pointer
kernel void k(global int *p) { p *= 2; }
//                               ^ error: invalid operands to binary expression ('__global int *__private' and 'int')
//--- compound assignment with a structure
struct s { int x; };
kernel void k(int n, struct s s) { n += s; }
//                                   ^ error: invalid operands to binary expression ('__private int' and '__private struct s')
//--- remainder assignment of floats
kernel void k(float f) { f %= 2.0f; }
//                         ^ error: invalid operands to binary expression ('__private float' and 'float')
//--- shift assignment of floats
kernel void k(float f) { f <<= 1; }
//                         ^ error: invalid operands to binary expression ('__private float' and 'int')
//--- conditional with a structure as condition
struct s { int x; };
kernel void k(global int *p, struct s s) { p[0] = s ? 1 : 2; }
//                                                  ^ error: used type 'struct s' where arithmetic or pointer type is required
//--- conditional of different structures
struct s { int x; };
struct t { int x; };
kernel void k(int n, struct s s, struct t t) { n ? s : t; }
//                                               ^ error: incompatible operand types ('struct s' and 'struct t')
//--- conditional of a pointer and an integer
kernel void k(global int *p, int n) { p = n ? p : n; }
//                                          ^ warning: pointer/integer type mismatch in conditional expression ('__global int *' and 'int') [-Wconditional-type-mismatch]
//--- conditional of pointers to other types
kernel void k(global int *p, global float *q, int n) { p[0] = *(n ? p : q); }
//                                                          ^ error: assigning to '__global int' from incompatible type '__global void'
//                                                            ^ warning: ISO C does not allow indirection on operand of type '__global void *' [-Wvoid-ptr-dereference]
//                                                                ^ warning: pointer type mismatch ('__global int *' and '__global float *') [-Wpointer-type-mismatch]
//--- conditional without the second value
kernel void k(global int *p, int n) { p[0] = n ? 1; }
//                                                ^ error: expected ':'
//--- subscript of an integer
kernel void k(int n) { n[0]; }
//                      ^ error: subscripted value is not an array, pointer, or vector
//--- subscript that is a float
kernel void k(global int *p) { p[1.0f] = 1; }
//                              ^ error: array subscript is not an integer
//--- subscript that is a pointer
kernel void k(global int *p) { p[p] = 1; }
//                              ^ error: array subscript is not an integer
//--- subscript that is missing
kernel void k(global int *p) { p[] = 1; }
//                               ^ error: expected expression
//--- member of an integer
kernel void k(int n) { n.x = 1; }
//                      ^ error: member reference base type '__private int' is not a structure or union
//--- member of a pointer
struct s { int x; };
kernel void k(global struct s *s) { s.x = 1; }
//                                   ^ error: member reference type '__global struct s *__private' is a pointer; did you mean to use '->'?
//--- arrow of a structure
struct s { int x; };
kernel void k(struct s s) { s->x = 1; }
//                           ^ error: member reference type 'struct s' is not a pointer; did you mean to use '.'?
//--- member that does not exist
struct s { int x; };
kernel void k(struct s s) { s.y = 1; }
//                            ^ error: no member named 'y' in 'struct s'
//--- member that does not exist, like another
struct s { int width; };
kernel void k(struct s s) { s.widht = 1; }
//                            ^ error: no member named 'widht' in 'struct s'
//--- member of an incomplete structure
struct t;
kernel void k(void) { global struct t *p = 0; p->x = 1; }
//                                             ^ error: incomplete definition of type 'struct t'
//--- member name missing
struct s { int x; };
kernel void k(struct s s) { s. = 1; }
//                             ^ error: expected identifier
//--- operand missing
kernel void k(global int *p) { p[0] = 1 + ; }
//                                        ^ error: expected expression
//--- operand missing before a parenthesis
kernel void k(global int *p) { p[0] = (1 + ); }
//                                         ^ error: expected expression
//--- operator missing
kernel void k(global int *p) { p[0] = 1 2; }
//                                     ^ error: expected ';' after expression
//--- value not used
kernel void k(int a, int b) { a + b; }
//                              ^ warning: expression result unused [-Wunused-value]
//--- comparison not used
kernel void k(int a, int b) { a == b; }
//                              ^ warning: equality comparison result unused [-Wunused-comparison]
//--- division by zero
kernel void k(global int *p) { p[0] = 1 / 0; }
//                                      ^ warning: division by zero is undefined [-Wdivision-by-zero]
//--- remainder by zero
kernel void k(global int *p) { p[0] = p[1] % 0; }
//                                         ^ warning: remainder by zero is undefined [-Wdivision-by-zero]
//--- comma operator with an error
kernel void k(global int *p) { p[0] = (1, missing); }
//                                        ^ error: use of undeclared identifier 'missing'
//--- statement expression outside of functions
constant int x = ({ 1; });
//               ^ error: statement expression not allowed at file scope
//--- offsetof of a member that does not exist
struct s { int x; };
kernel void k(global int *p) { p[0] = __builtin_offsetof(struct s, y); }
//                                                                 ^ error: no member named 'y' in 'struct s'
//--- offsetof of no structure
kernel void k(global int *p) { p[0] = __builtin_offsetof(int, y); }
//                                                            ^ error: offsetof requires struct, union, or class type, 'int' invalid
//--- assignment in a condition is accepted in parentheses
kernel void k(int n) { if ((n = 1)) { } }
//--- integers as pointers
kernel void k(global int *p) { p = 5; }
//                               ^ warning: incompatible integer to pointer conversion assigning to '__global int *__private' from 'int' [-Wint-conversion]
//--- pointers as integers
kernel void k(global int *p) { p[0] = p; }
//                                  ^ warning: incompatible pointer to integer conversion assigning to '__global int' from '__global int *__private'; dereference with * [-Wint-conversion]
//--- pointers as integers are errors | -Werror
kernel void k(global int *p) { p[0] = p; }
//                                  ^ error: incompatible pointer to integer conversion assigning to '__global int' from '__global int *__private'; dereference with * [-Werror,-Wint-conversion]
//--- pointers to other types
kernel void k(global int *p, global float *q) { p = q; }
//                                                ^ warning: incompatible pointer types assigning to '__global int *__private' from '__global float *__private' [-Wincompatible-pointer-types]
//--- pointers of another sign
kernel void k(global int *p, global uint *q) { p = q; }
//                                               ^ warning: assigning to '__global int *__private' from '__global uint *__private' (aka '__global unsigned int *__private') converts between pointers to integer types with different sign [-Wpointer-sign]
//--- correct: operators
struct s { int x; };
kernel void k(global int *p, struct s s, float f, int n, global const int *q) {
  p[0] = n + 2 * n - n / 3 % 4; p[1] = n << 2 | n >> 1 & ~n ^ 5; p[2] = !f && p || n; p[3] = n ? 1 : f; p += 2;
  p[4] = q - p; p[5] = p == q; p[6] = p == 0; p[7] = *p++ + *&n; p[8] = (n, s.x); p[9] = sizeof n; f *= 2; n <<= 1;
//                                                                       ^ warning: left operand of comma operator has no effect [-Wunused-value]
  p[10] = p && f; s = s; p[11] = (&s)->x; 1[p] = 2; p[12] = n ?: 3; p[13] = ({ int t = n; t + 1; }); p = 0;
}
