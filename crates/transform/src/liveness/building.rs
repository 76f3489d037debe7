//! The machine on which a fair loop is a place that can be reached.

use super::compared::{Compared, Comparison, variables_of};
use super::points::{FairStates, Points};
use crate::correspondence::{Correspondence, Origin};
use crate::draft::{Draft, DraftEdge, DraftProcedure, Place, assign};
use hardbop_automata::Automaton;
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{
    Action, BinaryOp, Edge, EdgeId, Expr, ExprId, GlobalId, Machine, NodeId, ProcId, Storage, Type,
    Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// The machine and what its parts are in the product.
pub(super) struct Built {
    pub machine: Machine,
    pub back: Correspondence,
    /// Places where a head has been met again, by procedure.
    pub hits: Vec<NodeId>,
    /// Per edge whether it saves a head.
    pub saves: Vec<bool>,
}

/// Builds the machine for a product with an automaton; `state` is the product's variable.
pub(super) fn build(
    product: &Machine,
    state: GlobalId,
    automaton: &Automaton,
    compared: &Compared,
) -> Built {
    let points = Points::new(product);
    let mut draft = Draft::without_procedures(product);
    let mut global = |name: &str, ty| draft.global(name.to_owned(), ty, Storage::Shared);
    let width = u64::BITS - (points.len() as u64).leading_zeros();
    let point = global("saved place", Type::Int(width.max(1) as u8));
    let saved_state = global("saved state", product.global(state).ty);
    let fair = FairStates::new(automaton);
    let is_fair = (!fair.are_all_accepting()).then(|| global("is fair", Type::Bool));
    let mut builder = Builder {
        product,
        state,
        compared,
        points,
        fair,
        draft,
        point,
        saved_state,
        is_fair,
        slots: BTreeMap::new(),
        after: BTreeMap::new(),
        wanted: Vec::new(),
        hits: Vec::new(),
        saves: Vec::new(),
    };
    builder.run();
    let hits = std::mem::take(&mut builder.hits);
    let saves = std::mem::take(&mut builder.saves);
    let (machine, back, ids) = builder.draft.finish();
    let ids = |&(procedure, place): &(ProcId, Place)| ids[procedure.index()][place];
    let saves = saves
        .iter()
        .map(|&(procedure, from, to)| (ids(&(procedure, from)), ids(&(procedure, to))));
    let saves: BTreeSet<(NodeId, NodeId)> = saves.collect();
    let is_save = |edge: &Edge| saves.contains(&(edge.from, edge.to));
    Built {
        hits: hits.iter().map(ids).collect(),
        saves: machine.edges.iter().map(is_save).collect(),
        machine,
        back,
    }
}

struct Builder<'b> {
    product: &'b Machine,
    state: GlobalId,
    compared: &'b Compared,
    points: Points,
    fair: FairStates,
    draft: Draft<'b>,
    /// The number of the point of the saved head.
    point: GlobalId,
    /// The state of the automaton in the saved head.
    saved_state: GlobalId,
    /// Whether an accepting state was passed since; not needed where all loops are fair.
    is_fair: Option<GlobalId>,
    /// Where values are saved: globals have one each, locals of one type share theirs.
    slots: BTreeMap<(Option<GlobalId>, u32, usize), GlobalId>,
    /// The copies of procedures that run above the frame of the saved head.
    after: BTreeMap<ProcId, ProcId>,
    /// Those of them that have no edges yet.
    wanted: Vec<ProcId>,
    hits: Vec<(ProcId, Place)>,
    saves: Vec<(ProcId, Place, Place)>,
}

/// What a copy of the product's nodes is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// No head has been saved.
    Before,
    /// This frame has the saved head; it does not return.
    Marked,
    /// A frame below has it.
    Above,
}

impl Builder<'_> {
    fn run(&mut self) {
        for id in self.product.procedure_ids() {
            let drafted = DraftProcedure::with_interface_of(self.product, id);
            self.draft.procedure(drafted);
        }
        for id in self.product.procedure_ids() {
            self.before(id);
        }
        while let Some(id) = self.wanted.pop() {
            self.above(id);
        }
    }

    /// Fills a procedure: as it is, and as it continues when its frame has the saved head.
    fn before(&mut self, id: ProcId) {
        let mut nodes = Nodes::new(self.product, id, self.draft.procedures[id.index()].clone());
        let procedure = self.product.procedure(id);
        let before: Vec<Place> = procedure
            .node_ids()
            .map(|node| {
                if node == procedure.exit {
                    nodes.draft.exit
                } else {
                    nodes.add(node)
                }
            })
            .collect();
        nodes.draft.entry = before[nodes.index(procedure.entry)];
        for edge in procedure.edge_ids() {
            let (from, to) = nodes.ends(edge);
            self.step(&mut nodes, edge, before[from], before[to], Part::Before);
        }
        let points = self.points.of(self.product, id);
        let marked = reached_from(self.product, id, &points);
        // A point has a place where a head may be met again before the one where the run continues.
        // The copy of the exit is a dead end: calls that lead there are still entered.
        let mut inner = vec![None; before.len()];
        let mut outer = vec![None; before.len()];
        for node in procedure.node_ids() {
            let index = nodes.index(node);
            if marked[index] {
                inner[index] = Some(nodes.add(node));
                outer[index] = match self.points.number(node) {
                    Some(_) => Some(nodes.add(node)),
                    None => inner[index],
                };
            }
        }
        for edge in procedure.edge_ids() {
            let (from, to) = nodes.ends(edge);
            if let (Some(from), Some(to)) = (inner[from], outer[to]) {
                self.step(&mut nodes, edge, from, to, Part::Marked);
            }
        }
        for node in points {
            let index = nodes.index(node);
            if let (Some(inner), Some(outer)) = (inner[index], outer[index]) {
                self.save(&mut nodes, node, before[index], inner);
                self.meet(&mut nodes, node, outer, inner);
            }
        }
        self.finish(id, nodes);
    }

    /// Fills the copy of a procedure that runs above the frame of the saved head.
    fn above(&mut self, id: ProcId) {
        let copy = self.after[&id];
        let drafted = self.draft.procedures[copy.index()].clone();
        let mut nodes = Nodes::new(self.product, id, drafted);
        let procedure = self.product.procedure(id);
        let places: Vec<Place> = procedure
            .node_ids()
            .map(|node| {
                if node == procedure.exit {
                    nodes.draft.exit
                } else {
                    nodes.add(node)
                }
            })
            .collect();
        for edge in procedure.edge_ids() {
            let (from, to) = nodes.ends(edge);
            self.step(&mut nodes, edge, places[from], places[to], Part::Above);
        }
        let entry = places[nodes.index(procedure.entry)];
        nodes.draft.entry = entry;
        let is_recursive = self.product.calls().is_recursive(id);
        if is_recursive && self.points.number(procedure.entry).is_some() {
            nodes.draft.entry = nodes.add(procedure.entry);
            let outer = nodes.draft.entry;
            self.meet(&mut nodes, procedure.entry, outer, entry);
        }
        self.finish(copy, nodes);
    }

    fn finish(&mut self, id: ProcId, nodes: Nodes<'_>) {
        self.hits.extend(nodes.hit.map(|hit| (id, hit)));
        self.draft.procedures[id.index()] = nodes.draft;
    }

    /// A step of the product.
    fn step(&mut self, nodes: &mut Nodes<'_>, edge: EdgeId, from: Place, to: Place, part: Part) {
        let mut step = DraftEdge::of(self.product, edge, from, to);
        if part != Part::Before {
            match &mut step.action {
                Action::Call { callee, .. } => *callee = self.copy_above(*callee),
                Action::Assign { assignments, .. } => {
                    if let Some(is_fair) = self.is_fair {
                        let value = self.fair_now(is_fair);
                        let mut all = assignments.to_vec();
                        all.push((Variable::Global(is_fair), value));
                        *assignments = all.into();
                    }
                }
                _ => {}
            }
        }
        nodes.draft.edges.push(step);
    }

    /// The copy of a procedure for frames above the one with the saved head.
    fn copy_above(&mut self, id: ProcId) -> ProcId {
        if let Some(&known) = self.after.get(&id) {
            return known;
        }
        let drafted = DraftProcedure::with_interface_of(self.product, id);
        let copy = self.draft.procedure(drafted);
        self.after.insert(id, copy);
        self.wanted.push(id);
        copy
    }

    /// Something fair has been passed since the head was saved, the present state included.
    fn fair_now(&mut self, is_fair: GlobalId) -> ExprId {
        let accepting = self.fair.accepting.clone();
        let now = self.state_is_one_of(&accepting);
        let so_far = self.draft.value(is_fair);
        self.draft.or(so_far, now)
    }

    fn state_is_one_of(&mut self, states: &[u64]) -> ExprId {
        let mut any = None;
        for &state in states {
            let is_it = self.draft.is(self.state, state);
            any = match any {
                Some(known) => Some(self.draft.or(known, is_it)),
                None => Some(is_it),
            };
        }
        any.unwrap_or_else(|| self.draft.constant(0, Type::Bool))
    }

    /// The edge that saves a head.
    fn save(&mut self, nodes: &mut Nodes<'_>, node: NodeId, from: Place, to: Place) {
        let heads = self.fair.heads.clone();
        let guard = self.state_is_one_of(&heads);
        let number = self.points.number(node).unwrap_or_default();
        let state = self.draft.value(self.state);
        let mut saved = vec![
            self.draft.set(self.point, number),
            (Variable::Global(self.saved_state), state),
        ];
        for (variable, slot, _) in self.saved_at(node) {
            let ty = self
                .product
                .type_of(self.product.procedure_of(node), variable);
            let value = self.draft.exprs.add(Expr::Var(variable, ty));
            saved.push((Variable::Global(slot), value));
        }
        self.saves.push((nodes.id, from, to));
        nodes.silent(from, to, Some(guard), assign(saved));
    }

    /// The edges where a head may be met again: to the place that is asked for, and on.
    fn meet(&mut self, nodes: &mut Nodes<'_>, node: NodeId, from: Place, to: Place) {
        let number = self.points.number(node).unwrap_or_default();
        let mut guard = self.draft.is(self.point, number);
        let ty = self.product.global(self.state).ty;
        let state = Variable::Global(self.state);
        let mut pairs = vec![(state, self.saved_state, ty, Comparison::Equal)];
        for (variable, slot, comparison) in self.saved_at(node) {
            let ty = self
                .product
                .type_of(self.product.procedure_of(node), variable);
            pairs.push((variable, slot, ty, comparison));
        }
        for (variable, slot, ty, comparison) in pairs {
            let now = self.draft.exprs.add(Expr::Var(variable, ty));
            let saved = self.draft.value(slot);
            let holds = match comparison {
                Comparison::Equal => self.draft.binary(BinaryOp::Equal, now, saved),
                Comparison::NotSmaller => self.draft.binary(BinaryOp::LessEqual, saved, now),
                Comparison::NotLarger => self.draft.binary(BinaryOp::LessEqual, now, saved),
            };
            guard = self.draft.and(guard, holds);
        }
        if let Some(is_fair) = self.is_fair {
            let is_fair = self.fair_now(is_fair);
            guard = self.draft.and(guard, is_fair);
        }
        let hit = nodes.hit();
        nodes.silent(from, hit, Some(guard), Action::Skip);
        nodes.silent(from, to, None, Action::Skip);
    }

    /// What of a head is saved, and where. A variable that is dead there is not.
    fn saved_at(&mut self, node: NodeId) -> Vec<(Variable, GlobalId, Comparison)> {
        let id = self.product.procedure_of(node);
        let mut used: BTreeMap<u32, usize> = BTreeMap::new();
        let mut saved = Vec::new();
        for variable in variables_of(self.product, id) {
            let is_live = self.product.liveness().is_live(node, variable);
            let Some(comparison) = self.compared.comparison(id, variable) else {
                continue;
            };
            if variable == Variable::Global(self.state) || !is_live {
                continue;
            }
            let ty = self.product.type_of(id, variable);
            let key = match variable {
                Variable::Global(id) => (Some(id), 0, 0),
                Variable::Local(_) => {
                    let kind = match ty {
                        Type::Bool => 0,
                        Type::Int(width) => u32::from(width),
                    };
                    let number = used.entry(kind).or_default();
                    *number += 1;
                    (None, kind, *number)
                }
            };
            let name = match variable {
                Variable::Global(_) => {
                    format!("saved {}", self.product.name_of(id, variable))
                }
                Variable::Local(_) => format!("saved local {} of width {}", key.2, key.1),
            };
            let draft = &mut self.draft;
            let slot = self.slots.entry(key);
            let slot = *slot.or_insert_with(|| draft.global(name, ty, Storage::Shared));
            saved.push((variable, slot, comparison));
        }
        saved
    }
}

/// The nodes of a procedure of the product from which one of some nodes has a way to.
fn reached_from(product: &Machine, id: ProcId, points: &[NodeId]) -> Vec<bool> {
    let procedure = product.procedure(id);
    let first = procedure.nodes.start as usize;
    let mut is_reached = vec![false; procedure.nodes.len()];
    let mut pending = points.to_vec();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut is_reached[node.index() - first], true) {
            let edges = product.edges_from(node);
            pending.extend(edges.map(|edge| product.edge(edge).to));
        }
    }
    is_reached
}

/// A procedure that is being filled.
struct Nodes<'n> {
    product: &'n Machine,
    id: ProcId,
    first: usize,
    draft: DraftProcedure,
    hit: Option<Place>,
}

impl<'n> Nodes<'n> {
    fn new(product: &'n Machine, id: ProcId, draft: DraftProcedure) -> Self {
        Self {
            product,
            id,
            first: product.procedure(id).nodes.start as usize,
            draft,
            hit: None,
        }
    }

    /// The position of a node of the product in its procedure.
    fn index(&self, node: NodeId) -> usize {
        node.index() - self.first
    }

    /// The positions of the ends of an edge.
    fn ends(&self, edge: EdgeId) -> (usize, usize) {
        let edge = self.product.edge(edge);
        (self.index(edge.from), self.index(edge.to))
    }

    /// Adds a copy of a node.
    fn add(&mut self, node: NodeId) -> Place {
        let place = self.draft.node(self.product.node(node).span);
        self.draft.nodes[place].kind = NodeKind::Internal;
        place
    }

    /// Where a head has been met again.
    fn hit(&mut self) -> Place {
        *self.hit.get_or_insert_with(|| {
            let place = self.draft.node(self.draft.span);
            self.draft.nodes[place].kind = NodeKind::Statement;
            place
        })
    }

    /// An edge of no step of the product.
    fn silent(&mut self, from: Place, to: Place, guard: Option<ExprId>, action: Action) {
        let span = self.draft.nodes[from].span;
        let edge = DraftEdge::silent(from, to, guard, action, span);
        debug_assert_eq!(edge.origin, Origin::Nothing);
        self.draft.edges.push(edge);
    }
}
