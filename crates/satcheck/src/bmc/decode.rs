//! From the solver's model to the run: backwards along the ways that are taken, then down as
//! decisions.

use super::unrolling::{Arrival, Unrolling};
use hardbop_outcome::Skeleton;
use hardbop_transform::literals::run_writer::{RunWriter, is_set};

/// The run of the last model to a control point of the last layer.
pub(crate) fn run_to(unrolling: &mut Unrolling<'_, '_>, point: usize) -> Skeleton {
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
        writer.take(machine, circuit, way.step, &way.choices, &way.free);
    }
    writer.finish_at(circuit, start)
}
