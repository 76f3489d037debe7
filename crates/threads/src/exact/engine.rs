//! The engine: verdicts with their evidence.
//!
//! Each target is given to one search after the other until it is settled.
//!
//! 1. All configurations one by one, up to a limit: such a search has a run to whatever it reaches,
//!    and is the certificate of what it does not.
//! 2. [`Views`] of few threads: a small certificate, or nothing.
//! 3. Configurations with partial-order reduction, up to a larger limit. It decides, but what it
//!    visits is not an invariant. So what it excludes is looked for once more without reduction;
//!    where there are too many configurations for that, or too many to write down, the answer has
//!    no certificate and says so, unless [`crate::stacks`] has a small proof.

use crate::exact::encoding::bits::Fields;
use crate::exact::encoding::space::Space;
use crate::exact::evidence::certify::{Relations, written};
use crate::exact::evidence::invariant::{relations, relations_of_views};
use crate::exact::evidence::lasso::evidence;
use crate::exact::evidence::witness::Witness;
use crate::exact::search::allowance::Allowance;
use crate::exact::search::exploration::{Exploration, Reductions};
use crate::exact::search::ordered::OrderedSearch;
use crate::exact::search::product::Product;
use crate::exact::search::transitions::Transitions;
use crate::exact::search::views::Views;
use crate::exact::search::visited::Visited;
use crate::stacks::engine::{Patience, prove, starts_threads};
use hardbop_automata::Property;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::analysis::variables::deciding_inputs;
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::NotInlined;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::certificate::MOST_CHOICE_BITS;
use hardbop_outcome::engine::{takes_for_a_thread, takes_no_bound, takes_no_branching};
use hardbop_outcome::{
    Answer, Budget, Declined, Engine, Event, Limit, Outcome, Prepared, Progress, Question, Support,
    Target, Trace, Verdict, WantedRun,
};
use hardbop_symbolic::{limit_reached, node_limit};
use std::collections::BTreeSet;

/// Small proofs of what is known to be excluded look at this many threads together.
const MOST_TOGETHER: u64 = 3;

/// And take this many steps on BDDs for each number of threads: a few seconds.
const WORK_FOR_PROOFS: u64 = 20_000_000;

/// Explores all interleavings of threads without recursion.
#[derive(Clone, Copy, Debug)]
pub struct InterleavingEngine {
    /// What may be left out.
    pub reductions: Reductions,
}

/// The first search explores this many configurations: about as many as take a fraction of a
/// second.
const FEW_CONFIGURATIONS: u64 = 100_000;

/// Views, and the proof of what is known to be excluded, may take this many.
const MORE_CONFIGURATIONS: u64 = 1_000_000;

/// Nothing explores more: these are about as many as fit an ordinary computer's memory.
const MANY_CONFIGURATIONS: u64 = 20_000_000;

/// Tried in turn if the usual number of threads is too small.
const MORE_THREADS: [u32; 3] = [8, 16, 32];

impl Default for InterleavingEngine {
    fn default() -> Self {
        Self {
            reductions: Reductions::ALL,
        }
    }
}

impl Engine for InterleavingEngine {
    fn name(&self) -> &'static str {
        "interleaving"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes_no_branching(question)?;
        takes_no_bound(question)?;
        takes_for_a_thread(machine, question)?;
        let init = u32::from(machine.init.is_some());
        match Cast::new(machine, limits.threads().saturating_add(init)) {
            Ok(cast) => Ok(Prepared::new(move |budget, progress| {
                let outcome = self.search(machine, &cast, question, budget, progress);
                if budget.threads.is_some() {
                    return outcome;
                }
                self.with_more_threads(machine, question, outcome, budget, progress)
            })),
            Err(why) => Declined::because(unsupported(machine, why)),
        }
    }
}

impl InterleavingEngine {
    fn search(
        self,
        machine: &Machine,
        cast: &Cast,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        if let Some(property) = question.as_property() {
            return self.look_for_runs(machine, cast, question, property, budget, progress);
        }
        let targets = question.targets();
        let mut inquiry = Inquiry {
            machine,
            cast,
            budget,
            engine: &self,
            wanted: question.wanted,
            targets,
            standings: vec![Standing::Open(Limit::States); targets.len()],
            outcome: Outcome::new(self.name(), Vec::new()),
        };
        inquiry.answer(progress);
        inquiry.finish()
    }
}

impl InterleavingEngine {
    /// The budget sets no limit on threads, and the usual one left targets open: they are asked for
    /// with more, as long as that takes a fraction of a second.
    fn with_more_threads(
        self,
        machine: &Machine,
        question: &Question,
        mut outcome: Outcome,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        for threads in MORE_THREADS {
            let is_open = |answer: &&Answer| answer.verdict == Verdict::Unknown(Limit::Threads);
            let open = outcome.answers.iter().filter(is_open);
            let open: Vec<Target> = open.filter_map(|a| a.target().cloned()).collect();
            if open.is_empty() || budget.interrupt.check().is_some() {
                break;
            }
            let init = u32::from(machine.init.is_some());
            let Ok(cast) = Cast::new(machine, threads.saturating_add(init)) else {
                break;
            };
            let states = budget.states.unwrap_or(u64::MAX).min(FEW_CONFIGURATIONS);
            let budget = Budget {
                states: Some(states),
                threads: Some(threads),
                ..*budget
            };
            let again = Question {
                wanted: question.wanted,
                ..Question::reach(open)
            };
            let found = self.search(machine, &cast, &again, &budget, progress);
            for answer in found.answers {
                let mut known = outcome.answers.iter_mut();
                let same = known.find(|known| known.asked == answer.asked);
                if let Some(known) = same.filter(|_| !answer.verdict.is_unknown()) {
                    known.verdict = answer.verdict;
                }
            }
            outcome.certificates.extend(found.certificates);
            outcome.statistics.join(found.statistics);
        }
        outcome
    }

    /// Looks for a run that a property describes.
    fn look_for_runs(
        self,
        machine: &Machine,
        cast: &Cast,
        question: &Question,
        property: &Property,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        progress.event(Event::Phase("product with the automaton"));
        let allowance = Allowance {
            configurations: budget.states.unwrap_or(MANY_CONFIGURATIONS),
            memory: budget.memory,
            interrupt: budget.interrupt,
        };
        let mut product = Product::new(machine, cast, &property.automaton);
        let verdict = match product.run(&allowance) {
            Err(why) => Verdict::Unknown(why),
            Ok(None) if product.missed_thread => Verdict::Unknown(Limit::Threads),
            Ok(None) => Verdict::NO,
            Ok(Some(accepted)) => {
                let letters = Some(product.letters());
                let mut witness = Witness {
                    machine,
                    transitions: &mut product.visited.transitions,
                    letters,
                };
                match evidence(&mut witness, &accepted) {
                    Ok(evidence) => Verdict::Yes(Support::Evidence(evidence)),
                    Err(why) => Verdict::Unknown(why),
                }
            }
        };
        let mut outcome = Outcome::same(self.name(), question, &verdict);
        let counts = [
            ("configurations", product.visited.len()),
            ("states", product.len()),
        ];
        for (name, count) in counts {
            outcome.statistics.add(name, count as u64);
        }
        outcome
    }
}

/// What is known of a target.
#[derive(Clone, Debug)]
enum Standing {
    /// Nothing yet; what stopped the searches so far.
    Open(Limit),
    /// A complete search has not reached it. Why its proof could not be written down; nothing if it
    /// had partial-order reduction.
    Excluded(Option<Limit>),
    /// All that will be known.
    Settled(Box<Verdict>),
}

impl Standing {
    fn settled(verdict: Verdict) -> Self {
        Standing::Settled(Box::new(verdict))
    }
}

/// A question on its way to an answer.
struct Inquiry<'q> {
    machine: &'q Machine,
    cast: &'q Cast,
    budget: &'q Budget<'q>,
    engine: &'q InterleavingEngine,
    wanted: WantedRun,
    targets: &'q [Target],
    standings: Vec<Standing>,
    outcome: Outcome,
}

impl<'q> Inquiry<'q> {
    fn answer(&mut self, progress: &mut dyn Progress) {
        let all = self.engine.reductions.without_partial_order();
        progress.event(Event::Phase("explicit search"));
        self.explore(all, FEW_CONFIGURATIONS, progress);
        if self.has_open() {
            progress.event(Event::Phase("views of few threads"));
            self.prove_by_views();
        }
        if self.has_open() {
            progress.event(Event::Phase("reduced search"));
            self.explore(self.engine.reductions, MANY_CONFIGURATIONS, progress);
        }
        // What only the reduced search has excluded is worth a longer search: for the proof.
        let reduced = |standing: &Standing| matches!(standing, Standing::Excluded(None));
        if self.standings.iter().any(reduced) && self.is_undisturbed() {
            progress.event(Event::Phase("proof"));
            self.explore(all, MORE_CONFIGURATIONS, progress);
        }
        if self.has_excluded() && self.is_undisturbed() && !starts_threads(self.machine) {
            self.prove_by_stacks(progress);
        }
    }

    /// Whether there is a target that is excluded without a proof.
    fn has_excluded(&self) -> bool {
        let excluded = |standing: &Standing| matches!(standing, Standing::Excluded(_));
        self.standings.iter().any(excluded)
    }

    /// Looks for proofs of what is excluded, of few threads at a time and symbolic in the data.
    fn prove_by_stacks(&mut self, progress: &mut dyn Progress) {
        let standings = self.standings.iter().zip(self.targets);
        let excluded = standings.filter(|(standing, _)| matches!(standing, Standing::Excluded(_)));
        let targets: Vec<Target> = excluded.map(|(_, target)| target.clone()).collect();
        let mut open: BTreeSet<NodeId> = targets.iter().map(|target| target.node).collect();
        let patience = Patience {
            most_together: MOST_TOGETHER,
            work: WORK_FOR_PROOFS,
        };
        let mut proofs = Outcome::new("stacks", Vec::new());
        let budget = self.budget;
        // Whatever stops this, that the targets are excluded is known.
        let _ = prove(
            self.machine,
            &targets,
            &mut open,
            patience,
            budget,
            progress,
            &mut proofs,
        );
        self.outcome.certificates.append(&mut proofs.certificates);
        self.outcome.statistics.join_as("proof", proofs.statistics);
        for (standing, target) in self.standings.iter_mut().zip(self.targets) {
            if matches!(standing, Standing::Excluded(_)) && !open.contains(&target.node) {
                *standing = Standing::settled(Verdict::CERTIFIED);
            }
        }
    }

    fn is_undisturbed(&self) -> bool {
        self.budget.interrupt.check().is_none()
    }

    /// Whether there is a target of which nothing is known, and time to find out.
    fn has_open(&self) -> bool {
        let open = |standing: &Standing| matches!(standing, Standing::Open(_));
        self.standings.iter().any(open) && self.is_undisturbed()
    }

    /// The targets of which something is still to be found out, by their place in the question.
    fn unsettled(&self) -> Vec<usize> {
        let standings = self.standings.iter().enumerate();
        let left = standings.filter(|(_, standing)| !matches!(standing, Standing::Settled(_)));
        left.map(|(index, _)| index).collect()
    }

    fn nodes(&self, targets: &[usize]) -> BTreeSet<NodeId> {
        targets.iter().map(|&i| self.targets[i].node).collect()
    }

    /// Looks for what is not settled, one configuration at a time. What is reached gets its run
    /// from this search, or a better one from an ordered search. What a complete search has not
    /// reached is excluded; if it took all steps of all threads, the configurations are the proof.
    fn explore(&mut self, reductions: Reductions, most: u64, progress: &mut dyn Progress) {
        let left = self.unsettled();
        let mut search = Exploration::new(self.machine, self.cast, &self.nodes(&left), reductions);
        let end = search.run(&self.allowance(most));
        if reductions.partial_order {
            self.count("reduced-configurations", search.visited.len());
            self.count("reduced-expansions", search.reduced);
        } else {
            self.count("configurations", search.visited.len());
        }
        let (reached, missed): (Vec<usize>, Vec<usize>) = left
            .into_iter()
            .partition(|&index| search.visited.has_reached(self.targets[index].node));
        if !reached.is_empty() {
            self.take_runs(&reached, &mut search.visited, progress);
        }
        let standing = match end {
            Err(why) => Standing::Open(why),
            Ok(()) if search.missed_thread => Standing::settled(Verdict::Unknown(Limit::Threads)),
            Ok(()) if missed.is_empty() => return,
            Ok(()) if reductions.partial_order => Standing::Excluded(None),
            Ok(()) => match self.prove(&missed, &search.visited) {
                Ok(()) => Standing::settled(Verdict::CERTIFIED),
                Err(why) => Standing::Excluded(Some(why)),
            },
        };
        self.set(&missed, &standing);
    }

    /// What a search has found out of some targets. That they are excluded is never forgotten.
    fn set(&mut self, targets: &[usize], standing: &Standing) {
        for &index in targets {
            let known = &mut self.standings[index];
            if !matches!(
                (&*known, standing),
                (Standing::Excluded(_), Standing::Open(_))
            ) {
                *known = standing.clone();
            }
        }
    }

    /// Settles what a search has reached.
    fn take_runs(
        &mut self,
        reached: &[usize],
        visited: &mut Visited<'_>,
        progress: &mut dyn Progress,
    ) {
        let mut ordered = None;
        if self.wanted != WantedRun::Any {
            progress.event(Event::Phase("shortest runs"));
            let mut search = OrderedSearch::new(self.machine, self.cast, &self.nodes(reached));
            let most = match self.wanted {
                WantedRun::Shortest => MANY_CONFIGURATIONS,
                _ => FEW_CONFIGURATIONS,
            };
            // Whatever stops this search, runs that are not the best are known.
            let _ = search.run(&self.allowance(most));
            self.count("ordered-configurations", search.visited.len());
            ordered = Some(search.visited);
        }
        for &index in reached {
            let target = &self.targets[index];
            let best = ordered.as_mut().and_then(|best| self.trace(best, target));
            let run = match best {
                Some(Ok(trace)) => Some(Ok(trace)),
                _ => self.trace(visited, target),
            };
            let verdict = match run {
                Some(Ok(trace)) => Verdict::run(trace),
                Some(Err(why)) => Verdict::Unknown(why),
                None => continue,
            };
            self.standings[index] = Standing::settled(verdict);
        }
    }

    /// What an explicit search may spend.
    fn allowance(&self, most: u64) -> Allowance<'q> {
        Allowance {
            configurations: self.budget.states.unwrap_or(u64::MAX).min(most),
            memory: self.budget.memory,
            interrupt: self.budget.interrupt,
        }
    }

    /// Writes the configurations of a complete search without partial-order reduction down, as
    /// proof that none is at these targets.
    fn prove(&mut self, excluded: &[usize], visited: &Visited<'_>) -> Result<(), Limit> {
        let interrupt = || self.budget.interrupt.check().is_some();
        let transitions = &visited.transitions;
        self.certify(excluded, transitions, |manager, fields| {
            relations(manager, visited, fields, &interrupt)
        })
    }

    /// Looks for an invariant that relates few threads at a time; what it excludes is settled.
    fn prove_by_views(&mut self) {
        for size in [1, 2] {
            let left = self.unsettled();
            let mut views = Views::new(self.machine, self.cast, size, &self.nodes(&left));
            let end = views.run(&self.allowance(MORE_CONFIGURATIONS));
            self.count(&format!("views-of-{size}"), views.len());
            let is_excluded = |&index: &usize| views.excluded.contains(&self.targets[index].node);
            let excluded: Vec<usize> = left.into_iter().filter(is_excluded).collect();
            if end.is_err() || excluded.is_empty() {
                continue;
            }
            let proof = self.certify(&excluded, &views.transitions, |manager, fields| {
                relations_of_views(manager, &views, fields)
            });
            let standing = match proof {
                Ok(()) => Standing::settled(Verdict::CERTIFIED),
                Err(why) => Standing::Excluded(Some(why)),
            };
            self.set(&excluded, &standing);
            if !self.has_open() {
                return;
            }
        }
    }

    /// Makes the certificate of an invariant.
    fn certify(
        &mut self,
        excluded: &[usize],
        transitions: &Transitions<'_>,
        relations: impl FnOnce(&mut Manager<'_>, Fields<'_>) -> Result<Relations, Exhausted>,
    ) -> Result<(), Limit> {
        let (machine, cast) = (self.machine, self.cast);
        let space = Space::new(machine, cast);
        let interrupt = || self.budget.interrupt.check().is_some();
        let mut manager = Manager::new(node_limit(self.budget)).with_interrupt(&interrupt);
        let fields = Fields {
            machine,
            cast,
            space: &space,
            globals: &transitions.stepper.globals,
        };
        let relations =
            relations(&mut manager, fields).map_err(|why| limit_reached(why, self.budget))?;
        if relations.keys().any(|turn| !turn.atomic.is_empty()) && has_many_choices(machine) {
            let what = format!(
                "atomic blocks beside steps with more than {MOST_CHOICE_BITS} bits of choices in \
                 their conditions"
            );
            return Err(Limit::Declined { what });
        }
        let targets = excluded.iter().map(|&i| self.targets[i].clone()).collect();
        let certificate = written(machine, &space, &manager, targets, relations);
        self.outcome.certificates.push(certificate);
        self.count("peak-bdd-nodes", manager.peak());
        Ok(())
    }

    /// The run to a target that a search has reached.
    fn trace(&self, visited: &mut Visited<'_>, target: &Target) -> Option<Result<Trace, Limit>> {
        let path = visited.path_to(target.node)?;
        let mut witness = Witness {
            machine: self.machine,
            transitions: &mut visited.transitions,
            letters: None,
        };
        let run = witness.run_of(&path).map_err(Limit::from);
        Some(run.and_then(|run| run.trace(Some(target))))
    }

    fn count(&mut self, name: &str, count: usize) {
        self.outcome.statistics.add(name, count as u64);
    }

    fn finish(mut self) -> Outcome {
        for (target, standing) in self.targets.iter().zip(self.standings) {
            let verdict = match standing {
                Standing::Settled(verdict) => *verdict,
                Standing::Excluded(why) => Verdict::uncertified(uncertified(why.as_ref())),
                Standing::Open(why) => Verdict::Unknown(why),
            };
            let answer = Answer::new(target.clone(), verdict);
            self.outcome.answers.push(answer);
        }
        self.outcome
    }
}

/// Whether there are steps of which a checker does not ask whether they can be taken.
fn has_many_choices(machine: &Machine) -> bool {
    machine.edge_ids().any(|id| {
        let inputs = deciding_inputs(machine, id).into_iter();
        let widths = inputs.map(|input| machine.edge(id).inputs[input.index()].width());
        widths.sum::<u32>() > MOST_CHOICE_BITS
    })
}

/// Why there is no certificate although a complete search has excluded a target.
fn uncertified(why: Option<&Limit>) -> String {
    match why {
        Some(Limit::Declined { what }) => format!("certificates do not take {what}"),
        Some(why) => format!("the invariant is too large to be written down: {why}"),
        None => "only a search with partial-order reduction finished".to_owned(),
    }
}

fn unsupported(machine: &Machine, why: NotInlined) -> String {
    match why {
        NotInlined::Recursive(procedure) => {
            let name = &machine.procedure(procedure).name;
            format!("threads with recursion ({name} may call itself)")
        }
        NotInlined::TooManyPlaces => "threads whose calls unfold to that many places".to_owned(),
        NotInlined::InitStartsThreads => "an `init` procedure that starts threads".to_owned(),
    }
}
