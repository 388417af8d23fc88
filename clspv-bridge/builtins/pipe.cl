// Pipes (section 6.15.16): a ring of packets in global memory, laid out as `abi::pipe` says.
//
// Counters of packets grow without end, and packet `at` lies in slot `at & mask`. Reserving moves a counter of reservations.
// Commits may come in any order, but become visible in that of the reservations: a commit marks its slots, then moves the
// counter of commits over every marked slot in front of it. Marking and looking at marks are read-modify-write operations,
// so of two commits that meet, the later one sees the other's marks and none is left behind. A slot's mark is `lap` when it is
// free for the packet `at`, and `lap + 1` when it holds it, `lap` being `at & ~mask`. Nothing ever waits.
//
// A reservation is its number of packets in the high half and the first packet in the low one; 0 is none.
#include "common.h"
#define PC_PIPE __global uint *

// Device scope; acquire, or acquire and release.
#define PC_PIPE_ATOMIC(p) ((volatile __global atomic_uint *)(p))
#define PC_PIPE_LOAD(p) atomic_load_explicit(PC_PIPE_ATOMIC(p), memory_order_acquire, memory_scope_device)
#define PC_PIPE_LOOK(p) atomic_fetch_add_explicit(PC_PIPE_ATOMIC(p), 0u, memory_order_acq_rel, memory_scope_device)
#define PC_PIPE_SET(p, v) atomic_exchange_explicit(PC_PIPE_ATOMIC(p), v, memory_order_acq_rel, memory_scope_device)

static uint pc_pipe_cas(PC_PIPE p, uint old, uint new)
{
    atomic_compare_exchange_strong_explicit(
        PC_PIPE_ATOMIC(p), &old, new, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
    return old;
}

enum {
    PC_PIPE_MASK, PC_PIPE_MAX_PACKETS, PC_PIPE_PACKET_SIZE, PC_PIPE_PACKETS,
    PC_PIPE_WRITE_RESERVED = 16, PC_PIPE_WRITE_COMMITTED = 32, PC_PIPE_READ_RESERVED = 48, PC_PIPE_READ_COMMITTED = 64, PC_PIPE_MARKS = 80
};

// Moves counter `own` by `n`, if it stays at most `room` packets ahead of counter `other`.
static ulong pc_pipe_reserve(PC_PIPE p, uint own, uint other, uint room, uint n)
{
    uint first = PC_PIPE_LOAD(p + own);
    for (;;) {
        uint left = PC_PIPE_LOAD(p + other) + room - first;
        if ((int)left < 0 || n - 1 >= left) return 0;
        uint seen = pc_pipe_cas(p + own, first, first + n);
        if (seen == first) return (ulong)n << 32 | first;
        first = seen;
    }
}
ulong pc_pipe_reserve_write(PC_PIPE p, uint n) { return pc_pipe_reserve(p, PC_PIPE_WRITE_RESERVED, PC_PIPE_READ_COMMITTED, p[PC_PIPE_MAX_PACKETS], n); }
ulong pc_pipe_reserve_read(PC_PIPE p, uint n) { return pc_pipe_reserve(p, PC_PIPE_READ_RESERVED, PC_PIPE_WRITE_COMMITTED, 0, n); }

// Marks the packets with their laps and `done` more, and moves the counter over all that are marked so.
static void pc_pipe_commit(PC_PIPE p, uint counter, uint done, ulong id)
{
    uint mask = p[PC_PIPE_MASK], first = (uint)id, n = (uint)(id >> 32);
    PC_PIPE marks = p + PC_PIPE_MARKS;
    if (n == 0) return;
    for (uint i = 0; i < n; i++) {
        uint at = first + i;
        PC_PIPE_SET(marks + (at & mask), (at & ~mask) + done);
    }
    uint at = PC_PIPE_LOOK(p + counter);
    for (;;) {
        int marked = PC_PIPE_LOOK(marks + (at & mask)) == (at & ~mask) + done;
        uint seen = marked ? pc_pipe_cas(p + counter, at, at + 1) : PC_PIPE_LOOK(p + counter);
        if (seen != at) {
            at = seen;
        } else if (marked) {
            at += 1;
        } else {
            break;
        }
    }
}
void pc_pipe_commit_write(PC_PIPE p, ulong id) { pc_pipe_commit(p, PC_PIPE_WRITE_COMMITTED, 1, id); }
void pc_pipe_commit_read(PC_PIPE p, ulong id) { pc_pipe_commit(p, PC_PIPE_READ_COMMITTED, p[PC_PIPE_MASK] + 1, id); }

// Where packet `i` of a reservation lies.
__global uchar *pc_pipe_packet(PC_PIPE p, ulong id, uint i)
{
    return (__global uchar *)p + p[PC_PIPE_PACKETS] + (ulong)(((uint)id + i) & p[PC_PIPE_MASK]) * p[PC_PIPE_PACKET_SIZE];
}

uint pc_pipe_num_packets(PC_PIPE p)
{
    uint before = PC_PIPE_LOAD(p + PC_PIPE_READ_COMMITTED);
    return PC_PIPE_LOAD(p + PC_PIPE_WRITE_COMMITTED) - before;
}
uint pc_pipe_max_packets(PC_PIPE p) { return p[PC_PIPE_MAX_PACKETS]; }

// For a group: its first work-item reserves and commits, the latter when all have come so far.
static int pc_pipe_first(void) { return (get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0; }
#define PC_PIPE_GROUPS(what) \
    ulong pc_pipe_work_group_reserve_##what(PC_PIPE p, uint n) \
    { \
        ulong id = 0; \
        if (pc_pipe_first()) id = pc_pipe_reserve_##what(p, n); \
        return work_group_broadcast(id, 0); \
    } \
    void pc_pipe_work_group_commit_##what(PC_PIPE p, ulong id) \
    { \
        barrier(CLK_GLOBAL_MEM_FENCE); \
        if (pc_pipe_first()) pc_pipe_commit_##what(p, id); \
    } \
    ulong pc_pipe_sub_group_reserve_##what(PC_PIPE p, uint n) \
    { \
        ulong id = 0; \
        if (get_sub_group_local_id() == 0) id = pc_pipe_reserve_##what(p, n); \
        return sub_group_broadcast(id, 0); \
    } \
    void pc_pipe_sub_group_commit_##what(PC_PIPE p, ulong id) \
    { \
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE); \
        if (get_sub_group_local_id() == 0) pc_pipe_commit_##what(p, id); \
    }
PC_PIPE_GROUPS(write)
PC_PIPE_GROUPS(read)
