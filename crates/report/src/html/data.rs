//! What the page's script gets: a document, its source and its graphs, with tables for whatever
//! occurs often.

use super::Page;
use crate::coverage::{line_marks, remarks};
use crate::document::{AnswerReport, Place, Run, Scope, Step, Value};
use crate::invariants::invariants;
use hardbop_machine::graph::{Captions, NodeRole};
use hardbop_machine::{Action, Machine, ProcId};
use hardbop_outcome::{Asked, Certificate, Target, VerdictWord};
use hardbop_syntax::shown_line;
use serde::Serialize;
use std::collections::HashMap;

/// Numbers above this are not exact in a browser.
const EXACT: u64 = 1 << 53;

#[derive(Serialize)]
pub(super) struct PageData<'a> {
    hardbop: &'a str,
    file: &'a str,
    engine: &'a str,
    /// Why the command ended early.
    unknown: Option<&'a str>,
    lines: Vec<String>,
    /// Per line how it is reached: a sign of the coverage text, or a blank.
    reach: Option<String>,
    remarks: Vec<(u32, u32, &'static str)>,
    vacuous: bool,
    answers: Vec<PageAnswer<'a>>,
    /// Per certificate what holds before statements: procedure, line, column, formula.
    proofs: Vec<Vec<(u32, u32, u32, String)>>,
    procedures: Vec<PageProcedure<'a>>,
    /// Statements that runs execute.
    places: Vec<PagePlace>,
    names: Vec<String>,
}

#[derive(Serialize)]
struct PageAnswer<'a> {
    question: &'a str,
    verdict: VerdictWord,
    /// The verdict with what limits it.
    words: String,
    target: Option<&'a Target>,
    proof: Option<usize>,
    run: Option<PageRun>,
}

#[derive(Serialize)]
struct PageRun {
    length: String,
    ending: Option<String>,
    threads: Vec<PageThread>,
    start: Vec<PageValue>,
    steps: Vec<PageStep>,
    cycle: Option<usize>,
    growth: u32,
    end: Vec<Option<(u32, u32, u32)>>,
}

#[derive(Serialize)]
struct PageThread {
    name: String,
    procedure: u32,
    start: Vec<PageValue>,
}

/// Name, scope (0 shared, 1 thread, 2 local), value, whether it matters.
type PageValue = (u32, u8, PageNumber, u8);

#[derive(Serialize)]
#[serde(untagged)]
enum PageNumber {
    Exact(i64),
    Text(String),
}

#[derive(Serialize, PartialEq, Eq, Hash, Clone)]
struct PagePlace {
    /// Index of the procedure.
    p: u32,
    l: u32,
    c: u32,
    /// The node, counted within the procedure.
    n: u32,
    /// The edge, counted within the procedure.
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<u32>,
    /// The kind of step.
    k: String,
    t: String,
    /// The procedure that is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    f: Option<u32>,
}

#[derive(Serialize)]
struct PageStep {
    /// Index into the places.
    p: u32,
    #[serde(skip_serializing_if = "is_zero")]
    t: u32,
    #[serde(skip_serializing_if = "is_zero")]
    d: u32,
    /// Changed values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    v: Vec<PageValue>,
    /// Which way it goes and what its choices came out as, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    w: String,
    /// Threads that it starts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    s: Vec<u32>,
    /// The number of the context switch before it.
    #[serde(skip_serializing_if = "is_zero")]
    x: u32,
    /// An assertion fails.
    #[serde(skip_serializing_if = "is_zero")]
    f: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Serialize)]
struct PageProcedure<'a> {
    name: &'a str,
    line: u32,
    /// Line, role, text.
    nodes: Vec<(u32, u8, String)>,
    /// From, to (counted within the procedure), whether it is a call.
    edges: Vec<(u32, u32, u8)>,
}

impl<'a> PageData<'a> {
    pub(super) fn new(page: &Page<'a>) -> Self {
        let machine = page.machine;
        let source = &machine.source;
        let count = source.line_count();
        let lines =
            (1..=count).map(|line| shown_line(source.line_text(line).trim_end()).into_owned());
        let mut tables = Tables::new(machine);
        let captions = Captions::new(machine);
        let document = page.document;
        let answers = document.map_or(&[][..], |document| &document.answers);
        let answers = answers.iter().map(|answer| tables.answer(answer)).collect();
        Self {
            hardbop: page.hardbop,
            file: source.name(),
            engine: document.map_or("", |document| document.engine),
            unknown: document.and_then(|document| document.unknown),
            lines: lines.collect(),
            reach: page.coverage.map(|coverage| line_marks(coverage, count)),
            remarks: page.coverage.map_or_else(Vec::new, remarks),
            vacuous: page.coverage.is_some_and(|coverage| coverage.vacuous),
            answers,
            proofs: proofs(page),
            procedures: machine
                .procedure_ids()
                .map(|id| procedure(machine, &captions, id))
                .collect(),
            places: tables.places,
            names: tables.names,
        }
    }
}

fn proofs(page: &Page<'_>) -> Vec<Vec<(u32, u32, u32, String)>> {
    let machine = page.machine;
    let of = |certificate: &Certificate| {
        if certificate.property.is_some() {
            // Its program points are those of a product.
            return Vec::new();
        }
        let all = invariants(machine, certificate).into_iter();
        let rows = all.map(|invariant| {
            let node = machine.node(invariant.node);
            let (line, column) = machine.source.line_column(node.span.start);
            (node.procedure.0, line, column, invariant.text)
        });
        rows.collect()
    };
    page.certificates.iter().map(of).collect()
}

fn procedure<'m>(machine: &'m Machine, captions: &Captions<'_>, id: ProcId) -> PageProcedure<'m> {
    let procedure = machine.procedure(id);
    let first = procedure.nodes.start;
    let nodes = procedure.node_ids().map(|node| {
        let role = match captions.role(node) {
            NodeRole::Plain => 0,
            NodeRole::Entry => 1,
            NodeRole::Exit => 2,
            NodeRole::Failure => 3,
            NodeRole::Labelled => 4,
        };
        (machine.line_of(node), role, captions.statement(node))
    });
    let edges = procedure.edge_ids().map(|edge| {
        let edge = machine.edge(edge);
        let is_call = matches!(edge.action, Action::Call { .. });
        (edge.from.0 - first, edge.to.0 - first, u8::from(is_call))
    });
    PageProcedure {
        name: &procedure.name,
        line: machine.source.line(procedure.span.start),
        nodes: nodes.collect(),
        edges: edges.collect(),
    }
}

/// Tables that grow while runs are put down.
struct Tables<'m> {
    machine: &'m Machine,
    procedures: HashMap<&'m str, u32>,
    places: Vec<PagePlace>,
    place_ids: HashMap<PagePlace, u32>,
    names: Vec<String>,
    name_ids: HashMap<String, u32>,
}

impl<'m> Tables<'m> {
    fn new(machine: &'m Machine) -> Self {
        let names = machine.procedures.iter().map(|p| p.name.as_str());
        Self {
            machine,
            procedures: names.zip(0..).collect(),
            places: Vec::new(),
            place_ids: HashMap::new(),
            names: Vec::new(),
            name_ids: HashMap::new(),
        }
    }

    fn answer<'a>(&mut self, answer: &'a AnswerReport<'_>) -> PageAnswer<'a> {
        PageAnswer {
            question: &answer.question,
            verdict: answer.verdict,
            words: answer.verdict_in_words(),
            target: match answer.asked {
                Asked::Target(target) => Some(target),
                Asked::Property(_) => None,
            },
            proof: answer.certificate.as_ref().map(|proof| proof.index),
            run: answer.run.as_ref().map(|run| self.run(run)),
        }
    }

    fn run(&mut self, run: &Run) -> PageRun {
        PageRun {
            length: match run.length {
                u64::MAX => format!("{} or more", u64::MAX),
                length => length.to_string(),
            },
            ending: run.ending_in_words(),
            threads: run
                .threads
                .iter()
                .map(|thread| PageThread {
                    name: thread.name.clone(),
                    procedure: self.procedure(&thread.procedure),
                    start: self.values(&thread.start),
                })
                .collect(),
            start: self.values(&run.start),
            steps: run.steps.iter().map(|step| self.step(step)).collect(),
            cycle: run.cycle.map(|cycle| cycle.first),
            growth: run.cycle.map_or(0, |cycle| cycle.growth),
            end: run
                .end
                .iter()
                .map(|place| {
                    let place = place.as_ref()?;
                    let procedure = self.procedure(&place.procedure);
                    Some((procedure, place.line, self.node(procedure, place)))
                })
                .collect(),
        }
    }

    fn step(&mut self, step: &Step) -> PageStep {
        let procedure = self.procedure(&step.place.procedure);
        let edges = self.machine.procedures[procedure as usize].edges.start;
        let kind = serde_json::to_value(step.kind).ok();
        let place = PagePlace {
            p: procedure,
            l: step.place.line,
            c: step.place.column,
            n: self.node(procedure, &step.place),
            e: step.edge.map(|edge| edge - edges),
            k: kind
                .and_then(|kind| kind.as_str().map(str::to_owned))
                .unwrap_or_default(),
            t: step.text.clone(),
            f: step.callee.as_deref().map(|callee| self.procedure(callee)),
        };
        let next = self.places.len() as u32;
        let id = *self.place_ids.entry(place.clone()).or_insert(next);
        if id == next {
            self.places.push(place);
        }
        PageStep {
            p: id,
            t: step.thread,
            d: step.depth,
            v: self.values(&step.changes),
            w: step.way().join(", "),
            s: step.starts.clone(),
            x: step.switch.unwrap_or(0),
            f: u32::from(step.fails),
        }
    }

    fn values(&mut self, values: &[Value]) -> Vec<PageValue> {
        let values = values.iter();
        values
            .map(|value| {
                let scope = match value.scope {
                    Scope::Shared => 0,
                    Scope::Thread => 1,
                    Scope::Local => 2,
                };
                let number = match (&value.shown, i64::try_from(value.value.0)) {
                    (None, Ok(exact)) if exact.unsigned_abs() < EXACT => PageNumber::Exact(exact),
                    _ => PageNumber::Text(value.shown()),
                };
                (
                    self.name(&value.name),
                    scope,
                    number,
                    u8::from(value.matters),
                )
            })
            .collect()
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.name_ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.name_ids.insert(name.to_owned(), id);
        id
    }

    fn procedure(&self, name: &str) -> u32 {
        self.procedures.get(name).copied().unwrap_or(0)
    }

    fn node(&self, procedure: u32, place: &Place) -> u32 {
        place.node - self.machine.procedures[procedure as usize].nodes.start
    }
}
