//! The conditions of forward and backward certificates, in the order and with the numbers of
//! `docs/certificates.md`.

use super::Script;
use super::states::{Context, Moment, Reading, States};
use crate::entry_of;
use crate::names::SourceNames;
use crate::places::{edge_text, node_text};
use hardbop_evidence::Certificate;
use hardbop_evidence::certificate::Direction;
use hardbop_machine::{Action, EdgeId, Machine, NodeId};
use std::collections::BTreeMap;

/// The relations of the nodes that have one: their own, and `to_exit`.
type Relations = BTreeMap<NodeId, (u32, Option<u32>)>;

/// Writes all conditions.
pub(super) fn write(script: &mut Script, machine: &Machine, certificate: &Certificate) {
    let context = Context {
        machine,
        names: SourceNames::new(machine, &[], str::to_owned),
        formulas: &certificate.formulas,
    };
    let relations = certificate.nodes.iter();
    let relations = relations.map(|entry| (entry.node, (entry.relation, entry.to_exit)));
    let mut writer = Writer {
        context: &context,
        relations: relations.collect(),
        script,
    };
    let targets = certificate.targets.iter().map(|target| target.node);
    if certificate.direction == Direction::Forward {
        writer.forward(targets);
    } else {
        writer.backward(targets);
    }
}

struct Writer<'w, 'a> {
    context: &'a Context<'a>,
    relations: Relations,
    script: &'w mut Script,
}

/// One of the two relations that a node has in a backward certificate.
#[derive(Clone, Copy)]
enum Kind {
    Bad,
    ToExit,
}

impl<'a> Writer<'_, 'a> {
    fn relation(&self, node: NodeId) -> Option<u32> {
        self.relations.get(&node).map(|relations| relations.0)
    }

    fn to_exit(&self, node: NodeId) -> Option<u32> {
        self.relations.get(&node).and_then(|relations| relations.1)
    }

    fn states(&self, node: NodeId) -> States<'a> {
        States::new(self.context, self.context.machine.procedure_of(node))
    }

    fn require(&mut self, title: &str, states: &States<'a>, premises: &[String], conclusion: &str) {
        let title = title.replace('\n', " ");
        self.script
            .require(&title, &states.text, premises, conclusion);
    }

    /// The procedure, the line and the text of a node.
    fn at_node(&self, node: NodeId) -> String {
        let machine = self.context.machine;
        let procedure = &machine.procedure(machine.procedure_of(node)).name;
        format!("{procedure}, line {}", node_text(machine, node))
    }

    /// The same of an edge, with its nodes.
    fn at_edge(&self, id: EdgeId) -> String {
        let machine = self.context.machine;
        let edge = machine.edge(id);
        let procedure = &machine.procedure(machine.procedure_of(edge.from)).name;
        let (from, to) = (edge.from.0, edge.to.0);
        let text = edge_text(machine, edge);
        format!(
            "{procedure}, edge {} from node {from} to {to}, line {text}",
            id.0
        )
    }

    fn forward(&mut self, targets: impl Iterator<Item = NodeId>) {
        let machine = self.context.machine;
        if let Some(node) = entry_of(machine) {
            let mut states = self.states(node);
            states.fix_initial_values();
            let reading = Reading(Moment::Now, Moment::Now);
            let inside = states.relation("start", self.relation(node), reading);
            let title = format!(
                "Initial: every initial state is in the relation at {}",
                self.at_node(node)
            );
            self.require(&title, &states, &[], &inside);
        }
        for node in targets {
            let mut states = self.states(node);
            let reading = Reading(Moment::Now, Moment::Entry);
            let reached = states.relation("target", self.relation(node), reading);
            let title = format!("Target: the relation is empty at {}", self.at_node(node));
            self.require(&title, &states, &[reached], "false");
        }
        for id in machine.edge_ids() {
            let edge = machine.edge(id);
            let start = self.relation(edge.from);
            if start.is_some() && edge.action != Action::EndThread {
                self.forward_edge(id, start);
            }
        }
    }

    fn forward_edge(&mut self, id: EdgeId, start: Option<u32>) {
        let machine = self.context.machine;
        let edge = machine.edge(id);
        let end = self.relation(edge.to);
        let place = self.at_edge(id);
        let mut states = self.states(edge.from);
        let mut premises =
            vec![states.relation("start", start, Reading(Moment::Now, Moment::Entry))];
        premises.extend(states.take(id));
        let Action::Call {
            callee, targets, ..
        } = &edge.action
        else {
            let after = states.relation("end", end, Reading(Moment::Next, Moment::Entry));
            let title = format!("Step: {place}");
            return self.require(&title, &states, &premises, &after);
        };
        let callee = machine.procedure(*callee);
        let mut entered = states.clone();
        let reading = Reading(Moment::CalleeEntry, Moment::CalleeEntry);
        let inside = entered.relation("callee", self.relation(callee.entry), reading);
        let title = format!("Call: {place}: the callee is entered in its relation");
        self.require(&title, &entered, &premises, &inside);
        states.come_back(targets);
        let reading = Reading(Moment::CalleeExit, Moment::CalleeEntry);
        premises.push(states.relation("summary", self.relation(callee.exit), reading));
        let after = states.relation("end", end, Reading(Moment::Returned, Moment::Entry));
        let title =
            format!("Return: {place}: the callee's summary leads into the relation after it");
        self.require(&title, &states, &premises, &after);
    }

    fn backward(&mut self, targets: impl Iterator<Item = NodeId>) {
        let machine = self.context.machine;
        let now = Reading(Moment::Now, Moment::Exit);
        if let Some(node) = entry_of(machine) {
            let mut states = self.states(node);
            states.fix_initial_values();
            let bad = states.relation("start", self.relation(node), now);
            let title = format!("Initial: no initial state is bad at {}", self.at_node(node));
            self.require(&title, &states, &[bad], "false");
        }
        for node in targets {
            let mut states = self.states(node);
            let bad = states.relation("target", self.relation(node), now);
            let title = format!("Target: every state is bad at {}", self.at_node(node));
            self.require(&title, &states, &[], &bad);
        }
        for id in machine.edge_ids() {
            if machine.edge(id).action != Action::EndThread {
                self.backward_edge(id, Kind::Bad);
                self.backward_edge(id, Kind::ToExit);
            }
        }
    }

    fn backward_edge(&mut self, id: EdgeId, kind: Kind) {
        let machine = self.context.machine;
        let edge = machine.edge(id);
        let (claim, what) = match kind {
            Kind::Bad => ([self.relation(edge.from), self.relation(edge.to)], "bad"),
            Kind::ToExit => (
                [self.to_exit(edge.from), self.to_exit(edge.to)],
                "with a demanded exit",
            ),
        };
        let [start, end] = claim;
        let place = self.at_edge(id);
        let mut states = self.states(edge.from);
        let taken = states.take(id);
        let before = Reading(Moment::Now, Moment::Exit);
        let Action::Call {
            callee, targets, ..
        } = &edge.action
        else {
            if end.is_some() {
                let mut premises = taken;
                let after = Reading(Moment::Next, Moment::Exit);
                premises.push(states.relation("end", end, after));
                let start = states.relation("start", start, before);
                let title = format!("Step: {place}: where the end is {what}, so is the start");
                self.require(&title, &states, &premises, &start);
            }
            return;
        };
        let callee = machine.procedure(*callee);
        let through = Reading(Moment::CalleeEntry, Moment::CalleeExit);
        let entry = self.relation(callee.entry);
        if let (Kind::Bad, Some(_)) = (kind, entry) {
            let mut states = states.clone();
            let mut premises = taken.clone();
            premises.push(states.relation("callee", entry, through));
            let start = states.relation("start", start, before);
            let title = format!("Call: {place}: where the callee is entered bad, so is the call");
            self.require(&title, &states, &premises, &start);
        }
        if end.is_none() {
            return;
        }
        states.come_back(targets);
        let mut premises = taken;
        premises.push(states.relation("end", end, Reading(Moment::Returned, Moment::Exit)));
        let mut demanding = states.clone();
        let ends = Reading(Moment::CalleeExit, Moment::CalleeExit);
        let demanded = demanding.relation("demand", self.to_exit(callee.exit), ends);
        let title = format!("Return: {place}: an exit that leads to a state {what} is demanded");
        self.require(&title, &demanding, &premises, &demanded);
        premises.push(states.relation("callee", self.to_exit(callee.entry), through));
        let start = states.relation("start", start, before);
        let title = format!("Return: {place}: a callee that can end so makes the call {what}");
        self.require(&title, &states, &premises, &start);
    }
}
