//! Shows what the checker says about a program, one line per diagnostic.

use hardbop_program::{Checked, check};
use hardbop_syntax::{Diagnostic, Source, parse};
use std::fmt::Write;

/// Parses and checks; the program must be free of syntax errors.
pub fn checked(text: &str) -> (Checked, Source) {
    let source = Source::new("test.bp", text);
    let parsed = parse(&source);
    assert_eq!(parsed.diagnostics, [], "the test program has syntax errors");
    (check(parsed.ast, &source, None), source)
}

/// All diagnostics: place, code, message, what is said at other places, help.
pub fn report(text: &str) -> String {
    let (checked, source) = checked(text);
    assert_eq!(
        checked.program.is_some(),
        !checked.diagnostics.iter().any(Diagnostic::is_error)
    );
    let place = |span: hardbop_syntax::Span| {
        let (line, column) = source.line_column(span.start);
        format!("{line}:{column}")
    };
    let mut shown = String::new();
    for diagnostic in &checked.diagnostics {
        let at = place(diagnostic.primary.span);
        writeln!(shown, "{at} {}: {}", diagnostic.code, diagnostic.message).unwrap();
        for other in &diagnostic.secondary {
            writeln!(shown, "  {} {}", place(other.span), other.text).unwrap();
        }
        if let Some(help) = &diagnostic.help {
            writeln!(shown, "  help: {help}").unwrap();
        }
    }
    shown
}
