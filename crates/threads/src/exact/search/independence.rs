//! Which steps of different threads do not get in each other's way, read off the program.
//!
//! The *footprint* of a place says which shared variables the steps from there read and write, its
//! *future* the same of all steps that can follow, those of started threads included. A set of
//! threads is *closed* in a configuration if no other thread ever, from where it is, writes what
//! the threads of the set read or write next, or reads what they write next. Such a set is
//! persistent in Godefroid's sense: whatever the others do, the next steps of its threads stay what
//! they are, and commute with it.
//!
//! Starting a thread counts as writing one more variable, since threads are numbered as they start.
//! A step that enters or leaves an atomic block, or writes the Getafix flag, takes the turn from
//! others or gives it back, and commutes with nothing; a thread before such a step is in no closed
//! set.

use crate::exact::encoding::components::Kind;
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::{Action, EdgeId, GlobalId, Machine, Storage, ThreadStart, Variable};

/// Sets of shared variables, as bits.
type Bits = Vec<u64>;

/// What steps read and write.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Footprint {
    reads: Bits,
    writes: Bits,
}

impl Footprint {
    fn new(words: usize) -> Self {
        Self {
            reads: vec![0; words],
            writes: vec![0; words],
        }
    }

    /// Takes in another; whether there was anything new.
    fn absorb(&mut self, other: &Self) -> bool {
        let mut grew = false;
        let pairs = self.reads.iter_mut().zip(&other.reads);
        for (mine, theirs) in pairs.chain(self.writes.iter_mut().zip(&other.writes)) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    /// Whether one writes what the other reads or writes.
    fn conflicts_with(&self, other: &Self) -> bool {
        let meet = |a: &Bits, b: &Bits| a.iter().zip(b).any(|(a, b)| a & b != 0);
        meet(&self.writes, &other.reads)
            || meet(&self.writes, &other.writes)
            || meet(&self.reads, &other.writes)
    }
}

/// What is known of one place.
#[derive(Clone, Debug)]
struct PlaceFacts {
    next: Footprint,
    future: Footprint,
    /// Whether its steps take or give the turn.
    is_turn_step: bool,
}

/// Footprints of all places of all kinds of threads.
#[derive(Clone, Debug)]
pub(crate) struct Independence {
    facts: Vec<Vec<PlaceFacts>>,
}

/// A place of a kind of threads.
type Spot = (usize, usize);

impl Independence {
    /// Looks at all places. Linear in their number times that of shared variables.
    pub(crate) fn new(machine: &Machine, kinds: &[Kind]) -> Self {
        let mut builder = Builder {
            machine,
            kinds,
            words: machine.globals.len() / 64 + 1,
            facts: Vec::new(),
            before: Vec::new(),
        };
        for (kind, of_kind) in kinds.iter().enumerate() {
            let places = of_kind.inlined.place_count();
            builder.facts.push(Vec::new());
            builder.before.resize(kinds.len(), Vec::new());
            for place in 0..places {
                let facts = builder.place(kind, place);
                builder.facts[kind].push(facts);
            }
        }
        builder.link();
        builder.spread();
        Self {
            facts: builder.facts,
        }
    }

    /// The closed sets that each thread generates, as bits, smallest first, without those that hold
    /// all threads. A thread is given as its number, kind and place.
    pub(crate) fn closed_sets(&self, threads: &[(u32, usize, u32)]) -> Vec<u64> {
        if threads.iter().any(|&(number, ..)| number >= u64::BITS) {
            return Vec::new();
        }
        let facts = |index: usize| {
            let (_, kind, place) = threads[index];
            &self.facts[kind][place as usize]
        };
        let everybody = (0..threads.len()).fold(0u64, |set, index| set | 1 << index);
        let mut sets: Vec<u64> = Vec::new();
        'generators: for generator in 0..threads.len() {
            let (mut set, mut pending) = (1u64 << generator, vec![generator]);
            while let Some(member) = pending.pop() {
                if facts(member).is_turn_step {
                    continue 'generators;
                }
                for other in 0..threads.len() {
                    if set >> other & 1 == 0
                        && facts(member).next.conflicts_with(&facts(other).future)
                    {
                        set |= 1 << other;
                        pending.push(other);
                    }
                }
            }
            if set != everybody && !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets.sort_by_key(|set| set.count_ones());
        let numbered = |set: u64| {
            let members = (0..threads.len()).filter(|index| set >> index & 1 == 1);
            members.fold(0, |numbers, index| numbers | 1 << threads[index].0)
        };
        sets.into_iter().map(numbered).collect()
    }
}

struct Builder<'b> {
    machine: &'b Machine,
    kinds: &'b [Kind],
    words: usize,
    facts: Vec<Vec<PlaceFacts>>,
    /// Per place those from which a step leads there.
    before: Vec<Vec<Vec<Spot>>>,
}

impl Builder<'_> {
    fn edges(&self, kind: usize, place: u32) -> Vec<EdgeId> {
        let located = self.kinds[kind].inlined.locate(self.machine, place);
        located.map_or_else(Vec::new, |(_, node)| {
            self.machine.edges_from(node).collect()
        })
    }

    /// The call from which the frame of a place returns, if the place is an exit.
    fn return_at(&self, kind: usize, place: u32) -> Option<(u32, EdgeId)> {
        let inlined = &self.kinds[kind].inlined;
        let (frame, node) = inlined.locate(self.machine, place)?;
        let frame = &inlined.frames()[frame as usize];
        let is_exit = self.machine.procedure(frame.procedure).exit == node;
        frame.caller.filter(|_| is_exit)
    }

    /// The bit of a shared variable.
    fn insert(&self, set: &mut Bits, variable: Variable) {
        if let Variable::Global(id) = variable
            && self.machine.global(id).storage == Storage::Shared
        {
            set_bit(set, id.index());
        }
    }

    fn place(&self, kind: usize, place: u32) -> PlaceFacts {
        let mut next = Footprint::new(self.words);
        let mut is_turn_step = false;
        let edges = self.edges(kind, place);
        let call = self.return_at(kind, place).map(|(_, call)| call);
        for &edge in edges.iter().chain(&call) {
            each_write(self.machine, edge, |v| self.insert(&mut next.writes, v));
        }
        for &edge in &edges {
            each_read(self.machine, edge, |v| self.insert(&mut next.reads, v));
            match self.machine.edge(edge).action {
                Action::AtomicBegin | Action::AtomicEnd => is_turn_step = true,
                Action::StartThread(_) => set_bit(&mut next.writes, self.machine.globals.len()),
                _ => {}
            }
        }
        is_turn_step |= self.machine.atomic_flag.is_some_and(|flag: GlobalId| {
            next.writes[flag.index() / 64] >> (flag.index() % 64) & 1 == 1
        });
        PlaceFacts {
            future: next.clone(),
            next,
            is_turn_step,
        }
    }

    /// Finds out from where each place is reached.
    fn link(&mut self) {
        for (kind, before) in self.before.iter_mut().enumerate() {
            before.resize(self.facts[kind].len(), Vec::new());
        }
        for kind in 0..self.kinds.len() {
            for place in 1..self.facts[kind].len() as u32 {
                for (to_kind, to) in self.successors(kind, place) {
                    self.before[to_kind][to].push((kind, place as usize));
                }
            }
        }
    }

    fn successors(&self, kind: usize, place: u32) -> Vec<Spot> {
        let inlined = &self.kinds[kind].inlined;
        let Some((frame, _)) = inlined.locate(self.machine, place) else {
            return Vec::new();
        };
        let at = |frame, node| (kind, inlined.place(self.machine, frame, node) as usize);
        let mut successors = Vec::new();
        if let Some((caller, call)) = self.return_at(kind, place) {
            successors.push(at(caller, self.machine.edge(call).to));
        }
        for id in self.edges(kind, place) {
            let edge = self.machine.edge(id);
            match &edge.action {
                Action::Call { callee, .. } => {
                    let entered = inlined.callee(frame, id);
                    let entered = entered.expect("every call in a frame has a frame");
                    successors.push(at(entered, self.machine.procedure(*callee).entry));
                }
                Action::EndThread => {}
                action => {
                    successors.push(at(frame, edge.to));
                    if let Action::StartThread(start) = action {
                        successors.extend(self.started_at(start));
                    }
                }
            }
        }
        successors
    }

    /// Where a started thread begins, if there is room for one.
    fn started_at(&self, start: &ThreadStart) -> Option<Spot> {
        let node = match *start {
            ThreadStart::Node(node) => node,
            ThreadStart::Procedure { callee, .. } => self.machine.procedure(callee).entry,
        };
        let kind = self.kinds.len() - 1;
        let inlined = &self.kinds[kind].inlined;
        let root = inlined.root(self.machine.procedure_of(node))?;
        Some((kind, inlined.place(self.machine, root, node) as usize))
    }

    /// Carries futures backwards until nothing grows.
    fn spread(&mut self) {
        let mut pending: Vec<Spot> = Vec::new();
        for (kind, facts) in self.facts.iter().enumerate() {
            pending.extend((1..facts.len()).map(|place| (kind, place)));
        }
        while let Some((kind, place)) = pending.pop() {
            let future = self.facts[kind][place].future.clone();
            for &(kind, place) in &self.before[kind][place] {
                if self.facts[kind][place].future.absorb(&future) {
                    pending.push((kind, place));
                }
            }
        }
    }
}

fn set_bit(set: &mut Bits, bit: usize) {
    set[bit / 64] |= 1 << (bit % 64);
}
