//! Back from a tuple over one step, or over a context switch.

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::scopes::started_by;
use crate::bounded::evidence::tuples::{Tuple, Unwinder, Values, value};
use crate::bounded::evidence::unwind::Deed;
use crate::bounded::search::leaving::left_among;
use crate::bounded::search::path_edges::Place;
use hardbop_bdd::Exhausted;
use hardbop_machine::{Action, EdgeId};

impl Unwinder<'_, '_, '_> {
    /// Back along an edge that is not a call.
    pub(crate) fn step_back(
        &mut self,
        tuple: &Tuple,
        history: &Values,
        time: u64,
    ) -> Result<Option<(Tuple, Deed)>, Exhausted> {
        let machine = self.moves.columns.machine();
        let scope = self.path_edges.scopes.get(tuple.place.scope).clone();
        let has_ended = tuple.place.node == self.path_edges.ended();
        let edges: Vec<EdgeId> = if has_ended {
            let edges = machine.procedure(scope.procedure).edge_ids();
            edges
                .filter(|&edge| machine.edge(edge).action == Action::EndThread)
                .collect()
        } else {
            let incoming = self.incoming.row(tuple.place.node.index()).iter().copied();
            incoming
                .filter(|&edge| {
                    !matches!(
                        machine.edge(edge).action,
                        Action::Call { .. } | Action::EndThread
                    )
                })
                .collect()
        };
        let mut best: Option<(u64, Tuple, Deed)> = None;
        for edge in edges {
            let mut place = Place {
                node: machine.edge(edge).from,
                ..tuple.place
            };
            let made = if let Some(kind) = started_by(machine, edge) {
                let started = self.path_edges.scopes.id(&self.moves.columns, kind);
                if self.path_edges.profiles.recent_starts(place.profile).last() != Some(&started) {
                    continue;
                }
                let Some(profile) = self.path_edges.profiles.before_start(place.profile) else {
                    continue;
                };
                place.profile = profile;
                let count = self.path_edges.profiles.start_count(profile);
                let scope = self.path_edges.scopes.get(started).clone();
                self.moves.start(edge, &scope, count)?
            } else {
                self.moves.step(edge)?
            };
            let mut parts = self.entry_values(tuple);
            parts.extend(self.boundary_values(history, tuple.before, tuple.place.profile));
            for slot in self.known_slots(tuple.place) {
                let now = value(&tuple.values, self.at(slot, Column::Now));
                let is_assigned = made.assigned.contains(&slot);
                let column = if is_assigned {
                    Column::Next
                } else {
                    Column::Now
                };
                parts.push((self.at(slot, column), now));
            }
            let cube = self.cube(&parts)?;
            let wanted = self.moves.manager.and(cube, made.full)?;
            let limit = best.as_ref().map_or(time, |(found, ..)| *found);
            if let Some((found, picked)) = self.earliest(place, limit, wanted)? {
                let deed = Deed::Edge {
                    edge,
                    inputs: self.inputs_of(edge, &picked),
                    locals: Vec::new(),
                };
                best = Some((found, self.tuple_of(place, tuple.before, &picked), deed));
            }
        }
        Ok(best.map(|(_, tuple, deed)| (tuple, deed)))
    }

    /// Back over a context switch.
    pub(crate) fn switch_back(
        &mut self,
        tuple: &Tuple,
        history: &Values,
        time: u64,
    ) -> Result<Option<Tuple>, Exhausted> {
        let Some((profile, leave)) = self.path_edges.profiles.before_switch(tuple.place.profile)
        else {
            return Ok(None);
        };
        let place = Place {
            profile,
            ..tuple.place
        };
        let boundary = self.path_edges.profiles.interruptions(tuple.place.profile);
        let boundary = 2 * (boundary + self.path_edges.profiles.interruptions(tuple.before));
        let mut parts = self.entry_values(tuple);
        parts.extend(self.boundary_values(history, tuple.before, profile));
        for &slot in self.moves.columns.shared() {
            let now = value(&tuple.values, self.at(slot, Column::Now));
            let begin = value(history, self.at(slot, Column::Boundary(boundary)));
            if now != begin {
                return Ok(None);
            }
            let end = value(history, self.at(slot, Column::Boundary(boundary - 1)));
            parts.push((self.at(slot, Column::Now), end));
        }
        for slot in self.known_slots(place) {
            if !self.moves.columns.shared().contains(&slot) {
                let now = self.at(slot, Column::Now);
                parts.push((now, value(&tuple.values, now)));
            }
        }
        let cube = self.cube(&parts)?;
        let Some(growing) = self.path_edges.get(place) else {
            return Ok(None);
        };
        for (found, ring) in growing.rings.clone() {
            if found >= time {
                break;
            }
            let left = left_among(self.moves, self.path_edges, place, ring, leave)?;
            let both = self.moves.manager.and(left, cube)?;
            if let Some(picked) = self.moves.manager.pick(both) {
                let picked = picked.into_iter().collect();
                return Ok(Some(self.tuple_of(place, tuple.before, &picked)));
            }
        }
        Ok(None)
    }
}
