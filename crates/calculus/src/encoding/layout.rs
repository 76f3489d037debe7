//! The types of the program relations: which codes modules and program counters have, and which
//! bits the classes `Local` and `Global` hold.
//!
//! A state of the program is, as in the appendix of the Getafix paper, a module, a program counter
//! that counts from 0 (the entry) in each module, the locals and the globals. **Slots, not names**:
//! locals of different procedures never meet in one state, so class `Local` has as many bits as the
//! procedure that needs most of them, integers first, the widest before the others, so that integers
//! of different procedures lie on each other bit by bit. A bit has a field only if its value can matter: if it is live
//! somewhere and can influence whether a target is reached. [`Extent::Full`] gives every bit one.

use crate::encoding::joined_places::{Rules, joined_places};
use hardbop_machine::analysis::{NodeOrder, Slice, VariableIndex};
use hardbop_machine::{EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Storage, Variable};
use hardbop_symbolic::Words;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// How much of a program its relations say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// What can influence whether the targets are reached. Values that are dead are open.
    #[default]
    Sliced,
    /// Everything: all variables, everywhere. A state that is reached is a state of a run.
    Full,
}

/// A bit of a variable, the lowest is 0.
pub(crate) type VariableBit = (Variable, u8);

/// One class of bits, `Local` or `Global`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The locals of whatever procedure the state is in.
    Local,
    /// The globals.
    Global,
}

/// A field of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The class.
    pub class: Class,
    /// The place of the bit in it.
    pub index: u32,
}

/// The codes and fields of a machine.
#[derive(Debug)]
pub struct Layout {
    /// Names of the fields of class `Global`.
    pub global_fields: Vec<String>,
    /// Names of the fields of class `Local`.
    pub local_fields: Vec<String>,
    /// How many values the type `PC` has.
    pub pc_count: u32,
    /// Per procedure its code, and the procedures in order of their codes.
    modules: Vec<u32>,
    by_module: Vec<ProcId>,
    pcs: Vec<u32>,
    /// Per node the place that it is joined with, which is itself unless places are joined.
    places: Vec<NodeId>,
    fields: FxHashMap<(ProcId, Variable, u8), u32>,
    bits: Vec<Vec<VariableBit>>,
    /// Per global whether other threads may touch it at any time.
    is_exposed: Vec<bool>,
    extent: Extent,
    /// Per module its nodes in order of their program counters.
    nodes: Vec<Vec<NodeId>>,
    /// What matters for the targets.
    slice: Slice,
    /// What the flow of control can get to.
    whole: Slice,
}

impl Layout {
    /// Numbers everything that can matter for some targets, or simply everything. Linear.
    pub fn new(machine: &Machine, targets: &[NodeId], extent: Extent) -> Self {
        let mut layout = Self::unnumbered(machine, targets, extent);
        layout.number(machine, machine.node_order());
        layout
    }

    /// Numbers what can matter for whether some targets are reached, and places only where
    /// something happens ([`crate::encoding::joined_places`]). Linear.
    pub(crate) fn with_joined_places(machine: &Machine, targets: &[NodeId]) -> Self {
        let mut layout = Self::unnumbered(machine, targets, Extent::Sliced);
        let order = machine.node_order();
        let rules = Rules {
            asked: targets,
            can_be_taken: &|edge| layout.can_be_taken(edge),
            matters: &|node, variable| layout.matters(machine, node, variable),
        };
        layout.places = joined_places(machine, order, &rules);
        layout.number(machine, order);
        layout
    }

    fn unnumbered(machine: &Machine, targets: &[NodeId], extent: Extent) -> Self {
        let everywhere: Vec<NodeId> = machine.node_ids().collect();
        Self {
            global_fields: Vec::new(),
            local_fields: Vec::new(),
            pc_count: 1,
            modules: vec![0; machine.procedures.len()],
            by_module: machine.calls().bottom_up().collect(),
            pcs: vec![0; machine.nodes.len()],
            places: everywhere.clone(),
            fields: FxHashMap::default(),
            bits: vec![Vec::new(); machine.procedures.len() + 1],
            is_exposed: exposed_globals(machine),
            extent,
            nodes: Vec::new(),
            slice: Slice::new(machine, targets),
            whole: Slice::new(machine, &everywhere),
        }
    }

    fn number(&mut self, machine: &Machine, order: &NodeOrder) {
        self.number_places(machine, order);
        self.number_globals(machine);
        self.number_locals(machine);
    }

    /// Callees come before callers, places along the flow of control; the entry is 0. A solver that
    /// goes on from the smallest numbers first then has all there is at a place before it goes on
    /// from there.
    fn number_places(&mut self, machine: &Machine, order: &NodeOrder) {
        for (code, procedure) in (0..).zip(&self.by_module) {
            self.modules[procedure.index()] = code;
        }
        for procedure in &machine.procedures {
            let nodes = procedure.node_ids();
            let mut nodes: Vec<NodeId> = nodes.filter(|&node| self.place(node) == node).collect();
            nodes.sort_by_key(|&node| (node != procedure.entry, order.position(node)));
            for (code, &node) in (0..).zip(&nodes) {
                self.pcs[node.index()] = code;
            }
            for node in procedure.node_ids() {
                self.pcs[node.index()] = self.pcs[self.place(node).index()];
            }
            self.pc_count = self.pc_count.max(nodes.len() as u32);
            self.nodes.push(nodes);
        }
    }

    fn number_globals(&mut self, machine: &Machine) {
        let mut used = vec![self.is_full(); machine.globals.len()];
        for node in machine.node_ids() {
            for variable in machine.liveness().live_at(node) {
                if let Variable::Global(id) = variable {
                    used[id.index()] |= self.matters(machine, node, variable);
                }
            }
        }
        let mut names = Names::default();
        for (index, global) in machine.globals.iter().enumerate() {
            if !used[index] {
                continue;
            }
            let variable = Variable::Global(GlobalId(index as u32));
            for bit in (0..global.ty.width() as u8).rev() {
                let field = self.global_fields.len() as u32;
                // Globals are the same wherever they are looked at from: they are kept under the
                // first procedure.
                self.fields.insert((ProcId(0), variable, bit), field);
                self.bits[machine.procedures.len()].push((variable, bit));
                let name = bit_name(&global.name, bit, global.ty.width());
                self.global_fields.push(names.take(&name, 'g', field));
            }
        }
    }

    fn number_locals(&mut self, machine: &Machine) {
        // Per slot the name that all procedures agree on, if they do.
        let mut agreed: Vec<Option<String>> = Vec::new();
        for id in machine.procedure_ids() {
            let procedure = machine.procedure(id);
            let mut used = vec![self.is_full(); procedure.locals.len()];
            for node in procedure.node_ids() {
                for variable in machine.liveness().live_at(node) {
                    if let Variable::Local(local) = variable {
                        used[local.index()] |= self.slice.relevant(id, variable);
                    }
                }
            }
            let mut locals: Vec<_> = procedure.locals.iter().enumerate().collect();
            locals.retain(|&(index, _)| used[index]);
            locals.sort_by_key(|(_, local)| Reverse(local.ty.width()));
            for (index, local) in locals {
                let variable = Variable::Local(LocalId(index as u32));
                for bit in (0..local.ty.width() as u8).rev() {
                    let slot = self.bits[id.index()].len();
                    self.fields.insert((id, variable, bit), slot as u32);
                    self.bits[id.index()].push((variable, bit));
                    let name = bit_name(&local.name, bit, local.ty.width());
                    match agreed.get_mut(slot) {
                        None => agreed.push(Some(name)),
                        Some(other) if other.as_ref() != Some(&name) => *other = None,
                        Some(_) => {}
                    }
                }
            }
        }
        let mut names = Names::default();
        for (slot, name) in agreed.into_iter().enumerate() {
            let name = names.take(&name.unwrap_or_default(), 's', slot as u32);
            self.local_fields.push(name);
        }
    }

    /// The fields of integers: those of integers that meet are interleaved ([`Words`]) and stand in
    /// one row.
    pub(crate) fn integer_rows(&self, machine: &Machine) -> Vec<Vec<Field>> {
        let (globals, locals) = (self.global_fields.len(), self.local_fields.len());
        let last = (globals + locals) as u32;
        // Fields have the highest bit first, words the lowest.
        let number = |field: Field| match field.class {
            Class::Global => last - 1 - field.index,
            Class::Local => last - 1 - globals as u32 - field.index,
        };
        let variables = VariableIndex::new(machine);
        let mut words = vec![0..0; variables.count()];
        for procedure in machine.procedure_ids() {
            for ((variable, bit), field) in self.bits(procedure) {
                if bit == 0 {
                    let width = machine.type_of(procedure, variable).width();
                    let start = number(field);
                    words[variables.index(procedure, variable)] = start..start + width;
                }
            }
        }
        let is_placed: Vec<bool> = words.iter().map(|bits| !bits.is_empty()).collect();
        let order: Vec<usize> = (0..words.len()).filter(|&word| is_placed[word]).collect();
        let mut words = Words::new(words);
        words.join_those_that_meet(machine, |procedure, variable| {
            Some(variables.index(procedure, variable)).filter(|&word| is_placed[word])
        });
        let field = |number: u32| {
            let index = last - 1 - number;
            match index.checked_sub(globals as u32) {
                None => Field {
                    class: Class::Global,
                    index,
                },
                Some(index) => Field {
                    class: Class::Local,
                    index,
                },
            }
        };
        let rows = words.blocks(&order).into_iter();
        rows.filter(|row| row.len() > 1)
            .map(|row| row.into_iter().map(field).collect())
            .collect()
    }

    /// The code of a procedure in the type `Module`.
    pub fn module(&self, procedure: ProcId) -> u32 {
        self.modules[procedure.index()]
    }

    /// All procedures, in order of their codes.
    pub fn procedures(&self) -> impl Iterator<Item = ProcId> + '_ {
        self.by_module.iter().copied()
    }

    /// The place that a node is joined with, which may be itself.
    pub(crate) fn place(&self, node: NodeId) -> NodeId {
        self.places[node.index()]
    }

    /// The code of a node in the type `PC`; the entry has 0.
    pub(crate) fn pc(&self, node: NodeId) -> u32 {
        self.pcs[node.index()]
    }

    /// The procedure with a code.
    pub(crate) fn procedure(&self, module: u64) -> Option<ProcId> {
        self.by_module.get(module as usize).copied()
    }

    /// The node with a program counter in a procedure.
    pub(crate) fn node(&self, procedure: ProcId, pc: u64) -> Option<NodeId> {
        self.nodes[procedure.index()].get(pc as usize).copied()
    }

    /// Whether nothing is left out.
    pub(crate) fn is_full(&self) -> bool {
        self.extent == Extent::Full
    }

    /// The field of a bit as seen from a procedure; nothing if it never matters.
    pub fn field(&self, procedure: ProcId, variable: Variable, bit: u8) -> Option<Field> {
        let (class, owner) = match variable {
            Variable::Global(_) => (Class::Global, ProcId(0)),
            Variable::Local(_) => (Class::Local, procedure),
        };
        let index = *self.fields.get(&(owner, variable, bit))?;
        Some(Field { class, index })
    }

    /// The bits of a procedure's locals that have a field, in order of the fields.
    pub(crate) fn local_bits(&self, procedure: ProcId) -> &[VariableBit] {
        &self.bits[procedure.index()]
    }

    /// The bits of the globals that have a field, in order of the fields.
    pub(crate) fn global_bits(&self) -> &[VariableBit] {
        &self.bits[self.bits.len() - 1]
    }

    /// All bits that a procedure sees, with their fields.
    pub fn bits(&self, procedure: ProcId) -> impl Iterator<Item = (VariableBit, Field)> + '_ {
        let with = |class, bits: &'_ [VariableBit]| {
            let numbered = (0..).zip(bits.to_vec());
            numbered.map(move |(index, bit)| (bit, Field { class, index }))
        };
        let locals = with(Class::Local, self.local_bits(procedure));
        locals.chain(with(Class::Global, self.global_bits()))
    }

    /// Whether the flow of control has a way from the start to an edge.
    pub(crate) fn can_be_taken(&self, edge: EdgeId) -> bool {
        self.is_full() || self.whole.keeps_edge(edge)
    }

    /// Whether the value of a variable at a node can matter for what follows in this invocation.
    /// Where it cannot, relations leave it open. A global that the procedure never touches does
    /// not: the caller remembers its value.
    pub(crate) fn matters(&self, machine: &Machine, node: NodeId, variable: Variable) -> bool {
        if self.is_full() {
            return true;
        }
        let procedure = machine.procedure_of(node);
        let is_touched = match variable {
            Variable::Global(global) => self.touches(machine, procedure, global),
            Variable::Local(_) => true,
        };
        is_touched
            && machine.liveness().is_live(node, variable)
            && self.slice.relevant(procedure, variable)
    }

    /// Whether a procedure, or anything it calls, or another thread meanwhile, reads or writes a
    /// global.
    pub(crate) fn touches(&self, machine: &Machine, procedure: ProcId, global: GlobalId) -> bool {
        self.is_full()
            || self.is_exposed[global.index()]
            || machine.effects().modifies(procedure, global)
            || machine.effects().references(procedure, global)
    }
}

/// Per global whether threads share it.
fn exposed_globals(machine: &Machine) -> Vec<bool> {
    let is_concurrent = !machine.is_sequential();
    let globals = machine.globals.iter();
    let exposed = globals.map(|global| is_concurrent && global.storage == Storage::Shared);
    exposed.collect()
}

fn bit_name(name: &str, bit: u8, width: u32) -> String {
    if width == 1 {
        name.to_owned()
    } else {
        format!("{name}_{bit}")
    }
}

/// Names of fields, each once, and none that means something in the `.mu` language.
#[derive(Default)]
struct Names {
    taken: std::collections::HashSet<String>,
}

/// Words of the `.mu` language; names that start with a letter and have letters, digits and `_`
/// only are fine otherwise.
const RESERVED: [&str; 24] = [
    "assume", "bool", "case", "class", "cofactor", "else", "enum", "esac", "exists", "false",
    "forall", "if", "load", "mu", "nu", "struct", "true", "fr", "mod", "pc", "not", "and", "or",
    "then",
];

impl Names {
    /// The name itself if it can be used, else a letter and a number.
    fn take(&mut self, name: &str, letter: char, number: u32) -> String {
        let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !RESERVED.contains(&name);
        let mut chosen = name.to_owned();
        if !is_plain || self.taken.contains(name) {
            chosen = format!("{letter}{number}");
            while self.taken.contains(&chosen) {
                chosen.push('_');
            }
        }
        self.taken.insert(chosen.clone());
        chosen
    }
}
