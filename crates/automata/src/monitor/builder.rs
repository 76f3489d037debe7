//! The automaton of a monitor: states get their roles, guards their cubes, and `else` what no guard
//! covers.

use super::reader::{Declared, From, Move};
use crate::buchi::Buchi;
use crate::condition::guard_of;
use crate::formula::{FormulaId, Formulas};
use crate::guard::{Guard, TooManyCubes};
use hardbop_syntax::{Code, Diagnostic, Source, Span, codes};
use std::collections::HashMap;

/// Makes the automaton.
pub(super) struct Builder<'a> {
    source: &'a Source,
    states: &'a [Declared],
    ids: HashMap<&'a str, u32>,
    buchi: Buchi,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    /// A builder for these states.
    pub(super) fn new(source: &'a Source, states: &'a [Declared]) -> Self {
        let mut builder = Self {
            source,
            states,
            ids: HashMap::new(),
            buchi: Buchi::default(),
            diagnostics: Vec::new(),
        };
        builder.declare();
        builder
    }

    /// The automaton and what was wrong.
    pub(crate) fn finish(self) -> (Buchi, Vec<Diagnostic>) {
        (self.buchi, self.diagnostics)
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, span, message));
    }

    /// Declares the states.
    fn declare(&mut self) {
        for (index, state) in self.states.iter().enumerate() {
            let name = self.source.slice(state.name);
            if let Some(first) = self.ids.insert(name, index as u32) {
                self.ids.insert(name, first);
                let message = format!("the state `{name}` is declared twice");
                let diagnostic = Diagnostic::new(codes::MONITOR_STATE, state.name, message);
                let earlier = self.states[first as usize].name;
                self.diagnostics
                    .push(diagnostic.also(earlier, "declared here first"));
            }
            self.buchi.add_state(state.accepting);
            if state.initial {
                self.buchi.initial.push(index as u32);
            }
        }
    }

    /// There is a beginning and one aim.
    pub(crate) fn check_roles(&mut self) {
        let find = |role: fn(&Declared) -> bool| self.states.iter().find(|state| role(state));
        let target = find(|state| state.target);
        let accepting = find(|state| state.accepting);
        let place = self
            .states
            .first()
            .map_or(Span::new(0, 0), |state| state.name);
        if self.buchi.initial.is_empty() {
            self.report(codes::MONITOR_ROLES, place, "no state is `initial`");
        }
        match (target, accepting) {
            (None, None) => {
                let message = "no state is `target` or `accepting`, so nothing is looked for";
                self.report(codes::MONITOR_ROLES, place, message);
            }
            (Some(target), Some(accepting)) => {
                let message = "a monitor has `target` states or `accepting` ones, not both";
                self.diagnostics.push(
                    Diagnostic::new(codes::MONITOR_ROLES, target.name, message)
                        .also(accepting.name, "this one is `accepting`"),
                );
            }
            _ => {}
        }
    }

    pub(super) fn state(&mut self, span: Span) -> Option<u32> {
        let name = self.source.slice(span);
        let found = self.ids.get(name).copied();
        if found.is_none() {
            self.report(
                codes::MONITOR_STATE,
                span,
                format!("the monitor has no state `{name}`"),
            );
        }
        found
    }

    /// Makes the edges of all groups, and lets states without a group stay where they are.
    pub(crate) fn groups(
        &mut self,
        groups: &[From],
        conditions: &[Option<FormulaId>],
        formulas: &Formulas,
    ) {
        let mut seen: Vec<Option<Span>> = vec![None; self.states.len()];
        for group in groups {
            let Some(state) = self.state(group.state) else {
                continue;
            };
            if let Some(earlier) = seen[state as usize].replace(group.state) {
                let name = self.source.slice(group.state);
                let message = format!("the transitions of `{name}` stand behind one `from`");
                self.diagnostics.push(
                    Diagnostic::new(codes::MONITOR_STATE, group.state, message)
                        .also(earlier, "they begin here"),
                );
                continue;
            }
            if self.states[state as usize].target && !group.transitions.is_empty() {
                let message =
                    "a target state has no transitions: when it is entered, the search ends";
                self.report(codes::MONITOR_STATE, group.state, message);
            }
            if self.group(state, group, conditions, formulas).is_err() {
                self.report(
                    codes::PROPERTY_TOO_LARGE,
                    group.state,
                    TooManyCubes.to_string(),
                );
            }
        }
        for (state, seen) in seen.iter().enumerate() {
            if seen.is_none() {
                self.buchi.edges[state].insert(state as u32, Guard::always());
            }
        }
    }

    fn group(
        &mut self,
        state: u32,
        group: &From,
        conditions: &[Option<FormulaId>],
        formulas: &Formulas,
    ) -> Result<(), TooManyCubes> {
        let mut some = Guard::never();
        for (condition, movement) in &group.transitions {
            let guard = match conditions[condition.0 as usize] {
                Some(formula) => guard_of(formulas, formula)?,
                None => Guard::never(),
            };
            some = some.or(&guard)?;
            self.edges(state, &guard, movement)?;
        }
        let otherwise = group.otherwise.as_ref().unwrap_or(&Move::Stay);
        self.edges(state, &some.negated()?, otherwise)
    }

    fn edges(&mut self, state: u32, guard: &Guard, movement: &Move) -> Result<(), TooManyCubes> {
        match movement {
            Move::Stop => Ok(()),
            Move::Stay => self.buchi.add_edge(state, guard, state),
            Move::Goto(targets) => {
                for &target in targets {
                    if let Some(target) = self.state(target) {
                        self.buchi.add_edge(state, guard, target)?;
                    }
                }
                Ok(())
            }
        }
    }
}
