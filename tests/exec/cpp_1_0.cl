//! options: -cl-std=CLC++
//! require: cl_ext_cxx_for_opencl
//! global: 16
//! arg 0: i32[16] = 0
//! expect 0: i * 2 + 7
// C++ for OpenCL 1.0, which is what the device query names.
static_assert(__OPENCL_CPP_VERSION__ == 100, "1.0");
template <typename T> T twice(const T &x) { return x + x; }
int offset = 7;
kernel void test(global int *r)
{
    auto i = get_global_id(0);
    r[i] = static_cast<int>(twice(i)) + offset;
}
