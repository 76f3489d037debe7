//! Properties of runs: is there one that an automaton accepts?
//!
//! The [product](hardbop_transform::product) of program and automaton is searched: for a target
//! state by the reachability search, for an accepting run by the search for fair
//! [`cycles`](crate::search::cycles). Either comes back with a run of the program itself.

use crate::encoding::code::Program;
use crate::encoding::layout::Layouts;
use crate::encoding::step::Statics;
use crate::evidence::lasso::read_lasso;
use crate::evidence::runs::RunReader;
use crate::search::cycles::CycleSearch;
use crate::search::depth_first::depth_first;
use crate::search::exploration::Exploration;
use crate::search::watch::{Stopped, Watch};
use hardbop_automata::Property;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Budget, Event, Evidence, Limit, Outcome, Progress, Question, Statistics, Verdict,
};
use hardbop_transform::product::Product;

/// What was found, and work counters in a fixed order.
type Found = (Verdict, Statistics);

/// Searches the runs of a sequential machine for one that a property describes.
pub(crate) fn search(
    machine: &Machine,
    property: &Property,
    question: &Question,
    lazy: bool,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
) -> Outcome {
    let automaton = &property.automaton;
    progress.event(Event::Phase("product"));
    let product = Product::new(machine, automaton);
    let layouts = Layouts::new(&product.machine);
    let program = Program::new(&product.machine, &layouts);
    let statics = Statics {
        machine: &product.machine,
        layouts: &layouts,
        program: &program,
        lazy,
    };
    let mut exploration = Exploration::new(statics);
    let nodes = product.targets.iter().copied();
    let mut watch = Watch::new(nodes, *budget, progress);
    let (verdict, statistics) = if automaton.has_targets() {
        safety(machine, &product, &mut exploration, &mut watch)
    } else {
        liveness(machine, &product, &mut exploration, &mut watch)
    };
    let mut outcome = Outcome::same("explicit", question, &verdict);
    outcome.statistics = statistics;
    outcome
}

/// Whether a target state of the automaton can be entered.
fn safety(
    machine: &Machine,
    product: &Product,
    exploration: &mut Exploration<'_>,
    watch: &mut Watch<'_>,
) -> Found {
    watch.stops_at_first = true;
    let ended = depth_first(exploration, watch);
    let found = product.targets.iter().find_map(|&node| watch.found(node));
    let verdict = match (found, ended) {
        (Some(state), _) => {
            let runs = RunReader::new(exploration).runs(&[state], &|exploration, state| {
                exploration.derivation(state)
            });
            let run = runs.and_then(|mut runs| runs.pop());
            let trace = run.and_then(|run| product.trace_back(machine, &run));
            found_or_too_long(trace.map(Evidence::Run))
        }
        (None, Err(Stopped::Limit(why))) => Verdict::Unknown(why),
        (None, Ok(()) | Err(Stopped::Settled)) => Verdict::NO,
    };
    (verdict, statistics(exploration, &[]))
}

/// Whether an infinite run is accepted.
fn liveness(
    machine: &Machine,
    product: &Product,
    exploration: &mut Exploration<'_>,
    watch: &mut Watch<'_>,
) -> Found {
    let mut search = CycleSearch::new(exploration, product.state, &product.accepting);
    let verdict = match search.run(watch) {
        Ok(Some(component)) => {
            let lasso = read_lasso(&mut search, &component);
            let lasso = lasso.and_then(|(run, head)| product.lasso_back(machine, &run, head));
            found_or_too_long(lasso.map(Evidence::Lasso))
        }
        Ok(None) => Verdict::NO,
        Err(Stopped::Limit(why)) => Verdict::Unknown(why),
        Err(Stopped::Settled) => unreachable!("nothing is settled before the search ends"),
    };
    let more = [
        ("links", search.graph.link_count() as u64),
        ("passes", search.passes),
    ];
    let extra = search.bytes();
    let mut statistics = statistics(exploration, &more);
    let states = exploration.len().max(1);
    let bytes = (exploration.bytes() + extra).div_ceil(states);
    statistics.raise("bytes-per-state", bytes as u64);
    (verdict, statistics)
}

/// A run with more different calls than can be written down is known to be there, but cannot be
/// shown.
fn found_or_too_long(evidence: Option<Evidence>) -> Verdict {
    evidence.map_or(Verdict::Unknown(Limit::Memory), Verdict::found)
}

fn statistics(exploration: &Exploration<'_>, more: &[(&str, u64)]) -> Statistics {
    let counters = [
        ("states", exploration.len() as u64),
        ("entries", exploration.roots().len() as u64),
        ("summaries", exploration.summaries),
        ("transitions", exploration.transitions),
    ];
    Statistics::sums(counters.iter().chain(more).copied())
}
