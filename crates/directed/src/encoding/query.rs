//! One block as a circuit in a solver of its own: from the bits at its source, with the clauses of
//! the frames there, to the bits at its target.
//!
//! A clause of a frame holds from level 0 up to its level, so it is guarded by a literal for its
//! level, and a question about level `k` assumes the literals from `k` on. A completed call is a
//! pair of the callee's entry and exit bits. It is constrained by the frame at the exit (what *may*
//! be a summary), or by the facts known about the callee (what *must* be one): a chain of choices
//! that can grow.

use super::cubes::{Cube, StateLit, Vocabulary};
use super::points::Block;
use hardbop_machine::{Action, EdgeId, GlobalId, LocalId, Machine, Variable};
use hardbop_sat::{Answer, Circuit, Lit, Solver};
use hardbop_transform::literals::edge_circuits::ChoiceBit;
use hardbop_transform::literals::frames::{Frames, FreeBit};

/// Temporary clauses after which a solver is made afresh.
const MOST_TEMPORARIES: u64 = 1500;

/// Bits of a state as literals of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateBits {
    pub now: Vec<Lit>,
    pub entry: Vec<Lit>,
}

impl StateBits {
    pub fn literal(&self, lit: StateLit) -> Lit {
        let bits = if lit.is_entry() {
            &self.entry
        } else {
            &self.now
        };
        bits[lit.bit() as usize].negated_if(!lit.value())
    }

    pub fn literals(&self, cube: &[StateLit]) -> Vec<Lit> {
        cube.iter().map(|&lit| self.literal(lit)).collect()
    }
}

/// A completed call of a block.
pub(crate) struct CallBits {
    /// The callee's bits: at its entry and exit.
    pub pair: StateBits,
    levels: Vec<Lit>,
    /// Some fact holds, of those from the first on.
    some_fact: Lit,
    /// Some fact that is not known yet.
    open_fact: Lit,
    facts: Vec<Lit>,
}

/// An edge with its choices.
#[derive(Clone, Debug)]
pub(crate) struct StepChoices {
    pub edge: EdgeId,
    pub choices: Vec<ChoiceBit>,
}

/// A block in a solver.
pub(crate) struct BlockQuery<'i> {
    pub circuit: Circuit<'i>,
    pub source: StateBits,
    pub target: StateBits,
    pub calls: Vec<CallBits>,
    pub steps: Vec<StepChoices>,
    /// What is arbitrary where a callee is entered: first values of locals, and dead globals.
    pub free: Vec<FreeBit>,
    /// Whether all edges can be taken; `None` if that is impossible.
    pub guard: Option<Lit>,
    levels: Vec<Lit>,
    temporaries: u64,
}

impl<'i> BlockQuery<'i> {
    pub fn new(
        machine: &Machine,
        frames: &mut Frames<'_>,
        vocabularies: &[Vocabulary],
        block: &Block,
        interrupt: &'i dyn Fn() -> bool,
    ) -> Self {
        let mut solver = Solver::new();
        solver.set_interrupt(interrupt);
        let mut circuit = Circuit::new(solver);
        let source = source_bits(machine, frames, vocabularies, block, &mut circuit);
        let mut query = Self {
            guard: Some(circuit.constant(true)),
            circuit,
            target: source.clone(),
            source,
            calls: Vec::new(),
            steps: Vec::new(),
            free: Vec::new(),
            levels: Vec::new(),
            temporaries: 0,
        };
        let last = block.edges.len() - 1;
        for (index, &edge) in block.edges.iter().enumerate() {
            query.take(
                machine,
                frames,
                vocabularies,
                edge,
                block.enters && index == last,
            );
        }
        query
    }

    fn take(
        &mut self,
        machine: &Machine,
        frames: &mut Frames<'_>,
        vocabularies: &[Vocabulary],
        id: EdgeId,
        enters: bool,
    ) {
        let (Some(guard), circuit) = (self.guard, &mut self.circuit) else {
            return;
        };
        let bits = std::mem::take(&mut self.target.now);
        let Some(edge) = frames.edge(circuit, id, &bits) else {
            self.guard = None;
            return;
        };
        self.guard = Some(circuit.and(guard, edge.guard));
        self.steps.push(StepChoices {
            edge: id,
            choices: edge.choices,
        });
        let Action::Call { callee, .. } = machine.edge(id).action else {
            self.target.now = frames.after(circuit, id, &bits, &edge.writes);
            return;
        };
        let (mut entered, free) = frames.entered(circuit, callee, &bits, &edge.writes);
        // A global may be live in the callee only for the sake of other callers. Here it may have
        // any value.
        let entry = machine.procedure(callee).entry;
        let globals = frames.global_bits();
        for &bit in &vocabularies[entry.index()].now {
            if (bit as usize) >= globals {
                break;
            }
            let variable = Variable::Global(global_of(machine, frames, bit));
            if !machine.liveness().is_live(machine.edge(id).from, variable) {
                let literal = circuit.input();
                entered[bit as usize] = literal;
                let first = frames.layout().bits_of(callee, variable).start;
                self.free.push(FreeBit {
                    variable,
                    bit: (bit - first) as u8,
                    literal,
                });
            }
        }
        if enters {
            self.target.entry.clone_from(&entered);
            self.target.now = entered;
            self.free.extend(free);
            return;
        }
        let exit = machine.procedure(callee).exit;
        let waiting = frames.waiting(circuit, id, &bits);
        let mut left: Vec<Lit> = vec![circuit.constant(false); entered.len()];
        left[..globals].copy_from_slice(&entered[..globals]);
        for (index, _) in machine.globals.iter().enumerate() {
            let global = GlobalId::new(index);
            if machine.effects().modifies(callee, global) {
                let bits = frames.layout().bits_of(callee, Variable::Global(global));
                left[bits.start as usize..bits.end as usize].fill(circuit.constant(false));
            }
        }
        for &bit in &vocabularies[exit.index()].now {
            let is_kept = (bit as usize) < globals && {
                let kept = global_of(machine, frames, bit);
                !machine.effects().modifies(callee, kept)
            };
            if !is_kept {
                left[bit as usize] = circuit.input();
            }
        }
        self.target.now = frames.returned(circuit, id, &left, &waiting);
        let some_fact = circuit.input();
        self.calls.push(CallBits {
            pair: StateBits {
                now: left,
                entry: entered,
            },
            levels: Vec::new(),
            some_fact,
            open_fact: some_fact,
            facts: Vec::new(),
        });
    }

    /// Whether it is time for a new solver.
    pub fn is_worn(&self) -> bool {
        self.temporaries > MOST_TEMPORARIES
    }

    /// A cube is excluded at the source up to a level.
    pub fn exclude_source(&mut self, cube: &[StateLit], level: usize) {
        if self.guard.is_none() {
            return;
        }
        let guard = level_literal(&mut self.circuit, &mut self.levels, level);
        exclude(&mut self.circuit, guard, &self.source, cube);
    }

    /// A cube is excluded as a summary of a call up to a level.
    pub fn exclude_call(&mut self, call: usize, cube: &[StateLit], level: usize) {
        if self.guard.is_none() {
            return;
        }
        let call = &mut self.calls[call];
        let guard = level_literal(&mut self.circuit, &mut call.levels, level);
        exclude(&mut self.circuit, guard, &call.pair, cube);
    }

    /// Another fact about the callee of a call, as a cube of its entry and exit.
    pub fn add_fact(&mut self, call: usize, fact: &[StateLit]) {
        if self.guard.is_none() {
            return;
        }
        let call = &mut self.calls[call];
        let (holds, open) = (self.circuit.input(), self.circuit.input());
        let solver = self.circuit.solver();
        solver.add_clause(&[!call.open_fact, holds, open]);
        for &lit in fact {
            solver.add_clause(&[!holds, call.pair.literal(lit)]);
        }
        call.open_fact = open;
        call.facts.push(holds);
    }

    /// Assumes the frame at the source at a level.
    pub fn assume_source(&mut self, level: usize, assumptions: &mut Vec<Lit>) {
        let from = level.min(self.levels.len());
        assumptions.extend(&self.levels[from..]);
    }

    /// Assumes that a call has a summary that the frame at a level allows.
    pub fn assume_summary(&mut self, call: usize, level: usize, assumptions: &mut Vec<Lit>) {
        let levels = &self.calls[call].levels;
        assumptions.extend(&levels[level.min(levels.len())..]);
    }

    /// Assumes that a call has a summary that is a fact.
    pub fn assume_fact(&self, call: usize, assumptions: &mut Vec<Lit>) {
        let call = &self.calls[call];
        assumptions.extend([call.some_fact, !call.open_fact]);
    }

    /// The fact that the last model uses for a call.
    pub fn used_fact(&mut self, call: usize) -> Option<usize> {
        let facts = self.calls[call].facts.iter();
        let solver = self.circuit.solver();
        facts
            .enumerate()
            .find(|(_, lit)| solver.value(**lit) == Some(true))
            .map(|(i, _)| i)
    }

    /// A clause that holds where the result does, until [`BlockQuery::release`].
    pub fn temporary(&mut self, clause: &[Lit]) -> Lit {
        self.temporaries += 1;
        let guard = self.circuit.input();
        let mut guarded = vec![!guard];
        guarded.extend(clause);
        self.circuit.solver().add_clause(&guarded);
        guard
    }

    pub fn release(&mut self, guard: Lit) {
        self.circuit.solver().add_clause(&[!guard]);
    }

    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.circuit.solve(assumptions)
    }

    /// Whether a literal holds in the last model.
    pub fn holds(&mut self, lit: Lit) -> bool {
        let constant = self.circuit.as_constant(lit);
        constant.unwrap_or_else(|| self.circuit.solver().value(lit) == Some(true))
    }

    /// A literal as it is in the last model.
    pub fn valued(&mut self, lit: Lit) -> Lit {
        let is_true = self.holds(lit);
        lit.negated_if(!is_true)
    }

    /// The state of the last model at a point with this vocabulary.
    pub fn state(&mut self, bits: &StateBits, vocabulary: &Vocabulary) -> Cube {
        let mut cube = Vec::with_capacity(vocabulary.now.len() + vocabulary.entry.len());
        for &bit in &vocabulary.now {
            let value = self.holds(bits.now[bit as usize]);
            cube.push(StateLit::new(bit, false, value));
        }
        for &bit in &vocabulary.entry {
            let value = self.holds(bits.entry[bit as usize]);
            cube.push(StateLit::new(bit, true, value));
        }
        cube.sort_unstable();
        cube
    }
}

fn global_of(machine: &Machine, frames: &Frames<'_>, bit: u32) -> GlobalId {
    let ids = (0..machine.globals.len()).map(GlobalId::new);
    let layout = frames.layout();
    let start = |id: &GlobalId| layout.bits_of(hardbop_machine::ProcId(0), Variable::Global(*id));
    let found = ids.clone().find(|id| start(id).contains(&bit));
    found.unwrap_or(GlobalId::new(0))
}

fn source_bits(
    machine: &Machine,
    frames: &Frames<'_>,
    vocabularies: &[Vocabulary],
    block: &Block,
    circuit: &mut Circuit<'_>,
) -> StateBits {
    let procedure = machine.procedure_of(block.source);
    let layout = frames.layout();
    let vocabulary = &vocabularies[block.source.index()];
    let mut now = vec![circuit.constant(false); layout.local_bits(procedure).end as usize];
    for &bit in &vocabulary.now {
        now[bit as usize] = circuit.input();
    }
    // At the entry nothing has changed yet.
    let mut entry = now.clone();
    for &bit in &vocabulary.entry {
        entry[bit as usize] = circuit.input();
    }
    StateBits { now, entry }
}

fn level_literal(circuit: &mut Circuit<'_>, levels: &mut Vec<Lit>, level: usize) -> Lit {
    while levels.len() <= level {
        levels.push(circuit.input());
    }
    levels[level]
}

fn exclude(circuit: &mut Circuit<'_>, guard: Lit, bits: &StateBits, cube: &[StateLit]) {
    let mut clause = vec![!guard];
    clause.extend(cube.iter().map(|&lit| !bits.literal(lit)));
    circuit.solver().add_clause(&clause);
}

/// Values of inputs, in order.
pub(crate) fn input_values(
    machine: &Machine,
    step: &StepChoices,
    mut holds: impl FnMut(Lit) -> bool,
) -> Vec<u64> {
    let mut inputs = vec![0; machine.edge(step.edge).inputs.len()];
    for choice in &step.choices {
        inputs[choice.input.index()] |= u64::from(holds(choice.literal)) << choice.bit;
    }
    inputs
}

/// The first values of a frame's locals that are not parameters, from its state at the entry.
pub(crate) fn first_locals(
    machine: &Machine,
    layout: &hardbop_machine::bits::BitLayout,
    procedure: hardbop_machine::ProcId,
    state: &[StateLit],
) -> Vec<(LocalId, u64)> {
    let mut locals = Vec::new();
    for local in machine.procedure(procedure).local_ids() {
        if local.0 < machine.procedure(procedure).parameter_count {
            continue;
        }
        let value = value_of(layout, procedure, Variable::Local(local), state);
        if value != 0 {
            locals.push((local, value));
        }
    }
    locals
}

/// The value of a variable in a state; 0 where nothing is said.
pub(crate) fn value_of(
    layout: &hardbop_machine::bits::BitLayout,
    procedure: hardbop_machine::ProcId,
    variable: Variable,
    state: &[StateLit],
) -> u64 {
    let mut value = 0;
    for (position, bit) in layout.bits_of(procedure, variable).enumerate() {
        let is_set = state
            .binary_search(&StateLit::new(bit, false, true))
            .is_ok();
        value |= u64::from(is_set) << position;
    }
    value
}
