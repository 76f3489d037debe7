//! Whether definitions satisfy every clause: each is refuted with its head denied.

use super::words::{BitsOf, equal, fresh, translate};
use crate::model::{Interpretation, Model};
use crate::system::{Atom, System};
use crate::terms::{Op, Term};
use hardbop_sat::{CircuitOf, Lit, Prover, Refutation};

/// Why a model is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It is not a model.
    #[error("the model does not satisfy the clause at byte {offset}")]
    Violated {
        /// The clause, an index into the system.
        clause: usize,
        /// Where it stands.
        offset: u32,
    },
    /// It is not a definition of every predicate over its own parameters.
    #[error("the model does not define `{predicate}` as declared")]
    Malformed {
        /// The predicate.
        predicate: String,
    },
    /// The check was stopped.
    #[error("the check of the model was stopped")]
    Stopped,
}

/// Checks every clause. `stop` is asked now and then.
pub fn check_model(
    system: &System,
    model: &Model,
    stop: &dyn Fn() -> bool,
) -> Result<(), ModelError> {
    well_formed(system, model)?;
    for (index, clause) in system.clauses.iter().enumerate() {
        if stop() {
            return Err(ModelError::Stopped);
        }
        let mut circuit = CircuitOf::new(Prover::new(stop));
        let roots = clause.roots();
        let mut variables = BitsOf::default();
        for variable in system.terms.variables_below(&roots) {
            let width = system.terms.variables[variable.0 as usize].sort.width();
            variables.insert(variable, fresh(&mut circuit, width));
        }
        let constraint = translate(&mut circuit, &system.terms, &variables, &clause.constraint);
        let mut assumed: Vec<Lit> = constraint.iter().map(|bits| bits[0]).collect();
        for atom in &clause.body {
            assumed.push(holds(&mut circuit, system, model, &variables, atom));
        }
        if let Some(head) = &clause.head {
            assumed.push(!holds(&mut circuit, system, model, &variables, head));
        }
        match circuit.refute(&assumed) {
            Refutation::Immediate | Refutation::Searched => {}
            Refutation::Model => {
                let offset = clause.offset;
                let clause = index;
                return Err(ModelError::Violated { clause, offset });
            }
            _ => return Err(ModelError::Stopped),
        }
    }
    Ok(())
}

/// Every predicate has a formula over its own parameters.
fn well_formed(system: &System, model: &Model) -> Result<(), ModelError> {
    let terms = &system.terms;
    let defines = |definition: &Interpretation, sorts: &[_]| {
        let known = |id: u32| (id as usize) < terms.variables.len();
        let parameters = &definition.parameters;
        let sort_of = |index: u32| terms.variables[index as usize].sort;
        if definition.formula.index() >= terms.len() || !parameters.iter().all(|p| known(p.0)) {
            return false;
        }
        let fits = parameters
            .iter()
            .map(|p| sort_of(p.0))
            .eq(sorts.iter().copied());
        let below = terms.below(&[definition.formula]);
        fits && below.iter().all(|&id| match terms.get(id) {
            Term::Variable(variable) => parameters.contains(variable),
            Term::Apply(Op::Predicate(_) | Op::Forall | Op::Exists, _) => false,
            _ => true,
        })
    };
    for (index, predicate) in system.predicates.iter().enumerate() {
        let definition = model.definitions.get(index);
        if !definition.is_some_and(|definition| defines(definition, &predicate.sorts)) {
            let predicate = predicate.name.clone();
            return Err(ModelError::Malformed { predicate });
        }
    }
    Ok(())
}

/// The literal of a predicate's definition with these arguments.
fn holds(
    circuit: &mut CircuitOf<Prover<'_>>,
    system: &System,
    model: &Model,
    variables: &BitsOf,
    atom: &Atom,
) -> Lit {
    let arguments = translate(circuit, &system.terms, variables, &atom.arguments);
    let definition = &model.definitions[atom.predicate.index()];
    // A parameter that is named twice has to have one value.
    let mut bound = BitsOf::default();
    let mut agrees = Vec::new();
    for (&parameter, bits) in definition.parameters.iter().zip(arguments) {
        if let Some(other) = bound.get(&parameter) {
            agrees.push(equal(circuit, other, &bits));
        } else {
            bound.insert(parameter, bits);
        }
    }
    let formula = translate(circuit, &system.terms, &bound, &[definition.formula]);
    agrees.push(formula[0][0]);
    circuit.all(agrees)
}
