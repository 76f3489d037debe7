//! A program as a formula in a file: Leino's equations to read, or as clauses for any SAT solver.
//!
//! The closure is completed first, so that every term has its equation; a search would stop as soon
//! as it knows. The clauses are those of [`crate::search::equations`] with the start asserted and
//! circular support excluded ([`ranks`]): they have a solution iff some target is reached. Calls
//! within a component of the call graph nest as deep as the engine's bound says; what is deeper is
//! left out, and the file says so.

mod names;
mod ranks;

use crate::encoding::blocks::Blocks;
use crate::encoding::closure::Closure;
use crate::encoding::evaluate::Trouble;
use crate::encoding::terms::{HopKind, TermId};
use crate::engine::SatEngine;
use crate::search::equations::{Equations, Goal, START, Triple};
use hardbop_bdd::Manager;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Budget, Limit};
use hardbop_sat::Cnf;
use hardbop_symbolic::{limit_reached, node_limit};
use names::Names;
use std::fmt::Write;

/// Terms between two questions to the interrupt.
const TERMS_PER_INTERRUPT_CHECK: usize = 64;

/// A comment of clauses in which deep calls are missing: that they have no solution says nothing.
pub const LEFT_OUT: &str = "recursive calls that nest deeper than the bound are left out";

/// What a program comes to as a formula.
#[derive(Clone, Debug)]
pub struct Characterization {
    /// The equations of function terms, to read.
    pub equations: String,
    /// The clauses, in DIMACS format, with comments that say what variables stand for.
    pub dimacs: String,
    /// How many function terms there are.
    pub terms: usize,
    /// Whether calls that nest deeper than the bound were left out.
    pub is_bounded: bool,
}

impl SatEngine {
    /// The characterization of a sequential program: whether one of the nodes is reached.
    pub fn characterize(
        &self,
        machine: &Machine,
        targets: &[NodeId],
        budget: &Budget<'_>,
    ) -> Result<Characterization, Limit> {
        let interrupt = || budget.interrupt.check().is_some();
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let blocks = Blocks::new(machine, targets);
        let closure = Closure::new(blocks, manager, self.split, self.name_nodes, 1);
        let mut closure = closure.map_err(|why| limit_reached(why, budget))?;
        let mut depth = 1;
        loop {
            complete(&mut closure, budget)?;
            if closure.postponed.is_empty() || depth >= self.inline_depth {
                break;
            }
            depth = (depth * 2).min(self.inline_depth);
            closure.deepen(depth);
        }
        let mut equations = Equations::new(Cnf::default(), targets);
        equations.take_up(&mut closure);
        equations.close(&closure);
        let is_bounded = !closure.postponed.is_empty();
        Ok(Characterization {
            equations: readable(&closure, &equations, targets),
            terms: closure.terms.len(),
            dimacs: clauses(&closure, equations, targets, is_bounded),
            is_bounded,
        })
    }
}

fn complete(closure: &mut Closure<'_, '_>, budget: &Budget<'_>) -> Result<(), Limit> {
    let mut number = 0;
    while let Some(id) = closure.pending.pop_front() {
        number += 1;
        if number % TERMS_PER_INTERRUPT_CHECK == 0
            && let Some(why) = budget.interrupt.check()
        {
            return Err(why);
        }
        let terms = closure.terms.len() as u64;
        if budget.states.is_some_and(|limit| terms > limit) {
            return Err(Limit::States);
        }
        closure.expand(id).map_err(|trouble| match trouble {
            Trouble::Exhausted(why) => limit_reached(why, budget),
            Trouble::TooManyCases | Trouble::Flows(_) => Limit::States,
        })?;
    }
    Ok(())
}

/// The clauses: the start goes wrong, and everything that does has a reason.
fn clauses(
    closure: &Closure<'_, '_>,
    mut equations: Equations<Cnf>,
    targets: &[NodeId],
    is_bounded: bool,
) -> String {
    for id in 0..equations.triples().len() as u32 {
        let Triple { literal, open, .. } = equations.triples()[id as usize];
        if !equations.is_settled(id) {
            equations.circuit().require(!literal);
        }
        if let Some(open) = open {
            equations.circuit().require(!open);
        }
    }
    ranks::require_foundation(&mut equations);
    let start = equations.triples()[START as usize].literal;
    equations.circuit().require(start);
    let mut names = Names::new(closure);
    let machine = closure.blocks.machine;
    let mut comments = vec![
        format!(
            "{}: satisfiable if a target is reached",
            machine.source.name()
        ),
        "after Leino, A SAT characterization of boolean-program correctness".to_owned(),
    ];
    if is_bounded {
        comments.push(LEFT_OUT.to_owned());
    }
    for (variable, about) in names.symbols() {
        if let Some(literal) = equations.symbol(variable) {
            let symbol = names.symbol(variable);
            comments.push(format!("{} {symbol}: {about}", Cnf::number(literal)));
        }
    }
    for &target in targets {
        if let Some(literal) = equations.target(target) {
            let place = names.place(target);
            comments.push(format!("{} a target counts: {place}", Cnf::number(literal)));
        }
    }
    for triple in equations.triples() {
        let number = Cnf::number(triple.literal);
        let term = names.term(triple.term);
        let about = match triple.goal {
            Goal::Target => "goes wrong".to_owned(),
            Goal::Exit(exit) => format!("ends in t{}", exit.0),
        };
        comments.push(format!(
            "{number} {}: {term} {about}",
            Names::triple(triple)
        ));
    }
    let functions = names.definitions.iter();
    comments.extend(functions.map(|line| format!("where {line}")));
    equations.circuit().solver().dimacs(&comments)
}

/// The equations as text.
fn readable(closure: &Closure<'_, '_>, equations: &Equations<Cnf>, targets: &[NodeId]) -> String {
    let machine = closure.blocks.machine;
    let mut names = Names::new(closure);
    let mut text = format!(
        "// {}: t0 holds if a target can be reached. A term t holds if execution can go wrong from its\n\
         // block, with these values of its arguments; t>u holds if it can end the procedure in u.\n",
        machine.source.name()
    );
    let symbols = names.symbols();
    for (variable, about) in symbols {
        let _ = writeln!(text, "// {}: {about}", names.symbol(variable));
    }
    let mut body = String::new();
    for (id, triple) in (0..).zip(equations.triples()) {
        if triple.goal == Goal::Exit(triple.term) {
            continue;
        }
        if triple.goal == Goal::Target {
            let _ = writeln!(body, "// t{} is {}", triple.term.0, names.term(triple.term));
        }
        let right = if equations.is_settled(id) {
            right_side(closure, triple, targets, &mut names)
        } else {
            "0  // deeper than the bound".to_owned()
        };
        let _ = writeln!(body, "{} = {right}", Names::triple(triple));
    }
    for definition in &names.definitions {
        let _ = writeln!(text, "{definition}");
    }
    text + &body
}

/// The disjunction of the ways in which a triple's goal is reached.
fn right_side(
    closure: &Closure<'_, '_>,
    triple: &Triple,
    targets: &[NodeId],
    names: &mut Names<'_, '_, '_>,
) -> String {
    let term = closure.terms.get(triple.term);
    let mut ways = Vec::new();
    if triple.goal == Goal::Target && targets.contains(&term.node) {
        ways.push("1".to_owned());
    }
    let goes_on = |to: TermId| match triple.goal {
        Goal::Target => Some(format!("t{}", to.0)),
        Goal::Exit(exit) if exit == to => None,
        Goal::Exit(exit) => Some(format!("t{}>t{}", to.0, exit.0)),
    };
    for hop in &term.hops {
        let mut parts = Vec::new();
        if !hop.condition.is_true() {
            parts.push(names.function(hop.condition));
        }
        match hop.kind {
            HopKind::Call(_) if triple.goal != Goal::Target => continue,
            HopKind::Step | HopKind::Call(_) => {}
            HopKind::Return(exit) => {
                let instance = closure.terms.get(exit).instance;
                let entry = closure.terms.instance(instance).entry;
                if entry != exit {
                    parts.push(format!("t{}>t{}", entry.0, exit.0));
                }
            }
        }
        parts.extend(goes_on(hop.to));
        ways.push(if parts.is_empty() {
            "1".to_owned()
        } else {
            parts.join(" & ")
        });
    }
    if ways.is_empty() {
        return "0".to_owned();
    }
    ways.join(" | ")
}
