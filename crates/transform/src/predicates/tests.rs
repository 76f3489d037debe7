//! Formulas against values, weakest preconditions against steps, clauses against enumeration.

use super::clauses::{Clauses, Statement};
use super::formulas::Formulas;
use super::steps::StepFormulas;
use hardbop_machine::expr::Leaf;
use hardbop_machine::{
    BinaryOp, EdgeId, Expr, ExprArena, ExprId, GlobalId, InputId, Machine, Type, UnaryOp, Variable,
    from_text,
};
use hardbop_outcome::NeverInterrupted;
use std::collections::{BTreeMap, BTreeSet};

const WORD: Type = Type::Int(3);

fn global(index: u32) -> Variable {
    Variable::Global(GlobalId(index))
}

/// The value of a formula.
fn value(formulas: &Formulas, id: ExprId, leaf: &dyn Fn(Leaf) -> u64) -> u64 {
    let mut values: BTreeMap<ExprId, u64> = BTreeMap::new();
    for id in formulas.parts(id) {
        let expr = formulas.get(id);
        let mut operands = expr.operands().map(|operand| values[&operand]);
        let mut next = || operands.next().expect("it has that many operands");
        let value = match expr {
            Expr::Const(value, _) => value,
            Expr::Var(variable, _) => leaf(Leaf::Var(variable)),
            Expr::Next(variable, _) => leaf(Leaf::Next(variable)),
            Expr::Input(input, _) => leaf(Leaf::Input(input)),
            Expr::Unary(op, _) => op.apply(next()),
            Expr::Binary(op, _, _, ty) => op.apply(next(), next(), ty),
            Expr::Ite(..) => {
                let (c, a, b) = (next(), next(), next());
                if c == 1 { a } else { b }
            }
        };
        values.insert(id, value);
    }
    values[&id]
}

#[test]
fn making_a_formula_keeps_its_value() {
    let operators = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::And,
        BinaryOp::Divide,
        BinaryOp::ShiftLeft,
    ];
    let comparisons = [
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
    ];
    let connectives = [
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Implies,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
    ];
    // Words of depth one and two, compared, connected and chosen.
    let mut arena = ExprArena::default();
    let (x, y) = (global(0), global(1));
    let mut words = vec![
        arena.add(Expr::Var(x, WORD)),
        arena.add(Expr::Var(y, WORD)),
        arena.add(Expr::Const(0, WORD)),
        arena.add(Expr::Const(3, WORD)),
        arena.add(Expr::Const(7, WORD)),
    ];
    for op in operators {
        for (a, b) in [(0, 1), (0, 3), (4, 1), (0, 0)] {
            let (a, b) = (words[a], words[b]);
            words.push(arena.add(Expr::Binary(op, a, b, WORD)));
        }
    }
    let mut facts = Vec::new();
    for (number, &a) in words.iter().enumerate() {
        for &b in &words[..number] {
            let op = comparisons[(number + facts.len()) % comparisons.len()];
            facts.push(arena.add(Expr::Binary(op, a, b, Type::Bool)));
        }
    }
    for number in 0..facts.len() - 7 {
        let op = connectives[number % connectives.len()];
        let (a, b) = (facts[number], facts[number + 7]);
        facts.push(arena.add(Expr::Binary(op, a, b, Type::Bool)));
        let chosen = arena.add(Expr::Ite(a, words[number % 9], words[number % 5], WORD));
        facts.push(arena.add(Expr::Binary(
            comparisons[number % 4],
            chosen,
            words[0],
            Type::Bool,
        )));
        facts.push(arena.add(Expr::Ite(a, b, facts[number / 2], Type::Bool)));
        let narrow = arena.add(Expr::Unary(
            UnaryOp::Resize(Type::Int(2)),
            words[number % 20],
        ));
        let wide = arena.add(Expr::Unary(UnaryOp::Resize(WORD), narrow));
        facts.push(arena.add(Expr::Binary(BinaryOp::Less, wide, words[1], Type::Bool)));
        let number = arena.add(Expr::Unary(UnaryOp::Resize(WORD), a));
        facts.push(arena.add(Expr::Binary(BinaryOp::Equal, number, words[0], Type::Bool)));
    }
    let mut formulas = Formulas::new(0);
    for fact in facts {
        let made = formulas.import(&arena, fact);
        for state in 0..64u64 {
            let mut leaf = |leaf| match leaf {
                Leaf::Var(variable) if variable == x => state & 7,
                _ => state >> 3,
            };
            let expected = arena.eval(fact, &mut leaf);
            assert_eq!(
                value(&formulas, made, &leaf),
                expected,
                "{fact:?} in {state}"
            );
        }
    }
}

#[test]
fn formulas_that_say_the_same_about_sums_are_one() {
    let machine = program(
        "void main() begin assume(x + 1 = y + 3); assume(y + 2 = x); assume(y >= x);
         assume(!(y < x)); end",
    );
    let mut formulas = Formulas::new(0);
    let mut guards = Vec::new();
    for edge in &machine.edges {
        guards.extend(
            edge.guard
                .map(|guard| formulas.import(&machine.exprs, guard)),
        );
    }
    assert_eq!(guards[0], guards[1]);
    assert_eq!(guards[2], guards[3]);
}

fn program(main: &str) -> Machine {
    from_text("t.bp", &format!("decl int<3> x, y; decl b; {main}")).expect("the program is valid")
}

#[test]
fn a_weakest_precondition_holds_before_a_step_where_the_predicate_holds_after_it() {
    let machine = program(
        "void main() begin
           x := x + 1; y := b ? x : y * 2; x, y := y, x - y; b := x < y; x := * + y;
           x, b := *, x = 3 constrain 'x > y & ('b | x < 'x);
           assume(x + y < 5);
         end",
    );
    let mut formulas = Formulas::new(0);
    let facts =
        program("void main() begin assume(x < y); assume(x + y = 3); assume(b | y < 6); end");
    let mut predicates = Vec::new();
    for edge in &facts.edges {
        predicates.extend(edge.guard.map(|guard| formulas.import(&facts.exprs, guard)));
    }
    let mut taken = 0;
    for id in machine.edge_ids() {
        let step = StepFormulas::of(&machine, &mut formulas, id);
        for state in 0..1u64 << 10 {
            let before = [state & 7, state >> 3 & 7, state >> 6 & 1];
            let input = state >> 7;
            let read = |values: [u64; 3]| {
                move |leaf| match leaf {
                    Leaf::Var(Variable::Global(id)) => values[id.index()],
                    _ => input,
                }
            };
            let Some(after) = stepped(&machine, id, before, input) else {
                let holds = |&c: &ExprId| value(&formulas, c, &read(before)) == 1;
                assert!(!step.conditions.iter().all(holds), "{id:?} in {before:?}");
                continue;
            };
            taken += 1;
            for &predicate in &predicates {
                let weakest = step.before(&mut formulas, predicate);
                let is_kept = !step.changes(&formulas, predicate);
                let expected = value(&formulas, predicate, &read(after));
                assert_eq!(value(&formulas, weakest, &read(before)), expected);
                assert!(!is_kept || weakest == predicate);
            }
        }
    }
    assert!(taken > 5_000, "{taken}");
}

/// The state after an edge with all its choices of one value, if it can be taken.
fn stepped(machine: &Machine, id: EdgeId, before: [u64; 3], input: u64) -> Option<[u64; 3]> {
    let edge = machine.edge(id);
    let of = |before: [u64; 3], after: [u64; 3], root: ExprId| {
        machine.exprs.eval(root, &mut |leaf| match leaf {
            Leaf::Var(Variable::Global(id)) => before[id.index()],
            Leaf::Next(Variable::Global(id)) => after[id.index()],
            Leaf::Input(InputId(_)) => input,
            _ => unreachable!("the program has no locals"),
        })
    };
    let mut after = before;
    let mut holds = edge
        .guard
        .is_none_or(|guard| of(before, before, guard) == 1);
    if let hardbop_machine::Action::Assign {
        assignments,
        constrain,
    } = &edge.action
    {
        for &(variable, root) in assignments {
            let Variable::Global(target) = variable else {
                continue;
            };
            after[target.index()] = of(before, before, root);
        }
        holds &= constrain.is_none_or(|constrain| of(before, after, constrain) == 1);
    }
    holds.then_some(after)
}

#[test]
fn clauses_say_exactly_what_few_formulas_can_be_together() {
    let machine = program(
        "void main() begin
           assume(x < y); assume(x = y); assume(x < 5); assume(y + 1 < x); assume(y = 2);
           assume(x * y < 6);
         end",
    );
    let mut formulas = Formulas::new(0);
    let mut members = Vec::new();
    for edge in &machine.edges {
        members.extend(
            edge.guard
                .map(|guard| formulas.import(&machine.exprs, guard)),
        );
    }
    let premise = members.pop().expect("the last condition");
    let members: Vec<ExprId> = members
        .into_iter()
        .map(|id| {
            if formulas.is_connective(id) {
                formulas.not(id)
            } else {
                id
            }
        })
        .collect();
    let statement = Statement {
        premise: vec![premise],
        before: members.clone(),
        linked: Vec::new(),
        kept: BTreeSet::new(),
    };
    let clauses = Clauses::new().of(&mut formulas, &statement, &NeverInterrupted);
    let clauses = clauses.expect("nobody interrupts");
    let mut possible = BTreeSet::new();
    for state in 0..64u64 {
        let leaf = |leaf| match leaf {
            Leaf::Var(variable) if variable == global(0) => state & 7,
            _ => state >> 3,
        };
        if value(&formulas, premise, &leaf) == 1 {
            let values = members.iter().map(|&id| value(&formulas, id, &leaf) == 1);
            possible.insert(values.collect::<Vec<bool>>());
        }
    }
    for assignment in 0..1u32 << members.len() {
        let values: Vec<bool> = (0..members.len())
            .map(|n| assignment >> n & 1 == 1)
            .collect();
        let of = |id: ExprId| values[members.iter().position(|&m| m == id).expect("a member")];
        let holds = clauses
            .iter()
            .all(|clause| clause.iter().any(|&(id, is_true)| of(id) == is_true));
        assert_eq!(holds, possible.contains(&values), "{values:?}");
    }
    // None says what a shorter one says.
    for (number, clause) in clauses.iter().enumerate() {
        let shorter = clauses
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != number);
        for (_, other) in shorter {
            assert!(!other.iter().all(|literal| clause.contains(literal)));
        }
    }
}

#[test]
fn a_step_of_a_counter_below_a_bound_ends_below_or_at_the_bound() {
    let machine = from_text(
        "t.bp",
        "decl int<32> x, y;
         void main() begin assume(x < y); assume(x = y); x := x + 1; end",
    );
    let machine = machine.expect("the program is valid");
    let mut formulas = Formulas::new(7);
    let mut facts = Vec::new();
    for edge in &machine.edges {
        facts.extend(
            edge.guard
                .map(|guard| formulas.import(&machine.exprs, guard)),
        );
    }
    let assigns = |id: &EdgeId| {
        !StepFormulas::of(&machine, &mut Formulas::new(7), *id)
            .values
            .is_empty()
    };
    let id = machine.edge_ids().find(assigns).expect("the assignment");
    let step = StepFormulas::of(&machine, &mut formulas, id);
    let after: Vec<ExprId> = facts
        .iter()
        .map(|&f| step.before(&mut formulas, f))
        .collect();
    let statement = Statement {
        premise: Vec::new(),
        before: facts.clone(),
        linked: after.clone(),
        kept: BTreeSet::new(),
    };
    let clauses = Clauses::new().of(&mut formulas, &statement, &NeverInterrupted);
    let clauses = clauses.expect("nobody interrupts");
    let expected = BTreeSet::from([(facts[0], false), (after[0], true), (after[1], true)]);
    let as_sets = clauses
        .iter()
        .map(|clause| clause.iter().copied().collect());
    let as_sets: Vec<BTreeSet<(ExprId, bool)>> = as_sets.collect();
    assert!(as_sets.contains(&expected), "{clauses:?}");
}
