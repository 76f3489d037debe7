//! Types: numbers and choices take theirs from the context, and contradictions are reported once.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod common;

use common::{checked, report};
use expect_test::{Expect, expect};
use hardbop_program::Type;
use hardbop_syntax::ast::ExprKind;

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&report(text));
}

/// The types of all numbers and choices of a statement, in order.
fn open_types(statement: &str) -> Vec<Type> {
    let text = format!("decl a; decl int<4> n; void main() begin {statement} end");
    let (checked, _) = checked(&text);
    let program = checked
        .program
        .unwrap_or_else(|| panic!("{:#?}", checked.diagnostics));
    let exprs = program.ast.exprs.iter().enumerate();
    exprs
        .filter(|(_, e)| matches!(e.kind, ExprKind::Number { .. } | ExprKind::Choice { .. }))
        .map(|(index, _)| program.type_of(hardbop_syntax::ast::ExprId(index as u32)))
        .collect()
}

#[test]
fn numbers_and_choices_take_the_type_of_their_context() {
    let int = Type::Int(4);
    assert_eq!(open_types("a := 1;"), [Type::Bool]);
    assert_eq!(open_types("n := 1;"), [int]);
    assert_eq!(open_types("n := (*);"), [int]);
    assert_eq!(open_types("assert(n = 1);"), [int]);
    assert_eq!(open_types("assert(1 = n);"), [int]);
    assert_eq!(open_types("assert(a = 1);"), [Type::Bool]);
    assert_eq!(open_types("n := a ? 1 : *;"), [int, int]);
    assert_eq!(open_types("n := (1 + *) * 2;"), [int, int, int]);
    assert_eq!(open_types("assert((a ? 1 : 2) < n);"), [int, int]);
    assert_eq!(open_types("_ := 0;"), [Type::Bool]);
}

#[test]
fn without_a_context_the_narrowest_type_is_taken() {
    assert_eq!(open_types("assert(1 = *);"), [Type::Bool, Type::Bool]);
    assert_eq!(open_types("assert(5 = *);"), [Type::Int(3), Type::Int(3)]);
    assert_eq!(open_types("assert(0 < 1);"), [Type::Int(1), Type::Int(1)]);
    assert_eq!(open_types("print(9, *);"), [Type::Int(4), Type::Bool]);
}

#[test]
fn contradictions_are_reported_once_with_both_types() {
    check(
        "decl a;
decl int<4> n;
decl int<5> m;
void f(x, int<4> y) begin skip; end
int<4> g() begin return a; end
void main() begin
  if n then skip; fi
  a := n & a;
  n := a;
  n := n + m;
  assert(((n)) = a);
  assert(a < a);
  a := a + 1;
  a := 1 + 1;
  n := a ? n : m;
  f(n, a);
  a := g();
  assert(!n);
  m := n;
end",
        &expect![[r#"
            5:25 HB031: the result of `g` must be int<4>, but this is bool
              5:8 its type is given here
              help: convert it: `int<4>(…)`
            7:6 HB031: a condition must be bool, but this is int<4>
              help: compare it with a number, as in `n != 0`, or write `bool(n)`
            8:8 HB031: the operands of `&` differ in type: int<4> and bool
              8:8 int<4>
              8:12 bool
            9:8 HB031: the value of `n` must be int<4>, but this is bool
              2:13 declared here
              help: convert it: `int<4>(…)`
            10:8 HB031: the operands of `+` differ in type: int<4> and int<5>
              10:8 int<4>
              10:12 int<5>
            11:10 HB031: the operands of `=` differ in type: int<4> and bool
              11:10 int<4>
              11:18 bool
            12:10 HB038: `<` works on integers, not on bool
              help: Booleans have `&`, `|`, `^`, `!`, `=>`, `<->`, `=` and `!=`; integers are declared with `decl int<n> x;`
            13:8 HB038: `+` works on integers, not on bool
              help: Booleans have `&`, `|`, `^`, `!`, `=>`, `<->`, `=` and `!=`; integers are declared with `decl int<n> x;`
            14:8 HB038: `+` works on integers, not on bool
              help: Booleans have `&`, `|`, `^`, `!`, `=>`, `<->`, `=` and `!=`; integers are declared with `decl int<n> x;`
            15:8 HB031: the two branches of `? :` differ in type: int<4> and int<5>
              15:12 int<4>
              15:16 int<5>
            16:5 HB031: the argument for `x` must be bool, but this is int<4>
              4:8 declared here
              help: compare it with a number, as in `n != 0`, or write `bool(n)`
            16:8 HB031: the argument for `y` must be int<4>, but this is bool
              4:18 declared here
              help: convert it: `int<4>(…)`
            17:3 HB031: `a` is bool, but the result of `g` is int<4>
              5:8 int<4>
            18:11 HB031: the operand of `!` must be bool, but this is int<4>
              help: compare it with a number, as in `n != 0`, or write `bool(n)`
            19:8 HB031: the value of `m` must be int<5>, but this is int<4>
              3:13 declared here
              help: convert it: `int<5>(…)`
        "#]],
    );
}

#[test]
fn numbers_must_fit() {
    check(
        "decl a;
decl int<4> n;
void main() begin
  n := 16;
  a := 2;
  assert(n = 99);
  n := 15 + 1;
end",
        &expect![[r#"
            4:8 HB032: 16 is too large: the value of `n` must be int<4>
              2:13 declared here
            5:8 HB032: 2 is too large: the value of `a` must be bool
              1:6 declared here
            6:14 HB032: 99 is too large: an operand of `=` here must be int<4>
        "#]],
    );
}

#[test]
fn widths_and_counts_have_limits() {
    check(
        "decl int<0> a;
decl int<64> b;
bool<0> f() begin skip; end
bool<4097> g() begin skip; end
void main(int<65> k) begin f(); g(); end",
        &expect![[r#"
            1:10 HB033: an integer cannot have 0 bits
            3:6 HB034: a procedure cannot have 0 results by `bool<0>`
              help: a procedure without results is `void`
            3:25 HB072: `f` can end without `return`; its results are arbitrary then
              3:9 has results
            4:6 HB034: a procedure cannot have 4097 results by `bool<4097>`
            4:28 HB072: `g` can end without `return`; its results are arbitrary then
              4:12 has results
            5:15 HB033: an integer cannot have 65 bits
        "#]],
    );
}

#[test]
fn primes_belong_to_constrain() {
    check(
        "decl x;
void main() begin
  x := 'x;
  x := * constrain 'x & x;
  assume('x);
end",
        &expect![[r#"
            3:8 HB035: `'x` has a meaning only after `constrain`
            5:10 HB035: `'x` has a meaning only after `constrain`
        "#]],
    );
}

#[test]
fn initial_values_are_folded() {
    let (checked, _) = checked(
        "decl a := !F & (1 | 0);
decl int<4> n := 9 * 2 + (T ? 1 : 0), m := *;
decl int<3> k := 0 - 1;
decl c := 3 < 2 | choose[F, T];
void main() begin skip; end",
    );
    let program = checked.program.expect("no errors");
    let initial: Vec<_> = program.globals.iter().map(|g| g.initial).collect();
    assert_eq!(initial, [Some(1), Some(3), None, Some(7), Some(0)]);
}

#[test]
fn initial_values_of_globals_are_constants() {
    check(
        "decl a := T;
decl b := a, c := T & *;
void main() begin
  decl l := a;
  assert(l | b | c);
end",
        &expect![[r#"
            2:11 HB037: the initial value of `b` is not a constant
              help: use constants only, or `*` alone, or assign it in the first procedure
            2:23 HB037: the initial value of `c` is not a constant
              help: use constants only, or `*` alone, or assign it in the first procedure
        "#]],
    );
}

#[test]
fn deep_expressions_are_typed_without_recursion() {
    let depth = 200_000;
    let expression = format!("{}n{}", "(1 + ".repeat(depth), ")".repeat(depth));
    let text = format!("decl int<4> n; void main() begin n := {expression}; end");
    assert!(checked(&text).0.program.is_some());
}

#[test]
fn operators_of_words_take_the_type_of_their_operands() {
    let int = Type::Int(4);
    assert_eq!(open_types("n := n & 3;"), [int]);
    assert_eq!(open_types("n := ~0;"), [int]);
    assert_eq!(open_types("a := 1 & *;"), [Type::Bool, Type::Bool]);
    assert_eq!(open_types("n := 1 | *;"), [int, int]);
    assert_eq!(open_types("n := n << 3 >> 1;"), [int, int]);
    assert_eq!(open_types("assert(signed(n) < -8);"), [int]);
    assert_eq!(open_types("assert(-8 = n % 5);"), [int, int]);
    assert_eq!(open_types("print(-8, -9);"), [Type::Int(4), Type::Int(5)]);
    assert_eq!(open_types("n := int<4>(-1) + int<4>(*);"), [int, int]);
    assert_eq!(open_types("a := bool(6);"), [Type::Int(3)]);
}

#[test]
fn conversions_and_signs_that_do_not_fit_are_reported() {
    check(
        "decl a;
decl int<4> n;
decl int<5> m;
void main() begin
  n := m;
  n := a;
  a := n & 1;
  a := n && n;
  a := !n;
  n := int<4>(m) + int<0>(a);
  a := signed(n) < m;
  a := signed(n) < signed(m);
  a := signed(n) < n;
  n := signed(n) + 1;
  n := n >> signed(n);
  n := signed(n);
  a := signed(a) < 0;
  a := -1;
  n := -a;
  n := -9;
  n := 0x10;
  a := signed(n) < 8;
  a := signed(n) / -8 = 15;
  a := 1 << 1;
end",
        &expect![[r#"
            5:8 HB031: the value of `n` must be int<4>, but this is int<5>
              2:13 declared here
              help: convert it: `int<4>(…)`
            6:8 HB031: the value of `n` must be int<4>, but this is bool
              2:13 declared here
              help: convert it: `int<4>(…)`
            7:8 HB031: the value of `a` must be bool, but this is int<4>
              1:6 declared here
              help: compare it with a number, as in `n != 0`, or write `bool(n)`
            8:8 HB031: an operand of `&&` here must be bool, but this is int<4>
              help: compare it with a number, as in `n != 0`, or write `bool(n)`
            8:13 HB031: an operand of `&&` here must be bool, but this is int<4>
              help: compare it with a number, as in `n != 0`, or write `bool(n)`
            9:9 HB031: the operand of `!` must be bool, but this is int<4>
              help: compare it with a number, as in `n != 0`, or write `bool(n)`
            10:8 HB031: the operands of `+` differ in type: int<4> and int<1>
              10:8 int<4>
              10:20 int<1>
            10:20 HB033: an integer cannot have 0 bits
            11:8 HB031: the operands of `<` differ in type: int<4> and int<5>
              11:8 int<4>
              11:20 int<5>
            11:20 HB045: only one operand of `<` is signed
              help: write `signed(a) < signed(b)`, `signed(a) / 2`, `signed(a) >> n` or `int<16>(signed(a))`
            12:8 HB031: the operands of `<` differ in type: int<4> and int<5>
              12:8 int<4>
              12:20 int<5>
            13:20 HB045: only one operand of `<` is signed
              help: write `signed(a) < signed(b)`, `signed(a) / 2`, `signed(a) >> n` or `int<16>(signed(a))`
            14:8 HB045: `signed` has no meaning here
              help: write `signed(a) < signed(b)`, `signed(a) / 2`, `signed(a) >> n` or `int<16>(signed(a))`
            15:13 HB045: `signed` has no meaning here
              help: write `signed(a) < signed(b)`, `signed(a) / 2`, `signed(a) >> n` or `int<16>(signed(a))`
            16:8 HB045: `signed` has no meaning here
              help: write `signed(a) < signed(b)`, `signed(a) / 2`, `signed(a) >> n` or `int<16>(signed(a))`
            17:8 HB038: `signed` works on integers, not on bool
              help: Booleans have `&`, `|`, `^`, `!`, `=>`, `<->`, `=` and `!=`; integers are declared with `decl int<n> x;`
            18:8 HB038: `-` works on integers, not on bool
              help: Booleans have `&`, `|`, `^`, `!`, `=>`, `<->`, `=` and `!=`; integers are declared with `decl int<n> x;`
            19:8 HB038: `-` works on integers, not on bool
              help: Booleans have `&`, `|`, `^`, `!`, `=>`, `<->`, `=` and `!=`; integers are declared with `decl int<n> x;`
            20:9 HB032: 9 is too large: the operand of `-` must be int<4>
            21:8 HB032: 16 is too large: the value of `n` must be int<4>
              2:13 declared here
            22:20 HB032: 8 is too large: an operand of `<` here must be int<4>
            24:8 HB038: `<<` works on integers, not on bool
              help: Booleans have `&`, `|`, `^`, `!`, `=>`, `<->`, `=` and `!=`; integers are declared with `decl int<n> x;`
        "#]],
    );
}

#[test]
fn arrays_that_are_used_wrongly_are_reported() {
    check(
        "decl int<4> a[3], n, b[5000];
decl c[2] := a;
void f(int<4> x) begin
  decl int<4> a[2] := 1, m;
  enforce a[n] = 0;
  a[1] := m;
end
int<4> g() begin return n; end
void main() begin
  decl c;
  a := n;
  n := a + 1;
  f(a);
  n[0] := 1;
  n := n[0];
  a[3] := 1;
  a[-1] := a[0x3];
  a[c] := 1;
  a[n], a[0] := c, g;
  a[n] := g();
  a[0] := g();
  a[*] := a[n + 1] constrain 'a[n] = 'a[2];
  havoc a, n;
  unknown[1] := unknown[n];
  c := c[0];
end",
        &expect![[r#"
            1:24 HB040: an array cannot have 5000 elements
            2:14 HB042: `a` is an array and has no index here
              1:13 declared here
            4:15 HB073: `a` hides the global variable of the same name
              1:13 the variable that is hidden
            5:13 HB044: this index must be a number
            10:8 HB073: `c` hides the global variable of the same name
              2:6 the variable that is hidden
            11:3 HB042: `a` is an array and has no index here
              1:13 declared here
            12:8 HB042: `a` is an array and has no index here
              1:13 declared here
            13:5 HB042: `a` is an array and has no index here
              1:13 declared here
            14:3 HB041: `n` is not an array
              1:19 declared here
            15:8 HB041: `n` is not an array
              1:19 declared here
            16:5 HB043: there is no element 3
              1:13 declared here
            17:5 HB043: there is no element -1
              1:13 declared here
            17:14 HB043: there is no element 3
              1:13 declared here
            18:5 HB038: an index is an integer, not bool
              help: convert it: `int<1>(b)`
            19:17 HB031: the value of `a` must be int<4>, but this is bool
              1:13 declared here
              help: convert it: `int<4>(…)`
            19:20 HB020: the variable `g` is not declared
              help: `g` is a procedure; call it with `x := g(…);`
            20:5 HB044: this index must be a number
            22:33 HB044: this index must be a number
            24:3 HB020: the variable `unknown` is not declared
            24:17 HB020: the variable `unknown` is not declared
            25:8 HB041: `c` is not an array
              10:8 declared here
        "#]],
    );
}
