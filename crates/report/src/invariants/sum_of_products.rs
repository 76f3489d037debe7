//! A BDD as a short formula: an irredundant sum of products, of it or of its negation.
//!
//! S. Minato's algorithm with E. Morreale's interval: products are chosen between a lower bound that
//! has to be covered and an upper bound that must not be left. It recurses over variables, of which
//! the caller has a few dozen.

use super::bounds::{Bounds, bounds};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::Variable;
use hardbop_syntax::notation::Written;
use hardbop_syntax::{Notation, ValueNames};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How formulas are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// As in programs, for a person; longer formulas are given up.
    Program,
    /// As in C, for another tool.
    C,
}

impl Language {
    /// Formulas with more literals are given up.
    fn most_literals(self) -> usize {
        match self {
            Language::Program => 60,
            Language::C => 2_000,
        }
    }

    fn and(self) -> &'static str {
        match self {
            Language::Program => " & ",
            Language::C => " && ",
        }
    }

    fn or(self) -> &'static str {
        match self {
            Language::Program => " | ",
            Language::C => " || ",
        }
    }

    fn equals(self, equal: bool) -> &'static str {
        match (self, equal) {
            (_, false) => "!=",
            (Language::Program, true) => "=",
            (Language::C, true) => "==",
        }
    }

    /// A conjunction that is an operand of a disjunction. Compilers warn where C has no parentheses.
    fn grouped(self, conjunction: String, count: usize) -> String {
        match self {
            Language::C if count > 1 => format!("({conjunction})"),
            _ => conjunction,
        }
    }

    /// A bit of a variable, or its negation.
    fn literal(self, bit: &NamedBit, positive: bool) -> String {
        let sign = if positive { "" } else { "!" };
        match (bit.width, self) {
            (1, _) => format!("{sign}{}", bit.name),
            (_, Language::Program) => format!("{sign}{}[{}]", bit.name, bit.bit),
            (_, Language::C) => format!("{sign}({} >> {} & 1)", bit.name, bit.bit),
        }
    }

    /// A variable and its value. In C a number without a sign that has a leading 1 is compared as
    /// such, and no name of a value is used: it may be hidden by another one.
    pub(super) fn value(self, bit: &NamedBit, value: u64, equal: bool) -> String {
        let (name, word) = (&bit.name, self.equals(equal));
        match self {
            Language::Program => format!("{name} {word} {}", bit.shown(value)),
            Language::C if bit.is_signed() => format!("{name} {word} {}", bit.number(value)),
            Language::C if value >> (bit.width - 1) & 1 == 1 => {
                format!("{}{name} {word} {value}U", c_cast(bit.width))
            }
            Language::C => format!("{name} {word} {value}"),
        }
    }

    /// A bound of an integer, with or without a sign.
    pub(super) fn bound(self, bit: &NamedBit, word: &str, value: u64, signed: bool) -> String {
        let name = &bit.name;
        match (self, signed) {
            (Language::Program, _) => format!("{name} {word} {}", bit.shown(value)),
            (Language::C, true) if bit.is_signed() => {
                format!("{name} {word} {}", bit.number(value))
            }
            (Language::C, false) => format!("{}{name} {word} {value}U", c_cast(bit.width)),
            (Language::C, true) => {
                let unused = 64 - bit.width;
                let value = (value << unused).cast_signed() >> unused;
                format!("{}{name} {word} {value}", c_signed_cast(bit.width))
            }
        }
    }

    /// The order of two integers of the same width: with a sign if both have one.
    pub(super) fn order(self, one: &NamedBit, word: &str, other: &NamedBit) -> String {
        let are_signed = one.is_signed() && other.is_signed();
        let cast = match self {
            Language::C if !are_signed => c_cast(one.width),
            _ => "",
        };
        format!("{cast}{} {word} {cast}{}", one.name, other.name)
    }

    /// Two integers of the same width are equal. In C shorter ones would be extended, each by its
    /// own sign.
    fn same(self, one: &NamedBit, other: &NamedBit) -> String {
        let (a, b, word) = (&one.name, &other.name, self.equals(true));
        match self {
            Language::C if one.width < 32 => {
                let cast = c_cast(one.width);
                format!("{cast}{a} {word} {cast}{b}")
            }
            _ => format!("{a} {word} {b}"),
        }
    }
}

/// The conversion to an integer of this many bits without a sign.
fn c_cast(width: u32) -> &'static str {
    match width {
        0..=8 => "(unsigned char)",
        9..=16 => "(unsigned short)",
        17..=32 => "(unsigned int)",
        _ => "(unsigned long long)",
    }
}

/// The conversion to an integer of this many bits with a sign.
fn c_signed_cast(width: u32) -> &'static str {
    match width {
        0..=8 => "(signed char)",
        9..=16 => "(short)",
        17..=32 => "(int)",
        _ => "(long long)",
    }
}

/// A product: variables with their signs. Of a negated function it is read as a clause.
type Product = Vec<(u32, bool)>;

/// What a variable of a BDD stands for: a bit of a variable of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedBit {
    /// The variable of the program. Several may have the same name.
    pub(super) variable: Variable,
    pub(super) name: String,
    pub(super) bit: u32,
    /// How many bits it has.
    pub(super) width: u32,
    /// How its values are written.
    pub(super) notation: Notation,
    /// The tables that the notation refers to.
    pub(super) value_names: Arc<Vec<ValueNames>>,
}

impl NamedBit {
    fn written(&self) -> Written<'_> {
        self.notation.of_width(&self.value_names, self.width)
    }

    /// Whether the values of the variable have a sign.
    pub(super) fn is_signed(&self) -> bool {
        self.written().is_signed
    }

    fn number(&self, value: u64) -> i128 {
        self.written().number(value)
    }

    fn shown(&self, value: u64) -> String {
        self.written().text(value).into_owned()
    }
}

/// The bits behind the variables of a function.
pub(super) type Names = BTreeMap<u32, NamedBit>;

/// Steps of work for a formula without bounds where there is one with them.
const PLAIN_WORK: u64 = 100_000;

/// The function as a formula: the shortest of a sum of products, the clauses of its negation, and
/// either of them for what is left once the bounds of its integers are known.
pub(super) fn text(
    manager: &mut Manager<'_>,
    bdd: Bdd,
    names: &Names,
    language: Language,
) -> Result<String, Exhausted> {
    if bdd.is_true() {
        return Ok("true".to_owned());
    }
    let bounds = bounds(manager, bdd, names, language)?;
    let with_bounds = if bounds.texts.is_empty() {
        None
    } else if manager.implies(bounds.known, bdd)? {
        Some(bounds.texts.join(language.and()))
    } else {
        beside(manager, bdd, &bounds, names, language).ok()
    };
    let before = manager.set_work_limit(u64::MAX);
    let limit = match with_bounds {
        Some(_) => before.min(manager.work() + PLAIN_WORK),
        None => before,
    };
    manager.set_work_limit(limit);
    let plain = beside(manager, bdd, &Bounds::none(), names, language);
    manager.set_work_limit(before);
    match (with_bounds, plain) {
        (Some(text), Ok(plain)) if text.len() < plain.len() => Ok(text),
        (Some(text), Err(_)) => Ok(text),
        (_, plain) => plain,
    }
}

/// The function as its bounds and what is left beside them.
fn beside(
    manager: &mut Manager<'_>,
    bdd: Bdd,
    bounds: &Bounds,
    names: &Names,
    language: Language,
) -> Result<String, Exhausted> {
    let unknown = !bounds.known;
    let (most, rest) = (manager.or(bdd, unknown)?, manager.diff(bounds.known, bdd)?);
    let (sum, _) = cover(manager, bdd, most)?;
    let (negated, _) = cover(manager, rest, !bdd)?;
    let size = |products: &[Product]| products.iter().map(Vec::len).sum::<usize>();
    let literals = size(&sum).min(size(&negated)) + 2 * bounds.texts.len();
    if literals > language.most_literals() {
        return Err(Exhausted::Work);
    }
    let of_sum: Vec<String> = sum
        .iter()
        .map(|product| {
            let text = conjunction(product, names, language);
            let is_alone = sum.len() == 1;
            language.grouped(text, if is_alone { 1 } else { product.len() })
        })
        .collect();
    let of_sum = of_sum.join(language.or());
    let of_sum = if sum.len() > 1 && !bounds.texts.is_empty() {
        format!("({of_sum})")
    } else {
        of_sum
    };
    let of_clauses = clauses(&negated, names, language, !bounds.texts.is_empty());
    // What is shorter as text may not be what has fewer literals: values of integers are short.
    let left = if of_sum.len() < of_clauses.len() {
        of_sum
    } else {
        of_clauses
    };
    let mut parts = bounds.texts.clone();
    parts.push(left);
    Ok(parts.join(language.and()))
}

/// Literals about one variable of the program.
struct Group<'n> {
    /// One of its bits and its value, where every bit is there.
    whole: Option<(&'n NamedBit, u64)>,
    literals: Vec<(u32, bool)>,
}

/// Literals in groups by the variable of the program.
fn grouped<'n>(literals: &[(u32, bool)], names: &'n Names) -> Vec<Group<'n>> {
    let mut groups: Vec<(&NamedBit, Vec<(u32, bool)>)> = Vec::new();
    for &(variable, sign) in literals {
        let bit = &names[&variable];
        match groups
            .iter_mut()
            .find(|(first, _)| first.variable == bit.variable)
        {
            Some((_, group)) => group.push((variable, sign)),
            None => groups.push((bit, vec![(variable, sign)])),
        }
    }
    let whole = groups.into_iter().map(|(first, group)| {
        let is_whole = first.width > 1 && group.len() == first.width as usize;
        let bits = group
            .iter()
            .map(|(variable, sign)| u64::from(*sign) << names[variable].bit);
        Group {
            whole: is_whole.then(|| (first, bits.sum())),
            literals: group,
        }
    });
    whole.collect()
}

/// A product: `a & !b & n = 3`.
fn conjunction(product: &[(u32, bool)], names: &Names, language: Language) -> String {
    let parts = grouped(product, names)
        .into_iter()
        .flat_map(|group| match group.whole {
            Some((bit, value)) => vec![language.value(bit, value, true)],
            None => group
                .literals
                .iter()
                .map(|&(v, sign)| language.literal(&names[&v], sign))
                .collect(),
        });
    parts.collect::<Vec<_>>().join(language.and())
}

/// The negation of a sum: `a & (b | c) & m = n & k != 0`. Other formulas may stand beside it.
fn clauses(products: &[Product], names: &Names, language: Language, is_beside: bool) -> String {
    let negate = |product: &Product| -> Vec<(u32, bool)> {
        product
            .iter()
            .map(|&(variable, sign)| (variable, !sign))
            .collect()
    };
    let all: Vec<Vec<(u32, bool)>> = products.iter().map(negate).collect();
    let units: Vec<(u32, bool)> = all.iter().filter(|c| c.len() == 1).map(|c| c[0]).collect();
    let mut parts = Vec::new();
    if !units.is_empty() {
        parts.push(conjunction(&units, names, language));
    }
    let others: Vec<&Vec<(u32, bool)>> = all.iter().filter(|c| c.len() != 1).collect();
    let is_alone = parts.is_empty() && others.len() == 1 && !is_beside;
    let (equalities, others) = equalities(&others);
    parts.extend(equal_bits(&equalities, names, language));
    for clause in others {
        let groups = grouped(clause, names);
        let alternatives: Vec<String> = groups
            .iter()
            .flat_map(|group| match group.whole {
                // The clause fails only where every bit is the opposite.
                Some((bit, value)) => {
                    let excluded = !value & (u64::MAX >> (64 - bit.width));
                    vec![language.value(bit, excluded, false)]
                }
                None => group
                    .literals
                    .iter()
                    .map(|&(v, sign)| language.literal(&names[&v], sign))
                    .collect(),
            })
            .collect();
        let text = alternatives.join(language.or());
        let needs_none = is_alone || alternatives.len() == 1;
        parts.push(if needs_none {
            text
        } else {
            format!("({text})")
        });
    }
    parts.join(language.and())
}

/// A clause of several literals.
type Clause = Vec<(u32, bool)>;
/// Two variables that are equal, or with `false` opposite.
type Equality = (u32, u32, bool);

/// Finds `(a | !b) & (!a | b)`, which is `a = b`, and what is left.
fn equalities<'c>(clauses: &[&'c Clause]) -> (Vec<Equality>, Vec<&'c Clause>) {
    let mut found = Vec::new();
    let mut rest: Vec<&Clause> = Vec::new();
    let mut used = vec![false; clauses.len()];
    for (index, clause) in clauses.iter().enumerate() {
        if used[index] {
            continue;
        }
        let twin = match clause.as_slice() {
            &[(a, x), (b, y)] => {
                let is_twin = |other: &&Clause| other.as_slice() == [(a, !x), (b, !y)];
                let later = clauses.iter().enumerate().skip(index + 1);
                let twin = later
                    .filter(|(_, other)| is_twin(other))
                    .map(|(i, _)| i)
                    .next();
                twin.map(|twin| (twin, (a, b, x != y)))
            }
            _ => None,
        };
        match twin {
            Some((twin, equality)) => {
                used[twin] = true;
                found.push(equality);
            }
            None => rest.push(clause),
        }
    }
    (found, rest)
}

/// Equalities of bits in words; of all bits of two integers as one.
fn equal_bits(equalities: &[Equality], names: &Names, language: Language) -> Vec<String> {
    let mut parts = Vec::new();
    let mut done = vec![false; equalities.len()];
    for (index, &(a, b, equal)) in equalities.iter().enumerate() {
        if done[index] {
            continue;
        }
        let (one, other) = (&names[&a], &names[&b]);
        let of_both = |&(_, &(c, d, same)): &(usize, &Equality)| {
            let (c, d) = (&names[&c], &names[&d]);
            same && c.variable == one.variable && d.variable == other.variable && c.bit == d.bit
        };
        let group: Vec<usize> = equalities
            .iter()
            .enumerate()
            .filter(of_both)
            .map(|(i, _)| i)
            .collect();
        let is_whole = one.width == other.width && group.len() == one.width as usize;
        if is_whole && equal {
            for member in group {
                done[member] = true;
            }
            parts.push(language.same(one, other));
        } else {
            let word = language.equals(equal);
            let [one, other] = [a, b].map(|v| language.literal(&names[&v], true));
            parts.push(format!("{one} {word} {other}"));
        }
    }
    parts
}

/// Products that cover `lower` within `upper`, and their sum.
fn cover(
    manager: &mut Manager<'_>,
    lower: Bdd,
    upper: Bdd,
) -> Result<(Vec<Product>, Bdd), Exhausted> {
    if lower.is_false() {
        return Ok((Vec::new(), Bdd::constant(false)));
    }
    if upper.is_true() {
        return Ok((vec![Vec::new()], Bdd::constant(true)));
    }
    let top = |bdd| {
        manager
            .branch(bdd)
            .map_or(u32::MAX, |(variable, ..)| variable)
    };
    let variable = top(lower).min(top(upper));
    let split = |bdd: Bdd| match manager.branch(bdd) {
        Some((tested, low, high)) if tested == variable => (low, high),
        _ => (bdd, bdd),
    };
    let ((lower_0, lower_1), (upper_0, upper_1)) = (split(lower), split(upper));
    // What must be covered where the variable is 0 (or 1) and cannot be without naming it.
    let only_0 = manager.diff(lower_0, upper_1)?;
    let only_1 = manager.diff(lower_1, upper_0)?;
    let (negative, covered_0) = cover(manager, only_0, upper_0)?;
    let (positive, covered_1) = cover(manager, only_1, upper_1)?;
    let left_0 = manager.diff(lower_0, covered_0)?;
    let left_1 = manager.diff(lower_1, covered_1)?;
    let left = manager.or(left_0, left_1)?;
    let both = manager.and(upper_0, upper_1)?;
    let (free, covered) = cover(manager, left, both)?;
    let with = |products: Vec<Product>, sign: bool| {
        products.into_iter().map(move |mut product| {
            product.insert(0, (variable, sign));
            product
        })
    };
    let mut products: Vec<Product> = with(positive, true).collect();
    products.extend(with(negative, false));
    products.extend(free);
    let variable = manager.variable(variable)?;
    let sum = manager.ite(variable, covered_1, covered_0)?;
    let sum = manager.or(sum, covered)?;
    Ok((products, sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::GlobalId;

    fn shown(make: impl Fn(&mut Manager<'_>, [Bdd; 3]) -> Bdd) -> String {
        let mut manager = Manager::new(1000);
        let variables = [0, 1, 2].map(|v| manager.variable(v).expect("there is room"));
        let bdd = make(&mut manager, variables);
        let names = ["a", "b", "c"].map(|name| NamedBit {
            variable: Variable::Global(GlobalId(u32::from(name.as_bytes()[0]))),
            name: name.to_owned(),
            bit: 0,
            width: 1,
            notation: Notation::default(),
            value_names: Arc::default(),
        });
        let names = (0..).zip(names).collect();
        text(&mut manager, bdd, &names, Language::Program).expect("it is small")
    }

    #[test]
    fn the_shorter_form_is_shown() {
        assert_eq!(shown(|_, [a, ..]| !a), "!a");
        assert_eq!(
            shown(|m, [a, b, c]| m.and_all(vec![a, !b, c]).unwrap()),
            "a & !b & c"
        );
        let factored = shown(|m, [a, b, c]| {
            let sum = m.or(b, c).unwrap();
            m.and(a, sum).unwrap()
        });
        assert_eq!(factored, "a & (b | c)");
        assert_eq!(shown(|m, [a, b, _]| m.xor(a, b).unwrap()), "a != b");
        assert_eq!(shown(|m, [a, b, _]| m.iff(a, b).unwrap()), "a = b");
    }

    #[test]
    fn integers_have_values() {
        let bit = |number: u32| NamedBit {
            variable: Variable::Global(GlobalId(number / 2)),
            name: if number < 2 { "m" } else { "n" }.to_owned(),
            bit: number % 2,
            width: 2,
            notation: Notation::default(),
            value_names: Arc::default(),
        };
        let names: Names = (0..4).map(|number| (number, bit(number))).collect();
        let mut manager = Manager::new(1000);
        let [m0, m1, n0, n1] = [0, 1, 2, 3].map(|v| manager.variable(v).expect("there is room"));
        let two = manager.and_all(vec![!m0, m1]).unwrap();
        let not_zero = manager.or(n0, n1).unwrap();
        let (low, high) = (manager.iff(m0, n0).unwrap(), manager.iff(m1, n1).unwrap());
        let equal = manager.and(low, high).unwrap();
        let either = manager.or(two, not_zero).unwrap();
        for (bdd, program, c) in [
            (two, "m = 2", "(unsigned char)m == 2U"),
            (not_zero, "n != 0", "n != 0"),
            (equal, "m = n", "(unsigned char)m == (unsigned char)n"),
            (
                either,
                "m = 2 | n[0] | n[1]",
                "(!(m >> 0 & 1) || n != 0) && ((m >> 1 & 1) || n != 0)",
            ),
        ] {
            let mut shown = |language| text(&mut manager, bdd, &names, language);
            assert_eq!(shown(Language::Program).expect("it is small"), program);
            assert_eq!(shown(Language::C).expect("it is small"), c);
        }
    }

    #[test]
    fn every_function_of_three_variables_is_what_its_formula_says() {
        let mut manager = Manager::new(10_000);
        let variables = [0, 1, 2].map(|v| manager.variable(v).expect("there is room"));
        for table in 0u32..256 {
            let mut bdd = Bdd::constant(false);
            for row in (0..8).filter(|row| table >> row & 1 == 1) {
                let literals = (0..3).map(|v| {
                    if row >> v & 1 == 1 {
                        variables[v]
                    } else {
                        !variables[v]
                    }
                });
                let product = manager.and_all(literals.collect()).unwrap();
                bdd = manager.or(bdd, product).unwrap();
            }
            let (products, sum) = cover(&mut manager, bdd, bdd).unwrap();
            assert_eq!(sum, bdd);
            let holds = |row: u32| {
                let is_in = |&(v, sign): &(u32, bool)| (row >> v & 1 == 1) == sign;
                products.iter().any(|product| product.iter().all(is_in))
            };
            for row in 0..8 {
                assert_eq!(holds(row), table >> row & 1 == 1, "{table:b} {products:?}");
            }
        }
    }
}
