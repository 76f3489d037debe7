//! C programs with threads: where each access of a shared variable becomes a step.

use expect_test::{Expect, expect};
use hardbop_syntax::ast::Form;
use hardbop_syntax::source::CReading;
use hardbop_syntax::{Source, format};

/// A program that starts `A` beside `main`.
fn check(text: &str, expect: &Expect) {
    let text = format!(
        "typedef unsigned long pthread_t; int pthread_create(pthread_t *, void *, void *(*)(void *), \
         void *);\n{text}\nint main(void) {{ pthread_t t; pthread_create(&t, 0, A, 0); A(0); return 0; }}\n"
    );
    let source = Source::new("p.c", text.as_str());
    let parsed = hardbop_c::parse(&source, &CReading::default());
    assert_eq!(parsed.diagnostics, [], "{text}");
    let mut shown = parsed.ast.clone();
    shown.form = Form::Procedures;
    let shown = format::format(&shown, &source);
    let body = shown.split("\n\n").find(|part| part.starts_with("void A("));
    expect.assert_eq(body.unwrap_or(&shown));
    let checked = hardbop_program::check(parsed.ast, &source, None);
    let program = checked.program.expect("there are no errors");
    hardbop_machine::lower(program, &source);
}

#[test]
fn one_access_is_one_step_and_several_are_several() {
    check(
        "int x, y; void A(void *v) { int l; x = 1; l = x; x++; y = x; if (x == 1) l = 2; \
         while (x && y) l--; }",
        &expect![[r#"
            void A(int<1> v) begin
              decl int<32> l;
              decl int<32> (x);
              decl int<32> (x)#2;
              decl int<32> (x)#3;
              decl int<32> (y);
              x := 1;
              l := x;
              (x) := x;
              x := (x) + 1;
              (x)#2 := x;
              y := (x)#2;
              if (x = 1) then
                l := 2;
              fi
              loop.1: (x)#3 := x;
              (y) := y;
              if ((x)#3 != 0 && (y) != 0) then
                l := l - 1;
                goto loop.1;
              fi
            end"#]],
    );
}

#[test]
fn a_result_is_not_returned_into_a_shared_variable() {
    check(
        "int x, y; int f(void) { return y; } void A(void *v) { int l; x = f(); l = f(); }",
        &expect![[r#"
            void A(int<1> v) begin
              decl int<32> l;
              decl int<32> f();
              f() := f();
              x := f();
              l := f();
            end"#]],
    );
}

#[test]
fn what_an_atomic_function_gets_is_read_before_it() {
    check(
        "int x, y; void __VERIFIER_atomic_set(int v) { y = y + v; } void A(void *v) { int l = 1; \
         __VERIFIER_atomic_set(x); __VERIFIER_atomic_set(l); }",
        &expect![[r#"
            void A(int<1> v) begin
              decl int<32> l;
              decl int<32> (x);
              l := 1;
              (x) := x;
              atomic_begin;
              __VERIFIER_atomic_set((x));
              atomic_end;
              atomic_begin;
              __VERIFIER_atomic_set(l);
              atomic_end;
            end"#]],
    );
}

#[test]
fn a_pointer_to_void_is_read_once() {
    check(
        "int x; void *p = 0; void A(void *v) { int *q; p = &x; q = p; *q = 1; }",
        &expect![[r#"
            void A(int<1> v) begin
              decl int<1> q;
              decl int<1> (p);
              p := 1;
              (p) := p;
              q := int<1>((p) = 1);
              assert q = 1;
              x := 1;
            end"#]],
    );
}
