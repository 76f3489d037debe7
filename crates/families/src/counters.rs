//! Two integers that count independently: about 5 * 4^size states in a dozen lines, all of them
//! different and none worth leaving out.
//!
//! It measures how many states per second a search that looks at each gets through, and how many
//! bytes it spends on one; size is the width of the integers.
//!
//! *Why the verdict.* After a step of each counter both are 1. No two numbers are each smaller than
//! the other.

use crate::source_text::SourceText;

/// The label in question.
pub(crate) const LABEL: &str = "HIT";

/// The widest integers of the language.
const WIDEST: u32 = 64;

/// Asks for both counters to be 1.
pub(crate) fn write_reachable(text: &mut SourceText, size: u32, _seed: u64) {
    write(text, size, "(a = 1) & (b = 1)");
}

/// Asks for each counter to be smaller than the other.
pub(crate) fn write_unreachable(text: &mut SourceText, size: u32, _seed: u64) {
    write(text, size, "(a < b) & (b < a)");
}

fn write(text: &mut SourceText, size: u32, question: &str) {
    text.fmt(format_args!("decl int<{}> a, b;", size.min(WIDEST)));
    text.procedure(format_args!("void main()"));
    text.line("a, b := 0, 0;");
    text.open(format_args!("while (*) do"));
    text.line("if (*) then a := a + 1; else b := b + 1; fi");
    text.fmt(format_args!("if ({question}) then {LABEL}: skip; fi"));
    text.close("od");
    text.close("end");
}
