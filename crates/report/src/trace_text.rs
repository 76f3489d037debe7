//! A run for people: one line per step in the order of execution, indented by call depth, with the
//! choices that it makes and the values that it changes.
//!
//! What is shown is a [`Run`], the value that all reports are made from, so it was executed. A
//! completed call is one line with its number of steps, so the text is as short as the trace, however
//! long the run. The middle of a long text is left out, because a run is read from its end. Runs of several threads have a column per thread, one for the shared
//! variables, and a rule at each context switch ([`columns`]); if that would be too wide, every
//! line starts with the thread's name. As in Bebop (footnote 2), variables on which nothing in a
//! run to a target depends are not shown.

mod columns;
mod paint;
mod rows;

use crate::diagnostics::Colour;
use crate::document::{Run, RunEnding, Runs, words_of};
use hardbop_machine::Machine;
use hardbop_outcome::{Asked, Evidence};
use rows::{Row, View, align};

pub use paint::Painter;

/// How much of a trace is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceLevel {
    /// Every step, with the variables that it changes.
    #[default]
    Compact,
    /// Every step, with the values of all variables in scope after it.
    Full,
    /// Calls and returns only.
    Calls,
    /// Only where it begins and ends.
    None,
}

/// What a trace is to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// How much is shown.
    pub level: TraceLevel,
    /// Whether completed calls are written out.
    pub expand: bool,
    /// The largest number of steps that are shown.
    pub max_lines: usize,
    /// The width of a line.
    pub width: usize,
    /// Whether changed values, choices, failures and switches are coloured.
    pub colour: Colour,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self {
            level: TraceLevel::Compact,
            expand: false,
            max_lines: 100,
            width: 118,
            colour: Colour::Plain,
        }
    }
}

/// Shows runs of one program.
pub struct TraceTexts<'a> {
    machine: &'a Machine,
    options: TraceOptions,
    runs: Runs<'a>,
}

impl<'a> TraceTexts<'a> {
    /// The program is read once for all of its runs.
    pub fn new(machine: &'a Machine, options: TraceOptions) -> Self {
        let most = options.max_lines;
        let written_out = if options.expand { most as u64 } else { 0 };
        Self {
            machine,
            options,
            runs: Runs::new(machine, written_out).showing(most),
        }
    }

    /// A run as text; every line ends with a newline. It is replayed, so what is shown is a run of
    /// the program; an error says why it is not one. What was asked says which variables matter.
    pub fn text(&self, evidence: &Evidence, asked: Option<&Asked>) -> Result<String, String> {
        let observed = asked.map(words_of).unwrap_or_default();
        let run = self.runs.run(evidence, &observed)?;
        // Nothing depends on anything in a run that leads nowhere.
        let leads_somewhere = evidence.run().is_some_and(|trace| trace.target.is_some());
        let mut text = self.body(&run, !leads_somewhere && asked.is_none());
        for line in self.last_lines(&run, evidence) {
            text.push_str(&line);
            text.push('\n');
        }
        Ok(paint::finish(&text, self.options.colour))
    }

    fn body(&self, run: &Run, tells_all: bool) -> String {
        let TraceOptions { level, width, .. } = self.options;
        let concurrent = run.threads.len() > 1 || !self.machine.is_sequential();
        let rows = View::new(run, concurrent, level, tells_all).rows();
        let columns = concurrent.then(|| columns::side_by_side(&rows, width));
        columns.flatten().unwrap_or_else(|| align(&rows, width))
    }

    /// How long the run is and how it ends.
    fn last_lines(&self, run: &Run, evidence: &Evidence) -> Vec<String> {
        let mut lines = Vec::new();
        let is_property = run.cycle.is_some() || run.ending.is_some();
        let has_folded = run.steps.iter().any(|step| step.folded.is_some());
        let is_short = self.options.level == TraceLevel::None || has_folded;
        if !is_property && (is_short || run.left_out.is_some()) {
            lines.push(format!("the whole run has {}", steps(run.length)));
        }
        if is_property {
            lines.push(self.ending(run));
        }
        if let Evidence::Run(trace) = evidence
            && let Some(target) = &trace.target
        {
            lines.push(format!("reaches {target}"));
        }
        lines.extend(run.relies_on.as_ref().map(ToString::to_string));
        if let (Some(holds), Some(Some(end))) = (&run.holds, run.end.first()) {
            let (line, column, procedure) = (end.line, end.column, &end.procedure);
            lines.push(format!(
                "reaches {line}:{column} {procedure}, where {holds} holds"
            ));
        }
        lines
    }

    /// How a run goes on for ever, or ends.
    fn ending(&self, run: &Run) -> String {
        let Some(cycle) = run.cycle else {
            let how = match run.ending {
                Some(RunEnding::Failed) => "an assertion has failed",
                _ if self.machine.is_sequential() => "main has returned",
                _ => "all threads have ended",
            };
            return format!("the run ends after {}: {how}", steps(run.length));
        };
        let stem = steps(run.length.saturating_sub(cycle.length));
        let round = steps(cycle.length);
        let growth = match cycle.growth {
            0 => String::new(),
            1 => "; the stack grows by 1 frame each time".to_owned(),
            growth => format!("; the stack grows by {growth} frames each time"),
        };
        format!("after a stem of {stem}, the loop of {round} is repeated forever{growth}")
    }
}

fn steps(count: u64) -> String {
    match count {
        1 => "1 step".to_owned(),
        u64::MAX => format!("at least {count} steps"),
        _ => format!("{count} steps"),
    }
}

impl Row {
    /// What stands where steps are left out.
    fn gap(run: &Run, count: usize) -> Self {
        let begins = match (run.cycle, run.left_out) {
            (Some(cycle), Some(gap)) if (gap.after..gap.after + count).contains(&cycle.first) => {
                "; the loop begins among them"
            }
            _ => "",
        };
        let (them, all) = (steps(count as u64), run.length);
        Self::Text(format!(
            "... {them} left out{begins} (--expand {all} shows the whole run)"
        ))
    }
}

#[cfg(test)]
mod tests;
