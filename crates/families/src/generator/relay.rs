//! Threads that need each other: a baton goes from hand to hand.
//!
//! Random statements of random threads rarely wait for one another, and what they reach hardly
//! depends on how often they take turns. So some programs follow a script: two shared flags count
//! in Gray code who has the baton, and at each step of the script one thread waits for its turn and
//! passes the baton on. The label behind a step is reached only with as many context switches as
//! the script changes hands up to there; random statements between the steps, and those that touch
//! the flags, blur that.

use super::expressions::Leaves;
use super::knobs::ThreadForm;
use super::layout::Layout;
use super::program::runner;
use super::scope::Named;
use super::statements::Body;
use super::{Generator, Role};
use hardbop_program::Type;

/// The flags; they count 00, 01, 11, 10 and begin again.
const FLAGS: [&str; 2] = ["b0", "b1"];
/// The values of the flags in each phase.
const PHASES: [[bool; 2]; 4] = [[false, false], [false, true], [true, true], [true, false]];

/// Who does which step: for each thread the phases in which it has the baton.
#[derive(Clone, Debug, Default)]
pub(super) struct Relay {
    phases: Vec<Vec<u32>>,
    /// Threads that have got their part of the script.
    served: usize,
    /// Procedures in which steps are done, as text.
    pub procedures: Vec<String>,
}

impl Relay {
    /// The part of the next thread.
    fn next_part(&mut self) -> Vec<u32> {
        self.served += 1;
        self.phases
            .get(self.served - 1)
            .cloned()
            .unwrap_or_default()
    }

    /// Threads of the script besides the first; none without a script.
    pub(crate) fn runners(&self) -> u32 {
        (self.phases.len() as u32).saturating_sub(1)
    }
}

impl Generator<'_> {
    /// Draws the script and declares the flags; nothing for presets without.
    pub(crate) fn draw_relay(&mut self, out: &mut Layout) {
        if self.knobs.handovers == 0 {
            return;
        }
        let threads = 2 + self.random.up_to(self.knobs.threads.saturating_sub(1)) as usize;
        self.relay.phases = vec![Vec::new(); threads];
        let mut thread = self.random.below(threads);
        let last = 2 + self.random.up_to(self.knobs.handovers.saturating_sub(2));
        for phase in 0..=last {
            self.relay.phases[thread].push(phase);
            thread = (thread + 1 + self.random.below(threads - 1)) % threads;
        }
        for flag in FLAGS {
            out.line(&format!("decl {flag} := F;"));
        }
        if self.random.percent(12) {
            // Everybody may meddle with the baton.
            for flag in FLAGS {
                let (name, ty) = (flag.to_owned(), Type::Bool);
                self.globals.declare(Named { name, ty });
            }
        }
    }
}

impl Body<'_, '_> {
    /// The part of this procedure, if it is one that a thread runs: its steps, with random
    /// statements in between.
    pub(crate) fn relay(&mut self, depth: u32) {
        if self.name == "init" || !matches!(self.role, Role::Entry { .. }) {
            return;
        }
        for phase in self.generator.relay.next_part() {
            if self.chance(35) {
                self.block(depth.min(1));
            }
            if self.generator.knobs.recursion > 0 && self.chance(30) {
                self.deep_step(phase);
            } else {
                self.step(phase);
            }
        }
    }

    /// Starts a thread of the script.
    pub(crate) fn start_runner(&mut self, index: u32) {
        let call = format!("{}();", runner(index));
        let line = if self.generator.form == ThreadForm::Boppo {
            format!("ASYNC_RUNNER_{index}: {call}")
        } else {
            format!("start_thread {call}")
        };
        self.out.line(&line);
    }

    /// Waits for the baton and passes it on.
    fn step(&mut self, phase: u32) {
        let [high, low] = PHASES[phase as usize % PHASES.len()];
        let literal = |flag: &str, value: bool| {
            if value {
                flag.to_owned()
            } else {
                format!("!{flag}")
            }
        };
        let turn = format!("{} & {}", literal(FLAGS[0], high), literal(FLAGS[1], low));
        let [next_high, next_low] = PHASES[(phase as usize + 1) % PHASES.len()];
        let (flag, value) = if next_high == high {
            (FLAGS[1], next_low)
        } else {
            (FLAGS[0], next_high)
        };
        let pass = format!("{flag} := {};", if value { "T" } else { "F" });
        if self.chance(20) {
            self.out.line(&format!("if ({turn}) then"));
            self.out.line(&format!("  {pass} S{phase}: skip;"));
            self.out.line("fi");
            return;
        }
        if self.chance(20) {
            self.out.line(&format!("while (!({turn})) do skip; od"));
        } else {
            self.out.line(&format!("assume({turn});"));
        }
        if self.chance(15) {
            self.generator.has_question = true;
            let condition = self.condition(Leaves::Variables);
            self.out.line(&format!("assert({condition});"));
        }
        self.out.line(&format!("{pass} S{phase}: skip;"));
    }

    /// A step inside a procedure that may have called itself first.
    fn deep_step(&mut self, phase: u32) {
        let name = format!("deep{phase}");
        let scope = self.generator.globals.clone();
        let outer = std::mem::take(&mut self.out);
        let outer_scope = std::mem::replace(&mut self.scope, scope);
        self.out.line(&format!("void {name}(again) begin"));
        self.out.indent();
        self.out.line("if (again) then");
        self.out.line(&format!("  {name}(F);"));
        self.out.line("else");
        self.out.indent();
        self.step(phase);
        self.out.outdent();
        self.out.line("fi");
        self.out.outdent();
        self.out.line("end");
        self.scope = outer_scope;
        let procedure = std::mem::replace(&mut self.out, outer).finish();
        self.generator.relay.procedures.push(procedure);
        self.out.line(&format!("{name}(*);"));
    }
}
