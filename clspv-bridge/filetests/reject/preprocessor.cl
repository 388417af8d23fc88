// Directives and macros (C99, section 6.10; OpenCL C, section 6.10).

//--- #error
#error this device is too small
//@2 error: this device is too small
//--- #error in a skipped group is not read is accepted
#if 0
#error skipped
#endif
//--- unterminated #if
#if 1
//@2 error: unterminated conditional directive
kernel void k(void) { }
//--- #else twice
#if 0
#else
#else
//@2 error: #else after #else
#endif
//--- #elif after #else
#if 0
#else
#elif 1
//@2 error: #elif after #else
#endif
//--- #endif alone
#endif
//@2 error: #endif without #if
//--- #else alone
#else
//@2 error: #else without #if
//--- #elif alone
#elif 1
//@2 error: #elif without #if
//--- #if without a condition
#if
// ^ error: expected value in expression
#endif
//--- #ifdef without a name
#ifdef
//    ^ error: macro name missing
#endif
//--- #ifndef of a number
#ifndef 1
//      ^ error: macro name must be an identifier
#endif
//--- #if of a floating-point number
#if 1.5
//  ^ error: floating point literal in preprocessor expression
#endif
//--- #if with an assignment
#if A = 1
//    ^ error: token is not a valid binary operator in a preprocessor subexpression
#endif
//--- #if with an unclosed parenthesis
#if (1 + 2
//        ^ error: expected ')' in preprocessor expression
#endif
//--- #if that divides by zero
#if 1 / 0
//    ^ error: division by zero in preprocessor expression
#endif
//--- #if with a string
#if "a"
//  ^ error: invalid token at start of a preprocessor expression
#endif
//--- #if without an operand
#if 1 +
//     ^ error: expected value in expression
#endif
//--- #if with two values
#if 1 2
//    ^ error: token is not a valid binary operator in a preprocessor subexpression
#endif
//--- defined without a name
#if defined
//         ^ error: macro name missing
#endif
//--- defined without the closing parenthesis
#if defined(A
//           ^ error: missing ')' after 'defined'
#endif
//--- function-like macro that is not defined in #if
#if HAS(1)
//  ^ error: function-like macro 'HAS' is not defined
#endif
//--- unknown directive
#inlcude "a.h"
//@2 error: invalid preprocessing directive
//--- header that is not found
#include "no_such_file.h"
//       ^ fatal error: 'no_such_file.h' file not found
kernel void k(void) { }
//--- header name missing
#include
//      ^ error: expected "FILENAME" or <FILENAME>
//--- header name not closed
#include <stdio
//       ^ error: expected '>'
//--- header name that is a number
#include 17
//       ^ error: expected "FILENAME" or <FILENAME>
//--- #define without a name
#define
//     ^ error: macro name missing
//--- #define of a number
#define 3 4
//      ^ error: macro name must be an identifier
//--- #define of the operator
#define defined 1
//      ^ error: 'defined' cannot be used as a macro name
//--- #undef without a name
#undef
//    ^ error: macro name missing
//--- #undef of the operator
#undef defined
//     ^ error: 'defined' cannot be used as a macro name
//--- parameters of a macro not closed
#define F(a, b
//            ^ error: missing ')' in macro parameter list
//--- parameter of a macro twice
#define F(a, a) a
//           ^ error: duplicate macro parameter name 'a'
//--- parameter of a macro that is a number
#define F(1) 1
//        ^ error: invalid token in macro parameter list
//--- ellipsis before a parameter
#define F(..., a) a
//           ^ error: missing ')' in macro parameter list
//--- operator # before something that is not a parameter
#define F(a) #b
//            ^ error: '#' is not followed by a macro parameter
//--- operator ## first
#define F(a) ## a
//           ^ error: '##' cannot appear at start of macro expansion
//--- operator ## last
#define F(a) a ##
//             ^ error: '##' cannot appear at end of macro expansion
//--- variadic arguments outside of a variadic macro is accepted
#define F(a) __VA_ARGS__
//--- too few arguments
#define ADD(a, b) (a + b)
constant int c = ADD(1);
//               ^ error: use of undeclared identifier 'ADD'
//                    ^ error: too few arguments provided to function-like macro invocation
//--- too many arguments
#define ONE(a) (a)
constant int c = ONE(1, 2);
//               ^ error: use of undeclared identifier 'ONE'
//                      ^ error: too many arguments provided to function-like macro invocation
//--- arguments not closed
#define ONE(a) (a)
constant int c = ONE(1;
//               ^ error: unterminated function-like macro invocation
//               ^ error: use of undeclared identifier 'ONE'
//--- pasted tokens that make none
#define PASTE(a, b) a ## b
constant int c = PASTE(1, +);
//               ^ error: pasting formed '1+', an invalid preprocessing token
//                          ^ error: expected expression
//--- redefinition of a macro
#define SIZE 16
#define SIZE 32
//      ^ warning: 'SIZE' macro redefined [-Wmacro-redefined]
//--- same definition again is accepted
#define SIZE 16
#define SIZE 16
//--- redefinition of a macro is an error | -Werror
#define SIZE 16
#define SIZE 32
//      ^ error: 'SIZE' macro redefined [-Werror,-Wmacro-redefined]
//--- #line without a number
#line
//   ^ error: #line directive requires a positive integer argument
//--- #line with a word
#line abc
//    ^ error: #line directive requires a positive integer argument
//--- #line with a bad file name
#line 5 abc
//      ^ error: invalid filename for #line directive
//--- #line renumbers errors
#line 100 "other.cl"
constant int c = d;
//@other.cl:100:18 error: use of undeclared identifier 'd'
//--- text after #endif
#if 1
#endif text
//     ^ warning: extra tokens at end of #endif directive [-Wextra-tokens]
//--- text after #else
#if 1
#else text
//    ^ warning: extra tokens at end of #else directive [-Wextra-tokens]
#endif
//--- #warning
#warning be careful
//@2 warning: be careful [-W#warnings]
//--- _Pragma without a string
_Pragma(unroll)
//@1 error: _Pragma takes a parenthesized string literal
//--- error inside a macro is shown where it is used
#define BAD(x) ((x) + missing)
kernel void k(global int *p) { *p = BAD(1); }
//                                  ^ error: use of undeclared identifier 'missing'
//--- error in the argument of a macro
#define TWICE(x) ((x) * 2)
kernel void k(global int *p) { *p = TWICE(missing); }
//                                        ^ error: use of undeclared identifier 'missing'
//--- error in an object-like macro
#define LIMIT undefined_limit
kernel void k(global int *p) { *p = LIMIT; }
//                                  ^ error: use of undeclared identifier 'undefined_limit'
//--- macro from the command line | -DN=missing
constant int c = N;
//               ^ error: use of undeclared identifier 'missing'
//--- macro that was removed | -DN=3
#undef N
constant int c = N;
//               ^ error: use of undeclared identifier 'N'
//--- recursive macros end
#define A B
#define B A
constant int c = A;
//               ^ error: use of undeclared identifier 'A'
//--- directive in the middle of a line is none
constant int c = 1; #define X
//                  ^ error: expected identifier or '('
//--- pop_macro without push_macro
#pragma pop_macro("X")
//      ^ warning: pragma pop_macro could not pop 'X', no matching push_macro [-Wignored-pragmas]
//--- push_macro without a string
#pragma push_macro(X)
//      ^ error: pragma push_macro requires a parenthesized string
//--- extension name missing
#pragma OPENCL EXTENSION
//      ^ warning: expected extension name and state - ignoring [-Wignored-pragmas]
//--- extension with an unknown state
#pragma OPENCL EXTENSION cl_khr_fp64 : maybe
//      ^ warning: expected 'enable', 'disable', 'begin' or 'end' - ignoring [-Wignored-pragmas]
//--- extension that does not exist
#pragma OPENCL EXTENSION cl_khr_telepathy : enable
//      ^ warning: OpenCL extension 'cl_khr_telepathy' unknown or does not require pragma - ignoring [-Wignored-pragmas]
//--- all extensions cannot be enabled
#pragma OPENCL EXTENSION all : enable
//      ^ warning: expected 'disable' - ignoring [-Wignored-pragmas]
//--- FP_CONTRACT with an unknown state
#pragma OPENCL FP_CONTRACT MAYBE
//      ^ warning: expected 'ON' or 'OFF' or 'DEFAULT' in pragma [-Wunknown-pragmas]
//--- #pragma GCC error
#pragma GCC error "not for this device"
//                ^ error: not for this device
//--- #pragma message
#pragma message("compiled with care")
//      ^ warning: compiled with care [-W#pragma-messages]
//--- #include that includes itself
#include __FILE__
//       ^ fatal error: '<stdin>' file not found
//--- __VA_OPT__ not closed
#define F(...) __VA_OPT__(a
//                         ^ error: unterminated __VA_OPT__ argument list
//--- predefined macro
#define __OPENCL_VERSION__ 100
//      ^ warning: '__OPENCL_VERSION__' macro redefined [-Wmacro-redefined]
//--- #elif without a condition
#if 0
#elif
//   ^ error: expected value in expression
#endif
//--- correct: #elif is not read after a taken group
#if 1
#elif 1 / 0
#endif
//--- correct: nested conditions
#if defined(A) || !defined B && (1 ? 2 : 0)
# ifdef A
#  error no
# else
kernel void k(void) { }
# endif
#endif
//--- correct: variadic macros
#define LOG(format, ...) printf(format, ##__VA_ARGS__)
#define FIRST(a, ...) a
kernel void k(void) { LOG("x"); LOG("%d", 1); int x = FIRST(1); (void)x; }
//--- correct: stringification and pasting
#define STR(x) #x
#define VEC(t, n) t ## n
kernel void k(global float4 *p) { *p = (VEC(float, 4))(1.0f); printf(STR(a "b" \n)); }
