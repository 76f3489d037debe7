//! A machine in the making: procedures with nodes and edges of their own, which are numbered only
//! in the end.
//!
//! Every transform that adds or removes nodes or edges works on a [`Draft`]. The original's
//! globals, locals, procedures and expressions keep their ids; nodes and edges get new ones. Each
//! node says which node of the original it stands for, and each edge which step it is ([`Origin`]);
//! numbered, these are the [`Correspondence`] by which runs find their way back.

use crate::correspondence::{Correspondence, Origin};
use hardbop_machine::ir::{Assertion, Label, NodeKind};
use hardbop_machine::{
    Action, BinaryOp, Edge, Expr, ExprArena, ExprId, Global, GlobalId, Local, Machine,
    MachineParts, Node, NodeId, ProcId, Procedure, Storage, Thread, ThreadStart, Type, UnaryOp,
    Variable,
};
use hardbop_syntax::{Notation, Span};
use std::sync::Arc;

/// A node, counted within its procedure.
pub(crate) type Place = usize;

/// The machine as it stands.
pub(crate) struct Draft<'m> {
    /// Where it comes from.
    pub original: &'m Machine,
    /// Globals; those of the original come first.
    pub globals: Vec<Global>,
    /// Expressions; those of the original come first.
    pub exprs: ExprArena,
    /// Procedures; those of the original come first.
    pub procedures: Vec<DraftProcedure>,
    /// What runs before the threads.
    pub init: Option<ProcId>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The flag that keeps other threads out.
    pub flag: Option<GlobalId>,
}

/// A procedure.
#[derive(Clone)]
pub(crate) struct DraftProcedure {
    pub name: String,
    /// The procedure of the original that it is, or is a copy of.
    pub original: Option<ProcId>,
    pub locals: Vec<Local>,
    pub parameter_count: u32,
    pub result_count: u32,
    pub entry: Place,
    pub exit: Place,
    pub nodes: Vec<DraftNode>,
    pub edges: Vec<DraftEdge>,
    pub span: Span,
}

/// A node.
#[derive(Clone)]
pub(crate) struct DraftNode {
    pub kind: NodeKind,
    pub span: Span,
    /// The node of the original that is reached where this one is.
    pub stands_for: Option<NodeId>,
}

/// An edge between places of one procedure.
#[derive(Clone)]
pub(crate) struct DraftEdge {
    pub from: Place,
    pub to: Place,
    pub guard: Option<ExprId>,
    pub action: Action,
    pub inputs: Vec<Type>,
    pub span: Span,
    pub origin: Origin,
}

impl DraftEdge {
    /// An edge of no step of the original.
    pub(crate) fn silent(
        from: Place,
        to: Place,
        guard: Option<ExprId>,
        action: Action,
        span: Span,
    ) -> Self {
        Self {
            from,
            to,
            guard,
            action,
            inputs: Vec::new(),
            span,
            origin: Origin::Nothing,
        }
    }

    /// An edge of the original between other places.
    pub fn of(machine: &Machine, id: hardbop_machine::EdgeId, from: Place, to: Place) -> Self {
        let edge = machine.edge(id);
        Self {
            from,
            to,
            guard: edge.guard,
            action: edge.action.clone(),
            inputs: edge.inputs.to_vec(),
            span: edge.span,
            origin: Origin::Edge(id),
        }
    }
}

/// Assignments that are made together, under no further condition.
pub(crate) fn assign(assignments: Vec<(Variable, ExprId)>) -> Action {
    Action::Assign {
        assignments: assignments.into(),
        constrain: None,
    }
}

impl DraftProcedure {
    /// A procedure without nodes or parameters; its exit is its first node.
    pub fn empty(name: String, span: Span) -> Self {
        let exit = DraftNode {
            kind: NodeKind::Exit,
            span,
            stands_for: None,
        };
        Self {
            name,
            original: None,
            locals: Vec::new(),
            parameter_count: 0,
            result_count: 0,
            entry: 0,
            exit: 0,
            nodes: vec![exit],
            edges: Vec::new(),
            span,
        }
    }

    /// A procedure with the variables of one of the original, but only an exit.
    pub(crate) fn with_interface_of(machine: &Machine, id: ProcId) -> Self {
        let procedure = machine.procedure(id);
        Self {
            original: Some(id),
            locals: procedure.locals.to_vec(),
            parameter_count: procedure.parameter_count,
            result_count: procedure.result_count,
            ..Self::empty(procedure.name.clone(), procedure.span)
        }
    }

    /// Adds a node.
    pub fn node(&mut self, span: Span) -> Place {
        self.nodes.push(DraftNode {
            kind: NodeKind::Internal,
            span,
            stands_for: None,
        });
        self.nodes.len() - 1
    }

    fn of(machine: &Machine, id: ProcId) -> Self {
        let procedure = machine.procedure(id);
        let place = |node: NodeId| node.index() - procedure.nodes.start as usize;
        let nodes = procedure.node_ids().map(|id| DraftNode {
            kind: machine.node(id).kind,
            span: machine.node(id).span,
            stands_for: Some(id),
        });
        let edges = procedure.edge_ids().map(|id| {
            let edge = machine.edge(id);
            DraftEdge::of(machine, id, place(edge.from), place(edge.to))
        });
        Self {
            entry: place(procedure.entry),
            exit: place(procedure.exit),
            nodes: nodes.collect(),
            edges: edges.collect(),
            ..Self::with_interface_of(machine, id)
        }
    }
}

impl<'m> Draft<'m> {
    /// The original, nothing changed.
    pub fn of(original: &'m Machine) -> Self {
        let procedures = original.procedure_ids();
        let procedures = procedures.map(|id| DraftProcedure::of(original, id));
        Self {
            procedures: procedures.collect(),
            ..Self::without_procedures(original)
        }
    }

    /// The original, but for its procedures.
    pub(crate) fn without_procedures(original: &'m Machine) -> Self {
        Self {
            original,
            globals: original.globals.clone(),
            exprs: original.exprs.clone(),
            procedures: Vec::new(),
            init: original.init,
            threads: original.threads.clone(),
            flag: original.atomic_flag,
        }
    }

    /// Where a node of the original is.
    pub fn place_of(&self, node: NodeId) -> (ProcId, Place) {
        let procedure = self.original.procedure_of(node);
        let first = self.original.procedure(procedure).nodes.start as usize;
        (procedure, node.index() - first)
    }

    /// Adds a procedure.
    pub fn procedure(&mut self, procedure: DraftProcedure) -> ProcId {
        self.procedures.push(procedure);
        ProcId::new(self.procedures.len() - 1)
    }

    /// Adds a global that is 0 at the start.
    pub fn global(&mut self, name: String, ty: Type, storage: Storage) -> GlobalId {
        self.globals.push(Global {
            name,
            ty,
            storage,
            initial: Some(0),
            notation: Notation::default(),
            span: Span::default(),
        });
        GlobalId::new(self.globals.len() - 1)
    }

    /// The value of a global.
    pub fn value(&mut self, id: GlobalId) -> ExprId {
        let ty = self.globals[id.index()].ty;
        self.exprs.add(Expr::Var(Variable::Global(id), ty))
    }

    /// A constant.
    pub fn constant(&mut self, value: u64, ty: Type) -> ExprId {
        self.exprs.add(Expr::Const(value, ty))
    }

    /// The assignment of a constant to a global.
    pub fn set(&mut self, id: GlobalId, value: u64) -> (Variable, ExprId) {
        let value = self.constant(value, self.globals[id.index()].ty);
        (Variable::Global(id), value)
    }

    /// A comparison of a global with a constant.
    pub fn compared(&mut self, id: GlobalId, op: BinaryOp, value: u64) -> ExprId {
        let ty = self.globals[id.index()].ty;
        let (left, right) = (self.value(id), self.constant(value, ty));
        self.binary(op, left, right)
    }

    /// A global has a value.
    pub fn is(&mut self, id: GlobalId, value: u64) -> ExprId {
        self.compared(id, BinaryOp::Equal, value)
    }

    /// A condition does not hold.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.exprs.add(Expr::Unary(UnaryOp::Not, a))
    }

    /// Both hold.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::And, a, b)
    }

    /// One of them holds.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Or, a, b)
    }

    /// A comparison or a connective.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.add(Expr::Binary(op, a, b, Type::Bool))
    }

    /// A guard and one condition more.
    pub fn guarded(&mut self, guard: Option<ExprId>, condition: Option<ExprId>) -> Option<ExprId> {
        match (guard, condition) {
            (Some(a), Some(b)) => Some(self.and(a, b)),
            (one, other) => one.or(other),
        }
    }

    /// Numbers nodes and edges. Also gives the node of every place, by procedure.
    ///
    /// Labels and assertions stay with the nodes of the original, and so do the starts of threads.
    pub fn finish(self) -> (Machine, Correspondence, Vec<Vec<NodeId>>) {
        let mut machine = MachineParts {
            globals: self.globals,
            exprs: self.exprs,
            init: self.init,
            threads: self.threads,
            atomic_flag: self.flag,
            value_names: Arc::clone(&self.original.value_names),
            procedures: Vec::with_capacity(self.procedures.len()),
            nodes: Vec::with_capacity(self.original.nodes.len()),
            edges: Vec::with_capacity(self.original.edges.len()),
            source: self.original.source.clone(),
            labels: Vec::new(),
            assertions: Vec::new(),
        };
        let mut back = Correspondence::default();
        let mut ids: Vec<Vec<NodeId>> = Vec::new();
        for (index, draft) in self.procedures.into_iter().enumerate() {
            ids.push(add_procedure(&mut machine, &mut back, index, draft));
        }
        let back = back.with_standing(self.original.nodes.len());
        // Other places may stand for the node as well; this one is it.
        let is_it = |node: NodeId, new: NodeId| {
            let (old, new) = (self.original.node(node), machine.node(new));
            (old.procedure, old.kind) == (new.procedure, new.kind)
        };
        let place = |node: NodeId| {
            let mut standing = back.standing_for(node).iter().copied();
            standing.find(|&new| is_it(node, new))
        };
        let labels = self.original.labels.iter().filter_map(|label| {
            let node = place(label.node)?;
            let label = label.clone();
            Some(Label { node, ..label })
        });
        let assertions = self.original.assertions.iter().filter_map(|assertion| {
            let assertion = assertion.clone();
            Some(Assertion {
                node: place(assertion.node)?,
                failure: place(assertion.failure)?,
                ..assertion
            })
        });
        let (labels, assertions) = (labels.collect(), assertions.collect());
        let starts = machine.edges.iter().enumerate();
        let starts = starts.filter_map(|(index, edge)| match edge.action {
            Action::StartThread(ThreadStart::Node(node)) => Some((index, place(node)?)),
            _ => None,
        });
        for (index, node) in starts.collect::<Vec<_>>() {
            machine.edges[index].action = Action::StartThread(ThreadStart::Node(node));
        }
        (machine.labels, machine.assertions) = (labels, assertions);
        (Machine::new(machine), back, ids)
    }
}

/// Adds a procedure with its nodes, the exit last, and its edges in order of the nodes.
fn add_procedure(
    machine: &mut MachineParts,
    back: &mut Correspondence,
    index: usize,
    draft: DraftProcedure,
) -> Vec<NodeId> {
    let (first_node, first_edge) = (machine.nodes.len() as u32, machine.edges.len() as u32);
    let places = 0..draft.nodes.len();
    let order = places.clone().filter(|&place| place != draft.exit);
    let order: Vec<Place> = order.chain([draft.exit]).collect();
    let mut ids = vec![NodeId(0); draft.nodes.len()];
    for (number, &place) in (first_node..).zip(&order) {
        ids[place] = NodeId(number);
    }
    let mut leaving: Vec<Vec<DraftEdge>> = vec![Vec::new(); draft.nodes.len()];
    for edge in draft.edges {
        leaving[edge.from].push(edge);
    }
    for &place in &order {
        let node = &draft.nodes[place];
        let first = machine.edges.len() as u32;
        for edge in std::mem::take(&mut leaving[place]) {
            back.edges.push(edge.origin);
            machine.edges.push(Edge {
                from: ids[edge.from],
                to: ids[edge.to],
                guard: edge.guard,
                action: edge.action,
                inputs: edge.inputs.into(),
                span: edge.span,
            });
        }
        back.nodes.push(node.stands_for);
        machine.nodes.push(Node {
            procedure: ProcId::new(index),
            edges: first..machine.edges.len() as u32,
            kind: node.kind,
            span: node.span,
        });
    }
    back.procedures.push(draft.original);
    machine.procedures.push(Procedure {
        name: draft.name,
        locals: draft.locals.into(),
        parameter_count: draft.parameter_count,
        result_count: draft.result_count,
        entry: ids[draft.entry],
        exit: ids[draft.exit],
        nodes: first_node..machine.nodes.len() as u32,
        edges: first_edge..machine.edges.len() as u32,
        span: draft.span,
    });
    ids
}
