//! What games on a program need besides its steps: sets of exits, owners and priorities of places.
//!
//! A set of exits is a bit for each way in which a call can come back: for each value of the
//! globals and of what the procedure returns. Claims about calls (Walukiewicz, "Pushdown
//! processes: games and model checking") are made of such sets, so games on recursive programs can
//! be said as formulas. Their number of bits is exponential in the bits of the globals, as the
//! problem is; with more than [`MOST_BITS`] of them there is no such type.
//!
//! It is all text, for it is small, and it is there only for algorithms that mention it.

use crate::encoding::layout::{Class, Layout, VariableBit};
use crate::search::algorithm::Algorithm;
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Action, Machine, NodeId, ProcId, Variable};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Writing to a string does not fail.
const INFALLIBLE: &str = "a string takes all text";

/// So many bits of globals and results are told apart at an exit.
const MOST_BITS: usize = 8;

/// The largest priority.
const LAST_PRIORITY: u32 = 3;

/// What a label of a place of Eve begins with.
const EVE: &str = "EVE";

/// What a label with a priority begins with.
const PRIORITY: &str = "PRIORITY_";

/// The relations and types of this file, by the words with which an algorithm asks for them.
const WORDS: [&str; 6] = [
    "ExitSet",
    "IsAmong",
    "EveAt",
    "PriorityAt",
    "FailsAt",
    "EndsAt",
];

/// The types and relations of games, if an algorithm mentions any of them.
pub(crate) fn text(machine: &Machine, layout: &Layout, algorithm: &Algorithm) -> String {
    if !WORDS.iter().any(|word| algorithm.mentions(word)) {
        return String::new();
    }
    let mut game = Game {
        machine,
        layout,
        text: String::new(),
    };
    game.places();
    if exit_bits(machine, layout) <= MOST_BITS {
        game.exits();
    }
    game.text
}

/// Why there are no sets of exits, if an algorithm mentions them and the program is too large.
pub(crate) fn refused(machine: &Machine, layout: &Layout, algorithm: &Algorithm) -> Option<String> {
    let bits = exit_bits(machine, layout);
    let is_refused = bits > MOST_BITS && algorithm.mentions("ExitSet");
    is_refused.then(|| {
        format!(
            "globals and results have {bits} bits where a procedure ends; sets of exits tell at most \
             {MOST_BITS} apart"
        )
    })
}

/// The bits that tell the exits of a procedure apart.
fn bits_of(machine: &Machine, layout: &Layout, procedure: ProcId) -> Vec<(VariableBit, String)> {
    let results: Vec<Variable> = machine
        .procedure(procedure)
        .results()
        .map(Variable::Local)
        .collect();
    let mut found = Vec::new();
    for (bit, field) in layout.bits(procedure) {
        let name = match field.class {
            Class::Global => format!("z.CG.{}", layout.global_fields[field.index as usize]),
            Class::Local if results.contains(&bit.0) => {
                format!("z.CL.{}", layout.local_fields[field.index as usize])
            }
            Class::Local => continue,
        };
        found.push((bit, name));
    }
    found
}

fn exit_bits(machine: &Machine, layout: &Layout) -> usize {
    let procedures = machine.procedure_ids();
    let bits = procedures.map(|id| bits_of(machine, layout, id).len());
    bits.max().unwrap_or(0)
}

struct Game<'g> {
    machine: &'g Machine,
    layout: &'g Layout,
    text: String,
}

impl Game<'_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect(INFALLIBLE);
        self.text.push('\n');
    }

    /// A relation between places: its meaning, its head and what is true in it.
    fn relation(&mut self, about: &str, head: &str, cases: &BTreeSet<String>) {
        let cases: Vec<&str> = cases.iter().map(String::as_str).collect();
        let body = match cases[..] {
            [] => "0".to_owned(),
            _ => cases.join("\n  | "),
        };
        self.line(format_args!("// {about}\nbool {head}\n  ( {body} );\n"));
    }

    fn place(&self, node: NodeId) -> String {
        let module = self.layout.module(self.machine.procedure_of(node));
        format!("m={module} & p={}", self.layout.pc(node))
    }

    fn places(&mut self) {
        let labels = &self.machine.labels;
        let eve = labels.iter().filter(|label| label.name.starts_with(EVE));
        let eve: BTreeSet<String> = eve.map(|label| self.place(label.node)).collect();
        let marked = labels.iter().filter_map(|label| {
            let priority = priority(&label.name)?;
            Some((label.node, priority))
        });
        let marked: BTreeSet<(NodeId, u32)> = marked.collect();
        let with = |priority: u32| {
            let such = marked.iter().filter(move |&&(_, p)| p == priority);
            such.map(|&(node, _)| node)
        };
        let mut priorities = BTreeSet::new();
        for priority in 1..=LAST_PRIORITY {
            // Of several labels the largest priority counts.
            let larger = |node| (priority + 1..=LAST_PRIORITY).any(|p| marked.contains(&(node, p)));
            let nodes = with(priority).filter(|&node| !larger(node));
            priorities.extend(nodes.map(|node| format!("{} & k={priority}", self.place(node))));
        }
        let nodes: BTreeSet<NodeId> = marked.iter().filter(|m| m.1 > 0).map(|m| m.0).collect();
        let others = nodes.iter().map(|&node| format!("!({})", self.place(node)));
        let others: Vec<String> = others.chain(["k=0".to_owned()]).collect();
        priorities.insert(others.join(" & "));
        let kind = |node: &NodeId| {
            matches!(
                self.machine.node(*node).kind,
                NodeKind::Failure | NodeKind::OutOfRange
            )
        };
        let failing = self.machine.node_ids().filter(kind);
        let failing: BTreeSet<String> = failing.map(|node| self.place(node)).collect();
        let ends = self.machine.edges.iter();
        let ends = ends.filter(|edge| edge.action == Action::EndThread);
        let ends: BTreeSet<String> = ends.map(|edge| self.place(edge.from)).collect();
        self.line(format_args!("\nenum Priority {{0..{LAST_PRIORITY}}};\n"));
        let place = "Module m, PC p";
        self.relation(
            "a label of p in m begins with EVE",
            &format!("EveAt({place})"),
            &eve,
        );
        self.relation(
            "p of m has priority k: a label begins with PRIORITY_k, or k is 0",
            &format!("PriorityAt({place}, Priority k)"),
            &priorities,
        );
        self.relation(
            "at p of m something has failed",
            &format!("FailsAt({place})"),
            &failing,
        );
        self.relation(
            "at p of m the program ends by end_thread",
            &format!("EndsAt({place})"),
            &ends,
        );
    }

    fn exits(&mut self) {
        let count = 1_usize << exit_bits(self.machine, self.layout);
        self.line(format_args!(
            "// a bit for each value of globals and results where a procedure ends"
        ));
        let fields: Vec<String> = (0..count).map(|at| format!("bool e{at};")).collect();
        self.line(format_args!("class ExitSet {{ {} }};\n", fields.join(" ")));
        let mut cases = BTreeSet::new();
        for procedure in self.layout.procedures() {
            let bits = bits_of(self.machine, self.layout, procedure);
            let values = (0..1_usize << bits.len()).map(|value| {
                let mut parts = Vec::new();
                for (place, (_, name)) in bits.iter().enumerate() {
                    let sign = if value >> place & 1 == 1 { "" } else { "!" };
                    parts.push(format!("{sign}{name}"));
                }
                parts.push(format!("c.e{value}"));
                parts.join(" & ")
            });
            let values: Vec<String> = values.collect();
            let code = self.layout.module(procedure);
            cases.insert(format!("z.mod={code} & ( {} )", values.join("\n    | ")));
        }
        self.relation(
            "z, at the exit of its module, is among c",
            "IsAmong(State z, ExitSet c)",
            &cases,
        );
    }
}

/// The priority that a label gives to its place: `PRIORITY_2` and `PRIORITY_2_more` give 2.
fn priority(label: &str) -> Option<u32> {
    let number = label.strip_prefix(PRIORITY)?;
    let number = number.split('_').next()?;
    let number: u32 = number.parse().ok()?;
    (number <= LAST_PRIORITY).then_some(number)
}
