//! The conditions once more, by enumeration of all states of tiny machines.
//!
//! Each condition is a set of implications between single facts "this pair is in the relation of
//! that node". So checking a certificate means to try them all, and the least solution, found by
//! trying them until nothing is new, is a certificate. Values are words and expressions are
//! evaluated on them: nothing is shared with the checker's circuits.

use hardbop_evidence::Target;
use hardbop_evidence::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};
use hardbop_machine::expr::Leaf;
use hardbop_machine::{Action, EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Type, Variable};
use std::collections::BTreeSet;

/// All values that a procedure sees: globals, then locals.
type State = Vec<u64>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Relation,
    ToExit,
}

/// A pair is in a relation of a node. The states are numbers: their bits one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fact {
    node: NodeId,
    kind: Kind,
    other: usize,
    now: usize,
}

/// A machine small enough to enumerate.
pub(super) struct Reference<'m> {
    machine: &'m Machine,
    /// Per procedure, the types of all variables it sees.
    types: Vec<Vec<Type>>,
    /// Per procedure, which globals it may modify.
    modified: Vec<BTreeSet<usize>>,
}

impl<'m> Reference<'m> {
    /// Nothing if there are too many states.
    pub fn new(machine: &'m Machine, most_bits: u32) -> Option<Self> {
        let types = machine.procedures.iter().map(|procedure| {
            let globals = machine.globals.iter().map(|global| global.ty);
            let locals = procedure.locals.iter().map(|local| local.ty);
            globals.chain(locals).collect()
        });
        let mut reference = Self {
            machine,
            types: types.collect(),
            modified: vec![BTreeSet::new(); machine.procedures.len()],
        };
        let bits = |p| reference.types(p).iter().map(|ty| ty.width()).sum::<u32>();
        if machine.procedure_ids().any(|p| bits(p) > most_bits) {
            return None;
        }
        loop {
            let before = reference.modified.clone();
            for edge in &machine.edges {
                let mut written = BTreeSet::new();
                match &edge.action {
                    Action::Assign { assignments, .. } => {
                        written.extend(assignments.iter().map(|a| a.0));
                    }
                    Action::Call {
                        callee, targets, ..
                    } => {
                        written.extend(targets.iter().copied().flatten());
                        let all = before[callee.index()].iter();
                        written.extend(all.map(|&g| Variable::Global(GlobalId::new(g))));
                    }
                    _ => {}
                }
                let procedure = machine.procedure_of(edge.from).index();
                let globals = written.into_iter().filter_map(|variable| match variable {
                    Variable::Global(id) => Some(id.index()),
                    Variable::Local(_) => None,
                });
                reference.modified[procedure].extend(globals);
            }
            if before == reference.modified {
                return Some(reference);
            }
        }
    }

    fn types(&self, procedure: ProcId) -> &[Type] {
        &self.types[procedure.index()]
    }

    fn slot(&self, variable: Variable) -> usize {
        match variable {
            Variable::Global(id) => id.index(),
            Variable::Local(id) => self.machine.globals.len() + id.index(),
        }
    }

    fn count(&self, procedure: ProcId) -> usize {
        1 << self
            .types(procedure)
            .iter()
            .map(|ty| ty.width())
            .sum::<u32>()
    }

    fn decode(&self, procedure: ProcId, mut code: usize) -> State {
        let types = self.types(procedure);
        let values = types.iter().map(|ty| {
            let value = ty.wrap(code as u64);
            code >>= ty.width();
            value
        });
        values.collect()
    }

    fn encode(&self, procedure: ProcId, state: &State) -> usize {
        let types = self.types(procedure);
        let pairs = state.iter().zip(types).rev();
        pairs.fold(0, |code, (&value, ty)| code << ty.width() | value as usize)
    }

    /// Whether the two states agree on all globals that the procedure never modifies.
    fn frame(&self, procedure: ProcId, a: &State, b: &State) -> bool {
        let modified = &self.modified[procedure.index()];
        (0..self.machine.globals.len()).all(|g| modified.contains(&g) || a[g] == b[g])
    }

    fn is_initial(&self, state: &State) -> bool {
        let globals = self.machine.globals.iter().zip(state);
        let mut fixed = globals.filter_map(|(global, &value)| Some((global.initial?, value)));
        fixed.all(|(initial, value)| initial == value)
    }

    /// Calls `found` with every way to take an edge: the states before and after (for a call: the
    /// callee's at its entry).
    fn each_step(&self, id: EdgeId, mut found: impl FnMut(&State, &State)) {
        let machine = self.machine;
        let edge = machine.edge(id);
        let procedure = machine.procedure_of(edge.from);
        let input_bits: u32 = edge.inputs.iter().map(|ty| ty.width()).sum();
        for code in 0..self.count(procedure) {
            let state = self.decode(procedure, code);
            for choice in 0..1usize << input_bits {
                let mut rest = choice;
                let inputs: Vec<u64> = edge
                    .inputs
                    .iter()
                    .map(|ty| {
                        let value = ty.wrap(rest as u64);
                        rest >>= ty.width();
                        value
                    })
                    .collect();
                let eval = |root, next: &State| {
                    machine.exprs.eval(root, &mut |leaf| match leaf {
                        Leaf::Var(variable) => state[self.slot(variable)],
                        Leaf::Next(variable) => next[self.slot(variable)],
                        Leaf::Input(input) => inputs[input.index()],
                    })
                };
                if edge.guard.is_some_and(|guard| eval(guard, &state) == 0) {
                    continue;
                }
                let mut next = state.clone();
                match &edge.action {
                    Action::Assign {
                        assignments,
                        constrain,
                    } => {
                        for &(variable, value) in assignments {
                            next[self.slot(variable)] = eval(value, &state);
                        }
                        if constrain.is_some_and(|constrain| eval(constrain, &next) == 0) {
                            continue;
                        }
                        found(&state, &next);
                    }
                    Action::Return(values) => {
                        let results = machine.procedure(procedure).results();
                        for (result, &value) in results.zip(values) {
                            next[self.slot(Variable::Local(result))] = eval(value, &state);
                        }
                        found(&state, &next);
                    }
                    Action::Call {
                        callee, arguments, ..
                    } => {
                        let values: Vec<u64> =
                            arguments.iter().map(|&root| eval(root, &state)).collect();
                        for code in 0..self.count(*callee) {
                            let entry = self.decode(*callee, code);
                            let globals = machine.globals.len();
                            if entry[..globals] == state[..globals]
                                && entry[globals..].starts_with(&values)
                            {
                                found(&state, &entry);
                            }
                        }
                    }
                    Action::EndThread => {}
                    _ => found(&state, &next),
                }
            }
        }
    }

    /// The caller's state after a return.
    fn returned(&self, id: EdgeId, before: &State, callee_exit: &State) -> State {
        let Action::Call {
            callee, targets, ..
        } = &self.machine.edge(id).action
        else {
            unreachable!("only calls return")
        };
        let mut state = before.clone();
        let globals = self.machine.globals.len();
        state[..globals].copy_from_slice(&callee_exit[..globals]);
        let results = self.machine.procedure(*callee).results();
        for (result, target) in results.zip(targets) {
            if let Some(target) = *target {
                state[self.slot(target)] = callee_exit[self.slot(Variable::Local(result))];
            }
        }
        state
    }

    /// Calls `visit` with every implication of the forward conditions; no conclusion means that the
    /// premises must not hold.
    fn each_forward(&self, targets: &[Target], visit: &mut dyn FnMut(&[Fact], Option<Fact>)) {
        let machine = self.machine;
        let fact = |node, other: &State, now: &State| {
            let procedure = machine.procedure_of(node);
            Fact {
                node,
                kind: Kind::Relation,
                other: self.encode(procedure, other),
                now: self.encode(procedure, now),
            }
        };
        let all = |procedure| (0..self.count(procedure)).map(move |c| self.decode(procedure, c));
        for thread in machine.threads.iter().filter(|thread| thread.instances > 0) {
            for state in all(thread.entry).filter(|state| self.is_initial(state)) {
                let entry = machine.procedure(thread.entry).entry;
                visit(&[], Some(fact(entry, &state, &state)));
            }
        }
        for target in targets {
            let procedure = machine.procedure_of(target.node);
            for entry in all(procedure) {
                for now in all(procedure).filter(|now| self.frame(procedure, &entry, now)) {
                    visit(&[fact(target.node, &entry, &now)], None);
                }
            }
        }
        for id in machine.edge_ids() {
            let edge = machine.edge(id);
            let procedure = machine.procedure_of(edge.from);
            let entries: Vec<State> = all(procedure).collect();
            self.each_step(id, |before, after| {
                let entries = entries.iter().filter(|e| self.frame(procedure, e, before));
                for entry in entries {
                    let start = fact(edge.from, entry, before);
                    let Action::Call { callee, .. } = edge.action else {
                        visit(&[start], Some(fact(edge.to, entry, after)));
                        continue;
                    };
                    let called = machine.procedure(callee);
                    visit(&[start], Some(fact(called.entry, after, after)));
                    for exit in all(callee).filter(|exit| self.frame(callee, after, exit)) {
                        let summary = fact(called.exit, after, &exit);
                        let returned = self.returned(id, before, &exit);
                        visit(&[start, summary], Some(fact(edge.to, entry, &returned)));
                    }
                }
            });
        }
    }

    /// The same for the backward conditions.
    fn each_backward(&self, targets: &[Target], visit: &mut dyn FnMut(&[Fact], Option<Fact>)) {
        let machine = self.machine;
        let bad = |node, now: &State| Fact {
            node,
            kind: Kind::Relation,
            other: 0,
            now: self.encode(machine.procedure_of(node), now),
        };
        let to_exit = |node, now: &State, exit: &State| {
            let procedure = machine.procedure_of(node);
            // Only globals and results exist at the exit: leave out the rest.
            let mut exit = exit.clone();
            let results = machine.procedure(procedure).result_count as usize;
            let end = exit.len() - results;
            exit[machine.globals.len()..end].fill(0);
            Fact {
                node,
                kind: Kind::ToExit,
                other: self.encode(procedure, &exit),
                now: self.encode(procedure, now),
            }
        };
        let all = |procedure| (0..self.count(procedure)).map(move |c| self.decode(procedure, c));
        for target in targets {
            for state in all(machine.procedure_of(target.node)) {
                visit(&[], Some(bad(target.node, &state)));
            }
        }
        for thread in machine.threads.iter().filter(|thread| thread.instances > 0) {
            for state in all(thread.entry).filter(|state| self.is_initial(state)) {
                visit(&[bad(machine.procedure(thread.entry).entry, &state)], None);
            }
        }
        for id in machine.edge_ids() {
            let edge = machine.edge(id);
            let procedure = machine.procedure_of(edge.from);
            let (u, v) = (edge.from, edge.to);
            let exits: Vec<State> = all(procedure).collect();
            self.each_step(id, |before, after| {
                let exits = || exits.iter().filter(|y| self.frame(procedure, before, y));
                let Action::Call { callee, .. } = edge.action else {
                    visit(&[bad(v, after)], Some(bad(u, before)));
                    for y in exits() {
                        visit(&[to_exit(v, after, y)], Some(to_exit(u, before, y)));
                    }
                    return;
                };
                let called = machine.procedure(callee);
                visit(&[bad(called.entry, after)], Some(bad(u, before)));
                for x in all(callee).filter(|x| self.frame(callee, after, x)) {
                    let r = self.returned(id, before, &x);
                    let demanded = to_exit(called.exit, &x, &x);
                    let through = to_exit(called.entry, after, &x);
                    visit(&[bad(v, &r)], Some(demanded));
                    visit(&[bad(v, &r), through], Some(bad(u, before)));
                    for y in exits() {
                        visit(&[to_exit(v, &r, y)], Some(demanded));
                        let conclusion = to_exit(u, before, y);
                        visit(&[to_exit(v, &r, y), through], Some(conclusion));
                    }
                }
            });
        }
    }

    fn each(
        &self,
        direction: Direction,
        targets: &[Target],
        visit: &mut dyn FnMut(&[Fact], Option<Fact>),
    ) {
        match direction {
            Direction::Forward => self.each_forward(targets, visit),
            Direction::Backward => self.each_backward(targets, visit),
            Direction::Interleaved | Direction::Unrolled => {
                unreachable!("the machines are sequential")
            }
        }
    }

    /// The facts that follow from the conditions; nothing if they contradict them: then some target
    /// is reachable.
    pub fn least(&self, direction: Direction, targets: &[Target]) -> Option<BTreeSet<Fact>> {
        let mut facts = BTreeSet::new();
        let mut is_contradictory = false;
        loop {
            let before = facts.len();
            self.each(direction, targets, &mut |premises, conclusion| {
                if premises.iter().all(|premise| facts.contains(premise)) {
                    match conclusion {
                        Some(conclusion) => {
                            facts.insert(conclusion);
                        }
                        None => is_contradictory = true,
                    }
                }
            });
            if is_contradictory {
                return None;
            }
            if facts.len() == before {
                return Some(facts);
            }
        }
    }

    /// Whether the certificate satisfies all conditions.
    pub fn accepts(&self, certificate: &Certificate) -> bool {
        let facts = self.facts(certificate);
        let mut is_good = true;
        let direction = certificate.direction;
        self.each(
            direction,
            &certificate.targets,
            &mut |premises, conclusion| {
                let holds = premises.iter().all(|premise| facts.contains(premise));
                let follows = conclusion.is_some_and(|conclusion| facts.contains(&conclusion));
                is_good &= !holds || follows;
            },
        );
        is_good
    }

    /// Everything that a certificate says.
    fn facts(&self, certificate: &Certificate) -> BTreeSet<Fact> {
        let mut facts = BTreeSet::new();
        for procedure in self.machine.procedure_ids() {
            for other in 0..self.count(procedure) {
                for now in 0..self.count(procedure) {
                    let states = [other, now].map(|code| self.decode(procedure, code));
                    let values = self.values(&certificate.formulas, &states[0], &states[1]);
                    let here = certificate.nodes.iter();
                    for entry in here.filter(|entry| entry.procedure == procedure) {
                        let node = entry.node;
                        let mut add = |kind, other, root: u32| {
                            if values[root as usize] {
                                facts.insert(Fact {
                                    node,
                                    kind,
                                    other,
                                    now,
                                });
                            }
                        };
                        let is_forward = certificate.direction == Direction::Forward;
                        let relation_other = if is_forward { other } else { 0 };
                        add(Kind::Relation, relation_other, entry.relation);
                        if let Some(root) = entry.to_exit {
                            add(Kind::ToExit, other, root);
                        }
                    }
                }
            }
        }
        facts
    }

    fn values(&self, formulas: &[Formula], other: &State, now: &State) -> Vec<bool> {
        let read = |state: &State, place: &Bit| {
            let value = state.get(self.slot(place.variable)).copied();
            value.is_some_and(|value| value >> place.bit & 1 == 1)
        };
        let mut values: Vec<bool> = Vec::with_capacity(formulas.len());
        for formula in formulas {
            let value = |&operand: &u32| values[operand as usize];
            let value = match formula {
                Formula::Constant(value) => *value,
                Formula::Entry(bit) | Formula::Exit(bit) => read(other, bit),
                Formula::Now(bit) => read(now, bit),
                Formula::Thread(_) => unreachable!("the machines are sequential"),
                Formula::Not(a) => !value(a),
                Formula::And(operands) => operands.iter().all(value),
                Formula::Or(operands) => operands.iter().any(value),
                Formula::Ite(c, a, b) => value(if value(c) { a } else { b }),
            };
            values.push(value);
        }
        values
    }

    /// A certificate that lists facts: per node a disjunction of pairs.
    pub fn certificate(
        &self,
        direction: Direction,
        targets: Vec<Target>,
        facts: &BTreeSet<Fact>,
    ) -> Certificate {
        let mut formulas = Vec::new();
        let mut nodes: Vec<NodeRelation> = Vec::new();
        let listed: BTreeSet<NodeId> = facts.iter().map(|fact| fact.node).collect();
        for node in listed {
            let here = |kind| {
                facts
                    .iter()
                    .filter(move |f| f.node == node && f.kind == kind)
            };
            let relation = self.disjunction(direction, &mut formulas, here(Kind::Relation));
            let to_exit = (direction == Direction::Backward)
                .then(|| self.disjunction(direction, &mut formulas, here(Kind::ToExit)));
            nodes.push(NodeRelation {
                to_exit,
                ..NodeRelation::new(self.machine, node, relation)
            });
        }
        Certificate::new(self.machine, direction, targets, formulas, nodes)
    }

    fn disjunction<'f>(
        &self,
        direction: Direction,
        formulas: &mut Vec<Formula>,
        facts: impl Iterator<Item = &'f Fact>,
    ) -> u32 {
        let mut add = |formula| {
            formulas.push(formula);
            formulas.len() as u32 - 1
        };
        let mut pairs = Vec::new();
        for fact in facts {
            let procedure = self.machine.procedure_of(fact.node);
            let mut literals = Vec::new();
            let names = self.machine.procedure(procedure).locals.len();
            let globals =
                (0..self.machine.globals.len()).map(|g| Variable::Global(GlobalId::new(g)));
            let locals = (0..names).map(|l| Variable::Local(LocalId::new(l)));
            let results = self.machine.procedure(procedure).results();
            let results: Vec<LocalId> = results.collect();
            for variable in globals.chain(locals) {
                for bit in 0..self.machine.type_of(procedure, variable).width() {
                    let place = Bit { variable, bit };
                    let mut literal = |formula, code| {
                        let state = self.decode(procedure, code);
                        let leaf = add(formula);
                        let is_set = state[self.slot(variable)] >> bit & 1 == 1;
                        let literal = if is_set {
                            leaf
                        } else {
                            add(Formula::Not(leaf))
                        };
                        literals.push(literal);
                    };
                    literal(Formula::Now(place), fact.now);
                    let exists_at_exit = match variable {
                        Variable::Global(_) => true,
                        Variable::Local(id) => results.contains(&id),
                    };
                    match (direction, fact.kind) {
                        (Direction::Forward, _) => literal(Formula::Entry(place), fact.other),
                        (Direction::Backward, Kind::ToExit) if exists_at_exit => {
                            literal(Formula::Exit(place), fact.other);
                        }
                        (Direction::Backward | Direction::Interleaved | Direction::Unrolled, _) => {
                        }
                    }
                }
            }
            pairs.push(add(Formula::And(literals)));
        }
        add(Formula::Or(pairs))
    }
}
