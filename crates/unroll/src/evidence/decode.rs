//! From the solver's model to the execution: backwards along the ways that are taken, then down as
//! decisions.

use crate::encoding::unrolling::{Arrival, Unrolling};
use hardbop_machine::Machine;
use hardbop_outcome::Skeleton;
use hardbop_transform::literals::run_writer::{RunWriter, is_set};

/// The execution of the last model to a point.
pub(crate) fn run_to(machine: &Machine, unrolling: &mut Unrolling<'_>, point: usize) -> Skeleton {
    let Unrolling {
        circuit,
        points,
        start,
        ..
    } = unrolling;
    let mut ways: Vec<&Arrival> = Vec::new();
    let mut at = point;
    while at > 0 {
        let mut arrivals = points[at].iter();
        let is_taken = |way: &&Arrival| {
            let mut conditions = way.taken.literals().iter();
            conditions.all(|&condition| is_set(circuit, condition))
        };
        let way = arrivals.find(is_taken);
        let way = way.expect("a point that is reached is reached by one of its ways");
        ways.push(way);
        at = way.from;
    }
    let mut writer = RunWriter::default();
    for way in ways.into_iter().rev() {
        writer.take(machine, circuit, way.step, &way.choices, &way.free);
    }
    writer.finish_at(circuit, start)
}
