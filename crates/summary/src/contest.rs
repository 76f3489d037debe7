//! Searches take turns until every target has its verdict.
//!
//! Nobody is good at all programs in one direction. Forward search with whole sets decides small
//! state spaces at once and gives the shortest runs; a scout, which sees only a few variables,
//! proves what rests on them and shows the way to the rest; backward search is blind to what does
//! not matter for the question; forward search in portions finds runs deep in programs whose sets
//! of states have no small BDD. Since a search can be continued where its work limit stopped it,
//! `auto` lets the four take turns, each turn twice as long as the last: whichever would have been
//! fastest alone answers after a small multiple of its time. A verdict on some targets counts at
//! once, with a certificate of its own, and nobody searches for them any more.

use crate::back_runs::BackReader;
use crate::backward::Backward;
use crate::certify::{backward_certificate, forward_certificate};
use crate::engine::{Direction, SummaryEngine};
use crate::forward::{Forward, Progress as Searched};
use crate::layers::layers;
use crate::runs::{NoRun, Reader};
use crate::scout::Scouts;
use crate::tally;
use crate::transfer::Compiler;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::NodeId;
use hardbop_outcome::{Ledger, Skeleton, WantedRun};

/// The first turn of each search, at least; turns double.
const FIRST_TURN: u64 = 20_000;
const WORK_PER_EDGE: u64 = 4;
/// The whole forward search gets longer turns: only it decides all targets at once and gives
/// shortest runs.
const FORWARD_SHARE: u64 = 2;
/// The search in portions gets shorter ones: it finds what it finds early.
const PORTIONS_DIVISOR: u64 = 2;
/// BDD nodes per portion.
const PORTION: usize = 400;
/// Runs are made shortest if that takes at most this part of the work of all searches so far, and
/// some to start with.
const SHORTEST_DIVISOR: u64 = 4;
const SHORTEST_START: u64 = 100_000;

/// What all searches of one question share.
pub(crate) struct Contest<'c> {
    pub compiler: Compiler<'c>,
    pub node_limit: usize,
    pub interrupt: &'c dyn Fn() -> bool,
}

impl<'c> Contest<'c> {
    /// Lets the searches take turns until every target is decided or all have run out; then why the
    /// last one did.
    pub fn run(
        &self,
        engine: SummaryEngine,
        wanted: WantedRun,
        ledger: &mut Ledger<'_>,
    ) -> Option<Exhausted> {
        let direction = engine.direction;
        let is_alone = direction != Direction::Auto;
        let mut whole = (direction != Direction::Backward).then(|| self.forward());
        let mut portions =
            (direction == Direction::Auto).then(|| self.forward().in_portions(PORTION));
        let mut backward: Option<Backward<'c, 'c>> = None;
        let mut wants_backward = direction != Direction::Forward;
        // A search that merely goes over a large program once should not be interrupted for another
        // to start.
        let once_over = WORK_PER_EDGE * self.compiler.machine.edges.len() as u64;
        let mut turn = engine.first_turn.unwrap_or(FIRST_TURN.max(once_over));
        let mut scouts = Scouts::default();
        let mut why = None;
        while !ledger.is_decided() {
            let open_before = ledger.open_nodes().len();
            let allowance = if is_alone { u64::MAX } else { turn };
            if let Some(search) = &mut whole {
                match Self::forward_turn(
                    search,
                    ledger,
                    allowance.saturating_mul(FORWARD_SHARE),
                    true,
                ) {
                    Ok(()) | Err(Exhausted::Work) => {}
                    Err(reason) => {
                        let due = ledger.due_nodes();
                        let read = read_runs(search, ledger, &due);
                        tally::forward(ledger, "forward", search);
                        (whole, why) = (None, Some(read.err().unwrap_or(reason)));
                    }
                }
            }
            if !is_alone
                && !ledger.is_decided()
                && let Err(reason) = scouts.turn(self, ledger, allowance, wanted != WantedRun::Any)
            {
                why = Some(reason);
            }
            if wants_backward && !ledger.is_decided() {
                // Targets that another search has reached would only be in the way.
                let kept = backward
                    .take()
                    .filter(|b| b.targets() == ledger.open_nodes());
                let mut search = kept.unwrap_or_else(|| self.backward(ledger));
                match Self::backward_turn(&mut search, ledger, allowance) {
                    // A target that was found is left out from now on.
                    Ok(()) => tally::backward(ledger, &search),
                    Err(Exhausted::Work) => backward = Some(search),
                    Err(reason) => {
                        tally::backward(ledger, &search);
                        (wants_backward, why) = (false, Some(reason));
                    }
                }
            }
            if let Some(search) = &mut portions
                && !ledger.is_decided()
            {
                match Self::forward_turn(search, ledger, allowance / PORTIONS_DIVISOR, false) {
                    Ok(()) | Err(Exhausted::Work) => {}
                    Err(reason) => {
                        tally::forward(ledger, "portions", search);
                        (portions, why) = (None, Some(reason));
                    }
                }
            }
            if whole.is_none() && !wants_backward && portions.is_none() {
                break;
            }
            // As long as turns of this length decide something, longer ones would only be spent in
            // vain by the others.
            if ledger.open_nodes().len() == open_before {
                turn *= 2;
            }
        }
        let searches = [
            ("follower", scouts.follower()),
            ("forward", whole.as_ref()),
            ("portions", portions.as_ref()),
        ];
        for (name, search) in searches {
            if let Some(search) = search.filter(|search| search.visits > 0) {
                tally::forward(ledger, name, search);
            }
        }
        if let Some(search) = &backward {
            tally::backward(ledger, search);
        }
        let search = whole.unwrap_or_else(|| self.forward());
        Self::last_runs(search, wanted, ledger).or(why)
    }

    /// Makes runs shortest, and reads off those that have not been read; why that cannot be, if so.
    fn last_runs(
        mut search: Forward<'_, '_>,
        wanted: WantedRun,
        ledger: &mut Ledger<'_>,
    ) -> Option<Exhausted> {
        let due = ledger.due_nodes();
        let allowance = if wanted == WantedRun::Shortest {
            u64::MAX
        } else {
            tally::work(ledger) / SHORTEST_DIVISOR + SHORTEST_START
        };
        if wanted != WantedRun::Any && shorten(&mut search, ledger, allowance).is_ok() {
            return None;
        }
        read_runs(&mut search, ledger, &due).err()
    }

    pub fn manager(&self) -> Manager<'c> {
        Manager::new(self.node_limit).with_interrupt(self.interrupt)
    }

    pub fn forward(&self) -> Forward<'c, 'c> {
        Forward::new(self.compiler, self.manager())
    }

    fn backward(&self, ledger: &Ledger<'_>) -> Backward<'c, 'c> {
        Backward::new(self.compiler, ledger.open_nodes(), self.manager())
    }

    /// A turn of a forward search: decides what it can. Reading runs takes a while, so it can be
    /// left for later.
    fn forward_turn(
        search: &mut Forward<'_, '_>,
        ledger: &mut Ledger<'_>,
        allowance: u64,
        later: bool,
    ) -> Result<(), Exhausted> {
        let limit = search.manager.work().saturating_add(allowance);
        search.manager.set_work_limit(limit);
        let mut searched = search.begin_and_run(&ledger.open_nodes());
        if searched == Err(Exhausted::Nodes) {
            search.collect_garbage();
            searched = search.begin_and_run(&ledger.open_nodes());
        }
        search.manager.set_work_limit(u64::MAX);
        let reached: Vec<NodeId> = ledger.open_nodes();
        let reached: Vec<NodeId> = reached
            .into_iter()
            .filter(|&n| search.is_reached(n))
            .collect();
        if later {
            for node in reached {
                ledger.promise(node);
            }
        } else {
            read_runs(search, ledger, &reached)?;
        }
        if searched? == Searched::Complete {
            let open = ledger.open_targets();
            if !open.is_empty() {
                ledger.exclude(forward_certificate(search, open));
            }
        }
        Ok(())
    }

    /// A turn of a backward search: decides its targets or finds one of them reachable.
    fn backward_turn(
        search: &mut Backward<'_, '_>,
        ledger: &mut Ledger<'_>,
        allowance: u64,
    ) -> Result<(), Exhausted> {
        let limit = search.manager.work().saturating_add(allowance);
        search.manager.set_work_limit(limit);
        let mut searched = search.begin_and_run();
        if searched == Err(Exhausted::Nodes) {
            search.collect_garbage();
            searched = search.begin_and_run();
        }
        let searched = searched?;
        search.manager.set_work_limit(u64::MAX);
        if searched == Searched::Complete {
            let certificate = backward_certificate(search, ledger.open_targets())?;
            ledger.exclude(certificate);
            return Ok(());
        }
        match BackReader::new(search).run() {
            Ok((skeleton, node)) => ledger.reach(node, &skeleton, false),
            Err(NoRun::Exhausted(why)) => return Err(why),
            Err(NoRun::Broken) => unreachable!("rings lead on to a target"),
        }
        Ok(())
    }
}

/// Reads runs to nodes off a forward search.
fn read_runs(
    search: &mut Forward<'_, '_>,
    ledger: &mut Ledger<'_>,
    nodes: &[NodeId],
) -> Result<(), Exhausted> {
    if nodes.is_empty() {
        return Ok(());
    }
    match Reader::new(search, None).runs_to(nodes) {
        Ok(runs) => ledger.reach_all(nodes, &runs, false),
        Err(NoRun::Exhausted(why)) => return Err(why),
        Err(NoRun::Broken) => unreachable!("rings lead back to the start"),
    }
    Ok(())
}

/// Finds shortest runs to all targets that are reached, if so much work suffices.
fn shorten(
    search: &mut Forward<'_, '_>,
    ledger: &mut Ledger<'_>,
    allowance: u64,
) -> Result<(), NoRun> {
    let nodes = ledger.unshortened_nodes();
    if nodes.is_empty() {
        return Ok(());
    }
    let limit = search.manager.work().saturating_add(allowance);
    search.manager.set_work_limit(limit);
    let runs = shortest_runs(search, &nodes);
    search.manager.set_work_limit(u64::MAX);
    ledger.reach_all(&nodes, &runs?, true);
    Ok(())
}

fn shortest_runs(search: &mut Forward<'_, '_>, nodes: &[NodeId]) -> Result<Vec<Skeleton>, NoRun> {
    search.begin_and_run(&[])?;
    let by_distance = layers(search, nodes)?;
    // Reading needs no limit: it is linear in what is read.
    search.manager.set_work_limit(u64::MAX);
    Reader::new(search, Some(&by_distance.rings)).runs_to(nodes)
}
