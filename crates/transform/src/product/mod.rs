//! The product of a program and an automaton, as a program (VERA, section 5).
//!
//! The product is a machine again, with one more global: the state of the automaton *after reading*
//! the current state of the program. Every step takes the automaton along, in the same edge where
//! it can: then the guard of the automaton is part of `constrain`, which speaks of the values after
//! the step. Where a procedure is entered or a call returns, an extra node reads the new state. So
//! laziness, liveness and MOD/REF know what the property needs without being told, and the state of
//! the automaton passes through calls and summaries like any global. The products of *states* are
//! made on the fly by the search.
//!
//! **Sound.** A run of the product is a run of the program with what the automaton makes of it; so
//! a target state is entered in the one where a run of the other makes the automaton enter it. The
//! run goes back by leaving out the steps that only read. A certificate remains one of the product:
//! the judge makes the product from program and property, so this module is trusted for it.
//!
//! **Infinite runs.** An automaton without target states accepts an infinite run only if that
//! enters an accepting state. If the product enters none, no run is accepted. That is worth a search
//! where entering one settles the matter, as with a safety property in LTL. The converse is false:
//! the program may block after it, and then there is no infinite run. So a run of the product does
//! not come back there, and the search for infinite runs has to answer.
//!
//! Runs that end go on for ever: a failed assertion and the end of `main` get a step that leads
//! back to them. The outermost `main` ends in such a step, so it is a copy if other procedures call
//! `main`. Where the automaton can only stay as it is, edges stay as they are; but every edge reads
//! the state of the automaton, so that it is never dead.

mod back;
mod reading;
mod spots;

use crate::correspondence::{Correspondence, Origin};
use crate::draft::{Draft, DraftEdge, Place, assign};
use crate::transform::TargetMap;
use hardbop_automata::{Atom, Automaton, Cube, Property, State, View};
use hardbop_machine::{
    Action, BinaryOp, EdgeId, Expr, ExprId, GlobalId, Machine, NodeId, ProcId, Storage, Type,
    UnaryOp, Variable,
};
use hardbop_outcome::{Declined, Question, Target, TargetKind};
use reading::{Move, Reading};
use spots::{Spot, Spots};
use std::collections::HashMap;
use std::rc::Rc;

/// The product of a program and an automaton.
#[derive(Clone, Debug)]
pub struct Product {
    /// The product as a machine.
    pub machine: Machine,
    /// The global that holds the state of the automaton.
    pub state: GlobalId,
    /// For each value of that global whether it is an accepting state.
    pub accepting: Vec<bool>,
    /// Places where a target state of the automaton has just been entered.
    pub targets: Vec<NodeId>,
    /// Whether it is not enough to get there: the run has to be infinite.
    is_only_necessary: bool,
    property: Option<String>,
    /// What its parts are in the program.
    back: Correspondence,
    map: TargetMap,
}

/// Whether a property is one that a [`product`] can prove by places that are not reached.
pub fn is_about_safety(property: &Property) -> bool {
    let automaton = &property.automaton;
    automaton.has_targets() || automaton.is_settled_on_acceptance()
}

/// The question whether a safety property is violated as one about places of a product.
pub fn product(machine: &Machine, question: &Question) -> Result<Product, Declined> {
    let Some(property) = question.as_property() else {
        return Declined::because("questions about places");
    };
    if !machine.is_sequential() || machine.threads.is_empty() {
        return Declined::because("concurrent programs");
    }
    if !is_about_safety(property) {
        return Declined::because("properties of infinite runs");
    }
    let automaton = &property.automaton;
    let has_targets = automaton.has_targets();
    let is_target = |state: &State| {
        if has_targets {
            state.target
        } else {
            state.accepting
        }
    };
    let is_target = automaton.states.iter().map(is_target);
    let mut product = Product::until(machine, automaton, is_target.collect());
    product.is_only_necessary = !has_targets;
    product.property = Some(property.text.to_string());
    let places = product.targets.iter();
    let places = places.map(|&node| Target::new(&product.machine, node, TargetKind::Line));
    product.map = TargetMap {
        standing: vec![(0..product.targets.len()).collect()],
        question: question.about(places.collect()).until_one_is_reached(),
        original: question.clone(),
        provisos: Vec::new(),
    };
    Ok(product)
}

impl Product {
    /// Makes the product of a sequential machine and an automaton about it.
    pub fn new(machine: &Machine, automaton: &Automaton) -> Self {
        let targets = automaton.states.iter().map(|state| state.target);
        Self::until(machine, automaton, targets.collect())
    }

    /// The product in which entering some states of the automaton is a target.
    fn until(machine: &Machine, automaton: &Automaton, is_target: Vec<bool>) -> Self {
        let mut builder = Builder::new(machine, automaton, is_target);
        let calls = machine.calls();
        let main = machine.threads.first().map(|thread| thread.entry);
        for procedure in machine.procedure_ids() {
            let is_called = !calls.calls_of(procedure).is_empty();
            builder.procedure(procedure, main == Some(procedure) && !is_called);
        }
        if let Some(main) = main {
            let is_called = !calls.calls_of(main).is_empty();
            if is_called {
                builder.procedure(main, true);
                let copy = ProcId::new(builder.draft.procedures.len() - 1);
                builder.draft.threads[0].entry = copy;
            }
        }
        builder.finish()
    }
}

/// When a condition of the automaton is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum When {
    /// In the state before the step.
    Before,
    /// In the state after it.
    After,
}

struct Builder<'b> {
    original: &'b Machine,
    automaton: &'b Automaton,
    draft: Draft<'b>,
    state: GlobalId,
    state_type: Type,
    /// For each state of the automaton whether entering it is a target.
    is_target: Vec<bool>,
    /// Where target states have just been entered.
    targets: Vec<(usize, Place)>,
    readings: HashMap<(NodeId, bool), Rc<Reading>>,
    /// Conditions that are in the product's arena already.
    conditions: HashMap<(u32, When), ExprId>,
}

impl<'b> Builder<'b> {
    fn new(original: &'b Machine, automaton: &'b Automaton, is_target: Vec<bool>) -> Self {
        let unread = automaton.states.len() as u64;
        let state_type = Type::Int((u64::BITS - unread.leading_zeros()).max(1) as u8);
        let mut draft = Draft::without_procedures(original);
        let state = "state of the property".to_owned();
        let state = draft.global(state, state_type, Storage::Shared);
        draft.globals[state.index()].initial = Some(unread);
        Self {
            original,
            automaton,
            draft,
            state,
            state_type,
            is_target,
            targets: Vec::new(),
            readings: HashMap::new(),
            conditions: HashMap::new(),
        }
    }

    fn finish(self) -> Product {
        let (machine, back, ids) = self.draft.finish();
        let targets = self
            .targets
            .iter()
            .map(|&(procedure, place)| ids[procedure][place]);
        let accepting = self.automaton.states.iter().map(|state| state.accepting);
        Product {
            machine,
            back,
            state: self.state,
            accepting: accepting.chain([false]).collect(),
            targets: targets.collect(),
            is_only_necessary: false,
            property: None,
            map: TargetMap::unchanged(&Question::reach(Vec::new())),
        }
    }

    fn reading(&mut self, node: NodeId, terminated: bool) -> Rc<Reading> {
        let (original, automaton) = (self.original, self.automaton);
        let reading = self.readings.entry((node, terminated)).or_insert_with(|| {
            let view = View { node, terminated };
            Rc::new(Reading::new(original, automaton, view))
        });
        Rc::clone(reading)
    }

    /// Adds a procedure; the outermost one never returns.
    fn procedure(&mut self, id: ProcId, is_outermost: bool) {
        let original = self.original;
        let declared = original.procedure(id);
        let mut draft = Spots::new(original, id);
        for node in declared.node_ids().filter(|&node| node != declared.exit) {
            draft.place(Spot::At(node));
        }
        let exit = if is_outermost {
            Spot::At(declared.exit)
        } else {
            Spot::Exit
        };
        let at = |node: NodeId| {
            if node == declared.exit {
                exit
            } else {
                Spot::At(node)
            }
        };
        for edge in declared.edge_ids() {
            self.edge(&mut draft, edge, &at);
        }
        for node in declared.node_ids() {
            if original.node(node).kind.is_failure() {
                let reading = self.reading(node, false);
                self.follow(
                    &mut draft,
                    Spot::At(node),
                    Spot::At(node),
                    &reading,
                    Origin::Nothing,
                );
            }
        }
        if is_outermost {
            self.end(&mut draft, exit, declared.exit, None);
        }
        let entry = if is_outermost {
            let view = View {
                node: declared.entry,
                terminated: false,
            };
            let unread = self.automaton.states.len() as u64;
            let moves = Reading::first(original, self.automaton, view, unread);
            let reading = Reading {
                moves,
                is_idle: false,
            };
            let (start, to) = (Spot::Start, at(declared.entry));
            self.follow(&mut draft, start, to, &reading, Origin::Nothing);
            start
        } else {
            self.arrival(&mut draft, declared.entry, at(declared.entry))
        };
        let (procedure, target) = draft.finish(entry);
        let index = self.draft.procedure(procedure).index();
        self.targets.extend(target.map(|place| (index, place)));
    }

    /// The place where a procedure arrives at a node from elsewhere: the node itself, or one before
    /// it that reads.
    fn arrival(&mut self, draft: &mut Spots<'_>, node: NodeId, at: Spot) -> Spot {
        let reading = self.reading(node, false);
        if reading.is_idle {
            return at;
        }
        let before = Spot::Before(node);
        if !draft.has(before) {
            self.follow(draft, before, at, &reading, Origin::Nothing);
        }
        before
    }

    /// Ends the run: the last state is read again and again, now with the end known.
    fn end(&mut self, draft: &mut Spots<'_>, from: Spot, node: NodeId, ending: Option<EdgeId>) {
        let reading = self.reading(node, true);
        let ended = Spot::Ended(node);
        let is_new = !draft.has(ended);
        match ending {
            Some(edge) => self.take(draft, edge, from, ended, &reading),
            None => self.follow(draft, from, ended, &reading, Origin::Return),
        }
        if is_new {
            self.follow(draft, ended, ended, &reading, Origin::Nothing);
        }
    }

    /// Adds an edge of the program.
    fn edge(&mut self, draft: &mut Spots<'_>, id: EdgeId, at: &dyn Fn(NodeId) -> Spot) {
        let edge = self.original.edge(id);
        match &edge.action {
            Action::Call { .. } => {
                let to = self.arrival(draft, edge.to, at(edge.to));
                let keep = self.keeps_state();
                let guard = self.draft.guarded(edge.guard, Some(keep));
                let edge = DraftEdge {
                    guard,
                    ..DraftEdge::of(
                        self.original,
                        id,
                        draft.place(at(edge.from)),
                        draft.place(to),
                    )
                };
                draft.add(edge);
            }
            Action::EndThread => self.end(draft, at(edge.from), edge.from, Some(id)),
            _ => {
                let reading = self.reading(edge.to, false);
                self.take(draft, id, at(edge.from), at(edge.to), &reading);
            }
        }
    }

    /// A step of the program with what the automaton makes of the state after it.
    fn take(&mut self, draft: &mut Spots<'_>, id: EdgeId, from: Spot, to: Spot, reading: &Reading) {
        let edge = self.original.edge(id);
        let (assignments, constrain) = match &edge.action {
            Action::Assign {
                assignments,
                constrain,
            } => (assignments.to_vec(), *constrain),
            Action::Return(values) => {
                let procedure = self.original.procedure_of(edge.from);
                let results = self.original.procedure(procedure).results();
                let results = results.map(Variable::Local);
                (results.zip(values.iter().copied()).collect(), None)
            }
            _ => (Vec::new(), None),
        };
        let mut add = |builder: &mut Self, known: ExprId, state: Option<Move>| {
            let mut edge = DraftEdge::of(builder.original, id, draft.place(from), 0);
            let mut assignments = assignments.clone();
            let mut constrain = constrain;
            // A guard that is nothing but a choice is best left alone: it needs no splitting.
            if edge.guard.is_none_or(|guard| !builder.is_choice(guard)) {
                edge.guard = builder.draft.guarded(Some(known), edge.guard);
            } else {
                constrain = builder.draft.guarded(Some(known), constrain);
            }
            let mut to = to;
            if let Some(taken) = state {
                let condition = builder.condition(&taken.cubes, When::After);
                constrain = builder.draft.guarded(constrain, condition);
                builder.assign_state(&mut assignments, &taken);
                to = builder.goal(to, &taken);
            }
            edge.action = Action::Assign {
                assignments: assignments.into(),
                constrain,
            };
            edge.to = draft.place(to);
            draft.add(edge);
        };
        if reading.is_idle {
            let keep = self.keeps_state();
            add(self, keep, None);
            return;
        }
        for taken in &reading.moves {
            let known = self.is_in(taken.from);
            add(self, known, Some(taken.clone()));
        }
    }

    /// Steps in which only the automaton moves.
    fn follow(
        &mut self,
        draft: &mut Spots<'_>,
        from: Spot,
        to: Spot,
        reading: &Reading,
        origin: Origin,
    ) {
        let span = from.span(self.original);
        let mut add = |guard, assignments, to| {
            let (from, to) = (draft.place(from), draft.place(to));
            let edge = DraftEdge::silent(from, to, guard, assign(assignments), span);
            draft.add(DraftEdge { origin, ..edge });
        };
        if reading.is_idle {
            let keep = self.keeps_state();
            add(Some(keep), Vec::new(), to);
            return;
        }
        for taken in &reading.moves {
            let known = self.is_in(taken.from);
            let condition = self.condition(&taken.cubes, When::Before);
            let guard = self.draft.guarded(Some(known), condition);
            let mut assignments = Vec::new();
            self.assign_state(&mut assignments, taken);
            let to = self.goal(to, taken);
            add(guard, assignments, to);
        }
    }

    /// Where a transition of the automaton leads: target states end the search.
    fn goal(&self, to: Spot, taken: &Move) -> Spot {
        if self.is_target[taken.to as usize] {
            Spot::Target
        } else {
            to
        }
    }

    fn assign_state(&mut self, assignments: &mut Vec<(Variable, ExprId)>, taken: &Move) {
        if taken.from != taken.to {
            let value = self.draft.constant(taken.to, self.state_type);
            assignments.push((Variable::Global(self.state), value));
        }
    }

    /// True always, but reads the state of the automaton.
    fn keeps_state(&mut self) -> ExprId {
        let most = self.state_type.max_value();
        self.draft.compared(self.state, BinaryOp::LessEqual, most)
    }

    fn is_in(&mut self, state: u64) -> ExprId {
        self.draft.is(self.state, state)
    }

    fn is_choice(&self, guard: ExprId) -> bool {
        let exprs = &self.original.exprs;
        match *exprs.get(guard) {
            Expr::Input(..) => true,
            Expr::Unary(UnaryOp::Not, operand) => matches!(exprs.get(operand), Expr::Input(..)),
            _ => false,
        }
    }

    /// That one of the cubes holds; nothing if there are none.
    fn condition(&mut self, cubes: &[Cube], when: When) -> Option<ExprId> {
        let mut any = None;
        for cube in cubes {
            let mut all = None;
            for index in 0..u64::BITS {
                if cube.support() >> index & 1 == 0 {
                    continue;
                }
                let mut literal = self.proposition(index, when);
                if cube.negative >> index & 1 == 1 {
                    literal = self.draft.not(literal);
                }
                all = self.draft.guarded(all, Some(literal));
            }
            any = match (any, all) {
                (Some(left), Some(right)) => Some(self.draft.or(left, right)),
                (one, other) => one.or(other),
            };
        }
        any
    }

    /// A condition on variables as an expression of the product.
    fn proposition(&mut self, index: u32, when: When) -> ExprId {
        if let Some(&known) = self.conditions.get(&(index, when)) {
            return known;
        }
        let propositions = &self.automaton.propositions;
        let Atom::Condition { expr, .. } = propositions.list()[index as usize].atom else {
            unreachable!("what a place settles is no part of a residual cube");
        };
        let exprs = &mut self.draft.exprs;
        let imported = propositions.exprs().fold(expr, |expr, operands| {
            exprs.add(match (*expr, operands.as_slice()) {
                (Expr::Var(variable, ty), _) if when == When::After => Expr::Next(variable, ty),
                (Expr::Unary(op, _), &[operand]) => Expr::Unary(op, operand),
                (Expr::Binary(op, _, _, ty), &[left, right]) => Expr::Binary(op, left, right, ty),
                (Expr::Ite(_, _, _, ty), &[condition, yes, no]) => {
                    Expr::Ite(condition, yes, no, ty)
                }
                (leaf, _) => leaf,
            })
        });
        self.conditions.insert((index, when), imported);
        imported
    }
}
