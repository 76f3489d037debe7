//! A program as C99, for bounded model checkers and other checkers of C.
//!
//! Procedures become functions, nodes labels, edges `goto`s. What the program leaves open comes from
//! the functions of the SV-COMP rules, `__VERIFIER_nondet_bool` and so on, which are declared and
//! not defined; where no edge can be taken, the run ends (`exit(0)` in `assume`). A target calls
//! `reach_error`, whose assertion fails.
//!
//! The values are asked for in the order of the run: globals without an initial value and the
//! parameters of the first procedure at the start, locals at each call, then at each step which
//! edge is taken (if there are several and their guards do not say it) and its choices.

use crate::expressions::c::{FUNCTIONS, constant, expression, mask, type_name};
use crate::names::{OWN, SourceNames, identifier};
use crate::places::{edge_text, node_names, node_text, printable};
use crate::{Refused, entry_of, sequential};
use hardbop_evidence::Target;
use hardbop_machine::expr::Leaf;
use hardbop_machine::{
    Action, Edge, EdgeId, Expr, ExprId, Machine, NodeId, ProcId, Type, UnaryOp, Variable,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Words of C, and names of its library that the text uses.
const WORDS: &[&str] = &[
    "abort",
    "assert",
    "assume",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "exit",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "main",
    "reach_error",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "true",
    "typedef",
    "uint32_t",
    "uint64_t",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "NULL",
    "asm",
    "typeof",
];

const HEAD: &str = "\
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

extern bool __VERIFIER_nondet_bool(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);

void reach_error(void) { assert(0 && \"a target is reached\"); }
static void assume(bool condition) { if (!condition) exit(0); }
";

/// A program in C that calls `reach_error` exactly if one of some targets is reached.
pub fn c(machine: &Machine, targets: &[Target]) -> Result<String, Refused> {
    sequential(machine, "C")?;
    let mut writer = Writer {
        machine,
        names: SourceNames::new(machine, WORDS, identifier),
        labels: node_names(machine, "_", identifier),
        targets: targets.iter().map(|target| target.node).collect(),
        text: String::new(),
    };
    let file = printable(machine.source.name());
    writer.line(
        0,
        &format!("/* {file}: reach_error is called if one of these is reached"),
    );
    for target in targets {
        writer.line(0, &format!("     {}", printable(&target.to_string())));
    }
    writer.line(0, "*/");
    writer.line(0, HEAD);
    let behind_head = writer.text.len();
    writer.globals();
    for procedure in machine.procedure_ids() {
        let signature = writer.signature(procedure);
        writer.line(0, &format!("static {signature};"));
    }
    for procedure in machine.procedure_ids() {
        writer.procedure(procedure);
    }
    writer.main();
    let functions = functions_for(&writer.text);
    writer.text.insert_str(behind_head, &functions);
    Ok(writer.text)
}

/// The functions of division and shifts that a text calls, and those that these call.
fn functions_for(text: &str) -> String {
    let mut functions = String::new();
    for (name, function) in FUNCTIONS.into_iter().rev() {
        let call = format!("{name}(");
        if text.contains(&call) || functions.contains(&call) {
            functions.insert_str(0, &format!("{function}\n"));
        }
    }
    functions
}

/// The text so far.
struct Writer<'m> {
    machine: &'m Machine,
    names: SourceNames,
    labels: Vec<String>,
    targets: BTreeSet<NodeId>,
    text: String,
}

/// Any value of a type.
fn any(ty: Type) -> String {
    match ty {
        Type::Bool => "__VERIFIER_nondet_bool()".to_owned(),
        Type::Int(0..=32) => format!("__VERIFIER_nondet_uint(){}", mask(ty)),
        Type::Int(_) => format!("__VERIFIER_nondet_ulonglong(){}", mask(ty)),
    }
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a string never fails.
        let _ = writeln!(self.text, "{:1$}{line}", "", 4 * depth);
    }

    fn globals(&mut self) {
        let machine = self.machine;
        for (index, global) in machine.globals.iter().enumerate() {
            let variable = Variable::Global(hardbop_machine::GlobalId::new(index));
            let (ty, name) = (
                type_name(global.ty),
                self.names.variable(ProcId(0), variable),
            );
            let initial = global.initial.map(|value| constant(value, global.ty));
            let initial = initial.map_or(String::new(), |value| format!(" = {value}"));
            self.line(0, &format!("static {ty} {name}{initial};"));
        }
        for id in machine.procedure_ids() {
            if !self.returns_many(id) {
                continue;
            }
            for (position, result) in machine.procedure(id).results().enumerate() {
                let ty = machine.type_of(id, Variable::Local(result));
                let (ty, name) = (type_name(ty), self.result(id, position));
                self.line(0, &format!("static {ty} {name};"));
            }
        }
        self.line(0, "");
    }

    fn returns_many(&self, id: ProcId) -> bool {
        self.machine.procedure(id).result_count > 1
    }

    /// Where a procedure with several results leaves one of them for its caller.
    fn result(&self, id: ProcId, position: usize) -> String {
        format!("{OWN}{}_result{}", self.names.procedure(id), position + 1)
    }

    fn signature(&self, id: ProcId) -> String {
        let procedure = self.machine.procedure(id);
        let ty_of = |local| type_name(self.machine.type_of(id, Variable::Local(local)));
        let parameters = procedure.parameters().map(|local| {
            let name = self.names.variable(id, Variable::Local(local));
            format!("{} {name}", ty_of(local))
        });
        let parameters: Vec<String> = parameters.collect();
        let parameters = if parameters.is_empty() {
            "void".to_owned()
        } else {
            parameters.join(", ")
        };
        let mut results = procedure.results();
        let result = results.next().filter(|_| !self.returns_many(id));
        let name = self.names.procedure(id);
        format!("{} {name}({parameters})", result.map_or("void", ty_of))
    }

    fn main(&mut self) {
        let machine = self.machine;
        self.line(0, "\nint main(void) {");
        for (index, global) in machine.globals.iter().enumerate() {
            if global.initial.is_none() {
                let variable = Variable::Global(hardbop_machine::GlobalId::new(index));
                let name = self.names.variable(ProcId(0), variable);
                self.line(1, &format!("{name} = {};", any(global.ty)));
            }
        }
        if let Some(entry) = entry_of(machine) {
            let id = machine.procedure_of(entry);
            let mut arguments = Vec::new();
            for local in machine.procedure(id).parameters() {
                // In order: C does not say in which arguments are evaluated.
                let ty = machine.type_of(id, Variable::Local(local));
                let name = format!("{OWN}argument{}", local.0 + 1);
                self.line(1, &format!("{} {name} = {};", type_name(ty), any(ty)));
                arguments.push(name);
            }
            let (name, arguments) = (self.names.procedure(id), arguments.join(", "));
            self.line(1, &format!("{name}({arguments});"));
        }
        self.line(1, "return 0;");
        self.line(0, "}");
    }

    fn procedure(&mut self, id: ProcId) {
        let machine = self.machine;
        let procedure = machine.procedure(id);
        self.line(0, &format!("\nstatic {} {{", self.signature(id)));
        for local in procedure
            .local_ids()
            .skip(procedure.parameter_count as usize)
        {
            let ty = machine.type_of(id, Variable::Local(local));
            let name = self.names.variable(id, Variable::Local(local));
            self.line(1, &format!("{} {name} = {};", type_name(ty), any(ty)));
        }
        let edges = procedure.edge_ids().map(|edge| machine.edge(edge));
        let is_next = |edge: &Edge| edge.to.0 == edge.from.0 + 1;
        // The last edge of a node falls through to the node behind it.
        let falls = |edge: &Edge| is_next(edge) && self.last_is(edge);
        let mut jumped_to: BTreeSet<NodeId> = edges.filter(|e| !falls(e)).map(|e| e.to).collect();
        if procedure.entry.0 != procedure.nodes.start {
            jumped_to.insert(procedure.entry);
            let label = &self.labels[procedure.entry.index()];
            self.line(1, &format!("goto {label};"));
        }
        for node in procedure.node_ids() {
            let label = jumped_to.contains(&node);
            let label = label.then(|| format!("{}: ", self.labels[node.index()]));
            let label = label.unwrap_or_default();
            let text = node_text(machine, node);
            self.line(0, &format!("{label}/* {text} */"));
            self.node(id, node);
        }
        self.line(0, "}");
    }

    /// Whether an edge is the last one that is written for its node.
    fn last_is(&self, edge: &Edge) -> bool {
        let last = self.machine.edges_from(edge.from).last();
        last.is_some_and(|last| std::ptr::eq(self.machine.edge(last), edge))
    }

    fn node(&mut self, id: ProcId, node: NodeId) {
        let machine = self.machine;
        if self.targets.contains(&node) {
            self.line(1, "reach_error();");
        }
        if machine.procedure(id).exit == node {
            let results: Vec<Variable> = machine
                .procedure(id)
                .results()
                .map(Variable::Local)
                .collect();
            if self.returns_many(id) {
                for (position, &result) in results.iter().enumerate() {
                    let name = self.names.variable(id, result);
                    self.line(1, &format!("{} = {name};", self.result(id, position)));
                }
                self.line(1, "return;");
            } else {
                let result = results.first().map(|&r| self.names.variable(id, r));
                let result = result.map_or(String::new(), |name| format!(" {name}"));
                self.line(1, &format!("return{result};"));
            }
            return;
        }
        let edges: Vec<EdgeId> = machine.edges_from(node).collect();
        match edges.as_slice() {
            [] => self.line(1, "assume(false);"),
            [only] => self.edge(id, *only, 1, true),
            [yes, no] if self.are_opposite(*yes, *no) => {
                let guard = machine.edge(*yes).guard;
                let guard = guard.expect("opposite edges have guards");
                let condition = self.expression(id, guard);
                self.line(1, &format!("if ({condition}) {{"));
                self.edge(id, *yes, 2, false);
                self.line(1, "}");
                self.edge(id, *no, 1, false);
            }
            several => {
                let count = several.len();
                self.line(
                    1,
                    &format!("switch (__VERIFIER_nondet_uint() % {count}u) {{"),
                );
                let (last, others) = several.split_last().expect("there are several");
                for (number, &edge) in others.iter().enumerate() {
                    self.line(1, &format!("case {number}: {{"));
                    self.edge(id, edge, 2, true);
                    self.line(1, "}");
                }
                self.line(1, "default: break;");
                self.line(1, "}");
                self.edge(id, *last, 1, true);
            }
        }
    }

    /// Whether the guards of two edges decide between them: no choices, one the negation of the
    /// other, as a branch makes them.
    fn are_opposite(&self, yes: EdgeId, no: EdgeId) -> bool {
        let [yes, no] = [yes, no].map(|id| self.machine.edge(id));
        let negated = no.guard.map(|guard| *self.machine.exprs.get(guard));
        let is_opposite = match (yes.guard, negated) {
            (Some(guard), Some(Expr::Unary(UnaryOp::Not, inner))) => guard == inner,
            _ => false,
        };
        is_opposite && yes.inputs.is_empty() && no.inputs.is_empty()
    }

    fn expression(&self, id: ProcId, root: ExprId) -> String {
        self.expression_with(id, root, |_| None)
    }

    /// An expression in which some next values have names.
    fn expression_with(
        &self,
        id: ProcId,
        root: ExprId,
        next: impl Fn(Variable) -> Option<String>,
    ) -> String {
        expression(&self.machine.exprs, root, &mut |leaf, _| match leaf {
            Leaf::Input(input) => format!("{OWN}choice{}", input.0 + 1),
            Leaf::Next(variable) => {
                next(variable).unwrap_or_else(|| self.names.variable(id, variable).to_owned())
            }
            Leaf::Var(variable) => self.names.variable(id, variable).to_owned(),
        })
    }

    /// What an edge does, and where it leads.
    fn edge(&mut self, id: ProcId, edge: EdgeId, depth: usize, is_guarded: bool) {
        let machine = self.machine;
        let edge = machine.edge(edge);
        let has_block = depth == 1 && !edge.inputs.is_empty();
        let needs_copies = match &edge.action {
            Action::Assign {
                assignments,
                constrain,
            } => assignments.len() > 1 || constrain.is_some(),
            Action::Return(values) => values.len() > 1,
            _ => false,
        };
        let has_block = has_block || (depth == 1 && needs_copies);
        let depth = if has_block {
            self.line(depth, "{");
            depth + 1
        } else {
            depth
        };
        let shown = edge_text(machine, edge);
        if shown != node_text(machine, edge.from) {
            self.line(depth, &format!("/* {shown} */"));
        }
        for (index, &ty) in edge.inputs.iter().enumerate() {
            let name = format!("{OWN}choice{}", index + 1);
            self.line(depth, &format!("{} {name} = {};", type_name(ty), any(ty)));
        }
        if let Some(guard) = edge.guard.filter(|_| is_guarded) {
            let guard = self.expression(id, guard);
            self.line(depth, &format!("assume({guard});"));
        }
        self.action(id, &edge.action, depth);
        let depth = if has_block {
            self.line(depth - 1, "}");
            depth - 1
        } else {
            depth
        };
        if edge.to.0 != edge.from.0 + 1 || !self.last_is(edge) {
            let label = &self.labels[edge.to.index()];
            self.line(depth, &format!("goto {label};"));
        }
    }

    fn action(&mut self, id: ProcId, action: &Action, depth: usize) {
        let machine = self.machine;
        match action {
            Action::Skip | Action::Print(_) | Action::AtomicBegin | Action::AtomicEnd => {}
            Action::StartThread(_) => unreachable!("a sequential program starts no threads"),
            Action::EndThread => self.line(depth, "exit(0);"),
            Action::Assign {
                assignments,
                constrain,
            } => self.assign(id, assignments, *constrain, depth),
            Action::Return(values) => {
                let results = machine.procedure(id).results().map(Variable::Local);
                let assignments: Vec<_> = results.zip(values.iter().copied()).collect();
                self.assign(id, &assignments, None, depth);
            }
            Action::Call {
                callee,
                arguments,
                targets,
            } => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|&value| self.expression(id, value))
                    .collect();
                let name = self.names.procedure(*callee);
                let call = format!("{name}({});", arguments.join(", "));
                if self.returns_many(*callee) {
                    self.line(depth, &call);
                    for (position, target) in targets.iter().enumerate() {
                        if let Some(target) = *target {
                            let name = self.names.variable(id, target);
                            let result = self.result(*callee, position);
                            self.line(depth, &format!("{name} = {result};"));
                        }
                    }
                } else if let Some(&Some(target)) = targets.first() {
                    let name = self.names.variable(id, target);
                    self.line(depth, &format!("{name} = {call}"));
                } else {
                    self.line(depth, &call);
                }
            }
        }
    }

    /// A parallel assignment: all values are computed before the first is stored.
    fn assign(
        &mut self,
        id: ProcId,
        assignments: &[(Variable, ExprId)],
        constrain: Option<ExprId>,
        depth: usize,
    ) {
        if let (&[(variable, value)], None) = (assignments, constrain) {
            let (name, value) = (
                self.names.variable(id, variable),
                self.expression(id, value),
            );
            self.line(depth, &format!("{name} = {value};"));
            return;
        }
        let copy = |writer: &Self, variable| {
            let name = writer.names.variable(id, variable);
            format!("{OWN}next_{name}")
        };
        for &(variable, value) in assignments {
            let ty = type_name(self.machine.type_of(id, variable));
            let (name, value) = (copy(self, variable), self.expression(id, value));
            self.line(depth, &format!("{ty} {name} = {value};"));
        }
        if let Some(condition) = constrain {
            let is_assigned = |variable| assignments.iter().any(|&(other, _)| other == variable);
            let next = |variable| is_assigned(variable).then(|| copy(self, variable));
            let condition = self.expression_with(id, condition, next);
            self.line(depth, &format!("assume({condition});"));
        }
        for &(variable, _) in assignments {
            let (name, value) = (self.names.variable(id, variable), copy(self, variable));
            self.line(depth, &format!("{name} = {value};"));
        }
    }
}
