//! The part of a machine that can have to do with a question ([`hardbop_machine::analysis::Slice`]), as a machine.
//!
//! Edges that no run to a target takes are left out, and variables that cannot influence which edges are taken are hidden. Nodes keep
//! their ids; some have no edges any more.
//!
//! **Sound.** The analysis argues that every run to a target uses kept edges only and that hidden variables do not matter, so verdicts
//! stay, and every run is one of the original. A forward certificate goes back with *true* at the nodes that were left out. What leads
//! out of a node that was left out leads to others of the kind, with one exception: a call of a procedure of which something was kept,
//! from a place that no longer matters. So the entries of such procedures count as targets too: then all calls of them are kept. A backward certificate
//! does not go back: a procedure that was left out may be one that a kept call demands an exit of.

use crate::correspondence::Correspondence;
use crate::draft::Draft;
use crate::hide::{Hidden, Visible, hide};
use crate::transform::{TargetMap, NoWayBack, Transform};
use hardbop_machine::analysis::{CallGraph, Slice};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::certificate::{Certificate, Direction, Formula, NodeRelation};
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

/// The slice for a question in which all calls of a procedure are kept if something of the procedure is.
fn closed_slice(machine: &Machine, question: &Question) -> Slice {
    let calls = CallGraph::new(machine);
    let mut targets: Vec<NodeId> = question.targets().iter().map(|target| target.node).collect();
    loop {
        let slice = Slice::new(machine, &calls, &targets);
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

impl Transform for Sliced {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        self.hidden.targets()
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        self.back.run_back(original, trace, trace.target.clone())
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
