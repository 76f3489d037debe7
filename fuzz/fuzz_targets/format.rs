//! A text that is read without errors is formatted to the same tree with the same comments, and
//! formatting twice is the same as formatting once.
#![no_main]

use hardbop_syntax::ast::Form;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::format::format;
use hardbop_syntax::{Ast, Source, parse_as};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::new("fuzzed.bp", text);
    for form in [Form::Procedures, Form::GuardedBlocks] {
        let first = parse_as(&source, form);
        if has_errors(&first.diagnostics) {
            continue;
        }
        let formatted = Source::new("formatted.bp", format(&first.ast, &source));
        let second = parse_as(&formatted, form);
        assert!(
            !has_errors(&second.diagnostics),
            "formatted to an error: {:?}\n{}",
            second.diagnostics,
            formatted.text()
        );
        assert!(
            first.ast.without_places() == second.ast.without_places(),
            "formatted to another tree:\n{}",
            formatted.text()
        );
        assert_eq!(
            comments(&first.ast, &source),
            comments(&second.ast, &formatted)
        );
        assert_eq!(
            formatted.text(),
            format(&second.ast, &formatted),
            "formatting again changes the text"
        );
    }
});

fn comments(ast: &Ast, source: &Source) -> Vec<String> {
    let texts = ast
        .comments
        .iter()
        .map(|comment| source.slice(comment.span).to_owned());
    texts.collect()
}
