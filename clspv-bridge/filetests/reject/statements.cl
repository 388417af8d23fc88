// Statements and labels (C99, section 6.8).

//--- break outside of a loop
kernel void k(void) { break; }
//                    ^ error: 'break' statement not in loop or switch statement
//--- continue outside of a loop
kernel void k(void) { continue; }
//                    ^ error: 'continue' statement not in loop statement
//--- continue in a switch
kernel void k(int n) { switch (n) { case 1: continue; } }
//                                          ^ error: 'continue' statement not in loop statement
//--- case outside of a switch
kernel void k(void) { case 1: ; }
//                    ^ error: 'case' statement not in switch statement
//--- default outside of a switch
kernel void k(void) { default: ; }
//                    ^ error: 'default' statement not in switch statement
//--- case twice
kernel void k(int n) { switch (n) { case 1: break; case 1: break; } }
//                                                      ^ error: duplicate case value '1'
//--- case twice as a character
kernel void k(int n) { switch (n) { case 'a': break; case 97: break; } }
//                                                        ^ error: duplicate case value '97'
//--- default twice
kernel void k(int n) { switch (n) { default: break; default: break; } }
//                                                  ^ error: multiple default labels in one switch
//--- case in the range of another
kernel void k(int n) { switch (n) { case 1 ... 5: break; case 3: break; } }
//                                                            ^ error: duplicate case value '3'
//--- empty range
kernel void k(int n) { switch (n) { case 5 ... 1: break; } }
//                                       ^ warning: empty case range specified
//--- case that is not constant
kernel void k(int n, int m) { switch (n) { case m: break; } }
//                                              ^ error: expression is not an integer constant expression
//--- case that is a float
kernel void k(int n) { switch (n) { case 1.0f: break; } }
//                                       ^ error: integer constant expression must have integer type, not 'float'
//--- case without a value
kernel void k(int n) { switch (n) { case : break; } }
//                                       ^ error: expected expression
//--- case without a colon
kernel void k(int n) { switch (n) { case 1 break; } }
//                                        ^ error: expected ':' after 'case'
//--- case that does not fit is accepted
kernel void k(uchar n) { switch (n) { case 300: break; } }
//--- switch on a float
kernel void k(float f) { switch (f) { case 1: break; } }
//                               ^ error: statement requires expression of integer type ('float' invalid)
//--- switch on a pointer
kernel void k(global int *p) { switch (p) { } }
//                                     ^ error: statement requires expression of integer type ('__global int *' invalid)
//--- switch on a structure
struct s { int x; };
kernel void k(struct s s) { switch (s) { } }
//                                  ^ error: statement requires expression of integer type ('struct s' invalid)
//--- switch without parentheses
kernel void k(int n) { switch n { } }
//                            ^ error: expected '(' after 'switch'
//--- goto without a label
kernel void k(void) { goto out; }
//                         ^ error: use of undeclared label 'out'
//--- goto a label of another function
void f(void) { out: ; }
kernel void k(void) { goto out; }
//                         ^ error: use of undeclared label 'out'
//--- label twice
kernel void k(void) { out: ; out: ; }
//                           ^ error: redefinition of label 'out'
//--- goto a number
kernel void k(void) { goto 1; }
//                         ^ error: expected identifier
//--- computed goto
kernel void k(global int *p) { goto *p; }
//                                  ^ error: expected identifier
//--- address of a label | clang:accepts
kernel void k(void) { out: ; &&out; }
//                           ^ error: expected expression
//                             ^ error: use of undeclared identifier 'out'
//--- if without parentheses
kernel void k(int n) { if n { } }
//                        ^ error: expected '(' after 'if'
//--- if without a condition
kernel void k(void) { if () { } }
//                        ^ error: expected expression
//--- if with an unclosed condition
kernel void k(int n) { if (n { } }
//                           ^ error: expected ')'
//                               ^ error: expected expression
//--- else alone
kernel void k(void) { else { } }
//                    ^ error: expected expression
//--- else after a semicolon
kernel void k(int n) { if (n) ; ; else { } }
//                                ^ error: expected expression
//--- while without a condition
kernel void k(void) { while () { } }
//                           ^ error: expected expression
//--- do without while
kernel void k(void) { do { } }
//                           ^ error: expected 'while' in do/while loop
//--- do without a semicolon
kernel void k(void) { do { } while (0) }
//                                    ^ error: expected ';' after do/while statement
//--- for with commas
kernel void k(void) { for (int i = 0, i < 3, i++) { } }
//                                    ^ error: redefinition of 'i'
//                                     ^ error: expected ';' at end of declaration
//--- for with one semicolon
kernel void k(void) { for (int i = 0; i < 3) { } }
//                                         ^ error: expected ';' in 'for' statement specifier
//--- for with three semicolons
kernel void k(void) { for (int i = 0; i < 3; i++;) { } }
//                                              ^ error: expected ')'
//                                               ^ error: expected expression
//--- variable of a loop after it
kernel void k(global int *p) { for (int i = 0; i < 3; i++) { } *p = i; }
//                                                                  ^ error: use of undeclared identifier 'i'
//--- variable of a block after it
kernel void k(global int *p) { { int x = 1; } *p = x; }
//                                                 ^ error: use of undeclared identifier 'x'
//--- declaration as the body of an if
kernel void k(int n) { if (n) int x = 1; }
//                            ^ error: expected statement
//--- return of an undeclared name
int f(void) { return missing; }
//                   ^ error: use of undeclared identifier 'missing'
//--- return without a semicolon
int f(void) { return 1 }
//                    ^ error: expected ';' after return statement
//--- break without a semicolon
kernel void k(void) { for (;;) { break } }
//                                    ^ error: expected ';' after break statement
//--- expression without a semicolon
kernel void k(global int *p) { p[0] = 1 }
//                                     ^ error: expected ';' after expression
//--- statement outside of functions
for (;;) { }
//@1 error: expected identifier or '('
//--- return outside of functions
return 1;
//@1 error: expected identifier or '('
//--- inline assembly
kernel void k(void) { asm("nop"); }
//                    ^ error: use of undeclared identifier 'asm'
//--- inline assembly outside of functions | clang:accepts
__asm__("nop");
//@1 error: inline assembly is not supported in OpenCL
//--- exceptions
kernel void k(void) { try { } catch (...) { } }
//                    ^ error: use of undeclared identifier 'try'
//--- new
kernel void k(void) { int *p = new int; }
//                             ^ error: use of undeclared identifier 'new'
//--- unroll of no loop
kernel void k(int n) {
  #pragma unroll
  n++;
//^ error: expected a for, while, or do-while loop to follow '#pragma unroll'
}
//--- unroll attribute of no loop
kernel void k(int n) { __attribute__((opencl_unroll_hint(2))) n++; }
//                                    ^ error: 'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements
//--- unroll with a bad number | clang:rejects
kernel void k(void) {
  #pragma unroll 0.5
//        ^ warning: invalid operand of '#pragma unroll' - ignoring [-Wignored-pragmas]
  for (int i = 0; i < 3; i++) { }
}
//--- structure as a condition of a loop
struct s { int x; };
kernel void k(struct s s) { for (; s;) { } }
//                                 ^ error: statement requires expression of scalar type ('struct s' invalid)
//--- void as a condition
void f(void);
kernel void k(void) { do { } while (f()); }
//                                  ^ error: statement requires expression of scalar type ('void' invalid)
//--- several errors in one function
kernel void k(global int *p) {
  p[0] = a;
//       ^ error: use of undeclared identifier 'a'
  p[1] = b;
//       ^ error: use of undeclared identifier 'b'
  int c = p;
//    ^ warning: incompatible pointer to integer conversion initializing '__private int' with an expression of type '__global int *__private'; dereference with * [-Wint-conversion]
  break;
//^ error: 'break' statement not in loop or switch statement
}
//--- errors in two functions
void f(void) { a = 1; }
//             ^ error: use of undeclared identifier 'a'
kernel void k(void) { b = 1; }
//                    ^ error: use of undeclared identifier 'b'
//--- switch with a declaration before the first case is accepted
kernel void k(int n) { switch (n) { int x; case 1: x = n; } }
//--- correct: statements
kernel void k(global int *p, int n, uchar c) {
  for (int i = 0, j = 1; i < n; i++, j--) { if (i == 3) continue; else if (i > 5) break; p[i] = j; }
  while (n--) ; do n += 2; while (n < 5); switch (n) { case 1: case 2 ... 4: n = 5; break; default: n = 6; }
  switch (c) { case 'a': { goto out; } case 0xff: return; }
  #pragma unroll 4
  for (int i = 0; i < 4; i++) p[i]++;
  __attribute__((opencl_unroll_hint)) for (;;) { break; }
  { int n = 1; (void)n; } ; out: p[1] = 1; if (n) { } else ; switch (n) case 1: p[2] = 3; goto end; end: ;
}
//--- assignments as conditions
kernel void k(global int *p) {
    if (*p = 1) *p = 2;
//         ^ warning: using the result of an assignment as a condition without parentheses [-Wparentheses]
    while (*p |= 1) *p = 2;
//            ^ warning: using the result of an assignment as a condition without parentheses [-Wparentheses]
    if ((*p = 1)) *p = 2;
    while (*p += 1) *p = 2;
    switch (*p = 1) { case 1: break; }
}
//--- an assignment as a condition, silenced | -Wno-parentheses
kernel void k(global int *p) { if (*p = 1) *p = 2; }
