//! test cl
// expect: OpEntryPoint
typedef struct { float x; char tag; long id; int3 v; } item;
typedef union { float f; uint u; uchar b[4]; } bits;
typedef struct __attribute__((packed)) { char c; int i; } odd;
static item next(item it, int k) { it.x *= k; it.id += k; it.v.y = k; return it; }
kernel void structs(global item *items, item by_value, global odd *odds, bits b, int n) {
    size_t i = get_global_id(0);
    item copy = items[i], all[3];
    for (int k = 0; k < 3; k++) all[k] = next(copy, k);
    items[i] = all[n % 3];
    items[i].x += by_value.x + b.f + b.b[1];
    odds[i].i += odds[i + 1].c;
}
