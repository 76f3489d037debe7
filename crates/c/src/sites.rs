//! Where a program meets what is outside of it: calls of functions without a body, checks, and
//! variables without an initial value.
//!
//! A harness that forces an execution on the compiled program puts its hooks there.

use hardbop_syntax::Span;

/// A place in the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The call, or the name that is declared.
    pub span: Span,
    /// What happens there.
    pub kind: SiteKind,
}

/// What happens at a site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SiteKind {
    /// A call of a function without a body that gives an arbitrary value and does nothing else.
    Choice {
        /// The function.
        function: String,
    },
    /// A call of any other function without a body; it is a procedure of the program.
    Outside {
        /// The function.
        function: String,
    },
    /// A call that asserts something, assumes something or is an error.
    Check {
        /// The function.
        function: String,
        /// What it does.
        meaning: CheckMeaning,
        /// Whether the program has a body for it.
        has_body: bool,
    },
    /// A local without an initial value.
    Local {
        /// Its function.
        function: String,
        /// Its name in executions: `x`, or `x#2` for the second one.
        name: String,
        /// Where its declaration ends, before the semicolon.
        end: u32,
    },
    /// A variable that is declared but not defined.
    Foreign {
        /// Its name.
        name: String,
    },
}

/// What a check does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckMeaning {
    /// To call it is an error.
    Error,
    /// The first argument must not be 0.
    Assertion,
    /// Executions in which the first argument is 0 end there.
    Assumption,
    /// The compiler is promised that it is never reached.
    Unreachable,
}
