//! options: -Werror
//! global: 1
//! arg 0: i32[1] = 0
//! error: type specifier missing
// What is accepted with a warning is an error with -Werror.
kernel void test(global int *r, k) { *r = k; }
