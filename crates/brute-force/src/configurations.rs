//! Breadth-first search over whole configurations, stacks included.
//!
//! It knows no summaries, no liveness, no symbolic sets: it enumerates every choice, every initial
//! value and every interleaving with the interpreter's own steps and remembers exact
//! configurations. So it is slow, and as close to the definition as a program can be; everything
//! else is tested against it. `Unreachable` is said only if no bound was hit.
//!
//! For a sequential machine it can also give the invariant that it has found
//! ([`Oracle::with_certificate`]); then each frame remembers the state in which its procedure was
//! entered.

use crate::path_edges::{PathEdges, State};
use crate::steps::{Bounds, initial_configurations, successors};
use hardbop_interpreter::{Configuration, Move, Recorder};
use hardbop_machine::{Action, Machine};
use hardbop_outcome::engine::{takes_no_bound, takes_only_reachability};
use hardbop_outcome::{
    Answer, Budget, Declined, Engine, Event, Evidence, Limit, Outcome, Prepared, Progress,
    Question, Support, Target, Trace, Verdict,
};
use std::collections::HashMap;
use std::rc::Rc;

/// The brute-force search with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oracle {
    /// The largest number of frames of one thread.
    pub max_stack: usize,
    /// The largest number of threads, `init` not counted.
    pub max_threads: usize,
    /// The largest number of configurations; a smaller [`Budget::states`] counts instead.
    pub max_configurations: usize,
    /// Whether to give a certificate for a sequential machine that was explored to the end.
    pub with_certificate: bool,
}

impl Default for Oracle {
    fn default() -> Self {
        Self {
            max_stack: 6,
            max_threads: 6,
            max_configurations: 100_000,
            with_certificate: false,
        }
    }
}

/// A configuration with the entry states of its frames (empty unless a certificate is wanted).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Explored {
    configuration: Configuration,
    entries: Vec<Rc<State>>,
}

/// How a configuration was first reached.
struct Parent {
    index: usize,
    thread: u32,
    step: Move,
    chosen: Vec<u64>,
}

struct Search<'a> {
    machine: &'a Machine,
    bounds: Oracle,
    known: HashMap<Rc<Explored>, usize>,
    states: Vec<Rc<Explored>>,
    parents: Vec<Option<Parent>>,
    /// The first bound that was hit, so that something was not explored.
    missed: Option<Limit>,
}

impl Engine for Oracle {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes_only_reachability(question)?;
        takes_no_bound(question)?;
        Ok(Prepared::new(move |budget, progress| {
            self.search(machine, question, budget, progress)
        }))
    }
}

impl Oracle {
    pub(crate) fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let states = budget.states.and_then(|n| usize::try_from(n).ok());
        let bounds = Oracle {
            max_configurations: self.max_configurations.min(states.unwrap_or(usize::MAX)),
            with_certificate: self.with_certificate && machine.is_sequential(),
            ..*self
        };
        let mut search = Search {
            machine,
            bounds,
            known: HashMap::new(),
            states: Vec::new(),
            parents: Vec::new(),
            missed: None,
        };
        let found = search.run(question.targets(), budget, progress);
        let verdicts = question.targets().iter().zip(&found);
        let answers = verdicts.map(|(target, found)| {
            let verdict = match (found, &search.missed) {
                (Some(index), _) => Verdict::Yes(Support::Evidence(Evidence::Run(
                    search.trace(*index, target),
                ))),
                (None, Some(why)) => Verdict::Unknown(why.clone()),
                (None, None) => Verdict::NO,
            };
            Answer::new(target.clone(), verdict)
        });
        let mut outcome = Outcome::new(self.name(), answers.collect());
        outcome
            .statistics
            .add("configurations", search.states.len() as u64);
        if bounds.with_certificate && search.missed.is_none() {
            let unreached = question.targets().iter().zip(&found);
            let excluded = unreached.filter(|(_, found)| found.is_none());
            let excluded: Vec<Target> = excluded.map(|(target, _)| target.clone()).collect();
            if !excluded.is_empty() {
                outcome.certify(search.path_edges().certificate(machine, excluded));
            }
        }
        outcome
    }
}

impl Search<'_> {
    /// Explores breadth-first; gives for each target the first configuration that is at it.
    fn run(
        &mut self,
        targets: &[Target],
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Vec<Option<usize>> {
        let mut found = vec![None; targets.len()];
        self.add_initial();
        let mut index = 0;
        while index < self.states.len() {
            let state = Rc::clone(&self.states[index]);
            for (target, found) in targets.iter().zip(&mut found) {
                if found.is_none() && state.configuration.is_at(target.node) {
                    *found = Some(index);
                }
            }
            // The rest is needed only for targets that have not been found.
            if found.iter().all(Option::is_some) {
                break;
            }
            if index.is_multiple_of(4096) {
                progress.event(Event::Count("configurations", self.states.len() as u64));
                if let Some(limit) = budget.interrupt.check() {
                    self.missed = Some(limit);
                    break;
                }
            }
            if let Err(limit) = self.expand(index, &state) {
                self.missed = Some(limit);
                break;
            }
            index += 1;
        }
        found
    }

    fn miss(&mut self, limit: Limit) {
        self.missed.get_or_insert(limit);
    }

    fn add_initial(&mut self) {
        let initial = match initial_configurations(self.machine) {
            Ok(initial) => initial,
            Err(limit) => return self.miss(limit),
        };
        for configuration in initial {
            let entries = if self.bounds.with_certificate {
                self.running_state(&configuration).into_iter().collect()
            } else {
                Vec::new()
            };
            let state = Explored {
                configuration,
                entries,
            };
            if let Err(limit) = self.add(state, None) {
                return self.miss(limit);
            }
        }
    }

    /// The state that the running procedure of the only thread sees.
    fn running_state(&self, configuration: &Configuration) -> Option<Rc<State>> {
        let frame = configuration.top(0)?;
        Some(Rc::new(State {
            globals: configuration.globals(self.machine, 0),
            locals: frame.locals.clone(),
        }))
    }

    fn add(&mut self, state: Explored, parent: Option<Parent>) -> Result<(), Limit> {
        if self.known.contains_key(&state) {
            return Ok(());
        }
        if self.states.len() >= self.bounds.max_configurations {
            return Err(Limit::States);
        }
        let state = Rc::new(state);
        self.known.insert(Rc::clone(&state), self.states.len());
        self.states.push(state);
        self.parents.push(parent);
        Ok(())
    }

    /// Adds all successors of a configuration.
    fn expand(&mut self, index: usize, state: &Explored) -> Result<(), Limit> {
        let bounds = Bounds {
            stack: self.bounds.max_stack,
            threads: self.bounds.max_threads,
        };
        let now = &state.configuration;
        for next in successors(self.machine, now, bounds, &mut self.missed)? {
            let entries = self.entries_after(&state.entries, &next.to, &next.step);
            let parent = Parent {
                index,
                thread: next.thread,
                step: next.step,
                chosen: next.chosen,
            };
            let next = Explored {
                configuration: next.to,
                entries,
            };
            self.add(next, Some(parent))?;
        }
        Ok(())
    }

    /// The entry states of all frames after a step.
    fn entries_after(
        &self,
        before: &[Rc<State>],
        after: &Configuration,
        step: &Move,
    ) -> Vec<Rc<State>> {
        if !self.bounds.with_certificate {
            return Vec::new();
        }
        let mut entries = before.to_vec();
        if let Move::Edge { edge, .. } = step
            && let Action::Call { .. } = self.machine.edge(*edge).action
        {
            entries.extend(self.running_state(after));
        }
        let frames = after.threads.first().map_or(0, |thread| thread.stack.len());
        entries.truncate(frames);
        entries
    }

    /// The steps from an initial configuration to this one.
    fn trace(&self, index: usize, target: &Target) -> Trace {
        let mut steps: Vec<&Parent> = Vec::new();
        let mut first = index;
        while let Some(parent) = &self.parents[first] {
            steps.push(parent);
            first = parent.index;
        }
        let initial = self.states[first].configuration.clone();
        let mut recorder = Recorder::new(self.machine, initial);
        for parent in steps.into_iter().rev() {
            recorder
                .step(parent.thread, parent.step.clone(), &parent.chosen)
                .expect("the search has taken the same step");
        }
        Trace {
            target: Some(target.clone()),
            ..recorder.finish().0
        }
    }

    /// What the running frame was in at every configuration.
    fn path_edges(&self) -> PathEdges {
        let mut path_edges = PathEdges::default();
        for state in &self.states {
            if let Some(top) = state.configuration.top(0)
                && let Some(entry) = state.entries.last()
                && let Some(now) = self.running_state(&state.configuration)
            {
                path_edges.add(top.node, State::clone(entry), State::clone(&now));
            }
        }
        path_edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_interpreter::replay;
    use hardbop_outcome::Silent;

    fn outcome(text: &str, label: &str, oracle: Oracle) -> (Verdict, u64) {
        let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
        let question = Question::label(&machine, label);
        let budget = Budget::unlimited();
        let mut outcome = oracle.check(&machine, &question, &budget, &mut Silent);
        let verdict = outcome.answers.remove(0).verdict;
        let steps = match &verdict {
            Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
                replay(&machine, trace).unwrap().hierarchical_steps
            }
            _ => 0,
        };
        (verdict, steps)
    }

    #[test]
    fn a_flat_trace_is_shortest() {
        let text = "decl g;
             void main() begin if (*) then skip; skip; skip; fi f(); L: skip; end
             void f() begin skip; end";
        let (verdict, steps) = outcome(text, "L", Oracle::default());
        assert!(matches!(verdict, Verdict::Yes(_)));
        assert_eq!(steps, 4, "the branch, the call, the body and the return");
    }

    #[test]
    fn a_bound_that_was_hit_makes_no_claim() {
        let text = "void main() begin main(); L: skip; end";
        let (verdict, _) = outcome(text, "L", Oracle::default());
        let why = Limit::StackDepth;
        assert_eq!(verdict, Verdict::Unknown(why));
        let text =
            "thread t(9) begin void main() begin start_thread f(); assume(0); L: skip; end end
             void f() begin skip; end";
        let few = Oracle {
            max_configurations: 50,
            ..Oracle::default()
        };
        let (verdict, _) = outcome(text, "L", few);
        assert!(matches!(verdict, Verdict::Unknown(_)));
    }

    #[test]
    fn mutual_exclusion_holds_only_with_atomicity() {
        let program = |begin: &str, end: &str| {
            format!(
                "decl lock := 0; decl inside := 0;
                 thread t(2) begin void main() begin
                   {begin} assume(!lock); lock := 1; {end}
                   if (inside) then BOTH: skip; fi
                   inside := 1; inside := 0; lock := 0;
                 end end"
            )
        };
        let racy = outcome(&program("", ""), "BOTH", Oracle::default()).0;
        assert!(matches!(racy, Verdict::Yes(_)));
        let text = program("atomic_begin;", "atomic_end;");
        let guarded = outcome(&text, "BOTH", Oracle::default()).0;
        assert!(guarded.is_no_for_all_runs());
    }

    #[test]
    fn threads_start_after_init_and_init_sets_the_scene() {
        let text = "decl x; decl y;
             void init() begin x := 0; y := 0; end
             void main() begin skip; end
             void thread1() begin x := 1; if (y) then SEEN: skip; fi end
             void thread2() begin assume(x); y := 1; if (!x) then LOST: skip; fi end";
        let (seen, steps) = outcome(text, "SEEN", Oracle::default());
        assert!(matches!(seen, Verdict::Yes(_)) && steps > 4);
        let (lost, _) = outcome(text, "LOST", Oracle::default());
        assert!(lost.is_no_for_all_runs());
    }
}
