//! The game on single frames with claims, position by position: what the formulas say, but with
//! sets in the place of relations, Zielonka's algorithm in the place of nested fixed points, and
//! the interpreter in the place of the relations of the program.

use crate::parity::Game;
use crate::places::{Fate, fate, is_eves, is_exit, priority};
use hardbop_brute_force::{Bounds, initial_configurations, successors};
use hardbop_interpreter::Configuration;
use hardbop_machine::{Machine, NodeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// More than this many positions, or pairs that can be claimed about one call, are too many.
const MOST: usize = 60_000;
const MOST_PAIRS: usize = 9;

/// A state of a single frame: a configuration with one frame.
type StateId = usize;

/// Exits with the largest priority since the entry; nothing in the first frame.
type Claim = Option<BTreeSet<(StateId, u32)>>;

enum Move {
    To(StateId),
    Call(StateId),
}

#[derive(Default)]
struct Frames {
    states: Vec<Configuration>,
    ids: HashMap<Configuration, StateId>,
    moves: Vec<Vec<Move>>,
    /// By entry: the states that it reaches, with the largest priority on the way.
    reached: BTreeMap<StateId, BTreeSet<(StateId, u32)>>,
}

fn node(state: &Configuration) -> NodeId {
    state.threads[0].stack.last().expect("a frame").node
}

impl Frames {
    fn number(&mut self, machine: &Machine, state: Configuration) -> Option<StateId> {
        if let Some(&id) = self.ids.get(&state) {
            return Some(id);
        }
        let id = self.states.len();
        self.ids.insert(state.clone(), id);
        self.moves.push(Vec::new());
        let at = node(&state);
        self.states.push(state);
        if fate(machine, at) != Fate::GoesOn || is_exit(machine, at) {
            return Some(id);
        }
        let bounds = Bounds {
            stack: 2,
            threads: 1,
        };
        let mut moves = Vec::new();
        for successor in successors(machine, &self.states[id], bounds, &mut None).ok()? {
            let mut to = successor.to;
            let is_call = to.threads[0].stack.len() == 2;
            if is_call {
                to.threads[0].stack.remove(0);
            }
            moves.push((to, is_call));
        }
        for (to, is_call) in moves {
            let to = self.number(machine, to)?;
            self.moves[id].push(if is_call {
                Move::Call(to)
            } else {
                Move::To(to)
            });
        }
        (id < MOST).then_some(id)
    }

    /// Where a call goes on that returns from an exit.
    fn returned(&mut self, machine: &Machine, caller: StateId, exit: StateId) -> Option<StateId> {
        let edges = machine.edges_from(node(&self.states[caller]));
        let callee = machine.procedure_of(node(&self.states[exit]));
        let call = edges.into_iter().find(|&edge| {
            matches!(machine.edge(edge).action,
                hardbop_machine::Action::Call { callee: called, .. } if called == callee)
        })?;
        let mut both = self.states[exit].clone();
        let mut frame = self.states[caller].threads[0].stack[0].clone();
        frame.waiting = Some(call);
        both.threads[0].stack.insert(0, frame);
        let bounds = Bounds {
            stack: 2,
            threads: 1,
        };
        let mut after = successors(machine, &both, bounds, &mut None).ok()?;
        assert_eq!(after.len(), 1, "there is one way to return");
        self.number(machine, after.pop()?.to)
    }

    /// Which states each entry reaches, calls stepped over.
    fn summarise(&mut self, machine: &Machine, entry: StateId) -> Option<()> {
        self.reach(machine, entry, entry, 0);
        loop {
            let before: usize = self.reached.values().map(BTreeSet::len).sum();
            let entries: Vec<StateId> = self.reached.keys().copied().collect();
            for entry in entries {
                for (from, seen) in self.reached[&entry].clone() {
                    for at in 0..self.moves[from].len() {
                        match self.moves[from][at] {
                            Move::To(to) => self.reach(machine, entry, to, seen),
                            Move::Call(callee) => {
                                self.reach(machine, callee, callee, 0);
                                for (exit, inner) in self.exits(machine, callee) {
                                    let after = self.returned(machine, from, exit)?;
                                    self.reach(machine, entry, after, seen.max(inner));
                                }
                            }
                        }
                    }
                }
            }
            let after: usize = self.reached.values().map(BTreeSet::len).sum();
            if after == before {
                return Some(());
            }
            if after > MOST {
                return None;
            }
        }
    }

    fn reach(&mut self, machine: &Machine, entry: StateId, to: StateId, seen: u32) {
        let seen = seen.max(priority(machine, node(&self.states[to])));
        self.reached.entry(entry).or_default().insert((to, seen));
    }

    fn exits(&self, machine: &Machine, entry: StateId) -> Vec<(StateId, u32)> {
        let reached = self.reached[&entry].iter();
        let exits = reached.filter(|(state, _)| is_exit(machine, node(&self.states[*state])));
        exits.copied().collect()
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Position {
    /// A state, what is claimed about its frame, the largest priority since its entry, and that of
    /// the last move.
    At(StateId, Claim, u32, u32),
    /// Eve has to make a claim about a call.
    Claiming(StateId, Claim, u32, StateId),
    /// Adam goes in, or takes one of the returns.
    Doubting(StateId, Claim, u32, StateId, Claim),
}

/// Whether Eve wins from each initial state; nothing if the game is too large.
pub fn winners(machine: &Machine) -> Option<Vec<bool>> {
    let mut frames = Frames::default();
    let mut initial = Vec::new();
    for state in initial_configurations(machine).ok()? {
        let id = frames.number(machine, state)?;
        frames.summarise(machine, id)?;
        initial.push(id);
    }
    let mut play = Play {
        machine,
        frames,
        game: Game::default(),
        known: HashMap::new(),
        pending: Vec::new(),
    };
    let starts: Vec<usize> = initial
        .into_iter()
        .map(|state| {
            let seen = play.priority(state);
            play.number(Position::At(state, None, seen, seen))
        })
        .collect();
    while let Some((at, position)) = play.pending.pop() {
        if play.game.moves.len() > MOST {
            return None;
        }
        play.expand(at, position)?;
    }
    let won = play.game.won_by_eve();
    Some(starts.into_iter().map(|at| won[at]).collect())
}

struct Play<'p> {
    machine: &'p Machine,
    frames: Frames,
    game: Game,
    known: HashMap<Position, usize>,
    pending: Vec<(usize, Position)>,
}

impl Play<'_> {
    fn priority(&self, state: StateId) -> u32 {
        priority(self.machine, node(&self.frames.states[state]))
    }

    fn number(&mut self, position: Position) -> usize {
        if let Some(&at) = self.known.get(&position) {
            return at;
        }
        let (is_eves, priority) = match &position {
            Position::At(state, _, _, priority) => {
                let node = node(&self.frames.states[*state]);
                (is_eves(self.machine, node), *priority)
            }
            Position::Claiming(..) => (true, 0),
            Position::Doubting(..) => (false, 0),
        };
        let at = self.game.add(is_eves, priority);
        self.known.insert(position.clone(), at);
        self.pending.push((at, position));
        at
    }

    fn arrives(&mut self, state: StateId, claim: Claim, seen: u32, over: u32) -> usize {
        let priority = over.max(self.priority(state));
        self.number(Position::At(state, claim, seen.max(priority), priority))
    }

    fn expand(&mut self, at: usize, position: Position) -> Option<()> {
        match position {
            Position::At(state, claim, seen, _) => {
                let place = node(&self.frames.states[state]);
                match fate(self.machine, place) {
                    Fate::Fails => {
                        self.game.is_eves[at] = true;
                        return Some(());
                    }
                    Fate::Ends => {
                        self.stays(at, state);
                        return Some(());
                    }
                    Fate::GoesOn => {}
                }
                if is_exit(self.machine, place) {
                    match claim {
                        None => self.stays(at, state),
                        // The other one has to move, and cannot.
                        Some(claim) => self.game.is_eves[at] = !claim.contains(&(state, seen)),
                    }
                    return Some(());
                }
                for number in 0..self.frames.moves[state].len() {
                    let to = match self.frames.moves[state][number] {
                        Move::To(to) => self.arrives(to, claim.clone(), seen, 0),
                        Move::Call(entry) => {
                            self.number(Position::Claiming(state, claim.clone(), seen, entry))
                        }
                    };
                    self.game.moves[at].push(to);
                }
            }
            Position::Claiming(state, claim, seen, entry) => {
                let pairs = self.frames.exits(self.machine, entry);
                if pairs.len() > MOST_PAIRS {
                    return None;
                }
                for set in 0..1_usize << pairs.len() {
                    let chosen = pairs.iter().enumerate();
                    let chosen = chosen.filter(|(bit, _)| set >> bit & 1 == 1);
                    let inner = Some(chosen.map(|(_, pair)| *pair).collect());
                    let doubting = Position::Doubting(state, claim.clone(), seen, entry, inner);
                    let to = self.number(doubting);
                    self.game.moves[at].push(to);
                }
            }
            Position::Doubting(state, claim, seen, entry, inner) => {
                let priority = self.priority(entry);
                let inside = Position::At(entry, inner.clone(), priority, priority);
                let to = self.number(inside);
                self.game.moves[at].push(to);
                for (exit, over) in inner.into_iter().flatten() {
                    let after = self.frames.returned(self.machine, state, exit)?;
                    let to = self.arrives(after, claim.clone(), seen, over);
                    self.game.moves[at].push(to);
                }
            }
        }
        Some(())
    }

    /// The program has ended: the walk stays here for ever.
    fn stays(&mut self, at: usize, state: StateId) {
        self.game.priority[at] = self.priority(state);
        self.game.moves[at].push(at);
    }
}
