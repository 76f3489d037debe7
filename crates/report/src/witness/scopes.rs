//! Where a name that was declared in C is known, found in the text: from its declaration to the end
//! of the block around it; in the head of a loop or a function, to the end of what follows the head.

/// The brackets of a text, comments and literals left out.
pub(super) struct Scopes<'a> {
    text: &'a str,
    /// The braces and parentheses with their offsets, in order: where each opens and closes.
    pairs: Vec<Pair>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    open: usize,
    close: usize,
    is_brace: bool,
}

impl<'a> Scopes<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut open = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'/' if bytes[at..].starts_with(b"/*") => {
                    at = text[at + 2..]
                        .find("*/")
                        .map_or(text.len(), |end| at + 2 + end + 1);
                }
                b'/' if bytes[at..].starts_with(b"//") => {
                    at = text[at..].find('\n').map_or(text.len(), |end| at + end);
                }
                quote @ (b'"' | b'\'') => {
                    at += 1;
                    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                        at += 1 + usize::from(bytes[at] == b'\\');
                    }
                }
                bracket @ (b'{' | b'(') => {
                    open.push(pairs.len());
                    pairs.push(Pair {
                        open: at,
                        close: text.len(),
                        is_brace: bracket == b'{',
                    });
                }
                b'}' | b')' => {
                    if let Some(index) = open.pop() {
                        pairs[index].close = at;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Self { text, pairs }
    }

    /// Whether what is declared at one place is known at another.
    pub(super) fn reaches(&self, declaration: u32, place: u32) -> bool {
        let (declaration, place) = (declaration as usize, place as usize);
        let before = self.pairs.partition_point(|pair| pair.open <= declaration);
        let around = self.pairs[..before].iter().rev();
        let mut around = around.filter(|pair| pair.close > declaration).peekable();
        // The outermost parentheses inside the block are the head of a loop or a function.
        let mut head = None;
        while let Some(pair) = around.next_if(|pair| !pair.is_brace) {
            head = Some(*pair);
        }
        let (start, end) = match head {
            Some(head) => (self.keyword(head.open), self.statement_end(head.close)),
            None => (
                declaration,
                around.next().map_or(self.text.len(), |b| b.close),
            ),
        };
        (start..end).contains(&place)
    }

    /// Where a bracket is closed that opens at a place.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let index = self.pairs.binary_search_by_key(&open, |pair| pair.open);
        index.ok().map(|index| self.pairs[index].close)
    }

    /// The start of the statement that a place belongs to: itself, or the loop if it is in the
    /// condition of one. `None` where there can be no statement: in the start and the step of a `for`,
    /// and behind the `while` that ends a `do`.
    pub(super) fn statement_at(&self, place: usize) -> Option<usize> {
        let before = self.pairs.partition_point(|pair| pair.open < place);
        let mut around = self.pairs[..before].iter().rev();
        let around = around.by_ref().filter(|pair| pair.close > place);
        for pair in around.take_while(|pair| !pair.is_brace) {
            let keyword = self.keyword(pair.open);
            match self.text[keyword..pair.open].trim_end() {
                "for" => {
                    let parts = self.text[pair.open..place].matches(';').count();
                    return (parts == 1).then_some(keyword);
                }
                "while" => {
                    let follows = self.text[pair.close + 1..].trim_start();
                    let ends_do = follows.starts_with(';')
                        && self.text[..keyword].trim_end().ends_with(['}', ';']);
                    return (!ends_do).then_some(keyword);
                }
                _ => {}
            }
        }
        Some(place)
    }

    /// Where the word before an opening parenthesis starts.
    fn keyword(&self, open: usize) -> usize {
        let before = self.text[..open].trim_end();
        let word = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        word.len()
    }

    /// Where the statement or body ends that follows a head. One that does not begin with a brace
    /// ends with its first semicolon at the latest.
    fn statement_end(&self, close: usize) -> usize {
        let rest = &self.text[close + 1..];
        let start = close + 1 + (rest.len() - rest.trim_start().len());
        let braces = self
            .pairs
            .iter()
            .find(|pair| pair.open == start && pair.is_brace);
        let semicolon = || self.text[start..].find(';').map(|end| start + end);
        braces
            .map(|pair| pair.close)
            .or_else(semicolon)
            .unwrap_or(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stands_in_the_header_of_a_loop() {
        let text = "int f(int n) { for (n = 0; a[n] < 3; n++) { g(n); }
  while (b[(n)]) n = 4; do { n = 5; } while (c[n]); return n; }";
        let scopes = Scopes::new(text);
        let at = |part: &str| text.find(part).expect("it is there");
        let place = |part: &str| scopes.statement_at(at(part));
        assert_eq!(place("n = 0"), None);
        assert_eq!(place("a[n]"), Some(at("for")));
        assert_eq!(place("n++"), None);
        assert_eq!(place("g(n)"), Some(at("g(n)")));
        assert_eq!(place("(n)]"), Some(at("while (b")));
        assert_eq!(place("n = 4"), Some(at("n = 4")));
        assert_eq!(place("c[n]"), None);
        assert_eq!(place("return"), Some(at("return")));
    }

    #[test]
    fn a_name_is_known_until_its_block_ends() {
        let text = "int g; // }
int f(int p) {
  int x = '{';
  { int y; /* } */ y = 1; }
  for (int i = 0; i < 3; i++) { x += i; }
  return x;
}
int h(void) { return g; }";
        let scopes = Scopes::new(text);
        let at = |part: &str| text.find(part).expect("it is there") as u32;
        let known = |name: &str| {
            let places = ["y = 1", "for", "x += i", "return x", "return g"];
            places.map(|place| scopes.reaches(at(name), at(place)))
        };
        assert_eq!(known("g;"), [true; 5]);
        assert_eq!(known("p)"), [true, true, true, true, false]);
        assert_eq!(known("x ="), [true, true, true, true, false]);
        assert_eq!(known("y;"), [true, false, false, false, false]);
        assert_eq!(known("i ="), [false, true, true, false, false]);
    }
}
