//! Builds small machines for unit tests, edge by edge, so that analyses can be tested apart from
//! lowering.

use crate::ids::{ExprId, GlobalId, NodeId, ProcId, Variable};
use crate::ir::MachineParts;
use crate::ir::{Action, Edge, Global, Local, Node, NodeKind, Procedure, Storage, Thread};
use crate::machine::Machine;
use crate::{BinaryOp, Expr, ExprArena, Type, UnaryOp};
use hardbop_syntax::{Source, Span};

/// Collects the parts of a machine.
pub(crate) struct Builder {
    machine: MachineParts,
}

/// A procedure in the making: its nodes are numbered from 0, the last is the exit.
#[derive(Clone, Copy)]
pub(crate) struct Body {
    pub id: ProcId,
    first: u32,
    count: u32,
}

impl Body {
    /// Node `index` of the procedure.
    pub fn at(self, index: u32) -> NodeId {
        assert!(index < self.count);
        NodeId(self.first + index)
    }

    /// The exit.
    pub fn exit(self) -> NodeId {
        NodeId(self.first + self.count - 1)
    }
}

/// A parallel assignment.
pub(crate) fn assign(assignments: &[(Variable, ExprId)]) -> Action {
    Action::Assign {
        assignments: assignments.to_vec().into(),
        constrain: None,
    }
}

/// A call without results.
pub(crate) fn call(callee: ProcId, arguments: &[ExprId], targets: &[Option<Variable>]) -> Action {
    Action::Call {
        callee,
        arguments: arguments.to_vec().into(),
        targets: targets.to_vec().into(),
    }
}

impl Builder {
    pub fn new() -> Self {
        Self {
            machine: MachineParts {
                source: Source::new("test.bp", ""),
                globals: Vec::new(),
                procedures: Vec::new(),
                nodes: Vec::new(),
                edges: Vec::new(),
                exprs: ExprArena::default(),
                labels: Vec::new(),
                assertions: Vec::new(),
                init: None,
                threads: Vec::new(),
                atomic_flag: None,
                value_names: std::sync::Arc::default(),
            },
        }
    }

    /// A shared Boolean global.
    pub fn global(&mut self, name: &str, initial: Option<u64>) -> Variable {
        self.machine.globals.push(Global {
            name: name.to_owned(),
            ty: Type::Bool,
            storage: Storage::Shared,
            initial,
            notation: hardbop_syntax::Notation::default(),
            span: Span::default(),
        });
        Variable::Global(GlobalId::new(self.machine.globals.len() - 1))
    }

    /// A procedure with Boolean locals and `nodes` nodes.
    pub fn procedure(
        &mut self,
        name: &str,
        parameters: &[&str],
        locals: &[&str],
        results: u32,
        nodes: u32,
    ) -> Body {
        let id = ProcId::new(self.machine.procedures.len());
        let first = self.machine.nodes.len() as u32;
        let result_names = (0..results).map(|i| format!("return{i}"));
        let names = parameters.iter().chain(locals).map(ToString::to_string);
        self.machine.procedures.push(Procedure {
            name: name.to_owned(),
            locals: names
                .chain(result_names)
                .map(|name| Local {
                    name,
                    ty: Type::Bool,
                    notation: hardbop_syntax::Notation::default(),
                })
                .collect(),
            parameter_count: parameters.len() as u32,
            result_count: results,
            entry: NodeId(first),
            exit: NodeId(first + nodes - 1),
            nodes: first..first + nodes,
            edges: 0..0,
            span: Span::default(),
        });
        let kinds = (1..nodes).map(|_| NodeKind::Statement);
        self.machine
            .nodes
            .extend(kinds.chain([NodeKind::Exit]).map(|kind| Node {
                procedure: id,
                edges: 0..0,
                kind,
                span: Span::default(),
            }));
        Body {
            id,
            first,
            count: nodes,
        }
    }

    pub fn expr(&mut self, expr: Expr) -> ExprId {
        self.machine.exprs.add(expr)
    }

    pub fn constant(&mut self, value: u64) -> ExprId {
        self.expr(Expr::Const(value, Type::Bool))
    }

    pub fn var(&mut self, variable: Variable) -> ExprId {
        self.expr(Expr::Var(variable, Type::Bool))
    }

    pub fn not(&mut self, operand: ExprId) -> ExprId {
        self.expr(Expr::Unary(UnaryOp::Not, operand))
    }

    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.expr(Expr::Binary(op, a, b, Type::Bool))
    }

    pub fn edge(&mut self, from: NodeId, to: NodeId, guard: Option<ExprId>, action: Action) {
        self.machine.edges.push(Edge {
            from,
            to,
            guard,
            action,
            inputs: crate::List::default(),
            span: Span::default(),
        });
    }

    /// The same with Boolean choices on the edge.
    pub(crate) fn edge_with_inputs(
        &mut self,
        from: NodeId,
        to: NodeId,
        inputs: usize,
        action: Action,
    ) {
        self.edge(from, to, None, action);
        let edge = self.machine.edges.last_mut().expect("just pushed");
        edge.inputs = vec![Type::Bool; inputs].into();
    }

    /// The machine with one thread that starts in `main`.
    pub fn finish(mut self, main: ProcId) -> Machine {
        let machine = &mut self.machine;
        machine.edges.sort_by_key(|edge| edge.from);
        let position = |node: u32| machine.edges.partition_point(|edge| edge.from.0 < node) as u32;
        for (index, node) in machine.nodes.iter_mut().enumerate() {
            node.edges = position(index as u32)..position(index as u32 + 1);
        }
        for procedure in &mut machine.procedures {
            procedure.edges = position(procedure.nodes.start)..position(procedure.nodes.end);
        }
        machine.threads.push(Thread {
            name: "main".to_owned(),
            entry: main,
            instances: 1,
        });
        Machine::new(self.machine)
    }
}
