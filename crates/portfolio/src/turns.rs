//! Engines search in turns, or side by side on several cores.
//!
//! Each engine runs on a thread of its own, but at most `jobs` of them at a time: an engine hands
//! its place on when its turn is over, and goes on where it stopped when its next turn comes.
//! **Turns are counted in looks at the interrupt**, which every engine takes after a fixed amount
//! of work (some milliseconds). No clock is read, so with one job the same question gives the same
//! answer by the same engine after the same work, on every machine. With several jobs the verdicts
//! are the same, but who answers first is not.
//!
//! Threads stand in for coroutines here: an engine can be put aside in the middle of a BDD
//! operation without being written for it. One that has not had a turn yet costs nothing.

use hardbop_outcome::{
    Budget, Event, Interrupt, Limit, Outcome, Prepared, Progress, Question, Steady,
};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

/// BDD operations recurse as deep as a program has variables. Untouched stack costs nothing.
const STACK_SIZE: usize = 1 << 30;
/// The stack where the system does not give that much: enough for ordinary programs.
const SMALL_STACK_SIZE: usize = 8 << 20;

/// A prepared search that is to take part.
pub struct Contestant<'c> {
    /// The name of its engine.
    pub name: &'static str,
    /// The search, until its first turn.
    pub search: Mutex<Option<Prepared<'c>>>,
    /// How often it looks at the interrupt in a turn.
    pub looks: u64,
    /// The same for the very first turn of the contest, if that is this engine's.
    pub first_looks: u64,
}

impl<'c> Contestant<'c> {
    /// Begins the search.
    pub(crate) fn begin<T>(&self, run: impl FnOnce(Prepared<'c>) -> T) -> T {
        let search = self.search.lock();
        let search = search.unwrap_or_else(PoisonError::into_inner).take();
        run(search.expect("a search is begun once"))
    }
}

/// An engine that took part.
#[derive(Clone, Debug)]
pub struct Participant {
    /// Its name.
    pub name: &'static str,
    /// Looks at the interrupt: how much of the work was its.
    pub looks: u64,
    /// How it ended.
    pub end: End,
}

/// How an engine's part ended.
#[derive(Clone, Debug)]
pub enum End {
    /// It never had a turn, or was stopped because another had answered.
    Stopped,
    /// It answered, or hit a limit of its own.
    Done(Box<Outcome>),
    /// It panicked.
    Panicked,
}

impl Participant {
    /// Whether it knows the answer to every item.
    fn has_answered(&self) -> bool {
        let outcome = self.outcome();
        outcome.is_some_and(|outcome| !outcome.answers.iter().any(|a| a.verdict.is_unknown()))
    }

    /// What it answered.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.end {
            End::Done(outcome) => Some(outcome),
            End::Stopped | End::Panicked => None,
        }
    }
}

/// When a contest is over.
pub enum Until<'u> {
    /// As soon as what has been answered is enough; asked whenever an engine has ended, with all
    /// participants in the order of the engines.
    Enough(&'u (dyn Fn(&[Participant]) -> bool + Sync)),
    /// When everyone has answered, or has had [`PATIENCE`] times the turns of the first to answer.
    All,
}

/// How many times as long as the first answer took the others may search, if all are waited for.
const PATIENCE: u64 = 10;
/// Turns that everyone may have in any case, if all are waited for.
const FAIR_TURNS: u64 = 4;

/// Lets engines search until the contest is over.
pub(crate) fn take_turns(
    contestants: &[Contestant<'_>],
    question: &Question,
    budget: &Budget<'_>,
    jobs: usize,
    progress: &mut dyn Progress,
    until: &Until<'_>,
) -> Vec<Participant> {
    let board = Board {
        state: Mutex::new(State::new(contestants)),
        changed: Condvar::new(),
        stop: AtomicBool::new(false),
        last_turn: AtomicU64::new(u64::MAX),
        until,
    };
    let progress = Mutex::new(progress);
    let contest = Contest {
        contestants,
        question,
        budget,
        board: &board,
        jobs: jobs.max(1),
        progress: &progress,
    };
    std::thread::scope(|scope| contest.conduct(scope));
    let state = board.state.into_inner();
    state.unwrap_or_else(PoisonError::into_inner).participants
}

/// Who searches, who waits, who has ended.
struct State {
    participants: Vec<Participant>,
    /// Whose turn comes next.
    waiting: VecDeque<usize>,
    is_active: Vec<bool>,
    is_started: Vec<bool>,
    active: usize,
    ended: usize,
}

impl State {
    fn new(contestants: &[Contestant<'_>]) -> Self {
        let participants = contestants.iter().map(|contestant| Participant {
            name: contestant.name,
            looks: 0,
            end: End::Stopped,
        });
        Self {
            participants: participants.collect(),
            waiting: (0..contestants.len()).collect(),
            is_active: vec![false; contestants.len()],
            is_started: vec![false; contestants.len()],
            active: 0,
            ended: 0,
        }
    }
}

struct Board<'b> {
    state: Mutex<State>,
    changed: Condvar,
    stop: AtomicBool,
    /// No engine has more turns than this.
    last_turn: AtomicU64,
    until: &'b Until<'b>,
}

impl Board<'_> {
    /// The state; a thread that panicked while it held the lock has left it as it was.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let woken = self.changed.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands the place on to whoever waits, and waits for it to come back.
    fn hand_on(&self, me: usize) {
        let mut state = self.lock();
        // Once the contest is over an engine goes on without a place, to end what it has begun.
        if state.waiting.is_empty() || !state.is_active[me] {
            return;
        }
        state.is_active[me] = false;
        state.active -= 1;
        state.waiting.push_back(me);
        self.changed.notify_all();
        while !state.is_active[me] && !self.stop.load(Ordering::Relaxed) {
            state = self.wait(state);
        }
    }

    /// An engine has ended.
    fn end(&self, me: usize, looks: u64, turns: u64, end: End) {
        let mut state = self.lock();
        state.participants[me].looks = looks;
        state.participants[me].end = end;
        if state.is_active[me] {
            state.active -= 1;
        }
        state.ended += 1;
        match self.until {
            Until::Enough(is_enough) if is_enough(&state.participants) => {
                self.stop.store(true, Ordering::Relaxed);
            }
            Until::All if state.participants[me].has_answered() => {
                let last = turns.max(FAIR_TURNS).saturating_mul(PATIENCE);
                self.last_turn.fetch_min(last, Ordering::Relaxed);
            }
            Until::Enough(_) | Until::All => {}
        }
        self.changed.notify_all();
    }
}

/// The interrupt as one engine sees it.
struct Turn<'t, 'p> {
    board: &'t Board<'t>,
    relay: Relay<'t, 'p>,
    me: usize,
    outer: Steady<'t>,
    looks: AtomicU64,
    /// The look with which the turn is over.
    until: AtomicU64,
    /// Looks in a turn.
    length: u64,
}

impl Interrupt for Turn<'_, '_> {
    fn check(&self) -> Option<Limit> {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        if looks >= self.until.load(Ordering::Relaxed) {
            self.until.store(looks + self.length, Ordering::Relaxed);
            self.board.hand_on(self.me);
            self.relay.say(None);
        }
        let is_last = looks / self.length >= self.board.last_turn.load(Ordering::Relaxed);
        if is_last || self.board.stop.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        self.outer.check()
    }
}

/// Passes on what an engine says, under its name.
#[derive(Clone, Copy)]
struct Relay<'r, 'p> {
    name: &'static str,
    progress: &'r Mutex<&'p mut dyn Progress>,
}

impl Relay<'_, '_> {
    /// Says who searches, and what it has to say.
    fn say(&self, event: Option<Event<'_>>) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.event(Event::Engine(self.name));
        if let Some(event) = event {
            progress.event(event);
        }
    }
}

impl Progress for Relay<'_, '_> {
    fn event(&mut self, event: Event<'_>) {
        self.say(Some(event));
    }
}

#[derive(Clone, Copy)]
struct Contest<'c, 'p, 'e> {
    contestants: &'c [Contestant<'e>],
    question: &'c Question,
    budget: &'c Budget<'c>,
    board: &'c Board<'c>,
    jobs: usize,
    progress: &'c Mutex<&'p mut dyn Progress>,
}

impl<'c, 'p: 'c, 'e: 'c> Contest<'c, 'p, 'e> {
    /// Gives free places to whoever waits until everybody has ended or it is enough.
    fn conduct<'s>(self, scope: &'s Scope<'s, '_>)
    where
        'c: 's,
        'p: 's,
        'e: 's,
    {
        let mut state = self.board.lock();
        loop {
            let is_over = self.board.stop.load(Ordering::Relaxed);
            if is_over || state.ended == self.contestants.len() {
                self.board.changed.notify_all();
                return;
            }
            while state.active < self.jobs
                && let Some(next) = state.waiting.pop_front()
            {
                state.is_active[next] = true;
                state.active += 1;
                if state.is_started[next] {
                    self.board.changed.notify_all();
                } else {
                    state.is_started[next] = true;
                    if !self.start(scope, next) {
                        state.is_active[next] = false;
                        state.active -= 1;
                        state.ended += 1;
                        let why = Limit::Memory;
                        let name = self.contestants[next].name;
                        let outcome = Outcome::unknown(name, self.question, &why);
                        state.participants[next].end = End::Done(Box::new(outcome));
                    }
                }
            }
            if state.ended < self.contestants.len() {
                state = self.board.wait(state);
            }
        }
    }

    /// Starts the thread of an engine, unless the system has no more of them.
    fn start<'s>(self, scope: &'s Scope<'s, '_>, number: usize) -> bool
    where
        'c: 's,
        'p: 's,
        'e: 's,
    {
        let stacks = [STACK_SIZE, SMALL_STACK_SIZE];
        stacks.into_iter().any(|size| {
            let builder = Builder::new().stack_size(size);
            builder
                .spawn_scoped(scope, move || self.run(number))
                .is_ok()
        })
    }

    /// All of an engine's part.
    fn run(self, number: usize) {
        let contestant = &self.contestants[number];
        let length = contestant.looks;
        // With several jobs the first engine keeps its place, and the others share the rest.
        let until = match number {
            0 if self.jobs > 1 => u64::MAX,
            0 => contestant.first_looks,
            _ => length,
        };
        let mut relay = Relay {
            name: contestant.name,
            progress: self.progress,
        };
        let turn = Turn {
            board: self.board,
            relay,
            me: number,
            outer: Steady::new(self.budget.interrupt),
            looks: AtomicU64::new(0),
            until: AtomicU64::new(until),
            length,
        };
        let budget = Budget {
            interrupt: &turn,
            ..*self.budget
        };
        // The search owns everything that it touches, so nothing half-done outlives a panic.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            contestant.begin(|search| search.search(&budget, &mut relay))
        }));
        let end = match outcome {
            Ok(_) if self.board.stop.load(Ordering::Relaxed) => End::Stopped,
            Ok(outcome) => End::Done(Box::new(outcome)),
            Err(_) => End::Panicked,
        };
        let looks = turn.looks.load(Ordering::Relaxed);
        self.board.end(number, looks, looks / length, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_outcome::{Silent, Verdict};
    use std::time::{Duration, Instant};

    /// A search that looks at the interrupt this many times and then answers. The log has all
    /// looks in the order in which they were taken.
    fn worker<'a>(
        name: &'static str,
        looks: u64,
        question: &'a Question,
        log: &'a Mutex<Vec<&'static str>>,
    ) -> Contestant<'a> {
        let search = move |budget: &Budget<'_>, _: &mut dyn Progress| {
            for _ in 0..looks {
                log.lock().expect("no worker panics").push(name);
                if let Some(why) = budget.interrupt.check() {
                    // Engines look again on their way out.
                    (0..10).for_each(|_| drop(budget.interrupt.check()));
                    return Outcome::unknown(name, question, &why);
                }
            }
            Outcome::same(name, question, &Verdict::NO)
        };
        Contestant {
            name,
            search: Mutex::new(Some(Prepared::new(search))),
            looks: 2,
            first_looks: 8,
        }
    }

    fn contest(
        workers: &[(&'static str, u64)],
        jobs: usize,
    ) -> (Vec<Participant>, Vec<&'static str>) {
        let is_enough = |all: &[Participant]| all.iter().any(|one| one.outcome().is_some());
        contest_until(workers, jobs, &Until::Enough(&is_enough))
    }

    fn contest_until(
        workers: &[(&'static str, u64)],
        jobs: usize,
        until: &Until<'_>,
    ) -> (Vec<Participant>, Vec<&'static str>) {
        let text = "void main() begin assert(1); end";
        let machine = hardbop_machine::from_text("t.bp", text).expect("a program");
        let question = Question::assertions(&machine);
        let log = Mutex::new(Vec::new());
        let workers = workers.iter();
        let workers = workers.map(|&(name, looks)| worker(name, looks, &question, &log));
        let workers: Vec<Contestant<'_>> = workers.collect();
        let ended = take_turns(
            &workers,
            &question,
            &Budget::unlimited(),
            jobs,
            &mut Silent,
            until,
        );
        drop(workers);
        let log = log.lock().expect("no worker panics").clone();
        (ended, log)
    }

    #[test]
    fn a_quick_first_engine_answers_before_another_begins() {
        let (ended, log) = contest(&[("a", 3), ("b", 1)], 1);
        assert!(ended[0].outcome().is_some());
        assert_eq!(log, ["a"; 3]);
    }

    #[test]
    fn turns_are_fair_and_the_same_every_time() {
        let run = || contest(&[("a", 1000), ("b", 20), ("c", 1000)], 1);
        let (ended, log) = run();
        let names: Vec<bool> = ended.iter().map(|one| one.outcome().is_some()).collect();
        assert_eq!(names, [false, true, false]);
        let count = |name| log.iter().filter(|&&other| other == name).count();
        assert_eq!(count("b"), 20);
        assert!(count("a") <= 28, "{log:?}");
        assert!(count("c") <= 22, "{log:?}");
        for _ in 0..5 {
            assert_eq!(run().1, log);
        }
    }

    #[test]
    fn if_all_are_waited_for_nobody_searches_for_ever() {
        let (ended, log) = contest_until(&[("a", 30), ("b", u64::MAX)], 1, &Until::All);
        assert!(ended[0].has_answered() && !ended[1].has_answered());
        let count = log.iter().filter(|&&name| name == "b").count() as u64;
        assert!(count <= 30 * PATIENCE + 2, "{count}");
    }

    #[test]
    fn with_several_jobs_the_fastest_answers_and_the_others_stop() {
        let (ended, _) = contest(&[("a", u64::MAX), ("b", 5), ("c", u64::MAX)], 2);
        assert!(ended[1].outcome().is_some());
        assert!(matches!(ended[0].end, End::Stopped));
        assert!(matches!(ended[2].end, End::Stopped));
    }

    /// Engines that search for long look at the interrupt often enough. In a release build the
    /// longest wait was measured to be some milliseconds; the bound leaves room for slow builds on
    /// busy machines.
    #[test]
    fn whoever_has_not_answered_stops_soon() {
        for (family, size) in [
            ("mixing", 32),
            ("factoring", 10),
            ("driver", 50),
            ("terminator", 4),
        ] {
            let family = hardbop_families::find(family).expect("a family");
            let text = family.generate(size, 1).text;
            let machine = hardbop_machine::from_text("t.bp", &text).expect("a program");
            let question = Question::assertions(&machine);
            let planned = crate::plan::plan(&machine, &question, 1).into_iter();
            let options = crate::options::Options::default();
            let engines: Vec<_> = planned.map(|p| (p, p.name.engine(&options))).collect();
            let limits = Budget::unlimited();
            let contestants = engines.iter().map(|(planned, engine)| {
                let prepared = engine.prepare(&machine, &question, &limits);
                planned.contestant(engine.name(), prepared.expect("planned engines take it"))
            });
            let contestants: Vec<Contestant<'_>> = contestants.collect();
            let answered = Mutex::new(None);
            let is_enough = |all: &[Participant]| {
                let is_enough = all.iter().any(Participant::has_answered);
                if is_enough {
                    let mut answered = answered.lock().expect("no contestant panics");
                    answered.get_or_insert_with(Instant::now);
                }
                is_enough
            };
            take_turns(
                &contestants,
                &question,
                &Budget::unlimited(),
                2,
                &mut Silent,
                &Until::Enough(&is_enough),
            );
            let answered = answered.into_inner().expect("no contestant panics");
            let waited = answered.expect("an engine answers").elapsed();
            let name = family.name;
            assert!(waited < Duration::from_secs(2), "{name}: {waited:?}");
        }
    }
}
