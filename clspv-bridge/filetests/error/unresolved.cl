//! test cl
// error: unresolved
// error: missing_function
// error: <stdin>:6: error: kernel 'k'
int missing_function(int x);
kernel void k(global int *p) { *p = missing_function(*p); }
