//! What an assertion claims, where the text of the program does not say it.
//!
//! C makes the programmer responsible for a lot: that pointers are valid, that divisors are not
//! zero. The front end asserts these things without a statement of their own in the text, so each
//! such assertion says here what it is about. Assertions inside a macro say which one they are.

/// What kind of thing an assertion is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// A condition that the program states.
    Condition,
    /// That a function is never called that is an error to call.
    NoCall {
        /// The function.
        function: String,
    },
    /// That a label is never reached that is an error to reach.
    NoLabel {
        /// The label.
        label: String,
    },
    /// That memory is accessed where there is an object: pointers, indices.
    Memory,
    /// That signed arithmetic does not overflow.
    Overflow,
    /// That something is done for which C defines a result: divisors, shifts.
    Defined,
}

/// An assertion in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it is about.
    pub check: Check,
    /// What holds unless it fails; without it the statement itself says so.
    pub text: Option<String>,
}
