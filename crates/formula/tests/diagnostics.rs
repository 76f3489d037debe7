//! What is said about bad files: code, place, sentence, other places, help.

use expect_test::{Expect, expect};
use hardbop_formula::{Checked, load, load_text};
use hardbop_syntax::Source;
use std::fmt::Write;

fn shown(checked: &Checked) -> String {
    let mut out = String::new();
    for diagnostic in &checked.diagnostics {
        let place = |span| checked.sources.describe(span);
        let of = |span| {
            let (source, span) = checked.sources.locate(span);
            source.slice(span).to_owned()
        };
        let primary = diagnostic.primary.span;
        let _ = writeln!(
            out,
            "{} {} `{}`: {}",
            diagnostic.code,
            place(primary),
            of(primary),
            diagnostic.message
        );
        for label in &diagnostic.secondary {
            let _ = writeln!(out, "  {}: {}", place(label.span), label.text);
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(&load_text(&Source::new("t.mu", text))));
}

#[test]
fn syntax() {
    check(
        "bool P(bool a, bool b) a b;
bool Q(bool a) (a & ;
bool R(bool a) (a | a;
bool S(bool a) case a : a esac;
bool T(bool a) a
bool U(bool a) a & case a : 1; b c; esac;
exists bool x x;
enum E {0 12};
class C { bool };
#print 1 2;
bool V(bool a) a -> a = a = a -> a;
bool W(bool a) a {paint it};
) & (;
bool X(bool a) P(a, a",
        &expect![[r#"
            HB103 t.mu:1:26 `b`: expected an operator or `;`, found `b`
            HB103 t.mu:2:21 `;`: expected a formula, found `;`
            HB103 t.mu:3:22 `;`: expected an operator or `)`, found `;`
              t.mu:3:16: to close this parenthesis
            HB103 t.mu:5:17 ``: a `;` is missing here
            HB103 t.mu:6:34 `c`: expected an operator or `:`, found `c`
              t.mu:6:20: in this `case`
            HB103 t.mu:7:15 `x`: expected `,` or `.`, found `x`
            HB103 t.mu:8:11 `12`: expected `.`, found `12`
            HB103 t.mu:9:16 `}`: expected a name, found `}`
            HB103 t.mu:10:10 `2`: expected an operator or `;`, found `2`
            HB105 t.mu:11:27 `=`: `=` does not chain with the operator before it
              help: say with parentheses what is meant
            HB105 t.mu:11:31 `->`: `->` does not chain with the operator before it
              help: say with parentheses what is meant
            HB103 t.mu:12:19 `paint`: there is no attribute `paint`
            HB103 t.mu:13:1 `)`: expected a formula, found `)`
            HB103 t.mu:14:22 ``: expected an operator, `,` or `)`, found the end of the file
              t.mu:14:16: to close the arguments of this relation
        "#]],
    );
}

#[test]
fn types() {
    check(
        "enum E { a, b, a };
enum E { c };
enum Down {5..2};
enum None { };
class S { bool x; Bool y; T t; };
class T { S s[2]; T self; bool x; bool x; };
class bool { E e; };
bool P(E e[0], Missing m, bool p, bool p) 1;
class Hinted { bool a; bool b; } a ~+ c, ~- b;",
        &expect![[r#"
            HB113 t.mu:1:16 `a`: the value `a` is named twice
              t.mu:1:10: named here
            HB114 t.mu:2:6 `E`: the type `E` is already defined
              t.mu:1:6: the first definition
            HB112 t.mu:3:12 `5..2`: the range 5..2 has no values, or too many
            HB112 t.mu:4:6 `None`: the enumeration `None` has no values
            HB114 t.mu:7:7 `bool`: the type `bool` is already defined
            HB111 t.mu:6:13 `s`: `S` would contain itself by way of the field `s`
            HB111 t.mu:6:21 `self`: `T` would contain itself by way of the field `self`
            HB113 t.mu:6:40 `x`: the field `x` is declared twice
              t.mu:6:32: the first declaration
            HB110 t.mu:5:19 `Bool`: there is no type `Bool`
              help: did you mean `bool`?
            HB141 t.mu:9:34 `a ~+ c`: this order hint is ignored: it does not name two fields of this structure
            HB141 t.mu:9:45 `b`: this order hint is ignored: it does not name two fields of this structure
            HB113 t.mu:8:40 `p`: the variable `p` is declared twice
              t.mu:8:32: the first declaration
            HB112 t.mu:8:12 `0`: an array has at least one element
            HB110 t.mu:8:16 `Missing`: there is no type `Missing`
        "#]],
    );
}

#[test]
fn relations() {
    check(
        "bool P(bool a) a;
bool P(bool a) !a;
mu bool Q(bool a);
nu bool Q(bool a) Q(a);
mu bool R(bool a);
mu bool R(bool a, bool b) R(a);
enum E {0..3};
bool S(E e);
bool S(bool b) b;
mu bool Unused(E e);
mu bool Undefined(E e);
E F(E e) Undefined(e);
bool A(bool x) B(x); bool B(bool x) C(x) & P(x); bool C(bool x) A(x);
bool Self(bool x) !Self(x);
mu bool Fine(bool x) Split(x); bool Split(bool x) Fine(x);
bool g;",
        &expect![[r#"
            HB114 t.mu:2:6 `P`: the relation `P` is already defined
              t.mu:1:6: the first definition
            HB115 t.mu:4:9 `Q`: `Q` is `nu` here but `mu` before
              t.mu:3:9: announced here
            HB115 t.mu:6:9 `R`: `R` has 2 parameters here but 1 before
              t.mu:5:9: announced here
            HB115 t.mu:9:6 `S`: parameter 1 of `S` is `bool` here but `E` before
              t.mu:8:6: announced here
            HB118 t.mu:12:1 `E`: the relation `F` is not Boolean but `E`
            HB123 t.mu:6:27 `R`: `R` has 2 parameters but 1 argument here
              t.mu:6:9: defined here
            HB119 t.mu:16:6 `g`: the variable `g` belongs to no relation and no quantifier
              help: make it a parameter, or use `exists` or `forall`
            HB142 t.mu:10:9 `Unused`: the relation `Unused` is neither defined nor used
            HB116 t.mu:11:9 `Undefined`: the relation `Undefined` is announced but never defined
              t.mu:12:10: used here
            HB117 t.mu:13:6 `A`: `A` is defined by itself, by way of `B`, `C`
              help: say `mu bool` for the least relation that satisfies it, `nu bool` for the greatest
            HB117 t.mu:14:6 `Self`: `Self` is defined by itself
              help: say `mu bool` for the least relation that satisfies it, `nu bool` for the greatest
        "#]],
    );
}

#[test]
fn names_and_types_in_formulas() {
    check(
        "enum Agent { idle, busy };
enum Pc {1..4};
class State { Agent who; Pc pc; bool bits[2]; };
bool Start(State s, State t) s.who = idel & s.pc = 5 & s.cp = 1 & t.bits[2];
bool Next(State s, bool flag) Strat(s, s) | Start(s) | fleg | s.pc | s.bits | s.who = s.pc | s = flag;
bool Args(State s) Next(s.who, 1) | Next(s, 2) | Next(s, s.pc) | Next(idle, 0) | Start;
bool More(State s) s.pc.x | s.bits.y | s.pc[0] | 3 | s = 1 | (s.who = (s.bits[0] & 1)) | s.who = true;
exists State s, Agent s. s = idle;
bool Hint(State s) s ~+ t (1) { alloccs s < q };
#size More(s); #ons Moar; #wit; #sise More; #size Start, Next;",
        &expect![[r#"
            HB121 t.mu:4:38 `idel`: `idel` is neither a variable nor a value of `Agent`
              help: did you mean `idle`?
            HB125 t.mu:4:52 `5`: 5 is not a value of `Pc`
            HB122 t.mu:4:58 `cp`: `State` has no field `cp`
              help: did you mean `pc`?
            HB125 t.mu:4:74 `2`: the index 2 is too large for an array of 2
            HB120 t.mu:5:31 `Strat`: there is no relation `Strat`
              help: did you mean `Start`?
            HB123 t.mu:5:45 `Start`: `Start` has 2 parameters but 1 argument here
              t.mu:4:6: defined here
            HB121 t.mu:5:56 `fleg`: there is no variable `fleg`
              help: did you mean `flag`?
            HB124 t.mu:5:63 `s.pc`: this is `Pc`, not a Boolean
              help: compare it with something by `=`
            HB124 t.mu:5:70 `s.bits`: this is `bool[2]`, not a Boolean
              help: compare it with something by `=`
            HB124 t.mu:5:79 `s.who = s.pc`: this compares `Agent` with `Pc`
            HB124 t.mu:5:94 `s = flag`: this compares `State` with `bool`
            HB124 t.mu:6:25 `s.who`: the argument is `Agent`, but the parameter is `State`
            HB125 t.mu:6:45 `2`: 2 is not a value of `bool`
            HB124 t.mu:6:58 `s.pc`: the argument is `Pc`, but the parameter is `bool`
            HB121 t.mu:6:71 `idle`: there is no variable `idle`
            HB123 t.mu:6:82 `Start`: `Start` has 2 parameters but 0 arguments here
              t.mu:4:6: defined here
            HB122 t.mu:7:25 `x`: there is no field `x` in something of type `Pc`
            HB126 t.mu:7:36 `y`: an array has no field `y`; its elements may have one
            HB125 t.mu:7:50 `3`: 3 is no Boolean; those are 0 and 1
            HB124 t.mu:7:58 `1`: a number is not a value of `State`
            HB124 t.mu:7:63 `s.who = (s.bits[0] & 1`: this compares `Agent` with `bool`
            HB124 t.mu:7:90 `s.who = true`: this compares `Agent` with `bool`
            HB113 t.mu:8:23 `s`: the variable `s` is declared twice
              t.mu:8:14: the first declaration
            HB141 t.mu:9:20 `s ~+ t`: this order hint is ignored: it does not name two variables that are known here
            HB141 t.mu:9:41 `s < q`: this order hint is ignored: it does not name two variables that are known here
            HB127 t.mu:10:1 `#size More(s)`: `#size` wants the name of one relation
            HB120 t.mu:10:21 `Moar`: there is no relation `Moar`
            HB127 t.mu:10:27 `#wit`: `#wit` wants one formula
            HB127 t.mu:10:33 `#sise`: there is no command `#sise`
              help: did you mean `size`?
            HB127 t.mu:10:45 `#size Start, Next`: `#size` wants the name of one relation
        "#]],
    );
}

#[test]
fn ignored_commands_are_one_warning() {
    check(
        "bool P(bool a) a {witcs 3>1, a};
#frontier on; #reset all; #frontier off; #verbose; #vis P; #print P; #timer later;
P(1);",
        &expect![[r#"
            HB140 t.mu:2:1 `#frontier`: `#frontier`, `#reset`, `#verbose`, `#vis`, `#print NAME`, `#timer`, `{witcs …}` do nothing here
        "#]],
    );
}

#[test]
fn files_that_load_files() {
    let files = [
        (
            "lib/common.mu",
            "load \"types.mu\", deep; bool P(E e) e = 1;",
        ),
        ("lib/types.mu", "enum E {0..3};"),
        (
            "lib/deep.mu",
            "#load common; load gone; bool Q(E e) e = 9 & P(e, e);",
        ),
    ];
    let mut loader = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        let (name, text) = found.ok_or("no such file")?;
        Ok(Source::new(*name, *text))
    };
    let root = "load \"lib/common\";\nload \"lib/./../lib/types.mu\";\nP(2);";
    let checked = load(&Source::new("root.mu", root), &mut loader);
    expect![[r#"
        HB107 lib/deep.mu:1:7 `common`: `lib/common.mu` is loaded while it is being read
        HB106 lib/deep.mu:1:20 `gone`: cannot load `lib/gone.mu`: no such file
    "#]]
    .assert_eq(&shown(&checked));
    // Without what cannot be read, names and types are checked across files.
    let files = files.map(|(name, text)| (name, text.replace("#load common; load gone; ", "")));
    let mut loader = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        let (name, text) = found.ok_or("no such file")?;
        Ok(Source::new(*name, text.as_str()))
    };
    let checked = load(&Source::new("root.mu", root), &mut loader);
    expect![[r#"
        HB125 lib/deep.mu:1:17 `9`: 9 is not a value of `E`
        HB123 lib/deep.mu:1:21 `P`: `P` has 1 parameter but 2 arguments here
          lib/common.mu:1:29: defined here
    "#]]
    .assert_eq(&shown(&checked));
}

#[test]
fn quitting_in_a_loaded_file_ends_everything() {
    let mut loader = |path: &str| Ok(Source::new(path, "bool P(bool a) a; #quit; nonsense"));
    let root = "load a; this is not looked at, not even parsed into anything known;";
    let checked = load(&Source::new("root.mu", root), &mut loader);
    expect![""].assert_eq(&shown(&checked));
}

#[test]
fn a_file_without_types_that_uses_some_is_a_fragment_and_says_once_what_it_needs() {
    check(
        "mu bool Reach(State s) Start(s) | (exists State t. Reach(t) & Step(t, s));
Reach(idle);
",
        &expect![[r#"
            HB110 t.mu:1:15 `State`: this is a part of a system: it uses the type `State` and the relations `Start` and `Step`, which nothing here defines
              help: load it after the file that defines what is missing: `load base; load part;`
        "#]],
    );
}

#[test]
fn bits_and_components() {
    check(
        "enum E {0..4};
class S { bool a; E e; };
bool P(S s) s.e[3] & (exists E s.a. s.a) & (exists bool s.b. s.a) & (forall bool t.a. 1);
",
        &expect![[r#"
            HB125 t.mu:3:17 `3`: there is no bit 3: `E` has 3 bits
            HB124 t.mu:3:30 `E`: the component is `bool`
            HB122 t.mu:3:59 `b`: `S` has no field `b`
            HB121 t.mu:3:82 `t`: there is no variable `t`
        "#]],
    );
}
