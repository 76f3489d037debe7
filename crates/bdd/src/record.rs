//! With the feature `record`, a manager writes down what it is asked, so that an experiment can ask
//! other packages the same. Without it nothing here costs anything.
//!
//! A trace is text: one operation a line, a letter with numbers, the handle of the result last.
//! Recursion is not seen, and neither is an operation that ran out. A handle that comes from
//! looking at another function is written as a cofactor when it is first seen.

use crate::collect::Roots;
use crate::manager::{Bdd, Manager};

/// What a manager was asked.
#[cfg_attr(not(feature = "record"), allow(dead_code))]
pub(crate) enum Operation<'a> {
    Variable(u32),
    And(Bdd, Bdd),
    Xor(Bdd, Bdd),
    Ite(Bdd, Bdd, Bdd),
    Relprod(u32, Bdd, Bdd),
    Constrain(Bdd, Bdd),
    Restrict(Bdd, Bdd),
    Low(Bdd),
    High(Bdd),
    /// A plan with its number: variables, and what becomes of them.
    Plan(u32, &'a [(u32, u32)]),
    Collect(&'a dyn Roots),
}

impl Manager<'_> {
    #[inline]
    #[cfg_attr(not(feature = "record"), allow(clippy::unused_self))]
    pub(crate) fn record(&self, operation: &Operation<'_>, result: Bdd) {
        #[cfg(feature = "record")]
        self.recorder.write(operation, result);
        #[cfg(not(feature = "record"))]
        let _ = (operation, result);
    }
}

#[cfg(feature = "record")]
pub(crate) use recorder::Recorder;
#[cfg(feature = "record")]
pub use recorder::take_traces;

#[cfg(feature = "record")]
mod recorder {
    use super::{Bdd, Operation};
    use crate::plan::QUANTIFIED;
    use std::cell::RefCell;
    use std::collections::HashSet;
    use std::fmt::Write as _;
    use std::sync::Mutex;

    static TRACES: Mutex<Vec<String>> = Mutex::new(Vec::new());

    /// The traces of all managers that have gone since the last time.
    pub fn take_traces() -> Vec<String> {
        std::mem::take(&mut TRACES.lock().expect("writers do not panic"))
    }

    #[derive(Default)]
    pub(crate) struct Recorder {
        trace: RefCell<Trace>,
    }

    #[derive(Default)]
    struct Trace {
        text: String,
        /// The regular handles that have a line, since the last collection.
        known: HashSet<Bdd>,
    }

    impl Recorder {
        pub(crate) fn write(&self, operation: &Operation<'_>, result: Bdd) {
            let Trace { text, known } = &mut *self.trace.borrow_mut();
            let is_new = !result.is_constant() && known.insert(result.regular());
            let (Bdd(r), line) = (result, &mut *text);
            let written = match *operation {
                Operation::Variable(variable) => writeln!(line, "v {variable} {r}"),
                Operation::And(Bdd(f), Bdd(g)) => writeln!(line, "a {f} {g} {r}"),
                Operation::Xor(Bdd(f), Bdd(g)) => writeln!(line, "x {f} {g} {r}"),
                Operation::Ite(Bdd(c), Bdd(f), Bdd(g)) => writeln!(line, "i {c} {f} {g} {r}"),
                Operation::Relprod(plan, Bdd(f), Bdd(g)) => writeln!(line, "e {plan} {f} {g} {r}"),
                Operation::Constrain(Bdd(f), Bdd(g)) => writeln!(line, "c {f} {g} {r}"),
                Operation::Restrict(Bdd(f), Bdd(g)) => writeln!(line, "r {f} {g} {r}"),
                Operation::Low(Bdd(f)) if is_new => writeln!(line, "l {f} {r}"),
                Operation::High(Bdd(f)) if is_new => writeln!(line, "h {f} {r}"),
                Operation::Low(_) | Operation::High(_) => Ok(()),
                Operation::Plan(number, actions) => {
                    let each = actions.iter().map(|&(from, to)| match to {
                        QUANTIFIED => format!(" {from} -1"),
                        to => format!(" {from} {to}"),
                    });
                    writeln!(
                        line,
                        "p {number} {}{}",
                        actions.len(),
                        each.collect::<String>()
                    )
                }
                Operation::Collect(roots) => {
                    known.clear();
                    let mut kept = String::new();
                    roots.each_root(&mut |root| {
                        if !root.is_constant() && known.insert(root.regular()) {
                            let _ = write!(kept, " {}", root.regular().0);
                        }
                    });
                    writeln!(line, "g {}{kept}", known.len())
                }
            };
            written.expect("a string takes all that is written");
        }
    }

    impl Drop for Recorder {
        fn drop(&mut self) {
            let text = std::mem::take(&mut self.trace.borrow_mut().text);
            TRACES.lock().expect("writers do not panic").push(text);
        }
    }
}
