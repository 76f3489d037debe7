//! Which variables the abstract machine has, and what they mean.
//!
//! Variables of few bits are kept. Of words there is one Boolean for each predicate: a global if it
//! speaks of globals only, else a local of the procedure that it belongs to. A predicate of
//! parameters and globals is a parameter, since the caller can say whether it holds. One that says
//! something about the results or about globals that the call changes is a result, from which the
//! caller learns about its own predicates: it is given to a scratch variable of the caller, and
//! the step behind the call reads it. One that is both has a copy that is set at the exit.

use super::formulas::Formulas;
use hardbop_machine::analysis::ModRef;
use hardbop_machine::analysis::variables::each_write;
use hardbop_machine::{
    Action, Expr, ExprId, Global, GlobalId, Local, LocalId, Machine, ProcId, Storage, Type,
    Variable,
};
use hardbop_syntax::{Notation, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Formulas over the variables of a machine that hold or do not.
#[derive(Clone, Debug)]
pub(super) struct Predicates {
    /// Those over globals.
    pub global: Vec<ExprId>,
    /// Those over locals too, by procedure.
    pub local: Vec<Vec<ExprId>>,
}

impl Predicates {
    pub(super) fn none(machine: &Machine) -> Self {
        Self {
            global: Vec::new(),
            local: vec![Vec::new(); machine.procedures.len()],
        }
    }

    /// Adds a formula as seen from a procedure; false if it is known.
    pub(super) fn add(&mut self, formulas: &Formulas, procedure: ProcId, formula: ExprId) -> bool {
        let is_local =
            |&leaf: &ExprId| matches!(formulas.get(leaf), Expr::Var(Variable::Local(_), _));
        let list = if formulas.leaves(formula).iter().any(is_local) {
            &mut self.local[procedure.index()]
        } else {
            &mut self.global
        };
        let is_new = !list.contains(&formula);
        if is_new {
            list.push(formula);
        }
        is_new
    }

    pub(super) fn count(&self) -> usize {
        self.global.len() + self.local.iter().map(Vec::len).sum::<usize>()
    }
}

/// What a variable of the abstract machine means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The variable of the original.
    Kept(Variable),
    /// A predicate holds.
    Holds(ExprId),
    /// At the exit: a predicate holds. False before.
    HoldsAtExit(ExprId),
    /// Between a call and the step behind it: a predicate of the callee. False otherwise.
    Scratch,
}

/// The locals of a procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameInterface {
    pub locals: Vec<Meaning>,
    pub types: Vec<Local>,
    pub parameter_count: u32,
    pub result_count: u32,
    kept: BTreeMap<LocalId, LocalId>,
    /// The variables of predicates.
    pub holds: BTreeMap<ExprId, LocalId>,
    /// Predicates that are parameters, in order, behind the parameters that are kept.
    pub passed: Vec<ExprId>,
    /// Predicates that are results, in order, behind the results that are kept.
    pub exported: Vec<ExprId>,
    /// Their copies, of those that have one.
    pub copies: BTreeMap<ExprId, LocalId>,
    pub scratch: Vec<LocalId>,
}

/// All variables of the abstract machine.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub globals: Vec<Meaning>,
    pub types: Vec<Global>,
    kept: BTreeMap<GlobalId, GlobalId>,
    pub holds: BTreeMap<ExprId, GlobalId>,
    pub frames: Vec<FrameInterface>,
    /// Parameters that their procedure never assigns.
    pub fixed: Vec<BTreeSet<LocalId>>,
}

impl Interface {
    pub(super) fn new(
        machine: &Machine,
        effects: &ModRef,
        formulas: &mut Formulas,
        predicates: &Predicates,
        widest: u32,
    ) -> Self {
        let mut interface = Self {
            globals: Vec::new(),
            types: Vec::new(),
            kept: BTreeMap::new(),
            holds: BTreeMap::new(),
            frames: Vec::new(),
            fixed: Vec::new(),
        };
        for (index, global) in machine.globals.iter().enumerate() {
            if global.ty.width() <= widest {
                let id = GlobalId::new(index);
                let new = GlobalId::new(interface.globals.len());
                interface.kept.insert(id, new);
                interface.globals.push(Meaning::Kept(Variable::Global(id)));
                interface.types.push(global.clone());
            }
        }
        for &predicate in &predicates.global {
            let new = GlobalId::new(interface.globals.len());
            interface.holds.insert(predicate, new);
            interface.globals.push(Meaning::Holds(predicate));
            interface.types.push(Global {
                name: format!("predicate {}", new.index()),
                ty: Type::Bool,
                storage: Storage::Shared,
                initial: initially(machine, formulas, predicate),
                notation: Notation::default(),
                span: Span::default(),
            });
        }
        for procedure in machine.procedure_ids() {
            interface.fixed.push(fixed_parameters(machine, procedure));
        }
        let mut frames = Vec::new();
        for procedure in machine.procedure_ids() {
            let exported = interface.exported(machine, effects, formulas, predicates, procedure);
            frames.push(exported);
        }
        for procedure in machine.procedure_ids() {
            let calls = machine.procedure(procedure).edge_ids();
            let calls = calls.filter_map(|edge| match machine.edge(edge).action {
                Action::Call { callee, .. } => Some(frames[callee.index()].len()),
                _ => None,
            });
            let scratch = calls.max().unwrap_or(0);
            let local = &predicates.local[procedure.index()];
            let exported = &frames[procedure.index()];
            let frame = frame(
                machine, formulas, procedure, widest, local, exported, scratch,
            );
            interface.frames.push(frame);
        }
        interface
    }

    /// The predicates of a procedure that tell a caller something.
    fn exported(
        &self,
        machine: &Machine,
        effects: &ModRef,
        formulas: &Formulas,
        predicates: &Predicates,
        id: ProcId,
    ) -> Vec<ExprId> {
        let results: BTreeSet<LocalId> = machine.procedure(id).results().collect();
        let fixed = &self.fixed[id.index()];
        let tells = |&predicate: &ExprId| {
            let mut is_new = false;
            for &leaf in formulas.leaves(predicate).iter() {
                match formulas.get(leaf) {
                    Expr::Var(Variable::Local(local), _) if results.contains(&local) => {
                        is_new = true;
                    }
                    Expr::Var(Variable::Local(local), _) if fixed.contains(&local) => {}
                    Expr::Var(Variable::Global(global), _) => {
                        is_new |= effects.modifies(id, global);
                    }
                    _ => return false,
                }
            }
            is_new
        };
        let local = predicates.local[id.index()].iter().copied();
        local.filter(tells).collect()
    }

    /// The variable that stands for one of the original that is kept.
    pub(super) fn kept(&self, procedure: ProcId, variable: Variable) -> Option<Variable> {
        match variable {
            Variable::Global(id) => self.kept.get(&id).copied().map(Variable::Global),
            Variable::Local(id) => {
                let kept = &self.frames[procedure.index()].kept;
                kept.get(&id).copied().map(Variable::Local)
            }
        }
    }

    /// What a variable means in a procedure.
    pub(super) fn meaning(&self, procedure: ProcId, variable: Variable) -> Meaning {
        match variable {
            Variable::Global(id) => self.globals[id.index()],
            Variable::Local(id) => self.frames[procedure.index()].locals[id.index()],
        }
    }
}

/// Whether a predicate holds at the start, if the initial values of globals decide it.
fn initially(machine: &Machine, formulas: &mut Formulas, predicate: ExprId) -> Option<u64> {
    let value = formulas.substitute(predicate, |formulas, leaf| {
        let Expr::Var(Variable::Global(id), ty) = formulas.get(leaf) else {
            return Some(leaf);
        };
        let initial = machine.global(id).initial;
        Some(initial.map_or(leaf, |value| formulas.make(Expr::Const(value, ty))))
    })?;
    formulas.constant(value)
}

fn fixed_parameters(machine: &Machine, id: ProcId) -> BTreeSet<LocalId> {
    let procedure = machine.procedure(id);
    let mut fixed: BTreeSet<LocalId> = procedure.parameters().collect();
    for edge in procedure.edge_ids() {
        each_write(machine, edge, |variable| {
            if let Variable::Local(local) = variable {
                fixed.remove(&local);
            }
        });
    }
    fixed
}

fn frame(
    machine: &Machine,
    formulas: &Formulas,
    id: ProcId,
    widest: u32,
    predicates: &[ExprId],
    exported: &[ExprId],
    scratch: usize,
) -> FrameInterface {
    let procedure = machine.procedure(id);
    let is_kept = |local: &LocalId| procedure.locals[local.index()].ty.width() <= widest;
    let parameters = procedure.parameter_count;
    let first_result = procedure.locals.len() as u32 - procedure.result_count;
    let is_passed = |predicate: &ExprId| {
        let mut leaves = formulas.leaves(*predicate).iter();
        leaves.all(|&leaf| match formulas.get(leaf) {
            Expr::Var(Variable::Local(local), _) => local.0 < parameters,
            _ => true,
        })
    };
    let mut frame = FrameInterface {
        passed: predicates.iter().copied().filter(is_passed).collect(),
        exported: exported.to_vec(),
        ..FrameInterface::default()
    };
    let keep = |frame: &mut FrameInterface, locals: std::ops::Range<u32>| {
        for local in locals.map(LocalId).filter(is_kept) {
            let declared = procedure.locals[local.index()].clone();
            let new = frame.add(declared, Meaning::Kept(Variable::Local(local)));
            frame.kept.insert(local, new);
        }
    };
    keep(&mut frame, 0..parameters);
    for predicate in frame.passed.clone() {
        frame.predicate(predicate);
    }
    frame.parameter_count = frame.locals.len() as u32;
    keep(&mut frame, parameters..first_result);
    for &predicate in predicates {
        if !is_passed(&predicate) && !exported.contains(&predicate) {
            frame.predicate(predicate);
        }
    }
    for _ in 0..scratch {
        let new = frame.boolean(Meaning::Scratch);
        frame.scratch.push(new);
    }
    let before_results = frame.locals.len();
    keep(&mut frame, first_result..procedure.locals.len() as u32);
    for &predicate in exported {
        if is_passed(&predicate) {
            let copy = frame.boolean(Meaning::HoldsAtExit(predicate));
            frame.copies.insert(predicate, copy);
        } else {
            frame.predicate(predicate);
        }
    }
    frame.result_count = (frame.locals.len() - before_results) as u32;
    frame
}

impl FrameInterface {
    fn add(&mut self, declared: Local, meaning: Meaning) -> LocalId {
        self.locals.push(meaning);
        self.types.push(declared);
        LocalId::new(self.locals.len() - 1)
    }

    fn boolean(&mut self, meaning: Meaning) -> LocalId {
        let declared = Local {
            name: format!("predicate {}", self.locals.len()),
            ty: Type::Bool,
            notation: Notation::default(),
        };
        self.add(declared, meaning)
    }

    fn predicate(&mut self, predicate: ExprId) {
        let new = self.boolean(Meaning::Holds(predicate));
        self.holds.insert(predicate, new);
    }
}
