//! Names, labels and counts: each mistake is reported at its place, all of a program in one run.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod common;

use common::report;
use expect_test::{Expect, expect};

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&report(text));
}

#[test]
fn all_unknown_names_are_reported_with_the_nearest_known_one() {
    check(
        "decl lock, count;
void acquire(flag) begin
  lokc := flga;
  goto Dnoe;
  Done: aquire(T);
end
void main() begin
  acquire(F);
  flag := acquire;
end",
        &expect![[r#"
            3:3 HB020: the variable `lokc` is not declared
              help: did you mean `lock`?
            3:11 HB020: the variable `flga` is not declared
              help: did you mean `flag`?
            4:8 HB022: there is no label `Dnoe` in `acquire`
              help: did you mean `Done`?
            5:9 HB021: there is no procedure `aquire`
              help: did you mean `acquire`?
            9:3 HB020: the variable `flag` is not declared
            9:11 HB020: the variable `acquire` is not declared
              help: `acquire` is a procedure; call it with `x := acquire(…);`
        "#]],
    );
}

#[test]
fn second_declarations_point_to_the_first() {
    check(
        "decl a, a;
void f(x) begin
  decl x;
  L: skip;
  L: skip;
end
void f() begin skip; end
void main() begin
  a, _, a := T, F, *;
  dead a, a;
  f(T);
end",
        &expect![[r#"
            1:9 HB023: the variable `a` is declared twice
              1:6 first declared here
            3:8 HB023: the variable `x` is declared twice
              2:8 first declared here
            5:3 HB025: the label `L` stands at several places of `f`
              4:3 first here
              help: questions about it mean all of them, `goto` leads to the first
            7:6 HB024: the procedure `f` is defined twice
              2:6 first defined here
            9:9 HB026: `a` is assigned twice at once
              9:3 this one does not
            10:11 HB026: `a` is assigned twice at once
              10:8 this one does not
        "#]],
    );
}

#[test]
fn wrong_counts_give_both_numbers() {
    check(
        "bool<2> f(a) begin
  return a;
end
void main() begin
  decl x, y, z;
  x, y := T;
  x, y, z := f(x);
  x, y := f();
  f(x);
  return x;
end",
        &expect![[r#"
            2:3 HB030: `f` has 2 results but returns 1 value
              1:9 2 results
            6:3 HB028: 2 variables are assigned but 1 value is given
            7:3 HB029: `f` has 2 results but 3 variables are assigned
              1:9 2 results
            8:11 HB027: `f` has 1 parameter but is called with 0 arguments
              1:9 1 parameter here
            10:3 HB030: `main` has 0 results but returns 1 value
              4:6 0 results
              help: declare it with results: `bool main(…)`
        "#]],
    );
}

#[test]
fn a_jump_into_another_procedure_names_it() {
    check(
        "void f() begin L: skip; end
void main() begin
  f();
  goto L;
end",
        &expect![[r#"
            4:8 HB039: `goto` cannot leave `main`: the label `L` is in `f`
              1:16 this one is in `f`
        "#]],
    );
}

#[test]
fn labels_before_the_end_of_a_block_can_be_jumped_to() {
    check(
        "void main() begin
  if (*) then goto Out; Out: fi
  goto End;
  End:
end",
        &expect![[""]],
    );
}

#[test]
fn a_program_needs_a_main() {
    check(
        "void Main() begin skip; end",
        &expect![[r#"
            1:6 HB036: the program has no procedure `main` to start with
              1:6 is this it? Names are case sensitive
        "#]],
    );
}

#[test]
fn locals_hide_globals_with_a_warning() {
    check(
        "decl x;
decl int<2> y;
void f(y) begin
  decl x;
  x := y;
end
void main() begin
  f(x);
end",
        &expect![[r#"
            3:8 HB073: `y` hides the global variable of the same name
              2:13 the variable that is hidden
            4:8 HB073: `x` hides the global variable of the same name
              1:6 the variable that is hidden
        "#]],
    );
}

#[test]
fn many_unknown_names_are_all_reported_in_reasonable_time() {
    use std::fmt::Write;
    let mut text = String::new();
    for i in 0..20_000 {
        writeln!(text, "decl variable{i};").unwrap();
    }
    text.push_str("void main() begin\n");
    for i in 0..20_000 {
        writeln!(text, "  unknown{i} := T;").unwrap();
    }
    text.push_str("end");
    assert_eq!(common::checked(&text).0.diagnostics.len(), 20_000);
}
