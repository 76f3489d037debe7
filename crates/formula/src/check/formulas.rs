//! Boolean expressions to formulas.
//!
//! A walk with a stack of tasks and a stack of results: nothing recurses. Chains of `&` and of `|`
//! are flattened before they are visited, so a relation with 50,000 disjuncts is one disjunction
//! however its parentheses stand.

use super::places::{Comparison, Operand};
use super::types::{BOOL, TypeId, WRONG};
use super::{Binding, Checker};
use crate::ast::{BinaryOp, Declaration, Expr, ExprId, Ident, Path, Quantifier};
use crate::system::{ArgumentBit, Formula, FormulaId, RelationId, VariableId};
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span};

/// What is to be done next.
enum Task {
    Visit(ExprId),
    /// Combine the results of this many operands.
    Junction(BinaryOp, usize),
    /// Combine the results of the operands of an expression.
    Combine(ExprId),
    /// Restrict variables to meaningful values and by formulas, and quantify them; then this many
    /// names are left in scope.
    Quantify(Quantifier, Vec<VariableId>, Vec<FormulaId>, usize),
    /// Apply a relation some of whose arguments are formulas: for each the place among the bits.
    Apply(RelationId, Vec<ArgumentBit>, Vec<usize>),
}

#[derive(Default)]
struct Walk {
    tasks: Vec<Task>,
    results: Vec<FormulaId>,
}

impl Walk {
    fn pop(&mut self) -> FormulaId {
        self.results
            .pop()
            .expect("each operand that was visited has left its result")
    }
}

impl Checker<'_> {
    /// The formula of a Boolean expression.
    pub(super) fn formula(&mut self, root: ExprId) -> FormulaId {
        let mut walk = Walk::default();
        walk.tasks.push(Task::Visit(root));
        while let Some(task) = walk.tasks.pop() {
            let result = match task {
                Task::Visit(id) => match self.visit(id, &mut walk) {
                    Some(result) => result,
                    None => continue,
                },
                Task::Junction(op, count) => {
                    let operands = walk.results.split_off(walk.results.len() - count);
                    match op {
                        BinaryOp::And => self.builder.and(operands),
                        _ => self.builder.or(operands),
                    }
                }
                Task::Combine(id) => self.combine(id, &mut walk),
                Task::Quantify(quantifier, variables, kept, names) => {
                    self.leave_scope(names);
                    let body = walk.pop();
                    self.quantify(quantifier, variables, kept, body)
                }
                Task::Apply(relation, bits, places) => {
                    self.apply_formulas(relation, bits, &places, &mut walk)
                }
            };
            walk.results.push(result);
        }
        walk.pop()
    }

    /// The result, or tasks that lead to it.
    fn visit(&mut self, id: ExprId, walk: &mut Walk) -> Option<FormulaId> {
        let ast = self.ast;
        let span = ast.span(id);
        let tasks = &mut walk.tasks;
        match ast.expr(id) {
            Expr::Boolean(value) => return Some(self.builder.constant(*value)),
            Expr::Number(number) => return Some(self.number(*number, span)),
            Expr::Path(path) => return Some(self.boolean_path(path, span)),
            Expr::Apply(name, arguments) => return self.apply(*name, arguments, span, walk),
            Expr::Not(of) => tasks.extend([Task::Combine(id), Task::Visit(*of)]),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
                let operands = self.flattened(id, *op);
                tasks.push(Task::Junction(*op, operands.len()));
                tasks.extend(operands.into_iter().rev().map(Task::Visit));
            }
            Expr::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let others = std::mem::take(&mut self.named.fields);
                let comparison = self.compare(*left, *right, span);
                let has_names = std::mem::replace(&mut self.named.fields, others);
                self.named.fields |= has_names;
                match comparison {
                    Comparison::Known(equal) => {
                        let formula = match op {
                            BinaryOp::Equal => equal,
                            _ => self.builder.not(equal),
                        };
                        if has_names {
                            self.spelled_out.push((span, formula));
                        }
                        return Some(formula);
                    }
                    Comparison::OfFormulas => {
                        tasks.extend([Task::Combine(id), Task::Visit(*right), Task::Visit(*left)]);
                    }
                }
            }
            Expr::Binary(_, left, right) => {
                tasks.extend([Task::Combine(id), Task::Visit(*right), Task::Visit(*left)]);
            }
            Expr::If(condition, then, otherwise) => {
                tasks.push(Task::Combine(id));
                tasks.extend(otherwise.map(Task::Visit));
                tasks.extend([Task::Visit(*then), Task::Visit(*condition)]);
            }
            Expr::Case(branches) => {
                tasks.push(Task::Combine(id));
                for (condition, value) in branches.iter().rev() {
                    tasks.extend([Task::Visit(*value), Task::Visit(*condition)]);
                }
            }
            Expr::Quantifier(quantifier, declarations, body) => {
                let names = self.bound.len();
                self.report_duplicates(declarations);
                let mut kept = Vec::new();
                let variables = declarations.iter().filter_map(|declaration| {
                    let ty = self.declared_type(declaration);
                    if declaration.component.is_empty() {
                        return Some(self.declare_variable(declaration.name, ty));
                    }
                    self.component(declaration, ty, &mut kept)
                });
                let variables = variables.collect();
                tasks.push(Task::Quantify(*quantifier, variables, kept, names));
                tasks.push(Task::Visit(*body));
            }
            Expr::Hinted(of, hints) => {
                self.add_hints(hints);
                tasks.push(Task::Visit(*of));
            }
            Expr::Shown(of, shown) => {
                self.add_shown(shown);
                walk.tasks.push(Task::Visit(*of));
            }
        }
        None
    }

    /// `exists bool s.a. f` is `exists S s'. f` with `s'` for `s`, which is the same but for `a`. The
    /// formulas that say so are added to those that are kept.
    fn component(
        &mut self,
        declaration: &Declaration,
        ty: TypeId,
        kept: &mut Vec<FormulaId>,
    ) -> Option<VariableId> {
        let name = declaration.name;
        let path = Path {
            root: name,
            steps: declaration.component.clone(),
        };
        let place = self.place(&path)?;
        if ty != place.ty && ty != WRONG {
            let found = &self.types.get(place.ty).name;
            let message = format!("the component is `{found}`");
            self.report(codes::TYPE_MISMATCH, declaration.ty.span, message);
            return None;
        }
        let Binding { variable: old, ty } = self.bindings[name.name.0 as usize]?;
        let new = self.declare_variable(name, ty);
        let free = place.first_bit..place.first_bit + self.types.get(place.ty).bits;
        for bit in (0..self.types.get(ty).bits).filter(|bit| !free.contains(bit)) {
            let (before, after) = (self.builder.bit(old, bit), self.builder.bit(new, bit));
            kept.push(self.builder.iff(before, after));
        }
        Some(new)
    }

    /// The operands of a chain of the same operator, from left to right.
    fn flattened(&self, id: ExprId, op: BinaryOp) -> Vec<ExprId> {
        let mut operands = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            match self.ast.expr(id) {
                Expr::Binary(inner, left, right) if *inner == op => stack.extend([*right, *left]),
                _ => operands.push(id),
            }
        }
        operands
    }

    fn combine(&mut self, id: ExprId, walk: &mut Walk) -> FormulaId {
        let builder = &mut self.builder;
        match self.ast.expr(id) {
            Expr::Not(_) => builder.not(walk.pop()),
            Expr::Binary(op, ..) => {
                let right = walk.pop();
                let left = walk.pop();
                match op {
                    BinaryOp::Implies => builder.implies(left, right),
                    BinaryOp::ImpliedBy => builder.implies(right, left),
                    BinaryOp::Iff | BinaryOp::Equal => builder.iff(left, right),
                    BinaryOp::Xor | BinaryOp::NotEqual => {
                        let iff = builder.iff(left, right);
                        builder.not(iff)
                    }
                    BinaryOp::Cofactor(kind) => builder.cofactor(*kind, left, right),
                    BinaryOp::And | BinaryOp::Or => unreachable!("chains are flattened"),
                }
            }
            Expr::If(_, _, Some(_)) => {
                let otherwise = walk.pop();
                let then = walk.pop();
                let condition = walk.pop();
                builder.ite(condition, then, otherwise)
            }
            Expr::If(_, _, None) => {
                let then = walk.pop();
                let condition = walk.pop();
                builder.implies(condition, then)
            }
            Expr::Case(branches) => {
                let mut result = builder.constant(false);
                for _ in branches {
                    let value = walk.pop();
                    let condition = walk.pop();
                    result = builder.ite(condition, value, result);
                }
                result
            }
            _ => unreachable!("nothing else is combined"),
        }
    }

    fn number(&mut self, number: u64, span: Span) -> FormulaId {
        if number > 1 {
            let message = format!("{number} is no Boolean; those are 0 and 1");
            self.report(codes::OUT_OF_RANGE, span, message);
        }
        self.builder.constant(number == 1)
    }

    /// A Boolean variable or a part of one, or a relation without parameters.
    fn boolean_path(&mut self, path: &Path, span: Span) -> FormulaId {
        let name = path.root;
        let is_variable = self.bindings[name.name.0 as usize].is_some();
        if !is_variable
            && path.steps.is_empty()
            && let Some(relation) = self.heads.named(name.name)
        {
            let arity = self.heads.get(relation).types.len();
            if arity > 0 {
                self.report_argument_count(relation, name, 0);
                return self.builder.constant(false);
            }
            self.heads.note_use(relation, name.span);
            return self.builder.apply(relation, Vec::new());
        }
        let named = self.named_field(path);
        let is_named = named.is_some();
        let named = match named {
            Some(named) => named,
            None => self.place(path).map_or(Operand::Wrong, Operand::Place),
        };
        let ty = match self.named_boolean(&named) {
            Ok(formula) => {
                if is_named {
                    self.spelled_out.push((span, formula));
                }
                return formula;
            }
            Err(ty) => &self.types.get(ty).name,
        };
        let message = format!("this is `{ty}`, not a Boolean");
        let diagnostic = Diagnostic::new(codes::TYPE_MISMATCH, span, message);
        self.diagnostics
            .push(diagnostic.help("compare it with something by `=`"));
        self.builder.constant(false)
    }

    fn apply(
        &mut self,
        name: Ident,
        arguments: &[ExprId],
        span: Span,
        walk: &mut Walk,
    ) -> Option<FormulaId> {
        let Some(relation) = self.heads.named(name.name) else {
            self.report_unknown_relation(name);
            return Some(self.builder.constant(false));
        };
        self.heads.note_use(relation, span);
        if self.heads.get(relation).types.len() != arguments.len() {
            self.report_argument_count(relation, name, arguments.len());
            return Some(self.builder.constant(false));
        }
        let mut bits = Vec::new();
        let mut places = Vec::new();
        let mut visits = Vec::new();
        for (index, &argument) in arguments.iter().enumerate() {
            let ty = self.heads.get(relation).types[index];
            if !self.argument(argument, ty, &mut bits) {
                places.push(bits.len());
                bits.push(ArgumentBit::Constant(false));
                visits.push(Task::Visit(argument));
            }
        }
        if visits.is_empty() {
            return Some(self.builder.apply(relation, bits));
        }
        walk.tasks.push(Task::Apply(relation, bits, places));
        walk.tasks.extend(visits.into_iter().rev());
        None
    }

    /// `R(f)` for a formula f is `exists bool x. (x <-> f) & R(x)`.
    fn apply_formulas(
        &mut self,
        relation: RelationId,
        mut bits: Vec<ArgumentBit>,
        places: &[usize],
        walk: &mut Walk,
    ) -> FormulaId {
        let formulas = walk.results.split_off(walk.results.len() - places.len());
        let mut variables = Vec::new();
        let mut parts = Vec::new();
        for (&place, formula) in places.iter().zip(formulas) {
            bits[place] = match self.builder.formulas()[formula.0 as usize] {
                Formula::Constant(value) => ArgumentBit::Constant(value),
                Formula::Bit(variable, bit) => ArgumentBit::Bit(variable, bit),
                _ => {
                    let variable = self.new_variable("argument".to_owned(), BOOL);
                    let bit = self.builder.bit(variable, 0);
                    parts.push(self.builder.iff(bit, formula));
                    variables.push(variable);
                    ArgumentBit::Bit(variable, 0)
                }
            };
        }
        parts.push(self.builder.apply(relation, bits));
        let body = self.builder.and(parts);
        self.builder.exists(variables, body)
    }

    /// Quantifies variables over those of their meaningful values that satisfy some formulas.
    fn quantify(
        &mut self,
        quantifier: Quantifier,
        variables: Vec<VariableId>,
        kept: Vec<FormulaId>,
        body: FormulaId,
    ) -> FormulaId {
        let domains = variables.iter();
        let domains = domains.filter_map(|v| self.variables[v.0 as usize].domain);
        let mut parts: Vec<FormulaId> = domains.chain(kept).collect();
        match quantifier {
            Quantifier::Exists => {
                parts.push(body);
                let body = self.builder.and(parts);
                self.builder.exists(variables, body)
            }
            Quantifier::Forall => {
                for part in &mut parts {
                    *part = self.builder.not(*part);
                }
                parts.push(body);
                let body = self.builder.or(parts);
                self.builder.forall(variables, body)
            }
        }
    }

    /// A relation of all arguments, or of some, as a closed formula.
    pub(super) fn closed(
        &mut self,
        relation: RelationId,
        name: Ident,
        quantifier: Quantifier,
    ) -> FormulaId {
        self.heads.note_use(relation, name.span);
        let copies = self.copies_of_parameters(relation);
        let mut bits = Vec::new();
        for &Binding { variable, ty } in &copies {
            if ty != WRONG {
                let all = 0..self.types.get(ty).bits;
                bits.extend(all.map(|bit| ArgumentBit::Bit(variable, bit)));
            }
        }
        let body = self.builder.apply(relation, bits);
        let variables = copies.iter().map(|copy| copy.variable).collect();
        self.quantify(quantifier, variables, Vec::new(), body)
    }

    fn report_argument_count(&mut self, relation: RelationId, name: Ident, given: usize) {
        let head = self.heads.get(relation);
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let wanted = head.types.len();
        let message = format!(
            "`{}` has {wanted} parameter{} but {given} argument{} here",
            self.text(name),
            plural(wanted),
            plural(given),
        );
        let diagnostic = Diagnostic::new(codes::WRONG_ARGUMENT_COUNT, name.span, message);
        let definition = head.name.span;
        self.diagnostics
            .push(diagnostic.also(definition, "defined here"));
    }
}
