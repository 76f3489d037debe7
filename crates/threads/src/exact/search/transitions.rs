//! Steps of whole configurations: who may step, and what becomes of the row of numbers.
//!
//! The rules of the scheduler are the interpreter's: `init` runs alone; while the Getafix flag is
//! set only the thread that stepped last goes on; a thread inside an atomic block keeps the others
//! from stepping as long as it can step itself. Where that is open because a variable has no value
//! yet, the others step from the parts of the configuration in which it cannot.
//!
//! Threads of one kind are interchangeable: nothing in a program names a thread. So of all
//! configurations that differ only in which of them is where, the one with ascending numbers is
//! stored.

use crate::exact::encoding::components::ABSENT;
use crate::exact::search::evaluate::Value;
use crate::exact::search::schedule::Effect;
use crate::exact::search::schedule::turn_after;
use crate::exact::search::steps::{Step, Stepper, Steps, TooManyCases};
use crate::tables::Numbering;
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId, Variable};
use hardbop_outcome::certificate::Turn;
use std::ops::Range;
use std::rc::Rc;

/// A configuration: shared variables, schedule, threads, each by number.
pub(crate) type Row = Vec<u32>;

pub(crate) const SHARED: usize = 0;
pub(crate) const TURN: usize = 1;
pub(crate) const THREADS: usize = 2;

/// In [`Turn::thread`]: it does not matter who stepped last.
pub(crate) const NOBODY: u32 = u32::MAX;

/// A configuration is split into at most this many parts.
const MOST_PARTS: usize = 1 << 12;

/// What a configuration remembers of who stepped last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Only what the scheduler asks for: who has set the Getafix flag.
    Flag,
    /// Always, so that context switches can be counted.
    LastStep,
}

/// A step of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    /// The part of the configuration from which it is taken, where that is not the whole.
    pub(crate) part: Option<Row>,
    /// The steps of that thread, of which this is one.
    steps: Rc<Steps>,
    index: usize,
    /// The configuration afterwards; none if a thread would have to be started for which there is
    /// no room.
    pub(crate) after: Option<Row>,
}

impl Transition {
    /// The step of the thread.
    pub(crate) fn step(&self) -> &Step {
        &self.steps.steps[self.index]
    }
}

/// The configurations of a program and their steps.
pub(crate) struct Transitions<'m> {
    machine: &'m Machine,
    cast: &'m Cast,
    /// The steps of single threads.
    pub(crate) stepper: Stepper<'m>,
    /// The schedules that have been met.
    pub(crate) turns: Numbering<Turn>,
    memory: Memory,
    /// The threads that may be exchanged with each other; none if that is not wanted.
    interchangeable: Vec<Range<usize>>,
    /// The states in which the threads of the program start, in order.
    entries: Vec<u32>,
}

impl<'m> Transitions<'m> {
    /// The steps of a program's threads, those of one kind interchangeable if that is wanted.
    pub(crate) fn new(
        machine: &'m Machine,
        cast: &'m Cast,
        memory: Memory,
        symmetry: bool,
    ) -> Self {
        let mut stepper = Stepper::new(machine, cast);
        let entries = (0..cast.initial).map(|thread| {
            let entry = cast.member(thread).entry_place(machine);
            stepper.initial_local(thread, entry.unwrap_or(ABSENT))
        });
        let entries = entries.collect();
        let kinds = stepper.kind_of.chunk_by(|a, b| a == b).map(<[_]>::len);
        let mut first = 0;
        let ranges = kinds.map(|length| {
            first += length;
            first - length..first
        });
        let interchangeable = ranges.filter(|range| symmetry && range.len() > 1).collect();
        Self {
            machine,
            cast,
            stepper,
            turns: Numbering::default(),
            memory,
            interchangeable,
            entries,
        }
    }

    /// How many numbers a configuration has.
    pub(crate) fn width(&self) -> usize {
        THREADS + self.cast.len() as usize
    }

    /// The first configuration; undetermined values stand for the others.
    pub(crate) fn initial(&mut self) -> Row {
        let started = self.cast.started_first();
        let mut row = vec![ABSENT; self.width()];
        row[SHARED] = self.stepper.initial_shared();
        row[TURN] = self.turns.number(Turn {
            thread: NOBODY,
            started,
            atomic: Vec::new(),
        });
        let first = &self.entries[..started as usize];
        row[THREADS..THREADS + first.len()].copy_from_slice(first);
        self.in_order(row)
    }

    /// The schedule of a configuration.
    pub(crate) fn turn(&self, row: &[u32]) -> &Rc<Turn> {
        self.turns.get(row[TURN])
    }

    /// The number of the shared variables' state.
    pub(crate) fn shared(row: &[u32]) -> u32 {
        row[SHARED]
    }

    /// The numbers of the threads' states.
    pub(crate) fn locals(row: &[u32]) -> &[u32] {
        &row[THREADS..]
    }

    /// The place of a thread.
    pub(crate) fn place(&self, row: &[u32], thread: u32) -> u32 {
        let kind = self.stepper.kind_of[thread as usize];
        let local = row[THREADS + thread as usize];
        self.stepper.kinds[kind].locals.get(local).place
    }

    /// The threads that run.
    pub(crate) fn running(row: &[u32]) -> impl Iterator<Item = u32> + '_ {
        let locals = (0..).zip(Self::locals(row));
        let running = locals.filter(|&(_, &local)| local != ABSENT);
        running.map(|(thread, _)| thread)
    }

    /// Whether every thread that can step may, and still may when another has: no thread is inside
    /// an atomic block, `init` is over, and the flag is known not to be set. A flag that belongs to
    /// nobody yet belongs to whoever steps first.
    pub(crate) fn is_free(&self, row: &[u32]) -> bool {
        let may_be_set = self.flag_value(row[SHARED]) != Some(0);
        !self.in_init(row) && self.turn(row).atomic.is_empty() && !may_be_set
    }

    fn in_init(&self, row: &[u32]) -> bool {
        self.cast.has_init && row[THREADS] != ABSENT
    }

    /// Whether the flag is set and belongs to the thread that stepped last.
    fn flag_holds(&self, row: &[u32], turn: &Turn) -> bool {
        turn.thread != NOBODY && self.flag(row[SHARED])
    }

    fn flag(&self, shared: u32) -> bool {
        self.flag_value(shared) == Some(1)
    }

    /// The value of the flag, 0 where the program has none; nothing if it is open.
    fn flag_value(&self, shared: u32) -> Value {
        let Some(flag) = self.machine.atomic_flag else {
            return Some(0);
        };
        self.stepper.shared.get(shared)[self.stepper.globals.position(flag)]
    }

    /// Whether `init` and the flag leave a thread its turn.
    fn flags_permit(&self, row: &[u32], turn: &Turn, thread: u32) -> bool {
        (!self.in_init(row) || thread == 0)
            && (!self.flag_holds(row, turn) || turn.thread == thread)
    }

    /// All steps of one thread.
    pub(crate) fn of_thread(
        &mut self,
        row: &[u32],
        thread: u32,
    ) -> Result<Vec<Transition>, TooManyCases> {
        self.of_thread_among(row, thread, |_| true)
    }

    /// All steps of one thread where the states of some others are not known: a thread inside an
    /// atomic block that is not known may be blocked, so that others may step.
    pub(crate) fn of_thread_among(
        &mut self,
        row: &[u32],
        thread: u32,
        is_known: impl Fn(u32) -> bool,
    ) -> Result<Vec<Transition>, TooManyCases> {
        let turn = Rc::clone(self.turn(row));
        let mut transitions = Vec::new();
        if !self.flags_permit(row, &turn, thread) {
            return Ok(transitions);
        }
        match turn.atomic.last() {
            Some(&holder)
                if holder != thread
                    && is_known(holder)
                    && self.flags_permit(row, &turn, holder) =>
            {
                for part in self.parts_where_blocked(row, holder)? {
                    self.step_from(&part, true, thread, &mut transitions)?;
                }
            }
            _ => self.step_from(row, false, thread, &mut transitions)?,
        }
        Ok(transitions)
    }

    /// The node of a thread that runs.
    pub(crate) fn node(&self, row: &[u32], thread: u32) -> Option<NodeId> {
        let kind = self.stepper.kind_of[thread as usize];
        let place = self.place(row, thread);
        let located = self.stepper.kinds[kind].inlined.locate(self.machine, place);
        located.map(|(_, node)| node)
    }

    /// The value of a variable as a thread that runs sees it.
    pub(crate) fn value(&self, row: &[u32], thread: u32, variable: Variable) -> Value {
        let kind = self.stepper.kind_of[thread as usize];
        let local = row[THREADS + thread as usize];
        let scene = self.stepper.scene(kind, local, row[SHARED]);
        self.stepper.read(kind, &scene, variable)
    }

    /// The parts of a configuration in which everything has a value that is asked for, as a
    /// variable that some thread sees.
    pub(crate) fn split(
        &mut self,
        row: Row,
        demand: impl Fn(&Self, &[u32]) -> Option<(u32, Variable)>,
    ) -> Result<Vec<Row>, TooManyCases> {
        let mut pending = vec![row];
        let mut parts = Vec::new();
        while let Some(row) = pending.pop() {
            let Some((thread, variable)) = demand(self, &row) else {
                parts.push(row);
                continue;
            };
            let kind = self.stepper.kind_of[thread as usize];
            let local = row[THREADS + thread as usize];
            let values = self.stepper.values(kind, local, variable)?;
            if pending.len() + parts.len() > MOST_PARTS {
                return Err(TooManyCases);
            }
            for value in values.rev() {
                let mut part = row.clone();
                let (local, shared) =
                    self.stepper
                        .refined(kind, (local, row[SHARED]), variable, value);
                (part[THREADS + thread as usize], part[SHARED]) = (local, shared);
                pending.push(part);
            }
        }
        Ok(parts)
    }

    fn steps(&mut self, row: &[u32], thread: u32) -> Result<Rc<Steps>, TooManyCases> {
        let kind = self.stepper.kind_of[thread as usize];
        let local = row[THREADS + thread as usize];
        self.stepper.steps(kind, local, row[SHARED])
    }

    /// Whether a thread can step in all that a configuration stands for, as far as the thread
    /// itself goes.
    pub(crate) fn is_certainly_enabled(
        &mut self,
        row: &[u32],
        thread: u32,
    ) -> Result<bool, TooManyCases> {
        let steps = self.steps(row, thread)?;
        Ok(steps.blocked.is_empty())
    }

    fn parts_where_blocked(&mut self, row: &[u32], thread: u32) -> Result<Vec<Row>, TooManyCases> {
        let steps = self.steps(row, thread)?;
        let parts = steps.blocked.iter().map(|&(local, shared)| {
            let mut part = row.to_vec();
            part[SHARED] = shared;
            part[THREADS + thread as usize] = local;
            part
        });
        Ok(parts.collect())
    }

    fn step_from(
        &mut self,
        row: &[u32],
        is_part: bool,
        thread: u32,
        transitions: &mut Vec<Transition>,
    ) -> Result<(), TooManyCases> {
        let steps = self.steps(row, thread)?;
        for (index, step) in steps.steps.iter().enumerate() {
            transitions.push(Transition {
                part: is_part.then(|| row.to_vec()),
                steps: Rc::clone(&steps),
                index,
                after: self.after(row, thread, step),
            });
        }
        Ok(())
    }

    /// The configuration after a step, its threads where they were.
    fn after(&mut self, row: &[u32], thread: u32, step: &Step) -> Option<Row> {
        let mut after = row.to_vec();
        let before = self.turn(row);
        let in_init = self.in_init(row);
        let remembers = !in_init && (self.memory == Memory::LastStep || self.flag(step.shared));
        let last = if remembers { thread } else { NOBODY };
        let is_plain = step.effect == Effect::None && before.atomic.is_empty();
        if !is_plain || last != before.thread {
            let turn = Turn {
                thread,
                ..Turn::clone(before)
            };
            let turn = Turn {
                thread: last,
                ..turn_after(self.cast, &turn, step.effect)?
            };
            if let (Some(child), Effect::Start) = (step.child, step.effect) {
                after[THREADS + turn.started as usize - 1] = child;
            }
            after[TURN] = self.turns.number(turn);
        }
        after[SHARED] = step.shared;
        after[THREADS + thread as usize] = step.local;
        if in_init && step.local == ABSENT {
            for thread in self.cast.instances() {
                after[THREADS + thread as usize] = self.entries[thread as usize];
            }
        }
        Some(after)
    }

    /// The threads that a thread may be exchanged with when this many have been started, itself
    /// included.
    pub(crate) fn group_of(&self, thread: usize, started: u32) -> Range<usize> {
        let mut ranges = self.interchangeable.iter();
        let range = ranges.find(|range| range.contains(&thread));
        range.map_or(thread..thread + 1, |range| {
            range.start..range.end.min(started as usize)
        })
    }

    /// The configuration with interchangeable threads in ascending order.
    pub(crate) fn in_order(&mut self, row: Row) -> Row {
        let turn = self.turn(&row);
        if turn.thread == NOBODY && turn.atomic.is_empty() {
            let started = turn.started as usize;
            let mut row = row;
            for range in &self.interchangeable {
                let end = range.end.min(started).max(range.start);
                row[THREADS + range.start..THREADS + end].sort_unstable();
            }
            return row;
        }
        match self.order(&row) {
            Some(order) => self.rearranged(&row, &order),
            None => row,
        }
    }

    /// For each thread in ascending order which one it was; nothing if they are in order.
    pub(crate) fn order(&self, row: &[u32]) -> Option<Vec<u32>> {
        let turn = self.turn(row);
        let mut order: Vec<u32> = (0..self.cast.len()).collect();
        for range in &self.interchangeable {
            let end = range.end.min(turn.started as usize).max(range.start);
            order[range.start..end].sort_by_key(|&thread| {
                let inside = turn.atomic.iter().position(|&other| other == thread);
                let local = row[THREADS + thread as usize];
                (local, inside, turn.thread == thread)
            });
        }
        (!order.is_sorted()).then_some(order)
    }

    /// The configuration with its threads in another order.
    pub(crate) fn rearranged(&mut self, row: &[u32], order: &[u32]) -> Row {
        let mut place_of = vec![0; order.len()];
        for (new, &old) in (0..).zip(order) {
            place_of[old as usize] = new;
        }
        let turn = self.turn(row);
        let renamed = |thread: u32| place_of.get(thread as usize).copied().unwrap_or(NOBODY);
        let turn = Turn {
            thread: renamed(turn.thread),
            started: turn.started,
            atomic: turn.atomic.iter().map(|&thread| renamed(thread)).collect(),
        };
        let mut rearranged = row.to_vec();
        rearranged[TURN] = self.turns.number(turn);
        for (new, &old) in order.iter().enumerate() {
            rearranged[THREADS + new] = row[THREADS + old as usize];
        }
        rearranged
    }
}
