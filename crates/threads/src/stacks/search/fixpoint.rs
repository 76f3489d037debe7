//! All that few threads may be seen to do: the least sets that satisfy the conditions of a
//! certificate.
//!
//! Rounds over all views. A step of a thread of a view is taken from what is new; a step of another
//! thread from whatever is known, since it is a product of several sets.

use crate::stacks::encoding::crew::Crew;
use crate::stacks::encoding::deeds::Deeds;
use crate::stacks::encoding::seats::{Memory, Seats};
use crate::stacks::search::steps::{After, Turn, perform, permission, start};
use crate::stacks::search::symmetry::{seated, with_exchanges};
use hardbop_bdd::{Bdd, Exhausted, Manager, Roots};
use hardbop_machine::{Action, Machine, NodeId, ProcId, Storage, Variable};
use hardbop_outcome::certificate::{Bit, View, Waiting};
use hardbop_symbolic::QUANTIFY;
use std::collections::{BTreeMap, BTreeSet};

/// A collection of garbage waits for this many nodes.
const FIRST_COLLECTION: usize = 1 << 20;

/// What is known.
pub(crate) struct Fixpoint<'m, 'c, 'i> {
    machine: &'m Machine,
    crew: &'c Crew,
    pub deeds: Deeds<'m>,
    pub manager: Manager<'i>,
    size: u32,
    /// By view; `init` has one of its own.
    pub views: BTreeMap<View, Bdd>,
    /// Which frames wait for which.
    pub callers: BTreeMap<Waiting, Bdd>,
    /// What a view's threads have stepped from.
    done: BTreeMap<View, Bdd>,
    /// By seat and entry: where the thread cannot step.
    blocked: BTreeMap<(u32, ProcId), Bdd>,
    /// Steps that may still be taken.
    allowance: u64,
    next_collection: usize,
    /// How many rounds there were.
    pub rounds: u64,
}

/// Everything that is needed across a collection.
struct Kept<'k>([&'k dyn Roots; 4]);

impl Roots for Kept<'_> {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        for part in self.0 {
            part.each_root(keep);
        }
    }
}

impl<'m, 'c, 'i> Fixpoint<'m, 'c, 'i> {
    /// Nothing is known. `allowance` limits the number of steps.
    pub(crate) fn new(
        machine: &'m Machine,
        crew: &'c Crew,
        memory: Memory,
        size: u32,
        manager: Manager<'i>,
        allowance: u64,
    ) -> Self {
        let seats = Seats::new(machine, memory, crew.has_atomic_blocks, size + 1);
        Self {
            machine,
            crew,
            deeds: Deeds::new(machine, seats),
            manager,
            size,
            views: BTreeMap::new(),
            callers: BTreeMap::new(),
            done: BTreeMap::new(),
            blocked: BTreeMap::new(),
            allowance,
            next_collection: FIRST_COLLECTION,
            rounds: 0,
        }
    }

    /// Searches until nothing is new, or until all of these nodes may be reached. Gives those that
    /// may not.
    pub(crate) fn run(
        &mut self,
        views: &[View],
        targets: &BTreeSet<NodeId>,
    ) -> Result<BTreeSet<NodeId>, Exhausted> {
        let machine = self.machine;
        let mut open = targets.clone();
        let mut shared = Bdd::TRUE;
        for bit in self.initial_bits() {
            let (bit, value) = bit;
            let literal = self.manager.variable(bit)?;
            shared = self
                .manager
                .and(shared, if value { literal } else { !literal })?;
        }
        if let Some(init) = machine.init {
            let view = View {
                threads: vec![init],
                init: true,
            };
            let first = self.begin(&view, shared)?;
            self.views.insert(view.clone(), first);
            self.settle(std::slice::from_ref(&view), &mut open)?;
            let seats = &self.deeds.seats;
            let ended = seats.number(
                &mut self.manager,
                0,
                hardbop_outcome::certificate::ThreadPart::Place,
                0,
            )?;
            let gone = seats.parts(0, |_| true).into_iter();
            let actions = gone.map(|variable| (variable, QUANTIFY)).collect();
            let plan = self.deeds.plans.get(&mut self.manager, actions);
            shared = self.manager.relprod(self.views[&view], ended, &plan)?;
        }
        for view in views {
            let first = self.begin(view, shared)?;
            self.views.insert(view.clone(), first);
        }
        self.settle(views, &mut open)?;
        Ok(open)
    }

    /// The shared globals with an initial value.
    fn initial_bits(&self) -> Vec<(u32, bool)> {
        let mut bits = Vec::new();
        for (index, global) in self.machine.globals.iter().enumerate() {
            let Some(initial) = global.initial.filter(|_| global.storage == Storage::Shared) else {
                continue;
            };
            for bit in 0..global.ty.width() {
                let variable = Variable::Global(hardbop_machine::GlobalId::new(index));
                let place = Bit { variable, bit };
                let variable = self.deeds.seats.variable(self.machine, 0, place);
                bits.push((variable, initial >> bit & 1 == 1));
            }
        }
        bits
    }

    /// The threads of a view start in some shared globals.
    fn begin(&mut self, view: &View, shared: Bdd) -> Result<Bdd, Exhausted> {
        let mut all = shared;
        for (seat, &entry) in (0..).zip(&view.threads) {
            let node = self.machine.procedure(entry).entry;
            let here = start(&mut self.manager, &self.deeds, self.machine, seat, node)?;
            all = self.manager.and(all, here)?;
        }
        Ok(all)
    }

    /// Takes rounds until nothing is new or no target is open.
    fn settle(&mut self, views: &[View], open: &mut BTreeSet<NodeId>) -> Result<(), Exhausted> {
        loop {
            self.rounds += 1;
            let mut is_new = false;
            for view in views {
                is_new |= self.own_steps(view)?;
                self.close_targets(view, open)?;
                self.collect();
            }
            if views.iter().all(|view| !view.init) {
                for view in views {
                    if open.is_empty() {
                        break;
                    }
                    is_new |= self.steps_of_others(view)?;
                    self.collect();
                }
            }
            if !is_new || open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Notes the targets where a thread may be.
    fn close_targets(&mut self, view: &View, open: &mut BTreeSet<NodeId>) -> Result<(), Exhausted> {
        let known = self.views[view];
        for seat in first_seats(view) {
            for node in open.clone() {
                let at = self.deeds.seats.at(&mut self.manager, seat as u32, node)?;
                if !self.manager.and(known, at)?.is_false() {
                    open.remove(&node);
                }
            }
        }
        Ok(())
    }

    fn collect(&mut self) {
        if self.manager.node_count() < self.next_collection {
            return;
        }
        let kept = Kept([&self.views, &self.callers, &self.done, &self.blocked]);
        self.manager.collect(&kept);
        self.next_collection = FIRST_COLLECTION.max(2 * self.manager.node_count());
    }

    fn spend(&mut self) -> Result<(), Exhausted> {
        self.allowance = self.allowance.checked_sub(1).ok_or(Exhausted::Work)?;
        self.manager.ask()
    }

    /// Where each of the threads cannot step.
    fn blocked(&mut self, threads: &[ProcId]) -> Result<Vec<Bdd>, Exhausted> {
        let mut all = Vec::new();
        if !self.crew.has_atomic_blocks {
            return Ok(all);
        }
        for (seat, &entry) in (0..).zip(threads) {
            if !self.blocked.contains_key(&(seat, entry)) {
                let nodes = &self.crew.nodes[&entry];
                let enabled = self.deeds.enabled(&mut self.manager, seat, nodes)?;
                self.blocked.insert((seat, entry), !enabled);
            }
            all.push(self.blocked[&(seat, entry)]);
        }
        Ok(all)
    }

    /// Steps of the threads of a view; says whether something is new.
    fn own_steps(&mut self, view: &View) -> Result<bool, Exhausted> {
        let crew = self.crew;
        let machine = self.machine;
        let mut is_new = false;
        let blocked = self.blocked(&view.threads)?;
        let known = self.views[view];
        let done = self.done.insert(view.clone(), known);
        let delta = self.manager.diff(known, done.unwrap_or(Bdd::FALSE))?;
        for seat in first_seats(view) {
            let entry = view.threads[seat];
            let turn = Turn {
                seat: seat as u32,
                seats: view.threads.len() as u32,
                leaves: false,
                has_atomic_blocks: crew.has_atomic_blocks,
            };
            let permitted = permission(&mut self.manager, &self.deeds, turn, view.init, &blocked)?;
            let delta = self.manager.and(delta, permitted)?;
            let all = self.manager.and(known, permitted)?;
            for &node in &crew.nodes[&entry] {
                let at = self.deeds.seats.at(&mut self.manager, turn.seat, node)?;
                let procedure = machine.procedure_of(node);
                let is_exit = machine.procedure(procedure).exit == node;
                // There may be new frames that wait, so all returns are taken again.
                let from = self.manager.and(if is_exit { all } else { delta }, at)?;
                if from.is_false() {
                    continue;
                }
                let mut reached = Bdd::FALSE;
                if is_exit {
                    for waiting in crew.waiting(procedure, entry, view.init) {
                        self.spend()?;
                        let after = self.return_to(from, node, waiting, turn)?;
                        reached = self.manager.or(reached, after)?;
                    }
                    if procedure == entry {
                        let after = self.end(from, turn)?;
                        reached = self.manager.or(reached, after)?;
                    }
                }
                for id in machine.edges_from(node) {
                    self.spend()?;
                    let edge = machine.edge(id);
                    let manager = &mut self.manager;
                    let deeds = &mut self.deeds;
                    let after = if let Action::Call { callee, .. } = edge.action {
                        let [entered, remembered] = deeds.call(manager, turn.seat, id)?;
                        let record = hardbop_symbolic::image(manager, from, &remembered)?;
                        let waiting = Waiting {
                            thread: entry,
                            init: view.init,
                            call: id,
                        };
                        let records = self.callers.entry(waiting).or_insert(Bdd::FALSE);
                        let more = manager.or(*records, record)?;
                        is_new |= more != *records;
                        *records = more;
                        let after = After::at(machine.procedure(callee).entry);
                        perform(manager, deeds, from, &entered, turn, after)?
                    } else {
                        let parts = deeds.edge(manager, turn.seat, id)?;
                        let after = After::edge(&edge.action, edge.to);
                        perform(manager, deeds, from, &parts, turn, after)?
                    };
                    reached = self.manager.or(reached, after)?;
                }
                is_new |= self.add(view, Some(seat), reached)?;
            }
        }
        Ok(is_new)
    }

    /// A return to all frames that wait.
    fn return_to(
        &mut self,
        from: Bdd,
        node: NodeId,
        waiting: Waiting,
        turn: Turn,
    ) -> Result<Bdd, Exhausted> {
        let Some(&record) = self.callers.get(&waiting) else {
            return Ok(Bdd::FALSE);
        };
        let call = waiting.call;
        let manager = &mut self.manager;
        let parts = self.deeds.back(manager, turn.seat, node, call, record)?;
        let after = After::at(self.machine.edge(call).to);
        perform(manager, &mut self.deeds, from, &parts, turn, after)
    }

    /// The end of the first frame.
    fn end(&mut self, from: Bdd, turn: Turn) -> Result<Bdd, Exhausted> {
        let caller = hardbop_outcome::certificate::ThreadPart::Caller;
        let seats = &self.deeds.seats;
        let nobody = seats.number(&mut self.manager, turn.seat, caller, 0)?;
        let from = self.manager.and(from, nobody)?;
        perform(
            &mut self.manager,
            &mut self.deeds,
            from,
            &[],
            turn,
            After::END,
        )
    }

    /// Steps of threads that a view does not have; says whether something is new.
    fn steps_of_others(&mut self, view: &View) -> Result<bool, Exhausted> {
        let crew = self.crew;
        let machine = self.machine;
        let mut is_new = false;
        for (&entry, &count) in &crew.counts {
            let same = view.threads.iter().filter(|&&thread| thread == entry);
            if same.count() as u64 >= count {
                continue;
            }
            let together = self.beside(view, entry)?;
            if together.is_false() {
                continue;
            }
            let mut threads = view.threads.clone();
            threads.push(entry);
            let blocked = self.blocked(&threads)?;
            let turn = Turn {
                seat: self.size,
                seats: self.size + 1,
                leaves: true,
                has_atomic_blocks: crew.has_atomic_blocks,
            };
            let permitted = permission(&mut self.manager, &self.deeds, turn, false, &blocked)?;
            let together = self.manager.and(together, permitted)?;
            let is_felt_anyway = crew.has_atomic_blocks || machine.atomic_flag.is_some();
            for &node in &crew.nodes[&entry] {
                let mut reached = Bdd::FALSE;
                let procedure = machine.procedure_of(node);
                if machine.procedure(procedure).exit == node {
                    for waiting in crew.waiting(procedure, entry, false) {
                        if is_felt_anyway || self.deeds.is_felt(waiting.call) {
                            self.spend()?;
                            let after = self.return_to(together, node, waiting, turn)?;
                            reached = self.manager.or(reached, after)?;
                        }
                    }
                    if procedure == entry && is_felt_anyway {
                        let at = self.deeds.seats.at(&mut self.manager, turn.seat, node)?;
                        let from = self.manager.and(together, at)?;
                        let after = self.end(from, turn)?;
                        reached = self.manager.or(reached, after)?;
                    }
                }
                for id in machine.edges_from(node) {
                    if !is_felt_anyway && (is_call(machine, id) || !self.deeds.is_felt(id)) {
                        continue;
                    }
                    self.spend()?;
                    let edge = machine.edge(id);
                    let (manager, deeds) = (&mut self.manager, &mut self.deeds);
                    let parts = if is_call(machine, id) {
                        let [entered, _] = deeds.call(manager, turn.seat, id)?;
                        entered
                    } else {
                        deeds.edge(manager, turn.seat, id)?
                    };
                    let after = After::edge(&edge.action, edge.to);
                    let after = perform(manager, deeds, together, &parts, turn, after)?;
                    reached = self.manager.or(reached, after)?;
                }
                is_new |= self.add(view, None, reached)?;
            }
        }
        Ok(is_new)
    }

    /// What is known of the threads of a view and one more at the seat behind them.
    fn beside(&mut self, view: &View, entry: ProcId) -> Result<Bdd, Exhausted> {
        let mut all = self.views[view];
        for absent in 0..view.threads.len() {
            let mut threads: Vec<(ProcId, u32)> = view.threads.iter().copied().zip(0..).collect();
            threads.remove(absent);
            threads.push((entry, self.size));
            threads.sort_unstable();
            let to: Vec<u32> = threads.iter().map(|&(_, seat)| seat).collect();
            let view = View {
                threads: threads.into_iter().map(|(entry, _)| entry).collect(),
                init: false,
            };
            let known = self.views.get(&view).copied().unwrap_or(Bdd::FALSE);
            let (manager, deeds) = (&mut self.manager, &mut self.deeds);
            let known = seated(manager, &mut deeds.plans, &deeds.seats, known, &to)?;
            all = manager.and(all, known)?;
        }
        Ok(all)
    }

    /// Adds what has been reached by a step of the thread at a seat; says whether it is new.
    fn add(&mut self, view: &View, seat: Option<usize>, reached: Bdd) -> Result<bool, Exhausted> {
        let known = self.views[view];
        let (manager, deeds) = (&mut self.manager, &mut self.deeds);
        let mut reached = manager.diff(reached, known)?;
        if reached.is_false() {
            return Ok(false);
        }
        if let Some(seat) = seat {
            let plans = &mut deeds.plans;
            reached = with_exchanges(manager, plans, &deeds.seats, view, seat, reached)?;
        }
        let more = manager.or(known, reached)?;
        self.views.insert(view.clone(), more);
        Ok(true)
    }
}

fn is_call(machine: &Machine, edge: hardbop_machine::EdgeId) -> bool {
    matches!(machine.edge(edge).action, Action::Call { .. })
}

/// The first seat of those whose threads have the same entry.
fn first_seats(view: &View) -> Vec<usize> {
    let threads = &view.threads;
    let seats = 0..threads.len();
    seats
        .filter(|&seat| seat == 0 || threads[seat - 1] != threads[seat])
        .collect()
}
