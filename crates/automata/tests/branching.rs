//! Formulas of branching time as text: spellings, normal form, diagnostics.

use expect_test::expect;
use hardbop_automata::{Ctl, PathFormula, Shows, StateFormula};
use hardbop_machine::Machine;
use std::fmt::Write as _;

fn machine() -> Machine {
    let text = "decl a, b, E;
decl int<4> n;
void main() begin
  L: skip;
end
";
    hardbop_machine::from_text("test.bp", text).expect("the test program is valid")
}

/// The formula in full, with every operator written out.
fn normal(text: &str) -> String {
    let ctl = match Ctl::read(&machine(), text) {
        Ok(ctl) => ctl,
        Err(errors) => panic!("{text}: {:?}", errors.diagnostics),
    };
    shown(&ctl, ctl.root)
}

fn shown(ctl: &Ctl, root: usize) -> String {
    let mut texts: Vec<String> = Vec::new();
    for formula in &ctl.formulas {
        let joined = |operands: &[usize], sign: &str| {
            let operands: Vec<&str> = operands.iter().map(|&id| texts[id].as_str()).collect();
            format!("({})", operands.join(sign))
        };
        texts.push(match formula {
            StateFormula::Constant(value) => value.to_string(),
            StateFormula::Literal {
                proposition,
                positive,
            } => {
                let text = &ctl.propositions.list()[*proposition as usize].text;
                format!("{}{text}", if *positive { "" } else { "!" })
            }
            StateFormula::And(operands) => joined(operands, " & "),
            StateFormula::Or(operands) => joined(operands, " | "),
            StateFormula::Runs { all, path } => {
                let quantifier = if *all { "A" } else { "E" };
                match *path {
                    PathFormula::Next(operand) => format!("{quantifier}X {}", texts[operand]),
                    PathFormula::Until(p, q) => {
                        format!("{quantifier}[{} U {}]", texts[p], texts[q])
                    }
                    PathFormula::Release(p, q) => {
                        format!("{quantifier}[{} R {}]", texts[p], texts[q])
                    }
                }
            }
        });
    }
    texts[root].clone()
}

#[test]
fn operators_are_read_in_all_their_spellings() {
    let mut table = String::new();
    for text in [
        "AG EF a",
        "A G E F a",
        "A[] E<> a",
        "E[a U b]",
        "E(a U b)",
        "A [ a W b ]",
        "A[a M b]",
        "!EX (a & AX b)",
        "AG (a -> AF b)",
        "EG n < 3 | AF at(L)",
        "!(a <-> EF b)",
        "E[a U a]",
        "AX var(E)",
    ] {
        writeln!(table, "{text:<20} {}", normal(text)).expect("a string grows");
    }
    expect![[r#"
        AG EF a              A[false R E[true U a]]
        A G E F a            A[false R E[true U a]]
        A[] E<> a            A[false R E[true U a]]
        E[a U b]             E[a U b]
        E(a U b)             E[a U b]
        A [ a W b ]          A[b R (a | b)]
        A[a M b]             A[b U (a & b)]
        !EX (a & AX b)       AX (EX !b | !a)
        AG (a -> AF b)       A[false R (A[true U b] | !a)]
        EG n < 3 | AF at(L)  (E[false R n < 3] | A[true U at(L)])
        !(a <-> EF b)        ((a | E[true U b]) & (!a | A[false R !b]))
        E[a U a]             a
        AX var(E)            AX var(E)
    "#]]
    .assert_eq(&table);
}

#[test]
fn the_negation_is_the_dual() {
    let ctl = Ctl::read(&machine(), "AG (a -> E[a U b])").expect("it is a formula");
    assert_eq!(shown(&ctl, ctl.negation), "E[true U (a & A[!a R !b])]");
}

#[test]
fn mistakes_are_reported_where_they_are() {
    let mut table = String::new();
    for text in [
        "AG F a",
        "E a U b",
        "A (a & b)",
        "E[a U b)",
        "E[a U b",
        "AG EF c",
        "AG n",
        "AGEF a",
        "E[]",
    ] {
        let errors = Ctl::read(&machine(), text).expect_err("it is not a formula");
        for diagnostic in &errors.diagnostics {
            let span = diagnostic.primary.span.range();
            writeln!(table, "{text:<10} {span:?} {}", diagnostic.message).expect("a string grows");
        }
    }
    expect![[r#"
        AG F a     3..6 a temporal operator of branching time needs a path quantifier
        E a U b    0..3 a path quantifier needs a temporal operator behind it
        E a U b    0..7 a temporal operator of branching time needs a path quantifier
        A (a & b)  0..9 a path quantifier needs a temporal operator behind it
        E[a U b)   7..8 expected `]`, found `)`
        E[a U b    7..7 expected `]`, found the end
        AG EF c    6..7 there is no variable `c`
        AG n       3..4 this is an integer where a condition is needed
        AGEF a     0..4 expected an operator, found `AGEF`
        E[]        3..3 expected a condition, found the end
    "#]]
    .assert_eq(&table);
}

#[test]
fn one_run_shows_what_one_quantifier_says() {
    let shows = |text| {
        let ctl = Ctl::read(&machine(), text).expect("it is a formula");
        assert_eq!(
            ctl.shown_by_run(),
            ctl.telling_runs()
                .map(|_| ctl.shown_by_run().expect("said"))
        );
        ctl.shown_by_run()
    };
    assert_eq!(shows("AG (a -> AF b)"), Some(Shows::Violation));
    assert_eq!(shows("!AF a"), Some(Shows::Satisfaction));
    assert_eq!(shows("AG EF a"), None);
}

#[test]
fn deep_nesting_is_refused_and_deep_parentheses_are_read() {
    let deep = format!("{}a", "EX ".repeat(201));
    let errors = Ctl::read(&machine(), &deep).expect_err("it is nested too deeply");
    assert!(errors.to_string().contains("nested"), "{errors}");
    let deep = format!("{}a{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Ctl::read(&machine(), &format!("EX {deep}")).is_ok());
    let many = format!("EX ({}a)", "!".repeat(30_000));
    let errors = Ctl::read(&machine(), &many).expect_err("it has too many parts");
    assert!(errors.to_string().contains("parts"), "{errors}");
}
