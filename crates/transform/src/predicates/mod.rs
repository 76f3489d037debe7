//! Predicates in place of words: a machine over the few facts about words that a proof needs.
//!
//! SLAM's and SATABS' loop (Ball, Majumdar, Millstein and Rajamani, PLDI 2001; Clarke, Kroening,
//! Sharygina and Yorav, TACAS 2005), with hardbop's own machine as the Boolean program. A predicate
//! is a formula over the variables of a procedure. [`interface`] says which variables the abstract
//! machine has, [`abstraction`] and [`writing`] write its edges with the weakest preconditions of
//! [`steps`] and the clauses of [`clauses`], [`path`] tries a run, [`refinement`] finds predicates
//! in one that cannot be taken, and [`WithPredicates`] is the loop around an engine.
//!
//! **Sound.** Let `a` map a state of the original to that of the abstract machine in which kept
//! variables have the same values and each predicate is true where its formula holds. Take a step
//! from `s` to `t`. Give each choice of the abstract edge that stands for a formula the value of
//! that formula in `s`, with the choices of the step. The guard holds then: what it keeps of the
//! original's guard has the same value, and every clause follows from guard, arguments and
//! assignments, which is how it was found. What is assigned is `a(t)`, since a predicate holds in
//! `t` where its weakest precondition holds in `s`, and one without an assigned variable has not
//! changed. A call passes `a` of the callee's first state in the same way. A return goes over the
//! step behind the call; the choices of that are read in the caller's state before the call, the
//! globals after it and the results, of which the clauses know in addition that a parameter that the
//! callee never assigns still is the argument, and that a global that it does not modify is the
//! caller's. So every run of the original is one of the abstract machine under `a`, and what that
//! does not reach, the original does not.
//!
//! **Certificates.** The relation at a node, with `a` spelled out (the predicate's formula for its
//! variable, at the same moment), is inductive for the same reason: each condition follows from
//! that of the abstract edge, and at a return from two of them, the step behind the call being
//! composed with it. Variables that are only used between a call and the step behind it, or at the
//! exit, are false elsewhere. To the relations of a procedure that has predicates as results we
//! add that parameters that it never assigns are what they were at the entry: the clauses used it. A
//! predicate that a procedure does not assign has no variable that it or its callees assign, so what
//! the checker takes for granted of the one it may of the other.
//!
//! **Runs** need not be runs of the original: their steps are tried there with values left open.

mod abstraction;
mod back;
mod clauses;
mod formulas;
mod interface;
mod path;
mod refinement;
mod steps;
#[cfg(test)]
mod tests;
mod with_predicates;
mod writing;

pub use with_predicates::WithPredicates;

use crate::correspondence::{Correspondence, decisions};
use crate::hide::window::flatten;
use crate::literals::run_writer::PathStep;
use crate::transform::{NoWayBack, TargetMap, Transform};
use abstraction::Making;
use back::PredicateBits;
use clauses::{Clauses, Stopped};
use formulas::Formulas;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Certificate, Interrupt, Question, Trace};
use interface::{Interface, Predicates};
use path::{Paths, Tried};

/// Variables of at most this many bits are kept as they are.
pub const NARROW: u32 = 7;

/// A run of more steps is not tried.
const STEPS: usize = 20_000;

/// A machine over predicates.
#[derive(Clone, Debug)]
pub struct Abstraction {
    machine: Machine,
    targets: TargetMap,
    interface: Interface,
    bits: PredicateBits,
    back: Correspondence,
}

/// What abstractions of one machine share: predicates, and everything computed so far.
struct Workshop<'m> {
    machine: &'m Machine,
    formulas: Formulas,
    clauses: Clauses,
    predicates: Predicates,
    widest: u32,
}

impl<'m> Workshop<'m> {
    /// No predicates yet; variables of at most so many bits are kept.
    fn new(machine: &'m Machine, widest: u32) -> Self {
        Self {
            machine,
            formulas: Formulas::new(widest),
            clauses: Clauses::new(),
            predicates: Predicates::none(machine),
            widest,
        }
    }

    /// The machine over the predicates of now.
    fn abstraction(
        &mut self,
        question: &Question,
        interrupt: &dyn Interrupt,
    ) -> Result<Abstraction, Stopped> {
        let interface = Interface::new(
            self.machine,
            self.machine.effects(),
            &mut self.formulas,
            &self.predicates,
            self.widest,
        );
        let making = Making {
            machine: self.machine,
            effects: self.machine.effects(),
            formulas: &mut self.formulas,
            clauses: &mut self.clauses,
            predicates: &self.predicates,
            interface: &interface,
            interrupt,
        };
        let (machine, back) = making.machine()?;
        let mut bits = PredicateBits::default();
        let local = self.predicates.local.iter().flatten();
        for &predicate in self.predicates.global.iter().chain(local) {
            let bit = self.formulas.bit_in(&mut bits.graph, predicate);
            bits.roots.insert(predicate, bit);
        }
        let standing = |node: NodeId| back.standing_for(node);
        Ok(Abstraction {
            targets: TargetMap::at_nodes(question, standing),
            machine,
            interface,
            bits,
            back,
        })
    }
}

impl Abstraction {
    /// The steps of a run as steps of the original; nothing if there are too many.
    fn path(&self, original: &Machine, trace: &Trace) -> Option<Vec<PathStep>> {
        let decisions = self.back.decisions_back(original, &decisions(trace)?);
        flatten(&decisions, STEPS)
    }
}

impl Transform for Abstraction {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        &self.targets
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        let target = self.targets.target_of(trace);
        let nodes: Vec<NodeId> = target.iter().map(|target| target.node).collect();
        let path = self.path(original, trace).ok_or(NoWayBack::TooLong)?;
        match Paths::new(original, &nodes).try_path(&path, &|| false) {
            Tried::Taken(run) => {
                let trace = run.trace(original, target);
                trace.ok_or(NoWayBack::TooLong)
            }
            Tried::Impossible(_) | Tried::Interrupted => {
                Err(NoWayBack::Spurious("words rule it out".to_owned()))
            }
        }
    }

    fn certificate_back(
        &self,
        original: &Machine,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack> {
        let back = back::certificate(
            original,
            &self.interface,
            &self.bits,
            &self.back,
            certificate,
        )?;
        let targets = self.targets.original.targets().iter();
        let is_excluded = |node: NodeId| back.targets.iter().any(|target| target.node == node);
        let targets = targets.filter(|target| is_excluded(target.node));
        Ok(Certificate {
            targets: targets.cloned().collect(),
            ..back
        })
    }
}
