//! The frame around the threads: guesses, rounds, the order of the threads, and the check at the
//! end.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `hb_in_k` | the running thread has come to round k (k ≥ 2) |
//! | `hb_c_k_i` | shared variable i as the threads so far have left it for round k |
//! | `hb_s_k_i` | shared variable i as round k was guessed to begin (k ≥ 2) |
//! | `hb_stop` | the running thread takes no further steps |
//! | `hb_ended` | some thread has stopped because it has come to its end |
//! | `hb_init` | `init` runs |
//! | `hb_fresh` | no thread has run yet |
//! | `hb_hit_j` | target j has been reached; one more than there are targets: a thread too many was to be started |
//!
//! Variables are assigned one by one, so that only what belongs together is near each other in a
//! program that is read statement by statement: engines order their variables by that, and one
//! assignment of everything at once cost seven times the work.

use super::code::{Code, put};
use super::names::{Names, declared};
use crate::static_threads::StaticThreads;
use hardbop_machine::analysis::SwitchPoints;
use hardbop_machine::{GlobalId, Machine, NodeId, ProcId, Storage};
use std::collections::BTreeMap;

/// Writes the sequential program: one assertion per node in question, in order, at the end of
/// `main`; and a last one, if threads start others, that fails if there are more threads than were
/// allowed.
pub(super) fn write(threads: &StaticThreads, rounds: u32, nodes: &[NodeId]) -> String {
    let machine = &threads.machine;
    let names = Names::new(machine);
    let mut hits: BTreeMap<NodeId, String> = BTreeMap::new();
    for (j, &node) in nodes.iter().enumerate() {
        for &standing in threads.standing_for(node) {
            hits.insert(standing, hit(j));
        }
    }
    for &overflow in &threads.overflows {
        hits.insert(overflow, hit(nodes.len()));
    }
    let code = Code {
        machine,
        names: &names,
        points: SwitchPoints::new(machine),
        hits,
    };
    let frame = Frame {
        machine,
        names: &names,
        rounds,
        shared: shared(machine),
        questions: nodes.len() + usize::from(!threads.overflows.is_empty()),
    };
    let mut text = frame.declarations();
    frame.main(&mut text);
    frame.switch(&mut text);
    frame.leave(&mut text);
    for id in machine.procedure_ids() {
        code.procedure(&mut text, id);
    }
    text
}

/// The variable that says that a target has been reached.
fn hit(target: usize) -> String {
    format!("hb_hit_{target}")
}

fn shared(machine: &Machine) -> Vec<GlobalId> {
    let ids = (0..machine.globals.len()).map(GlobalId::new);
    ids.filter(|&id| machine.global(id).storage == Storage::Shared)
        .collect()
}

struct Frame<'f> {
    machine: &'f Machine,
    names: &'f Names,
    rounds: u32,
    shared: Vec<GlobalId>,
    /// Targets, and one more if the number of threads is in question.
    questions: usize,
}

impl Frame<'_> {
    fn cell(round: u32, id: GlobalId) -> String {
        format!("hb_c_{round}_{}", id.index())
    }

    fn guess(round: u32, id: GlobalId) -> String {
        format!("hb_s_{round}_{}", id.index())
    }

    /// The globals of the machine first, in its order; a run is read by position.
    fn declarations(&self) -> String {
        let mut text = String::from(
            "// A sequential program: the threads run one after the other, each through all rounds.\n",
        );
        for (index, global) in self.machine.globals.iter().enumerate() {
            let name = declared(self.names.global(GlobalId::new(index)), global.ty);
            let initial = match global.initial {
                Some(value) if global.storage == Storage::Shared => format!(" := {value}"),
                _ => String::new(),
            };
            put(&mut text, format_args!("decl {name}{initial};\n"));
        }
        text.push_str("decl hb_stop := 0;\ndecl hb_ended := 0;\ndecl hb_init := 0;\n");
        if self.flag().is_some() {
            text.push_str("decl hb_fresh := 1;\n");
        }
        for round in 2..=self.rounds {
            put(&mut text, format_args!("decl hb_in_{round} := 0;\n"));
        }
        for target in 0..self.questions {
            put(&mut text, format_args!("decl {} := 0;\n", hit(target)));
        }
        for &id in &self.shared {
            let ty = self.machine.global(id).ty;
            for round in 1..=self.rounds {
                put(
                    &mut text,
                    format_args!("decl {};\n", declared(&Self::cell(round, id), ty)),
                );
            }
            for round in 2..=self.rounds {
                put(
                    &mut text,
                    format_args!("decl {};\n", declared(&Self::guess(round, id), ty)),
                );
            }
        }
        text
    }

    /// Assigns some variables one after the other.
    fn assign(text: &mut String, pairs: impl Iterator<Item = (String, String)>) {
        for (target, value) in pairs {
            put(text, format_args!("  {target} := {value};\n"));
        }
    }

    fn shared_name(&self, id: GlobalId) -> String {
        self.names.global(id).to_owned()
    }

    fn main(&self, text: &mut String) {
        text.push_str("\nvoid main() begin\n");
        if let Some(init) = self.machine.init {
            text.push_str("  hb_init := 1;\n");
            self.own_globals(text);
            self.run(text, "I", init);
            // The threads start only where `init` has ended.
            text.push_str("  if (hb_stop & !hb_ended) then goto checked; fi\n");
            text.push_str("  hb_init := 0;\n");
        }
        let shared = || self.shared.iter().copied();
        Self::assign(
            text,
            shared().map(|id| (Self::cell(1, id), self.shared_name(id))),
        );
        for round in 2..=self.rounds {
            Self::assign(
                text,
                shared().map(|id| (Self::cell(round, id), Self::guess(round, id))),
            );
        }
        let mut number = 0;
        for thread in &self.machine.threads {
            for _ in 0..thread.instances {
                put(
                    text,
                    format_args!("  goto R{number}, S{number};\n  R{number}: skip;\n"),
                );
                let rounds = 2..=self.rounds;
                let first = rounds.map(|round| (format!("hb_in_{round}"), "0".to_owned()));
                let flag = [("hb_stop".to_owned(), "0".to_owned())];
                let values = shared().map(|id| (self.shared_name(id), Self::cell(1, id)));
                Self::assign(text, first.chain(flag).chain(values));
                if let Some(flag) = self.flag() {
                    // A flag that is up from the start belongs to nobody, one that a thread has
                    // left up to that thread.
                    put(text, format_args!("  assume(!{flag} | hb_fresh);\n"));
                    text.push_str("  hb_fresh := 0;\n");
                }
                self.own_globals(text);
                self.run(text, &format!("T{number}"), thread.entry);
                put(text, format_args!("  hb_leave();\n  S{number}: skip;\n"));
                number += 1;
            }
        }
        for round in 2..=self.rounds {
            for id in shared() {
                let (cell, guess) = (Self::cell(round - 1, id), Self::guess(round, id));
                put(text, format_args!("  assume({cell} = {guess});\n"));
            }
        }
        text.push_str("  checked: skip;\n");
        for target in 0..self.questions {
            put(text, format_args!("  assert(!{});\n", hit(target)));
        }
        text.push_str("end\n");
    }

    /// A thread has its own globals anew.
    fn own_globals(&self, text: &mut String) {
        let globals = self.machine.globals.iter().enumerate();
        let own = globals.filter(|(_, global)| global.storage == Storage::PerThread);
        let values = own.map(|(index, global)| {
            let value = global
                .initial
                .map_or("*".to_owned(), |value| value.to_string());
            (self.names.global(GlobalId::new(index)).to_owned(), value)
        });
        Self::assign(text, values);
    }

    /// Calls the entry of a thread under a label, with arbitrary arguments.
    fn run(&self, text: &mut String, label: &str, entry: ProcId) {
        let procedure = self.machine.procedure(entry);
        let arguments = vec!["*"; procedure.parameter_count as usize].join(", ");
        let name = self.names.procedure(entry);
        put(text, format_args!("  {label}: {name}({arguments});\n"));
    }

    /// The chance to go on to a later round, or to stop.
    fn switch(&self, text: &mut String) {
        text.push_str("\nvoid hb_switch() begin\n");
        let flag = self.flag().map(|flag| format!(" | {flag}"));
        let flag = flag.unwrap_or_default();
        put(text, format_args!("  if (hb_init{flag}) then return; fi\n"));
        text.push_str(
            "  again: goto go_on, stop, pass;\n  stop: hb_stop := 1;\n  return;\n  pass: skip;\n",
        );
        for round in 2..=self.rounds {
            put(text, format_args!("  if (!hb_in_{round}) then\n"));
            for &id in &self.shared {
                let (now, saved) = (self.shared_name(id), Self::cell(round - 1, id));
                let loaded = Self::cell(round, id);
                put(text, format_args!("  {saved}, {now} := {now}, {loaded};\n"));
            }
            put(text, format_args!("  hb_in_{round} := 1;\n"));
            text.push_str("  goto again;\n  fi\n");
        }
        // There is no later round.
        text.push_str("  assume(0);\n  go_on: skip;\n");
        if let Some(flag) = self.flag() {
            // In the round that it has come to, another thread has the turn.
            put(text, format_args!("  assume(!{flag});\n"));
        }
        text.push_str("end\n");
    }

    /// The flag while which a thread is not left.
    fn flag(&self) -> Option<&str> {
        Some(self.names.global(self.machine.atomic_flag?))
    }

    /// The thread leaves its values for the next thread.
    fn leave(&self, text: &mut String) {
        text.push_str("\nvoid hb_leave() begin\n");
        for round in (1..=self.rounds).rev() {
            let condition = if round == 1 {
                "1".to_owned()
            } else {
                format!("hb_in_{round}")
            };
            put(text, format_args!("  if ({condition}) then\n"));
            let shared = self.shared.iter().copied();
            Self::assign(
                text,
                shared.map(|id| (Self::cell(round, id), self.shared_name(id))),
            );
            text.push_str("  return;\n  fi\n");
        }
        text.push_str("end\n");
    }
}
