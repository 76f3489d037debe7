//! Certificates of the abstract machine, said of the original: every predicate is spelled out.

use super::interface::{Interface, Meaning};
use crate::correspondence::{Correspondence, operands_of};
use crate::transform::NoWayBack;
use hardbop_machine::bits::{BitGraph, BitId, BitNode};
use hardbop_machine::{ExprId, LocalId, Machine, ProcId, Variable};
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The bits of predicates.
#[derive(Clone, Debug, Default)]
pub(super) struct PredicateBits {
    pub graph: BitGraph,
    pub roots: BTreeMap<ExprId, BitId>,
}

/// The moments of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Moment {
    Entry,
    Now,
}

/// Where a formula is read: the meaning of locals depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    procedure: ProcId,
    is_exit: bool,
    is_entry: bool,
}

/// The certificate of the original.
pub(super) fn certificate(
    original: &Machine,
    interface: &Interface,
    bits: &PredicateBits,
    back: &Correspondence,
    certificate: Certificate,
) -> Result<Certificate, NoWayBack> {
    if certificate.direction != Direction::Forward {
        return Err(NoWayBack::NotCertified(
            "predicates are spelled out in forward certificates only",
        ));
    }
    let mut writer = Writer {
        interface,
        bits,
        old: &certificate.formulas,
        new: Vec::new(),
        known: HashMap::new(),
        leaves: HashMap::new(),
        spelled: HashMap::new(),
    };
    let mut nodes = Vec::new();
    for relation in &certificate.nodes {
        let Some(node) = back.nodes[relation.node.index()] else {
            continue;
        };
        let id = original.procedure_of(node);
        let procedure = original.procedure(id);
        let place = Place {
            procedure: id,
            is_exit: node == procedure.exit,
            is_entry: node == procedure.entry,
        };
        let mut new = writer.written(place, relation.relation);
        let fixed = writer.fixed(original, id);
        if !fixed.is_empty() {
            let mut all = fixed;
            all.push(new);
            new = writer.push(Formula::And(all));
        }
        nodes.push(NodeRelation::new(original, node, new));
    }
    let formulas = writer.new;
    let targets = certificate.targets.into_iter().filter_map(|mut target| {
        target.node = back.nodes[target.node.index()]?;
        Some(target)
    });
    Ok(Certificate::new(
        original,
        Direction::Forward,
        targets.collect(),
        formulas,
        nodes,
    ))
}

struct Writer<'w> {
    interface: &'w Interface,
    bits: &'w PredicateBits,
    old: &'w [Formula],
    new: Vec<Formula>,
    known: HashMap<(Place, u32), u32>,
    leaves: HashMap<(Moment, Bit), u32>,
    spelled: HashMap<(Moment, BitId), u32>,
}

impl Writer<'_> {
    fn push(&mut self, formula: Formula) -> u32 {
        self.new.push(formula);
        self.new.len() as u32 - 1
    }

    fn written(&mut self, place: Place, root: u32) -> u32 {
        let mut needed = BTreeSet::new();
        let mut pending = vec![root];
        while let Some(formula) = pending.pop() {
            if !self.known.contains_key(&(place, formula)) && needed.insert(formula) {
                pending.extend(operands_of(&self.old[formula as usize]));
            }
        }
        for formula in needed {
            let at = |operand: u32| self.known[&(place, operand)];
            let new = match self.old[formula as usize].clone() {
                Formula::Entry(bit) => self.bit(place, Moment::Entry, bit),
                Formula::Now(bit) => self.bit(place, Moment::Now, bit),
                Formula::Not(a) => self.push(Formula::Not(at(a))),
                Formula::And(all) => {
                    let all = all.into_iter().map(at).collect();
                    self.push(Formula::And(all))
                }
                Formula::Or(all) => {
                    let all = all.into_iter().map(at).collect();
                    self.push(Formula::Or(all))
                }
                Formula::Ite(c, a, b) => self.push(Formula::Ite(at(c), at(a), at(b))),
                other => self.push(other),
            };
            self.known.insert((place, formula), new);
        }
        self.known[&(place, root)]
    }

    fn bit(&mut self, place: Place, moment: Moment, bit: Bit) -> u32 {
        match self.interface.meaning(place.procedure, bit.variable) {
            Meaning::Kept(variable) => self.leaf(moment, Bit { variable, ..bit }),
            Meaning::Holds(predicate) => self.predicate(moment, predicate),
            // Where a procedure is entered at its exit, both moments are one.
            Meaning::HoldsAtExit(predicate)
                if place.is_exit && (moment == Moment::Now || place.is_entry) =>
            {
                self.predicate(moment, predicate)
            }
            Meaning::HoldsAtExit(_) | Meaning::Scratch => self.push(Formula::Constant(false)),
        }
    }

    fn leaf(&mut self, moment: Moment, bit: Bit) -> u32 {
        if let Some(&known) = self.leaves.get(&(moment, bit)) {
            return known;
        }
        let new = self.push(match moment {
            Moment::Entry => Formula::Entry(bit),
            Moment::Now => Formula::Now(bit),
        });
        self.leaves.insert((moment, bit), new);
        new
    }

    fn predicate(&mut self, moment: Moment, predicate: ExprId) -> u32 {
        let (bits, root) = (self.bits, self.bits.roots[&predicate]);
        for id in bits.graph.cone([root]) {
            if self.spelled.contains_key(&(moment, id)) {
                continue;
            }
            let at = |operand: BitId| self.spelled[&(moment, operand)];
            let new = match bits.graph.get(id) {
                BitNode::Const(value) => self.push(Formula::Constant(value)),
                BitNode::Var(variable, bit) => {
                    let bit = u32::from(bit);
                    self.leaf(moment, Bit { variable, bit })
                }
                BitNode::Next(..) | BitNode::Input(..) => {
                    unreachable!("a predicate speaks of one state")
                }
                BitNode::Not(a) => self.push(Formula::Not(at(a))),
                BitNode::And(a, b) => self.push(Formula::And(vec![at(a), at(b)])),
                BitNode::Or(a, b) => self.push(Formula::Or(vec![at(a), at(b)])),
                BitNode::Xor(a, b) => {
                    let (a, b) = (at(a), at(b));
                    let not_b = self.push(Formula::Not(b));
                    self.push(Formula::Ite(a, not_b, b))
                }
                BitNode::Ite(c, a, b) => self.push(Formula::Ite(at(c), at(a), at(b))),
            };
            self.spelled.insert((moment, id), new);
        }
        self.spelled[&(moment, root)]
    }

    /// Parameters that a procedure never assigns are what they were, where its results rest on it.
    fn fixed(&mut self, original: &Machine, procedure: ProcId) -> Vec<u32> {
        let exported = &self.interface.frames[procedure.index()].exported;
        if exported.is_empty() {
            return Vec::new();
        }
        let fixed: Vec<LocalId> = self.interface.fixed[procedure.index()]
            .iter()
            .copied()
            .collect();
        let mut same = Vec::new();
        for local in fixed {
            let variable = Variable::Local(local);
            for bit in 0..original.type_of(procedure, variable).width() {
                let bit = Bit { variable, bit };
                let (before, now) = (self.leaf(Moment::Entry, bit), self.leaf(Moment::Now, bit));
                let not_now = self.push(Formula::Not(now));
                same.push(self.push(Formula::Ite(before, now, not_now)));
            }
        }
        same
    }
}
