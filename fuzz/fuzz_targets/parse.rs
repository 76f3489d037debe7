//! Whatever the bytes of a file are, the front end answers with a machine or with errors, in both
//! textual forms.
#![no_main]

use hardbop_syntax::ast::Form;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Source, parse_as};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = Source::from_bytes("fuzzed.bp", bytes.to_vec()) else {
        return;
    };
    for form in [Form::Procedures, Form::GuardedBlocks] {
        let parsed = parse_as(&source, form);
        let is_read = !has_errors(&parsed.diagnostics);
        let checked = hardbop_program::check(parsed.ast, &source, None);
        let is_valid = is_read && !has_errors(&checked.diagnostics);
        assert!(
            !is_valid || checked.program.is_some(),
            "neither a program nor an error"
        );
        if let Some(program) = checked.program.filter(|_| is_valid) {
            let machine = hardbop_machine::lower(&program, &source);
            assert_eq!(machine.procedures.len(), program.procedures.len());
        }
    }
});
