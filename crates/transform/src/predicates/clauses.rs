//! What a step says about predicates: the shortest clauses over some formulas that follow from a
//! premise.
//!
//! The formulas are predicates before a step, and what the step makes of predicates and
//! conditions. A clause over them is the negation of a cube that the premise rules out. A clause
//! with one formula of the second kind is Cartesian abstraction (Ball, Podelski and Rajamani, TACAS
//! 2001): predicates before the step decide one after it. Clauses with none strengthen the guard,
//! and with several they keep predicates consistent that change together. All shortest clauses up to
//! a length are found; the length is what a number of candidates allows, so that few formulas give
//! the exact relation. Most candidates need no question to the solver: a cube that a known model
//! satisfies is possible, and one that contains a shorter impossible cube says nothing new.

use super::formulas::Formulas;
use crate::literals::edge_circuits::gate;
use hardbop_machine::bits::BitNode;
use hardbop_machine::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use hardbop_outcome::Interrupt;
use hardbop_sat::{Answer, Circuit, Lit, Solver};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Candidates for clauses over one group of formulas, unless refinement asks for more.
const CANDIDATES: u64 = 2_500;
/// Formulas in a group.
const MOST_FORMULAS: usize = 24;
/// A question that takes more conflicts is given up, and with it a clause.
const CONFLICTS: u64 = 4_000;
/// Work between two looks at the interrupt, a question to the solver being 1.
const WORK: u64 = 16;
/// The work of translating a group.
const GROUP: u64 = 4;

/// Formulas with the value that one of them has at least.
pub(super) type Clause = Vec<(ExprId, bool)>;

/// Parts of a premise, and formulas that have to do with them.
type Group = (Vec<ExprId>, Vec<ExprId>);

/// Why the work stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// All clauses computed so far.
pub(super) struct Clauses {
    known: HashMap<Group, Rc<[Clause]>>,
    /// How many times [`CANDIDATES`] may be tried for a group.
    pub effort: u64,
    /// Questions to the solver.
    pub questions: u64,
    /// Work since the last look at the interrupt.
    work: u64,
}

/// A step over formulas.
#[derive(Clone, Debug, Default)]
pub(super) struct Statement {
    /// Holds where the step is taken.
    pub premise: Vec<ExprId>,
    /// Predicates before the step.
    pub before: Vec<ExprId>,
    /// What the step makes of predicates and conditions.
    pub linked: Vec<ExprId>,
    /// Variables and choices that are kept as they are.
    pub kept: BTreeSet<ExprId>,
}

impl Clauses {
    pub(super) fn new() -> Self {
        Self {
            known: HashMap::new(),
            effort: 1,
            questions: 0,
            work: 0,
        }
    }

    /// The clauses of a step.
    pub(super) fn of(
        &mut self,
        formulas: &mut Formulas,
        statement: &Statement,
        interrupt: &dyn Interrupt,
    ) -> Result<Vec<Clause>, Stopped> {
        let premise = conjuncts(formulas, &statement.premise);
        let mut clauses = Vec::new();
        for (premise, group) in groups(formulas, &premise, statement) {
            let key = (premise, group);
            let known = match self.known.get(&key) {
                Some(known) => Rc::clone(known),
                None => {
                    let new: Rc<[Clause]> =
                        self.enumerate(formulas, &key.0, &key.1, interrupt)?.into();
                    self.known.insert(key, Rc::clone(&new));
                    new
                }
            };
            clauses.extend(known.iter().cloned());
        }
        Ok(clauses)
    }

    /// Forgets clauses, so that the next ones can be longer.
    pub(super) fn try_harder(&mut self) {
        self.effort *= 8;
        self.known.clear();
    }

    fn enumerate(
        &mut self,
        formulas: &mut Formulas,
        premise: &[ExprId],
        group: &[ExprId],
        interrupt: &dyn Interrupt,
    ) -> Result<Vec<Clause>, Stopped> {
        self.work(GROUP, interrupt)?;
        let is_over = || interrupt.check().is_some();
        let mut solver = Solver::new();
        solver.set_interrupt(&is_over);
        solver.set_conflict_limit(Some(CONFLICTS));
        let mut literals = Literals {
            circuit: Circuit::new(solver),
            known: HashMap::new(),
        };
        for &conjunct in premise {
            if let Some(holds) = literals.of(formulas, conjunct) {
                literals.circuit.require(holds);
            }
        }
        let mut members = Vec::new();
        for &formula in group {
            members.extend(literals.of(formulas, formula).map(|lit| (formula, lit)));
        }
        let mut cubes = Cubes {
            members: &members,
            circuit: literals.circuit,
            models: Vec::new(),
            impossible: Vec::new(),
        };
        let mut left = CANDIDATES.saturating_mul(self.effort);
        for length in 0..=members.len() {
            let count = candidates(members.len(), length);
            if count > left {
                break;
            }
            left -= count;
            let mut chosen: Vec<usize> = (0..length).collect();
            loop {
                for signs in 0..1u64 << length {
                    let cube = Cube::new(&chosen, signs);
                    if cubes.is_known(cube) {
                        continue;
                    }
                    self.questions += 1;
                    self.work(1, interrupt)?;
                    if cubes.ask(cube) == Answer::Interrupted && is_over() {
                        return Err(Stopped);
                    }
                }
                if !next_choice(&mut chosen, members.len()) {
                    break;
                }
            }
        }
        Ok(cubes.clauses())
    }

    fn work(&mut self, amount: u64, interrupt: &dyn Interrupt) -> Result<(), Stopped> {
        self.work += amount;
        if self.work < WORK {
            return Ok(());
        }
        self.work = 0;
        match interrupt.check() {
            Some(_) => Err(Stopped),
            None => Ok(()),
        }
    }
}

/// The conjuncts of a premise, each once and in order.
fn conjuncts(formulas: &Formulas, premise: &[ExprId]) -> BTreeSet<ExprId> {
    let mut conjuncts = BTreeSet::new();
    let mut pending = premise.to_vec();
    while let Some(id) = pending.pop() {
        match formulas.get(id) {
            Expr::Binary(BinaryOp::And, a, b, Type::Bool) => pending.extend([a, b]),
            Expr::Const(1, Type::Bool) => {}
            _ => {
                conjuncts.insert(id);
            }
        }
    }
    conjuncts
}

/// Parts of the premise and formulas that have to do with each other, by the variables and choices
/// that they share; only those that a step can change or that it depends on. Formulas with nothing
/// in common cannot contradict each other.
fn groups(
    formulas: &mut Formulas,
    premise: &BTreeSet<ExprId>,
    statement: &Statement,
) -> Vec<Group> {
    let linked: BTreeSet<ExprId> = statement.linked.iter().copied().collect();
    let before: BTreeSet<ExprId> = statement.before.iter().copied().collect();
    let mut users: BTreeMap<ExprId, Vec<ExprId>> = BTreeMap::new();
    for &formula in premise.iter().chain(&linked).chain(&before) {
        for &leaf in formulas.leaves(formula).iter() {
            users.entry(leaf).or_default().push(formula);
        }
    }
    let mut seen: BTreeSet<ExprId> = BTreeSet::new();
    let mut groups = Vec::new();
    for &start in linked.iter().chain(premise) {
        if !seen.insert(start) {
            continue;
        }
        // What is near comes first, so that it is what stays if there is too much.
        let mut reached = vec![start];
        let mut leaves: BTreeSet<ExprId> = BTreeSet::new();
        let mut next = 0;
        while let Some(&formula) = reached.get(next) {
            next += 1;
            for &leaf in formulas.leaves(formula).iter() {
                if leaves.insert(leaf) {
                    let new = users[&leaf].iter().copied();
                    reached.extend(new.filter(|&formula| seen.insert(formula)));
                }
            }
        }
        let is_member = |id: &&ExprId| linked.contains(*id) || before.contains(*id);
        let mut group: Vec<ExprId> = reached.iter().filter(is_member).copied().collect();
        if group.is_empty() && formulas.constant(start) != Some(0) {
            continue;
        }
        for leaf in leaves {
            if statement.kept.contains(&leaf) {
                group.extend(kept_bits(formulas, leaf));
            }
        }
        // What changes is never left out for what does not.
        group.sort_by_key(|formula| !linked.contains(formula));
        let mut distinct = BTreeSet::new();
        group.retain(|&formula| distinct.insert(formula));
        group.truncate(MOST_FORMULAS);
        let premise = reached.iter().filter(|id| premise.contains(id)).copied();
        groups.push((premise.collect(), group));
    }
    groups
}

/// The bits of a variable that is kept, as formulas.
fn kept_bits(formulas: &mut Formulas, leaf: ExprId) -> Vec<ExprId> {
    let ty = formulas.ty(leaf);
    if ty == Type::Bool {
        return vec![leaf];
    }
    let bits = (0..u64::from(ty.width())).map(|bit| {
        let bit = formulas.make(Expr::Const(bit, ty));
        let shifted = formulas.make(Expr::Binary(BinaryOp::ShiftRight, leaf, bit, ty));
        formulas.make(Expr::Unary(UnaryOp::Resize(Type::Bool), shifted))
    });
    bits.collect()
}

/// How many cubes of a length there are over some formulas.
fn candidates(formulas: usize, length: usize) -> u64 {
    let mut count: u64 = 1;
    for number in 0..length as u64 {
        count = count.saturating_mul(formulas as u64 - number) / (number + 1);
    }
    count.saturating_mul(1u64.checked_shl(length as u32).unwrap_or(u64::MAX))
}

/// The next choice of as many numbers below a bound; false after the last.
fn next_choice(chosen: &mut [usize], bound: usize) -> bool {
    let length = chosen.len();
    for place in (0..length).rev() {
        if chosen[place] < bound - (length - place) {
            chosen[place] += 1;
            for later in place + 1..length {
                chosen[later] = chosen[later - 1] + 1;
            }
            return true;
        }
    }
    false
}

/// Some formulas that hold and some that do not.
#[derive(Clone, Copy, Debug)]
struct Cube {
    holds: u64,
    fails: u64,
}

impl Cube {
    fn new(chosen: &[usize], signs: u64) -> Self {
        let mut cube = Self { holds: 0, fails: 0 };
        for (number, &member) in chosen.iter().enumerate() {
            if signs >> number & 1 == 1 {
                cube.holds |= 1 << member;
            } else {
                cube.fails |= 1 << member;
            }
        }
        cube
    }
}

struct Cubes<'c, 'i> {
    members: &'c [(ExprId, Lit)],
    circuit: Circuit<'i>,
    /// The formulas that hold in models met so far.
    models: Vec<u64>,
    impossible: Vec<Cube>,
}

impl Cubes<'_, '_> {
    fn is_known(&self, cube: Cube) -> bool {
        let is_met = |&model: &u64| model & (cube.holds | cube.fails) == cube.holds;
        let contains =
            |other: &Cube| other.holds & !cube.holds == 0 && other.fails & !cube.fails == 0;
        self.models.iter().rev().any(is_met) || self.impossible.iter().any(contains)
    }

    fn ask(&mut self, cube: Cube) -> Answer {
        let members = self.members.iter().enumerate();
        let assumed = members.filter_map(|(number, &(_, lit))| {
            let is_in = |set: u64| set >> number & 1 == 1;
            is_in(cube.holds)
                .then_some(lit)
                .or_else(|| is_in(cube.fails).then_some(!lit))
        });
        let assumed: Vec<Lit> = assumed.collect();
        let answer = self.circuit.solve(&assumed);
        match answer {
            Answer::Unsat => self.impossible.push(cube),
            Answer::Sat => {
                let mut model = 0;
                for (number, &(_, lit)) in self.members.iter().enumerate() {
                    let constant = self.circuit.as_constant(lit);
                    let value = constant.or_else(|| self.circuit.solver().value(lit));
                    model |= u64::from(value == Some(true)) << number;
                }
                self.models.push(model);
            }
            // It may be possible, which is the safe answer.
            Answer::Interrupted => {}
        }
        answer
    }

    fn clauses(&self) -> Vec<Clause> {
        let clauses = self.impossible.iter().map(|cube| {
            let members = self.members.iter().enumerate();
            let literals = members.filter_map(|(number, &(formula, _))| {
                let is_in = |set: u64| set >> number & 1 == 1;
                (is_in(cube.holds) || is_in(cube.fails)).then(|| (formula, is_in(cube.fails)))
            });
            literals.collect()
        });
        clauses.collect()
    }
}

/// Formulas as literals of one circuit.
struct Literals<'i> {
    circuit: Circuit<'i>,
    known: HashMap<u32, Lit>,
}

impl Literals<'_> {
    fn of(&mut self, formulas: &mut Formulas, formula: ExprId) -> Option<Lit> {
        let root = formulas.bit(formula)?;
        let graph = formulas.graph();
        for id in graph.cone([root]) {
            if self.known.contains_key(&id.0) {
                continue;
            }
            let literal = match graph.get(id) {
                BitNode::Var(..) | BitNode::Next(..) | BitNode::Input(..) => self.circuit.input(),
                node => gate(&mut self.circuit, node, |operand| self.known[&operand.0]),
            };
            self.known.insert(id.0, literal);
        }
        Some(self.known[&root.0])
    }
}
