//! The steps of a thread as images of sets of configurations.
//!
//! While a thread has the turn, its place is explicit, so a step only touches the shared globals
//! and the thread's own block. Where a local is dead its value is forgotten; the locals of a frame
//! that is gone are, too. A bit that a step brings into being (an argument, the place of a started
//! thread) was not mentioned before, so that it is simply said what it is.

use crate::exact::encoding::space::{Space, next, now};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::analysis::{Analyses, Liveness};
use hardbop_machine::bits::{BitEdge, BitId, BitNode, BitView};
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::InlinedFrame;
use hardbop_machine::{
    Action, EdgeId, GlobalId, LocalId, Machine, NodeId, Storage, ThreadStart, Variable,
};
use hardbop_symbolic::{Draft, Encoder, Part, Plans, QUANTIFY};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A step of a thread from a place.
#[derive(Debug)]
pub(crate) struct Move {
    /// The edge that is taken; none for a return.
    pub(crate) edge: Option<EdgeId>,
    /// The place afterwards; 0 if the thread has ended.
    pub(crate) to: u32,
    /// What it does to the schedule.
    pub(crate) effect: Effect,
    /// The image.
    pub(crate) parts: Vec<Part>,
    /// What holds between before, after and the choices; the image has no choices left.
    pub(crate) conditions: Vec<Bdd>,
    /// The bits that get a value which is remembered.
    pub(crate) assigned: Vec<u32>,
    /// The other bits whose value is not the same before and after.
    pub(crate) forgotten: BTreeSet<u32>,
}

/// What a step does to the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// The thread enters an atomic block.
    EnterAtomic,
    /// The thread leaves an atomic block.
    LeaveAtomic,
    /// Another thread starts, there.
    Start(NodeId),
    /// One thread more would start than there is room for.
    StartBeyond,
    /// The thread ends.
    End,
}

/// Compiles the steps of all threads when they are asked for.
pub(crate) struct Moves<'m> {
    machine: &'m Machine,
    cast: &'m Cast,
    space: &'m Space,
    liveness: Liveness,
    view: BitView<'m>,
    plans: Plans,
    known: HashMap<(u32, u32, u32), Rc<[Move]>>,
    /// All BDDs of all steps, for the garbage collector.
    relations: Vec<Bdd>,
}

/// A thread in a frame.
#[derive(Clone, Copy)]
struct Scope<'c> {
    thread: u32,
    number: u32,
    frame: &'c InlinedFrame,
}

impl<'m> Moves<'m> {
    /// Nothing is compiled yet.
    pub(crate) fn new(machine: &'m Machine, cast: &'m Cast, space: &'m Space) -> Self {
        Self {
            machine,
            cast,
            space,
            liveness: Analyses::new(machine).liveness,
            view: BitView::new(machine),
            plans: Plans::default(),
            known: HashMap::new(),
            relations: Vec::new(),
        }
    }

    /// The BDDs that must survive a garbage collection.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.relations.iter().copied()
    }

    /// Projects some variables away.
    pub(crate) fn forget(
        &mut self,
        manager: &mut Manager<'_>,
        set: Bdd,
        bits: impl IntoIterator<Item = u32>,
    ) -> Result<Bdd, Exhausted> {
        let actions = bits.into_iter().map(|bit| (now(bit), QUANTIFY)).collect();
        let plan = self.plans.get(manager, actions);
        manager.project(set, &plan)
    }

    /// "The thread is at this place."
    pub(crate) fn at(
        &self,
        manager: &mut Manager<'_>,
        thread: u32,
        place: u32,
    ) -> Result<Bdd, Exhausted> {
        let bits = self.cast.member(thread).inlined.place_bits();
        let bits = (0..bits).map(|bit| {
            let variable = now(self.space.place(thread, bit));
            (variable, place >> bit & 1 == 1)
        });
        cube(manager, bits.collect())
    }

    /// "These globals, as a thread sees them, have their initial values."
    pub(crate) fn initial_globals(
        &self,
        manager: &mut Manager<'_>,
        thread: u32,
        storage: Storage,
    ) -> Result<Bdd, Exhausted> {
        let mut bits = Vec::new();
        for (index, global) in self.machine.globals.iter().enumerate() {
            let Some(value) = global.initial.filter(|_| global.storage == storage) else {
                continue;
            };
            bits.extend((0..global.ty.width()).map(|bit| {
                let id = GlobalId::new(index);
                let place = self.space.global(self.machine, thread, id, bit);
                (now(place), value >> bit & 1 == 1)
            }));
        }
        cube(manager, bits)
    }

    /// "All threads that the program declares are at their start", one of them perhaps left out.
    pub(crate) fn instances_start(
        &self,
        manager: &mut Manager<'_>,
        except: Option<u32>,
    ) -> Result<Bdd, Exhausted> {
        let mut set = Bdd::TRUE;
        for thread in self.cast.instances() {
            let own = self.initial_globals(manager, thread, Storage::PerThread)?;
            set = manager.and(set, own)?;
            let entry = self.cast.member(thread).entry_place(self.machine);
            if let Some(entry) = entry.filter(|_| except != Some(thread)) {
                let at_entry = self.at(manager, thread, entry)?;
                set = manager.and(set, at_entry)?;
            }
        }
        Ok(set)
    }

    /// The steps of a thread from a place when this many threads have been started.
    pub(crate) fn from(
        &mut self,
        manager: &mut Manager<'_>,
        thread: u32,
        place: u32,
        started: u32,
    ) -> Result<Rc<[Move]>, Exhausted> {
        let Some((number, node)) = self.cast.member(thread).inlined.locate(self.machine, place)
        else {
            return Ok(Rc::from([]));
        };
        let starts = self
            .machine
            .edges_from(node)
            .any(|edge| matches!(self.machine.edge(edge).action, Action::StartThread(_)));
        let key = (thread, place, if starts { started } else { 0 });
        if let Some(known) = self.known.get(&key) {
            return Ok(Rc::clone(known));
        }
        let scope = Scope {
            thread,
            number,
            frame: &self.cast.member(thread).inlined.frames()[number as usize],
        };
        let mut moves = Vec::new();
        if self.machine.procedure(scope.frame.procedure).exit == node {
            moves.push(self.return_from(manager, scope)?);
        } else {
            for edge in self.machine.edges_from(node) {
                moves.push(self.take(manager, scope, edge, started)?);
            }
        }
        for step in &moves {
            let parts = step.parts.iter().map(|part| part.relation);
            self.relations
                .extend(parts.chain(step.conditions.iter().copied()));
        }
        let moves: Rc<[Move]> = Rc::from(moves);
        self.known.insert(key, Rc::clone(&moves));
        Ok(moves)
    }

    /// Where the thread can take some step from a place.
    pub(crate) fn can_step(
        &mut self,
        manager: &mut Manager<'_>,
        thread: u32,
        place: u32,
    ) -> Result<Bdd, Exhausted> {
        let Some((number, node)) = self.cast.member(thread).inlined.locate(self.machine, place)
        else {
            return Ok(Bdd::FALSE);
        };
        let frame = &self.cast.member(thread).inlined.frames()[number as usize];
        if self.machine.procedure(frame.procedure).exit == node {
            return Ok(Bdd::TRUE);
        }
        let scope = Scope {
            thread,
            number,
            frame,
        };
        let mut any = Bdd::FALSE;
        for edge in self.machine.edges_from(node) {
            let bits = self.view.edge(edge);
            let conditions = self.conditions(manager, scope, &bits)?;
            let mut all = manager.and_all(conditions.clone())?;
            let after_and_choices = manager
                .support(all)
                .into_iter()
                .filter(|&variable| self.space.bit_of(variable).is_none());
            let actions: Vec<_> = after_and_choices.map(|v| (v, QUANTIFY)).collect();
            if !actions.is_empty() {
                let plan = self.plans.get(manager, actions);
                all = manager.project(all, &plan)?;
            }
            any = manager.or(any, all)?;
        }
        Ok(any)
    }

    fn bit(&self, scope: Scope<'_>, variable: Variable, bit: u8) -> u32 {
        let bit = u32::from(bit);
        self.space
            .variable(self.machine, scope.thread, scope.frame, variable, bit)
    }

    /// Guard, assigned values and `constrain` of an edge.
    fn conditions(
        &self,
        manager: &mut Manager<'_>,
        scope: Scope<'_>,
        edge: &BitEdge,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let mut encoder = Encoder::default();
        let mut conditions = Vec::new();
        for root in [edge.guard, edge.constrain] {
            conditions.push(self.encode(manager, scope, edge, &mut encoder, root)?);
        }
        for assignment in &edge.assignments {
            let value = self.encode(manager, scope, edge, &mut encoder, assignment.value)?;
            let after = next(self.bit(scope, assignment.variable, assignment.bit));
            let after = manager.variable(after)?;
            conditions.push(manager.iff(after, value)?);
        }
        Ok(conditions)
    }

    fn encode(
        &self,
        manager: &mut Manager<'_>,
        scope: Scope<'_>,
        edge: &BitEdge,
        encoder: &mut Encoder,
        root: BitId,
    ) -> Result<Bdd, Exhausted> {
        let assigned = |variable| edge.assignments.iter().any(|a| a.variable == variable);
        encoder.encode(manager, self.view.graph(), root, |leaf| match leaf {
            BitNode::Next(variable, bit) if assigned(variable) => {
                next(self.bit(scope, variable, bit))
            }
            BitNode::Var(variable, bit) | BitNode::Next(variable, bit) => {
                now(self.bit(scope, variable, bit))
            }
            BitNode::Input(input, bit) => self.choice(edge.input_index(input, bit)),
            _ => unreachable!("only leaves that are no constants are asked for"),
        })
    }

    /// The BDD variable of a bit of an edge's choices.
    pub(crate) fn choice(&self, number: u32) -> u32 {
        now(self.space.bits()) + number
    }

    /// An edge.
    fn take(
        &mut self,
        manager: &mut Manager<'_>,
        scope: Scope<'_>,
        id: EdgeId,
        started: u32,
    ) -> Result<Move, Exhausted> {
        let edge = self.machine.edge(id);
        let bits = self.view.edge(id);
        let mut conditions = self.conditions(manager, scope, &bits)?;
        let inlined = &self.cast.member(scope.thread).inlined;
        let here = inlined.place(self.machine, scope.number, edge.to);
        let assigned: BTreeSet<u32> = bits
            .assignments
            .iter()
            .map(|a| self.bit(scope, a.variable, a.bit))
            .collect();
        let mut dead = self.dead_locals(scope, edge.to);
        let (to, effect) = match &edge.action {
            Action::Call { targets, .. } => {
                // What the return will overwrite is forgotten as well.
                for target in targets.iter().flatten() {
                    if let Variable::Local(id) = target {
                        dead.extend(self.local_bits(scope, *id));
                    }
                }
                let number = inlined.callee(scope.number, id);
                let number = number.expect("every call in a frame has a frame");
                let callee = Scope {
                    thread: scope.thread,
                    number,
                    frame: &inlined.frames()[number as usize],
                };
                self.pass_arguments(manager, scope, &bits, callee, &mut conditions)?;
                let entry = self.machine.procedure(callee.frame.procedure).entry;
                (inlined.place(self.machine, number, entry), Effect::None)
            }
            Action::StartThread(start) if started < self.cast.len() => {
                let node = self.start(manager, scope, &bits, start, started, &mut conditions)?;
                (here, Effect::Start(node))
            }
            Action::StartThread(_) => (here, Effect::StartBeyond),
            Action::EndThread => {
                self.end(manager, scope, &mut conditions, &mut dead)?;
                (0, Effect::End)
            }
            Action::AtomicBegin => (here, Effect::EnterAtomic),
            Action::AtomicEnd => (here, Effect::LeaveAtomic),
            _ => (here, Effect::None),
        };
        let changes = Changes { assigned, dead };
        self.finish(manager, Some(id), to, effect, conditions, changes)
    }

    /// The return at the exit of a frame.
    fn return_from(
        &mut self,
        manager: &mut Manager<'_>,
        scope: Scope<'_>,
    ) -> Result<Move, Exhausted> {
        let mut conditions = Vec::new();
        let Some((caller, call)) = scope.frame.caller else {
            let mut dead = BTreeSet::new();
            self.end(manager, scope, &mut conditions, &mut dead)?;
            let changes = Changes {
                assigned: BTreeSet::new(),
                dead,
            };
            return self.finish(manager, None, 0, Effect::End, conditions, changes);
        };
        let inlined = &self.cast.member(scope.thread).inlined;
        let outer = Scope {
            number: caller,
            frame: &inlined.frames()[caller as usize],
            ..scope
        };
        let mut assigned = BTreeSet::new();
        for result in self.view.edge(call).results {
            let target = self.bit(outer, result.target, result.bit);
            assigned.insert(target);
            let after = manager.variable(next(target))?;
            let value = now(self.bit(scope, Variable::Local(result.result), result.bit));
            let value = manager.variable(value)?;
            conditions.push(manager.iff(after, value)?);
        }
        let to = self.machine.edge(call).to;
        let mut dead = self.dead_locals(outer, to);
        let gone = scope.frame.bits();
        dead.extend(gone.map(|bit| self.space.row(scope.thread, bit)));
        let to = inlined.place(self.machine, caller, to);
        let changes = Changes { assigned, dead };
        self.finish(manager, None, to, Effect::None, conditions, changes)
    }

    /// The callee's parameters get the values of the arguments.
    fn pass_arguments(
        &self,
        manager: &mut Manager<'_>,
        scope: Scope<'_>,
        edge: &BitEdge,
        callee: Scope<'_>,
        conditions: &mut Vec<Bdd>,
    ) -> Result<(), Exhausted> {
        let mut encoder = Encoder::default();
        for argument in &edge.arguments {
            let value = self.encode(manager, scope, edge, &mut encoder, argument.value)?;
            let parameter = now(self.bit(callee, argument.variable, argument.bit));
            let parameter = manager.variable(parameter)?;
            conditions.push(manager.iff(parameter, value)?);
        }
        Ok(())
    }

    /// Another thread begins; gives the node where it does.
    fn start(
        &self,
        manager: &mut Manager<'_>,
        scope: Scope<'_>,
        edge: &BitEdge,
        start: &ThreadStart,
        thread: u32,
        conditions: &mut Vec<Bdd>,
    ) -> Result<NodeId, Exhausted> {
        let node = match *start {
            ThreadStart::Node(node) => node,
            ThreadStart::Procedure { callee, .. } => self.machine.procedure(callee).entry,
        };
        let inlined = &self.cast.member(thread).inlined;
        let root = inlined.root(self.machine.procedure_of(node));
        let root = root.expect("every procedure that a thread may begin in is a root");
        let new = Scope {
            thread,
            number: root,
            frame: &inlined.frames()[root as usize],
        };
        let place = inlined.place(self.machine, root, node);
        conditions.push(self.at(manager, thread, place)?);
        let mut copies = Vec::new();
        for (index, global) in self.machine.globals.iter().enumerate() {
            if global.storage == Storage::PerThread {
                let own = |thread, bit| {
                    let id = GlobalId::new(index);
                    self.space.global(self.machine, thread, id, bit)
                };
                let width = 0..global.ty.width();
                copies.extend(width.map(|bit| (own(thread, bit), own(scope.thread, bit))));
            }
        }
        match start {
            ThreadStart::Node(_) => {
                for local in self.machine.procedure(scope.frame.procedure).local_ids() {
                    if self.liveness.is_live(node, Variable::Local(local)) {
                        copies.extend(
                            self.local_bits(new, local)
                                .zip(self.local_bits(scope, local)),
                        );
                    }
                }
            }
            ThreadStart::Procedure { .. } => {
                self.pass_arguments(manager, scope, edge, new, conditions)?;
            }
        }
        for (copy, original) in copies {
            let copy = manager.variable(now(copy))?;
            let original = manager.variable(now(original))?;
            conditions.push(manager.iff(copy, original)?);
        }
        Ok(node)
    }

    /// The thread ends; if it is `init`, the others begin.
    fn end(
        &self,
        manager: &mut Manager<'_>,
        scope: Scope<'_>,
        conditions: &mut Vec<Bdd>,
        dead: &mut BTreeSet<u32>,
    ) -> Result<(), Exhausted> {
        let row = 0..self.cast.member(scope.thread).inlined.row_bits();
        dead.extend(row.map(|bit| self.space.row(scope.thread, bit)));
        if self.cast.has_init && scope.thread == 0 {
            conditions.push(self.instances_start(manager, None)?);
        }
        Ok(())
    }

    /// The bits of a local.
    fn local_bits(&self, scope: Scope<'_>, local: LocalId) -> impl Iterator<Item = u32> + use<> {
        let first = self.space.row(scope.thread, 0);
        scope.frame.bits_of(local).map(move |bit| first + bit)
    }

    /// The bits of the locals of a frame that are dead at a node.
    fn dead_locals(&self, scope: Scope<'_>, node: NodeId) -> BTreeSet<u32> {
        let locals = self.machine.procedure(scope.frame.procedure).local_ids();
        let dead = locals.filter(|&id| !self.liveness.is_live(node, Variable::Local(id)));
        dead.flat_map(|id| self.local_bits(scope, id)).collect()
    }

    fn finish(
        &mut self,
        manager: &mut Manager<'_>,
        edge: Option<EdgeId>,
        to: u32,
        effect: Effect,
        conditions: Vec<Bdd>,
        changes: Changes,
    ) -> Result<Move, Exhausted> {
        let Changes { assigned, dead } = changes;
        let choices = self.choice(0);
        let mut draft = Draft::new();
        draft.conjoin_all(manager, &mut self.plans, conditions.clone(), choices)?;
        draft
            .quantify
            .extend(assigned.union(&dead).map(|&bit| now(bit)));
        let (unused, kept): (Vec<u32>, Vec<u32>) =
            assigned.iter().partition(|bit| dead.contains(bit));
        draft.quantify.extend(unused.iter().map(|&bit| next(bit)));
        draft
            .rename
            .extend(kept.iter().map(|&bit| (next(bit), now(bit))));
        Ok(Move {
            edge,
            to,
            effect,
            parts: draft.finish(manager, &mut self.plans, choices),
            conditions,
            assigned: kept,
            forgotten: dead,
        })
    }
}

/// The bits that a step changes, and those that it forgets.
struct Changes {
    assigned: BTreeSet<u32>,
    dead: BTreeSet<u32>,
}

/// "These BDD variables have these values."
pub(crate) fn cube(
    manager: &mut Manager<'_>,
    mut literals: Vec<(u32, bool)>,
) -> Result<Bdd, Exhausted> {
    literals.sort_unstable();
    let mut cube = Bdd::TRUE;
    for (variable, value) in literals.into_iter().rev() {
        let literal = manager.variable(variable)?;
        cube = manager.and(if value { literal } else { !literal }, cube)?;
    }
    Ok(cube)
}
