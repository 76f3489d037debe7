//! Programs with many uninitialised variables, in the shape of those that were hardest for VERA
//! (TACAS 2005, Figure 5: `p-nbebop-test` with 16 locals, `p-srdriver` with 10 globals and 36
//! locals, on which it did not end).
//!
//! Size counts the locals of each procedure. A routine reads its locals one after the other, most
//! of them once; some it copies to and from the device's state, which is global. An explicit search
//! that enumerates uninitialised values has more than 2^size states; one that leaves a value open
//! until it is read has a few per line.
//!
//! *Why the verdict.* A local that decides whether the lock is acquired decides, unchanged, whether
//! it is released, so the lock alternates; a local that is compared has just been copied, so the
//! comparison holds. The sister releases in one place by another local, which may differ: then the
//! lock is held when the routine returns.

use crate::source_text::SourceText;

/// Routines of the driver.
const ROUTINES: u32 = 3;
/// The most globals, as in `p-srdriver`.
const MOST_GLOBALS: u32 = 10;

/// A driver that may keep its lock.
pub(crate) fn write_leaking(text: &mut SourceText, size: u32, _seed: u64) {
    write(text, size, true);
}

/// A driver that releases its lock.
pub(crate) fn write_clean(text: &mut SourceText, size: u32, _seed: u64) {
    write(text, size, false);
}

fn globals(size: u32) -> u32 {
    (size / 3 + 1).min(MOST_GLOBALS)
}

fn write(text: &mut SourceText, size: u32, leaks: bool) {
    text.fmt(format_args!("decl lock;"));
    declare(text, "d", globals(size));

    text.procedure(format_args!("void main()"));
    declare(text, "m", size);
    text.line("lock := 0;");
    text.open(format_args!("while (*) do"));
    for routine in 0..ROUTINES {
        let (a, b) = (2 * routine % size, (2 * routine + 1) % size);
        text.fmt(format_args!("Routine{routine}(m{a}, m{b});"));
        text.line("assert(!lock);");
    }
    text.close("od");
    text.close("end");

    for routine in 0..ROUTINES {
        let leak = (leaks && routine + 1 == ROUTINES).then_some(0);
        write_routine(text, routine, size, leak);
    }

    text.procedure(format_args!("void AcquireLock()"));
    text.line("assert(!lock);");
    text.line("lock := 1;");
    text.close("end");

    text.procedure(format_args!("void ReleaseLock()"));
    text.line("assert(lock);");
    text.line("lock := 0;");
    text.close("end");
}

/// Each local in one of three ways; `leak` says at which one the lock is released by the wrong
/// condition.
fn write_routine(text: &mut SourceText, routine: u32, size: u32, leak: Option<u32>) {
    text.procedure(format_args!("void Routine{routine}(a, b)"));
    declare(text, "l", size);
    for local in 0..size {
        let device = (local + routine) % globals(size);
        match local % 3 {
            0 => {
                text.fmt(format_args!("if (l{local}) then AcquireLock(); fi"));
                text.fmt(format_args!("if (a) then d{device} := *; fi"));
                if leak == Some(local) {
                    text.line("if (b) then ReleaseLock(); fi");
                } else {
                    text.fmt(format_args!("if (l{local}) then ReleaseLock(); fi"));
                }
            }
            1 => {
                text.fmt(format_args!("if (d{device}) then skip; fi"));
                text.fmt(format_args!("d{device} := l{local};"));
            }
            _ => {
                text.fmt(format_args!("l{local} := d{device};"));
                text.open(format_args!("if (l{local} != d{device}) then"));
                text.line("AcquireLock(); AcquireLock();");
                text.close("fi");
            }
        }
    }
    text.close("end");
}

fn declare(text: &mut SourceText, prefix: &str, count: u32) {
    let names: Vec<String> = (0..count).map(|index| format!("{prefix}{index}")).collect();
    text.fmt(format_args!("decl {};", names.join(", ")));
}
