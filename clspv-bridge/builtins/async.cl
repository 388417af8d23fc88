// Asynchronous copies (section 6.15.11): done at once by all work-items of the group; waiting is a barrier.
//
// pc_async_copy_<to><from>_<bytes>: n elements, each `per` units of the given size, elements `ds` and `ss` elements apart.
#include "common.h"

#define PC_ASYNC(name, D, S, T) \
    void name(D T *dst, const S T *src, ulong n, ulong ds, ulong ss, ulong per) \
    { \
        ulong total = n * per, step = get_local_size(0) * get_local_size(1) * get_local_size(2); \
        ulong first = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); \
        if (per == 1) { \
            for (ulong i = first; i < n; i += step) dst[i * ds] = src[i * ss]; \
        } else { \
            for (ulong i = first; i < total; i += step) { \
                ulong e = i / per, u = i % per; \
                dst[e * ds * per + u] = src[e * ss * per + u]; \
            } \
        } \
    }
#define PC_ASYNC_BOTH(T, bytes) PC_ASYNC(pc_async_copy_lg_##bytes, __local, __global, T) PC_ASYNC(pc_async_copy_gl_##bytes, __global, __local, T)
PC_ASYNC_BOTH(uchar, 1)
PC_ASYNC_BOTH(ushort, 2)
PC_ASYNC_BOTH(uint, 4)
PC_ASYNC_BOTH(uint2, 8)
PC_ASYNC_BOTH(uint4, 16)

void pc_wait_group_events(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
