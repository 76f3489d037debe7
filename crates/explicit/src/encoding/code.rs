//! Edges as flat code over packed states.
//!
//! An expression becomes a run of postfix operations in one array; variables are places in packed
//! words. [`Program::eval`] computes on known values with machine words; [`crate::encoding::partial`] runs
//! the same code on states with undetermined bits. A write to a variable that is dead afterwards is
//! left out, so that no step decides a bit without need. Edges of equal procedures share their code;
//! which procedure a call enters is the machine's to say.

use crate::encoding::layout::{Layouts, Place};
use hardbop_machine::analysis::{Liveness, Recent};
use hardbop_machine::expr::UnaryOp;
use hardbop_machine::{
    Action, BinaryOp, EdgeId, Expr, ExprId, LocalId, Machine, ProcId, Type, Variable,
};
use std::ops::Range;

/// An operation on a stack of values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Pushes a constant.
    Const(u64),
    /// Pushes a variable's value before the step.
    Var(Place),
    /// Pushes a variable's value after the step.
    Next(Place),
    /// Pushes a choice.
    Input(u32),
    /// Replaces an operand by the result.
    Unary(UnaryOp),
    /// Replaces two operands by the result, which has this type.
    Binary(BinaryOp, Type),
    /// Replaces condition and branches by one of the branches.
    Ite,
}

/// A run of operations in [`Program::ops`].
pub(crate) type Code = Range<u32>;

/// What an edge does.
#[derive(Clone, Debug)]
pub(crate) struct EdgeCode {
    /// Taken only where this holds.
    pub(crate) guard: Option<Code>,
    /// Widths of its choices.
    pub(crate) inputs: Vec<u32>,
    /// Whether the rest asks for a choice.
    pub(crate) asks_inputs: bool,
    /// The bits that guard and effect read.
    pub(crate) reads: Box<[u64]>,
    /// A choice that is the whole guard, or its negation is, with the value it must have. Such a
    /// guard always can hold, so there is none.
    pub(crate) forced: Option<(usize, u64)>,
    /// The rest.
    pub(crate) effect: Effect,
}

/// What an edge does besides checking its guard.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// Writes and goes on.
    Move {
        /// New values, only of variables that are live afterwards or that `constrain` asks for.
        writes: Vec<(Place, Code)>,
        /// Must hold between the states before and after.
        constrain: Option<Code>,
    },
    /// Calls.
    Call {
        /// Places of live parameters in the callee with their values.
        arguments: Vec<(Place, Code)>,
        /// Places here that get results, with the results' places in the callee.
        targets: Vec<(Place, Place)>,
    },
    /// Ends the program.
    Halt,
}

/// All edges of a machine.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    ops: Vec<Op>,
    codes: Vec<EdgeCode>,
    /// By edge, with [`DECIDES`].
    of: Vec<u32>,
}

/// The edge is the first of two, and the guard of the second is the opposite of its own.
const DECIDES: u32 = 1 << 31;

impl Program {
    /// Compiles a machine. Linear.
    pub(crate) fn new(machine: &Machine, layouts: &Layouts) -> Self {
        let alive = machine.liveness();
        let mut compiler = Compiler {
            machine,
            layouts,
            alive,
            ops: Vec::new(),
        };
        let mut codes = Vec::new();
        let mut of: Vec<u32> = Vec::with_capacity(machine.edges.len());
        let mut recent = Recent::default();
        for edge in machine.edge_ids() {
            let key = compiler.key(edge);
            let same = recent.get_or(&key, edge.0, |other| compiler.key(EdgeId(other)) == key);
            let code = if same == edge.0 {
                codes.push(compiler.edge(edge));
                codes.len() as u32 - 1
            } else {
                of[same as usize] & !DECIDES
            };
            let flag = if decides(machine, edge) { DECIDES } else { 0 };
            of.push(code | flag);
        }
        Self {
            ops: compiler.ops,
            codes,
            of,
        }
    }

    /// The code of an edge.
    pub(crate) fn edge(&self, id: EdgeId) -> &EdgeCode {
        &self.codes[(self.of[id.index()] & !DECIDES) as usize]
    }

    /// Whether no other edge of its node can be taken where this one can.
    pub(crate) fn decides(&self, id: EdgeId) -> bool {
        self.of[id.index()] & DECIDES != 0
    }

    /// The operations of an expression.
    pub(crate) fn ops(&self, code: &Code) -> &[Op] {
        &self.ops[code.start as usize..code.end as usize]
    }

    /// The value of an expression without choices over states without undetermined bits.
    pub(crate) fn eval(&self, code: &Code, now: &[u64], next: &[u64], stack: &mut Vec<u64>) -> u64 {
        stack.clear();
        for &op in self.ops(code) {
            let value = match op {
                Op::Const(value) => value,
                Op::Var(place) => place.read(now),
                Op::Next(place) => place.read(next),
                // Edges with choices never come here.
                Op::Input(_) => 0,
                Op::Unary(op) => op.apply(pop(stack)),
                Op::Binary(op, ty) => {
                    let right = pop(stack);
                    op.apply(pop(stack), right, ty)
                }
                Op::Ite => {
                    let (no, yes) = (pop(stack), pop(stack));
                    if pop(stack) == 1 { yes } else { no }
                }
            };
            stack.push(value);
        }
        pop(stack)
    }
}

/// Whether an edge is the first of two of which either can be taken, never both: they have opposite
/// guards without choices.
fn decides(machine: &Machine, id: EdgeId) -> bool {
    let edge = machine.edge(id);
    let edges = &machine.node(edge.from).edges;
    if edges.start != id.0 || edges.len() != 2 || !edge.inputs.is_empty() {
        return false;
    }
    let other = machine.edge(EdgeId(id.0 + 1));
    let (Some(guard), Some(opposite)) = (edge.guard, other.guard) else {
        return false;
    };
    let is_negation = |of, root| *machine.exprs.get(root) == Expr::Unary(UnaryOp::Not, of);
    other.inputs.is_empty() && (is_negation(guard, opposite) || is_negation(opposite, guard))
}

fn pop(stack: &mut Vec<u64>) -> u64 {
    stack
        .pop()
        .expect("operands are pushed before their operator")
}

struct Compiler<'c> {
    machine: &'c Machine,
    layouts: &'c Layouts,
    alive: &'c Liveness,
    ops: Vec<Op>,
}

/// All that the code of an edge depends on.
#[derive(PartialEq, Eq, Hash)]
struct Key<'m> {
    layout: u32,
    guard: Option<ExprId>,
    inputs: &'m [Type],
    /// What is live afterwards.
    live: u32,
    effect: KeyEffect<'m>,
}

#[derive(PartialEq, Eq, Hash)]
enum KeyEffect<'m> {
    /// Of anything but a call.
    Action(&'m Action),
    Call {
        layout: u32,
        /// What is live at the entry.
        live: u32,
        result_count: u32,
        arguments: &'m [ExprId],
        targets: &'m [Option<Variable>],
    },
}

impl<'c> Compiler<'c> {
    fn key(&self, id: EdgeId) -> Key<'c> {
        let edge = self.machine.edge(id);
        let effect = match &edge.action {
            Action::Call {
                callee,
                arguments,
                targets,
            } => {
                let declared = self.machine.procedure(*callee);
                KeyEffect::Call {
                    layout: self.layouts.number(*callee),
                    live: self.alive.set_at(declared.entry),
                    result_count: declared.result_count,
                    arguments,
                    targets,
                }
            }
            action => KeyEffect::Action(action),
        };
        Key {
            layout: self.layouts.number(self.machine.procedure_of(edge.from)),
            guard: edge.guard,
            inputs: &edge.inputs,
            live: self.alive.set_at(edge.to),
            effect,
        }
    }

    fn edge(&mut self, id: EdgeId) -> EdgeCode {
        let edge = self.machine.edge(id);
        let procedure = self.machine.procedure_of(edge.from);
        let guard = edge.guard.map(|root| self.code(procedure, root));
        let effect = match &edge.action {
            Action::Assign {
                assignments,
                constrain,
            } => {
                let mut asked = Vec::new();
                if let Some(root) = *constrain {
                    self.machine.exprs.visit(root, |expr| {
                        if let Expr::Next(variable, _) = *expr {
                            asked.push(variable);
                        }
                    });
                }
                let needed = assignments.iter().filter(|(variable, _)| {
                    asked.contains(variable) || self.alive.is_live(edge.to, *variable)
                });
                let needed: Vec<(Variable, ExprId)> = needed.copied().collect();
                Effect::Move {
                    writes: self.writes(procedure, &needed),
                    constrain: constrain.map(|root| self.code(procedure, root)),
                }
            }
            Action::Return(values) => {
                let results = self.machine.procedure(procedure).results();
                let results = results.map(Variable::Local);
                let needed: Vec<_> = results.zip(values.iter().copied()).collect();
                Effect::Move {
                    writes: self.writes(procedure, &needed),
                    constrain: None,
                }
            }
            Action::Call {
                callee,
                arguments,
                targets,
            } => self.call(procedure, *callee, arguments, targets),
            Action::EndThread | Action::StartThread(_) => Effect::Halt,
            Action::Skip | Action::Print(_) | Action::AtomicBegin | Action::AtomicEnd => {
                Effect::Move {
                    writes: Vec::new(),
                    constrain: None,
                }
            }
        };
        let mut code = EdgeCode {
            guard,
            inputs: edge.inputs.iter().map(|ty| ty.width()).collect(),
            asks_inputs: false,
            reads: vec![0; self.layouts.of(procedure).words()].into(),
            forced: None,
            effect,
        };
        self.settle_inputs(&mut code);
        code
    }

    /// Finds out what is read and whether choices are asked for, and takes a guard that is just a
    /// choice away.
    fn settle_inputs(&self, code: &mut EdgeCode) {
        let asks = |code: &Code, wanted: Option<u32>| {
            self.ops[code.start as usize..code.end as usize]
                .iter()
                .any(|op| matches!(*op, Op::Input(input) if wanted.is_none_or(|w| w == input)))
        };
        let values: Vec<&Code> = match &code.effect {
            Effect::Move { writes, constrain } => {
                let writes = writes.iter().map(|(_, value)| value);
                writes.chain(constrain).collect()
            }
            Effect::Call { arguments, .. } => arguments.iter().map(|(_, value)| value).collect(),
            Effect::Halt => Vec::new(),
        };
        for values in values.iter().copied().chain(&code.guard) {
            for op in &self.ops[values.start as usize..values.end as usize] {
                if let Op::Var(place) | Op::Next(place) = op {
                    place.write(&mut code.reads, place.mask());
                }
            }
        }
        let mut asks_inputs = values.iter().any(|value| asks(value, None));
        if let Some(guard) = &code.guard {
            let choice = match self.ops[guard.start as usize..guard.end as usize] {
                [Op::Input(input)] => Some((input, 1)),
                [Op::Input(input), Op::Unary(UnaryOp::Not)] => Some((input, 0)),
                _ => None,
            };
            match choice {
                Some((input, value)) if !values.iter().any(|v| asks(v, Some(input))) => {
                    code.guard = None;
                    code.forced = Some((input as usize, value));
                }
                _ => asks_inputs |= asks(guard, None),
            }
        }
        code.asks_inputs = asks_inputs;
    }

    fn call(
        &mut self,
        procedure: ProcId,
        callee: ProcId,
        arguments: &[ExprId],
        targets: &[Option<Variable>],
    ) -> Effect {
        let declared = self.machine.procedure(callee);
        let there = self.layouts.of(callee);
        let mut passed = Vec::new();
        for (index, &argument) in arguments.iter().enumerate() {
            let parameter = LocalId::new(index);
            if self
                .alive
                .is_live(declared.entry, Variable::Local(parameter))
            {
                passed.push((there.local(parameter), self.code(procedure, argument)));
            }
        }
        let here = self.layouts.of(procedure);
        let results = targets.iter().zip(declared.results());
        let results = results.filter_map(|(target, result)| {
            let place = here.place((*target)?)?;
            Some((place, there.local(result)))
        });
        Effect::Call {
            arguments: passed,
            targets: results.collect(),
        }
    }

    fn writes(&mut self, procedure: ProcId, values: &[(Variable, ExprId)]) -> Vec<(Place, Code)> {
        let mut writes = Vec::with_capacity(values.len());
        for &(variable, root) in values {
            if let Some(place) = self.layouts.of(procedure).place(variable) {
                writes.push((place, self.code(procedure, root)));
            }
        }
        writes
    }

    fn code(&mut self, procedure: ProcId, root: ExprId) -> Code {
        let start = self.ops.len() as u32;
        let layout = self.layouts.of(procedure);
        let place = |variable| {
            layout
                .place(variable)
                .expect("a procedure touches every global that its expressions name")
        };
        let ops = &mut self.ops;
        self.machine.exprs.fold(root, |expr, _: &mut Vec<()>| {
            ops.push(match *expr {
                Expr::Const(value, _) => Op::Const(value),
                Expr::Var(variable, _) => Op::Var(place(variable)),
                Expr::Next(variable, _) => Op::Next(place(variable)),
                Expr::Input(input, _) => Op::Input(input.0),
                Expr::Unary(op, _) => Op::Unary(op),
                Expr::Binary(op, _, _, ty) => Op::Binary(op, ty),
                Expr::Ite(..) => Op::Ite,
            });
        });
        start..self.ops.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::from_text;

    /// How often the first edge of a branch excludes the second.
    fn count(condition: &str) -> usize {
        let text = format!(
            "decl a, b; void main() begin if ({condition}) then a := 1; else b := 1; fi end"
        );
        let machine = from_text("test.bp", &text).expect("a program");
        let edges = machine.edge_ids();
        edges.filter(|&edge| decides(&machine, edge)).count()
    }

    #[test]
    fn a_condition_without_choices_decides_between_its_branches() {
        for condition in ["a", "!a", "a & !b", "!(a | b)"] {
            assert_eq!(count(condition), 1, "{condition}");
        }
    }

    #[test]
    fn branches_that_choose_for_themselves_may_both_be_taken() {
        for condition in ["*", "!*", "a & *", "a | !*"] {
            assert_eq!(count(condition), 0, "{condition}");
        }
    }
}
