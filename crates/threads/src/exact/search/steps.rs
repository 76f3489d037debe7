//! The steps of a single thread: what it makes of its own state and the shared variables.
//!
//! A step may need a variable that has no value yet; then it is tried with each of its values, so
//! that the *decisions* of a step say of which of the configurations that a state stands for it is
//! a step. A variable is copied only when it has a value (two undetermined variables that must be
//! equal cannot be expressed), except where the original is gone afterwards, as the results of a
//! call are. The Getafix flag is always decided: the scheduler looks at it.
//!
//! Steps are computed once per state of a thread and of the shared variables, whatever the other
//! threads are doing.

use crate::exact::encoding::components::{GlobalIndex, Kind, Local, Shared};
use crate::exact::search::evaluate::{Need, Value};
use crate::exact::search::firing::{Fired, Frame};
use crate::exact::search::schedule::Effect;
use crate::tables::Numbering;
use hardbop_machine::analysis::QuickMap;
use hardbop_machine::cast::Cast;
use hardbop_machine::{EdgeId, Machine, ProcId, Storage, Type, Variable};
use std::rc::Rc;

/// A variable or choice with the value it was given.
pub(crate) type Decision = (Need, u64);

/// A step of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The edge; none for a return.
    pub(crate) edge: Option<EdgeId>,
    /// What must have which value for it to be this step.
    pub(crate) decisions: Vec<Decision>,
    /// The thread's state afterwards.
    pub(crate) local: u32,
    /// The shared variables afterwards.
    pub(crate) shared: u32,
    /// What it does to the schedule.
    pub(crate) effect: Effect,
    /// The state of the thread that it starts.
    pub(crate) child: Option<u32>,
}

/// All steps of a thread from a state.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// The steps.
    pub(crate) steps: Vec<Step>,
    /// The parts of the state, as states of thread and shared variables, in which there is none.
    pub(crate) blocked: Vec<(u32, u32)>,
}

/// A step that has more cases than can be tried one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyCases;

/// The largest number of cases of one step.
const MOST_CASES: usize = 1 << 12;

/// Computes steps and keeps them.
pub(crate) struct Stepper<'m> {
    /// The machine.
    pub(crate) machine: &'m Machine,
    /// Where globals lie.
    pub(crate) globals: GlobalIndex,
    /// The kinds of threads.
    pub(crate) kinds: Vec<Kind>,
    /// The kind of each thread.
    pub(crate) kind_of: Vec<usize>,
    /// The kind of threads that others start.
    pub(crate) started_kind: Option<usize>,
    /// The states of the shared variables that have been met.
    pub(crate) shared: Numbering<Shared>,
    known: QuickMap<(usize, u32, u32), Rc<Steps>>,
}

/// A state of a thread and the shared variables, opened.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// The shared variables.
    pub(crate) shared: Vec<Value>,
    /// The thread.
    pub(crate) local: Local,
}

impl<'m> Stepper<'m> {
    /// Nothing is computed yet.
    pub(crate) fn new(machine: &'m Machine, cast: &Cast) -> Self {
        let (kinds, kind_of) = Kind::of_cast(machine, cast);
        let has_room = cast.len() > cast.initial;
        Self {
            machine,
            globals: GlobalIndex::new(machine),
            started_kind: kind_of.last().copied().filter(|_| has_room),
            kinds,
            kind_of,
            shared: Numbering::default(),
            known: QuickMap::default(),
        }
    }

    /// Of how many states the steps are kept.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// The initial state of the shared variables.
    pub(crate) fn initial_shared(&mut self) -> u32 {
        let values = GlobalIndex::initial(self.machine, &self.globals.shared);
        self.shared.number(values.into())
    }

    /// The state in which a thread of the program starts at a place.
    pub(crate) fn initial_local(&mut self, thread: u32, place: u32) -> u32 {
        let kind = self.kind_of[thread as usize];
        let frame = self.kinds[kind].inlined.locate(self.machine, place);
        let procedure = frame.map(|(_, node)| self.machine.procedure_of(node));
        let locals = procedure.map_or(0, |id| self.machine.procedure(id).locals.len());
        let own = GlobalIndex::initial(self.machine, &self.globals.own);
        self.kinds[kind].locals.number(Local {
            place,
            own,
            row: vec![None; locals],
        })
    }

    /// The state of a thread and the shared variables.
    pub(crate) fn scene(&self, kind: usize, local: u32, shared: u32) -> Scene {
        Scene {
            shared: self.shared.get(shared).to_vec(),
            local: Local::clone(self.kinds[kind].locals.get(local)),
        }
    }

    /// The value of a variable as a thread sees it in its running frame.
    pub(crate) fn read(&self, kind: usize, scene: &Scene, variable: Variable) -> Value {
        match variable {
            Variable::Local(id) => {
                let start = self.frame(kind, &scene.local)?.row_start;
                scene.local.row[start + id.index()]
            }
            Variable::Global(id) => match self.machine.global(id).storage {
                Storage::Shared => scene.shared[self.globals.position(id)],
                Storage::PerThread => scene.local.own[self.globals.position(id)],
            },
        }
    }

    /// Gives a variable a value, as seen from a frame whose locals start there.
    pub(crate) fn write(
        &self,
        row_start: usize,
        scene: &mut Scene,
        variable: Variable,
        value: Value,
    ) {
        let cell = match variable {
            Variable::Local(id) => &mut scene.local.row[row_start + id.index()],
            Variable::Global(id) => match self.machine.global(id).storage {
                Storage::Shared => &mut scene.shared[self.globals.position(id)],
                Storage::PerThread => &mut scene.local.own[self.globals.position(id)],
            },
        };
        *cell = value;
    }

    fn frame(&self, kind: usize, local: &Local) -> Option<Frame> {
        let (number, node) = self.kinds[kind].inlined.locate(self.machine, local.place)?;
        Some(Frame {
            kind,
            number,
            row_start: self.kinds[kind].row_starts[number as usize],
            node,
        })
    }

    /// The steps of a thread of a kind.
    pub(crate) fn steps(
        &mut self,
        kind: usize,
        local: u32,
        shared: u32,
    ) -> Result<Rc<Steps>, TooManyCases> {
        let key = (kind, local, shared);
        if let Some(known) = self.known.get(&key) {
            return Ok(Rc::clone(known));
        }
        let scene = self.scene(kind, local, shared);
        let mut steps = Vec::new();
        if let Some(frame) = self.frame(kind, &scene.local) {
            let procedure = self.machine.procedure_of(frame.node);
            if self.machine.procedure(procedure).exit == frame.node {
                self.cases(frame, &scene, None, &mut steps)?;
            } else {
                for edge in self.machine.edges_from(frame.node) {
                    self.cases(frame, &scene, Some(edge), &mut steps)?;
                }
            }
        }
        let blocked = self.blocked(kind, &scene, &steps)?;
        let steps = Rc::new(Steps { steps, blocked });
        self.known.insert(key, Rc::clone(&steps));
        Ok(steps)
    }

    /// Tries a step with all values of what it needs.
    fn cases(
        &mut self,
        frame: Frame,
        scene: &Scene,
        edge: Option<EdgeId>,
        steps: &mut Vec<Step>,
    ) -> Result<(), TooManyCases> {
        let mut decisions: Vec<Decision> = Vec::new();
        let first = steps.len();
        loop {
            match self.fire(frame, scene, edge, &decisions) {
                Err(need) if self.type_of(frame, edge, need).width() <= MOST_CASES.ilog2() => {
                    decisions.push((need, 0));
                    continue;
                }
                Err(_) => return Err(TooManyCases),
                Ok(None) => {}
                Ok(Some(fired)) => steps.push(self.finish(frame.kind, edge, &decisions, fired)),
            }
            if steps.len() - first > MOST_CASES {
                return Err(TooManyCases);
            }
            while let Some((need, value)) = decisions.pop() {
                if value < self.type_of(frame, edge, need).max_value() {
                    decisions.push((need, value + 1));
                    break;
                }
            }
            if decisions.is_empty() {
                return Ok(());
            }
        }
    }

    fn type_of(&self, frame: Frame, edge: Option<EdgeId>, need: Need) -> Type {
        match need {
            Need::Variable(variable) => {
                let procedure = self.machine.procedure_of(frame.node);
                self.machine.type_of(procedure, variable)
            }
            Need::Input(input) => edge.map_or(Type::Bool, |edge| {
                self.machine.edge(edge).inputs[input.index()]
            }),
        }
    }

    fn finish(
        &mut self,
        kind: usize,
        edge: Option<EdgeId>,
        decisions: &[Decision],
        fired: Fired,
    ) -> Step {
        let started = self.started_kind;
        let child = fired.child.zip(started);
        Step {
            edge,
            decisions: decisions.to_vec(),
            local: self.kinds[kind].locals.number(fired.scene.local),
            shared: self.shared.number(fired.scene.shared.into()),
            effect: fired.effect,
            child: child.map(|(child, kind)| self.kinds[kind].locals.number(child)),
        }
    }

    /// The parts of a state in which no step can be taken.
    fn blocked(
        &mut self,
        kind: usize,
        scene: &Scene,
        steps: &[Step],
    ) -> Result<Vec<(u32, u32)>, TooManyCases> {
        let Some(frame) = self.frame(kind, &scene.local) else {
            return Ok(Vec::new());
        };
        let mut parts: Vec<Vec<(Variable, u64)>> = vec![Vec::new()];
        for step in steps {
            let mut left = Vec::new();
            for part in parts {
                left.extend(without(&part, &step.decisions, |variable| {
                    self.type_of(frame, step.edge, Need::Variable(variable))
                        .max_value()
                }));
                if left.len() > MOST_CASES {
                    return Err(TooManyCases);
                }
            }
            parts = left;
        }
        let parts = parts.into_iter().map(|part| {
            let mut refined = scene.clone();
            for (variable, value) in part {
                self.write(frame.row_start, &mut refined, variable, Some(value));
            }
            let local = self.kinds[kind].locals.number(refined.local);
            (local, self.shared.number(refined.shared.into()))
        });
        Ok(parts.collect())
    }

    /// All values of a variable as a thread in some state sees it.
    pub(crate) fn values(
        &self,
        kind: usize,
        local: u32,
        variable: Variable,
    ) -> Result<std::ops::RangeInclusive<u64>, TooManyCases> {
        let frame = self.frame(kind, self.kinds[kind].locals.get(local));
        let procedure = frame.map_or(ProcId(0), |frame| self.machine.procedure_of(frame.node));
        let ty = self.machine.type_of(procedure, variable);
        if ty.width() > MOST_CASES.ilog2() {
            return Err(TooManyCases);
        }
        Ok(0..=ty.max_value())
    }

    /// A state of a thread and the shared variables in which a variable has a value.
    pub(crate) fn refined(
        &mut self,
        kind: usize,
        (local, shared): (u32, u32),
        variable: Variable,
        value: u64,
    ) -> (u32, u32) {
        let mut scene = self.scene(kind, local, shared);
        let start = self.frame(kind, &scene.local).map_or(0, |f| f.row_start);
        self.write(start, &mut scene, variable, Some(value));
        (
            self.kinds[kind].locals.number(scene.local),
            self.shared.number(scene.shared.into()),
        )
    }

    /// A state with the variables that a step has decided.
    pub(crate) fn decide(&self, kind: usize, scene: &mut Scene, decisions: &[Decision]) {
        let start = self.frame(kind, &scene.local).map_or(0, |f| f.row_start);
        for &(need, value) in decisions {
            if let Need::Variable(variable) = need {
                self.write(start, scene, variable, Some(value));
            }
        }
    }
}

/// A part of a state without what a step's decisions describe, as disjoint parts.
fn without(
    part: &[(Variable, u64)],
    decisions: &[Decision],
    largest: impl Fn(Variable) -> u64,
) -> Vec<Vec<(Variable, u64)>> {
    let mut left = Vec::new();
    let mut common = part.to_vec();
    for &(need, value) in decisions {
        let Need::Variable(variable) = need else {
            continue;
        };
        match common.iter().find(|&&(other, _)| other == variable) {
            Some(&(_, other)) if other == value => {}
            // They have nothing in common.
            Some(_) => return vec![part.to_vec()],
            None => {
                for other in (0..=largest(variable)).filter(|&other| other != value) {
                    let mut rest = common.clone();
                    rest.push((variable, other));
                    left.push(rest);
                }
                common.push((variable, value));
            }
        }
    }
    left
}
