//! Holds engines to their word: runs are replayed, certificates checked, against the machine that
//! came from the text.

use crate::fault::Fault;
use hardbop_automata::{Ctl, Property, Shows};
use hardbop_branching::{StrategyError, check_strategy};
use hardbop_checker::Rejected;
use hardbop_interpreter::{
    Configuration, LassoError, has_ended, letter_of_state, letter_of_threads, observe_lasso,
    observe_thread_lasso, observe_thread_trace, observe_trace, replay,
};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Answer, Asked, Certificate, Evidence, Interrupt, Limit, NeverInterrupted, Outcome, Question,
    Support, Target, Trace, Verdict,
};
use hardbop_transform::product::{Product, product};
use std::collections::HashSet;

/// A property is evaluated on runs of up to this many states; longer ones are only replayed.
const MAX_OBSERVED: usize = 1_000_000;

/// Whether answers are validated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// Every run is replayed, every certificate checked.
    #[default]
    Full,
    /// The engine is believed.
    None,
}

/// What is known of a run that was given as evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is what was looked for.
    Confirmed,
    /// It is a run, but has too many states to evaluate the property on each.
    TooLong,
    /// It is a strategy that was not checked to its end.
    Unchecked(Limit),
}

/// Validates everything that an engine has answered. A proof that could not be checked within the
/// limits is left out, and its answers say so.
pub fn validate(
    machine: &Machine,
    question: &Question,
    outcome: &mut Outcome,
    interrupt: &dyn Interrupt,
) -> Result<(), Fault> {
    let engine = outcome.engine.clone();
    let reject = |why: String| Err(Fault::of_engine(&engine, why));
    let answered = outcome.answers.iter().map(|answer| &answer.asked);
    if !answered.eq(question.asked().iter()) {
        return reject("it does not answer what was asked".to_owned());
    }
    for answer in &mut outcome.answers {
        let asked = &answer.asked;
        match &answer.verdict {
            verdict if !verdict.fits_its_support() => {
                return reject(format!("{asked}: what supports it is for another verdict"));
            }
            Verdict::Yes(Support::Evidence(evidence))
            | Verdict::No(Support::Evidence(evidence)) => {
                let judged = match (asked, evidence) {
                    (Asked::Target(target), Evidence::Run(trace)) => {
                        judge_trace(machine, target, trace)
                    }
                    _ => judge_within(machine, question, asked, evidence, interrupt),
                };
                match judged {
                    Ok(Judgement::Confirmed | Judgement::TooLong) => {}
                    Ok(Judgement::Unchecked(why)) => without_strategy(answer, &why),
                    Err(why) => return reject(format!("{asked}: {why}")),
                }
            }
            Verdict::Unknown(Limit::Contradiction { what }) => return reject(what.clone()),
            Verdict::Yes(_) | Verdict::No(_) | Verdict::Unknown(_) => {}
        }
    }
    if let Some(asked) = outcome.lacks_certificate() {
        return reject(format!("its certificates say nothing about {asked}"));
    }
    let product = match certified_product(machine, question, &outcome.certificates) {
        Ok(product) => product,
        Err(why) => return reject(why),
    };
    let judged = product.as_ref().map_or(machine, |product| &product.machine);
    let mut unchecked = Vec::new();
    for (number, certificate) in outcome.certificates.iter().enumerate() {
        match hardbop_checker::validate(judged, certificate, interrupt) {
            Ok(_) => {}
            Err(Rejected::Interrupted(why)) => unchecked.push((number, why)),
            Err(rejected) => return reject(rejected.to_string()),
        }
    }
    for (number, why) in unchecked.into_iter().rev() {
        let certificate = outcome.certificates.remove(number);
        for answer in &mut outcome.answers {
            let is_meant = match answer.target() {
                Some(target) => certificate.targets.contains(target),
                None => certificate.property.is_some() && answer.verdict.is_no(),
            };
            if is_meant {
                answer.verdict = Verdict::uncertified(format!("the proof was not checked: {why}"));
            }
        }
    }
    Ok(())
}

/// The machine that certificates of a property are about: the product of the program with the
/// property's automaton, made here from program and question. `None` if there are no such
/// certificates. An error says which of the product's targets they leave open.
pub fn certified_product(
    machine: &Machine,
    question: &Question,
    certificates: &[Certificate],
) -> Result<Option<Product>, String> {
    let Some(property) = question.as_property() else {
        return Ok(None);
    };
    if certificates.is_empty() {
        return Ok(None);
    }
    let name = property.text.to_string();
    let is_meant = |certificate: &Certificate| certificate.property.as_ref() == Some(&name);
    if !certificates.iter().all(is_meant) {
        return Err(format!("a certificate is not about {name}"));
    }
    let product = product(machine, question).map_err(|why| {
        let what = why.what;
        format!("{name} has no certificates: a product does not support {what}")
    })?;
    let excluded = certificates.iter().flat_map(|one| &one.targets);
    let excluded: HashSet<NodeId> = excluded.map(|target| target.node).collect();
    if product.targets.iter().all(|node| excluded.contains(node)) {
        Ok(Some(product))
    } else {
        Err(format!(
            "the certificates of {name} do not exclude every violation"
        ))
    }
}

/// Leaves a strategy out that was not checked to its end.
fn without_strategy(answer: &mut Answer, why: &Limit) {
    let support = Support::Uncertified(Some(format!("the strategy was not checked: {why}")));
    answer.verdict = if answer.verdict.is_yes() {
        Verdict::Yes(support)
    } else {
        Verdict::No(support)
    };
}

/// Judges what should show the answer to what was asked; an error says why it does not.
pub fn judge_evidence(
    machine: &Machine,
    question: &Question,
    asked: &Asked,
    evidence: &Evidence,
) -> Result<Judgement, String> {
    judge_within(machine, question, asked, evidence, &NeverInterrupted)
}

/// The same within limits.
fn judge_within(
    machine: &Machine,
    question: &Question,
    asked: &Asked,
    evidence: &Evidence,
    interrupt: &dyn Interrupt,
) -> Result<Judgement, String> {
    if let (Asked::Property(_), Some(ctl)) = (asked, question.as_branching()) {
        return judge_branching(machine, ctl, evidence, interrupt);
    }
    match (asked, question.as_property(), evidence) {
        (Asked::Target(target), _, Evidence::Run(trace)) => judge_trace(machine, target, trace),
        (Asked::Target(_), ..) => Err("an infinite run does not lead to a place".to_owned()),
        (Asked::Property(_), Some(property), _) => judge_property(machine, property, evidence),
        (Asked::Property(_), None, _) => Err("no property was asked for".to_owned()),
    }
}

fn judge_trace(machine: &Machine, target: &Target, trace: &Trace) -> Result<Judgement, String> {
    if trace.target.as_ref() != Some(target) {
        return Err("the run leads to another place".to_owned());
    }
    match replay(machine, trace) {
        Ok(_) => Ok(Judgement::Confirmed),
        Err(error) => Err(does_not_replay(&error)),
    }
}

fn does_not_replay(error: &dyn std::fmt::Display) -> String {
    format!("the run does not replay: {error}")
}

/// Judges what should show that a formula of branching time holds or fails: a strategy by its
/// rules, a run by the formula without its quantifiers.
fn judge_branching(
    machine: &Machine,
    ctl: &Ctl,
    evidence: &Evidence,
    interrupt: &dyn Interrupt,
) -> Result<Judgement, String> {
    let judge_run = |shows: Shows, run: &Evidence| {
        let property = ctl
            .telling_runs()
            .filter(|_| ctl.shown_by_run() == Some(shows));
        let property = property.ok_or("no single run shows it")?;
        judge_property(machine, &property, run)
    };
    let Evidence::Strategy(strategy) = evidence else {
        return judge_run(Shows::Violation, evidence);
    };
    match check_strategy(machine, ctl, strategy, interrupt) {
        Ok(()) => {}
        Err(StrategyError::Interrupted(why)) => return Ok(Judgement::Unchecked(why)),
        Err(error) => return Err(error.to_string()),
    }
    match &strategy.run {
        Some(run) => judge_run(Shows::Satisfaction, &Evidence::Lasso((**run).clone())),
        None => Ok(Judgement::Confirmed),
    }
}

/// Judges a run that should be one that a property describes.
fn judge_property(
    machine: &Machine,
    property: &Property,
    evidence: &Evidence,
) -> Result<Judgement, String> {
    let is_sequential = machine.is_sequential();
    let propositions = &property.automaton.propositions;
    let letter = |now: &Configuration, terminated| {
        if is_sequential {
            letter_of_state(machine, propositions, now, terminated)
        } else {
            letter_of_threads(machine, propositions, now)
        }
    };
    let is_it = match evidence {
        Evidence::Lasso(lasso) => match observe_lasso(machine, lasso, MAX_OBSERVED, letter) {
            Ok(word) => property.describes(&word.stem, &word.cycle),
            Err(LassoError::TooLong { .. }) => return Ok(Judgement::TooLong),
            Err(error) => return Err(does_not_replay(&error)),
        },
        Evidence::ThreadLasso(_)
            if is_sequential && propositions.may_see_main_after_its_end(machine) =>
        {
            return Err("the run is one of threads, which do not see `main` at its end".to_owned());
        }
        Evidence::ThreadLasso(lasso) => {
            let letter = |now: &Configuration| letter_of_threads(machine, propositions, now);
            let word = observe_thread_lasso(machine, lasso, letter);
            let word = word.map_err(|error| does_not_replay(&error))?;
            property.describes(&word.stem, &word.cycle)
        }
        Evidence::Strategy(_) => return Err("a strategy is not a run".to_owned()),
        Evidence::Run(trace) => {
            let replayed = replay(machine, trace).map_err(|error| does_not_replay(&error))?;
            let letters = if is_sequential {
                observe_trace(machine, trace, MAX_OBSERVED, letter)
            } else {
                observe_thread_trace(machine, trace, MAX_OBSERVED, |now| letter(now, false))
            };
            match letters {
                Ok(mut letters) => {
                    // A run that has ended stays where it is, for as long as the automaton can
                    // make use of it.
                    if has_ended(machine, &replayed.last) {
                        let last = letters.last().copied().into_iter();
                        letters.extend(last.cycle().take(property.automaton.states.len()));
                    }
                    property.automaton.enters_target(&letters).is_some()
                }
                Err(LassoError::TooLong { .. }) => return Ok(Judgement::TooLong),
                Err(error) => return Err(does_not_replay(&error)),
            }
        }
    };
    if is_it {
        Ok(Judgement::Confirmed)
    } else if property.text.asks_for_run() {
        Err("the run is not what was asked for".to_owned())
    } else {
        Err("the run does not violate the property".to_owned())
    }
}
