//! Expressions and edges as a person would write them, with no more parentheses than the language
//! needs.
//!
//! The text is for reading (graphs, traces), not for parsing again: each choice is a `*`, whatever
//! its type.

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ids::{EdgeId, ExprId, ProcId, Variable};
use crate::ir::{Action, ThreadStart};
use crate::machine::Machine;
use crate::types::Type;

/// Binds tighter than all operators with two operands.
const UNARY: u8 = 11;

impl BinaryOp {
    /// The operator as written between integers or Booleans.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Implies => "=>",
            BinaryOp::Equal => "=",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide | BinaryOp::SignedDivide => "/",
            BinaryOp::Remainder | BinaryOp::SignedRemainder => "%",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight | BinaryOp::SignedShiftRight => ">>",
        }
    }

    /// Whether its first and its second operand are written as `signed(e)`.
    pub fn signed_operands(self) -> (bool, bool) {
        match self {
            BinaryOp::SignedDivide | BinaryOp::SignedRemainder => (true, true),
            BinaryOp::SignedShiftRight => (true, false),
            _ => (false, false),
        }
    }

    /// How tight it binds, and how tight its left and right operands must bind to stand without
    /// parentheses.
    fn binding(self) -> (u8, u8, u8) {
        match self {
            BinaryOp::Implies => (2, 3, 2),
            BinaryOp::Or => (3, 3, 3),
            BinaryOp::Xor => (4, 4, 4),
            BinaryOp::And => (5, 5, 5),
            BinaryOp::Equal | BinaryOp::NotEqual => (6, 7, 7),
            BinaryOp::Less | BinaryOp::LessEqual => (7, 8, 8),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::SignedShiftRight => (8, 8, 9),
            BinaryOp::Add | BinaryOp::Subtract => (9, 9, 10),
            BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::SignedDivide
            | BinaryOp::SignedRemainder => (10, 10, 11),
        }
    }
}

/// What an edge does, as text: `assume(g & !h)`, `x, y := e, f`, `x := call f(a)`; guard and action
/// with `; ` between them.
pub(crate) fn edge_text(machine: &Machine, edge: EdgeId) -> String {
    let edge = machine.edge(edge);
    let procedure = machine.procedure_of(edge.from);
    let mut text = String::new();
    if let Some(guard) = edge.guard {
        text.push_str("assume(");
        write_expr(&mut text, machine, procedure, guard);
        text.push(')');
        if edge.action == Action::Skip {
            return text;
        }
        text.push_str("; ");
    }
    write_action(&mut text, machine, procedure, &edge.action);
    text
}

fn write_action(text: &mut String, machine: &Machine, procedure: ProcId, action: &Action) {
    match action {
        Action::Skip => text.push_str("skip"),
        Action::Print(values) => {
            text.push_str("print(");
            write_list(text, machine, procedure, values);
            text.push(')');
        }
        Action::Assign {
            assignments,
            constrain,
        } => {
            let targets = assignments.iter().map(|&(target, _)| Some(target));
            write_targets(text, machine, procedure, targets);
            let values: Vec<ExprId> = assignments.iter().map(|&(_, value)| value).collect();
            write_list(text, machine, procedure, &values);
            if let Some(constrain) = *constrain {
                text.push_str(if values.is_empty() {
                    "constrain "
                } else {
                    " constrain "
                });
                write_expr(text, machine, procedure, constrain);
            }
        }
        Action::Call {
            callee,
            arguments,
            targets,
        } => {
            if targets.iter().any(Option::is_some) {
                write_targets(text, machine, procedure, targets.iter().copied());
            }
            text.push_str("call ");
            write_application(text, machine, procedure, *callee, arguments);
        }
        Action::Return(values) => {
            text.push_str("return");
            if !values.is_empty() {
                text.push(' ');
                write_list(text, machine, procedure, values);
            }
        }
        Action::StartThread(ThreadStart::Node(node)) => {
            text.push_str("start_thread goto line ");
            text.push_str(&machine.line_of(*node).to_string());
        }
        Action::StartThread(ThreadStart::Procedure { callee, arguments }) => {
            text.push_str("start_thread ");
            write_application(text, machine, procedure, *callee, arguments);
        }
        Action::EndThread => text.push_str("end_thread"),
        Action::AtomicBegin => text.push_str("atomic_begin"),
        Action::AtomicEnd => text.push_str("atomic_end"),
    }
}

/// `x, _, y := `, or nothing if there are no targets.
fn write_targets(
    text: &mut String,
    machine: &Machine,
    procedure: ProcId,
    targets: impl Iterator<Item = Option<Variable>>,
) {
    let names: Vec<&str> = targets
        .map(|target| target.map_or("_", |target| machine.name_of(procedure, target)))
        .collect();
    if !names.is_empty() {
        text.push_str(&names.join(", "));
        text.push_str(" := ");
    }
}

fn write_application(
    text: &mut String,
    machine: &Machine,
    procedure: ProcId,
    callee: ProcId,
    arguments: &[ExprId],
) {
    text.push_str(&machine.procedure(callee).name);
    text.push('(');
    write_list(text, machine, procedure, arguments);
    text.push(')');
}

fn write_list(text: &mut String, machine: &Machine, procedure: ProcId, values: &[ExprId]) {
    for (index, &value) in values.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write_expr(text, machine, procedure, value);
    }
}

fn write_expr(text: &mut String, machine: &Machine, procedure: ProcId, root: ExprId) {
    enum Piece {
        Text(&'static str),
        /// An expression that stands without parentheses if it binds at least this tight.
        Operand(ExprId, u8),
    }
    use Piece::{Operand, Text};
    // The rest of the text, last piece first.
    let mut rest = vec![Operand(root, 0)];
    while let Some(piece) = rest.pop() {
        let (id, required) = match piece {
            Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Operand(id, required) => (id, required),
        };
        let (binding, pieces): (u8, Vec<Piece>) = match *machine.exprs.get(id) {
            Expr::Const(value, _) => {
                text.push_str(&value.to_string());
                continue;
            }
            Expr::Var(variable, _) => {
                text.push_str(machine.name_of(procedure, variable));
                continue;
            }
            Expr::Next(variable, _) => {
                text.push('\'');
                text.push_str(machine.name_of(procedure, variable));
                continue;
            }
            Expr::Input(..) => {
                text.push('*');
                continue;
            }
            Expr::Unary(UnaryOp::Not, a) => (UNARY, vec![Text("!"), Operand(a, UNARY)]),
            Expr::Unary(UnaryOp::Resize(ty), a) => {
                text.push_str(&ty.to_string());
                (UNARY, vec![Text("("), Operand(a, 0), Text(")")])
            }
            Expr::Binary(op, a, b, _) => {
                let (binding, left, right) = op.binding();
                let operand = |id, required, is_signed| {
                    if is_signed {
                        vec![Text("signed("), Operand(id, 0), Text(")")]
                    } else {
                        vec![Operand(id, required)]
                    }
                };
                let (is_signed, is_right_signed) = op.signed_operands();
                let mut pieces = operand(a, left, is_signed);
                pieces.extend([Text(" "), Text(op.symbol()), Text(" ")]);
                pieces.extend(operand(b, right, is_right_signed));
                (binding, pieces)
            }
            Expr::Ite(c, a, b, _) => {
                let pieces = vec![
                    Operand(c, 1),
                    Text(" ? "),
                    Operand(a, 1),
                    Text(" : "),
                    Operand(b, 1),
                ];
                (0, pieces)
            }
        };
        let parenthesised = binding < required;
        if parenthesised {
            text.push('(');
            rest.push(Text(")"));
        }
        rest.extend(pieces.into_iter().rev());
    }
}

/// A procedure's name with its parameters, and what it returns: `f(a, int<4> n) : bool`.
pub fn signature(machine: &Machine, procedure: ProcId) -> String {
    let procedure = machine.procedure(procedure);
    let parameters: Vec<String> = procedure
        .parameters()
        .map(|id| &procedure.locals[id.index()])
        .map(|local| match local.ty {
            Type::Bool => local.name.clone(),
            ty @ Type::Int(_) => format!("{ty} {}", local.name),
        })
        .collect();
    let results: Vec<String> = procedure
        .results()
        .map(|id| procedure.locals[id.index()].ty.to_string())
        .collect();
    let mut text = format!("{}({})", procedure.name, parameters.join(", "));
    if !results.is_empty() {
        text.push_str(" : ");
        text.push_str(&results.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_builder::{Builder, assign, call};
    use crate::{InputId, LocalId};

    fn expr_text(machine: &Machine, procedure: ProcId, root: ExprId) -> String {
        let mut text = String::new();
        write_expr(&mut text, machine, procedure, root);
        text
    }

    #[test]
    fn parentheses_stand_only_where_the_meaning_needs_them() {
        let mut b = Builder::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| b.global(name, None));
        let main = b.procedure("main", &[], &[], 0, 1);
        let [x, y, z] = [x, y, z].map(|v| b.var(v));
        let mut texts = Vec::new();
        let mut op = |b: &mut Builder, op, l, r| {
            let root = b.binary(op, l, r);
            texts.push(root);
            root
        };
        let or = op(&mut b, BinaryOp::Or, x, y);
        let and = op(&mut b, BinaryOp::And, or, z);
        let not_and = b.not(and);
        op(&mut b, BinaryOp::Or, not_and, and);
        let implies = op(&mut b, BinaryOp::Implies, x, y);
        op(&mut b, BinaryOp::Implies, implies, implies);
        let difference = op(&mut b, BinaryOp::Subtract, y, z);
        op(&mut b, BinaryOp::Subtract, x, difference);
        op(&mut b, BinaryOp::Subtract, difference, x);
        let equal = op(&mut b, BinaryOp::Equal, x, y);
        op(&mut b, BinaryOp::Equal, equal, z);
        let ite = b.expr(Expr::Ite(equal, x, y, Type::Bool));
        op(&mut b, BinaryOp::And, ite, z);
        let not_x = b.not(x);
        let not_not_x = b.not(not_x);
        texts.push(not_not_x);
        let machine = b.finish(main.id);
        let texts: Vec<String> = texts
            .into_iter()
            .map(|root| expr_text(&machine, main.id, root))
            .collect();
        let expected = [
            "x | y",
            "(x | y) & z",
            "!((x | y) & z) | (x | y) & z",
            "x => y",
            "(x => y) => x => y",
            "y - z",
            "x - (y - z)",
            "y - z - x",
            "x = y",
            "(x = y) = z",
            "(x = y ? x : y) & z",
            "!!x",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn edges_read_like_statements() {
        let mut b = Builder::new();
        let [g, h] = ["g", "{h==1}"].map(|name| b.global(name, None));
        let main = b.procedure("main", &[], &["x"], 1, 9);
        let callee = b.procedure("f", &["a"], &[], 2, 1);
        let [g_value, h_value] = [g, h].map(|v| b.var(v));
        let x = Variable::Local(LocalId(0));
        let not_h = b.not(h_value);
        let guard = b.binary(BinaryOp::And, g_value, not_h);
        let choice = b.expr(Expr::Input(InputId(0), Type::Bool));
        let next = b.expr(Expr::Next(g, Type::Bool));
        let constrained = Action::Assign {
            assignments: vec![(g, h_value), (x, choice)].into(),
            constrain: Some(next),
        };
        let actions = [
            (Some(guard), Action::Skip),
            (None, Action::Skip),
            (None, constrained),
            (Some(guard), assign(&[(g, h_value)])),
            (None, call(callee.id, &[guard], &[None, Some(x)])),
            (None, call(callee.id, &[h_value], &[None, None])),
            (None, Action::Return(vec![g_value].into())),
            (None, Action::Print(vec![g_value, h_value].into())),
        ];
        for (index, (guard, action)) in (0..).zip(actions) {
            b.edge(main.at(index), main.exit(), guard, action);
        }
        let machine = b.finish(main.id);
        let texts: Vec<String> = machine.edge_ids().map(|e| edge_text(&machine, e)).collect();
        let expected = [
            "assume(g & !{h==1})",
            "skip",
            "g, x := {h==1}, * constrain 'g",
            "assume(g & !{h==1}); g := {h==1}",
            "_, x := call f(g & !{h==1})",
            "call f({h==1})",
            "return g",
            "print(g, {h==1})",
        ];
        assert_eq!(texts, expected);
        assert_eq!(signature(&machine, callee.id), "f(a) : bool, bool");
    }

    #[test]
    fn a_deep_expression_is_printed_without_recursion() {
        let mut b = Builder::new();
        let main = b.procedure("main", &[], &[], 0, 1);
        let mut root = b.constant(1);
        for _ in 0..200_000 {
            root = b.not(root);
        }
        let machine = b.finish(main.id);
        assert_eq!(expr_text(&machine, main.id, root).len(), 200_001);
    }
}
