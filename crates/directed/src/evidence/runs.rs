//! The decisions of a run, from the states that it reaches.

use crate::encoding::query::{first_locals, value_of};
use crate::search::reachability::Reachability;
use crate::search::reached::{Arrival, TakenEdge};
use hardbop_machine::{GlobalId, Machine, Variable};
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The run to a state that is reached.
pub(crate) fn run_to(search: &Reachability<'_, '_, '_>, last: usize) -> Skeleton {
    let ends = needed_calls(search, last);
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut calls = Vec::new();
    // A state is reached after all that its run needs.
    for end in ends {
        let first = search.frame_start(end);
        let procedure = search.machine.procedure_of(search.reached[end].node);
        let layout = search.frames.layout();
        calls.push(CompletedCall {
            procedure,
            locals: first_locals(
                search.machine,
                layout,
                procedure,
                &search.reached[first].state,
            ),
            steps: decisions(search, first, end, &numbers).into(),
        });
        numbers.insert(end, calls.len() - 1);
    }
    let mut first = last;
    while let Arrival::Block { from, .. } = &search.reached[first].by {
        first = *from;
    }
    Skeleton {
        start: start(search, first),
        steps: decisions(search, first, last, &numbers).into(),
        calls: Rc::new(calls),
    }
}

/// The ends of all completed calls of a run, ascending.
fn needed_calls(search: &Reachability<'_, '_, '_>, last: usize) -> BTreeSet<usize> {
    let mut ends = BTreeSet::new();
    let mut pending = vec![(last, false)];
    while let Some((mut at, is_call)) = pending.pop() {
        while let Arrival::Block {
            from,
            enters,
            steps,
        } = &search.reached[at].by
        {
            if is_call && *enters {
                break;
            }
            for end in steps.iter().filter_map(|step| step.call) {
                if ends.insert(end) {
                    pending.push((end, true));
                }
            }
            at = *from;
        }
    }
    ends
}

/// What happens from one state to a later one.
fn decisions(
    search: &Reachability<'_, '_, '_>,
    first: usize,
    last: usize,
    calls: &BTreeMap<usize, usize>,
) -> Vec<Decision> {
    let mut way = Vec::new();
    let mut at = last;
    while at != first
        && let Arrival::Block { from, .. } = &search.reached[at].by
    {
        way.push(at);
        at = *from;
    }
    let mut decisions = Vec::new();
    for index in way.into_iter().rev() {
        let reached = &search.reached[index];
        let Arrival::Block { enters, steps, .. } = &reached.by else {
            continue;
        };
        let count = steps.len();
        for (position, TakenEdge { edge, inputs, call }) in steps.iter().enumerate() {
            let (edge, inputs) = (*edge, inputs.clone().into());
            decisions.push(match call {
                Some(end) => Decision::Call {
                    edge,
                    inputs,
                    call: calls[end],
                },
                None if *enters && position + 1 == count => {
                    let procedure = search.machine.procedure_of(reached.node);
                    let layout = search.frames.layout();
                    let state = &reached.state;
                    let locals = first_locals(search.machine, layout, procedure, state).into();
                    Decision::Enter {
                        edge,
                        inputs,
                        locals,
                    }
                }
                None => Decision::Edge { edge, inputs },
            });
        }
    }
    decisions
}

/// The values that a run begins with.
fn start(search: &Reachability<'_, '_, '_>, first: usize) -> Vec<(Variable, u64)> {
    let machine: &Machine = search.machine;
    let main = machine.procedure_of(search.reached[first].node);
    let globals = (0..machine.globals.len()).map(GlobalId::new);
    let open = globals.filter(|&global| machine.global(global).initial.is_none());
    let locals = machine.procedure(main).local_ids();
    let variables = open
        .map(Variable::Global)
        .chain(locals.map(Variable::Local));
    let state = &search.reached[first].state;
    let layout = search.frames.layout();
    let valued = variables.map(|variable| (variable, value_of(layout, main, variable, state)));
    valued.filter(|&(_, value)| value != 0).collect()
}
