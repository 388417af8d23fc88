// cl_khr_extended_async_copies. The work-items copy at once; the event is that of a copy of nothing.
#define __PC_OV __attribute__((overloadable, convergent))
#define __PC_COPY(to, from, D, S) \
    void __attribute__((convergent)) pc_async_copy_3d_##to##from(D uchar *, const S uchar *, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t); \
    static inline event_t __PC_OV async_work_group_copy_2D2D(D void *dst, size_t dst_offset, const S void *src, size_t src_offset, \
        size_t bytes, size_t elements, size_t lines, size_t src_line, size_t dst_line, event_t event) \
    { \
        D uchar *to_##to = (D uchar *)dst + dst_offset * bytes; \
        const S uchar *from_##from = (const S uchar *)src + src_offset * bytes; \
        pc_async_copy_3d_##to##from(to_##to, from_##from, bytes, elements, lines, 1, src_line, 0, dst_line, 0); \
        return async_work_group_copy(to_##to, from_##from, (size_t)0, event); \
    } \
    static inline event_t __PC_OV async_work_group_copy_3D3D(D void *dst, size_t dst_offset, const S void *src, size_t src_offset, \
        size_t bytes, size_t elements, size_t lines, size_t planes, size_t src_line, size_t src_plane, size_t dst_line, \
        size_t dst_plane, event_t event) \
    { \
        D uchar *to_##to = (D uchar *)dst + dst_offset * bytes; \
        const S uchar *from_##from = (const S uchar *)src + src_offset * bytes; \
        pc_async_copy_3d_##to##from(to_##to, from_##from, bytes, elements, lines, planes, src_line, src_plane, dst_line, dst_plane); \
        return async_work_group_copy(to_##to, from_##from, (size_t)0, event); \
    }
__PC_COPY(l, g, __local, __global)
__PC_COPY(g, l, __global, __local)
#undef __PC_OV
#undef __PC_COPY
