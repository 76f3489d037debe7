//! A run of configurations with undetermined values, made one with values.
//!
//! The steps are found again along the path, with interchanged threads back in their places. Then
//! values are chosen from the end: what is undetermined before a step and still there afterwards
//! has the value that it has afterwards; a choice that was not made is what the variable is that
//! got it; whatever is gone after the step may be 0.

use crate::exact::evidence::runs::{Concrete, ConcreteRun, ConcreteThread, Taken};
use crate::exact::search::evaluate::{Need, Value};
use crate::exact::search::letters::Letters;
use crate::exact::search::steps::{Step, TooManyCases};
use crate::exact::search::transitions::{Row, Transitions};
use hardbop_machine::{Action, Expr, ExprId, Machine, ThreadStart, Variable};

/// A step of the program's own threads.
struct Stage {
    thread: u32,
    step: Step,
    /// The part of the configuration in which it is taken.
    before: Row,
    /// The configuration afterwards.
    after: Row,
}

/// Makes runs of paths.
pub(crate) struct Witness<'w, 'm> {
    /// The machine.
    pub(crate) machine: &'w Machine,
    /// The configurations' steps.
    pub(crate) transitions: &'w mut Transitions<'m>,
    /// What configurations were split by.
    pub(crate) letters: Option<Letters<'w>>,
}

impl Witness<'_, '_> {
    /// The run of a path of configurations.
    pub(crate) fn run_of(&mut self, path: &[Row]) -> Result<ConcreteRun<'_>, TooManyCases> {
        let stages = self.stages(path)?;
        let last = stages.last().map_or(&path[0], |stage| &stage.after);
        let mut now = self.complete(last);
        let mut steps = Vec::new();
        for stage in stages.iter().rev() {
            let (before, inputs) = self.step_back(stage, &now);
            steps.push(Taken {
                thread: stage.thread,
                edge: stage.step.edge,
                inputs,
                after: now,
            });
            now = before;
        }
        steps.reverse();
        let stepper = &self.transitions.stepper;
        Ok(ConcreteRun {
            machine: self.machine,
            globals: &stepper.globals,
            kinds: &stepper.kinds,
            kind_of: &stepper.kind_of,
            first: now,
            steps,
        })
    }

    /// The steps of a path, with the threads that take them, as far as there are any.
    fn stages(&mut self, path: &[Row]) -> Result<Vec<Stage>, TooManyCases> {
        let mut who: Vec<u32> = (0..self.transitions.stepper.kind_of.len() as u32).collect();
        let mut stages = Vec::new();
        for pair in path.windows(2) {
            let Some((thread, step, before, after)) = self.between(&pair[0], &pair[1])? else {
                break;
            };
            stages.push(Stage {
                thread: who[thread as usize],
                step,
                before: self.with_names(&before, &who),
                after: self.with_names(&after, &who),
            });
            if let Some(order) = self.transitions.order(&after) {
                who = order.iter().map(|&old| who[old as usize]).collect();
            }
        }
        Ok(stages)
    }

    /// A step from one configuration to another, by the thread that stepped last if it can be.
    fn between(
        &mut self,
        from: &Row,
        to: &Row,
    ) -> Result<Option<(u32, Step, Row, Row)>, TooManyCases> {
        // Of two threads in the same state either will do, but only one of them without a context
        // switch.
        let last = self.transitions.turn(from).thread;
        let mut threads: Vec<u32> = Transitions::running(from).collect();
        threads.sort_by_key(|&thread| thread != last);
        for thread in threads {
            for transition in self.transitions.of_thread(from, thread)? {
                let step = transition.step().clone();
                let Some(after) = transition.after else {
                    continue;
                };
                let parts = match self.letters {
                    None => vec![after],
                    Some(letters) => letters.split(self.transitions, after)?,
                };
                for after in parts {
                    if self.transitions.in_order(after.clone()) == *to {
                        let part = transition.part.unwrap_or_else(|| from.clone());
                        return Ok(Some((thread, step, part, after)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The configuration with every thread under its own number; `who` says which one stands where.
    fn with_names(&mut self, row: &[u32], who: &[u32]) -> Row {
        let mut order = vec![0; who.len()];
        for (stands, &thread) in (0..).zip(who) {
            order[thread as usize] = stands;
        }
        self.transitions.rearranged(row, &order)
    }

    fn complete(&self, row: &[u32]) -> Concrete {
        let stepper = &self.transitions.stepper;
        let known = |values: &[Value]| values.iter().map(|v| v.unwrap_or(0)).collect();
        let locals = Transitions::locals(row).iter().zip(&stepper.kind_of);
        let threads = locals.map(|(&local, &kind)| {
            let local = stepper.kinds[kind].locals.get(local);
            ConcreteThread {
                place: local.place,
                own: known(&local.own),
                row: known(&local.row),
            }
        });
        Concrete {
            shared: known(stepper.shared.get(Transitions::shared(row))),
            threads: threads.collect(),
        }
    }

    /// Values before a step, and its choices, with which it leads to `after`.
    fn step_back(&self, stage: &Stage, after: &Concrete) -> (Concrete, Vec<u64>) {
        let stepper = &self.transitions.stepper;
        let index = stage.thread as usize;
        let kind = stepper.kind_of[index];
        let local = Transitions::locals(&stage.before)[index];
        let shared = Transitions::shared(&stage.before);
        let mut scene = stepper.scene(kind, local, shared);
        stepper.decide(kind, &mut scene, &stage.step.decisions);
        let mut before = self.complete(&stage.before);
        for (thread, later) in before.threads.iter_mut().zip(&after.threads) {
            if thread.place != 0 && later.place != 0 {
                *thread = later.clone();
            }
        }
        let inputs = self.inputs(stage, after, scene.local.row.len());
        if stage.step.edge.is_none() {
            self.hand_back_results(stage, scene.local.place, &mut scene.local.row, after);
        }
        let fill = |cube: &[Value], later: &[u64]| {
            let cells = cube.iter().enumerate();
            let cells = cells.map(|(i, cell)| cell.or(later.get(i).copied()).unwrap_or(0));
            cells.collect()
        };
        before.shared = fill(&scene.shared, &after.shared);
        let later = &after.threads[index];
        before.threads[index] = ConcreteThread {
            place: scene.local.place,
            own: fill(&scene.local.own, &later.own),
            row: fill(&scene.local.row, &later.row),
        };
        (before, inputs)
    }

    /// Gives results that were undetermined at a return the values that the call's targets got.
    fn hand_back_results(&self, stage: &Stage, place: u32, row: &mut [Value], after: &Concrete) {
        let machine = self.machine;
        let kind = self.transitions.stepper.kind_of[stage.thread as usize];
        let kind = &self.transitions.stepper.kinds[kind];
        let Some((number, _)) = kind.inlined.locate(machine, place) else {
            return;
        };
        let frame = &kind.inlined.frames()[number as usize];
        let Some((caller, call)) = frame.caller else {
            return;
        };
        let Action::Call { targets, .. } = &machine.edge(call).action else {
            return;
        };
        let start = kind.row_starts[number as usize];
        let caller_start = kind.row_starts[caller as usize];
        let results = machine.procedure(frame.procedure).results();
        for (target, result) in targets.iter().zip(results) {
            if let Some(target) = *target {
                let value = self.value_after(after, stage.thread, caller_start, target);
                row[start + result.index()].get_or_insert(value);
            }
        }
    }

    fn value_after(
        &self,
        after: &Concrete,
        thread: u32,
        row_start: usize,
        variable: Variable,
    ) -> u64 {
        let later = &after.threads[thread as usize];
        let globals = &self.transitions.stepper.globals;
        let value = match variable {
            Variable::Local(id) => later.row.get(row_start + id.index()),
            Variable::Global(id) if globals.shared.contains(&id) => {
                after.shared.get(globals.position(id))
            }
            Variable::Global(id) => later.own.get(globals.position(id)),
        };
        value.copied().unwrap_or(0)
    }

    /// The choices of a step.
    fn inputs(&self, stage: &Stage, after: &Concrete, row_length: usize) -> Vec<u64> {
        let machine = self.machine;
        let Some(edge) = stage.step.edge else {
            return Vec::new();
        };
        let edge = machine.edge(edge);
        let mut inputs = vec![0; edge.inputs.len()];
        let procedure = machine.procedure(machine.procedure_of(edge.from));
        let row_start = row_length - procedure.locals.len();
        let mut pass = |value: ExprId, got: u64| {
            if let Expr::Input(input, _) = *machine.exprs.get(value) {
                inputs[input.index()] = got;
            }
        };
        let later = &after.threads[stage.thread as usize];
        let cell = |row: &[u64], index: usize| row.get(index).copied().unwrap_or(0);
        match &edge.action {
            Action::Assign { assignments, .. } => {
                for &(variable, value) in assignments {
                    let got = self.value_after(after, stage.thread, row_start, variable);
                    pass(value, got);
                }
            }
            Action::Return(values) => {
                for (result, &value) in procedure.results().zip(values) {
                    pass(value, cell(&later.row, row_start + result.index()));
                }
            }
            Action::Call { arguments, .. } => {
                for (index, &value) in arguments.iter().enumerate() {
                    pass(value, cell(&later.row, row_length + index));
                }
            }
            Action::StartThread(ThreadStart::Procedure { arguments, .. }) => {
                let child = self.transitions.turn(&stage.after).started - 1;
                let child = &after.threads[child as usize];
                for (index, &value) in arguments.iter().enumerate() {
                    pass(value, cell(&child.row, index));
                }
            }
            _ => {}
        }
        for &(need, value) in &stage.step.decisions {
            if let Need::Input(input) = need {
                inputs[input.index()] = value;
            }
        }
        inputs
    }
}
