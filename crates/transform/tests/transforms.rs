//! One test for all transforms: an engine that is asked through a transform passes the suite that
//! every engine must pass. Verdicts are those of the oracles on the original, runs that come back
//! replay there, and certificates that come back are accepted there.
//!
//! `HARDBOP_SEED=1000 HARDBOP_PROGRAMS=20000 cargo test --release -p hardbop-transform --test transforms`
//! runs other programs.

#[path = "../../testkit/tests/seeds/mod.rs"]
mod seeds;

use hardbop_automata::{Automaton, Property, PropertyText};
use hardbop_brute_force::Bounds;
use hardbop_explicit::ExplicitEngine;
use hardbop_families::random::Random;
use hardbop_interpreter::{letter_of_threads, replay};
use hardbop_machine::{EdgeId, Machine, ProcId, Variable, from_text};
use hardbop_outcome::certificate::Formula;
use hardbop_outcome::{
    Bound, Budget, Certificate, Declined, Engine, Limit, NeverInterrupted, Prepared, Question,
    Silent, Support, Verdict,
};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::conformance::{ConformanceConfig, ConformanceReport, conformance};
use hardbop_testkit::{Knobs, Oracle, RunOracle, generate};
use hardbop_transform::domains::reduce;
use hardbop_transform::hide::{FewVariables, Visible, hide};
use hardbop_transform::product::product;
use hardbop_transform::sequentialize::sequentialize;
use hardbop_transform::slice::slice;
use hardbop_transform::split::split_edges;
use hardbop_transform::static_threads::StaticThreads;
use hardbop_transform::{Chain, Through, Transform};
use seeds::seeds;

/// Programs for each transform; a suite has four presets of sequential programs and two of
/// concurrent ones.
const PROGRAMS: u64 = 2_000;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn sequential(engine: &Through) -> ConformanceReport {
    let report = conformance(
        engine,
        &accept,
        &ConformanceConfig::sequential(seeds(PROGRAMS / 4).0),
    );
    assert!(report.has_passed(), "{report}");
    report
}

fn concurrent(engine: &Through) -> ConformanceReport {
    let report = conformance(
        engine,
        &accept,
        &ConformanceConfig::concurrent(seeds(PROGRAMS / 2).0),
    );
    assert!(report.has_passed(), "{report}");
    report
}

/// The forward search with few BDD nodes: some sequential programs of threads are beyond what a
/// test should take.
struct Small;

impl Engine for Small {
    fn name(&self) -> &'static str {
        "small"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        drop(SummaryEngine::default().prepare(machine, question, limits)?);
        Ok(Prepared::new(move |budget, progress| {
            let budget = Budget {
                nodes: Some(1 << 14),
                ..*budget
            };
            SummaryEngine::default().check(machine, question, &budget, progress)
        }))
    }
}

/// Some variables, different for every machine.
fn some_variables(machine: &Machine, hidden_of_eight: usize) -> Visible {
    let salt = machine.edges.len() + machine.exprs.len();
    Visible::such_that(machine, |procedure, variable| {
        let number = match variable {
            Variable::Global(id) => id.index(),
            Variable::Local(id) => 7 * procedure.index() + 3 * id.index() + 11,
        };
        (number * 5 + salt) % 8 >= hidden_of_eight
    })
}

fn every_third(edge: EdgeId) -> bool {
    edge.0 % 3 == 1
}

#[test]
fn slices_keep_verdicts_and_evidence_comes_back() {
    let engine = SummaryEngine::default();
    let report = sequential(&Through::sliced("sliced", Box::new(engine)));
    assert_eq!((report.unknown, report.skipped), (0, 0), "{report}");
    assert!(seeds(1).1 || report.certificates > 500, "{report}");
    let engine = ExplicitEngine::default();
    sequential(&Through::sliced("sliced", Box::new(engine)));
}

#[test]
fn slices_of_threads_keep_verdicts() {
    let engine = small_oracle();
    let through = Through::new("sliced", Box::new(engine), |machine, question, _| {
        Ok(Box::new(slice(machine, question)))
    });
    concurrent(&through);
}

#[test]
fn split_machines_keep_verdicts_and_evidence_comes_back() {
    let engine = SummaryEngine::default();
    let through = Through::new("split", Box::new(engine), |machine, question, _| {
        Ok(Box::new(split_edges(machine, question, every_third)))
    });
    let report = sequential(&through);
    assert_eq!((report.unknown, report.skipped), (0, 0), "{report}");
    assert!(seeds(1).1 || report.certificates > 500, "{report}");
}

fn reduced(engine: impl Engine + 'static) -> Through {
    Through::new(
        "reduced",
        Box::new(engine),
        |machine, question, _| match reduce(machine, question) {
            Some(reduced) => Ok(Box::new(reduced)),
            None => Declined::because("integers that cannot be smaller"),
        },
    )
}

#[test]
fn smaller_integers_keep_verdicts_and_evidence_comes_back() {
    let report = sequential(&reduced(SummaryEngine::default()));
    assert!(seeds(1).1 || report.certificates > 20, "{report}");
    sequential(&reduced(ExplicitEngine::default()));
}

/// A program whose integers are only copied, chosen and compared with constants.
fn program_of_states(seed: u64) -> String {
    let mut random = Random::new(seed);
    let names = ["g", "h", "a", "x"];
    let statement = |random: &mut Random, depth: u32| -> String {
        fn any(random: &mut Random, names: &[&str], depth: u32) -> String {
            let target = names[random.below(names.len())];
            let other = names[random.below(names.len())];
            let (number, choice) = (random.below(16), random.below(12));
            let operator = ["=", "!=", "<", "<=", ">", ">="][random.below(6)];
            let condition = if random.percent(50) {
                format!("{other} {operator} {number}")
            } else {
                format!("{number} {operator} {other}")
            };
            let mut inner = || any(random, names, depth.saturating_sub(1));
            match choice {
                _ if depth == 0 => format!("{target} := {number}; "),
                0 => format!("{target} := *; "),
                1 => format!("{target} := {other}; "),
                2 => format!("{target} := {condition} ? {number} : {other}; "),
                3 => format!("{target} := f({other}); "),
                4 => format!("assume({condition}); "),
                5 | 6 => format!("assert({condition}); "),
                7 => format!("while ({condition}) do {} {target} := *; od ", inner()),
                8 => format!("{target}, h := {number}, {target}; "),
                _ => format!("if ({condition}) then {} else {} fi ", inner(), inner()),
            }
        }
        any(random, &names, depth)
    };
    let mut block = |count: usize| -> String {
        let lines = (0..count).map(|_| statement(&mut random, 2));
        lines.collect()
    };
    format!(
        "decl int<4> g := 3; decl int<4> h;
         void main() begin decl int<4> a, x; {} end
         int<4> f(int<4> a) begin decl int<4> x; {} return x; end",
        block(7),
        block(4)
    )
}

#[test]
fn programs_of_states_keep_verdicts_with_fewer_values() {
    let (mut certificates, mut runs) = (0, 0);
    let (seeds, by_hand) = seeds(PROGRAMS);
    for seed in seeds {
        let text = program_of_states(seed);
        let machine = from_text("states.bp", &text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let question = Question::assertions(&machine);
        let whole = ExplicitEngine::default();
        let whole = whole.check(&machine, &question, &Budget::unlimited(), &mut Silent);
        let engine = reduced(SummaryEngine::default());
        if engine
            .prepare(&machine, &question, &Budget::unlimited())
            .is_err()
        {
            continue;
        }
        let small = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
        for (one, other) in whole.answers.iter().zip(&small.answers) {
            let (found, same) = (other.verdict.is_yes(), one.verdict.is_yes());
            assert!(
                !other.verdict.is_unknown() && found == same,
                "{seed}: {other:?}\n{text}"
            );
            if let Some(trace) = other.verdict.trace() {
                replay(&machine, trace).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
                runs += 1;
            }
        }
        for certificate in &small.certificates {
            accept(&machine, certificate).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
            certificates += 1;
        }
    }
    assert!(
        by_hand || certificates > 200 && runs > 200,
        "{certificates}, {runs}"
    );
}

#[test]
fn a_state_of_32_bits_that_is_compared_with_three_numbers_has_three_bits() {
    let machine = from_text(
        "states.bp",
        "decl int<32> state := 7;
         void main() begin
           decl int<32> old, sum;
           old := state; state := *; sum := sum + 1;
           if (state = 100 | old < 5) then assert(old = 7); fi
         end",
    );
    let machine = machine.expect("the program is valid");
    let reduced = reduce(&machine, &Question::assertions(&machine)).expect("two get smaller");
    // Cuts at 0, 5, 7, 8, 100 and 101.
    assert_eq!(reduced.machine().globals[0].ty.width(), 3);
    let locals = &reduced.machine().procedures[0].locals;
    let widths: Vec<u32> = locals.iter().map(|local| local.ty.width()).collect();
    assert_eq!(widths, [3, 32]);
}

#[test]
fn what_a_machine_with_hidden_variables_does_not_reach_is_unreachable() {
    let engine = SummaryEngine::default();
    let through = Through::new("hidden", Box::new(engine), |machine, question, _| {
        let visible = some_variables(machine, 3);
        Ok(Box::new(hide(machine, question, visible)))
    });
    let report = sequential(&through);
    assert!(seeds(1).1 || report.certificates > 200, "{report}");
    assert!(seeds(1).1 || report.reachable > 500, "{report}");
    let engine = ExplicitEngine::default();
    let through = Through::new("hidden", Box::new(engine), |machine, question, _| {
        let visible = some_variables(machine, 5);
        Ok(Box::new(hide(machine, question, visible)))
    });
    sequential(&through);
}

#[test]
fn a_machine_with_nothing_hidden_has_the_same_verdicts() {
    let engine = SummaryEngine::default();
    let all = |_: ProcId, _: Variable| true;
    let through = Through::new("hidden", Box::new(engine), move |machine, question, _| {
        let visible = Visible::such_that(machine, all);
        Ok(Box::new(hide(machine, question, visible)))
    });
    let report = sequential(&through);
    assert_eq!((report.unknown, report.skipped), (0, 0), "{report}");
}

fn small_oracle() -> Oracle {
    Oracle {
        max_configurations: 3_000,
        ..Oracle::default()
    }
}

#[test]
fn fixed_threads_do_what_started_ones_do() {
    let engine = small_oracle();
    let through =
        Through::new(
            "fixed",
            Box::new(engine),
            |machine, question, _| match StaticThreads::new(machine, 3) {
                Ok(threads) => Ok(Box::new(threads.asking(question))),
                Err(refused) => Declined::because(refused.to_string()),
            },
        );
    let report = concurrent(&through);
    assert!(seeds(1).1 || report.reachable > 300, "{report}");
    assert!(seeds(1).1 || report.unreachable > 50, "{report}");
}

#[test]
fn runs_of_the_sequential_program_are_runs_of_the_threads() {
    let through =
        Through::new(
            "sequentialized",
            Box::new(Small),
            |machine, question, _| match sequentialize(machine, question, 2, 3) {
                Ok(sequential) => Ok(Box::new(sequential)),
                Err(refused) => Declined::because(refused.to_string()),
            },
        );
    let mut config = ConformanceConfig::concurrent(seeds(PROGRAMS / 2).0);
    config.oracle = small_oracle();
    let report = conformance(&through, &accept, &config);
    assert!(report.has_passed(), "{report}");
    assert!(seeds(1).1 || report.reachable > 300, "{report}");
}

#[test]
fn two_transforms_are_one_with_both_ways_back() {
    let engine = SummaryEngine::default();
    let through = Through::new(
        "sliced, then split",
        Box::new(engine),
        |machine, question, _| {
            let first = slice(machine, question);
            let second = split_edges(first.machine(), first.question(), every_third);
            Ok(Box::new(Chain::new(first, second)))
        },
    );
    let report = sequential(&through);
    assert_eq!((report.unknown, report.skipped), (0, 0), "{report}");
    assert!(seeds(1).1 || report.certificates > 500, "{report}");
    let through = Through::new(
        "split, hidden, then sliced",
        Box::new(engine),
        |machine, question, _| {
            let first = split_edges(machine, question, every_third);
            let visible = some_variables(first.machine(), 2);
            let second = hide(first.machine(), first.question(), visible);
            let third = slice(second.machine(), second.question());
            Ok(Box::new(Chain::new(Chain::new(first, second), third)))
        },
    );
    let report = sequential(&through);
    assert!(seeds(1).1 || report.certificates > 200, "{report}");
}

#[test]
fn split_threads_are_made_sequential() {
    let through = Through::new(
        "split, then sequential",
        Box::new(Small),
        |machine, question, _| {
            let first = split_edges(machine, question, every_third);
            match sequentialize(first.machine(), first.question(), 2, 3) {
                Ok(second) => Ok(Box::new(Chain::new(first, second))),
                Err(refused) => Declined::because(refused.to_string()),
            }
        },
    );
    let mut config = ConformanceConfig::concurrent(seeds(PROGRAMS / 10).0);
    config.oracle = small_oracle();
    let report = conformance(&through, &accept, &config);
    assert!(report.has_passed(), "{report}");
}

/// A monitor about the first global: it changes from one value to another and back.
fn monitor(machine: &Machine, seed: u64) -> Option<Property> {
    let global = &machine.globals.first()?;
    let condition = match (global.ty, seed % 3) {
        (hardbop_machine::Type::Bool, _) => global.name.clone(),
        (_, 0) => format!("{} = 0", global.name),
        (_, _) => format!("{} < 2", global.name),
    };
    let nondeterminism = if seed.is_multiple_of(2) {
        "off, on"
    } else {
        "on"
    };
    let last = if seed.is_multiple_of(5) {
        "terminated"
    } else {
        "1"
    };
    let text = format!(
        "monitor Toggles begin state off initial; state on; state error target;
         from off: on {condition} goto {nondeterminism};
         from on: on !({condition}) & {last} goto error; on in(main) goto on; end"
    );
    let text = PropertyText::Monitor {
        file: "toggles.mon".to_owned(),
        text,
    };
    Property::read(machine, text).ok()
}

fn oracle_says(machine: &Machine, automaton: &Automaton) -> Option<bool> {
    let oracle = RunOracle {
        bounds: Bounds {
            stack: 6,
            threads: 2,
        },
    };
    let budget = Budget {
        states: Some(5_000),
        ..Budget::unlimited()
    };
    match oracle.check(machine, automaton, &budget, &mut Silent).0 {
        Verdict::No(_) => Some(false),
        Verdict::Yes(_) => Some(true),
        Verdict::Unknown(_) => None,
    }
}

#[test]
fn any_engine_for_places_answers_monitors_through_the_product() {
    let (mut found, mut excluded) = (0, 0);
    for seed in seeds(PROGRAMS / 4).0 {
        for knobs in [
            Knobs::tiny(),
            Knobs::sequential(),
            Knobs::recursive(),
            Knobs::integers(),
        ] {
            let text = generate(seed, &knobs);
            let machine = from_text("generated.bp", &text).expect("generated programs are valid");
            let Some(property) = monitor(&machine, seed) else {
                continue;
            };
            let expected = oracle_says(&machine, &property.automaton);
            let automaton = property.automaton.clone();
            let question = Question::property(property);
            let engine: Box<dyn Engine> = match seed % 2 {
                0 => Box::new(SummaryEngine::default()),
                _ => Box::new(ExplicitEngine::default()),
            };
            let engine = Through::monitored("monitored", engine);
            let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
            let [answer] = &outcome.answers[..] else {
                panic!("one property, one answer");
            };
            match (&answer.verdict, expected) {
                (Verdict::Yes(_), Some(true) | None) => {
                    let trace = answer.verdict.trace().expect("the run is finite");
                    replay(&machine, trace).unwrap_or_else(|why| panic!("{why}\n{text}"));
                    let letters = letters(&machine, &automaton, trace);
                    assert!(
                        automaton.enters_target(&letters).is_some(),
                        "{seed}\n{text}"
                    );
                    found += 1;
                }
                (Verdict::No(_), Some(false) | None) => {
                    let product = product(&machine, &question).expect("it was made before");
                    assert_eq!(answer.verdict.support(), Some(&Support::Certificate));
                    for certificate in &outcome.certificates {
                        accept(&product.machine, certificate)
                            .unwrap_or_else(|why| panic!("{why}: seed {seed}\n{text}"));
                        assert!(certificate.property.is_some());
                    }
                    let excluded_here = outcome.certificates.iter().flat_map(|c| &c.targets);
                    let nodes: Vec<_> = excluded_here.map(|target| target.node).collect();
                    assert!(product.targets.iter().all(|node| nodes.contains(node)));
                    excluded += 1;
                }
                (verdict, _) => panic!("{verdict:?}, not {expected:?}: seed {seed}\n{text}"),
            }
        }
    }
    assert!(
        seeds(1).1 || found > 200 && excluded > 200,
        "{found} {excluded}"
    );
}

/// What the automaton reads along a run.
fn letters(
    machine: &Machine,
    automaton: &Automaton,
    trace: &hardbop_outcome::Trace,
) -> Vec<hardbop_automata::Letter> {
    let propositions = &automaton.propositions;
    let read =
        |now: &hardbop_interpreter::Configuration| letter_of_threads(machine, propositions, now);
    let mut walk = hardbop_interpreter::Walk::expanded(machine, trace).expect("it replays");
    let mut letters = vec![read(walk.configuration())];
    while let Some(walked) = walk.next() {
        walked.expect("it replays");
        letters.push(read(walk.configuration()));
    }
    letters
}

#[test]
fn a_product_takes_safety_properties_of_sequential_programs_only() {
    let machine = from_text("t.bp", "decl g; void main() begin g := *; end").expect("a program");
    let ltl = PropertyText::Ltl {
        formula: "F g".to_owned(),
    };
    let ltl = Question::property(Property::read(&machine, ltl).expect("a formula"));
    assert!(product(&machine, &ltl).is_err());
    assert!(product(&machine, &Question::assertions(&machine)).is_err());
    let engine = SummaryEngine::default();
    let engine = Through::sequentialized(Box::new(engine));
    let outcome = engine.check(
        &machine,
        &Question::assertions(&machine),
        &Budget::unlimited(),
        &mut Silent,
    );
    assert!(outcome.answers.is_empty());
    let label = Question::line(&machine, 1).within(Bound::Steps(3));
    let outcome = engine.check(&machine, &label, &Budget::unlimited(), &mut Silent);
    let why = &outcome.answers[0].verdict;
    assert!(
        matches!(why, Verdict::Unknown(Limit::Declined { .. })),
        "{why:?}"
    );
}

#[test]
fn few_variables_first_gives_the_verdicts_of_the_whole_machine() {
    let engines: [Box<dyn Engine>; 2] = [
        Box::new(SummaryEngine::default()),
        Box::new(ExplicitEngine::default()),
    ];
    for engine in engines {
        let engine = FewVariables {
            engine,
            tries_all: false,
        };
        let config = ConformanceConfig::sequential(seeds(PROGRAMS / 12).0);
        let report = conformance(&engine, &accept, &config);
        assert!(report.has_passed(), "{report}");
        assert_eq!((report.unknown, report.skipped), (0, 0), "{report}");
    }
}

/// `lock` decides the first assertion, `own` besides it the second one; the third one fails.
const LOCK: &str = "decl lock, own, a, b, c, d, e, f, g, h, i, j;
    void main() begin
      lock := 0;
      a, b, c, d := b, c, d, a & e & f & g & h & i & j;
      assert(!lock);
      take();
      if (own) then free(); fi
      if (own) then assert(!lock); fi
      if (a) then assert(!a); fi
    end
    void take() begin lock := 1; end
    void free() begin lock := 0; end";

#[test]
fn certificates_of_few_variables_speak_of_few_variables() {
    let machine = from_text("t.bp", LOCK).expect("a program");
    let engine = FewVariables {
        engine: Box::new(SummaryEngine::default()),
        tries_all: false,
    };
    let question = Question::assertions(&machine);
    let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
    let verdicts: Vec<bool> = outcome.answers.iter().map(|a| a.verdict.is_yes()).collect();
    assert_eq!(verdicts, [false, false, true]);
    for certificate in &outcome.certificates {
        accept(&machine, certificate).expect("a certificate of the whole program");
        for formula in &certificate.formulas {
            if let Formula::Now(bit) | Formula::Entry(bit) = formula {
                let name = machine.name_of(ProcId(0), bit.variable);
                assert!(["lock", "own", "a"].contains(&name), "{name}");
            }
        }
    }
    assert_eq!(outcome.lacks_certificate(), None);
}

/// Whether `E` is reached where `g` is all that can be seen.
fn is_reached_seeing_g(text: &str) -> bool {
    let machine = from_text("t.bp", text).expect("a program");
    let is_seen = |procedure, variable| machine.name_of(procedure, variable) == "g";
    let visible = Visible::such_that(&machine, is_seen);
    let hidden = hide(&machine, &Question::label(&machine, "E"), visible);
    let question = hidden.question();
    let outcome = SummaryEngine::default().check(
        hidden.machine(),
        question,
        &Budget::unlimited(),
        &mut Silent,
    );
    outcome.answers[0].verdict.is_yes()
}

#[test]
fn an_edge_reads_one_value_of_a_hidden_variable_however_often() {
    let body = |text: &str| format!("decl g, h := 0; void main() begin {text} E: skip; end");
    assert!(!is_reached_seeing_g(&body("assume(h & !h);")));
    assert!(is_reached_seeing_g(&body("assume(h); assume(!h);")));
    // After the step a hidden variable is what is assigned to it, here what the other one is
    // before.
    assert!(!is_reached_seeing_g(&body(
        "h, g := g, !g constrain 'h = 'g;"
    )));
    assert!(is_reached_seeing_g(&body("h := g; assume(h != g);")));
}
