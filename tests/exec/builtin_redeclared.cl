//! global: 64
//! local: 16
//! arg 0: i32[64] = i
//! arg 1: local 64
//! expect 0: (i / 16 * 16 + 15 - i % 16) * 2 + 5
// Declarations with the prototype of a built-in function are about that function, unless the program defines it.
void __attribute__((overloadable)) barrier(cl_mem_fence_flags flags);
int __attribute__((overloadable)) max(int a, int b);
int __attribute__((overloadable)) min(int a, int b);

void wait_for_all(void) { barrier(CLK_LOCAL_MEM_FENCE); }

__kernel void test(__global int *a, __local int *s)
{
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    wait_for_all();
    int v = s[15 - l];
    a[get_global_id(0)] = max(v, -1) + min(v, 5);
}

int __attribute__((overloadable)) min(int a, int b) { return a + b; }
