//! The buggy quicksort of Moped's examples, without its array (VERA, TACAS 2005, section 5.1 and
//! Figure 6): the question is whether it can run for ever, the size is the width of its integers,
//! at least 2.
//!
//! An engine that tells all values apart has about 4^size entries to look at; one that stops at the
//! first cycle it meets has a few dozen states, however wide the integers are.
//!
//! *Why the verdict.* If no element is greater than the pivot, `hi` stays at `right` and the
//! routine calls itself with the arguments it was called with. The sister leaves such a largest
//! element out of the first part and a smallest one out of the second: both parts are shorter than
//! the whole, and every loop moves `lo` and `hi` towards each other, so every run ends.

use crate::source_text::SourceText;

/// Narrower integers have no two values between the outermost ones.
const NARROWEST: u32 = 2;
/// The widest integers of the language.
const WIDEST: u32 = 64;

/// May call itself with the same arguments.
pub(crate) fn write_endless(text: &mut SourceText, size: u32, _seed: u64) {
    write(text, size, false);
}

/// Calls itself for shorter parts only.
pub(crate) fn write_ending(text: &mut SourceText, size: u32, _seed: u64) {
    write(text, size, true);
}

fn write(text: &mut SourceText, size: u32, ends: bool) {
    let width = size.clamp(NARROWEST, WIDEST);
    let largest = u64::MAX >> (u64::BITS - width);
    text.procedure(format_args!("void main()"));
    text.fmt(format_args!("decl int<{width}> left, right;"));
    text.line("// All but the outermost values: lo and hi must not wrap around.");
    text.fmt(format_args!("assume((left > 0) & (right < {largest}));"));
    text.line("quicksort(left, right);");
    text.line("END: skip;");
    text.close("end");

    text.procedure(format_args!(
        "void quicksort(int<{width}> left, int<{width}> right)"
    ));
    text.fmt(format_args!("decl int<{width}> lo, hi;"));
    text.line("if (left >= right) then return; fi");
    text.line("lo, hi := left, right;");
    text.open(format_args!("while (lo <= hi) do"));
    text.line("if (*) then hi := hi - 1; else lo := lo + 1; fi");
    text.close("od");
    if ends {
        text.line("if (hi = right) then hi := hi - 1; fi");
        text.line("if (lo = left) then lo := lo + 1; fi");
    }
    text.line("quicksort(left, hi);");
    text.line("quicksort(lo, right);");
    text.close("end");
}
