//! Formulas of branching time (CTL) as users write them.
//!
//! A formula is about a *state* of the program, its whole stack included: `E` says that some run
//! from there, and `A` that every run, does what the temporal operator behind it says. What is a
//! run, and how one that ends goes on, is as for linear time (see [`crate::propositions`]); a
//! program satisfies a formula if every state does in which a run begins.
//!
//! The text is read by the parser of linear time with two operators more, so `AG EF at(L)` and
//! `A G E F at(L)` are the same, and brackets are parentheses: `E[p U q]`. Then a quantifier has
//! to stand before each temporal operator, and before nothing else.

use crate::formula::{Formula, FormulaId, Formulas};
use crate::ltl::{MAX_PARTS, ParsedLtl, too_large};
use crate::property::{Property, PropertyText};
use crate::propositions::Propositions;
use crate::text::expressions::Parser;
use crate::text::lexer::TokenKind;
use crate::text::resolve::Resolver;
use crate::text::tree::{Tree, TreeKind};
use hardbop_machine::Machine;
use hardbop_syntax::{Diagnostic, Source, Span, codes};

/// A formula about a state: index into [`Ctl::formulas`].
pub type StateId = usize;

/// A formula about a state, in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StateFormula {
    /// Holds everywhere, or nowhere.
    Constant(bool),
    /// A proposition or its negation.
    Literal {
        /// Which proposition.
        proposition: u32,
        /// Whether it has to hold.
        positive: bool,
    },
    /// All of these.
    And(Vec<StateId>),
    /// Some of these.
    Or(Vec<StateId>),
    /// Something about the runs that begin here.
    Runs {
        /// Whether all of them do it, or one.
        all: bool,
        /// What they do.
        path: PathFormula,
    },
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathFormula {
    /// It holds at the next state.
    Next(StateId),
    /// The second holds at some state, and until then the first.
    Until(StateId, StateId),
    /// The second holds up to and including the state where the first does, or for ever.
    Release(StateId, StateId),
}

/// A formula about one program.
#[derive(Clone, Debug)]
pub struct Ctl {
    /// The formula as it was written.
    pub text: PropertyText,
    /// What it speaks of.
    pub propositions: Propositions,
    /// The formula, its negation, and all their parts; operands stand before their users.
    pub formulas: Vec<StateFormula>,
    /// The formula.
    pub root: StateId,
    /// Its negation.
    pub negation: StateId,
    /// The same as a formula of linear time, where one run can settle it.
    linear: Option<Linear>,
}

/// What one run can show.
#[derive(Clone, Debug)]
struct Linear {
    formulas: Formulas,
    root: FormulaId,
    shows: Shows,
    span: Span,
}

/// What a run can show about a formula of branching time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// That a state does not satisfy it: there is only `A` in it.
    Violation,
    /// That a state does: there is only `E` in it.
    Satisfaction,
}

impl PathFormula {
    /// Its operands.
    pub fn operands(self) -> Vec<StateId> {
        match self {
            PathFormula::Next(operand) => vec![operand],
            PathFormula::Until(a, b) | PathFormula::Release(a, b) => vec![a, b],
        }
    }
}

/// Reads a formula about a program. The text is a source of its own, to which the diagnostics
/// refer.
pub fn read_ctl(source: &Source, machine: &Machine) -> Result<Ctl, Vec<Diagnostic>> {
    let whole = Span::new(0, source.text().len() as u32);
    let mut parser = Parser::branching(source, whole);
    let root = parser.expression();
    if parser.diagnostics.is_empty() && parser.current.kind != TokenKind::End {
        parser.expected("an operator");
    }
    if parser.tree.nodes.len() > MAX_PARTS {
        let message = format!("the formula has more than {MAX_PARTS} parts");
        return Err(too_large(whole, message));
    }
    let mut diagnostics = parser.diagnostics;
    if diagnostics.is_empty() {
        diagnostics = misplaced_operators(&parser.tree);
    }
    let mut resolver = Resolver::new(machine, source);
    let values = resolver.resolve(&parser.tree, true);
    let formula = resolver.require_condition(&parser.tree, root, &values);
    diagnostics.append(&mut resolver.diagnostics);
    let (Some(root), true) = (formula, diagnostics.is_empty()) else {
        return Err(diagnostics);
    };
    let mut formulas = resolver.formulas;
    let negation = formulas.not(root);
    let (table, places) = state_formulas(&formulas, &[root, negation]);
    let text = PropertyText::Ctl {
        formula: source.text().to_owned(),
    };
    Ok(Ctl {
        text,
        propositions: resolver.propositions,
        root: places[root.index()],
        negation: places[negation.index()],
        formulas: table,
        linear: linear(&formulas, root, whole),
    })
}

/// Temporal operators without a quantifier, and quantifiers before something else.
fn misplaced_operators(tree: &Tree) -> Vec<Diagnostic> {
    let is_temporal = |kind: TreeKind| match kind {
        TreeKind::Unary(op, _) => op.is_temporal(),
        TreeKind::Binary(op, ..) => op.is_temporal(),
        _ => false,
    };
    let mut is_quantified = vec![false; tree.nodes.len()];
    let mut diagnostics = Vec::new();
    for node in &tree.nodes {
        if let TreeKind::Unary(op, operand) = node.kind
            && op.is_path_quantifier()
        {
            is_quantified[operand.0 as usize] = true;
            if !is_temporal(tree.node(operand).kind) {
                let message = "a path quantifier needs a temporal operator behind it";
                let help = "write `EX p`, `EF p`, `EG p` or `E[p U q]`, and the same with `A`";
                let diagnostic = Diagnostic::new(codes::PROPERTY_SYNTAX, node.span, message);
                diagnostics.push(diagnostic.help(help));
            }
        }
    }
    for (node, is_quantified) in tree.nodes.iter().zip(is_quantified) {
        if is_temporal(node.kind) && !is_quantified {
            let message = "a temporal operator of branching time needs a path quantifier";
            let help = "write `A` before it for all runs, or `E` for some run";
            let diagnostic = Diagnostic::new(codes::PROPERTY_SYNTAX, node.span, message);
            diagnostics.push(diagnostic.help(help));
        }
    }
    diagnostics
}

/// The state formulas below some roots, and the place of each in the table.
fn state_formulas(formulas: &Formulas, roots: &[FormulaId]) -> (Vec<StateFormula>, Vec<StateId>) {
    let mut is_needed = vec![false; formulas.len()];
    let mut pending = roots.to_vec();
    while let Some(id) = pending.pop() {
        if !std::mem::replace(&mut is_needed[id.index()], true) {
            pending.extend(formulas.get(id).operands());
        }
    }
    let mut table = Vec::new();
    let mut places = vec![usize::MAX; formulas.len()];
    // Operands have smaller ids than their users.
    for id in (0..formulas.len()).filter(|&id| is_needed[id]) {
        let place = |id: &FormulaId| places[id.index()];
        let formula = match formulas.get(FormulaId::new(id)) {
            Formula::True => StateFormula::Constant(true),
            Formula::False => StateFormula::Constant(false),
            &Formula::Literal {
                proposition,
                positive,
            } => StateFormula::Literal {
                proposition,
                positive,
            },
            Formula::And(operands) => StateFormula::And(operands.iter().map(place).collect()),
            Formula::Or(operands) => StateFormula::Or(operands.iter().map(place).collect()),
            quantified @ (Formula::Exists(path) | Formula::Forall(path)) => {
                let path = match formulas.get(*path) {
                    Formula::Next(operand) => PathFormula::Next(place(operand)),
                    Formula::Until(kept, goal) => PathFormula::Until(place(kept), place(goal)),
                    Formula::Release(releasing, kept) => {
                        PathFormula::Release(place(releasing), place(kept))
                    }
                    // The operators of a path were simplified away, and what is left is about a
                    // state.
                    _ => {
                        places[id] = place(path);
                        continue;
                    }
                };
                let all = matches!(quantified, Formula::Forall(_));
                StateFormula::Runs { all, path }
            }
            // A path has its place in the state formula that quantifies it.
            Formula::Next(_) | Formula::Until(..) | Formula::Release(..) => continue,
        };
        places[id] = table.len();
        table.push(formula);
    }
    (table, places)
}

/// The formula without its quantifiers, if all are the same: if a state satisfies a formula with `A`
/// alone, all its runs satisfy what is left without them (by induction over the formula). So one
/// that does not is a counterexample; and dually for `E`.
fn linear(formulas: &Formulas, root: FormulaId, span: Span) -> Option<Linear> {
    let mut plain = Formulas::default();
    let mut places: Vec<Option<FormulaId>> = vec![None; formulas.len()];
    let (mut some, mut all) = (false, false);
    let mut pending = vec![root];
    while let Some(&id) = pending.last() {
        let formula = formulas.get(id);
        let operands = formula.operands();
        let missing = operands.iter().filter(|o| places[o.index()].is_none());
        let missing: Vec<FormulaId> = missing.copied().collect();
        if !missing.is_empty() {
            pending.extend(missing);
            continue;
        }
        pending.pop();
        let of = |id: &FormulaId| places[id.index()].expect("none is missing");
        let operands: Vec<FormulaId> = operands.iter().map(of).collect();
        let made = match formula {
            Formula::True => Formulas::TRUE,
            Formula::False => Formulas::FALSE,
            &Formula::Literal {
                proposition,
                positive,
            } => {
                let literal = plain.proposition(proposition);
                if positive {
                    literal
                } else {
                    plain.not(literal)
                }
            }
            Formula::And(_) => plain.and(operands),
            Formula::Or(_) => plain.or(operands),
            Formula::Next(_) => plain.next(operands[0]),
            Formula::Until(..) => plain.until(operands[0], operands[1]),
            Formula::Release(..) => plain.release(operands[0], operands[1]),
            Formula::Exists(_) | Formula::Forall(_) => {
                some |= matches!(formula, Formula::Exists(_));
                all |= matches!(formula, Formula::Forall(_));
                operands[0]
            }
        };
        places[id.index()] = Some(made);
    }
    let root = places[root.index()]?;
    let (shows, root) = match (some, all) {
        (true, true) => return None,
        (true, false) => (Shows::Satisfaction, plain.not(root)),
        (false, _) => (Shows::Violation, root),
    };
    Some(Linear {
        formulas: plain,
        root,
        shows,
        span,
    })
}

impl Ctl {
    /// Reads a formula about a program.
    pub fn read(machine: &Machine, formula: &str) -> Result<Self, crate::PropertyErrors> {
        let source = Source::new("--ctl", formula);
        read_ctl(&source, machine).map_err(|diagnostics| crate::PropertyErrors {
            text: source,
            diagnostics,
        })
    }

    /// What a single run can show about the formula, if anything.
    pub fn shown_by_run(&self) -> Option<Shows> {
        self.linear.as_ref().map(|linear| linear.shows)
    }

    /// The runs that show it; nothing if there are none or their automaton is too large.
    pub fn telling_runs(&self) -> Option<Property> {
        let linear = self.linear.clone()?;
        let parsed = ParsedLtl {
            propositions: self.propositions.clone(),
            formulas: linear.formulas,
            root: linear.root,
            span: linear.span,
        };
        Some(Property::violating(
            self.text.clone(),
            parsed.translate().ok()?,
        ))
    }
}
