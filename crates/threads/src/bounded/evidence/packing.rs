//! Configurations with real stacks, stored by what is new in them.
//!
//! A stack is its top frame and the stack below, by number, so a configuration that differs from
//! another in one frame costs one frame, however deep the recursion. What the schedule has to know
//! is one more number.

use crate::tables::{Configurations, Numbering};
use hardbop_interpreter::{Configuration, Frame, Origin, ThreadState};

/// A configuration with what the schedule has to know.
pub(crate) struct State {
    pub(crate) configuration: Configuration,
    /// Who stepped last; nobody before the first context.
    pub(crate) last: Option<u32>,
    /// The round, if rounds are bounded.
    pub(crate) round: u32,
}

/// `init` runs, atomic blocks, the flag's owner, who stepped last, the round.
type Schedule = (bool, Vec<u32>, Option<u32>, Option<u32>, u32);

/// The number of a thread that was not started, and of the empty stack.
const NONE: u32 = u32::MAX;

/// Bytes of a frame, on the average.
const BYTES_OF_FRAME: u64 = 200;

/// All states met so far.
pub(crate) struct Packing {
    shared: Numbering<Vec<u64>>,
    schedules: Numbering<Schedule>,
    owns: Numbering<(Origin, Vec<u64>)>,
    /// Frames, each with the stack below it.
    stacks: Numbering<(u32, Frame)>,
    states: Configurations,
}

impl Packing {
    /// Room for states with at most this many threads.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            shared: Numbering::default(),
            schedules: Numbering::default(),
            owns: Numbering::default(),
            stacks: Numbering::default(),
            states: Configurations::new(2 + 2 * threads),
        }
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// Bytes of the tables.
    pub(crate) fn bytes(&self) -> u64 {
        let parts = self.stacks.len() + self.shared.len() + self.owns.len();
        self.states.bytes() + BYTES_OF_FRAME * parts as u64
    }

    /// The number of a state.
    pub(crate) fn number(&mut self, state: State) -> u32 {
        let State {
            configuration: now,
            last,
            round,
        } = state;
        let schedule = (now.in_init, now.atomic, now.flag_owner, last, round);
        let mut row = vec![
            self.shared.number(now.shared),
            self.schedules.number(schedule),
        ];
        for thread in now.threads {
            let mut stack = NONE;
            for frame in thread.stack {
                stack = self.stacks.number((stack, frame));
            }
            row.extend([self.owns.number((thread.origin, thread.own)), stack]);
        }
        row.resize(self.states.width(), NONE);
        self.states.insert(&row)
    }

    /// The state with a number.
    pub(crate) fn get(&self, number: u32) -> State {
        let row = self.states.get(number);
        let threads = row[2..].chunks(2).take_while(|thread| thread[0] != NONE);
        let threads = threads.map(|thread| {
            let (origin, own) = &**self.owns.get(thread[0]);
            let mut stack = Vec::new();
            let mut below = thread[1];
            while below != NONE {
                let (next, frame) = &**self.stacks.get(below);
                stack.push(frame.clone());
                below = *next;
            }
            stack.reverse();
            ThreadState {
                origin: *origin,
                own: own.clone(),
                stack,
            }
        });
        let (in_init, atomic, flag_owner, last, round) = (**self.schedules.get(row[1])).clone();
        State {
            configuration: Configuration {
                shared: self.shared.get(row[0]).to_vec(),
                threads: threads.collect(),
                in_init,
                atomic,
                flag_owner,
            },
            last,
            round,
        }
    }
}
