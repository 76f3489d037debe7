//! Runs and certificates of a machine with smaller integers, said of the original.

use super::classes::{Classes, Starts};
use crate::correspondence::operands_of;
use crate::transform::NoWayBack;
use hardbop_machine::{Action, EdgeId, GlobalId, InputId, LocalId, Machine, ProcId, Variable};
use hardbop_outcome::Trace;
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula};
use hardbop_outcome::trace::{Run, Segment, Step, ThreadOrigin};
use std::collections::{BTreeSet, HashMap};

/// The value that stands for an interval.
fn value_of(starts: Option<&Starts>, number: u64) -> u64 {
    starts.map_or(number, |starts| {
        starts[(number as usize).min(starts.len() - 1)]
    })
}

/// The run in which every number of an interval is its lowest value.
pub(super) fn run(classes: &Classes, original: &Machine, trace: &Trace) -> Trace {
    let globals = |values: &[u64]| -> Vec<u64> {
        let values = values.iter().enumerate();
        let of = |index| classes.of_variable(ProcId(0), Variable::Global(GlobalId::new(index)));
        values
            .map(|(index, &value)| value_of(of(index), value))
            .collect()
    };
    let locals = |procedure: ProcId, values: &[u64]| -> Vec<u64> {
        let values = values.iter().enumerate();
        let of = |index| classes.of_variable(procedure, Variable::Local(LocalId::new(index)));
        values
            .map(|(index, &value)| value_of(of(index), value))
            .collect()
    };
    let inputs = |edge: EdgeId, values: &[u64]| -> Vec<u64> {
        let values = values.iter().enumerate();
        let of = |index| classes.of_input(edge, InputId::new(index));
        values
            .map(|(index, &value)| value_of(of(index), value))
            .collect()
    };
    let step = |step: &Step| match step {
        Step::Edge { edge, inputs: some } => Step::Edge {
            edge: *edge,
            inputs: inputs(*edge, some).into(),
        },
        Step::Call {
            edge,
            inputs: some,
            run,
        } => Step::Call {
            edge: *edge,
            inputs: inputs(*edge, some).into(),
            run: *run,
        },
        Step::Enter {
            edge,
            inputs: some,
            locals: given,
        } => {
            let callee = match original.edge(*edge).action {
                Action::Call { callee, .. } => callee,
                _ => original.procedure_of(original.edge(*edge).from),
            };
            Step::Enter {
                edge: *edge,
                inputs: inputs(*edge, some).into(),
                locals: locals(callee, given).into(),
            }
        }
        Step::Leave => Step::Leave,
    };
    let entry = original
        .threads
        .first()
        .map_or(ProcId(0), |thread| thread.entry);
    Trace {
        program: original.digest().to_owned(),
        target: trace.target.clone(),
        globals: globals(&trace.globals),
        threads: trace
            .threads
            .iter()
            .map(|origin| ThreadOrigin {
                globals: globals(&origin.globals),
                locals: locals(entry, &origin.locals),
            })
            .collect(),
        runs: trace
            .runs
            .iter()
            .map(|run| Run {
                procedure: run.procedure,
                globals: globals(&run.globals),
                locals: locals(run.procedure, &run.locals),
                steps: run.steps.iter().map(step).collect(),
            })
            .collect(),
        segments: trace
            .segments
            .iter()
            .map(|segment| Segment {
                thread: segment.thread,
                steps: segment.steps.iter().map(step).collect(),
            })
            .collect(),
        version: trace.version,
    }
}

/// The certificate with every bit of a number spelled out.
pub(super) fn certificate(
    classes: &Classes,
    original: &Machine,
    mut certificate: Certificate,
) -> Result<Certificate, NoWayBack> {
    if matches!(
        certificate.direction,
        Direction::Interleaved | Direction::Stacks
    ) {
        return Err(NoWayBack::NotCertified("only those of one thread go back"));
    }
    let formulas = std::mem::take(&mut certificate.formulas);
    let mut writer = Writer {
        classes,
        original,
        has_locals: has_locals(&formulas),
        old: formulas,
        new: Vec::new(),
        known: HashMap::new(),
        thresholds: HashMap::new(),
    };
    for relation in &mut certificate.nodes {
        relation.relation = writer.written(relation.procedure, relation.relation);
        let to_exit = relation.to_exit;
        relation.to_exit = to_exit.map(|root| writer.written(relation.procedure, root));
    }
    certificate.formulas = writer.new;
    original.digest().clone_into(&mut certificate.program);
    Ok(certificate)
}

/// Per formula whether it speaks of locals, whose meaning depends on the procedure.
fn has_locals(formulas: &[Formula]) -> Vec<bool> {
    let mut has: Vec<bool> = Vec::with_capacity(formulas.len());
    for formula in formulas {
        let here = match formula {
            Formula::Entry(bit) | Formula::Now(bit) | Formula::Exit(bit) => {
                matches!(bit.variable, Variable::Local(_))
            }
            other => operands_of(other)
                .iter()
                .any(|&operand| has[operand as usize]),
        };
        has.push(here);
    }
    has
}

struct Writer<'w> {
    classes: &'w Classes,
    original: &'w Machine,
    old: Vec<Formula>,
    has_locals: Vec<bool>,
    new: Vec<Formula>,
    /// What has been written, by procedure where that matters.
    known: HashMap<(Option<ProcId>, u32), u32>,
    /// "The variable is at least this", by the formula of its lowest bit and its width.
    thresholds: HashMap<(Formula, u32, u64), u32>,
}

impl Writer<'_> {
    fn key(&self, procedure: ProcId, formula: u32) -> (Option<ProcId>, u32) {
        let has_locals = self.has_locals[formula as usize];
        (has_locals.then_some(procedure), formula)
    }

    fn written(&mut self, procedure: ProcId, root: u32) -> u32 {
        // Operands come before their users, so that the last is the first to be looked at.
        let mut needed = BTreeSet::new();
        let mut pending = BTreeSet::from([root]);
        while let Some(formula) = pending.pop_last() {
            if !self.known.contains_key(&self.key(procedure, formula)) {
                needed.insert(formula);
                pending.extend(operands_of(&self.old[formula as usize]));
            }
        }
        for formula in needed {
            let new = match self.old[formula as usize].clone() {
                Formula::Entry(bit) => self.bit(procedure, bit, Formula::Entry),
                Formula::Now(bit) => self.bit(procedure, bit, Formula::Now),
                Formula::Exit(bit) => self.bit(procedure, bit, Formula::Exit),
                other => {
                    let at = |operand: u32| self.known[&self.key(procedure, operand)];
                    let new = match other {
                        Formula::Not(a) => Formula::Not(at(a)),
                        Formula::And(all) => Formula::And(all.into_iter().map(at).collect()),
                        Formula::Or(all) => Formula::Or(all.into_iter().map(at).collect()),
                        Formula::Ite(c, a, b) => Formula::Ite(at(c), at(a), at(b)),
                        leaf => leaf,
                    };
                    self.push(new)
                }
            };
            self.known.insert(self.key(procedure, formula), new);
        }
        self.known[&self.key(procedure, root)]
    }

    fn push(&mut self, formula: Formula) -> u32 {
        self.new.push(formula);
        self.new.len() as u32 - 1
    }

    /// A bit of the number of a variable's interval. It changes with every 2^bit-th interval, so it
    /// says that the variable is at least one of those starts and below the next.
    fn bit(&mut self, procedure: ProcId, bit: Bit, moment: fn(Bit) -> Formula) -> u32 {
        let Some(starts) = self.classes.of_variable(procedure, bit.variable) else {
            return self.push(moment(bit));
        };
        let width = self.original.type_of(procedure, bit.variable).width();
        let changes: Vec<u64> = starts
            .iter()
            .copied()
            .step_by(1 << bit.bit)
            .skip(1)
            .collect();
        let mut ranges = Vec::new();
        for range in changes.chunks(2) {
            let low = self.at_least(bit.variable, width, range[0], moment);
            ranges.push(match range.get(1) {
                None => low,
                Some(&end) => {
                    let high = self.at_least(bit.variable, width, end, moment);
                    let below = self.push(Formula::Not(high));
                    self.push(Formula::And(vec![low, below]))
                }
            });
        }
        match ranges[..] {
            [only] => only,
            _ => self.push(Formula::Or(ranges)),
        }
    }

    /// "The variable is at least this", from the lowest bit to the highest.
    fn at_least(
        &mut self,
        variable: Variable,
        width: u32,
        value: u64,
        moment: fn(Bit) -> Formula,
    ) -> u32 {
        let key = (moment(Bit { variable, bit: 0 }), width, value);
        if let Some(&known) = self.thresholds.get(&key) {
            return known;
        }
        let mut is_met = self.push(Formula::Constant(true));
        for bit in 0..width {
            let here = self.push(moment(Bit { variable, bit }));
            let both = vec![here, is_met];
            is_met = self.push(if value >> bit & 1 == 1 {
                Formula::And(both)
            } else {
                Formula::Or(both)
            });
        }
        self.thresholds.insert(key, is_met);
        is_met
    }
}
