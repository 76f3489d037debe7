//! Backward reachability from the targets (pre*): exits-to-entries summaries.
//!
//! The forward search drags along everything a program computes; backward, a relation speaks only
//! of what decides whether a target is reached. For every node there is one relation over the
//! current values, in two layers told apart by a flag: with the flag, states from which a target is
//! reached before the procedure returns; without it, pairs of a state and a *demanded* exit state
//! in which the procedure can end. A demand arises where the place after a call can reach
//! something: then the exit states that lead there are traced back through the callee, and what
//! arrives at its entry is its summary, backwards.
//!
//! Everything else mirrors the forward search: only news travels, rings remember it, a visit
//! completes or changes nothing.

use crate::back_moves::{BackCall, BackStep};
use crate::forward::Progress;
use crate::frontier::{FIRST_COLLECTION, Frontier, NodeState, Places, Priority};
use crate::interface::Bit;
use crate::space::{Copy, REACHES_TARGET};
use crate::transfer::Compiler;
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan};
use hardbop_machine::analysis::{Table, order::predecessors};
use hardbop_machine::bits::BitView;
use hardbop_machine::{Action, EdgeId, NodeId, ProcId};
use hardbop_symbolic::{Plans, QUANTIFY};
use std::rc::Rc;

/// A compiled edge.
#[derive(Clone, Debug)]
enum Compiled {
    Step(BackStep),
    Call(Box<CallState>),
}

/// What is known at a call edge.
#[derive(Clone, Debug)]
struct CallState {
    moves: BackCall,
    /// What the place after the call wants, in terms of the callee's outputs.
    wanted: Bdd,
}

/// What is known of a procedure as a whole.
#[derive(Clone, Debug)]
struct ProcedureState {
    /// Exit states that some caller wants.
    demanded: Bdd,
    /// From what can be entered to what ends in a demanded state, in the shape of a call.
    summary: Bdd,
    entry_plan: Option<Rc<Plan>>,
}

/// A backward search.
pub struct Backward<'m, 'i> {
    /// What it is about.
    pub compiler: Compiler<'m>,
    /// The BDDs.
    pub manager: Manager<'i>,
    /// Plans of all products.
    pub plans: Plans,
    /// Bit-level formulas.
    pub view: BitView<'m>,
    frontier: Frontier,
    procedures: Vec<ProcedureState>,
    edges: Vec<Option<Compiled>>,
    targets: Vec<NodeId>,
    incoming: Table<EdgeId>,
    places: Places,
    initial: Bdd,
    flag: Bdd,
    collect_at: usize,
    /// How many visits there were.
    pub visits: u64,
}

impl<'m, 'i> Backward<'m, 'i> {
    /// A search that is about to start.
    pub fn new(compiler: Compiler<'m>, targets: Vec<NodeId>, manager: Manager<'i>) -> Self {
        let machine = compiler.machine;
        let unknown = ProcedureState {
            demanded: Bdd::FALSE,
            summary: Bdd::FALSE,
            entry_plan: None,
        };
        Self {
            compiler,
            manager,
            plans: Plans::default(),
            view: BitView::new(machine),
            frontier: Frontier::new(machine.nodes.len()),
            procedures: vec![unknown; machine.procedures.len()],
            edges: vec![None; machine.edges.len()],
            targets,
            incoming: predecessors(machine),
            places: Places::new(machine, &compiler.interfaces.calls),
            initial: Bdd::FALSE,
            flag: Bdd::FALSE,
            collect_at: FIRST_COLLECTION,
            visits: 0,
        }
    }

    /// What is known at a node.
    pub fn node(&self, node: NodeId) -> &NodeState {
        self.frontier.node(node)
    }

    /// The function that is true for states that reach a target before returning.
    pub fn flag(&self) -> Bdd {
        self.flag
    }

    /// States in which the program starts.
    pub fn initial(&self) -> Bdd {
        self.initial
    }

    /// The nodes that it searches from.
    pub fn targets(&self) -> &[NodeId] {
        &self.targets
    }

    /// Puts every state at the targets. Changes nothing when repeated.
    pub fn start(&mut self) -> Result<(), Exhausted> {
        self.flag = self.manager.variable(REACHES_TARGET)?;
        let compiler = self.compiler;
        self.initial = compiler.initial_values(&mut self.manager, |_, _| Some(Copy::Now))?;
        let flag = self.flag;
        for target in self.targets.clone() {
            self.propagate(target, flag)?;
        }
        Ok(())
    }

    /// Starting states from which a target is reached, as far as known.
    pub fn found(&mut self) -> Result<Bdd, Exhausted> {
        let main = self.compiler.machine.threads[0].entry;
        let entry = self.compiler.machine.procedure(main).entry;
        let reaching = self.manager.and(self.node(entry).reached, self.flag)?;
        self.manager.and(reaching, self.initial)
    }

    fn propagate(&mut self, node: NodeId, states: Bdd) -> Result<(), Exhausted> {
        let priority = self.priority(node);
        self.frontier.add(&mut self.manager, node, states, priority)
    }

    /// Callees come first, then nodes against the control flow.
    fn priority(&self, node: NodeId) -> Priority {
        let (rank, position) = self.places.of(self.compiler.machine, node);
        (rank, u32::MAX - position)
    }

    /// Starts if need be, then runs.
    pub fn begin_and_run(&mut self) -> Result<Progress, Exhausted> {
        self.start()?;
        self.run()
    }

    /// Runs until nothing is pending, a starting state has been found, or something runs out.
    pub fn run(&mut self) -> Result<Progress, Exhausted> {
        loop {
            if !self.found()?.is_false() {
                return Ok(Progress::TargetsReached);
            }
            let Some(waiting) = self.frontier.take_next() else {
                return Ok(Progress::Complete);
            };
            if self.manager.node_count() > self.collect_at {
                self.collect_garbage();
            }
            if let Err(why) = self.visit(waiting.node) {
                self.frontier.put_back(waiting);
                return Err(why);
            }
        }
    }

    fn visit(&mut self, node: NodeId) -> Result<(), Exhausted> {
        let delta = self.node(node).pending;
        self.frontier.begin_visit(node, delta);
        let procedure = self.compiler.machine.procedure_of(node);
        let edges = self.incoming.row(node.index()).to_vec();
        for edge in edges {
            self.follow(edge, delta)?;
        }
        if self.compiler.machine.procedure(procedure).entry == node {
            self.leave_by_entry(procedure, delta)?;
        }
        let priority = self.priority(node);
        self.frontier
            .end_visit(&mut self.manager, node, delta, priority)?;
        self.visits += 1;
        Ok(())
    }

    /// News at the end of an edge.
    fn follow(&mut self, edge: EdgeId, delta: Bdd) -> Result<(), Exhausted> {
        let from = self.compiler.machine.edge(edge).from;
        match self.compiled(edge)? {
            Compiled::Step(step) => {
                let before = step.before(&mut self.manager, &mut self.plans, delta);
                self.edges[edge.index()] = Some(Compiled::Step(step));
                self.propagate(from, before?)
            }
            Compiled::Call(mut call) => {
                let result = self.call(&mut call, delta, from);
                self.edges[edge.index()] = Some(Compiled::Call(call));
                result
            }
        }
    }

    fn compiled(&mut self, edge: EdgeId) -> Result<Compiled, Exhausted> {
        if let Some(known) = self.edges[edge.index()].take() {
            return Ok(known);
        }
        let compiler = self.compiler;
        let (manager, plans, view) = (&mut self.manager, &mut self.plans, &mut self.view);
        if let Action::Call { .. } = self.compiler.machine.edge(edge).action {
            let moves = compiler.back_call(manager, plans, view, edge)?;
            let wanted = Bdd::FALSE;
            return Ok(Compiled::Call(Box::new(CallState { moves, wanted })));
        }
        let step = compiler.back_step(manager, plans, view, edge)?;
        Ok(Compiled::Step(step))
    }

    /// News after a call: a demand on the callee, and what its summary already answers.
    fn call(&mut self, call: &mut CallState, delta: Bdd, from: NodeId) -> Result<(), Exhausted> {
        let moves = &call.moves;
        let wanted = self.manager.project(delta, &moves.want)?;
        let demand = self.manager.project(wanted, &moves.demand)?;
        let summary = self.procedures[moves.callee.index()].summary;
        let met = self.manager.relprod(wanted, summary, &moves.meet)?;
        let before = moves
            .arguments
            .before(&mut self.manager, &mut self.plans, met)?;
        let all = self.manager.or(call.wanted, wanted)?;
        self.demand(call.moves.callee, demand)?;
        self.propagate(from, before)?;
        call.wanted = all;
        Ok(())
    }

    /// Adds demanded exit states of a procedure.
    fn demand(&mut self, procedure: ProcId, exits: Bdd) -> Result<(), Exhausted> {
        let known = self.procedures[procedure.index()].demanded;
        let fresh = self.manager.diff(exits, known)?;
        if fresh.is_false() {
            return Ok(());
        }
        let all = self.manager.or(known, fresh)?;
        let states = self.manager.and(fresh, !self.flag)?;
        let outputs: Vec<Bit> = {
            let interface = self.compiler.interfaces.of(procedure);
            interface.outputs().copied().collect()
        };
        let (compiler, manager) = (self.compiler, &mut self.manager);
        let states = compiler.with_outer_equal_to_now(manager, states, outputs.into_iter())?;
        let exit = self.compiler.machine.procedure(procedure).exit;
        self.propagate(exit, states)?;
        self.procedures[procedure.index()].demanded = all;
        Ok(())
    }

    /// News at an entry: callers can enter here to reach a target, and callers that wait for the
    /// summary go on.
    fn leave_by_entry(&mut self, procedure: ProcId, delta: Bdd) -> Result<(), Exhausted> {
        let plan = self.entry_plan(procedure);
        let shaped = self.manager.project(delta, &plan)?;
        let entering = self.manager.and(shaped, self.flag)?;
        let ending = self.manager.and(shaped, !self.flag)?;
        let without_flag = self
            .plans
            .get(&mut self.manager, vec![(REACHES_TARGET, QUANTIFY)]);
        let ending = self.manager.project(ending, &without_flag)?;
        let known = self.procedures[procedure.index()].summary;
        let summary = self.manager.or(known, ending)?;
        let interfaces = self.compiler.interfaces;
        for site in interfaces.calls.calls_of(procedure) {
            let from = self.compiler.machine.edge(site.edge).from;
            let compiled = self.compiled(site.edge)?;
            let Compiled::Call(call) = &compiled else {
                unreachable!("call sites are call edges");
            };
            let (wanted, moves) = (call.wanted, call.moves.clone());
            self.edges[site.edge.index()] = Some(compiled);
            let met = self.manager.relprod(wanted, ending, &moves.meet)?;
            let either = self.manager.or(met, entering)?;
            let before = moves
                .arguments
                .before(&mut self.manager, &mut self.plans, either)?;
            self.propagate(from, before)?;
        }
        self.procedures[procedure.index()].summary = summary;
        Ok(())
    }

    /// The plan that puts the relation at a procedure's entry into the shape of a call.
    pub fn entry_plan(&mut self, procedure: ProcId) -> Rc<Plan> {
        if let Some(plan) = &self.procedures[procedure.index()].entry_plan {
            return Rc::clone(plan);
        }
        let compiler = self.compiler;
        let plan = compiler.back_entry_plan(&mut self.manager, &mut self.plans, procedure);
        self.procedures[procedure.index()].entry_plan = Some(Rc::clone(&plan));
        plan
    }

    /// The compiled form of a call edge.
    pub(crate) fn call_moves(&mut self, edge: EdgeId) -> Result<BackCall, Exhausted> {
        let compiled = self.compiled(edge)?;
        let moves = match &compiled {
            Compiled::Call(call) => call.moves.clone(),
            Compiled::Step(_) => unreachable!("only asked of call edges"),
        };
        self.edges[edge.index()] = Some(compiled);
        Ok(moves)
    }

    /// The size in BDD nodes of the largest relation at a node.
    pub fn widest(&self) -> u64 {
        self.frontier.widest(&self.manager)
    }

    /// Frees BDD nodes that nothing here needs.
    pub fn collect_garbage(&mut self) {
        let mut roots = vec![self.initial, self.flag];
        roots.extend(self.frontier.roots());
        for state in &self.procedures {
            roots.extend([state.demanded, state.summary]);
        }
        for compiled in self.edges.iter().flatten() {
            match compiled {
                Compiled::Step(step) => roots.extend(step.roots()),
                Compiled::Call(call) => {
                    roots.push(call.wanted);
                    roots.extend(call.moves.arguments.roots());
                }
            }
        }
        self.manager.collect(roots);
        self.collect_at = FIRST_COLLECTION.max(2 * self.manager.node_count());
    }
}
