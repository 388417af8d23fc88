//! Arbitrary text as build, compile and link options. Parsing must not panic; accepted options survive being
//! quoted again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pyroclast_runtime::program::options::{Stage, parse, tokenize};

fuzz_target!(|text: &str| {
    for stage in [Stage::Build, Stage::Compile, Stage::Link] {
        let Ok(parsed) = parse(text, stage) else { continue };
        let words = tokenize(text).unwrap_or_default();
        let quoted: Vec<String> =
            words.iter().map(|w| format!("\"{}\"", w.replace('\\', "\\\\").replace('"', "\\\""))).collect();
        assert_eq!(parse(&quoted.join(" "), stage).as_ref(), Ok(&parsed));
    }
});
