//! Runs the commands of the README and the manual, so that what they show is what a reader gets.
//!
//! Commands find a copy of `examples/`, as they would in the root of the project, and whatever they
//! write is thrown away.

mod support;

use std::path::Path;
use support::{Detail, Documents, markdown_in};

#[test]
fn readme_and_manual_show_what_the_command_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = vec![root.join("README.md")];
    paths.extend(markdown_in(&root.join("docs")));
    paths.extend(markdown_in(&root.join("docs/manual")));
    Documents {
        name: "manual",
        paths,
        folder: Some(root.join("examples")),
        detail: Detail::AsShown,
    }
    .check();
}
