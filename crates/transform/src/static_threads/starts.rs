//! Slots: threads that run from the start and wait to be given something to do.
//!
//! Whoever starts a thread leaves in the next free slot a number for what is started, the
//! arguments, and a copy of the globals that are its own. A thread that starts at a node in the
//! middle of a procedure runs a copy of the procedure that begins there, with all locals for
//! parameters. The node behind a start stands for the place where the new thread begins: it is
//! there at once, before it has taken a step.

use super::NotStatic;
use crate::correspondence::Origin;
use crate::draft::{Draft, DraftEdge, DraftProcedure, Place};
use hardbop_machine::Type;
use hardbop_machine::{Action, Machine, Storage, Thread, ThreadStart};
use hardbop_machine::{BinaryOp, Expr};
use hardbop_machine::{ExprId, GlobalId, LocalId, NodeId, ProcId, Variable};
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

/// Variables to put values in, by type.
#[derive(Clone, Default)]
pub struct Cells {
    cells: BTreeMap<Type, Vec<GlobalId>>,
}

impl Cells {
    /// Cells for values of these types, one each; made where there are too few.
    pub fn take(
        &mut self,
        draft: &mut Draft<'_>,
        name: &str,
        storage: Storage,
        types: &[Type],
    ) -> Vec<GlobalId> {
        let mut used: BTreeMap<Type, usize> = BTreeMap::new();
        let mut taken = Vec::new();
        for &ty in types {
            let place = used.entry(ty).or_default();
            let cells = self.cells.entry(ty).or_default();
            if *place == cells.len() {
                let name = format!("{name}_{}_{place}", ty.width());
                cells.push(draft.global(name, ty, storage));
            }
            taken.push(cells[*place]);
            *place += 1;
        }
        taken
    }

    /// All cells.
    pub fn all(&self) -> impl Iterator<Item = GlobalId> + '_ {
        self.cells.values().flatten().copied()
    }

    /// Has the results of a call that others would see put here first; what is left to be assigned.
    pub(crate) fn late_assignments(
        &mut self,
        draft: &mut Draft<'_>,
        procedure: usize,
        edge: usize,
    ) -> Vec<(Variable, ExprId)> {
        let Action::Call {
            mut targets,
            callee,
            arguments,
        } = draft.procedures[procedure].edges[edge].action.clone()
        else {
            return Vec::new();
        };
        let seen = targets.iter().enumerate().filter_map(|(at, &target)| {
            let Some(Variable::Global(id)) = target else {
                return None;
            };
            let global = &draft.globals[id.index()];
            (global.storage == Storage::Shared).then_some((at, id, global.ty))
        });
        let seen: Vec<(usize, GlobalId, Type)> = seen.collect();
        let types: Vec<Type> = seen.iter().map(|&(_, _, ty)| ty).collect();
        let cells = self.take(draft, "call_result", Storage::PerThread, &types);
        let mut late = Vec::new();
        for (&(at, id, _), cell) in seen.iter().zip(cells) {
            late.push((Variable::Global(id), draft.value(cell)));
            targets[at] = Some(Variable::Global(cell));
        }
        draft.procedures[procedure].edges[edge].action = Action::Call {
            callee,
            arguments,
            targets,
        };
        late
    }
}

/// What a started thread runs.
struct Root {
    procedure: ProcId,
    /// The node of the original where it begins.
    node: NodeId,
    /// Types of its arguments.
    parameters: Vec<Type>,
}

/// The slots of a program.
struct Slots {
    /// How many have been taken.
    taken: Option<GlobalId>,
    count: u32,
    roots: Vec<Root>,
    /// Globals that each thread has for itself.
    own: Vec<GlobalId>,
    /// Per slot the number of what it runs, and the values for it.
    given: Vec<(GlobalId, Cells)>,
    overflows: Vec<(ProcId, Place)>,
}

/// What the starts of threads have become.
#[derive(Default)]
pub struct Started {
    /// The entry procedures of the slots.
    pub slots: Vec<ProcId>,
    /// Places that are reached where one thread more would be started than there may be.
    pub overflows: Vec<(ProcId, Place)>,
}

/// Replaces all starts of threads.
pub(crate) fn add_slots(draft: &mut Draft<'_>, threads: u32) -> Result<Started, NotStatic> {
    let machine = draft.original;
    let starting = starting_edges(draft);
    if starting.is_empty() {
        return Ok(Started::default());
    }
    if init_starts(machine) {
        return Err(NotStatic::InitStartsThreads);
    }
    let declared: u32 = machine.threads.iter().map(|thread| thread.instances).sum();
    let mut slots = Slots {
        taken: None,
        count: threads.saturating_sub(declared),
        roots: Vec::new(),
        own: (0..machine.globals.len()).map(GlobalId::new).collect(),
        given: Vec::new(),
        overflows: Vec::new(),
    };
    let is_own = |id: &GlobalId| machine.global(*id).storage == Storage::PerThread;
    slots.own.retain(is_own);
    if slots.count > 0 {
        let ty = number_type(slots.count);
        slots.taken = Some(draft.global("started".to_owned(), ty, Storage::Shared));
    }
    let mut numbers: BTreeMap<(NodeId, bool), usize> = BTreeMap::new();
    for &(procedure, edge) in &starting {
        let (node, copied) = root_node(draft, procedure, edge);
        if let Entry::Vacant(free) = numbers.entry((node, copied)) {
            free.insert(slots.roots.len());
            let root = root(draft, node, copied);
            slots.roots.push(root);
        }
    }
    // Copies of procedures may start threads as well, in the same way.
    let starting = starting_edges(draft);
    let code = number_type(slots.roots.len().max(2) as u32 - 1);
    for slot in 0..slots.count {
        let number = draft.global(format!("slot_runs_{slot}"), code, Storage::Shared);
        slots.given.push((number, Cells::default()));
    }
    for (procedure, edge) in starting {
        let root = root_node(draft, procedure, edge);
        slots.replace(draft, procedure, edge, numbers[&root]);
    }
    let entries = (0..slots.count as usize).map(|slot| slots.entry(draft, slot));
    let entries: Vec<ProcId> = entries.collect();
    for (index, &entry) in entries.iter().enumerate() {
        draft.threads.push(Thread {
            name: format!("slot_{index}"),
            entry,
            instances: 1,
        });
    }
    Ok(Started {
        slots: entries,
        overflows: slots.overflows,
    })
}

/// An integer type for numbers up to this one.
pub(crate) fn number_type(most: u32) -> Type {
    Type::Int((u32::BITS - most.leading_zeros()).max(1) as u8)
}

fn starting_edges(draft: &Draft<'_>) -> Vec<(usize, usize)> {
    let mut starting = Vec::new();
    for (index, procedure) in draft.procedures.iter().enumerate() {
        let edges = procedure.edges.iter().enumerate();
        let starts = edges.filter(|(_, edge)| matches!(edge.action, Action::StartThread(_)));
        starting.extend(starts.map(|(at, _)| (index, at)));
    }
    starting
}

/// Whether `init`, or what it calls, starts threads.
fn init_starts(machine: &Machine) -> bool {
    let mut pending: Vec<ProcId> = machine.init.into_iter().collect();
    let mut seen: BTreeSet<ProcId> = pending.iter().copied().collect();
    while let Some(procedure) = pending.pop() {
        for edge in machine.procedure(procedure).edge_ids() {
            match machine.edge(edge).action {
                Action::StartThread(_) => return true,
                Action::Call { callee, .. } if seen.insert(callee) => pending.push(callee),
                _ => {}
            }
        }
    }
    false
}

/// Where the thread that an edge starts begins, and whether with a copy of the locals.
fn root_node(draft: &Draft<'_>, procedure: usize, edge: usize) -> (NodeId, bool) {
    match draft.procedures[procedure].edges[edge].action {
        Action::StartThread(ThreadStart::Node(node)) => (node, true),
        Action::StartThread(ThreadStart::Procedure { callee, .. }) => {
            (draft.original.procedure(callee).entry, false)
        }
        _ => unreachable!("only edges that start threads are asked about"),
    }
}

/// What a thread that begins at a node runs.
fn root(draft: &mut Draft<'_>, node: NodeId, is_copy: bool) -> Root {
    let original = draft.original.procedure_of(node);
    let declared = &draft.procedures[original.index()];
    let count = if is_copy {
        declared.locals.len() - declared.result_count as usize
    } else {
        declared.parameter_count as usize
    };
    let parameters = declared.locals[..count].iter().map(|local| local.ty);
    let parameters: Vec<Type> = parameters.collect();
    if !is_copy {
        return Root {
            procedure: original,
            node,
            parameters,
        };
    }
    let (_, entry) = draft.place_of(node);
    let copy = DraftProcedure {
        name: format!("{}.from_{}", declared.name, node.0),
        parameter_count: count as u32,
        entry,
        ..declared.clone()
    };
    Root {
        procedure: draft.procedure(copy),
        node,
        parameters,
    }
}

impl Slots {
    /// The edge that starts a thread takes a slot instead.
    fn replace(&mut self, draft: &mut Draft<'_>, procedure: usize, at: usize, root: usize) {
        let edge = draft.procedures[procedure].edges[at].clone();
        let span = edge.span;
        let overflow = draft.procedures[procedure].node(span);
        self.overflows.push((ProcId::new(procedure), overflow));
        let Some(taken) = self.taken else {
            let edge = &mut draft.procedures[procedure].edges[at];
            (edge.to, edge.action, edge.origin) = (overflow, Action::Skip, Origin::Nothing);
            return;
        };
        let is_full = draft.is(taken, u64::from(self.count));
        let is_free = draft.not(is_full);
        let mut values = given_values(draft, procedure, &edge.action);
        let mut types = self.roots[root].parameters.clone();
        for &id in &self.own {
            values.push(draft.value(id));
            types.push(draft.globals[id.index()].ty);
        }
        let taken_type = draft.globals[taken.index()].ty;
        let (now, one) = (draft.value(taken), draft.constant(1, taken_type));
        let next = Expr::Binary(BinaryOp::Add, now, one, taken_type);
        let next = draft.exprs.add(next);
        let mut assignments = vec![(Variable::Global(taken), next)];
        for slot in 0..self.given.len() {
            let name = format!("slot_given_{slot}");
            let cells = self.given[slot]
                .1
                .take(draft, &name, Storage::Shared, &types);
            let number = self.given[slot].0;
            let number_type = draft.globals[number.index()].ty;
            let code = draft.constant(root as u64, number_type);
            let given = [number].into_iter().chain(cells);
            let given: Vec<(GlobalId, ExprId)> = given
                .zip([code].into_iter().chain(values.clone()))
                .collect();
            for (cell, value) in given {
                let is_next = draft.is(taken, slot as u64);
                let (old, ty) = (draft.value(cell), draft.globals[cell.index()].ty);
                let new = draft.exprs.add(Expr::Ite(is_next, value, old, ty));
                assignments.push((Variable::Global(cell), new));
            }
        }
        let started = draft.procedures[procedure].node(span);
        draft.procedures[procedure].nodes[started].stands_for = Some(self.roots[root].node);
        let (guard, full) = (
            draft.guarded(edge.guard, Some(is_free)),
            draft.guarded(edge.guard, Some(is_full)),
        );
        let edges = &mut draft.procedures[procedure].edges;
        edges.push(DraftEdge {
            inputs: edge.inputs.clone(),
            ..DraftEdge::silent(edge.from, overflow, full, Action::Skip, span)
        });
        edges.push(DraftEdge::silent(
            started,
            edge.to,
            None,
            Action::Skip,
            span,
        ));
        edges[at] = DraftEdge {
            to: started,
            guard,
            action: Action::Assign {
                assignments: assignments.into(),
                constrain: None,
            },
            ..edge
        };
    }

    /// The procedure that a slot runs: it takes what is left for it, and what stands there is 0
    /// from then on.
    fn entry(&mut self, draft: &mut Draft<'_>, slot: usize) -> ProcId {
        let span = hardbop_syntax::Span::default();
        let mut procedure = DraftProcedure::empty(format!("slot_{slot}"), span);
        let start = procedure.node(span);
        procedure.entry = start;
        let (number, mut cells) = self.given[slot].clone();
        for (code, root) in self.roots.iter().enumerate() {
            let own = self.own.iter();
            let own: Vec<Type> = own.map(|id| draft.globals[id.index()].ty).collect();
            let types = [root.parameters.clone(), own].concat();
            let given = cells.take(
                draft,
                &format!("slot_given_{slot}"),
                Storage::Shared,
                &types,
            );
            let (parameters, own) = given.split_at(root.parameters.len());
            let mut assignments = Vec::new();
            let mut arguments = Vec::new();
            for (&cell, &ty) in parameters.iter().zip(&root.parameters) {
                procedure.locals.push(hardbop_machine::Local {
                    name: format!("given_{}", procedure.locals.len()),
                    ty,
                    notation: hardbop_syntax::Notation::default(),
                });
                let local = Variable::Local(LocalId::new(procedure.locals.len() - 1));
                assignments.push((local, draft.value(cell)));
                arguments.push(draft.exprs.add(Expr::Var(local, ty)));
            }
            for (&cell, &id) in own.iter().zip(&self.own) {
                assignments.push((Variable::Global(id), draft.value(cell)));
            }
            for cell in [number].into_iter().chain(cells.all()) {
                let ty = draft.globals[cell.index()].ty;
                assignments.push((Variable::Global(cell), draft.constant(0, ty)));
            }
            let is_given = self.is_given(draft, slot);
            let is_this = draft.is(number, code as u64);
            let guard = draft.guarded(is_given, Some(is_this));
            let (ready, done) = (procedure.node(span), procedure.node(span));
            let action = Action::Assign {
                assignments: assignments.into(),
                constrain: None,
            };
            procedure
                .edges
                .push(DraftEdge::silent(start, ready, guard, action, span));
            run(
                draft,
                &mut procedure,
                (ready, done),
                root.procedure,
                arguments,
            );
        }
        draft.procedure(procedure)
    }

    /// The slot has been taken.
    fn is_given(&self, draft: &mut Draft<'_>, slot: usize) -> Option<ExprId> {
        let taken = self.taken?;
        let ty = draft.globals[taken.index()].ty;
        let (number, taken) = (draft.constant(slot as u64, ty), draft.value(taken));
        let is_less = Expr::Binary(BinaryOp::Less, number, taken, Type::Bool);
        Some(draft.exprs.add(is_less))
    }
}

/// What the started thread gets.
fn given_values(draft: &mut Draft<'_>, procedure: usize, action: &Action) -> Vec<ExprId> {
    match action {
        Action::StartThread(ThreadStart::Procedure { arguments, .. }) => arguments.to_vec(),
        _ => {
            let declared = &draft.procedures[procedure];
            let count = declared.locals.len() - declared.result_count as usize;
            let types = declared.locals[..count].iter().map(|local| local.ty);
            let types: Vec<Type> = types.collect();
            let locals = types.into_iter().enumerate().map(|(index, ty)| {
                let local = Variable::Local(LocalId::new(index));
                draft.exprs.add(Expr::Var(local, ty))
            });
            locals.collect()
        }
    }
}

/// Calls the procedure of a thread, whose return is the end of the thread.
pub fn run(
    draft: &Draft<'_>,
    procedure: &mut DraftProcedure,
    (ready, done): (Place, Place),
    callee: ProcId,
    arguments: Vec<ExprId>,
) {
    let span = procedure.span;
    let results = draft.procedures[callee.index()].result_count as usize;
    let action = Action::Call {
        callee,
        arguments: arguments.into(),
        targets: vec![None; results].into(),
    };
    procedure.edges.push(DraftEdge {
        origin: Origin::Begin,
        ..DraftEdge::silent(ready, done, None, action, span)
    });
    let exit = procedure.exit;
    procedure.edges.push(DraftEdge {
        origin: Origin::Return,
        ..DraftEdge::silent(done, exit, None, Action::Skip, span)
    });
}
