//! Pipes (OpenCL C specification, section 6.15.14): packets of several types, in the order of a single
//! writer, by reservations of work-items, sub-groups and work-groups, full and empty pipes, and the objects.

use super::raw::*;
use super::{Context, Outcome, Sink, expect};
use std::ptr::{null, null_mut};
use test_support::cl::{Arg, Session};

/// A packet type: its name, its size, and functions that make a packet of a number and return the number, or
/// 0xffffffff if the packet is torn.
type Packet = (&'static str, u32, &'static str);

const PACKETS: &[Packet] = &[
    ("ushort", 2, "typedef ushort T; T make(uint n) { return n; } uint number(T p) { return p; }"),
    ("uint", 4, "typedef uint T; T make(uint n) { return n; } uint number(T p) { return p; }"),
    (
        "float2",
        8,
        "typedef float2 T; T make(uint n) { return (float2)(n, -0.5f * n); }
         uint number(T p) { return p.y == -0.5f * p.x ? (uint)p.x : 0xffffffffu; }",
    ),
    (
        "ulong4",
        32,
        "typedef ulong4 T; T make(uint n) { return (ulong4)(n, ~(ulong)n, n * 3ul, 7); }
         uint number(T p) { return all(p == (ulong4)(p.x, ~p.x, p.x * 3, 7)) ? (uint)p.x : 0xffffffffu; }",
    ),
    (
        "a structure of 13 bytes",
        13,
        "typedef struct __attribute__((packed)) { uint n; uchar fill[9]; } T;
         T make(uint n) { T p; p.n = n; for (uint i = 0; i < 9; i++) p.fill[i] = n + i; return p; }
         uint number(T p) { for (uint i = 0; i < 9; i++) if (p.fill[i] != (uchar)(p.n + i)) return 0xffffffffu; return p.n; }",
    ),
    (
        "a structure of 800 bytes",
        800,
        "typedef struct { uint n; uint fill[199]; } T;
         T make(uint n) { T p; p.n = n; for (uint i = 0; i < 199; i++) p.fill[i] = n + i; return p; }
         uint number(T p) { for (uint i = 0; i < 199; i++) if (p.fill[i] != p.n + i) return 0xffffffffu; return p.n; }",
    ),
];

const KERNELS: &str = "
kernel void counts(write_only pipe T p, global uint *out) {
    out[0] = get_pipe_num_packets(p);
    out[1] = get_pipe_max_packets(p);
}
kernel void put(write_only pipe T p, global uint *out) {
    uint i = get_global_id(0);
    T packet = make(i);
    out[i] = write_pipe(p, &packet) == 0 ? i : 0xffffffffu;
}
kernel void get(read_only pipe T p, global uint *out) {
    uint i = get_global_id(0);
    T packet;
    out[i] = read_pipe(p, &packet) == 0 ? number(packet) : 0xfffffffeu;
}
kernel void put_in_a_row(write_only pipe T p, global uint *out) {
    for (uint i = 0; i < COUNT; i++) {
        T packet = make(i);
        out[i] = write_pipe(p, &packet) == 0 ? i : 0xffffffffu;
    }
}
kernel void get_in_a_row(read_only pipe T p, global uint *out) {
    for (uint i = 0; i < COUNT; i++) {
        T packet;
        out[i] = read_pipe(p, &packet) == 0 ? number(packet) : 0xfffffffeu;
    }
}
";

/// Reservations of `SIZE` packets by `PREFIX`, one for each `MINE`; each is filled from its end.
const RESERVED: &str = "
kernel void put_reserved(write_only pipe T p, global uint *out) {
    reserve_id_t id = PREFIX(reserve_write_pipe)(p, SIZE);
    if (is_valid_reserve_id(id)) {
        EACH {
            uint at = SIZE - 1 - INDEX;
            T packet = make(FIRST + at);
            out[FIRST + at] = write_pipe(p, id, at, &packet) == 0 ? FIRST + at : 0xffffffffu;
        }
        PREFIX(commit_write_pipe)(p, id);
    }
}
kernel void get_reserved(read_only pipe T p, global uint *out) {
    reserve_id_t id = PREFIX(reserve_read_pipe)(p, SIZE);
    if (is_valid_reserve_id(id)) {
        EACH {
            T packet;
            out[FIRST + INDEX] = read_pipe(p, id, INDEX, &packet) == 0 ? number(packet) : 0xfffffffeu;
        }
        PREFIX(commit_read_pipe)(p, id);
    }
}
";

/// Scope of reservations: a name, and the macros that `RESERVED` uses. 240 packets in all.
const OWNERS: [(&str, &str, usize); 3] = [
    (
        "work-items",
        "#define PREFIX(f) f
         #define SIZE 4u
         #define EACH for (uint k = 0; k < 4; k++)
         #define INDEX k
         #define FIRST ((uint)get_global_id(0) * 4)",
        60,
    ),
    (
        "sub-groups",
        "#define PREFIX(f) sub_group_##f
         #define SIZE get_sub_group_size()
         #define EACH
         #define INDEX get_sub_group_local_id()
         #define FIRST ((uint)get_group_id(0) * 24 + get_sub_group_id() * get_max_sub_group_size())",
        240,
    ),
    (
        "work-groups",
        "#define PREFIX(f) work_group_##f
         #define SIZE (uint)get_local_size(0)
         #define EACH
         #define INDEX (uint)get_local_id(0)
         #define FIRST ((uint)get_group_id(0) * 24)",
        240,
    ),
];

const COUNT: usize = 240;

/// A pipe, released on drop.
struct Pipe(cl_mem);

impl Pipe {
    fn new(session: &Session<'_>, packet: u32, most: u32) -> Result<Pipe, String> {
        let mut code = 1;
        // SAFETY: a live context.
        let pipe = unsafe { clCreatePipe(session.context, 0, packet, most, null(), &mut code) };
        ok("clCreatePipe", code).map(|()| Pipe(pipe))
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // SAFETY: a live handle, released once.
        unsafe { clReleaseMemObject(self.0) };
    }
}

/// A pipe and a program.
struct Bench<'a> {
    session: &'a Session<'a>,
    program: test_support::cl::Program<'a>,
    pipe: Pipe,
}

impl Bench<'_> {
    /// Runs a kernel on the pipe. Returns the contents of its buffer, initially 0xfffffffd.
    fn run(&self, kernel: &str, items: usize, local: Option<&[usize]>) -> Result<Vec<u32>, String> {
        let kernel = self.program.kernel(kernel)?;
        let out = self.session.buffer(COUNT * 4)?;
        self.session.write(&out, &[0xffff_fffdu32; COUNT])?;
        kernel.set(&[Arg::Bytes(&(self.pipe.0 as usize).to_ne_bytes()), Arg::Buffer(&out)])?;
        kernel.launch(&[items], local)?;
        let mut words = vec![0u32; COUNT];
        self.session.read(&out, &mut words)?;
        Ok(words)
    }

    fn holds(&self, packets: u32, most: u32) -> Result<(), String> {
        let [now, room] = self.run("counts", 1, None)?[..2] else { return Ok(()) };
        if (now, room) == (packets, most) {
            Ok(())
        } else {
            Err(format!("{now} of {room} packets are said to be there, expected {packets} of {most}"))
        }
    }
}

fn bench<'a>(session: &'a Session<'a>, packet: &Packet, most: u32, more: &str) -> Result<Bench<'a>, String> {
    let standard = if session.c_features().is_empty() { "-cl-std=CL2.0" } else { "-cl-std=CL3.0" };
    let program =
        session.build(&format!("#define COUNT {COUNT}\n{}\n{KERNELS}\n{more}", packet.2), standard)?;
    Ok(Bench { session, program, pipe: Pipe::new(session, packet.1, most)? })
}

fn sorted(list: &[u32]) -> Vec<u32> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list
}

/// All work-items write at once, then all read at once, and once more when the pipe is empty.
fn pipelined(session: &Session<'_>, packet: &Packet) -> Result<(), String> {
    let bench = bench(session, packet, COUNT as u32, "")?;
    for round in 0..3 {
        let put = bench.run("put", COUNT, None)?;
        if !put.iter().copied().eq(0..COUNT as u32) {
            return Err(format!("round {round}: packets were not written: {put:?}"));
        }
        bench.holds(COUNT as u32, COUNT as u32)?;
        let got = sorted(&bench.run("get", COUNT, None)?);
        if !got.iter().copied().eq(0..COUNT as u32) {
            return Err(format!("round {round}: read {got:?}"));
        }
        let left = bench.run("get", COUNT, None)?;
        if left.iter().any(|n| *n != 0xffff_fffe) {
            return Err(format!("round {round}: an empty pipe gives {left:?}"));
        }
    }
    Ok(())
}

/// More packets are written than fit, at once and one after the other; those that fit come out.
fn full(session: &Session<'_>, packet: &Packet) -> Result<(), String> {
    const ROOM: usize = 77;
    let bench = bench(session, packet, ROOM as u32, "")?;
    for round in 0..3 {
        let put = bench.run("put", COUNT, None)?;
        let went: Vec<u32> = put.into_iter().filter(|n| *n != u32::MAX).collect();
        if went.len() != ROOM {
            return Err(format!("round {round}: {} packets went into a pipe of {ROOM}", went.len()));
        }
        bench.holds(ROOM as u32, ROOM as u32)?;
        let got = sorted(&bench.run("get", COUNT, None)?);
        if got[..ROOM] != went || got[ROOM..].iter().any(|n| *n != 0xffff_fffe) {
            return Err(format!("round {round}: written {went:?}, read {got:?}"));
        }
        // A single work-item's packets keep their order, also where the pipe's memory wraps around.
        let put = bench.run("put_in_a_row", 1, None)?;
        let wanted = |i: usize, other: u32| if i < ROOM { i as u32 } else { other };
        if (0..COUNT).any(|i| put[i] != wanted(i, u32::MAX)) {
            return Err(format!("round {round}: in a row were written {put:?}"));
        }
        let got = bench.run("get_in_a_row", 1, None)?;
        if (0..COUNT).any(|i| got[i] != wanted(i, 0xffff_fffe)) {
            return Err(format!("round {round}: in a row were read {got:?}"));
        }
        // The next round begins at another index.
        bench.run("put", 5 + round, None)?;
        bench.run("get", 5 + round, None)?;
    }
    Ok(())
}

/// The packets of a reservation are adjacent, in the order of their indices.
fn reserved(
    session: &Session<'_>,
    packet: &Packet,
    owner: &str,
    defines: &str,
    items: usize,
) -> Result<(), String> {
    let bench = bench(session, packet, COUNT as u32, &format!("{defines}\n{RESERVED}"))?;
    let local: Option<&[usize]> = if owner == "work-items" { None } else { Some(&[24]) };
    for round in 0..3 {
        let put = bench.run("put_reserved", items, local)?;
        if !put.iter().copied().eq(0..COUNT as u32) {
            return Err(format!("round {round}: packets were not written: {put:?}"));
        }
        bench.holds(COUNT as u32, COUNT as u32)?;
        let got = bench.run("get_reserved", items, local)?;
        if !sorted(&got).iter().copied().eq(0..COUNT as u32) {
            return Err(format!("round {round}: read {got:?}"));
        }
        // A reservation holds the four packets of a work-item, or those of a work-group: all have one size.
        let size =
            [("work-items", 4), ("work-groups", 24)].into_iter().find(|s| s.0 == owner).map_or(1, |s| s.1);
        if let Some(part) =
            got.chunks(size).find(|c| c[0] % size as u32 != 0 || c.windows(2).any(|w| w[1] != w[0] + 1))
        {
            return Err(format!("round {round}: a reservation has {part:?}"));
        }
        bench.run("put", 7, None)?;
        bench.run("get", 7, None)?;
    }
    Ok(())
}

/// Reservations are limited by the free space and by the number of packets.
fn refused(session: &Session<'_>, packet: &Packet) -> Result<(), String> {
    let source = "
        kernel void reserve(write_only pipe T p, global uint *out) {
            out[0] = is_valid_reserve_id(reserve_write_pipe(p, 11));
            reserve_id_t id = reserve_write_pipe(p, 10);
            out[1] = is_valid_reserve_id(id);
            out[2] = is_valid_reserve_id(reserve_write_pipe(p, 1));
            for (uint i = 0; i < 10; i++) {
                T packet = make(i);
                write_pipe(p, id, i, &packet);
            }
            commit_write_pipe(p, id);
        }
        kernel void take(read_only pipe T p, global uint *out) {
            out[0] = is_valid_reserve_id(reserve_read_pipe(p, 11));
            reserve_id_t id = reserve_read_pipe(p, 10);
            out[1] = is_valid_reserve_id(id);
            out[2] = is_valid_reserve_id(reserve_read_pipe(p, 1));
            for (uint i = 0; i < 10; i++) {
                T packet;
                read_pipe(p, id, i, &packet);
                out[3 + i] = number(packet);
            }
            commit_read_pipe(p, id);
        }";
    let bench = bench(session, packet, 10, source)?;
    let put = bench.run("reserve", 1, None)?;
    bench.holds(10, 10)?;
    let got = bench.run("take", 1, None)?;
    let right = put[..3] == [0, 1, 0] && got[..3] == [0, 1, 0] && got[3..13].iter().copied().eq(0..10);
    if right {
        Ok(())
    } else {
        Err(format!("reserving to write gives {:?}, to read {:?}", &put[..3], &got[..13]))
    }
}

/// Queries of a pipe, and rejected calls.
fn objects(session: &Session<'_>) -> Result<(), String> {
    let device = session.device.id;
    let largest = device_number(device, CL_DEVICE_PIPE_MAX_PACKET_SIZE) as u32;
    // Minimum values of the table of device queries.
    for (name, least) in [
        (CL_DEVICE_MAX_PIPE_ARGS, 16),
        (CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 1),
        (CL_DEVICE_PIPE_MAX_PACKET_SIZE, 1024),
    ] {
        if device_number(device, name) < least {
            return Err(format!("query {name:#x} gives {}", device_number(device, name)));
        }
    }
    let pipe = Pipe::new(session, 24, 9)?;
    for (name, want) in [(CL_PIPE_PACKET_SIZE, 24), (CL_PIPE_MAX_PACKETS, 9)] {
        let mut value: cl_uint = 0;
        // SAFETY: room for the value.
        ok("clGetPipeInfo", unsafe { clGetPipeInfo(pipe.0, name, 4, (&raw mut value).cast(), null_mut()) })?;
        expect(value as i32, &[want])?;
    }
    // SAFETY: a query of the size of the properties alone.
    expect(unsafe { clGetPipeInfo(pipe.0, CL_MEM_SIZE, 0, null_mut(), &mut 0) }, &[CL_INVALID_VALUE])?;
    let mut kind: cl_uint = 0;
    // SAFETY: room for the value.
    ok("clGetMemObjectInfo", unsafe {
        clGetMemObjectInfo(pipe.0, CL_MEM_TYPE, 4, (&raw mut kind).cast(), null_mut())
    })?;
    expect(kind as i32, &[CL_MEM_OBJECT_PIPE as i32])?;
    // CL_INVALID_VALUE, CL_INVALID_PIPE_SIZE: flags other than read-write and host-no-access, sizes of 0 or
    // above the limit, properties.
    let properties: [cl_pipe_properties; 1] = [0];
    for (flags, packet, most, properties, code) in [
        (CL_MEM_COPY_HOST_PTR, 4, 4, None, CL_INVALID_VALUE),
        (1 << 40, 4, 4, None, CL_INVALID_VALUE),
        (0, 0, 4, None, CL_INVALID_PIPE_SIZE),
        (0, 4, 0, None, CL_INVALID_PIPE_SIZE),
        (0, largest + 1, 4, None, CL_INVALID_PIPE_SIZE),
        (0, 4, 4, Some(&properties), CL_INVALID_VALUE),
    ] {
        let (list, mut got) = (properties.map_or(null(), |p| p.as_ptr()), 1);
        // SAFETY: a live context; a pipe that is made by mistake is forgotten.
        let made = unsafe { clCreatePipe(session.context, flags, packet, most, list, &mut got) };
        if !made.is_null() || got != code {
            return Err(format!("flags {flags:#x}, {most} packets of {packet} give {got}, expected {code}"));
        }
    }
    Ok(())
}

type Test = (&'static str, fn(&Session<'_>, &Packet) -> Result<(), String>);

const TESTS: [Test; 3] = [
    ("written and read at once", pipelined),
    ("more than there is room for", full),
    ("reservations refused", refused),
];

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    let with = |needs_sub_groups: bool, run: &dyn Fn(&Session<'_>) -> Result<(), String>| {
        // Pipes are optional since OpenCL 3.0, required in 2.0 to 2.2.
        let device = context.device.id;
        let offered = match version(device) {
            300.. => device_number(device, CL_DEVICE_PIPE_SUPPORT) == 1,
            number => number >= 200,
        };
        let session = match context.session() {
            Ok(session) => session,
            Err(text) => return Outcome::Fail(text),
        };
        let has_sub_groups =
            ["__opencl_c_subgroups", "cl_khr_subgroups"].iter().any(|name| session.offers().has(name));
        if !offered || (needs_sub_groups && !has_sub_groups) {
            return Outcome::Skip(if offered { "needs sub-groups" } else { "needs pipes" }.into());
        }
        run(&session).into()
    };
    sink.test("objects", || with(false, &objects));
    for (name, run) in TESTS {
        for packet in PACKETS {
            sink.test(format!("{name}, {}", packet.0), || with(false, &|s| run(s, packet)));
        }
    }
    for (owner, defines, items) in OWNERS {
        for packet in PACKETS {
            sink.test(format!("reservations of {owner}, {}", packet.0), || {
                with(owner == "sub-groups", &|s| reserved(s, packet, owner, defines, items))
            });
        }
    }
}
