//! C programs become the Boolean programs that one would write by hand.

use expect_test::{Expect, expect};
use hardbop_syntax::ast::Form;
use hardbop_syntax::source::CReading;
use hardbop_syntax::{Source, format};

/// The program that a C program becomes, which must have no errors.
fn check(text: &str, expect: &Expect) {
    let source = Source::new("p.c", text);
    let parsed = hardbop_c::parse(&source, &CReading::default());
    assert_eq!(parsed.diagnostics, [], "{text}");
    let mut shown = parsed.ast.clone();
    shown.form = Form::Procedures;
    expect.assert_eq(&format::format(&shown, &source));
    let checked = hardbop_program::check(parsed.ast, &source, None);
    assert_eq!(checked.diagnostics, [], "{text}");
    let program = checked.program.expect("there are no errors");
    hardbop_machine::lower(program, &source);
}

#[test]
fn conditions_stay_boolean_and_constants_are_folded() {
    check(
        "int x; unsigned char c;
         int main(void) {
           if (x < 3 && !(c == 200)) x = (x > 1) + 2 * 3;
           c = c + 1;
           while (x) x--;
           return 0;
         }",
        &expect![[""]],
    );
}
