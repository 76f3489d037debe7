//! Random programs and questions, asked in every way that hardbop knows, until answers differ.
//!
//! A [`Case`] is a program and a number; the number decides the question, the limits and the damage,
//! so that a case can be tried again and made smaller. [`Case::examine`] asks every engine that takes
//! the question, the portfolio, transforms and engines under limits, and holds against each other
//! what they say; it replays runs, validates certificates and damaged ones, writes every report, and
//! exports the program, as C and back too.
//! Whatever should not happen is a [`Complaint`], a panic included.
//!
//! A [`CCase`] is a C program that is compared with its compiled form.

mod c_programs;
mod checks;
pub mod damage;
mod exports;
mod questions;
mod tally;

pub use c_programs::{Agreement, CCase};
pub use tally::Tally;

use checks::Examination;
use hardbop_families::generator::{Knobs, generate};
use hardbop_families::random::Random;
use hardbop_outcome::Interrupt;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A program and what is to be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The program.
    pub text: String,
    /// Decides everything else.
    pub seed: u64,
}

/// What should not have happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Which demand is broken.
    pub demand: &'static str,
    /// What was seen.
    pub what: String,
}

impl Complaint {
    fn new(demand: &'static str, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { demand, what }
    }

    fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Self::new("nothing panics", text.unwrap_or("a panic"))
    }
}

impl Case {
    /// The case of a seed: a program of a random preset, with some of its knobs turned.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let presets = Knobs::presets();
        let chosen = random.below(presets.len());
        let mut knobs = presets[chosen].1.clone();
        turn(&mut random, &mut knobs);
        Self {
            text: generate(random.next_number(), &knobs),
            seed,
        }
    }

    /// Tries everything. Stops early, with what has been found out by then, when interrupted.
    pub fn examine(&self, interrupt: &dyn Interrupt) -> Result<Tally, Complaint> {
        let all = AssertUnwindSafe(|| Examination::new(self, interrupt)?.run());
        catch_unwind(all).unwrap_or_else(|panic| Err(Complaint::of_panic(&*panic)))
    }

    /// A smaller program with the same complaint.
    #[must_use]
    pub fn shrunk(&self, complaint: &Complaint, interrupt: &dyn Interrupt) -> Self {
        let again = |text: &str| {
            let case = Self {
                text: text.to_owned(),
                seed: self.seed,
            };
            let same = |other: Complaint| other.demand == complaint.demand;
            interrupt.check().is_none() && case.examine(interrupt).is_err_and(same)
        };
        Self {
            text: hardbop_shrink::shrink(&self.text, &mut |text| again(text)),
            seed: self.seed,
        }
    }
}

/// Turns a few knobs a little.
fn turn(random: &mut Random, knobs: &mut Knobs) {
    for knob in [
        &mut knobs.procedures,
        &mut knobs.globals,
        &mut knobs.locals,
        &mut knobs.statements,
        &mut knobs.expression_depth,
    ] {
        match random.below(6) {
            0 => *knob += 1,
            1 => *knob = knob.saturating_sub(1).max(1),
            _ => {}
        }
    }
    for chance in [&mut knobs.recursion, &mut knobs.oddity, &mut knobs.initial] {
        if random.percent(20) {
            *chance = random.below(101) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_outcome::NeverInterrupted;

    #[test]
    fn a_few_cases_have_no_complaint_and_each_demand_is_tried() {
        let mut tally = Tally::default();
        for seed in 0..40 {
            let case = Case::of(seed);
            match case.examine(&NeverInterrupted) {
                Ok(more) => tally.add(&more),
                Err(complaint) => panic!("{seed}: {complaint:?}\n{}", case.text),
            }
        }
        let figures = tally.figures();
        let is_tried = |(what, count): &(&str, u64)| *count > 0 || what.contains("unknown");
        assert!(figures.iter().all(is_tried), "{figures:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_figures() {
        let figures = |seed| {
            Case::of(seed)
                .examine(&NeverInterrupted)
                .map(|t| t.figures())
        };
        assert_eq!(figures(7), figures(7));
    }

    #[test]
    fn a_complaint_is_made_smaller() {
        let case = Case {
            text: "decl a, b;\nvoid main() begin\n  a := b;\n  this is not a program\nend\n"
                .to_owned(),
            seed: 1,
        };
        let complaint = case
            .examine(&NeverInterrupted)
            .expect_err("it cannot be read");
        assert_eq!(complaint.demand, "generated programs are programs");
    }
}
