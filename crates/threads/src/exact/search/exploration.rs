//! What is reachable, one configuration at a time, with or without partial-order reduction.
//!
//! The search is breadth-first. Without reduction what it has visited when it ends is an invariant.
//! With it, in a configuration in which every thread may step it looks for a [closed
//! set](Independence::closed_sets) of threads such that one of them can step whatever the
//! undetermined values are, and takes the steps of these threads only, provided that all of them
//! lead to configurations which have not been expanded yet. Otherwise it takes all steps.
//!
//! **Nothing is lost.** Let a run w lead from a stored configuration s to a step that enters a
//! target. By induction on the length of w, then on how late s is expanded, the search enters the
//! target. If s was expanded fully, or the first step of w is one of the closed set T, the search
//! takes it, and the rest of w is shorter. If a later step m of w is the first one of T, the steps
//! before it commute with m, so m can be taken first, and the same steps follow. If w has no step
//! of T, some m of T can be taken, w can follow it, and the configuration after m is expanded later
//! than s. The last cannot go on for ever, as there are finitely many. Exchanging threads of one
//! kind changes none of this: a run of the exchanged threads has the same length and enters the
//! same nodes.

use crate::exact::search::allowance::Allowance;
use crate::exact::search::independence::Independence;
use crate::exact::search::steps::TooManyCases;
use crate::exact::search::transitions::{Memory, Row, Transition, Transitions};
use crate::exact::search::visited::{NO_PARENT, Visited};
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::Limit;
use std::collections::BTreeSet;

/// Which reductions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Steps that commute are taken in one order only.
    pub partial_order: bool,
    /// Threads of one kind are interchangeable.
    pub symmetry: bool,
}

impl Reductions {
    /// All of them.
    pub const ALL: Self = Self {
        partial_order: true,
        symmetry: true,
    };

    /// The others.
    pub(crate) fn without_partial_order(self) -> Self {
        Self {
            partial_order: false,
            ..self
        }
    }
}

/// A search and what it has found.
pub(crate) struct Exploration<'m> {
    /// The configurations.
    pub(crate) visited: Visited<'m>,
    independence: Option<Independence>,
    /// Whether a thread was not started for want of room.
    pub(crate) missed_thread: bool,
    /// How many configurations were expanded by the steps of some threads only.
    pub(crate) reduced: usize,
}

impl<'m> Exploration<'m> {
    /// A search for some nodes that has not begun.
    pub(crate) fn new(
        machine: &'m Machine,
        cast: &'m Cast,
        wanted: &BTreeSet<NodeId>,
        reductions: Reductions,
    ) -> Self {
        let visited = Visited::new(machine, cast, wanted, Memory::Flag, reductions.symmetry);
        let kinds = &visited.transitions.stepper.kinds;
        let independence = reductions
            .partial_order
            .then(|| Independence::new(machine, kinds));
        Self {
            visited,
            independence,
            missed_thread: false,
            reduced: 0,
        }
    }

    /// Explores until every wanted node is reached or nothing new is left.
    pub(crate) fn run(&mut self, allowance: &Allowance<'_>) -> Result<(), Limit> {
        let initial = self.visited.transitions.initial();
        self.add(initial, NO_PARENT);
        let mut next = 0;
        while (next as usize) < self.visited.len() && !self.visited.is_done() {
            let bytes = self.visited.bytes();
            if let Some(limit) = allowance.is_spent(next as usize, bytes, &self.visited) {
                return Err(limit);
            }
            self.expand(next)?;
            next += 1;
        }
        Ok(())
    }

    /// The number of a configuration.
    fn add(&mut self, row: Row, parent: u32) -> u32 {
        let (id, is_new) = self.visited.insert(row, parent);
        if is_new {
            self.visited.note(id);
        }
        id
    }

    fn expand(&mut self, id: u32) -> Result<(), TooManyCases> {
        let row = self.visited.get(id).to_vec();
        let mut taken = 0u64;
        for set in self.closed_sets(&row) {
            let threads: Vec<u32> = Transitions::running(&row).collect();
            let members = threads.into_iter().filter(|thread| set >> thread & 1 == 1);
            if self.suffices(id, &row, members)? {
                self.reduced += 1;
                return Ok(());
            }
            taken |= set;
        }
        let threads: Vec<u32> = Transitions::running(&row).collect();
        for thread in threads {
            if taken.checked_shr(thread).is_none_or(|rest| rest & 1 == 0) {
                for transition in self.visited.transitions.of_thread(&row, thread)? {
                    self.follow(id, transition);
                }
            }
        }
        Ok(())
    }

    fn closed_sets(&self, row: &[u32]) -> Vec<u64> {
        let Some(independence) = &self.independence else {
            return Vec::new();
        };
        if !self.visited.transitions.is_free(row) {
            return Vec::new();
        }
        let threads = Transitions::running(row).map(|thread| {
            let kind = self.visited.transitions.stepper.kind_of[thread as usize];
            (thread, kind, self.visited.transitions.place(row, thread))
        });
        independence.closed_sets(&threads.collect::<Vec<_>>())
    }

    /// Takes the steps of some threads; whether no others need be taken.
    fn suffices(
        &mut self,
        id: u32,
        row: &[u32],
        members: impl Iterator<Item = u32>,
    ) -> Result<bool, TooManyCases> {
        let (mut can_step, mut is_later) = (false, true);
        for thread in members {
            can_step |= self.visited.transitions.is_certainly_enabled(row, thread)?;
            for transition in self.visited.transitions.of_thread(row, thread)? {
                is_later &= self.follow(id, transition).is_some_and(|after| after > id);
            }
        }
        Ok(can_step && is_later)
    }

    fn follow(&mut self, from: u32, transition: Transition) -> Option<u32> {
        let Some(after) = transition.after else {
            self.missed_thread = true;
            return None;
        };
        Some(self.add(after, from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::from_text;
    use hardbop_outcome::{Budget, Engine, NeverInterrupted, Question, Silent, Verdict};
    use hardbop_testkit::{Knobs, Oracle, generate};

    /// How many configurations are visited, and which targets are reached; nothing if threads are
    /// recursive.
    fn explored(machine: &Machine, reductions: Reductions) -> Option<(usize, Vec<bool>)> {
        let cast = Cast::new(machine, 4 + u32::from(machine.init.is_some())).ok()?;
        let nodes = Question::assertions(machine).nodes();
        let wanted = nodes.iter().copied().collect();
        let mut search = Exploration::new(machine, &cast, &wanted, reductions);
        let allowance = Allowance {
            configurations: u64::MAX,
            memory: None,
            interrupt: &NeverInterrupted,
        };
        search.run(&allowance).ok()?;
        let reached = nodes.iter().map(|&node| search.visited.has_reached(node));
        Some((search.visited.len(), reached.collect()))
    }

    fn visited(text: &str, reductions: Reductions) -> (usize, bool) {
        let machine = from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"));
        let (count, reached) = explored(&machine, reductions).expect("no recursion");
        (count, reached[0])
    }

    const NONE: Reductions = Reductions {
        partial_order: false,
        symmetry: false,
    };

    #[test]
    fn threads_that_share_nothing_are_taken_one_after_the_other() {
        let thread = |name: &str| {
            let body = format!("{name} := !{name}; {name} := !{name}; {name} := !{name};");
            format!("decl {name} := 0; thread t{name} begin void main() begin {body} end end ")
        };
        let text = ["a", "b", "c"].map(thread).concat()
            + "thread last begin void main() begin assert(!a | a); end end";
        let (reduced, _) = visited(&text, Reductions::ALL);
        let (all, _) = visited(&text, NONE);
        assert!(all == 5 * 5 * 5 * 3 && reduced < 20, "{reduced} of {all}");
    }

    #[test]
    fn identical_threads_are_not_told_apart() {
        let text = "decl int<3> n := 0;
             thread t(4) begin void main() begin n := n + 1; n := n + 2; assert(n > 0); end end";
        let symmetry = Reductions {
            symmetry: true,
            ..NONE
        };
        let ((some, reached), (all, also)) = (visited(text, symmetry), visited(text, NONE));
        assert!(reached == also && some * 4 < all, "{some} of {all}");
    }

    #[test]
    fn a_thread_that_runs_for_ever_on_its_own_does_not_keep_others_out() {
        let text = "thread busy begin void main() begin decl x; while (1) do x := !x; od end end
             thread late begin void main() begin skip; assert(0); end end";
        assert!(visited(text, Reductions::ALL).1);
    }

    #[test]
    fn a_step_waits_for_one_that_another_thread_takes_much_later() {
        // Only if `g := 1` happens between the two reads, long after the reader's first step, does
        // the assertion fail.
        let text = "decl g := 0;
             thread reader begin void main() begin decl x; x := g; if (!x) then assert(!g); fi end end
             thread writer begin void main() begin decl y; y := 0; y := !y; y := !y; g := 1; end end";
        assert!(visited(text, Reductions::ALL).1);
    }

    #[test]
    fn what_happens_inside_an_atomic_block_is_seen_before_and_after_only() {
        let text = |inside: &str| {
            format!(
                "decl a := 0; decl seen := 0;
                 thread one begin void main() begin {inside} a := 1; a := 0; atomic_end; end end
                 thread two begin void main() begin decl x; x := a; assert(!x); end end"
            )
        };
        let (_, holds) = visited(&text("atomic_begin;"), Reductions::ALL);
        let waits = text("atomic_begin;").replace("a := 1;", "a := 1; assume(seen);");
        let (_, fails) = visited(&waits, Reductions::ALL);
        assert!(!holds && fails);
    }

    #[test]
    fn what_others_do_before_an_atomic_block_is_not_put_off() {
        let reader = "decl x; x := a; if (!x) then assert(!a); fi";
        let satabs = format!(
            "decl a := 0;
             thread one begin void main() begin atomic_begin; a := 1; atomic_end; end end
             thread two begin void main() begin {reader} end end"
        );
        let getafix = format!(
            "decl atomic; decl a;
             void init() begin atomic := 0; a := 0; end
             void thread1() begin atomic := 1; a := 1; atomic := 0; end
             void main() begin {reader} end"
        );
        assert!(visited(&satabs, Reductions::ALL).1);
        assert!(visited(&getafix, Reductions::ALL).1);
    }

    #[test]
    fn a_flag_that_nobody_has_taken_yet_is_taken_by_whoever_steps_first() {
        // After `init` the flag is set and nobody's: the thread that steps first is alone for ever.
        let set = "void init() begin atomic := 1; end";
        let open = "void init() begin skip; end";
        for init in [set, open] {
            let text = format!(
                "decl atomic; {init}
                 void main() begin end
                 void thread0() begin skip; assert(0); end"
            );
            assert!(visited(&text, Reductions::ALL).1, "{text}");
        }
    }

    #[test]
    fn reductions_change_no_verdict() {
        let mut decided = 0;
        for seed in 150..200 {
            for knobs in [Knobs::concurrent(), Knobs::relay(), Knobs::everything()] {
                let text = generate(seed, &knobs);
                let machine = from_text("test.bp", &text).expect("generated programs are valid");
                let oracle = Oracle {
                    max_threads: 4 + usize::from(machine.init.is_some()),
                    ..Oracle::default()
                };
                let question = Question::assertions(&machine);
                let truth = oracle.check(&machine, &question, &Budget::unlimited(), &mut Silent);
                for (partial_order, symmetry) in
                    [(false, false), (false, true), (true, false), (true, true)]
                {
                    let reductions = Reductions {
                        partial_order,
                        symmetry,
                    };
                    let Some((_, reached)) = explored(&machine, reductions) else {
                        continue;
                    };
                    let nodes = question.nodes();
                    for answer in &truth.answers {
                        let node = answer.target().expect("targets were asked for").node;
                        let at = nodes
                            .binary_search(&node)
                            .expect("every target is asked for");
                        let is_true = match &answer.verdict {
                            Verdict::Yes(_) => reached[at],
                            Verdict::No(_) => !reached[at],
                            Verdict::Unknown(_) => continue,
                        };
                        assert!(is_true, "seed {seed}, {reductions:?}\n{text}");
                        decided += 1;
                    }
                }
            }
        }
        assert!(decided > 300, "{decided} verdicts");
    }
}
