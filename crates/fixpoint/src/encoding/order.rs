//! The order of the BDD variables.
//!
//! Classes of bits (see [`crate::encoding::allocation`]) that are copies of one thing form a *column* and
//! stand together; the bits of one enumeration form a *block* of columns, and so do the rows of bits
//! that the maker of the system asks for ([`System::rows`]). Large enumerations
//! (program counters) come first, since everything is a case distinction on them; the other blocks
//! are placed by [`force`], by the small formulas that they occur in. The wishes of the text (`~+`,
//! `~-`, `<`, `>`) win over all of that.

use crate::encoding::allocation::Affinity;
use crate::encoding::model::Model;
use crate::encoding::partition::Partition;
use crate::encoding::term::{BitId, Term};
use hardbop_bdd::force;
use hardbop_formula::{Bits, Hint, HintKind, System, Values};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Formulas over more blocks say nothing about neighbourhood.
const MAX_PINS: usize = 8;
/// Formulas that FORCE looks at.
const MAX_EDGES: usize = 200_000;

/// A class in the order. It is named by one of its bits.
pub(crate) struct Placed {
    pub class: usize,
    /// Whether it is a bit of a large enumeration, or of any that stands above such.
    pub is_control: bool,
}

/// All classes, first to last.
pub(crate) fn sequence(
    system: &System,
    model: &Model,
    class_of: &[Option<usize>],
    copies: &[Affinity],
    many_values: u64,
) -> Vec<Placed> {
    let mut columns = Columns::new(system, model, class_of);
    for (left, right) in interleaved(system, model) {
        columns.join(left, right, false);
    }
    for copy in copies {
        columns.join(copy.parameter, copy.argument, true);
    }
    let equalities = equalities(model);
    let same_place = |(a, b): &(BitId, BitId)| model.owner(*a).1 == model.owner(*b).1;
    for (a, b) in equalities.iter().filter(|pair| same_place(pair)) {
        columns.join(*a, *b, true);
    }
    for (a, b) in equalities.iter().filter(|pair| !same_place(pair)) {
        columns.join(*a, *b, true);
    }
    let blocks = Blocks::new(system, model, &mut columns, many_values);
    let order = blocks.order(model, &mut columns);
    let order = obey(system, model, &mut columns, &order);
    let is_large = |column: &usize| blocks.large.contains(&blocks.of[column]);
    let last_large = order.iter().rposition(is_large);
    // Within a column, too, copies stand next to each other, whatever else is wished to be there.
    let mut inner = Columns::new(system, model, class_of);
    for copy in copies {
        inner.join(copy.parameter, copy.argument, true);
    }
    for (a, b) in equalities.iter().filter(|pair| same_place(pair)) {
        inner.join(*a, *b, true);
    }
    let mut members: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for class in class_of.iter().flatten().copied().collect::<BTreeSet<_>>() {
        let column = columns.partition.find(class);
        let row = inner.partition.find(class);
        members.entry(column).or_default().push((row, class));
    }
    for classes in members.values_mut() {
        classes.sort_unstable();
    }
    order
        .into_iter()
        .enumerate()
        .flat_map(|(at, column)| {
            let is_enumerated = blocks.enumerated.contains(&blocks.of[&column]);
            let is_control = is_enumerated && Some(at) <= last_large;
            let classes = members.remove(&column).unwrap_or_default();
            classes
                .into_iter()
                .map(move |(_, class)| Placed { class, is_control })
        })
        .collect()
}

/// Classes that stand together.
struct Columns<'a> {
    class_of: &'a [Option<usize>],
    partition: Partition,
    /// Per column the variables it has bits of.
    variables: Vec<BTreeSet<u32>>,
    /// Per column the sides of the wishes `<`, `>` and `~-` it has bits of.
    sides: Vec<BTreeSet<(usize, Side)>>,
}

/// On which side of a wish a bit is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Above,
    Below,
}

impl<'a> Columns<'a> {
    fn new(system: &System, model: &Model, class_of: &'a [Option<usize>]) -> Self {
        let mut sides = vec![BTreeSet::new(); class_of.len()];
        for (wish, (above, below, _)) in wishes(system).enumerate() {
            for (bits, side) in [(above, Side::Above), (below, Side::Below)] {
                let bits = bits.range.clone().map(|bit| model.bit(bits.variable, bit));
                for class in bits.filter_map(|bit| class_of[bit.index()]) {
                    sides[class].insert((wish, side));
                }
            }
        }
        let mut variables = vec![BTreeSet::new(); class_of.len()];
        for (bit, class) in class_of.iter().enumerate() {
            if let Some(class) = class {
                variables[*class].insert(model.owner(BitId(bit as u32)).0.0);
            }
        }
        Self {
            class_of,
            partition: Partition::new(class_of.len()),
            variables,
            sides,
        }
    }

    /// The column of a bit, if it occurs in any formula.
    fn of(&mut self, bit: BitId) -> Option<usize> {
        let class = self.class_of[bit.index()]?;
        Some(self.partition.find(class))
    }

    /// Puts two bits into one column. Unless wished for, no column gets two bits of one variable:
    /// those are not copies of each other. Nor does it get bits that are wished to be apart.
    fn join(&mut self, a: BitId, b: BitId, careful: bool) {
        let (Some(a), Some(b)) = (self.of(a), self.of(b)) else {
            return;
        };
        if a == b
            || careful && !self.variables[a].is_disjoint(&self.variables[b])
            || careful && self.are_apart(a, b)
        {
            return;
        }
        let (kept, dropped) = self.partition.join(a, b);
        let moved = std::mem::take(&mut self.variables[dropped]);
        self.variables[kept].extend(moved);
        let moved = std::mem::take(&mut self.sides[dropped]);
        self.sides[kept].extend(moved);
    }

    /// Whether a wish wants one of two columns above the other.
    fn are_apart(&self, a: usize, b: usize) -> bool {
        self.sides[a].iter().any(|&(wish, side)| {
            let other = match side {
                Side::Above => Side::Below,
                Side::Below => Side::Above,
            };
            self.sides[b].contains(&(wish, other))
        })
    }
}

/// What the text does not want interleaved: the first is wanted above the second, or just in a row
/// of its own.
fn wishes(system: &System) -> impl Iterator<Item = (&Bits, &Bits, Distance)> {
    let hints = system.relations.iter().flat_map(|relation| &relation.hints);
    hints.filter_map(|hint| match kind(system, hint) {
        HintKind::Above => Some((&hint.left, &hint.right, Distance::Above)),
        HintKind::Below => Some((&hint.right, &hint.left, Distance::Above)),
        HintKind::Apart => Some((&hint.left, &hint.right, Distance::Apart)),
        HintKind::Interleaved => None,
    })
}

/// What a hint asks for. `s < t` between two whole structures of one type says which of two copies
/// comes first, as Mucke takes it: to put all of one above all of the other would cost a relation
/// between them a factor for each bit.
fn kind(system: &System, hint: &Hint) -> HintKind {
    let (left, right) = (&hint.left, &hint.right);
    let [one, other] = [left, right].map(|bits| system.variable(bits.variable));
    let is_whole = left.range == (0..one.bits) && right.range == (0..other.bits);
    let are_copies = one.leaves.len() > 1
        && one.leaves.len() == other.leaves.len()
        && one
            .leaves
            .iter()
            .zip(&other.leaves)
            .all(|(a, b)| a.bits == b.bits);
    match hint.kind {
        HintKind::Above | HintKind::Below if is_whole && are_copies => HintKind::Interleaved,
        kind => kind,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Distance {
    Above,
    Apart,
}

/// Pairs of bits that the text wants interleaved.
fn interleaved(system: &System, model: &Model) -> Vec<(BitId, BitId)> {
    let mut pairs = Vec::new();
    for hint in system.relations.iter().flat_map(|relation| &relation.hints) {
        let left = hint.left.range.clone();
        let right = hint.right.range.clone();
        let pair = |l, r| {
            let left = model.bit(hint.left.variable, l);
            (left, model.bit(hint.right.variable, r))
        };
        match kind(system, hint) {
            HintKind::Interleaved => pairs.extend(left.zip(right).map(|(l, r)| pair(l, r))),
            HintKind::Apart | HintKind::Above | HintKind::Below => {}
        }
    }
    pairs
}

/// Pairs of bits that are compared somewhere.
fn equalities(model: &Model) -> Vec<(BitId, BitId)> {
    let mut pairs = Vec::new();
    let bodies = model.bodies_for_order();
    for id in model.terms.reachable(bodies) {
        if let Term::Iff(a, b) = *model.terms.get(id)
            && let (&Term::Bit(a), &Term::Bit(b)) = (model.terms.get(a), model.terms.get(b))
        {
            pairs.push((a, b));
        }
    }
    pairs
}

/// Columns that hold the bits of one enumeration.
struct Blocks {
    /// Per column its block; a block is named by one of its columns.
    of: BTreeMap<usize, usize>,
    /// Those of enumerations, and among them those with many values.
    enumerated: BTreeSet<usize>,
    large: BTreeSet<usize>,
    /// Per column of a row its place among all such.
    places: BTreeMap<usize, usize>,
}

impl Blocks {
    fn new(system: &System, model: &Model, columns: &mut Columns<'_>, many_values: u64) -> Self {
        let mut partition = Partition::new(columns.class_of.len());
        let mut enumerated_columns = Vec::new();
        let mut large_columns = Vec::new();
        for (at, variable) in system.variables.iter().enumerate() {
            let variable_id = hardbop_formula::VariableId(at as u32);
            for leaf in &variable.leaves {
                let values = match &leaf.values {
                    Values::Boolean => 2,
                    Values::Numbers { count, .. } => *count,
                    Values::Names(names) => names.len() as u64,
                };
                let mut first = None;
                for bit in leaf.bits.clone() {
                    let Some(column) = columns.of(model.bit(variable_id, bit)) else {
                        continue;
                    };
                    if leaf.values != Values::Boolean {
                        enumerated_columns.push(column);
                    }
                    if values > many_values {
                        large_columns.push(column);
                    }
                    join_blocks(&mut partition, &mut first, column);
                }
            }
        }
        let mut places = BTreeMap::new();
        for row in &system.rows {
            let bits = row.iter().map(|&(variable, bit)| model.bit(variable, bit));
            let mut first = None;
            for column in bits.filter_map(|bit| columns.of(bit)) {
                let place = places.len();
                places.entry(column).or_insert(place);
                join_blocks(&mut partition, &mut first, column);
            }
        }
        let mut of = BTreeMap::new();
        for bit in 0..columns.class_of.len() {
            if let Some(column) = columns.of(BitId(bit as u32)) {
                of.insert(column, partition.find(column));
            }
        }
        let blocks_of = |columns: &[usize]| columns.iter().map(|column| of[column]).collect();
        Self {
            enumerated: blocks_of(&enumerated_columns),
            large: blocks_of(&large_columns),
            places,
            of,
        }
    }

    /// The columns, first to last.
    fn order(&self, model: &Model, columns: &mut Columns<'_>) -> Vec<usize> {
        // Columns are named by their first bits, so this is the order of the text.
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (&column, &block) in &self.of {
            members.entry(block).or_default().push(column);
        }
        for members in members.values_mut() {
            members.sort_by_key(|column| self.places.get(column));
        }
        let (large, small): (Vec<usize>, Vec<usize>) =
            members.keys().partition(|block| self.large.contains(block));
        let number: BTreeMap<usize, usize> = small.iter().copied().zip(0..).collect();
        let edges = self.edges(model, columns, &number);
        let small = force(small.len(), &edges).into_iter().map(|at| small[at]);
        let blocks: Vec<usize> = large.iter().copied().chain(small).collect();
        blocks
            .iter()
            .flat_map(|block| members[block].clone())
            .collect()
    }

    /// For every small formula the blocks it speaks of.
    fn edges(
        &self,
        model: &Model,
        columns: &mut Columns<'_>,
        number: &BTreeMap<usize, usize>,
    ) -> Vec<Vec<usize>> {
        let mut edges = Vec::new();
        let bodies = model.bodies_for_order();
        for id in model.terms.reachable(bodies) {
            let free = model.terms.free(id);
            if free.len() < 2 || free.len() > 4 * MAX_PINS {
                continue;
            }
            let blocks: BTreeSet<usize> = free
                .iter()
                .filter_map(|&bit| columns.of(bit))
                .filter_map(|column| number.get(&self.of[&column]).copied())
                .collect();
            if (2..=MAX_PINS).contains(&blocks.len()) {
                edges.push(blocks.into_iter().collect());
            }
            if edges.len() >= MAX_EDGES {
                break;
            }
        }
        edges
    }
}

/// Puts a column into the block of the first one, which it may be itself.
fn join_blocks(partition: &mut Partition, first: &mut Option<usize>, column: usize) {
    let block = partition.find(column);
    let first = partition.find(*first.get_or_insert(block));
    if first != block {
        partition.join(first, block);
    }
}

/// Moves columns so that the wishes `<`, `>` and `~-` are met, as far as they do not contradict each
/// other, and nothing else is moved more than needed.
fn obey(system: &System, model: &Model, columns: &mut Columns<'_>, order: &[usize]) -> Vec<usize> {
    let mut place = BTreeMap::new();
    for (at, &column) in order.iter().enumerate() {
        place.insert(column, at);
    }
    // Between the two sides of a wish stands a node of its own: that keeps the number of edges
    // linear.
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    let mut waits: Vec<u32> = vec![0; order.len()];
    for (above, below, distance) in wishes(system) {
        let mut places = |bits: &Bits| -> BTreeSet<usize> {
            let bits = bits.range.clone().map(|bit| model.bit(bits.variable, bit));
            bits.filter_map(|bit| columns.of(bit))
                .map(|column| place[&column])
                .collect()
        };
        let (mut above, mut below) = (places(above), places(below));
        if !above.is_disjoint(&below) {
            continue;
        }
        // Of two rows that only have to be apart, the one comes first that begins first.
        if distance == Distance::Apart && above.first() > below.first() {
            std::mem::swap(&mut above, &mut below);
        }
        let middle = after.len();
        after.push(below.iter().copied().collect());
        waits.push(above.len() as u32);
        for &at in &above {
            after[at].push(middle);
        }
        for &at in &below {
            waits[at] += 1;
        }
    }
    // Nodes between two sides are passed at once, columns in the order they had.
    let key = |at: usize| Reverse((if at < order.len() { at + 1 } else { 0 }, at));
    let mut ready: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    ready.extend((0..waits.len()).filter(|&at| waits[at] == 0).map(key));
    let mut is_done = vec![false; after.len()];
    let mut result = Vec::with_capacity(order.len());
    let mut next_forced = 0;
    while result.len() < order.len() {
        let at = match ready.pop() {
            Some(Reverse((_, at))) => at,
            // Wishes that contradict each other: the first column that waits does so no longer.
            None => {
                while is_done[next_forced] {
                    next_forced += 1;
                }
                next_forced
            }
        };
        if std::mem::replace(&mut is_done[at], true) {
            continue;
        }
        if let Some(&column) = order.get(at) {
            result.push(column);
        }
        for &next in &after[at] {
            waits[next] = waits[next].saturating_sub(1);
            if waits[next] == 0 {
                ready.push(key(next));
            }
        }
    }
    result
}
