//! The names of a program, each kept once.
//!
//! A long program has tens of thousands of names, and every name that stands in its text is looked
//! up here. The texts lie one behind the other in one string; a table with open addressing finds
//! them. Whoever chooses names on purpose so that they collide makes reading slow, nothing else.

/// A name, interned. Equal names have equal symbols within one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The names of one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    texts: String,
    /// By symbol: where its text ends.
    ends: Vec<u32>,
    /// Symbols by the hash of their text; as many as a power of two, at least half of them
    /// [`EMPTY`].
    slots: Vec<u32>,
}

/// No symbol.
const EMPTY: u32 = u32::MAX;

/// Odd, with bits all over.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Names {
    /// The symbol of a text, made on first use.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if 2 * self.len() >= self.slots.len() {
            self.grow();
        }
        match self.look_up(text) {
            Ok(symbol) => symbol,
            Err(slot) => {
                let symbol = Symbol(self.len() as u32);
                self.slots[slot] = symbol.0;
                self.texts.push_str(text);
                self.ends.push(self.texts.len() as u32);
                symbol
            }
        }
    }

    /// The symbol of a text if it occurs.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        if self.is_empty() {
            return None;
        }
        self.look_up(text).ok()
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        let index = symbol.0 as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[index] as usize]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name at all.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The symbol of a text, or the empty slot where it belongs. There must be a slot.
    fn look_up(&self, text: &str) -> Result<Symbol, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(text) as usize & mask;
        loop {
            let symbol = Symbol(self.slots[slot]);
            if symbol.0 == EMPTY {
                return Err(slot);
            }
            if self.text(symbol) == text {
                return Ok(symbol);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let count = (2 * self.slots.len()).max(64);
        self.slots.clear();
        self.slots.resize(count, EMPTY);
        for symbol in 0..self.len() as u32 {
            // All texts differ, so each finds an empty slot.
            if let Err(slot) = self.look_up(self.text(Symbol(symbol))) {
                self.slots[slot] = symbol;
            }
        }
    }
}

/// Multiplies word by word and folds the halves of the product.
fn hash(text: &str) -> u64 {
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(MULTIPLIER);
        (product >> 64) as u64 ^ product as u64
    };
    let mut words = text.as_bytes().chunks_exact(8);
    let mut hash = MULTIPLIER ^ text.len() as u64;
    for word in &mut words {
        let word = word.try_into().expect("chunks have eight bytes");
        hash = fold(hash, u64::from_le_bytes(word));
    }
    let rest = words.remainder().iter();
    let rest = rest.fold(0, |rest, &byte| rest << 8 | u64::from(byte));
    fold(hash, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_one_symbol_and_it_has_their_text() {
        let mut names = Names::default();
        assert_eq!(names.get("n0"), None);
        let text = |i: usize| match i {
            0 => String::new(),
            _ => format!("{}{i}", "long_name_".repeat(i % 4)),
        };
        for _ in 0..2 {
            for i in 0..5000 {
                assert_eq!(names.intern(&text(i)), Symbol(i as u32));
            }
        }
        assert_eq!(names.len(), 5000);
        for i in 0..5000 {
            assert_eq!(names.get(&text(i)), Some(Symbol(i as u32)));
            assert_eq!(names.text(Symbol(i as u32)), text(i));
        }
        assert_eq!(names.get("none"), None);
    }

    #[test]
    fn names_that_differ_in_one_sign_have_different_hashes() {
        let mut hashes: Vec<u64> = (0..100_000).map(|i| hash(&format!("level{i}"))).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 100_000);
    }
}
