//! Explicit path edges and summaries instead of stacks.
//!
//! A search over configurations keeps stacks and must stop at some depth; this one is exact for any
//! recursion, on sequential machines. It also knows the length of a shortest hierarchical
//! trajectory to every node ([`Tabulation::distance`]), which is what "shortest trace" means
//! everywhere in this project.

use crate::engine::MANY;
use crate::tabulation::Tabulation;
use hardbop_machine::Machine;
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Answer, Budget, Declined, Engine, Evidence, Outcome, Prepared, Progress, Question, Support,
    Target, Verdict,
};

/// The tabulating search as an engine. [`Budget::states`] limits the number of path edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TabulationEngine;

impl Engine for TabulationEngine {
    fn name(&self) -> &'static str {
        "tabulation"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes_only_sequential_reachability(machine, question)?;
        Ok(Prepared::new(move |budget, progress| {
            self.search(machine, question, budget, progress)
        }))
    }
}

impl TabulationEngine {
    fn search(
        self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        _progress: &mut dyn Progress,
    ) -> Outcome {
        let states = budget.states.and_then(|n| usize::try_from(n).ok());
        let tabulation = Tabulation::within(machine, states.unwrap_or(MANY), budget.interrupt);
        let verdict = |target: &Target| match &tabulation {
            Ok(tabulation) => match tabulation.trace(target) {
                Some(trace) => Verdict::Yes(Support::Evidence(Evidence::Run(trace))),
                None => Verdict::NO,
            },
            Err(why) => Verdict::Unknown(why.clone()),
        };
        let answers = question
            .targets()
            .iter()
            .map(|target| Answer::new(target.clone(), verdict(target)));
        let mut outcome = Outcome::new(self.name(), answers.collect());
        if let Ok(tabulation) = &tabulation {
            outcome
                .statistics
                .add("path edges", tabulation.len() as u64);
            let unreachable = outcome.answers.iter();
            let excluded: Vec<Target> = unreachable
                .filter(|answer| answer.verdict.is_no_for_all_runs())
                .filter_map(|answer| answer.target().cloned())
                .collect();
            if !excluded.is_empty() {
                let path_edges = tabulation.path_edges();
                outcome.certify(path_edges.certificate(machine, excluded));
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Oracle;
    use hardbop_interpreter::{fold, replay};
    use hardbop_outcome::{Limit, Silent};

    fn machine(text: &str) -> Machine {
        hardbop_machine::from_text("test.bp", text).expect("the test program is valid")
    }

    /// All labels of a program are asked for.
    fn labels(machine: &Machine) -> Question {
        let labels = machine.labels.iter();
        let targets = labels.flat_map(|label| Target::labels(machine, &label.name));
        Question::reach(targets.collect())
    }

    const PROGRAMS: &[&str] = &[
        // Both results of a call, and a local that is arbitrary.
        "decl g;
         void main() begin
           decl x;
           g := 0;
           x := f(g);
           if (x) then YES: skip; else NO: skip; fi
           if (g) then NEVER: skip; fi
         end
         bool f(a) begin decl y; return a | y; end",
        // A call's summary depends on the global, which the callee changes.
        "decl a, b;
         void main() begin
           a, b := 0, 0;
           flip(); flip();
           if (a) then ODD: skip; else EVEN: skip; fi
           if (a != b) then APART: skip; fi
         end
         void flip() begin a, b := !a, !b; L: skip; end",
        // Choices under conditions; integers.
        "decl int<2> n;
         void main() begin
           n := * constrain 'n != 2;
           while (n > 0) do n := n - 1; assume(*); od
           if (n = 0) then ZERO: skip; else OTHER: skip; fi
           dec(n);
           if (n = 3) then THREE: skip; fi
         end
         void dec(int<2> k) begin if (k = 0) then n := k - 1; fi end",
        // A recursion that only a tabulation can finish.
        "decl g;
         void main() begin g := 0; r(); if (g) then ON: skip; else OFF: skip; fi end
         void r() begin if (*) then r(); g := !g; else g := 0; fi DEEP: skip; end",
        // Recursion that never returns; `end_thread`.
        "void main() begin
           if (*) then r(); AFTER: skip; fi
           if (*) then end_thread; HALTED: skip; fi
           LAST: skip;
         end
         void r() begin r(); BACK: skip; end",
    ];

    #[test]
    fn the_two_oracles_agree_and_their_traces_replay() {
        for text in PROGRAMS {
            let machine = machine(text);
            let question = labels(&machine);
            let check = |engine: &dyn Engine| {
                engine.check(&machine, &question, &Budget::unlimited(), &mut Silent)
            };
            let slow = check(&Oracle {
                with_certificate: true,
                ..Oracle::default()
            });
            let tabled = check(&TabulationEngine);
            let tabulation = Tabulation::new(&machine, 100_000).unwrap();
            for (slow, tabled) in slow.answers.iter().zip(&tabled.answers) {
                let distance = tabulation.distance(slow.target().expect("a place").node);
                match (&slow.verdict, &tabled.verdict) {
                    (
                        Verdict::Yes(Support::Evidence(Evidence::Run(flat))),
                        Verdict::Yes(Support::Evidence(Evidence::Run(trace))),
                    ) => {
                        let flat = fold(&machine, flat).unwrap();
                        let flat = replay(&machine, &flat).unwrap();
                        let shortest = replay(&machine, trace).unwrap();
                        assert_eq!(Some(shortest.hierarchical_steps), distance);
                        assert!(shortest.hierarchical_steps <= flat.hierarchical_steps);
                        assert!(flat.flat_steps <= shortest.flat_steps);
                    }
                    (Verdict::Unknown(_), _) => {}
                    (Verdict::No(_), Verdict::No(_)) => assert_eq!(distance, None),
                    (slow, tabled) => panic!("{slow:?} but {tabled:?} in {text}"),
                }
            }
            if !slow.certificates.is_empty() {
                assert_eq!(slow.certificates, tabled.certificates);
            }
        }
    }

    #[test]
    fn recursion_is_decided_exactly() {
        let verdicts = |text: &str| -> Vec<String> {
            let machine = machine(text);
            let question = labels(&machine);
            let budget = Budget::unlimited();
            let answers = TabulationEngine
                .check(&machine, &question, &budget, &mut Silent)
                .answers;
            let name = |verdict: &Verdict| match verdict {
                Verdict::Yes(_) => "reachable",
                Verdict::No(_) => "unreachable",
                Verdict::Unknown(_) => "unknown",
            };
            let answers = answers.iter();
            let shown = answers.map(|a| format!("{}: {}", a.asked, name(&a.verdict)));
            shown.collect()
        };
        expect_test::expect![[r"
            2:57 main: label ON: reachable
            2:73 main: label OFF: reachable
            3:73 r: label DEEP: reachable"]]
        .assert_eq(&verdicts(PROGRAMS[3]).join("\n"));
        expect_test::expect![[r"
            2:36 main: label AFTER: unreachable
            3:44 main: label HALTED: unreachable
            4:18 main: label LAST: reachable
            6:36 r: label BACK: unreachable"]]
        .assert_eq(&verdicts(PROGRAMS[4]).join("\n"));
    }

    #[test]
    fn a_call_with_its_summary_counts_as_one_step() {
        let machine = machine(
            "void main() begin p(); p(); L: skip; end
             void p() begin q(); q(); end
             void q() begin skip; INNER: skip; end",
        );
        let tabulation = Tabulation::new(&machine, 1000).unwrap();
        let distance = |label| {
            let target = Target::labels(&machine, label).remove(0);
            tabulation.distance(target.node)
        };
        assert_eq!(distance("L"), Some(2));
        assert_eq!(distance("INNER"), Some(3));
    }

    #[test]
    fn limits_are_answers() {
        let sequential = machine("decl int<16> n; void main() begin n := *; L: skip; end");
        assert_eq!(Tabulation::new(&sequential, 10).err(), Some(Limit::States));
        let wide = machine("decl int<40> n; void main() begin skip; end");
        let refused = Tabulation::new(&wide, 10).err();
        assert!(matches!(refused, Some(Limit::Declined { .. })));
    }
}
