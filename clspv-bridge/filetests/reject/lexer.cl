// Tokens: constants, literals, comments (C99, section 6.4; OpenCL C, sections 6.3.1 and 6.6).

//--- unterminated comment
kernel void k(void) { }
/* this never ends
//@1 error: unterminated /* comment
//--- unterminated string
constant char s[] = "abc;
//                  ^ error: expected expression
//                  ^ warning: missing terminating '"' character [-Winvalid-pp-token]
//--- unterminated character constant
constant char c = 'a;
//                ^ error: expected expression
//                ^ warning: missing terminating ' character [-Winvalid-pp-token]
//--- empty character constant
constant char c = '';
//                ^ error: expected expression
//                ^ warning: empty character constant [-Winvalid-pp-token]
//--- unknown escape sequence
constant char c = '\q';
//                 ^ warning: unknown escape sequence '\q' [-Wunknown-escape-sequence]
//--- hexadecimal escape sequence without digits
constant char c = '\x';
//                 ^ error: \x used with no following hex digits
//--- hexadecimal escape sequence out of range
constant char s[] = "\x1234";
//                   ^ error: hex escape sequence out of range
//--- octal escape sequence out of range
constant char s[] = "\777";
//                   ^ error: octal escape sequence out of range
//--- digit that is not octal
constant int c = 089;
//                ^ error: invalid digit '8' in octal constant
//--- digit that is not binary
constant int c = 0b12;
//                  ^ error: invalid digit '2' in binary constant
//--- hexadecimal constant without digits
constant int c = 0x;
//                ^ error: invalid suffix 'x' on integer constant
//--- suffix of an integer
constant int c = 12abc;
//                 ^ error: invalid suffix 'abc' on integer constant
//--- suffix of an integer that C++ has
constant int c = 12uz;
//                 ^ error: invalid suffix 'uz' on integer constant
//--- three times long
constant long c = 1lll;
//                 ^ error: invalid suffix 'lll' on integer constant
//--- mixed case of long
constant long c = 1lL;
//                 ^ error: invalid suffix 'lL' on integer constant
//--- suffix of a floating-point number
constant float c = 1.0x;
//                    ^ error: invalid suffix 'x' on floating constant
//--- suffix of half without the extension | no:cl_khr_fp16
kernel void k(global float *p) { *p = 1.0h; }
//                                    ^ error: half precision constant requires cl_khr_fp16
//--- exponent without digits
constant float c = 1.0e;
//                    ^ error: exponent has no digits
//--- hexadecimal floating-point number without exponent
constant float c = 0x1.8;
//                      ^ error: hexadecimal floating constant requires an exponent
//--- integer that no type represents | clang:accepts
constant ulong c = 18446744073709551616;
//                 ^ error: integer literal is too large to be represented in any integer type
//--- floating-point number that is too large
constant float c = 1.0e50f;
//                 ^ warning: magnitude of floating-point constant too large for type 'float' [-Wliteral-range]
//--- floating-point number that is too small is accepted
constant float c = 1.0e-60f;
//--- two points
constant float c = 1.2.3;
//                    ^ error: invalid suffix '.3' on floating constant
//--- character that no token has
constant int c = 1 @ 2;
//                ^ error: expected ';' after top level declarator
//--- backslash
constant int c = 1 \ 2;
//                ^ error: expected ';' after top level declarator
//--- question mark alone
constant int c = ?;
//               ^ error: expected expression
//                ^ error: expected ':'
//                ^ error: expected expression
//--- dollar in a name is accepted
constant int a$b = 1;
//--- wide string
constant int *s = L"abc";
//            ^ error: program scope variable must reside in constant address space
//                ^ error: wide string literals are not supported in OpenCL
//--- wide character is accepted
constant int c = L'a';
//--- several characters in one constant
constant int c = 'ab';
//               ^ warning: multi-character character constant [-Wmultichar]
//--- keyword as a name
kernel void k(int float) { }
//                ^ error: cannot combine with previous 'int' declaration specifier
//--- vector type as a name is accepted
kernel void k(void) { int float4 = 1; }
//--- unbalanced brace at the end
kernel void k(void) { if (1) {
//@2:1 error: expected '}'
//@2:1 error: expected '}'
//--- brace too many
kernel void k(void) { } }
//                      ^ error: extraneous closing brace ('}')
//--- parenthesis not closed
kernel void k(global int *p) { *p = (1 + 2; }
//                                        ^ error: expected ')'
//--- bracket not closed
kernel void k(global int *p) { p[0 = 1; }
//                                 ^ error: expression is not assignable
//                                    ^ error: expected ']'
//--- bracket closed by a parenthesis
kernel void k(global int *p) { p[0) = 1; }
//                                ^ error: expected ']'
//--- text outside of functions
hello
//@1 error: unknown type name 'hello'
//--- number outside of functions
42;
//@1 error: expected identifier or '('
//--- operator outside of functions
+ int x;
//@1 error: expected identifier or '('
//--- nested comment
/* a /* b */ c */
//           ^ error: unknown type name 'c'
//--- correct: continued lines
kernel void k(global int *p) { *p = 1 + \
 2; }
//--- correct: digraphs
kernel void k(global int *p) <% p<:0:> = 1; %>
//--- correct: all forms of numbers
kernel void k(global float *p) {
  p[0] = 0x1p3f + 1e3f + .5f + 1.f + 0x.8p0f + 0b101 + 017 + 0xFFu + 1UL + 1lu + 1.0;
}
//--- correct: escapes
kernel void k(global char *p) { p[0] = '\n' + '\x41' + '\101' + '\\' + '\'' + '\"' + '\a' + '\0'; }
//                                                                                        ^ warning: implicit conversion from 'int' to 'char' changes value from 312 to 56 [-Wconstant-conversion]
//--- correct: adjacent strings
kernel void k(void) { printf("a" "b\n"); }
