//! A run of threads from the steps that each of them takes: the interpreter takes them and writes
//! them down.
//!
//! This is the way back of runs of several threads. It walks over every step, so it is not for runs
//! that are long because they are hierarchical; those are sequential, and [`crate::correspondence`]
//! takes them.

use crate::correspondence::{Correspondence, Origin};
use crate::transform::NoWayBack;
use hardbop_interpreter::{
    Configuration, Move, Recorder, ReplayError, Slot, Walk, WalkedKind, fold, initial,
    initial_slots, step_slots,
};
use hardbop_machine::{EdgeId, Machine};
use hardbop_outcome::{Step, Target, Trace};

/// A run of threads of a machine as a run of the original's.
pub(crate) fn threads_back(
    back: &Correspondence,
    machine: &Machine,
    original: &Machine,
    trace: &Trace,
    target: Option<Target>,
) -> Result<Trace, NoWayBack> {
    let not_a_run = |error: ReplayError| NoWayBack::NotARun(error.to_string());
    let starts = trace.threads.iter().map(|origin| Start {
        globals: origin.globals.clone(),
        locals: origin.locals.clone(),
    });
    let mut reader = Reader {
        back,
        original,
        steps: Vec::new(),
        starts: starts.collect(),
    };
    let mut inputs = flat_inputs(trace).into_iter();
    let mut walk = Walk::expanded(machine, trace).map_err(not_a_run)?;
    while let Some(walked) = walk.next() {
        let walked = walked.map_err(not_a_run)?;
        let chosen = match walked.kind {
            WalkedKind::Return => Vec::new(),
            _ => inputs.next().unwrap_or_default(),
        };
        reader.read(walked.thread, walked.kind, chosen, walk.configuration());
    }
    let beginning = Beginning {
        globals: trace.globals.clone(),
        threads: reader.starts,
    };
    beginning.record(original, reader.steps.into_iter(), target)
}

/// A step of a thread.
pub(crate) struct ThreadStep {
    pub thread: u32,
    pub action: Move,
    /// The locals of the frame that a call makes.
    pub frame: Vec<u64>,
}

/// The first values of a thread.
#[derive(Clone, Default)]
pub(crate) struct Start {
    pub globals: Vec<u64>,
    pub locals: Vec<u64>,
}

/// What the first configuration leaves open.
pub(crate) struct Beginning {
    /// The shared globals.
    pub globals: Vec<u64>,
    /// Per thread.
    pub threads: Vec<Start>,
}

impl Beginning {
    /// The first value of a variable that is not determined; 0 for a thread that never ran.
    fn value(&self, slot: Slot) -> u64 {
        let start = |thread: u32| self.threads.get(thread as usize);
        let value = match slot {
            Slot::Shared(id) => self.globals.get(id.index()),
            Slot::Own { thread, global } => {
                start(thread).and_then(|s| s.globals.get(global.index()))
            }
            Slot::Local { thread, local, .. } => {
                start(thread).and_then(|s| s.locals.get(local.index()))
            }
        };
        value.copied().unwrap_or(0)
    }

    /// Has the interpreter take the steps one after the other.
    pub fn record(
        &self,
        machine: &Machine,
        steps: impl Iterator<Item = ThreadStep>,
        target: Option<Target>,
    ) -> Result<Trace, NoWayBack> {
        let first = initial_slots(machine);
        let first: Vec<u64> = first.iter().map(|&slot| self.value(slot)).collect();
        let mut recorder = Recorder::new(machine, initial(machine, &first));
        for step in steps {
            let slots = step_slots(machine, recorder.configuration(), step.thread, &step.action);
            let chosen = slots.iter().map(|&slot| match slot {
                Slot::Local { thread, local, .. } if thread == step.thread => {
                    step.frame.get(local.index()).copied().unwrap_or(0)
                }
                slot => self.value(slot),
            });
            let chosen: Vec<u64> = chosen.collect();
            let taken = recorder.step(step.thread, step.action.clone(), &chosen);
            taken.map_err(|error| {
                let (thread, action) = (step.thread, &step.action);
                NoWayBack::NotARun(format!("thread {thread} cannot do {action:?}: {error}"))
            })?;
        }
        let (mut trace, _) = recorder.finish();
        trace.target = target;
        fold(machine, &trace).map_err(|error| NoWayBack::NotARun(error.to_string()))
    }
}

/// The choices of all edges that an expanded walk takes, in order.
fn flat_inputs(trace: &Trace) -> Vec<Vec<u64>> {
    let mut flat = Vec::new();
    for segment in &trace.segments {
        let mut open = vec![segment.steps.iter()];
        while let Some(steps) = open.last_mut() {
            let Some(step) = steps.next() else {
                open.pop();
                continue;
            };
            match step {
                Step::Edge { inputs, .. } | Step::Enter { inputs, .. } => {
                    flat.push(inputs.to_vec());
                }
                Step::Call { inputs, run, .. } => {
                    flat.push(inputs.to_vec());
                    open.push(trace.runs[*run as usize].steps.iter());
                }
                Step::Leave => {}
            }
        }
    }
    flat
}

/// Collects the steps of the original.
struct Reader<'r> {
    back: &'r Correspondence,
    original: &'r Machine,
    steps: Vec<ThreadStep>,
    starts: Vec<Start>,
}

impl Reader<'_> {
    fn read(&mut self, thread: u32, kind: WalkedKind, inputs: Vec<u64>, after: &Configuration) {
        let frame = || {
            let top = after.top(thread);
            top.map_or_else(Vec::new, |frame| frame.locals.clone())
        };
        match kind {
            WalkedKind::Return if !self.back.has_return_edges => {
                self.push(thread, Move::Return, Vec::new());
            }
            WalkedKind::Return => {}
            WalkedKind::Edge(edge) | WalkedKind::Enter(edge) | WalkedKind::Call { edge, .. } => {
                match self.back.edges[edge.index()] {
                    Origin::Nothing => {}
                    Origin::Begin => {
                        self.starts[thread as usize] = Start {
                            globals: after.threads[thread as usize].own.clone(),
                            locals: frame(),
                        };
                    }
                    Origin::Return => self.push(thread, Move::Return, Vec::new()),
                    Origin::Edge(old) => {
                        let made = if matches!(kind, WalkedKind::Enter(_)) {
                            frame()
                        } else {
                            Vec::new()
                        };
                        self.edge(thread, old, inputs, made);
                    }
                }
            }
        }
    }

    fn edge(&mut self, thread: u32, edge: EdgeId, mut inputs: Vec<u64>, frame: Vec<u64>) {
        inputs.truncate(self.original.edge(edge).inputs.len());
        self.push(thread, Move::Edge { edge, inputs }, frame);
    }

    fn push(&mut self, thread: u32, action: Move, frame: Vec<u64>) {
        self.steps.push(ThreadStep {
            thread,
            action,
            frame,
        });
    }
}
