//! Which two numbers have this product? A program of a few steps over many input bits.
//!
//! The BDDs of the middle bits of a product grow exponentially with the width whatever the order of
//! the variables (R. E. Bryant, 1991), so engines on BDDs suffer; a SAT solver only has to find two
//! factors, or to see that there are none. Size is the width of a factor in bits; the product has
//! twice as many, so that it is exact.
//!
//! *Why the verdict.* With `m = 2^(size-1)`: `(m + 1) * (m + 1)` is a product of two factors
//! between 2 and `2 * m`. No square of an integer is 2 modulo 4.

use crate::source_text::SourceText;

/// The label in question.
pub(crate) const LABEL: &str = "FACTORED";

/// Half of the widest integers of the language.
const WIDEST: u32 = 32;

/// Asks for factors of a square.
pub(crate) fn write_reachable(text: &mut SourceText, size: u32, _seed: u64) {
    let size = size.min(WIDEST);
    let factor = (1u64 << (size - 1)) + 1;
    // A factor of one bit is 0 or 1.
    let product = if size == 1 { 1 } else { factor * factor };
    write(text, size, format_args!("a * b = {product}"));
}

/// Asks for a square that is 2 modulo 4.
pub(crate) fn write_unreachable(text: &mut SourceText, size: u32, _seed: u64) {
    let size = size.min(WIDEST);
    let wanted = 4 * ((1u64 << size) / 3) + 2;
    let product = wanted & (u64::MAX >> (64 - 2 * size));
    write(text, size, format_args!("(a = b) & (a * b = {product})"));
}

fn write(text: &mut SourceText, size: u32, question: std::fmt::Arguments<'_>) {
    let most = (1u64 << size) - 1;
    text.fmt(format_args!("decl int<{}> a, b;", 2 * size));
    text.procedure(format_args!("void main()"));
    text.fmt(format_args!("assume((a <= {most}) & (b <= {most}));"));
    text.fmt(format_args!("if ({question}) then {LABEL}: skip; fi"));
    text.close("end");
}
