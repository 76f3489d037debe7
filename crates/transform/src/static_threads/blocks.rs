//! Atomic blocks as a flag, and waiting inside them as parking.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `block_lock` | the running thread is inside a block: it is not left |
//! | `thread_number` | each thread's own number |
//! | `parked_i` | at which place the i-th parked thread waits, 0 for none; `parked_thread_i` is its number, `parked_with_i…` what it waits with |
//!
//! Of several threads inside blocks only the one that has stepped most recently counts (it is
//! parked at level 0): the others may run only while that one has to wait. A parked thread goes on
//! only where it can take a step, and, if others have parked since, where the last of those has to
//! wait. So parking and going on always enclose a step of another thread, and the order is that of
//! the last steps.

use super::NotStatic;
use super::starts::{Cells, number_type, run};
use super::waiting::{Waiting, substitute, waiting};
use crate::correspondence::Origin;
use crate::draft::{Draft, DraftEdge, DraftProcedure, Place, assign};
use hardbop_machine::Type;
use hardbop_machine::{Action, Storage, Thread};
use hardbop_machine::{BinaryOp, Expr};
use hardbop_machine::{ExprId, GlobalId, InputId, ProcId, Variable};
use std::collections::BTreeSet;

/// A place where threads park.
struct Stop {
    procedure: usize,
    place: Place,
    waiting: Waiting,
}

/// A level of parked threads, the one that stepped most recently first.
struct Level {
    code: GlobalId,
    /// Missing where only one thread ever parks.
    owner: Option<GlobalId>,
    cells: Cells,
}

/// What replaces the blocks.
struct Blocks {
    /// Missing where there are no blocks.
    lock: Option<GlobalId>,
    /// Missing where at most one thread ever parks.
    me: Option<GlobalId>,
    stops: Vec<Stop>,
    levels: Vec<Level>,
}

/// Replaces atomic blocks, and gives every thread a procedure that begins and ends it. The slots
/// have one already.
pub fn replace(draft: &mut Draft<'_>, slots: &[ProcId]) -> Result<(), NotStatic> {
    let stops = stops(draft)?;
    let entries: Vec<ProcId> = draft
        .threads
        .iter()
        .flat_map(|thread| (0..thread.instances).map(|_| thread.entry))
        .collect();
    let parking = entries.iter().filter(|&&entry| parks(draft, entry, &stops));
    let levels = parking.count();
    let has_blocks = draft.original.edges.iter();
    let has_blocks = has_blocks.map(|edge| &edge.action).any(is_border);
    let ty = number_type(entries.len() as u32);
    let lock = || ("block_lock".to_owned(), Type::Bool, Storage::Shared);
    let me = || ("thread_number".to_owned(), ty, Storage::PerThread);
    let mut add = |(name, ty, storage)| draft.global(name, ty, storage);
    let mut blocks = Blocks {
        lock: has_blocks.then(|| add(lock())),
        me: (levels > 1).then(|| add(me())),
        levels: Vec::new(),
        stops,
    };
    let code = number_type(blocks.stops.len() as u32);
    for level in 0..levels {
        let owner = format!("parked_thread_{level}");
        blocks.levels.push(Level {
            code: draft.global(format!("parked_{level}"), code, Storage::Shared),
            owner: (levels > 1).then(|| draft.global(owner, ty, Storage::Shared)),
            cells: Cells::default(),
        });
    }
    draft.flag = draft.flag.or(blocks.lock);
    // Conditions about what a parked thread sees are made first: they decide which cells there are.
    let may_step = blocks.may_step(draft);
    for index in 0..draft.procedures.len() {
        blocks.guard_steps(draft, index, may_step);
    }
    if !blocks.levels.is_empty() {
        for stop in 0..blocks.stops.len() {
            blocks.park(draft, stop);
        }
    }
    blocks.wrap(draft, slots, may_step);
    Ok(())
}

fn is_border(action: &Action) -> bool {
    matches!(action, Action::AtomicBegin | Action::AtomicEnd)
}

/// The places inside blocks where threads may have to wait.
fn stops(draft: &mut Draft<'_>) -> Result<Vec<Stop>, NotStatic> {
    let mut stops = Vec::new();
    for (procedure, place) in inside(draft) {
        if draft.procedures[procedure].exit == place {
            continue;
        }
        if let Some(waiting) = waiting(draft, procedure, place)? {
            stops.push(Stop {
                procedure,
                place,
                waiting,
            });
        }
    }
    Ok(stops)
}

/// The places where a thread may be inside a block. What a procedure is called with is not told
/// apart by call.
fn inside(draft: &Draft<'_>) -> BTreeSet<(usize, Place)> {
    let mut inside: BTreeSet<(usize, Place)> = BTreeSet::new();
    let mut pending = Vec::new();
    let edges = || {
        let procedures = draft.procedures.iter().enumerate();
        procedures.flat_map(|(index, p)| p.edges.iter().map(move |edge| (index, edge)))
    };
    for (index, edge) in edges() {
        if edge.action == Action::AtomicBegin {
            pending.push((index, edge.to));
        }
    }
    let mut callers: Vec<Vec<(usize, Place)>> = vec![Vec::new(); draft.procedures.len()];
    for (index, edge) in edges() {
        if let Action::Call { callee, .. } = edge.action {
            callers[callee.index()].push((index, edge.to));
        }
    }
    let mut leaving: Vec<Vec<Vec<&DraftEdge>>> = Vec::new();
    for procedure in &draft.procedures {
        let mut edges = vec![Vec::new(); procedure.nodes.len()];
        for edge in &procedure.edges {
            edges[edge.from].push(edge);
        }
        leaving.push(edges);
    }
    while let Some((index, place)) = pending.pop() {
        if !inside.insert((index, place)) {
            continue;
        }
        if draft.procedures[index].exit == place {
            pending.extend(&callers[index]);
        }
        for edge in &leaving[index][place] {
            match edge.action {
                Action::AtomicEnd | Action::EndThread => {}
                Action::Call { callee, .. } => {
                    pending.push((callee.index(), draft.procedures[callee.index()].entry));
                }
                _ => pending.push((index, edge.to)),
            }
        }
    }
    inside
}

/// Whether a thread that starts in a procedure may park.
fn parks(draft: &Draft<'_>, entry: ProcId, stops: &[Stop]) -> bool {
    let mut pending = vec![entry.index()];
    let mut seen: BTreeSet<usize> = pending.iter().copied().collect();
    while let Some(index) = pending.pop() {
        if stops.iter().any(|stop| stop.procedure == index) {
            return true;
        }
        for edge in &draft.procedures[index].edges {
            if let Action::Call { callee, .. } = edge.action
                && seen.insert(callee.index())
            {
                pending.push(callee.index());
            }
        }
    }
    false
}

/// The variables of a condition that other threads do not see.
fn private(draft: &Draft<'_>, waiting: &Waiting) -> Vec<Variable> {
    let is_private = |variable: &&Variable| match variable {
        Variable::Global(id) => draft.globals[id.index()].storage == Storage::PerThread,
        Variable::Local(_) => true,
    };
    let variables = waiting.variables.iter().filter(is_private);
    variables.copied().collect()
}

impl Blocks {
    fn types(&self, draft: &Draft<'_>, stop: usize) -> Vec<Type> {
        let stop = &self.stops[stop];
        let variables = private(draft, &stop.waiting).into_iter();
        let types = variables.map(|variable| match variable {
            Variable::Global(id) => draft.globals[id.index()].ty,
            Variable::Local(id) => draft.procedures[stop.procedure].locals[id.index()].ty,
        });
        types.collect()
    }

    /// The cells of a level for what is seen at a stop.
    fn cells(&mut self, draft: &mut Draft<'_>, level: usize, stop: usize) -> Vec<GlobalId> {
        let types = self.types(draft, stop);
        let cells = &mut self.levels[level].cells;
        cells.take(
            draft,
            &format!("parked_with_{level}"),
            Storage::Shared,
            &types,
        )
    }

    /// Whoever parked last has to wait, or no thread is parked; nothing if none ever parks.
    fn last_waits(&mut self, draft: &mut Draft<'_>) -> Option<ExprId> {
        let top = self.levels.first()?.code;
        let mut some = draft.is(top, 0);
        for stop in 0..self.stops.len() {
            let cells = self.cells(draft, 0, stop);
            let waiting = self.stops[stop].waiting.clone();
            let seen = private(draft, &waiting);
            let condition = substitute(&mut draft.exprs, waiting.condition, |_, expr| match expr {
                Expr::Var(variable, ty) => {
                    let at = seen.iter().position(|&other| other == variable)?;
                    Some(Expr::Var(Variable::Global(cells[at]), ty))
                }
                _ => None,
            });
            let is_here = draft.is(top, stop as u64 + 1);
            let waits = draft.and(is_here, condition);
            some = draft.or(some, waits);
        }
        Some(some)
    }

    /// The condition for every step.
    fn may_step(&mut self, draft: &mut Draft<'_>) -> Option<ExprId> {
        let last_waits = self.last_waits(draft)?;
        let locked = draft.value(self.lock?);
        Some(draft.or(locked, last_waits))
    }

    /// The steps of the original take the condition, and blocks become the flag.
    fn guard_steps(&self, draft: &mut Draft<'_>, index: usize, may_step: Option<ExprId>) {
        for at in 0..draft.procedures[index].edges.len() {
            let edge = draft.procedures[index].edges[at].clone();
            let guard = match edge.origin {
                Origin::Edge(_) | Origin::Return => draft.guarded(edge.guard, may_step),
                Origin::Nothing | Origin::Begin => edge.guard,
            };
            let mut changed = DraftEdge { guard, ..edge };
            let value = match changed.action {
                Action::AtomicBegin => 1,
                Action::AtomicEnd | Action::EndThread => 0,
                _ => {
                    draft.procedures[index].edges[at] = changed;
                    continue;
                }
            };
            if self.lock.is_none() {
                draft.procedures[index].edges[at] = changed;
                continue;
            }
            let lock = assign(self.locked(draft, value));
            let ending = std::mem::replace(&mut changed.action, lock);
            if ending == Action::EndThread {
                // The block ends with the thread, and first.
                let (span, to) = (changed.span, changed.to);
                let last = draft.procedures[index].node(span);
                changed.to = last;
                let end = DraftEdge::silent(last, to, None, ending, span);
                draft.procedures[index].edges.push(end);
            }
            draft.procedures[index].edges[at] = changed;
        }
    }

    /// Raises the flag or lowers it.
    fn locked(&self, draft: &mut Draft<'_>, value: u64) -> Vec<(Variable, ExprId)> {
        let lock = self.lock.into_iter();
        let value = draft.constant(value, Type::Bool);
        lock.map(|lock| (Variable::Global(lock), value)).collect()
    }

    /// The values of a level move to another; those of no level are 0.
    fn moved(
        &self,
        draft: &mut Draft<'_>,
        from: Option<usize>,
        to: usize,
    ) -> Vec<(Variable, ExprId)> {
        let variables = |level: &Level| -> Vec<GlobalId> {
            let own = [level.code].into_iter().chain(level.owner);
            own.chain(level.cells.all()).collect()
        };
        let targets = variables(&self.levels[to]);
        let sources = from.map(|from| variables(&self.levels[from]));
        let mut moved = Vec::new();
        for (at, target) in targets.into_iter().enumerate() {
            let value = match &sources {
                Some(sources) => draft.value(sources[at]),
                None => draft.constant(0, draft.globals[target.index()].ty),
            };
            moved.push((Variable::Global(target), value));
        }
        moved
    }

    /// A place where a thread parks gets a second one, where it is parked.
    fn park(&mut self, draft: &mut Draft<'_>, stop: usize) {
        let (procedure, place) = (self.stops[stop].procedure, self.stops[stop].place);
        let waiting = self.stops[stop].waiting.clone();
        for level in 0..self.levels.len() {
            // All levels have the same cells, so that one can be moved to another.
            for other in 0..self.stops.len() {
                self.cells(draft, level, other);
            }
        }
        let span = draft.procedures[procedure].nodes[place].span;
        let parked = draft.procedures[procedure].node(span);
        let mut assignments = Vec::new();
        for level in 1..self.levels.len() {
            assignments.extend(self.moved(draft, Some(level - 1), level));
        }
        let cells = self.cells(draft, 0, stop);
        let types = self.types(draft, stop);
        let mut written = BTreeSet::new();
        for ((cell, variable), ty) in cells.into_iter().zip(private(draft, &waiting)).zip(types) {
            let value = draft.exprs.add(Expr::Var(variable, ty));
            assignments.push((Variable::Global(cell), value));
            written.insert(cell);
        }
        let unused: Vec<GlobalId> = self.levels[0].cells.all().collect();
        for cell in unused.into_iter().filter(|cell| !written.contains(cell)) {
            let ty = draft.globals[cell.index()].ty;
            assignments.push((Variable::Global(cell), draft.constant(0, ty)));
        }
        let Level { code, owner, .. } = self.levels[0];
        let code_type = draft.globals[code.index()].ty;
        let number = draft.constant(stop as u64 + 1, code_type);
        assignments.push((Variable::Global(code), number));
        if let (Some(owner), Some(me)) = (owner, self.me) {
            assignments.push((Variable::Global(owner), draft.value(me)));
        }
        assignments.extend(self.locked(draft, 0));
        let locked = self.lock.map(|lock| draft.value(lock));
        let guard = draft.guarded(Some(waiting.condition), locked);
        let edge = DraftEdge::silent(place, parked, guard, assign(assignments), span);
        draft.procedures[procedure].edges.push(edge);
        for level in 0..self.levels.len() {
            let edge = self.go_on(draft, &waiting, level, (parked, place));
            draft.procedures[procedure].edges.push(edge);
        }
    }

    /// The thread that is parked at a level goes on.
    fn go_on(
        &mut self,
        draft: &mut Draft<'_>,
        waiting: &Waiting,
        level: usize,
        (parked, place): (Place, Place),
    ) -> DraftEdge {
        let Level { code, owner, .. } = self.levels[level];
        let is_empty = draft.is(code, 0);
        let is_used = draft.not(is_empty);
        let can_step = draft.not(waiting.condition);
        let mut guard = draft.and(is_used, can_step);
        if let (Some(owner), Some(me)) = (owner, self.me) {
            let (owner, me) = (draft.value(owner), draft.value(me));
            let is_mine = Expr::Binary(BinaryOp::Equal, owner, me, Type::Bool);
            let is_mine = draft.exprs.add(is_mine);
            guard = draft.and(guard, is_mine);
        }
        if level > 0
            && let Some(last_waits) = self.last_waits(draft)
        {
            guard = draft.and(guard, last_waits);
        }
        let mut assignments = Vec::new();
        for to in level..self.levels.len() {
            let from = Some(to + 1).filter(|&from| from < self.levels.len());
            assignments.extend(self.moved(draft, from, to));
        }
        assignments.extend(self.locked(draft, 1));
        DraftEdge::silent(
            parked,
            place,
            Some(guard),
            assign(assignments),
            hardbop_syntax::Span::default(),
        )
    }

    /// Threads begin by saying who they are, and at their end the block ends that they may be in.
    fn wrap(&self, draft: &mut Draft<'_>, slots: &[ProcId], may_step: Option<ExprId>) {
        if let Some(init) = draft.init {
            draft.init = Some(self.wrapper(draft, init, 0, may_step));
        }
        let mut threads = Vec::new();
        let mut number = 0;
        for thread in std::mem::take(&mut draft.threads) {
            for instance in 0..thread.instances {
                number += 1;
                let entry = if slots.contains(&thread.entry) {
                    self.begin(draft, thread.entry, number);
                    thread.entry
                } else {
                    self.wrapper(draft, thread.entry, number, may_step)
                };
                threads.push(Thread {
                    name: format!("{}.{instance}", thread.name),
                    entry,
                    instances: 1,
                });
            }
        }
        draft.threads = threads;
    }

    fn wrapper(
        &self,
        draft: &mut Draft<'_>,
        entry: ProcId,
        number: u64,
        may_step: Option<ExprId>,
    ) -> ProcId {
        let callee = &draft.procedures[entry.index()];
        let parameters = callee.locals[..callee.parameter_count as usize].iter();
        let inputs: Vec<Type> = parameters.map(|local| local.ty).collect();
        let mut procedure = DraftProcedure::empty(format!("begin_{number}"), callee.span);
        let span = procedure.span;
        let (ready, done) = (procedure.node(span), procedure.node(span));
        procedure.entry = ready;
        let arguments = inputs
            .iter()
            .enumerate()
            .map(|(index, &ty)| draft.exprs.add(Expr::Input(InputId::new(index), ty)));
        let arguments: Vec<ExprId> = arguments.collect();
        run(draft, &mut procedure, (ready, done), entry, arguments);
        procedure.edges[0].inputs = inputs;
        procedure.edges[1].guard = may_step;
        let id = draft.procedure(procedure);
        self.begin(draft, id, number);
        id
    }

    /// Puts the thread's number in front of a procedure, and lowers the flag where the thread
    /// returns.
    fn begin(&self, draft: &mut Draft<'_>, id: ProcId, number: u64) {
        let number = self.me.map(|me| {
            let number = draft.constant(number, draft.globals[me.index()].ty);
            (Variable::Global(me), number)
        });
        let lowered = self.locked(draft, 0);
        let procedure = &mut draft.procedures[id.index()];
        let span = procedure.span;
        if let Some(number) = number {
            let (first, old) = (procedure.node(span), procedure.entry);
            procedure.entry = first;
            let set = assign(vec![number]);
            procedure
                .edges
                .push(DraftEdge::silent(first, old, None, set, span));
        }
        for edge in &mut procedure.edges {
            if edge.origin == Origin::Return && !lowered.is_empty() {
                edge.action = assign(lowered.clone());
            }
        }
    }
}
