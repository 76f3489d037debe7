//! Evidence that targets cannot be reached: an inductive invariant of the machine, with one
//! versioned JSON form.
//!
//! Every node carries formulas over bits of variables; what they mean depends on the [`Direction`].
//!
//! **Forward** (Bebop's path edges, section 3.1). The relation of a node holds between the state in
//! which the procedure was entered (`entry`) and the current one (`now`). Whoever accepts it
//! checks: initial states are inside; every edge leads from inside to inside; the state that a call
//! makes is inside the callee's entry relation, with entry and current state equal; a call followed
//! by the callee's summary leads inside; the relation at every target is empty. The summary of a
//! procedure *is* the relation at its exit.
//!
//! **Backward** (weakest preconditions, Leino, section 3, with procedures). The relation of a node
//! speaks of `now` only and holds wherever a target can be reached before the procedure returns;
//! `to_exit` holds between `now` and the state at the `exit` of the same invocation for those exit
//! states that some caller cares about. It is checked the other way round: from the end of every
//! edge to its start; no initial state may be inside.
//!
//! **Interleaved** (for threads without recursion, [`hardbop_machine::inlined`]). A relation
//! belongs to a [`Turn`] and holds of whole configurations: the shared globals, and of every thread
//! its place and its variables.
//!
//! **Stacks** (for threads with or without recursion). A [`ViewRelation`] holds of the shared
//! globals and of the top frames of a few threads; a [`CallerRelation`] says to which waiting frames
//! a procedure may return.
//!
//! **Unrolled** (bounded model checking whose bounds suffice). There are no formulas, only
//! [`UnrollingBounds`]: no run takes a loop or a recursion further than its bound before it reaches
//! a target, and none that keeps to the bounds reaches one.
//!
//! `docs/certificates.md` lists the conditions one by one; the checker's own modules argue that
//! they suffice.

use crate::target::Target;
use hardbop_machine::{EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Variable};
use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// "This thread cannot step", which steps beside an atomic block depend on, speaks of all choices of
/// the thread. Up to this many bits of them are tried one by one; where there are more, a checker
/// takes it that the thread may be unable to step.
pub const MOST_CHOICE_BITS: u32 = 8;

/// An inductive invariant that excludes some targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Version of this form.
    #[serde(rename = "hardbop-certificate")]
    pub version: u32,
    /// [Digest](hardbop_machine::Machine::digest) of the machine.
    pub program: String,
    /// How the formulas are meant.
    #[serde(default)]
    pub direction: Direction,
    /// The safety property that it is about, as it was asked, if the machine is the product of the
    /// program with the property's automaton. A judge makes that product itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The targets that it excludes.
    pub targets: Vec<Target>,
    /// All formulas; operands before their users.
    pub formulas: Vec<Formula>,
    /// The relations, in order of the nodes, each node at most once. A node that is not listed has
    /// empty relations: forward, it is never reached; backward, no target is reached from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeRelation>,
    /// Interleaved only: the relations by turn, each turn at most once. A turn that is not listed
    /// never comes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnRelation>,
    /// Stacks only: the relations of few threads, in order, each list of threads at most once. A
    /// list that is missing has the empty relation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<ViewRelation>,
    /// Stacks only: who waits for a procedure to return, in order. A call that is missing has no
    /// waiting frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<CallerRelation>,
    /// Unrolled only: how far the machine is unrolled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<UnrollingBounds>,
}

impl Certificate {
    /// A certificate of a sequential machine that bounds its loops and its recursion.
    pub fn unrolled(machine: &Machine, targets: Vec<Target>, bounds: UnrollingBounds) -> Self {
        let mut certificate = Self::new(
            machine,
            Direction::Unrolled,
            targets,
            Vec::new(),
            Vec::new(),
        );
        certificate.bounds = Some(bounds);
        certificate
    }

    /// A certificate of a sequential machine. The relations are put in order.
    pub fn new(
        machine: &Machine,
        direction: Direction,
        targets: Vec<Target>,
        formulas: Vec<Formula>,
        mut nodes: Vec<NodeRelation>,
    ) -> Self {
        nodes.sort_by_key(|relation| relation.node);
        Self {
            version: VERSION,
            program: machine.digest().to_owned(),
            direction,
            property: None,
            targets,
            formulas,
            nodes,
            turns: Vec::new(),
            views: Vec::new(),
            callers: Vec::new(),
            bounds: None,
        }
    }
}

/// How the formulas of a certificate are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the initial states: what can be reached.
    #[default]
    Forward,
    /// From the targets: where they can be reached from.
    Backward,
    /// From the initial states of a concurrent program, over whole configurations.
    Interleaved,
    /// From the initial states of a concurrent program, over the top frames of few threads.
    Stacks,
    /// From the initial states, along all runs: how far loops and recursion go.
    Unrolled,
}

/// How often loops are repeated and how deep procedures nest, at most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnrollingBounds {
    /// The loops, each at most once. A cyclic component of a procedure's graph is the loop of the
    /// node in it that is listed first; the loops inside are the cyclic components of what is left
    /// without that node.
    pub loops: Vec<LoopBound>,
    /// Procedures that may call themselves, each at most once. One that is not listed is on the
    /// stack at most once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<NestingBound>,
}

/// How often a loop is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopBound {
    /// The node in which all its cycles meet.
    pub head: NodeId,
    /// One-based source line, for readers; it is not checked.
    pub line: u32,
    /// Between entering the loop and leaving it, a run returns to the head at most this often.
    pub repetitions: u32,
}

/// How deep calls of a procedure nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NestingBound {
    /// The procedure.
    pub procedure: ProcId,
    /// It is on the stack at most this often.
    pub frames: u32,
}

/// The states in which a node may be reached, or from which a target may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRelation {
    /// The procedure of the node, so that the relation can be read on its own.
    pub procedure: ProcId,
    /// The node.
    pub node: NodeId,
    /// One-based source line, for readers; it is not checked.
    pub line: u32,
    /// Index into [`Certificate::formulas`]. Forward: over [`Formula::Entry`] and [`Formula::Now`],
    /// a superset of the pairs with which the node is reached. Backward: over [`Formula::Now`], a
    /// superset of the states from which a target can be reached without leaving this invocation of
    /// the procedure.
    pub relation: u32,
    /// Backward only; index into [`Certificate::formulas`]: over [`Formula::Now`] and
    /// [`Formula::Exit`], a superset of the pairs of a state and a demanded exit state that the
    /// invocation can end in. Empty if there is none.
    ///
    /// At the exit node it says which exit states are demanded: those for which it holds with `now`
    /// and `exit` equal. There it should hold for no other pairs: whatever it holds for is carried
    /// back along the edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_exit: Option<u32>,
}

impl NodeRelation {
    /// The relation of a node.
    pub fn new(machine: &Machine, node: NodeId, relation: u32) -> Self {
        Self {
            procedure: machine.procedure_of(node),
            node,
            line: machine.line_of(node),
            relation,
            to_exit: None,
        }
    }
}

/// The configurations in which a thread may have the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRelation {
    /// Whose turn it is, and what else is known then.
    #[serde(flatten)]
    pub turn: Turn,
    /// Index into [`Certificate::formulas`]: over [`Formula::Now`] of shared globals and
    /// [`Formula::Thread`], a superset of the configurations in which that thread may take the next
    /// step, if it can take one.
    pub relation: u32,
}

/// Whose turn it is. Threads are numbered in order of their start, as in
/// [`crate::trace::Trace::threads`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Turn {
    /// The thread that takes the next step.
    pub thread: u32,
    /// How many threads have been started.
    pub started: u32,
    /// The threads inside atomic blocks; the one that stepped most recently is last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub atomic: Vec<u32>,
}

/// What is known of some threads together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewRelation {
    /// Which threads.
    #[serde(flatten)]
    pub view: View,
    /// Index into [`Certificate::formulas`]: over [`Formula::Now`] of shared globals and
    /// [`Formula::Thread`], a superset of what can be seen of any threads with these entries. Thread
    /// `i` of the formula is one that starts in the `i`th procedure of the view.
    pub relation: u32,
}

/// Some threads by the procedures in which they start.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct View {
    /// The procedures, in ascending order; one that several threads start in comes several times.
    pub threads: Vec<ProcId>,
    /// Whether this is `init`, before any thread has started.
    #[serde(default, skip_serializing_if = "is_false")]
    pub init: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Which frames may wait for a call to return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerRelation {
    /// The call on which they wait, and on whose stack.
    #[serde(flatten)]
    pub waiting: Waiting,
    /// Index into [`Certificate::formulas`], over [`Formula::Thread`]: thread 0 is the frame that
    /// was called, of which only [`ThreadPart::Entry`] and [`ThreadPart::Caller`] are known; thread 1
    /// is the frame that waits, with these and its [`ThreadPart::Local`].
    pub relation: u32,
}

/// A call on the stack of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Waiting {
    /// The procedure in which the thread starts.
    pub thread: ProcId,
    /// Whether the thread is `init`, before any other has started.
    #[serde(default, skip_serializing_if = "is_false")]
    pub init: bool,
    /// The edge of the call.
    pub call: EdgeId,
}

/// A formula over the bits of variables. Operands are indices of earlier formulas.
///
/// A global that a procedure, with everything it calls, never assigns has one value from entry to
/// exit. So in its formulas `entry`, `now` and `exit` of such a global are the same bit, and a
/// formula may name whichever is at hand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Formula {
    /// A constant.
    Constant(bool),
    /// A bit of a variable at the procedure's entry: of a global, or of a local, for one that is no
    /// parameter its arbitrary first value. Forward only.
    Entry(Bit),
    /// A bit of a variable now.
    Now(Bit),
    /// A bit of a global or a result at the exit of this invocation. Backward only, in `to_exit`.
    Exit(Bit),
    /// A bit that belongs to one thread. Interleaved and stacks only.
    Thread(ThreadBit),
    /// Negation.
    Not(u32),
    /// Conjunction; true if empty.
    And(Vec<u32>),
    /// Disjunction; false if empty.
    Or(Vec<u32>),
    /// `if c then a else b`.
    Ite(u32, u32, u32),
}

/// One bit of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bit {
    /// The variable, as seen from the procedure.
    pub variable: Variable,
    /// Its bit, the lowest is 0.
    pub bit: u32,
}

/// A bit of one thread's part of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadBit {
    /// The number of the thread.
    pub thread: u32,
    /// What the bit is part of.
    pub part: ThreadPart,
    /// The bit, the lowest is 0.
    pub bit: u32,
}

/// Parts of a thread's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThreadPart {
    /// Its place, 0 if it has ended. Interleaved: a number of
    /// [`hardbop_machine::inlined::Inlined`]. Stacks: one more than the node of its top frame.
    Place,
    /// Its own copy of a per-thread global.
    Own(GlobalId),
    /// The row of the locals on its stack, as [`hardbop_machine::inlined::Inlined`] lays them out.
    /// Interleaved only.
    Row,
    /// A local of its top frame. This and what follows is for stacks only.
    Local(LocalId),
    /// A variable when the procedure of its top frame was entered.
    Entry(Variable),
    /// The node at which the caller of its top frame waits, plus one; 0 if there is none.
    Caller,
    /// Whether it is inside an atomic block; a single bit.
    Inside,
    /// Whether of the threads inside atomic blocks it stepped most recently; a single bit.
    Last,
    /// Whether it may step although [`hardbop_machine::MachineParts::atomic_flag`] is 1: it took the
    /// last step, or there was none. A single bit.
    Stepped,
}
