//! Which variables two heads must agree on: the precision of the transform.

use hardbop_automata::{Atom, Automaton};
use hardbop_machine::expr::Expr;
use hardbop_machine::{Machine, ProcId, Variable};
use std::collections::BTreeSet;

/// The variables that are saved and compared; those of the product with the automaton.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    variables: BTreeSet<(Option<ProcId>, Variable)>,
}

impl Compared {
    /// At first: the variables of the property and the parameters.
    pub fn first(product: &Machine, automaton: &Automaton) -> Self {
        let mut compared = Self::default();
        let propositions = &automaton.propositions;
        for proposition in propositions.list() {
            let Atom::Condition { expr, procedure } = proposition.atom else {
                continue;
            };
            propositions.exprs().fold(expr, |expr, _| {
                if let Expr::Var(variable, _) = *expr {
                    compared.add(procedure.unwrap_or(ProcId(0)), variable);
                }
            });
        }
        for id in product.procedure_ids() {
            for local in product.procedure(id).parameters() {
                compared.add(id, Variable::Local(local));
            }
        }
        compared
    }

    /// All variables.
    pub fn all(product: &Machine) -> Self {
        let mut compared = Self::default();
        for id in product.procedure_ids() {
            for variable in variables_of(product, id) {
                compared.add(id, variable);
            }
        }
        compared
    }

    /// Adds a variable that a procedure sees; says whether it is new.
    pub fn add(&mut self, procedure: ProcId, variable: Variable) -> bool {
        self.variables.insert(Self::key(procedure, variable))
    }

    /// Whether a variable that a procedure sees is compared.
    pub fn contains(&self, procedure: ProcId, variable: Variable) -> bool {
        self.variables.contains(&Self::key(procedure, variable))
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
    let globals = (0..machine.globals.len() as u32).map(hardbop_machine::GlobalId);
    let locals = machine.procedure(id).local_ids();
    globals
        .map(Variable::Global)
        .chain(locals.map(Variable::Local))
}
