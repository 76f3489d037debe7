//! One window, executed with a literal for every bit; [`super`] says what for.

use super::Windows;
use crate::hide::Precision;
use crate::literals::edge_circuits::{ChoiceBit, EdgeCircuit};
use crate::literals::frames::{Bits, FreeBit, merge_bits, ways};
use crate::literals::run_writer::{PathStep, RunWriter, is_set};
use hardbop_machine::analysis::variables::each_read;
use hardbop_machine::{Action, EdgeId, NodeId, ProcId, Variable};
use hardbop_outcome::Skeleton;
use hardbop_sat::{Answer, Circuit, Lit, Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// After this many places a path is not widened any further.
const MOST_PLACES: usize = 100_000;

/// A node of a stretch.
struct Place {
    reached: Lit,
    /// How control came here: from which place, by which edge.
    arrivals: Vec<Arrival>,
}

struct Arrival {
    from: usize,
    edge: EdgeId,
    taken: Lit,
    choices: Vec<ChoiceBit>,
}

/// What is needed to write one part of the run down.
enum Recorded {
    Stretch(Vec<Place>),
    Step(PathStep, Vec<ChoiceBit>, Vec<FreeBit>),
}

/// One window that is being executed.
pub(super) struct Trial<'t, 'm, 'i> {
    windows: &'t mut Windows<'m>,
    precision: &'t Precision,
    circuit: Circuit<'i>,
    /// The switches of variables that are not tracked.
    switches: BTreeMap<usize, (Lit, ProcId, Variable)>,
    bits: Bits,
    /// Locals of the frames that wait.
    waiting: Vec<Rc<[Lit]>>,
    start: Vec<FreeBit>,
    records: Vec<Recorded>,
    /// Hold if the run goes along the path itself.
    on_path: Vec<Lit>,
    places: usize,
}

impl<'t, 'm, 'i> Trial<'t, 'm, 'i> {
    pub(super) fn new(
        windows: &'t mut Windows<'m>,
        precision: &'t Precision,
        interrupt: &'i dyn Fn() -> bool,
    ) -> Self {
        let mut solver = Solver::new();
        solver.set_interrupt(interrupt);
        let mut circuit = Circuit::new(solver);
        let main = windows.machine.threads[0].entry;
        let (bits, start) = windows.frames.initial(&mut circuit, main);
        Self {
            windows,
            precision,
            circuit,
            switches: BTreeMap::new(),
            bits,
            waiting: Vec::new(),
            start,
            records: Vec::new(),
            on_path: Vec::new(),
            places: 0,
        }
    }

    /// Reads of a variable that is not tracked go through its switch.
    fn switch(&mut self, procedure: ProcId, variable: Variable, seen: &mut [Lit]) {
        if !self.precision.lacks(procedure, variable) {
            return;
        }
        let index = self.precision.tracked().index(procedure, variable);
        let circuit = &mut self.circuit;
        let switch = self.switches.entry(index);
        let (is_on, ..) = *switch.or_insert_with(|| (circuit.input(), procedure, variable));
        for number in self.windows.frames.layout().bits_of(procedure, variable) {
            let arbitrary = circuit.input();
            let bit = &mut seen[number as usize];
            *bit = circuit.ite(is_on, *bit, arbitrary);
        }
    }

    /// An edge over a state in which variables that are not tracked are seen through their
    /// switches.
    fn edge(&mut self, id: EdgeId, bits: &[Lit]) -> Option<EdgeCircuit> {
        let machine = self.windows.machine;
        let procedure = machine.procedure_of(machine.edge(id).from);
        let mut read = BTreeSet::new();
        each_read(machine, id, |variable| {
            read.insert(variable);
        });
        let mut seen = bits.to_vec();
        for variable in read {
            self.switch(procedure, variable, &mut seen);
        }
        self.windows.frames.edge(&mut self.circuit, id, &seen)
    }

    /// An edge that the run must take.
    fn required(&mut self, id: EdgeId) -> EdgeCircuit {
        let bits = self.bits.clone();
        let option = self.edge(id, &bits);
        let option = option.unwrap_or_else(|| EdgeCircuit {
            guard: self.circuit.constant(false),
            writes: Vec::new(),
            choices: Vec::new(),
        });
        self.circuit.require(option.guard);
        option
    }

    /// Takes a leg of the path.
    pub(super) fn take(&mut self, steps: &[PathStep]) {
        match *steps {
            [PathStep::Enter(id)] => self.enter(id),
            [PathStep::Leave(id)] => self.leave(id),
            [PathStep::Edge(id)] if !self.windows.is_forward(id) => {
                let option = self.required(id);
                let frames = &mut self.windows.frames;
                self.bits = frames.after(&self.circuit, id, &self.bits, &option.writes);
                let record = Recorded::Step(PathStep::Edge(id), option.choices, Vec::new());
                self.records.push(record);
            }
            _ => {
                let edges = steps.iter().filter_map(|step| match *step {
                    PathStep::Edge(edge) => Some(edge),
                    PathStep::Enter(_) | PathStep::Leave(_) => None,
                });
                self.stretch(&edges.collect::<Vec<_>>());
            }
        }
    }

    fn enter(&mut self, id: EdgeId) {
        let Action::Call { callee, .. } = self.windows.machine.edge(id).action else {
            unreachable!("only calls are entered");
        };
        let option = self.required(id);
        let (circuit, frames) = (&mut self.circuit, &mut self.windows.frames);
        self.waiting.push(frames.waiting(circuit, id, &self.bits));
        let (bits, free) = frames.entered(circuit, callee, &self.bits, &option.writes);
        self.bits = bits;
        let record = Recorded::Step(PathStep::Enter(id), option.choices, free);
        self.records.push(record);
    }

    fn leave(&mut self, id: EdgeId) {
        let machine = self.windows.machine;
        let edge = machine.edge(id);
        let mut last = std::mem::take(&mut self.bits);
        if let Action::Call {
            callee, targets, ..
        } = &edge.action
        {
            let results = machine.procedure(*callee).results().zip(targets);
            for (result, _) in results.filter(|(_, target)| target.is_some()) {
                self.switch(*callee, Variable::Local(result), &mut last);
            }
        }
        let waiting = self.waiting.pop();
        let waiting = waiting.expect("a path leaves only what it has entered");
        let frames = &mut self.windows.frames;
        self.bits = frames.returned(&self.circuit, id, &last, &waiting);
        let record = Recorded::Step(PathStep::Leave(id), Vec::new(), Vec::new());
        self.records.push(record);
    }

    /// Goes forward from the start of the first edge to the end of the last, on any way.
    fn stretch(&mut self, on_path: &[EdgeId]) {
        let machine = self.windows.machine;
        let from = machine.edge(on_path[0]).from;
        let to = machine.edge(on_path[on_path.len() - 1]).to;
        let mut nodes = if self.places < MOST_PLACES {
            self.windows.between(from, to)
        } else {
            let ends = on_path.iter().map(|&edge| machine.edge(edge).to);
            std::iter::once(from).chain(ends).collect()
        };
        nodes.dedup();
        self.places += nodes.len();
        let index: BTreeMap<NodeId, usize> = nodes.iter().copied().zip(0..).collect();
        let mut places: Vec<Place> = Vec::with_capacity(nodes.len());
        let mut drafts: Vec<Vec<(Arrival, Bits)>> = Vec::new();
        drafts.resize_with(nodes.len(), Vec::new);
        for (number, &node) in nodes.iter().enumerate() {
            let (arrivals, states): (Vec<Arrival>, Vec<Bits>) =
                std::mem::take(&mut drafts[number]).into_iter().unzip();
            let reached = if number == 0 {
                self.circuit.constant(true)
            } else {
                self.circuit.any(arrivals.iter().map(|way| way.taken))
            };
            let mut merged = arrivals.iter().zip(states).rev();
            let mut bits = match merged.next() {
                Some((_, bits)) => bits,
                None => self.bits.clone(),
            };
            for (way, state) in merged {
                bits = merge_bits(&mut self.circuit, way.taken, &state, &bits);
            }
            places.push(Place { reached, arrivals });
            if node == to {
                self.bits = bits;
                break;
            }
            let mut options = Vec::new();
            for edge in machine.edges_from(node) {
                if self.windows.is_forward(edge)
                    && let Some(&to) = index.get(&machine.edge(edge).to)
                    && let Some(option) = self.edge(edge, &bits)
                {
                    options.push((edge, to, option));
                }
            }
            let guards: Vec<Lit> = options.iter().map(|(.., option)| option.guard).collect();
            let taken = ways(&mut self.circuit, reached, &guards);
            for ((edge, to, option), taken) in options.into_iter().zip(taken) {
                if on_path.contains(&edge) {
                    self.on_path.push(taken);
                }
                let frames = &mut self.windows.frames;
                let after = frames.after(&self.circuit, edge, &bits, &option.writes);
                let arrival = Arrival {
                    from: number,
                    edge,
                    taken,
                    choices: option.choices,
                };
                drafts[to].push((arrival, after));
            }
        }
        let reached = places.last().map(|place| place.reached);
        self.circuit.require(reached.expect("a stretch has an end"));
        self.records.push(Recorded::Stretch(places));
    }

    /// Whether there is a run in the window; one along the path itself if that is possible.
    pub(super) fn decide(&mut self) -> Answer {
        let switches: Vec<Lit> = self.switches.values().map(|&(is_on, ..)| is_on).collect();
        let mut exactly = switches.clone();
        exactly.extend(&self.on_path);
        match self.circuit.solve(&exactly) {
            Answer::Unsat => self.circuit.solve(&switches),
            answer => answer,
        }
    }

    /// The variables of a core.
    pub(super) fn reasons(mut self) -> Vec<(ProcId, Variable)> {
        let core: BTreeSet<Lit> = self.circuit.solver().core().into_iter().collect();
        let blamed = self.switches.values();
        let blamed = blamed.filter(|(is_on, ..)| core.contains(is_on));
        blamed
            .map(|&(_, procedure, variable)| (procedure, variable))
            .collect()
    }

    /// The run of the last model.
    pub(super) fn run(mut self) -> Skeleton {
        let machine = self.windows.machine;
        let circuit = &mut self.circuit;
        let mut writer = RunWriter::default();
        for record in &self.records {
            match record {
                Recorded::Step(step, choices, free) => {
                    writer.take(machine, circuit, *step, choices, free);
                }
                Recorded::Stretch(places) => {
                    let mut at = places.len() - 1;
                    let mut way: Vec<&Arrival> = Vec::new();
                    while at > 0 {
                        let mut arrivals = places[at].arrivals.iter();
                        let arrival = arrivals.find(|arrival| is_set(circuit, arrival.taken));
                        let arrival = arrival.expect("a place that is reached is reached somehow");
                        at = arrival.from;
                        way.push(arrival);
                    }
                    for arrival in way.into_iter().rev() {
                        let step = PathStep::Edge(arrival.edge);
                        writer.take(machine, circuit, step, &arrival.choices, &[]);
                    }
                }
            }
        }
        writer.finish_at(circuit, &self.start)
    }
}
