//! A program as relations: the template formulas of section 4 and the appendix of the Getafix
//! paper.
//!
//! Here are the relations over the parts of states, as the appendix uses them (`programInt`,
//! `programCall`, `SkipCall`, `SetReturn1`, `SetReturn2`, `CopyLocals`, …); the ones over whole
//! states of section 4 are defined from them in `algorithms/interface.mu`. A relation is a list of
//! clauses per module, one of which holds. **What does not matter is left open**: a variable that
//! is dead after a step may have any value there, and a global that a module never touches may have
//! any value all through it: the caller remembers it. That adds states but no places that can be
//! reached, and a relation that does not speak of a variable is smaller than one that fixes its
//! value.

use crate::encoding::layout::Layout;
use crate::encoding::steps::{Part, argument_parts, edge_parts};
use hardbop_machine::bits::{BitNode, BitView};
use hardbop_machine::{Action, Edge, EdgeId, Machine, NodeId, ProcId, Variable};

/// The shape of a relation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    /// Its name.
    pub name: &'static str,
    /// What it says, in one line.
    pub about: &'static str,
    /// Its parameters, a letter each: m and n are modules, p, q and x places in them; l and g hold
    /// locals and globals before the step, k and h after it; v is a variable, i a line, a a label.
    pub parameters: &'static str,
    /// Wishes for the order of the BDD variables.
    pub hints: &'static str,
}

/// The parameters that hold locals and globals before a step.
pub(crate) const BEFORE: [char; 2] = ['l', 'g'];
/// The parameters that hold locals and globals after a step.
pub(crate) const AFTER: [char; 2] = ['k', 'h'];

impl Signature {
    /// The parameters in order.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = char> {
        self.parameters.chars()
    }

    /// Where a parameter stands.
    pub(crate) fn place_of(&self, parameter: char) -> usize {
        let mut letters = self.parameters.bytes();
        letters
            .position(|letter| char::from(letter) == parameter)
            .expect("a relation has a parameter for every class it speaks of")
    }
}

/// A relation: in every module one of the module's clauses holds.
#[derive(Clone, Debug)]
pub(crate) struct ProgramRelation {
    /// Its shape.
    pub signature: Signature,
    /// The clauses of each module that has some; the first parameter is the module.
    pub modules: Vec<(ProcId, Vec<Clause>)>,
}

/// A conjunction.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// Parameters after the first, by number, and the code that they have.
    pub codes: Vec<(usize, u32)>,
    /// Whose locals the state before speaks of.
    pub before: ProcId,
    /// Whose locals the state after speaks of.
    pub after: ProcId,
    /// What holds besides.
    pub parts: Vec<Part>,
}

const PROGRAM_INT: Signature = Signature {
    name: "programInt",
    about: "a step within module m from p to q that is no call; locals l become k, globals g become h",
    parameters: "mpqlkgh",
    hints: "m < p, p ~+ q, p < l, p < g, l ~+ k, g ~+ h",
};
const PROGRAM_CALL: Signature = Signature {
    name: "programCall",
    about: "at p of module m, with locals l and globals g, n is called and may start with locals k",
    parameters: "mnplkg",
    hints: "m ~+ n, m < p, p < l, p < g, l ~+ k",
};
const SKIP_CALL: Signature = Signature {
    name: "SkipCall",
    about: "the call at p of module m goes on at q after its return",
    parameters: "mpq",
    hints: "m < p, p ~+ q",
};
const SET_RETURN_1: Signature = Signature {
    name: "SetReturn1",
    about: "what the call of n at p of m leaves alone: k and h after the return agree with l and g before; x is the exit of n",
    parameters: "mnpxlkgh",
    hints: "m ~+ n, m < p, p ~+ x, p < l, p < g, l ~+ k, g ~+ h",
};
const SET_RETURN_2: Signature = Signature {
    name: "SetReturn2",
    about: "what the call at p of m gets from n: with locals l and globals g at the exit x of n, m goes on with k and h",
    parameters: "mnpxlkgh",
    hints: "m ~+ n, m < p, p ~+ x, p < l, p < g, l ~+ k, g ~+ h",
};
const COPY_LOCALS: Signature = Signature {
    name: "CopyLocals",
    about: "l and k agree on the parameters of module m; its other locals start with any value",
    parameters: "mlk",
    hints: "m < l, l ~+ k",
};
const COPY_GLOBALS: Signature = Signature {
    name: "CopyGlobals",
    about: "g and h agree on the globals that module m, or a module that it calls, may touch",
    parameters: "mgh",
    hints: "m < g, g ~+ h",
};
const EXIT: Signature = Signature {
    name: "Exit",
    about: "p is the exit of module m",
    parameters: "mp",
    hints: "m < p",
};
const BY_EXIT: Signature = Signature {
    name: "ByExit",
    about: "fewer bits go out of module m at its exit than come in at its entry",
    parameters: "m",
    hints: "",
};
const INITIAL: Signature = Signature {
    name: "initial",
    about: "the program may start at p of module m with locals l and globals g",
    parameters: "mplg",
    hints: "m < p, p < l, p < g",
};
const TARGET: Signature = Signature {
    name: "Target",
    about: "it is asked whether p of module m can be reached",
    parameters: "mp",
    hints: "m < p",
};

/// The relations of what runs from some procedures on, in the order in which they are written. The
/// program starts in the first of `entries`, threads start in the others; procedures that are never
/// called have no part in them.
pub(crate) fn program_relations(
    view: &mut BitView<'_>,
    layout: &Layout,
    entries: &[ProcId],
    targets: &[NodeId],
) -> Vec<ProgramRelation> {
    let machine = view.machine();
    let mut builder = Builder {
        view,
        layout,
        machine,
        procedures: called_from(machine, layout, entries),
    };
    let exits = builder
        .procedures
        .iter()
        .map(|&p| machine.procedure(p).exit);
    let exits = places(machine, layout, EXIT, exits);
    vec![
        builder.initial(*entries.first().expect("a program starts somewhere")),
        builder.per_edge(PROGRAM_INT, Builder::internal_step),
        builder.per_edge(PROGRAM_CALL, Builder::call),
        builder.per_edge(SKIP_CALL, Builder::skip_call),
        builder.per_edge(SET_RETURN_1, Builder::kept_by_caller),
        builder.per_edge(SET_RETURN_2, Builder::given_by_callee),
        // A relation that does not remember how uninitialised locals began is smaller; in full it
        // does, so that its pairs are those of the paper.
        builder.copied_at_entry(COPY_LOCALS, |variable, parameters| {
            matches!(variable, Variable::Local(local) if layout.is_full() || local.0 < parameters)
        }),
        builder.copied_at_entry(COPY_GLOBALS, |variable, _| {
            matches!(variable, Variable::Global(_))
        }),
        exits,
        builder.by_exit(),
        places(machine, layout, TARGET, targets.iter().copied()),
    ]
}

/// The procedures that runs from `entries` may call, in order of their codes.
fn called_from(machine: &Machine, layout: &Layout, entries: &[ProcId]) -> Vec<ProcId> {
    let mut is_called = vec![false; machine.procedures.len()];
    for entry in entries {
        is_called[entry.index()] = true;
    }
    if layout.is_full() {
        return layout.procedures().collect();
    }
    let mut pending = entries.to_vec();
    while let Some(procedure) = pending.pop() {
        for edge in machine.procedure(procedure).edge_ids() {
            if let Action::Call { callee, .. } = machine.edge(edge).action
                && !std::mem::replace(&mut is_called[callee.index()], true)
            {
                pending.push(callee);
            }
        }
    }
    let all = layout.procedures();
    all.filter(|procedure| is_called[procedure.index()])
        .collect()
}

struct Builder<'b, 'm> {
    view: &'b mut BitView<'m>,
    layout: &'b Layout,
    machine: &'m Machine,
    procedures: Vec<ProcId>,
}

impl<'m> Builder<'_, 'm> {
    /// The relation that has a clause for some edges.
    fn per_edge(
        &mut self,
        signature: Signature,
        clause: fn(&mut Self, EdgeId) -> Option<Clause>,
    ) -> ProgramRelation {
        let mut modules = Vec::new();
        for procedure in self.procedures.clone() {
            let edges = self.machine.procedure(procedure).edge_ids();
            let edges = edges.filter(|&edge| self.layout.can_be_taken(edge));
            let edges: Vec<EdgeId> = edges.collect();
            let clauses = edges.into_iter().filter_map(|edge| clause(self, edge));
            let clauses: Vec<Clause> = clauses.collect();
            if !clauses.is_empty() {
                modules.push((procedure, clauses));
            }
        }
        ProgramRelation { signature, modules }
    }

    fn initial(&mut self, entry: ProcId) -> ProgramRelation {
        let mut parts = Vec::new();
        for &(variable, bit) in self.layout.global_bits() {
            let Variable::Global(id) = variable else {
                continue;
            };
            if let Some(value) = self.machine.global(id).initial {
                let graph = self.view.graph_mut();
                let leaf = graph.leaf(BitNode::Var(variable, bit));
                let is_set = value >> bit & 1 == 1;
                parts.push(Part::Holds(if is_set { leaf } else { graph.not(leaf) }));
            }
        }
        let clause = Clause {
            codes: vec![(1, self.layout.pc(self.machine.procedure(entry).entry))],
            before: entry,
            after: entry,
            parts,
        };
        ProgramRelation {
            signature: INITIAL,
            modules: vec![(entry, vec![clause])],
        }
    }

    fn pc(&self, node: NodeId) -> u32 {
        self.layout.pc(node)
    }

    /// The bits that matter at a node.
    fn bits_at(&self, node: NodeId) -> Vec<(Variable, u8)> {
        let procedure = self.machine.procedure_of(node);
        let bits = self.layout.bits(procedure).map(|(bit, _)| bit);
        bits.filter(|&(variable, _)| self.layout.matters(self.machine, node, variable))
            .collect()
    }

    /// The bits that matter where an edge leads.
    fn bits_after(&self, edge: &Edge) -> Vec<(Variable, u8)> {
        self.bits_at(self.layout.place(edge.to))
    }

    fn internal_step(&mut self, id: EdgeId) -> Option<Clause> {
        let edge = self.machine.edge(id);
        if matches!(
            edge.action,
            Action::Call { .. } | Action::EndThread | Action::StartThread(_)
        ) {
            return None;
        }
        if self.layout.place(edge.from) != edge.from {
            // Nothing happens here: the place is another's.
            return None;
        }
        let bits = self.view.edge(id);
        let after = self.bits_after(edge);
        let procedure = self.machine.procedure_of(edge.from);
        Some(Clause {
            codes: vec![(1, self.pc(edge.from)), (2, self.pc(edge.to))],
            before: procedure,
            after: procedure,
            parts: edge_parts(self.view.graph_mut(), &bits, &after, &|variable, bit| {
                self.layout.field(procedure, variable, bit).is_some()
            }),
        })
    }

    fn call(&mut self, id: EdgeId) -> Option<Clause> {
        let (edge, callee, _) = self.call_edge(id)?;
        let entry = self.machine.procedure(callee).entry;
        let bits = self.view.edge(id);
        let (layout, machine) = (self.layout, self.machine);
        let caller = machine.procedure_of(edge.from);
        let parts = argument_parts(
            self.view.graph_mut(),
            &bits,
            |parameter| layout.matters(machine, entry, parameter),
            &|variable, bit| layout.field(caller, variable, bit).is_some(),
        );
        Some(Clause {
            codes: vec![(1, self.layout.module(callee)), (2, self.pc(edge.from))],
            before: caller,
            after: callee,
            parts,
        })
    }

    fn skip_call(&mut self, id: EdgeId) -> Option<Clause> {
        let (edge, _, _) = self.call_edge(id)?;
        let procedure = self.machine.procedure_of(edge.from);
        Some(Clause {
            codes: vec![(1, self.pc(edge.from)), (2, self.pc(edge.to))],
            before: procedure,
            after: procedure,
            parts: Vec::new(),
        })
    }

    fn kept_by_caller(&mut self, id: EdgeId) -> Option<Clause> {
        let (edge, callee, targets) = self.call_edge(id)?;
        let kept = self.bits_after(edge).into_iter();
        let kept = kept.filter(|(variable, _)| {
            !self.is_given_by(callee, *variable) && !targets.contains(&Some(*variable))
        });
        let procedure = self.machine.procedure_of(edge.from);
        Some(Clause {
            codes: self.return_codes(edge, callee),
            before: procedure,
            after: procedure,
            parts: kept
                .map(|(variable, bit)| Part::Keeps(variable, bit))
                .collect(),
        })
    }

    fn given_by_callee(&mut self, id: EdgeId) -> Option<Clause> {
        let (edge, callee, targets) = self.call_edge(id)?;
        let mut parts = Vec::new();
        for (variable, bit) in self.bits_after(edge) {
            let place = targets.iter().position(|target| *target == Some(variable));
            match place {
                Some(place) => {
                    let result = self.machine.procedure(callee).results().nth(place)?;
                    let result = Variable::Local(result);
                    // Without a field it is a result that matters for no target.
                    if self.layout.field(callee, result, bit).is_some() {
                        let value = self.view.graph_mut().leaf(BitNode::Var(result, bit));
                        parts.push(Part::Becomes(variable, bit, value));
                    }
                }
                None if self.is_given_by(callee, variable) => {
                    parts.push(Part::Keeps(variable, bit));
                }
                None => {}
            }
        }
        Some(Clause {
            codes: self.return_codes(edge, callee),
            before: callee,
            after: self.machine.procedure_of(edge.from),
            parts,
        })
    }

    /// Whether a variable has after a call the value that it has at the callee's exit: a global
    /// that the callee may touch.
    fn is_given_by(&self, callee: ProcId, variable: Variable) -> bool {
        match variable {
            Variable::Global(global) => self.layout.touches(self.machine, callee, global),
            Variable::Local(_) => false,
        }
    }

    fn call_edge(&self, id: EdgeId) -> Option<(&'m Edge, ProcId, &'m [Option<Variable>])> {
        let edge = self.machine.edge(id);
        match &edge.action {
            Action::Call {
                callee, targets, ..
            } => Some((edge, *callee, targets)),
            _ => None,
        }
    }

    fn return_codes(&self, edge: &Edge, callee: ProcId) -> Vec<(usize, u32)> {
        let exit = self.machine.procedure(callee).exit;
        vec![
            (1, self.layout.module(callee)),
            (2, self.pc(edge.from)),
            (3, self.pc(exit)),
        ]
    }

    /// The modules that less comes out of than goes in.
    fn by_exit(&self) -> ProgramRelation {
        let is_passed = |id: ProcId, variable: Variable| match variable {
            Variable::Global(_) => true,
            Variable::Local(local) => local.0 < self.machine.procedure(id).parameter_count,
        };
        let has_fewer_exits = |&&id: &&ProcId| {
            let procedure = self.machine.procedure(id);
            let at_entry = self.bits_at(procedure.entry).into_iter();
            let incoming = at_entry.filter(|&(variable, _)| is_passed(id, variable));
            self.bits_at(procedure.exit).len() < incoming.count()
        };
        let modules = self.procedures.iter().filter(has_fewer_exits).map(|&id| {
            let clause = Clause {
                codes: Vec::new(),
                before: id,
                after: id,
                parts: Vec::new(),
            };
            (id, vec![clause])
        });
        ProgramRelation {
            signature: BY_EXIT,
            modules: modules.collect(),
        }
    }

    /// The relation between what comes into a module and what its entry has.
    fn copied_at_entry(
        &self,
        signature: Signature,
        is_copied: impl Fn(Variable, u32) -> bool,
    ) -> ProgramRelation {
        let modules = self.procedures.iter().map(|&id| {
            let procedure = self.machine.procedure(id);
            let at_entry = self.bits_at(procedure.entry).into_iter();
            let copied =
                at_entry.filter(|(variable, _)| is_copied(*variable, procedure.parameter_count));
            let clause = Clause {
                codes: Vec::new(),
                before: id,
                after: id,
                parts: copied
                    .map(|(variable, bit)| Part::Keeps(variable, bit))
                    .collect(),
            };
            (id, vec![clause])
        });
        ProgramRelation {
            signature,
            modules: modules.collect(),
        }
    }
}

/// The relation that holds at some places.
fn places(
    machine: &Machine,
    layout: &Layout,
    signature: Signature,
    nodes: impl Iterator<Item = NodeId>,
) -> ProgramRelation {
    let mut nodes: Vec<NodeId> = nodes.collect();
    nodes.sort_by_key(|&node| (layout.module(machine.procedure_of(node)), layout.pc(node)));
    nodes.dedup();
    let mut modules: Vec<(ProcId, Vec<Clause>)> = Vec::new();
    for node in nodes {
        let procedure = machine.procedure_of(node);
        let clause = Clause {
            codes: vec![(1, layout.pc(node))],
            before: procedure,
            after: procedure,
            parts: Vec::new(),
        };
        match modules.last_mut() {
            Some((last, clauses)) if *last == procedure => clauses.push(clause),
            _ => modules.push((procedure, vec![clause])),
        }
    }
    ProgramRelation { signature, modules }
}
