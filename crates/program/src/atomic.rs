//! Warns where `atomic_begin` and `atomic_end` do not match on some way through the program.
//!
//! Blocks may begin in one procedure and end in another, and they do not nest, so what matters is
//! whether a thread is inside of one: a flow analysis with one bit of state. It is the summary
//! algorithm in small: for each statement, in which states a procedure can be there if it is
//! entered outside, entered inside, or if a thread starts in the middle of it; calls go by what the
//! callee's end says. Each fact is found once, so the cost is linear. Conditions other than
//! constants are not looked at; so there are warnings only, and only in a program that has both
//! words (without one of them it is an error).

use crate::checker::Checker;
use crate::endings::constant;
use crate::ids::ProcId;
use crate::program::is_async_label;
use hardbop_syntax::ast::{Block, Ident, StmtId, StmtKind, Symbol};
use hardbop_syntax::{Diagnostic, Span, codes};
use std::collections::BTreeMap;

/// A statement by its number; behind all statements the ends of the procedures.
type Node = usize;

/// How a procedure was entered.
const ORIGINS: usize = 3;
const ENTERED_OUTSIDE: usize = 0;
const ENTERED_INSIDE: usize = 1;
const STARTED_IN_THE_MIDDLE: usize = 2;

/// The states in which a thread may be somewhere.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct States {
    outside: bool,
    inside: bool,
}

impl States {
    const OUTSIDE: Self = Self {
        outside: true,
        inside: false,
    };
    const INSIDE: Self = Self {
        outside: false,
        inside: true,
    };

    fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Whether there were some to add.
    fn add(&mut self, other: Self) -> bool {
        let before = *self;
        self.outside |= other.outside;
        self.inside |= other.inside;
        *self != before
    }
}

/// States by how the procedure was entered.
type Facts = [States; ORIGINS];

/// The ways through all procedures.
#[derive(Default)]
struct Flow {
    /// Where each procedure begins.
    entries: Vec<Node>,
    /// By node: where it leads; calls lead there after the callee's end.
    next: Vec<Vec<Node>>,
    /// By procedure: the statements in it that call, with their callees.
    calls: Vec<Vec<(Node, ProcId)>>,
    /// By procedure: the statements that call it.
    callers: Vec<Vec<Node>>,
    /// By statement: the procedure that it calls and waits for.
    callees: Vec<Option<ProcId>>,
    /// Procedures in which threads start, sorted.
    first_procedures: Vec<ProcId>,
    /// Statements in the middle of procedures at which threads start.
    started: Vec<Node>,
    /// The statements of each procedure.
    members: Vec<Vec<Node>>,
}

impl Checker<'_> {
    /// Warns about atomic blocks that may end without having begun, and about threads that may end
    /// inside of one.
    pub fn warn_about_atomic_blocks(&mut self) {
        let flow = self.flow();
        let facts = self.atomic_states(&flow);
        let entered = entered(&flow, &facts);
        for (index, members) in flow.members.iter().enumerate() {
            for &node in members {
                let states = joined(facts[node], entered[index]);
                let stmt = &self.ast.stmts[node];
                match stmt.kind {
                    StmtKind::AtomicEnd if states.outside => {
                        let (message, help) = if states.inside {
                            (
                                "this `atomic_end` can be reached outside of an atomic block",
                                "put `atomic_begin` on every way that leads here",
                            )
                        } else {
                            (
                                "no atomic block is open at this `atomic_end`",
                                "put `atomic_begin` before it, or remove it",
                            )
                        };
                        self.report(
                            Diagnostic::new(codes::ATOMIC_END_OUTSIDE, stmt.span, message)
                                .help(help),
                        );
                    }
                    StmtKind::EndThread if states.inside => {
                        self.report_end_inside(stmt.span, members);
                    }
                    _ => {}
                }
            }
            let procedure = ProcId::new(index);
            let is_first = flow.first_procedures.binary_search(&procedure).is_ok();
            let end = &facts[self.exit(procedure)];
            let ends_inside =
                end[STARTED_IN_THE_MIDDLE].inside || is_first && end[ENTERED_OUTSIDE].inside;
            if ends_inside {
                self.report_end_inside(self.syntax(procedure).end_span, members);
            }
        }
    }

    fn report_end_inside(&mut self, span: Span, members: &[Node]) {
        let stmts = members.iter().map(|&node| &self.ast.stmts[node]);
        let begins = stmts.filter(|stmt| matches!(stmt.kind, StmtKind::AtomicBegin));
        let first = begins.map(|stmt| stmt.span).min();
        let message = "a thread can end here inside of an atomic block";
        let mut diagnostic = Diagnostic::new(codes::ENDS_INSIDE_ATOMIC, span, message)
            .help("put `atomic_end` on every way that leads here");
        if let Some(first) = first {
            diagnostic = diagnostic.also(first, "a block begins here");
        }
        self.report(diagnostic);
    }

    fn exit(&self, procedure: ProcId) -> Node {
        self.ast.stmts.len() + procedure.index()
    }

    fn flow(&self) -> Flow {
        let statements = self.ast.stmts.len();
        let procedures = self.procedures.len();
        let mut flow = Flow {
            next: vec![Vec::new(); statements + procedures],
            calls: vec![Vec::new(); procedures],
            callers: vec![Vec::new(); procedures],
            callees: vec![None; statements],
            members: vec![Vec::new(); procedures],
            ..Flow::default()
        };
        flow.first_procedures = self.threads.iter().map(|thread| thread.entry).collect();
        flow.first_procedures.extend(self.init);
        for procedure in (0..procedures).map(ProcId::new) {
            self.add_procedure(&mut flow, procedure);
        }
        flow.first_procedures.sort_unstable();
        flow.first_procedures.dedup();
        flow
    }

    fn add_procedure(&self, flow: &mut Flow, procedure: ProcId) {
        let exit = self.exit(procedure);
        let body = &self.syntax(procedure).body;
        flow.entries.push(first(body, exit));
        // Jumps lead to the first of several places.
        let mut labels: BTreeMap<Symbol, (Span, Node)> = BTreeMap::new();
        let mut label = |label: &Ident, node| {
            let place = labels.entry(label.name).or_insert((label.span, node));
            *place = (*place).min((label.span, node));
        };
        let mut jumps: Vec<(Node, Symbol)> = Vec::new();
        let mut starts: Vec<Symbol> = Vec::new();
        let mut pending: Vec<(&Block, Node)> = vec![(body, exit)];
        while let Some((block, behind)) = pending.pop() {
            block.end_labels.iter().for_each(|l| label(l, behind));
            for (index, &stmt) in block.stmts.iter().enumerate() {
                let node = stmt.0 as Node;
                let next = block.stmts.get(index + 1).map_or(behind, |s| s.0 as Node);
                let syntax = self.ast.stmt(stmt);
                syntax.labels.iter().for_each(|l| label(l, node));
                flow.members[procedure.index()].push(node);
                match &syntax.kind {
                    StmtKind::Goto(targets) => {
                        jumps.extend(targets.iter().map(|target| (node, target.name)));
                    }
                    StmtKind::Return(_) => flow.next[node].push(exit),
                    StmtKind::EndThread => {}
                    StmtKind::Assume { condition, .. } | StmtKind::Assert(condition)
                        if constant(self.ast, *condition) == Some(false) => {}
                    StmtKind::If { arms, otherwise } => {
                        let blocks = arms
                            .iter()
                            .map(|(_, block)| block)
                            .chain(otherwise.as_deref());
                        for block in blocks {
                            flow.next[node].push(first(block, next));
                            pending.push((block, next));
                        }
                        if otherwise.is_none() {
                            flow.next[node].push(next);
                        }
                    }
                    StmtKind::While { condition, body } => {
                        flow.next[node].push(first(body, node));
                        pending.push((body, node));
                        if constant(self.ast, *condition) != Some(true) {
                            flow.next[node].push(next);
                        }
                    }
                    StmtKind::StartThreadAt(label) => {
                        starts.push(label.name);
                        flow.next[node].push(next);
                    }
                    StmtKind::Call { .. } | StmtKind::StartThreadCall { .. } => {
                        self.add_call(flow, procedure, stmt);
                        flow.next[node].push(next);
                    }
                    _ => flow.next[node].push(next),
                }
            }
        }
        for (node, label) in jumps {
            flow.next[node].extend(labels.get(&label).map(|(_, node)| *node));
        }
        let started = starts.iter().filter_map(|label| labels.get(label));
        let started = started.map(|(_, node)| *node);
        flow.started.extend(started);
    }

    fn add_call(&self, flow: &mut Flow, procedure: ProcId, stmt: StmtId) {
        let Some(callee) = self.tables.callee(stmt) else {
            return;
        };
        let syntax = self.ast.stmt(stmt);
        let starts_thread = matches!(syntax.kind, StmtKind::StartThreadCall { .. })
            || self.dialect.has_asynchronous_calls()
                && is_async_label(self.ast, &syntax.labels).is_some();
        if starts_thread {
            flow.first_procedures.push(callee);
            return;
        }
        let node = stmt.0 as Node;
        flow.calls[procedure.index()].push((node, callee));
        flow.callers[callee.index()].push(node);
        flow.callees[node] = Some(callee);
    }

    /// By node the states before it.
    fn atomic_states(&self, flow: &Flow) -> Vec<Facts> {
        let statements = self.ast.stmts.len();
        let mut facts = vec![Facts::default(); flow.next.len()];
        let mut pending: Vec<Node> = Vec::new();
        for &entry in &flow.entries {
            facts[entry][ENTERED_OUTSIDE].add(States::OUTSIDE);
            facts[entry][ENTERED_INSIDE].add(States::INSIDE);
            pending.push(entry);
        }
        for &node in &flow.started {
            facts[node][STARTED_IN_THE_MIDDLE].add(States::OUTSIDE);
            pending.push(node);
        }
        while let Some(node) = pending.pop() {
            if node >= statements {
                pending.extend(&flow.callers[node - statements]);
                continue;
            }
            let before = facts[node];
            let end = flow.callees[node].map(|callee| facts[self.exit(callee)]);
            let after = before.map(|states| match (&self.ast.stmts[node].kind, end) {
                _ if states.is_empty() => states,
                (StmtKind::AtomicBegin, _) => States::INSIDE,
                (StmtKind::AtomicEnd, _) => States::OUTSIDE,
                (_, Some(end)) => through(states, end),
                _ => states,
            });
            for &next in &flow.next[node] {
                let mut has_grown = false;
                for (states, new) in facts[next].iter_mut().zip(after) {
                    has_grown |= states.add(new);
                }
                if has_grown {
                    pending.push(next);
                }
            }
        }
        facts
    }
}

/// Where a block begins.
fn first(block: &Block, behind: Node) -> Node {
    block.stmts.first().map_or(behind, |stmt| stmt.0 as Node)
}

/// The states behind a call, given those before it and those at the callee's end.
fn through(before: States, end: Facts) -> States {
    let mut after = States::default();
    if before.outside {
        after.add(end[ENTERED_OUTSIDE]);
    }
    if before.inside {
        after.add(end[ENTERED_INSIDE]);
    }
    after
}

/// By procedure, the states in which it is entered.
fn entered(flow: &Flow, facts: &[Facts]) -> Vec<States> {
    let mut entered = vec![States::default(); flow.entries.len()];
    for procedure in &flow.first_procedures {
        entered[procedure.index()].add(States::OUTSIDE);
    }
    // Every procedure once, for threads that start in its middle, and again when it is entered in
    // another way.
    let mut pending: Vec<usize> = (0..flow.entries.len()).collect();
    while let Some(procedure) = pending.pop() {
        for &(node, callee) in &flow.calls[procedure] {
            let states = joined(facts[node], entered[procedure]);
            if entered[callee.index()].add(states) {
                pending.push(callee.index());
            }
        }
    }
    entered
}

/// The states at a node of a procedure that is entered in certain ways.
fn joined(facts: Facts, entered: States) -> States {
    let mut states = through(entered, facts);
    states.add(facts[STARTED_IN_THE_MIDDLE]);
    states
}
