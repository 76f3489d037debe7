//! The procedures of the threads as text: a label per node, a label per edge, gotos between them.
//!
//! `N5` is node 5 of the machine and `E7` its edge 7. The choices of an edge are made at its label,
//! into locals, so that a run of the sequential program shows them. A thread that has stopped
//! leaves all its procedures at once: after every call and every chance to be interrupted it asks
//! `hb_stop`.

use super::expressions::expression;
use super::names::{Names, choice, declared, local, result};
use hardbop_machine::analysis::SwitchPoints;
use hardbop_machine::{Action, EdgeId, ExprId, Machine, NodeId, ProcId, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What the code of every procedure needs.
pub struct Code<'c> {
    /// The machine.
    pub machine: &'c Machine,
    /// What things are called.
    pub names: &'c Names,
    /// Where threads may be interrupted.
    pub points: SwitchPoints,
    /// The variables that are set where a node is reached.
    pub hits: BTreeMap<NodeId, String>,
}

impl Code<'_> {
    /// Writes a procedure.
    pub fn procedure(&self, text: &mut String, id: ProcId) {
        let procedure = self.machine.procedure(id);
        let declaration = |index: usize| {
            let name = local(self.machine, id, hardbop_machine::LocalId::new(index));
            declared(&name, procedure.locals[index].ty)
        };
        let parameters = procedure.parameter_count as usize;
        let head: Vec<String> = (0..parameters).map(declaration).collect();
        let results =
            procedure.locals.len() - procedure.result_count as usize..procedure.locals.len();
        let ty = match procedure.locals[results.clone()]
            .first()
            .map(|first| first.ty)
        {
            None => "void".to_owned(),
            Some(Type::Bool) => format!("bool<{}>", results.len()),
            Some(Type::Int(width)) => format!("int<{width}>"),
        };
        let name = self.names.procedure(id);
        put(
            text,
            format_args!("\n{ty} {name}({}) begin\n", head.join(", ")),
        );
        for index in parameters..procedure.locals.len() {
            put(text, format_args!("  decl {};\n", declaration(index)));
        }
        let calls = procedure.edge_ids().flat_map(|edge| self.results_of(edge));
        let results: BTreeSet<(String, Type)> = calls.collect();
        for (name, ty) in results {
            put(text, format_args!("  decl {};\n", declared(&name, ty)));
        }
        for (index, ty) in self.choices_of(id) {
            put(
                text,
                format_args!("  decl {};\n", declared(&choice(index, ty), ty)),
            );
        }
        put(text, format_args!("  goto N{};\n", procedure.entry.0));
        for node in procedure.node_ids() {
            self.node(text, node);
        }
        text.push_str("end\n");
    }

    /// The choices that the edges of a procedure have, by place and type.
    fn choices_of(&self, id: ProcId) -> BTreeSet<(usize, Type)> {
        let edges = self.machine.procedure(id).edge_ids();
        let choices = edges.flat_map(|edge| self.machine.edge(edge).inputs.iter().enumerate());
        choices.map(|(index, &ty)| (index, ty)).collect()
    }

    /// The locals that first take the results of a call.
    fn results_of(&self, edge: EdgeId) -> impl Iterator<Item = (String, Type)> + '_ {
        let callee = match self.machine.edge(edge).action {
            Action::Call { callee, .. } => Some(self.machine.procedure(callee)),
            _ => None,
        };
        let results = callee.into_iter().flat_map(|callee| {
            let results = callee.results();
            results.map(|id| callee.locals[id.index()].ty)
        });
        results
            .enumerate()
            .map(|(index, ty)| (result(index, ty), ty))
    }

    fn node(&self, text: &mut String, id: NodeId) {
        let procedure_id = self.machine.procedure_of(id);
        let procedure = self.machine.procedure(procedure_id);
        let exit = procedure.exit;
        put(text, format_args!("  N{}: skip;\n", id.0));
        if let Some(hit) = self.hits.get(&id) {
            put(
                text,
                format_args!(
                    "  goto H{0}, P{0};\n  H{0}: {hit}, hb_stop := 1, 1;\n",
                    id.0
                ),
            );
            self.leave(text, procedure_id);
            put(text, format_args!("  P{}: skip;\n", id.0));
        }
        if self.points.contains(id) {
            text.push_str("  hb_switch();\n  if (hb_stop) then\n");
            self.leave(text, procedure_id);
            text.push_str("  fi\n");
        }
        if id == exit {
            return self.leave(text, procedure_id);
        }
        let edges: Vec<String> = self
            .machine
            .edges_from(id)
            .map(|edge| format!("E{}", edge.0))
            .collect();
        if edges.is_empty() {
            // No thread gets any further from here.
            text.push_str("  hb_stop := 1;\n");
            return self.leave(text, procedure_id);
        }
        put(text, format_args!("  goto {};\n", edges.join(", ")));
        for edge in self.machine.edges_from(id) {
            self.edge(text, edge);
        }
    }

    /// Returns with whatever the results are.
    fn leave(&self, text: &mut String, id: ProcId) {
        let results = self.machine.procedure(id).results();
        let results = results.map(|result| local(self.machine, id, result));
        let results: Vec<String> = results.collect();
        put(text, format_args!("  return {};\n", results.join(", ")));
    }

    fn edge(&self, text: &mut String, id: EdgeId) {
        let edge = self.machine.edge(id);
        let procedure = self.machine.procedure_of(edge.from);
        let choices = edge.inputs.iter().enumerate();
        let choices: Vec<String> = choices.map(|(index, &ty)| choice(index, ty)).collect();
        if choices.is_empty() {
            put(text, format_args!("  E{}: skip;\n", id.0));
        } else {
            let any = vec!["*"; choices.len()].join(", ");
            put(
                text,
                format_args!("  E{}: {} := {any};\n", id.0, choices.join(", ")),
            );
        }
        if let Some(guard) = edge.guard {
            let guard = expression(self.machine, self.names, procedure, guard);
            put(text, format_args!("  assume({guard});\n"));
        }
        let list = |values: &[ExprId]| {
            let values = values.iter();
            let values =
                values.map(|&value| expression(self.machine, self.names, procedure, value));
            values.collect::<Vec<_>>().join(", ")
        };
        let names = |variables: Vec<String>| variables.join(", ");
        let variable = |variable| self.names.variable(self.machine, procedure, variable);
        match &edge.action {
            Action::Assign {
                assignments,
                constrain,
            } => {
                let targets = assignments.iter().map(|&(target, _)| variable(target));
                let targets = names(targets.collect());
                let values: Vec<ExprId> = assignments.iter().map(|&(_, value)| value).collect();
                let values = list(&values);
                let constrain = constrain.map_or(String::new(), |constrain| {
                    let condition = expression(self.machine, self.names, procedure, constrain);
                    format!(" constrain {condition}")
                });
                if assignments.is_empty() {
                    // A condition needs an assignment to stand with; this one changes nothing.
                    put(text, format_args!("  hb_stop := hb_stop{constrain};\n"));
                } else {
                    put(text, format_args!("  {targets} := {values}{constrain};\n"));
                }
            }
            Action::Call {
                callee,
                arguments,
                targets,
            } => {
                let arguments = list(arguments);
                let callee = self.names.procedure(*callee);
                let results: Vec<String> = self.results_of(id).map(|(name, _)| name).collect();
                if results.is_empty() {
                    put(text, format_args!("  {callee}({arguments});\n"));
                } else {
                    let results = results.join(", ");
                    put(
                        text,
                        format_args!("  {results} := {callee}({arguments});\n"),
                    );
                }
                // What a thread that has stopped returns must not get anywhere.
                text.push_str("  if (hb_stop) then\n");
                self.leave(text, procedure);
                text.push_str("  fi\n");
                let assigned = targets.iter().zip(&results);
                let assigned = assigned.filter_map(|(target, result)| Some(((*target)?, result)));
                let (targets, values): (Vec<String>, Vec<&str>) = assigned
                    .map(|(target, result)| (variable(target), result.as_str()))
                    .unzip();
                if !targets.is_empty() {
                    let (targets, values) = (targets.join(", "), values.join(", "));
                    put(text, format_args!("  {targets} := {values};\n"));
                }
            }
            Action::Return(values) => {
                let results = self.machine.procedure(procedure).results();
                let results = results.map(|id| local(self.machine, procedure, id));
                let results = names(results.collect());
                if !results.is_empty() {
                    put(text, format_args!("  {results} := {};\n", list(values)));
                }
            }
            Action::EndThread => {
                text.push_str("  hb_stop, hb_ended := 1, 1;\n");
                return self.leave(text, procedure);
            }
            // Threads are fixed and there are no atomic blocks in what is made sequential.
            Action::Skip
            | Action::Print(_)
            | Action::StartThread(_)
            | Action::AtomicBegin
            | Action::AtomicEnd => {}
        }
        put(text, format_args!("  goto N{};\n", edge.to.0));
    }
}

/// Writing to a string cannot fail.
pub fn put(text: &mut String, piece: std::fmt::Arguments<'_>) {
    text.write_fmt(piece)
        .expect("a string takes whatever is written");
}
