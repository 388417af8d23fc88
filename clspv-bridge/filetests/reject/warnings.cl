// Options and pragmas for warnings, and the groups that messages name.

//--- a warning names its group
#define A 1
#define A 2
//      ^ warning: 'A' macro redefined [-Wmacro-redefined]
//--- warnings off | -w
#define A 1
#define A 2
//--- a group off | -Wno-macro-redefined
#define A 1
#define A 2
//--- another group off | -Wno-unused-value
#define A 1
#define A 2
//      ^ warning: 'A' macro redefined [-Wmacro-redefined]
//--- a group on again | -Wno-macro-redefined -Wmacro-redefined
#define A 1
#define A 2
//      ^ warning: 'A' macro redefined [-Wmacro-redefined]
//--- a group as errors | -Werror=macro-redefined
#define A 1
#define A 2
//      ^ error: 'A' macro redefined [-Werror,-Wmacro-redefined]
//--- another group as errors | -Werror=unused-value
#define A 1
#define A 2
//      ^ warning: 'A' macro redefined [-Wmacro-redefined]
//--- all as errors but one group | -Werror -Wno-error=macro-redefined
#define A 1
#define A 2
//      ^ warning: 'A' macro redefined [-Wmacro-redefined]
//--- all as errors, one group off | -Werror -Wno-macro-redefined
#define A 1
#define A 2
//--- no errors again | -Werror -Wno-error
#define A 1
#define A 2
//      ^ warning: 'A' macro redefined [-Wmacro-redefined]
//--- the last option wins | -Werror=macro-redefined -Wno-macro-redefined
#define A 1
#define A 2
//--- a parent group off | -Wno-unused
kernel void k(int n) { n + 1; n == 2; }
//--- a parent group as errors | -Werror=unused
kernel void k(int n) { n + 1; n == 2; }
//                       ^ error: expression result unused [-Werror,-Wunused-value]
//                              ^ error: equality comparison result unused [-Werror,-Wunused-comparison]
//--- ignored in the source
#pragma clang diagnostic ignored "-Wunused-value"
kernel void k(int n) { n + 1; }
//--- ignored in the spelling of GCC
#pragma GCC diagnostic ignored "-Wunused-value"
kernel void k(int n) { n + 1; }
//--- an error in the source
#pragma clang diagnostic error "-Wunused-value"
kernel void k(int n) { n + 1; }
//                       ^ error: expression result unused [-Werror,-Wunused-value]
//--- a warning in the source | -Werror
#pragma clang diagnostic warning "-Wunused-value"
kernel void k(int n) { n + 1; }
//                       ^ warning: expression result unused [-Wunused-value]
//--- a warning in the source that an option turned off | -Wno-unused-value
#pragma clang diagnostic warning "-Wunused-value"
kernel void k(int n) { n + 1; }
//                       ^ warning: expression result unused [-Wunused-value]
//--- fatal in the source
#pragma clang diagnostic fatal "-Wunused-value"
kernel void k(int n) { n + 1; }
//                       ^ fatal error: expression result unused [-Wunused-value]
//--- pushed and popped
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-value"
void f(int n) { n + 1; }
#pragma clang diagnostic pop
void g(int n) { n + 1; }
//                ^ warning: expression result unused [-Wunused-value]
//--- pushed twice
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-value"
#pragma clang diagnostic push
#pragma clang diagnostic error "-Wunused-value"
void f(int n) { n + 1; }
//                ^ error: expression result unused [-Werror,-Wunused-value]
#pragma clang diagnostic pop
void g(int n) { n + 1; }
#pragma clang diagnostic pop
void h(int n) { n + 1; }
//                ^ warning: expression result unused [-Wunused-value]
//--- ignored for the preprocessor
#define A 1
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmacro-redefined"
#define A 2
#pragma clang diagnostic pop
#define A 3
//      ^ warning: 'A' macro redefined [-Wmacro-redefined]
//--- pragma in a macro
#define QUIET _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunused-value\"")
#define LOUD _Pragma("clang diagnostic pop")
QUIET
void f(int n) { n + 1; }
LOUD
void g(int n) { n + 1; }
//                ^ warning: expression result unused [-Wunused-value]
//--- pragma in the middle of a function
kernel void k(int n) {
#pragma clang diagnostic ignored "-Wunused-value"
  n + 1;
#pragma clang diagnostic warning "-Wunused-value"
  n + 2;
//  ^ warning: expression result unused [-Wunused-value]
}
//--- pop without push
#pragma clang diagnostic pop
//                       ^ warning: pragma diagnostic pop could not pop, no matching push [-Wunknown-pragmas]
//--- unknown group in a pragma
#pragma clang diagnostic ignored "-Wtelepathy"
kernel void k(void) { }
//--- group without -W
#pragma clang diagnostic ignored "unused-value"
//                               ^ warning: pragma diagnostic expected option name (e.g. "-Wundef") [-Wunknown-pragmas]
kernel void k(void) { }
//--- group without quotes
#pragma clang diagnostic ignored -Wunused-value
//                                        ^ error: expected string literal in pragma diagnostic
kernel void k(void) { }
//--- unknown kind of pragma
#pragma clang diagnostic maybe "-Wunused-value"
//                             ^ warning: pragma diagnostic expected 'error', 'warning', 'ignored', 'fatal', 'push', or 'pop' [-Wunknown-pragmas]
kernel void k(void) { }
//--- an error cannot be turned off
#pragma clang diagnostic ignored "-Wunused-value"
kernel void k(void) { missing; }
//                    ^ error: use of undeclared identifier 'missing'
//--- notes of a warning that is off
#pragma clang diagnostic ignored "-Wmacro-redefined"
#define A 1
#define A 2
constant int x = missing;
//               ^ error: use of undeclared identifier 'missing'
//--- pointers as integers, off | -Wno-int-conversion
kernel void k(global int *p) { p[0] = p; }
//--- pointers as integers, errors | -Werror=int-conversion
kernel void k(global int *p) { p[0] = p; }
//                                  ^ error: incompatible pointer to integer conversion assigning to '__global int' from '__global int *__private'; dereference with * [-Werror,-Wint-conversion]
//--- everything off by name | -Wno-everything
kernel void k(global int *p) { p[0] = p; p[0] == 1; }
