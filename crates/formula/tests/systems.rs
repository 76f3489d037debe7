//! What texts mean: the relations and actions of a system, written out again.

mod support;

use expect_test::{Expect, expect};
use hardbop_formula::{ActionKind, HintKind, RelationId, System, load_text};
use hardbop_syntax::Source;
use std::fmt::Write;
use support::display;

fn system(text: &str) -> System {
    let checked = load_text(&Source::new("test.mu", text));
    let errors: Vec<&str> = checked
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .map(|diagnostic| diagnostic.message.as_str())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    checked.system.expect("there are no errors")
}

fn shown(system: &System) -> String {
    let mut out = String::new();
    for id in (0..system.relations.len() as u32).map(RelationId) {
        let _ = writeln!(out, "{}", display::relation(system, id));
        for hint in &system.relation(id).hints {
            let side = |bits: &hardbop_formula::Bits| {
                let name = &system.variable(bits.variable).name;
                format!("{name}{:?}", bits.range)
            };
            let kind = match hint.kind {
                HintKind::Interleaved => "~+",
                HintKind::Apart => "~-",
                HintKind::Above => "<",
                HintKind::Below => ">",
            };
            let _ = writeln!(out, "  {} {kind} {}", side(&hint.left), side(&hint.right));
        }
    }
    for action in &system.actions {
        let name = |id: &RelationId| &system.relation(*id).name;
        let formula = |id| display::formula(system, id);
        let _ = match &action.kind {
            ActionKind::Query(id) => writeln!(out, "? {}", formula(*id)),
            ActionKind::Size(id) => writeln!(out, "size {}", name(id)),
            ActionKind::List(id) => writeln!(out, "list {}", name(id)),
            ActionKind::Count(id) => writeln!(out, "count {}", name(id)),
            ActionKind::Witness(id) => writeln!(out, "witness {}", formula(*id)),
            ActionKind::Counterexample(id) => writeln!(out, "counterexample {}", formula(*id)),
            ActionKind::Print(text) => writeln!(out, "print {text:?}"),
            ActionKind::Statistics => writeln!(out, "statistics"),
            ActionKind::Timer(go) => writeln!(out, "timer {go}"),
            ActionKind::Quit => writeln!(out, "quit"),
        };
    }
    out
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(&system(text)));
}

#[test]
fn a_file_with_everything() {
    check(
        r#"
        enum Pc {0..12};
        enum Agent { idle, busy, done };
        class Cell { bool bit[3]; Agent who; };
        struct Conf { Pc pc; Cell c; Cell d; } c ~+ d, pc < c;
        bool Step(Conf s, Conf t) s ~+ t ( s.pc = 0 & t.pc = 1 & t.c = s.d );
        bool Kind(Agent a)
          case a = idle : 1; a = busy : 0; esac;
        bool Start(Conf s) s.pc = 0 & !s.c.bit[2];
        mu bool Reach(Conf s);
        mu bool Reach(Conf s) Start(s) | (exists Conf t. Reach(t) & Step(t, s));
        nu bool Always(Conf s) Start(s) & (forall Conf t: !Step(s, t) | Always(t));
        forall Conf s. Start(s) -> Always(s);
        Reach;
        Kind(busy);
        #size Reach; #ons Reach;
        #wit Reach; #cex Kind;
        #print "a", "b"; #print; #print statistics; #timer go; #timer;
        #quit;
        this is not looked at
        "#,
        &expect![[r#"
            Step(s, t) = s.pc = 0 & t.pc = 1 & t.c = s.d
              s0..14 ~+ t0..14
              s4..9 ~+ s9..14
              s0..4 < s4..9
              t4..9 ~+ t9..14
              t0..4 < t4..9
            Kind(a) = a = idle
            Start(s) = s.pc = 0 & !s.c.bit[2]
              s4..9 ~+ s9..14
              s0..4 < s4..9
            mu Reach(s) = Start(s) | (exists t. Reach(t) & Step(t, s))
              s4..9 ~+ s9..14
              s0..4 < s4..9
              t4..9 ~+ t9..14
              t0..4 < t4..9
            nu Always(s) = Start(s) & (forall t. !Step(s, t) | Always(t))
              s4..9 ~+ s9..14
              s0..4 < s4..9
              t4..9 ~+ t9..14
              t0..4 < t4..9
            ? forall s. !Start(s) | Always(s)
            ? forall s. Reach(s)
            ? Kind(busy)
            size Reach
            count Reach
            witness exists s. Reach(s)
            counterexample forall a. Kind(a)
            print "a b"
            print ""
            statistics
            timer true
            timer false
            quit
        "#]],
    );
}

#[test]
fn operators_bind_as_documented() {
    check(
        "
        enum E {0..2};
        bool P(bool a, bool b, bool c, E e)
          a & b | c & !a -> b & c;
        bool NotBeforeEqual(bool a, bool b, bool c, E e) !e = 1 & !a = b;
        bool NotAfterEqual(bool a, bool b) a=!b;
        bool Reach(bool a, bool b) a & exists bool x. x | b;
        bool Assume(bool a, bool b) P(a, b, a, 1) assume P(b, b, b, 0) | a cofactor b;
        bool Attribute(bool a, bool b) a & b { assume a | b };
        bool Xor(bool a, bool b) (a <+> b) & (a <- b);
        bool Mixed(bool a, bool b) a = (a & b);
        ",
        &expect![[r#"
            P(a, b, c, e) = !(a & b | c & !a) | b & c
            NotBeforeEqual(a, b, c, e) = !(e = 1) & !(a = b)
            NotAfterEqual(a, b) = a <-> !b
            Reach(a, b) = a & (exists x. x | b)
            Assume(a, b) = P(a, b, a, 1) assume P(b, b, b, 0) | a cofactor b
            Attribute(a, b) = a & b assume (a | b)
            Xor(a, b) = !(a = b) & (!b | a)
            Mixed(a, b) = a <-> a & b
        "#]],
    );
}

#[test]
fn if_and_case_as_mucke_reads_them() {
    check(
        "
        bool Else(bool a, bool b, bool c) if (a) b else if (b) c else a & b;
        bool NoElse(bool a, bool b) if (a) b;
        bool Nested(bool a, bool b, bool c) if (a) if (b) c else a;
        bool Case(bool a, bool b, bool c)
          (case a : exists bool x. x & b; b : if (c) a else 0; 1 : c; esac) & c;
        ",
        &expect![[r#"
            Else(a, b, c) = if (a) b else if (b) c else a & b
            NoElse(a, b) = !a | b
            Nested(a, b, c) = !a | (if (b) c else a)
            Case(a, b, c) = (if (a) (exists x. x & b) else if (b) c & a else c) & c
        "#]],
    );
}

#[test]
fn values_get_their_type_from_what_stands_beside_them() {
    check(
        "
        enum Tag { mt, full };
        enum Other { none, mt, error };
        enum Die { 1 .. 6 };
        class Box { Tag tag; Die dice[2]; };
        bool P(Tag t, Other o, Box b)
          t = mt & mt = o & o != none & b.dice[1] = 6 & 1 = b.dice[0] & b.tag = t;
        bool Hides(Tag t, bool mt) t = mt & mt;
        bool Passes(Box b) P(mt, mt, b) & P(b.tag, 2, b) & Hides(full, !b.dice[0] = 3);
        bool Whole(Box a, Box b) a = b & a.dice = b.dice & a.dice[0] = b.dice[1];
        ",
        &expect![[r#"
            P(t, o, b) = t = mt & o = mt & !(o = none) & b.dice[1] = 6 & b.dice[0] = 1 & t = b.tag
            Hides(t, mt) = t = mt & mt
            Passes(b) = P(mt, mt, b) & P(b.tag, error, b) & (exists argument. (!(b.dice[0] = 3) <-> argument) & Hides(full, argument))
            Whole(a, b) = a = b & a.dice = b.dice & a.dice[0] = b.dice[1]
        "#]],
    );
}

#[test]
fn quantifiers_are_kept_to_meaningful_values() {
    let system = system("enum E {0..4}; exists E e. e = 2; forall E e. e = 2;");
    let variable = &system.variables[0];
    assert_eq!(variable.bits, 3);
    assert!(variable.domain.is_some());
    // Shown without the restriction, but it is there.
    let expected = "? exists e. e = 2\n? forall e. e = 2\n";
    assert_eq!(shown(&system), expected);
    let count = system.formulas.len();
    assert!(count > 10, "{count} formulas cannot restrict anything");
}

#[test]
fn spellings_of_mucke_files() {
    check(
        "
        enum CS { 0 ... 3 };
        class GateState { bool out; };
        class Cell { GateState a, b, c; bool req; };
        bool increase(CS r, CS r')
        r ~+ r'
        ( false
          | ( r=0 & r'=1 )
          | ( r=1 & r'=2 )
        );
        bool Only(Cell left, Cell right) left ~- right, ~+ left
          (Exists bool x. x=left.a.out & FORALL bool y: y -> x);
        mu bool EU(CS s)
          s != 2 & (exists CS t. increase(s,t) & EU(t))
        { show s }
        ;
        #timer reset; #frontier on; #onsetsize EU; #reset all;
        #wit EU(0);
        bool Nothing() 1;
        Nothing; Nothing() & 1;
        bool Hinted(Cell a, Cell b) (exists Cell c. a = c & b = c) {alloccs a ~+ b};
        ",
        &expect![[r#"
            increase(r, r') = r = 0 & r' = 1 | r = 1 & r' = 2
              r0..2 ~+ r'0..2
            Only(left, right) = exists x. x = left.a.out & (forall y. !y | x)
              left0..4 ~- right0..4
            mu EU(s) = !(s = 2) & (exists t. increase(s, t) & EU(t))
            Nothing() = true
            Hinted(a, b) = exists c. a = c & c = b
              a0..4 ~+ b0..4
            timer true
            count EU
            witness EU(0)
            ? Nothing()
            ? Nothing()
        "#]],
    );
}

#[test]
fn equal_parts_are_one_formula() {
    let once = system("bool P(bool a, bool b) a & b;");
    let often = system("bool P(bool a, bool b) (a & b) | !(a & b) | (a & b);");
    assert_eq!(often.formulas.len(), once.formulas.len() + 2);
}

#[test]
fn an_index_of_an_enumeration_is_a_bit_of_its_code() {
    check(
        "
        enum E {3..8};
        bool Odd(E e) e[0];
        bool Large(E e) e[2] & !e[1];
        ",
        &expect![[r#"
            Odd(e) = e:0
            Large(e) = e:2 & !e:1
        "#]],
    );
}

#[test]
fn a_component_is_quantified_with_the_rest_as_it_was() {
    check(
        "
        class S { bool a; bool b[2]; };
        bool P(S s) s.a & s.b[1];
        bool Some(S s) exists bool s.b[1]. P(s);
        bool All(S s) s.a | (forall bool s.a, bool s.b[0]: P(s));
        bool Glued(S s) exists S t.t.a = s.a;
        ",
        &expect![[r#"
            P(s) = s.a & s.b[1]
            Some(s) = exists s. s.a = s.a & s.b[0] = s.b[0] & P(s)
            All(s) = s.a | (forall s, s. !(s.b[0] = s.b[0]) | !(s.b[1] = s.b[1]) | !(s.a = s.a) | !(s.b[1] = s.b[1]) | P(s))
            Glued(s) = exists t. t.a = s.a
        "#]],
    );
}
