//! A document in words: what a step does and what an answer says, on one line each.

use super::{AnswerReport, Branch, Choice, Run, RunEnding, Step, StepKind, Undefined, Value};

impl Step {
    /// Whether a statement of C does nothing but store an input, whose value is among those that are
    /// shown.
    pub(crate) fn shows_input<'v>(&self, mut shown: impl Iterator<Item = &'v Value>) -> bool {
        match (self.choices.as_slice(), shown.next(), shown.next()) {
            ([choice], Some(change), None) => {
                let is_whole = self.text.ends_with(&choice.text) && !self.text.contains(":=");
                is_whole && choice.shown() == change.shown()
            }
            _ => false,
        }
    }

    /// What an input is called: the text that makes it, or the variable that is all it goes to.
    pub(crate) fn named<'c>(&self, choice: &'c Choice) -> &'c str {
        match choice.text.split_once(" = ") {
            Some((variable, _)) if choice.text == self.text => variable,
            _ => &choice.text,
        }
    }

    /// What its choices came out as, which way it goes and what it prints.
    pub fn way(&self) -> Vec<String> {
        let mut parts = Vec::new();
        // A condition that is nothing but a choice comes out as the way that is taken.
        let is_lone = |text: &str| self.branch.is_some() && text.len() == 1;
        let is_shown = self.shows_input(self.changes.iter());
        let choices = self.choices.iter();
        let choices = choices.filter(|c| !is_shown && !is_lone(&c.text));
        parts.extend(choices.map(|c| format!("{} is {}", self.named(c), c.shown())));
        match &self.branch {
            _ if self.fails => parts.push("fails".to_owned()),
            Some(Branch::Condition(true)) if self.kind == StepKind::Assert => {}
            Some(Branch::Condition(holds)) => parts.push(holds.to_string()),
            Some(Branch::Label(label)) => parts.push(format!("to {label}")),
            None => {}
        }
        if !self.prints.is_empty() {
            let values: Vec<String> = self.prints.iter().map(u64::to_string).collect();
            parts.push(format!("prints {}", values.join(", ")));
        }
        if let Some(steps) = self.folded {
            let plural = if steps == 1 { "" } else { "s" };
            parts.push(format!("folded: {steps} step{plural}"));
        }
        parts
    }

    /// What the step does besides what its statement says: its way, calls, values, threads.
    pub fn note(&self, run: &Run) -> String {
        let mut parts = self.way();
        if let (StepKind::Enter, Some(callee)) = (self.kind, &self.callee) {
            parts.push(format!("enter {callee}"));
        }
        let shown = self
            .changes
            .iter()
            .filter(|v| self.kind != StepKind::Enter || v.matters);
        let values: Vec<String> = shown.map(Value::to_string).collect();
        if !values.is_empty() {
            parts.push(values.join(" "));
        }
        let threads = self.starts.iter();
        let threads = threads.filter_map(|&thread| run.threads.get(thread as usize));
        parts.extend(threads.map(|thread| format!("starts {}", thread.name)));
        parts.join(", ")
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.name, self.shown())
    }
}

impl Value {
    /// The value as the program writes it.
    pub fn shown(&self) -> String {
        self.shown.clone().unwrap_or_else(|| self.value.to_string())
    }
}

impl Choice {
    /// The value as the program writes it.
    pub fn shown(&self) -> String {
        self.shown.clone().unwrap_or_else(|| self.value.to_string())
    }
}

impl Run {
    /// How a run goes on or ends of which a property was asked.
    pub fn ending_in_words(&self) -> Option<String> {
        match (&self.cycle, self.ending) {
            (Some(cycle), _) => Some(match cycle.growth {
                0 => format!("steps {} to the end are repeated forever", cycle.first + 1),
                growth => format!(
                    "steps {} to the end are repeated forever, and the stack grows by {growth} \
                     each time",
                    cycle.first + 1
                ),
            }),
            (None, Some(RunEnding::Terminated)) => {
                Some("ends when the program terminates".to_owned())
            }
            (None, Some(RunEnding::Failed)) => Some("ends in a failed assertion".to_owned()),
            (None, None) => self
                .holds
                .as_ref()
                .map(|holds| format!("ends in a state where {holds} holds")),
        }
    }
}

impl AnswerReport<'_> {
    /// What its run relies on that C leaves undefined.
    pub fn undefined(&self) -> Option<&Undefined> {
        self.run.as_ref()?.relies_on.as_ref()
    }

    /// The verdict with what limits it.
    pub fn verdict_in_words(&self) -> String {
        let parts = [
            self.vacuous
                .then(|| ", vacuously: it is never reached".to_owned()),
            self.up_to.map(|bound| format!(", up to {bound}")),
            self.reason.as_ref().map(|reason| format!(": {reason}")),
            self.uncertified
                .map(|why| format!(", not certified: {why}")),
            self.undefined().map(|undefined| format!(", {undefined}")),
        ];
        let mut words = self.verdict.to_string();
        words.extend(parts.into_iter().flatten());
        words
    }
}
