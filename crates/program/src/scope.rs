//! What a name stands for, by symbol.
//!
//! Symbols are small numbers, so a scope is a table indexed by them. Leaving a scope costs nothing:
//! entries carry the number of the scope they were made in, and only those of the current one
//! count.

use hardbop_syntax::ast::Symbol;

/// The meanings of names in one kind of scope.
pub(crate) struct Scope<T> {
    /// Up to the last symbol that was declared.
    entries: Vec<(u32, T)>,
    current: u32,
}

impl<T: Copy> Scope<T> {
    /// An empty scope.
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            current: 1,
        }
    }

    /// Leaves the scope and enters an empty one.
    pub fn renew(&mut self) {
        self.current += 1;
    }

    /// The meaning of a name.
    pub fn get(&self, name: Symbol) -> Option<T> {
        let &(scope, meaning) = self.entries.get(name.0 as usize)?;
        (scope == self.current).then_some(meaning)
    }

    /// Gives a name a meaning unless it has one, which is returned then.
    pub fn declare(&mut self, name: Symbol, meaning: T) -> Option<T> {
        let earlier = self.get(name);
        if earlier.is_none() {
            let index = name.0 as usize;
            if index >= self.entries.len() {
                // Of no scope: they only fill the table.
                self.entries.resize(index + 1, (0, meaning));
            }
            self.entries[index] = (self.current, meaning);
        }
        earlier
    }

    /// All names with a meaning, in order of their symbols. Costs as much as there are symbols.
    pub fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        let symbols = (0..self.entries.len() as u32).map(Symbol);
        symbols.filter(|&name| self.get(name).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renewed_scope_forgets_and_the_first_declaration_wins() {
        let mut scope = Scope::new();
        assert_eq!(scope.declare(Symbol(1), 7), None);
        assert_eq!(scope.declare(Symbol(1), 8), Some(7));
        assert_eq!(scope.get(Symbol(1)), Some(7));
        assert_eq!(scope.names().collect::<Vec<_>>(), [Symbol(1)]);
        scope.renew();
        assert_eq!(scope.get(Symbol(1)), None);
    }
}
