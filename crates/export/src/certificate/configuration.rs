//! A configuration of threads before and after a step, as terms.
//!
//! A cell is declared when it is first asked for: `now.g` for a shared global, `now.t1.g` for the
//! copy of thread 1, `now.t1.place` and `now.t1.row.0` for what a certificate calls place and row.
//! What a step does not set has the same term after it.

use super::formulas::define;
use crate::expressions::smt::{constant, expression, sort};
use crate::names::{SourceNames, symbol};
use hardbop_evidence::certificate::{Formula, ThreadPart};
use hardbop_machine::cast::Cast;
use hardbop_machine::expr::Leaf;
use hardbop_machine::inlined::InlinedFrame;
use hardbop_machine::{
    Action, EdgeId, ExprId, GlobalId, InputId, Machine, ProcId, Storage, Type, Variable,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a configuration consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cell {
    Shared(GlobalId),
    Own(u32, GlobalId),
    Place(u32),
    Row(u32, u32),
}

/// Before or after the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Before,
    After,
}

/// A thread in a frame.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub thread: u32,
    pub frame: &'a InlinedFrame,
}

/// What all conditions of a certificate have in common.
pub(super) struct Context<'a> {
    pub machine: &'a Machine,
    pub cast: Cast,
    pub names: SourceNames,
    pub formulas: &'a [Formula],
}

/// The terms of one condition.
#[derive(Clone)]
pub(super) struct Configuration<'a> {
    context: &'a Context<'a>,
    before: BTreeMap<Cell, String>,
    after: BTreeMap<Cell, String>,
    choices: BTreeMap<InputId, String>,
    /// How many names were made up.
    made_up: u32,
    /// Declarations and definitions.
    pub text: String,
}

impl<'a> Configuration<'a> {
    /// A configuration of which nothing is known.
    pub fn new(context: &'a Context<'a>) -> Self {
        Self {
            context,
            before: BTreeMap::new(),
            after: BTreeMap::new(),
            choices: BTreeMap::new(),
            made_up: 0,
            text: String::new(),
        }
    }

    /// Goes on with another step from the same configuration.
    pub fn begin_step(&mut self) {
        self.after.clear();
        self.choices.clear();
    }

    fn declare(&mut self, name: &str, ty: Type) {
        let sort = sort(ty);
        writeln!(self.text, "(declare-const {name} {sort})").expect("a string can be written to");
    }

    /// A name that is not used yet.
    fn make_up(&mut self, what: &str) -> String {
        self.made_up += 1;
        format!("{what}.{}", self.made_up)
    }

    /// The type of a cell; a place is as wide as its number.
    fn ty(&self, cell: Cell) -> Type {
        let Context { machine, cast, .. } = self.context;
        match cell {
            Cell::Shared(id) | Cell::Own(_, id) => machine.global(id).ty,
            Cell::Place(thread) => Type::Int(cast.member(thread).inlined.place_bits() as u8),
            Cell::Row(..) => Type::Bool,
        }
    }

    /// The term of a cell.
    pub fn term(&mut self, moment: Moment, cell: Cell) -> String {
        let changed = self.after.get(&cell).filter(|_| moment == Moment::After);
        if let Some(term) = changed.or_else(|| self.before.get(&cell)) {
            return term.clone();
        }
        let global = |id| self.context.names.variable(ProcId(0), Variable::Global(id));
        let name = match cell {
            Cell::Shared(id) => symbol(&format!("now.{}", global(id))),
            Cell::Own(thread, id) => symbol(&format!("now.t{thread}.{}", global(id))),
            Cell::Place(thread) => format!("now.t{thread}.place"),
            Cell::Row(thread, bit) => format!("now.t{thread}.row.{bit}"),
        };
        self.declare(&name, self.ty(cell));
        self.before.insert(cell, name.clone());
        name
    }

    /// Says what a cell is. Before the step this must come before anything asks for it.
    pub fn set(&mut self, moment: Moment, cell: Cell, term: String) {
        match moment {
            Moment::Before => self.before.insert(cell, term),
            Moment::After => self.after.insert(cell, term),
        };
    }

    /// After the step a cell may have any value.
    pub fn set_arbitrary(&mut self, cell: Cell) {
        let name = self.make_up("any");
        self.declare(&name, self.ty(cell));
        self.set(Moment::After, cell, name);
    }

    /// A place as a term.
    fn place(&self, thread: u32, place: u32) -> String {
        constant(u64::from(place), self.ty(Cell::Place(thread)))
    }

    /// Puts a thread at a place.
    pub fn set_place(&mut self, moment: Moment, thread: u32, place: u32) {
        let place = self.place(thread, place);
        self.set(moment, Cell::Place(thread), place);
    }

    /// "The thread is at this place", before the step.
    pub fn at(&mut self, thread: u32, place: u32) -> String {
        let (now, place) = (
            self.term(Moment::Before, Cell::Place(thread)),
            self.place(thread, place),
        );
        format!("(= {now} {place})")
    }

    /// Globals of one kind that have an initial value have it.
    pub fn fix_initial(&mut self, moment: Moment, thread: Option<u32>) {
        for (index, global) in self.context.machine.globals.iter().enumerate() {
            let id = GlobalId::new(index);
            let cell = match (global.storage, thread) {
                (Storage::Shared, None) => Cell::Shared(id),
                (Storage::PerThread, Some(thread)) => Cell::Own(thread, id),
                _ => continue,
            };
            if let Some(initial) = global.initial {
                self.set(moment, cell, constant(initial, global.ty));
            }
        }
    }

    /// A thread that the program declares starts at its entry.
    pub fn start_declared(&mut self, moment: Moment, thread: u32) {
        let entry = self
            .context
            .cast
            .member(thread)
            .entry_place(self.context.machine);
        self.set_place(moment, thread, entry.unwrap_or(0));
        self.fix_initial(moment, Some(thread));
    }

    /// The bits of a local in the row of its thread.
    fn row(scope: Scope<'_>, variable: Variable) -> Option<Vec<Cell>> {
        let Variable::Local(id) = variable else {
            return None;
        };
        let bits = scope.frame.bits_of(id);
        Some(bits.map(|bit| Cell::Row(scope.thread, bit)).collect())
    }

    fn global_cell(&self, scope: Scope<'_>, id: GlobalId) -> Cell {
        match self.context.machine.global(id).storage {
            Storage::Shared => Cell::Shared(id),
            Storage::PerThread => Cell::Own(scope.thread, id),
        }
    }

    /// The value of a variable as a thread in a frame sees it.
    pub fn value(&mut self, moment: Moment, scope: Scope<'_>, variable: Variable) -> String {
        let cells = match variable {
            Variable::Global(id) => {
                let cell = self.global_cell(scope, id);
                return self.term(moment, cell);
            }
            Variable::Local(_) => Self::row(scope, variable).unwrap_or_default(),
        };
        let ty = self
            .context
            .machine
            .type_of(scope.frame.procedure, variable);
        let bits: Vec<String> = cells.into_iter().map(|c| self.term(moment, c)).collect();
        if ty == Type::Bool {
            return bits.concat();
        }
        let bits = bits.iter().rev().map(|bit| format!("(ite {bit} #b1 #b0)"));
        let bits: Vec<String> = bits.collect();
        match bits.as_slice() {
            [only] => only.clone(),
            several => format!("(concat {})", several.join(" ")),
        }
    }

    /// A variable gets a value after the step.
    pub fn assign(&mut self, scope: Scope<'_>, variable: Variable, value: &str) {
        let ty = self
            .context
            .machine
            .type_of(scope.frame.procedure, variable);
        let name = self.make_up("next");
        let sort = sort(ty);
        writeln!(self.text, "(define-fun {name} () {sort} {value})")
            .expect("a string can be written to");
        let cells = match variable {
            Variable::Global(id) => {
                let cell = self.global_cell(scope, id);
                return self.set(Moment::After, cell, name);
            }
            Variable::Local(_) => Self::row(scope, variable).unwrap_or_default(),
        };
        for (bit, cell) in cells.into_iter().enumerate() {
            let term = match ty {
                Type::Bool => name.clone(),
                Type::Int(_) => format!("(= ((_ extract {bit} {bit}) {name}) #b1)"),
            };
            self.set(Moment::After, cell, term);
        }
    }

    /// A choice has this value from now on, instead of any.
    pub fn set_choice(&mut self, input: InputId, value: u64, ty: Type) {
        self.choices.insert(input, constant(value, ty));
    }

    /// An expression of an edge of a thread in a frame.
    pub fn expression(&mut self, scope: Scope<'_>, root: ExprId) -> String {
        let machine = self.context.machine;
        expression(&machine.exprs, root, &mut |leaf, ty| match leaf {
            Leaf::Var(variable) => self.value(Moment::Before, scope, variable),
            Leaf::Next(variable) => self.value(Moment::After, scope, variable),
            Leaf::Input(input) => {
                if let Some(term) = self.choices.get(&input) {
                    return term.clone();
                }
                let name = self.make_up("choice");
                self.declare(&name, ty);
                self.choices.insert(input, name.clone());
                name
            }
        })
    }

    /// Assigns what an edge assigns; gives the conditions under which it can be taken.
    pub fn take(&mut self, scope: Scope<'_>, id: EdgeId) -> Vec<String> {
        let machine = self.context.machine;
        let edge = machine.edge(id);
        let guard = edge.guard.iter();
        let mut taken: Vec<String> = guard.map(|&g| self.expression(scope, g)).collect();
        let (writes, constrain) = match &edge.action {
            Action::Assign {
                assignments,
                constrain,
            } => (assignments.to_vec(), *constrain),
            Action::Return(values) => {
                let results = machine.procedure(scope.frame.procedure).results();
                let results = results.map(Variable::Local);
                (results.zip(values.iter().copied()).collect(), None)
            }
            _ => (Vec::new(), None),
        };
        let values = writes.iter();
        let values = values.map(|&(_, value)| self.expression(scope, value));
        let values: Vec<String> = values.collect();
        for (&(variable, _), value) in writes.iter().zip(&values) {
            self.assign(scope, variable, value);
        }
        taken.extend(constrain.iter().map(|&c| self.expression(scope, c)));
        taken
    }

    /// A relation of the certificate; nothing is the empty one.
    pub fn relation(&mut self, role: &str, root: Option<u32>, moment: Moment) -> String {
        let Some(root) = root else {
            return "false".to_owned();
        };
        let mut text = std::mem::take(&mut self.text);
        let formulas = self.context.formulas;
        let term = define(&mut text, formulas, root, role, |text, leaf| {
            let (cell, bit) = match leaf {
                Formula::Thread(part) => match part.part {
                    ThreadPart::Place => (Cell::Place(part.thread), part.bit),
                    ThreadPart::Own(id) => (Cell::Own(part.thread, id), part.bit),
                    ThreadPart::Row => (Cell::Row(part.thread, part.bit), 0),
                    _ => unreachable!("{SHARED}"),
                },
                Formula::Now(bit) => match bit.variable {
                    Variable::Global(id) => (Cell::Shared(id), bit.bit),
                    Variable::Local(_) => unreachable!("{SHARED}"),
                },
                _ => unreachable!("{SHARED}"),
            };
            let word = self.term(moment, cell);
            text.push_str(&std::mem::take(&mut self.text));
            match self.ty(cell) {
                Type::Bool => word,
                Type::Int(_) => format!("(= ((_ extract {bit} {bit}) {word}) #b1)"),
            }
        });
        self.text = text;
        term
    }
}

const SHARED: &str = "the form was checked: turns speak of shared globals and of threads";
