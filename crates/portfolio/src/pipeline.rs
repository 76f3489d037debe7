//! A way to answer a question as a value: named passes, and an engine at the end.
//!
//! A plan is a list of pipelines such as `[product, domains, refine(variables), summary]`.
//! Machine passes come first: each replaces the machine and the question by others, and translates
//! the answer back ([`Transform`]). Refinements follow: each wraps the engine in a loop. Passes have
//! names, so that a plan can be printed and any pass switched off.
//!
//! **A pass declares what it preserves.** [`Pipeline::new`] refuses a list in which a pass breaks
//! what the question needs. Smaller integers, for example, preserve which places can be reached, but
//! a property may compare an integer with a constant that the program never mentions.

use crate::engines::EngineName;
use crate::options::Options;
use hardbop_machine::Machine;
use hardbop_outcome::engine::takes_only_reachability;
use hardbop_outcome::{Bound, Budget, Declined, Engine, Question, Subject, WantedRun};
use hardbop_transform::Transform;
use hardbop_transform::domains::reduce;
use hardbop_transform::hide::{FewVariables, Tracking};
use hardbop_transform::liveness::WithLiveness;
use hardbop_transform::predicates::WithPredicates;
use hardbop_transform::product::{is_about_safety, product};
use hardbop_transform::sequentialize::sequentialize;

/// A pass of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pass {
    /// The program combined with the automaton of a safety property.
    Product,
    /// Threads one after the other, for a number of rounds.
    Sequentialize,
    /// Integers reduced to the values that the program can distinguish.
    Domains,
    /// Fair loops as places that can be reached, with few variables compared at first.
    Liveness,
    /// Predicates about words, found as they are needed.
    Predicates,
    /// Few variables at first, then those that are needed.
    Variables,
}

/// What a question depends on, or a pass leaves as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a kind of question of its own"
)]
pub struct Preserved {
    /// Which places can be reached.
    pub reachability: bool,
    /// Which states follow each other in one step, and what a property may say of them.
    pub next_steps: bool,
    /// Which executions are infinite.
    pub infinite_runs: bool,
    /// Which steps a state has to choose from.
    pub branching: bool,
}

impl Preserved {
    const REACHABILITY: Self = Self {
        reachability: true,
        next_steps: false,
        infinite_runs: false,
        branching: false,
    };

    /// What the answer to a question depends on.
    pub fn needed_by(question: &Question) -> Self {
        let (is_property, is_branching) = match question.subject {
            Subject::Reach(_) => (false, false),
            Subject::Property(_) => (true, false),
            Subject::Branching(_) => (true, true),
        };
        Self {
            reachability: true,
            next_steps: is_property,
            infinite_runs: is_property && !is_safety(question),
            branching: is_branching,
        }
    }

    /// The first part that is needed and not there.
    fn lacks(self, needed: Self) -> Option<&'static str> {
        let parts = [
            (needed.reachability && !self.reachability, "reachability"),
            (needed.next_steps && !self.next_steps, "single steps"),
            (
                needed.infinite_runs && !self.infinite_runs,
                "infinite executions",
            ),
            (needed.branching && !self.branching, "branching"),
        ];
        parts.into_iter().find_map(|(is, what)| is.then_some(what))
    }
}

/// Whether a question is about a property that finite executions violate.
pub(crate) fn is_safety(question: &Question) -> bool {
    let property = question.as_property();
    property.is_some_and(is_about_safety)
}

/// A machine and a question that a pass has made.
pub(crate) type MadeByPass = Box<dyn Transform + Send + Sync>;

impl Pass {
    /// All passes, in the order in which a pipeline may have them.
    pub const ALL: [Self; 6] = [
        Self::Product,
        Self::Sequentialize,
        Self::Domains,
        Self::Liveness,
        Self::Predicates,
        Self::Variables,
    ];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Sequentialize => "sequentialize",
            Self::Domains => "domains",
            Self::Liveness => "liveness",
            Self::Predicates => "predicates",
            Self::Variables => "variables",
        }
    }

    /// The pass of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pass| pass.as_str() == name)
    }

    /// What is the same before and after it.
    pub fn preserves(self) -> Preserved {
        match self {
            // It is the question that changes: the executions are those of the program, with
            // additional steps in which only the automaton moves.
            Self::Product
            | Self::Sequentialize
            | Self::Domains
            | Self::Liveness
            | Self::Predicates
            | Self::Variables => Preserved::REACHABILITY,
        }
    }

    /// Whether it wraps the engine in a loop, and does not make a machine itself.
    pub fn is_refinement(self) -> bool {
        matches!(self, Self::Liveness | Self::Predicates | Self::Variables)
    }

    /// Whether it makes a question about places of one about a property that finite executions
    /// violate.
    fn answers_safety(self) -> bool {
        self == Self::Product
    }

    /// Whether it makes questions about places of one about infinite executions.
    fn answers_infinite_runs(self) -> bool {
        self == Self::Liveness
    }

    /// The machine and the question that it makes; `None` if it would change nothing.
    pub(crate) fn make(
        self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
    ) -> Result<Option<MadeByPass>, Declined> {
        match self {
            Self::Product => Ok(Some(Box::new(product(machine, question)?))),
            Self::Sequentialize => {
                takes_only_reachability(question)?;
                let Some(Bound::Rounds(rounds)) = question.bound else {
                    return Declined::because("questions without a number of rounds");
                };
                match sequentialize(machine, question, rounds, budget.threads()) {
                    Ok(sequential) => Ok(Some(Box::new(sequential))),
                    Err(refused) => Declined::because(refused.to_string()),
                }
            }
            Self::Domains => Ok(reduce(machine, question).map(|made| Box::new(made) as MadeByPass)),
            Self::Liveness | Self::Predicates | Self::Variables => Ok(None),
        }
    }

    /// The engine in the loop of a refinement.
    fn around(self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        match self {
            Self::Variables => Box::new(FewVariables {
                engine,
                tries_all: true,
            }),
            Self::Liveness => Box::new(WithLiveness { engine }),
            Self::Predicates => {
                let second = EngineName::Explicit.bare(&Options::default());
                Box::new(WithPredicates::new(engine).with_second(second))
            }
            Self::Product | Self::Sequentialize | Self::Domains => engine,
        }
    }
}

impl std::fmt::Display for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Passes, and the engine at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The name under which it is chosen, and answers.
    pub name: EngineName,
    passes: Vec<Pass>,
}

/// Why there is no such pipeline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenPipeline {
    /// A pass does not preserve what the question is about.
    #[error("pass `{pass}` does not preserve {what}, which the question is about")]
    NotPreserved {
        /// The pass.
        pass: Pass,
        /// What it may change.
        what: &'static str,
    },
    /// A pass that makes a machine follows one that wraps the engine.
    #[error("pass `{pass}` comes after a refinement")]
    OutOfOrder {
        /// The pass.
        pass: Pass,
    },
}

impl Pipeline {
    /// The passes and the engine, if together they answer the question that was asked.
    pub fn new(
        name: EngineName,
        passes: Vec<Pass>,
        question: &Question,
    ) -> Result<Self, BrokenPipeline> {
        let mut needed = Preserved::needed_by(question);
        let mut is_safety = is_safety(question);
        let mut refines = false;
        for &pass in &passes {
            if refines && !pass.is_refinement() {
                return Err(BrokenPipeline::OutOfOrder { pass });
            }
            refines |= pass.is_refinement();
            if is_safety && pass.answers_safety() {
                is_safety = false;
                needed = Preserved::REACHABILITY;
            }
            if needed.infinite_runs && !needed.branching && pass.answers_infinite_runs() {
                needed = Preserved::REACHABILITY;
            }
            if let Some(what) = pass.preserves().lacks(needed) {
                return Err(BrokenPipeline::NotPreserved { pass, what });
            }
        }
        Ok(Self { name, passes })
    }

    /// The passes in order.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// Those that make machines.
    pub(crate) fn machine_passes(&self) -> impl Iterator<Item = Pass> {
        let passes = self.passes.iter().copied();
        passes.take_while(|pass| !pass.is_refinement())
    }

    /// The engine in its loops, set up as the options say, to be asked about the machine that the
    /// other passes make.
    pub(crate) fn engine(&self, options: &Options) -> Box<dyn Engine> {
        refined(self.name, &self.passes, options)
    }
}

/// The engine of a pipeline in the loops that are among some passes.
pub(crate) fn refined(name: EngineName, passes: &[Pass], options: &Options) -> Box<dyn Engine> {
    let mut engine = name.at_the_end().bare(options);
    for pass in passes.iter().rev() {
        engine = pass.around(engine);
    }
    engine
}

impl std::fmt::Display for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[")?;
        for pass in &self.passes {
            if pass.is_refinement() {
                write!(f, "refine({pass}), ")?;
            } else {
                write!(f, "{pass}, ")?;
            }
        }
        write!(f, "{}]", self.name.at_the_end())
    }
}

/// When passes are used: what is asked, of which program, with which options.
#[derive(Clone, Copy)]
pub(crate) struct Circumstances<'c> {
    pub machine: &'c Machine,
    pub question: &'c Question,
    pub options: &'c Options,
    /// Whether all engines are compared.
    pub compares: bool,
}

impl Circumstances<'_> {
    /// The passes of an engine that are of use.
    pub(crate) fn passes(&self, name: EngineName) -> Vec<Pass> {
        let mut passes = name.passes();
        passes.retain(|&pass| self.uses(name, pass));
        passes
    }

    /// The passes that the choice of engines looks through.
    pub(crate) fn first_passes(&self) -> Vec<Pass> {
        let mut passes = vec![Pass::Product, Pass::Domains];
        passes.retain(|&pass| self.uses(EngineName::Summary, pass));
        passes
    }

    fn uses(&self, name: EngineName, pass: Pass) -> bool {
        let options = self.options;
        let is_sequential = self.machine.is_sequential();
        // An algorithm of the user may look at any variable.
        let is_about_all = name == EngineName::Calculus && options.is_about_all_variables();
        let is_product = is_safety(self.question)
            && is_sequential
            && self.question.bound.is_none()
            && self.question.wanted != WantedRun::Shortest
            && !is_about_all
            // Engines that take properties themselves are compared as they are.
            && !(self.compares && name == EngineName::Explicit);
        let is_liveness = self.question.as_property().is_some()
            && !is_safety(self.question)
            && is_sequential
            && name.passes().contains(&Pass::Liveness);
        let is_about_places = matches!(self.question.subject, Subject::Reach(_))
            || is_product && name.passes().contains(&Pass::Product);
        match pass {
            Pass::Product => is_product,
            Pass::Liveness => is_liveness,
            Pass::Sequentialize | Pass::Predicates => true,
            // Engines are compared with nothing in between.
            Pass::Domains => {
                is_about_places
                    && is_sequential
                    && !self.compares
                    && options.track != Some(Tracking::All)
                    && options.algorithm.is_none()
                    && options.relations.is_none()
            }
            Pass::Variables => {
                (is_about_places || is_liveness)
                    && options.track != Some(Tracking::All)
                    && !is_about_all
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_automata::{PropertyText, ReadProperty};
    use hardbop_machine::from_text;

    fn program() -> Machine {
        let text = "decl x, y; void main() begin x := *; y := x; assert(x = y); end";
        from_text("t.bp", text).expect("a program")
    }

    fn asked(machine: &Machine, text: PropertyText) -> Question {
        let read = ReadProperty::read(machine, text);
        let translated = read.and_then(ReadProperty::translate).expect("a formula");
        Question::translated(translated)
    }

    #[test]
    fn a_pipeline_is_written_as_the_list_that_it_is() {
        let question = Question::assertions(&program());
        let passes = vec![Pass::Domains, Pass::Predicates, Pass::Variables];
        let pipeline = Pipeline::new(EngineName::Predicates, passes, &question);
        assert_eq!(
            pipeline.expect("it answers").to_string(),
            "[domains, refine(predicates), refine(variables), summary]"
        );
    }

    #[test]
    fn a_pass_that_breaks_what_the_question_needs_is_refused() {
        let machine = program();
        let built = |question: &Question, passes: &[Pass]| {
            Pipeline::new(EngineName::Summary, passes.to_vec(), question)
        };
        let monitor = PropertyText::Monitor {
            file: "m.mon".to_owned(),
            text: "monitor M begin state ok initial; state bad target; from ok: on x goto bad; end"
                .to_owned(),
        };
        let safety = asked(&machine, monitor);
        let formula = "F x".to_owned();
        let liveness = asked(&machine, PropertyText::Ltl { formula });
        let broken = |pass, what| Err(BrokenPipeline::NotPreserved { pass, what });
        assert!(built(&safety, &[Pass::Product, Pass::Domains]).is_ok());
        assert_eq!(
            built(&safety, &[Pass::Domains, Pass::Product]),
            broken(Pass::Domains, "single steps")
        );
        assert!(built(&liveness, &[Pass::Liveness, Pass::Variables]).is_ok());
        for pass in Pass::ALL {
            if pass != Pass::Liveness {
                assert_eq!(built(&liveness, &[pass]), broken(pass, "single steps"));
            }
        }
        let places = Question::assertions(&machine);
        assert_eq!(
            built(&places, &[Pass::Variables, Pass::Domains]),
            Err(BrokenPipeline::OutOfOrder {
                pass: Pass::Domains
            })
        );
    }

    #[test]
    fn every_pass_is_found_under_its_name_and_the_order_is_that_of_the_list() {
        for pass in Pass::ALL {
            assert_eq!(Pass::find(pass.as_str()), Some(pass));
        }
        for name in EngineName::ALL {
            assert!(name.passes().is_sorted(), "{name}");
        }
    }
}
