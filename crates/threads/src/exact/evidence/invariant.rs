//! The configurations of a complete search as sets of BDDs.
//!
//! The rows of numbers are read like words of equal length: first the shared variables, then thread
//! by thread, which is the order of the BDD variables. [`Words`] determinises them level by level
//! (the same rest of a word is looked at once), and the sets are built from the last level to the
//! first, so that no intermediate BDD is larger than what is left of the result. Where threads are
//! interchangeable the search has stored one order of them; here each of the threads that are left
//! may come next, so that all orders are in the set without ever being listed. Only threads that a
//! turn names, being inside atomic blocks or owning the flag, are moved one by one.
//!
//! A configuration may have any thread's turn, unless the Getafix flag has an owner. Passing the
//! turn on then stays within the sets, as do steps, since the search has taken all of them.

use crate::exact::encoding::bits::{Field, Fields};
use crate::exact::evidence::certify::Relations;
use crate::exact::search::evaluate::Value;
use crate::exact::search::transitions::{NOBODY, Transitions};
use crate::exact::search::views::Views;
use crate::exact::search::visited::Visited;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_outcome::certificate::Turn;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// What is left of some words.
type Rests = Vec<Vec<u32>>;

/// The configurations of a complete search by turn.
pub(crate) fn relations(
    manager: &mut Manager<'_>,
    visited: &Visited<'_>,
    fields: Fields<'_>,
    interrupt: &dyn Fn() -> bool,
) -> Result<Relations, Exhausted> {
    let mut patience = Patience {
        left: MOST_RESTS,
        interrupt,
    };
    let transitions = &visited.transitions;
    let mut words: BTreeMap<Turn, Rests> = BTreeMap::new();
    for id in 0..visited.len() as u32 {
        for (turn, word) in arrangements(transitions, visited.get(id)) {
            patience.spend()?;
            words.entry(turn).or_default().push(word);
        }
    }
    let mut relations: BTreeMap<Turn, Bdd> = BTreeMap::new();
    for (turn, rests) in words {
        let words = Words {
            fields,
            transitions,
            turn: &turn,
        };
        let set = words.set(manager, rests, &mut patience)?;
        for turn in whose(&turn) {
            let known = relations.get(&turn).copied().unwrap_or(Bdd::FALSE);
            relations.insert(turn, manager.or(known, set)?);
        }
    }
    let relations = relations.into_iter();
    Ok(relations
        .map(|(turn, set)| (turn, vec![vec![set]]))
        .collect())
}

/// The configurations that consist of views, by turn.
pub(crate) fn relations_of_views(
    manager: &mut Manager<'_>,
    views: &Views<'_>,
    fields: Fields<'_>,
) -> Result<Relations, Exhausted> {
    let transitions = &views.transitions;
    let mut sets: BTreeMap<(u32, Vec<u32>), Bdd> = BTreeMap::new();
    let mut cubes: HashMap<(Option<u32>, u32), Bdd> = HashMap::new();
    for ((shared, number), shown) in views.known() {
        let started = transitions.turns.get(number).started;
        for view in shown {
            // What is not started has no state yet.
            let shown = view.iter().filter(|&&(thread, _)| thread < started);
            let shown: Vec<(Option<u32>, u32)> = shown
                .map(|&(thread, local)| (Some(thread), local))
                .collect();
            let mut set = Bdd::TRUE;
            for &(thread, state) in shown.iter().rev().chain(&[(None, shared)]) {
                let cube = match cubes.get(&(thread, state)) {
                    Some(&known) => known,
                    None => component(manager, transitions, fields, thread, state)?,
                };
                cubes.insert((thread, state), cube);
                set = manager.and(cube, set)?;
            }
            let threads: Vec<u32> = shown.iter().filter_map(|&(thread, _)| thread).collect();
            let known = sets.entry((number, threads)).or_insert(Bdd::FALSE);
            *known = manager.or(*known, set)?;
        }
    }
    let numbers: BTreeSet<u32> = sets.keys().map(|&(number, _)| number).collect();
    let mut relations = Relations::new();
    for number in numbers {
        let turn = transitions.turns.get(number);
        let groups = views.groups().into_iter().map(|mut group| {
            group.retain(|&thread| thread < turn.started);
            group
        });
        // A group that no view shows in this turn cannot be in it, so nobody can.
        let groups: BTreeSet<Vec<u32>> = groups.collect();
        let all: Option<Vec<Bdd>> = groups
            .into_iter()
            .map(|group| sets.get(&(number, group)).copied())
            .collect();
        for turn in whose(turn) {
            relations.entry(turn).or_default().extend(all.clone());
        }
    }
    relations.retain(|_, lists| !lists.is_empty());
    Ok(relations)
}

/// A configuration may have any thread's turn, unless the Getafix flag has an owner.
fn whose(turn: &Turn) -> impl Iterator<Item = Turn> + '_ {
    let threads = (0..turn.started).filter(|&t| turn.thread == NOBODY || turn.thread == t);
    threads.map(|thread| Turn {
        thread,
        ..turn.clone()
    })
}

/// The most rests of words that are looked at; a set that takes more would be too large to check.
const MOST_RESTS: u64 = 1_000_000;

/// Stops what would take too long.
struct Patience<'p> {
    left: u64,
    interrupt: &'p dyn Fn() -> bool,
}

impl Patience<'_> {
    fn spend(&mut self) -> Result<(), Exhausted> {
        self.left = self.left.checked_sub(1).ok_or(Exhausted::Work)?;
        if self.left.is_multiple_of(4096) && (self.interrupt)() {
            return Err(Exhausted::Interrupted);
        }
        Ok(())
    }
}

/// The threads that a turn names: exchanging them changes the turn.
fn named(turn: &Turn) -> Vec<u32> {
    let owner =
        Some(turn.thread).filter(|thread| *thread != NOBODY && !turn.atomic.contains(thread));
    turn.atomic.iter().copied().chain(owner).collect()
}

/// The turns that arise when the threads which the turn of a configuration names are exchanged with
/// others, and the word for each: the shared variables, then group by group the threads that are
/// not named, ascending, and those that are, in order.
fn arrangements(transitions: &Transitions<'_>, row: &[u32]) -> Vec<(Turn, Vec<u32>)> {
    let turn = transitions.turn(row);
    let locals = &Transitions::locals(row)[..turn.started as usize];
    let names = named(turn);
    let mut arrangements: Vec<Vec<u32>> = vec![Vec::new()];
    for &name in &names {
        let group = transitions.group_of(name as usize, turn.started);
        let longer = arrangements.iter().flat_map(|so_far| {
            let free = group.clone().map(|thread| thread as u32);
            let free = free.filter(|thread| !so_far.contains(thread));
            free.map(|thread| so_far.iter().copied().chain([thread]).collect())
        });
        arrangements = longer.collect();
    }
    let arranged = arrangements.into_iter().map(|stands| {
        let renamed = |thread: u32| {
            let index = names.iter().position(|&name| name == thread);
            index.map_or(thread, |index| stands[index])
        };
        let mut word = vec![Transitions::shared(row)];
        let mut thread = 0;
        while thread < locals.len() {
            let group = transitions.group_of(thread, turn.started);
            let members = group.clone().map(|member| member as u32);
            let (mut here, others): (Vec<u32>, Vec<u32>) =
                members.partition(|member| names.contains(member));
            here.sort_by_key(|&member| renamed(member));
            let members = others.into_iter().chain(here);
            word.extend(members.map(|member| locals[member as usize]));
            thread = group.end;
        }
        let turn = Turn {
            thread: renamed(turn.thread),
            started: turn.started,
            atomic: turn.atomic.iter().map(|&thread| renamed(thread)).collect(),
        };
        (turn, word)
    });
    arranged.collect()
}

/// Makes sets of words.
#[derive(Clone, Copy)]
struct Words<'w, 'm> {
    fields: Fields<'w>,
    transitions: &'w Transitions<'m>,
    turn: &'w Turn,
}

/// What may come next in some rests, with the number of what is left then.
type Branches = Vec<(u32, usize)>;

impl Words<'_, '_> {
    fn set(
        self,
        manager: &mut Manager<'_>,
        words: Rests,
        patience: &mut Patience<'_>,
    ) -> Result<Bdd, Exhausted> {
        let length = words.first().map_or(0, Vec::len);
        let mut levels: Vec<Vec<Branches>> = Vec::new();
        let mut rests = vec![sorted(words)];
        for level in 0..length {
            let mut numbers: HashMap<Rests, usize> = HashMap::new();
            let mut next = Vec::new();
            let mut branches = Vec::new();
            for rests in rests {
                let mut of_these = Branches::new();
                for (first, left) in self.by_first(level, rests, patience)? {
                    let number = *numbers.entry(left).or_insert_with_key(|left| {
                        next.push(left.clone());
                        next.len() - 1
                    });
                    of_these.push((first, number));
                }
                branches.push(of_these);
            }
            levels.push(branches);
            rests = next;
        }
        let mut sets = vec![Bdd::TRUE];
        for (level, branches) in levels.iter().enumerate().rev() {
            let mut literals: HashMap<u32, Bdd> = HashMap::new();
            let mut here = Vec::with_capacity(branches.len());
            for of_these in branches {
                let mut set = Bdd::FALSE;
                for &(first, left) in of_these {
                    let component = match literals.get(&first) {
                        Some(&known) => known,
                        None => {
                            let thread = level.checked_sub(1).map(|thread| thread as u32);
                            component(manager, self.transitions, self.fields, thread, first)?
                        }
                    };
                    literals.insert(first, component);
                    let both = manager.and(component, sets[left])?;
                    set = manager.or(set, both)?;
                }
                here.push(set);
            }
            sets = here;
        }
        Ok(sets.first().copied().unwrap_or(Bdd::FALSE))
    }

    /// Which positions of what is left of a word may come next: any thread of the group that has no
    /// name, or the one with it.
    fn choices(self, level: usize) -> Range<usize> {
        let Some(thread) = level.checked_sub(1) else {
            return 0..1;
        };
        let names = named(self.turn);
        let group = self.transitions.group_of(thread, self.turn.started);
        let nameless = (thread..group.end).filter(|&other| !names.contains(&(other as u32)));
        let nameless = nameless.count();
        if names.contains(&(thread as u32)) {
            nameless..nameless + 1
        } else {
            0..nameless
        }
    }

    /// What may come next in some rests of words, with what is left then.
    fn by_first(
        self,
        level: usize,
        rests: Rests,
        patience: &mut Patience<'_>,
    ) -> Result<BTreeMap<u32, Rests>, Exhausted> {
        let mut by_first: BTreeMap<u32, Rests> = BTreeMap::new();
        let choices = self.choices(level);
        for rest in rests {
            for index in choices.clone() {
                if index > choices.start && rest[index - 1] == rest[index] {
                    continue;
                }
                patience.spend()?;
                let mut left = rest.clone();
                let first = left.remove(index);
                by_first.entry(first).or_default().push(left);
            }
        }
        for rests in by_first.values_mut() {
            *rests = sorted(std::mem::take(rests));
        }
        Ok(by_first)
    }
}

/// "The shared variables, or a thread, are in this state."
fn component(
    manager: &mut Manager<'_>,
    transitions: &Transitions<'_>,
    fields: Fields<'_>,
    thread: Option<u32>,
    number: u32,
) -> Result<Bdd, Exhausted> {
    let stepper = &transitions.stepper;
    let mut literals = Vec::new();
    let mut say = |field: Field, value: Value| {
        if let Some(value) = value {
            literals.extend(field.bits(value));
        }
    };
    match thread {
        None => {
            for (field, &value) in fields.shared().zip(stepper.shared.get(number).iter()) {
                say(field, value);
            }
        }
        Some(thread) => {
            let kind = stepper.kind_of[thread as usize];
            let local = stepper.kinds[kind].locals.get(number);
            say(fields.place(thread), Some(local.place.into()));
            let own = fields.own(thread).zip(&local.own);
            let row = fields.row(thread, local.place);
            for (field, &value) in own.chain(row.into_iter().zip(&local.row)) {
                say(field, value);
            }
        }
    }
    literals.sort_unstable();
    let mut cube = Bdd::TRUE;
    for (bit, value) in literals.into_iter().rev() {
        let literal = manager.variable(bit)?;
        cube = manager.and(if value { literal } else { !literal }, cube)?;
    }
    Ok(cube)
}

fn sorted(mut rests: Rests) -> Rests {
    rests.sort_unstable();
    rests.dedup();
    rests
}
