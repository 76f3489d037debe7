//! Damaged evidence, and programs changed under their evidence: whatever a judge still accepts is
//! true.
//!
//! Evidence for random programs is written as JSON, damaged in one to three places, read again and
//! judged; or the program is changed and the evidence made to name the new one. Whether an accepted
//! claim may be one is decided without the judges: by the obvious search for places, and by hand
//! for infinite runs ([`by_hand`]). More than the usual number, and others of them:
//!
//! `HARDBOP_MUTATIONS=10000 HARDBOP_SEED=7 cargo test --release -p hardbop-portfolio --test mutations -- --nocapture`

mod by_hand;
mod formulas;

use by_hand::Fault;
use formulas::{Formula, random_formula};
use hardbop_automata::{Property, PropertyText};
use hardbop_explicit::ExplicitEngine;
use hardbop_interpreter::{RandomChooser, simulate};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Budget, Certificate, Engine, Evidence, Lasso, NeverInterrupted, Outcome, Question, Silent,
    Support, Target, ThreadLasso, Trace, Verdict,
};
use hardbop_portfolio::{Judgement, judge_evidence};
use hardbop_soak::damage::{changed, damaged};
use hardbop_testkit::random::Random;
use hardbop_testkit::{Bounds, Knobs, Oracle, RunOracle, TabulationEngine, generate};
use hardbop_threads::StacksEngine;
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Mutations of each kind.
const USUAL_MUTATIONS: u64 = 1_500;

/// Of one piece of evidence, before the next program.
const PER_EVIDENCE: u64 = 20;

/// Pieces of runs that are said to be infinite, for each formula.
const FORGERIES: u64 = 20;

/// What happened to the damaged evidence of one kind.
#[derive(Debug, Default)]
struct Tally {
    unreadable: u64,
    rejected: u64,
    accepted: u64,
    /// Of those that were accepted: too large to be decided without the judges.
    undecided: u64,
}

impl Tally {
    fn tried(&self) -> u64 {
        self.unreadable + self.rejected + self.accepted
    }

    /// Shows the figures. The damage must be neither so large that nothing is read nor so small
    /// that nothing is rejected.
    #[allow(clippy::print_stdout, reason = "figures for `docs/reliability.md`")]
    fn finish(&self, what: &str) {
        println!("{what}: {} tried, {self:?}", self.tried());
        let read = self.rejected + self.accepted;
        let is_telling = read * 10 > self.unreadable && self.rejected * 10 > read;
        assert!(is_telling && self.accepted > 0, "{what}: {self:?}");
        assert!(self.undecided * 10 <= self.accepted, "{what}: {self:?}");
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Random programs, until enough has been done with them.
fn for_each_program(presets: &[Knobs], mut act: impl FnMut(&mut Random, &Machine) -> u64) {
    let count = from_environment("HARDBOP_MUTATIONS").unwrap_or(USUAL_MUTATIONS);
    let first = from_environment("HARDBOP_SEED").unwrap_or_default();
    let mut random = Random::new(first.wrapping_add(17));
    let mut done = 0;
    for seed in first.. {
        let text = generate(seed, &presets[seed as usize % presets.len()]);
        done += act(&mut random, &machine_of(&text).expect("it is a program"));
        if done >= count {
            break;
        }
    }
}

fn machine_of(text: &str) -> Option<Machine> {
    hardbop_machine::from_text("random.bp", text).ok()
}

/// A program that differs in a few words, if what comes out is another program.
fn other_machine(random: &mut Random, machine: &Machine) -> Option<Machine> {
    let other = machine_of(&changed(random, machine.source.text()))?;
    (other.digest() != machine.digest()).then_some(other)
}

fn all_presets() -> Vec<Knobs> {
    Knobs::presets()
        .into_iter()
        .map(|(_, knobs)| knobs)
        .collect()
}

fn json(evidence: &impl serde::Serialize) -> Value {
    serde_json::to_value(evidence).expect("it can be written")
}

/// What the obvious search knows about the places of a program.
struct Places {
    targets: Vec<Target>,
    is_reached: BTreeMap<NodeId, bool>,
    /// The same from a search that goes further, made when it is needed.
    is_reached_far: OnceCell<BTreeMap<NodeId, bool>>,
    runs: Vec<Trace>,
    certificates: Vec<Certificate>,
}

/// The places that an outcome decides.
fn decided(outcome: &Outcome) -> BTreeMap<NodeId, bool> {
    let answers = outcome.answers.iter();
    let decided = answers.filter_map(|answer| match &answer.verdict {
        Verdict::Yes(_) => Some((answer.target()?.node, true)),
        Verdict::No(_) => Some((answer.target()?.node, false)),
        Verdict::Unknown(_) => None,
    });
    decided.collect()
}

impl Places {
    fn of(machine: &Machine) -> Self {
        let oracle = Oracle {
            with_certificate: true,
            max_configurations: 2_000,
            ..Oracle::default()
        };
        let mut targets = Target::assertions(machine);
        targets.extend(Target::labels(machine, "TARGET"));
        let question = Question::reach(targets.clone());
        let mut outcome = oracle.check(machine, &question, &Budget::unlimited(), &mut Silent);
        // Proofs of another form.
        let budget = Budget {
            states: Some(5_000),
            ..Budget::unlimited()
        };
        let stacks = StacksEngine.check(machine, &question, &budget, &mut Silent);
        outcome.certificates.extend(stacks.certificates);
        let runs = outcome.answers.iter().filter_map(|a| a.verdict.trace());
        Self {
            targets,
            is_reached: decided(&outcome),
            is_reached_far: OnceCell::new(),
            runs: runs.cloned().collect(),
            certificates: outcome.certificates,
        }
    }

    /// Whether a place can be reached, if it is known. Calls without end are for tabulation.
    fn is_reached(&self, machine: &Machine, target: &Target) -> Option<bool> {
        let near = self.is_reached.get(&target.node);
        let far = || {
            let question = Question::reach(self.targets.clone());
            let budget = Budget {
                states: Some(300_000),
                ..Budget::unlimited()
            };
            decided(&if machine.is_sequential() {
                TabulationEngine.check(machine, &question, &budget, &mut Silent)
            } else {
                Oracle::default().check(machine, &question, &budget, &mut Silent)
            })
        };
        let far = || self.is_reached_far.get_or_init(far).get(&target.node);
        near.or_else(far).copied()
    }

    fn judge_certificate(&self, machine: &Machine, document: Value, tally: &mut Tally) {
        let shown = document.to_string();
        let Ok(certificate) = serde_json::from_value::<Certificate>(document) else {
            tally.unreadable += 1;
            return;
        };
        if hardbop_checker::validate(machine, &certificate, &NeverInterrupted).is_err() {
            tally.rejected += 1;
            return;
        }
        tally.accepted += 1;
        let mut is_decided = true;
        for target in &certificate.targets {
            let is_reached = self.is_reached(machine, target);
            let text = machine.source.text();
            assert!(
                is_reached != Some(true),
                "accepted for {target}: {shown}\n{text}"
            );
            is_decided &= is_reached.is_some();
        }
        tally.undecided += u64::from(!is_decided);
    }

    fn judge_trace(&self, machine: &Machine, document: Value, tally: &mut Tally) {
        let shown = document.to_string();
        let Ok(trace) = serde_json::from_value::<Trace>(document) else {
            tally.unreadable += 1;
            return;
        };
        if hardbop_interpreter::replay(machine, &trace).is_err() {
            tally.rejected += 1;
            return;
        }
        tally.accepted += 1;
        if let Some(target) = &trace.target {
            let is_reached = self.is_reached(machine, target);
            let text = machine.source.text();
            assert!(
                is_reached != Some(false),
                "a run to {target}: {shown}\n{text}"
            );
            tally.undecided += u64::from(is_reached.is_none());
        }
    }
}

#[test]
fn no_damaged_certificate_makes_the_checker_accept_what_is_false() {
    let mut tally = Tally::default();
    for_each_program(&all_presets(), |random, machine| {
        let places = Places::of(machine);
        let before = tally.tried();
        for certificate in &places.certificates {
            // Half of them also claim something false.
            let mut lying = certificate.clone();
            let reached = |target: &&Target| places.is_reached.get(&target.node) == Some(&true);
            let false_claim = places.targets.iter().find(reached).cloned();
            lying.targets.extend(false_claim);
            let originals = [json(certificate), json(&lying)];
            for index in 0..PER_EVIDENCE {
                let document = damaged(random, &originals[index as usize % 2]);
                places.judge_certificate(machine, document, &mut tally);
            }
        }
        tally.tried() - before
    });
    tally.finish("certificates");
}

#[test]
fn no_damaged_trace_makes_the_interpreter_accept_what_is_false() {
    let mut tally = Tally::default();
    for_each_program(&all_presets(), |random, machine| {
        let places = Places::of(machine);
        let before = tally.tried();
        for trace in places.runs.iter().take(2) {
            let original = json(trace);
            for _ in 0..PER_EVIDENCE {
                places.judge_trace(machine, damaged(random, &original), &mut tally);
            }
        }
        tally.tried() - before
    });
    tally.finish("traces");
}

/// The target of another program that is most like one of this.
fn like(target: &Target, others: &[Target]) -> Option<Target> {
    let is_same =
        |other: &&Target| (&other.procedure, &other.kind) == (&target.procedure, &target.kind);
    let mut others: Vec<&Target> = others.iter().filter(is_same).collect();
    others.sort_by_key(|other| other.line.abs_diff(target.line));
    others.first().copied().cloned()
}

#[test]
fn no_program_changed_under_its_evidence_makes_a_judge_accept_what_is_false() {
    let mut proofs = Tally::default();
    let mut runs = Tally::default();
    for_each_program(&all_presets(), |random, machine| {
        let places = Places::of(machine);
        if places.certificates.is_empty() && places.runs.is_empty() {
            return 0;
        }
        let before = proofs.tried() + runs.tried();
        for _ in 0..PER_EVIDENCE {
            let Some(other) = other_machine(random, machine) else {
                continue;
            };
            let truth = Places::of(&other);
            for certificate in &places.certificates {
                let mut moved = certificate.clone();
                other.digest().clone_into(&mut moved.program);
                let targets = moved.targets.iter();
                moved.targets = targets.filter_map(|t| like(t, &truth.targets)).collect();
                truth.judge_certificate(&other, json(&moved), &mut proofs);
            }
            for trace in places.runs.iter().take(2) {
                let mut moved = trace.clone();
                other.digest().clone_into(&mut moved.program);
                moved.target = moved.target.and_then(|t| like(&t, &truth.targets));
                truth.judge_trace(&other, json(&moved), &mut runs);
            }
        }
        proofs.tried() + runs.tried() - before
    });
    proofs.finish("programs under certificates");
    runs.finish("programs under traces");
}

/// A question about infinite runs, with what the judge needs and what it must not see.
struct Asked {
    question: Question,
    formula: Formula,
}

impl Asked {
    /// Nothing if the program has not all that the formula names.
    fn new(machine: &Machine, formula: Formula) -> Option<Self> {
        let text = PropertyText::Ltl {
            formula: formula.to_string(),
        };
        let question = Question::property(Property::read(machine, text).ok()?);
        Some(Self { question, formula })
    }

    /// An infinite run that violates the formula, if one is found soon.
    fn evidence(&self, machine: &Machine) -> Option<Evidence> {
        let budget = Budget {
            states: Some(3_000),
            ..Budget::unlimited()
        };
        let verdict = if machine.is_sequential() {
            let engine = ExplicitEngine::default();
            let outcome = engine.check(machine, &self.question, &budget, &mut Silent);
            outcome.answers.into_iter().next()?.verdict
        } else {
            let bounds = Bounds {
                stack: 8,
                threads: 6,
            };
            let automaton = &self.question.as_property()?.automaton;
            let search = RunOracle { bounds };
            search.check(machine, automaton, &budget, &mut Silent).0
        };
        match verdict {
            Verdict::Yes(Support::Evidence(evidence)) => Some(evidence),
            _ => None,
        }
    }

    fn judge(&self, machine: &Machine, document: Value, tally: &mut Tally) {
        let shown = document.to_string();
        let Ok(evidence) = serde_json::from_value::<Evidence>(document) else {
            tally.unreadable += 1;
            return;
        };
        let asked = &self.question.asked()[0];
        let judged = judge_evidence(machine, &self.question, asked, &evidence);
        if judged != Ok(Judgement::Confirmed) {
            tally.rejected += 1;
            return;
        }
        tally.accepted += 1;
        let by_hand = match &evidence {
            Evidence::Lasso(lasso) => by_hand::judge_lasso(machine, &self.formula, lasso),
            Evidence::ThreadLasso(lasso) => {
                by_hand::judge_thread_lasso(machine, &self.formula, lasso)
            }
            Evidence::Run(_) | Evidence::Strategy(_) => Err(Fault::Wrong("not an infinite run")),
        };
        match by_hand {
            Ok(()) => {}
            Err(Fault::Undecided) => tally.undecided += 1,
            Err(Fault::Wrong(why)) => {
                let (formula, text) = (&self.formula, machine.source.text());
                panic!("accepted, but {why}: {formula}\n{shown}\n{text}");
            }
        }
    }
}

/// A piece of some run whose ends are anywhere, and which is said to be a loop.
fn forged(random: &mut Random, machine: &Machine) -> Evidence {
    let mut chooser = RandomChooser::new(random.next_number());
    let mut run = simulate(machine, &mut chooser, 40, None).trace;
    let steps: usize = run.segments.iter().map(|s| s.steps.len()).sum();
    let mut kept = random.below(steps + 1);
    let head = random.below(kept + 1);
    for segment in &mut run.segments {
        segment.steps.truncate(kept);
        kept -= segment.steps.len();
    }
    if machine.is_sequential() {
        return Evidence::Lasso(Lasso::from_trace(&run, head));
    }
    run.segments.retain(|segment| !segment.steps.is_empty());
    Evidence::ThreadLasso(ThreadLasso {
        version: hardbop_outcome::lasso::VERSION,
        property: None,
        stem: head as u64,
        run,
    })
}

fn judge_forgeries(
    random: &mut Random,
    machine: &Machine,
    asked: &Asked,
    count: u64,
    tally: &mut Tally,
) {
    let opposite = Formula::Not(Box::new(asked.formula.clone()));
    let opposite = Asked::new(machine, opposite).expect("it is about the program");
    for _ in 0..count {
        // Whatever the run is, it violates one of the two.
        let document = json(&forged(random, machine));
        asked.judge(machine, document.clone(), tally);
        opposite.judge(machine, document, tally);
    }
}

/// Programs that unwind a deep stack in steps that look the same. It is not a loop: the stack
/// comes to an end.
const UNWINDING: [&str; 2] = [
    "decl g;
     void main() begin f(); g := !g; end
     void f() begin if (*) then f(); fi end",
    "decl g;
     void main() begin f(g); g := 0; end
     void f(x) begin if (*) then f(x); skip; x := g; else g := *; fi end",
];

/// None of these is often met in random programs.
#[test]
fn a_stack_that_is_unwound_is_not_taken_for_a_loop() {
    let mut tally = Tally::default();
    let mut random = Random::new(from_environment("HARDBOP_SEED").unwrap_or_default());
    for text in UNWINDING {
        let machine = machine_of(text).expect("it is a program");
        for _ in 0..4 {
            let formula = random_formula(&mut random, &machine);
            let asked = Asked::new(&machine, formula).expect("it is about the program");
            judge_forgeries(&mut random, &machine, &asked, 500, &mut tally);
        }
    }
    tally.finish("forged unwindings");
}

fn lasso_campaign(what: &str, presets: &[Knobs], wants_threads: bool) {
    let mut whole = Tally::default();
    let mut damages = Tally::default();
    let mut programs = Tally::default();
    let mut forgeries = Tally::default();
    for_each_program(presets, |random, machine| {
        if machine.is_sequential() == wants_threads {
            return 0;
        }
        let asked = (0..4).map(|_| random_formula(random, machine));
        let asked: Vec<Asked> = asked.filter_map(|f| Asked::new(machine, f)).collect();
        assert_eq!(asked.len(), 4, "the formulas are about the program");
        let before = damages.tried() + programs.tried();
        for own in &asked {
            judge_forgeries(random, machine, own, FORGERIES, &mut forgeries);
            let Some(evidence) = own.evidence(machine) else {
                continue;
            };
            let original = json(&evidence);
            own.judge(machine, original.clone(), &mut whole);
            for index in 0..PER_EVIDENCE as usize {
                // Half is said to violate some other formula, or this one.
                let claimed = asked.get(index % 8).unwrap_or(own);
                claimed.judge(machine, damaged(random, &original), &mut damages);
            }
            for _ in 0..PER_EVIDENCE {
                let Some(other) = other_machine(random, machine) else {
                    continue;
                };
                let mut moved = evidence.clone();
                match &mut moved {
                    Evidence::Lasso(lasso) => other.digest().clone_into(&mut lasso.program),
                    Evidence::ThreadLasso(lasso) => {
                        other.digest().clone_into(&mut lasso.run.program);
                    }
                    Evidence::Run(run) => other.digest().clone_into(&mut run.program),
                    Evidence::Strategy(_) => unreachable!("formulas about runs have runs"),
                }
                if let Some(asked) = Asked::new(&other, own.formula.clone()) {
                    asked.judge(&other, json(&moved), &mut programs);
                }
            }
        }
        damages.tried() + programs.tried() - before
    });
    let Tally {
        accepted,
        undecided,
        ..
    } = whole;
    assert_eq!(
        accepted,
        whole.tried(),
        "evidence is accepted before it is damaged"
    );
    assert!(undecided * 10 <= accepted, "{whole:?}");
    damages.finish(what);
    programs.finish(&format!("programs under {what}"));
    forgeries.finish(&format!("forged {what}"));
}

#[test]
fn no_damaged_lasso_of_a_sequential_program_is_accepted_unless_it_is_one() {
    let presets = [
        Knobs::sequential(),
        Knobs::recursive(),
        Knobs::integers(),
        Knobs::tiny(),
    ];
    lasso_campaign("lassos", &presets, false);
}

#[test]
fn no_damaged_lasso_of_threads_is_accepted_unless_it_is_one() {
    lasso_campaign("lassos of threads", &[Knobs::concurrent()], true);
}
