//! The machine: its tables, which no longer change, and what is known about them.
//!
//! [`MachineParts`] are the tables while they are built. A [`Machine`] owns finished tables and
//! computes its digest and its analyses when they are first asked for, once: everything that works
//! on the same machine shares them. Tables can only be changed through
//! [`Machine::into_parts`], which forgets what was known.

use crate::analysis::{CallGraph, Constants, Liveness, ModRef, NodeOrder};
use crate::digest;
use crate::ir::{Action, MachineParts};
use std::ops::Deref;
use std::sync::OnceLock;

/// A recursive state machine whose tables no longer change.
#[derive(Debug)]
pub struct Machine {
    parts: MachineParts,
    known: Known,
}

/// What follows from the tables, computed on first use.
#[derive(Debug, Default)]
struct Known {
    digest: OnceLock<String>,
    sequential: OnceLock<bool>,
    calls: OnceLock<CallGraph>,
    effects: OnceLock<ModRef>,
    liveness: OnceLock<Liveness>,
    order: OnceLock<NodeOrder>,
    constants: OnceLock<Constants>,
}

impl Machine {
    /// A machine with these tables.
    pub fn new(parts: MachineParts) -> Self {
        Self {
            parts,
            known: Known::default(),
        }
    }

    /// The tables, to be changed. Everything known about them is forgotten.
    pub fn into_parts(self) -> MachineParts {
        self.parts
    }

    /// The machine with changed tables.
    #[must_use]
    pub fn changed(self, change: impl FnOnce(&mut MachineParts)) -> Self {
        let mut parts = self.parts;
        change(&mut parts);
        Self::new(parts)
    }

    /// The tables.
    pub fn parts(&self) -> &MachineParts {
        &self.parts
    }

    /// The [digest](digest::of) that names the machine in evidence.
    pub fn digest(&self) -> &str {
        self.known.digest.get_or_init(|| digest::of(self))
    }

    /// Whether at most one thread ever runs and there is no `init`, so that sequential engines may
    /// take it.
    pub fn is_sequential(&self) -> bool {
        *self.known.sequential.get_or_init(|| {
            let starts = |edge: &crate::Edge| matches!(edge.action, Action::StartThread(_));
            self.init.is_none() && self.instance_count() <= 1 && !self.edges.iter().any(starts)
        })
    }

    /// The call graph.
    pub fn calls(&self) -> &CallGraph {
        self.known.calls.get_or_init(|| CallGraph::new(self))
    }

    /// The globals that each procedure reads and writes.
    pub fn effects(&self) -> &ModRef {
        let effects = &self.known.effects;
        effects.get_or_init(|| ModRef::new(self, self.calls()))
    }

    /// The live variables of each node.
    pub fn liveness(&self) -> &Liveness {
        let liveness = &self.known.liveness;
        liveness.get_or_init(|| Liveness::new(self, self.calls()))
    }

    /// The order in which searches visit the nodes.
    pub fn node_order(&self) -> &NodeOrder {
        self.known.order.get_or_init(|| NodeOrder::new(self))
    }

    /// The variables with a constant value at each node.
    pub fn constants(&self) -> &Constants {
        let constants = &self.known.constants;
        constants.get_or_init(|| Constants::new(self, self.calls(), self.effects()))
    }
}

impl From<MachineParts> for Machine {
    fn from(parts: MachineParts) -> Self {
        Self::new(parts)
    }
}

impl Deref for Machine {
    type Target = MachineParts;

    fn deref(&self) -> &MachineParts {
        &self.parts
    }
}

/// The tables are copied; the copy computes its own analyses.
impl Clone for Machine {
    fn clone(&self) -> Self {
        Self::new(self.parts.clone())
    }
}
