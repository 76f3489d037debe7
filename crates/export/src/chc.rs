//! A program as constrained Horn clauses in SMT-LIB (logic `HORN`), for Spacer, Golem and others.
//!
//! A predicate per node holds what Bebop calls path edges (section 3.1): the state in which the
//! procedure was entered, and the state now. The one at the exit is the summary. Only what a caller
//! can tell is remembered of the entry: globals that the procedure modifies and parameters that it
//! assigns; the others have one value throughout. Globals that a procedure neither reads nor writes
//! do not occur in its predicates.
//!
//! The clauses are satisfiable exactly if no target can be reached.

use crate::expressions::smt::{WORDS, constant, expression, sort};
use crate::names::{SourceNames, symbol};
use crate::places::{edge_text, node_names, node_text, printable};
use crate::{Refused, entry_of, sequential};
use hardbop_evidence::Target;
use hardbop_machine::analysis::ModRef;
use hardbop_machine::analysis::variables::each_write;
use hardbop_machine::expr::Leaf;
use hardbop_machine::{
    Action, EdgeId, Expr, ExprId, GlobalId, InputId, Machine, NodeId, ProcId, Type, Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// The clauses of a program and the question whether one of some targets can be reached: `unsat` if
/// so, `sat` if not.
pub fn chc(machine: &Machine, targets: &[Target]) -> Result<String, Refused> {
    sequential(machine, "Horn clauses")?;
    let effects = machine.effects();
    let procedures = machine.procedure_ids();
    let interfaces = procedures.map(|id| Interface::new(machine, effects, id));
    let mut writer = Writer {
        machine,
        effects,
        interfaces: interfaces.collect(),
        names: SourceNames::new(machine, WORDS, str::to_owned),
        nodes: node_names(machine, ".", str::to_owned),
        text: String::new(),
    };
    writer.head(targets);
    writer.declarations();
    writer.initial();
    for edge in machine.edge_ids() {
        writer.edge(edge);
    }
    writer.queries(targets);
    Ok(writer.text)
}

/// Which variables the predicates of a procedure have.
struct Interface {
    /// Globals that it or its callees read or write.
    globals: Vec<Variable>,
    /// What may differ between entry and now, of globals and parameters.
    remembered: Vec<Variable>,
    /// The variables of the state at the exit.
    at_exit: Vec<Variable>,
    /// The variables of all other states.
    inside: Vec<Variable>,
}

impl Interface {
    fn new(machine: &Machine, effects: &ModRef, id: ProcId) -> Self {
        let modified: BTreeSet<GlobalId> = effects.modified(id).collect();
        let mut used = modified.clone();
        used.extend(effects.referenced(id));
        let globals: Vec<Variable> = used.into_iter().map(Variable::Global).collect();
        let procedure = machine.procedure(id);
        let mut written: BTreeSet<Variable> = BTreeSet::new();
        for edge in procedure.edge_ids() {
            each_write(machine, edge, |variable| {
                written.insert(variable);
            });
        }
        let parameters = procedure.parameters().map(Variable::Local);
        let (assigned, kept): (Vec<Variable>, Vec<Variable>) =
            parameters.partition(|parameter| written.contains(parameter));
        let mut remembered: Vec<Variable> = modified.into_iter().map(Variable::Global).collect();
        remembered.extend(assigned);
        let mut at_exit = globals.clone();
        at_exit.extend(kept);
        at_exit.extend(procedure.results().map(Variable::Local));
        let mut inside = globals.clone();
        inside.extend(procedure.local_ids().map(Variable::Local));
        Self {
            globals,
            remembered,
            at_exit,
            inside,
        }
    }
}

/// An argument of a predicate: a variable at the entry, or now.
#[derive(Clone, Copy)]
enum Slot {
    Entry(Variable),
    Now(Variable),
}

impl Slot {
    fn variable(self) -> Variable {
        let (Self::Entry(variable) | Self::Now(variable)) = self;
        variable
    }
}

/// What is added to the name of a variable, by the moment at which it has a value. A variable
/// without it is the one before the step.
const ENTRY: &str = ".entry";
const NEXT: &str = ".next";
const CALLEE: &str = ".callee";
const AFTER: &str = ".after";

/// The clauses so far.
struct Writer<'m> {
    machine: &'m Machine,
    effects: &'m ModRef,
    interfaces: Vec<Interface>,
    names: SourceNames,
    nodes: Vec<String>,
    text: String,
}

/// A clause in the making: its variables with their sorts, and its body.
#[derive(Clone, Default)]
struct Clause {
    variables: BTreeMap<String, Type>,
    body: Vec<String>,
}

impl Clause {
    /// A variable of the clause.
    fn variable(&mut self, name: &str, ty: Type) -> String {
        self.variables.insert(name.to_owned(), ty);
        symbol(name)
    }
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn head(&mut self, targets: &[Target]) {
        let file = printable(self.machine.source.name());
        self.line(&format!("; {file} as constrained Horn clauses"));
        self.line("; unsat: one of these can be reached; sat: none can");
        for target in targets {
            let target = printable(&target.to_string());
            self.line(&format!(";   {target}"));
        }
        self.line("(set-logic HORN)");
    }

    fn interface(&self, procedure: ProcId) -> &Interface {
        &self.interfaces[procedure.index()]
    }

    /// The variables of the state in the predicate of a node.
    fn now(&self, node: NodeId) -> &[Variable] {
        let procedure = self.machine.procedure_of(node);
        let interface = self.interface(procedure);
        if self.machine.procedure(procedure).exit == node {
            &interface.at_exit
        } else {
            &interface.inside
        }
    }

    fn declarations(&mut self) {
        let machine = self.machine;
        for id in machine.procedure_ids() {
            let name = &machine.procedure(id).name;
            self.line(&format!("\n; procedure {}", printable(name)));
            for node in machine.procedure(id).node_ids() {
                let remembered = self.interface(id).remembered.iter();
                let variables = remembered.chain(self.now(node));
                let sorts = variables.map(|&variable| sort(machine.type_of(id, variable)));
                let sorts: Vec<String> = sorts.collect();
                let name = symbol(&self.nodes[node.index()]);
                let text = node_text(machine, node);
                let sorts = sorts.join(" ");
                self.line(&format!("(declare-fun {name} ({sorts}) Bool) ; {text}"));
            }
        }
    }

    /// A predicate with its arguments.
    fn holds(&self, node: NodeId, mut term: impl FnMut(Slot) -> String) -> String {
        let remembered = &self.interface(self.machine.procedure_of(node)).remembered;
        let entry = remembered.iter().map(|&variable| Slot::Entry(variable));
        let now = self.now(node).iter().map(|&variable| Slot::Now(variable));
        let arguments: Vec<String> = entry.chain(now).map(&mut term).collect();
        let name = symbol(&self.nodes[node.index()]);
        if arguments.is_empty() {
            name
        } else {
            format!("({name} {})", arguments.join(" "))
        }
    }

    /// The term of a variable of a procedure in a clause, with a suffix for the moment.
    fn term(
        &self,
        clause: &mut Clause,
        procedure: ProcId,
        variable: Variable,
        moment: &str,
    ) -> String {
        let name = self.names.variable(procedure, variable);
        let ty = self.machine.type_of(procedure, variable);
        clause.variable(&format!("{name}{moment}"), ty)
    }

    fn write_clause(&mut self, comment: &str, clause: &Clause, head: &str) {
        let body = match clause.body.as_slice() {
            [] => "true".to_owned(),
            [only] => only.clone(),
            several => format!("(and {})", several.join(" ")),
        };
        self.line(&format!("; {comment}"));
        let implication = format!("(=> {body}\n  {head})");
        if clause.variables.is_empty() {
            self.line(&format!("(assert {implication})"));
            return;
        }
        let variables = clause.variables.iter();
        let variables = variables.map(|(name, &ty)| format!("({} {})", symbol(name), sort(ty)));
        let variables: Vec<String> = variables.collect();
        let variables = variables.join(" ");
        self.line(&format!("(assert (forall ({variables})\n  {implication}))"));
    }

    fn initial(&mut self) {
        self.line("\n; the initial states");
        let Some(entry) = entry_of(self.machine) else {
            return;
        };
        let machine = self.machine;
        let procedure = machine.procedure_of(entry);
        let mut clause = Clause::default();
        let head = self.holds(entry, |slot| {
            let variable = slot.variable();
            if let Variable::Global(id) = variable
                && let Some(value) = machine.global(id).initial
            {
                return constant(value, machine.global(id).ty);
            }
            self.term(&mut clause, procedure, variable, "")
        });
        let text = node_text(machine, entry);
        self.write_clause(&text, &clause, &head);
    }

    /// An expression of an edge as a term of its clause.
    fn expression(&self, clause: &mut Clause, procedure: ProcId, root: ExprId) -> String {
        expression(&self.machine.exprs, root, &mut |leaf, ty| match leaf {
            Leaf::Var(variable) => self.term(clause, procedure, variable, ""),
            Leaf::Next(variable) => self.term(clause, procedure, variable, NEXT),
            Leaf::Input(InputId(index)) => clause.variable(&format!("choice.{}", index + 1), ty),
        })
    }

    /// The clauses of a step: one, or for a call those of entering and of coming back.
    fn edge(&mut self, id: EdgeId) {
        let machine = self.machine;
        let edge = machine.edge(id);
        let procedure = machine.procedure_of(edge.from);
        let comment = edge_text(machine, edge);
        let mut clause = Clause::default();
        let before = self.holds(edge.from, |slot| match slot {
            Slot::Entry(variable) => self.term(&mut clause, procedure, variable, ENTRY),
            Slot::Now(variable) => self.term(&mut clause, procedure, variable, ""),
        });
        clause.body.push(before);
        if let Some(guard) = edge.guard {
            let guard = self.expression(&mut clause, procedure, guard);
            clause.body.push(guard);
        }
        let mut after: BTreeMap<Variable, String> = BTreeMap::new();
        match &edge.action {
            Action::EndThread => return,
            Action::Skip | Action::Print(_) | Action::AtomicBegin | Action::AtomicEnd => {}
            Action::StartThread(_) => unreachable!("a sequential program starts no threads"),
            Action::Assign {
                assignments,
                constrain,
            } => {
                for &(variable, value) in assignments {
                    let value = self.expression(&mut clause, procedure, value);
                    after.insert(variable, value);
                }
                if let Some(constrain) = *constrain {
                    self.constrain(&mut clause, procedure, constrain, &mut after);
                }
            }
            Action::Return(values) => {
                let results = machine.procedure(procedure).results().map(Variable::Local);
                for (result, &value) in results.zip(values) {
                    after.insert(result, self.expression(&mut clause, procedure, value));
                }
            }
            Action::Call {
                callee,
                arguments,
                targets,
            } => {
                let parameters = machine.procedure(*callee).parameters().map(Variable::Local);
                let values = arguments.iter();
                let values = values.map(|&value| self.expression(&mut clause, procedure, value));
                let passed: BTreeMap<Variable, String> = parameters.zip(values).collect();
                self.enter(&comment, clause.clone(), procedure, *callee, &passed);
                after = self.come_back(&mut clause, procedure, *callee, &passed, targets);
            }
        }
        let head = self.holds(edge.to, |slot| match slot {
            Slot::Entry(variable) => self.term(&mut clause, procedure, variable, ENTRY),
            Slot::Now(variable) => match after.get(&variable) {
                Some(value) => value.clone(),
                None => self.term(&mut clause, procedure, variable, ""),
            },
        });
        self.write_clause(&comment, &clause, &head);
    }

    /// The values after a step get names, because a condition speaks of them.
    fn constrain(
        &self,
        clause: &mut Clause,
        procedure: ProcId,
        condition: ExprId,
        after: &mut BTreeMap<Variable, String>,
    ) {
        let machine = self.machine;
        let mut next: BTreeSet<Variable> = BTreeSet::new();
        machine.exprs.visit(condition, |expr| {
            if let Expr::Next(variable, _) = *expr {
                next.insert(variable);
            }
        });
        for variable in next {
            let name = self.term(clause, procedure, variable, NEXT);
            let value = match after.get(&variable) {
                Some(value) => value.clone(),
                None => self.term(clause, procedure, variable, ""),
            };
            clause.body.push(format!("(= {name} {value})"));
            after.insert(variable, name);
        }
        let condition = self.expression(clause, procedure, condition);
        clause.body.push(condition);
    }

    /// The callee is entered.
    fn enter(
        &mut self,
        comment: &str,
        mut clause: Clause,
        procedure: ProcId,
        callee: ProcId,
        passed: &BTreeMap<Variable, String>,
    ) {
        let entry = self.machine.procedure(callee).entry;
        let head = self.holds(entry, |slot| {
            let variable = slot.variable();
            match passed.get(&variable) {
                Some(value) => value.clone(),
                None if matches!(variable, Variable::Global(_)) => {
                    self.term(&mut clause, procedure, variable, "")
                }
                None => self.term(&mut clause, callee, variable, CALLEE),
            }
        });
        self.write_clause(&format!("{comment} (enters)"), &clause, &head);
    }

    /// The callee has ended by its summary, which joins the body; gives what has changed.
    fn come_back(
        &self,
        clause: &mut Clause,
        procedure: ProcId,
        callee: ProcId,
        passed: &BTreeMap<Variable, String>,
        targets: &[Option<Variable>],
    ) -> BTreeMap<Variable, String> {
        let exit = self.machine.procedure(callee).exit;
        let is_modified = |variable| match variable {
            Variable::Global(id) => self.effects.modifies(callee, id),
            Variable::Local(_) => false,
        };
        let summary = self.holds(exit, |slot| match slot {
            Slot::Now(variable) if is_modified(variable) => {
                self.term(clause, procedure, variable, AFTER)
            }
            Slot::Entry(variable) | Slot::Now(variable) => match passed.get(&variable) {
                Some(value) => value.clone(),
                None if matches!(variable, Variable::Global(_)) => {
                    self.term(clause, procedure, variable, "")
                }
                None => self.term(clause, callee, variable, CALLEE),
            },
        });
        clause.body.push(summary);
        let globals = self.interface(callee).globals.iter().copied();
        let modified = globals.filter(|&variable| is_modified(variable));
        let changed = modified.map(|v| (v, self.term(clause, procedure, v, AFTER)));
        let mut after: BTreeMap<Variable, String> = changed.collect();
        let results = self.machine.procedure(callee).results();
        for (result, target) in results.zip(targets) {
            if let Some(target) = *target {
                let value = self.term(clause, callee, Variable::Local(result), CALLEE);
                after.insert(target, value);
            }
        }
        after
    }

    fn queries(&mut self, targets: &[Target]) {
        self.line("\n; the targets");
        let nodes: BTreeSet<NodeId> = targets.iter().map(|target| target.node).collect();
        for node in nodes {
            let procedure = self.machine.procedure_of(node);
            let mut clause = Clause::default();
            let reached = self.holds(node, |slot| match slot {
                Slot::Entry(variable) => self.term(&mut clause, procedure, variable, ENTRY),
                Slot::Now(variable) => self.term(&mut clause, procedure, variable, ""),
            });
            clause.body.push(reached);
            let text = node_text(self.machine, node);
            self.write_clause(&text, &clause, "false");
        }
        self.line("(check-sat)");
    }
}
