//! Which engines take part, for each kind of question and program, and in which order.
//!
//! No engine is good at everything: summaries suffer from arithmetic, SAT from deep loops, states
//! one by one from many free variables. The plan names the two or three that between them answer
//! what any engine answers; they share the time equally, so that the answer comes after a small
//! multiple of what the best of them takes alone. The order decides only who begins.
//!
//! The calculus engine is not in any plan: it is there for those who write algorithms, and what it
//! answers the summary engine answers sooner. Neither are the obvious searches.

use crate::engines::EngineName;
use hardbop_machine::Machine;
use hardbop_outcome::{Bound, Question, WantedRun};

/// Variables of at least this width are words, on which arithmetic is done.
const WORD: u32 = 8;

/// The engines for a question, best first.
pub fn plan(machine: &Machine, question: &Question) -> Vec<EngineName> {
    use EngineName::{
        BruteForce, Concurrent, Explicit, Interleaving, Sat, Sequentialized, Summary,
    };
    let is_sequential = machine.is_sequential();
    if question.as_property().is_some() {
        return match is_sequential {
            true => vec![Explicit],
            false => vec![Interleaving, BruteForce],
        };
    }
    match question.bound {
        Some(Bound::Steps(_)) => vec![Sat],
        Some(Bound::ContextSwitches(_)) => vec![Concurrent],
        Some(Bound::Rounds(_)) => vec![Concurrent, Sequentialized],
        None if !is_sequential => vec![Interleaving, Concurrent],
        None if question.wanted == WantedRun::Shortest => vec![Summary, Explicit],
        None if has_words(machine) => vec![Explicit, Sat, Summary],
        None => vec![Summary, Sat, Explicit],
    }
}

fn has_words(machine: &Machine) -> bool {
    let globals = machine.globals.iter().map(|global| global.ty);
    let locals = machine.procedures.iter().flat_map(|p| &p.locals);
    let mut types = globals.chain(locals.map(|local| local.ty));
    types.any(|ty| ty.width() >= WORD)
}
