//! The machine as a picture: one framed drawing per procedure, in rows.
//!
//! Within a procedure the nodes are below each other in visiting order
//! ([`hardbop_machine::Machine::node_order`]), so a drawing reads like the program text ([`rows`]): a step to the next row is a short arrow, steps
//! further down run in lanes on the right, steps back up in lanes on the left, and all steps to one
//! node share a lane. This takes nearly linear time and cannot fail. A general layered layout was
//! tried first (`layout-rs` 0.1.3): it panicked on 4 % of random control-flow graphs of up to 30
//! nodes, and needed a minute for 200 nodes with many long edges.

#![expect(
    clippy::cast_precision_loss,
    reason = "lengths of texts and numbers of lanes are far below 2^52"
)]

mod lanes;
mod rows;

use hardbop_machine::graph::Captions;
use hardbop_machine::text::signature;
use hardbop_machine::{Machine, ProcId};
use std::fmt::Write as _;

/// The largest machine that is drawn, in nodes; viewers are slow with more.
pub(crate) const MAX_NODES: usize = 20_000;

const MARGIN: f64 = 20.0;
const TITLE_HEIGHT: f64 = 30.0;
/// Width of a character of a title.
const TITLE_CHARACTER: f64 = 9.2;
/// A row of drawings ends before it gets wider than this.
const PAGE_WIDTH: f64 = 1800.0;

const STYLE: &str = "\
text { font-family: monospace; font-size: 13px; }
text.on-edge { font-size: 11px; fill: #1f4e79; }
text.title { font-size: 15px; font-weight: bold; }
rect { fill: white; stroke: #333333; stroke-width: 1; }
rect.page { stroke: none; }
rect.frame { fill: #f7f7f7; stroke: #999999; }
rect.entry { stroke-width: 2.5; }
rect.exit { fill: #e4e4e4; }
rect.failure { fill: #ffb3b3; stroke: #b00000; }
rect.labelled { fill: #fff2b3; stroke: #a08000; }
path { fill: none; stroke: #555555; stroke-width: 1.2; }
path.call { stroke-width: 2.4; }
path.start { stroke-dasharray: 5 4; }
marker path { fill: #555555; stroke: none; }
";

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// How many nodes there are to draw.
    pub nodes: usize,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "there are {} nodes to draw, and a picture can show {MAX_NODES}; try --procedure NAME",
            self.nodes
        )
    }
}

impl std::error::Error for TooLarge {}

/// Some SVG elements and the room they take, from (0, 0).
struct Drawing {
    elements: String,
    width: f64,
    height: f64,
}

/// Some procedures of a machine as an SVG document.
pub fn svg(machine: &Machine, procedures: &[ProcId]) -> Result<String, TooLarge> {
    let sizes = procedures
        .iter()
        .map(|&id| machine.procedure(id).node_ids().count());
    let nodes = sizes.sum();
    if nodes > MAX_NODES {
        return Err(TooLarge { nodes });
    }
    let captions = Captions::new(machine);
    let order = machine.node_order();
    let frames = procedures.iter().map(|&procedure| {
        let body = rows::draw(machine, procedure, &captions, order);
        framed(&signature(machine, procedure), &body)
    });
    let page = arranged(frames);
    let (width, height) = (page.width, page.height);
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n\
         <style>\n{STYLE}</style>\n\
         <defs><marker id=\"arrow\" markerUnits=\"userSpaceOnUse\" markerWidth=\"10\" markerHeight=\"8\" \
         refX=\"9\" refY=\"4\" orient=\"auto\"><path d=\"M 0 0 L 10 4 L 0 8 z\"/></marker></defs>\n\
         <rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n\
         {}</svg>\n",
        page.elements
    ))
}

/// A drawing with a title and a border.
fn framed(title: &str, body: &Drawing) -> Drawing {
    let title_width = TITLE_CHARACTER * title.chars().count() as f64;
    let width = body.width.max(title_width) + 2.0 * MARGIN;
    let height = body.height + TITLE_HEIGHT + 2.0 * MARGIN;
    let top = TITLE_HEIGHT + MARGIN;
    let elements = format!(
        "<rect class=\"frame\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"{TITLE_HEIGHT}\">{}</text>\n\
         <g transform=\"translate({MARGIN} {top})\">\n{}</g>\n",
        escaped(title),
        body.elements
    );
    Drawing {
        elements,
        width,
        height,
    }
}

/// Puts drawings side by side until the page is full, then below.
fn arranged(drawings: impl Iterator<Item = Drawing>) -> Drawing {
    let mut elements = String::new();
    let (mut x, mut y) = (MARGIN, MARGIN);
    let mut row_height: f64 = 0.0;
    let mut width: f64 = 0.0;
    for drawing in drawings {
        if x > MARGIN && x + drawing.width > PAGE_WIDTH {
            (x, y) = (MARGIN, y + row_height + MARGIN);
            row_height = 0.0;
        }
        let body = &drawing.elements;
        writeln!(elements, "<g transform=\"translate({x} {y})\">\n{body}</g>")
            .expect("writing to a string does not fail");
        x += drawing.width + MARGIN;
        row_height = row_height.max(drawing.height);
        width = width.max(x);
    }
    Drawing {
        elements,
        width,
        height: y + row_height + MARGIN,
    }
}

/// Text as XML; characters that XML cannot hold are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            control if control < ' ' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
