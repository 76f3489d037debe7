//! Candidate facts: what might be true at a cut point.
//!
//! The words are those that are live and relevant to the targets, and, in procedures that are
//! called, their values at the entry. Candidates compare them with constants of the procedure and
//! with each other, signed and unsigned, or are conditions that the procedure tests, both ways.
//! Nothing here has to be true or even sensible: the analysis removes what is not inductive.

use crate::terms::Terms;
use hardbop_machine::analysis::Slice;
use hardbop_machine::{
    Action, BinaryOp, Expr, ExprId, GlobalId, LocalId, Machine, NodeId, ProcId, Type, UnaryOp,
    Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// Constants of one width that are compared with.
const MOST_CONSTANTS: usize = 28;
/// Words of one width at a cut point that take part.
const MOST_WORDS: usize = 16;
/// Booleans at a cut point that are related to each other.
const MOST_BOOLEANS: usize = 12;
/// Candidates at one cut point.
const MOST_CANDIDATES: usize = 3_000;
/// Conditions of a procedure.
const MOST_CONDITIONS: usize = 60;
/// Expressions looked through in one procedure for constants and conditions.
const MOST_EXPRESSIONS: usize = 100_000;

/// What the text of a procedure offers.
#[derive(Default)]
pub(crate) struct Vocabulary {
    /// By width.
    constants: BTreeMap<Type, BTreeSet<u64>>,
    /// Conditions over variables alone, as they are tested.
    pub conditions: Vec<ExprId>,
    /// Whether the values at the entry are used: not in the first procedure.
    has_callers: bool,
}

/// The words and Booleans at a cut point.
pub(crate) struct Visible {
    /// Words by type.
    pub words: BTreeMap<Type, Vec<ExprId>>,
    booleans: Vec<ExprId>,
}

impl Vocabulary {
    /// Reads a procedure.
    pub fn new(machine: &Machine, terms: &mut Terms, procedure: ProcId) -> Self {
        let mut vocabulary = Self {
            has_callers: !machine.calls().calls_of(procedure).is_empty(),
            ..Self::default()
        };
        for (ty, initial) in machine
            .globals
            .iter()
            .map(|global| (global.ty, global.initial))
        {
            if let (Type::Int(_), Some(value)) = (ty, initial) {
                vocabulary.constants.entry(ty).or_default().insert(value);
            }
        }
        let mut pending = Vec::new();
        for id in machine.procedure(procedure).edge_ids() {
            let edge = machine.edge(id);
            pending.extend(edge.guard);
            match &edge.action {
                Action::Assign {
                    assignments,
                    constrain,
                } => {
                    pending.extend(assignments.iter().map(|(_, value)| *value));
                    pending.extend(*constrain);
                }
                Action::Call { arguments, .. } => pending.extend(arguments.iter().copied()),
                Action::Return(values) => pending.extend(values.iter().copied()),
                _ => {}
            }
        }
        pending.reverse();
        let mut seen = BTreeSet::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) || seen.len() > MOST_EXPRESSIONS {
                continue;
            }
            let expr = *machine.exprs.get(id);
            if let Expr::Const(value, ty @ Type::Int(_)) = expr {
                vocabulary.constants.entry(ty).or_default().insert(value);
            }
            let is_atom = match expr {
                Expr::Binary(op, ..) => matches!(
                    op,
                    BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual
                ),
                Expr::Var(_, ty) => ty == Type::Bool,
                _ => false,
            };
            if is_atom && vocabulary.conditions.len() < MOST_CONDITIONS && is_about_now(machine, id)
            {
                vocabulary.add_condition(terms, id);
            }
            pending.extend(expr.operands());
        }
        vocabulary
    }

    /// Adds a condition unless an equal one is known.
    fn add_condition(&mut self, terms: &mut Terms, id: ExprId) {
        let id = terms.interned(id);
        if !self.conditions.contains(&id) {
            self.conditions.push(id);
        }
    }

    /// Constants of a type with their neighbours, as they are and with the sign flipped, which is
    /// how signed comparisons write them.
    fn constants(&self, ty: Type) -> Vec<u64> {
        let sign = 1 << (ty.width() - 1);
        let read = self.constants.get(&ty);
        let mut all = vec![0, 1];
        let read = read.into_iter().flatten().copied();
        for value in read.filter(|&value| value != sign) {
            for value in [value, value ^ sign] {
                for value in [
                    value,
                    ty.wrap(value.wrapping_add(1)),
                    ty.wrap(value.wrapping_sub(1)),
                ] {
                    if !all.contains(&value) {
                        all.push(value);
                    }
                }
            }
        }
        // Small numbers, read as signed, come first: the others are mostly flipped ones.
        all.sort_by_key(|&value| ty.signed(value).unsigned_abs());
        all.truncate(MOST_CONSTANTS);
        all
    }
}

/// Whether an expression refers to variables before the step only.
fn is_about_now(machine: &Machine, root: ExprId) -> bool {
    let mut is_about_now = true;
    let mut size = 0;
    machine.exprs.visit(root, |expr| {
        size += 1;
        is_about_now &= !matches!(expr, Expr::Input(..) | Expr::Next(..)) && size < 200;
    });
    is_about_now
}

impl Visible {
    /// What is visible at a node.
    pub fn new(
        machine: &Machine,
        terms: &mut Terms,
        slice: Option<&Slice>,
        vocabulary: &Vocabulary,
        node: NodeId,
    ) -> Self {
        let procedure = machine.procedure_of(node);
        let owner = machine.procedure(procedure);
        let is_relevant = |variable| slice.is_none_or(|slice| slice.relevant(procedure, variable));
        let mut visible = Self {
            words: BTreeMap::new(),
            booleans: Vec::new(),
        };
        for variable in machine.liveness().live_at(node) {
            if is_relevant(variable) {
                let ty = machine.type_of(procedure, variable);
                visible.add(terms, Expr::Var(variable, ty));
            }
        }
        let is_entered = node == owner.entry && !machine.node_order().is_loop_head(node);
        if vocabulary.has_callers && !is_entered {
            let globals = (0..machine.globals.len()).map(GlobalId::new);
            let modified = globals.filter(|&id| machine.effects().modifies(procedure, id));
            let entered = modified.map(Variable::Global);
            let parameters = (0..owner.parameter_count as usize).map(LocalId::new);
            for variable in entered.chain(parameters.map(Variable::Local)) {
                if is_relevant(variable) {
                    let ty = machine.type_of(procedure, variable);
                    visible.add(terms, Expr::Next(variable, ty));
                }
            }
        }
        visible
    }

    fn add(&mut self, terms: &mut Terms, expr: Expr) {
        match expr.ty() {
            Type::Bool if self.booleans.len() < MOST_BOOLEANS => {
                self.booleans.push(terms.add(expr));
            }
            Type::Bool => {}
            ty @ Type::Int(_) => {
                let words = self.words.entry(ty).or_default();
                if words.len() < MOST_WORDS {
                    words.push(terms.add(expr));
                }
            }
        }
    }

    /// Whether every variable of an expression that is about the current state is visible.
    pub fn contains(&self, terms: &Terms, root: ExprId) -> bool {
        let mut variables: BTreeSet<Variable> = BTreeSet::new();
        terms.exprs.visit(root, |expr| {
            if let Expr::Var(variable, _) = expr {
                variables.insert(*variable);
            }
        });
        let words = self.words.values().flatten();
        for &id in words.chain(&self.booleans) {
            if let Expr::Var(variable, _) = terms.exprs.get(id) {
                variables.remove(variable);
            }
        }
        variables.is_empty()
    }

    /// All candidates.
    pub fn candidates(&self, terms: &mut Terms, vocabulary: &Vocabulary) -> Vec<ExprId> {
        let mut found = Vec::new();
        for &condition in &vocabulary.conditions {
            if self.contains(terms, condition) {
                let negated = terms.not(condition);
                found.extend([condition, negated]);
            }
        }
        for (index, &a) in self.booleans.iter().enumerate() {
            let not_a = terms.not(a);
            found.extend([a, not_a]);
            for &b in &self.booleans[..index] {
                for a in [a, not_a] {
                    let not_b = terms.not(b);
                    for b in [b, not_b] {
                        found.push(terms.compare(BinaryOp::Or, a, b));
                    }
                }
            }
        }
        for (&ty, words) in &self.words {
            for (index, &a) in words.iter().enumerate() {
                for &b in &words[..index] {
                    relate(terms, a, b, &mut found);
                    for (a, b) in [(a, b), (b, a)] {
                        let next = terms.plus(b, 1);
                        order(terms, BinaryOp::LessEqual, a, next, &mut found);
                    }
                }
            }
            for value in vocabulary.constants(ty) {
                let value = terms.constant(value, ty);
                for &word in words {
                    relate(terms, word, value, &mut found);
                }
            }
        }
        let mut seen = BTreeSet::new();
        found.retain(|&id| seen.insert(id));
        found.truncate(MOST_CANDIDATES);
        found
    }
}

/// `a <= b`, `b <= a`, the strict ones and `a != b`.
fn relate(terms: &mut Terms, a: ExprId, b: ExprId, found: &mut Vec<ExprId>) {
    for op in [BinaryOp::LessEqual, BinaryOp::Less] {
        order(terms, op, a, b, found);
        order(terms, op, b, a, found);
    }
    found.push(terms.compare(BinaryOp::NotEqual, a, b));
}

/// Unsigned and signed.
fn order(terms: &mut Terms, op: BinaryOp, a: ExprId, b: ExprId, found: &mut Vec<ExprId>) {
    found.push(terms.compare(op, a, b));
    let (a, b) = (terms.flipped(a), terms.flipped(b));
    found.push(terms.compare(op, a, b));
}

/// Conditions that may split a loop into phases: what is tested, Booleans, and lowest bits.
pub(crate) fn phase_predicates(
    terms: &mut Terms,
    visible: &Visible,
    vocabulary: &Vocabulary,
) -> Vec<ExprId> {
    let mut found = Vec::new();
    let conditions = vocabulary.conditions.iter();
    found.extend(conditions.filter(|&&condition| visible.contains(terms, condition)));
    found.extend(&visible.booleans);
    for words in visible.words.values() {
        for &word in words {
            found.push(terms.add(Expr::Unary(UnaryOp::Resize(Type::Bool), word)));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|&id| seen.insert(id));
    found
}
