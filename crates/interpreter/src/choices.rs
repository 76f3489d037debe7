//! Everything that may be chosen at a step: all values of inputs and of uninitialised variables,
//! one valuation at a time.
//!
//! An `int<64>` has more values than anyone can try, so valuations come lazily and whoever decides
//! a question by trying them gives up at [`MAX_TRIED`] with [`TooManyChoices`] rather than with a
//! wrong answer.

use crate::configuration::Configuration;
use crate::fire::fire;
use hardbop_machine::{Action, EdgeId, Expr, ExprId, InputId, Machine, Type, Variable};

/// How many valuations are tried before a search for inputs gives up.
const MAX_TRIED: usize = 1 << MAX_TRIED_BITS;
const MAX_TRIED_BITS: u64 = 20;

/// Too many values to try: whether an edge can be taken is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many choices to decide whether a statement can be executed")]
pub struct TooManyChoices {
    /// The edge.
    pub edge: EdgeId,
}

/// All valuations of some types in ascending order, the last position fastest. One empty valuation
/// if there are no types.
#[derive(Clone, Debug)]
pub struct Valuations {
    types: Vec<Type>,
    next: Option<Vec<u64>>,
}

impl Valuations {
    /// All valuations of these types.
    pub fn new(types: impl IntoIterator<Item = Type>) -> Self {
        let types: Vec<Type> = types.into_iter().collect();
        let next = Some(vec![0; types.len()]);
        Self { types, next }
    }
}

impl Iterator for Valuations {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        let current = self.next.take()?;
        let mut following = current.clone();
        for (value, ty) in following.iter_mut().zip(&self.types).rev() {
            if *value < ty.max_value() {
                *value += 1;
                self.next = Some(following);
                break;
            }
            *value = 0;
        }
        Some(current)
    }
}

/// How many valuations some types have, as a power of two.
pub fn valuation_bits(types: impl IntoIterator<Item = Type>) -> u64 {
    types.into_iter().map(|ty| u64::from(ty.width())).sum()
}

/// The inputs that decide whether an edge can be taken: those in its guard, in `constrain`, and in
/// the values of variables whose next value `constrain` reads. In ascending order.
pub(crate) fn deciding_inputs(machine: &Machine, edge: EdgeId) -> Vec<InputId> {
    let mut inputs = Vec::new();
    for condition in conditions(machine, edge) {
        machine.exprs.visit(condition, |expr| {
            if let Expr::Input(input, _) = *expr {
                inputs.push(input);
            }
        });
    }
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

/// The expressions that decide whether an edge can be taken.
fn conditions(machine: &Machine, edge: EdgeId) -> Vec<ExprId> {
    let edge = machine.edge(edge);
    let mut conditions: Vec<ExprId> = edge.guard.into_iter().collect();
    if let Action::Assign {
        assignments,
        constrain: Some(constrain),
    } = &edge.action
    {
        let mut read_next: Vec<Variable> = Vec::new();
        machine.exprs.visit(*constrain, |expr| {
            if let Expr::Next(variable, _) = *expr {
                read_next.push(variable);
            }
        });
        read_next.sort_unstable();
        conditions.push(*constrain);
        conditions.extend(
            assignments
                .iter()
                .filter(|(variable, _)| read_next.binary_search(variable).is_ok())
                .map(|&(_, value)| value),
        );
    }
    conditions
}

/// The valuations of an edge's inputs with which it can be taken by a thread, lazily; inputs that
/// do not matter for that are 0. The thread must be running. The flag that comes with each says
/// whether it can be taken.
pub(crate) fn tried_inputs<'a>(
    machine: &'a Machine,
    configuration: &'a Configuration,
    thread: u32,
    edge: EdgeId,
) -> impl Iterator<Item = (Vec<u64>, bool)> + 'a {
    let deciding = deciding_inputs(machine, edge);
    let types = &machine.edge(edge).inputs;
    let valuations = Valuations::new(deciding.iter().map(|input| types[input.index()]));
    valuations.map(move |valuation| {
        let inputs = spread(types.len(), &deciding, valuation);
        let read = |variable| configuration.read(machine, thread, variable);
        let can_fire = fire(machine, edge, &inputs, read).is_ok();
        (inputs, can_fire)
    })
}

/// Values for all inputs of which only the deciding ones are given; the others are 0.
fn spread(count: usize, deciding: &[InputId], values: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut inputs = vec![0; count];
    for (input, value) in deciding.iter().zip(values) {
        inputs[input.index()] = value;
    }
    inputs
}

/// Inputs for an edge with too many valuations to try them all, made of values that its conditions
/// turn on: constants and current values of variables in them, their neighbours, the least and the
/// greatest.
fn notable_inputs(
    machine: &Machine,
    configuration: &Configuration,
    thread: u32,
    edge: EdgeId,
) -> Option<Vec<u64>> {
    let read = |variable| configuration.read(machine, thread, variable);
    let mut mentioned = vec![0, u64::MAX];
    for condition in conditions(machine, edge) {
        machine.exprs.visit(condition, |expr| match *expr {
            Expr::Const(value, _) => mentioned.push(value),
            Expr::Var(variable, _) => mentioned.push(read(variable)),
            _ => {}
        });
    }
    let deciding = deciding_inputs(machine, edge);
    let types = &machine.edge(edge).inputs;
    let candidates = |input: &InputId| {
        let ty = types[input.index()];
        let near = |&v: &u64| [v, v.wrapping_sub(1), v.wrapping_add(1)];
        let mut values: Vec<u64> = mentioned
            .iter()
            .flat_map(near)
            .map(|v| ty.wrap(v))
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let candidates: Vec<Vec<u64>> = deciding.iter().map(candidates).collect();
    let mut digits = vec![0; candidates.len()];
    for _ in 0..MAX_TRIED {
        let values = digits.iter().zip(&candidates).map(|(&d, values)| values[d]);
        let inputs = spread(types.len(), &deciding, values);
        if fire(machine, edge, &inputs, read).is_ok() {
            return Some(inputs);
        }
        let place = (0..digits.len()).find(|&i| digits[i] + 1 < candidates[i].len())?;
        digits[place] += 1;
        digits[..place].fill(0);
    }
    None
}

/// Some inputs with which a thread can take an edge out of its node, if there are any.
pub(crate) fn find_inputs(
    machine: &Machine,
    configuration: &Configuration,
    thread: u32,
    edge: EdgeId,
) -> Result<Option<Vec<u64>>, TooManyChoices> {
    let types = &machine.edge(edge).inputs;
    let deciding = deciding_inputs(machine, edge);
    let bits = valuation_bits(deciding.iter().map(|input| types[input.index()]));
    if bits > MAX_TRIED_BITS
        && let Some(inputs) = notable_inputs(machine, configuration, thread, edge)
    {
        return Ok(Some(inputs));
    }
    let tried = tried_inputs(machine, configuration, thread, edge);
    for (count, (inputs, can_fire)) in tried.enumerate() {
        if can_fire {
            return Ok(Some(inputs));
        }
        if count >= MAX_TRIED {
            return Err(TooManyChoices { edge });
        }
    }
    Ok(None)
}

/// The edges that a thread can take with some inputs. At an exit there are none: the step there is
/// the return.
pub(crate) fn enabled_edges(
    machine: &Machine,
    configuration: &Configuration,
    thread: u32,
) -> Result<Vec<EdgeId>, TooManyChoices> {
    let Some(top) = configuration.top(thread) else {
        return Ok(Vec::new());
    };
    let mut enabled = Vec::new();
    for edge in machine.edges_from(top.node) {
        if find_inputs(machine, configuration, thread, edge)?.is_some() {
            enabled.push(edge);
        }
    }
    Ok(enabled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_on_a_wide_integer_is_met_by_a_value_that_it_mentions() {
        use crate::configuration::initial;
        let text = "decl int<64> a := 123456789012345;
             void main() begin a := * constrain 'a > 99 & 'a < a & a - 'a < 3; end";
        let machine = crate::test_programs::machine(text);
        let start = initial(&machine, &[]);
        let edge = enabled_edges(&machine, &start, 0).unwrap()[0];
        let inputs = find_inputs(&machine, &start, 0, edge).unwrap();
        assert_eq!(inputs, Some(vec![123_456_789_012_344]));
    }

    #[test]
    fn valuations_count_like_an_odometer_and_are_lazy() {
        let all: Vec<_> = Valuations::new([Type::Bool, Type::Int(2)]).collect();
        assert_eq!(all.len(), 8);
        assert_eq!(all[0], [0, 0]);
        assert_eq!(all[5], [1, 1]);
        assert_eq!(Valuations::new([]).count(), 1);
        let first = Valuations::new([Type::Int(64), Type::Int(64)]).nth(3);
        assert_eq!(first, Some(vec![0, 3]));
    }
}
