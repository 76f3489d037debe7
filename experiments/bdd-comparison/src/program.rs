//! Random parallel assignments as programs from predicate abstraction have them, and their
//! relations.
//!
//! A state bit has three variables that stand together: its value at the procedure's entry, now,
//! and next. A set of states relates entry and now; the relation of an assignment speaks of the
//! next values of its targets only, so other bits cost nothing.

use crate::package::{Answer, Package};

/// A small generator of reproducible numbers (`SplitMix64`).
pub struct Random(pub u64);

impl Random {
    /// A number below the bound.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let below = (mixed ^ (mixed >> 31)) % u64::from(bound);
        u32::try_from(below).expect("a remainder is less than the bound")
    }
}

/// The entry variable of a bit.
pub fn entry(bit: u32) -> u32 {
    3 * bit
}

/// The current variable of a bit.
pub fn current(bit: u32) -> u32 {
    3 * bit + 1
}

/// The next variable of a bit.
pub fn next(bit: u32) -> u32 {
    3 * bit + 2
}

/// A bit, negated or not.
type Literal = (u32, bool);

enum RightHandSide {
    /// `schoose[p, n]`: true where `p`, else false where `n`, else anything.
    Schoose(Vec<Literal>, Vec<Literal>),
    /// A disjunction of two cubes.
    Either(Vec<Literal>, Vec<Literal>),
    /// A cube, possibly empty.
    Cube(Vec<Literal>),
}

/// A parallel assignment.
pub struct Assignment {
    targets: Vec<(u32, RightHandSide)>,
}

impl Assignment {
    /// Some assignment to at most so many of the bits.
    pub fn random(random: &mut Random, bits: u32, most_targets: u32) -> Self {
        let mut targets: Vec<(u32, RightHandSide)> = Vec::new();
        for _ in 0..=random.below(most_targets) {
            let bit = random.below(bits);
            if targets.iter().all(|&(other, _)| other != bit) {
                targets.push((bit, right_hand_side(random, bits)));
            }
        }
        Self { targets }
    }

    /// The relation and the step that applies it.
    pub fn relation<P: Package>(&self, package: &mut P) -> Answer<(P::Function, P::Step)> {
        let mut relation = package.truth();
        for (bit, right_hand_side) in &self.targets {
            let target = package.variable(next(*bit))?;
            let part = match right_hand_side {
                RightHandSide::Schoose(positive, negative) => {
                    let positive = cube(package, positive)?;
                    let negative = cube(package, negative)?;
                    let untrue = package.not(&target)?;
                    let may_be_false = package.not(&positive)?;
                    let may_be_true = package.not(&negative)?;
                    let may_be_true = package.or(&may_be_true, &positive)?;
                    let when_true = package.and(&target, &may_be_true)?;
                    let when_false = package.and(&untrue, &may_be_false)?;
                    package.or(&when_true, &when_false)?
                }
                RightHandSide::Either(one, other) => {
                    let one = cube(package, one)?;
                    let other = cube(package, other)?;
                    let value = package.or(&one, &other)?;
                    package.iff(&target, &value)?
                }
                RightHandSide::Cube(literals) => {
                    let value = cube(package, literals)?;
                    package.iff(&target, &value)?
                }
            };
            relation = package.and(&relation, &part)?;
        }
        let pairs = self.targets.iter();
        let pairs: Vec<_> = pairs.map(|&(bit, _)| (next(bit), current(bit))).collect();
        let targets: Vec<_> = pairs.iter().map(|&(_, current)| current).collect();
        Ok((relation, package.step(&targets, &pairs)?))
    }
}

fn right_hand_side(random: &mut Random, bits: u32) -> RightHandSide {
    match random.below(8) {
        0..4 => RightHandSide::Schoose(literals(random, bits, 2), literals(random, bits, 2)),
        4..6 => RightHandSide::Either(literals(random, bits, 2), literals(random, bits, 2)),
        6 => RightHandSide::Cube(literals(random, bits, 1)),
        _ => RightHandSide::Cube(Vec::new()),
    }
}

fn literals(random: &mut Random, bits: u32, most: u32) -> Vec<Literal> {
    let count = 1 + random.below(most);
    let mut literal = || (random.below(bits), random.below(2) == 1);
    (0..count).map(|_| literal()).collect()
}

/// The conjunction of literals of current values.
pub fn cube<P: Package>(package: &mut P, literals: &[Literal]) -> Answer<P::Function> {
    let mut cube = package.truth();
    for &(bit, positive) in literals {
        let variable = package.variable(current(bit))?;
        let literal = if positive {
            variable
        } else {
            package.not(&variable)?
        };
        cube = package.and(&cube, &literal)?;
    }
    Ok(cube)
}
