//! The manager: nodes, limits, and the one place where nodes are made.

use crate::cache::Cache;
use crate::record::Operation;
use crate::table::{Node, TERMINAL_LEVEL, Table, Vacancy};

/// A function of Boolean variables: a handle into one [`Manager`]. Equal functions have equal
/// handles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(pub(crate) u32);

impl Bdd {
    /// The constant true.
    pub const TRUE: Bdd = Bdd(0);
    /// The constant false.
    pub const FALSE: Bdd = Bdd(1);

    /// The constant.
    pub fn constant(value: bool) -> Bdd {
        if value { Bdd::TRUE } else { Bdd::FALSE }
    }

    /// Whether no assignment satisfies it.
    pub fn is_false(self) -> bool {
        self == Bdd::FALSE
    }

    /// Whether every assignment satisfies it.
    pub fn is_true(self) -> bool {
        self == Bdd::TRUE
    }

    /// Whether it is a constant.
    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    pub(crate) fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    pub(crate) fn complement_if(self, condition: bool) -> Bdd {
        Bdd(self.0 ^ u32::from(condition))
    }

    #[inline]
    pub(crate) fn regular(self) -> Bdd {
        Bdd(self.0 & !1)
    }
}

impl std::ops::Not for Bdd {
    type Output = Bdd;

    fn not(self) -> Bdd {
        Bdd(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Bdd::TRUE => write!(f, "true"),
            Bdd::FALSE => write!(f, "false"),
            Bdd(handle) => {
                let sign = if self.is_complemented() { "!" } else { "" };
                write!(f, "{sign}{}", handle >> 1)
            }
        }
    }
}

/// Why an operation was given up. Nothing is lost: the same call can be made again.
///
/// As wide as a [`Bdd`], so that the result of a step comes back in two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Exhausted {
    /// The node limit; collecting garbage may help.
    Nodes,
    /// The work limit.
    Work,
    /// The caller's interrupt.
    Interrupted,
}

/// How many nodes are made between two questions to the interrupt.
const INTERRUPT_PERIOD: u64 = 1 << 13;

/// Work and new nodes since a moment.
#[derive(Default)]
struct Recent {
    /// The work at that moment.
    start: u64,
    /// Nodes made since, as far as they outlived the next look.
    made: usize,
    /// Nodes in use at the last look.
    live: usize,
}

/// All nodes of some BDDs over variables `0, 1, …`, which are ordered by number.
pub struct Manager<'a> {
    pub(crate) table: Table,
    pub(crate) cache: Cache,
    pub(crate) plan_count: u32,
    node_limit: usize,
    /// As many nodes can be there before a table has to grow or the limit is reached.
    room: usize,
    work: u64,
    work_limit: u64,
    /// When the limits on work are looked at next.
    next_look: u64,
    /// The most nodes there were at a collection.
    peak: usize,
    /// What was done since the computed table was relieved last.
    recent: Recent,
    interrupt: Option<&'a dyn Fn() -> bool>,
    #[cfg(feature = "record")]
    pub(crate) recorder: crate::record::Recorder,
}

impl<'a> Manager<'a> {
    /// A manager that may hold this many nodes.
    pub fn new(node_limit: usize) -> Self {
        Self {
            table: Table::new(),
            cache: Cache::new(),
            plan_count: 0,
            // Handles are 32 bits wide, one of which is the complement.
            node_limit: node_limit.min(1 << 30),
            room: 0,
            work: 0,
            work_limit: u64::MAX,
            next_look: 0,
            peak: 1,
            recent: Recent::default(),
            interrupt: None,
            #[cfg(feature = "record")]
            recorder: crate::record::Recorder::default(),
        }
    }

    /// Asks `interrupt` now and then; operations end with [`Exhausted::Interrupted`] once it says
    /// true.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &'a dyn Fn() -> bool) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// Lets operations go on until [`Manager::work`] reaches this; gives the limit before.
    pub fn set_work_limit(&mut self, limit: u64) -> u64 {
        self.next_look = 0;
        std::mem::replace(&mut self.work_limit, limit)
    }

    /// Work done so far: steps that the computed table did not answer.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Nodes in use, garbage included.
    pub fn node_count(&self) -> usize {
        self.table.live()
    }

    /// The most nodes that were ever in use.
    pub fn peak(&self) -> usize {
        self.peak.max(self.table.live())
    }

    /// Before nodes are freed.
    pub(crate) fn note_peak(&mut self) {
        self.peak = self.peak();
    }

    /// The function that is true where the variable is.
    pub fn variable(&mut self, variable: u32) -> Result<Bdd, Exhausted> {
        let result = self.make(variable, Bdd::FALSE, Bdd::TRUE)?;
        self.record(&Operation::Variable(variable), result);
        Ok(result)
    }

    /// Counts one unit of work against the limits.
    #[inline]
    pub(crate) fn spend(&mut self) -> Result<(), Exhausted> {
        self.work += 1;
        if self.work >= self.next_look {
            return self.look();
        }
        Ok(())
    }

    #[cold]
    fn look(&mut self) -> Result<(), Exhausted> {
        if self.work >= self.work_limit {
            return Err(Exhausted::Work);
        }
        self.relieve_cache();
        let next_question = (self.work / INTERRUPT_PERIOD + 1) * INTERRUPT_PERIOD;
        self.next_look = next_question.min(self.work_limit);
        if self.work.is_multiple_of(INTERRUPT_PERIOD) {
            return self.ask();
        }
        Ok(())
    }

    fn relieve_cache(&mut self) {
        let live = self.table.live();
        self.recent.made += live.saturating_sub(self.recent.live);
        self.recent.live = live;
        let work = self.work - self.recent.start;
        if self.cache.relieve(work, self.recent.made) {
            self.recent = Recent {
                start: self.work,
                made: 0,
                live,
            };
        }
    }

    /// Asks the interrupt: for callers who go on for long without new work.
    pub fn ask(&self) -> Result<(), Exhausted> {
        match self.interrupt {
            Some(interrupt) if interrupt() => Err(Exhausted::Interrupted),
            _ => Ok(()),
        }
    }

    /// The function `if level then high else low`, whose operands do not depend on the level or any
    /// above it.
    #[inline]
    pub(crate) fn make(&mut self, level: u32, low: Bdd, high: Bdd) -> Result<Bdd, Exhausted> {
        debug_assert!(level < self.level(low) && level < self.level(high));
        if low == high {
            return Ok(low);
        }
        // A node's high edge is never complemented: that keeps equal functions equal handles.
        let complement = high.is_complemented();
        let (low, high) = (low.complement_if(complement), high.regular());
        let node = Node { level, low, high };
        let at = match self.table.find(node) {
            Ok(at) => at,
            Err(vacancy) => self.insert(vacancy, node)?,
        };
        Ok(Bdd(at << 1).complement_if(complement))
    }

    #[inline]
    fn insert(&mut self, mut vacancy: Vacancy, node: Node) -> Result<u32, Exhausted> {
        if self.table.live() >= self.room {
            self.make_room()?;
            if let Err(moved) = self.table.find(node) {
                vacancy = moved;
            }
        }
        Ok(self.table.insert(vacancy, node))
    }

    /// Lets tables grow with the number of nodes, up to the limit.
    #[cold]
    fn make_room(&mut self) -> Result<(), Exhausted> {
        let live = self.table.live();
        if live >= self.node_limit {
            return Err(Exhausted::Nodes);
        }
        self.cache.fit(live + 1);
        self.table.fit(live + 1);
        self.room = self
            .table
            .room()
            .min(self.cache.room())
            .min(self.node_limit);
        Ok(())
    }

    /// The variable that decides first; constants have a level below all.
    #[inline]
    pub(crate) fn level(&self, bdd: Bdd) -> u32 {
        self.table.node(bdd).level
    }

    /// The cofactors with respect to a level at or above the top of the function.
    #[inline]
    pub(crate) fn cofactors(&self, bdd: Bdd, level: u32) -> (Bdd, Bdd) {
        let node = self.table.node(bdd);
        if node.level != level {
            return (bdd, bdd);
        }
        let complement = bdd.is_complemented();
        (
            node.low.complement_if(complement),
            node.high.complement_if(complement),
        )
    }

    /// The variable a function tests first with its two cofactors; nothing for a constant.
    pub fn branch(&self, bdd: Bdd) -> Option<(u32, Bdd, Bdd)> {
        let branch = self.parts(bdd)?;
        self.record(&Operation::Low(bdd), branch.1);
        self.record(&Operation::High(bdd), branch.2);
        Some(branch)
    }

    /// The same for this crate, which gives none of the parts away.
    pub(crate) fn parts(&self, bdd: Bdd) -> Option<(u32, Bdd, Bdd)> {
        let level = self.level(bdd);
        if level == TERMINAL_LEVEL {
            return None;
        }
        let (low, high) = self.cofactors(bdd, level);
        Some((level, low, high))
    }
}
