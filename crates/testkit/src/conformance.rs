//! One suite that every engine must pass: generated programs, the oracles' verdicts, and evidence
//! that is checked.
//!
//! For each program and each of its targets: the engine's verdict is the oracle's wherever the
//! oracle is exact; the trace of a `Reachable` replays and ends at that very target; the
//! certificate, when there is one, covers every target that was called unreachable and is accepted.
//! `Unknown` is never wrong, but it is counted, so that a suite that tests nothing is noticed. A
//! program on which something is wrong is shrunk until nothing can be left out.

mod judge;
mod report;

pub use judge::{Disagreement, DisagreementKind};
pub use report::{ConformanceReport, Mismatch};

use hardbop_brute_force::Oracle;
use hardbop_families::{Knobs, generate};
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, Engine};
use hardbop_shrink::shrink;
use judge::{Judge, Judgement};
use std::ops::Range;

/// Which programs an engine takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Only those with one thread and no `init`.
    Sequential,
    /// All.
    All,
}

/// What the suite runs.
#[derive(Clone, Debug)]
pub struct ConformanceConfig {
    /// Kinds of programs with the names that reports show.
    pub presets: Vec<(&'static str, Knobs)>,
    /// Seeds for each kind.
    pub seeds: Range<u64>,
    /// Programs that the engine takes; others are skipped.
    pub programs: Programs,
    /// The search that the engine is compared with.
    pub oracle: Oracle,
    /// Limit on the engine's states, if any.
    pub states: Option<u64>,
    /// After this many mismatches the suite stops: each is shrunk, which takes a while.
    pub max_mismatches: usize,
}

impl ConformanceConfig {
    /// Every preset of sequential programs.
    pub fn sequential(seeds: Range<u64>) -> Self {
        Self {
            presets: vec![
                ("tiny", Knobs::tiny()),
                ("sequential", Knobs::sequential()),
                ("recursive", Knobs::recursive()),
                ("integers", Knobs::integers()),
            ],
            seeds,
            programs: Programs::Sequential,
            oracle: Oracle {
                max_configurations: 10_000,
                ..Oracle::default()
            },
            states: None,
            max_mismatches: 2,
        }
    }

    /// Every preset of concurrent programs.
    pub fn concurrent(seeds: Range<u64>) -> Self {
        Self {
            presets: vec![
                ("concurrent", Knobs::concurrent()),
                ("everything", Knobs::everything()),
            ],
            programs: Programs::All,
            ..Self::sequential(seeds)
        }
    }
}

/// Decides whether a certificate proves what it says.
pub type CertificateCheck<'a> = dyn Fn(&Machine, &Certificate) -> Result<(), String> + 'a;

/// Runs the suite.
pub fn conformance(
    engine: &dyn Engine,
    check_certificate: &CertificateCheck<'_>,
    config: &ConformanceConfig,
) -> ConformanceReport {
    let judge = Judge {
        engine,
        check_certificate,
        config,
    };
    let mut report = ConformanceReport::new(engine.name());
    for (preset, knobs) in &config.presets {
        for seed in config.seeds.clone() {
            if report.mismatches.len() >= config.max_mismatches {
                return report;
            }
            let text = generate(seed, knobs);
            match judge.judge(&text) {
                Judgement::NotTaken => report.skipped += 1,
                Judgement::Judged {
                    counts,
                    disagreement,
                } => {
                    report.add(counts);
                    if let Some(disagreement) = disagreement {
                        report
                            .mismatches
                            .push(shrunk(&judge, preset, seed, text, disagreement));
                    }
                }
            }
        }
    }
    report
}

/// Shrinks a program as long as something of the same kind is wrong with it.
fn shrunk(
    judge: &Judge<'_>,
    preset: &str,
    seed: u64,
    text: String,
    disagreement: Disagreement,
) -> Mismatch {
    let small = shrink(&text, &mut |candidate| {
        let found = judge.judge(candidate).disagreement();
        found.is_some_and(|found| found.kind == disagreement.kind)
    });
    let found = judge.judge(&small).disagreement();
    Mismatch {
        preset: preset.to_owned(),
        seed,
        disagreement: found.unwrap_or(disagreement),
        program: text,
        shrunk: small,
    }
}
