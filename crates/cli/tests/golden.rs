//! Runs the documents in `golden/`: each says what a command does, with all of its output.

mod support;

use std::path::Path;
use support::{Detail, Documents, markdown_in};

#[test]
fn every_document_says_what_the_command_does() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    Documents {
        name: "golden",
        paths: markdown_in(&directory),
        folder: None,
        detail: Detail::Everything,
    }
    .check();
}
