//! Program relations as formulas of a [`System`], without the way through text.
//!
//! `hardbop relations` writes the same relations as text, but the text of a large program is
//! megabytes, and reading it back would take longer than solving. So the engine reads only types,
//! heads and the algorithm as text, and puts the bodies in here.

use crate::encoding::layout::{Class, Field, Layout};
use crate::encoding::relations::{AFTER, BEFORE, Clause, ProgramRelation, Signature};
use crate::encoding::steps::Part;
use hardbop_formula::{
    Bits, Formula, FormulaBuilder, FormulaId, Hint, HintKind, Leaf, RelationId, System, Values,
    Variable as MuVariable, VariableId,
};
use hardbop_machine::bits::{BitGraph, BitId, BitNode};
use hardbop_machine::{InputId, Machine, ProcId, Type, Variable};
use rustc_hash::FxHashMap;

/// Puts bodies into a system.
pub(crate) struct BodyWriter<'w> {
    system: &'w mut System,
    machine: &'w Machine,
    layout: &'w Layout,
    graph: &'w BitGraph,
    /// Choices that stand beside what they are part of.
    hints: Vec<Hint>,
    /// Formulas made so far; they come after those of the system.
    formulas: FormulaBuilder,
    bodies: Vec<(RelationId, FormulaId)>,
}

/// What the bits of one clause are.
struct Scene<'s> {
    signature: &'s Signature,
    clause: &'s Clause,
    parameters: &'s [VariableId],
    choices: FxHashMap<(InputId, u8), VariableId>,
}

impl<'w> BodyWriter<'w> {
    /// A writer into a system.
    pub(crate) fn new(
        system: &'w mut System,
        machine: &'w Machine,
        layout: &'w Layout,
        graph: &'w BitGraph,
    ) -> Self {
        Self {
            system,
            machine,
            layout,
            graph,
            hints: Vec::new(),
            formulas: FormulaBuilder::default(),
            bodies: Vec::new(),
        }
    }

    /// Gives a relation of the system, announced under its name, its body.
    pub(crate) fn define(&mut self, relation: &ProgramRelation) {
        let signature = &relation.signature;
        let Some(id) = self.system.find(signature.name) else {
            return;
        };
        let parameters = self.system.relation(id).parameters.clone();
        let mut modules = Vec::with_capacity(relation.modules.len());
        for (procedure, clauses) in &relation.modules {
            let mut cases = Vec::with_capacity(clauses.len());
            for clause in clauses {
                let mut scene = Scene {
                    signature,
                    clause,
                    parameters: &parameters,
                    choices: FxHashMap::default(),
                };
                cases.push(self.clause(&mut scene));
            }
            let mut both = self.code(parameters[0], self.layout.module(*procedure));
            both.push(self.formulas.or(cases));
            modules.push(self.formulas.and(both));
        }
        let body = self.formulas.or(modules);
        self.bodies.push((id, body));
        let hints = std::mem::take(&mut self.hints);
        self.system.relations[id.0 as usize].hints.extend(hints);
    }

    /// Asks for rows of fields in the order of BDD variables. It is enough to ask it for one
    /// relation: copies of a field stand together.
    pub(crate) fn put_in_rows(&mut self, rows: &[Vec<Field>], relations: &[ProgramRelation]) {
        let has_all =
            |signature: &Signature| BEFORE.iter().all(|&c| signature.parameters.contains(c));
        let mut signatures = relations.iter().map(|relation| relation.signature);
        let Some((signature, relation)) = signatures.find_map(|signature| {
            let relation = self.system.find(signature.name)?;
            has_all(&signature).then_some((signature, relation))
        }) else {
            return;
        };
        let parameters = &self.system.relation(relation).parameters;
        let [locals, globals] = BEFORE.map(|holder| parameters[signature.place_of(holder)]);
        let bit = |field: &Field| match field.class {
            Class::Local => (locals, field.index),
            Class::Global => (globals, field.index),
        };
        let rows = rows.iter().map(|row| row.iter().map(bit).collect());
        self.system.rows.extend(rows);
    }

    /// Puts everything into the system.
    pub(crate) fn finish(self) {
        let first = self.system.formulas.len() as u32;
        let formulas = self.formulas.into_formulas().into_iter();
        self.system
            .formulas
            .extend(formulas.map(|formula| moved(formula, first)));
        for (relation, body) in self.bodies {
            self.system.relations[relation.0 as usize].body = FormulaId(first + body.0);
        }
    }

    fn clause(&mut self, scene: &mut Scene<'_>) -> FormulaId {
        let mut conjuncts = Vec::new();
        for &(parameter, code) in &scene.clause.codes {
            conjuncts.extend(self.code(scene.parameters[parameter], code));
        }
        let parts = &scene.clause.parts;
        for part in parts {
            let formula = self.part(scene, part);
            conjuncts.push(formula);
        }
        self.formulas.and(conjuncts)
    }

    fn part(&mut self, scene: &mut Scene<'_>, part: &Part) -> FormulaId {
        match part {
            Part::Holds(root) => self.formula(scene, *root),
            Part::Becomes(variable, bit, value) => {
                let value = self.formula(scene, *value);
                let target = self.after(scene, *variable, *bit);
                self.formulas.iff(target, value)
            }
            Part::Keeps(variable, bit) => {
                let before = self.before(scene, *variable, *bit);
                let after = self.after(scene, *variable, *bit);
                self.formulas.iff(after, before)
            }
            Part::AnyOf(cases) => {
                let cases = cases.iter().map(|case| self.all(scene, case));
                let cases = cases.collect();
                self.formulas.or(cases)
            }
            Part::Exists(choices, parts) => {
                let variables: Vec<VariableId> =
                    choices.iter().map(|_| self.boolean_variable()).collect();
                scene.choices = choices.iter().copied().zip(variables.clone()).collect();
                self.put_choices_beside_integers(scene, parts);
                let all = self.all(scene, parts);
                self.formulas.exists(variables, all)
            }
        }
    }

    /// A bit of a choice from which the same bit of an integer is computed stands beside it.
    fn put_choices_beside_integers(&mut self, scene: &Scene<'_>, parts: &[Part]) {
        let mut placed: Vec<VariableId> = Vec::new();
        for part in parts {
            let &Part::Becomes(variable, bit, value) = part else {
                continue;
            };
            if self.machine.type_of(scene.clause.after, variable) == Type::Bool {
                continue;
            }
            let choices = self.graph.cone([value]).into_iter();
            let choices = choices.filter_map(|id| match self.graph.get(id) {
                BitNode::Input(input, of) if of == bit => scene.choices.get(&(input, of)).copied(),
                _ => None,
            });
            let Some(choice) = choices.into_iter().find(|choice| !placed.contains(choice)) else {
                continue;
            };
            placed.push(choice);
            let (holder, index) = self.holder(scene, AFTER, scene.clause.after, variable, bit);
            let bits = |variable, first| Bits {
                variable,
                range: first..first + 1,
            };
            self.hints.push(Hint {
                left: bits(holder, index),
                kind: HintKind::Interleaved,
                right: bits(choice, 0),
            });
        }
    }

    fn all(&mut self, scene: &mut Scene<'_>, parts: &[Part]) -> FormulaId {
        let parts = parts.iter().map(|part| self.part(scene, part)).collect();
        self.formulas.and(parts)
    }

    /// The formula of a bit formula, operands first.
    fn formula(&mut self, scene: &Scene<'_>, root: BitId) -> FormulaId {
        let graph = self.graph;
        let mut made: FxHashMap<BitId, FormulaId> = FxHashMap::default();
        for id in graph.cone([root]) {
            let new = match graph.get(id) {
                BitNode::Const(value) => self.formulas.constant(value),
                BitNode::Var(variable, bit) => self.before(scene, variable, bit),
                BitNode::Next(variable, bit) => self.after(scene, variable, bit),
                BitNode::Input(input, bit) => {
                    let variable = scene.choices[&(input, bit)];
                    self.formulas.bit(variable, 0)
                }
                BitNode::Not(a) => self.formulas.not(made[&a]),
                BitNode::And(a, b) => self.formulas.and(vec![made[&a], made[&b]]),
                BitNode::Or(a, b) => self.formulas.or(vec![made[&a], made[&b]]),
                BitNode::Xor(a, b) => {
                    let same = self.formulas.iff(made[&a], made[&b]);
                    self.formulas.not(same)
                }
                BitNode::Ite(c, a, b) => self.formulas.ite(made[&c], made[&a], made[&b]),
            };
            made.insert(id, new);
        }
        made[&root]
    }

    fn before(&mut self, scene: &Scene<'_>, variable: Variable, bit: u8) -> FormulaId {
        let procedure = scene.clause.before;
        self.place(scene, BEFORE, procedure, variable, bit)
    }

    fn after(&mut self, scene: &Scene<'_>, variable: Variable, bit: u8) -> FormulaId {
        let procedure = scene.clause.after;
        self.place(scene, AFTER, procedure, variable, bit)
    }

    fn place(
        &mut self,
        scene: &Scene<'_>,
        holders: [char; 2],
        procedure: ProcId,
        variable: Variable,
        bit: u8,
    ) -> FormulaId {
        let (holder, index) = self.holder(scene, holders, procedure, variable, bit);
        self.formulas.bit(holder, index)
    }

    /// The parameter that holds a bit, and where in it.
    fn holder(
        &self,
        scene: &Scene<'_>,
        holders: [char; 2],
        procedure: ProcId,
        variable: Variable,
        bit: u8,
    ) -> (VariableId, u32) {
        let field = self.layout.field(procedure, variable, bit);
        let field = field.expect("a bit that a relation speaks of has a field");
        let holder = match field.class {
            Class::Local => holders[0],
            Class::Global => holders[1],
        };
        let holder = scene.signature.place_of(holder);
        (scene.parameters[holder], field.index)
    }

    /// "The parameter has this code", as conjuncts.
    fn code(&mut self, parameter: VariableId, code: u32) -> Vec<FormulaId> {
        let bits = self.system.variable(parameter).bits;
        let mut conjuncts = Vec::with_capacity(bits as usize);
        for place in 0..bits {
            // The most significant bit comes first.
            let is_set = code >> (bits - 1 - place) & 1 == 1;
            conjuncts.push(self.formulas.literal(parameter, place, is_set));
        }
        conjuncts
    }

    fn boolean_variable(&mut self) -> VariableId {
        let id = VariableId(self.system.variables.len() as u32);
        self.system.variables.push(MuVariable {
            name: "choice".to_owned(),
            leaves: vec![Leaf {
                enumeration: None,
                path: String::new(),
                bits: 0..1,
                values: Values::Boolean,
            }],
            bits: 1,
            domain: None,
        });
        id
    }
}

/// A formula with the ids of its operands moved.
fn moved(formula: Formula, by: u32) -> Formula {
    let there = |id: FormulaId| FormulaId(id.0 + by);
    let all = |ids: Vec<FormulaId>| ids.into_iter().map(there).collect();
    match formula {
        Formula::Not(a) => Formula::Not(there(a)),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::Iff(a, b) => Formula::Iff(there(a), there(b)),
        Formula::Ite(c, a, b) => Formula::Ite(there(c), there(a), there(b)),
        Formula::Exists(variables, a) => Formula::Exists(variables, there(a)),
        Formula::Forall(variables, a) => Formula::Forall(variables, there(a)),
        Formula::Cofactor(kind, a, b) => Formula::Cofactor(kind, there(a), there(b)),
        leaf => leaf,
    }
}
