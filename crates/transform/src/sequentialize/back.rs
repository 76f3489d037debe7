//! A run of the sequential program as a run of the threads.
//!
//! The sequential run is walked step by step. Its labels tell which edge of which thread is taken,
//! `hb_in_k` in which round, and the locals what was chosen. Sorted by round and thread the steps
//! are the schedule; what comes after the step that reaches the target, in that order, is left out.
//! The interpreter takes the steps and writes them down, so that whatever is wrong is noticed.

use super::Sequential;
use super::names::choice;
use crate::correspondence::Origin;
use crate::steps::{Beginning, Start, ThreadStep};
use crate::transform::NoWayBack;
use hardbop_interpreter::{Configuration, Move, Walk, WalkedKind};
use hardbop_machine::{EdgeId, GlobalId, Machine, NodeId, ProcId};
use hardbop_outcome::{Target, Trace};
use std::collections::HashMap;

/// What a label of the sequential program means.
#[derive(Clone, Copy, Debug)]
enum Mark {
    /// An edge of a thread is taken; the number is that among the fixed threads.
    Edge(EdgeId),
    /// `init` is run.
    Init,
    /// A thread is run.
    Thread(u32),
}

impl Sequential {
    /// The run of the threads that a run of the sequential program stands for, or why it does not
    /// stand for one.
    pub(super) fn run_of_threads(
        &self,
        original: &Machine,
        trace: &Trace,
        target: &Target,
    ) -> Result<Trace, NoWayBack> {
        let not_a_run = |why: String| NoWayBack::NotARun(why);
        let place = self.nodes.iter().position(|&node| node == target.node);
        let place = place.ok_or_else(|| not_a_run("it is about other targets".to_owned()))?;
        let mut reader = Reader::new(self, original, place);
        let walk = Walk::expanded(&self.machine, trace);
        let mut walk = walk.map_err(|error| not_a_run(error.to_string()))?;
        let globals = walk.configuration().shared.clone();
        loop {
            let before = walk.configuration().clone();
            let Some(walked) = walk.next() else {
                break;
            };
            let walked = walked.map_err(|error| not_a_run(error.to_string()))?;
            reader.read(&before, walked.node, walked.kind, walk.configuration());
        }
        reader.record(globals, target)
    }
}

/// Collects the steps of the threads.
struct Reader<'r> {
    program: &'r Sequential,
    machine: &'r Machine,
    marks: HashMap<NodeId, Mark>,
    /// `hb_in_k`, for k from 2 on.
    rounds: Vec<GlobalId>,
    stop: Option<GlobalId>,
    helpers: Vec<ProcId>,
    first_thread: u32,
    thread: Option<u32>,
    starts: Vec<Start>,
    /// The steps with the rounds in which they are taken.
    steps: Vec<(u32, ThreadStep)>,
    /// The thread is about to call the procedure in which it starts.
    is_beginning: bool,
    /// The round and the thread in which the target was reached.
    hit: Option<(u32, u32)>,
    has_hit: Option<GlobalId>,
}

impl<'r> Reader<'r> {
    /// `target` is the place of the target among those of the program.
    fn new(program: &'r Sequential, machine: &'r Machine, target: usize) -> Self {
        let sequential = &program.machine;
        let global = |name: &str| {
            let place = sequential
                .globals
                .iter()
                .position(|global| global.name == name);
            place.map(GlobalId::new)
        };
        let first_thread = u32::from(machine.init.is_some());
        let threads = program.threads.machine.threads.iter();
        let threads: u32 = threads.map(|thread| thread.instances).sum();
        let marks = sequential.labels.iter().filter_map(|label| {
            let (kind, number) = label.name.split_at_checked(1)?;
            let mark = match (kind, number.parse::<u32>()) {
                ("E", Ok(edge)) => Mark::Edge(EdgeId(edge)),
                ("T", Ok(thread)) => Mark::Thread(thread),
                ("I", _) if number.is_empty() => Mark::Init,
                _ => return None,
            };
            Some((label.node, mark))
        });
        let helpers = sequential.procedure_ids().filter(|&id| {
            let name = &sequential.procedure(id).name;
            name == "hb_switch" || name == "hb_leave"
        });
        Self {
            program,
            machine,
            marks: marks.collect(),
            rounds: (2..=program.rounds)
                .filter_map(|round| global(&format!("hb_in_{round}")))
                .collect(),
            stop: global("hb_stop"),
            helpers: helpers.collect(),
            first_thread,
            thread: None,
            starts: vec![Start::default(); (first_thread + threads) as usize],
            steps: Vec::new(),
            is_beginning: false,
            hit: None,
            has_hit: global(&format!("hb_hit_{target}")),
        }
    }

    fn value(configuration: &Configuration, id: Option<GlobalId>) -> u64 {
        id.map_or(0, |id| configuration.shared[id.index()])
    }

    fn round(&self, configuration: &Configuration) -> u32 {
        let reached = self.rounds.iter();
        reached
            .filter(|&&id| Self::value(configuration, Some(id)) == 1)
            .count() as u32
    }

    /// Looks at one step of the sequential run.
    fn read(
        &mut self,
        before: &Configuration,
        node: NodeId,
        kind: WalkedKind,
        after: &Configuration,
    ) {
        let round = self.round(before);
        match (self.marks.get(&node).copied(), kind, self.thread) {
            (Some(Mark::Init), WalkedKind::Enter(_), _) => self.begin(0, after),
            (Some(Mark::Thread(number)), WalkedKind::Enter(_), _) => {
                self.begin(self.first_thread + number, after);
            }
            (Some(Mark::Edge(edge)), WalkedKind::Edge(_), Some(thread)) => {
                match self.program.threads.back.edges[edge.index()] {
                    Origin::Nothing => {}
                    Origin::Begin => self.is_beginning = true,
                    Origin::Return => self.push(round, thread, Move::Return),
                    Origin::Edge(taken) => {
                        let inputs = self.inputs(edge, after);
                        let edge = taken;
                        self.push(round, thread, Move::Edge { edge, inputs });
                    }
                }
            }
            (_, WalkedKind::Enter(_), Some(thread)) if !self.is_helper(after) => {
                if std::mem::take(&mut self.is_beginning) {
                    self.begin(thread, after);
                } else if let Some((_, step)) = self.steps.last_mut() {
                    let frame = after.top(0).map(|frame| frame.locals.clone());
                    step.frame = frame.unwrap_or_default();
                }
            }
            (_, WalkedKind::Return, Some(thread)) if !self.is_helper(before) => {
                let is_step = !self.program.threads.back.has_return_edges;
                if is_step && Self::value(before, self.stop) == 0 {
                    self.push(round, thread, Move::Return);
                }
                if after.threads[0].stack.len() == 1 {
                    self.thread = None;
                }
            }
            _ => {}
        }
        let has_hit = |configuration| Self::value(configuration, self.has_hit) == 1;
        if !has_hit(before)
            && has_hit(after)
            && let Some(thread) = self.thread
        {
            self.hit = Some((round, thread));
        }
    }

    fn push(&mut self, round: u32, thread: u32, action: Move) {
        let frame = Vec::new();
        let step = ThreadStep {
            thread,
            action,
            frame,
        };
        self.steps.push((round, step));
    }

    /// Whether the running procedure is one that the threads do not have.
    fn is_helper(&self, configuration: &Configuration) -> bool {
        let top = configuration.top(0).map(|frame| frame.node);
        top.is_some_and(|node| {
            self.helpers
                .contains(&self.program.machine.procedure_of(node))
        })
    }

    fn begin(&mut self, thread: u32, after: &Configuration) {
        self.thread = Some(thread);
        let top = after.top(0).map(|frame| frame.locals.clone());
        self.starts[thread as usize] = Start {
            globals: after.shared.clone(),
            locals: top.unwrap_or_default(),
        };
    }

    /// The values that the choices of an edge have got.
    fn inputs(&self, edge: EdgeId, after: &Configuration) -> Vec<u64> {
        let Some(frame) = after.top(0) else {
            return Vec::new();
        };
        let sequential = &self.program.machine;
        let procedure = sequential.procedure_of(frame.node);
        let locals = &sequential.procedure(procedure).locals;
        let machine = &self.program.threads.machine;
        let types = machine.edge(edge).inputs.iter().enumerate();
        types
            .map(|(index, &ty)| {
                let name = choice(index, ty);
                let place = locals.iter().position(|local| local.name == name);
                place.map_or(0, |place| frame.locals[place])
            })
            .collect()
    }

    /// Has the interpreter take the steps, in the order of the schedule.
    fn record(mut self, globals: Vec<u64>, target: &Target) -> Result<Trace, NoWayBack> {
        let nothing = || NoWayBack::NotARun("it reaches no target".to_owned());
        let hit = self.hit.ok_or_else(nothing)?;
        // `init` belongs to no round: it comes first, because its steps do.
        self.steps
            .sort_by_key(|(round, step)| (*round, step.thread));
        let beginning = Beginning {
            globals,
            threads: self.starts,
        };
        let steps = self.steps.into_iter();
        let steps = steps.take_while(|(round, step)| (*round, step.thread) <= hit);
        let steps = steps.map(|(_, step)| step);
        beginning.record(self.machine, steps, Some(target.clone()))
    }
}
