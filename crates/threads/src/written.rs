//! The end of every run that an engine finds: folded, so that the judge reads what a user will.

use hardbop_interpreter::{Fault, Recorder, fold};
use hardbop_outcome::{Limit, Target, Trace};

/// The run that a recorder has written down, or why it cannot be judged.
///
/// What does not replay is handed on as it is, and rejected by whoever replays it: a mistake of a
/// search becomes an error with a name, neither an answer nor a panic. That the interpreter cannot
/// tell is a limit: it tries the choices of a thread inside an atomic block one by one.
pub(crate) fn written(recorder: Recorder<'_>, target: Option<&Target>) -> Result<Trace, Limit> {
    let machine = recorder.machine();
    let trace = Trace {
        target: target.cloned(),
        ..recorder.finish().0
    };
    match fold(machine, &trace) {
        Ok(folded) => Ok(folded),
        Err(error) => match error.fault {
            Fault::TooManyChoices(why) => Err(Limit::Declined {
                what: format!("a run that cannot be replayed: {why}"),
            }),
            _ => Ok(trace),
        },
    }
}
