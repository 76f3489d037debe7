//! The fixed point: for every cut point the strongest conjunction of candidates that is inductive.
//!
//! It is computed from below. A cut point that was never reached has no facts: nothing is there.
//! A block is asked, under the facts of its start, for a run to an end that is not reached yet or
//! where a fact fails. The model is a state there: candidates that are false in it are dropped
//! (Houdini), and the affine hull grows by it (A. King, H. Søndergaard, *Automatic abstraction for
//! congruences*, VMCAI 2010). When no block has an answer, all facts hold together. Procedures are
//! summarised by the facts at their exits, over values at the entry and at the exit.
//!
//! The solver may give up on a query: then the facts in question are dropped, which is sound since
//! fewer facts are demanded of the end. Nothing here is trusted: the result is a certificate.

use crate::affine::Hull;
use crate::block::{Block, START};
use crate::cuts::Cuts;
use crate::templates::{Visible, Vocabulary, phase_predicates};
use crate::terms::Terms;
use hardbop_machine::analysis::{QuickMap, Slice};
use hardbop_machine::bits::{BitId, BitView, translate};
use hardbop_machine::{ExprId, Machine, NodeId, ProcId};
use hardbop_outcome::{Interrupt, Limit};
use hardbop_sat::{Answer, Lit};
use std::collections::{BTreeMap, BTreeSet};

/// Conflicts that a query about all facts at once may take.
const MOST_CONFLICTS: u64 = 4_000;
/// Conflicts that a query about one fact may take.
const MOST_CONFLICTS_OF_ONE: u64 = 600;
/// A hull of more words would make too many queries.
const MOST_DIMENSIONS: usize = 12;

/// A frame of more bits costs too much at every node.
const MOST_FRAME_BITS: u32 = 4_096;
/// Programs with more nodes are not analysed.
const MOST_NODES: usize = 20_000;

/// A case of a cut point: facts are kept for each value of the phase predicates on their own.
pub(crate) type Case = (NodeId, u32);

/// What is known in one case.
#[derive(Default)]
pub(crate) struct Element {
    pub is_reached: bool,
    candidates: Vec<ExprId>,
    groups: Vec<Group>,
}

/// Words of one type with their hull.
struct Group {
    words: Vec<ExprId>,
    hull: Hull,
    equations: Vec<ExprId>,
    /// The solver could not cope with its equations.
    is_given_up: bool,
}

impl Element {
    /// All facts.
    pub fn facts(&self) -> impl Iterator<Item = ExprId> + '_ {
        let equations = self.groups.iter().flat_map(|group| &group.equations);
        equations.chain(&self.candidates).copied()
    }
}

/// Work counters.
#[derive(Clone, Copy, Default)]
pub(crate) struct Work {
    pub queries: u64,
    pub points: u64,
    pub conflicts: u64,
}

/// The analysis of a machine.
pub(crate) struct Analysis<'m, 'i> {
    pub view: BitView<'m>,
    pub machine: &'m Machine,
    pub cuts: Cuts,
    pub terms: Terms,
    targets: Vec<NodeId>,
    /// Variables outside of it take no part; there is none without targets.
    slice: Option<Slice>,
    interrupt: &'i dyn Interrupt,
    is_over: &'i dyn Fn() -> bool,
    vocabularies: Vec<Option<Vocabulary>>,
    /// Predicates that split loop heads of a procedure.
    phases: Vec<(ProcId, ExprId)>,
    phases_of: BTreeMap<NodeId, Vec<ExprId>>,
    pub elements: BTreeMap<Case, Element>,
    pub blocks: BTreeMap<NodeId, Block<'i>>,
    bits: QuickMap<ExprId, BitId>,
    queue: BTreeSet<(u32, Case)>,
    reached_targets: BTreeSet<NodeId>,
    pub work: Work,
}

/// What a query asks about one case of an end.
struct Goal {
    case: Case,
    frame: usize,
    here: Lit,
    /// The facts that may fail, or none if the case is not reached yet.
    failures: Vec<(ExprId, Lit)>,
}

impl<'m, 'i> Analysis<'m, 'i> {
    pub fn new(
        machine: &'m Machine,
        targets: &[NodeId],
        interrupt: &'i dyn Interrupt,
        is_over: &'i dyn Fn() -> bool,
    ) -> Self {
        Self {
            view: BitView::new(machine),
            machine,
            cuts: Cuts::new(machine, targets),
            terms: Terms::new(machine),
            targets: targets.to_vec(),
            slice: (!targets.is_empty()).then(|| Slice::new(machine, targets)),
            interrupt,
            is_over,
            vocabularies: machine.procedures.iter().map(|_| None).collect(),
            phases: Vec::new(),
            phases_of: BTreeMap::new(),
            elements: BTreeMap::new(),
            blocks: BTreeMap::new(),
            bits: QuickMap::default(),
            queue: BTreeSet::new(),
            reached_targets: BTreeSet::new(),
            work: Work::default(),
        }
    }

    /// Whether the program is too large for the analysis.
    pub fn is_too_large(&self) -> bool {
        let bits = self.view.layout().frame_bits();
        self.machine.nodes.len() > MOST_NODES || bits > MOST_FRAME_BITS
    }

    /// Computes the facts, with loop heads split by some predicates. The facts are of use only if
    /// some target is not reached, otherwise the fixed point is left early.
    pub fn run(&mut self, phases: &[(ProcId, ExprId)]) -> Result<(), Limit> {
        phases.clone_into(&mut self.phases);
        self.phases_of.clear();
        self.elements.clear();
        self.queue.clear();
        self.reached_targets.clear();
        let main = self.machine.threads[0].entry;
        let mut initial = Block::initial(&self.view, main, self.is_over);
        self.saturate(&mut initial, None)?;
        while let Some((_, case)) = self.queue.pop_first() {
            if self.has_lost() {
                self.queue.clear();
                return Ok(());
            }
            let mut block = match self.blocks.remove(&case.0) {
                Some(block) => block,
                None => Block::new(&mut self.view, &self.cuts, case.0, self.is_over),
            };
            let end = self.saturate(&mut block, Some(case));
            self.blocks.insert(case.0, block);
            end?;
        }
        Ok(())
    }

    /// Whether all targets are reached, according to the facts.
    fn has_lost(&self) -> bool {
        !self.targets.is_empty() && self.reached_targets.len() == self.targets.len()
    }

    /// Whether a target is excluded by the facts.
    pub fn excludes(&self, target: NodeId) -> bool {
        !self.reached_targets.contains(&target)
    }

    /// The predicates of a cut point.
    pub fn predicates(&mut self, node: NodeId) -> Vec<ExprId> {
        if self.phases.is_empty() || !self.machine.node_order().is_loop_head(node) {
            return Vec::new();
        }
        if let Some(known) = self.phases_of.get(&node) {
            return known.clone();
        }
        let procedure = self.machine.procedure_of(node);
        let visible = self.visible(node);
        let phases = self.phases.iter().filter(|(owner, _)| *owner == procedure);
        let phases = phases.map(|&(_, predicate)| predicate);
        let phases: Vec<ExprId> = phases
            .filter(|&predicate| visible.contains(&self.terms, predicate))
            .collect();
        self.phases_of.insert(node, phases.clone());
        phases
    }

    /// The condition of a case, as facts.
    pub fn conditions(&mut self, case: Case) -> Vec<ExprId> {
        let predicates = self.predicates(case.0);
        let conditions = predicates.into_iter().enumerate();
        let terms = &mut self.terms;
        conditions
            .map(|(index, predicate)| match case.1 >> index & 1 {
                0 => terms.not(predicate),
                _ => predicate,
            })
            .collect()
    }

    /// The cases of a cut point.
    pub fn cases(&mut self, node: NodeId) -> impl Iterator<Item = Case> + use<> {
        let count = self.predicates(node).len();
        (0..1_u32 << count).map(move |case| (node, case))
    }

    /// All predicates that may split a loop of the machine.
    pub fn splits(&mut self) -> Vec<(ProcId, ExprId)> {
        let order = self.machine.node_order();
        let mut splits: Vec<(ProcId, ExprId)> = Vec::new();
        for node in self.machine.node_ids() {
            let is_reached = self.elements.keys().any(|case| case.0 == node);
            if !order.is_loop_head(node) || !is_reached {
                continue;
            }
            let procedure = self.machine.procedure_of(node);
            let visible = self.visible(node);
            let Some(vocabulary) = &self.vocabularies[procedure.index()] else {
                continue;
            };
            let found = phase_predicates(&mut self.terms, &visible, vocabulary);
            for predicate in found {
                if !splits.contains(&(procedure, predicate)) {
                    splits.push((procedure, predicate));
                }
            }
        }
        splits
    }

    fn visible(&mut self, node: NodeId) -> Visible {
        let procedure = self.machine.procedure_of(node);
        let (machine, terms) = (self.machine, &mut self.terms);
        let vocabulary = self.vocabularies[procedure.index()]
            .get_or_insert_with(|| Vocabulary::new(machine, terms, procedure));
        Visible::new(machine, terms, self.slice.as_ref(), vocabulary, node)
    }

    /// The formula of a fact.
    pub fn bit(&mut self, fact: ExprId) -> BitId {
        let (view, terms) = (&mut self.view, &self.terms);
        *self
            .bits
            .entry(fact)
            .or_insert_with(|| translate(view.graph_mut(), &terms.exprs, fact)[0])
    }

    /// The literal of a fact in a frame of a block.
    pub fn literal(&mut self, block: &mut Block<'i>, frame: usize, fact: ExprId) -> Lit {
        let bit = self.bit(fact);
        block.formula(&self.view, frame, bit)
    }

    /// The literal of the condition that a run of the block ends in a case.
    pub fn ends_in(&mut self, block: &mut Block<'i>, end: usize, case: Case) -> Lit {
        let (mut here, frame) = (block.ends[end].reached, block.ends[end].frame);
        for condition in self.conditions(case) {
            let condition = self.literal(block, frame, condition);
            here = block.circuit.and(here, condition);
        }
        here
    }

    /// What holds at the start of a block and at the exits of callees; each literal with its fact
    /// and the case that the fact belongs to, unless it is a condition.
    pub fn premises(
        &mut self,
        block: &mut Block<'i>,
        start: Option<Case>,
    ) -> Vec<(Lit, Option<(Case, ExprId)>)> {
        let mut premises = Vec::new();
        if let Some(case) = start {
            for condition in self.conditions(case) {
                premises.push((self.literal(block, START, condition), None));
            }
            for fact in self.facts(case) {
                let lit = self.literal(block, START, fact);
                premises.push((lit, Some((case, fact))));
            }
        }
        for call in 0..block.calls.len() {
            let (callee, returns, frame) = {
                let call = &block.calls[call];
                (call.callee, call.returns, call.frame)
            };
            let case = (self.machine.procedure(callee).exit, 0);
            if !self.is_reached(case) {
                premises.push((!returns, None));
                continue;
            }
            for fact in self.facts(case) {
                let lit = self.literal(block, frame, fact);
                let lit = block.circuit.or(!returns, lit);
                premises.push((lit, Some((case, fact))));
            }
        }
        premises
    }

    pub fn facts(&self, case: Case) -> Vec<ExprId> {
        let element = self.elements.get(&case);
        element.map_or_else(Vec::new, |element| element.facts().collect())
    }

    pub fn is_reached(&self, case: Case) -> bool {
        self.elements
            .get(&case)
            .is_some_and(|element| element.is_reached)
    }

    /// Weakens the facts at the ends of a block until they follow from those at its start.
    fn saturate(&mut self, block: &mut Block<'i>, start: Option<Case>) -> Result<(), Limit> {
        loop {
            if let Some(why) = self.interrupt.check() {
                return Err(why);
            }
            let premises = self.premises(block, start);
            let mut assumptions: Vec<Lit> = premises.into_iter().map(|(lit, _)| lit).collect();
            let goals = self.goals(block);
            let mut questions = Vec::new();
            for goal in &goals {
                if goal.failures.is_empty() {
                    questions.push(goal.here);
                    continue;
                }
                let holds = block.circuit.all(goal.failures.iter().map(|(_, lit)| *lit));
                questions.push(block.circuit.and(goal.here, !holds));
            }
            let question = block.circuit.any(questions);
            if block.circuit.as_constant(question) == Some(false) {
                return Ok(());
            }
            assumptions.push(question);
            match self.solve(block, &assumptions, MOST_CONFLICTS)? {
                Answer::Unsat => return Ok(()),
                Answer::Sat => self.absorb(block, &goals),
                Answer::Interrupted => {
                    assumptions.pop();
                    if !self.ask_one_by_one(block, &assumptions, &goals)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Every case of every end that can still be weakened.
    fn goals(&mut self, block: &mut Block<'i>) -> Vec<Goal> {
        let mut goals = Vec::new();
        for end in 0..block.ends.len() {
            let (node, frame) = (block.ends[end].node, block.ends[end].frame);
            for case in self.cases(node) {
                let facts = self.facts(case);
                if self.is_reached(case) && facts.is_empty() {
                    continue;
                }
                let here = self.ends_in(block, end, case);
                let facts = facts.into_iter();
                let failures = facts.map(|fact| (fact, self.literal(block, frame, fact)));
                let failures = failures.collect();
                goals.push(Goal {
                    case,
                    frame,
                    here,
                    failures,
                });
            }
        }
        goals
    }

    pub fn solve(
        &mut self,
        block: &mut Block<'i>,
        assumptions: &[Lit],
        conflicts: u64,
    ) -> Result<Answer, Limit> {
        self.work.queries += 1;
        let before = block.circuit.solver().conflicts();
        block.circuit.solver().set_conflict_limit(Some(conflicts));
        let answer = block.circuit.solve(assumptions);
        self.work.conflicts += block.circuit.solver().conflicts() - before;
        match answer {
            Answer::Interrupted => match self.interrupt.check() {
                Some(why) => Err(why),
                None => Ok(answer),
            },
            _ => Ok(answer),
        }
    }

    /// Adds the states of the model at the ends that its run reaches.
    fn absorb(&mut self, block: &mut Block<'i>, goals: &[Goal]) {
        for goal in goals {
            if block.is_true(goal.here) {
                self.add_point(block, goal.case, goal.frame);
            }
        }
    }

    fn add_point(&mut self, block: &mut Block<'i>, case: Case, frame: usize) {
        self.work.points += 1;
        self.reach(case);
        let Self {
            view,
            terms,
            elements,
            ..
        } = self;
        let Some(element) = elements.get_mut(&case) else {
            return;
        };
        let mut value = |terms: &Terms, of| block.value(view, frame, &terms.exprs, of);
        let before = element.candidates.len();
        element.candidates.retain(|&fact| value(terms, fact) == 1);
        let mut has_changed = element.candidates.len() < before;
        for group in &mut element.groups {
            let fails = group.equations.iter().any(|&fact| value(terms, fact) == 0);
            if fails || group.hull.is_empty() {
                has_changed = true;
                let words = group.words.iter();
                let point: Vec<u64> = words.map(|&word| value(terms, word)).collect();
                group.hull.insert(&point);
                let equations = group.hull.equations();
                group.equations = if group.is_given_up {
                    Vec::new()
                } else {
                    let equations = equations.iter();
                    equations.map(|e| terms.equation(&group.words, e)).collect()
                };
            }
        }
        if has_changed {
            self.wake(case);
        }
    }

    /// The first time that a case is reached all its candidates are facts.
    fn reach(&mut self, case: Case) {
        if self.is_reached(case) {
            return;
        }
        let node = case.0;
        if self.targets.contains(&node) {
            self.reached_targets.insert(node);
        }
        let mut element = Element {
            is_reached: true,
            ..Element::default()
        };
        let leads_somewhere = self.machine.edges_from(node).next().is_some();
        let procedure = self.machine.procedure_of(node);
        let is_exit = self.machine.procedure(procedure).exit == node;
        if leads_somewhere || is_exit {
            let visible = self.visible(node);
            if let Some(vocabulary) = &self.vocabularies[procedure.index()] {
                element.candidates = visible.candidates(&mut self.terms, vocabulary);
            }
            for (ty, mut words) in visible.words {
                words.truncate(MOST_DIMENSIONS);
                element.groups.push(Group {
                    hull: Hull::empty(ty.width(), words.len()),
                    words,
                    equations: Vec::new(),
                    is_given_up: false,
                });
            }
        }
        self.elements.insert(case, element);
        self.wake(case);
    }

    /// The blocks that rely on the facts of a case have to be asked again.
    fn wake(&mut self, case: Case) {
        let order = self.machine.node_order();
        self.queue.insert((order.position(case.0), case));
        let procedure = self.machine.procedure_of(case.0);
        if self.machine.procedure(procedure).exit != case.0 {
            return;
        }
        for site in self.machine.calls().calls_of(procedure) {
            let node = self.machine.edge(site.edge).from;
            for case in self.cases(node) {
                if self.is_reached(case) {
                    self.queue.insert((order.position(node), case));
                }
            }
        }
    }

    /// Asks about every fact on its own, and drops what the solver cannot decide. Says whether
    /// anything was weakened.
    fn ask_one_by_one(
        &mut self,
        block: &mut Block<'i>,
        assumptions: &[Lit],
        goals: &[Goal],
    ) -> Result<bool, Limit> {
        let mut assumptions = assumptions.to_vec();
        let mut is_weaker = false;
        for goal in goals {
            if !self.is_reached(goal.case) {
                assumptions.push(goal.here);
                let answer = self.solve(block, &assumptions, MOST_CONFLICTS)?;
                assumptions.pop();
                is_weaker |= answer != Answer::Unsat;
                match answer {
                    Answer::Unsat => {}
                    Answer::Sat => self.add_point(block, goal.case, goal.frame),
                    Answer::Interrupted => {
                        self.reach(goal.case);
                        self.give_up(goal.case, None);
                    }
                }
                continue;
            }
            for &(fact, holds) in &goal.failures {
                if !self.facts(goal.case).contains(&fact) {
                    continue;
                }
                assumptions.extend([goal.here, !holds]);
                let answer = self.solve(block, &assumptions, MOST_CONFLICTS_OF_ONE)?;
                assumptions.truncate(assumptions.len() - 2);
                is_weaker |= answer != Answer::Unsat;
                match answer {
                    Answer::Unsat => {}
                    Answer::Sat => self.add_point(block, goal.case, goal.frame),
                    Answer::Interrupted => self.give_up(goal.case, Some(fact)),
                }
            }
        }
        Ok(is_weaker)
    }

    /// Drops a fact, or all facts of a case.
    fn give_up(&mut self, case: Case, fact: Option<ExprId>) {
        if let Some(element) = self.elements.get_mut(&case) {
            element
                .candidates
                .retain(|&other| fact.is_some_and(|fact| fact != other));
            for group in &mut element.groups {
                if fact.is_none_or(|fact| group.equations.contains(&fact)) {
                    group.equations.clear();
                    group.is_given_up = true;
                }
            }
        }
        self.wake(case);
    }
}
