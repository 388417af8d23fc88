// Copies of lines and planes, and fences between copies.
//! options: -cl-std=CL3.0
//! require: cl_khr_extended_async_copies cl_khr_async_work_group_copy_fence
//! global: 32
//! local: 16
//! arg 0: u8[512] = i
//! arg 1: u8[512] = 0
//! arg 2: u32[64] = i * 3
//! arg 3: u32[64] = 0
//! expect 1: i < 256 && i % 64 >= 8 && i % 64 < 56 && i % 8 < 4 ? i - 8 : 0
//! expect 3: i % 8 >= 1 && i % 8 < 5 && i / 8 >= 1 && i / 8 < 4 ? (i - 9) * 3 + 6 : 0
#if !defined(cl_khr_extended_async_copies) || !defined(cl_khr_async_work_group_copy_fence)
#error "a macro is missing"
#endif
kernel void test(global const uchar *in, global uchar *out, global const uint *words, global uint *to)
{
    local uchar l[512];
    local uint w[64];
    event_t e = 0;
    if (get_group_id(0) == 0) {
        // 4 planes of 6 lines of 4 bytes.
        e = async_work_group_copy_3D3D(l, 8, in, 0, 1, 4, 6, 4, 8, 64, 4, 32, e);
        async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
        e = async_work_group_copy_3D3D(out, 8, l, 8, 1, 4, 6, 4, 4, 32, 8, 64, e);
    } else {
        // 3 lines of 4 words.
        e = async_work_group_copy_2D2D(w, 1, words, 2, 4, 4, 3, 8, 5, e);
        async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
        e = async_work_group_copy_2D2D(to, 9, w, 1, 4, 4, 3, 5, 8, e);
    }
    wait_group_events(1, &e);
}
