//! From derivations to runs: undetermined bits get values, last step first.
//!
//! A state stands for many: any values of its symbols will do, and every state that it stands for
//! has a predecessor in the state it was derived from. So a run is read backwards: values for the
//! bits of the last state are chosen (all 0); taking the last step again shows which symbols of the
//! state before they are, and what had to be decided for the step; other symbols are 0; and so on
//! to the start. A call that returned is read the same way from its exit, for the values that its
//! caller wants of it; equal calls once.

use crate::encoding::frame::{Frame, set_bits};
use crate::encoding::table::{StateTable, reserve};
use crate::search::exploration::{Derivation, Exploration, NO_STATE, StateId, Via};
use hardbop_machine::{EdgeId, LocalId, ProcId, Variable};
use hardbop_outcome::{CompletedCall, Decision, Decisions, Skeleton};
use std::rc::Rc;

/// A state with a value for every bit, entry bits included.
pub(crate) type Values = Vec<u64>;

/// The last step of a way that passes a fair state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FairStep {
    /// The step.
    pub(crate) derivation: Derivation,
    /// Whether the way up to it must pass a fair state.
    pub(crate) from_is_fair: bool,
    /// Whether the completed call that it is must pass one.
    pub(crate) exit_is_fair: bool,
}

/// The last step of a way from the entry of its procedure to a state that passes a fair state; none
/// if the state is the entry.
pub(crate) type FairSteps<'r> = &'r dyn Fn(StateId) -> Option<FairStep>;

/// A state of which a completed call is to be read, and whether the call must pass a fair state.
struct CallEnd {
    exit: StateId,
    is_fair: bool,
    values: Values,
}

impl CallEnd {
    /// As words; equal ends have equal words.
    fn words(mut self) -> Vec<u64> {
        let first = u64::from(self.exit) << 1 | u64::from(self.is_fair);
        self.values.insert(0, first);
        self.values
    }

    fn read(words: &[u64]) -> Self {
        Self {
            exit: (words[0] >> 1) as StateId,
            is_fair: words[0] & 1 == 1,
            values: words[1..].to_vec(),
        }
    }
}

/// Reads runs off an exploration.
pub(crate) struct RunReader<'r, 's> {
    pub(crate) exploration: &'r mut Exploration<'s>,
    fair_steps: FairSteps<'r>,
    calls: Vec<CompletedCall>,
    /// The ends of these calls, by the same numbers.
    ends: StateTable,
}

/// There is room for one call of each root from the start, but for no more than this many. A long
/// program without much choice has no more, and its calls are never copied.
const MOST_ROOM: usize = 1 << 16;

/// The steps of a completed call and the first values of its locals.
type CallInside = (Decisions, Vec<(LocalId, u64)>);

/// One step read backwards.
struct Unwound {
    edge: EdgeId,
    inputs: Vec<u64>,
    before: Values,
    /// The callee's state at its exit, for a call that returned.
    exit: Option<(StateId, Values)>,
}

impl<'r, 's> RunReader<'r, 's> {
    /// A reader.
    pub(crate) fn new(exploration: &'r mut Exploration<'s>) -> Self {
        Self::with_fair_steps(exploration, &|_| None)
    }

    /// A reader that can be asked for runs that pass fair states.
    pub(crate) fn with_fair_steps(
        exploration: &'r mut Exploration<'s>,
        fair_steps: FairSteps<'r>,
    ) -> Self {
        let room = exploration.roots().len().min(MOST_ROOM);
        Self {
            exploration,
            fair_steps,
            calls: Vec::with_capacity(room),
            ends: StateTable::with_room(room),
        }
    }

    /// Runs to some states; `nearest` says how each state on the way is derived. Nothing where a
    /// derivation cannot be repeated, which would be an error of the engine.
    pub(crate) fn runs(
        mut self,
        states: &[StateId],
        nearest: &dyn Fn(&Exploration<'_>, StateId) -> Derivation,
    ) -> Option<Vec<Skeleton>> {
        let mut runs = Vec::with_capacity(states.len());
        for &state in states {
            runs.push(self.open_run(state, nearest)?);
        }
        self.finish(&mut runs)?;
        Some(runs)
    }

    /// Reads the completed calls of some runs.
    pub(crate) fn finish(mut self, runs: &mut [Skeleton]) -> Option<()> {
        // Calls inside of calls come up meanwhile.
        let mut number = 0;
        while number < self.calls.len() {
            let end = CallEnd::read(self.ends.get(number as u32));
            let (steps, locals) = self.completed(end)?;
            let call = &mut self.calls[number];
            (call.steps, call.locals) = (steps, locals);
            number += 1;
        }
        let calls = Rc::new(self.calls);
        for run in runs {
            run.calls = Rc::clone(&calls);
        }
        Some(())
    }

    /// A run from the start of the program to a state, without the insides of completed calls.
    fn open_run(
        &mut self,
        state: StateId,
        nearest: &dyn Fn(&Exploration<'_>, StateId) -> Derivation,
    ) -> Option<Skeleton> {
        let (mut at, mut values) = (state, self.some_values(state));
        let mut steps = Vec::new();
        loop {
            let derivation = nearest(self.exploration, at);
            if derivation.from == NO_STATE {
                break;
            }
            let (decision, before) = self.step_back(derivation, at, &values, false)?;
            steps.push(decision);
            (at, values) = (derivation.from, before);
        }
        steps.reverse();
        Some(Skeleton {
            start: self.start(at, &values),
            steps: steps.into(),
            calls: Rc::default(),
        })
    }

    /// Values of a state: words of which something is known have one that they may have, all other
    /// undetermined bits are 0.
    pub(crate) fn some_values(&self, state: StateId) -> Values {
        let mut frame = Frame::default();
        self.exploration.open(state, &mut frame);
        let mut decided = Vec::new();
        frame.blocks.choose(&mut decided);
        frame.decide(|symbol| decided.get(symbol as usize).copied().flatten());
        frame.values
    }

    /// The last step to a state as a decision, and the values before it. If the step is a completed
    /// call, `exit_is_fair` says whether the call must pass a fair state.
    pub(crate) fn step_back(
        &mut self,
        derivation: Derivation,
        to: StateId,
        values: &Values,
        exit_is_fair: bool,
    ) -> Option<(Decision, Values)> {
        let enters = self.enters(derivation);
        let locals = if enters {
            self.locals(to, values)
        } else {
            Vec::new()
        };
        let unwound = self.unwind(derivation, to, values)?;
        let (edge, inputs) = (unwound.edge, unwound.inputs.into());
        let decision = match unwound.exit {
            Some((exit, values)) => Decision::Call {
                edge,
                inputs,
                call: self.number(CallEnd {
                    exit,
                    is_fair: exit_is_fair,
                    values,
                })?,
            },
            None if enters => Decision::Enter {
                edge,
                inputs,
                locals: locals.into(),
            },
            None => Decision::Edge { edge, inputs },
        };
        Some((decision, unwound.before))
    }

    /// Reads a completed call from its exit.
    fn completed(&mut self, end: CallEnd) -> Option<CallInside> {
        let CallEnd {
            exit,
            mut is_fair,
            mut values,
        } = end;
        let root = self.exploration.root_of(exit);
        let entry = self.exploration.roots()[root as usize].entry;
        let mut at = exit;
        let mut steps = Vec::new();
        loop {
            let step = if is_fair {
                (self.fair_steps)(at)
            } else {
                (at != entry).then(|| FairStep {
                    derivation: self.exploration.derivation(at),
                    from_is_fair: false,
                    exit_is_fair: false,
                })
            };
            let Some(step) = step else {
                break;
            };
            let (decision, before) =
                self.step_back(step.derivation, at, &values, step.exit_is_fair)?;
            steps.push(decision);
            (at, values) = (step.derivation.from, before);
            is_fair = step.from_is_fair;
        }
        steps.reverse();
        Some((steps.into(), self.locals(entry, &values)))
    }

    /// The number of a completed call; its steps are read later. Nothing if there are more calls
    /// than numbers.
    fn number(&mut self, end: CallEnd) -> Option<usize> {
        let procedure = self.procedure(end.exit);
        let (number, is_new) = self.ends.insert(&end.words())?;
        if is_new {
            reserve(&mut self.calls, 1);
            self.calls.push(CompletedCall {
                procedure,
                locals: Vec::new(),
                steps: Decisions::default(),
            });
        }
        Some(number as usize)
    }

    fn procedure(&self, state: StateId) -> ProcId {
        let root = self.exploration.root_of(state);
        self.exploration.roots()[root as usize].invocation.procedure
    }

    fn enters(&self, derivation: Derivation) -> bool {
        let Via::Edge(edge) = derivation.via() else {
            return false;
        };
        self.exploration.statics().callee(edge).is_some()
    }

    /// The state before the last step, for given values after it.
    fn unwind(&mut self, derivation: Derivation, to: StateId, after: &Values) -> Option<Unwound> {
        let edge = self.exploration.repeat(derivation, to)?;
        let statics = self.exploration.statics();
        let live = statics
            .layouts
            .live(self.procedure(to), self.exploration.node_of(to));
        let enters = self.enters(derivation);
        let stepper = self.exploration.stepper();
        let frame = if enters {
            &stepper.entry
        } else {
            &stepper.next
        };
        let mut wanted = Vec::new();
        for (word, &unknown) in frame.unknown.iter().enumerate() {
            let mask = live.get(word).copied().unwrap_or(u64::MAX);
            for bit in set_bits(&[unknown & mask]) {
                let symbol = frame.symbols[word * u64::BITS as usize + bit as usize];
                wanted.push((symbol, after[word] >> bit & 1 == 1));
            }
        }
        for (symbol, value) in wanted {
            stepper.learn(symbol, value);
        }
        stepper.choose();
        let mut inputs = stepper.inputs.clone();
        inputs.decide(|symbol| stepper.decided(symbol));
        if let Some((input, value)) = statics.program.edge(edge).forced {
            inputs.values[input] = value;
        }
        let exit = match derivation.via() {
            Via::Edge(_) => None,
            Via::Exit(exit) => {
                let mut frame = stepper.exit.clone();
                frame.decide(|symbol| stepper.decided(stepper.renamed(symbol)));
                Some((exit, frame.values))
            }
        };
        let mut before = Frame::default();
        self.exploration.open(derivation.from, &mut before);
        let stepper = self.exploration.stepper();
        before.decide(|symbol| stepper.decided(symbol));
        Some(Unwound {
            edge,
            inputs: inputs.values,
            before: before.values,
            exit,
        })
    }

    /// First values of locals that are not parameters, at the entry of a procedure; those that are
    /// 0 are left out.
    fn locals(&self, entry: StateId, values: &Values) -> Vec<(LocalId, u64)> {
        let procedure = self.procedure(entry);
        let statics = self.exploration.statics();
        let declared = statics.machine.procedure(procedure);
        let layout = statics.layouts.of(procedure);
        let locals = declared.local_ids().skip(declared.parameter_count as usize);
        let locals = locals.map(|id| (id, layout.local(id).read(values)));
        locals.filter(|&(_, value)| value != 0).collect()
    }

    /// First values of all variables that have none by declaration.
    pub(crate) fn start(&self, entry: StateId, values: &Values) -> Vec<(Variable, u64)> {
        let statics = self.exploration.statics();
        let layout = statics.layouts.of(self.procedure(entry));
        let variables = layout.variables().filter(|(variable, _)| match variable {
            Variable::Global(id) => statics.machine.global(*id).initial.is_none(),
            Variable::Local(_) => true,
        });
        variables
            .map(|(variable, place)| (variable, place.read(values)))
            .collect()
    }
}
