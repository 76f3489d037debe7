//! A path tried on the original: executed with a literal for every bit, each step under its own
//! assumption, so that a path that cannot be taken comes with few steps that rule it out.

use crate::literals::edge_circuits::ChoiceBit;
use crate::literals::frames::{Bits, Frames, FreeBit};
use crate::literals::run_writer::{PathStep, RunWriter};
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Action, EdgeId, Machine, NodeId};
use hardbop_outcome::Skeleton;
use hardbop_sat::{Answer, Circuit, Lit, Solver};
use std::rc::Rc;

/// A core of more steps is not made smaller.
const MOST_REDUCED: usize = 200;
/// Conflicts for a question whether a step can be left out of a core.
const CONFLICTS: u64 = 1_000;

/// What became of a path.
#[derive(Debug)]
pub(super) enum Tried {
    /// It can be taken so.
    Taken(Skeleton),
    /// It cannot: the conditions of these steps exclude each other.
    Impossible(Vec<usize>),
    /// The solver was interrupted.
    Interrupted,
}

/// What trials of paths to some nodes share.
pub(super) struct Paths<'m> {
    machine: &'m Machine,
    frames: Frames<'m>,
}

struct Recorded {
    step: PathStep,
    choices: Vec<ChoiceBit>,
    free: Vec<FreeBit>,
}

impl<'m> Paths<'m> {
    pub(super) fn new(machine: &'m Machine, targets: &[NodeId]) -> Self {
        let slice = Slice::new(machine, targets);
        Self {
            machine,
            frames: Frames::new(machine, Rc::new(slice)),
        }
    }

    /// Tries a path from the start of the program.
    pub(super) fn try_path(&mut self, path: &[PathStep], interrupt: &dyn Fn() -> bool) -> Tried {
        let mut solver = Solver::new();
        solver.set_interrupt(interrupt);
        let mut circuit = Circuit::new(solver);
        let main = self.machine.threads[0].entry;
        let (mut bits, start) = self.frames.initial(&mut circuit, main);
        let mut waiting: Vec<Rc<[Lit]>> = Vec::new();
        let mut records = Vec::new();
        let mut conditions: Vec<(usize, Lit)> = Vec::new();
        for (number, &step) in path.iter().enumerate() {
            let Some((record, condition)) = self.take(&mut circuit, step, &mut bits, &mut waiting)
            else {
                return Tried::Impossible(vec![number]);
            };
            records.push(record);
            if circuit.as_constant(condition).is_none() {
                conditions.push((number, condition));
            }
        }
        let assumed: Vec<Lit> = conditions.iter().map(|&(_, lit)| lit).collect();
        match circuit.solve(&assumed) {
            Answer::Interrupted => Tried::Interrupted,
            Answer::Unsat => {
                let core = circuit.solver().core();
                let blamed = conditions.iter().filter(|(_, lit)| core.contains(lit));
                let blamed: Vec<(usize, Lit)> = blamed.copied().collect();
                Tried::Impossible(reduced(&mut circuit, blamed))
            }
            Answer::Sat => {
                let mut writer = RunWriter::default();
                for record in &records {
                    let Recorded {
                        step,
                        choices,
                        free,
                    } = record;
                    writer.take(self.machine, &mut circuit, *step, choices, free);
                }
                Tried::Taken(writer.finish_at(&mut circuit, &start))
            }
        }
    }

    /// Takes a step; gives its condition, or nothing if constants rule it out.
    fn take(
        &mut self,
        circuit: &mut Circuit<'_>,
        step: PathStep,
        bits: &mut Bits,
        waiting: &mut Vec<Rc<[Lit]>>,
    ) -> Option<(Recorded, Lit)> {
        let record = |choices, free| Recorded {
            step,
            choices,
            free,
        };
        match step {
            PathStep::Edge(id) => {
                let edge = self.frames.edge(circuit, id, bits)?;
                *bits = self.frames.after(circuit, id, bits, &edge.writes);
                Some((record(edge.choices, Vec::new()), edge.guard))
            }
            PathStep::Enter(id) => {
                let edge = self.frames.edge(circuit, id, bits)?;
                waiting.push(self.frames.waiting(circuit, id, bits));
                let callee = callee_of(self.machine, id);
                let (entered, free) = self.frames.entered(circuit, callee, bits, &edge.writes);
                *bits = entered;
                Some((record(edge.choices, free), edge.guard))
            }
            PathStep::Leave(id) => {
                let waiting = waiting.pop();
                let waiting = waiting.expect("a path leaves only what it has entered");
                *bits = self.frames.returned(circuit, id, bits, &waiting);
                Some((record(Vec::new(), Vec::new()), circuit.constant(true)))
            }
        }
    }
}

/// The procedure that a call edge calls.
pub(super) fn callee_of(machine: &Machine, id: EdgeId) -> hardbop_machine::ProcId {
    match machine.edge(id).action {
        Action::Call { callee, .. } => callee,
        _ => unreachable!("only calls are entered"),
    }
}

/// Leaves out conditions, those of early steps first, as long as the rest cannot hold together.
fn reduced(circuit: &mut Circuit<'_>, mut core: Vec<(usize, Lit)>) -> Vec<usize> {
    circuit.solver().set_conflict_limit(Some(CONFLICTS));
    let mut next = 0;
    while next < core.len() && core.len() <= MOST_REDUCED {
        let mut fewer = core.clone();
        fewer.remove(next);
        let assumed: Vec<Lit> = fewer.iter().map(|&(_, lit)| lit).collect();
        if circuit.solve(&assumed) == Answer::Unsat {
            let needed = circuit.solver().core();
            let kept = core[..next].len();
            core = fewer;
            core.retain(|(_, lit)| needed.contains(lit));
            next = next.min(kept).min(core.len());
        } else {
            next += 1;
        }
    }
    core.into_iter().map(|(number, _)| number).collect()
}
