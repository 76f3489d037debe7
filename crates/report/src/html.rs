//! A report as one page for a browser, complete in itself: source, questions, runs to step through,
//! proofs, and the control-flow graph.
//!
//! The page is three files (`html/page.html`, `.css`, `.js`) with the data as JSON in the middle.
//! Text becomes part of the page only as text nodes, and in the JSON every `<` is written as an
//! escape, so no name in a program can end the element that the data stand in. A run may have
//! 100,000 steps: places and names stand in tables, and a step refers to them.

mod data;

use crate::document::Document;
use data::PageData;
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, Coverage};

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("html/lists.js"),
    include_str!("html/run.js"),
    include_str!("html/graph.js"),
    include_str!("html/page.js"),
];

/// What a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The program.
    pub machine: &'a Machine,
    /// The answers with their runs; nothing on a page about coverage alone.
    pub document: Option<&'a Document<'a>>,
    /// The proofs, with the indices that the document refers to.
    pub certificates: &'a [Certificate],
    /// What can be reached.
    pub coverage: Option<&'a Coverage>,
    /// The version of the tool.
    pub hardbop: &'a str,
}

/// The page as HTML.
pub fn html(page: &Page<'_>) -> Result<String, serde_json::Error> {
    let data = serde_json::to_string(&PageData::new(page))?;
    // Inside a string of JSON an escape means the same; elsewhere JSON has none of these.
    let data = data
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    let script = SCRIPTS.concat();
    let title = format!("hardbop: {}", page.machine.source.name());
    // The data come last: whatever stands in them is not looked at again.
    Ok(PAGE
        .replace("{{title}}", &escaped(&title))
        .replace("{{style}}", STYLE)
        .replace("{{script}}", &script)
        .replace("{{data}}", &data))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
