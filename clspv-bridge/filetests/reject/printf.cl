// printf (OpenCL C, section 6.15.14).

//--- without arguments
kernel void k(void) { printf(); }
//                    ^ error: no matching function for call to 'printf'
//--- format that is not a string
kernel void k(int n) { printf(n); }
//                            ^ warning: incompatible integer to pointer conversion passing '__private int' to parameter of type '__constant char *' [-Wint-conversion]
//--- format that is a float
kernel void k(void) { printf(1.0f); }
//                           ^ error: passing 'float' to parameter of incompatible type '__constant char *'
//--- format in global memory
kernel void k(global char *s) { printf(s); }
//                                     ^ error: passing '__global char *__private' to parameter of type '__constant char *' changes address space of pointer
//--- format in private memory
kernel void k(void) { char s[] = "a"; printf(s); }
//                                           ^ error: passing '__private char[2]' to parameter of type '__constant char *' changes address space of pointer
//--- argument with an error
kernel void k(void) { printf("%d", missing); }
//                                 ^ error: use of undeclared identifier 'missing'
//--- argument that is a structure is accepted
struct s { int x; };
kernel void k(struct s s) { printf("%d", s); }
//--- argument that is void
void f(void);
kernel void k(void) { printf("%d", f()); }
//                                 ^ error: argument type 'void' is incomplete
//--- result that is a string
kernel void k(global float4 *p) { *p = printf("a"); float2 v = p[0]; }
//                                                         ^ error: initializing '__private float2' (vector of 2 'float' values) with an expression of incompatible type '__global float4' (vector of 4 'float' values)
//--- string not closed
kernel void k(void) { printf("a); }
//                           ^ error: expected ')'
//                           ^ error: expected expression
//                           ^ warning: missing terminating '"' character [-Winvalid-pp-token]
//@2:1 error: expected '}'
//--- correct: printf
constant char format[] = "%d\n";
kernel void k(global int *p, float4 v, long l) {
  printf("a\n"); printf("%d %5.2f %x\n", p[0], 1.0f, 3u); printf("%v4f %v4hlf %p %s %c %%\n", v, v, p, "text", 'c');
  printf(format, 1); int n = printf("%ld\n", l); printf("%f\n", n ? 1.0 : 2.0); printf("%hhd\n", (char)1);
}
