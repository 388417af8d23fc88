// Initializers (C99, section 6.7.8).

//--- too many elements of an array
kernel void k(void) { int x[2] = { 1, 2, 3 }; }
//                                       ^ warning: excess elements in array initializer [-Wexcess-initializers]
//--- too many members
struct s { int a, b; };
kernel void k(void) { struct s s = { 1, 2, 3 }; }
//                                         ^ warning: excess elements in struct initializer [-Wexcess-initializers]
//--- too many values of a scalar
kernel void k(void) { int x = { 1, 2 }; }
//                                 ^ warning: excess elements in scalar initializer [-Wexcess-initializers]
//--- empty braces of a scalar is accepted
kernel void k(void) { int x = {}; (void)x; }
//--- braces in braces of a scalar
kernel void k(void) { int x = {{ 1 }}; (void)x; }
//                             ^ warning: too many braces around scalar initializer [-Wmany-braces-around-scalar-init]
//--- string that is too long
constant char s[3] = "abcd";
//                   ^ warning: initializer-string for char array is too long [-Wexcess-initializers]
//--- correct: string without its zero
constant char s[4] = "abcd";
//--- string for a number
kernel void k(void) { int x = "a"; }
//                        ^ warning: incompatible pointer to integer conversion initializing '__private int' with an expression of type '__constant char[2]' [-Wint-conversion]
//--- array from an expression
kernel void k(void) { int a[2]; int b[2] = a; }
//                                  ^ error: array initializer must be an initializer list
//--- structure from a number
struct s { int a; };
kernel void k(void) { struct s s = 1; }
//                             ^ error: initializing '__private struct s' with an expression of incompatible type 'int'
//--- structure from another structure
struct s { int a; };
struct t { int a; };
kernel void k(struct t t) { struct s s = t; }
//                                   ^ error: initializing '__private struct s' with an expression of incompatible type '__private struct t'
//--- designator of a member that does not exist
struct s { int a; };
kernel void k(void) { struct s s = { .b = 1 }; }
//                                    ^ error: field designator 'b' does not refer to any field in type '__private struct s'
//--- designator of a member of an array
kernel void k(void) { int a[2] = { .x = 1 }; }
//                                  ^ error: field designator in initializer for type '__private int[2]'
//--- designator of an element of a structure
struct s { int a; };
kernel void k(void) { struct s s = { [0] = 1 }; }
//                                    ^ error: array designator cannot initialize non-array type '__private struct s'
//--- designator beyond the array
kernel void k(void) { int a[2] = { [2] = 1 }; }
//                                  ^ error: array designator index (2) exceeds array bounds (2)
//--- negative designator
kernel void k(void) { int a[2] = { [-1] = 1 }; }
//                                  ^ error: array designator value '-1' is negative
//--- designator that is not constant
kernel void k(int n) { int a[2] = { [n] = 1 }; }
//                                   ^ error: expression is not an integer constant expression
//--- empty range of designators
kernel void k(void) { int a[4] = { [3 ... 1] = 1 }; }
//                                  ^ error: array designator range [3, 1] is empty
//--- designator of a scalar
kernel void k(void) { int x = { .a = 1 }; }
//                              ^ error: designator in initializer for scalar type '__private int'
//--- designator without a value
kernel void k(void) { int a[2] = { [1] }; }
//                                     ^ error: expected '=' or another designator
//--- element of the wrong type
kernel void k(global int *p) { float a[2] = { p, 1.0f }; }
//                                            ^ error: initializing 'float' with an expression of incompatible type '__global int *__private'
//--- member of the wrong type
struct s { float4 v; };
kernel void k(float2 v) { struct s s = { v }; }
//                                       ^ error: initializing 'float4' (vector of 4 'float' values) with an expression of incompatible type '__private float2' (vector of 2 'float' values)
//--- constant that is not constant
constant int a = get_global_id(0);
//               ^ error: initializer element is not a compile-time constant
//--- constant from a variable
constant int a = 1;
constant int b = a + missing;
//                   ^ error: use of undeclared identifier 'missing'
//--- constant address of a local variable
kernel void k(local int *l) { constant int x = (int)l; }
//                                             ^ warning: cast to smaller integer type 'int' from '__local int *' [-Wpointer-to-int-cast]
//                                                  ^ error: initializer element is not a compile-time constant
//--- static variable from an argument | -cl-std=CL3.0
kernel void k(int n) { static int x = n; }
//                                    ^ error: initializer element is not a compile-time constant
//--- variable of the unit from a call | -cl-std=CL3.0
int f(void) { return 1; }
int x = f();
//      ^ error: initializer element is not a compile-time constant
//--- initializer of an extern variable
extern constant int x = 1;
//                  ^ warning: 'extern' variable has an initializer [-Wextern-initializer]
//--- initializer missing
kernel void k(void) { int x = ; }
//                            ^ error: expected expression
//--- brace not closed
kernel void k(void) { int x[2] = { 1, 2; }
//                                     ^ error: expected '}'
//--- comma missing
kernel void k(void) { int x[2] = { 1 2 }; }
//                                   ^ error: expected '}'
//--- vector with too many values
kernel void k(void) { float4 v = { 1, 2, 3, 4, 5 }; }
//                               ^ error: excess elements in vector initializer
//--- variable in its own initializer is accepted
kernel void k(void) { int x = x; }
//--- conversion that changes a constant
kernel void k(void) { uchar c = 300; (void)c; }
//                              ^ warning: implicit conversion from 'int' to 'uchar' (aka 'unsigned char') changes value from 300 to 44 [-Wconstant-conversion]
//--- negative constant for an unsigned type is accepted
kernel void k(void) { uchar c = -1; uint u = -1; (void)c; (void)u; }
//--- compound literal with too many members
struct s { int a; };
kernel void k(global int *p) { *p = ((struct s){ 1, 2 }).a; }
//                                                  ^ warning: excess elements in struct initializer [-Wexcess-initializers]
//--- compound literal of incomplete type
struct t;
kernel void k(void) { (struct t){ 1 }; }
//                    ^ error: variable has incomplete type 'struct t'
//--- array whose size is not known from its initializer
kernel void k(void) { int a[] = 1; }
//                        ^ error: array initializer must be an initializer list
//--- element of incomplete type
struct t;
kernel void k(void) { struct t a[2] = { 0 }; }
//                              ^ error: array has incomplete element type 'struct t'
//--- correct: initializers
struct point { float x, y; };
struct line { struct point from, to; int tags[3]; };
constant struct line lines[] = { { { 1, 2 }, { 3, 4 }, { 5 } }, { .to = { .y = 1 }, .tags = { [1 ... 2] = 7 } } };
constant char name[] = "kernel", letters[3] = { 'a', 'b' };
constant float4 v = (float4)(1.0f, 2.0f, 3.0f, 4.0f), w = { 1, 2, 3, 4 };
constant int sum = 1 + 2 * sizeof(lines), *constant at = &lines[1].tags[2];
kernel void k(global float *p) {
  struct point a = { 1 }, b = a, c = (struct point){ .y = 2 }; int n[] = { 1, 2, [4] = 5 }, m[2][2] = { 1, 2, 3 };
  float4 x = { 1.0f, 2.0f, 3.0f, 4.0f }, y = (float4)(x.xy, 1.0f, 0.0f); union { int i; float f; } u = { .f = 1.0f };
  p[0] = a.x + b.y + c.y + n[4] + m[1][0] + y.x + u.f + lines[1].to.y + name[0] + letters[2] + v.x + w.y + sum + *at;
}
