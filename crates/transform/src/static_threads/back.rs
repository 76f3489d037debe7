//! A run of the fixed threads as a run of the original's.

use super::StaticThreads;
use crate::correspondence::Origin;
use crate::steps::{Beginning, Start, ThreadStep};
use crate::transform::NoWayBack;
use hardbop_interpreter::{Configuration, Move, Walk, WalkedKind};
use hardbop_machine::{EdgeId, Machine};
use hardbop_outcome::{Step, Target, Trace};

impl StaticThreads {
    /// Walks over the run, and has the interpreter take those steps that are steps of the original.
    pub(super) fn run_of_threads(
        &self,
        original: &Machine,
        trace: &Trace,
        target: Option<Target>,
    ) -> Result<Trace, NoWayBack> {
        let not_a_run = |error: hardbop_interpreter::ReplayError| NoWayBack::NotARun(error.to_string());
        let starts = trace.threads.iter().map(|origin| Start {
            globals: origin.globals.clone(),
            locals: origin.locals.clone(),
        });
        let mut reader = Reader {
            threads: self,
            original,
            steps: Vec::new(),
            starts: starts.collect(),
        };
        let mut inputs = flat_inputs(trace).into_iter();
        let mut walk = Walk::expanded(&self.machine, trace).map_err(not_a_run)?;
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
                Step::Edge { inputs, .. } | Step::Enter { inputs, .. } => flat.push(inputs.clone()),
                Step::Call { inputs, run, .. } => {
                    flat.push(inputs.clone());
                    open.push(trace.runs[*run as usize].steps.iter());
                }
                Step::Leave => {}
            }
        }
    }
    flat
}

struct Reader<'r> {
    threads: &'r StaticThreads,
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
            WalkedKind::Return if !self.threads.has_return_edges => {
                self.push(thread, Move::Return, Vec::new());
            }
            WalkedKind::Return => {}
            WalkedKind::Edge(edge) | WalkedKind::Enter(edge) | WalkedKind::Call { edge, .. } => {
                match self.threads.back.edges[edge.index()] {
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
