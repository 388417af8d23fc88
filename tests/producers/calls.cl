// Kernels that a test of SPIR-V producers launches: calls, a structure by value, tables, local memory, one kernel that
// calls another.
typedef struct {
    int a;
    float b[4];
    char c;
} record;

constant int table[4] = {1, 2, 3, 4};

int weighted(global const int *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i] * table[i & 3];
    return sum;
}

kernel void calls(global const int *in, global int *out, record r, int n) {
    out[get_global_id(0)] += weighted(in + get_global_id(0), n) + r.a + (int)r.b[1] + r.c;
}

kernel void calls_kernel(global const int *in, global int *out, record r) { calls(in, out, r, 3); }

kernel void reversed(global const int *in, global int *out, local int *l) {
    local int m[64];
    size_t k = get_local_id(0), last = get_local_size(0) - 1;
    m[k] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    l[k] = m[last - k];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l[k] + (int)fabs(convert_float2((int2)(in[0], -7)).y);
}
