//! Guards: Boolean conditions over propositions, as lists of cubes.
//!
//! A [`Letter`] says which propositions hold at a position of a run: bit *i* stands for proposition
//! *i*, so there are at most [`MAX_PROPOSITIONS`]. A [`Cube`] is a conjunction of literals and a
//! [`Guard`] a disjunction of cubes. Whether a guard holds takes two machine instructions per cube,
//! which is what the search does once per state and edge.

/// Which propositions hold: bit *i* is proposition *i*.
pub type Letter = u64;

/// How many propositions one property may have.
pub(crate) const MAX_PROPOSITIONS: usize = Letter::BITS as usize;

/// A guard with more cubes than this is not made.
const MAX_CUBES: usize = 256;

/// A conjunction of propositions and negated propositions; the empty one is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// The propositions that must hold.
    pub positive: Letter,
    /// The propositions that must not hold.
    pub negative: Letter,
}

/// A disjunction of cubes; the empty one is false.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guard {
    cubes: Vec<Cube>,
}

/// A guard would have more than [`MAX_CUBES`] cubes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the condition has more than {MAX_CUBES} alternatives")]
pub struct TooManyCubes;

impl Cube {
    /// A single literal.
    pub fn literal(proposition: u32, positive: bool) -> Self {
        let bit = 1 << proposition;
        if positive {
            Self {
                positive: bit,
                negative: 0,
            }
        } else {
            Self {
                positive: 0,
                negative: bit,
            }
        }
    }

    /// Whether it holds.
    pub fn holds(self, letter: Letter) -> bool {
        letter & self.positive == self.positive && letter & self.negative == 0
    }

    /// Both; nothing if they contradict each other.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube {
            positive: self.positive | other.positive,
            negative: self.negative | other.negative,
        };
        (both.positive & both.negative == 0).then_some(both)
    }

    /// Whether every letter of this cube is one of the other.
    pub(crate) fn implies(self, other: Cube) -> bool {
        self.positive & other.positive == other.positive
            && self.negative & other.negative == other.negative
    }

    /// The propositions it speaks of.
    pub fn support(self) -> Letter {
        self.positive | self.negative
    }

    /// If the two differ in the sign of one literal only, what they have in common.
    fn merge(self, other: Cube) -> Option<Cube> {
        let differing = self.positive ^ other.positive;
        let is_one_sign =
            differing.is_power_of_two() && differing == self.negative ^ other.negative;
        (is_one_sign && self.support() == other.support()).then_some(Cube {
            positive: self.positive & !differing,
            negative: self.negative & !differing,
        })
    }
}

impl Guard {
    /// The guard that always holds.
    pub(crate) fn always() -> Self {
        Cube::default().into()
    }

    /// The guard that never holds.
    pub fn never() -> Self {
        Self::default()
    }

    /// Its cubes.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// Whether it holds.
    pub fn holds(&self, letter: Letter) -> bool {
        self.cubes.iter().any(|cube| cube.holds(letter))
    }

    /// Whether it is false whatever the letter.
    pub(crate) fn is_never(&self) -> bool {
        self.cubes.is_empty()
    }

    /// The propositions it speaks of.
    pub(crate) fn support(&self) -> Letter {
        self.cubes.iter().fold(0, |all, cube| all | cube.support())
    }

    /// Whether some single cube of this guard covers the given one. (A cube that only several
    /// together cover is not found.)
    pub(crate) fn covers(&self, cube: Cube) -> bool {
        self.cubes.iter().any(|&own| cube.implies(own))
    }

    /// Adds an alternative, and simplifies: no cube implies another, none differ in one sign only.
    pub(crate) fn add(&mut self, cube: Cube) {
        let mut pending = vec![cube];
        while let Some(cube) = pending.pop() {
            if self.covers(cube) {
                continue;
            }
            self.cubes.retain(|own| !own.implies(cube));
            pending.extend(self.cubes.iter().filter_map(|own| own.merge(cube)));
            self.cubes.push(cube);
        }
        self.cubes.sort_unstable();
    }

    /// Either of the two.
    pub fn or(mut self, other: &Guard) -> Result<Self, TooManyCubes> {
        for &cube in &other.cubes {
            self.add(cube);
            self.check_size()?;
        }
        Ok(self)
    }

    /// Both.
    pub fn and(&self, other: &Guard) -> Result<Self, TooManyCubes> {
        let mut both = Guard::never();
        for &left in &self.cubes {
            for cube in other.cubes.iter().filter_map(|&right| left.and(right)) {
                both.add(cube);
                both.check_size()?;
            }
        }
        Ok(both)
    }

    /// The opposite.
    pub fn negated(&self) -> Result<Self, TooManyCubes> {
        let mut result = Guard::always();
        for cube in &self.cubes {
            let mut opposite = Guard::never();
            for proposition in 0..Letter::BITS {
                let bit = 1 << proposition;
                if cube.support() & bit != 0 {
                    opposite.add(Cube::literal(proposition, cube.negative & bit != 0));
                }
            }
            result = result.and(&opposite)?;
        }
        Ok(result)
    }

    fn check_size(&self) -> Result<(), TooManyCubes> {
        if self.cubes.len() > MAX_CUBES {
            return Err(TooManyCubes);
        }
        Ok(())
    }
}

impl From<Cube> for Guard {
    fn from(cube: Cube) -> Self {
        Self { cubes: vec![cube] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_testkit::random::Random;

    fn random_guard(random: &mut Random) -> Guard {
        let mut guard = Guard::never();
        for _ in 0..random.below(5) {
            let positive = random.below(16) as u64;
            let negative = random.below(16) as u64 & !positive;
            guard.add(Cube { positive, negative });
        }
        guard
    }

    #[test]
    fn connectives_agree_with_the_truth_table() {
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let (a, b) = (random_guard(&mut random), random_guard(&mut random));
            let and = a.and(&b).unwrap();
            let or = a.clone().or(&b).unwrap();
            let not = a.negated().unwrap();
            for letter in 0..16 {
                assert_eq!(and.holds(letter), a.holds(letter) && b.holds(letter));
                assert_eq!(or.holds(letter), a.holds(letter) || b.holds(letter));
                assert_eq!(not.holds(letter), !a.holds(letter), "{a:?}");
            }
        }
    }

    #[test]
    fn complementary_cubes_become_one() {
        let mut guard = Guard::never();
        for letter in 0..8 {
            guard.add(Cube {
                positive: letter,
                negative: 7 & !letter,
            });
        }
        assert_eq!(guard, Guard::always());
    }

    #[test]
    fn a_guard_that_would_be_huge_is_refused() {
        // The parity of 10 propositions has 2^9 cubes.
        let mut parity = Guard::never();
        let result = (0..10).try_for_each(|proposition| {
            let bit = Guard::from(Cube::literal(proposition, true));
            let odd = bit.and(&parity.negated()?)?;
            let even = bit.negated()?.and(&parity)?;
            parity = odd.or(&even)?;
            Ok(())
        });
        assert_eq!(result, Err(TooManyCubes));
    }
}
