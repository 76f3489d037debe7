//! The equations of function terms as clauses (section 3), given to the solver as they are made.
//!
//! A *triple* is a function term with a goal, and its literal says that the term is **false** in
//! the paper's sense: from here execution can go wrong. The goal of the paper's terms is a target.
//! A call needs a second one: "the instance ends in this exit" is the same weakest precondition
//! with another postcondition, so ⟨entry, goal exit x⟩ says that a call can come back in x, and the
//! equation of a calling term has the disjunct
//! `condition ∧ ⟨entry, exit x⟩ ∧ ⟨term after the call, goal⟩`.
//!
//! Only one half of each equation is needed: `triple ⇒ some disjunct`. Triples are asserted in one
//! place, the start, and occur positively everywhere else, so the other half would only force
//! literals true that are not asked for: models have *few negative variables* in the paper's words
//! by themselves.
//!
//! A term that has not been expanded has no equation and may be anything: if the clauses have no
//! solution already, no completion has one, and a correct program is recognised early. A calling
//! term may get more disjuncts when its callee ends in a new way; until that is settled its clause
//! ends in an open literal, from which the next clause goes on.

use crate::encoding::closure::{Closure, News};
use crate::encoding::symbols::Meaning;
use crate::encoding::terms::{HopKind, InstanceId, TermId};
use hardbop_bdd::Bdd;
use hardbop_machine::NodeId;
use hardbop_machine::analysis::BitSet;
use hardbop_sat::{CircuitOf, Clauses, Lit, Solver};
use std::collections::{BTreeMap, HashMap};

/// What a triple is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Goal {
    /// A target is reached before the instance ends.
    Target,
    /// The instance ends in this term.
    Exit(TermId),
}

/// A triple: an index into the table of [`Equations`].
pub(crate) type TripleId = u32;

/// One disjunct of a triple's equation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disjunct {
    /// Holds only where all parts do.
    pub(crate) literal: Lit,
    /// Triples among the parts.
    pub(crate) parts: [Option<TripleId>; 2],
}

/// A function term with a goal.
#[derive(Clone, Debug)]
pub(crate) struct Triple {
    /// The term.
    pub(crate) term: TermId,
    /// The goal.
    pub(crate) goal: Goal,
    /// From here the goal is reached.
    pub(crate) literal: Lit,
    /// The disjuncts of its equation so far.
    pub(crate) disjuncts: Vec<Disjunct>,
    /// Stands for disjuncts still to come.
    pub(crate) open: Option<Lit>,
    /// Whether this very place counts as wrong, if it is a target.
    pub(crate) wrong: Option<Lit>,
    has_equation: bool,
}

/// The triple of the start, whose literal is asserted.
pub(crate) const START: TripleId = 0;

/// The clauses of a closure in a solver.
pub(crate) type SolverEquations<'i> = Equations<Solver<'i>>;

/// The clauses of a closure.
pub(crate) struct Equations<S> {
    circuit: CircuitOf<S>,
    /// Literals of functions of symbols.
    functions: HashMap<Bdd, Lit>,
    symbols: HashMap<u32, Lit>,
    triples: Vec<Triple>,
    known: HashMap<(TermId, Goal), TripleId>,
    of_term: Vec<Vec<TripleId>>,
    /// Per target node whether it counts as wrong.
    targets: BTreeMap<NodeId, Lit>,
    /// Triples of expanded terms that have no equation yet.
    due: Vec<TripleId>,
}

impl<S: Clauses> Equations<S> {
    /// The equation-less triple of the start.
    pub(crate) fn new(solver: S, targets: &[NodeId]) -> Self {
        let mut circuit = CircuitOf::new(solver);
        let targets = targets.iter().map(|&node| (node, circuit.input()));
        let targets = targets.collect();
        let mut equations = Self {
            circuit,
            functions: HashMap::new(),
            symbols: HashMap::new(),
            triples: Vec::new(),
            known: HashMap::new(),
            of_term: Vec::new(),
            targets,
            due: Vec::new(),
        };
        equations.triple(TermId(0), Goal::Target, false);
        equations
    }

    /// All triples.
    pub(crate) fn triples(&self) -> &[Triple] {
        &self.triples
    }

    /// The clauses, for solving.
    pub(crate) fn circuit(&mut self) -> &mut CircuitOf<S> {
        &mut self.circuit
    }

    /// The literal that says whether a target counts.
    pub(crate) fn target(&self, node: NodeId) -> Option<Lit> {
        self.targets.get(&node).copied()
    }

    /// The literal of a symbol, if any clause speaks of it.
    pub(crate) fn symbol(&self, variable: u32) -> Option<Lit> {
        self.symbols.get(&variable).copied()
    }

    /// The triple of a term and a goal.
    fn triple(&mut self, term: TermId, goal: Goal, is_expanded: bool) -> TripleId {
        if let Some(&known) = self.known.get(&(term, goal)) {
            return known;
        }
        let id = self.triples.len() as TripleId;
        let literal = match goal {
            Goal::Exit(exit) if exit == term => self.circuit.constant(true),
            _ => self.circuit.input(),
        };
        self.triples.push(Triple {
            term,
            goal,
            literal,
            disjuncts: Vec::new(),
            open: None,
            wrong: None,
            has_equation: false,
        });
        self.known.insert((term, goal), id);
        if self.of_term.len() <= term.index() {
            self.of_term.resize(term.index() + 1, Vec::new());
        }
        self.of_term[term.index()].push(id);
        if is_expanded {
            self.due.push(id);
        }
        id
    }

    /// Makes the clauses for everything that is new in a closure.
    pub(crate) fn take_up(&mut self, closure: &mut Closure<'_, '_>) {
        for news in std::mem::take(&mut closure.news) {
            match news {
                News::Expanded(term) => {
                    let triples = self.of_term.get(term.index());
                    self.due.extend(triples.cloned().unwrap_or_default());
                }
                News::Returned(term, hop) => {
                    for id in self.of_term.get(term.index()).cloned().unwrap_or_default() {
                        if self.triples[id as usize].has_equation {
                            self.extend(closure, id, hop);
                        }
                    }
                }
            }
            while let Some(id) = self.due.pop() {
                self.equate(closure, id);
            }
        }
    }

    fn equate(&mut self, closure: &Closure<'_, '_>, id: TripleId) {
        let Triple {
            term,
            goal,
            literal,
            has_equation,
            ..
        } = self.triples[id as usize];
        if has_equation {
            return;
        }
        self.triples[id as usize].has_equation = true;
        if goal == Goal::Exit(term) {
            return;
        }
        let mut clause = vec![!literal];
        let mut calls = false;
        for hop in 0..closure.terms.get(term).hops.len() {
            calls |= matches!(closure.terms.get(term).hops[hop].kind, HopKind::Call(_));
            clause.extend(self.disjunct(closure, id, hop as u32));
        }
        if goal == Goal::Target {
            let wrong = self.target(closure.terms.get(term).node);
            self.triples[id as usize].wrong = wrong;
            clause.extend(wrong);
        }
        if calls {
            let open = self.circuit.input();
            self.triples[id as usize].open = Some(open);
            clause.push(open);
        }
        self.circuit.solver().add_clause(&clause);
    }

    /// Adds a disjunct to an equation that is there already.
    fn extend(&mut self, closure: &Closure<'_, '_>, id: TripleId, hop: u32) {
        let Some(disjunct) = self.disjunct(closure, id, hop) else {
            return;
        };
        let open = self.triples[id as usize].open;
        let open = open.expect("an equation stays open while a callee may still end in new ways");
        let next = self.circuit.input();
        self.triples[id as usize].open = Some(next);
        self.circuit.solver().add_clause(&[!open, disjunct, next]);
    }

    /// The literal of a hop in the equation of a triple; nothing if it cannot lead to the goal.
    fn disjunct(&mut self, closure: &Closure<'_, '_>, id: TripleId, hop: u32) -> Option<Lit> {
        let Triple { term, goal, .. } = self.triples[id as usize];
        let hop = &closure.terms.get(term).hops[hop as usize];
        let mut triple = |term: TermId, goal| {
            let is_expanded = closure.terms.get(term).expanded;
            self.triple(term, goal, is_expanded)
        };
        let parts = match hop.kind {
            HopKind::Step => [Some(triple(hop.to, goal)), None],
            HopKind::Call(_) if goal == Goal::Target => [Some(triple(hop.to, goal)), None],
            HopKind::Call(_) => return None,
            HopKind::Return(exit) => {
                let instance = closure.terms.get(exit).instance;
                let entry = closure.terms.instance(instance).entry;
                let ends = triple(entry, Goal::Exit(exit));
                [Some(ends), Some(triple(hop.to, goal))]
            }
        };
        let condition = self.function(closure, hop.condition);
        let literals = parts.iter().flatten();
        let mut literals: Vec<Lit> = literals
            .map(|&part| self.triples[part as usize].literal)
            .collect();
        literals.push(condition);
        let literal = self.circuit.all(literals);
        let disjuncts = &mut self.triples[id as usize].disjuncts;
        disjuncts.push(Disjunct { literal, parts });
        Some(literal)
    }

    /// Ends the equations that can get no more disjuncts.
    pub(crate) fn close(&mut self, closure: &Closure<'_, '_>) {
        let open_instances = open_instances(closure);
        for triple in &mut self.triples {
            let Some(open) = triple.open else {
                continue;
            };
            let mut hops = closure.terms.get(triple.term).hops.iter();
            let waits = hops.any(|hop| match hop.kind {
                HopKind::Call(instance) => open_instances.contains(instance.index()),
                HopKind::Step | HopKind::Return(_) => false,
            });
            if !waits {
                triple.open = None;
                self.circuit.require(!open);
            }
        }
    }

    /// Whether the term of a triple was expanded, so that the triple has an equation.
    pub(crate) fn is_settled(&self, id: TripleId) -> bool {
        let triple = &self.triples[id as usize];
        triple.has_equation || triple.goal == Goal::Exit(triple.term)
    }

    /// The literal of a function of symbols.
    pub(crate) fn function(&mut self, closure: &Closure<'_, '_>, root: Bdd) -> Lit {
        let manager = &closure.manager;
        let mut pending = vec![root];
        while let Some(&bdd) = pending.last() {
            if self.functions.contains_key(&bdd) {
                pending.pop();
                continue;
            }
            let Some((variable, low, high)) = manager.branch(bdd) else {
                let literal = self.circuit.constant(bdd.is_true());
                self.functions.insert(bdd, literal);
                continue;
            };
            if let Some(&opposite) = self.functions.get(&!bdd) {
                self.functions.insert(bdd, !opposite);
                continue;
            }
            let waiting = pending.len();
            pending.extend(
                [low, high]
                    .iter()
                    .filter(|&b| !self.functions.contains_key(b)),
            );
            let condition = self.variable(closure, variable, &mut pending);
            if pending.len() > waiting {
                continue;
            }
            let (low, high) = (self.functions[&low], self.functions[&high]);
            let literal = self.circuit.ite(condition.unwrap_or(high), high, low);
            self.functions.insert(bdd, literal);
        }
        self.functions[&root]
    }

    /// The literal of a symbol; a name's function may have to be built first and is then pending.
    fn variable(
        &mut self,
        closure: &Closure<'_, '_>,
        variable: u32,
        pending: &mut Vec<Bdd>,
    ) -> Option<Lit> {
        if let Some(&known) = self.symbols.get(&variable) {
            return Some(known);
        }
        let literal = match closure.symbols.meaning(variable) {
            Meaning::Initial | Meaning::Carried | Meaning::Choice => self.circuit.input(),
            Meaning::Name(function) => match self.functions.get(&function) {
                Some(&literal) => literal,
                None => {
                    pending.push(function);
                    return None;
                }
            },
        };
        self.symbols.insert(variable, literal);
        Some(literal)
    }
}

/// Instances that may still get new exits: they, or instances that they call, have terms that are
/// not expanded.
fn open_instances(closure: &Closure<'_, '_>) -> BitSet {
    let terms = &closure.terms;
    let mut open = BitSet::new(terms.instance_count());
    let mut pending: Vec<InstanceId> = Vec::new();
    for id in terms.ids() {
        let term = terms.get(id);
        if !term.expanded && open.insert(term.instance.index()) {
            pending.push(term.instance);
        }
    }
    while let Some(instance) = pending.pop() {
        for &(caller, _) in &terms.instance(instance).callers {
            let calling = terms.get(caller).instance;
            if open.insert(calling.index()) {
                pending.push(calling);
            }
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::blocks::Blocks;
    use crate::encoding::split::Split;
    use hardbop_bdd::Manager;
    use hardbop_machine::{Machine, from_text};
    use hardbop_sat::Answer;

    fn machine(text: &str) -> Machine {
        from_text("t.bp", text).unwrap()
    }

    fn targets(machine: &Machine) -> Vec<NodeId> {
        let mut targets: Vec<NodeId> = machine.assertions.iter().map(|a| a.failure).collect();
        targets.sort_unstable();
        targets
    }

    fn closure(machine: &Machine) -> Closure<'_, '_> {
        let targets = targets(machine);
        let blocks = Blocks::new(machine, &targets);
        Closure::new(blocks, Manager::new(1 << 16), Split::Auto, 300, 1).unwrap()
    }

    /// Takes up everything that the closure can have.
    fn complete(closure: &mut Closure<'_, '_>, equations: &mut SolverEquations<'_>) {
        while let Some(id) = closure.pending.pop_front() {
            closure.expand(id).unwrap();
            equations.take_up(closure);
        }
        equations.close(closure);
    }

    /// Whether the start can go wrong in a target that is not excluded.
    fn goes_wrong(equations: &mut SolverEquations<'_>, excluded: &[NodeId]) -> bool {
        let start = equations.triples()[START as usize].literal;
        let mut assumptions = vec![start];
        for &node in excluded {
            assumptions.push(!equations.target(node).unwrap());
        }
        equations.circuit().solve(&assumptions) == Answer::Sat
    }

    #[test]
    fn a_term_without_equation_may_go_wrong_and_its_equation_settles_it() {
        let machine =
            machine("decl g; void main() begin g := 0; if (g) then skip; fi assert(!g); end");
        let mut closure = closure(&machine);
        let mut equations = Equations::new(Solver::new(), &targets(&machine));
        assert!(goes_wrong(&mut equations, &[]));
        complete(&mut closure, &mut equations);
        assert!(!goes_wrong(&mut equations, &[]));
    }

    #[test]
    fn a_target_that_does_not_count_supports_nothing() {
        let machine = machine("decl g, h; void main() begin assert(g); assert(g | h); end");
        let mut closure = closure(&machine);
        let targets = targets(&machine);
        let mut equations = Equations::new(Solver::new(), &targets);
        complete(&mut closure, &mut equations);
        assert!(goes_wrong(&mut equations, &[]));
        assert!(goes_wrong(&mut equations, &targets[1..]));
        // The second assertion fails only where the first one does, which ends the run.
        assert!(!goes_wrong(&mut equations, &targets[..1]));
        assert!(!goes_wrong(&mut equations, &targets));
    }

    #[test]
    fn a_call_comes_back_only_in_exits_that_its_instance_reaches() {
        let machine = machine(
            "decl g, k; void main() begin k := *; g := k; f(); assert(g = k); end
             void f() begin if (g) then g := 0; else g := 1; fi end",
        );
        let mut closure = closure(&machine);
        let mut equations = Equations::new(Solver::new(), &targets(&machine));
        while let Some(id) = closure.pending.pop_front() {
            closure.expand(id).unwrap();
        }
        equations.take_up(&mut closure);
        equations.close(&closure);
        let waiting = equations.triples().iter().filter(|t| t.open.is_some());
        assert_eq!(waiting.count(), 0);
        assert!(goes_wrong(&mut equations, &[]));
        let exits = equations.triples().iter().filter(|triple| {
            matches!(triple.goal, Goal::Exit(_)) && triple.goal != Goal::Exit(triple.term)
        });
        assert!(exits.count() > 0);
    }

    #[test]
    fn an_equation_stays_open_while_the_callee_is_not_complete() {
        let machine = machine(
            "decl g; void main() begin g := 0; f(); assert(!g); end void f() begin if (g) then g := 0; fi end",
        );
        let mut closure = closure(&machine);
        let mut equations = Equations::new(Solver::new(), &targets(&machine));
        // The start and the call, nothing of the callee.
        for _ in 0..2 {
            let id = closure.pending.pop_front().unwrap();
            closure.expand(id).unwrap();
        }
        equations.take_up(&mut closure);
        equations.close(&closure);
        assert!(equations.triples().iter().any(|t| t.open.is_some()));
        assert!(goes_wrong(&mut equations, &[]));
        complete(&mut closure, &mut equations);
        assert!(equations.triples().iter().all(|t| t.open.is_none()));
        assert!(!goes_wrong(&mut equations, &[]));
    }
}
