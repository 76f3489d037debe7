//! A test: whatever an editor holds, half a word or half a file, every question about it has an
//! answer. Examples of all languages are damaged at random and asked about at random places.

use crate::hover::hover;
use crate::language::Language;
use crate::lenses::{actions, lenses};
use crate::lines::Lines;
use crate::navigation::{definition, references, symbols};
use crate::reading::{Files, Reading};
use crate::rename::{prepare, rename};
use crate::{findings, language};
use lsp_types::DocumentSymbol;
use std::path::Path;
use std::sync::Arc;

const DAMAGED: usize = 40;
const PIECES: [&str; 12] = [
    "", "\n", "{", "}", "/*", "*/", "ä𝄞", "begin", "end", ":=", "'x", "\"",
];

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % count.max(1) as u64).expect("it is below a usize")
    }
}

fn boundary(text: &str, mut offset: usize) -> usize {
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn damage(text: &str, random: &mut Random) -> String {
    let start = boundary(text, random.below(text.len() + 1));
    let length = random.below(40);
    let end = boundary(text, (start + length).min(text.len())).max(start);
    let piece = PIECES[random.below(PIECES.len())];
    format!("{}{piece}{}", &text[..start], &text[end..])
}

fn is_nested(symbol: &DocumentSymbol) -> bool {
    let inside = symbol.range.start <= symbol.selection_range.start
        && symbol.selection_range.end <= symbol.range.end;
    inside && symbol.children.iter().flatten().all(is_nested)
}

/// Asks everything; gives how many names were met.
fn ask(path: &str, text: &str, random: &mut Random) -> usize {
    let uri = language::uri_of(path).expect("every path has an address");
    let kind = Language::of(&uri, "").expect("the extension says it");
    let files = Files {
        text: &|path| std::fs::read_to_string(path).map_err(|error| error.to_string()),
        preprocessed: &|_, _| Ok(None),
    };
    let read = |text: String| Reading::new(path, kind, Arc::new(Lines::new(text)), &files);
    let reading = read(text.to_owned());
    findings::of_reading(&reading, &uri);
    assert!(symbols(&reading).iter().all(is_nested), "{path}:\n{text}");
    let shown = lenses(&reading, &uri, &[]);
    assert!(shown.is_empty() || !actions(&reading, &uri).is_empty());
    let mut names = 0;
    for _ in 0..12 {
        let offset = random.below(text.len() + 2) as u32;
        hover(&reading, offset);
        definition(&reading, &uri, offset);
        references(&reading, &uri, offset, true);
        if prepare(&reading, offset).is_some() {
            names += 1;
            // Refused or not, it is decided.
            let _ = rename(&reading, offset, "renamed", read);
        }
    }
    names
}

#[test]
fn every_question_about_a_damaged_text_has_an_answer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut names = [0; 4];
    for folder in [
        "examples",
        "examples/calculus",
        "crates/calculus/algorithms",
    ] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let extension = path
                .extension()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let known = ["bp", "gp", "mu", "mon"];
            let Some(kind) = known.iter().position(|known| *known == extension) else {
                continue;
            };
            let text = std::fs::read_to_string(&path).expect("an example is text");
            let path = path.to_string_lossy().into_owned();
            for _ in 0..DAMAGED {
                let text = damage(&damage(&text, &mut random), &mut random);
                names[kind] += ask(&path, &text, &mut random);
            }
        }
    }
    assert!(names.iter().all(|count| *count > 20), "{names:?}");
}
