//! Procedures, nodes, edges, threads: the tables of a machine and what they mean.
//!
//! **Configurations.** The shared globals; for every running thread its own copy of the per-thread
//! globals and a stack of frames; a frame is a node and the values of the procedure's locals
//! (parameters, declared locals, results).
//!
//! **Steps.** A thread takes an edge out of the node of its top frame if there are values for the
//! edge's inputs with which `guard` holds and the action can be taken. All of guard, values and
//! arguments are evaluated in the state before the step. A `Call` stores nothing in the caller but
//! its node: the frame waits *on the edge*. At a procedure's `exit` node the only step is the
//! return: the frame is popped, the waiting call's targets get the callee's results, and the caller
//! goes on at the call edge's `to`. A thread whose last frame is popped has ended.
//!
//! **Initial configuration.** Globals with an initial value have it, all other variables are
//! arbitrary. If there is an `init` procedure, it runs alone first; when it has ended, all threads
//! of [`MachineParts::threads`] start. Locals other than parameters are arbitrary, chosen anew at each
//! call; so are the locals of a thread's first frame, parameters included.

use crate::expr::ExprArena;
use crate::ids::{EdgeId, ExprId, GlobalId, LocalId, NodeId, ProcId, Variable};
use crate::list::List;
use crate::types::Type;
use hardbop_syntax::notation::Written;
use hardbop_syntax::{Check, Claim, Notation, Source, Span, ValueNames};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// The tables of a recursive state machine.
#[derive(Clone, Debug)]
pub struct MachineParts {
    /// The text it came from.
    pub source: Source,
    /// Global variables, shared and per thread.
    pub globals: Vec<Global>,
    /// Procedures.
    pub procedures: Vec<Procedure>,
    /// Nodes of all procedures; those of one procedure are contiguous and in order of the text, the
    /// exit last.
    pub nodes: Vec<Node>,
    /// Edges of all procedures, ordered by source node.
    pub edges: Vec<Edge>,
    /// Expressions of all edges.
    pub exprs: ExprArena,
    /// Labels in order of the text and of their nodes.
    pub labels: Vec<Label>,
    /// Assertions in order of the text.
    pub assertions: Vec<Assertion>,
    /// Runs alone before the threads start.
    pub init: Option<ProcId>,
    /// The threads that run from the start (or from the end of `init`). A sequential program has
    /// one with one instance.
    pub threads: Vec<Thread>,
    /// The Getafix tool's flag: while this shared global is 1, only the thread that took the last
    /// step may take one.
    pub atomic_flag: Option<GlobalId>,
    /// The tables that [`Notation::Named`] refers to.
    pub value_names: Arc<Vec<ValueNames>>,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name as written.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether all threads share it.
    pub storage: Storage,
    /// Its initial value; arbitrary if there is none.
    pub initial: Option<u64>,
    /// How its values are written; means nothing else.
    pub notation: Notation,
    /// Its declaration.
    pub span: Span,
}

/// Who owns a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// One copy for all threads.
    Shared,
    /// One copy per running thread. A thread that another starts gets a copy of its parent's
    /// values.
    PerThread,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name; a procedure of a thread block is `thread.name`.
    pub name: String,
    /// Parameters, then declared locals, then one variable per result. Procedures that declare the
    /// same share them.
    pub locals: Arc<[Local]>,
    /// How many of the locals are parameters.
    pub parameter_count: u32,
    /// How many of the locals, at the end, are results.
    pub result_count: u32,
    /// Where it starts.
    pub entry: NodeId,
    /// Where it ends; no edge leaves it.
    pub exit: NodeId,
    /// Its nodes.
    pub nodes: Range<u32>,
    /// Its edges.
    pub edges: Range<u32>,
    /// Its text.
    pub span: Span,
}

/// A local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name as written; the results are `return`, or `return1`, `return2`, ….
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// How its values are written; means nothing else.
    pub notation: Notation,
}

/// The digest of a machine is one of everything that a trace refers to, which a notation is not.
impl Hash for Local {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, self.ty).hash(state);
    }
}

/// A place in a procedure.
#[derive(Clone, Debug)]
pub struct Node {
    /// The procedure it belongs to.
    pub procedure: ProcId,
    /// Edges that leave it.
    pub edges: Range<u32>,
    /// What it stands for.
    pub kind: NodeKind,
    /// The statement that is about to run; for an exit the closing `end`; for a failure the
    /// assertion.
    pub span: Span,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Before a statement.
    Statement,
    /// A step that a statement needs besides its own, such as initialising a local or checking
    /// `enforce` after a call.
    Internal,
    /// The end of the procedure.
    Exit,
    /// An assertion has failed; no edge leaves it.
    Failure,
    /// An index was out of range, which is an assertion that nobody has to write; no edge leaves
    /// it. Its span is the element, `a[i]`.
    OutOfRange,
}

impl NodeKind {
    /// Whether being there is an error of the program.
    pub fn is_failure(self) -> bool {
        matches!(self, NodeKind::Failure | NodeKind::OutOfRange)
    }
}

/// A step of a procedure.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: NodeId,
    /// Where it leads. For `Call` the place after the return; for `EndThread` of no meaning.
    pub to: NodeId,
    /// Taken only where this holds.
    pub guard: Option<ExprId>,
    /// What it does.
    pub action: Action,
    /// Types of the choices (`*`) on this edge; [`crate::expr::Expr::Input`] refers to them by
    /// position.
    pub inputs: List<Type>,
    /// The text it came from.
    pub span: Span,
}

/// What an edge does besides checking its guard.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing: `skip`, `goto`, a branch, an `assume`.
    Skip,
    /// Nothing, but traces show the values.
    Print(List<ExprId>),
    /// Parallel assignment, taken only where `constrain` holds between the states before and after.
    Assign {
        /// Distinct variables with their new values.
        assignments: List<(Variable, ExprId)>,
        /// Condition on the values before ([`crate::Expr::Var`]) and after ([`crate::Expr::Next`]).
        constrain: Option<ExprId>,
    },
    /// A call.
    Call {
        /// The procedure.
        callee: ProcId,
        /// One per parameter.
        arguments: List<ExprId>,
        /// One per result, distinct where there is one; `None` throws the value away.
        targets: List<Option<Variable>>,
    },
    /// Sets the result variables; leads to the exit.
    Return(List<ExprId>),
    /// Starts another thread.
    StartThread(ThreadStart),
    /// Ends the thread, whatever is on its stack.
    EndThread,
    /// From here on no other thread runs while this one can take a step.
    AtomicBegin,
    /// Ends what `AtomicBegin` began.
    AtomicEnd,
}

/// Where a started thread starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ThreadStart {
    /// At a node of the same procedure, with a copy of the current frame's locals.
    Node(NodeId),
    /// At the entry of a procedure.
    Procedure {
        /// The procedure.
        callee: ProcId,
        /// One per parameter.
        arguments: List<ExprId>,
    },
}

/// Some threads that run the same code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// Where it starts.
    pub entry: ProcId,
    /// How many run.
    pub instances: u32,
}

/// A label of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name as written.
    pub name: String,
    /// The node it names.
    pub node: NodeId,
    /// Where it stands.
    pub span: Span,
}

/// An assertion, written or that an index is in range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The node before it.
    pub node: NodeId,
    /// The node that is reached where it fails.
    pub failure: NodeId,
    /// The statement, or the element.
    pub span: Span,
    /// What it claims, where the text does not say it.
    pub claim: Option<Arc<Claim>>,
}

impl MachineParts {
    /// A procedure.
    pub fn procedure(&self, id: ProcId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// An edge.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// A global variable.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// The edges that leave a node.
    pub fn edges_from(&self, node: NodeId) -> impl Iterator<Item = EdgeId> + use<> {
        self.node(node).edges.clone().map(EdgeId)
    }

    /// The procedure of a node.
    pub fn procedure_of(&self, node: NodeId) -> ProcId {
        self.node(node).procedure
    }

    /// All procedure ids.
    pub fn procedure_ids(&self) -> impl Iterator<Item = ProcId> + use<> {
        (0..self.procedures.len() as u32).map(ProcId)
    }

    /// All node ids.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// All edge ids.
    pub fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.edges.len() as u32).map(EdgeId)
    }

    /// The type of a variable as seen from a procedure.
    pub fn type_of(&self, procedure: ProcId, variable: Variable) -> Type {
        match variable {
            Variable::Global(id) => self.global(id).ty,
            Variable::Local(id) => self.procedure(procedure).locals[id.index()].ty,
        }
    }

    /// The name of a variable as seen from a procedure.
    pub fn name_of(&self, procedure: ProcId, variable: Variable) -> &str {
        match variable {
            Variable::Global(id) => &self.global(id).name,
            Variable::Local(id) => &self.procedure(procedure).locals[id.index()].name,
        }
    }

    /// How the values of a variable are written, as seen from a procedure.
    pub fn notation_of(&self, procedure: ProcId, variable: Variable) -> Notation {
        match variable {
            Variable::Global(id) => self.global(id).notation,
            Variable::Local(id) => self.procedure(procedure).locals[id.index()].notation,
        }
    }

    /// The same, with the names of values and their width.
    pub fn written(&self, procedure: ProcId, variable: Variable) -> Written<'_> {
        let width = self.type_of(procedure, variable).width();
        let notation = self.notation_of(procedure, variable);
        notation.of_width(&self.value_names, width)
    }

    /// The assertion that has failed at a node.
    pub fn assertion_at(&self, failure: NodeId) -> Option<&Assertion> {
        if !self.node(failure).kind.is_failure() {
            return None;
        }
        // Most failures come in the order of their assertions, but nothing promises it.
        let found = self
            .assertions
            .binary_search_by_key(&failure, |a| a.failure);
        match found {
            Ok(index) => self.assertions.get(index),
            Err(_) => self.assertions.iter().find(|a| a.failure == failure),
        }
    }

    /// What the assertion is about that has failed at a node.
    pub fn check_of(&self, failure: NodeId) -> Check {
        let assertion = self.assertion_at(failure);
        let claim = assertion.and_then(|assertion| assertion.claim.as_deref());
        match (claim, self.node(failure).kind) {
            (Some(claim), _) => claim.check.clone(),
            (None, NodeKind::OutOfRange) => Check::Memory,
            (None, _) => Check::Condition,
        }
    }

    /// The text of a node; that of a failure is what it denies: the assertion, or that an index is
    /// in range.
    pub fn claim(&self, node: NodeId) -> String {
        let assertion = self.assertion_at(node);
        let claim = assertion.and_then(|assertion| assertion.claim.as_deref());
        if let Some(text) = claim.and_then(|claim| claim.text.clone()) {
            return text;
        }
        let node = self.node(node);
        let text = self.source.excerpt(node.span);
        match node.kind {
            NodeKind::OutOfRange => format!("{text}: index in range"),
            _ => text,
        }
    }

    /// Whether an edge is the step to the failure of an index. Such edges come behind those that
    /// the statement has otherwise.
    pub fn checks_index(&self, edge: EdgeId) -> bool {
        self.node(self.edge(edge).to).kind == NodeKind::OutOfRange
    }

    /// The one-based source line of a node.
    pub fn line_of(&self, node: NodeId) -> u32 {
        self.source.line(self.node(node).span.start)
    }

    /// How many threads the program declares, each with its instances. The front end limits it, but
    /// a sum of 32-bit numbers must not wrap for whoever builds a machine in another way.
    pub fn instance_count(&self) -> u64 {
        self.threads.iter().map(|t| u64::from(t.instances)).sum()
    }
}

impl Procedure {
    /// The parameters.
    pub fn parameters(&self) -> impl Iterator<Item = LocalId> + use<> {
        (0..self.parameter_count).map(LocalId)
    }

    /// The variables that hold the results at the exit.
    pub fn results(&self) -> impl Iterator<Item = LocalId> + use<> {
        let end = self.locals.len() as u32;
        (end - self.result_count..end).map(LocalId)
    }

    /// The ids of its nodes.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        self.nodes.clone().map(NodeId)
    }

    /// The ids of its edges.
    pub fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<> {
        self.edges.clone().map(EdgeId)
    }

    /// The ids of its locals.
    pub fn local_ids(&self) -> impl Iterator<Item = LocalId> + use<> {
        (0..self.locals.len() as u32).map(LocalId)
    }
}
