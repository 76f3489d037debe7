//! The Bluetooth driver of Windows NT with any number of adders and stoppers: the concurrent
//! benchmark of the Getafix paper (section 6.2, Figure 3), from Qadeer and Wu, "KISS: keep it
//! simple and sequential" (PLDI 2004).
//!
//! An adder does I/O, a stopper shuts the driver down once no I/O is pending. `pendingIo` starts at
//! 1, for the driver itself.
//!
//! **It can fail** with one adder and two stoppers: the adder raises `pendingIo` to 2 and passes
//! the test; each stopper lowers it once, so that it is 0; a stopper stops; the adder goes on to
//! its assertion. Further adders need not run.
//!
//! **The repaired driver**, with one stopper and an adder that lowers the counter only once when it
//! is turned away, cannot. The driver's own 1 is removed only by the stopper, after `stoppingFlag`
//! was set; every adder between its raising and its lowering counts 1. So when `pendingIo` becomes
//! 0, no adder is in between and the flag is set: adders that come later are turned away, and
//! `stopped` is set only after that. The counter is wide enough for all adders at once.

use crate::source_text::SourceText;

/// How an adder that is turned away and the stoppers behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// As in the papers.
    Faulty,
    /// Adders lower the counter once.
    Repaired,
}

/// The driver as in the papers, with this many adders and stoppers. At least one of each.
pub fn bluetooth(adders: u32, stoppers: u32) -> String {
    let mut text = SourceText::with_capacity(2048);
    write(&mut text, adders.max(1), stoppers.max(1), Version::Faulty);
    text.finish()
}

/// Two stoppers and as many adders as the size says.
pub(crate) fn write_faulty(text: &mut SourceText, adders: u32, _seed: u64) {
    write(text, adders, 2, Version::Faulty);
}

/// One stopper and as many adders as the size says, repaired.
pub(crate) fn write_repaired(text: &mut SourceText, adders: u32, _seed: u64) {
    write(text, adders, 1, Version::Repaired);
}

fn write(text: &mut SourceText, adders: u32, stoppers: u32, version: Version) {
    // The counter has to hold one more than there are adders, and 0 must stay apart from "too many
    // lowerings".
    let width = (adders + stoppers + 2).ilog2() + 1;
    text.fmt(format_args!("decl int<{width}> pendingIo := 1;"));
    text.line("decl stoppingFlag := 0;");
    text.line("decl stoppingEvent := 0;");
    text.line("decl stopped := 0;");
    text.blank();
    text.fmt(format_args!("thread adder({adders})"));
    text.open(format_args!("begin"));
    text.procedure(format_args!("void main()"));
    text.line("decl refused;");
    text.line("refused := IoIncrement();");
    text.open(format_args!("if (!refused) then"));
    text.line("assert(!stopped);");
    if version == Version::Repaired {
        text.line("IoDecrement();");
    }
    text.close("fi");
    if version == Version::Faulty {
        text.line("IoDecrement();");
    }
    text.close("end");
    text.close("end");
    text.blank();
    text.fmt(format_args!("thread stopper({stoppers})"));
    text.open(format_args!("begin"));
    text.procedure(format_args!("void main()"));
    text.line("stoppingFlag := 1;");
    text.line("IoDecrement();");
    text.line("assume(stoppingEvent);");
    text.line("stopped := 1;");
    text.close("end");
    text.close("end");
    text.procedure(format_args!("bool IoIncrement()"));
    text.line("pendingIo := pendingIo + 1;");
    text.open(format_args!("if (stoppingFlag) then"));
    text.line("IoDecrement();");
    text.line("return 1;");
    text.close("fi");
    text.line("return 0;");
    text.close("end");
    text.procedure(format_args!("void IoDecrement()"));
    text.line("decl last;");
    text.line("pendingIo, last := pendingIo - 1, pendingIo = 1;");
    text.open(format_args!("if (last) then"));
    text.line("stoppingEvent := 1;");
    text.close("fi");
    text.close("end");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_wide_enough_and_threads_are_as_many_as_asked() {
        let text = bluetooth(2, 2);
        assert!(text.starts_with("decl int<3> pendingIo := 1;\n"));
        assert!(text.contains("thread adder(2)\n") && text.contains("thread stopper(2)\n"));
        assert!(bluetooth(6, 2).starts_with("decl int<4> "));
    }
}
