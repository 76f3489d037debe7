//! Other tools' programs: each is read without errors, and formatting it changes nothing but the
//! layout.
//!
//! Reads `../shared/corpus` and `../shared/bench` beside the project where they are present.

use hardbop_syntax::{Source, diagnostic::has_errors, format::format, parse};
use hardbop_testkit::shared_programs;
use std::path::{Path, PathBuf};

fn programs() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let examples = std::fs::read_dir(examples).unwrap();
    let examples = examples.map(|entry| entry.unwrap().path());
    let examples = examples.filter(|path| path.extension().is_some_and(|e| e == "bp"));
    let shared = ["corpus", "bench"].into_iter().flat_map(shared_programs);
    examples.chain(shared).collect()
}

fn comments(source: &Source) -> Vec<String> {
    let ast = parse(source).ast;
    let texts = ast.comments.iter().map(|c| source.slice(c.span).to_owned());
    texts.collect()
}

#[test]
fn formatting_keeps_tree_and_comments_and_is_idempotent() {
    for path in programs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        let source = Source::new(&name, text);
        let parsed = parse(&source);
        assert!(
            !has_errors(&parsed.diagnostics),
            "{name}: {:?}",
            parsed.diagnostics
        );

        let formatted = Source::new(&name, format(&parsed.ast, &source));
        let again = parse(&formatted);
        assert!(
            !has_errors(&again.diagnostics),
            "{name}: {:?}",
            again.diagnostics
        );
        assert!(
            parsed.ast.without_places() == again.ast.without_places(),
            "{name}: another tree"
        );
        assert_eq!(
            comments(&source),
            comments(&formatted),
            "{name}: other comments"
        );
        assert_eq!(
            formatted.text(),
            format(&again.ast, &formatted),
            "{name}: not idempotent"
        );
    }
}
