//! Which engines take part, for each kind of question and program, and in which order.
//!
//! No engine is good at everything: summaries suffer from arithmetic, SAT from deep loops, states
//! one by one from many free variables. The plan names the few that between them answer
//! what any engine answers; they share the time equally, so that the answer comes after a small
//! multiple of what the best of them takes alone. The order decides only who begins.
//!
//! The calculus engine is not in any plan: it is there for those who write algorithms, and what it
//! answers the summary engine answers sooner. Neither are the obvious searches.

use crate::engines::EngineName;
use crate::options::Options;
use hardbop_machine::Machine;
use hardbop_outcome::{Bound, Engine, Question, WantedRun};
use hardbop_transform::Through;

/// Variables of at least this width are words, on which arithmetic is done.
const WORD: u32 = 8;

/// An engine, and what it is asked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    /// As it is.
    Plain(EngineName),
    /// Asked about the product with a safety property.
    Monitored(EngineName),
}

impl Planned {
    /// The engine.
    pub fn name(self) -> EngineName {
        match self {
            Self::Plain(name) | Self::Monitored(name) => name,
        }
    }

    /// The engine, set up as the options say, with what it is asked through.
    pub fn engine(self, options: &Options) -> Box<dyn Engine> {
        let engine = self.name().engine(options);
        match self {
            Self::Plain(_) => engine,
            Self::Monitored(name) => Box::new(Through::monitored(name.as_str(), engine)),
        }
    }
}

/// The engines for a question, best first.
pub fn plan(machine: &Machine, question: &Question) -> Vec<Planned> {
    use EngineName::{
        BruteForce, Concurrent, Explicit, Interleaving, Sat, Sequentialized, Summary,
    };
    use Planned::{Monitored, Plain};
    let is_sequential = machine.is_sequential();
    if let Some(property) = question.as_property() {
        return match (is_sequential, property.automaton.has_targets()) {
            (true, true) => vec![Plain(Explicit), Monitored(Summary)],
            (true, false) => vec![Plain(Explicit)],
            (false, _) => vec![Plain(Interleaving), Plain(BruteForce)],
        };
    }
    match question.bound {
        Some(Bound::Steps(_)) => vec![Plain(Sat)],
        Some(Bound::ContextSwitches(_)) => vec![Plain(Concurrent)],
        Some(Bound::Rounds(_)) => vec![Plain(Concurrent), Plain(Sequentialized)],
        None if !is_sequential => vec![Plain(Interleaving), Plain(Concurrent)],
        None if question.wanted == WantedRun::Shortest => vec![Plain(Summary), Plain(Explicit)],
        None if has_words(machine) => vec![Plain(Explicit), Plain(Sat), Plain(Summary)],
        None => vec![Plain(Summary), Plain(Sat), Plain(Explicit)],
    }
}

fn has_words(machine: &Machine) -> bool {
    let globals = machine.globals.iter().map(|global| global.ty);
    let locals = machine.procedures.iter().flat_map(|p| &p.locals);
    let mut types = globals.chain(locals.map(|local| local.ty));
    types.any(|ty| ty.width() >= WORD)
}
