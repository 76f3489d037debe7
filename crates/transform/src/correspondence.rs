//! What the parts of a transformed machine are in the original, and the way back of a sequential
//! run.
//!
//! A trace holds only what the program leaves open, so the way back is to keep the steps that are
//! steps of the original, with the choices that the original has, and to let [`Skeleton::trace`]
//! compute all values anew. A choice that a transform adds to an edge comes behind those of the
//! original, and a global that it adds behind the original's; what comes behind is dropped.

use crate::steps::threads_back;
use crate::transform::{NoWayBack, TargetMap};
use hardbop_machine::{EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};
use hardbop_outcome::{CompletedCall, Decision, Decisions, Skeleton, Step, Target, Trace};
use std::rc::Rc;

/// What an edge of a transformed machine is in the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// No step.
    Nothing,
    /// A step along this edge, with the same choices.
    Edge(EdgeId),
    /// A return.
    Return,
    /// No step: it calls the procedure in which a thread of the original starts.
    Begin,
}

/// For every part of a transformed machine what it is in the original.
#[derive(Clone, Debug, Default)]
pub struct Correspondence {
    /// Per edge.
    pub edges: Vec<Origin>,
    /// Per node the one of the original that is reached where it is.
    pub nodes: Vec<Option<NodeId>>,
    /// Per procedure the one of the original that it is or is a copy of.
    pub procedures: Vec<Option<ProcId>>,
    /// Whether returns of threads are edges; otherwise they are what they are in the original.
    pub has_return_edges: bool,
    standing: Vec<Vec<NodeId>>,
}

impl Correspondence {
    /// Everything is what it was.
    pub(crate) fn identity(machine: &Machine) -> Self {
        let same = Self {
            edges: machine.edge_ids().map(Origin::Edge).collect(),
            nodes: machine.node_ids().map(Some).collect(),
            procedures: machine.procedure_ids().map(Some).collect(),
            has_return_edges: false,
            standing: Vec::new(),
        };
        same.with_standing(machine.nodes.len())
    }

    /// Once all nodes are known: the nodes that stand for those of the original, of which there are
    /// `count`.
    pub(crate) fn with_standing(mut self, count: usize) -> Self {
        self.standing = vec![Vec::new(); count];
        for (new, old) in self.nodes.iter().enumerate() {
            if let Some(old) = old {
                self.standing[old.index()].push(NodeId::new(new));
            }
        }
        self
    }

    /// The nodes that stand for a node of the original: it is reached where one of them is.
    pub fn standing_for(&self, node: NodeId) -> &[NodeId] {
        &self.standing[node.index()]
    }

    /// A run of the transformed machine as one of the original.
    pub(crate) fn run_back(
        &self,
        machine: &Machine,
        original: &Machine,
        trace: &Trace,
        target: Option<Target>,
    ) -> Result<Trace, NoWayBack> {
        if !original.is_sequential() {
            return threads_back(self, machine, original, trace, target);
        }
        let decisions = decisions(trace).ok_or(NoWayBack::NotSequential)?;
        let run = self.trace_of(original, &decisions, target);
        let mut run = run.ok_or(NoWayBack::TooLong)?;
        let last = trace
            .segments
            .last()
            .and_then(|segment| segment.steps.last());
        if last == Some(&Step::Leave) {
            run.segments[0].steps.push(Step::Leave);
        }
        Ok(run)
    }

    /// The trace of the original with the decisions of a run; nothing if it has too many different
    /// calls.
    pub(crate) fn trace_of(
        &self,
        original: &Machine,
        run: &Skeleton,
        target: Option<Target>,
    ) -> Option<Trace> {
        let decisions = self.decisions_back(original, run);
        let mut trace = decisions.trace(original, target)?;
        if self.returns(run) {
            trace.segments[0].steps.push(Step::Leave);
        }
        Some(trace)
    }

    /// Whether a run takes an edge that is the return of the first procedure.
    pub(crate) fn returns(&self, run: &Skeleton) -> bool {
        run.steps.iter().any(|decision| match decision {
            Decision::Edge { edge, .. } => self.edges[edge.index()] == Origin::Return,
            Decision::Call { .. } | Decision::Enter { .. } => false,
        })
    }

    /// The decisions of a sequential run as decisions of the original.
    pub(crate) fn decisions_back(&self, original: &Machine, run: &Skeleton) -> Skeleton {
        let calls = run.calls.iter().map(|call| CompletedCall {
            // Sequential transforms add no procedures but copies.
            procedure: self.procedures[call.procedure.index()].unwrap_or(call.procedure),
            locals: call.locals.clone(),
            steps: self.steps_back(original, call.steps.iter()),
        });
        let is_old = |variable| match variable {
            Variable::Global(id) => GlobalId::index(id) < original.globals.len(),
            Variable::Local(_) => true,
        };
        let start = run.start.iter().copied();
        Skeleton {
            start: start.filter(|&(variable, _)| is_old(variable)).collect(),
            steps: self.steps_back(original, run.steps.iter()),
            calls: Rc::new(calls.collect()),
        }
    }

    /// A certificate whose relations hold of the original at the nodes that theirs stand for; the
    /// others are left out.
    pub(crate) fn certificate_back(
        &self,
        original: &Machine,
        targets: &TargetMap,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack> {
        if matches!(
            certificate.direction,
            Direction::Interleaved | Direction::Stacks
        ) {
            return Err(NoWayBack::NotCertified("it numbers the places of threads"));
        }
        if certificate.direction == Direction::Unrolled {
            return Err(NoWayBack::NotCertified("it counts repetitions of loops"));
        }
        let is_new = |bit: &Bit| match bit.variable {
            Variable::Global(id) => id.index() >= original.globals.len(),
            Variable::Local(_) => false,
        };
        let mut formulas = certificate.formulas.iter();
        if formulas.any(|formula| bit_of(formula).is_some_and(is_new)) {
            return Err(NoWayBack::NotCertified("it speaks of added variables"));
        }
        let nodes = certificate.nodes.into_iter().filter_map(|relation| {
            let node = self.nodes[relation.node.index()]?;
            Some(NodeRelation {
                to_exit: relation.to_exit,
                ..NodeRelation::new(original, node, relation.relation)
            })
        });
        Ok(Certificate::new(
            original,
            certificate.direction,
            targets.targets_back(&certificate.targets),
            certificate.formulas,
            nodes.collect(),
        ))
    }

    /// Those of some decisions that are decisions of the original.
    pub(crate) fn steps_back(
        &self,
        original: &Machine,
        steps: impl Iterator<Item = Decision>,
    ) -> Decisions {
        let steps = steps.filter_map(|mut decision| {
            let (Decision::Edge { edge, inputs }
            | Decision::Call { edge, inputs, .. }
            | Decision::Enter { edge, inputs, .. }) = &mut decision;
            let Origin::Edge(old) = self.edges[edge.index()] else {
                return None;
            };
            *edge = old;
            let count = original.edge(old).inputs.len();
            *inputs = inputs.iter().copied().take(count).collect();
            Some(decision)
        });
        steps.collect()
    }
}

/// The bit of a variable that a formula is.
pub(crate) fn bit_of(formula: &Formula) -> Option<&Bit> {
    match formula {
        Formula::Entry(bit) | Formula::Now(bit) | Formula::Exit(bit) => Some(bit),
        _ => None,
    }
}

/// The formulas that a formula is made of.
pub(crate) fn operands_of(formula: &Formula) -> Vec<u32> {
    match formula {
        Formula::Not(a) => vec![*a],
        Formula::And(operands) | Formula::Or(operands) => operands.clone(),
        Formula::Ite(c, a, b) => vec![*c, *a, *b],
        _ => Vec::new(),
    }
}

/// The decisions of a sequential trace, all values included; nothing if it is not one.
pub(crate) fn decisions(trace: &Trace) -> Option<Skeleton> {
    let [segment] = &trace.segments[..] else {
        let is_empty = trace.segments.is_empty();
        return is_empty.then(|| Skeleton {
            start: first_values(trace),
            ..Skeleton::default()
        });
    };
    let calls = trace.runs.iter().map(|run| {
        Some(CompletedCall {
            procedure: run.procedure,
            locals: locals(&run.locals),
            steps: run.steps.iter().map(decision).collect::<Option<_>>()?,
        })
    });
    // The return of the first procedure may come last; anything behind another one stands in line.
    let steps = match segment.steps.split_last() {
        Some((Step::Leave, steps)) => steps,
        _ => &segment.steps,
    };
    Some(Skeleton {
        start: first_values(trace),
        steps: steps.iter().map(decision).collect::<Option<_>>()?,
        calls: Rc::new(calls.collect::<Option<_>>()?),
    })
}

fn first_values(trace: &Trace) -> Vec<(Variable, u64)> {
    let globals = trace.globals.iter().enumerate();
    let globals = globals.map(|(index, &value)| (Variable::Global(GlobalId::new(index)), value));
    let first = trace.threads.first().map_or(&[][..], |first| &first.locals);
    let first = locals(first).into_iter();
    let locals = first.map(|(local, value)| (Variable::Local(local), value));
    globals.chain(locals).collect()
}

fn locals(values: &[u64]) -> Vec<(LocalId, u64)> {
    let values = values.iter().enumerate();
    values
        .map(|(index, &value)| (LocalId::new(index), value))
        .collect()
}

fn decision(step: &Step) -> Option<Decision> {
    Some(match step {
        Step::Edge { edge, inputs } => Decision::Edge {
            edge: *edge,
            inputs: inputs.clone(),
        },
        Step::Call { edge, inputs, run } => Decision::Call {
            edge: *edge,
            inputs: inputs.clone(),
            call: *run as usize,
        },
        Step::Enter {
            edge,
            inputs,
            locals: values,
        } => Decision::Enter {
            edge: *edge,
            inputs: inputs.clone(),
            locals: locals(values).into(),
        },
        Step::Leave => return None,
    })
}
