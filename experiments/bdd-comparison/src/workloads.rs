//! The measured workloads. Each returns the time of the measured part and a digest of its results,
//! which must be the same for all packages.

use crate::package::{Answer, Package, fingerprint};
use crate::program::{Assignment, Random, cube, current, entry};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What one run of a workload gave.
pub struct Run {
    /// The time of the measured part.
    pub time: Duration,
    /// Fingerprints of the results, combined.
    pub digest: u64,
    /// What the reader should know of the size of the work.
    pub note: String,
}

/// Room that is never used up, except where that is the question.
const NODES: usize = 1 << 24;
/// Entries of a computed table that cannot grow; as many as hardbop's grows to.
pub const LARGE_CACHE: usize = 1 << 22;
/// Entries of a computed table for small work.
pub const SMALL_CACHE: usize = 1 << 16;

/// Adds a value to a digest.
pub fn combine(digest: u64, value: u64) -> u64 {
    digest.rotate_left(7).wrapping_mul(31) ^ value
}

/// Does the work and measures it. Not inlined, so that a profiler can be told to look at nothing
/// else.
#[inline(never)]
fn measured<T>(time: &mut Duration, work: impl FnOnce() -> Answer<T>) -> Answer<T> {
    let start = Instant::now();
    let result = work();
    *time += start.elapsed();
    result
}

/// Makes a manager with room to grow, answers a tiny question, and drops the manager.
pub fn start_up<P: Package>(cache: usize) -> Answer<Run> {
    let mut time = Duration::ZERO;
    let digest = measured(&mut time, || {
        let mut package = P::new(36, NODES, cache);
        let assignment = Assignment::random(&mut Random(1), 12, 3);
        let (relation, step) = assignment.relation(&mut package)?;
        let states = cube(&mut package, &[(0, true), (1, false)])?;
        let image = package.image(&states, &relation, &step)?;
        Ok(fingerprint(&package, &image))
    })?;
    Ok(Run {
        time,
        digest,
        note: String::new(),
    })
}

const SETS: u32 = 400;
const RELATIONS: u32 = 250;

/// 100,000 images of small sets, each pair of set and relation once. More constraints make larger
/// sets.
pub fn tiny_images<P: Package>(bits: u32, constraints: u32, cache: usize) -> Answer<Run> {
    let mut random = Random(u64::from(bits));
    let mut package = P::new(3 * bits, NODES, cache);
    let mut sets = Vec::new();
    for _ in 0..SETS {
        let mut set = package.truth();
        for _ in 0..constraints {
            let one = package.variable(entry(random.below(bits)))?;
            let other = package.variable(current(random.below(bits)))?;
            let part = package.iff(&one, &other)?;
            let literal = cube(&mut package, &[(random.below(bits), random.below(2) == 1)])?;
            let part = package.or(&part, &literal)?;
            set = package.and(&set, &part)?;
        }
        sets.push(set);
    }
    let mut relations = Vec::new();
    for _ in 0..RELATIONS {
        relations.push(Assignment::random(&mut random, bits, 3).relation(&mut package)?);
    }

    let mut time = Duration::ZERO;
    measured(&mut time, || {
        for set in &sets {
            for (relation, step) in &relations {
                black_box(package.image(set, relation, step)?);
            }
        }
        Ok(())
    })?;
    let nodes = package.nodes();

    let mut digest = 0;
    for (set, (relation, step)) in sets.iter().zip(&relations) {
        let image = package.image(set, relation, step)?;
        digest = combine(digest, fingerprint(&package, &image));
    }
    Ok(Run {
        time,
        digest,
        note: format!("{nodes} nodes"),
    })
}

/// The state of a search through a wide program: one set of states and what was reached before it.
pub struct WideSearch<P: Package> {
    random: Random,
    bits: u32,
    /// The states after the last step.
    pub states: P::Function,
    /// An earlier set, with which the next join is made.
    earlier: P::Function,
    /// Steps made so far.
    pub steps: u32,
}

impl<P: Package> WideSearch<P> {
    /// Every second bit starts as at entry, the others are zero.
    pub fn new(package: &mut P, bits: u32) -> Answer<Self> {
        let zeros: Vec<_> = (0..bits).step_by(2).map(|bit| (bit, false)).collect();
        let mut states = cube(package, &zeros)?;
        for bit in (1..bits).step_by(2) {
            let (entry, current) = (
                package.variable(entry(bit))?,
                package.variable(current(bit))?,
            );
            let kept = package.iff(&entry, &current)?;
            states = package.and(&states, &kept)?;
        }
        Ok(Self {
            random: Random(u64::from(bits)),
            bits,
            earlier: states.clone(),
            states,
            steps: 0,
        })
    }

    /// The assignment of the next step.
    pub fn next_assignment(&mut self) -> Assignment {
        Assignment::random(&mut self.random, self.bits, 7)
    }

    /// What the search still needs.
    pub fn roots(&self) -> Vec<P::Function> {
        vec![self.states.clone(), self.earlier.clone()]
    }

    /// One image; each fourth step joins with an earlier set, as where two paths of a program meet.
    pub fn advance(
        &mut self,
        package: &mut P,
        relation: &P::Function,
        step: &P::Step,
    ) -> Answer<()> {
        let mut states = package.image(&self.states, relation, step)?;
        if self.steps % 4 == 3 {
            states = package.or(&states, &self.earlier)?;
            self.earlier = states.clone();
        }
        self.states = states;
        self.steps += 1;
        Ok(())
    }
}

/// Images of wide assignments, until the set of states has this many nodes.
pub fn wide_images<P: Package>(bits: u32, enough: usize, cache: usize) -> Answer<Run> {
    let mut package = P::new(3 * bits, NODES, cache);
    let mut search = WideSearch::new(&mut package, bits)?;
    let mut time = Duration::ZERO;
    let mut digest = 0;
    while package.size(&search.states) < enough {
        let (relation, step) = search.next_assignment().relation(&mut package)?;
        measured(&mut time, || search.advance(&mut package, &relation, &step))?;
        digest = combine(digest, package.size(&search.states) as u64);
    }
    digest = combine(digest, fingerprint(&package, &search.states));
    Ok(Run {
        time,
        digest,
        note: format!("{} steps, {} nodes", search.steps, package.nodes()),
    })
}

/// A collection after each image of a wide program. Only collecting is measured.
pub fn collections<P: Package>(bits: u32, enough: usize) -> Answer<Run> {
    let mut package = P::new(3 * bits, NODES, LARGE_CACHE);
    let mut search = WideSearch::new(&mut package, bits)?;
    let mut time = Duration::ZERO;
    while package.size(&search.states) < enough {
        let (relation, step) = search.next_assignment().relation(&mut package)?;
        search.advance(&mut package, &relation, &step)?;
        drop((relation, step));
        let roots = search.roots();
        measured(&mut time, || {
            package.collect(&roots);
            Ok(())
        })?;
    }
    Ok(Run {
        time,
        digest: fingerprint(&package, &search.states),
        note: format!("{} collections", search.steps),
    })
}

/// The queens on a board of this size: conjunctions only, no images.
pub fn queens<P: Package>(size: u32) -> Answer<Run> {
    let mut package = P::new(size * size, NODES, LARGE_CACHE);
    let mut time = Duration::ZERO;
    let solutions = measured(&mut time, || {
        let mut solutions = package.truth();
        for row in 0..size {
            let mut empty = package.truth();
            for column in 0..size {
                let rule = unattacked(&mut package, size, row, column)?;
                solutions = package.and(&solutions, &rule)?;
                let queen = package.variable(row * size + column)?;
                let none = package.not(&queen)?;
                empty = package.and(&empty, &none)?;
            }
            let some = package.not(&empty)?;
            solutions = package.and(&solutions, &some)?;
        }
        Ok(solutions)
    })?;
    Ok(Run {
        time,
        digest: fingerprint(&package, &solutions),
        note: format!("{} nodes", package.nodes()),
    })
}

/// A queen on this field attacks no other.
fn unattacked<P: Package>(
    package: &mut P,
    size: u32,
    row: u32,
    column: u32,
) -> Answer<P::Function> {
    let mut alone = package.truth();
    for other in 0..size * size {
        let down = (other / size).abs_diff(row);
        let across = (other % size).abs_diff(column);
        let attacked = down == 0 || across == 0 || down == across;
        if attacked && (down, across) != (0, 0) {
            let queen = package.variable(other)?;
            let none = package.not(&queen)?;
            alone = package.and(&alone, &none)?;
        }
    }
    let queen = package.variable(row * size + column)?;
    let none = package.not(&queen)?;
    package.or(&none, &alone)
}
