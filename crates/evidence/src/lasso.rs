//! Infinite runs as data: a stem, and a loop that can be gone round for ever. One versioned JSON
//! form.
//!
//! The steps are those of [`crate::trace`]: completed calls are one step each, calls that stay open
//! are `Enter` steps. After the stem the run stands at the *head* of the loop. The loop leads back
//! to the same head: the same node, the same globals and the same locals of the frame on top of the
//! stack, with nothing below the head's frame touched. It may leave frames behind, so that the
//! stack grows from round to round: what lies below is never seen again (VERA, section 4). That is
//! why one round proves that the loop can be repeated for ever.
//!
//! Without steps in the loop the run is finite: its stem ends with the return of `main` or in a
//! failed assertion. Properties see such a run as one that stays in its last state. Lassos are for
//! sequential programs; a [`ThreadLasso`] is one of several threads, whose loop leads back to the
//! same configuration, all stacks included.

use crate::trace::{self, Run, Segment, Step, ThreadOrigin, Trace};
use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// An infinite run of a machine, or a finite one that properties see as infinite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lasso {
    /// Version of this form.
    #[serde(rename = "hardbop-lasso")]
    pub version: u32,
    /// [Digest](hardbop_machine::Machine::digest) of the machine, so that a lasso of another program is refused.
    pub program: String,
    /// What it is a counterexample to or a witness of, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Initial values of all globals, in the order of the machine.
    pub globals: Vec<u64>,
    /// Initial values of the locals of the first frame.
    pub locals: Vec<u64>,
    /// Completed calls; each refers only to earlier ones.
    pub runs: Vec<Run>,
    /// From the start to the head of the loop.
    pub stem: Vec<Step>,
    /// From the head back to it; empty for a finite run.
    #[serde(rename = "loop")]
    pub cycle: Vec<Step>,
}

impl Lasso {
    /// The finite run that takes the stem and goes round the loop the given number of times.
    pub fn unrolled(&self, rounds: usize) -> Trace {
        let cycles = std::iter::repeat_n(&self.cycle, rounds).flatten();
        Trace {
            version: trace::VERSION,
            program: self.program.clone(),
            target: None,
            globals: self.globals.clone(),
            threads: vec![ThreadOrigin {
                globals: self.globals.clone(),
                locals: self.locals.clone(),
            }],
            runs: self.runs.clone(),
            segments: vec![Segment {
                thread: 0,
                steps: self.stem.iter().chain(cycles).cloned().collect(),
            }],
        }
    }

    /// Makes a lasso of a finite sequential trace: the steps from number `head` on are the loop.
    pub fn from_trace(trace: &Trace, head: usize) -> Self {
        let segments = trace.segments.iter();
        let mut stem: Vec<Step> = segments.flat_map(|s| s.steps.iter().cloned()).collect();
        let cycle = stem.split_off(head.min(stem.len()));
        let mut globals = trace.globals.clone();
        let mut locals = Vec::new();
        if let Some(origin) = trace.threads.first() {
            // In each of the two tables the entries that belong to the other are 0.
            for (value, own) in globals.iter_mut().zip(&origin.globals) {
                *value |= own;
            }
            locals.clone_from(&origin.locals);
        }
        Self {
            version: VERSION,
            program: trace.program.clone(),
            property: None,
            globals,
            locals,
            runs: trace.runs.clone(),
            stem,
            cycle,
        }
    }
}

/// An infinite run of several threads, or a finite one that properties see as infinite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadLasso {
    /// Version of this form.
    #[serde(rename = "hardbop-thread-lasso")]
    pub version: u32,
    /// What it is a counterexample to or a witness of, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// How many steps of the run stand before the loop; if it is all of them the run ends.
    pub stem: u64,
    /// The stem and one round of the loop, with every call written out.
    pub run: Trace,
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::EdgeId;

    fn step(edge: u32) -> Step {
        Step::Edge {
            edge: EdgeId(edge),
            inputs: hardbop_machine::List::default(),
        }
    }

    fn lasso() -> Lasso {
        Lasso {
            version: VERSION,
            program: "0123456789abcdef".to_owned(),
            property: Some("G F x".to_owned()),
            globals: vec![1],
            locals: vec![0, 2],
            runs: Vec::new(),
            stem: vec![step(0)],
            cycle: vec![step(1), Step::Leave],
        }
    }

    #[test]
    fn the_json_form_is_stable_and_reads_back() {
        let text = serde_json::to_string(&lasso()).unwrap();
        let expected = r#"{"hardbop-lasso":1,"program":"0123456789abcdef","property":"G F x","globals":[1],"locals":[0,2],"runs":[],"stem":[{"edge":{"edge":0}}],"loop":[{"edge":{"edge":1}},"leave"]}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Lasso>(&text).unwrap(), lasso());
    }

    #[test]
    fn unrolling_repeats_the_loop_and_a_trace_can_be_cut_into_a_lasso() {
        let trace = lasso().unrolled(2);
        assert_eq!(trace.segments[0].steps.len(), 5);
        let mut again = Lasso::from_trace(&lasso().unrolled(1), 1);
        again.property = lasso().property;
        assert_eq!(again, lasso());
    }
}
