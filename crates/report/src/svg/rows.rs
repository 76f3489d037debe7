//! One procedure: a row per node, arrows between them.

use super::lanes::{Line, assign};
use super::{Drawing, escaped};
use hardbop_machine::analysis::NodeOrder;
use hardbop_machine::graph::{Captions, NodeRole};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Width of a character: 0.6 of the font size, as in the common monospaced fonts.
const NODE_CHARACTER: f64 = 7.9;
const EDGE_CHARACTER: f64 = 6.7;
const BOX_HEIGHT: f64 = 28.0;
const BOX_PADDING: f64 = 10.0;
/// Between two boxes, with room for what stands on the arrow between them.
const ROW_GAP: f64 = 26.0;
/// Each further step that leaves a box on one side makes it taller by this.
const LINE_HEIGHT: f64 = 16.0;
const LANE_WIDTH: f64 = 14.0;
/// How far from its left border a box is left by the arrow to the next row.
const STEP_INDENT: f64 = 24.0;

/// Where a step runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// To the next row.
    Down,
    /// In a lane on the right; the thread ends there if the step leads nowhere.
    Right,
    /// In a lane on the left.
    Left,
}

struct Row {
    node: NodeId,
    caption: String,
    top: f64,
    height: f64,
}

struct Step {
    edge: EdgeId,
    from: usize,
    /// Nothing if the thread ends.
    to: Option<usize>,
    way: Way,
    caption: String,
}

/// Draws a procedure.
pub(super) fn draw(
    machine: &Machine,
    procedure: ProcId,
    captions: &Captions,
    order: &NodeOrder,
) -> Drawing {
    let body = machine.procedure(procedure);
    let mut nodes: Vec<NodeId> = body.node_ids().collect();
    nodes.sort_by_key(|&node| order.position(node));
    // The positions of a procedure's nodes are consecutive.
    let first = nodes.first().map_or(0, |&node| order.position(node));
    let row_of = |node: NodeId| (order.position(node) - first) as usize;
    let steps: Vec<Step> = body
        .edge_ids()
        .map(|id| {
            let edge = machine.edge(id);
            let from = row_of(edge.from);
            let to = (edge.action != Action::EndThread).then(|| row_of(edge.to));
            let way = match to {
                Some(to) if to == from + 1 => Way::Down,
                Some(to) if to <= from => Way::Left,
                _ => Way::Right,
            };
            let caption = captions.edge(id);
            Step {
                edge: id,
                from,
                to,
                way,
                caption,
            }
        })
        .collect();
    let mut plan = Plan::new(&nodes, steps, captions);
    plan.write_steps(machine);
    plan.write_boxes(captions);
    Drawing {
        elements: plan.elements,
        width: plan.width,
        height: plan.height,
    }
}

struct Plan {
    rows: Vec<Row>,
    steps: Vec<Step>,
    box_left: f64,
    box_right: f64,
    /// Where the innermost lanes are.
    left_lanes: f64,
    right_lanes: f64,
    width: f64,
    height: f64,
    /// Lane of the line to a row, on the left and on the right.
    lane_to: [BTreeMap<usize, usize>; 2],
    elements: String,
}

impl Plan {
    fn new(nodes: &[NodeId], steps: Vec<Step>, captions: &Captions) -> Self {
        let mut exits = vec![[0_u32; 3]; nodes.len()];
        for step in &steps {
            exits[step.from][step.way as usize] += 1;
        }
        let mut top = 0.0;
        let mut rows = Vec::with_capacity(nodes.len());
        for (&node, exits) in nodes.iter().zip(&exits) {
            let sideways = exits[Way::Left as usize].max(exits[Way::Right as usize]);
            let height = BOX_HEIGHT + LINE_HEIGHT * f64::from(sideways.saturating_sub(1));
            rows.push(Row {
                node,
                caption: captions.node(node),
                top,
                height,
            });
            let further = exits[Way::Down as usize].saturating_sub(1);
            top += height + ROW_GAP + LINE_HEIGHT * f64::from(further);
        }
        let widest = |way: Way| {
            let texts = steps.iter().filter(|step| step.way == way);
            let characters = texts.map(|step| step.caption.chars().count()).max();
            characters.map_or(0.0, |n| n as f64 * EDGE_CHARACTER + 2.0 * BOX_PADDING)
        };
        let (left, left_count) = lanes_to(&steps, Way::Left);
        let (right, right_count) = lanes_to(&steps, Way::Right);
        let left_lanes = left_count as f64 * LANE_WIDTH;
        let box_left = left_lanes + widest(Way::Left);
        let characters = rows.iter().map(|row| row.caption.chars().count()).max();
        let box_width = characters.unwrap_or(0) as f64 * NODE_CHARACTER + 2.0 * BOX_PADDING;
        let box_right = box_left + box_width.max(STEP_INDENT + widest(Way::Down));
        let right_lanes = box_right + widest(Way::Right);
        let height = rows.last().map_or(0.0, |row| row.top + row.height);
        Self {
            rows,
            box_left,
            box_right,
            left_lanes,
            right_lanes,
            width: right_lanes + right_count as f64 * LANE_WIDTH,
            height,
            lane_to: [left, right],
            steps,
            elements: String::new(),
        }
    }

    fn add(&mut self, element: std::fmt::Arguments) {
        writeln!(self.elements, "{element}").expect("writing to a string does not fail");
    }

    fn write_boxes(&mut self, captions: &Captions) {
        let (x, width) = (self.box_left, self.box_right - self.box_left);
        for row in std::mem::take(&mut self.rows) {
            let class = class_of(captions.role(row.node));
            let (top, height) = (row.top, row.height);
            self.add(format_args!(
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\"/>"
            ));
            let (x, y) = (x + BOX_PADDING, top + BOX_HEIGHT / 2.0 + 4.5);
            let caption = escaped(&row.caption);
            self.add(format_args!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\">{caption}</text>"
            ));
        }
    }

    fn write_steps(&mut self, machine: &Machine) {
        // How many steps have left each row each way.
        let mut left_so_far = vec![[0_u32; 3]; self.rows.len()];
        for step in std::mem::take(&mut self.steps) {
            let count = &mut left_so_far[step.from][step.way as usize];
            let offset = f64::from(*count) * LINE_HEIGHT;
            let is_first = *count == 0;
            *count += 1;
            let class = match machine.edge(step.edge).action {
                Action::Call { .. } => "call",
                Action::StartThread(_) => "start",
                _ => "step",
            };
            let (path, x, y) = match step.way {
                Way::Down => self.down(&step, offset, is_first),
                Way::Left | Way::Right => self.sideways(&step, offset),
            };
            self.add(format_args!(
                "<path class=\"{class}\" d=\"{path}\" marker-end=\"url(#arrow)\"/>"
            ));
            if !step.caption.is_empty() {
                let caption = escaped(&step.caption);
                self.add(format_args!(
                    "<text class=\"on-edge\" x=\"{x:.1}\" y=\"{y:.1}\">{caption}</text>"
                ));
            }
        }
    }

    /// The path of a step to the next row, and where its text stands.
    fn down(&self, step: &Step, offset: f64, is_first: bool) -> (String, f64, f64) {
        let row = &self.rows[step.from];
        let bottom = row.top + row.height;
        let next = self.rows[step.from + 1].top;
        // Several steps to the same row stand side by side, their texts below each other.
        let x = self.box_left + STEP_INDENT - if is_first { 0.0 } else { offset / 2.0 };
        let path = format!("M {x:.1} {bottom:.1} V {next:.1}");
        let text = self.box_left + STEP_INDENT + BOX_PADDING;
        (path, text, bottom + 16.0 + offset)
    }

    /// The path of a step in a lane, and where its text stands.
    fn sideways(&self, step: &Step, offset: f64) -> (String, f64, f64) {
        let row = &self.rows[step.from];
        let y = row.top + BOX_HEIGHT - 5.0 + offset;
        let left = step.way == Way::Left;
        let side = if left { self.box_left } else { self.box_right };
        let text = if left {
            let characters = step.caption.chars().count() as f64;
            side - BOX_PADDING - characters * EDGE_CHARACTER
        } else {
            side + BOX_PADDING
        };
        let Some(to) = step.to else {
            let end = self.right_lanes;
            return (format!("M {side:.1} {y:.1} H {end:.1}"), text, y - 4.0);
        };
        let lane = self.lane_to[usize::from(!left)]
            .get(&to)
            .copied()
            .unwrap_or(0);
        let distance = (lane as f64 + 0.5) * LANE_WIDTH;
        let x = if left {
            self.left_lanes - distance
        } else {
            self.right_lanes + distance
        };
        let target = self.rows[to].top + 7.0;
        let path = format!("M {side:.1} {y:.1} H {x:.1} V {target:.1} H {side:.1}");
        (path, text, y - 4.0)
    }
}

/// All steps to one row on one side share a line: the lane of each row's line, and how many lanes
/// there are.
fn lanes_to(steps: &[Step], way: Way) -> (BTreeMap<usize, usize>, usize) {
    let mut lines: BTreeMap<usize, Line> = BTreeMap::new();
    for step in steps.iter().filter(|step| step.way == way) {
        let Some(to) = step.to else { continue };
        let line = lines.entry(to).or_insert(Line {
            top: to,
            bottom: to,
        });
        line.top = line.top.min(step.from);
        line.bottom = line.bottom.max(step.from);
    }
    let (rows, lines): (Vec<usize>, Vec<Line>) = lines.into_iter().unzip();
    let (assigned, count) = assign(&lines);
    (rows.into_iter().zip(assigned).collect(), count)
}

fn class_of(role: NodeRole) -> &'static str {
    match role {
        NodeRole::Entry => "entry",
        NodeRole::Exit => "exit",
        NodeRole::Failure => "failure",
        NodeRole::Labelled => "labelled",
        NodeRole::Plain => "node",
    }
}
