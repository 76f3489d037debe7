//! C programs become the Boolean programs that one would write by hand.

use expect_test::{Expect, expect};
use hardbop_syntax::ast::Form;
use hardbop_syntax::source::CReading;
use hardbop_syntax::{Source, format};

/// The program that a C program becomes, which must have no errors.
fn check(text: &str, expect: &Expect) {
    let source = Source::new("p.c", text);
    let parsed = hardbop_c::parse(&source, &CReading::default());
    let errors: Vec<_> = (parsed.diagnostics.iter())
        .filter(|diagnostic| diagnostic.is_error())
        .collect();
    assert!(errors.is_empty(), "{text}: {errors:?}");
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
        &expect![[r#"
            decl int<32> x := 0;
            decl int<8> c := 0;

            void main() begin
              if (signed(x) < 3 && c != 200) then
                x := int<32>(signed(x) > 1) + 6;
              fi
              c := c + 1;
              while (x != 0) do
                x := x - 1;
              od
              return;
            end
        "#]],
    );
}

#[test]
fn side_effects_come_before_what_uses_them_and_only_then() {
    check(
        "int g; int f(int x) { g = x; return x + 1; }
         int main(void) {
           int a = f(1), b;
           if (a > 0 && f(a) == 2) b = a++ + g;
           b = g + f(b);
           while (f(b) && a-- > 0) { if (b) break; }
           a = b = 3;
           return a ? f(2) : 0;
         }",
        &expect![[r#"
            decl int<32> g := 0;

            int<32> f(int<32> x) begin
              g := x;
              return x + 1;
            end

            void main() begin
              decl int<32> a;
              decl int<32> b;
              decl &&;
              decl int<32> f();
              decl int<32> (a);
              decl int<32> (g);
              decl int<32> f()#2;
              decl int<32> f()#3;
              decl &&#2;
              decl int<32> (a)#2;

              decl int<32> ?:;
              decl int<32> f()#4;
              a := f(1);
              && := signed(a) > 0;
              if && then
                f() := f(a);
                && := f() = 2;
              fi
              if (&&) then
                (a) := a;
                a := (a) + 1;
                b := (a) + g;
              fi
              (g) := g;
              f()#2 := f(b);
              b := (g) + f()#2;
              loop.1: f()#3 := f(b);
              &&#2 := f()#3 != 0;
              if &&#2 then
                (a)#2 := a;
                a := (a)#2 - 1;
                &&#2 := signed((a)#2) > 0;
              fi
              if (&&#2) then
                if (b != 0) then
                  goto break.2;
                fi
                goto loop.1;
              fi
              break.2: b := 3;
              a := 3;
              if a != 0 then
                f()#4 := f(2);
                ?: := f()#4;
              else
                ?: := 0;
              fi
              return;
            end
        "#]],
    );
}

#[test]
fn switches_loops_and_jumps() {
    check(
        "int x;
         int main(void) {
           switch (x) { case 1: x = 2; case 2: x = 3; break; default: x = 0; }
           do { x++; if (x == 5) continue; } while (x < 9);
           for (int i = 0; i < 3; i++) { int y; x = y; }
           again: if (x) goto again;
           ERROR: return 1;
         }",
        &expect![[r#"
            decl int<32> x := 0;

            void main() begin
              decl int<32> i;
              decl int<32> y;
              if (x = 1) then
                goto case.2;
              elsif (x = 2) then
                goto case.3;
              else
                goto default.4;
              fi
              case.2: x := 2;
              case.3: x := 3;
              goto break.1;
              default.4: x := 0;
              break.1: do.5: x := x + 1;
              if (x = 5) then
                goto continue.7;
              fi
              continue.7: if (signed(x) < 9) then
                goto do.5;
              fi
              i := 0;
              while (signed(i) < 3) do
                havoc y;
                x := y;
                i := i + 1;
              od
              again: if (x != 0) then
                goto again;
              fi
              ERROR: assert false;
              return;
            end
        "#]],
    );
}

#[test]
fn structs_arrays_and_pointers() {
    check(
        "struct s { int a; int b[2]; } s, t; int u, v, table[3] = {1, 2};
         void set(int *p, int x) { *p = x; }
         int main(void) {
           int *p = u ? &u : &v, i;
           t = s;
           t.b[i] = table[i];
           set(p, 4);
           set(&table[1], 5);
           return 0;
         }",
        &expect![[r#"
            decl int<32> s.a := 0;
            decl int<32> s.b[2] := 0;
            decl int<32> t.a := 0;
            decl int<32> t.b[2] := 0;
            decl int<32> u := 0;
            decl int<32> v := 0;
            decl int<32> table[3];

            void set(int<4> p, int<32> x) begin
              assert p = 4 || p = 8 || p >> 2 = 3 && int<2>(p) < 3;
              if p = 4 then
                u := x;
              elsif p = 8 then
                v := x;
              else
                table[int<2>(p)] := x;
              fi
            end

            void main() begin
              decl int<4> p;
              decl int<32> i;
              table[0], table[1], table[2] := 1, 2, 0;
              p := u != 0 ? int<4>(4) : int<4>(8);
              t.a := s.a;
              t.b[0] := s.b[0];
              t.b[1] := s.b[1];
              t.b[i] := table[i];
              set(p, 4);
              set(13, 5);
              return;
            end
        "#]],
    );
}

#[test]
fn the_checker_is_spoken_to() {
    check(
        "extern int __VERIFIER_nondet_int(void); void abort(void); int other(int);
         void reach_error(void) { abort(); }
         void __VERIFIER_assert(int c) { if (!c) { ERROR: reach_error(); } }
         int main(void) {
           int x = __VERIFIER_nondet_int();
           __VERIFIER_assume(x > 0 && x < 10);
           if (x == other(x)) abort();
           __VERIFIER_assert(x / x == 1);
           if (x > 20) reach_error();
           return 0;
         }",
        &expect![[r#"
            void main() begin
              decl int<32> x;

              decl int<32> other();
              x := *;
              assume signed(x) > 0 && signed(x) < 10;
              other() := other();
              if (x = other()) then
                assume false;
              fi
              assert x != 0;
              assert signed(x) / signed(x) = 1;
              if (signed(x) > 20) then
                assert false;
              fi
              return;
            end

            int<32> other() begin
              return *;
            end
        "#]],
    );
}

#[test]
fn choices_and_constants_keep_their_types() {
    check(
        "_Bool __VERIFIER_nondet_bool(void); volatile int v; enum e { A, B } e; int a[3], z;
         int main(void) {
           int b = __VERIFIER_nondet_bool();
           int s = -2 >> z;
           long d = 1 ? z : 0u;
           int *end = &a[3];
           v = v + 1;
           if (e - 1 > 0) z = v;
           return 0;
         }",
        &expect![[r#"
            decl int<32> v := 0;
            decl int<32> e := 0;
            decl int<32> z := 0;

            void main() begin
              decl int<32> b;
              decl int<32> s;
              decl int<64> d;
              decl int<3> end;
              b := int<32>(bool(*));
              assert z < 32;
              s := signed(int<32>(4294967294)) >> z;
              d := int<64>(z);
              end := 7;
              v := int<32>(*) + 1;
              if (e - 1 > 0) then
                z := *;
              fi
              return;
            end
        "#]],
    );
}

#[test]
fn a_label_beside_assertions_is_a_label() {
    check(
        "void __VERIFIER_assert(int c);
         int main(void) {
           __VERIFIER_assert(1);
           ERROR: return 1;
         }",
        &expect![[r#"
            void main() begin
              assert true;
              ERROR: return;
            end
        "#]],
    );
}
