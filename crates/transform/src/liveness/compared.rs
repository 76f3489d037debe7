//! How two heads must compare: the precision of the transform.
//!
//! A word joins as a measure first: two heads match unless it has become smaller, or larger,
//! whichever it did in the spurious hit. Only if a later hit goes the other way must it be equal. A
//! loop that counts down is then excluded by one comparison, not by all values of the counter.

use hardbop_automata::{Atom, Automaton};
use hardbop_machine::expr::Expr;
use hardbop_machine::{GlobalId, Machine, ProcId, Type, Variable};
use std::collections::BTreeMap;

/// What must hold of a variable in the second of two heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// It has the same value.
    Equal,
    /// It is not smaller, without sign.
    NotSmaller,
    /// It is not larger, without sign.
    NotLarger,
}

impl Comparison {
    /// The weakest comparison that tells two values of a type apart.
    pub fn between(ty: Type, first: u64, second: u64) -> Self {
        match ty {
            Type::Bool => Self::Equal,
            Type::Int(_) if second < first => Self::NotSmaller,
            Type::Int(_) => Self::NotLarger,
        }
    }
}

/// The variables that are saved and compared; those of the product with the automaton.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    variables: BTreeMap<(Option<ProcId>, Variable), Comparison>,
}

impl Compared {
    /// At first: the variables of the property and the parameters that are no words.
    pub fn first(product: &Machine, automaton: &Automaton) -> Self {
        let mut compared = Self::default();
        let propositions = &automaton.propositions;
        for proposition in propositions.list() {
            let Atom::Condition { expr, procedure } = proposition.atom else {
                continue;
            };
            propositions.exprs().fold(expr, |expr, _| {
                if let Expr::Var(variable, _) = *expr {
                    let procedure = procedure.unwrap_or(ProcId(0));
                    compared.add(procedure, variable, Comparison::Equal);
                }
            });
        }
        for id in product.procedure_ids() {
            for local in product.procedure(id).parameters() {
                let variable = Variable::Local(local);
                if product.type_of(id, variable) == Type::Bool {
                    compared.add(id, variable, Comparison::Equal);
                }
            }
        }
        compared
    }

    /// All variables.
    pub fn all(product: &Machine) -> Self {
        let mut compared = Self::default();
        for id in product.procedure_ids() {
            for variable in variables_of(product, id) {
                compared.add(id, variable, Comparison::Equal);
            }
        }
        compared
    }

    /// Demands one comparison more of a variable that a procedure sees; says whether that is new.
    pub(super) fn add(
        &mut self,
        procedure: ProcId,
        variable: Variable,
        comparison: Comparison,
    ) -> bool {
        let known = self.comparison(procedure, variable);
        let both = match known {
            Some(known) if known != comparison => Comparison::Equal,
            _ => comparison,
        };
        self.variables.insert(Self::key(procedure, variable), both);
        known != Some(both)
    }

    /// How a variable that a procedure sees is compared, if it is.
    pub(super) fn comparison(&self, procedure: ProcId, variable: Variable) -> Option<Comparison> {
        self.variables.get(&Self::key(procedure, variable)).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    fn key(procedure: ProcId, variable: Variable) -> (Option<ProcId>, Variable) {
        match variable {
            Variable::Global(_) => (None, variable),
            Variable::Local(_) => (Some(procedure), variable),
        }
    }
}

/// All variables that a procedure sees.
pub(super) fn variables_of(machine: &Machine, id: ProcId) -> impl Iterator<Item = Variable> {
    let globals = (0..machine.globals.len() as u32).map(GlobalId);
    let locals = machine.procedure(id).local_ids();
    globals
        .map(Variable::Global)
        .chain(locals.map(Variable::Local))
}
