// Declarations and definitions (C99, sections 6.7 and 6.9).

//--- undeclared identifier
kernel void k(global int *p) { *p = x; }
//                                  ^ error: use of undeclared identifier 'x'
//--- undeclared identifier like another
kernel void k(global int *output) { *outptu = 1; }
//                                   ^ error: use of undeclared identifier 'outptu'; did you mean 'output'?
//--- unknown type
foo x;
//@1 error: unknown type name 'foo'
//--- unknown type of a parameter
kernel void k(global foo *p) { }
//                   ^ error: unknown type name 'foo'
//--- redefinition of a variable
kernel void k(void) { int x; float x; }
//                                 ^ error: redefinition of 'x' with a different type: '__private float' vs '__private int'
//--- redefinition of a variable of the unit
constant int c = 1;
constant int c = 2;
//           ^ error: redefinition of 'c'
//--- redefinition with another type
constant int c = 1;
extern constant float c;
//                    ^ error: redeclaration of 'c' with a different type: '__constant float' vs '__constant int'
//--- redefinition as another kind of symbol
constant int c = 1;
void c(void) { }
//   ^ error: redefinition of 'c' as different kind of symbol
//--- function named like a type
typedef int t;
void t(void) { }
//   ^ error: redefinition of 't' as different kind of symbol
//--- redefinition of a function
void f(void) { }
void f(void) { }
//   ^ error: redefinition of 'f'
//--- redefinition of a kernel
kernel void k(void) { }
kernel void k(void) { }
//          ^ error: redefinition of 'k'
//--- conflicting types of a function
int f(int x);
float f(int x) { return x; }
//    ^ error: conflicting types for 'f'
//--- conflicting parameters of a function
int f(int x);
int f(float x) { return 1; }
//  ^ error: conflicting types for 'f'
//--- redefinition of a parameter
void f(int x, float x) { }
//                  ^ error: redefinition of parameter 'x'
//--- parameter hidden in the outermost block
void f(int x) { int x; }
//                  ^ error: redefinition of 'x'
//--- correct: parameter hidden in an inner block
void f(int x) { { int x = 1; (void)x; } }
//--- redefinition of a typedef name with another type
typedef int t;
typedef float t;
//            ^ error: typedef redefinition with different types ('float' vs 'int')
//--- correct: redefinition of a typedef name
typedef int t;
typedef int t;
//--- redefinition of a structure
struct s { int x; };
struct s { int y; };
//     ^ error: redefinition of 's'
//--- redefinition of an enumeration
enum e { A };
enum e { B };
//   ^ error: redefinition of 'e'
//--- redefinition of an enumerator
enum e { A, A };
//          ^ error: redefinition of enumerator 'A'
//--- tag of another kind
struct s { int x; };
union s u;
//    ^ error: use of 's' with tag type that does not match previous declaration
//--- duplicate member
struct s { int x; float x; };
//                      ^ error: duplicate member 'x'
//--- duplicate member of an anonymous structure
struct s { int x; struct { int x; }; };
//                ^ error: duplicate member 'x'
//--- member of incomplete type
struct t;
struct s { struct t x; };
//                  ^ error: field has incomplete type 'struct t'
//--- structure that contains itself
struct s { struct s x; };
//                  ^ error: field has incomplete type 'struct s'
//--- member that is a function
struct s { int f(int x); };
//             ^ error: field 'f' declared as a function
//--- member that is void
struct s { void x; };
//              ^ error: field has incomplete type 'void'
//--- variable of incomplete type
struct t;
kernel void k(void) { struct t x; }
//                             ^ error: variable has incomplete type '__private struct t'
//--- variable of type void
kernel void k(void) { void x; }
//                         ^ error: variable has incomplete type 'void'
//--- array without a length
kernel void k(void) { int x[]; }
//                        ^ error: definition of variable with array type needs an explicit size or an initializer
//--- array of negative length
kernel void k(void) { int x[-1]; }
//                          ^ error: array size is negative
//--- array whose length is not an integer
kernel void k(void) { int x[1.5f]; }
//                          ^ error: size of array has non-integer type 'float'
//--- array of variable length
kernel void k(int n) { int x[n]; }
//                           ^ error: variable length arrays are not supported in OpenCL
//--- array of voids
kernel void k(void) { void x[3]; }
//                          ^ error: array has incomplete element type 'void'
//--- array of functions
int f[3](int);
//   ^ error: array of functions is not allowed
//--- function that returns an array
int f(void)[3];
//  ^ error: function cannot return array type
//--- function that returns a function
int f(void)(int);
//  ^ error: function cannot return function type
//--- two types
kernel void k(void) { int float x; }
//                        ^ error: cannot combine with previous 'int' declaration specifier
//--- unsigned float
kernel void k(void) { unsigned float x; }
//                    ^ error: 'float' cannot be signed or unsigned
//--- short long
kernel void k(void) { short long x; }
//                          ^ error: cannot combine with previous 'short' declaration specifier
//--- long long long
kernel void k(void) { long long long x; }
//                              ^ error: cannot combine with previous 'long long' declaration specifier
//--- signed unsigned
kernel void k(void) { signed unsigned x; }
//                           ^ error: cannot combine with previous 'signed' declaration specifier
//--- two storage classes
static extern int x;
//     ^ error: cannot combine with previous 'static' declaration specifier
//                ^ error: program scope variable must reside in constant address space
//--- typedef and static
typedef static int t;
//      ^ error: cannot combine with previous 'typedef' declaration specifier
//--- storage class twice
static static constant int x = 1;
//     ^ warning: duplicate 'static' declaration specifier [-Wduplicate-decl-specifier]
//--- duplicate const
kernel void k(void) { const const int x = 1; (void)x; }
//                          ^ warning: duplicate 'const' declaration specifier [-Wduplicate-decl-specifier]
//--- typedef with an initializer
typedef int t = 1;
//          ^ error: illegal initializer (only variables can be initialized)
//--- inline variable
inline int x;
//@1 error: 'inline' can only appear on functions
//         ^ error: program scope variable must reside in constant address space
//--- storage class of a parameter
void f(static int x) { }
//     ^ error: invalid storage class specifier in function declarator
//--- storage class of a member
struct s { static int x; };
//         ^ error: type name does not allow storage class to be specified
//--- extern parameter
void f(extern int x) { }
//     ^ error: invalid storage class specifier in function declarator
//--- default argument
void f(int x = 1) { }
//           ^ error: C does not support default arguments
//--- type missing in a declaration
kernel void k(void) { const x = 1; (void)x; }
//                          ^ warning: type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int [-Wimplicit-int]
//--- implicit int is an error | -Werror
kernel void k(void) { const x = 1; (void)x; }
//                          ^ error: type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int [-Werror,-Wimplicit-int]
//--- result type missing
f(int x) { return x; }
//@1 warning: type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int [-Wimplicit-int]
//--- declaration without a name
int;
//@1 warning: declaration does not declare anything [-Wmissing-declarations]
//--- enumerator that is not an integer constant
kernel void k(int n) { enum { A = n }; }
//                                ^ error: expression is not an integer constant expression
//--- enumerator that is a floating-point number
enum { A = 1.5f };
//         ^ error: integer constant expression must have integer type, not 'float'
//--- semicolon missing after a declaration
kernel void k(void) { int x int y; }
//                         ^ error: expected ';' at end of declaration
//--- semicolon missing after a structure
struct s { int x; }
//                 ^ error: expected ';' after struct, union or enum
kernel void k(void) { }
//--- comma missing between declarators
kernel void k(void) { int x y; }
//                         ^ error: expected ';' at end of declaration
//--- name missing
kernel void k(void) { int = 1; }
//                        ^ error: expected identifier or '('
//--- parameter name missing in a definition is accepted
int f(int) { return 1; }
//--- prototype missing in parentheses
int f(int x, ) { return x; }
//           ^ error: expected parameter declarator
//--- nested function
kernel void k(void) { int f(void) { return 1; } }
//                                ^ error: function definition is not allowed here
//--- function without a body in braces
void f(void) return;
//           ^ error: expected function body after function declarator
//--- initializer of a function
void f(void) = 1;
//   ^ error: illegal initializer (only variables can be initialized)
//--- extern with initializer in a function | -cl-std=CL3.0
kernel void k(void) { extern constant int x = 1; }
//                                        ^ error: declaration of block scope identifier with linkage cannot have an initializer
//--- void parameter with a name
void f(void x) { }
//          ^ error: argument may not have 'void' type
//--- void parameter among others
void f(int x, void) { }
//                ^ error: argument may not have 'void' type
//--- static assertion
_Static_assert(sizeof(float4) == 12, "float4 has 16 bytes");
//             ^ error: static assertion failed: float4 has 16 bytes
//--- static assertion that is not constant
kernel void k(int n) { _Static_assert(n, "n"); }
//                                    ^ error: static assertion expression is not an integral constant expression
//--- auto at program scope
auto int x;
//@1 error: OpenCL C version 1.2 does not support the 'auto' storage class specifier
//       ^ error: program scope variable must reside in constant address space
//--- register at program scope
register int x;
//@1 error: OpenCL C version 1.2 does not support the 'register' storage class specifier
//           ^ error: program scope variable must reside in constant address space
//--- restrict of no pointer
kernel void k(void) { int restrict x; }
//                    ^ error: restrict requires a pointer or reference ('int' is invalid)
//--- bit-fields
struct s { int a : 3; };
//             ^ error: bit-fields are not supported in OpenCL
//--- flexible array in the middle
struct s { int n; int a[]; int m; };
//                    ^ error: flexible array member 'a' with type 'int[]' is not at the end of struct
//--- K&R parameters | clang:accepts
int f(x) int x; { return x; }
//    ^ warning: type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int [-Wimplicit-int]
//       ^ error: expected function body after function declarator
//              ^ error: expected identifier or '('
//--- declaration in a condition
kernel void k(void) { if (int x = 1) { } }
//                        ^ error: expected expression
//--- union without a tag is declared for nothing
union { int x; };
//@1 warning: declaration does not declare anything [-Wmissing-declarations]
//--- correct: declarations of all kinds
typedef struct point { float x, y; } point;
enum color { RED, GREEN = 5, BLUE, };
constant int table[] = { 1, 2, 3 }, *constant first = table, size = sizeof(table) / sizeof(table[0]);
union number { int i; float f; };
static inline float half_of(point p) { return p.x * 0.5f; }
int declared(int), declared(int x);
int declared(int x) { return x + BLUE; }
struct outer { struct { int a, b; }; union number n; struct outer *next; };
kernel void k(global int *p) { point q = { 1.0f, 2.0f }; p[0] = declared(half_of(q)) + size; }
