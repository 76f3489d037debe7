//! Liveness to safety: a fair loop as a place that can be reached, so that every engine for places
//! decides properties of infinite runs.
//!
//! On the [product](crate::product) of program and automaton, the new machine may save one head:
//! point, state of the automaton, and the [`Compared`] variables. The frame with the saved head never
//! returns (its nodes are copies without a way to the exit), so what lies below it is never seen
//! again. A place is reached where the head is met again, in that frame or at the entry of a
//! recursive procedure above it, and an accepting state was passed in between (Biere, Artho and
//! Schuppan 2002, for the heads of Bouajjani, Esparza and Maler 1997; the precision is nearest to
//! Daniel et al., CAV 2016).
//!
//! **Sound for proofs, whatever is compared.** Take an accepted infinite run. If from some time on
//! the lowest level of the stack that it keeps coming back to stays the same, it passes points of
//! that frame without end, since [`points`] cut all cycles of a procedure. Otherwise infinitely many
//! frames are entered and never left, and some recursive procedure is entered infinitely often among
//! them. Either way some point comes infinitely often in frames that are never left. Compared variables
//! and states are finite, so infinitely many of these heads are equal, and two of them have an
//! accepting state in between: the machine can save the first and meet the second. The state of the
//! automaton is one that lies on a cycle with an accepting one, as all are that come infinitely
//! often; so no other heads are saved, and where such states are all accepting no flag is needed.
//!
//! **Sound with measures.** Of some words it is demanded only that they are not smaller (or not larger)
//! in the second head. Suppose that of infinitely many heads that are equal otherwise, with
//! something accepting between any two, no pair matched. Then each pair has a measure that falls, and
//! by Ramsey's theorem infinitely many heads have one measure that falls from each to the next,
//! which no word does (Podelski and Rybalchenko, LICS 2004). So any finite list of measures will do.
//!
//! **Exact if all live variables are compared**: what happens between two equal heads can be
//! repeated forever. With fewer, a hit may be spurious: [`WithLiveness`] tries it on the program
//! and compares more.

mod building;
mod compared;
mod engine;
mod hit;
mod points;

use crate::correspondence::Correspondence;
use crate::product::Product;
use building::{Built, build};
pub use compared::Compared;
pub use engine::WithLiveness;
use hardbop_automata::Automaton;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Question, Target, TargetKind};

/// A machine on which places are reached where heads are met again.
pub struct FairLoops {
    machine: Machine,
    targets: Vec<Target>,
    back: Correspondence,
    saves: Vec<bool>,
}

impl FairLoops {
    /// The machine for a product with an automaton.
    pub fn new(product: &Product, automaton: &Automaton, compared: &Compared) -> Self {
        let Built {
            machine,
            back,
            hits,
            saves,
        } = build(&product.machine, product.state, automaton, compared);
        let target = |&node: &NodeId| Target::new(&machine, node, TargetKind::Line);
        Self {
            targets: hits.iter().map(target).collect(),
            machine,
            back,
            saves,
        }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The places where a head has been met again, one per procedure: none of them can be reached
    /// if no run is accepted.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Whether one of them can be reached.
    pub fn question(&self, question: &Question) -> Question {
        question.about(self.targets.clone())
    }
}
