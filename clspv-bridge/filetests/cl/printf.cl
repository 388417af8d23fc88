//! test cl
// expect: OpAtomicIAdd
// expect: OpStore
constant char greeting[] = "hello";
void say(constant char *format, int x) {
    printf(format, x, greeting);
}
kernel void k(global int *p, global float *f) {
    say("%d %s\n", p[0]);
    p[1] = printf("%v4hlf %c\n", vload4(0, f), 'x');
    printf(p[2] ? "yes %d" : "no %d", p[3]);
}
