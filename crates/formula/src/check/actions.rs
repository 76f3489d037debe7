//! Queries and commands: what is asked, in order of the text.
//!
//! Commands about the inside of Mucke (how it iterates, what it caches, what it draws) change no
//! answer. They are collected and mentioned in one warning.

use super::Checker;
use crate::ast::{Command, CommandArgument, Expr, ExprId, Ident, Quantifier};
use crate::system::{Action, ActionKind, FormulaId, RelationId};
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span};

/// The commands that do something.
const COMMANDS: [&str; 9] = [
    "size", "ons", "list", "wit", "cex", "print", "timer", "quit", "load",
];

impl Checker<'_> {
    pub(super) fn query(&mut self, formula: ExprId) {
        let span = self.ast.span(formula);
        let formula = self.closed_formula(formula, Quantifier::Forall);
        self.act(ActionKind::Query(formula), span);
    }

    /// A formula without parameters; a relation by name is taken of all or of some arguments.
    fn closed_formula(&mut self, formula: ExprId, quantifier: Quantifier) -> FormulaId {
        self.hints.clear();
        match self.relation_name(formula) {
            Some((name, Some(relation))) => self.closed(relation, name, quantifier),
            _ => self.formula(formula),
        }
    }

    /// An expression that is nothing but a name, and the relation of that name.
    fn relation_name(&self, id: ExprId) -> Option<(Ident, Option<RelationId>)> {
        match self.ast.expr(id) {
            Expr::Path(path) if path.steps.is_empty() => {
                Some((path.root, self.heads.named(path.root.name)))
            }
            _ => None,
        }
    }

    fn act(&mut self, kind: ActionKind, span: Span) {
        self.actions.push(Action { kind, span });
    }

    pub(super) fn command(&mut self, command: &Command) {
        let name = self.text(command.name);
        let span = command.span;
        match name {
            "size" => {
                if let Some(relation) = self.only_relation(command) {
                    self.act(ActionKind::Size(relation), span);
                }
            }
            "ons" | "onsetsize" => {
                if let Some(relation) = self.only_relation(command) {
                    self.act(ActionKind::Count(relation), span);
                }
            }
            "list" => {
                if let Some(relation) = self.only_relation(command) {
                    self.act(ActionKind::List(relation), span);
                }
            }
            "wit" | "witness" => {
                if let Some(formula) = self.only_formula(command) {
                    let formula = self.closed_formula(formula, Quantifier::Exists);
                    self.act(ActionKind::Witness(formula), span);
                }
            }
            "cex" | "counterexample" => {
                if let Some(formula) = self.only_formula(command) {
                    let formula = self.closed_formula(formula, Quantifier::Forall);
                    self.act(ActionKind::Counterexample(formula), span);
                }
            }
            "print" => self.print(command),
            "timer" => match self.only_word(command) {
                // Starting anew is what one wants after a reset.
                Some("go" | "reset") => self.act(ActionKind::Timer(true), span),
                Some("stop") | None => self.act(ActionKind::Timer(false), span),
                Some(_) => self.ignore(command, "timer"),
            },
            "quit" => self.act(ActionKind::Quit, span),
            "reset" | "frontier" | "verbose" | "vis" | "visualize" | "dump" | "undump" => {
                self.ignore(command, name);
            }
            _ => {
                let message = format!("there is no command `#{name}`");
                let diagnostic =
                    Diagnostic::new(codes::UNKNOWN_COMMAND, command.name.span, message);
                self.report_unknown(diagnostic, command.name, COMMANDS.into_iter());
            }
        }
    }

    fn ignore(&mut self, command: &Command, name: &str) {
        self.note_ignored(format!("#{name}"), command.name.span);
    }

    fn note_ignored(&mut self, text: String, span: Span) {
        if self.ignored.iter().all(|(known, _)| *known != text) {
            self.ignored.push((text, span));
        }
    }

    fn print(&mut self, command: &Command) {
        let mut words = Vec::new();
        for argument in &command.arguments {
            match argument {
                CommandArgument::Text(text) => words.push(text.as_str()),
                CommandArgument::Formula(id) => match self.relation_name(*id) {
                    Some((name, _)) if self.text(name) == "statistics" => {
                        self.act(ActionKind::Statistics, command.span);
                        return;
                    }
                    _ => {
                        self.note_ignored("#print NAME".to_owned(), command.name.span);
                        return;
                    }
                },
            }
        }
        self.act(ActionKind::Print(words.join(" ")), command.span);
    }

    /// The only argument of a command, a word.
    fn only_word(&self, command: &Command) -> Option<&str> {
        match command.arguments.as_slice() {
            [] => None,
            [CommandArgument::Formula(id)] => match self.relation_name(*id) {
                Some((name, _)) => Some(self.text(name)),
                None => Some(""),
            },
            _ => Some(""),
        }
    }

    fn only_formula(&mut self, command: &Command) -> Option<ExprId> {
        if let [CommandArgument::Formula(id)] = command.arguments.as_slice() {
            return Some(*id);
        }
        let message = format!("`#{}` wants one formula", self.text(command.name));
        self.report(codes::UNKNOWN_COMMAND, command.span, message);
        None
    }

    fn only_relation(&mut self, command: &Command) -> Option<RelationId> {
        let name = match command.arguments.as_slice() {
            [CommandArgument::Formula(id)] => self.relation_name(*id),
            _ => None,
        };
        match name {
            Some((name, Some(relation))) => {
                self.heads.note_use(relation, name.span);
                return Some(relation);
            }
            Some((name, None)) => self.report_unknown_relation(name),
            None => {
                let message = format!(
                    "`#{}` wants the name of one relation",
                    self.text(command.name)
                );
                self.report(codes::UNKNOWN_COMMAND, command.span, message);
            }
        }
        None
    }

    /// One warning for all that is ignored.
    pub(super) fn report_ignored(&mut self) {
        let ast = self.ast;
        for attribute in &ast.ignored_attributes {
            self.note_ignored(format!("{{{} …}}", ast.text(*attribute)), attribute.span);
        }
        let Some((_, first)) = self.ignored.first() else {
            return;
        };
        let names: Vec<String> = self
            .ignored
            .iter()
            .map(|(text, _)| format!("`{text}`"))
            .collect();
        let verb = if names.len() == 1 { "does" } else { "do" };
        let message = format!("{} {verb} nothing here", names.join(", "));
        self.report(codes::COMMAND_IGNORED, *first, message);
    }
}
