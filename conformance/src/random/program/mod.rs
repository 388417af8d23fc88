//! Random programs in OpenCL C that use as much of the language as possible, for comparing front ends.
//!
//! Unlike the kernels of [`super::generator`], which compare devices, these leave conversions to the
//! language: operands have any types, and the generator follows C's rules to know the type and the range of
//! every expression. Nothing is undefined: signed arithmetic stays in range or is done in unsigned types,
//! divisors are not zero, indices are masked, floating-point numbers are integers of exact size, and no
//! expression writes what another part of it reads.
//!
//! Every name at program scope ends with the seed, so that programs can be built together.

mod call;
mod declare;
mod expr;
mod parts;
mod statement;
mod types;
mod vector;

use super::generator::Xorshift;
use super::tree::{self, Stmt};
use types::{INTEGERS, Numeric, Range, RecordType, Scalar, Space, Ty, Variable};

/// Work-items of a launch and of a group.
pub const ITEMS: usize = 16;
pub const GROUP: usize = 8;
/// Result words of one work-item: a hash, two numbers, and four words that the program may use.
pub const RESULTS: usize = 8;
/// Elements of the input.
pub const INPUTS: usize = 64;

/// A function of the program that later ones can call.
#[derive(Clone)]
struct Function {
    name: String,
    parameters: Vec<Ty>,
    result: Option<Ty>,
}

impl Function {
    /// Whether it writes no memory of the caller.
    fn is_pure(&self) -> bool {
        !self.parameters.iter().any(|p| matches!(p, Ty::Pointer(..)))
    }
}

/// State of the generator.
struct Gen<'r> {
    random: &'r mut Xorshift,
    /// The seed, with which names at program scope end.
    id: u64,
    standard: &'static str,
    records: Vec<RecordType>,
    /// Whether the hash function of a record takes a pointer.
    hash_by_pointer: Vec<bool>,
    enumerators: Vec<(String, i128)>,
    functions: Vec<Function>,
    /// Local variables of the kernel with an element for each work-item.
    shared: Vec<(String, Ty)>,
    /// Variables by scope: the program's, the function's parameters, then its blocks'.
    scopes: Vec<Vec<Variable>>,
    /// Names of volatile variables.
    volatile: Vec<String>,
    /// Number of names given so far.
    names: usize,
    /// Remaining numbers of statements and calls.
    budget: usize,
    calls: usize,
    depth: usize,
    in_loop: bool,
    in_switch: bool,
    /// Whether only constant expressions are allowed.
    constant: bool,
    /// Result type of the function, if it may return early.
    result: Option<Ty>,
}

impl Gen<'_> {
    fn is_1_2(&self) -> bool {
        self.standard == "CL1.2"
    }

    /// The beginning of every function: its hash, its counter of calls, and variables of the usual types.
    fn prologue(&mut self) -> Vec<Stmt> {
        let mut body = vec![Stmt::line("ulong h = 17; uint n = 0;")];
        for _ in 0..3 {
            let ty = self.number_type();
            body.push(self.variable(Ty::Number(ty.into())));
        }
        body.push(self.variable(Ty::Array(Box::new(Ty::Number(Scalar::UInt.into())), 8)));
        let ty = self.vector_type();
        body.push(self.variable(Ty::Number(ty)));
        body
    }

    /// Ends the innermost scope: its variables become part of the hash.
    fn epilogue(&mut self, body: &mut Vec<Stmt>) {
        for variable in self.scopes.pop().unwrap_or_default() {
            self.mix(&variable.name, &variable.ty, body);
        }
        body.push(Stmt::line("h += n;"));
    }

    /// Generates a function.
    fn function(&mut self) -> Vec<Stmt> {
        let number = self.functions.len();
        let name = format!("f{number}_{}", self.id);
        let mut parameters = Vec::new();
        for _ in 0..self.random.below(4) {
            parameters.push(match self.random.below(6) {
                0 | 1 => Ty::Number(self.number_type().into()),
                2 => Ty::Number(self.vector_type()),
                3 if !self.records.is_empty() => Ty::Record(self.random.below(self.records.len())),
                4 => {
                    let generic = [Space::Private, Space::Generic][self.random.below(2)];
                    let space = if self.is_1_2() { Space::Private } else { generic };
                    let space = [space, space, Space::Local, Space::Global][self.random.below(4)];
                    Ty::Pointer(space, Box::new(Ty::Number(Scalar::UInt.into())), 4)
                }
                _ => Ty::Number(INTEGERS[self.random.below(8)].into()),
            });
        }
        let result = match self.random.below(5) {
            0 | 1 => Ty::Number(self.number_type().into()),
            2 if !self.records.is_empty() => Ty::Record(self.random.below(self.records.len())),
            _ => Ty::Number(self.vector_type()),
        };
        let scope: Vec<Variable> = parameters
            .iter()
            .enumerate()
            .map(|(i, ty)| Variable { name: format!("a{i}"), ty: ty.clone(), writable: true, range: None })
            .collect();
        let list: Vec<String> = scope.iter().map(|v| self.declarator(&v.ty, &v.name)).collect();
        let list = if list.is_empty() { "void".into() } else { list.join(", ") };
        let qualifier =
            ["", "", "static ", "inline static ", "__attribute__((noinline)) "][self.random.below(5)];
        let head = format!("{}({list})", self.declarator(&result, &name));
        (self.budget, self.calls, self.depth) = (7, 1, 1);
        self.result = Some(result.clone());
        self.scopes.push(scope);
        self.scopes.push(Vec::new());
        let mut body = self.prologue();
        while self.budget > 0 {
            body.push(self.statement());
        }
        self.result = None;
        let last = match &result {
            Ty::Record(r) => format!("return {};", self.record_value(*r, 1)),
            Ty::Number(n) if n.scalar.is_float() => format!("return ({n})(h & 1023);"),
            Ty::Number(n) => format!("return ({n})(h ^ (h >> 32));"),
            _ => "return 0;".into(),
        };
        self.epilogue(&mut body);
        self.scopes.pop();
        body.push(Stmt::line(last));
        self.functions.push(Function { name, parameters, result: Some(result) });
        let mut out = Vec::new();
        // A declaration before the definition.
        if self.random.chance(30) {
            out.push(Stmt::line(format!("{qualifier}{head};")));
        }
        out.push(Stmt::block(format!("{qualifier}{head} {{"), body));
        out
    }

    /// Generates the kernel.
    fn kernel(&mut self) -> Stmt {
        let id = self.id;
        let mut body = vec![
            Stmt::line("const size_t x = get_global_id(0); const uint lid = get_local_id(0);"),
            Stmt::line(format!("local uint sum; local uint cells[{GROUP}][8]; local uint *lp = cells[lid];")),
            Stmt::line(format!("global uint *gp = out + x * {RESULTS} + 4;")),
            Stmt::line("for (int i = 0; i < 8; i++) lp[i] = in[(x + i) & 63] * i;"),
        ];
        let number = |scalar| Ty::Number(Numeric::from(scalar));
        let mut shared = vec![number(self.number_type()), Ty::Number(self.vector_type())];
        if !self.records.is_empty() {
            shared.push(Ty::Record(self.random.below(self.records.len())));
        }
        for (i, ty) in shared.into_iter().enumerate() {
            let name = format!("l{i}");
            body.push(Stmt::line(format!("local {};", self.declarator(&ty, &format!("{name}[{GROUP}]")))));
            self.shared.push((name, ty));
        }
        let uint = || Box::new(number(Scalar::UInt));
        let fixed = |name: &str, ty, range| Variable { name: name.into(), ty, writable: false, range };
        let full = |scalar: Scalar| Some(scalar.range());
        self.scopes.push(vec![
            fixed("in", Ty::Pointer(Space::Global, uint(), INPUTS), None),
            fixed("x", number(Scalar::ULong), Some(Range::new(0, ITEMS as i128 - 1))),
            fixed("lid", number(Scalar::UInt), Some(Range::new(0, GROUP as i128 - 1))),
            fixed("kc", number(Scalar::UChar), full(Scalar::UChar)),
            fixed("kv", Ty::Number(Numeric { scalar: Scalar::Short, lanes: 3 }), full(Scalar::Short)),
            fixed("kl", number(Scalar::Long), full(Scalar::Long)),
            Variable {
                name: "lp".into(),
                ty: Ty::Pointer(Space::Local, uint(), 8),
                writable: true,
                range: None,
            },
            Variable {
                name: "gp".into(),
                ty: Ty::Pointer(Space::Global, uint(), 4),
                writable: true,
                range: None,
            },
        ]);
        self.scopes.push(Vec::new());
        (self.budget, self.calls, self.depth) = (26, 5, 0);
        body.extend(self.prologue());
        while self.budget > 0 {
            let together = self.random.chance(15);
            let next = if together { self.together() } else { vec![self.statement()] };
            body.extend(next);
        }
        for pointer in ["lp", "gp"] {
            body.push(Stmt::line(format!("for (int i = 0; i < 4; i++) h = h * 31 + {pointer}[i];")));
        }
        self.epilogue(&mut body);
        self.scopes.pop();
        body.push(Stmt::line(format!("global uint *o = out + x * {RESULTS};")));
        body.push(Stmt::line("o[0] = (uint)h; o[1] = (uint)(h >> 32); o[2] = n; o[3] = kv.y + kc;"));
        let head = format!(
            "kernel void k{id}(global uint *out, global const uint *in, uchar kc, short3 kv, long kl) {{"
        );
        Stmt::block(head, body)
    }
}

/// A program with one kernel.
#[derive(Clone)]
pub struct Program {
    pub seed: u64,
    pub standard: &'static str,
    pub items: Vec<Stmt>,
}

impl Program {
    /// The program generated from a seed.
    pub fn new(seed: u64) -> Program {
        let mut random = Xorshift::new(seed ^ 0x5bd1_e995_0000_0000);
        let standard = ["CL1.2", "CL3.0"][random.below(2)];
        let mut g = Gen {
            random: &mut random,
            id: seed,
            standard,
            records: Vec::new(),
            hash_by_pointer: Vec::new(),
            enumerators: Vec::new(),
            functions: Vec::new(),
            shared: Vec::new(),
            scopes: vec![Vec::new()],
            volatile: Vec::new(),
            names: 0,
            budget: 0,
            calls: 0,
            depth: 0,
            in_loop: false,
            in_switch: false,
            constant: false,
            result: None,
        };
        let mut items = vec![
            Stmt::line(format!("#define LARGER_{seed}(a, b) ((a) > (b) ? (a) : (b))")),
            Stmt::line(format!("#define SMALLER_{seed}(a, b) ((a) < (b) ? (a) : (b))")),
            Stmt::line(format!("uint bump_{seed}(private uint *c, uint by) {{ *c += by; return by & 1; }}")),
            g.enumeration(),
        ];
        for _ in 0..1 + g.random.below(3) {
            items.extend(g.record());
        }
        for _ in 0..1 + g.random.below(3) {
            items.push(g.table());
        }
        for _ in 0..1 + g.random.below(3) {
            items.extend(g.function());
        }
        items.push(g.kernel());
        Program { seed, standard, items }
    }

    /// The name of the kernel.
    pub fn kernel(&self) -> String {
        format!("k{}", self.seed)
    }

    /// Build options.
    pub fn options(&self) -> String {
        format!("-w -cl-std={}", self.standard)
    }

    /// The text that precedes programs.
    pub fn prelude() -> &'static str {
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n\
         #pragma OPENCL FP_CONTRACT OFF\n"
    }

    /// The source without the prelude.
    pub fn source(&self) -> String {
        let mut out = String::new();
        tree::print(&self.items, 0, &mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clspv_bridge::driver;
    use clspv_bridge::options::{CompileRequest, Options};

    #[test]
    fn programs_are_reproducible_and_different() {
        let sources: Vec<String> = (1..50).map(|seed| Program::new(seed).source()).collect();
        assert_eq!(sources[4], Program::new(5).source());
        assert!(sources.iter().zip(&sources[1..]).all(|(a, b)| a != b));
    }

    /// Among them seed 100004: `sizeof` binds weaker than an index behind it.
    #[test]
    fn programs_are_accepted() {
        let config = pyroclast_runtime::program::offline::generic_front_config();
        let options = Options { std: "CL3.0".into(), ..Options::default() };
        for seed in (1..30).chain([100004]) {
            let pragma = "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable";
            let source = format!("{pragma}\n{}", Program::new(seed).source());
            let compiled = driver::compile(&CompileRequest::new(&source, &options, &config));
            compiled.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}
