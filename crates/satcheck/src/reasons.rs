//! Why a path cannot be taken: the variables through which some of its guards depend on each other.
//!
//! A walk back along the path, from the last guard that is blamed: the variables of a blamed guard matter, and where one that matters gets its value, so do the
//! variables of that value. Each variable has a distance, 0 in the guards themselves, and one more for each assignment it flows through;
//! often the nearest suffice, because the guards contradict each other whatever the value was.

use crate::path::PathStep;
use crate::precision::each_variable;
use hardbop_machine::{Action, ExprId, Machine, ProcId, Variable};
use std::collections::BTreeMap;

/// Variables with their distance from the guards.
pub type Reasons = BTreeMap<(ProcId, Variable), u32>;

/// The variables through which the blamed guards of a path depend on each other.
pub fn reasons(machine: &Machine, path: &[PathStep], blamed: &[bool]) -> Reasons {
    let mut walk = WalkBack {
        machine,
        depth: 0,
        needed: BTreeMap::new(),
        reasons: BTreeMap::new(),
    };
    for (&step, &is_blamed) in path.iter().zip(blamed).rev() {
        walk.step(step, is_blamed);
    }
    walk.reasons
}

/// A walk back along a path.
struct WalkBack<'m> {
    machine: &'m Machine,
    /// The frame, counted from the last one.
    depth: i64,
    /// Variables whose values matter, by frame, with their distance from a guard. Globals are in frame 0.
    needed: BTreeMap<(i64, Variable), u32>,
    reasons: Reasons,
}

impl WalkBack<'_> {
    fn place(&self, variable: Variable) -> (i64, Variable) {
        match variable {
            Variable::Global(_) => (0, variable),
            Variable::Local(_) => (self.depth, variable),
        }
    }

    fn note(&mut self, procedure: ProcId, variable: Variable, distance: u32) {
        let known = self.reasons.entry((procedure, variable));
        let known = known.or_insert(distance);
        *known = distance.min(*known);
    }

    /// The variables of an expression matter.
    fn need(&mut self, procedure: ProcId, root: ExprId, distance: u32) {
        let mut read = Vec::new();
        each_variable(self.machine, root, |variable| read.push(variable));
        for variable in read {
            self.note(procedure, variable, distance);
            let place = self.place(variable);
            let known = self.needed.entry(place).or_insert(distance);
            *known = distance.min(*known);
        }
    }

    /// Each variable gets the value of its expression here.
    fn assign(&mut self, procedure: ProcId, pairs: Vec<(Variable, ExprId)>, constrained: bool) {
        let mut reads = Vec::new();
        for (variable, value) in pairs {
            let needed = self.needed.remove(&self.place(variable));
            let distance = needed.or(constrained.then_some(0));
            if let Some(distance) = distance {
                self.note(procedure, variable, distance);
                reads.push((value, distance + 1));
            }
        }
        for (value, distance) in reads {
            self.need(procedure, value, distance);
        }
    }

    fn step(&mut self, step: PathStep, is_blamed: bool) {
        let (PathStep::Edge(id) | PathStep::Enter(id) | PathStep::Leave(id)) = step;
        let edge = self.machine.edge(id);
        let procedure = self.machine.procedure_of(edge.from);
        match (step, &edge.action) {
            (
                PathStep::Leave(_),
                Action::Call {
                    callee, targets, ..
                },
            ) => {
                let results = self.machine.procedure(*callee).results();
                let mut passed = Vec::new();
                for (result, target) in results.zip(targets) {
                    let Some(target) = *target else {
                        continue;
                    };
                    if let Some(distance) = self.needed.remove(&self.place(target)) {
                        self.note(procedure, target, distance);
                        passed.push((Variable::Local(result), distance));
                    }
                }
                self.depth += 1;
                for (result, distance) in passed {
                    self.note(*callee, result, distance);
                    self.needed.insert((self.depth, result), distance);
                }
            }
            (
                PathStep::Enter(_),
                Action::Call {
                    callee, arguments, ..
                },
            ) => {
                let parameters = self.machine.procedure(*callee).parameters();
                let mut passed = Vec::new();
                for (parameter, &argument) in parameters.zip(arguments) {
                    let parameter = Variable::Local(parameter);
                    if let Some(distance) = self.needed.remove(&(self.depth, parameter)) {
                        self.note(*callee, parameter, distance);
                        passed.push((argument, distance));
                    }
                }
                let depth = self.depth;
                self.needed.retain(|&(at, variable), _| {
                    at != depth || matches!(variable, Variable::Global(_))
                });
                self.depth -= 1;
                for (argument, distance) in passed {
                    self.need(procedure, argument, distance);
                }
            }
            (
                _,
                Action::Assign {
                    assignments,
                    constrain,
                },
            ) => {
                let constrain = constrain.filter(|_| is_blamed);
                self.assign(procedure, assignments.clone(), constrain.is_some());
                if let Some(constrain) = constrain {
                    self.need(procedure, constrain, 0);
                }
            }
            (_, Action::Return(values)) => {
                let results = self.machine.procedure(procedure).results();
                let pairs = results.map(Variable::Local).zip(values.iter().copied());
                self.assign(procedure, pairs.collect(), false);
            }
            _ => {}
        }
        if is_blamed
            && !matches!(step, PathStep::Leave(_))
            && let Some(guard) = edge.guard
        {
            self.need(procedure, guard, 0);
        }
    }
}
