//! A program in the Boolean programs that Moped reads (`moped -b`).
//!
//! What Moped does not have is said in other words: a variable of type `int<n>` is n variables, a
//! choice is a local that gets `schoose[0, 0]`, initial values are assigned by a `main` of its own,
//! and `constrain` becomes an `assume` before the assignment, about the values that will be
//! assigned. An edge whose formulas over bits are too long to write out is refused.
//!
//! Moped asks for one label, so every target has a label of its own.

use crate::expressions::formulas::formula;
use crate::names::{Names, OWN, SourceNames, identifier};
use crate::places::{node_names, node_text, printable};
use crate::{Refused, entry_of, sequential};
use hardbop_evidence::{Target, TargetKind};
use hardbop_machine::bits::{BitEdge, BitId, BitNode, BitView};
use hardbop_machine::ir::Action;
use hardbop_machine::{EdgeId, GlobalId, Machine, NodeId, ProcId, Type, Variable};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Words of Moped's Boolean programs.
const WORDS: &[&str] = &[
    "assert",
    "assume",
    "begin",
    "bool",
    "choose",
    "constrain",
    "dead",
    "decl",
    "do",
    "else",
    "elsif",
    "end",
    "enforce",
    "fi",
    "goto",
    "if",
    "main",
    "od",
    "print",
    "return",
    "schoose",
    "skip",
    "then",
    "void",
    "while",
];

/// A program for Moped. A target can be reached exactly if `moped -b -r FILE LABEL` says so for its
/// label.
#[derive(Clone, Debug)]
pub struct MopedProgram {
    /// The program.
    pub text: String,
    /// The labels of the targets, in their order.
    pub labels: Vec<String>,
}

/// A program for Moped, with labels for some targets.
pub fn moped(machine: &Machine, targets: &[Target]) -> Result<MopedProgram, Refused> {
    sequential(machine, "a program of Moped")?;
    let mut labels = node_names(machine, "_", identifier);
    let taken: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut names = Names::without(&taken);
    let mut asked: BTreeMap<NodeId, String> = BTreeMap::new();
    for target in targets {
        let wanted = match &target.kind {
            TargetKind::Assertion => format!("assertion_{}", target.line),
            TargetKind::Label { label } => identifier(label),
            TargetKind::Line => format!("line_{}", target.line),
            TargetKind::Call { function } => identifier(&format!("call_{function}")),
        };
        let label = asked
            .entry(target.node)
            .or_insert_with(|| names.fresh(&wanted));
        labels[target.node.index()].clone_from(label);
    }
    let mut writer = Writer {
        machine,
        view: BitView::new(machine),
        names: SourceNames::new(machine, WORDS, identifier),
        labels,
        text: String::new(),
    };
    let file = printable(machine.source.name());
    writer.line(&format!("// {file} for Moped: moped -b -r FILE LABEL"));
    for target in targets {
        let (label, target) = (&asked[&target.node], printable(&target.to_string()));
        writer.line(&format!("// {label}: {target}"));
    }
    writer.globals();
    for procedure in machine.procedure_ids() {
        writer.procedure(procedure)?;
    }
    writer.main();
    let asked = targets.iter().map(|target| asked[&target.node].clone());
    Ok(MopedProgram {
        text: writer.text,
        labels: asked.collect(),
    })
}

/// The text so far.
struct Writer<'m> {
    machine: &'m Machine,
    view: BitView<'m>,
    names: SourceNames,
    labels: Vec<String>,
    text: String,
}

/// The name of a bit of something of a type.
fn bit_name(name: &str, ty: Type, bit: u32) -> String {
    match ty.width() {
        1 => name.to_owned(),
        _ => format!("{OWN}{name}_{bit}"),
    }
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        // Writing to a string never fails.
        let _ = writeln!(self.text, "{line}");
    }

    /// The variables that stand for a variable, lowest bit first.
    fn bits(&self, id: ProcId, variable: Variable) -> Vec<String> {
        let ty = self.machine.type_of(id, variable);
        let name = self.names.variable(id, variable);
        (0..ty.width()).map(|bit| bit_name(name, ty, bit)).collect()
    }

    fn bits_of_all(&self, id: ProcId, variables: impl Iterator<Item = Variable>) -> Vec<String> {
        variables.flat_map(|v| self.bits(id, v)).collect()
    }

    fn declare(&mut self, names: &[String]) {
        if !names.is_empty() {
            self.line(&format!("  decl {};", names.join(", ")));
        }
    }

    fn globals(&mut self) {
        let globals = (0..self.machine.globals.len()).map(|i| Variable::Global(GlobalId::new(i)));
        let names = self.bits_of_all(ProcId(0), globals);
        if !names.is_empty() {
            self.line(&format!("decl {};", names.join(", ")));
        }
    }

    /// Fixes the initial values and calls the first procedure.
    fn main(&mut self) {
        let machine = self.machine;
        self.line("\nvoid main()\nbegin");
        let entry = entry_of(machine).map(|node| machine.procedure_of(node));
        let parameters = entry.map_or(0, |id| {
            let parameters = machine.procedure(id).parameters().map(Variable::Local);
            self.bits_of_all(id, parameters).len()
        });
        let arguments: Vec<String> = (1..=parameters)
            .map(|number| format!("{OWN}argument{number}"))
            .collect();
        self.declare(&arguments);
        for (index, global) in machine.globals.iter().enumerate() {
            if let Some(initial) = global.initial {
                let variable = Variable::Global(GlobalId::new(index));
                for (bit, name) in self.bits(ProcId(0), variable).iter().enumerate() {
                    self.line(&format!("  {name} := {};", initial >> bit & 1));
                }
            }
        }
        if let Some(id) = entry {
            let name = self.names.procedure(id);
            self.line(&format!("  {name}({});", arguments.join(", ")));
        }
        self.line("  skip;\nend");
    }

    fn procedure(&mut self, id: ProcId) -> Result<(), Refused> {
        let machine = self.machine;
        let procedure = machine.procedure(id);
        let parameters = self.bits_of_all(id, procedure.parameters().map(Variable::Local));
        let results = self.bits_of_all(id, procedure.results().map(Variable::Local));
        let ty = match results.len() {
            0 => "void".to_owned(),
            1 => "bool".to_owned(),
            count => format!("bool<{count}>"),
        };
        let (name, parameters) = (self.names.procedure(id), parameters.join(", "));
        self.line(&format!("\n{ty} {name}({parameters})\nbegin"));
        let locals = procedure.local_ids().map(Variable::Local);
        let locals = locals.skip(procedure.parameter_count as usize);
        let mut declared = self.bits_of_all(id, locals);
        let edges = procedure.edge_ids().map(|edge| machine.edge(edge));
        let widths = edges.map(|edge| edge.inputs.iter().map(|ty| ty.width()).sum());
        let choices: u32 = widths.max().unwrap_or(0);
        declared.extend((0..choices).map(choice));
        self.declare(&declared);
        let label = &self.labels[procedure.entry.index()];
        self.line(&format!("  goto {label};"));
        for node in procedure.node_ids() {
            self.node(id, node, &results)?;
        }
        self.line("end");
        Ok(())
    }

    fn node(&mut self, id: ProcId, node: NodeId, results: &[String]) -> Result<(), Refused> {
        let machine = self.machine;
        let text = node_text(machine, node);
        self.line(&format!("  // {text}"));
        let label = self.labels[node.index()].clone();
        self.line(&format!("  {label}: skip;"));
        if machine.procedure(id).exit == node {
            let results = results.join(", ");
            self.line(&format!("  return {results};").replace("return ;", "return;"));
            return Ok(());
        }
        let edges: Vec<EdgeId> = machine.edges_from(node).collect();
        let Some((last, others)) = edges.split_last() else {
            self.line("  assume(0);");
            return Ok(());
        };
        for (number, &edge) in others.iter().enumerate() {
            let (yes, no) = (
                format!("{OWN}{label}_{number}"),
                format!("{OWN}{label}_not_{number}"),
            );
            self.line(&format!("  if (*) then goto {yes}; else goto {no}; fi"));
            self.line(&format!("  {yes}: skip;"));
            self.edge(id, edge)?;
            self.line(&format!("  {no}: skip;"));
        }
        self.edge(id, *last)
    }

    fn edge(&mut self, id: ProcId, number: EdgeId) -> Result<(), Refused> {
        let machine = self.machine;
        let edge = machine.edge(number);
        let bits = self.view.edge(number);
        for input in 0..bits.input_bits() {
            self.line(&format!("  {} := schoose[0, 0];", choice(input)));
        }
        let write = |writer: &Self, root| writer.formula(id, number, &bits, root);
        for condition in [bits.guard, bits.constrain] {
            if condition != BitId::TRUE {
                let condition = write(self, condition)?;
                self.line(&format!("  assume({condition});"));
            }
        }
        let mut written = Vec::new();
        let mut values = Vec::new();
        for assignment in &bits.assignments {
            let name = &self.bits(id, assignment.variable)[usize::from(assignment.bit)];
            written.push(name.clone());
            values.push(write(self, assignment.value)?);
        }
        match &edge.action {
            Action::EndThread => self.line("  assume(0);"),
            Action::Call {
                callee, targets, ..
            } => {
                let arguments: Result<Vec<String>, Refused> = bits
                    .arguments
                    .iter()
                    .map(|a| write(self, a.value))
                    .collect();
                let call = format!(
                    "{}({})",
                    self.names.procedure(*callee),
                    arguments?.join(", ")
                );
                let results = machine.procedure(*callee).results();
                let places = results
                    .zip(targets)
                    .flat_map(|(result, target)| match *target {
                        Some(target) => self.bits(id, target),
                        None => {
                            let ty = machine.type_of(*callee, Variable::Local(result));
                            vec!["_".to_owned(); ty.width() as usize]
                        }
                    });
                let places: Vec<String> = places.collect();
                if targets.iter().any(Option::is_some) {
                    self.line(&format!("  {} := {call};", places.join(", ")));
                } else {
                    self.line(&format!("  {call};"));
                }
            }
            _ if written.is_empty() => {}
            _ => self.line(&format!(
                "  {} := {};",
                written.join(", "),
                values.join(", ")
            )),
        }
        let label = &self.labels[edge.to.index()];
        self.line(&format!("  goto {label};"));
        Ok(())
    }

    /// A formula of an edge. What a variable will be after the step is what is assigned to it.
    fn formula(
        &self,
        id: ProcId,
        edge: EdgeId,
        bits: &BitEdge,
        root: BitId,
    ) -> Result<String, Refused> {
        let name = |variable, bit: u8| self.bits(id, variable).swap_remove(usize::from(bit));
        let text = formula(self.view.graph(), root, |leaf| match leaf {
            BitNode::Input(input, bit) => Ok(choice(bits.input_index(input, bit))),
            BitNode::Next(variable, bit) => {
                let mut written = bits.assignments.iter();
                match written.find(|a| a.variable == variable && a.bit == bit) {
                    Some(assignment) => Err(assignment.value),
                    None => Ok(name(variable, bit)),
                }
            }
            BitNode::Var(variable, bit) => Ok(name(variable, bit)),
            _ => unreachable!("only leaves that are not constants are asked for"),
        });
        text.ok_or_else(|| {
            let (file, span) = (self.machine.source.name(), self.machine.edge(edge).span);
            let (line, column) = self.machine.source.line_column(span.start);
            Refused(format!(
                "{file}:{line}:{column}: Moped has no integers, and this step is too long when \
                 written out bit by bit"
            ))
        })
    }
}

/// The local that holds a bit of a choice.
fn choice(number: u32) -> String {
    format!("{OWN}choice{}", number + 1)
}
