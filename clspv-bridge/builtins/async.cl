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

// pc_async_copy_3d_<to><from> (cl_khr_extended_async_copies): planes of lines of elements; lengths of lines and planes in
// elements.
#define PC_ASYNC_3D(name, D, S) \
    void name(D uchar *dst, const S uchar *src, ulong bytes, ulong elements, ulong lines, ulong planes, ulong src_line, \
        ulong src_plane, ulong dst_line, ulong dst_plane) \
    { \
        ulong line = bytes * elements, total = line * lines * planes, step = get_local_size(0) * get_local_size(1) * get_local_size(2); \
        ulong first = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); \
        ulong all = bytes | (ulong)dst | (ulong)src; \
        if ((all & 3) == 0) { \
            for (ulong i = first; i < total / 4; i += step) { \
                ulong row = i / (line / 4), at = i % (line / 4) * 4, plane = row / lines; \
                row %= lines; \
                *(D uint *)(dst + (plane * dst_plane + row * dst_line) * bytes + at) = \
                    *(const S uint *)(src + (plane * src_plane + row * src_line) * bytes + at); \
            } \
        } else { \
            for (ulong i = first; i < total; i += step) { \
                ulong row = i / line, at = i % line, plane = row / lines; \
                row %= lines; \
                dst[(plane * dst_plane + row * dst_line) * bytes + at] = src[(plane * src_plane + row * src_line) * bytes + at]; \
            } \
        } \
    }
PC_ASYNC_3D(pc_async_copy_3d_lg, __local, __global)
PC_ASYNC_3D(pc_async_copy_3d_gl, __global, __local)
