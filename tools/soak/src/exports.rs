//! Programs in the languages of other tools. C comes back: what `export` writes is read by the front
//! end for C, and the question has the same answer there.

use crate::Complaint;
use hardbop_machine::{Machine, lower};
use hardbop_outcome::{Certificate, Target};
use hardbop_syntax::Source;
use hardbop_syntax::diagnostic::has_errors;

/// What the headers that the text includes would say, for there is no preprocessor here.
const HEADERS: &str = "\
typedef _Bool bool; enum { false, true };
typedef unsigned int uint32_t; typedef unsigned long uint64_t;
void exit(int code); void assert(int condition);
";

/// The program and its proofs in every language, those left out that cannot say them.
pub(crate) fn others(machine: &Machine, target: &Target, proofs: &[Certificate]) -> usize {
    let targets = std::slice::from_ref(target);
    let written = [
        hardbop_export::chc(machine, targets).is_ok(),
        hardbop_export::moped(machine, targets).is_ok(),
        hardbop_export::certificate_script(machine, proofs).is_ok(),
    ];
    written.into_iter().filter(|is_written| *is_written).count()
}

/// The program as C, read again. Nothing if it cannot be written as C.
pub(crate) fn as_c(machine: &Machine, target: &Target) -> Result<Option<Machine>, Complaint> {
    let Ok(text) = hardbop_export::c(machine, std::slice::from_ref(target)) else {
        return Ok(None);
    };
    let lines = text.lines().filter(|line| !line.starts_with("#include"));
    let text: String = std::iter::once(HEADERS)
        .chain(lines.flat_map(|line| [line, "\n"]))
        .collect();
    let source = Source::new("soak.c", text);
    let parsed = hardbop_c::parse_any(&source);
    let mut diagnostics = parsed.diagnostics;
    let checked = hardbop_program::check(parsed.ast, &source, None);
    diagnostics.extend(checked.diagnostics);
    match checked.program {
        Some(program) if !has_errors(&diagnostics) => Ok(Some(lower(program, &source))),
        _ => {
            let first = diagnostics.first().map(|first| first.message.clone());
            let what = first.unwrap_or_default();
            Err(Complaint::new("exported C can be read", what))
        }
    }
}
