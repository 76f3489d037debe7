//! Random well-typed programs, as text, from a seed.
//!
//! The programs are small and dense: few variables, so that brute force can explore them and
//! statements meet the same variable often, but every construct of the language in some preset of
//! [`Knobs`]. Text rather than trees is made, so that the front end is tested along the way, and so
//! that a program that found a bug can be kept as it is.
//!
//! The same seed and knobs give the same text on every platform.

mod expressions;
mod knobs;
mod layout;
mod program;
mod relay;
mod scope;
mod statements;

pub use knobs::{ExpressionWeights, Knobs, StatementWeights, ThreadForm};

use crate::random::Random;
use relay::Relay;
use scope::{Scope, Signature};

/// A program that parses, passes all checks, and has at least one assertion or a label `TARGET`.
pub fn generate(seed: u64, knobs: &Knobs) -> String {
    let mut random = Random::new(seed);
    let form = random
        .pick(&knobs.forms)
        .copied()
        .unwrap_or(ThreadForm::Sequential);
    let form = if knobs.threads == 0 {
        ThreadForm::Sequential
    } else {
        form
    };
    let generator = Generator {
        random,
        knobs,
        form,
        globals: Scope::default(),
        helpers: Vec::new(),
        starts_left: knobs.threads,
        has_question: false,
        relay: Relay::default(),
    };
    generator.program()
}

/// What a procedure is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A thread or the program starts in it. The last one to be made asks something if nobody has.
    Entry { is_last: bool },
    /// It is called; the number is its place among the helpers.
    Helper(usize),
}

/// The program that is being written.
struct Generator<'k> {
    random: Random,
    knobs: &'k Knobs,
    form: ThreadForm,
    globals: Scope,
    /// The procedures that can be called from everywhere.
    helpers: Vec<Signature>,
    /// How many statements that start threads may still be written.
    starts_left: u32,
    /// Whether there is an assertion or a label `TARGET` already.
    has_question: bool,
    /// The script by which threads wait for each other.
    relay: Relay,
}

impl Generator<'_> {
    /// A procedure to call and whether that may be recursion; nothing if there is none that may be
    /// called from here.
    fn callee(&mut self, role: Role) -> Option<(Signature, bool)> {
        let after = match role {
            Role::Helper(index) => index + 1,
            Role::Entry { .. } => 0,
        };
        let first = if self.random.percent(self.knobs.recursion) {
            0
        } else {
            after
        };
        let callable = self.helpers.get(first..)?;
        let index = first + self.random.below(callable.len());
        Some((self.helpers.get(index)?.clone(), index < after))
    }

    /// A procedure for a new thread.
    fn thread_callee(&mut self) -> Option<Signature> {
        self.random.pick(&self.helpers).cloned()
    }

    fn is_odd(&mut self) -> bool {
        self.random.percent(self.knobs.oddity)
    }
}
