//! Which variables are tracked: as few as the question takes.
//!
//! A variable that is not tracked can be read as a choice of the step that reads it. That adds runs
//! and takes none away, so "unreachable" stays true, with its certificate, and a run has to be
//! tried ([`super::window`]); if it cannot be taken, the variables that say why are tracked from
//! then on.

use super::Visible;
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Machine, ProcId, Variable};
use std::rc::Rc;

/// Some of the variables that can have to do with the targets.
#[derive(Clone, Debug)]
pub(crate) struct Precision {
    /// What can have to do with the targets.
    pub(super) slice: Rc<Slice>,
    tracked: Visible,
}

impl Precision {
    /// The relevant ones of a set.
    pub(crate) fn new(machine: &Machine, slice: Rc<Slice>, visible: &Visible) -> Self {
        let tracked = Visible::such_that(machine, |procedure, variable| {
            slice.relevant(procedure, variable) && visible.contains(procedure, variable)
        });
        Self { slice, tracked }
    }

    /// The tracked variables.
    pub(crate) fn tracked(&self) -> &Visible {
        &self.tracked
    }

    /// Tracks some variables from now on, if they are relevant.
    pub(crate) fn track_each(&mut self, variables: &[(ProcId, Variable)]) {
        for &(procedure, variable) in variables {
            if self.slice.relevant(procedure, variable) {
                self.tracked.insert(procedure, variable);
            }
        }
    }

    /// Whether a variable is relevant but not tracked.
    pub(crate) fn lacks(&self, procedure: ProcId, variable: Variable) -> bool {
        self.slice.relevant(procedure, variable) && !self.tracked.contains(procedure, variable)
    }

    /// Whether every relevant variable is tracked.
    pub(crate) fn is_exact(&self) -> bool {
        self.tracked.count() == self.slice.relevant_count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::{GlobalId, from_text};

    #[test]
    fn every_relevant_variable_that_a_core_names_is_tracked() {
        let text = "decl bad, a, b, c; void main() begin c := a; bad := a & b; assert(!bad); end";
        let machine = from_text("t.bp", text).unwrap();
        let slice = Slice::new(&machine, &[machine.assertions[0].failure]);
        let named = [0, 1, 2, 3].map(|id| (ProcId(0), Variable::Global(GlobalId(id))));
        let mut precision = Precision::new(&machine, Rc::new(slice), &Visible::nothing(&machine));
        let lacks = |precision: &Precision| named.map(|(p, v)| precision.lacks(p, v));
        assert_eq!(lacks(&precision), [true, true, true, false]);
        precision.track_each(&named[..2]);
        assert_eq!(lacks(&precision), [false, false, true, false]);
        precision.track_each(&named);
        assert!(precision.is_exact());
    }
}
