//! What of a procedure its callers see, and which variables a relation at a node is about.
//!
//! Bebop section 3.3, taken to its end. A relation at a node speaks of a variable only if the
//! procedure (transitively) touches it (MOD/REF), it is live there, and it is relevant for the
//! question. A copy of the value at entry exists only where it
//! matters: not for procedures that are never called, not for variables dead at entry, not for
//! variables that the procedure never changes: those are *steady*, and their current value **is**
//! the entry value.

use crate::encoding::space::{Slot, Space};
use hardbop_machine::analysis::{ModRef, Slice};
use hardbop_machine::{Action, GlobalId, LocalId, Machine, NodeId, ProcId, Variable};

/// One bit of a variable in scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopedBit {
    /// The variable.
    pub(crate) variable: Variable,
    /// Its bit, from the lowest.
    pub(crate) bit: u8,
    /// Where it lives.
    pub(crate) slot: Slot,
}

/// How a procedure looks from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    /// Whether some reachable procedure calls it, so that its summary is wanted.
    pub(crate) called: bool,
    /// Relevant bits that the procedure can touch.
    pub(crate) scope: Vec<ScopedBit>,
    /// Inputs that the procedure may change: they have an `Outer` copy in forward relations.
    pub(crate) changing_inputs: Vec<ScopedBit>,
    /// Inputs that it never changes.
    pub(crate) steady_inputs: Vec<ScopedBit>,
    /// What it hands back: globals that it may change and that are live at its exit.
    pub(crate) global_outputs: Vec<ScopedBit>,
    /// Its results.
    pub(crate) results: Vec<ScopedBit>,
    /// Globals (relevant bits) that it may change, live at exit or not.
    pub(crate) changed_globals: Vec<ScopedBit>,
}

/// The interfaces of all procedures, with what they were made from.
pub(crate) struct Interfaces<'m> {
    machine: &'m Machine,
    list: Vec<Interface>,
}

impl<'m> Interfaces<'m> {
    /// Works out the interfaces, given which variables are relevant.
    pub(crate) fn new(machine: &'m Machine, space: &Space, slice: &Slice) -> Self {
        let mut interfaces = Self {
            machine,
            list: Vec::new(),
        };
        // A global is relevant everywhere or nowhere.
        let globals = (0..machine.globals.len()).map(GlobalId::new);
        let globals = globals.filter(|&id| slice.relevant(ProcId(0), Variable::Global(id)));
        let globals: Vec<GlobalId> = globals.collect();
        let list = machine.procedure_ids();
        let list = list.map(|id| interfaces.make(space, slice, &globals, id));
        interfaces.list = list.collect();
        interfaces
    }

    /// The interface of a procedure.
    pub(crate) fn of(&self, procedure: ProcId) -> &Interface {
        &self.list[procedure.index()]
    }

    /// The bits of the procedure's scope that a relation at a node speaks of, in order. Takes as
    /// long as the shorter list of what is in scope and what is live: a procedure that calls all
    /// others has everything in scope, and little of it is live.
    pub(crate) fn present_at(&self, procedure: ProcId, node: NodeId) -> Vec<&ScopedBit> {
        let Interface {
            scope,
            steady_inputs,
            called,
            ..
        } = self.of(procedure);
        let live = self.machine.liveness().live_at(node).take(scope.len());
        let live: Vec<Variable> = live.collect();
        if live.len() == scope.len() || *called && !steady_inputs.is_empty() {
            let matters = |bit: &&ScopedBit| self.matters_at(procedure, node, bit);
            return scope.iter().filter(matters).collect();
        }
        let bits = live.iter().flat_map(|&variable| in_scope(scope, variable));
        bits.collect()
    }

    /// Whether a relation at a node speaks of a bit of the procedure's scope.
    pub(crate) fn matters_at(&self, procedure: ProcId, node: NodeId, bit: &ScopedBit) -> bool {
        self.machine.liveness().is_live(node, bit.variable)
            || (self.of(procedure).called && self.of(procedure).is_steady(bit.slot))
    }

    /// What a procedure looks like, given the relevant globals.
    fn make(&self, space: &Space, slice: &Slice, globals: &[GlobalId], id: ProcId) -> Interface {
        let machine = self.machine;
        let (calls, effects) = (machine.calls(), machine.effects());
        let liveness = machine.liveness();
        let procedure = machine.procedure(id);
        let mut made = Interface {
            called: calls
                .calls_of(id)
                .iter()
                .any(|s| calls.is_reachable(s.caller)),
            ..Interface::default()
        };
        let bits = |variable: Variable| {
            let first = space.first_slot(id, variable);
            let width = machine.type_of(id, variable).width();
            (0..width).map(move |bit| ScopedBit {
                variable,
                bit: bit as u8,
                slot: Slot(first.0 + bit),
            })
        };
        for global in touched(effects, globals, id) {
            let variable = Variable::Global(global);
            made.scope.extend(bits(variable));
            let changed = effects.modifies(id, global);
            if changed {
                made.changed_globals.extend(bits(variable));
            }
            if liveness.is_live(procedure.entry, variable) {
                let inputs = if changed {
                    &mut made.changing_inputs
                } else {
                    &mut made.steady_inputs
                };
                inputs.extend(bits(variable));
            }
            if changed && liveness.is_live(procedure.exit, variable) {
                made.global_outputs.extend(bits(variable));
            }
        }
        let assigned = assigned_locals(machine, id);
        for local in procedure.local_ids() {
            let variable = Variable::Local(local);
            if !slice.relevant(id, variable) {
                continue;
            }
            made.scope.extend(bits(variable));
            let is_parameter = local.0 < procedure.parameter_count;
            if is_parameter && liveness.is_live(procedure.entry, variable) {
                let inputs = if assigned[local.index()] {
                    &mut made.changing_inputs
                } else {
                    &mut made.steady_inputs
                };
                inputs.extend(bits(variable));
            }
        }
        for result in procedure.results().map(Variable::Local) {
            if slice.relevant(id, result) {
                made.results.extend(bits(result));
            }
        }
        made
    }
}

impl Interface {
    /// All inputs.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &ScopedBit> {
        self.changing_inputs.iter().chain(&self.steady_inputs)
    }

    /// All outputs.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &ScopedBit> {
        self.global_outputs.iter().chain(&self.results)
    }

    /// Whether a slot is that of a steady input.
    pub(crate) fn is_steady(&self, slot: Slot) -> bool {
        self.steady_inputs.iter().any(|bit| bit.slot == slot)
    }

    /// Whether the procedure may change the global at a slot.
    pub(crate) fn changes(&self, slot: Slot) -> bool {
        self.changed_globals.iter().any(|bit| bit.slot == slot)
    }
}

/// The bits of a variable in a scope, which is in order of variables.
pub(crate) fn in_scope(scope: &[ScopedBit], variable: Variable) -> &[ScopedBit] {
    let first = scope.partition_point(|bit| bit.variable < variable);
    let count = scope[first..].partition_point(|bit| bit.variable == variable);
    &scope[first..first + count]
}

/// The globals among these that a procedure touches, in order. Takes as long as the shorter list.
fn touched(effects: &ModRef, globals: &[GlobalId], id: ProcId) -> Vec<GlobalId> {
    let most = 2 * globals.len();
    let all = effects.modified(id).chain(effects.referenced(id));
    let mut touched: Vec<GlobalId> = all.take(most).collect();
    if touched.len() == most {
        let is_touched =
            |&global: &GlobalId| effects.modifies(id, global) || effects.references(id, global);
        return globals.iter().copied().filter(is_touched).collect();
    }
    touched.retain(|global| globals.binary_search(global).is_ok());
    touched.sort_unstable();
    touched.dedup();
    touched
}

/// Which locals some edge of the procedure writes.
fn assigned_locals(machine: &Machine, id: ProcId) -> Vec<bool> {
    let procedure = machine.procedure(id);
    let mut assigned = vec![false; procedure.locals.len()];
    let mut write = |variable: Variable| {
        if let Variable::Local(LocalId(local)) = variable {
            assigned[local as usize] = true;
        }
    };
    for edge in procedure.edge_ids() {
        match &machine.edge(edge).action {
            Action::Assign { assignments, .. } => assignments.iter().for_each(|(v, _)| write(*v)),
            Action::Call { targets, .. } => targets.iter().flatten().for_each(|v| write(*v)),
            _ => {}
        }
    }
    assigned
}
