//! test cl
// error: printf
// error: <stdin>:5:5: error: kernel 'k'
kernel void k(global int *p) {
    printf("%d", *p);
}
