//! Scopes: kinds of frames, told apart by how they come about and so by what of their entry state
//! has to be remembered.
//!
//! A procedure that is called remembers globals and parameters, because its callers want to know
//! what it makes of them. The first frame of a thread has no caller; it remembers only what other
//! threads know of it: the globals and what it was given when it was started.

use crate::bounded::encoding::columns::{Columns, Slot};
use crate::bounded::encoding::profile::ScopeId;
use hardbop_machine::{EdgeId, Machine, NodeId, ProcId, ThreadStart};
use std::collections::HashMap;

/// How a frame comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// By a call.
    Called(ProcId),
    /// It is the first frame of `init` or of one of the machine's threads: its locals are
    /// arbitrary.
    First(ProcId),
    /// It is the first frame of a thread that another has started with parameters.
    Started(ProcId),
    /// It is the first frame of a thread that began as a copy of another frame.
    Copied(NodeId),
}

/// A kind of frame.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// How it comes about.
    pub(crate) kind: Kind,
    /// Its procedure.
    pub(crate) procedure: ProcId,
    /// Where it begins.
    pub(crate) start: NodeId,
    /// The locals whose first values are given: parameters, or all that matter for a copy.
    pub(crate) given: Vec<Slot>,
}

impl Scope {
    /// Whether it is the first frame of a thread.
    pub(crate) fn is_first(&self) -> bool {
        !matches!(self.kind, Kind::Called(_))
    }
}

/// All scopes met so far.
#[derive(Default)]
pub(crate) struct Scopes {
    table: Vec<Scope>,
    ids: HashMap<Kind, ScopeId>,
}

impl Scopes {
    /// A scope.
    pub(crate) fn get(&self, id: ScopeId) -> &Scope {
        &self.table[id.0 as usize]
    }

    /// The scope of a kind.
    pub(crate) fn id(&mut self, columns: &Columns<'_>, kind: Kind) -> ScopeId {
        if let Some(&known) = self.ids.get(&kind) {
            return known;
        }
        let machine = columns.machine();
        let (procedure, start, given) = match kind {
            Kind::Called(id) | Kind::Started(id) => {
                (id, machine.procedure(id).entry, columns.parameters(id))
            }
            Kind::First(id) => (id, machine.procedure(id).entry, Vec::new()),
            Kind::Copied(node) => (machine.procedure_of(node), node, columns.live_locals(node)),
        };
        let id = ScopeId(self.table.len() as u32);
        self.table.push(Scope {
            kind,
            procedure,
            start,
            given,
        });
        self.ids.insert(kind, id);
        id
    }
}

/// The kind of the first frame of a thread that an edge starts.
pub(crate) fn started_by(machine: &Machine, edge: EdgeId) -> Option<Kind> {
    match &machine.edge(edge).action {
        hardbop_machine::Action::StartThread(ThreadStart::Node(node)) => Some(Kind::Copied(*node)),
        hardbop_machine::Action::StartThread(ThreadStart::Procedure { callee, .. }) => {
            Some(Kind::Started(*callee))
        }
        _ => None,
    }
}
