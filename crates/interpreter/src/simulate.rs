//! Runs a program: every choice is made by a [`Chooser`], at random from a seed or by a person.
//!
//! The simulator offers only steps that can be taken: for an edge with inputs in its conditions it
//! finds the satisfying valuations first, so that a random run does not die on an `assume(*)` that
//! was drawn badly. What it returns is a flat [`Trace`] that replays.

use crate::choices::{TooManyChoices, deciding_inputs, enabled_edges, find_inputs, tried_inputs};
use crate::configuration::{Configuration, Slot, initial, initial_slots};
use crate::fire::fire;
use crate::reads::{reads_initial, reads_input};
use crate::record::Recorder;
use crate::replay::ReplayError;
use crate::scheduler::schedulable;
use crate::step::{Effect, Move, step_slots};
use hardbop_evidence::{Interrupt, Limit, NeverInterrupted, Target, Trace};
use hardbop_machine::{EdgeId, Machine, NodeId, Type};

/// How many satisfying valuations of inputs are offered at once.
const MAX_OFFERED: usize = 1 << 12;
/// How many random valuations are tried where there are too many to list.
const MAX_DRAWN: usize = 1 << 10;

/// A step that can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOption {
    /// The thread that would take it.
    pub thread: u32,
    /// Where the thread is.
    pub node: NodeId,
    /// The edge; nothing for a return.
    pub edge: Option<EdgeId>,
    /// What to show: thread, line and statement.
    pub description: String,
}

/// Makes the choices of a run. `None` always means: stop here.
pub trait Chooser {
    /// Picks one of several steps. Not asked where there is only one.
    fn step(&mut self, options: &[StepOption]) -> Option<usize>;

    /// Picks one of several valuations of the choices (`*`) that decide whether a statement can be
    /// executed.
    fn inputs(&mut self, description: &str, valuations: &[Vec<u64>]) -> Option<usize>;

    /// Picks a value: of a `*`, or the initial value of a variable.
    fn value(&mut self, description: &str, ty: Type) -> Option<u64>;

    /// Whether values that nothing reads are 0 instead of being asked for.
    fn leaves_out_unread(&self) -> bool {
        false
    }

    /// Hears the state in which the run begins.
    fn started(&mut self, _initial: &Configuration) {}

    /// Hears what a step has done, and the state after it.
    fn taken(&mut self, _option: &StepOption, _effect: &Effect, _after: &Configuration) {}
}

/// How far a run goes, and where it begins.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// The most steps that are taken.
    pub max_steps: u64,
    /// The run ends at any of these places.
    pub targets: &'a [Target],
    /// The run goes on where this one ends.
    pub from: Option<&'a Trace>,
    /// Asked before every step.
    pub interrupt: &'a dyn Interrupt,
}

impl Course<'_> {
    /// From the start for a number of steps.
    pub fn steps(max_steps: u64) -> Course<'static> {
        Course {
            max_steps,
            targets: &[],
            from: None,
            interrupt: &NeverInterrupted,
        }
    }
}

/// Chooses at random; the same seed makes the same run.
#[derive(Clone, Debug)]
pub struct RandomChooser {
    state: u64,
}

impl RandomChooser {
    /// A chooser with this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number of Vigna's splitmix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> Option<usize> {
        let count = u64::try_from(count).ok().filter(|&count| count > 0)?;
        usize::try_from(self.next() % count).ok()
    }
}

impl Chooser for RandomChooser {
    fn step(&mut self, options: &[StepOption]) -> Option<usize> {
        self.below(options.len())
    }

    fn inputs(&mut self, _description: &str, valuations: &[Vec<u64>]) -> Option<usize> {
        self.below(valuations.len())
    }

    fn value(&mut self, _description: &str, ty: Type) -> Option<u64> {
        Some(ty.wrap(self.next()))
    }
}

/// A finished simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// The run.
    pub trace: Trace,
    /// The state it ends in.
    pub last: Configuration,
    /// How many steps were taken.
    pub steps: u64,
    /// Why it ended.
    pub end: End,
}

/// Why a simulation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The target is reached.
    Target,
    /// An assertion has failed.
    AssertionFailed {
        /// The thread that failed it.
        thread: u32,
        /// The failure node.
        node: NodeId,
    },
    /// Every thread has come to its end.
    Ended,
    /// No thread can take a step: an `assume` fails, or they wait for each other.
    Stuck {
        /// The threads that have not ended, with the places where they are.
        waiting: Vec<(u32, NodeId)>,
    },
    /// The given number of steps has been taken.
    StepLimit,
    /// The chooser wanted no more.
    Stopped,
    /// The run was interrupted from outside.
    Interrupted(Limit),
    /// Whether a statement can be executed could not be found out.
    TooManyChoices(TooManyChoices),
}

/// Runs a machine for at most `max_steps` steps, or until it reaches `target` or fails an
/// assertion.
pub fn simulate(
    machine: &Machine,
    chooser: &mut dyn Chooser,
    max_steps: u64,
    target: Option<&Target>,
) -> Simulation {
    let course = Course {
        targets: target.map_or(&[], std::slice::from_ref),
        ..Course::steps(max_steps)
    };
    simulate_course(machine, chooser, &course).expect("a run from the start has nothing to replay")
}

/// Runs a machine until it reaches one of the targets of a course, fails an assertion or comes to
/// the end of the course. An error says that the run to go on from is not one of the program.
pub fn simulate_course(
    machine: &Machine,
    chooser: &mut dyn Chooser,
    course: &Course<'_>,
) -> Result<Simulation, ReplayError> {
    let leaves_out_unread = chooser.leaves_out_unread();
    let mut end = None;
    let recorder = if let Some(trace) = course.from {
        Recorder::resume(machine, trace)?
    } else {
        let slots = initial_slots(machine);
        let values = choose_values(machine, chooser, leaves_out_unread, &slots);
        end = values.is_none().then_some(End::Stopped);
        let values = values.unwrap_or_else(|| vec![0; slots.len()]);
        Recorder::new(machine, initial(machine, &values))
    };
    chooser.started(recorder.configuration());
    let mut run = Simulator {
        recorder,
        leaves_out_unread,
    };
    let mut steps = 0;
    let end = loop {
        if let Some(end) = end.take().or_else(|| run.reason_to_end(course.targets)) {
            break end;
        }
        if steps == course.max_steps {
            break End::StepLimit;
        }
        if let Some(limit) = course.interrupt.check() {
            break End::Interrupted(limit);
        }
        if let Err(end) = run.step(chooser) {
            break end;
        }
        steps += 1;
    };
    let (mut trace, last) = run.recorder.finish();
    if end == End::Target {
        let mut targets = course.targets.iter();
        trace.target = targets.find(|target| last.is_at(target.node)).cloned();
    }
    Ok(Simulation {
        trace,
        last,
        steps,
        end,
    })
}

/// Values for slots; those that nothing reads are 0 if `leaves_out_unread`.
fn choose_values(
    machine: &Machine,
    chooser: &mut dyn Chooser,
    leaves_out_unread: bool,
    slots: &[Slot],
) -> Option<Vec<u64>> {
    let choose = |slot: &Slot| {
        if leaves_out_unread && !reads_initial(machine, *slot) {
            return Some(0);
        }
        let ty = slot.ty(machine);
        let what = format!("initial value of {}", slot.name(machine));
        chooser.value(&what, ty).map(|value| ty.wrap(value))
    };
    slots.iter().map(choose).collect()
}

/// A run being made.
struct Simulator<'a> {
    recorder: Recorder<'a>,
    leaves_out_unread: bool,
}

impl Simulator<'_> {
    fn reason_to_end(&self, targets: &[Target]) -> Option<End> {
        let is_there = |target: &Target| self.recorder.configuration().is_at(target.node);
        if targets.iter().any(is_there) {
            return Some(End::Target);
        }
        let mut waiting = Vec::new();
        for thread in 0..self.recorder.configuration().threads.len() as u32 {
            if let Some(top) = self.recorder.configuration().top(thread) {
                if self.recorder.machine().node(top.node).kind.is_failure() {
                    let node = top.node;
                    return Some(End::AssertionFailed { thread, node });
                }
                waiting.push((thread, top.node));
            }
        }
        waiting.is_empty().then_some(End::Ended)
    }

    /// Takes one step, or says why there is none.
    fn step(&mut self, chooser: &mut dyn Chooser) -> Result<(), End> {
        let options = self.options().map_err(End::TooManyChoices)?;
        let option = match &*options {
            [] => return Err(self.stuck()),
            [only] => only,
            several => {
                let picked = chooser.step(several).and_then(|index| several.get(index));
                picked.ok_or(End::Stopped)?
            }
        };
        let thread = option.thread;
        let step = match option.edge {
            Some(edge) => Move::Edge {
                edge,
                inputs: self.choose_inputs(chooser, option, edge)?,
            },
            None => Move::Return,
        };
        let slots = step_slots(
            self.recorder.machine(),
            self.recorder.configuration(),
            thread,
            &step,
        );
        let machine = self.recorder.machine();
        let chosen = choose_values(machine, chooser, self.leaves_out_unread, &slots);
        let chosen = chosen.ok_or(End::Stopped)?;
        let taken = self.recorder.step(thread, step, &chosen);
        let effect = taken.expect("the option was offered because it can be taken");
        chooser.taken(option, &effect, self.recorder.configuration());
        Ok(())
    }

    fn stuck(&self) -> End {
        let threads = 0..self.recorder.configuration().threads.len() as u32;
        End::Stuck {
            waiting: threads
                .filter_map(|t| {
                    self.recorder
                        .configuration()
                        .top(t)
                        .map(|top| (t, top.node))
                })
                .collect(),
        }
    }

    /// All steps that can be taken now.
    fn options(&self) -> Result<Vec<StepOption>, TooManyChoices> {
        let mut options = Vec::new();
        for thread in schedulable(self.recorder.machine(), self.recorder.configuration())? {
            let top = self.recorder.configuration().top(thread);
            let node = top.expect("a thread that may step is running").node;
            let procedure = self
                .recorder
                .machine()
                .procedure(self.recorder.machine().procedure_of(node));
            if procedure.exit == node {
                options.push(self.option(thread, node, None));
            }
            for edge in enabled_edges(
                self.recorder.machine(),
                self.recorder.configuration(),
                thread,
            )? {
                options.push(self.option(thread, node, Some(edge)));
            }
        }
        Ok(options)
    }

    fn option(&self, thread: u32, node: NodeId, edge: Option<EdgeId>) -> StepOption {
        let machine = self.recorder.machine();
        let text = match edge {
            Some(edge) => machine.source.slice(machine.edge(edge).span),
            None => "return",
        };
        let name = self.recorder.configuration().thread_name(machine, thread);
        let line = machine.line_of(node);
        let words: Vec<&str> = text.split_whitespace().collect();
        StepOption {
            thread,
            node,
            edge,
            description: format!("[{name}] line {line}: {}", words.join(" ")),
        }
    }

    /// Values for the inputs of an edge with which it can be taken.
    fn choose_inputs(
        &self,
        chooser: &mut dyn Chooser,
        option: &StepOption,
        edge: EdgeId,
    ) -> Result<Vec<u64>, End> {
        let types = &self.recorder.machine().edge(edge).inputs;
        let deciding = deciding_inputs(self.recorder.machine(), edge);
        let bits: u64 = deciding
            .iter()
            .map(|i| u64::from(types[i.index()].width()))
            .sum();
        let mut inputs = if deciding.is_empty() {
            vec![0; types.len()]
        } else if 1_u64
            .checked_shl(bits as u32)
            .is_some_and(|n| n <= MAX_OFFERED as u64)
        {
            let tried = tried_inputs(
                self.recorder.machine(),
                self.recorder.configuration(),
                option.thread,
                edge,
            );
            let possible: Vec<Vec<u64>> = tried
                .filter(|(_, can_fire)| *can_fire)
                .map(|(inputs, _)| inputs)
                .collect();
            choose_listed(chooser, option, &deciding, possible)?
        } else {
            self.choose_among_many(chooser, option, edge)?
        };
        for (index, &ty) in types.iter().enumerate() {
            if deciding.iter().all(|input| input.index() != index)
                && (!self.leaves_out_unread || reads_input(self.recorder.machine(), edge, index))
            {
                let what = format!("choice {} of {}", index + 1, option.description);
                let value = chooser.value(&what, ty).ok_or(End::Stopped)?;
                inputs[index] = ty.wrap(value);
            }
        }
        Ok(inputs)
    }

    /// Asks for values one by one until they satisfy the conditions; at last takes the first ones
    /// that do.
    fn choose_among_many(
        &self,
        chooser: &mut dyn Chooser,
        option: &StepOption,
        edge: EdgeId,
    ) -> Result<Vec<u64>, End> {
        let types = &self.recorder.machine().edge(edge).inputs;
        let read = |variable| {
            self.recorder
                .configuration()
                .read(self.recorder.machine(), option.thread, variable)
        };
        for _ in 0..MAX_DRAWN {
            let mut inputs = Vec::with_capacity(types.len());
            for (index, &ty) in types.iter().enumerate() {
                let what = format!("choice {} of {}", index + 1, option.description);
                inputs.push(ty.wrap(chooser.value(&what, ty).ok_or(End::Stopped)?));
            }
            if fire(self.recorder.machine(), edge, &inputs, read).is_ok() {
                return Ok(inputs);
            }
        }
        let found = find_inputs(
            self.recorder.machine(),
            self.recorder.configuration(),
            option.thread,
            edge,
        );
        found
            .map_err(End::TooManyChoices)?
            .ok_or_else(|| self.stuck())
    }
}

/// Picks one of all valuations that satisfy the conditions.
fn choose_listed(
    chooser: &mut dyn Chooser,
    option: &StepOption,
    deciding: &[hardbop_machine::InputId],
    mut possible: Vec<Vec<u64>>,
) -> Result<Vec<u64>, End> {
    if possible.len() == 1 {
        return possible.pop().ok_or(End::Stopped);
    }
    let shown: Vec<Vec<u64>> = possible
        .iter()
        .map(|inputs| deciding.iter().map(|input| inputs[input.index()]).collect())
        .collect();
    let picked = chooser
        .inputs(&option.description, &shown)
        .ok_or(End::Stopped)?;
    possible.into_iter().nth(picked).ok_or(End::Stopped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_programs::{CONCURRENT, SEQUENTIAL, machine};

    #[test]
    fn the_same_seed_makes_the_same_run() {
        for text in [SEQUENTIAL, CONCURRENT] {
            let machine = machine(text);
            let run = |seed| simulate(&machine, &mut RandomChooser::new(seed), 200, None);
            assert_eq!(run(7), run(7));
            assert!((0..20).any(|seed| run(seed).trace != run(7).trace));
        }
    }

    #[test]
    fn runs_end_for_the_reason_they_say() {
        let end = |text: &str| {
            let machine = machine(text);
            let target = Target::labels(&machine, "L").pop();
            simulate(&machine, &mut RandomChooser::new(1), 50, target.as_ref()).end
        };
        assert_eq!(end("void main() begin skip; end"), End::Ended);
        assert_eq!(
            end("void main() begin while (1) do skip; od end"),
            End::StepLimit
        );
        assert_eq!(end("void main() begin skip; L: skip; end"), End::Target);
        let failed = end("void main() begin assert(0); end");
        assert!(matches!(failed, End::AssertionFailed { thread: 0, .. }));
        let stuck = end("void main() begin assume(0); end");
        assert!(matches!(stuck, End::Stuck { waiting } if waiting.len() == 1));
    }

    #[test]
    fn a_condition_on_a_choice_does_not_end_the_run_where_some_value_satisfies_it() {
        let text = "decl int<4> x; void main() begin x := * constrain 'x = 11; assume(*); end";
        let machine = machine(text);
        for seed in 0..20 {
            let run = simulate(&machine, &mut RandomChooser::new(seed), 50, None);
            assert_eq!((run.end, run.last.shared[0]), (End::Ended, 11));
        }
    }

    /// Always takes the first option and writes down what it was asked.
    struct First(Vec<String>);

    impl Chooser for First {
        fn step(&mut self, options: &[StepOption]) -> Option<usize> {
            self.0
                .extend(options.iter().map(|option| option.description.clone()));
            Some(0)
        }

        fn inputs(&mut self, description: &str, valuations: &[Vec<u64>]) -> Option<usize> {
            self.0.push(format!("{description} {valuations:?}"));
            Some(0)
        }

        fn value(&mut self, description: &str, ty: Type) -> Option<u64> {
            self.0.push(format!("{description}: {ty}"));
            Some(0)
        }
    }

    #[test]
    fn a_person_is_asked_in_words() {
        let text = "decl g;\nvoid main() begin\n  g := *;\n  if (*) then skip; fi\nend";
        let mut chooser = First(Vec::new());
        simulate(&machine(text), &mut chooser, 50, None);
        expect_test::expect![[r"
            initial value of g: bool
            choice 1 of [main] line 3: g := *: bool
            [main] line 4: if (*)
            [main] line 4: if (*)"]]
        .assert_eq(&chooser.0.join("\n"));
    }
}
