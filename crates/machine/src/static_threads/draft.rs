//! A machine in the making: procedures with nodes and edges of their own, which are numbered only in the end.
//!
//! The original's procedures, globals and expressions keep their ids; nodes and edges get new ones, since some are added
//! in the middle.

use super::Origin;
use crate::expr::{BinaryOp, Expr, ExprArena, UnaryOp};
use crate::ids::{EdgeId, ExprId, GlobalId, NodeId, ProcId, Variable};
use crate::ir::{
    Action, Assertion, Edge, Global, Label, Local, Machine, Node, NodeKind, Procedure, Storage,
    Thread,
};
use crate::types::Type;
use hardbop_syntax::Span;

/// A node, counted within its procedure.
pub type Place = usize;

/// The machine as it stands.
pub struct Draft<'m> {
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
    /// For nodes of the original the places that stand for them.
    pub standing: Vec<(NodeId, ProcId, Place)>,
    /// Places that are reached where one thread more would be started than there may be.
    pub overflows: Vec<(ProcId, Place)>,
}

/// A procedure.
#[derive(Clone)]
pub struct DraftProcedure {
    pub name: String,
    pub locals: Vec<Local>,
    pub parameter_count: u32,
    pub result_count: u32,
    pub entry: Place,
    pub exit: Place,
    pub nodes: Vec<(NodeKind, Span)>,
    pub edges: Vec<DraftEdge>,
    pub span: Span,
}

/// An edge between places of one procedure.
#[derive(Clone)]
pub struct DraftEdge {
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
    pub fn silent(
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
}

impl DraftProcedure {
    /// A procedure without nodes or parameters; its exit is its first node.
    pub fn empty(name: String, span: Span) -> Self {
        Self {
            name,
            locals: Vec::new(),
            parameter_count: 0,
            result_count: 0,
            entry: 0,
            exit: 0,
            nodes: vec![(NodeKind::Exit, span)],
            edges: Vec::new(),
            span,
        }
    }

    /// Adds a node.
    pub fn node(&mut self, span: Span) -> Place {
        self.nodes.push((NodeKind::Internal, span));
        self.nodes.len() - 1
    }

    fn of(machine: &Machine, id: ProcId) -> Self {
        let procedure = machine.procedure(id);
        let first = procedure.nodes.start as usize;
        let place = |node: NodeId| node.index() - first;
        let nodes = procedure.node_ids().map(|node| machine.node(node));
        let edges = procedure.edge_ids().map(|id| {
            let edge = machine.edge(id);
            let (from, to) = (place(edge.from), place(edge.to));
            DraftEdge {
                from,
                to,
                guard: edge.guard,
                action: edge.action.clone(),
                inputs: edge.inputs.clone(),
                span: edge.span,
                origin: Origin::Edge(id),
            }
        });
        Self {
            name: procedure.name.clone(),
            locals: procedure.locals.clone(),
            parameter_count: procedure.parameter_count,
            result_count: procedure.result_count,
            entry: place(procedure.entry),
            exit: place(procedure.exit),
            nodes: nodes.map(|node| (node.kind, node.span)).collect(),
            edges: edges.collect(),
            span: procedure.span,
        }
    }
}

impl<'m> Draft<'m> {
    /// The original, nothing changed.
    pub fn of(original: &'m Machine) -> Self {
        let procedures = original.procedure_ids();
        let procedures = procedures.map(|id| DraftProcedure::of(original, id));
        let mut draft = Self {
            original,
            globals: original.globals.clone(),
            exprs: original.exprs.clone(),
            procedures: procedures.collect(),
            init: original.init,
            threads: original.threads.clone(),
            flag: original.atomic_flag,
            standing: Vec::new(),
            overflows: Vec::new(),
        };
        for node in original.node_ids() {
            let (procedure, place) = draft.place_of(node);
            draft.standing.push((node, procedure, place));
        }
        draft
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

    /// A global has a value.
    pub fn is(&mut self, id: GlobalId, value: u64) -> ExprId {
        let ty = self.globals[id.index()].ty;
        let (left, right) = (self.value(id), self.constant(value, ty));
        self.exprs
            .add(Expr::Binary(BinaryOp::Equal, left, right, Type::Bool))
    }

    /// A condition does not hold.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.exprs.add(Expr::Unary(UnaryOp::Not, a))
    }

    /// Both hold.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.exprs
            .add(Expr::Binary(BinaryOp::And, a, b, Type::Bool))
    }

    /// One of them holds.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.add(Expr::Binary(BinaryOp::Or, a, b, Type::Bool))
    }

    /// A guard and one condition more.
    pub fn guarded(&mut self, guard: Option<ExprId>, condition: Option<ExprId>) -> Option<ExprId> {
        match (guard, condition) {
            (Some(a), Some(b)) => Some(self.and(a, b)),
            (one, other) => one.or(other),
        }
    }

    /// Numbers nodes and edges. Returns the machine, the origin of each edge and the nodes of all places.
    pub fn finish(self) -> (Machine, Vec<Origin>, Vec<Vec<NodeId>>) {
        let mut machine = Machine {
            globals: self.globals,
            exprs: self.exprs,
            init: self.init,
            threads: self.threads,
            atomic_flag: self.flag,
            procedures: Vec::with_capacity(self.procedures.len()),
            nodes: Vec::new(),
            edges: Vec::new(),
            ..self.original.clone()
        };
        let mut origins = Vec::new();
        let mut ids: Vec<Vec<NodeId>> = Vec::new();
        for (index, draft) in self.procedures.into_iter().enumerate() {
            ids.push(add_procedure(&mut machine, &mut origins, index, draft));
        }
        let place = |node: NodeId| {
            let procedure = self.original.procedure_of(node);
            let first = self.original.procedure(procedure).nodes.start as usize;
            ids[procedure.index()][node.index() - first]
        };
        let labels = self.original.labels.iter().map(|label| Label {
            node: place(label.node),
            ..label.clone()
        });
        let assertions = self.original.assertions.iter().map(|assertion| Assertion {
            node: place(assertion.node),
            failure: place(assertion.failure),
            ..assertion.clone()
        });
        machine.labels = labels.collect();
        machine.assertions = assertions.collect();
        (machine, origins, ids)
    }
}

/// Adds a procedure with its nodes, the exit last, and its edges in order of the nodes.
fn add_procedure(
    machine: &mut Machine,
    origins: &mut Vec<Origin>,
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
        let (kind, span) = draft.nodes[place];
        let first = machine.edges.len() as u32;
        for edge in std::mem::take(&mut leaving[place]) {
            origins.push(edge.origin);
            machine.edges.push(Edge {
                from: ids[edge.from],
                to: ids[edge.to],
                guard: edge.guard,
                action: edge.action,
                inputs: edge.inputs,
                span: edge.span,
            });
        }
        machine.nodes.push(Node {
            procedure: ProcId::new(index),
            edges: first..machine.edges.len() as u32,
            kind,
            span,
        });
    }
    machine.procedures.push(Procedure {
        name: draft.name,
        locals: draft.locals,
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

/// An edge of the original, wherever it has gone.
impl Origin {
    /// The edge, if it is one.
    pub fn edge(self) -> Option<EdgeId> {
        match self {
            Origin::Edge(id) => Some(id),
            _ => None,
        }
    }
}
