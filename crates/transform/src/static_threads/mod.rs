//! The same threads without atomic blocks and without threads that start others: what a method for
//! a fixed set of threads that may be interrupted anywhere can work on.
//!
//! The formula of section 5.1 of the Getafix paper and Lal and Reps' reduction know threads that
//! run from the start, and one flag while which a thread is not left. Both work on a machine that
//! has only those: [`StaticThreads`] says by shared variables what the two constructs do.
//!
//! - A thread that may be started becomes a *slot*: a thread that runs from the start, but waits
//!   until somebody has left it a procedure and its arguments ([`starts`]). Slots are taken in
//!   order, so threads keep their numbers.
//! - Inside an atomic block the flag is up. A thread that has to wait there *parks*: it writes down
//!   what it waits for, and lowers the flag. As long as one is parked, every step of the others
//!   asks whether it still has to wait ([`blocks`], [`parking`]).
//!
//! **Runs of the two machines correspond, context by context**: a step of the original is one edge
//! of the new machine (its [`Origin`]), and the edges in between belong to the same thread and the
//! same context. A return is an edge too, right behind the call: otherwise nothing could keep a
//! thread from returning.

mod blocks;
mod parking;
mod starts;
mod stops;
mod waiting;

use crate::correspondence::{Correspondence, Origin};
use crate::draft::{Draft, DraftEdge, assign};
use crate::steps::threads_back;
use crate::transform::{NoWayBack, TargetMap, Transform};
use hardbop_machine::NodeId;
use hardbop_machine::{Action, Machine};
use hardbop_outcome::{Certificate, Limit, Question, Target, TargetKind, Trace};
use starts::Started;
use std::fmt;

/// A machine with a fixed set of threads and no atomic blocks.
#[derive(Clone, Debug)]
pub struct StaticThreads {
    /// The machine. Globals, procedures and locals of the original keep their ids.
    pub machine: Machine,
    /// What its parts are in the original.
    pub back: Correspondence,
    /// The nodes that are reached where one thread more would be started than there may be.
    pub overflows: Vec<NodeId>,
    targets: TargetMap,
}

/// Why there is no such machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStatic {
    /// `init` starts threads, so that the numbers of the declared ones are not known beforehand.
    InitStartsThreads,
    /// The flag of the Getafix form and atomic blocks in one program.
    FlagAndBlocks,
    /// A statement inside an atomic block has too many choices to say when it can be taken.
    TooManyChoices,
}

impl fmt::Display for NotStatic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotStatic::InitStartsThreads => "an `init` that starts threads",
            NotStatic::FlagAndBlocks => "atomic blocks beside the flag `atomic`",
            NotStatic::TooManyChoices => {
                "a statement with more than eight bits of choices inside an atomic block"
            }
        })
    }
}

impl StaticThreads {
    /// The machine for programs of at most this many threads, `init` not counted; those that are
    /// there from the start always run.
    pub fn new(machine: &Machine, threads: u32) -> Result<Self, NotStatic> {
        let has =
            |is_such: fn(&Action) -> bool| machine.edges.iter().any(|edge| is_such(&edge.action));
        let starts = has(|action| matches!(action, Action::StartThread(_)));
        let blocks = has(|action| matches!(action, Action::AtomicBegin | Action::AtomicEnd));
        let mut draft = Draft::of(machine);
        let is_static = !starts && !blocks;
        let mut started = Started::default();
        if !is_static {
            if blocks && machine.atomic_flag.is_some() {
                return Err(NotStatic::FlagAndBlocks);
            }
            return_edges(&mut draft);
            started = starts::add_slots(&mut draft, threads)?;
            blocks::replace(&mut draft, &started.slots)?;
        }
        let (machine, mut back, ids) = draft.finish();
        back.has_return_edges = !is_static;
        let overflows = started.overflows.into_iter();
        let overflows = overflows.map(|(procedure, place)| ids[procedure.index()][place]);
        Ok(Self {
            machine,
            back,
            overflows: overflows.collect(),
            targets: TargetMap::unchanged(&Question::reach(Vec::new())),
        })
    }

    /// The same threads with a question about the original. Negative answers count only if there
    /// were threads enough.
    #[must_use]
    pub fn asking(mut self, question: &Question) -> Self {
        let mut map = TargetMap::at_nodes(question, |node| self.back.standing_for(node));
        let mut targets = map.question.targets().to_vec();
        for &node in &self.overflows {
            map.provisos.push((targets.len(), Limit::Threads));
            targets.push(Target::new(&self.machine, node, TargetKind::Line));
        }
        map.question = question.about(targets);
        self.targets = map;
        self
    }

    /// The nodes that stand for a node of the original: it is reached where one of them is.
    pub fn standing_for(&self, node: NodeId) -> &[NodeId] {
        self.back.standing_for(node)
    }
}

impl Transform for StaticThreads {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        &self.targets
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        let target = self.targets.target_of(trace);
        threads_back(&self.back, &self.machine, original, trace, target)
    }

    fn certificate_back(&self, _: &Machine, _: Certificate) -> Result<Certificate, NoWayBack> {
        let why = "its threads are at other places than the original's";
        Err(NoWayBack::NotCertified(why))
    }
}

/// Makes returns edges: the call itself assigns at most what no other thread sees, and leads to a
/// node behind which it is done.
fn return_edges(draft: &mut Draft<'_>) {
    let mut results = starts::Cells::default();
    for index in 0..draft.procedures.len() {
        for at in 0..draft.procedures[index].edges.len() {
            if !matches!(
                draft.procedures[index].edges[at].action,
                Action::Call { .. }
            ) {
                continue;
            }
            let (to, span) = {
                let edge = &draft.procedures[index].edges[at];
                (edge.to, edge.span)
            };
            let middle = draft.procedures[index].node(span);
            let assignments = results.late_assignments(draft, index, at);
            let action = if assignments.is_empty() {
                Action::Skip
            } else {
                assign(assignments)
            };
            let procedure = &mut draft.procedures[index];
            procedure.edges[at].to = middle;
            procedure.edges.push(DraftEdge {
                origin: Origin::Return,
                ..DraftEdge::silent(middle, to, None, action, span)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::Storage;

    fn machine(text: &str) -> Machine {
        hardbop_machine::from_text("test.bp", text).expect("the program is valid")
    }

    const STARTS: &str = "decl g := 0; thread_local decl mine;
        void main() begin decl x; start_thread goto L; start_thread f(x); g := f(g); goto E;
          L: atomic_begin; assume(x | g); atomic_end; E: skip; end
        bool f(y) begin if (y) then end_thread; fi return mine; end";

    #[test]
    fn what_is_static_already_is_left_alone() {
        let original = machine("decl g; thread t(2) begin void main() begin g := !g; end end");
        let fixed = StaticThreads::new(&original, 4).expect("it is taken");
        assert!(!fixed.back.has_return_edges && fixed.overflows.is_empty());
        assert_eq!(fixed.machine.edges.len(), original.edges.len());
        assert_eq!(fixed.machine.globals, original.globals);
    }

    #[test]
    fn only_steps_of_a_fixed_set_of_threads_are_left() {
        let original = machine(STARTS);
        let fixed = StaticThreads::new(&original, 3).expect("it is taken");
        let has_other_words = |action: &Action| {
            let is_start = matches!(action, Action::StartThread(_));
            is_start || matches!(action, Action::AtomicBegin | Action::AtomicEnd)
        };
        let edges = fixed.machine.edges.iter();
        assert!(!edges.clone().any(|edge| has_other_words(&edge.action)));
        assert_eq!(fixed.machine.threads.len(), 3);
        for edge in original.edge_ids() {
            assert!(fixed.back.edges.contains(&Origin::Edge(edge)), "{edge:?}");
        }
        // The tables have the order that everybody relies on.
        for (id, node) in fixed.machine.nodes.iter().enumerate() {
            let from = node
                .edges
                .clone()
                .map(|edge| fixed.machine.edges[edge as usize].from);
            assert!(from.into_iter().all(|from| from.index() == id));
        }
        for procedure in &fixed.machine.procedures {
            assert_eq!(procedure.exit.0 + 1, procedure.nodes.end);
        }
    }

    #[test]
    fn a_result_that_others_see_is_assigned_by_the_return() {
        let fixed = StaticThreads::new(&machine(STARTS), 3).expect("it is taken");
        let is_shared = |variable: &hardbop_machine::Variable| match *variable {
            hardbop_machine::Variable::Global(id) => {
                fixed.machine.global(id).storage == Storage::Shared
            }
            hardbop_machine::Variable::Local(_) => false,
        };
        for edge in &fixed.machine.edges {
            if let Action::Call { targets, .. } = &edge.action {
                assert!(!targets.iter().flatten().any(is_shared));
            }
        }
    }

    #[test]
    fn a_thread_at_its_first_statement_is_there_before_it_runs() {
        let original = machine(STARTS);
        let fixed = StaticThreads::new(&original, 3).expect("it is taken");
        let f = original.procedures.iter().find(|p| p.name == "f");
        let entry = f.expect("there is one").entry;
        // Once as the entry of the procedure, and behind the start in `main` and in its copy.
        assert_eq!(fixed.standing_for(entry).len(), 3);
    }

    #[test]
    fn a_start_beyond_the_bound_overflows() {
        let original = machine(STARTS);
        let fixed = StaticThreads::new(&original, 1).expect("it is taken");
        assert_eq!(fixed.machine.threads.len(), 1);
        assert_eq!(fixed.overflows.len(), 4);
    }
}
