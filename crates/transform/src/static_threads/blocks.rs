//! Atomic blocks as a flag: `block_lock` is up while the running thread is inside one, and then it
//! is not left. A thread that has to wait inside a block lowers the flag and parks ([`super::parking`]);
//! as long as one is parked, every step of the others asks whether that one still has to wait.

use super::NotStatic;
use super::parking::Parking;
use super::starts::run;
use super::stops::{may_stop, stops};
use crate::correspondence::Origin;
use crate::draft::{Draft, DraftEdge, DraftProcedure, assign};
use hardbop_machine::{Action, Expr, ExprId, GlobalId, InputId, ProcId, Storage, Thread, Type};

/// What replaces the blocks.
struct Blocks {
    /// Missing where there are no blocks.
    lock: Option<GlobalId>,
    /// Each thread's number, where that matters.
    me: Option<GlobalId>,
    /// The condition for every step, where one is needed.
    may_step: Option<ExprId>,
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
    let parking = entries
        .iter()
        .filter(|&&entry| may_stop(draft, entry, &stops));
    let parking = parking.count();
    let is_border = |action| matches!(action, &Action::AtomicBegin | &Action::AtomicEnd);
    let has_blocks = draft
        .original
        .edges
        .iter()
        .any(|edge| is_border(&edge.action));
    let mut blocks = Blocks {
        lock: has_blocks
            .then(|| draft.global("block_lock".to_owned(), Type::Bool, Storage::Shared)),
        me: None,
        may_step: None,
    };
    draft.flag = draft.flag.or(blocks.lock);
    let mut parked = None;
    if let Some(lock) = blocks.lock
        && parking > 0
    {
        let parking = Parking::new(draft, stops, parking, entries.len());
        let locked = draft.value(lock);
        blocks.me = parking.me;
        blocks.may_step = Some(draft.or(locked, parking.last_waits));
        parked = Some((parking, lock));
    }
    blocks.guard_steps(draft);
    if let Some((parking, lock)) = parked {
        parking.add_edges(draft, lock);
    }
    blocks.wrap(draft, slots);
    Ok(())
}

impl Blocks {
    /// The steps of the original take the condition, and blocks become the flag.
    fn guard_steps(&self, draft: &mut Draft<'_>) {
        for index in 0..draft.procedures.len() {
            for at in 0..draft.procedures[index].edges.len() {
                let mut edge = draft.procedures[index].edges[at].clone();
                if matches!(edge.origin, Origin::Edge(_) | Origin::Return) {
                    edge.guard = draft.guarded(edge.guard, self.may_step);
                }
                match (self.lock, &edge.action) {
                    (Some(lock), Action::AtomicBegin) => {
                        edge.action = assign(vec![draft.set(lock, 1)]);
                    }
                    (Some(lock), Action::AtomicEnd) => {
                        edge.action = assign(vec![draft.set(lock, 0)]);
                    }
                    (Some(lock), Action::EndThread) => {
                        // The block ends with the thread, and first.
                        edge.action = assign(vec![draft.set(lock, 0)]);
                        let procedure = &mut draft.procedures[index];
                        let last = procedure.node(edge.span);
                        let end = Action::EndThread;
                        let end = DraftEdge::silent(last, edge.to, None, end, edge.span);
                        procedure.edges.push(end);
                        edge.to = last;
                    }
                    _ => {}
                }
                draft.procedures[index].edges[at] = edge;
            }
        }
    }

    /// Threads begin by saying who they are, and at their end the block ends that they may be in.
    fn wrap(&self, draft: &mut Draft<'_>, slots: &[ProcId]) {
        if let Some(init) = draft.init {
            draft.init = Some(self.wrapper(draft, init, 0));
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
                    self.wrapper(draft, thread.entry, number)
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

    /// A procedure that calls a thread's own with any arguments.
    fn wrapper(&self, draft: &mut Draft<'_>, entry: ProcId, number: u64) -> ProcId {
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
        procedure.edges[1].guard = self.may_step;
        let id = draft.procedure(procedure);
        self.begin(draft, id, number);
        id
    }

    /// Puts the thread's number in front of a procedure, and lowers the flag where the thread
    /// returns.
    fn begin(&self, draft: &mut Draft<'_>, id: ProcId, number: u64) {
        let number = self.me.map(|me| draft.set(me, number));
        let lowered = self.lock.map(|lock| draft.set(lock, 0));
        let procedure = &mut draft.procedures[id.index()];
        if let Some(number) = number {
            let (first, old) = (procedure.node(procedure.span), procedure.entry);
            procedure.entry = first;
            let set = DraftEdge::silent(first, old, None, assign(vec![number]), procedure.span);
            procedure.edges.push(set);
        }
        if let Some(lowered) = lowered {
            for edge in &mut procedure.edges {
                if edge.origin == Origin::Return {
                    edge.action = assign(vec![lowered]);
                }
            }
        }
    }
}
