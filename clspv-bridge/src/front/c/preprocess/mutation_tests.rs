//! Robustness: mutated kernels are preprocessed and their diagnostics printed without a panic.

use super::*;
use crate::options::{CompileRequest, FrontConfig, Header, Options};

/// Pieces that mutations insert.
const PIECES: &[&str] = &[
    "#",
    "##",
    "\n#",
    "\n#if ",
    "\n#else\n",
    "\n#endif\n",
    "\n#elif ",
    "\n#define F(x,...) #x x##x F(x) __VA_ARGS__\n",
    "\n#include \"self\"\n",
    "\n#include <",
    "\n#undef F\n",
    "F(",
    "F(F(",
    ")",
    ",",
    "(",
    "\\\n",
    "??/\n",
    "??=",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "_Pragma(\"",
    "\n#pragma ",
    "\n#line 7 \"x\"\n",
    "__COUNTER__",
    "__VA_OPT__(",
    "defined",
    "\u{feff}",
    "\u{a0}",
    "é",
    "\\u00e9",
    "\0",
    "\r",
    "0x",
    "1e+",
    "'\\",
    "__has_include(",
    "<:",
    "%:",
    "\n#error ",
    "\n#ifdef F\n",
    "__LINE__",
    "@",
    "$",
    "`",
    "\n#include_next <self>\n",
];

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

/// Sources to mutate: kernels of the tests, and macros.
fn sources() -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/exec");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut all: Vec<Vec<u8>> = paths.iter().filter_map(|p| std::fs::read(p).ok()).collect();
    all.push(PIECES.concat().into_bytes());
    all.push(
        b"#define A(x) B(x) #x\n#define B(x, ...) x##__VA_ARGS__ A(x)\n\
          #if A(1) == B(2,3)\nA(A(B(1,2)))\n#endif\n"
            .to_vec(),
    );
    all
}

fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len() + 1);
    let len = random.below(24).min(text.len() - at);
    match random.below(6) {
        0 => drop(text.drain(at..at + len)),
        1 if at < text.len() => text[at] = random.below(256) as u8,
        2 => {
            let copy: Vec<u8> = text[at..at + len].to_vec();
            let to = random.below(text.len() + 1);
            text.splice(to..to, copy);
        }
        3 => text.truncate(text.len() - random.below(text.len() / 8 + 1)),
        _ => drop(text.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
    }
}

/// Preprocesses a text that also includes itself, and prints its diagnostics with others at every token.
fn run(text: &str) {
    let options =
        Options { preprocessor: vec!["-DD(x)=x x".into(), format!("-D{text}")], ..Options::default() };
    let config = FrontConfig { extensions: vec!["cl_khr_fp16".into()], ..FrontConfig::default() };
    let headers = [Header { name: "self".into(), text: text.into() }];
    let mut session = Session::new(&options);
    let tokens = preprocess(
        &mut session,
        &CompileRequest { headers: &headers, ..CompileRequest::new(text, &options, &config) },
    );
    assert_eq!(tokens.last().map(|t| t.kind), Some(TokenKind::End));
    session.render();
    session.diagnostics = Default::default();
    for pair in tokens.windows(2).step_by(tokens.len() / 16 + 1) {
        session.sources.line(pair[0].loc);
        session.diagnostics.warning("w", pair[0].loc, pair[1].text(&session.symbols));
        session.diagnostics.underline(pair[0].loc, pair[1].loc);
        session.diagnostics.underline(pair[1].loc, pair[0].loc);
    }
    session.render();
}

#[test]
fn mutated_kernels_do_not_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for source in sources() {
        for _ in 0..6 {
            let mut text = source.clone();
            for _ in 0..1 + random.below(12) {
                mutate(&mut text, &mut random);
            }
            run(&String::from_utf8_lossy(&text));
        }
    }
}
