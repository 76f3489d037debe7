//! Damaged certificates and traces: whatever a judge still accepts is true.
//!
//! Evidence for random programs is written as JSON, damaged in one to three places, read again and
//! judged. What the oracle knows of the program decides whether an accepted claim may be one.
//! `HARDBOP_MUTATIONS=100000 cargo test --release -p hardbop-checker --test mutated_evidence` tries
//! more than the usual number.

use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Budget, Certificate, Engine, NeverInterrupted, Question, Silent, Target, Trace, Verdict,
};
use hardbop_testkit::random::Random;
use hardbop_testkit::{Knobs, Oracle, generate};
use serde_json::Value;
use std::collections::BTreeMap;

const USUAL_MUTATIONS: u64 = 3_000;

/// Of one piece of evidence, before the next program.
const PER_EVIDENCE: u64 = 20;

/// What happened to the damaged evidence of one kind.
#[derive(Debug, Default)]
struct Tally {
    unreadable: u64,
    rejected: u64,
    accepted: u64,
}

/// A random place in a document, and how many there are.
fn place<'v>(random: &mut Random, document: &'v mut Value) -> &'v mut Value {
    let mut here = document;
    loop {
        let children = match here {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        if children == 0 || random.percent(10) {
            return here;
        }
        let chosen = random.below(children);
        here = match here {
            Value::Array(items) => &mut items[chosen],
            Value::Object(members) => members.values_mut().nth(chosen).expect("it is below"),
            _ => unreachable!("it has children"),
        };
    }
}

fn damage(random: &mut Random, document: &mut Value) {
    let other = place(random, &mut document.clone()).clone();
    let nearby = random.below(7) as u64;
    let [percent, first, second] = [100, 1 << 20, 1 << 20].map(|bound| random.below(bound));
    let here = place(random, document);
    match here {
        _ if percent < 10 => *here = other,
        Value::Bool(value) => *value = !*value,
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or_default();
            *here = number.wrapping_add(nearby).wrapping_sub(3).into();
        }
        Value::String(text) => {
            text.pop();
        }
        Value::Array(items) if !items.is_empty() => {
            let [first, second] = [first % items.len(), second % items.len()];
            match percent % 3 {
                0 => items.swap(first, second),
                1 => {
                    items.remove(first);
                }
                _ => items.insert(first, items[second].clone()),
            }
        }
        Value::Object(members) if !members.is_empty() => {
            let key = members.keys().nth(first % members.len()).cloned();
            members.remove(&key.expect("it is below"));
        }
        _ => *here = Value::from(nearby),
    }
}

/// One to three damages.
fn damaged(random: &mut Random, original: &Value) -> Value {
    let mut document = original.clone();
    for _ in 0..=random.below(3) {
        damage(random, &mut document);
    }
    document
}

fn check_certificate(
    machine: &Machine,
    document: Value,
    is_reached: &BTreeMap<NodeId, bool>,
    tally: &mut Tally,
) {
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
    for target in &certificate.targets {
        let is_false = is_reached.get(&target.node) == Some(&true);
        let text = machine.source.text();
        assert!(!is_false, "accepted for {target}: {shown}\n{text}");
    }
}

fn check_trace(
    machine: &Machine,
    document: Value,
    is_reached: &BTreeMap<NodeId, bool>,
    tally: &mut Tally,
) {
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
        let is_false = is_reached.get(&target.node) == Some(&false);
        let text = machine.source.text();
        assert!(!is_false, "a run to {target}: {shown}\n{text}");
    }
}

#[test]
fn no_damage_makes_a_judge_accept_what_is_false() {
    let count = std::env::var("HARDBOP_MUTATIONS").ok();
    let count = count.and_then(|count| count.parse().ok());
    let count = count.unwrap_or(USUAL_MUTATIONS);
    let oracle = Oracle {
        with_certificate: true,
        max_configurations: 2_000,
        ..Oracle::default()
    };
    let mut random = Random::new(17);
    let mut certificates = Tally::default();
    let mut traces = Tally::default();
    let mut done = 0;
    for seed in 0.. {
        let presets = Knobs::presets();
        let (_, knobs) = &presets[seed as usize % presets.len()];
        let text = generate(seed, knobs);
        let machine = hardbop_machine::from_text("random.bp", &text).expect("it is a program");
        let mut targets = Target::assertions(&machine);
        targets.extend(Target::labels(&machine, "TARGET"));
        let question = Question::reach(targets.clone());
        let outcome = oracle.check(&machine, &question, &Budget::unlimited(), &mut Silent);
        let mut is_reached = BTreeMap::new();
        let mut found = Vec::new();
        for (target, answer) in targets.iter().zip(&outcome.answers) {
            match &answer.verdict {
                Verdict::Found(evidence) => {
                    is_reached.insert(target.node, true);
                    found.extend(evidence.run());
                }
                Verdict::Excluded => {
                    is_reached.insert(target.node, false);
                }
                _ => {}
            }
        }
        for certificate in &outcome.certificates {
            // Half of them also claim something false.
            let mut lying = certificate.clone();
            let reached = |target: &&Target| is_reached.get(&target.node) == Some(&true);
            lying.targets.extend(targets.iter().find(reached).cloned());
            let originals = [certificate, &lying].map(serde_json::to_value);
            let originals = originals.map(|json| json.expect("it can be written"));
            for index in 0..PER_EVIDENCE {
                let document = damaged(&mut random, &originals[index as usize % 2]);
                check_certificate(&machine, document, &is_reached, &mut certificates);
                done += 1;
            }
        }
        for trace in found.into_iter().take(2) {
            let original = serde_json::to_value(trace).expect("it can be written");
            for _ in 0..PER_EVIDENCE {
                let document = damaged(&mut random, &original);
                check_trace(&machine, document, &is_reached, &mut traces);
                done += 1;
            }
        }
        if done >= count {
            break;
        }
    }
    // The damage is neither so large that nothing is read nor so small that nothing is rejected.
    for tally in [certificates, traces] {
        let Tally {
            unreadable,
            rejected,
            accepted,
        } = tally;
        let read = rejected + accepted;
        assert!(
            read * 10 > unreadable && rejected * 4 > read && accepted > 0,
            "{tally:?}"
        );
    }
}
