//! What is asked of a machine: places or a property, how far to look, and which run is wanted.

use crate::bound::Bound;
use crate::target::Target;
use hardbop_automata::{Ctl, Property, PropertyText, Translated};
use hardbop_machine::{Machine, NodeId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A question. Whoever answers obeys every part of it or declines.
#[derive(Clone, Debug)]
pub struct Question {
    /// What it is about.
    pub subject: Subject,
    /// How far to look; without a bound an answer is about all runs.
    pub bound: Option<Bound>,
    /// Which run is wanted where there is one.
    pub wanted: WantedRun,
    /// Whether a search may end as soon as one of the places is reached, with the others left open.
    pub one_is_enough: bool,
}

/// What a question is about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Can these places be reached? Each is answered.
    Reach(Vec<Target>),
    /// Is there a run of the kind that a property describes?
    Property(Arc<Property>),
    /// Does every state in which a run begins satisfy a formula of branching time?
    Branching(Arc<Ctl>),
}

/// One item of a question, as its answer names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asked {
    /// A place.
    Target(Target),
    /// A property of runs, or a formula of branching time.
    Property(PropertyText),
}

/// Which run is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WantedRun {
    /// The first that is found.
    Any,
    /// A short one, shortest where that is affordable.
    #[default]
    Short,
    /// A shortest one, whatever it takes.
    Shortest,
}

impl Question {
    /// Whether places can be reached.
    pub fn reach(targets: Vec<Target>) -> Self {
        Self {
            subject: Subject::Reach(targets),
            bound: None,
            wanted: WantedRun::default(),
            one_is_enough: false,
        }
    }

    /// Whether any assertion of the program fails.
    pub fn assertions(machine: &Machine) -> Self {
        Self::reach(Target::assertions(machine))
    }

    /// Whether a label is reached; see [`Target::labels`].
    pub fn label(machine: &Machine, text: &str) -> Self {
        Self::reach(Target::labels(machine, text))
    }

    /// Whether a statement on a line is reached.
    pub fn line(machine: &Machine, line: u32) -> Self {
        Self::reach(Target::on_line(machine, line))
    }

    /// Whether assertions fail and labels are reached, all of them.
    pub fn every_target(machine: &Machine) -> Self {
        Self::reach(Target::all(machine))
    }

    /// Whether there is a run that a property describes.
    pub fn property(property: Property) -> Self {
        Self {
            subject: Subject::Property(Arc::new(property)),
            ..Self::reach(Vec::new())
        }
    }

    /// Whether every state in which a run begins satisfies a formula of branching time.
    pub fn branching(formula: Ctl) -> Self {
        Self {
            subject: Subject::Branching(Arc::new(formula)),
            ..Self::reach(Vec::new())
        }
    }

    /// The question of a text that has been read.
    pub fn translated(translated: Translated) -> Self {
        match translated {
            Translated::Runs(property) => Self::property(*property),
            Translated::States(formula) => Self::branching(*formula),
        }
    }

    /// The same about runs within a bound.
    #[must_use]
    pub fn within(self, bound: impl Into<Option<Bound>>) -> Self {
        Self {
            bound: bound.into(),
            ..self
        }
    }

    /// The same with a wish for a run.
    #[must_use]
    pub fn wanting(self, wanted: WantedRun) -> Self {
        Self { wanted, ..self }
    }

    /// The same where one place that is reached is enough.
    #[must_use]
    pub fn until_one_is_reached(self) -> Self {
        Self {
            one_is_enough: true,
            ..self
        }
    }

    /// The same about other places.
    #[must_use]
    pub fn about(&self, targets: Vec<Target>) -> Self {
        Self {
            subject: Subject::Reach(targets),
            ..self.clone()
        }
    }

    /// The places that are asked for; none if the question is about a property.
    pub fn targets(&self) -> &[Target] {
        match &self.subject {
            Subject::Reach(targets) => targets,
            Subject::Property(_) | Subject::Branching(_) => &[],
        }
    }

    /// Their nodes, in order and each once.
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.targets().iter().map(|target| target.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The items that have to be answered, in order.
    pub fn asked(&self) -> Vec<Asked> {
        match &self.subject {
            Subject::Reach(targets) => targets.iter().cloned().map(Asked::Target).collect(),
            Subject::Property(property) => vec![Asked::Property(property.text.clone())],
            Subject::Branching(formula) => vec![Asked::Property(formula.text.clone())],
        }
    }

    /// The property, if the question is about one.
    pub fn as_property(&self) -> Option<&Property> {
        match &self.subject {
            Subject::Reach(_) | Subject::Branching(_) => None,
            Subject::Property(property) => Some(property),
        }
    }

    /// The formula of branching time, if the question is about one.
    pub fn as_branching(&self) -> Option<&Ctl> {
        match &self.subject {
            Subject::Reach(_) | Subject::Property(_) => None,
            Subject::Branching(formula) => Some(formula),
        }
    }
}

impl Asked {
    /// The place, if it is one.
    pub fn target(&self) -> Option<&Target> {
        match self {
            Asked::Target(target) => Some(target),
            Asked::Property(_) => None,
        }
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Asked::Target(target) => write!(f, "{target}"),
            Asked::Property(property) => write!(f, "{property}"),
        }
    }
}
