//! The way back from a target, as a replayable trace.
//!
//! From a configuration of a ring the search for a predecessor looks at the ring before it in the
//! same layer, by the steps of the thread that has the turn, and at the same ring of the layer
//! before it, for the turn being passed on. One of the two has one, for that is how the
//! configuration was found. The interpreter then takes the steps and writes them down; it needs
//! only to be told what is not determined: choices, and the first values of variables.

use crate::exact::encoding::moves::{Move, cube};
use crate::exact::encoding::space::{Space, next, now};
use crate::exact::search::symbolic::{Hit, Key, Search};
use crate::written::written;
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_interpreter::{
    Configuration, Move as Step, Recorder, Slot, initial, initial_slots, step_slots,
};
use hardbop_machine::bits::BitView;
use hardbop_machine::cast::Cast;
use hardbop_machine::{EdgeId, InputId, Machine};
use hardbop_outcome::{Limit, Target, Trace};

/// A configuration: the value of every bit.
pub(crate) type State = Vec<bool>;

/// A step that was taken.
pub(crate) struct Taken {
    /// By whom.
    pub(crate) thread: u32,
    /// The edge; none for a return.
    pub(crate) edge: Option<EdgeId>,
    /// Its choices.
    pub(crate) inputs: Vec<u64>,
    /// The configuration after it.
    pub(crate) after: State,
}

/// Where a step came from.
struct Origin {
    key: Key,
    state: State,
    taken: Taken,
}

/// Finds runs in a search that has ended.
pub(crate) struct Runs<'r> {
    /// The machine.
    pub(crate) machine: &'r Machine,
    /// Its threads.
    pub(crate) cast: &'r Cast,
    /// The bits of a configuration.
    pub(crate) space: &'r Space,
}

impl Runs<'_> {
    /// A run to a target that was hit, or why it cannot be written down.
    ///
    /// Should a configuration have no way back, what is written down is the part of the run that
    /// was found, which does not replay.
    pub(crate) fn run_to(
        &self,
        search: &mut Search<'_, '_>,
        hit: Hit,
        target: &Target,
    ) -> Result<Result<Trace, Limit>, Exhausted> {
        let thread = search.turn(hit.key.0).thread;
        let mut state = vec![false; self.space.bits() as usize];
        let picked = search.manager.pick(hit.found).unwrap_or_default();
        self.read_back(&mut state, &picked);
        self.set_place(&mut state, thread, hit.key.1);
        let (mut layer, mut ring, mut key) = (hit.layer, hit.ring, hit.key);
        let mut steps = Vec::new();
        while (layer, ring) != (0, 0) {
            if let Some(origin) = self.step_back(search, layer, ring, key, &state)? {
                (ring, key) = (ring - 1, origin.key);
                state = origin.state;
                steps.push(origin.taken);
            } else if let Some(before) = self.turn_back(search, layer, ring, key, &state)? {
                layer -= 1;
                key = before;
            } else {
                break;
            }
        }
        steps.reverse();
        Ok(self.record(&state, &steps, target))
    }

    /// A predecessor by a step of the thread that has the turn.
    fn step_back(
        &self,
        search: &mut Search<'_, '_>,
        layer: usize,
        ring: usize,
        key: Key,
        state: &State,
    ) -> Result<Option<Origin>, Exhausted> {
        let Some(ring) = ring.checked_sub(1) else {
            return Ok(None);
        };
        let thread = search.turn(key.0).thread;
        let sets: Vec<(Key, Bdd)> = search.layers()[layer][ring]
            .iter()
            .map(|(&key, &set)| (key, set))
            .filter(|&((turn, _), _)| search.turn(turn).thread == thread)
            .collect();
        for (before, set) in sets {
            let turn = search.turn(before.0).clone();
            let moves = search
                .moves
                .from(&mut search.manager, thread, before.1, turn.started)?;
            for step in &*moves {
                let leads_here = step.to == key.1
                    && search.turn_after(&turn, step).as_ref() == Some(search.turn(key.0));
                if !leads_here {
                    continue;
                }
                let permission = search.permission(&turn)?;
                let from = search.manager.and(set, permission)?;
                let Some(picked) = self.predecessor(search, from, step, thread, state)? else {
                    continue;
                };
                let mut earlier = state.clone();
                for &bit in step.assigned.iter().chain(&step.forgotten) {
                    earlier[bit as usize] = false;
                }
                self.read_back(&mut earlier, &picked);
                self.set_place(&mut earlier, thread, before.1);
                let taken = Taken {
                    thread,
                    edge: step.edge,
                    inputs: self.inputs(step.edge, &picked),
                    after: state.clone(),
                };
                return Ok(Some(Origin {
                    key: before,
                    state: earlier,
                    taken,
                }));
            }
        }
        Ok(None)
    }

    /// Values before a step, and choices, with which it leads to a configuration.
    fn predecessor(
        &self,
        search: &mut Search<'_, '_>,
        from: Bdd,
        step: &Move,
        thread: u32,
        state: &State,
    ) -> Result<Option<Vec<(u32, bool)>>, Exhausted> {
        let places = self.cast.member(thread).inlined.place_bits();
        let places = self.space.place(thread, 0)..self.space.place(thread, places);
        let mut literals: Vec<(u32, bool)> = Vec::new();
        for (bit, &value) in (0..).zip(state) {
            if step.assigned.contains(&bit) {
                literals.push((next(bit), value));
            } else if !step.forgotten.contains(&bit) && !places.contains(&bit) {
                literals.push((now(bit), value));
            }
        }
        let mut candidates = cube(&mut search.manager, literals)?;
        for &condition in &step.conditions {
            candidates = search.manager.and(candidates, condition)?;
        }
        candidates = search.manager.and(candidates, from)?;
        Ok(search.manager.pick(candidates))
    }

    /// The thread that had the turn before it was passed on.
    fn turn_back(
        &self,
        search: &mut Search<'_, '_>,
        layer: usize,
        ring: usize,
        key: Key,
        state: &State,
    ) -> Result<Option<Key>, Exhausted> {
        let Some(layer) = layer.checked_sub(1) else {
            return Ok(None);
        };
        let here = search.turn(key.0).clone();
        let sets = search.layers()[layer]
            .get(ring)
            .cloned()
            .unwrap_or_default();
        for (before, set) in sets {
            let turn = search.turn(before.0).clone();
            let is_passed = turn.thread != here.thread
                && turn.started == here.started
                && turn.atomic == here.atomic
                && self.place(state, turn.thread) == before.1;
            if !is_passed {
                continue;
            }
            let may_pass = search.may_pass(turn.thread, before.1)?;
            let set = search.manager.and(set, may_pass)?;
            let value = |variable| {
                let bit = self.space.bit_of(variable);
                bit.is_some_and(|bit| state[bit as usize])
            };
            if search.manager.eval(set, value) {
                return Ok(Some(before));
            }
        }
        Ok(None)
    }

    /// Takes over the values of bits now.
    fn read_back(&self, state: &mut State, picked: &[(u32, bool)]) {
        for &(variable, value) in picked {
            if let Some(bit) = self.space.bit_of(variable) {
                state[bit as usize] = value;
            }
        }
    }

    fn set_place(&self, state: &mut State, thread: u32, place: u32) {
        for bit in 0..self.cast.member(thread).inlined.place_bits() {
            state[self.space.place(thread, bit) as usize] = place >> bit & 1 == 1;
        }
    }

    fn place(&self, state: &State, thread: u32) -> u32 {
        let bits = 0..self.cast.member(thread).inlined.place_bits();
        number(bits.map(|bit| state[self.space.place(thread, bit) as usize])) as u32
    }

    /// The values of an edge's choices; whatever was not picked may be 0.
    fn inputs(&self, edge: Option<EdgeId>, picked: &[(u32, bool)]) -> Vec<u64> {
        let Some(edge) = edge else {
            return Vec::new();
        };
        let bits = BitView::new(self.machine).edge(edge);
        let first = now(self.space.bits());
        let types = self.machine.edge(edge).inputs.iter().enumerate();
        types
            .map(|(index, ty)| {
                number((0..ty.width()).map(|bit| {
                    let number = bits.input_index(InputId::new(index), bit as u8);
                    picked.contains(&(first + number, true))
                }))
            })
            .collect()
    }

    /// The value that a configuration gives to a variable which is not determined.
    fn slot(&self, state: &State, slot: Slot, call: Option<(u32, EdgeId)>) -> u64 {
        let width = 0..slot.ty(self.machine).width();
        let bit = |bit: u32| match slot {
            Slot::Shared(id) => self.space.global(self.machine, 0, id, bit),
            Slot::Own { thread, global } => self.space.global(self.machine, thread, global, bit),
            Slot::Local {
                thread,
                procedure,
                local,
            } => {
                let inlined = &self.cast.member(thread).inlined;
                let callee = call.and_then(|(frame, edge)| inlined.callee(frame, edge));
                let frame = callee.or_else(|| inlined.root(procedure));
                let frame = &inlined.frames()[frame.unwrap_or_default() as usize];
                self.space.row(thread, frame.bits_of(local).start + bit)
            }
        };
        number(width.map(|index| state[bit(index) as usize]))
    }

    /// Has the interpreter take the steps and write them down, as far as they can be taken.
    pub(crate) fn record(
        &self,
        first: &State,
        steps: &[Taken],
        target: &Target,
    ) -> Result<Trace, Limit> {
        written(self.recorded(first, steps, |_, _| ()), Some(target))
    }

    /// Has the interpreter take the steps, as far as they can be taken; `see` is shown the
    /// configuration after each, with the number of steps before it, and the first one.
    pub(crate) fn recorded(
        &self,
        first: &State,
        steps: &[Taken],
        mut see: impl FnMut(usize, &Configuration),
    ) -> Recorder<'_> {
        let machine = self.machine;
        let slots = initial_slots(machine);
        let values: Vec<u64> = slots
            .iter()
            .map(|&slot| self.slot(first, slot, None))
            .collect();
        let mut recorder = Recorder::new(machine, initial(machine, &values));
        see(0, recorder.configuration());
        let mut before = first;
        for (number, taken) in (1..).zip(steps) {
            let step = match taken.edge {
                None => Step::Return,
                Some(edge) => Step::Edge {
                    edge,
                    inputs: taken.inputs.clone(),
                },
            };
            let place = self.place(before, taken.thread);
            let inlined = &self.cast.member(taken.thread).inlined;
            let frame = inlined.locate(machine, place).map(|(frame, _)| frame);
            let call = frame.zip(taken.edge);
            let is_own =
                |slot: &Slot| matches!(slot, Slot::Local { thread, .. } if *thread == taken.thread);
            let slots = step_slots(machine, recorder.configuration(), taken.thread, &step);
            let chosen = slots
                .iter()
                .map(|slot| self.slot(&taken.after, *slot, call.filter(|_| is_own(slot))));
            let chosen: Vec<u64> = chosen.collect();
            if recorder.step(taken.thread, step, &chosen).is_err() {
                break;
            }
            see(number, recorder.configuration());
            before = &taken.after;
        }
        recorder
    }
}

/// The number with these bits, lowest first.
fn number(bits: impl Iterator<Item = bool>) -> u64 {
    (0..)
        .zip(bits)
        .map(|(place, bit)| u64::from(bit) << place)
        .sum()
}
