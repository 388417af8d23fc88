//! test cl
// error: recursion
// error: <stdin>:4
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1) + factorial(n - 2) * n; }
kernel void k(global int *p) { *p = factorial(*p); }
