//! Path edges with explicit states (Bebop, section 3.1), and the certificate that they are.

use hardbop_machine::{GlobalId, LocalId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::certificate::{Bit, Direction, Formula, NodeRelation};
use hardbop_outcome::{Certificate, Target};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What one procedure sees.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Values of all globals.
    pub globals: Vec<u64>,
    /// Values of the procedure's locals.
    pub locals: Vec<u64>,
}

impl State {
    /// The value of a variable.
    pub fn read(&self, variable: Variable) -> u64 {
        match variable {
            Variable::Global(id) => self.globals[id.index()],
            Variable::Local(id) => self.locals[id.index()],
        }
    }

    /// Changes variables.
    pub fn write(&mut self, writes: &[(Variable, u64)]) {
        for &(variable, value) in writes {
            match variable {
                Variable::Global(id) => self.globals[id.index()] = value,
                Variable::Local(id) => self.locals[id.index()] = value,
            }
        }
    }
}

/// For every node the pairs of entry state and current state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathEdges {
    nodes: BTreeMap<NodeId, BTreeSet<(State, State)>>,
}

impl PathEdges {
    /// Adds one.
    pub(crate) fn add(&mut self, node: NodeId, entry: State, now: State) {
        self.nodes.entry(node).or_default().insert((entry, now));
    }

    /// The nodes with their pairs.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &BTreeSet<(State, State)>)> {
        self.nodes.iter().map(|(&node, pairs)| (node, pairs))
    }

    /// A certificate that lists them: per node a disjunction of pairs, each a conjunction of bits.
    pub fn certificate(&self, machine: &Machine, targets: Vec<Target>) -> Certificate {
        let mut formulas = Formulas::default();
        let mut nodes = Vec::new();
        for (&node, pairs) in &self.nodes {
            let procedure = machine.procedure_of(node);
            let describe = |(entry, now): &(State, State)| {
                let mut literals = Vec::new();
                for variable in variables(machine, procedure) {
                    for bit in 0..machine.type_of(procedure, variable).width() {
                        let place = Bit { variable, bit };
                        let is_set = |state: &State| state.read(variable) >> bit & 1 == 1;
                        literals.push((Formula::Entry(place), is_set(entry)));
                        literals.push((Formula::Now(place), is_set(now)));
                    }
                }
                literals
            };
            let disjuncts = pairs
                .iter()
                .map(|pair| formulas.conjunction(describe(pair)))
                .collect();
            let relation = formulas.add(Formula::Or(disjuncts));
            nodes.push(NodeRelation::new(machine, node, relation));
        }
        Certificate::new(machine, Direction::Forward, targets, formulas.all, nodes)
    }
}

/// All variables that a procedure sees.
fn variables(machine: &Machine, procedure: ProcId) -> impl Iterator<Item = Variable> {
    let globals = (0..machine.globals.len()).map(|index| Variable::Global(GlobalId::new(index)));
    let locals = (0..machine.procedure(procedure).locals.len())
        .map(|index| Variable::Local(LocalId::new(index)));
    globals.chain(locals)
}

/// Formulas, equal ones once.
#[derive(Default)]
struct Formulas {
    all: Vec<Formula>,
    numbers: HashMap<Formula, u32>,
}

impl Formulas {
    fn add(&mut self, formula: Formula) -> u32 {
        if let Some(&number) = self.numbers.get(&formula) {
            return number;
        }
        let number = self.all.len() as u32;
        self.all.push(formula.clone());
        self.numbers.insert(formula, number);
        number
    }

    fn conjunction(&mut self, literals: Vec<(Formula, bool)>) -> u32 {
        let literals = literals.into_iter().map(|(bit, positive)| {
            let bit = self.add(bit);
            if positive {
                bit
            } else {
                self.add(Formula::Not(bit))
            }
        });
        let literals = literals.collect();
        self.add(Formula::And(literals))
    }
}
