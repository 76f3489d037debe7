//! The statements of one procedure to nodes and edges.
//!
//! `enforce e` is expanded: `e` guards every edge, an assignment must also keep `e` true of the
//! values after it, and entry and the return from a call get a step of their own that checks it.
//! Local initialisers run before all that. The edges themselves are made in [`super::steps`].

use super::arrays::Place;
use super::draft::{Draft, EXIT};
use super::expressions::{Time, Translator};
use super::steps::{Enforce, Step};
use crate::ids::{LocalId, NodeId, ProcId, Variable};
use crate::ir::{Action, Assertion, NodeKind, ThreadStart};
use hardbop_program::Program;
use hardbop_syntax::Span;
use hardbop_syntax::ast::{self, Block, Declaration, Ident, StmtId, StmtKind};

/// Builds one procedure.
pub(super) struct ProcedureLowering<'a, 't> {
    pub program: &'a Program,
    pub id: ProcId,
    pub translator: &'t mut Translator<'a>,
    pub draft: &'t mut Draft,
    pub enforce: Enforce,
}

/// A block whose statements from `index` on are left; `node` is that of the first of them, `next`
/// where the block leads.
struct Open<'a> {
    block: &'a Block,
    index: usize,
    node: NodeId,
    next: NodeId,
}

impl<'a> ProcedureLowering<'a, '_> {
    /// Builds the procedure and gives its entry.
    pub fn run(mut self) -> NodeId {
        let syntax = self.program.syntax(self.id);
        let next = self.after_body(syntax.end_span);
        let first = self.first_node(&syntax.body, next);
        let mut open = vec![Open {
            block: &syntax.body,
            index: 0,
            node: first,
            next,
        }];
        while let Some(current) = open.pop() {
            if let Some(&stmt) = current.block.stmts.get(current.index) {
                let index = current.index + 1;
                let after = self.node_at(current.block, index, current.next);
                open.push(Open {
                    node: after,
                    index,
                    ..current
                });
                self.lower_statement(stmt, current.node, after, &mut open);
            } else if !current.block.end_labels.is_empty() {
                let span = self.draft.span(current.node);
                let step = Step {
                    from: current.node,
                    to: current.next,
                    span,
                };
                self.edge(step, None, Action::Skip, Vec::new());
            }
        }
        let first = self.enforce_at_entry(syntax, first);
        self.initialise_locals(syntax, first)
    }

    /// Where the body leads: to the exit, with arbitrary results if there are any.
    fn after_body(&mut self, end: Span) -> NodeId {
        let types = super::result_types(self.program, self.id);
        if types.is_empty() {
            return EXIT;
        }
        let node = self.draft.node(NodeKind::Internal, end);
        let mut inputs = Vec::new();
        let choices = types
            .iter()
            .map(|&ty| self.translator.choice(ty, &mut inputs));
        let values = choices.collect();
        let step = Step {
            from: node,
            to: EXIT,
            span: end,
        };
        self.edge(step, None, Action::Return(values), inputs);
        node
    }

    fn first_node(&mut self, block: &Block, next: NodeId) -> NodeId {
        self.node_at(block, 0, next)
    }

    /// A node for the statement of that index, or for the end of the block.
    fn node_at(&mut self, block: &Block, index: usize, next: NodeId) -> NodeId {
        let (labels, span) = match block.stmts.get(index) {
            Some(&stmt) => {
                let stmt = self.program.ast.stmt(stmt);
                (&stmt.labels, self.span_of(stmt))
            }
            None => match block.end_labels.first() {
                Some(label) => (&block.end_labels, label.span),
                None => return next,
            },
        };
        let node = self.draft.node(NodeKind::Statement, span);
        for &Ident { name, span } in labels {
            let text = self.program.ast.text(name);
            self.draft.label(name, text, node, span);
        }
        node
    }

    /// What a node of a statement shows: of `if` and `while` only the part up to the condition.
    fn span_of(&self, stmt: &ast::Stmt) -> Span {
        match &stmt.kind {
            StmtKind::If { arms, .. } => self.up_to(stmt.span, arms[0].0),
            StmtKind::While { condition, .. } => self.up_to(stmt.span, *condition),
            _ => stmt.span,
        }
    }

    fn up_to(&self, span: Span, condition: ast::ExprId) -> Span {
        Span::new(span.start, self.program.ast.expr(condition).span.end)
    }

    fn enforce_at_entry(&mut self, syntax: &ast::Procedure, first: NodeId) -> NodeId {
        if syntax.enforce.is_none() {
            return first;
        }
        let span = syntax.enforce_span;
        let node = self.draft.node(NodeKind::Internal, span);
        let step = Step {
            from: node,
            to: first,
            span,
        };
        self.edge(step, None, Action::Skip, Vec::new());
        node
    }

    /// One step for each local with an initial value, in order.
    fn initialise_locals(&mut self, syntax: &ast::Procedure, first: NodeId) -> NodeId {
        let variables: Vec<_> = syntax.locals.iter().flat_map(|d| &d.variables).collect();
        let mut next = first;
        let parameters = syntax.parameters.len() as u32;
        let locals = syntax.locals.iter().map(Declaration::variable_count);
        let mut local = parameters + locals.sum::<u32>();
        for variable in variables.iter().rev() {
            local -= variable.variable_count();
            let Some(initial) = variable.initial else {
                continue;
            };
            // Elements are arbitrary anyway, each by itself.
            if variable.length.is_some() && self.translator.is_lone_choice(initial) {
                continue;
            }
            let span = variable.name.span.to(self.program.ast.expr(initial).span);
            let node = self.draft.node(NodeKind::Internal, span);
            let mut inputs = Vec::new();
            let value = self
                .translator
                .translate(initial, Time::Before, &mut inputs);
            let elements = local..local + variable.variable_count();
            let elements = elements.map(|id| (Variable::Local(LocalId(id)), value));
            let action = Action::Assign {
                assignments: elements.collect(),
                constrain: None,
            };
            let step = Step {
                from: node,
                to: next,
                span,
            };
            let first_edge = self.draft.edge_count();
            self.plain_edge(step, None, action, inputs);
            self.check_indexes(node, first_edge, false);
            next = node;
        }
        next
    }

    fn lower_statement(&mut self, id: StmtId, from: NodeId, to: NodeId, open: &mut Vec<Open<'a>>) {
        let program = self.program;
        let stmt = program.ast.stmt(id);
        let span = stmt.span;
        let step = Step { from, to, span };
        let mut inputs = Vec::new();
        let first_edge = self.draft.edge_count();
        match &stmt.kind {
            StmtKind::Skip => self.edge(step, None, Action::Skip, inputs),
            StmtKind::Print(values) => {
                let values = self.translate_all(values, &mut inputs);
                self.edge(step, None, Action::Print(values), inputs);
            }
            StmtKind::Assign {
                targets,
                values,
                constrain,
            } => {
                let variables = program.targets(id);
                let places: Vec<Option<Place>> = (targets.iter().zip(variables))
                    .map(|(&target, &variable)| {
                        self.translator.place(target, variable, &mut inputs)
                    })
                    .collect();
                let mut assignments = Vec::with_capacity(places.len());
                for (place, &value) in places.into_iter().zip(values) {
                    if let Some(place) = place {
                        let value = self.translator.translate(value, Time::Before, &mut inputs);
                        self.translator.write(place, value, &mut assignments);
                    }
                }
                let constrain =
                    constrain.map(|c| self.translator.translate(c, Time::Before, &mut inputs));
                self.assign(step, assignments.into(), constrain, inputs);
            }
            StmtKind::Dead { .. } => {
                let targets = program.targets(id).iter().flatten();
                let elements = targets.flat_map(|&target| self.translator.elements(target));
                let elements: Vec<Variable> = elements.collect();
                let assignments = elements
                    .into_iter()
                    .map(|target| {
                        let ty = self.variable_type(target);
                        (target, self.translator.choice(ty, &mut inputs))
                    })
                    .collect();
                self.assign(step, assignments, None, inputs);
            }
            StmtKind::Call { arguments, .. } if program.is_asynchronous(id) => {
                self.start_thread(step, program.callee(id), arguments);
            }
            StmtKind::StartThreadCall { arguments, .. } => {
                self.start_thread(step, program.callee(id), arguments);
            }
            StmtKind::Call { arguments, .. } => self.call(step, id, arguments),
            StmtKind::Return(values) => {
                let values = self.translate_all(values, &mut inputs);
                let step = Step { to: EXIT, ..step };
                self.edge(step, None, Action::Return(values), inputs);
            }
            StmtKind::If { arms, otherwise } => {
                self.branch(from, to, arms, otherwise.as_deref(), open);
            }
            StmtKind::While { condition, body } => {
                let node = self.first_node(body, from);
                self.split(from, *condition, node, to);
                open.push(Open {
                    block: body,
                    index: 0,
                    node,
                    next: from,
                });
            }
            StmtKind::Goto(labels) => {
                for label in labels {
                    let step = Step { from, to, span };
                    self.edge(step, None, Action::Skip, Vec::new());
                    self.draft.jump_to(label.name);
                }
            }
            StmtKind::Assert(condition) => {
                let failure = self.draft.node(NodeKind::Failure, span);
                self.draft.assertion(Assertion {
                    node: from,
                    failure,
                    span,
                    claim: self.program.ast.claims.get(&id).cloned(),
                });
                self.split(from, *condition, to, failure);
            }
            StmtKind::Assume { condition, .. } => {
                let guard = self.translator.condition(*condition, &mut inputs);
                self.edge(step, guard, Action::Skip, inputs);
            }
            StmtKind::AbortIf(condition) => {
                let guard = self.translator.condition(*condition, &mut inputs);
                let guard = guard.map(|guard| self.translator.not(guard));
                self.edge(step, guard, Action::Skip, inputs);
            }
            StmtKind::StartThreadAt(label) => {
                let start = ThreadStart::Node(from);
                self.edge(step, None, Action::StartThread(start), inputs);
                self.draft.jump_to(label.name);
            }
            StmtKind::EndThread => {
                let step = Step { to: EXIT, ..step };
                self.edge(step, None, Action::EndThread, inputs);
            }
            StmtKind::AtomicBegin => self.edge(step, None, Action::AtomicBegin, inputs),
            StmtKind::AtomicEnd => self.edge(step, None, Action::AtomicEnd, inputs),
            StmtKind::Error => unreachable!("a checked program has no errors"),
        }
        self.check_indexes(from, first_edge, true);
    }

    fn branch(
        &mut self,
        from: NodeId,
        to: NodeId,
        arms: &'a [(ast::ExprId, Block)],
        otherwise: Option<&'a Block>,
        open: &mut Vec<Open<'a>>,
    ) {
        let first_open = open.len();
        let mut node = from;
        for (index, (condition, block)) in arms.iter().enumerate() {
            let yes = self.first_node(block, to);
            open.push(Open {
                block,
                index: 0,
                node: yes,
                next: to,
            });
            let no = match (arms.get(index + 1), otherwise) {
                (Some(&(next, _)), _) => {
                    let span = self.program.ast.expr(next).span;
                    self.draft.node(NodeKind::Statement, span)
                }
                (None, Some(block)) => {
                    let no = self.first_node(block, to);
                    open.push(Open {
                        block,
                        index: 0,
                        node: no,
                        next: to,
                    });
                    no
                }
                (None, None) => to,
            };
            self.split(node, *condition, yes, no);
            node = no;
        }
        // The stack gives back the last block first; assertions are wanted in order of the text.
        open[first_open..].reverse();
    }
}
