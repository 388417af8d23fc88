//! test cl
// expect: OpEntryPoint
void add(int *p, int x) { *p += x; }
int get(const int *p, int i) { return p[i]; }
kernel void generic_pointers(global int *g, local int *l) {
    int own[2] = {1, 2};
    l[0] = 3;
    add(g, get(own, 1));
    add(l, get(g, 2));
    add(own, l[0]);
    g[4] = own[0];
}
