//! Which values of a run matter (Bebop, footnote 2): a pass over the steps from the last to the
//! first.
//!
//! A value matters if a decision of the run reads it (a guard, an assertion, a `constrain` clause),
//! or if a value that matters is computed from it. Whatever else a statement writes could be
//! anything, and the run would go the same way. A call that is folded counts as reading whatever
//! its procedure may read. In a lasso what matters at the head of the loop matters at its end too,
//! so the loop is passed until nothing is added.

use hardbop_interpreter::{Configuration, Walked, WalkedKind};
use hardbop_machine::{
    Action, EdgeId, Expr, ExprId, GlobalId, LocalId, Machine, Storage, ThreadStart, Variable,
};
use std::collections::{BTreeSet, HashSet};

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Location {
    Shared(GlobalId),
    Own(u32, GlobalId),
    /// Of the frame of a thread with that many frames below it.
    Local(u32, u32, LocalId),
}

/// The values that matter.
#[derive(Debug, Default)]
pub(super) struct Relevance {
    /// For each step the variables, as its effect names them, whose values after it matter.
    pub(super) after: Vec<Vec<Variable>>,
    /// The shared globals whose initial values matter.
    pub(super) globals: BTreeSet<GlobalId>,
    /// For each thread the variables whose first values matter.
    pub(super) threads: Vec<BTreeSet<Variable>>,
}

/// The loop at the end of a lasso.
#[derive(Clone, Copy)]
pub(super) struct Cycle {
    pub(super) first: usize,
    pub(super) growth: u32,
}

/// Finds out which values matter. `observed` are the words of the property that the run shows
/// something about: whatever has such a name matters everywhere.
pub(super) fn relevance(
    machine: &Machine,
    start: &Configuration,
    steps: &[Walked],
    cycle: Option<Cycle>,
    observed: &HashSet<&str>,
) -> Relevance {
    let mut pass = Pass {
        machine,
        steps,
        calls: calls(steps),
        observed,
        needed: BTreeSet::new(),
        found: Relevance {
            after: vec![Vec::new(); steps.len()],
            ..Relevance::default()
        },
    };
    if let Some(cycle) = cycle {
        pass.close(cycle);
    }
    for step in (0..steps.len()).rev() {
        pass.back(step);
    }
    let started = 0..start.threads.len() as u32;
    pass.note_starts(started);
    pass.found.globals = (0..machine.globals.len())
        .map(GlobalId::new)
        .filter(|&id| {
            let is_observed = observed.contains(machine.global(id).name.as_str());
            is_observed || pass.needed.contains(&Location::Shared(id))
        })
        .collect();
    pass.found
}

/// For each return the call that it ends.
fn calls(steps: &[Walked]) -> Vec<Option<EdgeId>> {
    let mut open: Vec<Vec<EdgeId>> = Vec::new();
    let mut calls = Vec::with_capacity(steps.len());
    for step in steps {
        let thread = step.thread as usize;
        if open.len() <= thread {
            open.resize(thread + 1, Vec::new());
        }
        calls.push(match step.kind {
            WalkedKind::Enter(edge) => {
                open[thread].push(edge);
                None
            }
            WalkedKind::Return => open[thread].pop(),
            WalkedKind::Edge(_) | WalkedKind::Call { .. } => None,
        });
    }
    calls
}

struct Pass<'a> {
    machine: &'a Machine,
    steps: &'a [Walked],
    calls: Vec<Option<EdgeId>>,
    observed: &'a HashSet<&'a str>,
    needed: BTreeSet<Location>,
    found: Relevance,
}

impl Pass<'_> {
    /// Adds what matters at the end of the loop because it does at its head.
    fn close(&mut self, cycle: Cycle) {
        let Some(head) = self.steps.get(cycle.first) else {
            return;
        };
        let mut at_end = BTreeSet::new();
        loop {
            self.needed.clone_from(&at_end);
            for step in (cycle.first..self.steps.len()).rev() {
                self.back(step);
            }
            let before = at_end.len();
            at_end.extend(self.needed.iter().map(|&location| match location {
                Location::Local(thread, depth, local)
                    if thread == head.thread && depth == head.depth =>
                {
                    Location::Local(thread, depth + cycle.growth, local)
                }
                other => other,
            }));
            if at_end.len() == before {
                self.needed = at_end;
                return;
            }
        }
    }

    fn location(&self, thread: u32, depth: u32, variable: Variable) -> Location {
        match variable {
            Variable::Local(id) => Location::Local(thread, depth, id),
            Variable::Global(id) => match self.machine.global(id).storage {
                Storage::Shared => Location::Shared(id),
                Storage::PerThread => Location::Own(thread, id),
            },
        }
    }

    /// From what matters after a step to what matters before it.
    fn back(&mut self, index: usize) {
        let step = &self.steps[index];
        let (thread, depth) = (step.thread, step.depth);
        self.note_starts(step.effect.started.clone());
        let after = match step.kind {
            WalkedKind::Enter(_) => depth + 1,
            WalkedKind::Return => depth.saturating_sub(1),
            WalkedKind::Edge(_) | WalkedKind::Call { .. } => depth,
        };
        let written: Vec<Variable> = match step.kind {
            WalkedKind::Enter(_) => {
                let callee = self.machine.procedure(step.effect.scope);
                callee.local_ids().map(Variable::Local).collect()
            }
            _ => step.effect.changes.iter().map(|&(v, _)| v).collect(),
        };
        for &variable in &written {
            let name = self.machine.name_of(step.effect.scope, variable);
            if self.observed.contains(name) {
                let location = self.location(thread, after, variable);
                self.needed.insert(location);
            }
        }
        let matters = |variable: &Variable| {
            let location = self.location(thread, after, *variable);
            self.needed.contains(&location)
        };
        self.found.after[index] = written.into_iter().filter(matters).collect();
        match step.kind {
            WalkedKind::Edge(edge) => self.back_over_edge(step, edge),
            WalkedKind::Enter(edge) => {
                let Action::Call { arguments, .. } = &self.machine.edge(edge).action else {
                    return;
                };
                let mut read = Vec::new();
                for (index, &argument) in arguments.iter().enumerate() {
                    let parameter = Location::Local(thread, depth + 1, LocalId::new(index));
                    if self.needed.contains(&parameter) {
                        read.push(argument);
                    }
                }
                self.forget_frame(thread, depth + 1);
                self.read(thread, depth, read);
            }
            WalkedKind::Call { edge, .. } => self.back_over_folded(thread, depth, edge),
            WalkedKind::Return => self.back_over_return(index),
        }
        if let WalkedKind::Edge(edge) | WalkedKind::Enter(edge) | WalkedKind::Call { edge, .. } =
            step.kind
        {
            self.read(thread, depth, self.machine.edge(edge).guard);
        }
    }

    fn back_over_edge(&mut self, step: &Walked, edge: EdgeId) {
        let (thread, depth) = (step.thread, step.depth);
        let machine = self.machine;
        let at = |pass: &Self, variable| pass.location(thread, depth, variable);
        let mut read = Vec::new();
        match &machine.edge(edge).action {
            Action::Assign {
                assignments,
                constrain,
            } => {
                let mut now = Vec::new();
                let mut next = HashSet::new();
                if let Some(constrain) = *constrain {
                    machine.exprs.visit(constrain, |expr| match *expr {
                        Expr::Var(variable, _) => now.push(variable),
                        Expr::Next(variable, _) => {
                            next.insert(variable);
                            if assignments.iter().all(|&(target, _)| target != variable) {
                                now.push(variable);
                            }
                        }
                        _ => {}
                    });
                }
                for &(target, value) in assignments {
                    if self.needed.remove(&at(self, target)) || next.contains(&target) {
                        read.push(value);
                    }
                }
                let now: Vec<Location> = now.into_iter().map(|v| at(self, v)).collect();
                self.needed.extend(now);
            }
            Action::Return(values) => {
                let results = machine.procedure(machine.procedure_of(step.node)).results();
                for (result, &value) in results.zip(values) {
                    if self.needed.remove(&at(self, Variable::Local(result))) {
                        read.push(value);
                    }
                }
            }
            Action::StartThread(start) => {
                let child = step.effect.started.start;
                let inherited: Vec<Location> = self
                    .frame(child, 0)
                    .filter_map(|location| match (location, start) {
                        (Location::Local(_, _, local), ThreadStart::Node(_)) => {
                            Some(Location::Local(thread, depth, local))
                        }
                        _ => None,
                    })
                    .chain(self.own(child).filter_map(|location| match location {
                        Location::Own(_, id) => Some(Location::Own(thread, id)),
                        _ => None,
                    }))
                    .collect();
                if let ThreadStart::Procedure { arguments, .. } = start {
                    for (index, &argument) in arguments.iter().enumerate() {
                        let parameter = Location::Local(child, 0, LocalId::new(index));
                        if self.needed.contains(&parameter) {
                            read.push(argument);
                        }
                    }
                }
                self.needed.extend(inherited);
            }
            Action::Skip
            | Action::Print(_)
            | Action::Call { .. }
            | Action::EndThread
            | Action::AtomicBegin
            | Action::AtomicEnd => {}
        }
        self.read(thread, depth, read);
    }

    /// Whatever the procedure may read matters, and so do the arguments.
    fn back_over_folded(&mut self, thread: u32, depth: u32, edge: EdgeId) {
        let machine = self.machine;
        let Action::Call {
            callee,
            arguments,
            targets,
        } = &machine.edge(edge).action
        else {
            return;
        };
        for &target in targets.iter().flatten() {
            let location = self.location(thread, depth, target);
            self.needed.remove(&location);
        }
        let globals = (0..machine.globals.len()).map(GlobalId::new);
        let read = globals.filter(|&id| self.machine.effects().references(*callee, id));
        let read: Vec<Location> = read
            .map(|id| self.location(thread, depth, Variable::Global(id)))
            .collect();
        self.needed.extend(read);
        self.read(thread, depth, arguments.iter().copied());
    }

    fn back_over_return(&mut self, index: usize) {
        let step = &self.steps[index];
        let (thread, depth) = (step.thread, step.depth);
        let Some(edge) = self.calls[index] else {
            return;
        };
        let Action::Call {
            callee, targets, ..
        } = &self.machine.edge(edge).action
        else {
            return;
        };
        let results = self.machine.procedure(*callee).results();
        for (target, result) in targets.iter().zip(results) {
            let Some(target) = *target else { continue };
            let location = self.location(thread, depth.saturating_sub(1), target);
            if self.needed.remove(&location) {
                self.needed.insert(Location::Local(thread, depth, result));
            }
        }
    }

    /// The variables of some expressions matter.
    fn read(&mut self, thread: u32, depth: u32, exprs: impl IntoIterator<Item = ExprId>) {
        let machine = self.machine;
        let mut variables = Vec::new();
        for expr in exprs {
            machine.exprs.visit(expr, |expr| {
                if let Expr::Var(variable, _) = *expr {
                    variables.push(variable);
                }
            });
        }
        for variable in variables {
            let location = self.location(thread, depth, variable);
            self.needed.insert(location);
        }
    }

    /// What matters of a frame.
    fn frame(&self, thread: u32, depth: u32) -> impl Iterator<Item = Location> {
        let first = Location::Local(thread, depth, LocalId(0));
        let last = Location::Local(thread, depth, LocalId(u32::MAX));
        self.needed.range(first..=last).copied()
    }

    /// What matters of a thread's own globals.
    fn own(&self, thread: u32) -> impl Iterator<Item = Location> {
        let first = Location::Own(thread, GlobalId(0));
        let last = Location::Own(thread, GlobalId(u32::MAX));
        self.needed.range(first..=last).copied()
    }

    fn forget_frame(&mut self, thread: u32, depth: u32) {
        let gone: Vec<Location> = self.frame(thread, depth).collect();
        for location in gone {
            self.needed.remove(&location);
        }
    }

    /// Notes which first values of threads matter.
    fn note_starts(&mut self, threads: std::ops::Range<u32>) {
        for thread in threads {
            let locations = self.frame(thread, 0).chain(self.own(thread));
            let variables = locations.filter_map(|location| match location {
                Location::Local(_, _, id) => Some(Variable::Local(id)),
                Location::Own(_, id) => Some(Variable::Global(id)),
                Location::Shared(_) => None,
            });
            let variables = variables.collect();
            let count = self.found.threads.len().max(thread as usize + 1);
            self.found.threads.resize(count, BTreeSet::new());
            self.found.threads[thread as usize] = variables;
        }
    }
}
