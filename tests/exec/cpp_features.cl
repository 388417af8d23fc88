//! options: -cl-std=CLC++2021
//! require: cl_ext_cxx_for_opencl
//! kernel: count test
//! global: 32
//! local: 8
//! arg 0: i32[32] = i * 3 - 11
//! arg 1: i32[32] = 0
//! arg 2: local 64
//! expect 1: 0
// C++ for OpenCL: templates, classes, references, lambdas, overloads, methods for an address space, casts, variables.
static_assert(__OPENCL_CPP_VERSION__ == 202100, "the version that is asked for");
template <typename T, int N> struct vec {
    T v[N];
    vec() { for (auto &x : v) x = 0; }
    explicit vec(T x) { for (auto &y : v) y = x; }
    T &operator[](int i) { return v[i]; }
    const T &operator[](int i) const { return v[i]; }
    T dot(const vec &o) const
    {
        T s = 0;
        for (int i = 0; i < N; i++)
            s += v[i] * o.v[i];
        return s;
    }
    friend vec operator+(const vec &x, const vec &y)
    {
        vec z;
        for (int i = 0; i < N; i++)
            z[i] = x[i] + y[i];
        return z;
    }
};
template <typename T> T sum(T x) { return x; }
template <typename T, typename... R> T sum(T x, R... rest) { return x + sum(rest...); }
template <int N> struct factorial { static constexpr int value = N * factorial<N - 1>::value; };
template <> struct factorial<0> { static constexpr int value = 1; };
class base {
public:
    int a;
    base(int x) : a(x) {}
    int get() const { return a; }
    int get() const __local { return -a; }
    int get() const __global { return 1000 + a; }
    ~base() { a = 0; }
};
class derived : public base {
protected:
    int b;
public:
    derived(int x, int y) : base(x), b(y) {}
    int both() const { return get() * 10 + b; }
};
enum class mode : uchar { add = 3, mul };
namespace one { namespace two { constexpr int k = 7; int f(int x) { return x * k; } int f(float x) { return (int)x; } } }
using one::two::f;
struct plain { int x; float y; };
int counter = 5;
__global plain table[2] = {{1, 2.5f}, {.x = 3, .y = 4.5f}};
void swap(int &x, int &y)
{
    int z = x;
    x = y;
    y = z;
}
template <typename F> int apply(F f, int x) { return f(x) + f(x + 1); }
kernel void count(global const int *a, global int *r, local int *l)
{
    if (get_global_id(0) == 0) {
        counter += 2;
        table[1].x = 44;
    }
}
kernel void test(global const int *a, global int *r, local int *l)
{
    size_t i = get_global_id(0), j = get_local_id(0);
    int x = a[i], bad = 0;
    vec<int, 4> u(x), w;
    w[2] = 3;
    w[0] = 1;
    bad |= u.dot(w) != 4 * x;
    bad |= ((u + w)[2] != x + 3 || (u + w)[3] != x) << 1;
    vec<float, 3> fs(0.5f);
    bad |= (fs.dot(fs) != 0.75f) << 2;
    auto add = [&](int k) { return u[k & 3] + k; };
    bad |= (apply(add, 1) != 2 * x + 3) << 3;
    derived d{x, 4};
    bad |= (d.both() != x * 10 + 4) << 4;
    auto *here = (__local base *)l + j;
    here->a = x;
    bad |= (here->get() != -x) << 5;
    const base *either = (x & 1) ? static_cast<const base *>(&d) : here;
    bad |= (either->get() != x) << 6;
    bad |= (sum(1, 2, x) != x + 3 || factorial<5>::value != 120) << 7;
    mode m = (x & 1) ? mode::add : mode::mul;
    bad |= (static_cast<int>(m) != ((x & 1) ? 3 : 4) || f(2) != 14 || f(2.75f) != 2) << 8;
    int p = x, q = 9;
    swap(p, q);
    bad |= (p != 9 || q != x) << 9;
    bad |= (counter != 7 || table[1].x != 44 || table[0].y != 2.5f) << 10;
    auto *back = addrspace_cast<int *>(&r[i]);
    *back = 77;
    bad |= (r[i] != 77 || back == nullptr) << 11;
    bool all = true;
    const int steps[] = {1, 2, 3};
    for (int k : steps)
        all = all && k * x == sum(x * (k - 1), x);
    bad |= !all << 12;
    plain local_copy = table[0], &alias = local_copy;
    alias.x = x;
    bad |= (local_copy.x != x || as_int(local_copy.y) != 0x40200000) << 13;
    r[i] = bad;
}
