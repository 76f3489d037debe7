//! What is known of a formula when the values of some variables are given and only some tuples of
//! some relations: where it is certainly true, and where certainly false (Kleene's three values,
//! with functions of the variables that are left).
//!
//! A step of a path is found with it, and judged: a tuple follows from others if the body of its
//! relation is certainly true when nothing is known of the relations on the path but those tuples.
//!
//! The functions are BDDs of a manager of their own. Values of relations are brought over from the
//! solver's with arguments in the place of parameters, constants among them, so that most of what is
//! large stays behind.

use super::{Node, Trouble};
use hardbop_bdd::{Bdd, Exhausted, Manager, PlanBuilder};
use hardbop_formula::{ArgumentBit, Cofactor, Formula, FormulaId, RelationId, System, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// Abbreviations within each other that are opened.
const MAX_OPENED: usize = 64;

/// Where a function is certainly true and where certainly false.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub yes: Bdd,
    pub no: Bdd,
}

impl Known {
    pub(super) const NOTHING: Known = Known {
        yes: Bdd::FALSE,
        no: Bdd::FALSE,
    };

    pub(super) fn all(value: Bdd) -> Self {
        Known {
            yes: value,
            no: !value,
        }
    }

    /// Where it certainly has a value.
    pub(super) fn of(self, wanted: bool) -> Bdd {
        if wanted { self.yes } else { self.no }
    }

    pub(super) fn is(self, wanted: bool) -> bool {
        self.of(wanted).is_true()
    }

    fn not(self) -> Self {
        Known {
            yes: self.no,
            no: self.yes,
        }
    }
}

/// A bit: its value, or the BDD variable that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Input {
    Constant(bool),
    Variable(u32),
}

/// The bits of variables that have been given values; others stand for themselves.
pub(super) type Scope = BTreeMap<VariableId, Vec<Input>>;

/// What is known of a relation of arguments.
pub(super) enum Source<'n> {
    /// All: its value in the solver, negated or not.
    Value(Bdd, bool),
    /// What some tuples say.
    Tuples(RelationId, &'n [Node]),
    /// What its body says.
    Body,
    /// Nothing.
    Nothing,
}

/// Tells what is known of relations.
pub(super) type Teller<'t, 'n> = &'t mut dyn FnMut(RelationId) -> Result<Source<'n>, Trouble>;

/// Which BDD variables stand for the bits of the system's variables, and for parameters in the
/// solver.
pub(crate) struct Levels {
    first_bits: Vec<u32>,
    own: Vec<u32>,
    solver: Vec<Option<u32>>,
}

impl Levels {
    /// An order close to the solver's: bits that share a BDD variable there, or are arguments for
    /// such, stand side by side.
    pub(crate) fn new(system: &System, level: impl Fn(VariableId, u32) -> Option<u32>) -> Self {
        let mut first_bits = vec![0];
        let mut solver = Vec::new();
        for (at, variable) in system.variables.iter().enumerate() {
            solver.extend((0..variable.bits).map(|bit| level(VariableId(at as u32), bit)));
            first_bits.push(solver.len() as u32);
        }
        let place =
            |variable: VariableId, bit: u32| (first_bits[variable.0 as usize] + bit) as usize;
        let mut keys: Vec<Option<u32>> = solver.clone();
        for formula in &system.formulas {
            let Formula::Apply(relation, arguments) = formula else {
                continue;
            };
            let parameters = system.relation(*relation).parameters.iter();
            let parameters = parameters
                .flat_map(|&v| (0..system.variable(v).bits).map(move |bit| (v, bit)))
                .map(|(v, bit)| solver[place(v, bit)]);
            for (argument, parameter) in arguments.iter().zip(parameters) {
                if let ArgumentBit::Bit(variable, bit) = *argument {
                    let key = &mut keys[place(variable, bit)];
                    *key = key.or(parameter);
                }
            }
        }
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|&at| (keys[at].unwrap_or(u32::MAX), at));
        let mut own = vec![0; keys.len()];
        for (level, at) in order.into_iter().enumerate() {
            own[at] = level as u32;
        }
        Self {
            first_bits,
            own,
            solver,
        }
    }

    pub(super) fn own(&self, variable: VariableId, bit: u32) -> u32 {
        self.own[(self.first_bits[variable.0 as usize] + bit) as usize]
    }

    pub(super) fn in_solver(&self, variable: VariableId, bit: u32) -> Option<u32> {
        self.solver[(self.first_bits[variable.0 as usize] + bit) as usize]
    }
}

/// Evaluates formulas.
pub(super) struct Evaluation<'e, 'a> {
    pub system: &'e System,
    pub levels: &'e Levels,
    pub manager: Manager<'a>,
}

impl Evaluation<'_, '_> {
    /// What is known of a formula and of all that it is made of.
    ///
    /// `solver` has the values of relations.
    pub(super) fn evaluate(
        &mut self,
        root: FormulaId,
        scope: &Scope,
        solver: &Manager<'_>,
        tell: Teller<'_, '_>,
        depth: usize,
    ) -> Result<BTreeMap<FormulaId, Known>, Trouble> {
        let mut known: BTreeMap<FormulaId, Known> = BTreeMap::new();
        for id in below(self.system, root) {
            let value = match self.system.formula(id) {
                Formula::Constant(value) => Known::all(Bdd::constant(*value)),
                Formula::Bit(variable, bit) => {
                    let input = self.input(scope, *variable, *bit);
                    Known::all(self.literal(input)?)
                }
                Formula::Not(a) => known[a].not(),
                Formula::And(parts) => {
                    let parts: Vec<Known> = parts.iter().map(|part| known[part]).collect();
                    self.conjunction(&parts)?
                }
                Formula::Or(parts) => {
                    let parts: Vec<Known> = parts.iter().map(|part| known[part].not()).collect();
                    self.conjunction(&parts)?.not()
                }
                Formula::Iff(a, b) => self.choice(known[a], known[b], known[b].not())?,
                Formula::Ite(c, a, b) => self.choice(known[c], known[a], known[b])?,
                Formula::Exists(bound, a) => self.some(bound, known[a])?,
                Formula::Forall(bound, a) => self.some(bound, known[a].not())?.not(),
                Formula::Cofactor(kind, a, care) => self.cofactor(*kind, known[a], known[care])?,
                Formula::Apply(relation, arguments) => {
                    let inputs = self.inputs(scope, arguments);
                    match tell(*relation)? {
                        Source::Value(value, is_negated) => {
                            let value = self.brought(solver, value, *relation, &inputs)?;
                            Known::all(if is_negated { !value } else { value })
                        }
                        Source::Tuples(of, nodes) => self.tuples(of, nodes, &inputs)?,
                        Source::Nothing => Known::NOTHING,
                        Source::Body if depth == MAX_OPENED => {
                            let why = "too many abbreviations stand within each other".to_owned();
                            return Err(Trouble::Refused(why));
                        }
                        Source::Body => {
                            let inner = scope_of(self.system, *relation, &inputs);
                            let body = self.system.relation(*relation).body;
                            self.evaluate(body, &inner, solver, tell, depth + 1)?[&body]
                        }
                    }
                }
            };
            known.insert(id, value);
        }
        Ok(known)
    }

    /// The bits of arguments.
    pub(super) fn inputs(&self, scope: &Scope, arguments: &[ArgumentBit]) -> Vec<Input> {
        let input = |argument: &ArgumentBit| match *argument {
            ArgumentBit::Constant(value) => Input::Constant(value),
            ArgumentBit::Bit(variable, bit) => self.input(scope, variable, bit),
        };
        arguments.iter().map(input).collect()
    }

    fn input(&self, scope: &Scope, variable: VariableId, bit: u32) -> Input {
        match scope.get(&variable) {
            Some(bits) => bits[bit as usize],
            None => Input::Variable(self.levels.own(variable, bit)),
        }
    }

    fn literal(&mut self, input: Input) -> Result<Bdd, Exhausted> {
        match input {
            Input::Constant(value) => Ok(Bdd::constant(value)),
            Input::Variable(level) => self.manager.variable(level),
        }
    }

    fn conjunction(&mut self, parts: &[Known]) -> Result<Known, Exhausted> {
        let yes = parts.iter().map(|part| part.yes).collect();
        let no = parts.iter().map(|part| !part.no).collect();
        Ok(Known {
            yes: self.manager.and_all(yes)?,
            no: !self.manager.and_all(no)?,
        })
    }

    fn choice(&mut self, c: Known, a: Known, b: Known) -> Result<Known, Exhausted> {
        let mut of = |wanted| {
            let first = self.manager.and(c.yes, a.of(wanted))?;
            let second = self.manager.and(c.no, b.of(wanted))?;
            let both = self.manager.and(a.of(wanted), b.of(wanted))?;
            let either = self.manager.or(first, second)?;
            self.manager.or(either, both)
        };
        Ok(Known {
            yes: of(true)?,
            no: of(false)?,
        })
    }

    fn some(&mut self, bound: &[VariableId], a: Known) -> Result<Known, Exhausted> {
        let mut plan = PlanBuilder::new();
        for &variable in bound {
            for bit in 0..self.system.variable(variable).bits {
                plan.quantify(self.levels.own(variable, bit));
            }
        }
        if plan.is_empty() {
            return Ok(a);
        }
        let plan = plan.build(&mut self.manager);
        Ok(Known {
            yes: self.manager.project(a.yes, &plan)?,
            no: !self.manager.project(!a.no, &plan)?,
        })
    }

    /// A cofactor is known where it agrees with its function, and if all is known of both.
    fn cofactor(&mut self, kind: Cofactor, a: Known, care: Known) -> Result<Known, Exhausted> {
        if a.no == !a.yes && care.no == !care.yes && care.yes.is_constant() {
            let value =
                crate::search::evaluator::cofactor(&mut self.manager, kind, a.yes, care.yes)?;
            return Ok(Known::all(value));
        }
        Ok(Known {
            yes: self.manager.and(a.yes, care.yes)?,
            no: self.manager.and(a.no, care.yes)?,
        })
    }

    /// What tuples say of a relation of arguments.
    fn tuples(
        &mut self,
        relation: RelationId,
        nodes: &[Node],
        inputs: &[Input],
    ) -> Result<Known, Exhausted> {
        let mut known = Known::NOTHING;
        for node in nodes.iter().filter(|node| node.relation == relation) {
            let mut parts = Vec::with_capacity(inputs.len());
            for (&input, &bit) in inputs.iter().zip(&node.tuple) {
                let literal = self.literal(input)?;
                parts.push(if bit { literal } else { !literal });
            }
            let here = self.manager.and_all(parts)?;
            let part = if node.holds {
                &mut known.yes
            } else {
                &mut known.no
            };
            *part = self.manager.or(*part, here)?;
        }
        Ok(known)
    }

    /// A function of the parameters of a relation as one of the arguments.
    fn brought(
        &mut self,
        solver: &Manager<'_>,
        function: Bdd,
        relation: RelationId,
        inputs: &[Input],
    ) -> Result<Bdd, Exhausted> {
        let mut input_of: BTreeMap<u32, Input> = BTreeMap::new();
        for ((variable, bit), &input) in parameters(self.system, relation).zip(inputs) {
            if let Some(level) = self.levels.in_solver(variable, bit) {
                input_of.insert(level, input);
            }
        }
        let mut done: BTreeMap<Bdd, Bdd> = BTreeMap::new();
        let mut pending = vec![function];
        while let Some(&at) = pending.last() {
            let Some((level, low, high)) = solver.branch(at) else {
                done.insert(at, at);
                pending.pop();
                continue;
            };
            let input = input_of[&level];
            let wanted = match input {
                Input::Constant(value) => vec![if value { high } else { low }],
                Input::Variable(_) => vec![low, high],
            };
            let missing = wanted.iter().filter(|g| !done.contains_key(g));
            let missing: Vec<Bdd> = missing.copied().collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            let value = match input {
                Input::Constant(_) => done[&wanted[0]],
                Input::Variable(level) => {
                    let variable = self.manager.variable(level)?;
                    self.manager.ite(variable, done[&high], done[&low])?
                }
            };
            done.insert(at, value);
            pending.pop();
        }
        Ok(done[&function])
    }

    /// Values of variables that satisfy a function of them, as bits.
    pub(super) fn pick(&self, function: Bdd, variables: &[VariableId]) -> Option<Scope> {
        let chosen = self.manager.pick(function)?;
        let is_set: BTreeSet<u32> = chosen
            .into_iter()
            .filter_map(|(level, value)| value.then_some(level))
            .collect();
        Some(self.assigned(variables, &is_set))
    }

    /// The values of variables whose BDD variables are true as given.
    pub(super) fn assigned(&self, variables: &[VariableId], is_set: &BTreeSet<u32>) -> Scope {
        let bits = |&variable: &VariableId| {
            let bits = 0..self.system.variable(variable).bits;
            let bits = bits.map(|bit| is_set.contains(&self.levels.own(variable, bit)));
            (variable, bits.map(Input::Constant).collect())
        };
        variables.iter().map(bits).collect()
    }
}

/// The bits of a relation's parameters in order.
pub(super) fn parameters(
    system: &System,
    relation: RelationId,
) -> impl Iterator<Item = (VariableId, u32)> {
    let parameters = system.relation(relation).parameters.iter();
    parameters.flat_map(|&v| (0..system.variable(v).bits).map(move |bit| (v, bit)))
}

/// The parameters of a relation with these values.
pub(super) fn scope_of(system: &System, relation: RelationId, inputs: &[Input]) -> Scope {
    let mut scope = Scope::new();
    for ((variable, _), &input) in parameters(system, relation).zip(inputs) {
        scope.entry(variable).or_default().push(input);
    }
    scope
}

/// A formula and all that it is made of, operands first.
fn below(system: &System, root: FormulaId) -> Vec<FormulaId> {
    crate::encoding::model::reachable(system, &[root])
}
