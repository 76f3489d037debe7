//! Properties of runs: formulas, monitors, automata, and three questions that need no text.
//!
//! Each becomes an automaton of the runs that are looked for, and the explicit engine looks for one. As everywhere, what it finds is not
//! believed: the run is replayed, and the property evaluated on its states, a formula by the definition of the logic.

use super::{Arguments, no_json};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::interrupt::Patience;
use crate::targets::find_label;
use crate::usage::Usage;
use hardbop_automata::{Automaton, Letter, Ltl, View, read_hoa, read_ltl, read_monitor};
use hardbop_explicit::{Evidence, PropertyAnswer, PropertyVerdict};
use hardbop_interpreter::{Configuration, LassoError, observe_lasso, observe_trace, replay};
use hardbop_machine::Machine;
use hardbop_outcome::{Limit, Silent};
use hardbop_syntax::{Diagnostic, Source};

/// Version of the JSON form.
const VERSION: u32 = 1;
/// The property is evaluated on runs of up to so many states; longer ones are only replayed.
const MAX_OBSERVED: usize = 1_000_000;

/// The monitor that sees `main` return.
const ENDS: &str = "monitor Ends begin
  state running initial;
  state ended target;
  from running: on terminated goto ended;
end";

/// What to ask about runs.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Properties of runs")]
pub struct PropertyArguments {
    /// Check a formula of linear temporal logic (may be repeated)
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,
    /// Check a monitor: its target states must not be entered, its accepting states not for ever (may be repeated)
    #[arg(long, value_name = "FILE.mon")]
    monitor: Vec<String>,
    /// Check an automaton of the runs that must not be, in the HOA format (may be repeated)
    #[arg(long, value_name = "FILE.hoa")]
    hoa: Vec<String>,
    /// Ask for a run that visits a label again and again (may be repeated)
    #[arg(long, value_name = "LABEL")]
    fair: Vec<String>,
    /// Ask for a run that never ends
    #[arg(long)]
    nonterminating: bool,
    /// Ask for a run that ends
    #[arg(long)]
    terminates: bool,
}

/// A property, or a question for a run, with its automaton.
struct Question {
    text: String,
    /// Whether a run is asked for; otherwise a property should hold.
    asks_for_run: bool,
    formula: Option<Ltl>,
    automaton: Automaton,
}

impl PropertyArguments {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.ltl.is_empty()
            && self.monitor.is_empty()
            && self.hoa.is_empty()
            && self.fair.is_empty()
            && !self.nonterminating
            && !self.terminates
    }

    fn questions(
        &self,
        console: &mut Console,
        machine: &Machine,
    ) -> Result<Vec<Question>, Failure> {
        let mut questions = Vec::new();
        for text in &self.ltl {
            questions.push(formula(console, machine, text, text, false)?);
        }
        for file in &self.monitor {
            let source = input::read_source(file)?;
            let monitor = reported(console, &source, read_monitor(&source, machine))?;
            questions.push(Question {
                text: format!("monitor {}", monitor.name),
                asks_for_run: false,
                formula: None,
                automaton: monitor.automaton,
            });
        }
        for file in &self.hoa {
            let source = input::read_source(file)?;
            let automaton = reported(console, &source, read_hoa(&source, machine))?;
            questions.push(Question {
                text: format!("automaton {file}"),
                asks_for_run: false,
                formula: None,
                automaton,
            });
        }
        for label in &self.fair {
            find_label(machine, label)?;
            let violated = format!("F G !at({label})");
            let words = format!("label {label}, again and again");
            questions.push(formula(console, machine, &violated, &words, true)?);
        }
        if self.nonterminating {
            let (violated, words) = ("F (terminated | failed)", "a run that never ends");
            questions.push(formula(console, machine, violated, words, true)?);
        }
        if self.terminates {
            // A matter of reaching a state, and that search follows returns at once.
            let source = Source::new("--terminates", ENDS);
            let monitor = reported(console, &source, read_monitor(&source, machine))?;
            questions.push(Question {
                text: "a run that ends".to_owned(),
                asks_for_run: true,
                formula: None,
                automaton: monitor.automaton,
            });
        }
        Ok(questions)
    }
}

/// A formula whose violations are looked for.
fn formula(
    console: &mut Console,
    machine: &Machine,
    text: &str,
    words: &str,
    asks_for_run: bool,
) -> Result<Question, Failure> {
    let source = Source::new("--ltl", text);
    let formula = reported(console, &source, read_ltl(&source, machine))?;
    Ok(Question {
        text: words.to_owned(),
        asks_for_run,
        automaton: formula.violations(),
        formula: Some(formula),
    })
}

fn reported<T>(
    console: &mut Console,
    source: &Source,
    read: Result<T, Vec<Diagnostic>>,
) -> Result<T, Failure> {
    read.map_err(|diagnostics| {
        console.diagnostics(source, &diagnostics);
        Failure::Reported
    })
}

/// Answers the questions about runs.
pub fn run(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    usage: &mut Usage,
) -> Result<Exit, Failure> {
    let bad = |why: &str| Err(Failure::BadInput(why.to_owned()));
    if !arguments.targets.is_empty() {
        return bad("labels and properties of runs are asked about one at a time");
    }
    if !["auto", "explicit"].contains(&arguments.engine.as_str()) {
        return bad("properties of runs are for the engine explicit");
    }
    if arguments.certificate.is_some() {
        return bad("there are no certificates for properties of runs");
    }
    let questions = arguments.properties.questions(console, machine)?;
    usage.end_phase("properties");
    let engine = arguments.engine_options.property_engine();
    let patience = Patience::start(arguments.limits.time);
    let mut exit = Exit::Fine;
    let mut answers = Vec::new();
    for question in &questions {
        let budget = arguments.limits.budget(&patience);
        let answer = engine.check(machine, &question.automaton, &budget, &mut Silent);
        if !arguments.no_validate
            && let PropertyVerdict::Found(evidence) = &answer.verdict
        {
            validate(machine, question, evidence)?;
        }
        exit = match (exit, &answer.verdict) {
            (_, PropertyVerdict::Found(_)) | (Exit::Found, _) => Exit::Found,
            (_, PropertyVerdict::Unknown(_)) => Exit::Unknown,
            (exit, PropertyVerdict::Excluded) => exit,
        };
        if arguments.json {
            answers.push(AnswerJson::new(question, answer));
        } else {
            show(console, arguments, machine, question, &answer)?;
        }
    }
    if arguments.json {
        let json = OutcomeJson {
            version: VERSION,
            engine: "explicit",
            answers,
        };
        let text = serde_json::to_string_pretty(&json).map_err(|error| no_json(&error))?;
        console.print(&format!("{text}\n"));
    }
    Ok(exit)
}

/// The run must be one, and the property must be violated on it.
fn validate(machine: &Machine, question: &Question, evidence: &Evidence) -> Result<(), Failure> {
    let reject = |why: String| {
        Failure::Internal(format!(
            "internal error: the answer of engine explicit was rejected: {why}"
        ))
    };
    let automaton = &question.automaton;
    let letter = |now: &Configuration, terminated| {
        let node = now
            .top(0)
            .map_or(hardbop_machine::NodeId(0), |top| top.node);
        let read = |variable| now.read(machine, 0, variable);
        let view = View { node, terminated };
        automaton
            .propositions
            .letter(machine, view, Letter::MAX, read)
    };
    let is_violated = match evidence {
        Evidence::Lasso(lasso) => match observe_lasso(machine, lasso, MAX_OBSERVED, letter) {
            Ok(word) => match &question.formula {
                Some(formula) => !formula.holds_on_lasso(&word.stem, &word.cycle),
                None => automaton.accepts(&word.stem, &word.cycle),
            },
            // Replayed, but too long to look at each of its states.
            Err(LassoError::TooLong { .. }) => true,
            Err(error) => return Err(reject(format!("its run is none: {error}"))),
        },
        Evidence::Trace(trace) => {
            replay(machine, trace).map_err(|error| reject(format!("its run is none: {error}")))?;
            match observe_trace(machine, trace, MAX_OBSERVED, letter) {
                Ok(letters) => automaton.enters_target(&letters).is_some(),
                Err(LassoError::TooLong { .. }) => true,
                Err(error) => return Err(reject(format!("its run is none: {error}"))),
            }
        }
    };
    if is_violated {
        Ok(())
    } else {
        Err(reject("its run does not violate the property".to_owned()))
    }
}

fn show(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    question: &Question,
    answer: &PropertyAnswer,
) -> Result<(), Failure> {
    let internal = |error: String| Failure::Internal(format!("internal error: {error}"));
    let text = &question.text;
    let count = |wanted: &str| {
        let mut counters = answer.statistics.iter();
        counters.find(|(name, _)| name == wanted).map_or(0, |c| c.1)
    };
    let explored = format!(
        "{} states, {} summaries",
        count("states"),
        count("summaries")
    );
    let (found, excluded) = if question.asks_for_run {
        ("REACHABLE    ", "UNREACHABLE  ")
    } else {
        ("VIOLATED     ", "HOLDS        ")
    };
    let lines = match &answer.verdict {
        PropertyVerdict::Excluded => format!("{excluded}{text}\n  all explored: {explored}\n"),
        PropertyVerdict::Unknown(why) => {
            let so_far = match why {
                Limit::Unsupported { .. } => String::new(),
                _ => format!("  explored so far: {explored}\n"),
            };
            format!("UNKNOWN      {text}: {why}\n{so_far}")
        }
        PropertyVerdict::Found(Evidence::Lasso(lasso)) => {
            let shown = arguments.traces.shown_lasso(machine, lasso);
            let shown = shown.map_err(|error| internal(error.to_string()))?;
            format!("{found}{text}\n{shown}")
        }
        PropertyVerdict::Found(Evidence::Trace(trace)) => {
            let shown = arguments.traces.shown(machine, trace);
            let shown = shown.map_err(|error| internal(error.to_string()))?;
            format!("{found}{text}\n{shown}")
        }
    };
    console.print(&lines);
    if arguments.stats {
        let rows = answer.statistics.iter();
        let rows = rows.map(|(name, count)| format!("  {name:<28} {count:>14}\n"));
        console.print_about(&rows.collect::<String>());
    }
    Ok(())
}

/// What `--json` prints.
#[derive(serde::Serialize)]
struct OutcomeJson {
    #[serde(rename = "hardbop-properties")]
    version: u32,
    engine: &'static str,
    answers: Vec<AnswerJson>,
}

#[derive(serde::Serialize)]
struct AnswerJson {
    property: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lasso: Option<hardbop_outcome::Lasso>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<hardbop_outcome::Trace>,
    statistics: Vec<(String, u64)>,
}

impl AnswerJson {
    fn new(question: &Question, answer: PropertyAnswer) -> Self {
        let mut json = Self {
            property: question.text.clone(),
            verdict: if question.asks_for_run {
                "unreachable"
            } else {
                "holds"
            },
            why: None,
            lasso: None,
            trace: None,
            statistics: answer.statistics,
        };
        match answer.verdict {
            PropertyVerdict::Excluded => return json,
            PropertyVerdict::Unknown(why) => {
                json.verdict = "unknown";
                json.why = Some(why);
                return json;
            }
            PropertyVerdict::Found(Evidence::Lasso(mut lasso)) => {
                lasso.property = Some(question.text.clone());
                json.lasso = Some(lasso);
            }
            PropertyVerdict::Found(Evidence::Trace(trace)) => json.trace = Some(trace),
        }
        json.verdict = if question.asks_for_run {
            "reachable"
        } else {
            "violated"
        };
        json
    }
}
