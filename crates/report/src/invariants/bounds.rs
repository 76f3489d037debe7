//! What a function says about whole integers: their least and greatest values, and which of two is
//! smaller. An irredundant sum of products has to name bits for that, one product for each place
//! where a carry could be; what is left once the bounds are known is often nothing.

use super::sum_of_products::{Language, NamedBit, Names};
use hardbop_bdd::{Bdd, Exhausted, Manager};

/// More integers than this are not compared with each other.
const MAX_COMPARED: usize = 6;
/// Steps of work for one comparison: diagrams of integers whose bits are not interleaved are huge.
const COMPARISON_WORK: u64 = 20_000;

/// Facts about integers that follow from a function.
pub(super) struct Bounds {
    /// One formula each.
    pub(super) texts: Vec<String>,
    /// All of them.
    pub(super) known: Bdd,
}

/// An integer, all of whose bits have variables, least significant first.
struct Word<'n> {
    first: &'n NamedBit,
    bits: Vec<Bdd>,
}

impl Word<'_> {
    fn greatest(&self) -> u64 {
        u64::MAX >> (64 - self.first.width)
    }

    /// The least value in a set, or the greatest. With `flipped` the leading bit counts the other
    /// way round, as that of a number with a sign does.
    fn extreme(
        &self,
        manager: &mut Manager<'_>,
        set: Bdd,
        wanted: bool,
        flipped: bool,
    ) -> Result<u64, Exhausted> {
        let (mut set, mut value) = (set, 0);
        for (index, &bit) in self.bits.iter().enumerate().rev() {
            let is_sign = flipped && index + 1 == self.bits.len();
            let wanted = wanted != is_sign;
            let with = manager.and(set, if wanted { bit } else { !bit })?;
            let is_possible = !with.is_false();
            set = if is_possible { with } else { set };
            value |= u64::from(wanted == is_possible) << index;
        }
        Ok(value)
    }

    /// The integer is at least this value, by the same order.
    fn at_least(
        &self,
        manager: &mut Manager<'_>,
        value: u64,
        flipped: bool,
    ) -> Result<Bdd, Exhausted> {
        let mut holds = Bdd::constant(true);
        for (index, &bit) in self.bits.iter().enumerate() {
            let is_sign = flipped && index + 1 == self.bits.len();
            let bit = if is_sign { !bit } else { bit };
            let is_set = (value >> index & 1 == 1) != is_sign;
            holds = if is_set {
                manager.and(bit, holds)?
            } else {
                manager.or(bit, holds)?
            };
        }
        Ok(holds)
    }

    fn at_most(
        &self,
        manager: &mut Manager<'_>,
        value: u64,
        flipped: bool,
    ) -> Result<Bdd, Exhausted> {
        let sign = u64::from(flipped) << (self.bits.len() - 1);
        match (value ^ sign).checked_add(1) {
            Some(next) if next <= self.greatest() => {
                Ok(!self.at_least(manager, next ^ sign, flipped)?)
            }
            _ => Ok(Bdd::constant(true)),
        }
    }

    /// Puts constants for the bits that have one value in a set.
    fn fix(&mut self, manager: &mut Manager<'_>, set: Bdd) -> Result<(), Exhausted> {
        for bit in &mut self.bits {
            for value in [false, true] {
                let literal = if value { *bit } else { !*bit };
                if !bit.is_constant() && manager.implies(set, literal)? {
                    *bit = Bdd::constant(value);
                }
            }
        }
        Ok(())
    }

    /// One integer is less than another of the same width, or with `or_equal` at most that. The
    /// leading bit is a sign if both have one.
    fn less(
        &self,
        manager: &mut Manager<'_>,
        other: &Self,
        or_equal: bool,
    ) -> Result<Bdd, Exhausted> {
        let are_signed = self.first.is_signed() && other.first.is_signed();
        let mut holds = Bdd::constant(or_equal);
        for (index, (&one, &other)) in self.bits.iter().zip(&other.bits).enumerate() {
            let differ = manager.xor(one, other)?;
            let is_sign = are_signed && index + 1 == self.bits.len();
            let greater = if is_sign { one } else { other };
            holds = manager.ite(differ, greater, holds)?;
        }
        Ok(holds)
    }
}

/// The bounds of a function, where it has variables for all bits of its integers.
pub(super) fn bounds(
    manager: &mut Manager<'_>,
    function: Bdd,
    names: &Names,
    language: Language,
) -> Result<Bounds, Exhausted> {
    let words = words(manager, names)?;
    let mut bounds = Bounds::none();
    for word in &words {
        bounds.of_word(manager, function, word, language)?;
    }
    if words.len() <= MAX_COMPARED {
        // Beside the bounds a comparison needs only the bits that they leave open.
        let mut words = words;
        for word in &mut words {
            word.fix(manager, bounds.known)?;
        }
        for (index, one) in words.iter().enumerate() {
            for other in &words[index + 1..] {
                bounds.of_pair(manager, function, [one, other], language)?;
            }
        }
    }
    Ok(bounds)
}

fn words<'n>(manager: &mut Manager<'_>, names: &'n Names) -> Result<Vec<Word<'n>>, Exhausted> {
    let mut words: Vec<(&NamedBit, Vec<(u32, u32)>)> = Vec::new();
    for (&variable, named) in names.iter().filter(|(_, named)| named.width > 1) {
        let bit = (named.bit, variable);
        match words.iter_mut().find(|(w, _)| w.variable == named.variable) {
            Some((_, bits)) => bits.push(bit),
            None => words.push((named, vec![bit])),
        }
    }
    words.retain(|(first, bits)| bits.len() == first.width as usize);
    let mut whole = Vec::new();
    for (first, mut bits) in words {
        bits.sort_unstable();
        let bits: Result<Vec<Bdd>, Exhausted> =
            bits.into_iter().map(|(_, v)| manager.variable(v)).collect();
        whole.push(Word { first, bits: bits? });
    }
    Ok(whole)
}

impl Bounds {
    /// Nothing is known.
    pub(super) fn none() -> Self {
        Self {
            texts: Vec::new(),
            known: Bdd::constant(true),
        }
    }

    fn add(&mut self, manager: &mut Manager<'_>, fact: Bdd, text: String) -> Result<(), Exhausted> {
        self.known = manager.and(self.known, fact)?;
        self.texts.push(text);
        Ok(())
    }

    fn of_word(
        &mut self,
        manager: &mut Manager<'_>,
        function: Bdd,
        word: &Word<'_>,
        language: Language,
    ) -> Result<(), Exhausted> {
        let least = word.extreme(manager, function, false, false)?;
        let greatest = word.extreme(manager, function, true, false)?;
        let name = word.first;
        if least == greatest {
            let above = word.at_least(manager, least, false)?;
            let below = word.at_most(manager, greatest, false)?;
            let fact = manager.and(above, below)?;
            return self.add(manager, fact, language.value(name, least, true));
        }
        let mut flipped = false;
        let (mut least, mut greatest) = (least, greatest);
        let is_open = least == 0 && greatest == word.greatest() && language == Language::C;
        if name.is_signed() || is_open {
            flipped = true;
            least = word.extreme(manager, function, false, true)?;
            greatest = word.extreme(manager, function, true, true)?;
        }
        let sign = u64::from(flipped) << (name.width - 1);
        if least != sign {
            let fact = word.at_least(manager, least, flipped)?;
            self.add(manager, fact, language.bound(name, ">=", least, flipped))?;
        }
        if greatest != word.greatest() ^ sign {
            let fact = word.at_most(manager, greatest, flipped)?;
            self.add(manager, fact, language.bound(name, "<=", greatest, flipped))?;
        }
        Ok(())
    }

    /// Which of two integers is smaller, unless their bounds say it. That they are equal is found
    /// among the clauses.
    fn of_pair(
        &mut self,
        manager: &mut Manager<'_>,
        function: Bdd,
        [one, other]: [&Word<'_>; 2],
        language: Language,
    ) -> Result<(), Exhausted> {
        if one.first.width != other.first.width {
            return Ok(());
        }
        // A person would read the order of a number with a sign and one without as another one.
        let is_mixed = one.first.is_signed() != other.first.is_signed();
        if is_mixed && language == Language::Program {
            return Ok(());
        }
        for (one, other) in [(one, other), (other, one)] {
            for (or_equal, sign) in [(false, "<"), (true, "<=")] {
                let limit = manager.work() + COMPARISON_WORK;
                let before = manager.set_work_limit(limit);
                let fact = one.less(manager, other, or_equal);
                let follows = fact.and_then(|fact| manager.implies(function, fact));
                manager.set_work_limit(before);
                match (fact, follows) {
                    (Ok(fact), Ok(true)) if !manager.implies(self.known, fact)? => {
                        let text = language.order(one.first, sign, other.first);
                        return self.add(manager, fact, text);
                    }
                    (Ok(_), Ok(false)) => {}
                    // Known already, or too much work.
                    _ => return Ok(()),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sum_of_products::text;
    use super::*;
    use hardbop_machine::{GlobalId, Variable};

    type Holds = fn(u64, u64) -> bool;

    /// Two integers of three bits, interleaved.
    fn names() -> Names {
        let bit = |number: u32| NamedBit {
            variable: Variable::Global(GlobalId(number % 2)),
            name: ["x", "y"][number as usize % 2].to_owned(),
            bit: 2 - number / 2,
            width: 3,
            notation: hardbop_syntax::Notation::default(),
            value_names: std::sync::Arc::default(),
        };
        (0..6).map(|number| (number, bit(number))).collect()
    }

    /// The set of pairs for which something holds.
    fn set(manager: &mut Manager<'_>, holds: impl Fn(u64, u64) -> bool) -> Bdd {
        let mut set = Bdd::constant(false);
        for (x, y) in (0..64).map(|pair| (pair / 8, pair % 8)) {
            if !holds(x, y) {
                continue;
            }
            let mut row = Bdd::constant(true);
            for (variable, named) in names() {
                let value = if named.name == "x" { x } else { y };
                let bit = manager.variable(variable).expect("there is room");
                let literal = if value >> named.bit & 1 == 1 {
                    bit
                } else {
                    !bit
                };
                row = manager.and(row, literal).expect("there is room");
            }
            set = manager.or(set, row).expect("there is room");
        }
        set
    }

    #[test]
    fn bounds_and_order_take_the_place_of_bits() {
        let signed = |value: u64| (value << 61).cast_signed() >> 61;
        let cases: [(Holds, &str, &str); 3] = [
            (|x, _| x <= 5, "x <= 5", "(unsigned char)x <= 5U"),
            (
                |x, y| x <= 6 && y <= x,
                "x <= 6 & y <= 6 & y <= x",
                "(unsigned char)x <= 6U && (unsigned char)y <= 6U && (unsigned char)y <= (unsigned char)x",
            ),
            (|x, y| x == 3 && y == 1, "x = 3 & y = 1", "x == 3 && y == 1"),
        ];
        let mut manager = Manager::new(10_000);
        for (holds, program, c) in cases {
            let set = set(&mut manager, holds);
            let mut shown = |language| text(&mut manager, set, &names(), language).unwrap();
            assert_eq!(shown(Language::Program), program);
            assert_eq!(shown(Language::C), c);
        }
        let around_zero = set(&mut manager, |x, _| (-2..=1).contains(&signed(x)));
        let found = bounds(&mut manager, around_zero, &names(), Language::C).unwrap();
        assert_eq!(found.texts, ["(signed char)x >= -2", "(signed char)x <= 1"]);
        assert_eq!(found.known, around_zero);
    }

    #[test]
    fn bounds_are_those_of_the_set() {
        let mut manager = Manager::new(100_000);
        let mut seed = 7u64;
        for _ in 0..200 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let table = (seed >> 3) & (seed << 11) & (seed >> 17);
            let is_in = |x: u64, y: u64| table >> (8 * x + y) & 1 == 1;
            let set = set(&mut manager, is_in);
            if set.is_false() {
                continue;
            }
            let found = bounds(&mut manager, set, &names(), Language::C).unwrap();
            assert!(manager.implies(set, found.known).unwrap());
            let all = || {
                (0..64)
                    .map(|pair| (pair / 8, pair % 8))
                    .filter(|&(x, y)| is_in(x, y))
            };
            for (index, name) in ["x", "y"].into_iter().enumerate() {
                let of = |(x, y): (u64, u64)| [x, y][index];
                let names = names();
                let words = super::words(&mut manager, &names).unwrap();
                let word = words.iter().find(|word| word.first.name == name).unwrap();
                for flipped in [false, true] {
                    let order = |value: u64| value ^ (u64::from(flipped) << 2);
                    let least = all().map(of).min_by_key(|&v| order(v)).unwrap();
                    let greatest = all().map(of).max_by_key(|&v| order(v)).unwrap();
                    let extreme = |manager: &mut _, wanted| {
                        word.extreme(manager, set, wanted, flipped).unwrap()
                    };
                    assert_eq!(extreme(&mut manager, false), least);
                    assert_eq!(extreme(&mut manager, true), greatest);
                    let above = word.at_least(&mut manager, least, flipped).unwrap();
                    let below = word.at_most(&mut manager, greatest, flipped).unwrap();
                    for value in 0..8 {
                        let at = |v: u32| value >> names[&v].bit & 1 == 1;
                        let is_above = order(value) >= order(least);
                        assert_eq!(manager.eval(above, at), is_above);
                        let is_below = order(value) <= order(greatest);
                        assert_eq!(manager.eval(below, at), is_below);
                    }
                }
            }
        }
    }
}
