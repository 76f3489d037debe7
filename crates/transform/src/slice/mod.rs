//! The part of a machine that can have to do with a question
//! ([`hardbop_machine::analysis::Slice`]), as a machine.
//!
//! Edges that no run to a target takes are left out, and variables that cannot influence which
//! edges are taken are hidden. Nodes keep their ids; some have no edges any more.
//!
//! **Sound.** The analysis argues that every run to a target uses kept edges only and that hidden
//! variables do not matter, so verdicts stay, and every run is one of the original. A forward
//! certificate goes back with *true* at the nodes that were left out. What leads out of a node that
//! was left out leads to others of the kind, with one exception: a call of a procedure of which
//! something was kept, from a place that no longer matters. So the entries of such procedures count
//! as targets too: then all calls of them are kept. A backward certificate does not go back: a
//! procedure that was left out may be one that a kept call demands an exit of.

use crate::correspondence::Correspondence;
use crate::draft::Draft;
use crate::hide::{Hidden, Visible, hide};
use crate::transform::{NoWayBack, TargetMap, Transform};
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Machine, NodeId, Variable};
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};
use hardbop_outcome::{Question, Trace};

/// The part of a machine that matters.
#[derive(Clone, Debug)]
pub struct Sliced {
    machine: Machine,
    hidden: Hidden,
    slice: Slice,
    back: Correspondence,
}

/// Leaves out what has nothing to do with the question.
pub fn slice(machine: &Machine, question: &Question) -> Sliced {
    let slice = closed_slice(machine, question);
    let visible = Visible::such_that(machine, |p, variable| slice.relevant(p, variable));
    let hidden = hide(machine, question, visible);
    let mut draft = Draft::of(hidden.machine());
    for (procedure, declared) in draft.procedures.iter_mut().zip(&machine.procedures) {
        let mut kept = declared.edge_ids().map(|edge| slice.keeps_edge(edge));
        procedure.edges.retain(|_| kept.next() == Some(true));
    }
    let (machine, back, _) = draft.finish();
    Sliced {
        machine,
        hidden,
        slice,
        back,
    }
}

/// The slice for a question in which all calls of a procedure are kept if something of the
/// procedure is.
fn closed_slice(machine: &Machine, question: &Question) -> Slice {
    let mut targets: Vec<NodeId> = question
        .targets()
        .iter()
        .map(|target| target.node)
        .collect();
    loop {
        let slice = Slice::new(machine, &targets);
        let before = targets.len();
        for procedure in &machine.procedures {
            let mut nodes = procedure.node_ids();
            if nodes.any(|node| slice.keeps_node(node)) && !targets.contains(&procedure.entry) {
                targets.push(procedure.entry);
            }
        }
        if targets.len() == before {
            return slice;
        }
    }
}

impl Sliced {
    /// A certificate may use that a procedure keeps the globals that it never assigns. What was
    /// left out may assign some: that what is kept does not, is said by the relations then.
    fn keep_globals(&self, original: &Machine, certificate: &mut Certificate) {
        let (before, after) = (original.effects(), self.machine.effects());
        let formulas = &mut certificate.formulas;
        let mut push = |formula| {
            formulas.push(formula);
            formulas.len() as u32 - 1
        };
        let mut kept: Vec<Vec<u32>> = Vec::new();
        for procedure in original.procedure_ids() {
            let globals = before.modified(procedure);
            let globals = globals.filter(|&id| {
                let is_relevant = self.slice.relevant(procedure, Variable::Global(id));
                is_relevant && !after.modifies(procedure, id)
            });
            let bits = globals.flat_map(|id| {
                let bits = 0..original.global(id).ty.width();
                bits.map(move |bit| Bit {
                    variable: Variable::Global(id),
                    bit,
                })
            });
            let same = bits.map(|bit| {
                let (entry, now) = (push(Formula::Entry(bit)), push(Formula::Now(bit)));
                let other = push(Formula::Not(now));
                push(Formula::Ite(entry, now, other))
            });
            kept.push(same.collect());
        }
        for relation in &mut certificate.nodes {
            let kept = &kept[relation.procedure.index()];
            if !kept.is_empty() {
                let all = std::iter::once(relation.relation).chain(kept.iter().copied());
                relation.relation = push(Formula::And(all.collect()));
            }
        }
    }
}

impl Transform for Sliced {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        self.hidden.targets()
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        self.back
            .run_back(&self.machine, original, trace, trace.target.clone())
    }

    fn certificate_back(
        &self,
        original: &Machine,
        mut certificate: Certificate,
    ) -> Result<Certificate, NoWayBack> {
        if certificate.direction != Direction::Forward {
            return Err(NoWayBack::NotCertified("only a forward one does"));
        }
        let anything = certificate.formulas.len() as u32;
        certificate.formulas.push(Formula::Constant(true));
        self.keep_globals(original, &mut certificate);
        let nodes = &mut certificate.nodes;
        nodes.retain(|relation| self.slice.keeps_node(relation.node));
        for node in original.node_ids() {
            if self.slice.has_way_to(node) && !self.slice.keeps_node(node) {
                nodes.push(NodeRelation::new(original, node, anything));
            }
        }
        self.hidden.certificate_back(original, certificate)
    }
}
