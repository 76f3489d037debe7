//! The two oracles against each other, and the replay against both, on random programs.

use hardbop_interpreter::{RandomChooser, Walk, fold, replay, simulate};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Budget, Engine, Evidence, Outcome, Question, Silent, Support, Target, Verdict,
};
use hardbop_testkit::{Knobs, Oracle, Tabulation, TabulationEngine, generate};

fn machine(seed: u64, knobs: &Knobs) -> Machine {
    let text = generate(seed, knobs);
    from_text("generated.bp", &text).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"))
}

/// Every assertion and the label `TARGET`.
fn question(machine: &Machine) -> Question {
    let mut targets = Target::assertions(machine);
    targets.extend(Target::labels(machine, "TARGET"));
    Question::reach(targets)
}

fn ask(engine: &dyn Engine, machine: &Machine) -> Outcome {
    engine.check(
        machine,
        &question(machine),
        &Budget::unlimited(),
        &mut Silent,
    )
}

#[test]
fn on_sequential_programs() {
    let (mut compared, mut certified) = (0, 0);
    let presets = [Knobs::tiny(), Knobs::recursive(), Knobs::integers()];
    for seed in 0..150 {
        let machine = machine(seed, &presets[seed as usize % presets.len()]);
        let Ok(tabulation) = Tabulation::new(&machine, 20_000) else {
            continue;
        };
        let slow = Oracle {
            max_configurations: 3000,
            with_certificate: true,
            ..Oracle::default()
        };
        let slow = ask(&slow, &machine);
        let tabled = ask(&TabulationEngine, &machine);
        for (flat, shortest) in slow.answers.iter().zip(&tabled.answers) {
            match (&flat.verdict, &shortest.verdict) {
                (
                    Verdict::Yes(Support::Evidence(Evidence::Run(flat))),
                    Verdict::Yes(Support::Evidence(Evidence::Run(trace))),
                ) => {
                    let flat = replay(&machine, &fold(&machine, flat).unwrap()).unwrap();
                    let replayed = replay(&machine, trace).unwrap();
                    let distance = tabulation.distance(trace.target.as_ref().unwrap().node);
                    assert_eq!(Some(replayed.hierarchical_steps), distance);
                    assert!(replayed.hierarchical_steps <= flat.hierarchical_steps);
                    assert!(flat.flat_steps <= replayed.flat_steps);
                    compared += 1;
                }
                (Verdict::Unknown(_), Verdict::Yes(Support::Evidence(Evidence::Run(trace)))) => {
                    replay(&machine, trace).unwrap();
                }
                (Verdict::No(_), Verdict::No(_)) => compared += 1,
                (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => {}
                (slow, tabled) => panic!("seed {seed}: {slow:?} but {tabled:?}"),
            }
        }
        if !slow.certificates.is_empty() {
            assert_eq!(slow.certificates, tabled.certificates, "seed {seed}");
            certified += 1;
        }
    }
    assert!(compared > 100 && certified > 20, "{compared} {certified}");
}

#[test]
fn on_concurrent_programs_every_trace_replays_folded_and_expanded() {
    let knobs = Knobs::concurrent();
    let mut reached = 0;
    for seed in 0..100 {
        let machine = machine(seed, &knobs);
        let bounds = Oracle {
            max_configurations: 2000,
            ..Oracle::default()
        };
        let answers = ask(&bounds, &machine).answers.into_iter();
        let found = answers.filter_map(|answer| match answer.verdict {
            Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => Some(trace),
            _ => None,
        });
        let random = simulate(&machine, &mut RandomChooser::new(seed), 100, None).trace;
        for trace in found.chain([random]) {
            reached += u32::from(trace.target.is_some());
            let flat = replay(&machine, &trace).unwrap();
            let folded = fold(&machine, &trace).unwrap();
            let again = replay(&machine, &folded).unwrap();
            assert_eq!((flat.last, flat.flat_steps), (again.last, again.flat_steps));
            let expanded = Walk::expanded(&machine, &folded).unwrap();
            assert!(expanded.eq(Walk::new(&machine, &trace).unwrap()));
        }
    }
    assert!(reached > 20, "{reached}");
}
