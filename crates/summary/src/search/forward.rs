//! Forward reachability by path edges and summary edges: Figure 3 of the Bebop paper.
//!
//! For every node there is the relation of its path edges: which state at the procedure's entry
//! goes with which state here. The relation at an exit, put into the shape of a call, is the
//! procedure's summary. Three things differ from the figure. Only news travels: a node's *delta* is
//! propagated, not its whole set. The worklist is ordered, callees before callers and within a
//! procedure along the control flow, so that a node is visited when all news for it has arrived.
//! And each delta that was propagated is remembered with its time, as a *ring*, from which runs are
//! read off later (section 3.2).
//!
//! A visit that runs out leaves its news pending, so a search that hit its work limit can simply be
//! continued: some news may then arrive twice, which adds nothing.

use crate::encoding::calls::CallMoves;
use crate::encoding::interface::{Interface, ScopedBit};
use crate::encoding::space::Copy;
use crate::encoding::transfer::Compiler;
use crate::search::frontier::{FIRST_COLLECTION, Frontier, NodeState};
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, Roots};
use hardbop_machine::bits::BitView;
use hardbop_machine::{Action, Edge, EdgeId, NodeId, ProcId};
use hardbop_symbolic::{Part, Plans, image};
use std::rc::Rc;

/// How many visits there are between two questions to the interrupt: where few variables are alive,
/// visits make hardly any BDD nodes, and the manager does not ask.
const PATIENCE: u64 = 4096;

/// What is known at a call edge.
#[derive(Clone, Debug)]
struct CallState {
    moves: CallMoves,
    /// All path edges at the call, prepared.
    prepared: Bdd,
}

/// A compiled edge.
#[derive(Clone, Debug)]
enum Compiled {
    Step(Vec<Part>),
    Call(Box<CallState>),
}

/// What is known of a procedure as a whole.
#[derive(Clone, Debug)]
pub(crate) struct ProcedureState {
    /// Inputs with which it is entered.
    pub(crate) entered: Bdd,
    /// Its summary in the shape of a call.
    pub(crate) summary: Bdd,
    /// From exit relation to summary; made when needed.
    summary_plan: Option<Rc<Plan>>,
}

impl Roots for Compiled {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        match self {
            Compiled::Step(parts) => parts.each_root(keep),
            Compiled::Call(call) => {
                keep(call.prepared);
                call.moves.prepare.each_root(keep);
            }
        }
    }
}

impl Roots for ProcedureState {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        [self.entered, self.summary].each_root(keep);
    }
}

/// Whether a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing is pending: everything reachable is known.
    Complete,
    /// Every target asked for has been reached.
    TargetsReached,
}

/// A forward search.
pub(crate) struct Forward<'m, 'i> {
    /// The machine, its variables and interfaces.
    pub(crate) compiler: Compiler<'m>,
    /// The BDDs.
    pub(crate) manager: Manager<'i>,
    /// Plans of all products.
    pub(crate) plans: Plans,
    /// ScopedBit-level formulas.
    pub(crate) view: BitView<'m>,
    frontier: Frontier,
    procedures: Vec<ProcedureState>,
    edges: Vec<Option<Compiled>>,
    /// Inputs with which the program starts.
    initial: Bdd,
    collect_at: usize,
    /// How many visits there were.
    pub(crate) visits: u64,
}

impl<'m, 'i> Forward<'m, 'i> {
    /// A search that is about to start at the machine's first procedure.
    pub(crate) fn new(compiler: Compiler<'m>, manager: Manager<'i>) -> Self {
        let machine = compiler.machine;
        let unknown = ProcedureState {
            entered: Bdd::FALSE,
            summary: Bdd::FALSE,
            summary_plan: None,
        };
        Self {
            compiler,
            manager,
            plans: Plans::default(),
            view: BitView::new(machine),
            frontier: Frontier::new(machine),
            procedures: vec![unknown; machine.procedures.len()],
            edges: vec![None; machine.edges.len()],
            initial: Bdd::FALSE,
            collect_at: FIRST_COLLECTION,
            visits: 0,
        }
    }

    /// What is known at a node.
    pub(crate) fn node(&self, node: NodeId) -> &NodeState {
        self.frontier.node(node)
    }

    /// What is known of a procedure.
    pub(crate) fn procedure(&self, procedure: ProcId) -> &ProcedureState {
        &self.procedures[procedure.index()]
    }

    /// Whether the search knows that a node can be reached.
    pub(crate) fn is_reached(&self, node: NodeId) -> bool {
        !self.node(node).reached.is_false()
    }

    /// Puts the initial states at the entry of the program. Changes nothing when repeated.
    fn start(&mut self) -> Result<(), Exhausted> {
        let main = self.compiler.machine.threads[0].entry;
        let input_of_first = |interface: &Interface, bit: &ScopedBit| {
            let is_input = interface.inputs().any(|input| input.slot == bit.slot);
            is_input.then(|| input_copy(interface.called, interface.is_steady(bit.slot)))
        };
        let compiler = self.compiler;
        let initial = compiler.initial_values(&mut self.manager, input_of_first)?;
        self.initial = initial;
        self.enter(main, initial)
    }

    /// Inputs with which the program starts, in the copies in which its first procedure is entered.
    pub(crate) fn initial(&self) -> Bdd {
        self.initial
    }

    /// Adds inputs with which a procedure is entered. For a procedure that is never called they are
    /// states of `Now`.
    fn enter(&mut self, procedure: ProcId, inputs: Bdd) -> Result<(), Exhausted> {
        let known = self.procedures[procedure.index()].entered;
        let fresh = self.manager.diff(inputs, known)?;
        if fresh.is_false() {
            return Ok(());
        }
        let entered = self.manager.or(known, fresh)?;
        let edges = self.entry_edges(procedure, fresh)?;
        let entry = self.compiler.machine.procedure(procedure).entry;
        self.propagate(entry, edges)?;
        self.procedures[procedure.index()].entered = entered;
        Ok(())
    }

    /// Path edges at an entry: the values at entry are the current ones.
    pub(crate) fn entry_edges(&mut self, procedure: ProcId, inputs: Bdd) -> Result<Bdd, Exhausted> {
        let (compiler, manager) = (self.compiler, &mut self.manager);
        let interface = compiler.interfaces.of(procedure);
        if !interface.called {
            return Ok(inputs);
        }
        let changing = interface.changing_inputs.iter().copied();
        compiler.with_outer_equal_to_now(manager, inputs, changing)
    }

    /// Adds path edges to a node.
    fn propagate(&mut self, node: NodeId, edges: Bdd) -> Result<(), Exhausted> {
        self.frontier.add(&mut self.manager, node, edges)
    }

    /// Runs until everything reachable is known, every target has been reached, or something runs
    /// out. Goes on where it stopped when called again.
    pub(crate) fn run(&mut self, targets: &[NodeId]) -> Result<Progress, Exhausted> {
        match self.explore(targets) {
            // Nodes that nothing refers to any more may have been the trouble.
            Err(Exhausted::Nodes) => {
                self.collect_garbage();
                self.explore(targets)
            }
            result => result,
        }
    }

    fn explore(&mut self, targets: &[NodeId]) -> Result<Progress, Exhausted> {
        self.start()?;
        // Reached nodes stay reached: each is looked at until it is, and never again.
        let mut open = targets.to_vec();
        loop {
            while open.last().is_some_and(|&target| self.is_reached(target)) {
                open.pop();
            }
            if open.is_empty() && !targets.is_empty() {
                return Ok(Progress::TargetsReached);
            }
            if (self.visits + 1).is_multiple_of(PATIENCE) {
                self.manager.ask()?;
            }
            let Some(node) = self.frontier.take_next() else {
                return Ok(Progress::Complete);
            };
            if self.manager.node_count() > self.collect_at {
                self.collect_garbage();
            }
            if let Err(why) = self.visit(node) {
                self.frontier.put_back(node);
                return Err(why);
            }
        }
    }

    /// Propagates what is pending at a node. If something runs out, the node's news stays pending:
    /// some of it may then arrive twice, which adds nothing.
    fn visit(&mut self, node: NodeId) -> Result<(), Exhausted> {
        let delta = self.node(node).pending;
        self.frontier.begin_visit(node, delta);
        let procedure = self.compiler.machine.procedure_of(node);
        if self.compiler.machine.procedure(procedure).exit == node {
            self.leave(procedure, delta)?;
        } else {
            for edge in self.compiler.machine.edges_from(node) {
                self.follow(edge, delta)?;
            }
        }
        self.frontier.end_visit(&mut self.manager, node, delta)?;
        self.visits += 1;
        Ok(())
    }

    fn follow(&mut self, edge: EdgeId, delta: Bdd) -> Result<(), Exhausted> {
        let Edge { to, ref action, .. } = *self.compiler.machine.edge(edge);
        // The end of the thread leads nowhere.
        if *action == Action::EndThread {
            return Ok(());
        }
        match self.compiled(edge)? {
            Compiled::Step(parts) => {
                let result = image(&mut self.manager, delta, &parts);
                self.edges[edge.index()] = Some(Compiled::Step(parts));
                self.propagate(to, result?)
            }
            Compiled::Call(mut call) => {
                let result = self.call(&mut call, delta, to);
                self.edges[edge.index()] = Some(Compiled::Call(call));
                result
            }
        }
    }

    /// Takes the compiled form of an edge out of its place; the caller puts it back.
    fn compiled(&mut self, edge: EdgeId) -> Result<Compiled, Exhausted> {
        if let Some(known) = self.edges[edge.index()].take() {
            return Ok(known);
        }
        let compiler = self.compiler;
        let (manager, plans, view) = (&mut self.manager, &mut self.plans, &mut self.view);
        if let Action::Call { .. } = self.compiler.machine.edge(edge).action {
            let moves = compiler.call(manager, plans, view, edge)?;
            let prepared = Bdd::FALSE;
            return Ok(Compiled::Call(Box::new(CallState { moves, prepared })));
        }
        Ok(Compiled::Step(compiler.step(manager, plans, view, edge)?))
    }

    /// The moves of a call edge.
    pub(crate) fn call_moves(&mut self, edge: EdgeId) -> Result<CallMoves, Exhausted> {
        let compiled = self.compiled(edge)?;
        let moves = match &compiled {
            Compiled::Call(call) => call.moves.clone(),
            Compiled::Step(_) => unreachable!("only asked of call edges"),
        };
        self.edges[edge.index()] = Some(compiled);
        Ok(moves)
    }

    /// The parts of an edge that is not a call.
    pub(crate) fn step_parts(&mut self, edge: EdgeId) -> Result<Vec<Part>, Exhausted> {
        let compiled = self.compiled(edge)?;
        let parts = match &compiled {
            Compiled::Step(parts) => parts.clone(),
            Compiled::Call(_) => unreachable!("not asked of call edges"),
        };
        self.edges[edge.index()] = Some(compiled);
        Ok(parts)
    }

    /// News at a call: into the callee, and over it with what is known of it.
    fn call(&mut self, call: &mut CallState, delta: Bdd, to: NodeId) -> Result<(), Exhausted> {
        let prepared = image(&mut self.manager, delta, &call.moves.prepare)?;
        let inputs = self.manager.project(prepared, &call.moves.enter)?;
        let summary = self.procedures[call.moves.callee.index()].summary;
        let over = self.manager.relprod(prepared, summary, &call.moves.leave)?;
        let all = self.manager.or(call.prepared, prepared)?;
        self.enter(call.moves.callee, inputs)?;
        self.propagate(to, over)?;
        call.prepared = all;
        Ok(())
    }

    /// News at an exit: the summary grows, and every call that waits for it goes on.
    fn leave(&mut self, procedure: ProcId, delta: Bdd) -> Result<(), Exhausted> {
        if !self.compiler.interfaces.of(procedure).called {
            return Ok(());
        }
        let plan = self.summary_plan(procedure);
        let fresh = self.manager.project(delta, &plan)?;
        let known = self.procedures[procedure.index()].summary;
        let summary = self.manager.or(known, fresh)?;
        let machine = self.compiler.machine;
        for site in machine.calls().calls_of(procedure) {
            let Some(Compiled::Call(call)) = &self.edges[site.edge.index()] else {
                continue;
            };
            let (prepared, plan) = (call.prepared, Rc::clone(&call.moves.leave));
            let over = self.manager.relprod(prepared, fresh, &plan)?;
            let to = self.compiler.machine.edge(site.edge).to;
            self.propagate(to, over)?;
        }
        self.procedures[procedure.index()].summary = summary;
        Ok(())
    }

    /// The plan that turns an exit relation of a procedure into its summary.
    pub(crate) fn summary_plan(&mut self, procedure: ProcId) -> Rc<Plan> {
        if let Some(plan) = &self.procedures[procedure.index()].summary_plan {
            return Rc::clone(plan);
        }
        let compiler = self.compiler;
        let plan = compiler.summary_plan(&mut self.manager, &mut self.plans, procedure);
        self.procedures[procedure.index()].summary_plan = Some(Rc::clone(&plan));
        plan
    }

    /// The size in BDD nodes of the largest relation at a node.
    pub(crate) fn widest(&self) -> u64 {
        self.frontier.widest(&self.manager)
    }

    /// Frees BDD nodes that nothing here needs.
    pub(crate) fn collect_garbage(&mut self) {
        let roots: [&dyn Roots; 4] = [&self.initial, &self.frontier, &self.procedures, &self.edges];
        self.manager.collect(&roots);
        self.collect_at = FIRST_COLLECTION.max(2 * self.manager.node_count());
    }

    /// The bits of a procedure that a relation at one of its nodes may speak of.
    pub(crate) fn bits_at(&self, node: NodeId) -> impl Iterator<Item = &'m ScopedBit> + use<'m> {
        let procedure = self.compiler.machine.procedure_of(node);
        let interfaces = self.compiler.interfaces;
        let scope = &interfaces.of(procedure).scope;
        scope
            .iter()
            .filter(move |bit| interfaces.matters_at(procedure, node, bit))
    }
}

/// The copy that holds an input while a procedure is entered.
pub(crate) fn input_copy(called: bool, steady: bool) -> Copy {
    if called && !steady {
        Copy::Outer
    } else {
        Copy::Now
    }
}
