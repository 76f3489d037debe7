//! The conditions of interleaved certificates, in the order and with the numbers of
//! `docs/certificates.md`.
//!
//! As in the checker, the premise that atomic blocks of others permit a step speaks of all choices
//! of the thread inside; edges with more choices than are listed one by one are left out of it,
//! which can only make a condition harder to meet.

use super::Script;
use super::configuration::{Cell, Configuration, Context, Moment, Scope};
use crate::Refused;
use crate::names::SourceNames;
use crate::places::{edge_text, node_text};
use hardbop_evidence::Certificate;
use hardbop_evidence::certificate::{MOST_CHOICE_BITS, Turn};
use hardbop_machine::analysis::variables::deciding_inputs;
use hardbop_machine::cast::Cast;
use hardbop_machine::{
    Action, EdgeId, GlobalId, LocalId, Machine, NodeId, Storage, ThreadStart, Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// Writes all conditions.
pub(super) fn write(
    script: &mut Script,
    machine: &Machine,
    certificate: &Certificate,
) -> Result<(), Refused> {
    let turns = certificate.turns.iter();
    let most = turns.clone().map(|entry| entry.turn.started).max();
    let cast = Cast::new(machine, most.unwrap_or(0));
    let context = Context {
        machine,
        cast: cast.map_err(|why| Refused(format!("the threads cannot be listed: {why:?}")))?,
        names: SourceNames::new(machine, &[], str::to_owned),
        formulas: &certificate.formulas,
    };
    let mut writer = Writer {
        context: &context,
        relations: turns
            .map(|entry| (entry.turn.clone(), entry.relation))
            .collect(),
        targets: certificate.targets.iter().map(|t| t.node).collect(),
        script,
    };
    writer.initial();
    for entry in &certificate.turns {
        writer.targets(&entry.turn, entry.relation);
        writer.pass(&entry.turn, entry.relation);
        for place in 1..context.cast.member(entry.turn.thread).inlined.place_count() {
            writer.steps_from(&entry.turn, entry.relation, place);
        }
    }
    Ok(())
}

struct Writer<'w, 'a> {
    context: &'a Context<'a>,
    relations: BTreeMap<Turn, u32>,
    targets: BTreeSet<NodeId>,
    script: &'w mut Script,
}

impl<'a> Writer<'_, 'a> {
    fn require(
        &mut self,
        title: &str,
        world: &Configuration<'a>,
        premises: &[String],
        conclusion: &str,
    ) {
        self.script
            .require(title, &world.text, premises, conclusion);
    }

    fn relation(&self, world: &mut Configuration<'a>, turn: &Turn, moment: Moment) -> String {
        world.relation("then", self.relations.get(turn).copied(), moment)
    }

    fn initial(&mut self) {
        let cast = &self.context.cast;
        let first = if cast.has_init {
            0..1
        } else {
            cast.instances()
        };
        for thread in first.clone() {
            let mut world = Configuration::new(self.context);
            world.fix_initial(Moment::Before, None);
            for other in first.clone() {
                world.start_declared(Moment::Before, other);
            }
            let turn = Turn {
                thread,
                started: cast.started_first(),
                atomic: Vec::new(),
            };
            let inside = self.relation(&mut world, &turn, Moment::Before);
            let title = format!("Initial: the first turn may be that of thread {thread}");
            self.require(&title, &world, &[], &inside);
        }
    }

    /// No thread that has been started is at a target.
    fn targets(&mut self, turn: &Turn, relation: u32) {
        let Context { machine, cast, .. } = self.context;
        for thread in 0..turn.started {
            let inlined = &cast.member(thread).inlined;
            for place in 1..inlined.place_count() {
                let node = inlined.locate(machine, place).map(|(_, node)| node);
                let Some(node) = node.filter(|node| self.targets.contains(node)) else {
                    continue;
                };
                let mut world = Configuration::new(self.context);
                world.set_place(Moment::Before, thread, place);
                let reached = world.relation("now", Some(relation), Moment::Before);
                let text = node_text(machine, node);
                let title = format!(
                    "Target: {}: thread {thread} is not at line {text}",
                    named(turn)
                );
                self.require(&title, &world, &[reached], "false");
            }
        }
    }

    /// The turn may be passed to every other thread that runs.
    fn pass(&mut self, turn: &Turn, relation: u32) {
        let has_init = self.context.cast.has_init;
        let is_init = has_init && turn.thread == 0;
        for thread in (u32::from(has_init)..turn.started).filter(|&t| t != turn.thread) {
            let mut world = Configuration::new(self.context);
            if is_init {
                world.set_place(Moment::Before, 0, 0);
            }
            let mut premises = vec![world.relation("now", Some(relation), Moment::Before)];
            let ended = world.at(thread, 0);
            premises.push(format!("(not {ended})"));
            if let Some(flag) = self.context.machine.atomic_flag.filter(|_| !is_init) {
                let flag = world.term(Moment::Before, Cell::Shared(flag));
                premises.push(format!("(not {flag})"));
            }
            let other = Turn {
                thread,
                ..turn.clone()
            };
            let inside = self.relation(&mut world, &other, Moment::Before);
            let title = format!("Pass: {} goes on to thread {thread}", named(turn));
            self.require(&title, &world, &premises, &inside);
        }
    }

    /// All steps from a place.
    fn steps_from(&mut self, turn: &Turn, relation: u32, place: u32) {
        let Context { machine, cast, .. } = self.context;
        let inlined = &cast.member(turn.thread).inlined;
        let Some((number, node)) = inlined.locate(machine, place) else {
            return;
        };
        let mut world = Configuration::new(self.context);
        world.set_place(Moment::Before, turn.thread, place);
        let mut premises = vec![world.relation("now", Some(relation), Moment::Before)];
        premises.extend(self.permission(&mut world, turn));
        let scope = Scope {
            thread: turn.thread,
            frame: &inlined.frames()[number as usize],
        };
        if machine.procedure(scope.frame.procedure).exit == node {
            return self.returned(turn, scope, node, world, &premises);
        }
        for edge in machine.edges_from(node) {
            self.edge(turn, number, edge, world.clone(), premises.clone());
        }
    }

    fn edge(
        &mut self,
        turn: &Turn,
        number: u32,
        id: EdgeId,
        mut world: Configuration<'a>,
        mut premises: Vec<String>,
    ) {
        let Context { machine, cast, .. } = self.context;
        let inlined = &cast.member(turn.thread).inlined;
        let frame = &inlined.frames()[number as usize];
        let scope = Scope {
            thread: turn.thread,
            frame,
        };
        let edge = machine.edge(id);
        premises.extend(world.take(scope, id));
        let mut after = turn.clone();
        let mut to = inlined.place(machine, number, edge.to);
        let mut stays_inside = turn.atomic.contains(&turn.thread);
        match &edge.action {
            Action::Call { arguments, .. } => {
                let callee = inlined.callee(number, id);
                let callee = callee.expect("every call in a frame has a frame");
                let frame = &inlined.frames()[callee as usize];
                let new = Scope { frame, ..scope };
                enter(machine, &mut world, scope, new, arguments);
                let entry = machine.procedure(frame.procedure).entry;
                to = inlined.place(machine, callee, entry);
            }
            Action::StartThread(start) => {
                after.started += 1;
                if turn.started < cast.len() {
                    self.start(&mut world, scope, start, turn.started);
                }
            }
            Action::EndThread => {
                to = 0;
                stays_inside = false;
                self.end(&mut world, turn, &mut after);
            }
            Action::AtomicBegin => stays_inside = true,
            Action::AtomicEnd => stays_inside = false,
            _ => {}
        }
        let text = edge_text(machine, edge);
        let title = format!("Step: {}: line {text}", named(turn));
        self.arrive(&title, turn, world, &premises, (to, after, stays_inside));
    }

    /// The thread is at another place, and the turn after the step is known.
    fn arrive(
        &mut self,
        title: &str,
        turn: &Turn,
        mut world: Configuration<'a>,
        premises: &[String],
        (to, mut after, stays_inside): (u32, Turn, bool),
    ) {
        world.set_place(Moment::After, turn.thread, to);
        after.atomic.retain(|&other| other != turn.thread);
        if stays_inside {
            after.atomic.push(turn.thread);
        }
        let inside = self.relation(&mut world, &after, Moment::After);
        self.require(title, &world, premises, &inside);
    }

    /// The return at the exit of a frame, or the end of the thread.
    fn returned(
        &mut self,
        turn: &Turn,
        scope: Scope<'_>,
        node: NodeId,
        mut world: Configuration<'a>,
        premises: &[String],
    ) {
        let Context { machine, cast, .. } = self.context;
        let inlined = &cast.member(turn.thread).inlined;
        let mut after = turn.clone();
        let mut stays_inside = turn.atomic.contains(&turn.thread);
        let to = match scope.frame.caller {
            None => {
                stays_inside = false;
                self.end(&mut world, turn, &mut after);
                0
            }
            Some((caller, call)) => {
                let outer = Scope {
                    frame: &inlined.frames()[caller as usize],
                    ..scope
                };
                if let Action::Call { targets, .. } = &machine.edge(call).action {
                    let results = machine.procedure(scope.frame.procedure).results();
                    for (result, target) in results.zip(targets) {
                        if let Some(target) = *target {
                            let result = Variable::Local(result);
                            let value = world.value(Moment::Before, scope, result);
                            world.assign(outer, target, &value);
                        }
                    }
                }
                inlined.place(machine, caller, machine.edge(call).to)
            }
        };
        let text = node_text(machine, node);
        let title = format!("Step: {}: the return at line {text}", named(turn));
        self.arrive(&title, turn, world, premises, (to, after, stays_inside));
    }

    /// Another thread starts with a copy of this one's globals, and with its frame if it starts at
    /// a node.
    fn start(
        &self,
        world: &mut Configuration<'a>,
        scope: Scope<'_>,
        start: &ThreadStart,
        thread: u32,
    ) {
        let Context { machine, cast, .. } = self.context;
        let inlined = &cast.member(thread).inlined;
        let (node, arguments) = match start {
            ThreadStart::Node(node) => (*node, &[][..]),
            ThreadStart::Procedure { callee, arguments } => {
                (machine.procedure(*callee).entry, &**arguments)
            }
        };
        let root = inlined.root(machine.procedure_of(node));
        let root = root.expect("every procedure that a thread may begin in is a root");
        let new = Scope {
            thread,
            frame: &inlined.frames()[root as usize],
        };
        enter(machine, world, scope, new, arguments);
        world.set_place(Moment::After, thread, inlined.place(machine, root, node));
        for (index, global) in machine.globals.iter().enumerate() {
            if global.storage == Storage::PerThread {
                let id = GlobalId::new(index);
                let value = world.term(Moment::Before, Cell::Own(scope.thread, id));
                world.set(Moment::After, Cell::Own(thread, id), value);
            }
        }
        if let ThreadStart::Node(_) = start {
            let locals = 0..machine.procedure(new.frame.procedure).locals.len();
            for local in locals.map(|index| Variable::Local(LocalId::new(index))) {
                let value = world.value(Moment::Before, scope, local);
                world.assign(new, local, &value);
            }
        }
    }

    /// The thread ends. If it is `init`, all others start.
    fn end(&self, world: &mut Configuration<'a>, turn: &Turn, after: &mut Turn) {
        let cast = &self.context.cast;
        if !cast.has_init || turn.thread != 0 {
            return;
        }
        after.started = cast.initial;
        for thread in cast.instances() {
            for bit in 0..cast.member(thread).inlined.row_bits() {
                world.set_arbitrary(Cell::Row(thread, bit));
            }
            world.start_declared(Moment::After, thread);
        }
    }

    /// Whether atomic blocks of others permit a step, where there are any.
    fn permission(&self, world: &mut Configuration<'a>, turn: &Turn) -> Option<String> {
        let holder = *turn
            .atomic
            .last()
            .filter(|&&holder| holder != turn.thread)?;
        let mut ways = vec!["false".to_owned()];
        for place in 1..self.context.cast.member(holder).inlined.place_count() {
            for way in self.ways(world, holder, place) {
                let here = world.at(holder, place);
                ways.push(format!("(and {here} {way})"));
            }
        }
        let blocked = format!("(not (or {}))", ways.join(" "));
        Some(match self.context.machine.atomic_flag {
            Some(flag) => {
                let flag = world.term(Moment::Before, Cell::Shared(flag));
                format!("(or {blocked} {flag})")
            }
            None => blocked,
        })
    }

    /// The conditions under which a thread can take a step from a place, by each edge with each of
    /// its choices.
    fn ways(&self, world: &mut Configuration<'a>, thread: u32, place: u32) -> Vec<String> {
        let Context { machine, cast, .. } = self.context;
        let inlined = &cast.member(thread).inlined;
        let Some((number, node)) = inlined.locate(machine, place) else {
            return Vec::new();
        };
        let frame = &inlined.frames()[number as usize];
        if machine.procedure(frame.procedure).exit == node {
            return vec!["true".to_owned()];
        }
        let mut ways = Vec::new();
        for id in machine.edges_from(node) {
            let inputs = deciding_inputs(machine, id);
            let types = &machine.edge(id).inputs;
            let bits: u32 = inputs
                .iter()
                .map(|input| types[input.index()].width())
                .sum();
            if bits > MOST_CHOICE_BITS {
                continue;
            }
            for mut choices in 0..1u64 << bits {
                world.begin_step();
                for &input in &inputs {
                    let ty = types[input.index()];
                    world.set_choice(input, ty.wrap(choices), ty);
                    choices >>= ty.width();
                }
                let taken = world.take(Scope { thread, frame }, id);
                ways.push(format!("(and true {})", taken.join(" ")));
            }
        }
        world.begin_step();
        ways
    }
}

/// A turn in words.
fn named(turn: &Turn) -> String {
    let Turn {
        thread,
        started,
        atomic,
    } = turn;
    let inside = if atomic.is_empty() {
        String::new()
    } else {
        format!(", {atomic:?} inside atomic blocks")
    };
    format!("turn of thread {thread}, {started} started{inside}")
}

/// The locals of a new frame: parameters as passed, the others arbitrary.
fn enter(
    machine: &Machine,
    world: &mut Configuration<'_>,
    scope: Scope<'_>,
    new: Scope<'_>,
    arguments: &[hardbop_machine::ExprId],
) {
    for bit in new.frame.bits() {
        world.set_arbitrary(Cell::Row(new.thread, bit));
    }
    let parameters = machine.procedure(new.frame.procedure).parameters();
    for (parameter, &argument) in parameters.zip(arguments) {
        let value = world.expression(scope, argument);
        world.assign(new, Variable::Local(parameter), &value);
    }
}
