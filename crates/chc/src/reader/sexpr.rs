//! Text to nested lists, without recursion: the open lists are on a stack.

use super::ReadError;

/// A node of the tree: index into [`Tree::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SexprId(pub u32);

/// An atom or a list.
#[derive(Clone, Debug)]
pub enum Sexpr {
    /// A symbol without its quotation, a keyword, or a literal.
    Atom {
        /// From where to where it stands in the text.
        start: u32,
        /// Its end.
        end: u32,
        /// Whether it stands between bars, so that it is a symbol whatever it looks like.
        quoted: bool,
    },
    /// A list.
    List {
        /// Where it begins.
        start: u32,
        /// Its members.
        members: Vec<SexprId>,
    },
}

/// A text as nested lists.
#[derive(Debug)]
pub struct Tree<'t> {
    text: &'t str,
    nodes: Vec<Sexpr>,
    /// The lists and atoms that are in no list.
    pub roots: Vec<SexprId>,
}

impl<'t> Tree<'t> {
    /// Reads a text.
    pub fn read(text: &'t str) -> Result<Self, ReadError> {
        let mut tree = Self {
            text,
            nodes: Vec::new(),
            roots: Vec::new(),
        };
        let bytes = text.as_bytes();
        let mut open: Vec<(u32, Vec<SexprId>)> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let start = at as u32;
            let node = match bytes[at] {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    at += 1;
                    continue;
                }
                b';' => {
                    at += length_until(&bytes[at..], |byte| byte == b'\n');
                    continue;
                }
                b'(' => {
                    open.push((start, Vec::new()));
                    at += 1;
                    continue;
                }
                b')' => {
                    at += 1;
                    let Some((start, members)) = open.pop() else {
                        return Err(ReadError::new(start, "this `)` closes nothing"));
                    };
                    Sexpr::List { start, members }
                }
                b'|' => {
                    let length = length_until(&bytes[at + 1..], |byte| byte == b'|');
                    at += length + 2;
                    if at > bytes.len() {
                        return Err(ReadError::new(start, "the `|` is not closed"));
                    }
                    let (start, end) = (start + 1, at as u32 - 1);
                    let quoted = true;
                    Sexpr::Atom { start, end, quoted }
                }
                b'"' => {
                    at += 1;
                    // Two quotation marks inside a string are one.
                    loop {
                        at += length_until(&bytes[at..], |byte| byte == b'"') + 1;
                        if at > bytes.len() {
                            return Err(ReadError::new(start, "the string is not closed"));
                        }
                        if bytes.get(at) != Some(&b'"') {
                            break;
                        }
                        at += 1;
                    }
                    let (end, quoted) = (at as u32, false);
                    Sexpr::Atom { start, end, quoted }
                }
                _ => {
                    let ends = |byte: u8| {
                        matches!(
                            byte,
                            b'(' | b')' | b';' | b'"' | b'|' | b' ' | b'\t' | b'\r' | b'\n'
                        )
                    };
                    at += length_until(&bytes[at..], ends);
                    let (end, quoted) = (at as u32, false);
                    Sexpr::Atom { start, end, quoted }
                }
            };
            let id = SexprId(tree.nodes.len() as u32);
            tree.nodes.push(node);
            match open.last_mut() {
                Some((_, members)) => members.push(id),
                None => tree.roots.push(id),
            }
        }
        match open.last() {
            Some((start, _)) => Err(ReadError::new(*start, "this `(` is not closed")),
            None => Ok(tree),
        }
    }

    /// Where a node begins.
    pub fn start(&self, id: SexprId) -> u32 {
        match self.nodes[id.0 as usize] {
            Sexpr::Atom { start, .. } | Sexpr::List { start, .. } => start,
        }
    }

    /// The text of an atom.
    pub fn atom(&self, id: SexprId) -> Option<&'t str> {
        match self.nodes[id.0 as usize] {
            Sexpr::Atom { start, end, .. } => self.text.get(start as usize..end as usize),
            Sexpr::List { .. } => None,
        }
    }

    /// The text of an atom that is not between bars.
    pub fn plain(&self, id: SexprId) -> Option<&'t str> {
        match self.nodes[id.0 as usize] {
            Sexpr::Atom { quoted: false, .. } => self.atom(id),
            _ => None,
        }
    }

    /// The members of a list.
    pub fn list(&self, id: SexprId) -> Option<&[SexprId]> {
        match &self.nodes[id.0 as usize] {
            Sexpr::Atom { .. } => None,
            Sexpr::List { members, .. } => Some(members),
        }
    }
}

fn length_until(bytes: &[u8], is_end: impl Fn(u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|&byte| is_end(byte))
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_open_lists_are_read_without_recursion() {
        let deep = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert_eq!(Tree::read(&deep).unwrap().nodes.len(), 1_000_000);
    }

    #[test]
    fn what_is_not_closed_is_an_error_where_it_begins() {
        for (text, place) in [("a (b", 2), ("a) b", 1), ("|a", 0), ("x \"a\"\"b", 2)] {
            assert_eq!(Tree::read(text).unwrap_err().offset, place, "{text}");
        }
    }

    #[test]
    fn a_symbol_between_bars_may_hold_anything_but_a_bar() {
        let tree = Tree::read("|a (b;|; comment\n \"x\"\"y\"").unwrap();
        let atoms: Vec<_> = tree
            .roots
            .iter()
            .map(|&id| tree.atom(id).unwrap())
            .collect();
        assert_eq!(atoms, ["a (b;", "\"x\"\"y\""]);
    }
}
