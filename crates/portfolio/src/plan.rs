//! Which engines take part, for each kind of question and program, and in which order.
//!
//! No engine is good at everything: summaries suffer from arithmetic, SAT from deep loops, states
//! one by one from many free variables. The plan names the few that between them answer
//! what any engine answers; they share the time, so that the answer comes after a small multiple of
//! what the best of them takes alone. The order decides only who begins.
//!
//! A plan says which engines take part. The passes in front of each are those of its
//! [`pipeline`](crate::pipeline) that the question allows. Engines are chosen for the machine that
//! the first of these passes make: a safety property has become a question about places there.
//!
//! The calculus engine is not in any plan: it is there for those who write algorithms, and what it
//! answers the summary engine answers sooner. Neither are the obvious searches.

use crate::engines::EngineName;
use crate::turns::Contestant;
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, Procedure};
use hardbop_outcome::{Bound, Prepared, Question, WantedRun};
use std::sync::Mutex;

/// Variables of at least this width are words, on which arithmetic is done.
const WORD: u32 = 8;

/// A program with at least this many nodes is long.
const LONG: usize = 2_000;
/// A procedure that sees at most this many bits is narrow.
const NARROW: u32 = 8;

/// An engine, and how long its turns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The engine.
    pub name: EngineName,
    /// Looks at the interrupt in a turn.
    looks: u64,
    /// Looks in the first turn of all.
    first_looks: u64,
    /// Whether it is asked about the property itself, and not about places of a product.
    pub takes_property: bool,
}

/// The first turn of all is this many times longer: a small program is answered before another
/// engine begins.
const FIRST_TURN: u64 = 4;

impl Planned {
    /// The engine as it is, with turns that were measured to take four to six milliseconds: engines
    /// look more or less often.
    pub fn plain(name: EngineName) -> Self {
        let looks = match name {
            EngineName::Concurrent => 16,
            EngineName::Calculus | EngineName::Sequentialized => 2,
            EngineName::Interleaving => 5,
            _ => 4,
        };
        Self {
            name,
            looks,
            first_looks: FIRST_TURN * looks,
            takes_property: false,
        }
    }

    /// The engine with turns of another length.
    fn for_looks(self, looks: u64) -> Self {
        Self { looks, ..self }
    }

    /// The engine with a longer turn if it begins.
    fn first_for_looks(self, first_looks: u64) -> Self {
        Self {
            first_looks,
            ..self
        }
    }

    /// The engine, asked about the property as it is.
    pub(crate) fn about_the_property(name: EngineName) -> Self {
        Self {
            takes_property: true,
            ..Self::plain(name)
        }
    }

    /// Its search with turns of the planned length.
    pub(crate) fn contestant<'s>(self, name: &'static str, search: Prepared<'s>) -> Contestant<'s> {
        Contestant {
            name,
            search: Mutex::new(Some(search)),
            looks: self.looks,
            first_looks: self.first_looks,
        }
    }
}

/// The engines for a question, best first, where this many search at a time.
pub fn plan(machine: &Machine, question: &Question, jobs: usize) -> Vec<Planned> {
    use EngineName::{
        Branching, BruteForce, Concurrent, Directed, Explicit, Facts, Interleaving, Predicates,
        Sat, Sequentialized, Stacks, Summary, Unroll,
    };
    let plain = |engines: &[EngineName]| engines.iter().copied().map(Planned::plain).collect();
    let is_sequential = machine.is_sequential();
    if question.as_branching().is_some() {
        return plain(if is_sequential {
            &[Branching]
        } else {
            &[BruteForce]
        });
    }
    if let Some(property) = question.as_property() {
        return match (is_sequential, property.automaton.has_targets()) {
            (true, true) => plain(&[Explicit]),
            // Summaries and SAT are asked about fair loops as places.
            (true, false) if has_words(machine) => vec![
                Planned::plain(Explicit),
                Planned::plain(Summary),
                Planned::plain(Sat),
                Planned::plain(Predicates).for_looks(3),
            ],
            (true, false) => plain(&[Explicit, Summary, Sat]),
            (false, _) => plain(&[Interleaving, BruteForce]),
        };
    }
    match question.bound {
        Some(Bound::Steps(_)) => plain(&[Sat]),
        Some(Bound::ContextSwitches(_)) => plain(&[Concurrent]),
        Some(Bound::Rounds(_)) => plain(&[Concurrent, Sequentialized]),
        // Without recursion interleavings are exact, and look for proofs by stacks themselves.
        None if !is_sequential && Cast::new(machine, 0).is_ok() => {
            plain(&[Interleaving, Concurrent])
        }
        None if !is_sequential => plain(&[Stacks, Concurrent]),
        None if question.wanted == WantedRun::Shortest => plain(&[Summary, Explicit]),
        // Predicates answer soon, or after many rounds, or not at all: their turns are shorter.
        None if has_words(machine) => vec![
            Planned::plain(Explicit),
            Planned::plain(Facts),
            Planned::plain(Unroll),
            Planned::plain(Directed),
            Planned::plain(Sat),
            Planned::plain(Summary),
            Planned::plain(Predicates).for_looks(3),
        ],
        None if is_long_and_narrow(machine) => vec![
            // A look is about a thousand states: sixteen for each place.
            Planned::plain(Explicit).first_for_looks(64 + machine.nodes.len() as u64 / 64),
            Planned::plain(Summary),
            Planned::plain(Sat),
        ],
        // With one job summaries and SAT share the time; explicit search answers soon or not at
        // all. With more, summaries have a core of their own, and the others share the rest.
        None => vec![
            Planned::plain(Summary),
            Planned::plain(Explicit).for_looks(if jobs > 1 { 8 } else { 2 }),
            Planned::plain(Sat),
            Planned::plain(Directed),
        ],
    }
}

/// Whether the program is large and each procedure sees few bits. Then states one by one are not
/// many more than places, and a set of them is not worth the tables that it needs. (Small programs
/// are answered at once by anyone, and summaries give the shorter runs.)
fn is_long_and_narrow(machine: &Machine) -> bool {
    let globals: u32 = machine.globals.iter().map(|global| global.ty.width()).sum();
    let width = |procedure: &Procedure| -> u32 {
        let locals = procedure.locals.iter().map(|local| local.ty.width());
        globals + locals.sum::<u32>()
    };
    machine.nodes.len() >= LONG && machine.procedures.iter().all(|p| width(p) <= NARROW)
}

fn has_words(machine: &Machine) -> bool {
    let globals = machine.globals.iter().map(|global| global.ty);
    let locals = machine.procedures.iter().flat_map(|p| p.locals.iter());
    let mut types = globals.chain(locals.map(|local| local.ty));
    types.any(|ty| ty.width() >= WORD)
}
