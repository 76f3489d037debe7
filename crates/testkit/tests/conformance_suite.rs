//! The suite accepts engines that are right and catches those that are wrong, each in its own way.

mod seeds;

use hardbop_machine::Machine;
use hardbop_outcome::{
    Budget, Certificate, Declined, Engine, Evidence, Outcome, Prepared, Question, Support, Verdict,
};
use hardbop_testkit::conformance::DisagreementKind;
use hardbop_testkit::{
    ConformanceConfig, ConformanceReport, Oracle, TabulationEngine, conformance,
};
use seeds::seeds;

/// Accepts every certificate: the oracles are trusted here, and what is tested is the suite.
const ACCEPT: fn(&Machine, &Certificate) -> Result<(), String> = |_, _| Ok(());

fn assert_passes(report: &ConformanceReport, exact: u64, reachable: u64, unreachable: u64) {
    assert!(report.has_passed(), "{report}");
    if !seeds(0).1 {
        assert!(report.exact >= exact, "{report}");
        assert!(report.reachable >= reachable, "{report}");
        assert!(report.unreachable >= unreachable, "{report}");
    }
}

#[test]
fn the_oracle_passes_on_sequential_programs() {
    let config = ConformanceConfig::sequential(seeds(60).0);
    let report = conformance(&Oracle::default(), &ACCEPT, &config);
    assert_passes(&report, 400, 120, 150);
}

#[test]
fn the_summary_oracle_passes_on_sequential_programs() {
    let config = ConformanceConfig::sequential(seeds(60).0);
    let report = conformance(&TabulationEngine, &ACCEPT, &config);
    assert_passes(&report, 400, 120, 150);
    assert!(report.certificates > 50 || seeds(0).1, "{report}");
}

#[test]
fn the_oracle_passes_on_concurrent_programs() {
    let config = ConformanceConfig::concurrent(seeds(40).0);
    let oracle = Oracle {
        max_configurations: 8000,
        ..Oracle::default()
    };
    let report = conformance(&oracle, &ACCEPT, &config);
    assert_passes(&report, 80, 40, 40);
}

/// An engine that spoils the answers of the oracle.
struct Spoiled {
    spoil: fn(&mut Outcome),
}

impl Engine for Spoiled {
    fn name(&self) -> &'static str {
        "spoiled"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        let search = TabulationEngine.prepare(machine, question, limits)?;
        Ok(Prepared::new(move |budget, progress| {
            let mut outcome = search.search(budget, progress);
            (self.spoil)(&mut outcome);
            outcome
        }))
    }
}

/// Runs a wrong engine; the first thing found must be of this kind, and small.
fn assert_caught(spoil: fn(&mut Outcome), kind: DisagreementKind) -> ConformanceReport {
    let config = ConformanceConfig {
        max_mismatches: 1,
        ..ConformanceConfig::sequential(0..60)
    };
    let report = conformance(&Spoiled { spoil }, &ACCEPT, &config);
    let [mismatch] = &*report.mismatches else {
        panic!("{report}");
    };
    assert_eq!(mismatch.disagreement.kind, kind, "{report}");
    assert!(mismatch.shrunk.lines().count() <= 8, "{report}");
    assert!(report.to_string().contains(&mismatch.shrunk), "{report}");
    report
}

#[test]
fn an_engine_that_reaches_nothing_is_caught() {
    let spoil = |outcome: &mut Outcome| {
        for answer in &mut outcome.answers {
            answer.verdict = Verdict::NO;
        }
        outcome.certificates.clear();
    };
    assert_caught(spoil, DisagreementKind::WronglyUnreachable);
}

#[test]
fn an_engine_that_reaches_too_much_is_caught() {
    let spoil = |outcome: &mut Outcome| {
        let traces = outcome
            .answers
            .iter()
            .find_map(|answer| match &answer.verdict {
                Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => Some(trace.clone()),
                _ => None,
            });
        for answer in &mut outcome.answers {
            if let Some(trace) = traces
                .clone()
                .filter(|_| answer.verdict.is_no_for_all_runs())
            {
                answer.verdict = Verdict::Yes(Support::Evidence(Evidence::Run(trace)));
            }
        }
    };
    assert_caught(spoil, DisagreementKind::WronglyReachable);
}

#[test]
fn a_trace_that_stops_early_is_caught() {
    let spoil = |outcome: &mut Outcome| {
        for answer in &mut outcome.answers {
            if let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &mut answer.verdict
                && let Some(segment) = trace.segments.last_mut()
            {
                segment.steps.pop();
            }
        }
    };
    assert_caught(spoil, DisagreementKind::Trace);
}

#[test]
fn a_certificate_that_leaves_a_target_out_is_caught() {
    let spoil = |outcome: &mut Outcome| {
        for certificate in &mut outcome.certificates {
            certificate.targets.pop();
        }
    };
    assert_caught(spoil, DisagreementKind::Certificate);
}

#[test]
fn an_engine_that_forgets_an_answer_is_caught() {
    let spoil = |outcome: &mut Outcome| {
        outcome.answers.pop();
    };
    assert_caught(spoil, DisagreementKind::Answers);
}

#[test]
fn a_panic_is_caught_and_shrunk() {
    let spoil = |outcome: &mut Outcome| assert!(outcome.answers.len() < 2, "two at once");
    let report = assert_caught(spoil, DisagreementKind::Panic);
    assert!(report.to_string().contains("two at once"), "{report}");
}

#[test]
fn a_certificate_that_the_checker_refuses_is_caught() {
    let refuse = |_: &Machine, _: &Certificate| Err("not inductive".to_owned());
    let config = ConformanceConfig::sequential(0..60);
    let report = conformance(&TabulationEngine, &refuse, &config);
    assert!(report.to_string().contains("not inductive"), "{report}");
}
