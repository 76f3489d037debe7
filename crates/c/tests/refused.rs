//! What is not supported is refused at its place, all of it in one run.

use hardbop_syntax::Source;
use hardbop_syntax::source::CReading;

/// The refused places with what is said about them.
fn refused(text: &str) -> Vec<(String, String)> {
    let source = Source::new("p.c", text);
    let parsed = hardbop_c::parse(&source, &CReading::default());
    let place = |span: hardbop_syntax::Span| source.text()[span.range()].to_owned();
    let found = parsed.diagnostics.iter();
    found
        .map(|d| (place(d.primary.span), d.message.clone()))
        .collect()
}

#[test]
fn every_place_is_named() {
    let found = refused(
        "union u { int a; char b; };
         struct bits { int a : 3; };
         int count(int n, ...) { return n; }
         int old(a) int a; { return a; }
         int (*handler)(int);
         int down(int n) { int x; int *p = &x; return n ? down(n - 1) : *p; }
         void *malloc(unsigned long);
         int main(void) {
           union u v; struct bits w; float f = 1.5;
           int n = 3, list[n];
           v.a = 1; w.a = 2;
           count(1, 2); old(1); handler(3); down(4);
           int z; int *p = malloc(4); p = &z; char *c = (char *)p; long l = (long)p;
           asm(\"nop\");
           return f + undeclared;
         }",
    );
    let places: Vec<&str> = found.iter().map(|(place, _)| place.as_str()).collect();
    for place in [
        "count",
        "(a)",
        "x",
        "v",
        "w.a",
        "f",
        "list",
        "handler(3)",
        "malloc(4)",
        "asm(\"nop\")",
        "undeclared",
    ] {
        assert!(places.contains(&place), "{place}: {found:#?}");
    }
}

#[test]
fn what_main_does_not_come_to_is_left_out() {
    let text = "double half(double x) { return x / 2; } int main(void) { return 0; }";
    assert_eq!(refused(text), []);
}
