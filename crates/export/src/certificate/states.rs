//! The states that one condition of a sequential certificate speaks of, as terms.
//!
//! A variable is declared when it is first asked for, with the name of the moment before its own:
//! `now.g`, `entry.g`. Where a step leaves it alone it has the term of the moment before, and so has
//! a global that a procedure never assigns from its entry to its exit: that is what the formulas of
//! a certificate mean.

use super::formulas::define;
use crate::expressions::smt::{constant, expression, sort};
use crate::names::{SourceNames, symbol};
use hardbop_evidence::certificate::{Bit, Formula};
use hardbop_machine::expr::Leaf;
use hardbop_machine::{Action, EdgeId, ExprId, GlobalId, InputId, Machine, ProcId, Type, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A moment of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    /// The procedure was entered.
    Entry,
    /// Before the step.
    Now,
    /// After a step that is not a call.
    Next,
    /// The callee is entered.
    CalleeEntry,
    /// The callee is about to return.
    CalleeExit,
    /// The callee has returned.
    Returned,
    /// The procedure will be about to return.
    Exit,
}

impl Moment {
    fn name(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Now => "now",
            Self::Next => "next",
            Self::CalleeEntry => "callee-entry",
            Self::CalleeExit => "callee-exit",
            Self::Returned => "returned",
            Self::Exit => "exit",
        }
    }
}

/// Which moments the leaves of a formula mean: `now`, and `entry` or `exit`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading(pub Moment, pub Moment);

/// What all conditions of a certificate have in common.
pub(super) struct Context<'a> {
    pub machine: &'a Machine,
    pub names: SourceNames,
    pub formulas: &'a [Formula],
}

/// The states of one condition.
#[derive(Clone)]
pub(super) struct States<'a> {
    context: &'a Context<'a>,
    procedure: ProcId,
    callee: ProcId,
    terms: BTreeMap<(Moment, Variable), String>,
    choices: BTreeSet<InputId>,
    /// Declarations and definitions.
    pub text: String,
}

impl<'a> States<'a> {
    pub fn new(context: &'a Context<'a>, procedure: ProcId) -> Self {
        Self {
            context,
            procedure,
            callee: procedure,
            terms: BTreeMap::new(),
            choices: BTreeSet::new(),
            text: String::new(),
        }
    }

    /// The state now is an initial one.
    pub fn fix_initial_values(&mut self) {
        for (index, global) in self.context.machine.globals.iter().enumerate() {
            if let Some(value) = global.initial {
                let variable = Variable::Global(GlobalId::new(index));
                let value = constant(value, global.ty);
                self.terms.insert((Moment::Now, variable), value);
            }
        }
    }

    fn owner(&self, moment: Moment) -> ProcId {
        match moment {
            Moment::CalleeEntry | Moment::CalleeExit => self.callee,
            _ => self.procedure,
        }
    }

    /// The other moment at which a variable has the same value, unless the step assigns it.
    fn same_as(&self, moment: Moment, variable: Variable) -> Option<Moment> {
        let is_kept_by = |procedure| match variable {
            Variable::Global(global) => !self.context.machine.effects().modifies(procedure, global),
            Variable::Local(_) => false,
        };
        let is_global = matches!(variable, Variable::Global(_));
        match moment {
            Moment::Now => None,
            Moment::Entry | Moment::Exit => is_kept_by(self.procedure).then_some(Moment::Now),
            Moment::CalleeEntry => is_global.then_some(Moment::Now),
            Moment::CalleeExit => is_kept_by(self.callee).then_some(Moment::CalleeEntry),
            Moment::Returned if is_global => Some(Moment::CalleeExit),
            Moment::Next | Moment::Returned => Some(Moment::Now),
        }
    }

    fn name(&self, moment: Moment, variable: Variable) -> String {
        let name = self.context.names.variable(self.owner(moment), variable);
        symbol(&format!("{}.{name}", moment.name()))
    }

    /// The term of a variable at a moment.
    fn term(&mut self, moment: Moment, variable: Variable) -> String {
        if let Some(term) = self.terms.get(&(moment, variable)) {
            return term.clone();
        }
        // At most from the return to the callee's exit, its entry, and now.
        let term = match self.same_as(moment, variable) {
            Some(other) => self.term(other, variable),
            None => {
                let name = self.name(moment, variable);
                let ty = self.context.machine.type_of(self.owner(moment), variable);
                self.declare(&name, ty);
                name
            }
        };
        self.terms.insert((moment, variable), term.clone());
        term
    }

    fn declare(&mut self, name: &str, ty: Type) {
        let sort = sort(ty);
        writeln!(self.text, "(declare-const {name} {sort})").expect("a string can be written to");
    }

    /// An expression of the edge.
    fn expression(&mut self, root: ExprId) -> String {
        let machine = self.context.machine;
        expression(&machine.exprs, root, &mut |leaf, ty| match leaf {
            Leaf::Var(variable) => self.term(Moment::Now, variable),
            Leaf::Next(variable) => self.term(Moment::Next, variable),
            Leaf::Input(input) => {
                let name = format!("choice.{}", input.0 + 1);
                if self.choices.insert(input) {
                    self.declare(&name, ty);
                }
                name
            }
        })
    }

    /// A variable gets the value of an expression.
    fn set(&mut self, moment: Moment, variable: Variable, value: ExprId) {
        let value = self.expression(value);
        let name = self.name(moment, variable);
        let sort = sort(self.context.machine.type_of(self.owner(moment), variable));
        writeln!(self.text, "(define-fun {name} () {sort} {value})")
            .expect("a string can be written to");
        self.terms.insert((moment, variable), name);
    }

    /// Takes an edge. Gives the conditions under which it can be taken.
    pub fn take(&mut self, id: EdgeId) -> Vec<String> {
        let machine = self.context.machine;
        let edge = machine.edge(id);
        let mut taken: Vec<String> = edge.guard.iter().map(|&g| self.expression(g)).collect();
        match &edge.action {
            Action::Assign {
                assignments,
                constrain,
            } => {
                for &(variable, value) in assignments {
                    self.set(Moment::Next, variable, value);
                }
                taken.extend(constrain.iter().map(|&c| self.expression(c)));
            }
            Action::Return(values) => {
                let results = machine.procedure(self.procedure).results();
                for (result, &value) in results.zip(values) {
                    self.set(Moment::Next, Variable::Local(result), value);
                }
            }
            Action::Call {
                callee, arguments, ..
            } => {
                self.callee = *callee;
                let parameters = machine.procedure(*callee).parameters();
                for (parameter, &value) in parameters.zip(arguments) {
                    self.set(Moment::CalleeEntry, Variable::Local(parameter), value);
                }
            }
            _ => {}
        }
        taken
    }

    /// The call that was taken ends: its targets get the results of the callee.
    pub fn come_back(&mut self, targets: &[Option<Variable>]) {
        let results = self.context.machine.procedure(self.callee).results();
        for (result, target) in results.zip(targets) {
            if let Some(target) = *target {
                let value = self.term(Moment::CalleeExit, Variable::Local(result));
                self.terms.insert((Moment::Returned, target), value);
            }
        }
    }

    /// A formula of the certificate; nothing is the empty relation.
    pub fn relation(&mut self, role: &str, root: Option<u32>, reading: Reading) -> String {
        let Some(root) = root else {
            return "false".to_owned();
        };
        let mut text = std::mem::take(&mut self.text);
        let formulas = self.context.formulas;
        let term = define(&mut text, formulas, root, role, |text, leaf| {
            let (moment, bit) = match leaf {
                Formula::Now(bit) => (reading.0, bit),
                Formula::Entry(bit) | Formula::Exit(bit) => (reading.1, bit),
                _ => unreachable!("the form was checked: relations of nodes have no other leaves"),
            };
            let term = self.bit(moment, *bit);
            text.push_str(&std::mem::take(&mut self.text));
            term
        });
        self.text = text;
        term
    }

    fn bit(&mut self, moment: Moment, Bit { variable, bit }: Bit) -> String {
        let word = self.term(moment, variable);
        match self.context.machine.type_of(self.owner(moment), variable) {
            Type::Bool => word,
            Type::Int(_) => format!("(= ((_ extract {bit} {bit}) {word}) #b1)"),
        }
    }
}
