//! From the solver's model to the run: backwards along the ways that are taken, then down as decisions.

use super::unrolling::{Arrival, FreeBit, Unrolling};
use crate::path::PathStep;
use crate::run_writer::{Entered, RunWriter};
use hardbop_machine::{Action, EdgeId, LocalId, Variable};
use hardbop_outcome::Skeleton;
use hardbop_sat::{Circuit, Lit};
use std::collections::BTreeMap;

/// The run of the last model to a control point of the last layer.
pub fn run_to(unrolling: &mut Unrolling<'_, '_>, point: usize) -> Skeleton {
    let Unrolling {
        machine,
        circuit,
        layers,
        start,
        ..
    } = unrolling;
    let mut ways: Vec<&Arrival> = Vec::new();
    let mut at = point;
    for layer in layers.iter().skip(1).rev() {
        let mut arrivals = layer[at].arrivals.iter();
        let way = arrivals.find(|way| is_set(circuit, way.taken));
        let way = way.expect("a place that is reached is reached by one of its ways");
        ways.push(way);
        at = way.from;
    }
    let mut writer = RunWriter::default();
    for way in ways.into_iter().rev() {
        let words = |circuit: &mut Circuit<'_>, edge: EdgeId| {
            let mut words = vec![0; machine.edge(edge).inputs.len()];
            for choice in &way.choices {
                words[choice.input.index()] |=
                    u64::from(is_set(circuit, choice.literal)) << choice.bit;
            }
            words
        };
        match way.step {
            PathStep::Edge(edge) => writer.edge(edge, words(circuit, edge)),
            PathStep::Leave(_) => writer.leave(),
            PathStep::Enter(edge) => {
                let Action::Call { callee, .. } = machine.edge(edge).action else {
                    unreachable!("only calls are entered");
                };
                let locals = values(circuit, &way.free).into_iter();
                let locals = locals.filter_map(|(variable, value)| match variable {
                    Variable::Local(local) => Some((local, value)),
                    Variable::Global(_) => None,
                });
                writer.enter(Entered {
                    edge,
                    inputs: words(circuit, edge),
                    procedure: callee,
                    locals: locals.collect::<Vec<(LocalId, u64)>>(),
                });
            }
        }
    }
    writer.finish(values(circuit, start))
}

/// Whether a literal holds in the last model.
pub fn is_set(circuit: &mut Circuit<'_>, literal: Lit) -> bool {
    let constant = circuit.as_constant(literal);
    constant.unwrap_or_else(|| circuit.solver().value(literal) == Some(true))
}

/// The values of variables in the model, in order of the variables' first bits.
fn values(circuit: &mut Circuit<'_>, free: &[FreeBit]) -> Vec<(Variable, u64)> {
    let mut values: BTreeMap<Variable, u64> = BTreeMap::new();
    for bit in free {
        *values.entry(bit.variable).or_default() |=
            u64::from(is_set(circuit, bit.literal)) << bit.bit;
    }
    values.into_iter().collect()
}
