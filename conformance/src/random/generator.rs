//! Random kernels in OpenCL C whose result is the same on every device.
//!
//! Every operation is defined for every operand: signed arithmetic is done in unsigned types, divisors are
//! checked, indices masked, loops bounded, floating-point numbers are small integers. Work-items of a group
//! exchange values through local memory between barriers in uniform control flow, and by commutative atomics.
//! All variables are declared at the beginning of a function, so that statements can be removed without
//! invalidating the rest.

use super::tree::{self, Stmt};
use std::fmt::Write;

/// Work-items of a launch and of a group.
pub const ITEMS: usize = 32;
pub const GROUP: usize = 8;
/// Result words of one work-item.
pub const RESULTS: usize = 8;
/// Elements of the input.
pub const INPUTS: usize = 64;

/// Pseudo-random numbers (xorshift).
pub struct Xorshift(u64);

impl Xorshift {
    /// Equal seeds yield equal numbers.
    pub fn new(seed: u64) -> Xorshift {
        let mut random = Xorshift(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..4).for_each(|_| {
            random.next();
        });
        random
    }
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 20) % n.max(1) as u64) as usize
    }
    /// True with a probability of `percent` %.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A kernel `k(global uint *out, global const uint *in)`.
#[derive(Clone)]
pub struct Kernel {
    pub functions: Vec<Stmt>,
}

const SCALARS: [&str; 8] = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"];
const LANES: [usize; 5] = [2, 3, 4, 8, 16];

fn bits(scalar: usize) -> usize {
    8 << (scalar / 2)
}

fn unsigned(scalar: usize) -> &'static str {
    SCALARS[scalar | 1]
}

/// The type in which arithmetic is done.
fn wide(scalar: usize) -> &'static str {
    if bits(scalar) > 32 { "ulong" } else { "uint" }
}

fn vector(elem: usize, lanes: usize) -> String {
    format!("{}{lanes}", SCALARS[elem])
}

const PRELUDE: &str = "\
#pragma OPENCL FP_CONTRACT OFF
typedef struct { uchar a; ushort b; uint c[3]; ulong d; short4 e; } inner_t;
typedef struct { char x; inner_t in; uchar tail[5]; } outer_t;
typedef union { uint w[2]; ushort h[4]; uchar b[8]; ulong d; uchar8 v; } bits_t;
constant uint table[16] = { 1u, 0x80000000u, 3u, 0xffffffffu, 5u, 77u, 0x12345678u, 0xdeadbeefu, 2u, 4u, 8u, 16u, 255u, 256u, 65535u, 65536u };
constant short2 pairs[4] = { (short2)(1, -1), (short2)(300, -300), (short2)(32767, -32768), (short2)(0, 9) };
outer_t mix(outer_t s, uint n) { s.in.c[n % 3] += n; s.tail[n % 5] ^= (uchar)n; s.x = (char)(n >> 3); s.in.e = s.in.e.yzwx; return s; }
";

/// Generates statements and expressions of one function.
struct Gen<'r> {
    random: &'r mut Xorshift,
    /// Callable functions with the remaining number of calls. Every call is inlined in the end, and drivers'
    /// compilers take more than proportional time for long functions.
    helpers: usize,
    calls: usize,
    /// Nesting depth of statements.
    depth: usize,
    /// Remaining number of statements.
    budget: usize,
    /// Whether the statement is inside a loop, and inside a switch that is not inside an inner loop.
    in_loop: bool,
    loops: usize,
    kernel: bool,
}

impl Gen<'_> {
    fn constant(&mut self, t: usize) -> String {
        let x = match self.random.below(4) {
            0 => self.random.next() & 7,
            1 => self.random.next(),
            2 => 1u64 << self.random.below(64),
            _ => (1u64 << self.random.below(64)).wrapping_sub(1),
        };
        format!("({}){:#x}UL", SCALARS[t], x)
    }

    fn index(&mut self, depth: usize, mask: usize) -> String {
        if self.random.chance(40) {
            return self.random.below(mask + 1).to_string();
        }
        let t = self.random.below(8);
        format!("((uint)({}) & {mask})", self.scalar(t, depth))
    }

    fn variable(&mut self, t: usize) -> String {
        format!("{}{}", ["c", "uc", "s", "us", "i", "ui", "l", "ul"][t], self.random.below(2))
    }

    /// A scalar of another type as an operand.
    fn lvalue(&mut self, depth: usize) -> (String, usize) {
        match self.random.below(11) {
            0 => (format!("a[{}]", self.index(depth, 15)), 5),
            1 => (format!("b[{}]", self.index(depth, 7)), 2),
            2 => (format!("p[{}]", self.index(depth, 3)), 5),
            3 => (format!("((uchar *)a)[{}]", self.index(depth, 63)), 1),
            4 => (format!("t{}.in.c[{} % 3]", self.random.below(2), self.index(depth, 7)), 5),
            5 => (format!("t{}.{}", self.random.below(2), ["in.a", "tail[2]"][self.random.below(2)]), 1),
            6 => (format!("t{}.in.d", self.random.below(2)), 7),
            7 => (format!("u.b[{}]", self.index(depth, 7)), 1),
            8 => (format!("u.h[{}]", self.index(depth, 3)), 3),
            9 => (format!("u.w[{}]", self.index(depth, 1)), 5),
            _ => ("u.d".into(), 7),
        }
    }

    /// An expression of scalar type `t`.
    fn scalar(&mut self, t: usize, depth: usize) -> String {
        let name = SCALARS[t];
        if depth == 0 || self.random.chance(12) {
            return match self.random.below(5) {
                0 => self.constant(t),
                1 => {
                    let (lvalue, _) = self.lvalue(0);
                    format!("({name}){lvalue}")
                }
                _ => self.variable(t),
            };
        }
        let d = depth - 1;
        match self.random.below(24) {
            choice @ 0..=11 => self.operator(choice, t, d),
            choice @ 12..=18 => self.builtin(choice, t, d),
            19 => {
                let (e, n) = self.vector_type();
                let lane = format!("{:x}", self.random.below(n));
                format!("({name})({}).s{lane}", self.vector(e, n, d))
            }
            20 => {
                let (e, n) = self.vector_type();
                let f = ["any", "all"][self.random.below(2)];
                format!("({name}){f}({} != {})", self.vector(e, n, d), self.vector(e, n, 0))
            }
            21 => {
                let (o, p) = (self.random.below(8), self.random.below(8));
                let op = ["+", "-", "*"][self.random.below(3)];
                format!(
                    "({name})(int)((float)({} & 1023) {op} (float)({} & 1023))",
                    self.scalar(o, d),
                    self.scalar(p, d)
                )
            }
            22 if self.helpers > 0 && self.calls > 0 => {
                self.calls -= 1;
                let f = self.random.below(self.helpers);
                format!("({name})f{f}({}, {}, {})", self.scalar(5, d), self.scalar(2, d), self.scalar(7, d))
            }
            _ => match self.random.below(4) {
                0 => format!("({name})table[{}]", self.index(d, 15)),
                1 => format!("({name})pairs[{}].{}", self.index(d, 3), ["x", "y"][self.random.below(2)]),
                2 => format!("({name})in[{}]", self.index(d, INPUTS - 1)),
                _ => {
                    let (lvalue, _) = self.lvalue(d);
                    format!("({name}){lvalue}")
                }
            },
        }
    }

    /// An operator, or a conversion.
    fn operator(&mut self, choice: usize, t: usize, d: usize) -> String {
        let (name, w, u) = (SCALARS[t], wide(t), unsigned(t));
        match choice {
            0..=2 => {
                let op = ["+", "-", "*"][self.random.below(3)];
                format!("({name})(({w}){} {op} ({w}){})", self.scalar(t, d), self.scalar(t, d))
            }
            3 => {
                let op = ["&", "|", "^"][self.random.below(3)];
                format!("({name})({} {op} {})", self.scalar(t, d), self.scalar(t, d))
            }
            4 => {
                let mask = bits(t).max(32) - 1;
                format!("({name})(({w}){} << {})", self.scalar(t, d), self.index(d, mask))
            }
            5 => {
                let mask = bits(t) - 1;
                format!("({name})({} >> {})", self.scalar(t, d), self.index(d, mask))
            }
            6 => {
                let (x, y, op) = (self.scalar(t, d), self.scalar(t, d), ["/", "%"][self.random.below(2)]);
                // The unsigned type with its lowest bit set avoids signed overflow and division by zero.
                format!("({name})(({u}){x} {op} ({u})(({u}){y} | 1))")
            }
            7 => {
                // Signed division by small positive numbers.
                format!(
                    "({name})({} {} {})",
                    self.scalar(t, d),
                    ["/", "%"][self.random.below(2)],
                    1 + self.random.below(100)
                )
            }
            8 => format!("({name})({}({w}){})", ["~", "-"][self.random.below(2)], self.scalar(t, d)),
            9 => {
                let (o, op) =
                    (self.random.below(8), ["<", "<=", ">", ">=", "==", "!="][self.random.below(6)]);
                format!("({name})({} {op} {})", self.scalar(o, d), self.scalar(o, d))
            }
            10 => format!("({name})({} ? {} : {})", self.condition(d), self.scalar(t, d), self.scalar(t, d)),
            _ => {
                let o = self.random.below(8);
                format!("({name}){}", self.scalar(o, d))
            }
        }
    }

    /// A call of a built-in function.
    fn builtin(&mut self, choice: usize, t: usize, d: usize) -> String {
        let name = SCALARS[t];
        match choice {
            12 => {
                let o = self.random.below(8);
                format!("convert_{name}_sat({})", self.scalar(o, d))
            }
            13 | 14 => {
                let f = ["min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate"]
                    [self.random.below(8)];
                format!("{f}({}, {})", self.scalar(t, d), self.scalar(t, d))
            }
            15 => {
                let f = ["abs", "popcount", "clz"][self.random.below(3)];
                format!("({name}){f}({})", self.scalar(t, d))
            }
            16 => format!("({name})abs_diff({}, {})", self.scalar(t, d), self.scalar(t, d)),
            17 => {
                let f = ["mad_sat", "bitselect", "mad_hi"][self.random.below(3)];
                format!("{f}({}, {}, {})", self.scalar(t, d), self.scalar(t, d), self.scalar(t, d))
            }
            _ => {
                let (x, y, c) = (self.scalar(t, d), self.scalar(t, d), self.scalar(t | 1, d));
                format!("select({x}, {y}, {c})")
            }
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let t = self.random.below(8);
        let d = depth.saturating_sub(1);
        let simple = |g: &mut Self| {
            let op = ["<", "==", "!=", ">="][g.random.below(4)];
            format!("{} {op} {}", g.scalar(t, d), g.scalar(t, d))
        };
        match self.random.below(4) {
            0 => format!("({} & {}) != 0", self.scalar(t, d), 1 + self.random.below(9)),
            1 => format!("({}) && ({})", simple(self), simple(self)),
            2 => format!("!({}) || {}", simple(self), simple(self)),
            _ => simple(self),
        }
    }

    /// Element type (unsigned) and lanes of one of the vector variables.
    fn vector_type(&mut self) -> (usize, usize) {
        (self.random.below(4) * 2 + 1, LANES[self.random.below(5)])
    }

    fn vector(&mut self, e: usize, n: usize, depth: usize) -> String {
        let ty = vector(e, n);
        if depth == 0 || self.random.chance(15) {
            return match self.random.below(4) {
                0 => format!("({ty})({})", self.variable(e)),
                _ => format!("v{}_{n}", ["uc", "us", "ui", "ul"][e / 2]),
            };
        }
        let d = depth - 1;
        match self.random.below(14) {
            0..=2 => {
                let op = ["+", "-", "*", "&", "|", "^"][self.random.below(6)];
                format!("({} {op} {})", self.vector(e, n, d), self.vector(e, n, d))
            }
            3 => {
                format!(
                    "({} {} ({} | ({ty})(1)))",
                    self.vector(e, n, d),
                    ["/", "%"][self.random.below(2)],
                    self.vector(e, n, d)
                )
            }
            4 => format!(
                "({} {} {})",
                self.vector(e, n, d),
                ["<<", ">>"][self.random.below(2)],
                self.vector(e, n, d)
            ),
            5 => {
                let op = ["<", "==", ">=", "!="][self.random.below(4)];
                format!("as_{ty}({} {op} {})", self.vector(e, n, d), self.vector(e, n, d))
            }
            6 => format!(
                "select({}, {}, {})",
                self.vector(e, n, d),
                self.vector(e, n, d),
                self.vector(e, n, d)
            ),
            7 => {
                let from = self.random.below(4) * 2 + 1;
                let sat = ["", "_sat"][self.random.below(2)];
                format!("convert_{ty}{sat}({})", self.vector(from, n, d))
            }
            8 | 9 => {
                let f = ["min", "max", "add_sat", "sub_sat", "hadd", "mul_hi", "rotate", "abs_diff"]
                    [self.random.below(8)];
                format!("{f}({}, {})", self.vector(e, n, d), self.vector(e, n, d))
            }
            10 => {
                let lanes: String = (0..n).map(|_| format!("{:x}", self.random.below(n))).collect();
                format!("({}).s{lanes}", self.vector(e, n, d))
            }
            11 if n != 3 => {
                let from = [2, 4, 8, 16][self.random.below(4)];
                format!("shuffle({}, {})", self.vector(e, from, d), self.vector(e, n, d))
            }
            12 => {
                let lanes: Vec<String> = (0..n).map(|_| self.scalar(e, d.min(1))).collect();
                format!("({ty})({})", lanes.join(", "))
            }
            13 if e == 5 => format!("vload{n}({}, a)", self.index(d, 16 / n.next_power_of_two() - 1)),
            _ => format!("{}({})", ["popcount", "clz", "~"][self.random.below(3)], self.vector(e, n, d)),
        }
    }

    fn assignment(&mut self) -> String {
        match self.random.below(12) {
            0..=3 => {
                let t = self.random.below(8);
                format!("{} = {};", self.variable(t), self.scalar(t, 3))
            }
            4 => {
                let t = self.random.below(4) * 2 + 1;
                format!(
                    "{} {}= {};",
                    self.variable(t),
                    ["+", "-", "^", "|", "&", "*"][self.random.below(6)],
                    self.scalar(t, 2)
                )
            }
            5..=6 => {
                let (lvalue, t) = self.lvalue(1);
                format!("{lvalue} = {};", self.scalar(t, 2))
            }
            7 | 8 => {
                let (e, n) = self.vector_type();
                let v = format!("v{}_{n}", ["uc", "us", "ui", "ul"][e / 2]);
                if self.random.chance(25) {
                    return format!("{v}.s{:x} = {};", self.random.below(n), self.scalar(e, 2));
                }
                format!("{v} = {};", self.vector(e, n, 3))
            }
            9 => match self.random.below(4) {
                0 => "t0 = t1;".into(),
                1 => format!("t1 = mix(t0, {});", self.scalar(5, 1)),
                2 => format!("t{}.in.e = as_short4({});", self.random.below(2), self.vector(3, 4, 1)),
                _ => format!("u.v = {};", self.vector(1, 8, 1)),
            },
            10 => match self.random.below(3) {
                0 => format!("p = a + {};", self.index(1, 7)),
                1 => format!(
                    "p = ({}) ? a + {} : &a[{}];",
                    self.condition(1),
                    self.index(1, 11),
                    self.random.below(12)
                ),
                _ => format!("*p = *p + {};", self.scalar(5, 1)),
            },
            _ => {
                let n = LANES[self.random.below(5)];
                let at = self.index(1, 16 / n.next_power_of_two() - 1);
                format!("vstore{n}({}, {at}, a);", self.vector(5, n, 2))
            }
        }
    }

    fn list(&mut self, most: usize) -> Vec<Stmt> {
        (0..1 + self.random.below(most)).map(|_| self.statement()).collect()
    }

    /// A loop counter that no other statement writes.
    fn counter(&mut self) -> String {
        self.loops += 1;
        format!("n{}", self.loops)
    }

    fn statement(&mut self) -> Stmt {
        self.budget = self.budget.saturating_sub(1);
        if self.depth >= 4 || self.budget == 0 || self.random.chance(60) {
            if self.in_loop && self.random.chance(8) {
                let word = ["break", "continue"][self.random.below(2)];
                return Stmt::Line(format!("if ({}) {word};", self.condition(1)));
            }
            if !self.kernel && self.random.chance(4) {
                return Stmt::Line(format!("if ({}) return {};", self.condition(1), self.scalar(5, 1)));
            }
            return Stmt::Line(self.assignment());
        }
        self.depth += 1;
        let outer = self.in_loop;
        let stmt = match self.random.below(6) {
            0 | 1 => {
                let (head, body) = (format!("if ({}) {{", self.condition(2)), self.list(4));
                if self.random.chance(50) {
                    let other = Stmt::Block { head: "else {".into(), body: self.list(3), tail: "}".into() };
                    let both = vec![Stmt::Block { head, body, tail: "}".into() }, other];
                    Stmt::Block { head: "{".into(), body: both, tail: "}".into() }
                } else {
                    Stmt::Block { head, body, tail: "}".into() }
                }
            }
            2 => {
                let (n, bound) = (self.counter(), self.index(1, 7));
                self.in_loop = true;
                Stmt::Block {
                    head: format!("for (uint {n} = 0; {n} < {bound}; {n}++) {{"),
                    body: self.list(4),
                    tail: "}".into(),
                }
            }
            3 => {
                let n = self.counter();
                let condition = self.condition(1);
                self.in_loop = true;
                let head = format!(
                    "for (int {n} = {}; {n} > 0 && ({condition}); {n}--) {{",
                    1 + self.random.below(6)
                );
                Stmt::Block { head, body: self.list(3), tail: "}".into() }
            }
            4 => {
                // `continue` reaches the condition, too.
                let n = self.counter();
                self.in_loop = true;
                let head = format!("{{ uint {n} = 0; do {{");
                let (body, condition) = (self.list(3), self.condition(1));
                Stmt::Block {
                    head,
                    body,
                    tail: format!("}} while (++{n} < {} && ({condition})); }}", 2 + self.random.below(4)),
                }
            }
            _ => {
                let t = self.random.below(8);
                let head = format!("switch ({} & 7) {{", self.scalar(t, 2));
                let mut body = Vec::new();
                for case in 0..2 + self.random.below(4) {
                    let label = if case == 3 { "default:".to_owned() } else { format!("case {case}:") };
                    // Some cases fall through. A `break` in the list would belong to the loop, so the list
                    // has none.
                    self.in_loop = false;
                    let tail = if self.random.chance(70) { "} break;" } else { "}" };
                    body.push(Stmt::Block {
                        head: format!("{label} {{"),
                        body: self.list(2),
                        tail: tail.into(),
                    });
                }
                Stmt::Block { head, body, tail: "}".into() }
            }
        };
        self.in_loop = outer;
        self.depth -= 1;
        stmt
    }

    /// A statement that all work-items of the group execute together.
    fn together(&mut self) -> Stmt {
        let exchange = |g: &mut Self| match g.random.below(3) {
            0 => format!(
                "lds[lid] = {}; barrier(CLK_LOCAL_MEM_FENCE); ui0 ^= lds[(lid + {}) % {GROUP}]; barrier(CLK_LOCAL_MEM_FENCE);",
                g.scalar(5, 2),
                1 + g.random.below(GROUP)
            ),
            1 => format!(
                "if (lid == 0) lsum = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_{}(&lsum, {}); barrier(CLK_LOCAL_MEM_FENCE); \
                 i1 ^= (int)lsum; barrier(CLK_LOCAL_MEM_FENCE);",
                ["add", "xor", "max", "or"][g.random.below(4)],
                g.scalar(5, 2)
            ),
            _ => format!(
                "bytes[lid] = {}; barrier(CLK_LOCAL_MEM_FENCE); t0.in.c[1] += bytes[{} - lid] * 3u; barrier(CLK_LOCAL_MEM_FENCE);",
                g.scalar(1, 2),
                GROUP - 1
            ),
        };
        if self.random.chance(30) {
            let n = self.counter();
            let mut body = vec![Stmt::Line(exchange(self))];
            body.extend(self.list(2));
            let head = format!("for (uint {n} = 0; {n} < {}; {n}++) {{", 1 + self.random.below(4));
            // A break would make control flow non-uniform within the group.
            return Stmt::Block { head, body, tail: "}".into() };
        }
        Stmt::Line(exchange(self))
    }
}

/// Declarations with initial values from the input and three numbers.
fn declarations(random: &mut Xorshift) -> String {
    let mut s = String::new();
    for (t, name) in ["c", "uc", "s", "us", "i", "ui", "l", "ul"].iter().enumerate() {
        for k in 0..2 {
            let at = random.below(INPUTS);
            let _ = writeln!(
                s,
                "    {ty} {name}{k} = ({ty})(in[(x + {at}) % {INPUTS}] + (z << {}));",
                random.below(33),
                ty = SCALARS[t]
            );
        }
    }
    for e in 0..4 {
        for n in LANES {
            let name = ["uc", "us", "ui", "ul"][e];
            let ty = vector(2 * e + 1, n);
            let _ = writeln!(
                s,
                "    {ty} v{name}_{n} = ({ty})({name}0) + convert_{ty}(vload{n}({}, in));",
                random.below(4)
            );
        }
    }
    s.push_str(
        "    uint a[16]; short b[8]; uint *p = a; bits_t u; outer_t t0, t1;
    for (int k = 0; k < 16; k++) a[k] = in[(x + k) % 64] * (uint)(k + 1);
    for (int k = 0; k < 8; k++) b[k] = (short)(a[k] >> k);
    u.d = ul0; t0.x = c0; t0.in.a = uc0; t0.in.b = us0; t0.in.d = ul1; t0.in.e = (short4)(t0.x, b[0], b[1], y);
    for (int k = 0; k < 3; k++) t0.in.c[k] = a[k];
    for (int k = 0; k < 5; k++) t0.tail[k] = (uchar)a[k + 3];
    t1 = mix(t0, 3u);\n",
    );
    s
}

/// `h`, mixed from every variable.
fn summary() -> String {
    let mut s = String::from("    ulong h = 17;\n    h = h * 31");
    for name in ["c", "uc", "s", "us", "i", "ui", "l", "ul"] {
        let _ = write!(s, " + (ulong){name}0 * 7 + (ulong){name}1 * 13");
    }
    s.push_str(";\n");
    for name in ["uc", "us", "ui", "ul"] {
        for n in LANES {
            for lane in 0..n {
                let _ = write!(s, "    h = h * 31 + v{name}_{n}.s{lane:x};");
            }
            s.push('\n');
        }
    }
    s.push_str(
        "    for (int k = 0; k < 16; k++) h = (h ^ (h >> 29)) * 0x9e3779b97f4a7c15UL + a[k];
    for (int k = 0; k < 8; k++) h = h * 33 + (ulong)b[k] + u.b[k];
    h += (ulong)(p - a) * 5 + (ulong)t0.x + t0.in.a * 3 + t0.in.b * 5 + t0.in.d + (ulong)t0.in.e.x + (ulong)t0.in.e.w * 9;
    h += (ulong)t1.x + t1.in.a * 3 + t1.in.b * 5 + t1.in.d + (ulong)t1.in.e.y + (ulong)t1.in.e.z * 9;
    for (int k = 0; k < 3; k++) h = h * 31 + t0.in.c[k] + t1.in.c[k] * 7;
    for (int k = 0; k < 5; k++) h = h * 31 + t0.tail[k] + t1.tail[k] * 7;\n",
    );
    s
}

impl Kernel {
    /// The kernel generated from a seed.
    pub fn new(seed: u64) -> Kernel {
        let mut random = Xorshift::new(seed);
        let helpers = random.below(3);
        let mut functions = Vec::new();
        for f in 0..=helpers {
            let kernel = f == helpers;
            let mut head = if kernel {
                "kernel void k(global uint *out, global const uint *in) {\n    local uint lds[8]; local uint lsum; local uchar bytes[8];\n    \
                 const uint x = get_global_id(0); const uint lid = get_local_id(0); const short y = (short)(x * 77); const ulong z = x * 0x123456789UL;\n"
                    .to_owned()
            } else {
                format!("uint f{f}_(global const uint *in, uint x, short y, ulong z) {{\n")
            };
            head.push_str(&declarations(&mut random));
            let budget = if kernel { 45 } else { 12 };
            let calls = if kernel { 3 } else { 1 };
            let mut g = Gen {
                random: &mut random,
                helpers: f,
                calls,
                depth: 0,
                budget,
                in_loop: false,
                loops: 0,
                kernel,
            };
            let mut body = Vec::new();
            while g.budget > 0 {
                body.push(if kernel && g.random.chance(15) { g.together() } else { g.statement() });
            }
            let mut tail = summary();
            if kernel {
                let _ = write!(
                    tail,
                    "    global uint *o = out + x * {RESULTS};\n    o[0] = (uint)h; o[1] = (uint)(h >> 32); o[2] = ui0; o[3] = a[3]; o[4] = vui_4.z; \
                     o[5] = t0.in.c[1]; o[6] = (uint)i1; o[7] = (uint)ul0;\n}}\n"
                );
            } else {
                let _ = write!(
                    tail,
                    "    return (uint)(h ^ (h >> 32));\n}}\n#define f{f}(x, y, z) f{f}_(in, x, y, z)\n"
                );
            }
            functions.push(Stmt::Block { head, body, tail });
        }
        Kernel { functions }
    }

    /// The source.
    pub fn source(&self) -> String {
        let mut out = PRELUDE.to_owned();
        tree::print(&self.functions, 0, &mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_have_few_calls() {
        let mut most = 0;
        for seed in 1..200 {
            let source = Kernel::new(seed).source();
            let calls: usize = ["f0(", "f1("].iter().map(|f| source.matches(f).count()).sum();
            most = most.max(calls - source.matches("#define f").count());
        }
        assert_eq!(most, 4);
    }
}
