//! Clauses in, checked answers out: small systems by hand, many generated ones against brute force,
//! and answers that were changed, which have to be rejected.

use hardbop_chc::check::evaluate::{Valuation, evaluate};
use hardbop_chc::check::{check_derivation, check_model};
use hardbop_chc::terms::{PredicateId, Sort};
use hardbop_chc::{Derivation, Model, Problem, System, print, read};
use hardbop_outcome::{Budget, Question, Silent, Verdict, WantedRun};
use hardbop_portfolio::Portfolio;
use hardbop_syntax::Source;
use std::collections::BTreeSet;

enum Answered {
    Sat(Model),
    Unsat(Derivation),
    Unknown,
}

fn answer(text: &str) -> (Problem, Answered) {
    let source = Source::new("test.smt2", text);
    let mut problem = Problem::new(&source).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let question = Question::assertions(problem.machine()).wanting(WantedRun::Any);
    let budget = Budget::unlimited();
    let portfolio = Portfolio::default();
    let outcome = portfolio.check(problem.machine(), &question, &budget, &mut Silent);
    let outcome = outcome.unwrap_or_else(|refused| panic!("{refused}\n{text}"));
    let answered = match &outcome.answers[0].verdict {
        verdict @ Verdict::Yes(_) => {
            let derivation = problem.derivation(verdict.trace().expect("a run"));
            Answered::Unsat(derivation.unwrap_or_else(|why| panic!("{why}\n{text}")))
        }
        Verdict::No(_) => match outcome.certificates.first() {
            Some(certificate) => match problem.model(certificate, &|| false) {
                Ok(model) => Answered::Sat(model),
                Err(hardbop_chc::NoAnswer::NoModel) => Answered::Unknown,
                Err(why) => panic!("{why}\n{text}"),
            },
            None => Answered::Unknown,
        },
        Verdict::Unknown(_) => Answered::Unknown,
    };
    (problem, answered)
}

const COUNTER: &str = "(set-logic HORN)
(declare-fun inv ((_ BitVec 4) Bool) Bool)
(assert (forall ((x (_ BitVec 4)) (b Bool)) (=> (and (= x #x0) (not b)) (inv x b))))
(assert (forall ((x (_ BitVec 4)) (b Bool) (y (_ BitVec 4)))
  (=> (and (inv x b) (= y (bvadd x #x2))) (inv y (not b)))))
(assert (forall ((x (_ BitVec 4)) (b Bool)) (=> (and (inv x b) (= x LIMIT)) false)))
(check-sat)";

const TREE: &str = "(set-logic HORN)
(declare-fun |a tree| ((_ BitVec 3)) Bool)
(declare-fun twice ((_ BitVec 3) (_ BitVec 3)) Bool)
(assert (forall ((x (_ BitVec 3))) (=> (= x #b001) (|a tree| x))))
(assert (forall ((x (_ BitVec 3)) (y (_ BitVec 3)) (z (_ BitVec 3)) (w (_ BitVec 3)))
  (=> (and (|a tree| x) (|a tree| y) (twice x z) (= w (bvadd z y y))) (|a tree| (bvor w #b001)))))
(assert (forall ((x (_ BitVec 3)) (y (_ BitVec 3))) (=> (= y (bvshl x #b001)) (twice x y))))
(assert (forall ((x (_ BitVec 3))) (not (and (|a tree| x) (= x LIMIT)))))";

#[test]
fn a_counter_never_has_an_odd_value_and_has_every_even_one() {
    assert!(matches!(
        answer(&COUNTER.replace("LIMIT", "#x7")).1,
        Answered::Sat(_)
    ));
    let (_, answered) = answer(&COUNTER.replace("LIMIT", "#xe"));
    let Answered::Unsat(derivation) = answered else {
        panic!("seven steps lead to 14");
    };
    assert_eq!(derivation.steps.len(), 9);
}

#[test]
fn two_trees_make_a_tree() {
    assert!(matches!(
        answer(&TREE.replace("LIMIT", "#b110")).1,
        Answered::Sat(_)
    ));
    assert!(matches!(
        answer(&TREE.replace("LIMIT", "#b101")).1,
        Answered::Unsat(_)
    ));
}

#[test]
fn a_printed_model_can_be_read_again_and_quotes_names() {
    let (problem, answered) = answer(&TREE.replace("LIMIT", "#b110"));
    let Answered::Sat(model) = answered else {
        panic!("odd numbers stay odd");
    };
    let text = print::model(problem.system(), &model);
    assert!(text.contains("define-fun |a tree|"), "{text}");
    let inside = text
        .trim()
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    read(inside.expect("a list")).expect("definitions are SMT-LIB");
}

#[test]
fn a_changed_model_is_rejected() {
    let (problem, answered) = answer(&COUNTER.replace("LIMIT", "#x7"));
    let Answered::Sat(model) = answered else {
        panic!("an even counter");
    };
    let mut system = problem.system().clone();
    for value in [true, false] {
        let mut changed = model.clone();
        changed.definitions[0].formula = system.terms.truth(value);
        assert!(check_model(&system, &changed, &|| false).is_err());
    }
    let mut changed = model.clone();
    changed.definitions[0].formula = system.terms.not(model.definitions[0].formula);
    assert!(check_model(&system, &changed, &|| false).is_err());
    let mut changed = model.clone();
    changed.definitions[0].parameters.pop();
    assert!(check_model(&system, &changed, &|| false).is_err());
    changed.definitions.clear();
    assert!(check_model(&system, &changed, &|| false).is_err());
    assert!(check_model(&system, &model, &|| false).is_ok());
}

#[test]
fn a_changed_derivation_is_rejected() {
    let (problem, answered) = answer(&TREE.replace("LIMIT", "#b101"));
    let Answered::Unsat(derivation) = answered else {
        panic!("1 and 1 give 5");
    };
    let system = problem.system();
    for step in 0..derivation.steps.len() {
        let rejects = |change: &dyn Fn(&mut Derivation)| {
            let mut changed = derivation.clone();
            change(&mut changed);
            assert!(check_derivation(system, &changed).is_err(), "step {step}");
        };
        rejects(&|changed| changed.steps[step].clause = 99);
        rejects(&|changed| {
            changed.steps.remove(step);
        });
        rejects(&|changed| changed.steps[step].premises.push(0));
        if derivation.steps[step]
            .fact
            .as_ref()
            .is_some_and(|fact| !fact.1.is_empty())
        {
            rejects(&|changed| {
                let fact = changed.steps[step].fact.as_mut().expect("there is one");
                fact.1[0] ^= 1;
            });
        }
    }
    assert!(check_derivation(system, &Derivation::default()).is_err());
}

#[test]
fn what_is_not_supported_is_refused_with_a_sentence() {
    for (text, words) in [
        ("(declare-fun p ((_ BitVec 65)) Bool)", "1 to 64 bits"),
        ("(declare-fun p (Int) Bool)", "only `Bool` and words"),
        (
            "(declare-fun p () Bool) (declare-fun q () Bool) (assert (or p q))",
            "not a Horn clause",
        ),
        (
            "(assert (= (concat #x0123456789abcdef #b1) (concat #b1 #x0123456789abcdef)))",
            "65 bits",
        ),
        ("(assert (exists ((x Bool)) x))", "quantifier"),
        ("(assert (bvadd #x0 #x00))", "`bvadd`"),
        ("(assert (bvult #x0 #x1 #x2))", "number of operands"),
        ("(push 1)", "not supported"),
        ("(set-logic QF_LIA)", "only the logic"),
        ("(assert", "not closed"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.message.contains(words), "{text}: {error}");
    }
}

#[test]
fn a_broken_text_is_refused_and_nothing_else() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let good = [
        COUNTER.replace("LIMIT", "#x7"),
        TREE.replace("LIMIT", "#b110"),
    ];
    let pieces = [
        "(",
        ")",
        "|",
        "\"",
        "#x",
        "#b2",
        "_",
        "let",
        "forall",
        "=>",
        "(_ bv3 2)",
        "((x Bool))",
        "Bool",
        "é",
    ];
    for round in 0..3000 {
        let mut text: Vec<char> = good[round % 2].chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len() as u64) as usize;
            let end = (at + random.below(12) as usize).min(text.len());
            let piece = pieces[random.below(pieces.len() as u64) as usize];
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        let _ = Problem::new(&Source::new("broken.smt2", text));
    }
}

#[test]
fn deep_terms_are_read_translated_and_answered_without_recursion() {
    let depth = 20_000;
    let term = "(not ".repeat(depth) + "x" + &")".repeat(depth);
    let text = format!(
        "(declare-fun p (Bool) Bool) (assert (forall ((x Bool)) (=> {term} (p x)))) \
         (assert (forall ((x Bool)) (=> (and (p x) (not x)) false)))"
    );
    assert!(matches!(answer(&text).1, Answered::Sat(_)));
}

#[test]
fn a_shared_graph_that_is_huge_as_a_tree_is_answered() {
    let mut text =
        String::from("(declare-fun p ((_ BitVec 8)) Bool)(assert (forall ((x0 (_ BitVec 8))) ");
    for level in 0..64 {
        text.extend([format!(
            "(let ((x{} (bvadd (bvmul x{level} x{level}) #x01))) ",
            level + 1
        )]);
    }
    text += "(=> (= x64 x0) (p x64))";
    text += &")".repeat(64);
    text += "))(assert (forall ((x (_ BitVec 8))) (=> (and (p x) (not (= x x))) false)))";
    assert!(matches!(answer(&text).1, Answered::Sat(_)));
}

/// A fixed pseudo-random sequence (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    fn word(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 2 } else { 8 }) {
            0 => self.of(&["x", "y", "z"]).to_owned(),
            1 => format!("#b{}", self.of(&["00", "01", "10", "11"])),
            2 => format!(
                "(ite {} {} {})",
                self.formula(depth - 1),
                self.word(depth - 1),
                self.word(depth - 1)
            ),
            3 => format!("((_ extract 2 1) (concat {} #b1))", self.word(depth - 1)),
            4 => format!("((_ rotate_left 1) {})", self.word(depth - 1)),
            _ => {
                let op = self.of(&[
                    "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvudiv", "bvurem",
                    "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr",
                ]);
                format!("({op} {} {})", self.word(depth - 1), self.word(depth - 1))
            }
        }
    }

    fn formula(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 1 } else { 7 }) {
            0 => self.of(&["b", "c", "true"]).to_owned(),
            1 => format!("(not {})", self.formula(depth - 1)),
            2 => format!(
                "({} {} {})",
                self.of(&["and", "or", "xor", "=>", "="]),
                self.formula(depth - 1),
                self.formula(depth - 1)
            ),
            _ => {
                let op = self.of(&["=", "=", "bvult", "bvule", "bvslt", "bvsle", "distinct"]);
                format!("({op} {} {})", self.word(depth - 1), self.word(depth - 1))
            }
        }
    }

    /// A system of clauses over words of two bits and Booleans.
    fn system(&mut self, is_linear: bool) -> String {
        let mut text = String::from("(set-logic HORN)\n");
        for predicate in ["p", "q", "r"] {
            text.extend([format!(
                "(declare-fun {predicate} ((_ BitVec 2) Bool) Bool)\n"
            )]);
        }
        for number in 0..6 + self.below(4) {
            let most = if number < 2 {
                1
            } else if is_linear {
                2
            } else {
                4
            };
            let mut body = vec![self.formula(2), self.formula(2)];
            for _ in 0..self.below(most) {
                body.push(format!(
                    "({} {} {})",
                    self.of(&["p", "q", "r"]),
                    self.word(1),
                    self.of(&["b", "c"])
                ));
            }
            let is_query = number == 5;
            if is_query {
                body.push(format!("(p x {})", self.of(&["b", "c"])));
            }
            let head = if is_query {
                "false".to_owned()
            } else {
                format!(
                    "({} {} {})",
                    self.of(&["p", "q", "r"]),
                    self.word(1),
                    self.formula(1)
                )
            };
            text.extend([format!(
                "(assert (forall ((x (_ BitVec 2)) (y (_ BitVec 2)) (z (_ BitVec 2)) (b Bool) (c Bool)) (=> (and {}) {head})))\n",
                body.join(" ")
            )]);
        }
        text
    }
}

/// Whether all clauses can hold, by the least set of facts.
fn brute_force(system: &System) -> bool {
    let mut facts: BTreeSet<(PredicateId, Vec<u64>)> = BTreeSet::new();
    loop {
        let before = facts.len();
        for clause in &system.clauses {
            let variables = system.terms.variables_below(&clause.roots());
            let widths: Vec<u32> = variables
                .iter()
                .map(|v| system.terms.variables[v.0 as usize].sort.width())
                .collect();
            let total: u32 = widths.iter().sum();
            for mut bits in 0..1u64 << total {
                let mut valuation = Valuation::default();
                for (&variable, &width) in variables.iter().zip(&widths) {
                    valuation.insert(variable, Sort::Word(width as u8).wrap(bits));
                    bits >>= width;
                }
                let value = |roots: &[_]| evaluate(&system.terms, &valuation, roots);
                let holds = !value(&clause.constraint).contains(&0)
                    && clause
                        .body
                        .iter()
                        .all(|atom| facts.contains(&(atom.predicate, value(&atom.arguments))));
                match &clause.head {
                    None if holds => return false,
                    Some(head) if holds => {
                        facts.insert((head.predicate, value(&head.arguments)));
                    }
                    _ => {}
                }
            }
        }
        if facts.len() == before {
            return true;
        }
    }
}

#[test]
fn generated_systems_have_the_answer_of_brute_force_with_checked_evidence() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for round in 0..120 {
        let text = random.system(round % 2 == 0);
        let (problem, answered) = answer(&text);
        let is_satisfiable = brute_force(problem.system());
        match answered {
            Answered::Sat(_) => {
                assert!(is_satisfiable, "{text}");
                sat += 1;
            }
            Answered::Unsat(_) => {
                assert!(!is_satisfiable, "{text}");
                unsat += 1;
            }
            Answered::Unknown => unknown += 1,
        }
    }
    assert!(
        sat > 20 && unsat > 20 && unknown < 6,
        "{sat} {unsat} {unknown}"
    );
}
