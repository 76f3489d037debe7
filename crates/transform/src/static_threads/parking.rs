//! Waiting inside atomic blocks as parking.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `parked_i` | at which stop the i-th parked thread waits, 0 for none |
//! | `parked_thread_i` | its number; missing where only one thread ever parks |
//! | `parked_with_i…` | the values with which it waits |
//! | `thread_number` | each thread's own number; missing in the same case |
//!
//! Of several threads inside blocks only the one that has stepped most recently counts (it is
//! parked at level 0): the others may run only while that one has to wait. A parked thread goes on
//! only where it can take a step, and, if others have parked since, where the last of those has to
//! wait. So parking and going on always enclose a step of another thread, and the order is that of
//! the last steps.

use super::starts::{Cells, number_type};
use super::stops::Stop;
use super::waiting::substitute;
use crate::draft::{Draft, DraftEdge, Place, assign};
use hardbop_machine::{BinaryOp, Expr, ExprId, GlobalId, Storage, Variable};

/// The parked threads.
pub struct Parking {
    stops: Vec<Stop>,
    /// The thread that stepped most recently first.
    levels: Vec<Level>,
    /// Each thread's number.
    pub me: Option<GlobalId>,
    /// Whoever parked last has to wait, or no thread is parked.
    pub last_waits: ExprId,
}

/// The variables of a parked thread.
struct Level {
    code: GlobalId,
    owner: Option<GlobalId>,
    /// Per stop those for its private values.
    cells: Vec<Vec<GlobalId>>,
    /// All of them, in the same order on each level.
    all: Vec<GlobalId>,
}

impl Parking {
    /// Room for this many parked threads of so many in all.
    pub fn new(draft: &mut Draft<'_>, stops: Vec<Stop>, parking: usize, threads: usize) -> Self {
        let number = number_type(threads as u32);
        let code = number_type(stops.len() as u32);
        let is_named = parking > 1;
        let me =
            is_named.then(|| draft.global("thread_number".to_owned(), number, Storage::PerThread));
        let heads: Vec<_> = (0..parking)
            .map(|level| {
                let code = draft.global(format!("parked_{level}"), code, Storage::Shared);
                let owner = format!("parked_thread_{level}");
                let owner = is_named.then(|| draft.global(owner, number, Storage::Shared));
                (code, owner)
            })
            .collect();
        let levels = heads.into_iter().enumerate().map(|(level, (code, owner))| {
            let name = format!("parked_with_{level}");
            let mut table = Cells::default();
            let cells = stops.iter().map(|stop| {
                let types: Vec<_> = stop.private.iter().map(|&(_, ty)| ty).collect();
                table.take(draft, &name, Storage::Shared, &types)
            });
            let cells = cells.collect();
            let all = [code].into_iter().chain(owner).chain(table.all());
            Level {
                code,
                owner,
                all: all.collect(),
                cells,
            }
        });
        let levels: Vec<Level> = levels.collect();
        let last_waits = last_waits(draft, &stops, &levels[0]);
        Self {
            stops,
            levels,
            me,
            last_waits,
        }
    }

    /// Lets threads park at every stop. `lock` is up while the running thread is inside a block.
    pub(crate) fn add_edges(&self, draft: &mut Draft<'_>, lock: GlobalId) {
        for (number, stop) in self.stops.iter().enumerate() {
            let span = draft.procedures[stop.procedure].nodes[stop.place].span;
            let parked = draft.procedures[stop.procedure].node(span);
            let park = self.park(draft, lock, number, parked);
            draft.procedures[stop.procedure].edges.push(park);
            for level in 0..self.levels.len() {
                let go_on = self.go_on(draft, lock, stop, level, parked);
                draft.procedures[stop.procedure].edges.push(go_on);
            }
        }
    }

    /// A thread that has to wait parks at level 0; those that are parked move on by one level.
    fn park(
        &self,
        draft: &mut Draft<'_>,
        lock: GlobalId,
        number: usize,
        parked: Place,
    ) -> DraftEdge {
        let stop = &self.stops[number];
        let mut assignments = Vec::new();
        for levels in self.levels.windows(2) {
            assignments.extend(moved(draft, Some(&levels[0]), &levels[1]));
        }
        let top = &self.levels[0];
        for &target in &top.all {
            let cell = top.cells[number].iter().position(|&cell| cell == target);
            let value = match (cell, self.me) {
                (Some(cell), _) => {
                    let (variable, ty) = stop.private[cell];
                    draft.exprs.add(Expr::Var(variable, ty))
                }
                (None, Some(me)) if top.owner == Some(target) => draft.value(me),
                (None, _) => {
                    let value = if target == top.code {
                        number as u64 + 1
                    } else {
                        0
                    };
                    draft.constant(value, draft.globals[target.index()].ty)
                }
            };
            assignments.push((Variable::Global(target), value));
        }
        assignments.push(draft.set(lock, 0));
        let locked = draft.value(lock);
        let guard = draft.and(stop.waits, locked);
        let span = draft.procedures[stop.procedure].nodes[stop.place].span;
        DraftEdge::silent(stop.place, parked, Some(guard), assign(assignments), span)
    }

    /// The thread that is parked at a level goes on.
    fn go_on(
        &self,
        draft: &mut Draft<'_>,
        lock: GlobalId,
        stop: &Stop,
        level: usize,
        parked: Place,
    ) -> DraftEdge {
        let Level { code, owner, .. } = self.levels[level];
        let is_empty = draft.is(code, 0);
        let is_used = draft.not(is_empty);
        let can_step = draft.not(stop.waits);
        let mut guard = draft.and(is_used, can_step);
        if let (Some(owner), Some(me)) = (owner, self.me) {
            let (owner, me) = (draft.value(owner), draft.value(me));
            let is_mine = draft.binary(BinaryOp::Equal, owner, me);
            guard = draft.and(guard, is_mine);
        }
        if level > 0 {
            guard = draft.and(guard, self.last_waits);
        }
        let mut assignments = Vec::new();
        for to in level..self.levels.len() {
            assignments.extend(moved(draft, self.levels.get(to + 1), &self.levels[to]));
        }
        assignments.push(draft.set(lock, 1));
        let span = hardbop_syntax::Span::default();
        DraftEdge::silent(parked, stop.place, Some(guard), assign(assignments), span)
    }
}

/// Whoever is parked at a level has to wait, or no thread is parked there.
fn last_waits(draft: &mut Draft<'_>, stops: &[Stop], level: &Level) -> ExprId {
    let mut some = draft.is(level.code, 0);
    for (number, stop) in stops.iter().enumerate() {
        let cells = &level.cells[number];
        let waits = substitute(&mut draft.exprs, stop.waits, |_, expr| match expr {
            Expr::Var(variable, ty) => {
                let at = stop.private.iter().position(|&(own, _)| own == variable)?;
                Some(Expr::Var(Variable::Global(cells[at]), ty))
            }
            _ => None,
        });
        let is_here = draft.is(level.code, number as u64 + 1);
        let both = draft.and(is_here, waits);
        some = draft.or(some, both);
    }
    some
}

/// The values of a level move to another; those of no level are 0.
fn moved(draft: &mut Draft<'_>, from: Option<&Level>, to: &Level) -> Vec<(Variable, ExprId)> {
    let targets = to.all.iter().enumerate();
    let moved = targets.map(|(at, &target)| match from {
        Some(from) => (Variable::Global(target), draft.value(from.all[at])),
        None => draft.set(target, 0),
    });
    moved.collect()
}
