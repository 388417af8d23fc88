//! Arbitrary text as IR. Parsing returns a module or an error; a module that verifies prints as text that
//! parses to the same module, and its functions without parameters can be interpreted.

#![no_main]

use clspv_bridge::ir::interp::{Launch, Machine};
use clspv_bridge::ir::{parse, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(module) = parse::parse_module(text) else { return };
    if verify::verify_module(&module).is_err() {
        return;
    }
    let printed = module.to_string();
    let again = match parse::parse_module(&printed) {
        Ok(again) => again,
        Err(error) => panic!("{error}:\n{printed}"),
    };
    assert_eq!(again.to_string(), printed);
    for (func, data) in module.functions.iter() {
        if data.sig.params.is_empty() && !data.layout.is_empty() {
            let launch = Launch { fuel: 2000, ..Launch::default() };
            let _ = Machine::new(&module).run(func, &[], &launch);
        }
    }
});
