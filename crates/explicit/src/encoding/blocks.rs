//! What is known of open words as a whole: that they lie in an interval, and that they differ from
//! each other by a constant.
//!
//! A *block* is a run of symbols that stand for the bits of one word, lowest first. A block without
//! an entry here is free. A *base* has an interval, counted modulo 2^width, so that `x + c` of an
//! interval is one again; other blocks are a base plus an offset, and the base with all of them is
//! a *family*. So `y := x + 1` leaves `x` and `y` open, and `x < 5` splits an interval in two,
//! where bits alone would need a case for each prefix.
//!
//! Two invariants keep this exact beside knowledge of single bits:
//! - A block of a family occurs as a whole or not at all, in every state that knows its symbols.
//!   Symbols that have been copied in part in some caller are *frozen*: they never join a family.
//! - Bits of a family with several blocks are not decided one by one, and neither are those of a
//!   *pinned* base, which has relatives in a caller. Either is split until one value is left. A
//!   base without relatives becomes bits again once its interval is what a prefix leaves open:
//!   bits say the same in fewer words, and arithmetic that needs bits finds them decided.

use crate::encoding::step::Split;

/// Values from a first one on, counted modulo 2^width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    /// The first value.
    pub(crate) first: u64,
    /// How many follow it.
    pub(crate) more: u64,
}

impl Interval {
    /// All values of a width.
    pub(crate) fn all(width: u32) -> Self {
        let (first, more) = (0, mask(width));
        Self { first, more }
    }

    /// The last value.
    pub(crate) fn last(self, width: u32) -> u64 {
        self.first.wrapping_add(self.more) & mask(width)
    }

    /// Every value plus a constant.
    pub(crate) fn plus(self, offset: u64, width: u32) -> Self {
        if self.more == mask(width) {
            return self;
        }
        let first = self.first.wrapping_add(offset) & mask(width);
        Self { first, ..self }
    }

    /// How many steps a value is behind the first one.
    pub(crate) fn distance(self, value: u64, width: u32) -> u64 {
        value.wrapping_sub(self.first) & mask(width)
    }

    /// Whether fixing some highest bits leaves exactly these values.
    fn is_prefix(self) -> bool {
        self.more & self.more.wrapping_add(1) == 0 && self.first & self.more == 0
    }

    /// The last value of the lower part, if it is cut where the highest bit changes.
    fn middle(self, width: u32) -> u64 {
        let last = self.last(width);
        if last < self.first {
            return mask(width);
        }
        let highest = (self.first ^ last).checked_ilog2().unwrap_or(0);
        (last >> highest << highest).wrapping_sub(1)
    }
}

/// Cuts an interval where its highest bit changes.
pub(crate) fn halved(first: u32, width: u32, values: Interval) -> Split {
    Split::Values {
        first,
        width,
        from: values.first,
        last: values.middle(width),
    }
}

/// The largest value of a width.
pub(crate) fn mask(width: u32) -> u64 {
    u64::MAX >> (u64::BITS - width)
}

/// A word of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The symbol of its lowest bit.
    pub(crate) first: u32,
    /// How many bits it has.
    pub(crate) width: u32,
    /// The first symbol of its base.
    pub(crate) base: u32,
    /// What it is more than its base.
    pub(crate) offset: u64,
    /// The values of a base; of no meaning for others.
    pub(crate) values: Interval,
    /// Whether a base has relatives in a caller.
    pub(crate) is_pinned: bool,
}

impl Block {
    /// A base.
    pub(crate) fn base(first: u32, width: u32, values: Interval) -> Self {
        Self {
            first,
            width,
            base: first,
            offset: 0,
            values,
            is_pinned: false,
        }
    }

    fn has(&self, symbol: u32) -> bool {
        symbol >= self.first && symbol < self.first + self.width
    }
}

/// All families of a state, and its frozen symbols.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// In order of discovery.
    pub(crate) blocks: Vec<Block>,
    /// Symbols that belong to no family, ever.
    pub(crate) frozen: Vec<u32>,
}

impl Blocks {
    /// Nothing is known of any word.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.frozen.clear();
    }

    /// Whether there is nothing to say.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.frozen.is_empty()
    }

    /// The block that a symbol belongs to.
    pub(crate) fn of(&self, symbol: u32) -> Option<&Block> {
        self.blocks.iter().find(|block| block.has(symbol))
    }

    fn position(&self, first: u32) -> Option<usize> {
        self.blocks.iter().position(|block| block.first == first)
    }

    /// The values of a base that may have no entry.
    pub(crate) fn values(&self, base: u32, width: u32) -> Interval {
        self.position(base)
            .map_or(Interval::all(width), |index| self.blocks[index].values)
    }

    /// How many blocks of a family there are.
    fn relatives(&self, base: u32) -> usize {
        let blocks = self.blocks.iter();
        blocks.filter(|block| block.base == base).count()
    }

    /// What has to be decided so that a bit becomes known sooner or later.
    pub(crate) fn need(&self, symbol: u32) -> Split {
        let Some(block) = self.of(symbol) else {
            return Split::Bit(symbol);
        };
        let (first, width) = (block.base, block.width);
        halved(first, width, self.values(first, width))
    }

    /// What has to be decided before a sum of a word is a word of its own, if anything.
    ///
    /// A word that nothing is known of can be moved as it is. One that has been compared is likely
    /// to count something, and a search that let it grow would go round a loop as often as there
    /// are values, with intervals that shrink by one each time: it gets a value instead.
    pub(crate) fn need_for_sum(&self, base: u32, width: u32) -> Option<Split> {
        let values = self.values(base, width);
        (values.more != mask(width)).then(|| halved(base, width, values))
    }

    /// Becomes what is known elsewhere. Most often that is nothing.
    #[inline]
    pub(crate) fn copy(&mut self, other: &Self) {
        if !(self.is_empty() && other.is_empty()) {
            self.clone_from(other);
        }
    }

    /// Cuts the values from one to another out of the interval of a base and keeps one part. What
    /// is left may be bits: the word is a shorter one for the cuts that follow.
    pub(crate) fn cut(
        &mut self,
        (first, width): (u32, u32),
        (from, last): (u64, u64),
        upper: bool,
        decided: &mut Vec<Option<bool>>,
    ) {
        let index = self.position(first).unwrap_or_else(|| {
            let all = Interval::all(width);
            self.blocks.push(Block::base(first, width, all));
            self.blocks.len() - 1
        });
        let values = &mut self.blocks[index].values;
        let lower = last.wrapping_sub(from) & mask(width);
        *values = if upper {
            Interval {
                first: last.wrapping_add(1) & mask(width),
                more: values.more - lower - 1,
            }
        } else {
            Interval {
                first: from,
                more: lower,
            }
        };
        self.loosen(index, decided);
    }

    /// Says that a word lies in an interval, whatever was said of it before.
    pub(crate) fn set(&mut self, first: u32, width: u32, values: Interval) {
        match self.position(first) {
            Some(index) => {
                let Block { base, offset, .. } = self.blocks[index];
                let index = self.position(base).expect("a block has a base");
                self.blocks[index].values = values.plus(offset.wrapping_neg(), width);
            }
            None => self.blocks.push(Block::base(first, width, values)),
        }
    }

    /// Says that a new word is another one plus an offset.
    pub(crate) fn relate(&mut self, first: u32, width: u32, to: u32, offset: u64) {
        let (base, more) = match self.position(to) {
            Some(index) => (self.blocks[index].base, self.blocks[index].offset),
            None => {
                let all = Interval::all(width);
                self.blocks.push(Block::base(to, width, all));
                (to, 0)
            }
        };
        self.blocks.push(Block {
            base,
            offset: offset.wrapping_add(more) & mask(width),
            ..Block::base(first, width, Interval::all(width))
        });
    }

    /// A base of which one value is left, or that bits say as well, is taken away, and the bits
    /// that all its values have in common are decided; whether that was so.
    fn loosen(&mut self, index: usize, decided: &mut Vec<Option<bool>>) -> bool {
        let Block {
            first,
            width,
            base,
            values,
            is_pinned,
            ..
        } = self.blocks[index];
        if base != first || !values.is_prefix() {
            return false;
        }
        if values.more == 0 {
            self.fix(base, values.first, decided);
            return true;
        }
        if is_pinned || self.relatives(first) > 1 {
            return false;
        }
        self.blocks.remove(index);
        for bit in (0..width).filter(|bit| values.more >> bit & 1 == 0) {
            learn(decided, first + bit, values.first >> bit & 1 == 1);
        }
        true
    }

    /// Does so with all bases.
    pub(crate) fn loosen_all(&mut self, decided: &mut Vec<Option<bool>>) {
        let mut index = 0;
        while index < self.blocks.len() {
            if self.loosen(index, decided) {
                index = 0;
            } else {
                index += 1;
            }
        }
    }

    /// Takes families away of which some bit has been decided, the rest of their bits follows if
    /// that is all of a word; and those of which one value is left or that bits say as well.
    pub(crate) fn settle(&mut self, decided: &mut Vec<Option<bool>>) {
        let mut index = 0;
        while index < self.blocks.len() {
            let Block {
                first,
                width,
                base,
                offset,
                ..
            } = self.blocks[index];
            let bit = |bit: u32| decided.get((first + bit) as usize).copied().flatten();
            let known = (0..width).filter(|&b| bit(b).is_some()).count() as u32;
            if known == 0 {
                index += 1;
                continue;
            }
            if known == width {
                let value = (0..width).fold(0, |v, b| v | u64::from(bit(b) == Some(true)) << b);
                self.fix(base, value.wrapping_sub(offset) & mask(width), decided);
            } else {
                self.blocks.retain(|block| block.base != base);
            }
            index = 0;
        }
        self.loosen_all(decided);
    }

    /// Gives every family a value that it may have.
    pub(crate) fn choose(&mut self, decided: &mut Vec<Option<bool>>) {
        if self.blocks.is_empty() {
            return;
        }
        self.settle(decided);
        while let Some(block) = self.blocks.iter().find(|block| block.base == block.first) {
            let (base, value) = (block.base, block.values.first);
            self.fix(base, value, decided);
        }
    }

    fn fix(&mut self, base: u32, value: u64, decided: &mut Vec<Option<bool>>) {
        for block in self.blocks.iter().filter(|block| block.base == base) {
            let value = value.wrapping_add(block.offset);
            for bit in 0..block.width {
                learn(decided, block.first + bit, value >> bit & 1 == 1);
            }
        }
        self.blocks.retain(|block| block.base != base);
    }

    /// Pins families that have relatives where a callee is entered from.
    pub(crate) fn pin(&mut self) {
        for index in 0..self.blocks.len() {
            let base = self.blocks[index].base;
            if self.relatives(base) > 1 {
                self.blocks[index].is_pinned = true;
            }
        }
    }
}

/// Decides a symbol.
pub(crate) fn learn(decided: &mut Vec<Option<bool>>, symbol: u32, value: bool) {
    let index = symbol as usize;
    if decided.len() <= index {
        decided.resize(index + 1, None);
    }
    decided[index] = Some(value);
}
