//! The demands that a case is held against.

use crate::damage::damaged;
use crate::exports;
use crate::questions::question;
use crate::{Case, Complaint, Tally};
use hardbop_checker::Rejected;
use hardbop_families::random::Random;
use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::engine::takes_only_reachability;
use hardbop_outcome::{
    Bound, Budget, Certificate, Declined, Engine, Evidence, Interrupt, NeverInterrupted, Outcome,
    Question, Silent, Subject, Support, Verdict, WantedRun,
};
use hardbop_portfolio::{
    Choice, EngineName, FewLooks, Judgement, Options, Portfolio, Refused, certified_product,
    judge_evidence,
};
use hardbop_report::{Document, DocumentOptions, Page, TraceOptions, TraceTexts};
use hardbop_transform::Through;
use hardbop_transform::domains::reduce;
use hardbop_transform::hide::FewVariables;
use hardbop_transform::split::split_edges;
use serde_json::Value;

/// What one engine may use. Work, not time: a case has the same result on every machine.
const STATES: u64 = 20_000;
const NODES: u64 = 50_000;
const LOOKS: u64 = 300;
/// How often evidence of each kind is damaged.
const DAMAGES: usize = 6;
/// Steps of the runs in reports.
const SHOWN_STEPS: u64 = 200;

/// A case on the way.
pub(crate) struct Examination<'a> {
    machine: Machine,
    question: Question,
    in_other_words: Option<Question>,
    random: Random,
    interrupt: &'a dyn Interrupt,
    tally: Tally,
}

type Checked = Result<(), Complaint>;

impl<'a> Examination<'a> {
    pub fn new(case: &Case, interrupt: &'a dyn Interrupt) -> Result<Self, Complaint> {
        let machine = from_text("soak.bp", &case.text)
            .map_err(|_| Complaint::new("generated programs are programs", "it cannot be read"))?;
        let mut random = Random::new(case.seed);
        let (question, in_other_words) = question(&machine, &mut random);
        Ok(Self {
            question,
            in_other_words,
            machine,
            random,
            interrupt,
            tally: Tally::default(),
        })
    }

    /// Every demand, one after the other.
    pub fn run(mut self) -> Result<Tally, Complaint> {
        self.tally.count("programs");
        self.tally.count(match self.question.subject {
            Subject::Reach(_) => "questions about places",
            Subject::Property(_) => "questions about properties",
            Subject::Branching(_) => "questions about branching time",
        });
        if self.question.bound.is_some() {
            self.tally.count("bounded questions");
        }
        let Some(outcome) = self.everyone_agrees()? else {
            return Ok(self.tally);
        };
        self.the_default_agrees(&outcome)?;
        self.other_words_change_nothing(&outcome)?;
        self.limits_change_nothing(&outcome)?;
        self.transforms_change_nothing(&outcome)?;
        self.shortest_runs_are_equally_short()?;
        self.damage_is_noticed(&outcome)?;
        self.reports_can_be_written(&outcome)?;
        self.exports_say_the_same(&outcome)?;
        Ok(self.tally)
    }

    fn asked(&self, choice: Choice, looks: u64) -> Result<Option<Outcome>, Complaint> {
        self.asked_about(&self.question, choice, looks)
    }

    fn asked_about(
        &self,
        question: &Question,
        choice: Choice,
        looks: u64,
    ) -> Result<Option<Outcome>, Complaint> {
        let portfolio = Portfolio {
            choice,
            ..Portfolio::default()
        };
        let few = FewLooks::new(self.interrupt, looks);
        let outcome = portfolio.check(&self.machine, question, &budget(&few), &mut Silent);
        match outcome {
            Ok(outcome) => Ok(Some(outcome)),
            // No engine takes some questions, such as a number of steps of threads.
            Err(Refused::Usage(_)) => Ok(None),
            Err(Refused::Fault(fault)) => Err(Complaint::new(
                "engines agree and prove it",
                fault.to_string(),
            )),
        }
    }

    /// All engines that take the question say the same, with runs and certificates that are right.
    fn everyone_agrees(&mut self) -> Result<Option<Outcome>, Complaint> {
        let outcome = self.asked(Choice::CrossCheck, 8 * LOOKS)?;
        for answer in outcome.iter().flat_map(|outcome| &outcome.answers) {
            self.tally.count("answers");
            if answer.verdict.is_unknown() {
                self.tally.count("answers that are unknown");
            }
        }
        Ok(outcome)
    }

    fn the_default_agrees(&mut self, known: &Outcome) -> Checked {
        let default = self.asked(Choice::Auto, LOOKS)?;
        agree(
            "the default agrees with all engines",
            known,
            default.as_ref(),
        )
    }

    /// A formula has the same answer as its automaton, and as a formula of branching time.
    fn other_words_change_nothing(&mut self, known: &Outcome) -> Checked {
        let Some(question) = &self.in_other_words else {
            return Ok(());
        };
        let said = self.asked_about(question, Choice::Auto, LOOKS)?;
        agree("other words change no verdict", known, said.as_ref())?;
        self.tally.count("questions in other words");
        Ok(())
    }

    /// An engine that is stopped says nothing, or what it would have said.
    fn limits_change_nothing(&mut self, known: &Outcome) -> Checked {
        for _ in 0..3 {
            self.tally.count("questions under a limit");
            let looks = self.random.below(12) as u64;
            let stopped = self.asked(Choice::Auto, looks)?;
            agree("a limit changes no verdict", known, stopped.as_ref())?;
        }
        let few = FewLooks::new(self.interrupt, LOOKS);
        let budget = Budget {
            states: Some(self.random.below(50) as u64),
            nodes: Some(self.random.below(200) as u64),
            ..budget(&few)
        };
        for name in EngineName::ALL {
            let engine = name.engine(&Options::default());
            if engine
                .prepare(&self.machine, &self.question, &Budget::unlimited())
                .is_ok()
            {
                let stopped = engine.check(&self.machine, &self.question, &budget, &mut Silent);
                agree("a limit changes no verdict", known, Some(&stopped))?;
            }
        }
        Ok(())
    }

    /// What engines say through transforms is true of the program.
    fn transforms_change_nothing(&mut self, known: &Outcome) -> Checked {
        let engines = [EngineName::Summary, EngineName::Explicit, EngineName::Sat];
        for name in engines {
            let engine = || name.engine(&Options::default());
            let wrapped: [Box<dyn Engine>; 5] = [
                Box::new(Through::sliced("sliced", engine())),
                Box::new(FewVariables {
                    engine: engine(),
                    tries_all: false,
                }),
                Box::new(Through::new("split", engine(), |machine, question, _| {
                    if question.as_property().is_some() {
                        return Declined::because("properties of runs");
                    }
                    if let Some(Bound::Steps(_)) = question.bound {
                        return Declined::because("a number of steps, of which it makes more");
                    }
                    let split = split_edges(machine, question, |edge| edge.0.is_multiple_of(2));
                    Ok(Box::new(split))
                })),
                Box::new(Through::monitored("monitored", engine())),
                Box::new(Through::new("reduced", engine(), |machine, question, _| {
                    takes_only_reachability(question)?;
                    match reduce(machine, question) {
                        Some(reduced) if machine.is_sequential() => Ok(Box::new(reduced)),
                        _ => Declined::because("integers that cannot be smaller"),
                    }
                })),
            ];
            for engine in wrapped {
                if engine
                    .prepare(&self.machine, &self.question, &Budget::unlimited())
                    .is_err()
                {
                    continue;
                }
                self.tally.count("questions asked through transforms");
                let few = FewLooks::new(self.interrupt, LOOKS);
                let budget = budget(&few);
                let said = engine.check(&self.machine, &self.question, &budget, &mut Silent);
                agree("a transform changes no verdict", known, Some(&said))?;
                self.evidence_is_right(&said)?;
            }
        }
        Ok(())
    }

    /// Runs lead where they should, and certificates are accepted.
    fn evidence_is_right(&self, outcome: &Outcome) -> Checked {
        for answer in &outcome.answers {
            if let Verdict::Yes(Support::Evidence(evidence)) = &answer.verdict {
                let judged = judge_evidence(&self.machine, &self.question, &answer.asked, evidence);
                if let Err(why) = judged {
                    return Err(Complaint::new("ways back lead to runs", why));
                }
            }
        }
        let product = certified_product(&self.machine, &self.question, &outcome.certificates);
        let product =
            product.map_err(|why| Complaint::new("ways back lead to certificates", why))?;
        let machine = product.as_ref().map_or(&self.machine, |p| &p.machine);
        for certificate in &outcome.certificates {
            let patience = FewLooks::new(self.interrupt, 1_000_000);
            match hardbop_checker::validate(machine, certificate, &patience) {
                Ok(_) | Err(Rejected::Interrupted(_)) => {}
                Err(rejected) => {
                    let why = rejected.to_string();
                    return Err(Complaint::new("ways back lead to certificates", why));
                }
            }
        }
        Ok(())
    }

    /// Engines that give shortest runs of sequential programs give runs of one length, where a call
    /// that returns is one step.
    fn shortest_runs_are_equally_short(&mut self) -> Checked {
        let is_about_places = matches!(self.question.subject, Subject::Reach(_));
        if !is_about_places || self.question.bound.is_some() || !self.machine.is_sequential() {
            return Ok(());
        }
        let question = self.question.clone().wanting(WantedRun::Shortest);
        let mut lengths: Vec<Option<u64>> = vec![None; question.asked().len()];
        for name in [EngineName::Summary, EngineName::Explicit] {
            let engine = name.engine(&Options::default());
            if engine
                .prepare(&self.machine, &question, &Budget::unlimited())
                .is_err()
            {
                continue;
            }
            let few = FewLooks::new(self.interrupt, LOOKS);
            let outcome = engine.check(&self.machine, &question, &budget(&few), &mut Silent);
            for (known, answer) in lengths.iter_mut().zip(&outcome.answers) {
                let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &answer.verdict else {
                    continue;
                };
                let replayed = replay(&self.machine, trace);
                let length =
                    replayed.map_err(|e| Complaint::new("runs are runs", e.to_string()))?;
                let length = length.hierarchical_steps;
                self.tally.count("shortest runs compared");
                if known.replace(length).is_some_and(|other| other != length) {
                    let what = format!("{name}: {length} steps to {}", answer.asked);
                    return Err(Complaint::new("shortest runs are equally short", what));
                }
            }
        }
        Ok(())
    }

    /// Evidence that was damaged is refused, or still true.
    fn damage_is_noticed(&mut self, known: &Outcome) -> Checked {
        for certificate in &known.certificates {
            let original = serde_json::to_value(certificate).unwrap_or(Value::Null);
            for _ in 0..DAMAGES {
                let document = damaged(&mut self.random, &original);
                let Ok(certificate) = serde_json::from_value::<Certificate>(document) else {
                    continue;
                };
                let judged =
                    hardbop_checker::validate(&self.machine, &certificate, &NeverInterrupted);
                if judged.is_err() {
                    self.tally.count("damaged certificates refused");
                    continue;
                }
                let is_reached = |node| {
                    let mut found = known.answers.iter().filter(|a| a.verdict.is_yes());
                    found.any(|answer| answer.target().is_some_and(|t| t.node == node))
                };
                let unbounded = self.question.bound.is_none();
                if unbounded && certificate.targets.iter().any(|t| is_reached(t.node)) {
                    let what = "a place that is reached is proved unreachable";
                    return Err(Complaint::new("only true certificates are accepted", what));
                }
            }
        }
        for answer in &known.answers {
            let Some(evidence) = answer.verdict.evidence() else {
                continue;
            };
            let original = serde_json::to_value(evidence).unwrap_or(Value::Null);
            for _ in 0..DAMAGES {
                let document = damaged(&mut self.random, &original);
                if let Ok(evidence) = serde_json::from_value::<Evidence>(document) {
                    let judged =
                        judge_evidence(&self.machine, &self.question, &answer.asked, &evidence);
                    if judged != Ok(Judgement::Confirmed) {
                        self.tally.count("damaged runs refused");
                    } else if let Evidence::Strategy(strategy) = &evidence
                        && strategy.holds == answer.verdict.is_yes()
                    {
                        let what = "a strategy shows the opposite of the answer";
                        return Err(Complaint::new("only true strategies are accepted", what));
                    }
                }
            }
        }
        Ok(())
    }

    /// The program can be written for other tools, and as C it has the same answer.
    fn exports_say_the_same(&mut self, known: &Outcome) -> Checked {
        let chosen = self.random.below(known.answers.len().max(1));
        let Some(answer) = known.answers.get(chosen) else {
            return Ok(());
        };
        let Some(target) = answer.target() else {
            return Ok(());
        };
        for _ in 0..exports::others(&self.machine, target, &known.certificates) {
            self.tally.count("exports");
        }
        if self.question.bound.is_some() || answer.verdict.is_unknown() {
            return Ok(());
        }
        let Some(machine) = exports::as_c(&self.machine, target)? else {
            return Ok(());
        };
        let question = Question::assertions(&machine);
        let few = FewLooks::new(self.interrupt, LOOKS);
        let portfolio = Portfolio::default();
        let said = match portfolio.check(&machine, &question, &budget(&few), &mut Silent) {
            Ok(said) => said,
            Err(Refused::Usage(_)) => return Ok(()),
            Err(Refused::Fault(fault)) => {
                let demand = "engines agree and prove it of exported C";
                return Err(Complaint::new(demand, fault.to_string()));
            }
        };
        self.tally.count("programs as C");
        let is_reached = said.answers.iter().any(|answer| answer.verdict.is_yes());
        let is_open = said
            .answers
            .iter()
            .any(|answer| answer.verdict.is_unknown());
        if is_reached != answer.verdict.is_yes() && (is_reached || !is_open) {
            let what = format!(
                "{} of {}, but C says the opposite",
                answer.word(),
                answer.asked
            );
            return Err(Complaint::new("exported C has the same answer", what));
        }
        Ok(())
    }

    /// Every kind of report can be made of every answer.
    fn reports_can_be_written(&mut self, outcome: &Outcome) -> Checked {
        let complaint = |why: String| Complaint::new("every report can be written", why);
        let options = DocumentOptions {
            most_steps: Some(SHOWN_STEPS),
            ..DocumentOptions::default()
        };
        let document = Document::new(&self.machine, outcome, "soak", options).map_err(complaint)?;
        let json = document.to_json().map_err(|e| complaint(e.to_string()))?;
        let value: Value = serde_json::from_str(&json).map_err(|e| complaint(e.to_string()))?;
        if value["answers"].as_array().map(Vec::len) != Some(outcome.answers.len()) {
            return Err(complaint("JSON has lost answers".to_owned()));
        }
        hardbop_report::sarif(&document).map_err(|e| complaint(e.to_string()))?;
        hardbop_report::junit(&document).map_err(|e| complaint(e.to_string()))?;
        let page = Page {
            machine: &self.machine,
            document: Some(&document),
            certificates: &outcome.certificates,
            coverage: None,
            hardbop: "soak",
        };
        hardbop_report::html(&page).map_err(|e| complaint(e.to_string()))?;
        self.tally.count("reports");
        let texts = TraceTexts::new(&self.machine, TraceOptions::default());
        for answer in &outcome.answers {
            if let Verdict::Yes(Support::Evidence(evidence)) = &answer.verdict {
                let text = texts.text(evidence, Some(&answer.asked));
                text.map_err(complaint)?;
                self.tally.count("runs in reports");
            }
        }
        Ok(())
    }
}

fn budget(interrupt: &dyn Interrupt) -> Budget<'_> {
    Budget {
        states: Some(STATES),
        nodes: Some(NODES),
        interrupt,
        ..Budget::unlimited()
    }
}

/// Nobody says the opposite of what is known.
fn agree(demand: &'static str, known: &Outcome, said: Option<&Outcome>) -> Checked {
    let Some(said) = said else {
        return Ok(());
    };
    for (one, other) in known.answers.iter().zip(&said.answers) {
        let (a, b) = (&one.verdict, &other.verdict);
        let decided = !a.is_unknown() && !b.is_unknown();
        if decided && a.is_yes() != b.is_yes() {
            let what = format!(
                "{} of {}, but {} says {}",
                one.word(),
                one.asked,
                said.engine,
                other.word()
            );
            return Err(Complaint::new(demand, what));
        }
    }
    Ok(())
}
